import { cut, part, plain, type SitePage } from "./site.ts";

/** A page as the search of the site knows it. */
export interface SearchEntry {
	/** Its address, relative to the site's root. */
	path: string;
	title: string;
	/** What it says, in a sentence or two. */
	text: string;
	/** The message that it is about, with its other wordings; empty where it is about none. */
	message: string;
}

// The list and the script together are less than 30 KB, so that the first search is there soon.
const LONGEST_TEXT = 90;
const LONGEST_MESSAGE = 100;

const isChinese = (path: string): boolean => path.includes("/zh/");
const isIndex = (path: string): boolean => /(^|\/)index\.html$/.test(path);

function entryOf({ path, html }: SitePage): SearchEntry {
	const main = part(html, /<main>\n([\s\S]*?)\n?<\/main>/);
	const messages = [
		...main.matchAll(/<blockquote[^>]*>([\s\S]*?)<\/blockquote>/g),
	].map(([, message = ""]) => plain(message));
	const meaning =
		part(main, /<p class="meaning">([\s\S]*?)<\/p>/) ||
		part(html, /<meta name="description" content="([^"]*)"/);
	return {
		path,
		title: plain(part(main, /<h1>([\s\S]*?)<\/h1>/)),
		text: cut(plain(meaning), LONGEST_TEXT),
		message: cut(messages.join(" "), LONGEST_MESSAGE),
	};
}

/** Returns the lists that the search of the site looks in, by their paths. */
export function searchLists(
	pages: readonly SitePage[],
): Record<string, SearchEntry[]> {
	const found = pages.filter(({ path }) => !isIndex(path));
	return {
		"search/en.json": found.filter(({ path }) => !isChinese(path)).map(entryOf),
		"search/zh.json": found.filter(({ path }) => isChinese(path)).map(entryOf),
	};
}

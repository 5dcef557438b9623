// The search of the site: it looks in a list of the pages that comes with this script, and sends nothing anywhere.
import MiniSearch from "minisearch";
import type { SearchEntry } from "../build/search.ts";

/** No more results than these are listed. */
const MOST = 30;
/** Words of fewer characters are not taken for misspelt ones. */
const SHORTEST_MISSPELT = 6;

/** The words of a text. Chinese has no blanks between them: pairs of characters stand for them. */
function wordsOf(text: string): string[] {
	const runs =
		text
			.toLowerCase()
			.match(/\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu) ?? [];
	return runs.flatMap((run) => {
		const signs = [...run];
		return signs.length > 1 && /^\p{Script=Han}/u.test(run)
			? signs.slice(1).map((sign, at) => `${signs[at]}${sign}`)
			: run;
	});
}

/** Returns the entries that have all words, or most of them where none has all, as in a message with names of a cluster. */
async function searcher(
	address: string,
): Promise<(words: string) => readonly SearchEntry[]> {
	const response = await fetch(address);
	if (!response.ok) throw new Error(`${address}: ${response.status}`);
	const entries = (await response.json()) as SearchEntry[];
	const index = new MiniSearch<SearchEntry>({
		idField: "path",
		fields: ["title", "text", "message"],
		tokenize: wordsOf,
		searchOptions: {
			prefix: true,
			fuzzy: (word) => (word.length < SHORTEST_MISSPELT ? false : 0.2),
			boost: { title: 3 },
		},
	});
	index.addAll(entries);
	const byPath = new Map(entries.map((entry) => [entry.path, entry]));
	return (words) => {
		const all = index.search(words, { combineWith: "AND" });
		const found = all.length > 0 ? all : index.search(words);
		return found.flatMap(({ id }) => byPath.get(String(id)) ?? []);
	};
}

function element(name: string, text: string, children: Node[] = []): Element {
	const made = document.createElement(name);
	made.append(text, ...children);
	return made;
}

function item({ path, title, text, message }: SearchEntry): Element {
	const link = document.createElement("a");
	link.href = root + path;
	link.textContent = title;
	const quoted = message === "" || message === title ? [] : [message];
	return element("li", "", [
		link,
		element("p", text),
		...quoted.map((message) => {
			const quote = element("q", message);
			quote.setAttribute("lang", "en");
			return quote;
		}),
	]);
}

const form = document.querySelector("form")!;
const field = form.querySelector("input")!;
const status = document.querySelector("output")!;
const list = document.querySelector("ol")!;
const {
	root = "",
	index: address = "",
	none = "",
	found: foundWord = "",
} = form.dataset;

let search: Promise<(words: string) => readonly SearchEntry[]> | undefined;

async function show(): Promise<void> {
	const words = field.value.trim();
	const url = new URL(location.href);
	if (words === "") url.searchParams.delete("q");
	else url.searchParams.set("q", words);
	history.replaceState(null, "", url);
	search ??= searcher(address);
	const look = await search.catch((error: unknown) => {
		search = undefined;
		status.textContent = String(error);
	});
	// Another word may have been typed meanwhile.
	if (!look || words !== field.value.trim()) return;
	const found = words === "" ? [] : look(words);
	list.replaceChildren(...found.slice(0, MOST).map(item));
	status.textContent =
		words === ""
			? ""
			: found.length === 0
				? none
				: foundWord.replace("{n}", String(found.length));
}

const links = (): HTMLAnchorElement[] => [...list.querySelectorAll("a")];

/** Arrows walk through the results, and Escape leads back to the words. */
function walk(event: KeyboardEvent): void {
	const all: HTMLElement[] = [field, ...links()];
	const at = all.indexOf(document.activeElement as HTMLElement);
	const next = { ArrowDown: at + 1, ArrowUp: at - 1, Escape: 0 }[event.key];
	if (next === undefined || at < 0 || event.isComposing) return;
	event.preventDefault();
	all[Math.min(Math.max(next, 0), all.length - 1)]?.focus();
}

field.addEventListener("input", () => void show());
form.addEventListener("submit", (event) => {
	event.preventDefault();
	links()[0]?.click();
});
document.addEventListener("keydown", walk);
field.value = new URL(location.href).searchParams.get("q") ?? "";
field.focus();
if (field.value !== "") void show();

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type * as claimkit from "claimkit";
import { MessageIndex } from "../src/state/messages.ts";
import type { SitePage } from "./site.ts";

/** A message, and the page that explains it. */
export interface MessagePage {
	/** Below the site's root, without the language: `codes/name-invalid.html`. */
	path: string;
	title: string;
	messages: string[];
}

/** More forms of one message than this teach nothing. */
const MOST_FORMS = 12;

const ENTITIES: Record<string, string> = {
	"&lt;": "<",
	"&gt;": ">",
	"&amp;": "&",
	"&quot;": '"',
	"&#39;": "'",
};
const plain = (html: string): string =>
	html
		.replace(/<[^>]*>/g, "")
		.replace(
			/&(?:lt|gt|amp|quot|#39);/g,
			(entity) => ENTITIES[entity] ?? entity,
		)
		.trim();

/** A sentence of another program that a message of ours quotes. */
const INNER = /`([^`\s]+(?: [^`\s]+){2,})`/g;

/** The title and the messages that a page quotes. */
function quoted({ path, html }: SitePage): MessagePage {
	const title = /<h1>(.*?)<\/h1>/s.exec(html)?.[1] ?? "";
	const messages = [
		...html.matchAll(/<blockquote[^>]*>(.*?)<\/blockquote>/gs),
	].map(([, text = ""]) => plain(text));
	const inner = messages.flatMap((message) =>
		[...message.matchAll(INNER)].map(([, text = ""]) => text),
	);
	return { path, title: plain(title), messages: [...messages, ...inner] };
}

/** The messages that the engine gives about texts, by code: those of kubectl, the API server and the scheduler. */
export function messagesOf(
	texts: readonly string[],
	validate: typeof claimkit.validate,
): Map<string, Set<string>> {
	const found = new Map<string, Set<string>>();
	for (const text of texts) {
		const release = /^# claimkit:.*\brelease=(\S+)/.exec(text)?.[1];
		const { findings } = validate(
			text,
			release ? { release: release as claimkit.Release } : {},
		);
		for (const { code, origin, message, path } of findings) {
			if (origin === "claimkit") continue;
			const forms = found.get(code) ?? new Set<string>();
			if (forms.size < MOST_FORMS)
				forms.add(
					path && !message.startsWith(path) ? `${path}: ${message}` : message,
				);
			found.set(code, forms);
		}
	}
	return found;
}

/** The pages of the site by the messages that they explain. */
export function messagePages(
	pages: readonly SitePage[],
	more: ReadonlyMap<string, ReadonlySet<string>>,
): MessagePage[] {
	return pages
		.filter(({ path }) => /^(codes|scheduler)\/[^/]+\.html$/.test(path))
		.filter(({ path }) => !path.endsWith("index.html"))
		.map((page) => {
			const own = quoted(page);
			const code = /^codes\/(.+)\.html$/.exec(page.path)?.[1] ?? "";
			return {
				...own,
				messages: [...new Set([...own.messages, ...(more.get(code) ?? [])])],
			};
		})
		.filter(({ messages }) => messages.length > 0);
}

/** A message of the API server, and the code of its page. */
export interface Recorded {
	code: string;
	text: string;
}

/**
 * What the API server says of the objects of a recording (`tests/vectors/later`), each form of a message once: without what it quotes
 * and the places in lists.
 */
export function recordedMessages(
	file: string,
	validate: typeof claimkit.validate,
): Recorded[] {
	const found = new Map<string, Recorded>();
	const lines = gunzipSync(readFileSync(file)).toString().split("\n");
	for (const line of lines.filter((one) => one !== "")) {
		const { op, object, release } = JSON.parse(line) as {
			op?: string;
			object?: object;
			release?: claimkit.Release;
		};
		if (op !== "create" || !object || !release) continue;
		const { findings } = validate(JSON.stringify(object), { release });
		for (const { code, origin, message } of findings) {
			if (origin !== "kube-apiserver") continue;
			const form = message
				.replace(/"(?:[^"\\]|\\.)*"/g, '""')
				.replace(/\[[^\]]*\]/g, "[]");
			const key = `${code} ${form}`;
			if (!found.has(key)) found.set(key, { code, text: message });
		}
	}
	return [...found.values()];
}

/** Adds the recorded messages that do not find their page yet. */
export function withRecorded(
	pages: readonly MessagePage[],
	recorded: readonly Recorded[],
): MessagePage[] {
	const index = new MessageIndex(pages);
	const more = new Map<string, string[]>();
	for (const { code, text } of recorded) {
		const path = `codes/${code}.html`;
		if (index.find(text)[0]?.path === path) continue;
		more.set(path, [...(more.get(path) ?? []), text]);
	}
	return pages.map((page) => ({
		...page,
		messages: [...new Set([...page.messages, ...(more.get(page.path) ?? [])])],
	}));
}

import type { MessagePage } from "../../build/messages.ts";

/** A page that explains a message, and how near its words come: 1 is equal. */
export interface Match {
	path: string;
	title: string;
	score: number;
}

/** Words that name a thing of the reader's cluster, and not the message. */
const NAMES: readonly (readonly [RegExp, string])[] = [
	[/"[^"\n]*"/g, " § "],
	[/`[^`\n]*`/g, " § "],
	[/\b[\w.-]+\/[\w./-]+/g, " § "],
	[/\[\d+\]/g, " "],
	[/\b\d[\w.:-]*\b/g, " # "],
];

/** The words of a message, single and in pairs; names of the reader's own are all one word. */
function termsOf(text: string): string[] {
	let plain = text;
	for (const [pattern, word] of NAMES) plain = plain.replace(pattern, word);
	const words = plain
		.replace(/([a-z])([A-Z])/g, "$1 $2")
		.toLowerCase()
		.split(/[^a-z§#']+/)
		.filter((word) => word.length > 1 || word === "§");
	const pairs = words.slice(1).map((word, at) => `${words[at]} ${word}`);
	return [...words, ...pairs];
}

interface Entry {
	page: MessagePage;
	terms: ReadonlySet<string>;
	weight: number;
}

/** The messages of all pages, with the weight of each word: rare words say more. */
export class MessageIndex {
	readonly #entries: Entry[];
	readonly #weights = new Map<string, number>();

	constructor(pages: readonly MessagePage[]) {
		const texts = pages.flatMap((page) =>
			page.messages.map((message) => ({
				page,
				terms: new Set(termsOf(message)),
			})),
		);
		const counts = new Map<string, Set<MessagePage>>();
		for (const { page, terms } of texts)
			for (const term of terms)
				counts.set(term, (counts.get(term) ?? new Set()).add(page));
		for (const [term, on] of counts)
			this.#weights.set(term, Math.log(1 + pages.length / on.size));
		this.#entries = texts.map((entry) => ({
			...entry,
			weight: this.#sum(entry.terms),
		}));
	}

	#sum(terms: Iterable<string>): number {
		let sum = 0;
		for (const term of terms) sum += this.#weights.get(term) ?? 0;
		return sum;
	}

	/** Returns the pages whose messages a text contains or resembles, the nearest first. */
	find(text: string, most = 3): Match[] {
		const asked = new Set(termsOf(text));
		const best = new Map<string, Match>();
		const unknown = [...asked].filter(
			(term) => !this.#weights.has(term) && !term.includes(" "),
		).length;
		const own = this.#sum(asked) + UNKNOWN * unknown;
		if (own === 0) return [];
		for (const { page, terms, weight } of this.#entries) {
			if (weight === 0) continue;
			let shared = 0;
			for (const term of terms)
				if (asked.has(term)) shared += this.#weights.get(term) ?? 0;
			// A pasted text may have more around the message than the message has words.
			const score = Math.sqrt((shared / weight) * (shared / own));
			if (score > (best.get(page.path)?.score ?? 0))
				best.set(page.path, { path: page.path, title: page.title, score });
		}
		return [...best.values()]
			.sort((a, b) => b.score - a.score)
			.slice(0, most)
			.filter(({ score }) => score > LEAST);
	}
}

/** Less than this is chance. */
const LEAST = 0.25;
/** The weight of a word that no page has. */
const UNKNOWN = 4;

let kept: Promise<MessageIndex | null> | null = null;

/** The index of the site's messages, fetched once; null where it cannot be. */
export function messageIndex(): Promise<MessageIndex | null> {
	kept ??= fetch(new URL("messages.json", document.baseURI))
		.then(async (response) =>
			response.ok
				? new MessageIndex((await response.json()) as MessagePage[])
				: null,
		)
		.catch(() => null);
	return kept;
}

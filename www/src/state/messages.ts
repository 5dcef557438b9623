import type { MessagePage } from "../../build/messages.ts";

/** A page that explains a message, and how near its words come: 1 is equal. */
export interface Match {
	path: string;
	title: string;
	score: number;
}

/** The keys of structured logs whose values name things: the message is in the others, such as `msg` and `err`. */
const NAMING =
	"pod|podUID|podClaim|claim|claimUID|namespace|name|node|nodeName|driver|driverName|logger|reflector|type|requestID|request|method|opID|endpoint|level|ts|time|caller|controller|controllerKind|reconcileID|container|containerID|plugin|queue";

/** One word stands for a name of the reader's own. */
const NAME = " § ";

/** What no name of the reader's looks like: a sentence, which logs quote, a kind or field, and what is of the group. */
const NO_NAME =
	/\S\s+\S+\s+\S|^[A-Za-z][a-z]+[A-Z]\w+$|\bresource\.k8s\.io\b|^(?:resource(?:claim|slice|class)|device(?:class|taintrule))\w*$/;
const quoted = (_: string, inner: string): string =>
	NO_NAME.test(inner) ? ` ${inner} ` : NAME;

/** What is not of the message: places in logs and names of the reader's cluster. */
const NAMES: readonly (readonly [
	RegExp,
	string | ((match: string, inner: string) => string),
])[] = [
	// The heads of lines: klog's, those of a journal, and times.
	[/\b[IWEF]\d{4} [\d:.]+\s+\d+ /g, " "],
	[/\b[A-Z][a-z]{2} \d{1,2} \d\d:\d\d:\d\d \S+ [\w-]+\[\d+\]:/g, " "],
	[/\b\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?/g, " "],
	[/[\w./@-]+\.go:\d+\]?/g, " "],
	// The name that drivers give their webhooks says what it is about.
	[/\bvalidate-resource-claim-parameters[\w.-]*/g, " claimwebhook "],
	// What names and labels look like: the server says it of many fields, and the field is what tells them apart.
	[
		/\b(?:an?|name part|prefix part|must be)? ?[^:;,]{0,60}?\bmust (?:consist of|start with|be|match)\b.{0,400}?regex used for validation is '[^']*'\)/g,
		" wellformed ",
	],
	// Values as Go prints them.
	[/\b[\w.]*[A-Z]\w*\{(?:[^{}]|\{[^{}]*\})*\}/g, NAME],
	[/Invalid value: \{[^{}]*\}/g, `Invalid value: ${NAME}`],
	// Quotes within quotes, then values that name things, then other quotes.
	[/\\+"([^"\\]*)\\+"/g, quoted],
	[/\\[nt]/g, " "],
	[new RegExp(`\\b(?:${NAMING})=(?:"[^"\\n]*"|[^\\s",]+)`, "g"), " "],
	[new RegExp(`"(?:${NAMING})":\\s?(?:"[^"\\n]*"|[\\w.]+)`, "g"), " "],
	[/"([^"\n]*)"/g, quoted],
	[/`([^`\n]*)`/g, quoted],
	[/(^|[\s(:=])'[^'\s]+'(?=$|[\s:,.)])/gm, `$1${NAME}`],
	[/<[\w-]+>/g, NAME],
	// What a node has without a driver is not about claims.
	[/\bInsufficient (?:cpu|memory|pods|ephemeral-storage)\b/g, " "],
	// Versions, addresses, paths, names with numbers or several hyphens, and domains.
	[/\b[\w.-]+\.(?=deviceclass\.resource\.k8s\.io\b)/g, NAME],
	[/\/?\b(?!\S*resource\.k8s\.io)[\w.-]+\/[\w./@-]+/g, NAME],
	[/\[\d+\]/g, " "],
	[
		/\b(?!\S*resource\.k8s\.io)(?=[\w.:-]*\d)[a-z0-9]+(?:[-.:][a-z0-9]+)+\b/gi,
		NAME,
	],
	[/\b[a-z]+(?:-[a-z]+){2,}\b/g, NAME],
	[
		/\b(?!\S*resource\.k8s\.io)[a-z-]+(?:\.[a-z-]+)*\.(?:com|net|org|dev|io)\b/g,
		NAME,
	],
	[/\b\d[\w.:-]*\b/g, " # "],
	[/§(?:[\s:,./]*§)+/g, NAME],
];

/** A field before what the server says of it. */
const FIELD =
	/([A-Za-z]\w*(?:\[[^\]]*\])*(?:\.\w[\w-]*(?:\[[^\]]*\])*)*): (?=Invalid value|Required value|Forbidden|Duplicate value|Unsupported value|Too (?:many|few|long)|Not found|Internal error)/g;

/** The fields that the server speaks of, without the places in lists. */
const fieldsOf = (text: string): Set<string> =>
	new Set(
		[...text.matchAll(FIELD)].map(([, path = ""]) =>
			path.replace(/\[[^\]]*\]/g, ""),
		),
	);

/** Whether a text speaks of a field of a message, which may be inside another there. Texts without fields may be about any. */
function sameField(
	own: ReadonlySet<string>,
	others: ReadonlySet<string>,
): boolean {
	if (own.size === 0 || others.size === 0) return true;
	return [...own].some((one) =>
		[...others].some(
			(other) =>
				one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`),
		),
	);
}

/** The words of a text; names of the reader's own are all one word. */
function wordsOf(text: string): string[] {
	let plain = text;
	for (const [pattern, word] of NAMES)
		plain =
			typeof word === "string"
				? plain.replace(pattern, word)
				: plain.replace(pattern, word);
	return plain
		.replace(/([a-z])([A-Z])/g, "$1 $2")
		.toLowerCase()
		.split(/[^a-z§#']+/)
		.map((word) => word.replace(/^'+|'+$/g, ""))
		.filter((word) => word.length > 1 || word === "§");
}

/** Words single and in pairs; the first is in a pair with the word before it. */
function termsOf(words: readonly string[], before?: string): Set<string> {
	const terms = new Set(words);
	let last = before;
	for (const word of words) {
		if (last !== undefined) terms.add(`${last} ${word}`);
		last = word;
	}
	return terms;
}

/** More lines than these together are no message. */
const MOST_LINES = 5;

interface Line {
	words: string[];
	fields: Set<string>;
}

/** The words and fields of the lines of a text. */
const linesOf = (text: string): Line[] =>
	text
		.split("\n")
		.filter((line) => line.trim() !== "")
		.map((line) => ({ words: wordsOf(line), fields: fieldsOf(line) }));

interface Entry {
	page: MessagePage;
	fields: ReadonlySet<string>;
	weight: number;
	/** The weight of the words that are not said of everything. */
	own: number;
}

/** A word, or two that follow each other. */
interface Term {
	weight: number;
	common: boolean;
	/** The messages that have it, by their places. */
	entries: number[];
}

/** The messages of all pages, with the weight of each word: rare words say more. */
export class MessageIndex {
	readonly #entries: Entry[];
	readonly #terms = new Map<string, Term>();

	constructor(pages: readonly MessagePage[]) {
		const texts = pages.flatMap((page) =>
			page.messages.map((message) => ({
				page,
				terms: termsOf(wordsOf(message)),
				fields: fieldsOf(message),
			})),
		);
		const on = new Map<string, Set<MessagePage>>();
		for (const [at, { page, terms }] of texts.entries())
			for (const term of terms) {
				const known = this.#terms.get(term);
				if (known) known.entries.push(at);
				else
					this.#terms.set(term, {
						weight: 0,
						common: isCommon(term),
						entries: [at],
					});
				on.set(term, (on.get(term) ?? new Set()).add(page));
			}
		for (const [name, term] of this.#terms)
			term.weight =
				Math.log(1 + pages.length / (on.get(name)?.size ?? 1)) *
				(term.common ? COMMON : 1);
		this.#entries = texts.map(({ page, fields }) => ({
			page,
			fields,
			weight: 0,
			own: 0,
		}));
		for (const { weight, common, entries } of this.#terms.values())
			for (const at of entries) {
				const entry = this.#entries[at]!;
				entry.weight += weight;
				if (!common) entry.own += weight;
			}
	}

	/** Returns the pages whose messages a text contains or resembles, the nearest first. */
	find(text: string, most = 3): Match[] {
		const best = new Map<string, Match>();
		const lines = linesOf(text);
		// A message is the whole text, or a few of its lines.
		if (lines.length > MOST_LINES)
			this.#compare(
				[
					{
						words: lines.flatMap(({ words }) => words),
						fields: new Set(lines.flatMap(({ fields }) => [...fields])),
					},
				],
				best,
			);
		for (const from of lines.keys())
			this.#compare(lines.slice(from, from + MOST_LINES), best);
		return [...best.values()]
			.sort((a, b) => b.score - a.score)
			.slice(0, most)
			.filter(({ score }) => score > LEAST);
	}

	/** Compares the first of some lines with each message, the first two, and so on, and keeps the best score of each page. */
	#compare(lines: readonly Line[], best: Map<string, Match>): void {
		const seen = new Set<string>();
		const fields = new Set<string>();
		const shared = new Map<number, { all: number; own: number }>();
		let whole = 0;
		let last: string | undefined;
		for (const { words, fields: more } of lines) {
			for (const field of more) fields.add(field);
			for (const name of termsOf(words, last)) {
				if (seen.has(name)) continue;
				seen.add(name);
				const term = this.#terms.get(name);
				whole += term?.weight ?? weightOfUnknown(name);
				for (const at of term?.entries ?? []) {
					const sum = shared.get(at) ?? { all: 0, own: 0 };
					sum.all += term?.weight ?? 0;
					if (!term?.common) sum.own += term?.weight ?? 0;
					shared.set(at, sum);
				}
			}
			last = words.at(-1) ?? last;
			for (const [at, { all, own }] of shared) {
				const entry = this.#entries[at]!;
				if (own < entry.own * LEAST_OWN) continue;
				// A pasted text may have more around the message than the message has words. Of two equals the longer says more.
				const score =
					Math.sqrt((all / entry.weight) * (all / whole)) *
					(all / (all + 1)) *
					(sameField(fields, entry.fields) ? 1 : OTHER_FIELD);
				const { path, title } = entry.page;
				if (score > (best.get(path)?.score ?? 0))
					best.set(path, { path, title, score });
			}
		}
	}
}

/** Words that components say of everything: they tell little, however few pages have them. */
const SAID_OF_ALL = new Set(
	"§ # a about again after all an and any api are as at available be been by call calling can cannot certificate cluster code connect connection container containerd context could create creating deadline default desc dial dialing directory does endpoints error exceeded failed failing file for forbidden found from get group has have helpful if image in internal is it kubelet later limited list message no node nodes normal not occurred of on or out please pod pods post preemption quota reason refused retrieving requested rpc running scheduler scheduling server service set scope shim start started starting still such task tcp that the this to try transport trying type unix up used user volume waiting warning was webhook were will with".split(
		" ",
	),
);
const isCommon = (term: string): boolean =>
	term.split(" ").every((word) => SAID_OF_ALL.has(word));
/** What such a word weighs. */
const COMMON = 0.3;

/** What a score is worth where the server says the same of another field. */
const OTHER_FIELD = 0.8;

/** Less than this is chance. */
const LEAST = 0.25;
/** Less than this part of a message's own words is another message. */
const LEAST_OWN = 0.3;
/** The weight of a word that no page has; two words weigh nothing more. */
const UNKNOWN = 4;
function weightOfUnknown(term: string): number {
	if (term.includes(" ")) return 0;
	return isCommon(term) ? UNKNOWN * COMMON : UNKNOWN;
}

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

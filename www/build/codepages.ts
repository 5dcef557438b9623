import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type * as claimkit from "claimkit";

/**
 * What the page of a finding code says: the code's sentences of `pkg/locale`, the paragraphs of `tests/codes/rules.json`, and an
 * example with the finding that claimkit gives about it. The example is `tests/codes/CODE.yaml`, or else the first manifest of the
 * tests that gives the code. Both begin with the request. In `tests/codes`, `parts=old,text` in the first line names the members
 * of the request that the documents of the file become; the last of them is all that follows.
 */
export interface CodePage {
	code: string;
	meaning: Record<"en" | "zh-Hans", string>;
	about: About;
	example?: Example;
}

/** What `tests/codes/rules.json` says of a code. Pieces between backquotes are code. */
export interface About {
	/** The rule: upstream's, with the function that has it, or claimkit's own. */
	rule: string;
	/** The meaning, where the sentence of `pkg/locale` says too little. */
	means?: string;
	/** What happens in the cluster, and to whom. */
	why: string;
	/** What to write instead, where the help of the finding says too little. */
	instead?: string;
	/** When the fix can be applied without looking; for each code with a fix, and no other. */
	fix?: string;
	/** The reason why there is no example; for each code without one, and no other. */
	noExample?: string;
}

/** A finding in what gives it. */
export interface Example {
	finding: claimkit.Finding;
	/** The release, the command, the gates: what is asked beside the texts. */
	asked: string[];
	texts: { caption?: string; text: string; marked?: Marked }[];
}

/** What is marked in a text: UTF-16 code units from its start. */
export interface Marked {
	start: number;
	end: number;
}

type JsonObject = Record<string, unknown>;
/** A request of the engine's contract, and the texts in it by the names of their members. */
interface Asked {
	request: JsonObject;
	texts: [name: string, text: string][];
}

const HEADER = /^# claimkit: (.*)\n/;

/** Returns the members of a request that a first line names: `# claimkit: release=1.36 gates=DRAAdminAccess:true`. */
function membersOf(header: string, stored: string): JsonObject {
	const members: JsonObject = {};
	for (const word of header.split(/\s+/).filter(Boolean)) {
		const at = word.indexOf("=");
		const [name, value] = [word.slice(0, at), word.slice(at + 1)];
		const pairs = value.split(",").map((pair) => pair.split(/:(.*)/, 2));
		if (name === "old" || name === "nodes")
			members[name] = readFileSync(join(stored, value), "utf8");
		else if (name === "gates")
			members[name] = Object.fromEntries(
				pairs.map(([gate, on]) => [gate, on === "true"]),
			);
		else if (name === "limits" || name === "replaced")
			members[name] = Object.fromEntries(
				pairs.map(([limit, most]) => [limit, Number(most)]),
			);
		else if (name === "namespaceLabels")
			members[name] = Object.fromEntries(pairs);
		else if (name === "features") members[name] = value.split(",");
		else
			members[name] =
				value === "true" || value === "false" ? value === "true" : value;
	}
	return members;
}

/** The members that only requests of an admission have, in the object `request`. */
const OF_ADMISSION = ["operation", "subResource"];

/** Returns the AdmissionRequest about an object, as a user's change sends it. */
function admissionOf(
	object: JsonObject,
	old: JsonObject | undefined,
	more: JsonObject,
): JsonObject {
	const [version = "", group = ""] = String(object.apiVersion)
		.split("/")
		.reverse();
	const kind = String(object.kind);
	const metadata = object.metadata as JsonObject;
	const singular = kind.toLowerCase();
	const resource = kind.endsWith("Class")
		? `${singular}es`
		: kind.endsWith("Parameters")
			? singular
			: `${singular}s`;
	return {
		uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
		kind: { group, version, kind },
		resource: { group, version, resource },
		name: metadata.name ?? "",
		...(metadata.namespace ? { namespace: metadata.namespace } : {}),
		operation: old ? "UPDATE" : "CREATE",
		userInfo: { username: "jane", groups: ["system:authenticated"] },
		object,
		oldObject: old ?? null,
		dryRun: false,
		...more,
	};
}

/** The engine's answer to any request, as far as the pages need it. */
type Ask = (request: JsonObject) => {
	findings: claimkit.Finding[];
	pods?: { findings: claimkit.Finding[] }[];
	raw?: JsonObject;
	error?: string;
};

/** Returns the findings of an answer, also those about one pod. */
const findingsOf = ({ findings, pods = [] }: ReturnType<Ask>) => [
	...(findings ?? []),
	...pods.flatMap((pod) => pod.findings ?? []),
];

/** Reads an example of `tests/codes`. */
function readOwn(path: string, ask: Ask): Asked {
	const whole = readFileSync(path, "utf8");
	const { parts = "text", ...members } = membersOf(
		HEADER.exec(whole)?.[1] ?? "",
		"",
	);
	const request: JsonObject = { verb: "validate", ...members };
	const names = String(parts).split(",");
	const pieces = whole.replace(HEADER, "").split("\n---\n");
	const texts = names.map((name, at): [string, string] => {
		const piece =
			at < names.length - 1 ? pieces[at] : pieces.slice(at).join("\n---\n");
		return [name, `${(piece ?? "").trimEnd()}\n`];
	});
	const objectOf = (name: string) => {
		const text = texts.find(([other]) => other === name)?.[1];
		return text === undefined
			? undefined
			: ask({ verb: "parse", raw: true, text }).raw;
	};
	if (request.verb === "admit") {
		const object = objectOf("object");
		if (object) {
			const more = Object.fromEntries(
				OF_ADMISSION.filter((name) => name in request).map((name) => [
					name,
					request[name],
				]),
			);
			for (const name of OF_ADMISSION) delete request[name];
			request.request = admissionOf(object, objectOf("old"), more);
		}
	}
	for (const [name, text] of texts) {
		if (name === "settings") request[name] = objectOf(name);
		else if (name === "labelSelector" || name === "fieldSelector")
			request[name] = text.trim();
		else if (request.request === undefined || !/^(object|old)$/.test(name))
			request[name] = text;
	}
	return { request, texts };
}

const CAPTIONS: Record<string, string> = {
	settings: "The settings of the policy:",
	object: "The object:",
	old: "The stored object:",
	patch: "The patch:",
	nodes: "The nodes:",
	labelSelector: "The label selector:",
	fieldSelector: "The field selector:",
	text: "The manifest:",
};

const VIA: Record<string, string> = {
	server: "sent to the server without kubectl",
	validator: "checked by the validation function alone",
};

const OPERATIONS: Record<string, string> = {
	update: "an update",
	updateStatus: "an update of the status",
};

/** Says what a request asks beside its texts. */
function askedIn(request: JsonObject): string[] {
	const { release, verb, to, operation, via, namespace } = request as Record<
		string,
		string | undefined
	>;
	const entries = (name: string) => Object.entries(request[name] ?? {});
	return [
		release && `Kubernetes ${release}`,
		verb !== "validate" && `\`claimkit ${verb}\``,
		to && `to \`${to}\``,
		operation && (OPERATIONS[operation] ?? `a ${operation}`),
		via && VIA[via],
		namespace && `namespace \`${namespace}\``,
		...entries("namespaceLabels").map(
			([label, value]) => `a namespace with \`${label}: ${value}\``,
		),
		...entries("gates").map(([gate, on]) => `\`${gate}=${on}\``),
		...((request.features ?? []) as string[]).map(
			(feature) => `a scheduler with the feature \`${feature}\` only`,
		),
		...entries("limits").map(([limit, most]) => `limit \`${limit}=${most}\``),
	].filter((part): part is string => Boolean(part));
}

/** Returns what to mark of a range: of several lines the first. */
function markedIn(
	text: string,
	range: claimkit.Range | undefined,
): Marked | undefined {
	if (!range || range.start.offset >= range.end.offset) return undefined;
	const { offset: start } = range.start;
	const line = text.indexOf("\n", start);
	const end = line < 0 ? range.end.offset : Math.min(range.end.offset, line);
	return start < end ? { start, end } : undefined;
}

/** A comment line of the tests' manifests about what is found in the line above: `#  ^^^ error some-code`. */
const CARETS = /^# *[\^|]/;
const LONGEST = 110;
const LINES_BEFORE = 6;
const LINES_AFTER = 2;

/** Returns the lines around a range, without the comments about findings. */
function excerpt(
	text: string,
	{ start, end }: claimkit.Range,
): Example["texts"] {
	const lines = text.split("\n");
	let first = start.line;
	for (let before = 0; first > 0 && before < LINES_BEFORE; ) {
		if (lines[first]!.startsWith("---")) break;
		first -= 1;
		if (!CARETS.test(lines[first]!)) before += 1;
	}
	if (/^(---|# claimkit:)/.test(lines[first]!)) first += 1;
	let shown = "";
	let marked: Marked | undefined;
	let offset = lines.slice(0, first).join("\n").length + (first > 0 ? 1 : 0);
	for (let at = first, after = 0; at < lines.length; at += 1) {
		const line = lines[at]!;
		const lineStart = offset;
		offset += line.length + 1;
		if (CARETS.test(line)) continue;
		if (at > start.line) {
			after += 1;
			if (after > LINES_AFTER || line === "" || line.startsWith("---")) break;
		}
		const from = Math.max(start.offset - lineStart, 0);
		const to = Math.min(end.offset - lineStart, line.length);
		if (at >= start.line && from < to && line.length <= LONGEST)
			marked ??= { start: shown.length + from, end: shown.length + to };
		const isLong = [...line].length > LONGEST;
		shown += `${isLong ? `${[...line].slice(0, LONGEST).join("")}…` : line}\n`;
	}
	if (shown.trim() === "") return [];
	return [marked ? { text: shown, marked } : { text: shown }];
}

/** Returns the example of each code, and the codes of which a finding has a fix. */
function examplesOf(
	tests: string,
	codes: readonly string[],
	ask: Ask,
): { examples: Map<string, Example>; withFix: Set<string> } {
	const examples = new Map<string, Example>();
	const withFix = new Set<string>();
	for (const code of codes) {
		const path = join(tests, "codes", `${code}.yaml`);
		if (!existsSync(path)) continue;
		const { request, texts } = readOwn(path, ask);
		const answer = ask(request);
		const all = findingsOf(answer);
		const finding = all.find((one) => one.code === code);
		if (!finding)
			throw new Error(
				`${path} does not give ${code}: ${answer.error ?? JSON.stringify(all.map((one) => one.code))}`,
			);
		if (finding.fixes.length > 0) withFix.add(code);
		examples.set(code, {
			finding,
			asked: askedIn(request),
			texts: texts.map(([name, text]) => {
				const marked =
					finding.in === name ? markedIn(text, finding.range) : undefined;
				return {
					...(texts.length > 1 ? { caption: CAPTIONS[name]! } : {}),
					text,
					...(marked ? { marked } : {}),
				};
			}),
		});
	}
	const manifests = join(tests, "manifests");
	const names = readdirSync(manifests).filter((name) =>
		/\.(yaml|json)$/.test(name),
	);
	for (const name of names.sort()) {
		const path = join(manifests, name);
		const text = readFileSync(path, "utf8");
		const beside = path.replace(/\.[^.]+$/, ".request");
		const first = existsSync(beside) ? readFileSync(beside, "utf8") : text;
		const request = {
			verb: "validate",
			text,
			...membersOf(
				HEADER.exec(`${first}\n`)?.[1] ?? "",
				join(manifests, "stored"),
			),
		};
		for (const finding of findingsOf(ask(request))) {
			if (finding.fixes.length > 0) withFix.add(finding.code);
			if (examples.has(finding.code)) continue;
			const inText = finding.in === "text" && finding.range;
			examples.set(finding.code, {
				finding,
				asked: askedIn(request),
				texts: inText ? excerpt(text, inText) : [],
			});
		}
	}
	return { examples, withFix };
}

/** Returns the pages of all codes, in the order of the registry, and the codes of which a finding has a fix. */
export function codePagesOf(
	tests: string,
	engine: typeof claimkit,
): { pages: CodePage[]; withFix: Set<string> } {
	const ask: Ask = (request) =>
		JSON.parse(engine.answer(JSON.stringify(request)));
	const registry = JSON.parse(
		readFileSync(join(tests, "codes/rules.json"), "utf8"),
	) as Record<string, About>;
	const english = engine.codes({ locale: "en" }).codes;
	const chinese = engine.codes({ locale: "zh-Hans" }).codes;
	const codes = english.map(({ code }) => code);
	const { examples, withFix } = examplesOf(tests, codes, ask);
	const pages = english.map(({ code, documentation = "" }, at): CodePage => {
		const about = registry[code];
		if (!about)
			throw new Error(`tests/codes/rules.json has nothing about ${code}`);
		const example = examples.get(code);
		return {
			code,
			meaning: {
				en: documentation,
				"zh-Hans": chinese[at]?.documentation ?? "",
			},
			about,
			...(example ? { example } : {}),
		};
	});
	return { pages, withFix };
}

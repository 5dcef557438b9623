import type { Text } from "@codemirror/state";
import type { KindCount, ShortAnswer } from "../engine/report.ts";
import { type Asked, pluginResources } from "./extended.ts";
import type { Role } from "./files.ts";

/** The kind of a text that is not a manifest written by a person, and the role that fits it. */
export interface Guide {
	what:
		| "nodes"
		| "patch"
		| "table"
		| "described"
		| "event"
		| "waiting"
		| "fenced"
		| "prompted"
		| "expression"
		| "review"
		| "helm"
		| "live"
		| "dump"
		| "settings"
		| "policies"
		| "config"
		| "large"
		| "plugin"
		| "message"
		| "appended"
		| "other";
	use?: Role;
	/** The extended resources of device plugins that its pods ask for. */
	resources?: readonly Asked[];
	/** For a dump: the number of objects of each kind that placing looks at. */
	kinds?: readonly KindCount[];
}

/** The length of the start of a text that decides its kind, where it has no objects of the API group. */
const LOOKED_AT = 20_000;

/** The beginning of settings of the policy, which other texts do not have. */
const SETTINGS =
	/^[{ ]*["']?(apiVersions|deviceClasses|resourceClasses|allocationModes|adminAccess|limits|tolerations|selectors|opaqueParameters|extendedResourceNames|deviceTaintRules|drivers|parametersRef|suitableNodes|availableOnNodes|shareable|pods|exempt|mode|validation|gates)["']?\s*:/m;

/** The fence of a code block in Markdown. */
const FENCE = /^ {0,3}(```+|~~~+)[^\n`]*$/;
/** A shell command that was copied together with its output. */
const PROMPT =
	/^\s*(?:[\w.-]+@[\w.-]+[^\n]{0,80}?[$#%]|\([\w.-]+\)\s*[$%]|[$%>❯➜])\s+(?:sudo\s+)?(?:kubectl|k|oc|helm|cat|claimkit|npx)\b.*$/;
/** A prompt at which nothing was typed yet. */
const EMPTY_PROMPT = /^\s*(?:[\w.-]+@[\w.-]+[^\n]{0,80}?[$#%]|[$%❯➜])\s*$/;
const EVENT = /\b\d+\/\d+ nodes are available:|\bFailedScheduling\b/;
/** A line of TOML: a heading, or a key with a value. */
const TOML =
	/^\s*(\[[\w."-]+\]\s*(#.*)?$|[\w."-]+\s*=\s*(["'[{]|true|false|\d))/m;
/** A line of a log in pairs, of which TOML takes one a line: `level=error msg="…"`. */
const PAIRS = /^\s*[\w.-]+=("([^"\\\n]|\\.)*"|[^\s"]+)[ \t]+[\w.-]+=/m;
const EXPRESSION =
	/^[\s!(]*(device\b|has\(\s*device\b|cel\.bind\(|quantity\(|"[^"\n]*" (in|==) device\b)/;

const OURS = "resource.k8s.io/";
const POLICIES = "admissionregistration.k8s.io/";

const has = (kinds: readonly KindCount[], ...names: string[]): boolean =>
	kinds.some(({ kind }) => names.includes(kind));

/** Returns the advice that follows from the engine's list of objects. */
function ofKinds({ kinds, live }: ShortAnswer, head: string): Guide | null {
	if (kinds.length === 0) return null;
	if (
		kinds.every(
			({ apiVersion, kind }) =>
				apiVersion === "v1" && (kind === "Node" || kind === "NodeList"),
		)
	)
		return { what: "nodes", use: "nodes" };
	if (has(kinds, "AdmissionReview")) return { what: "review" };
	if (
		kinds.every(({ apiVersion }) => apiVersion.startsWith(POLICIES)) &&
		has(kinds, "ValidatingAdmissionPolicy")
	)
		return { what: "policies", use: "settings" };
	const only = (...names: string[]) =>
		kinds.every(({ kind }) => names.includes(kind));
	if (only("Event", "EventList") && EVENT.test(head)) return { what: "event" };
	if (only("Pod", "PodList") && live && EVENT.test(head))
		return { what: "waiting" };
	if (!live || !kinds.some(({ apiVersion }) => apiVersion.startsWith(OURS)))
		return null;
	const several = kinds.reduce((sum, { count }) => sum + count, 0) > 1;
	if (several && has(kinds, "Node", "Pod", "ResourceSlice"))
		return { what: "dump", kinds };
	return { what: "live", use: "stored" };
}

/** Recognizes the kind of a pasted text from what the engine found in it, or from its text where it found nothing. */
export function guideFor(doc: Text, answer: ShortAnswer): Guide | null {
	const head = doc.sliceString(0, LOOKED_AT);
	if (head.trim() === "") return null;
	const wrapped = wrappingOf(head);
	if (wrapped) return ofWordsInside(head) ?? { what: wrapped };
	if (answer.findings.some(({ code }) => code === "limit-bytes"))
		return { what: "large" };
	if (appendedIn(answer)) return { what: "appended" };
	const known = ofKinds(answer, head);
	if (known) return known;
	const { kinds } = answer;
	const resources = pluginResources(head);
	if (
		resources.length > 0 &&
		!answer.live &&
		!kinds.some(({ kind }) => kind === "DeviceClass")
	)
		return { what: "plugin", resources };
	const ours = kinds.some(({ apiVersion }) => apiVersion.startsWith(OURS));
	if (ours || judged(answer)) return helm(head) ? { what: "helm" } : null;
	const printed = ofPrinted(head);
	if (printed) return printed;
	if (helm(head)) return { what: "helm" };
	const first = head.trimStart();
	const operations =
		/^(-\s+|\[\s*\{\s*)["']?(op|path|value|from)["']?\s*:/.test(first) &&
		/["']?op["']?\s*:\s*["']?(add|remove|replace|move|copy|test)\b/.test(first);
	if (operations) return { what: "patch", use: "patch" };
	const json = isJson(head);
	const typed = isTyped(head);
	if (
		!typed &&
		(json
			? /^\{?\s*"(metadata|spec|status)"\s*:/m
			: /^["']?(metadata|spec|status)["']?\s*:/m
		).test(head)
	)
		return { what: "patch", use: "patch" };
	if (!typed && EXPRESSION.test(first)) return { what: "expression" };
	if (!typed && EVENT.test(head)) return { what: "event" };
	if (
		!typed &&
		TOML.test(head) &&
		!PAIRS.test(head) &&
		!/^[\w."-]+\s*:/m.test(head)
	)
		return { what: "config", use: "config" };
	if (!typed && SETTINGS.test(head))
		return { what: "settings", use: "settings" };
	if (!typed && isMessage(head)) return { what: "message" };
	const nothing = answer.findings.some(
		({ code }) => code === "nothing-checked" || code === "no-kind",
	);
	return nothing ? { what: "other" } : null;
}

const isJson = (head: string): boolean => /^\s*[{[]/.test(head);

/** Whether a text has objects. In YAML their own keys start in the first column; references inside them have a kind, too. */
const isTyped = (head: string): boolean =>
	(isJson(head)
		? /"apiVersion"\s*:|^[{[\s]*"kind"\s*:/m
		: /^(- )?["']?(apiVersion|kind)["']?\s*:/m
	).test(head);

/** The heading of the table of events, whose last column is what components say. */
const EVENT_TABLE = /^(NAMESPACE +)?LAST SEEN +TYPE +REASON +/;

/** Recognizes what kubectl prints for people. */
function ofPrinted(head: string): Guide | null {
	if (EVENT_TABLE.test(head))
		return { what: EVENT.test(head) ? "event" : "message" };
	if (/^NAME(SPACE)? +[A-Z]/.test(head)) return { what: "table" };
	return /^Name: +\S/m.test(head) &&
		/^(API Version|Namespace|Labels|Status|Containers|Events): */m.test(head)
		? { what: "described" }
		: null;
}

/** What is around the text: the fences of Markdown, or lines that were typed into a shell. */
function wrappingOf(head: string): "fenced" | "prompted" | null {
	const lines = head.split("\n");
	if (lines.some((line) => FENCE.test(line))) return "fenced";
	return lines.some((line) => PROMPT.test(line)) ? "prompted" : null;
}

/** Recognizes a message, or what kubectl prints for people, inside of fences or below a line typed into a shell. */
function ofWordsInside(head: string): Guide | null {
	const inside = unwrapped(head);
	if (isTyped(inside)) return null;
	const printed = ofPrinted(inside);
	if (printed) return printed;
	if (EVENT.test(inside)) return { what: "event" };
	return isMessage(inside) ? { what: "message" } : null;
}

/** Returns the part of a text in which a component may say something; empty where kubectl prints only what objects have. */
export function messageIn({ what }: Guide, text: string): string {
	const own = wrappingOf(text) ? unwrapped(text) : text;
	if (what !== "described") return own;
	const events = /^Events:[\s\S]*/m.exec(own)?.[0] ?? "";
	const said = own.match(/^\s*Message: +\S.*$/gm) ?? [];
	return [...said, /^Events: +<none>\s*$/m.test(events) ? "" : events]
		.join("\n")
		.trim();
}

/** Whether something may be said in a text: by words around objects, or by a server in an object. A manifest says nothing. */
export const mayHaveMessage = ({ kinds, live }: ShortAnswer): boolean =>
	kinds.length === 0 || live || has(kinds, "Event", "EventList");

/** More lines than this are not one message. */
const MOST_LINES = 8;

/** Whether a text is a sentence of a program: a few lines of words, and no blocks of YAML. */
function isMessage(head: string): boolean {
	const lines = head
		.split("\n")
		.filter((line) => line.trim() !== "" && !line.startsWith("#"));
	return (
		lines.length > 0 &&
		lines.length <= MOST_LINES &&
		!lines.some((line) => /^\s*(- )?["']?[\w./-]+["']?:\s*$/.test(line)) &&
		!lines.every((line) => /^\s*[\w./-]+:\s+\S+$/.test(line)) &&
		(lines.join(" ").match(/[A-Za-z]{2,}/g)?.length ?? 0) >= 3
	);
}

const helm = (head: string): boolean => /^[^#\n]*\{\{-?\s*[\w.$("]/m.test(head);

const judged = ({ objects }: ShortAnswer): boolean =>
	objects.some(({ valid }) => typeof valid === "boolean");

/** Whether the engine's findings are useless, because the text is not a manifest at all. */
export function helpsNobody(guide: Guide | null, answer: ShortAnswer): boolean {
	if (
		guide === null ||
		guide.what === "live" ||
		guide.what === "dump" ||
		guide.what === "plugin" ||
		guide.what === "appended"
	)
		return false;
	return (
		guide.what === "fenced" || guide.what === "prompted" || !judged(answer)
	);
}

/** Several outputs of kubectl in one file without a separator: YAML reads them as one map, whose last values win. */
const appendedIn = ({ findings }: ShortAnswer): boolean =>
	findings.some(
		({ code, fixes }) =>
			code === "yaml-duplicate-key" &&
			fixes.some(({ edits }) =>
				edits.some(({ newText }) => newText === "---\n"),
			),
	);

/** A text of several outputs with a separator before each. */
export function separated(text: string): string {
	let inDocument = false;
	return text
		.split("\n")
		.flatMap((line) => {
			if (/^---(\s|$)/.test(line)) inDocument = false;
			if (!/^apiVersion:/.test(line)) return [line];
			const repeated = inDocument;
			inDocument = true;
			return repeated ? ["---", line] : [line];
		})
		.join("\n");
}

/** The manifests of a text between the fences of Markdown, or below lines typed into a shell. */
export function unwrapped(text: string): string {
	const lines = text.split("\n");
	const parts: string[][] = [[]];
	if (lines.some((line) => FENCE.test(line))) {
		let inside = false;
		let indent = 0;
		for (const line of lines) {
			if (FENCE.test(line)) {
				inside = !inside;
				indent = line.search(/\S/);
				if (inside) parts.push([]);
			} else if (inside) {
				parts
					.at(-1)!
					.push(
						line.slice(0, indent).trim() === "" ? line.slice(indent) : line,
					);
			}
		}
	} else {
		for (const line of lines) {
			if (PROMPT.test(line)) parts.push([]);
			else parts.at(-1)!.push(line);
		}
	}
	const kept = parts
		.map((part) => part.join("\n").replace(/^\n+|\s+$/g, ""))
		.filter((part) => part !== "" && !PROMPT.test(part));
	const whole = kept.join("\n---\n").split("\n");
	return `${whole.filter((line) => !PROMPT.test(line) && !EMPTY_PROMPT.test(line)).join("\n")}\n`;
}

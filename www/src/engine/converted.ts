import type {
	ConvertAnswer,
	ConvertedObject,
	ConvertOptions,
	Range,
} from "claimkit";
import { type Changes, changesBetween } from "./changes.ts";
import type { Indexed } from "./report.ts";

/** More rows than this nobody reads; the counts tell the rest. */
const MOST_ROWS = 1_000;

/** A conversion as the page shows it. */
export interface Conversion extends Omit<ConvertAnswer, "objects"> {
	/** The changes, for the comparison; none where the text stays as it is. */
	changes: Changes;
	same: boolean;
	/** Why the text could not be read; absent where it was. */
	unread?: Unread;
	/** Objects that change come first. */
	objects: Indexed<ConvertedObject>[];
	objectCount: number;
}

/** The first error of a text that cannot be read. */
export interface Unread {
	message: string;
	help?: string;
	range?: Range;
}

function unreadOf({ text, findings }: ConvertAnswer): Unread | undefined {
	if (text !== undefined) return undefined;
	const error = findings.find(
		({ severity, origin }) => severity === "error" && origin !== "claimkit",
	);
	return (
		error && {
			message: error.message,
			...(error.help ? { help: error.help } : {}),
			...(error.range ? { range: error.range } : {}),
		}
	);
}

const asLines = (text: string) => text.replace(/\r\n?/g, "\n");

/**
 * Reduces a conversion to the page's needs. Objects that change or have findings come before the others; of too many the
 * last are left out.
 */
export function compactConversion(
	answer: ConvertAnswer,
	before: string,
): Conversion {
	const matters = ({ changed, losses, decisions = [] }: ConvertedObject) =>
		changed || losses.length > 0 || decisions.length > 0;
	const indexed = answer.objects.map((entry, index) => ({ ...entry, index }));
	const objects = [
		...indexed.filter(matters),
		...indexed.filter((entry) => !matters(entry)),
	];
	const same = answer.text === before;
	const unread = unreadOf(answer);
	return {
		...answer,
		...(unread ? { unread } : {}),
		objects: objects.slice(0, MOST_ROWS),
		objectCount: objects.length,
		same,
		changes:
			answer.text === undefined || same
				? []
				: changesBetween(asLines(before), asLines(answer.text)),
	};
}

const SEPARATOR = "\n---\n";

/** Maps an offset of the text before the change to one of the text after; undefined inside a rewritten part. */
function moved(changes: Changes, offset: number): number | undefined {
	let shift = 0;
	for (const [fromA, toA, fromB, toB] of changes) {
		if (fromA > offset) break;
		if (toA >= offset) {
			if (fromB === toB || toA === offset)
				return fromA === offset ? fromB : fromB === toB ? fromB : toB;
			return undefined;
		}
		shift = toB - toA;
	}
	return offset + shift;
}

/**
 * Returns the end of the first text if none of its own documents went: before the next separator, or at the end where the
 * others went.
 */
function endByDocuments(
	own: string,
	after: string,
	objects: readonly ConvertedObject[],
): number | undefined {
	if (objects.some(({ kind }) => kind.endsWith("Parameters"))) return undefined;
	const separators = [...after.matchAll(/^---(?=\s|$)/gm)];
	const next = separators[own.match(/^---(?=\s|$)/gm)?.length ?? 0];
	return (next ? next.index : after.length) - 1;
}

/** Whether a text has a name as a whole word. */
const names = (text: string, name: string): boolean =>
	text.split(/[^\w.-]+/).includes(name);

/** Whether a conversion depends on objects that may be in other texts: the parameters of classes and claims. */
export const needsOthers = ({ objects }: ConvertAnswer): boolean =>
	objects.some(
		({ from, kind }) =>
			/\/v1alpha[12]$/.test(from ?? "") || kind.endsWith("Parameters"),
	);

/**
 * Converts a text that refers to objects of other texts: all are converted as one stream, and the result describes the
 * first. `convert` is the engine's; undefined where the first text cannot be separated from the others afterwards.
 */
export function convertAmong(
	own: string,
	others: readonly string[],
	options: ConvertOptions,
	convert: (text: string, options: ConvertOptions) => ConvertAnswer,
): ConvertAnswer | undefined {
	if (/^[\s\ufeff]*[{[]/.test(own) || own.includes("\r")) return undefined;
	const whole = [
		own,
		...others.map((text) =>
			/^[\s\ufeff]*[{[]/.test(text)
				? text.replace(/\t/g, " ")
				: text.replace(/\r\n?/g, "\n"),
		),
	].join(SEPARATOR);
	// A loss in another object does not stop this one.
	const answer = convert(whole, { ...options, lossy: "allow" });
	const lines = own.split("\n").length;
	const inOwn = ({ range }: { range?: Range }) =>
		!range || range.start.line < lines;
	// What a claim's parameters lose, the claim loses: the object may be in another text, and its places with it.
	const lostElsewhere = answer.objects
		.filter(
			(object) =>
				!inOwn(object) &&
				object.losses.length > 0 &&
				object.kind.endsWith("Parameters") &&
				names(own, object.name),
		)
		.map(({ range: _, ...object }) => object);
	const objects = [...answer.objects.filter(inOwn), ...lostElsewhere];
	const findings = answer.findings.filter(inOwn);
	const refused =
		options.lossy !== "allow" &&
		objects.some(({ losses }) => losses.length > 0);
	const { text, ...rest } = answer;
	if (text === undefined) return undefined;
	const end =
		moved(changesBetween(whole, text), own.length) ??
		endByDocuments(own, text, objects);
	if (end === undefined) return undefined;
	return {
		...rest,
		objects,
		findings,
		...(refused ? {} : { text: text.slice(0, end) }),
	};
}

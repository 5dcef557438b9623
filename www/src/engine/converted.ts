import type {
	ConvertAnswer,
	ConvertedObject,
	FilesConvertAnswer,
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

/** Whether a conversion depends on objects that may be in other texts: the parameters of classes and claims. */
export const needsOthers = ({ objects }: ConvertAnswer): boolean =>
	objects.some(
		({ from, kind }) =>
			/\/v1alpha[12]$/.test(from ?? "") || kind.endsWith("Parameters"),
	);

/** The answers about texts that were converted together, by their names. */
export function answersByName(
	answer: FilesConvertAnswer,
): Map<string | undefined, ConvertAnswer> {
	const { files, objects, findings, ...rest } = answer;
	/** The index of the first object of each text. */
	const first = new Map<string | undefined, number>();
	const answers = new Map<string | undefined, ConvertAnswer>();
	for (const { name, text } of files)
		answers.set(name, {
			...rest,
			objects: [],
			findings: [],
			...(text === undefined ? {} : { text }),
		});
	for (const [index, object] of objects.entries()) {
		if (!first.has(object.file)) first.set(object.file, index);
		answers.get(object.file)?.objects.push(object);
	}
	for (const { object, ...finding } of findings)
		answers.get(finding.file)?.findings.push({
			...finding,
			...(object === undefined
				? {}
				: { object: object - (first.get(finding.file) ?? 0) }),
		});
	return answers;
}

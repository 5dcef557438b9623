import { changesBetween } from "./changes.ts";

/** Lines of context around a change, as `diff -u` gives. */
const CONTEXT = 3;

/** Lines that go and lines that come in their place. */
interface Hunk {
	fromA: number;
	toA: number;
	fromB: number;
	toB: number;
}

/** The lines of a text with their ends; the last may have none. */
const linesOf = (text: string): string[] =>
	text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Whether an offset is where a line begins. */
const beginsLine = (text: string, offset: number): boolean =>
	offset === 0 || text[offset - 1] === "\n";

/** Returns the index of the line with an offset, or of the one that would begin there. */
function lineAt(text: string): (offset: number) => number {
	const starts = [0];
	for (const line of linesOf(text)) starts.push(starts.at(-1)! + line.length);
	return (offset) =>
		beginsLine(text, offset)
			? starts.indexOf(offset)
			: starts.findLastIndex((start) => start < offset);
}

/** The characters from an offset to the next line. */
function restOfLine(text: string, offset: number): number {
	const end = text.indexOf("\n", offset);
	return (end < 0 ? text.length : end + 1) - offset;
}

/**
 * A text with an end of its last line, and one more line that both texts have: a line without an end differs from one with it, and
 * no difference is at the end of a text.
 */
const ended = (text: string): string =>
	`${text === "" || text.endsWith("\n") ? text : `${text}\0\n`}\0`;

/** Whole lines that differ; those that share context are one hunk. */
function hunksOf(before: string, after: string): Hunk[] {
	const [a, b] = [ended(before), ended(after)];
	const [inA, inB] = [lineAt(a), lineAt(b)];
	const hunks: Hunk[] = [];
	for (const [fromA, toA, fromB, toB] of changesBetween(a, b)) {
		// What follows a change is the same in both: a line that is changed in part is changed in both, to its end.
		const whole = beginsLine(a, toA) && beginsLine(b, toB);
		const [endA, endB] = whole
			? [toA, toB]
			: [toA + restOfLine(a, toA), toB + restOfLine(b, toB)];
		const hunk = {
			fromA: inA(fromA),
			toA: inA(endA),
			fromB: inB(fromB),
			toB: inB(endB),
		};
		const last = hunks.at(-1);
		if (last && hunk.fromA - last.toA <= 2 * CONTEXT)
			Object.assign(last, { toA: hunk.toA, toB: hunk.toB });
		else hunks.push(hunk);
	}
	return hunks;
}

const printed = (sign: string, lines: readonly string[]): string =>
	lines
		.map((line) =>
			line.endsWith("\n")
				? sign + line
				: `${sign}${line}\n\\ No newline at end of file\n`,
		)
		.join("");

const span = (from: number, to: number): string =>
	`${to > from ? from + 1 : from},${to - from}`;

/** Returns the change of a file as a unified diff with the paths that git writes. */
export function patchOf(name: string, before: string, after: string): string {
	const [a, b] = [linesOf(before), linesOf(after)];
	let patch = `--- a/${name}\n+++ b/${name}\n`;
	for (const { fromA, toA, fromB, toB } of hunksOf(before, after)) {
		const ahead = Math.min(CONTEXT, fromA, fromB);
		const behind = Math.min(CONTEXT, a.length - toA, b.length - toB);
		patch += `@@ -${span(fromA - ahead, toA + behind)} +${span(fromB - ahead, toB + behind)} @@\n`;
		patch += printed(" ", a.slice(fromA - ahead, fromA));
		patch += printed("-", a.slice(fromA, toA));
		patch += printed("+", b.slice(fromB, toB));
		patch += printed(" ", a.slice(toA, toA + behind));
	}
	return patch;
}

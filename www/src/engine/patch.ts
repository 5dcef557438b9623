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

/** The index of the line with an offset, and of the first line that begins at or behind it. */
function lineIndex(lines: readonly string[]): {
	at(offset: number): number;
	behind(offset: number): number;
} {
	const starts = [0];
	for (const line of lines) starts.push(starts.at(-1)! + line.length);
	return {
		at: (offset) =>
			Math.max(
				0,
				starts.findLastIndex((start) => start <= offset),
			),
		behind: (offset) => {
			const found = starts.findIndex((start) => start >= offset);
			return found < 0 ? lines.length : found;
		},
	};
}

/** Whole lines that differ; those that share context are one hunk. */
function hunksOf(a: string, b: string): Hunk[] {
	const [inA, inB] = [lineIndex(linesOf(a)), lineIndex(linesOf(b))];
	const hunks: Hunk[] = [];
	for (const [fromA, toA, fromB, toB] of changesBetween(a, b)) {
		const hunk = {
			fromA: inA.at(fromA),
			toA: inA.behind(toA),
			fromB: inB.at(fromB),
			toB: inB.behind(toB),
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

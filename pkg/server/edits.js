// Changes of a text as edits of the protocol.
import { applyFixes } from "claimkit";

/** Rounds of fixing and validating again: a fix can bring a finding to light that was hidden before. */
const ROUNDS = 8;

const same = (a, b) => a.line === b.line && a.character === b.character;
const before = (a, b) =>
	a.line < b.line || (a.line === b.line && a.character <= b.character);
const touch = (a, b) => before(a.start, b.end) && before(b.start, a.end);

/** A text with all fixes that delete nothing, as the command's `validate --fix` writes it. */
export function fixed(text, validate) {
	let now = text;
	for (let round = 0; round < ROUNDS; round += 1) {
		const { text: next, applied } = applyFixes(now, validate(now).findings);
		if (applied === 0) break;
		now = next;
	}
	return now;
}

/** The edit that makes one text of another: from the first line that differs to the last. */
export function difference(document, text) {
	const old = document.getText();
	if (old === text) return [];
	const [from, to] = [old.split("\n"), text.split("\n")];
	const most = Math.min(from.length, to.length);
	let head = 0;
	while (head < most && from[head] === to[head]) head += 1;
	let tail = 0;
	while (
		tail < most - head &&
		from[from.length - 1 - tail] === to[to.length - 1 - tail]
	)
		tail += 1;
	const ends = from.length - tail === from.length;
	const start = { line: head, character: 0 };
	// Without a common end, the edit goes to the end of the text.
	if (ends) {
		const begin = head < from.length ? start : document.positionAt(old.length);
		return [
			{
				range: { start: begin, end: document.positionAt(old.length) },
				newText: to.slice(head).join("\n"),
			},
		];
	}
	const lines = to.slice(head, to.length - tail).map((line) => `${line}\n`);
	return [
		{
			range: { start, end: { line: from.length - tail, character: 0 } },
			newText: lines.join(""),
		},
	];
}

/** True if two ranges are equal. */
export const equal = (a, b) => same(a.start, b.start) && same(a.end, b.end);

/** True if two ranges have a place in common. */
export const meet = touch;

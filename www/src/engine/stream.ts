import type { Finding, Position, Range } from "claimkit";

/** Several texts as one stream of documents, and the way back. */
export interface Stream {
	text: string;
	parts: Part[];
}

/** Where a text begins in the stream. */
interface Part {
	line: number;
	offset: number;
	byteOffset: number;
}

const SEPARATOR = "\n---\n";
/** A stream that begins with JSON would be read as JSON to its end. */
const AHEAD = "---\n";

const encoder = new TextEncoder();
const linesOf = (text: string): number => text.match(/\n/g)?.length ?? 0;

/** JSON is YAML, but for the tabs that indent it: outside of strings, where JSON has none, a blank is as good. */
const asYaml = (text: string): string =>
	/^[\s\ufeff]*[{[]/.test(text) ? text.replace(/\t/g, " ") : text;

/** Joins texts that can be read each for itself. */
export function streamOf(texts: readonly string[]): Stream {
	let text = AHEAD;
	const at: Part = {
		line: linesOf(AHEAD),
		offset: AHEAD.length,
		byteOffset: AHEAD.length,
	};
	const parts: Part[] = [];
	for (const own of texts.map(asYaml)) {
		parts.push({ ...at });
		const whole = own + SEPARATOR;
		text += whole;
		at.line += linesOf(whole);
		at.offset += whole.length;
		at.byteOffset += encoder.encode(whole).length;
	}
	return { text, parts };
}

/** The index of the text that a range of the stream begins in. */
export function partAt({ parts }: Stream, { start }: Range): number {
	let [low, high] = [0, parts.length - 1];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if ((parts[middle]?.line ?? 0) <= start.line) low = middle;
		else high = middle - 1;
	}
	return low;
}

function positionIn(part: Part, position: Position): Position {
	return {
		...position,
		line: position.line - part.line,
		offset: position.offset - part.offset,
		byteOffset: position.byteOffset - part.byteOffset,
	};
}

function rangeIn(part: Part, { start, end }: Range): Range {
	return { start: positionIn(part, start), end: positionIn(part, end) };
}

/** A finding of the stream with its places in its own text, of whose objects `before` are in earlier texts. */
export function findingIn(
	{ parts }: Stream,
	index: number,
	before: number,
	finding: Finding,
): Finding {
	const part = parts[index];
	if (!part) return finding;
	return {
		...finding,
		...(finding.range ? { range: rangeIn(part, finding.range) } : {}),
		...(finding.object === undefined
			? {}
			: { object: finding.object - before }),
		fixes: finding.fixes.map((fix) => ({
			...fix,
			edits: fix.edits.map((edit) => ({
				...edit,
				range: rangeIn(part, edit.range),
			})),
		})),
	};
}

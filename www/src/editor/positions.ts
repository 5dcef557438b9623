import type { Text } from "@codemirror/state";
import type { Position, Range, TextEdit } from "claimkit";

/** The editor's offset of a position of the engine; clamped, because the text may have changed since. */
export function toOffset(doc: Text, position: Position): number {
	if (position.line < 0) return 0;
	if (position.line >= doc.lines) return doc.length;
	const line = doc.line(position.line + 1);
	return Math.min(line.from + Math.max(0, position.character), line.to);
}

export function toSpan(doc: Text, range: Range): { from: number; to: number } {
	const from = toOffset(doc, range.start);
	return { from, to: Math.max(from, toOffset(doc, range.end)) };
}

/** The position of an editor offset for the engine: both count UTF-16 code units, so no byte offset is needed. */
export function toPosition(
	doc: Text,
	offset: number,
): { line: number; character: number } {
	const line = doc.lineAt(Math.min(offset, doc.length));
	return { line: line.number - 1, character: offset - line.from };
}

export function toChanges(
	doc: Text,
	edits: readonly TextEdit[],
): { from: number; to: number; insert: string }[] {
	return edits.map((edit) => ({
		...toSpan(doc, edit.range),
		insert: edit.newText,
	}));
}

/**
 * The whole item of a block list or mapping that begins at `from`: its line and those below that are indented as much.
 * The engine's place of a requirement is where it begins; people want to see all of it.
 */
export function itemSpan(
	doc: Text,
	from: number,
): { from: number; to: number } {
	const line = doc.lineAt(from);
	const column = from - line.from;
	let to = line.to;
	for (
		let number = line.number + 1;
		number <= Math.min(doc.lines, line.number + 200);
		number++
	) {
		const next = doc.line(number);
		const indent = next.text.search(/\S/);
		if (indent < 0) continue;
		if (indent < column) break;
		to = next.to;
	}
	return { from, to };
}

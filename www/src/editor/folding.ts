import { foldService } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";

const SEPARATOR = /^---(\s|$)/;

/** Folds a whole document of a stream at its `---` line (the first document at the first line of the text). */
export const foldDocuments = foldService.of(
	(state: EditorState, lineStart: number) => {
		const { doc } = state;
		const line = doc.lineAt(lineStart);
		if (!SEPARATOR.test(line.text)) return null;
		let end = doc.length;
		// A bounded look ahead: folding is asked for every visible line.
		for (
			let number = line.number + 1,
				last = Math.min(doc.lines, line.number + 5000);
			number <= last;
			number++
		) {
			const next = doc.line(number);
			if (SEPARATOR.test(next.text)) {
				end = next.from - 1;
				break;
			}
			if (number === last && last < doc.lines) return null;
		}
		while (end > line.to && /\s/.test(doc.sliceString(end - 1, end))) end -= 1;
		return end > line.to ? { from: line.to, to: end } : null;
	},
);

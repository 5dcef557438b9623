import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Text } from "@codemirror/state";
import { EditorView, placeholder } from "@codemirror/view";
import { literal } from "../state/files.ts";
import { field, shadowHost } from "./extensions.ts";
import { completions, type Frame, hovers } from "./language.ts";

/** A class around the expression, which the engine reads as it reads every selector. */
const HEAD =
	"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata:\n  name: c\nspec:\n  selectors:\n  - cel:\n      expression: |2-\n";
const LINES = HEAD.split("\n").length - 1;
const INDENT = 8;

const frame: Frame = {
	into: ({ line, character }) => ({
		line: line + LINES,
		character: character + INDENT,
	}),
	back({ start, end }) {
		if (start.line < LINES) return null;
		const moved = (place: typeof start) => ({
			...place,
			line: place.line - LINES,
			character: place.character - INDENT,
		});
		return { start: moved(start), end: moved(end) };
	},
};

/** The places that the compiler of expressions points at: `<input>:LINE:COLUMN: what is wrong`. */
export function errorsIn(doc: Text, error: string): Diagnostic[] {
	return [...error.matchAll(/<input>:(\d+):(\d+): (.*)/g)].flatMap(
		([, line, column, message]): Diagnostic[] => {
			const number = Number(line);
			if (number < 1 || number > doc.lines) return [];
			const { from, to } = doc.line(number);
			const start = Math.max(from, Math.min(from + Number(column) - 1, to - 1));
			const word = /^[\w.]+/.exec(doc.sliceString(start, to))?.[0].length ?? 1;
			return [
				{
					from: start,
					to: Math.min(to, start + word),
					severity: "error",
					message: message ?? "",
				},
			];
		},
	);
}

export interface CelEditor {
	/** Shows a text that was changed elsewhere. */
	show(text: string): void;
	/** Writes at the cursor. After a call the cursor is in its brackets. */
	insert(text: string): void;
	/** Underlines where the compiler's error is; nothing without one. */
	mark(error: string | undefined): void;
	destroy(): void;
}

/**
 * Creates a field for an expression with colors, completion, and types under the pointer. `devices` is the text with the
 * slices.
 */
export function celEditor(
	host: HTMLElement,
	text: string,
	label: string,
	hint: string,
	devices: () => string,
	changed: (text: string) => void,
): CelEditor {
	const { root, parent } = shadowHost(host);
	const asked = () => {
		const own = view.state.doc.toString().replace(/^/gm, " ".repeat(INDENT));
		return literal("expression", `${HEAD}${own}\n---\n${devices()}`);
	};
	const view: EditorView = new EditorView({
		parent,
		root,
		state: EditorState.create({
			doc: text,
			extensions: [
				field(),
				placeholder(hint),
				hovers(asked, frame),
				completions(asked, frame),
				EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
				EditorView.updateListener.of((update) => {
					if (update.docChanged) changed(update.state.doc.toString());
				}),
			],
		}),
	});
	return {
		show(next) {
			const { doc } = view.state;
			if (next !== doc.toString())
				view.dispatch({ changes: { from: 0, to: doc.length, insert: next } });
		},
		insert(text) {
			const { from, to } = view.state.selection.main;
			view.dispatch({
				changes: { from, to, insert: text },
				selection: {
					anchor: from + text.length - (text.endsWith("()") ? 1 : 0),
				},
				userEvent: "input",
			});
			view.focus();
		},
		mark: (error) =>
			view.dispatch(
				setDiagnostics(
					view.state,
					error === undefined ? [] : errorsIn(view.state.doc, error),
				),
			),
		destroy: () => view.destroy(),
	};
}

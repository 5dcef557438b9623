import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { reading, shadowHost, writing } from "./extensions.ts";

/** A second, smaller editor inside a panel. */
export interface SmallEditor {
	/** Shows a text that was changed elsewhere. */
	show(doc: Text): void;
	/** Underlines the errors of the text. */
	mark(problems: readonly Diagnostic[]): void;
	destroy(): void;
}

export function smallEditor(
	host: HTMLElement,
	doc: Text,
	label: string,
	changed: (doc: Text) => void,
): SmallEditor {
	const { root, parent } = shadowHost(host);
	const view = new EditorView({
		parent,
		root,
		state: EditorState.create({
			doc,
			extensions: [
				reading(),
				writing(),
				lintGutter(),
				EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
				EditorView.updateListener.of((update) => {
					if (update.docChanged) changed(update.state.doc);
				}),
			],
		}),
	});
	return {
		show(next) {
			if (!next.eq(view.state.doc))
				view.dispatch({
					changes: { from: 0, to: view.state.doc.length, insert: next },
				});
		},
		mark(problems) {
			const length = view.state.doc.length;
			view.dispatch(
				setDiagnostics(
					view.state,
					problems.filter(({ to }) => to <= length),
				),
			);
		},
		destroy: () => view.destroy(),
	};
}

/**
 * Finds a setting such as `resourceClasses.fallback`: the line of its last key, below those before it. `validations[1].expression`: the
 * second such key.
 */
export function findSetting(
	doc: Text,
	path: string,
): { from: number; to: number } | null {
	const parts = path.split(/[.[\]]+/).filter((part) => part !== "");
	let found: { from: number; to: number; line: number } | null = null;
	let line = 1;
	let index = 0;
	for (const key of parts) {
		if (/^\d+$/.test(key)) {
			index = Number(key);
			continue;
		}
		const places = placesOf(doc, key, line);
		const place = places[index] ?? places[0];
		index = 0;
		if (!place) {
			line = doc.lines + 1;
			continue;
		}
		found = place;
		line = place.line;
	}
	return found && { from: found.from, to: found.to };
}

/** The places of a key from a line on, one for each line. */
function placesOf(
	doc: Text,
	key: string,
	first: number,
): { from: number; to: number; line: number }[] {
	const pattern = new RegExp(
		`(^|[\\s{,"'-])${key.replace(/[^A-Za-z0-9]/g, "\\$&")}["']?\\s*:`,
	);
	const places = [];
	for (let line = first; line <= doc.lines; line++) {
		const { text, from } = doc.line(line);
		const at = text.search(pattern);
		if (at < 0) continue;
		const start = from + text.indexOf(key, at);
		places.push({ from: start, to: start + key.length, line });
	}
	return places;
}

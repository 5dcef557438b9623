import {
	Change,
	type DiffConfig,
	MergeView,
	unifiedMergeView,
} from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Changes } from "../engine/changes.ts";
import { reading, shadowHost } from "./extensions.ts";

const COLLAPSE = { margin: 3, minSize: 8 };
/** A comparison of large texts is given a bound, so that it never holds the page up. */
const DIFF = { scanLimit: 500, timeout: 300 };

export interface Comparison {
	destroy(): void;
}

/** Shows two texts beside each other, or as one with the differences in it; neither can be edited. */
export function compare(
	host: HTMLElement,
	before: string,
	after: string,
	labels: { before: string; after: string },
	beside: boolean,
	changes?: Changes,
): Comparison {
	// The worker has compared a conversion already.
	const diffConfig: DiffConfig = changes
		? { override: () => changes.map((at) => new Change(...at)) }
		: DIFF;
	const { root, parent } = shadowHost(host);
	const readOnly = (label: string): Extension => [
		reading(),
		EditorState.readOnly.of(true),
		EditorView.editable.of(false),
		EditorView.contentAttributes.of({
			"aria-label": label,
			tabindex: "0",
			role: "textbox",
			"aria-readonly": "true",
			"aria-multiline": "true",
		}),
	];
	if (beside) {
		parent.style.overflow = "auto";
		const merge = new MergeView({
			parent,
			root,
			a: { doc: before, extensions: readOnly(labels.before) },
			b: { doc: after, extensions: readOnly(labels.after) },
			gutter: true,
			highlightChanges: true,
			collapseUnchanged: COLLAPSE,
			diffConfig,
		});
		return { destroy: () => merge.destroy() };
	}
	const view = new EditorView({
		parent,
		root,
		state: EditorState.create({
			doc: after,
			extensions: [
				readOnly(`${labels.before} / ${labels.after}`),
				unifiedMergeView({
					original: before,
					mergeControls: false,
					gutter: true,
					collapseUnchanged: COLLAPSE,
					diffConfig,
				}),
			],
		}),
	});
	return { destroy: () => view.destroy() };
}

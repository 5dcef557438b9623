import type { Completion, CompletionSource } from "@codemirror/autocomplete";
import type { Diagnostic } from "@codemirror/lint";
import type { EditorView, Tooltip } from "@codemirror/view";
import type { PlaceOptions, ValidateOptions } from "./types.js";

/** For `linter(…)`: findings with their fixes as actions. */
export function lintSource(
	options?: ValidateOptions,
): (view: EditorView) => readonly Diagnostic[];

/** For `hoverTooltip(…)`: what the key or value under the pointer means. Its element has the class `cm-claimkit-hover`. */
export function hoverSource(
	options?: PlaceOptions,
): (view: EditorView, pos: number) => Tooltip | null;

/** For `autocompletion({ override: […] })` or a language's `autocomplete`: what could be written at the cursor. */
export function completionSource(
	options?: PlaceOptions & {
		/** `snippet` of `@codemirror/autocomplete`: completions then have tab stops. */
		snippet?: (
			template: string,
		) => (
			editor: EditorView,
			completion: Completion | null,
			from: number,
			to: number,
		) => void;
	},
): CompletionSource;

import {
	closeBrackets,
	closeBracketsKeymap,
	completionKeymap,
} from "@codemirror/autocomplete";
import {
	defaultKeymap,
	history,
	historyKeymap,
	indentWithTab,
} from "@codemirror/commands";
import {
	bracketMatching,
	foldGutter,
	foldKeymap,
	indentOnInput,
	indentUnit,
} from "@codemirror/language";
import {
	highlightSelectionMatches,
	search,
	searchKeymap,
} from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import {
	drawSelection,
	EditorView,
	highlightActiveLine,
	highlightActiveLineGutter,
	highlightSpecialChars,
	keymap,
	lineNumbers,
} from "@codemirror/view";
import { t } from "../i18n/index.ts";
import { wrap } from "../state/options.ts";
import { celAlone, yamlWithExpressions } from "./expressions.ts";
import { foldDocuments } from "./folding.ts";
import { appearance } from "./theme.ts";

function foldMarker(open: boolean): HTMLElement {
	const marker = document.createElement("span");
	marker.textContent = open ? "⌄" : "›";
	marker.title = open ? t.value.fold : t.value.unfold;
	return marker;
}

/** Draws characters that reverse the text or take no room as their code point: hidden, they change the meaning of a text. */
const hiddenCharacters = highlightSpecialChars({
	addSpecialChars: /[\u061c\u2060-\u2064\u00a0\u3000]/g,
	render(code, description) {
		const mark = document.createElement("span");
		mark.className = "cm-specialChar cm-specialChar-number";
		mark.textContent = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
		mark.title = description ?? "";
		mark.setAttribute("aria-label", mark.textContent);
		return mark;
	},
});

const wrapping = new Compartment();
const wrapped = () => (wrap.peek() === "on" ? EditorView.lineWrapping : []);

/** Applies the setting for wrapping long lines to an open editor. */
export function rewrap(view: EditorView): void {
	view.dispatch({ effects: wrapping.reconfigure(wrapped()) });
}

/** The extensions of every text on the page, long or short. */
const shown = (): Extension => [
	drawSelection(),
	hiddenCharacters,
	appearance,
	EditorState.phrases.of(t.peek().editorPhrases),
];

/** Returns the extensions of every manifest on the page, editable or not. */
export function reading(): Extension {
	return [
		lineNumbers(),
		yamlWithExpressions(),
		wrapping.of(wrapped()),
		shown(),
	];
}

/**
 * Typing over a selection, done by the editor alone. Left to the browser it would keep the look of the deleted text as an
 * inline style for a moment, which the page's policy rightly reports.
 */
const typeOver = EditorView.domEventHandlers({
	beforeinput(event, view) {
		const { main, ranges } = view.state.selection;
		if (
			event.inputType !== "insertText" ||
			!event.data ||
			view.composing ||
			main.empty ||
			ranges.length > 1
		)
			return false;
		const { data } = event;
		const insert = () =>
			view.state.update(view.state.replaceSelection(data), {
				userEvent: "input.type",
				scrollIntoView: true,
			});
		const handled = view.state
			.facet(EditorView.inputHandler)
			.some((handler) => handler(view, main.from, main.to, data, insert));
		if (!handled) view.dispatch(insert());
		event.preventDefault();
		return true;
	},
});

/** Returns the extensions of every editable text. */
const typed = (): Extension => [
	typeOver,
	history(),
	bracketMatching(),
	closeBrackets(),
	EditorState.allowMultipleSelections.of(true),
	keymap.of([
		...closeBracketsKeymap,
		...defaultKeymap,
		...historyKeymap,
		...completionKeymap,
	]),
	EditorView.contentAttributes.of({
		spellcheck: "false",
		autocorrect: "off",
		autocapitalize: "off",
		"data-gramm": "false",
	}),
];

/** Returns the further extensions of an editable manifest. */
export function writing(): Extension {
	return [
		typed(),
		foldDocuments,
		foldGutter({ markerDOM: foldMarker }),
		indentUnit.of("  "),
		EditorState.tabSize.of(2),
		indentOnInput(),
		highlightActiveLine(),
		highlightActiveLineGutter(),
		// A finding of one letter that is gone to would mark that letter everywhere.
		highlightSelectionMatches({ minSelectionLength: 3 }),
		search(),
		keymap.of([...searchKeymap, ...foldKeymap, indentWithTab]),
	];
}

/** A field for one expression: lines wrap, and Tab goes on to the next field. */
export const field = (): Extension => [
	celAlone,
	EditorView.lineWrapping,
	shown(),
	typed(),
];

/** A place for an editor: inside a shadow root its styles are adopted sheets, which a strict style policy allows. */
export function shadowHost(host: HTMLElement): {
	root: ShadowRoot;
	parent: HTMLElement;
} {
	const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
	const parent = document.createElement("div");
	parent.style.height = "100%";
	root.replaceChildren(parent);
	return { root, parent };
}

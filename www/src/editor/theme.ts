import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/**
 * Returns a wave below the text, eight pixels a period. A browser paints the underline of selected text in the text's own
 * color, whatever `::selection` says; a background keeps its own.
 */
function wave(colour: string): Record<string, string> {
	const line = (angle: number, from: number) =>
		`linear-gradient(${angle}deg, transparent ${from}%, ${colour} ${from + 4}%, ${colour} ${from + 14}%, transparent ${from + 18}%)`;
	return {
		backgroundImage: `${line(45, 58)}, ${line(135, 24)}`,
		backgroundSize: "8px 4px",
	};
}

/** Colors come from the page's custom properties, so light, dark and system need one theme only. */
const look = EditorView.theme({
	"&": {
		height: "100%",
		backgroundColor: "var(--editor)",
		color: "var(--text)",
		fontSize: "var(--code-size)",
	},
	"&.cm-focused": { outline: "none" },
	".cm-scroller": {
		fontFamily: "var(--mono)",
		lineHeight: "1.6",
		overscrollBehavior: "contain",
	},
	".cm-content": { padding: "10px 0 40px", caretColor: "var(--accent)" },
	".cm-line": { padding: "0 12px 0 6px" },
	".cm-cursor, .cm-dropCursor": {
		borderLeftColor: "var(--accent)",
		borderLeftWidth: "2px",
	},
	"&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
		{ background: "var(--selection)" },
	".cm-activeLine": { backgroundColor: "var(--active-line)" },
	".cm-gutters": {
		backgroundColor: "var(--editor)",
		color: "var(--faint)",
		border: "none",
	},
	".cm-lineNumbers .cm-gutterElement": {
		padding: "0 4px 0 14px",
		fontVariantNumeric: "tabular-nums",
	},
	".cm-activeLineGutter": {
		backgroundColor: "var(--active-line)",
		color: "var(--muted)",
	},
	".cm-foldGutter .cm-gutterElement": {
		color: "var(--faint)",
		cursor: "pointer",
		padding: "0 3px",
	},
	".cm-foldPlaceholder": {
		background: "var(--raised)",
		border: "1px solid var(--line)",
		color: "var(--muted)",
		padding: "0 6px",
		borderRadius: "4px",
	},
	".cm-gutter-lint": { width: "1.1em" },
	".cm-gutter-lint .cm-gutterElement": { padding: "0.35em 0.15em" },
	// If a person chose all colors, each mark has a border style of its own.
	"@media (forced-colors: active)": {
		".cm-lint-marker": {
			forcedColorAdjust: "none",
			border: "2px solid CanvasText",
		},
		".cm-lint-marker-error": { background: "CanvasText" },
		".cm-lint-marker-warning": { background: "transparent" },
		".cm-lint-marker-info": {
			background: "transparent",
			borderStyle: "dotted",
		},
		".cm-placed": { outline: "2px solid Highlight" },
	},
	".cm-lint-marker": {
		width: "0.6em",
		height: "0.6em",
		borderRadius: "2px",
		margin: "0.12em",
	},
	".cm-lint-marker-error": { content: "none", background: "var(--error)" },
	".cm-lint-marker-warning": { content: "none", background: "var(--warning)" },
	".cm-lint-marker-info": { content: "none", background: "var(--info)" },
	".cm-lintRange": {
		backgroundPosition: "left bottom",
		backgroundRepeat: "repeat-x",
		paddingBottom: "2px",
	},
	".cm-lintRange-error": wave("var(--error)"),
	".cm-lintRange-warning": wave("var(--warning)"),
	".cm-lintRange-info": {
		backgroundImage:
			"radial-gradient(circle, var(--info) 0.8px, transparent 1.1px)",
		backgroundSize: "4px 3px",
	},
	".cm-lintRange-active": { backgroundColor: "transparent" },
	".cm-specialChar": {
		color: "var(--error-text)",
		background: "var(--error-soft)",
		borderRadius: "3px",
		padding: "0 3px",
		fontSize: "0.85em",
	},
	".cm-specialChar-number": { userSelect: "all" },
	".cm-lintPoint-error:after": { borderBottomColor: "var(--error)" },
	".cm-lintPoint-warning:after": { borderBottomColor: "var(--warning)" },
	".cm-lintPoint-info:after": { borderBottomColor: "var(--info)" },
	".cm-placed": {
		backgroundColor: "var(--placed)",
		outline: "1.5px solid var(--accent)",
		borderRadius: "3px",
	},
	".cm-tooltip": {
		backgroundColor: "var(--raised)",
		color: "var(--text)",
		border: "1px solid var(--line-strong)",
		borderRadius: "8px",
		boxShadow: "var(--shadow)",
		fontFamily: "var(--sans)",
		fontSize: "13px",
		maxWidth: "min(560px, calc(100vw - 24px))",
		overflow: "hidden",
	},
	".cm-tooltip-lint": { maxHeight: "320px", overflowY: "auto" },
	".cm-diagnostic": {
		padding: "8px 12px",
		borderLeft: "none",
		marginLeft: "0",
		whiteSpace: "normal",
	},
	".cm-diagnostic + .cm-diagnostic": { borderTop: "1px solid var(--line)" },
	".cm-diagnosticAction": {
		font: "inherit",
		fontSize: "12.5px",
		background: "var(--accent)",
		color: "var(--on-accent)",
		borderRadius: "6px",
		padding: "3px 9px",
		margin: "6px 8px 0 0",
		cursor: "pointer",
	},
	".cm-tip": { padding: "9px 12px", lineHeight: "1.5" },
	".cm-tip code, .cm-diagnostic code, .cm-completionInfo code": {
		fontFamily: "var(--mono)",
		fontSize: "12px",
		background: "var(--code-back)",
		borderRadius: "4px",
		padding: "1px 4px",
	},
	".cm-tip a": { color: "var(--accent-text)", fontSize: "12px" },
	".cm-tip p, .cm-completionInfo p": { margin: "0" },
	".cm-tip p + p, .cm-tip p + ul, .cm-tip ul + p": { marginTop: "6px" },
	".cm-tip ul": { margin: "0", paddingLeft: "18px" },
	".cm-finding-meta": {
		color: "var(--muted)",
		fontSize: "12px",
		marginTop: "3px",
	},
	".cm-finding-message": { overflowWrap: "anywhere", lineHeight: "1.45" },
	".cm-finding-meaning": { marginTop: "4px", lineHeight: "1.45" },
	".cm-finding-help": {
		color: "var(--muted)",
		marginTop: "4px",
		lineHeight: "1.45",
	},
	".cm-finding-meta a": { color: "var(--accent-text)" },
	".cm-tooltip.cm-tooltip-autocomplete > ul": {
		fontFamily: "var(--mono)",
		fontSize: "12.5px",
		maxHeight: "260px",
	},
	".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "4px 10px" },
	".cm-tooltip-autocomplete ul li[aria-selected]": {
		background: "var(--accent)",
		color: "var(--on-accent)",
	},
	".cm-completionDetail": {
		fontStyle: "normal",
		opacity: "0.75",
		marginLeft: "1em",
	},
	".cm-tooltip.cm-completionInfo": { padding: "9px 12px", lineHeight: "1.5" },
	".cm-panels": {
		backgroundColor: "var(--panel)",
		color: "var(--text)",
		fontFamily: "var(--sans)",
	},
	".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--line)" },
	".cm-panel.cm-search": { padding: "8px 32px 8px 10px", fontSize: "13px" },
	".cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label":
		{ fontSize: "13px" },
	".cm-textfield": {
		background: "var(--editor)",
		color: "var(--text)",
		border: "1px solid var(--line-strong)",
		borderRadius: "6px",
		padding: "3px 7px",
	},
	".cm-button": {
		background: "var(--raised)",
		backgroundImage: "none",
		color: "var(--text)",
		border: "1px solid var(--line-strong)",
		borderRadius: "6px",
	},
	".cm-panel button[name=close]": { color: "var(--muted)", fontSize: "18px" },
	".cm-searchMatch": { backgroundColor: "var(--match)" },
	".cm-searchMatch-selected": { backgroundColor: "var(--match-selected)" },
	".cm-selectionMatch": { backgroundColor: "var(--match)" },
	".cm-matchingBracket": {
		outline: "1px solid var(--line-strong)",
		backgroundColor: "transparent",
	},
	// side-by-side comparison
	"&.cm-merge-a .cm-changedLine, .cm-deletedChunk": {
		backgroundColor: "var(--removed)",
	},
	"&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine": {
		backgroundColor: "var(--added)",
	},
	"&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": {
		background: "var(--removed-strong)",
		borderRadius: "2px",
	},
	"&.cm-merge-b .cm-changedText, .cm-insertedLine .cm-changedText": {
		background: "var(--added-strong)",
		borderRadius: "2px",
	},
	".cm-changedText, .cm-changedText *, .cm-deletedText, .cm-deletedText *": {
		color: "var(--text)",
	},
	".cm-changeGutter": { width: "3px", paddingLeft: "0" },
	"&.cm-merge-a .cm-changedLineGutter": { background: "var(--error)" },
	"&.cm-merge-b .cm-changedLineGutter": { background: "var(--good)" },
	// The sign that it comes with is in few fonts.
	".cm-collapsedLines:before, .cm-collapsedLines:after": { content: '"⋮"' },
	".cm-collapsedLines": {
		background: "var(--raised)",
		backgroundImage: "none",
		color: "var(--muted)",
		fontFamily: "var(--sans)",
		fontSize: "12px",
		padding: "4px 12px",
	},
	".cm-deletedChunk": { paddingLeft: "6px" },
});

const colours = HighlightStyle.define([
	{
		tag: [tags.propertyName, tags.definition(tags.propertyName)],
		color: "var(--syntax-key)",
	},
	{
		tag: [tags.string, tags.special(tags.string)],
		color: "var(--syntax-string)",
	},
	{ tag: [tags.content], color: "var(--syntax-string)" },
	{
		tag: [tags.number, tags.bool, tags.null, tags.atom],
		color: "var(--syntax-atom)",
	},
	{
		tag: [tags.comment, tags.lineComment],
		color: "var(--syntax-comment)",
		fontStyle: "italic",
	},
	{
		tag: [tags.meta, tags.labelName, tags.typeName, tags.keyword],
		color: "var(--syntax-meta)",
	},
	{ tag: [tags.variableName], color: "var(--text)" },
	{ tag: [tags.function(tags.variableName)], color: "var(--syntax-meta)" },
	{
		tag: [
			tags.separator,
			tags.operator,
			tags.punctuation,
			tags.squareBracket,
			tags.brace,
		],
		color: "var(--muted)",
	},
]);

export const appearance = [look, syntaxHighlighting(colours)];

// Answers in the shapes of the Language Server Protocol (3.17), for language servers and for editors that speak its types.
// Nothing is imported but claimkit: `vscode-languageserver-types` is only needed for its types.
import * as claimkit from "claimkit";

const SEVERITY = { error: 1, warning: 2, info: 3 };
// CompletionItemKind
const KIND = {
	field: 10,
	value: 20,
	kind: 7,
	apiVersion: 9,
	snippet: 15,
	attribute: 6,
	function: 3,
};
const QUICK_FIX = "quickfix";
const SNIPPET = 2;
// InsertTextMode: lines are indented already.
const AS_IS = 1;
// DiagnosticTag
const UNNECESSARY = 1;
const DEPRECATED = 2;
const START = { line: 0, character: 0 };

// Codes of findings about text that the server or kubectl does not keep.
const DROPPED = new Set([
	"status-dropped",
	"namespace-dropped",
	"server-owned-dropped",
	"field-dropped",
	"yaml-dropped-text",
]);
// The code of warnings of the server; the one without a path is about the version of the object.
const AGING = new Set(["server-warning"]);

const position = ({ line, character }) => ({ line, character });

/** A range of claimkit as a range of the protocol; without one, the start of the text. */
export const toRange = (found) =>
	found
		? { start: position(found.start), end: position(found.end) }
		: { start: START, end: START };

/** An edit of claimkit as an edit of the protocol. */
export const toEdit = (edit) => ({
	range: toRange(edit.range),
	newText: edit.newText,
});
const edits = (list) => list.map(toEdit);

/** @param {import("claimkit").Finding} finding */
function tags({ code, path }) {
	if (DROPPED.has(code)) return [UNNECESSARY];
	return AGING.has(code) && path === undefined ? [DEPRECATED] : [];
}

/**
 * Returns a finding as a diagnostic; its fixes travel in `data`. A finding about another text is put at the document's
 * start.
 *
 * @param {import("claimkit").Finding} finding
 * @param {{ codePages?: string }} [options]
 */
export function toDiagnostic(finding, { codePages } = {}) {
	const here = finding.in === "text";
	const marks = tags(finding);
	return {
		range: toRange(here ? finding.range : undefined),
		severity: SEVERITY[finding.severity],
		code: finding.code,
		...(codePages === undefined
			? {}
			: { codeDescription: { href: `${codePages}${finding.code}.html` } }),
		source: finding.origin,
		message:
			finding.help === undefined
				? finding.message
				: `${finding.message}\n${finding.help}`,
		...(marks.length === 0 ? {} : { tags: marks }),
		data: {
			from: "claimkit",
			in: finding.in,
			fixes: (here ? finding.fixes : []).map(
				({ title, edits: list, deletes }) => ({
					title,
					edits: edits(list),
					...(deletes ? { deletes } : {}),
				}),
			),
		},
	};
}

/**
 * Returns the findings of `validate` as diagnostics.
 *
 * @param {string} text
 * @param {import("claimkit").ValidateOptions & { codePages?: string }} [options]
 */
export function diagnostics(text, { codePages, ...options } = {}) {
	return claimkit
		.validate(text, options)
		.findings.map((finding) => toDiagnostic(finding, { codePages }));
}

/** The fixes of diagnostics of `diagnostics`, as quick fixes in the document `uri`; diagnostics of others have none. */
export function codeActions(uri, found) {
	return found
		.filter(({ data }) => data?.from === "claimkit")
		.flatMap((diagnostic) =>
			diagnostic.data.fixes.map(
				({ title, edits: changes, deletes }, _, all) => ({
					title,
					kind: QUICK_FIX,
					diagnostics: [diagnostic],
					...(all.length === 1 && !deletes ? { isPreferred: true } : {}),
					edit: { changes: { [uri]: changes } },
				}),
			),
		);
}
/** Returns the documentation of a place in the text, or `null`. */
export function hover(text, place, options) {
	const { hover: found } = claimkit.hover(text, position(place), options);
	if (found === null) return null;
	return {
		contents: {
			kind: "markdown",
			value: found.markdown ?? `**\`${found.title}\`**`,
		},
		range: toRange(found.range),
	};
}

/** Returns the possible texts at a place. With `snippets: true` for editors that know tab stops. */
export function completions(
	text,
	place,
	{ snippets = false, ...options } = {},
) {
	const { items } = claimkit.complete(text, position(place), options);
	return items.map((item, index) => {
		const snippet = snippets && item.snippet !== undefined;
		const newText = snippet ? item.snippet : item.insertText;
		return {
			label: item.label,
			kind: KIND[item.kind],
			...(item.detail === undefined ? {} : { detail: item.detail }),
			...(item.filterText === undefined ? {} : { filterText: item.filterText }),
			...(item.documentation === undefined
				? {}
				: { documentation: { kind: "markdown", value: item.documentation } }),
			sortText: String(index).padStart(3, "0"),
			...(snippet ? { insertTextFormat: SNIPPET } : {}),
			...(newText.includes("\n") ? { insertTextMode: AS_IS } : {}),
			textEdit: { range: toRange(item.range), newText },
		};
	});
}

// Answers in the shapes of the Language Server Protocol (3.17), for language servers and for editors that speak its types.
// Nothing is imported but claimkit: `vscode-languageserver-types` is only needed for its types.
import * as claimkit from "claimkit";

const SEVERITY = { error: 1, warning: 2, info: 3 };
// CompletionItemKind
const KIND = { field: 10, value: 20, kind: 7, apiVersion: 9, snippet: 15, attribute: 6, function: 3 };
const QUICK_FIX = "quickfix";
const SNIPPET = 2;
const START = { line: 0, character: 0 };

const position = ({ line, character }) => ({ line, character });
const range = (found) => (found ? { start: position(found.start), end: position(found.end) } : { start: START, end: START });
const edits = (list) => list.map((edit) => ({ range: range(edit.range), newText: edit.newText }));

/** A finding as a diagnostic; its fixes travel in `data`. One about another text than the document stands at its start. */
export function toDiagnostic(finding, { codePages } = {}) {
  const here = finding.in === "text";
  return {
    range: range(here ? finding.range : undefined),
    severity: SEVERITY[finding.severity],
    code: finding.code,
    ...(codePages === undefined ? {} : { codeDescription: { href: `${codePages}${finding.code}.html` } }),
    source: finding.origin,
    message: finding.help === undefined ? finding.message : `${finding.message}\n${finding.help}`,
    data: { in: finding.in, fixes: (here ? finding.fixes : []).map(({ title, edits: list }) => ({ title, edits: edits(list) })) },
  };
}

/** What `validate` finds, as diagnostics. */
export function diagnostics(text, { codePages, ...options } = {}) {
  return claimkit.validate(text, options).findings.map((finding) => toDiagnostic(finding, { codePages }));
}

/** The fixes of diagnostics of `diagnostics`, as quick fixes in the document `uri`. */
export function codeActions(uri, found) {
  return found.flatMap((diagnostic) =>
    (diagnostic.data?.fixes ?? []).map(({ title, edits: changes }, index, all) => ({
      title,
      kind: QUICK_FIX,
      diagnostics: [diagnostic],
      ...(index === 0 && all.length === 1 ? { isPreferred: true } : {}),
      edit: { changes: { [uri]: changes } },
    })),
  );
}

/** What there is to say about a place, or `null`. */
export function hover(text, place, options) {
  const { hover: found } = claimkit.hover(text, position(place), options);
  if (found === null) return null;
  return { contents: { kind: "markdown", value: found.markdown ?? `**\`${found.title}\`**` }, range: range(found.range) };
}

/** What could be written at a place. With `snippets: true` for editors that know tab stops. */
export function completions(text, place, { snippets = false, ...options } = {}) {
  const { items } = claimkit.complete(text, position(place), options);
  return items.map((item, index) => {
    const snippet = snippets && item.snippet !== undefined;
    return {
      label: item.label,
      kind: KIND[item.kind],
      ...(item.detail === undefined ? {} : { detail: item.detail }),
      ...(item.documentation === undefined ? {} : { documentation: { kind: "markdown", value: item.documentation } }),
      sortText: String(index).padStart(3, "0"),
      ...(snippet ? { insertTextFormat: SNIPPET } : {}),
      textEdit: { range: range(item.range), newText: snippet ? item.snippet : item.insertText },
    };
  });
}

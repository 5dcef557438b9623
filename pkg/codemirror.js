// Sources for CodeMirror 6: give them to `linter`, `hoverTooltip` and `autocompletion`. Nothing of CodeMirror is imported, so
// that a page cannot get two copies of it.
import * as claimkit from "claimkit";

/** UTF-16 position in the document of a line and column. */
function offset(doc, { line, character }) {
	if (line >= doc.lines) return doc.length;
	const { from, to } = doc.line(line + 1);
	return Math.min(from + character, to);
}

/** Line and column of a position in the document. */
function place(doc, position) {
	const { number, from } = doc.lineAt(position);
	return { line: number - 1, character: position - from };
}

const span = (doc, range) => ({
	from: offset(doc, range.start),
	to: offset(doc, range.end),
});

function apply(fix) {
	return (view) => {
		const { doc } = view.state;
		view.dispatch({
			changes: fix.edits.map(({ range, newText }) => ({
				...span(doc, range),
				insert: newText,
			})),
			userEvent: "input.fix",
		});
	};
}

/**
 * For `linter(…)`: findings with their fixes as actions.
 *
 * @param {import("./types.js").ValidateOptions} [options]
 */
export function lintSource(options) {
	return (view) => {
		const { doc } = view.state;
		return claimkit
			.validate(doc.toString(), options)
			.findings.map((finding) => ({
				// A finding about another text than the document is put at its start.
				...(finding.range === undefined || finding.in !== "text"
					? { from: 0, to: 0 }
					: span(doc, finding.range)),
				severity: finding.severity,
				source: finding.origin,
				message:
					finding.help === undefined
						? finding.message
						: `${finding.message}\n${finding.help}`,
				actions: (finding.in === "text" ? finding.fixes : []).map((fix) => ({
					name: fix.title,
					apply: apply(fix),
				})),
			}));
	};
}

/** The Markdown that hovers have, as elements: paragraphs, lists, `code`, **strong**. */
function elements(markdown) {
	const root = document.createElement("div");
	root.className = "cm-claimkit-hover";
	let list;
	for (const line of markdown.split("\n")) {
		const item = line.startsWith("- ");
		if (line === "") {
			list = undefined;
			continue;
		}
		if (item && list === undefined)
			list = root.appendChild(document.createElement("ul"));
		if (!item) list = undefined;
		const parent = item
			? list.appendChild(document.createElement("li"))
			: root.appendChild(document.createElement("p"));
		let into = parent;
		for (const [index, part] of (item ? line.slice(2) : line)
			.split(/(\*\*|`[^`]*`)/)
			.entries()) {
			if (index % 2 === 0) into.append(part);
			else if (part === "**")
				into =
					into === parent
						? parent.appendChild(document.createElement("strong"))
						: parent;
			else
				into.appendChild(document.createElement("code")).textContent =
					part.slice(1, -1);
		}
	}
	return root;
}

/**
 * For `hoverTooltip(…)`: what the key or value under the pointer means.
 *
 * @param {import("./types.js").PlaceOptions} [options]
 */
export function hoverSource(options) {
	return (view, position) => {
		const { doc } = view.state;
		const { hover } = claimkit.hover(
			doc.toString(),
			place(doc, position),
			options,
		);
		if (hover === null) return null;
		const { from, to } = span(doc, hover.range);
		return {
			pos: from,
			end: to,
			above: true,
			create: () => ({
				dom: elements(hover.markdown ?? `**\`${hover.title}\`**`),
			}),
		};
	};
}

// CodeMirror's names for icons.
const TYPES = {
	field: "property",
	value: "enum",
	kind: "class",
	apiVersion: "namespace",
	snippet: "text",
	attribute: "variable",
	function: "function",
};

/**
 * For `autocompletion({ override: […] })` or a language's `autocomplete`: what could be written at the cursor.
 *
 * @param {import("./types.js").PlaceOptions & { snippet?: (template: string) => Function }} [options] `snippet` of
 *   `@codemirror/autocomplete` gives completions their tab stops; without it the text is inserted as it is
 */
export function completionSource({ snippet, ...options } = {}) {
	return (context) => {
		const { doc } = context.state;
		const { items } = claimkit.complete(
			doc.toString(),
			place(doc, context.pos),
			options,
		);
		if (items.length === 0) return null;
		const { from, to } = span(doc, items[0].range);
		// While nothing is typed yet, only when asked for.
		if (!context.explicit && from === context.pos) return null;
		return {
			from,
			to,
			options: items.map((item, index) => ({
				label: item.filterText ?? item.label,
				...(item.filterText === undefined ? {} : { displayLabel: item.label }),
				type: TYPES[item.kind],
				...(item.detail === undefined ? {} : { detail: item.detail }),
				...(item.documentation === undefined
					? {}
					: { info: () => elements(item.documentation) }),
				boost: -index,
				apply: completion(item, snippet),
			})),
			validFor: /^["'\w./-]*$/,
		};
	};
}

/** Returns how to apply a completion. Its lines are indented already, so a snippet's must not be indented once more. */
function completion(item, snippet) {
	const template = item.snippet;
	if (snippet === undefined || template === undefined) return item.insertText;
	return (view, chosen, from, to) => {
		const { text, from: start } = view.state.doc.lineAt(from);
		const lead = /^\s*/.exec(text.slice(0, from - start))[0];
		snippet(template.replaceAll(`\n${lead}`, "\n"))(view, chosen, from, to);
	};
}

// Markers, hover, completion and quick fixes for Monaco. Monaco itself is given by the caller, not imported.
import * as claimkit from "claimkit";

const OWNER = "claimkit";

const place = ({ lineNumber, column }) => ({
	line: lineNumber - 1,
	character: column - 1,
});
const range = ({ start, end }) => ({
	startLineNumber: start.line + 1,
	startColumn: start.character + 1,
	endLineNumber: end.line + 1,
	endColumn: end.character + 1,
});
const NOWHERE = {
	start: { line: 0, character: 0 },
	end: { line: 0, character: 0 },
};

/**
 * Registers everything for the models of a language.
 *
 * @param {typeof import("monaco-editor")} monaco
 * @param {import("./monaco.js").Options} [options]
 * @returns {import("monaco-editor").IDisposable} takes it all back
 */
export function register(
	monaco,
	{
		languages = ["yaml", "json"],
		delay = 200,
		codePages,
		validate,
		...about
	} = {},
) {
	const { MarkerSeverity, languages: registry } = monaco;
	const severity = {
		error: MarkerSeverity.Error,
		warning: MarkerSeverity.Warning,
		info: MarkerSeverity.Info,
	};
	const {
		Property,
		EnumMember,
		Class,
		Module,
		Snippet,
		Variable,
		Function: Callable,
	} = registry.CompletionItemKind;
	const kind = {
		field: Property,
		value: EnumMember,
		kind: Class,
		apiVersion: Module,
		snippet: Snippet,
		attribute: Variable,
		function: Callable,
	};
	const found = new WeakMap();
	const watched = new Map();

	function mark(model) {
		if (model.isDisposed()) return;
		const answer = claimkit.validate(model.getValue(), {
			release: about.release,
			...validate,
		});
		// A finding about another text than the model's is put at its start.
		const findings = answer.findings.map((finding) =>
			finding.in === "text"
				? finding
				: { ...finding, range: undefined, fixes: [] },
		);
		found.set(model, findings);
		const markers = findings.map((finding) => ({
			...range(finding.range ?? NOWHERE),
			severity: severity[finding.severity],
			source: finding.origin,
			code:
				codePages === undefined
					? finding.code
					: {
							value: finding.code,
							target: monaco.Uri.parse(`${codePages}${finding.code}.html`),
						},
			message:
				finding.help === undefined
					? finding.message
					: `${finding.message}\n${finding.help}`,
		}));
		monaco.editor.setModelMarkers(model, OWNER, markers);
	}

	function unwatch(model) {
		const watch = watched.get(model);
		if (watch === undefined) return;
		clearTimeout(watch.timer);
		watch.listener.dispose();
		watched.delete(model);
		if (!model.isDisposed()) monaco.editor.setModelMarkers(model, OWNER, []);
	}

	function look(model) {
		unwatch(model);
		if (!languages.includes(model.getLanguageId())) return;
		const watch = { timer: undefined };
		watch.listener = model.onDidChangeContent(() => {
			clearTimeout(watch.timer);
			watch.timer = setTimeout(() => mark(model), delay);
		});
		watched.set(model, watch);
		mark(model);
	}

	const hover = {
		provideHover(model, position) {
			const { hover: known } = claimkit.hover(
				model.getValue(),
				place(position),
				about,
			);
			if (known === null) return null;
			return {
				contents: [{ value: known.markdown ?? `**\`${known.title}\`**` }],
				range: range(known.range),
			};
		},
	};
	const complete = {
		triggerCharacters: [" ", ":", '"'],
		provideCompletionItems(model, position) {
			const { items } = claimkit.complete(
				model.getValue(),
				place(position),
				about,
			);
			const { InsertAsSnippet, KeepWhitespace } =
				registry.CompletionItemInsertTextRule;
			const suggestions = items.map((item, index) => ({
				label:
					item.detail === undefined
						? item.label
						: { label: item.label, description: item.detail },
				kind: kind[item.kind],
				...(item.filterText === undefined
					? {}
					: { filterText: item.filterText }),
				...(item.documentation === undefined
					? {}
					: { documentation: { value: item.documentation } }),
				sortText: String(index).padStart(3, "0"),
				insertText: item.snippet ?? item.insertText,
				// The lines are indented already.
				insertTextRules:
					item.snippet === undefined
						? KeepWhitespace
						: InsertAsSnippet | KeepWhitespace,
				range: range(item.range),
			}));
			return { suggestions };
		},
	};
	const fix = {
		provideCodeActions(model, _range, { markers }) {
			const ours = markers.filter(
				({ owner }) => owner === undefined || owner === OWNER,
			);
			const same = (marker, finding) => {
				const at = range(finding.range ?? NOWHERE);
				return (
					at.startLineNumber === marker.startLineNumber &&
					at.startColumn === marker.startColumn &&
					marker.message.startsWith(finding.message)
				);
			};
			const actions = ours.flatMap((marker) =>
				(found.get(model) ?? [])
					.filter((finding) => same(marker, finding))
					.flatMap(({ fixes }) => fixes)
					.map((one, _index, all) => ({
						title: one.title,
						kind: "quickfix",
						diagnostics: [marker],
						isPreferred: all.length === 1 && !one.deletes,
						edit: {
							edits: one.edits.map(({ range: at, newText }) => ({
								resource: model.uri,
								versionId: model.getVersionId(),
								textEdit: { range: range(at), text: newText },
							})),
						},
					})),
			);
			return { actions, dispose() {} };
		},
	};

	const registered = [
		registry.registerHoverProvider(languages, hover),
		registry.registerCompletionItemProvider(languages, complete),
		registry.registerCodeActionProvider(languages, fix),
		monaco.editor.onDidCreateModel(look),
		monaco.editor.onDidChangeModelLanguage(({ model }) => look(model)),
		monaco.editor.onWillDisposeModel(unwatch),
	];
	monaco.editor.getModels().forEach(look);
	return {
		dispose() {
			for (const one of registered) one.dispose();
			[...watched.keys()].forEach(unwatch);
		},
	};
}

import {
	autocompletion,
	type Completion,
	type CompletionContext,
	type CompletionResult,
	snippet,
} from "@codemirror/autocomplete";
import { type EditorView, hoverTooltip, type Tooltip } from "@codemirror/view";
import type * as claimkit from "claimkit";
import { ask, type TextSource } from "../engine/client.ts";
import { lang, t } from "../i18n/index.ts";
import { report } from "../state/checks.ts";
import { serverOnly, usedRelease } from "../state/gates.ts";
import { completeConfig } from "./config.ts";
import { renderMarkdown } from "./markdown.ts";
import { toPosition, toSpan } from "./positions.ts";

/** The editor's names of the kinds of completions. */
const KIND: Record<claimkit.Completion["kind"], string> = {
	field: "property",
	value: "enum",
	kind: "class",
	apiVersion: "namespace",
	snippet: "text",
	attribute: "property",
	function: "property",
};

/** The place of an editor's text within the text of the request. */
export interface Frame {
	into(position: { line: number; character: number }): {
		line: number;
		character: number;
	};
	/** Null if the range is not in the editor. */
	back(range: claimkit.Range): claimkit.Range | null;
}

const WHOLE: Frame = { into: (position) => position, back: (range) => range };

function tip(text: string): HTMLElement {
	const box = document.createElement("div");
	box.append(...renderMarkdown(text));
	return box;
}

function requestOptions(): claimkit.PlaceOptions {
	return { locale: lang.value, ...serverOnly() };
}

/** The minor release the open text is judged by. */
function minorRelease(): string | undefined {
	const judged =
		usedRelease.peek() ||
		report
			.peek()
			?.answer.objects.find(({ valid }) => typeof valid === "boolean")?.release;
	return judged?.split(".").slice(0, 2).join(".");
}

function hoverDom(hover: claimkit.Hover): HTMLElement {
	const box = document.createElement("div");
	box.className = "cm-tip";
	box.append(
		...renderMarkdown(
			hover.markdown ??
				`**\`${hover.title}\`**\n\n${hover.documentation ?? ""}`,
		),
	);
	const minor = minorRelease();
	if (minor) {
		const line = document.createElement("p");
		const link = document.createElement("a");
		// The project keeps a copy of its documentation for each release.
		link.href = `https://v${minor.replace(".", "-")}.docs.kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/`;
		link.target = "_blank";
		link.rel = "noopener";
		link.textContent = `${t.peek().docsLink} ${minor}`;
		line.append(link);
		box.append(line);
	}
	return box;
}

/** Multi-line snippets come with their indentation; the editor would add it once more. */
function fillIn(template: string): NonNullable<Completion["apply"]> {
	return (view, completion, from, to) => {
		const indent = /^\s*/.exec(view.state.doc.lineAt(from).text)?.[0] ?? "";
		const lines = template
			.split("\n")
			.map((line, index) =>
				index > 0 && line.startsWith(indent) ? line.slice(indent.length) : line,
			);
		snippet(lines.join("\n"))(view, completion, from, to);
	};
}

/** Field documentation under the pointer, from the schema tables. */
export function hovers(source: () => TextSource | undefined, frame = WHOLE) {
	return hoverTooltip(
		async (view: EditorView, pos: number): Promise<Tooltip | null> => {
			const current = source();
			if (!current) return null;
			const position = frame.into(toPosition(view.state.doc, pos));
			const outcome = await ask(
				"hover",
				{
					question: "hover",
					text: current,
					options: { ...requestOptions(), position },
				},
				true,
			);
			if (outcome.kind !== "answer" || !outcome.answer.hover) return null;
			const { hover } = outcome.answer;
			const range = frame.back(hover.range);
			if (!range) return null;
			const span = toSpan(view.state.doc, range);
			return {
				pos: span.from,
				end: span.to,
				above: true,
				create: () => ({ dom: hoverDom(hover) }),
			};
		},
		{ hoverTime: 350 },
	);
}

/** Keys, enum values, kinds and API versions that fit the place. */
export function completions(
	source: () => TextSource | undefined,
	frame = WHOLE,
) {
	const complete = async (
		context: CompletionContext,
	): Promise<CompletionResult | null> => {
		const current = source();
		if (!current) return null;
		const line = context.state.doc.lineAt(context.pos);
		const before = line.text.slice(0, context.pos - line.from);
		const word = /[A-Za-z0-9_./-]*$/.exec(before)?.[0] ?? "";
		// Without a key only where something can be written: after a word's first character, in the empty part of a value, in an index.
		if (!context.explicit && word === "" && !/:\s$|\["$/.test(before))
			return null;
		const position = frame.into(toPosition(context.state.doc, context.pos));
		const outcome = await ask(
			"complete",
			{
				question: "complete",
				text: current,
				options: { ...requestOptions(), position },
			},
			true,
		);
		if (outcome.kind !== "answer") return null;
		const { items } = outcome.answer;
		const first = items[0];
		const range = first && frame.back(first.range);
		if (!first || !range) return null;
		const options = items.map(
			(item, index): Completion => ({
				label: item.filterText ?? item.label,
				...(item.filterText ? { displayLabel: item.label } : {}),
				type: KIND[item.kind],
				// The engine's order: required fields first.
				boost: Math.max(-99, 99 - index),
				...(item.detail ? { detail: item.detail } : {}),
				...(item.documentation ? { info: () => tip(item.documentation!) } : {}),
				apply: item.snippet ? fillIn(item.snippet) : item.insertText,
			}),
		);
		// A word of an expression has no `-`, `.` or `/`.
		const expression = first.kind === "attribute" || first.kind === "function";
		return {
			from: toSpan(context.state.doc, range).from,
			options,
			validFor: expression ? /^\w*$/ : /^["'A-Za-z0-9_./-]*$/,
		};
	};
	return autocompletion({
		override: [complete, completeConfig],
		icons: false,
		activateOnTypingDelay: 60,
	});
}

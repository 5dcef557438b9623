import {
	type Diagnostic,
	lintGutter,
	lintKeymap,
	setDiagnostics,
} from "@codemirror/lint";
import type { EditorState, TransactionSpec } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import type { Finding } from "claimkit";
import { meaningOf } from "../i18n/codes.ts";
import { lang, t } from "../i18n/index.ts";
import { unticked } from "../i18n/words.ts";
import { inline, visible } from "./markdown.ts";
import { toSpan } from "./positions.ts";

/** More underlines than this help nobody and cost every keystroke; the Problems panel lists them all. */
const MOST_UNDERLINES = 400;

/** Opens the page that explains a finding code, beside the playground. */
export function codePage(code: string): string {
	return `./codes/${lang.peek() === "en" ? "" : "zh/"}${encodeURIComponent(code)}.html`;
}

function render(finding: Finding): HTMLElement {
	const box = document.createElement("div");
	const part = (name: string, text: string, upstream = false) => {
		const element = document.createElement("div");
		element.className = name;
		if (upstream) element.lang = "en";
		if (upstream) element.append(visible(text));
		else inline(element, text);
		box.append(element);
	};
	const upstream = finding.origin !== "claimkit";
	part("cm-finding-message", finding.message, upstream);
	const meaning = meaningOf(finding.code);
	if (meaning) part("cm-finding-meaning", meaning);
	if (finding.help) part("cm-finding-help", finding.help);
	const meta = document.createElement("div");
	meta.className = "cm-finding-meta";
	const link = document.createElement("a");
	link.href = codePage(finding.code);
	link.target = "_blank";
	link.rel = "noopener";
	link.textContent = finding.code;
	meta.append(`${finding.origin} · `, link);
	box.append(meta);
	return box;
}

/** The findings as underlines with their explanation and fixes. */
export function underline(
	state: EditorState,
	findings: readonly Finding[],
	fix: (finding: Finding, index: number) => void,
): TransactionSpec {
	const diagnostics: Diagnostic[] = [];
	for (const finding of findings) {
		if (!finding.range || diagnostics.length >= MOST_UNDERLINES) continue;
		const { from, to } = toSpan(state.doc, finding.range);
		diagnostics.push({
			from,
			to: to > from ? to : Math.min(from + 1, state.doc.lineAt(from).to),
			severity: finding.severity,
			message: unticked(finding.message),
			renderMessage: () => render(finding),
			actions: finding.fixes.map((entry, index) => ({
				name: `${t.peek().fix}: ${unticked(entry.title)}`,
				apply: () => fix(finding, index),
			})),
		});
	}
	diagnostics.sort((a, b) => a.from - b.from || a.to - b.to);
	return setDiagnostics(state, diagnostics);
}

export const findingsExtension = [lintGutter(), keymap.of(lintKeymap)];

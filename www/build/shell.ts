import type { Finding } from "claimkit";
import { answeredNow } from "../src/engine/report.ts";
import { en, type Sentences } from "../src/i18n/en.ts";
import strings from "../src/i18n/zh.json" with { type: "json" };
import { zh } from "../src/i18n/zh.ts";
import { PANEL_NAMES } from "../src/state/panelnames.ts";
import type { FirstAnswer } from "./firstanswer.ts";

const LANGUAGES = [
	["en", en],
	["zh-Hans", zh(strings)],
] as const;

function escapeHtml(text: string): string {
	return text
		.replace(/&/g, "&amp;")
		.replace(/</g, "&lt;")
		.replace(/>/g, "&gt;");
}

/** A sentence in every language; the page's styles show the one of the document's. */
function say(sentence: (s: Sentences) => string): string {
	return LANGUAGES.map(
		([lang, s]) =>
			`<span class="say" lang="${lang}">${escapeHtml(sentence(s))}</span>`,
	).join("");
}

/** Text in which words between backticks are code. */
const ticked = (text: string): string =>
	escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");

function findingItem({ message, help }: Finding): string {
	const more = help ? `<span class="finding-help">${ticked(help)}</span>` : "";
	return `<li class="finding"><div class="finding-main"><span class="finding-message exact">${escapeHtml(message)}</span>${more}</div></li>`;
}

/** The API server's answer about the first example, which is in English as the engine gives it. */
function answerOf({ answer }: FirstAnswer): string {
	const { counts, findings, objects } = answer;
	const now = answeredNow(findings, objects);
	const errors = findings.filter(
		({ origin, severity }) =>
			origin === "kube-apiserver" && severity === "error",
	);
	const group = (note: string, list: readonly Finding[]): string =>
		`<section class="finding-group"><h3>${en.origins["kube-apiserver"]} <span class="note">${note}</span></h3><ul>${list.map(findingItem).join("")}</ul></section>`;
	const verdict = en.refuse(
		en.subjects["kube-apiserver"],
		counts.server.now,
		counts.theirs - counts.server.now,
	);
	return `<div class="early-answer" lang="en"><div class="verdict bad"><h2>${escapeHtml(verdict)}</h2></div>${group(en.answersNow, errors.filter(now))}${group(
		en.answersLater,
		errors.filter((finding) => !now(finding)),
	)}</div>`;
}

/**
 * Returns the page shown before its code is there: the same boxes in the same places, with the first example's text and the answer
 * about it in them, so that a first visitor need not wait for either.
 */
export function shell(first: FirstAnswer): string {
	const lines = first.text.replace(/\n$/, "").split("\n");
	const text = lines
		.map((line) => `<span class="early-line">${escapeHtml(line) || " "}</span>`)
		.join("");
	// The tab of the nodes of v1alpha1 and v1alpha2 comes with them.
	const tabs = PANEL_NAMES.filter((name) => name !== "nodes")
		.map(
			(name, index) =>
				`<span class="early-tab"${index === 0 ? ' data-open=""' : ""}>${say((s) => s.panels[name])}</span>`,
		)
		.join("");
	return `<div class="page" aria-busy="true">
<header class="bar"><h1 class="brand"><img src="./icon.svg" alt="" width="22" height="22"><span>claimkit</span></h1><span class="button early-button"><span class="label">${say((s) => s.examples)}</span></span><p class="tagline">${say((s) => s.tagline)}</p></header>
<main class="work early">
<section class="left"><div class="file-bar"><span class="early-tab early-file" data-open="">claim.yaml</span></div><pre class="early-text">${text}</pre></section>
<div class="splitter"></div>
<section class="right"><div class="panel-tabs">${tabs}</div><div class="panel"><p class="muted quiet early-starting">${say((s) => s.starting)}</p><div class="early-progress"></div><p class="quiet early-failed" role="alert">${say((s) => s.pageFailed)}</p><noscript><p class="quiet">${say((s) => s.needsScripts)}</p></noscript>${answerOf(first)}</div></section>
</main>
<footer class="status-bar"><span class="spacer"></span><span class="private">${say((s) => s.privacy)}</span></footer>
</div>`;
}

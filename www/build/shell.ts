import { readFileSync } from "node:fs";
import { en, type Sentences } from "../src/i18n/en.ts";
import strings from "../src/i18n/zh.json" with { type: "json" };
import { zh } from "../src/i18n/zh.ts";
import { PANEL_NAMES } from "../src/state/panelnames.ts";

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

/**
 * Returns the page shown before its code is there: the same boxes in the same places, with the first example's text in them,
 * so that nothing moves when the application takes over. `example` is the path of the text.
 */
export function shell(example: string): string {
	const lines = readFileSync(example, "utf8").replace(/\n$/, "").split("\n");
	const text = lines
		.map((line) => `<span class="early-line">${escapeHtml(line) || " "}</span>`)
		.join("");
	const tabs = PANEL_NAMES.map(
		(name, index) =>
			`<span class="early-tab"${index === 0 ? ' data-open=""' : ""}>${say((s) => s.panels[name])}</span>`,
	).join("");
	return `<div class="page" aria-busy="true">
<header class="bar"><h1 class="brand"><img src="./icon.svg" alt="" width="22" height="22"><span>claimkit</span></h1><span class="button early-button"><span class="label">${say((s) => s.examples)}</span></span><p class="tagline">${say((s) => s.tagline)}</p></header>
<main class="work early">
<section class="left"><div class="file-bar"><span class="early-tab early-file" data-open="">claim.yaml</span></div><pre class="early-text">${text}</pre></section>
<div class="splitter"></div>
<section class="right"><div class="panel-tabs">${tabs}</div><div class="panel"><p class="muted quiet early-starting">${say((s) => s.starting)}</p><div class="early-progress"></div><p class="quiet early-failed" role="alert">${say((s) => s.pageFailed)}</p><noscript><p class="quiet">${say((s) => s.needsScripts)}</p></noscript></div></section>
</main>
<footer class="status-bar"><span class="spacer"></span><span class="private">${say((s) => s.privacy)}</span></footer>
</div>`;
}

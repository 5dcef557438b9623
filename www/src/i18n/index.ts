import { computed, effect, signal } from "@preact/signals";
import { recall, remembered } from "../state/storage.ts";
import { en, type Sentences } from "./en.ts";
import type strings from "./zh.json";
import zhUrl from "./zh.json?url";
import { zh } from "./zh.ts";

export const LANGUAGES = ["en", "zh-Hans"] as const;
export type Language = (typeof LANGUAGES)[number];

const first: Language =
	recall("lang") === null && /^zh\b/i.test(navigator.language)
		? "zh-Hans"
		: "en";
export const lang = remembered<Language>("lang", LANGUAGES, first);

/** The name of each language in that language. */
export const LANGUAGE_NAMES: Record<Language, string> = {
	en: en.languageName,
	"zh-Hans": "简体中文",
};

const chinese = signal<Sentences | null>(null);

/** Fetches the sentences of a language, which the page has already where it is English; without them it stays English. */
async function fetchSentences(wanted: Language): Promise<void> {
	if (wanted === "en" || chinese.peek()) return;
	try {
		const response = await fetch(new URL(zhUrl, import.meta.url));
		if (response.ok)
			chinese.value = zh((await response.json()) as typeof strings);
	} catch {
		// No network, and no visit before.
	}
}

/** The first language is there. */
export const languageReady: Promise<void> = fetchSentences(lang.peek());

/** The language that was chosen last; its sentences may be on their way. */
let spoken: Language | null = null;

/** Changes the language once its sentences are there. */
export async function speak(wanted: Language): Promise<void> {
	spoken = wanted;
	await fetchSentences(wanted);
	if (spoken === wanted) lang.value = wanted;
}

/** The sentences of the chosen language. */
export const t = computed<Sentences>(() =>
	lang.value === "zh-Hans" ? (chinese.value ?? en) : en,
);

effect(() => {
	document.documentElement.lang = lang.value;
	document.title = t.value.title;
});

import { computed, effect } from "@preact/signals";
import { remembered, recall } from "../state/storage.ts";
import { en, type Sentences } from "./en.ts";
import { zh } from "./zh.ts";

export const LANGUAGES = ["en", "zh-Hans"] as const;
export type Language = (typeof LANGUAGES)[number];

const first: Language = recall("lang") === null && /^zh\b/i.test(navigator.language) ? "zh-Hans" : "en";
export const lang = remembered<Language>("lang", LANGUAGES, first);

/** The sentences of the chosen language. */
export const t = computed<Sentences>(() => (lang.value === "zh-Hans" ? zh : en));

effect(() => {
  document.documentElement.lang = lang.value;
  document.title = t.value.title;
});

import { effect, signal } from "@preact/signals";
import zhUrl from "./engine-zh.json?url";
import type { Origin } from "claimkit";
import { lang } from "./index.ts";
import { makeRules, translate, type Rule } from "./rules.ts";

/**
 * The engine's own sentences in Chinese, as pairs. In them `{}` stands for what differs and is kept; `{t}` for a sentence inside the
 * sentence, which is translated too. What kubectl, the API server and the scheduler print is not there: it stays in their words.
 */
const rules = signal<readonly Rule[]>([]);
const known = new Map<string, string>();

effect(() => {
  if (lang.value === "en" || rules.peek().length > 0) return;
  // Without them the sentences are there in English.
  fetch(new URL(zhUrl, import.meta.url))
    .then(async (response) => {
      if (response.ok) rules.value = makeRules((await response.json()) as [string, string][]);
    })
    .catch(() => {});
});

/**
 * Translates a sentence of the engine to the page's language. The words of kubectl, the API server and the scheduler stay as
 * they are.
 */
export function told(text: string, origin: Origin = "claimkit"): string {
  const list = rules.value;
  if (lang.value === "en" || origin !== "claimkit" || list.length === 0) return text;
  let translated = known.get(text);
  if (translated === undefined) {
    translated = translate(text, list);
    if (known.size > 20_000) known.clear();
    known.set(text, translated);
  }
  return translated;
}

import { effect, signal } from "@preact/signals";
import zhUrl from "../../../pkg/locale/zh-Hans.json?url";
import { lang } from "./index.ts";

/** Explanations of finding codes in the page's language. The messages themselves stay in the words of their component. */
const meanings = signal<Readonly<Record<string, string>>>({});

/** Returns the meaning of a finding code, unless the page is in English, as the messages are. */
export const meaningOf = (code: string): string | undefined =>
	lang.value === "en" ? undefined : meanings.value[code];

effect(() => {
	if (lang.value === "en" || Object.keys(meanings.peek()).length > 0) return;
	fetch(new URL(zhUrl, import.meta.url))
		.then(async (response) => {
			if (response.ok)
				meanings.value = (
					(await response.json()) as { codes: Record<string, string> }
				).codes;
		})
		// Without them the messages are there.
		.catch(() => {});
});

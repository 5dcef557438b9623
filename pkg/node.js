// claimkit for Node, Bun and Deno: the first call reads the module from the file beside this one.
import { existsSync, readFileSync } from "node:fs";
import { findLocales } from "./locale.js";
import { startFrom } from "./start.js";

startFrom("file", () => {
	try {
		return readFileSync(new URL("./claimkit_bg.wasm", import.meta.url));
	} catch (cause) {
		throw new Error(
			`claimkit: claimkit_bg.wasm cannot be read: ${cause?.message ?? cause}. In a bundle, import claimkit/inline; Deno needs --allow-read; ` +
				"in the repository, run `make pkg`",
			{ cause },
		);
	}
});

findLocales((locale) => {
	try {
		const sentences = new URL(
			`./locale/${encodeURIComponent(locale)}.json`,
			import.meta.url,
		);
		return existsSync(sentences)
			? JSON.parse(readFileSync(sentences, "utf8"))
			: undefined;
	} catch {
		// A bundle has no files beside it: `addLocale` gives the sentences.
		return undefined;
	}
});

export * from "./index.js";
export { default } from "./index.js";

import type { CodeExample } from "../../build/codeexamples.ts";

/** The examples of finding codes, which the build writes beside the page; fetched when one is asked for. */
let fetched: Promise<Record<string, CodeExample>> | undefined;

export function codeExamples(): Promise<Record<string, CodeExample>> {
	fetched ??= fetch("./code-examples.json")
		.then((response) =>
			response.ok
				? (response.json() as Promise<Record<string, CodeExample>>)
				: {},
		)
		.catch(() => {
			fetched = undefined;
			return {};
		});
	return fetched;
}

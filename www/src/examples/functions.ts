import type { FunctionGroup } from "../../build/functions.ts";

/** The functions of expressions, which the build asks the engine of each release for; fetched when they are looked up. */
let fetched: Promise<readonly FunctionGroup[] | null> | undefined;

/** Returns null where they cannot be fetched; they are asked for again the next time. */
export function celFunctions(): Promise<readonly FunctionGroup[] | null> {
	fetched ??= fetch("./cel-functions.json")
		.then((response) =>
			response.ok
				? (response.json() as Promise<readonly FunctionGroup[]>)
				: null,
		)
		.catch(() => null)
		.then((found) => {
			if (found === null) fetched = undefined;
			return found;
		});
	return fetched;
}

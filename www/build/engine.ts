import type * as claimkit from "claimkit";

/** Returns the package as Node has it, for the build and the tests. */
export async function engine(): Promise<typeof claimkit> {
	return (await import(
		new URL("../../pkg/node.js", import.meta.url).href
	)) as typeof claimkit;
}

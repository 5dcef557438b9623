import type { AllocateOptions } from "claimkit";
import { whatIf } from "./options.ts";

type WhatIf = NonNullable<AllocateOptions["whatIf"]>;

/** The lists of names; new nodes come from a text. */
type NameList = Exclude<keyof WhatIf, "newNodes">;

/** A change on the command line, and the list of the request that it goes to. */
const LISTS: Record<string, NameList> = {
	free: "free",
	untaint: "untaint",
	"without-rule": "withoutRules",
	"node-like": "nodesLike",
};

/** Returns the kind and the name of a change: `free=ns/claim` is `free` and `ns/claim`. */
export function partsOf(change: string): { kind: string; name: string } {
	const at = change.indexOf("=");
	return { kind: change.slice(0, at), name: change.slice(at + 1) };
}

/** The option of `allocate` that changes make; none where nothing is changed. */
export function whatIfOption(changes: readonly string[]): { whatIf?: WhatIf } {
	if (changes.length === 0) return {};
	const lists: Partial<Record<NameList, string[]>> = {};
	for (const { kind, name } of changes.map(partsOf)) {
		const list = LISTS[kind];
		if (!list) continue;
		lists[list] ??= [];
		lists[list].push(name);
	}
	return { whatIf: lists };
}

/** Asks after one more change. A node can be there twice more, a claim cannot be freed twice. */
export function suppose(change: string): void {
	const changes = whatIf.peek();
	if (changes.includes(change) && !change.startsWith("node-like=")) return;
	whatIf.value = [...changes, change];
}

/** Takes a change back. */
export function unsuppose(index: number): void {
	whatIf.value = whatIf.peek().filter((_, at) => at !== index);
}

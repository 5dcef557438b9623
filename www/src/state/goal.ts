import { signal } from "@preact/signals";
import type { Finding } from "claimkit";
import { files, type PageFile } from "./files.ts";

/** Returns the name of a finding in a link: its code and place, which a reader of the address can make sense of. */
export function findingKey({ code, range, object }: Finding): string {
	return range
		? `${code}@${range.start.line + 1}.${range.start.character + 1}`
		: `${code}@${object ?? ""}`;
}

/** The finding a link leads to, until it is on the screen. */
export const wantedFinding = signal("");
/** The texts that the link opened: where something is written in them before the finding is there, the cursor stays. */
let linked: readonly PageFile[] = [];
export function wantFinding(key: string): void {
	linked = files.peek();
	wantedFinding.value = key;
}
export const asLinked = (): boolean => linked === files.peek();
/** Whether a link leads to the answer about one node, until that is on the screen. */
export const wantedAnswer = signal(false);
/** The object whose policy verdict a link leads to, counted from 1; none: 0. */
export const pointedVerdict = signal(0);
/** The finding that is marked because a link led there. */
export const pointedFinding = signal("");

import { batch } from "@preact/signals";
import {
	activeId,
	files,
	newFile,
	ROLES,
	type Role,
	replaceAll,
	textOf,
} from "./files.ts";
import { keptOptions, takeOptions } from "./options.ts";

/** Everything a link, a draft or an entry of the history holds; short names because it is compressed into a URL. */
export interface Snapshot {
	v: 1;
	f: { n: string; r: Role; t: string }[];
	a: number;
	o: Record<string, unknown>;
}

/** More files than this are in no link. */
export const MOST_FILES = 500;
/** More files than this are in no draft: a folder of a whole cluster has thousands. */
const MOST_KEPT = 20_000;

export function snapshot(): Snapshot {
	const list = files.value;
	return {
		v: 1,
		f: list.map((file) => ({ n: file.name, r: file.role, t: textOf(file) })),
		a: Math.max(
			0,
			list.findIndex((file) => file.id === activeId.value),
		),
		o: keptOptions(),
	};
}

/** Puts a snapshot in place; returns false if it is not one. Anything unknown in it is left out. */
export function restore(value: unknown): boolean {
	if (typeof value !== "object" || value === null) return false;
	const { f, a, o } = value as Partial<Snapshot>;
	if (!Array.isArray(f) || f.length === 0 || f.length > MOST_KEPT) return false;
	const list = f
		.filter((file) => typeof file?.t === "string")
		.map((file) =>
			newFile(
				String(file.n || "manifest.yaml").slice(0, 120),
				ROLES.includes(file.r) ? file.r : "manifest",
				file.t,
			),
		);
	if (list.length === 0) return false;
	batch(() => {
		takeOptions(o);
		replaceAll(list, typeof a === "number" ? a : 0);
	});
	return true;
}

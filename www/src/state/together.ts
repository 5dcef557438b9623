import type { Range } from "claimkit";
import type { Sources, TextSource } from "../engine/client.ts";
import { reports } from "./checks.ts";
import { files, manifest, type PageFile, source } from "./files.ts";

/** The files that a question is about, and the way back from ranges of the answer to them. */
export type Together = (TextSource | Sources) & {
	files: readonly PageFile[];
	/** Files that cannot be read, or not to their end. */
	unread: readonly Unread[];
	/** Returns the file of a range of an answer, and the range in it. */
	locate(range: Range): { file: PageFile; range: Range };
};

/** A file that kubectl cannot read, and where and why. */
export interface Unread {
	file: PageFile;
	/** Counted from 1; absent where the reason has no place. */
	line?: number;
	message: string;
	/** What to do about it, in the engine's words. */
	help?: string;
}

/** Returns what keeps kubectl from reading a file to its end, as the engine said of this version of it. */
export function unreadOf(file: PageFile): Unread | null {
	const report = reports.value.get(file.id);
	if (report?.version !== file.version || report.unread === null) return null;
	const { message, help, range } = report.unread;
	return {
		file,
		message,
		...(help ? { help } : {}),
		...(range ? { line: range.start.line + 1 } : {}),
	};
}

/**
 * Returns the manifests. Classes, claims and nodes are often in files of their own; questions about all of them need them
 * together, in the order of the tabs. `more`: those with nodes too, where a question takes them with the others.
 */
export function together(more: "" | "nodes" = ""): Together | null {
	const open = manifest.value;
	if (!open) return null;
	return ofFiles(
		`manifests ${more}`,
		files.value.filter(
			(file) =>
				(file.role === "manifest" || file.role === more) &&
				(file.id === open.id || file.doc.length > 0),
		),
		open,
	);
}

/** Returns all files with nodes; null where there is none. */
export function nodesTogether(): Together | null {
	const nodes = files.value.filter(
		({ role, doc }) => role === "nodes" && doc.length > 0,
	);
	return nodes[0] ? ofFiles("nodes", nodes, nodes[0]) : null;
}

function ofFiles(
	key: string,
	list: readonly PageFile[],
	open: PageFile,
): Together {
	const byName = new Map(list.map((file) => [file.name, file]));
	const about = {
		files: list,
		unread: list.flatMap((file) => unreadOf(file) ?? []),
		locate: ({ file, ...range }: Range) => ({
			file: byName.get(file ?? "") ?? list[0] ?? open,
			range,
		}),
	};
	const [only, ...others] = list;
	if (only && others.length === 0) return { ...source(only), ...about };
	return {
		key,
		version: versionOf(
			key,
			list.map(({ name, version }) => `${name}@${version}`).join("\n"),
		),
		parts: list.map((file) => ({ ...source(file), name: file.name })),
		...about,
	};
}

/** The newest list of each key. */
const newest = new Map<string, { list: string; version: number }>();

/** A number that grows whenever a file of the list, or a name, is another. */
function versionOf(key: string, list: string): number {
	const kept = newest.get(key);
	if (kept?.list === list) return kept.version;
	const version = (kept?.version ?? 0) + 1;
	newest.set(key, { list, version });
	return version;
}

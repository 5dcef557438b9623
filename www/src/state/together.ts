import type { Range } from "claimkit";
import type { TextSource } from "../engine/client.ts";
import { reports } from "./checks.ts";
import { files, manifest, type PageFile, textOf } from "./files.ts";

/** Several manifests read as one stream, and the way back from its lines to the files. */
export interface Together extends TextSource {
	get(): string;
	files: readonly PageFile[];
	/** Files that cannot be read; the others are answered without them. */
	leftOut: readonly Unread[];
	/** Returns the file of a range of the stream, and the range in it. */
	locate(range: Range): { file: PageFile; range: Range };
}

/** A file that kubectl cannot read, and where and why. */
export interface Unread {
	file: PageFile;
	/** Counted from 1; absent where the reason has no place. */
	line?: number;
	message: string;
	/** What to do about it, in the engine's words. */
	help?: string;
}

const SEPARATOR = "\n---\n";

function shift({ start, end }: Range, lines: number): Range {
	return {
		start: { ...start, line: start.line - lines },
		end: { ...end, line: end.line - lines },
	};
}

const isJson = ({ doc }: PageFile): boolean =>
	/^[\s\ufeff]*[{[]/.test(doc.sliceString(0, 200));

/**
 * A file's text as a part of a stream. JSON is YAML, but for the tabs that indent it: outside of strings, where JSON has none, a
 * blank is as good, and moves nothing.
 */
function partOf(file: PageFile): string {
	const text = textOf(file);
	return isJson(file) ? text.replace(/\t/g, " ") : text;
}

/** Several JSON values in a row are not YAML. */
function severalValues(file: PageFile): Unread | null {
	return isJson(file) && /^[}\]][ \t\r]*\n\s*[{[]/m.test(textOf(file))
		? { file, message: "several JSON values in one file" }
		: null;
}

/** A stream that begins with JSON would be read as JSON to its end. */
const YAML_AHEAD = "---\n";

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
 * Returns the texts as one stream. Classes, claims and nodes are often in files of their own; questions about all of them need them
 * together, in the order of the tabs, whether they are YAML or JSON. A file that cannot be read would end the stream: it is left
 * out, and named. `more`: those with nodes too, where a question takes one text alone.
 */
export function together(more: "" | "nodes" = ""): Together | null {
	const open = manifest.value;
	if (!open) return null;
	return streamOf(
		files.value.filter(
			(file) =>
				(file.role === "manifest" || file.role === more) &&
				(file.id === open.id || file.doc.length > 0),
		),
		open,
	);
}

/** Returns all files with nodes as one stream; null where there is none. */
export function nodesTogether(): Together | null {
	const nodes = files.value.filter(
		({ role, doc }) => role === "nodes" && doc.length > 0,
	);
	return nodes[0] ? streamOf(nodes, nodes[0]) : null;
}

function streamOf(wanted: readonly PageFile[], open: PageFile): Together {
	const unread =
		wanted.length > 1
			? wanted.flatMap((file) => unreadOf(file) ?? severalValues(file) ?? [])
			: [];
	const readable = wanted.filter(
		(file) => !unread.some(({ file: { id } }) => id === file.id),
	);
	const list = readable.length > 0 ? readable : [open];
	const leftOut = readable.length > 0 ? unread : [];
	const first = list[0];
	const ahead = list.length > 1 && first && isJson(first) ? YAML_AHEAD : "";
	const starts: number[] = [];
	let line = ahead === "" ? 0 : 1;
	for (const file of list) {
		starts.push(line);
		// The separator ends the file's last line and is a line of its own.
		line += file.doc.lines + 1;
	}
	return {
		key: `together:${list.map((file) => file.id).join("+")}`,
		// Sums would meet again: a version is a number that only this set of versions has.
		version: versionOf(
			list.map((file) => `${file.id}@${file.version}`).join(" "),
		),
		get: () =>
			list.length === 1 && first
				? textOf(first)
				: ahead + list.map(partOf).join(SEPARATOR),
		files: list,
		leftOut,
		locate(range) {
			let at = 0;
			while (
				at + 1 < starts.length &&
				(starts[at + 1] ?? 0) <= range.start.line
			)
				at += 1;
			const file = list[at] ?? open;
			return { file, range: shift(range, starts[at] ?? 0) };
		},
	};
}

const versions = new Map<string, number>();

function versionOf(name: string): number {
	let version = versions.get(name);
	if (version === undefined) {
		version = versions.size + 1;
		versions.set(name, version);
	}
	return version;
}

import type { ConvertOptions } from "claimkit";
import { editFile, notifyChange } from "../editor/editor.ts";
import { ask } from "../engine/client.ts";
import type { Conversion } from "../engine/converted.ts";
import { patchOf } from "../engine/patch.ts";
import { t } from "../i18n/index.ts";
import { download } from "./actions.ts";
import { fileById, files, type PageFile, source, textOf } from "./files.ts";
import { notify } from "./notices.ts";
import type { Target } from "./options.ts";

/** A file of the project and what a conversion makes of it. */
export interface ConvertedFile {
	file: PageFile;
	/** Null where the engine gave none. */
	answer: Conversion | null;
	/** Why there is no answer. */
	failed: string;
}

/** A version whose objects become parts of others when they are converted. Without any, no file needs another one. */
const CLASSIC = /v1alpha[12]\b/;

/** Converts every manifest, each read beside all others that it may need, one after the other. */
export async function convertAll(
	to: Target,
	options: Omit<ConvertOptions, "to">,
	tell: (done: ConvertedFile[], all: number) => void,
	current: () => boolean,
): Promise<void> {
	const manifests = files
		.peek()
		.filter(({ role, doc }) => role === "manifest" && doc.length > 0);
	const related = manifests.some((file) => CLASSIC.test(textOf(file)))
		? manifests
		: [];
	const done: ConvertedFile[] = [];
	for (const file of manifests) {
		const others = related.filter(({ id }) => id !== file.id);
		const outcome = await ask("convert-all", {
			question: "convert",
			text: source(file),
			options: { to, ...options },
			texts: { others: others.map(source) },
		});
		if (!current() || outcome.kind === "superseded") return;
		done.push(
			outcome.kind === "answer"
				? { file, answer: outcome.answer, failed: "" }
				: { file, answer: null, failed: outcome.message },
		);
		tell([...done], manifests.length);
	}
	if (manifests.length === 0) tell([], 0);
}

/** Puts the converted texts in place of the files', each as one step; all can be undone at once. */
export function applyAll(converted: readonly ConvertedFile[]): void {
	const changed: string[] = [];
	for (const { file, answer } of converted) {
		if (
			answer?.text === undefined ||
			answer.same ||
			fileById(file.id)?.version !== file.version
		)
			continue;
		editFile(file.id, {
			from: 0,
			to: file.doc.length,
			insert: answer.text.replace(/\r\n?/g, "\n"),
		});
		changed.push(file.id);
	}
	notifyChange(changed, t.peek().convertedFiles(changed.length));
}

/** Saves the changes of all files as a patch that `git apply` takes, in the folder that was opened. */
export function downloadPatch(converted: readonly ConvertedFile[]): void {
	const folder = folderOf(converted.map(({ file }) => insideOf(file.name)));
	const patches = converted.flatMap(({ file, answer }) =>
		answer?.text === undefined || answer.same
			? []
			: [
					patchOf(
						insideOf(file.name).slice(folder === "" ? 0 : folder.length + 1),
						textOf(file),
						answer.text,
					),
				],
	);
	download("claimkit.patch", patches.join(""), "text/x-diff");
	notify({ text: t.peek().savedPatch(patches.length, folder) });
}

/** Returns the folder that was opened, which is the first part of all paths; empty where they have none in common. */
function folderOf(paths: readonly string[]): string {
	const [first = ""] = paths[0]?.split("/") ?? [];
	return paths.every((path) => path.startsWith(`${first}/`)) ? first : "";
}

/** A path inside the archive: nothing leads out of the folder that it is unpacked in. */
const insideOf = (name: string): string =>
	name
		.split(/[\\/]+/)
		.filter((part) => part !== "" && part !== "." && part !== "..")
		.join("/") || "manifest.yaml";

/**
 * Saves every open file in one archive, converted ones in place of those they were made from. Browsers compress, but write no
 * archives: their directory and check sums are the library's.
 */
export async function downloadAll(
	converted: readonly ConvertedFile[] = [],
): Promise<void> {
	const { zipSync, strToU8 } = await import("fflate");
	const made = new Map(
		converted.flatMap(({ file, answer }) =>
			answer?.text === undefined ? [] : [[file.id, answer.text] as const],
		),
	);
	const entries: Record<string, Uint8Array> = {};
	for (const file of files.peek()) {
		let name = insideOf(file.name);
		// Names that differ outside the folder alone would be one inside of it.
		for (let n = 2; Object.hasOwn(entries, name); n++)
			name = insideOf(file.name).replace(/(\.[^./]*)?$/, `-${n}$1`);
		entries[name] = made.has(file.id)
			? strToU8(made.get(file.id) ?? "")
			: (file.bytes ?? strToU8(textOf(file)));
	}
	download("claimkit.zip", zipSync(entries) as Uint8Array<ArrayBuffer>);
	notify({ text: t.peek().savedAll(Object.keys(entries).length) });
}

import type { Text } from "@codemirror/state";
import { editFile } from "../editor/editor.ts";
import { worthKeeping } from "./draft.ts";
import {
	files,
	freeName,
	newFile,
	open,
	type PageFile,
	setRole,
	textOf,
} from "./files.ts";

/** The text pasted last, with the file's text before: nodes pasted over a manifest are put beside it. */
let pasted: { fileId: string; before: Text; text: string } | null = null;

/** Remembers a paste; an example that nobody touched is not worth going back to. */
export function rememberPaste(file: PageFile, text: string): void {
	pasted =
		worthKeeping() && file.doc.length > 0
			? { fileId: file.id, before: file.doc, text }
			: null;
}

/** Treats a file as nodes. A paste over a manifest becomes a file of its own, and the manifest is restored. */
export function takeAsNodes(file: PageFile): void {
	const last = pasted;
	pasted = null;
	if (
		last?.fileId === file.id &&
		textOf(file).includes(last.text.replace(/\r\n?/g, "\n").trim())
	) {
		editFile(file.id, { from: 0, to: file.doc.length, insert: last.before });
		open(newFile(freeName("nodes.yaml"), "nodes", last.text));
		return;
	}
	const alone = !files
		.peek()
		.some(({ id, role }) => role === "manifest" && id !== file.id);
	setRole(file.id, "nodes");
	if (!alone) return;
	// There is always a text to place on them, and it has the name that the nodes were pasted under.
	files.value = [
		...files
			.peek()
			.map((other) =>
				other.id === file.id
					? { ...other, name: freeName("nodes.yaml") }
					: other,
			),
		newFile(file.name, "manifest", ""),
	];
}

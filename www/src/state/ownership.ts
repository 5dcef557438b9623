import type { Range } from "claimkit";
import { toSpan } from "../editor/positions.ts";
import type { PageFile } from "./files.ts";

/** An object of a text: its place and its name. */
export interface Placed {
	file: PageFile;
	range: Range;
}

const UID = "11111111-2222-4333-8444-555555555555";

interface Change {
	fileId: string;
	from: number;
	insert: string;
}

/** Returns the start and the indentation of the fields of `metadata`; null where it is not written as a block. */
function metadataOf({
	file,
	range,
}: Placed): { from: number; indent: string; fields: string } | null {
	const { from, to } = toSpan(file.doc, range);
	const text = file.doc.sliceString(from, to);
	const found =
		/^metadata:[ \t]*(#.*)?\n((?:[ \t]*(?:#.*)?\n)*)([ \t]+)\S/m.exec(text);
	if (!found) return null;
	const indent = found[3] ?? "  ";
	const at = found.index + found[0].length - 1 - indent.length;
	const rest = text.slice(at).split("\n");
	const end = rest.findIndex(
		(line) => line.trim() !== "" && !line.startsWith(indent),
	);
	return {
		from: from + at,
		indent,
		fields: rest.slice(0, end < 0 ? rest.length : end).join("\n"),
	};
}

/**
 * Returns the fields that a cluster would have written: a UID of the pod, and the pod as owner of its scheduling context.
 */
export function ownershipChanges(
	pod: Placed,
	podName: string,
	context: Placed,
): Change[] | null {
	const [ofPod, ofContext] = [metadataOf(pod), metadataOf(context)];
	if (!ofPod || !ofContext || /^\s*ownerReferences:/m.test(ofContext.fields))
		return null;
	const uid = /^\s*uid:\s*["']?([^\s"'#]+)/m.exec(ofPod.fields)?.[1];
	const { indent } = ofContext;
	const owner = [
		"ownerReferences:",
		"- apiVersion: v1",
		"  kind: Pod",
		`  name: ${podName}`,
		`  uid: ${uid ?? UID}`,
		"  controller: true",
	];
	const changes: Change[] = [
		{
			fileId: context.file.id,
			from: ofContext.from,
			insert: owner.map((line) => `${indent}${line}\n`).join(""),
		},
	];
	if (uid === undefined)
		changes.push({
			fileId: pod.file.id,
			from: ofPod.from,
			insert: `${ofPod.indent}uid: ${UID}\n`,
		});
	return changes.sort((a, b) => b.from - a.from);
}

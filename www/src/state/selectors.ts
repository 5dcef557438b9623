import type { Range } from "claimkit";
import { editFile, notifyChange } from "../editor/editor.ts";
import { toSpan } from "../editor/positions.ts";
import { ask } from "../engine/client.ts";
import { t } from "../i18n/index.ts";
import { fileById, type PageFile, source } from "./files.ts";
import { announce } from "./notices.ts";
import type { Together } from "./together.ts";

/** Returns an expression as YAML or JSON writes it, in one line. */
function written(expression: string, json: boolean): string {
	// Within single quotes double ones need no escape, and the reverse; characters that cannot be printed do.
	return json || /[\n\r\t\u0000-\u001f]/.test(expression)
		? JSON.stringify(expression)
		: `'${expression.replace(/'/g, "''")}'`;
}

/** Returns the places of an expression in a file. */
async function placesIn(
	file: PageFile,
	expression: string,
): Promise<{ file: PageFile; range: Range }[]> {
	const outcome = await ask(`symbols:${file.id}`, {
		question: "symbols",
		text: source(file),
		options: {},
	});
	return outcome.kind === "answer"
		? outcome.answer.selectors
				.filter((selector) => selector.expression === expression)
				.map(({ range }) => ({ file, range }))
		: [];
}

/** Writes an expression in place of every selector of the files that has the old one. */
export async function writeSelector(
	all: Together,
	before: string,
	expression: string,
): Promise<void> {
	const s = t.peek();
	const places = (
		await Promise.all(all.files.map((file) => placesIn(file, before)))
	).flat();
	const files = [...new Set(places.map(({ file }) => file))];
	if (
		places.length === 0 ||
		files.some((file) => fileById(file.id)?.version !== file.version)
	) {
		announce(s.textChanged);
		return;
	}
	for (const file of files) {
		const json = /^[\s\ufeff]*[{[]/.test(file.doc.sliceString(0, 200));
		const changes = places
			.filter((place) => place.file === file)
			.map(({ range }) => ({
				...toSpan(file.doc, range),
				insert: written(expression, json),
			}));
		editFile(file.id, changes);
	}
	notifyChange(
		files.map(({ id }) => id),
		s.selectorWritten(places.length),
	);
}

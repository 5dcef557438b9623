import { editFile, notifyChange } from "../editor/editor.ts";
import { toSpan } from "../editor/positions.ts";
import { ask } from "../engine/client.ts";
import { t } from "../i18n/index.ts";
import { fileById } from "./files.ts";
import { announce } from "./notices.ts";
import type { Together } from "./together.ts";

/** Returns an expression as YAML or JSON writes it, in one line. */
function written(expression: string, json: boolean): string {
	// Within single quotes double ones need no escape, and the reverse; characters that cannot be printed do.
	return json || /[\n\r\t\u0000-\u001f]/.test(expression)
		? JSON.stringify(expression)
		: `'${expression.replace(/'/g, "''")}'`;
}

/** Writes an expression in place of every selector of the text that has the old one. */
export async function writeSelector(
	all: Together,
	before: string,
	expression: string,
): Promise<void> {
	const s = t.peek();
	const outcome = await ask("symbols", {
		question: "symbols",
		text: all,
		options: {},
	});
	if (outcome.kind !== "answer") return;
	const places = outcome.answer.selectors
		.filter((selector) => selector.expression === before)
		.map(({ range }) => all.locate(range));
	if (
		places.length === 0 ||
		places.some(({ file }) => fileById(file.id)?.version !== file.version)
	) {
		announce(s.textChanged);
		return;
	}
	const files = [...new Set(places.map(({ file }) => file))];
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

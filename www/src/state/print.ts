/**
 * A JSON value as block YAML, fields in their order, for showing what the server holds. Strings that YAML 1.1
 * could read as anything else are quoted.
 */
export function printYaml(value: unknown): string {
	const lines: string[] = [];
	print(value, "", "", lines);
	return `${lines.join("\n")}\n`;
}

const PLAIN = /^[A-Za-z][A-Za-z0-9_./-]*$/;
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

function scalar(value: unknown): string {
	if (typeof value === "string")
		return PLAIN.test(value) && !WORDS.test(value)
			? value
			: JSON.stringify(value);
	return JSON.stringify(value) ?? "null";
}

function key(name: string): string {
	return PLAIN.test(name) && !WORDS.test(name) ? name : JSON.stringify(name);
}

function print(
	value: unknown,
	indent: string,
	lead: string,
	lines: string[],
): void {
	if (Array.isArray(value)) {
		if (value.length === 0) lines.push(`${lead}[]`);
		for (const [index, item] of value.entries())
			print(item, `${indent}  `, `${index === 0 ? lead : indent}- `, lines);
		return;
	}
	if (typeof value === "object" && value !== null) {
		const entries = Object.entries(value);
		if (entries.length === 0) lines.push(`${lead}{}`);
		entries.forEach(([name, field], index) => {
			const start = `${index === 0 ? lead : indent}${key(name)}:`;
			const nested =
				typeof field === "object" &&
				field !== null &&
				(Array.isArray(field) ? field.length : Object.keys(field).length) > 0;
			if (!nested) {
				lines.push(
					`${start} ${Array.isArray(field) ? "[]" : typeof field === "object" && field !== null ? "{}" : scalar(field)}`,
				);
				return;
			}
			lines.push(start);
			const deeper = Array.isArray(field) ? indent : `${indent}  `;
			print(field, deeper, deeper, lines);
		});
		return;
	}
	lines.push(`${lead}${scalar(value)}`);
}

/** A value with the fields of every map in the order another value has them, and those it does not have behind. */
export function likeIn(value: unknown, like: unknown): unknown {
	if (Array.isArray(value))
		return value.map((item, index) =>
			likeIn(item, Array.isArray(like) ? like[index] : undefined),
		);
	if (typeof value !== "object" || value === null) return value;
	const order =
		typeof like === "object" && like !== null && !Array.isArray(like)
			? (like as Record<string, unknown>)
			: {};
	const fields = value as Record<string, unknown>;
	const keys = [
		...Object.keys(order).filter((name) => name in fields),
		...Object.keys(fields).filter((name) => !(name in order)),
	];
	return Object.fromEntries(
		keys.map((name) => [name, likeIn(fields[name], order[name])]),
	);
}

/** A string literal of a Rust source, with its escapes read. */
export interface Literal {
	line: number;
	text: string;
	/** The code on its left, up to 200 characters: who takes it. */
	before: string;
}

const ESCAPES: Record<string, string> = {
	n: "\n",
	r: "\r",
	t: "\t",
	"0": "\0",
};
/** A comment, a string, a raw string, a character, an attribute that only tests have, another attribute, or a single sign. */
const TOKEN =
	/\/\/[^\n]*|\/\*[\s\S]*?\*\/|\b[bc]?r(#*)"([\s\S]*?)"\1|[bc]?"((?:[^"\\]|\\[\s\S])*)"|b?'(?:[^'\\\n]|\\(?:u\{\w+\}|x\w\w|.))'|#\[cfg\(test\)\]|#!?\[(?:[^\]"]|"(?:[^"\\]|\\[\s\S])*")*\]|[\s\S]/g;

/** Reads the escapes of a string; a backslash at the end of a line takes the next line's indentation with it. */
const unescaped = (text: string) =>
	text.replace(
		/\\(?:\n\s*|u\{(\w+)\}|x(\w\w)|([\s\S]))/g,
		(_, long?: string, short?: string, sign?: string) => {
			const code = long ?? short;
			if (code !== undefined) return String.fromCodePoint(parseInt(code, 16));
			return sign === undefined ? "" : (ESCAPES[sign] ?? sign);
		},
	);

/** Returns the strings of a source, without those of comments, attributes and whatever only tests compile. */
export function literalsOf(source: string): Literal[] {
	const found: Literal[] = [];
	/** How deep the braces are of an item that only tests have; -1 before its first one. */
	let inTest: number | undefined;
	let before = "";
	for (const token of source.matchAll(TOKEN)) {
		const [text, , raw, written] = token;
		if (text === "#[cfg(test)]") inTest ??= -1;
		else if (inTest !== undefined) {
			if (text === "{") inTest = Math.max(inTest, 0) + 1;
			else if (text === "}") inTest -= 1;
			if (inTest === 0 || (inTest === -1 && text === ";")) inTest = undefined;
		} else if (raw !== undefined || written !== undefined) {
			found.push({
				line: source.slice(0, token.index).split("\n").length,
				text: raw ?? unescaped(written ?? ""),
				before,
			});
		}
		if (text.length === 1 || raw !== undefined || written !== undefined)
			before = (before + text).slice(-200);
	}
	return found;
}

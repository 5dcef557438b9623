import { yamlLanguage } from "@codemirror/lang-yaml";
import {
	LanguageSupport,
	StreamLanguage,
	type StringStream,
} from "@codemirror/language";
import { type Input, parseMixed, type SyntaxNode } from "@lezer/common";

/** The state of the reader: inside a string, or just behind a dot. */
interface State {
	/** The quotes that end the string. */
	open: string | null;
	/** `r"…"`: backslashes are characters. */
	raw: boolean;
	/** A name is one of a field. */
	dot: boolean;
}

function insideString(stream: StringStream, state: State): string {
	while (!stream.eol()) {
		if (state.open && stream.match(state.open)) {
			state.open = null;
			break;
		}
		if (stream.next() === "\\" && !state.raw) stream.next();
	}
	// Only three quotes hold a string together over lines.
	if (stream.eol() && state.open?.length === 1) state.open = null;
	return "string";
}

/** The words of CEL, for colors only: the engine reports the errors of an expression. */
const cel = StreamLanguage.define<State>({
	name: "cel",
	startState: () => ({ open: null, raw: false, dot: false }),
	copyState: (state) => ({ ...state }),
	token(stream, state) {
		if (state.open) return insideString(stream, state);
		if (stream.eatSpace()) return null;
		const { dot } = state;
		state.dot = false;
		if (stream.match("//")) {
			stream.skipToEnd();
			return "lineComment";
		}
		const quotes = stream.match(
			/^([rRbB]{0,2})("""|'''|"|')/,
		) as RegExpMatchArray | null;
		if (quotes) {
			state.raw = /r/i.test(quotes[1] ?? "");
			state.open = quotes[2] ?? null;
			return insideString(stream, state);
		}
		if (
			stream.match(
				/^(0[xX][0-9a-fA-F]+|\d+(\.\d+)?([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?)[uU]?/,
			)
		)
			return "number";
		if (stream.match(/^[A-Za-z_][A-Za-z0-9_]*/)) {
			if (stream.match(/^\s*\(/, false)) return "variableName.function";
			if (dot) return "propertyName";
			if (["true", "false", "null"].includes(stream.current())) return "atom";
			return stream.current() === "in" ? "keyword" : "variableName";
		}
		if (stream.match(/^(&&|\|\||[=!<>]=|[-+*/%<>!?:])/)) return "operator";
		state.dot = stream.next() === ".";
		if (state.dot) stream.eat("?");
		return "punctuation";
	},
});

/** An expression that stands alone. */
export const celAlone = new LanguageSupport(cel);

const WRAPPERS = ["BlockLiteral", "Anchored", "Tagged"];

const keyOf = (pair: SyntaxNode | null, input: Input): string => {
	const key = pair?.name === "Pair" ? pair.getChild("Key") : null;
	return key ? input.read(key.from, key.to).replace(/^["']|["']$/g, "") : "";
};

/** Is a value the text of an expression: `cel: {expression: …}`, in 1.30 `namedResources: {selector: …}`? */
function isExpression(value: SyntaxNode, input: Input): boolean {
	let pair = value.parent;
	while (pair && WRAPPERS.includes(pair.name)) pair = pair.parent;
	const key = keyOf(pair, input);
	if (key !== "expression" && key !== "selector") return false;
	return (
		keyOf(pair?.parent?.parent ?? null, input) ===
		(key === "expression" ? "cel" : "namedResources")
	);
}

/**
 * Returns the pieces of a value that belong to the expression: without the quotes and the characters that only escape
 * others.
 */
function pieces(
	value: SyntaxNode,
	input: Input,
): { from: number; to: number }[] {
	if (value.name !== "QuotedLiteral")
		return [{ from: value.from, to: value.to }];
	const text = input.read(value.from, value.to);
	const quote = text[0];
	const end =
		text.length > 1 && text.endsWith(quote ?? "")
			? text.length - 1
			: text.length;
	const found: { from: number; to: number }[] = [];
	let from = 1;
	const skip = (at: number) => {
		if (at > from) found.push({ from: value.from + from, to: value.from + at });
		from = at + 1;
	};
	for (let at = 1; at < end; at++) {
		const escapes =
			quote === "'"
				? text[at] === "'"
				: text[at] === "\\" && /["\\/]/.test(text[at + 1] ?? "");
		if (escapes && at + 1 < end) {
			skip(at);
			at++;
		}
	}
	skip(end);
	return found;
}

/** Returns the language YAML with colors for CEL expressions in it. */
export function yamlWithExpressions(): LanguageSupport {
	const wrap = parseMixed((node, input) => {
		if (
			!["Literal", "QuotedLiteral", "BlockLiteralContent"].includes(
				node.name,
			) ||
			!isExpression(node.node, input)
		)
			return null;
		const overlay = pieces(node.node, input);
		return overlay.length > 0 ? { parser: cel.parser, overlay } : null;
	});
	return new LanguageSupport(yamlLanguage.configure({ wrap }));
}

/** A sentence of the engine as a pattern, and what it is in the page's language. */
export interface Rule {
  pattern: RegExp;
  /** The translated sentence in pieces, a hole between each two. */
  pieces: string[];
  /** Which holes are sentences themselves. */
  inner: boolean[];
}

const HOLE = /\{t?\}/;
const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Between the requirements that a node misses. */
const REQUIREMENTS = /; (?=label |field |the name )/;

/** The rule with most words of its own comes first: `write {}` fits much that others say better. */
export function makeRules(sentences: readonly (readonly [string, string])[]): Rule[] {
  const own = ([from]: readonly [string, string]) => from.replace(/\{t?\}/g, "").length;
  return [...sentences].sort((a, b) => own(b) - own(a)).map(([from, to]) => {
    const holes = from.match(/\{t?\}/g) ?? [];
    const source = from.split(HOLE).map(escape);
    return { pattern: new RegExp(`^${source.join("([^]*?)")}$`), pieces: to.split(HOLE), inner: holes.map((hole) => hole === "{t}") };
  });
}

/** The sentence by the first rule that fits it; as it is where none does. */
export function translate(text: string, list: readonly Rule[], depth = 0): string {
  const parts = text.split(REQUIREMENTS);
  if (depth > 0 && parts.length > 1) return parts.map((part) => translate(part, list, depth + 1)).join("；");
  for (const { pattern, pieces, inner } of list) {
    const found = pattern.exec(text);
    if (!found) continue;
    return pieces.map((piece, index) => {
      if (index === 0) return piece;
      const part = found[index] ?? "";
      return (inner[index - 1] && depth < 8 ? translate(part, list, depth + 1) : part) + piece;
    }).join("");
  }
  return text;
}

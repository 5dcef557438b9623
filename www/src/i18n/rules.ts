/** A sentence of the engine as a pattern, and what it is in the page's language. */
export interface Rule {
  pattern: RegExp;
  /** The translated sentence in pieces, a hole between each two. */
  pieces: string[];
  /** For each hole of the translation, the capture that fills it. */
  order: number[];
  /** For each hole, whether it is a sentence itself. */
  inner: boolean[];
}

const HOLE = /\{t?\}/;
/** In the translation a number says which one is meant, where the order is another. */
const PLACED = /\{(?:t|\d+)?\}/;
const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Between the requirements that a node misses, and between the fields that an update changes: each is translated by itself. */
const BETWEEN = /; (?=label |field |the name )|, (?=`[^`]*` (?:differs from what is stored|is (?:set|not set|`[^`]*`), (?:but is stored|stored is )))|, (?=and more$)/;

/** The rule with most words of its own comes first: `write {}` fits much that others say better. */
export function makeRules(sentences: readonly (readonly [string, string])[]): Rule[] {
  const own = ([from]: readonly [string, string]) => from.replace(/\{t?\}/g, "").length;
  return [...sentences].sort((a, b) => own(b) - own(a)).map(([from, to]) => {
    const holes = from.match(/\{t?\}/g) ?? [];
    const [start = "", ...source] = from.split(HOLE).map(escape);
    // A sentence begins with a name, which does not extend past a colon into the next sentence.
    const hole = (index: number) => (index === 0 && start === "" && holes[0] === "{}" ? "((?:(?!: )[^])*?)" : "([^]*?)");
    const pattern = new RegExp(`^${start}${source.map((piece, index) => hole(index) + piece).join("")}$`);
    const order = [...to.matchAll(new RegExp(PLACED, "g"))].map(([found], index) => (/\d/.test(found) ? Number(found.slice(1, -1)) : index));
    return { pattern, pieces: to.split(PLACED), order, inner: holes.map((hole) => hole === "{t}") };
  });
}

/** The sentence by the first rule that fits it; as it is where none does. */
export function translate(text: string, list: readonly Rule[], depth = 0): string {
  const parts = text.split(BETWEEN);
  if (depth > 0 && parts.length > 1) return parts.map((part) => translate(part, list, depth + 1)).join("；");
  for (const { pattern, pieces, order, inner } of list) {
    const found = pattern.exec(text);
    if (!found) continue;
    return pieces.map((piece, index) => {
      if (index === 0) return piece;
      const hole = order[index - 1] ?? index - 1;
      const part = found[hole + 1] ?? "";
      return (inner[hole] && depth < 8 ? translate(part, list, depth + 1) : part) + piece;
    }).join("");
  }
  return text;
}

import { yamlLanguage } from "@codemirror/lang-yaml";
import type { Text } from "@codemirror/state";
import type { Range } from "../contract.ts";
import { toSpan } from "./positions.ts";

type SyntaxNode = ReturnType<typeof yamlLanguage.parser.parse>["topNode"];

/** A change of a claim as the engine names it: a path of the API's newest version, and what becomes of what stands there. */
export interface PathChange {
  drop?: string;
  add?: string;
  set?: string;
  path?: string;
  to?: string;
  toleration?: Record<string, string>;
}

interface Edit {
  from: number;
  to: number;
  insert: string;
}

/** The steps of `a.b[0].c[name]`. */
const stepsOf = (path: string): (string | number)[] => [...path.matchAll(/\[(\d+)\]|\[([^\]]+)\]|([^.[\]]+)/g)].map(([, index, key, name]) => (index === undefined ? (key ?? name ?? "") : Number(index)));

const VALUES = new Set(["BlockMapping", "FlowMapping", "BlockSequence", "FlowSequence", "Literal", "QuotedLiteral", "BlockLiteral", "Anchored", "Tagged", "Alias"]);

/** An object's text with its syntax tree; `shift` leads from places in it to the document's. */
class Tree {
  readonly text: string;
  readonly root: SyntaxNode;
  private readonly shift: number;

  constructor(doc: Text, range: Range) {
    const { from, to } = toSpan(doc, range);
    // An item of a list begins in mid-line: its first line is as far in as the others.
    const line = doc.lineAt(from);
    this.text = " ".repeat(from - line.from) + doc.sliceString(from, to);
    this.shift = line.from;
    this.root = yamlLanguage.parser.parse(this.text).topNode;
  }

  edit(from: number, to: number, insert: string): Edit {
    return { from: from + this.shift, to: to + this.shift, insert };
  }

  of(node: SyntaxNode): string {
    return this.text.slice(node.from, node.to);
  }

  top(): SyntaxNode | null {
    const document = this.root.getChild("Document");
    return document && valueIn(document);
  }

  pair(mapping: SyntaxNode, name: string): SyntaxNode | undefined {
    return mapping.getChildren("Pair").find((pair) => {
      const key = pair.getChild("Key");
      return key !== null && this.of(key).replace(/^["']|["']$/g, "") === name;
    });
  }

  /** The node of a path as far as it is written, and the steps that are not. */
  walk(path: string): { node: SyntaxNode; holder: SyntaxNode; rest: (string | number)[] } | null {
    let node = this.top();
    if (!node) return null;
    let holder = node;
    const steps = stepsOf(path);
    while (steps.length > 0) {
      const step = steps[0]!;
      const next: SyntaxNode | undefined = typeof step === "number" ? node.getChildren("Item")[step] : this.pair(node, step);
      const value: SyntaxNode | null = next ? valueIn(next) : null;
      if (!next || !value) {
        // v1beta1 and v1alpha3 have what v1 has under `exactly` in the request itself.
        if (step === "exactly") {
          steps.shift();
          continue;
        }
        break;
      }
      steps.shift();
      holder = next;
      node = value;
    }
    return { node, holder, rest: steps };
  }

  /** Where the line of a place begins if nothing but indentation and a dash stands before it. */
  lineStart(at: number): number | null {
    const start = this.text.lastIndexOf("\n", at - 1) + 1;
    return /^[ ]*(- *)?$/.test(this.text.slice(start, at)) ? start : null;
  }

  /** Behind a node and the comment on its last line. */
  after(node: SyntaxNode): number {
    const end = this.text.indexOf("\n", node.to);
    const to = end < 0 ? this.text.length : end;
    return /^[ \t]*(#.*)?\r?$/.test(this.text.slice(node.to, to)) ? to : node.to;
  }

  indentOf(at: number): string {
    return " ".repeat(at - (this.text.lastIndexOf("\n", at - 1) + 1));
  }
}

/** The value in an item, a pair or a document. */
function valueIn(node: SyntaxNode): SyntaxNode | null {
  for (let child = node.lastChild; child; child = child.prevSibling) {
    if (VALUES.has(child.name)) return child.name === "Anchored" || child.name === "Tagged" ? (valueIn(child) ?? child) : child;
  }
  return null;
}

const firstOf = (node: SyntaxNode, ...names: string[]): SyntaxNode => node.getChildren(names[0]!)[0] ?? node;

/** Takes away an entry of a list or mapping, with its line or its comma; the last entry takes the whole field along. */
function remove(tree: Tree, holder: SyntaxNode): Edit | null {
  const parent = holder.parent;
  if (!parent) return null;
  const siblings = parent.getChildren(holder.name);
  if (siblings.length === 1 && holder.name === "Item" && parent.parent) return remove(tree, parent.parent);
  if (parent.name.startsWith("Flow")) {
    const next = holder.nextSibling?.name === "," ? holder.nextSibling : null;
    const before = holder.prevSibling?.name === "," ? holder.prevSibling : null;
    if (next) return tree.edit(holder.from, next.to + (tree.text[next.to] === " " ? 1 : 0), "");
    return tree.edit(before?.from ?? holder.from, holder.to, "");
  }
  const begin = holder.name === "Item" ? (holder.prevSibling ?? holder).from : holder.from;
  const start = tree.lineStart(begin);
  const end = tree.text.indexOf("\n", holder.to);
  // The first field of a list's item shares its line with the dash: the next field moves there.
  if (start === null || (holder.name === "Pair" && tree.text.slice(start, begin).includes("-"))) {
    const next = holder.nextSibling;
    return next ? tree.edit(begin, next.from, "") : null;
  }
  return tree.edit(start, end < 0 ? tree.text.length : end + 1, "");
}

function flow(value: Record<string, string>, json: boolean): string {
  const word = (text: string) => (!json && /^[A-Za-z][\w./-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text) ? text : JSON.stringify(text));
  return `{${Object.entries(value).map(([key, text]) => `${json ? JSON.stringify(key) : key}: ${word(text)}`).join(", ")}}`;
}

/** Adds an entry to a list, which is made if it is not there. */
function append(tree: Tree, path: string, value: Record<string, string>): Edit | null {
  const found = tree.walk(path);
  if (!found) return null;
  const { node, rest } = found;
  const json = /^\s*["{]/.test(tree.text) && tree.text.trimStart().startsWith("{");
  const entry = flow(value, json);
  const [name, ...others] = rest;
  if (name === undefined) {
    if (node.name === "FlowSequence") return tree.edit(node.to - 1, node.to - 1, node.getChild("Item") ? `, ${entry}` : entry);
    if (node.name !== "BlockSequence") return null;
    return tree.edit(tree.after(node), tree.after(node), `\n${tree.indentOf(node.from)}- ${entry}`);
  }
  if (others.length > 0 || typeof name === "number") return null;
  if (node.name === "FlowMapping") return tree.edit(node.to - 1, node.to - 1, `, ${json ? JSON.stringify(name) : name}: [${entry}]`);
  if (node.name !== "BlockMapping") return null;
  const indent = tree.indentOf(firstOf(node, "Pair").from);
  return tree.edit(tree.after(node), tree.after(node), `\n${indent}${name}:\n${indent}- ${entry}`);
}

/** The edits that make a change in an object of a document; null where its text is written in a way they cannot be made. */
export function editsFor(doc: Text, object: Range, change: PathChange): Edit | null {
  if (!change.path) return null;
  const tree = new Tree(doc, object);
  if (change.add && change.toleration) return append(tree, change.path, change.toleration);
  const found = tree.walk(change.path);
  if (!found || found.rest.length > 0) return null;
  if (change.drop) return remove(tree, found.holder);
  if (!change.set || change.to === undefined || !found.node.name.endsWith("Literal")) return null;
  const quote = /^["']/.exec(tree.of(found.node))?.[0] ?? "";
  return tree.edit(found.node.from, found.node.to, quote + change.to + quote);
}

/** Where a path of an object is written, as far as it is. */
export function spanOf(doc: Text, object: Range, path: string): { from: number; to: number } | null {
  const tree = new Tree(doc, object);
  const found = tree.walk(path);
  if (!found) return null;
  const { from, to } = tree.edit(found.holder.from, found.holder.to, "");
  return { from, to };
}

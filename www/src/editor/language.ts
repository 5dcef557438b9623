import { autocompletion, snippet, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { hoverTooltip, type EditorView, type Tooltip } from "@codemirror/view";
import { ask, type TextSource } from "../engine/client.ts";
import { lang } from "../i18n/index.ts";
import { release } from "../state/options.ts";
import type { Range } from "../contract.ts";
import { toPosition, toSpan } from "./positions.ts";

/** The engine's hover answer, as far as the page shows it. */
interface Hover {
  range?: Range | null;
  title?: string;
  path?: string;
  type?: string;
  required?: boolean;
  since?: string;
  until?: string;
  documentation?: string;
  contents?: string;
  facts?: string[];
}

interface CompletionItem {
  label: string;
  detail?: string;
  documentation?: string;
  insertText?: string;
  kind?: string;
  range?: Range | null;
}

const KIND: Record<string, string> = { key: "property", field: "property", value: "enum", enum: "enum", kind: "class", apiVersion: "namespace" };

function requestOptions(): Record<string, unknown> {
  return { locale: lang.value, ...(release.value ? { release: release.value } : {}) };
}

function text(parent: HTMLElement, className: string, content: string): void {
  const element = document.createElement("div");
  element.className = className;
  element.textContent = content;
  parent.append(element);
}

function hoverDom(hover: Hover): HTMLElement {
  const box = document.createElement("div");
  box.className = "cm-tip";
  const title = hover.title ?? hover.path;
  if (title) text(box, "cm-tip-title", title);
  const documentation = hover.documentation ?? hover.contents;
  const meta = hover.facts ?? [hover.type, hover.since && `${hover.since}${hover.until ? ` – ${hover.until}` : ""}`].filter((part): part is string => !!part);
  if (meta.length > 0) text(box, "cm-tip-meta", meta.join(" · "));
  if (documentation) text(box, "cm-tip-text", documentation);
  return box;
}

/** Field documentation under the pointer, from the schema tables. */
export function hovers(source: () => TextSource | undefined) {
  return hoverTooltip(
    async (view: EditorView, pos: number): Promise<Tooltip | null> => {
      const current = source();
      if (!current) return null;
      const outcome = await ask<Hover | null>("hover", { verb: "hover", text: current, position: toPosition(view.state.doc, pos), options: requestOptions() }, true);
      if (outcome.kind !== "answer" || !outcome.answer) return null;
      const hover = outcome.answer;
      if (!hover.title && !hover.path && !hover.documentation && !hover.contents) return null;
      const span = hover.range ? toSpan(view.state.doc, hover.range) : { from: pos, to: pos };
      return { pos: span.from, end: span.to, above: true, create: () => ({ dom: hoverDom(hover) }) };
    },
    { hoverTime: 350 },
  );
}

/** Keys, enum values, kinds and API versions that fit the place. */
export function completions(source: () => TextSource | undefined) {
  const complete = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const current = source();
    if (!current) return null;
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const word = /[A-Za-z0-9_./-]*$/.exec(before)?.[0] ?? "";
    // Unasked only where something can stand: after a word's first character, or in the empty part of a value.
    if (!context.explicit && word === "" && !/:\s$/.test(before)) return null;
    const outcome = await ask<{ items?: CompletionItem[] } | CompletionItem[]>(
      "complete",
      { verb: "complete", text: current, position: toPosition(context.state.doc, context.pos), options: requestOptions() },
      true,
    );
    if (outcome.kind !== "answer" || !outcome.answer) return null;
    const items = Array.isArray(outcome.answer) ? outcome.answer : (outcome.answer.items ?? []);
    if (items.length === 0) return null;
    const options = items.map((item): Completion => {
      const insert = item.insertText ?? item.label;
      return {
        label: item.label,
        type: KIND[item.kind ?? ""] ?? "property",
        ...(item.detail ? { detail: item.detail } : {}),
        ...(item.documentation ? { info: item.documentation } : {}),
        apply: insert.includes("${") ? snippet(insert) : insert,
      };
    });
    const from = items[0]?.range ? toSpan(context.state.doc, items[0].range).from : context.pos - word.length;
    return { from, options, validFor: /^[A-Za-z0-9_./-]*$/ };
  };
  return autocompletion({ override: [complete], icons: false, activateOnTypingDelay: 60 });
}

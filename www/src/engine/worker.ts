/// <reference lib="webworker" />
// The Wasm module lives here, so that no keystroke waits for it and a crash costs a worker, not the page.
import * as wasm from "claimkit-wasm";
import enUrl from "../../../pkg/locale/en.json?url";
import zhUrl from "../../../pkg/locale/zh-Hans.json?url";
import wasmUrl from "../../../pkg/claimkit_bg.wasm?url";
import { admission, type AdmissionOptions } from "./admission.ts";
import { readLabels } from "./nodes.ts";
import { compactPlacements } from "./placement.ts";
import { shorten } from "./report.ts";
import type { Ask, Tell, TextRef } from "./protocol.ts";
import type { Answer } from "../contract.ts";

declare const self: DedicatedWorkerGlobalScope;

const module = wasm as unknown as Record<string, unknown> & { default: (init: { module_or_path: URL }) => Promise<WebAssembly.Exports> };
const texts = new Map<string, { version: number; text: string }>();
let keptLabels: { text: string; labels: ReturnType<typeof readLabels> } | null = null;

const tell = (message: Tell) => self.postMessage(message);

/** Every text a message brings is kept, whatever becomes of the message: the page does not send it twice. */
function keep(ref: TextRef): void {
  if (ref.text !== undefined) texts.set(ref.key, { version: ref.version, text: ref.text });
}

function textOf(ref: TextRef): string {
  const kept = texts.get(ref.key);
  if (!kept || kept.version !== ref.version) throw new Error(`the worker does not have ${ref.key}@${ref.version}`);
  return kept.text;
}

function raw(text: string): unknown {
  const parse = module["parse"] as (text: string, options: { raw: true }) => { raw?: unknown };
  return parse(text, { raw: true }).raw;
}

/** Verbs asked as contract requests; the others have functions of their own, which copy their text once less. */
const REQUESTS = ["hover", "complete", "fixes", "admit"];
const SENTENCES: Record<string, string> = { en: enUrl, "zh-Hans": zhUrl };
const sentences = new Map<string, Promise<unknown>>();

/** The sentences of a language, fetched once, when something is told in it for the first time. */
function sentencesOf(locale: string): Promise<unknown> {
  let kept = sentences.get(locale);
  if (!kept) {
    const url = new URL(SENTENCES[locale] ?? enUrl, import.meta.url);
    kept = fetch(url).then((response) => (response.ok ? response.json() : undefined));
    kept.catch(() => sentences.delete(locale));
    sentences.set(locale, kept);
  }
  return kept;
}

/** Nodes are read once per change of their text, not for every change of the manifest. */
interface Prepared {
  evaluate(text: string, options: Record<string, unknown>): Answer;
  free(): void;
}

const prepared = new Map<string, { version: number; nodes: Prepared }>();

function nodesOf(ref: TextRef): Prepared {
  const kept = prepared.get(ref.key);
  if (kept?.version === ref.version) return kept.nodes;
  kept?.nodes.free();
  prepared.delete(ref.key);
  const nodes = (module["prepareNodes"] as (text: string) => Prepared)(textOf(ref));
  prepared.set(ref.key, { version: ref.version, nodes });
  return nodes;
}

function contract(request: Record<string, unknown>): Answer {
  return JSON.parse((module["answer"] as (request: string) => string)(JSON.stringify(request))) as Answer;
}

async function answer(ask: Ask): Promise<unknown> {
  const options: Record<string, unknown> = { ...ask.options };
  for (const [name, ref] of Object.entries(ask.refs ?? {})) options[name] = textOf(ref);
  const text = textOf(ask.text);
  const verb = module[ask.verb] as (text: string, options: Record<string, unknown>) => Answer;
  switch (ask.shape) {
    case "report":
      return shorten(verb(text, options));
    case "placement": {
      const result = nodesOf(ask.refs!["nodes"]!).evaluate(text, { ...ask.options, detail: "summary" });
      const nodes = options["nodes"] as string;
      if (keptLabels?.text !== nodes) keptLabels = { text: nodes, labels: readLabels(nodes, raw) };
      return compactPlacements(result, keptLabels.labels);
    }
    case "cell": {
      const { object, node, name } = ask.cell!;
      const result = nodesOf(ask.refs!["nodes"]!).evaluate(text, { ...ask.options, detail: "summary", explain: [name] });
      return result.objects[object]?.placement?.nodes[node] ?? null;
    }
    case "admission": {
      const { settings, old, ...rest } = options as { settings: string; old?: string } & Record<string, unknown>;
      const parse = module["parse"] as typeof verb;
      return admission({ manifest: text, settings, ...(old === undefined ? {} : { old }) }, rest as unknown as AdmissionOptions, parse, contract);
    }
    default: {
      if (!REQUESTS.includes(ask.verb)) return verb(text, options);
      const { locale } = options;
      const told = typeof locale === "string" ? { sentences: await sentencesOf(locale) } : {};
      const result = contract({ verb: ask.verb, text, ...options, ...told });
      if (result.error) throw new Error(result.error);
      return result;
    }
  }
}

async function handle(ask: Ask): Promise<void> {
  if (!(await started)) return;
  keep(ask.text);
  for (const ref of Object.values(ask.refs ?? {})) keep(ref);
  if (typeof module[ask.verb] !== "function") {
    tell({ kind: "unknown-verb", id: ask.id });
    return;
  }
  const start = performance.now();
  try {
    const result = await answer(ask);
    tell({ kind: "answer", id: ask.id, answer: result, ms: performance.now() - start });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A trap leaves the instance in an unknown state: the page throws this worker away and starts another.
    tell({ kind: error instanceof WebAssembly.RuntimeError ? "crashed" : "refused", id: ask.id, message });
  }
}

self.addEventListener("message", ({ data }: MessageEvent<Ask>) => void handle(data));

const start = performance.now();
/** Whether the module could be started; the page has been told if not. */
const started: Promise<boolean> = module.default({ module_or_path: new URL(wasmUrl, import.meta.url) }).then(
  () => {
    tell({ kind: "ready", ms: performance.now() - start });
    return true;
  },
  (error: unknown) => {
    tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
    return false;
  },
);

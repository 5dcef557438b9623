/// <reference lib="webworker" />
// The Wasm module lives here, so that no keystroke waits for it and a crash costs a worker, not the page.
import * as wasm from "claimkit-wasm";
import wasmUrl from "../../../pkg/claimkit_bg.wasm?url";
import { readLabels } from "./nodes.ts";
import { compactPlacements } from "./placement.ts";
import { shorten } from "./report.ts";
import type { Ask, Tell, TextRef } from "./protocol.ts";
import type { Answer } from "../contract.ts";

declare const self: DedicatedWorkerGlobalScope;

type Callable = (...args: unknown[]) => unknown;
const module = wasm as unknown as Record<string, unknown> & { default: (init: { module_or_path: URL }) => Promise<unknown> };
const texts = new Map<string, { version: number; text: string }>();
let keptPlacement: Answer | null = null;
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
  return typeof module["parse"] === "function" ? ((module["parse"] as Callable)(text, { raw: true }) as { raw?: unknown }).raw : undefined;
}

function answer(ask: Ask): unknown {
  if (ask.shape === "cell" && ask.cell) {
    return keptPlacement?.objects[ask.cell.object]?.placement?.nodes[ask.cell.node] ?? null;
  }
  const verb = module[ask.verb];
  const text = textOf(ask.text);
  const options: Record<string, unknown> = { ...ask.options };
  for (const [name, ref] of Object.entries(ask.refs ?? {})) options[name] = textOf(ref);
  if (ask.verb === "releases" || ask.verb === "codes") return (verb as Callable)(options);
  const result = ask.position === undefined ? (verb as Callable)(text, options) : (verb as Callable)(text, ask.position, options);
  if (ask.shape === "placement") {
    keptPlacement = result as Answer;
    const nodes = typeof options["nodes"] === "string" ? options["nodes"] : "";
    if (keptLabels?.text !== nodes) keptLabels = { text: nodes, labels: readLabels(nodes, raw) };
    return compactPlacements(keptPlacement, keptLabels.labels);
  }
  return ask.shape === "report" ? shorten(result as Answer) : result;
}

self.addEventListener("message", ({ data: ask }: MessageEvent<Ask>) => {
  keep(ask.text);
  for (const ref of Object.values(ask.refs ?? {})) keep(ref);
  if (ask.shape !== "cell" && typeof module[ask.verb] !== "function") {
    tell({ kind: "unknown-verb", id: ask.id });
    return;
  }
  const start = performance.now();
  try {
    const result = answer(ask);
    tell({ kind: "answer", id: ask.id, answer: result, ms: performance.now() - start });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A trap leaves the instance in an unknown state: the page throws this worker away and starts another.
    tell({ kind: error instanceof WebAssembly.RuntimeError ? "crashed" : "refused", id: ask.id, message });
  }
});

const start = performance.now();
module
  .default({ module_or_path: new URL(wasmUrl, import.meta.url) })
  .then(() => {
    const verbs = Object.keys(module).filter((name) => typeof module[name] === "function");
    tell({ kind: "ready", ms: performance.now() - start, verbs });
  })
  .catch((error: unknown) => tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) }));

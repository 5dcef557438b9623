/// <reference lib="webworker" />
// The Wasm module lives here, so that no keystroke waits for it and a crash costs a worker, not the page.
import enUrl from "../../../pkg/locale/en.json?url";
import zhUrl from "../../../pkg/locale/zh-Hans.json?url";
import { admission, type AdmissionOptions } from "./admission.ts";
import { accountOf, compactAllocation, judge, tryOut, type AllocateAnswer, type CelAnswer } from "./devices.ts";
import { find, start } from "./load.ts";
import { readLabels } from "./nodes.ts";
import { compactPlacements } from "./placement.ts";
import { shorten } from "./report.ts";
import type { Ask, Tell, TextRef } from "./protocol.ts";
import type { Answer, ObjectEntry } from "../contract.ts";

declare const self: DedicatedWorkerGlobalScope;

/** A function of the engine, which the caller knows is there. */
function engine<F>(name: string): F {
  const found = find<F>(name);
  if (!found) throw new Error(`this build of the Wasm module has no ${name}`);
  return found;
}

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
  return engine<(text: string, options: { raw: true }) => { raw?: unknown }>("parse")(text, { raw: true }).raw;
}

/** Verbs asked as contract requests; the others have functions of their own, which copy their text once less. */
const REQUESTS = ["hover", "complete", "fixes", "admit", "releases"];
/** Those that are about no text. */
const WITHOUT_TEXT = ["releases"];
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
  const nodes = engine<(text: string) => Prepared>("prepareNodes")(textOf(ref));
  prepared.set(ref.key, { version: ref.version, nodes });
  return nodes;
}

function contract(request: Record<string, unknown>): Answer {
  return JSON.parse(engine<(request: string) => string>("answer")(JSON.stringify(request))) as Answer;
}

/** The objects of a text with their values, read once per change. */
let keptObjects: { text: string; release: unknown; objects: ObjectEntry[] } | null = null;

function objectsOf(text: string, release: Record<string, unknown>): ObjectEntry[] {
  const wanted = release["release"];
  if (keptObjects?.text !== text || keptObjects.release !== wanted) {
    keptObjects = { text, release: wanted, objects: engine<(text: string, options: object) => Answer>("parse")(text, release).objects };
  }
  return keptObjects.objects;
}

async function answer(ask: Ask): Promise<unknown> {
  const options: Record<string, unknown> = { ...ask.options };
  for (const [name, ref] of Object.entries(ask.refs ?? {})) options[name] = textOf(ref);
  const text = textOf(ask.text);
  const verb = engine<(text: string, options: Record<string, unknown>) => Answer>(ask.verb);
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
    case "devices":
      return compactAllocation(verb(text, { ...options, options: { matrix: "none", relax: false } }) as AllocateAnswer);
    case "account":
      return accountOf(verb(text, { ...options, options: { matrix: "all" } }) as AllocateAnswer, ask.cell!.name);
    case "judged": {
      const { asked, ...release } = options;
      return judge(objectsOf(text, release), asked as Parameters<typeof judge>[1], engine<(text: string, options: object) => CelAnswer>("cel"), release);
    }
    case "tried": {
      const { expression, device, ...release } = options as { expression: string; device: string } & Record<string, unknown>;
      return tryOut(objectsOf(text, release), expression, device, engine<(text: string, options: object) => CelAnswer>("cel"), release);
    }
    case "admission": {
      const { settings, old, ...others } = options as { settings: string; old?: string } & Record<string, unknown>;
      return admission({ manifest: text, settings, ...(old === undefined ? {} : { old }) }, others as unknown as AdmissionOptions, engine<typeof verb>("parse"), contract);
    }
    default: {
      if (!REQUESTS.includes(ask.verb)) return verb(text, options);
      const { locale } = options;
      const told = typeof locale === "string" ? { sentences: await sentencesOf(locale) } : {};
      const result = contract({ verb: ask.verb, ...(WITHOUT_TEXT.includes(ask.verb) ? {} : { text }), ...options, ...told });
      if (result.error) throw new Error(result.error);
      return result;
    }
  }
}

async function handle(ask: Ask): Promise<void> {
  if (!(await started)) return;
  keep(ask.text);
  for (const ref of Object.values(ask.refs ?? {})) keep(ref);
  if (find(ask.verb) === undefined) {
    tell({ kind: "unknown-verb", id: ask.id });
    return;
  }
  const begun = performance.now();
  try {
    const result = await answer(ask);
    tell({ kind: "answer", id: ask.id, answer: result, ms: performance.now() - begun });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A trap leaves the instance in an unknown state: the page throws this worker away and starts another.
    tell({ kind: error instanceof WebAssembly.RuntimeError ? "crashed" : "refused", id: ask.id, message });
  }
}

self.addEventListener("message", ({ data }: MessageEvent<Ask>) => void handle(data));

const begun = performance.now();
/** Whether the module could be started; the page has been told if not. */
const started: Promise<boolean> = start().then(
  () => {
    tell({ kind: "ready", ms: performance.now() - begun });
    return true;
  },
  (error: unknown) => {
    tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
    return false;
  },
);

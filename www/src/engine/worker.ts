/// <reference lib="webworker" />
// The Wasm module lives here, so that no keystroke waits for it and a crash costs a worker, not the page.
import enUrl from "../../../pkg/locale/en.json?url";
import zhUrl from "../../../pkg/locale/zh-Hans.json?url";
import { admission, type AdmissionOptions } from "./admission.ts";
import { compactConversion, convertAmong } from "./converted.ts";
import { accountOf, columnNames, columnOf, columnsOf, compactAllocation, judge, tryOut, type AllocateAnswer, type CelAnswer, type DeviceGrid, type Listed, type PodColumn, type Turns } from "./devices.ts";
import { audited } from "./audited.ts";
import { clusterFacts, readObjects } from "./facts.ts";
import { find, start } from "./load.ts";
import { readLabels } from "./nodes.ts";
import { compactPlacements, withoutPlace } from "./placement.ts";
import { checkedAmong, shorten } from "./report.ts";
import type { Ask, Forget, Tell, TextRef } from "./protocol.ts";
import type { AuditAnswer } from "claimkit";
import type { Answer, Finding, ObjectEntry } from "../contract.ts";

declare const self: DedicatedWorkerGlobalScope;

/** A function of the engine, which the caller knows is there. */
function engine<F>(name: string): F {
  const found = find<F>(name);
  if (!found) throw new Error(`this build of the Wasm module has no ${name}`);
  return found;
}

const texts = new Map<string, { version: number; text: string | Uint8Array }>();
let keptLabels: { text: string; labels: ReturnType<typeof readLabels> } | null = null;

const tell = (message: Tell) => self.postMessage(message);

/** Every text a message brings is kept, whatever becomes of the message: the page does not send it twice. */
function keep(ref: TextRef): void {
  if (ref.text !== undefined) texts.set(ref.key, { version: ref.version, text: ref.text });
}

/** A text as it came: bytes where it is not UTF-8. */
function given(ref: TextRef): string | Uint8Array {
  const kept = texts.get(ref.key);
  if (!kept || kept.version !== ref.version) throw new Error(`the worker does not have ${ref.key}@${ref.version}`);
  return kept.text;
}

function textOf(ref: TextRef): string {
  const text = given(ref);
  return typeof text === "string" ? text : new TextDecoder().decode(text);
}

function forget(keys: readonly string[]): void {
  for (const key of keys) {
    texts.delete(key);
    prepared.get(key)?.nodes.free();
    prepared.delete(key);
  }
  keptObjects = null;
  keptLabels = null;
  keptCluster?.cluster.free();
  keptCluster = null;
}

function raw(text: string): unknown {
  return engine<(text: string, options: { raw: true }) => { raw?: unknown }>("parse")(text, { raw: true }).raw;
}

/** Verbs asked as contract requests; the others have functions of their own, which copy their text once less. */
const REQUESTS = ["hover", "complete", "fixes", "admit", "releases"];
/** The verbs that take no text. */
const WITHOUT_TEXT = ["releases"];
const SENTENCES: Record<string, string> = { en: enUrl, "zh-Hans": zhUrl };
const sentences = new Map<string, Promise<unknown>>();

/** Returns the sentences of a language; fetches them once, when the first answer in it is asked for. */
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

/** Texts of this length or more are answered pod by pod, so that the page has something to show. */
const LARGE = 300_000;
const BRIEF = { matrix: "none", relax: false };

/** The grid; of a large text with its columns empty, which `podsOf` and `turnsOf` fill. */
function gridOf(text: string, options: Record<string, unknown>): DeviceGrid {
  const allocate = engine<(text: string, options: Record<string, unknown>) => AllocateAnswer>("allocate");
  const nodes = typeof options["nodes"] === "string" ? options["nodes"] : "";
  if (text.length + nodes.length < LARGE) return compactAllocation(allocate(text, { ...options, options: BRIEF }));
  const listed = allocate(text, { ...options, alone: true, nodeNames: [], options: BRIEF });
  return { ...compactAllocation(listed, nodes === "" ? [] : readLabels(nodes, raw).map(({ name }) => name), true), mode: options["alone"] === true ? "alone" : "inTurn" };
}

/** Returns the columns of a grid that was made without them: all pods, placed one after the other. */
function turnsOf(text: string, { nodeList, ...options }: { nodeList: string[] } & Record<string, unknown>): Turns {
  const answer = engine<(text: string, options: Record<string, unknown>) => AllocateAnswer>("allocate")(text, { ...options, options: BRIEF });
  return { columns: columnsOf(answer, nodeList, columnNames(answer.pods)), findings: answer.findings.map(withoutPlace), ties: answer.ties ?? null };
}

/** A text that is read once for all questions about its pods. */
interface PreparedCluster {
  allocate(text: string, options: Record<string, unknown>): AllocateAnswer;
  free(): void;
}

let keptCluster: { text: string; key: string; cluster: PreparedCluster } | null = null;

function clusterOf(text: string, options: Record<string, unknown>): PreparedCluster {
  const { release, namespace } = options;
  const key = JSON.stringify([release, namespace]);
  if (keptCluster?.text !== text || keptCluster.key !== key) {
    keptCluster?.cluster.free();
    keptCluster = null;
    const given = { ...(release === undefined ? {} : { release }), ...(namespace === undefined ? {} : { namespace }) };
    keptCluster = { text, key, cluster: engine<(text: string, options: object) => PreparedCluster>("prepareCluster")(text, given) };
  }
  return keptCluster.cluster;
}

/** Answers about as many pods as fit in this time, and about one at least. */
const SLICE_MS = 700;

interface PodsAsked {
  pods: { pod: string | null; claims: string[]; object: number; name: string }[];
  nodeList: string[];
}

function podsOf(text: string, { pods, nodeList, ...options }: PodsAsked & Record<string, unknown>): { columns: PodColumn[]; findings: Finding[] } {
  const cluster = clusterOf(text, options);
  const begun = performance.now();
  const columns: PodColumn[] = [];
  const findings: Finding[] = [];
  for (const { pod, claims, object, name } of pods) {
    const answer = cluster.allocate("", { ...options, alone: true, ...(pod === null ? { claims } : { pod }), options: BRIEF });
    const [account] = answer.pods;
    if (account) columns.push(columnOf({ ...account, pod }, object, nodeList, name));
    findings.push(...answer.findings.map((finding) => withoutPlace({ ...finding, in: "nodes" })));
    if (performance.now() - begun > SLICE_MS) break;
  }
  return { columns, findings };
}

async function answer(ask: Ask): Promise<unknown> {
  const options: Record<string, unknown> = { ...ask.options };
  for (const [name, ref] of Object.entries(ask.refs ?? {})) options[name] = textOf(ref);
  const text = textOf(ask.text);
  const verb = engine<(text: string | Uint8Array, options: Record<string, unknown>) => Answer>(ask.verb);
  switch (ask.shape) {
    case "report": {
      const others = Object.keys(ask.refs ?? {}).map((name) => options[name] as string);
      const alone = verb(given(ask.text), ask.options);
      if (others.length === 0 || !alone.objects.some(({ valid }) => valid === null)) return shorten(alone, text);
      return { ...shorten(checkedAmong(alone, text, others, (whole) => verb(whole, ask.options)), text), among: true };
    }
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
      return gridOf(text, options);
    case "audit":
      return audited(engine<(text: string, options: object) => AuditAnswer>("audit")(text, ask.options));
    case "gates":
      return engine<(text: string, options: object) => AuditAnswer>("audit")("", options).gates;
    case "facts":
      return clusterFacts(readObjects([text, ...Object.keys(ask.refs ?? {}).map((name) => options[name] as string)], raw));
    case "pods":
      return podsOf(text, options as unknown as PodsAsked & Record<string, unknown>);
    case "turns":
      return turnsOf(text, options as { nodeList: string[] } & Record<string, unknown>);
    case "account":
      return accountOf(engine<(text: string, options: Record<string, unknown>) => AllocateAnswer>("allocate")(text, { ...options, options: { matrix: "all" } }), ask.cell!.name);
    case "converted": {
      const others = Object.keys(ask.refs ?? {}).map((name) => options[name] as string);
      const among = others.length > 0 ? convertAmong(text, others, ask.options, verb) : undefined;
      return compactConversion(among ?? verb(text, ask.options), text);
    }
    case "reviewed": {
      const { request } = (raw(text) ?? {}) as { request?: { object?: unknown } };
      return request?.object ? `${JSON.stringify(request.object, null, 2)}\n` : null;
    }
    case "judged": {
      const { asked, ...release } = options;
      return judge(objectsOf(text, release), asked as Parameters<typeof judge>[1], engine<(text: string, options: object) => CelAnswer>("cel"), release);
    }
    case "tried": {
      const { expression, device, listed, ...release } = options as { expression: string; device: string; listed: Listed } & Record<string, unknown>;
      return tryOut(objectsOf(text, release), expression, device, engine<(text: string, options: object) => CelAnswer>("cel"), release, listed);
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

self.addEventListener("message", ({ data }: MessageEvent<Ask | Forget>) => {
  if ("forget" in data) forget(data.forget);
  else void handle(data);
});

const begun = performance.now();
/** Whether the module could be started; if not, the page has the error. */
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

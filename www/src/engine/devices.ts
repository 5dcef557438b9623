import type { Answer, Finding, ObjectEntry, Range, TextEdit, Verdict } from "../contract.ts";
import { withoutPlace, type Column, type Matrix } from "./placement.ts";

/** The part of the answer of `allocate` that the page reads. */
export interface AllocateAnswer extends Answer {
  release: string;
  allocator: string;
  pods: PodAccount[];
}

export interface PodAccount {
  /** `namespace/name`; null: claims that no pod uses, taken together. */
  pod: string | null;
  claims: string[];
  before: { stage: string; code: string; message: string; help: string | null } | null;
  nodes: NodeAccount[];
}

export interface NodeAccount {
  name: string;
  verdict: "allocated" | "none" | "error" | "node-error" | "unavailable" | "undecided";
  message: string | null;
  fatal: boolean;
  allocations: { devices: { results?: { request: string; driver: string; pool: string; device: string }[] } }[] | null;
  pools: { pool: string; state: string; have: number; want: number; reason: string | null; ignored: { slice: string; why: string }[] }[];
  requests: RequestAccount[];
  conflicts: { text: string; range?: Range | null }[];
  holders: { device: string; claim: string; pods: string[]; share: Record<string, string> }[];
  relaxations: Relaxation[];
  charges: { device: string; name: string; asked: string | null; charged: string; left: string }[];
  resources?: { text: string }[];
  help?: string;
  text: string;
  sameAs: string | null;
}

export interface Stage {
  stage: string;
  index?: number;
  left: number;
  lost?: { count: number; devices: string[] };
  /** Distinct values of the attributes that a selector reads, with counts. */
  seen?: Record<string, Record<string, number>>;
  missing?: { path: string; on: number; of: number; near: string[]; domains: string[]; guard?: string }[];
  errors?: Record<string, number>;
}

export interface DeviceCell {
  device: string;
  reason: { code: string; key?: string; value?: string; effect?: string } | null;
  also: { code: string }[];
  text: string;
}

export interface RequestAccount {
  claim: string;
  request: string;
  sub: string | null;
  mode: string;
  wanted: number;
  class: string;
  picked: boolean;
  funnel: Stage[];
  cells: DeviceCell[];
  /** Where it is written. */
  range?: Range | null;
  why: string;
}

export interface Relaxation {
  changes: { free?: "claim"; claim: string }[];
  gives: string[];
  /** Empty where a claim must be freed, or the text cannot be edited. */
  edits: TextEdit[];
  text: string;
}

/** Pods across, nodes down: what the page draws at once. One account is asked for when its cell is opened. */
export interface DeviceGrid {
  matrix: Matrix;
  release: string;
  groups: { pod: string | null; claims: string[]; before: PodAccount["before"] }[];
  /** Whether the text has anything of the device family. */
  ours: boolean;
}

/** One pod on one node. */
export interface Account {
  node: NodeAccount | null;
  before: PodAccount["before"];
  claims: string[];
  /** Where claims, pods and templates stand. */
  objects: { kind: string; name: string; range: Range }[];
}

const VERDICT: Record<NodeAccount["verdict"], Verdict> = { allocated: "Yes", none: "No", unavailable: "No", error: "Error", "node-error": "Error", undecided: "Possible" };

/** Of a name such as `driver/pool/device` the last part. */
export const lastPart = (id: string): string => id.slice(id.lastIndexOf("/") + 1);

/** The devices a pod gets, in the scheduler's order. */
export function devicesGiven(node: NodeAccount): string[] {
  return (node.allocations ?? []).flatMap(({ devices }) => (devices.results ?? []).map(({ device }) => device));
}

const FAMILY = /^resource\.k8s\.io\/v(1|1alpha3|1beta\d+)$/;

/** Reduces an allocation to the grid. */
export function compactAllocation(answer: AllocateAnswer): DeviceGrid {
  const nodes = [...new Set(answer.pods.flatMap((pod) => pod.nodes.map(({ name }) => name)))];
  for (const { kind, name } of answer.objects) if (kind === "Node" && name && !nodes.includes(name)) nodes.push(name);
  const short = answer.pods.map(({ pod }) => lastPart(pod ?? ""));
  const columns = answer.pods.map((pod, object): Column => {
    const byName = new Map(pod.nodes.map((node) => [node.name, node]));
    const found = nodes.map((name) => byName.get(name));
    const verdicts = found.map((node): Verdict => (node ? VERDICT[node.verdict] : "No"));
    const count = (wanted: Verdict) => verdicts.filter((verdict) => verdict === wanted).length;
    return {
      object,
      kind: pod.pod === null ? "Claims" : "Pod",
      name: pod.pod === null ? pod.claims.join(", ") : short.filter((name) => name === short[object]).length > 1 ? pod.pod : (short[object] ?? ""),
      ...(pod.pod === null ? {} : { namespace: pod.pod.slice(0, pod.pod.indexOf("/")) }),
      verdicts,
      reasons: found.map((node) => (node ? (node.message ?? node.text) : (pod.before?.message ?? ""))),
      words: found.map((node) => (node?.verdict === "allocated" ? devicesGiven(node).join(", ") : "")),
      counts: { yes: count("Yes"), possible: count("Possible"), no: count("No"), error: count("Error") },
      selectors: [],
    };
  });
  return {
    matrix: { ok: answer.ok, findings: answer.findings.map(withoutPlace), nodes, labels: nodes.map(() => null), columns, columnCount: columns.length, contexts: [] },
    release: answer.release,
    groups: answer.pods.map(({ pod, claims, before }) => ({ pod, claims, before })),
    ours: answer.objects.some(({ apiVersion = "" }) => FAMILY.test(apiVersion)),
  };
}

export function accountOf(answer: AllocateAnswer, name: string): Account {
  const pod = answer.pods[0];
  const objects = answer.objects.flatMap(({ kind = "", name: object = "", namespace, range }) => (range ? [{ kind, name: namespace ? `${namespace}/${object}` : object, range }] : []));
  return { node: pod?.nodes.find((node) => node.name === name) ?? null, before: pod?.before ?? null, claims: pod?.claims ?? [], objects };
}

/** A device of the text as `cel` takes it. */
export interface Device {
  id: string;
  driver: string;
  attributes: Record<string, unknown>;
  capacity: Record<string, unknown>;
  allowMultipleAllocations?: boolean;
}

type Json = Record<string, unknown>;
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : []);
const map = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The devices of all slices of the text. */
export function devicesIn(objects: readonly ObjectEntry[]): Device[] {
  return objects.flatMap(({ kind, apiVersion = "", object }) => {
    if (kind !== "ResourceSlice" || !FAMILY.test(apiVersion)) return [];
    const spec = map(map(object)["spec"]);
    const driver = text(spec["driver"]);
    const pool = text(map(spec["pool"])["name"]);
    return list(spec["devices"]).map((device): Device => {
      // v1beta1 and v1alpha3 have them one level deeper.
      const basic = device["basic"] === undefined ? device : map(device["basic"]);
      const shared = basic["allowMultipleAllocations"];
      return { id: `${driver}/${pool}/${text(device["name"])}`, driver, attributes: map(basic["attributes"]), capacity: map(basic["capacity"]), ...(typeof shared === "boolean" ? { allowMultipleAllocations: shared } : {}) };
    });
  });
}

/** A selector of the text: of a class, or of a request of a claim or template. */
export interface Selector {
  kind: string;
  /** `namespace/name`, or the name alone where there is no namespace. */
  of: string;
  /** Of a claim: `request` or `request/subrequest`. */
  request: string;
  index: number;
  expression: string;
}

function expressions(owner: Json, kind: string, of: string, request: string): Selector[] {
  return list(owner["selectors"]).map((selector, index) => ({ kind, of, request, index, expression: text(map(selector["cel"])["expression"]) }));
}

export function selectorsIn(objects: readonly ObjectEntry[]): Selector[] {
  return objects.flatMap(({ kind = "", name = "", namespace, apiVersion = "", object }) => {
    if (!FAMILY.test(apiVersion)) return [];
    const of = namespace ? `${namespace}/${name}` : name;
    const outer = map(map(object)["spec"]);
    if (kind === "DeviceClass") return expressions(outer, kind, of, "");
    const spec = kind === "ResourceClaimTemplate" ? map(outer["spec"]) : kind === "ResourceClaim" ? outer : {};
    return list(map(spec["devices"])["requests"]).flatMap((request) => {
      const requestName = text(request["name"]);
      const subs = list(request["firstAvailable"]).flatMap((sub) => expressions(sub, kind, of, `${requestName}/${text(sub["name"])}`));
      return [...expressions(request["exactly"] === undefined ? request : map(request["exactly"]), kind, of, requestName), ...subs];
    });
  }).filter(({ expression }) => expression !== "");
}

/** The value of a part of an expression; ranges are of the expression. */
export interface Traced {
  range: Range;
  value?: string;
  error?: string;
}

export interface CelResult {
  match?: boolean;
  error?: string;
  cost: number;
  why?: string[];
  trace?: Traced[];
}

export interface CelAnswer extends Answer {
  compile: { ok: boolean; type?: string; cost?: number; error?: string };
  results?: CelResult[];
}

/** A selector with what it says of one device. */
export interface Judged extends Selector {
  error?: string;
  result?: CelResult;
}

/** An expression on the devices of a text. */
export interface Tried {
  compile: CelAnswer["compile"];
  devices: { id: string; match?: boolean; error?: string; cost: number }[];
  deviceCount: number;
  /** The device that is shown, with every part's value. */
  chosen: { id: string; result: CelResult } | null;
  selectors: Selector[];
  findings: Finding[];
}

type Cel = (expression: string, options: Json) => CelAnswer;

/** More devices than this nobody reads one by one. */
const MOST_DEVICES = 500;

export function judge(objects: readonly ObjectEntry[], asked: { device: string; claim: string; request: string; class: string }, cel: Cel, release: Json): Judged[] {
  const device = devicesIn(objects).find(({ id }) => id === asked.device);
  if (!device) return [];
  const all = selectorsIn(objects);
  const own = all.filter(({ kind, of, request }) => kind === "ResourceClaim" && of === asked.claim && request === asked.request);
  // A claim that is made from a template has the template's requests.
  const template = all.filter(({ kind, request }) => kind === "ResourceClaimTemplate" && request === asked.request);
  const selectors = [...all.filter(({ kind, of }) => kind === "DeviceClass" && of === asked.class), ...(own.length > 0 ? own : template)];
  return selectors.map((selector) => {
    const answer = cel(selector.expression, { ...release, stored: true, trace: true, devices: [withoutId(device)] });
    const result = answer.results?.[0];
    return { ...selector, ...(answer.compile.error ? { error: answer.compile.error } : {}), ...(result ? { result } : {}) };
  });
}

const withoutId = ({ id, ...device }: Device) => ({ ...device, name: lastPart(id) });

export function tryOut(objects: readonly ObjectEntry[], expression: string, wanted: string, cel: Cel, release: Json): Tried {
  const all = devicesIn(objects);
  const devices = all.slice(0, MOST_DEVICES);
  const answer = cel(expression, { ...release, devices: devices.map(withoutId) });
  const results = answer.results ?? [];
  const chosen = all.find(({ id }) => id === wanted) ?? devices[0];
  const traced = chosen && answer.compile.ok ? cel(expression, { ...release, trace: true, devices: [withoutId(chosen)] }).results?.[0] : undefined;
  return {
    compile: answer.compile,
    devices: devices.map(({ id }, index) => {
      const { match, error, cost = 0 } = results[index] ?? {};
      return { id, cost, ...(match === undefined ? {} : { match }), ...(error === undefined ? {} : { error }) };
    }),
    deviceCount: all.length,
    chosen: chosen && traced ? { id: chosen.id, result: traced } : null,
    selectors: selectorsIn(objects),
    findings: answer.findings,
  };
}

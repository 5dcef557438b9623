/* Written by hand; tests/hosts/npm/types compiles it in strict mode against recorded answers. */

/**
 * A manifest: YAML or JSON, any number of documents, Lists. Bytes are UTF-8, or UTF-16 with a byte order mark, as kubectl
 * reads them; other bytes are a finding in YAML and U+FFFD in JSON. An object is read as the JSON it serialises to; its
 * findings have a `path` but no `range`, for there is no text to point into.
 */
export type Manifest = string | Uint8Array | object;

/** A Kubernetes release: a minor alone means its last patch. */
export type Release = "1.26" | "1.27" | "1.28" | "1.29" | "1.30" | "1.31" | "1.32" | "1.33" | "1.34" | "1.35" | "1.36" | `1.${number}.${number}`;

/** An API version of the group `resource.k8s.io` that claimkit knows. */
export type ApiVersion = `resource.k8s.io/${Version}`;

/** The version alone. */
export type Version = "v1alpha1" | "v1alpha2" | "v1alpha3" | "v1beta1" | "v1beta2" | "v1";

/** Options every verb takes. */
export interface CommonOptions {
  /** The release whose kubectl and kube-apiserver answer. Default: by object, the last known one that serves its version. */
  release?: Release;
  /** Feature gates over the defaults of the release. */
  gates?: Record<string, boolean>;
  /** Lower bounds for what is read; a text beyond them is a finding that says so. */
  limits?: Limits;
}

/** Bounds on the input, all counted per text. */
export interface Limits {
  /** Bytes of UTF-8. */
  bytes?: number;
  /** Mappings and sequences inside each other. */
  depth?: number;
  /** Scalars, mappings and sequences. */
  nodes?: number;
  /** Findings in one answer. */
  findings?: number;
  /** Bytes of a text with Nodes. */
  nodeSetBytes?: number;
}

/** What unknown and duplicate fields are: errors, warnings, or nothing (`kubectl --validate`). */
export type FieldValidation = "Strict" | "Warn" | "Ignore";

/** Options of {@link parse}. */
export interface ParseOptions extends CommonOptions {
  /** Default `Strict`, as kubectl. */
  fieldValidation?: FieldValidation;
  /** Which objects `kubectl get -l` would show: they have `selected`. */
  labelSelector?: string;
  /** Which objects `kubectl get --field-selector` would show. */
  fieldSelector?: string;
  /** Namespace of objects that name none, for `fieldSelector`. Default `default`. */
  namespace?: string;
  /** Read one YAML text with kubectl's YAML-to-JSON step alone; the answer has `raw` and no objects. */
  raw?: boolean;
}

/** Options of {@link validate}. */
export interface ValidateOptions extends CommonOptions {
  /** Default `Strict`, as kubectl. */
  fieldValidation?: FieldValidation;
  /** What is asked of the server. Default `create`. */
  operation?: "create" | "update" | "updateStatus" | "patch" | "patchStatus";
  /** The stored object; required for all operations but `create` and a patch of type `apply`, which creates what is not there. With a patch the text is that of the patch. */
  old?: Manifest;
  /** How a patch is read. Default `strategic`, as kubectl. */
  patchType?: "json" | "merge" | "strategic" | "apply";
  /** Patch: who writes. Required for `apply`; with the other types it says who owns what is written. */
  fieldManager?: string;
  /** Patch: `apply` takes fields away from other managers. Default `false`. */
  force?: boolean;
  /** Patch: when, in RFC 3339, for `managedFields`. */
  time?: string;
  /**
   * `kubectl` (default): what a person submitting the file meets, with the request namespace filled in. `validator`: the
   * server's validation functions on exactly this object. `server`: what the server answers to exactly this body.
   */
  via?: "kubectl" | "validator" | "server";
  /** Namespace of the request. Default `default`. */
  namespace?: string;
  /** Labels of that namespace; absent: not known. Claims with admin access need one. */
  namespaceLabels?: Record<string, string>;
  /** Give each object as the server would hold it: in the version that was written, or in this one. */
  stored?: boolean | ApiVersion | Version;
}

/** Options of {@link convert}. */
export interface ConvertOptions extends CommonOptions {
  /** The version to convert to, the bare version too; or a minor release, `1.36`: the newest version it serves of each kind. */
  to: ApiVersion | Version | `1.${number}`;
  /** Whether a conversion that drops something is made. Default `refuse`. */
  lossy?: "refuse" | "allow";
  /** Take fields of `metadata` out that only the server and `kubectl apply` write. Default `false`. */
  dropServerFields?: boolean;
  /** Write decisions as comments above the lines they concern. Default `false`. */
  annotate?: boolean;
}

/** Options of {@link evaluate}. */
export interface EvaluateOptions extends CommonOptions {
  /** Text with Nodes: YAML, JSON, or a NodeList as `kubectl get nodes -o json` prints it, or the object of one. `null` is one nil node. */
  nodes?: string | Uint8Array | object | null | PreparedNodes;
  /** A bare NodeSelector as YAML or JSON, in place of the manifest. */
  selector?: string | Uint8Array;
  /** How much each node tells; by default everything for up to 100 nodes, a verdict and its reason for more. */
  detail?: "full" | "summary";
  /** Names of nodes that tell everything whatever `detail` says. */
  explain?: string[];
}

/** A place in the text. */
export interface Position {
  /** Line, from 0. */
  line: number;
  /** UTF-16 code units from the start of the line, from 0. */
  character: number;
  /** Bytes of UTF-8 from the start of the text. */
  offset: number;
}

/** From `start` up to but not including `end`. */
export interface Range {
  start: Position;
  end: Position;
}

/** Replaces `range` with `newText`. */
export interface TextEdit {
  range: Range;
  newText: string;
}

/** One way to mend a finding; its edits do not overlap. */
export interface Fix {
  /** What it does, for a menu. */
  title: string;
  edits: TextEdit[];
}

/** Stable name of what a finding is about, in kebab-case; {@link codes} lists and explains them. */
export type Code = string;

export type Severity = "error" | "warning" | "info";

/** Who says so. */
export type Origin = "kubectl" | "kube-apiserver" | "kube-scheduler" | "claimkit";

/** Something to say about a text. */
export interface Finding {
  code: Code;
  severity: Severity;
  origin: Origin;
  /** The origin's own words, byte for byte where the origin is not claimkit. */
  message: string;
  /** Path of the field, as the origin writes it: `spec.allocationMode`. */
  path?: string;
  /** Reason of the `Status` cause, such as `FieldValueNotSupported`. */
  type?: string;
  /** What to do about it, in our words. */
  help?: string;
  /**
   * Which text it is about: what was asked about, or the option that carries the text. `range` and `fixes` count in that one.
   */
  in: "text" | "nodes" | "old" | "patch" | "settings" | "cluster";
  fixes: Fix[];
  /** Where in the text; absent when that was given as an object. */
  range?: Range;
  /** Index into the answer's `objects`. */
  object?: number;
}

/** A finding about a text that the caller has. */
export interface TextFinding extends Finding {
  range: Range;
}

/** What every answer has. A bad manifest is an answer, never an exception. */
export interface Answer {
  /** No finding is an error, and at least one object was checked. */
  ok: boolean;
  findings: Finding[];
  /** The objects of the text; empty where the verb is not about objects. */
  objects: unknown[];
  /** Only when the request could not be carried out: why. */
  error?: string;
}

/** An object of `resource.k8s.io` in the text. */
export interface CheckedObject {
  apiVersion: string;
  kind: string;
  name: string;
  namespace: string;
  /** The release it was judged by. */
  release: string;
  range?: Range;
  /** `null` for an object of another group, which is not looked into. */
  valid: boolean | null;
}

/** An object as the server would hold it. */
export interface ParsedObject extends CheckedObject {
  /** After decoding and defaulting, in the server's field order, the version as written; absent if it did not decode. */
  object?: Record<string, unknown>;
}

/** A Kubernetes `Status`, as the API server would send it. */
export interface Status {
  kind: "Status";
  apiVersion: "v1";
  metadata: Record<string, unknown>;
  status: "Success" | "Failure";
  message?: string;
  reason?: string;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    causes?: { reason?: string; message?: string; field?: string }[];
  };
  code: number;
}

/** An object and the server's answer to it. */
export interface ValidatedObject extends CheckedObject {
  /** The server's refusal, or null where it accepts. */
  status: Status | null;
  /** With the option `stored`: the object as the server would hold it, without times, uids and managed fields. */
  stored?: unknown;
  /** Patch: the object it becomes, as the server would hold it. */
  object?: unknown;
  /** Patch: what differs from the stored object, as a JSON patch (RFC 6902). */
  changes?: { op: "add" | "remove" | "replace"; path: string; value?: unknown }[];
}

export interface ParseAnswer extends Answer {
  verb: "parse";
  objects: ParsedObject[];
  /** With the option `raw`: the plain JSON value, `null` for empty input. Absent when the text cannot be read. */
  raw?: unknown;
}

export interface ValidateAnswer extends Answer {
  verb: "validate";
  objects: ValidatedObject[];
}

/** A field that the target version cannot hold. */
export interface Loss {
  path: string;
  value: unknown;
  reason: string;
}

/** What no tool can know on the way from v1alpha1 or v1alpha2 to v1alpha3 or later, and what was assumed. */
export interface Decision {
  /** Which decision, a stable word. */
  code: string;
  /** The field in the object that was read, and its place in that text. */
  path: string;
  range: Range;
  question: string;
  assumed: string;
  why: string;
  /** What else it could be. */
  alternatives: string[];
  /** Question, assumption and reason in one line. */
  message: string;
}

export interface ConvertedObject extends Partial<CheckedObject> {
  /** Absent for objects that are not converted, as are `to`, `changed` and `losses`. */
  from?: string;
  to?: string;
  changed?: boolean;
  losses?: Loss[];
  /** Absent if there are none. */
  decisions?: Decision[];
  /** Why the object was left as it is, or where what it said stands now. */
  skipped?: string;
  /** The first minor release that does not serve it in the version it had, as far as that is known or announced. */
  removedIn?: string;
}

export interface ConvertAnswer extends Answer {
  verb: "convert";
  objects: ConvertedObject[];
  /** The whole file converted, with comments, order and quoting kept; absent when the conversion was refused. */
  text?: string;
}

/** Whether the claim can be used on a node. */
export type Verdict = "Yes" | "Possible" | "No" | "Error";

/** Nodes read once by {@link prepareNodes}, for many evaluations. */
export interface PreparedNodes {
  /** How many nodes. */
  readonly length: number;
  /** Gives the memory back at once; otherwise the garbage collector does. */
  free(): void;
}

export interface PlacedObject {
  /** Absent for objects that are not placed. */
  placement?: Placement;
  [part: string]: unknown;
}

/** On which nodes an object can be used. */
export interface Placement {
  /** The release whose scheduler was followed. */
  release: string;
  /** How much each node tells. */
  detail: "full" | "summary";
  /** How many nodes got which verdict. */
  counts: { yes: number; possible: number; no: number; error: number };
  /** The scheduler's reasons, and how many nodes got each. */
  reasons?: { reason: string; nodes: number }[];
  /** What the pod is told once the nodes were looked at. */
  next?: { schedulerReason: string; why: string };
  /** Per selector, which requirement removes which nodes. */
  selectors?: SelectorInverse[];
  /** The nodes, in the order given. */
  nodes: NodeVerdict[];
}

export interface SelectorInverse {
  /** Path of the selector; empty for a bare one. */
  source: string;
  /** Index into the answer's `objects`. */
  object?: number;
  /** How many nodes it selects. */
  selects: number;
  requirements: {
    term: number;
    path: string;
    /** On how many nodes it does not hold. */
    removes: number;
    /** On how many of them everything else in the term holds. */
    removesAlone: number;
    /** The first of those, by name. */
    alone: string[];
    /** Without it the term would select nodes; with it, it selects none. */
    empties: boolean;
    range?: Range;
  }[];
}

export interface NodeVerdict {
  name: string;
  verdict: Verdict;
  /** Why, in one line. */
  reason: string;
  /** The scheduler's text, if it refuses. */
  schedulerReason?: string;
  /** What in the text decides. */
  range?: Range;
  /** The claims with their checks; absent in a summary. */
  claims?: ClaimVerdict[];
  /** With the request field `selector`: that selector's check. */
  selector?: SelectorCheck;
}

export interface ClaimVerdict {
  /** `namespace/name` */
  claim?: string;
  /** Index of the claim, template or class into the answer's `objects`. */
  object?: number;
  /** `name` of the pod's entry. */
  entry?: string;
  class?: string;
  stage: "Allocated" | "Unallocated" | "NotCreated";
  mode?: string;
  /** For this claim alone. */
  verdict: Verdict;
  reason: string;
  schedulerReason?: string;
  /** In the scheduler's order; a check of a selector has the fields of {@link SelectorCheck} too. */
  checks: ClaimCheck[];
}

export interface ClaimCheck extends Partial<SelectorCheck> {
  /** Of structured parameters: the instances that the claim gets. */
  instances?: { driver: string; name: string }[];
  check:
    | "exists"
    | "deleted"
    | "owner"
    | "allocated"
    | "deallocation"
    | "inUse"
    | "class"
    | "parameters"
    | "parse"
    | "context"
    | "selector"
    | "unrestricted"
    | "refused"
    | "unsuitable"
    | "potential"
    | "selected"
    | "structured";
  /** `null` where it decides nothing. */
  holds: boolean | null;
  why: string;
  schedulerReason?: string;
  /** Of a selector: index of its object. */
  object?: number;
}

/** A node selector against a node, term by term. */
export interface SelectorCheck {
  /** Path of the selector; absent for a bare one. */
  source?: string;
  /** Outcome as the scheduler computes it when the selector is parsed as a whole. */
  eager: "Match" | "NoMatch" | "Error";
  /** Outcome when terms are parsed one by one until one matches. */
  lazy: "Match" | "NoMatch" | "Error";
  eagerError?: string;
  lazyError?: string;
  /** The first term that matches. */
  matchedTerm?: number;
  /** Of a node that no term matches: the term with the fewest requirements that fail. */
  nearestTerm?: number;
  range?: Range;
  /** Absent in a summary. */
  terms?: TermCheck[];
}

export interface TermCheck {
  index: number;
  outcome: "Match" | "NoMatch" | "Empty" | "Error";
  requirements: RequirementCheck[];
  range?: Range;
}

export interface RequirementCheck {
  path: string;
  key: string;
  operator: string;
  values: string[];
  /** The node's label or field; absent if it has none. */
  actual?: string;
  /** `null`: it cannot be parsed, or is not looked at. */
  holds: boolean | null;
  /** In our words; of one that cannot be parsed, the scheduler's. */
  why: string;
  range?: Range;
}

export interface EvaluateAnswer extends Answer {
  verb: "evaluate";
  objects: PlacedObject[];
}

/**
 * One JSON request of the contract, one JSON answer: what every other function says in JavaScript's dress, and
 * `claimkit batch` line by line.
 */
export function answer(request: string): string;

/**
 * Reads a manifest as kubectl and kube-apiserver read it and gives the objects as the server would hold them.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function parse(text: Manifest, options?: ParseOptions): ParseAnswer;

/**
 * Says what kubectl and kube-apiserver answer to a manifest, where in the text, and how to mend it.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function validate(
  text: string | Uint8Array,
  options?: ValidateOptions & { operation?: "create" },
): ValidateAnswer & { findings: TextFinding[] };

/** The same of an object, and of changes to a stored one: findings have a `range` only where the caller has the text. */
export function validate(text: Manifest, options?: ValidateOptions): ValidateAnswer;

/**
 * Converts a manifest to another API version; changes only what must change.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function convert(text: Manifest, options: ConvertOptions): ConvertAnswer;

/**
 * Says on which nodes the claims of a manifest can be used, and why not on the others.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function evaluate(text: Manifest | undefined, options: EvaluateOptions): EvaluateAnswer;

/**
 * Reads Nodes once, for many evaluations: YAML or JSON, single, in a NodeList or List. `null` is one nil node.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function prepareNodes(nodes: string | Uint8Array | object | null, options?: CommonOptions): PreparedNodes;

/** The objects of a cluster read once by {@link prepareCluster}, for many questions. */
export interface PreparedCluster {
  /** How many objects. */
  readonly length: number;
  /** Gives the memory back at once; otherwise the garbage collector does. */
  free(): void;
}

/**
 * Reads the objects of a cluster once, for many calls of {@link allocate}: nodes, slices, classes, claims, pods, taint rules, as
 * `kubectl get -o yaml` prints them. All questions are about the `release` given here.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function prepareCluster(cluster: Manifest, options?: { release?: Release; limits?: Limits; namespace?: string }): PreparedCluster;

/** Options of {@link allocate}. */
export interface AllocateOptions extends CommonOptions {
  /** Namespace of objects without one. Default: `default`. */
  namespace?: string;
  /** Labels of that namespace. Those of Namespaces in the text count before. */
  namespaceLabels?: Record<string, string>;
  /** Nodes, besides those of the text. */
  nodes?: Manifest;
  /** Only these nodes. */
  nodeNames?: string[];
  /** Only this pod: `namespace/name`. */
  pod?: string;
  /** These claims together, in place of pods: `namespace/name`. */
  claims?: string[];
  /**
   * The objects of a cluster. Pods and claims of the text are asked about; without any, those of the cluster. Objects of the text
   * take the place of those of the same kind and name.
   */
  cluster?: Manifest | PreparedCluster;
  /** The time of the question, RFC 3339. With it, claims whose devices are not ready for binding after ten minutes time out. */
  now?: string;
  /** Changes that the answer assumes. What they name must be there. */
  whatIf?: {
    /** Claims that give their devices back: `namespace/name`. */
    free?: string[];
    /** Taints that are gone, as kubectl writes them: `key`, `key:effect`, `key=value:effect`. */
    untaint?: string[];
    /** DeviceTaintRules that are not there. */
    withoutRules?: string[];
    /** For each of these nodes there is one more like it, `<name>-copy`, with nothing in use. */
    nodesLike?: string[];
  };
  /** Features of the allocator in place of those that the gates give. */
  features?: string[];
  /** Selectors read attributes with several values, whatever the gates say. */
  celLists?: boolean;
  options?: {
    /** Steps of each node's search. Default: 100,000. */
    budget?: number;
    /** Look for changes that help. Default: true. */
    relax?: boolean;
    /** Which devices are told one by one. Default: `failed`. */
    matrix?: "failed" | "all" | "none";
  };
}

/** A request on a node: how many devices each of its conditions leaves. */
export interface RequestAccount {
  /** `namespace/name`. */
  claim: string;
  request: string;
  /** Name of the sub-request. */
  sub: string | null;
  mode: string;
  class: string;
  wanted: number;
  /** The extended resource that the request is made for, and the container. */
  serves?: string;
  picked: boolean;
  funnel: { stage: string; index?: number; left: number; lost?: { count: number; devices: string[] } }[];
  cells: object[];
  /** Where it stands in the claim, in the shape of v1. */
  path: string;
  /** Where it stands in the text. */
  range?: Range;
  passedOver: string[];
  text: string;
  why: string;
}

/** A change after which the node has devices for the claims; it was tried. */
export interface Relaxation {
  changes: { claim: string; path?: string; range?: Range; request?: string; [field: string]: unknown }[];
  /** The devices then. */
  gives: string[];
  node: string;
  /** The changes as edits of the text; empty where a claim must be freed, or the text cannot be edited safely. */
  edits: TextEdit[];
  text: string;
}

/** A resource of a node, such as `cpu`, as kube-scheduler counts it for a pod. */
export interface ResourceAccount {
  resource: string;
  /** What the pod asks for, devices included. */
  requested: string;
  /** What the pods on the node have. */
  used: string;
  allocatable: string;
  /** Too little is left. */
  short: boolean;
  /** What devices take of it: `capacity` and `consumed` where that follows from a capacity. */
  devices: { claim: string; device: string; takes: string; capacity?: string; consumed?: string; multiplier?: string }[];
  /** Pods on the node that have most of it. */
  pods: { pod: string; requests: string }[];
  text: string;
}

/** What a node says to a pod, or to claims without one. */
export interface NodeAccount {
  name: string;
  verdict: "allocated" | "none" | "error" | "node-error" | "unavailable" | "undecided";
  /** kube-scheduler's text. */
  message: string | null;
  /** kube-scheduler's code where it refuses the node; with `Unschedulable` there would be room without some pods. */
  code?: "Unschedulable" | "UnschedulableAndUnresolvable" | "Error";
  /** The text ends the attempt for all nodes. */
  fatal: boolean;
  score: number;
  steps: number;
  /** One AllocationResult of v1 per claim. */
  allocations: object[] | null;
  pools: object[];
  requests: RequestAccount[];
  /** Why requests that could be met alone cannot be met together. */
  conflicts: { kind: string; claim: string; path?: string; range?: Range; text: string; [field: string]: unknown }[];
  holders: object[];
  relaxations: Relaxation[];
  charges: object[];
  /** Resources of the node that devices take, or of which too little is left (gate DRANodeAllocatableResources). */
  resources?: ResourceAccount[];
  /** kube-scheduler's texts where there are several; `message` has them all. */
  reasons?: string[];
  /** What the message does not say. */
  help?: string;
  /** One line of English. */
  text: string;
  /** The node whose account holds for this one too; of the lists above, only `resources` and `reasons` are given then. */
  sameAs: string | null;
}

export interface AllocateAnswer extends Answer {
  verb: "allocate";
  release: string;
  /** Which of kube-scheduler's allocators is in charge. */
  allocator: string;
  /** The release's gates. */
  gates: Record<string, boolean>;
  /** The changes that the answer assumes, a line each. Absent: none. */
  assumed?: string[];
  pods: {
    /** `namespace/name`; `null`: claims that no pod uses. */
    pod: string | null;
    claims: string[];
    extendedResources: Record<string, string>;
    /** What stops the pod before any node is looked at. */
    before: { stage: "preEnqueue" | "preFilter"; code: string; message: string; help: string | null } | null;
    summary: { message: string; nodes: string[] }[];
    nodes: NodeAccount[];
    findings: object[];
  }[];
}

/**
 * Says which devices the pods and claims of a text get on each node, and why none.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function allocate(text: Manifest, options?: AllocateOptions): AllocateAnswer;

/** The value of an attribute of a device: one of the fields. */
export interface DeviceAttribute {
  bool?: boolean;
  int?: number;
  string?: string;
  version?: string;
  bools?: boolean[];
  ints?: number[];
  strings?: string[];
  versions?: string[];
}

/** A device as selectors see it. */
export interface CelDevice {
  /** Not looked at. */
  name?: string;
  /** The domain of attributes and capacities without one. */
  driver?: string;
  attributes?: Record<string, DeviceAttribute>;
  /** Quantities. */
  capacity?: Record<string, string | number | { value: string | number }>;
  allowMultipleAllocations?: boolean;
}

/** Options of {@link cel}. */
export interface CelOptions extends CommonOptions {
  /** Default: `device`. `namedResources`: those of Kubernetes 1.30. */
  environment?: "device" | "namedResources";
  /** The expression is stored already: everything is known that the release can run, not only what it takes anew. */
  stored?: boolean;
  devices?: CelDevice[];
  /** For `namedResources`: attributes as v1alpha2 writes them. */
  instances?: { name?: string; attributes: object[] }[];
  /** With the value of every part of the expression. */
  trace?: boolean;
}

export interface CelAnswer extends Answer {
  verb: "cel";
  compile: {
    ok: boolean;
    /** The type of the result. */
    type?: string;
    /** The estimate that is compared with the limit, 1,000,000. */
    cost?: number;
    /** kube-apiserver's text. */
    error?: string;
  };
  /** One per device; absent if the expression does not compile. */
  results?: {
    match?: boolean;
    /** kube-scheduler's text. */
    error?: string;
    /** What was spent. */
    cost: number;
    /** With `trace`: the parts that decided, in English. */
    why?: string[];
    /** With `trace`: every part that was evaluated, outer ones first. */
    trace?: { range: Range; value?: string; error?: string }[];
  }[];
}

/**
 * Says what a device selector (CEL) is for kube-apiserver, and what it says of devices.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function cel(expression: string, options?: CelOptions): CelAnswer;

/** Language of claimkit's own sentences. */
export type Locale = "en" | "zh-Hans";

/** Options of what answers with sentences. */
export interface LocaleOptions {
  /**
   * Default `en`. In Node the package finds its files; elsewhere give them with {@link addLocale}, or answers have
   * documentation keys only.
   */
  locale?: Locale;
}

/** One language's sentences: the content of `claimkit/locale/<locale>.json`. */
export type Sentences = Record<string, Record<string, string>>;

/** What a finding's code means. */
export interface CodeEntry {
  code: Code;
  /** How bad it is, unless the request softens it. */
  severity: Severity;
  /** Page that explains it, below wherever the documentation is. */
  page: string;
  /** Key of its sentence. */
  key: string;
  documentation?: string;
}

export interface CodesAnswer extends Answer {
  verb: "codes";
  codes: CodeEntry[];
}

/** A kind that a release serves. */
export interface KindEntry {
  kind: string;
  plural: string;
  namespaced: boolean;
  /** Whether it has a status. */
  status: boolean;
  key: string;
  documentation?: string;
}

/** A version of `resource.k8s.io` that a release serves. */
export interface VersionEntry {
  apiVersion: string;
  key: string;
  documentation?: string;
  kinds: KindEntry[];
}

/** A minor release that is followed. */
export interface ReleaseEntry {
  release: string;
  /** Its last patch, which the bare minor stands for. */
  lastPatch: string;
  versions: VersionEntry[];
  /** What it, and patches of it, changed. */
  changes: { since: string; key: string; documentation?: string }[];
}

export interface ReleasesAnswer extends Answer {
  verb: "releases";
  releases: ReleaseEntry[];
}

/** A JSON Schema, draft 2020-12. */
export interface JsonSchema {
  $schema: string;
  /** `urn:claimkit:schema:1.30:ResourceClaim` */
  $id: string;
  [keyword: string]: unknown;
}

/** The codes of findings, with what they mean. */
export function codes(options?: LocaleOptions): CodesAnswer;

/** The Kubernetes releases that are followed, with what they serve and changed. */
export function releases(options?: LocaleOptions): ReleasesAnswer;

/**
 * The JSON Schema of a kind as a release serves it, or of all kinds of the release in all versions.
 *
 * @param release such as `1.30`; the last one without it
 * @param kind such as `ResourceClaim`, in the newest version that has it, or `v1beta1/ResourceClaim`; all kinds without it
 * @throws {TypeError} when the release is not known or does not serve the kind
 */
export function jsonSchema(release?: Release, kind?: string, options?: LocaleOptions & { gates?: Record<string, boolean> }): JsonSchema;

/** The same, the release among the options. */
export function jsonSchema(kind: string, options?: LocaleOptions & { release?: Release; gates?: Record<string, boolean> }): JsonSchema;

/** A place in a text as callers may give it: a line and UTF-16 column from 0, or a byte offset, which wins. */
export type Place = { line: number; character: number; offset?: number } | { offset: number };

/** Options of {@link hover} and {@link complete}. */
export interface PlaceOptions extends LocaleOptions {
  /** Default: the last release that serves the object's version. */
  release?: Release;
  /** Feature gates over the defaults of the release: what a CEL expression knows. */
  gates?: Record<string, boolean>;
  limits?: Limits;
}

/** Facts about a field, from the same tables that decide about objects. */
export interface FieldInfo {
  /** Go struct it belongs to. */
  owner: string;
  name: string;
  /** `string`, `boolean`, `integer`, `time`, `any`, `quantity`, `map`, `object`, or `list of` one of them. */
  type: string;
  /** The server refuses the object without it. */
  required: boolean;
  /** The published schema lists it as required, which the server does not enforce. */
  schemaRequired: boolean;
  /** First minor release that has it. */
  since: string;
  /** The only version that has it, if the struct is in the other version too. */
  onlyIn?: string;
  /** The feature gates without which the server drops it. */
  gates?: string[];
  values?: string[];
  default?: string;
  /** Form of the text, a name in the sentences' group `formats`. */
  format?: string;
  /** Bytes of UTF-8. */
  maxBytes?: number;
  maxItems?: number;
  minItems?: number;
  /** `*`: no entry twice; else the field that no two entries share. */
  unique?: string;
  /** Cannot be changed after creation. */
  immutable: boolean;
  /** Set by the server: what a manifest says is dropped. */
  serverOwned: boolean;
  /** Dropped when the object is created. */
  droppedOnCreate: boolean;
  /** How server-side apply treats a list. */
  listType?: "atomic" | "set" | "map";
  listMapKeys?: string[];
}

/** What there is to say about a key or value. */
export interface Hover {
  /** The key or value. */
  range: Range;
  /** A path, a value or a kind. */
  title: string;
  /** Documentation key. */
  key: string;
  field?: FieldInfo;
  /** The sentence, in the locale's words. */
  documentation?: string;
  /** All of it as Markdown, in the locale's words. */
  markdown?: string;
}

export interface HoverAnswer extends Answer {
  verb: "hover";
  /** `null` where there is nothing to say. */
  hover: Hover | null;
}

/** Something that could be written. */
export interface Completion {
  /** What is shown, and matched with what was typed. */
  label: string;
  kind: "field" | "value" | "kind" | "apiVersion" | "snippet" | "attribute" | "function";
  /** Beside the label: a type, a version. */
  detail?: string;
  /** Documentation key. */
  key?: string;
  /** The sentence, in the locale's words. */
  documentation?: string;
  /** What replaces `range`, its lines indented to fit. */
  insertText: string;
  /** The same with tab stops `${1}`, `${2}` …, where there is something to fill in. */
  snippet?: string;
  range: Range;
  /** The object is refused without it. */
  required: boolean;
}

export interface CompleteAnswer extends Answer {
  verb: "complete";
  /** What is needed comes first. */
  items: Completion[];
}

/** A fix and the finding it mends. */
export interface FixOf extends Fix {
  code: Code;
  message: string;
  /** The finding's. */
  range?: Range;
}

export interface FixesAnswer extends Answer {
  verb: "fixes";
  fixes: FixOf[];
}

/**
 * What a key or value means: our own words, type, limits. Works in texts that do not parse, too.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function hover(text: string | Uint8Array, position: Place, options?: PlaceOptions): HoverAnswer;

/**
 * What could be written at a place: keys that are missing, values, kinds, versions, whole objects. Works while somebody types.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function complete(text: string | Uint8Array, position: Place, options?: PlaceOptions): CompleteAnswer;

/**
 * The fixes of the findings in a range, or of all.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function fixes(
  text: string | Uint8Array,
  range?: { start: Place; end: Place } | null,
  options?: ValidateOptions,
): FixesAnswer;

/** What a policy answers to a request. */
export interface ValidationResponse {
  accepted: boolean;
  message?: string;
  code?: number;
  mutated_object?: Record<string, unknown>;
  audit_annotations?: Record<string, string>;
  warnings?: string[];
}

export interface AdmitAnswer extends Answer {
  verb: "admit";
  /** Absent when only settings were given. */
  response?: ValidationResponse;
}

/**
 * What the policy modules answer to an AdmissionRequest (or the AdmissionReview around it), given as an object or as JSON
 * text; without a request the settings alone are checked.
 */
export function admit(request?: object | string | null, settings?: object | string | null): AdmitAnswer;

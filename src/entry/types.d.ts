/* Written by hand; tests/hosts/npm/types compiles it in strict mode against recorded answers. */

/**
 * A manifest: YAML or JSON, any number of documents, Lists. Bytes are UTF-8, or UTF-16 with a byte order mark, as kubectl
 * reads them; other bytes are a finding in YAML and U+FFFD in JSON. An object is read as the JSON it serialises to; its
 * findings have a `path` but no `range`, for there is no text to point into.
 */
export type Manifest = string | Uint8Array | object;

/** A Kubernetes release; a minor release without patch means its last patch. */
export type Release = "1.26" | "1.27" | "1.28" | "1.29" | "1.30" | "1.31" | "1.32" | "1.33" | "1.34" | "1.35" | "1.36" | `1.${number}.${number}`;

/** A known API version of the group `resource.k8s.io`. */
export type ApiVersion = `resource.k8s.io/${Version}`;

/** The version without the group. */
export type Version = "v1alpha1" | "v1alpha2" | "v1alpha3" | "v1beta1" | "v1beta2" | "v1";

/** Options of every verb. */
export interface CommonOptions {
  /** The release of kubectl and kube-apiserver. Default: for each object the last known release that serves its version. */
  release?: Release;
  /** Feature gates that override the defaults of the release. */
  gates?: Record<string, boolean>;
  /** Lower limits on the input. A text beyond a limit gives a finding. */
  limits?: Limits;
}

/** Limits on the input, counted for each text. */
export interface Limits {
  /** Bytes of UTF-8. */
  bytes?: number;
  /** Nesting depth of mappings and sequences. */
  depth?: number;
  /** Scalars, mappings and sequences. */
  nodes?: number;
  /** Findings in one answer. */
  findings?: number;
  /** Bytes of a text with Nodes. */
  nodeSetBytes?: number;
}

/** How to treat unknown and duplicate fields: as errors, as warnings, or not at all (`kubectl --validate`). */
export type FieldValidation = "Strict" | "Warn" | "Ignore";

/** Options of {@link parse}. */
export interface ParseOptions extends CommonOptions {
  /** Default `Strict`, as kubectl. */
  fieldValidation?: FieldValidation;
  /** A label selector as for `kubectl get -l`; selected objects have `selected`. */
  labelSelector?: string;
  /** A field selector as for `kubectl get --field-selector`. */
  fieldSelector?: string;
  /** Namespace of objects without one, for `fieldSelector`. Default `default`. */
  namespace?: string;
  /** Only run kubectl's YAML-to-JSON step on one YAML text; the answer has `raw` and no objects. */
  raw?: boolean;
}

/** Options of {@link validate}. */
export interface ValidateOptions extends CommonOptions {
  /** Default `Strict`, as kubectl. */
  fieldValidation?: FieldValidation;
  /** The operation. Default `create`. */
  operation?: "create" | "update" | "updateStatus" | "patch" | "patchStatus";
  /** The stored object. Required except for `create` and for a patch of type `apply`, which creates a missing object. For a patch, `text` is the patch. */
  old?: Manifest;
  /** The type of the patch. Default `strategic`, as in kubectl. */
  patchType?: "json" | "merge" | "strategic" | "apply";
  /** Patch: the field manager. Required for `apply`; with the other types it owns the fields that the patch writes. */
  fieldManager?: string;
  /** Patch: `apply` takes over fields of other managers. Default `false`. */
  force?: boolean;
  /** Patch: the time of the request in RFC 3339, for `managedFields`. */
  time?: string;
  /**
   * `kubectl` (default): what a person submitting the file meets, with the request namespace filled in. `validator`: the
   * server's validation functions on exactly this object. `server`: what the server answers to exactly this body.
   */
  via?: "kubectl" | "validator" | "server";
  /** Namespace of the request. Default `default`. */
  namespace?: string;
  /** Labels of that namespace; absent: unknown. Claims with admin access need a label. */
  namespaceLabels?: Record<string, string>;
  /** Include each stored object in the answer: `true` for the version of the manifest, or this version. */
  stored?: boolean | ApiVersion | Version;
}

/** Options of {@link convert}. */
export interface ConvertOptions extends CommonOptions {
  /** The target version, with or without the group; or a minor release such as `1.36`, which means the newest version of each kind that it serves. */
  to: ApiVersion | Version | `1.${number}`;
  /** Whether a conversion may lose fields. Default `refuse`. */
  lossy?: "refuse" | "allow";
  /** Remove `metadata` fields that only the server or `kubectl apply` writes. Default `false`. */
  dropServerFields?: boolean;
  /** Write decisions as comments above the lines they concern. Default `false`. */
  annotate?: boolean;
}

/** Options of {@link evaluate}. */
export interface EvaluateOptions extends CommonOptions {
  /** Text with Nodes: YAML, JSON, or a NodeList as `kubectl get nodes -o json` prints it, or the object of one. `null` is one nil node. */
  nodes?: string | Uint8Array | object | null | PreparedNodes;
  /** A NodeSelector as YAML or JSON, instead of the manifest. */
  selector?: string | Uint8Array;
  /** The detail for each node. Default: all details for up to 100 nodes, only a verdict and its reason for more. */
  detail?: "full" | "summary";
  /** Names of nodes with all details, whatever `detail` is. */
  explain?: string[];
}

/** A position in the text. */
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

/** A fix of a finding; its edits do not overlap. */
export interface Fix {
  /** Its title, for a menu. */
  title: string;
  edits: TextEdit[];
}

/** Stable name for the problem of a finding, in kebab-case; {@link codes} lists and explains all codes. */
export type Code = string;

export type Severity = "error" | "warning" | "info";

/** The source of a message. */
export type Origin = "kubectl" | "kube-apiserver" | "kube-scheduler" | "claimkit";

/** A message about a text. */
export interface Finding {
  code: Code;
  severity: Severity;
  origin: Origin;
  /** The message of the origin, byte for byte unless the origin is claimkit. */
  message: string;
  /** Path of the field, as the origin writes it: `spec.allocationMode`. */
  path?: string;
  /** Reason of the `Status` cause, such as `FieldValueNotSupported`. */
  type?: string;
  /** claimkit's advice. */
  help?: string;
  /**
   * Which text it is about: what was asked about, or the option that carries the text. `range` and `fixes` count in that one.
   */
  in: "text" | "nodes" | "old" | "patch" | "settings" | "cluster";
  fixes: Fix[];
  /** The range in the text; absent if the caller gave an object. */
  range?: Range;
  /** Index into the answer's `objects`. */
  object?: number;
}

/** A finding about a text that the caller has. */
export interface TextFinding extends Finding {
  range: Range;
}

/** The fields of every answer. A bad manifest gives an answer, never an exception. */
export interface Answer {
  /** No finding is an error, and at least one object was checked. */
  ok: boolean;
  findings: Finding[];
  /** The objects of the text; empty if the verb is not about objects. */
  objects: unknown[];
  /** Only if the request is invalid: the reason. */
  error?: string;
}

/** An object of `resource.k8s.io` in the text. */
export interface CheckedObject {
  apiVersion: string;
  kind: string;
  name: string;
  namespace: string;
  /** The release whose rules judged it. */
  release: string;
  range?: Range;
  /** `null` for an object of another group, which is not checked. */
  valid: boolean | null;
}

/** An object after decoding and defaulting. */
export interface ParsedObject extends CheckedObject {
  /** The decoded object with defaults, in the server's field order and in its own version; absent if it cannot be decoded. */
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
  /** The server's refusal, or null if it accepts the object. */
  status: Status | null;
  /** With the option `stored`: the stored object, without times, uids and managed fields. */
  stored?: unknown;
  /** Patch: the patched object as the server stores it. */
  object?: unknown;
  /** Patch: the difference from the stored object, as a JSON patch (RFC 6902). */
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

/** A field that the target version does not have. */
export interface Loss {
  path: string;
  value: unknown;
  reason: string;
}

/** A decision that needs a person, in a conversion from v1alpha1 or v1alpha2 to v1alpha3 or later, and the assumption that was made. */
export interface Decision {
  /** The stable name of the decision. */
  code: string;
  /** The field in the source object, and its range in the source text. */
  path: string;
  range: Range;
  question: string;
  assumed: string;
  why: string;
  /** The alternatives. */
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
  /** Why the object was not converted, or which object now has its content. */
  skipped?: string;
  /** The first minor release that no longer serves its old version, if known or announced. */
  removedIn?: string;
}

export interface ConvertAnswer extends Answer {
  verb: "convert";
  objects: ConvertedObject[];
  /** The whole converted file with its comments, order and quoting; absent if the conversion is refused. */
  text?: string;
}

/** Whether a node can use the claim. */
export type Verdict = "Yes" | "Possible" | "No" | "Error";

/** Nodes read once by {@link prepareNodes}, for many evaluations. */
export interface PreparedNodes {
  /** The number of nodes. */
  readonly length: number;
  /** Frees the memory at once; otherwise the garbage collector frees it. */
  free(): void;
}

export interface PlacedObject {
  /** Absent for objects that are not placed. */
  placement?: Placement;
  [part: string]: unknown;
}

/** The nodes that can use an object. */
export interface Placement {
  /** The release of the scheduler. */
  release: string;
  /** The detail for each node. */
  detail: "full" | "summary";
  /** The number of nodes for each verdict. */
  counts: { yes: number; possible: number; no: number; error: number };
  /** The scheduler's reasons, with the number of nodes for each. */
  reasons?: { reason: string; nodes: number }[];
  /** The message to the pod after all nodes were checked. */
  next?: { schedulerReason: string; why: string };
  /** For each selector: which requirement excludes which nodes. */
  selectors?: SelectorInverse[];
  /** The nodes, in the order given. */
  nodes: NodeVerdict[];
}

export interface SelectorInverse {
  /** Path of the selector; empty for a bare one. */
  source: string;
  /** Index into the answer's `objects`. */
  object?: number;
  /** The number of nodes that it selects. */
  selects: number;
  requirements: {
    term: number;
    path: string;
    /** The number of nodes where it does not hold. */
    removes: number;
    /** The number of these nodes where everything else in the term holds. */
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
  /** The scheduler's message, if it refuses. */
  schedulerReason?: string;
  /** The decisive part of the text. */
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
  /** The verdict for this claim only. */
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
  /** `null` if it does not decide. */
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
  /** For a node without a matching term: the term with the fewest failing requirements. */
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
  /** `null`: it cannot be parsed, or is not checked. */
  holds: boolean | null;
  /** claimkit's message; the scheduler's if it cannot be parsed. */
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
 * Gives the answers of kubectl and kube-apiserver to a manifest, with positions in the text and fixes.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function validate(
  text: string | Uint8Array,
  options?: ValidateOptions & { operation?: "create" },
): ValidateAnswer & { findings: TextFinding[] };

/** The same for an object, and for changes to a stored object: findings have a `range` only if the caller has the text. */
export function validate(text: Manifest, options?: ValidateOptions): ValidateAnswer;

/**
 * Converts a manifest to another API version; changes only what must change.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function convert(text: Manifest, options: ConvertOptions): ConvertAnswer;

/**
 * Shows which nodes can use the claims of a manifest, and why the others cannot.
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
  /** The number of objects. */
  readonly length: number;
  /** Frees the memory at once; otherwise the garbage collector frees it. */
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
  /** Labels of that namespace. Labels of Namespace objects in the text take precedence. */
  namespaceLabels?: Record<string, string>;
  /** Nodes, besides those of the text. */
  nodes?: Manifest;
  /** Only these nodes. */
  nodeNames?: string[];
  /** Only this pod: `namespace/name`. */
  pod?: string;
  /** These claims together, instead of pods: `namespace/name`. */
  claims?: string[];
  /**
   * The objects of a cluster. Pods and claims of the text are asked about; without any, those of the cluster. Objects of the text
   * take the place of those of the same kind and name.
   */
  cluster?: Manifest | PreparedCluster;
  /** The current time, RFC 3339. With it, claims time out if their devices are not ready for binding after ten minutes. */
  now?: string;
  /** Changes that the answer assumes. The named objects must exist. */
  whatIf?: {
    /** Claims that release their devices: `namespace/name`. */
    free?: string[];
    /** Taints to remove, in kubectl's notation: `key`, `key:effect`, `key=value:effect`. */
    untaint?: string[];
    /** DeviceTaintRules to ignore. */
    withoutRules?: string[];
    /** Nodes to copy: each gets a copy `<name>-copy` with nothing in use. */
    nodesLike?: string[];
  };
  /** Features of the allocator, instead of those that follow from the gates. */
  features?: string[];
  /** Whether selectors read attributes with several values, whatever the gates are. */
  celLists?: boolean;
  options?: {
    /** The step limit of each node's search. Default: 100,000. */
    budget?: number;
    /** Whether to search for changes that help. Default: true. */
    relax?: boolean;
    /** The devices to list individually. Default: `failed`. */
    matrix?: "failed" | "all" | "none";
  };
}

/** A request on a node: the number of devices that remain after each condition. */
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
  /** Its path in the claim, in the form of v1. */
  path: string;
  /** Its range in the text. */
  range?: Range;
  passedOver: string[];
  text: string;
  why: string;
}

/** A tested change after which the node has devices for the claims. */
export interface Relaxation {
  changes: { claim: string; path?: string; range?: Range; request?: string; [field: string]: unknown }[];
  /** The devices after the change. */
  gives: string[];
  node: string;
  /** The changes as edits of the text; empty if a claim must be freed or the text cannot be edited safely. */
  edits: TextEdit[];
  text: string;
}

/** A resource of a node, such as `cpu`, as kube-scheduler counts it for a pod. */
export interface ResourceAccount {
  resource: string;
  /** The pod's requests, including its devices. */
  requested: string;
  /** The requests of the pods on the node. */
  used: string;
  allocatable: string;
  /** True if too little is left. */
  short: boolean;
  /** The use by devices: with `capacity` and `consumed` if it follows from a capacity. */
  devices: { claim: string; device: string; takes: string; capacity?: string; consumed?: string; multiplier?: string }[];
  /** The pods on the node with the largest share. */
  pods: { pod: string; requests: string }[];
  text: string;
}

/** The result of a node for a pod, or for claims without a pod. */
export interface NodeAccount {
  name: string;
  verdict: "allocated" | "none" | "error" | "node-error" | "unavailable" | "undecided";
  /** kube-scheduler's message. */
  message: string | null;
  /** kube-scheduler's code if it refuses the node; `Unschedulable` means that there is room without some pods. */
  code?: "Unschedulable" | "UnschedulableAndUnresolvable" | "Error";
  /** True if the error ends the attempt for all nodes. */
  fatal: boolean;
  score: number;
  steps: number;
  /** An AllocationResult of v1 for each claim. */
  allocations: object[] | null;
  pools: object[];
  requests: RequestAccount[];
  /** Why requests that can be satisfied alone cannot be satisfied together. */
  conflicts: { kind: string; claim: string; path?: string; range?: Range; text: string; [field: string]: unknown }[];
  holders: object[];
  relaxations: Relaxation[];
  charges: object[];
  /** Resources of the node that devices take, or of which too little is left (gate DRANodeAllocatableResources). */
  resources?: ResourceAccount[];
  /** kube-scheduler's messages if there are several; `message` has all of them. */
  reasons?: string[];
  /** Additions to the message. */
  help?: string;
  /** One line of English. */
  text: string;
  /** The node with the same account; of the lists above, only `resources` and `reasons` are then present. */
  sameAs: string | null;
}

export interface AllocateAnswer extends Answer {
  verb: "allocate";
  release: string;
  /** The allocator of kube-scheduler that the release uses. */
  allocator: string;
  /** The release's gates. */
  gates: Record<string, boolean>;
  /** The changes that the answer assumes, one line each. Absent: none. */
  assumed?: string[];
  pods: {
    /** `namespace/name`; `null`: claims that no pod uses. */
    pod: string | null;
    claims: string[];
    extendedResources: Record<string, string>;
    /** The reason that stops the pod before any node is checked. */
    before: { stage: "preEnqueue" | "preFilter"; code: string; message: string; help: string | null } | null;
    summary: { message: string; nodes: string[] }[];
    nodes: NodeAccount[];
    findings: object[];
  }[];
}

/**
 * Shows which devices the pods and claims of a text get on each node, or why they get none.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function allocate(text: Manifest, options?: AllocateOptions): AllocateAnswer;

/** The value of a device attribute: exactly one of the fields. */
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
  /** Ignored. */
  name?: string;
  /** The default domain of attributes and capacities. */
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
  /** The expression is already stored: it may use everything that the release can run, not only what new expressions may use. */
  stored?: boolean;
  devices?: CelDevice[];
  /** For `namedResources`: attributes as v1alpha2 writes them. */
  instances?: { name?: string; attributes: object[] }[];
  /** Include the value of every part of the expression. */
  trace?: boolean;
}

export interface CelAnswer extends Answer {
  verb: "cel";
  compile: {
    ok: boolean;
    /** The type of the result. */
    type?: string;
    /** The cost estimate; the limit is 1,000,000. */
    cost?: number;
    /** kube-apiserver's message. */
    error?: string;
  };
  /** One result for each device; absent if the expression does not compile. */
  results?: {
    match?: boolean;
    /** kube-scheduler's message. */
    error?: string;
    /** The cost of the run. */
    cost: number;
    /** With `trace`: the parts that decided, in English. */
    why?: string[];
    /** With `trace`: every part that was evaluated, outer ones first. */
    trace?: { range: Range; value?: string; error?: string }[];
  }[];
}

/**
 * Compiles a device selector (CEL) as kube-apiserver does, and runs it on devices.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function cel(expression: string, options?: CelOptions): CelAnswer;

/** Language of claimkit's own sentences. */
export type Locale = "en" | "zh-Hans";

/** Options of functions whose answers have sentences. */
export interface LocaleOptions {
  /**
   * Default `en`. In Node the package finds its files; elsewhere give them with {@link addLocale}, or answers have
   * documentation keys only.
   */
  locale?: Locale;
}

/** One language's sentences: the content of `claimkit/locale/<locale>.json`. */
export type Sentences = Record<string, Record<string, string>>;

/** The meaning of a finding code. */
export interface CodeEntry {
  code: Code;
  /** The severity, unless the request lowers it. */
  severity: Severity;
  /** Path of its page, relative to the documentation. */
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

/** A supported minor release. */
export interface ReleaseEntry {
  release: string;
  /** Its last patch, which the minor release without patch means. */
  lastPatch: string;
  versions: VersionEntry[];
  /** Its changes and those of its patches. */
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

/** The finding codes with their meanings. */
export function codes(options?: LocaleOptions): CodesAnswer;

/** The supported Kubernetes releases, with their served versions and their changes. */
export function releases(options?: LocaleOptions): ReleasesAnswer;

/**
 * The JSON Schema of a kind as a release serves it, or of all kinds of the release in all versions.
 *
 * @param release such as `1.30`; the last one without it
 * @param kind such as `ResourceClaim`, in the newest version that has it, or `v1beta1/ResourceClaim`; all kinds without it
 * @throws {TypeError} when the release is not known or does not serve the kind
 */
export function jsonSchema(release?: Release, kind?: string, options?: LocaleOptions & { gates?: Record<string, boolean> }): JsonSchema;

/** The same, with the release in the options. */
export function jsonSchema(kind: string, options?: LocaleOptions & { release?: Release; gates?: Record<string, boolean> }): JsonSchema;

/** A position in a text: a line and UTF-16 column from 0, or a byte offset, which takes precedence. */
export type Place = { line: number; character: number; offset?: number } | { offset: number };

/** Options of {@link hover} and {@link complete}. */
export interface PlaceOptions extends LocaleOptions {
  /** Default: the last release that serves the object's version. */
  release?: Release;
  /** Feature gates that override the defaults of the release; they affect CEL expressions. */
  gates?: Record<string, boolean>;
  limits?: Limits;
}

/** Facts about a field, from the same tables as validation. */
export interface FieldInfo {
  /** Go struct it belongs to. */
  owner: string;
  name: string;
  /** `string`, `boolean`, `integer`, `time`, `any`, `quantity`, `map`, `object`, or `list of` one of them. */
  type: string;
  /** True if the server refuses the object without it. */
  required: boolean;
  /** True if the published schema requires it, which the server does not enforce. */
  schemaRequired: boolean;
  /** First minor release that has it. */
  since: string;
  /** The only version that has it, if the struct is in the other version too. */
  onlyIn?: string;
  /** The feature gates without which the server drops it. */
  gates?: string[];
  values?: string[];
  default?: string;
  /** The format of the string, a key of the group `formats` in the sentences. */
  format?: string;
  /** Bytes of UTF-8. */
  maxBytes?: number;
  maxItems?: number;
  minItems?: number;
  /** `*`: no duplicate entries; otherwise the field that must be unique. */
  unique?: string;
  /** Cannot be changed after creation. */
  immutable: boolean;
  /** Set by the server, which drops the value of a manifest. */
  serverOwned: boolean;
  /** Dropped when the object is created. */
  droppedOnCreate: boolean;
  /** How server-side apply treats a list. */
  listType?: "atomic" | "set" | "map";
  listMapKeys?: string[];
}

/** A hover about a key or value. */
export interface Hover {
  /** The key or value. */
  range: Range;
  /** A path, a value or a kind. */
  title: string;
  /** Documentation key. */
  key: string;
  field?: FieldInfo;
  /** The documentation, in the language of the locale. */
  documentation?: string;
  /** The whole hover as Markdown, in the language of the locale. */
  markdown?: string;
}

export interface HoverAnswer extends Answer {
  verb: "hover";
  /** `null` if there is no information. */
  hover: Hover | null;
}

/** A completion. */
export interface Completion {
  /** The label, which editors match with the typed text. */
  label: string;
  kind: "field" | "value" | "kind" | "apiVersion" | "snippet" | "attribute" | "function";
  /** Shown next to the label: a type, a version. */
  detail?: string;
  /** Documentation key. */
  key?: string;
  /** The documentation, in the language of the locale. */
  documentation?: string;
  /** The text that replaces `range`, indented to fit. */
  insertText: string;
  /** The same text with tab stops `${1}`, `${2}` …, if there is something to fill in. */
  snippet?: string;
  range: Range;
  /** True if the server refuses the object without it. */
  required: boolean;
}

export interface CompleteAnswer extends Answer {
  verb: "complete";
  /** The completions; required ones come first. */
  items: Completion[];
}

/** A fix and its finding. */
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
 * Explains a key or value: a sentence, the type and the limits. Also works in texts that do not parse.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function hover(text: string | Uint8Array, position: Place, options?: PlaceOptions): HoverAnswer;

/**
 * Completions at a position: missing keys, values, kinds, versions, whole objects. Works while the user types.
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
  /** Absent if the request has only settings. */
  response?: ValidationResponse;
}

/**
 * What the policy modules answer to an AdmissionRequest (or the AdmissionReview around it), given as an object or as JSON
 * text; without a request the settings alone are checked.
 */
export function admit(request?: object | string | null, settings?: object | string | null): AdmitAnswer;

/* Written by hand; tests/hosts/npm/types compiles it in strict mode against recorded answers. */

/**
 * A manifest: YAML or JSON, any number of documents, Lists. Bytes are UTF-8, or UTF-16 with a byte order mark, as kubectl
 * reads them; other bytes are a finding in YAML and U+FFFD in JSON. An object is read as the JSON it serializes to; its
 * findings have a `path` but no `range`, for there is no text to point into.
 */
export type Manifest = string | Uint8Array | object;

/**
 * One of several texts that are read together: the files of a folder, the tabs of an editor. Each is read as kubectl reads a file, so
 * that one which cannot be read costs that file alone.
 */
export interface NamedText {
	/** Its name, for example a path. Findings and objects have it as `file`. */
	name: string;
	text: string | Uint8Array;
}

/** A Kubernetes release; a minor release without patch means its last patch, or its last pre-release before it is final. */
export type Release =
	| "1.26"
	| "1.27"
	| "1.28"
	| "1.29"
	| "1.30"
	| "1.31"
	| "1.32"
	| "1.33"
	| "1.34"
	| "1.35"
	| "1.36"
	| "1.37"
	| "1.38"
	| `1.${number}.${number}`
	| `1.${number}.${number}-${string}`;

/** A minor release of Kubernetes that is known. */
export type MinorRelease = Exclude<
	Release,
	`1.${number}.${number}` | `1.${number}.${number}-${string}`
>;

/** A known API version of the group `resource.k8s.io`. */
export type ApiVersion = `resource.k8s.io/${Version}`;

/** The version without the group. */
export type Version =
	| "v1alpha1"
	| "v1alpha2"
	| "v1alpha3"
	| "v1beta1"
	| "v1beta2"
	| "v1";

/** Options of every verb. */
export interface CommonOptions {
	/** The release of kubectl and kube-apiserver. Default: for each object the last known release that serves its version. */
	release?: Release | undefined;
	/** Feature gates that override the defaults of the release. */
	gates?: Record<string, boolean> | undefined;
	/** Limits on the input that are lower than the defaults. A text beyond a limit gives a finding. */
	limits?: Limits | undefined;
}

/** Limits on the input, counted for each text. */
export interface Limits {
	/** Bytes of UTF-8 in one text. */
	bytes?: number | undefined;
	/** Nesting depth of mappings and sequences. */
	depth?: number | undefined;
	/** Scalars, mappings and sequences. */
	nodes?: number | undefined;
	/** Findings in one answer. */
	findings?: number | undefined;
	/** Bytes of a text with Nodes. */
	nodeSetBytes?: number | undefined;
}

/** The treatment of unknown and duplicate fields: as errors, as warnings, or not at all (`kubectl --validate`). */
export type FieldValidation = "Strict" | "Warn" | "Ignore";

/** Options of {@link parse}. */
export interface ParseOptions extends CommonOptions {
	/** Default `Strict`, as kubectl. */
	fieldValidation?: FieldValidation | undefined;
	/** A label selector as for `kubectl get -l`; selected objects have `selected`. */
	labelSelector?: string | undefined;
	/** A field selector as for `kubectl get --field-selector`. */
	fieldSelector?: string | undefined;
	/** Namespace of objects without one, for `fieldSelector`. Default `default`. */
	namespace?: string | undefined;
	/** Only run kubectl's YAML-to-JSON step on one YAML text, not on several; the answer has `raw` and no objects. */
	raw?: boolean | undefined;
	/**
	 * The way in which the object reaches the server. Without it, JSON is read in the order of its text, as the server does.
	 */
	via?: Via | undefined;
}

/** Options of {@link validate} for every operation. */
export interface RequestOptions extends CommonOptions {
	/** Other texts whose objects are known but not judged, such as the other files of a project: names are looked up in them, too. */
	beside?: readonly (string | Uint8Array | NamedText)[] | undefined;
	/** Default `Strict`, as kubectl. */
	fieldValidation?: FieldValidation | undefined;
	/**
	 * `kubectl` (default): what a person submitting the file meets, with the request namespace filled in. `validator`: the
	 * server's validation functions on exactly this object. `server`: what the server answers to exactly this body.
	 */
	via?: Via | undefined;
	/** Namespace of the request. Default `default`. */
	namespace?: string | undefined;
	/** Labels of that namespace; absent: unknown. Claims with admin access need a label. */
	namespaceLabels?: Record<string, string> | undefined;
	/** Include each stored object in the answer: `true` for the version of the manifest, or this version. */
	stored?: boolean | ApiVersion | Version | undefined;
}

/** The way in which an object reaches the server. */
export type Via = "kubectl" | "validator" | "server";

/** The object is new. */
export interface CreateOptions extends RequestOptions {
	operation?: "create" | undefined;
}

/** The object, or its status, takes the place of the stored one. */
export interface UpdateOptions extends RequestOptions {
	operation: "update" | "updateStatus";
	/** The object as it is stored, or all stored objects. */
	old: Manifest | readonly NamedText[];
}

/** The text is a patch of the stored object, or of its status. */
export interface PatchOptions extends RequestOptions {
	operation: "patch" | "patchStatus";
	/** The object as it is stored. */
	old: Manifest;
	/** Default `strategic`, as in kubectl. */
	patchType?: "json" | "merge" | "strategic" | undefined;
	/** Owns the fields that the patch writes. */
	fieldManager?: string | undefined;
	/** The time of the request in RFC 3339, for `managedFields`. */
	time?: string | undefined;
}

/** The text is applied (server-side apply). */
export interface ApplyOptions extends RequestOptions {
	operation: "patch" | "patchStatus";
	patchType: "apply";
	/** The stored object; absent: it is created. */
	old?: Manifest | undefined;
	fieldManager: string;
	/** Take over fields of other managers. Default `false`. */
	force?: boolean | undefined;
	/** The time of the request in RFC 3339, for `managedFields`. */
	time?: string | undefined;
}

/** Options of {@link validate}. */
export type ValidateOptions =
	| CreateOptions
	| UpdateOptions
	| PatchOptions
	| ApplyOptions;

/** Options of {@link convert}. */
export interface ConvertOptions extends CommonOptions {
	/** The target version, with or without the group; or a minor release such as `1.36`, which means the newest version of each kind that it serves. */
	to: ApiVersion | Version | `1.${number}`;
	/** Whether a conversion may lose fields. Default `refuse`. */
	lossy?: "refuse" | "allow" | undefined;
	/** Remove `metadata` fields that only the server or `kubectl apply` writes. Default `false`. */
	dropServerFields?: boolean | undefined;
	/** Write decisions as comments above the lines they concern. Default `false`. */
	annotate?: boolean | undefined;
}

/** Options of {@link evaluate}. */
export interface EvaluateOptions extends CommonOptions {
	/**
	 * Text with Nodes: YAML, JSON, or a NodeList as `kubectl get nodes -o json` prints it, or the object of one; or several texts. `null` is
	 * one nil node.
	 */
	nodes: Manifest | readonly NamedText[] | null | PreparedNodes;
	/** A NodeSelector as YAML or JSON, instead of the manifest. */
	selector?: string | Uint8Array | undefined;
	/** The detail for each node. Default: all details for up to 100 nodes, only a verdict and its reason for more. */
	detail?: "full" | "summary" | undefined;
	/** Names of nodes with all details, whatever `detail` is. */
	explain?: readonly string[] | undefined;
	/** The way in which the object reaches the server. Default `kubectl`. */
	via?: Via | undefined;
	/** Namespace of objects without one. Default `default`. */
	namespace?: string | undefined;
	/** Default `Strict`, as kubectl. */
	fieldValidation?: FieldValidation | undefined;
}

/** A position in the text. */
export interface Position {
	/** Line number, counted from 0. */
	line: number;
	/** UTF-16 code units from the start of the line, from 0. */
	character: number;
	/** UTF-16 code units from the start of the text, as `text.slice` counts. */
	offset: number;
	/** Bytes of UTF-8 from the start of the text. */
	byteOffset: number;
}

/** From `start` up to but not including `end`. */
export interface Range {
	start: Position;
	end: Position;
	/** The name of its text, where several were given and the range is not that of a finding or object, which have their own `file`. */
	file?: string;
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
	/** Present if the fix deletes something that a person wrote; "fix all" leaves it out. */
	deletes?: true;
}

/** Stable name for the problem of a finding, in kebab-case; {@link codes} lists and explains all codes. */
export type Code = string;

export type Severity = "error" | "warning" | "info";

/** The source of a message. */
export type Origin =
	| "kubectl"
	| "kube-apiserver"
	| "kube-scheduler"
	| "claimkit";

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
	/** The advice that claimkit gives. */
	help?: string;
	/**
	 * The text that it is about: the one in question, or the option that carries the text. `range` and `fixes` count in that
	 * one.
	 */
	in: "text" | "nodes" | "old" | "patch" | "settings" | "cluster" | "newNodes";
	fixes: Fix[];
	/** The range in the text; absent if the caller gave an object. */
	range?: Range;
	/** Index into the answer's `objects`. */
	object?: number;
	/** The name of its text, where several were given. `range` counts in that text. */
	file?: string;
}

/** A finding about a text that the caller has. */
export interface TextFinding extends Finding {
	range: Range;
}

/** The rules that answer for a patch release whose answers were never recorded, or for a pre-release. */
export interface RulesOf {
	/** The patch release that was asked for. */
	asked: string;
	/** The recorded patch release whose rules answer. */
	release: string;
	/** Whether changes between the two, known from upstream's history only, are taken back. */
	adjusted: boolean;
	/** The requested release is a pre-release, which answers by its own rules: the release itself may answer otherwise. */
	preRelease?: true;
}

/** The fields of every answer. A bad manifest gives an answer, never an exception. */
export interface Answer {
	/** No finding is an error, and at least one object was checked. */
	ok: boolean;
	/** Present if the answers of the requested patch release were never recorded: the recorded one whose rules answered. Present for a pre-release, too. */
	rulesOf?: RulesOf;
	findings: Finding[];
	/** The objects of the text; empty if the verb is not about objects. */
	objects: unknown[];
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
	/** The name of its text, where several were given. */
	file?: string;
	/** `null` for an object of another group, which is not checked. */
	valid: boolean | null;
}

/** An object after decoding and defaulting. */
export interface ParsedObject extends CheckedObject {
	/** The decoded object with defaults, in the server's field order and in its own version; absent if it cannot be decoded. */
	object?: Record<string, unknown>;
	/** With `labelSelector` or `fieldSelector`: whether they select it. */
	selected?: boolean;
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
}

/** A patched object and the server's answer to it. */
export interface PatchedObject extends ValidatedObject {
	/** The object as the server stores it; absent if the patch cannot be applied. */
	object?: unknown;
	/** The difference from the stored object, as a JSON patch (RFC 6902). */
	changes?: ({ path: string } & (
		| { op: "add" | "replace"; value: unknown }
		| { op: "remove" }
	))[];
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

/** The answer of {@link validate} to texts that the caller has: every finding has its place. */
export interface TextValidateAnswer extends ValidateAnswer {
	findings: TextFinding[];
}

/** The answer of {@link validate} to a patch. */
export interface PatchAnswer extends ValidateAnswer {
	objects: PatchedObject[];
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
	/** The alternatives to the assumption. */
	alternatives: string[];
	/** Question, assumption and reason in one line. */
	message: string;
}

/** An object of the text of {@link convert}. */
export interface ConvertedObject {
	apiVersion: string;
	kind: string;
	name: string;
	namespace: string;
	release: string;
	/** Absent if the caller gave an object. */
	range?: Range;
	/** The name of its text, where several were given. */
	file?: string;
	/** Its `apiVersion` before and after the conversion. */
	from: string;
	to: string;
	changed: boolean;
	losses: Loss[];
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

/** The answer of {@link convert} to several texts. */
export interface FilesConvertAnswer extends Omit<ConvertAnswer, "text"> {
	/** The texts in order. */
	files: ConvertedFile[];
}

/** A text of {@link convert}. */
export interface ConvertedFile {
	/** Its name. */
	name: string;
	/** The whole converted file with its comments, order and quoting; absent if its conversion is refused. */
	text?: string;
}

/** Whether a node can use the claim. */
export type Verdict = "Yes" | "Possible" | "No" | "Error";

/** Nodes read once by {@link prepareNodes}, for many evaluations. */
export interface PreparedNodes {
	/** The number of nodes. */
	readonly length: number;
	/** As {@link evaluate} with these nodes. */
	evaluate(
		text: Manifest | readonly NamedText[] | undefined,
		options?: Omit<EvaluateOptions, "nodes">,
	): EvaluateAnswer;
	/** Frees the memory at once; otherwise the garbage collector frees it. */
	free(): void;
}

/** An object of the text of {@link evaluate}. */
export interface PlacedObject {
	apiVersion: string;
	kind: string;
	name: string;
	namespace: string;
	/** The release whose scheduler was asked. */
	release: string;
	/** Absent if the caller gave an object. */
	range?: Range;
	/** The name of its text, where several were given. */
	file?: string;
	/** Absent for objects that are not placed. */
	placement?: Placement;
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
	requirements: RequirementInverse[];
}

export interface RequirementInverse {
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
	/** In the scheduler's order. */
	checks: ClaimCheck[];
}

/** The result of a check. */
interface CheckResult {
	/** `null` if it does not decide. */
	holds: boolean | null;
	why: string;
	schedulerReason?: string;
}

export type ClaimCheck =
	| (CheckResult &
			SelectorCheck & {
				check: "selector";
				/** Index of the object with the selector. */
				object: number;
			})
	| (CheckResult & {
			check: "structured";
			/** The instances that the claim gets; absent if there are none. */
			instances?: { driver: string; name: string }[];
	  })
	| (CheckResult & {
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
				| "unrestricted"
				| "refused"
				| "unsuitable"
				| "potential"
				| "selected";
	  });

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
 * Answers one request given as JSON text; all other functions are typed wrappers of it. `claimkit batch` reads the same
 * requests, one per line.
 */
export function answer(request: string): string;

/**
 * Reads a manifest as kubectl and kube-apiserver read it and gives the objects as the server would hold them.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function parse(
	text: Manifest | readonly NamedText[],
	options?: ParseOptions,
): ParseAnswer;

/**
 * Gives the answers of kubectl and kube-apiserver to a manifest, with positions in the text and fixes.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function validate(
	text: string | Uint8Array | readonly NamedText[],
	options?: CreateOptions,
): TextValidateAnswer;

/** The same for a patch of a stored object: the answer has the patched object, and what the patch changes. */
export function validate(
	patch: Manifest,
	options: PatchOptions | ApplyOptions,
): PatchAnswer;

/** The same for an object, and for changes to stored objects: findings have a `range` only if the caller has the text. */
export function validate(
	text: Manifest | readonly NamedText[],
	options?: ValidateOptions,
): ValidateAnswer;

/**
 * Converts several texts, each as a file of its own: one that is refused leaves the others as they are converted. Objects may refer to
 * objects of the other texts.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function convert(
	texts: readonly NamedText[],
	options: ConvertOptions,
): FilesConvertAnswer;

/** Converts a manifest to another API version; changes only what must change. */
export function convert(text: Manifest, options: ConvertOptions): ConvertAnswer;

/**
 * Shows which nodes can use the claims of a manifest, and why the others cannot.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function evaluate(
	text: Manifest | readonly NamedText[] | undefined,
	options: EvaluateOptions,
): EvaluateAnswer;

/**
 * Reads Nodes once, for many evaluations: YAML or JSON, single, in a NodeList or List. `null` is one nil node.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function prepareNodes(
	nodes: Manifest | readonly NamedText[] | null,
	options?: { limits?: Limits | undefined },
): PreparedNodes;

/** The objects of a cluster read once by {@link prepareCluster}, for many questions. */
export interface PreparedCluster {
	/** The number of objects. */
	readonly length: number;
	/** As {@link allocate} with this cluster. */
	allocate(
		text: Manifest | readonly NamedText[],
		options?: Omit<AllocateOptions, "cluster">,
	): AllocateAnswer;
	/** Frees the memory at once; otherwise the garbage collector frees it. */
	free(): void;
}

/**
 * Reads the objects of a cluster once, for many calls of {@link allocate}: nodes, slices, classes, claims, pods, taint rules, as
 * `kubectl get -o yaml` prints them. All questions are about the `release` given here.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function prepareCluster(
	cluster: Manifest | readonly NamedText[],
	options?: {
		release?: Release | undefined;
		limits?: Limits | undefined;
		namespace?: string | undefined;
	},
): PreparedCluster;

/** Options of {@link allocate}. */
export interface AllocateOptions extends CommonOptions {
	/** Namespace of objects without one. Default: `default`. */
	namespace?: string | undefined;
	/** Default `Strict`, as kubectl. */
	fieldValidation?: FieldValidation | undefined;
	/** Labels of that namespace. Labels of Namespace objects in the text take precedence. */
	namespaceLabels?: Record<string, string> | undefined;
	/** Nodes, besides those of the text. */
	nodes?: Manifest | readonly NamedText[] | undefined;
	/** Asks about these nodes only. */
	nodeNames?: readonly string[] | undefined;
	/** Only this pod: `namespace/name`. */
	pod?: string | undefined;
	/** These claims together, instead of pods: `namespace/name`. */
	claims?: readonly string[] | undefined;
	/**
	 * The objects of a cluster. Pods and claims of the text are asked about; without any, those of the cluster. Objects of the text
	 * take the place of those of the same kind and name.
	 */
	cluster?: Manifest | readonly NamedText[] | PreparedCluster | undefined;
	/** Whether each pod is placed as if no other pod waited, by its devices only. Default: all pods in turn, in kube-scheduler's order. */
	alone?: boolean | undefined;
	/** Whether one pod is repeated until no more fits: `pod`, or the only one of the text. Default: no. */
	howMany?: boolean | undefined;
	/** The current time, RFC 3339. With it, claims time out if their devices are not ready for binding after ten minutes. */
	now?: string | undefined;
	/** Changes that the answer assumes. The named objects must exist. */
	whatIf?:
		| {
				/** Claims that release their devices: `namespace/name`. */
				free?: readonly string[] | undefined;
				/** Taints to remove, in kubectl's notation: `key`, `key:effect`, `key=value:effect`. */
				untaint?: readonly string[] | undefined;
				/** Names of DeviceTaintRules to ignore. */
				withoutRules?: readonly string[] | undefined;
				/** Nodes to copy: each gets a copy `<name>-copy` with nothing in use; `<name>*3` gives three. At most 1,000 in all. */
				nodesLike?: readonly string[] | undefined;
				/**
				 * Nodes that do not exist yet, `count` (1) of each: `text` has a Node and the ResourceSlices that its drivers will publish, or
				 * the slices alone; or a MachineDeployment, MachineSet or MachinePool of Cluster API with the annotations of cluster-autoscaler, or
				 * a NodePool or NodeClaim of Karpenter with its NodeOverlays, beside the slices. Each node gets a name of its own: `<name>-new`.
				 * Labels for the host name and for Linux are added where they lack. `name`: what errors and findings call the text.
				 */
				newNodes?:
					| readonly {
							text: string;
							count?: number | undefined;
							name?: string | undefined;
					  }[]
					| undefined;
		  }
		| undefined;
	/** Features of the allocator, instead of those that follow from the gates. */
	features?: readonly string[] | undefined;
	/** Whether selectors read attributes with several values, whatever the gates are. */
	celLists?: boolean | undefined;
	options?:
		| {
				/** The step limit of each node's search. Default: 100,000. */
				budget?: number | undefined;
				/** Whether to search for changes that help. Default: true. */
				relax?: boolean | undefined;
				/** The devices to list individually. Default: `failed`. */
				matrix?: "failed" | "all" | "none" | undefined;
		  }
		| undefined;
}

/** The devices lost at a stage of a funnel. */
export interface LostDevices {
	count: number;
	/** At most five names. */
	devices: string[];
}

/** A value that a selector reads and some devices do not have. */
export interface MissingValue {
	/** The attribute or capacity that was read. */
	path: string;
	/** The number of devices that have it, and of all that were asked. */
	on: number;
	of: number;
	/** Existing names in its domain, with their types and the numbers of devices. */
	published: Record<string, { kind: string; on: number }>;
	/** The similar names among them, otherwise the nearest one. */
	near: string[];
	/** The similar names among them: one was probably meant. */
	alike: string[];
	/** Domains that have the name. */
	domains: string[];
	/** An expression that reads it without an error. */
	guard: string;
}

/** The number of devices that remain after a condition. */
export type FunnelStage =
	| {
			stage:
				| "node"
				| "pool"
				| "feature"
				| "deviceNode"
				| "free"
				| "capacity"
				| "counters"
				| "taint"
				| "constraint";
			left: number;
			/** Absent if no device is lost. */
			lost?: LostDevices;
	  }
	| {
			/** A selector of the class or of the request. */
			stage: "class" | "selector";
			/** Its index; absent if there is no selector. */
			index?: number;
			left: number;
			/** Absent if no device is lost. */
			lost?: LostDevices;
			/** Values that it read, with the numbers of devices that have them; absent if there are none. */
			seen?: Record<string, Record<string, number>>;
			/** Values that it did not find; absent if there are none. */
			missing?: MissingValue[];
			/** Its errors, with the numbers of devices that give them; absent if there are none. */
			errors?: Record<string, number>;
	  };

/** Why a selector is not true for a device. */
export interface SelectorReason {
	index: number;
	/** kube-scheduler's error; `null` if the selector is false. */
	error: string | null;
	/** The values that it read; `null` for a missing one. */
	values: Record<string, string | null>;
}

/** A toleration of a device taint, as Kubernetes writes it. */
export interface Toleration {
	key?: string;
	operator?: string;
	value?: string;
	effect?: string;
	tolerationSeconds?: number;
}

/** A reason against a device, in kube-scheduler's order. */
export type DeviceReason =
	| { code: "pool-old-generation"; newest: number }
	| { code: "pool-incomplete"; have: number; want: number }
	| { code: "pool-invalid"; reason: string }
	| { code: "slice-with-counters" }
	| { code: "feature-off"; field: string }
	| {
			code: "in-use";
			claims: string[];
			pods: string[];
			/** All of the claims wait in the cluster: here they get the device first. */
			planned?: true;
	  }
	| { code: "chosen-for"; claim: string; request: string }
	| ({ code: "class-selector" | "request-selector" } & SelectorReason)
	| { code: "device-not-on-node" }
	| {
			code: "capacity";
			name: string;
			why: "unknown-name" | "max" | "step" | "values" | "exhausted";
			asked: string | null;
			charged: string | null;
			used: string | null;
			left: string | null;
			total: string | null;
			max: string | null;
			holders: string[];
			/** Those of them that wait in the cluster: here they get it first. */
			planned?: string[];
			names: string[];
	  }
	| {
			code: "counters";
			set: string;
			counter: string;
			needed: string;
			available: string;
			total: string;
			holders: {
				device: string;
				claim: string;
				pods: string[];
				/** The claim waits in the cluster: here it gets the device first. */
				planned?: true;
			}[];
	  }
	| {
			code: "taint";
			key: string;
			value: string;
			effect: string;
			/** `driver`, or `rule/<name>`. */
			from: string;
			/** Why each toleration does not help. */
			tolerations: {
				index: number;
				why: "key" | "value" | "effect" | "operator";
			}[];
			/** A toleration that would suffice. */
			toleration: Toleration;
	  }
	| {
			code: "constraint";
			index: number;
			kind: "match" | "distinct";
			attribute: string;
			near: string[];
	  };

/** A device in the matrix of a request. */
export interface DeviceCell {
	/** `driver/pool/device`. */
	device: string;
	/** kube-scheduler's first reason against it; `null`: there is none. */
	reason: DeviceReason | null;
	/** The further reasons, if there are any. */
	also: DeviceReason[];
	/** The first reason in one line of English. */
	text: string;
}

/** A request on a node: the number of devices that remain after each condition. */
export interface RequestAccount {
	/** `namespace/name`. */
	claim: string;
	request: string;
	/** Name of the sub-request; `null` if the request has none. */
	sub: string | null;
	mode: string;
	class: string;
	wanted: number;
	/** The extended resource that the request is made for, and the container; absent for requests of claims. */
	serves?: string;
	picked: boolean;
	funnel: FunnelStage[];
	cells: DeviceCell[];
	/** Its path in the claim, in the form of v1. */
	path: string;
	/** Its range in the text; absent if the claim is not in it. */
	range?: Range;
	passedOver: string[];
	text: string;
	why: string;
}

/** The place of a change. */
interface ChangePlace {
	/** `namespace/name`. */
	claim: string;
	request?: string;
	/** The field in the claim. */
	path?: string;
	/** Its range in the text; absent if the claim is not in it. Where something is added: the nearest thing that is there. */
	range?: Range;
}

/** A change of a claim or request. */
export type Change =
	| (ChangePlace & { drop: "constraint" | "selector"; index: number })
	| (ChangePlace & { drop: "capacity"; name: string })
	| (ChangePlace & { add: "toleration"; toleration: Toleration })
	| (ChangePlace & { free: "claim" })
	| (ChangePlace & {
			set: "count" | "allocationMode";
			from: string;
			to: string;
	  })
	/** `from` is absent if the request does not ask for the capacity. */
	| (ChangePlace & { set: "capacity"; name: string; from?: string; to: string })
	/** The request asks for a capacity by the name that devices have. */
	| (ChangePlace & {
			set: "capacityName";
			name: string;
			from: string;
			to: string;
	  })
	/** The selector with this index has another expression, which devices fulfill. */
	| (ChangePlace & {
			set: "selector";
			index: number;
			from: string;
			to: string;
	  });

/** A tested change after which the node has devices for the claims. */
export interface Relaxation {
	/** All of them are needed. */
	changes: Change[];
	/** The devices after the change. */
	gives: string[];
	node: string;
	/** The changes as edits of the text; empty if a claim must be freed or the text cannot be edited safely. */
	edits: TextEdit[];
	text: string;
}

/** Requests that cannot be satisfied together. */
export interface Conflict {
	kind: "number" | "match" | "distinct" | "counters" | "capacity";
	claim: string;
	/** Index of the constraint. */
	constraint: number | null;
	path?: string;
	range?: Range;
	/** The attribute of the constraint. */
	attribute: string | null;
	/** For each value and request, the number of candidates that have it. */
	values: Record<string, Record<string, number>>;
	/** Candidates without the attribute. */
	missing: string[];
	requests: string[];
	wanted: number;
	available: number;
	text: string;
}

/** A pool seen from a node. */
export interface PoolAccount {
	/** `driver/pool`. */
	pool: string;
	state: "ok" | "incomplete" | "invalid" | "obsolete";
	/** Slices there are, and slices announced. */
	have: number;
	want: number;
	generation: number;
	reason: string | null;
	/** Slices whose devices are offered here. */
	slices: string[];
	/** The slices that the scheduler leaves out. */
	ignored: { slice: string; why: string }[];
}

/** A claim that holds devices, counters or capacity. */
export interface Holder {
	/** `driver/pool/device`. */
	device: string;
	claim: string;
	/** The pods that reserve it; none: nobody does. */
	pods: string[];
	/** Capacity that its share uses. */
	share: Record<string, string>;
	/** With administrative access, which blocks nobody. */
	admin: boolean;
	/** The claim waits in the cluster: here it gets the device first. */
	planned?: true;
}

/** Capacity charged to a claim. */
export interface Charge {
	device: string;
	name: string;
	asked: string | null;
	charged: string;
	left: string;
}

/** An `AllocationResult` of v1. */
export interface AllocationResult {
	devices: {
		/** Absent if there are none. */
		results?: {
			request: string;
			driver: string;
			pool: string;
			device: string;
			adminAccess?: boolean;
			tolerations?: Toleration[];
			bindingConditions?: string[];
			bindingFailureConditions?: string[];
			/** `share`: kube-scheduler's IDs are random. */
			shareID?: string;
			consumedCapacity?: Record<string, string>;
		}[];
		/** Absent if there are none. */
		config?: {
			source: "FromClass" | "FromClaim";
			requests?: string[];
			opaque?: unknown;
		}[];
	};
	/** Absent: the claim can be used everywhere. */
	nodeSelector?: Record<string, unknown>;
}

/** A finding that concerns a whole account. */
export interface AccountFinding {
	code: Code;
	severity: Severity;
	origin: Origin;
	message: string;
	/** Kind of the object. */
	kind: string;
	/** Its name, with its namespace. */
	object: string;
	path: string | null;
}

/** An object of the text of {@link allocate}. */
export interface AllocatedObject {
	apiVersion: string;
	kind: string;
	name: string;
	namespace: string;
	release: string;
	/** Absent if the caller gave an object. */
	range?: Range;
	/** The name of its text, where several were given. */
	file?: string;
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
	devices: {
		claim: string;
		device: string;
		takes: string;
		capacity?: string;
		consumed?: string;
		multiplier?: string;
	}[];
	/** The pods on the node with the largest share. */
	pods: { pod: string; requests: string }[];
	text: string;
}

/** A plugin of kube-scheduler that refuses a node. */
export interface NodeRefusal {
	plugin:
		| "NodeUnschedulable"
		| "TaintToleration"
		| "NodeAffinity"
		| "NodePorts"
		| "NodeResourcesFit"
		| "PodTopologySpread"
		| "VolumeRestrictions"
		| "NodeVolumeLimits"
		| "VolumeBinding"
		| "VolumeZone"
		| "InterPodAffinity"
		| "DynamicResources";
	/** The reasons in kube-scheduler's words. */
	reasons: string[];
	/** `Unschedulable` means that there is room without some pods. */
	code: "Unschedulable" | "UnschedulableAndUnresolvable" | "Error";
	/** The reasons that follow from the objects. */
	why: string[];
	/** The pods that are there only because they are placed before: in the cluster they wait, too. */
	placedBefore?: string;
}

/** The outcome for a pod when all pods are placed in turn. */
export interface PodTurn {
	/**
	 * `bound`: it gets `node` now. `preparing`: it has a node and its devices wait for something. `placed`: it had a node before.
	 * `ended`: it has finished. `unschedulable`: no node, see `message`. `error`: kube-scheduler fails. `gated`: scheduling gates hold it
	 * back. `notKnown`: the objects do not decide. `notConsidered`: it belongs to another scheduler, or waits for something before.
	 */
	outcome:
		| "bound"
		| "preparing"
		| "placed"
		| "ended"
		| "unschedulable"
		| "error"
		| "gated"
		| "notKnown"
		| "notConsidered";
	/** The node that it gets or has. */
	node: string | null;
	/**
	 * `scores`: only this node fits, or it has the highest score. `name`: other nodes have the same score and kube-scheduler takes any of
	 * them; here the first by name is taken. `sample`: kube-scheduler tries only some of the nodes, depending on its history. Absent: no
	 * node is chosen.
	 */
	decidedBy?: "scores" | "name" | "sample";
	/** Taints of its devices that end the pod once it has a node. Absent: none. */
	evictedBy?: string[];
	/** Other nodes with the same score. Absent: none. */
	tied?: string[];
	/** True if another choice among nodes of the same score, for this pod or an earlier one, leads to another outcome. */
	depends: boolean;
	/** Facts that the outcome depends on and the objects do not decide. Absent: none. */
	unsure?: string[];
	/** kube-scheduler's message in the condition `PodScheduled`. */
	message: string | null;
	/** Help with the message; absent if there is none. */
	help?: string;
	/** The condition that the pod waits for before it is considered. */
	waitsFor?: string;
	/** The messages of earlier attempts, if they differ. */
	earlier?: string[];
	/** The node that takes it, although it gets none, for its group does not start. */
	takes?: string;
	/** The node on which preemption makes room. */
	nominated?: string;
	/** The pods that preemption ends: `namespace/name`. */
	victims?: string[];
	/** The claim that is given back, so that the pod can be tried again. */
	freed?: string;
	/** The devices that it gets. */
	devices: { claim: string; request: string; device: string; admin?: true }[];
	/** Nodes that refuse the pod, grouped by their reasons; the largest group first. */
	refused: {
		reasons: string[];
		why: string[];
		nodes: string[];
		unwanted?: boolean;
	}[];
	/** The number of nodes that are not in `nodes` of the account, to bound the answer. Absent: none. */
	nodesLeftOut?: number;
}

/** The result of a node for a pod, or for claims without a pod. */
export interface NodeAccount {
	name: string;
	/**
	 * `allocated`: the node has devices for all claims. `none`: it has not. `error`: the search fails, see `message`; `node-error`: on this
	 * node only. `unavailable`: the node takes no part in the search. `undecided`: the search ended at the step limit. `refused`: the
	 * devices are there, but another plugin of kube-scheduler refuses the node.
	 */
	verdict:
		| "allocated"
		| "none"
		| "error"
		| "node-error"
		| "unavailable"
		| "undecided"
		| "refused";
	/** The message of kube-scheduler. */
	message: string | null;
	/** kube-scheduler's code if it refuses the node; `Unschedulable` means that there is room without some pods. */
	code?: "Unschedulable" | "UnschedulableAndUnresolvable" | "Error";
	/** True if the error ends the attempt for all nodes. */
	fatal: boolean;
	score: number;
	steps: number;
	/** An AllocationResult of v1 for each claim. */
	allocations: AllocationResult[] | null;
	pools: PoolAccount[];
	requests: RequestAccount[];
	/** Why requests that can be satisfied alone cannot be satisfied together. */
	conflicts: Conflict[];
	holders: Holder[];
	relaxations: Relaxation[];
	charges: Charge[];
	/** Resources of the node that devices take, or of which too little is left (gate DRANodeAllocatableResources). */
	resources?: ResourceAccount[];
	/** kube-scheduler's messages if there are several; `message` has all of them. */
	reasons?: string[];
	/** Additions to the message. */
	help?: string;
	/** The plugins that refuse the node, in kube-scheduler's order, if pods are placed in turn. Absent: none does. */
	refusals?: NodeRefusal[];
	/** One line of English. */
	text: string;
	/** The node earlier in `nodes` with the same account; of the lists above, only `resources` and `reasons` are then present: read the others there. */
	sameAs: string | null;
}

/** A pod, or claims without a pod, on every node. */
export interface PodAccount {
	/** `namespace/name`; `null`: claims that no pod uses. */
	pod: string | null;
	claims: string[];
	extendedResources: Record<string, string>;
	/** The reason that stops the pod before any node is checked. */
	before: {
		stage: "preEnqueue" | "preFilter";
		code: string;
		message: string;
		help: string | null;
	} | null;
	summary: { message: string; nodes: string[] }[];
	nodes: NodeAccount[];
	findings: AccountFinding[];
	/** The outcome for the pod. Absent: pods are not placed in turn, or no pod uses these claims. */
	turn?: PodTurn;
	/** The pod earlier in `pods` with the same account of nodes; `nodes` is empty then: read them there. */
	sameAs?: string;
	/** Why it is not known what becomes of it: the cluster has objects that decide, and they were not given. */
	unknown?: string;
}

/** What keeps pods waiting: pods with the same deciding reason are counted together. */
export interface Headline {
	/** The number of pods that get no node. */
	waiting: number;
	/** The number of all pods that were placed. */
	pods: number;
	/** The largest group first; `help` is what helps, if that is known. Pods are `namespace/name`. */
	parts: { reason: string; help?: string; pods: string[] }[];
	/** All in one line. */
	text: string;
}

/**
 * `ok` says that the question could be answered: pods may still get no devices. In turn, all are placed if each `turn` of `pods` has a
 * `node`; alone, if for each of `pods` the `verdict` of a node is `allocated`.
 */
export interface AllocateAnswer extends Answer {
	verb: "allocate";
	objects: AllocatedObject[];
	release: string;
	/** The allocator of kube-scheduler that the release uses. */
	allocator: string;
	/** `inTurn`: all pods one after another in kube-scheduler's order. `alone`: each as if no other pod waited. */
	mode: "inTurn" | "alone";
	/** The number of pods that wait beside those of the answer; in turn, they were placed too. Absent: none. */
	beside?: number;
	/** How often the repeated pod fits. `pods` has an account of each copy that gets a node, and of the one that fits no more. */
	howMany?: {
		/** `namespace/name` of the pod, or of what makes its pods. */
		pod: string;
		/** The number of its pods that get a node. */
		count: number;
		/** Whether more may fit: no more than 5,000 are tried. */
		atLeast: boolean;
		/** Whether another choice among nodes of the same score leads to another number. */
		depends: boolean;
		/** The nodes that take some of them. */
		nodes: { node: string; count: number }[];
		/** The quota that allows no more, where more would fit. */
		limitedBy?: string;
		/** The pod that fits no more. Absent with `atLeast`. */
		next?: string;
	};
	/** How far other choices among nodes of the same score were tried. Absent: no nodes had the same score. */
	ties?: { tried: "all" | "some"; choices: number };
	/** The feature gates of the release. */
	gates: Record<string, boolean>;
	/** What keeps pods waiting. Absent: fewer than two pods were placed, or all have a node. */
	headline?: Headline;
	/** The changes that the answer assumes, one line each. Absent: none. */
	assumed?: string[];
	pods: PodAccount[];
}

/**
 * Shows which devices the pods and claims of a text get on each node, or why they get none.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function allocate(
	text: Manifest | readonly NamedText[],
	options?: AllocateOptions,
): AllocateAnswer;

/** Options of {@link audit}. */
export interface AuditOptions extends CommonOptions {
	/** Namespace of objects without one. Default: `default`. */
	namespace?: string | undefined;
}

/** The use of a capacity or counter. Quantities. */
export interface AmountUse {
	name: string;
	/** Absent for a namespace, and for a capacity that only devices which consume counters have. */
	total?: string;
	used: string;
	/**
	 * What is still to be had: the rest of `total`, without that of devices that are blocked or tainted. Less than zero if more is in
	 * use than there is.
	 */
	free?: string;
}

/** The use of a group of devices. */
export interface UsageRow {
	/** The name of the node, pool, driver, class or namespace; `null`: devices that no single node has. */
	name: string | null;
	/** Without `total`, the group has no devices of its own. */
	devices: {
		total?: number;
		/** Held as a whole. */
		inUse: number;
		/** Number of devices used by shares. */
		shared: number;
		/** Held with admin access, by whomever else they are used. */
		admin: number;
		/**
		 * Not held, but not to be had: a counter is used up, their pool is incomplete or invalid, or no node that takes pods offers them.
		 */
		blocked?: number;
		/** Not held, but with a taint that keeps claims away which do not tolerate it. */
		tainted?: number;
		/** Number of devices in none of these states. */
		free?: number;
	};
	/**
	 * Capacities by `domain/name`. Devices that consume counters have parts of a common amount, which the counters show: they count
	 * only where no other device has the capacity, and then without `total`.
	 */
	capacity: AmountUse[];
	/** Counters: of a pool by `set/counter`, else by `driver/counter`, summed over all sets. */
	counters: AmountUse[];
}

/** The use of a pool. */
export interface PoolUsage extends UsageRow {
	driver: string;
}

/** The use of the devices of a class, or by the claims of a namespace. */
export interface ClaimUsage extends UsageRow {
	/** The claims of the namespace, or those with a request for the class. */
	claims: { allocated: number; pending: number };
}

/** `ok` says that a slice or a claim was read and nothing found is an error. */
export interface AuditAnswer extends Answer {
	verb: "audit";
	objects: AllocatedObject[];
	release: string;
	/** The feature gates of the release. */
	gates: Record<string, boolean>;
	usage: {
		nodes: UsageRow[];
		pools: PoolUsage[];
		drivers: UsageRow[];
		/** A device can be in several rows. */
		classes: ClaimUsage[];
		namespaces: ClaimUsage[];
	};
}

/**
 * Shows what is wrong in a cluster as it is, and how much of its devices is in use. The text has the objects as
 * `kubectl get resourceslices,deviceclasses,resourceclaims,resourceclaimtemplates,pods,nodes -A -o yaml` prints them.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function audit(
	text: Manifest | readonly NamedText[],
	options?: AuditOptions,
): AuditAnswer;

/** Options of {@link upgrade}. */
export interface UpgradeOptions extends CommonOptions {
	/** The release that the cluster will have. */
	to: Release;
	/** The objects are manifests that will be applied. Default: `false`, they are stored in the cluster. */
	manifests?: boolean | undefined;
	/** Namespace of objects without one. Default: `default`. */
	namespace?: string | undefined;
}

/** One kind of problem. */
export interface UpgradeTrouble {
	code: string;
	/** How many objects have it, or devices, selectors or pods where the finding speaks of these. */
	count: number;
	/** Indices into `objects`. */
	objects: number[];
}

/** `ok` says that an object was read and no trouble is an error. The last findings are about `troubles`, in their order. */
export interface UpgradeAnswer extends Answer {
	verb: "upgrade";
	objects: AllocatedObject[];
	/** The release that the cluster has: the option `release`, that of the nodes' kubelets, or the newest final one before `to`. */
	from: string;
	to: string;
	troubles: UpgradeTrouble[];
}

/**
 * Shows what breaks when a cluster goes to another release: one finding for each kind of problem, with what to do. The text has the
 * objects of the cluster, or manifests for it. Option `release` is the release that it has.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function upgrade(
	text: Manifest | readonly NamedText[],
	options: UpgradeOptions,
): UpgradeAnswer;

/** The value of a device attribute. */
export type DeviceAttribute =
	| { bool: boolean }
	| { int: number }
	| { string: string }
	| { version: string }
	| { bools: readonly boolean[] }
	| { ints: readonly number[] }
	| { strings: readonly string[] }
	| { versions: readonly string[] };

/** A device as selectors see it. */
export interface CelDevice {
	/** The name, which is ignored. */
	name?: string | undefined;
	/** The default domain of attributes and capacities. */
	driver?: string | undefined;
	attributes?: Record<string, DeviceAttribute> | undefined;
	/** Capacity of the device, as quantities. */
	capacity?:
		| Record<string, string | number | { value: string | number }>
		| undefined;
	allowMultipleAllocations?: boolean | undefined;
}

/** Options of {@link cel}. */
export interface CelOptions extends CommonOptions {
	/** Default: `device`. `namedResources`: those of Kubernetes 1.30. */
	environment?: "device" | "namedResources" | undefined;
	/** The expression is already stored: it may use everything that the release can run, not only what new expressions may use. */
	stored?: boolean | undefined;
	devices?: readonly CelDevice[] | undefined;
	/** For `namedResources`: attributes as v1alpha2 writes them. */
	instances?:
		| readonly {
				name?: string;
				attributes: readonly Record<string, unknown>[];
		  }[]
		| undefined;
	/** Include the value of every part of the expression. */
	trace?: boolean | undefined;
}

/** Whether an expression compiles. */
export type CelCompiled =
	| {
			ok: true;
			/** The type of the result. */
			type: string;
			/** The cost estimate; the limit is 1,000,000. Absent: the release has no estimate. */
			cost?: number;
			/** Parts that the server accepts and that fail or have the same value on every device, and names that no given device has; absent: none. */
			warnings?: { range: Range; message: string; help: string }[];
	  }
	| {
			ok: false;
			/** The message of kube-apiserver. */
			error: string;
			/** Help with the error. */
			help: string;
	  };

/** The run of an expression on a device. */
interface CelRun {
	/** The cost of the run. */
	cost: number;
	/** What to write against the error: of the first device with it. */
	help?: string;
	/** With `trace`: the parts that decided, in English. */
	why?: string[];
	/** With `trace`: every part that was evaluated, outer ones first. */
	trace?: CelPart[];
}

/** The result of an expression on a device: whether it selects the device, or the message of kube-scheduler. */
export type CelResult = CelRun & ({ match: boolean } | { error: string });

/** A part of an expression, with its value or its error. */
export type CelPart = { range: Range } & (
	| { value: string }
	| { error: string }
);

export interface CelAnswer extends Answer {
	verb: "cel";
	compile: CelCompiled;
	/** One result for each device; absent if the expression does not compile. */
	results?: CelResult[];
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
	 * Default: the language of {@link setLocale}. In Node the package finds its files; elsewhere give them with {@link addLocale}, or
	 * answers have documentation keys only.
	 */
	locale?: Locale | undefined;
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
	apiVersion: ApiVersion;
	key: string;
	documentation?: string;
	kinds: KindEntry[];
}

/** Neighboring patch releases with equal answers. */
export interface Patches {
	first: string;
	last: string;
	/** The parts that `first` changed. */
	changed: ("validation" | "cel" | "allocator" | "plugin")[];
	/** The patches whose answers were recorded; patches of 1.30 and earlier were not recorded one by one. */
	recorded: string[];
}

/** A supported minor release. */
export interface ReleaseEntry {
	release: MinorRelease;
	/** Its last patch, which the minor release without patch means. */
	lastPatch: Release;
	versions: VersionEntry[];
	/** Its patch releases, grouped by equal answers, oldest first. */
	patches: Patches[];
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
export function jsonSchema(
	release?: Release,
	kind?: string,
	options?: LocaleOptions & { gates?: Record<string, boolean> | undefined },
): JsonSchema;

/** The same, with the release in the options. */
export function jsonSchema(
	kind: string,
	options?: LocaleOptions & {
		release?: Release | undefined;
		gates?: Record<string, boolean> | undefined;
	},
): JsonSchema;

/** A position in a text: a line and column from 0 or an offset from the start, both in UTF-16 code units, or an offset in bytes of UTF-8. */
export type Place =
	| { line: number; character: number }
	| { offset: number }
	| { byteOffset: number };

/** Options of {@link hover} and {@link complete}. */
export interface PlaceOptions extends LocaleOptions {
	/** Default: the last release that serves the object's version. */
	release?: Release | undefined;
	/** Feature gates that override the defaults of the release; they affect CEL expressions. */
	gates?: Record<string, boolean> | undefined;
	/**
	 * The other texts of the project: completion offers the names, attributes and capacities that they define, with the text's name as
	 * `detail`, and hovers show values on their devices.
	 */
	beside?: readonly (string | Uint8Array | NamedText)[] | undefined;
	limits?: Limits | undefined;
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
	/** Greatest length in bytes of UTF-8. */
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
	/** The merge rule of server-side apply for a list. */
	listType?: "atomic" | "set" | "map";
	listMapKeys?: string[];
}

/** A hover about a key or value. */
export interface Hover {
	/** The key or value. */
	range: Range;
	/** A path, a value or a kind. */
	title: string;
	/** The key of the documentation. */
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

/** A text that can be inserted at a place. */
export interface Completion {
	/** The label, which editors match with the typed text. */
	label: string;
	kind:
		| "field"
		| "value"
		| "kind"
		| "apiVersion"
		| "snippet"
		| "attribute"
		| "function";
	/** Shown next to the label: a type, a version. */
	detail?: string;
	/** The key of the documentation. */
	key?: string;
	/** The documentation, in the language of the locale. */
	documentation?: string;
	/** What editors match with the typed text in place of the label: the label in the quotes that are part of `range`. */
	filterText?: string;
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

/** A part of a text. */
export interface TextSymbol {
	/** `object`: an object of `resource.k8s.io`, or one with pods that use claims. `podClaim`: an entry of a pod's `resourceClaims`. */
	kind:
		| "object"
		| "request"
		| "alternative"
		| "selector"
		| "constraint"
		| "device"
		| "counterSet"
		| "podClaim";
	/** Empty if it has none. */
	name: string;
	/** The kind of an object, the class of a request, the first line of a selector, the claim of a pod's entry; empty for others. */
	detail: string;
	/** The range of all of it. */
	range: Range;
	/** The range of its name, or of its first key. */
	nameRange: Range;
	/** Absent if it has no parts. */
	children?: TextSymbol[];
}

/** A place where a name is written. Places with equal `kind`, `name`, `namespace` and `of` are about the same thing. */
export interface TextName {
	kind:
		| "deviceClass"
		| "resourceClass"
		| "resourceClaim"
		| "resourceClaimTemplate"
		| "request"
		| "alternative"
		| "podClaim"
		| "driver"
		| "pool"
		| "device"
		| "counterSet";
	name: string;
	/** The namespace of its object; empty for names of the whole cluster. */
	namespace: string;
	/**
	 * The owner of the name: `<kind>/<name>` for requests and entries of pods, `<kind>/<name>/<request>` for alternatives, `<driver>` for
	 * pools, `<driver>/<pool>` for devices and counter sets; empty for objects and drivers.
	 */
	of: string;
	/** Whether the named thing is here; otherwise it is used here. */
	definition: boolean;
	/** The range of the name without quotes. */
	range: Range;
}

/** A device selector of a document that can be read. */
export interface TextSelector {
	/** The expression as the server reads it. */
	expression: string;
	/** The release of its object. */
	release: string;
	range: Range;
}

/** Options of {@link symbols}. */
export interface SymbolsOptions {
	/** Default: the last release that serves the object's version. */
	release?: Release | undefined;
	limits?: Limits | undefined;
	/** Namespace of objects without one. Default `default`. */
	namespace?: string | undefined;
}

export interface SymbolsAnswer extends Answer {
	verb: "symbols";
	symbols: TextSymbol[];
	names: TextName[];
	selectors: TextSelector[];
}

/**
 * The objects of a text with their parts, the names that it defines and uses, and its device selectors. Also works in texts that do
 * not parse.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function symbols(
	text: string | Uint8Array,
	options?: SymbolsOptions,
): SymbolsAnswer;

/** A fix and its finding. */
export interface FixOf extends Fix {
	code: Code;
	message: string;
	/** The range of the finding. */
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
export function hover(
	text: string | Uint8Array,
	position: Place,
	options?: PlaceOptions,
): HoverAnswer;

/**
 * Completions at a position: missing keys, values, kinds, versions, whole objects. Works while the user types.
 *
 * @throws {TypeError} when an argument is of the wrong kind or an option is unknown
 */
export function complete(
	text: string | Uint8Array,
	position: Place,
	options?: PlaceOptions,
): CompleteAnswer;

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

/** The answer of a policy to a request. */
export interface ValidationResponse {
	accepted: boolean;
	message?: string;
	code?: number;
	mutated_object?: Record<string, unknown>;
	audit_annotations?: Record<string, string>;
	warnings?: string[];
}

/** The answer of a ValidatingAdmissionPolicy, and of one of its bindings. */
export interface PolicyResult {
	policy: string;
	/** Absent: no binding is given for it. */
	binding?: string;
	/** `audit`: a refusal is only written into the audit log; `skip`: it is not asked; `unknown`: what decides is not known here. */
	result: "pass" | "fail" | "warn" | "audit" | "skip" | "unknown";
	/** Absent where it is not asked, or the answer is not known. */
	response?: ValidationResponse;
	/** Why it is not asked or not known, and what was assumed. */
	notes?: string[];
}

/** What ValidatingAdmissionPolicies answer about an object. */
export interface JudgedObject {
	apiVersion: string;
	kind: string;
	/** Empty for an object of the cluster. */
	namespace: string;
	name: string;
	/** The name of its text, if texts have names. */
	file?: string;
	/** The answer of all policies together; absent if it is not known. */
	response?: ValidationResponse;
	results: PolicyResult[];
}

export interface AdmitAnswer extends Answer {
	verb: "admit";
	/** Absent if the request has only settings or policies, and where the answer of the policies is not known. */
	response?: ValidationResponse;
	/** With `policies` and a request: the answer of each. */
	results?: PolicyResult[];
	/** With `policies` and `manifests`: the answers about each object. */
	judged?: JudgedObject[];
	/** With `as`: the settings as policies, in YAML, with a comment for each setting that such a policy cannot hold. */
	policies?: string;
	/** With `as`: the number of policies. */
	count?: number;
}

/** What is asked beside a request and settings. */
export interface AdmitOptions {
	/**
	 * Prints the settings as ValidatingAdmissionPolicies, MutatingAdmissionPolicies or policies of Kyverno, as the command `policy` does.
	 * Only without a request.
	 */
	as?: "vap" | "map" | "kyverno";
	/** With `as`: the beginning of the names of the policies; default `claimkit`. */
	name?: string;
	/** The labels of the namespace; unknown by default. */
	namespaceLabels?: Record<string, string>;
	/**
	 * In place of settings: ValidatingAdmissionPolicies with their bindings, parameters and Namespaces, as YAML or JSON. Without a
	 * request, only they are checked.
	 */
	policies?: string;
	/** With `policies`: the release of the API server; by default the last one that serves the object. */
	release?: Release;
	/** With `policies`: manifests, in place of a request. Each object is judged, and may be parameters or a Namespace. */
	manifests?: string | { name: string; text: string }[];
	/** With `manifests`: the stored objects. What a manifest has of these is an update. */
	old?: string | { name: string; text: string }[];
	/** With `manifests`: by default an update of what is stored, and a creation of the rest. */
	operation?: "CREATE" | "UPDATE" | "DELETE";
	/** With `manifests`: the namespace of objects that name none; default `default`. */
	namespace?: string;
	/** With `manifests`: the user of the requests; default `kubernetes-admin`. */
	username?: string;
	/** With `manifests`: the groups of the user, beside `system:authenticated`. */
	groups?: string[];
}

/**
 * Returns the answer of the policy modules to an AdmissionRequest (or the AdmissionReview around it), or to a manifest of one object as if
 * it were created; without either the settings alone are checked, or printed. Each is an object, or its JSON or YAML text. With
 * `policies`, what an API server answers because of these.
 */
export function admit(
	request?: object | string | null,
	settings?: object | string | null,
	options?: AdmitOptions,
): AdmitAnswer;

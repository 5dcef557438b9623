import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Literal, literalsOf } from "./literals.ts";

/** Folders of sources, and what stands before the names of their files in the tables below. */
const SOURCES = [
	{ folder: "src/", prefix: "" },
	{ folder: "crates/claimkit-model/src/", prefix: "model/" },
	{ folder: "crates/claimkit-scheduler/src/", prefix: "scheduler/" },
].map(({ folder, prefix }) => ({
	folder: fileURLToPath(new URL(`../../${folder}`, import.meta.url)),
	prefix,
}));

/** Files without a sentence that the page shows as ours, and why; a name that ends with `/` is a folder. */
const FILES: Record<string, string> = {
	"model/cel/": "the words of cel-go and of the API server",
	"editor/schema_export.rs": "the page exports no schema while it runs",
	"bindings/": "errors of programs that call the package or the policy modules",
	"model/finding/code.rs":
		"the helps of codes, of which the table makes messages",
	"model/message.rs": "the words of the compiler to a programmer",
	"manifest/kubectl.rs": "the words of kubectl",
	"patch/apply.rs": "the words of structured-merge-diff",
	"patch/check.rs": "the words of structured-merge-diff",
	"patch/json.rs": "part of the API server's answer to a patch",
	"patch/merge.rs": "the words of the API server",
	"patch/mod.rs": "the words of structured-merge-diff",
	"scheduler/allocator/capacity.rs": "the words of kube-scheduler's allocator",
	"scheduler/allocator/constraints.rs":
		"the words of kube-scheduler's allocator",
	"scheduler/allocator/extended.rs": "the words of kube-scheduler's plugin",
	"scheduler/allocator/node_allocatable.rs":
		"the words of kube-scheduler's plugin",
	"model/schema/pod_fields.rs": "the names of fields of pods",
	"scheduler/allocator/nodes.rs": "the words of kube-scheduler's allocator",
	"scheduler/allocator/plugin.rs": "the words of kube-scheduler's plugin",
	"scheduler/allocator/plugin_rules.rs": "the words of kube-scheduler's plugin",
	"scheduler/allocator/pools.rs": "the words of kube-scheduler's allocator",
	"scheduler/allocator/prepare.rs": "the words of kube-scheduler's allocator",
	"scheduler/allocator/results.rs": "the words of kube-scheduler's allocator",
	"scheduler/allocator/search.rs": "the words of kube-scheduler's allocator",
	"scheduler/allocator/selectors.rs": "the words of kube-scheduler's allocator",
	"scheduler/rules.rs": "the words of kube-scheduler's plugin",
	"scheduler/selector.rs": "the words of component-helpers",
	"policy/classic.rs":
		"the policy's answer, which the page shows as a cluster's users read it",
	"policy/cluster.rs": "the page's policy asks no cluster",
	"policy/devices.rs":
		"the policy's answer, which the page shows as a cluster's users read it",
	"policy/judge.rs":
		"the policy's answer, which the page shows as a cluster's users read it",
	"policy/keys.rs": "descriptions in the JSON Schema of settings",
	"policy/limits.rs":
		"the policy's answer, which the page shows as a cluster's users read it",
	"policy/lookups.rs":
		"the policy's answer, which the page shows as a cluster's users read it",
	"policy/mutation.rs":
		"the policy's answer, which the page shows as a cluster's users read it",
	"policy/object.rs":
		"the policy's answer, which the page shows as a cluster's users read it",
	"policy/parameters.rs":
		"the policy's answer, which the page shows as a cluster's users read it",
	"policy/placeholders.rs":
		"the policy's answer, which the page shows as a cluster's users read it",
	"policy/pods.rs":
		"the policy's answer, which the page shows as a cluster's users read it",
	"policy/refusals.rs":
		"the policy's answer, which the page shows as a cluster's users read it",
	"policy/request.rs":
		"the policy's answer, which the page shows as a cluster's users read it",
	"policy/response.rs":
		"the policy's answer, which the page shows as a cluster's users read it",
	"policy/restrictions.rs":
		"the policy's answer, which the page shows as a cluster's users read it",
	"policy/schema.rs": "descriptions in the JSON Schema of settings",
	"policy/sums.rs":
		"the policy's answer, which the page shows as a cluster's users read it",
	"policy/vap/": "a ValidatingAdmissionPolicy, which only the command prints",
	"list_selectors/":
		"the words of apimachinery about the selectors of a list request",
	"model/object/": "the words of encoding/json, and faults of our own tables",
	"report/": "what the command prints",
	"validation/classic/": "the words of the API server's validation",
	"validation/device/": "the words of the API server's validation",
	"validation/errors.rs": "the words of the API server's validation",
	"validation/expression.rs": "the words of the API server's validation",
	"validation/metadata.rs": "the words of the API server's validation",
	"validation/node_selector.rs": "the words of the API server's validation",
	"language_server/":
		"what an editor is told beside findings, and errors of its protocol",
	"scheduler/allocator/footprint.rs": "the words of kube-scheduler's plugin",
	"scheduler/allocator/objects/events.rs": "the words of kubelet",
	"scheduler/scheduler/pod_volumes.rs": "the words of kube-scheduler's plugins",
	"scheduler/scheduler/gangs.rs": "the words of kube-scheduler",
	"scheduler/scheduler/message.rs": "the words of kube-scheduler",
	"scheduler/scheduler/release.rs": "the words of kube-scheduler's plugin",
	"apiserver/body.rs": "the words of the API server",
	"apiserver/device/mod.rs": "warnings of the API server",
	"apiserver/endpoint.rs": "the words of the API server",
	"apiserver/handler.rs": "warnings of the API server",
	"apiserver/identify.rs": "the words of the API server",
	"apiserver/status.rs": "the words of the API server",
	"requests/":
		"errors of programs whose request is not whole; the page's requests are",
};

/** Files of those folders with sentences of ours. */
const BUT = ["validation/device/remarks.rs", "requests/replaced.rs"];

/** In other files: sentences that are not ours; why, by file. */
const SINGLE: Record<string, Record<string, readonly string[]>> = {
	"looked for in what others say": {
		"advice/budget.rs": ["attributes and capacities", "counters in devices"],
		"advice/by_cause.rs": [
			"allowMultipleAllocations must be true",
			'cannot specify "validValues" and "validRange"',
			"sorted in ascending order",
			"larger than capacity value",
			"default value is not valid",
			"min is larger than max",
			"not a multiple of a given step",
			"can only be set if `perDeviceNodeSelection`",
			"must have exactly one node selector term",
			"unset or set to true",
			"must not be empty",
			"are required to use",
		],
		"advice/cel_operators.rs": ["no matching overload for '"],
		"advice/cause.rs": [
			"undeclared reference to '",
			"no matching overload for '",
		],
	},
	"names of fields": {
		"advice/cause.rs": ["driver`, `attributes`, `capacity{}"],
	},
	"an error of a program that calls the engine": {
		"model/limits.rs": ["a whole number that is not negative"],
		"model/text/de.rs": [
			"nested deeper than {} levels",
			"a value was asked for before its key",
		],
	},
	"a command": {
		"validation/references/mod.rs": ["kubectl get {} {}{} -o yaml"],
	},
	"the words of kubectl": {
		"manifest/mod.rs": [
			"invalid character {} after top-level value",
			"unexpected end of JSON input",
			'couldn\'t get version/kind; json parse error: json: cannot unmarshal {} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
			"couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go struct field .{} of type string",
			'no kind "{}" is registered for version "{}" in scheme "{}"',
		],
		"apiserver/client.rs": [
			"no matches for kind {} in version {}",
			"unable to recognize {}",
			"resource mapping not found for name: {} namespace: {}",
			"{}: {}\nensure CRDs are installed first",
			"the namespace from the provided object {} does not match the namespace {}. You must pass '--namespace={}' to perform this operation.",
		],
	},
	"the words of the API server": {
		"model/schema/mod.rs": ["{} {} is deprecated in v1.{}+"],
		"scheduler/allocator/quotas.rs": [
			"exceeded quota: {}, requested: {}, used: {}, limited: {}",
		],
		"policy/load.rs": ["{}: Too many: {}: must have at most {} items"],
		"scheduler/allocator/created.rs": [
			"spec.devices.requests[{}].adminAccess: Forbidden: admin access to devices requires the `{}: true` label on the containing namespace",
		],
		"scheduler/explain/warnings.rs": [
			"admin access to devices requires the `{}: true` label on the containing namespace",
		],
		"patch/strategic.rs": [
			"json: cannot unmarshal {} into Go value of type map[string]interface {}",
			"invalid patch format of primitive list",
			"invalid patch format of setElementOrder list",
			"unknown patch type: {} in map: {}",
			"map: {} does not contain declared merge key: {}",
			"invalid patch format of retainKeys",
			"merging lists cannot yet be specified in the patch",
			"The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n",
		],
		"validation/immutable.rs": ["field is immutable"],
		"validation/pod_claims.rs": [
			"static pods do not support resource claims",
			"claims may not be set for Resources at pod-level",
			"at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
			"must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
			"must be one of the names in pod.spec.resourceClaims which is empty",
			"must be one of the names in pod.spec.resourceClaims: {}",
		],
		"apiserver/object.rs": [
			"the server could not find the requested resource (post {})",
		],
		"apiserver/patch.rs": [
			"the name of the object ({} based on URL) was undeterminable: name must be provided",
			"the name of the object ({}) does not match the name on the URL ({})",
			"is required for apply patch",
			"may not be specified for non-apply patch",
			"invalid object type: {}",
			"strict decoding error: {}",
		],
		"apiserver/request.rs": [
			"must be specified for an update",
			"resourceVersion should not be set on objects to be created",
			"value out of range",
		],
	},
	"the words of kube-scheduler and its plugins": {
		"scheduler/allocator/allocate.rs": [
			"invalid resource pools were encountered",
		],
		"scheduler/allocator/behaviour.rs": [
			"internal error: no allocator available for feature set {}",
		],
		"scheduler/allocator/node_resources.rs": [
			"shared by multiple pods",
			"is already used by another pod",
			"node allocatable resource claim {} {}",
			"claim {}: node-allocatable resource claim not referenced by any container within the pod",
			"claim {}, device {}: ConsumedCapacity is nil, but Capacity key '{}' is set in NodeAllocatableResourceMappings for resource {}",
		],
		"scheduler/classic/placement.rs": [
			"resourceclaim not available on the node",
			"excluded by resource class node filter",
			"potential node filter: {}",
			"resourceclaim cannot be allocated for the node (unsuitable)",
			"no new claims to deallocate",
			"still not schedulable",
			"waiting for resource driver to provide information",
		],
		"scheduler/classic/plan.rs": [
			'pod "{}": ResourceClaim not created yet',
			'could not find claim "{}"',
			'waiting for dynamic resource controller to create the resourceclaim "{}"',
			'resourceclaim "{}" is being deleted',
			"ResourceClaim {}/{} was not created for pod {} (pod is not owner)",
			"resourceclaim must be reallocated",
			"unallocated immediate resourceclaim",
			"resource class {} does not exist",
			"internal error, unexpected allocation mode {}",
			'look up resource class: resourceclass.resource.k8s.io "{}" not found',
			"{} object with UID {} is not owned by Pod {}/{}",
			"class parameters {} not found",
			"generated class parameters for {}.{} {} not found",
			"claim parameters {} not found",
			"generated claim parameters for {}.{} {} not found",
			"resourceclaim in use",
		],
		"scheduler/classic/structured.rs": [
			"resourceclaim cannot be allocated for the node (unsuitable)",
			"creating claim controller for named resources structured model: compile {} CEL expression: {}",
			"checking structured parameters failed: checking node {} and resources of driver {}: {}",
		],
		"allocate/in_turn.rs": [
			"Scheduling is blocked due to non-empty scheduling gates",
		],
		"scheduler/scheduler/cycle.rs": [
			"pod affinity terms conflict",
			'running "DynamicResources" filter plugin: {}',
		],
		"scheduler/scheduler/devices.rs": [
			"cannot allocate all claims",
			"claim {} got allocated elsewhere in the meantime",
			"add reservation to claim {}: {}",
			"reservedFor: Too many: {}: must have at most {} items",
			"allocation: Invalid value: null: field cannot be modified once set",
		],
		"scheduler/scheduler/outcome.rs": [
			"node(s) had no available disk",
			"{} CSI driver is not installed on the node",
			"node(s) exceed max volume count",
			"node(s) didn't find available persistent volumes to bind",
			"node(s) did not have enough free storage",
			"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
			"node(s) had no available volume zone",
			"node(s) had untolerated taint {{}: {}}",
			"node(s) didn't match Pod's node affinity/selector",
			"node(s) didn't have free ports for the requested pod ports",
			"Too many pods",
			"node(s) didn't match pod topology spread constraints",
			"node(s) didn't match pod topology spread constraints (missing required label)",
			"node(s) didn't match pod affinity rules",
			"node(s) didn't match pod anti-affinity rules",
			"node(s) didn't satisfy existing pods anti-affinity rules",
		],
		"scheduler/scheduler/preemption.rs": [
			"deallocation of ResourceClaim completed",
			"deletion of ResourceClaim completed",
			"preemption: not eligible due to preemptionPolicy=Never.",
			"preemption: not eligible due to a terminating pod on the nominated node.",
			"preemption: found a potential placement for pod on node {}, preempting {} victims",
		],
		"scheduler/scheduler/queue.rs": [
			"failed to schedule other pod from a pod group: {}",
		],
	},
};

/** How many English words make a sentence, or a part of one. */
const FEW = 3;
/** Callers of strings that nobody reads: texts to look for, and the words of the command or of a panic. */
const UNREAD =
	/(?:\b(?:contains|starts_with|ends_with|find|strip_prefix|strip_suffix|r?split_once|split|expect)|\b(?:debug_)?assert\w*!|\bunreachable!|\bpanic!)\(\s*&?$/;
/** Words of which the source says whose they are: the compiler demands it of findings and answers. */
const TYPED =
	/(?:\bWords::(?:upstream|english)\(|\bFinding::upstream\([^,()]+,[^,()]+,|\bobject::english\([^,()]+,)\s*(?:format!\(\s*)?$/;
/** A message and its English template. */
const MESSAGE = /\b(?:message|template)!\(\s*(?:"[a-z0-9.-]+",\s*)?$/;

/** Removes what stays in English: code in backticks and what is in quotes. */
const bare = (text: string) => text.replace(/`[^`]*`|"[^"]*"/g, "`");
const words = (text: string) =>
	bare(text).match(/(?<![\w./[{$#<'-])[A-Za-z][a-z']+(?![\w./(=>'-])/g) ?? [];
/** Writes the holes of a format string alike: `{name:?}` is a hole, `{{` a brace. */
const withHoles = (text: string) =>
	text.replace(/\{\{|\}\}|\{[^{}]*\}/g, (found) =>
		found === "{{" ? "{" : found === "}}" ? "}" : "{}",
	);

interface Sentence extends Literal {
	file: string;
}

/** Returns the English sentences of all sources that are not messages. */
function untranslated(): Sentence[] {
	const literals = SOURCES.flatMap(({ folder, prefix }) => {
		const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
			.map((file) => file.replaceAll("\\", "/"))
			.filter((file) => file.endsWith(".rs") && !file.endsWith("tests.rs"))
			.sort();
		return files.flatMap((file) =>
			literalsOf(readFileSync(join(folder, file), "utf8")).map(
				({ text, ...rest }) => ({
					file: prefix + file,
					...rest,
					text: withHoles(text),
				}),
			),
		);
	});
	return literals.filter(
		({ text, before }) =>
			words(text).length >= FEW &&
			!UNREAD.test(before) &&
			!TYPED.test(before) &&
			!MESSAGE.test(before),
	);
}

describe("the sentences in the engine's sources", () => {
	const missing = untranslated();
	const ofFile = (name: string) =>
		missing.filter(
			({ file }) =>
				file === name ||
				(name.endsWith("/") && file.startsWith(name) && !BUT.includes(file)),
		);
	const single = Object.values(SINGLE).flatMap((files) =>
		Object.entries(files).flatMap(([file, texts]) =>
			texts.map((text) => ({ file, text })),
		),
	);
	const isSame = (
		a: { file: string; text: string },
		b: { file: string; text: string },
	) => a.file === b.file && a.text === b.text;

	it("are all messages, unless they are not ours", () => {
		const others = new Set(Object.keys(FILES).flatMap((name) => ofFile(name)));
		const left = missing.filter(
			(sentence) =>
				!others.has(sentence) &&
				!single.some((other) => isSame(other, sentence)),
		);
		expect(
			left.map(({ file, line, text }) => `${file}:${line}: ${text}`),
		).toEqual([]);
	});

	it("are there where a table says that they are not ours", () => {
		expect(
			Object.keys(FILES).filter((name) => ofFile(name).length === 0),
		).toEqual([]);
		const gone = single.filter(
			(other) => !missing.some((sentence) => isSame(sentence, other)),
		);
		expect(gone).toEqual([]);
	});
});

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { makeRules, translate } from "../src/i18n/rules.ts";
import { literalsOf, type Literal } from "./literals.ts";

const SOURCES = fileURLToPath(new URL("../../src/", import.meta.url));
const ROWS = JSON.parse(readFileSync(new URL("../src/i18n/engine-zh.json", import.meta.url), "utf8")) as [string, string][];
const RULES = makeRules(ROWS);
const TEMPLATES = ROWS.map(([from]) => from.replaceAll("{t}", "{}"));

/** Files without a sentence that the page shows as ours, and why; a name that ends with `/` is a folder. */
const FILES: Record<string, string> = {
  "cel/": "the words of cel-go and of the API server",
  "cli/": "the command's own words",
  "editor/schema_export.rs": "the page exports no schema while it runs",
  "entry/": "errors of programs that call the package or the policy modules",
  "main.rs": "the command's own words",
  "manifest/kubectl.rs": "the words of kubectl",
  "patch/apply.rs": "the words of structured-merge-diff",
  "patch/check.rs": "the words of structured-merge-diff",
  "patch/json.rs": "part of the API server's answer to a patch",
  "patch/merge.rs": "the words of the API server",
  "patch/mod.rs": "the words of structured-merge-diff",
  "place/device/capacity.rs": "the words of kube-scheduler's allocator",
  "place/device/constraints.rs": "the words of kube-scheduler's allocator",
  "place/device/extended.rs": "the words of kube-scheduler's plugin",
  "place/device/nodes.rs": "the words of kube-scheduler's allocator",
  "place/device/plugin.rs": "the words of kube-scheduler's plugin",
  "place/device/plugin_rules.rs": "the words of kube-scheduler's plugin",
  "place/device/pools.rs": "the words of kube-scheduler's allocator",
  "place/device/prepare.rs": "the words of kube-scheduler's allocator",
  "place/device/results.rs": "the words of kube-scheduler's allocator",
  "place/device/search.rs": "the words of kube-scheduler's allocator",
  "place/device/selectors.rs": "the words of kube-scheduler's allocator",
  "place/rules.rs": "the words of kube-scheduler's plugin",
  "place/selector.rs": "the words of component-helpers",
  "policy/classic.rs": "the policy's answer, which the page shows as a cluster's users read it",
  "policy/cluster.rs": "the page's policy asks no cluster",
  "policy/devices.rs": "the policy's answer, which the page shows as a cluster's users read it",
  "policy/judge.rs": "the policy's answer, which the page shows as a cluster's users read it",
  "policy/keys.rs": "descriptions in the JSON Schema of settings",
  "policy/limits.rs": "the policy's answer, which the page shows as a cluster's users read it",
  "policy/lookups.rs": "the policy's answer, which the page shows as a cluster's users read it",
  "policy/mutation.rs": "the policy's answer, which the page shows as a cluster's users read it",
  "policy/object.rs": "the policy's answer, which the page shows as a cluster's users read it",
  "policy/pods.rs": "the policy's answer, which the page shows as a cluster's users read it",
  "policy/refusals.rs": "the policy's answer, which the page shows as a cluster's users read it",
  "policy/request.rs": "the policy's answer, which the page shows as a cluster's users read it",
  "policy/response.rs": "the policy's answer, which the page shows as a cluster's users read it",
  "policy/restrictions.rs": "the policy's answer, which the page shows as a cluster's users read it",
  "policy/schema.rs": "descriptions in the JSON Schema of settings",
  "policy/vap/": "a ValidatingAdmissionPolicy, which only the command prints",
  "query/": "the words of apimachinery about the selectors of a list request",
  "record/": "the words of encoding/json, and faults of our own tables",
  "report/": "what the command prints",
  "rules/classic/": "the words of the API server's validation",
  "rules/device/": "the words of the API server's validation",
  "rules/errors.rs": "the words of the API server's validation",
  "rules/expression.rs": "the words of the API server's validation",
  "rules/metadata.rs": "the words of the API server's validation",
  "rules/node_selector.rs": "the words of the API server's validation",
  "scheduler/simulation/gangs.rs": "the words of kube-scheduler",
  "scheduler/simulation/message.rs": "the words of kube-scheduler",
  "scheduler/simulation/release.rs": "the words of kube-scheduler's plugin",
  "server/body.rs": "the words of the API server",
  "server/device/mod.rs": "warnings of the API server",
  "server/endpoint.rs": "the words of the API server",
  "server/handler.rs": "warnings of the API server",
  "server/identify.rs": "the words of the API server",
  "server/status.rs": "the words of the API server",
  "wire/": "errors of programs whose request is not whole; the page's requests are",
};

/** Files of those folders with sentences of ours. */
const BUT = ["rules/device/remarks.rs", "wire/replaced.rs"];

/** In other files: sentences that are not ours, and parts of ours that a row has in other surroundings; why, by file. */
const SINGLE: Record<string, Record<string, readonly string[]>> = {
  "looked for in what others say": {
    "advice/cause.rs": ["undeclared reference to '", "no matching overload for '"],
  },
  "a part of a sentence whose rows have it in another form": {
    "advice/suggest.rs": ["in Kubernetes 1.{} only", "in Kubernetes 1.{} to 1.{} only"],
    "audit/claims.rs": ["held as a whole by claim {} and shared by {}", "held {} times as a whole, by {}", "held {} times as a whole, by {}, and shared by {}"],
    "expression/lint.rs": ["attributes of the domain `{}`", "capacities of the domain `{}`", "an attribute `{}` of type {}"],
    "place/device/explain/warnings.rs": ["this release does not copy tolerations into the allocation, where eviction looks for them (1.35 and later do)", "eviction wants a toleration with effect NoExecute"],
    "place/explain.rs": ["{}{}, wanted more than `{}`", "{}{}, wanted less than `{}`"],
    "place/lint.rs": ["is wanted both there and missing", "has no value that satisfies all of its requirements"],
    "place/structured.rs": ["an earlier request of the claim"],
    "rules/references/mod.rs": ["; it is named {}{} more"],
    "scheduler/limits.rs": ["claims of pod groups (DRAWorkloadResourceClaims), "],
    "text/diagnose/json.rs": ["the `{}` at line {}, column {}"],
    "text/diagnose/remarks.rs": ["twice on line {}", "on line {} and on line {}", "lines {} to {} are"],
  },
  "the account of a node in one line, which the page shows in parts": {
    "place/device/explain/funnel.rs": ["{} in usable pools", "{} without features that are off", "{} by the devices' own node selection", "{} with enough capacity", "{} with enough counters", "{} with the constraint's attribute"],
    "place/device/explain/node.rs": ["{} is allocated already: {}", "{} from the node's device plugin", "no devices needed", "all, at least 1", "; {}{} charged as {}, {} left", "{}: nothing to allocate", "; of the node {}", "{}: {}; each request has enough devices alone, and no choice of them meets all{}"],
    "place/device/explain/words.rs": ["; and {} other reasons"],
  },
  "an error of a program that calls the engine": {
    "limits.rs": ["a whole number that is not negative"],
    "text/de.rs": ["nested deeper than {} levels", "a value was asked for before its key"],
  },
  "a command": {
    "rules/references/mod.rs": ["kubectl get {} {}{} -o yaml"],
  },
  "the words of kubectl": {
    "manifest/mod.rs": ["couldn't get version/kind; json parse error: {}", "Object 'Kind' is missing in '{}'", "invalid character {} after top-level value", "unexpected end of JSON input", "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }", "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go struct field .{} of type string", "Object '{}' is missing in '{}'", "no kind \"{}\" is registered for version \"{}\" in scheme \"{}\""],
    "server/client.rs": ["no matches for kind {} in version {}", "unable to recognize {}", "resource mapping not found for name: {} namespace: {}", "{}: {}\nensure CRDs are installed first", "the namespace from the provided object {} does not match the namespace {}. You must pass '--namespace={}' to perform this operation."],
    "text/diagnose/refusal.rs": ["invalid Yaml document separator: {}"],
  },
  "the words of the API server": {
    "patch/strategic.rs": ["json: cannot unmarshal {} into Go value of type map[string]interface {}", "invalid patch format of primitive list", "invalid patch format of setElementOrder list", "lists of lists are not supported", "unknown patch type: {} in map: {}", "map: {} does not contain declared merge key: {}", "invalid patch format of retainKeys", "merging lists cannot yet be specified in the patch", "The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n"],
    "rules/immutable.rs": ["field is immutable"],
    "rules/pod_claims.rs": ["static pods do not support resource claims", "claims may not be set for Resources at pod-level", "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified", "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`", "must be one of the names in pod.spec.resourceClaims which is empty", "must be one of the names in pod.spec.resourceClaims: {}"],
    "server/object.rs": ["the server could not find the requested resource (post {})"],
    "server/patch.rs": ["the name of the object ({} based on URL) was undeterminable: name must be provided", "the name of the object ({}) does not match the name on the URL ({})", "is required for apply patch", "may not be specified for non-apply patch", "invalid object type: {}", "strict decoding error: {}"],
    "server/request.rs": ["must be specified for an update", "resourceVersion should not be set on objects to be created", "value out of range"],
  },
  "the words of kube-scheduler and its plugins": {
    "place/device/allocate.rs": ["invalid resource pools were encountered"],
    "place/device/behaviour.rs": ["internal error: no allocator available for feature set {}"],
    "place/device/node_resources.rs": ["shared by multiple pods", "is already used by another pod", "node allocatable resource claim {} {}", "claim {}: node-allocatable resource claim not referenced by any container within the pod", "claim {}, device {}: ConsumedCapacity is nil, but Capacity key '{}' is set in NodeAllocatableResourceMappings for resource {}", "pod level request for {} is insufficient to cover the aggregated container and node-allocatable DRA requests"],
    "place/placement.rs": ["resourceclaim not available on the node", "excluded by resource class node filter", "potential node filter: {}", "resourceclaim cannot be allocated for the node (unsuitable)", "no new claims to deallocate", "still not schedulable", "waiting for resource driver to provide information"],
    "place/plan.rs": ["pod \"{}\": ResourceClaim not created yet", "could not find claim \"{}\"", "waiting for dynamic resource controller to create the resourceclaim \"{}\"", "resourceclaim \"{}\" is being deleted", "ResourceClaim {}/{} was not created for pod {} (pod is not owner)", "resourceclaim must be reallocated", "unallocated immediate resourceclaim", "resource class {} does not exist", "internal error, unexpected allocation mode {}", "look up resource class: resourceclass.resource.k8s.io \"{}\" not found", "{} object with UID {} is not owned by Pod {}/{}", "class parameters {} not found", "generated class parameters for {}.{} {} not found", "claim parameters {} not found", "generated claim parameters for {}.{} {} not found", "resourceclaim in use"],
    "place/structured.rs": ["resourceclaim cannot be allocated for the node (unsuitable)", "creating claim controller for named resources structured model: compile {} CEL expression: {}", "checking structured parameters failed: checking node {} and resources of driver {}: {}"],
    "scheduler/in_turn.rs": ["Scheduling is blocked due to non-empty scheduling gates"],
    "scheduler/simulation/cycle.rs": ["pod affinity terms conflict", "running \"DynamicResources\" filter plugin: {}"],
    "scheduler/simulation/devices.rs": ["cannot allocate all claims", "claim {} got allocated elsewhere in the meantime", "add reservation to claim {}: {}", "reservedFor: Too many: {}: must have at most {} items", "allocation: Invalid value: null: field cannot be modified once set"],
    "scheduler/simulation/outcome.rs": ["node(s) had untolerated taint {{}: {}}", "node(s) didn't match Pod's node affinity/selector", "node(s) didn't have free ports for the requested pod ports", "Too many pods", "node(s) didn't match pod topology spread constraints", "node(s) didn't match pod topology spread constraints (missing required label)", "node(s) didn't match pod affinity rules", "node(s) didn't match pod anti-affinity rules", "node(s) didn't satisfy existing pods anti-affinity rules"],
    "scheduler/simulation/preemption.rs": ["deallocation of ResourceClaim completed", "deletion of ResourceClaim completed", "not eligible due to preemptionPolicy=Never.", "not eligible due to a terminating pod on the nominated node.", "preemption: found a potential placement for pod on node {}, preempting {} victims"],
    "scheduler/simulation/queue.rs": ["failed to schedule other pod from a pod group: {}"],
  },
};

/** How many English words make a sentence, or a part of one. */
const FEW = 3;
/** Words in a row: what is left in English of a sentence that only a short rule fits. */
const IN_A_ROW = /[A-Za-z]{2,}[,:;]? [a-z]{2,}[,:;]? [a-z]{2,}/;
/** Callers of strings that nobody reads: texts to look for, and the words of the command or of a panic. */
const UNREAD = /(?:\b(?:contains|starts_with|ends_with|find|strip_prefix|strip_suffix|r?split_once|split|expect|with_command_help)|\b(?:debug_)?assert\w*!|\bunreachable!|\bpanic!)\(\s*&?$|command_help =\s*Some\(\s*$/;
/** The text that fills a hole. Without letters, so that it does not count as an English word that is left over. */
const FILLED = "〈〉";
/** A sentence about a part of a text has its path in front. */
const BEFORE = ["", `${FILLED}: `, `\`${FILLED}\`: `, `\`${FILLED}\` `];

/** Removes what stays in English: code in backticks and what is in quotes. */
const bare = (text: string) => text.replace(/`[^`]*`|"[^"]*"/g, "`");
const words = (text: string) => bare(text).match(/(?<![\w./[{$#<'-])[A-Za-z][a-z']+(?![\w./(=>'-])/g) ?? [];
const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
/** Writes a format string as a template of the table: `{name:?}` is a hole, `{{` a brace. */
const asTemplate = (text: string) => text.replace(/\{\{|\}\}|\{[^{}]*\}/g, (found) => (found === "{{" ? "{" : found === "}}" ? "}" : "{}"));
const isChinese = (text: string) => /[\u4e00-\u9fff]/.test(text);

/** Whether a rule says the whole sentence in Chinese. */
function isTold(template: string): boolean {
  return BEFORE.some((path) => {
    const told = translate(path + template.replaceAll("{}", FILLED), RULES);
    return isChinese(told) && !IN_A_ROW.test(bare(told)) && words(told).length < FEW;
  });
}

/** Whether a row has the text as one of its parts, as between commas, or with what its holes become written out. */
function isPart(template: string): boolean {
  const start = /^[ ,;:.]/.test(template) ? "" : "(?:^|[,:;?.] |\\{\\} |\\()";
  const part = new RegExp(`${start}${template.trim().split("{}").map(escape).join("[^]*?")}(?:$|[,:;?)]| \\{\\})`);
  return TEMPLATES.some((row) => part.test(row));
}

interface Sentence extends Literal {
  file: string;
}

/** Returns the English sentences of all sources that no row has. */
function untold(): Sentence[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).map((file) => file.replaceAll("\\", "/"));
  const sources = files.filter((file) => file.endsWith(".rs") && !file.endsWith("tests.rs")).sort();
  const sentences = sources.flatMap((file) => literalsOf(readFileSync(join(SOURCES, file), "utf8")).map(({ text, ...rest }) => ({ file, ...rest, text: asTemplate(text) })));
  const read = sentences.filter(({ text, before }) => words(text).length >= FEW && !UNREAD.test(before));
  return read.filter(({ text }) => !isTold(text) && !isPart(text));
}

describe("the sentences in the engine's sources", () => {
  const missing = untold();
  const ofFile = (name: string) => missing.filter(({ file }) => file === name || (name.endsWith("/") && file.startsWith(name) && !BUT.includes(file)));
  const single = Object.values(SINGLE).flatMap((files) => Object.entries(files).flatMap(([file, texts]) => texts.map((text) => ({ file, text }))));
  const isSame = (a: { file: string; text: string }, b: { file: string; text: string }) => a.file === b.file && a.text === b.text;

  it("are all in the table of Chinese ones, unless they are not ours", () => {
    const others = new Set(Object.keys(FILES).flatMap((name) => ofFile(name)));
    const left = missing.filter((sentence) => !others.has(sentence) && !single.some((other) => isSame(other, sentence)));
    expect(left.map(({ file, line, text }) => `src/${file}:${line}: ${text}`)).toEqual([]);
  });

  it("are there where a table says that they are not ours", () => {
    expect(Object.keys(FILES).filter((name) => ofFile(name).length === 0)).toEqual([]);
    const gone = single.filter((other) => !missing.some((sentence) => isSame(sentence, other)));
    expect(gone).toEqual([]);
  });
});

/** As the engine says them: in its own tests, or composed as its sources do. */
const COMPOSED = [
  "compare quantities with `.compareTo(quantity(\"40Gi\")) >= 0`, or `.isGreaterThan(…)`; a quantity is a capacity: `device.capacity[\"domain\"].name`",
  "1 `(` and 0 `)`: close what is open",
  "0 `(` and 1 `)`: one `)` is too many, or a `(` is missing before it",
  "its numbers have no leading zeros: write `580.159.4`",
  "it has three numbers, not 4: publish it as a `string`, or as `6.19.14`",
  "a version begins without `v`, and its numbers have no leading zeros, and it has three numbers, not 2: write `1.2.0-rc.1`",
  "write `semver(\"550.127.8\")`: three numbers without leading zeros and without `v`",
  "129 devices, 128 allowed; write the others into another slice of the pool",
  "65 devices, 64 allowed where a device uses taints, counters or attribute lists, 128 otherwise; write the others into another slice of the pool",
  "write `6Gi`: a quantity has no blanks and one of the units Ki, Mi, Gi, Ti, Pi, Ei, k, M, G, T, P, E",
  "without quotes YAML reads `0x10` as `16`: write `\"0x10\"`",
  "write a map here: its fields on lines of their own, further in",
  "no instance of `gpu.example.com` for request 1: 3 on the node → 1 after the selector → 0 free; `gpu-0` is allocated to claim `team-a/other`; `gpu-1`: `attributes.bool[\"big\"]` is false; and 1 more",
  "`spec.cel` is lost in v1: the last release with the field is Kubernetes 1.31",
  "`devices[0].attributes.model`: has no type; write `{\"string\":\"a100\"}`",
  "limits.maxCapacity[memory]: `40Gib` is no quantity; write one such as `40Gi`",
  "limits: asks for nothing: give it `maxRequests`, `maxCount`, or leave it out",
  "shareable.mode: `loud` is not known; write `enforce` or `warn`",
  "release: Kubernetes 1.26.99 is not known: the last patch known here is 1.26.15",
  "ResourceSlice `gpus` of `resource.k8s.io/v1` cannot be used: `spec.pool.generation` is a string, not an integer",
  "counter memory of set gpu-0: requests together first, second need at least 80Gi, 40Gi is left",
  "nodeSelector zone=a: the node has zone=b",
  "`resourceClassName` is `a`, stored is `b`, `parametersRef` is not set, but is stored, `devices` is set, stored is not set, and more; a spec cannot be changed: delete the object and create it again",
];

describe("a sentence of the engine", () => {
  it.each(COMPOSED)("is in Chinese as a whole: %s", (text) => {
    const told = translate(text, RULES);
    expect(told).toMatch(/[\u4e00-\u9fff]/);
    // Names stay: of kinds, fields, releases and units.
    expect(bare(told).match(/(?<![\w.=/[])[a-z]{2,}(?: [a-z]{2,})+/g)).toBeNull();
  });

  it("stands in the table once", () => {
    const froms = ROWS.map(([from]) => from);
    expect(froms.filter((from, index) => froms.indexOf(from) !== index)).toEqual([]);
  });
});

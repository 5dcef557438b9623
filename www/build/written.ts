import type { CodeExample } from "./codeexamples.ts";

/** Examples of the codes that no manifest of the tests gives in a way the page can show: each text has the one mistake. */

const claim = (metadata: string, more = ""): string => `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: large-gpu
  namespace: default
${metadata}spec:
  devices:
    requests:
      - name: gpu
        exactly:
          deviceClassName: gpu.example.com
${more}`;

const LIVE = '  uid: 11111111-2222-4333-8444-555555555555\n  resourceVersion: "41"\n';
const STORED = claim(LIVE);

const old = (text: string): string => `apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata:
  name: large-gpu
  namespace: default
spec:
  resourceClassName: gpu.example.com
${text}`;

const one = (text: string, more: Partial<CodeExample> = {}): CodeExample => ({ files: [{ name: "manifest.yaml", role: "manifest", text }], ...more });

const update = (text: string, stored = STORED, operation = "update"): CodeExample => ({
  files: [
    { name: "manifest.yaml", role: "manifest", text },
    { name: "stored.yaml", role: "stored", text: stored },
  ],
  panel: "request",
  operation,
});

const nodeClass = (key: string, value: string): string => `apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClass
metadata:
  name: gpu.example.com
driverName: gpu.example.com
suitableNodes:
  nodeSelectorTerms:
    - matchExpressions:
        - key: ${key}
          operator: In
          values: [${value}]
---
${old("")}`;

const NODE = "apiVersion: v1\nkind: Node\nmetadata:\n  name: node-1\n  labels:\n    accelerator: a100\n";

const placed = (text: string, nodes = NODE): CodeExample => ({
  files: [
    { name: "manifest.yaml", role: "manifest", text },
    { name: "nodes.yaml", role: "nodes", text: nodes },
  ],
  panel: "nodes",
});

const policy = (settings: string, text = old("")): CodeExample => ({
  files: [
    { name: "manifest.yaml", role: "manifest", text },
    { name: "settings.yaml", role: "settings", text: settings },
  ],
  panel: "policy",
});

const pod = (spec: string): string => `apiVersion: v1
kind: Pod
metadata:
  name: trainer
  namespace: default
spec:
${spec}  containers:
    - name: main
      image: registry.example.com/train:1
  resourceClaims:
    - name: gpu
      source:
        resourceClaimName: large-gpu
`;

const owner = (fields: string): string => `  ownerReferences:\n${fields}`;
const parent = (name: string): string => `    - apiVersion: v1\n      kind: Pod\n      name: ${name}\n      uid: ${name}-uid\n      controller: true\n`;

export const WRITTEN: Readonly<Record<string, CodeExample>> = {
  "conversion-decision": one(old(""), { panel: "convert", target: "resource.k8s.io/v1" }),
  "json-syntax": one('{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "a"}]\n'),
  "json-duplicate-key": one('{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "a", "name": "b"}, "spec": {"devices": {}}}\n'),
  "generation-invalid": one(claim("  generation: -1\n")),
  "label-key-invalid": one(claim('  labels:\n    "team name": training\n')),
  "label-value-invalid": one(claim('  labels:\n    team: "training & serving"\n')),
  "annotation-key-invalid": one(claim('  annotations:\n    "owner of this": me\n')),
  "annotations-too-long": one(claim(`  annotations:\n    notes: ${"0123456789abcdef".repeat(17_000)}\n`)),
  "owner-reference-incomplete": one(claim(owner("    - apiVersion: v1\n      kind: Pod\n      name: trainer\n"))),
  "owner-reference-event": one(claim(owner("    - apiVersion: v1\n      kind: Event\n      name: started\n      uid: event-uid\n"))),
  "owner-reference-controllers": one(claim(owner(parent("trainer") + parent("server")))),
  "finalizer-invalid": one(claim("  finalizers:\n    - not a name\n")),
  "finalizer-conflict": one(claim("  finalizers:\n    - orphan\n    - foregroundDeletion\n")),
  "finalizer-unqualified": one(claim("  finalizers:\n    - cleanup\n")),
  "finalizer-added": update(claim(`${LIVE}  deletionTimestamp: "2024-05-01T10:00:00Z"\n  deletionGracePeriodSeconds: 0\n  finalizers:\n    - example.com/first\n    - example.com/second\n`), claim(`${LIVE}  deletionTimestamp: "2024-05-01T10:00:00Z"\n  deletionGracePeriodSeconds: 0\n  finalizers:\n    - example.com/first\n`)),
  "managed-fields-invalid": update(claim(`${LIVE}  managedFields:\n    - manager: ${"continuous-delivery-".repeat(7)}\n      operation: Update\n      apiVersion: resource.k8s.io/v1\n      fieldsType: FieldsV1\n      fieldsV1: {\"f:spec\": {}}\n`)),
  "metadata-immutable": update(claim(LIVE.replace("11111111", "99999999"))),
  "node-name-duplicate": one("apiVersion: resource.k8s.io/v1alpha2\nkind: PodSchedulingContext\nmetadata:\n  name: trainer\n  namespace: default\nspec:\n  potentialNodes:\n    - node-1\n    - node-1\n"),
  "claim-status-duplicate": update(
    "apiVersion: resource.k8s.io/v1alpha2\nkind: PodSchedulingContext\nmetadata:\n  name: trainer\n  namespace: default\n  resourceVersion: \"41\"\nspec: {}\nstatus:\n  resourceClaims:\n    - name: gpu\n    - name: gpu\n",
    "apiVersion: resource.k8s.io/v1alpha2\nkind: PodSchedulingContext\nmetadata:\n  name: trainer\n  namespace: default\n  resourceVersion: \"41\"\nspec: {}\n",
    "updateStatus",
  ),
  "node-selector-label-unknown": placed(nodeClass("acelerator", "a100")),
  "node-selector-value-unknown": placed(nodeClass("accelerator", "h100")),
  "node-skipped": placed(nodeClass("accelerator", "a100"), `${NODE}---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n`),
  "node-mistyped": placed(nodeClass("accelerator", "a100"), `${NODE}    count: 8\n`),
  "pod-bound": placed(`${pod("  nodeName: node-1\n")}---\n${old("")}`),
  "policy-settings": policy("resourceClases:\n  allow: [gpu.example.com]\n"),
  "policy-resource-class": policy("resourceClasses:\n  allow: [other.example.com]\n"),
  "policy-allocation-mode": policy("allocationModes:\n  deny: [Immediate]\n", old("  allocationMode: Immediate\n")),
  "policy-parameters-ref": policy("parametersRef:\n  required: true\n"),
  "policy-driver": policy("drivers:\n  allow: [tpu.example.com]\n", nodeClass("accelerator", "a100").split("---\n")[0]),
  "policy-api-version": policy("apiVersions:\n  deny: [v1alpha2]\n"),
  "policy-suitable-nodes": policy("suitableNodes:\n  required: true\n", "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata:\n  name: gpu.example.com\ndriverName: gpu.example.com\n"),
  "policy-fallback": policy("resourceClasses:\n  allow: [other.example.com]\n  fallback: other.example.com\n"),
};

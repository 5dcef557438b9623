/** A cluster as kubectl prints it. */
export interface Wanted {
	nodes?: number;
	/** Devices of each node. */
	devices?: number;
	pods?: number;
	kubelet?: string;
	/** The kind of object that comes first in the list. */
	first?: "nodes" | "pods";
	/** Pods ask for different numbers of devices. */
	different?: boolean;
	/** Pods are listed from the youngest to the oldest, as no queue has them. */
	youngestFirst?: boolean;
	/** Comment lines at the end, in characters: a text that is large. */
	padded?: number;
	/** The fields of each request beside its class. */
	request?: string;
	model?: (node: number, device: number) => string;
}

let version = 1;

function metadata(
	name: string,
	namespace = "",
	more = "",
	created = "2026-01-01T00:00:00Z",
): string {
	version += 1;
	return `  metadata:\n    creationTimestamp: "${created}"\n    name: ${name}\n${namespace && `    namespace: ${namespace}\n`}    resourceVersion: "${version}"\n    uid: 00000000-0000-4000-8000-${String(version).padStart(12, "0")}\n${more}`;
}

const uidOf = () =>
	`00000000-0000-4000-8000-${String(version).padStart(12, "0")}`;

export const DRIVER = "gpu.example.com";

function request(indent: string, count: number, more: string): string {
	return `${indent}devices:\n${indent}  requests:\n${indent}  - name: gpu\n${indent}    exactly:\n${indent}      deviceClassName: gpu\n${indent}      count: ${count}\n${more.replace(/^(?=.)/gm, `${indent}      `)}`;
}

/** The list that `kubectl get …,… -A -o yaml` prints; every pod waits, its claim is made from a template, and the last node is cordoned. */
export function dump({
	nodes = 6,
	devices = 4,
	pods = 1,
	kubelet = "v1.36.2",
	first = "nodes",
	different = false,
	youngestFirst = false,
	padded = 0,
	request:
		more = 'selectors:\n- cel: {expression: \'device.attributes["gpu.example.com"].model == "h100"\'}\n',
	model = () => "a100",
}: Wanted = {}): string {
	const list: Record<"nodes" | "rest" | "pods", string[]> = {
		nodes: [],
		rest: [],
		pods: [],
	};
	for (let node = 0; node < nodes; node++) {
		const name = `worker-${String(node).padStart(2, "0")}`;
		const last =
			node === nodes - 1
				? "    unschedulable: true\n    taints:\n    - {effect: NoSchedule, key: node.kubernetes.io/unschedulable}\n"
				: "    podCIDR: 10.0.0.0/24\n";
		list.nodes.push(
			`- apiVersion: v1\n  kind: Node\n${metadata(name)}  spec:\n${last}  status:\n    allocatable: {cpu: "64", memory: 256Gi, pods: "110"}\n    nodeInfo:\n      kubeletVersion: ${kubelet}\n`,
		);
		const rows = Array.from(
			{ length: devices },
			(_, device) =>
				`    - name: gpu-${device}\n      attributes:\n        model: {string: ${model(node, device)}}\n`,
		).join("");
		list.rest.push(
			`- apiVersion: resource.k8s.io/v1\n  kind: ResourceSlice\n${metadata(`slice-${node}`)}  spec:\n    driver: ${DRIVER}\n    nodeName: ${name}\n    pool: {name: ${name}, generation: 1, resourceSliceCount: 1}\n    devices:\n${rows}`,
		);
	}
	list.rest.push(
		`- apiVersion: resource.k8s.io/v1\n  kind: DeviceClass\n${metadata("gpu")}  spec:\n    selectors:\n    - cel: {expression: 'device.driver == "${DRIVER}" && true'}\n`,
	);
	list.rest.push(
		`- apiVersion: resource.k8s.io/v1\n  kind: ResourceClaimTemplate\n${metadata("two", "research")}  spec:\n    spec:\n${request("      ", 2, more)}`,
	);
	for (let pod = 0; pod < pods; pod++) {
		const [name, claim] = [`train-${pod}`, `train-${pod}-gpu-x`];
		const created = new Date(
			Date.UTC(2026, 0, 2) - (youngestFirst ? pod * 60_000 : 0),
		)
			.toISOString()
			.replace(/\.\d+/, "");
		list.pods.push(
			`- apiVersion: v1\n  kind: Pod\n${metadata(name, "research", "", created)}  spec:\n    containers:\n    - name: c\n      image: x\n      resources: {claims: [{name: gpu}]}\n    resourceClaims:\n    - {name: gpu, resourceClaimTemplateName: two}\n  status:\n    phase: Pending\n    conditions:\n    - type: PodScheduled\n      status: "False"\n      reason: Unschedulable\n      message: '0/${nodes} nodes are available: ${nodes} cannot allocate all claims.'\n    resourceClaimStatuses:\n    - {name: gpu, resourceClaimName: ${claim}}\n`,
		);
		const owner = `    ownerReferences:\n    - {apiVersion: v1, kind: Pod, name: ${name}, uid: ${uidOf()}, controller: true, blockOwnerDeletion: true}\n`;
		list.rest.push(
			`- apiVersion: resource.k8s.io/v1\n  kind: ResourceClaim\n${metadata(claim, "research", owner)}  spec:\n${request("    ", different ? 2 + pod : 2, more)}`,
		);
	}
	const order =
		first === "nodes"
			? [list.nodes, list.pods, list.rest]
			: [list.pods, list.rest, list.nodes];
	return `apiVersion: v1\nkind: List\nmetadata: {resourceVersion: ""}\nitems:\n${order.flat().join("")}${"# a line that says nothing\n".repeat(Math.ceil(padded / 26))}`;
}

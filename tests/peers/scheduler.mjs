// 50 pods that want a device each, on 100 nodes with 8 devices: the real kube-scheduler of a control plane on loopback, and `allocate` of
// the npm package on what kubectl would print of the same cluster. Both place the pods in turn. Prints seconds.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { allocate } from "../../pkg/node.js";
import { start } from "../oracle/cluster.mjs";
import { until } from "../until.mjs";
import { best } from "./best.mjs";

const NODES = 100;
const DEVICES = 8;
const PODS = 50;
/** Seconds. */
const PATIENCE = 120;
/** Units of processor time in /proc. */
const TICKS_PER_SECOND = Number(
	execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }),
);
const DRIVER = "gpu.example.com";
const RESOURCE = "resource.k8s.io/v1";

const name = (node) => `node-${String(node).padStart(3, "0")}`;
const deviceClass = {
	apiVersion: RESOURCE,
	kind: "DeviceClass",
	metadata: { name: "gpu" },
	spec: {
		selectors: [{ cel: { expression: `device.driver == "${DRIVER}"` } }],
	},
};
const node = (at) => ({
	apiVersion: "v1",
	kind: "Node",
	metadata: { name: name(at), labels: { "kubernetes.io/hostname": name(at) } },
});
const status = { allocatable: { cpu: "16", memory: "64Gi", pods: "110" } };
const slice = (at) => ({
	apiVersion: RESOURCE,
	kind: "ResourceSlice",
	metadata: { name: `${name(at)}-gpu` },
	spec: {
		driver: DRIVER,
		nodeName: name(at),
		pool: { name: name(at), generation: 1, resourceSliceCount: 1 },
		devices: Array.from({ length: DEVICES }, (_, device) => ({
			name: `gpu-${device}`,
			attributes: { model: { string: "a100" }, index: { int: device } },
		})),
	},
});
const claim = (at) => ({
	apiVersion: RESOURCE,
	kind: "ResourceClaim",
	metadata: { name: `claim-${at}`, namespace: "default" },
	spec: {
		devices: {
			requests: [{ name: "gpu", exactly: { deviceClassName: "gpu" } }],
		},
	},
});
const pod = (at) => ({
	apiVersion: "v1",
	kind: "Pod",
	metadata: { name: `pod-${at}`, namespace: "default" },
	spec: {
		containers: [
			{
				name: "c",
				image: "example.com/none",
				resources: { requests: { cpu: "100m" }, claims: [{ name: "gpu" }] },
			},
		],
		resourceClaims: [{ name: "gpu", resourceClaimName: `claim-${at}` }],
	},
});

/** Processor time that a process has used, in seconds. */
function spent(pid) {
	const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
		.replace(/^.*\) /, "")
		.split(" ");
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

const cluster = await start();
try {
	const post = (path, object) => cluster.must("POST", path, object);
	await post(`/apis/${RESOURCE}/deviceclasses`, deviceClass);
	for (let at = 0; at < NODES; at++) {
		const made = await post("/api/v1/nodes", node(at));
		await cluster.must("PUT", `/api/v1/nodes/${name(at)}/status`, {
			...made,
			status,
		});
		await post(`/apis/${RESOURCE}/resourceslices`, slice(at));
	}
	for (let at = 0; at < PODS; at++)
		await post(
			`/apis/${RESOURCE}/namespaces/default/resourceclaims`,
			claim(at),
		);
	const scheduler = await cluster.startScheduler();
	const idle = spent(scheduler.child.pid);
	const began = Date.now();
	for (let at = 0; at < PODS; at++)
		await post("/api/v1/namespaces/default/pods", pod(at));
	const items = [
		"/api/v1/nodes",
		`/apis/${RESOURCE}/deviceclasses`,
		`/apis/${RESOURCE}/resourceslices`,
	];
	const kinds = {
		[items[0]]: "Node",
		[items[1]]: "DeviceClass",
		[items[2]]: "ResourceSlice",
	};
	let bound = 0;
	await until(
		() => `kube-scheduler binds ${PODS} pods: it bound ${bound}`,
		async () => {
			const list = await cluster.must("GET", "/api/v1/pods");
			bound = list.items.filter(({ spec }) => spec.nodeName).length;
			return bound === PODS;
		},
		PATIENCE,
	);
	const wall = (Date.now() - began) / 1000;
	const used = spent(scheduler.child.pid) - idle;
	const objects = [];
	for (const path of items)
		for (const item of (await cluster.must("GET", path)).items)
			objects.push({
				...item,
				apiVersion: path.includes("resource.k8s.io") ? RESOURCE : "v1",
				kind: kinds[path],
			});
	// Claims and pods as they were before the scheduler looked at them.
	for (let at = 0; at < PODS; at++) objects.push(claim(at), pod(at));
	const text = JSON.stringify({
		apiVersion: "v1",
		kind: "List",
		items: objects,
	});
	const place = () => {
		const { pods } = allocate(text);
		const placed = pods.filter(({ turn }) => turn?.outcome === "bound").length;
		if (placed !== PODS)
			throw new Error(`allocate places ${placed} of ${PODS} pods`);
	};
	console.log(
		JSON.stringify({
			release: cluster.release,
			nodes: NODES,
			devices: DEVICES,
			pods: PODS,
			wall,
			scheduler: used,
			claimkit: best(place),
		}),
	);
} finally {
	await cluster.stop();
}
process.exit(0);

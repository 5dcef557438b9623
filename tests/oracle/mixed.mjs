// Random clusters in which volumes, gangs, quotas and binding conditions decide beside devices, taints and selectors, played on a real
// control plane, and what claimkit says of the objects before the scheduler starts.
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { batch, buildClaimkit } from "./claimkit.mjs";
import { start } from "./cluster.mjs";
import { random } from "./generate.mjs";
import { ABSENT, play, TOGETHER } from "./pods.mjs";
import { isCertain, often, pick, scenarioAtOnce, text } from "./scenarios.mjs";

/** The gates of gangs and their claims. */
const GATES = "GenericWorkload=true,DRAWorkloadResourceClaims=true";
const DRIVER = "gpu.example.com";
const CSI = "csi.example.com";
const STORAGE = "storage.k8s.io/v1";
const HOSTNAME = "kubernetes.io/hostname";
const ZONE = "topology.kubernetes.io/zone";
/** Now, as the server writes times: claims that were allocated ten minutes ago are given up. */
const now = () => `${new Date().toISOString().slice(0, 19)}Z`;
const READY = "example.com/attached";
const BROKEN = "example.com/failed";

/** What a scenario has beside devices, and how often, in percent. */
const PARTS = [
	["volumes", 65],
	["gang", 35],
	["quota", 25],
	["conditions", 35],
];

const isKind = (wanted) => (object) => object.kind === wanted;

/** A selector of nodes by a label. */
const nodesWith = (key, values) => ({
	nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values }] }],
});

/** Nodes that say their zone in the label that volumes know. */
const withZones = (next, objects) =>
	objects.map((object) => {
		if (object.kind !== "Node" || !often(next, 85)) return object;
		const { labels } = object.metadata;
		return {
			...object,
			metadata: {
				...object.metadata,
				labels: { ...labels, [ZONE]: labels.zone },
			},
		};
	});

/** A class of priority whose pods may preempt others. */
function withPreemption(object) {
	if (object.kind !== "PriorityClass") return object;
	const { preemptionPolicy: _, ...kept } = object;
	return kept;
}

const storageClass = (name, provisioner, volumeBindingMode, more = {}) => ({
	apiVersion: STORAGE,
	kind: "StorageClass",
	metadata: { name },
	provisioner,
	volumeBindingMode,
	...more,
});

const volume = (name, storageClassName, size, more) => ({
	apiVersion: "v1",
	kind: "PersistentVolume",
	metadata: { name },
	spec: {
		accessModes: ["ReadWriteOnce"],
		capacity: { storage: size },
		storageClassName,
		persistentVolumeReclaimPolicy: "Retain",
		csi: { driver: CSI, volumeHandle: name },
		...more,
	},
});

const claimOf = (name, storageClassName, size, more = {}, metadata = {}) => ({
	apiVersion: "v1",
	kind: "PersistentVolumeClaim",
	metadata: { name, ...metadata },
	spec: {
		accessModes: ["ReadWriteOnce"],
		storageClassName,
		resources: { requests: { storage: size } },
		...more,
	},
});

/** A claim with the volume that it is bound to, on a node, in a zone or anywhere. */
function boundVolume(next, name, nodes, mode) {
	const where = next(4);
	const node = pick(next, nodes);
	const affinity =
		where === 0
			? nodesWith(HOSTNAME, [node.metadata.name])
			: where === 1
				? nodesWith("zone", [node.metadata.labels.zone])
				: undefined;
	const labels =
		where === 2 ? { [ZONE]: pick(next, ["z1", "z2", "z1__z2"]) } : {};
	const made = volume(`pv-${name}`, "disk", "5Gi", {
		claimRef: { namespace: "default", name },
		accessModes: [mode],
		...(affinity ? { nodeAffinity: { required: affinity } } : {}),
	});
	made.metadata.labels = labels;
	const claim = claimOf(name, "disk", "1Gi", {
		volumeName: made.metadata.name,
		accessModes: [mode],
	});
	return [made, claim];
}

/** Kinds of claims that pods may name: objects by the name of the claim. */
const CLAIMS = [
	[
		35,
		"bound",
		(next, name, nodes) => boundVolume(next, name, nodes, "ReadWriteOnce"),
	],
	[
		15,
		"single",
		(next, name, nodes) => boundVolume(next, name, nodes, "ReadWriteOncePod"),
	],
	[
		20,
		"local",
		(next, name) => [claimOf(name, "local", pick(next, ["1Gi", "8Gi"]))],
	],
	[
		15,
		"disk",
		(next, name) => [claimOf(name, "disk", pick(next, ["1Gi", "20Gi"]))],
	],
	[5, "now", (_, name) => [claimOf(name, "now", "1Gi")]],
	[3, "lost-class", (_, name) => [claimOf(name, "no-such-class", "1Gi")]],
	[
		4,
		"lost",
		(_, name) => [
			claimOf(
				name,
				"disk",
				"1Gi",
				{ volumeName: "pv-gone" },
				{ annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
			),
		],
	],
	[
		3,
		"leaving",
		(_, name) => [
			claimOf(
				name,
				"disk",
				"1Gi",
				{},
				{
					finalizers: ["kubernetes.io/pvc-protection"],
					deletionTimestamp: "now",
				},
			),
		],
	],
];

function weighted(next, list) {
	let at = next(list.reduce((sum, [weight]) => sum + weight, 0));
	for (const one of list) {
		at -= one[0];
		if (at < 0) return one;
	}
	return list[0];
}

/** What drivers and their nodes say about volumes. */
function drivers(next, nodes) {
	const counts = often(next, 60);
	const limited = often(next, 50);
	const objects = [];
	if (counts || often(next, 40))
		objects.push({
			apiVersion: STORAGE,
			kind: "CSIDriver",
			metadata: { name: CSI },
			spec: { storageCapacity: counts, attachRequired: true },
		});
	for (const { metadata } of nodes) {
		const { name } = metadata;
		if (limited)
			objects.push({
				apiVersion: STORAGE,
				kind: "CSINode",
				metadata: { name },
				spec: {
					drivers: [
						{
							name: CSI,
							nodeID: name,
							topologyKeys: [HOSTNAME],
							...(often(next, 80)
								? { allocatable: { count: 1 + next(2) } }
								: {}),
						},
					],
				},
			});
		if (counts && often(next, 80))
			objects.push({
				apiVersion: STORAGE,
				kind: "CSIStorageCapacity",
				metadata: { name: `of-${name}` },
				nodeTopology: { matchLabels: { [HOSTNAME]: name } },
				storageClassName: "disk",
				capacity: pick(next, ["100Mi", "10Gi", "100Gi"]),
			});
	}
	return objects;
}

/** Gives pods volumes, and adds what these need. */
function addVolumes(next, objects) {
	const nodes = objects.filter(isKind("Node"));
	const topologies = often(next, 25)
		? {
				allowedTopologies: [
					{ matchLabelExpressions: [{ key: ZONE, values: ["z1"] }] },
				],
			}
		: {};
	const classes = [
		storageClass(
			"local",
			"kubernetes.io/no-provisioner",
			"WaitForFirstConsumer",
		),
		storageClass("disk", CSI, "WaitForFirstConsumer", topologies),
		storageClass("now", CSI, "Immediate"),
	];
	const free = nodes
		.filter(() => often(next, 60))
		.map(({ metadata: { name } }) =>
			volume(`local-${name}`, "local", pick(next, ["2Gi", "10Gi"]), {
				csi: undefined,
				local: { path: "/mnt" },
				accessModes: ["ReadWriteOnce"],
				nodeAffinity: { required: nodesWith(HOSTNAME, [name]) },
			}),
		);
	const claims = [];
	const names = [];
	for (let at = 1 + next(4); at > 0; at -= 1) {
		const [, kind, make] = weighted(next, CLAIMS);
		const name = `${kind}-${at}`;
		names.push(name);
		claims.push(...make(next, name, nodes));
	}
	const attached = claims
		.filter(isKind("PersistentVolume"))
		.filter(() => often(next, 20))
		.map(({ metadata: { name } }) => ({
			apiVersion: STORAGE,
			kind: "VolumeAttachment",
			metadata: { name: `attached-${name}` },
			spec: {
				attacher: CSI,
				nodeName: pick(next, nodes).metadata.name,
				source: { persistentVolumeName: name },
			},
		}));
	const isOf = isKind("PersistentVolume");
	const pods = objects.filter(isKind("Pod")).map((pod) => {
		if (!often(next, 65)) return pod;
		const volumes = Array.from({ length: 1 + next(2) }, (_, at) => {
			const name = `v${at}`;
			if (often(next, 15))
				return {
					name,
					ephemeral: {
						volumeClaimTemplate: {
							spec: claimOf("", pick(next, ["disk", "local", "now"]), "1Gi")
								.spec,
						},
					},
				};
			const claimName = often(next, 5) ? ABSENT : pick(next, names);
			return { name, persistentVolumeClaim: { claimName } };
		});
		return { ...pod, spec: { ...pod.spec, volumes } };
	});
	return [
		...objects.filter((object) => object.kind !== "Pod"),
		...classes,
		...drivers(next, nodes),
		...free,
		...claims.filter(isOf),
		...claims.filter((object) => !isOf(object)),
		...attached,
		...pods,
	];
}

/** Makes a group of copies of the first pod. */
function addGang(next, objects) {
	const others = objects.filter((object) => object.kind !== "Pod");
	const [model, ...pods] = objects.filter(isKind("Pod"));
	const size = 2 + next(2);
	const isAbsent = often(next, 12);
	const gated = often(next, 12) ? next(size) : -1;
	const members = Array.from({ length: size }, (_, at) => {
		const copy = structuredClone(model);
		copy.metadata.name = `g${at}`;
		copy.spec.schedulingGroup = { podGroupName: isAbsent ? ABSENT : "g" };
		delete copy.spec.schedulingGates;
		if (at === gated)
			copy.spec.schedulingGates = [{ name: "example.com/wait" }];
		if (at > 0 && often(next, 15))
			copy.spec.nodeSelector = { zone: pick(next, ["z1", "z2"]) };
		return copy;
	});
	const entries = (model.spec.resourceClaims ?? []).filter(() =>
		often(next, 30),
	);
	const schedulingPolicy = often(next, 15)
		? { basic: {} }
		: { gang: { minCount: pick(next, [2, size, size, size + 1]) } };
	const group = {
		apiVersion: "scheduling.k8s.io/v1beta1",
		kind: "PodGroup",
		metadata: { name: "g" },
		spec: {
			schedulingPolicy,
			// Without a class its place in the queue is not that of its pods.
			...(often(next, 75)
				? { priorityClassName: model.spec.priorityClassName }
				: {}),
			...(entries.length > 0 ? { resourceClaims: entries } : {}),
		},
	};
	return [...others, group, ...members, ...pods];
}

/** Adds a quota for claims, for devices of the class, or for both. */
function addQuota(next, objects) {
	const hard = {};
	const names = [
		"count/resourceclaims.resource.k8s.io",
		`${DRIVER}.deviceclass.resource.k8s.io/devices`,
	];
	const which = next(3);
	if (which !== 1) hard[names[0]] = String(next(5));
	if (which !== 0) hard[names[1]] = String(next(9));
	const used = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));
	const quota = {
		apiVersion: "v1",
		kind: "ResourceQuota",
		metadata: { name: "of-devices" },
		spec: { hard },
		status: { hard, used },
	};
	const pods = objects.filter(isKind("Pod"));
	return [...objects.filter((object) => object.kind !== "Pod"), quota, ...pods];
}

/** A claim that an earlier scheduler allocated: its device, and what is said of the device's condition. */
function allocatedClaim(next, slice) {
	const {
		spec: { driver, pool, nodeName, devices },
	} = slice;
	const device = pick(
		next,
		devices.filter((one) => one.bindingConditions),
	);
	const status = pick(next, [undefined, "True", "False", "failed"]);
	const conditions =
		status === undefined
			? []
			: [
					{
						type: status === "failed" ? BROKEN : READY,
						status: status === "failed" ? "True" : status,
						reason: "Told",
						message: "",
						lastTransitionTime: now(),
					},
				];
	const exactly = {
		deviceClassName: DRIVER,
		allocationMode: "ExactCount",
		count: 1,
	};
	const at = { driver, pool: pool.name, device: device.name };
	return {
		apiVersion: "resource.k8s.io/v1",
		kind: "ResourceClaim",
		metadata: {
			name: "allocated",
			finalizers: ["resource.kubernetes.io/delete-protection"],
		},
		spec: { devices: { requests: [{ name: "r0", exactly }] } },
		status: {
			allocation: {
				allocationTimestamp: now(),
				devices: {
					results: [
						{
							request: "r0",
							...at,
							bindingConditions: [READY],
							bindingFailureConditions: [BROKEN],
						},
					],
				},
				nodeSelector: {
					nodeSelectorTerms: [
						{
							matchFields: [
								{ key: "metadata.name", operator: "In", values: [nodeName] },
							],
						},
					],
				},
			},
			...(conditions.length > 0 ? { devices: [{ ...at, conditions }] } : {}),
		},
	};
}

/** Gives devices conditions that must be met before a pod gets its node, and one claim such a device already. */
function addConditions(next, objects) {
	const changed = objects.map((object) => {
		if (object.kind !== "ResourceSlice") return object;
		const devices = object.spec.devices.map((device) =>
			often(next, 40) && !device.allowMultipleAllocations
				? {
						...device,
						bindingConditions: [READY],
						bindingFailureConditions: [BROKEN],
					}
				: device,
		);
		return { ...object, spec: { ...object.spec, devices } };
	});
	const slice = changed.find(
		({ kind, spec }) =>
			kind === "ResourceSlice" &&
			spec.nodeName &&
			spec.devices.some((one) => one.bindingConditions && !one.taints),
	);
	if (slice === undefined || !often(next, 60)) return changed;
	const claim = allocatedClaim(next, slice);
	const pods = changed.filter(isKind("Pod")).map((pod, at) => {
		const entries = pod.spec.resourceClaims ?? [];
		if (at > 0 && !often(next, 25)) return pod;
		const [container] = pod.spec.containers;
		const claims = [...(container.resources.claims ?? []), { name: "old" }];
		return {
			...pod,
			spec: {
				...pod.spec,
				resourceClaims: [
					...entries,
					{ name: "old", resourceClaimName: claim.metadata.name },
				],
				containers: [
					{ ...container, resources: { ...container.resources, claims } },
				],
			},
		};
	});
	return [...changed.filter((object) => object.kind !== "Pod"), claim, ...pods];
}

const ADD = {
	volumes: addVolumes,
	gang: addGang,
	quota: addQuota,
	conditions: addConditions,
};

/** A random scenario with at least one of the parts; the same seed gives the same one, but for the time. */
export function mixedScenario(seed, release) {
	const next = random(seed * 7919);
	const parts = PARTS.filter(([, percent]) => often(next, percent)).map(
		([name]) => name,
	);
	if (parts.length === 0) parts.push(pick(next, PARTS)[0]);
	let { objects } = scenarioAtOnce(seed, release);
	objects = withZones(next, objects);
	if (often(next, 40)) objects = objects.map(withPreemption);
	// Members of a group are copies: what pods have is added before.
	for (const part of ["volumes", "conditions", "gang", "quota"])
		if (parts.includes(part)) objects = ADD[part](next, objects);
	return {
		id: `mixed/${seed}`,
		parts,
		release,
		gates: parts.includes("gang") ? GATES : "",
		objects,
		together: TOGETHER.untilQuiet,
	};
}

/** What the scheduler did, in words that claimkit's answer is compared with. */
function realOf(pod, claims) {
	const condition = pod.status?.conditions?.find(
		({ type }) => type === "PodScheduled",
	);
	const devices = {};
	for (const { metadata, status } of claims)
		if (status?.allocation)
			devices[`${metadata.namespace}/${metadata.name}`] = (
				status.allocation.devices?.results ?? []
			).map(
				({ request, driver, pool, device }) =>
					`${request} = ${driver}/${pool}/${device}`,
			);
	const isRefused = !pod.spec.nodeName && condition?.status === "False";
	return {
		node: pod.spec.nodeName ?? null,
		nominated: pod.status?.nominatedNodeName ?? null,
		message: isRefused ? (condition.message ?? "") : null,
		reason: isRefused ? condition.reason : null,
		devices,
	};
}

/** Whether the devices of a pod are those of its claims; claims that are not written yet are not compared. */
function otherDevices(turn, real) {
	const ours = {};
	for (const { claim, request, device } of turn.devices) {
		ours[claim] ??= [];
		ours[claim].push(`${request} = ${device}`);
	}
	for (const [claim, devices] of Object.entries(ours)) {
		const theirs = real.devices[claim];
		if (theirs && text(theirs) !== text(devices))
			return `devices of ${claim}\n  scheduler ${text(theirs)}\n  claimkit  ${text(devices)}`;
	}
	return undefined;
}

/** Whether a message is about an attempt that failed after a node was chosen. */
const isOfBinding = (message) => message?.startsWith("running PreBind plugin");
/** Whether messages are the same; the server's words about a failed binding change from attempt to attempt. */
const isSame = (one, other) =>
	one === other || (isOfBinding(one) && isOfBinding(other));

/** How claimkit's answer about a pod differs from what the scheduler did; undefined if it does not. */
export function contradicts(turn, real) {
	const waits = `claimkit: ${turn.outcome} (${turn.waitsFor ?? turn.message})`;
	switch (turn.outcome) {
		case "gated":
			return real.reason === "SchedulingGated" ? undefined : waits;
		case "notConsidered":
			return real.node === null && real.message === null && !real.nominated
				? undefined
				: waits;
		case "preparing":
			// The condition of an attempt before stays.
			return real.node === null &&
				[null, ...(turn.earlier ?? [])].includes(real.message) &&
				real.nominated === turn.node
				? otherDevices(turn, real)
				: `${waits} on ${turn.node}`;
		case "bound":
			return real.node === turn.node
				? otherDevices(turn, real)
				: `claimkit: on ${turn.node}`;
		default:
			return real.node === null &&
				(isSame(real.message, turn.message) || isBeforeRetry(real, turn))
				? undefined
				: `claimkit: ${turn.outcome}: ${turn.message}`;
	}
}

/** Whether the scheduler still pauses after an error, and claimkit says what comes after the pause. */
function isBeforeRetry(real, turn) {
	return (
		real.reason === "SchedulerError" &&
		(turn.earlier ?? []).includes(real.message)
	);
}

/** An attempt whose end depends on when another pod's claim or volume reaches the server. */
const RACED =
	/in the process of being allocated|got (?:de)?allocated elsewhere in the meantime|the object has been modified|Operation cannot be fulfilled/;

/** Asks claimkit about the objects before the scheduler starts. */
function turnsOf(release, before) {
	const [answer] = batch([
		{
			verb: "allocate",
			release,
			text: JSON.stringify({ apiVersion: "v1", kind: "List", items: before }),
			options: { relax: false },
		},
	]);
	return answer.pods.filter(({ turn }) => turn);
}

/** Compares what the scheduler did with all pods of a scenario with what claimkit says of the objects before. */
export function judge(release, { before, pods, claims }) {
	const result = { pods: 0, certain: 0, raced: 0, wrong: [], unsure: [] };
	if (pods.some(({ status }) => RACED.test(JSON.stringify(status?.conditions))))
		return { ...result, raced: 1 };
	for (const { pod, turn } of turnsOf(release, before)) {
		const own = pods.find(
			({ metadata }) => `${metadata.namespace}/${metadata.name}` === pod,
		);
		const real = own && realOf(own, claims);
		if (real === undefined || turn.outcome === "placed") continue;
		result.pods += 1;
		if (!isCertain(turn)) {
			const [why] = turn.unsure ?? [];
			result.unsure.push(
				why ?? (turn.depends ? "depends on a tie" : turn.decidedBy),
			);
			continue;
		}
		result.certain += 1;
		const why = contradicts(turn, real);
		if (why) result.wrong.push({ pod, why, decision: real });
	}
	return result;
}

/** Plays a scenario; returns the objects before the scheduler started, and the pods and claims after it. */
async function played(cluster, scenario) {
	const seen = {};
	await play(
		cluster,
		scenario,
		(objects) => (seen.before = objects),
		(pods, claims) => Object.assign(seen, { pods, claims }),
	);
	return seen;
}

/** An object without what a recording does not need. */
function recorded(object) {
	const copy = structuredClone(object);
	delete copy.metadata.managedFields;
	return copy;
}

/** A line of a recording: the objects, and what became of each pod that waited. */
export const lineOf = ({ id, release, gates }, { before, pods, claims }) =>
	JSON.stringify({
		id,
		release,
		gates,
		objects: before
			.filter(
				({ kind, reason }) =>
					kind !== "Event" || reason === "FailedResourceClaimCreation",
			)
			.map(recorded),
		pods: Object.fromEntries(
			pods.map((pod) => [
				`${pod.metadata.namespace}/${pod.metadata.name}`,
				realOf(pod, ownClaims(pod, claims)),
			]),
		),
	});

/** The claims that a pod uses. */
function ownClaims(pod, claims) {
	const names = (pod.spec.resourceClaims ?? []).map(
		({ name, resourceClaimName }) =>
			resourceClaimName ??
			pod.status?.resourceClaimStatuses?.find((one) => one.name === name)
				?.resourceClaimName,
	);
	return claims.filter(({ metadata }) => names.includes(metadata.name));
}

/** Plays the scenarios of one set of gates, one after another; `keep` gets each with what was seen. */
async function inOrder(cluster, seeds, keep) {
	const result = {
		scenarios: 0,
		pods: 0,
		certain: 0,
		raced: 0,
		varied: 0,
		unsure: {},
		wrong: [],
	};
	for (const seed of seeds) {
		const scenario = mixedScenario(seed, cluster.release);
		const seen = await played(cluster, scenario);
		const first = judge(cluster.release, seen);
		// A different result of the next run, which waits longer, is chance on the scheduler's side.
		const again =
			first.wrong.length > 0
				? judge(
						cluster.release,
						await played(cluster, { ...scenario, together: TOGETHER.long }),
					)
				: { wrong: [] };
		const wrong = first.wrong.filter(({ pod }) =>
			again.wrong.some((one) => one.pod === pod),
		);
		result.scenarios += 1;
		result.pods += first.pods;
		result.certain += first.certain;
		result.raced += first.raced;
		result.varied += first.wrong.length - wrong.length;
		for (const why of first.unsure)
			result.unsure[why] = (result.unsure[why] ?? 0) + 1;
		for (const { pod, why, decision } of wrong)
			result.wrong.push({
				id: `${scenario.id} (${scenario.parts}), pod ${pod}`,
				mode: "pods",
				op: "allocate",
				object: seen.before,
				want: decision,
				got: why,
			});
		keep?.(scenario, seen);
	}
	return result;
}

function added(one, other) {
	if (typeof one === "number") return one + other;
	if (Array.isArray(one)) return [...one, ...other];
	const names = new Set([...Object.keys(one), ...Object.keys(other)]);
	return Object.fromEntries(
		[...names].map((name) => [
			name,
			name in one && name in other
				? added(one[name], other[name])
				: (one[name] ?? other[name]),
		]),
	);
}

/** Plays random scenarios; those with gangs on a control plane of their own, whose gates are on. */
export async function mixedScenarios(cluster, seeds, keep = undefined) {
	const hasGates = (seed) => mixedScenario(seed, cluster.release).gates !== "";
	const gated = seeds.filter(hasGates);
	const plain = seeds.filter((seed) => !hasGates(seed));
	const withGates = async () => {
		const other = await start({ release: cluster.release, gates: GATES });
		try {
			return await inOrder(other, gated, keep);
		} finally {
			await other.stop();
		}
	};
	const [first, second] = await Promise.all([
		inOrder(cluster, plain, keep),
		...(gated.length > 0 ? [withGates()] : []),
	]);
	const { pods, certain, ...sums } = second ? added(first, second) : first;
	const percent = pods > 0 ? Math.round((1000 * certain) / pods) / 10 : 100;
	return { pods, certain, percent, ...sums };
}

/** Plays scenarios and writes them with their answers into a file. */
async function record(file, seeds) {
	buildClaimkit();
	const cluster = await start();
	const lines = [];
	try {
		const { wrong, ...numbers } = await mixedScenarios(
			cluster,
			seeds,
			(scenario, seen) => lines.push(lineOf(scenario, seen)),
		);
		console.log(JSON.stringify(numbers, null, 1));
		for (const { id, want, got } of wrong)
			console.log(`${id}\n  scheduler ${JSON.stringify(want)}\n  ${got}`);
	} finally {
		await cluster.stop();
	}
	lines.sort();
	const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
	writeFileSync(file, file.endsWith(".gz") ? gzipSync(bytes) : bytes);
}

//   node mixed.mjs FILE FIRST COUNT     plays scenarios and writes them with their answers
if (process.argv[1] === import.meta.filename) {
	const [file, first, count] = process.argv.slice(2);
	await record(
		file,
		Array.from({ length: Number(count) }, (_, at) => Number(first) + at),
	);
}

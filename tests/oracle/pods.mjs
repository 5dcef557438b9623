// Plays scenarios of many pods on a real control plane: objects are created in order, each pod after the decision on the one before,
// and what kube-scheduler did is written in the format of tests/vectors/many-pods-*.jsonl.
import { pass, until, within } from "../until.mjs";

// Time is the subject of what waits so long here: that the scheduler does nothing more is said by nothing else.
/** A pod that has neither a node nor a condition after so many seconds is not considered by the scheduler. */
const UNDECIDED = 2.5;
/** Milliseconds to wait after a decision, because the scheduler may write more. */
const SETTLED = 150;
const AT_THE_END = 600;
/** Nothing more happens to pods and claims after so long without a change, as far as a first look goes. */
const QUIET = 1300;
/** The name of a PodGroup that is not there: for its pods no claims are made. */
export const ABSENT = "absent";
/** How long pods that all wait when the scheduler starts are looked at: until nothing changes, or until each is decided on or late. */
export const TOGETHER = { untilQuiet: "quiet", long: true };
const MERGE = "application/merge-patch+json";
const NAMESPACES = ["default", "other"];
const NOW_GONE = {
	kind: "DeleteOptions",
	apiVersion: "v1",
	gracePeriodSeconds: 0,
};

const CLUSTER_KINDS = new Set([
	"Node",
	"DeviceClass",
	"ResourceSlice",
	"DeviceTaintRule",
	"PriorityClass",
	"Namespace",
	"PersistentVolume",
	"StorageClass",
	"CSINode",
	"CSIDriver",
	"VolumeAttachment",
]);
const plural = (kind) =>
	({
		DeviceClass: "deviceclasses",
		PriorityClass: "priorityclasses",
		StorageClass: "storageclasses",
		CSIStorageCapacity: "csistoragecapacities",
	})[kind] ?? `${kind.toLowerCase()}s`;
const collectionOf = ({ apiVersion, kind, metadata }) => {
	const namespace = CLUSTER_KINDS.has(kind)
		? ""
		: `/namespaces/${metadata.namespace ?? "default"}`;
	return `${apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`}${namespace}/${plural(kind)}`;
};
const addressOf = (object) => `${collectionOf(object)}/${object.metadata.name}`;

/** The collections that a scenario may fill, in the order in which they are emptied; `kept`: what belongs to the server. */
const COLLECTIONS = [
	"/api/v1/pods",
	"/apis/scheduling.k8s.io/v1beta1/podgroups",
	"/apis/scheduling.k8s.io/v1beta1/workloads",
	"/apis/resource.k8s.io/v1/resourceclaims",
	"/apis/resource.k8s.io/v1/resourceclaimtemplates",
	"/apis/apps/v1/replicasets",
	"/apis/apps/v1/statefulsets",
	"/api/v1/services",
	"/api/v1/nodes",
	"/apis/resource.k8s.io/v1/resourceslices",
	"/apis/resource.k8s.io/v1/deviceclasses",
	"/apis/resource.k8s.io/v1/devicetaintrules",
	"/apis/scheduling.k8s.io/v1/priorityclasses",
	"/apis/storage.k8s.io/v1/volumeattachments",
	"/api/v1/persistentvolumeclaims",
	"/api/v1/persistentvolumes",
	"/apis/storage.k8s.io/v1/csistoragecapacities",
	"/apis/storage.k8s.io/v1/csinodes",
	"/apis/storage.k8s.io/v1/csidrivers",
	"/apis/storage.k8s.io/v1/storageclasses",
	"/api/v1/resourcequotas",
];
const kept = ({ metadata }) =>
	metadata.name === "kubernetes" || metadata.name.startsWith("system-");

/** Removes everything that a scenario made. */
export async function empty(cluster) {
	const left = async () => {
		let count = 0;
		for (const collection of COLLECTIONS) {
			const { body } = await cluster.call("GET", collection);
			const [base, name] = [
				collection.slice(0, collection.lastIndexOf("/")),
				collection.slice(collection.lastIndexOf("/")),
			];
			for (const { metadata } of (body.items ?? []).filter(
				(one) => !kept(one),
			)) {
				count += 1;
				const one = `${base}${metadata.namespace ? `/namespaces/${metadata.namespace}` : ""}${name}/${metadata.name}`;
				if (metadata.finalizers)
					await cluster.call(
						"PATCH",
						one,
						{ metadata: { finalizers: null } },
						MERGE,
					);
				await cluster.call("DELETE", one, NOW_GONE);
			}
		}
		return count === 0;
	};
	await until("the cluster is empty", left, 20);
	for (const namespace of NAMESPACES) {
		for (const version of ["/api/v1", "/apis/events.k8s.io/v1"])
			await cluster.call("DELETE", `${version}/namespaces/${namespace}/events`);
	}
	await cluster.must(
		"PATCH",
		"/api/v1/namespaces/default",
		{ metadata: { labels: { "resource.kubernetes.io/admin-access": null } } },
		MERGE,
	);
}

/** Creates an object with its status; `deletionTimestamp`: and deletes it, so that it stays only because of its finalizer. */
async function create(cluster, given) {
	const object = structuredClone(given);
	if (object.kind === "Namespace" && object.metadata.name === "default") {
		return cluster.must(
			"PATCH",
			addressOf(object),
			{ metadata: { labels: object.metadata.labels ?? {} } },
			MERGE,
		);
	}
	const separate = ["Node", "ResourceClaim", "ResourceQuota"].includes(
		object.kind,
	);
	const status = separate ? object.status : undefined;
	if (separate) delete object.status;
	const going = object.metadata.deletionTimestamp;
	delete object.metadata.deletionTimestamp;
	// Admission reads priority classes and namespaces from caches that lag behind.
	const late = /no PriorityClass with name|admin-access: true/;
	const name = `${object.kind} ${object.metadata.name}`;
	const made = await until(
		`${name} is made`,
		async () => {
			const reply = await cluster.call("POST", collectionOf(object), object);
			if (reply.code === 201) return reply.body;
			if (!late.test(reply.body.message))
				throw new Error(`${name}: ${reply.body.message}`);
			return undefined;
		},
		3,
	);
	if (status)
		await cluster.must("PUT", `${addressOf(object)}/status`, {
			...made,
			status,
		});
	if (going) await cluster.must("DELETE", addressOf(object));
}

const conditionOf = (pod) =>
	pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
const decided = (pod) =>
	Boolean(pod?.spec.nodeName) || conditionOf(pod)?.status === "False";

async function podsOf(cluster) {
	const { items } = await cluster.must("GET", "/api/v1/pods");
	return new Map(
		items
			.filter(({ metadata }) => NAMESPACES.includes(metadata.namespace))
			.map((pod) => [pod.metadata.name, pod]),
	);
}

/** The name under which answers have a claim: one made for a pod has a random end. */
export function nameOf({
	metadata: { annotations = {}, generateName, name, ownerReferences },
}) {
	const owner = ownerReferences?.[0]?.name ?? "?";
	if (annotations["resource.kubernetes.io/extended-resource-claim"] === "true")
		return `${owner}/extended-resources`;
	if (!generateName) return name;
	return `${owner}/${annotations["resource.kubernetes.io/pod-claim-name"] ?? generateName.replace(/-$/, "")}`;
}

/** Claims by the names under which answers have them. */
async function claimsOf(cluster) {
	const { items } = await cluster.must(
		"GET",
		"/apis/resource.k8s.io/v1/resourceclaims",
	);
	return new Map(items.map((claim) => [nameOf(claim), claim]));
}

/** A text with random names and UIDs in a form that every run gives. */
function tidy(text, claims) {
	let tidied = text;
	for (const [name, { metadata }] of claims)
		if (metadata.name !== name)
			tidied = tidied.replaceAll(metadata.name, `<${name}>`);
	return tidied.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<uid>");
}

/** What the scheduler has done with a pod. */
function answerOf(pod, claims) {
	const condition = conditionOf(pod);
	const { status = {}, metadata, spec } = pod;
	const node = spec.nodeName ?? null;
	const answer = {
		node,
		message:
			node === null && condition ? tidy(condition.message ?? "", claims) : null,
		phaseReason: node === null && condition ? condition.reason : null,
	};
	if (node === null && !condition) answer.notConsidered = true;
	if (status.nominatedNodeName)
		answer.nominatedNodeName = status.nominatedNodeName;
	if (metadata.deletionTimestamp) answer.beingDeleted = true;
	const disrupted = status.conditions?.find(
		({ type }) => type === "DisruptionTarget",
	);
	if (disrupted)
		answer.disruptionTarget = {
			reason: disrupted.reason,
			message: tidy(disrupted.message, claims),
		};
	if (status.extendedResourceClaimStatus)
		answer.extendedResourceClaimStatus = JSON.parse(
			tidy(JSON.stringify(status.extendedResourceClaimStatus), claims),
		);
	return answer;
}

const MOST_CONSUMERS = 8;

function claimAnswer(name, { metadata, spec, status = {} }) {
	const { allocation, reservedFor = [] } = status;
	const answer = { devices: null };
	if (allocation) {
		answer.devices = (allocation.devices?.results ?? []).map((result) =>
			result.shareID ? { ...result, shareID: "<random>" } : result,
		);
		if (allocation.nodeSelector) answer.nodeSelector = allocation.nodeSelector;
	}
	answer.reservedFor =
		reservedFor.length > MOST_CONSUMERS
			? `${reservedFor.length} consumers`
			: reservedFor.map((one) => `${one.resource}/${one.name}`);
	if (metadata.deletionTimestamp) answer.beingDeleted = true;
	if (name.endsWith("/extended-resources"))
		answer.requests = spec.devices.requests;
	return answer;
}

/** Carries out what happens after all objects are there. */
async function act(
	cluster,
	{
		create: made = [],
		delete: gone = [],
		patch = [],
		status = [],
		seconds = 2.5,
	},
) {
	for (const object of made) await create(cluster, object);
	for (const object of gone)
		await cluster.must("DELETE", addressOf(object), NOW_GONE);
	for (const { apiVersion, kind, ...change } of patch)
		await cluster.must(
			"PATCH",
			addressOf({ apiVersion, kind, ...change }),
			change,
			MERGE,
		);
	for (const object of status)
		await cluster.must(
			"PATCH",
			`${addressOf(object)}/status`,
			{ status: object.status },
			MERGE,
		);
	await pass(seconds * 1000);
}

/** The collections that decide about pods. */
const DECISIVE = [
	"/api/v1/nodes",
	"/api/v1/pods",
	...[
		"deviceclasses",
		"resourceslices",
		"devicetaintrules",
		"resourceclaims",
		"resourceclaimtemplates",
	].map((name) => `/apis/resource.k8s.io/v1/${name}`),
];
/** Those that decide about pods with volumes, groups and quotas, too. Some of them are behind gates. */
const ALL_DECISIVE = [
	...DECISIVE,
	"/api/v1/persistentvolumeclaims",
	"/api/v1/persistentvolumes",
	...[
		"storageclasses",
		"csinodes",
		"csidrivers",
		"csistoragecapacities",
		"volumeattachments",
	].map((name) => `/apis/storage.k8s.io/v1/${name}`),
	"/apis/scheduling.k8s.io/v1beta1/podgroups",
	"/apis/scheduling.k8s.io/v1/priorityclasses",
	"/api/v1/resourcequotas",
	"/api/v1/events",
];

/** The objects of the cluster that decide about pods, as the server has them. */
async function snapshot(cluster, collections) {
	const objects = [];
	for (const collection of collections) {
		const { code, body } = await cluster.call("GET", collection);
		if (code === 404) continue;
		if (code !== 200)
			throw new Error(`${collection}: ${code} ${body.message ?? body}`);
		const { kind, apiVersion, items } = body;
		objects.push(
			...items
				.filter((item) => !kept(item))
				.map((item) => ({
					apiVersion,
					kind: kind.replace(/List$/, ""),
					...item,
				})),
		);
	}
	return objects;
}

/** Keeps a pod from the scheduler until its claims are there; returns the objects as they are then. */
async function held(cluster, pod) {
	await create(cluster, {
		...pod,
		spec: { ...pod.spec, schedulingGates: [{ name: "claimkit.example/held" }] },
	});
	const address = addressOf(pod);
	const fromTemplate = (pod.spec.resourceClaims ?? []).filter(
		(one) => one.resourceClaimTemplateName,
	).length;
	await within(
		3,
		async () =>
			((await cluster.must("GET", address)).status.resourceClaimStatuses ?? [])
				.length >= fromTemplate,
	);
	const objects = await snapshot(cluster, DECISIVE);
	const own = objects.find(
		({ kind, metadata }) =>
			kind === "Pod" && metadata.name === pod.metadata.name,
	);
	delete own.spec.schedulingGates;
	own.status = { ...own.status, conditions: [] };
	await cluster.must(
		"PATCH",
		address,
		{ spec: { schedulingGates: null } },
		MERGE,
	);
	return objects;
}

/**
 * Creates the objects, each pod after the decision on the one before; returns the answers at the moment of each decision. `watch` gets
 * each pod, the objects before the decision on it, and the decision.
 */
async function inTurn(cluster, objects, pauses, withScheduler, watch) {
	const first = new Map();
	for (const [at, object] of objects.entries()) {
		await pass((pauses[at] ?? 0) * 1000);
		if (object.kind === "Pod") await withScheduler();
		const before =
			object.kind === "Pod" && watch ? await held(cluster, object) : undefined;
		if (!before) await create(cluster, object);
		if (object.kind !== "Pod") continue;
		const { name } = object.metadata;
		const judged = (pod) =>
			decided(pod) && conditionOf(pod)?.reason !== "SchedulingGated";
		await within(UNDECIDED, async () =>
			judged((await podsOf(cluster)).get(name)),
		);
		await pass(SETTLED);
		const claims = await claimsOf(cluster);
		first.set(name, answerOf((await podsOf(cluster)).get(name), claims));
		watch?.(object, before, first.get(name), claims);
	}
	return first;
}

/** Whether the controllers are done with the objects of a scenario: claims of pods, and volumes. */
async function isSettled(cluster, pods) {
	const now = await podsOf(cluster);
	const waiting = pods.filter(({ metadata, spec }) => {
		const made = now.get(metadata.name)?.status.resourceClaimStatuses ?? [];
		const wanted = (spec.resourceClaims ?? []).filter(
			({ resourceClaimTemplateName }) => resourceClaimTemplateName,
		);
		const isGroupAbsent = spec.schedulingGroup?.podGroupName === ABSENT;
		return made.length < wanted.length && !isGroupAbsent;
	});
	if (waiting.length > 0) {
		// A quota may refuse them, which an event says.
		const { items } = await cluster.must("GET", "/api/v1/events");
		const isSaid = ({ metadata: { name } }) =>
			items.some(
				({ reason, involvedObject }) =>
					reason === "FailedResourceClaimCreation" &&
					involvedObject.name === name,
			);
		if (!waiting.every(isSaid)) return false;
	}
	const { items: volumes } = await cluster.must(
		"GET",
		"/api/v1/persistentvolumes",
	);
	const { items: claims } = await cluster.must(
		"GET",
		"/api/v1/persistentvolumeclaims",
	);
	const names = claims.map(({ metadata }) => metadata.name);
	const isBeingBound = ({ metadata, spec, status }) =>
		status.phase === "Pending" &&
		volumes.some(
			({ metadata: { name } }) =>
				name === spec.volumeName && !metadata.deletionTimestamp,
		);
	return (
		!volumes.some(({ status }) => status.phase === "Pending") &&
		!claims.some(isBeingBound) &&
		pods.every(({ metadata, spec }) =>
			(spec.volumes ?? []).every(
				({ name, ephemeral }) =>
					!ephemeral || names.includes(`${metadata.name}-${name}`),
			),
		)
	);
}

/** Waits until pods, claims and volumes have not changed for a while. */
async function untilQuiet(cluster) {
	const collections = [
		"/api/v1/pods",
		"/apis/resource.k8s.io/v1/resourceclaims",
		"/api/v1/persistentvolumeclaims",
	];
	let before;
	let since = Date.now();
	await within(10, async () => {
		const versions = [];
		for (const collection of collections) {
			const { items } = await cluster.must("GET", collection);
			versions.push(...items.map(({ metadata }) => metadata.resourceVersion));
		}
		const now = versions.join();
		if (now !== before) since = Date.now();
		before = now;
		return Date.now() - since > QUIET;
	});
}

/** Creates all objects before the scheduler starts: its queue then decides on the order. `watch` gets the objects before that. */
async function atOnce(cluster, { objects, together }, withScheduler, watch) {
	for (const object of objects) await create(cluster, object);
	const pods = objects.filter(({ kind }) => kind === "Pod");
	await within(5, () => isSettled(cluster, pods));
	watch?.(await snapshot(cluster, ALL_DECISIVE));
	await withScheduler();
	if (together === TOGETHER.untilQuiet) await untilQuiet(cluster);
	else
		await within(UNDECIDED + 2, async () =>
			[...(await podsOf(cluster)).values()].every(decided),
		);
	return new Map();
}

/**
 * Plays a scenario in an emptied cluster with a scheduler of its own; returns `pods` and `claims` of the answers. `end` gets the pods and
 * claims as the server has them at the end.
 */
export async function play(
	cluster,
	{ objects, acts = [], pauses = {}, together = false },
	watch = undefined,
	end = undefined,
) {
	await empty(cluster);
	if (objects.some(({ metadata }) => metadata.namespace === "other")) {
		await cluster.call("POST", "/api/v1/namespaces", {
			apiVersion: "v1",
			kind: "Namespace",
			metadata: { name: "other" },
		});
	}
	let scheduler;
	const withScheduler = async () =>
		(scheduler ??= await cluster.startScheduler());
	try {
		const first = await (together
			? atOnce(cluster, { objects, together }, withScheduler, watch)
			: inTurn(cluster, objects, pauses, withScheduler, watch));
		for (const one of acts) await act(cluster, one);
		if (together !== TOGETHER.untilQuiet) await pass(AT_THE_END);
		const [final, claims] = [await podsOf(cluster), await claimsOf(cluster)];
		end?.([...final.values()], [...claims.values()]);
		const names = new Set([
			...objects
				.filter(({ kind }) => kind === "Pod")
				.map(({ metadata }) => metadata.name),
			...final.keys(),
		]);
		const pods = {};
		for (const name of names) {
			const end = final.has(name)
				? answerOf(final.get(name), claims)
				: { gone: true };
			const start = first.get(name) ?? end;
			pods[name] =
				JSON.stringify(start) === JSON.stringify(end)
					? start
					: { ...start, later: end };
		}
		return {
			pods,
			claims: Object.fromEntries(
				[...claims]
					.sort(([a], [b]) => (a < b ? -1 : 1))
					.map(([name, claim]) => [name, claimAnswer(name, claim)]),
			),
		};
	} finally {
		await scheduler?.stop();
	}
}

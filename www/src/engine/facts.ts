import type { Json } from "./devices.ts";

/** Facts about a node that the allocator of devices does not look at. */
export interface NodeFacts {
	cordoned: boolean;
	/** `key=value:Effect`, of those that keep pods away. */
	taints: string[];
	/** As the kubelet says it: `v1.34.2`. */
	kubelet: string;
}

export interface PodFacts {
	/** The scheduler's last message, in the pod's own status. */
	said: string;
	/** Equal for pods that ask for the same in the same namespace; empty where they cannot be compared. */
	alike: string;
}

/** Facts from the texts that the engine's answer lacks. Pods and workloads are named `namespace/name`. */
export interface ClusterFacts {
	nodes: Record<string, NodeFacts>;
	pods: Record<string, PodFacts>;
	/** Workloads that want several pods, of which one is placed. */
	replicas: Record<string, number>;
}

type Raw = (text: string) => unknown;

const list = (value: unknown): Json[] =>
	Array.isArray(value)
		? value.filter((item) => typeof item === "object" && item !== null)
		: [];
const map = (value: unknown): Json =>
	typeof value === "object" && value !== null && !Array.isArray(value)
		? (value as Json)
		: {};
const text = (value: unknown): string =>
	typeof value === "string"
		? value
		: typeof value === "number" || typeof value === "boolean"
			? String(value)
			: "";

/** Every object of a value, those of lists too. */
function objectsOf(value: unknown, into: Json[]): void {
	const object = map(value);
	if (Array.isArray(object.items))
		for (const item of object.items) objectsOf(item, into);
	else if (typeof object.kind === "string") into.push(object);
}

/** Reads all objects of texts; YAML is read by the engine, document by document, and what cannot be read is left out. */
export function readObjects(texts: readonly string[], raw: Raw): Json[] {
	const objects: Json[] = [];
	for (const whole of texts) {
		if (/^[\s\ufeff]*[{[]/.test(whole)) {
			try {
				objectsOf(JSON.parse(whole), objects);
				continue;
			} catch {
				// Perhaps flow YAML, or several JSON documents.
			}
		}
		for (const document of whole.split(/^---(?:[ \t].*)?$/m))
			if (document.trim() !== "") objectsOf(raw(document), objects);
	}
	return objects;
}

const KEEPS_AWAY = ["NoSchedule", "NoExecute"];

function nodeFacts(node: Json): NodeFacts {
	const spec = map(node.spec);
	const taints = list(spec.taints).filter(({ effect }) =>
		KEEPS_AWAY.includes(text(effect)),
	);
	return {
		cordoned: spec.unschedulable === true,
		taints: taints.map(
			({ key, value, effect }) =>
				`${text(key)}${text(value) && `=${text(value)}`}:${text(effect)}`,
		),
		kubelet: text(map(map(node.status).nodeInfo).kubeletVersion),
	};
}

const fullName = ({ metadata }: Json): string =>
	`${text(map(metadata).namespace) || "default"}/${text(map(metadata).name)}`;

/** Returns a pod's needs, with its claims in place of their names, which differ between pods of one template. */
function asking(pod: Json, specs: ReadonlyMap<string, unknown>): string {
	const [spec, status] = [map(pod.spec), map(pod.status)];
	const namespace = fullName(pod).split("/")[0] ?? "";
	const made = new Map(
		list(status.resourceClaimStatuses).map(({ name, resourceClaimName }) => [
			text(name),
			text(resourceClaimName),
		]),
	);
	const claims: unknown[] = [];
	for (const entry of list(spec.resourceClaims)) {
		const shared = text(entry.resourceClaimName);
		const own = made.get(text(entry.name));
		const found = shared
			? shared
			: own
				? specs.get(`ResourceClaim ${namespace}/${own}`)
				: specs.get(
						`ResourceClaimTemplate ${namespace}/${text(entry.resourceClaimTemplateName)}`,
					);
		if (found === undefined) return "";
		claims.push([entry.name, found]);
	}
	const containers = [
		...list(spec.initContainers),
		...list(spec.containers),
	].map(({ name, resources, restartPolicy }) => [
		name,
		resources,
		restartPolicy,
	]);
	// These members belong to one pod alone and would make it unlike all others.
	if (
		status.extendedResourceClaimStatus !== undefined ||
		status.nominatedNodeName !== undefined
	)
		return "";
	return JSON.stringify([
		namespace,
		claims,
		containers,
		spec.overhead,
		spec.resources,
		map(pod.metadata).uid === undefined,
		spec.schedulingGroup,
		spec.priority,
	]);
}

function podFacts(pod: Json, specs: ReadonlyMap<string, unknown>): PodFacts {
	const condition = list(map(pod.status).conditions).find(
		({ type, status }) => type === "PodScheduled" && text(status) === "False",
	);
	return { said: text(condition?.message), alike: asking(pod, specs) };
}

/** Reads what the texts say of nodes, pods and workloads. */
export function clusterFacts(objects: readonly Json[]): ClusterFacts {
	const facts: ClusterFacts = { nodes: {}, pods: {}, replicas: {} };
	const specs = new Map<string, unknown>();
	for (const object of objects) {
		const kind = text(object.kind);
		const spec = map(object.spec);
		// A claim that is allocated is not placed as one that waits is.
		if (kind === "ResourceClaim")
			specs.set(`${kind} ${fullName(object)}`, [
				object.apiVersion,
				spec,
				map(object.status).allocation === undefined ? "" : fullName(object),
			]);
		if (kind === "ResourceClaimTemplate")
			specs.set(`${kind} ${fullName(object)}`, [
				object.apiVersion,
				spec.spec,
				"",
			]);
	}
	for (const object of objects) {
		const kind = text(object.kind);
		if (kind === "Node")
			facts.nodes[text(map(object.metadata).name)] = nodeFacts(object);
		else if (kind === "Pod")
			facts.pods[fullName(object)] = podFacts(object, specs);
		else {
			const spec = map(object.spec);
			const wanted = spec.replicas ?? spec.parallelism;
			if (
				spec.template !== undefined &&
				typeof wanted === "number" &&
				wanted > 1
			)
				facts.replicas[fullName(object)] = wanted;
		}
	}
	return facts;
}

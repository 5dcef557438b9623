// Random clusters with many pods, in the format of tests/vectors/many-pods-*.jsonl, and claimkit's answer to each decision.
import { batch } from "./claimkit.mjs";
import { random } from "./generate.mjs";
import { nameOf } from "./pods.mjs";

export const pick = (next, list) => list[next(list.length)];
export const often = (next, percent) => next(100) < percent;
/** Sizes of nodes: each of a scenario has another, so that scores never tie. */
const CPUS = [4, 8, 16, 32, 64];
const DRIVER = "gpu.example.com";
const EXTENDED = "example.com/fpga";
const MODELS = ["a100", "h100", "l4"];
const EXPRESSIONS = [
	`device.attributes["${DRIVER}"].model == "a100"`,
	`device.attributes["${DRIVER}"].model != "l4"`,
	`device.capacity["${DRIVER}"].memory.compareTo(quantity("40Gi")) >= 0`,
	`device.attributes["${DRIVER}"].rack == 1`,
];

export const deviceClass = {
	apiVersion: "resource.k8s.io/v1",
	kind: "DeviceClass",
	metadata: { name: DRIVER },
	spec: {
		selectors: [{ cel: { expression: `device.driver == "${DRIVER}"` } }],
	},
};

export function node(next, name, cpu) {
	const amounts = { cpu: String(cpu), memory: `${cpu * 4}Gi`, pods: "110" };
	const taints = often(next, 20)
		? [
				{
					key: "dedicated",
					value: pick(next, ["a", "b"]),
					effect: "NoSchedule",
				},
			]
		: undefined;
	const spec = {
		...(taints ? { taints } : {}),
		...(often(next, 8) ? { unschedulable: true } : {}),
	};
	const labels = {
		"kubernetes.io/hostname": name,
		zone: pick(next, ["z1", "z2"]),
	};
	return {
		apiVersion: "v1",
		kind: "Node",
		metadata: { name, labels },
		spec,
		status: {
			capacity: amounts,
			allocatable: amounts,
			conditions: [
				{ type: "Ready", status: "True", reason: "Ready", message: "" },
			],
		},
	};
}

export function slice(next, name, where) {
	const devices = Array.from({ length: 1 + next(4) }, (_, at) => ({
		name: `dev-${at}`,
		attributes: {
			model: { string: pick(next, MODELS) },
			...(often(next, 80) ? { rack: { int: next(3) } } : {}),
			numa: { int: next(2) },
		},
		capacity: { memory: { value: pick(next, ["16Gi", "40Gi", "80Gi"]) } },
		...(often(next, 10)
			? { taints: [{ key: "broken", effect: "NoSchedule" }] }
			: {}),
		...(often(next, 15) ? { allowMultipleAllocations: true } : {}),
	}));
	return {
		apiVersion: "resource.k8s.io/v1",
		kind: "ResourceSlice",
		metadata: { name },
		spec: {
			driver: DRIVER,
			pool: { name, generation: 1, resourceSliceCount: 1 },
			...where,
			devices,
		},
	};
}

function exactly(next) {
	const selectors = often(next, 50)
		? [{ cel: { expression: pick(next, EXPRESSIONS) } }]
		: undefined;
	const count = often(next, 15)
		? { allocationMode: "All" }
		: { allocationMode: "ExactCount", count: 1 + next(3) };
	return {
		deviceClassName: DRIVER,
		...count,
		...(selectors ? { selectors } : {}),
		...(often(next, 15) ? { tolerations: [{ operator: "Exists" }] } : {}),
		...(often(next, 10) ? { capacity: { requests: { memory: "10Gi" } } } : {}),
	};
}

/** A random claim, of which so many percent have a constraint. */
export function claimSpec(next, constrained = 25) {
	const requests = Array.from({ length: 1 + next(2) }, (_, at) => {
		if (!often(next, 25)) return { name: `r${at}`, exactly: exactly(next) };
		return {
			name: `r${at}`,
			firstAvailable: Array.from({ length: 2 }, (_, alternative) => ({
				name: `s${alternative}`,
				...exactly(next),
			})),
		};
	});
	const constraints = often(next, constrained)
		? [{ matchAttribute: `${DRIVER}/${pick(next, ["model", "numa", "rack"])}` }]
		: undefined;
	return { devices: { requests, ...(constraints ? { constraints } : {}) } };
}

function pod(next, name, claims) {
	const resourceClaims = Array.from({ length: next(3) }, (_, at) => ({
		name: `c${at}`,
		...pick(next, claims),
	}));
	const amounts = often(next, 60)
		? { cpu: String(1 + next(8)), memory: `${1 + next(16)}Gi` }
		: undefined;
	const resources = {
		...(amounts ? { requests: amounts } : {}),
		claims: resourceClaims.map(({ name }) => ({ name })),
	};
	return {
		apiVersion: "v1",
		kind: "Pod",
		metadata: { name, labels: { app: pick(next, ["a", "b"]) } },
		spec: {
			containers: [{ name: "c", image: "example.com/app:1", resources }],
			resourceClaims,
			...(often(next, 30)
				? { tolerations: [{ key: "dedicated", operator: "Exists" }] }
				: {}),
			...(often(next, 15) ? { nodeSelector: { zone: "z1" } } : {}),
			...(often(next, 15)
				? { priorityClassName: "high", preemptionPolicy: undefined }
				: {}),
		},
	};
}

/** A selector of pods by their label, for affinity and spread. */
const ofApp = (next) => ({ matchLabels: { app: pick(next, ["a", "b"]) } });
const term = (next) => ({
	labelSelector: ofApp(next),
	topologyKey: pick(next, ["kubernetes.io/hostname", "zone"]),
});
const inZone = (next) => ({
	matchExpressions: [
		{
			key: "zone",
			operator: pick(next, ["In", "NotIn"]),
			values: [pick(next, ["z1", "z2"])],
		},
	],
});

/** What a pod asks for besides devices: affinity, spread, ports, gates and extended resources. */
function wishes(next) {
	const nodeAffinity = {
		...(often(next, 20)
			? {
					requiredDuringSchedulingIgnoredDuringExecution: {
						nodeSelectorTerms: [inZone(next)],
					},
				}
			: {}),
		...(often(next, 20)
			? {
					preferredDuringSchedulingIgnoredDuringExecution: [
						{ weight: 1 + next(100), preference: inZone(next) },
					],
				}
			: {}),
	};
	const pods = () => ({
		...(often(next, 20)
			? { requiredDuringSchedulingIgnoredDuringExecution: [term(next)] }
			: {}),
		...(often(next, 15)
			? {
					preferredDuringSchedulingIgnoredDuringExecution: [
						{ weight: 1 + next(100), podAffinityTerm: term(next) },
					],
				}
			: {}),
	});
	const spread = {
		maxSkew: 1 + next(2),
		topologyKey: pick(next, ["kubernetes.io/hostname", "zone"]),
		whenUnsatisfiable: pick(next, [
			"DoNotSchedule",
			"DoNotSchedule",
			"ScheduleAnyway",
		]),
		labelSelector: ofApp(next),
	};
	return {
		spec: {
			affinity: { nodeAffinity, podAffinity: pods(), podAntiAffinity: pods() },
			...(often(next, 30) ? { topologySpreadConstraints: [spread] } : {}),
			...(often(next, 5)
				? { schedulingGates: [{ name: "example.com/wait" }] }
				: {}),
		},
		extended: often(next, 30) ? String(1 + next(2)) : undefined,
		port: often(next, 15) ? 8080 + next(2) : undefined,
	};
}

/** Nodes and pods of a scenario with wishes besides devices; half of all scenarios have them. */
function widened(objects, next) {
	if (!often(next, 50)) return objects;
	return objects.map((object) => {
		if (object.kind === "Node" && often(next, 60)) {
			const amounts = {
				...object.status.allocatable,
				[EXTENDED]: String(1 + next(3)),
			};
			return {
				...object,
				status: { ...object.status, capacity: amounts, allocatable: amounts },
			};
		}
		if (object.kind !== "Pod") return object;
		const { spec, extended, port } = wishes(next);
		const [{ resources, ...container }] = object.spec.containers;
		const wanted = extended
			? {
					requests: { ...resources.requests, [EXTENDED]: extended },
					limits: { [EXTENDED]: extended },
				}
			: {};
		const ports = port
			? { ports: [{ containerPort: 80, hostPort: port }] }
			: {};
		return {
			...object,
			spec: {
				...object.spec,
				...spec,
				containers: [
					{ ...container, ...ports, resources: { ...resources, ...wanted } },
				],
			},
		};
	});
}

/** A random scenario; the same seed gives the same one. */
export function scenario(seed, release) {
	const next = random(seed);
	const cpus = CPUS.slice()
		.sort(() => next(3) - 1)
		.slice(0, 1 + next(4));
	const nodes = cpus.map((cpu, at) => node(next, `n${at}`, cpu));
	const slices = nodes
		.filter(() => often(next, 80))
		.map(({ metadata: { name } }) =>
			slice(next, `${name}-gpu`, { nodeName: name }),
		);
	if (often(next, 25))
		slices.push(
			slice(
				next,
				"net",
				often(next, 50)
					? { allNodes: true }
					: {
							nodeSelector: {
								nodeSelectorTerms: [
									{
										matchExpressions: [
											{ key: "zone", operator: "In", values: ["z1"] },
										],
									},
								],
							},
						},
			),
		);
	const priority = {
		apiVersion: "scheduling.k8s.io/v1",
		kind: "PriorityClass",
		metadata: { name: "high" },
		value: 1000,
		preemptionPolicy: "Never",
	};
	const templates = Array.from({ length: 2 }, (_, at) => ({
		apiVersion: "resource.k8s.io/v1",
		kind: "ResourceClaimTemplate",
		metadata: { name: `t${at}` },
		spec: { spec: claimSpec(next) },
	}));
	const shared = {
		apiVersion: "resource.k8s.io/v1",
		kind: "ResourceClaim",
		metadata: { name: "shared" },
		spec: claimSpec(next),
	};
	const rules = often(next, 15)
		? [
				{
					apiVersion: "resource.k8s.io/v1",
					kind: "DeviceTaintRule",
					metadata: { name: "rule" },
					spec: {
						deviceSelector: { driver: DRIVER, pool: "n0-gpu" },
						taint: { key: "maintenance", effect: "NoSchedule" },
					},
				},
			]
		: [];
	const claims = [
		...templates.map(({ metadata }) => ({
			resourceClaimTemplateName: metadata.name,
		})),
		{ resourceClaimName: "shared" },
	];
	const pods = Array.from({ length: 2 + next(4) }, (_, at) =>
		pod(next, `p${at}`, claims),
	);
	return {
		id: `random/${seed}`,
		topic: "random",
		release,
		gates: "",
		objects: [
			...nodes,
			deviceClass,
			priority,
			...slices,
			...rules,
			...templates,
			shared,
			...pods,
		],
	};
}

/**
 * A random scenario whose pods all wait when the scheduler starts. Each has a priority of its own: the scheduler's queue gets pods of one
 * priority in no order.
 */
export function scenarioAtOnce(seed, release) {
	const { objects, ...rest } = scenario(seed, release);
	const pods = objects.filter(({ kind }) => kind === "Pod");
	const next = random(seed + 1);
	const values = pods.map((_, at) => at + 1).sort(() => next(3) - 1);
	const classes = values.map((value) => ({
		apiVersion: "scheduling.k8s.io/v1",
		kind: "PriorityClass",
		metadata: { name: `priority-${value}` },
		value,
		preemptionPolicy: "Never",
	}));
	const ranked = pods.map((pod, at) => ({
		...pod,
		spec: { ...pod.spec, priorityClassName: `priority-${values[at]}` },
	}));
	return {
		...rest,
		objects: widened(
			[...objects.filter(({ kind }) => kind !== "Pod"), ...classes, ...ranked],
			next,
		),
		together: true,
	};
}

/** An object with its keys in order, as text. */
export const text = (value) =>
	JSON.stringify(value, (_, part) =>
		part && typeof part === "object" && !Array.isArray(part)
			? Object.fromEntries(
					Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)),
				)
			: part,
	);

/** A device of an allocation, without the random share. */
const device = ({ request, driver, pool, device: name, shareID }) => ({
	request,
	driver,
	pool,
	device: name,
	shared: Boolean(shareID),
});

export const devicesOf = (results) => (results ?? []).map(device);

/** How an answer of claimkit differs from a decision; undefined if it does not. */
function contradiction(
	account,
	{ node: chosen, message, notConsidered },
	allocated,
) {
	if (account.before?.code === "Skip") return undefined; // the pod uses no devices
	if (account.before) {
		if (account.before.stage === "preEnqueue")
			return notConsidered
				? undefined
				: `claimkit: not considered (${account.before.message})`;
		return message?.includes(account.before.message)
			? undefined
			: `claimkit: before any node: ${account.before.message}`;
	}
	if (notConsidered) return "claimkit: considered";
	if (chosen !== null) {
		const found = account.nodes.find(({ name }) => name === chosen);
		if (found?.verdict !== "allocated")
			return `claimkit on ${chosen}: ${found?.verdict} ${found?.message}`;
		const ours = text(
			(found.allocations ?? []).map((one) => devicesOf(one.devices.results)),
		);
		return ours === text(allocated)
			? undefined
			: `devices on ${chosen}\n  scheduler ${text(allocated)}\n  claimkit  ${ours}`;
	}
	// Other plugins refuse nodes before the devices are looked at, so the message counts at most the nodes without devices.
	for (const reason of [
		"cannot allocate all claims",
		"resourceclaim not available on the node",
	]) {
		const counted = Number(
			new RegExp(`(\\d+) ${reason}`).exec(
				message?.split("preemption:")[0] ?? "",
			)?.[1] ?? 0,
		);
		const without = account.nodes.filter(
			(one) => one.message === reason,
		).length;
		if (counted > without)
			return `the scheduler counts ${counted} nodes with "${reason}", claimkit ${without}`;
	}
	return undefined;
}

/** Watches the decisions of one scenario; returns how many there were, those in between which a claim changed, and those that claimkit contradicts. */
export function watcher(release) {
	const decisions = [];
	const result = { raced: 0, wrong: [] };
	const watch = (pod, before, decision, claims) => {
		const names = new Set(
			(pod.spec.resourceClaims ?? []).map(
				({ name, resourceClaimName }) =>
					resourceClaimName ?? `${pod.metadata.name}/${name}`,
			),
		);
		const taken = new Set(
			before
				.filter(
					({ kind, status }) => kind === "ResourceClaim" && status?.allocation,
				)
				.map(({ metadata }) => metadata.name),
		);
		// Pods that wait may allocate a shared claim, or give it back, between the look at the cluster and the decision.
		const was = new Map(
			before
				.filter(({ kind }) => kind === "ResourceClaim")
				.map(({ metadata, status }) => [
					metadata.name,
					text(status?.allocation),
				]),
		);
		const raced = [...names]
			.filter((name) => claims.has(name))
			.map((name) => claims.get(name))
			.some(({ metadata, status }) => {
				const now = text(status?.allocation);
				const own = status?.reservedFor?.some(
					({ name }) => name === pod.metadata.name,
				);
				return (
					was.has(metadata.name) &&
					was.get(metadata.name) !== now &&
					(was.get(metadata.name) !== undefined || !own)
				);
			});
		if (raced || decision.message?.startsWith("running PreBind plugin")) {
			result.raced += 1;
			return;
		}
		const fresh = [...names].filter(
			(name) => claims.has(name) && !taken.has(claims.get(name).metadata.name),
		);
		const allocated = fresh.map((name) =>
			devicesOf(claims.get(name).status?.allocation?.devices.results),
		);
		decisions.push({ pod: pod.metadata.name, before, decision, allocated });
	};
	const judge = () => {
		const answers = batch(
			decisions.map(({ pod, before }) => ({
				verb: "allocate",
				alone: true,
				release,
				text: JSON.stringify({ apiVersion: "v1", kind: "List", items: before }),
				pod: `default/${pod}`,
				options: { relax: false },
			})),
		);
		decisions.forEach(({ pod, before, decision, allocated }, at) => {
			const account = answers[at].pods.find(
				(one) => one.pod === `default/${pod}`,
			);
			const usesDevices =
				before.find(
					({ kind, metadata }) => kind === "Pod" && metadata.name === pod,
				).spec.resourceClaims?.length > 0;
			const why = account
				? contradiction(account, decision, allocated)
				: usesDevices
					? "claimkit: no account"
					: undefined;
			if (why) result.wrong.push({ pod, why, decision, objects: before });
		});
		return { decisions: decisions.length, ...result };
	};
	return { watch, judge };
}

/** Whether claimkit says that objects decide what becomes of a pod. */
export const isCertain = ({ depends, unsure = [], decidedBy }) =>
	!depends &&
	unsure.length === 0 &&
	(decidedBy === undefined || decidedBy === "scores");

/** UIDs, which differ from run to run. */
const UID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
/** An attempt while another pod's claim was on its way to the server: its end depends on time. */
const RACED = /in the process of being allocated/;

/** How the turn of a pod differs from what the scheduler did; undefined if it does not. */
function contradictsTurn(turn, real, claims, names) {
	// An attempt that ended with an error is repeated after a pause that no scenario waits for.
	if (real.phaseReason === "SchedulerError" && turn.earlier?.length > 0)
		return undefined;
	const bound = ["bound", "preparing"].includes(turn.outcome);
	if (["notConsidered", "gated"].includes(turn.outcome))
		return real.notConsidered || real.phaseReason === "SchedulingGated"
			? undefined
			: `claimkit: ${turn.outcome} (${turn.waitsFor})`;
	if (real.notConsidered) return `claimkit: ${turn.outcome}`;
	if (!bound)
		return real.node === null && real.message === turn.message
			? undefined
			: `claimkit: ${turn.outcome}: ${turn.message}`;
	if (real.node !== turn.node) return `claimkit: on ${turn.node}`;
	const ours = {};
	for (const { claim, request, device: full } of turn.devices) {
		const own = names.get(claim);
		ours[own] ??= [];
		ours[own].push(`${request} = ${full}`);
	}
	for (const [claim, devices] of Object.entries(ours)) {
		const theirs = (claims[claim]?.devices ?? []).map(
			({ request, driver, pool, device: name }) =>
				`${request} = ${driver}/${pool}/${name}`,
		);
		if (text(theirs) !== text(devices))
			return `devices of ${claim}\n  scheduler ${text(theirs)}\n  claimkit  ${text(devices)}`;
	}
	return undefined;
}

/**
 * Compares what the scheduler did with all pods of a scenario with `allocate` on the objects before it started; returns the pods, those
 * about which claimkit is certain, and what it says wrongly of these.
 */
export function judgeWhole(release, before, answers) {
	const [answer] = batch([
		{
			verb: "allocate",
			release,
			text: JSON.stringify({ apiVersion: "v1", kind: "List", items: before }),
			options: { relax: false },
		},
	]);
	const names = new Map(
		before
			.filter(({ kind }) => kind === "ResourceClaim")
			.map((claim) => [
				`${claim.metadata.namespace}/${claim.metadata.name}`,
				nameOf(claim),
			]),
	);
	const result = { pods: 0, certain: 0, raced: 0, wrong: [] };
	if (RACED.test(JSON.stringify(answers.pods))) return { ...result, raced: 1 };
	for (const { pod, turn } of answer.pods.filter((account) => account.turn)) {
		const { later, ...first } = answers.pods[pod.replace("default/", "")];
		result.pods += 1;
		if (!isCertain(turn)) continue;
		result.certain += 1;
		const message =
			turn.message &&
			[...names].reduce(
				(said, [full, name]) =>
					full === `default/${name}`
						? said
						: said.replaceAll(full, `default/<${name}>`),
				turn.message.replace(UID, "<uid>"),
			);
		const why = contradictsTurn(
			{ ...turn, message },
			later ?? first,
			answers.claims,
			names,
		);
		if (why)
			result.wrong.push({
				pod,
				why,
				decision: later ?? first,
				objects: before,
			});
	}
	return result;
}

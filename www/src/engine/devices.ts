import type {
	AllocateAnswer,
	CelAnswer,
	CelDevice,
	CelOptions,
	CelResult,
	CommonOptions,
	Finding,
	FunnelStage,
	Headline,
	NodeAccount,
	NodeRefusal,
	ParsedObject,
	PodAccount,
	PodTurn,
	Range,
	RulesOf,
	Verdict,
} from "claimkit";
import { type Column, inFile, type Matrix, withoutPlace } from "./placement.ts";

/** Why a node gives a pod no devices, in a word that can be counted: a stage of the funnel, or what else decides. */
export interface Lack {
	stage:
		| FunnelStage["stage"]
		| Exclude<NodeAccount["verdict"], "allocated">
		| "conflict"
		| "resources"
		| "before"
		| "leftOut";
	detail: string;
	/** The plugins that refuse the node before its devices count. Absent: none does. */
	refusals?: { plugin: NodeRefusal["plugin"]; words: string }[];
}

/** One pod, or claims without one, and what each node says. */
export interface PodColumn {
	/** `namespace/name`; null: claims that no pod uses. */
	pod: string | null;
	claims: string[];
	column: Column;
	/** By node, as the matrix has them; null where it fits. */
	lacks: (Lack | null)[];
	/** The outcome of the pod where all are placed in turn. */
	turn: PodTurn | null;
	/** The earlier pod of which the nodes say the same. */
	sameAs: string | null;
	/** Why it is not known what becomes of it. */
	unknown: string | null;
}

/** The grid of pods and nodes, which the page draws at once. The details of a cell are requested when it is opened. */
export interface DeviceGrid {
	matrix: Matrix;
	release: string;
	groups: {
		pod: string | null;
		claims: string[];
		before: PodAccount["before"];
	}[];
	/** For each group, why not; null where it is not known yet. */
	known: (PodColumn | null)[];
	mode: AllocateAnswer["mode"];
	/** How far other choices among nodes of the same score were tried. */
	ties: AllocateAnswer["ties"] | null;
	rulesOf: RulesOf | null;
	/** What keeps pods waiting; null where none or only one was placed. */
	headline: Headline | null;
	/** The assumptions of the answer. */
	assumed: string[];
	/** Whether the text has anything of the device family. */
	ours: boolean;
}

/** Pods of a grid to ask about, with their places in it, and the rows of the grid. */
export interface PodsAsked {
	pods: readonly {
		pod: string | null;
		claims: string[];
		object: number;
		name: string;
	}[];
	nodeList: readonly string[];
}

/** The columns of the first of them. */
export interface PodsTold {
	columns: PodColumn[];
	findings: Finding[];
}

/** One pod on one node. */
export interface Account {
	node: NodeAccount | null;
	before: PodAccount["before"];
	claims: string[];
	/** The places of claims, pods and templates. */
	objects: { kind: string; name: string; range: Range }[];
}

const VERDICT: Record<NodeAccount["verdict"], Verdict> = {
	allocated: "Yes",
	none: "No",
	unavailable: "No",
	refused: "No",
	error: "Error",
	"node-error": "Error",
	undecided: "Possible",
};

/** Returns the last part of a name such as `driver/pool/device`. */
export const lastPart = (id: string): string =>
	id.slice(id.lastIndexOf("/") + 1);

/** The devices a pod gets, in the scheduler's order. */
export function devicesGiven(node: NodeAccount): string[] {
	return (node.allocations ?? []).flatMap(({ devices }) =>
		(devices.results ?? []).map(({ device }) => device),
	);
}

const FAMILY = /^resource\.k8s\.io\/v(1|1alpha3|1beta\d+)$/;

/** What plugins other than that of devices say against a node. */
export const otherRefusals = (node: NodeAccount): NodeRefusal[] =>
	(node.refusals ?? []).filter(({ plugin }) => plugin !== "DynamicResources");

/**
 * The verdict on a node as kube-scheduler meets it. It looks at devices last: where another plugin refuses the node, it does not meet
 * an error of theirs.
 */
export function metVerdict(node: NodeAccount): NodeAccount["verdict"] {
	const isError = node.verdict === "error" || node.verdict === "node-error";
	return isError && otherRefusals(node).length > 0 ? "none" : node.verdict;
}

/** The stage at which a request is left with too little, or what else keeps a node from giving devices. */
function lackOf(
	node: NodeAccount,
	all: ReadonlyMap<string, NodeAccount>,
): Lack | null {
	if (node.verdict === "allocated") return null;
	const others = otherRefusals(node);
	// The scheduler looks at devices last: what another plugin says of the node comes first.
	if (others.length > 0) return refusedBy(others);
	if (node.verdict !== "none")
		return { stage: node.verdict, detail: node.message ?? "" };
	const {
		requests,
		conflicts,
		resources = [],
	} = (node.sameAs === null ? undefined : all.get(node.sameAs)) ?? node;
	const failing =
		requests.find(({ why }) => why !== "") ??
		requests.find(({ funnel, wanted }) =>
			funnel.some(({ left }) => left < wanted),
		);
	const stage = failing?.funnel.find(
		({ left }) => left < Math.max(1, failing.wanted),
	);
	if (failing && stage)
		return {
			stage: stage.stage,
			detail:
				stage.stage === "class"
					? failing.class
					: stage.stage === "selector"
						? failing.request
						: "",
		};
	if (resources.length > 0) return { stage: "resources", detail: "" };
	return {
		stage: conflicts.length > 0 ? "conflict" : "none",
		detail: node.message ?? "",
	};
}

/** Plugins whose reasons by the objects are the same on many nodes, and say more than kube-scheduler: which taint. */
const NAMED: ReadonlySet<NodeRefusal["plugin"]> = new Set([
	"NodeUnschedulable",
	"TaintToleration",
]);

function refusedBy(others: readonly NodeRefusal[]): Lack {
	const refusals = others.map(({ plugin, reasons, why }) => ({
		plugin,
		words:
			NAMED.has(plugin) && why.length > 0 ? why.join("; ") : reasons.join(", "),
	}));
	return {
		stage: "refused",
		detail: refusals.map(({ words }) => words).join("; "),
		refusals,
	};
}

/** Returns the reason of a node without an account: the pod was stopped before, or the node is in a group of nodes that refuse it. */
function withoutAccount(pod: PodAccount, name: string): Lack {
	if (pod.before) return { stage: "before", detail: pod.before.message };
	const group = pod.turn?.refused.find(({ nodes }) => nodes.includes(name));
	return group
		? { stage: "refused", detail: group.reasons.join("; ") }
		: { stage: "leftOut", detail: "" };
}

/** The devices that a pod gets in its turn. */
const turnDevices = ({ devices }: PodTurn): string =>
	devices.map(({ device }) => lastPart(device)).join(", ");

/** Returns the column of one pod: the nodes' answers. `accounts` are those of the earlier pod where they are the same. */
export function columnOf(
	pod: PodAccount,
	object: number,
	nodes: readonly string[],
	name: string,
	accounts: readonly NodeAccount[] = pod.nodes,
): PodColumn {
	const byName = new Map(accounts.map((node) => [node.name, node]));
	const found = nodes.map((node) => byName.get(node));
	const lacks = found.map((node, at) =>
		node ? lackOf(node, byName) : withoutAccount(pod, nodes[at] ?? ""),
	);
	const verdicts = found.map(
		(node, at): Verdict =>
			node
				? VERDICT[metVerdict(node)]
				: lacks[at]?.stage === "leftOut"
					? "Possible"
					: "No",
	);
	const count = (wanted: Verdict) =>
		verdicts.filter((verdict) => verdict === wanted).length;
	const turn = pod.turn ?? null;
	return {
		pod: pod.pod,
		claims: pod.claims,
		lacks,
		turn,
		sameAs: pod.sameAs ?? null,
		unknown: pod.unknown ?? null,
		column: {
			object,
			kind: pod.pod === null ? "Claims" : "Pod",
			name,
			...(pod.pod === null
				? {}
				: { namespace: pod.pod.slice(0, pod.pod.indexOf("/")) }),
			verdicts,
			reasons: found.map((node, at) =>
				node ? (node.message ?? node.text) : (lacks[at]?.detail ?? ""),
			),
			words: found.map((node) =>
				node === undefined || node.verdict !== "allocated"
					? ""
					: turn?.node === node.name
						? turnDevices(turn)
						: devicesGiven(node).join(", "),
			),
			...(turn?.node ? { chosen: nodes.indexOf(turn.node) } : {}),
			counts: {
				yes: count("Yes"),
				possible: count("Possible"),
				no: count("No"),
				error: count("Error"),
			},
			selectors: [],
		},
	};
}

/** Names of the columns: short ones where they are different. */
export function columnNames(pods: readonly PodAccount[]): string[] {
	const short = pods.map(({ pod }) => lastPart(pod ?? ""));
	const counts = new Map<string, number>();
	for (const name of short) counts.set(name, (counts.get(name) ?? 0) + 1);
	return pods.map((pod, at) =>
		pod.pod === null
			? pod.claims.join(", ")
			: (counts.get(short[at] ?? "") ?? 0) > 1
				? pod.pod
				: (short[at] ?? ""),
	);
}

/** A column whose pod was not asked about yet. */
function waiting(pod: PodAccount, object: number, name: string): Column {
	return {
		object,
		kind: pod.pod === null ? "Claims" : "Pod",
		name,
		...(pod.pod === null
			? {}
			: { namespace: pod.pod.slice(0, pod.pod.indexOf("/")) }),
		verdicts: [],
		reasons: [],
		counts: { yes: 0, possible: 0, no: 0, error: 0 },
		selectors: [],
	};
}

/**
 * Identifies a pod, or claims without one. Answers list pods in different orders: the text's where each is placed alone, the
 * scheduler's where they are placed in turn.
 */
export const podKey = ({
	pod,
	claims,
}: {
	pod: string | null;
	claims: readonly string[];
}): string => pod ?? `claims ${claims.join(" ")}`;

/** Returns the columns of all pods of an answer. Pods that share an earlier pod's account get that account. */
export function columnsOf(
	answer: AllocateAnswer,
	nodes: readonly string[],
	names: readonly string[],
): PodColumn[] {
	const accounts = new Map(answer.pods.map((pod) => [pod.pod, pod.nodes]));
	return answer.pods.map((pod, object) =>
		columnOf(
			pod,
			object,
			nodes,
			names[object] ?? "",
			pod.sameAs === undefined ? pod.nodes : (accounts.get(pod.sameAs) ?? []),
		),
	);
}

/** Reduces an allocation to the grid. `listed`: it was asked about no node, only for the pods there are. */
export function compactAllocation(
	answer: AllocateAnswer,
	listed = false,
): DeviceGrid {
	const nodes = [
		...new Set(answer.pods.flatMap((pod) => pod.nodes.map(({ name }) => name))),
	];
	const named = answer.objects.flatMap(({ kind, name }) =>
		kind === "Node" && name ? [name] : [],
	);
	for (const name of named) if (!nodes.includes(name)) nodes.push(name);
	const names = columnNames(answer.pods);
	const columns = listed
		? answer.pods.map((pod, object) =>
				pod.before === null
					? null
					: columnOf(pod, object, nodes, names[object] ?? ""),
			)
		: columnsOf(answer, nodes, names);
	// An answer that was asked about no node says that nothing is checked, although there are pods and nodes.
	const findings = answer.findings.filter(
		({ code }) =>
			!(
				listed &&
				nodes.length > 0 &&
				answer.pods.length > 0 &&
				code === "nothing-checked"
			),
	);
	return {
		matrix: {
			ok: answer.ok,
			findings: findings.map(withoutPlace),
			nodes,
			labels: nodes.map(() => null),
			columns: columns.map(
				(known, object) =>
					known?.column ??
					waiting(answer.pods[object]!, object, names[object] ?? ""),
			),
			columnCount: columns.length,
			contexts: [],
		},
		release: answer.release,
		groups: answer.pods.map(({ pod, claims, before }) => ({
			pod,
			claims,
			before,
		})),
		known: columns,
		mode: answer.mode,
		ties: answer.ties ?? null,
		rulesOf: answer.rulesOf ?? null,
		headline: answer.headline ?? null,
		assumed: answer.assumed ?? [],
		ours: answer.objects.some(({ apiVersion }) => FAMILY.test(apiVersion)),
	};
}

export function accountOf(answer: AllocateAnswer, name: string): Account {
	const pod = answer.pods[0];
	const objects = answer.objects.flatMap(
		({ kind, name: object, namespace, range, file }) =>
			range
				? [
						{
							kind,
							name: namespace ? `${namespace}/${object}` : object,
							range: inFile(range, file),
						},
					]
				: [],
	);
	return {
		node: pod?.nodes.find((node) => node.name === name) ?? null,
		before: pod?.before ?? null,
		claims: pod?.claims ?? [],
		objects,
	};
}

/** A device of the text as `cel` takes it. */
interface Device extends CelDevice {
	id: string;
}

export type Json = Record<string, unknown>;
const list = (value: unknown): Json[] =>
	Array.isArray(value)
		? value.filter((item) => typeof item === "object" && item !== null)
		: [];
const map = (value: unknown): Json =>
	typeof value === "object" && value !== null ? (value as Json) : {};
const text = (value: unknown): string =>
	typeof value === "string" ? value : "";

/** The devices of all slices of the text. */
export function devicesIn(objects: readonly ParsedObject[]): Device[] {
	return objects.flatMap(({ kind, apiVersion, object }) => {
		if (kind !== "ResourceSlice" || !FAMILY.test(apiVersion)) return [];
		const spec = map(map(object).spec);
		const driver = text(spec.driver);
		const pool = text(map(spec.pool).name);
		return list(spec.devices).map((device): Device => {
			// v1beta1 and v1alpha3 have them one level deeper.
			const basic = device.basic === undefined ? device : map(device.basic);
			const shared = basic.allowMultipleAllocations;
			// The engine has read them, and checks them again.
			const [attributes, capacity] = [
				map(basic.attributes) as CelDevice["attributes"],
				map(basic.capacity) as CelDevice["capacity"],
			];
			return {
				id: `${driver}/${pool}/${text(device.name)}`,
				driver,
				attributes,
				capacity,
				...(typeof shared === "boolean"
					? { allowMultipleAllocations: shared }
					: {}),
			};
		});
	});
}

/** One device for each driver, with every attribute and capacity that its devices have: enough to complete their names. */
export function publishedNames(objects: readonly ParsedObject[]): string {
	const drivers = new Map<string, Pick<CelDevice, "attributes" | "capacity">>();
	for (const { driver, attributes, capacity } of devicesIn(objects)) {
		const known = drivers.get(driver ?? "");
		drivers.set(driver ?? "", {
			attributes: { ...attributes, ...known?.attributes },
			capacity: { ...capacity, ...known?.capacity },
		});
	}
	return [...drivers]
		.map(([driver, device]) =>
			JSON.stringify({
				apiVersion: "resource.k8s.io/v1",
				kind: "ResourceSlice",
				metadata: { name: driver },
				spec: {
					driver,
					allNodes: true,
					pool: { name: driver, generation: 1, resourceSliceCount: 1 },
					devices: [{ name: "device", ...device }],
				},
			}),
		)
		.join("\n---\n");
}

/** A selector of the text: of a class, or of a request of a claim or template. */
export interface Selector {
	kind: string;
	/** `namespace/name`, or the name alone where there is no namespace. */
	of: string;
	/** The request of a claim: `request` or `request/subrequest`. */
	request: string;
	/** The class of the request, whose own selectors are asked first. */
	class: string;
	index: number;
	expression: string;
}

function expressions(
	owner: Json,
	kind: string,
	of: string,
	request: string,
): Selector[] {
	return list(owner.selectors).map((selector, index) => ({
		kind,
		of,
		request,
		class: text(owner.deviceClassName),
		index,
		expression: text(map(selector.cel).expression),
	}));
}

export function selectorsIn(objects: readonly ParsedObject[]): Selector[] {
	return objects
		.flatMap(({ kind, name, namespace, apiVersion, object }) => {
			if (!FAMILY.test(apiVersion)) return [];
			const of = namespace ? `${namespace}/${name}` : name;
			const outer = map(map(object).spec);
			if (kind === "DeviceClass") return expressions(outer, kind, of, "");
			const spec =
				kind === "ResourceClaimTemplate"
					? map(outer.spec)
					: kind === "ResourceClaim"
						? outer
						: {};
			return list(map(spec.devices).requests).flatMap((request) => {
				const requestName = text(request.name);
				const subs = list(request.firstAvailable).flatMap((sub) =>
					expressions(sub, kind, of, `${requestName}/${text(sub.name)}`),
				);
				return [
					...expressions(
						request.exactly === undefined ? request : map(request.exactly),
						kind,
						of,
						requestName,
					),
					...subs,
				];
			});
		})
		.filter(({ expression }) => expression !== "");
}

/** A selector with its result for one device. */
export interface Judged extends Selector {
	error?: string;
	result?: CelResult;
}

/** The devices that an expression's list shows. */
export interface Listed {
	show: "all" | "match" | "other";
	/** Parts of names, all of which a device has. */
	words: string;
	/** Devices that the expression must select, or must not. */
	cases: readonly Case[];
	/**
	 * The class whose devices are asked, as the scheduler does; empty: none is known. An expression in the text is tried on the devices
	 * that its request can use. Null: every device is asked.
	 */
	among: string | null;
}

/** A device that an expression must select, or must not select. */
export interface Case {
	device: string;
	match: boolean;
}

/** A case with the result on its device; absent if the device is, or if the expression was not run. */
export interface JudgedCase extends Case {
	found: boolean;
	result?: CelResult;
}

/** A device with the result of the expression; absent if that was not run on it. */
export interface TriedDevice {
	id: string;
	result?: CelResult;
}

/** The results of an expression on the devices of a text. */
export interface Tried {
	compile: CelAnswer["compile"];
	/** The first of those that are listed. */
	devices: TriedDevice[];
	/** The class whose devices are counted and listed; empty: all. */
	among: string;
	deviceCount: number;
	/** The number of matches among these devices. */
	matchCount: number;
	errorCount: number;
	/** The number of devices that pass the filter of the list. */
	listedCount: number;
	cases: JudgedCase[];
	/** The device that is shown, with every part's value. */
	chosen: { id: string; result: CelResult } | null;
	/** What to write against the error on that device. */
	help: string | undefined;
	/** Each expression of the text once. */
	selectors: (Selector & { more: number })[];
	findings: Finding[];
}

type Cel = (expression: string, options: CelOptions) => CelAnswer;

/** Whether an expression selects a device. */
export const selects = (result: CelResult | undefined): boolean =>
	result !== undefined && "match" in result && result.match;

/** Whether the result on a device of a case is the one that is wanted. */
export const holds = ({ match, result }: JudgedCase): boolean =>
	result !== undefined && "match" in result && result.match === match;

/** More devices than this nobody reads one by one. */
const MOST_DEVICES = 500;

/** Objects that were made from one template have its selectors. */
function distinct(
	selectors: readonly Selector[],
): (Selector & { more: number })[] {
	const first = new Map<string, Selector & { more: number }>();
	for (const selector of selectors) {
		const known = first.get(selector.expression);
		if (known) known.more += 1;
		else first.set(selector.expression, { ...selector, more: 0 });
	}
	return [...first.values()];
}

/** A device, and the request of a claim and the class whose selectors are asked about it. */
export interface DeviceAsked {
	device: string;
	claim: string;
	request: string;
	class: string;
}

export function judge(
	objects: readonly ParsedObject[],
	asked: DeviceAsked,
	cel: Cel,
	server: CommonOptions,
): Judged[] {
	const device = devicesIn(objects).find(({ id }) => id === asked.device);
	if (!device) return [];
	const all = selectorsIn(objects);
	const own = all.filter(
		({ kind, of, request }) =>
			kind === "ResourceClaim" &&
			of === asked.claim &&
			request === asked.request,
	);
	// A claim that is made from a template has the template's requests.
	const template = all.filter(
		({ kind, request }) =>
			kind === "ResourceClaimTemplate" && request === asked.request,
	);
	const selectors = [
		...all.filter(
			({ kind, of }) => kind === "DeviceClass" && of === asked.class,
		),
		...(own.length > 0 ? own : template),
	];
	return selectors.map((selector) => {
		const { compile, results } = cel(selector.expression, {
			...server,
			stored: true,
			trace: true,
			devices: [withoutId(device)],
		});
		const result = results?.[0];
		return {
			...selector,
			...(compile.ok ? {} : { error: compile.error }),
			...(result ? { result } : {}),
		};
	});
}

const withoutId = ({ id, ...device }: Device): CelDevice => ({
	...device,
	name: lastPart(id),
});

/** Asks about an expression on devices, all at once: what is said of an expression depends on all of them. */
const askOn = (
	devices: readonly Device[],
	expression: string,
	cel: Cel,
	server: CelOptions,
): CelAnswer => cel(expression, { ...server, devices: devices.map(withoutId) });

/**
 * Returns the class of the requests that have an expression; empty for one of a class, where requests have several classes, or where
 * the text lacks the class. Undefined for an expression that is not in the text.
 */
function classFor(
	expression: string,
	selectors: readonly Selector[],
	objects: readonly ParsedObject[],
): string | undefined {
	const [found, ...others] = new Set(
		selectors
			.filter((selector) => selector.expression === expression)
			.map((selector) => selector.class),
	);
	if (found === undefined) return undefined;
	const there = objects.some(
		({ kind, name }) => kind === "DeviceClass" && name === found,
	);
	return others.length === 0 && there ? found : "";
}

/** Returns the devices that all selectors of a class select; all devices without a class. */
function devicesOfClass(
	all: readonly Device[],
	name: string,
	selectors: readonly Selector[],
	cel: Cel,
	server: CommonOptions,
): ReadonlySet<string> {
	let left = all;
	for (const { kind, of, expression } of selectors) {
		if (kind !== "DeviceClass" || of !== name) continue;
		const { results } = askOn(left, expression, cel, {
			...server,
			stored: true,
		});
		left = left.filter((_, index) => selects(results?.[index]));
	}
	return new Set(left.map(({ id }) => id));
}

/** Returns what helps against the error of a result: it is said of the first device with it. */
function helpFor(
	failed: CelResult | undefined,
	results: readonly CelResult[],
): string | undefined {
	if (!failed || !("error" in failed)) return undefined;
	const withHelp = results.find(
		(result) => "error" in result && result.error === failed.error,
	);
	return withHelp?.help;
}

export function tryOut(
	objects: readonly ParsedObject[],
	expression: string,
	wanted: string,
	cel: Cel,
	server: CommonOptions,
	{ show, words, cases, among: chosenClass }: Listed,
): Tried {
	const all = devicesIn(objects);
	const selectors = selectorsIn(objects);
	const among =
		chosenClass === null
			? ""
			: (classFor(expression, selectors, objects) ?? chosenClass);
	const inside = devicesOfClass(all, among, selectors, cel, server);
	const asked = askOn(all, expression, cel, server);
	const results = asked.results ?? [];
	const rows = all.map(({ id }, index): TriedDevice => {
		const result = results[index];
		return { id, ...(result ? { result } : {}) };
	});
	const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
	const counted = rows.filter(({ id }) => inside.has(id));
	const listed = counted.filter(
		({ id, result }) =>
			(show === "all" || (show === "match") === selects(result)) &&
			parts.every((part) => id.toLowerCase().includes(part)),
	);
	const chosen =
		all.find(({ id }) => id === wanted) ??
		all.find(({ id }) => id === listed[0]?.id) ??
		all.find(({ id }) => inside.has(id));
	const traced =
		chosen && asked.compile.ok
			? cel(expression, {
					...server,
					trace: true,
					devices: [withoutId(chosen)],
				}).results?.[0]
			: undefined;
	return {
		compile: asked.compile,
		devices: listed.slice(0, MOST_DEVICES),
		among,
		deviceCount: counted.length,
		matchCount: counted.filter(({ result }) => selects(result)).length,
		errorCount: counted.filter(({ result }) => result && "error" in result)
			.length,
		listedCount: listed.length,
		cases: cases.map((wanted) => {
			const row = rows.find(({ id }) => id === wanted.device);
			return {
				...wanted,
				found: row !== undefined,
				...(row?.result ? { result: row.result } : {}),
			};
		}),
		chosen: chosen && traced ? { id: chosen.id, result: traced } : null,
		help: helpFor(traced, results),
		selectors: distinct(selectors),
		findings: asked.findings,
	};
}

import type { Release } from "claimkit";
import type { Language } from "../i18n/index.ts";
import type { Role } from "../state/files.ts";
import type { Operation, PATCH_TYPES, Panel } from "../state/options.ts";

export type Group =
	| "start"
	| "devices"
	| "kinds"
	| "mistakes"
	| "nodes"
	| "requests";

export interface Example {
	id: string;
	group: Group;
	title: Record<Language, string>;
	/** One sentence: what to see. */
	sentence: Record<Language, string>;
	panel?: Panel;
	release?: Release;
	operation?: Operation;
	patchType?: (typeof PATCH_TYPES)[number];
	target?: string;
	/** More of the panels' options. */
	options?: Record<string, unknown>;
	readonly files: { name: string; role: Role; text: string }[];
}

const texts = import.meta.glob<string>("./*.yaml", {
	query: "?raw",
	import: "default",
	eager: true,
});

function text(name: string): string {
	const found = texts[`./${name}.yaml`];
	if (found === undefined) throw new Error(`no example text ${name}`);
	return found;
}

const manifest = (name: string, as = name) => ({
	name: `${as}.yaml`,
	role: "manifest" as const,
	text: text(name),
});
const nodesFile = () => ({
	name: "nodes.yaml",
	role: "nodes" as const,
	text: text("nodes"),
});

export const sampleNodes = (): string => text("nodes");

let fleetText = "";

/** A fleet as `kubectl get nodes -o json` prints it, reduced to what placement looks at. */
function fleet(): string {
	fleetText ||= makeFleet(5000);
	return fleetText;
}

function makeFleet(count: number): string {
	const models = ["a100", "h100", "t4", "l4"];
	const zones = ["eu-west-1a", "eu-west-1b", "eu-west-1c"];
	const items = Array.from({ length: count }, (_, i) => {
		const gpu = i % 5 !== 4;
		return {
			apiVersion: "v1",
			kind: "Node",
			metadata: {
				name: `node-${String(i + 1).padStart(4, "0")}`,
				labels: {
					"kubernetes.io/arch": i % 11 === 0 ? "arm64" : "amd64",
					"topology.kubernetes.io/zone": zones[i % 3],
					...(gpu
						? {
								"gpu.example.com/model": models[i % 4],
								"gpu.example.com/count": String(
									2 ** (1 + (Math.floor(i / 12) % 3)),
								),
							}
						: {}),
				},
			},
		};
	});
	return `${JSON.stringify({ apiVersion: "v1", kind: "List", items }, null, 1)}\n`;
}

export const FIRST_EXAMPLE = "first";

export const EXAMPLES: readonly Example[] = [
	{
		id: "first",
		group: "start",
		title: {
			en: "Three mistakes in a claim",
			"zh-Hans": "一个资源申领中的三处错误",
		},
		sentence: {
			en: "Mend them, then see in the Devices panel which device the pod gets.",
			"zh-Hans": "改正之后，在“设备”面板中查看 Pod 得到哪个设备。",
		},
		get files() {
			return [manifest("first", "claim")];
		},
	},
	{
		id: "three-mistakes",
		group: "mistakes",
		title: {
			en: "Three mistakes in a claim of v1alpha2",
			"zh-Hans": "v1alpha2 资源申领中的三处错误",
		},
		sentence: {
			en: "kubectl and the API server each find something; the exact Status stands below.",
			"zh-Hans":
				"kubectl 和 API 服务器各自发现问题；下方是服务器返回的 Status 原文。",
		},
		get files() {
			return [manifest("three-mistakes", "claim"), nodesFile()];
		},
	},
	{
		id: "placement",
		group: "start",
		title: {
			en: "Where can this pod run?",
			"zh-Hans": "这个 Pod 能在哪里运行？",
		},
		sentence: {
			en: "Select a cell to see which requirement a node misses.",
			"zh-Hans": "选择一个单元格，查看节点不满足哪一条要求。",
		},
		panel: "nodes",
		get files() {
			return [manifest("placement", "pod"), nodesFile()];
		},
	},
	{
		id: "gpu-pod",
		group: "start",
		title: {
			en: "Which devices does a pod get, and why none?",
			"zh-Hans": "Pod 得到哪些设备，为什么得不到？",
		},
		sentence: {
			en: "Two pods on three nodes: one GPU is taken, one too small, one tainted. Select a cell.",
			"zh-Hans": "两个 Pod、三个节点：GPU 被占用、太小或带污点。请选择单元格。",
		},
		panel: "devices",
		options: { devices: { pod: "training/trainer", node: "node-3" } },
		get files() {
			return [manifest("gpu-pod", "cluster")];
		},
	},
	{
		id: "cel",
		group: "start",
		title: { en: "Try a device selector", "zh-Hans": "试用设备选择算符" },
		sentence: {
			en: "A CEL expression on every device of the text, with the value of each part.",
			"zh-Hans": "CEL 表达式作用于文本中的每个设备，并显示各部分的值。",
		},
		panel: "cel",
		options: {
			expression:
				'device.attributes["gpu.example.com"].model == "a100" &&\ndevice.capacity["gpu.example.com"].memory.compareTo(quantity("80Gi")) >= 0',
		},
		get files() {
			return [manifest("gpu-pod", "cluster")];
		},
	},
	{
		id: "v1alpha1",
		group: "start",
		title: {
			en: "From v1alpha1 to v1alpha2",
			"zh-Hans": "从 v1alpha1 到 v1alpha2",
		},
		sentence: {
			en: "Only the lines that must change do; comments, order and quotes stay.",
			"zh-Hans": "只改必须改的行；注释、顺序和引号保持不变。",
		},
		panel: "convert",
		target: "resource.k8s.io/v1alpha2",
		get files() {
			return [manifest("v1alpha1", "claim")];
		},
	},
	{
		id: "v1beta1",
		group: "start",
		title: { en: "From v1beta1 to v1", "zh-Hans": "从 v1beta1 到 v1" },
		sentence: {
			en: "Requests and devices change their shape; comments and quotes stay.",
			"zh-Hans": "请求和设备的结构改变；注释和引号保持不变。",
		},
		panel: "convert",
		target: "resource.k8s.io/v1",
		get files() {
			return [manifest("v1beta1", "template")];
		},
	},
	{
		id: "migrate",
		group: "start",
		title: { en: "From v1alpha2 to v1", "zh-Hans": "从 v1alpha2 到 v1" },
		sentence: {
			en: "Classes, parameters and pods move along; what no tool can know is listed as assumed.",
			"zh-Hans": "类、参数和 Pod 一并迁移；工具无法得知的内容会列为假设。",
		},
		panel: "convert",
		target: "resource.k8s.io/v1",
		get files() {
			return [manifest("template")];
		},
	},
	{
		id: "blog",
		group: "mistakes",
		title: {
			en: "A dash instead of a separator",
			"zh-Hans": "分隔符变成了破折号",
		},
		sentence: {
			en: "`–--` is not `---`, and `name` belongs under `metadata`.",
			"zh-Hans": "`–--` 不是 `---`，而且 `name` 应放在 `metadata` 之下。",
		},
		get files() {
			return [manifest("blog")];
		},
	},
	{
		id: "devices",
		group: "mistakes",
		title: {
			en: "spec.devices under v1alpha1",
			"zh-Hans": "v1alpha1 中的 spec.devices",
		},
		sentence: {
			en: "A field of a later version; the class name is missing.",
			"zh-Hans": "这是后来版本的字段；缺少资源类名称。",
		},
		get files() {
			return [manifest("devices", "claim")];
		},
	},
	{
		id: "no-node",
		group: "mistakes",
		title: {
			en: "A selector that matches no node",
			"zh-Hans": "不匹配任何节点的选择算符",
		},
		sentence: {
			en: "Every node says No: one letter too many in a label key.",
			"zh-Hans": "所有节点都不可用：标签键多了一个字母。",
		},
		panel: "nodes",
		get files() {
			return [manifest("no-node", "class"), nodesFile()];
		},
	},
	{
		id: "losses",
		group: "mistakes",
		title: {
			en: "What v1alpha1 cannot hold",
			"zh-Hans": "v1alpha1 容纳不下的内容",
		},
		sentence: {
			en: "Converting down is refused until you allow the losses it lists.",
			"zh-Hans": "向下转换会被拒绝，除非允许所列的丢失。",
		},
		panel: "convert",
		target: "resource.k8s.io/v1alpha1",
		get files() {
			return [manifest("losses", "claim")];
		},
	},
	{
		id: "cluster",
		group: "kinds",
		title: {
			en: "DeviceClass, ResourceClaim, ResourceSlice (v1)",
			"zh-Hans": "DeviceClass、ResourceClaim、ResourceSlice（v1）",
		},
		sentence: {
			en: "The kinds of 1.34 and later, with pods and nodes.",
			"zh-Hans": "1.34 及以后的各类别，以及 Pod 和节点。",
		},
		get files() {
			return [manifest("gpu-pod", "cluster")];
		},
	},
	{
		id: "taint-rule",
		group: "kinds",
		title: { en: "DeviceTaintRule", "zh-Hans": "DeviceTaintRule" },
		sentence: {
			en: "Keeps pods off devices of a driver, a pool or a class.",
			"zh-Hans": "使 Pod 避开某个驱动、池或类的设备。",
		},
		get files() {
			return [manifest("taint-rule")];
		},
	},
	{
		id: "claim",
		group: "kinds",
		title: { en: "ResourceClaim", "zh-Hans": "ResourceClaim" },
		sentence: {
			en: "Allocated and reserved; on create its status is dropped.",
			"zh-Hans": "已分配并已预留；创建时其 status 会被丢弃。",
		},
		get files() {
			return [manifest("claim")];
		},
	},
	{
		id: "class",
		group: "kinds",
		title: { en: "ResourceClass", "zh-Hans": "ResourceClass" },
		sentence: {
			en: "Cluster-wide, with a driver, parameters and the nodes that suit.",
			"zh-Hans": "集群范围：驱动、参数与适合的节点。",
		},
		get files() {
			return [manifest("class"), nodesFile()];
		},
	},
	{
		id: "template",
		group: "kinds",
		title: {
			en: "ResourceClaimTemplate and Pod",
			"zh-Hans": "ResourceClaimTemplate 与 Pod",
		},
		sentence: {
			en: "A claim for each pod; the spec sits at `spec.spec`.",
			"zh-Hans": "每个 Pod 一个资源申领；规约位于 `spec.spec`。",
		},
		get files() {
			return [manifest("template"), nodesFile()];
		},
	},
	{
		id: "scheduling",
		group: "kinds",
		title: { en: "PodSchedulingContext", "zh-Hans": "PodSchedulingContext" },
		sentence: {
			en: "How scheduler and driver agree on a node; PodScheduling in v1alpha1.",
			"zh-Hans": "调度器与驱动如何商定节点；在 v1alpha1 中叫 PodScheduling。",
		},
		get files() {
			return [manifest("scheduling"), nodesFile()];
		},
	},
	{
		id: "structured",
		group: "kinds",
		title: {
			en: "Structured parameters (1.30)",
			"zh-Hans": "结构化参数（1.30）",
		},
		sentence: {
			en: "ResourceSlice, ResourceClaimParameters, ResourceClassParameters; choose 1.29 to see them refused.",
			"zh-Hans": "三种新类别；选择 1.29 可看到它们被拒绝。",
		},
		get files() {
			return [manifest("structured")];
		},
	},
	{
		id: "many-pods",
		group: "devices",
		title: { en: "Several pods at once", "zh-Hans": "多个 Pod 同时等待" },
		sentence: {
			en: "Placed together the last one waits; each alone would fit.",
			"zh-Hans": "一起放置时最后一个要等待；各自单独都放得下。",
		},
		panel: "devices",
		get files() {
			return [manifest("many-pods", "cluster")];
		},
	},
	{
		id: "counters",
		group: "devices",
		title: {
			en: "Partitions and shared counters",
			"zh-Hans": "分区与共享计数器",
		},
		sentence: {
			en: "A whole GPU, where one of its partitions is in use.",
			"zh-Hans": "请求整个 GPU，而它的一个分区已被占用。",
		},
		panel: "devices",
		get files() {
			return [manifest("counters", "cluster")];
		},
	},
	{
		id: "capacity",
		group: "devices",
		title: { en: "Consumable capacity", "zh-Hans": "可消耗容量" },
		sentence: {
			en: "A share of memory, rounded up by the device's own steps.",
			"zh-Hans": "请求一份显存，按设备的步长向上取整。",
		},
		panel: "devices",
		get files() {
			return [manifest("capacity", "cluster")];
		},
	},
	{
		id: "prioritized",
		group: "devices",
		title: { en: "Prioritized list", "zh-Hans": "优先级列表" },
		sentence: {
			en: "One H100, or else two A100.",
			"zh-Hans": "一个 H100，否则两个 A100。",
		},
		panel: "devices",
		get files() {
			return [manifest("prioritized", "cluster")];
		},
	},
	{
		id: "match-attribute",
		group: "devices",
		title: { en: "GPU and NIC together", "zh-Hans": "GPU 与网卡同源" },
		sentence: {
			en: "`matchAttribute`: both on one PCIe root.",
			"zh-Hans": "`matchAttribute`：两者位于同一 PCIe 根。",
		},
		panel: "devices",
		get files() {
			return [manifest("match-attribute", "cluster")];
		},
	},
	{
		id: "extended",
		group: "devices",
		title: { en: "Extended resource", "zh-Hans": "扩展资源" },
		sentence: {
			en: "`example.com/gpu: 2` without any claim.",
			"zh-Hans": "没有申领，只写 `example.com/gpu: 2`。",
		},
		panel: "devices",
		get files() {
			return [manifest("extended", "cluster")];
		},
	},
	{
		id: "taints",
		group: "devices",
		title: { en: "Taints and tolerations", "zh-Hans": "污点与容忍度" },
		sentence: {
			en: "Of the driver, of a rule, and one that the request tolerates.",
			"zh-Hans": "来自驱动、来自规则，以及请求所容忍的。",
		},
		panel: "devices",
		get files() {
			return [manifest("taints", "cluster")];
		},
	},
	{
		id: "admin-access",
		group: "devices",
		title: { en: "Admin access", "zh-Hans": "管理访问" },
		sentence: {
			en: "A monitor sees devices that others hold.",
			"zh-Hans": "监控程序查看他人占用的设备。",
		},
		panel: "devices",
		get files() {
			return [manifest("admin-access", "cluster")];
		},
	},
	{
		id: "fleet",
		group: "nodes",
		title: { en: "Five thousand nodes", "zh-Hans": "五千个节点" },
		sentence: {
			en: "Filter, scroll and ask why for any of them.",
			"zh-Hans": "筛选、滚动，并询问任意一个节点的原因。",
		},
		panel: "nodes",
		get files() {
			return [
				manifest("placement", "pod"),
				{ name: "fleet.json", role: "nodes" as const, text: fleet() },
			];
		},
	},
	{
		id: "update",
		group: "requests",
		title: { en: "An update that is refused", "zh-Hans": "被拒绝的更新" },
		sentence: {
			en: "The spec of a claim cannot change; labels can.",
			"zh-Hans": "资源申领的规约不可更改；标签可以。",
		},
		panel: "request",
		operation: "update",
		get files() {
			return [
				manifest("update-new", "claim"),
				{
					name: "stored.yaml",
					role: "stored" as const,
					text: text("update-stored"),
				},
			];
		},
	},
	{
		id: "policy",
		group: "requests",
		title: {
			en: "A policy that changes a claim",
			"zh-Hans": "会修改资源申领的策略",
		},
		sentence: {
			en: "The class is not on the list, so the policy puts its fallback in.",
			"zh-Hans": "资源类不在列表中，策略换成后备资源类。",
		},
		panel: "policy",
		get files() {
			return [
				{
					...manifest("update-new", "claim"),
					text: text("update-new")
						.replace(
							/^#.*\n/,
							"# The policy on the right allows other classes only.\n",
						)
						.replace(/ {2}resourceVersion: .*\n/, ""),
				},
				{
					name: "settings.yaml",
					role: "settings" as const,
					text: text("policy-fallback"),
				},
			];
		},
	},
	{
		id: "status",
		group: "requests",
		title: { en: "A status update", "zh-Hans": "更新 status" },
		sentence: {
			en: "A second pod in `reservedFor` of a claim that is not shareable.",
			"zh-Hans": "不可共享的资源申领中，`reservedFor` 出现了第二个 Pod。",
		},
		panel: "request",
		operation: "updateStatus",
		get files() {
			return [
				manifest("status-new", "claim"),
				{
					name: "stored.yaml",
					role: "stored" as const,
					text: text("status-stored"),
				},
			];
		},
	},
];

/** Settings of the policy module to begin with. */
export const POLICY_SAMPLES: readonly {
	id: string;
	title: Record<Language, string>;
	text: string;
}[] = [
	{
		id: "classes",
		title: {
			en: "Device classes with a fallback",
			"zh-Hans": "允许的设备类与后备",
		},
		text: text("policy-classes"),
	},
	{
		id: "limits",
		title: { en: "Limits of a claim", "zh-Hans": "申领的上限" },
		text: text("policy-limits"),
	},
	{
		id: "access",
		title: {
			en: "Administrative access and tolerations",
			"zh-Hans": "管理访问与容忍",
		},
		text: text("policy-access"),
	},
	{
		id: "own",
		title: {
			en: "A ValidatingAdmissionPolicy",
			"zh-Hans": "一个 ValidatingAdmissionPolicy",
		},
		text: text("policy-own"),
	},
	{
		id: "versions",
		title: {
			en: "Old versions: warn only",
			"zh-Hans": "旧版本：仅警告",
		},
		text: text("policy-versions"),
	},
	{
		id: "fallback",
		title: {
			en: "v1alpha2: classes with a fallback",
			"zh-Hans": "v1alpha2：允许的资源类与后备",
		},
		text: text("policy-fallback"),
	},
	{
		id: "deny",
		title: {
			en: "v1alpha2: no immediate allocation",
			"zh-Hans": "v1alpha2：禁止立即分配",
		},
		text: text("policy-deny"),
	},
	{
		id: "parameters",
		title: {
			en: "v1alpha2: parameters required",
			"zh-Hans": "v1alpha2：必须有参数",
		},
		text: text("policy-parameters"),
	},
	{
		id: "warn",
		title: {
			en: "v1alpha2: warn only",
			"zh-Hans": "v1alpha2：仅警告",
		},
		text: text("policy-warn"),
	},
];

/** Returns the example that consists of exactly these files. */
export function exampleOf(
	files: readonly { name: string; text: string }[],
): Example | undefined {
	return EXAMPLES.find((example) => {
		const theirs = example.files;
		return (
			theirs.length === files.length &&
			theirs.every(
				(file, index) =>
					file.name === files[index]?.name && file.text === files[index]?.text,
			)
		);
	});
}

export function exampleById(id: string): Example | undefined {
	return EXAMPLES.find((example) => example.id === id);
}

export function exampleGroups(): { group: Group; list: Example[] }[] {
	return (
		["start", "devices", "mistakes", "kinds", "nodes", "requests"] as const
	).map((group) => ({
		group,
		list: EXAMPLES.filter((example) => example.group === group),
	}));
}

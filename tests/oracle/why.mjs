// `claimkit why` beside a real scheduler: pods that stay pending get the scheduler's own message and claimkit's reasons, and claimkit's first
// suggestion, applied with kubectl, makes the pod run. `audit` and `validate --live` beside the same server.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pass, until } from "../until.mjs";
import { program } from "./claimkit.mjs";
import { empty } from "./pods.mjs";

const NAMESPACE = "why";
const DRIVER = "gpu.example.com";

const claim = (name, count) => ({
	apiVersion: "resource.k8s.io/v1",
	kind: "ResourceClaim",
	metadata: { name, namespace: NAMESPACE },
	spec: {
		devices: {
			requests: [
				{
					name: "gpus",
					exactly: {
						deviceClassName: "gpu",
						allocationMode: "ExactCount",
						count,
					},
				},
			],
		},
	},
});
const pod = (name, claimName, more = {}) => ({
	apiVersion: "v1",
	kind: "Pod",
	metadata: { name, namespace: NAMESPACE },
	spec: {
		terminationGracePeriodSeconds: 0,
		containers: [
			{
				name: "c",
				image: "example.com/none",
				resources: { claims: [{ name: "gpus" }] },
			},
		],
		resourceClaims: [{ name: "gpus", resourceClaimName: claimName }],
		...more,
	},
});
const node = {
	apiVersion: "v1",
	kind: "Node",
	metadata: { name: "why-a", labels: { "kubernetes.io/hostname": "why-a" } },
};
const slice = {
	apiVersion: "resource.k8s.io/v1",
	kind: "ResourceSlice",
	metadata: { name: "why-a-gpu" },
	spec: {
		driver: DRIVER,
		pool: { name: "why-a", generation: 1, resourceSliceCount: 1 },
		nodeName: "why-a",
		devices: [{ name: "gpu-0" }, { name: "gpu-1" }],
	},
};
const deviceClass = {
	apiVersion: "resource.k8s.io/v1",
	kind: "DeviceClass",
	metadata: { name: "gpu" },
	spec: {
		selectors: [{ cel: { expression: `device.driver == "${DRIVER}"` } }],
	},
};

/** The suggestions that are known here, and what kubectl is to do for each. */
const REMEDIES = [
	[
		/^freeing claim why\/(\S+): /,
		(kubectl) => {
			kubectl(
				"delete",
				"pod",
				"holder",
				"--force",
				"--grace-period=0",
				"--wait=true",
			);
			return [];
		},
	],
	[
		/^count (\d+) instead of \d+ in request gpus: /,
		(kubectl, [, count]) => {
			kubectl(
				"delete",
				"pod",
				"waits",
				"--force",
				"--grace-period=0",
				"--wait=true",
			);
			kubectl("delete", "resourceclaim", "wanted", "--wait=true");
			return [claim("wanted", Number(count)), pod("waits", "wanted")];
		},
	],
	[
		/^tolerating the taint (\S+)=(\S+):(\S+): /,
		(kubectl, [, key, value, effect]) => {
			kubectl(
				"delete",
				"pod",
				"waits",
				"--force",
				"--grace-period=0",
				"--wait=true",
			);
			return [
				pod("waits", "wanted", {
					tolerations: [{ key, operator: "Equal", value, effect }],
				}),
			];
		},
	],
];

/** Each scenario: the objects that are there first, a taint of the node, and how many devices the pod wants that waits. */
const SCENARIOS = [
	{
		id: "held by another pod",
		before: [claim("held", 2), pod("holder", "held")],
		wants: 2,
	},
	{ id: "more than there are", before: [], wants: 3 },
	{
		id: "a taint of the node",
		before: [],
		taint: "dedicated=ml:NoSchedule",
		wants: 1,
	},
];

/** Plays the scenarios with a scheduler of its own; returns what differs. */
export async function compareWhy(cluster) {
	// Devices of scenarios before would do for these pods, too.
	await empty(cluster);
	const scheduler = await cluster.startScheduler();
	try {
		return await playAll(cluster);
	} finally {
		await scheduler.stop();
	}
}

async function playAll(cluster) {
	const bin = path.join(cluster.folder, "bin");
	mkdirSync(bin, { recursive: true });
	symlinkSync(cluster.programs.kubectl, path.join(bin, "kubectl"));
	const env = {
		...process.env,
		KUBECONFIG: cluster.kubeconfig,
		PATH: `${bin}:${process.env.PATH}`,
		HOME: cluster.folder,
	};
	const kubectl = (...words) =>
		execFileSync("kubectl", ["--namespace", NAMESPACE, ...words], {
			env,
			encoding: "utf8",
			stdio: ["ignore", "pipe", "pipe"],
		});
	const create = (objects) =>
		objects.length > 0 &&
		execFileSync("kubectl", ["create", "-f", "-"], {
			env,
			input: objects.map((object) => JSON.stringify(object)).join("\n"),
			stdio: ["pipe", "pipe", "pipe"],
		});
	// Pods come after the scheduler has seen their claims and the taints of nodes: of a pod whose claim it does not know yet it says
	// nothing. Time is the subject: no API shows what it has seen.
	const apply = async (objects) => {
		create(objects.filter(({ kind }) => kind !== "Pod"));
		await pass(500);
		create(objects.filter(({ kind }) => kind === "Pod"));
	};
	const get = (name) =>
		JSON.parse(kubectl("get", "pod", name, "--output", "json"));
	const isBound = (name) => Boolean(get(name).spec.nodeName);
	const ask = (...words) =>
		JSON.parse(
			spawnSync(program, [...words, "--output", "json"], {
				env,
				encoding: "utf8",
			}).stdout,
		);
	const condition = () =>
		get("waits").status.conditions?.find(({ type }) => type === "PodScheduled")
			?.message;
	const result = { pods: 0, wrong: [] };
	await apply([
		{ apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } },
		node,
		slice,
		deviceClass,
	]);
	await cluster.must(
		"PATCH",
		"/api/v1/nodes/why-a/status",
		{
			status: {
				allocatable: { cpu: "8", memory: "8Gi", pods: "10" },
				capacity: { cpu: "8", memory: "8Gi", pods: "10" },
			},
		},
		"application/merge-patch+json",
	);
	for (const { id, before, taint, wants } of SCENARIOS) {
		const differs = (want, got) =>
			result.wrong.push({
				id,
				mode: "why",
				op: "why",
				object: null,
				want,
				got,
			});
		result.pods += 1;
		if (taint) kubectl("taint", "node", "why-a", taint);
		await apply(before);
		if (before.length > 0)
			await until("the holder is bound", () => isBound("holder"));
		await apply([claim("wanted", wants), pod("waits", "wanted")]);
		await until("the scheduler says why", () => condition());
		const said = condition();
		const [answer] = ask("why", "waits", "--namespace", NAMESPACE).pods;
		if (answer.scheduler !== said) differs(said, answer.scheduler);
		const described = kubectl("describe", "pod", "waits");
		if (!described.includes(answer.scheduler))
			differs(described, answer.scheduler);
		if (answer.account.turn.message !== said)
			differs(said, answer.account.turn.message);
		const messages = answer.account.nodes.map(({ message }) => message);
		if (
			answer.verdict !== "refused" ||
			!messages.every((message) => said.includes(message))
		)
			differs(said, JSON.stringify({ verdict: answer.verdict, messages }));
		const first = answer.helps[0] ?? "";
		const [pattern, remedy] =
			REMEDIES.find(([pattern]) => pattern.test(first)) ?? [];
		if (!pattern) differs("a suggestion", first);
		else {
			await apply(remedy(kubectl, pattern.exec(first)));
			await until(`${first}: the pod is bound`, () => isBound("waits")).catch(
				({ message }) => differs("a node", message),
			);
		}
		kubectl(
			"delete",
			"pod,resourceclaim",
			"--all",
			"--force",
			"--grace-period=0",
			"--wait=true",
		);
		if (taint) kubectl("taint", "node", "why-a", `${taint}-`);
	}
	const differs = (want, got) =>
		result.wrong.push({
			id: "the cluster as it is",
			mode: "why",
			op: "audit",
			object: null,
			want,
			got,
		});
	await apply([claim("held", 2), pod("holder", "held")]);
	await until("the holder is bound", () => isBound("holder"));
	audit(ask, kubectl, differs);
	validate(ask, env, cluster.folder, differs);
	kubectl(
		"delete",
		"pod,resourceclaim",
		"--all",
		"--force",
		"--grace-period=0",
		"--wait=true",
	);
	kubectl("delete", "node/why-a", "deviceclass/gpu");
	return result;
}

/** What a claim holds is in use; then its devices are no longer published. */
function audit(ask, kubectl, differs) {
	const sound = ask("audit", "--live");
	const { total, inUse } = sound.usage.pools.find(
		({ name }) => name === "why-a",
	).devices;
	if (total !== 2 || inUse !== 2 || sound.findings.length > 0)
		differs(
			"2 of 2 devices in use, and nothing wrong",
			JSON.stringify([total, inUse, sound.findings]),
		);
	kubectl("delete", "resourceslice/why-a-gpu", "--wait=true");
	const { findings } = ask("audit", "--live");
	if (findings.length !== 1 || findings[0].code !== "device-unpublished")
		differs("devices in use are no longer published", JSON.stringify(findings));
}

/** A claim that the labels of its namespace forbid: the server's words are those of `validate --live`. */
function validate(ask, env, folder, differs) {
	const file = path.join(folder, "admin.json");
	const admin = claim("admin", 1);
	admin.spec.devices.requests[0].exactly.adminAccess = true;
	writeFileSync(file, JSON.stringify(admin));
	const { stderr } = spawnSync(
		"kubectl",
		["create", "--dry-run=server", "-f", file],
		{ env, encoding: "utf8" },
	);
	const [{ answer }] = ask("validate", "--live", "-f", file).files;
	const errors = answer.findings.filter(({ severity }) => severity === "error");
	if (errors.length !== 1 || !stderr.trim().endsWith(errors[0].message))
		differs(stderr, JSON.stringify(errors));
}

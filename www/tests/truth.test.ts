// Answers of the page that were once about another pod, another node, or nothing at all.

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { engine } from "../build/engine.ts";
import { withClaims } from "../src/state/extended.ts";
import { ALWAYS_SERVED } from "../src/state/kubectl.ts";
import { allocated, audited, type Given, validated } from "./command.ts";
import { dump } from "./dump.ts";
import {
	openFiles,
	openPage,
	podsShown,
	setText,
	settled,
	setUp,
	textOf,
} from "./page.ts";

setUp();

const tab = (page: Page, name: string) => page.getByRole("tab", { name });
const LARGE = 400_000;

/** What the command says of each pod that waits: its outcome, and its node. */
const toldByCommand = (given: readonly Given[], ...words: string[]) =>
	Object.fromEntries(
		allocated(given, ...words).pods.flatMap(({ pod, turn }) =>
			pod === null
				? []
				: [[pod, `${turn?.outcome ?? ""} ${turn?.node ?? ""}`.trim()]],
		),
	);

describe("pods of a large text", () => {
	it("have their own answers, whatever the order of the queue", async () => {
		for (const padded of [0, LARGE]) {
			const text = dump({
				nodes: 4,
				devices: 2,
				pods: 9,
				request: "",
				different: true,
				youngestFirst: true,
				padded,
			});
			const { page, done } = await openPage();
			await openFiles(page, [{ name: "cluster.yaml", text }]);
			await tab(page, "Devices").click();
			const shown = await podsShown(page);
			expect(shown).toEqual(
				toldByCommand([{ name: "cluster.yaml", text }], "--release", "1.36.2"),
			);
			const [first = ""] = Object.keys(shown).filter((pod) =>
				shown[pod]?.startsWith("bound"),
			);
			await page
				.locator(".pod-sentences .link-button b", { hasText: first })
				.click();
			await page
				.locator(".devices h3, .devices .account", { hasText: first })
				.first()
				.waitFor();
			await done();
		}
	});

	it("have their own answers when each is placed alone", async () => {
		const text = dump({
			nodes: 3,
			devices: 2,
			pods: 5,
			request: "",
			different: true,
			youngestFirst: true,
			padded: LARGE,
		});
		const { page, done } = await openPage();
		await openFiles(page, [{ name: "cluster.yaml", text }]);
		await tab(page, "Devices").click();
		await page.getByRole("radio", { name: "each alone" }).check();
		const fits = Object.fromEntries(
			allocated(
				[{ name: "cluster.yaml", text }],
				"--release",
				"1.36.2",
				"--alone",
			).pods.map(({ pod, nodes }) => [
				pod,
				nodes.some(({ verdict }) => verdict === "allocated"),
			]),
		);
		await expect
			.poll(
				() =>
					page
						.locator(".pod-sentences > ul > li")
						.evaluateAll((rows) =>
							Object.fromEntries(
								rows.map((row) => [
									row.getAttribute("data-pod"),
									row.classList.contains("fits")
										? true
										: row.classList.contains("fits-not")
											? false
											: null,
								]),
							),
						),
				{ timeout: 30_000 },
			)
			.toEqual(fits);
		await done();
	});
});

const NODE = (name: string, version = "v1.36.2") =>
	`apiVersion: v1\nkind: Node\nmetadata: {name: ${name}, uid: u-${name}, resourceVersion: "1"}\nstatus:\n  nodeInfo:\n    kubeletVersion: ${version}\n`;
const REST = `apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s1}
spec:
  driver: gpu.example.com
  nodeName: n2
  pool: {name: n2, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: one, namespace: default}
spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: default}
spec:
  containers: [{name: c, image: i, resources: {claims: [{name: g}]}}]
  resourceClaims: [{name: g, resourceClaimName: one}]
`;

describe("several files", () => {
	const given = [
		{ name: "n1.yaml", text: NODE("n1") },
		{ name: "n2.yaml", text: NODE("n2") },
		{ name: "rest.yaml", text: REST },
	];

	it("are all read, with all their nodes", async () => {
		const { page, done } = await openPage();
		await openFiles(page, given);
		await tab(page, "Devices").click();
		expect(await podsShown(page)).toEqual(
			toldByCommand(given, "--release", "1.36.2"),
		);
		expect(
			await page.locator(".devices .controls [role=status]").textContent(),
		).toContain("2 nodes");
		await done();
	});

	it("are answered without those that cannot be read, which are named", async () => {
		const broken = {
			name: "broken.yaml",
			text: "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: x\n   labels: {}\n",
		};
		const helm = {
			name: "claim.tpl.yaml",
			text: "{{- if .Values.gpu }}\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n{{- end }}\n",
		};
		for (const list of [
			[broken, ...given],
			[...given, broken],
			[helm, broken, ...given],
		]) {
			const { page, done } = await openPage();
			await openFiles(page, list);
			await tab(page, "Devices").click();
			await page.locator(".left-out", { hasText: "broken.yaml:" }).waitFor();
			if (list.includes(helm))
				await page
					.locator(".left-out li", { hasText: "claim.tpl.yaml" })
					.waitFor();
			expect(await podsShown(page)).toEqual(
				toldByCommand(given, "--release", "1.36.2"),
			);
			await tab(page, "Audit").click();
			await page.locator(".audit .left-out").waitFor();
			await page.locator(".usage-table").waitFor();
			await page
				.locator(".left-out .link-button", { hasText: "broken.yaml" })
				.click();
			expect(await textOf(page)).toBe(broken.text);
			await done();
		}
	}, 240_000);

	it("that no panel reads stay closed, however many they are", async () => {
		const others = Array.from({ length: 600 }, (_, n) => ({
			name: `configmap-${n}.yaml`,
			text: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c${n}}\ndata: {a: ${"x".repeat(900)}}\n`,
		}));
		const { page, done } = await openPage();
		await openFiles(page, [...others, ...given]);
		await page.locator(".notice", { hasText: "600 files" }).waitFor();
		expect(await page.locator(".file-tab, .file-name").count()).toBeLessThan(
			10,
		);
		await tab(page, "Devices").click();
		expect(await podsShown(page)).toEqual(
			toldByCommand(given, "--release", "1.36.2"),
		);
		await done();
	});
});

describe("the release of a cluster", () => {
	it("is that of its nodes before anything is judged, and can be taken back", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const text = dump({ kubelet: "v1.34.2-gke.100", request: "" });
		await setText(page, text);
		await page.locator(".settings-line", { hasText: "1.34.2" }).waitFor();
		await tab(page, "Devices").click();
		await page.locator(".pod-sentences > ul > li").first().waitFor();
		const status = page.locator(".devices .controls [role=status]");
		expect(await status.textContent()).toContain("Kubernetes 1.34.2");
		await page.getByRole("button", { name: "Use the newest release" }).click();
		await expect.poll(() => status.textContent()).not.toContain("1.34.2");
		await page.getByRole("button", { name: "Answer as 1.34.2" }).click();
		await expect
			.poll(() => status.textContent())
			.toContain("Kubernetes 1.34.2");
		await done();
	});
});

describe("the command that prints a cluster", () => {
	it("names kinds that every release with devices serves", async () => {
		const { releases } = await engine();
		const core = ["pods", "nodes", "persistentvolumeclaims"];
		const known = releases({ locale: "en" }).releases.filter(
			({ release }) => Number(release.split(".")[1]) >= 31,
		);
		expect(known.length).toBeGreaterThan(6);
		for (const { release, versions } of known) {
			const served = new Set(
				versions.flatMap(({ kinds }) => kinds.map(({ plural }) => plural)),
			);
			expect([
				release,
				ALWAYS_SERVED.filter(
					(plural) => !core.includes(plural) && !served.has(plural),
				),
			]).toEqual([release, []]);
		}
	});

	it("asks for kinds that some clusters lack one by one", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, "NAME   READY   STATUS\ntrain-0   0/1   Pending\n");
		const command = await page.locator(".kubectl code").first().textContent();
		const [first = "", ...rest] = (command ?? "").split("; ");
		expect(first).toMatch(/^kubectl get [a-z,]+ -A -o yaml$/);
		expect(first).not.toMatch(/devicetaintrules|podgroups/);
		expect(rest.filter((part) => part.startsWith("kubectl"))).toEqual([
			"kubectl get devicetaintrules -A -o yaml 2>/dev/null",
			"kubectl get podgroups.scheduling.k8s.io -A -o yaml 2>/dev/null",
		]);
		await done();
	});
});

describe("a pod with a device plugin's resource", () => {
	const POD = `apiVersion: v1
kind: Pod
metadata:
  name: cuda-test
spec:
  restartPolicy: OnFailure
  containers:
  - name: cuda
    image: nvcr.io/nvidia/k8s/cuda-sample:vectoradd-cuda12.5.0
    resources:
      limits:
        nvidia.com/gpu: 1
`;

	it("is told what that is, and becomes class, template and claims", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, POD);
		const guide = page.locator(".guide", { hasText: "nvidia.com/gpu" });
		await guide.waitFor();
		// Said once, and nothing beside it says less.
		await page.locator(".verdict h2", { hasText: "device plugin" }).waitFor();
		expect(await page.getByText(/nothing was checked/i).count()).toBe(0);
		await guide
			.getByRole("button", { name: "Make class, template and claims of it" })
			.click();
		await settled(page);
		const text = await textOf(page);
		expect(text).toContain("kind: DeviceClass");
		expect(text).toContain("resourceClaimTemplateName: cuda-test-gpu");
		expect(text).not.toContain("nvidia.com/gpu: 1");
		await expect
			.poll(() => page.locator(".verdict.good").count())
			.toBeGreaterThan(0);
		await done();
	});

	it("get no more devices by claims than by the plugin", async () => {
		const container = (name: string, count: number, more = "") =>
			`      - name: ${name}\n        image: i\n${more}        resources:\n          limits:\n            nvidia.com/gpu: ${count}\n`;
		const job = (init: string, main: string) =>
			`apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: train\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      initContainers:\n${init}      containers:\n${main}`;
		const counts = (text: string | null) =>
			[...(text ?? "").matchAll(/^ +count: (\d+)/gm)].map(([, count]) => count);
		const { validate } = await engine();
		for (const [init, main, wanted] of [
			// What ends before uses the devices of what comes after.
			[container("load", 1), container("run", 1), ["1"]],
			[container("a", 1) + container("b", 2), container("run", 2), ["2"]],
			[container("a", 1) + container("b", 4), container("run", 2), ["2", "4"]],
			// What stays beside the pod's containers has its own.
			[
				container("side", 1, "        restartPolicy: Always\n"),
				container("run", 1),
				["1", "1"],
			],
			// Nothing is asked for.
			[container("none", 0), container("run", 1) + container("side", 0), ["1"]],
		] as const) {
			const text = withClaims(job(init, main));
			expect(counts(text)).toEqual(wanted);
			expect(
				validate(text ?? "").findings.filter(
					({ severity }) => severity !== "info",
				),
			).toEqual([]);
		}
		// A pod with claims of its own keeps them: the form is not edited.
		expect(
			withClaims(
				job(container("load", 1), container("run", 1)).replace(
					"      initContainers",
					"      resourceClaims:\n      - {name: nic, resourceClaimName: nic}\n      initContainers",
				),
			),
		).toBeNull();
	});

	it("may stay as it is, with a class that serves the name", async () => {
		for (const [resource, deviceClass] of [
			["amd.com/gpu", "gpu.amd.com"],
			["gpu.intel.com/i915", "gpu.intel.com"],
			[
				"intel.com/intel_sriov_netdevice",
				"sriovnetwork.k8snetworkplumbingwg.io",
			],
			["nvidia.com/mig-1g.10gb", "mig-1g.10gb.nvidia.com"],
		] as const) {
			const { page, done } = await openPage();
			await settled(page);
			await setText(page, POD.replace("nvidia.com/gpu", resource));
			await page.getByRole("button", { name: /^Keep the pod/ }).click();
			await settled(page);
			const text = await textOf(page);
			expect(text).toContain(`name: ${deviceClass}`);
			expect(text).toContain(`extendedResourceName: ${resource}`);
			expect(text).toContain(`${resource}: 1`);
			await expect.poll(() => page.locator(".verdict.bad").count()).toBe(0);
			await done();
		}
	});
});

describe("the release that answers", () => {
	it("is that of all files, as for the command, where none is chosen", async () => {
		const POD =
			"apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ml}\nspec:\n  containers:\n  - {name: c, image: i, resources: {claims: [{name: g}]}}\n  resourceClaims:\n  - name: g\n    source: {resourceClaimTemplateName: t}\n";
		const given = [
			{ name: "pod.yaml", text: POD },
			{
				name: "template.yaml",
				text: "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t, namespace: ml}\nspec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}}\n",
			},
		];
		const wanted = validated(given)
			.find(({ file }) => file.endsWith("pod.yaml"))!
			.answer.findings.filter(({ severity }) => severity === "error")
			.map(({ message }) => message);
		expect(wanted.length).toBeGreaterThan(0);
		const { page, done } = await openPage();
		await settled(page);
		await openFiles(page, given);
		await page.locator(".file-open", { hasText: "pod.yaml" }).click();
		await tab(page, "Problems").click();
		const errors = page.locator(
			'.problems .finding-group[aria-label^="API server"] .finding-message',
		);
		await expect
			.poll(async () => (await errors.allTextContents()).sort())
			.toEqual([...wanted].sort());
		await done();
	});
});

describe("outputs that were appended to one file", () => {
	it("are told apart in the panels about a cluster too", async () => {
		const { page, done } = await openPage();
		const part = (kind: string, name: string) =>
			`apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: ${kind}\n  metadata: {name: ${name}, uid: ${name}, resourceVersion: "1"}\nkind: List\nmetadata: {resourceVersion: ""}\n`;
		await openFiles(page, [
			{
				name: "dump.yaml",
				text: `${part("Pod", "p")}${part("Node", "n-1")}`,
			},
		]);
		for (const name of ["Devices", "Audit"]) {
			await page.getByRole("tab", { name }).click();
			await page
				.locator(".guide")
				.getByRole("button", { name: /---/ })
				.waitFor();
		}
		await page.locator(".guide").getByRole("button", { name: /---/ }).click();
		expect(await textOf(page)).toContain("---");
		await done();
	});

	it("are recognized, and separated", async () => {
		const list = (kind: string, name: string) =>
			`apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: ${kind}\n  metadata: {name: ${name}}\nkind: List\nmetadata:\n  resourceVersion: ""\n`;
		const { page, done } = await openPage();
		await settled(page);
		await setText(
			page,
			list("Node", "n1") + list("Pod", "p") + list("Pod", "q"),
		);
		await page
			.locator(".verdict.none", { hasText: "Several outputs" })
			.waitFor();
		await page.getByRole("button", { name: "Put --- between them" }).click();
		await settled(page);
		expect((await textOf(page)).match(/^---$/gm)?.length).toBe(2);
		await done();
	});
});

describe("answers about several files", () => {
	it("list findings file by file", async () => {
		const claim = (name: string, lines: number) =>
			`${"#\n".repeat(lines)}apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: ${name}, namespace: ns}\nspec: {devices: {requests: [{name: g, exactly: {deviceClassName: none}}]}}\n`;
		const { page, done } = await openPage();
		await openFiles(page, [
			{
				name: "a.yaml",
				text: `${claim("a", 1)}---\n${claim("b", 40)}---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: other}\n`,
			},
			{ name: "b.yaml", text: claim("c", 20) },
		]);
		await page.getByRole("tab", { name: "Audit" }).click();
		await page.locator(".audit .finding").nth(2).waitFor();
		const named = await page.locator(".audit .finding-file").allTextContents();
		expect(named).toEqual([...named].sort());
		expect(new Set(named).size).toBe(2);
		await done();
	});

	it("say once that files are of two clusters, and are about the first", async () => {
		const cluster = (name: string, uid: string) => ({
			name: `${name}.yaml`,
			text: `apiVersion: v1\nkind: Namespace\nmetadata: {name: kube-system, uid: ${uid}}\n---\n${dump({ nodes: 3, devices: 1, pods: 1, request: "" }).replaceAll("worker-", `${name}-`)}`,
		});
		const { page, done } = await openPage();
		await openFiles(page, [cluster("aws", "a"), cluster("gke", "b")]);
		await tab(page, "Devices").click();
		await page
			.locator(".left-out", {
				hasText: "gke.yaml is of another cluster than aws.yaml",
			})
			.waitFor();
		expect(await page.getByText("of another cluster").count()).toBe(1);
		const rows = await page.getByRole("rowheader").allTextContents();
		expect(rows.length).toBeGreaterThan(0);
		expect(rows.filter((row) => !row.startsWith("aws-"))).toEqual([]);
		await tab(page, "Audit").click();
		await page.locator(".audit .finding").first().waitFor();
		expect(await page.getByText("of another cluster").count()).toBe(1);
		await done();
	});

	it("take the release of the first cluster, as the command does", async () => {
		const cluster = (
			name: string,
			uid: string,
			kubelet: string,
			nodes: number,
		) => ({
			name: `${name}.yaml`,
			text: `apiVersion: v1\nkind: Namespace\nmetadata: {name: kube-system, uid: ${uid}}\n---\n${dump({ nodes, devices: 1, pods: 1, request: "", kubelet }).replaceAll("worker-", `${name}-`)}`,
		});
		// More nodes are of the second one.
		const given = [
			cluster("aws", "a", "v1.34.2", 2),
			cluster("gke", "b", "v1.36.1", 9),
		];
		const { page, done } = await openPage();
		await openFiles(page, given);
		await page
			.locator(".settings-line", {
				hasText:
					"Kubernetes 1.34.2: the release of the first of several clusters",
			})
			.waitFor();
		expect(allocated(given).release).toBe("1.34.2");
		await done();
	});

	it("are checked and upgraded cluster by cluster, as the command does", async () => {
		const cluster = (name: string, uid: string, objects: string) => ({
			name: `${name}.yaml`,
			text: `apiVersion: v1\nkind: Namespace\nmetadata: {name: kube-system, uid: ${uid}, resourceVersion: "1"}\n---\n${dump({ nodes: 2, devices: 1, pods: 0, request: "" }).replaceAll("worker-", `${name}-`)}---\n${objects}`,
		});
		const old = (name: string) =>
			`apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: ${name}}\nspec: {}\n`;
		const claim =
			"---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: of-aws}}]}}\n";
		const given = [
			cluster("aws", "a", old("of-aws")),
			cluster("gke", "b", old("of-gke") + claim),
		];
		const { page, done } = await openPage();
		await openFiles(page, given);
		await tab(page, "Audit").click();
		await page.locator(".upgrade select").selectOption("1.38");
		const found = audited(given, "--to", "1.38").findings.filter(
			({ code }) => code !== "other-cluster",
		);
		expect(found.map(({ message }) => message).join("\n")).not.toContain(
			"of-gke",
		);
		await expect
			.poll(() => page.locator(".upgrade .finding-message").allTextContents())
			.toEqual(found.map(({ message }) => message.replaceAll("`", "")));
		expect(await page.getByText("of another cluster").count()).toBe(1);
		// A class of one cluster is not there for a claim of the other.
		const judged = validated(given).find(({ file }) => file === "gke.yaml")!;
		const wanted = judged.answer.findings
			.filter(({ code }) =>
				["other-cluster", "class-not-in-input"].includes(code),
			)
			.map(({ message }) => message.replaceAll("`", ""));
		expect(wanted.join("\n")).toContain("of another cluster");
		expect(wanted.join("\n")).toContain("none is called of-aws");
		await page.locator(".file-tab", { hasText: "gke.yaml" }).click();
		await tab(page, "Problems").click();
		for (const message of wanted)
			await page
				.locator(".problems .finding-message", { hasText: message })
				.first()
				.waitFor();
		await done();
	});

	it("have the tab of the older versions' nodes only where there is something of theirs", async () => {
		const { page, done } = await openPage();
		await settled(page);
		expect(await tab(page, "Nodes").count()).toBe(0);
		// A key opens the same panel with that tab and without.
		const opened = async (number: number) => {
			await page.keyboard.press(`Alt+${number}`);
			return page.getByRole("tab", { selected: true }).textContent();
		};
		expect(await opened(7)).toContain("Policy");
		expect(await opened(8)).toContain("Policy");
		expect(await opened(6)).toContain("Request");
		await setText(
			page,
			"apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {resourceClassName: gpu}\n",
		);
		await tab(page, "Nodes").waitFor();
		expect(await opened(8)).toContain("Nodes");
		expect(await opened(6)).toContain("Request");
		await done();
	});
});

it("says why nothing can be audited, where an object cannot be read", async () => {
	const { page, done } = await openPage();
	await openFiles(page, [
		{
			name: "a.yaml",
			text: "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a, namespace: n}\n",
		},
	]);
	await page.getByRole("tab", { name: "Audit" }).click();
	await page
		.locator(".panel-audit .finding", { hasText: "cannot unmarshal bool" })
		.waitFor();
	await done();
});

describe("what is cut off", () => {
	const NODE = `apiVersion: v1
kind: Node
metadata: {name: ip-10-40-77-64.eu-central-1.compute.internal}
spec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}
`;

	it("is no end of a pod's name in the head of its column", async () => {
		const names = [
			"train-four-gpus-002-9b7d1",
			"train-four-gpus-005-202fb",
			"train-large-007-cbb15",
		];
		const pods = names.map(
			(name, index) => `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: team}
spec:
  containers: [{name: c, image: i, resources: {claims: [{name: g}]}}]
  resourceClaims: [{name: g, resourceClaimName: ${name}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: ${name}, namespace: team}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: ${index + 1}}}]}}
`,
		);
		const text = `${dump({ nodes: 3, devices: 1, pods: 0, request: "" })}${pods.join("")}`;
		const { page, done } = await openPage();
		await openFiles(page, [{ name: "cluster.yaml", text }]);
		await tab(page, "Devices").click();
		const heads = page.locator(".matrix .column-title");
		await expect.poll(() => heads.count()).toBe(names.length);
		const shown = await heads.evaluateAll((titles) =>
			titles.map((title) => ({
				text: title.textContent,
				cut:
					title.scrollHeight > title.clientHeight + 1 ||
					title.scrollWidth > title.clientWidth + 1,
			})),
		);
		expect(shown.filter(({ cut }) => cut)).toEqual([]);
		expect(new Set(shown.map(({ text }) => text)).size).toBe(shown.length);
		await done();
	});

	it("is no badge: a cordoned node is not tainted once more", async () => {
		const { page, done } = await openPage();
		await openFiles(page, [
			{ name: "cluster.yaml", text: `${dump({ request: "", pods: 1 })}` },
			{ name: "node.yaml", text: NODE },
		]);
		await page.getByRole("tab", { name: "Devices" }).click();
		const row = page.locator(".matrix-row", { hasText: "cordoned" }).first();
		await row.waitFor();
		expect(await row.locator(".chip.warn").allTextContents()).toEqual([
			"cordoned",
		]);
		await done();
	});

	it("is no button: what belongs to an answer of the policy is on its line", async () => {
		const { page, done } = await openPage();
		await openFiles(page, [
			{
				name: "class.yaml",
				text: `apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gke-ml-prod-a3-highgpu-8g-spot-07922ad0--gpu.acme.dev-ngtx-of-a-long-name}\n`,
			},
		]);
		await page.getByRole("tab", { name: "Policy" }).click();
		const head = page.locator(".admitted h3").first();
		await head.waitFor();
		const middles = await head.locator(".chip, button").evaluateAll((parts) =>
			parts.map((part) => {
				const { top, bottom } = part.getBoundingClientRect();
				return Math.round((top + bottom) / 20);
			}),
		);
		expect(middles.length).toBeGreaterThan(2);
		expect(new Set(middles).size).toBe(1);
		await done();
	});
});

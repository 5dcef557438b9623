import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hostNames } from "../src/ui/names.ts";
import { dump } from "./dump.ts";
import { openPage, setText, settled, setUp, share, textOf } from "./page.ts";

setUp();

const PAD = 300_000;

async function drop(
	page: Page,
	files: { name: string; text: string | Buffer }[],
): Promise<void> {
	await page
		.locator('input[type="file"]')
		.first()
		.setInputFiles(
			files.map(({ name, text }) => ({
				name,
				mimeType: "text/yaml",
				buffer: Buffer.from(text),
			})),
		);
}

const grid = (page: Page) => page.locator(".devices .matrix");
const tab = (page: Page, name: string) => page.getByRole("tab", { name });

describe("a dump of a cluster", () => {
	it("opens as what it is, in whatever order kubectl prints it, pasted or opened", async () => {
		// With this many nodes, a prefix of the text shows nothing else.
		for (const first of ["nodes", "pods"] as const) {
			for (const how of ["pasted", "opened"] as const) {
				const { page, done } = await openPage();
				await settled(page);
				const text = dump({ first, nodes: 120, devices: 2 });
				if (how === "pasted") await setText(page, text);
				else await drop(page, [{ name: "cluster.yaml", text }]);
				await page
					.locator(".pod-sentences", {
						hasText:
							"research/train-0 fits on none of 120 nodes: 119 × selectors of request gpu leave too few",
					})
					.waitFor();
				expect(await tab(page, "Devices").getAttribute("aria-selected")).toBe(
					"true",
				);
				expect(await page.locator(".file-name").count()).toBe(1);
				expect(
					await page
						.locator(".scheduler-said:not(.computed) code")
						.textContent(),
				).toBe("0/120 nodes are available: 120 cannot allocate all claims.");
				await tab(page, "Problems").click();
				expect(await page.locator(".verdict h2").textContent()).toContain(
					"A cluster: ",
				);
				expect(await page.locator(".verdict.bad").count()).toBe(0);
				await page
					.locator(".guide")
					.getByRole("button", { name: "Open Devices" })
					.click();
				await grid(page).waitFor();
				await done();
			}
		}
	});

	it("has the nodes last in the command that prints it, whole words and a button to copy it", async () => {
		const { page, done } = await openPage({ path: "#panel=devices" });
		await grid(page).waitFor();
		await setText(
			page,
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
		);
		await tab(page, "Devices").click();
		const command = page.locator(".empty .kubectl");
		expect(await command.locator("code").textContent()).toMatch(
			/^kubectl get pods,.*,nodes -A -o yaml; echo ---; /,
		);
		expect(
			await command
				.locator("code")
				.evaluate((code) => getComputedStyle(code).overflowWrap),
		).toBe("normal");
		await command.getByRole("button").click();
		await expect
			.poll(() => page.evaluate(() => navigator.clipboard.readText()))
			.toMatch(/,nodes -A -o yaml; echo ---; /);
		await done();
	});

	it("is mended in the claim that the pod uses, and in its template", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const text = dump({
			request:
				'selectors:\n- cel: {expression: \'device.attributes["gpu.example.com"].model == "h100"\'}\ncapacity: null\n'.replace(
					"capacity: null\n",
					"",
				),
		});
		await setText(page, text);
		await grid(page).locator(".cell").first().click();
		const change = page
			.locator(".relaxations li")
			.filter({ hasText: `instead of "h100"` });
		await change.waitFor();
		expect(await change.textContent()).toContain(
			"Template two changes with it",
		);
		await change.getByRole("button", { name: "Apply" }).click();
		await page
			.locator(".account h3", { hasText: "gets its devices" })
			.waitFor();
		expect((await textOf(page)).match(/model == "h100"/g)).toBeNull();
		await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
		await expect.poll(() => textOf(page)).toBe(text);
		await done();
	});

	it("is mended in several files at once where claim and template are apart", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const text = dump({ nodes: 2 });
		const item = (kind: string) =>
			new RegExp(`- apiVersion: [^\\n]*\\n  kind: ${kind}\\n(?:  .*\\n)*`).exec(
				text,
			)![0];
		const template = item("ResourceClaimTemplate");
		await drop(page, [
			{ name: "cluster.yaml", text: text.replace(template, "") },
			{
				name: "template.yaml",
				text: `apiVersion: v1\nkind: List\nitems:\n${template}`,
			},
		]);
		await tab(page, "Devices").click();
		await grid(page).locator(".cell").first().click();
		await page
			.locator(".relaxations li", { hasText: `instead of "h100"` })
			.getByRole("button", { name: "Apply" })
			.click();
		await page
			.locator(".account h3", { hasText: "gets its devices" })
			.waitFor();
		for (const name of ["cluster.yaml", "template.yaml"]) {
			await page.locator(".file-open", { hasText: name }).click();
			await expect.poll(() => textOf(page)).not.toContain("h100");
		}
		await done();
	});

	it("is told of all its devices, whatever of them is listed", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(
			page,
			dump({
				nodes: 40,
				devices: 40,
				model: (node, device) =>
					(node * 40 + device) % 5 === 0 ? "h100" : "a100",
			}),
		);
		await grid(page).waitFor();
		await tab(page, "Expression").click();
		await page
			.locator(".expression-answer b", {
				hasText: "Selects 320 of 1,600 devices of class gpu.",
			})
			.waitFor();
		await page.getByLabel("Listed devices").selectOption("match");
		await expect.poll(() => page.locator(".device-list li").count()).toBe(320);
		await page.getByLabel("Filter devices").fill("worker-39 gpu-0");
		await expect.poll(() => page.locator(".device-list li").count()).toBe(1);
		expect(
			await page.locator(".expression-answer b").first().textContent(),
		).toBe("Selects 320 of 1,600 devices of class gpu.");
		await done();
	});

	it("with a hundred pods that wait is answered pod by pod, those that are alike once", async () => {
		for (const different of [false, true]) {
			const { page, done } = await openPage();
			await settled(page);
			const pods = different ? 40 : 100;
			// As large as a text is that is asked about pod by pod.
			await setText(
				page,
				`${dump({ nodes: 20, devices: 16, pods, different })}${`# ${"x".repeat(98)}\n`.repeat(PAD / 100)}`,
			);
			await tab(page, "Devices").click();
			await page.locator(".pod-sentences li").first().waitFor();
			if (different) {
				await page.getByRole("radio", { name: "each alone" }).check();
				await expect
					.poll(() =>
						page.locator(".pod-sentences button").last().textContent(),
					)
					.toBe("Show 32 more");
				await page.locator(".pod-sentences button").last().click();
				await expect
					.poll(() => page.locator(".pod-sentences li.fits-not").count(), {
						timeout: 30_000,
					})
					.toBe(pods);
				await page.getByLabel("Filter pods").fill("train-39");
				await expect
					.poll(() => page.locator(".matrix-head [role=columnheader]").count())
					.toBe(2);
			} else {
				await page
					.locator(".pod-sentences li", {
						hasText: "and 99 more alike fits on none of 20 nodes",
					})
					.waitFor();
				await page
					.locator(".turns", { hasText: "0 of 100 have a node" })
					.waitFor();
			}
			expect(await page.locator(".banner").count()).toBe(0);
			await done();
		}
	});

	it("has its pods placed in turn, or each alone, and says what was decided by name alone", async () => {
		for (const [locale, words] of [
			[
				"en-US",
				{
					alone: "each alone",
					placed: "3 of 3 have a node",
					gets: "gets worker-00: gpu-0, gpu-1",
					tie: "taken by name: worker-01 has the same score, and kube-scheduler takes any",
				},
			],
			[
				"zh-CN",
				{
					alone: "各自单独",
					placed: "3 个 Pod 中有 3 个得到节点",
					gets: "得到 worker-00：gpu-0, gpu-1",
					tie: "按名称选取：worker-01得分相同，kube-scheduler 任取其一",
				},
			],
		] as const) {
			const { page, done } = await openPage({ locale });
			await page.locator(".cm-content").first().waitFor();
			await setText(
				page,
				dump({ nodes: 3, devices: 5, pods: 3, model: () => "h100" }),
			);
			await page.locator(".turns", { hasText: words.placed }).waitFor();
			const sentence = page.locator(".pod-sentences li").first();
			expect(await sentence.textContent()).toContain(words.gets);
			expect(await sentence.textContent()).toContain(words.tie);
			// The second takes what the first leaves, the third goes to the other node; the cordoned one is nobody's.
			expect(await page.locator(".cell.gets").allTextContents()).toEqual([
				"✓gpu-0, gpu-1",
				"✓gpu-2, gpu-3",
				"✓gpu-0, gpu-1",
			]);
			expect(
				await page
					.getByRole("row", { name: /^worker-02/ })
					.locator(".cell.verdict-No")
					.count(),
			).toBe(3);
			expect(
				await page.locator(".commands code").last().textContent(),
			).not.toContain("--alone");
			await page.getByRole("radio", { name: words.alone }).check();
			// Equal pods have one column then, and the cordoned node gives its devices too.
			await expect
				.poll(() => page.locator(".cell.verdict-Yes").count())
				.toBe(3);
			await expect
				.poll(() =>
					page
						.getByRole("row", { name: /^worker-02/ })
						.locator(".cell.verdict-Yes")
						.count(),
				)
				.toBe(1);
			expect(await page.locator(".cell.gets").count()).toBe(0);
			expect(
				await page.locator(".commands code").last().textContent(),
			).toContain("--alone");
			await done();
		}
	});

	it("says whose rules answer for a release that was never recorded", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, dump({ kubelet: "v1.34.1" }));
		await page
			.locator(".rules-of", {
				hasText:
					"Kubernetes 1.34.1 was never recorded: the rules of 1.34.0 answer.",
			})
			.waitFor();
		await done();
	});

	it("offers the release that its nodes run where another was chosen", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await page.getByRole("button", { name: /^Release/ }).click();
		await page.getByText("1.36", { exact: true }).click();
		await setText(page, dump({ kubelet: "v1.34.2" }));
		await page
			.locator(".release-offer", { hasText: "the nodes run v1.34.2" })
			.waitFor();
		await page.getByRole("button", { name: "Answer as 1.34.2" }).click();
		await page
			.locator(".devices .controls", { hasText: "Kubernetes 1.34.2" })
			.waitFor();
		await done();
	});

	it("is answered with the gates and the labels that the cluster has, also in a link", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(
			page,
			dump({
				kubelet: "v1.34.2",
				request: "capacity: {requests: {memory: 1Gi}}\n",
			}),
		);
		await page
			.locator(".pod-sentences", { hasText: "DRAConsumableCapacity" })
			.waitFor();
		await page.getByRole("button", { name: /^Release/ }).click();
		await page.getByText("Feature gates and namespace labels").first().click();
		const field = page
			.getByLabel("Feature gates and namespace labels", { exact: true })
			.and(page.locator("input"));
		await field.fill("DRAConsumableCapacity");
		await field.press("Tab");
		await page.getByText("Not understood: DRAConsumableCapacity.").waitFor();
		await field.fill("DRAConsumableCapacity=true");
		await field.press("Tab");
		await page.keyboard.press("Escape");
		await expect
			.poll(() => page.locator(".commands code").last().textContent())
			.toContain("--gates DRAConsumableCapacity=true");
		await expect
			.poll(() => page.locator(".devices .banner, .devices .of-all").count())
			.toBe(0);
		await page.locator(".pod-sentences li").first().waitFor();
		const link = await share(page);
		const other = await openPage({ path: link.slice(link.indexOf("#")) });
		await expect
			.poll(() => other.page.locator(".commands code").last().textContent())
			.toContain("--gates DRAConsumableCapacity=true");
		await other.done();
		await done();
	});

	it("says which nodes are cordoned or tainted, that pods are placed alone, and how many a workload wants", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const deployment =
			"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: dep, namespace: research}\nspec:\n  replicas: 3\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec:\n      containers: [{name: c, image: x, resources: {claims: [{name: gpu}]}}]\n      resourceClaims: [{name: gpu, resourceClaimTemplateName: two}]\n";
		await setText(page, dump({ pods: 2, different: true }) + deployment);
		await page
			.getByRole("row", { name: /^worker-05/ })
			.locator(".chip", { hasText: "cordoned" })
			.waitFor();
		expect(
			await page
				.getByRole("row", { name: /^worker-05/ })
				.locator(".chip")
				.allTextContents(),
		).toEqual(["cordoned"]);
		expect(
			await page
				.getByRole("row", { name: /^worker-00/ })
				.locator(".chip")
				.count(),
		).toBe(0);
		await page.getByRole("radio", { name: "each alone" }).check();
		await page
			.locator(".turns", { hasText: "two that fit may not fit together" })
			.waitFor();
		expect(
			await page
				.locator(".pod-sentences li.fits-not", { hasText: "research/dep" })
				.textContent(),
		).toContain("one of 3");
		await page.locator(".pod-sentences .fold > summary").click();
		expect(await page.locator(".pod-sentences .facts").textContent()).toContain(
			"is made from ResourceClaimTemplate two",
		);
		await done();
	});

	it("names what other plugins say of a node before what its devices lack", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const elsewhere = dump({ model: () => "h100", pods: 1 }).replace(
			/(kind: Pod\n[\s\S]*?spec:\n)/,
			"$1    nodeSelector: {zone: nowhere}\n",
		);
		await setText(page, elsewhere);
		const sentence = page.locator(".pod-sentences li.fits-not", {
			hasText: "research/train-0",
		});
		await sentence.waitFor();
		await expect
			.poll(() => sentence.textContent())
			.toMatch(
				/fits on none of 6 nodes: 5 × node selector or affinity not met.*1 × the node is cordoned; /,
			);
		await setText(page, dump({ pods: 1 }));
		await expect
			.poll(() => sentence.textContent())
			.toMatch(
				/5 × selectors of request gpu leave too few.*1 × the node is cordoned; untolerated taint node\.kubernetes\.io\/unschedulable/,
			);
		await done();
	});

	it("says an error of an expression where the pod is, and not of a node that has too little cpu", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const failing = dump({
			nodes: 3,
			request:
				'selectors:\n- cel: {expression: \'device.attributes["gpu.example.com"].family == "h100"\'}\n',
		})
			.replace('{cpu: "64"', '{cpu: "1"')
			.replace("{claims:", '{requests: {cpu: "2"}, claims:');
		await drop(page, [{ name: "cluster.yaml", text: failing }]);
		const pod = page.locator('.pod-sentences li[data-outcome="error"]');
		await pod.waitFor();
		expect(await pod.locator("code").first().textContent()).toContain(
			"CEL runtime error: no such key: family",
		);
		const cell = (node: string) =>
			page.getByRole("row", { name: new RegExp(`^${node}`) }).locator(".cell");
		await expect
			.poll(() => cell("worker-01").allTextContents())
			.toEqual(["!Error"]);
		expect(await cell("worker-00").allTextContents()).toEqual(["✕No"]);
		await cell("worker-00").click();
		const account = page.locator(".account");
		await account
			.locator("h4", { hasText: "something else keeps the pod away" })
			.waitFor();
		expect(await account.locator("h3").first().textContent()).toContain(
			"gets no devices",
		);
		expect(await account.locator(".bad-text").count()).toBe(0);
		await done();
	});

	it("says once that a pod fits on no node", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await drop(page, [
			{
				name: "cluster.yaml",
				text: dump({ nodes: 2, devices: 2, pods: 3, request: "" }),
			},
		]);
		const unfit = page.locator(
			'.pod-sentences li[data-outcome="unschedulable"]',
		);
		await unfit.first().waitFor();
		await expect
			.poll(() => unfit.first().textContent())
			.toContain("fits on none of 2 nodes");
		for (const text of await unfit.allTextContents())
			expect(text).not.toContain("fits on no node");
		await done();
	});

	it("leaves IP addresses whole, which some nodes have as names", () => {
		for (const names of [
			["10.0.113.5"],
			["10.0.0.1", "192.168.0.1"],
			["cn-beijing.10.0.0.1"],
		])
			expect(hostNames(names)).toEqual(names);
		expect(hostNames(["a.example.com", "b.example.com"])).toEqual(["a", "b"]);
	});

	it("shows names of hosts without their domain, and what is said of them whole", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const named = dump({ nodes: 3, model: (node) => `m${node}` })
			.replace(/worker-0([12])/g, "ip-10-0-113-$1.eu-west-1.compute.internal")
			.replace(/worker-00/g, "gpu-pool-00");
		await drop(page, [{ name: "cluster.yaml", text: named }]);
		await grid(page).waitFor();
		await expect
			.poll(() => grid(page).locator(".node-word").allTextContents())
			.toEqual(["gpu-pool-00", "ip-10-0-113-1", "ip-10-0-113-2"]);
		const chip = grid(page).locator(".chip", { hasText: "cordoned" });
		expect(
			await chip.evaluate((one) => one.scrollWidth - one.clientWidth),
		).toBeLessThanOrEqual(0);
		await done();
	});

	it("is told row by row only where the rows differ", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(
			page,
			dump({ nodes: 40, model: (node) => (node === 7 ? "h100" : "a100") }),
		);
		await grid(page).waitFor();
		await expect
			.poll(() => page.getByRole("rowheader").allTextContents())
			.toEqual(["worker-00+37", "worker-07", "worker-39cordoned"]);
		await page.getByLabel("Alike in one row").uncheck();
		await expect
			.poll(() => page.locator(".matrix").getAttribute("aria-rowcount"))
			.toBe("41");
		await done();
	});

	it("keeps the digits of a number together in the funnel", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, dump({ nodes: 1, devices: 152 }));
		await grid(page).locator(".cell").first().click();
		const number = page.locator(".stage > b").first();
		await number.waitFor();
		expect(await number.textContent()).toBe("152");
		expect(
			await number.evaluate(
				(element) =>
					element.getClientRects().length + Number(element.scrollHeight > 24),
			),
		).toBe(1);
		await done();
	});

	it("is converted wherever its objects of ours stand, those that change first", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const pods = Array.from(
			{ length: 900 },
			(_, at) =>
				`apiVersion: v1\nkind: Pod\nmetadata: {name: p-${at}, namespace: ns, annotations: {note: "${"x".repeat(200)}"}}\nspec: {containers: [{name: c, image: x}]}\n`,
		).join("---\n");
		await setText(
			page,
			`${pods}---\napiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n`,
		);
		await tab(page, "Convert").click();
		await expect
			.poll(() => page.locator(".converted li").first().textContent())
			.toContain("v1beta1 → v1");
		expect(await page.getByText("Nothing to convert").count()).toBe(0);
		// Nothing is of the versions whose nodes have a panel of their own.
		expect(await tab(page, "Nodes").count()).toBe(0);
		await done();
	});
});

describe("several tabs", () => {
	const CLAIM =
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: one, namespace: research}\nspec:\n  devices:\n    requests:\n    - name: gpu\n      exactly: {deviceClassName: gpu}\n";
	const POD =
		"apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: research}\nspec:\n  containers: [{name: c, image: x, resources: {claims: [{name: gpu}]}}]\n  resourceClaims: [{name: gpu, resourceClaimName: one}]\n";
	const JSON_CLUSTER = `{\n\t"apiVersion": "v1", "kind": "List", "items": [\n\t{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}},\n\t{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}},\n\t{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": {"driver": "d.example.com", "nodeName": "a", "pool": {"name": "a", "generation": 1, "resourceSliceCount": 1}, "devices": [{"name": "gpu-0"}]}}\n\t]\n}\n`;

	it("are placed together, YAML and JSON in any order", async () => {
		const all = [
			{ name: "claim.yaml", text: CLAIM },
			{ name: "pod.yaml", text: POD },
			{ name: "cluster.json", text: JSON_CLUSTER },
		];
		for (const files of [all, [...all].reverse()]) {
			const { page, done } = await openPage();
			await settled(page);
			await drop(page, files);
			await tab(page, "Devices").click();
			await expect
				.poll(() => page.locator(".devices .cell").allTextContents())
				.toEqual(["✓gpu-0"]);
			expect(await page.locator(".commands code").last().textContent()).toBe(
				`npx claimkit allocate ${files.map(({ name }) => name).join(" ")}`,
			);
			await page.locator(".devices .cell").click();
			await page.locator(".request-funnel .link-button").click();
			expect(await page.locator(".file-tab.current").textContent()).toContain(
				"claim.yaml",
			);
			await done();
		}
	});

	it("are checked together: a pod's references are looked for in the others", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await drop(page, [
			{
				name: "pod.yaml",
				text: POD.replace(
					"resourceClaimName: one",
					"resourceClaimName: another",
				),
			},
			{ name: "claim.yaml", text: CLAIM },
		]);
		await page.locator(".file-open", { hasText: "pod.yaml" }).click();
		await page.locator(".finding", { hasText: "claim-not-in-input" }).waitFor();
		expect(await page.locator(".verdict h2").textContent()).not.toBe(
			"Nothing was checked",
		);
		// It follows the other tab.
		await page.locator(".file-open", { hasText: "claim.yaml" }).click();
		await setText(page, CLAIM.replace("name: one", "name: another"));
		await page.locator(".file-open", { hasText: "pod.yaml" }).click();
		await page
			.locator(".finding", { hasText: "claim-not-in-input" })
			.waitFor({ state: "detached" });
		await done();
	});

	it("are converted together: parameters of another tab are not lost", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await drop(page, [
			{
				name: "claim.yaml",
				text: "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: one, namespace: ns}\nspec:\n  resourceClassName: intel-gpu\n  parametersRef: {apiGroup: gpu.resource.intel.com, kind: GpuClaimParameters, name: two}\n",
			},
			{
				name: "params.yaml",
				text: "apiVersion: gpu.resource.intel.com/v1alpha2\nkind: GpuClaimParameters\nmetadata: {name: two, namespace: ns}\nspec: {count: 2, type: gpu}\n",
			},
		]);
		await page.locator(".file-open", { hasText: "claim.yaml" }).click();
		await tab(page, "Convert").click();
		await page.locator(".good-line", { hasText: "Nothing is lost." }).waitFor();
		expect(
			await page.getByText("the parameters object is not in the text").count(),
		).toBe(0);
		await page.getByRole("button", { name: "Apply", exact: true }).click();
		await expect.poll(() => textOf(page)).toContain("count: 2");
		expect(await textOf(page)).not.toContain("GpuClaimParameters");
		await done();
	});
});

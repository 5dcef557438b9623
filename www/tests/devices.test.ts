import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { idle, openPage, setText, settled, setUp, textOf } from "./page.ts";

setUp();

const EXAMPLE = readFileSync(
	new URL("../src/examples/gpu-pod.yaml", import.meta.url),
	"utf8",
);

/** A claim whose two requests could each be met, but not with the same value of an attribute. */
const PAIR = `apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: pair, namespace: demo}
spec:
  devices:
    requests:
    - name: gpu
      deviceClassName: gpu.example.com
    - name: nic # beside the GPU
      deviceClassName: nic.example.org
    constraints:
    - matchAttribute: resource.kubernetes.io/pcieRoot
---
apiVersion: v1
kind: Pod
metadata: {name: pod0, namespace: demo}
spec:
  containers: [{name: c, image: x, resources: {claims: [{name: pair}]}}]
  resourceClaims: [{name: pair, resourceClaimName: pair}]
---
apiVersion: v1
kind: Node
metadata: {name: node-a}
${["gpu.example.com", "nic.example.org"]
	.map(
		(driver, at) => `---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: ${driver}}
spec: {selectors: [{cel: {expression: 'device.driver == "${driver}"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: slice-${at}}
spec:
  driver: ${driver}
  nodeName: node-a
  pool: {name: node-a, generation: 1, resourceSliceCount: 1}
  devices: [{name: dev-${at}, attributes: {resource.kubernetes.io/pcieRoot: {string: "pci0000:0${at}"}}}]
`,
	)
	.join("")}`;

describe("devices", () => {
	it("copies an account as Markdown in the language of the page", async () => {
		for (const [locale, copy, words] of [
			[
				"en-US",
				"Copy as Markdown",
				/^- request `gpu` \(wants 1\): 2 on the node → .* → 0 not tainted\n {2}- `gpu-0`: tainted .*\n/m,
			],
			[
				"zh-CN",
				"复制为 Markdown",
				/^- 请求 `gpu` \(需要 1 个\): 2 在节点上 → .* → 0 没有污点\n {2}- `gpu-0`: .*[\u4e00-\u9fff]/m,
			],
		] as const) {
			const { page, done } = await openPage({
				locale,
				path: "#example=gpu-pod",
			});
			await page
				.locator(".account")
				.getByRole("button", { name: copy })
				.click();
			await expect
				.poll(() => page.evaluate(() => navigator.clipboard.readText()))
				.toMatch(words);
			if (locale === "zh-CN")
				expect(
					(await page.evaluate(() => navigator.clipboard.readText())).replace(
						/`[^`]*`|\(http[^)]*\)/g,
						"",
					),
				).not.toMatch(/[a-z]{2,} [a-z]{2,} [a-z]{2,}/);
			await done();
		}
	});

	it("names a claim that no pod uses where it fails on all nodes", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(
			page,
			"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: new\nspec:\n  devices:\n    requests:\n    - name: r\n      exactly:\n        deviceClassName: gpu\n---\napiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n",
		);
		await page.getByRole("tab", { name: "Devices" }).click();
		await page
			.locator(".pod-sentences li.fits-not", { hasText: "default/new" })
			.waitFor();
		await done();
	});

	it("says in a sentence of the page's language which release is too old", async () => {
		for (const [locale, words] of [
			[
				"en-US",
				"Kubernetes 1.29.15 has no devices; 1.31 is the first that has",
			],
			["zh-CN", "Kubernetes 1.29.15 没有设备；1.31 是第一个有设备的版本"],
		] as const) {
			const { page, done } = await openPage({
				locale,
				path: "#example=gpu-pod",
			});
			await page.locator(".device-table").first().waitFor();
			await page.getByRole("button", { name: /^(Release|版本)/ }).click();
			await page.getByRole("radio", { name: /^1\.29/ }).click();
			await expect
				.poll(() => page.locator(".banner").textContent())
				.toBe(words);
			await done();
		}
	});

	it("lead from the grid to the funnel, the devices, the holder and the change that helps", async () => {
		const { page, done } = await openPage({ path: "#example=gpu-pod" });
		const grid = page.getByRole("grid");
		await grid.waitFor();
		expect(
			await page
				.getByRole("row", { name: /^node-2/ })
				.getByRole("gridcell")
				.allTextContents(),
		).toEqual(["✕No", "✓gpu-0"]);
		// One click to the funnel.
		await page
			.getByRole("row", { name: /^node-1/ })
			.getByRole("gridcell")
			.first()
			.click();
		await page
			.locator(".account", { hasText: "node-1 × training/trainer" })
			.waitFor();
		await page
			.locator(".scheduler-says", { hasText: "cannot allocate all claims" })
			.waitFor();
		expect(await page.locator(".stage > b").allTextContents()).toEqual([
			"2",
			"2",
			"2",
			"0",
		]);
		expect(await page.locator(".stage").last().textContent()).toContain(
			"free −2: gpu-0, gpu-1",
		);
		expect(await page.locator(".facts").first().textContent()).toContain(
			"prod/serving, reserved for serving-0",
		);
		expect(
			await page.locator(".device-table tbody tr").first().textContent(),
		).toContain("held by prod/serving");
		expect(await page.locator(".relaxations").textContent()).toContain(
			"freeing claim prod/serving: gives gpu-0",
		);
		// The broken link is between the class and the node.
		expect(await page.locator(".chain .broken").textContent()).toContain(
			"none",
		);
		await page.getByRole("button", { name: "Show the claim" }).click();
		expect(await page.locator(".status-bar").textContent()).toContain("Ln 66");
		expect(await page.locator(".commands code").last().textContent()).toBe(
			"npx claimkit allocate --pod training/trainer --node node-1 cluster.yaml",
		);
		await done();
	});

	it("answer after a change: a claim freed, a taint gone, one more node", async () => {
		const { page, done } = await openPage({ path: "#example=gpu-pod" });
		await page.getByRole("grid").waitFor();
		const cell = (node: string) =>
			page
				.getByRole("row", { name: new RegExp(`^${node}`) })
				.getByRole("gridcell")
				.first();
		await cell("node-1").click();
		await page
			.locator(".account", { hasText: "node-1 × training/trainer" })
			.waitFor();
		await page.getByRole("button", { name: "Try it freed" }).click();
		await page
			.locator(".account h3", { hasText: "gets its devices" })
			.waitFor();
		expect(await cell("node-1").textContent()).toBe("✓gpu-0");
		expect(await page.locator(".supposed").textContent()).toContain(
			"prod/serving holds no devices",
		);
		// Nobody needs one more node of a kind that fits already.
		expect(
			await page
				.getByRole("button", { name: "Try one more node like node-1" })
				.count(),
		).toBe(0);
		await page
			.locator(".supposed")
			.getByRole("button", { name: "Take this change back: free=prod/serving" })
			.click();
		await page.locator(".account h3", { hasText: "gets no devices" }).waitFor();
		await page
			.getByRole("button", { name: "Try one more node like node-1" })
			.click();
		await page.getByRole("row", { name: /^node-1-copy/ }).waitFor();
		await page.getByRole("button", { name: "Try it freed" }).click();
		expect(await page.locator(".commands code").last().textContent()).toBe(
			"npx claimkit allocate --what-if node-like=node-1 --what-if free=prod/serving --pod training/trainer --node node-1 cluster.yaml",
		);
		await page
			.locator(".supposed")
			.getByRole("button", { name: "Take this change back: free=prod/serving" })
			.click();
		await page.locator(".account h3", { hasText: "gets no devices" }).waitFor();
		await cell("node-1-copy").click();
		await page
			.locator(".account", { hasText: "node-1-copy × training/trainer" })
			.waitFor();
		await page
			.locator(".account h3", { hasText: "gets its devices" })
			.waitFor();
		await cell("node-3").click();
		await page
			.getByRole("button", {
				name: "Try it without the taint gpu.example.com/unhealthy=ecc:NoSchedule",
			})
			.click();
		await page
			.locator(".account h3", { hasText: "gets its devices" })
			.filter({ hasText: "node-3" })
			.waitFor();
		expect(await textOf(page)).toBe(EXAMPLE);
		await done();
	});

	it("are mended by an edit that can be taken back", async () => {
		const { page, done } = await openPage({ path: "#example=gpu-pod" });
		const tolerating = page.locator(".relaxations li", {
			hasText: "tolerating gpu.example.com/unhealthy=ecc:NoSchedule",
		});
		await tolerating.getByRole("button", { name: "Apply" }).click();
		await page
			.locator(".account h3", { hasText: "gets its devices" })
			.waitFor();
		expect(
			await page
				.getByRole("row", { name: /^node-3/ })
				.getByRole("gridcell")
				.first()
				.textContent(),
		).toBe("✓gpu-0");
		expect(await textOf(page)).toContain(
			'          tolerations:\n          - key: "gpu.example.com/unhealthy"\n            operator: "Equal"\n            value: "ecc"\n            effect: "NoSchedule"\n---',
		);
		await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
		await page.locator(".account h3", { hasText: "gets no devices" }).waitFor();
		expect(await textOf(page)).toBe(EXAMPLE);
		await page
			.locator(".relaxations li", { hasText: "dropping selector 0" })
			.getByRole("button", { name: "Apply" })
			.click();
		await page
			.locator(".account h3", { hasText: "gets its devices" })
			.waitFor();
		expect(await textOf(page)).toBe(
			EXAMPLE.replace(
				/ {10}selectors:\n {12}- cel:\n {16}expression: >-\n.*\n.*\n/,
				"",
			),
		);
		await done();
	});

	it("show the selectors of a chosen device with the value of every part", async () => {
		const { page, done } = await openPage({ path: "#example=gpu-pod" });
		await page
			.locator(".device-table .link-button", { hasText: "gpu-1" })
			.click();
		const selector = page.locator(".judged").nth(1);
		await selector.locator(".part-value").first().waitFor();
		expect(await selector.locator(".part-value").first().textContent()).toBe(
			'"t4"',
		);
		expect(
			await selector.locator(".part.false").first().textContent(),
		).toContain("model");
		await selector.locator("summary").click();
		expect(
			await selector
				.locator(".parts tr", { hasText: '== "a100"' })
				.last()
				.locator("td")
				.last()
				.textContent(),
		).toBe("false");
		await done();
	});

	it("say what keeps two requests apart, and mend a text of an older version", async () => {
		const { page, done } = await openPage({ path: "#example=gpu-pod" });
		await page.getByRole("grid").waitFor();
		await setText(page, PAIR);
		await page
			.getByRole("row", { name: /^node-a/ })
			.getByRole("gridcell")
			.first()
			.click();
		await page
			.locator(".facts", {
				hasText: "no value of resource.kubernetes.io/pcieRoot is common to all",
			})
			.waitFor();
		await page
			.locator(".relaxations li", { hasText: "dropping constraint 0" })
			.getByRole("button", { name: "Apply" })
			.click();
		await page
			.locator(".account h3", { hasText: "gets its devices" })
			.waitFor();
		expect(await textOf(page)).toBe(PAIR.replace(/ {4}constraints:\n.*\n/, ""));
		await done();
	});

	it("can be used with the keyboard, and are announced", async () => {
		const { page, done } = await openPage({ path: "#example=gpu-pod" });
		await page.locator(".account").waitFor();
		await page.getByRole("grid").focus();
		await page.keyboard.press("ArrowUp");
		await page
			.locator(".account", { hasText: "node-2 × training/trainer" })
			.waitFor();
		await page.keyboard.press("ArrowRight");
		await page
			.locator(".account h3", { hasText: "gets its devices" })
			.waitFor();
		await page
			.locator('[role="status"].sr', { hasText: "node-2, dev/notebook: Yes" })
			.waitFor({ state: "attached" });
		await done();
	});

	it("stand in a link, and in Markdown", async () => {
		const { page, done } = await openPage({ path: "#example=gpu-pod" });
		await page
			.locator(".account")
			.getByRole("button", { name: "Copy a link to this" })
			.click();
		await page
			.locator(".notice", { hasText: "Link to this answer copied" })
			.waitFor();
		const link = await page.evaluate(() => navigator.clipboard.readText());
		await page
			.locator(".account")
			.getByRole("button", { name: "Copy as Markdown" })
			.click();
		await page.locator(".notice", { hasText: "Copied as Markdown" }).waitFor();
		expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
			/^\*\*node-3\*\* × \*\*training\/trainer\*\*: gets no devices\n\nThe scheduler says: `cannot allocate all claims`/,
		);
		const opened = await openPage({
			context: page.context(),
			path: `#${link.split("#")[1]}`,
		});
		await opened.page
			.locator(".account", { hasText: "node-3 × training/trainer" })
			.waitFor();
		await opened.done();
		await done();
	});

	it("guide who has none, and say what stops a pod before any node", async () => {
		const { page, done } = await openPage();
		await setText(
			page,
			"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata:\n  name: gpu.example.com\nspec: {}\n",
		);
		await page.getByRole("tab", { name: "Devices" }).click();
		await page
			.locator(".empty", { hasText: "kubectl get pods,resourceclaims," })
			.waitFor();
		await page.getByRole("button", { name: "Open an example" }).click();
		await page.getByRole("grid").waitFor();
		await setText(page, EXAMPLE.replace("name: large-gpu", "name: other"));
		await page
			.locator(".pod-sentences li", {
				hasText: /training\/trainer .*large-gpu/,
			})
			.waitFor();
		await done();
	});

	it("say which allocated claim keeps a pod off a node, in the page's language", async () => {
		const elsewhere = {
			nodeSelectorTerms: [
				{
					matchFields: [
						{ key: "metadata.name", operator: "In", values: ["node-b"] },
					],
				},
			],
		};
		const objects = [
			{ apiVersion: "v1", kind: "Node", metadata: { name: "node-a" } },
			{
				apiVersion: "resource.k8s.io/v1",
				kind: "ResourceClaim",
				metadata: { name: "far", namespace: "demo" },
				spec: { devices: {} },
				status: { allocation: { nodeSelector: elsewhere } },
			},
			{
				apiVersion: "v1",
				kind: "Pod",
				metadata: { name: "pod0", namespace: "demo" },
				spec: { resourceClaims: [{ name: "far", resourceClaimName: "far" }] },
			},
		];
		const text = objects
			.map((object) => `---\n${JSON.stringify(object)}\n`)
			.join("");
		for (const [locale, words] of [
			["en-US", "demo/far is allocated, but not for this node"],
			["zh-CN", "demo/far 已分配，但不能用于此节点"],
		] as const) {
			const { page, done } = await openPage({ locale });
			await setText(page, text);
			await page
				.getByRole("tab", { name: locale === "en-US" ? "Devices" : "设备" })
				.click();
			// In turn the scheduler gives the claim back, which nobody reserves.
			await page
				.locator(".turn-line", {
					hasText: "resourceclaim not available on the node",
				})
				.waitFor();
			await page
				.getByRole("radio", {
					name: locale === "en-US" ? "each alone" : "各自单独",
				})
				.check();
			await page.locator(".cell.verdict-No").waitFor();
			await page
				.getByRole("row", { name: /^node-a/ })
				.getByRole("gridcell")
				.first()
				.click();
			await page.getByText(words).waitFor();
			await done();
		}
	});

	it("explain every scenario: each node without devices has a funnel, and one click is enough", async () => {
		const folder = new URL(
			"../../tests/vectors/alloc/scenarios/",
			import.meta.url,
		);
		const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
		expect(names.length).toBeGreaterThan(10);
		const { page, done } = await openPage({ path: "#example=gpu-pod" });
		for (const [number, name] of names.entries()) {
			// A new name distinguishes this grid from the one before.
			const text = readFileSync(new URL(name, folder), "utf8").replace(
				/name: (pod0|train|monitor), /,
				`name: $1-of-${number}, `,
			);
			expect(text, name).toContain(`-of-${number}, `);
			await page.getByRole("grid").waitFor();
			await setText(page, text);
			await page
				.getByRole("grid")
				.filter({ hasText: `-of-${number}` })
				.waitFor();
			await page.locator('.devices[aria-busy="false"]').waitFor();
			const cells = page.getByRole("gridcell");
			for (let i = 0; i < (await cells.count()); i++) {
				await cells.nth(i).click();
				const node = await page
					.getByRole("row")
					.nth(i + 1)
					.getByRole("rowheader")
					.textContent();
				await page
					.locator(".account h3", { hasText: `${node} ×` })
					.filter({ hasText: `-of-${number}` })
					.waitFor();
				const given = ((await cells.nth(i).textContent()) ?? "").startsWith(
					"✓",
				);
				expect(
					await page.locator(".account h3").textContent(),
					`${name} ${node}`,
				).toContain(given ? "gets its devices" : "");
				if (!given)
					expect(
						await page.locator(".stage").count(),
						`${name} ${node}`,
					).toBeGreaterThan(1);
			}
		}
		await done();
	});

	it("speak Chinese where the words are ours", async () => {
		const { page, done } = await openPage({
			path: "#example=gpu-pod",
			locale: "zh-CN",
		});
		await page
			.locator(".relaxations li", { hasText: "去掉选择算符 0" })
			.waitFor();
		expect(await page.locator(".funnel").textContent()).toMatch(
			/在节点上.*通过选择算符 0.*没有污点/,
		);
		expect(await page.locator(".device-table").textContent()).toContain(
			"由驱动设置",
		);
		await done();
	});

	it("leave the editor where somebody types", async () => {
		const { page, done } = await openPage({ path: "#example=gpu-pod" });
		await page.locator(".account .chains").waitFor();
		await page.locator(".editor-host .cm-content").click();
		await page.keyboard.press("ControlOrMeta+End");
		// Long enough for answers to come between the keys.
		await page.keyboard.type("# one two three four five six", { delay: 90 });
		await page.locator('.devices[aria-busy="false"]').waitFor();
		await idle(page);
		const line = (await page
			.locator(".editor-host .cm-line", { hasText: "four five six" })
			.boundingBox())!;
		const pane = (await page.locator(".editor-host").boundingBox())!;
		expect(line.y).toBeGreaterThan(pane.y);
		expect(line.y + line.height).toBeLessThanOrEqual(pane.y + pane.height + 1);
		await done();
	});
});

describe("expressions", () => {
	it("are tried on every device, with the trace of the chosen one", async () => {
		const { page, done } = await openPage({ path: "#example=cel" });
		await page.getByText("Selects 1 of 6 devices.").waitFor();
		expect(await page.locator(".traced pre").textContent()).toBe(
			'device.attributes["gpu.example.com"].model"a100" == "a100" &&\ndevice.capacity["gpu.example.com"].memoryquantity("40Gi").compareTo(quantity("80Gi"))-1 >= 0',
		);
		await page
			.locator(".device-row", { hasText: "gpu.example.com/node-2" })
			.first()
			.click();
		await page.locator(".part-value", { hasText: '"t4"' }).waitFor();
		await page
			.getByLabel("Device selector in CEL")
			.fill('device.attributes["gpu.example.com"].index < 4');
		await page
			.locator(".device-row .exact", { hasText: "no such key: index" })
			.first()
			.waitFor();
		await page.locator(".part.failed").first().waitFor();
		await page
			.getByLabel("Device selector in CEL")
			.fill('device.attributes["x"].y == ');
		await page.locator(".compile-error", { hasText: "Syntax error" }).waitFor();
		await page
			.locator(".expression-text .cm-lintRange-error")
			.first()
			.waitFor();
		await page.getByLabel("Selectors of the text").selectOption({ index: 1 });
		await page.getByText("Selects 6 of 6 devices.").waitFor();
		expect(await page.getByLabel("Device selector in CEL").textContent()).toBe(
			'device.driver == "gpu.example.com"',
		);
		expect(await page.locator(".commands code").textContent()).toBe(
			`npx claimkit cel --device cluster.yaml 'device.driver == "gpu.example.com"'`,
		);
		await page.reload();
		await page.getByText("Selects 6 of 6 devices.").waitFor();
		await done();
	});

	it("have advice that is true of all devices, however many there are", async () => {
		const slice = (
			at: number,
			attributes: string,
		) => `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s${at}}
spec:
  driver: gpu.example.com
  nodeName: n${at}
  pool: {name: n${at}, generation: 1, resourceSliceCount: 1}
  devices:
${Array.from({ length: 100 }, (_, device) => `  - {name: g${device}, attributes: {model: {string: a}${attributes}}}\n`).join("")}`;
		const slices = Array.from({ length: 10 }, (_, at) => slice(at, ""));
		const text = [...slices, slice(10, ", last: {bool: true}")].join("---\n");
		const { page, done } = await openPage();
		await setText(page, text);
		await page.getByRole("tab", { name: "Expression" }).click();
		const field = page.getByLabel("Device selector in CEL");
		await field.fill('device.attributes["gpu.example.com"].modle == "a"');
		await page
			.locator(".expression-answer .note", { hasText: "did you mean model?" })
			.waitFor();
		// Only the last hundred have it, which are asked about apart.
		await field.fill('device.attributes["gpu.example.com"].last');
		await page.getByText("Selects 100 of 1,100 devices.").waitFor();
		expect(
			await page.locator(".expression-answer").textContent(),
		).not.toContain("no given device");
		await done();
	});

	it("begin with the text's own selector, and are completed with what its devices have", async () => {
		const { page, done } = await openPage({ path: "#example=gpu-pod" });
		await page.getByRole("grid").waitFor();
		await page.getByRole("tab", { name: "Expression" }).click();
		const field = page.getByLabel("Device selector in CEL");
		await expect
			.poll(() => field.textContent())
			.toContain('device.attributes["gpu.example.com"].model');
		// The same colors as in a manifest.
		expect(
			await field
				.locator("span", { hasText: /^attributes$/ })
				.first()
				.evaluate((span) => getComputedStyle(span).color),
		).not.toBe(
			await field.evaluate((element) => getComputedStyle(element).color),
		);
		await field.click();
		await page.keyboard.press("ControlOrMeta+a");
		await page.keyboard.press("Backspace");
		await page.keyboard.type('device.attributes["');
		await page.getByRole("option", { name: /^gpu\.example\.com/ }).waitFor();
		await page.keyboard.press("Escape");
		await page.keyboard.press("ControlOrMeta+a");
		await page.keyboard.press("Backspace");
		// Empty stays empty.
		await page.locator(".expression-text .cm-placeholder").waitFor();
		await idle(page);
		expect(await page.locator(".expression-answer").count()).toBe(0);
		await page.keyboard.type("device.dri");
		await page.getByRole("option", { name: /^driver/ }).waitFor();
		await page.keyboard.press("Enter");
		await page.keyboard.type(' == "');
		await page
			.locator(".expression-text .cm-lintRange-error")
			.first()
			.waitFor();
		// Tab leaves the field.
		await page.keyboard.press("Escape");
		await page.keyboard.press("Tab");
		expect(
			await page.evaluate(() => document.activeElement?.className ?? ""),
		).not.toContain("expression-text");
		await done();
	});
});

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { engine } from "../build/engine.ts";
import { exampleById } from "../src/examples/index.ts";
import { dump } from "./dump.ts";
import { openPage, setText, setUp } from "./page.ts";

setUp();

const CLUSTER = readFileSync(
	new URL("../src/examples/gpu-pod.yaml", import.meta.url),
	"utf8",
);

describe("the audit of a cluster", () => {
	it("counts what is in use as the engine does, by node, pool, driver, class and namespace, in both languages", async () => {
		const { audit } = await engine();
		const text = exampleById("gpu-pod")!.files[0]!.text;
		const { usage, findings } = audit(text);
		for (const [locale, names, found] of [
			[
				"en-US",
				["Nodes", "Pools", "Drivers", "Classes", "Namespaces"],
				/finding|Nothing is wrong/,
			],
			[
				"zh-CN",
				["节点", "资源池", "驱动", "设备类", "名字空间"],
				/发现|没有问题/,
			],
		] as const) {
			const { page, done } = await openPage({
				path: "#example=gpu-pod&panel=audit",
				locale,
			});
			await page.locator(".usage-table").waitFor();
			expect(await page.locator(".audit-verdict").textContent()).toMatch(found);
			for (const [at, by] of (
				["nodes", "pools", "drivers", "classes", "namespaces"] as const
			).entries()) {
				await page
					.getByRole("radio", { name: names[at]!, exact: true })
					.check();
				const rows = usage[by];
				await expect
					.poll(() =>
						page.locator(".usage-table > tbody > tr:not(.usage-more)").count(),
					)
					.toBe(rows.length);
				const cells = await page
					.locator(".usage-table tbody tr")
					.evaluateAll((list) =>
						list.map((row) =>
							[...row.querySelectorAll("td.tabular")].map(
								(cell) => cell.textContent,
							),
						),
					);
				const skip = by === "classes" || by === "namespaces" ? 2 : 0;
				const number = (value: number | undefined) =>
					value === undefined ? "–" : String(value);
				expect(cells.map((row) => row.slice(skip))).toEqual(
					rows.map(
						({
							devices: { total, inUse, shared, blocked, tainted, free, admin },
						}) =>
							[total, inUse, shared, blocked, tainted, free, admin].map(number),
					),
				);
			}
			// The picture has the numbers' widths.
			await page.getByRole("radio", { name: names[0], exact: true }).check();
			const parts = await page
				.locator(".usage-table tbody tr")
				.first()
				.locator(".usage-bar > span")
				.evaluateAll((list) =>
					list.map((part) => Number((part as HTMLElement).style.flexGrow)),
				);
			expect(parts.reduce((sum, part) => sum + part, 0)).toBe(
				usage.nodes[0]!.devices.total,
			);
			expect(await page.locator(".audit .finding").count()).toBe(
				findings.length,
			);
			expect(await page.locator(".commands code").last().textContent()).toBe(
				"npx claimkit audit cluster.yaml",
			);
			await done();
		}
	});

	it("leads from a finding to its place, and guides who has no cluster", async () => {
		const { page, done } = await openPage({ path: "#panel=audit" });
		await page.locator(".audit, .empty").first().waitFor();
		await setText(
			page,
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
		);
		await page.getByRole("tab", { name: "Audit" }).click();
		await page.locator(".empty .kubectl").waitFor();
		await setText(page, dump({ nodes: 2, devices: 152 }));
		await page.getByRole("tab", { name: "Audit" }).click();
		const finding = page
			.locator(".finding", { hasText: "152 devices, at most 128 are accepted" })
			.first();
		await finding.waitFor();
		await finding.locator(".finding-main").click();
		await expect
			.poll(() =>
				page.locator(".editor-host .cm-activeLine").first().textContent(),
			)
			.toBe("    devices:");
		await done();
	});

	it("shows what breaks when the cluster is upgraded, and the command for it", async () => {
		const { upgrade } = await engine();
		const text = `${CLUSTER}\n---\napiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: old, namespace: default}\nspec: {devices: {requests: [{name: r, deviceClassName: gpu.example.com}]}}\n`;
		const answer = upgrade(text, { to: "1.38", manifests: true });
		expect(answer.troubles.length).toBeGreaterThan(0);
		const { page, done } = await openPage({ path: "#panel=audit" });
		await page.locator(".audit, .empty").first().waitFor();
		await setText(page, text);
		await page.getByRole("tab", { name: "Audit" }).click();
		await page.locator(".upgrade select").selectOption("1.38");
		await expect
			.poll(() => page.locator(".upgrade .finding-message").allTextContents())
			.toEqual(
				answer.findings.map(({ message }) => message.replaceAll("`", "")),
			);
		expect(await page.locator(".upgrade-verdict").textContent()).toContain(
			`from ${answer.from} to ${answer.to}`,
		);
		expect(
			await page.locator(".audit .commands code").last().textContent(),
		).toContain("npx claimkit validate --to 1.38 ");
		await done();
	});

	it("opens capacities and counters of a row", async () => {
		const { page, done } = await openPage({ path: "#panel=audit" });
		await page.locator(".audit, .empty").first().waitFor();
		await setText(
			page,
			`${CLUSTER}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: big}\nspec:\n  driver: big.example.com\n  nodeName: node-9\n  pool: {name: node-9, generation: 1, resourceSliceCount: 1}\n  devices:\n  - name: one\n    capacity: {memory: {value: 80Gi}}\n`,
		);
		await page.getByRole("tab", { name: "Audit" }).click();
		await page
			.locator(".usage-table")
			.getByRole("button", { name: "node-9" })
			.click();
		expect(await page.locator(".usage-more").textContent()).toContain(
			"0 of 80Gi used, 0 free",
		);
		await done();
	});
});

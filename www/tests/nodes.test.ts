import { describe, expect, it } from "vitest";
import { openPage, setText, setUp, textOf } from "./page.ts";

setUp();

describe("nodes", () => {
	it("explains a cell term by term and marks the requirement that decides", async () => {
		const { page, done } = await openPage({ path: "#example=placement" });
		const cell = page
			.getByRole("row", { name: /^gpu-t4-1/ })
			.getByRole("gridcell")
			.nth(1);
		await cell.click();
		expect(await cell.getAttribute("aria-selected")).toBe("true");
		const detail = page.locator(".cell-detail");
		await detail
			.locator(".reason", { hasText: "term 2 of 2 misses by one" })
			.waitFor();
		expect(await detail.locator(".scheduler-says code").textContent()).toBe(
			"excluded by resource class node filter",
		);
		expect(await detail.locator(".term").count()).toBe(2);
		expect(
			await page.locator(".editor-host .cm-placed").allTextContents(),
		).toEqual([
			"key: topology.kubernetes.io/zone",
			"operator: In",
			"values: [eu-west-1b]",
		]);
		// A requirement leads to its place.
		await detail
			.locator("button.requirement", { hasText: "gpu.example.com/count" })
			.click();
		expect(await page.locator(".status-bar").textContent()).toContain("Ln 13");
		await done();
	});

	it("answers what other labels would do, without touching the file", async () => {
		const { page, done } = await openPage({ path: "#example=placement" });
		await page
			.getByRole("row", { name: /^gpu-t4-1/ })
			.getByRole("gridcell")
			.nth(1)
			.click();
		await page.locator(".what-if summary").click();
		await page
			.getByLabel("Value of topology.kubernetes.io/zone")
			.fill("eu-west-1b");
		await page.locator(".what-if-answer", { hasText: "Possible" }).waitFor();
		await page
			.getByRole("button", { name: "Remove gpu.example.com/model" })
			.click();
		await page.locator(".what-if-answer", { hasText: "No" }).waitFor();
		await page.getByLabel("Label key").fill("gpu.example.com/model=h100");
		await page.keyboard.press("Enter");
		await page.getByLabel("Value of gpu.example.com/count").fill("8");
		await page.locator(".what-if-answer", { hasText: "Possible" }).waitFor();
		await page.getByRole("button", { name: "Reset labels" }).click();
		await page.locator(".what-if-answer").waitFor({ state: "detached" });
		await page
			.getByRole("navigation", { name: "Files" })
			.getByText("nodes.yaml")
			.click();
		expect(await textOf(page)).not.toContain(
			'h100\n    gpu.example.com/count: "2"',
		);
		await done();
	});

	it("names the requirement that empties the set, and the label that was meant", async () => {
		const { page, done } = await openPage({ path: "#example=no-node" });
		await page
			.locator(".inverse", {
				hasText: "Without it the term would select nodes",
			})
			.waitFor();
		await page
			.locator(".finding", { hasText: "no node has a label" })
			.waitFor();
		expect(
			await page.locator(".finding .finding-help").first().textContent(),
		).toContain("gpu.example.com/model");
		await done();
	});

	it("follows every edit of the manifest and of the nodes", async () => {
		const { page, done } = await openPage({ path: "#example=no-node" });
		const first = page
			.getByRole("row", { name: /^gpu-a100-1/ })
			.getByRole("gridcell")
			.first();
		expect(await first.textContent()).toContain("No");
		await page.locator(".editor-host .cm-line", { hasText: "modell" }).click();
		await page.keyboard.press("End");
		await page.keyboard.press("Backspace");
		await page.locator(".cell.verdict-Possible").first().waitFor();
		await page
			.getByRole("navigation", { name: "Files" })
			.getByText("nodes.yaml")
			.click();
		await page
			.locator(".editor-host .cm-line", { hasText: "gpu-a100-1" })
			.click();
		await page.keyboard.press("End");
		await page.keyboard.type("-renamed");
		await page.getByRole("rowheader", { name: "gpu-a100-1-renamed" }).waitFor();
		await done();
	});

	it("reads the manifests of all tabs together, and leads into the right one", async () => {
		const { page, done } = await openPage({ path: "#example=no-node" });
		await page.getByRole("grid").waitFor();
		await page.getByRole("button", { name: "New file" }).click();
		await page.getByRole("button", { name: /^Manifest/ }).click();
		await setText(
			page,
			"apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: elsewhere\n  namespace: training\nspec:\n  resourceClassName: gpu.example.com\n",
		);
		const column = page.getByRole("columnheader", { name: /elsewhere/ });
		await column.waitFor();
		await page
			.getByRole("row", { name: /^gpu-t4-1/ })
			.getByRole("gridcell")
			.last()
			.click();
		await page
			.locator(".cell-detail .reason", { hasText: "gpu.example.com/modell" })
			.waitFor();
		// The class that decides stands in the other file, which is now open with the place marked.
		expect(
			await page.locator(".editor-host .cm-placed").first().textContent(),
		).toBe("key: gpu.example.com/modell");
		expect(await page.locator(".file-tab.current").textContent()).toContain(
			"class.yaml",
		);
		expect(await page.locator(".cell-title").textContent()).toContain(
			"elsewhere",
		);
		await done();
	});

	it("offers sample nodes when there are none", async () => {
		const { page, done } = await openPage({ path: "#example=claim" });
		await page.getByRole("tab", { name: "Nodes" }).click();
		await page.getByRole("button", { name: "Add sample nodes" }).click();
		await page.getByRole("grid").waitFor();
		await done();
	});

	it("lead to the panel for the versions of a text", async () => {
		const { page, done } = await openPage({
			path: "#example=gpu-pod&panel=nodes",
		});
		await page.getByRole("button", { name: "Open Devices" }).click();
		await page.getByRole("row", { name: /^node-2/ }).waitFor();
		await page.evaluate(() => (location.hash = "example=claim"));
		await page
			.getByRole("navigation", { name: "Files" })
			.getByText("claim.yaml")
			.waitFor();
		await page.getByRole("tab", { name: "Devices" }).click();
		await page.getByRole("button", { name: "Open Nodes" }).click();
		await page.getByRole("button", { name: "Add sample nodes" }).waitFor();
		await done();
	});

	it("pasted over a manifest are put beside it, and a later text takes the offer away", async () => {
		const nodes =
			"apiVersion: v1\nkind: Node\nmetadata:\n  name: node-1\n  labels: {gpu.example.com/model: a100}\n";
		const mine =
			"apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata:\n  name: gpu\ndriverName: gpu.example.com\n";
		const { page, done } = await openPage();
		await setText(page, mine);
		await page.locator(".verdict.good").waitFor();
		await setText(page, nodes);
		await page
			.locator(".guide")
			.getByRole("button", { name: "Use as nodes" })
			.click();
		await page.getByRole("row", { name: /^node-1/ }).waitFor();
		const tabs = page.getByRole("navigation", { name: "Files" });
		expect(await tabs.getByRole("listitem").count()).toBe(2);
		await tabs.getByText("claim.yaml").click();
		expect(await textOf(page)).toBe(mine);
		// In another panel a line at the foot offers it, for as long as it is true.
		await page.getByRole("tab", { name: "Request" }).click();
		await setText(page, nodes);
		await page.locator(".notice", { hasText: "looks like Nodes" }).waitFor();
		await setText(page, mine);
		await page.locator(".notice").waitFor({ state: "detached" });
		await done();
	});

	it("show the answer that a link leads to, and the one that is chosen on a phone", async () => {
		const { page, done } = await openPage({
			path: "#example=gpu-pod&pod=training%2Ftrainer&node=node-1&embed=1",
			width: 800,
			height: 500,
		});
		const title = page.locator(".cell-title");
		await title.waitFor();
		const inView = () =>
			title.evaluate((element) => {
				const [own, panel] = [
					element.getBoundingClientRect(),
					document.querySelector(".panel")!.getBoundingClientRect(),
				];
				return own.top >= panel.top - 1 && own.bottom <= panel.bottom + 1;
			});
		await expect.poll(inView).toBe(true);
		await done();
		const phone = await openPage({
			path: "#example=placement",
			width: 390,
			height: 780,
		});
		await phone.page
			.getByRole("row", { name: /^gpu-t4-1/ })
			.getByRole("gridcell")
			.nth(1)
			.click();
		const chosen = phone.page.locator(".cell-title");
		await chosen.waitFor();
		await expect
			.poll(() =>
				chosen.evaluate(
					(element) =>
						element.getBoundingClientRect().bottom <=
						document.querySelector(".panel")!.getBoundingClientRect().bottom +
							1,
				),
			)
			.toBe(true);
		await phone.done();
	});
});

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openPage, setText, setUp, textOf } from "./page.ts";

setUp();

describe("convert", () => {
	it("shows both sides, copies, downloads and applies, as one step that can be undone", async () => {
		const { page, done } = await openPage({ path: "#example=v1alpha1" });
		await page.locator(".compare .cm-merge-b").waitFor();
		expect(await page.locator(".good-line").textContent()).toBe(
			"Nothing is lost.",
		);
		const before = await textOf(page);
		const wanted = before
			.replaceAll("resource.k8s.io/v1alpha1", "resource.k8s.io/v1alpha2")
			.replace("kind: PodScheduling\n", "kind: PodSchedulingContext\n")
			.replace(
				/resourceHandle: ('.*')( {3}# written by the driver)/,
				"resourceHandles:\n    - driverName: gpu.example.com\n      data: $1$2",
			);
		await page.getByRole("button", { name: "Copy", exact: true }).click();
		await page.locator(".notice", { hasText: "Copied" }).waitFor();
		expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
			wanted,
		);
		const download = page.waitForEvent("download");
		await page.getByRole("button", { name: "Download" }).click();
		const file = await download;
		expect(readFileSync(await file.path(), "utf8")).toBe(wanted);
		await page.getByRole("button", { name: "Apply" }).click();
		await page
			.locator(".notice", { hasText: "converted text is in the editor" })
			.waitFor();
		expect(await textOf(page)).toBe(wanted);
		await page.locator(".cm-content").first().focus();
		await page.keyboard.press("ControlOrMeta+z");
		expect(await textOf(page)).toBe(before);
		await done();
	});

	it("refuses losses by name, leads to each, and converts when they are allowed", async () => {
		const { page, done } = await openPage({ path: "#example=losses" });
		const losses = page.locator(".losses li");
		await losses.first().waitFor();
		expect(await losses.count()).toBe(2);
		expect(await page.locator(".compare").count()).toBe(0);
		await losses.nth(1).locator("button").click();
		expect(await page.locator(".status-bar").textContent()).toContain("Ln 23");
		// The option that allows losses is there once.
		expect(await page.getByText("Allow losses").count()).toBe(1);
		await page.getByRole("button", { name: "Allow losses" }).click();
		await page.locator(".compare .cm-merge-b").waitFor();
		expect(await page.locator(".losses h3").textContent()).toBe(
			"2 values are lost",
		);
		await done();
	});

	it("names a comment that the result lacks, and does not say that nothing is lost", async () => {
		const { page, done } = await openPage({ path: "#example=losses" });
		await setText(
			page,
			"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec:\n  devices:\n    requests:\n    - name: r\n      exactly: # why\n        {deviceClassName: g}\n",
		);
		await page.getByLabel("Convert to").selectOption("resource.k8s.io/v1beta1");
		await page
			.locator(".finding", { hasText: "the comment is not in the result" })
			.waitFor();
		await page.locator(".compare .cm-merge-b").waitFor();
		expect(await page.locator(".good-line").count()).toBe(0);
		await done();
	});

	it("says so when there is nothing to do", async () => {
		const { page, done } = await openPage({ path: "#example=v1alpha1" });
		await page.locator(".compare .cm-merge-b").waitFor();
		await page
			.getByLabel("Convert to")
			.selectOption("resource.k8s.io/v1alpha1");
		await page
			.locator(".quiet", { hasText: "every object is v1alpha1 already" })
			.waitFor();
		await done();
	});

	it("is one column on a narrow page", async () => {
		const { page, done } = await openPage({
			path: "#example=v1alpha1",
			width: 390,
			height: 844,
		});
		await page.locator(".compare .cm-deletedChunk").first().waitFor();
		expect(await page.locator(".compare .cm-merge-b").count()).toBe(1);
		expect(await page.locator(".compare .cm-merge-a").count()).toBe(0);
		await setText(
			page,
			"apiVersion: resource.k8s.io/v1alpha1\nkind: ResourceClaim\nmetadata: {name: other}\nspec: {resourceClassName: b}\n",
		);
		await page.locator(".cm-line", { hasText: "name: other" }).nth(1).waitFor();
		await page
			.locator(".compare .cm-deletedChunk", { hasText: "v1alpha1" })
			.waitFor();
		await done();
	});

	it("goes from any version to any, or to what a release serves, object by object", async () => {
		const { page, done } = await openPage({ path: "#example=v1beta1" });
		const objects = page.locator(".converted li");
		await objects.nth(1).waitFor();
		expect(await objects.allTextContents()).toEqual([
			expect.stringMatching(/^ResourceClaimTemplate two-gpusv1beta1 → v1/),
			expect.stringMatching(/^ResourceSlice node-1-gpusv1beta1 → v1/),
		]);
		await page
			.locator(".compare .cm-merge-b .cm-line", { hasText: "exactly:" })
			.waitFor();
		await objects.nth(1).getByRole("button").click();
		expect(await page.locator(".status-bar").textContent()).toContain("Ln ");
		// To a release: the newest version it serves.
		await page
			.getByLabel("Convert to")
			.selectOption({ label: "Kubernetes 1.31" });
		await objects.filter({ hasText: "v1beta1 → v1alpha3" }).first().waitFor();
		await page.getByLabel("Convert to").selectOption("resource.k8s.io/v1beta2");
		await objects.filter({ hasText: "v1beta1 → v1beta2" }).first().waitFor();
		expect(await page.locator(".commands code").textContent()).toContain(
			"npx claimkit convert --to v1beta2",
		);
		await done();
	});

	it("names what it assumes on the way from v1alpha2 to v1, and writes it into the text", async () => {
		const { page, done } = await openPage({ path: "#example=migrate" });
		const decisions = page.locator(".decisions li");
		await decisions.first().waitFor();
		await page
			.locator(".converted li", { hasText: "v1alpha2 → v1" })
			.first()
			.waitFor();
		await page
			.locator(".compare .cm-merge-b .cm-line", {
				hasText: "deviceClassName: gpu.example.com",
			})
			.waitFor();
		// It is underlined in the text, and a click leads there.
		await page.locator(".editor-host .cm-lintRange").first().waitFor();
		await decisions.first().getByRole("button").click();
		expect(await page.locator(".status-bar").textContent()).not.toContain(
			"Ln 1,",
		);
		expect(
			await page
				.locator(".compare .cm-merge-b .cm-line", { hasText: "claimkit" })
				.count(),
		).toBe(0);
		await page.getByLabel("Write them as comments into the text").check();
		await page
			.locator(
				".compare .cm-merge-b .cm-insertedLine, .compare .cm-merge-b .cm-changedLine",
				{ hasText: "# " },
			)
			.first()
			.waitFor();
		await page
			.locator(".commands code", { hasText: "convert --to v1 --annotate" })
			.waitFor();
		await done();
	});
});

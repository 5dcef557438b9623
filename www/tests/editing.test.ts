import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openPage, setText, settled, setUp, textOf } from "./page.ts";

setUp();

const TYPO = `apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata:
  name: claim
spec:
  resourceClasName: gpu.example.com
`;

describe("editing", () => {
	it("mends a finding where it is listed, and takes it back", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, TYPO);
		await page
			.locator(".finding", { hasText: "resourceClasName" })
			.getByRole("button", { name: /^Fix: write resourceClassName/ })
			.click();
		await page.locator(".verdict.good").waitFor();
		expect(await textOf(page)).toBe(
			TYPO.replace("resourceClasName", "resourceClassName"),
		);
		await page.locator(".cm-content").first().focus();
		await page.keyboard.press("ControlOrMeta+z");
		await page.locator(".verdict.bad").waitFor();
		expect(await textOf(page)).toBe(TYPO);
		await done();
	});

	it("offers the fixes of a line to the keyboard", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, TYPO);
		// The example's own findings are shown until the new text is checked.
		await page
			.locator(".finding", { hasText: "resourceClasName" })
			.first()
			.waitFor();
		await page
			.locator(".editor-host .cm-lintRange-error", {
				hasText: "resourceClasName",
			})
			.waitFor();
		await page.keyboard.press("ArrowUp");
		await page.keyboard.press("ControlOrMeta+.");
		const dialog = page.getByRole("menu", { name: "Fixes for this line" });
		await dialog.waitFor();
		await page.keyboard.press("Enter");
		await dialog.waitFor({ state: "hidden" });
		await page.locator(".verdict.good").waitFor();
		await page.keyboard.press("ControlOrMeta+Home");
		await page.keyboard.press("ControlOrMeta+.");
		await page
			.locator('[role="status"][aria-live="polite"]', {
				hasText: "No fix for this line.",
			})
			.waitFor({ state: "attached" });
		await done();
	});

	it("shows a finding with its fix under the pointer", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, TYPO);
		await page
			.locator(".editor-host .cm-lintRange-error", {
				hasText: "resourceClasName",
			})
			.hover();
		const tip = page.locator(".cm-tooltip-lint");
		await tip.waitFor();
		expect(await tip.textContent()).toContain(
			'unknown field "spec.resourceClasName"',
		);
		expect(await tip.locator("a").getAttribute("href")).toBe(
			"./codes/unknown-field.html",
		);
		await tip.locator("button").first().click();
		await page.locator(".verdict.good").waitFor();
		await done();
	});

	it("fixes all that is certain, round after round, as one step", async () => {
		const { page, done } = await openPage({ path: "#example=blog" });
		await settled(page);
		const before = await textOf(page);
		await page.getByRole("button", { name: /^Fix all/ }).click();
		await page.getByRole("button", { name: "Apply" }).click();
		await page.locator(".notice", { hasText: "applied" }).waitFor();
		const after = await textOf(page);
		expect(after).not.toContain("–--\n");
		expect(after.match(/^---$/gm)).toHaveLength(2);
		await page.locator(".cm-content").first().focus();
		await page.keyboard.press("ControlOrMeta+z");
		expect(await textOf(page)).toBe(before);
		await done();
	});

	it("types over a selection, plain and with brackets, as one step", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, TYPO);
		await page.keyboard.press("ControlOrMeta+a");
		await page.keyboard.type("x: y");
		expect(await textOf(page)).toBe("x: y");
		await page.keyboard.press("Shift+Home");
		await page.keyboard.type("[");
		expect(await textOf(page)).toBe("[x: y]");
		await page.keyboard.press("ControlOrMeta+z");
		await page.keyboard.press("ControlOrMeta+z");
		expect(await textOf(page)).toBe(TYPO);
		await done();
	});

	it("folds a whole document at its separator", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, `${TYPO}---\n${TYPO}`);
		await page.keyboard.press("ControlOrMeta+Home");
		for (let i = 0; i < 6; i++) await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Control+Shift+BracketLeft");
		await page.locator(".cm-foldPlaceholder").waitFor();
		expect(await page.locator(".editor-host .cm-line").count()).toBe(7 + 1);
		await done();
	});

	it("has files as tabs: new, renamed, closed, taken back, each checked by itself", async () => {
		const { page, done } = await openPage({ path: "#example=three-mistakes" });
		await settled(page);
		await page.getByRole("button", { name: "New file" }).click();
		await page.getByRole("button", { name: /^Manifest/ }).click();
		await setText(page, TYPO);
		await page.locator(".verdict", { hasText: "1 error" }).waitFor();
		await page.getByRole("button", { name: /^File options/ }).click();
		await page.getByLabel("Name", { exact: true }).fill("second.yaml");
		await page.keyboard.press("Enter");
		const tabs = page.getByRole("navigation", { name: "Files" });
		await tabs.getByText("second.yaml").waitFor();
		// The first manifest keeps its own count, and its own text.
		expect(
			await tabs
				.locator("li", { hasText: "claim.yaml" })
				.locator(".badge")
				.textContent(),
		).toContain("3");
		await tabs.getByText("claim.yaml").click();
		await page.locator(".finding", { hasText: "Large-GPU" }).waitFor();
		expect(await page.locator(".finding").count()).toBe(3);
		await tabs.getByText("second.yaml").click();
		expect(await textOf(page)).toBe(TYPO);
		await page.getByRole("button", { name: "Close second.yaml" }).click();
		expect(await tabs.getByText("second.yaml").count()).toBe(0);
		await page.getByRole("button", { name: "Undo" }).click();
		await tabs.getByText("second.yaml").waitFor();
		expect(await textOf(page)).toBe(TYPO);
		await done();
	});

	it("opens dropped files, knows nodes from manifests, and gives back the bytes it was given", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const crlf = TYPO.replace("resourceClasName", "resourceClassName").replace(
			/\n/g,
			"\r\n",
		);
		const transfer = await page.evaluateHandle((text) => {
			const data = new DataTransfer();
			data.items.add(new File([text], "dropped.yaml"));
			data.items.add(
				new File(
					[
						'{"kind":"List","apiVersion":"v1","items":[{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"}}]}',
					],
					"cluster.json",
				),
			);
			return data;
		}, crlf);
		await page.dispatchEvent("body", "dragenter", { dataTransfer: transfer });
		await page.locator(".drop").waitFor();
		await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
		await page.locator(".drop").waitFor({ state: "detached" });
		const tabs = page.getByRole("navigation", { name: "Files" });
		await tabs
			.getByRole("button", { name: /cluster\.json \(Nodes\)/ })
			.waitFor();
		await tabs.getByText("dropped.yaml").click();
		await page.locator(".verdict.good").waitFor();
		await page.getByRole("button", { name: /^File options/ }).click();
		const download = page.waitForEvent("download");
		await page.getByRole("button", { name: "Download", exact: true }).click();
		const file = await download;
		expect(file.suggestedFilename()).toBe("dropped.yaml");
		expect(readFileSync(await file.path(), "utf8")).toBe(crlf);
		await done();
	});

	it("offers to use pasted nodes as nodes", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(
			page,
			"apiVersion: v1\nkind: Node\nmetadata:\n  name: pasted-node\n  labels: {a: b}\n",
		);
		await page
			.locator(".guide")
			.getByRole("button", { name: "Use as nodes" })
			.click();
		await page
			.getByRole("navigation", { name: "Files" })
			.getByText("nodes.yaml")
			.waitFor();
		expect(await textOf(page)).toContain("pasted-node");
		// The example is not theirs: its objects do not mix with these nodes.
		await page
			.getByRole("navigation", { name: "Files" })
			.getByText("claim.yaml")
			.click();
		expect(await textOf(page)).toBe("");
		await done();
	});
});

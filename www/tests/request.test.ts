import { describe, expect, it } from "vitest";
import { openPage, setText, setUp, textOf } from "./page.ts";

setUp();

describe("request", () => {
	it("refuses an update of a fixed field with the server's words, and shows both sides", async () => {
		const { page, done } = await openPage({ path: "#example=update" });
		await page.locator(".verdict-line", { hasText: "422 Invalid" }).waitFor();
		expect(
			await page.locator(".finding-message").first().textContent(),
		).toMatch(/^spec: Invalid value: .*: field is immutable$/);
		await page
			.locator(".compare .cm-merge-b", { hasText: "bigger-gpu.example.com" })
			.waitFor();
		expect(
			await page
				.locator(".compare .cm-deletedChunk")
				.allTextContents()
				.then((all) => all.join("\n")),
		).toContain("creationTimestamp");
		// The editor underlines the errors of this request, not those of a create.
		await page.locator(".editor-host .cm-lintRange-error").first().waitFor();
		expect(
			await page.locator(".editor-host .cm-lintRange-error").allTextContents(),
		).not.toContain('"41"');
		await done();
	});

	it("takes the update once the field is as stored", async () => {
		const { page, done } = await openPage({ path: "#example=update" });
		await page.locator(".verdict-line", { hasText: "422 Invalid" }).waitFor();
		await page
			.locator(".editor-host .cm-line", { hasText: "resourceClassName" })
			.click();
		await page.keyboard.press("Home");
		await page.keyboard.press("Shift+End");
		await page.keyboard.type("resourceClassName: gpu.example.com");
		await page
			.locator(".verdict-line.good", { hasText: "would take it" })
			.waitFor();
		await done();
	});

	it("judges a status update", async () => {
		const { page, done } = await openPage({ path: "#example=status" });
		await page
			.locator(".finding-message", {
				hasText: "may not be reserved more than once",
			})
			.waitFor();
		await page.getByLabel("Operation").selectOption("create");
		await page
			.locator(".finding-message", { hasText: "resourceVersion" })
			.first()
			.waitFor();
		await done();
	});

	it("shows defaults of a create, one object at a time, in the chosen namespace", async () => {
		const { page, done } = await openPage({ path: "#example=placement" });
		await page.getByRole("tab", { name: "Request" }).click();
		await page
			.getByRole("combobox", { name: "Objects" })
			.selectOption({ index: 1 });
		await page
			.locator(".compare .cm-merge-b", {
				hasText: "allocationMode: WaitForFirstConsumer",
			})
			.waitFor();
		expect(
			await page
				.locator(".compare .cm-deletedChunk")
				.allTextContents()
				.then((all) => all.join("\n")),
		).not.toContain("allocationMode");
		await page.locator(".verdict-line.good").waitFor();
		await page.getByLabel("Namespace").fill("elsewhere");
		await page
			.locator(".finding-message", {
				hasText: "the namespace from the provided object",
			})
			.first()
			.waitFor();
		await done();
	});

	it("applies a patch of each type to the stored object, and shows what it becomes", async () => {
		const { page, done } = await openPage({ path: "#example=update" });
		await page.locator(".verdict-line", { hasText: "422 Invalid" }).waitFor();
		await page.getByLabel("Operation").selectOption("patch");
		await page.locator(".file-choice.missing button").click();
		await page
			.locator(".verdict-line.good", { hasText: "would take it" })
			.waitFor();
		await page
			.locator(".compare .cm-merge-b", { hasText: "team: vision" })
			.waitFor();
		expect(
			await page
				.locator(".compare .cm-deletedChunk")
				.allTextContents()
				.then((all) => all.join("\n")),
		).not.toContain("team: vision");
		// The same text is not a list of JSON patch operations.
		await page.getByLabel("Patch type").selectOption("json");
		await page.locator(".verdict-line.bad").waitFor();
		await page.getByLabel("Patch type").selectOption("merge");
		await page.locator(".verdict-line.good").waitFor();
		await done();
	});

	it("makes a stored object when there is none", async () => {
		const { page, done } = await openPage({ path: "#example=claim" });
		const text = await textOf(page);
		await page.getByRole("tab", { name: "Request" }).click();
		await page.getByLabel("Operation").selectOption("update");
		await page
			.getByRole("button", { name: "Use the manifest as stored object" })
			.click();
		await page.getByRole("button", { name: "Edit" }).click();
		expect(await textOf(page)).toBe(text);
		await done();
	});

	it("asks with the feature gates and the labels of the namespace, in every panel and command", async () => {
		const { page, done } = await openPage();
		await page.locator(".verdict").waitFor();
		const claim =
			"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a, namespace: b}\nspec:\n  devices:\n    requests:\n    - name: gpu\n      exactly: {deviceClassName: c, adminAccess: true, capacity: {requests: {memory: 1Gi}}}\n";
		const open = (name: string, text: string) =>
			page
				.locator('input[type="file"]')
				.first()
				.setInputFiles({
					name,
					mimeType: "text/plain",
					buffer: Buffer.from(text),
				});
		await open("claim.yaml", claim);
		await page.getByRole("tab", { name: "Request" }).click();
		const finding = (words: string) =>
			page.locator(".finding-message", { hasText: words });
		await open(
			"claimkit.toml",
			'release = "1.34"\n[gates]\nDRAConsumableCapacity = false\n[namespace-labels]\nteam = "a"\n',
		);
		await finding("capacity").first().waitFor();
		await finding("admin access to devices requires").first().waitFor();
		await expect
			.poll(() => page.locator(".commands code").textContent())
			.toBe(
				"npx claimkit validate --release 1.34 --gates DRAConsumableCapacity=false --namespace-labels team=a claim.yaml",
			);
		await page.locator(".file-open", { hasText: "claimkit.toml" }).click();
		await setText(
			page,
			'release = "1.34"\n[gates]\nDRAConsumableCapacity = true\n[namespace-labels]\n"resource.kubernetes.io/admin-access" = "true"\n',
		);
		await finding("capacity").first().waitFor({ state: "detached" });
		await finding("admin access to devices requires")
			.first()
			.waitFor({ state: "detached" });
		await done();
	});
});

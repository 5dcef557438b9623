import { describe, expect, it } from "vitest";
import { engine } from "../build/engine.ts";
import { dump } from "./dump.ts";
import {
	openFiles,
	openPage,
	setText,
	settled,
	setUp,
	textOf,
} from "./page.ts";

setUp();

const BAD = `apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata:
  name: claim
  namespace: training
spec:
  resourceClassName: gpu.example.com
  allocationMode: Later
`;

describe("problems", () => {
	it("shows what the API server says, where it stands, and the exact Status", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, BAD);
		const finding = page.locator(".finding", { hasText: "Unsupported value" });
		await finding.waitFor();
		expect(await finding.locator(".finding-message").textContent()).toBe(
			'spec.allocationMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
		);
		expect(await page.locator(".verdict h2").textContent()).toBe(
			"The API server would refuse this: 1 error",
		);
		expect(
			await page.locator(".editor-host .cm-lintRange-error").textContent(),
		).toBe("Later");
		await page.locator(".object summary").click();
		const status = JSON.parse(
			(await page.locator(".status-body pre").textContent()) ?? "",
		);
		expect(status).toMatchObject({
			kind: "Status",
			code: 422,
			reason: "Invalid",
			details: {
				causes: [
					{ reason: "FieldValueNotSupported", field: "spec.allocationMode" },
				],
			},
		});
		await finding.locator("button.finding-main").click();
		expect(await page.locator(".status-bar").textContent()).toContain(
			"Ln 8, Col 24",
		);
		await done();
	});

	it("is quiet about a good manifest", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, BAD.replace("Later", "Immediate"));
		await page.locator(".verdict.good").waitFor();
		expect(await page.locator(".finding").count()).toBe(0);
		expect(await page.locator(".editor-host .cm-lintRange").count()).toBe(0);
		expect(await textOf(page)).toBe(BAD.replace("Later", "Immediate"));
		await done();
	});

	it("judges by the chosen release at once", async () => {
		const { page, done } = await openPage({ path: "#example=structured" });
		await page.locator(".verdict.good").waitFor();
		await page.getByRole("button", { name: /^Release/ }).click();
		await page.getByRole("radio", { name: /^1\.29/ }).click();
		await page.locator(".verdict.bad").waitFor();
		expect(await page.locator(".finding").count()).toBeGreaterThan(0);
		await done();
	});

	it("of a dump stand the worst first, wherever they are in the text", async () => {
		const { validate } = await engine();
		const text = `${dump({ pods: 2 })}- apiVersion: resource.k8s.io/v1
  kind: ResourceClaim
  metadata: {name: last, namespace: default, resourceVersion: "7", uid: u}
  spec: {devices: {requests: [{name: r, exactly: {deviceClassName: absent}}]}}
`;
		const SEVERITIES = ["error", "warning", "info"];
		const { findings } = validate(text);
		const of = (origin: string) =>
			findings
				.filter((finding) => finding.origin === origin)
				.map(({ severity }) => SEVERITIES.indexOf(severity));
		// The engine names them in the order of the text.
		expect(of("claimkit")).not.toEqual([...of("claimkit")].sort());
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, text);
		await page.getByRole("tab", { name: "Problems" }).click();
		await page
			.locator(".problems .finding-message", { hasText: "absent" })
			.first()
			.waitFor();
		const groups = page.locator(".problems .finding-group");
		for (const group of await groups.all()) {
			const shown = await group
				.locator(".severity")
				.evaluateAll((list) =>
					list.map(({ classList }) =>
						["error", "warning", "info"].findIndex((word) =>
							classList.contains(word),
						),
					),
				);
			expect(shown).toEqual([...shown].sort());
		}
		await done();
	});

	it("of a file that is not checked yet have no time", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, BAD);
		await page.locator(".timing").waitFor();
		const text = dump({ nodes: 200, devices: 40, pods: 20 });
		await openFiles(page, [{ name: "large.yaml", text }]);
		await page
			.locator(".file-tab.current", { hasText: "large.yaml" })
			.waitFor();
		await page.locator(".panel-problems", { hasText: "Checking…" }).waitFor();
		expect(await page.locator(".timing").count()).toBe(0);
		await page.locator(".timing").waitFor();
		await done();
	});

	it("has none in an empty file", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, " ");
		await page.keyboard.press("Backspace");
		await page.locator(".quiet", { hasText: "Paste a manifest" }).waitFor();
		await expect
			.poll(() =>
				page.locator(".badge, .cm-lint-marker, .cm-lintPoint").count(),
			)
			.toBe(0);
		await done();
	});
});

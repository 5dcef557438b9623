import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { exampleById } from "../src/examples/index.ts";
import { ran } from "./command.ts";
import { openPage, setText, settled, setUp, textOf } from "./page.ts";

setUp();

describe("policy", () => {
	it("shows what the policy answers, and what it changes", async () => {
		const { page, done } = await openPage({ path: "#example=policy" });
		await page
			.locator(".admitted .chip", { hasText: "allowed, changed" })
			.waitFor();
		await page
			.locator(".compare .cm-merge-b .cm-changedLine", {
				hasText: "resourceClassName: gpu.example.com",
			})
			.waitFor();
		await page.getByLabel("Insert an example").selectOption("deny");
		await page
			.locator(".admitted .chip", { hasText: "denied · 403" })
			.waitFor();
		expect(
			await page.locator(".admitted .exact").first().textContent(),
		).toContain("spec.allocationMode");
		// The exempt user may.
		await page
			.getByLabel("User")
			.fill("system:serviceaccount:gpu-driver:controller");
		await page.locator(".admitted .chip", { hasText: "allowed" }).waitFor();
		// The same on the command line, with the request as a file.
		const download = page.waitForEvent("download");
		await page
			.getByRole("button", { name: "Save its AdmissionRequest" })
			.click();
		const saved = await download;
		expect(JSON.parse(readFileSync(await saved.path(), "utf8"))).toMatchObject({
			operation: "CREATE",
			userInfo: { username: "system:serviceaccount:gpu-driver:controller" },
			object: { kind: "ResourceClaim" },
		});
		expect(await page.locator(".commands code").first().textContent()).toBe(
			`npx claimkit admit --settings settings.yaml ${saved.suggestedFilename()}`,
		);
		// The settings are a file like any other.
		await page
			.getByRole("navigation", { name: "Files" })
			.getByText("settings.yaml")
			.click();
		expect(await textOf(page)).toContain("deny: [Immediate]");
		await done();
	});

	it("says what is wrong with settings, where it stands, as they are typed", async () => {
		const { page, done } = await openPage({ path: "#example=claim" });
		await page.getByRole("tab", { name: "Policy" }).click();
		const editor = page.getByRole("textbox", { name: "Settings" });
		await editor.click();
		await page.keyboard.type("resourceClases:\nallow: [a]");
		await page
			.locator(".finding", {
				hasText: "resourceClases: unknown setting; did you mean",
			})
			.waitFor();
		expect(
			await page
				.locator(".small-editor .cm-lintRange-error")
				.first()
				.textContent(),
		).toBe("resourceClases");
		await page.keyboard.press("ControlOrMeta+a");
		await page.keyboard.type("mode: warn");
		await page.locator(".admitted").waitFor();
		expect(
			await page
				.getByRole("navigation", { name: "Files" })
				.getByText("settings.yaml")
				.count(),
		).toBe(1);
		await done();
	});

	it("is asked about an update once there is a stored object, which is a press away", async () => {
		const { page, done } = await openPage({ path: "#example=policy" });
		const said = page.locator(".admitted").first();
		await said.waitFor();
		await page.getByLabel("Operation").selectOption("UPDATE");
		await said.locator(".policy-says", { hasText: "oldObject" }).waitFor();
		await page
			.getByRole("button", { name: "Use the manifest as stored object" })
			.click();
		await said
			.locator(".policy-says", { hasText: "oldObject" })
			.waitFor({ state: "detached" });
		expect(await page.locator(".file-name").allTextContents()).toEqual([
			"claim.yaml",
			"settings.yaml",
			"stored.yaml",
		]);
		expect(await page.getByRole("tab", { selected: true }).textContent()).toBe(
			"Policy",
		);
		await done();
	});

	it("is printed in other forms, as the command prints it", async () => {
		const { page, done } = await openPage({ path: "#example=policy" });
		await page.locator(".admitted").first().waitFor();
		const settings = exampleById("policy")!.files.find(
			({ name }) => name === "settings.yaml",
		)!;
		for (const form of ["vap", "map", "kyverno"] as const) {
			const { code, out, err } = ran(
				["policy", "--as", form, settings.name],
				[settings],
			);
			const printed = code === 0 ? out : err.replace(/^claimkit: .*\n/m, "");
			const part = page
				.locator(".policy-form")
				.nth(["vap", "map", "kyverno"].indexOf(form));
			await part.locator("summary").click();
			await part.locator("pre").waitFor();
			expect(await part.locator("pre").textContent()).toBe(printed);
			expect(await part.getByRole("button", { name: "Download" }).count()).toBe(
				code === 0 ? 1 : 0,
			);
			expect(await part.locator(".commands code").textContent()).toBe(
				`npx claimkit policy --as ${form} settings.yaml`,
			);
		}
		await done();
	});

	it("is asked about pods and workloads, and says what it is not asked about", async () => {
		const { page, done } = await openPage({ path: "#example=gpu-pod" });
		await page.getByRole("grid").waitFor();
		await page.getByRole("tab", { name: "Policy" }).click();
		const pod = page.locator(".admitted", { hasText: "Pod trainer" });
		await pod.locator(".chip", { hasText: "allowed" }).waitFor();
		const node = page.locator(".admitted", { hasText: "Node node-1" });
		expect(await node.locator(".chip").textContent()).toBe(
			"not asked: the policy is for resource.k8s.io and for pods",
		);
		expect(await node.locator(".tick").getAttribute("class")).toContain("none");
		await page.getByRole("textbox", { name: "Settings" }).click();
		await page.keyboard.type("pods: {maxClaims: 0}");
		await pod
			.locator(".exact", {
				hasText: "at most 0 resource claims, the pod has 1",
			})
			.waitFor();
		await done();
		// An item of a list is read at its place in the list.
		const list = await openPage();
		await setText(
			list.page,
			`apiVersion: v1\nkind: List\nitems:\n- apiVersion: apps/v1\n  kind: Deployment\n  metadata:\n    name: web\n  spec:\n    template:\n      spec:\n        resourceClaims:\n        - name: gpu\n          resourceClaimName: shared\n- apiVersion: resource.k8s.io/v1\n  kind: DeviceClass\n  metadata:\n    name: gpu.example.com\n  spec: {}\n`,
		);
		await list.page.getByRole("tab", { name: "Policy" }).click();
		await list.page.getByRole("textbox", { name: "Settings" }).click();
		await list.page.keyboard.type("pods: {maxClaims: 0}");
		await list.page
			.locator(".admitted", { hasText: "Deployment web" })
			.locator(".exact", { hasText: "spec.template.spec.resourceClaims" })
			.waitFor();
		await list.done();
	});
});

describe("what is pasted as settings", () => {
	const CLAIM =
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a, namespace: ml}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.example.com}}]}}\n";
	const SETTINGS = "deviceClasses: {deny: ['gpu.*']}";

	it("may be inside a policy, as the command takes it, and is told where it is of another program", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, CLAIM);
		await page.getByRole("tab", { name: "Policy" }).click();
		const field = page.getByRole("textbox", { name: "Settings" });
		const write = async (text: string) => {
			await field.click();
			await page.keyboard.press("ControlOrMeta+a");
			await page.keyboard.insertText(text);
		};
		const inside = `apiVersion: policies.kubewarden.io/v1\nkind: ClusterAdmissionPolicy\nmetadata: {name: dra}\nspec: {module: m, settings: {${SETTINGS}}}\n`;
		const { out } = ran(
			["admit", "--settings", "policy.yaml", "claim.yaml"],
			[
				{ name: "policy.yaml", text: inside },
				{ name: "claim.yaml", text: CLAIM },
			],
		);
		await write(inside);
		const said = page.locator(".admitted .policy-says");
		await said.waitFor();
		expect(out).toContain(await said.textContent());
		await write(
			"apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: x}\nspec: {rules: []}\n",
		);
		await page
			.locator(".foreign-policy", {
				hasText: "A ClusterPolicy of kyverno.io/v1 is not asked here",
			})
			.waitFor();
		expect(await page.locator(".policy").textContent()).not.toContain(
			"unknown setting",
		);
		await done();
	});
});

describe("ValidatingAdmissionPolicies of one's own", () => {
	const claim = (count: number) => `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: train}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, count: ${count}}}]}}
`;
	const EXAMPLE = readFileSync(
		new URL("../src/examples/policy-own.yaml", import.meta.url),
		"utf8",
	);
	const settings = (page: Page) =>
		page.getByRole("textbox", { name: "Settings" });
	async function paste(page: Page, text: string): Promise<void> {
		await settings(page).click();
		await page.keyboard.press("ControlOrMeta+a");
		await page.evaluate((own) => navigator.clipboard.writeText(own), text);
		await page.keyboard.press("ControlOrMeta+v");
	}

	it("are evaluated, with the words of the command", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, claim(3));
		await page.getByRole("tab", { name: "Policy" }).click();
		await page.getByLabel("Insert an example").selectOption("own");
		await page
			.locator(".admitted .chip", { hasText: "denied · 403" })
			.waitFor();
		const said = await page.locator(".admitted .policy-says").textContent();
		const command = (await page
			.locator(".commands code")
			.first()
			.textContent())!;
		expect(command).toContain("claimkit admit ");
		const words = command.split(" ").slice(2);
		const { out } = ran(words, [
			{ name: "settings.yaml", text: EXAMPLE },
			{ name: words.at(-1)!, text: claim(3) },
		]);
		expect(said).toContain("with binding 'few-devices-everywhere'");
		expect(out).toContain(said);
		await page
			.locator(".policy-results li", {
				hasText: "few-devices · few-devices-everywhere",
			})
			.filter({ hasText: "refuses it" })
			.waitFor();
		await setText(page, claim(1));
		await page.locator(".admitted .chip", { hasText: "allowed" }).waitFor();
		await done();
	});

	it("say once what is not known or assumed, and where an expression is wrong", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, `${claim(3)}---\n${claim(1).replace("train", "b")}`);
		await page.getByRole("tab", { name: "Policy" }).click();
		const [policy = ""] = EXAMPLE.split("---");
		await paste(page, policy);
		await page
			.locator(".policy-note", { hasText: "no binding names it" })
			.waitFor();
		expect(await page.locator(".policy-note").count()).toBe(1);
		await paste(
			page,
			policy.replace(
				"spec:\n",
				"spec:\n  paramKind: {apiVersion: v1, kind: ConfigMap}\n",
			),
		);
		await page
			.locator(".policy-note", { hasText: "parameters are not given" })
			.waitFor();
		expect(await page.locator(".policy-note").count()).toBe(1);
		await page
			.locator(".admitted .chip", { hasText: "not known" })
			.first()
			.waitFor();
		await paste(
			page,
			policy.replace("exact.all(r, !has", "nothing.all(r, !has"),
		);
		await page.getByText("The API server refuses these policies").waitFor();
		await page
			.locator(".finding", {
				hasText: "spec.validations[1].expression: Invalid value",
			})
			.waitFor();
		// The second expression of the validations is underlined.
		expect(
			await page
				.locator(".small-editor .cm-line", {
					has: page.locator(".cm-lintRange-error"),
				})
				.textContent(),
		).toContain("variables.nothing");
		await done();
	});
});

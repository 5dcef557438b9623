import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
	completionsTakeKeys,
	drafted,
	openPage,
	setText,
	settled,
	setUp,
	share,
	textOf,
} from "./page.ts";

setUp();

const config = (page: Page) =>
	page.locator(".file-open", { hasText: "claimkit.toml" });

async function openConfig(
	page: Page,
	menu: string | RegExp,
	button: string,
): Promise<void> {
	await page.locator(".bar").getByRole("button", { name: menu }).click();
	await page.locator(".more-settings summary").click();
	await page.getByRole("button", { name: button }).click();
	await config(page).waitFor();
}

describe("the settings of a project", () => {
	for (const [locale, menu, button, inForce] of [
		[
			"en-US",
			/^Release/,
			"Edit as claimkit.toml",
			"In force: release 1.34.2, 1 gate, 1 namespace label",
		],
		[
			"zh-CN",
			/^版本/,
			"作为 claimkit.toml 编辑",
			"生效：版本 1.34.2，1 个门控，1 个名字空间标签",
		],
	] as const) {
		it(`are a claimkit.toml: release, gates and labels, in both directions (${locale})`, async () => {
			const { page, done } = await openPage({ locale });
			await settled(page);
			await openConfig(page, menu, button);
			await setText(
				page,
				'release = "1.34.2" # ours\n\n[gates]\nDRAConsumableCapacity = true\n\n[namespace-labels]\n"resource.kubernetes.io/admin-access" = "true"\n',
			);
			await page.locator(".config-line", { hasText: inForce }).waitFor();
			await expect
				.poll(() => page.locator(".commands code").first().textContent())
				.toContain("--release 1.34.2 --gates DRAConsumableCapacity=true");
			// The choices above are written into the file, and its other lines stay.
			await page.locator(".bar").getByRole("button", { name: menu }).click();
			await page.getByRole("radio", { name: /1\.35/ }).first().click();
			await expect
				.poll(() => textOf(page))
				.toMatch(/^release = "1\.35[.\d]*"\n/);
			expect(await textOf(page)).toContain(
				"[gates]\nDRAConsumableCapacity = true",
			);
			// And kept: in the draft, and in a link.
			await drafted(page, 'release = \\"1.35');
			await page.reload();
			await page.locator(".config-line", { hasText: "1.35" }).waitFor();
			await done();
		});
	}

	it("say what is wrong, with its line, and keep what was in force", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await openConfig(page, "Release automatic", "Edit as claimkit.toml");
		for (const [text, line, message] of [
			[
				'release = "1.36"\ngate = { A = true }\n',
				"Line 2:",
				"unknown field gate",
			],
			[
				'release = "1.36"\ngates = { A = 1 }\n',
				"Line 2:",
				"each true or false",
			],
			["release = 1.36\n", "Line 1:", "a release in quotes"],
			[
				'release = "newest"\n',
				"Line 1:",
				"is not a release; write one such as",
			],
			['release = "1.36"\n\ngates = {\n', "Line [34]:", "Invalid TOML"],
		] as const) {
			await setText(page, text);
			await page
				.locator(".config-line.bad-text", {
					hasText: new RegExp(`${line}.*${message}`),
				})
				.waitFor();
		}
		await setText(page, 'release = "1.33"\n');
		await page
			.locator(".config-line", { hasText: "In force: release 1.33, 0 gates" })
			.waitFor();
		await done();
	});

	it("are completed: keys, releases, gates by name with their defaults", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await openConfig(page, "Release automatic", "Edit as claimkit.toml");
		await setText(page, 'release = "1.34"\n');
		await page.locator(".config-line", { hasText: "release 1.34" }).waitFor();
		const list = page.locator(".cm-tooltip-autocomplete li");
		await page.keyboard.type("[gates]\nDRACons");
		await list
			.filter({ hasText: "DRAConsumableCapacity" })
			.filter({ hasText: "off by default" })
			.waitFor();
		await completionsTakeKeys(page);
		await page.keyboard.press("Enter");
		expect(await textOf(page)).toBe(
			'release = "1.34"\n[gates]\nDRAConsumableCapacity = true',
		);
		await page.locator(".config-line", { hasText: "1 gate" }).waitFor();
		await setText(page, "");
		await page.keyboard.type("rel");
		await list.filter({ hasText: "release" }).first().waitFor();
		await done();
	});

	it("leave out findings of codes that the project ignores", async () => {
		const { page, done } = await openPage({ path: "#example=three-mistakes" });
		await settled(page);
		const code = (await page.locator(".finding-foot a").first().textContent())!;
		await openConfig(page, "Release automatic", "Edit as claimkit.toml");
		await setText(page, `ignore = ["${code}"]\n`);
		await expect
			.poll(() => page.locator(".finding-foot a").allTextContents())
			.not.toContain(code);
		await done();
	});

	it("are taken from a file that is opened, and a link has only what differs from the default", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await page
			.locator('input[type="file"]')
			.first()
			.setInputFiles([
				{
					name: "claimkit.toml",
					mimeType: "text/plain",
					buffer: Buffer.from('release = "1.33"\n'),
				},
				{
					name: "class.yaml",
					mimeType: "text/yaml",
					buffer: Buffer.from(
						"apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {}\n",
					),
				},
			]);
		await page
			.locator(".bar")
			.getByRole("button", { name: "Release 1.33" })
			.waitFor();
		const link = await share(page);
		const packed = Buffer.from(
			link.slice(link.indexOf("#s=") + 3),
			"base64url",
		);
		const state = JSON.parse(
			(await import("node:zlib")).inflateRawSync(packed).toString(),
		) as { o: Record<string, unknown>; f: { r: string }[] };
		expect(state.o).toEqual({ release: "1.33" });
		expect(state.f.map(({ r }) => r).sort()).toEqual(["config", "manifest"]);
		await done();
	});
});

import { readFileSync } from "node:fs";
import { unzipSync } from "fflate";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openPage, settled, setUp, textOf } from "./page.ts";

setUp();

const claim = (version: string, more: string) =>
	`apiVersion: resource.k8s.io/${version}\nkind: ResourceClaim\nmetadata: {name: one, namespace: team-a}\nspec:\n  devices:\n    requests:\n    - name: gpu\n${more}`;
const FILES = [
	{
		name: "base/claim.yaml",
		text: claim("v1beta1", "      deviceClassName: gpu.example.com\n"),
	},
	{
		name: "base/class.yaml",
		text: "# kept\napiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: gpu.example.com}\nspec: {}\n",
	},
	{
		name: "lossy.yaml",
		text: "apiVersion: resource.k8s.io/v1alpha3\nkind: DeviceClass\nmetadata: {name: old.example.com}\nspec:\n  suitableNodes:\n    nodeSelectorTerms:\n    - matchExpressions:\n      - {key: a, operator: Exists}\n",
	},
	{
		name: "other.yaml",
		text: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
	},
	{ name: "claimkit.toml", text: 'ignore = ["status-dropped"]\n' },
];

async function openAll(page: Page): Promise<void> {
	await settled(page);
	await page
		.locator('input[type="file"]')
		.first()
		.setInputFiles(
			FILES.map(({ name, text }) => ({
				name: name.split("/").pop()!,
				mimeType: "text/yaml",
				buffer: Buffer.from(text),
			})),
		);
	await expect
		.poll(() => page.locator(".file-name").count())
		.toBe(FILES.length);
}

describe("a whole project", () => {
	it("is converted at once, with one table of what is lost, and saved as one archive", async () => {
		for (const [locale, convert, all, changes, apply, save] of [
			[
				"en-US",
				"Convert",
				"all files",
				"2 of 4 files change",
				"Apply to all",
				"Download all (zip)",
			],
			[
				"zh-CN",
				"转换",
				"所有文件",
				"4 个文件中有 2 个会更改",
				"全部应用",
				"全部下载（zip）",
			],
		] as const) {
			const { page, done } = await openPage({ locale });
			await openAll(page);
			await page.getByRole("tab", { name: convert }).click();
			await page.getByLabel(all, { exact: true }).check();
			await page
				.locator(".convert-all [role=status]", { hasText: changes })
				.waitFor();
			const rows = await page
				.locator(".project-table tbody tr")
				.evaluateAll((list) =>
					list.map((row) =>
						[
							row.querySelector("th")!.textContent,
							...[...row.querySelectorAll("td")]
								.slice(1)
								.map((cell) => cell.textContent),
						].slice(0, 4),
					),
				);
			expect(rows).toEqual([
				["claim.yaml", "v1beta1 → v1", "0", "0"],
				["class.yaml", "v1beta1 → v1", "0", "0"],
				["lossy.yaml", "v1alpha3 → v1", "1", "0"],
				["other.yaml", "–", "0", "0"],
			]);
			expect(await page.locator(".losses-table tbody tr").count()).toBe(1);
			expect(await page.locator(".losses-table tbody").textContent()).toContain(
				"lossy.yaml",
			);
			const [download] = await Promise.all([
				page.waitForEvent("download"),
				page
					.locator(".convert-all")
					.getByRole("button", { name: save })
					.click(),
			]);
			const archive = unzipSync(readFileSync(await download.path()));
			const text = (name: string) => new TextDecoder().decode(archive[name]);
			expect(Object.keys(archive).sort()).toEqual([
				"claim.yaml",
				"claimkit.toml",
				"class.yaml",
				"lossy.yaml",
				"other.yaml",
			]);
			expect(text("class.yaml")).toBe(
				"# kept\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu.example.com}\nspec: {}\n",
			);
			// A file that would lose fields is unchanged.
			expect(text("lossy.yaml")).toBe(FILES[2]!.text);
			await page.getByRole("button", { name: apply }).click();
			await page.locator(".file-open", { hasText: "claim.yaml" }).click();
			await expect.poll(() => textOf(page)).toContain("resource.k8s.io/v1\n");
			expect(await textOf(page)).toContain("exactly:");
			await done();
		}
	});
});

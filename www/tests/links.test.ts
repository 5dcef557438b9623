import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { engine } from "../build/engine.ts";
import { EXAMPLES } from "../src/examples/index.ts";
import {
	dist,
	home,
	openPage,
	setText,
	settled,
	setUp,
	share,
} from "./page.ts";

setUp();

const BESIDE = "beside-the-page.yaml";
const CLASS =
	"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu.example.com}\nspec: {}\n";

describe("addresses", () => {
	afterAll(() => rmSync(join(dist, BESIDE), { force: true }));

	it("open files that lie beside the page, and none of another origin", async () => {
		writeFileSync(join(dist, BESIDE), CLASS);
		const { page, done } = await openPage({
			path: `#open=./${BESIDE}&open=./code-examples.json&panel=convert`,
		});
		await page.locator(".file-open", { hasText: BESIDE }).waitFor();
		expect(await page.locator(".file-name").count()).toBe(2);
		expect(
			await page
				.getByRole("tab", { name: "Convert" })
				.getAttribute("aria-selected"),
		).toBe("true");
		await done();
		for (const [path, words] of [
			["https://example.com/a.yaml", "https://example.com is another origin"],
			["./not-there.yaml", "./not-there.yaml could not be read: 404"],
		] as const) {
			const other = await openPage({
				path: `#open=${encodeURIComponent(path)}`,
			});
			await other.page.locator(".notice", { hasText: words }).waitFor();
			await settled(other.page);
			// The browser itself reports the address that is not there.
			other.complaints.splice(
				0,
				other.complaints.length,
				...other.complaints.filter((line) => !line.includes("404")),
			);
			await other.done();
		}
	});

	it("are short for an example that nobody touched", async () => {
		const { page, done } = await openPage({ path: "#example=counters" });
		await page.getByRole("grid").waitFor();
		expect(await share(page)).toBe(`${home}#example=counters`);
		await page.getByRole("tab", { name: "Audit" }).click();
		expect(await share(page)).toBe(`${home}#example=counters&panel=audit`);
		await page.getByRole("tab", { name: "Devices" }).click();
		await page
			.getByRole("row", { name: /^node-a/ })
			.getByRole("gridcell")
			.first()
			.click();
		await page.locator(".account").waitFor();
		const answer = await share(page);
		expect(answer).toBe(
			`${home}#example=counters&pod=team-a%2Ftrain&node=node-a`.replace(
				"%2F",
				"/",
			),
		);
		const other = await openPage({ path: answer.slice(answer.indexOf("#")) });
		await other.page.locator(".account h3", { hasText: "node-a" }).waitFor();
		await other.done();
		await setText(page, CLASS);
		expect(await share(page)).toContain("#s=");
		await done();
	});

	it("embed the whole or the answer alone, with a snippet to copy", async () => {
		for (const [locale, more, title, alone, button] of [
			[
				"en-US",
				"More",
				"Embed this",
				"the answer alone, without the editor",
				"Copy iframe",
			],
			[
				"zh-CN",
				"更多",
				"嵌入此内容",
				"只显示答案，不显示编辑器",
				"复制 iframe",
			],
		] as const) {
			const { page, done } = await openPage({
				path: "#example=many-pods",
				locale,
			});
			await page.getByRole("grid").waitFor();
			await page.getByRole("button", { name: more, exact: true }).click();
			await page.getByRole("button", { name: title, exact: true }).click();
			await page.getByLabel(alone).check();
			await page.getByRole("button", { name: button }).click();
			await expect
				.poll(() => page.evaluate(() => navigator.clipboard.readText()))
				.toContain("<iframe");
			const snippet = await page.evaluate(() => navigator.clipboard.readText());
			expect(snippet).toBe(
				`<iframe src="${home}#example=many-pods&amp;embed=panel" title="claimkit" width="100%" height="480" loading="lazy" style="border: 1px solid #ccc"></iframe>`,
			);
			expect(await page.locator(".snippet code").last().textContent()).toBe(
				`[![claimkit](${home}badge.svg)](${home}#example=many-pods)`,
			);
			expect((await page.request.get(`${home}badge.svg`)).status()).toBe(200);
			await done();
		}
		const { page, done } = await openPage({
			path: "#example=many-pods&embed=panel",
			width: 700,
			height: 480,
		});
		await page.locator(".turns", { hasText: "2 of 3 have a node" }).waitFor();
		expect(await page.locator(".editor-host").count()).toBe(0);
		expect((await page.locator(".right").boundingBox())!.width).toBeGreaterThan(
			680,
		);
		await done();
	});

	it("lead to an example of each thing that devices can be asked for, all of which the engine accepts", async () => {
		const { allocate, validate } = await engine();
		const examples = EXAMPLES.filter(({ group }) => group === "devices");
		expect(examples.map(({ id }) => id)).toEqual([
			"many-pods",
			"counters",
			"capacity",
			"prioritized",
			"match-attribute",
			"extended",
			"taints",
			"admin-access",
		]);
		for (const { id, files } of examples) {
			const text = files[0]!.text;
			expect([
				id,
				validate(text).findings.filter(({ severity }) => severity === "error"),
			]).toEqual([id, []]);
			expect([
				id,
				allocate(text).pods.filter(({ turn }) => turn?.node != null).length,
			]).toEqual([id, id === "many-pods" ? 2 : 1]);
		}
	});
});

import { brotliCompressSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { home, openPage, setUp } from "./page.ts";

setUp();

/** The most that the first search may fetch, in bytes as brotli packs them. */
const MOST_BYTES = 30_000;

const titles = (page: Page) => page.locator(".results a").allTextContents();

describe("the search of the site", () => {
	it("finds the page of a code, of a message with names, and of a misspelt word, by keyboard alone", async () => {
		const { page, done } = await openPage();
		await page.goto(`${home}codes/index.html`);
		await page.getByRole("link", { name: "Search", exact: true }).click();
		for (const [words, title] of [
			["admin-access-label", /^admin-access-label$/],
			[
				"0/7 nodes are available: 7 cannot allocate all claims.",
				/cannot allocate all claims/,
			],
			["tolertion key", /toleration/],
		] as const) {
			await page.keyboard.press("ControlOrMeta+a");
			await page.keyboard.type(words);
			await expect
				.poll(async () => (await titles(page)).slice(0, 5))
				.toContainEqual(expect.stringMatching(title));
		}
		await page.keyboard.press("ControlOrMeta+a");
		await page.keyboard.type("admin-access-label");
		await expect
			.poll(async () => (await titles(page))[0])
			.toBe("admin-access-label");
		// The words are a link: back leads to the same results.
		expect(new URL(page.url()).searchParams.get("q")).toBe(
			"admin-access-label",
		);
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		await page.waitForURL(/codes\/admin-access-label\.html$/);
		await page.goBack();
		await page.locator(".results a").first().waitFor();
		await done();
	});

	it("finds Chinese pages by Chinese words, and says where there is none", async () => {
		const { page, done } = await openPage({ locale: "zh-CN" });
		await page.goto(`${home}search/zh/index.html?q=管理员访问`);
		await page.locator(".results a").first().waitFor();
		const addresses = await page
			.locator(".results a")
			.evaluateAll((links) =>
				links.map((link) => (link as HTMLAnchorElement).href),
			);
		expect(addresses.every((address) => address.includes("/zh/"))).toBe(true);
		await page.locator("input").fill("xyzzyxyzzy");
		await page.locator("output", { hasText: "没有页面" }).waitFor();
		await done();
	});

	it("is fetched when it is opened, and is small", async () => {
		const { page, done } = await openPage();
		const bodies: Promise<number>[] = [];
		page.on("response", (response) => {
			if (/\.(?:js|json)$/.test(new URL(response.url()).pathname))
				bodies.push(
					response.body().then((body) => brotliCompressSync(body).length),
				);
		});
		await page.goto(`${home}codes/index.html`);
		expect(bodies.length).toBe(0);
		await page.goto(`${home}search/index.html?q=taint`);
		await page.locator(".results a").first().waitFor();
		const sizes = await Promise.all(bodies);
		expect(sizes.length).toBe(2);
		expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MOST_BYTES);
		await done();
	});
});

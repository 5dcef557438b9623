import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { engine } from "../build/engine.ts";
import {
	idle,
	openPage,
	panelShown,
	setText,
	settled,
	setUp,
	textOf,
} from "./page.ts";

setUp();

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const AXE = readFileSync(
	createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
	"utf8",
);

const GOOD = `apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata:
  name: claim
spec:
  resourceClassName: gpu.example.com
`;

describe("budgets", () => {
	it("keeps the scripts within 308 KB gzip", () => {
		const assets = join(dist, "assets");
		// The search is a page of its own, whose size tests/search.test.ts bounds.
		const scripts = readdirSync(assets).filter(
			(name) => name.endsWith(".js") && !name.startsWith("search-"),
		);
		const total = scripts.reduce(
			(sum, name) =>
				sum + gzipSync(readFileSync(join(assets, name)), { level: 9 }).length,
			0,
		);
		console.log(`scripts: ${(total / 1000).toFixed(1)} KB gzip`);
		expect(total).toBeLessThanOrEqual(308_000);
	});

	it("ships the Wasm module as it was built", () => {
		const assets = join(dist, "assets");
		const modules = readdirSync(assets)
			.filter((name) => name.endsWith(".wasm"))
			.sort();
		expect(modules.map((name) => name.replace(/-.*/, ""))).toEqual([
			"claimkit_bg",
		]);
		for (const name of modules) {
			const shipped = readFileSync(join(assets, name));
			const built = `../../pkg/${name.replace(/-.*/, "")}.wasm`;
			expect(
				shipped.equals(
					readFileSync(fileURLToPath(new URL(built, import.meta.url))),
				),
			).toBe(true);
		}
	});

	it("allows no inline script or style but those whose hash its policy names", () => {
		const html = readFileSync(join(dist, "index.html"), "utf8");
		expect(html).not.toMatch(/ style="| on\w+="|unsafe-inline/);
		const inline = [...html.matchAll(/<(script|style)>([\s\S]*?)<\/\1>/g)].map(
			([, tag, text]) =>
				`${tag}-src 'self'${tag === "script" ? " 'wasm-unsafe-eval'" : ""} 'sha256-${createHash("sha256").update(text!).digest("base64")}';`,
		);
		expect(inline).toHaveLength(2);
		for (const policy of inline) expect(html).toContain(policy);
		expect(statSync(join(dist, "sw.js")).size).toBeGreaterThan(500);
	});

	it("has a page for every code a finding can have", async () => {
		const { codes } = (await engine()).codes();
		expect(codes.length).toBeGreaterThan(50);
		expect(
			codes.filter(
				({ code }) => !existsSync(join(dist, "codes", `${code}.html`)),
			),
		).toEqual([]);
	});
});

describe("layout", () => {
	it("does not jump while the page comes up", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await page.waitForLoadState("networkidle");
		await idle(page);
		const seen = await page.evaluateHandle(() => {
			const shift = { sum: 0 };
			new PerformanceObserver((list) => {
				for (const entry of list.getEntries() as (PerformanceEntry & {
					value: number;
				})[])
					shift.sum += entry.value;
			}).observe({ type: "layout-shift", buffered: true });
			return shift;
		});
		// The observer is told of what was before in a task of its own.
		await idle(page);
		const shift = await seen.evaluate(({ sum }) => sum);
		console.log(`layout shift: ${shift.toFixed(4)}`);
		expect(shift).toBeLessThan(0.02);
		await done();
	});
});

describe("sharing and keeping", () => {
	it("goes into a link and out of it unchanged, and sends it nowhere", async () => {
		const { page, context, complaints, done } = await openPage();
		await settled(page);
		const text = `${GOOD}# é 😀 中文\n`;
		await setText(page, text);
		await page.getByRole("tab", { name: "Convert" }).click();
		await page.getByRole("button", { name: /^Release/ }).click();
		await page.getByRole("radio", { name: /^1\.28/ }).click();
		await page.getByRole("button", { name: "Share" }).click();
		await page.locator(".notice", { hasText: "Link copied" }).waitFor();
		const link = await page.evaluate(() => navigator.clipboard.readText());
		expect(link).toContain("#s=");

		const other = await context.browser()!.newContext();
		const opened = await openPage({
			context: other,
			path: `#${link.split("#")[1]}`,
		});
		expect(await textOf(opened.page)).toBe(text);
		expect(
			await opened.page.getByRole("tab", { selected: true }).textContent(),
		).toContain("Convert");
		expect(
			await opened.page.getByRole("button", { name: /^Release/ }).textContent(),
		).toContain("1.28");
		await opened.done();
		await other.close();
		expect(complaints).toEqual([]);
		await done();
	});

	it("says so when a link is damaged", async () => {
		const { page, done } = await openPage({ path: "#s=notalink" });
		await page.locator(".notice", { hasText: "damaged" }).waitFor();
		await settled(page);
		await done();
	});

	it("keeps a draft over a reload; an example can be taken back; reset starts over", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, GOOD);
		await page.locator(".verdict.good").waitFor();
		await page.reload();
		await settled(page);
		expect(await textOf(page)).toBe(GOOD);
		await page.getByRole("button", { name: "Examples" }).click();
		await page
			.getByRole("button", { name: /^A dash instead of a separator/ })
			.click();
		await page.locator(".notice", { hasText: "A dash instead" }).waitFor();
		expect(await textOf(page)).toContain("–--");
		await page.getByRole("button", { name: "Take back what I had" }).click();
		await page.locator(".verdict.good").waitFor();
		expect(await textOf(page)).toBe(GOOD);
		await page.getByRole("button", { name: "More" }).click();
		await page.getByRole("button", { name: "Reset", exact: true }).click();
		await page.locator(".notice", { hasText: "first visit" }).waitFor();
		expect(await textOf(page)).toContain("three mistakes");
		await done();
	});

	it("works without a network after the first visit", async () => {
		const { page, context, done } = await openPage({ serviceWorker: true });
		await settled(page);
		await page.locator(".status-bar", { hasText: "works offline" }).waitFor();
		await context.setOffline(true);
		await page.reload();
		await settled(page);
		await page.locator(".finding").first().waitFor();
		await page.locator(".status-bar", { hasText: "offline" }).waitFor();
		await page.getByRole("tab", { name: "Convert" }).click();
		await page.locator(".convert").waitFor();
		await done();
	});
});

describe("languages", () => {
	it("speaks Chinese to a Chinese browser, and remembers a choice", async () => {
		const { page, done } = await openPage({ locale: "zh-CN" });
		await settled(page);
		expect(
			await page.getByRole("tab", { selected: true }).textContent(),
		).toContain("问题");
		expect(await page.evaluate(() => document.documentElement.lang)).toBe(
			"zh-Hans",
		);
		expect(await page.title()).toBe("claimkit 演练场");
		await page.getByRole("button", { name: "更多" }).click();
		await page.getByRole("radio", { name: "English" }).check();
		expect(
			await page.getByRole("tab", { selected: true }).textContent(),
		).toContain("Problems");
		await page.reload();
		await settled(page);
		expect(await page.evaluate(() => document.documentElement.lang)).toBe("en");
		await page.getByRole("button", { name: "More" }).click();
		await page.getByRole("radio", { name: "简体中文" }).check();
		await page.locator(".verdict", { hasText: "API 服务器会拒绝" }).waitFor();
		// The editor's own words too.
		await page.locator(".cm-content").first().click();
		await page.keyboard.press("ControlOrMeta+f");
		await page.getByPlaceholder("查找").waitFor();
		await done();
	});
});

describe("accessibility", () => {
	// Each theme, language and kind of layout once; `make test-sweeps` takes more combinations.
	const sampled = [
		["light", 1280, "en-US"],
		["dark", 320, "zh-CN"],
	] as const;
	const more = [
		["dark", 1280, "en-US"],
		["light", 390, "en-US"],
		["light", 320, "zh-CN"],
		["dark", 390, "zh-CN"],
	] as const;
	for (const [colorScheme, width, locale] of process.env.CLAIMKIT_ALL === "1"
		? [...sampled, ...more]
		: sampled) {
		it(`has no problem of any weight by axe: ${colorScheme}, ${width} px, ${locale}`, async () => {
			const { page, done } = await openPage({
				colorScheme,
				width,
				height: width < 600 ? 844 : 800,
				locale,
				path: "#example=placement",
			});
			await page.evaluate(AXE);
			const problems = async () =>
				page.evaluate(async () => {
					const axe = (
						globalThis as unknown as {
							axe: {
								run(options: object): Promise<{
									violations: {
										id: string;
										impact: string;
										nodes: { html: string; failureSummary: string }[];
									}[];
								}>;
							};
						}
					).axe;
					const { violations } = await axe.run({ resultTypes: ["violations"] });
					return violations.flatMap(({ id, nodes }) =>
						nodes.map(
							({ html, failureSummary }) =>
								`${id}: ${html.slice(0, 160)} ${failureSummary}`,
						),
					);
				});
			for (const tab of await page.getByRole("tab").all()) {
				await tab.click();
				await panelShown(page);
				if ((await tab.getAttribute("id")) === "tab-nodes") {
					await page
						.getByRole("row", { name: /^gpu-t4-1/ })
						.getByRole("gridcell")
						.nth(1)
						.click();
					await page.locator(".would-work").waitFor();
				}
				expect(await problems()).toEqual([]);
			}
			for (const example of ["gpu-pod", "cel"]) {
				await page.evaluate(
					(name) => (location.hash = `example=${name}`),
					example,
				);
				await page
					.locator(example === "cel" ? ".device-row" : ".device-table")
					.first()
					.waitFor();
				if (example === "gpu-pod") {
					await page.locator(".device-table .link-button").first().click();
					await page.locator(".judged .traced").first().waitFor();
				}
				await page.locator(".traced summary").first().click();
				expect(await problems()).toEqual([]);
			}
			// With a message that has a button, where no file is a manifest.
			await page.locator(".file-bar .popover > button").last().click();
			await page.getByRole("radio", { name: /^(Nodes|节点)/ }).check();
			await page.keyboard.press("Escape");
			await page.locator(".panel .empty").waitFor();
			await page.locator(".bar > .button").first().click();
			await page
				.locator(".gallery-item")
				.first()
				.getByRole("button")
				.first()
				.click();
			await page.locator(".notice button").first().waitFor();
			expect(await problems()).toEqual([]);
			// With an open menu, and with each dialog.
			const menu = page.locator(".bar .popover > button").last();
			await menu.click();
			expect(await problems()).toEqual([]);
			for (let i = 0; i < 3; i++) {
				if ((await page.locator(".popover-panel").count()) === 0)
					await menu.click();
				await page.locator(".popover-panel .menu-item").nth(i).click();
				await page.getByRole("dialog").waitFor();
				await panelShown(page);
				expect(await problems()).toEqual([]);
				await page.keyboard.press("Escape");
				await page.locator("dialog").waitFor({ state: "detached" });
			}
			await page.locator(".bar > .button").first().click();
			await page.locator(".code-gallery li").first().waitFor();
			expect(await problems()).toEqual([]);
			await page.keyboard.press("Escape");
			// Nothing sticks out at the side.
			expect(
				await page.evaluate(
					() => document.documentElement.scrollWidth <= innerWidth,
				),
			).toBe(true);
			await done();
		});
	}

	it("can be used with the keyboard alone", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const focused = () =>
			page.evaluate(() => {
				let element = document.activeElement;
				while (element?.shadowRoot?.activeElement)
					element = element.shadowRoot.activeElement;
				const style = element ? getComputedStyle(element) : null;
				return {
					text: element?.textContent?.trim().slice(0, 40) ?? "",
					role:
						element?.getAttribute("role") ??
						element?.tagName.toLowerCase() ??
						"",
					outline: style?.outlineStyle ?? "",
				};
			});
		const tabTo = async (
			wanted: (at: Awaited<ReturnType<typeof focused>>) => boolean,
			most = 30,
		) => {
			for (let i = 0; i < most; i++) {
				await page.keyboard.press("Tab");
				const at = await focused();
				if (wanted(at)) return at;
			}
			throw new Error(
				`not reached with ${most} presses of Tab; now at ${JSON.stringify(await focused())}`,
			);
		};
		// Open an example from the menu.
		await tabTo(({ text }) => text.startsWith("Examples"));
		expect((await focused()).outline).toBe("solid");
		await page.keyboard.press("Enter");
		await tabTo(({ text }) => text.startsWith("Three mistakes"));
		await page.keyboard.press("Enter");
		await page.locator(".notice", { hasText: "Three mistakes" }).waitFor();
		// Into the editor, type, and out again.
		await tabTo(({ role }) => role === "textbox");
		await page.keyboard.press("Tab");
		expect((await focused()).role).toBe("textbox");
		await page.keyboard.press("ControlOrMeta+z");
		await page.keyboard.press("Escape");
		await page.keyboard.press("Tab");
		expect((await focused()).role).toBe("separator");
		const share = await page
			.getByRole("separator")
			.getAttribute("aria-valuenow");
		await page.keyboard.press("ArrowLeft");
		expect(
			Number(await page.getByRole("separator").getAttribute("aria-valuenow")),
		).toBeLessThan(Number(share));
		// Panels by arrow keys, a finding by Enter leads into the editor.
		await page.keyboard.press("Tab");
		expect((await focused()).role).toBe("tab");
		await page.keyboard.press("ArrowRight");
		expect(
			await page.getByRole("tab", { selected: true }).textContent(),
		).toContain("Convert");
		await page.keyboard.press("Alt+1");
		expect(
			await page.getByRole("tab", { selected: true }).textContent(),
		).toContain("Problems");
		await tabTo(
			({ role, text }) => role === "button" && text.includes("metadata.name"),
		);
		await page.keyboard.press("Enter");
		expect((await focused()).role).toBe("textbox");
		expect(await page.locator(".status-bar").textContent()).toContain("Ln 5");
		await done();
	});

	it("tells a screen reader how many problems there are", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, GOOD);
		await page
			.locator('[role="status"][aria-live="polite"]', {
				hasText: "No problems.",
			})
			.waitFor({ state: "attached" });
		await setText(page, GOOD.replace("name: claim", "name: Claim"));
		await page
			.locator('[role="status"][aria-live="polite"]', { hasText: "1 error" })
			.waitFor({ state: "attached" });
		await done();
	});
});

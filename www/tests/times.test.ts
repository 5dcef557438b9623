import { describe, expect, it } from "vitest";
import {
	openPage,
	setText,
	settled,
	setUp,
	textOf,
	threadClock,
} from "./page.ts";

setUp();

/** These tests measure time, so nothing runs beside them: vite.config.ts starts them after all others. */

const CLAIM = `apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata:
  name: claim
spec:
  resourceClassName: gpu.example.com
`;

describe("speed", () => {
	it("shows the first findings soon, on a processor four times slower too", async () => {
		const first = await openPage(); // warms the browser's own caches of code, as a second visit finds them
		await settled(first.page);
		// A fixed task shows how fast the machine is today: a budget in plain time would fail with it.
		const task = await first.page.evaluate(() => {
			const turns = Array.from({ length: 7 }, () => {
				const start = performance.now();
				for (let i = 0; i < 300; i++)
					JSON.stringify(
						JSON.parse(
							JSON.stringify(
								Array.from({ length: 200 }, (_, at) => ({
									name: `n${at}`,
									at,
								})),
							),
						),
					);
				return performance.now() - start;
			});
			return Math.min(...turns);
		});
		await first.done();
		// Measured beside seven builds on two cores, where the task took 18 to 20 ms: 650 to 1,000 ms, and 2,100 to 2,800 at a quarter of the
		// speed. The page's own thread works 230 ms of that, so that a quarter of the speed of an idle machine is within 1.5 s.
		for (const [rate, wanted] of [
			[1, 1000],
			[4, 3000],
		] as const) {
			const budget = wanted * Math.max(1, task / 20);
			const times: number[] = [];
			// Until one load was not held up by other programs.
			for (let i = 0; i < 10 && Math.min(...times) > budget; i++) {
				const { page, done } = await openPage({
					prepare: async (page) =>
						(await page.context().newCDPSession(page)).send(
							"Emulation.setCPUThrottlingRate",
							{ rate },
						),
				});
				await page.locator(".finding").first().waitFor();
				times.push(
					await page.evaluate(
						() =>
							performance.getEntriesByName("claimkit-first-findings")[0]
								?.startTime ?? Infinity,
					),
				);
				await done();
			}
			console.log(
				`the fixed task took ${task.toFixed(1)} ms; first findings at 1/${rate} of the speed after ${times.map((time) => Math.round(time)).join(", ")} ms`,
			);
			expect(Math.min(...times)).toBeLessThanOrEqual(budget);
		}
	});

	it("paints within a second on Fast 3G, text and first finding", async () => {
		const { page, done } = await openPage();
		const cdp = await page.context().newCDPSession(page);
		await cdp.send("Network.enable");
		await cdp.send("Network.setBypassServiceWorker", { bypass: true });
		await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
		// The browser's own tools call this Fast 3G.
		await cdp.send("Network.emulateNetworkConditions", {
			offline: false,
			latency: 562.5,
			downloadThroughput: 180_000,
			uploadThroughput: 84_375,
		});
		await page.evaluate(() => localStorage.clear());
		const times: number[] = [];
		for (let i = 0; i < 3; i++) {
			await page.reload({ waitUntil: "commit" });
			await page
				.locator(".early-text", { hasText: "alocationMode: ExactCount" })
				.waitFor();
			await page
				.locator(".early-answer .finding", { hasText: "alocationMode" })
				.waitFor();
			times.push(
				await page.evaluate(
					() =>
						new Promise<number>((resolve) =>
							new PerformanceObserver((list) =>
								resolve(
									list.getEntriesByName("first-contentful-paint")[0]
										?.startTime ?? Infinity,
								),
							).observe({ type: "paint", buffered: true }),
						),
				),
			);
		}
		await page.locator(".finding").first().waitFor();
		console.log(
			`first paint on Fast 3G after ${times.map(Math.round).join(", ")} ms`,
		);
		expect(Math.min(...times)).toBeLessThan(1000);
		await done();
	});

	it("stays responsive with a paste of 5 MB", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const one = (i: number) =>
			`${CLAIM.replace("name: claim", `name: claim-${i}`)}---\n`;
		let text = "";
		for (let i = 0; text.length < 5_000_000; i++) text += one(i);
		text += CLAIM.replace("name: claim", "name: Last-Claim");
		await setText(page, text);
		await page.keyboard.press("ControlOrMeta+End");
		const busy = await threadClock(page);
		const before = await busy();
		await page.keyboard.type("# typing goes on");
		const typed = (await busy()) - before;
		await page
			.locator(".finding", { hasText: "Last-Claim" })
			.waitFor({ timeout: 30_000 });
		const whole = (await busy()) - before;
		console.log(
			`5 MB: ${Math.round(typed)} ms of the page's thread for 16 keys, ${Math.round(whole)} ms until the findings`,
		);
		expect(await textOf(page)).toContain("# typing goes on");
		expect(typed).toBeLessThan(2_000);
		expect(whole).toBeLessThan(3_000);
		await done();
	});

	it("spends little on a key in a thousand lines, and draws no panel for it", async () => {
		const { page, done } = await openPage();
		await settled(page);
		let text = "";
		for (let i = 0; text.split("\n").length < 1000; i++)
			text += `${CLAIM.replace("name: claim", `name: claim-${i}`)}  allocationMode: ${i % 10 === 0 ? "Later" : "Immediate"}\n---\n`;
		await setText(page, text);
		await page
			.locator(".finding", { hasText: "Unsupported value" })
			.first()
			.waitFor();
		await page.keyboard.press("ControlOrMeta+Home");
		for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowDown");
		await page.keyboard.press("End");
		const busy = await threadClock(page);
		await page.evaluate(() => {
			const state = globalThis as unknown as { drawn: number };
			state.drawn = 0;
			new MutationObserver(
				(list) =>
					(state.drawn += list.filter(
						({ type }) => type === "childList",
					).length),
			).observe(document.querySelector(".panel")!, {
				subtree: true,
				childList: true,
			});
		});
		const spent: number[] = [];
		for (const key of "-a-name-long-enough-to-tell-how-long-one-key-takes") {
			const before = await busy();
			await page.keyboard.type(key);
			await page.evaluate(
				() =>
					new Promise((resolve) =>
						requestAnimationFrame(() => setTimeout(resolve, 0)),
					),
			);
			spent.push((await busy()) - before);
		}
		spent.sort((a, b) => a - b);
		const [middle, high] = [
			spent[spent.length >> 1]!,
			spent[Math.floor(spent.length * 0.95)]!,
		];
		console.log(
			`a key in 1,000 lines: ${middle.toFixed(1)} ms of the page's thread, 95th percentile ${high.toFixed(1)} ms; four times slower ${(high * 4).toFixed(0)} ms`,
		);
		// Measured 16 to 20 and 25 on a busy machine, 37 and 52 before; a ratchet with room, for thread time varies with the machine.
		expect(middle).toBeLessThan(30);
		await done();
	});

	it("scrolls and filters 5 000 nodes smoothly, by keyboard too", async () => {
		const { page, done } = await openPage({ path: "#example=fleet" });
		const grid = page.getByRole("grid");
		await grid.waitFor();
		expect(await grid.getAttribute("aria-rowcount")).toBe("5001");
		expect(await grid.getByRole("row").count()).toBeLessThan(60);
		await grid.focus();
		await page.keyboard.press("End");
		await page.getByRole("rowheader", { name: "node-5000" }).waitFor();
		await page.keyboard.press("ArrowUp");
		await page.keyboard.press("ArrowRight");
		await page
			.locator(".cell-detail .cell-title", { hasText: "node-4999" })
			.waitFor();
		const active = await grid.getAttribute("aria-activedescendant");
		expect(
			await page.locator(`[id="${active}"]`).getAttribute("aria-selected"),
		).toBe("true");
		// The page's own work for each frame while the wheel turns, in milliseconds.
		const busy = await threadClock(page);
		const frame = async () => {
			const before = await busy();
			await page.evaluate(async () => {
				const element = document.querySelector(".matrix")!;
				for (let i = 0; i < 60; i++) {
					element.scrollTop = (i * 2503) % element.scrollHeight;
					await new Promise((resolve) => requestAnimationFrame(resolve));
				}
			});
			return ((await busy()) - before) / 60;
		};
		const all = await frame();
		await page.getByLabel("Filter nodes").first().fill("h100 eu-west-1b");
		await page
			.locator(".controls [role=status]", { hasText: " of 5,000 nodes" })
			.waitFor();
		await page.getByRole("button", { name: /^Possible/ }).click();
		const left = Number(
			/^([\d,]+) of/
				.exec(
					(await page.locator(".controls [role=status]").textContent()) ?? "",
				)?.[1]
				?.replace(",", ""),
		);
		expect(left).toBeGreaterThan(0);
		expect(left).toBeLessThan(500);
		const few = await frame();
		console.log(
			`a frame while scrolling takes ${all.toFixed(1)} ms of the page's thread with 5 000 nodes, ${few.toFixed(1)} with ${left}`,
		);
		// Machines differ, and one that others use is half as fast: the number of nodes must not matter.
		expect(all).toBeLessThan(2.5 * few);
		await done();
	});
});

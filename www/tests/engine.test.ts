import { describe, expect, it } from "vitest";
import { openPage, setText, settled, setUp, textOf } from "./page.ts";

setUp();

const GOOD = `apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata:
  name: claim
spec:
  resourceClassName: gpu.example.com
`;

describe("the engine in its worker", () => {
	it("is started again after a crash, and the page goes on", async () => {
		const { page, complaints, done } = await openPage();
		await settled(page);
		const [first] = page.workers();
		await first!.evaluate(
			() =>
				// No pause: what is thrown here is nobody's answer.
				void setTimeout(() => {
					throw new Error("crash on purpose");
				}, 0),
		);
		await page
			.locator('[role="status"][aria-live="polite"]', {
				hasText: "started again",
			})
			.waitFor({ state: "attached" });
		await setText(page, GOOD);
		await page.locator(".verdict.good").waitFor();
		expect(page.workers()).not.toContain(first);
		// The only complaints are the crash itself.
		expect(
			complaints.filter((text) => !text.includes("crash on purpose")),
		).toEqual([]);
		complaints.length = 0;
		await done();
	});

	it("is given up and started again when it hangs; typing never waits for it", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const [first] = page.workers();
		void first!
			.evaluate(() => {
				for (;;);
			})
			.catch(() => undefined);
		await setText(page, GOOD);
		// The text is there while the engine hangs.
		expect(await textOf(page)).toBe(GOOD);
		await page.keyboard.type("# still typing");
		expect(await textOf(page)).toContain("# still typing");
		// Ten seconds of patience, then a new worker checks what is on the screen.
		await page.keyboard.type(".");
		await page.locator(".verdict.good").waitFor({ timeout: 25_000 });
		await done();
	});
});

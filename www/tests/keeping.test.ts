import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
	choose,
	drafted,
	draftsOf,
	home,
	openPage,
	panelShown,
	setText,
	settled,
	setUp,
	textOf,
} from "./page.ts";

setUp();

const mine = (name: string) =>
	`apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: ${name}\nspec:\n  resourceClassName: gpu.example.com\n`;

/** A link as the page makes it. */
function linkOf(
	files: { n: string; r: string; t: string }[],
	options: Record<string, unknown> = {},
): string {
	return `#s=${deflateRawSync(JSON.stringify({ v: 1, f: files, a: 0, o: options })).toString("base64url")}`;
}

describe("nothing is lost", () => {
	it("after Share and more typing, a reload shows what was typed last", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, mine("shared"));
		await page.getByRole("button", { name: "Share" }).click();
		await page.locator(".notice", { hasText: "Link copied" }).waitFor();
		await setText(page, mine("typed-after"));
		// At once: the page's last words are kept too.
		await page.reload();
		await settled(page);
		expect(await textOf(page)).toBe(mine("typed-after"));
		await done();
	});

	it("after a link was opened and changed, a reload shows the change, and the address no longer holds the link", async () => {
		const { page, done } = await openPage({
			path: linkOf([{ n: "a.yaml", r: "manifest", t: mine("linked") }]),
		});
		await settled(page);
		expect(await textOf(page)).toBe(mine("linked"));
		await page.waitForFunction(() => location.hash === "");
		await setText(page, mine("changed"));
		await drafted(page, "name: changed");
		await page.reload();
		await settled(page);
		expect(await textOf(page)).toBe(mine("changed"));
		await done();
	});

	it("keeps what an example replaced in the history, which can be opened and deleted", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, mine("first-work"));
		for (const name of [/^ResourceClass /, /^PodSchedulingContext /]) {
			await page.getByRole("button", { name: "Examples" }).click();
			await page.getByRole("button", { name }).click();
			await page.locator(".notice").waitFor();
		}
		await page.reload();
		await settled(page);
		await choose(page, "History");
		const row = page.locator(".history-row").first();
		await row.waitFor();
		expect(await page.locator(".history-row").count()).toBe(1); // examples that nobody touched are not kept
		expect(await row.locator(".glimpse").textContent()).toBe(
			"ResourceClaim first-work",
		); // what tells one from another
		await row.getByRole("button", { name: "Open" }).click();
		await page.locator(".notice", { hasText: "history" }).waitFor();
		expect(await textOf(page)).toBe(mine("first-work"));
		await choose(page, "History");
		await page
			.locator(".history-row")
			.first()
			.getByRole("button", { name: "Delete" })
			.click();
		await page.getByText("Nothing yet.").waitFor();
		await done();
	});

	it("keeps a large file of nodes, and everything beside it, over a reload", async () => {
		const nodes = `{"kind":"List","apiVersion":"v1","items":[${Array.from({ length: 9000 }, (_, i) => `{"kind":"Node","apiVersion":"v1","metadata":{"name":"node-${i}","labels":{"a":"${"x".repeat(120)}"}}}`).join(",\n")}]}\n`;
		expect(nodes.length).toBeGreaterThan(1_500_000);
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, mine("beside"));
		const transfer = await page.evaluateHandle((text) => {
			const data = new DataTransfer();
			data.items.add(new File([text], "large.json"));
			return data;
		}, nodes);
		await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
		await page
			.getByRole("navigation", { name: "Files" })
			.getByText("large.json")
			.waitFor();
		await drafted(page, '"large.json"');
		await page.reload();
		await page
			.getByRole("navigation", { name: "Files" })
			.getByText("large.json")
			.waitFor();
		expect((await textOf(page)).length).toBe(nodes.length);
		await page
			.getByRole("navigation", { name: "Files" })
			.getByText("claim.yaml")
			.click();
		expect(await textOf(page)).toBe(mine("beside"));
		await done();
	});

	it("gives each tab its own draft, and a new tab what a closed one had", async () => {
		const one = await openPage();
		await settled(one.page);
		await setText(one.page, mine("tab-one"));
		const two = await openPage({ context: one.context });
		await settled(two.page);
		await setText(two.page, mine("tab-two"));
		await drafted(two.page, "name: tab-two");
		await one.page.reload();
		await settled(one.page);
		expect(await textOf(one.page)).toBe(mine("tab-one"));
		await two.page.reload();
		await settled(two.page);
		expect(await textOf(two.page)).toBe(mine("tab-two"));
		await two.done();
		const three = await openPage({ context: one.context });
		await settled(three.page);
		expect(await textOf(three.page)).toBe(mine("tab-two"));
		await three.done();
		await one.done();
	});

	it("keeps in the database what a reload took from the last moment, and what was typed just before the tab closed", async () => {
		const first = await openPage();
		await settled(first.page);
		await setText(first.page, mine("reloaded-at-once"));
		await first.page.reload();
		await settled(first.page);
		// No key since then: the tab's own storage goes with the tab.
		await drafted(first.page, "name: reloaded-at-once");
		await first.page.close();
		const second = await openPage({ context: first.context });
		await settled(second.page);
		expect(await textOf(second.page)).toBe(mine("reloaded-at-once"));
		await setText(second.page, mine("closed-at-once"));
		await second.page.close({ runBeforeUnload: true });
		await expect.poll(() => first.context.pages().length).toBe(0);
		const third = await openPage({ context: first.context });
		await settled(third.page);
		expect(await textOf(third.page)).toBe(mine("closed-at-once"));
		await first.context.close();
	});

	it("takes a closed file back without what was written in the others since", async () => {
		const { page, done } = await openPage({ path: "#example=three-mistakes" });
		await settled(page);
		const tabs = page.getByRole("navigation", { name: "Files" });
		await tabs.getByText("nodes.yaml").click();
		await page.getByRole("button", { name: "Close nodes.yaml" }).click();
		await setText(page, mine("written-meanwhile"));
		await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
		expect(await tabs.locator(".file-name").allTextContents()).toEqual([
			"claim.yaml",
			"nodes.yaml",
		]);
		expect(await textOf(page)).toContain("kind: Node");
		await tabs.getByText("claim.yaml").click();
		expect(await textOf(page)).toBe(mine("written-meanwhile"));
		await done();
	});

	it("keeps an expression that was written beside an example", async () => {
		const { page, done } = await openPage({ path: "#example=cel" });
		await page.locator(".device-row").first().waitFor();
		await page.locator(".expression-text .cm-content").click();
		await page.keyboard.press("ControlOrMeta+a");
		await page.keyboard.type("device.driver == 'mine'");
		await page.getByRole("button", { name: "Examples" }).click();
		await page
			.locator(".gallery-item")
			.first()
			.getByRole("button")
			.first()
			.click();
		await page
			.locator(".notice")
			.getByRole("button", { name: "Take back what I had" })
			.click();
		await expect
			.poll(() => page.locator(".expression-text .cm-content").textContent())
			.toBe("device.driver == 'mine'");
		await done();
	});

	it("survives a crash of the page", async () => {
		const { page, context, complaints } = await openPage();
		await settled(page);
		await setText(page, mine("before-the-crash"));
		await drafted(page, "name: before-the-crash");
		const crashed = page.waitForEvent("crash");
		await page.goto("chrome://crash").catch(() => undefined);
		await crashed.catch(() => undefined);
		await page.close();
		const again = await openPage({ context });
		await settled(again.page);
		expect(await textOf(again.page)).toBe(mine("before-the-crash"));
		await again.done();
		complaints.length = 0;
		await context.close();
	});

	it("saves while somebody types without a pause", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, mine("typed"));
		await drafted(page, "name: typed");
		// Keys closer together than the pause that a draft waits for: their pace is the subject.
		await page.keyboard.type("# one-long-comment-without-any-pause", {
			delay: 120,
		});
		expect(await draftsOf(page)).toContain("# one-long-comment");
		await done();
	});

	it("says when the browser takes no more, asks before it lets go, and has the text after a reload", async () => {
		const { page, complaints, context } = await openPage();
		await settled(page);
		const cdp = await context.newCDPSession(page);
		await cdp.send("Storage.overrideQuotaForOrigin", {
			origin: new URL(page.url()).origin,
			quotaSize: 1000,
		});
		const text = `${mine("no-room")}# ${"y".repeat(200_000)}\n`;
		await setText(page, text);
		await page
			.locator(".notice", { hasText: "takes no more drafts" })
			.waitFor();
		expect(await page.locator(".status-bar").textContent()).toContain(
			"draft kept while this tab is open",
		);
		const asked: string[] = [];
		page.on("dialog", (dialog) => {
			asked.push(dialog.type());
			void dialog.accept();
		});
		await page.reload();
		await settled(page);
		expect(asked).toEqual(["beforeunload"]);
		expect(await textOf(page)).toBe(text);
		expect(complaints.filter((line) => !line.includes("Quota"))).toEqual([]);
		await context.close();
	});

	it("opens a link with more than fifty files", async () => {
		const files = Array.from({ length: 60 }, (_, i) => ({
			n: `f${i}.yaml`,
			r: "manifest",
			t: mine(`claim-${i}`),
		}));
		const { page, done } = await openPage({ path: linkOf(files) });
		await settled(page);
		expect(await textOf(page)).toBe(mine("claim-0"));
		await page.locator(".file-bar button", { hasText: "60" }).first().click();
		expect(await page.locator(".file-list li").count()).toBe(60);
		await done();
	});
});

describe("links", () => {
	it("refuse to unpack to hundreds of megabytes, and say so", async () => {
		const bomb = deflateRawSync(Buffer.alloc(300_000_000, 97), {
			level: 9,
		}).toString("base64url");
		const { page, done } = await openPage({ path: `#s=${bomb}` });
		await page
			.locator(".notice", { hasText: "damaged" })
			.waitFor({ timeout: 8_000 });
		await settled(page);
		await done();
	});

	it("say so when nothing in them is understood", async () => {
		const { page, done } = await openPage({ path: "#garbage" });
		await page.locator(".notice", { hasText: "not understood" }).waitFor();
		await done();
	});

	it("carry the policy's operation, user and groups, and the selected cell", async () => {
		const { page, done } = await openPage({ path: "#example=policy" });
		await page.locator(".admitted").first().waitFor();
		await page.getByLabel("Operation").selectOption("DELETE");
		await page.getByLabel("User").fill("alice");
		await page.getByLabel("Groups").fill("ops, dev");
		await page.getByRole("button", { name: "Share" }).click();
		await page.locator(".notice", { hasText: "Link copied" }).waitFor();
		const link = await page.evaluate(() => navigator.clipboard.readText());
		const other = await openPage({ path: `#${link.split("#")[1]}` });
		await other.page.locator(".admitted").first().waitFor();
		expect(await other.page.getByLabel("Operation").inputValue()).toBe(
			"DELETE",
		);
		expect(await other.page.getByLabel("User").inputValue()).toBe("alice");
		expect(await other.page.getByLabel("Groups").inputValue()).toBe("ops, dev");
		await other.done();
		await done();
	});

	it("carry the object of a request, and say when a finding is gone", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, ["one", "two", "three"].map(mine).join("---\n"));
		await page.getByRole("tab", { name: "Request" }).click();
		await page.getByLabel("Objects").selectOption("2");
		await page.getByRole("button", { name: "Share" }).click();
		await page.locator(".notice", { hasText: "Link copied" }).waitFor();
		const link = await page.evaluate(() => navigator.clipboard.readText());
		const other = await openPage({ path: `#${link.split("#")[1]}` });
		await expect
			.poll(() => other.page.getByLabel("Objects").inputValue())
			.toBe("2");
		await other.done();
		await done();
		const gone = await openPage({
			path: "#example=three-mistakes&finding=name-invalid@1.1",
		});
		await gone.page
			.locator(".notice", { hasText: "not among these" })
			.waitFor();
		await gone.done();
	});

	it("lead to a panel, and to the verdict on one object", async () => {
		const panel = await openPage({ path: "#panel=devices" });
		await panel.page.locator(".panel-devices").waitFor();
		await panel.done();
		const { page, done } = await openPage({ path: "#example=policy" });
		await page.locator(".admitted").first().waitFor();
		await setText(
			page,
			Array.from({ length: 60 }, (_, i) => mine(`claim-${i}`)).join("---\n"),
		);
		await page.getByRole("button", { name: /^Show/ }).click();
		const asked = page.getByRole("region", {
			name: "For ResourceClaim claim-55",
		});
		await asked.getByRole("button", { name: "Copy a link to this" }).click();
		await page
			.locator(".notice", { hasText: "Link to this answer copied" })
			.waitFor();
		const link = await page.evaluate(() => navigator.clipboard.readText());
		const other = await openPage({ path: `#${link.split("#")[1]}` });
		await other.page
			.locator(".admitted.pointed", { hasText: "claim-55" })
			.waitFor();
		const box = (await other.page.locator(".admitted.pointed").boundingBox())!;
		expect(box.y).toBeGreaterThan(0);
		expect(box.y).toBeLessThan(800);
		await other.done();
		await asked.getByRole("button", { name: "Copy as Markdown" }).click();
		await page.locator(".notice", { hasText: "Copied as Markdown" }).waitFor();
		const text = await page.evaluate(() => navigator.clipboard.readText());
		expect(text).toMatch(
			/^\*\*ResourceClaim claim-55\*\*: .* · CREATE · User `jane`\n/,
		);
		expect(text).toMatch(/&verdict=56\)/);
		await done();
	});

	it("lead to one cell, and to one finding", async () => {
		const { page, done } = await openPage({ path: "#example=placement" });
		await page
			.getByRole("row", { name: /^gpu-t4-1/ })
			.getByRole("gridcell")
			.nth(1)
			.click();
		await page.locator(".cell-detail .reason").waitFor();
		await page
			.locator(".cell-detail")
			.getByRole("button", { name: "Copy a link to this" })
			.click();
		await page
			.locator(".notice", { hasText: "Link to this answer copied" })
			.waitFor();
		const link = await page.evaluate(() => navigator.clipboard.readText());
		const other = await openPage({ path: `#${link.split("#")[1]}` });
		await other.page.locator(".cell-title", { hasText: "gpu-t4-1" }).waitFor();
		await other.done();
		await done();

		const first = await openPage({ path: "#example=three-mistakes" });
		await settled(first.page);
		await first.page
			.locator(".finding", { hasText: "allocationMode" })
			.getByRole("button", { name: "Copy a link to this" })
			.click();
		await first.page
			.locator(".notice", { hasText: "Link to this answer copied" })
			.waitFor();
		const toFinding = await first.page.evaluate(() =>
			navigator.clipboard.readText(),
		);
		expect(toFinding).toMatch(/&finding=allocation-mode-unsupported/);
		const second = await openPage({ path: `#${toFinding.split("#")[1]}` });
		await second.page
			.locator(".finding.pointed", { hasText: "allocationMode" })
			.waitFor();
		expect(await second.page.locator(".status-bar").textContent()).toContain(
			"Ln 9",
		);
		await second.done();
		await first.done();
	});

	it("copy an answer as Markdown", async () => {
		const { page, done } = await openPage({ path: "#example=three-mistakes" });
		await settled(page);
		await page
			.locator(".finding", { hasText: "allocationMode" })
			.getByRole("button", { name: "Copy as Markdown" })
			.click();
		await page.locator(".notice", { hasText: "Copied as Markdown" }).waitFor();
		const text = await page.evaluate(() => navigator.clipboard.readText());
		expect(text).toContain("**error** `allocation-mode-unsupported`");
		// Upstream's words exactly: Markdown makes tags of `<input>` and moves carets.
		expect(text).toContain(
			'```text\nspec.allocationMode: Unsupported value: "Later"',
		);
		expect(text).toContain("claim.yaml:9:19");
		expect(text).toMatch(/\[Open in the playground\]\(http.*#s=/);
		await done();
	});
});

describe("the Back button", () => {
	it("leads to the panel before, and leaves the text as it is", async () => {
		const { page, done } = await openPage({ path: "#example=gpu-pod" });
		await panelShown(page);
		const open = () => page.locator('[role="tab"][aria-selected="true"]');
		await expect.poll(() => new URL(page.url()).hash).toBe("");
		const first = await open().textContent();
		await page.getByRole("tab", { name: "Convert" }).click();
		await page.getByRole("tab", { name: "Audit" }).click();
		await panelShown(page);
		const text = await textOf(page);
		await page.goBack();
		await expect.poll(() => open().textContent()).toBe("Convert");
		await page.goBack();
		await expect.poll(() => open().textContent()).toBe(first);
		await page.goForward();
		await expect.poll(() => open().textContent()).toBe("Convert");
		expect(await textOf(page)).toBe(text);
		// A link that is pasted is a place of its own.
		await page.goto(`${home}#panel=policy`);
		await expect.poll(() => open().textContent()).toBe("Policy");
		await page.goBack();
		await expect.poll(() => open().textContent()).toBe("Convert");
		expect(await textOf(page)).toBe(text);
		await done();
	});
});

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { dump } from "./dump.ts";
import {
	home,
	idle,
	openPage,
	setText,
	settled,
	setUp,
	textOf,
} from "./page.ts";

setUp();

/** Each test holds an answer back, does what a person would do meanwhile, and lets the answer come. */

interface Engine {
	held: boolean;
	/** Questions that have no answer yet. */
	open: number;
	release(): void;
}

declare global {
	interface Window {
		engine: Engine;
		insertText(text: string, at?: number): void;
	}
}

/** Lets a test hold the questions to the engine back. */
async function holdable(page: Page): Promise<void> {
	await page.addInitScript(() => {
		const post = Worker.prototype.postMessage;
		const kept: { worker: Worker; message: unknown }[] = [];
		const heard = new WeakSet<Worker>();
		window.engine = {
			held: false,
			open: 0,
			release() {
				this.held = false;
				for (const { worker, message } of kept.splice(0))
					post.call(worker, message);
			},
		};
		Worker.prototype.postMessage = function (this: Worker, message: unknown) {
			const asks =
				typeof message === "object" &&
				message !== null &&
				"question" in message;
			if (asks) window.engine.open += 1;
			if (!heard.has(this)) {
				heard.add(this);
				this.addEventListener(
					"message",
					({ data }: MessageEvent<{ id?: number }>) => {
						if (data.id !== undefined) window.engine.open -= 1;
					},
				);
			}
			if (asks && window.engine.held) kept.push({ worker: this, message });
			else post.call(this, message);
		};
		window.insertText = (insert, at = 0) => {
			const content = document
				.querySelector(".editor-host")
				?.shadowRoot?.querySelector(".cm-content") as unknown as {
				cmTile: { view: { dispatch(change: unknown): void } };
			};
			content.cmTile.view.dispatch({ changes: { from: at, insert } });
		};
	});
}

const hold = (page: Page) =>
	page.evaluate(() => {
		window.engine.held = true;
	});

/** Lets the engine answer, until it has nothing left to do. */
async function release(page: Page): Promise<void> {
	await page.evaluate(() => window.engine.release());
	await quiet(page);
}

/** Waits until no question is open for as long as any pause between a change and its question takes: time itself is the subject. */
async function quiet(page: Page): Promise<void> {
	await page.evaluate(async () => {
		for (let calm = 0; calm < 8; ) {
			await new Promise((resolve) => setTimeout(resolve, 50));
			calm = window.engine.open === 0 ? calm + 1 : 0;
		}
	});
}

const tab = (page: Page, name: string) => page.getByRole("tab", { name });
const fileTab = (page: Page, name: string) =>
	page.locator(".file-open", { hasText: name });
const selected = (page: Page, name: string) =>
	tab(page, name).getAttribute("aria-selected");

async function open(page: Page, files: Record<string, string>): Promise<void> {
	await page
		.locator('input[type="file"]')
		.first()
		.setInputFiles(
			Object.entries(files).map(([name, text]) => ({
				name,
				mimeType: "text/yaml",
				buffer: Buffer.from(text),
			})),
		);
}

async function ready(path = ""): ReturnType<typeof openPage> {
	const opened = await openPage({ path, prepare: holdable });
	await settled(opened.page);
	return opened;
}

const CLAIM =
	"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: one, namespace: ns}\nspec:\n  devices:\n    requests:\n    - name: gpu\n      exactly: {deviceClassName: gpu}\n";
const NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: node-a}\n";

describe("an answer that comes late", () => {
	it("leaves a file the role that a person gave it", async () => {
		const { page, done } = await ready();
		await setText(page, CLAIM);
		await quiet(page);
		await hold(page);
		await open(page, { "node.yaml": NODE });
		await page.getByRole("button", { name: "File options: node.yaml" }).click();
		await page.getByRole("radio", { name: /^Stored object/ }).check();
		await page.keyboard.press("Escape");
		await release(page);
		expect(await fileTab(page, "node.yaml").getAttribute("title")).toContain(
			"Stored object",
		);
		await done();
	});

	it("does not take the panel from a person who chose another file", async () => {
		const { page, done } = await ready();
		await setText(page, CLAIM);
		await quiet(page);
		await hold(page);
		await open(page, { "dump.yaml": dump({ nodes: 1, pods: 2 }) });
		await fileTab(page, "dump.yaml").waitFor();
		await page.locator(".file-open").first().click();
		await release(page);
		expect(await selected(page, "Problems")).toBe("true");
		await done();
	});

	it("opens no list of fixes for a text that was changed", async () => {
		const { page, done } = await ready("#example=three-mistakes");
		await quiet(page);
		await hold(page);
		await page.getByRole("button", { name: /^Fix all/ }).click();
		await page.evaluate(() => window.insertText("# mine\n"));
		await release(page);
		expect(await page.getByRole("dialog").count()).toBe(0);
		expect(await textOf(page)).toMatch(/^# mine\n/);
		await page
			.locator(".notice", { hasText: "The text has changed since" })
			.waitFor();
		await done();
	});

	it("opens no list of fixes over what a person opened", async () => {
		const { page, done } = await ready("#example=three-mistakes");
		await quiet(page);
		await hold(page);
		await page.getByRole("button", { name: /^Fix all/ }).click();
		await page.getByRole("button", { name: "More", exact: true }).click();
		await page
			.locator(".menu")
			.getByRole("button", { name: "About", exact: true })
			.click();
		await page.getByRole("dialog").locator(".about").waitFor();
		await release(page);
		expect(await page.getByRole("dialog").locator(".about").count()).toBe(1);
		await done();
	});

	it("replaces nothing that was written since an object was taken out of a review", async () => {
		const { page, done } = await ready();
		await setText(
			page,
			JSON.stringify({
				apiVersion: "admission.k8s.io/v1",
				kind: "AdmissionReview",
				request: {
					uid: "1",
					operation: "CREATE",
					object: {
						apiVersion: "resource.k8s.io/v1",
						kind: "DeviceClass",
						metadata: { name: "gpu" },
						spec: {},
					},
				},
			}),
		);
		const take = page.getByRole("button", { name: "Take out its object" });
		await take.waitFor();
		await quiet(page);
		await hold(page);
		await take.click();
		await page.evaluate(() => window.insertText(" \n"));
		await release(page);
		expect(await textOf(page)).toMatch(/^ \n\{"apiVersion":"admission/);
		await done();
	});

	it("moves no cursor once something was written in the text that a link opened", async () => {
		const { page: first, done: firstDone } = await ready(
			"#example=three-mistakes",
		);
		await first.evaluate(() => navigator.clipboard.writeText(""));
		await first.locator(".finding-tools button").first().click();
		await expect
			.poll(() => first.evaluate(() => navigator.clipboard.readText()))
			.toContain("finding=");
		const link = await first.evaluate(() => navigator.clipboard.readText());
		await firstDone();
		const { page, done } = await openPage({
			prepare: async (own) => {
				await holdable(own);
				await own.addInitScript(() => {
					window.engine.held = true;
				});
			},
			path: link.slice(link.indexOf("#")),
		});
		await page.locator(".cm-content").first().click();
		await page.keyboard.press("ControlOrMeta+Home");
		await page.keyboard.type("# mi");
		await page.evaluate(() => window.engine.release());
		await page.locator(".finding").first().waitFor();
		await quiet(page);
		await page.keyboard.type("ne\n");
		expect(await textOf(page)).toMatch(/^# mine\n/);
		await done();
	});
});

describe("what a person writes", () => {
	it("while an example opens is in what can be taken back", async () => {
		const { page, done } = await ready();
		await setText(page, CLAIM);
		await quiet(page);
		await page.getByRole("button", { name: "Examples" }).click();
		await page.locator(".gallery-item button").first().waitFor();
		await page.evaluate(() => {
			document.querySelector<HTMLElement>(".gallery-item button")!.click();
			window.insertText("# mine\n");
		});
		await page.getByRole("button", { name: "Take back what I had" }).click();
		await expect.poll(() => textOf(page)).toBe(`# mine\n${CLAIM}`);
		await done();
	});

	it("while a dropped file is read stays", async () => {
		const { page, done } = await ready();
		await page.evaluate((text) => {
			const file = new File([text], "late.yaml");
			const bytes = new Promise<void>(
				(resolve) =>
					((window as unknown as { arrive: () => void }).arrive = resolve),
			).then(() => new TextEncoder().encode(text).buffer);
			Object.defineProperty(file, "arrayBuffer", { value: () => bytes });
			const event = new Event("drop", { bubbles: true, cancelable: true });
			Object.defineProperty(event, "dataTransfer", {
				value: {
					types: ["Files"],
					files: [file],
					items: [{ webkitGetAsEntry: () => null }],
				},
			});
			document.body.dispatchEvent(event);
		}, CLAIM);
		await page.evaluate(() => window.insertText("# mine\n"));
		await page.evaluate(() =>
			(window as unknown as { arrive: () => void }).arrive(),
		);
		await fileTab(page, "late.yaml").waitFor();
		expect(await page.locator(".file-open").count()).toBe(2);
		await page.locator(".file-open").first().click();
		await expect.poll(() => textOf(page)).toMatch(/^# mine\n/);
		await done();
	});
});

describe("what a person asks for last", () => {
	it("is what opens, though what was asked for before arrives later", async () => {
		let arrive: () => void = () => undefined;
		const wait = new Promise<void>((resolve) => (arrive = resolve));
		const { page, done } = await openPage({
			prepare: async (own) => {
				await holdable(own);
				await own.route(/code-examples\.json/, async (route) => {
					await wait;
					await route.continue();
				});
			},
		});
		await settled(page);
		await page.evaluate(() => (location.hash = "#example=code/name-invalid"));
		await expect
			.poll(() =>
				page.evaluate(() => performance.getEntriesByType("resource").length),
			)
			.toBeGreaterThan(0);
		await page.evaluate(() => (location.hash = "#example=gpu-pod"));
		await page.locator(".devices .matrix").waitFor();
		const text = await textOf(page);
		const came = page.waitForResponse(/code-examples\.json/);
		arrive();
		await (await came).finished();
		// The page puts the files aside before others open.
		await page.evaluate(() => indexedDB.databases());
		await idle(page);
		expect(await textOf(page)).toBe(text);
		expect(page.url()).toBe(home);
		await done();
	});

	it("is the language, though the sentences of another arrive later", async () => {
		let arrive: () => void = () => undefined;
		const wait = new Promise<void>((resolve) => (arrive = resolve));
		const { page, done } = await openPage({
			prepare: (own) =>
				own.route(/assets\/zh-[^/]*\.json/, async (route) => {
					await wait;
					await route.continue();
				}),
		});
		await settled(page);
		await page.getByRole("button", { name: "More", exact: true }).click();
		await page.getByRole("radio", { name: "简体中文" }).click();
		await page.getByRole("radio", { name: "English" }).click();
		const came = page.waitForResponse(/assets\/zh-[^/]*\.json/);
		arrive();
		await (await came).finished();
		await idle(page);
		expect(await page.evaluate(() => document.documentElement.lang)).toBe("en");
		await done();
	});
});

import { existsSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
	type Browser,
	type BrowserContext,
	chromium,
	type Page,
} from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
// @ts-expect-error a plain script without types
import { serve } from "../serve.mjs";

/** Served below a path, as a project's page on a shared host is. */
const PREFIX = "/some/where";
export const dist =
	process.env.CLAIMKIT_DIST ??
	fileURLToPath(new URL("../dist", import.meta.url));

const NAMES = [
	"chromium-headless-shell",
	"chromium",
	"chromium-browser",
	"google-chrome",
	"google-chrome-stable",
];

/** The browser to test in: `CHROMIUM`, or one on PATH. Its absence fails the tests. */
function executable(): string {
	const asked = process.env.CHROMIUM;
	if (asked) return asked;
	const folders = (process.env.PATH ?? "").split(delimiter);
	const found = NAMES.flatMap((name) =>
		folders.map((folder) => join(folder, name)),
	).find((path) => existsSync(path));
	if (!found)
		throw new Error(
			"no Chromium found: install one, or set CHROMIUM to its program",
		);
	return found;
}

/** A browser starts in seconds, and on a machine that compiles beside in minutes. */
const START_MS = 180_000;

let browser: Browser;
let server: { close(): void; address(): AddressInfo };
export let home = "";
/** The path of every request that reached the server. */
export const served: string[] = [];

export function setUp(): void {
	beforeAll(async () => {
		if (!existsSync(dist))
			throw new Error("dist is missing: run `npm run build` first");
		server = await serve(dist, { prefix: PREFIX });
		(
			server as unknown as {
				on(event: "request", hear: (request: { url?: string }) => void): void;
			}
		).on("request", ({ url = "" }) => served.push(url));
		home = `http://127.0.0.1:${server.address().port}${PREFIX}/`;
		browser = await chromium.launch({
			executablePath: executable(),
			args: ["--disable-dev-shm-usage"],
		});
		// The first page starts the processes of the browser and compiles the engine; no test should wait for them.
		const first = await browser.newPage();
		await first.goto(home, { timeout: START_MS });
		await settled(first, START_MS);
		await first.close();
		served.length = 0;
	}, START_MS);
	afterAll(async () => {
		await browser?.close();
		server?.close();
	});
}

export interface Opened {
	page: Page;
	context: BrowserContext;
	/** Everything that must not happen: console errors, page errors, policy violations, requests to elsewhere. */
	complaints: string[];
	/** Closes the page and fails if anything of that happened. */
	done(): Promise<void>;
}

export interface Options {
	path?: string;
	width?: number;
	height?: number;
	colorScheme?: "light" | "dark";
	locale?: string;
	context?: BrowserContext;
	/** Registers the service worker, which fills its cache beside the test. */
	serviceWorker?: boolean;
	/** Prepares a new context before the page is opened in it. */
	before?: (context: BrowserContext) => Promise<unknown>;
	/** Prepares the page before it goes anywhere. */
	prepare?: (page: Page) => Promise<unknown>;
}

/** The warning of Playwright where the page would register its service worker. */
const BLOCKED = "Service Worker registration blocked by Playwright";

/** Opens the page and watches it. */
export async function openPage({
	path = "",
	width = 1280,
	height = 800,
	colorScheme = "light",
	locale = "en-US",
	context,
	serviceWorker = false,
	before,
	prepare,
}: Options = {}): Promise<Opened> {
	const own =
		context ??
		(await browser.newContext({
			viewport: { width, height },
			colorScheme,
			locale,
			permissions: ["clipboard-read", "clipboard-write"],
			serviceWorkers: serviceWorker ? "allow" : "block",
		}));
	await before?.(own);
	const complaints: string[] = [];
	const page = await own.newPage();
	const origin = new URL(home).origin;
	page.on("console", (message) => {
		if (message.text() === BLOCKED) return;
		if (message.type() === "error" || message.type() === "warning")
			complaints.push(`console ${message.type()}: ${message.text()}`);
	});
	page.on("pageerror", (error) =>
		complaints.push(`page error: ${error.message}`),
	);
	page.on("request", (request) => {
		const url = request.url();
		if (!url.startsWith(`${origin}${PREFIX}/`) && !url.startsWith("blob:"))
			complaints.push(`request to ${url}`);
	});
	page.on("requestfailed", (request) => {
		const why = request.failure()?.errorText ?? "";
		if (!why.includes("ERR_ABORTED"))
			complaints.push(`failed request: ${request.url()} ${why}`);
	});
	await page.addInitScript(() => {
		document.addEventListener("securitypolicyviolation", (event) =>
			console.error(
				`policy violation: ${event.violatedDirective} ${event.blockedURI}`,
			),
		);
	});
	await prepare?.(page);
	await page.goto(home + path);
	await page.waitForSelector(".panel");
	return {
		page,
		context: own,
		complaints,
		async done() {
			expect(complaints).toEqual([]);
			if (context) await page.close();
			else await own.close();
		},
	};
}

/** Waits until the findings on the screen belong to the text on the screen. */
export async function settled(page: Page, timeout = 30_000): Promise<void> {
	await page.waitForSelector(
		'.problems[aria-busy="false"] .verdict, .problems[aria-busy="false"] .quiet',
		{ timeout },
	);
}

/** Replaces the text of the open file as a paste does. */
export async function setText(page: Page, text: string): Promise<void> {
	await page.locator(".cm-content").first().click();
	await page.keyboard.press("ControlOrMeta+a");
	await page.evaluate(
		(content) => navigator.clipboard.writeText(content),
		text,
	);
	await page.keyboard.press("ControlOrMeta+v");
}

/** Returns a clock of the page's own thread, in milliseconds: other programs on the machine do not count. */
export async function threadClock(page: Page): Promise<() => Promise<number>> {
	const cdp = await page.context().newCDPSession(page);
	await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
	return async () =>
		(await cdp.send("Performance.getMetrics")).metrics.find(
			({ name }) => name === "TaskDuration",
		)!.value * 1000;
}

/** Copies a link to the page as it is: making it takes a moment. */
export async function share(page: Page): Promise<string> {
	await page.evaluate(() => navigator.clipboard.writeText(""));
	await page.getByRole("button", { name: "Share", exact: true }).click();
	const copied = () => page.evaluate(() => navigator.clipboard.readText());
	await expect.poll(copied).toContain("#");
	return copied();
}

/** The text of the open file, as the page keeps it (only what is on the screen is in the document tree). */
export async function textOf(page: Page): Promise<string> {
	return page.evaluate(() => {
		const content = document
			.querySelector(".editor-host")
			?.shadowRoot?.querySelector(".cm-content") as unknown as {
			cmTile?: { view?: { state: { doc: { toString(): string } } } };
			cmView?: { view?: { state: { doc: { toString(): string } } } };
		} | null;
		const view = content?.cmTile?.view ?? content?.cmView?.view;
		if (!view) throw new Error("no editor");
		return view.state.doc.toString();
	});
}

/** The drafts in the page's database, as JSON; empty before there is one. */
export async function draftsOf(page: Page): Promise<string> {
	return page.evaluate(
		() =>
			new Promise<string>((resolve) => {
				const open = indexedDB.open(
					`claimkit ${new URL("./", location.href).pathname}`,
				);
				// The page makes the database, not this.
				open.onupgradeneeded = () => open.transaction?.abort();
				open.onerror = (event) => {
					event.preventDefault();
					resolve("");
				};
				open.onsuccess = () => {
					const all = open.result
						.transaction("drafts")
						.objectStore("drafts")
						.getAll();
					all.onsuccess = () => {
						open.result.close();
						resolve(JSON.stringify(all.result));
					};
				};
			}),
	);
}

/** Waits until a draft with some words is in the page's database. */
export async function drafted(page: Page, words: string): Promise<void> {
	await expect.poll(() => draftsOf(page), { timeout: 20_000 }).toContain(words);
}

/** Waits until the open panel is loaded, has its answer, and nothing in the page moves. */
export async function panelShown(page: Page): Promise<void> {
	await page.waitForFunction(() => {
		const panel = document.querySelector(".panel");
		return (
			panel?.firstElementChild &&
			!panel.querySelector('[aria-busy="true"]') &&
			document.getAnimations().every(({ playState }) => playState !== "running")
		);
	});
}

/** Waits until the page has done what it had to do and drawn it, where nothing is to be seen of that. */
export async function idle(page: Page): Promise<void> {
	await page.evaluate(async () => {
		for (let times = 0; times < 2; times++) {
			// Once a page with nothing to do was told that it is idle only after a minute.
			await new Promise((resolve) =>
				requestIdleCallback(resolve, { timeout: 1_000 }),
			);
			await new Promise((resolve) => requestAnimationFrame(resolve));
		}
	});
}

/**
 * Waits until the list of completions takes keys. Time itself is the subject: the editor ignores keys for 75 ms after the list opens
 * (`interactionDelay` of `@codemirror/autocomplete`), and shows nothing of it.
 */
export async function completionsTakeKeys(page: Page): Promise<void> {
	const opened = Date.now();
	await page.waitForFunction((from) => Date.now() - from > 100, opened);
}

/** Opens the menu behind the three dots and chooses from it. */
export async function choose(page: Page, name: string): Promise<void> {
	await page.getByRole("button", { name: "More", exact: true }).click();
	await page.getByRole("button", { name, exact: true }).click();
}

/** Opens files as a person chooses them. */
export async function openFiles(
	page: Page,
	given: readonly { name: string; text: string | Buffer }[],
): Promise<void> {
	await page
		.locator('input[type="file"]')
		.first()
		.setInputFiles(
			given.map(({ name, text }) => ({
				name,
				mimeType: "text/yaml",
				buffer: Buffer.from(text),
			})),
		);
}

/** Waits for the answers about pods, and returns each pod's outcome and node, those of groups too. */
export async function podsShown(
	page: Page,
	timeout = 60_000,
): Promise<Record<string, string>> {
	await page
		.locator(
			'.devices[aria-busy="false"] .pod-sentences > ul > li[data-outcome]:not([data-outcome=""])',
		)
		.first()
		.waitFor({ timeout });
	const more = page.locator(".pod-sentences > button", { hasText: "Show" });
	while ((await more.count()) > 0) await more.first().click();
	const closed = page.locator(".pod-sentences .pod-list:not([open]) > summary");
	while ((await closed.count()) > 0) await closed.first().click();
	return page.locator(".pod-sentences > ul > li").evaluateAll((rows) =>
		Object.fromEntries(
			rows.flatMap((row) => {
				const {
					pod = "",
					outcome = "",
					node = "",
				} = (row as HTMLElement).dataset;
				const alike = [...row.querySelectorAll(".pod-list li button")].map(
					(button) => button.textContent ?? "",
				);
				return [pod, ...alike].map((name) => [
					name,
					`${outcome} ${node}`.trim(),
				]);
			}),
		),
	);
}

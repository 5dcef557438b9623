import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { dump } from "./dump.ts";
import {
	home,
	idle,
	openPage,
	served,
	setText,
	settled,
	setUp,
	textOf,
} from "./page.ts";

setUp();

const CLAIM =
	"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: one, namespace: ns}\nspec:\n  devices:\n    requests:\n    - name: gpu\n      exactly: {deviceClassName: gpu}\n";
const tab = (page: Page, name: string) => page.getByRole("tab", { name });

async function open(
	page: Page,
	files: { name: string; bytes: Buffer | string }[],
): Promise<void> {
	await page
		.locator('input[type="file"]')
		.first()
		.setInputFiles(
			files.map(({ name, bytes }) => ({
				name,
				mimeType: "text/yaml",
				buffer: Buffer.from(bytes),
			})),
		);
}

describe("the page starts", () => {
	it("where the browser refuses storage and locks", async () => {
		const { page, done } = await openPage({
			prepare: (own) =>
				own.addInitScript(() => {
					const refuse = () => {
						throw new DOMException("denied", "SecurityError");
					};
					for (const name of [
						"localStorage",
						"sessionStorage",
						"indexedDB",
						"caches",
					])
						Object.defineProperty(window, name, { get: refuse });
					navigator.locks.query = () =>
						Promise.reject(new DOMException("denied", "SecurityError"));
					navigator.locks.request = (() =>
						Promise.reject(
							new DOMException("denied", "SecurityError"),
						)) as typeof navigator.locks.request;
					navigator.serviceWorker.register = () =>
						Promise.reject(new DOMException("denied", "SecurityError"));
				}),
		});
		await settled(page);
		await setText(page, CLAIM);
		await page.locator(".verdict.good").waitFor();
		await done();
	});

	it("whatever example an address asks for", async () => {
		for (const name of [
			"__proto__",
			"constructor",
			"hasOwnProperty",
			"toString",
			"no-such-code",
		]) {
			const { page, done } = await openPage({ path: `#example=code/${name}` });
			await settled(page);
			await page
				.locator(".notice", { hasText: `There is no example “code/${name}”.` })
				.waitFor();
			await done();
		}
	});

	it("or says that it cannot: without its code, and without scripts", async () => {
		const blocked = await openPage({
			prepare: (page) =>
				page.route(/assets\/app-[^/]*\.js$/, (route) => route.abort()),
		}).catch(() => null);
		const page = blocked!.page;
		await page.locator(".early-failed").waitFor();
		expect(await page.locator(".early-progress").isVisible()).toBe(false);
		expect(await page.locator(".early-starting").isVisible()).toBe(false);
		await blocked!.context.close();
		const { page: other, context } = await openPage();
		const plain = await context.browser()!.newContext({
			javaScriptEnabled: false,
			viewport: { width: 1280, height: 800 },
		});
		const silent = await plain.newPage();
		await silent.goto(home);
		const words = silent.locator("noscript p", {
			hasText: "The playground needs JavaScript and WebAssembly.",
		});
		await words.waitFor();
		expect((await words.boundingBox())!.y).toBeLessThan(800);
		expect(await silent.locator(".early-progress").isVisible()).toBe(false);
		await plain.close();
		await other.close();
		await context.close();
	});

	it("and tells what did not: the engine, or a panel", async () => {
		const engine = await openPage({
			prepare: (page) =>
				page.context().route(/\.wasm$/, (route) => route.abort()),
		});
		await engine.page
			.locator(".banner", { hasText: "The engine could not be loaded" })
			.waitFor();
		expect(await engine.page.getByText("keeps stopping").count()).toBe(0);
		await engine.context.close();
		let blocked = true;
		const panel = await openPage({
			prepare: (page) =>
				page.route(/assets\/Convert-[^/]*\.js$/, (route) =>
					blocked ? route.abort() : route.continue(),
				),
		});
		await settled(panel.page);
		await tab(panel.page, "Convert").click();
		await panel.page
			.locator(".banner", {
				hasText: "The code of this panel could not be loaded.",
			})
			.waitFor();
		blocked = false;
		await panel.context.close();
	});
});

describe("files", () => {
	it("that are not UTF-8 are said to be, and stay as they were until they are changed", async () => {
		const bytes = Buffer.concat([
			Buffer.from(`${CLAIM}# caf`),
			Buffer.from([0xe9]),
			Buffer.from("\n"),
		]);
		const { page, done } = await openPage();
		await settled(page);
		await open(page, [{ name: "latin1.yaml", bytes }]);
		await page.locator(".finding", { hasText: "not-utf8" }).waitFor();
		await page.locator(".not-utf8", { hasText: "latin1.yaml" }).waitFor();
		await page.locator(".cm-content").first().click();
		const [download] = await Promise.all([
			page.waitForEvent("download"),
			page.keyboard.press("ControlOrMeta+s"),
		]);
		expect(readFileSync(await download.path()).equals(bytes)).toBe(true);
		await page.keyboard.press("ControlOrMeta+End");
		await page.keyboard.type("# more");
		await page.locator(".not-utf8").waitFor({ state: "detached" });
		await done();
	});

	it("come from a folder, with those below it", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const folder = mkdtempSync(join(tmpdir(), "claimkit-"));
		mkdirSync(join(folder, "below"));
		writeFileSync(join(folder, "a.yaml"), CLAIM);
		writeFileSync(
			join(folder, "below", "b.json"),
			'{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}',
		);
		writeFileSync(join(folder, "notes.txt"), "no manifest");
		await page.getByRole("button", { name: "New file" }).click();
		const [chooser] = await Promise.all([
			page.waitForEvent("filechooser"),
			page.getByRole("button", { name: "Open a folder…" }).click(),
		]);
		await chooser.setFiles(folder);
		await expect
			.poll(async () =>
				(await page.locator(".file-name").allTextContents())
					.map((name) => name.replace(/^claimkit-[^/]*\//, ""))
					.sort(),
			)
			.toEqual(["a.yaml", "below/b.json"]);
		rmSync(folder, { recursive: true });
		// The same by a drop: what a browser hands over for a folder.
		await page.evaluate((text) => {
			const file = (name: string, content: string) => ({
				isFile: true,
				isDirectory: false,
				name,
				file: (done: (file: File) => void) => done(new File([content], name)),
			});
			const dir = (name: string, inner: unknown[]) => ({
				isFile: false,
				isDirectory: true,
				name,
				createReader: () => ({
					readEntries: (done: (list: unknown[]) => void) =>
						done(inner.splice(0)),
				}),
			});
			const entry = dir("manifests", [
				file("x.yaml", text),
				dir("deep", [file("y.yml", text), file("z.md", "no")]),
			]);
			const transfer = {
				types: ["Files"],
				files: [],
				items: [{ webkitGetAsEntry: () => entry }],
			};
			const event = new Event("drop", { bubbles: true, cancelable: true });
			Object.defineProperty(event, "dataTransfer", { value: transfer });
			document.body.dispatchEvent(event);
		}, CLAIM);
		await expect
			.poll(() => page.locator(".file-name").allTextContents())
			.toEqual(
				expect.arrayContaining(["manifests/x.yaml", "manifests/deep/y.yml"]),
			);
		expect(await page.locator(".file-name").count()).toBe(4);
		await done();
	});

	it("have names that turn nothing around, push nothing out, and are no options", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await open(page, [
			{ name: "\u202egpj.yaml", bytes: "kind: x\n" },
			{ name: "-rf.yaml", bytes: CLAIM },
			{ name: `${"long".repeat(25)}.yaml`, bytes: `${CLAIM}  more: 1\n` },
		]);
		await page.locator(".file-open", { hasText: "gpj" }).click();
		expect(
			await page.locator(".file-name", { hasText: "gpj" }).textContent(),
		).toBe("U+202Egpj.yaml");
		expect(await page.locator(".status-bar").textContent()).not.toContain(
			"\u202e",
		);
		await page.locator(".finding").first().waitFor();
		expect(
			await page.locator(".finding-place").first().textContent(),
		).not.toContain("\u202e");
		expect(await page.locator(".commands code").textContent()).not.toContain(
			"\u202e",
		);
		await page.locator(".file-open", { hasText: "-rf" }).click();
		await expect
			.poll(() => page.locator(".commands code").textContent())
			.toBe("npx claimkit validate ./-rf.yaml");
		await page.locator(".file-open", { hasText: "longlong" }).click();
		await page.locator(".finding").first().waitFor();
		const [finding, place, status, privacy] = await Promise.all(
			[".finding", ".finding-place", ".status-bar", ".status-bar .private"].map(
				(selector) => page.locator(selector).first().boundingBox(),
			),
		);
		expect(place!.x + place!.width).toBeLessThanOrEqual(
			finding!.x + finding!.width,
		);
		expect(
			await page.locator(".finding-place bdi").last().textContent(),
		).toMatch(/^\d+:\d+$/);
		expect(privacy!.x + privacy!.width).toBeLessThanOrEqual(
			status!.x + status!.width,
		);
		await done();
	});

	it("leave the focus among the tabs when they are closed, and the worker without their text", async () => {
		const { page, done } = await openPage({
			prepare: (own) =>
				own.addInitScript(() => {
					const sent: unknown[] = [];
					(window as unknown as { sent: unknown[] }).sent = sent;
					const post = Worker.prototype.postMessage;
					Worker.prototype.postMessage = function (
						this: Worker,
						message: unknown,
					) {
						if (typeof message === "object" && message && "forget" in message)
							sent.push(...(message as { forget: string[] }).forget);
						return post.call(this, message);
					};
				}),
		});
		await settled(page);
		await open(page, [
			{ name: "a.yaml", bytes: CLAIM },
			{ name: "b.yaml", bytes: CLAIM },
		]);
		await settled(page);
		await page.locator(".file-close").click();
		await expect
			.poll(() => page.evaluate(() => document.activeElement?.className))
			.toBe("file-open");
		await open(page, [{ name: "c.yaml", bytes: CLAIM }]);
		await page.locator(".file-open", { hasText: "c.yaml" }).focus();
		await page.keyboard.press("Delete");
		await expect
			.poll(() => page.evaluate(() => document.activeElement?.className))
			.toBe("file-open");
		await expect
			.poll(() =>
				page.evaluate(
					() => (window as unknown as { sent: string[] }).sent.length,
				),
			)
			.toBeGreaterThan(1);
		await done();
	});
});

describe("what people paste first", () => {
	const manifest = CLAIM;
	for (const [what, text, words, action] of [
		[
			"what kubectl describe prints of a pod",
			"Name:             train-0\nNamespace:        research\nPriority:         0\nNode:             <none>\nStatus:           Pending\nEvents:\n  Type     Reason            Age   From               Message\n  ----     ------            ----  ----               -------\n  Warning  FailedScheduling  12s   default-scheduler  0/40 nodes are available: 40 cannot allocate all claims.\n",
			"kubectl describe",
			"",
		],
		[
			"the scheduler's sentence",
			"0/40 nodes are available: 40 cannot allocate all claims. no new claims to deallocate.\n",
			"what the scheduler says of a pod that waits",
			"",
		],
		[
			"an event",
			"12s  Warning  FailedScheduling  pod/train-0  0/40 nodes are available: 40 cannot allocate all claims.\n",
			"what the scheduler says of a pod that waits",
			"",
		],
		[
			"an event as an object",
			JSON.stringify({
				apiVersion: "v1",
				kind: "List",
				items: [
					{
						apiVersion: "v1",
						kind: "Event",
						metadata: { name: "train-0.1", namespace: "research" },
						involvedObject: { kind: "Pod", name: "train-0" },
						reason: "FailedScheduling",
						message: "0/40 nodes are available: 40 cannot allocate all claims.",
						type: "Warning",
					},
				],
			}),
			"what the scheduler says of a pod that waits",
			"",
		],
		[
			"a pod that waits, as the cluster has it",
			"apiVersion: v1\nkind: Pod\nmetadata:\n  name: train-0\n  namespace: research\n  resourceVersion: '41'\n  uid: 11111111-2222-4333-8444-555555555555\nspec:\n  containers: [{name: c, image: x, resources: {claims: [{name: gpu}]}}]\n  resourceClaims: [{name: gpu, resourceClaimTemplateName: two}]\nstatus:\n  phase: Pending\n  conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: '0/40 nodes are available: 40 cannot allocate all claims.'}]\n",
			"its status has what the scheduler says",
			"",
		],
		[
			"a fenced manifest",
			`Here it is:\n\n\`\`\`yaml\n${manifest}\`\`\`\n\nthanks`,
			"the fences of Markdown",
			"Take out the manifest",
		],
		[
			"an indented fence",
			`1. apply\n   \`\`\`yaml\n${manifest.replace(/^(?=.)/gm, "   ")}   \`\`\`\n`,
			"the fences of Markdown",
			"Take out the manifest",
		],
		[
			"a prompt and its answer",
			`$ kubectl get resourceclaim one -o yaml\n${manifest}`,
			"typed into a shell",
			"Take out the manifest",
		],
		[
			"another prompt",
			`jane@host:~/gpu$ kubectl get resourceclaim one -o yaml\n${manifest}jane@host:~/gpu$ \n`,
			"typed into a shell",
			"Take out the manifest",
		],
		[
			"an expression",
			'device.attributes["gpu.example.com"].model == "h100" && device.driver == "gpu.example.com"\n',
			"an expression in CEL",
			"Try it in Expression",
		],
		[
			"an AdmissionReview",
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
			"an AdmissionReview",
			"Take out its object",
		],
		[
			"settings of the command line",
			'release = "1.34"\n[gates]\nDRAConsumableCapacity = true\n',
			"settings in TOML",
			"",
		],
	] as const) {
		it(`is known: ${what}`, async () => {
			const { page, done } = await openPage();
			await settled(page);
			await setText(page, text);
			const guide = page.locator(".guide", { hasText: words });
			await guide.waitFor();
			expect(await page.locator(".finding").count()).toBe(0);
			if (action === "") {
				await done();
				return;
			}
			await guide.getByRole("button", { name: action }).click();
			if (what === "an expression") {
				await expect
					.poll(() => page.locator(".expression-answer").textContent())
					.toContain("Compiles");
			} else {
				await page.locator(".verdict.good").waitFor();
				if (what !== "an AdmissionReview")
					expect((await textOf(page)).trim()).toContain(
						manifest.trim().split("\n").slice(0, 3).join("\n"),
					);
			}
			await done();
		});
	}

	it("brings no expression of another text along, and keeps one that was written", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const field = () =>
			page.evaluate(
				() =>
					document
						.querySelector(".expression-text")
						?.shadowRoot?.querySelector(".cm-content")?.textContent ?? "",
			);
		await tab(page, "Expression").click();
		await expect.poll(field).toContain("device");
		const before = await field();
		await setText(page, dump({ nodes: 2, model: () => "h100" }));
		await expect.poll(field).not.toBe(before);
		await page
			.locator(".expression-answer b", { hasText: /Selects \d+ of 8 devices/ })
			.waitFor();
		expect(await page.getByText("The API server refuses it").count()).toBe(0);
		await page.locator(".expression-text").click();
		await page.keyboard.press("ControlOrMeta+a");
		await page.keyboard.type('device.driver == "mine"', { delay: 5 });
		await setText(page, dump({ nodes: 3 }));
		await page
			.locator(".expression-answer b", { hasText: "Selects 0 of 12 devices" })
			.waitFor();
		expect(await field()).toContain('"mine"');
		await done();
	});
});

describe("a panel", () => {
	it("that a person opens stays open when the answer about a pasted dump comes later", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const editor = page.locator(".cm-content").first();
		await editor.click();
		await page.keyboard.press("ControlOrMeta+a");
		await editor.evaluate(
			(content, text) => {
				const clipboardData = new DataTransfer();
				clipboardData.setData("text/plain", text);
				content.dispatchEvent(
					new ClipboardEvent("paste", {
						clipboardData,
						bubbles: true,
						cancelable: true,
						composed: true,
					}),
				);
				document.getElementById("tab-problems")!.click();
			},
			dump({ nodes: 1, pods: 3 }),
		);
		await page.locator(".more-alike button").first().waitFor();
		expect(await tab(page, "Problems").getAttribute("aria-selected")).toBe(
			"true",
		);
		await done();
	});
});

describe("answers", () => {
	it("offer the removal of what the server owns behind an &&, one by one and all at once", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, dump({ nodes: 1, pods: 3 }));
		await tab(page, "Problems").click();
		const more = page.locator(".more-alike button");
		await more.first().waitFor();
		while ((await more.count()) > 0) await more.first().click();
		const rows = page.locator(".finding", {
			hasText: /drops .?metadata\.resourceVersion/,
		});
		await expect.poll(() => rows.count()).toBe(6);
		expect(await rows.locator(".fix").count()).toBe(6);
		await page.getByRole("button", { name: "Make it a manifest" }).click();
		await page
			.getByRole("dialog")
			.getByRole("button", { name: "Apply" })
			.click();
		await expect
			.poll(async () =>
				/kind: ResourceClaim\n {2}metadata:[\s\S]*?(resourceVersion|uid: 0{8}-0000-4000-8000-\d+\n {2}spec)/.test(
					await textOf(page),
				),
			)
			.toBe(false);
		await page
			.locator(".verdict h2", { hasText: /accept/ })
			.waitFor({ timeout: 5_000 })
			.catch(() => undefined);
		expect(await rows.count()).toBe(0);
		await done();
	});

	it("keep the unit that a quantity was written in", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const slice =
			"apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec:\n  driver: d.example.com\n  nodeName: a\n  pool: {name: a, generation: 1, resourceSliceCount: 1}\n  devices:\n  - name: nic-0\n    capacity: {bandwidth: {value: 200G}, memory: {value: 40Gi}, small: {value: 1500m}}\n";
		await setText(page, slice);
		await tab(page, "Expression").click();
		await page.locator(".expression-text").click();
		await page.keyboard.press("ControlOrMeta+a");
		await page.keyboard.insertText(
			'device.capacity["d.example.com"].bandwidth.isGreaterThan(device.capacity["d.example.com"].memory)',
		);
		await expect
			.poll(() => page.locator(".part-value").allTextContents())
			.toEqual(['quantity("200G")', 'quantity("40Gi")']);
		await done();
	});

	it("say what to leave out of a text that is too long, in every panel", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const folder = mkdtempSync(join(tmpdir(), "claimkit-"));
		writeFileSync(
			join(folder, "huge.yaml"),
			`${CLAIM}${`# ${"x".repeat(97)}\n`.repeat((64 * 1024 * 1024) / 100)}${`# ${"x".repeat(97)}\n`.repeat(50)}`,
		);
		await page
			.locator('input[type="file"]')
			.first()
			.setInputFiles(join(folder, "huge.yaml"));
		await page.locator(".guide", { hasText: "longer than 64 MiB" }).waitFor();
		await tab(page, "Devices").click();
		await page.locator(".empty", { hasText: "longer than 64 MiB" }).waitFor();
		rmSync(folder, { recursive: true });
		await done();
	});

	it("take their changes back without losing the focus, and bring a new node into view", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(
			page,
			dump({
				nodes: 60,
				model: (node) => `m${node}`,
				request: "count: 9\n".replace(
					"count: 9\n",
					"selectors:\n- cel: {expression: 'device.driver == \"no\"'}\n",
				),
			}),
		);
		await page.locator(".devices .cell").first().click();
		await page
			.getByRole("button", { name: "Try one more node like worker-00" })
			.click();
		await page.locator(".supposed .chip").waitFor();
		expect(
			await page
				.locator(".supposed")
				.evaluate((bar) => parseFloat(getComputedStyle(bar).paddingLeft)),
		).toBeGreaterThan(8);
		await page.locator(".supposed button").click();
		await expect
			.poll(() =>
				page.evaluate(() => document.activeElement?.getAttribute("role")),
			)
			.toBe("grid");
		await done();
	});
});

describe("the frame", () => {
	it("scrolls where two panes have no room: zoomed, and on a phone that lies", async () => {
		for (const [width, height] of [
			[720, 450],
			[360, 225],
			[740, 360],
			[320, 256],
		] as const) {
			const { page, done } = await openPage({ width, height });
			await settled(page);
			for (const selector of [".editor-host", ".panel"]) {
				const box = (await page.locator(selector).first().boundingBox())!;
				expect(
					box.height,
					`${selector} at ${width}×${height}`,
				).toBeGreaterThanOrEqual(180);
			}
			expect(
				await page.evaluate(
					() => document.documentElement.scrollWidth <= innerWidth,
				),
			).toBe(true);
			await page.locator(".panel .verdict").scrollIntoViewIfNeeded();
			expect(await page.locator(".panel .verdict").isVisible()).toBe(true);
			await done();
		}
	});

	it("tells with forced colours what is chosen, marked and broken", async () => {
		const { page, done } = await openPage({
			path: "#example=gpu-pod",
			prepare: (own) => own.emulateMedia({ forcedColors: "active" }),
		});
		await page.locator(".chain .broken").waitFor();
		const style = (selector: string, name: string) =>
			page
				.locator(selector)
				.first()
				.evaluate(
					(element, key) => getComputedStyle(element).getPropertyValue(key),
					name,
				);
		expect(
			await style('.panel-tabs [aria-selected="true"]', "outline-style"),
		).toBe("solid");
		expect(
			await style('.panel-tabs [aria-selected="false"]', "outline-style"),
		).toBe("none");
		expect(await style(".cell.picked", "outline-style")).toBe("solid");
		expect(await style(".stage-bar > span", "forced-color-adjust")).toBe(
			"none",
		);
		expect(await style(".chain .broken .chain-box", "border-style")).toBe(
			"dashed",
		);
		expect(await style(".sign-box", "border-style")).toBe("solid");
		await tab(page, "Problems").click();
		await done();
	});

	it("prints the answer, all of it, and not the shell", async () => {
		const { page, done } = await openPage({ path: "#example=three-mistakes" });
		await settled(page);
		await page.emulateMedia({ media: "print" });
		expect(await page.locator(".left").isVisible()).toBe(false);
		expect(await page.locator(".panel-tabs").isVisible()).toBe(false);
		expect(
			await page
				.locator(".panel")
				.evaluate((panel) => panel.scrollHeight <= panel.clientHeight + 1),
		).toBe(true);
		expect(await page.locator(".finding").last().isVisible()).toBe(true);
		await done();
	});

	it("prints every pod with its reasons and every node, and no control", async () => {
		const { page, done } = await openPage();
		await setText(
			page,
			dump({
				nodes: 60,
				pods: 20,
				different: true,
				model: (node) => `m-${node}`,
			}),
		);
		await page.getByRole("tab", { name: "Devices" }).click();
		await page
			.locator('.devices[aria-busy="false"] .pod-sentences > ul > li')
			.first()
			.waitFor();
		const drawn = () =>
			page.evaluate(() => {
				const seen = (selector: string) =>
					[...document.querySelectorAll<HTMLElement>(selector)].filter(
						(element) => element.checkVisibility(),
					);
				return {
					pods: seen(".pod-sentences > ul > li").length,
					closed: seen(
						".pod-sentences details:not([open]), .headline details:not([open])",
					).length,
					names: seen(".headline .pod-list li").length,
					// Twenty pods in columns, six of them side by side.
					nodes:
						seen(".matrix [role=rowheader]").length / seen(".matrix").length,
					grids: seen(".matrix").length,
					cut: seen(".matrix .cell-words, .matrix .node-word").filter(
						(element) => element.scrollWidth > element.clientWidth + 1,
					).length,
					controls: seen(
						".panel .button, .panel input, .panel select, .pick-cell",
					).map((element) => element.textContent),
				};
			});
		await page.getByRole("checkbox", { name: "Alike in one row" }).uncheck();
		expect(await drawn()).toMatchObject({ pods: 8, names: 0 });
		await page.emulateMedia({ media: "print" });
		await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
		await idle(page);
		expect(await drawn()).toEqual({
			pods: 20,
			closed: 0,
			names: 20,
			nodes: 60,
			grids: 4,
			cut: 0,
			controls: [],
		});
		await page.evaluate(() => dispatchEvent(new Event("afterprint")));
		await page.emulateMedia({ media: "screen" });
		await idle(page);
		expect(await drawn()).toMatchObject({ pods: 8, names: 0 });
		await done();
	});

	it("says of a draft only what is so: an embedded page keeps none", async () => {
		const { page, done } = await openPage({ path: "#embed=1&example=first" });
		await settled(page);
		expect(await page.locator(".status-bar").textContent()).not.toContain(
			"draft",
		);
		await done();
	});
});

describe("offline", () => {
	it("downloads nothing twice, and has the examples of codes", async () => {
		served.length = 0;
		const { page, context, complaints } = await openPage({
			serviceWorker: true,
		});
		await settled(page);
		await page.getByText("works offline").waitFor({ timeout: 30_000 });
		const asked = served.filter((path) => path.includes("/assets/"));
		expect(asked.filter((path, at) => asked.indexOf(path) !== at)).toEqual([]);
		expect(asked.some((path) => path.endsWith(".wasm"))).toBe(true);
		await context.setOffline(true);
		await page.goto(`${home}#example=code/name-invalid`);
		await page.reload();
		await page.waitForSelector(".panel");
		await settled(page);
		expect(
			await page.locator(".notice", { hasText: "There is no example" }).count(),
		).toBe(0);
		expect(
			complaints.filter((line) => !line.includes("ERR_INTERNET_DISCONNECTED")),
		).toEqual([]);
		await context.close();
	});

	it("has the lists of the site's pages, by the names of their folders too", async () => {
		const { page, context } = await openPage({ serviceWorker: true });
		await settled(page);
		await page.getByText("works offline").waitFor({ timeout: 30_000 });
		// The page that registered the worker is not its own until it is loaded again.
		await page.reload();
		await context.setOffline(true);
		const titles: Record<string, string> = {};
		for (const path of [
			"codes/",
			"codes/zh/",
			"codes/zh/name-invalid.html",
			"scheduler/",
			"versions/",
			"guide/",
			"search/?q=claims",
			"index.html",
		]) {
			await page.goto(home + path).catch(() => undefined);
			titles[path] = await page.title();
		}
		expect(titles).toEqual({
			"codes/": expect.stringContaining("claimkit"),
			"codes/zh/": titles["codes/"],
			"codes/zh/name-invalid.html": expect.stringContaining("name-invalid"),
			"scheduler/": expect.stringContaining("scheduler"),
			"versions/": expect.stringContaining("Versions"),
			"guide/": expect.stringContaining("claimkit"),
			"search/?q=claims": expect.stringContaining("claimkit"),
			"index.html": "claimkit playground",
		});
		await context.close();
	});
});

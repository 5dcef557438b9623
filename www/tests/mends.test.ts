import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ValidateOptions } from "claimkit";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { CodeExample } from "../build/codeexamples.ts";
import { engine } from "../build/engine.ts";
import { admission } from "../src/engine/admission.ts";
import {
	choose,
	dist,
	drafted,
	home,
	idle,
	openPage,
	panelShown,
	setText,
	settled,
	setUp,
	textOf,
} from "./page.ts";

setUp();

const claim = (spec: string, name = "claim") =>
	`apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: ${name}\nspec:\n${spec}`;
const CLASS = "  resourceClassName: gpu.example.com\n";
const NODE = (name: string, labels = "{a: b}") =>
	`apiVersion: v1\nkind: Node\nmetadata:\n  name: ${name}\n  labels: ${labels}\n`;

/** Adds a file of a role and fills it. */
async function addFile(page: Page, role: RegExp, text: string): Promise<void> {
	await page.getByRole("button", { name: "New file" }).click();
	await page
		.locator(".popover-panel")
		.getByRole("button", { name: role })
		.click();
	await setText(page, text);
}

describe("fix all", () => {
	it("shows what it will do, never deletes what a person wrote, and can be undone", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const text = `apiVersion: resource.k8s.io/v1alpha2\nkind: resourceClaim\nmetadata:\n  name: claim\nspec:\n${CLASS}status:\n  driverName: gpu.example.com\n`;
		await setText(page, text);
		await settled(page);
		await page
			.locator(".finding", { hasText: "resourceClaim" })
			.first()
			.waitFor();
		await page.getByRole("button", { name: /^Fix all/ }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByText("write ResourceClaim").waitFor();
		expect(await dialog.locator(".fix-list li").count()).toBe(1);
		expect(await dialog.textContent()).toContain("removes something you wrote");
		expect(await textOf(page)).toBe(text); // nothing yet
		await dialog.getByRole("button", { name: "Apply" }).click();
		expect(await textOf(page)).toBe(
			text.replace("resourceClaim", "ResourceClaim"),
		);
		await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
		expect(await textOf(page)).toBe(text);
		await done();
	});
});

describe("a toast's undo", () => {
	it("is there as long as it takes back what the toast is about", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await page.locator(".button.fix").first().click();
		const undo = page.locator(".notice").getByRole("button", { name: "Undo" });
		await undo.waitFor();
		await page.keyboard.press("ControlOrMeta+End");
		await page.locator(".editor-host .cm-content").click();
		await page.keyboard.type("# more");
		await undo.waitFor({ state: "detached" });
		expect(await textOf(page)).toContain("# more");
		await done();
	});
});

describe("the editor", () => {
	it("shows a selection inside the current line, in both themes, and underlines in their own colour", async () => {
		for (const colorScheme of ["light", "dark"] as const) {
			const { page, done } = await openPage({
				colorScheme,
				path: "#example=three-mistakes",
			});
			await settled(page);
			const line = page.locator(".editor-host .cm-line", {
				hasText: "allocationMode",
			});
			await line.click();
			const colours = async () => {
				// The marked word alone: the gutter has marks of the same color.
				const box = (await line.locator(".cm-lintRange").boundingBox())!;
				const png = (
					await page.screenshot({
						clip: { ...box, height: Math.min(box.height + 2, 24) },
					})
				).toString("base64");
				return page.evaluate(async (data) => {
					// Data addresses are not allowed by the page's policy: the bytes are decoded here.
					const bytes = Uint8Array.from(atob(data), (char) =>
						char.charCodeAt(0),
					);
					const bitmap = await createImageBitmap(
						new Blob([bytes], { type: "image/png" }),
					);
					const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
					const context = canvas.getContext("2d")!;
					context.drawImage(bitmap, 0, 0);
					const { data: pixels } = context.getImageData(
						0,
						0,
						bitmap.width,
						bitmap.height,
					);
					const count = new Map<string, number>();
					let red = 0;
					for (let at = 0; at < pixels.length; at += 4) {
						const [r, g, b] = [pixels[at]!, pixels[at + 1]!, pixels[at + 2]!];
						const key = `${r},${g},${b}`;
						count.set(key, (count.get(key) ?? 0) + 1);
						if (r > 150 && g < 130 && b < 130 && r - g > 70) red += 1;
					}
					return {
						most: [...count]
							.sort((x, y) => y[1] - x[1])
							.slice(0, 3)
							.map(([key]) => key),
						red,
					};
				}, png);
			};
			const plain = await colours();
			await page.keyboard.press("Home");
			await page.keyboard.press("Shift+End");
			expect(plain.red).toBeGreaterThan(10);
			let selected = plain;
			await expect
				.poll(
					async () => {
						selected = await colours();
						return selected.most.some((colour) => !plain.most.includes(colour));
					},
					{ message: `${colorScheme}: ${plain.most.join(" ")}` },
				)
				.toBe(true);
			expect(selected.red).toBeGreaterThan(plain.red * 0.6);
			await done();
		}
	});

	it("marks no letter everywhere when a finding of one letter is gone to", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await page.locator(".editor-host .cm-content").click();
		await page.keyboard.press("ControlOrMeta+Home");
		for (let i = 0; i < 4; i++) await page.keyboard.press("F8");
		await expect
			.poll(() => page.locator(".status-bar").textContent())
			.toContain("Ln 28");
		await idle(page);
		expect(await page.locator(".editor-host .cm-selectionMatch").count()).toBe(
			0,
		);
		await done();
	});

	it("offers fixes at the cursor, not in the middle of the page", async () => {
		const { page, done } = await openPage({ path: "#example=three-mistakes" });
		await settled(page);
		await page
			.locator(".editor-host .cm-line", { hasText: "parameterRef" })
			.click();
		await page.keyboard.press("ControlOrMeta+.");
		const menu = page.getByRole("menu");
		await menu.waitFor();
		const line = (await page
			.locator(".editor-host .cm-line", { hasText: "parameterRef" })
			.boundingBox())!;
		const box = (await menu.boundingBox())!;
		expect(Math.abs(box.y - (line.y + line.height))).toBeLessThan(30);
		expect(box.x).toBeLessThan(line.x + line.width);
		await page.keyboard.press("Escape");
		await menu.waitFor({ state: "detached" });
		await done();
	});

	it("marks characters that turn text around, in the editor and in findings", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, claim(CLASS, '"a\u202eb"'));
		await page
			.locator(".editor-host .cm-specialChar", { hasText: "U+202E" })
			.waitFor();
		await page
			.locator(".hidden-character", { hasText: "U+202E" })
			.first()
			.waitFor();
		expect(await page.locator(".object-name").allTextContents()).not.toContain(
			"\u202e",
		);
		for (const tab of await page.getByRole("tab").all()) {
			await tab.click();
			await panelShown(page);
			expect(
				await page
					.locator(".panel")
					// biome-ignore lint/performance/useDomNodeTextContent: what is hidden may hold the character
					.evaluate((panel) => (panel as HTMLElement).innerText),
				(await tab.textContent()) ?? "",
			).not.toContain("\u202e");
		}
		await done();
	});

	it("names this keyboard's keys, and draws no backticks in tooltips", async () => {
		const { page, done } = await openPage({ path: "#example=placement" });
		await page.getByRole("grid").waitFor();
		for (const title of await page
			.locator("[title]")
			.evaluateAll((all) =>
				all.map((element) => element.getAttribute("title")),
			))
			expect(title).not.toContain("`");
		await choose(page, "Keyboard");
		await page.getByRole("dialog").locator("kbd").first().waitFor();
		const keys = (
			await page.getByRole("dialog").locator("kbd").allTextContents()
		).join(" ");
		expect(keys).toContain("Ctrl + .");
		expect(keys).not.toContain("⌘");
		// Every panel has a number.
		expect(keys).toContain(
			`Alt + 1 … ${await page.locator(".panel-tabs").getByRole("tab", { includeHidden: true }).count()}`,
		);
		await done();
	});

	it("keeps toasts off the text", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await page.getByRole("button", { name: "Share" }).click();
		const notice = (await page.locator(".notice").boundingBox())!;
		for (const part of [".left", ".right"]) {
			const box = (await page.locator(part).boundingBox())!;
			expect(box.y + box.height).toBeLessThanOrEqual(notice.y + 1);
		}
		await done();
	});
});

describe("problems", () => {
	it("say what the server answers now, and what it would answer once that is mended", async () => {
		const { page, done } = await openPage({ path: "#example=three-mistakes" });
		await settled(page);
		const now = page.getByRole("region", {
			name: "API server answers this now, word for word",
		});
		const later = page.getByRole("region", {
			name: "API server would answer this once that is mended",
		});
		expect(await now.locator(".finding-message").allTextContents()).toEqual([
			'unknown field "spec.parameterRef"',
		]);
		expect(await later.locator(".finding").count()).toBe(2);
		expect(await page.locator(".verdict h2").textContent()).toBe(
			"The API server would refuse this: 1 error, and 2 more once it is mended",
		);
		await page.locator(".object summary").click();
		const status = JSON.parse(
			(await page.locator(".status-body pre").textContent()) ?? "",
		) as { message: string };
		expect(status.message).toContain("spec.parameterRef");
		expect(status.message).not.toContain("Unsupported value");
		await done();
	});

	it("stand in the order of their lines, and name their file", async () => {
		const { page, done } = await openPage({ path: "#example=three-mistakes" });
		await settled(page);
		const places = await page
			.getByRole("region", { name: /would answer this once/ })
			.locator(".finding-place > [aria-hidden]")
			.allTextContents();
		expect(places).toEqual(["claim.yaml:5:9", "claim.yaml:9:19"]);
		await done();
	});

	it("show what is not checked as not checked", async () => {
		const { page, done } = await openPage({ path: "#example=template" });
		await page.getByRole("tab", { name: "Problems" }).click();
		await settled(page);
		const pod = page.locator(".object", { hasText: "Pod" }).last();
		expect(await pod.locator(".tick").getAttribute("class")).toContain("none");
		expect(await pod.locator(".chip").textContent()).toBe("not checked");
		await done();
	});

	it("guide by what was pasted", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const guide = page.locator(".guide");
		const nothing = async () => {
			await page
				.locator(".verdict h2", { hasText: /^Nothing was checked$/ })
				.waitFor();
			expect(await page.locator(".finding, .tick.bad").count()).toBe(0);
			// Nothing beside it says otherwise.
			expect(await page.locator(".badge").count()).toBe(0);
			expect(await page.locator(".editor-host .cm-lintRange").count()).toBe(0);
		};
		await setText(page, `${NODE("a")}---\n${NODE("b")}`);
		await guide.filter({ hasText: "These are Nodes" }).waitFor();
		await nothing();
		await setText(
			page,
			'[{"op": "add", "path": "/metadata/labels", "value": {}}]\n',
		);
		await guide.filter({ hasText: "This is a patch" }).waitFor();
		await nothing();
		const settings = JSON.parse(
			readFileSync(
				new URL("../../pkg/policy/settings.schema.json", import.meta.url),
				"utf8",
			),
		) as { properties: object };
		// `release` and `cluster` may begin other texts too.
		for (const key of Object.keys(settings.properties).filter(
			(key) => !["release", "cluster"].includes(key),
		)) {
			await setText(page, `${key}:\n  allow: [gpu]\n`);
			await guide.filter({ hasText: "settings of the policy" }).waitFor();
		}
		await setText(
			page,
			"parametersRef:\n  allow:\n  - apiGroup: gpu.example.com\n    kind: GpuParameters\n",
		);
		await guide.filter({ hasText: "settings of the policy" }).waitFor();
		await setText(
			page,
			"spec:\n  parametersRef:\n    kind: GpuParameters\n    name: large\n",
		);
		await guide.filter({ hasText: "This is a patch" }).waitFor();
		await setText(page, "spec:\n  allocationMode: Immediate\n");
		await guide.filter({ hasText: "This is a patch" }).waitFor();
		await setText(
			page,
			"Name:         claim\nNamespace:    default\nAPI Version:  resource.k8s.io/v1\nKind:         ResourceClaim\n",
		);
		await guide.filter({ hasText: "kubectl describe" }).waitFor();
		await setText(
			page,
			'{"spec": {"resourceClassName": "gpu"}, "kind": "ResourceClaim", "metadata": {"name": "a"}, "apiVersion": "resource.k8s.io/v1alpha2"}',
		);
		await page.locator(".verdict.good").waitFor();
		expect(await guide.count()).toBe(0);
		// Objects that the server refuses count as checked.
		await setText(page, "kind: ResourceClaim\n");
		await page.locator(".verdict.bad").waitFor();
		expect(await guide.count()).toBe(0);
		await setText(page, "NAME    CLASS   AGE\nclaim   gpu     5m\n");
		await guide
			.filter({ hasText: "This is the table that kubectl get prints" })
			.waitFor();
		await nothing();
		await setText(
			page,
			claim(
				"  resourceClassName: {{ .Values.class }}\n",
				"{{ .Release.Name }}",
			),
		);
		await guide.filter({ hasText: "Helm template" }).waitFor();
		await setText(
			page,
			'apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: claim\n  namespace: default\n  resourceVersion: "41"\n  uid: 1b2c\nspec:\n  resourceClassName: gpu.example.com\n',
		);
		await guide.filter({ hasText: "live object" }).waitFor();
		await guide.getByRole("button", { name: "Use as stored object" }).click();
		expect(
			await page.getByRole("tab", { selected: true }).textContent(),
		).toContain("Request");
		// A copy is stored; the object itself stays, to be changed.
		await page.locator(".verdict-line.good").waitFor();
		expect(await page.locator(".file-name").allTextContents()).toEqual([
			"claim.yaml",
			"stored.yaml",
		]);
		await page.getByRole("tab", { name: "Problems" }).click();
		// A template is one where Helm would find something to fill in, not where a comment speaks of it.
		await setText(page, `${claim(CLASS)}# not {{ .Values.class }}\n`);
		await page.locator(".verdict.good").waitFor();
		await expect.poll(() => guide.count()).toBe(0);
		await done();
	});

	it("lead on where no manifest is left", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(
			page,
			'[{"op": "add", "path": "/metadata/labels", "value": {}}]\n',
		);
		await page.getByRole("button", { name: "Use as patch" }).click();
		expect(await page.locator(".file-name").allTextContents()).toEqual([
			"patch.json",
			"claim.yaml",
		]);
		// A patch has something to be applied to: the place for it is opened.
		await page.getByRole("button", { name: "Add a stored object" }).click();
		await setText(
			page,
			claim(CLASS).replace("spec:", '  resourceVersion: "7"\nspec:'),
		);
		await page.locator(".verdict-line.good").waitFor();
		await choose(page, "Reset");
		await page.locator('input[type="file"]').setInputFiles({
			name: "nodes.yaml",
			mimeType: "text/yaml",
			buffer: Buffer.from(NODE("a")),
		});
		for (const tab of await page.getByRole("tab").all()) {
			await tab.click();
			await page.getByText("None of the open files is a manifest").waitFor();
		}
		await page.getByRole("button", { name: "Add a manifest" }).click();
		await page.keyboard.type("kind: Nothing");
		expect(await textOf(page)).toBe("kind: Nothing");
		await done();
	});

	it("count what they do not list, and a report has all of it", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(
			page,
			Array.from({ length: 3_000 }, (_, i) =>
				claim(`${CLASS}  allocationMode: Later\n`, `C-${i}`),
			).join("---\n"),
		);
		await page.locator(".verdict h2", { hasText: "6,000 errors" }).waitFor();
		expect(await page.locator("#tab-problems").textContent()).toContain(
			"6,000",
		);
		await page.getByText("more are not listed here").waitFor();
		await page.getByRole("button", { name: "Report" }).click();
		const [download] = await Promise.all([
			page.waitForEvent("download"),
			page
				.locator(".popover-panel")
				.getByRole("button", { name: "JSON", exact: true })
				.click(),
		]);
		const [file] = JSON.parse(readFileSync(await download.path(), "utf8")) as {
			findings: { severity: string }[];
			objects: unknown[];
		}[];
		expect(
			file!.findings.filter(({ severity }) => severity === "error").length,
		).toBe(6_000);
		expect(file!.objects.length).toBe(3_000);
		await done();
	});

	it("compare all releases, and name the first difference", async () => {
		const { page, done } = await openPage({ path: "#example=structured" });
		await settled(page);
		await page.getByText("All releases").click();
		await page.locator(".strip-cell.good").first().waitFor();
		expect(
			await page
				.locator(".strip-cell")
				.filter({ hasText: "1.29" })
				.getAttribute("class"),
		).toContain("bad");
		expect(
			await page
				.locator(".strip-cell")
				.filter({ hasText: "1.30" })
				.getAttribute("class"),
		).toContain("good");
		await page
			.locator(".strip-note", { hasText: "First difference" })
			.waitFor();
		await done();
	});

	it("names a file in SARIF by an address that has it whole", async () => {
		const { page, done } = await openPage({ path: "#" });
		await page.locator('input[type="file"]').setInputFiles({
			name: "a#1?.yaml",
			mimeType: "text/yaml",
			buffer: Buffer.from(
				"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nspec: {}\n",
			),
		});
		await page
			.getByRole("navigation", { name: "Files" })
			.getByText("a#1?.yaml")
			.waitFor();
		await settled(page);
		await page.getByRole("button", { name: "Report" }).click();
		const [download] = await Promise.all([
			page.waitForEvent("download"),
			page
				.locator(".popover-panel")
				.getByRole("button", { name: "SARIF", exact: true })
				.click(),
		]);
		expect(readFileSync(await download.path(), "utf8")).toContain(
			'"uri": "a%231%3F.yaml"',
		);
		await done();
	});

	it("can be saved as Markdown, SARIF and JSON, and asked for on the command line", async () => {
		const { page, done } = await openPage();
		await settled(page);
		for (const [format, name, wanted] of [
			["Markdown", "claimkit-report.md", "## claim.yaml"],
			["SARIF", "claimkit-report.sarif", '"ruleId": "unknown-field"'],
			["JSON", "claimkit-report.json", '"code": "unknown-field"'],
		] as const) {
			await page.getByRole("button", { name: "Report" }).click();
			const download = page.waitForEvent("download");
			await page
				.locator(".popover-panel")
				.getByRole("button", { name: format, exact: true })
				.click();
			const file = await download;
			expect(file.suggestedFilename()).toBe(name);
			const chunks: Buffer[] = [];
			for await (const chunk of await file.createReadStream())
				chunks.push(chunk as Buffer);
			expect(Buffer.concat(chunks).toString()).toContain(wanted);
		}
		expect(await page.locator(".commands code").textContent()).toBe(
			"npx claimkit validate claim.yaml",
		);
		const saved = page.waitForEvent("download");
		await page.keyboard.press("ControlOrMeta+s");
		expect((await saved).suggestedFilename()).toBe("claim.yaml");
		await done();
	});
});

describe("convert", () => {
	it("says what is not there to convert, and does not turn round after Apply", async () => {
		const { page, done } = await openPage({ path: "#example=v1alpha1" });
		await page.locator(".compare .cm-merge-b").waitFor();
		const download = page.waitForEvent("download");
		await page.getByRole("button", { name: "Download" }).click();
		expect((await download).suggestedFilename()).toBe("claim.v1alpha2.yaml");
		await page.getByRole("button", { name: "Apply" }).click();
		await page
			.locator(".quiet", { hasText: "every object is v1alpha2 already" })
			.waitFor();
		await setText(
			page,
			"apiVersion: resource.k8s.io/v9\nkind: ResourceClaim\nmetadata:\n  name: a\nspec: {}\n",
		);
		await page
			.locator(".convert .quiet", { hasText: "has no object of" })
			.waitFor();
		await setText(page, " ");
		await page.keyboard.press("Backspace");
		await page
			.locator(".convert .quiet", { hasText: "the file is empty" })
			.waitFor();
		await done();
	});

	it("names the object that loses a value", async () => {
		const { page, done } = await openPage({ path: "#example=losses" });
		await page.locator(".losses li").first().waitFor();
		expect(await page.locator(".losses li").first().textContent()).toMatch(
			/^ResourceClaim \S+: /,
		);
		await done();
	});
});

const POD = (uid = "") =>
	`apiVersion: v1\nkind: Pod\nmetadata:\n  name: trainer\n${uid}spec:\n  resourceClaims:\n  - name: gpu\n    source:\n      resourceClaimName: claim\n  containers:\n  - name: main\n    image: busybox\n`;
const CONTEXT =
	"apiVersion: resource.k8s.io/v1alpha2\nkind: PodSchedulingContext\nmetadata:\n  name: trainer\nspec:\n  selectedNode: node-1\n";
const CLASSES =
	"apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata:\n  name: gpu.example.com\ndriverName: gpu.example.com\n";

describe("nodes", () => {
	it("say that a scheduling context without its pod does nothing", async () => {
		const { page, done } = await openPage({ path: "#example=claim" });
		await settled(page);
		await setText(page, `${claim(CLASS)}---\n${CLASSES}---\n${CONTEXT}`);
		await addFile(page, /^Nodes/, NODE("node-1"));
		await page.getByRole("tab", { name: "Nodes" }).click();
		await page
			.locator(".guide", { hasText: "the text has no Pod trainer" })
			.waitFor();
		await done();
	});

	it("say why a hand-written pod and context fail, and mend it", async () => {
		const { page, done } = await openPage({ path: "#example=claim" });
		await settled(page);
		await setText(page, [POD(), claim(CLASS), CLASSES, CONTEXT].join("---\n"));
		await addFile(page, /^Nodes/, NODE("node-1"));
		await page.getByRole("tab", { name: "Nodes" }).click();
		await page
			.locator(".guide", { hasText: "does not name its Pod as owner" })
			.waitFor();
		expect(await page.locator(".nodes").textContent()).not.toContain(
			"a selector cannot be read",
		);
		await page.getByRole("button", { name: "Write UID and owner" }).click();
		await page.locator(".guide").waitFor({ state: "detached" });
		expect(await page.locator(".cell.verdict-Error").count()).toBe(0);
		await done();
	});

	it("filter by a whole label", async () => {
		const { page, done } = await openPage({ path: "#example=placement" });
		await page.getByRole("grid").waitFor();
		const shown = () =>
			page.locator(".matrix [role=rowheader]").allTextContents();
		await page.getByPlaceholder("name, label or key=value").fill("model=a10");
		await page.getByText("No node passes the filter.").waitFor();
		await page
			.getByPlaceholder("name, label or key=value")
			.fill("gpu.example.com/model=a100");
		await page.getByRole("grid").waitFor();
		expect(await shown()).toEqual(["gpu-a100-1", "gpu-a100-2"]);
		await done();
	});

	it("dropped on a first visit do not mix with the example", async () => {
		const { page, done } = await openPage();
		await settled(page);
		const transfer = await page.evaluateHandle((text) => {
			const data = new DataTransfer();
			data.items.add(new File([text], "mine.yaml"));
			return data;
		}, claim(CLASS));
		await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
		await page.locator(".verdict.good").waitFor();
		expect(
			await page
				.getByRole("navigation", { name: "Files" })
				.getByRole("listitem")
				.count(),
		).toBe(1);
		await done();
	});

	it("are counted as nodes, not as cells", async () => {
		const { page, done } = await openPage({ path: "#example=placement" });
		await page.getByRole("grid").waitFor();
		for (const text of await page
			.locator(".chip-button .tabular")
			.allTextContents())
			expect(Number(text)).toBeLessThanOrEqual(5);
		const [name, verdict] = await Promise.all(
			[".matrix [role=rowheader]", ".matrix [role=gridcell]"].map((selector) =>
				page
					.locator(selector)
					.first()
					.evaluate((element) => {
						const range = document.createRange();
						range.selectNodeContents(element.lastChild!);
						const box = range.getBoundingClientRect();
						return box.top + box.height / 2;
					}),
			),
		);
		expect(Math.abs(name! - verdict!)).toBeLessThan(1.6);
		await done();
	});

	it("say what would make one work, and draw where the chain is broken", async () => {
		const { page, done } = await openPage({ path: "#example=placement" });
		await page
			.getByRole("row", { name: /^gpu-t4-1/ })
			.getByRole("gridcell")
			.nth(1)
			.click();
		await page
			.locator(".would-work code", {
				hasText:
					"kubectl label node gpu-t4-1 topology.kubernetes.io/zone=eu-west-1b --overwrite",
			})
			.waitFor();
		await page.locator(".would-work", { hasText: "Possible" }).waitFor();
		expect(await page.locator(".chain li.broken").textContent()).toContain(
			"ResourceClass",
		);
		expect(
			await page
				.locator(".chain li")
				.allTextContents()
				.then((all) => all.length),
		).toBe(3);
		await done();
	});

	it("are explained in Chinese, hints and fixes too", async () => {
		const { page, done } = await openPage({
			path: "#example=placement",
			locale: "zh-CN",
		});
		await page
			.getByRole("row", { name: /^gpu-t4-1/ })
			.getByRole("gridcell")
			.nth(1)
			.click();
		await page
			.locator(".cell-detail .reason", {
				hasText: "条件 2（共 2 个）差一条要求",
			})
			.waitFor();
		for (const text of await page
			.locator(".cell-detail .check-head, .cell-detail .requirement-actual")
			.allTextContents())
			expect(text).toMatch(/[\u4e00-\u9fff]/);
		await done();
		const other = await openPage({
			locale: "zh-CN",
			path: "#example=three-mistakes",
		});
		await settled(other.page);
		expect(await other.page.locator(".button.fix").first().textContent()).toBe(
			"修复: 改为 parametersRef",
		);
		for (const text of await other.page
			.locator(".finding-help")
			.allTextContents())
			expect(text).toMatch(/[\u4e00-\u9fff]/);
		await other.done();
	});
});

describe("request", () => {
	it("shows only what the server changes, not how it is written", async () => {
		const { page, done } = await openPage({ path: "#example=claim" });
		await settled(page);
		await setText(
			page,
			'{"spec": {"resourceClassName": "gpu.example.com"}, "kind": "ResourceClaim", "metadata": {"namespace": "default", "name": "claim"}, "apiVersion": "resource.k8s.io/v1alpha2"}',
		);
		await page.getByRole("tab", { name: "Request" }).click();
		await page
			.locator(
				".compare .cm-merge-b .cm-changedLine, .compare .cm-insertedLine",
				{ hasText: "allocationMode" },
			)
			.first()
			.waitFor();
		await expect
			.poll(() =>
				page.locator(".compare .cm-line.cm-changedLine").allTextContents(),
			)
			.toEqual([
				"  creationTimestamp: null",
				"  allocationMode: WaitForFirstConsumer",
				"status: {}",
			]);
		await done();
	});
});

describe("the page", () => {
	it("closes the release menu once one is chosen", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await page.getByRole("button", { name: /^Release/ }).click();
		await page.getByRole("radio", { name: /^1\.28/ }).click();
		await page.locator(".popover-panel").waitFor({ state: "detached" });
		expect(
			await page.getByRole("button", { name: /^Release/ }).textContent(),
		).toContain("1.28");
		await done();
	});

	it("gives no two files one name", async () => {
		const { page, done } = await openPage({ path: "#example=three-mistakes" });
		await settled(page);
		await page.getByRole("button", { name: /^File options/ }).click();
		await page.getByLabel("Name", { exact: true }).fill("nodes.yaml");
		await page.keyboard.press("Enter");
		await page
			.getByRole("navigation", { name: "Files" })
			.getByText("nodes-2.yaml")
			.waitFor();
		await done();
	});

	it("brings the open tab into view", async () => {
		const { page, done } = await openPage({ width: 390, height: 844 });
		await settled(page);
		for (let i = 0; i < 4; i++)
			await addFile(page, /^Manifest/, claim(CLASS, `claim-${i}`));
		const box = (await page.locator(".file-tab.current").boundingBox())!;
		expect(box.x + box.width).toBeLessThanOrEqual(390);
		await page.keyboard.press("Alt+5");
		const tab = (await page
			.getByRole("tab", { selected: true })
			.boundingBox())!;
		expect(tab.x + tab.width).toBeLessThanOrEqual(390);
		await done();
	});

	it("does not scroll sideways at 320 pixels, in any panel", async () => {
		for (const locale of ["en-US", "zh-CN"]) {
			const { page, done } = await openPage({
				width: 320,
				height: 640,
				locale,
				path: "#example=placement",
			});
			await page.getByRole("grid").waitFor();
			const sideways = () =>
				page.evaluate(() => [
					document.documentElement.scrollWidth - 320,
					document.querySelector(".panel")!.scrollWidth -
						document.querySelector(".panel")!.clientWidth,
				]);
			for (const tab of await page.getByRole("tab").all()) {
				await tab.click();
				await panelShown(page);
				for (const over of await sideways())
					expect(over).toBeLessThanOrEqual(0);
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
				for (const over of await sideways())
					expect(over).toBeLessThanOrEqual(0);
				// Nor does the table of one request in the panel: a taint's long name breaks.
				const table = page.locator(".table-scroll");
				if (example === "gpu-pod")
					expect(
						await table.evaluate((box) => box.scrollWidth - box.clientWidth),
					).toBeLessThanOrEqual(0);
			}
			await done();
		}
	});

	it("says what it is, in one line, and more in About", async () => {
		const { page, done } = await openPage();
		await settled(page);
		expect(await page.locator(".tagline").textContent()).toContain(
			"Dynamic Resource Allocation",
		);
		await page
			.locator(".tagline")
			.getByRole("button", { name: "About" })
			.click();
		await page.getByRole("dialog").getByText("Kubernetes 1.30").waitFor();
		expect(await page.getByRole("dialog").textContent()).toContain(
			"Not looked at: permissions",
		);
		expect(await page.getByRole("dialog").textContent()).toMatch(
			/Build \d+\.\d+\.\d+ \([0-9a-f]{8}\)/,
		);
		await done();
	});

	it("finds examples by words, and gives each an address", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await page.getByRole("button", { name: "Examples" }).click();
		await page.getByLabel("Search examples").fill("five thousand");
		expect(await page.locator(".gallery-item").count()).toBe(1);
		await page.getByRole("button", { name: /^Copy the address of/ }).click();
		expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
			/#example=fleet$/,
		);
		await done();
	});
});

/** Codes without an example that the page can ask about: limits, selectors of lists, requests without kubectl, upgrades, and what no text gives. */
const WITHOUT_EXAMPLE = [
	"binding-conditions-off",
	"conversion-disagrees",
	"duplicate-field",
	"field-selector-invalid",
	"generated-rules-unknown",
	"label-selector-invalid",
	"limit-bytes",
	"limit-findings",
	"limit-nodes",
	"not-utf8",
	"pod-claim-source",
	"policy-available-on-nodes",
	"policy-cluster",
	"request-too-large",
	"resource-version-on-create",
	"server-field-dropped",
	"slice-too-large",
	"upgrade-field",
	"upgrade-gate",
	"upgrade-name",
	"upgrade-placement",
	"upgrade-refused-before",
	"upgrade-refused",
	"upgrade-selector",
	"upgrade-taint",
	"upgrade-version",
	"upgrade-writer",
];

describe("an example for a finding code", () => {
	it("gives that code, for every page that leads to one", async () => {
		const claimkit = await engine();
		const examples = JSON.parse(
			readFileSync(join(dist, "code-examples.json"), "utf8"),
		) as Record<string, CodeExample>;
		// Does the same as the Policy panel, in one go.
		const judged = (
			texts: Record<string, string | undefined>,
			options: Partial<Parameters<typeof admission>[1]>,
		) => {
			const { settings: wrongSettings, objects } = admission(
				{
					manifest: texts.manifest!,
					settings: texts.settings!,
					...(texts.stored ? { old: texts.stored } : {}),
				},
				{ operation: "CREATE", username: "jane", groups: [], ...options },
				claimkit,
			);
			return {
				findings: [
					...wrongSettings,
					...objects.flatMap(({ findings }) => findings),
				],
			};
		};
		const pairs = (words = "") =>
			Object.fromEntries(
				words
					.split(",")
					.filter(Boolean)
					.map((pair) => pair.split("=", 2) as [string, string]),
			);
		const wrong: string[] = [];
		for (const [
			code,
			{ files, panel, release, operation, patchType, target, options = {} },
		] of Object.entries(examples)) {
			const texts = Object.fromEntries(
				files.map(({ role, text }) => [role, text]),
			) as Record<string, string | undefined>;
			const {
				gates,
				namespaceLabels,
				namespace,
				fieldManager,
				via,
				policyOperation,
			} = options;
			const server = {
				...(release ? { release } : {}),
				...(gates
					? {
							gates: Object.fromEntries(
								Object.entries(pairs(gates)).map(([name, value]) => [
									name,
									value === "true",
								]),
							),
						}
					: {}),
			};
			const cluster = {
				...server,
				...(namespaceLabels ? { namespaceLabels: pairs(namespaceLabels) } : {}),
			};
			const request = {
				...(operation ? { operation } : {}),
				...(patchType ? { patchType } : {}),
				...(namespace ? { namespace } : {}),
				...(fieldManager ? { fieldManager } : {}),
				...(via ? { via } : {}),
				...(texts.stored ? { old: texts.stored } : {}),
			};
			const text = texts.manifest!;
			const answers: Record<
				string,
				() => {
					findings: { code: string }[];
					pods?: { findings: { code: string }[] }[];
				}
			> = {
				problems: () => claimkit.validate(text, cluster),
				request: () =>
					claimkit.validate(operation === "patch" ? texts.patch! : text, {
						...cluster,
						...request,
					} as ValidateOptions),
				convert: () => claimkit.convert(text, { ...server, to: target! }),
				nodes: () =>
					claimkit.evaluate(text, { ...server, nodes: texts.nodes! }),
				devices: () => claimkit.allocate(text, cluster),
				audit: () => claimkit.audit(text, server),
				policy: () =>
					judged(texts, {
						...server,
						...(policyOperation
							? { operation: policyOperation as "UPDATE" }
							: {}),
					}),
			};
			const { findings, pods = [] } = answers[panel ?? "problems"]!();
			if (
				![...findings, ...pods.flatMap((pod) => pod.findings)].some(
					(finding) => finding.code === code,
				)
			)
				wrong.push(code);
		}
		expect(wrong).toEqual([]);
		// Every code has an example here, but for those that the page cannot be asked for, and those without any.
		const without = readdirSync(join(dist, "codes"))
			.map((name) => name.replace(/\.html$/, ""))
			.filter(
				(code) =>
					existsSync(join(dist, "codes", `${code}.html`)) &&
					code !== "index" &&
					!Object.hasOwn(examples, code),
			);
		expect(without).toEqual(WITHOUT_EXAMPLE);
		for (const code of without)
			expect(
				readFileSync(join(dist, "codes", `${code}.html`), "utf8"),
			).not.toContain("#example=");
	});

	it("opens in the panel that answers it, as the page of the code asks", async () => {
		const { page, done } = await openPage();
		await settled(page);
		for (const [code, panel, words] of [
			["apply-conflict", "Request", "conflict with"],
			["admin-access-label", "Devices", "lacks the label"],
			["admin-access-in-use", "Audit", "has admin access to device"],
			["policy-driver", "Policy", "Unsupported value"],
			["pod-bound", "Nodes", "is bound to node"],
			["namespace-mismatch", "Request", "does not match the namespace"],
			["list-attribute", "Devices", "is a list"],
		] as const) {
			await page.evaluate(
				(code) => (location.hash = `#example=code/${code}`),
				code,
			);
			await page
				.locator(`[role="tab"][aria-selected="true"]`, { hasText: panel })
				.waitFor();
			await page
				.locator(
					".panel .finding-message, .panel .of-all, .panel .policy-says, .panel .account",
					{ hasText: words },
				)
				.first()
				.waitFor();
		}
		await done();
	});

	it("opens from the page that explains the code", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await page.goto(`${home}codes/allocation-mode-unsupported.html`);
		await page.getByRole("link", { name: "Open in the playground" }).click();
		await page
			.locator(".finding", { hasText: "allocation-mode-unsupported" })
			.waitFor();
		await done();
	});
});

describe("shown inside another page", () => {
	it("shows nobody's draft", async () => {
		const { page, context } = await openPage();
		await settled(page);
		await setText(page, claim(CLASS, "my-own-draft"));
		await drafted(page, "my-own-draft");
		await page.close();
		const other = await openPage({ context, path: "#embed=1" });
		await settled(other.page);
		expect(await textOf(other.page)).not.toContain("my-own-draft");
		await context.close();
	});

	it("says why a text that is too long for a link is not opened", async () => {
		const { page, done } = await openPage({ path: "#embed=1" });
		const noise = Array.from(
			{ length: 30_000 },
			(_, at) => `# ${Math.sin(at)}`,
		).join("\n");
		await setText(page, `${noise}\n`);
		await page.getByRole("button", { name: "Open in the playground" }).click();
		await page.getByText("This is too much for a link").first().waitFor();
		await done();
	});

	it("has no menus, keeps nothing, and opens as a whole", async () => {
		const { page, context, done } = await openPage({
			path: "#example=placement&node=gpu-t4-1&column=1&embed=1",
		});
		await page.locator(".cell-title", { hasText: "gpu-t4-1" }).waitFor();
		for (const name of ["Examples", "New file", "File options"])
			expect(await page.getByRole("button", { name }).count()).toBe(0);
		const opened = context.waitForEvent("page");
		await page.getByRole("button", { name: "Open in the playground" }).click();
		const whole = await opened;
		await whole.locator(".cell-title", { hasText: "gpu-t4-1" }).waitFor();
		expect(await whole.getByRole("button", { name: "Examples" }).count()).toBe(
			1,
		);
		await done();
	});

	it("links a field's documentation of the release", async () => {
		const { page, done } = await openPage({ path: "#example=three-mistakes" });
		await settled(page);
		await page
			.locator(".editor-host .cm-line", { hasText: "resourceClassName" })
			.locator("span")
			.first()
			.hover();
		await page
			.locator('.cm-tip a[href^="https://v1-30.docs.kubernetes.io/"]')
			.waitFor();
		await done();
	});
});

describe("settings", () => {
	it("wrap long lines and change the size of the text, and stay", async () => {
		const { page, done } = await openPage({ width: 900 });
		await settled(page);
		await page.getByRole("button", { name: "More", exact: true }).click();
		await page.getByLabel("Wrap long lines").check();
		await page.getByRole("radio", { name: "18", exact: true }).check();
		await page.reload();
		await settled(page);
		await page.locator(".editor-host .cm-lineWrapping").waitFor();
		expect(
			await page
				.locator(".editor-host .cm-line")
				.first()
				.evaluate((line) => getComputedStyle(line).fontSize),
		).toBe("18px");
		await done();
	});
});

describe("a file that cannot be read", () => {
	const BROKEN =
		"apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata:\n  name: x\n spec:\n  devices: {}\n";

	it("is named with the place by every panel, alone and beside others", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(page, BROKEN);
		await settled(page);
		const panels = ["Convert", "Devices", "Audit", "Expression", "Policy"];
		const told = async () => {
			const found: Record<string, string> = {};
			for (const name of panels) {
				await page.getByRole("tab", { name }).click();
				await panelShown(page);
				found[name] =
					(await page.locator(".left-out").first().textContent()) ?? "";
			}
			return found;
		};
		for (const [name, words] of Object.entries(await told()))
			expect(words, name).toContain(
				":5: yaml: line 4: did not find expected key",
			);
		expect(await page.locator(".panel").textContent()).not.toContain(
			"no object the policy looks at",
		);
		await page.getByRole("tab", { name: "Convert" }).click();
		expect(await page.locator(".panel").textContent()).not.toContain(
			"Nothing to convert",
		);
		// What stands before the place is answered.
		await setText(
			page,
			`apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: first}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}\n---\n${BROKEN}`,
		);
		await page.getByRole("tab", { name: "Policy" }).click();
		await page.locator(".policy h3", { hasText: "first" }).waitFor();
		expect(await page.locator(".left-out").textContent()).toContain(
			"The answer is about the rest",
		);
		await done();
	});
});

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
	openPage,
	panelShown,
	setText,
	settled,
	setUp,
	textOf,
} from "./page.ts";

setUp();

const HEAD =
	"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata:\n  name: c\nspec:\n  selectors:\n  - cel:\n";

/** The same expression in each way YAML writes a string. */
const WAYS = {
	plain: `${HEAD}      expression: has(device.driver) && device.driver in ["x.example.com"] && 40 >= 4\n`,
	block: `${HEAD}      expression: |-\n        has(device.driver) &&\n          device.driver in ["x.example.com"] && 40 >= 4\n`,
	folded: `${HEAD}      expression: >\n        has(device.driver) &&\n        device.driver in ["x.example.com"] && 40 >= 4\n`,
	"double quotes": `${HEAD}      expression: "has(device.driver) && device.driver in [\\"x.example.com\\"] && 40 >= 4"\n`,
	"single quotes": `${HEAD}      expression: 'has(device.driver) && device.driver in [''x.example.com''] && 40 >= 4'\n`,
	JSON: `{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "c"}, "spec": {"selectors": [{"cel": {"expression": "has(device.driver) && device.driver in [\\"x.example.com\\"] && 40 >= 4"}}]}}\n`,
	"named resources": `apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaimParameters\nmetadata:\n  name: c\ndriverRequests:\n- driverName: d\n  requests:\n  - namedResources:\n      selector: has(attributes.driver) && attributes.driver in ["x.example.com"] && 40 >= 4\n`,
};

/** Returns the colors of words of the text, as the names of the page's colors. */
async function colours(
	page: Page,
	words: string[],
): Promise<Record<string, string>> {
	return page.evaluate((wanted) => {
		const root = document.querySelector(".editor-host")!.shadowRoot!;
		const probe = document.body.appendChild(document.createElement("span"));
		const named = Object.fromEntries(
			[
				"--syntax-key",
				"--syntax-string",
				"--syntax-atom",
				"--syntax-meta",
				"--muted",
				"--text",
			].map((name) => {
				probe.style.color = `var(${name})`;
				return [getComputedStyle(probe).color, name];
			}),
		);
		probe.remove();
		const found: Record<string, string> = {};
		const walk = document.createTreeWalker(
			root.querySelector(".cm-content")!,
			NodeFilter.SHOW_TEXT,
		);
		while (walk.nextNode()) {
			const text = walk.currentNode.textContent!.trim();
			// The last one: keys of the manifest come before the expression.
			if (wanted.includes(text))
				found[text] =
					named[getComputedStyle(walk.currentNode.parentElement!).color] ??
					"another";
		}
		return found;
	}, words);
}

describe("expressions", () => {
	for (const [way, text] of Object.entries(WAYS)) {
		it(`have their own colours: ${way}`, async () => {
			const { page, done } = await openPage();
			await settled(page);
			await setText(page, text);
			await page
				.locator(".editor-host .cm-line span", { hasText: /^has$/ })
				.waitFor();
			const found = await colours(page, ["has", "driver", "&&", "in", "40"]);
			expect(found).toEqual({
				has: "--syntax-meta",
				driver: "--syntax-key",
				"&&": "--muted",
				in: "--syntax-meta",
				40: "--syntax-atom",
			});
			// The quotes that YAML escapes are part of the text's string.
			const value = page
				.locator(".editor-host .cm-line span", { hasText: "x.example.com" })
				.last();
			expect(await value.evaluate((span) => getComputedStyle(span).color)).toBe(
				await page.evaluate(() => {
					const probe = document.body.appendChild(
						document.createElement("span"),
					);
					probe.style.color = "var(--syntax-string)";
					const { color } = getComputedStyle(probe);
					probe.remove();
					return color;
				}),
			);
			await done();
		});
	}

	it("leave other strings as they are", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(
			page,
			"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  expression: has(device.driver)\n",
		);
		await page
			.locator(".editor-host .cm-line span", {
				hasText: /^has\(device\.driver\)$/,
			})
			.waitFor();
		await done();
	});

	it("have cases that must hold, kept in a link, and are written into the class that they came from", async () => {
		const device = (name: string, model: string) =>
			`  - name: ${name}\n    attributes: {model: {string: ${model}}}\n`;
		const text = `${HEAD}      expression: 'device.attributes["gpu.example.com"].model == "a100"'\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec:\n  driver: gpu.example.com\n  nodeName: node-1\n  pool: {name: node-1, generation: 1, resourceSliceCount: 1}\n  devices:\n${device("gpu-0", "a100")}${device("gpu-1", "h100")}`;
		for (const [locale, panel, keep, holds, fails, write] of [
			[
				"en-US",
				"Expression",
				"Keep gpu.example.com/node-1/gpu-0 as a case",
				"1 of 1 holds",
				"0 of 1 holds",
				"Write into DeviceClass c",
			],
			[
				"zh-CN",
				"表达式",
				"把 gpu.example.com/node-1/gpu-0",
				"1 个中有 1 个成立",
				"1 个中有 0 个成立",
				"写入 DeviceClass c",
			],
		] as const) {
			const { page, done } = await openPage({ locale });
			await page.locator(".cm-content").first().waitFor();
			await setText(page, text);
			await page.getByRole("tab", { name: panel }).click();
			await page.getByRole("button", { name: keep }).click();
			await page.locator(".cel-cases", { hasText: holds }).waitFor();
			await page.locator(".expression-text .cm-content").click();
			await page.keyboard.press("ControlOrMeta+a");
			await page.keyboard.insertText(
				'device.attributes["gpu.example.com"].model == "h100"',
			);
			await page.locator(".cel-cases", { hasText: fails }).waitFor();
			await page.getByRole("button", { name: write }).click();
			await expect
				.poll(() => textOf(page))
				.toContain(
					`expression: 'device.attributes["gpu.example.com"].model == "h100"'`,
				);
			await page.locator(".notice").getByRole("button").first().click();
			await expect.poll(() => textOf(page)).toBe(text);
			await done();
		}
	});

	it("that are emptied have no command, and no other one in its place", async () => {
		const { page, done } = await openPage({ path: "#example=cel" });
		await page.locator(".expression .commands code").waitFor();
		await page.locator(".expression-text .cm-content").click();
		await page.keyboard.press("ControlOrMeta+a");
		await page.keyboard.press("Delete");
		await page
			.locator(".expression .commands code")
			.waitFor({ state: "detached" });
		await page.keyboard.insertText("true");
		await expect
			.poll(() => page.locator(".expression .commands code").textContent())
			.toMatch(/ true$/);
		await done();
	});

	it("can call functions that are listed with the release each is new in, and written from there", async () => {
		for (const [locale, panel, summary, since, absent] of [
			[
				"en-US",
				"Expression",
				"Functions and fields",
				"since 1.35",
				"not in 1.34",
			],
			["zh-CN", "表达式", "函数与字段", "自 1.35 起", "1.34 中没有"],
		] as const) {
			const { page, done } = await openPage({ locale });
			await page.locator(".cm-content").first().waitFor();
			await setText(page, `${HEAD}      expression: "true"\n`);
			await page.getByRole("tab", { name: panel }).click();
			await page.locator(".functions summary", { hasText: summary }).click();
			const row = (name: string) =>
				page.locator(".functions li", { hasText: name });
			await row("list(T).reverse()")
				.locator(".chip", { hasText: since })
				.waitFor();
			expect(await row("string.charAt(").locator(".chip").count()).toBe(0);
			await row("dyn.includes(")
				.locator(".chip", { hasText: "DRAListTypeAttributes" })
				.waitFor();
			await row("device.allowMultipleAllocations")
				.locator(".chip", { hasText: "1.34" })
				.waitFor();
			expect(await row("duration(Duration)").locator(".chip").count()).toBe(0);
			// By an older release, what it lacks is marked.
			await open(page, "claimkit.toml", 'release = "1.34"\n');
			await row("list(T).reverse()")
				.locator(".bad-text", { hasText: absent })
				.waitFor();
			await page.locator(".functions input").fill("isGreaterThan quantity");
			await expect.poll(() => page.locator(".functions li").count()).toBe(1);
			await page.locator(".expression-text .cm-content").click();
			await page.keyboard.press("ControlOrMeta+a");
			await page.keyboard.insertText('device.capacity["d"].memory.');
			await row("isGreaterThan").getByRole("button").click();
			await page.keyboard.insertText('quantity("1")');
			const field = () =>
				page.evaluate(
					() =>
						document
							.querySelector(".expression-text")
							?.shadowRoot?.querySelector(".cm-content")?.textContent ?? "",
				);
			await expect
				.poll(field)
				.toBe('device.capacity["d"].memory.isGreaterThan(quantity("1"))');
			await done();
		}
	});
});

async function open(page: Page, name: string, text: string): Promise<void> {
	await page
		.locator('input[type="file"]')
		.first()
		.setInputFiles({ name, mimeType: "text/yaml", buffer: Buffer.from(text) });
}

describe("an expression of a request", () => {
	const slice = (driver: string, attribute: string) =>
		`apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: ${driver}}
spec:
  driver: ${driver}
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: one
    attributes: {${attribute}: {bool: true}}
  - name: two
    attributes: {${attribute}: {bool: false}}
`;
	const TEXT = `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: ns}
spec:
  devices:
    requests:
    - name: nic
      exactly:
        deviceClassName: nic
        selectors:
        - cel: {expression: 'device.attributes["nic.example.com"].rdma'}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: nic}
spec:
  selectors:
  - cel: {expression: 'device.driver == "nic.example.com"'}
---
${slice("nic.example.com", "rdma")}---
${slice("gpu.example.com", "mig")}`;

	it("is asked of the devices of its class, as the scheduler asks, until all are wanted", async () => {
		const { page, done } = await openPage({ path: "#panel=cel" });
		await page.locator(".expression, .empty").first().waitFor();
		await setText(page, TEXT);
		await page.getByRole("tab", { name: "Expression" }).click();
		await page.getByText("Selects 1 of 2 devices of class nic.").waitFor();
		expect(await page.locator(".device-row .verdict-Error").count()).toBe(0);
		await page
			.getByLabel("Device selector in CEL")
			.fill('!device.attributes["nic.example.com"].rdma || false');
		await page.getByText("Selects 1 of 2 devices of class nic.").waitFor();
		await page.getByRole("button", { name: "Ask all devices" }).click();
		await page.getByText("Selects 1 of 4 devices.").waitFor();
		expect(await page.locator(".device-row .verdict-Error").count()).toBe(2);
		await page.getByLabel("Selectors of the text").selectOption({ index: 1 });
		await page.getByText("Selects 1 of 2 devices of class nic.").waitFor();
		await done();
	});
});

/** Slices of several drivers, each device with an attribute of its driver. */
const slices = (drivers: Record<string, number>): string =>
	Object.entries(drivers)
		.flatMap(([driver, count]) =>
			Array.from(
				{ length: Math.ceil(count / 100) },
				(_, slice) =>
					`apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: ${driver}-${slice}}\nspec:\n  driver: ${driver}\n  nodeName: n${slice}\n  pool: {name: n${slice}, generation: 1, resourceSliceCount: 1}\n  devices:\n${Array.from(
						{ length: Math.min(100, count - slice * 100) },
						(_, device) =>
							`  - {name: d-${device}, attributes: {model: {string: m-${device % 3}}}}\n`,
					).join("")}`,
			),
		)
		.join("---\n");

describe("an expression on thousands of devices", () => {
	it("is given the advice that all of them together give", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(
			page,
			slices({ "gpu.example.com": 700, "nic.example.com": 900 }),
		);
		await page.getByRole("tab", { name: "Expression" }).click();
		await panelShown(page);
		const field = page.locator(".expression-text .cm-content");
		await field.click();
		await page.keyboard.press("ControlOrMeta+a");
		await page.keyboard.insertText(
			'device.attributes["gpu.example.com"].modell == "m-1"',
		);
		await page
			.locator(".expression-answer .note", {
				hasText: "no given device has the attribute gpu.example.com/modell",
			})
			.waitFor();
		await done();
	});

	it("keeps its values until the values of the next one are there", async () => {
		const { page, done } = await openPage();
		await settled(page);
		await setText(
			page,
			slices({ "gpu.example.com": 2_000, "nic.example.com": 2_000 }),
		);
		await page.getByRole("tab", { name: "Expression" }).click();
		await panelShown(page);
		const field = page.locator(".expression-text .cm-content");
		await field.click();
		await page.keyboard.press("ControlOrMeta+a");
		await page.keyboard.insertText('device.driver == "gpu.example.com"');
		const value = page.locator(
			'.traced .part[title="device.driver: \\"gpu.example.com\\""]',
		);
		await value.first().waitFor();
		await page.keyboard.press("ControlOrMeta+Home");
		await page.keyboard.insertText('"x" != "" && ');
		// Of this expression or of the next one, and never a part of one with the value of the other.
		const titles = await page
			.locator(".traced .part")
			.evaluateAll((parts) => parts.map((part) => (part as HTMLElement).title));
		expect(
			titles.filter(
				(title) =>
					title.endsWith(': "gpu.example.com"') &&
					!/^(device\.driver|"gpu\.example\.com"): /.test(title),
			),
		).toEqual([]);
		expect(titles).toContain('device.driver: "gpu.example.com"');
		await done();
	});
});

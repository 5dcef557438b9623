// Takes the pictures in this folder from the built page: `npm run build && npm run screens`. The one in Chinese needs a font that has
// its characters, such as Debian's fonts-wqy-microhei.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "../serve.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const SCREENS = [
	{
		name: "problems",
		example: "first",
		width: 1360,
		height: 740,
		act: (page) => page.locator(".finding").first().waitFor(),
	},
	{
		name: "devices",
		example: "gpu-pod",
		width: 1360,
		height: 1080,
		act: async (page) => {
			await page
				.locator(".device-table .link-button", { hasText: "gpu-1" })
				.click();
			await page.locator(".judged .part-value").first().waitFor();
		},
	},
	{
		name: "expression-dark",
		example: "cel",
		width: 1360,
		height: 700,
		colorScheme: "dark",
		act: (page) => page.locator(".part-value").first().waitFor(),
	},
	{
		name: "nodes-dark",
		example: "placement",
		width: 1360,
		height: 760,
		colorScheme: "dark",
		act: (page) =>
			page
				.getByRole("row", { name: /^gpu-t4-1/ })
				.getByRole("gridcell")
				.nth(1)
				.click(),
	},
	{
		name: "convert",
		example: "v1beta1",
		width: 1360,
		height: 700,
		act: (page) => page.locator(".compare .cm-merge-b").waitFor(),
	},
	{
		name: "zh",
		example: "gpu-pod",
		width: 390,
		height: 844,
		colorScheme: "dark",
		locale: "zh-CN",
		act: async (page) => {
			await page.locator(".account .chains").waitFor();
			await page.locator(".account .chains").scrollIntoViewIfNeeded();
		},
	},
	{
		name: "narrow",
		example: "first",
		width: 390,
		height: 844,
		act: (page) => page.locator(".finding").first().waitFor(),
	},
];

const server = await serve(join(here, "../dist"));
const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
});
for (const {
	name,
	example,
	width,
	height,
	colorScheme = "light",
	locale = "en-US",
	act,
} of SCREENS) {
	const page = await browser.newPage({
		viewport: { width, height },
		colorScheme,
		locale,
		reducedMotion: "reduce",
	});
	await page.goto(
		`http://127.0.0.1:${server.address().port}/#example=${example}`,
	);
	await act(page);
	await page.waitForTimeout(700);
	await page.screenshot({ path: join(here, `${name}.png`) });
	await page.close();
	console.log(`docs/${name}.png`);
}
await browser.close();
server.close();

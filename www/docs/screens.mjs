// Takes the pictures in this folder from the built page: `npm run build && npm run screens`. The one in Chinese needs a font that has
// its characters, such as Debian's fonts-wqy-microhei.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "../serve.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const SCREENS = [
  { name: "problems", example: "three-mistakes", width: 1360, height: 700, act: (page) => page.locator(".finding").first().waitFor() },
  { name: "nodes-dark", example: "placement", width: 1360, height: 760, colorScheme: "dark", act: (page) => page.getByRole("row", { name: /^gpu-t4-1/ }).getByRole("gridcell").nth(1).click() },
  { name: "convert", example: "v1alpha1", width: 1360, height: 700, act: (page) => page.locator(".compare .cm-merge-b").waitFor() },
  { name: "zh", example: "placement", width: 390, height: 844, colorScheme: "dark", locale: "zh-CN", act: async (page) => {
    await page.getByRole("row", { name: /^gpu-t4-1/ }).getByRole("gridcell").nth(1).click();
    await page.locator(".would-work").scrollIntoViewIfNeeded();
  } },
  { name: "narrow", example: "three-mistakes", width: 390, height: 844, act: (page) => page.locator(".finding").first().waitFor() },
];

const server = await serve(join(here, "../dist"));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium" });
for (const { name, example, width, height, colorScheme = "light", locale = "en-US", act } of SCREENS) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme, locale, reducedMotion: "reduce" });
  await page.goto(`http://127.0.0.1:${server.address().port}/#example=${example}`);
  await act(page);
  await page.waitForTimeout(700);
  await page.screenshot({ path: join(here, `${name}.png`) });
  await page.close();
  console.log(`docs/${name}.png`);
}
await browser.close();
server.close();

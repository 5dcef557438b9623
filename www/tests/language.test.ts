import { describe, expect, it } from "vitest";
import { openPage, settled, setText, setUp, textOf } from "./page.ts";

setUp();

describe("documentation and completion", () => {
  it("tells about a field under the pointer, in the language of the page", async () => {
    for (const [locale, words] of [["en-US", "optional|since"], ["zh-CN", "[\u4e00-\u9fff]"]] as const) {
      const { page, done } = await openPage({ path: "#example=placement", locale });
      await page.getByRole("grid").waitFor();
      await page.locator(".editor-host .cm-line", { hasText: "suitableNodes" }).locator("span").first().hover();
      const tip = page.locator(".cm-tip");
      await tip.waitFor();
      expect(await tip.textContent()).toMatch(new RegExp(words));
      expect(await tip.locator("code").first().textContent()).toBe("suitableNodes");
      await done();
    }
  });

  it("completes keys and values that fit, with their indentation", async () => {
    const { page, done } = await openPage();
    await settled(page);
    await setText(page, "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: a\nspec:\n");
    await page.keyboard.type("  resourceCl");
    const list = page.locator(".cm-tooltip-autocomplete li");
    await list.filter({ hasText: "resourceClassName" }).waitFor();
    await page.waitForTimeout(150); // the list takes keys a moment after it opens
    await page.keyboard.press("Enter");
    await page.keyboard.type("gpu.example.com\nallocationM");
    await list.filter({ hasText: "allocationMode" }).waitFor();
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+Space");
    await list.filter({ hasText: "Immediate" }).waitFor();
    await page.waitForTimeout(150);
    await page.keyboard.type("Imm");
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
    await page.locator(".verdict.good").waitFor();
    expect(await textOf(page)).toBe("apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: a\nspec:\n  resourceClassName: gpu.example.com\n  allocationMode: Immediate");
    await done();
  });
});

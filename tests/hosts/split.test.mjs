// The package's first module validates alone: whoever lints loads one module, and no finding waits for the second.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { test } from "node:test";
import { root } from "./suite.mjs";

const manifests = path.join(root, "tests/manifests");
const files = readdirSync(manifests).filter((name) => name.endsWith(".yaml") || (name.endsWith(".json") && !name.endsWith(".expect.json")));

test("every manifest is parsed and validated without the second module", () => {
  // A copy of the package's JavaScript of its own, whose second module is never given.
  const claimkit = createRequire(import.meta.url)(path.join(root, "pkg/index.js"));
  let asked = 0;
  claimkit.initSync(readFileSync(path.join(root, "pkg/claimkit_bg.wasm")), () => {
    asked += 1;
    return readFileSync(path.join(root, "pkg/claimkit_more.wasm"));
  });
  assert.ok(files.length > 40, `${files.length} manifests`);
  let findings = 0;
  for (const name of files) {
    const text = readFileSync(path.join(manifests, name), "utf8");
    for (const release of [undefined, "1.26", "1.30"]) {
      claimkit.parse(text, { release });
      findings += claimkit.validate(text, { release }).findings.length;
      findings += claimkit.validate(text, { release, old: text, operation: "update" }).findings.length;
      findings += claimkit.validate(text, { release, old: text, operation: "updateStatus" }).findings.length;
      assert.equal(asked, 0, `${name} needs the second module`);
    }
  }
  assert.ok(findings > 500, `${findings} findings`);
  claimkit.codes();
  assert.equal(asked, 1);
});

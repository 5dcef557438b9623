// claimkit for Node: reads its own Wasm file while being imported, so that nobody has to call `init`.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

const file = new URL("./claimkit_bg.wasm", import.meta.url);
if (!existsSync(file)) {
  throw new Error("claimkit: the Wasm module has not been built yet: run `make pkg` in claimkit's repository");
}
// Not a static import: without the generated files it would fail before the sentence above can be said.
const claimkit = createRequire(import.meta.url)("./index.js");
claimkit.initSync(readFileSync(file));

export const {
  init,
  initSync,
  parse,
  validate,
  convert,
  evaluate,
  releases,
  codes,
} = claimkit;

export default init;

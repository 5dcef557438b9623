// claimkit for Node, in its repository; who installs the package gets what `make pkg` makes of ./start.js.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";

if (!existsSync(new URL("./claimkit_bg.wasm", import.meta.url))) {
  throw new Error("claimkit: the Wasm module has not been built yet: run `make pkg` in claimkit's repository");
}
// Not a static import: without the generated files it would fail before the sentence above can be said.
const claimkit = createRequire(import.meta.url)("./start.js");

export const {
  addLocale,
  admit,
  answer,
  codes,
  complete,
  convert,
  evaluate,
  fixes,
  hover,
  init,
  initSync,
  jsonSchema,
  loadMore,
  parse,
  prepareNodes,
  releases,
  validate,
} = claimkit;

export default init;

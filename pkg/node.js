// claimkit for Node: reads its own Wasm file while being imported, so that nobody has to call `init`.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { findLocales } from "./locale.js";

const file = new URL("./claimkit_bg.wasm", import.meta.url);
if (!existsSync(file)) {
  throw new Error("claimkit: the Wasm module has not been built yet: run `make pkg` in claimkit's repository");
}
// Not a static import: without the generated files it would fail before the sentence above can be said.
const claimkit = createRequire(import.meta.url)("./index.js");
claimkit.initSync(readFileSync(file), () => readFileSync(new URL("./claimkit_more.wasm", import.meta.url)));

findLocales((locale) => {
  const sentences = new URL(`./locale/${encodeURIComponent(locale)}.json`, import.meta.url);
  return existsSync(sentences) ? JSON.parse(readFileSync(sentences, "utf8")) : undefined;
});

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

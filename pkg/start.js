// claimkit for Node: starts it with its own Wasm file. The package has this and what it imports in one file, claimkit.node.js:
// Node needs time for each file that it imports.
import { existsSync, readFileSync } from "node:fs";
import { initSync } from "./index.js";
import { findLocales } from "./locale.js";

initSync(
  readFileSync(new URL("./claimkit_bg.wasm", import.meta.url)),
  () => readFileSync(new URL("./claimkit_more.wasm", import.meta.url)),
  () => readFileSync(new URL("./claimkit_text.wasm", import.meta.url)),
);

findLocales((locale) => {
  const sentences = new URL(`./locale/${encodeURIComponent(locale)}.json`, import.meta.url);
  return existsSync(sentences) ? JSON.parse(readFileSync(sentences, "utf8")) : undefined;
});

export * from "./index.js";
export { default } from "./index.js";

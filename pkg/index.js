// claimkit: importing does nothing. Node starts the Wasm at the first call; elsewhere `await init()` comes first, then everything
// is synchronous. All entries of the package and its adapters share this file, and so one instance.
import * as wasm from "./claimkit.js";
import { withSentences } from "./locale.js";
import { bytes } from "./start.js";

export { addLocale } from "./locale.js";

let started = false;

/** Starts the Wasm if the host can do that at once. */
function ready() {
  if (started) return;
  const module = bytes();
  if (module === undefined) throw new Error("claimkit: call await init() first");
  initSync(module);
}

export function validate(text, options) {
  ready();
  return wasm.validate(text, options);
}

export function parse(text, options) {
  ready();
  return wasm.parse(text, options);
}

export function convert(text, options) {
  ready();
  return wasm.convert(text, options);
}

/** With prepared nodes among the options, they are asked. */
export function evaluate(text, options) {
  ready();
  if (!(options?.nodes instanceof wasm.PreparedNodes)) return wasm.evaluate(text, options);
  const { nodes, ...rest } = options;
  return nodes.evaluate(text, rest);
}

/** With a prepared cluster among the options, that one is asked. */
export function allocate(text, options) {
  ready();
  if (!(options?.cluster instanceof wasm.PreparedCluster)) return wasm.allocate(text, options);
  const { cluster, ...rest } = options;
  return cluster.allocate(text, rest);
}

export function cel(expression, options) {
  ready();
  return wasm.cel(expression, options);
}

export function prepareNodes(nodes, options) {
  ready();
  return wasm.prepareNodes(nodes, options);
}

export function prepareCluster(cluster, options) {
  ready();
  return wasm.prepareCluster(cluster, options);
}

export function hover(text, position, options) {
  ready();
  return wasm.hover(text, position, withSentences(options));
}

export function complete(text, position, options) {
  ready();
  return wasm.complete(text, position, withSentences(options));
}

export function fixes(text, range, options) {
  ready();
  return wasm.fixes(text, range, options);
}

export function codes(options) {
  ready();
  return wasm.codes(withSentences(options));
}

export function releases(options) {
  ready();
  return wasm.releases(withSentences(options));
}

/** Keywords of the schemas that JSON Schema does not have: `ajv.addVocabulary(vocabulary)`. */
export const vocabulary = [
  "x-kubernetes-group-version-kind",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
];

/** `jsonSchema(release, kind, options)`; a release that is not given may be left out altogether. */
export function jsonSchema(...given) {
  ready();
  const first = given[0] === undefined ? typeof given[1] !== "object" : typeof given[0] === "string" && /^\d/.test(given[0]);
  const [release, kind, options] = first ? given : [undefined, ...given];
  return wasm.jsonSchema(kind, withSentences(release === undefined ? options : { ...options, release }));
}

export function admit(request, settings) {
  ready();
  return wasm.admit(request, settings);
}

export function answer(request) {
  ready();
  return wasm.answer(request);
}

/**
 * Fetches (or takes) and starts the Wasm. Calling it again is harmless.
 *
 * @param {import("./index.js").ModuleSource | Promise<import("./index.js").ModuleSource>} [source] the address of
 *   `claimkit_bg.wasm`, a response with it, its bytes, or the compiled module; without it, the file beside this one
 */
export async function init(source) {
  if (started) return;
  const given = await source;
  const local = given === undefined ? bytes() : undefined;
  if (local !== undefined) return initSync(local);
  try {
    await wasm.default(given === undefined ? undefined : { module_or_path: given });
  } catch (cause) {
    const where = given === undefined ? "the file beside the script" : "what `init` was given";
    throw new Error(
      `claimkit: ${where} is not the Wasm module: ${cause?.message ?? cause}. Bundlers differ in where they put claimkit_bg.wasm: ` +
        "pass its address to init(), or import claimkit/inline",
      { cause },
    );
  }
  started = true;
}

/**
 * Starts the Wasm from its bytes or from the compiled module, at once.
 *
 * @param {BufferSource | WebAssembly.Module} module
 */
export function initSync(module) {
  if (started) return;
  wasm.initSync({ module });
  started = true;
}

export default init;

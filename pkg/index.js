// claimkit for browsers, workers and bundlers. Importing does nothing; call `init` once, then everything is synchronous.
import * as module from "./claimkit.js";
import { withSentences } from "./locale.js";
import { add, complete as whole, prepare } from "./more.js";

export { admit, answer, convert, fixes, parse, prepareNodes, validate } from "./claimkit.js";
export { addLocale } from "./locale.js";

/** With prepared nodes among the options, they are asked; else the module reads the text, or the object, with nodes anew. */
export function evaluate(text, options) {
  if (typeof options?.nodes !== "object" || options.nodes === null || options.nodes instanceof Uint8Array) return module.evaluate(text, options);
  const { nodes, ...rest } = options;
  if (nodes instanceof module.PreparedNodes) return nodes.evaluate(text, rest);
  return module.evaluate(text, { ...rest, nodes: JSON.stringify(nodes) });
}

export const hover = (text, position, options) => module.hover(text, position, withSentences(options));
export const complete = (text, position, options) => module.complete(text, position, withSentences(options));
export const codes = (options) => module.codes(withSentences(options));
export const releases = (options) => module.releases(withSentences(options));
// `jsonSchema(release, kind, options)`; a release that is not given may be left out altogether.
export const jsonSchema = (...given) => {
  const first = given[0] === undefined ? typeof given[1] !== "object" : /^\d/.test(given[0]);
  const [release, kind, options] = first ? given : [undefined, ...given];
  return module.jsonSchema(kind, withSentences(release === undefined ? options : { ...options, release }));
};

/** A module from wherever it is. */
async function compiled(source) {
  const found = await source;
  if (found instanceof WebAssembly.Module) return found;
  if (found instanceof ArrayBuffer || ArrayBuffer.isView(found)) return WebAssembly.compile(found);
  const response = found instanceof Response ? found : await fetch(found);
  if (!response.ok) throw new Error(`failed to fetch Wasm: ${response.status} ${response.statusText} fetching '${response.url}'`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Fetches (or takes) and starts the Wasm. Calling it again is harmless.
 *
 * @param {import("./index.js").ModuleSource | Promise<import("./index.js").ModuleSource>} [source] where the first module is;
 *   without it, `claimkit_bg.wasm` beside this file
 * @param {import("./index.js").ModuleSource | Promise<import("./index.js").ModuleSource> | false} [more] where the second is;
 *   `false`, or a source without it: not now
 */
export async function init(source, more) {
  const wanted = more ?? (source === undefined ? new URL("./claimkit_more.wasm", import.meta.url) : false);
  const second = wanted === false || whole() ? undefined : compiled(wanted);
  // Whoever waits for the first module hears of its failure, whatever becomes of the second.
  second?.catch(() => {});
  prepare(await module.default(source === undefined ? undefined : { module_or_path: source }));
  if (second !== undefined) await add(await second);
}

/**
 * Fetches (or takes) and starts what `init(source, false)` left out. Calling it again is harmless.
 *
 * @param {import("./index.js").ModuleSource | Promise<import("./index.js").ModuleSource>} [source]
 */
export async function loadMore(source) {
  if (!whole()) await add(await compiled(source ?? new URL("./claimkit_more.wasm", import.meta.url)));
}

/**
 * Starts the Wasm from bytes or a compiled module, at once.
 *
 * @param {BufferSource | WebAssembly.Module} source
 * @param {(() => BufferSource | WebAssembly.Module) | BufferSource | WebAssembly.Module} [more] the second module, or what gives
 *   it when it is needed
 */
export function initSync(source, more) {
  prepare(module.initSync({ module: source }), more === undefined || typeof more === "function" ? more : () => more);
}

export default init;

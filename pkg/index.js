// claimkit for browsers, workers and bundlers. Importing does nothing; call `init` once, then everything is synchronous.
import * as module from "./claimkit.js";
import { withSentences } from "./locale.js";

export { admit, answer, convert, fixes, parse, prepareNodes, validate } from "./claimkit.js";
export { addLocale } from "./locale.js";

/** With prepared nodes among the options, they are asked; else the module reads the text, or the object, with nodes anew. */
export function evaluate(text, options) {
  if (typeof options?.nodes !== "object" || options.nodes === null) return module.evaluate(text, options);
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

/**
 * Fetches (or takes) and starts the Wasm module. Calling it again is harmless.
 *
 * @param {import("./index.js").ModuleSource | Promise<import("./index.js").ModuleSource>} [source] where the module is;
 *   without it, `claimkit_bg.wasm` beside this file
 */
export async function init(source) {
  await module.default(source === undefined ? undefined : { module_or_path: source });
}

/**
 * Starts the Wasm module from bytes or a compiled module, at once.
 *
 * @param {BufferSource | WebAssembly.Module} source
 */
export function initSync(source) {
  module.initSync({ module: source });
}

export default init;

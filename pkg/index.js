// claimkit for browsers, workers and bundlers. Importing does nothing; call `init` once, then everything is synchronous.
import * as module from "./claimkit.js";
import { connect, judged } from "./exchange.js";
import { withSentences } from "./locale.js";
import { add, has, prepare } from "./parts.js";

export { admit, answer, convert, fixes, parse, prepareNodes } from "./claimkit.js";
export { addLocale } from "./locale.js";

/** A short text with usual options goes a shorter way. */
export const validate = (text, options) => judged(text, options) ?? module.validate(text, options);

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

/** Keeps what has been started. */
function start(exports, others) {
  prepare(exports, others);
  connect(exports, module.said);
}

/** A module from wherever it is. */
async function compiled(source) {
  const found = await source;
  if (found instanceof WebAssembly.Module) return found;
  if (found instanceof ArrayBuffer || ArrayBuffer.isView(found)) return WebAssembly.compile(found);
  const response = found instanceof Response ? found : await fetch(found);
  if (!response.ok) throw new Error(`failed to fetch Wasm: ${response.status} ${response.statusText} fetching '${response.url}'`);
  return WebAssembly.compile(await response.arrayBuffer());
}

// Bundlers know this form, and put the files beside what they make.
const MORE = () => new URL("./claimkit_more.wasm", import.meta.url);
const TEXT = () => new URL("./claimkit_text.wasm", import.meta.url);

/**
 * Fetches (or takes) and starts the Wasm. Calling it again is harmless.
 *
 * @param {Source} [source] where the first module is; without it, `claimkit_bg.wasm` beside this file
 * @param {Source | false} [more] where `claimkit_more.wasm` is; `false`, or a source without it: not now
 * @param {Source} [text] where `claimkit_text.wasm` is; without it, beside this file
 *
 * @typedef {import("./index.js").ModuleSource | Promise<import("./index.js").ModuleSource>} Source
 */
export async function init(source, more, text) {
  const wanted = more ?? (source === undefined ? MORE() : false);
  const others = [fetched("text", text ?? TEXT()), wanted === false ? undefined : fetched("more", wanted)];
  start(await module.default(source === undefined ? undefined : { module_or_path: source }));
  await started(others);
}

/**
 * Fetches (or takes) and starts what `init(source, false)` left out. Calling it again is harmless.
 *
 * @param {Source} [source]
 * @param {Source} [text] as for `init`, where the first module was started without it
 */
export async function loadMore(source, text) {
  await started([fetched("text", text ?? TEXT()), fetched("more", source ?? MORE())]);
}

/** A module that is not there yet. */
function fetched(part, source) {
  if (has(part)) return undefined;
  const found = compiled(source);
  // Whoever waits for the first module hears of its failure, whatever becomes of the others.
  found.catch(() => {});
  return found;
}

/** Starts the modules that were not there, each after those that it uses. */
async function started([text, more]) {
  if (text !== undefined) await add("text", await text);
  if (more !== undefined) await add("more", await more);
}

/**
 * Starts the Wasm from bytes or compiled modules, at once.
 *
 * @param {BufferSource | WebAssembly.Module} source
 * @param {Later} [more] `claimkit_more.wasm`
 * @param {Later} [text] `claimkit_text.wasm`
 *
 * @typedef {(() => BufferSource | WebAssembly.Module) | BufferSource | WebAssembly.Module} Later a module, or what gives it when it is
 *   needed
 */
export function initSync(source, more, text) {
  const later = (given) => (given === undefined || typeof given === "function" ? given : () => given);
  start(module.initSync({ module: source }), { more: later(more), text: later(text) });
}

export default init;

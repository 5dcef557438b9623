// claimkit for browsers, workers and bundlers. Importing does nothing; call `init` once, then everything is synchronous.
import start, { initSync as startSync } from "./claimkit.js";

export * from "./claimkit.js";

/**
 * Fetches (or takes) and starts the Wasm module. Calling it again is harmless.
 *
 * @param {import("./index.js").ModuleSource | Promise<import("./index.js").ModuleSource>} [source] where the module is;
 *   without it, `claimkit_bg.wasm` beside this file
 */
export async function init(source) {
  await start(source === undefined ? undefined : { module_or_path: source });
}

/**
 * Starts the Wasm module from bytes or a compiled module, at once.
 *
 * @param {BufferSource | WebAssembly.Module} module
 */
export function initSync(module) {
  startSync({ module });
}

export default init;

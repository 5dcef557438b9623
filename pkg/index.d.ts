export * from "./types.js";

/** What the host has under a global name; nothing where its types are not loaded (the DOM's in Node, say). */
type Global<Name extends string> = typeof globalThis extends Record<Name, { prototype: infer Instance }> ? Instance : never;

/** A compiled `WebAssembly.Module`. */
type Compiled = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : never;

/** Where the Wasm module is: its address, a response with it, its bytes, or the compiled module. */
export type ModuleSource = string | Global<"URL"> | Global<"Request"> | Global<"Response"> | ArrayBuffer | ArrayBufferView | Compiled;

/**
 * Fetches (or takes) and starts the Wasm; needed once in browsers and workers before anything else. Calling it again is
 * harmless. In Node importing the package does it.
 *
 * The Wasm is in three modules: the first and `claimkit_text.wasm` validate what is to be created; `claimkit_more.wasm` holds all other
 * functions, and `validate` of changes to a stored object.
 *
 * @param source where the first module is; without it, `claimkit_bg.wasm` beside the package's own file
 * @param more where `claimkit_more.wasm` is; without it and without `source`, beside the package's own file; without it but with
 *   `source`, or with `false`, it is not loaded now
 * @param text where `claimkit_text.wasm` is; without it, beside the package's own file
 */
export function init(
  source?: ModuleSource | Promise<ModuleSource>,
  more?: ModuleSource | Promise<ModuleSource> | false,
  text?: ModuleSource | Promise<ModuleSource>,
): Promise<void>;

/** Fetches (or takes) and starts `claimkit_more.wasm` if it is not there yet; and `claimkit_text.wasm` if it was not given before. */
export function loadMore(source?: ModuleSource | Promise<ModuleSource>, text?: ModuleSource | Promise<ModuleSource>): Promise<void>;

/**
 * Starts the Wasm from its bytes or from compiled modules, at once.
 *
 * @param module `claimkit_bg.wasm`, which validates manifests as most people write them; what needs one of the others throws an error
 *   that says so, if it is not given
 * @param more `claimkit_more.wasm`, or a function that gives it when it is needed for the first time
 * @param text `claimkit_text.wasm`, or a function that gives it when it is needed for the first time
 */
export function initSync(
  module: ArrayBuffer | ArrayBufferView | Compiled,
  more?: ArrayBuffer | ArrayBufferView | Compiled | (() => ArrayBuffer | ArrayBufferView | Compiled),
  text?: ArrayBuffer | ArrayBufferView | Compiled | (() => ArrayBuffer | ArrayBufferView | Compiled),
): void;

export default init;

import type { Locale, Sentences } from "./types.js";

/** Gives a language's sentences: the content of `claimkit/locale/en.json`, say. Not needed in Node. */
export function addLocale(locale: Locale, sentences: Sentences): void;

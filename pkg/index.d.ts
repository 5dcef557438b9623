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
 * The Wasm is in two modules: the first validates what is to be created, the second holds all other functions and `validate` of
 * changes to a stored object.
 *
 * @param source where the first module is; without it, `claimkit_bg.wasm` beside the package's own file
 * @param more where the second is; without it and without `source`, `claimkit_more.wasm` beside the package's own file;
 *   without it but with `source`, or with `false`, it is not loaded now
 */
export function init(source?: ModuleSource | Promise<ModuleSource>, more?: ModuleSource | Promise<ModuleSource> | false): Promise<void>;

/** Fetches (or takes) and starts the second module if it is not there yet. */
export function loadMore(source?: ModuleSource | Promise<ModuleSource>): Promise<void>;

/**
 * Starts the Wasm from its bytes or from compiled modules, at once.
 *
 * @param more the second module, or a function that gives it when it is needed for the first time
 */
export function initSync(
  module: ArrayBuffer | ArrayBufferView | Compiled,
  more?: ArrayBuffer | ArrayBufferView | Compiled | (() => ArrayBuffer | ArrayBufferView | Compiled),
): void;

export default init;

import type { Locale, Sentences } from "./types.js";

/** Gives a language's sentences: the content of `claimkit/locale/en.json`, say. Not needed in Node. */
export function addLocale(locale: Locale, sentences: Sentences): void;

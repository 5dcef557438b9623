export * from "./types.js";

/** What the host has under a global name; nothing where its types are not loaded (the DOM's in Node, say). */
type Global<Name extends string> = typeof globalThis extends Record<Name, { prototype: infer Instance }> ? Instance : never;

/** A compiled `WebAssembly.Module`. */
type Compiled = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : never;

/** Where the Wasm module is: its address, a response with it, its bytes, or the compiled module. */
export type ModuleSource = string | Global<"URL"> | Global<"Request"> | Global<"Response"> | ArrayBuffer | ArrayBufferView | Compiled;

/**
 * Fetches (or takes) and starts the Wasm. Needed once in browsers and workers before anything else; Node starts it at the first
 * call. Calling it again is harmless.
 *
 * @param source where the module is; without it, `claimkit_bg.wasm` beside the package's own file
 */
export function init(source?: ModuleSource | Promise<ModuleSource>): Promise<void>;

/**
 * Starts the Wasm from its bytes or from the compiled module, at once. Workers of hosts that compile modules ahead
 * (`import module from "claimkit/wasm"`) need this.
 */
export function initSync(module: ArrayBuffer | ArrayBufferView | Compiled): void;

/** Keywords of {@link jsonSchema} that JSON Schema itself does not have: `ajv.addVocabulary(vocabulary)`. */
export const vocabulary: string[];

export default init;

import type { Locale, Sentences } from "./types.js";

/** Gives a language's sentences: the content of `claimkit/locale/en.json`, say. Not needed in Node. */
export function addLocale(locale: Locale, sentences: Sentences): void;

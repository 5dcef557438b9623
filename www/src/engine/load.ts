/**
 * The one place that knows in how many files the Wasm module comes and how they are started. Everything else asks for a function
 * by name, or waits for `rest` where it needs all of them.
 */
import * as glue from "claimkit-wasm";
import wasmUrl from "../../../pkg/claimkit_bg.wasm?url";
import moreUrl from "../../../pkg/claimkit_more.wasm?url";
import textUrl from "../../../pkg/claimkit_text.wasm?url";
import { MissingPart, add, prepare } from "../../../pkg/parts.js";

const module = glue as unknown as Record<string, unknown> & { default: (init: { module_or_path: URL }) => Promise<WebAssembly.Exports> };

/** A function of the Wasm module; undefined where this build has none of that name. */
export const find = <F>(name: string): F | undefined => (typeof module[name] === "function" ? (module[name] as F) : undefined);

/** Starts the module. */
export async function start(): Promise<void> {
  prepare(await module.default({ module_or_path: new URL(wasmUrl, import.meta.url) }));
}

const compiled = (url: string) => WebAssembly.compileStreaming(fetch(new URL(url, import.meta.url)));
let others: { text: Promise<void>; more: Promise<void> } | undefined;

function load(): { text: Promise<void>; more: Promise<void> } {
  if (others) return others;
  const text = compiled(textUrl).then((module) => add("text", module));
  const fetched = compiled(moreUrl);
  const more = Promise.all([fetched, text]).then(([module]) => add("more", module));
  others = { text, more };
  for (const part of [text, more]) part.catch(() => (others = undefined));
  return others;
}

/** The rest of the module, fetched after the first answer or when it is needed; after a failure it is tried again. */
export const rest = (): Promise<void> => load().more;

/** Does something again once the part of the module is there that it turned out to need. */
export async function withParts<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof MissingPart)) throw error;
    await load().text;
    return work();
  }
}

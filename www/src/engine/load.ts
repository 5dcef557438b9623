/** The one place that knows how the Wasm module is fetched and started. Everything else asks for a function by name. */
import * as glue from "claimkit-wasm";
import wasmUrl from "../../../pkg/claimkit_bg.wasm?url";

const module = glue as unknown as Record<string, unknown> & { default: (init: { module_or_path: URL }) => Promise<WebAssembly.Exports> };

/** A function of the Wasm module; undefined where this build has none of that name. */
export const find = <F>(name: string): F | undefined => (typeof module[name] === "function" ? (module[name] as F) : undefined);

/** Starts the Wasm module. */
export async function start(): Promise<void> {
  await module.default({ module_or_path: new URL(wasmUrl, import.meta.url) });
}

// The package's Wasm is in modules that share their memory. `claimkit_bg.wasm` validates manifests as most people write them;
// `claimkit_text.wasm` reads the rest of YAML, and JSON, and explains what kubectl cannot read; `claimkit_more.wasm` has what else an
// importer can ask for. A module calls functions of a later one through a table, having it started when the first of them is called.
// What only they read, they put into the memory when they start. The command line is the last, for ./cli.js alone.

/** The modules behind the first, in the order in which they are started: each may use those before it. */
const ORDER = ["text", "more"];

let first;
let base = 0;
// What the host gives the modules.
let host;
const started = new Set();
const sources = {};

const LACKING = {
  text: "claimkit: this text needs `claimkit_text.wasm`, which has not been loaded: give it to `init` or `initSync`",
  more: "claimkit: only validating has been loaded; this needs `await loadMore()` first",
};

/** What was asked for needs a module that has not been loaded. */
export class MissingPart extends Error {}

/** Starts a module and those that it uses, as far as they have not been started. */
function need(name) {
  for (const part of ORDER.slice(0, ORDER.indexOf(name) + 1)) {
    if (started.has(part)) continue;
    if (sources[part] === undefined) {
      // The call ends here: what it had on the stack of the first module goes with it.
      first.stack.value = base;
      throw new MissingPart(LACKING[part]);
    }
    const source = sources[part]();
    new WebAssembly.Instance(source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source), given());
    started.add(part);
  }
}

/** Called by a module that needs the one with the rest of reading. */
export const text = () => need("text");

/** Called by a module that needs the one with all but validating. */
export const more = () => need("more");

/** Called by the first module when the command line has not been started. */
export function commands() {
  throw new Error("claimkit: the command line has not been started");
}

/** Keeps what the glue gives the first module, for the others. */
export function lend(imports) {
  host = imports;
  return imports;
}

/** Starts the command line, `claimkit_commands.wasm`, after the others. */
export function startCommands(module) {
  need("more");
  new WebAssembly.Instance(new WebAssembly.Module(module), given());
}

/**
 * Tells which module is to be added to, and how to come by the others when they are needed.
 *
 * @param {WebAssembly.Exports} exports the first module's
 * @param {{ text?: () => BufferSource | WebAssembly.Module, more?: () => BufferSource | WebAssembly.Module }} [others]
 */
export function prepare(exports, others = {}) {
  if (first === undefined) {
    first = exports;
    base = first.stack?.value;
  }
  for (const part of ORDER) sources[part] ??= others[part];
}

/** What the modules behind the first import. */
const given = () => ({ first, "./parts.js": { text, more, commands }, "./claimkit_bg.js": host });

/**
 * Adds a module without blocking, however large browsers let a module be that is started at once. Those before it are there, or were
 * given to `prepare`.
 *
 * @param {"text" | "more"} part
 * @param {WebAssembly.Module} module
 */
export async function add(part, module) {
  if (started.has(part)) return;
  if (part !== ORDER[0]) need(ORDER[ORDER.indexOf(part) - 1]);
  await WebAssembly.instantiate(module, given());
  started.add(part);
}

/** Whether a part need not be fetched. A module that was not split has all in the first. */
export const has = (part) => started.has(part) || sources[part] !== undefined || (first !== undefined && first.stack === undefined);

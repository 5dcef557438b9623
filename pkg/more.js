// The package's Wasm is in modules that share their memory. `claimkit_bg.wasm` validates what is to be created; what else an importer
// can ask for is in `claimkit_more.wasm`, whose functions the first calls through a table, loading it when the first of them is
// called. What only they read, it puts into the memory when it starts. The command line is the third, for ./cli.js alone.

let first;
let base = 0;
let find;
// What the host gives the modules.
let host;
let started = false;

/** Called by the first module when it needs the second. */
export function more() {
  if (started) return;
  if (find !== undefined) {
    const source = find();
    start(source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source));
    return;
  }
  // The call ends here: what it had on the stack of the first module goes with it.
  first.stack.value = base;
  throw new Error("claimkit: only validating has been loaded; this needs `await loadMore()` first");
}

/** Called by the first module when the command line has not been started. */
export function commands() {
  throw new Error("claimkit: the command line has not been started");
}

/** Keeps what the glue gives the first module, for the others. */
export function lend(imports) {
  host = imports;
  return imports;
}

/** Starts the command line, `claimkit_commands.wasm`, after the two others. */
export function startCommands(module) {
  more();
  new WebAssembly.Instance(new WebAssembly.Module(module), given());
}

/**
 * Tells which module is to be added to, and how to come by the second when it is needed.
 *
 * @param {WebAssembly.Exports} exports the first module's
 * @param {() => BufferSource | WebAssembly.Module} [source]
 */
export function prepare(exports, source) {
  if (first === undefined) {
    first = exports;
    base = first.stack?.value;
  }
  find ??= source;
}

/** What the second and the third module import. */
const given = () => ({ first, "./more.js": { more, commands }, "./claimkit_bg.js": host });

function start(module) {
  new WebAssembly.Instance(module, given());
  started = true;
}

/**
 * Adds the second module without blocking, however large browsers let a module be that is started at once.
 *
 * @param {WebAssembly.Module} module
 */
export async function add(module) {
  if (started) return;
  await WebAssembly.instantiate(module, given());
  started = true;
}

/** Whether nothing is left to fetch. A module that was not split has all in the first. */
export const complete = () => started || find !== undefined || (first !== undefined && first.stack === undefined);

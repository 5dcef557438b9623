// The package's Wasm is in modules that share their memory. `claimkit_bg.wasm` reads and validates; what else an importer can ask
// for is in `claimkit_more.wasm`, whose functions the first calls through a table, loading it when the first of them is called.
// What only they read, it puts into the memory when it starts. The command line is the third, for ./cli.js alone.

let first;
let base = 0;
let find;
// What the host gives the modules, and what the second gives the third.
let host;
let second;

/** Called by the first module when it needs the second. */
export function more() {
  if (second !== undefined) return;
  if (find !== undefined) {
    const source = find();
    start(source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source));
    return;
  }
  // The call ends here: what it had on the stack of the first module goes with it.
  first.stack.value = base;
  throw new Error("claimkit: only parsing and validating have been loaded; this needs `await loadMore()` first");
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
  new WebAssembly.Instance(new WebAssembly.Module(module), { first, more: second, "./claimkit_bg.js": host });
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

function start(module) {
  second ??= new WebAssembly.Instance(module, { first, "./claimkit_bg.js": host }).exports;
}

/**
 * Adds the second module without blocking, however large browsers let a module be that is started at once.
 *
 * @param {WebAssembly.Module} module
 */
export async function add(module) {
  if (second !== undefined) return;
  const started = await WebAssembly.instantiate(module, { first, "./claimkit_bg.js": host });
  second ??= started.exports;
}

/** Whether nothing is left to fetch. A module that was not split has all in the first. */
export const complete = () => second !== undefined || find !== undefined || (first !== undefined && first.stack === undefined);

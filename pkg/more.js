// The package's Wasm is in two modules that share their memory. `claimkit_bg.wasm` reads and validates; all else is in
// `claimkit_more.wasm`, whose functions the first calls through a table, loading it when the first of them is called. What only
// they read, it puts into the memory when it starts.

let first;
let base = 0;
let find;
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
  throw new Error("claimkit: only parsing and validating have been loaded; this needs `await loadMore()` first");
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
  if (!started) new WebAssembly.Instance(module, { first });
  started = true;
}

/**
 * Adds the second module without blocking, however large browsers let a module be that is started at once.
 *
 * @param {WebAssembly.Module} module
 */
export async function add(module) {
  if (started) return;
  await WebAssembly.instantiate(module, { first });
  started = true;
}

/** Whether nothing is left to fetch. A module that was not split has all in the first. */
export const complete = () => started || find !== undefined || (first !== undefined && first.stack === undefined);

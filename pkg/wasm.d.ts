/**
 * The module as a bundler imports it: its address, its bytes, or the compiled module. `init` takes each of them; `initSync`
 * the last two.
 */
// biome-ignore lint/suspicious/noExplicitAny: bundlers disagree, and `init` takes what each of them gives
declare const module: any;
export default module;

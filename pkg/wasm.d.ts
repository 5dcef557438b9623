/**
 * The module as a bundler imports it: its address, its bytes, or the compiled module. `init` takes each of them; `initSync`
 * the last two.
 */
declare const module: any;
export default module;

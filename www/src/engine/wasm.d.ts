// The generated module is not there while types are checked on a fresh clone; the worker looks its functions up by name.
declare module "claimkit-wasm" {
  const init: (options: { module_or_path: URL }) => Promise<WebAssembly.Exports>;
  export default init;
}
declare module "*.wasm?url" {
  const url: string;
  export default url;
}
declare module "*.json?url" {
  const url: string;
  export default url;
}

// claimkit with the module inside the JavaScript: for bundles that can have no file beside them. The first call starts it.
import base64 from "./claimkit_bg.wasm.js";
import { startFrom } from "./start.js";

startFrom("inline", () => {
  const text = atob(base64);
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
});

export * from "./index.js";
export { default } from "./index.js";

// claimkit with the module inside the JavaScript: for bundles that can have no file beside them. The first call starts it.
import base64 from "./claimkit_bg.wasm.js";
import { startFrom } from "./start.js";

startFrom("inline", () => {
	const text = atob(base64);
	// `Uint8Array.from` with a function takes ten times as long for four million characters.
	const bytes = new Uint8Array(text.length);
	for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
	return bytes;
});

export * from "./index.js";
export { default } from "./index.js";

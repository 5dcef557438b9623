// claimkit with the module inside the JavaScript: for bundles that can have no file beside them. The first call starts it.
import base64, { size } from "claimkit-inline";
import { inflate } from "./inflate.js";
import { startFrom } from "./start.js";

startFrom("inline", () => {
	const text = atob(base64);
	// `Uint8Array.from` with a function takes ten times as long for millions of characters.
	const packed = new Uint8Array(text.length);
	for (let at = 0; at < text.length; at += 1) packed[at] = text.charCodeAt(at);
	// Node's own is four times as fast; a bundle must not import it.
	const zlib = globalThis.process?.getBuiltinModule?.("node:zlib");
	return zlib === undefined
		? inflate(packed, size)
		: new Uint8Array(zlib.inflateRawSync(packed));
});

export * from "./index.js";
export { default } from "./index.js";

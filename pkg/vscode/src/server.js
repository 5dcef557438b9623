// The language server of the extension on a desktop, with the files that the extension gives it.
import { existsSync, readFileSync } from "node:fs";
import { Server } from "../../server/core.js";

const beside = (name) => new URL(name, import.meta.url);
const server = new Server({
	module: readFileSync(beside("./command_bg.wasm")),
	version: JSON.parse(readFileSync(beside("../package.json"), "utf8")).version,
	sentences(locale) {
		const file = beside(`./locale/${encodeURIComponent(locale)}.json`);
		return existsSync(file) ? readFileSync(file, "utf8") : undefined;
	},
	send: (message) => process.send(message),
	exit: (code) => process.exit(code),
});
process.on("message", (message) => server.receive(JSON.stringify(message)));
process.on("disconnect", () => process.exit(1));

// Before `npm pack`: what `make pkg` writes must be there, or an empty package would be packed.
import { existsSync, readFileSync } from "node:fs";

const folder = new URL("../", import.meta.url);
const manifest = JSON.parse(
	readFileSync(new URL("package.json", folder), "utf8"),
);
const needed = [
	"claimkit.js",
	"claimkit_bg.wasm",
	"claimkit_bg.wasm.js",
	"command.js",
	"command_bg.wasm.br",
	"constants.js",
	"claimkit.cjs",
	"index.d.cts",
	"types.d.ts",
	"schema",
	"server.js",
	"server-worker.js",
	"mcp.js",
	"THIRD-PARTY.txt",
	"CHANGELOG.md",
	"LICENSE",
];
const missing = needed.filter((file) => !existsSync(new URL(file, folder)));
if (missing.length > 0 || !manifest.exports) {
	console.error(
		`claimkit: run \`make pkg\` first: ${missing.join(", ") || "package.json"} is missing`,
	);
	process.exit(1);
}

// The language server of the package, pkg/server.js and pkg/server-worker.js, from pkg/server.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { IN_MCP } from "./mcp.mjs";
import { licenses, npmTools } from "./tools.mjs";

const out = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** The language server in one file each for Node and for workers; it needs the module of the command. */
export async function buildServer() {
	const { build: bundle } = await import(
		pathToFileURL(path.join(npmTools(), "esbuild/lib/main.js"))
	);
	const common = {
		bundle: true,
		minify: true,
		target: "es2022",
		logLevel: "error",
		absWorkingDir: out,
		banner: { js: "// Made by `make pkg` of pkg/server.\n" },
		define: { "import.meta.url": "undefined" },
	};
	await bundle({
		...common,
		entryPoints: ["server/node.js"],
		outfile: "server.js",
		format: "esm",
		platform: "node",
		define: {},
	});
	await bundle({
		...common,
		entryPoints: ["server/worker.js"],
		outfile: "server-worker.js",
		format: "iife",
		platform: "browser",
	});
	writeFileSync(
		path.join(out, "THIRD-PARTY.txt"),
		`Inside mcp.js:\n\n${licenses(IN_MCP)}`,
	);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildServer();

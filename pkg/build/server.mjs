// The language server of the package, pkg/server.js and pkg/server-worker.js, from pkg/server.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { IN_MCP } from "./mcp.mjs";
import { licenses, npmTools } from "./tools.mjs";

const out = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** The packages that are inside the language server. */
export const BUNDLED = [
	"vscode-languageserver",
	"vscode-languageserver-protocol",
	"vscode-languageserver-types",
	"vscode-jsonrpc",
	"vscode-languageserver-textdocument",
	"smol-toml",
];

/**
 * The language server with all it needs, so that the package has no dependencies. For Node the package's own files stay what they
 * are: the server shares their instance. In a worker everything is in one file but the module.
 */
export async function buildServer() {
	const modules = npmTools();
	const { build: bundle } = await import(
		pathToFileURL(path.join(modules, "esbuild/lib/main.js"))
	);
	const common = {
		bundle: true,
		minify: true,
		target: "es2022",
		nodePaths: [modules],
		legalComments: "none",
		logLevel: "error",
		absWorkingDir: out,
	};
	const beside = {
		name: "beside",
		setup: ({ onResolve }) => {
			onResolve({ filter: /^claimkit(\/lsp)?$/ }, ({ path: name }) => ({
				path: name === "claimkit" ? "./node.js" : "./lsp.js",
				external: true,
			}));
			onResolve({ filter: /^\.\.\/claimkit\.js$/ }, () => ({
				path: "./claimkit.js",
				external: true,
			}));
		},
	};
	const head =
		"// Made by `make pkg` of pkg/server and of what THIRD-PARTY.txt names.\n";
	// Its dependencies are CommonJS and ask for Node's own modules by `require`.
	const require =
		'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
	await bundle({
		...common,
		entryPoints: ["server/node.js"],
		outfile: "server.js",
		format: "esm",
		platform: "node",
		plugins: [beside],
		banner: { js: head + require },
	});
	const alias = {
		claimkit: path.join(out, "index.js"),
		"claimkit/lsp": path.join(out, "lsp.js"),
	};
	const define = { "import.meta.url": "undefined" };
	await bundle({
		...common,
		entryPoints: ["server/worker.js"],
		outfile: "server-worker.js",
		format: "iife",
		platform: "browser",
		alias,
		define,
		banner: { js: head },
	});
	writeFileSync(
		path.join(out, "THIRD-PARTY.txt"),
		`Inside server.js and server-worker.js:\n\n${licenses(BUNDLED)}\n----\n\nInside mcp.js:\n\n${licenses(IN_MCP)}`,
	);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildServer();

// The server for agents, pkg/mcp.js, from pkg/agent.
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { npmTools } from "./tools.mjs";

const out = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** The packages that are inside it. */
export const IN_MCP = ["@modelcontextprotocol/sdk", "zod"];

/** The server with all it needs, so that the package has no third-party dependencies. */
export async function buildMcp() {
	const modules = npmTools();
	const { build: bundle } = await import(
		pathToFileURL(path.join(modules, "esbuild/lib/main.js"))
	);
	// The SDK checks by Ajv what people write into forms. The server shows none, and Ajv would be half of the file.
	const withoutForms = {
		name: "without-forms",
		setup: ({ onLoad }) => {
			onLoad({ filter: /[\\/]validation[\\/]ajv-provider\.js$/ }, () => ({
				contents:
					'export class AjvJsonSchemaValidator { getValidator() { throw new Error("there are no forms"); } }',
			}));
		},
	};
	// The sentences of other languages are for people.
	const english = {
		name: "english",
		setup: ({ onLoad }) => {
			onLoad(
				{ filter: /[\\/]www[\\/]build[\\/]scheduler\.ts$/ },
				async (args) => {
					const built = await bundle({
						entryPoints: [args.path],
						bundle: true,
						write: false,
						format: "esm",
						logLevel: "error",
					});
					const { SENTENCES } = await import(
						`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].text).toString("base64")}`
					);
					const kept = Object.entries(SENTENCES).map(
						([name, { message, stage, en }]) => [name, { message, stage, en }],
					);
					return {
						contents: `export const SENTENCES = ${JSON.stringify(Object.fromEntries(kept))};`,
						loader: "js",
					};
				},
			);
		},
	};
	await bundle({
		bundle: true,
		minify: true,
		target: "es2022",
		nodePaths: [modules],
		legalComments: "none",
		logLevel: "error",
		absWorkingDir: out,
		entryPoints: ["agent/serve.js"],
		outfile: "mcp.js",
		format: "esm",
		platform: "node",
		plugins: [withoutForms, english],
		banner: {
			js: "// @ts-nocheck\n// Made by `make pkg` of pkg/agent and of what THIRD-PARTY.txt names.\n",
		},
	});
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildMcp();

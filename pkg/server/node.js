// `npx claimkit lsp`: the language server on standard input and output.
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { serve } from "./serve.js";

const MOST_BYTES = 2 << 20;
const MOST_DEPTH = 12;
const MOST_FOLDERS = 5000;
const MANIFEST = /\.(ya?ml|json)$/;

const local = (uri) =>
	uri.startsWith("file:") ? fileURLToPath(uri) : undefined;

/** The files of this machine. */
const files = {
	async read(uri) {
		const file = local(uri);
		if (file === undefined) return undefined;
		try {
			if ((await stat(file)).size > MOST_BYTES) return undefined;
			return await readFile(file, "utf8");
		} catch {
			return undefined;
		}
	},
	async *manifests(folders) {
		const waiting = folders
			.map((uri) => [local(uri), 0])
			.filter(([folder]) => folder !== undefined);
		for (
			let count = 0;
			waiting.length > 0 && count < MOST_FOLDERS;
			count += 1
		) {
			const [folder, depth] = waiting.shift();
			const entries = await readdir(folder, { withFileTypes: true }).catch(
				() => [],
			);
			for (const entry of entries) {
				const inside = path.join(folder, entry.name);
				if (
					entry.isFile() &&
					MANIFEST.test(entry.name) &&
					entry.name !== "package-lock.json"
				)
					yield pathToFileURL(inside).href;
				else if (
					entry.isDirectory() &&
					depth < MOST_DEPTH &&
					!entry.name.startsWith(".") &&
					entry.name !== "node_modules"
				)
					waiting.push([inside, depth + 1]);
			}
		}
	},
};

const { version } = JSON.parse(
	await readFile(new URL("./package.json", import.meta.url), "utf8"),
);
serve(
	createConnection(ProposedFeatures.all, process.stdin, process.stdout),
	files,
	version,
);

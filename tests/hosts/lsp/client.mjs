// A client of the language server over standard input and output, as an editor is one.
import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import {
	createMessageConnection,
	StreamMessageReader,
	StreamMessageWriter,
} from "vscode-jsonrpc/node";
import { commands } from "../suite.mjs";

/** The server as people start it, by the name of its program: `native` or `npx`. */
export const programs = Object.fromEntries(
	commands.map(([name, program, first]) => [
		name,
		[program, ...first, "lsp", "--stdio"],
	]),
);

/** The name of the program that the tests of this process ask. */
export const asked = process.env.CLAIMKIT_SERVER ?? "npx";

export const command = programs[asked];

/** A claim with one misspelled field, and letters that take several bytes and code units. Its last line is where a field can be completed. */
export const CLAIM = `# é😀
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: a
spec:
  devices:
    requests:
    - name: gpu
      exactly: # 😀
        deviceClasName: gpu.example.com
      
`;

export const address = (file) => pathToFileURL(file).href;

const running = new Set();

/** Ends what a failed test left behind. */
export function stopAll() {
	for (const child of running) child.kill();
}

/** Starts a server and says hello. `answers`: what the client answers to requests of the server, by method. */
export async function start({
	folder,
	capabilities = {},
	initializationOptions,
	answers = {},
	program = command,
} = {}) {
	const child = spawn(program[0], program.slice(1), {
		stdio: ["pipe", "pipe", "pipe"],
	});
	running.add(child);
	child.once("exit", () => running.delete(child));
	let errors = "";
	child.stderr.on("data", (data) => (errors += data));
	const connection = createMessageConnection(
		new StreamMessageReader(child.stdout),
		new StreamMessageWriter(child.stdin),
	);
	const published = new Map();
	const waiting = [];
	const told = [];
	let loaded;
	const isLoaded = new Promise((resolve) => (loaded = resolve));
	connection.onNotification("textDocument/publishDiagnostics", (params) => {
		published.set(params.uri, params);
		for (const wait of [...waiting]) {
			if (!wait.fits(params)) continue;
			waiting.splice(waiting.indexOf(wait), 1);
			wait.resolve(params);
		}
	});
	connection.onNotification("window/showMessage", ({ message }) =>
		told.push(message),
	);
	connection.onNotification("window/logMessage", ({ message }) =>
		told.push(message),
	);
	connection.onRequest((method, params) => {
		if (method === "workspace/codeLens/refresh") loaded();
		return method in answers ? answers[method](params) : null;
	});
	connection.listen();
	const hello = await connection.sendRequest("initialize", {
		processId: process.pid,
		rootUri: folder === undefined ? null : address(folder),
		workspaceFolders:
			folder === undefined ? null : [{ uri: address(folder), name: "test" }],
		capabilities: {
			...capabilities,
			workspace: {
				codeLens: { refreshSupport: true },
				...capabilities.workspace,
			},
			textDocument: {
				publishDiagnostics: { relatedInformation: true, versionSupport: true },
				completion: {
					completionItem: {
						snippetSupport: true,
						documentationFormat: ["markdown"],
					},
				},
				documentSymbol: { hierarchicalDocumentSymbolSupport: true },
				codeLens: {},
				...capabilities.textDocument,
			},
		},
		initializationOptions,
	});
	await connection.sendNotification("initialized", {});

	const client = {
		hello,
		told,
		/** Ends when the files of the folder are read, if nothing is opened before: lenses are asked for again then. */
		isLoaded,
		child,
		published,
		ask: (method, params) => connection.sendRequest(method, params),
		tell: (method, params) => connection.sendNotification(method, params),
		/** The diagnostics of a version of a document. */
		diagnostics: (uri, version) =>
			new Promise((resolve, reject) => {
				const fits = (params) =>
					params.uri === uri && params.version === version;
				if (published.has(uri) && fits(published.get(uri)))
					return resolve(published.get(uri).diagnostics);
				const timer = setTimeout(
					() =>
						reject(
							new Error(
								`no diagnostics of ${uri} ${version}; ${errors} ${told}`,
							),
						),
					20_000,
				);
				waiting.push({
					fits,
					resolve: ({ diagnostics }) => {
						clearTimeout(timer);
						resolve(diagnostics);
					},
				});
			}),
		open: (uri, text, languageId = "yaml", version = 1) =>
			connection.sendNotification("textDocument/didOpen", {
				textDocument: { uri, languageId, version, text },
			}),
		change: (uri, version, contentChanges) =>
			connection.sendNotification("textDocument/didChange", {
				textDocument: { uri, version },
				contentChanges,
			}),
		close: (uri) =>
			connection.sendNotification("textDocument/didClose", {
				textDocument: { uri },
			}),
		async stop() {
			const gone = new Promise((resolve) => child.once("exit", resolve));
			await connection.sendRequest("shutdown");
			await connection.sendNotification("exit");
			const code = await gone;
			connection.dispose();
			return code;
		},
	};
	return client;
}

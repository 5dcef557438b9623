// The extension in a browser: the server is a worker, which gets its module by message because it may not fetch.
import * as vscode from "vscode";
import {
	BrowserMessageReader,
	BrowserMessageWriter,
	LanguageClient,
} from "vscode-languageclient/browser";
import { begin, options } from "./client.js";

/** Starts the server: its script loads while its files are read. */
async function start(context) {
	const part = (name) =>
		vscode.Uri.joinPath(context.extensionUri, "dist", name);
	const bytes = (name) => vscode.workspace.fs.readFile(part(name));
	const json = async (name) =>
		JSON.parse(new TextDecoder().decode(await bytes(name)));
	const worker = new Worker(part("server-worker.js").toString(true));
	context.subscriptions.push({ dispose: () => worker.terminate() });
	const [module, en, zh] = await Promise.all([
		bytes("command_bg.wasm"),
		json("locale/en.json"),
		json("locale/zh-Hans.json"),
	]);
	worker.postMessage({
		claimkit: {
			module,
			sentences: { en, "zh-Hans": zh },
			version: context.extension.packageJSON.version,
		},
	});
	return {
		reader: new BrowserMessageReader(worker),
		writer: new BrowserMessageWriter(worker),
	};
}

export function activate(context) {
	return begin(
		context,
		new LanguageClient("claimkit", "claimkit", () => start(context), options),
	);
}

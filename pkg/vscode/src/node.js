// The extension on a desktop and in code-server: the server is a process of its own.
import { LanguageClient, TransportKind } from "vscode-languageclient/node";
import { begin, options } from "./client.js";

export function activate(context) {
	const module = context.asAbsolutePath("dist/server.mjs");
	return begin(
		context,
		new LanguageClient(
			"claimkit",
			"claimkit",
			{ module, transport: TransportKind.ipc },
			options,
		),
	);
}

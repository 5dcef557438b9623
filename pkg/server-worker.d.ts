/**
 * The first message to the worker; the Language Server Protocol follows, as `vscode-languageserver-protocol/browser` speaks it. A worker
 * may not be able to fetch, so the message has all that it needs.
 */
export interface ServerStart {
	claimkit: {
		/** The bytes of `claimkit-command/command_bg.wasm.br`, unpacked by the build or by the browser (`Content-Encoding: br`), or the compiled module. */
		module: ArrayBuffer | ArrayBufferView | object;
		/** The content of `claimkit/locale/<locale>.json` for each locale. */
		sentences: Record<string, Record<string, Record<string, string>>>;
		/** The version that the server gives as its own. */
		version?: string;
	};
}

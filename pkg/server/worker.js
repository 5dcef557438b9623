// The language server in a worker. The first message gives what it needs, for a worker may not be able to fetch:
// `{ claimkit: { module, sentences, version } }` with the module's bytes or the compiled module, and the sentences of each locale. The
// protocol follows; the client answers `claimkit/read` and `claimkit/manifests` if it has files.

import { addLocale, initSync } from "claimkit";
import {
	BrowserMessageReader,
	BrowserMessageWriter,
	createConnection,
} from "vscode-languageserver/browser";
import { remoteFiles } from "./remote.js";
import { serve } from "./serve.js";

/** Both libraries of types are loaded, and `self` is a window's for them. */
const worker = /** @type {DedicatedWorkerGlobalScope} */ (
	/** @type {unknown} */ (self)
);

worker.addEventListener(
	"message",
	({ data: { claimkit } }) => {
		initSync(claimkit.module);
		for (const [locale, sentences] of Object.entries(claimkit.sentences))
			addLocale(/** @type {import("claimkit").Locale} */ (locale), sentences);
		const connection = createConnection(
			new BrowserMessageReader(worker),
			new BrowserMessageWriter(worker),
		);
		serve(connection, remoteFiles(connection), claimkit.version);
	},
	{ once: true },
);

// The language server in a worker. The first message gives what it needs, for a worker may not be able to fetch:
// `{ claimkit: { module, sentences, version } }` with the module's bytes or the compiled module, and the sentences of each locale. The
// protocol follows; the client answers `claimkit/read` and `claimkit/manifests` if it has files.
import { Server } from "./core.js";

/** Both libraries of types are loaded, and `self` is a window's for them. */
const worker = /** @type {DedicatedWorkerGlobalScope} */ (
	/** @type {unknown} */ (self)
);

worker.addEventListener(
	"message",
	({ data: { claimkit } }) => {
		const { module, sentences = {}, version = "" } = claimkit;
		const server = new Server({
			module,
			version,
			sentences: (locale) =>
				locale in sentences ? JSON.stringify(sentences[locale]) : undefined,
			send: (message) => worker.postMessage(message),
			exit: () => worker.close(),
		});
		worker.addEventListener("message", ({ data }) =>
			server.receive(JSON.stringify(data)),
		);
	},
	{ once: true },
);

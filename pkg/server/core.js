// The language server, which is Wasm, with what carries its messages and keeps its time: the same in Node and in workers.
import { initSync, LanguageServer, renew, reset } from "../command.js";

/** Requests of the server about files, which a host that has a disk answers itself. */
const FILES = new Set(["claimkit/read", "claimkit/manifests"]);

/** What stopped: a request, a document. */
function workOf(message) {
	const { textDocument, uri } = message.params ?? {};
	return { id: message.id, uri: textDocument?.uri ?? uri };
}

/**
 * A server that goes on after its module has stopped: the next instance gets the documents and the settings of the one before.
 *
 * @typedef {{ module: BufferSource | WebAssembly.Module, version: string, sentences(locale: string): string | undefined,
 *   send(message: object): void, files?(method: string, params: any): Promise<unknown>, exit?(code: number): void }} Options
 */
export class Server {
	/** @type {Options} */
	#options;
	/** @type {LanguageServer} */
	#server;
	/** What the module does, as JSON. */
	#work;
	#timer;
	#saved = { documents: new Map() };

	/** @param {Options} options `files`: answers requests about files; without it the client does */
	constructor(options) {
		this.#options = options;
		initSync({ module: options.module });
		this.#begin();
	}

	#begin() {
		const host = {
			sentences: this.#options.sentences,
			begins: (work) => {
				this.#work = work;
			},
		};
		this.#server = new LanguageServer(host, this.#options.version);
	}

	/** Takes a message, as JSON. */
	receive(text) {
		this.#run(text, () => this.#server.receive(text, performance.now()));
	}

	#run(text, call) {
		this.#work = undefined;
		let answer;
		try {
			answer = call();
		} catch (error) {
			if (!(error instanceof WebAssembly.RuntimeError)) throw error;
			answer = this.#restored(text, error);
		}
		this.#take(JSON.parse(answer));
	}

	/** Keeps what a fresh instance needs. */
	#keep({ documents = [], ...settings }) {
		Object.assign(this.#saved, settings);
		for (const document of documents)
			if (document.text === null) this.#saved.documents.delete(document.uri);
			else this.#saved.documents.set(document.uri, document);
	}

	#take({ messages, wake, exit, saved }) {
		this.#keep(saved);
		for (const message of messages)
			if (this.#options.files && FILES.has(message.method))
				this.#answer(message);
			else this.#options.send(message);
		clearTimeout(this.#timer);
		if (wake !== null)
			this.#timer = setTimeout(
				() => this.#run(undefined, () => this.#server.wake(performance.now())),
				Math.max(0, Math.ceil(wake - performance.now())),
			);
		if (exit !== null) this.#options.exit?.(exit);
	}

	async #answer({ id, method, params }) {
		const result = await this.#options.files(method, params);
		this.receive(JSON.stringify({ jsonrpc: "2.0", id, result }));
	}

	/** Puts a fresh instance in the place of one that stopped at a message; gives its answer. */
	#restored(text, error) {
		const message = text === undefined ? {} : JSON.parse(text);
		const work = JSON.parse(this.#work ?? JSON.stringify(workOf(message)));
		const why = `claimkit: the Wasm module stopped (${error.message}), most often because its memory ran out`;
		const { documents, ...settings } = this.#saved;
		if (message.method === "textDocument/didOpen")
			documents.set(work.uri, message.params.textDocument);
		if (message.method === "textDocument/didChange") this.#forget(work.uri);
		for (let tries = 0; ; tries += 1) {
			try {
				reset();
				renew();
				this.#begin();
				const saved = { ...settings, documents: [...documents.values()] };
				return this.#server.restore(
					JSON.stringify(saved),
					JSON.stringify(work),
					why,
					performance.now(),
				);
			} catch (again) {
				if (!(again instanceof WebAssembly.RuntimeError) || tries > 0)
					throw again;
				this.#forget(work.uri);
			}
		}
	}

	/** Keeps a document without its text, for which there is no room or which is not known. */
	#forget(uri) {
		const document = this.#saved.documents.get(uri);
		if (document !== undefined)
			this.#saved.documents.set(uri, { ...document, text: "", isUnread: true });
	}
}

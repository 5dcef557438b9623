// The host's side of waPC in a few lines: one instance of a guest.
const decoder = new TextDecoder();
const encoder = new TextEncoder();

export class Guest {
	#instance;
	#operation;
	#payload;
	#replies;
	#cluster;
	#answered;

	/** `cluster`: what the host answers to an operation and a payload, `{answer}` or `{error}`; nothing is a refusal. */
	constructor(module, cluster = () => undefined) {
		this.#cluster = cluster;
		const imports = {
			__guest_request: (operation, payload) => {
				this.#bytes().set(this.#operation, operation);
				this.#bytes().set(this.#payload, payload);
			},
			__guest_response: (start, length) =>
				this.#replies.push(this.#text(start, length)),
			__guest_error: (start, length) =>
				this.#replies.push(`error: ${this.#text(start, length)}`),
			__host_call: (...parts) =>
				this.#hostCall(
					...[0, 2, 4, 6].map((at) => this.#text(parts[at], parts[at + 1])),
				),
			__host_response_len: () => this.#answered.length,
			__host_response: (start) => this.#bytes().set(this.#answered, start),
			__host_error_len: () => this.#answered.length,
			__host_error: (start) => this.#bytes().set(this.#answered, start),
			__console_log: (start, length) =>
				console.error(this.#text(start, length)),
		};
		this.#instance = new WebAssembly.Instance(module, { wapc: imports });
	}

	#bytes() {
		return new Uint8Array(this.#instance.exports.memory.buffer);
	}

	#text(start, length) {
		return decoder.decode(this.#bytes().subarray(start, start + length));
	}

	#hostCall(binding, namespace, operation, payload) {
		const ours = binding === "kubewarden" && namespace === "kubernetes";
		const known = ours && this.#cluster(operation, payload);
		const { answer, error } = known || {
			error: `nothing is recorded for ${operation} ${payload}`,
		};
		this.#answered = encoder.encode(answer ?? error);
		return answer === undefined || answer === null ? 0 : 1;
	}

	/** Answers with the guest's text; an error begins with `error: `. */
	call(operation, payload) {
		this.#operation = encoder.encode(operation);
		this.#payload = payload;
		this.#replies = [];
		const code = this.#instance.exports.__guest_call(
			this.#operation.length,
			this.#payload.length,
		);
		return this.#replies.length === 1
			? this.#replies[0]
			: `code ${code} with ${this.#replies.length} replies`;
	}
}

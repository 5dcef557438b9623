// The host's side of waPC in a few lines: one instance of a guest.
const decoder = new TextDecoder();
const encoder = new TextEncoder();

export class Guest {
  #instance;
  #operation;
  #payload;
  #replies;

  constructor(module) {
    const imports = {
      __guest_request: (operation, payload) => {
        this.#bytes().set(this.#operation, operation);
        this.#bytes().set(this.#payload, payload);
      },
      __guest_response: (start, length) => this.#replies.push(this.#text(start, length)),
      __guest_error: (start, length) => this.#replies.push(`error: ${this.#text(start, length)}`),
      __console_log: (start, length) => console.error(this.#text(start, length)),
    };
    this.#instance = new WebAssembly.Instance(module, { wapc: imports });
  }

  #bytes() {
    return new Uint8Array(this.#instance.exports.memory.buffer);
  }

  #text(start, length) {
    return decoder.decode(this.#bytes().subarray(start, start + length));
  }

  /** Answers with the guest's text; an error begins with `error: `. */
  call(operation, payload) {
    this.#operation = encoder.encode(operation);
    this.#payload = payload;
    this.#replies = [];
    const code = this.#instance.exports.__guest_call(this.#operation.length, this.#payload.length);
    return this.#replies.length === 1 ? this.#replies[0] : `code ${code} with ${this.#replies.length} replies`;
  }
}

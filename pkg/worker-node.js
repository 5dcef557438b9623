// claimkit in a thread of Node: `startWorker().validate(text)` is a promise.
import { Worker } from "node:worker_threads";
import { connect } from "./worker-client.js";

/** Starts a thread; it ends with the process. */
export function startWorker() {
	return connect((message, failure) => {
		const own = new Worker(new URL("./worker-thread.js", import.meta.url), {
			execArgv: [],
		});
		own.unref();
		own.on("message", message);
		own.on("error", failure);
		return {
			post(call) {
				// A process waits for an answer, not for an idle thread.
				own.ref();
				own.postMessage(call);
			},
			close: () => own.terminate(),
			idle: () => own.unref(),
		};
	});
}

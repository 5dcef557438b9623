// claimkit in a web worker: `startWorker().validate(text)` is a promise.
import { connect } from "./worker-client.js";

/** Starts a worker; `worker` makes it, where a bundler wants to see that. */
export function startWorker({
	worker = () =>
		new Worker(new URL("./worker-host.js", import.meta.url), {
			type: "module",
		}),
} = {}) {
	return connect((message, failure) => {
		const own = worker();
		own.addEventListener("message", ({ data }) => message(data));
		own.addEventListener("error", (event) =>
			failure(
				new Error(
					`claimkit: the worker failed: ${event.message ?? "it cannot be loaded"}`,
				),
			),
		);
		return {
			post: (call) => own.postMessage(call),
			close: () => own.terminate(),
		};
	});
}

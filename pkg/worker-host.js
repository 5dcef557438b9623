// The code that runs in the web worker of ./worker.js.
import * as claimkit from "./index.js";
import { failed, serve } from "./worker-client.js";

let started;

self.addEventListener("message", async ({ data }) => {
	try {
		// Whoever calls `init` first says where the module is; otherwise it is the file beside this one.
		if (data.name === "init") started = Promise.resolve();
		started ??= claimkit.init();
		await started;
	} catch (error) {
		started = undefined;
		return self.postMessage(failed(data.id, error));
	}
	self.postMessage(await serve(claimkit, data));
});

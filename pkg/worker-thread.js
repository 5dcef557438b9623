// The code that runs in the thread of ./worker-node.js.
import { parentPort } from "node:worker_threads";
import * as claimkit from "./node.js";
import { serve } from "./worker-client.js";

parentPort.on("message", async (call) =>
	parentPort.postMessage(await serve(claimkit, call)),
);

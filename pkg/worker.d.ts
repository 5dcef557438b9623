import type * as claimkit from "./index.js";

/** Options of a call in a worker: `signal` cancels it. */
export interface Cancellable {
	signal?: AbortSignal | undefined;
}

/** The host's `Worker`. */
type Web = typeof globalThis extends { Worker: { prototype: infer Instance } }
	? Instance
	: never;

type Functions = Pick<
	typeof claimkit,
	| "parse"
	| "convert"
	| "evaluate"
	| "allocate"
	| "cel"
	| "hover"
	| "complete"
	| "fixes"
	| "codes"
	| "releases"
	| "jsonSchema"
	| "admit"
	| "answer"
	| "format"
	| "isManifest"
	| "applyFixes"
	| "addLocale"
	| "setLocale"
	| "init"
>;

/** A function's answer as a promise; its options take a `signal`. */
type Promised<Call> = Call extends (...args: infer Args) => infer Answer
	? (
			...args: {
				[At in keyof Args]: Args[At] extends object
					? Args[At] & Cancellable
					: Args[At];
			}
		) => Promise<Awaited<Answer>>
	: never;

/** claimkit in a worker. Calls are answered in order; canceling the one that runs ends the worker and starts a fresh one. */
export type WorkerClaimkit = {
	[Name in keyof Functions]: Promised<Functions[Name]>;
} & {
	validate(
		text: claimkit.Manifest,
		options?: claimkit.ValidateOptions & Cancellable,
	): Promise<claimkit.ValidateAnswer>;
	/** Ends the worker; calls that wait are rejected. */
	terminate(): void;
};

/**
 * Starts a worker with claimkit in it.
 *
 * @param options `worker` makes the web worker, where a bundler wants to see its address:
 *   `() => new Worker(new URL("claimkit/worker-host", import.meta.url), { type: "module" })`
 */
export function startWorker(options?: {
	worker?: (() => Web) | undefined;
}): WorkerClaimkit;

import type * as claimkit from "./index.js";

/** Options of a call in a worker: `signal` cancels it. */
export interface Cancellable {
	signal?: AbortSignal | undefined;
}

/** The host's `Worker`. */
type Web = typeof globalThis extends { Worker: { prototype: infer Instance } }
	? Instance
	: never;

/** The functions with one form; those with several are written out below. */
type Functions = Pick<
	typeof claimkit,
	| "parse"
	| "evaluate"
	| "allocate"
	| "audit"
	| "upgrade"
	| "cel"
	| "hover"
	| "complete"
	| "symbols"
	| "fixes"
	| "codes"
	| "releases"
	| "admit"
	| "answer"
	| "isManifest"
	| "applyFixes"
	| "addLocale"
	| "setLocale"
	| "init"
	| "reset"
>;

/** An argument that can carry a `signal`, if it is an object. */
type Signaled<Arg> =
	NonNullable<Arg> extends object
		? (NonNullable<Arg> & Cancellable) | Extract<Arg, undefined | null>
		: Arg;

/** A function's answer as a promise; its options take a `signal`. */
type Promised<Call> = Call extends (...args: infer Args) => infer Answer
	? (
			...args: { [At in keyof Args]: Signaled<Args[At]> }
		) => Promise<Awaited<Answer>>
	: never;

/** Nodes that are prepared in a worker. */
export interface WorkerNodes {
	/** The number of nodes. */
	readonly length: number;
	evaluate(
		text: claimkit.Manifest | readonly claimkit.NamedText[] | undefined,
		options?: Omit<claimkit.EvaluateOptions, "nodes"> & Cancellable,
	): Promise<claimkit.EvaluateAnswer>;
	/** Frees the memory. */
	free(): Promise<void>;
}

/** The objects of a cluster that are prepared in a worker. */
export interface WorkerCluster {
	/** The number of objects. */
	readonly length: number;
	allocate(
		text: claimkit.Manifest | readonly claimkit.NamedText[],
		options?: Omit<claimkit.AllocateOptions, "cluster"> & Cancellable,
	): Promise<claimkit.AllocateAnswer>;
	/** Frees the memory. */
	free(): Promise<void>;
}

/** claimkit in a worker. Calls are answered in order; canceling the one that runs ends the worker and starts a fresh one. */
export type WorkerClaimkit = {
	[Name in keyof Functions]: Promised<Functions[Name]>;
} & {
	validate(
		text: string | Uint8Array | readonly claimkit.NamedText[],
		options?: claimkit.CreateOptions & Cancellable,
	): Promise<claimkit.TextValidateAnswer>;
	validate(
		patch: claimkit.Manifest,
		options: (claimkit.PatchOptions | claimkit.ApplyOptions) & Cancellable,
	): Promise<claimkit.PatchAnswer>;
	validate(
		text: claimkit.Manifest | readonly claimkit.NamedText[],
		options?: claimkit.ValidateOptions & Cancellable,
	): Promise<claimkit.ValidateAnswer>;
	convert(
		texts: readonly claimkit.NamedText[],
		options: claimkit.ConvertOptions & Cancellable,
	): Promise<claimkit.FilesConvertAnswer>;
	convert(
		text: claimkit.Manifest,
		options: claimkit.ConvertOptions & Cancellable,
	): Promise<claimkit.ConvertAnswer>;
	jsonSchema(
		release?: claimkit.Release,
		kind?: string,
		options?: Parameters<typeof claimkit.jsonSchema>[1] & Cancellable,
	): Promise<claimkit.JsonSchema>;
	jsonSchema(
		kind: string,
		options?: Parameters<typeof claimkit.jsonSchema>[1] & Cancellable,
	): Promise<claimkit.JsonSchema>;
	format(
		answer: claimkit.Formattable | readonly claimkit.Finding[],
		form: claimkit.Form,
		options?: {
			text?: string | Uint8Array | undefined;
			name?: string | undefined;
			colors?: boolean | undefined;
		} & Cancellable,
	): Promise<string>;
	format(
		files: readonly {
			answer: claimkit.Formattable;
			text?: string | Uint8Array | undefined;
			name?: string | undefined;
		}[],
		form: claimkit.Form,
		options?: { colors?: boolean | undefined } & Cancellable,
	): Promise<string>;
	isRelease(text: unknown): Promise<boolean>;
	isTarget(text: unknown): Promise<boolean>;
	/** As `prepareNodes`; the nodes are in the worker, and gone when it is started anew. */
	prepareNodes(
		nodes: claimkit.Manifest | readonly claimkit.NamedText[] | null,
		options?: { limits?: claimkit.Limits | undefined } & Cancellable,
	): Promise<WorkerNodes>;
	/** As `prepareCluster`; the objects are in the worker, and gone when it is started anew. */
	prepareCluster(
		cluster: claimkit.Manifest | readonly claimkit.NamedText[],
		options?: {
			release?: claimkit.Release | undefined;
			limits?: claimkit.Limits | undefined;
			namespace?: string | undefined;
		} & Cancellable,
	): Promise<WorkerCluster>;
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

// The functions of claimkit as promises, answered by a worker. How a worker is started is the host's: ./worker.js and
// ./worker-node.js.

/** The functions that the worker has. */
const FUNCTIONS = [
	"validate",
	"parse",
	"convert",
	"evaluate",
	"allocate",
	"audit",
	"upgrade",
	"cel",
	"hover",
	"complete",
	"symbols",
	"fixes",
	"codes",
	"releases",
	"jsonSchema",
	"admit",
	"answer",
	"format",
	"isManifest",
	"isRelease",
	"isTarget",
	"applyFixes",
	"addLocale",
	"setLocale",
	"init",
	"reset",
];

/** The functions whose result stays in the worker, with the question that it answers there. */
const PREPARED = { prepareNodes: "evaluate", prepareCluster: "allocate" };

/** Calls that change the worker itself: a fresh one is given them again. */
const SETTINGS = new Set(["addLocale", "setLocale", "init"]);

const aborted = (signal) =>
	signal.reason ?? new DOMException("This operation was aborted", "AbortError");

/**
 * A worker's functions. One call runs at a time, in order. Wasm cannot be interrupted: canceling the call that runs ends the
 * worker, and a fresh one goes on with the calls that wait.
 *
 * @param open starts a worker: gets what to do with its messages and its failure, gives `{ post, close, idle }`
 */
export function connect(open) {
	let worker;
	let running;
	let closed = false;
	let number = 0;
	const waiting = [];
	const settings = [];

	const fail = (error) => {
		const { call } = running ?? {};
		stop();
		call?.settle(() => call.reject(error));
		next();
	};

	function stop() {
		worker?.close();
		worker = undefined;
		running = undefined;
	}

	function start() {
		const own = open(
			({ id, value, error }) => {
				if (worker !== own || running?.id !== id) return;
				const { call } = running;
				running = undefined;
				call.settle(() =>
					error === undefined
						? call.resolve(value)
						: call.reject(restore(error)),
				);
				next();
			},
			(error) => worker === own && fail(error),
		);
		worker = own;
		const ignore = { settle: () => {}, resolve: () => {}, reject: () => {} };
		waiting.unshift(
			...settings.map(({ name, args }) => ({ name, args, ...ignore })),
		);
	}

	function next() {
		if (closed || running !== undefined) return;
		if (waiting.length === 0) return worker?.idle?.();
		if (worker === undefined) start();
		const call = waiting.shift();
		number += 1;
		running = { id: number, call };
		try {
			worker.post({ id: number, name: call.name, args: call.args });
		} catch (error) {
			// An argument that cannot be cloned, a function say.
			running = undefined;
			call.settle(() => call.reject(error));
			next();
		}
	}

	function call(name, args) {
		const { signal } =
			args.find((arg) => arg?.signal instanceof AbortSignal) ?? {};
		const plain = args.map((arg) =>
			signal !== undefined && arg?.signal === signal ? withoutSignal(arg) : arg,
		);
		return new Promise((resolve, reject) => {
			if (closed)
				return reject(new Error("claimkit: the worker was terminated"));
			if (signal?.aborted) return reject(aborted(signal));
			const own = { name, args: plain, resolve, reject, settle };
			function settle(end) {
				signal?.removeEventListener("abort", cancel);
				if (SETTINGS.has(name)) settings.push(own);
				end();
			}
			function cancel() {
				const at = waiting.indexOf(own);
				if (at >= 0) waiting.splice(at, 1);
				else if (running?.call === own) stop();
				reject(aborted(signal));
				next();
			}
			signal?.addEventListener("abort", cancel, { once: true });
			waiting.push(own);
			next();
		});
	}

	/** What is prepared stays in the worker; its methods are calls. */
	async function prepare(name, args) {
		const { handle, length } = await call(name, args);
		const ask = PREPARED[name];
		return {
			length,
			[ask]: (...rest) => call("prepared", [handle, ask, ...rest]),
			free: () => call("prepared", [handle, "free"]),
		};
	}

	return {
		...Object.fromEntries(
			FUNCTIONS.map((name) => [name, (...args) => call(name, args)]),
		),
		...Object.fromEntries(
			Object.keys(PREPARED).map((name) => [
				name,
				(...args) => prepare(name, args),
			]),
		),
		terminate() {
			closed = true;
			const left = [
				...(running === undefined ? [] : [running.call]),
				...waiting.splice(0),
			];
			stop();
			for (const { settle, reject } of left)
				settle(() => reject(new Error("claimkit: the worker was terminated")));
		},
	};
}

function withoutSignal({ signal, ...options }) {
	return options;
}

/** An error of the worker as the same error here. */
function restore({ name, message }) {
	return name === "TypeError"
		? new TypeError(message)
		: Object.assign(new Error(message), { name });
}

/** What was prepared in this worker, by the number of the call that did it. */
const prepared = new Map();

/** Asks something that was prepared. A worker that was started anew has nothing. */
function askPrepared(handle, method, args) {
	const made = prepared.get(handle);
	if (made === undefined)
		throw new Error(
			"claimkit: what was prepared is gone since the worker was started anew, or was freed: prepare it again",
		);
	if (method === "free") prepared.delete(handle);
	return made[method](...args);
}

/** Answers the calls that come in. */
export async function serve(claimkit, { id, name, args }) {
	try {
		if (name === "prepared") {
			const [handle, method, ...rest] = args;
			return { id, value: askPrepared(handle, method, rest) };
		}
		const value = await claimkit[name](...args);
		if (!Object.hasOwn(PREPARED, name)) return { id, value };
		prepared.set(id, value);
		return { id, value: { handle: id, length: value.length } };
	} catch (error) {
		return failed(id, error);
	}
}

/** The answer to a call that threw. */
export function failed(id, error) {
	return {
		id,
		error: {
			name: error?.name ?? "Error",
			message: error?.message ?? String(error),
		},
	};
}

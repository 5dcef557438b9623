import { signal } from "@preact/signals";
import { type Language, lang } from "../i18n/index.ts";
import type {
	AnswerTo,
	Ask,
	Asking,
	Name,
	TextRef,
	ToPage,
	ToWorker,
} from "./protocol.ts";

/** How long one request may take before its worker is given up (a 5 MB text needs well under a second), and more for each million characters. */
const PATIENCE_MS = 10_000;
const PATIENCE_MS_MILLION = 5_000;
/** After this many crashes without one answer between them the page stops restarting by itself. */
const MAX_CRASHES = 5;

export type EngineState = "starting" | "ready" | "recovered" | "failed";

/** A text of the page: `get` is called only when the worker has not seen this version. */
export interface TextSource {
	key: string;
	version: number;
	get(): string | Uint8Array;
}

/** The texts of several files, which the engine reads one after the other. */
export interface Sources {
	key: string;
	version: number;
	parts: readonly (TextSource & { name: string })[];
}

export type Manifest = TextSource | Sources;

/** A question of the page. */
export type Request<N extends Name = Name> = Asking<N, Manifest>;

export type Outcome<T> =
	| { kind: "answer"; answer: T; ms: number }
	/** A newer request took this one's place. */
	| { kind: "superseded" }
	| { kind: "refused"; message: string }
	| { kind: "crashed"; message: string };

interface Waiting {
	slot: string;
	speaking: Language;
	urgent: boolean;
	request: Request;
	done: (outcome: Outcome<never>) => void;
}

export const engineState = signal<EngineState>("starting");
export const engineError = signal("");
/** Whether the engine ever started: one that never did is not stopped by a text. */
export const engineStarted = signal(false);
/** Milliseconds from the page's start until the Wasm module answered. */
export const engineReadyMs = signal(0);

/** Grows when the sentences of the page's language arrive late: what was answered in English is asked for again. */
export const sentencesCame = signal(0);

let worker: Worker | null = null;
let nextId = 1;
let crashes = 0;
let flying: { id: number; waiting: Waiting; timer: number } | null = null;
/** The version and the length of each text that the worker has. */
let known = new Map<string, { version: number; length: number }>();
const queue: Waiting[] = [];

/** Returns the worker that the script in the page's head started (build/first.js), with its messages until now. */
function startedEarly(): { worker: Worker; heard: ToPage[] } | undefined {
	const page = window as {
		claimkitStarted?: { worker: Worker | null; heard: ToPage[] };
	};
	const early = page.claimkitStarted;
	delete page.claimkitStarted;
	if (!early?.worker) return undefined;
	early.worker.onmessage = null;
	early.worker.onerror = null;
	return { worker: early.worker, heard: early.heard };
}

function start(): void {
	known = new Map();
	const early = startedEarly();
	const mine =
		early?.worker ??
		new Worker(new URL("./worker.ts", import.meta.url), {
			type: "module",
			name: "claimkit",
		});
	worker = mine;
	mine.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
		if (worker === mine) hear(data);
	});
	mine.addEventListener("error", (event) => {
		event.preventDefault();
		if (worker === mine) crash(event.message || "the worker stopped");
	});
	for (const tell of early?.heard ?? []) hear(tell);
}

function hear(tell: ToPage): void {
	switch (tell.kind) {
		case "ready":
			engineStarted.value = true;
			if (engineState.value === "starting") {
				engineReadyMs.value = performance.now();
				engineState.value = "ready";
			}
			next();
			return;
		case "sentences":
			sentencesCame.value += 1;
			return;
		case "failed":
			engineError.value = tell.message;
			engineState.value = "failed";
			return;
		case "crashed":
			crash(tell.message);
			return;
	}
	if (!flying || flying.id !== tell.id) return;
	const { waiting, timer } = flying;
	clearTimeout(timer);
	flying = null;
	crashes = 0;
	if (tell.kind === "answer")
		waiting.done({ kind: "answer", answer: tell.answer as never, ms: tell.ms });
	else waiting.done({ kind: "refused", message: tell.message });
	next();
}

/** Ends the worker; its current request is answered as crashed, and all others go to the next worker. */
function crash(message: string): void {
	worker?.terminate();
	worker = null;
	const lost = flying;
	flying = null;
	crashes += 1;
	engineError.value = message;
	if (lost) {
		clearTimeout(lost.timer);
		lost.waiting.done({ kind: "crashed", message });
	}
	if (crashes >= MAX_CRASHES) {
		engineState.value = "failed";
		while (queue.length) queue.pop()?.done({ kind: "crashed", message });
		return;
	}
	engineState.value = "recovered";
	start();
}

/** Starts again after the page gave up; a person asks for it. */
export function restart(): void {
	crashes = 0;
	engineError.value = "";
	engineState.value = "starting";
	worker?.terminate();
	start();
}

function reference(source: Manifest): TextRef {
	if ("parts" in source) {
		const { key, version, parts } = source;
		return {
			key,
			version,
			parts: parts.map((part) => ({ name: part.name, ...reference(part) })),
		};
	}
	if (known.get(source.key)?.version === source.version)
		return { key: source.key, version: source.version };
	const text = source.get();
	known.set(source.key, { version: source.version, length: text.length });
	return { key: source.key, version: source.version, text };
}

/** Lets the worker forget the texts that `gone` names, such as those of closed files. */
export function forget(gone: (key: string) => boolean): void {
	const keys = [...known.keys()].filter(gone);
	if (keys.length === 0 || !worker) return;
	for (const key of keys) known.delete(key);
	worker.postMessage({ forget: keys } satisfies ToWorker);
}

function patience(asked: readonly Manifest[]): number {
	const length = asked
		.flatMap((source) => ("parts" in source ? source.parts : source))
		.reduce((sum, { key }) => sum + (known.get(key)?.length ?? 0), 0);
	return PATIENCE_MS + (length / 1_000_000) * PATIENCE_MS_MILLION;
}

function next(): void {
	// A worker that is still starting answers when it can: its word that it is ready may have to wait for a busy page.
	if (flying || !worker) return;
	const urgent = queue.findIndex((waiting) => waiting.urgent);
	const [waiting] = queue.splice(Math.max(urgent, 0), 1);
	if (!waiting) return;
	const { request, speaking } = waiting;
	const id = nextId++;
	const texts: Record<string, Manifest | readonly Manifest[]> =
		request.texts ?? {};
	const refs = Object.fromEntries(
		Object.entries(texts).map(([name, given]) => [
			name,
			"key" in given ? reference(given) : given.map(reference),
		]),
	);
	// The question as it was asked, with references in place of its texts.
	const ask = {
		...request,
		id,
		speaking,
		text: reference(request.text),
		texts: refs,
	} as Ask;
	const wait = patience([request.text, ...Object.values(texts).flat()]);
	flying = {
		id,
		waiting,
		timer: window.setTimeout(
			() => crash(`no answer within ${Math.round(wait / 1000)} seconds`),
			wait,
		),
	};
	worker.postMessage(ask satisfies ToWorker);
}

/**
 * Asks the engine. Within a slot only the newest request counts: one that has not been sent yet is superseded.
 * Urgent requests (hover, completion) go before the others. The answer is in the page's language unless another is asked for.
 */
export function ask<N extends Name>(
	slot: string,
	request: Request<N>,
	urgent = false,
	speaking: Language = lang.peek(),
): Promise<Outcome<AnswerTo<N>>> {
	return new Promise((resolve) => {
		for (let i = queue.length - 1; i >= 0; i--) {
			if (queue[i]?.slot === slot)
				queue.splice(i, 1)[0]?.done({ kind: "superseded" });
		}
		if (engineState.value === "failed") {
			resolve({ kind: "crashed", message: engineError.value });
			return;
		}
		queue.push({
			slot,
			speaking,
			urgent,
			request: request as Request,
			done: resolve as Waiting["done"],
		});
		next();
	});
}

start();

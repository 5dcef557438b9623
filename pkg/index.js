// claimkit: importing does nothing. Node starts the Wasm at the first call; elsewhere `await init()` comes first, then everything
// is synchronous. All entries of the package and its adapters share this file, and so one instance.
import * as wasm from "./claimkit.js";
import { lastPatches, preReleases } from "./constants.js";
import {
	changeLocale,
	keepLocale,
	spokenMessages,
	withSentences,
} from "./locale.js";
import { bytes } from "./start.js";

export { RELEASES, version } from "./constants.js";

let started = false;
/** The last call of `init`. */
let starting = Promise.resolve();
/** The instance trapped, and no other has taken its place yet. */
let broken = false;
/** Counts instances: prepared objects live in the one that made them. */
let generation = 0;
const born = new WeakMap();

/** Starts the Wasm if the host can do that at once. */
function ready() {
	if (broken) renew();
	if (started) return;
	const module = bytes();
	if (module === undefined)
		throw new Error("claimkit: call await init() first");
	initSync(module);
}

/** Puts a fresh instance in the place of the present one. */
function renew() {
	generation += 1;
	broken = true;
	wasm.reset();
	wasm.renew();
	broken = false;
	speak();
}

/** Lets the instance speak the language of all answers; a fresh one speaks English. */
function speak() {
	if (spokenMessages() !== undefined) wasm.speak(spokenMessages());
}

/**
 * Gives a language's sentences, from `claimkit/locale/en.json` or `claimkit/locale/zh-Hans.json`.
 *
 * @param {string} locale
 * @param {object} sentences
 */
export function addLocale(locale, sentences) {
	if (keepLocale(locale, sentences) && started && !broken) speak();
}

/**
 * Sets the language of claimkit's own sentences in all answers, and the default of the option `locale`. What kubectl, kube-apiserver
 * and kube-scheduler print stays in their words.
 *
 * @param {import("./index.js").Locale} locale
 */
export function setLocale(locale) {
	if (changeLocale(locale) && started && !broken) wasm.speak(spokenMessages());
}

/** Calls the module. After a trap its memory cannot be trusted: the instance is dropped, and the next call has a fresh one. */
function run(call) {
	ready();
	try {
		return call();
	} catch (thrown) {
		if (!(thrown instanceof WebAssembly.RuntimeError)) throw thrown;
		try {
			renew();
		} catch {
			// The next call tries again.
		}
		throw new Error(
			`claimkit: the Wasm module stopped (${thrown.message}), most often because its memory ran out. The next call starts a fresh one; ` +
				"nodes and clusters that were prepared before are gone",
			{ cause: thrown },
		);
	}
}

/** Remembers which instance a prepared object lives in. */
function kept(prepared) {
	born.set(prepared, generation);
	return prepared;
}

/** Lets the methods of prepared objects say what happened to the object, and survive traps as the functions do. */
function guard({ prototype }, what, method) {
	// The caller's own code runs within a call: `toJSON` and getters of what is given.
	const calls = new WeakMap();
	const { [method]: ask, free } = prototype;
	const { get: length } = Object.getOwnPropertyDescriptor(prototype, "length");
	const lives = (prepared) => {
		if (prepared.__wbg_ptr === 0)
			throw new TypeError(`claimkit: these ${what} were freed`);
		if (born.get(prepared) !== generation)
			throw new Error(
				`claimkit: these ${what} are gone since the module stopped or was reset: prepare them again`,
			);
	};
	prototype[method] = function (...given) {
		lives(this);
		calls.set(this, (calls.get(this) ?? 0) + 1);
		try {
			return run(() => ask.apply(this, given));
		} finally {
			calls.set(this, calls.get(this) - 1);
		}
	};
	Object.defineProperty(prototype, "length", {
		get() {
			lives(this);
			return run(() => length.call(this));
		},
		configurable: true,
	});
	prototype.free = function () {
		if (calls.get(this) > 0)
			throw new TypeError(
				`claimkit: these ${what} are in use: free them when the call has ended`,
			);
		if (this.__wbg_ptr !== 0 && born.get(this) === generation) free.call(this);
	};
	if (Symbol.dispose) prototype[Symbol.dispose] = prototype.free;
}

/** Runs the steps after a start. */
function begin() {
	if (started) return;
	started = true;
	guard(wasm.PreparedNodes, "nodes", "evaluate");
	guard(wasm.PreparedCluster, "objects of a cluster", "allocate");
	speak();
}

/** Gives all memory of the module back; the next call starts a fresh instance. Prepared nodes and clusters are gone then. */
export function reset() {
	ready();
	renew();
}

export function validate(text, options) {
	return run(() => wasm.validate(text, options));
}

export function parse(text, options) {
	return run(() => wasm.parse(text, options));
}

export function convert(text, options) {
	return run(() => wasm.convert(text, options));
}

/** With prepared nodes among the options, they are asked. */
export function evaluate(text, options) {
	if (!(options?.nodes instanceof wasm.PreparedNodes))
		return run(() => wasm.evaluate(text, options));
	const { nodes, ...rest } = options;
	return nodes.evaluate(text, rest);
}

/** With a prepared cluster among the options, that one is asked. */
export function allocate(text, options) {
	if (!(options?.cluster instanceof wasm.PreparedCluster))
		return run(() => wasm.allocate(text, options));
	const { cluster, ...rest } = options;
	return cluster.allocate(text, rest);
}

export function audit(text, options) {
	return run(() => wasm.audit(text, options));
}

export function upgrade(text, options) {
	return run(() => wasm.upgrade(text, options));
}

export function cel(expression, options) {
	return run(() => wasm.cel(expression, options));
}

export function prepareNodes(nodes, options) {
	return run(() => kept(wasm.prepareNodes(nodes, options)));
}

export function prepareCluster(cluster, options) {
	return run(() => kept(wasm.prepareCluster(cluster, options)));
}

export function hover(text, position, options) {
	return run(() => wasm.hover(text, position, withSentences(options)));
}

export function complete(text, position, options) {
	return run(() => wasm.complete(text, position, withSentences(options)));
}

export function symbols(text, options) {
	return run(() => wasm.symbols(text, options));
}

export function fixes(text, range, options) {
	return run(() => wasm.fixes(text, range, options));
}

export function codes(options) {
	return run(() => wasm.codes(withSentences(options)));
}

export function releases(options) {
	return run(() => wasm.releases(withSentences(options)));
}

/** Keywords of the schemas that JSON Schema does not have: `ajv.addVocabulary(vocabulary)`. */
export const vocabulary = [
	"x-kubernetes-group-version-kind",
	"x-kubernetes-list-type",
	"x-kubernetes-list-map-keys",
	"x-kubernetes-patch-strategy",
	"x-kubernetes-patch-merge-key",
];

/** `jsonSchema(release, kind, options)`; a release that is not given may be left out altogether. */
export function jsonSchema(...given) {
	const last = given.at(-1);
	if (
		given.length > 3 ||
		(last !== undefined && given.length === 3 && typeof last !== "object")
	)
		throw new TypeError(
			`claimkit: jsonSchema: the options are ${typeof last}, expected an object`,
		);
	const first =
		given[0] === undefined
			? typeof given[1] !== "object"
			: typeof given[0] === "string" && /^\d/.test(given[0]);
	const [release, kind, options] = first ? given : [undefined, ...given];
	return run(() =>
		wasm.jsonSchema(
			kind,
			withSentences(release === undefined ? options : { ...options, release }),
		),
	);
}

export function admit(request, settings, options) {
	return run(() => wasm.admit(request, settings, options));
}

export function answer(request) {
	return run(() => wasm.answer(request));
}

/** Whether a text is a release that `release` options accept: a minor release in {@link RELEASES}, or a patch of one that is known. */
export function isRelease(text) {
	const [, minor, , patch] =
		(typeof text === "string" &&
			/^(1\.[1-9]\d*)(\.(0|[1-9]\d*))?$/.exec(text)) ||
		[];
	if (preReleases.includes(text)) return true;
	const last = lastPatches[minor];
	if (last === undefined) return false;
	return patch === undefined || (last !== null && Number(patch) <= last);
}

/** Codes of texts that are probably meant as manifests of ours: the head of an object is wrong, or the text cannot be read. */
const MEANT = ["group-misspelled", "no-kind", "yaml-syntax", "json-syntax"];

/**
 * Whether a text holds an object of `resource.k8s.io`, or one with pods that use claims, so that an editor or a hook knows which files
 * are its own.
 */
export function isManifest(text) {
	// Most files that are not manifests are known by their words; they need not be read.
	if (!run(() => wasm.isOurs(text))) return false;
	return (
		parse(text).objects.some(({ apiVersion }) =>
			apiVersion.startsWith("resource.k8s.io/"),
		) ||
		symbols(text).symbols.some(({ kind }) => kind === "object") ||
		(validate(text).findings.some(({ code }) => MEANT.includes(code)) &&
			!wasm.isForeign("", asText(text)))
	);
}

/** Whether a text is a version that `convert` takes: `v1`, `resource.k8s.io/v1`, or a minor release. */
export function isTarget(text) {
	if (typeof text !== "string") return false;
	const [, version] =
		/^(?:resource\.k8s\.io\/)?(v1(?:alpha[123]|beta[12])?)$/.exec(text) ?? [];
	return version !== undefined || Object.hasOwn(lastPatches, text);
}

/** Answers about a list of findings, too: a caller may have kept nothing else. */
const isFindings = (given) =>
	Array.isArray(given) && typeof given[0]?.code === "string";

/**
 * Applies the first fix of each finding, in the order of the findings; a fix that touches another, or that deletes something, is
 * left out. `unsafe` applies those that delete, too.
 */
export function applyFixes(text, findings, { unsafe = false } = {}) {
	if (typeof text !== "string")
		throw new TypeError(
			`claimkit: applyFixes: \`text\` is ${text instanceof Uint8Array ? "of type Uint8Array" : typeof text}, expected a string`,
		);
	if (!Array.isArray(findings))
		throw new TypeError(
			Array.isArray(findings?.findings)
				? "claimkit: applyFixes: `findings` is an answer, expected its `findings`"
				: `claimkit: applyFixes: \`findings\` is ${findings === null ? "null" : typeof findings}, expected a list of findings`,
		);
	const edits = [];
	let applied = 0;
	let left = 0;
	for (const { in: within, fixes: offered } of findings) {
		const [fix] = offered;
		if (within !== "text" || fix === undefined) continue;
		const own = fix.edits.map(({ range, newText }) => ({
			from: range.start.offset,
			to: range.end.offset,
			newText,
		}));
		const end = Math.max(0, ...own.map(({ to }) => to));
		if (end > text.length)
			throw new TypeError(
				`claimkit: applyFixes: a fix ends at ${end}, but \`text\` has ${text.length} characters: the findings are about another text`,
			);
		const touches = own.some(({ from, to }) =>
			edits.some((other) => from <= other.to && other.from <= to),
		);
		if (touches || own.length === 0 || (fix.deletes && !unsafe)) {
			left += 1;
			continue;
		}
		edits.push(...own);
		applied += 1;
	}
	edits.sort((one, other) => one.from - other.from);
	let fixed = "";
	let at = 0;
	for (const { from, to, newText } of edits) {
		fixed += text.slice(at, from) + newText;
		at = to;
	}
	return { text: fixed + text.slice(at), applied, left };
}

const asText = (text) =>
	typeof text === "string"
		? text
		: new TextDecoder("utf-8", { ignoreBOM: true }).decode(text);

/**
 * Renders answers for people or for other tools: one answer with the text it is about, or a list of `{ answer, text, name }`.
 */
export function format(
	answer,
	form,
	{ text = "", name = "manifest.yaml", colors = false } = {},
) {
	ready();
	if (isFindings(answer))
		return format({ findings: answer }, form, { text, name, colors });
	const given = Array.isArray(answer) ? answer : [{ answer, text, name }];
	const files = given.map((file) => ({
		name: file.name ?? "manifest.yaml",
		text: asText(file.text ?? ""),
		answer: file.answer,
	}));
	return wasm.format({ form, colors, files });
}

/**
 * Fetches (or takes) and starts the Wasm. Calling it again is harmless.
 *
 * @param {import("./index.js").ModuleSource | Promise<import("./index.js").ModuleSource>} [source] the address of
 *   `claimkit_bg.wasm`, a response with it, its bytes, or the compiled module; without it, the file beside this one
 */
export async function init(source) {
	if (started) return;
	const given = await source;
	// Starts run one after the other, so that one that fails does not affect the next.
	const start = starting.then(() => startWith(given));
	starting = start.catch(() => {});
	return start;
}

async function startWith(given) {
	if (started) return;
	const local = given === undefined ? bytes() : undefined;
	if (local !== undefined) return initSync(local);
	try {
		await wasm.default(
			given === undefined
				? undefined
				: { module_or_path: await compiled(given) },
		);
	} catch (cause) {
		const where =
			given === undefined
				? "the file beside the script"
				: "what `init` was given";
		throw new Error(
			`claimkit: ${where} is not the Wasm module: ${cause?.message ?? cause}. Bundlers differ in where they put claimkit_bg.wasm: ` +
				"pass its address to init(), or import claimkit/inline",
			{ cause },
		);
	}
	begin();
}

/** Compiles what `init` was given. A module of somebody else would take the place of ours for good, so it is refused. */
async function compiled(given) {
	const isAddress =
		typeof given === "string" ||
		given instanceof URL ||
		(typeof Request === "function" && given instanceof Request);
	const source = isAddress ? await fetch(given) : given;
	if (typeof Response !== "function" || !(source instanceof Response))
		return checked(
			source instanceof WebAssembly.Module
				? source
				: await WebAssembly.compile(source),
		);
	if (!source.ok)
		throw new Error(`${source.url || "the response"} answers ${source.status}`);
	const streams =
		source.headers.get("content-type")?.startsWith("application/wasm") &&
		WebAssembly.compileStreaming;
	return checked(
		await (streams
			? WebAssembly.compileStreaming(source)
			: WebAssembly.compile(await source.arrayBuffer())),
	);
}

/** Returns a compiled module if it is claimkit's. */
function checked(module) {
	if (
		WebAssembly.Module.exports(module).some(
			({ name }) => name === "preparedcluster_allocate",
		)
	)
		return module;
	throw new Error("it is another module");
}

/**
 * Starts the Wasm from its bytes or from the compiled module, at once.
 *
 * @param {BufferSource | WebAssembly.Module} module
 */
export function initSync(module) {
	if (started) return;
	wasm.initSync({
		module: checked(
			module instanceof WebAssembly.Module
				? module
				: new WebAssembly.Module(module),
		),
	});
	begin();
}

export default init;

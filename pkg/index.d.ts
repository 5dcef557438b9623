export * from "./types.js";

/** The host's type of a global name; `never` where its types are not loaded, such as the DOM's in Node. */
type Global<Name extends string> =
	typeof globalThis extends Record<Name, { prototype: infer Instance }>
		? Instance
		: never;

/** A compiled `WebAssembly.Module`. */
type Compiled = typeof globalThis extends {
	WebAssembly: { Module: { prototype: infer Module } };
}
	? Module
	: never;

/** The source of the Wasm module: its address, a response with it, its bytes, or the compiled module. */
export type ModuleSource =
	| string
	| Global<"URL">
	| Global<"Request">
	| Global<"Response">
	| ArrayBuffer
	| ArrayBufferView
	| Compiled;

/**
 * Fetches (or takes) and starts the Wasm. Needed once in browsers and workers before anything else; Node starts it at the first
 * call. Calling it again is harmless.
 *
 * @param source where the module is; without it, `claimkit_bg.wasm` beside the package's own file
 */
export function init(
	source?: ModuleSource | Promise<ModuleSource>,
): Promise<void>;

/**
 * Starts the Wasm from its bytes or from the compiled module, at once. Workers of hosts that compile modules ahead
 * (`import module from "claimkit/claimkit_bg.wasm"`) need this.
 */
export function initSync(
	module: ArrayBuffer | ArrayBufferView | Compiled,
): void;

/**
 * Drops the module's instance with all its memory; the next call starts a fresh one. Prepared nodes and clusters are gone then: their
 * methods say so. The same happens by itself after a `WebAssembly.RuntimeError`, when the memory ran out, for example.
 */
export function reset(): void;

/** Keywords of {@link jsonSchema} that JSON Schema itself does not have: `ajv.addVocabulary(vocabulary)`. */
export const vocabulary: string[];

export default init;

import type {
	Answer,
	ConvertOptions,
	Finding,
	Locale,
	Release,
	Sentences,
} from "./types.js";

/** The version of this package. */
export const version: string;

/** The minor releases of Kubernetes that are known, oldest first. */
export const RELEASES: readonly Release[];

/** Whether a text is a release that `release` options accept: a known minor release, or a patch of one. */
export function isRelease(text: unknown): text is Release;

/** Whether a text is a version or a minor release that {@link convert} takes as `to`. */
export function isTarget(text: unknown): text is ConvertOptions["to"];

/**
 * Whether a text holds an object of `resource.k8s.io`, or one with pods that use claims, or is a manifest that kubectl refuses to read,
 * so that an editor or a hook knows which files to judge.
 */
export function isManifest(text: string | Uint8Array): boolean;

/** A text with fixes applied. */
export interface FixedText {
	text: string;
	/** The number of fixes that were applied. */
	applied: number;
	/** The number of findings whose fix was not applied: it touches another fix, or it deletes something. */
	left: number;
}

/**
 * Applies the first fix of each finding. Fixes can bring other findings to light: validate the new text and apply again until
 * `applied` is 0.
 *
 * @param options `unsafe` applies fixes that delete something that a person wrote, too
 */
export function applyFixes(
	text: string,
	findings: readonly Pick<Finding, "in" | "fixes">[],
	options?: { unsafe?: boolean | undefined },
): FixedText;

/**
 * The form in which {@link format} renders answers: `text` is one line for each finding, `codeframe` shows the source line
 * too, as the command does, `sarif` is a SARIF 2.1.0 log, `github` are workflow commands of GitHub Actions, `junit` is a
 * JUnit XML file.
 */
export type Form = "text" | "codeframe" | "sarif" | "github" | "junit";

/** The parts of an answer that {@link format} reads. */
export type Formattable = Pick<Answer, "findings"> &
	Partial<Pick<Answer, "objects">>;

/**
 * Renders an answer, or a list of findings, for people or for another tool.
 *
 * @param options `text` is the text that the answer is about, `name` its file name in the report (`manifest.yaml` without it). Without
 *   `text` columns count UTF-16 code units, and `codeframe` shows no lines.
 */
export function format(
	answer: Formattable | readonly Finding[],
	form: Form,
	options?: {
		text?: string | Uint8Array | undefined;
		name?: string | undefined;
		colors?: boolean | undefined;
	},
): string;

/** Renders the answers about several files as one report. */
export function format(
	files: readonly {
		answer: Formattable;
		text?: string | Uint8Array | undefined;
		name?: string | undefined;
	}[],
	form: Form,
	options?: { colors?: boolean | undefined },
): string;

/** Gives a language's sentences: the content of `claimkit/locale/en.json`, say. Not needed in Node. */
export function addLocale(locale: Locale, sentences: Sentences): void;

/**
 * Sets the language of claimkit's own sentences in all answers, and the default of the option `locale`; English without it. What
 * kubectl, kube-apiserver and kube-scheduler print stays in their words. Findings about a text of nodes or of a cluster are in the
 * language in which it was prepared. A request of {@link answer} names the language of documentation itself.
 *
 * @throws {Error} where files cannot be read, unless {@link addLocale} has given the language before
 */
export function setLocale(locale: Locale): void;

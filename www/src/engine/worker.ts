/// <reference lib="webworker" />
// The Wasm module lives here, so that no keystroke waits for it and a crash costs a worker, not the page.
import * as claimkit from "claimkit";
import enUrl from "claimkit/locale/en.json?url";
import zhUrl from "claimkit/locale/zh-Hans.json?url";
import wasmUrl from "claimkit/wasm?url";
import { pluginResources } from "../state/extended.ts";
import { admission, printPolicies } from "./admission.ts";
import { audited, isStored, upgraded } from "./audited.ts";
import { answersByName, compactConversion, needsOthers } from "./converted.ts";
import {
	accountOf,
	columnOf,
	compactAllocation,
	type DeviceGrid,
	judge,
	type PodsTold,
	publishedNames,
	tryOut,
} from "./devices.ts";
import { clusterFacts, readObjects } from "./facts.ts";
import { readLabels } from "./nodes.ts";
import { compactPlacements, withoutPlace } from "./placement.ts";
import type {
	AnswerTo,
	Ask,
	Name,
	OptionsOf,
	TextRef,
	ToPage,
	ToWorker,
} from "./protocol.ts";
import { type Among, checkedAmong, isRead, shorten } from "./report.ts";

declare const self: DedicatedWorkerGlobalScope;

const texts = new Map<string, { version: number; text: string | Uint8Array }>();
let keptLabels: { text: string; labels: ReturnType<typeof readLabels> } | null =
	null;

const tell = (message: ToPage) => self.postMessage(message);

/** Every text a message brings is kept, whatever becomes of the message: the page does not send it twice. */
function keep(ref: TextRef): void {
	if (ref.text !== undefined)
		texts.set(ref.key, { version: ref.version, text: ref.text });
	ref.parts?.forEach(keep);
}

/** A text as it came: bytes where it is not UTF-8. */
function given(ref: TextRef): string | Uint8Array {
	const kept = texts.get(ref.key);
	if (!kept || kept.version !== ref.version)
		throw new Error(`the worker does not have ${ref.key}@${ref.version}`);
	return kept.text;
}

function characters(ref: TextRef): string {
	const text = given(ref);
	return typeof text === "string" ? text : new TextDecoder().decode(text);
}

/** A text, or the texts of several files with their names, as the engine takes them. */
type Manifest = string | Uint8Array | claimkit.NamedText[];

const manifestOf = (ref: TextRef): Manifest =>
	ref.parts
		? ref.parts.map((part) => ({ name: part.name, text: given(part) }))
		: given(ref);

const partsOf = (ref: TextRef): readonly TextRef[] => ref.parts ?? [ref];

const SEPARATOR = "\n---\n";

/** JSON is YAML but for the tabs that indent it: outside of strings, where JSON has none, a blank is as good. */
const asYaml = (text: string): string =>
	/^[\s\ufeff]*[{[]/.test(text) ? text.replace(/\t/g, " ") : text;

/** Several texts as one stream, for functions that take one text. One that begins with JSON would be read as JSON to its end. */
function textOf(ref: TextRef): string {
	const [first = "", ...others] = partsOf(ref).map(characters);
	return others.length === 0
		? first
		: ["", first, ...others].map(asYaml).join(SEPARATOR);
}

function forget(keys: readonly string[]): void {
	for (const key of keys) {
		texts.delete(key);
		checked.delete(key);
		keptObjects.delete(key);
		prepared.get(key)?.nodes.free();
		prepared.delete(key);
	}
	keptAmong = null;
	keptTogether = null;
	keptLabels = null;
	keptCluster?.cluster.free();
	keptCluster = null;
}

const raw = (text: string): unknown => claimkit.parse(text, { raw: true }).raw;

const SENTENCES: Record<claimkit.Locale, string> = {
	en: enUrl,
	"zh-Hans": zhUrl,
};
const sentences = new Map<claimkit.Locale, Promise<void>>();

/** How long an answer waits for the sentences of its language. */
const SENTENCES_MS = 4_000;
/** The languages whose sentences an answer has waited for in vain; the next ones do not wait. */
const late = new Set<claimkit.Locale>();

/** Gives the engine the sentences of a language; fetches them once, when the first answer in it is asked for. False if they are late. */
function withSentences(locale: claimkit.Locale = "en"): Promise<boolean> {
	let kept = sentences.get(locale);
	if (!kept) {
		kept = fetch(new URL(SENTENCES[locale], import.meta.url)).then(
			async (response) => {
				if (!response.ok) throw new Error(`${response.status} ${response.url}`);
				claimkit.addLocale(
					locale,
					(await response.json()) as claimkit.Sentences,
				);
				if (late.delete(locale)) tell({ kind: "sentences" });
			},
		);
		kept.catch(() => sentences.delete(locale));
		sentences.set(locale, kept);
	}
	const patience = new Promise<boolean>((resolve) =>
		setTimeout(() => resolve(false), late.has(locale) ? 0 : SENTENCES_MS),
	);
	return Promise.race([
		kept.then(
			() => true,
			() => false,
		),
		patience,
	]).then((there) => {
		if (!there) late.add(locale);
		return there;
	});
}

/** The language of the answers. */
let spoken: claimkit.Locale = "en";

/** Answers in a language from here on; in English while its sentences are not there. */
async function speak(locale: claimkit.Locale): Promise<void> {
	if (locale === spoken) return;
	spoken = locale === "en" || (await withSentences(locale)) ? locale : "en";
	claimkit.setLocale(spoken);
}

/** Nodes are read once per change of their text, not for every change of the manifest. */
const prepared = new Map<
	string,
	{ version: number; speaking: claimkit.Locale; nodes: claimkit.PreparedNodes }
>();

function nodesOf(ref: TextRef): claimkit.PreparedNodes {
	const kept = prepared.get(ref.key);
	if (kept?.version === ref.version && kept.speaking === spoken)
		return kept.nodes;
	kept?.nodes.free();
	prepared.delete(ref.key);
	const nodes = claimkit.prepareNodes(manifestOf(ref));
	prepared.set(ref.key, { version: ref.version, speaking: spoken, nodes });
	return nodes;
}

/** The answers about single texts, for questions about several: each is checked once per change. */
const checked = new Map<
	string,
	{ key: string; answer: claimkit.ValidateAnswer }
>();

function aloneOf(
	ref: TextRef,
	options: claimkit.CreateOptions,
): claimkit.ValidateAnswer {
	const key = JSON.stringify([ref.version, options, spoken]);
	const kept = checked.get(ref.key);
	if (kept?.key === key) return kept.answer;
	const answer = claimkit.validate(given(ref), options);
	checked.set(ref.key, { key, answer });
	return answer;
}

let keptAmong: { key: string; told: Among[] } | null = null;

/** What is said of each text, all judged as one cluster; of texts that cannot be read nothing is, and they end nothing. */
function toldAmong(
	refs: readonly TextRef[],
	options: claimkit.CreateOptions,
): Among[] {
	const key = JSON.stringify([
		refs.map((ref) => `${ref.key}@${ref.version}`),
		options,
		spoken,
	]);
	if (keptAmong?.key === key) return keptAmong.told;
	const read = refs.flatMap((ref, index) =>
		isRead(aloneOf(ref, options)) ? [index] : [],
	);
	const told = refs.map((): Among => ({ findings: [], objects: [] }));
	if (read.length > 0) {
		const answer = claimkit.validate(
			read.map((index) => ({
				name: String(index),
				text: textOf(refs[index]!),
			})),
			options,
		);
		/** The index of the first object of each text. */
		const first = new Map<string | undefined, number>();
		for (const [index, { file, ...entry }] of answer.objects.entries()) {
			if (!first.has(file)) first.set(file, index);
			told[Number(file)]?.objects.push(entry);
		}
		for (const { file, object, ...finding } of answer.findings) {
			if (!finding.range) continue;
			told[Number(file)]?.findings.push({
				...finding,
				...(object === undefined
					? {}
					: { object: object - (first.get(file) ?? 0) }),
			});
		}
	}
	keptAmong = { key, told };
	return told;
}

let keptTogether: {
	key: string;
	answers: Map<string | undefined, claimkit.ConvertAnswer>;
} | null = null;

/** The conversions of texts whose objects may refer to each other, by their keys: of all texts at once, for each asks for the same. */
function convertedTogether(
	refs: readonly TextRef[],
	options: claimkit.ConvertOptions,
): Map<string | undefined, claimkit.ConvertAnswer> {
	const inOrder = [...refs].sort((one, other) =>
		one.key.localeCompare(other.key, "en", { numeric: true }),
	);
	const key = JSON.stringify([
		inOrder.map((ref) => `${ref.key}@${ref.version}`),
		options,
		spoken,
	]);
	if (keptTogether?.key === key) return keptTogether.answers;
	const texts = inOrder.map((ref) => ({ name: ref.key, text: given(ref) }));
	const answers = answersByName(claimkit.convert(texts, options));
	keptTogether = { key, answers };
	return answers;
}

/** The kinds that panels read, beside those of the API group and workloads with claims or devices of their own. */
const READ_KINDS =
	"Node|Pod|PodGroup|CompositePodGroup|Workload|Namespace|Event|PriorityClass|ResourceQuota|PersistentVolume|PersistentVolumeClaim|StorageClass|VolumeAttachment|CSINode|CSIDriver|CSIStorageCapacity|AdmissionReview|ValidatingAdmissionPolicy|\\w+Parameters";
const READ_KIND = new RegExp(`^(${READ_KINDS})(List)?$`);
/** A text without such a word has no such object, and is not read. */
const READ_WORD = new RegExp(`\\b(${READ_KINDS})(List)?\\b`);

/** Whether a panel has a use for a text: an object that it reads, or something that somebody must look at. */
function isUseful(text: string): boolean {
	if (/resource\.k8s\.io|resourceClaim/.test(text)) return true;
	if (pluginResources(text).length > 0) return true;
	if (!READ_WORD.test(text)) return false;
	const { objects, findings } = claimkit.parse(text);
	return (
		objects.some(({ kind }) => READ_KIND.test(kind)) ||
		findings.some(({ severity }) => severity === "error")
	);
}

/** The objects of each text with their values, read once per change. */
const keptObjects = new Map<
	string,
	{
		version: number;
		release: claimkit.Release | undefined;
		objects: claimkit.ParsedObject[];
	}
>();

function objectsOfPart(
	ref: TextRef,
	server: claimkit.CommonOptions,
): claimkit.ParsedObject[] {
	const { version } = ref;
	const { release } = server;
	const kept = keptObjects.get(ref.key);
	if (kept?.version === version && kept.release === release)
		return kept.objects;
	const { objects } = claimkit.parse(given(ref), server);
	keptObjects.set(ref.key, { version, release, objects });
	return objects;
}

const objectsOf = (
	ref: TextRef,
	server: claimkit.CommonOptions,
): claimkit.ParsedObject[] =>
	partsOf(ref).flatMap((part) => objectsOfPart(part, server));

/** Pods of texts of this length or more are placed alone a few at a time, so that the page has something to show. */
const LARGE = 300_000;
const BRIEF = { matrix: "none", relax: false } as const;

/**
 * The grid. Pods that are placed in turn come in one answer, for each depends on those before it; of a large text whose pods are
 * placed alone the columns are empty, and `podsOf` fills them.
 */
function gridOf(ref: TextRef, options: OptionsOf<"devices">): DeviceGrid {
	const manifest = manifestOf(ref);
	const length = partsOf(ref).reduce(
		(sum, part) => sum + given(part).length,
		0,
	);
	if (!options.alone || length < LARGE)
		return compactAllocation(
			claimkit.allocate(manifest, { ...options, options: BRIEF }),
		);
	const listed = claimkit.allocate(manifest, {
		...options,
		nodeNames: [],
		options: BRIEF,
	});
	return compactAllocation(listed, true);
}

/** The texts that are read once for all questions about their pods. */
let keptCluster: { key: string; cluster: claimkit.PreparedCluster } | null =
	null;

function clusterOf(
	ref: TextRef,
	{ release, namespace }: claimkit.AllocateOptions,
): claimkit.PreparedCluster {
	const key = JSON.stringify([
		ref.key,
		ref.version,
		release,
		namespace,
		spoken,
	]);
	if (keptCluster?.key !== key) {
		keptCluster?.cluster.free();
		keptCluster = null;
		const cluster = claimkit.prepareCluster(manifestOf(ref), {
			release,
			namespace,
		});
		keptCluster = { key, cluster };
	}
	return keptCluster.cluster;
}

/** Answers about as many pods as fit in this time, and about one at least. */
const SLICE_MS = 700;

function podsOf(
	ref: TextRef,
	{ pods, nodeList, ...options }: OptionsOf<"pods">,
): PodsTold {
	const cluster = clusterOf(ref, options);
	const begun = performance.now();
	const told: PodsTold = { columns: [], findings: [] };
	for (const { pod, claims, object, name } of pods) {
		const answer = cluster.allocate("", {
			...options,
			alone: true,
			...(pod === null ? { claims } : { pod }),
			options: BRIEF,
		});
		const [account] = answer.pods;
		if (account)
			told.columns.push(columnOf({ ...account, pod }, object, nodeList, name));
		told.findings.push(
			...answer.findings.map((finding) =>
				withoutPlace({ ...finding, in: "nodes" }),
			),
		);
		if (performance.now() - begun > SLICE_MS) break;
	}
	return told;
}

/** A question with its texts: `refs` are those that are prepared once. */
interface Asked<N extends Name> {
	/** What the question is about. */
	ref: TextRef;
	/** Its characters. */
	readonly text: string;
	/** It as it came. */
	readonly manifest: Manifest;
	options: OptionsOf<N>;
	refs: Readonly<Record<string, TextRef | readonly TextRef[]>>;
}

const nodesRef = ({ refs }: Asked<"placement"> | Asked<"cell">): TextRef =>
	refs.nodes as TextRef;

const ANSWERS: {
	[N in Name]: (asked: Asked<N>) => AnswerTo<N> | Promise<AnswerTo<N>>;
} = {
	validate: ({ text, options }) => claimkit.validate(text, options),
	patch: ({ text, options }) => claimkit.validate(text, options),
	parse: ({ text, options }) => claimkit.parse(text, options),
	hover: async ({ text, options: { position, ...options } }) => {
		await withSentences(options.locale);
		return claimkit.hover(text, position, options);
	},
	complete: async ({ text, options: { position, ...options } }) => {
		await withSentences(options.locale);
		return claimkit.complete(text, position, options);
	},
	symbols: ({ text, options }) => claimkit.symbols(text, options),
	releases: async ({ options }) => {
		await withSentences(options.locale);
		return claimkit.releases(options);
	},
	gates: ({ options }) => claimkit.audit("", options).gates,
	report: ({ ref, text, options: { among, at, ...options }, refs }) => {
		if (among.length < 2)
			return shorten(claimkit.validate(given(ref), options), text);
		const all = refs.among as readonly TextRef[];
		const alone = aloneOf(all[at]!, options);
		if (!isRead(alone) || !alone.objects.some(({ valid }) => valid === null))
			return shorten(alone, text);
		return {
			...shorten(
				checkedAmong(
					alone,
					toldAmong(all, options)[at] ?? { findings: [], objects: [] },
				),
				text,
			),
			among: true,
		};
	},
	useful: ({ options: { list } }) => list.map(isUseful),
	convert: ({ ref, text, options: { others = [], ...options }, refs }) => {
		const alone = claimkit.convert(text, options);
		if (others.length === 0 || !needsOthers(alone))
			return compactConversion(alone, text);
		const all = [ref, ...((refs.others ?? []) as readonly TextRef[])];
		const among = convertedTogether(all, options).get(ref.key);
		return compactConversion(among ?? alone, text);
	},
	placement: (asked) => {
		const { nodes, ...options } = asked.options;
		const answer = nodesOf(nodesRef(asked)).evaluate(asked.manifest, {
			...options,
			detail: "summary",
		});
		if (keptLabels?.text !== nodes)
			keptLabels = { text: nodes, labels: readLabels(nodes, raw) };
		return compactPlacements(answer, keptLabels.labels);
	},
	cell: (asked) => {
		const { nodes: _, cell, ...options } = asked.options;
		const { objects } = nodesOf(nodesRef(asked)).evaluate(asked.manifest, {
			...options,
			detail: "summary",
			explain: [cell.name],
		});
		return objects[cell.object]?.placement?.nodes[cell.node] ?? null;
	},
	admission: ({ text, options: { settings, old, ...options } }) =>
		admission(
			{ manifest: text, settings, ...(old === undefined ? {} : { old }) },
			options,
			claimkit,
		),
	policies: ({ text, options }) => printPolicies(text, options.as, claimkit),
	devices: ({ ref, options }) => gridOf(ref, options),
	pods: ({ ref, options }) => podsOf(ref, options),
	account: ({ manifest, options: { node, ...options } }) =>
		accountOf(
			claimkit.allocate(manifest, {
				...options,
				nodeNames: [node],
				options: { matrix: "all" },
			}),
			node,
		),
	facts: ({ ref }) =>
		clusterFacts(readObjects(partsOf(ref).map(characters), raw)),
	audit: ({ manifest, options }) => audited(claimkit.audit(manifest, options)),
	upgrade: ({ ref, manifest, options }) => {
		const stored = partsOf(ref).some((part) => isStored(characters(part)));
		return upgraded(
			claimkit.upgrade(manifest, { ...options, manifests: !stored }),
		);
	},
	judged: ({ ref, options: { asked, ...server } }) =>
		judge(objectsOf(ref, server), asked, claimkit.cel, server),
	published: ({ ref, options }) => publishedNames(objectsOf(ref, options)),
	tried: ({ ref, options: { expression, device, listed, ...server } }) =>
		tryOut(
			objectsOf(ref, server),
			expression,
			device,
			claimkit.cel,
			server,
			listed,
		),
	reviewed: ({ text }) => {
		const { request } = (raw(text) ?? {}) as { request?: { object?: unknown } };
		return request?.object
			? `${JSON.stringify(request.object, null, 2)}\n`
			: null;
	},
};

type Refs = Asked<Name>["refs"];

const refsOf = ({ texts = {} }: { texts?: Refs | undefined }): Refs => texts;

function answer<N extends Name>(
	ask: Ask<N>,
): AnswerTo<N> | Promise<AnswerTo<N>> {
	const refs = refsOf(ask);
	const own = Object.entries(refs).map(([name, ref]) => [
		name,
		"key" in ref ? textOf(ref) : ref.map(textOf),
	]);
	// The texts of the question take the place of their references.
	const options = {
		...ask.options,
		...Object.fromEntries(own),
	} as OptionsOf<N>;
	const ref = ask.text;
	return ANSWERS[ask.question]({
		ref,
		get text() {
			return textOf(ref);
		},
		get manifest() {
			return manifestOf(ref);
		},
		options,
		refs,
	});
}

/** Whether an error of the engine is a trap: its memory cannot be trusted any more. */
const isTrap = (error: unknown): error is Error & { cause: Error } =>
	error instanceof Error && error.cause instanceof WebAssembly.RuntimeError;

async function handle(ask: Ask): Promise<void> {
	if (!(await started)) return;
	await speak(ask.speaking);
	for (const ref of [ask.text, ...Object.values(refsOf(ask)).flat()]) keep(ref);
	const begun = performance.now();
	try {
		const answered = {
			kind: "answer",
			id: ask.id,
			question: ask.question,
			answer: await answer(ask),
			ms: performance.now() - begun,
		} as ToPage;
		tell(answered);
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		// The page throws this worker away and starts another.
		if (isTrap(error))
			tell({ kind: "crashed", id: ask.id, message: error.cause.message });
		else tell({ kind: "refused", id: ask.id, message });
	}
}

/** Takes the module that the page compiled. */
let takeModule: (module: WebAssembly.Module | null) => void = () => undefined;

self.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
	if ("forget" in data) forget(data.forget);
	else if ("module" in data) takeModule(data.module);
	else void handle(data);
});

/** Returns the module that the script in the page's head asked for (build/first.js), or its address if nobody did, or in vain. */
async function moduleOf(): Promise<WebAssembly.Module | URL> {
	const early = self.name.endsWith("module follows")
		? await new Promise<WebAssembly.Module | null>((resolve) => {
				takeModule = resolve;
			})
		: null;
	return early ?? new URL(wasmUrl, import.meta.url);
}

/** What a person can act on: the cause, without the advice for programs that bundle the package. */
function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	return error.cause instanceof Error ? error.cause.message : error.message;
}

const begun = performance.now();
/** Whether the module could be started; if not, the page has the error. */
const started: Promise<boolean> = claimkit.init(moduleOf()).then(
	() => {
		tell({ kind: "ready", ms: performance.now() - begun });
		return true;
	},
	(error: unknown) => {
		tell({
			kind: "failed",
			message: reasonOf(error),
		});
		return false;
	},
);

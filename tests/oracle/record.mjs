// Asks upstream's code of one release again what tests/vectors recorded, and prints every difference.
//
//   node record.mjs [RELEASE]     all requests of that release; without one, a sample of those of the newest release
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { chosen, hasGo, recorder, root } from "./release.mjs";

const SAMPLE = 10;
const SHOWN = 20;
/** How often a request is asked again whose answer differs. */
const AGAIN = 30;
/** The devices that recorded expressions are asked about. */
export const DEVICES = [
	"cel/devices.json",
	"cel/devices-1.37.json",
	"cel/devices-1.38.json",
];
/** Where recorded answers are: in the tests of the crate that they are about, or of all. */
const FOLDERS = process.env.CLAIMKIT_VECTORS
	? [process.env.CLAIMKIT_VECTORS]
	: [
			path.join(root, "tests/vectors"),
			...["cel", "yaml"].map((crate) =>
				path.join(root, `crates/claimkit-${crate}/tests/vectors`),
			),
		];
/** The path of a file with recorded answers or of what belongs to them, which may be compressed; undefined if it is not there. */
export const find = (name) =>
	FOLDERS.flatMap((folder) =>
		[name, path.basename(name)].flatMap((one) => [
			path.join(folder, one),
			path.join(folder, `${one}.gz`),
		]),
	).find(existsSync);

/** The lines of a file, which may be compressed, as text; none if it is not there. */
export function lines(name) {
	const file = find(name);
	if (!file) return [];
	const bytes = readFileSync(file);
	const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
	return text.split("\n").filter((line) => line !== "");
}

/** A value with its keys in order, and without the name of the scheme, which comes from the path of a source file. */
function plain(value) {
	if (typeof value === "string")
		return value.replace(/ in scheme "[^"]*"/, " in scheme");
	if (Array.isArray(value)) return value.map(plain);
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(
		Object.keys(value)
			.sort()
			.map((key) => [key, plain(value[key])]),
	);
}

/** The stored objects with those that are written as `=v1` in full. */
function whole(stored) {
	if (!stored) return stored;
	const full = ([version, object]) => {
		const same = typeof object === "string" ? stored[object.slice(1)] : object;
		return [version, { ...same, apiVersion: `resource.k8s.io/${version}` }];
	};
	return Object.fromEntries(Object.entries(stored).map(full));
}

/** The releases before 1.37 were recorded with a storage of JSON, which keeps empty lists; that of servers does not. */
function asStored(release, stored) {
	const before = Number(release.split(".")[1]) < 37;
	return stored && before
		? JSON.parse(JSON.stringify(stored), (_, value) =>
				Array.isArray(value) && value.length === 0 ? null : value,
			)
		: stored;
}

/** Without the parts that only upstream's own internals show. */
const perNode = (answers) =>
	Object.fromEntries(
		Object.entries(answers).map(([node, { verdict, error, results }]) => [
			node,
			{ verdict, error, results },
		]),
	);

/** Node selectors were recorded with an older release, which has other texts for errors. */
const matched = ({ eager, eagerErr, lazy, lazyErr }) => ({
	eager,
	lazy,
	refused: [eagerErr !== undefined, lazyErr !== undefined],
});

/** What the plugin says after it wrote in PostFilter. Writes were not recorded. */
const WROTE = /^(deallocation|deletion) of ResourceClaim completed$/;

/** What PreBind says of a device with binding conditions, which no driver sets here. */
const NOT_READY = /^device binding timeout: /;

/** Returns the plugin's answers. Reserve and PreBind were not recorded: both succeed on a node that passes. Refusals of gates were recorded for 1.37 alone. */
function pluginAnswer({
	release,
	gateError,
	answers: { preEnqueue, preFilter, filter, postFilter },
}) {
	const status = ({ code, reasons }) => ({
		code,
		reasons: reasons?.length ? reasons : undefined,
	});
	const failed = (one) =>
		!one || one.code === "Success" || NOT_READY.test(one.reasons?.[0])
			? undefined
			: status(one);
	const node = ([name, one]) => [
		name,
		{
			...status(one),
			score: one.score,
			results: one.results,
			reserve: failed(one.reserve),
			preBind: failed(one.preBind),
		},
	];
	return {
		gateError: release.startsWith("1.37.") ? gateError : undefined,
		preEnqueue: status(preEnqueue),
		preFilter: status(preFilter),
		filter: filter && Object.fromEntries(Object.entries(filter).map(node)),
		postFilter:
			!postFilter || WROTE.test(postFilter.reasons?.[0])
				? undefined
				: status(postFilter),
	};
}

/** The answers of a derived attribute's expression without an empty list, which not every recorder wrote. */
const withoutEmpty = (results) =>
	results &&
	Object.fromEntries(
		Object.entries(results).map(([device, { attribute, ...rest }]) => [
			device,
			attribute
				? {
						...rest,
						attribute: Object.fromEntries(
							Object.entries(attribute).filter(
								([, value]) => !Array.isArray(value) || value.length > 0,
							),
						),
					}
				: rest,
		]),
	);

/** The kinds of requests: the files of a release, what else the recorder needs, and what of a line is the answer. */
export const KINDS = [
	{
		kind: "server",
		files: (release) => [`later/${release}.jsonl`],
		answer: ({ release, strict, decode, status, warnings, stored, panic }) =>
			panic === undefined
				? {
						strict,
						decode,
						status,
						warnings,
						stored: asStored(release, whole(stored)),
					}
				: { panic: true },
	},
	{
		kind: "allocate",
		files: (release) => [
			`alloc/${release}.jsonl`,
			`alloc/probes-${release}.jsonl`,
			"alloc/probes.jsonl",
		],
		answer: ({ allocator, answers, matrix }) => ({
			allocator,
			answers: perNode(answers),
			matrix,
		}),
	},
	{
		kind: "cel",
		files: (release) => [
			`cel/dra-${release}.jsonl`,
			`cel/syntax-soup-${release}.jsonl`,
			"cel/causes.jsonl",
			"cel/search.jsonl",
		],
		more: () => DEVICES.map(find).filter(Boolean),
		answer: ({ compileError, internal, type, maxCost, result, results }) => ({
			compileError,
			internal,
			type,
			maxCost,
			result,
			results: withoutEmpty(results),
		}),
		varies: (one) =>
			Object.entries(one.results ?? {})
				.filter(([, { costVaries }]) => costVaries)
				.map(([device]) => ["results", device]),
	},
	{
		kind: "plugin",
		files: (release) => [`alloc/plugin-${release}.jsonl`],
		answer: pluginAnswer,
	},
	{
		kind: "nodeselector",
		files: () => ["nodeselector.jsonl", "random-nodeselector.jsonl"],
		answer: matched,
	},
	{
		kind: "yaml",
		files: () => ["yaml_to_json.jsonl", "yaml_fuzz_sample.jsonl"],
		answer: ({ ok, err, strict }) => ({ ok, err, strict }),
	},
	{
		kind: "stream",
		files: () => ["kubectl_stream.jsonl"],
		answer: streamAnswer,
	},
];

/** A recorded line has the newest kubectl's names of objects and its standard error. */
function streamAnswer({ kubectl, objects, errors }) {
	const newest = kubectl && Object.values(kubectl).at(-1);
	const named = objects ?? newest.objects;
	const stderr = errors ?? newest.stderr.split("\n");
	return {
		objects: named.map((one) =>
			typeof one === "string"
				? one
				: `${one.kind}/${one.metadata?.name ?? "None"}`,
		),
		errors: stderr
			.filter((line) => line !== "")
			.map((line) => line.replace(/^error: /, "")),
	};
}

/** The answers of a recorder to requests of one kind, given and returned as lines: numbers keep their digits. */
export function ask(program, kind, requests, more = []) {
	const input = requests.map((request) => `${request}\n`).join("");
	const done = spawnSync(program, [kind, ...more], {
		input,
		maxBuffer: 1 << 30,
		encoding: "utf8",
	});
	if (done.status !== 0) throw new Error(`record ${kind}: ${done.stderr}`);
	const answers = done.stdout.split("\n").slice(0, -1);
	if (answers.length !== requests.length)
		throw new Error(
			`record ${kind}: ${answers.length} answers to ${requests.length} requests`,
		);
	return answers;
}

/** The first place where two answers differ. */
function difference(want, got) {
	const [left, right] = [JSON.stringify(want), JSON.stringify(got)];
	let at = 0;
	while (left[at] === right[at]) at += 1;
	const part = (text) => text.slice(Math.max(0, at - 80), at + 200);
	return `  recorded …${part(left)}\n  upstream …${part(right)}`;
}

function withoutVarying(pair, varies) {
	for (const [of, device] of pair.flatMap((one) => varies?.(one) ?? [])) {
		for (const one of pair)
			if (one[of]?.[device])
				one[of][device] = {
					...one[of][device],
					cost: undefined,
					costVaries: undefined,
				};
	}
	return pair;
}

/** The recorded lines of a kind for a release. */
export function recordedOf({ files }, release) {
	return files(release).flatMap((name) =>
		lines(name).filter((text) =>
			[undefined, release].includes(JSON.parse(text).release),
		),
	);
}

/** Where two answers differ; undefined if they do not. */
export function differs(recorded, upstream, { answer, varies }) {
	// A cost that differs from run to run in one of them is compared in neither.
	const [want, got] = withoutVarying(
		[JSON.parse(recorded), JSON.parse(upstream)],
		varies,
	).map((one) => plain(answer(one)));
	return JSON.stringify(want) === JSON.stringify(got)
		? undefined
		: difference(want, got);
}

function compare(release, program, asking, step) {
	const { kind, more } = asking;
	const asked = recordedOf(asking, release).filter((_, at) => at % step === 0);
	if (asked.length === 0) {
		console.log(`${kind}: no recorded answers of ${release}: NOT COMPARED`);
		return 0;
	}
	const answers = ask(program, kind, asked, more?.());
	const wrong = [];
	let unstable = 0;
	for (const [at, text] of asked.entries()) {
		if (JSON.parse(answers[at]).unstable) {
			unstable += 1;
			continue;
		}
		const found = differs(text, answers[at], asking);
		if (!found) continue;
		// The order of Go's maps can change an answer: another run may give the recorded one.
		const again = ask(program, kind, Array(AGAIN).fill(text), more?.());
		if (again.some((reply) => !differs(text, reply, asking))) {
			unstable += 1;
			continue;
		}
		const line = JSON.parse(text);
		wrong.push(`${line.id ?? line.name ?? JSON.stringify(line.in)}\n${found}`);
	}
	console.log(
		`${kind}: ${asked.length} requests asked again, ${wrong.length} answers differ${unstable ? `, ${unstable} depend on the order of a Go map` : ""}`,
	);
	const shown = Number(process.env.CLAIMKIT_SHOW ?? SHOWN);
	for (const text of wrong.slice(0, shown)) console.log(text);
	return wrong.length;
}

if (process.argv[1] === import.meta.filename) {
	if (!hasGo()) {
		console.log(
			"oracle: no Go here: no recorded answer was asked of upstream's code again: NOT COMPARED",
		);
		process.exit(0);
	}
	const named = process.argv[2] || process.env.RELEASE;
	const release = chosen(named);
	const program = recorder(release);
	const step = named ? 1 : SAMPLE;
	console.log(
		`==> oracle: upstream's modules ${release}, ${named ? "every recorded request" : `every ${SAMPLE}th recorded request`}`,
	);
	const wrong = KINDS.map((one) => compare(release, program, one, step)).reduce(
		(sum, one) => sum + one,
		0,
	);
	if (wrong > 0) {
		console.error(`oracle: ${wrong} recorded answers differ from upstream's`);
		process.exit(1);
	}
}

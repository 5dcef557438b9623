// Mutated manifests, streams and patches, read without a cluster by the kubectl that the oracle builds and by claimkit: both take the same
// objects with the same values, refuse the same texts, and in the same words. A sample; `make test-kubectl` takes them all.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { build, chosen, hasGo } from "../oracle/release.mjs";
import { ALL, commands, run } from "./suite.mjs";

const RELEASE = chosen();
const [MANIFESTS, STREAMS, PATCHES] = ALL ? [5000, 1200, 700] : [400, 150, 60];

const skip = !hasGo();
if (skip)
	console.log(
		`kubectl: no Go here to build kubectl ${RELEASE}: what it makes of mutated manifests, streams and patches is NOT COMPARED`,
	);
const program = skip ? "kubectl" : build(RELEASE, ["kubectl"]).kubectl;

/** Numbers below `below`, the same ones in every run (mulberry32). */
function random(seed) {
	return (below) => {
		seed = (seed + 0x6d2b79f5) | 0;
		let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) % below;
	};
}

const BASE = [
	`apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata:
  name: claim
  labels: {team: a, "k8s.io/x": 'y'}   # who
  annotations:
    text: |
      two lines
        indented
    folded: >-
      one
      line
spec:
  devices:
    requests:
    - name: gpu
      deviceClassName: gpu.example.com
      count: 0x2
      adminAccess: no
    constraints: [{requests: [gpu], matchAttribute: a.b/c}]
`,
	`# a class
apiVersion: "resource.k8s.io/v1beta1"
kind: DeviceClass
metadata: {name: class, annotations: {n: "1", o: '010', d: "2024-01-01"}}
spec:
  selectors:
    - cel:
        expression: "device.driver == \\"a.example.com\\" && true"
  config: []
`,
	`apiVersion: resource.k8s.io/v1beta1
kind: ResourceSlice
metadata: &meta
  name: slice
  labels: &l {a: b}
  annotations:
    <<: *l
    c: d
spec:
  pool: {name: pool, generation: 1e0, resourceSliceCount: 1}
  driver: gpu.example.com
  nodeName: node
  devices:
  - {name: dev-0, basic: {attributes: {model: {string: x}, size: {int: 7}}, capacity: {memory: 40Gi}}}
  - name: dev-1
    basic: {}
`,
	`kind: Pod
apiVersion: v1
metadata: {name: pod}
spec:
  resourceClaims:
  - name: gpu
    resourceClaimTemplateName: ~
  containers: [{name: c, image: 'a:b', command: ["sh", -c, "echo \\u00e9 \\x41"]}]
`,
];
const PIECES = [
	":",
	"-",
	"#",
	"&a",
	"*a",
	"!",
	"!!str ",
	"|",
	">",
	"'",
	'"',
	"%",
	"@",
	"`",
	"{",
	"}",
	"[",
	"]",
	",",
	"?",
	"\t",
	" ",
	"  ",
	"\n",
	"---\n",
	"...\n",
	"~",
	"0",
	".5",
	"1e3",
	"yes",
	"é",
	"\u2028",
	"<<: ",
	": ",
	"- ",
	"\\",
	"\u{1f600}",
];

/** A text with a few random changes. */
function mutated(text, next) {
	for (let times = 1 + next(3); times > 0; times -= 1) {
		const at = next(text.length + 1);
		const lines = text.split("\n");
		const line = next(lines.length);
		switch (next(7)) {
			case 0:
				text = text.slice(0, at) + PIECES[next(PIECES.length)] + text.slice(at);
				break;
			case 1:
				text = text.slice(0, at) + text.slice(at + 1 + next(3));
				break;
			case 2:
				text =
					text.slice(0, at) + PIECES[next(PIECES.length)] + text.slice(at + 1);
				break;
			case 3:
				lines.splice(line, 0, lines[next(lines.length)]);
				text = lines.join("\n");
				break;
			case 4:
				lines.splice(line, 1);
				text = lines.join("\n");
				break;
			case 5:
				lines[line] = " ".repeat(next(4)) + lines[line];
				text = lines.join("\n");
				break;
			default:
				lines[line] = lines[line].replace(/^ {1,2}/, "");
				text = lines.join("\n");
		}
	}
	return text;
}

/** Documents one after another, as YAML and JSON, with marks, line ends and separators as people and tools write them. */
function stream(next) {
	const json = (name) =>
		JSON.stringify(
			{
				apiVersion: "resource.k8s.io/v1beta1",
				kind: "DeviceClass",
				metadata: { name },
				spec: {},
			},
			null,
			next(3),
		);
	const yaml = (name) =>
		`apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata:\n  name: ${name}\nspec: {}\n`;
	const list = (name) =>
		`apiVersion: v1\nkind: List\nitems:\n- {apiVersion: resource.k8s.io/v1beta1, kind: DeviceClass, metadata: {name: ${name}}}\n- ${["{}", "1", "{apiVersion: v1, kind: Pod, metadata: {name: q}}", "~", "{kind: X}"][next(5)]}\n`;
	const parts = [
		yaml,
		yaml,
		yaml,
		list,
		json,
		() => "# nothing\n",
		() => "a: 1\n",
		() => "5\n",
		() => "",
		() => "kind: X\nmetadata: {name: 1}\n",
		() => "items: {}\nkind: List\napiVersion: v1\n",
	];
	const separators = [
		"---\n",
		"---\n",
		"---\n",
		"--- # next\n",
		"---  \n",
		"\n---\n",
		" ---\n",
		"----\n",
		"--- x\n",
		"...\n---\n",
		"\n",
		"---\r\n",
	];
	const pure = next(4) === 0;
	let text = "";
	for (let at = 0; at <= next(4) + 1; at += 1) {
		if (at > 0)
			text += pure
				? ["\n", " ", "", "\n---\n", ","][next(5)]
				: separators[next(separators.length)];
		text += pure ? json(`n${at}`) : parts[next(parts.length)](`n${at}`);
	}
	if (next(3) === 0) text = mutated(text, next);
	if (next(3) === 0)
		text = text.replaceAll("\n", ["\r\n", "\r\r\n", "\r"][next(3)]);
	if (next(4) === 0) text = `\ufeff${text}`;
	return text;
}

/** JSON with slips: after at most one value, kubectl 1.33 and later read the rest as YAML. */
function looseJson(next) {
	const slips = [
		(text) => text.replace(/([\]}])(?=[^\]}]*$)/, ",$1"),
		(text) => text.replace(/"(\w+)":/, "'$1':"),
		(text) => text.replace(/"(\w+)":/g, "$1:"),
		(text) => text.replace(/"(\w+)":/g, "$1: "),
		(text) => text.replace(/,/, ", # why\n"),
		(text) => text.replace(/\{/, "{ // why\n"),
		(text) => text.replace(/\n?$/, " # end\n"),
		(text) =>
			text.replace(
				/"spec": ?\{\}/,
				[
					'"spec":{"count":0x10}',
					'"spec":{"count":.5}',
					'"spec":{"a":1,"a":2}',
					'"spec":yes',
					'"spec":{"a"}',
					'"spec":"\\q"',
					'"spec":NaN',
				][next(7)],
			),
		(text) => text.replace(/\}$/, ""),
		(text) => `${text}}`,
		(text) => text.replaceAll("\n", "\n\t"),
		(text) => `# first\n${text}`,
		(text) => mutated(text, next),
		(text) => text,
		(text) => text,
	];
	const one = (at) => {
		const object = {
			apiVersion: "resource.k8s.io/v1beta1",
			kind: "DeviceClass",
			metadata: { name: `j${at}` },
			spec: {},
		};
		return slips[next(slips.length)](JSON.stringify(object, null, next(3)));
	};
	const separators = [
		"\n",
		"",
		" ",
		"\n\n",
		"\n---\n",
		"---\n",
		"\n--- \n",
		"  \n---\n",
		"\n--- x\n",
		"\r\n---\r\n",
		",\n",
		"\u00a0\n",
		"\ufffd\n",
		"\u2028---\n",
		"\n...\n",
	];
	let text = one(0);
	for (let at = 1; at <= next(4); at += 1) {
		text += separators[next(separators.length)];
		text +=
			next(3) === 0
				? `apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata:\n  name: y${at}\n`
				: one(at);
	}
	text += ["", "\n", "\n\n", "x", "\n}", "\n---", "\n---\n", " \n   \n"][
		next(8)
	];
	return next(6) === 0 ? `\ufeff${text}` : text;
}

/** What the whole of the texts are for kubectl: objects and errors by text. One call reads them all, with an object between any two. */
function kubectl(texts) {
	const folder = mkdtempSync(path.join(tmpdir(), "claimkit-kubectl-"));
	try {
		texts.forEach((text, at) => {
			const name = String(at).padStart(5, "0");
			writeFileSync(path.join(folder, `${name}-a.yaml`), text);
			writeFileSync(
				path.join(folder, `${name}-b.yaml`),
				"apiVersion: v1\nkind: Mark\nmetadata: {name: mark}\n",
			);
		});
		const done = spawnSync(
			program,
			[
				"annotate",
				"--local",
				"-f",
				folder,
				"claimkit.example/read=1",
				"-o",
				"json",
			],
			{ encoding: "utf8", maxBuffer: 1 << 30 },
		);
		const found = texts.map(() => ({ objects: [], errors: [] }));
		// For items without a type kubectl names no file, and prints one message for several of one list.
		const items = /^(?:error: )?\[?unable to get type info from .*\n/gm;
		const nowhere = new Set(
			[...done.stderr.matchAll(items)].flatMap(([line]) =>
				line
					.trim()
					.replace(/^(error: )?\[?|\]$/g, "")
					.split(/, (?=unable to get)/),
			),
		);
		const stderr = done.stderr.replace(items, "");
		let at = 0;
		for (const printed of done.stdout
			.split(/^(?=\{$)/m)
			.filter((part) => part !== "")) {
			const object = JSON.parse(printed);
			if (object.kind === "Mark" && object.metadata.name === "mark") at += 1;
			else found[at].objects.push(object);
		}
		assert.equal(at, texts.length, stderr.slice(0, 2000));
		const head = new RegExp(
			`^(?:error: )?(?:error parsing |unable to decode ")${folder}/(\\d+)-a\\.yaml"?: (?:error converting YAML to JSON: )?`,
			"gm",
		);
		const heads = [...stderr.matchAll(head)];
		assert.equal(
			heads[0]?.index ?? stderr.trim().length,
			0,
			stderr.slice(0, 2000),
		);
		heads.forEach((match, place) => {
			const end = heads[place + 1]?.index ?? stderr.length;
			found[Number(match[1])].errors.push(
				stderr.slice(match.index + match[0].length, end).replace(/\n$/, ""),
			);
		});
		return { found, nowhere };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Requests through one process, and the answers. */
function batch(requests) {
	const input = requests
		.map((request) => `${JSON.stringify(request)}\n`)
		.join("");
	return run(commands[0], ["batch"], { input })
		.stdout.split("\n")
		.slice(0, -1)
		.map((line) => JSON.parse(line));
}

/** What kubectl without a server does not look at. */
const WITH_A_SERVER = new Set([
	"unknown-kind",
	"list-not-creatable",
	"namespace-mismatch",
]);

/** The same for claimkit: objects by their names, errors of kubectl, and the value where the text is one YAML document. */
function claimkit(texts) {
	const judged = batch(
		texts.map((text) => ({ verb: "validate", release: RELEASE, text })),
	);
	const raw = batch(texts.map((text) => ({ verb: "parse", raw: true, text })));
	return judged.map((answer, at) => ({
		objects: answer.objects.map(({ apiVersion, kind, name, namespace }) => ({
			apiVersion,
			kind,
			name,
			namespace,
		})),
		errors: answer.findings
			.filter(
				({ origin, severity, code }) =>
					origin === "kubectl" &&
					severity === "error" &&
					!WITH_A_SERVER.has(code),
			)
			.map(({ message }) => message),
		value: raw[at].raw,
	}));
}

const named = (object) => {
	const text = (value) => (typeof value === "string" ? value : "");
	return {
		apiVersion: text(object.apiVersion),
		kind: text(object.kind),
		name: text(object.metadata?.name),
		namespace: text(object.metadata?.namespace),
	};
};

/** A value without what annotating adds. */
function bare(object) {
	const copy = structuredClone(object);
	const annotations = copy.metadata?.annotations;
	// kubectl reads null as an empty string, and annotates anew where another value is no string.
	for (const [name, value] of Object.entries(annotations ?? {}))
		if (value === null) annotations[name] = "";
	if (
		annotations &&
		Object.values(annotations).every((value) => typeof value === "string")
	) {
		delete copy.metadata.annotations["claimkit.example/read"];
		if (Object.keys(copy.metadata.annotations).length === 0)
			delete copy.metadata.annotations;
	} else delete copy.metadata?.annotations;
	if (copy.metadata && Object.keys(copy.metadata).length === 0)
		delete copy.metadata;
	return copy;
}

function compare(texts, single) {
	const wrong = [];
	const numbers = { texts: texts.length, objects: 0, refused: 0, values: 0 };
	for (let from = 0; from < texts.length; from += 200) {
		const part = texts.slice(from, from + 200);
		const { found: theirs, nowhere } = kubectl(part);
		const ours = claimkit(part);
		const isItem = (message) =>
			message.startsWith("unable to get type info from ");
		assert.deepEqual(
			new Set(ours.flatMap(({ errors }) => errors.filter(isItem))),
			nowhere,
		);
		part.forEach((text, at) => {
			const [their, our] = [theirs[at], ours[at]];
			numbers.objects += their.objects.length;
			numbers.refused += their.errors.length > 0 ? 1 : 0;
			try {
				assert.deepEqual(
					our.errors.filter((message) => !isItem(message)).sort(),
					[...their.errors].sort(),
				);
				assert.deepEqual(our.objects, their.objects.map(named));
				if (
					single &&
					their.objects.length === 1 &&
					our.value &&
					!/^---|^\s*\{/m.test(text) &&
					their.errors.length === 0
				) {
					numbers.values += 1;
					assert.deepEqual(bare(our.value), bare(their.objects[0]));
				}
			} catch (error) {
				wrong.push(`${JSON.stringify(text)}\n${error.message}`);
			}
		});
	}
	console.log(`kubectl: ${JSON.stringify(numbers)}`);
	assert.equal(
		wrong.length,
		0,
		`${wrong.length} of ${texts.length} differ:\n${wrong.slice(0, 20).join("\n\n")}`,
	);
}

test(`${MANIFESTS} mutated manifests are what kubectl ${RELEASE} makes of them`, {
	skip,
}, () => {
	const next = random(1);
	compare(
		Array.from({ length: MANIFESTS }, (_, at) =>
			mutated(BASE[at % BASE.length], next),
		),
		true,
	);
});

test(`${STREAMS} streams are taken apart as by kubectl ${RELEASE}`, {
	skip,
}, () => {
	const next = random(2);
	const streams = Array.from({ length: STREAMS }, () => stream(next));
	compare(streams, false);
});

test(`${STREAMS} texts of JSON with slips are taken apart as by kubectl ${RELEASE}`, {
	skip,
}, () => {
	const next = random(4);
	compare(
		Array.from({ length: STREAMS }, () => looseJson(next)),
		false,
	);
});

// Every default is written out: without a server kubectl fills nothing in.
const STORED = {
	apiVersion: "resource.k8s.io/v1beta1",
	kind: "ResourceClaim",
	metadata: {
		name: "claim",
		namespace: "default",
		uid: "u",
		resourceVersion: "1",
		labels: { a: "b", c: "d" },
		finalizers: ["example.com/a"],
	},
	spec: {
		devices: {
			requests: [
				{
					name: "gpu",
					deviceClassName: "c",
					allocationMode: "ExactCount",
					count: 1,
				},
			],
		},
	},
	status: {
		reservedFor: [
			{ resource: "pods", name: "p", uid: "1" },
			{ resource: "pods", name: "q", uid: "2" },
		],
	},
};
const PATHS = [
	"/metadata/labels/a",
	"/metadata/labels/x",
	"/metadata/labels",
	"/metadata/annotations",
	"/metadata/annotations/n",
	"/spec/devices/requests/0/count",
	"/spec/devices/requests/-",
	"/spec/devices/requests/1",
	"/status/reservedFor/0",
	"/status/reservedFor/0/name",
	"/status/reservedFor/-",
	"/metadata/finalizers/0",
	"/nowhere/else",
	"",
	"/metadata/labels/a~1b",
	"metadata",
];
const VALUES = [
	"v",
	1,
	null,
	{},
	[],
	{ a: "b" },
	{ name: "n", deviceClassName: "c", allocationMode: "All" },
	{ resource: "pods", name: "r", uid: "3" },
	"example.com/b",
	1.5,
	true,
];

/** A patch, and how it is read. */
function patch(next) {
	const value = () => VALUES[next(VALUES.length)];
	const where = () => PATHS[next(PATHS.length)];
	const ops = ["add", "remove", "replace", "move", "copy", "test", "ad"];
	if (next(3) === 0) {
		const operation = () => {
			const op = ops[next(ops.length)];
			return {
				op,
				path: where(),
				...(["move", "copy"].includes(op) ? { from: where() } : {}),
				...(["add", "replace", "test"].includes(op) && next(8) > 0
					? { value: value() }
					: {}),
			};
		};
		return ["json", Array.from({ length: 1 + next(3) }, operation)];
	}
	const strategic = next(2) === 0;
	const labels = {
		labels: [{ a: null }, { x: "y" }, null, {}, { a: "z", c: null }][next(5)],
	};
	const reserved = [
		{ resource: "pods", name: "new", uid: "1" },
		{ resource: "pods", name: "r", uid: "3" },
		{ $patch: "delete", uid: "2" },
		{ $patch: "replace" },
		{ uid: "2", name: null },
	];
	const status = {
		reservedFor: Array.from(
			{ length: next(3) },
			() => reserved[strategic ? next(reserved.length) : next(2)],
		),
	};
	if (strategic && next(3) === 0)
		status["$setElementOrder/reservedFor"] = [{ uid: "2" }, { uid: "1" }];
	const spec = [
		{
			devices: {
				requests: [{ name: "b", deviceClassName: "d", allocationMode: "All" }],
			},
		},
		{ devices: { $patch: "replace", requests: [] } },
		null,
		{},
		{ $patch: "delete" },
	];
	const whole = {};
	if (next(2) === 0) whole.metadata = labels;
	if (next(3) === 0)
		whole.metadata = {
			...whole.metadata,
			finalizers: [["example.com/b"], null, []][next(3)],
			...(strategic && next(2) === 0
				? { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] }
				: {}),
		};
	if (next(2) === 0) whole.status = status;
	if (next(3) === 0)
		whole.spec = spec[strategic ? next(spec.length) : [0, 2, 3][next(3)]];
	return [strategic ? "strategic" : "merge", whole];
}

test(`${PATCHES} patches give what kubectl ${RELEASE} gives`, { skip }, () => {
	const next = random(3);
	const folder = mkdtempSync(path.join(tmpdir(), "claimkit-kubectl-"));
	const file = path.join(folder, "stored.json");
	const old = JSON.stringify(STORED);
	writeFileSync(file, old);
	const patches = Array.from({ length: PATCHES }, () => patch(next));
	const theirs = patches.map(([type, value]) => {
		const done = spawnSync(
			program,
			[
				"patch",
				"--local",
				"-f",
				file,
				"--type",
				type,
				"-p",
				JSON.stringify(value),
				"-o",
				"json",
			],
			{ encoding: "utf8" },
		);
		return {
			object: done.status === 0 ? done.stdout : undefined,
			error: done.stderr,
		};
	});
	rmSync(folder, { recursive: true });
	// Every other patch is sent to the status, of which the server takes nothing else.
	const part = (at) => (at % 2 === 0 ? "patch" : "patchStatus");
	const request = (at, patchType, from, value) => ({
		verb: "validate",
		operation: part(at),
		release: RELEASE,
		fieldValidation: "Ignore",
		patchType,
		old: from,
		patch: JSON.stringify(value),
	});
	const ours = batch(
		patches.map(([type, value], at) => request(at, type, old, value)),
	);
	// Only a server reads the result as a claim: theirs is read by an empty patch.
	const read = batch(
		theirs.map(({ object }, at) => request(at, "merge", object ?? old, {})),
	);
	const numbers = { patches: PATCHES, refused: 0, undecodable: 0 };
	const wrong = [];
	patches.forEach(([type, value], at) => {
		const [mine, theirObject] = [ours[at].objects[0], theirs[at].object];
		const says = `${type} ${JSON.stringify(value)}\n  kubectl: ${theirs[at].error || theirObject}\n  claimkit: ${JSON.stringify(ours[at])}`;
		if (theirObject === undefined) {
			numbers.refused += 1;
			if (mine?.object !== undefined) wrong.push(says);
			return;
		}
		const result = read[at].objects[0]?.object;
		if (result === undefined) {
			// kubectl prints objects that no server would accept.
			numbers.undecodable += 1;
			if (mine?.object !== undefined) wrong.push(says);
			return;
		}
		// Theirs is read as a stored object, of which a list without items comes back as null.
		const shown = (object) =>
			JSON.stringify(
				part(at) === "patch"
					? [object?.metadata, object?.spec]
					: object?.status,
			)?.replaceAll(":[]", ":null");
		if (mine?.object === undefined || shown(mine.object) !== shown(result))
			wrong.push(says);
	});
	console.log(`kubectl: ${JSON.stringify(numbers)}`);
	assert.equal(
		wrong.length,
		0,
		`${wrong.length} of ${PATCHES} differ:\n${wrong.slice(0, 10).join("\n\n")}`,
	);
});

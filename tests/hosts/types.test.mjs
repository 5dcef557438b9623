// The declarations: the examples compile in strict mode, and what the library really answers satisfies what is declared.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { test } from "node:test";
import * as claimkit from "../../pkg/node.js";
import { here, root } from "./suite.mjs";

const good = readFileSync(path.join(here, "manifests/good.yaml"), "utf8");
const bad = readFileSync(path.join(here, "manifests/bad.yaml"), "utf8");
const nodes = readFileSync(path.join(here, "manifests/nodes.yaml"), "utf8");
const scenarios = path.join(root, "tests/vectors/alloc/scenarios");
const folder = path.join(here, "target/types");

/** A policy of a cluster that refuses everything. */
const refusing = (name) => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ${name}}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [resource.k8s.io], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]
  validations: [{expression: "false", message: nothing is accepted}]
---
`;
/** Two such policies, of which one has a binding. */
const OWN = `${refusing("unbound")}${refusing("bound")}apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: everywhere}
spec: {policyName: bound, validationActions: [Deny]}
`;
const REVIEW = {
	uid: "u",
	kind: { group: "resource.k8s.io", version: "v1", kind: "DeviceClass" },
	resource: {
		group: "resource.k8s.io",
		version: "v1",
		resource: "deviceclasses",
	},
	operation: "CREATE",
	name: "gpu",
	userInfo: { username: "u" },
	object: {
		apiVersion: "resource.k8s.io/v1",
		kind: "DeviceClass",
		metadata: { name: "gpu" },
		spec: {},
	},
};

/** Answers of the real library, with the type each is declared to have. */
function answers() {
	const {
		allocate,
		audit,
		cel,
		parse,
		validate,
		convert,
		evaluate,
		hover,
		complete,
		fixes,
		codes,
		releases,
		jsonSchema,
		admit,
		symbols,
		upgrade,
	} = claimkit;
	const recorded = [];
	for (const text of [
		good,
		bad,
		"a: [",
		"",
		JSON.parse('{"kind":"ResourceClaim"}'),
	]) {
		recorded.push(
			["ParseAnswer", parse(text)],
			["ValidateAnswer", validate(text)],
			["ConvertAnswer", convert(text, { to: "v1alpha1" })],
		);
		recorded.push(["EvaluateAnswer", evaluate(text, { nodes })]);
		if (typeof text === "string") recorded.push(["FixesAnswer", fixes(text)]);
	}
	recorded.push(
		["ParseAnswer", parse(bad, { raw: true })],
		["ValidateAnswer", validate(bad, { old: good, operation: "update" })],
	);
	recorded.push([
		"EvaluateAnswer",
		evaluate(undefined, {
			nodes,
			selector:
				"nodeSelectorTerms:\n- matchFields:\n  - {key: metadata.name, operator: In, values: [a]}\n",
		}),
	]);
	for (let line = 0; line < 12; line += 1) {
		recorded.push(
			["HoverAnswer", hover(good, { line, character: 3 })],
			["CompleteAnswer", complete(good, { line, character: 2 })],
		);
	}
	const cluster = readFileSync(
		path.join(here, "manifests/cluster.yaml"),
		"utf8",
	);
	const selector =
		"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec: {selectors: [{cel: {expression: 'true'}}]}\n";
	for (const text of [good, cluster, selector])
		recorded.push(["SymbolsAnswer", symbols(text)]);
	recorded.push(
		["CodesAnswer", codes()],
		["ReleasesAnswer", releases({ locale: "zh-Hans" })],
		["JsonSchema", jsonSchema("1.30", "ResourceClaim")],
	);
	recorded.push(
		["ValidateAnswer", validate(good, { release: "1.33.3" })],
		["ValidateAnswer", validate(good, { release: "1.38" })],
		[
			"ValidateAnswer",
			validate([
				{ name: "bad.yaml", text: bad },
				{ name: "good.yaml", text: good },
			]),
		],
		[
			"UpgradeAnswer",
			upgrade(
				good.replaceAll("resource.k8s.io/v1\n", "resource.k8s.io/v1beta1\n"),
				{
					release: "1.37",
					to: "1.38",
					manifests: true,
				},
			),
		],
		[
			"AllocateAnswer",
			allocate(
				`${cluster}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: away, namespace: demo}\nspec: {nodeSelector: {zone: nowhere}, containers: [{name: c, image: x}]}\n`,
			),
		],
	);
	recorded.push(["ParseAnswer", parse(good, { labelSelector: "a=b" })]);
	const stored =
		"apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: a, namespace: default, labels: {x: one}}\nspec: {resourceClassName: c}\n";
	for (const patch of [
		"metadata: {labels: {x: z, w: v}}",
		"metadata: {labels: {x: null}}",
		"metadata: {labels: {x: 'no label'}}",
	]) {
		recorded.push([
			"PatchAnswer",
			validate(patch, {
				operation: "patch",
				patchType: "merge",
				old: stored,
				stored: true,
			}),
		]);
	}
	recorded.push(
		["ConvertAnswer", convert(good, { to: "v1" })],
		["ConvertAnswer", convert(stored, { to: "v1" })],
		[
			"FilesConvertAnswer",
			convert(
				[
					{ name: "good.yaml", text: good },
					{ name: "broken.yaml", text: "a: [" },
				],
				{ to: "v1" },
			),
		],
	);
	recorded.push([
		"ValidateAnswer",
		validate(stored.replace("{x: one}", "{x: 'no label'}")),
	]);
	recorded.push([
		"EvaluateAnswer",
		evaluate(undefined, {
			nodes,
			selector:
				"nodeSelectorTerms:\n- matchExpressions:\n  - {key: a b, operator: In, values: [a]}\n",
		}),
	]);
	const taken = readFileSync(
		path.join(scenarios, "04-all-in-use.yaml"),
		"utf8",
	);
	recorded.push([
		"AllocateAnswer",
		allocate(taken, {
			whatIf: { nodesLike: [allocate(taken).pods[0].nodes[0].name] },
		}),
	]);
	const waiting = (name, spec) =>
		`apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec: {${spec}, containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]}\n---\n`;
	const full = ["a", "b"]
		.map(
			(name) =>
				`apiVersion: v1\nkind: Node\nmetadata: {name: ${name}}\nstatus: {allocatable: {cpu: 1, memory: 1Gi, pods: 9}}\n---\n`,
		)
		.join("");
	const inTurn =
		full +
		waiting("low", "nodeName: a") +
		waiting("lower", "nodeName: b") +
		waiting("high", "priority: 9") +
		waiting("gated", "schedulingGates: [{name: g}]") +
		waiting("last", "priority: -1");
	recorded.push(
		["AllocateAnswer", allocate(inTurn)],
		["AllocateAnswer", allocate(full + waiting("p", "priority: 1"))],
	);
	const [one, other] = [
		waiting("one", "priority: 1"),
		waiting("other", "priority: 0"),
	];
	recorded.push(
		["AllocateAnswer", allocate(full + one, { howMany: true })],
		["AllocateAnswer", allocate(one, { cluster: full + other })],
	);
	const claim =
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec:\n  devices:\n    requests:\n    - name: r\n      exactly:\n        deviceClassName: c\n    config:\n    - opaque: {driver: d.example.com, parameters: {}}\n";
	for (let line = 0; line < 12; line += 1)
		recorded.push(["HoverAnswer", hover(claim, { line, character: 9 })]);
	recorded.push(["CompleteAnswer", complete("", { line: 0, character: 0 })]);
	const quoted = 'apiVersion: resource.k8s.io/v1\nkind: "Res"\n';
	recorded.push([
		"CompleteAnswer",
		complete(quoted, { line: 1, character: 10 }),
	]);
	for (const file of readdirSync(scenarios)) {
		const text = readFileSync(path.join(scenarios, file), "utf8");
		recorded.push(
			["AllocateAnswer", allocate(text)],
			["AllocateAnswer", allocate(text, { options: { matrix: "all" } })],
		);
		recorded.push(
			["ValidateAnswer", validate(text, { stored: true })],
			["AuditAnswer", audit(text)],
		);
	}
	for (const [file, release] of [
		["no-timestamp", "1.36"],
		["capacity-name", "1.37"],
	]) {
		recorded.push([
			"AllocateAnswer",
			allocate(
				readFileSync(
					path.join(here, `manifests/reported/${file}.yaml`),
					"utf8",
				),
				{ release },
			),
		]);
	}
	const devices = [
		{ driver: "d.example", attributes: { model: { string: "a" } } },
		{ driver: "e.example" },
	];
	for (const expression of [
		"device.driver == 'd.example'",
		"device.attributes['d.example'].model == 'a'",
		"device.",
		"1",
		"device.attributes['d.example'].version.isLessThan(semver('550.127.08'))",
	]) {
		recorded.push(
			["CelAnswer", cel(expression, { devices, trace: true })],
			["CelAnswer", cel(expression)],
		);
	}
	recorded.push(
		["AdmitAnswer", admit(null, {})],
		["AdmitAnswer", admit({ uid: "u" }, {})],
		["AdmitAnswer", admit(null, { nonsense: 1 })],
		["AdmitAnswer", admit(null, {}, { as: "vap" })],
		["AdmitAnswer", admit(null, null, { policies: OWN, manifests: good })],
		["AdmitAnswer", admit(REVIEW, null, { policies: OWN })],
	);
	return recorded;
}

function compile(lib, types) {
	const config = {
		compilerOptions: {
			strict: true,
			noEmit: true,
			exactOptionalPropertyTypes: true,
			noUncheckedIndexedAccess: true,
			skipLibCheck: false,
			module: "nodenext",
			target: "es2022",
			lib,
			types,
		},
		include: ["*.ts"],
	};
	writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config));
	return spawnSync(
		"node",
		[path.join(here, "node_modules/typescript/bin/tsc"), "-p", folder],
		{ encoding: "utf8" },
	);
}

test("examples and recorded answers compile in strict mode", () => {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(path.join(folder, "node_modules"), { recursive: true });
	symlinkSync(
		path.join(root, "pkg"),
		path.join(folder, "node_modules/claimkit"),
	);
	writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
	writeFileSync(
		path.join(folder, "examples.ts"),
		readFileSync(path.join(here, "types/examples.ts")),
	);
	const recorded = answers();
	const names = [...new Set(recorded.map(([name]) => name))].sort();
	const lines = recorded.map(
		([name, answer]) => `(${JSON.stringify(answer)}) satisfies ${name};`,
	);
	writeFileSync(
		path.join(folder, "answers.ts"),
		`import type { ${names.join(", ")} } from "claimkit";\n${lines.join("\n")}\nexport {};\n`,
	);
	for (const [lib, types] of [
		[["es2022", "dom"], []],
		[["es2022"], ["node"]],
	]) {
		const done = compile(lib, types);
		assert.equal(
			done.status,
			0,
			`${lib} ${types}\n${done.stdout.slice(0, 4000)}${done.stderr}`,
		);
	}
});

/** Members of answers that no recorded answer has, with the reason. */
const UNSENT = {
	allocatable:
		"of the gate DRANodeAllocatableResources: tests/place/node_resources",
	consumed:
		"of the gate DRANodeAllocatableResources: tests/place/node_resources",
	multiplier:
		"of the gate DRANodeAllocatableResources: tests/place/node_resources",
	requested:
		"of the gate DRANodeAllocatableResources: tests/place/node_resources",
	resources:
		"of the gate DRANodeAllocatableResources: tests/place/node_resources",
	short: "of the gate DRANodeAllocatableResources: tests/place/node_resources",
	takes: "of the gate DRANodeAllocatableResources: tests/place/node_resources",
	bindingConditions:
		"of devices and requests that have them: tests/vectors/alloc",
	bindingFailureConditions:
		"of devices and requests that have them: tests/vectors/alloc",
	tolerationSeconds:
		"of devices and requests that have them: tests/vectors/alloc",
	earlier: "of pods that are tried again: tests/cluster_recorded.rs",
	freed: "of pods that are tried again: tests/cluster_recorded.rs",
	planned: "of what earlier pods of the run are given: tests/own_words.rs",
	nodesLeftOut: "of many pods and nodes: tests/in_turn.rs",
	unsure: "of many nodes: tests/in_turn.rs",
	unknown: "of dumps that lack a kind: tests/in_turn.rs",
	entry: "of pods and structured parameters: tests/evaluate_placement.rs",
	instances: "of pods and structured parameters: tests/evaluate_placement.rs",
	listMapKeys: "of other fields: tests/editor_hover.rs",
	maxBytes: "of other fields: tests/editor_hover.rs",
	onlyIn: "of other fields: tests/editor_hover.rs",
	unique: "of other fields: tests/editor_hover.rs",
	evictedBy: "of devices whose taints end pods: claimkit-cli's tests/on_files",
	limitedBy:
		"of quotas that limit repeated pods: claimkit-cli's tests/on_files",
	mutated_object: "of a policy that changes or warns: tests/hosts/policy",
};

test("nothing is declared of answers that is never sent", () => {
	const sent = new Set();
	const collect = (value) => {
		if (typeof value !== "object" || value === null) return;
		for (const [name, part] of Object.entries(value)) {
			if (!Array.isArray(value)) sent.add(name);
			collect(part);
		}
	};
	for (const [, answer] of answers()) collect(answer);
	const given =
		/(Options|Limits|Device|DeviceAttribute|Manifest|Place|PreparedNodes|PreparedCluster|Sentences|JsonSchema)$/;
	const text = readFileSync(path.join(root, "pkg/types.d.ts"), "utf8").replace(
		/\/\*[\s\S]*?\*\//g,
		"",
	);
	const declared = new Set();
	for (const [, name, body] of text.matchAll(
		/(?:interface|type) (\w+)([\s\S]*?)(?=\n(?:export|interface) |$)/g,
	)) {
		if (given.test(name)) continue;
		for (const [, member] of body.matchAll(/(?:^|[{;(])\s*(\w+)\??: /gm))
			declared.add(member);
	}
	assert.ok(declared.size > 150, `${declared.size}`);
	assert.deepEqual(
		[...declared].filter((name) => !sent.has(name)).sort(),
		Object.keys(UNSENT).sort(),
	);
});

test("a wrong answer would be noticed", () => {
	const answer = structuredClone(claimkit.validate(bad));
	answer.findings[0].severity = "fatal";
	writeFileSync(
		path.join(folder, "answers.ts"),
		`import type { ValidateAnswer } from "claimkit";\n(${JSON.stringify(answer)}) satisfies ValidateAnswer;\nexport {};\n`,
	);
	assert.match(
		compile(["es2022", "dom"], []).stdout,
		/"fatal"' is not assignable/,
	);
});

test("what every function is declared to take and give, it has", () => {
	const declared =
		readFileSync(path.join(root, "pkg/types.d.ts"), "utf8") +
		readFileSync(path.join(root, "pkg/index.d.ts"), "utf8");
	const names = [...declared.matchAll(/^export (?:declare )?function (\w+)/gm)]
		.map(([, name]) => name)
		.sort();
	const present = Object.entries(claimkit)
		.filter(
			([name, member]) => name !== "default" && typeof member === "function",
		)
		.map(([name]) => name)
		.sort();
	assert.deepEqual(present, [...new Set(names)]);
});

test("the package's own JavaScript keeps to the types that its users get", () => {
	const { stdout } = spawnSync(
		path.join(here, "node_modules/.bin/tsc"),
		["--project", path.join(root, "pkg/tsconfig.json"), "--pretty", "false"],
		{ cwd: path.join(root, "pkg"), encoding: "utf8" },
	);
	// The build writes some of the files; what they import is checked where it is written.
	const GENERATED = /^(?:claimkit|command|server|server-worker|mcp)\.js\(/;
	// Declared is what users get; the rest of the modules' functions is for these files alone.
	const UNDECLARED =
		/import\("[^"]*\/pkg\/(?:claimkit|command)"\)|'"[^"]*\/(?:(?:claimkit|command)\.js|claimkit_bg\.wasm(?:\.js)?)"'/;
	const lines = stdout.split(/\n(?=\S)/).filter((line) => line.trim() !== "");
	assert.ok(
		lines.some((line) => UNDECLARED.test(line)),
		"nothing was checked",
	);
	assert.deepEqual(
		lines.filter((line) => !GENERATED.test(line) && !UNDECLARED.test(line)),
		[],
	);
});

test("every exported type and function is documented", () => {
	const text = readFileSync(path.join(root, "pkg/types.d.ts"), "utf8");
	const bare = [
		...text.matchAll(
			/(?:^|\n)(?<!\*\/\n)export (?:interface|function|type) (\w+)/g,
		),
	].map(([, name]) => name);
	// Answers are what their function's comment says.
	assert.deepEqual(
		bare.filter(
			(name) =>
				!/(Answer|Check|Verdict|Entry|Object|Placement|Severity|Inverse)$/.test(
					name,
				),
		),
		[],
	);
});

test("unusable arguments throw a TypeError that says what is wrong", () => {
	const {
		parse,
		validate,
		convert,
		evaluate,
		hover,
		complete,
		fixes,
		codes,
		prepareNodes,
		admit,
		jsonSchema,
	} = claimkit;
	const cases = [
		[
			() => parse(),
			/^claimkit: parse: `text` is undefined, expected a string, a Uint8Array or an object$/,
		],
		[() => parse(null), /`text` is null, expected a string/],
		[() => validate("", 1), /the options are 1, expected an object/],
		[
			() => validate("", []),
			/the options are of type Array, expected an object/,
		],
		[
			() => validate("", new Map()),
			/the options are of type Map, expected an object/,
		],
		[
			() => validate("", { to: "v1alpha1" }),
			/unknown option `to`, expected one of `release`, `gates`, `limits`/,
		],
		[
			() => validate("", { limits: { aliasExpansion: 1 } }),
			/`limits.aliasExpansion`: unknown field `aliasExpansion`/,
		],
		...[
			new ArrayBuffer(1),
			new DataView(new ArrayBuffer(1)),
			new Map(),
			Promise.resolve(""),
			new Response(""),
			new Date(),
			5,
			true,
			() => 1,
		].map((value) => [
			() => validate(value),
			/^claimkit: validate: `text` is (of type \w+|5|true), expected a string, a Uint8Array or an object$/,
		]),
		[
			() => evaluate("", { nodes: { ...claimkit.prepareNodes(nodes) } }),
			/`nodes` is a PreparedNodes or a PreparedCluster, or a copy of one/,
		],
		[
			() => evaluate("", { nodes, explain: "abc" }),
			/`explain`: invalid type: string "abc", expected a sequence$/,
		],
		[
			() => validate("", { gates: "x" }),
			/`gates`: invalid type: string "x", expected a map$/,
		],
		[() => claimkit.answer(5), /`request` is 5, expected a string of JSON/],
		[
			() => claimkit.answer(),
			/`request` is undefined, expected a string of JSON/,
		],
		[() => jsonSchema({}), /`kind` is of type Object, expected a string/],
		[
			() => convert("", { to: "v1alpha1", lossy: true }),
			/`lossy`: invalid type: boolean `true`, expected a string/,
		],
		[() => validate("", { strict: true }), /unknown option `strict`/],
		[() => validate("", { text: "" }), /unknown option `text`/],
		[() => validate("", { release: "1.99" }), /unknown release `1.99`/],
		[() => validate("", { operation: "update" }), /old/],
		[() => convert(""), /to/],
		[() => convert("", { to: "v2" }), /v2/],
		[() => evaluate(""), /nodes/],
		[() => hover(""), /`position` is missing/],
		[
			() => hover("", { row: 1 }),
			/`position` cannot be used: `row`: unknown field `row`/,
		],
		[() => complete("", { line: -1 }), /`position` cannot be used/],
		[() => fixes("", { start: 1 }), /`range` is|range/],
		[() => codes({ locale: "fr" }), /unknown locale `fr`/],
		[() => prepareNodes(1), /`nodes` is 1, expected a string/],
		[() => admit("{"), /`request` cannot be read/],
		[() => jsonSchema("1.30", "Nope"), /Nope/],
	];
	for (const [call, message] of cases)
		assert.throws(
			call,
			(error) => error instanceof TypeError && message.test(error.message),
			`${call} ${message}`,
		);
});

test("the error of a caller's own toJSON is the caller's", () => {
	class Mine extends Error {}
	const object = {
		toJSON() {
			throw new Mine("mine");
		},
	};
	for (const call of [
		() => claimkit.validate(object),
		() =>
			claimkit.validate("", {
				get release() {
					throw new Mine("mine");
				},
			}),
		() => claimkit.validate("", { operation: "update", old: object }),
	])
		assert.throws(call, Mine);
});

test("every finding about a text to be created has a range", () => {
	for (const text of [
		good,
		bad,
		"",
		"a: [",
		"{",
		"kind: List",
		"a: 1\n---\n- b",
		"\0",
	]) {
		for (const finding of claimkit.validate(text).findings)
			assert.ok(finding.range, JSON.stringify([text.slice(0, 20), finding]));
	}
});

test("an old object may be an object, as the text may", () => {
	const object = {
		apiVersion: "resource.k8s.io/v1alpha2",
		kind: "ResourceClaim",
		metadata: { name: "a", resourceVersion: "1" },
		spec: { resourceClassName: "b" },
	};
	const options = { operation: "update" };
	assert.deepEqual(
		claimkit.validate(object, { ...options, old: object }),
		claimkit.validate(object, { ...options, old: JSON.stringify(object) }),
	);
});

test("positions count UTF-16 code units and bytes, on CRLF lines too", () => {
	const text =
		'apiVersion: resource.k8s.io/v1alpha2\r\nkind: ResourceClaim\r\nmetadata: {name: "é😀X"}\r\nspec: {resourceClassName: a}\r\n';
	const [finding] = claimkit
		.validate(text)
		.findings.filter(({ path }) => path === "metadata.name");
	const { start, end } = finding.range;
	const lines = text.split("\r\n");
	assert.equal(
		lines[start.line].slice(start.character, end.character).replaceAll('"', ""),
		"é😀X",
	);
	assert.equal(
		text.slice(start.offset, end.offset).replaceAll('"', ""),
		"é😀X",
	);
	const bytes = Buffer.from(text)
		.subarray(start.byteOffset, end.byteOffset)
		.toString();
	assert.equal(bytes.replaceAll('"', ""), "é😀X");
	const at = text.indexOf("resourceClassName");
	for (const place of [
		{ offset: at },
		{ byteOffset: Buffer.from(text.slice(0, at)).length },
		{ line: 3, character: lines[3].indexOf("resource") },
	]) {
		assert.match(
			claimkit.hover(text, place).hover?.title ?? "",
			/resourceClassName/,
			JSON.stringify(place),
		);
	}
});

test("an object's findings have paths and no ranges", () => {
	const answer = claimkit.validate({
		apiVersion: "resource.k8s.io/v1alpha2",
		kind: "ResourceClaim",
		metadata: { name: "A" },
		spec: {},
	});
	assert.ok(
		answer.findings.some(({ path }) => path === "spec.resourceClassName"),
	);
	assert.doesNotMatch(JSON.stringify(answer), /"range"/);
	assert.doesNotMatch(
		JSON.stringify(
			claimkit.evaluate(
				JSON.parse(
					'{"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClass","metadata":{"name":"a"},"driverName":"a.b"}',
				),
				{ nodes },
			),
		),
		/"range"/,
	);
});

test("prepared nodes answer as the nodes themselves", () => {
	const prepared = claimkit.prepareNodes(nodes);
	const answer = claimkit.evaluate(good, { nodes: prepared });
	assert.deepEqual(answer, claimkit.evaluate(good, { nodes }));
	assert.deepEqual(answer, prepared.evaluate(good));
	prepared.free();
});

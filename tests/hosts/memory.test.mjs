// A long run of one instance of the npm package's module: after a hundred thousand calls of every kind, including refused ones,
// its memory and its table of JavaScript values have the same size, and it answers as before.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { here, root } from "./suite.mjs";

const CALLS = 100_000;

// The package hides its instance, so the test captures it at its creation.
const instances = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
	constructor(...given) {
		super(...given);
		instances.push(this);
	}
};
const claimkit = await import(path.join(root, "pkg/node.js"));
claimkit.releases();
WebAssembly.Instance = Instance;
const { exports } = instances[0];

const good = readFileSync(path.join(here, "manifests/good.yaml"), "utf8");
const bad = readFileSync(path.join(here, "manifests/bad.yaml"), "utf8");
const nodes = readFileSync(path.join(here, "manifests/nodes.yaml"), "utf8");
const claim =
	"apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: a}\nspec: {resourceClassName: b}\n";
const object = {
	apiVersion: "resource.k8s.io/v1alpha2",
	kind: "ResourceClaim",
	metadata: { name: "a" },
	spec: { resourceClassName: "b" },
};
const admission = { uid: "1", operation: "CREATE", object };
const position = { line: 3, character: 8 };
const bomb = Array.from(
	{ length: 9 },
	(_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(",")}]\n`,
).join("");
const bytes = (text) => new TextEncoder().encode(text);

/** Thrown for arguments that cannot be used. */
const thrown = (call) => () => {
	assert.throws(call, TypeError);
	return { ok: false };
};

// Each gives an answer; `ok` is what its answer must say.
const answered = {
	validate: [() => claimkit.validate(claim), true],
	"validate a file": [() => claimkit.validate(good), true],
	"validate with findings": [() => claimkit.validate(bad), false],
	"validate bytes": [() => claimkit.validate(bytes(claim)), true],
	"validate an object": [() => claimkit.validate(object), true],
	"validate an update of bytes": [
		() => claimkit.validate(claim, { operation: "update", old: bytes(claim) }),
		false,
	],
	"validate an update": [
		() =>
			claimkit.validate(claim, {
				operation: "update",
				old: claim.replace(": b", ": c"),
			}),
		false,
	],
	parse: [() => claimkit.parse(claim), true],
	convert: [() => claimkit.convert(claim, { to: "v1alpha1" }), true],
	evaluate: [
		() =>
			claimkit.evaluate(undefined, {
				selector: "nodeSelectorTerms: []",
				nodes,
			}),
		true,
	],
	admit: [
		() =>
			claimkit.admit({ request: admission }.request, {
				resourceClasses: { allow: ["b"] },
			}),
		true,
	],
	"admit and deny": [
		() => claimkit.admit(admission, { resourceClasses: { deny: ["*"] } }),
		false,
	],
	hover: [() => claimkit.hover(claim, position), true],
	complete: [() => claimkit.complete(claim, position), true],
	fixes: [() => claimkit.fixes(bad), true],
	releases: [() => claimkit.releases(), true],
	answer: [
		() =>
			JSON.parse(
				claimkit.answer(JSON.stringify({ verb: "validate", text: claim })),
			),
		true,
	],
};
const refused = {
	"a text that is no YAML": () => claimkit.validate("a: [1, {b: 'c\n"),
	"a text that is no JSON": () => claimkit.validate('{"a": [1, {"b": "c\n'),
	"bytes that are no UTF-8": () =>
		claimkit.validate(new Uint8Array([0x61, 0x3a, 0xff])),
	"nodes whose bytes are no UTF-8": () =>
		claimkit.evaluate(claim, { nodes: new Uint8Array([0x61, 0x3a, 0xff]) }),
	"an old object whose bytes are no UTF-8": () =>
		claimkit.validate(claim, {
			operation: "update",
			old: new Uint8Array([0x61, 0x3a, 0xff]),
		}),
	"an old object that throws": () => {
		const old = () => {
			throw new RangeError("mine");
		};
		assert.throws(
			() =>
				claimkit.validate(
					claim,
					Object.defineProperty({}, "old", { get: old, enumerable: true }),
				),
			RangeError,
		);
		assert.throws(
			() =>
				claimkit.evaluate(
					claim,
					Object.defineProperty({ selector: bytes("{}") }, "release", {
						get: old,
						enumerable: true,
					}),
				),
			RangeError,
		);
		return { ok: false };
	},
	"half a character": () => claimkit.validate("a: \ud83d\n"),
	"zero bytes": () => claimkit.validate("\0\0\0"),
	nothing: () => claimkit.validate(""),
	"a bomb of aliases": () =>
		claimkit.validate(`a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${bomb}${claim}`),
	"lists as deep as they go": () =>
		claimkit.validate(`a: ${"[".repeat(10_001)}`),
	"objects as deep as they go": () => claimkit.validate('{"a":'.repeat(10_001)),
	"more bytes than allowed": () =>
		claimkit.validate(claim, { limits: { bytes: 10 } }),
	"more nodes than allowed": () =>
		claimkit.validate(claim, { limits: { nodes: 3 } }),
	"more findings than allowed": () =>
		claimkit.validate(bad, { limits: { findings: 1 } }),
	"no text": thrown(() => claimkit.validate(undefined)),
	"a function": thrown(() => claimkit.validate(() => 1)),
	"an object in a circle": thrown(() => {
		const circle = {};
		circle.circle = circle;
		claimkit.validate(circle);
	}),
	"an option nobody knows": thrown(() =>
		claimkit.validate(claim, { bogus: 1 }),
	),
	"an option that throws": () => {
		assert.throws(() =>
			claimkit.validate(claim, {
				get namespace() {
					throw new RangeError("mine");
				},
			}),
		);
		return { ok: false };
	},
	"a conversion to nowhere": thrown(() =>
		claimkit.convert(claim, { to: "v9" }),
	),
	"a conversion of what is broken": () =>
		claimkit.convert("a: [", { to: "v1alpha1" }),
	"nodes that are none": () => claimkit.evaluate(claim, { nodes: "a: [" }),
	"a request that is no admission request": () =>
		claimkit.admit({ operation: 1 }),
	"settings that contradict themselves": () =>
		claimkit.admit(admission, { mode: "both", bogus: 1 }),
	"a request that is no JSON": () => JSON.parse(claimkit.answer('{"verb": ')),
	"a verb nobody knows": () => JSON.parse(claimkit.answer('{"verb": "judge"}')),
};

/** Reads nodes, asks them, and gives them back. */
function prepared() {
	const set = claimkit.prepareNodes(nodes);
	try {
		return claimkit.evaluate(undefined, {
			selector: "nodeSelectorTerms: []",
			nodes: set,
		});
	} finally {
		set.free();
	}
}

for (const [name, call] of Object.entries(refused)) {
	test(`after ${name} the instance still answers`, () => {
		const before = JSON.stringify(claimkit.validate(bad));
		assert.equal(call().ok, false);
		assert.equal(JSON.stringify(claimkit.validate(bad)), before);
	});
}

for (const [name, [call, ok]] of Object.entries(answered)) {
	test(`${name} answers in the same instance`, () =>
		assert.equal(call().ok, ok, JSON.stringify(call()).slice(0, 500)));
}

test(`${CALLS} calls leave the memory as it was`, (context) => {
	assert.equal(instances.length, 1);
	const large = `${good}---\n`.repeat(100);
	// Calls that need much time or memory are rarer than the others.
	const slow = [
		answered.hover[0],
		answered.complete[0],
		answered.releases[0],
		refused["a bomb of aliases"],
	];
	const largest = [
		() => claimkit.validate(large),
		() => claimkit.parse(large),
		() => claimkit.convert(large, { to: "v1alpha1" }),
		refused["lists as deep as they go"],
		refused["objects as deep as they go"],
	];
	const all = [
		...Object.values(answered).map(([call]) => call),
		...Object.values(refused),
		prepared,
	];
	const often = all.filter(
		(call) => !slow.includes(call) && !largest.includes(call),
	);
	let made = 0;
	const round = (count) => {
		for (let n = 0; n < count; n++, made++) {
			const calls =
				made % 1000 === 0 ? largest : made % 20 === 0 ? slow : often;
			calls[
				Math.floor(
					made / (calls === largest ? 1000 : calls === slow ? 20 : 1),
				) % calls.length
			]();
		}
	};
	round(5000);
	const sizes = () => ({
		memory: exports.memory.buffer.byteLength,
		values: exports.__wbindgen_externrefs.length,
	});
	const before = sizes();
	made = 0;
	round(CALLS);
	context.diagnostic(
		`${made} calls: ${before.memory} bytes of memory and a table of ${before.values} values, before and after`,
	);
	assert.equal(made, CALLS);
	assert.deepEqual(sizes(), before);
});

test("a long file takes room for its text and its answer, not for all its documents", (context) => {
	const count = 20_000;
	const text = Array.from({ length: count }, (_, n) =>
		claim.replace(
			"name: a",
			`name: claim-${n}, labels: {app: training, team: research-${n % 7}}`,
		),
	).join("---\n");
	assert.equal(claimkit.validate(text).objects.length, count);
	const each = Math.round(exports.memory.buffer.byteLength / count);
	context.diagnostic(
		`${each} bytes of memory for each document of ${Math.round(text.length / count)}`,
	);
	// The answer is one JSON text; kept whole, a document like this takes 1400 bytes more. With answers
	// that are typed to the end it takes 2,572 bytes.
	assert.ok(each < 2650, `${each}`);
});

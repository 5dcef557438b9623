// Texts, options and answers go into the module and out of it in several ways. None of this may affect an answer.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { answer, evaluate, parse, validate } from "../../pkg/node.js";
import { here, root } from "./suite.mjs";

const claim = (name, more = "") => `apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata:
  name: ${name}
  namespace: ml
spec:
  resourceClassName: gpu
${more}`;

/** What the contract's own way answers: one JSON text in, one out. */
const told = (text, options) =>
	JSON.parse(answer(JSON.stringify({ verb: "validate", text, ...options })));

function same(text, options) {
	assert.deepEqual(
		validate(text, options),
		told(text, options),
		JSON.stringify([text.slice(0, 200), options]),
	);
}

// As long as the memory that is kept, a byte and a character less and more.
const filled = (bytes, fill = "x") => {
	const head = claim("a", "# ");
	return (
		head +
		fill.repeat((bytes - Buffer.byteLength(head)) / Buffer.byteLength(fill))
	);
};

const TEXTS = [
	...["good", "bad"].map((name) =>
		readFileSync(path.join(here, "manifests", `${name}.yaml`), "utf8"),
	),
	readFileSync(path.join(root, "tests/ratchets/claim.yaml"), "utf8"),
	"",
	"\n",
	"a: [",
	"{",
	claim("a"),
	claim("a").replaceAll("\n", "\r\n"),
	claim("a").replace("ml", "'ml'").replace("gpu", "gpu # é"),
	claim("a", "# é😀\n"),
	claim("é"),
	claim("a").replace("ml", "😀"),
	claim("a").replace("  namespace: ml\n", ""),
	claim("a").replace("v1alpha2", "v1alpha1"),
	claim("a")
		.replace("ResourceClaim", "ResourceClass")
		.replace("  namespace: ml\n", ""),
	claim("a").replace("resource.k8s.io", "apps"),
	`${claim("a")}---\n${claim("b")}`,
	`${claim("a")}---\n${claim("A")}`,
	`---\n# nothing\n---\n${claim("a")}`,
	`${claim("a")}---\n# end\n`,
	JSON.stringify({
		apiVersion: "resource.k8s.io/v1alpha2",
		kind: "ResourceClaim",
		metadata: { name: "a", namespace: "ml" },
		spec: { resourceClassName: "gpu" },
	}),
	...[4094, 4095, 4096, 4097, 5000].map((bytes) => filled(bytes)),
	...[4093, 4096, 4099, 8000].map((bytes) => filled(bytes, "日")),
];

const OPTIONS = [
	undefined,
	null,
	{},
	{ release: "1.26" },
	{ release: "1.29.3", namespace: "ml" },
	{ namespace: "other" },
	{ limits: { findings: 1 } },
	{ via: "validator" },
	{ fieldValidation: "Warn" },
];

test("every way of calling answers the same", () => {
	for (const options of OPTIONS) {
		for (const text of TEXTS) same(text, options ?? {});
	}
	// Another option at each call.
	for (const [index, text] of TEXTS.entries()) {
		for (let turn = 0; turn < OPTIONS.length; turn++)
			same(text, OPTIONS[(index + 4 * turn) % OPTIONS.length] ?? {});
	}
});

test("half a pair of surrogates is read as U+FFFD", () => {
	for (const half of ["\ud83d", "\ude00"])
		assert.deepEqual(validate(claim(`a${half}`)), told(claim("a\ufffd"), {}));
});

test("options are looked at anew at each call", () => {
	const text = claim("a").replace("  namespace: ml\n", "");
	const place = (options) =>
		validate(text, options)
			.findings.map(({ message }) => message)
			.join();
	const options = { namespace: "one" };
	assert.match(place(options), /`one`/);
	options.namespace = "two";
	assert.match(place(options), /`two`/);
	delete options.namespace;
	assert.match(place(options), /`default`/);
	assert.match(
		place({
			get namespace() {
				return "three";
			},
		}),
		/`three`/,
	);
	assert.throws(
		() => place(Object.create({ namespace: "four" })),
		/the option `namespace` is inherited/,
	);
	assert.match(
		place(Object.assign(Object.create(null), { namespace: "five" })),
		/`five`/,
	);
	assert.match(place({ toJSON: () => ({ namespace: "six" }) }), /`six`/);
});

test("options that cannot be used are refused each time, and hurt no other call", () => {
	const cycle = {};
	cycle.namespace = cycle;
	const thrower = {
		get release() {
			throw new Error("thrown by the caller");
		},
	};
	for (const [options, words] of [
		[{ releas: "1.30" }, /unknown option `releas`/],
		[{ release: "1.99" }, /unknown release `1.99`/],
		[
			{ release: 5 },
			/^TypeError: claimkit: \w+: `release`: invalid type: integer `5`, expected a string$/,
		],
		[
			{ limits: { findings: "1" } },
			/: `limits.findings`: invalid type: string "1", expected/,
		],
		[
			{ fieldValidation: "strict" },
			/: `fieldValidation`: unknown variant `strict`, expected/,
		],
		[{ text: "a" }, /unknown option `text`/],
		[{ verb: "parse" }, /unknown option `verb`/],
		[{ operation: "update" }, /`old` is missing/],
		[[], /the options are of type Array, expected an object/],
		["1.30", /the options are "1.30", expected an object/],
		[cycle, /cannot be written as JSON/],
		[{ limits: { findings: 1n } }, /cannot be written as JSON/],
	]) {
		for (let turn = 0; turn < 2; turn++) {
			assert.throws(() => validate(claim("a"), options), words);
			same(claim("a"), { release: "1.30" });
			if (options.operation === undefined)
				assert.throws(() => parse(claim("a"), options), /claimkit: parse/);
		}
	}
	for (let turn = 0; turn < 2; turn++) {
		assert.throws(
			() => validate(claim("a"), thrower),
			/cannot be written as JSON|thrown by the caller/,
		);
		same(claim("a"), {});
	}
});

test("values of the user's are what JSON.parse makes of them", () => {
	const text = `apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaimParameters
metadata: {name: a, namespace: ml, resourceVersion: "1", annotations: {__proto__: x, b: "\\U0001F600"}}
__proto__: {a: 1}
numbers: [12345678901234567890, 9007199254740993, -9223372036854775808, 1.0, 1e3, -0, 1e300]
empty: {a: {}, b: []}
`;
	const patch = '{"metadata": {"annotations": {"__proto__": "y", "n": "1"}}}';
	for (const [verb, call, request] of [
		["parse", () => parse(text, { raw: true }), { raw: true }],
		["parse", () => parse(text), {}],
		[
			"validate",
			() => validate(text, { operation: "update", old: text, stored: true }),
			{ operation: "update", old: text, stored: true },
		],
		[
			"validate",
			() =>
				validate(patch, { operation: "patch", patchType: "merge", old: text }),
			{ operation: "patch", patchType: "merge", old: text },
		],
	]) {
		const given = request.operation === "patch" ? patch : text;
		const expected = JSON.parse(
			answer(JSON.stringify({ verb, text: given, ...request })),
		);
		const found = call();
		assert.deepStrictEqual(found, expected);
		assert.equal(JSON.stringify(found), JSON.stringify(expected));
	}
	assert.deepEqual(Object.keys(parse(text, { raw: true }).raw), [
		"__proto__",
		"apiVersion",
		"empty",
		"kind",
		"metadata",
		"numbers",
	]);
});

test("options that throw, or hold themselves, cost nothing but their call", () => {
	const thrower = {
		limits: {
			get findings() {
				throw new Error("thrown by the caller");
			},
		},
	};
	const cycle = { limits: {} };
	cycle.limits.findings = cycle;
	for (let turn = 0; turn < 2_000; turn++) {
		assert.throws(() => validate(claim("a"), thrower), /thrown by the caller/);
		assert.throws(
			() => validate(claim("a"), cycle),
			/cannot be written as JSON/,
		);
	}
	same(claim("a"), {});
	assert.deepEqual(
		validate(claim("a"), { gates: undefined, limits: { findings: undefined } }),
		told(claim("a"), {}),
	);
});

test("options may call claimkit while they are read", () => {
	const text = claim("a").replace("  namespace: ml\n", "");
	const inner = [];
	const options = {
		get namespace() {
			inner.push(
				validate(text, { namespace: "inner" }),
				validate(claim("b")),
				parse(text, { release: "1.27" }),
			);
			return "outer";
		},
	};
	for (let turn = 0; turn < 2; turn++)
		assert.deepEqual(
			validate(text, options),
			told(text, { namespace: "outer" }),
		);
	for (const [index, found] of inner.entries()) {
		if (index % 3 === 0)
			assert.deepEqual(found, told(text, { namespace: "inner" }));
		if (index % 3 === 1) assert.deepEqual(found, told(claim("b"), {}));
	}
	assert.ok(inner.length >= 6);
	const object = {
		toJSON: () => {
			validate(text, { namespace: "inner" });
			return { kind: "ResourceClaim" };
		},
	};
	assert.equal(validate(object, { namespace: "outer" }).ok, false);
	assert.deepEqual(
		validate(text, { namespace: "inner" }),
		told(text, { namespace: "inner" }),
	);
});

test("large options are used, and forgotten", () => {
	const stored = claim("a", `# ${"x".repeat(3000)}\n`).replace(
		"  name: a",
		"  name: a\n  resourceVersion: '1'",
	);
	for (let turn = 0; turn < 2; turn++) {
		same(claim("a"), { operation: "update", old: stored });
		same(claim("a"), {});
		same(claim("a").replace("gpu", "tpu"), {
			operation: "update",
			old: stored,
		});
		same(claim("a"), { release: "1.28" });
	}
});

test("bytes among the options, prepared nodes and other verbs do not stay for the next call", () => {
	const old = new TextEncoder().encode(
		claim("a").replace("  name: a", "  name: a\n  resourceVersion: '1'"),
	);
	for (let turn = 0; turn < 2; turn++) {
		assert.equal(validate(claim("a"), { operation: "update", old }).ok, true);
		assert.throws(
			() => validate(claim("a"), { operation: "update" }),
			/`old` is missing/,
		);
		assert.equal(evaluate(claim("a"), { nodes: [] }).verb, "evaluate");
		assert.equal(parse(claim("a")).objects[0].object.kind, "ResourceClaim");
		assert.equal(
			validate(new TextEncoder().encode(claim("a"))).objects[0].range.end.line,
			7,
		);
		assert.equal(
			validate({
				apiVersion: "resource.k8s.io/v1alpha2",
				kind: "ResourceClaim",
			}).objects[0].range,
			undefined,
		);
		same(claim("a"), {});
	}
});

test("short texts are read after the memory has grown", () => {
	same(claim("a"), {});
	const large = Array.from({ length: 60_000 }, (_, index) =>
		claim(`a${index}`),
	).join("---\n");
	assert.equal(validate(large).objects.length, 60_000);
	same(claim("b"), {});
	same(claim("A"), {});
});

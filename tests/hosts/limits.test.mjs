// Every limit of the contract, through every interface of this folder: the native command, npx, the npm package. All answers are
// equal. tests/policy holds the same limits for the policy modules.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { commands, root, run } from "./suite.mjs";

const claimkit = await import(path.join(root, "pkg/node.js"));

const claim =
	"apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: a}\nspec: {resourceClassName: b}\n";
const wrong = claim.replace("spec:", "x: 1\ny: 2\nz: 3\nspec:");
const nested = (depth) => `a: ${"[".repeat(depth)}1${"]".repeat(depth)}\n`;
const levels = Array.from(
	{ length: 9 },
	(_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(",")}]\n`,
).join("");
const bomb = claim.replace(
	"spec:",
	`a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${levels}spec:`,
);
const documents = "---\na: 1\n".repeat(10_100);

// The finding's code and its words for each limit of the contract.
const texts = {
	"bytes, lowered": [
		{ text: claim, limits: { bytes: 10 } },
		"limit-bytes",
		/^the text has 106 bytes, the limit is 10$/,
	],
	"depth, lowered": [
		{ text: nested(6), limits: { depth: 3 } },
		"limit-nodes",
		/^the document has more than 3 levels of nesting$/,
	],
	"depth, as upstream has it": [
		{ text: nested(10_001) },
		"yaml-syntax",
		/^yaml: exceeded max depth of 10000$/,
	],
	"depth of JSON, as upstream has it": [
		{ text: `{"a": ${nested(10_001).slice(3)}}` },
		"json-syntax",
		/exceeded max depth/,
	],
	"depth of JSON, lowered": [
		{ text: `{"a": ${nested(6).slice(3)}}`, limits: { depth: 3 } },
		"limit-nodes",
		/^the document has more than 3 levels of nesting$/,
	],
	"nodes, lowered": [
		{ text: claim, limits: { nodes: 5 } },
		"limit-nodes",
		/^the document has more than 5 nodes$/,
	],
	"aliases, as upstream has it": [
		{ text: bomb },
		"yaml-syntax",
		/^yaml: document contains excessive aliasing$/,
	],
	"findings, lowered": [
		{ text: wrong, limits: { findings: 2 } },
		"limit-findings",
		/^\d+ more findings are left out, the limit is 2$/,
	],
};
const verbs = {
	parse: {},
	validate: {},
	convert: { to: "v1alpha1" },
	evaluate: { nodes: null },
};
const cases = [];
for (const [name, [request, code, message]] of Object.entries(texts)) {
	for (const [verb, more] of Object.entries(verbs))
		cases.push([
			`${verb}: ${name}`,
			{ verb, ...request, ...more },
			code,
			message,
		]);
}
cases.push(
	[
		"convert: findings of many documents",
		{ verb: "convert", text: documents, to: "v1alpha1" },
		"limit-findings",
		/^\d+ more findings are left out, the limit is 10000$/,
	],
	[
		"validate: bytes of the stored object",
		{
			verb: "validate",
			operation: "update",
			text: "a: 1",
			old: claim,
			limits: { bytes: 50 },
		},
		"stored-object",
		/the text has 106 bytes, the limit is 50$/,
	],
	[
		"validate: bytes of the patch",
		{
			verb: "validate",
			operation: "patch",
			old: claim,
			patch: " ".repeat(500),
			limits: { bytes: 300 },
		},
		"patch-refused",
		/the text has 500 bytes, the limit is 300$/,
	],
	[
		"evaluate: bytes of the selector",
		{
			verb: "evaluate",
			selector: "nodeSelectorTerms: []",
			nodes: null,
			limits: { bytes: 10 },
		},
		"limit-bytes",
		/^the text has 21 bytes, the limit is 10$/,
	],
	[
		"evaluate: bytes of the nodes",
		{ verb: "evaluate", text: claim, nodes: "{}", limits: { nodeSetBytes: 1 } },
		"limit-bytes",
		/^the text with Nodes has 2 bytes, the limit is 1$/,
	],
);

/** All requests through one process, and the answers. */
const batch = (command) => {
	const input = cases
		.map(([, request]) => `${JSON.stringify(request)}\n`)
		.join("");
	return run(command, ["batch"], { input }).stdout.split("\n").slice(0, -1);
};
const answers = Object.fromEntries(
	commands.map((command) => [command[0], batch(command)]),
);
const native = answers.native;

cases.forEach(([name, request, code, message], number) => {
	test(`${name}: refused with its finding, and told alike`, () => {
		const answer = JSON.parse(native[number]);
		const finding = answer.findings.find(
			(finding) => finding.code === code && message.test(finding.message),
		);
		assert.ok(finding, `no ${code} in ${native[number].slice(0, 2000)}`);
		// A conversion may succeed with some warnings left out; nothing else here may succeed.
		assert.equal(answer.ok && code !== "limit-findings", false);
		assert.equal(answers.npx[number], native[number]);
		assert.equal(claimkit.answer(JSON.stringify(request)), native[number]);
		const { verb, text, ...options } = request;
		// The package's functions take a manifest or a selector.
		if (text !== undefined || options.selector !== undefined)
			assert.deepEqual(
				claimkit[verb](text, options),
				JSON.parse(native[number]),
			);
	});
});

test("documents are read to the end, however many", () => {
	const many = `${claim}---\n`.repeat(2000);
	const requests = `${JSON.stringify({ verb: "validate", text: many })}\n`;
	for (const command of commands)
		assert.equal(
			JSON.parse(run(command, ["batch"], { input: requests }).stdout).objects
				.length,
			2000,
		);
	assert.equal(claimkit.validate(many).objects.length, 2000);
});

test("64 MiB and a byte are refused by the commands and the package", () => {
	const scratch = mkdtempSync(path.join(tmpdir(), "claimkit-"));
	try {
		const text = `#${"x".repeat((64 << 20) - 1)}\n`;
		writeFileSync(path.join(scratch, "large.yaml"), text);
		const told = `the text has ${text.length} bytes, the limit is ${64 << 20}`;
		for (const command of commands) {
			const { stderr, exit } = run(command, ["validate", "large.yaml"], {
				cwd: scratch,
			});
			assert.equal(
				stderr,
				"claimkit: large.yaml: larger than 64 MiB, the most that is read\n",
				command[0],
			);
			assert.equal(exit, 2);
		}
		assert.deepEqual(
			claimkit
				.validate(text)
				.findings.map(({ code, message }) => [code, message]),
			[["limit-bytes", told]],
		);
		assert.ok(claimkit.validate(claim).ok);
	} finally {
		rmSync(scratch, { recursive: true });
	}
});

test("editors are told too when a text is too large", () => {
	for (const call of [
		() =>
			claimkit.hover(
				claim,
				{ line: 0, character: 1 },
				{ limits: { bytes: 10 } },
			),
		() =>
			claimkit.complete(
				claim,
				{ line: 0, character: 1 },
				{ limits: { bytes: 10 } },
			),
		() => claimkit.fixes(claim, undefined, { limits: { bytes: 10 } }),
	]) {
		assert.throws(call, {
			name: "TypeError",
			message: /the text has 106 bytes, the limit is 10$/,
		});
	}
});

test("a limit that is no limit is refused", () => {
	for (const limits of [
		{ bytes: -1 },
		{ bytes: "10" },
		{ bytes: 1e300 },
		{ byte: 10 },
		10,
	]) {
		assert.throws(
			() => claimkit.validate(claim, { limits }),
			TypeError,
			JSON.stringify(limits),
		);
		const { error, ok } = JSON.parse(
			claimkit.answer(
				JSON.stringify({ verb: "validate", text: claim, limits }),
			),
		);
		assert.equal(ok, false);
		assert.match(error, /cannot be used/);
	}
});

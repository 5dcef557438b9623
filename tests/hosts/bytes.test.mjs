// Bytes that are no UTF-8: the npm package and both command lines read them as kubectl does and say the same of them.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { evaluate, parse, prepareNodes, validate } from "../../pkg/node.js";
import { commands, run } from "./suite.mjs";

const head = Buffer.from(
	"apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: ",
);
const tail = Buffer.from("\nspec: {resourceClassName: gpu}\n");
const around = (...bytes) => Buffer.concat([head, Buffer.from(bytes), tail]);
const little = (text) =>
	Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
const big = (text) => little(text).swap16();
const claim = (name) =>
	Buffer.concat([head, Buffer.from(name), tail]).toString();

/** The answers of all interfaces to bytes, which must be equal. */
function everywhere(verb, bytes) {
	const answer = { validate, parse }[verb](new Uint8Array(bytes));
	for (const command of commands) {
		const { stdout } = run(command, [verb, "-o", "json", "-"], {
			input: bytes,
		});
		assert.deepEqual(JSON.parse(stdout).files[0].answer, answer, command[0]);
	}
	return answer;
}

const REPLACED =
	"a byte here is not UTF-8: kubectl reads the character U+FFFD in its place";

test("bytes that are no character are read as kubectl reads them, with a warning where they stand", () => {
	for (const [bytes, name] of [
		[[0xff], "\ufffd"],
		[[0x63, 0xe9], "c\ufffd"],
		[[0xc0, 0x80], "\ufffd\ufffd"],
		[[0xed, 0xa0, 0x80], "\ufffd\ufffd\ufffd"],
		[[0xf0, 0x9f, 0x98, 0x61], "\ufffda"],
	]) {
		const { objects, findings } = everywhere("parse", around(...bytes));
		assert.equal(objects[0].name, name);
		const [{ code, origin, severity, message, help, fixes, range }] = findings;
		assert.deepEqual(
			{ code, origin, severity, message, fixes },
			{
				code: "not-utf8",
				origin: "claimkit",
				severity: "warning",
				message: REPLACED,
				fixes: [],
			},
		);
		assert.equal(help, "save the file as UTF-8");
		const offset = head.length + bytes.findIndex((byte) => byte >= 0x80);
		assert.deepEqual(
			[range.start.byteOffset, range.end.byteOffset],
			[offset, offset + 3],
		);
		assert.deepEqual(
			[range.start.offset, range.end.offset],
			[offset, offset + 1],
		);
	}
	// No fix is offered that would rewrite the file.
	const misspelled = Buffer.from(
		around(0xe9)
			.toString("latin1")
			.replace("resourceClassName", "resourceClasName"),
		"latin1",
	);
	const { findings } = everywhere("validate", misspelled);
	assert.ok(findings.some(({ code }) => code === "unknown-field"));
	assert.deepEqual(
		findings.flatMap(({ fixes }) => fixes),
		[],
	);
	// A U+FFFD in the source is valid text.
	assert.deepEqual(
		everywhere("parse", Buffer.from(claim("a\ufffd"))).findings,
		[],
	);
	assert.equal(
		everywhere("validate", around(0x07)).findings[0].message,
		"yaml: control characters are not allowed",
	);
});

test("UTF-16 with a byte order mark is text", () => {
	for (const bytes of [little(claim("shared")), big(claim("shared"))]) {
		assert.equal(everywhere("validate", bytes).ok, true);
	}
	// Places count in the text.
	const { findings } = everywhere("validate", big(claim("é😀")));
	assert.equal(findings[0].code, "name-invalid");
	assert.deepEqual(findings, validate(claim("é😀")).findings);
	const half = Buffer.concat([
		little("a: "),
		Buffer.from([0x3d, 0xd8, 0x0a, 0x00]),
	]);
	assert.equal(everywhere("validate", half).findings[0].message, REPLACED);
});

test("in JSON a byte that is no character is read as U+FFFD, as Go reads it", () => {
	const [before, after] = [
		'{"apiVersion":"resource.k8s.io/v1alpha2","kind":"ResourceClaim","metadata":{"name":"a","annotations":{"b":"c',
		'"}},"spec":{"resourceClassName":"gpu"}}',
	];
	const { ok, objects } = everywhere(
		"parse",
		Buffer.concat([
			Buffer.from(before),
			Buffer.from([0xff, 0xfe]),
			Buffer.from(after),
		]),
	);
	assert.equal(ok, true);
	assert.equal(objects[0].object.metadata.annotations.b, "c\ufffd\ufffd");
});

test("evaluate answers to such bytes too", () => {
	const { findings } = evaluate(new Uint8Array(around(0xff)), {
		nodes: "kind: Node\napiVersion: v1\nmetadata: {name: a}\n",
	});
	assert.equal(findings[0].message, REPLACED);
});

const node = Buffer.from(
	"apiVersion: v1\nkind: Node\nmetadata:\n  name: node-",
);
const nodeList = (...bytes) =>
	Buffer.concat([
		Buffer.from('{"apiVersion":"v1","kind":"Node","metadata":{"name":"node-'),
		Buffer.from(bytes),
		Buffer.from('"}}'),
	]);

test("what is given beside the manifest may be bytes too", () => {
	const [claim, old] = [around(0x61), around(0xff)].map(
		(bytes) => new Uint8Array(bytes),
	);
	const warned = (answer, within) => {
		const found = answer.findings
			.filter(({ code }) => code === "not-utf8")
			.map(({ in: about, severity, message }) => ({
				in: about,
				severity,
				message,
			}));
		assert.deepEqual(found, [
			{ in: within, severity: "warning", message: REPLACED },
		]);
		return answer;
	};
	warned(validate(claim, { operation: "update", old }), "old");
	warned(validate("{}", { operation: "patch", old }), "old");
	assert.deepEqual(
		validate(claim, { operation: "update", old: claim }),
		validate(claim, { operation: "update", old: around(0x61).toString() }),
	);
	warned(
		validate(
			new Uint8Array([
				...Buffer.from("metadata: {labels: {a: "),
				0xff,
				0x7d,
				0x7d,
			]),
			{ operation: "patch", old: claim },
		),
		"text",
	);
	const damaged = new Uint8Array([...node, 0xff]);
	for (const answer of [
		evaluate(claim, { nodes: damaged }),
		prepareNodes(damaged).evaluate(claim),
	]) {
		assert.deepEqual(
			warned(answer, "nodes").objects[0].placement.nodes.map(
				({ name }) => name,
			),
			["node-\ufffd"],
		);
	}
	warned(
		evaluate(undefined, {
			nodes: null,
			selector: new Uint8Array([
				...Buffer.from("nodeSelectorTerms: [] # "),
				0xff,
			]),
		}),
		"text",
	);
	for (const bytes of [
		nodeList(0xff),
		Buffer.concat([node, Buffer.from("\ufffd")]),
	]) {
		for (const { objects } of [
			evaluate(claim, { nodes: new Uint8Array(bytes) }),
			prepareNodes(new Uint8Array(bytes)).evaluate(claim),
		]) {
			assert.deepEqual(
				objects[0].placement.nodes.map(({ name }) => name),
				["node-\ufffd"],
			);
		}
	}
	// A stored object given as an object has no text to point into.
	const { findings } = validate(claim, {
		operation: "update",
		old: { ...JSON.parse(nodeList(0x61)) },
	});
	assert.ok(
		findings.every(
			({ in: within, range }) => within === "text" || range === undefined,
		),
	);
});

for (const command of commands) {
	test(`${command[0]}: what is given beside the manifest is read, with a warning that names the file`, () => {
		const scratch = mkdtempSync(path.join(tmpdir(), "claimkit-"));
		try {
			const files = {
				"claim.yaml": around(0x61),
				"old.yaml": around(0xff),
				"nodes.yaml": Buffer.concat([node, Buffer.from([0xff])]),
				"nodes.json": nodeList(0xff),
				"patch.yaml": Buffer.from([
					...Buffer.from("metadata: {annotations: {a: "),
					0xff,
					0x7d,
					0x7d,
				]),
				"request.json": Buffer.from([
					...Buffer.from('{"uid": "'),
					0xff,
					0x22,
					0x7d,
				]),
				"good.json": Buffer.from("{}"),
			};
			for (const [name, bytes] of Object.entries(files))
				writeFileSync(path.join(scratch, name), bytes);
			const warned = (place, ...args) => {
				const { stdout, stderr } = run(command, args, { cwd: scratch });
				assert.ok(
					`${stdout}${stderr}`.includes(
						`${place}: warning: ${REPLACED} [claimkit not-utf8]`,
					),
					`${stdout}${stderr}`,
				);
			};
			warned("old.yaml:4:9", "validate", "--old", "old.yaml", "claim.yaml");
			warned("old.yaml:4:9", "patch", "old.yaml", "good.json");
			warned("patch.yaml:1:29", "patch", "claim.yaml", "patch.yaml");
			warned(
				"nodes.yaml:4:14",
				"evaluate",
				"--nodes",
				"nodes.yaml",
				"claim.yaml",
			);
			const request = run(command, ["admit", "request.json"], { cwd: scratch });
			assert.deepEqual(
				[request.exit, request.stderr],
				[
					2,
					"claimkit: request.json: an admission request is JSON: byte 9 is not UTF-8\n",
				],
			);
			const { stdout } = run(
				command,
				["evaluate", "--nodes", "nodes.json", "claim.yaml"],
				{ cwd: scratch },
			);
			assert.match(stdout, /node-\ufffd/);
			// A request is JSON in UTF-8; the lines after one that is not are answered.
			const lines = Buffer.concat([
				Buffer.from('{"verb":"parse","text":"'),
				Buffer.from([0xff]),
				Buffer.from('"}\n{"verb":"releases"}\n'),
			]);
			const answers = run(command, ["batch"], { input: lines })
				.stdout.trim()
				.split("\n")
				.map((line) => JSON.parse(line));
			assert.equal(
				answers[0].error,
				"the request cannot be used: byte 24 is not UTF-8",
			);
			assert.equal(answers[1].ok, true);
		} finally {
			rmSync(scratch, { recursive: true });
		}
	});

	test(`${command[0]}: what is not UTF-8 is never written over, and UTF-16 is converted to standard output`, () => {
		const scratch = mkdtempSync(path.join(tmpdir(), "claimkit-"));
		try {
			const file = path.join(scratch, "claim.yaml");
			for (const bytes of [little(claim("shared")), around(0xff)]) {
				writeFileSync(file, bytes);
				const there = run(
					command,
					["convert", "--to", "v1alpha1", "--in-place", "claim.yaml"],
					{ cwd: scratch },
				);
				assert.notEqual(there.exit, 0);
				assert.match(
					there.stderr,
					/not written back: its bytes are not UTF-8|not converted: bytes of the text are not UTF-8/,
				);
				assert.deepEqual(readFileSync(file), bytes);
			}
			for (const bytes of [
				little(
					claim("Shared").replace("resourceClassName", "resourceClasName"),
				),
				Buffer.from(
					around(0xff)
						.toString("latin1")
						.replace("resourceClassName", "resourceClasName"),
					"latin1",
				),
			]) {
				writeFileSync(file, bytes);
				const there = run(command, ["validate", "--fix", "claim.yaml"], {
					cwd: scratch,
				});
				assert.match(
					there.stderr,
					/^claimkit: claim\.yaml: not fixed: its bytes are not UTF-8\nv1alpha2: judged as Kubernetes 1\.30\.14; /,
				);
				assert.equal(there.exit, 2);
				assert.deepEqual(readFileSync(file), bytes);
			}
			writeFileSync(file, little(claim("shared")));
			const { stdout, exit } = run(
				command,
				["convert", "--to", "v1alpha1", "claim.yaml"],
				{ cwd: scratch },
			);
			assert.deepEqual(
				[exit, stdout],
				[0, claim("shared").replace("v1alpha2", "v1alpha1")],
			);
		} finally {
			rmSync(scratch, { recursive: true });
		}
	});
}

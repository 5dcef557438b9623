// Functions for tools beside the verbs: fixes applied, answers rendered, releases known, and claimkit in a thread.
import assert from "node:assert/strict";
import {
	cpSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import * as claimkit from "../../pkg/node.js";
import { startWorker } from "../../pkg/worker-node.js";
import { commands, root, run } from "./suite.mjs";

const folder = path.join(root, "tests/hosts/manifests");
const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
const bad = `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: é😀
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassNam: gpu.example.com
`;

test("applyFixes writes what `validate --fix` writes, with and without the fixes that delete", () => {
	let changed = 0;
	for (const unsafe of [false, true]) {
		const copy = mkdtempSync(path.join(tmpdir(), "claimkit-fixes-"));
		try {
			cpSync(folder, copy, { recursive: true });
			for (const name of files) {
				const original = readFileSync(path.join(copy, name), "utf8");
				// Bytes that are not UTF-8 are never rewritten by the command.
				if (original.includes("\ufffd")) continue;
				run(commands[1], [
					"validate",
					"--fix",
					...(unsafe ? ["--unsafe-fixes"] : []),
					"--release",
					"1.36",
					path.join(copy, name),
				]);
				let text = original;
				for (let round = 0; round < 8; round += 1) {
					const fixed = claimkit.applyFixes(
						text,
						claimkit.validate(text, { release: "1.36" }).findings,
						{ unsafe },
					);
					text = fixed.text;
					if (fixed.applied === 0) break;
				}
				assert.equal(
					text,
					readFileSync(path.join(copy, name), "utf8"),
					`${name}, unsafe: ${unsafe}`,
				);
				if (text !== original) changed += 1;
			}
		} finally {
			rmSync(copy, { recursive: true, force: true });
		}
	}
	assert.ok(changed >= 3, `only ${changed} files have fixes`);
});

test("applyFixes counts in the text's own units and says what it left", () => {
	const fixed = claimkit.applyFixes(bad, claimkit.validate(bad).findings);
	assert.ok(
		fixed.text.includes("  name: é😀\n") &&
			fixed.text.includes("        deviceClassName: gpu.example.com\n"),
		fixed.text,
	);
	assert.equal(fixed.applied, 1);
	const edit = (from, to) => ({
		range: { start: { offset: from }, end: { offset: to } },
		newText: "x",
	});
	const finding = (fix) => ({ in: "text", fixes: [{ title: "", ...fix }] });
	const findings = [
		finding({ edits: [edit(0, 2)] }),
		finding({ edits: [edit(1, 3)] }),
		finding({ edits: [edit(4, 5)], deletes: true }),
	];
	assert.deepEqual(claimkit.applyFixes("abcdef", findings), {
		text: "xcdef",
		applied: 1,
		left: 2,
	});
	assert.deepEqual(claimkit.applyFixes("abcdef", findings, { unsafe: true }), {
		text: "xcdxf",
		applied: 2,
		left: 1,
	});
	assert.throws(
		() => claimkit.applyFixes(Buffer.from("a"), []),
		/claimkit: applyFixes: `text` is object, expected a string/,
	);
});

test("format renders as the command does", () => {
	const name = path.join(folder, "bad.yaml");
	const text = readFileSync(name, "utf8");
	const answer = claimkit.validate(text);
	for (const form of ["sarif", "github", "junit"]) {
		const { stdout } = run(commands[1], [
			"validate",
			"--remarks",
			"--output",
			form,
			name,
		]);
		assert.equal(claimkit.format(answer, form, { text, name }), stdout, form);
	}
	const { stdout } = run(commands[1], [
		"validate",
		"--remarks",
		"--quiet",
		name,
	]);
	assert.equal(claimkit.format([{ answer, text, name }], "codeframe"), stdout);
	assert.match(
		claimkit.format(answer, "codeframe", { text, colors: true }),
		/\u001b\[1;31m/,
	);
	assert.match(
		claimkit.format(answer, "text", { text: Buffer.from(text) }),
		/^manifest\.yaml:\d+:\d+: (error|warning|info): /,
	);
	assert.throws(
		() => claimkit.format(answer, "html"),
		/claimkit: format: the answer cannot be used: .*unknown variant `html`/,
	);
});

test("isManifest knows which files are claimkit's", () => {
	assert.ok(claimkit.isManifest(bad));
	assert.ok(claimkit.isManifest(Buffer.from(bad)));
	assert.ok(
		!claimkit.isManifest("services:\n  web: {image: resource.k8s.io/v1}\n"),
	);
	assert.ok(
		!claimkit.isManifest(
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
		),
	);
	assert.ok(!claimkit.isManifest(""));
});

test("releases and the version are known before the module has started", () => {
	const known = claimkit.releases().releases;
	assert.deepEqual(
		claimkit.RELEASES,
		known.map(({ release }) => release),
	);
	for (const { release, lastPatch } of known)
		assert.ok(
			claimkit.isRelease(release) && claimkit.isRelease(lastPatch),
			release,
		);
	for (const no of [
		"1.25",
		"1.26.99",
		"1.036",
		"v1.36",
		"",
		"1.36.",
		1.36,
		undefined,
	])
		assert.ok(!claimkit.isRelease(no), String(no));
	assert.equal(
		claimkit.version,
		JSON.parse(readFileSync(path.join(root, "pkg/package.json"), "utf8"))
			.version,
	);
});

test("a worker answers as the functions do, in order, with their errors", async () => {
	const worker = startWorker();
	try {
		const [valid, listed] = await Promise.all([
			worker.validate(bad, { release: "1.36" }),
			worker.codes({ locale: "zh-Hans" }),
		]);
		assert.deepEqual(valid, claimkit.validate(bad, { release: "1.36" }));
		assert.deepEqual(listed, claimkit.codes({ locale: "zh-Hans" }));
		await assert.rejects(worker.validate(5), {
			name: "TypeError",
			message: /claimkit: validate: `text` is 5/,
		});
		await assert.rejects(
			worker.validate(bad, { gates: () => {} }),
			/could not be cloned/,
		);
	} finally {
		worker.terminate();
	}
	await assert.rejects(worker.validate(bad), /the worker was terminated/);
});

test("setLocale makes our own sentences Chinese and leaves upstream's as they are", async () => {
	const english = claimkit.validate(bad, { release: "1.36" });
	const chinese = /[\u4e00-\u9fff]/;
	const worker = startWorker();
	try {
		claimkit.setLocale("zh-Hans");
		const answer = claimkit.validate(bad, { release: "1.36" });
		const upstreams = ({ findings }) =>
			findings
				.filter(({ origin }) => origin !== "claimkit")
				.map(({ code, message }) => [code, message]);
		assert.ok(upstreams(answer).length > 0);
		assert.deepEqual(upstreams(answer), upstreams(english));
		const helps = answer.findings.flatMap(({ help }) =>
			help === undefined ? [] : [help],
		);
		assert.ok(
			helps.length > 0 && helps.every((help) => chinese.test(help)),
			helps.join("\n"),
		);
		assert.match(claimkit.codes().codes[0].documentation, chinese);
		assert.doesNotMatch(
			claimkit.codes({ locale: "en" }).codes[0].documentation,
			chinese,
		);
		claimkit.reset();
		assert.deepEqual(claimkit.validate(bad, { release: "1.36" }), answer);
		await worker.setLocale("zh-Hans");
		assert.deepEqual(await worker.validate(bad, { release: "1.36" }), answer);
		assert.throws(() => claimkit.setLocale("fr"), {
			name: "TypeError",
			message: /setLocale: `locale` is fr, expected one of `en`, `zh-Hans`/,
		});
	} finally {
		claimkit.setLocale("en");
		worker.terminate();
	}
	assert.deepEqual(claimkit.validate(bad, { release: "1.36" }), english);
});

test("a call in a worker can be cancelled while it waits and while it runs", async () => {
	const worker = startWorker();
	try {
		await worker.addLocale(
			"zh-Hans",
			JSON.parse(
				readFileSync(path.join(root, "pkg/locale/zh-Hans.json"), "utf8"),
			),
		);
		const large = `${bad}---\n`.repeat(20_000);
		const [running, waiting] = [new AbortController(), new AbortController()];
		const first = worker.validate(large, { signal: running.signal });
		const second = worker.validate(bad, { signal: waiting.signal });
		const third = worker.validate(bad);
		waiting.abort();
		await assert.rejects(second, { name: "AbortError" });
		setTimeout(() => running.abort(new Error("no longer needed")), 30);
		await assert.rejects(first, /no longer needed/);
		assert.deepEqual(await third, claimkit.validate(bad));
		assert.ok(
			(await worker.codes({ locale: "zh-Hans" })).codes.every(
				({ documentation }) => documentation,
			),
		);
		await assert.rejects(
			worker.validate(bad, { signal: AbortSignal.abort() }),
			{ name: "AbortError" },
		);
	} finally {
		worker.terminate();
	}
});

test("an idle worker does not keep a process alive", () => {
	const script =
		'import { startWorker } from "./pkg/worker-node.js"; const w = startWorker(); console.log((await w.releases()).ok);';
	const done = run(
		["node", process.execPath, []],
		["--input-type=module", "-e", script],
		{ cwd: root },
	);
	assert.deepEqual([done.stdout, done.exit], ["true\n", 0], done.stderr);
});

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
		/claimkit: applyFixes: `text` is of type Uint8Array, expected a string/,
	);
	assert.throws(
		() => claimkit.applyFixes(bad, claimkit.validate(bad)),
		/`findings` is an answer, expected its `findings`/,
	);
	assert.throws(
		() => claimkit.applyFixes("a: b\n", claimkit.validate(bad).findings),
		/the findings are about another text/,
	);
});

test("format without the text has the places of the answer", () => {
	const text =
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec: {devices: {requests: [{name: g, exactly: {deviceClasName: x}}]}}\n";
	const answer = claimkit.validate(text);
	const whole = claimkit.format(answer, "text", { text });
	assert.match(whole, /^manifest\.yaml:4:49: error/m);
	assert.equal(claimkit.format(answer, "text"), whole);
	assert.equal(claimkit.format(answer.findings, "text"), whole);
	assert.match(claimkit.format(answer, "github"), /line=4,/);
});

test("admit takes a manifest, and settings in YAML", () => {
	const pod =
		"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}\n";
	const fine = claimkit.admit(pod, "resourceClasses:\n  allow: [gpu]\n");
	assert.equal(fine.response?.accepted, true);
	const claim = {
		apiVersion: "resource.k8s.io/v1alpha2",
		kind: "ResourceClaim",
		metadata: { name: "a" },
		spec: { resourceClassName: "b" },
	};
	const settings = { resourceClasses: { deny: ["*"] } };
	const request = { uid: "1", operation: "CREATE", object: claim };
	assert.equal(claimkit.admit(claim, settings).response.accepted, false);
	assert.equal(
		claimkit.admit(claim, settings).response.message,
		claimkit.admit(request, settings).response.message,
	);
	assert.throws(() => claimkit.admit(`${pod}---\n${pod}`), /has 2 objects/);
	assert.throws(
		() => claimkit.admit(null, "a: [1"),
		/`settings` cannot be read/,
	);
	// JSON made of it would keep the last one without a word.
	assert.throws(
		() =>
			claimkit.admit(null, "deviceClasses: {deny: [a]}\ndeviceClasses: {}\n"),
		/deviceClasses: is listed twice: keep one/,
	);
});

test("options that JSON would not have are refused", () => {
	const inherited = Object.create({ release: "1.26" });
	class Options {
		get release() {
			return "1.26";
		}
	}
	for (const options of [inherited, new Options()])
		assert.throws(
			() => claimkit.validate("a: 1\n", options),
			/the option `release` is inherited or a getter of a class/,
		);
	class Own {
		release = "1.26";
	}
	claimkit.validate("a: 1\n", new Own());
	assert.throws(
		() => claimkit.jsonSchema("1.36", "ResourceClaim", 5),
		/the options are number/,
	);
});

test("texts beside another may be bytes, with names or without", () => {
	const slice =
		"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n";
	const claim =
		"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec: {devices: {requests: [{name: g, exactly: {deviceClassName: }}]}}\n";
	for (const beside of [
		[slice],
		[Buffer.from(slice)],
		[{ name: "class.yaml", text: slice }],
		[{ name: "class.yaml", text: Buffer.from(slice) }],
	]) {
		const { items } = claimkit.complete(
			claim,
			{ offset: claim.indexOf("Name: }") + 6 },
			{ beside },
		);
		assert.deepEqual(
			items.map(({ label, detail }) => [label, detail ?? ""]),
			[["gpu", beside[0].name ?? ""]],
		);
		claimkit.validate(claim, { beside });
	}
});

test("memory grows ahead: a large cluster does not cost a growth for each page", () => {
	const device = (at) =>
		`  - {name: gpu-${at}, attributes: {i: {int: ${at}}}}\n`;
	const slices = Array.from(
		{ length: 300 },
		(_, at) =>
			`apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s${at}}\nspec:\n  driver: d.example.com\n  nodeName: n${at}\n  pool: {name: n${at}, generation: 1, resourceSliceCount: 1}\n  devices:\n${Array.from({ length: 128 }, (__, one) => device(one)).join("")}`,
	);
	claimkit.reset();
	claimkit.releases();
	const begun = process.cpuUsage();
	claimkit.prepareCluster(slices.join("---\n")).free();
	const first = process.cpuUsage(begun);
	const again = process.cpuUsage();
	claimkit.prepareCluster(slices.join("---\n")).free();
	const second = process.cpuUsage(again);
	const total = ({ user, system }) => user + system;
	// Growing by single pages made the first call five times as expensive.
	assert.ok(
		total(first) < 3 * total(second) + 300_000,
		`${total(first)} ${total(second)}`,
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
	// A head that is wrong, which `validate` says.
	const claim = "kind: ResourceClaim\nmetadata: {name: a}\n";
	for (const text of [
		claim,
		`apiVersion: resources.k8s.io/v1\n${claim}`,
		`apiVersion: v1\n${claim}`,
		`apiVersion: resource.k8s.io/v1\n${claim}spec: [`,
		// kubectl cannot read it.
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: [",
	])
		assert.ok(claimkit.isManifest(text), text);
	// An object inside something else.
	for (const text of [
		"- k8s:\n    definition:\n      apiVersion: resource.k8s.io/v1\n      kind: ResourceClaim\n",
		"kind: DaemonSet\nresourceClaims: []\n",
	])
		for (const given of [text, Buffer.from(text)])
			assert.ok(!claimkit.isManifest(given), text);
	assert.ok(
		claimkit.isManifest(
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {resourceClaims: [{name: g, resourceClaimTemplate: x}]}}}\n",
		),
	);
	assert.deepEqual(
		["v1", "resource.k8s.io/v1beta1", "1.36", "v2", "1.99", "", 5].map(
			claimkit.isTarget,
		),
		[true, true, true, false, false, false, false],
	);
});

test("a worker has what is prepared, and every function", async () => {
	const worker = startWorker();
	const cluster = await worker.prepareCluster(
		"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n",
	);
	assert.equal(cluster.length, 1);
	assert.equal((await cluster.allocate("")).verb, "allocate");
	await cluster.free();
	await assert.rejects(cluster.allocate(""), /prepare it again/);
	const nodes = await worker.prepareNodes(
		"apiVersion: v1\nkind: Node\nmetadata: {name: n}\n",
	);
	assert.equal(nodes.length, 1);
	assert.equal(
		(await nodes.evaluate(undefined, { selector: "nodeSelectorTerms: []" }))
			.verb,
		"evaluate",
	);
	assert.equal((await worker.audit("")).verb, "audit");
	assert.equal((await worker.symbols("")).verb, "symbols");
	const own = new Set(["default", "init", "initSync", "prepareNodes"]);
	const missing = Object.entries(claimkit)
		.filter(
			([name, value]) =>
				typeof value === "function" &&
				!own.has(name) &&
				worker[name] === undefined,
		)
		.map(([name]) => name);
	assert.deepEqual(missing, []);
	worker.terminate();
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
		// Time is the subject: nothing says that the call runs, and whenever it is cancelled it ends alike.
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

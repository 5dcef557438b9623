// Failed starts, prepared objects that are freed too early, and invalid sentences: the call that is wrong throws.
import assert from "node:assert/strict";
import {
	cpSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { root } from "./suite.mjs";

const claim =
	"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a, namespace: b}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}\n";
const bytes = readFileSync(path.join(root, "pkg/claimkit_bg.wasm"));
/** The smallest module there is. */
const OTHER = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
const wrong = {
	message:
		/^claimkit: what `init` was given is not the Wasm module: it is another module/,
};

const copies = [];
after(() => {
	for (const folder of copies) rmSync(folder, { recursive: true });
});

/** The package as another program loads it, which has not started. */
const fresh = async () => {
	// A query makes another module of the first file alone; its parts are shared, so each copy has a folder of its own.
	const folder = mkdtempSync(path.join(tmpdir(), "claimkit-start-"));
	copies.push(folder);
	for (const name of [
		"index.js",
		"claimkit.js",
		"constants.js",
		"locale.js",
		"start.js",
	])
		cpSync(path.join(root, "pkg", name), path.join(folder, name));
	writeFileSync(path.join(folder, "package.json"), '{"type": "module"}');
	return import(path.join(folder, "index.js"));
};

test("another module is refused, and ours starts after it", async () => {
	const { init, initSync, validate } = await fresh();
	await assert.rejects(init(OTHER), wrong);
	await assert.rejects(
		init(
			new Response(OTHER, { headers: { "content-type": "application/wasm" } }),
		),
		wrong,
	);
	await assert.rejects(
		init(new Response("gone", { status: 404 })),
		/the response answers 404/,
	);
	assert.throws(() => initSync(OTHER), /it is another module/);
	assert.throws(() => validate(claim), /call await init\(\) first/);
	await init(bytes);
	assert.equal(validate(claim).ok, true);
});

test("of two starts at once each fails or succeeds for itself", async () => {
	const { init, validate, prepareCluster } = await fresh();
	const [bad, good, again] = await Promise.allSettled([
		init(OTHER),
		init(bytes),
		init(new Response(bytes)),
	]);
	assert.deepEqual(
		[bad.status, good.status, again.status],
		["rejected", "fulfilled", "fulfilled"],
	);
	const cluster = prepareCluster(claim);
	await init(bytes);
	assert.equal(cluster.length, 1);
	assert.equal(validate(claim).ok, true);
});

test("what is freed in the middle of a call is not freed", async () => {
	const { init, prepareCluster, prepareNodes } = await fresh();
	await init(bytes);
	const cluster = prepareCluster(claim);
	assert.throws(() => cluster.allocate({ toJSON: () => cluster.free() }), {
		name: "TypeError",
		message:
			/these objects of a cluster are in use: free them when the call has ended/,
	});
	assert.equal(cluster.length, 1);
	const nested = cluster.allocate({
		toJSON: () => ({
			apiVersion: "v1",
			kind: "List",
			items: cluster.allocate(claim).objects.map(() => ({})),
		}),
	});
	assert.equal(nested.verb, "allocate");
	cluster.free();
	cluster.free();
	assert.throws(
		() => cluster.allocate(claim),
		/these objects of a cluster were freed/,
	);
	const nodes = prepareNodes("");
	assert.throws(
		() =>
			nodes.evaluate({
				get kind() {
					nodes.free();
					return "ResourceClaim";
				},
			}),
		/these nodes are in use/,
	);
	nodes.free();
	assert.throws(() => nodes.length, /these nodes were freed/);
});

test("what JSON would leave out or empty is refused by name", async () => {
	const { init, validate, hover, convert } = await fresh();
	await init(bytes);
	const no = (options, message) =>
		assert.throws(() => validate(claim, options), {
			name: "TypeError",
			message,
		});
	no(
		{ gates: new Map([["DRAAdminAccess", true]]) },
		"claimkit: validate: `gates` is of type Map, expected a value that JSON can hold",
	);
	no(
		{ namespaceLabels: new Map([["a", "b"]]) },
		/`namespaceLabels` is of type Map/,
	);
	no({ gates: new Set() }, /`gates` is of type Set/);
	no({ release: () => 1 }, /`release` is of type Function/);
	no({ release: NaN }, /`release` is NaN/);
	no({ release: -Infinity }, /`release` is infinite/);
	assert.throws(() => hover(claim, NaN), /`position` is NaN/);
	assert.equal(
		validate(claim, { gates: undefined, release: undefined }).ok,
		true,
	);
	assert.equal(
		validate(claim, {
			cache: new Map(),
			toJSON: () => ({ release: "1.36" }),
		}).objects[0].release.slice(0, 4),
		"1.36",
	);
	// An object that claims to be bytes has no bytes.
	assert.throws(
		() => validate({ [Symbol.toStringTag]: "Uint8Array", length: 2 ** 31 }),
		/`text` is of type Uint8Array/,
	);
	assert.throws(() => convert(claim, new Map()), /the options are of type Map/);
});

test("halves of surrogate pairs are read as U+FFFD in every text", async () => {
	const { init, validate, allocate, evaluate, cel, prepareNodes } =
		await fresh();
	await init(bytes);
	const half = "\ud83d";
	assert.equal(
		validate(`${claim}# ${half}`, {
			operation: "update",
			old: `${claim}# ${half} \\${half} \\ud83d`,
		}).error,
		undefined,
	);
	assert.equal(
		validate(claim.replace("name: a", `name: "${half}"`)).findings.find(
			({ code }) => code === "name-invalid",
		).message,
		validate(claim.replace("name: a", 'name: "\ufffd"')).findings.find(
			({ code }) => code === "name-invalid",
		).message,
	);
	assert.equal(allocate(claim, { cluster: half }).verb, "allocate");
	assert.equal(
		evaluate(undefined, { selector: half, nodes: half }).verb,
		"evaluate",
	);
	assert.equal(prepareNodes(half).length, 0);
	// As many as there are cost no more than their number.
	const many = half.repeat(2_000_000);
	const began = performance.now();
	assert.equal(
		validate(claim, { operation: "update", old: many }).verb,
		"validate",
	);
	assert.ok(
		performance.now() - began < 5_000,
		`${performance.now() - began} ms`,
	);
	const [run] = cel('device.driver == "\ufffd"', {
		devices: [{ driver: half }],
	}).results;
	assert.equal(run.match, true);
});

test("a language is set before or after the start, once its sentences are given", async () => {
	const { init, addLocale, setLocale, validate } = await fresh();
	const chinese = JSON.parse(
		readFileSync(path.join(root, "pkg/locale/zh-Hans.json"), "utf8"),
	);
	assert.throws(
		() => setLocale("zh-Hans"),
		/setLocale: give the sentences of zh-Hans with addLocale first/,
	);
	addLocale("zh-Hans", chinese);
	setLocale("zh-Hans");
	await init(bytes);
	const help = () =>
		validate(
			"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {nme: a}\n",
		)
			.findings.map(({ help }) => help)
			.join();
	assert.match(help(), /[\u4e00-\u9fff]/);
	addLocale("zh-Hans", { ...chinese, messages: {} });
	assert.doesNotMatch(help(), /[\u4e00-\u9fff]/);
});

test("sentences that are none and positions that are nowhere are refused where they are given", async () => {
	const { init, addLocale, hover } = await fresh();
	await init(bytes);
	const english = JSON.parse(
		readFileSync(path.join(root, "pkg/locale/en.json"), "utf8"),
	);
	for (const no of [
		5,
		undefined,
		null,
		{},
		[],
		{ default: english },
		{ ...english, fields: 5 },
		"en",
	]) {
		assert.throws(() => addLocale("en", no), {
			name: "TypeError",
			message: /`sentences` is not the content of claimkit\/locale\/en\.json/,
		});
	}
	assert.throws(
		() => addLocale("en-US", english),
		/`locale` is en-US, expected one of `en`, `zh-Hans`/,
	);
	addLocale("en", english);
	assert.match(
		hover(claim, { line: 1, character: 1 }).hover.documentation,
		/./,
	);
	for (const position of [undefined, null, {}])
		assert.throws(() => hover(claim, position), {
			name: "TypeError",
			message: /`position` is missing/,
		});
});

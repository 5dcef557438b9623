// The packed package in empty projects: what a user gets from `npm install claimkit claimkit-inline`, in Node, in a page, in a worker.
// hosts.test.mjs has the bundlers and the other hosts.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import {
	check,
	close,
	expected,
	good,
	open,
	PAGE,
	project,
	projects,
	run,
	visit,
} from "./projects.mjs";
import { here, root } from "./suite.mjs";

before(() => open("npm"));
after(close);

test("Node: import", () => {
	const folder = project("node-esm", {
		"main.mjs": `import { validate } from "claimkit";\nconst print = (value) => console.log(JSON.stringify(value));${check("print")}`,
	});
	assert.deepEqual(
		JSON.parse(run("node", ["main.mjs"], folder).stdout),
		expected,
	);
});

test("Node: require, with no warning printed", () => {
	const folder = project("node-cjs", {
		"main.cjs": `const { validate } = require("claimkit");\nconst print = (value) => console.log(JSON.stringify(value));${check("print")}`,
	});
	const { stdout, stderr } = run("node", ["main.cjs"], folder);
	assert.deepEqual([JSON.parse(stdout), stderr], [expected, ""]);
});

test("Node: worker thread", () => {
	const folder = project("node-worker", {
		"main.mjs": `import { Worker } from "node:worker_threads";
new Worker(new URL("./worker.mjs", import.meta.url)).on("message", (value) => console.log(JSON.stringify(value)));`,
		"worker.mjs": `import { parentPort } from "node:worker_threads";
import { validate } from "claimkit";
const print = (value) => parentPort.postMessage(value);${check("print")}`,
	});
	assert.deepEqual(
		JSON.parse(run("node", ["main.mjs"], folder).stdout),
		expected,
	);
});

test("Node: claimkit/worker", () => {
	const folder = project("node-claimkit-worker", {
		"main.mjs": `import { startWorker } from "claimkit/worker";
const { validate } = startWorker();
const print = (value) => console.log(JSON.stringify(value));
const answer = await validate(${JSON.stringify(good)});
print([answer.ok, answer.objects.length]);`,
	});
	assert.deepEqual(JSON.parse(run("node", ["main.mjs"], folder).stdout), [
		true,
		3,
	]);
});

test("Vite: claimkit/worker in a page", async () => {
	const folder = project("vite-claimkit-worker", {
		"index.html": PAGE,
		"main.js": `import { startWorker } from "claimkit/worker";
startWorker().validate(${JSON.stringify(good)}).then((answer) => { globalThis.result = [answer.ok, answer.objects.length]; });`,
		"vite.config.mjs":
			'export default { worker: { format: "es" }, build: { target: "esnext" }, logLevel: "warn" };',
	});
	run(
		process.execPath,
		[path.join(here, "node_modules/vite/bin/vite.js"), "build"],
		folder,
	);
	assert.deepEqual(await visit(path.join(folder, "dist")), [true, 3]);
});

test("Node: npx claimkit", () => {
	const folder = project("npx", { "good.yaml": good });
	const { stdout } = run(
		"npx",
		["--no-install", "claimkit", "validate", "good.yaml"],
		folder,
	);
	assert.equal(stdout, "checked 3 objects in 1 file: no problems\n");
});

test("Vite: page and worker", async () => {
	const folder = project("vite", {
		"index.html": PAGE,
		"main.js": `import { init, validate } from "claimkit";
const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
const fromWorker = new Promise((resolve) => { worker.onmessage = (event) => resolve(event.data); });
await init();
const give = async (value) => { globalThis.result = [value, await fromWorker]; };${check("give")}`,
		"worker.js": `import { init, validate } from "claimkit";
init().then(() => { const give = (value) => postMessage(value);${check("give")} });`,
		"vite.config.mjs":
			'export default { worker: { format: "es" }, build: { target: "esnext" }, logLevel: "warn" };',
	});
	run(
		"node",
		[path.join(here, "node_modules/vite/bin/vite.js"), "build"],
		folder,
	);
	assert.deepEqual(await visit(path.join(folder, "dist")), [
		expected,
		expected,
	]);
});

test("esbuild: the module as a file beside the bundle", async () => {
	const folder = project("esbuild", {
		"main.js": `import { convert, init, validate } from "claimkit";
import wasm from "claimkit/wasm";
await init(new URL(wasm, import.meta.url));
if (!convert(${JSON.stringify(good)}, { to: "v1alpha1", lossy: "allow" }).ok) throw new Error("not converted");
const give = (value) => { globalThis.result = value; };${check("give")}`,
	});
	const flags = [
		"--bundle",
		"--format=esm",
		"--loader:.wasm=file",
		"--outdir=dist",
		"--log-level=warning",
	];
	run(
		path.join(here, "node_modules/.bin/esbuild"),
		["main.js", ...flags],
		folder,
	);
	writeFileSync(path.join(folder, "dist/index.html"), PAGE);
	assert.deepEqual(await visit(path.join(folder, "dist")), expected);
});

test("a page without bundler under a strict policy: init from address, bytes, response and module", async () => {
	const folder = project("csp", {
		"index.html": PAGE,
		"main.js": `import { init, initSync, validate } from "./node_modules/claimkit/index.js";
const address = new URL("./node_modules/claimkit/claimkit_bg.wasm", import.meta.url);
await init();
await init(address);
const give = (value) => { globalThis.result = value; };${check("give")}`,
	});
	const policy =
		"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:; worker-src 'self'";
	assert.deepEqual(await visit(folder, policy), expected);

	const ways = {
		address: "await init(address)",
		text: "await init(String(address))",
		response: "await init(fetch(address))",
		bytes: "await init(await (await fetch(address)).arrayBuffer())",
		module: "await init(await WebAssembly.compileStreaming(fetch(address)))",
		"initSync bytes": "initSync(await (await fetch(address)).arrayBuffer())",
		"initSync module":
			"initSync(await WebAssembly.compileStreaming(fetch(address)))",
	};
	for (const [name, way] of Object.entries(ways)) {
		writeFileSync(
			path.join(folder, "main.js"),
			`import { init, initSync, validate } from "./node_modules/claimkit/index.js";
const address = new URL("./node_modules/claimkit/claimkit_bg.wasm", import.meta.url);
${way};
const give = (value) => { globalThis.result = value; };${check("give")}`,
		);
		assert.deepEqual(await visit(folder, policy), expected, name);
	}
});

test("Node starts the module at the first call, once, for all entries of the package", () => {
	const folder = project("node-lazy", {
		"main.mjs": `let instances = 0;
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance { constructor(...given) { super(...given); instances++; } };
const claimkit = await import("claimkit");
const { diagnostics } = await import("claimkit/lsp");
await import("claimkit/inline");
const text = ${JSON.stringify(good)};
const counts = [instances];
const answers = [claimkit.validate(text).ok, diagnostics(text).some(({ severity }) => severity === 1), claimkit.convert(text, { to: "v1alpha2" }).ok];
console.log(JSON.stringify([...counts, instances, answers]));`,
	});
	assert.deepEqual(JSON.parse(run("node", ["main.mjs"], folder).stdout), [
		0,
		1,
		[true, false, true],
	]);
});

test("importing fetches and compiles nothing", async () => {
	const folder = project("import", {
		"index.html": PAGE,
		"main.js": `import * as claimkit from "./node_modules/claimkit/index.js";
let refused;
try { claimkit.validate("a: 1"); } catch (error) { refused = error instanceof Error; }
globalThis.result = [refused, performance.getEntriesByType("resource").filter((entry) => entry.name.endsWith(".wasm")).length];`,
	});
	assert.deepEqual(
		await visit(folder, "default-src 'none'; script-src 'self'; img-src data:"),
		[true, 0],
	);
});

test("before init every function says so", async () => {
	const folder = project("before", {
		"index.html": PAGE,
		"main.js": `import * as claimkit from "./main.bundle.js";`,
		"all.js": `import * as claimkit from "claimkit";
const early = ["init", "initSync", "default", "addLocale", "setLocale", "applyFixes", "isRelease", "isTarget", "reset"];
const names = Object.keys(claimkit).filter((name) => typeof claimkit[name] === "function" && !early.includes(name));
globalThis.result = names.map((name) => { try { claimkit[name](); return name; } catch (error) { return error.message; } });`,
	});
	run(
		path.join(here, "node_modules/.bin/esbuild"),
		[
			"all.js",
			"--bundle",
			"--format=esm",
			"--outfile=main.bundle.js",
			"--log-level=error",
		],
		folder,
	);
	const said = await visit(folder);
	assert.ok(said.length >= 13, said.join());
	assert.deepEqual([...new Set(said)], ["claimkit: call await init() first"]);
});

test("claimkit/inline without claimkit-inline: Node and esbuild name the missing package", () => {
	const folder = project(
		"without-inline",
		{ "main.mjs": 'import "claimkit/inline";' },
		{},
		["claimkit-command", "claimkit"],
	);
	for (const [program, ...args] of [
		[process.execPath, "main.mjs"],
		[path.join(here, "node_modules/.bin/esbuild"), "main.mjs", "--bundle"],
	]) {
		const done = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
		assert.equal(done.status, 1);
		assert.match(
			done.stderr,
			/Cannot find package 'claimkit-inline'|Could not resolve "claimkit-inline"/,
		);
	}
});

test("without the generated files, the command says what to do", () => {
	const folder = path.join(projects, "unbuilt");
	mkdirSync(folder, { recursive: true });
	for (const file of ["package.json", "index.js", "cli.js"])
		cpSync(path.join(root, "pkg", file), path.join(folder, file));
	const command = spawnSync("node", ["cli.js", "--version"], {
		cwd: folder,
		encoding: "utf8",
	});
	assert.deepEqual(
		[command.status, command.stderr.includes("run `make pkg`")],
		[2, true],
	);
});

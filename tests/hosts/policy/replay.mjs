// Replays the fixtures, as tests/policy.rs writes them down, through Node's hosts: the WASI command under node:wasi, the OPA module
// under Open Policy Agent's own SDK (both of its calling conventions), the waPC module on a compiling engine. Every answer
// must be the crate's own, byte for byte. Then sizes and the time of a first answer are held against ratchet.json.

import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import opaSdk from "@open-policy-agent/opa-wasm";
import { annotated, metadata, SECTION, withoutTables } from "./annotate.mjs";
import { Guest } from "./wapc.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const modules = path.resolve(here, "../../../pkg/policy");
const replay = path.resolve(
	process.argv[2] ?? path.join(here, "../../../target/policy/replay"),
);
const index = JSON.parse(readFileSync(path.join(replay, "index.json"), "utf8"));
const file = (number, kind) =>
	readFileSync(path.join(replay, `${String(number).padStart(3, "0")}.${kind}`));
const bytesOf = (buffer) =>
	buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);
let failures = 0;

/** A host's name, and for each fixture what it answers and should answer; `null` where a host cannot be asked. */
function host(name, answers) {
	let passed = 0,
		failed = 0,
		left = 0;
	for (const [number, fixture] of index.entries()) {
		const compared = answers(fixture, number);
		if (compared === null) {
			left++;
			continue;
		}
		const [given, expected] = compared.map(String);
		if (given === expected) {
			passed++;
			continue;
		}
		failed++;
		console.log(
			`${name}: ${fixture.name}\n  expected ${expected.slice(0, 2000)}\n  answered ${given.slice(0, 2000)}`,
		);
	}
	console.log(
		`${name}: ${passed} passed, ${failed} failed${left ? `; ${left} cannot be asked of this host` : ""}`,
	);
	if (failed || !passed) failures++;
}

function check(what, good, text) {
	console.log(`${good ? "ok" : "NOT OK"}: ${what}: ${text}`);
	if (!good) failures++;
}

// --- the modules' shape ------------------------------------------------------------------------------------------------

const load = (name) =>
	new WebAssembly.Module(readFileSync(path.join(modules, name)));
const imports = (module) =>
	[
		...new Set(WebAssembly.Module.imports(module).map((entry) => entry.module)),
	].join(", ");
const wapc = load("claimkit.wasm");
const wasi = load("claimkit-wasi.wasm");
const opa = load("claimkit-opa.wasm");
check("imports of claimkit.wasm", imports(wapc) === "wapc", imports(wapc));
check(
	"imports of claimkit-wasi.wasm",
	imports(wasi) === "wasi_snapshot_preview1",
	imports(wasi),
);
// Maps of the standard library, which serde_json has too, are seeded: `random_get`. Keys that were made up to collide cost nothing then.
const streams = [
	"random_get",
	"args_get",
	"args_sizes_get",
	"environ_get",
	"environ_sizes_get",
	"fd_read",
	"fd_write",
	"proc_exit",
];
const beyond = WebAssembly.Module.imports(wasi)
	.map((entry) => entry.name)
	.filter((name) => !streams.includes(name));
check(
	"functions that claimkit-wasi.wasm calls",
	beyond.length === 0,
	beyond.join(", ") ||
		"arguments, standard streams, its end and the seed of its maps",
);
const fromHost = WebAssembly.Module.imports(opa)
	.map((entry) => `${entry.module}.${entry.name}`)
	.sort()
	.join(", ");
check(
	"imports of claimkit-opa.wasm",
	fromHost === "env.memory, env.opa_abort",
	fromHost,
);

// --- metadata -----------------------------------------------------------------------------------------------------------

/** What kwctl reads: the first section of this name. */
const sections = (bytes) =>
	WebAssembly.Module.customSections(new WebAssembly.Module(bytes), SECTION).map(
		(section) => Buffer.from(section).toString(),
	);
for (const [name, mode] of [
	["claimkit", "kubewarden-wapc"],
	["claimkit-wasi", "wasi"],
	["claimkit-opa", "opa"],
]) {
	const bytes = readFileSync(path.join(modules, `${name}.wasm`));
	const bare = readFileSync(path.join(modules, "unannotated", `${name}.wasm`));
	check(
		`metadata sections of unannotated/${name}.wasm`,
		sections(bare).length === 0,
		`${sections(bare).length}`,
	);
	check(
		`metadata sections of ${name}.wasm`,
		sections(bytes).length === 1,
		`${sections(bytes).length}`,
	);
	const read = JSON.parse(sections(bytes)[0] ?? "{}");
	check(
		`metadata of ${name}.wasm`,
		JSON.stringify(read) === JSON.stringify(metadata(mode)),
		`execution mode ${read.executionMode}`,
	);
	check(
		`execution mode of ${name}.wasm`,
		read.executionMode === mode,
		`${read.executionMode}`,
	);
	const readme = readFileSync(path.join(modules, "README.md"), "utf8");
	const usage = read.annotations?.["io.kubewarden.policy.usage"];
	check(
		`usage in ${name}.wasm`,
		usage === withoutTables(readme) && usage.length > readme.length / 4,
		`${usage?.length} of the ${readme.length} characters of README.md`,
	);
	check(
		`code of ${name}.wasm`,
		bytes.subarray(0, bare.length).equals(bare),
		"as without metadata",
	);
	const other = JSON.parse(sections(annotated(bare, '{"mutating":true}'))[0]);
	check(
		`other metadata for unannotated/${name}.wasm`,
		other.mutating === true,
		JSON.stringify(other),
	);
}

// --- waPC on a compiling engine -----------------------------------------------------------------------------------------

host("waPC in Node", (fixture, number) => [
	new Guest(wapc, (operation, payload) =>
		fixture.cluster.find(
			(call) => call.operation === operation && call.payload === payload,
		),
	).call(fixture.operation, file(number, "payload")),
	file(number, "answer"),
]);

// --- WASI command -------------------------------------------------------------------------------------------------------

const payload = (number) =>
	path.join(replay, `${String(number).padStart(3, "0")}.payload`);

/** Runs the command, in a process of its own. */
function commands(runs) {
	const script = [
		path.join(here, "wasi.mjs"),
		path.join(modules, "claimkit-wasi.wasm"),
	];
	const done = spawnSync(
		process.execPath,
		["--no-warnings", ...script, ...runs],
		{ encoding: "utf8" },
	);
	if (done.status !== 0)
		throw new Error(`wasi.mjs: ${done.signal ?? done.status}: ${done.stderr}`);
}

commands(
	index.map(
		(fixture, number) =>
			`${fixture.operation.replace("_", "-")}:${payload(number)}`,
	),
);
// A command cannot ask its host; these are its answers to settings that ask the cluster.
host("WASI in Node", (_fixture, number) => [
	file(number, "wasi"),
	file(number, "alone"),
]);
commands([`protocol-version:${payload(0)}`]);
check(
	"WASI protocol-version",
	String(file(0, "wasi")) === '"v1"',
	String(file(0, "wasi")),
);

// --- OPA ----------------------------------------------------------------------------------------------------------------

/** Results come back parsed: printed again they are the same text, because nothing in them is a fraction. */
function evaluate(
	module,
	_fixture,
	number,
	input,
	result,
	older,
	policy = opaSdk.loadPolicySync(module),
) {
	if (older) {
		// Modules of ABI 1.1 are asked in several calls, and the first of them takes JSON only: the SDK refuses the rest.
		policy.minorVersion = 1;
	}
	policy.setData(bytesOf(file(number, "data")));
	let results;
	try {
		results = policy.evaluate(bytesOf(file(number, input)));
	} catch (error) {
		if (older && error === "failed to parse json value") return null;
		return [`thrown: ${error}`, file(number, result)];
	}
	if (results.length !== 1) return [`${results.length} results`, "one"];
	return [JSON.stringify(results[0].result), file(number, result)];
}

// Kubewarden gives five pages, too (crates/burrego/src/evaluator.rs, `setup`), OPA's own modules ask for two.
for (const pages of [2, 5, 16]) {
	const memory = new WebAssembly.Memory({ initial: pages });
	let begun = "instantiated";
	try {
		new WebAssembly.Instance(opa, { env: { memory, opa_abort() {} } });
	} catch (error) {
		begun = String(error);
	}
	check(
		`claimkit-opa.wasm in ${pages} pages of memory`,
		begun === "instantiated",
		begun,
	);
}

host("OPA SDK for Node", (fixture, number) =>
	evaluate(opa, fixture, number, "input", "result"),
);
// A host that evaluates again takes the memory of the last evaluation back: nothing of it may be used.
const again = opaSdk.loadPolicySync(opa);
host("OPA SDK for Node, one instance for all", (fixture, number) =>
	evaluate(opa, fixture, number, "input", "result", false, again),
);
host("OPA SDK for Node, older convention", (fixture, number) =>
	evaluate(opa, fixture, number, "input", "result", true),
);
host("OPA SDK for Node, Gatekeeper's shape", (fixture, number) =>
	fixture.review
		? evaluate(opa, fixture, number, "review", "violations")
		: null,
);

/** What the ABI's functions for data give: a value put at a path of a document, and what is at the path taken away. */
function changed(module, base, path, value) {
	const memory = new WebAssembly.Memory({ initial: 40 });
	const opa_abort = () => {
		throw new Error("opa_abort");
	};
	const { exports } = new WebAssembly.Instance(module, {
		env: { memory, opa_abort },
	});
	const given = (text) => {
		const bytes = Buffer.from(text);
		const at = exports.opa_malloc(bytes.length);
		new Uint8Array(memory.buffer).set(bytes, at);
		return exports.opa_json_parse(at, bytes.length);
	};
	const text = (handle) => {
		const at = exports.opa_json_dump(handle);
		const bytes = Buffer.from(memory.buffer);
		return bytes.toString("utf8", at, bytes.indexOf(0, at));
	};
	const [put, taken] = [given(base), given(base)];
	const codes = [
		exports.opa_value_add_path(put, given(path), given(value)),
		exports.opa_value_remove_path(taken, given(path)),
	];
	return [codes[0], text(put), codes[1], text(taken)].join(" ");
}

for (const [base, path, value, expected] of [
	[
		"{}",
		'["a","b"]',
		'{"x":[1,2.5,"\\u00e9"]}',
		'0 {"a":{"b":{"x":[1,2.5,"é"]}}} 0 {"a":{}}',
	],
	[
		'{"a":1,"b":2,"c":3}',
		'["a"]',
		"7",
		'0 {"a":7,"b":2,"c":3} 0 {"b":2,"c":3}',
	],
	['{"a":1}', '["a","b"]', "7", '2 {"a":1} 2 {"a":1}'],
	["{}", "[1]", "7", "1 {} 1 {}"],
]) {
	const found = changed(opa, base, path, value);
	check(`OPA data at ${path} of ${base}`, found === expected, found);
}

// --- sizes and time -----------------------------------------------------------------------------------------------------

const ratchet = JSON.parse(
	readFileSync(path.join(here, "ratchet.json"), "utf8"),
);
for (const [name, most] of Object.entries(ratchet.bytes)) {
	const { size } = statSync(path.join(modules, name));
	check(`size of ${name}`, size <= most, `${size} bytes, at most ${most}`);
}
for (const name of [
	"v1alpha2: a claim with a malformed class",
	"raw: validate",
	"raw: convert",
	"raw: evaluate",
]) {
	const number = index.findIndex((fixture) => fixture.name.endsWith(name));
	const [request, answer] = [
		file(number, "payload"),
		String(file(number, "answer")),
	];
	const times = [];
	for (let round = 0; round < 50; round++) {
		const start = process.hrtime.bigint();
		const given = new Guest(wapc).call("validate", request);
		times.push(Number(process.hrtime.bigint() - start) / 1e6);
		if (given !== answer) throw new Error(`${name}: ${given}`);
	}
	const median = times.sort((a, b) => a - b)[times.length / 2];
	const text = `median ${median.toFixed(2)} ms, at most ${ratchet.firstAnswerMs}`;
	check(
		`first answer of a fresh instance, ${name}`,
		median <= ratchet.firstAnswerMs,
		text,
	);
}

console.log(
	failures
		? "policy modules in Node: FAILED"
		: "policy modules in Node: all passed",
);
process.exit(failures ? 1 : 0);

// Asks Node's hosts of the policy modules the requests that tests/policy.rs makes: writes of controllers of every release, which must be
// accepted, and other forms of refused requests, which must be refused. Every answer must also be the crate's own, byte for byte.
//
//   node made.mjs FOLDER
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import opaSdk from "@open-policy-agent/opa-wasm";
import { Guest } from "./wapc.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const modules = path.resolve(here, "../../../pkg/policy");
const folder = path.resolve(
	process.argv[2] ?? path.join(here, "../../../target/policy/requests"),
);
const index = JSON.parse(readFileSync(path.join(folder, "index.json"), "utf8"));
const place = (number, kind) =>
	path.join(folder, `${String(number).padStart(4, "0")}.${kind}`);
const text = (number, kind) => readFileSync(place(number, kind), "utf8");
const load = (name) =>
	new WebAssembly.Module(readFileSync(path.join(modules, name)));
let failures = 0;

/** `answer`: the text that the host answers to a request; `kind`: the file with the text that it should answer. */
function host(name, kind, answer) {
	let wrong = 0;
	const start = Date.now();
	for (const [number, one] of index.entries()) {
		const given = answer(number);
		const { accepted, allowed } = JSON.parse(given);
		const good =
			(accepted ?? allowed) === one.accepts && given === text(number, kind);
		if (good) continue;
		wrong++;
		if (wrong <= 5)
			console.log(
				`${name}: ${one.name}\n  expected ${text(number, kind).slice(0, 1000)}\n  answered ${given.slice(0, 1000)}`,
			);
	}
	const accepts = index.filter((one) => one.accepts).length;
	console.log(
		`${name}: ${index.length} requests, ${accepts} of them accepted, in ${Date.now() - start} ms: ${wrong} wrong`,
	);
	if (wrong) failures++;
}

const encoder = new TextEncoder();
const guest = new Guest(load("claimkit.wasm"));
host("waPC in Node", "answer", (number) =>
	guest.call("validate", encoder.encode(text(number, "payload"))),
);

/** How many requests a process is given: each takes an instance of the module. */
const AT_ONCE = 250;
for (let first = 0; first < index.length; first += AT_ONCE) {
	const numbers = [...index.keys()].slice(first, first + AT_ONCE);
	const done = spawnSync(
		process.execPath,
		[
			"--no-warnings",
			path.join(here, "wasi.mjs"),
			path.join(modules, "claimkit-wasi.wasm"),
			...numbers.map((number) => `validate:${place(number, "payload")}`),
		],
		{ encoding: "utf8" },
	);
	if (done.status !== 0)
		throw new Error(`wasi.mjs: ${done.signal ?? done.status}: ${done.stderr}`);
}
host("WASI in Node", "answer", (number) => text(number, "wasi"));

const policy = opaSdk.loadPolicySync(load("claimkit-opa.wasm"));
const bytes = (number, kind) => encoder.encode(text(number, kind)).buffer;
host("OPA SDK for Node", "result", (number) => {
	policy.setData(bytes(number, "data"));
	const results = policy.evaluate(bytes(number, "input"));
	return JSON.stringify(results[0].result);
});

console.log(failures ? "made requests: FAILED" : "made requests: all passed");
process.exit(failures ? 1 : 0);

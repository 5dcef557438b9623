// The npm package beside js-yaml and ajv: calls with and without findings, in seconds; starts, in milliseconds; and the size of the module.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { prepareCluster, validate } from "../../pkg/node.js";
import { bests } from "./best.mjs";
import { judge } from "./judge.mjs";

const good = readFileSync(new URL("target/one.yaml", import.meta.url), "utf8");

/** Replaces a text that must be there. */
function changed(text, from, to) {
	if (!text.includes(from)) throw new Error(`the claim has no \`${from}\``);
	return text.replace(from, to);
}

const label = changed(
	good,
	"team: machine-learning",
	"team: -machine-learning-",
);
const mode = changed(
	label,
	"allocationMode: WaitForFirstConsumer",
	"allocationMode: Sometimes",
);
const three = changed(
	mode,
	"  resourceClassName:",
	"  unknown: 1\n  resourceClassName:",
);
const named = (at) =>
	changed(
		good,
		"name: nightly-training-gpu",
		`name: nightly-training-gpu-${at}`,
	);
const many = Array.from({ length: 999 }, (_, at) => named(at)).join("\n---\n");
const inputs = { good, label, three, many };
// Errors that claimkit finds, and whether ajv refuses: otherwise the times are of something else.
const expected = {
	good: [0, false],
	label: [1, false],
	three: [3, true],
	many: [0, false],
};
for (const [name, text] of Object.entries(inputs)) {
	const told = [
		validate(text).findings.filter(({ severity }) => severity === "error")
			.length,
		judge(text) !== null,
	];
	if (JSON.stringify(told) !== JSON.stringify(expected[name]))
		throw new Error(`${name}: errors, refused by ajv: ${told}`);
}

const calls = {};
for (const [name, text] of Object.entries(inputs)) {
	const [claimkit, ajv] = bests(
		[() => validate(text), () => judge(text)],
		name === "many" ? { rounds: 8 } : { rounds: 20, seconds: 0.1 },
	);
	calls[name] = { claimkit, ajv };
}

/** Returns the least time on the wall of some new processes that run a program, in milliseconds. */
function start(program) {
	const once = () => {
		const begun = performance.now();
		execFileSync(process.execPath, ["--input-type=module", "-e", program]);
		return performance.now() - begun;
	};
	return Math.min(...Array.from({ length: 12 }, once));
}

const pkg = (file) =>
	JSON.stringify(fileURLToPath(new URL(`../../pkg/${file}`, import.meta.url)));
const text = JSON.stringify(good);
const plain = start("");
const threeCalls = start(
	`const { validate } = await import(${pkg("node.js")}); for (let i = 0; i < 3; i += 1) validate(${text});`,
);
const inline = `const begun = performance.now(); const { validate } = await import(${pkg("inline.js")}); validate(${text}); console.log(performance.now() - begun);`;
const inlineCall = Math.min(
	...Array.from({ length: 12 }, () =>
		Number(
			execFileSync(process.execPath, ["--input-type=module", "-e", inline], {
				encoding: "utf8",
			}),
		),
	),
);

/** A cluster of 180,000 devices, which needs the memory to grow many times. */
const device = (at) =>
	`  - name: gpu-${at}\n    attributes:\n      model: {string: A100}\n      index: {int: ${at}}\n    capacity:\n      memory: {value: 80Gi}\n`;
const slice = (at) =>
	`apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata:\n  name: s${at}\nspec:\n  driver: gpu.example.com\n  nodeName: n${at}\n  pool: {name: n${at}, generation: 1, resourceSliceCount: 1}\n  devices:\n${Array.from({ length: 100 }, (_, one) => device(one)).join("")}`;
const cluster = Array.from({ length: 1800 }, (_, at) => slice(at)).join(
	"---\n",
);
const prepareBegun = performance.now();
prepareCluster(cluster).free();
const prepared = {
	megabytes: cluster.length / 1e6,
	seconds: (performance.now() - prepareBegun) / 1000,
};

const module = readFileSync(
	new URL("../../pkg/claimkit_bg.wasm", import.meta.url),
);
const params = {
	[constants.BROTLI_PARAM_QUALITY]: 11,
	[constants.BROTLI_PARAM_LGWIN]: 24,
	[constants.BROTLI_PARAM_SIZE_HINT]: module.length,
};
console.log(
	JSON.stringify({
		calls,
		starts: { beyondPlain: threeCalls - plain, inline: inlineCall },
		prepared,
		brotli: brotliCompressSync(module, { params }).length,
	}),
);

// `make bench`: claimkit and its peers on the same inputs in one run. Writes RESULTS.md and chart.svg here; `--catch` only
// makes CATCHES.md, the table of what each tool says of common mistakes, and with `--check` compares it with what is committed.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { hasGo } from "../oracle/release.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const target = path.join(here, "target");
const peers = path.resolve(
	here,
	"../..",
	process.env.CARGO_TARGET_DIR ?? "target",
	"peers/peers",
);
const python = path.join(target, "venv/bin/python");
mkdirSync(target, { recursive: true });

const options = {
	cwd: here,
	encoding: "utf8",
	maxBuffer: 1 << 28,
	stdio: ["ignore", "pipe", "inherit"],
};
const run = (program, ...args) => execFileSync(program, args, options);
const say = (text) => console.error(`==> ${text}`);

function prepare() {
	say("peers from npm: about 10 seconds");
	run("npm", "ci", "--no-fund", "--no-audit", "--loglevel=error");
	if (!existsSync(python)) {
		say("peers from PyPI: about 30 seconds");
		run("python3", "-m", "venv", path.join(target, "venv"));
		run(
			python,
			"-m",
			"pip",
			"install",
			"--quiet",
			"--disable-pip-version-check",
			"-r",
			"requirements.txt",
		);
	}
	writeFileSync(path.join(target, "schema.json"), run(python, "schema.py"));
	say("peers that are crates, and claimkit: about 4 minutes the first time");
	run(
		"cargo",
		...["build", "--quiet", "--profile", "peers", "--locked", "--bin", "peers"],
	);
	run(peers, "inputs");
}

const lines = (text) =>
	text
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
const cell = (text) =>
	text
		.replaceAll("|", "\\|")
		.replaceAll("\n", " ")
		.replace(/(.{90}).+/, "$1…");

/** What each tool says of each mistake. */
function catches() {
	const file = "mistakes.yaml";
	const ours = lines(run(peers, "catch", file));
	const ajv = lines(run("node", "peers.mjs", "catch", file));
	const kubernetesValidate = lines(run(python, "peer.py", "catch", file));
	const counts = {
		claimkit: 0,
		ajv: 0,
		"kubernetes-validate": 0,
		"k8s-openapi": 0,
	};
	const rows = ours.map(({ title, claimkit, typed }, at) => {
		const said = {
			claimkit:
				claimkit &&
				`${claimkit.severity}, ${claimkit.origin}: ${claimkit.message}`,
			ajv: ajv[at].says,
			"kubernetes-validate": kubernetesValidate[at].says,
			"k8s-openapi": typed,
		};
		const cells = Object.entries(said).map(([tool, text]) => {
			if (text === null || text === undefined) return "–";
			counts[tool] += 1;
			return cell(text);
		});
		return `| ${title} | ${cells.join(" | ")} |`;
	});
	const head = Object.entries(counts).map(
		([tool, count]) => `${tool}: ${count} of ${rows.length}`,
	);
	return `# What each tool says of common mistakes

Made by \`node run.mjs --catch\` from \`mistakes.yaml\`; \`–\` means that nothing was said. For Kubernetes 1.30. ajv and
kubernetes-validate judge by the strict schemas that kubernetes-validate brings; k8s-openapi is a parse into its types.

| mistake | ${head.join(" | ")} |
|---|---|---|---|---|
${rows.join("\n")}
`;
}

const INPUTS = [
	["one claim of 850 bytes", "target/one.yaml"],
	["500 documents", "target/many.yaml"],
	["5 MB", "target/large.yaml"],
];

function microseconds(seconds) {
	const value = seconds * 1e6;
	return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

const factor = (ratio) =>
	ratio >= 10 ? ratio.toFixed(0) : ratio.toPrecision(2);

function times() {
	const results = {};
	for (const [name, file] of INPUTS) {
		say(`timing: ${name}`);
		const native = JSON.parse(run(peers, "time", file));
		const wasm = JSON.parse(run("node", "peers.mjs", "time", file));
		// Minutes for the large file, which would tell nothing that the smaller do not.
		const slow =
			name === "5 MB" ? {} : JSON.parse(run(python, "peer.py", "time", file));
		results[name] = { ...native, ...wasm, ...slow };
	}
	return results;
}

function evaluation() {
	say("timing: 10 000 nodes");
	return JSON.parse(
		run("node", "nodes.mjs", "target/nodes.json", "target/selector.yaml"),
	);
}

/** CEL in JavaScript, as a part of the page. */
function selectors() {
	say("timing: CEL in JavaScript");
	const { compile, evaluate, read } = JSON.parse(run("node", "cel.mjs"));
	const row = (name, of) => {
		const cells = [of.claimkit, of.marcbachmann, of.bufbuild];
		const told = cells.map((seconds, at) =>
			at === 0
				? microseconds(seconds)
				: `${microseconds(seconds)} (${factor(seconds / of.claimkit)}×)`,
		);
		return `| ${name} | ${told.join(" | ")} |`;
	};
	return `## CEL in JavaScript

A selector of three comparisons that all three packages understand, microseconds, in brackets how many times claimkit's. claimkit
compiles with the types and costs of kube-apiserver, \`@marcbachmann/cel-js\` with types that are not declared, \`@bufbuild/cel\` without.
claimkit's \`cel\` takes devices as JSON and answers about all devices of a call: reading one takes ${microseconds(read)} µs more; the other two take
objects that are made for them.

| | claimkit | @marcbachmann/cel-js | @bufbuild/cel |
|---|---|---|---|
${row("compile", compile)}
${row("evaluate on one device", evaluate)}
`;
}

/** The npm package with and without findings, its starts and its size. */
function npmPackage() {
	say("timing: the npm package with findings, and its starts");
	const { calls, starts, prepared, brotli } = JSON.parse(
		run("node", "npm.mjs"),
	);
	const row = (name, { claimkit, ajv }) =>
		`| ${name} | ${microseconds(claimkit)} | ${microseconds(ajv)} | ${(ajv / claimkit).toFixed(2)} |`;
	return `## The npm package

Microseconds for each call, beside js-yaml + ajv, which sees only the last of the three mistakes; the ratio says how many times as long
they take.

| | claimkit | js-yaml + ajv | ratio |
|---|---|---|---|
${row("a good claim", calls.good)}
${row("a wrong label", calls.label)}
${row("a wrong label, a wrong mode and an unknown field", calls.three)}
${row("999 documents", calls.many)}

A program that validates three times takes ${starts.beyondPlain.toFixed(0)} ms more than an empty one; import and first call of \`claimkit/inline\` take
${starts.inline.toFixed(0)} ms. The first \`prepareCluster\`, of ${prepared.megabytes.toFixed(0)} MB, takes ${prepared.seconds.toFixed(2)} s. The module is ${(brotli / 1000).toFixed(0)} KB as brotli.
`;
}

/** Pods in turn, beside the real kube-scheduler; what is said where Go cannot build it. */
function inTurn() {
	if (!hasGo())
		return "## Pods in turn\n\nNOT RUN: kube-scheduler is built with Go, which is not there.\n";
	say(
		"timing: pods in turn, beside kube-scheduler: the first time 6 minutes for building it",
	);
	const { release, nodes, devices, pods, scheduler, wall, claimkit } =
		JSON.parse(run("node", "scheduler.mjs"));
	return `## Pods in turn

${pods} pods that want a device each, on ${nodes} nodes with ${devices} devices. kube-scheduler ${release} uses ${scheduler.toFixed(2)} s of processor time, its
requests to kube-apiserver included; ${wall.toFixed(1)} s pass from the first pod to the last that is bound. claimkit in Wasm reads the cluster as
kubectl prints it and places the pods in ${claimkit.toFixed(3)} s of processor time: kube-scheduler uses ${factor(scheduler / claimkit)} times as much.
`;
}

/** Bars of time for each document; the axis is logarithmic. */
function chart(results) {
	const of = results["500 documents"];
	const rows = Object.entries(of).sort((a, b) => a[1] - b[1]);
	const [least, most] = [
		Math.min(...rows.map((row) => row[1])),
		Math.max(...rows.map((row) => row[1])),
	];
	const width = (seconds) =>
		40 + (400 * Math.log(seconds / least)) / Math.log(most / least);
	const bars = rows.map(([name, seconds], at) => {
		const y = 34 + at * 26;
		const own = name.startsWith("claimkit");
		return `  <text x="186" y="${y + 14}" text-anchor="end">${name}</text>
  <rect x="194" y="${y}" width="${width(seconds).toFixed(1)}" height="18" rx="2" fill="${own ? "#326ce5" : "#9aa4b2"}"/>
  <text x="${(200 + width(seconds)).toFixed(1)}" y="${y + 14}">${microseconds(seconds)} µs</text>`;
	});
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 ${44 + rows.length * 26}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="Time for each document">
  <rect width="720" height="${44 + rows.length * 26}" fill="#fff"/>
  <text x="194" y="20" font-weight="600">Time for each document (500 documents, logarithmic)</text>
${bars.join("\n")}
</svg>
`;
}

function results() {
	const measured = times();
	const wasm = evaluation();
	const cel = selectors();
	const npm = npmPackage();
	const turns = inTurn();
	say("growth");
	const scale = JSON.parse(run(peers, "scale"));
	const names = Object.keys(measured["500 documents"]);
	const row = (name) => {
		const cells = INPUTS.map(([input]) => {
			const seconds = measured[input][name];
			if (seconds === undefined) return "–";
			const base = name.includes("crate") ? "claimkit" : "claimkit (Wasm)";
			const ratio = name.startsWith("claimkit")
				? ""
				: ` (${factor(seconds / measured[input][base])}×)`;
			return `${microseconds(seconds)}${ratio}`;
		});
		return `| ${name} | ${cells.join(" | ")} |`;
	};
	const growth = scale.map(({ what, unit, sizes, nanoseconds }) => {
		const cells = sizes.map(
			(size, at) =>
				`${size}: ${nanoseconds[at] >= 100 ? nanoseconds[at].toFixed(0) : nanoseconds[at].toPrecision(3)} ns`,
		);
		return `| ${what}, each ${unit} | ${cells.join(" | ")} | ${(nanoseconds[2] / nanoseconds[0]).toFixed(2)} |`;
	});
	writeFileSync(path.join(here, "chart.svg"), chart(measured));
	return `# claimkit beside its peers

Made by \`make bench\`: one run, the same inputs, processor time (not time on the wall), the best of several rounds, the tools in turns. ${os.cpus()[0].model}, ${os.cpus().length} cores, Node ${process.version}.

Microseconds for each document, in brackets how many times claimkit's: of Rust crates the native build's, of all others that of
the npm package. claimkit reads, applies every rule of the server and places every finding; js-yaml + ajv, kubernetes-validate
and the jsonschema crate judge shapes by the strict schemas of Kubernetes, without positions; \`yaml\` reads with positions and
judges nothing; k8s-openapi parses into types.

| | ${INPUTS.map(([name]) => name).join(" | ")} |
|---|---|---|---|
${names.map(row).join("\n")}

![time for each document](chart.svg)

## Nodes

${wasm.count} Nodes as \`kubectl get nodes -o json\` prints them (${(wasm.bytes / 1e6).toFixed(0)} MB), a selector of 10 terms with 3 requirements each, in Wasm under Node:
prepared in ${wasm.prepare.toFixed(0)} ms (${(wasm.bytes / 1e3 / wasm.prepare).toFixed(0)} MB/s), evaluated with a reason for each node in ${wasm.evaluate.toFixed(1)} ms.

${cel}
${npm}
${turns}
## Growth

Cost of one more, small and large: what grows linearly has a ratio near 1.

| | small | | large | ratio |
|---|---|---|---|---|
${growth.join("\n")}
`;
}

prepare();
const table = path.join(here, "CATCHES.md");
const made = catches();
if (process.argv.includes("--check")) {
	if (readFileSync(table, "utf8") !== made) {
		console.error(`${table} is not what \`node run.mjs --catch\` makes`);
		process.exit(1);
	}
} else {
	writeFileSync(table, made);
}
if (!process.argv.includes("--catch")) {
	const text = results();
	writeFileSync(path.join(here, "RESULTS.md"), text);
	console.log(text);
}

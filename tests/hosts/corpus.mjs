// Every file of a folder of manifests found in public through the command line: nothing crashes, every answer is an answer.
//
//   node tests/hosts/corpus.mjs FOLDER
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { commands } from "./suite.mjs";

const folder = process.argv[2];
if (!folder || !existsSync(folder)) {
	console.log("corpus: not present, not checked");
	console.log("0 passed, 0 failed");
	process.exit(0);
}

/** The entry of a file in the corpus list: `ok`, or why it cannot be read. */
const states = new Map();
const list = path.join(folder, "index.csv");
if (existsSync(list)) {
	const [head, ...rows] = readFileSync(list, "utf8")
		.trim()
		.split("\n")
		.map((line) => line.split(","));
	for (const row of rows)
		states.set(row[head.indexOf("file")], row[head.indexOf("status")]);
}

// The list of the later versions beside its files: what it says of a file that nobody can read.
const later = path.join(folder, "device/index.csv");
if (existsSync(later)) {
	for (const line of readFileSync(later, "utf8")
		.split("\n")
		.filter((line) => /,unparsable,/.test(line))) {
		const file = line
			.split(",")
			.find((field) => /\.(yaml|yml|json)$/.test(field) && field.includes("@"));
		if (file) states.set(`device/${file}`, "unparsable");
	}
}

const files = readdirSync(folder, { recursive: true })
	.filter((name) => /\.(yaml|yml|json)$/.test(name))
	.sort();
const nodes = "apiVersion: v1\nkind: Node\nmetadata:\n  name: node\n";
const requests = [];
for (const file of files) {
	const text = readFileSync(path.join(folder, file), "utf8");
	requests.push(
		{ file, verb: "parse", text },
		{ file, verb: "validate", text },
	);
	for (const to of ["v1alpha1", "v1alpha2"])
		requests.push({ file, verb: "convert", text, to });
	requests.push({ file, verb: "evaluate", text, nodes });
}

/** Answers requests, one line each. */
function batch(requests) {
	const input = requests
		.map(({ file, ...request }) => `${JSON.stringify(request)}\n`)
		.join("");
	const done = spawnSync(commands[0][1], ["batch"], {
		input,
		maxBuffer: 1 << 30,
		encoding: "utf8",
	});
	const answers = done.stdout.split("\n").slice(0, -1);
	if (done.status !== 0)
		failures.push(
			`claimkit batch ended with ${done.status ?? done.signal}: ${done.stderr}`,
		);
	if (answers.length !== requests.length)
		failures.push(`${requests.length} requests, ${answers.length} answers`);
	return answers.map((line) => JSON.parse(line));
}

const failures = [];
const answers = batch(requests);

const valid = new Map();
let objects = 0;
answers.forEach((answer, at) => {
	const { file, verb } = requests[at];
	if (answer.error !== undefined)
		failures.push(`${file}: ${verb}: ${answer.error}`);
	const broken = answer.findings.find(
		({ code, severity }) => severity === "error" && /^(yaml|json)-/.test(code),
	);
	if (verb === "parse" && broken) {
		const state = states.get(file) ?? "ok";
		if (state === "ok") failures.push(`${file}: ${broken.message}`);
		else
			console.log(
				`corpus: ${file}: not readable, and listed so (${state}): ${broken.message}`,
			);
	}
	if (verb !== "validate") return;
	const repository = file.split("/")[0];
	const count = valid.get(repository) ?? {
		valid: 0,
		refused: 0,
		converted: 0,
		identical: 0,
	};
	for (const object of answer.objects) {
		if (typeof object.valid !== "boolean") continue;
		objects += 1;
		count[object.valid ? "valid" : "refused"] += 1;
	}
	valid.set(repository, count);
});

// To the other version and back: what can be converted without loss must come back to the same bytes.
const there = requests
	.map((request, at) => [request, answers[at]])
	.filter(([request, answer]) => {
		return (
			request.verb === "convert" &&
			answer.ok &&
			answer.objects.some((object) => object.changed)
		);
	});
const back = batch(
	there.map(([{ file, to }, { text }]) => ({
		file,
		verb: "convert",
		text,
		to: to === "v1alpha1" ? "v1alpha2" : "v1alpha1",
	})),
);
there.forEach(([{ file, text }], at) => {
	const count = valid.get(file.split("/")[0]);
	count.converted += 1;
	if (back[at].text === text) count.identical += 1;
	else console.log(`corpus: ${file}: converted and back it is another text`);
});

// The number of agreements must not fall; raise it when more agree.
const least = JSON.parse(
	readFileSync(new URL("ratchet.json", import.meta.url), "utf8"),
).corpus;
for (const [repository, count] of valid) {
	console.log(
		`corpus: ${repository}: ${count.valid} valid, ${count.refused} refused; ${count.converted} files converted, ${count.identical} of them back to the same text`,
	);
	for (const [name, bound] of Object.entries(least[repository] ?? {})) {
		if (count[name] < bound)
			failures.push(
				`${repository}: ${count[name]} ${name}, there were ${bound}`,
			);
	}
}
const total = requests.length + back.length;
console.log(
	`corpus: ${files.length} files, ${objects} objects, ${total} requests`,
);
for (const failure of failures) console.error(`corpus: ${failure}`);
console.log(`${total - failures.length} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);

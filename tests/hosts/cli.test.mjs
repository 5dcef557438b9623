// The command line, native and under npx: the same cases, whose expected output stands in cases/*.txt. A case begins with the
// command (`$ claimkit …`, with `< file` for standard input); then what it prints to standard output, `--- stderr` and
// `--- exit N`. `CLAIMKIT_UPDATE=1 node cli.test.mjs` writes what the native command answers now; read the difference before
// committing it.
import assert from "node:assert/strict";
import {
	cpSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { commands, here, run, UPDATE } from "./suite.mjs";

const folder = path.join(here, "cases");

/** Runs the command of a case and writes the case as it should then stand. */
function answer(command, line) {
	const [words, file] = line.replace(/^\$ claimkit ?/, "").split(" < ");
	const input = file === undefined ? "" : readFileSync(path.join(here, file));
	const { stdout, stderr, exit } = run(
		command,
		words === "" ? [] : words.split(" "),
		{ input },
	);
	return `${line}\n${stdout}--- stderr\n${stderr}--- exit ${exit}\n`;
}

const record = UPDATE;
for (const name of readdirSync(folder).sort()) {
	const file = path.join(folder, name);
	const expected = readFileSync(file, "utf8");
	const line = expected.split("\n", 1)[0];
	if (record) {
		writeFileSync(file, answer(commands[0], line));
		continue;
	}
	for (const command of commands) {
		test(`${command[0]}: ${line}`, () =>
			assert.equal(answer(command, line), expected));
	}
}

if (!record) {
	for (const command of commands) {
		test(`${command[0]}: convert --in-place writes the file and nothing else`, () => {
			const scratch = mkdtempSync(path.join(tmpdir(), "claimkit-"));
			try {
				cpSync(path.join(here, "manifests"), scratch, { recursive: true });
				const file = path.join(scratch, "good.yaml");
				const before = readFileSync(file, "utf8");
				const done = run(
					command,
					["convert", "--to", "v1alpha1", "--in-place", "good.yaml"],
					{ cwd: scratch },
				);
				assert.deepEqual(done, {
					stdout: "",
					stderr: "converted 1 file, 0 unchanged\n",
					exit: 0,
				});
				assert.equal(
					readFileSync(file, "utf8"),
					before.replaceAll("v1alpha2", "v1alpha1"),
				);
			} finally {
				rmSync(scratch, { recursive: true });
			}
		});

		test(`${command[0]}: a large answer is printed whole into a pipe`, () => {
			const one = readFileSync(path.join(here, "manifests/good.yaml"), "utf8");
			const { stdout } = run(command, ["parse", "-"], {
				input: `${one}---\n`.repeat(3000),
			});
			assert.equal(stdout.split("\n").length, 9001);
		});

		test(`${command[0]}: batch answers line by line, in order, whatever stands in them`, () => {
			const requests = [
				JSON.stringify({ verb: "parse", text: "a: \u2028\u0085 b" }),
				"not json",
				JSON.stringify({ verb: "parse", text: "", unknown: 1 }),
				JSON.stringify({
					verb: "parse",
					text: readFileSync(path.join(here, "manifests/good.yaml"), "utf8"),
				}),
			];
			const { stdout, exit } = run(command, ["batch"], {
				input: requests.join("\n"),
			});
			const answers = stdout.split("\n");
			assert.equal(answers.pop(), "");
			const parsed = answers.map((line) => JSON.parse(line));
			assert.equal(exit, 0);
			assert.equal(parsed.length, 4);
			assert.match(parsed[1].error, /cannot be used/);
			assert.match(parsed[2].error, /unknown field `unknown`/);
			assert.equal(parsed[3].objects.length, 3);
		});

		test(`${command[0]}: colours only where a terminal is, or where asked for`, () => {
			assert.doesNotMatch(
				run(command, ["validate", "manifests/bad.yaml"]).stdout,
				/\x1b/,
			);
			assert.match(
				run(command, ["validate", "--color", "always", "manifests/bad.yaml"])
					.stdout,
				/\x1b\[1;31merror\x1b\[0m/,
			);
		});
	}
}

// Asks claimkit's command line, many requests at once.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { root, target } from "./release.mjs";

/** The command line. */
export const program =
	process.env.CLAIMKIT ?? path.join(target, "debug/claimkit");

/** Builds the command line. */
export function buildClaimkit() {
	if (process.env.CLAIMKIT) return;
	const done = spawnSync("cargo", ["build", "--quiet", "--locked"], {
		cwd: root,
		stdio: "inherit",
	});
	if (done.status !== 0) throw new Error("cargo build failed");
}

/** The answers to requests, in their order. */
export function batch(requests) {
	if (requests.length === 0) return [];
	const input = requests
		.map((request) => `${JSON.stringify(request)}\n`)
		.join("");
	const done = spawnSync(program, ["batch"], {
		input,
		encoding: "utf8",
		maxBuffer: 1 << 30,
	});
	const answers = (done.stdout ?? "")
		.split("\n")
		.slice(0, -1)
		.map((line) => JSON.parse(line));
	if (answers.length !== requests.length)
		throw new Error(
			`claimkit batch: ${answers.length} answers to ${requests.length} requests: ${done.stderr}`,
		);
	const unusable = answers.find(({ error }) => error);
	if (unusable) throw new Error(`claimkit batch: ${unusable.error}`);
	return answers;
}

/** The release as claimkit is asked for it. */
export const supports = (release) => {
	const done = spawnSync(program, ["batch"], {
		input: `${JSON.stringify({ verb: "validate", release, text: "" })}\n`,
		encoding: "utf8",
	});
	return !JSON.parse(done.stdout).error;
};

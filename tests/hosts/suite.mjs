// Paths that the tests of this folder share.
import { execFileSync, spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** This folder. */
export const here = path.dirname(fileURLToPath(import.meta.url));
/** The repository. */
export const root = path.resolve(here, "../..");
/** Set by targets that run whole what `make test` samples. */
export const ALL = process.env.CLAIMKIT_ALL === "1";
/** Writes what is answered now into the recordings. */
export const UPDATE = process.env.CLAIMKIT_UPDATE === "1";
/** Where compilers write. */
export const target = path.resolve(
	root,
	process.env.CARGO_TARGET_DIR ?? "target",
);

/** The two command lines, which must be one: [name, program, first arguments]. */
export const commands = [
	["native", path.join(target, "debug/claimkit"), []],
	["npx", process.execPath, [path.join(root, "pkg/cli.js")]],
];

/** Runs a command line in this folder. */
export function run(
	[, program, first],
	args,
	{ input = "", env = {}, cwd = here } = {},
) {
	const done = spawnSync(program, [...first, ...args], {
		cwd,
		input,
		env: { ...process.env, ...env },
		maxBuffer: 1 << 28,
	});
	if (done.error) throw done.error;
	return {
		stdout: done.stdout.toString(),
		stderr: done.stderr.toString(),
		exit: done.status,
	};
}

/** Packs the npm package of a folder of the repository, or only says what would be packed: its sizes and files. */
export function pack(folder, ...flags) {
	const printed = execFileSync(
		"npm",
		["pack", "--json", "--loglevel=error", ...flags],
		{ cwd: path.join(root, folder), encoding: "utf8" },
	);
	// A script that runs before it may print lines of its own.
	const parsed = JSON.parse(printed.slice(printed.search(/^[[{]/m)));
	return Array.isArray(parsed) ? parsed[0] : Object.values(parsed)[0];
}

/** Chromium for playwright: what $CHROMIUM names, or the first known name on PATH. */
export function chromium() {
	if (process.env.CHROMIUM) return process.env.CHROMIUM;
	for (const name of [
		"chromium-headless-shell",
		"chromium",
		"chromium-browser",
		"google-chrome",
		"google-chrome-stable",
	]) {
		const found = spawnSync("sh", ["-c", `command -v ${name}`], {
			encoding: "utf8",
		});
		if (found.status === 0) return found.stdout.trim();
	}
	throw new Error("no Chromium: run tests/hosts/chromium.sh");
}

// Compiler flags that make a module the same wherever it is built: panic messages name the sources of dependencies and of the
// standard library, and those lie where each machine has them. `node flags.mjs` prints them as the shell sets CARGO_ENCODED_RUSTFLAGS;
// `node flags.mjs package` adds those of the npm package's modules.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { root } from "./places.mjs";

function printed(program, ...args) {
	return execFileSync(program, args, {
		cwd: root,
		encoding: "utf8",
		maxBuffer: 1 << 28,
	});
}

/** CARGO_ENCODED_RUSTFLAGS: the caller's own flags, then one for each folder that crates lie in and one for the standard library. */
export function encodedFlags(env = process.env) {
	const { packages } = JSON.parse(
		printed(
			"cargo",
			"metadata",
			"--quiet",
			"--locked",
			"--format-version",
			"1",
		),
	);
	const crates = packages.filter((crate) => crate.source !== null);
	const folders = new Set(
		crates.map((crate) => path.dirname(path.dirname(crate.manifest_path))),
	);
	const library = path.join(
		printed("rustc", "--print", "sysroot").trim(),
		"lib/rustlib/src/rust",
	);
	const own =
		env.CARGO_ENCODED_RUSTFLAGS?.split("\x1f") ??
		env.RUSTFLAGS?.split(/\s+/) ??
		[];
	const names = [
		...[...folders].sort().map((folder) => `${folder}=crates`),
		`${library}=rust`,
	];
	return [...own, ...names.map((name) => `--remap-path-prefix=${name}`)]
		.filter((flag) => flag !== "")
		.join("\x1f");
}

// Copies and comparisons by 16 bytes: the module is smaller by 6 KB as brotli, and as fast. Chromium and Firefox have this since
// 2021 and Safari since 2023; Node since 16.
const SIMD = "-Ctarget-feature=+simd128";

// Wasm has few loops over numbers that a vectorizer helps: without it the module is smaller by 3 KB as brotli, and as fast.
const NO_VECTORIZER = ["-Cno-vectorize-loops", "-Cno-vectorize-slp"];

/** The flags of the npm package's modules. */
export function packageFlags(env = process.env) {
	return [encodedFlags(env), ...NO_VECTORIZER, SIMD].join("\x1f");
}

if (process.argv[1] === import.meta.filename) {
	process.stdout.write(
		process.argv[2] === "package" ? packageFlags() : encodedFlags(),
	);
}

// Makes the program `claimkit` for every system, all on Linux: cargo-zigbuild has Zig link them. Both come from PyPI, into target/tools.
//
//   node pkg/build/programs.mjs [TARGET…]     without a target: all of them, into target/programs/<target>
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { encodedFlags } from "./flags.mjs";
import { headers } from "./headers.mjs";
import { root, target, tools } from "./places.mjs";

const here = import.meta.dirname;
const out = path.join(target, "programs");
const cache = path.join(tools, "zig-cache");
const caches = {
	CARGO_ZIGBUILD_CACHE_DIR: path.join(cache, "cargo-zigbuild"),
	ZIG_GLOBAL_CACHE_DIR: cache,
	ZIG_LOCAL_CACHE_DIR: cache,
};

/** At most this many bytes. */
const LIMIT = 10_000_000;

// The crate `libc` names libiconv, of which nothing is used.
const ONLY_WHAT_IS_USED = "-Clink-arg=-Wl,-dead_strip_dylibs";

const MACOS = ["/usr/lib/libSystem.B.dylib"];

/** Libraries that every Windows 10 and 11 has. */
const WINDOWS =
	/^(kernel32|ntdll|bcryptprimitives|userenv|ws2_32|api-ms-win-[a-z0-9-]+)\.dll$/;

/**
 * The programs: names of system and processor as kubectl's plugins and Go have them, and what their headers must say. `system` is the
 * oldest macOS that starts it.
 */
export const PROGRAMS = [
	{
		target: "x86_64-unknown-linux-musl",
		os: "linux",
		arch: "amd64",
		headers: { format: "ELF", processor: "amd64" },
	},
	{
		target: "aarch64-unknown-linux-musl",
		os: "linux",
		arch: "arm64",
		headers: { format: "ELF", processor: "arm64" },
	},
	{
		target: "aarch64-apple-darwin",
		os: "darwin",
		arch: "arm64",
		headers: {
			format: "Mach-O",
			processor: "arm64",
			system: "11.0",
			signature: "valid",
		},
	},
	{
		target: "x86_64-apple-darwin",
		os: "darwin",
		arch: "amd64",
		headers: { format: "Mach-O", processor: "amd64", system: "10.12" },
	},
	{
		target: "x86_64-pc-windows-gnullvm",
		os: "windows",
		arch: "amd64",
		headers: { format: "PE", processor: "amd64", system: "console" },
	},
	{
		target: "aarch64-pc-windows-gnullvm",
		os: "windows",
		arch: "arm64",
		headers: { format: "PE", processor: "arm64", system: "console" },
	},
].map((program) => ({
	...program,
	name: program.os === "windows" ? "claimkit.exe" : "claimkit",
}));

/** Where a program is once it is made. */
export const made = ({ target: triple, name }, folder = target) =>
	path.join(folder, "programs", triple, name);

/** Returns what is wrong with a program that cannot be started here: its size, or what its headers say. */
export function faults(program, file) {
	const found = headers(file);
	const { size } = statSync(file);
	const wrong = Object.entries(program.headers)
		.filter(([name, value]) => found[name] !== value)
		.map(([name, value]) => `${name} is ${found[name]}, not ${value}`);
	const foreign = found.libraries.filter(
		(library) =>
			!(program.os === "darwin" && MACOS.includes(library)) &&
			!(program.os === "windows" && WINDOWS.test(library)),
	);
	if (foreign.length > 0) wrong.push(`it needs ${foreign.join(", ")}`);
	if (size > LIMIT)
		wrong.push(`it has ${size} bytes, of which ${LIMIT} are the limit`);
	return wrong;
}

function say(words) {
	console.log(`==> ${words}`);
}

/** What this machine cannot have. */
export class Absent extends Error {}

/** The folder with the tools, which are installed if they are not there. */
function installed() {
	const requirements = path.join(here, "requirements.txt");
	const hash = createHash("sha256").update(readFileSync(requirements));
	const folder = path.join(
		tools,
		`programs-${hash.digest("hex").slice(0, 12)}`,
	);
	if (!existsSync(folder)) {
		say("cargo-zigbuild and Zig from PyPI, once, about 20 seconds");
		const part = `${folder}.${process.pid}`;
		rmSync(part, { recursive: true, force: true });
		const done = spawnSync(
			"python3",
			[
				...["-m", "pip", "install", "--quiet", "--disable-pip-version-check"],
				...["--no-deps", "--require-hashes", "--only-binary", ":all:"],
				...["--root-user-action", "ignore", "--target", part],
				...["-r", requirements],
			],
			{ stdio: ["ignore", "inherit", "inherit"] },
		);
		if (done.status !== 0)
			throw new Absent("PyPI has no Zig for this machine, or there is no pip");
		// Another build may have brought them in the meantime.
		if (existsSync(folder)) rmSync(part, { recursive: true, force: true });
		else renameSync(part, folder);
	}
	return folder;
}

/** Has Zig compile C into a library of Windows. */
export function windowsLibrary(source, file) {
	const done = spawnSync(
		path.join(installed(), "ziglang/zig"),
		[
			...["cc", "-target", "x86_64-windows-gnu", "-shared", "-O1", "-s"],
			...["-o", file, source, "-ladvapi32"],
		],
		{ env: { ...process.env, ...caches }, encoding: "utf8" },
	);
	if (done.status !== 0) throw new Error(`${source}: ${done.stderr}`);
}

/** Brings the standard library of the targets. */
function libraries(targets) {
	const done = spawnSync(
		"bash",
		[path.join(here, "toolchain.sh"), ...targets],
		{
			stdio: ["ignore", "inherit", "inherit"],
		},
	);
	if (done.status !== 0)
		throw new Absent("rustup cannot bring the targets of all programs");
}

/** Compiles a program and puts it to its place. */
function compile(program, folder, flags) {
	const env = {
		...process.env,
		...caches,
		CARGO_ENCODED_RUSTFLAGS: flags,
		// No message shows names of functions.
		CARGO_PROFILE_RELEASE_STRIP: "symbols",
		CARGO_ZIGBUILD_ZIG_PATH: path.join(folder, "ziglang/zig"),
		SOURCE_DATE_EPOCH: "0",
	};
	if (program.os === "darwin") {
		env.CARGO_ENCODED_RUSTFLAGS = `${flags}\x1f${ONLY_WHAT_IS_USED}`;
		env.MACOSX_DEPLOYMENT_TARGET = program.headers.system;
	}
	const done = spawnSync(
		path.join(folder, "bin/cargo-zigbuild"),
		[
			...["zigbuild", "--quiet", "--locked", "--package", "claimkit-cli"],
			...["--release", "--target", program.target, "--target-dir", out],
		],
		{ cwd: root, env, encoding: "utf8", maxBuffer: 1 << 28 },
	);
	// Compilers warn that there is no SDK of Apple's, which Zig does not need, and that a static target has no shared libraries.
	if (done.status !== 0)
		throw new Error(
			`${program.target} ended with ${done.status ?? done.signal ?? done.error?.message}:\n${done.stdout}${done.stderr}`,
		);
	const compiled = path.join(out, program.target, "release", program.name);
	copyFileSync(compiled, made(program));
}

/** Makes programs, one after another, and returns the size of each. */
function build(programs) {
	const folder = installed();
	libraries(programs.map((program) => program.target));
	const flags = encodedFlags();
	const sizes = {};
	for (const program of programs) {
		const began = Date.now();
		compile(program, folder, flags);
		const file = made(program);
		const wrong = faults(program, file);
		if (wrong.length > 0)
			throw new Error(`${program.target}: ${wrong.join("; ")}`);
		const { size } = statSync(file);
		sizes[program.target] = size;
		const seconds = ((Date.now() - began) / 1000).toFixed(0);
		console.log(
			`${program.target}: ${(size / 1e6).toFixed(1)} MB (${seconds} s)`,
		);
	}
	return sizes;
}

/** The command: exits with 3 if this machine cannot have the tools. */
function main(names) {
	const unknown = names.filter(
		(name) => !PROGRAMS.some((program) => program.target === name),
	);
	if (unknown.length > 0) {
		const known = PROGRAMS.map((program) => program.target).join(", ");
		console.error(`programs: no ${unknown.join(", ")}; there are ${known}`);
		return 2;
	}
	const programs = PROGRAMS.filter(
		(program) => names.length === 0 || names.includes(program.target),
	);
	say(
		`programs for ${programs.map(({ os, arch }) => `${os}-${arch}`).join(", ")}: about 3 minutes for each, and seconds where nothing changed`,
	);
	try {
		const sizes = build(programs);
		mkdirSync(out, { recursive: true });
		const file = path.join(out, "sizes.json");
		const before = existsSync(file)
			? JSON.parse(readFileSync(file, "utf8"))
			: {};
		writeFileSync(
			file,
			`${JSON.stringify({ ...before, ...sizes }, undefined, "\t")}\n`,
		);
		return 0;
	} catch (error) {
		console.error(`programs: ${error.message}`);
		return error instanceof Absent ? 3 : 1;
	}
}

if (process.argv[1] === import.meta.filename)
	process.exitCode = main(process.argv.slice(2));

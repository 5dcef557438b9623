// Checks that lock files have: a checksum for everything from a registry, no address it came from, no program that runs on install
// but those named here, and licenses that may be passed on.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { PACKAGES } from "../../pkg/build/packages.mjs";

const root = path.resolve(
	path.dirname(fileURLToPath(import.meta.url)),
	"../..",
);
const read = (file) => readFileSync(path.join(root, file), "utf8");
const files = (pattern) =>
	execFileSync("git", ["ls-files", "--", pattern, `**/${pattern}`], {
		cwd: root,
		encoding: "utf8",
	})
		.split("\n")
		.filter(Boolean);

const permissive = JSON.parse(
	read("deny.toml").match(/^allow = (\[.*\])$/m)[1],
);
// Of tools that nobody gets: they make, measure or test what people get, and are no part of it.
const tools = {
	"0BSD": ["tslib"],
	"MIT-0": ["@csstools/color-helpers"],
	"MPL-2.0": ["axe-core", "lightningcss"],
	"Python-2.0": ["argparse"],
	"PSF-2.0": ["argparse"],
	// Its package.json has the old form of the license field, which lock files leave out: MIT.
	undefined: ["httpolyglot"],
	// Of the runtimes and frameworks in which the package is tried.
	"CC0-1.0": ["@speed-highlight/core"],
	"CC-BY-4.0": ["caniuse-lite"],
	"BlueOak-1.0.0": [
		"glob",
		"graceful-fs",
		"jackspeak",
		"lru-cache",
		"minimatch",
		"minipass",
		"package-json-from-dist",
		"path-scurry",
	],
	"LGPL-3.0-or-later": ["@img/sharp-libvips"],
	"Apache-2.0 AND LGPL-3.0-or-later": ["@img/sharp-win32"],
	"Apache-2.0 AND LGPL-3.0-or-later AND MIT": ["@img/sharp-wasm32"],
};
// Packages whose install scripts npm may run: each puts its program for this machine in place, or compiles it. All are tools, none is shipped.
const scripts = [
	"argon2",
	"code-server",
	"esbuild",
	"bun",
	"deno",
	"workerd",
	"@parcel/watcher",
	"sharp",
	"unrs-resolver",
];

const problems = [];
let entries = 0;

/** Whether one of the licenses that a package offers is among those; of those joined by AND each must be. */
const offers = (license, among) =>
	String(license)
		.replace(/[()]/g, "")
		.split(" OR ")
		.some((one) => one.split(" AND ").every((part) => among.includes(part)));

for (const file of files("package-lock.json")) {
	const lock = JSON.parse(read(file));
	const tell = (name, problem) => problems.push(`${file}: ${name}: ${problem}`);
	if (lock.lockfileVersion !== 3)
		tell("lockfileVersion", `${lock.lockfileVersion}, not 3`);
	for (const [place, entry] of Object.entries(lock.packages)) {
		if (place === "") continue;
		entries++;
		const name = place.slice(
			place.lastIndexOf("node_modules/") + "node_modules/".length,
		);
		if (entry.link || entry.inBundle)
			tell(name, "is a link or part of another package");
		if (!/^\d+\.\d+\.\d+/.test(entry.version ?? ""))
			tell(name, `the version ${entry.version} is none of the registry's`);
		if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? ""))
			tell(name, "no sha512 checksum");
		if (entry.resolved) tell(name, "says where it was fetched from");
		if (entry.hasInstallScript && !scripts.includes(name))
			tell(name, "runs a program when it is installed");
		const shipped = file === "www/package-lock.json" && !entry.dev;
		const family = (among) =>
			among.some((one) => name === one || name.startsWith(`${one}-`));
		const excepted =
			!shipped &&
			Object.entries(tools).some(
				([license, among]) =>
					String(entry.license) === license && family(among),
			);
		if (!offers(entry.license, permissive) && !excepted)
			tell(name, `the license ${entry.license} is not allowed`);
	}
}

for (const file of files("Cargo.lock")) {
	for (const block of read(file).split("[[package]]\n").slice(1)) {
		const field = (name) =>
			block.match(new RegExp(`^${name} = "(.*)"$`, "m"))?.[1];
		if (field("source") === undefined) continue;
		entries++;
		if (!/^[0-9a-f]{64}$/.test(field("checksum") ?? ""))
			problems.push(`${file}: ${field("name")}: no checksum`);
	}
}

let replaced = 0;
// Go refuses a module whose checksum differs, and with `-mod=readonly` one that has none.
for (const file of files("go.sum")) {
	for (const line of read(file).split("\n").filter(Boolean)) {
		entries++;
		if (!/^\S+ v\S+ h1:[0-9A-Za-z+/]{43}=$/.test(line))
			problems.push(`${file}: ${line}: no checksum`);
	}
	const module = read(path.join(path.dirname(file), "go.mod"));
	for (const [, from, to] of module.matchAll(
		/^(?:replace[ \t]+|\t)(\S+)(?: v\S+)? => (\S+)/gm,
	)) {
		replaced++;
		// A stand-in is a folder of the repository, or is made from a module with a checksum.
		const folder = path.join(path.dirname(file), to);
		const isStandIn =
			to.startsWith("../stand-ins/") || folder === path.join("pkg", "go");
		if (from !== to && from !== "claimkit.invalid/oracle" && !isStandIn)
			problems.push(`${file}: ${from} is replaced by ${to}`);
	}
}

// The packages that people install bring nothing of others with them.
for (const { folder } of PACKAGES) {
	const file = `${folder}/package.json`;
	const own = JSON.parse(read(file));
	for (const field of [
		"dependencies",
		"optionalDependencies",
		"bundleDependencies",
	]) {
		for (const [name, wanted] of Object.entries(own[field] ?? {}))
			if (
				wanted !== own.version ||
				!PACKAGES.some((known) => known.name === name)
			)
				problems.push(`${file}: has ${name} ${wanted} in ${field}`);
	}
	for (const hook of ["preinstall", "install", "postinstall", "prepare"]) {
		if (own.scripts?.[hook])
			problems.push(`${file}: runs a program on ${hook}`);
	}
}

if (replaced < 30)
	problems.push(
		`only ${replaced} lines of go.mod files that replace a module were found`,
	);
for (const problem of problems) console.error(problem);
console.log(`lock files: ${entries} entries read, ${problems.length} problems`);
process.exit(problems.length > 0 || entries === 0 ? 1 : 0);

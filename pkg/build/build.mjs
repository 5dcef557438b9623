// Builds the npm packages in pkg/, pkg/command and pkg/inline: the three steps of `wasm-pack build --target web` (cargo, wasm-bindgen,
// wasm-opt) with pinned tools, and what is made of hand-written files. wasm-bindgen is the small program in ./bindgen, which needs a
// minute to compile where the command line needs six; wasm-opt comes from npm.
//
//   node pkg/build/build.mjs
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
	brotliCompressSync,
	deflateRawSync,
	constants as zlib,
} from "node:zlib";
import { packageFlags } from "./flags.mjs";
import { buildMcp } from "./mcp.mjs";
import { PACKAGES } from "./packages.mjs";
import { root, target, tools } from "./places.mjs";
import { buildServer } from "./server.mjs";
import { npmTools } from "./tools.mjs";

const here = import.meta.dirname;
const out = path.join(root, "pkg");

function say(text) {
	console.log(`==> ${text}`);
}

function fail(text) {
	console.error(`pkg/build: ${text}`);
	process.exit(1);
}

/** Runs a program, showing what it prints; anything but success ends the build. */
function run(program, args, settings = {}) {
	const done = spawnSync(program, args, {
		cwd: root,
		stdio: "inherit",
		...settings,
	});
	if (done.error) fail(`cannot start ${program}: ${done.error.message}`);
	if (done.status !== 0)
		fail(
			`${[program, ...args].join(" ")} ended with ${done.status ?? done.signal}`,
		);
}

/** Runs cargo beside whatever else goes on. */
async function cargo(args, env = process.env) {
	const [status] = await once(
		spawn("cargo", args, {
			cwd: root,
			env,
			stdio: ["ignore", "inherit", "inherit"],
		}),
		"exit",
	);
	if (status !== 0) fail(`cargo ${args.join(" ")} ended with ${status}`);
}

/** The version of a package in a Cargo.lock. */
function lockedVersion(lock, name) {
	const found = readFileSync(lock, "utf8").match(
		new RegExp(`name = "${name}"\\nversion = "([^"]+)"`),
	);
	return found?.[1] ?? fail(`${lock} does not name ${name}`);
}

/** `wasm-pack build` without `--out-dir` writes its own package.json and README over ours; put ours back. */
function restorePackage() {
	const manifest = path.join(out, "package.json");
	if (
		existsSync(manifest) &&
		"exports" in JSON.parse(readFileSync(manifest, "utf8"))
	)
		return;
	say("pkg/package.json is wasm-pack's: restoring ours from git");
	run("git", ["checkout", "--", "pkg/package.json", "pkg/README.md"]);
	// It also has git ignore the whole folder, which would hide new files from whoever works here.
	rmSync(path.join(out, ".gitignore"), { force: true });
}

/** wasm-bindgen, of the version that the crate itself has. It is compiled beside the crate, whose last step takes one core. */
async function bindgen() {
	const version = lockedVersion(path.join(root, "Cargo.lock"), "wasm-bindgen");
	const own = lockedVersion(
		path.join(here, "bindgen/Cargo.lock"),
		"wasm-bindgen-cli-support",
	);
	if (own !== version)
		fail(
			`Cargo.lock has wasm-bindgen ${version}, pkg/build/bindgen has ${own}: they must be equal`,
		);
	const folder = path.join(tools, `bindgen-${version}`);
	const program = path.join(folder, "debug/bindgen");
	if (!existsSync(program))
		say(`wasm-bindgen ${version}: building its library, once, about 1 minute`);
	const args = [
		"build",
		"--quiet",
		"--locked",
		"--manifest-path",
		path.join(here, "bindgen/Cargo.toml"),
		"--target-dir",
		folder,
	];
	await cargo(args);
	return program;
}

/** A program from npm. */
const npmTool = (name) => path.join(npmTools(), ".bin", name);

// The Wasm features that rustc uses by default, and those of ./flags.mjs; every browser since 2023 has them.
const WASM_FEATURES = [
	"simd",
	"bulk-memory",
	"nontrapping-float-to-int",
	"sign-ext",
	"mutable-globals",
	"reference-types",
	"multivalue",
];

/**
 * Compiles the library of a crate to Wasm with a feature. Each has a folder of its own: cargo locks it. That of the command is no
 * `cdylib` by itself: wasm-pack would take it for the package's. That of the package stays a library beside its module, so that cargo
 * does not optimize across crates: the module would take a quarter more.
 */
async function compile(name, folder, crate, feature) {
	const isCommand = crate === "claimkit-cli";
	const args = [
		isCommand ? "rustc" : "build",
		"--quiet",
		"--locked",
		"--package",
		crate,
		"--features",
		feature,
		"--lib",
		"--profile",
		"module",
		"--target",
		"wasm32-unknown-unknown",
		"--target-dir",
		folder,
		...(isCommand ? ["--crate-type", "cdylib"] : []),
	];
	await cargo(args, {
		...process.env,
		CARGO_ENCODED_RUSTFLAGS: packageFlags(),
	});
	const compiled = path.join(target, "pkg", `${name}.wasm`);
	mkdirSync(path.dirname(compiled), { recursive: true });
	copyFileSync(
		path.join(
			folder,
			"wasm32-unknown-unknown/module",
			`${crate.replaceAll("-", "_")}.wasm`,
		),
		compiled,
	);
	return compiled;
}

/** Makes a module and its glue, unless they are made already, and puts them into pkg/, where `wasm-pack build` may have put its own. */
function build(glue, name, compiled) {
	const folder = path.join(target, "pkg", `${name}-bindgen`);
	const module = path.join(folder, `${name}_bg.wasm`);
	const products = [
		`${name}.js`,
		`${name}.d.ts`,
		`${name}_bg.wasm`,
		`${name}_bg.wasm.d.ts`,
		// The command runs in Node only, which can unpack it; pages need the file that their server packs.
		...(name === "command" ? [`${name}_bg.wasm.br`] : []),
	];
	// Hashes of the inputs and outputs; if they are those of the last build, there is nothing to make.
	const stampFile = path.join(target, "pkg", `${name}-stamp`);
	function stamp() {
		const hash = createHash("sha256");
		for (const file of [
			compiled,
			fileURLToPath(import.meta.url),
			...products.map((product) => path.join(folder, product)),
		])
			hash.update(readFileSync(file));
		return hash.digest("hex");
	}
	const made =
		existsSync(stampFile) &&
		products.every((product) => existsSync(path.join(folder, product))) &&
		readFileSync(stampFile, "utf8") === stamp();
	if (!made) {
		run(glue, [compiled, folder]);
		// Without the bound, wasm-opt inlines every function that has one caller: all of `validate` becomes one function, whose
		// optimization by the engine takes 230 ms and 65 MB, and a short program waits for it at its end.
		run(npmTool("wasm-opt"), [
			"-O2",
			"--one-caller-inline-max-function-size=100",
			...WASM_FEATURES.map((name) => `--enable-${name}`),
			module,
			"-o",
			module,
		]);
		if (name === "command") {
			const bytes = readFileSync(module);
			const params = {
				[zlib.BROTLI_PARAM_LGWIN]: zlib.BROTLI_MAX_WINDOW_BITS,
				[zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length,
			};
			writeFileSync(`${module}.br`, brotliCompressSync(bytes, { params }));
		}
		writeFileSync(stampFile, stamp());
		say(`pkg/${name}_bg.wasm: ${statSync(module).size} bytes`);
	}
	for (const product of products)
		copyFileSync(
			path.join(folder, product),
			path.join(out, product.endsWith(".br") ? "command" : "", product),
		);
}

/** The module inside JavaScript, for bundles that can have no file beside them. */
function inline() {
	const bytes = readFileSync(path.join(out, "claimkit_bg.wasm"));
	const base64 = deflateRawSync(bytes, { level: 9 }).toString("base64");
	writeFileSync(
		path.join(out, "inline/claimkit_bg.wasm.js"),
		`// claimkit_bg.wasm, deflated and as base64, for claimkit/inline; and its size.\nexport default "${base64}";\nexport const size = ${bytes.length};\n`,
	);
}

/** Links the other packages where Node looks for them, as an installation puts them: pkg/ works as it is. */
function link() {
	const modules = path.join(out, "node_modules");
	mkdirSync(modules, { recursive: true });
	for (const { name, folder } of PACKAGES.filter(
		({ name }) => name !== "claimkit",
	)) {
		const [from, to] = [path.join(root, folder), path.join(modules, name)];
		rmSync(to, { recursive: true, force: true });
		// On Windows everybody may make a junction; elsewhere the word means nothing.
		symlinkSync(path.relative(modules, from), to, "junction");
	}
}

/** The version and the releases, for what is asked before the module has started. */
async function constants() {
	const { version } = JSON.parse(
		readFileSync(path.join(out, "package.json"), "utf8"),
	);
	const write = (patches, preReleases) => {
		const lines = {
			version,
			RELEASES: Object.keys(patches),
			lastPatches: patches,
			preReleases,
		};
		const text = Object.entries(lines).map(
			([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`,
		);
		writeFileSync(
			path.join(out, "constants.js"),
			`// The package's version, the releases it knows, the last patch of each (null where none is final), and those that are not final: written by the build.\n${text.join("")}`,
		);
	};
	// The module is asked through the package, which reads this file.
	write({}, []);
	const { releases } = await import(pathToFileURL(path.join(out, "node.js")));
	const known = releases().releases;
	const isPreRelease = (name) => name.includes("-");
	write(
		Object.fromEntries(
			known.map(({ release, lastPatch }) => [
				release,
				isPreRelease(lastPatch) ? null : Number(lastPatch.split(".")[2]),
			]),
		),
		known.map(({ lastPatch }) => lastPatch).filter(isPreRelease),
	);
}

/** The types, with the codes there are; the union is open, because releases add codes. */
async function types() {
	const { codes } = await import(pathToFileURL(path.join(out, "node.js")));
	const union = codes()
		.codes.map(({ code }) => `\n  | "${code}"`)
		.join("");
	const written = readFileSync(
		path.join(root, "src/bindings/types.d.ts"),
		"utf8",
	);
	const open = "export type Code = string;";
	if (!written.includes(open)) fail(`types.d.ts has no line \`${open}\``);
	writeFileSync(
		path.join(out, "types.d.ts"),
		written.replace(open, `export type Code =${union}\n  | (string & {});`),
	);
}

/** The package for CommonJS: hosts that cannot `require` ES modules, and TypeScript that is compiled to CommonJS. */
function commonjs() {
	const head = `// claimkit for CommonJS, made of ./node.js by the build. Jest's jsdom has neither encoder nor decoder.
const { pathToFileURL } = require("node:url");
const { TextDecoder, TextEncoder } = require("node:util");
const claimkitUrl = pathToFileURL(__filename).href;`;
	const settings = [
		"--bundle",
		"--platform=node",
		"--format=cjs",
		"--target=node20",
		"--log-level=warning",
		"--define:import.meta.url=claimkitUrl",
	];
	run(npmTool("esbuild"), [
		path.join(out, "node.js"),
		...settings,
		`--banner:js=${head}`,
		`--outfile=${path.join(out, "claimkit.cjs")}`,
	]);
	for (const name of ["index", "types"]) {
		const written = readFileSync(path.join(out, `${name}.d.ts`), "utf8");
		writeFileSync(
			path.join(out, `${name}.d.cts`),
			written.replaceAll('"./types.js"', '"./types.cjs"'),
		);
	}
}

/** JSON Schemas of every release, for editors that read files. */
async function schemas() {
	const { jsonSchema, releases } = await import(
		pathToFileURL(path.join(out, "node.js"))
	);
	mkdirSync(path.join(out, "schema"), { recursive: true });
	for (const { release } of releases().releases) {
		writeFileSync(
			path.join(out, "schema", `${release}.json`),
			`${JSON.stringify(jsonSchema(release))}\n`,
		);
	}
}

restorePackage();
say("Wasm: about 5 minutes the first time, seconds when nothing changed");
run("bash", [path.join(here, "toolchain.sh"), "wasm32-unknown-unknown"]);
// The command line is a module of its own, so that pages and tools do not load it. Linking takes one core, so both are compiled at once.
const command = compile(
	"command",
	path.join(target, "command"),
	"claimkit-cli",
	"command",
);
const [glue, page] = await Promise.all([
	bindgen(),
	compile("claimkit", target, "claimkit", "js"),
]);
build(glue, "claimkit", page);
build(glue, "command", await command);
inline();
link();
for (const { folder } of PACKAGES)
	copyFileSync(path.join(root, "LICENSE"), path.join(root, folder, "LICENSE"));
copyFileSync(path.join(root, "CHANGELOG.md"), path.join(out, "CHANGELOG.md"));
await constants();
await types();
commonjs();
await schemas();
await buildServer();
await buildMcp();

// Builds the Wasm modules of the npm package: cargo, wasm-bindgen, wasm-opt, the same three steps `wasm-pack build --target
// web` takes, but that the module is split in four; and the file that Node imports. wasm-bindgen and the splitter are the small
// programs in ./bindgen, built into target/tools; wasm-opt and esbuild come from npm at fixed versions, because sizes are compared.
//
//   node pkg/build/build.mjs   all of it into pkg/, hand-written files restored if wasm-pack replaced them
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { encodedFlags } from "./flags.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../..");
const target = path.resolve(root, process.env.CARGO_TARGET_DIR ?? "target");
const tools = path.join(target, "tools");

function say(text) {
  console.log(`==> ${text}`);
}

function fail(text) {
  console.error(`pkg/build: ${text}`);
  process.exit(1);
}

/** Runs a program, showing what it prints; anything but success ends the build. */
function run(program, args, settings = {}) {
  const done = spawnSync(program, args, { cwd: root, stdio: "inherit", ...settings });
  if (done.error) fail(`cannot start ${program}: ${done.error.message}`);
  if (done.status !== 0) fail(`${[program, ...args].join(" ")} ended with ${done.status ?? done.signal}`);
}

/** What a program prints. */
function read(program, args) {
  const done = spawnSync(program, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8", maxBuffer: 1 << 26 });
  if (done.error) fail(`cannot start ${program}: ${done.error.message}`);
  if (done.status !== 0) fail(`${[program, ...args].join(" ")} ended with ${done.status ?? done.signal}`);
  return done.stdout;
}

/** The version of a package in a Cargo.lock. */
function lockedVersion(lock, name) {
  const found = readFileSync(lock, "utf8").match(new RegExp(`name = "${name}"\\nversion = "([^"]+)"`));
  return found?.[1] ?? fail(`${lock} does not name ${name}`);
}

/** Bare `wasm-pack build` writes its own package.json, README and more over ours; put ours back. */
function restorePackage() {
  const manifest = path.join(root, "pkg/package.json");
  if (existsSync(manifest) && "exports" in JSON.parse(readFileSync(manifest, "utf8"))) return;
  say("pkg/package.json is wasm-pack's: restoring ours from git");
  run("git", ["checkout", "--", "pkg"]);
  // It also has git ignore the whole folder, which would hide new files from whoever works here.
  rmSync(path.join(root, "pkg/.gitignore"), { force: true });
}

// Compiled for speed, but that LLVM is told to compile all functions for size except those of ./fast.txt: at the levels for size it
// puts next to no function into its callers, whatever the attributes of these. rustc's own inlining is left out; it goes with level
// 2, looks at no attributes, and makes the packed package 20 KB larger.
const SPEED = ["-Copt-level=2", "-Zinline-mir=no"];

// The flag for that is not stable; the version of the compiler is fixed. Where such flags are allowed, functions' names have another
// form, unless one asks for the usual.
const UNSTABLE = ["-Zunstable-options", "-Csymbol-mangling-version=legacy"];

let built = false;

/** The program of that name from ./bindgen, with the version of wasm-bindgen that the crate itself has. */
function tool(name) {
  const version = lockedVersion(path.join(root, "Cargo.lock"), "wasm-bindgen");
  const own = lockedVersion(path.join(here, "bindgen/Cargo.lock"), "wasm-bindgen-cli-support");
  if (own !== version) fail(`Cargo.lock has wasm-bindgen ${version}, pkg/build/bindgen has ${own}: they must be equal`);
  const folder = path.join(tools, `bindgen-${version}`);
  const program = path.join(folder, "debug", name);
  if (!existsSync(program)) say(`wasm-bindgen ${version}: building its library, once, about 1 minute`);
  if (!built) run("cargo", ["build", "--quiet", "--locked", "--manifest-path", path.join(here, "bindgen/Cargo.toml"), "--target-dir", folder]);
  built = true;
  return program;
}

/** A program from npm, in target/tools. */
function npmTool(name) {
  const folder = path.join(tools, "npm");
  const wanted = JSON.parse(readFileSync(path.join(here, "package.json"), "utf8")).devDependencies;
  const present = ([name, version]) => {
    const manifest = path.join(folder, "node_modules", name, "package.json");
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version;
  };
  if (!Object.entries(wanted).every(present)) {
    say(`${Object.entries(wanted).map((entry) => entry.join(" ")).join(" and ")} from npm, once, about 5 seconds`);
    mkdirSync(folder, { recursive: true });
    for (const file of ["package.json", "package-lock.json"]) copyFileSync(path.join(here, file), path.join(folder, file));
    run("npm", ["ci", "--no-fund", "--no-audit", "--loglevel=error"], { cwd: folder });
  }
  return path.join(folder, "node_modules/.bin", name);
}

// What reads the texts that few manifests are: YAML beyond its common shape, and JSON; and what explains why one is refused. Most
// first findings do not wait for it.
const TEXT = [
  ...["compose::compose", "decode::decode", "decode::duplicates"].map((name) => `claimkit::text::yaml::${name}`),
  "claimkit::text::stream::read_json",
  ...["json::", "refusal::", "remarks"].map((name) => `claimkit::text::diagnose::${name}`),
];

// What is loaded besides: all that `validate` of a whole object does not need where none is stored, by the beginnings of functions'
// names. ../parts.js starts it; tests/hosts/split.test.mjs holds that validating never needs it.
const MORE = [
  ...["admit", "convert", "editor", "patch", "query"].map((name) => `claimkit::${name}::`),
  // Rules that need a stored object.
  ...["immutable::", "claim::update", "slice::update", "scheduling::update", "metadata::generic_update", "pipeline::update", "pipeline::prepare_for_update"].map((name) => `claimkit::validate::${name}`),
  // What else is in `evaluate`, the scheduler's remarks on a manifest's own selector need.
  ...["bits", "explain", "matching", "placement", "plan", "pod", "scan"].map((name) => `claimkit::evaluate::${name}::`),
  "claimkit::wire::parse::parse",
  ...["rest", "admit", "complete", "convert", "evaluate", "fixes", "hover", "json_schema", "lists", "patch", "placement", "placing", "select"].map((name) => `claimkit::wire::${name}::`),
  ...["admit", "codes", "complete", "convert", "evaluate", "fixes", "hover", "jsonSchema", "parse", "prepareNodes", "preparednodes_evaluate", "releases"].map((name) => `${name} externref shim`),
];

// What only `npx claimkit` loads, after the others: the command line. ../cli.js starts it.
const COMMANDS = ["command", "claimkit::cli::", "claimkit::entry::command::", "claimkit::report::render::"];

// Names are kept: they stand in stacks.
const MINIFY = ["--minify-whitespace", "--minify-syntax"];

/** Makes four modules of the one in the folder, and has the glue give the first what loads the others. */
function splitModule(linked, folder) {
  const [whole, first, text, more, commands] = ["claimkit_bg", "first", "text", "more", "commands"].map((name) => path.join(folder, `${name}.wasm`));
  run(tool("split"), [linked, whole, first, text, ...TEXT, "--", more, ...MORE, "--", commands, ...COMMANDS]);
  const glue = path.join(folder, "claimkit.js");
  const written = readFileSync(glue, "utf8");
  const imports = '"./claimkit_bg.js": import0,';
  if (written.split(imports).length !== 2) fail("wasm-bindgen's glue has another form than splitModule expects");
  const lent = '"./claimkit_bg.js": parts.lend(import0),\n        "./parts.js": parts,';
  writeFileSync(glue, written.replace("\n", '\nimport * as parts from "./parts.js";\n').replace(imports, lent));
  // Nobody wrote it: without comments and blanks the package has 3 KB less.
  run(npmTool("esbuild"), [glue, ...MINIFY, "--format=esm", "--log-level=warning", "--allow-overwrite", `--outfile=${glue}`]);
  return { "claimkit_bg.wasm": first, "claimkit_text.wasm": text, "claimkit_more.wasm": more, "claimkit_commands.wasm": commands };
}

/** Runs rustc for the module, with more flags of rustc's and in a target folder. Flags of its own that are not stable work for it alone. */
function compile(folder, ...flags) {
  const args = ["rustc", "--quiet", "--locked", "--lib", "--target", "wasm32-unknown-unknown", "--profile", "web", "--no-default-features", "--features", "js,npx"];
  run("cargo", [...args, "--target-dir", folder, "--", ...UNSTABLE, ...flags], { env: { ...process.env, CARGO_ENCODED_RUSTFLAGS: encodedFlags(), RUSTC_BOOTSTRAP: "claimkit" } });
  return path.join(folder, "wasm32-unknown-unknown/web/claimkit.wasm");
}

/** The symbols of what ./fast.txt names. They have hashes, and optimising removes many functions: a run without it tells. */
function fastSymbols() {
  const unoptimised = compile(path.join(target, "names"), "-Cno-prepopulate-passes", "-Clink-arg=--no-gc-sections");
  return read(tool("fast"), [unoptimised, path.join(here, "fast.txt")]).split("\n").filter((line) => line !== "");
}

/** Compiles the module and puts its parts and their glue into the folder, unless all are there already. */
function build() {
  const symbols = fastSymbols();
  const attributes = (option, symbol = "") => `-Cllvm-args=${["minsize", "optsize"].map((name) => `-${option}=${symbol}${name}`).join(" ")}`;
  const fast = symbols.map((symbol) => attributes("force-remove-attribute", `${symbol}:`));
  // The code and the data say where they refer to data, and to functions by their place in the table: relocations.
  const compiled = compile(target, ...SPEED, attributes("force-attribute"), "-Clink-arg=--emit-relocs", ...fast);
  // Flags for symbols that are called otherwise in this run would be taken without a word.
  const linked = readFileSync(compiled);
  if (!symbols.some((symbol) => symbol.includes("claimkit") && linked.includes(symbol))) fail("no symbol of the run without optimisation is in the module");
  const out = path.join(root, "pkg");
  const modules = ["claimkit_bg.wasm", "claimkit_text.wasm", "claimkit_more.wasm", "claimkit_commands.wasm"];
  const products = ["claimkit.js", "claimkit.d.ts", "claimkit_bg.wasm.d.ts", ...modules].map((name) => path.join(out, name));
  const packed = path.join(out, "claimkit_commands.wasm.br");
  const folder = path.join(target, "pkg-bindgen-web");
  // The module before it was split: tests/hosts/split.test.mjs compares the parts with it.
  const whole = path.join(folder, "claimkit_bg.wasm");
  const sources = ["main.rs", ...["main", "links", "plan", "emit"].map((name) => `bin/split/${name}.rs`)].map((name) => path.join(here, "bindgen/src", name));
  // What went in and what came out; equal to last time means there is nothing to do.
  const stampFile = path.join(target, "pkg-stamp-web");
  function stamp() {
    const hash = createHash("sha256");
    for (const file of [compiled, fileURLToPath(import.meta.url), ...sources, whole, ...products, packed]) hash.update(readFileSync(file));
    return hash.digest("hex");
  }
  if (existsSync(stampFile) && [whole, ...products, packed].every(existsSync) && readFileSync(stampFile, "utf8") === stamp()) return;

  run(tool("bindgen"), [compiled, folder]);
  const parts = splitModule(compiled, folder);
  for (const file of Object.values(parts)) run(npmTool("wasm-opt"), [...WASM_OPT, ...WASM_FEATURES, file, "-o", file]);
  for (const product of products) copyFileSync(parts[path.basename(product)] ?? path.join(folder, path.basename(product)), product);
  // Only Node loads the command line, and it can unpack it.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  writeFileSync(packed, brotliCompressSync(readFileSync(parts["claimkit_commands.wasm"]), { params }));
  writeFileSync(stampFile, stamp());
  for (const product of products.filter((name) => name.endsWith(".wasm"))) say(`${path.relative(root, product)}: ${statSync(product).size} bytes`);
}

// Functions with one caller are not put into it unless they are small: engines compile a function whole when it is first called, and
// most calls need a part of a large one. It also makes the module smaller when it is compressed, as it does to leave alone what is
// alike.
const WASM_OPT = ["-Oz", "--converge", "--one-caller-inline-max-function-size=20", "--skip-pass=local-cse", "--skip-pass=merge-similar-functions"];

/** One file of what Node imports: five took 6 ms more before the first answer. Its map names the files beside it. */
function bundle() {
  const settings = ["--bundle", ...MINIFY, "--format=esm", "--platform=node", "--sourcemap", "--sources-content=false", "--log-level=warning"];
  run(npmTool("esbuild"), [path.join(root, "pkg/start.js"), ...settings, `--outfile=${path.join(root, "pkg/claimkit.node.js")}`]);
}

// What rustc's default target for Wasm may use; every browser since 2023 has it.
const WASM_FEATURES = ["bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types", "multivalue"].map((name) => `--enable-${name}`);

restorePackage();
say("Wasm: about 2 minutes the first time, seconds when nothing changed");
run("bash", [path.join(here, "toolchain.sh"), "wasm32-unknown-unknown"]);
build();
bundle();
copyFileSync(path.join(root, "src/entry/types.d.ts"), path.join(root, "pkg/types.d.ts"));
copyFileSync(path.join(root, "LICENSE"), path.join(root, "pkg/LICENSE"));

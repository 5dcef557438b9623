// Builds the Wasm modules of the npm package: cargo, wasm-bindgen, wasm-opt, the same three steps `wasm-pack build --target
// web` takes, and then splits the module in three. wasm-bindgen and the splitter are the small programs in ./bindgen, built into
// target/tools; wasm-opt comes from npm at one fixed version, because sizes are compared in tests.
//
//   node pkg/build/build.mjs   the modules into pkg/, hand-written files restored if wasm-pack replaced them
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

/** wasm-opt from npm, into target/tools. */
function wasmOpt() {
  const folder = path.join(tools, "npm");
  const wanted = JSON.parse(readFileSync(path.join(here, "package.json"), "utf8")).devDependencies.binaryen;
  const present = path.join(folder, "node_modules/binaryen/package.json");
  if (!existsSync(present) || JSON.parse(readFileSync(present, "utf8")).version !== wanted) {
    say(`wasm-opt (binaryen ${wanted}) from npm, once, about 5 seconds`);
    mkdirSync(folder, { recursive: true });
    for (const file of ["package.json", "package-lock.json"]) copyFileSync(path.join(here, file), path.join(folder, file));
    run("npm", ["ci", "--no-fund", "--no-audit", "--loglevel=error"], { cwd: folder });
  }
  return path.join(folder, "node_modules/.bin/wasm-opt");
}

// What is loaded second: all that neither `parse` nor `validate` of a whole object needs, by the beginnings of functions' names.
// ../more.js starts it; tests/hosts/split.test.mjs holds that validating never needs it.
const MORE = [
  ...["admit", "convert", "editor", "patch", "query"].map((name) => `claimkit::${name}::`),
  // What else is in `evaluate`, the scheduler's remarks on a manifest's own selector need.
  ...["bits", "explain", "matching", "placement", "plan", "pod", "scan"].map((name) => `claimkit::evaluate::${name}::`),
  ...["rest", "admit", "complete", "convert", "evaluate", "fixes", "hover", "json_schema", "lists", "patch", "placement", "placing", "select"].map((name) => `claimkit::wire::${name}::`),
  ...["admit", "codes", "complete", "convert", "evaluate", "fixes", "hover", "jsonSchema", "prepareNodes", "preparednodes_evaluate", "releases"].map((name) => `${name} externref shim`),
];

// What only `npx claimkit` loads, after the two: the command line. ../cli.js starts it.
const COMMANDS = ["command", "claimkit::cli::", "claimkit::entry::command::", "claimkit::report::render::"];

/** Makes three modules of the one in the folder, and has the glue give the first what loads the second. */
function splitModule(linked, folder) {
  const [whole, first, more, commands] = ["claimkit_bg", "first", "more", "commands"].map((name) => path.join(folder, `${name}.wasm`));
  run(tool("split"), [linked, whole, first, more, ...MORE, "--", commands, ...COMMANDS]);
  const glue = path.join(folder, "claimkit.js");
  const text = readFileSync(glue, "utf8");
  const imports = '"./claimkit_bg.js": import0,';
  if (text.split(imports).length !== 2) fail("wasm-bindgen's glue has another form than splitModule expects");
  const lent = '"./claimkit_bg.js": more.lend(import0),\n        "./more.js": more,';
  writeFileSync(glue, text.replace("\n", '\nimport * as more from "./more.js";\n').replace(imports, lent));
  return { "claimkit_bg.wasm": first, "claimkit_more.wasm": more, "claimkit_commands.wasm": commands };
}

/** Compiles the module and puts its parts and their glue into the folder, unless all are there already. */
function build() {
  // The code and the data say where they refer to data, and to functions by their place in the table: relocations.
  const linking = ["--", "-Clink-arg=--emit-relocs"];
  run("cargo", ["rustc", "--quiet", "--locked", "--lib", "--target", "wasm32-unknown-unknown", "--profile", "web", "--no-default-features", "--features", "js,npx", ...linking], { env: { ...process.env, CARGO_ENCODED_RUSTFLAGS: encodedFlags() } });
  const compiled = path.join(target, "wasm32-unknown-unknown/web/claimkit.wasm");
  const out = path.join(root, "pkg");
  const modules = ["claimkit_bg.wasm", "claimkit_more.wasm", "claimkit_commands.wasm"];
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
  for (const file of Object.values(parts)) run(wasmOpt(), ["-Oz", ...WASM_FEATURES, file, "-o", file]);
  for (const product of products) copyFileSync(parts[path.basename(product)] ?? path.join(folder, path.basename(product)), product);
  // Only Node loads the command line, and it can unpack it.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  writeFileSync(packed, brotliCompressSync(readFileSync(parts["claimkit_commands.wasm"]), { params }));
  writeFileSync(stampFile, stamp());
  for (const product of products.filter((name) => name.endsWith(".wasm"))) say(`${path.relative(root, product)}: ${statSync(product).size} bytes`);
}

// What rustc's default target for Wasm may use; every browser since 2023 has it.
const WASM_FEATURES = ["bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types", "multivalue"].map((name) => `--enable-${name}`);

restorePackage();
say("Wasm: about 1 minute the first time, seconds when nothing changed");
run("bash", [path.join(here, "toolchain.sh"), "wasm32-unknown-unknown"]);
build();
copyFileSync(path.join(root, "src/entry/types.d.ts"), path.join(root, "pkg/types.d.ts"));
copyFileSync(path.join(root, "LICENSE"), path.join(root, "pkg/LICENSE"));

// Builds the Wasm modules of the npm package: cargo, wasm-bindgen, wasm-opt, the same three steps `wasm-pack build --target
// web` takes, and then splits the one that is imported in two. wasm-bindgen and the splitter are the small programs in ./bindgen,
// built into target/tools; wasm-opt comes from npm at one fixed version, because sizes are compared in tests.
//
//   node pkg/build/build.mjs         both modules into pkg/, hand-written files restored if wasm-pack replaced them
//   node pkg/build/build.mjs --web   only the one that browsers and importers load, not that of `npx claimkit`
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brotliCompressSync, constants } from "node:zlib";
import { encodedFlags } from "./flags.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../..");
const target = path.resolve(root, process.env.CARGO_TARGET_DIR ?? "target");
const tools = path.join(target, "tools");

const { values: options } = parseArgs({ options: { web: { type: "boolean", default: false } } });

// The command line is a module of its own, which asks the other for answers: pages do not load it, and the rules are packed
// once. It is packed, since only Node unpacks it.
const modules = [
  { features: "js", profile: "web", out: path.join(root, "pkg"), split: true },
  { features: "npx", profile: "npx", out: path.join(root, "pkg/cli"), packed: true },
];

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

/** Makes two modules of the one in the folder, and has the glue give the first what loads the second. */
function splitModule(linked, folder) {
  const [whole, first, more] = ["claimkit_bg", "first", "more"].map((name) => path.join(folder, `${name}.wasm`));
  run(tool("split"), [linked, whole, first, more, ...MORE]);
  const glue = path.join(folder, "claimkit.js");
  const text = readFileSync(glue, "utf8");
  const imports = '"./claimkit_bg.js": import0,';
  if (text.split(imports).length !== 2) fail("wasm-bindgen's glue has another form than splitModule expects");
  writeFileSync(glue, text.replace("\n", '\nimport * as more from "./more.js";\n').replace(imports, `${imports}\n        "./more.js": more,`));
  return { "claimkit_bg.wasm": first, "claimkit_more.wasm": more };
}

/** Compiles one module and puts it and its glue into its folder, unless both are there already. */
function build({ features, profile, out, packed, split }) {
  // What is split says where its code and data refer to data, and to functions by their place in the table: relocations.
  const linking = split ? ["--", "-Clink-arg=--emit-relocs"] : [];
  run("cargo", ["rustc", "--quiet", "--locked", "--lib", "--target", "wasm32-unknown-unknown", "--profile", profile, "--no-default-features", "--features", features, ...linking], { env: { ...process.env, CARGO_ENCODED_RUSTFLAGS: encodedFlags() } });
  const compiled = path.join(target, "wasm32-unknown-unknown", profile, "claimkit.wasm");
  const products = ["claimkit.js", "claimkit.d.ts", "claimkit_bg.wasm", "claimkit_bg.wasm.d.ts", ...(split ? ["claimkit_more.wasm"] : [])].map((name) => path.join(out, name));
  const folder = path.join(target, `pkg-bindgen-${profile}`);
  // The module before it was split: tests/hosts/split.test.mjs compares the parts with it.
  const whole = path.join(folder, "claimkit_bg.wasm");
  // What went in and what came out; equal to last time means there is nothing to do.
  const stampFile = path.join(target, `pkg-stamp-${profile}`);
  function stamp() {
    const hash = createHash("sha256");
    for (const file of [compiled, fileURLToPath(import.meta.url), ...["main.rs", ...["main", "links", "plan", "emit"].map((name) => `bin/split/${name}.rs`)].map((name) => path.join(here, "bindgen/src", name)), whole, ...products]) hash.update(readFileSync(file));
    return hash.digest("hex");
  }
  if (existsSync(stampFile) && [whole, ...products].every(existsSync) && readFileSync(stampFile, "utf8") === stamp()) return;

  run(tool("bindgen"), [compiled, folder]);
  mkdirSync(out, { recursive: true });
  const parts = split ? splitModule(compiled, folder) : { "claimkit_bg.wasm": whole };
  for (const file of Object.values(parts)) run(wasmOpt(), ["-Oz", ...WASM_FEATURES, file, "-o", file]);
  if (packed) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
    writeFileSync(path.join(out, "claimkit_bg.wasm.br"), brotliCompressSync(readFileSync(parts["claimkit_bg.wasm"]), { params }));
  }
  for (const product of products) copyFileSync(parts[path.basename(product)] ?? path.join(folder, path.basename(product)), product);
  writeFileSync(stampFile, stamp());
  for (const product of products.filter((name) => name.endsWith(".wasm"))) say(`${path.relative(root, product)}: ${statSync(product).size} bytes`);
}

// What rustc's default target for Wasm may use; every browser since 2023 has it.
const WASM_FEATURES = ["bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types", "multivalue"].map((name) => `--enable-${name}`);

restorePackage();
const wanted = options.web ? modules.slice(0, 1) : modules;
say(`Wasm: ${wanted.length === 1 ? "about 1 minute" : "about 2 minutes"} the first time, seconds when nothing changed`);
run("bash", [path.join(here, "toolchain.sh"), "wasm32-unknown-unknown"]);
wanted.forEach(build);
copyFileSync(path.join(root, "src/entry/types.d.ts"), path.join(root, "pkg/types.d.ts"));
copyFileSync(path.join(root, "LICENSE"), path.join(root, "pkg/LICENSE"));

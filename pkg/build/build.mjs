// Builds the Wasm modules of the npm package: cargo, wasm-bindgen, wasm-opt, the same three steps `wasm-pack build --target
// web` takes. Uses a `wasm-bindgen` on PATH when its version is the one in Cargo.lock; otherwise builds the small program in
// ./bindgen into target/tools, which needs no other tool. wasm-opt comes from npm at one fixed version, because sizes are
// compared in tests.
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
  { features: "js", profile: "web", out: path.join(root, "pkg") },
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

/** What turns a module into JavaScript glue: [program, ...arguments before module and folder]. */
function bindgen() {
  const version = lockedVersion(path.join(root, "Cargo.lock"), "wasm-bindgen");
  const onPath = spawnSync("wasm-bindgen", ["--version"], { encoding: "utf8" });
  if (onPath.status === 0 && onPath.stdout.trim() === `wasm-bindgen ${version}` && !process.env.CLAIMKIT_OWN_TOOLS) {
    return (module, folder) => ["wasm-bindgen", ["--target", "web", "--out-dir", folder, module]];
  }
  const own = lockedVersion(path.join(here, "bindgen/Cargo.lock"), "wasm-bindgen-cli-support");
  if (own !== version) fail(`Cargo.lock has wasm-bindgen ${version}, pkg/build/bindgen has ${own}: they must be equal`);
  const folder = path.join(tools, `bindgen-${version}`);
  const program = path.join(folder, "debug/bindgen");
  if (!existsSync(program)) say(`wasm-bindgen ${version} is not on PATH: building its library, once, about 1 minute`);
  run("cargo", ["build", "--quiet", "--locked", "--manifest-path", path.join(here, "bindgen/Cargo.toml"), "--target-dir", folder]);
  return (module, out) => [program, [module, out]];
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

/** Compiles one module and puts it and its glue into its folder, unless both are there already. */
function build({ features, profile, out, packed }) {
  run("cargo", ["build", "--quiet", "--locked", "--lib", "--target", "wasm32-unknown-unknown", "--profile", profile, "--no-default-features", "--features", features], { env: { ...process.env, CARGO_ENCODED_RUSTFLAGS: encodedFlags() } });
  const compiled = path.join(target, "wasm32-unknown-unknown", profile, "claimkit.wasm");
  const products = ["claimkit.js", "claimkit.d.ts", "claimkit_bg.wasm", "claimkit_bg.wasm.d.ts"].map((name) => path.join(out, name));
  // What went in and what came out; equal to last time means there is nothing to do.
  const stampFile = path.join(target, `pkg-stamp-${profile}`);
  function stamp() {
    const hash = createHash("sha256");
    for (const file of [compiled, fileURLToPath(import.meta.url), path.join(here, "bindgen/src/main.rs"), ...products]) hash.update(readFileSync(file));
    return hash.digest("hex");
  }
  if (existsSync(stampFile) && products.every(existsSync) && readFileSync(stampFile, "utf8") === stamp()) return;

  const folder = path.join(target, `pkg-bindgen-${profile}`);
  run(...bindgen()(compiled, folder));
  mkdirSync(out, { recursive: true });
  const optimised = path.join(folder, "optimised.wasm");
  run(wasmOpt(), ["-Oz", ...WASM_FEATURES, path.join(folder, "claimkit_bg.wasm"), "-o", optimised]);
  if (packed) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
    writeFileSync(path.join(out, "claimkit_bg.wasm.br"), brotliCompressSync(readFileSync(optimised), { params }));
  }
  for (const product of products) copyFileSync(product.endsWith(".wasm") ? optimised : path.join(folder, path.basename(product)), product);
  writeFileSync(stampFile, stamp());
  say(`${path.relative(root, out)}/claimkit_bg.wasm: ${statSync(path.join(out, "claimkit_bg.wasm")).size} bytes`);
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

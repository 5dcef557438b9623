#!/usr/bin/env bash
# `wasm-pack build --target web -- --package claimkit --features js`, with an --out-dir of its own, gives a package that imports and
# validates; and without one, `make pkg` puts right again what it replaces in pkg/. wasm-pack takes the last library that cargo builds:
# without `--package` that is the command's, which is no module.
# Needs `make pkg`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR=$target
tools=$target/tools
wasm_pack_version=0.15.1

step() { echo "==> wasm-pack: $*"; }

bash pkg/build/toolchain.sh wasm32-unknown-unknown

# A tool of a fixed version, from crates, unless the PATH has it. Its dependencies are the newest that fit: a lock file may name
# versions that a mirror of the registry does not have yet. Nobody debugs it, so it is built without what debuggers read.
tool() { # program, crate, version, cargo's selection
  if [[ $("$1" --version 2>/dev/null || true) != "$1 $3" ]]; then
    if [[ ! -x $tools/$1-$3/bin/$1 ]]; then
      step "$1 $3 is not on PATH: building it, once, about 1 minute"
      CARGO_PROFILE_DEV_DEBUG=0 cargo install --quiet "$2" --version "$3" --debug --root "$tools/$1-$3" \
        --target-dir "$tools/wasm-pack-build" "${@:4}"
    fi
    PATH=$tools/$1-$3/bin:$PATH
  fi
}
tool wasm-pack wasm-pack "$wasm_pack_version"
# Only its runner of tests downloads anything and needs TLS.
tool wasm-bindgen wasm-bindgen-cli "$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)" \
  --bin wasm-bindgen --no-default-features
PATH=$tools/npm/node_modules/.bin:$PATH
command -v wasm-opt >/dev/null || { echo "no wasm-opt: run make pkg first" >&2; exit 1; }

# The flags of `make pkg`: the compiler's work is then done already. They change names of folders in panics and how much is inlined.
# They are for wasm-pack alone: `make pkg` adds them to what it is given, and would compile everything again.
flags=$(node pkg/build/flags.mjs package)
wasm_pack() { CARGO_ENCODED_RUSTFLAGS=$flags wasm-pack --quiet "$@"; }

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
imports() { # the glue, the module
  node --input-type=module -e '
    import { readFileSync } from "node:fs";
    import { pathToFileURL } from "node:url";
    const [glue, module] = process.argv.slice(1);
    const { initSync, validate } = await import(pathToFileURL(glue));
    initSync({ module: readFileSync(module) });
    const good = validate(readFileSync("tests/hosts/manifests/good.yaml", "utf8"));
    if (!good.ok) throw new Error(JSON.stringify(good));
    if (validate(readFileSync("tests/hosts/manifests/bad.yaml", "utf8")).ok) throw new Error("a manifest with mistakes is ok");
  ' "$1" "$2"
}

# The optimizer takes most of a minute; the second build has it.
step "build --target web --out-dir FOLDER --no-opt --features js"
wasm_pack build --target web --out-dir "$out/package" --no-opt -- --package claimkit --features js
imports "$out/package/claimkit.js" "$out/package/claimkit_bg.wasm"

step "build --target web --features js, which replaces files of pkg/"
before=$(git status --porcelain)
wasm_pack build --target web -- --package claimkit --features js
imports "$root/pkg/claimkit.js" "$root/pkg/claimkit_bg.wasm"
step "make pkg puts them back"
node pkg/build/build.mjs
after=$(git status --porcelain)
[[ $before == "$after" ]] || { echo "tracked files differ, or files are left over:" >&2; echo "$after" >&2; exit 1; }
step "2 passed, 0 failed"

#!/usr/bin/env bash
# A newcomer's first commands, in a clone of what is committed: bare `wasm-pack build --target web`, `cargo test` and
# `cargo run -- validate FILE` work, and whatever they do to tracked files `make pkg` puts right again.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tools=$root/target/tools
clone=$root/target/fresh/claimkit
wasm_pack_version=0.15.1

step() { echo "==> fresh clone: $*"; }

rm -rf "$clone"
mkdir -p "$(dirname "$clone")"
git clone --quiet "$root" "$clone"
cd "$clone"
# Compiled dependencies are shared between runs; the crate itself is compiled anew, for its path is another.
own_target=$(cd "$root" && realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR=$root/target/fresh/target

bash pkg/build/toolchain.sh wasm32-unknown-unknown

step "cargo run -- validate FILE"
cargo run --quiet -- validate tests/hosts/manifests/good.yaml
set +e
cargo run --quiet -- validate tests/hosts/manifests/bad.yaml
status=$?
set -e
[[ $status -eq 1 ]] || { echo "a manifest with mistakes ended with $status instead of 1" >&2; exit 1; }

step "cargo test"
cargo test --quiet

if ! command -v wasm-pack >/dev/null; then
  if [[ ! -x $tools/wasm-pack-$wasm_pack_version/bin/wasm-pack ]]; then
    step "wasm-pack $wasm_pack_version is not on PATH: building it, once, about 2 minutes"
    cargo install --quiet wasm-pack --version "$wasm_pack_version" --locked --debug --root "$tools/wasm-pack-$wasm_pack_version" \
      --target-dir "$tools/wasm-pack-build"
  fi
  PATH=$tools/wasm-pack-$wasm_pack_version/bin:$PATH
fi
version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)
if [[ $(wasm-bindgen --version 2>/dev/null || true) != "wasm-bindgen $version" ]]; then
  if [[ ! -x $tools/wasm-bindgen-$version/bin/wasm-bindgen ]]; then
    step "wasm-bindgen $version is not on PATH: building it, once, about 2 minutes"
    cargo install --quiet wasm-bindgen-cli --version "$version" --debug --root "$tools/wasm-bindgen-$version" \
      --target-dir "$tools/wasm-pack-build"
  fi
  PATH=$tools/wasm-bindgen-$version/bin:$PATH
fi
PATH=$tools/npm/node_modules/.bin:$PATH
command -v wasm-opt >/dev/null || { echo "no wasm-opt: run make pkg first" >&2; exit 1; }

step "wasm-pack build --target web"
wasm-pack build --target web
node --input-type=module -e '
  import { readFileSync } from "node:fs";
  import { initSync, validate } from "./pkg/claimkit.js";
  initSync({ module: readFileSync("pkg/claimkit_bg.wasm") });
  const answer = validate(readFileSync("tests/hosts/manifests/good.yaml", "utf8"));
  if (!answer.ok) throw new Error(JSON.stringify(answer));
'
step "make pkg puts back what wasm-pack replaced"
make pkg
left=$(git status --porcelain)
[[ -z $left ]] || { echo "tracked files differ, or files are left over:" >&2; echo "$left" >&2; exit 1; }
node --input-type=module -e '
  import { readFileSync } from "node:fs";
  import { validate } from "./pkg/node.js";
  if (!validate(readFileSync("tests/hosts/manifests/good.yaml", "utf8")).ok) throw new Error("not ok");
'

# The same bytes from another folder: what is published can be built again and compared.
changed=$(git -C "$root" status --porcelain -- . ':!www' ':!*.md')
if [[ -n $changed ]]; then
  [[ -z ${CI:-} ]] || { echo "files differ from what is committed, so the builds cannot be compared:" >&2; echo "$changed" >&2; exit 1; }
  step "NOT CHECKED: whether both builds give the same bytes, for there are changes that are not committed"
  echo "fresh clone: 5 passed, 0 failed, 1 skipped"
  exit 0
fi
step "the modules, built here and there, are the same: about 2 minutes"
modules=(claimkit.wasm claimkit-opa.wasm claimkit-wasi.wasm)
CARGO_TARGET_DIR=$own_target make -C "$root" pkg
CARGO_TARGET_DIR=$own_target bash "$root/tests/hosts/policy/build.sh" "${modules[@]}"
bash tests/hosts/policy/build.sh "${modules[@]}"
for file in pkg/claimkit_bg.wasm pkg/claimkit.js "${modules[@]/#/pkg/policy/}"; do
  cmp "$root/$file" "$clone/$file" || { echo "$file: two builds of the same sources differ" >&2; exit 1; }
  if grep -aqF -e "$root" -e "${CARGO_HOME:-$HOME/.cargo}" -e "$(rustc --print sysroot)" "$root/$file"; then
    echo "$file names a folder of the machine it was built on" >&2
    exit 1
  fi
  echo "    $(sha256sum <"$root/$file" | cut -c 1-16) $file"
done
echo "fresh clone: 6 passed, 0 failed"

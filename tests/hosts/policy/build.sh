#!/usr/bin/env bash
# Builds the policy modules into pkg/policy/: claimkit.wasm (Kubewarden), claimkit-wasi.wasm (WASI command), claimkit-opa.wasm
# (OPA), and of the first and the last a larger one that answers the verbs of the contract too (raw mode): claimkit-verbs.wasm
# and claimkit-opa-verbs.wasm. About 4 minutes on a new machine, seconds when nothing changed.
#
#   build.sh             all of them
#   build.sh NAME.wasm…  those
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
cd "$root"
target=${CARGO_TARGET_DIR:-target}
out=pkg/policy
level=${POLICY_OPT_LEVEL:-z}
wanted=${*:+ $* }

bash pkg/build/toolchain.sh wasm32-unknown-unknown wasm32-wasip1

# wasm-opt of one fixed version, because sizes are compared in tests.
tools=$target/tools/npm
if ! cmp -s pkg/build/package-lock.json "$tools/package-lock.json" || [ ! -x "$tools/node_modules/.bin/wasm-opt" ]; then
  echo "==> wasm-opt (binaryen) from npm, once, about 5 seconds"
  mkdir -p "$tools"
  cp pkg/build/package.json pkg/build/package-lock.json "$tools/"
  (cd "$tools" && npm ci --no-fund --no-audit --loglevel=error)
fi

CARGO_ENCODED_RUSTFLAGS=$(node pkg/build/flags.mjs)
export CARGO_ENCODED_RUSTFLAGS

features=(--enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals --enable-multivalue --enable-reference-types)
module() { # name, feature, target, cargo's selection, cargo's product
  local name=$1 feature=$2 triple=$3 product=$target/policy/$3/policy/$5
  [[ -z $wanted || $wanted == *" $name "* ]] || return 0
  echo "==> $out/$name: about 1 minute the first time"
  CARGO_PROFILE_POLICY_OPT_LEVEL=$level cargo build --quiet --locked --profile policy --no-default-features \
    --features "$feature" --target "$triple" --target-dir "$target/policy" $4
  local stamp=$target/policy/$name.sum
  local sum
  sum=$(cat "$product" "$here/build.sh" | sha256sum)
  if [ ! -f "$out/$name" ] || [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$sum" ]; then
    "$tools/node_modules/.bin/wasm-opt" -Oz --converge "${features[@]}" "$product" -o "$out/$name"
    echo "$sum" >"$stamp"
  fi
  echo "    $(stat -c %s "$out/$name") bytes"
}

module claimkit.wasm kubewarden wasm32-unknown-unknown --lib claimkit.wasm
module claimkit-opa.wasm opa wasm32-unknown-unknown --lib claimkit.wasm
module claimkit-wasi.wasm wasi wasm32-wasip1 "--bin claimkit-policy" claimkit-policy.wasm
module claimkit-verbs.wasm kubewarden,verbs wasm32-unknown-unknown --lib claimkit.wasm
module claimkit-opa-verbs.wasm opa,verbs wasm32-unknown-unknown --lib claimkit.wasm

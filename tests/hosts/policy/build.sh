#!/usr/bin/env bash
# Builds the policy modules into pkg/policy/, one per host: claimkit.wasm (Kubewarden), claimkit-opa.wasm (OPA) and
# claimkit-wasi.wasm (WASI command), with metadata; the same without in unannotated/. About 3 minutes on a new machine, seconds when nothing changed.
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
node --input-type=module --eval 'import { npmTools } from "./pkg/build/tools.mjs"; npmTools()'

CARGO_ENCODED_RUSTFLAGS=$(node pkg/build/flags.mjs)
export CARGO_ENCODED_RUSTFLAGS

enabled=(--enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals --enable-multivalue --enable-reference-types)
# Linking takes one core, so there are two lanes, each with a folder of its own: cargo locks it. Modules of one target share dependencies.
module() { # lane, name, features, target, cargo's selection, cargo's product, execution mode
  local lane=$target/policy/$1 name=$2 features=$3 triple=$4 product selection
  product=$lane/$triple/policy/$6
  [[ -z $wanted || $wanted == *" $name "* ]] || return 0
  read -ra selection <<<"$5"
  CARGO_PROFILE_POLICY_OPT_LEVEL=$level cargo rustc --quiet --locked --profile policy --package claimkit \
    --features "$features" --target "$triple" --target-dir "$lane" "${selection[@]}"
  local stamp=$target/policy/$name.sum
  local sum
  sum=$(cat "$product" "$here/build.sh" "$here/pages.mjs" | sha256sum)
  local bare=$out/unannotated/$name
  if [ ! -f "$bare" ] || [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$sum" ]; then
    mkdir -p "$out/unannotated"
    "$target/tools/npm/node_modules/.bin/wasm-opt" -Oz --reorder-functions "${enabled[@]}" "$product" -o "$bare"
    if [ "$7" = opa ]; then node "$here/pages.mjs" "$bare"; fi
    echo "$sum" >"$stamp"
  fi
  node "$here/annotate.mjs" "$bare" "$out/$name" "$7"
  echo "    $out/$name: $(stat -c %s "$out/$name") bytes"
}

libraries() {
  module libraries claimkit.wasm kubewarden wasm32-unknown-unknown "--lib --crate-type cdylib" claimkit.wasm kubewarden-wapc
  module libraries claimkit-opa.wasm opa wasm32-unknown-unknown "--lib --crate-type cdylib" claimkit.wasm opa
}

program() {
  module command claimkit-wasi.wasm wasi wasm32-wasip1 "--bin claimkit-policy" claimkit-policy.wasm wasi
}

# The module for OPA as a bundle, as `opa eval -b`, `opa run -b` and OPA's Go packages load it. It owns the entry point only, so that the
# settings can come from a file or another bundle, at `claimkit/settings`.
bundle() {
  [[ -z $wanted || $wanted == *" claimkit-opa.wasm "* ]] || return 0
  local folder=$target/policy/bundle
  mkdir -p "$folder"
  cp "$out/unannotated/claimkit-opa.wasm" "$folder/policy.wasm"
  echo '{"roots":["claimkit/admit"],"wasm":[{"entrypoint":"claimkit/admit","module":"/policy.wasm"}]}' >"$folder/.manifest"
  tar -C "$folder" -P --transform 's,^,/,' --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -c .manifest policy.wasm | gzip -9n >"$out/claimkit-opa.tar.gz"
  echo "    $out/claimkit-opa.tar.gz: $(stat -c %s "$out/claimkit-opa.tar.gz") bytes"
}

echo "==> policy modules into $out: about 3 minutes the first time"
# What earlier builds left under names that are used no more.
rm -f "$out"/claimkit-{verbs,opa-verbs,validate,convert,evaluate,opa-validate,opa-convert,opa-evaluate}.wasm
# What runs in the background does not hear Ctrl-C.
trap 'kill 0' INT
libraries &
lanes=$!
program &
lanes+=" $!"
failed=0
for lane in $lanes; do
  wait "$lane" || failed=1
done
[ "$failed" = 0 ] && bundle
exit "$failed"

#!/usr/bin/env bash
# Builds the module inside the Go package: pkg/go/claimkit.wasm.gz. About 3 minutes on a new machine, seconds when nothing changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
target=${CARGO_TARGET_DIR:-target}
out=pkg/go/claimkit.wasm.gz

bash pkg/build/toolchain.sh wasm32-unknown-unknown
node --input-type=module -e 'import { npmTools } from "./pkg/build/tools.mjs"; npmTools()'
CARGO_ENCODED_RUSTFLAGS=$(node pkg/build/flags.mjs package) \
  cargo build --quiet --locked --profile module --package claimkit --lib --features embed --target wasm32-unknown-unknown --target-dir "$target/go"
product=$target/go/wasm32-unknown-unknown/module/claimkit.wasm
if [[ ! $out -nt $product || ! $out -nt pkg/go/build.sh ]]; then
  # As for the package of npm: pkg/build/build.mjs.
  "$target/tools/npm/node_modules/.bin/wasm-opt" -O2 --one-caller-inline-max-function-size=100 --enable-{simd,bulk-memory,nontrapping-float-to-int,sign-ext,mutable-globals,reference-types,multivalue} \
    "$product" -o "$target/go/claimkit.wasm"
  gzip -9nc "$target/go/claimkit.wasm" >"$out"
fi
echo "    $out: $(stat -c %s "$out") bytes, $(gzip -dc "$out" | wc -c) unpacked"

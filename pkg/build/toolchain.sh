#!/usr/bin/env bash
# Makes sure that the compiler rust-toolchain.toml names is there, with the targets and the components given. rustup brings
# them on the first cargo command, but not where RUSTUP_AUTO_INSTALL=0 forbids it, nor into a toolchain that was there before.
#
#   toolchain.sh wasm32-unknown-unknown wasm32-wasip1 clippy rustfmt
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

channel=$(sed -n 's/^channel = "\(.*\)"$/\1/p' rust-toolchain.toml)

say() { echo "==> $*"; }

fail() {
  echo "toolchain: $*" >&2
  exit 1
}

# Whether the compiler has it: its standard library for a target, its program for a component.
has() {
  case $1 in
    *-*) compgen -G "$(rustc --print sysroot)/lib/rustlib/$1/lib/libcore-*.rlib" >/dev/null ;;
    clippy) cargo clippy --version >/dev/null 2>&1 ;;
    rustfmt) cargo fmt --version >/dev/null 2>&1 ;;
    *) fail "neither a target nor a known component: $1" ;;
  esac
}

if ! rustc --version >/dev/null 2>&1; then
  command -v rustup >/dev/null || fail "no Rust: install rustup from https://rustup.rs"
  say "Rust $channel by rustup, once, about 30 seconds"
  rustup toolchain install "$channel" --profile minimal
  rustc --version >/dev/null || fail "rustup installed Rust $channel, and yet rustc does not start"
fi

for part in "$@"; do
  if has "$part"; then continue; fi
  kind=component
  [[ $part != *-* ]] || kind=target
  command -v rustup >/dev/null ||
    fail "$(rustc --version) has no $part, and there is no rustup to bring it: install rustup from https://rustup.rs, or the $kind $part for this compiler"
  say "the $kind $part by rustup, once, about 10 seconds"
  rustup "$kind" add "$part" || fail "rustup cannot bring the $kind $part"
  has "$part" || fail "rustup added $part, but the rustc on PATH has none: $(command -v rustc) is not rustup's"
done

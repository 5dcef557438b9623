#!/usr/bin/env bash
# Fuzzes on the stable toolchain: a pass of LLVM that rustc can run marks the branches, the crate libfuzzer-sys brings
# libFuzzer. No nightly and no sanitizer: the crate denies unsafe code, and the laws in src/ find what is wrong.
#
#   fuzz.sh short                      at most 8 seconds for each target, and 5000 runs
#   fuzz.sh long [MINUTES] [TARGET…]   MINUTES (15) for each target, or for those named; what is new stays in target/corpus
#   fuzz.sh run TARGET FILE…           runs inputs again
#   fuzz.sh keep [TARGET…]             chooses new seeds: few inputs that reach what the grown corpus reaches
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
targets=(read decode validate convert settings batch cel patch files)
# Bytes of one target's seeds in the repository, about: they are compressed.
budget=$((48 << 10))
# What an input takes in the archive besides itself.
overhead=24
mode=${1:-short}
shift || true

bash ../../pkg/build/toolchain.sh
host=$(rustc -vV | sed -n 's/^host: //p')
llvm() { printf -- '-Cllvm-args=-sanitizer-coverage-%s ' "$@"; }
# With --target these are for the program alone, not for build scripts.
RUSTFLAGS="-Cpasses=sancov-module $(llvm level=3 inline-8bit-counters pc-table trace-compares)--cfg fuzzing"
RUST_BACKTRACE=${RUST_BACKTRACE:-0}
export RUST_BACKTRACE RUSTFLAGS CARGO_TARGET_DIR="$here/target"
if ! command -v c++ >/dev/null && command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
  echo "==> fuzz: a C++ compiler for libFuzzer from apt: about 1 minute"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends g++ >/dev/null
fi
command -v c++ >/dev/null || { echo "fuzz: needs a C++ compiler (c++) to build libFuzzer; install one" >&2; exit 1; }
if [ ! -x "target/$host/fuzz/claimkit-fuzz" ]; then
  echo "==> fuzz: libFuzzer is fetched and built, with claimkit: about 3 CPU-minutes, once"
fi
cargo build --quiet --locked --profile fuzz --target "$host"
program="$here/target/$host/fuzz/claimkit-fuzz"

# The target's seeds: from the tests, made anew, and those of longer runs.
corpus() {
  made="target/made/$1"
  rm -rf "$made" "target/seeds/$1"
  mkdir -p "target/corpus/$1" "target/seeds/$1" target/found seeds
  [ ! -f "seeds/$1.tar.gz" ] || tar -xzf "seeds/$1.tar.gz" -C "target/seeds/$1"
  CLAIMKIT_FUZZ=$1 CLAIMKIT_SEEDS=$made "$program" >/dev/null 2>target/found/seeds.log || { cat target/found/seeds.log >&2; exit 1; }
}

common=(-dict=claimkit.dict -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 -artifact_prefix=target/found/)

fuzz() {
  local target=$1
  shift
  corpus "$target"
  CLAIMKIT_FUZZ=$target "$program" "${common[@]}" "$@" 2>"target/found/$target.log" ||
    { tail -n 40 "target/found/$target.log" >&2; echo "fuzz: $target: see above; repeat with: tests/fuzz/fuzz.sh run $target FILE" >&2; exit 1; }
  sed -n "s/^stat::number_of_executed_units: */==> fuzz: $target: runs: /p" "target/found/$target.log"
}

case $mode in
  short)
    # Nothing is kept. The seed of chance is fixed, but hash maps of serde_json are not: inputs differ a little from run to run.
    for target in "${targets[@]}"; do
      rm -rf "target/short"
      mkdir -p target/short
      fuzz "$target" -seed=1 -runs=5000 -max_total_time=8 target/short "target/seeds/$target" "target/made/$target"
    done
    ;;
  long)
    minutes=${1:-15}
    shift || true
    [ $# -eq 0 ] || targets=("$@")
    for target in "${targets[@]}"; do
      echo "==> fuzz: $target for $minutes minutes"
      fuzz "$target" -max_total_time=$((minutes * 60)) "target/corpus/$target" "target/seeds/$target" "target/made/$target"
    done
    ;;
  run)
    target=$1
    shift
    CLAIMKIT_FUZZ=$target "$program" "${common[@]}" "$@"
    ;;
  keep)
    [ $# -eq 0 ] || targets=("$@")
    for target in "${targets[@]}"; do
      corpus "$target"
      rm -rf target/kept
      mkdir -p target/kept
      # First what the tests give: of the rest only inputs that reach more are chosen, small ones before large ones.
      CLAIMKIT_FUZZ=$target "$program" "${common[@]}" -merge=1 target/kept "target/made/$target" 2>/dev/null
      made=$(find target/kept -type f | wc -l)
      find target/kept -type f -printf '%f\n' | sort >target/known
      CLAIMKIT_FUZZ=$target "$program" "${common[@]}" -merge=1 target/kept "target/seeds/$target" "target/corpus/$target" 2>/dev/null
      size=0
      chosen=()
      while read -r bytes name; do
        size=$((size + bytes + overhead))
        [ "$size" -le "$budget" ] || break
        chosen+=("$name")
      done < <(find target/kept -type f -printf '%s %f\n' | sort -n | grep -vFf target/known)
      # One archive: thousands of files of a few bytes are a burden to everyone else.
      printf '%s\n' "${chosen[@]}" | sort |
        tar -cf - --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 -C target/kept -T - | gzip -9n >"seeds/$target.tar.gz"
      echo "==> fuzz: $target: $made seeds from the tests, ${#chosen[@]} besides"
    done
    ;;
  *)
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

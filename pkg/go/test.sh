#!/usr/bin/env bash
# Tests the Go package: its size, its own tests, 10,000 calls with the race detector, the example in an empty module and with mistakes, the
# answers of the command, and the devices that the allocator of kube-scheduler gives. Needs `make go-module` and `cargo build`.
#
#   test.sh           what `make test` runs
#   test.sh --bench   then times beside the allocator
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
here=$root/pkg/go
step() { echo "==> Go package: $*"; }

step "size"
# Measured values and 3 %: compiled code differs a little between machines.
packed=$(stat -c %s "$here/claimkit.wasm.gz")
unpacked=$(gzip -dc "$here/claimkit.wasm.gz" | wc -c)
echo "    $packed bytes, $unpacked unpacked"
[[ $packed -le 2090000 && $unpacked -le 5600000 ]] || { echo "the module is larger than its bound" >&2; exit 1; }

if ! command -v go >/dev/null; then
  step "no Go here: NOT TESTED"
  [[ -z ${CI:-} ]]
  exit
fi
# As the oracle compiles (tests/oracle/release.mjs), so that packages of Kubernetes are compiled once for both.
export CGO_ENABLED=0 GOFLAGS="-mod=readonly -trimpath" GOWORK=off

step "vet and its own tests, without cgo"
cd "$here"
go vet ./...
go test -short .
if command -v "$(go env CC)" >/dev/null; then
  step "10,000 calls with the race detector"
  CGO_ENABLED=1 go test -race -run Many -v . | grep -v '^==='
else
  step "no C compiler here: races NOT TESTED"
  [[ -z ${CI:-} ]]
fi

step "the example in an empty module"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r "$root/examples/go-driver/." "$scratch"
cd "$scratch"
go mod edit -replace "github.com/OWNER/claimkit-go=$here"
go vet ./...
go test ./...

fails() { # a change of a file by sed, then parts of what the tests must print
  local file=$1 change=$2 printed part
  shift 2
  sed -i.kept "$change" "$file"
  if printed=$(go test ./... 2>&1); then
    echo "the example passes with $change" >&2
    exit 1
  fi
  mv "$file.kept" "$file"
  for part in "$@"; do
    grep -qF -- "$part" <<<"$printed" || { echo "with $change the example does not print '$part':" "$printed" >&2; exit 1; }
  done
}

step "the example with mistakes"
fails driver.go 's/"gpu-%d"/"GPU_%d"/' TestTheServerAcceptsSlices/1.36 'ResourceSlice node-a-gpus: error: spec.devices[0].name: Invalid value: "GPU_0"'
fails docs/pair.yaml 's/count: 2/count: 3/' TestDocumentedClaimsFit 'default/pair:' 'node-a: cannot allocate all claims' 'count 2 instead of 3'
fails docs/pair.yaml 's/\["gpu.example.com"\].memory/["gpu.example.com"].mem/' TestDocumentedClaimsFit 'no such key: mem'

step "beside the command and the allocator of kube-scheduler"
cd "$root/tests/peers/go"
go vet ./...
CLAIMKIT=$(realpath -m "$root/${CARGO_TARGET_DIR:-target}")/debug/claimkit go test .
if [[ ${1:-} == --bench ]]; then
  go test -run '^$' -bench . .
  (cd "$here" && go test -run '^$' -bench . .)
fi

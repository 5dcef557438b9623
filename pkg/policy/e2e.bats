#!/usr/bin/env bats
# For people who have kwctl: `make policy`, then `bats pkg/policy/e2e.bats`. One test per outcome.

setup() {
  cd "$BATS_TEST_DIRNAME"
}

run_policy() { # request, settings
  run kwctl run --request-path "samples/requests/$1.json" --settings-json "$2" claimkit.wasm
  echo "output = ${output}"
}

says() {
  [ "$(expr "$output" : ".*$1.*")" -ne 0 ]
}

@test "a claim in order is accepted" {
  run_policy claim '{}'
  [ "$status" -eq 0 ]
  says '"allowed":true'
}

@test "a malformed claim is refused in the API server's words, all reasons at once" {
  run_policy claim-malformed '{}'
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says '"code":422'
  says 'spec.resourceClassName: Invalid value'
  says 'spec.allocationMode: Unsupported value'
}

@test "a class that is not allowed is refused" {
  run_policy claim-other-class '{"resourceClasses":{"allow":["gpu.example.com"]}}'
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says '"code":403'
  says 'supported values'
}

@test "a class that is not allowed is accepted with a warning in the mode warn" {
  run_policy claim-other-class '{"mode":"warn","resourceClasses":{"allow":["gpu.example.com"]}}'
  [ "$status" -eq 0 ]
  says '"allowed":true'
  says '"warnings":\["spec.resourceClassName: Unsupported value'
}

@test "a claim's class may not change" {
  run_policy claim-class-changed '{}'
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says 'field is immutable'
}

@test "a deletion is accepted" {
  run_policy claim-deleted '{"resourceClasses":{"deny":["*"]}}'
  [ "$status" -eq 0 ]
  says '"allowed":true'
}

@test "an exempt namespace is accepted" {
  run_policy claim-other-class '{"resourceClasses":{"deny":["*"]},"exempt":{"namespaces":["team-*"]}}'
  [ "$status" -eq 0 ]
  says '"allowed":true'
}

@test "the fallback takes a policy that may change objects" {
  run_policy claim-other-class '{"resourceClasses":{"allow":["gpu.example.com"],"fallback":"gpu.example.com"}}'
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says 'mutate'
}

@test "settings that are not valid are told, all of them" {
  run_policy claim '{"resourceClases":{},"mode":"warm"}'
  [ "$status" -eq 1 ]
  says 'did you mean'
  says 'resourceClasses'
  says 'mode:'
}

@test "the WASI command answers the same" {
  run kwctl run -e wasi --request-path samples/requests/claim-malformed.json --settings-json '{}' claimkit-wasi.wasm
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  says '"code":422'
}

@test "the OPA module answers in OPA's mode" {
  run kwctl run -e opa --request-path samples/requests/claim-other-class.json --settings-json '{"resourceClasses":{"allow":["gpu.example.com"]}}' claimkit-opa.wasm
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says '"code":403'
}

@test "the OPA module answers in Gatekeeper's mode" {
  run kwctl run -e gatekeeper --request-path samples/requests/claim-malformed.json --settings-json '{}' claimkit-opa.wasm
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says 'spec.resourceClassName: Invalid value'
}

run_raw() { # verb
  run kwctl run --raw --request-path "samples/requests/raw-$1.json" --settings-json '{}' "claimkit.wasm"
  echo "output = ${output}"
}

@test "raw mode validates" {
  run_raw validate
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says 'spec.allocationMode: Unsupported value'
}

@test "raw mode converts" {
  run_raw convert
  [ "$status" -eq 0 ]
  says '"allowed":true'
  says 'resource.k8s.io/v1alpha2'
}

@test "raw mode evaluates" {
  run_raw evaluate
  [ "$status" -eq 0 ]
  says '"allowed":true'
  says 'node-2'
}

@test "the metadata is embedded" {
  run kwctl inspect -o yaml claimkit.wasm
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  says 'resourceclaims/status'
}

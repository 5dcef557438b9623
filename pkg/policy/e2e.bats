#!/usr/bin/env bats
# For people who have kwctl: `make policy`, then `bats pkg/policy/e2e.bats`. One test per outcome.
#
# `make test-policy` runs it with a stand-in for kwctl (tests/hosts/policy/kwctl.mjs), all but what is tagged `kwctl`.
#
# What kwctl cannot show: that policy-server refuses a change by a policy that is `mutating: false`, how warnings reach
# kubectl, and the audit scanner.

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
  run_policy claim-malformed '{"validation":"strict"}'
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says '"code":422'
  says 'spec.resourceClassName: Invalid value'
  says 'spec.allocationMode: Unsupported value'
}

@test "what an API server has validated by its own rules gets warnings only" {
  run_policy claim-malformed '{}'
  [ "$status" -eq 0 ]
  says '"allowed":true'
  says 'spec.resourceClassName: Invalid value'
}

@test "a class that is not allowed is refused" {
  run_policy claim-other-class '{"resourceClasses":{"allow":["gpu.example.com"],"message":"ask the platform team"}}'
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says '"code":403'
  says 'supported values'
  says 'ask the platform team'
}

@test "a class that is not allowed is accepted with a warning in the mode warn" {
  run_policy claim-other-class '{"mode":"warn","resourceClasses":{"allow":["gpu.example.com"]}}'
  [ "$status" -eq 0 ]
  says '"allowed":true'
  says '"warnings":\["spec.resourceClassName: Unsupported value'
}

@test "a class of this namespace is accepted" {
  run_policy claim-other-class '{"resourceClasses":{"deny":["*"],"namespaces":[{"names":["team-*"],"allow":["tpu.example.com"]}]}}'
  [ "$status" -eq 0 ]
  says '"allowed":true'
}

@test "a device class that is not allowed is refused" {
  run_policy device-claim-other-class '{"deviceClasses":{"allow":["gpu.example.com"]}}'
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says '"code":403'
  says 'deviceClassName: Unsupported value'
}

@test "a device class that is allowed is accepted" {
  run_policy device-claim '{"deviceClasses":{"allow":["gpu.example.com"]}}'
  [ "$status" -eq 0 ]
  says '"allowed":true'
}

@test "a device class in place of one that is not allowed changes the claim" {
  run_policy device-claim-other-class '{"deviceClasses":{"allow":["gpu.example.com"],"fallback":"gpu.example.com"}}'
  [ "$status" -eq 0 ]
  says '"allowed":true'
  says '"patchType":"JSONPatch"'
}

@test "admin access elsewhere than in certain namespaces is refused" {
  run_policy device-claim-admin '{"adminAccess":{"namespaces":["dra-*"]}}'
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says 'adminAccess: Forbidden'
}

@test "a taint rule that evicts every pod is refused" {
  run_policy taint-rule-everything '{"deviceTaintRules":{"selectorRequired":"NoExecute"}}'
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says 'spec.deviceSelector: Required value'
}

run_with_cluster() { # settings
  sed 's#^contextAwareResources: .*#contextAwareResources: [{apiVersion: resource.k8s.io/v1, kind: DeviceClass}, {apiVersion: resource.k8s.io/v1, kind: ResourceClaim}]#' \
    metadata.yml >"$BATS_TEST_TMPDIR/metadata.yml"
  kwctl annotate -m "$BATS_TEST_TMPDIR/metadata.yml" -u README.md -o "$BATS_TEST_TMPDIR/policy.wasm" unannotated/claimkit.wasm
  run kwctl run --allow-context-aware --replay-host-capabilities-interactions samples/sessions/claims.yml \
    --request-path samples/requests/device-claim.json --settings-json "$1" "$BATS_TEST_TMPDIR/policy.wasm"
  echo "output = ${output}"
}

@test "a class that the cluster has, and room for a claim" {
  run_with_cluster '{"cluster":{"classExists":true,"maxClaims":3}}'
  [ "$status" -eq 0 ]
  says '"allowed":true'
}

@test "no room for a claim" {
  run_with_cluster '{"cluster":{"classExists":true,"maxClaims":2}}'
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says 'at most 2 resource claims'
}

@test "a session is replayed in order: another question than the next one recorded is not answered" {
  run_with_cluster '{"cluster":{"maxClaims":2}}'
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says '"code":500'
  says 'unexpected request'
}

@test "a sample's manifest asks the cluster as it is" {
  sed "s#registry://[^ ]*#file://$PWD/claimkit.wasm#" samples/cluster.yaml >"$BATS_TEST_TMPDIR/cluster.yaml"
  run kwctl run --replay-host-capabilities-interactions samples/sessions/claims.yml \
    --request-path samples/requests/device-claim.json "$BATS_TEST_TMPDIR/cluster.yaml"
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  says '"allowed":true'
}

@test "a claim template that a pod may not use is refused" {
  run_policy pod '{"pods":{"templates":{"allow":["gpu-*"]}}}'
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says 'resourceClaimTemplateName: Unsupported value'
}

@test "a claim template that the pods of a JobSet may not use is refused" {
  run_policy job-set '{"pods":{"templates":{"allow":["gpu-*"]}}}'
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says 'replicatedJobs\[0\].template.spec.template.spec.resourceClaims'
}

@test "more devices than the policy accepts are refused" {
  run_policy device-claim '{"limits":{"maxCount":0}}'
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says 'at most 0 devices of the class'
}

@test "the fallback class of a namespace changes the claim" {
  run_policy device-claim '{"deviceClasses":{"allow":["x.example.com"],"namespaces":[{"names":["team-*"],"allow":["y.example.com"],"fallback":"y.example.com"}]}}'
  [ "$status" -eq 0 ]
  says '"allowed":true'
  says '"patchType":"JSONPatch"'
}

@test "a claim's class may not change" {
  run_policy claim-class-changed '{"validation":"strict"}'
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

@test "a fallback changes the claim" {
  run_policy claim-other-class '{"resourceClasses":{"allow":["gpu.example.com"],"fallback":"gpu.example.com"}}'
  [ "$status" -eq 0 ]
  says '"allowed":true'
  says '"patchType":"JSONPatch"'
}

@test "settings that are not valid are refused, with every error" {
  run_policy claim '{"resourceClases":{},"mode":"warm"}'
  [ "$status" -eq 1 ]
  says 'did you mean'
  says 'resourceClasses'
  says 'mode:'
}

@test "the WASI command answers the same, and its metadata names its mode" {
  run kwctl run --request-path samples/requests/claim-malformed.json --settings-json '{"validation":"strict"}' claimkit-wasi.wasm
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  says '"code":422'
}

@test "the OPA module answers in OPA's mode, and its metadata names its mode" {
  run kwctl run --request-path samples/requests/claim-other-class.json --settings-json '{"resourceClasses":{"allow":["gpu.example.com"]}}' claimkit-opa.wasm
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says '"code":403'
}

@test "the OPA module answers in Gatekeeper's mode" {
  run kwctl run -e gatekeeper --request-path samples/requests/claim-malformed.json --settings-json '{"validation":"strict"}' unannotated/claimkit-opa.wasm
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  says '"allowed":false'
  says 'spec.resourceClassName: Invalid value'
}

run_raw() { # verb, module
  run kwctl run --raw --request-path "samples/requests/raw-$1.json" --settings-json '{}' "${2:-claimkit}.wasm"
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

@test "raw mode is that of the WASI command and of the OPA module, too" {
  for module in claimkit-wasi claimkit-opa; do
    run_raw validate "$module"
    [ "$status" -eq 0 ]
    says '"allowed":false'
    says '"code":422'
    says 'spec.allocationMode: Unsupported value'
  done
}

@test "the modules carry their metadata" {
  for module in claimkit claimkit-wasi claimkit-opa; do
    run kwctl inspect -o yaml "$module.wasm"
    echo "output = ${output}"
    [ "$status" -eq 0 ]
    says 'resourceclaims/status'
    says 'io.kubewarden.policy.usage'
  done
}

@test "a module without metadata takes other metadata, and the README" {
  sed 's/mutating: false/mutating: true/' metadata.yml >"$BATS_TEST_TMPDIR/metadata.yml"
  kwctl annotate -m "$BATS_TEST_TMPDIR/metadata.yml" -u README.md -o "$BATS_TEST_TMPDIR/policy.wasm" unannotated/claimkit.wasm
  run kwctl inspect -o yaml "$BATS_TEST_TMPDIR/policy.wasm"
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  says 'mutating: true'
  says 'io.kubewarden.policy.usage'
}

# bats test_tags=kwctl
@test "a manifest and a package of Artifact Hub are made from the metadata" {
  run kwctl scaffold manifest -t ClusterAdmissionPolicy claimkit.wasm
  [ "$status" -eq 0 ]
  says 'resourceclaimtemplates'
  run kwctl scaffold artifacthub -m metadata.yml -q questions-ui.yml
  [ "$status" -eq 0 ]
  says 'kubewarden/questions-ui'
}

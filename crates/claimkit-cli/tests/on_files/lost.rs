//! What must not get lost without a word: policies, and files that a server accepts.

use crate::files::Files;
use claimkit_cli::Exit;

const CLAIM: &str = "apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: a}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: bad}}]}}
";

/// A file that was to have the policy is empty, or has one that is not evaluated.
#[test]
fn a_lost_policy_allows_nothing() {
    let mutating = "apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: m}
";
    for (line, policy, said) in [
        (
            "admit -f policy.yaml -f claim.yaml",
            "",
            "policy.yaml: the file has no policy and no object",
        ),
        (
            "admit --settings policy.yaml claim.yaml",
            "# none\n",
            "policy.yaml: the file has no settings",
        ),
        (
            "admit -f policy.yaml -f claim.yaml",
            mutating,
            "no policy to ask: MutatingAdmissionPolicies are not evaluated",
        ),
    ] {
        let mut host = Files::of(&[("policy.yaml", policy), ("claim.yaml", CLAIM)]);
        assert_eq!(host.run(line), Exit::Unusable, "{}", host.out);
        assert!(host.err.contains(said), "{}", host.err);
    }
    let mut host = Files::of(&[("claim.yaml", CLAIM)]);
    assert_eq!(host.run("admit -f claim.yaml"), Exit::Fine);
    assert!(host.err.contains("no policy is given"), "{}", host.err);
}

#[test]
fn a_file_that_would_not_be_accepted_is_not_converted() {
    let claim = "apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: a, firstAvailable: [{name: x, deviceClassName: x}]}]}}
";
    let mut host = Files::of(&[("a.yaml", claim)]);
    assert_eq!(host.run("convert --to v1alpha3 a.yaml"), Exit::Findings);
    assert_eq!(host.out, "");
    assert!(host.err.contains("validity-lost"), "{}", host.err);
    assert!(
        host.err
            .contains("a.yaml: not converted, as the result is not accepted"),
        "{}",
        host.err
    );
    let mut host = Files::of(&[("a.yaml", claim)]);
    let exit = host.run("convert --to v1alpha3 --allow-loss a.yaml");
    assert_eq!(exit, Exit::Findings);
    assert!(host.out.contains("v1alpha3"), "{}", host.out);
}

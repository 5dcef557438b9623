//! What kube-apiserver refuses about the claims of pods, in every release: `tests/vectors/pod-claims.jsonl.gz` has the answers of
//! upstream's own functions (`pkg/apis/core/validation`), with the addresses of strings as `0xPTR`.

use claimkit::{Release, ValidateOptions, validate};
use claimkit_model::finding::{Code, Origin, Severity};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;

fn recorded() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/pod-claims.jsonl.gz");
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The pod of a recorded case, or a Deployment with it.
fn manifest(case: &Value) -> Value {
    let containers = |list: &str| -> Vec<Value> {
        let claims = case[list].as_array().unwrap().iter();
        claims
            .map(|claims| json!({"name": "c", "image": "i", "resources": {"claims": claims}}))
            .collect()
    };
    let spec = json!({
        "resourceClaims": case["claims"],
        "containers": containers("containers"),
        "initContainers": containers("init"),
    });
    let mut metadata = json!({"name": case["name"]});
    if let Some(annotations) = case.get("annotations") {
        metadata["annotations"] = annotations.clone();
    }
    if case["template"] == true {
        return json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {"template": {"spec": spec}}});
    }
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
}

#[test]
fn every_release_refuses_what_upstream_refuses() {
    let mut wrong = Vec::new();
    let mut releases = BTreeSet::new();
    let mut refused = 0;
    let recorded = recorded();
    for case in &recorded {
        let name = case["release"].as_str().unwrap();
        releases.insert(name.to_owned());
        let text = manifest(case).to_string();
        let mut options = ValidateOptions::default();
        options.release = Some(Release::parse(name).unwrap());
        let report = validate(&text, &options);
        let upstream = report
            .findings
            .iter()
            .filter(|finding| finding.origin == Origin::ApiServer);
        let got: Vec<String> = upstream
            .map(|finding| format!("{}|{}", finding.cause.unwrap().reason(), finding.message))
            .collect();
        let mut want: Vec<&str> = Vec::new();
        for error in case["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|error| error.as_str().unwrap())
        {
            if !want.contains(&error) {
                want.push(error);
            }
        }
        refused += usize::from(!want.is_empty());
        assert_eq!(
            report.objects[0].valid,
            (!want.is_empty()).then_some(false),
            "{case}"
        );
        if got != want {
            wrong.push(format!("{name}\n{text}\n got  {got:#?}\n want {want:#?}"));
        }
    }
    assert!(
        recorded.len() > 1000 && releases.len() == 12 && refused > 1000,
        "{} {releases:?} {refused}",
        recorded.len()
    );
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        recorded.len(),
        wrong[0]
    );
}

fn codes(text: &str, release: Option<&str>) -> Vec<(String, Severity)> {
    let mut options = ValidateOptions::default();
    options.release = release.map(|release| Release::parse(release).unwrap());
    let report = validate(text, &options);
    report
        .findings
        .iter()
        .map(|finding| (finding.message.to_string(), finding.severity))
        .collect()
}

fn pod(claims: &str, container: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  resourceClaims: {claims}\n  containers: [{{name: c, image: i, resources: {{claims: {container}}}}}]\n"
    )
}

/// A pod alone is judged, too; what was and was not looked into is said.
#[test]
fn a_pod_alone_is_judged() {
    let fine = pod("[{name: gpu, resourceClaimName: a}]", "[{name: gpu}]");
    let report = validate(&fine, &ValidateOptions::default());
    assert!(report.ok, "{:?}", report.findings);
    assert_eq!(
        report
            .findings
            .iter()
            .map(|finding| finding.code)
            .collect::<Vec<_>>(),
        [Code::PodClaimsOnly]
    );
    let refused = codes(&pod("[{name: gpu}]", "[{name: gpu}]"), Some("1.33"));
    let message = "spec.resourceClaims[0]: Invalid value: core.PodResourceClaim{Name:\"gpu\", ResourceClaimName:(*string)(nil), ResourceClaimTemplateName:(*string)(nil)}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
    assert!(
        refused.contains(&(message.to_owned(), Severity::Error)),
        "{refused:?}"
    );
    // Without claims, nothing of the pod is looked into.
    let none = validate(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: []}\n",
        &ValidateOptions::default(),
    );
    assert!(
        !none.ok
            && none
                .findings
                .iter()
                .any(|finding| finding.code == Code::NothingChecked)
    );
}

/// Fields that a release does not know refuse the pod, as kubectl asks for strict decoding.
#[test]
fn unknown_fields_of_claims_are_refused() {
    let old = pod(
        "[{name: gpu, source: {resourceClaimName: a}}]",
        "[{name: gpu}]",
    );
    let unknown = (
        "unknown field \"spec.resourceClaims[0].source\"".to_owned(),
        Severity::Error,
    );
    assert!(codes(&old, Some("1.31")).contains(&unknown));
    assert!(
        codes(&old, Some("1.30"))
            .iter()
            .all(|(_, severity)| *severity != Severity::Error)
    );
    // No other object says which release is meant: the last one with pods of this form.
    assert!(
        codes(&old, None)
            .iter()
            .all(|(_, severity)| *severity != Severity::Error)
    );
    // A pod that is also written as later releases have it is none of theirs.
    let mixed = pod(
        "[{name: gpu, source: {resourceClaimName: a}}, {name: nic, resourceClaimName: b}]",
        "[{name: gpu}, {name: nic}]",
    );
    assert!(codes(&mixed, None).contains(&unknown));
    let with_request = pod(
        "[{name: gpu, source: {resourceClaimName: a}}]",
        "[{name: gpu, request: one}]",
    );
    assert!(codes(&with_request, None).contains(&unknown));
    let assumed = |text: &str, release: Option<Release>| {
        let mut options = ValidateOptions::default();
        options.release = release;
        let report = validate(text, &options);
        let mut findings = report.findings.into_iter();
        findings
            .find(|finding| finding.code == Code::ReleaseDecides)
            .map(|finding| finding.message.to_string())
    };
    assert_eq!(
        assumed(&old, None).as_deref(),
        Some("Kubernetes 1.30.14 is assumed here: it is the last one whose pods have `source`")
    );
    assert_eq!(assumed(&old, Some(Release::new(30, 0))), None);
    assert_eq!(assumed(&mixed, None), None);
    let new = pod(
        "[{name: gpu, resourceClaimName: a}]",
        "[{name: gpu, request: r}]",
    );
    let found = codes(&new, Some("1.30"));
    for path in [
        "spec.resourceClaims[0].resourceClaimName",
        "spec.containers[0].resources.claims[0].request",
    ] {
        assert!(
            found.contains(&(format!("unknown field \"{path}\""), Severity::Error)),
            "{path}: {found:?}"
        );
    }
    let near = pod("[{name: gpu, resourceClaim: a}]", "[{name: gpu}]");
    let report = validate(&near, &ValidateOptions::default());
    let unknown = report
        .findings
        .iter()
        .find(|finding| finding.code == Code::UnknownField)
        .unwrap();
    assert_eq!(
        unknown.help.as_deref(),
        Some("did you mean `resourceClaimName`?")
    );
}

#[test]
fn entries_that_are_no_maps_are_named() {
    let text = pod("[{name: gpu, resourceClaimName: a}]", "[gpu]");
    let report = validate(&text, &ValidateOptions::default());
    let wrong = report
        .findings
        .iter()
        .find(|finding| finding.code == Code::TypeMismatch)
        .unwrap();
    assert_eq!(wrong.help.as_deref(), Some("write `{name: gpu}`"));
    assert_eq!(
        wrong.path.as_deref(),
        Some("spec.containers[0].resources.claims[0]")
    );
    // The entry is meant, so it is not said to be unused.
    assert!(
        report
            .findings
            .iter()
            .all(|finding| finding.code != Code::PodClaimUnused)
    );
    for (claims, container) in [
        ("a", "[]"),
        ("[{name: 1, resourceClaimName: a}]", "[]"),
        ("[[]]", "[]"),
        ("[]", "{name: a}"),
    ] {
        let text = pod(claims, container);
        let report = validate(&text, &ValidateOptions::default());
        assert!(
            !report.ok
                && report
                    .findings
                    .iter()
                    .any(|finding| finding.code == Code::TypeMismatch),
            "{claims} {container}"
        );
    }
}

/// A pod's own resources have no claims: from 1.34 on the server says so.
#[test]
fn claims_of_the_pod_as_a_whole_are_refused() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {resources: {claims: []}, containers: []}\n";
    let message =
        "spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level";
    let refuses = |release| {
        codes(text, Some(release))
            .iter()
            .any(|(found, _)| found == message)
    };
    assert_eq!(["1.33", "1.34", "1.37"].map(refuses), [false, true, true]);
}

#[test]
fn the_help_does_not_depend_on_the_words_of_a_name() {
    let pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {
            "containers": [{"name": "c", "image": "i"}],
            "resourceClaims": [
                {"name": "at most one of x", "resourceClaimName": "a"},
                {"name": "must specify one of", "resourceClaimName": "a"},
                {"name": "none"},
            ],
        },
    });
    let text = pod.to_string();
    let report = validate(&text, &ValidateOptions::default());
    let helps: Vec<String> = report
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| {
            finding
                .help
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default()
        })
        .collect();
    assert_eq!(helps.len(), 3, "{:?}", report.findings);
    for help in &helps[..2] {
        assert!(help.starts_with("use lower case letters"), "{help}");
    }
    assert!(
        helps[2].starts_with("name a claim that is there"),
        "{}",
        helps[2]
    );
}

//! The program `claimkit` judges as the policy's modules do, and prints policies of other engines.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests fail loudly"
)]

#[path = "../../../tests/support/plain.rs"]
mod plain;

use claimkit::requests::hosts;
use plain::plain;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_claimkit"))
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../pkg/policy/samples")
}

/// `claimkit admit` prints what Kubewarden would get, and ends with 0, 1 or 2.
#[test]
fn the_command_line_admits() {
    let folder = samples();
    let sample = |name: &str| folder.join("requests").join(name);
    let run =
        |arguments: &[&std::ffi::OsStr]| program().arg("admit").args(arguments).output().unwrap();
    let (fine, other) = (sample("claim.json"), sample("claim-malformed.json"));
    let done = run(&[fine.as_ref()]);
    assert_eq!(
        (done.status.code(), done.stdout.as_slice()),
        (Some(0), &b"{\"accepted\":true}\n"[..])
    );
    let done = run(&[fine.as_ref(), other.as_ref()]);
    let request = std::fs::read_to_string(&other).unwrap();
    let expected = hosts::validate(
        format!(r#"{{"request":{request},"settings":{{"validation":"strict"}}}}"#).as_bytes(),
        None,
    );
    assert_eq!(done.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(done.stdout).unwrap(),
        format!("{{\"accepted\":true}}\n{expected}\n")
    );
    // The settings of a policy's manifest, and a policy with nothing to judge.
    let done = run(&[
        "--settings".as_ref(),
        folder.join("resource-classes.yaml").as_ref(),
        sample("claim-other-class.json").as_ref(),
    ]);
    assert_eq!(done.status.code(), Some(1));
    assert!(
        String::from_utf8(done.stdout)
            .unwrap()
            .starts_with("{\"accepted\":false")
    );
    let done = run(&[folder.join("strict.yaml").as_ref()]);
    assert_eq!(done.status.code(), Some(2));
    assert!(
        String::from_utf8(done.stderr)
            .unwrap()
            .contains("nothing to judge")
    );
    let done = run(&["--settings".as_ref(), other.as_ref(), fine.as_ref()]);
    assert_eq!(done.status.code(), Some(2));
    assert!(
        String::from_utf8(done.stderr)
            .unwrap()
            .contains("operation: unknown setting")
    );
}

/// `claimkit policy --as vap` prints policies and bindings for every sample with settings of current versions, and says what is left
/// out. tests/oracle/policies.mjs applies such policies to a real server.
#[test]
fn the_command_line_prints_validating_admission_policies() {
    let run = |file: &Path| {
        let done = program()
            .args(["policy", "--as", "vap"])
            .arg(file)
            .output()
            .unwrap();
        (
            done.status.code(),
            String::from_utf8(done.stdout).unwrap(),
            String::from_utf8(done.stderr).unwrap(),
        )
    };
    let mut names = BTreeSet::new();
    for sample in std::fs::read_dir(samples())
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if sample
            .extension()
            .is_none_or(|extension| extension != "yaml")
        {
            continue;
        }
        let (code, text, problem) = run(&sample);
        let name = sample.file_stem().unwrap().to_string_lossy().into_owned();
        // Where there is no policy, it is said, and the exit code says it, too.
        let has_none = name.starts_with("strict") || name == "cluster";
        let expected = Some(i32::from(has_none));
        assert_eq!(code, expected, "{}: {problem}", sample.display());
        let said = problem.contains("no setting that a policy of this form can hold");
        assert_eq!(said, has_none, "{name}: {problem}");
        assert_eq!(text.is_empty(), has_none, "{name}");
        let mut bound = 0;
        for document in text.split("---\n").skip(1) {
            let policy = plain(document, &sample);
            let name = policy["metadata"]["name"].as_str().unwrap().to_owned();
            if policy["kind"] == "ValidatingAdmissionPolicyBinding" {
                assert_eq!(policy["spec"]["policyName"], json!(name));
                bound += 1;
                continue;
            }
            assert!(names.insert((sample.clone(), name)), "{document}");
            for validation in policy["spec"]["validations"].as_array().unwrap() {
                assert!(
                    !validation["expression"].as_str().unwrap().is_empty()
                        && validation["message"].is_string(),
                    "{document}"
                );
            }
        }
        let of_sample = names.iter().filter(|(of, _)| *of == sample).count();
        assert_eq!(bound, of_sample, "{}", sample.display());
        assert_eq!(of_sample == 0, has_none, "{name}: {text}");
        // Without a policy, what is left out goes with the error.
        let comments = if has_none { &problem } else { &text };
        let says = |left_out: &str| comments.contains(&format!("# - {left_out}: "));
        match name.as_str() {
            "cluster" => assert!(says("cluster"), "{problem}"),
            "fallback" => assert!(
                says("deviceClasses.default, deviceClasses.fallback"),
                "{text}"
            ),
            "resource-classes" => assert!(
                says("resourceClasses") && says("suitableNodes") && says("shareable"),
                "{text}"
            ),
            "limits" => {
                assert_eq!(text.matches("# - ").count(), 3, "{text}");
                for left_out in ["tolerations", "opaqueParameters", "opaqueParameters.rules"] {
                    assert!(says(left_out), "{text}");
                }
            }
            _ => {}
        }
    }
    let (code, _, problem) = run(&samples().join("requests/claim.json"));
    assert!(
        code == Some(2) && problem.contains("unknown setting"),
        "{problem}"
    );
}

/// `claimkit admit -f POLICY -f MANIFEST` asks each policy about each object that its rules name.
#[test]
fn the_command_line_applies_policies_to_manifests() {
    let folder = samples();
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("admit");
    std::fs::create_dir_all(&place).unwrap();
    let write = |name: &str, text: &str| {
        let path = place.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let policy = |name: &str| {
        folder
            .join(format!("{name}.yaml"))
            .to_string_lossy()
            .into_owned()
    };
    let claim = |name: &str, class: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: {name}, namespace: team-a}} # a comment\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: {class}}}}}]}}}}\n"
        )
    };
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: a, image: i, resources: {claims: [{name: x}]}}]\n  resourceClaims: [{name: x, resourceClaimTemplateName: tpu}]\n";
    let good = write("good.yaml", &claim("a", "gpu.example.com"));
    let mixed = write(
        "mixed.yaml",
        &format!(
            "{}---\n{}---\n{pod}",
            claim("a", "gpu.example.com"),
            claim("b", "tpu.example.com")
        ),
    );
    let run = |arguments: &[&str]| {
        let done = program().arg("admit").args(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (done.status.code(), text(done.stdout), text(done.stderr))
    };
    let (classes, pods) = (policy("classes-and-drivers"), policy("pods"));
    let (code, out, _) = run(&["-f", &classes, "-f", &good]);
    let expected = "claimkit-classes-and-drivers: ResourceClaim team-a/a: pass\npass: 1, fail: 0, warn: 0, error: 0, skip: 0\n";
    assert_eq!((code, out.as_str()), (Some(0), expected));
    let (code, out, _) = run(&["-f", &classes, "-f", &pods, "-f", &mixed]);
    assert_eq!(code, Some(1));
    let expected = "claimkit-classes-and-drivers: ResourceClaim team-a/a: pass\n\
        claimkit-classes-and-drivers: ResourceClaim team-a/b: fail\n    \
        spec.devices.requests[0].exactly.deviceClassName: Unsupported value: \"tpu.example.com\": supported values: \
        \"gpu.example.com\", \"*.corp.example.com\"; ask platform@example.com for another class\n\
        claimkit-pods: Pod default/p: fail\n    \
        spec.resourceClaims[0].resourceClaimTemplateName: Unsupported value: \"tpu\": supported values: \"gpu-*\"\n\
        pass: 1, fail: 2, warn: 0, error: 0, skip: 3\n";
    assert_eq!(out, expected);
    let (code, out, _) = run(&["-f", &classes, "-f", &pods, "-f", &mixed, "-o", "json"]);
    let whole: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &whole["summary"]),
        (
            Some(1),
            &json!({"pass": 1, "fail": 2, "warn": 0, "error": 0, "skip": 3})
        )
    );
    let line = &whole["results"][2];
    assert_eq!(
        (&line["name"], &line["result"], &line["response"]["code"]),
        (&json!("b"), &json!("fail"), &json!(403))
    );
    assert!(
        whole["results"][1]["response"].is_null() && whole["results"][1]["result"] == "skip",
        "{whole}"
    );
    // Settings alone are asked about everything; an object of `--old` makes an update.
    let settings = write(
        "settings.yaml",
        "deviceClasses: {deny: [tpu.example.com]}\n",
    );
    let stored = write("old.yaml", &claim("b", "tpu.example.com"));
    let (code, out, _) = run(&["--settings", &settings, "--old", &stored, &mixed]);
    assert_eq!(code, Some(0), "{out}");
    assert!(
        out.contains(
            "settings: ResourceClaim team-a/b: warn\n    warning: spec.devices.requests[0]"
        ),
        "{out}"
    );
    // A policy that changes objects must be allowed to.
    let fallback = std::fs::read_to_string(folder.join("fallback.yaml")).unwrap();
    let forbidden = write(
        "fallback.yaml",
        &fallback.replace("mutating: true", "mutating: false"),
    );
    assert_eq!(run(&["-f", &policy("fallback"), "-f", &mixed]).0, Some(0));
    let (code, out, _) = run(&["-f", &forbidden, "-f", &mixed]);
    assert!(
        code == Some(1) && out.contains("it must be `mutating: true`"),
        "{out}"
    );
    // Questions that only a cluster can answer, and texts that cannot be read.
    let (code, out, _) = run(&["-f", &policy("cluster"), "-f", &good]);
    assert!(code == Some(1) && out.contains("error: 1"), "{out}");
    let broken = write("broken.yaml", "a: [\n");
    assert_eq!(run(&["-f", &classes, "-f", &broken]).0, Some(2));
    let group = write(
        "group.yaml",
        "apiVersion: policies.kubewarden.io/v1\nkind: ClusterAdmissionPolicyGroup\nmetadata: {name: g}\n",
    );
    let (code, _, problem) = run(&["-f", &group, "-f", &good]);
    assert!(
        code == Some(2) && problem.contains("only single policies are asked"),
        "{problem}"
    );
}

/// ValidatingAdmissionPolicies among the files are asked as an API server asks them, with parameters and Namespaces of the files.
#[test]
fn the_command_line_asks_validating_admission_policies() {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("validating");
    std::fs::create_dir_all(&place).unwrap();
    let write = |name: &str, text: &str| {
        let path = place.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let policy = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules:
    - {apiGroups: [resource.k8s.io], apiVersions: [v1], operations: [CREATE], resources: [resourceclaims]}
  validations:
  - expression: object.spec.devices.requests.all(r, r.exactly.count <= int(params.data.most))
    messageExpression: \"'at most ' + params.data.most\"
    reason: Forbidden
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: all}
spec: {policyName: few, validationActions: [Deny], paramRef: {name: limits, parameterNotFoundAction: Deny}}
";
    let claim = |name: &str, count: usize| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: {name}}}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu, count: {count}}}}}]}}}}\n"
        )
    };
    let policies = write("policies.yaml", policy);
    let claims = write(
        "claims.yaml",
        &format!("{}---\n{}", claim("a", 1), claim("b", 3)),
    );
    let limits = write(
        "limits.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits, namespace: default}\ndata: {most: \"2\"}\n",
    );
    let run = |arguments: &[&str]| {
        let done = program().arg("admit").args(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (done.status.code(), text(done.stdout), text(done.stderr))
    };
    let (code, out, _) = run(&[&policies, &claims, &limits]);
    let expected = "few with all: ResourceClaim default/a: pass\n\
        few with all: ResourceClaim default/b: fail\n    \
        resourceclaims.resource.k8s.io \"b\" is forbidden: ValidatingAdmissionPolicy 'few' with binding 'all' denied request: at most 2\n\
        few: ConfigMap default/limits: skip\n    \
        its `matchConstraints` are not those of this request\n\
        pass: 1, fail: 1, warn: 0, error: 0, skip: 1\n";
    assert_eq!((code, out.as_str()), (Some(1), expected));
    // Without the parameters nobody knows.
    let (code, out, _) = run(&[&policies, &claims]);
    assert_eq!(code, Some(1));
    assert!(out.contains("few with all: ResourceClaim default/a: error\n    parameters are not given: add the ConfigMap `limits`"), "{out}");
    let wrong = write("wrong.yaml", &policy.replace("int(params", "it(params"));
    let (code, _, err) = run(&[&wrong, &claims]);
    assert_eq!(code, Some(2));
    assert!(
        err.contains("spec.validations[0].expression: Invalid value: "),
        "{err}"
    );
    let (code, _, err) = run(&["--stored", &policies, &claims]);
    assert_eq!(code, Some(2));
    assert!(err.contains("leave out `--stored`"), "{err}");
}

/// A key that settings list twice is refused, in YAML, in JSON and in a policy's manifest: only one of them would count.
#[test]
fn the_command_line_refuses_settings_that_list_a_key_twice() {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("twice");
    std::fs::create_dir_all(&place).unwrap();
    let claim = samples().join("requests/claim.json");
    let manifest = "apiVersion: policies.kubewarden.io/v1\nkind: ClusterAdmissionPolicy\nmetadata: {name: p}\nspec:\n  rules: []\n  settings:\n    drivers: {allow: [a]}\n    drivers: {allow: [b]}\n";
    for (name, text, path) in [
        (
            "a.yaml",
            "drivers: {allow: [a]}\ndrivers: {allow: [b]}\n",
            "drivers",
        ),
        (
            "b.json",
            r#"{"drivers": {"allow": ["a"], "allow": ["b"]}}"#,
            "drivers.allow",
        ),
        ("c.yaml", manifest, "spec.settings: drivers"),
    ] {
        let file = place.join(name);
        std::fs::write(&file, text).unwrap();
        let asked = program()
            .args(["admit", "--settings"])
            .args([&file, &claim])
            .output();
        let done = asked.unwrap();
        assert_eq!(done.status.code(), Some(2), "{name}");
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(
            said.ends_with(&format!("{path}: is listed twice: keep one\n")),
            "{said}"
        );
    }
    let asked = program()
        .arg("admit")
        .args([&place.join("c.yaml"), &claim])
        .output();
    assert_eq!(asked.unwrap().status.code(), Some(2));
}

/// The labels of a Namespace among the files count more than those that are given for every namespace.
#[test]
fn a_namespace_in_the_files_counts_more_than_given_labels() {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("namespaces");
    std::fs::create_dir_all(&place).unwrap();
    let write = |name: &str, text: &str| {
        let path = place.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let settings = write(
        "settings.yaml",
        "validation: \"off\"\nadminAccess: {labels: {team: b}}\n",
    );
    let claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, namespace: b}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, adminAccess: true}}]}}\n";
    let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: b, labels: {team: b}}\n";
    let (claim, namespace) = (write("claim.yaml", claim), write("ns.yaml", namespace));
    let run = |files: &[&str]| {
        let mut asked = program();
        asked.args(["admit", "--settings", &settings, "--namespace-labels"]);
        asked.arg("team=a").args(files);
        asked.output().unwrap().status.code()
    };
    assert_eq!(run(&[&claim]), Some(1));
    assert_eq!(run(&[&claim, &namespace]), Some(0));
}

/// Labels that are not given are missing only where they decide, and what to add is said.
#[test]
fn missing_labels_of_namespaces_are_said_where_they_decide() {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("labels");
    std::fs::create_dir_all(&place).unwrap();
    let settings = place.join("settings.yaml");
    std::fs::write(
        &settings,
        "validation: \"off\"\nadminAccess: {labels: {team: b}}\n",
    )
    .unwrap();
    let run = |request: &str, mutating: bool| {
        let claim = format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: c, namespace: b}}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu{request}}}}}]}}}}\n"
        );
        let policy = "---\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: m}\nspec: {}\n";
        let file = place.join("claim.yaml");
        let more = if mutating { policy } else { "" };
        std::fs::write(&file, format!("{claim}{more}{more}")).unwrap();
        let asked = program()
            .args(["admit", "--settings"])
            .args([&settings, &file])
            .output();
        let done = asked.unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (done.status.code(), text(done.stdout), text(done.stderr))
    };
    let (code, out, err) = run("", false);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    let (code, out, _) = run(", adminAccess: true", false);
    assert_eq!(code, Some(1));
    assert!(
        out.contains("the labels of the namespace `b` are not given: add its Namespace or `--namespace-labels`"),
        "{out}"
    );
    // Policies that change objects are not evaluated, which is said once.
    let (code, out, err) = run("", true);
    assert_eq!(
        (code, err.as_str()),
        (
            Some(0),
            "claimkit: MutatingAdmissionPolicies are not evaluated: objects are judged as they are written\n"
        ),
        "{out}"
    );
    assert!(!out.contains("MutatingAdmissionPolicy"), "{out}");
}

/// A rule names a kind by its plural, by `*`, and together with its subresources (apiserver, pkg/admission/plugin/webhook/predicates/rules,
/// rules.go); a rule for a subresource alone does not name it.
#[test]
fn rules_name_kinds_with_their_subresources() {
    let folder = std::env::temp_dir().join(format!("claimkit-rules-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (policy, claim) = (folder.join("policy.yaml"), folder.join("claim.yaml"));
    std::fs::write(
        &claim,
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: tpu}}]}}\n",
    )
    .unwrap();
    for (resources, is_asked) in [
        ("resourceclaims", true),
        ("resourceclaims/*", true),
        ("*", true),
        ("*/*", true),
        ("resourceclaims/status", false),
        ("*/status", false),
        ("pods/*", false),
    ] {
        let text = format!(
            "apiVersion: policies.kubewarden.io/v1\nkind: ClusterAdmissionPolicy\nmetadata: {{name: p}}\nspec:\n  rules: [{{apiGroups: [resource.k8s.io], apiVersions: [v1], operations: [CREATE], resources: [\"{resources}\"]}}]\n  settings: {{deviceClasses: {{allow: [gpu]}}}}\n"
        );
        std::fs::write(&policy, text).unwrap();
        let mut command = program();
        command.args(["admit", "-o", "json", "-f"]).arg(&policy);
        let done = command.arg("-f").arg(&claim).output().unwrap();
        let answer: Value = serde_json::from_slice(&done.stdout).unwrap();
        let expected = if is_asked { "fail" } else { "skip" };
        assert_eq!(
            answer["results"][0]["result"], expected,
            "{resources}: {answer}"
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

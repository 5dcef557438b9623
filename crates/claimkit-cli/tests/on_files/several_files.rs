//! A folder as people have it: node files, JSON, a byte order mark, and one file that cannot be read.

use crate::files::Files;
use claimkit_cli::Exit;
use serde_json::{Value, json};

const BROKEN: &str = "kind: Pod\nmetadata: {name: [\n";
const POD: &str = "apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  resourceClaims: [{name: r, resourceClaimName: c}]
  containers: [{name: a, image: x, resources: {claims: [{name: r}]}}]
";

/// The folder `f`.
fn folder() -> Files {
    let mut host = Files::default();
    let mut add =
        |name: &str, text: String| host.files.insert(format!("f/{name}"), text.into_bytes());
    for at in 0..10 {
        let node = format!("apiVersion: v1\nkind: Node\nmetadata: {{name: n-{at}}}\n");
        add(&format!("node-{at}.yaml"), node);
    }
    add("broken.yaml", BROKEN.to_owned());
    let slice = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": {
        "driver": "gpu.example.com", "nodeName": "n-3", "devices": [{"name": "g0"}],
        "pool": {"name": "n-3", "generation": 1, "resourceSliceCount": 1}}});
    let class = json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}});
    add("slice.json", slice.to_string());
    add("class.json", class.to_string());
    add(
        "claim.yaml",
        "\u{feff}apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: c, namespace: ml}\nspec: {devices: {requests: [{name: r, deviceClassName: gpu}]}}\n".to_owned(),
    );
    add("pod.yaml", POD.to_owned());
    host
}

fn typed(mut folder: Files, line: &str) -> (Exit, String, String) {
    let exit = folder.run(line);
    (exit, folder.out, folder.err)
}

#[test]
fn a_broken_file_costs_itself_alone() {
    for (line, shown) in [
        ("allocate f", "ml/p: n-3\n"),
        ("audit f", "14 objects in 15 files: 1 error"),
        (
            "audit --to 1.38 f",
            "from 1.37.2 to 1.38.0-beta.0: 1 problem in 14 objects in 15 files",
        ),
        ("validate f", "3 objects and the claims of 1 pod"),
    ] {
        let (exit, out, err) = typed(folder(), line);
        let whole = format!("{out}{err}");
        assert!(whole.contains(shown), "{line}: {whole}");
        assert_eq!(
            whole.matches("f/broken.yaml:").count(),
            1,
            "{line}: {whole}"
        );
        assert_eq!(exit, Exit::Findings, "{line}");
    }
}

#[test]
fn an_upgrade_names_the_file_of_an_object() {
    let (_, out, _) = typed(folder(), "audit --to 1.38 -o json f");
    let answer: Value = serde_json::from_str(&out).unwrap();
    let of_claim = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["code"] != "yaml-syntax")
        .unwrap();
    assert_eq!(of_claim["file"], "f/claim.yaml", "{of_claim}");
    assert_eq!(of_claim["range"]["start"]["line"], 0);
}

#[test]
fn node_files_are_read_one_by_one() {
    let line = "evaluate --nodes f/node-0.yaml --nodes f/broken.yaml --nodes f/node-1.yaml f/pod.yaml f/class.json --release 1.31";
    let (exit, out, err) = typed(folder(), line);
    assert_eq!(exit, Exit::Unusable, "{out}{err}");
    assert_eq!(err.matches("f/broken.yaml:").count(), 1, "{err}");
    let mut mended = folder();
    mended.files.remove("f/broken.yaml");
    let line = "evaluate --nodes f/node-0.yaml --nodes f/node-1.yaml f/pod.yaml f/claim.yaml -o json --release 1.32";
    let (_, out, err) = typed(mended, line);
    assert!(
        out.contains("\"n-0\"") && out.contains("\"n-1\""),
        "{out}{err}"
    );
}

#[test]
fn bytes_that_are_not_utf_8_are_told_of_their_own_file() {
    for line in [
        "audit f",
        "allocate f",
        "allocate f/pod.yaml --cluster f/class.json --cluster f/broken.yaml",
    ] {
        let mut latin = folder();
        let broken = latin.files.get_mut("f/broken.yaml").unwrap();
        *broken = b"# caf\xe9\n".to_vec();
        let (_, out, err) = typed(latin, line);
        let whole = format!("{out}{err}");
        assert!(
            whole.contains("f/broken.yaml:1:6: warning:"),
            "{line}: {whole}"
        );
    }
}

/// What `--diff` shows is not written: the summary and the end are those of the files.
#[test]
fn fixes_that_are_only_shown_are_not_done() {
    let text = "apiVersion: resource.k8s.io/v1\nkind: resourceClaim\nmetadata: {name: a}\nspec: {devices: {requests: [{name: g, exactly: {deviceClassName: c}}]}}\n";
    let mut host = Files::of(&[("a.yaml", text)]);
    let exit = host.run("validate --fix --diff a.yaml");
    assert_eq!(exit, Exit::Findings, "{}", host.out);
    assert!(host.out.contains("+kind: ResourceClaim\n"), "{}", host.out);
    assert!(host.out.contains("1 fix could be applied"), "{}", host.out);
    assert!(!host.out.contains("no problems"), "{}", host.out);
    let mut host = Files::of(&[("a.yaml", text)]);
    host.run("validate --fix --diff -o json a.yaml");
    assert!(host.out.starts_with('{'), "{}", host.out);
    assert!(host.err.contains("+kind: ResourceClaim\n"), "{}", host.err);
}

/// A fix is applied where the report shows it: a pod with `source` is judged by 1.30 alone, and by a later release beside a claim of v1.
#[test]
fn fixes_of_several_files_are_those_of_the_report() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  resourceClaims:\n  - name: g\n    source:\n      resourceClaimName: c\n  containers: [{name: c, image: x, resources: {claims: [{name: g}]}}]\n";
    let claim = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {devices: {requests: [{name: g, exactly: {deviceClassName: x}}]}}\n";
    let mut host = Files::of(&[("r/claim.yaml", claim), ("r/pod.yaml", pod)]);
    host.run("validate --fix --diff r");
    assert!(host.out.contains("= fix: move it out of"), "{}", host.out);
    assert!(
        host.out.contains("+    resourceClaimName: c\n"),
        "{}",
        host.out
    );
    assert!(host.out.contains("1 fix could be applied"), "{}", host.out);
}

/// Equal names in one folder are no break of an upgrade.
#[test]
fn equal_names_of_several_clusters_do_not_break_an_upgrade() {
    let class =
        "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n";
    let mut host = Files::of(&[("x/dev/a.yaml", class), ("x/prod/a.yaml", class)]);
    host.run("validate --to 1.34 x");
    assert!(!host.out.contains("already exists"), "{}", host.out);
}

/// The server converts the stored object before it compares.
#[test]
fn a_stored_object_may_be_in_another_version() {
    let metadata = "metadata: {name: c, namespace: default, uid: 6e9c0b1e-0000-4000-8000-000000000001, resourceVersion: \"5\", creationTimestamp: \"2026-01-01T00:00:00Z\"}";
    let old = format!(
        "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\n{metadata}\nspec: {{devices: {{requests: [{{name: g, deviceClassName: x, allocationMode: ExactCount, count: 1}}]}}}}\n"
    );
    let new = |count: u8| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: c, namespace: default}}\nspec: {{devices: {{requests: [{{name: g, exactly: {{deviceClassName: x, count: {count}}}}}]}}}}\n"
        )
    };
    for (count, exit) in [(1, Exit::Fine), (2, Exit::Findings)] {
        let new = new(count);
        let mut host = Files::of(&[("old.yaml", &old), ("new.yaml", &new)]);
        assert_eq!(
            host.run("validate --old old.yaml new.yaml"),
            exit,
            "{}",
            host.out
        );
        assert!(!host.out.contains("stored-object"), "{}", host.out);
        assert_eq!(
            host.run("admit --old old.yaml new.yaml"),
            exit,
            "{}{}",
            host.out,
            host.err
        );
    }
}

/// Objects that no rule judges are neither good nor bad.
#[test]
fn settings_say_nothing_about_other_objects() {
    let other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n";
    let mut host = Files::of(&[
        ("a.yaml", other),
        ("s.yaml", "deviceClasses: {allow: [a.com]}\n"),
    ]);
    host.run("admit --settings s.yaml a.yaml");
    assert!(host.out.contains("pass: 0"), "{}{}", host.out, host.err);
    assert!(host.out.contains("skip: 1"), "{}", host.out);
}

/// A device without a driver has no domain for its attributes.
#[test]
fn a_device_without_a_driver_is_told_so() {
    let device = "attributes: {model: {string: A}}\n";
    let mut host = Files::of(&[("d.yaml", device)]);
    host.run("cel --device d.yaml device.driver=='a.com'");
    assert!(host.out.contains("given without `driver`"), "{}", host.out);
    let named = format!("driver: a.com\n{device}");
    let mut host = Files::of(&[("d.yaml", &named)]);
    host.run("cel --device d.yaml device.driver=='b.com'");
    assert!(!host.out.contains("given without"), "{}", host.out);
}

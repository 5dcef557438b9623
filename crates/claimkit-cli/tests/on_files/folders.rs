//! Folders as repositories have them: several clusters, kustomizations, charts, variables.

use crate::files::Files;
use claimkit_cli::Exit;

fn typed(files: &[(&str, &str)], line: &str) -> (Exit, String, String) {
    let mut host = Files::of(files);
    let exit = host.run(line);
    (exit, host.out, host.err)
}

const CLUSTER: &str = "apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s1}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices: [{name: a}, {name: b}]
";
const TEMPLATE: &str = "apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpus}
spec: {spec: {devices: {requests: [{name: one, exactly: {deviceClassName: gpu}}]}}}
";

#[test]
fn folders_with_their_own_settings_are_clusters_of_their_own() {
    let files = [
        ("envs/prod/claimkit.toml", ""),
        ("envs/prod/cluster.yaml", CLUSTER),
        ("envs/dev/claimkit.toml", "exclude = [\"old/**\"]\n"),
        ("envs/dev/cluster.yaml", CLUSTER),
        ("envs/dev/old/cluster.yaml", CLUSTER),
    ];
    let (exit, out, err) = typed(&files, "validate envs");
    assert_eq!(exit, Exit::Fine, "{out}{err}");
    assert_eq!(out, "checked 4 objects in 2 files: no problems\n", "{err}");
    let (_, out, _) = typed(&files, "audit envs");
    assert_eq!(
        out.matches("2 objects in 1 file: 0 errors").count(),
        2,
        "{out}"
    );
    // Files that are named are in the same clusters.
    let (_, out, _) = typed(
        &files,
        "validate envs/prod/cluster.yaml envs/dev/cluster.yaml",
    );
    assert_eq!(out, "checked 4 objects in 2 files: no problems\n");
    // Without settings of their own they are one.
    let other = CLUSTER.replace("{name: s1}", "{name: s2}");
    let both = [("a/cluster.yaml", CLUSTER), ("a/b/cluster.yaml", &other)];
    let (_, out, _) = typed(&both, "validate a");
    assert!(out.contains("device-twice"), "{out}");
}

#[test]
fn two_clusters_without_settings_are_told_apart_once() {
    const HELP: &str = "if these are two clusters, put a `claimkit.toml`, even an empty one, into the folder of each";
    let other = CLUSTER.replace("name: a}", "name: c}");
    let classes = other.replace(
        "spec: {}",
        "spec: {selectors: [{cel: {expression: 'true'}}]}",
    );
    let both = [
        ("envs/prod/cluster.yaml", CLUSTER),
        ("envs/dev/cluster.yaml", classes.as_str()),
    ];
    for verb in ["allocate", "audit"] {
        let (_, out, err) = typed(&both, &format!("{verb} envs"));
        let said = out + &err;
        assert_eq!(said.matches("different contents").count(), 2, "{said}");
        assert_eq!(said.matches(HELP).count(), 1, "{verb}: {said}");
    }
    // Files of one folder are of one cluster.
    let beside = [("envs/a.yaml", CLUSTER), ("envs/b.yaml", classes.as_str())];
    let (_, out, _) = typed(&beside, "audit envs");
    assert!(out.contains("different contents"), "{out}");
    assert!(!out.contains(HELP), "{out}");
}

#[test]
fn a_cluster_has_the_release_of_its_settings() {
    let files = [
        ("envs/old/claimkit.toml", "release = \"1.33\"\n"),
        (
            "envs/old/class.yaml",
            "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {}\n",
        ),
        ("envs/new/claimkit.toml", "release = \"1.34\"\n"),
        (
            "envs/new/class.yaml",
            "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {}\n",
        ),
    ];
    let (exit, out, _) = typed(&files, "validate envs");
    assert_eq!(exit, Exit::Findings);
    assert_eq!(out.matches("unknown-kind").count(), 1, "{out}");
    assert!(out.contains("envs/old/class.yaml"), "{out}");
}

#[test]
fn what_kubectl_never_gets_is_left_out_of_folders() {
    let files = [
        ("r/base/template.yaml", TEMPLATE),
        ("r/base/cluster.yaml", CLUSTER),
        (
            "r/overlay/kustomization.yaml",
            "resources: [../base]\npatches:\n- path: patch.yaml\n- patch: |-\n    apiVersion: resource.k8s.io/v1\n",
        ),
        (
            "r/overlay/patch.yaml",
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: gpus}\nspec: {spec: {devices: {requests: [{name: one, exactly: {count: 2}}]}}}\n",
        ),
        (
            "r/overlay/delete.yaml",
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: gone}\n$patch: delete\n",
        ),
        (
            "r/chart/templates/claim.yaml",
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: {{ .Release.Name }}\n",
        ),
        ("r/chart/values.yaml", "replicas: 2\n"),
        ("r/compose.yaml", "services: {web: {image: nginx}}\n"),
        (
            "r/flux.yaml",
            "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: \"x-${ENV}\"}\nspec: {}\n",
        ),
    ];
    let (exit, out, err) = typed(&files, "validate r");
    assert_eq!(exit, Exit::Fine, "{out}{err}");
    assert_eq!(out, "checked 4 objects in 3 files: no problems\n");
    // Whoever converts a folder is to know what still holds an old version.
    assert_eq!(
        err,
        "claimkit: left out: r/chart/templates/claim.yaml; these are templates: check what `helm template` prints of them\n\
         claimkit: left out: r/overlay/delete.yaml, r/overlay/kustomization.yaml, r/overlay/patch.yaml; these are for Kustomize: check what `kubectl kustomize` prints\n"
    );
    // They are checked where their tool prints them; whoever wants to know of all is told by the exit code.
    for (line, end) in [
        ("validate r --to 1.37", Exit::Fine),
        ("validate r --to 1.37 --warnings-as-errors", Exit::Findings),
        ("validate r --warnings-as-errors", Exit::Findings),
        ("convert r --to v1 --check", Exit::Fine),
        (
            "convert r --to v1 --check --warnings-as-errors",
            Exit::Findings,
        ),
        (
            "convert r --to v1 --warnings-as-errors -o json",
            Exit::Findings,
        ),
        (
            "validate r --warnings-as-errors --exclude r/overlay/** --exclude r/chart/**",
            Exit::Fine,
        ),
        ("convert r/overlay --to v1 --check", Exit::Unusable),
    ] {
        let (exit, out, err) = typed(&files, line);
        assert_eq!(exit, end, "{line}: {out}{err}");
    }
    // A file that is named is read as kubectl reads it.
    let (exit, ..) = typed(&files, "validate r/overlay/patch.yaml");
    assert_eq!(exit, Exit::Findings);
    let (exit, ..) = typed(&files, "validate r/flux.yaml");
    assert_eq!(exit, Exit::Findings);
}

/// Files that cannot be read before their variables are replaced are named, and their objects do not count as checked.
#[test]
fn files_with_variables_are_named_where_they_are_not_checked() {
    let head = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a, namespace: default}\n";
    let claim = |count: &str| {
        format!(
            "{head}spec:\n  devices:\n    requests:\n    - name: gpu\n      exactly: {{deviceClassName: gpu, allocationMode: ExactCount, count: {count}}}\n"
        )
    };
    let number = claim("\"${COUNT}\"");
    let flow = claim("${COUNT}");
    let files = [
        ("r/number.yaml", number.as_str()),
        ("r/flow.yaml", flow.as_str()),
        (
            "r/class.yaml",
            "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n",
        ),
    ];
    let (exit, out, err) = typed(&files, "validate r");
    assert_eq!(exit, Exit::Fine, "{out}{err}");
    assert_eq!(out, "checked 1 object in 3 files: no problems\n");
    assert_eq!(
        err,
        "claimkit: not checked: r/flow.yaml, r/number.yaml; variables are replaced in them first: check what `flux build` or `envsubst` prints\n"
    );
    let (exit, ..) = typed(&files[..1], "validate r");
    assert_eq!(exit, Exit::Unusable);
}

/// A file that kubectl reads is no template: `{{ … }}` in its strings is for another tool.
#[test]
fn a_file_that_is_read_is_no_template() {
    let class =
        "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n";
    let workflow = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {{name: w}}\nspec:\n  args:\n  - \"{{{{inputs.parameters.x}}}}\"\n{class}"
    );
    let files = [
        ("r/workflow.yaml", workflow.as_str()),
        ("r/templates/workflow.yaml", workflow.as_str()),
    ];
    let (exit, out, err) = typed(&files, "validate r");
    assert_eq!(exit, Exit::Fine, "{out}{err}");
    assert!(
        out.starts_with("checked 1 object in 1 file: no problems"),
        "{out}"
    );
    assert!(err.contains("left out: r/templates/workflow.yaml"), "{err}");
}

/// Kustomize finds the target of a patch by its `apiVersion`: where the target is converted, the patch is named.
#[test]
fn patches_of_converted_objects_are_named() {
    let files = [
        (
            "r/base/class.yaml",
            "apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n",
        ),
        (
            "r/overlay/kustomization.yaml",
            "resources: [../base]\npatches:\n- path: patch.yaml\n- path: other.yaml\n  target:\n    group: resource.k8s.io\n    version: v1beta1\n    kind: DeviceClass\n",
        ),
        (
            "r/overlay/patch.yaml",
            "apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {config: []}\n",
        ),
    ];
    let (_, out, err) = typed(&files, "convert --to v1 r");
    assert!(out.contains("resource.k8s.io/v1\n"), "{out}");
    for line in [
        "r/overlay/kustomization.yaml:7: objects of `resource.k8s.io/v1beta1` are converted, and this chooses them by their version: write `version: v1`\n",
        "r/overlay/patch.yaml:1: the patch is for `resource.k8s.io/v1beta1`, and its target is converted: write `resource.k8s.io/v1`\n",
    ] {
        assert!(err.contains(line), "{err}");
    }
    let (_, _, err) = typed(&files, "convert --to v1beta1 r");
    assert!(!err.contains("the patch is for"), "{err}");
    // Programs read the same.
    let (_, out, _) = typed(&files, "convert --to v1 -o json r");
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        answer["kustomize"][1],
        serde_json::json!({
            "file": "r/overlay/patch.yaml",
            "line": 1,
            "message": "the patch is for `resource.k8s.io/v1beta1`, and its target is converted: write `resource.k8s.io/v1`",
        })
    );
    let (_, out, _) = typed(&files, "convert --to v1beta1 -o json r");
    assert!(!out.contains("kustomize"), "{out}");
}

/// kubectl reads UTF-16 only with a byte order mark: without one the file is refused, also in a folder.
#[test]
fn utf16_without_a_mark_is_refused_by_name() {
    for bytes_of in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
        let mut host = Files::of(&[("r/class.yaml", CLUSTER)]);
        let wide = CLUSTER.encode_utf16().flat_map(bytes_of).collect();
        host.files.insert("r/wide.yaml".to_owned(), wide);
        assert_eq!(host.run("validate r"), Exit::Findings);
        assert!(
            host.out.contains("r/wide.yaml:1:")
                && host
                    .out
                    .contains("yaml: control characters are not allowed"),
            "{}",
            host.out
        );
    }
}

/// All files of a kustomization are read, in every form that names a version or a place of a request.
#[test]
fn every_form_of_a_kustomization_is_read() {
    let files = [
        (
            "r/base/claim.yaml",
            "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {devices: {requests: [{name: g, deviceClassName: gpu, count: 2}]}}\n",
        ),
        (
            "r/overlay/kustomization.yaml",
            "resources: [../base]
patches:
- path: ops.json
  target: {kind: ResourceClaim, version: v1beta1}
- path: ops.yaml
  target: {kind: ResourceClaim}
- patch: |-
    apiVersion: resource.k8s.io/v1beta1
    kind: ResourceClaim
    metadata: {name: c}
    spec: {devices: {requests: [{name: g, deviceClassName: mig}]}}
replacements:
- sourceValue: x
  targets:
  - select: {kind: ResourceClaim}
    fieldPaths: [spec.devices.requests.0.count]
- path: replacement.yaml
",
        ),
        (
            "r/overlay/ops.json",
            r#"[{"op": "remove", "path": "/spec/devices/requests/0/count"}]"#,
        ),
        (
            "r/overlay/ops.yaml",
            "- op: add\n  path: /spec/devices/requests/-\n  value: {name: x, deviceClassName: y}\n",
        ),
        (
            "r/overlay/replacement.yaml",
            "- sourceValue: x\n  targets:\n  - fieldPaths: ['spec.devices.requests.[name=g].count']\n",
        ),
    ];
    let (_, _, err) = typed(&files, "convert --to v1 r");
    for line in [
        "kustomization.yaml:4: objects of `resource.k8s.io/v1beta1` are converted, and this chooses them by their version: write `version: v1`\n",
        "kustomization.yaml:8: the patch is for `resource.k8s.io/v1beta1`, and its target is converted: write `resource.k8s.io/v1`, and put the fields of its requests but `name` under `exactly`\n",
        "kustomization.yaml:16: `spec.devices.requests.0.count` points into an object of an older version: if its target is converted, write `spec.devices.requests.0.exactly.count`\n",
        "ops.json:1: `/spec/devices/requests/0/count` points into",
        "ops.yaml:2: what `/spec/devices/requests/-` adds is a request of an older version: if its target is converted, put its fields but `name` under `exactly`\n",
        "replacement.yaml:3: `spec.devices.requests.[name=g].count` points into",
    ] {
        assert!(err.contains(&format!("r/overlay/{line}")), "{line}: {err}");
    }
}

/// A request has another shape in v1: a patch of it needs more than another version.
#[test]
fn patches_of_requests_need_another_shape() {
    let claim = "apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: g, deviceClassName: gpu, count: 2}]}}
";
    let files = [
        ("r/base/claim.yaml", claim),
        ("r/overlay/patch.yaml", claim),
        (
            "r/overlay/kustomization.yaml",
            "resources: [../base]
patches:
- path: patch.yaml
- target: {group: resource.k8s.io, kind: ResourceClaim}
  patch: |-
    - op: replace
      path: /spec/devices/requests/0/count
      value: 1
",
        ),
    ];
    let (_, _, err) = typed(&files, "convert --to v1 r");
    for line in [
        "r/overlay/kustomization.yaml:7: `/spec/devices/requests/0/count` points into an object of an older version: if its target is converted, write `/spec/devices/requests/0/exactly/count`\n",
        "r/overlay/patch.yaml:1: the patch is for `resource.k8s.io/v1beta1`, and its target is converted: convert the patch too: `claimkit convert -i --to v1 r/overlay/patch.yaml`\n",
    ] {
        assert!(err.contains(line), "{err}");
    }
    let (_, out, _) = typed(&files, "convert --to v1 r/overlay/patch.yaml");
    assert!(
        out.contains("exactly: {deviceClassName: gpu, count: 2}"),
        "{out}"
    );
}

#[test]
fn devices_are_given_as_a_slice_lists_them() {
    let files = [(
        "devices.yaml",
        "- name: a\n  attributes: {size: {int: 1}}\n- name: b\n",
    )];
    let (_, out, err) = typed(&files, "cel true --device devices.yaml");
    for device in ["a", "b"] {
        assert!(out.contains(&format!("\n{device}: matches")), "{out}{err}");
    }
}

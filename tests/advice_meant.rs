//! Advice that does what the user meant: obeyed, it removes its finding, adds none, and keeps what was written.

use crate::support::ask;
use crate::support::fixes::apply;
use serde_json::{Value, json};

fn validate(release: &str, text: &str) -> Value {
    ask(&json!({"verb": "validate", "release": release, "text": text}))
}

fn findings(answer: &Value) -> &[Value] {
    answer["findings"].as_array().unwrap()
}

/// The help of each finding with a code.
fn helps(release: &str, text: &str, code: &str) -> Vec<String> {
    let answer = validate(release, text);
    let with_code = findings(&answer)
        .iter()
        .filter(|finding| finding["code"] == code);
    with_code
        .map(|finding| finding["help"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// The help of the only finding with a code.
fn help(release: &str, text: &str, code: &str) -> String {
    let mut all = helps(release, text, code);
    assert_eq!(all.len(), 1, "{all:?} {}", validate(release, text));
    all.remove(0)
}

fn object(version: &str, kind: &str, rest: &str) -> String {
    format!("apiVersion: resource.k8s.io/{version}\nkind: {kind}\nmetadata: {{name: a}}\n{rest}\n")
}

fn claim(devices: &str) -> String {
    object(
        "v1",
        "ResourceClaim",
        &format!("spec: {{devices: {{{devices}}}}}"),
    )
}

fn rule(spec: &str) -> String {
    object("v1", "DeviceTaintRule", &format!("spec: {{{spec}}}"))
}

/// Applies the first fix of a code; the text must then have no errors.
fn fixed(text: &str, code: &str) -> String {
    let answer = validate("1.37", text);
    let with_fix = findings(&answer)
        .iter()
        .find(|finding| finding["code"] == code && finding["fixes"][0].is_object());
    let with_fix = with_fix.unwrap_or_else(|| panic!("{answer}"));
    let fixed = apply(text, &with_fix["fixes"][0]);
    let after = validate("1.37", &fixed);
    assert_eq!(after["ok"], true, "{fixed}\n{after}");
    fixed
}

/// Without the field the rule would be about more devices.
#[test]
fn a_rule_keeps_to_what_was_meant() {
    let taint = "taint: {key: a, effect: NoExecute}";
    for field in ["nodeName: n0", "driver: a.com, node: n0"] {
        let text = rule(&format!("deviceSelector: {{{field}}}, {taint}"));
        let said = help("1.37", &text, "unknown-field");
        assert!(
            said.starts_with("devices are not selected by node: name `pool`"),
            "{said}"
        );
    }
    let other = rule(&format!(
        "deviceSelector: {{driver: a.com, labels: {{a: b}}}}, {taint}"
    ));
    let said = help("1.37", &other, "unknown-field");
    assert!(
        said.starts_with("the fields here are `driver`, `pool`, `device`"),
        "{said}"
    );
    let message = |selector: &str| {
        let answer = validate(
            "1.37",
            &rule(&format!("deviceSelector: {selector}, {taint}")),
        );
        let found = findings(&answer)
            .iter()
            .find(|finding| finding["code"] == "taint-rule-selects-all");
        found.unwrap()["message"].as_str().unwrap().to_owned()
    };
    let unknown = "no field of `deviceSelector` is known, so it counts as empty: ";
    assert!(message("{nodeName: n0}").starts_with(unknown));
    assert!(message("{}").starts_with("an empty `deviceSelector`"));
}

#[test]
fn amounts_and_values_go_under_the_map_that_holds_them() {
    let request = |capacity: &str| {
        claim(&format!(
            "requests: [{{name: g, exactly: {{deviceClassName: c, capacity: {{{capacity}}}}}}}]"
        ))
    };
    let amounts = request("memory: 10Gi, cores: 2");
    assert_eq!(
        fixed(&amounts, "unknown-field"),
        request("requests: {memory: 10Gi, cores: 2}")
    );
    let device = |fields: &str| {
        object(
            "v1",
            "ResourceSlice",
            &format!(
                "spec: {{driver: a.com, nodeName: node, pool: {{name: p, generation: 1, resourceSliceCount: 1}}, devices: [{{name: a, {fields}}}]}}"
            ),
        )
    };
    for (written, meant) in [
        ("model: {string: x}", "attributes: {model: {string: x}}"),
        ("memory: {value: 1Gi}", "capacity: {memory: {value: 1Gi}}"),
    ] {
        assert_eq!(fixed(&device(written), "unknown-field"), device(meant));
    }
}

#[test]
fn a_known_place_is_named() {
    let request = "requests: [{name: g, exactly: {deviceClassName: c}}]";
    for field in [
        "count: 2",
        "allocationMode: All",
        "tolerations: []",
        "selectors: []",
    ] {
        let name = field.split(':').next().unwrap();
        let said = format!("`{name}` belongs to a request: `spec.devices.requests[].exactly`");
        let text = claim(&format!("{request}, {field}"));
        assert_eq!(help("1.37", &text, "unknown-field"), said);
        let old = object(
            "v1beta1",
            "ResourceClaim",
            &format!("spec: {{devices: {{requests: [{{name: g, deviceClassName: c}}], {field}}}}}"),
        );
        assert_eq!(
            help("1.37", &old, "unknown-field"),
            format!("`{name}` belongs to a request: `spec.devices.requests[]`")
        );
    }
    for (release, text, said) in [
        (
            "1.37",
            object(
                "v1",
                "ResourceClaim",
                &format!("spec: {{count: 2, devices: {{{request}}}}}"),
            ),
            "`count` belongs to a request: `spec.devices.requests[].exactly`",
        ),
        (
            "1.37",
            object("v1", "DeviceClass", "spec: {driverName: a.com}"),
            "a DeviceClass names no driver: select its devices in `selectors`: `device.driver == \"…\"`",
        ),
        (
            "1.37",
            object(
                "v1",
                "ResourceClaimTemplate",
                &format!("template: {{spec: {{devices: {{{request}}}}}}}"),
            ),
            "the claims of a ResourceClaimTemplate are written under `spec.spec`, not under `template`",
        ),
        (
            "1.37",
            object(
                "v1",
                "ResourceSlice",
                "spec: {driver: a.com, nodeName: node, poolName: p, pool: {name: p, generation: 1, resourceSliceCount: 1}}",
            ),
            "`poolName` is `name` under `pool`: write `pool: {name: …}`",
        ),
        (
            "1.37",
            claim("requests: [{name: g, exactly: {className: c}}]"),
            "did you mean `deviceClassName`?",
        ),
        (
            "1.30",
            object("v1alpha2", "ResourceClaim", "spec: {className: c}"),
            "did you mean `resourceClassName`?",
        ),
    ] {
        assert_eq!(help(release, &text, "unknown-field"), said, "{text}");
    }
}

/// A field is renamed only where its value is of the right type, or can be made the only entry of a list.
#[test]
fn a_rename_makes_no_other_error() {
    let class = |selectors: &str| object("v1", "DeviceClass", &format!("spec: {{{selectors}}}"));
    let selector = "{cel: {expression: \"device.driver == 'a.com'\"}}";
    assert_eq!(
        fixed(&class(&format!("selector: {selector}")), "unknown-field"),
        class(&format!("selectors: [{selector}]"))
    );
    let block = |list: &str| object("v1", "ResourceClaim", &format!("spec:\n  devices:\n{list}"));
    assert_eq!(
        fixed(
            &block("    request:\n      name: g\n      exactly:\n        deviceClassName: c"),
            "unknown-field"
        ),
        block("    requests:\n      - name: g\n        exactly:\n          deviceClassName: c")
    );
    let exactly = |field: &str| {
        claim(&format!(
            "requests: [{{name: g, exactly: {{deviceClassName: c, {field}}}}}]"
        ))
    };
    for (text, said) in [
        (
            rule("taints: [{key: a, effect: NoExecute}]"),
            "did you mean `taint`? Its value is a map",
        ),
        (
            exactly("cout: two"),
            "did you mean `count`? Its value is a whole number",
        ),
        (
            exactly("selektors: [a]"),
            "did you mean `selectors`? Its value is a list of maps",
        ),
        (
            exactly("adminAcces: 'yes'"),
            "did you mean `adminAccess`? Its value is `true` or `false`",
        ),
    ] {
        let answer = validate("1.37", &text);
        let unknown = findings(&answer)
            .iter()
            .find(|finding| finding["code"] == "unknown-field")
            .unwrap();
        assert_eq!(
            (&unknown["help"], &unknown["fixes"]),
            (&json!(said), &json!([])),
            "{text}"
        );
    }
    assert_eq!(
        fixed(&exactly("cuont: 2"), "unknown-field"),
        exactly("count: 2")
    );
}

/// One fault of a pod has its fix on the error that says it, and no advice to lose the name.
#[test]
fn names_of_a_pods_claim_are_moved() {
    let pod = |entry: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  resourceClaims: [{entry}]\n  containers: [{{name: c, image: x, resources: {{claims: [{{name: g}}]}}}}]\n"
        )
    };
    let nested = pod("{name: g, source: {resourceClaimTemplateName: t}}");
    let flat = pod("{name: g, resourceClaimTemplateName: t}");
    for (release, wrong, right, unknown, required) in [
        (
            "1.37",
            &nested,
            &flat,
            "from Kubernetes 1.31 on the name is directly in the entry: move it out of `source`",
            "the name is under `source`, where Kubernetes 1.37.2 does not look for it: write it directly in the entry",
        ),
        (
            "1.30",
            &flat,
            &nested,
            "up to Kubernetes 1.30 the name is under `source`",
            "the name is directly in the entry, where Kubernetes 1.30.14 does not look for it: write it under `source`",
        ),
    ] {
        let answer = validate(release, wrong);
        let all = findings(&answer).iter();
        let errors: Vec<&Value> = all
            .filter(|finding| finding["severity"] != "info")
            .collect();
        let codes: Vec<&Value> = errors.iter().map(|error| &error["code"]).collect();
        assert_eq!(codes, ["unknown-field", "pod-claims-invalid"], "{answer}");
        assert_eq!(
            (&errors[0]["help"], &errors[1]["help"]),
            (&json!(unknown), &json!(required))
        );
        let fixed = apply(wrong, &errors[0]["fixes"][0]);
        assert_eq!(
            (fixed.as_str(), validate(release, &fixed)["ok"].as_bool()),
            (right.as_str(), Some(true))
        );
    }
    // Nothing is in it that could be moved.
    let empty = pod("{name: g, source: {}}");
    assert!(help("1.37", &empty, "unknown-field").ends_with("leave `source` out"));
}

#[test]
fn a_misplaced_list_of_claims_is_said_to_be_misplaced() {
    let list = "resourceClaims: [{name: gpu, resourceClaimName: t}]";
    let uses = "resources: {claims: [{name: gpu}]}";
    for (text, said) in [
        (
            format!("spec: {{template: {{spec: {{containers: [{{name: c, {uses}, {list}}}]}}}}}}"),
            "`resourceClaims` is in `spec.template.spec.containers[0]`: move it to `spec.template.spec`",
        ),
        (
            format!("spec: {{template: {{{list}, spec: {{containers: [{{name: c, {uses}}}]}}}}}}"),
            "`resourceClaims` is in `spec.template`: move it to `spec.template.spec`",
        ),
        (
            format!("spec: {{{list}, template: {{spec: {{containers: [{{name: c, {uses}}}]}}}}}}"),
            "`resourceClaims` is in `spec`: move it to `spec.template.spec`",
        ),
    ] {
        let text =
            format!("apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: p}}\n{text}\n");
        assert_eq!(help("1.37", &text, "pod-claim-undefined"), said);
    }
}

/// The cause is the field whose gate makes the error go, and leaving out what the server drops changes nothing.
#[test]
fn an_error_comes_from_the_dropped_field_that_causes_it() {
    let slice = object(
        "v1",
        "ResourceSlice",
        "spec: {driver: a.com, perDeviceNodeSelection: true, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{name: a, nodeName: n1}]}",
    );
    let dropped = |path: &str, gate: &str| {
        format!(
            "this comes from `{path}`, which the server dropped first: switch the feature gate {gate} on, or use fields that the server keeps"
        )
    };
    assert_eq!(
        help("1.35", &slice, "node-selection-invalid"),
        dropped("spec.perDeviceNodeSelection", "DRAPartitionableDevices")
    );
    for constraints in ["", ", constraints: [{distinctAttribute: a/b}]"] {
        let claim = object(
            "v1beta1",
            "ResourceClaim",
            &format!(
                "spec: {{devices: {{requests: [{{name: g, firstAvailable: [{{name: a, deviceClassName: c}}]}}]{constraints}}}}}"
            ),
        );
        let helps = helps("1.33", &claim, "request-shape");
        assert_eq!(
            helps,
            [dropped(
                "spec.devices.requests[0].firstAvailable",
                "DRAPrioritizedList"
            )],
            "{}",
            validate("1.33", &claim)
        );
    }
}

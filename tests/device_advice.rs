//! Advice about objects of the device family: corrections and fixes.

use crate::support::fixes::apply;
use serde_json::{Value, json};

fn ask(release: &str, text: &str) -> Value {
    let request = json!({"verb": "validate", "release": release, "text": text});
    crate::support::ask(&request)
}

/// The findings with a code.
fn found(release: &str, text: &str, code: &str) -> Vec<Value> {
    let answer = ask(release, text);
    let findings = answer["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["code"] == code)
        .cloned()
        .collect()
}

fn help(release: &str, text: &str, code: &str) -> String {
    let found = found(release, text, code);
    let first = found
        .first()
        .unwrap_or_else(|| panic!("no {code}: {}", ask(release, text)));
    first["help"].as_str().unwrap_or_default().to_owned()
}

fn object(version: &str, kind: &str, spec: &str) -> String {
    format!(
        "apiVersion: resource.k8s.io/{version}\nkind: {kind}\nmetadata: {{name: a}}\nspec:\n{spec}"
    )
}

fn slice(version: &str, devices: &str) -> String {
    let head = "  driver: d.example.com\n  nodeName: node\n  pool: {name: p, generation: 1, resourceSliceCount: 1}\n";
    object(version, "ResourceSlice", &format!("{head}{devices}"))
}

/// A claim of v1 with one request called `r`, whose other lines are these.
fn claim_with_request(lines: &str) -> String {
    claim_in("v1", lines)
}

fn claim_in(version: &str, lines: &str) -> String {
    let devices = format!("  devices:\n    requests:\n    - name: r\n{lines}");
    object(version, "ResourceClaim", &devices)
}

/// A slice of v1 with one device called `a`, whose other lines are these.
fn slice_with_device(lines: &str) -> String {
    slice("v1", &format!("  devices:\n  - name: a\n{lines}"))
}

/// Applies the first fix of the first finding with a code; the server must then accept the text.
fn mended(release: &str, text: &str, code: &str) -> String {
    let found = found(release, text, code);
    let fixed = apply(text, &found[0]["fixes"][0]);
    let answer = ask(release, &fixed);
    assert_eq!(answer["ok"], true, "{fixed}\n{answer}");
    fixed
}

#[test]
fn a_letter_too_few_is_likelier_than_a_field_of_another_place() {
    let text = object(
        "v1",
        "ResourceClaim",
        "  devices:\n    request:\n    - name: gpu\n      exactly: {deviceClassName: gpu}\n",
    );
    assert_eq!(
        help("1.36", &text, "unknown-field"),
        "did you mean `requests`?"
    );
    assert!(mended("1.36", &text, "unknown-field").contains("    requests:\n"));
    let elsewhere = object("v1", "ResourceClaim", "  reservedFor: []\n");
    assert_eq!(
        help("1.36", &elsewhere, "unknown-field"),
        "`reservedFor` is a field of `status` only, which the cluster writes: leave it out"
    );
}

#[test]
fn fields_move_to_where_the_version_has_them() {
    let flat = "  devices:
    requests:
    - name: gpu
      # of whom
      deviceClassName: gpu  # this one
      selectors:
      - cel:
          expression: |-
            device.driver ==
              \"a\"
      count: 2
    - {name: b, deviceClassName: gpu}
";
    let nested = "  devices:
    requests:
    - name: gpu
      # of whom
      exactly:
        deviceClassName: gpu  # this one
        selectors:
        - cel:
            expression: |-
              device.driver ==
                \"a\"
        count: 2
    - {name: b, deviceClassName: gpu}
";
    let claim = |version: &str, spec: &str| object(version, "ResourceClaim", spec);
    let first = |text: &str, release: &str| {
        apply(text, &found(release, text, "unknown-field")[0]["fixes"][0])
    };
    let once = first(&claim("v1", flat), "1.36");
    assert_eq!(once, claim("v1", nested));
    let twice = mended("1.36", &once, "unknown-field");
    assert!(
        twice.contains("    - {name: b, exactly: {deviceClassName: gpu}}\n"),
        "{twice}"
    );
    // And back.
    let back = first(&twice.replace("/v1\n", "/v1beta1\n"), "1.36");
    assert_eq!(
        back,
        claim("v1beta1", flat).replace(
            "{name: b, deviceClassName: gpu}",
            "{name: b, exactly: {deviceClassName: gpu}}"
        )
    );
    assert_eq!(
        mended("1.36", &back, "unknown-field"),
        claim("v1beta1", flat)
    );
}

#[test]
fn fields_move_in_json_and_across_brackets() {
    let json = r#"{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"a"},"spec":{"devices":{"requests":[{"name":"a","deviceClassName":"c","count":2}]}}}"#;
    let fixed = mended("1.36", json, "unknown-field");
    assert!(
        fixed.contains(r#"{"name":"a","exactly": {"deviceClassName":"c","count":2}}"#),
        "{fixed}"
    );
    let brackets = object(
        "v1beta1",
        "ResourceClaim",
        "  devices:\n    requests:\n    - name: a\n      exactly: {deviceClassName: c, count: 2}\n",
    );
    let fixed = mended("1.36", &brackets, "unknown-field");
    assert!(
        fixed.ends_with("    - name: a\n      deviceClassName: c\n      count: 2\n"),
        "{fixed}"
    );
    // A comment in between stays before the field.
    let comment = object(
        "v1beta1",
        "ResourceClaim",
        "  devices:\n    requests:\n    - name: a\n      exactly: # so\n        deviceClassName: c\n",
    );
    let fixed = mended("1.36", &comment, "unknown-field");
    assert!(
        fixed.ends_with("    - name: a\n      # so\n      deviceClassName: c\n"),
        "{fixed}"
    );
}

#[test]
fn devices_lose_and_get_their_wrapper() {
    let basic = slice(
        "v1",
        "  devices:\n  - name: a\n    basic:\n      attributes: {x: {int: 1}}\n",
    );
    let fixed = mended("1.36", &basic, "unknown-field");
    assert!(
        fixed.ends_with("  - name: a\n    attributes: {x: {int: 1}}\n"),
        "{fixed}"
    );
    let bare = fixed.replace("/v1\n", "/v1beta1\n");
    assert_eq!(
        mended("1.36", &bare, "unknown-field"),
        basic.replace("/v1\n", "/v1beta1\n")
    );
}

#[test]
fn values_get_the_field_that_holds_them() {
    let text = |value: &str| slice_with_device(&format!("    capacity: {{memory: {value}}}\n"));
    assert_eq!(
        mended("1.36", &text("80Gi"), "type-mismatch"),
        text("{value: 80Gi}")
    );
    assert_eq!(
        mended("1.36", &text("80"), "type-mismatch"),
        text("{value: 80}")
    );
    let older = |value: &str| {
        slice(
            "v1alpha3",
            &format!("  devices:\n  - name: a\n    basic: {{capacity: {{memory: {value}}}}}\n"),
        )
    };
    assert_eq!(
        mended("1.31", &older("{value: 80Gi}"), "type-mismatch"),
        older("80Gi")
    );
    let block = |value: &str| {
        slice(
            "v1alpha3",
            &format!(
                "  devices:\n  - name: a\n    basic:\n      capacity:\n        memory:{value} # all\n"
            ),
        )
    };
    assert_eq!(
        mended("1.31", &block("\n          value: 80Gi"), "type-mismatch"),
        block(" 80Gi")
    );
    let attribute =
        |value: &str| slice_with_device(&format!("    attributes:\n      x: {value}\n"));
    for (bare, field) in [
        ("a100", "string"),
        ("\"a, b\"", "string"),
        ("3", "int"),
        ("true", "bool"),
    ] {
        assert_eq!(
            mended("1.36", &attribute(bare), "type-mismatch"),
            attribute(&format!("{{{field}: {bare}}}"))
        );
    }
}

/// A whole number of JSON is one, too.
#[test]
fn numbers_of_json_have_the_advice_of_yaml() {
    let text = |value: &str| {
        format!(
            "{{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"ResourceSlice\", \"metadata\": {{\"name\": \"a\"}}, \"spec\": {{\"driver\": \"d.example.com\", \"nodeName\": \"n0\", \"pool\": {{\"name\": \"n0\", \"generation\": 1, \"resourceSliceCount\": 1}}, \"devices\": [{{\"name\": \"a\", \"attributes\": {{\"x\": {value}}}}}]}}}}"
        )
    };
    assert_eq!(
        mended("1.36", &text("3"), "type-mismatch"),
        text("{\"int\": 3}")
    );
    let claim = |key: &str| {
        format!(
            "{{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"ResourceClaim\", \"metadata\": {{\"name\": \"a\"}}, \"spec\": {{\"devices\": {{\"requests\": [{{\"name\": \"g\", \"exactly\": {{\"deviceClassName\": \"c\", \"{key}\": 2}}}}]}}}}}}"
        )
    };
    assert_eq!(
        mended("1.36", &claim("Count"), "unknown-field"),
        claim("count")
    );
}

/// `string:A100` is one word: the value is `A100`, and the blank behind the colon is missing.
#[test]
fn a_field_without_a_blank_behind_its_colon_is_not_a_value() {
    let attribute = |value: &str| slice_with_device(&format!("    attributes:\n      x:{value}\n"));
    let capacity = |value: &str| attribute(value).replace("attributes", "capacity");
    for (word, entry) in [
        ("string:A100", "string: A100"),
        ("version:1.2.3", "version: 1.2.3"),
        ("int:0", "int: 0"),
        ("bool:true", "bool: true"),
    ] {
        assert_eq!(
            mended(
                "1.37",
                &attribute(&format!("\n        {word}")),
                "type-mismatch"
            ),
            attribute(&format!("\n        {entry}"))
        );
        assert_eq!(
            mended("1.37", &attribute(&format!(" {word}")), "type-mismatch"),
            attribute(&format!(" {{{entry}}}"))
        );
    }
    assert_eq!(
        mended("1.37", &capacity("\n        value:40Gi"), "type-mismatch"),
        capacity("\n        value: 40Gi")
    );
    assert_eq!(
        mended("1.37", &capacity(" value:40Gi"), "type-mismatch"),
        capacity(" {value: 40Gi}")
    );
    for (unclear, said) in [
        (
            "string:1.5",
            "`string:1.5` is one word: write `int` or `bool` or `string` or `version`, a space after the colon, and a value of this type",
        ),
        (
            "strng:A100",
            "`strng:A100` is one word: write `int` or `bool` or `string` or `version`, a space after the colon, and a value of this type",
        ),
        (
            "1.2.3",
            "an attribute names its type: write `{version: 1.2.3}`, or `{string: 1.2.3}`",
        ),
    ] {
        let text = attribute(&format!(" {unclear}"));
        let finding = &found("1.37", &text, "type-mismatch")[0];
        assert_eq!(finding["help"], said, "{unclear}");
        assert_eq!(finding["fixes"], json!([]), "{unclear}");
    }
    // A word with a colon that is not a field.
    assert_eq!(
        mended("1.37", &attribute(" pci:0000"), "type-mismatch"),
        attribute(" {string: pci:0000}")
    );
}

#[test]
fn scalars_of_another_type_are_named() {
    for (lines, said) in [
        (
            "      exactly: {deviceClassName: c, count: two}\n",
            "write the number in digits: `count: 2`",
        ),
        (
            "      exactly: {deviceClassName: c, count: '+2'}\n",
            "write the number in digits: `2`",
        ),
        (
            "      exactly: {deviceClassName: c, count: many}\n",
            "write a whole number here",
        ),
        (
            "      exactly: {deviceClassName: c, count: 1.5}\n",
            "write a whole number here",
        ),
        (
            "      exactly: {deviceClassName: c, adminAccess: ja}\n",
            "write `true` or `false` here",
        ),
        (
            "      exactly: {deviceClassName: {name: c}}\n",
            "write a string here",
        ),
        // The server's words say enough.
        (
            "      exactly: {deviceClassName: c, count: 99999999999999999999}\n",
            "",
        ),
    ] {
        let text = claim_with_request(lines);
        assert_eq!(help("1.37", &text, "type-mismatch"), said, "{lines}");
    }
}

#[test]
fn a_range_needs_its_smallest_amount() {
    let text = slice_with_device(
        "    allowMultipleAllocations: true\n    capacity: {memory: {value: 8Gi, requestPolicy: {default: 1Gi, validRange: {max: 2Gi}}}}\n",
    );
    assert_eq!(
        help("1.37", &text, "request-policy-invalid"),
        "write `min`: the smallest amount that a request gets"
    );
}

#[test]
fn quantities_as_people_write_them() {
    let text =
        |value: &str| slice_with_device(&format!("    capacity: {{memory: {{value: {value}}}}}\n"));
    for (written, meant) in [
        ("6 GiB", "6Gi"),
        ("6GiB", "6Gi"),
        ("\"6 Gi\"", "\"6Gi\""),
        ("1.5 gi", "1.5Gi"),
        ("40GB", "40G"),
        ("512 MB", "512M"),
        ("1K", "1k"),
    ] {
        assert_eq!(mended("1.36", &text(written), "type-mismatch"), text(meant));
    }
    for unclear in ["much", "6 g", "6 XB", "GiB"] {
        assert_eq!(
            found("1.36", &text(unclear), "type-mismatch")[0]["fixes"],
            json!([]),
            "{unclear}"
        );
    }
}

#[test]
fn limits_are_told_as_a_budget() {
    let requests = |count: usize| {
        let list: String = (0..count)
            .map(|n| format!("    - {{name: r{n}, exactly: {{deviceClassName: c}}}}\n"))
            .collect();
        object(
            "v1",
            "ResourceClaim",
            &format!("  devices:\n    requests:\n{list}"),
        )
    };
    assert_eq!(
        help("1.36", &requests(33), "list-too-long"),
        "33 requests, 32 allowed"
    );
    assert_eq!(
        found("1.36", &requests(32), "list-too-long"),
        Vec::<Value>::new()
    );
    let devices = |count: usize, more: &str| {
        let list: String = (0..count)
            .map(|n| format!("  - {{name: d{n}{more}}}\n"))
            .collect();
        slice("v1", &format!("  devices:\n{list}"))
    };
    let other = "; write the others into another slice of the pool";
    let features = "where a device uses taints, counters or attribute lists";
    assert_eq!(
        help("1.36", &devices(129, ""), "list-too-long"),
        format!("129 devices, 128 allowed, 64 {features}{other}")
    );
    assert_eq!(
        help(
            "1.36",
            &devices(65, ", taints: [{key: a, effect: NoSchedule}]"),
            "list-too-long"
        ),
        format!("65 devices, 64 allowed {features}, 128 otherwise{other}")
    );
    assert_eq!(
        help("1.34", &devices(129, ""), "list-too-long"),
        format!("129 devices, 128 allowed{other}")
    );
    let flat = requests(33)
        .replace("/v1\n", "/v1alpha3\n")
        .replace("exactly: {deviceClassName: c}", "deviceClassName: c");
    assert_eq!(
        help("1.31", &flat, "list-too-long"),
        "33 requests, 32 allowed"
    );
    let attributes: Vec<String> = (0..33).map(|n| format!("a{n}: {{int: 1}}")).collect();
    let large = slice_with_device(&format!("    attributes: {{{}}}\n", attributes.join(", ")));
    assert_eq!(
        help("1.36", &large, "device-too-large"),
        "33 attributes and capacities, 32 allowed"
    );
}

#[test]
fn keys_that_are_no_identifiers() {
    let told = |key: &str| {
        help(
            "1.36",
            &slice_with_device(&format!("    attributes: {{{key}: {{int: 1}}}}\n")),
            "qualified-name-invalid",
        )
    };
    assert!(
        told("gpu-model").starts_with("write `gpu_model`: "),
        "{}",
        told("gpu-model")
    );
    assert!(told("a.example.com/pci-root.id").starts_with("write `a.example.com/pci_root_id`: "));
    assert!(told("3d").starts_with("write `_3d`: "));
}

#[test]
fn fields_of_the_classic_family() {
    let text = object(
        "v1",
        "ResourceClaim",
        "  resourceClassName: gpu\n  allocationMode: Immediate\n  parametersRef: {kind: A, name: b}\n",
    );
    let help: Vec<String> = found("1.36", &text, "unknown-field")
        .iter()
        .map(|finding| finding["help"].as_str().unwrap().to_owned())
        .collect();
    assert!(
        help[2].ends_with("`spec.devices.requests[0].exactly.deviceClassName`"),
        "{help:?}"
    );
    assert!(help[0].contains("leave it out"), "{help:?}");
    assert!(
        help[1].contains("`spec.devices.config[].opaque`"),
        "{help:?}"
    );
    let template = object(
        "v1beta1",
        "ResourceClaimTemplate",
        "  spec:\n    resourceClassName: gpu\n",
    );
    assert!(
        self::help("1.36", &template, "unknown-field")
            .ends_with("`spec.spec.devices.requests[0].deviceClassName`")
    );
}

#[test]
fn versions_and_kinds_that_a_release_does_not_serve() {
    let kind = |release: &str, version: &str, kind: &str| {
        help(release, &object(version, kind, "  {}\n"), "unknown-kind")
    };
    // Also one that is not final.
    assert_eq!(
        kind("1.32", "v1", "ResourceClaim"),
        "v1 is served from 1.34 on; 1.32.13 serves v1beta1"
    );
    assert_eq!(
        kind("1.36", "v1alpha3", "ResourceClaim"),
        "ResourceClaim in v1alpha3 is served by 1.31 to 1.33; 1.36.6 serves v1"
    );
    assert_eq!(
        kind("1.34", "v1alpha2", "ResourceClass"),
        "v1alpha2 is served by 1.27 to 1.30; 1.34.13 serves v1, where DeviceClass takes its place"
    );
    assert_eq!(
        kind("1.36", "v1", "ResourceClass"),
        "ResourceClass is not in v1 of Kubernetes 1.36.6: DeviceClass takes its place"
    );
    assert_eq!(
        kind("1.32", "v1alpha3", "DeviceTaintRule"),
        "DeviceTaintRule exists since Kubernetes 1.33, not in 1.32.13"
    );
}

#[test]
fn pods_are_judged_by_the_release_of_the_text() {
    let pod = |entry: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  resourceClaims: [{entry}]\n  containers: [{{name: c, resources: {{claims: [{{name: a}}]}}}}]\n"
        )
    };
    let flat = pod("{name: a, resourceClaimName: x}");
    let nested = pod("{name: a, source: {resourceClaimName: x}}");
    let claim = |version: &str, spec: &str| {
        format!(
            "---\n{}",
            object(version, "ResourceClaim", spec).replace("name: a}", "name: x}")
        )
    };
    let device = claim("v1", "  devices: {requests: []}\n");
    let classic = claim("v1alpha2", "  resourceClassName: c\n");
    let told = |text: &str| -> Vec<Value> {
        let request = json!({"verb": "validate", "text": text});
        let answer = crate::support::ask(&request);
        let of_code = |code: &'static str| {
            answer["findings"]
                .as_array()
                .unwrap()
                .iter()
                .filter(move |finding| finding["code"] == code)
                .cloned()
        };
        // The server refuses the other form as an unknown field.
        assert_eq!(
            answer["ok"],
            of_code("unknown-field").next().is_none(),
            "{answer}"
        );
        // The error has the fix, so that there is no warning beside it.
        assert_eq!(of_code("pod-claim-source").next(), None, "{answer}");
        of_code("unknown-field").collect()
    };
    assert_eq!(told(&format!("{flat}{device}")), Vec::<Value>::new());
    assert_eq!(told(&format!("{nested}{classic}")), Vec::<Value>::new());
    for (wrong, right, objects) in [(&nested, &flat, &device), (&flat, &nested, &classic)] {
        let text = format!("{wrong}{objects}");
        let found = told(&text);
        assert_eq!(
            apply(&text, &found[0]["fixes"][0]),
            format!("{right}{objects}")
        );
    }
    // A text without pods has no such finding.
    let other = device.replace("name: x}", "name: other}");
    assert_eq!(told(&format!("{device}{other}")), Vec::<Value>::new());
}

/// The general help offers `name`, which is what was written.
#[test]
fn an_attribute_of_a_constraint_gets_its_domain() {
    let claim = |key: &str, name: &str| {
        let devices = format!(
            "    requests: [{{name: r, exactly: {{deviceClassName: c, count: 2}}}}]\n    constraints: [{{{key}: {name}}}]\n"
        );
        object("v1", "ResourceClaim", &format!("  devices:\n{devices}"))
    };
    let domain = "put a domain before the name, as in `gpu.example.com/numa`; an attribute without one has the driver's name as its domain";
    for key in ["matchAttribute", "distinctAttribute"] {
        assert_eq!(
            help("1.37", &claim(key, "numa"), "qualified-name-invalid"),
            domain
        );
        assert!(
            help("1.37", &claim(key, "a.b/numa-1"), "qualified-name-invalid")
                .starts_with("write `a.b/numa_1`"),
            "{key}"
        );
    }
    assert_eq!(
        help(
            "1.34",
            &claim("matchAttribute", "numa"),
            "qualified-name-invalid"
        ),
        domain
    );
}

/// Errors that the server causes by dropping a field are distinguished from errors of the object.
#[test]
fn errors_that_come_from_a_dropped_field_say_so() {
    let text = "apiVersion: resource.k8s.io/v1beta2
kind: ResourceClaim
metadata: {name: a}
spec:
  devices:
    requests:
    - name: first
      firstAvailable:
      - {name: big, deviceClassName: gpu}
    - name: second
";
    let found = |gate: bool| {
        let gates = json!({ "DRAPrioritizedList": gate });
        crate::support::ask(
            &json!({ "verb": "validate", "text": text, "release": "1.33", "gates": gates }),
        )["findings"]
            .clone()
    };
    let errors = |findings: &Value| {
        let errors: Vec<(String, String)> = findings
            .as_array()
            .unwrap()
            .iter()
            .filter(|finding| finding["severity"] == "error")
            .map(|finding| {
                (
                    finding["path"].as_str().unwrap().to_owned(),
                    finding["help"].as_str().unwrap().to_owned(),
                )
            })
            .collect();
        errors
    };
    let [(first, because), (second, help)] = &errors(&found(false))[..] else {
        panic!("{}", found(false))
    };
    assert_eq!(first, "spec.devices.requests[0]");
    assert_eq!(
        because,
        "this comes from `spec.devices.requests[0].firstAvailable`, which the server dropped first: switch the feature gate DRAPrioritizedList on, or use fields that the server keeps"
    );
    // Wrong with the gate on, too.
    assert_eq!(second, "spec.devices.requests[1]");
    assert!(help.starts_with("put `deviceClassName`"), "{help}");
    assert_eq!(errors(&found(true)), [(second.clone(), help.clone())]);
}

#[test]
fn allowed_values_are_those_of_the_field_and_the_release() {
    let mode = |mode: &str| {
        object(
            "v1",
            "ResourceClaim",
            &format!(
                "  devices: {{requests: [{{name: a, exactly: {{deviceClassName: c, allocationMode: {mode}}}}}]}}\n"
            ),
        )
    };
    assert_eq!(
        help("1.36", &mode("Immediate"), "allocation-mode-unsupported"),
        "write `ExactCount` or `All`"
    );
    assert_eq!(
        help("1.36", &mode("all"), "allocation-mode-unsupported"),
        "did you mean `All`?"
    );
    assert!(
        mended("1.36", &mode("all"), "allocation-mode-unsupported").contains("allocationMode: All")
    );
    let rule = |version: &str, selector: &str, taint: &str| {
        object(
            version,
            "DeviceTaintRule",
            &format!("  deviceSelector: {selector}\n  taint: {taint}\n"),
        )
    };
    let effect = "{key: k, effect: Prefer}";
    assert_eq!(
        help(
            "1.34",
            &rule("v1alpha3", "{driver: d}", effect),
            "taint-invalid"
        ),
        "write `NoSchedule` or `NoExecute`"
    );
    let later = rule("v1beta2", "{driver: d}", effect);
    assert_eq!(
        help("1.36", &later, "taint-invalid"),
        "write `NoSchedule`, `NoExecute` or `None`"
    );
    let class = "  devices: {requests: [{name: a, exactly: {deviceClassName: A_b}}]}\n";
    assert!(
        help(
            "1.36",
            &object("v1", "ResourceClaim", class),
            "class-name-invalid"
        )
        .starts_with("name the DeviceClass")
    );
    let rule = rule("v1beta2", "{deviceClassName: c}", "{key: k, effect: None}");
    assert!(
        help("1.36", &rule, "unknown-field").contains("exists in Kubernetes 1.33 and 1.34 only")
    );
}

/// A misspelled field beside fields that belong one level deeper.
#[test]
fn a_field_near_one_that_stands_deeper_is_suggested_with_its_place() {
    let spec = "  devices: {requests: [{name: a, cuont: 2, exactly: {deviceClassName: c}}]}\n";
    let advice = help(
        "1.36",
        &object("v1", "ResourceClaim", spec),
        "unknown-field",
    );
    assert_eq!(advice, "did you mean `count`? It is under `exactly` in v1");
    let flat = spec.replace("exactly: {deviceClassName: c}", "deviceClassName: c");
    assert_eq!(
        help(
            "1.36",
            &object("v1beta1", "ResourceClaim", &flat),
            "unknown-field"
        ),
        "did you mean `count`?"
    );
}

/// The finding about a request without a class names its field in this version.
#[test]
fn a_request_without_a_class_is_told_where_its_version_has_it() {
    let spec = "  devices: {requests: [{name: a}]}\n";
    let advice = help(
        "1.36",
        &object("v1", "ResourceClaim", spec),
        "request-shape",
    );
    assert!(
        advice.starts_with("put `deviceClassName` and its sibling fields under `exactly`"),
        "{advice}"
    );
    let advice = help(
        "1.36",
        &object("v1beta1", "ResourceClaim", spec),
        "request-shape",
    );
    assert!(
        advice
            .starts_with("write `deviceClassName` and its sibling fields directly in the request"),
        "{advice}"
    );
}

/// A request is a single one or has alternatives: fields of a single one do not move under `exactly` beside the alternatives.
#[test]
fn a_request_with_alternatives_gets_no_exactly() {
    let list = "      firstAvailable:\n      - {name: s, deviceClassName: c}\n";
    let beside = claim_with_request(&format!("{list}      count: 2\n      adminAccess: true\n"));
    let findings = found("1.37", &beside, "unknown-field");
    let mut helps: Vec<&str> = findings.iter().filter_map(|f| f["help"].as_str()).collect();
    helps.sort_unstable();
    assert_eq!(
        helps,
        [
            "`count` belongs to the alternatives: write it into each entry of `firstAvailable`, or leave it out",
            "a request with `firstAvailable` has no `adminAccess`: leave it out",
        ]
    );
    assert!(
        findings.iter().all(|f| f["fixes"] == json!([])),
        "{findings:?}"
    );
    let both = format!("{list}      exactly: {{deviceClassName: c}}\n");
    assert_eq!(
        help("1.37", &claim_with_request(&both), "request-shape"),
        "keep one of the two: `exactly` for one kind of device, or `firstAvailable` for alternatives"
    );
    let flat = format!("{list}      deviceClassName: c\n      count: 2\n");
    assert_eq!(
        help("1.36", &claim_in("v1beta1", &flat), "request-shape"),
        "keep one of the two: `firstAvailable`, or `deviceClassName`, `count` for one kind of device"
    );
}

#[test]
fn an_alternative_has_its_fields_directly() {
    let claim = |version: &str, alternative: &str| {
        let lines = format!("      firstAvailable:\n      - name: s\n{alternative}");
        claim_in(version, &lines)
    };
    let nested = "        exactly: {deviceClassName: c, count: 2}\n";
    let direct = "        deviceClassName: c\n        count: 2\n";
    for version in ["v1", "v1beta1"] {
        assert_eq!(
            mended("1.36", &claim(version, nested), "unknown-field"),
            claim(version, direct)
        );
        let admin = claim(version, &format!("{direct}        adminAccess: true\n"));
        assert_eq!(
            help("1.36", &admin, "unknown-field"),
            "a request with `firstAvailable` has no `adminAccess`: leave it out, or write a request without alternatives"
        );
    }
}

/// A known field in the wrong place: what is below the place comes first, then what is above it, and never the status.
#[test]
fn fields_are_sent_to_the_nearest_place() {
    let claim = |devices: &str| object("v1", "ResourceClaim", &format!("  devices:\n{devices}"));
    let requests = "    requests:\n    - name: r\n      exactly:\n        deviceClassName: c\n";
    let config = claim(&format!(
        "{requests}    config:\n    - requests: [r]\n      driver: d.example.com\n      parameters: {{a: 1}}\n"
    ));
    assert_eq!(
        help("1.37", &config, "unknown-field"),
        "`driver` belongs under `spec.devices.config.opaque`"
    );
    assert!(
        mended("1.37", &config, "unknown-field").ends_with(
            "      opaque:\n        driver: d.example.com\n        parameters: {a: 1}\n"
        )
    );
    let selector = claim(&format!(
        "{requests}        selectors:\n        - expression: device.driver == \"a\"\n"
    ));
    assert_eq!(
        help("1.37", &selector, "unknown-field"),
        "`expression` belongs under `spec.devices.requests.exactly.selectors.cel`"
    );
    assert_eq!(
        help("1.37", &selector, "selector-required"),
        "write each selector as `cel: {expression: …}`"
    );
    assert!(
        mended("1.37", &selector, "unknown-field")
            .ends_with("        - cel:\n            expression: device.driver == \"a\"\n")
    );
    for (field, said) in [
        (
            "expression: device.driver == \"a\"",
            "`expression` belongs under `spec.devices.requests.exactly.selectors.cel`",
        ),
        (
            "constraints: []",
            "`constraints` belongs under `spec.devices`",
        ),
        ("opaque: {}", "`opaque` belongs under `spec.devices.config`"),
        // A list: `capacity` has `requests`, too, but as a map.
        ("requests: []", "`requests` belongs under `spec.devices`"),
        (
            "operator: Exists",
            "`operator` belongs under `spec.devices.requests.exactly.tolerations`",
        ),
        (
            "nodeSelector: {}",
            "a claim selects no nodes: write `nodeSelector` or `affinity` in the pod, or select devices by their attributes",
        ),
        (
            "spec: {}",
            "replace `spec` by one of `deviceClassName`, `selectors`, `allocationMode`, `count`, `adminAccess`, `tolerations`, `capacity`, `derivedAttributes`: if you only remove it, more may be selected than you want",
        ),
    ] {
        let text = claim(&format!("{requests}        {field}\n"));
        assert_eq!(help("1.37", &text, "unknown-field"), said);
    }
    let twice = object("v1", "ResourceClaim", "  spec: {}\n");
    assert!(help("1.37", &twice, "unknown-field").starts_with("`spec.spec` is the shape"));
}

#[test]
fn values_under_another_name_get_the_field_of_their_type() {
    let device =
        |field: &str, entry: &str| slice_with_device(&format!("    {field}: {{x: {{{entry}}}}}\n"));
    let types = "the value is under its type: one of `int`, `bool`, `string`, `version`";
    for (written, right) in [
        ("value: 1", "int: 1"),
        ("boolean: true", "bool: true"),
        ("str: a", "string: a"),
        ("semver: 1.2.3", "version: 1.2.3"),
    ] {
        let text = device("attributes", written);
        assert_eq!(help("1.37", &text, "unknown-field"), types, "{written}");
        assert_eq!(
            mended("1.37", &text, "unknown-field"),
            device("attributes", right)
        );
    }
    let either = device("attributes", "value: 1.2.3");
    let finding = &found("1.37", &either, "unknown-field")[0];
    assert_eq!(finding["help"], types);
    assert_eq!(finding["fixes"], json!([]));
    let amount = device("capacity", "quantity: 1Gi");
    assert_eq!(
        help("1.37", &amount, "unknown-field"),
        "the amount is under `value`"
    );
    assert_eq!(
        mended("1.37", &amount, "unknown-field"),
        device("capacity", "value: 1Gi")
    );
}

#[test]
fn a_dash_without_a_blank_begins_an_entry() {
    let claim = |config: &str| {
        let requests = "    requests: [{name: r, exactly: {deviceClassName: c}}]\n";
        object(
            "v1",
            "ResourceClaim",
            &format!("  devices:\n{requests}    config:\n{config}"),
        )
    };
    let written = claim("    -opaque:\n      driver: d.example.com\n      parameters: {a: 1}\n");
    assert_eq!(
        help("1.37", &written, "unknown-field"),
        "put a space after the `-`: `- opaque`"
    );
    assert_eq!(
        mended("1.37", &written, "unknown-field"),
        claim("    - opaque:\n        driver: d.example.com\n        parameters: {a: 1}\n")
    );
}

/// The status of a DeviceTaintRule came with 1.35.
#[test]
fn a_device_taint_rule_has_a_status_from_1_35_on() {
    let text = object(
        "v1alpha3",
        "DeviceTaintRule",
        "  taint: {key: a.b/c, effect: NoSchedule}\n",
    )
    .replace("{name: a}", "{name: a, resourceVersion: '1'}");
    let codes = |release: &str| {
        let request = json!({ "verb": "validate", "operation": "updateStatus", "release": release, "text": text, "old": text });
        let answer = crate::support::ask(&request);
        let codes: Vec<String> = answer["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f["code"].as_str().unwrap().to_owned())
            .collect();
        codes
    };
    assert!(codes("1.34").contains(&"no-status".to_owned()));
    assert!(
        !codes("1.35").contains(&"no-status".to_owned()),
        "{:?}",
        codes("1.35")
    );
}

/// 1.30 has a variable for each type of attribute, and no `device`.
#[test]
fn selectors_of_named_resources_are_told_their_own_variables() {
    let text = "apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClassParameters
metadata: {name: a, namespace: default}
filters:
- driverName: gpu.example.com
  namedResources: {selector: device.driver}
";
    assert_eq!(
        help("1.30", text, "selector-invalid"),
        "the message names the place; read attributes by their type, as in `attributes.string[\"name\"]`"
    );
}

/// A value of another shape than its field, with what to write.
#[test]
fn values_of_other_types() {
    for (request, said) in [
        (
            "      exactly:\n      - deviceClassName: c\n",
            "write a map here, not a list: remove the `-`",
        ),
        (
            "      exactly: [{deviceClassName: c}]\n",
            "write a map here, not a list: its fields in `{}`",
        ),
        (
            "      exactly: c\n",
            "write a map here: its fields on lines of their own, further in",
        ),
        (
            "      exactly: {deviceClassName: c, allocationMode: [All]}\n",
            "write one value here, not a list",
        ),
        (
            "      exactly: {deviceClassName: c, selectors: [{cel: \"true\"}]}\n",
            "an expression is under `expression`: write `{expression: …}` here",
        ),
        (
            "      exactly: {deviceClassName: c, selectors: [{cel: fast ones}]}\n",
            "write `cel: {expression: …}`",
        ),
        (
            "      exactly: {deviceClassName: c, selectors: {cel: {expression: \"true\"}}}\n",
            "write a list here: in `[` and `]`",
        ),
        (
            "      exactly: {deviceClassName: c, count: two}\n",
            "write the number in digits: `count: 2`",
        ),
    ] {
        assert_eq!(
            help("1.37", &claim_with_request(request), "type-mismatch"),
            said,
            "{request}"
        );
    }
}

/// Numbers and booleans in quotes; what is no number without them has no correction.
#[test]
fn quoted_numbers_and_booleans() {
    for (field, bare) in [
        ("count: \"2\"", "count: 2"),
        ("count: '2'", "count: 2"),
        ("adminAccess: \"false\"", "adminAccess: false"),
    ] {
        let text = claim_with_request(&format!(
            "      exactly:\n        deviceClassName: c\n        {field}\n"
        ));
        assert!(
            help("1.37", &text, "type-mismatch").starts_with("in quotes it is a string: write `"),
            "{field}"
        );
        assert_eq!(
            mended("1.37", &text, "type-mismatch"),
            text.replace(field, bare)
        );
    }
    for (other, said) in [
        ("count: \"02\"", "write the number in digits: `2`"),
        ("count: \"2.5\"", "write a whole number here"),
        ("count: \"two\"", "write the number in digits: `2`"),
        ("adminAccess: \"yes\"", "write `true` or `false` here"),
    ] {
        let text = claim_with_request(&format!("      exactly: {{deviceClassName: c, {other}}}\n"));
        assert_eq!(help("1.37", &text, "type-mismatch"), said, "{other}");
    }
}

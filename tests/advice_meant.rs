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
            said.starts_with("a rule cannot select devices by node: write `pool`"),
            "{said}"
        );
    }
    let other = rule(&format!(
        "deviceSelector: {{driver: a.com, labels: {{a: b}}}}, {taint}"
    ));
    let said = help("1.37", &other, "unknown-field");
    assert!(
        said.starts_with("replace `labels` by one of `driver`, `pool`, `device`"),
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

/// A list whose entries name the keys of a map, and amounts with a unit that quantities do not have.
#[test]
fn a_list_of_named_values_is_a_map() {
    let device = |rest: &str| {
        object(
            "v1",
            "ResourceSlice",
            &format!(
                "spec:\n  driver: a.com\n  nodeName: w0\n  pool: {{name: p, generation: 1, resourceSliceCount: 1}}\n  devices:\n  - name: d\n    {rest}"
            ),
        )
    };
    for (rest, said) in [
        (
            "attributes: [{name: model, string: A}]",
            "write a map here, not a list: its keys are the names, as in `model: {string: A}`",
        ),
        (
            "capacity:\n    - name: memory\n      value: 40Gi",
            "write a map here, not a list: its keys are the names, as in `memory: {value: 40Gi}`",
        ),
        (
            "capacity: {memory: 40GB}",
            "the value belongs under `value`: write `{value: 40G}`",
        ),
        (
            "capacity: {memory: 40mb}",
            "the value belongs under `value`: write `{value: 40M}`",
        ),
    ] {
        assert_eq!(help("1.37", &device(rest), "type-mismatch"), said, "{rest}");
    }
    let text = device("capacity: {share: 5%}");
    let answer = validate("1.37", &text);
    assert!(findings(&answer)[0]["fixes"][0].is_null(), "{answer}");
}

/// `name:value` in braces is one word.
#[test]
fn a_space_is_missing_behind_a_colon() {
    let text = claim("requests: [{name: g, exactly: {deviceClassName:c}}]");
    assert_eq!(
        helps("1.37", &text, "unknown-field"),
        ["`deviceClassName:c` is one word: put a space after the colon"]
    );
    assert_eq!(
        fixed(&text, "unknown-field"),
        claim("requests: [{name: g, exactly: {deviceClassName: c}}]")
    );
    // With a space before it the quote would take the rest of the file, and `c:` would be a key inside a value.
    for open in ["\"c", "'c", "&c", "|", "#c", "c:", "c :"] {
        let text = claim(&format!(
            "requests: [{{name: g, exactly: {{deviceClassName:{open}}}}}]"
        ));
        let answer = validate("1.37", &text);
        let found = &findings(&answer)[0];
        assert_eq!(found["code"], "unknown-field", "{answer}");
        assert!(found["fixes"][0].is_null(), "{answer}");
    }
}

/// What a toleration tolerates depends on its operator; one that does not exist tolerates nothing.
#[test]
fn a_bare_toleration_is_said_to_be_bare() {
    let warned = |toleration: &str| {
        let text = claim(&format!(
            "requests: [{{name: g, exactly: {{deviceClassName: c, tolerations: [{toleration}]}}}}]"
        ));
        let answer = validate("1.37", &text);
        let found = findings(&answer)
            .iter()
            .find(|finding| finding["code"] == "toleration-empty");
        found.map(|finding| finding["message"].as_str().unwrap().to_owned())
    };
    for bare in ["{}", "{operator: Equal}"] {
        let message = warned(bare).unwrap();
        assert!(message.contains("its operator is `Equal`"), "{message}");
    }
    assert_eq!(warned("{operator: Exist}"), None);
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

/// The names are moved with the comments before them.
/// `y` is not a string: the fix of devices is that of pods.
#[test]
fn a_name_of_a_pods_claim_gets_its_quotes() {
    let pod = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  resourceClaims:\n  - name: g\n    resourceClaimName: {name}\n  containers: [{{name: c, image: x, resources: {{claims: [{{name: g}}]}}}}]\n"
        )
    };
    let said = help("1.37", &pod("y"), "type-mismatch");
    assert_eq!(
        said,
        "without quotes YAML reads `y` as `true`: write `\"y\"`"
    );
    assert_eq!(fixed(&pod("y"), "type-mismatch"), pod("\"y\""));
}

/// What is a list or a text is not an object: the help says what it is.
#[test]
fn documents_that_are_no_objects_are_named() {
    for (text, said) in [
        (
            "NAME STATE AGE\na pending 5m\n",
            "this is text, and not a manifest",
        ),
        (
            "- op: remove\n  path: /spec\n",
            "these are operations of a JSON patch",
        ),
        (
            "[{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}]",
            "kubectl reads no list alone",
        ),
    ] {
        let help = help("1.37", text, "no-kind");
        assert!(help.starts_with(said), "{text}: {help}");
    }
}

/// What a decoder refuses has the advice of `validate` in a conversion, too.
#[test]
fn a_conversion_says_what_to_write() {
    let text = object(
        "v1beta1",
        "ResourceSlice",
        "spec: {driver: a.b, nodeName: n}",
    );
    let answer = ask(&json!({"verb": "convert", "to": "v1", "text": text}));
    let mismatch = findings(&answer)
        .iter()
        .find(|finding| finding["code"] == "type-mismatch");
    assert_eq!(
        mismatch.unwrap_or_else(|| panic!("{answer}"))["help"],
        "without quotes YAML reads `n` as `false`: write `\"n\"`; `claimkit validate --fix` does it"
    );
}

/// A time that was blacked out.
#[test]
fn times_that_are_none_can_be_left_out() {
    let text = object("v1", "DeviceClass", "spec: {}")
        .replace("name: a", "name: a, creationTimestamp: XXXX");
    let help = help("1.37", &text, "type-mismatch");
    assert_eq!(
        help,
        "write a time such as `2026-01-02T15:04:05Z`, or leave the field out"
    );
}

/// YAML takes `!device.driver` for a tag, and the rest for the expression.
#[test]
fn a_tag_of_an_expression_is_said() {
    let text = object(
        "v1",
        "DeviceClass",
        "spec:\n  selectors:\n  - cel:\n      expression: !device.driver == \"x\"",
    );
    let help = help("1.37", &text, "selector-invalid");
    assert!(
        help.starts_with("YAML takes the word that begins with `!` for a tag"),
        "{help}"
    );
}

#[test]
fn comments_of_a_pods_claim_are_kept() {
    let pod = |entry: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  resourceClaims:\n{entry}  containers: [{{name: c, image: x, resources: {{claims: [{{name: g}}]}}}}]\n"
        )
    };
    for (before, after) in [
        (
            "  - name: g
    source:   # from a template
      # of gpus

      resourceClaimTemplateName: t # the only one
      # nothing else
",
            "  - name: g
    # from a template
    # of gpus
    resourceClaimTemplateName: t # the only one
      # nothing else
",
        ),
        (
            "  - source: # first
      resourceClaimName: c
    name: g
",
            "  - # first
    resourceClaimName: c
    name: g
",
        ),
    ] {
        assert_eq!(fixed(&pod(before), "unknown-field"), pod(after));
    }
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

fn slice(rest: &str) -> String {
    object(
        "v1",
        "ResourceSlice",
        &format!(
            "spec: {{driver: a.com, pool: {{name: p, generation: 1, resourceSliceCount: 1}}, {rest}}}"
        ),
    )
}

/// A slice without a selector is not valid: `allNodes` is what allows every node.
#[test]
fn a_slice_without_terms_is_not_told_to_leave_the_selector_out() {
    let all = "give `nodeSelectorTerms` one term, or write `allNodes: true` in place of `nodeSelector` to offer the devices to every node";
    let empty = slice("nodeSelector: {nodeSelectorTerms: []}");
    assert_eq!(help("1.37", &empty, "node-selector-empty"), all);
    assert_eq!(
        help("1.37", &empty, "node-selection-invalid"),
        "write exactly one term under `nodeSelectorTerms`"
    );
    let term = slice("nodeSelector: {matchExpressions: [{key: a, operator: In, values: [b]}]}");
    assert_eq!(
        help("1.37", &term, "node-selector-empty"),
        "write the expressions as a term: `nodeSelectorTerms: [{matchExpressions: […]}]`"
    );
    let labels = slice("nodeSelector: {matchLabels: {a: b}}");
    for code in ["node-selector-empty", "unknown-field"] {
        assert!(
            help("1.37", &labels, code).starts_with("labels are expressions of a term here"),
            "{code}"
        );
    }
    let no_labels = slice("nodeSelector: {matchLabels: {}}");
    assert!(
        help("1.37", &no_labels, "unknown-field")
            .starts_with("a node selector has no `matchLabels`")
    );
    let class = object(
        "v1alpha2",
        "ResourceClass",
        "driverName: a.com\nsuitableNodes: {nodeSelectorTerms: []}",
    );
    assert!(
        help("1.30", &class, "node-selector-empty")
            .ends_with("or leave the selector out to allow every node")
    );
}

#[test]
fn a_pool_is_named_where_it_is() {
    let text =
        rule("deviceSelector: {driver: a.com, pool: \"\"}, taint: {key: a, effect: NoExecute}");
    let said = help("1.37", &text, "pool-name-invalid");
    assert!(
        said.starts_with("write the name of a pool after `pool:`"),
        "{said}"
    );
    let obeyed = text.replace("pool: \"\"", "pool: n0");
    assert_eq!(validate("1.37", &obeyed)["ok"], true);
}

#[test]
fn kinds_are_said_to_exist_where_they_do() {
    let rule = |version: &str| {
        object(
            version,
            "DeviceTaintRule",
            "spec: {deviceSelector: {driver: a.com}, taint: {key: a, effect: NoSchedule}}",
        )
    };
    for (release, version, said) in [
        (
            "1.36",
            "v1",
            "1.36.6 has DeviceTaintRule in v1beta2: write `resource.k8s.io/v1beta2`",
        ),
        (
            "1.35",
            "v1beta2",
            "1.35.10 has DeviceTaintRule in v1alpha3: write `resource.k8s.io/v1alpha3`",
        ),
        (
            "1.32",
            "v1alpha3",
            "DeviceTaintRule exists since Kubernetes 1.33, not in 1.32.13",
        ),
        (
            "1.30",
            "v1",
            "v1 is served from 1.34 on; 1.30.14 serves v1alpha2",
        ),
    ] {
        let text = rule(version);
        let answer = validate(release, &text);
        let found = findings(&answer)
            .iter()
            .find(|finding| finding["code"] == "unknown-kind")
            .unwrap();
        assert_eq!(found["help"], said);
        if let Some(fix) = found["fixes"].get(0) {
            let fixed = apply(&text, fix);
            assert_eq!(validate(release, &fixed)["ok"], true, "{fixed}");
        }
    }
}

#[test]
fn placeholders_come_before_other_advice() {
    let text = object(
        "v1",
        "ResourceClaim",
        "spec:
  devices:
    requests: [{name: g, exactly: {deviceClassName: \"${CLASS}\", allocationMode: \"${MODE}\"}}]
    constraints: [{matchAttribute: \"a.com/${ATTR}\"}]
    config: [{opaque: {driver: \"${DRIVER}/x\", parameters: {}}}]",
    );
    let answer = validate("1.37", &text);
    let holes = ["${CLASS}", "${MODE}", "${ATTR}", "${DRIVER}"];
    for finding in findings(&answer)
        .iter()
        .filter(|finding| finding["severity"] == "error")
    {
        let help = finding["help"].as_str().unwrap();
        let named = |hole: &&str| help.starts_with(&format!("`{hole}` looks like a placeholder"));
        assert!(holes.iter().any(named), "{finding}");
    }
    let flow = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: gpu, namespace: ${NS}}\n";
    assert_eq!(
        help("1.37", flow, "yaml-syntax"),
        "`${NS}` looks like a placeholder, and its `{` begins a map here: fill it in first, or put it in quotes"
    );
}

/// Each cause of a code has its own help.
#[test]
fn help_follows_from_the_cause() {
    let device = |fields: &str| slice(&format!("nodeName: node, devices: [{{name: a, {fields}}}]"));
    let capacity = |policy: &str| {
        device(&format!(
            "allowMultipleAllocations: true, capacity: {{m: {{value: 10, requestPolicy: {{{policy}}}}}}}"
        ))
    };
    let claim = |entries: &str| claim(&format!("requests: [{entries}]"));
    for (text, code, said) in [
        (
            device("capacity: {m: {value: 10, requestPolicy: {default: 1}}}"),
            "request-policy-invalid",
            "set `allowMultipleAllocations: true` on the device, or leave `requestPolicy` out",
        ),
        (
            capacity("validValues: [\"1\", \"2\"]"),
            "request-policy-invalid",
            "write `default`: the amount for requests that name none",
        ),
        (
            device("allNodes: true"),
            "node-selection-invalid",
            "leave the nodes out of the device, or write `perDeviceNodeSelection: true` in place of the slice's own `nodeName`, `nodeSelector` or `allNodes`",
        ),
        (
            slice("devices: [{name: a}]"),
            "node-selection-invalid",
            "choose the nodes in exactly one way",
        ),
        (
            claim("{name: g, firstAvailable: [{deviceClassName: c}]}"),
            "request-name-invalid",
            "`name` is missing or empty: write it",
        ),
        (
            claim("{name: g_1, exactly: {deviceClassName: c}}"),
            "request-name-invalid",
            "use lower case letters, digits and `-`",
        ),
        (
            claim(
                "{name: g, exactly: {deviceClassName: c}}, {name: g, exactly: {deviceClassName: d}}",
            ),
            "duplicate-item",
            "several entries have the name `g`: give each one of its own",
        ),
        (
            claim(
                "{name: g, exactly: {deviceClassName: c}}, {name: g, exactly: {deviceClassName: c}}",
            ),
            "duplicate-item",
            "write each entry only once",
        ),
        (
            slice("nodeName: node, devices: [{name: a}, {name: a, attributes: {x: {int: 1}}}]"),
            "duplicate-item",
            "several entries have the name `a`: give each one of its own",
        ),
        (
            device("bindingConditions: [a]"),
            "binding-conditions-invalid",
            "write both `bindingConditions` and `bindingFailureConditions`, or none of them",
        ),
    ] {
        assert_eq!(help("1.37", &text, code), said, "{text}");
    }
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, resources: {claims: [{name: gpu, request: gpu/big}]}}], resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]}\n";
    assert_eq!(
        help("1.37", pod, "pod-claims-invalid"),
        "a container names the request, not one of its alternatives: write `gpu`"
    );
}

/// What is advised for a list is YAML where it was written.
#[test]
fn one_value_becomes_a_list() {
    let config = |requests: &str| {
        object(
            "v1",
            "ResourceClaim",
            &format!(
                "spec:\n  devices:\n    requests: [{{name: gpu, exactly: {{deviceClassName: c}}}}]\n    config:\n    - requests: {requests}\n      opaque: {{driver: a.com, parameters: {{}}}}"
            ),
        )
    };
    assert_eq!(
        help("1.37", &config("gpu"), "type-mismatch"),
        "write a list here: `[gpu]`"
    );
    assert_eq!(fixed(&config("gpu"), "type-mismatch"), config("[gpu]"));
    let claim = |devices: &str| {
        object(
            "v1",
            "ResourceClaim",
            &format!("spec:\n  devices:\n{devices}"),
        )
    };
    let flow = "    requests: {name: g, exactly: {deviceClassName: c}}";
    assert_eq!(
        fixed(&claim(flow), "type-mismatch"),
        claim("    requests: [{name: g, exactly: {deviceClassName: c}}]")
    );
    let block = "    requests:\n      name: g\n      exactly:\n        deviceClassName: c";
    assert_eq!(
        fixed(&claim(block), "type-mismatch"),
        claim("    requests:\n      - name: g\n        exactly:\n          deviceClassName: c")
    );
    assert_eq!(
        help(
            "1.37",
            &claim("  - name: g\n    exactly: {deviceClassName: c}"),
            "type-mismatch"
        ),
        "write a map here: the list belongs under `requests:`, which is missing above it"
    );
    // Keys that are the names of entries are not fields of one.
    let by_name = claim("    requests:\n      gpu:\n        exactly: {deviceClassName: c}");
    assert_eq!(
        help("1.37", &by_name, "type-mismatch"),
        "write a list here, with the name in each entry: `- name: gpu`, and the other fields below it"
    );
    let answer = validate("1.37", &by_name);
    assert!(findings(&answer)[0]["fixes"][0].is_null(), "{answer}");
    assert_eq!(
        help("1.37", &claim("    requests: gpu"), "type-mismatch"),
        "write a list of maps here: begin each with `- `"
    );
    let pod = |claims: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  resourceClaims: [{{name: gpu, resourceClaimName: a}}]\n  containers:\n  - name: c\n    resources:\n      claims: {claims}\n"
        )
    };
    for (claims, said) in [
        ("gpu", "write `claims: [{name: gpu}]`"),
        ("[gpu]", "write `{name: gpu}`"),
        ("{name: gpu}", "write the entry in `[` and `]`"),
        ("\n      - gpu", "write `- name: gpu`"),
    ] {
        assert_eq!(help("1.37", &pod(claims), "type-mismatch"), said);
    }
    let dash = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec:\n  devices:\n    requests:\n    -name: gpu\n     exactly:\n       deviceClassName: c\n";
    assert!(
        help("1.37", dash, "yaml-syntax")
            .starts_with("a space is missing after the `-` on the line before")
    );
}

#[test]
fn a_fixed_spec_is_not_taken_over() {
    let old = "apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: a
  namespace: d
  managedFields:
  - {manager: other, operation: Apply, apiVersion: resource.k8s.io/v1, fieldsType: FieldsV1, fieldsV1: {\"f:metadata\": {\"f:labels\": {\"f:x\": {}}}, \"f:spec\": {\"f:devices\": {\"f:requests\": {}}}}}
  labels: {x: \"1\"}
spec: {devices: {requests: [{name: g, exactly: {deviceClassName: c, allocationMode: ExactCount, count: 1}}]}}
";
    let patch = "apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: a, namespace: d, labels: {x: \"2\"}}
spec: {devices: {requests: [{name: g, exactly: {deviceClassName: c, count: 2}}]}}
";
    let answer = crate::patch::patch(
        old,
        "apply",
        patch,
        json!({"release": "1.37", "fieldManager": "m"}),
    );
    let conflicts: Vec<&Value> = findings(&answer)
        .iter()
        .filter(|finding| finding["code"] == "apply-conflict")
        .collect();
    assert_eq!(conflicts.len(), 2, "{answer}");
    for conflict in conflicts {
        let is_of_spec = conflict["path"].as_str().unwrap().starts_with("spec");
        let help = conflict["help"].as_str().unwrap();
        assert_eq!(
            help.starts_with("the spec of a ResourceClaim cannot be changed"),
            is_of_spec,
            "{answer}"
        );
    }
}

#[test]
fn a_stored_object_without_a_version_has_none_to_write() {
    let claim = object("v1alpha2", "ResourceClaim", "spec: {resourceClassName: c}")
        .replace("{name: a}", "{name: a, namespace: d}");
    let update = |old: &str| {
        let answer = ask(
            &json!({"verb": "validate", "release": "1.30", "operation": "update", "via": "validator", "text": claim, "old": old}),
        );
        let found = findings(&answer)
            .iter()
            .find(|finding| finding["code"] == "resource-version-required");
        found.unwrap_or_else(|| panic!("{answer}"))["help"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(update(&claim).starts_with("the stored object was given without one"));
    let stored = claim.replace("namespace: d", "namespace: d, resourceVersion: \"7\"");
    assert_eq!(
        update(&stored),
        "write the stored object's `metadata.resourceVersion`"
    );
}

#[test]
fn a_field_of_another_place_is_told_where_it_belongs() {
    let of = |member: &str| {
        let text = claim(&format!(
            "requests: [{{name: gpu, exactly: {{deviceClassName: c, {member}}}}}]"
        ));
        help("1.37", &text, "unknown-field")
    };
    let example = "selectors: [{cel: {expression: 'device.attributes[\"DRIVER\"].NAME == VALUE'}}]";
    let by_attributes = format!("devices are selected by their attributes, in CEL: `{example}`");
    assert_eq!(of("attributes: {model: A100}"), by_attributes);
    assert_eq!(of("device: gpu-0"), by_attributes);
    assert!(of("nodeName: n1").starts_with("a claim selects no nodes"));
    assert_eq!(
        of("name: a"),
        "`name` belongs under `spec.devices.requests`"
    );

    let pod = "apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimName: a, request: r}]
";
    assert_eq!(
        help("1.37", pod, "unknown-field"),
        "a container names the request, in `resources.claims[]`: move `request` there"
    );
}

#[test]
fn comments_of_yaml_and_of_cel_are_told_apart() {
    let class = |expression: &str| {
        let text = object(
            "v1",
            "DeviceClass",
            &format!("spec:\n  selectors:\n  - cel:\n      expression: {expression}"),
        );
        help("1.37", &text, "selector-invalid")
    };
    assert!(
        class("device.driver == \"gpu #1\" && true").starts_with("in YAML ` #` begins a comment")
    );
    assert_eq!(
        class("|\n        device.driver == 'x' && # only ours\n        true"),
        "write `//` for `#`"
    );
}

/// A slice with the devices of some nodes, which are chosen in some way.
fn slice_on(nodes: &str) -> String {
    object(
        "v1",
        "ResourceSlice",
        &format!(
            "spec: {{driver: a.com, {nodes}, pool: {{name: p, generation: 1, resourceSliceCount: 1}}, devices: [{{name: a}}]}}"
        ),
    )
}

/// The text after `write` in a help.
fn advised(help: &str) -> &str {
    let (_, advised) = help.split_once("write `").unwrap();
    advised.split_once('`').unwrap().0
}

#[test]
fn devices_are_not_offered_to_nodes_that_do_not_have_them() {
    for written in ["nodes: [n1]", "node: n1", "host: n1", "hostname: \"n1\""] {
        let text = slice_on(written);
        let said = help("1.37", &text, "unknown-field");
        assert_eq!(advised(&said), "nodeName: n1", "{said}");
        let fixed = fixed(&text, "unknown-field");
        assert_eq!(
            fixed.replace("\"n1\"", "n1"),
            slice_on("nodeName: n1"),
            "{written}"
        );
    }
    let several = slice_on("nodes: [n1, n2]");
    let said = help("1.37", &several, "unknown-field");
    let obeyed = slice_on(advised(&said));
    assert!(obeyed.contains("values: [n1, n2]"), "{obeyed}");
    assert_eq!(validate("1.37", &obeyed)["ok"], true, "{obeyed}");
    let labels = "{gpu: \"true\", zone: a}";
    for selector in [labels, &format!("{{matchLabels: {labels}}}")] {
        let text = slice_on(&format!("nodeSelector: {selector}"));
        let answer = validate("1.37", &text);
        let said: Vec<&str> = findings(&answer)
            .iter()
            .filter_map(|finding| finding["help"].as_str())
            .filter(|help| help.contains("matchExpressions"))
            .collect();
        assert!(!answer.to_string().contains("allNodes"), "{answer}");
        for help in said {
            let obeyed = slice_on(&format!("nodeSelector: {{{}}}", advised(help)));
            assert!(obeyed.contains("values: [\"true\"]"), "{obeyed}");
            assert_eq!(validate("1.37", &obeyed)["ok"], true, "{obeyed}");
        }
    }
}

/// The fields of an object tell its kind better than a similar name.
#[test]
fn a_kind_is_named_by_the_fields_of_the_object() {
    let body = "spec: {devices: {requests: [{name: g, exactly: {deviceClassName: c}}]}}";
    let claim = object("v1", "ResourceClaim", body);
    for kind in ["DeviceClaim", "ResourceClam"] {
        let text = object("v1", kind, body);
        assert_eq!(
            help("1.37", &text, "unknown-kind"),
            "did you mean `ResourceClaim`?"
        );
        assert_eq!(fixed(&text, "unknown-kind"), claim);
    }
    // No kind has all of these fields.
    let other = body.replace("exactly", "precisely");
    let answer = validate("1.37", &object("v1", "DeviceClaim", &other));
    assert!(answer["findings"][0]["fixes"][0].is_null(), "{answer}");
}

#[test]
fn entries_of_a_list_are_counted_where_one_map_belongs() {
    for (devices, said) in [
        (
            "[{name: a, deviceClassName: c}, {name: b, deviceClassName: c}]",
            "the list belongs under `requests:`",
        ),
        (
            "{requests: [{name: a, exactly: [{deviceClassName: c}, {deviceClassName: d}]}]}",
            "`exactly` is one map, and here are 2: write `firstAvailable`",
        ),
    ] {
        let text = object(
            "v1",
            "ResourceClaim",
            &format!("spec: {{devices: {devices}}}"),
        );
        let help = help("1.37", &text, "type-mismatch");
        assert!(help.contains(said), "{help}");
    }
}

/// The column that is named is that of the line's neighbors; obeyed, the text is read.
#[test]
fn a_line_in_no_column_of_a_map_belongs_to_the_nearest() {
    let head = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: c\nspec:\n  devices:\n    requests:\n";
    for (rest, line, column, key) in [
        (
            "    - name: g\n      exactly:\n         deviceClassName: c\n        count: 2\n",
            11,
            10,
            "deviceClassName",
        ),
        (
            "    - name: g\n      exactly:\n        deviceClassName: c\n       count: 2\n",
            11,
            9,
            "deviceClassName",
        ),
        (
            "    - name: g\n     exactly:\n        deviceClassName: c\n",
            9,
            7,
            "name",
        ),
        (
            "    - name: g\n      exactly:\n        deviceClassName: c\n    -  name: h\n      exactly:\n        deviceClassName: c\n",
            12,
            8,
            "name",
        ),
    ] {
        let text = format!("{head}{rest}");
        let said = help("1.37", &text, "yaml-syntax");
        assert_eq!(
            said,
            format!(
                "begin this line in column {column}, as `{key}` on line {}",
                line - 1
            )
        );
        let obeyed: Vec<String> = text
            .lines()
            .enumerate()
            .map(|(at, written)| {
                if at + 1 == line {
                    " ".repeat(column - 1) + written.trim_start()
                } else {
                    written.to_owned()
                }
            })
            .collect();
        let after = validate("1.37", &(obeyed.join("\n") + "\n"));
        assert_eq!(after["ok"], true, "{after}");
    }
}

#[test]
fn a_value_is_not_left_out_where_it_says_something() {
    let device = |fields: &str| {
        object(
            "v1",
            "ResourceSlice",
            &format!(
                "spec: {{driver: a.com, nodeName: w0, pool: {{name: p, generation: 1, resourceSliceCount: 1}}, devices: [{{name: a, {fields}}}]}}"
            ),
        )
    };
    for (written, entry, holder) in [
        ("memory: 40Gi", "memory: {value: 40Gi}", "capacity"),
        ("model: A100", "model: {string: A100}", "attributes"),
        ("cuda: 12.4.1", "cuda: {version: 12.4.1}", "attributes"),
        ("index: 3", "index: {int: 3}", "attributes"),
        ("mig: true", "mig: {bool: true}", "attributes"),
    ] {
        let said = help("1.37", &device(written), "unknown-field");
        assert!(
            said.ends_with(&format!("write `{entry}` under `{holder}`")),
            "{said}"
        );
        let obeyed = device(&format!("{holder}: {{{entry}}}"));
        assert_eq!(validate("1.37", &obeyed)["ok"], true, "{obeyed}");
    }
    let class = object("v1", "DeviceClass", "spec: {matchExpressions: []}");
    let said = help("1.37", &class, "unknown-field");
    assert!(
        said.starts_with("a class selects devices by `selectors: [{cel: {expression: …}}]`"),
        "{said}"
    );
    let selector = claim(
        "requests: [{name: g, exactly: {deviceClassName: c, selectors: [{matchExpressions: []}]}}]",
    );
    let said = help("1.37", &selector, "unknown-field");
    assert!(
        said.starts_with("replace `matchExpressions` by one of `cel`"),
        "{said}"
    );
    let anchored = "x-a: &sel\n- cel: {expression: device.driver == \"a\"}\n".to_owned()
        + &claim("requests: [{name: g, exactly: {deviceClassName: c, selectors: *sel}}]");
    let said = help("1.37", &anchored, "unknown-field");
    assert!(said.contains("move `&sel` with its value"), "{said}");
    // A field of an older version moves with its anchor, and is not left out.
    let moved = claim(
        "requests: [{name: g, count: &n 2, deviceClassName: c}, {name: h, count: *n, deviceClassName: c}]",
    );
    let said = validate("1.37", &moved)["findings"][0]["help"].to_string();
    assert!(said.contains("`count` is under `exactly` in v1"), "{said}");
}

/// Fields below an empty key, or in the column of the dash of their entry, are a level too far to the left.
#[test]
fn fields_that_are_not_indented_are_moved_to_the_right() {
    let head = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: c\nspec:\n";
    let right = format!(
        "{head}  devices:\n    requests: # all\n    - name: g\n      exactly: # one\n        # class\n        deviceClassName: c\n        count: 2 # two\n"
    );
    for (wrong, said) in [
        (
            "  devices:\n  requests: # all\n  - name: g\n    exactly: # one\n      # class\n      deviceClassName: c\n      count: 2 # two\n",
            "`requests` belongs under `devices`, which is empty here: indent it further",
        ),
        (
            "  devices:\n    requests: # all\n    - name: g\n    exactly: # one\n      # class\n      deviceClassName: c\n      count: 2 # two\n",
            "`exactly` belongs to the last entry of `requests` above it: indent it like the other fields of that entry",
        ),
    ] {
        let text = format!("{head}{wrong}");
        assert_eq!(help("1.37", &text, "unknown-field"), said);
        assert_eq!(fixed(&text, "unknown-field"), right);
    }
    let flat = format!(
        "{head}  devices:\n    requests:\n    - name: g\n      exactly:\n      deviceClassName: c\n      count: 2 # two\n"
    );
    assert_eq!(
        helps("1.37", &flat, "request-shape"),
        ["`exactly` is empty: write its fields below it, indented further"]
    );
    assert!(
        fixed(&flat, "unknown-field")
            .contains("exactly:\n        deviceClassName: c\n        count: 2 # two\n")
    );
    // The entry above has the field: there are two of it, and none is moved.
    let twice = format!(
        "{head}  devices:\n    requests:\n    - name: g\n      exactly: {{deviceClassName: c}}\n    exactly: {{deviceClassName: d}}\n"
    );
    let answer = validate("1.37", &twice);
    assert!(!answer.to_string().contains("last entry"), "{answer}");
    // Other entries lack it, too: it may be meant for all.
    let slice = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata:\n  name: s\nspec:\n  driver: a.com\n  nodeName: m\n  pool: {name: p, generation: 1, resourceSliceCount: 1}\n  devices:\n  - name: a\n  - name: b\n  capacity: {m: {value: 1Gi}}\n";
    let answer = validate("1.37", slice);
    assert!(!answer.to_string().contains("last entry"), "{answer}");
}

/// What is missing is there, with another name or a level too deep: the first finding says so.
#[test]
fn a_missing_field_is_looked_for_under_other_names() {
    let request = |fields: &str| claim(&format!("requests: [{{name: r, {fields}}}]"));
    let meant = |written: &str, name: &str| {
        format!("correct `{written}` first: `{name}` was probably meant")
    };
    for (text, code, said) in [
        (
            request("exactly: {deviceClasName: c}"),
            "class-name-invalid",
            meant("deviceClasName", "deviceClassName"),
        ),
        (
            request("Exactly: {deviceClassName: c}"),
            "request-shape",
            meant("Exactly", "exactly"),
        ),
        (
            request("firstAvailable: [{name: a, exactly: {deviceClassName: c}}]"),
            "class-name-invalid",
            "correct `exactly` first: `deviceClassName` is in it, and belongs where `exactly` is"
                .to_owned(),
        ),
        (
            rule("deviceSelector: {driver: a.com}, taints: [{key: a, effect: NoExecute}]"),
            "taint-invalid",
            meant("taints", "taint"),
        ),
        (
            claim("").replace("metadata: {name: a}", "metadata: {generatename: a-}"),
            "name-required",
            meant("generatename", "generateName"),
        ),
        (
            claim("").replace("metadata", "Metadata"),
            "name-required",
            meant("Metadata", "metadata"),
        ),
    ] {
        let all = helps("1.37", &text, code);
        assert!(
            !all.is_empty() && all.iter().all(|help| *help == said),
            "{all:?}"
        );
    }
    // Nothing there resembles it.
    let all = helps(
        "1.37",
        &request("exactly: {count: 2}"),
        "class-name-invalid",
    );
    assert!(all[0].starts_with("name the DeviceClass"), "{all:?}");
}

/// An expression where a selector or a list of selectors belongs is put one or two levels deeper; its comments and lines stay.
#[test]
fn a_bare_expression_is_put_under_its_keys() {
    let head = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata:\n  name: c\nspec:\n";
    let expression = "device.driver == 'a' # ours";
    for (wrong, right, example) in [
        (
            format!("  selectors: {expression}\n"),
            format!("  selectors:\n    - cel:\n        expression: {expression}\n"),
            "[{cel: {expression: …}}]",
        ),
        (
            format!("  selectors:\n  - {expression}\n  - cel: {{expression: 'device.driver == \"b\"'}}\n"),
            format!("  selectors:\n  - cel:\n      expression: {expression}\n  - cel: {{expression: 'device.driver == \"b\"'}}\n"),
            "{cel: {expression: …}}",
        ),
        (
            "  selectors:\n  - cel: |\n      device.driver == 'a' &&\n        device.driver != 'b'\n".to_owned(),
            "  selectors:\n  - cel:\n      expression: |\n        device.driver == 'a' &&\n          device.driver != 'b'\n".to_owned(),
            "{expression: …}",
        ),
    ] {
        let text = format!("{head}{wrong}");
        assert_eq!(
            help("1.37", &text, "type-mismatch"),
            format!("an expression is under `expression`: write `{example}` here")
        );
        assert_eq!(fixed(&text, "type-mismatch"), format!("{head}{right}"));
    }
    // Words that are no expression are not known to be one.
    let text = format!("{head}  selectors:\n  - the fast ones\n");
    assert!(help("1.37", &text, "type-mismatch").starts_with("write a map here"));
}

/// No other group of Kubernetes has these kinds.
#[test]
fn a_kind_in_another_group_of_kubernetes_is_not_passed_over() {
    for (written, right) in [
        ("resource.kubernetes.io/v1", "resource.k8s.io/v1"),
        ("dra.k8s.io/v1beta1", "resource.k8s.io/v1beta1"),
        ("apps/v1", "resource.k8s.io/v1"),
        ("scheduling.k8s.io/v2", "resource.k8s.io/v1"),
    ] {
        let text = claim("requests: []").replace("resource.k8s.io/v1", written);
        let answer = validate("1.37", &text);
        let first = &answer["findings"][0];
        assert_eq!(first["code"], "group-misspelled", "{answer}");
        let fixed = apply(&text, &first["fixes"][0]);
        assert!(fixed.contains(&format!("apiVersion: {right}\n")), "{fixed}");
    }
    for other in ["gpu.example.com/v1", "resource.crossplane.io/v1"] {
        let text = claim("requests: []").replace("resource.k8s.io/v1", other);
        let answer = validate("1.37", &text);
        assert!(!answer.to_string().contains("group-misspelled"), "{answer}");
    }
}

/// Files for other tools, given alone, are said to be such.
#[test]
fn documents_for_other_tools_are_named() {
    for (text, said) in [
        ("resources: [../base]\n", "this looks like a kustomization"),
        ("namePrefix: a-\n", "this looks like a kustomization"),
        (
            "apiVersion: v2\nname: c\nversion: 0.1.0\n",
            "this looks like the description of a Helm chart",
        ),
        (
            "gpu: {class: c}\n",
            "a manifest has `apiVersion` and `kind`",
        ),
    ] {
        assert!(help("1.37", text, "no-kind").starts_with(said), "{text}");
    }
    let text = claim("").replace("kind", "Kind");
    let answer = validate("1.37", &text);
    let fixed = apply(&text, &answer["findings"][0]["fixes"][0]);
    assert_eq!(fixed, claim(""));
}

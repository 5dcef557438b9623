//! Upstream's own test cases for node selectors (component-helpers, scheduling/corev1/nodeaffinity/nodeaffinity.go and its
//! tests), re-expressed.

use serde_json::{Value, json};

/// A requirement.
fn r(key: &str, operator: &str, values: &[&str]) -> Value {
    match values {
        [] => json!({"key": key, "operator": operator}),
        values => json!({"key": key, "operator": operator, "values": values}),
    }
}

/// A term of expressions and fields.
fn term(expressions: &[Value], fields: &[Value]) -> Value {
    json!({"matchExpressions": expressions, "matchFields": fields})
}

fn expressions(expressions: &[Value]) -> Value {
    json!({"matchExpressions": expressions})
}

fn name(operator: &str, names: &[&str]) -> Value {
    r("metadata.name", operator, names)
}

/// A node by name and labels.
fn node(name: &str, labels: &[(&str, &str)]) -> Value {
    let labels: serde_json::Map<String, Value> = labels
        .iter()
        .map(|(key, value)| ((*key).to_owned(), json!(value)))
        .collect();
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}})
}

/// The selector check of terms on a node; the release is 1.30.
fn check(terms: &[Value], node: &Value) -> Value {
    let nodes = if node.is_null() {
        Value::Null
    } else {
        Value::String(node.to_string())
    };
    let selector = json!({"nodeSelectorTerms": terms}).to_string();
    let request =
        json!({"verb": "evaluate", "release": "1.30", "selector": selector, "nodes": nodes})
            .to_string();
    let answer: Value = serde_json::from_str(&claimkit::requests::answer(&request)).unwrap();
    answer["objects"][0]["placement"]["nodes"][0]["selector"].clone()
}

const NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

#[test]
fn node_selector_match() {
    let bad = [
        term(&[], &[name("In", &["host_1", "host_2"])]),
        term(
            &[r("label_1", "In", &["label_1_val"])],
            &[name("In", &["host_1"])],
        ),
        term(&[r("invalid key", "In", &["label_value"])], &[]),
    ];
    let error = format!(
        "[nodeSelectorTerms[0].matchFields[0].values: Invalid value: []string{{\"host_1\", \"host_2\"}}: must have one element, nodeSelectorTerms[2].matchExpressions[0].key: Invalid value: \"invalid key\": {NAME}]"
    );
    assert_eq!(check(&bad, &node("host_1", &[]))["eagerError"], error);

    let both = [term(
        &[r("label_1", "In", &["label_1_val"])],
        &[name("In", &["host_1"])],
    )];
    let either = [
        expressions(&[r("label_1", "In", &["label_1_val"])]),
        term(&[], &[name("In", &["host_1"])]),
    ];
    let labelled = node("host_1", &[("label_1", "label_1_val")]);
    for (what, terms, node, matches) in [
        ("nil node", &[][..], Value::Null, false),
        (
            "the field matches but not the label",
            &both[..],
            node("host_1", &[]),
            false,
        ),
        ("both match", &both[..], labelled, true),
        (
            "the second term matches",
            &either[..],
            node("host_1", &[]),
            true,
        ),
    ] {
        let got = check(terms, &node);
        let expected = if matches { "Match" } else { "NoMatch" };
        assert_eq!(
            (&got["eager"], &got["lazy"]),
            (&json!(expected), &json!(expected)),
            "{what}"
        );
    }
}

#[test]
fn requirements_as_selectors() {
    let at = "nodeSelectorTerms[0].matchExpressions[0]";
    let on = node("n", &[("foo", "bar"), ("num", "5")]);
    assert_eq!(
        check(&[expressions(&[])], &on)["eager"],
        "NoMatch",
        "no requirement selects nothing"
    );
    assert_eq!(
        check(&[expressions(&[r("foo", "In", &["bar", "baz"])])], &on)["eager"],
        "Match"
    );
    assert_eq!(
        check(&[expressions(&[r("num", "Gt", &["1"])])], &on)["eager"],
        "Match"
    );
    assert_eq!(
        check(&[expressions(&[r("num", "Lt", &["7"])])], &on)["eager"],
        "Match"
    );
    let exists = format!(
        "{at}.values: Invalid value: []string{{\"bar\", \"baz\"}}: values set must be empty for exists and does not exist"
    );
    assert_eq!(
        check(&[expressions(&[r("foo", "Exists", &["bar", "baz"])])], &on)["eagerError"],
        exists
    );
    let invalid = format!(
        "{at}.operator: Unsupported value: \"invalid\": supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\""
    );
    assert_eq!(
        check(&[expressions(&[r("baz", "invalid", &["5"])])], &on)["eagerError"],
        invalid
    );
}

#[test]
fn pod_affinity_terms() {
    let bar = || node("n", &[("foo", "bar")]);
    let gpu = || node("n", &[("GPU", "NVIDIA-GRID-K1")]);
    let named = |name: &str| node(name, &[("foo", "bar")]);
    let or = |value: &str| {
        vec![
            term(&[], &[name("In", &["node_1"])]),
            expressions(&[r("foo", "In", &[value])]),
        ]
    };
    let and = || {
        vec![term(
            &[r("foo", "In", &["bar"])],
            &[name("In", &["node_1"])],
        )]
    };
    let one = |requirement: Value| vec![expressions(&[requirement])];
    let cases: Vec<(Vec<Value>, Value, bool)> = vec![
        (one(r("foo", "In", &["bar", "value2"])), bar(), true),
        (
            one(r("kernel-version", "Gt", &["0204"])),
            node("n", &[("kernel-version", "0206")]),
            true,
        ),
        (
            one(r("mem-type", "NotIn", &["DDR", "DDR2"])),
            node("n", &[("mem-type", "DDR3")]),
            true,
        ),
        (one(r("GPU", "Exists", &[])), gpu(), true),
        (one(r("foo", "In", &["value1", "value2"])), bar(), false),
        (vec![], bar(), false),
        (vec![json!({"matchExpressions": []})], bar(), false),
        (
            vec![expressions(&[
                r("GPU", "Exists", &[]),
                r("GPU", "NotIn", &["AMD", "INTER"]),
            ])],
            gpu(),
            true,
        ),
        (
            vec![expressions(&[
                r("GPU", "Exists", &[]),
                r("GPU", "In", &["AMD", "INTER"]),
            ])],
            gpu(),
            false,
        ),
        (
            vec![
                expressions(&[r("foo", "In", &["bar", "value2"])]),
                expressions(&[r("diffkey", "In", &["wrong", "value2"])]),
            ],
            bar(),
            true,
        ),
        (
            vec![term(&[], &[name("In", &["node_1"])])],
            named("node_1"),
            true,
        ),
        (
            vec![term(&[], &[name("In", &["node_1"])])],
            named("node_2"),
            false,
        ),
        (or("bar"), named("node_2"), true),
        (and(), named("node_2"), false),
        (and(), named("node_1"), true),
        (or("not-match-to-bar"), named("node_2"), false),
    ];
    for (terms, node, matches) in cases {
        let got = check(&terms, &node);
        assert_eq!(
            got["lazy"],
            if matches { "Match" } else { "NoMatch" },
            "{terms:?} on {node}"
        );
    }
    // A value that is not a label value: nothing matches, and the reason is a parse error.
    let got = check(
        &one(r("foo", "NotIn", &["invalid value: ___@#$%^"])),
        &bar(),
    );
    assert_eq!(got["lazy"], "Error");
    assert_eq!(
        got["lazyError"],
        format!(
            "nodeSelectorTerms[0].matchExpressions[0].values[0][foo]: Invalid value: \"invalid value: ___@#$%^\": {VALUE}"
        )
    );
}

#[test]
fn requirement_constructor() {
    let long = "a".repeat(254);
    let at = "nodeSelectorTerms[0].matchExpressions[0].";
    for (requirement, field) in [
        (r("x1", "In", &[]), Some("values")),
        (r("x2", "NotIn", &[]), Some("values")),
        (r("x3", "In", &["foo"]), None),
        (r("x4", "NotIn", &["foo"]), None),
        (r("x7", "Exists", &[]), None),
        (r("x8", "Exists", &["foo"]), Some("values")),
        (r("x8", "DoesNotExist", &["foo"]), Some("values")),
        (r("x9", "DoesNotExist", &[]), None),
        (r("x9", "Gt", &["1"]), None),
        (r("x10", "Lt", &["6"]), None),
        (r("x11", "Gt", &[]), Some("values")),
        (r("x13", "Gt", &["bar"]), Some("values[0]")),
        (r("x14", "Lt", &["bar"]), Some("values[0]")),
        (r(&long, "Exists", &[]), Some("key")),
        (r("x16", "In", &[&long]), Some("values[0][x16]")),
        (r("x17", "In", &["a b"]), Some("values[0][x17]")),
        (r("x18", "unsupportedOp", &[]), Some("operator")),
        // Operators of label selectors that node selectors do not have.
        (r("x5", "=", &["foo"]), Some("operator")),
        (r("x6", "in", &["foo"]), Some("operator")),
    ] {
        let error = check(
            &[expressions(std::slice::from_ref(&requirement))],
            &node("n", &[]),
        )["eagerError"]
            .clone();
        match field {
            None => assert_eq!(error, Value::Null, "{requirement}"),
            Some(field) => {
                let error = error
                    .as_str()
                    .unwrap_or_else(|| panic!("{requirement} was accepted"));
                assert!(
                    error.starts_with(&format!("{at}{field}: ")),
                    "{requirement}: {error}"
                );
            }
        }
    }
}

#[test]
fn requirement_matching() {
    let two = || node("n", &[("x", "foo"), ("y", "baz")]);
    let empty = || node("n", &[("y", "")]);
    for (node, requirements, matches) in [
        (two(), vec![], false),
        (
            two(),
            vec![r("x", "In", &["foo"]), r("y", "NotIn", &["alpha"])],
            true,
        ),
        (
            two(),
            vec![r("x", "In", &["foo"]), r("y", "In", &["alpha"])],
            false,
        ),
        (
            empty(),
            vec![r("x", "NotIn", &[""]), r("y", "Exists", &[])],
            true,
        ),
        (
            empty(),
            vec![r("x", "DoesNotExist", &[]), r("y", "Exists", &[])],
            true,
        ),
        (
            empty(),
            vec![r("x", "NotIn", &[""]), r("y", "DoesNotExist", &[])],
            false,
        ),
        (two(), vec![r("y", "In", &[""])], false),
        (node("n", &[("z", "2")]), vec![r("z", "Gt", &["1"])], true),
        (node("n", &[("z", "v2")]), vec![r("z", "Gt", &["1"])], false),
        // From the string syntax, as far as node selectors can say it.
        (
            node("n", &[("x", "z"), ("z", "a")]),
            vec![r("x", "NotIn", &["y"]), r("z", "NotIn", &["w"])],
            true,
        ),
        (
            node("n", &[("x", "z"), ("z", "w")]),
            vec![r("x", "NotIn", &["y"]), r("z", "NotIn", &["w"])],
            false,
        ),
        (
            node("n", &[("y", "z")]),
            vec![r("x", "DoesNotExist", &[])],
            true,
        ),
        (
            node("n", &[("x", "z")]),
            vec![r("x", "DoesNotExist", &[])],
            false,
        ),
        (node("n", &[("y", "z")]), vec![r("x", "Exists", &[])], false),
        (node("n", &[("x", "0")]), vec![r("x", "Gt", &["1"])], false),
        (node("n", &[("x", "0")]), vec![r("x", "Lt", &["1"])], true),
        (node("n", &[("x", "2")]), vec![r("x", "Lt", &["1"])], false),
    ] {
        let got = check(&[expressions(&requirements)], &node);
        assert_eq!(
            got["eager"],
            if matches { "Match" } else { "NoMatch" },
            "{requirements:?} on {node}"
        );
    }
}

#[test]
fn every_requirement_says_why() {
    let on = node(
        "n1",
        &[("zone", "a"), ("num", "5"), ("word", "v2"), ("empty", "")],
    );
    let many: Vec<String> = (0..12).map(|n| format!("v{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for (requirement, holds, why) in [
        (r("zone", "In", &["a"]), true, "label `zone` is `a`"),
        (
            r("zone", "In", &["b", "a"]),
            true,
            "label `zone` is `a`, one of `a`, `b`",
        ),
        (
            r("zone", "In", &["b"]),
            false,
            "label `zone` is `a`, wanted `b`",
        ),
        (
            r("zone", "In", &many),
            false,
            "label `zone` is `a`, wanted one of `v0`, `v1`, `v10`, `v11`, `v2`, `v3`, `v4`, `v5`, 4 more",
        ),
        (
            r("none", "In", &["b", "c"]),
            false,
            "label `none` is missing, wanted one of `b`, `c`",
        ),
        (
            r("zone", "NotIn", &["a"]),
            false,
            "label `zone` is `a`, wanted anything but `a`",
        ),
        (
            r("zone", "NotIn", &["a", "b"]),
            false,
            "label `zone` is `a`, wanted none of `a`, `b`",
        ),
        (
            r("none", "NotIn", &["a"]),
            true,
            "label `none` is missing, not `a`",
        ),
        (r("empty", "Exists", &[]), true, "label `empty` is empty"),
        (r("none", "Exists", &[]), false, "label `none` is missing"),
        (
            r("zone", "DoesNotExist", &[]),
            false,
            "label `zone` is `a`, wanted none",
        ),
        (
            r("none", "DoesNotExist", &[]),
            true,
            "label `none` is missing",
        ),
        (
            r("num", "Gt", &["4"]),
            true,
            "label `num` is `5`, more than `4`",
        ),
        (
            r("num", "Gt", &["5"]),
            false,
            "label `num` is `5`, wanted more than `5`",
        ),
        (
            r("num", "Lt", &["6"]),
            true,
            "label `num` is `5`, less than `6`",
        ),
        (
            r("word", "Lt", &["6"]),
            false,
            "label `word` is `v2`, which is not an integer, wanted less than `6`",
        ),
        (
            r("none", "Lt", &["6"]),
            false,
            "label `none` is missing, wanted less than `6`",
        ),
    ] {
        let got = check(&[expressions(std::slice::from_ref(&requirement))], &on);
        let told = &got["terms"][0]["requirements"][0];
        assert_eq!(
            (&told["why"], &told["holds"]),
            (&json!(why), &json!(holds)),
            "{requirement}"
        );
    }
    let nameless = json!({"kind": "Node", "metadata": {}});
    let got = check(&[term(&[], &[name("In", &["n1"])])], &nameless);
    assert_eq!(
        got["eager"], "Match",
        "fields of a node without a name are not looked at"
    );
    assert_eq!(got["terms"][0]["requirements"][0]["holds"], Value::Null);
    let got = check(&[term(&[], &[r("spec.x", "In", &["y"])])], &on);
    assert_eq!(
        got["terms"][0]["requirements"][0]["why"],
        "field `spec.x` is empty, wanted `y`"
    );
}

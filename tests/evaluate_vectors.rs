//! Node selectors against the recorded answers of upstream's matcher (Kubernetes 1.30): both flavors and their errors.

use serde_json::{Value, json};

/// Evaluates a selector on one node with one line of JSON, as any host would.
fn check(selector: &Value, node: &Value, release: &str) -> (bool, Value) {
    let nodes = match node {
        Value::Null => Value::Null,
        node => {
            let mut node = node.clone();
            node["apiVersion"] = json!("v1");
            node["kind"] = json!("Node");
            Value::String(node.to_string())
        }
    };
    let request = json!({"verb": "evaluate", "release": release, "selector": selector.to_string(), "nodes": nodes});
    let answer = crate::support::ask(&request);
    (
        answer["ok"] == true,
        answer["objects"][0]["placement"]["nodes"][0]["selector"].clone(),
    )
}

fn run(name: &str) -> usize {
    let path = format!("{}/tests/vectors/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let lines = std::fs::read_to_string(path).unwrap();
    let mut cases = 0;
    for line in lines.split('\n').filter(|line| !line.is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let (ok, got) = check(&case["sel"], &case["node"], "1.30");
        let outcome = |error: &Value, matched: &Value| match (error.is_null(), matched == true) {
            (false, _) => "Error",
            (true, true) => "Match",
            (true, false) => "NoMatch",
        };
        let name = &case["name"];
        assert_eq!(got["eagerError"], case["eagerErr"], "{name}");
        assert_eq!(got["lazyError"], case["lazyErr"], "{name}");
        assert_eq!(
            got["eager"],
            outcome(&case["eagerErr"], &case["eager"]),
            "{name}"
        );
        assert_eq!(
            got["lazy"],
            outcome(&case["lazyErr"], &case["lazy"]),
            "{name}"
        );
        assert_eq!(
            ok,
            case["eagerErr"].is_null(),
            "{name}: ok says whether the selector parsed"
        );
        consistent(&got);
        cases += 1;
    }
    cases
}

/// The results of requirements agree with the results of their terms and selector.
fn consistent(check: &Value) {
    let terms = check["terms"].as_array().unwrap();
    for term in terms {
        let requirements = term["requirements"].as_array().unwrap();
        let holds = |wanted: Value| requirements.iter().filter(|r| r["holds"] == wanted).count();
        match term["outcome"].as_str().unwrap() {
            "Empty" => assert!(requirements.is_empty()),
            "Match" => assert!(
                holds(json!(false)) == 0 && !requirements.is_empty(),
                "{term}"
            ),
            // A nil node is not judged.
            "NoMatch" => assert!(
                holds(json!(false)) > 0 || holds(Value::Null) == requirements.len(),
                "{term}"
            ),
            "Error" => assert!(holds(Value::Null) > 0, "{term}"),
            other => panic!("{other}"),
        }
    }
    let first = terms.iter().position(|term| term["outcome"] == "Match");
    assert_eq!(
        check["matchedTerm"].as_u64(),
        first.map(|at| at as u64),
        "{check}"
    );
    assert_eq!(check["lazy"] == "Match", first.is_some());
    if let Some(nearest) = check["nearestTerm"].as_u64() {
        let failing = |term: &Value| {
            term["requirements"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|r| r["holds"] == false)
                .count()
        };
        let fewest = terms
            .iter()
            .filter(|term| term["outcome"] == "NoMatch")
            .map(failing)
            .min()
            .unwrap();
        assert_eq!(failing(&terms[nearest as usize]), fewest);
    }
}

#[test]
fn recorded() {
    assert_eq!(run("nodeselector"), 92);
}

#[test]
fn recorded_at_random() {
    assert_eq!(run("random-nodeselector"), 700);
}

#[test]
fn earlier_releases_do_not_list_operators() {
    let selector =
        json!({"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Foo"}]}]});
    let node = json!({"metadata": {"name": "n"}});
    for (release, text) in [
        ("1.26", "Unsupported value: \"Foo\""),
        ("1.27.3", "Unsupported value: \"Foo\""),
        (
            "1.28",
            r#"Unsupported value: "Foo": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt""#,
        ),
        (
            "1.30",
            r#"Unsupported value: "Foo": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt""#,
        ),
    ] {
        let (_, got) = check(&selector, &node, release);
        assert_eq!(
            got["eagerError"],
            format!("nodeSelectorTerms[0].matchExpressions[0].operator: {text}"),
            "{release}"
        );
    }
}

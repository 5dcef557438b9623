//! Realistic nodes, the level of detail for many nodes, and findings about the selector itself.

use crate::support::ask;
use claimkit_model::limits::Limits;
use claimkit_scheduler::PreparedNodes;
use serde_json::{Value, json};

fn read(text: &str) -> PreparedNodes {
    PreparedNodes::read(text, &Limits::default())
}

/// Names and labels, `name{key=value,…}`, and the codes of the findings.
fn shown(nodes: &PreparedNodes) -> (Vec<String>, Vec<&'static str>) {
    let node = |at: usize| {
        let labels = nodes
            .labels()
            .filter_map(|label| Some(format!("{}={}", label.key(), label.value(at)?)));
        format!(
            "{}{{{}}}",
            nodes.name(at),
            labels.collect::<Vec<_>>().join(",")
        )
    };
    (
        (0..nodes.len()).map(node).collect(),
        nodes
            .findings()
            .iter()
            .map(|finding| finding.code.name())
            .collect(),
    )
}

/// A node as kubectl prints it, with the large parts that the reader skips.
fn printed(name: &str, labels: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "annotations": {"note": "{ \"not\": [a node\\ ] } \u{1F600}", "x\"y": "z"},
            "creationTimestamp": "2024-01-01T00:00:00Z", "labels": labels, "name": name, "resourceVersion": "12",
            "ownerReferences": [{"kind": "Cluster", "name": "not the name"}],
        },
        "spec": {"podCIDR": "10.0.0.0/24", "taints": [{"key": "a", "effect": "NoSchedule"}], "unschedulable": true},
        "status": {"images": [{"names": ["x@sha256:1", "y"], "sizeBytes": 12.5e3}], "conditions": [], "nodeInfo": {"kind": "no", "metadata": {"name": "no"}}},
    })
}

#[test]
fn every_form() {
    let a = printed("a", &json!({"zone": "z1", "gpu": ""}));
    let b = printed("b", &json!({"zone": "z2"}));
    let expected = (
        vec!["a{gpu=,zone=z1}".to_owned(), "b{zone=z2}".to_owned()],
        vec![],
    );
    let bare = |node: &Value| json!({"metadata": node["metadata"]});
    let yaml = |node: &Value| {
        format!(
            "metadata:\n  labels: {}\n  name: {}\nkind: Node\n",
            node["metadata"]["labels"], node["metadata"]["name"]
        )
    };
    for text in [
        json!({"apiVersion": "v1", "items": [a, b], "kind": "List", "metadata": {"resourceVersion": "", "name": "no"}})
            .to_string(),
        serde_json::to_string_pretty(
            &json!({"kind": "NodeList", "apiVersion": "v1", "metadata": {}, "items": [bare(&a), bare(&b)]}),
        )
        .unwrap(),
        format!("{a}{b}"),
        format!("{a}\n{b}\n"),
        format!("{a}\n---\n{b}"),
        format!("\n {a}\n---\n---\n{}", yaml(&b)),
        format!("{}---\n{b}", yaml(&a)),
        format!("{}---\n{}", yaml(&a), yaml(&b)),
        format!("kind: NodeList\napiVersion: v1\nitems:\n- {a}\n- {b}\n"),
        format!("- &x {a}\n").replace("- &x", "items: [").replace('\n', "") + &format!(", {b}]\n"),
    ] {
        assert_eq!(shown(&read(&text)), expected, "{text}");
    }
}

#[test]
fn odd_nodes() {
    for (text, expected, findings) in [
        // Values that cannot be a node, or a node without a name.
        ("", &[][..], &["node-unusable"][..]),
        ("{}", &["{}"], &["node-unusable"]),
        ("[]", &[], &["node-unusable"]),
        (
            r#"{"kind":"NodeList","apiVersion":"v1","items":[]}"#,
            &[],
            &["node-unusable"],
        ),
        (
            "kind: NodeList\napiVersion: v1\nitems: []\n",
            &[],
            &["node-unusable"],
        ),
        (
            r#"{"kind":"Pod","metadata":{"name":"p"}}"#,
            &[],
            &["node-skipped", "node-unusable"],
        ),
        (
            "kind: Status\nstatus: Failure\n",
            &[],
            &["node-skipped", "node-unusable"],
        ),
        (
            "NAME     STATUS   ROLES    AGE\nnode-a   Ready    <none>   3d\n",
            &[],
            &["node-unusable"],
        ),
        (
            r#"{"kind":"Node","metadata":{"name":"a","labels":null}}"#,
            &["a{}"],
            &[],
        ),
        (
            r#"{"metadata":{"name":null,"labels":{"a":null}}}"#,
            &["{a=}"],
            &["node-unusable"],
        ),
        (
            r#"{"metadata":{"name":"n","labels":{"a":null}}}"#,
            &["n{a=}"],
            &[],
        ),
        // The last of equal keys counts; escapes are read.
        (
            r#"{"metadata":{"labels":{"a":"1","b":"2","a":"3"},"name":"x\u0041\n"}}"#,
            &["xA\n{a=3,b=2}"],
            &[],
        ),
        (
            r#"{"kind":"Pod","metadata":{"name":"p"}} {"kind":"Node","metadata":{"name":"n"}}"#,
            &["n{}"],
            &["node-skipped"],
        ),
        (
            r#"{"metadata":{"name":"n","labels":{"cores":8,"a":"b"}}}"#,
            &["n{a=b}"],
            &["node-mistyped"],
        ),
        (
            "metadata: {name: m, labels: {cores: 8, a: b}}",
            &["m{a=b}"],
            &["node-mistyped"],
        ),
        (r#"{"metadata":{"name":7}}"#, &["{}"], &["node-unusable"]),
        // Malformed in a part that matters: the reader with the server's messages reports it.
        (r#"{"metadata":{"name":"a}}"#, &[], &["json-syntax"]),
        (
            r#"{"metadata":{"name":"a"}}{"metadata""#,
            &["a{}"],
            &["json-syntax"],
        ),
        ("metadata: {name: a}\n---\n- [", &["a{}"], &["yaml-syntax"]),
    ] {
        let (nodes, codes) = shown(&read(text)).clone();
        assert_eq!(
            (
                nodes
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .as_slice(),
                codes.as_slice()
            ),
            (expected, findings),
            "{text}"
        );
    }
    // Deep brackets are counted, not descended into.
    let deep = format!(
        r#"{{"spec":{}{},"metadata":{{"name":"n"}}}}"#,
        "[".repeat(1_000_000),
        "]".repeat(1_000_000)
    );
    assert_eq!(shown(&read(&deep)).0, ["n{}"]);
    // Errors in the text with Nodes are errors of the answer, with their place in that text.
    let answer = ask(&json!({"verb": "evaluate", "selector": "{}", "nodes": "{\"metadata\":"}));
    assert_eq!(answer["ok"], false);
    let finding = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["code"] == "json-syntax")
        .unwrap();
    assert_eq!(
        (&finding["in"], &finding["message"]),
        (&json!("nodes"), &json!("unexpected EOF"))
    );
    assert_eq!(
        finding["range"]["start"],
        json!({"line": 0, "character": 12, "offset": 12, "byteOffset": 12})
    );
    let limited = PreparedNodes::read("{}", &Limits::default().node_set_bytes(1));
    assert_eq!(shown(&limited).1, ["limit-bytes"]);
}

/// What `kubectl get nodes -o json` prints: about 10 KB for each node.
fn realistic(count: usize) -> String {
    let images: Vec<Value> = (0..40)
        .map(|n| json!({"names": [format!("registry.example.com/team/image-{n}@sha256:{}", "0123456789abcdef".repeat(4)), format!("registry.example.com/team/image-{n}:v1.{n}")], "sizeBytes": 100_000_000 + n}))
        .collect();
    let nodes: Vec<Value> = (0..count)
        .map(|n| {
            let mut node = printed(
                &format!("node-{n:05}.cluster.example.com"),
                &json!({
                    "beta.kubernetes.io/arch": "amd64", "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
                    "kubernetes.io/hostname": format!("node-{n:05}.cluster.example.com"),
                    "topology.kubernetes.io/zone": format!("eu-{}", n % 3), "topology.kubernetes.io/region": "eu",
                    "node.kubernetes.io/instance-type": format!("m{}", n % 17), "gpu.example.com/model": (["a100", "h100", "t4"][n % 3]),
                    "gpu.example.com/count": (n % 9).to_string(), "rack": format!("r{}", n % 211),
                }),
            );
            node["status"]["images"] = json!(images);
            node
        })
        .collect();
    serde_json::to_string_pretty(&json!({"apiVersion": "v1", "items": nodes, "kind": "List"}))
        .unwrap()
}

#[test]
fn many_nodes_stay_small() {
    let text = realistic(500);
    assert!(text.len() > 500 * 8_000, "{}", text.len());
    let nodes = read(&text);
    assert_eq!((nodes.len(), nodes.findings().len()), (500, 0));
    let kept: usize = nodes.names().map(str::len).sum::<usize>()
        + nodes
            .labels()
            .map(|label| {
                (0..nodes.len())
                    .filter_map(|n| label.value(n))
                    .map(|v| v.len() + label.key().len())
                    .sum::<usize>()
            })
            .sum::<usize>();
    assert!(
        nodes.memory() <= 2 * kept,
        "{} bytes for {kept} kept",
        nodes.memory()
    );
}

#[test]
fn unlike_labels_stay_small_too() {
    // Each label key is on one node only: the worst case for columns.
    let nodes: Vec<Value> = (0..2000)
        .map(|n| json!({"metadata": {"name": format!("n{n}"), "labels": {format!("example.com/only-here-{n}"): "true"}}}))
        .collect();
    let nodes = read(&json!({"items": nodes}).to_string());
    let kept: usize = (0..2000)
        .map(|n| format!("n{n}example.com/only-here-{n}true").len())
        .sum();
    assert!(
        nodes.memory() <= 3 * kept,
        "{} bytes for {kept} kept",
        nodes.memory()
    );
    assert_eq!(
        nodes.label("example.com/only-here-7").unwrap().value(7),
        Some("true")
    );
    assert_eq!(
        nodes.label("example.com/only-here-7").unwrap().value(8),
        None
    );
}

const SELECTOR: &str = "nodeSelectorTerms:
- matchExpressions:
  - {key: gpu.example.com/model, operator: In, values: [a100]}
  - {key: rack, operator: In, values: [r1, r2, r3]}
- matchExpressions:
  - {key: gpu.example.com/count, operator: Gt, values: ['20']}
";

#[test]
fn much_is_summarized() {
    let text = realistic(300);
    let request = |more: &Value| {
        let mut request = json!({"verb": "evaluate", "selector": SELECTOR, "nodes": text});
        request
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        request
    };
    let full = ask(&request(&json!({"detail": "full"})))["objects"][0]["placement"].clone();
    let summary = ask(&request(&json!({})))["objects"][0]["placement"].clone();
    assert_eq!(
        (&full["detail"], &summary["detail"]),
        (&json!("full"), &json!("summary"))
    );
    assert_eq!(full["counts"], summary["counts"]);
    for (full, summary) in full["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .zip(summary["nodes"].as_array().unwrap())
    {
        for part in ["name", "verdict", "reason", "range"] {
            assert_eq!(full[part], summary[part]);
        }
        for part in ["eager", "lazy", "matchedTerm", "nearestTerm"] {
            assert_eq!(full["selector"][part], summary["selector"][part]);
        }
        assert!(full["selector"]["terms"].is_array());
        assert_eq!(summary["selector"]["terms"], Value::Null);
    }
    let asked = ask(&request(
        &json!({"explain": ["node-00007.cluster.example.com"]}),
    ))["objects"][0]["placement"]
        .clone();
    for (at, node) in asked["nodes"].as_array().unwrap().iter().enumerate() {
        assert_eq!(node["selector"]["terms"].is_array(), at == 7);
    }
    assert_eq!(
        ask(&request(&json!({"explain": ["nope"]})))["error"],
        "no Node `nope` to explain is among the nodes given"
    );
    let few = realistic(claimkit::requests::FULL_NODES);
    assert_eq!(
        ask(&json!({"verb": "evaluate", "selector": SELECTOR, "nodes": few}))["objects"][0]["placement"]
            ["detail"],
        "full"
    );

    // The inverse view adds up.
    let inverse = &summary["selectors"][0];
    assert_eq!(inverse["selects"], summary["counts"]["yes"]);
    let requirements = inverse["requirements"].as_array().unwrap();
    assert_eq!(
        requirements
            .iter()
            .map(|r| r["empties"] == true)
            .collect::<Vec<_>>(),
        [false, false, true]
    );
    for (at, requirement) in requirements.iter().enumerate() {
        let fails = |node: &Value, at: usize| {
            let (term, index) = if at < 2 { (0, at) } else { (1, 0) };
            node["selector"]["terms"][term]["requirements"][index]["holds"] == false
        };
        let nodes = full["nodes"].as_array().unwrap();
        let removes = nodes.iter().filter(|node| fails(node, at)).count();
        let alone = nodes
            .iter()
            .filter(|node| fails(node, at) && (at == 2 || !fails(node, 1 - at)))
            .count();
        assert_eq!(
            (
                requirement["removes"].as_u64(),
                requirement["removesAlone"].as_u64()
            ),
            (Some(removes as u64), Some(alone as u64))
        );
    }
}

#[test]
fn reads_well_aloud() {
    let class = "apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClass
metadata: {name: gpu}
driverName: gpu.example.com
suitableNodes:
  nodeSelectorTerms:
  - matchExpressions:
    - {key: cpu, operator: Exists}
    - {key: disk, operator: In, values: [ssd]}
  - matchExpressions:
    - {key: kubernetes.io/os, operator: In, values: [linux]}
    - {key: gpu.example.com/model, operator: In, values: [a100, h100]}
";
    let node =
        "metadata: {name: node-3, labels: {gpu.example.com/model: t4, kubernetes.io/os: linux}}";
    let nodes = claimkit::PreparedNodes::read(node, &claimkit::Limits::default());
    let answer = claimkit::evaluate(class, &nodes, &claimkit::EvaluateOptions::default());
    let node = &answer.placements[0].as_ref().unwrap().nodes[0];
    let place = |range: &claimkit::located::Range| {
        Some(format!(
            "class.yaml:{}:{}",
            range.start.line + 1,
            range.start.character + 1
        ))
    };
    let line =
        claimkit::report::nodes::line(node, &place, claimkit::report::text::TerminalStyle::plain());
    assert_eq!(
        line,
        "node-3: no: term 2 of 2 misses by one: label `gpu.example.com/model` is `t4`, wanted one of `a100`, `h100` (class.yaml:12:7)"
    );
}

/// Findings about a selector on two nodes: code, path and help.
fn lints(selector: &str) -> Vec<(String, String, String)> {
    let nodes = "metadata: {name: a, labels: {gpu.example.com/model: a100, zone: x, count: '4'}}\n---\nmetadata: {name: b, labels: {gpu.example.com/model: h100}}";
    let answer = ask(&json!({"verb": "evaluate", "selector": selector, "nodes": nodes}));
    let part = |finding: &Value, part: &str| finding[part].as_str().unwrap_or_default().to_owned();
    let findings = answer["findings"].as_array().unwrap();
    assert!(
        findings.iter().all(|finding| finding["range"].is_object()),
        "{answer}"
    );
    findings
        .iter()
        .map(|finding| {
            (
                part(finding, "code"),
                part(finding, "path"),
                part(finding, "help"),
            )
        })
        .collect()
}

#[test]
fn about_the_selector_itself() {
    let term =
        |requirements: &str| format!("nodeSelectorTerms: [{{matchExpressions: [{requirements}]}}]");
    let at = "nodeSelectorTerms[0]";
    let first = "nodeSelectorTerms[0].matchExpressions[0]";
    for (selector, code, path, help) in [
        ("nodeSelectorTerms: []".to_owned(), "node-selector-term-empty", "nodeSelectorTerms", "leave the selector out to select every node"),
        (
            "nodeSelectorTerms: [{}, {matchExpressions: [{key: zone, operator: Exists}]}]".to_owned(),
            "node-selector-term-empty",
            at,
            "remove it: it does not mean `every node`",
        ),
        (
            "nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [x, z]}]}, {matchExpressions: [{key: zone, operator: In, values: [z, x, x]}]}]".to_owned(),
            "node-selector-term-duplicate",
            "nodeSelectorTerms[1]",
            "remove one of them",
        ),
        (
            term("{key: zone, operator: Exists}, {key: zone, operator: DoesNotExist}"),
            "node-selector-never-matches",
            at,
            "all requirements of a term must hold; write alternatives as terms of their own",
        ),
        (term("{key: gpu.example.com/modle, operator: Exists}"), "node-selector-label-unknown", first, "did you mean `gpu.example.com/model`?"),
        (
            term("{key: quite-another, operator: In, values: [x]}"),
            "node-selector-label-unknown",
            first,
            "check the label's key against `kubectl get nodes --show-labels`",
        ),
        (term("{key: gpu.example.com/model, operator: In, values: [A100]}"), "node-selector-value-unknown", first, "did you mean `a100`?"),
        (term("{key: gpu.example.com/model, operator: In, values: [quadro]}"), "node-selector-value-unknown", first, "nodes have `a100`, `h100`"),
        (term("{key: count, operator: Gt, values: ['8']}"), "node-selector-value-unknown", first, "the largest value is `4`"),
        (term("{key: count, operator: Gt, values: [x]}"), "node-selector-unparsable", "nodeSelectorTerms[0].matchExpressions[0].values[0]", ""),
    ] {
        assert_eq!(lints(&selector), [(code.to_owned(), path.to_owned(), help.to_owned())], "{selector}");
    }
    for fine in [
        term("{key: gpu.example.com/model, operator: In, values: [a100, quadro]}"),
        term("{key: nowhere, operator: NotIn, values: [x]}"),
        term("{key: nowhere, operator: DoesNotExist}"),
    ] {
        assert_eq!(lints(&fine), [], "{fine}");
    }
}

#[test]
fn unusable_requests() {
    for (request, error) in [
        (
            json!({"verb": "evaluate", "text": ""}),
            "`nodes` is missing: the text with Nodes, or `null` for a nil node",
        ),
        (
            json!({"verb": "evaluate", "nodes": null}),
            "`text` is missing: the manifest to evaluate, or a bare `selector`",
        ),
        (
            json!({"verb": "evaluate", "nodes": null, "text": "", "selector": ""}),
            "give `text` or `selector`, not both",
        ),
    ] {
        assert_eq!(ask(&request)["error"], error);
    }
    let answer =
        ask(&json!({"verb": "evaluate", "text": "kind: Pod\napiVersion: v1\n", "nodes": "{}"}));
    assert_eq!(answer["ok"], false, "nothing was checked");
}

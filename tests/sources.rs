//! Several texts in one request: each is read as a file of its own, and findings and objects name their file.

use crate::support::ask;
use serde_json::{Value, json};

const CLASS: &str = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n";
const BROKEN: &str = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n  metadata: {name: x}\n";

fn node(index: usize) -> Value {
    let text = format!(
        "apiVersion: v1\nkind: Node\nmetadata: {{name: n{index}}}\nstatus: {{allocatable: {{pods: \"110\"}}}}\n---\n\
apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: n{index}-gpus}}\nspec:\n  driver: gpu.example.com\n  nodeName: n{index}\n  \
pool: {{name: n{index}, generation: 1, resourceSliceCount: 1}}\n  devices: [{{name: gpu-0}}, {{name: gpu-1}}]\n"
    );
    json!({"name": format!("nodes/n{index}.yaml"), "text": text})
}

fn claim(name: &str) -> String {
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": name},
        "spec": {"devices": {"requests": [{"name": "g", "exactly": {"deviceClassName": "gpu"}}]}},
    })
    .to_string()
}

/// Ten files with nodes, one that cannot be read, two of JSON, and one with a byte order mark.
fn folder() -> Vec<Value> {
    let mut folder = vec![json!({"name": "broken.yaml", "text": BROKEN})];
    folder.extend((0..10).map(node));
    folder.push(json!({"name": "one.json", "text": claim("one")}));
    folder.push(json!({"name": "two.json", "text": claim("two")}));
    folder.push(json!({"name": "class.yaml", "text": format!("\u{feff}{CLASS}")}));
    folder
}

#[test]
fn allocate_reads_every_file_but_the_broken_one() {
    let answer = ask(&json!({"verb": "allocate", "sources": folder()}));
    let pods = answer["pods"].as_array().unwrap();
    let claims: Vec<&Value> = pods.iter().map(|pod| &pod["claims"]).collect();
    assert_eq!(
        claims,
        [&json!(["default/one"]), &json!(["default/two"])],
        "claims without a pod are asked about one by one"
    );
    assert_eq!(pods[0]["nodes"].as_array().unwrap().len(), 10);
    assert_eq!(pods[0]["nodes"][0]["verdict"], "allocated");
    let findings = answer["findings"].as_array().unwrap();
    let broken: Vec<&Value> = findings
        .iter()
        .filter(|finding| finding["file"] == "broken.yaml")
        .collect();
    assert_eq!(broken.len(), 1, "{findings:?}");
    assert_eq!(broken[0]["severity"], "error");
    assert_eq!(broken[0]["range"]["start"]["line"], 2);
    let files: Vec<&str> = answer["objects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|object| object["file"].as_str().unwrap())
        .collect();
    assert_eq!(files.len(), 23);
    assert_eq!(files.last(), Some(&"class.yaml"));
    assert!(files.contains(&"one.json") && files.contains(&"nodes/n9.yaml"));
}

#[test]
fn a_place_counts_in_its_own_file() {
    let wrong = "# é😀\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {selectors: [{}]}\n";
    let alone = ask(&json!({"verb": "validate", "text": wrong}));
    let sources = json!([
        {"name": "a.yaml", "text": format!("# é no line end\n{}", CLASS.trim_end())},
        {"name": "b.yaml", "text": wrong},
    ]);
    for verb in ["validate", "audit", "allocate"] {
        let answer = ask(&json!({"verb": verb, "sources": sources}));
        for finding in answer["findings"].as_array().unwrap() {
            let text = finding["file"].as_str();
            assert!(
                text.is_some() || finding.get("range").is_none(),
                "{finding}"
            );
        }
        let object = answer["objects"].as_array().unwrap().last().unwrap();
        assert_eq!(object["file"], "b.yaml");
        assert_eq!(object["range"], alone["objects"][0]["range"], "{verb}");
    }
    let answer = ask(&json!({"verb": "validate", "sources": sources}));
    let of_second: Vec<&Value> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["file"] == "b.yaml")
        .collect();
    assert_eq!(of_second.len(), alone["findings"].as_array().unwrap().len());
    assert_eq!(of_second[0]["range"], alone["findings"][0]["range"]);
    assert_eq!(of_second[0]["object"], 1);
}

/// Texts read together give what the same documents give in one text.
#[test]
fn several_texts_are_one_cluster() {
    let files = folder();
    let joined: Vec<&str> = files
        .iter()
        .skip(1)
        .map(|file| {
            file["text"]
                .as_str()
                .unwrap()
                .trim_start_matches('\u{feff}')
        })
        .collect();
    let one = ask(&json!({"verb": "allocate", "text": format!("---\n{}", joined.join("\n---\n"))}));
    let several = ask(&json!({"verb": "allocate", "sources": &files[1..]}));
    let messages = |answer: &Value| -> Vec<Value> {
        let pods = answer["pods"].as_array().unwrap();
        pods.iter()
            .map(|pod| {
                json!([
                    pod["claims"],
                    pod["nodes"][0]["allocations"],
                    pod["message"]
                ])
            })
            .collect()
    };
    assert_eq!(messages(&one), messages(&several));
}

/// A file of JSON that cannot be read gives kubectl's offset in that file, and the next file is read.
#[test]
fn json_that_cannot_be_read_costs_its_file() {
    let sources = json!([
        {"name": "first.yaml", "text": CLASS},
        {"name": "bad.json", "text": "{\"kind\": \"Pod\",}"},
        {"name": "last.json", "text": claim("last")},
    ]);
    let answer = ask(&json!({"verb": "audit", "sources": sources, "release": "1.32"}));
    let bad = ask(&json!({"verb": "audit", "text": "{\"kind\": \"Pod\",}", "release": "1.32"}));
    let finding = &answer["findings"][0];
    assert_eq!(finding["file"], "bad.json");
    assert_eq!(finding["message"], bad["findings"][0]["message"]);
    assert_eq!(finding["range"], bad["findings"][0]["range"]);
    assert_eq!(answer["objects"].as_array().unwrap().len(), 2);
}

#[test]
fn text_and_sources_exclude_each_other() {
    for verb in ["validate", "evaluate", "allocate", "audit"] {
        let both = ask(
            &json!({"verb": verb, "text": CLASS, "sources": [{"name": "a", "text": CLASS}], "nodes": null}),
        );
        let message = both["error"].as_str().unwrap_or_default();
        assert!(message.contains("sources"), "{verb}: {both}");
    }
}

/// The dump of a cluster of one node, which starts with its namespaces.
fn dump(name: &str, provider: &str, namespaces: &str) -> Value {
    let node = node(0)["text"].as_str().unwrap().replace("n0", name);
    let node = node.replacen(
        "status:",
        &format!("spec: {{providerID: '{provider}://{name}'}}\nstatus:"),
        1,
    );
    json!({"name": format!("{name}.yaml"), "text": format!("{namespaces}{node}---\n{CLASS}")})
}

fn namespace(uid: &str) -> String {
    format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: kube-system, uid: {uid}}}\n---\n")
}

/// Returns the messages about other clusters, and the nodes that a pod is tried on.
fn tried_on(sources: &[Value]) -> (Vec<Value>, Vec<Value>) {
    let answer = ask(&json!({"verb": "allocate", "sources": sources}));
    let findings = answer["findings"].as_array().unwrap().iter();
    let of_code = findings.filter(|finding| finding["code"] == "other-cluster");
    let nodes = answer["pods"][0]["nodes"].as_array().unwrap().iter();
    (
        of_code.map(|finding| finding["message"].clone()).collect(),
        nodes.map(|node| node["name"].clone()).collect(),
    )
}

#[test]
fn a_file_of_another_cluster_is_left_out_and_named_once() {
    let claim = json!({"name": "claim.json", "text": claim("c")});
    let one = dump("aws", "aws", &namespace("a"));
    let other = dump("gke", "gce", &namespace("b"));
    let (said, nodes) = tried_on(&[one.clone(), other.clone(), claim.clone()]);
    assert_eq!(
        said,
        [
            "`gke.yaml` is of another cluster than `aws.yaml`, because Namespace `kube-system` has another UID: it is left out (objects: 4)"
        ]
    );
    assert_eq!(nodes, ["aws"]);
    let answer = ask(&json!({"verb": "audit", "sources": [one, other, claim]}));
    let findings = answer["findings"].as_array().unwrap();
    let codes: Vec<&Value> = findings.iter().map(|finding| &finding["code"]).collect();
    assert_eq!(
        codes
            .iter()
            .filter(|code| **code == "other-cluster")
            .count(),
        1,
        "{codes:?}"
    );
    assert_eq!(answer["usage"]["pools"].as_array().unwrap().len(), 1);
}

#[test]
fn the_first_cluster_decides_the_release() {
    let with_kubelet = |source: Value, version: &str| {
        let text = source["text"].as_str().unwrap();
        let status = format!("status: {{nodeInfo: {{kubeletVersion: {version}}}, ");
        json!({"name": source["name"], "text": text.replacen("status: {", &status, 1)})
    };
    let old = with_kubelet(dump("aws", "aws", &namespace("a")), "v1.34.1");
    let new = with_kubelet(dump("gke", "gce", &namespace("b")), "v1.36.2");
    for (sources, release) in [([&old, &new], "1.34.1"), ([&new, &old], "1.36.2")] {
        for verb in ["allocate", "audit"] {
            let answer = ask(&json!({"verb": verb, "sources": sources}));
            assert_eq!(answer["release"], release, "{verb}: {answer:#}");
        }
    }
}

#[test]
fn an_upgrade_is_of_the_first_cluster() {
    let old = |name: &str| {
        format!(
            "---\napiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {{name: {name}}}\nspec: {{}}\n"
        )
    };
    let file = |name: &str, uid: &str| json!({"name": format!("{name}.yaml"), "text": format!("{}{}", namespace(uid), old(name))});
    let sources = [file("aws", "a"), file("gke", "b")];
    let answer = ask(
        &json!({"verb": "upgrade", "sources": sources, "release": "1.37", "to": "1.38", "manifests": true}),
    );
    let findings = answer["findings"].as_array().unwrap();
    let codes: Vec<&Value> = findings.iter().map(|finding| &finding["code"]).collect();
    assert_eq!(codes, ["other-cluster", "upgrade-version"], "{findings:#?}");
    assert_eq!(answer["troubles"][0]["count"], 1);
    // Of one text, the documents of the other cluster are left out.
    let list = |uid: &str, name: &str| {
        json!({"apiVersion": "v1", "kind": "List", "items": [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": uid}},
            {"apiVersion": "resource.k8s.io/v1beta1", "kind": "DeviceClass", "metadata": {"name": name}, "spec": {}},
        ]})
    };
    let text = format!("{}\n---\n{}\n", list("a", "aws"), list("b", "gke"));
    let answer = ask(&json!({"verb": "upgrade", "text": text, "release": "1.37", "to": "1.38"}));
    assert_eq!(answer["troubles"][0]["count"], 1, "{answer:#}");
    assert_eq!(answer["objects"].as_array().unwrap().len(), 2);
}

#[test]
fn files_of_two_clusters_are_validated_apart() {
    let class = |name: &str| {
        format!(
            "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {{name: {name}}}\nspec: {{}}\n"
        )
    };
    let claim = "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}\n";
    let asking = format!("{}{claim}", class("other"));
    let of = |name: &str, uid: &str, objects: &str| json!({"name": name, "text": format!("{}{objects}", namespace(uid))});
    let codes = |uid: &str| {
        let sources = [of("a.yaml", "a", &class("gpu")), of("b.yaml", uid, &asking)];
        let answer = ask(&json!({"verb": "validate", "sources": sources}));
        let findings = answer["findings"].as_array().unwrap().clone();
        let of_file = findings.into_iter().filter(|found| {
            found["file"] == "b.yaml"
                && (found["code"] == "other-cluster" || found["code"] == "class-not-in-input")
        });
        of_file
            .map(|found| found["code"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(codes("a"), [] as [&str; 0]);
    assert_eq!(codes("b"), ["other-cluster", "class-not-in-input"]);
}

#[test]
fn what_may_be_one_cluster_is_taken() {
    let claim = json!({"name": "claim.json", "text": claim("c")});
    // One cluster may have nodes of two providers, and a namespace has one UID in it.
    let (said, nodes) = tried_on(&[
        dump("aws", "aws", ""),
        dump("gke", "gce", ""),
        claim.clone(),
    ]);
    assert_eq!(
        said,
        [
            "nodes of `gke.yaml` are of gce and those of `aws.yaml` of aws: all are taken as one cluster"
        ]
    );
    assert_eq!(nodes, ["aws", "gke"]);
    let same = namespace("a");
    let (said, nodes) = tried_on(&[dump("n1", "aws", &same), dump("n2", "aws", &same), claim]);
    assert_eq!((said.len(), nodes.len()), (0, 2));
}

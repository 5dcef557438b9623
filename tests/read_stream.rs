//! What kubectl 1.30 made of whole files: which objects it took from them, and its refusal.

#![allow(clippy::unwrap_used, clippy::panic, clippy::arithmetic_side_effects, reason = "a test")]

use claimkit::api::Release;
use claimkit::finding::{Origin, Severity};
use claimkit::limits::Limits;
use claimkit::manifest::kubectl;
use claimkit::text;
use serde_json::Value;

/// Objects as the recordings name them (`ResourceClaim/c`), and kubectl's refusal, which ends its reading.
fn outcome(text: &str) -> (Vec<String>, Option<String>) {
    let file = text::read(text, &Limits::default());
    let mut names = Vec::new();
    for document in &file.documents {
        let root = document.root.unwrap();
        let mut refusal = None;
        for object in kubectl::objects(&document.tree, root, document.mode, Release::last_of(30)) {
            match object {
                Ok(sent) => {
                    let name = document.tree.get(sent.node, "metadata").and_then(|m| document.tree.get(m, "name"));
                    let name = name.and_then(|n| document.tree.str(n)).unwrap_or("None");
                    names.push(format!("{}/{name}", sent.kind));
                }
                Err(refused) => refusal = refusal.or(Some(refused.message)),
            }
        }
        if refusal.is_some() {
            return (names, refusal);
        }
    }
    let error = file.findings.iter().find(|f| f.severity == Severity::Error);
    if let Some(error) = error {
        assert_eq!(error.origin, Origin::Kubectl);
    }
    (names, error.map(|error| error.message.clone()))
}

#[test]
fn files_are_taken_apart_as_by_kubectl_1_30() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/kubectl_stream.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in text.split('\n').filter(|line| !line.is_empty()) {
        let vector: Value = serde_json::from_str(line).unwrap();
        let expected = &vector["kubectl"]["1.30"];
        let objects: Vec<&str> = expected["objects"].as_array().unwrap().iter().map(|o| o.as_str().unwrap()).collect();
        let stderr = expected["stderr"].as_str().unwrap();
        let (names, refusal) = outcome(vector["in"].as_str().unwrap());
        // kubectl puts the name of the file, and what it was doing with it, before the reason.
        let said = match &refusal {
            None => stderr.is_empty(),
            Some(message) => {
                let before = stderr.strip_suffix(message.as_str());
                before.is_some_and(|before| {
                    matches!(
                        before,
                        "" | "error: "
                            | "error: error parsing t.yaml: "
                            | "error: error parsing t.yaml: error converting YAML to JSON: "
                            | "error: unable to decode \"t.yaml\": "
                    )
                })
            }
        };
        count += 1;
        if names != objects || !said {
            wrong.push(format!("{}\n  upstream: {objects:?} {stderr}\n  here:     {names:?} {refusal:?}", vector["name"]));
        }
    }
    assert!(count >= 49, "{count}");
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

//! `codes`, `releases` and `fixes`: lists that agree with the rest of the crate.

use crate::support::ask;
use crate::support::manifests::{manifests, request};
use claimkit_model::finding::Code;
use claimkit_model::schema::release::LAST_PATCHES;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn answer(request: &Value) -> Value {
    serde_json::from_str(&claimkit::requests::answer_with(
        &request.to_string(),
        claimkit::editor::locale::sentences,
    ))
    .unwrap()
}

#[test]
fn a_code_is_as_bad_as_its_worst_finding() {
    const ORDER: [&str; 3] = ["info", "warning", "error"];
    let rank = |severity: &str| ORDER.iter().position(|known| *known == severity).unwrap();
    let mut worst: BTreeMap<String, usize> = BTreeMap::new();
    for manifest in manifests() {
        let text = std::fs::read_to_string(&manifest).unwrap();
        let request = request(&manifest, &text);
        let found = ask(&request);
        // Problems between slices stop the scheduler, but not the server: `validate` only warns about them.
        let mut place = json!({"verb": "allocate", "text": text});
        if request["release"].is_string() {
            place["release"] = request["release"].clone();
        }
        let placed = ask(&place);
        for finding in found["findings"]
            .as_array()
            .unwrap()
            .iter()
            .chain(placed["findings"].as_array().unwrap())
        {
            let place = worst
                .entry(finding["code"].as_str().unwrap().to_owned())
                .or_default();
            *place = (*place).max(rank(finding["severity"].as_str().unwrap()));
        }
    }
    assert!(
        worst.len() > Code::ALL.len() / 2,
        "the manifests show {} codes",
        worst.len()
    );
    let codes = answer(&json!({"verb": "codes"}));
    let listed = codes["codes"].as_array().unwrap();
    assert_eq!(listed.len(), Code::ALL.len());
    let mut wrong = Vec::new();
    for entry in listed {
        let code = entry["code"].as_str().unwrap();
        assert_eq!(entry["page"], format!("codes/{code}.html"));
        assert!(entry["documentation"].is_string(), "{entry}");
        if let Some(worst) = worst
            .get(code)
            .filter(|worst| rank(entry["severity"].as_str().unwrap()) != **worst)
        {
            wrong.push(format!(
                "{code}: listed as {}, found as {}",
                entry["severity"], ORDER[*worst]
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn releases_say_what_they_serve_and_what_they_changed() {
    let found = answer(&json!({"verb": "releases"}));
    let releases = found["releases"].as_array().unwrap();
    let names: Vec<&str> = releases
        .iter()
        .map(|entry| entry["release"].as_str().unwrap())
        .collect();
    let known: Vec<String> = LAST_PATCHES
        .iter()
        .map(|last| format!("1.{}", last.minor))
        .collect();
    assert_eq!(names, known);
    for entry in releases {
        let last = entry["lastPatch"].as_str().unwrap();
        // The listed served versions match the answers to an object of that kind.
        for version in entry["versions"].as_array().unwrap() {
            for kind in version["kinds"].as_array().unwrap() {
                let text = json!({"apiVersion": version["apiVersion"], "kind": kind["kind"], "metadata": {"name": "x"}});
                let parsed =
                    answer(&json!({"verb": "parse", "release": last, "text": text.to_string()}));
                assert_eq!(parsed["ok"], true, "{last} {text} {parsed}");
                assert!(kind["documentation"].is_string());
            }
        }
        assert_eq!(
            entry["changes"][0]["since"],
            format!("{}.0", entry["release"].as_str().unwrap())
        );
        assert!(
            entry["changes"]
                .as_array()
                .unwrap()
                .iter()
                .all(|change| change["documentation"].is_string())
        );
    }
    assert_eq!(releases[0]["changes"][1]["since"], "1.26.2");
    assert_eq!(
        releases[4]["versions"][0]["kinds"]
            .as_array()
            .unwrap()
            .len(),
        7
    );
    let refused = answer(
        &json!({"verb": "parse", "release": "1.29", "text": r#"{"apiVersion": "resource.k8s.io/v1alpha2", "kind": "ResourceSlice"}"#}),
    );
    assert_eq!(refused["ok"], false);
}

#[test]
fn fixes_are_those_of_the_findings_in_the_range() {
    let text = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: a\nspec:\n  resourceClassName: 5\n---\napiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: b\nspec:\n  resourceClassName: 7\n";
    let judged = answer(&json!({"verb": "validate", "text": text}));
    let of = |code: &str| -> Vec<&Value> {
        let findings = judged["findings"].as_array().unwrap().iter();
        findings
            .filter(|finding| {
                finding["code"] == code
                    && finding["fixes"].as_array().is_some_and(|f| !f.is_empty())
            })
            .collect()
    };
    let mistyped = of("type-mismatch");
    assert_eq!(mistyped.len(), 2, "{judged}");
    let all = answer(&json!({"verb": "fixes", "text": text}));
    let fixes = all["fixes"].as_array().unwrap();
    assert_eq!(
        fixes
            .iter()
            .filter(|fix| fix["code"] == "type-mismatch")
            .count(),
        2
    );
    // Only the fixes of the second document, selected by line.
    let second = answer(&json!({
        "verb": "fixes", "text": text,
        "range": {"start": {"line": 12, "character": 0}, "end": {"line": 12, "character": 3}},
    }));
    assert_eq!(second["fixes"].as_array().unwrap().len(), 0);
    let second = answer(&json!({
        "verb": "fixes", "text": text,
        "range": {"start": {"line": 12, "character": 21}, "end": {"line": 12, "character": 22}},
    }));
    let fixes = second["fixes"].as_array().unwrap();
    assert_eq!(fixes.len(), 1, "{second}");
    assert_eq!(fixes[0]["edits"], mistyped[1]["fixes"][0]["edits"]);
    assert_eq!(fixes[0]["edits"][0]["newText"], "\"7\"");
    let missing = answer(&json!({"verb": "fixes"}));
    assert_eq!(missing["ok"], false);
    assert!(
        missing["error"]
            .as_str()
            .unwrap()
            .starts_with("`text` is missing")
    );
}

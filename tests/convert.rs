//! Conversion: every `NAME.up.in.*` and `NAME.down.in.*` in `tests/convert/` gives `NAME.*.out.*` byte for byte, or is
//! refused if there is no such file.
//!
//! `NAME.*.json`, if there, says what is not plain about the case: `options` of the request, the codes of all `findings` in
//! order, the paths of the `losses` of each object, and `back`: by default converting the result back gives the input's
//! bytes; `"other text"` says that it does not, and then it must give the same result when converted once more; `"refused"`
//! that something would be lost on the way back.

use claimkit_model::finding::Code;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn convert(text: &str, to: &str, options: &Value) -> Value {
    let mut request = json!({"verb": "convert", "text": text, "to": to});
    if let (Some(request), Some(options)) = (request.as_object_mut(), options.as_object()) {
        request.extend(options.clone());
    }
    crate::support::ask(&request)
}

fn cases() -> BTreeMap<String, PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/convert");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    files
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?;
            let (case, _) = name.split_once(".in.")?;
            Some((case.to_owned(), path.clone()))
        })
        .collect()
}

fn beside(path: &Path, from: &str, to: &str) -> PathBuf {
    path.with_file_name(
        path.file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .replace(from, to),
    )
}

#[test]
fn cases_give_what_is_written_beside_them() {
    let cases = cases();
    assert!(cases.len() > 40, "{} cases", cases.len());
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for (case, path) in &cases {
        let input = std::fs::read_to_string(path).unwrap();
        let extension = path.extension().unwrap().to_str().unwrap();
        let expect: Value = std::fs::read_to_string(path.with_file_name(format!("{case}.json")))
            .map_or(json!({}), |text| serde_json::from_str(&text).unwrap());
        let (to, back_to) = if case.ends_with(".up") {
            ("v1alpha2", "v1alpha1")
        } else {
            ("v1alpha1", "v1alpha2")
        };
        let answer = convert(&input, to, &expect["options"]);
        let mut differs = |what: &str, have: &Value, want: &Value| {
            if have != want {
                wrong.push(format!("{case}: {what}\n have {have}\n want {want}"));
            }
        };

        let out = std::fs::read_to_string(beside(
            path,
            &format!(".in.{extension}"),
            &format!(".out.{extension}"),
        ))
        .ok();
        differs("text", &answer["text"], &json!(out));
        let codes: Vec<&Value> = answer["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| &finding["code"])
            .collect();
        seen.extend(
            codes
                .iter()
                .filter_map(|code| code.as_str().map(str::to_owned)),
        );
        // Most cases are parts of objects, which no server accepts before or after.
        let about_conversion = codes
            .iter()
            .filter(|code| **code != Code::ConversionRefusedBefore.name());
        differs(
            "findings",
            &json!(about_conversion.collect::<Vec<_>>()),
            expect.get("findings").unwrap_or(&json!([])),
        );
        let findings = answer["findings"].as_array().unwrap();
        let mut errors_of = findings
            .iter()
            .filter(|finding| finding["severity"] == "error");
        let errors = errors_of.clone().next().is_some();
        // A text that the new release does not accept is given all the same: its author corrects it.
        differs(
            "without a text for an error, and only then",
            &json!(errors_of.any(|finding| finding["code"] != "validity-lost")),
            &json!(out.is_none()),
        );
        differs("ok", &answer["ok"], &json!(!errors));
        let losses: Vec<Vec<&Value>> = answer["objects"]
            .as_array()
            .unwrap()
            .iter()
            .map(|object| {
                object["losses"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|loss| &loss["path"])
                    .collect()
            })
            .collect();
        let none = json!(vec![json!([]); losses.len()]);
        differs(
            "losses",
            &json!(losses),
            expect.get("losses").unwrap_or(&none),
        );

        let Some(out) = out else { continue };
        // A second conversion changes nothing.
        differs(
            "converted twice",
            &convert(&out, to, &expect["options"])["text"],
            &json!(out),
        );
        let back = convert(&out, back_to, &json!({}));
        if expect["back"] == "refused" {
            differs("back", &back["text"], &Value::Null);
        } else if expect["back"] == "other text" {
            let text = back["text"].as_str().expect("it converts back");
            assert_ne!(text, input, "{case}: it does come back");
            let again = convert(text, to, &expect["options"]);
            let once_more = convert(again["text"].as_str().unwrap(), back_to, &json!({}));
            differs("there and back again", &once_more["text"], &back["text"]);
        } else {
            differs("back", &back["text"], &json!(input));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // `conversion-disagrees` would be an error of claimkit; its test is beside its code.
    for code in [
        Code::ConversionLoss,
        Code::NoCounterpart,
        Code::ConversionPrinted,
        Code::ValidityLost,
        Code::ConversionRefusedBefore,
        Code::HandleWithoutDriver,
        Code::VersionMentioned,
        Code::ServerFieldDropped,
    ] {
        assert!(seen.contains(code.name()), "no case gives {}", code.name());
    }
}

/// The contract's fields, on one object.
#[test]
fn answers_as_the_contract_says() {
    let text = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata: {name: é}\ndriverName: d\nstructuredParameters: true\n";
    let answer = convert(text, "resource.k8s.io/v1alpha1", &json!({}));
    assert_eq!(answer["ok"], false);
    assert_eq!(answer.get("text"), None);
    let object = &answer["objects"][0];
    assert_eq!(
        (&object["from"], &object["to"], &object["changed"]),
        (
            &json!("resource.k8s.io/v1alpha2"),
            &json!("resource.k8s.io/v1alpha1"),
            &json!(false)
        )
    );
    assert_eq!(object["losses"][0]["path"], "structuredParameters");
    assert_eq!(object["losses"][0]["value"], true);
    assert!(
        object["losses"][0]["reason"]
            .as_str()
            .is_some_and(|reason| !reason.is_empty())
    );
    let finding = &answer["findings"][0];
    assert_eq!(
        (&finding["code"], &finding["severity"], &finding["origin"]),
        (
            &json!("conversion-loss"),
            &json!("error"),
            &json!("claimkit")
        )
    );
    let at = text.find("structured").unwrap();
    let units = text[..at].encode_utf16().count();
    let start = json!({"line": 4, "character": 0, "offset": units, "byteOffset": at});
    assert_eq!(finding["range"]["start"], start);

    let allowed = convert(text, "v1alpha1", &json!({"lossy": "allow"}));
    assert_eq!(allowed["ok"], true);
    assert_eq!(allowed["objects"][0]["changed"], true);
    assert_eq!(
        allowed["text"],
        text.replace("v1alpha2", "v1alpha1")
            .replace("structuredParameters: true\n", "")
    );
}

#[test]
fn requests_that_cannot_be_used_say_what_to_write() {
    for (request, error) in [
        (
            json!({"verb": "convert", "to": "v1alpha2"}),
            "`text` is missing",
        ),
        (
            json!({"verb": "convert", "text": ""}),
            "`to` is missing; write one of `v1alpha1`, `v1alpha2`, `v1alpha3`, `v1beta1`, `v1beta2`, `v1`",
        ),
        (
            json!({"verb": "convert", "text": "", "to": "v2"}),
            "unknown version `v2`; write one of `v1alpha1`",
        ),
        (
            json!({"verb": "convert", "text": "", "to": "v1alpha2", "release": "1.25"}),
            "unknown release `1.25`",
        ),
        (
            json!({"verb": "convert", "text": "", "to": "v1alpha2", "lossy": "maybe"}),
            "unknown variant `maybe`",
        ),
    ] {
        let answer = crate::support::ask(&request);
        assert_eq!(answer["ok"], false);
        assert!(
            answer["error"]
                .as_str()
                .is_some_and(|text| text.contains(error)),
            "{answer}"
        );
    }
}

/// A text without objects of the group is not a success, although the answer has the text.
#[test]
fn nothing_checked_is_not_ok() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n";
    let answer = convert(text, "v1alpha2", &json!({}));
    assert_eq!(
        (&answer["ok"], &answer["text"]),
        (&json!(false), &json!(text))
    );
    assert_eq!(answer["objects"][0]["skipped"], "its API version is `v1`");
    let codes: Vec<&str> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|finding| finding["code"].as_str())
        .collect();
    assert_eq!(codes, ["other-group", "nothing-checked"]);
}

/// An object of this group that cannot be converted is an error and is not skipped.
#[test]
fn what_cannot_be_converted_is_refused() {
    let claim = "kind: ResourceClaim\nmetadata: {name: a}\n";
    let lists = "apiVersion: resource.k8s.io/v1alpha1\nkind: PodSchedulingLit\nitems:\n";
    for (text, code, message) in [
        (
            format!("apiVersion: resource.k8s.io/v1beta7\n{claim}"),
            "unknown-kind",
            "no kind \"ResourceClaim\" is registered for version \"resource.k8s.io/v1beta7\"",
        ),
        (
            format!(
                "{lists}- {{apiVersion: resource.k8s.io/v1alpha1, kind: PodScheduling, metadata: {{name: a}}}}\n"
            ),
            "unknown-kind",
            "`PodSchedulingLit` is not a kind of v1alpha1: the list cannot be converted",
        ),
    ] {
        let answer = convert(&text, "v1alpha2", &json!({}));
        assert_eq!(
            (&answer["ok"], &answer["text"]),
            (&json!(false), &Value::Null),
            "{answer}"
        );
        let finding = &answer["findings"][0];
        assert_eq!(
            (finding["code"].as_str(), finding["severity"].as_str()),
            (Some(code), Some("error")),
            "{answer}"
        );
        assert!(
            finding["message"].as_str().unwrap().starts_with(message),
            "{answer}"
        );
    }
    // A text without objects of the group: the answer has the text, and it is not a success.
    let answer = convert("a: 1\n---\nmetadata: {name: a}\n", "v1alpha2", &json!({}));
    let codes: Vec<&str> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|finding| finding["code"].as_str())
        .collect();
    assert_eq!(
        (&answer["ok"], codes),
        (&json!(false), vec!["no-kind", "no-kind", "nothing-checked"])
    );
}

/// Deep nesting and many aliases give an answer.
#[test]
fn hostile_texts_end_in_an_answer() {
    let deep = format!(
        "apiVersion: resource.k8s.io/v1alpha1\nkind: ResourceClaim\nmetadata: {{name: c}}\nextra: {}{}\n",
        "{a: ".repeat(9000),
        "}".repeat(9000)
    );
    let answer = convert(&deep, "v1alpha2", &json!({}));
    assert!(
        answer["text"] == deep.replace("v1alpha1", "v1alpha2"),
        "the edited text differs"
    );
    // Printed in block style it would be huge: refused, with the reason.
    let printed = deep
        .replace("resource.k8s.io/v1alpha1", "&v resource.k8s.io/v1alpha1")
        .replace("name: c", "name: c, uid: *v");
    let answer = convert(&printed, "v1alpha2", &json!({"limits": {"bytes": 1000000}}));
    assert_eq!(answer["findings"][1]["code"], "limit-bytes");
    assert!(answer.get("text").is_none());
}

#[test]
fn what_is_refused_before_and_after_is_said() {
    let found = |rest: &str| {
        let text = format!(
            "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {{name: a}}\n{rest}\n"
        );
        let answer = convert(&text, "v1", &json!({}));
        assert!(answer["text"].is_string(), "{answer}");
        assert_eq!(answer["ok"], true, "{answer}");
        let findings = answer["findings"].as_array().unwrap().iter();
        let told = findings.map(|finding| {
            let line = &finding["range"]["start"]["line"];
            (finding["code"].as_str().unwrap().to_owned(), line.as_u64())
        });
        told.collect::<Vec<_>>()
    };
    let request = "spec:\n  devices:\n    requests:\n    - name: g\n      deviceClassName: c";
    // kubectl writes the namespace.
    assert_eq!(found(request), []);
    let code = "conversion-refused-before".to_owned();
    let wrong = format!("{request}\n      count: -1");
    assert_eq!(found(&wrong), [(code, Some(8))]);
    // kubectl sends nothing of the status.
    let status = format!("{request}\nstatus: {{reservedFor: [{{}}]}}");
    assert_eq!(found(&status), []);
}

#[test]
fn errors_of_one_code_stand_for_each_other() {
    // Both devices have a bad name before and after.
    let text = "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceSlice\nmetadata: {name: s}\nspec:\n  driver: d.example.com\n  nodeName: n1\n  pool: {name: p, generation: 1, resourceSliceCount: 1}\n  devices:\n  - {name: Bad_One, basic: {}}\n  - {name: Bad_Two, basic: {}}\n";
    let answer = convert(text, "v1", &json!({}));
    let findings = answer["findings"].as_array().unwrap().iter();
    let codes: Vec<&Value> = findings.map(|finding| &finding["code"]).collect();
    assert_eq!(codes, ["conversion-refused-before"], "{answer}");
}

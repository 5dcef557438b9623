//! The text of a finding, and texts that come as bytes.

use crate::support::ask;
use serde_json::{Value, json};

const CLAIM: &str = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: a, namespace: b, resourceVersion: \"1\"}\nspec: {resourceClassName: gpu}\n";

/// What the range of a finding covers in a text.
fn covered<'t>(finding: &Value, text: &'t str) -> Option<&'t str> {
    let at = |end: &str| usize::try_from(finding["range"][end]["byteOffset"].as_u64()?).ok();
    text.get(at("start")?..at("end")?)
}

/// The findings with an `in`, their messages and what they cover.
fn about<'t>(answer: &Value, name: &str, text: &'t str) -> Vec<(String, Option<&'t str>)> {
    let findings = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["in"] == name);
    findings
        .map(|finding| {
            (
                finding["message"].as_str().unwrap().to_owned(),
                covered(finding, text),
            )
        })
        .collect()
}

#[test]
fn findings_name_the_text_they_are_about() {
    let broken = CLAIM.replace("spec:", "spec: a:");
    let answer =
        ask(&json!({"verb": "validate", "operation": "update", "text": CLAIM, "old": broken}));
    let found = about(&answer, "old", &broken);
    assert_eq!(found.len(), 1, "{answer}");
    assert!(
        found[0]
            .0
            .starts_with("the stored object cannot be read: yaml: "),
        "{found:?}"
    );
    assert_eq!(found[0].1, Some("a: {resourceClassName: gpu}"));

    // A wrong type: the error is in the stored object.
    let stored = CLAIM.replace("resourceClassName: gpu", "resourceClassName: 17");
    for via in ["kubectl", "validator"] {
        let answer = ask(
            &json!({"verb": "validate", "operation": "update", "text": CLAIM, "old": stored, "via": via}),
        );
        let found = about(&answer, "old", &stored);
        assert_eq!(
            found.iter().map(|(_, text)| *text).collect::<Vec<_>>(),
            [Some("17")],
            "{via}: {answer}"
        );
    }

    let nodes = "kind: Node\nmetadata: {name: n}\n---\nkind: Node\nmetadata: {name: [}\n";
    let answer = ask(&json!({"verb": "evaluate", "text": CLAIM, "nodes": nodes}));
    assert!(
        about(&answer, "nodes", nodes)
            .iter()
            .any(|(message, text)| message.starts_with("yaml") && *text == Some("}")),
        "{answer}"
    );
    assert!(
        about(&answer, "text", CLAIM)
            .iter()
            .all(|(message, _)| !message.starts_with("yaml"))
    );

    let settings = ask(&json!({"verb": "admit", "settings": {"mode": 1}}));
    assert_eq!(settings["findings"][0]["in"], "settings", "{settings}");
}

#[test]
fn a_patch_is_a_text_of_its_own() {
    let request = json!({"verb": "validate", "operation": "patch", "old": CLAIM});
    let with = |name: &str, text: &str| {
        let mut request = request.clone();
        request[name] = json!(text);
        ask(&request)
    };
    // An unreadable text gives a position; the patched object has none.
    let broken = "spec: {resourceClassName: [}\n";
    assert_eq!(
        about(&with("patch", broken), "patch", broken)[0].1,
        Some("}")
    );
    assert_eq!(about(&with("text", broken), "text", broken)[0].1, Some("}"));
    let answer = with("patch", "spec: {resourceClassName: other}");
    assert!(
        about(&answer, "patch", "")[0]
            .0
            .contains("field is immutable"),
        "{answer}"
    );
    assert!(
        about(&answer, "text", "").is_empty() && about(&answer, "old", "").is_empty(),
        "{answer}"
    );
    // No fix is offered, because its edits would refer to a text that nobody has.
    let answer = with("patch", "spec: {resourceClasName: other}");
    assert!(
        answer["findings"]
            .as_array()
            .unwrap()
            .iter()
            .all(|finding| finding["fixes"] == json!([])),
        "{answer}"
    );
    let old = CLAIM.replace("spec:", "spec: a:");
    let answer = ask(&json!({"verb": "validate", "operation": "patch", "patch": "{}", "old": old}));
    assert_eq!(
        about(&answer, "old", &old)[0].1,
        Some("a: {resourceClassName: gpu}"),
        "{answer}"
    );
}

#[test]
fn fixes_are_for_the_text_alone() {
    let old = CLAIM.replace("resourceClassName: gpu", "resourceClassName: 17");
    let answer = ask(&json!({"verb": "fixes", "operation": "update", "text": CLAIM, "old": old}));
    assert_eq!(answer["fixes"], json!([]));
}

#[test]
fn a_warning_about_the_stored_object_fails_nothing() {
    let old = format!("{CLAIM}spec: {{resourceClassName: gpu}}\n");
    let answer =
        ask(&json!({"verb": "validate", "operation": "update", "text": CLAIM, "old": old}));
    let found: Vec<_> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["in"] == "old")
        .collect();
    assert_eq!(
        (found.len(), &found[0]["severity"], &found[0]["code"]),
        (1, &json!("warning"), &json!("yaml-duplicate-key"))
    );
    assert_eq!(
        (&answer["ok"], &answer["objects"][0]["valid"]),
        (&json!(true), &json!(true)),
        "{answer}"
    );
}

#[test]
fn bytes_that_are_not_utf8_are_read_and_not_written() {
    let text =
        CLAIM
            .replace("gpu", "gp\u{fffd}")
            .replacen("name: a", "name: a, annotations: {b: c}", 1);
    let at = text.find('\u{fffd}').unwrap();
    let request = |verb: &str| json!({"verb": verb, "text": text, "to": "v1alpha1", "replaced": {"text": at}});
    let mut asked = request("validate");
    asked.as_object_mut().unwrap().remove("to");
    let answer = ask(&asked);
    assert_eq!(
        (
            &answer["findings"][0]["code"],
            &answer["findings"][0]["severity"]
        ),
        (&json!("not-utf8"), &json!("warning"))
    );
    assert_eq!(covered(&answer["findings"][0], &text), Some("\u{fffd}"));
    // The server sees U+FFFD, too.
    assert!(
        answer["findings"].to_string().contains("Invalid value"),
        "{answer}"
    );
    let answer = ask(&request("convert"));
    assert_eq!(
        (&answer["ok"], &answer["text"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(
        answer["findings"][0]["message"],
        "not converted: bytes of the text are not UTF-8 and would be lost"
    );
    // The same text as text is converted.
    let answer = ask(&json!({"verb": "convert", "text": text, "to": "v1alpha1"}));
    assert_eq!(
        answer["text"],
        text.replace("v1alpha2", "v1alpha1"),
        "{answer}"
    );
    let mut asked = request("validate");
    asked["replaced"] = json!({"texts": 1});
    asked.as_object_mut().unwrap().remove("to");
    assert!(
        ask(&asked)["error"]
            .as_str()
            .unwrap()
            .contains("unknown field `texts`"),
        "{}",
        ask(&asked)
    );
}

#[test]
fn the_second_object_of_a_name_exists_already() {
    let claim = CLAIM.replace(", resourceVersion: \"1\"", "");
    let text = format!(
        "{claim}---\n{}---\n{}",
        claim.replace("namespace: b", "namespace: c"),
        claim.replace("gpu", "other")
    );
    let answer = ask(&json!({"verb": "validate", "text": text}));
    let valid: Vec<_> = answer["objects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|object| object["valid"] == true)
        .collect();
    assert_eq!(valid, [true, true, false], "{answer}");
    let status = &answer["objects"][2]["status"];
    assert_eq!(
        (&status["code"], &status["reason"]),
        (&json!(409), &json!("AlreadyExists"))
    );
    assert_eq!(
        status["message"],
        "resourceclaims.resource.k8s.io \"a\" already exists"
    );
    // The namespace is filled in before; the validation functions know of one object only.
    let bare = claim.replace(", namespace: b", "");
    let twice = format!(
        "{bare}---\n{}",
        bare.replace("name: a", "name: a, namespace: default")
    );
    assert_eq!(
        ask(&json!({"verb": "validate", "text": twice}))["objects"][1]["status"]["code"],
        409
    );
    let answer = ask(
        &json!({"verb": "validate", "text": format!("{claim}---\n{claim}"), "via": "validator"}),
    );
    assert_eq!(answer["ok"], true, "{answer}");
    // The server generates a new name each time.
    let generated = claim.replace("name: a", "generateName: a-");
    assert_eq!(
        ask(&json!({"verb": "validate", "text": format!("{generated}---\n{generated}")}))["ok"],
        true
    );
}

#[test]
fn requests_without_what_they_need_say_so() {
    let error = |line: &str| -> String {
        let answer: Value = serde_json::from_str(&claimkit::requests::answer(line)).unwrap();
        answer["error"]
            .as_str()
            .unwrap_or_else(|| panic!("{answer}"))
            .to_owned()
    };
    assert!(error(r#"{"verb": "admit"}"#).starts_with("`request` is missing: an AdmissionRequest"));
    assert_eq!(
        error("[]"),
        "the request cannot be used: it is not an object with the fields of a request"
    );
    assert!(error("{}").starts_with("`verb` is missing; write one of `parse`"));
    assert!(
        error(r#"{"verb": "parse", "text": "", "release": "1.27.99"}"#)
            .contains("the last patch known here is 1.27.16")
    );
}

#[test]
fn a_template_is_told_from_json() {
    let answer = ask(
        &json!({"verb": "validate", "text": "{{- if .Values.gpu }}\napiVersion: resource.k8s.io/v1alpha2\n{{- end }}\n"}),
    );
    assert!(
        answer["findings"][0]["help"]
            .as_str()
            .unwrap()
            .contains("looks like a template"),
        "{answer}"
    );
}

#[test]
fn a_field_manager_that_is_too_long_is_an_option_that_is_wrong() {
    let request = |kind: &str, manager: &str| {
        let patch = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: a, namespace: b}\n";
        ask(
            &json!({"verb": "validate", "operation": "patch", "patchType": kind, "fieldManager": manager, "old": CLAIM, "patch": patch}),
        )
    };
    for kind in ["apply", "merge"] {
        let answer = request(kind, &"m".repeat(129));
        let status = &answer["objects"][0]["status"];
        let told = "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Too long: must have at most 128 bytes";
        assert_eq!(
            (&status["message"], &status["code"]),
            (&json!(told), &json!(422)),
            "{answer}"
        );
        assert_eq!(status["details"]["causes"][0]["field"], "fieldManager");
        assert_eq!(request(kind, &"m".repeat(128))["ok"], true, "{kind}");
    }
}

//! What kubectl 1.30 made of whole files: which objects it took from them, and its refusal.

use claimkit::manifest::kubectl;
use claimkit_model::finding::{Origin, Severity};
use claimkit_model::limits::Limits;
use claimkit_model::schema::Release;
use claimkit_model::text;
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
                    let name = document
                        .tree
                        .get(sent.node, "metadata")
                        .and_then(|m| document.tree.get(m, "name"));
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
    (names, error.map(|error| error.message.to_string()))
}

#[test]
fn files_are_taken_apart_as_by_kubectl_1_30() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/vectors/kubectl_stream.jsonl"
    );
    let text = std::fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in text.split('\n').filter(|line| !line.is_empty()) {
        let vector: Value = serde_json::from_str(line).unwrap();
        let expected = &vector["kubectl"]["1.30"];
        let objects: Vec<&str> = expected["objects"]
            .as_array()
            .unwrap()
            .iter()
            .map(|o| o.as_str().unwrap())
            .collect();
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
            wrong.push(format!(
                "{}\n  upstream: {objects:?} {stderr}\n  here:     {names:?} {refusal:?}",
                vector["name"]
            ));
        }
    }
    assert!(count >= 49, "{count}");
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

/// The names of the objects that `validate` looks at, and the messages of all errors.
fn answered(text: &str) -> (Vec<String>, Vec<String>) {
    answered_by(&serde_json::json!({"verb": "validate", "text": text}))
}

fn answered_by(request: &Value) -> (Vec<String>, Vec<String>) {
    let answer = crate::support::ask(request);
    let of = |list: &str, field: &str| {
        let items = answer[list].as_array().unwrap().iter();
        items
            .map(|item| item[field].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    (of("objects", "name"), of("findings", "message"))
}

const CLASS: &str = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata: {name: late}\ndriverName: a.example.com\n";

#[test]
fn an_object_that_cannot_be_decoded_hides_none_after_it() {
    for before in [
        "a: 1\n",
        "5\n",
        "kind: x\nmetadata: {name: 1}\n",
        "kind: List\napiVersion: v1\nitems: {}\n",
        "kind: List\napiVersion: v1\nitems:\n- 1\n",
        "kind: List\napiVersion: v1\nitems:\n- {apiVersion: v1}\n",
    ] {
        let (names, messages) = answered(&format!("{before}---\n{CLASS}"));
        assert_eq!(names, ["late"], "{before:?}");
        assert_eq!(messages.len(), 1, "{before:?}: {messages:?}");
    }
}

#[test]
fn a_byte_order_mark_does_not_change_how_a_file_is_read() {
    let object = |name: &str| {
        format!(
            r#"{{"apiVersion": "resource.k8s.io/v1alpha2", "kind": "ResourceClass", "metadata": {{"name": "{name}", "annotations": {{"a": "\ud83d\ude00"}}}}, "driverName": "a.example.com"}}"#
        )
    };
    let two = format!("\u{feff}{}\n{}\n", object("a"), object("b"));
    assert_eq!(
        answered(&two),
        (vec!["a".to_owned(), "b".to_owned()], vec![])
    );
    let slip = |release: &str, text: &str| {
        answered_by(&serde_json::json!({"verb": "validate", "release": release, "text": text}))
    };
    let comma = slip("1.32", "\u{feff}{\"kind\": \"ResourceClass\",}\n");
    assert_eq!(comma.1.len(), 1, "a trailing comma is no JSON: {comma:?}");
    assert!(
        comma.1[0].starts_with("json: offset 26: "),
        "the mark is not counted: {comma:?}"
    );
    let no_yaml = slip("1.37", "\u{feff}{\"kind\": \"ResourceClass\",]\n");
    assert!(
        no_yaml.1[0].starts_with("json: offset 26: "),
        "the mark is not counted: {no_yaml:?}"
    );
    assert_eq!(
        answered(&format!("\u{feff}{CLASS}")),
        (vec!["late".to_owned()], vec![])
    );
    assert_eq!(
        answered(&format!("\u{feff}---\n{CLASS}")),
        (vec!["late".to_owned()], vec![])
    );
    let separator = answered(&format!("\u{feff}--- x\n{CLASS}"));
    assert_eq!(
        separator,
        (
            vec![],
            vec!["invalid Yaml document separator: x".to_owned()]
        )
    );
}

/// What kubectl 1.37.2 said of these texts.
#[test]
fn what_is_no_json_is_read_as_yaml_from_1_33_on() {
    let object = |name: &str, end: &str| {
        format!(
            r#"{{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {{"name": "{name}"}}, "spec": {{}}{end}"#
        )
    };
    let (whole, slip) = (object("a", "}"), object("b", ",}"));
    let said = |release: &str, text: &str| {
        answered_by(&serde_json::json!({"verb": "validate", "release": release, "text": text}))
    };
    let comma = |offset: usize| {
        format!(
            "json: offset {offset}: invalid character '}}' looking for beginning of object key string"
        )
    };
    for (text, names, refusal) in [
        (slip.clone(), vec!["b"], None),
        (format!("{whole}\n{slip}\n"), vec!["a", "b"], None),
        (format!("{whole}\n---\n{slip}\n"), vec!["a", "b"], None),
        (
            format!("{whole}\n{whole}\n{slip}\n"),
            vec!["a", "a"],
            Some("invalid character '}' looking for beginning of object key string".to_owned()),
        ),
        // YAML ends with its first value; kubectl is silent about the rest.
        (
            format!("{slip}\n{whole}\n"),
            vec!["b"],
            Some("line 2 is never read: the document's one value ended before".to_owned()),
        ),
        (
            format!("{whole}\u{fffd}\n{slip}\n"),
            vec!["a"],
            Some(format!(
                "json: offset {}: invalid character 'ï' looking for beginning of value",
                whole.len() + 1
            )),
        ),
        (
            format!("{whole}}}\n"),
            vec!["a"],
            Some(format!(
                "json: offset {}: invalid character '}}' looking for beginning of value",
                whole.len() + 1
            )),
        ),
    ] {
        let answer = said("1.37", &text);
        assert_eq!(
            (answer.0, answer.1.first()),
            (
                names.iter().map(|&name| name.to_owned()).collect(),
                refusal.as_ref()
            ),
            "{text}"
        );
    }
    assert_eq!(said("1.33", &slip).0, ["b"]);
    assert_eq!(said("1.32", &slip).1, [comma(slip.len())]);
}

#[test]
fn a_carriage_return_before_a_line_break_is_dropped_once() {
    let raw = |text: &str| {
        let request = serde_json::json!({"verb": "parse", "text": text, "limits": {}});
        let answer = crate::support::ask(&request);
        answer["objects"][0]["object"]["metadata"]["annotations"]["a"]
            .as_str()
            .map(str::to_owned)
    };
    let text = |line_break: &str| {
        let lines = [
            "apiVersion: resource.k8s.io/v1alpha2",
            "kind: ResourceClass",
            "metadata:",
            "  name: x",
            "  annotations:",
            "    a: >-",
            "      one",
            "      two",
            "driverName: a.example.com",
            "",
        ];
        lines.join(line_break)
    };
    for (line_break, folded) in [
        ("\n", "one two"),
        ("\r\n", "one two"),
        ("\r\r\n", "one two"),
        ("\r\r\r\n", "\none\ntwo"),
    ] {
        assert_eq!(
            raw(&text(line_break)).as_deref(),
            Some(folded),
            "{line_break:?}"
        );
    }
}

/// kubectl of 1.38 names another type.
#[test]
fn every_member_of_a_list_in_json_is_decoded() {
    const LIST: &str = r#"{"apiVersion": "v1", "kind": "List", "items": {}, "items": []}"#;
    for (release, items) in [
        ("1.37", "[]json.RawMessage"),
        ("1.38", "[]map[string]interface {}"),
    ] {
        let request = serde_json::json!({"verb": "validate", "release": release, "text": LIST});
        let (names, messages) = answered_by(&request);
        let refusal = format!(
            "json: cannot unmarshal object into Go struct field decodeList.items of type {items}"
        );
        assert!(
            names.is_empty() && messages.contains(&refusal),
            "{names:?} {messages:?}"
        );
    }
}

/// The same by `validate`, whose words must not depend on whether the kubectl that was recorded had a server.
#[test]
fn validate_says_of_files_what_kubectl_1_30_says() {
    let text = include_str!("vectors/kubectl_stream.jsonl");
    for line in text.split('\n').filter(|line| !line.is_empty()) {
        let vector: Value = serde_json::from_str(line).unwrap();
        let stderr = vector["kubectl"]["1.30"]["stderr"].as_str().unwrap();
        let request =
            serde_json::json!({"verb": "validate", "release": "1.30", "text": vector["in"]});
        let answer = crate::support::ask(&request);
        let findings = answer["findings"].as_array().unwrap();
        // A kind that no server has is no matter of reading.
        let told: Vec<&str> = findings
            .iter()
            .filter(|finding| {
                finding["origin"] == "kubectl"
                    && finding["severity"] == "error"
                    && finding["code"] != "unknown-kind"
            })
            .map(|finding| finding["message"].as_str().unwrap())
            .collect();
        let agrees = if stderr.is_empty() {
            told.is_empty()
        } else {
            told.iter().any(|message| stderr.ends_with(message))
        };
        assert!(agrees, "{}: {stderr}: {told:?}", vector["name"]);
    }
}

/// kubectl since 1.35 names the embedded struct of a field, as its server does.
#[test]
fn a_number_for_api_version_is_refused_in_the_words_of_the_release() {
    for (release, field) in [
        ("1.34", "metadataOnlyObject.apiVersion"),
        ("1.37", "metadataOnlyObject.TypeMeta.apiVersion"),
    ] {
        let request = serde_json::json!({"verb": "validate", "release": release, "text": "apiVersion: 1\nkind: DeviceClass\n"});
        let answer = crate::support::ask(&request);
        let message =
            format!("json: cannot unmarshal number into Go struct field {field} of type string");
        assert_eq!(answer["findings"][0]["message"], message, "{release}");
    }
}

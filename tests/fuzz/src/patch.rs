//! Patches of stored objects: an answer is consistent; a patched object is bounded and of its kind; an empty patch changes
//! nothing; the reported changes, sent as a JSON patch, give the same object.
//!
//! Input: a letter for release, way and strictness, one for the kind of patch, the stored object, a zero byte, the patch. Without a
//! zero byte all of it is a configuration that is applied where nothing is stored.

use crate::answers::{Options, ask, inside};
use libfuzzer_sys::Corpus;
use serde_json::{Value, json};

const TYPES: &[&str] = &["json", "merge", "strategic", "apply"];

/// A patch may copy existing values, up to the server's limit of 3 MiB, and each byte may be escaped.
const MOST: usize = 32 << 20;

pub fn run(data: &[u8]) -> Corpus {
    let Some((mut options, rest)) = Options::split(data) else {
        return Corpus::Reject;
    };
    let mut chars = rest.chars();
    let Some(kind) = chars.next() else {
        return Corpus::Reject;
    };
    let kind = u32::from(kind).wrapping_sub(u32::from('A')) as usize;
    let mut request = json!({"verb": "validate"});
    options.fill(&mut request);
    if let Some(fields) = request.as_object_mut() {
        fields.shift_remove("via");
    }
    request["operation"] = json!(if (kind / 4).is_multiple_of(2) {
        "patch"
    } else {
        "patchStatus"
    });
    request["patchType"] = json!(TYPES[kind % 4]);
    if (kind / 8).is_multiple_of(2) {
        request["fieldManager"] = json!("fuzzer");
        request["force"] = json!(kind / 16 % 2 == 1 && kind % 4 == 3);
    }
    match chars.as_str().split_once('\0') {
        Some((old, patch)) => {
            request["old"] = json!(old);
            request["patch"] = json!(patch);
        }
        None => {
            request["patchType"] = json!("apply");
            request["patch"] = json!(chars.as_str());
        }
    }
    let answer = ask(&request);
    consistent(&request, &answer);
    let object = &answer["objects"][0]["object"];
    if request.get("old").is_some() && !object.is_null() {
        changes_lead_there(&request, &answer, object);
        nothing_changes_nothing(&request);
    }
    Corpus::Keep
}

fn consistent(request: &Value, answer: &Value) {
    assert!(answer.get("error").is_none(), "{answer}");
    let ok = answer["ok"] == true;
    for finding in answer["findings"].as_array().unwrap() {
        assert!(!ok || finding["severity"] != "error", "{answer}");
        if let Some(range) = finding.get("range") {
            let text = finding["in"]
                .as_str()
                .and_then(|name| request.get(name))
                .and_then(Value::as_str);
            inside(
                text.unwrap_or_else(|| panic!("a range in no text: {finding}")),
                range,
            );
        }
    }
    let object = &answer["objects"][0];
    assert!(
        !ok || (object["valid"] == true && object["object"].is_object()),
        "{answer}"
    );
    assert!(!ok || object["status"].is_null(), "{answer}");
    assert!(object["object"].to_string().len() <= MOST);
}

/// The changes, sent as a JSON patch, give the same object, except for field managers.
fn changes_lead_there(request: &Value, answer: &Value, object: &Value) {
    let mut again = request.clone();
    let fields = again.as_object_mut().unwrap();
    for name in ["fieldManager", "force"] {
        fields.shift_remove(name);
    }
    again["patchType"] = json!("json");
    again["patch"] = json!(ascii(&answer["objects"][0]["changes"].to_string()));
    let done = ask(&again);
    assert_eq!(
        &done["objects"][0]["object"], object,
        "{request}\nchanges: {}\nanswer: {done}",
        again["patch"]
    );
}

/// JSON that YAML reads as the same: control characters and what YAML takes for line ends are escaped, pairs of surrogates are not.
fn ascii(json: &str) -> String {
    let escaped = |c: char| match c {
        '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
            format!("\\u{:04x}", u32::from(c))
        }
        _ => c.to_string(),
    };
    json.chars().map(escaped).collect()
}

fn nothing_changes_nothing(request: &Value) {
    let mut again = request.clone();
    let fields = again.as_object_mut().unwrap();
    for name in ["fieldManager", "force"] {
        fields.shift_remove(name);
    }
    again["patchType"] = json!("merge");
    again["patch"] = json!("{}");
    assert_eq!(ask(&again)["objects"][0]["changes"], json!([]), "{request}");
}

//! Decoding loses no value; a printed decoded object decodes to the same object; strictness changes only the severity of
//! findings; serde types receive the printed values.

use crate::answers::{self, Options, ask, findings};
use claimkit::apiserver::device::defaults::CLOCK;
use claimkit::manifest::Input;
use claimkit_model::limits::Limits;
use claimkit_model::object::decode::Via;
use claimkit_model::schema::Release;
use claimkit_model::text::print::{self, Order};
use claimkit_values::quantity::Quantity;
use claimkit_values::time::Time;
use libfuzzer_sys::Corpus;
use serde_json::{Value, json};

pub fn run(data: &[u8]) -> Corpus {
    let Some((mut options, text)) = Options::split(data) else {
        return Corpus::Reject;
    };
    let mut request = json!({"verb": "parse", "text": text});
    options.fill(&mut request);
    let answer = ask(&request);
    answers::agrees_with_itself(&request, &answer);
    nothing_is_lost(&request, &answer);
    decodes_again(&request, &answer);
    strictness_is_weight(&request, &answer);
    raw_is_plain(text);
    serde_sees_what_is_printed(text);
    Corpus::Keep
}

/// If no field is unknown or of the wrong type, the object has every value of the text.
fn nothing_is_lost(request: &Value, answer: &Value) {
    let doubtful = [
        "unknown-field",
        "duplicate-field",
        "type-mismatch",
        "yaml-duplicate-key",
        "json-duplicate-key",
    ];
    if findings(answer)
        .iter()
        .any(|f| doubtful.iter().any(|code| f["code"] == *code))
    {
        return;
    }
    let text = request["text"].as_str().unwrap();
    let release = request
        .get("release")
        .and_then(|release| Release::parse(release.as_str().unwrap()));
    let via = if request.get("via").is_some() {
        Via::Validator
    } else {
        Via::Kubectl
    };
    let input = Input::read_via(text, via, release, &Limits::default());
    for (item, object) in input
        .items
        .iter()
        .zip(answer["objects"].as_array().unwrap())
    {
        let (Some(tree), Some(decoded)) = (input.tree(item), object.get("object")) else {
            continue;
        };
        let mut out = String::new();
        if !print::json(tree, item.node, Order::Sorted, 1 << 20, &mut out) {
            continue;
        }
        let Ok(written) = serde_json::from_str::<Value>(&out) else {
            continue;
        };
        if let Err(path) = holds(decoded, &written) {
            panic!("{path} is not what was written\n{out}\n{decoded}\n{request}");
        }
    }
}

/// True for values that the server leaves out: null, empty, false and zero.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.values().all(is_zero),
    }
}

/// Fails with the path of a missing or different value. Times and quantities may be printed differently.
fn holds(decoded: &Value, written: &Value) -> Result<(), String> {
    let fine = match (written, decoded) {
        (written, _) if is_zero(written) => true,
        (Value::Object(map), Value::Object(_)) => {
            for (key, value) in map {
                holds(decoded.get(key).unwrap_or(&Value::Null), value)
                    .map_err(|path| format!(".{key}{path}"))?;
            }
            true
        }
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
            for (at, (item, other)) in items.iter().zip(others).enumerate() {
                holds(other, item).map_err(|path| format!("[{at}]{path}"))?;
            }
            true
        }
        (written, Value::String(decoded)) if Some(decoded.as_str()) != written.as_str() => {
            let time = |text: &str| Time::parse(text).ok().map(|time| time.rfc3339());
            let quantity = |json: &str| {
                Quantity::parse_json(json)
                    .ok()
                    .map(|quantity| quantity.canonical().into_owned())
            };
            let same_time = written
                .as_str()
                .and_then(time)
                .is_some_and(|time| time == *decoded);
            same_time || quantity(&written.to_string()).is_some_and(|quantity| quantity == *decoded)
        }
        (written, decoded) => written == decoded,
    };
    if fine { Ok(()) } else { Err(String::new()) }
}

fn decodes_again(request: &Value, answer: &Value) {
    for object in answer["objects"].as_array().unwrap() {
        // A List is split into its items. Kind and version are also recognized in another letter case, and are then missing in
        // the object.
        let whole = |decoded: &&Value| {
            decoded.get("items").is_none()
                && decoded.get("apiVersion").is_some()
                && decoded.get("kind").is_some()
        };
        let Some(decoded) = object.get("object").filter(whole) else {
            continue;
        };
        // A time from the server's clock has no fixed value.
        let decoded = decoded.to_string().replace(CLOCK, "2026-01-02T15:04:05Z");
        let mut again = json!({"verb": "parse", "text": decoded, "release": object["release"]});
        if let Some(via) = request.get("via") {
            again["via"] = via.clone();
        }
        let second = ask(&again);
        assert_eq!(second["ok"], true, "{decoded}\n{second}\n{request}");
        assert_eq!(second["objects"].as_array().unwrap().len(), 1, "{decoded}");
        assert_eq!(
            second["objects"][0]["object"].to_string(),
            decoded,
            "{request}"
        );
    }
}

fn strictness_is_weight(request: &Value, answer: &Value) {
    let told = |answer: &Value| -> Vec<String> {
        let mut told: Vec<String> = findings(answer)
            .iter()
            .map(|f| format!("{} {} {}", f["code"], f["path"], f["message"]))
            .collect();
        // `nothing-checked` is said where there is no error.
        told.retain(|text| !text.starts_with("\"nothing-checked\""));
        told.sort();
        told
    };
    for strictness in ["Strict", "Warn", "Ignore"] {
        let mut other = request.clone();
        other["fieldValidation"] = json!(strictness);
        let other = ask(&other);
        assert_eq!(told(&other), told(answer), "{strictness}: {request}");
        let objects = |answer: &Value| -> Vec<Value> {
            answer["objects"]
                .as_array()
                .unwrap()
                .iter()
                .map(|object| object["object"].clone())
                .collect()
        };
        assert_eq!(objects(&other), objects(answer), "{strictness}: {request}");
    }
}

/// kubectl's step from YAML to JSON does not change its own result.
fn raw_is_plain(text: &str) {
    let ask = |text: &str| answers::ask(&json!({"verb": "parse", "raw": true, "text": text}));
    let answer = ask(text);
    if let Some(raw) = answer.get("raw") {
        // YAML treats some characters specially that JSON writes unescaped.
        let escaped = |c: char| match u32::from(c) {
            0x20..=0x7e | 0x10000.. => c.to_string(),
            code => format!("\\u{code:04x}"),
        };
        let printed: String = raw.to_string().chars().map(escaped).collect();
        let again = ask(&printed);
        assert_eq!(again.get("raw"), Some(raw), "{text:?}");
    }
}

fn serde_sees_what_is_printed(text: &str) {
    let input = Input::read(text, None, &Limits::default());
    for (index, item) in input.items.iter().enumerate() {
        let Some(tree) = input.tree(item) else {
            continue;
        };
        let mut out = String::new();
        if !print::json(tree, item.node, Order::Sorted, 1 << 20, &mut out) {
            continue;
        }
        // Both readers refuse deep nesting.
        let (Ok(filled), Ok(printed)) = (
            input.deserialize::<Value>(index),
            serde_json::from_str::<Value>(&out),
        ) else {
            continue;
        };
        assert_eq!(
            without_fractions(&filled),
            without_fractions(&printed),
            "{text:?}"
        );
    }
}

/// serde_json's own reading of fractions is not exact in the last digit.
fn without_fractions(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => json!("a fraction"),
        Value::Array(items) => items.iter().map(without_fractions).collect(),
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(key, value)| (key.clone(), without_fractions(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

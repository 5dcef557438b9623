//! Settings of the policy: key order does not matter; an unknown key gives an error with its name and the other errors stay;
//! accepted settings match the published schema; `mode: warn` refuses nothing that can be read; every host's answer agrees.
//!
//! Input: the settings, and behind a NUL an AdmissionRequest.

use crate::styles::{Choices, shuffled};
use claimkit::policy::schema::schema;
use claimkit::requests::hosts;
use libfuzzer_sys::Corpus;
use serde_json::{Value, json};
use std::sync::OnceLock;

pub fn run(data: &[u8]) -> Corpus {
    let Ok(text) = std::str::from_utf8(data) else {
        return Corpus::Reject;
    };
    let (settings, request) = text
        .split_once('\0')
        .map_or((text, None), |(settings, request)| {
            (settings, Some(request))
        });
    let errors = errors(settings);
    if let Ok(value @ Value::Object(_)) = serde_json::from_str::<Value>(settings)
        && value.to_string().len()
            == settings
                .chars()
                .filter(|c| !c.is_ascii_whitespace())
                .map(char::len_utf8)
                .sum::<usize>()
    {
        keys_in_any_order(&value, &errors);
        an_unknown_key_is_one_more_error(&value, &errors);
        if errors.is_empty() {
            static SCHEMA: OnceLock<Value> = OnceLock::new();
            if let Err(problem) = fits(&value, SCHEMA.get_or_init(schema)) {
                panic!("accepted, but {problem}: {value}");
            }
        }
    }
    if let Some(request) = request {
        hosts_agree(settings, &errors, request);
    }
    Corpus::Keep
}

fn ask(request: &str) -> Value {
    serde_json::from_str(&claimkit::requests::answer(request))
        .unwrap_or_else(|error| panic!("{error}: {request}"))
}

/// The errors of settings, which are the same from the policy and the contract.
fn errors(settings: &str) -> Vec<String> {
    let policy: Value =
        serde_json::from_str(&hosts::validate_settings(settings.as_bytes())).unwrap();
    if serde_json::from_str::<&serde_json::value::RawValue>(settings).is_err() {
        let valid = policy["valid"].as_bool().unwrap();
        assert!(
            !valid || settings.trim().is_empty(),
            "not JSON, but accepted: {settings:?}"
        );
        return if valid {
            Vec::new()
        } else {
            vec![policy["message"].as_str().unwrap().to_owned()]
        };
    }
    let answer = ask(&format!(r#"{{"verb":"admit","settings":{settings}}}"#));
    let errors: Vec<String> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["message"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(policy["valid"], errors.is_empty(), "{settings}");
    assert_eq!(policy["valid"], answer["ok"], "{settings}");
    if let Some(message) = policy["message"]
        .as_str()
        .filter(|message| message.len() < 8000)
    {
        assert_eq!(message, errors.join("; "), "{settings}");
    }
    errors
}

fn sorted(mut errors: Vec<String>) -> Vec<String> {
    errors.sort();
    errors
}

fn keys_in_any_order(value: &Value, before: &[String]) {
    let mut choices = Choices(value.to_string().len() as u64);
    let other = shuffled(value, &mut choices);
    assert_eq!(
        sorted(errors(&other.to_string())),
        sorted(before.to_vec()),
        "{value}"
    );
}

fn an_unknown_key_is_one_more_error(value: &Value, before: &[String]) {
    let mut more = value.clone();
    more["zzzzzzzzzz"] = json!(1);
    if value.get("zzzzzzzzzz").is_some() {
        return;
    }
    let mut after = errors(&more.to_string());
    let at = after
        .iter()
        .position(|error| error.starts_with("zzzzzzzzzz: "))
        .unwrap_or_else(|| panic!("{after:?}"));
    after.remove(at);
    // The list of errors is bounded.
    if after.len() < 50 {
        assert_eq!(sorted(after), sorted(before.to_vec()), "{value}");
    }
}

/// The part of JSON Schema that the settings' schema is written in.
fn fits(value: &Value, schema: &Value) -> Result<(), String> {
    let fail = |rule: &str| Err(format!("{value} does not fit `{rule}`"));
    for (rule, says) in schema.as_object().unwrap() {
        let fine = match rule.as_str() {
            "$schema" | "title" | "description" | "examples" => true,
            "type" => match says {
                Value::Array(types) => types.iter().any(|name| is_of(value, name)),
                name => is_of(value, name),
            },
            "enum" => says.as_array().unwrap().contains(value),
            "minLength" => value
                .as_str()
                .is_none_or(|text| text.chars().count() as u64 >= says.as_u64().unwrap()),
            "minimum" => value
                .as_f64()
                .is_none_or(|number| number >= says.as_f64().unwrap()),
            "maximum" => value
                .as_f64()
                .is_none_or(|number| number <= says.as_f64().unwrap()),
            "allOf" => says
                .as_array()
                .unwrap()
                .iter()
                .all(|schema| fits(value, schema).is_ok()),
            "minItems" => value
                .as_array()
                .is_none_or(|items| items.len() as u64 >= says.as_u64().unwrap()),
            "minProperties" => value
                .as_object()
                .is_none_or(|map| map.len() as u64 >= says.as_u64().unwrap()),
            "required" => value.as_object().is_none_or(|map| {
                says.as_array()
                    .unwrap()
                    .iter()
                    .all(|key| map.contains_key(key.as_str().unwrap()))
            }),
            "anyOf" => says
                .as_array()
                .unwrap()
                .iter()
                .any(|schema| fits(value, schema).is_ok()),
            "not" => fits(value, says).is_err(),
            "pattern" => value
                .as_str()
                .is_none_or(|text| claimkit_model::schema::Release::parse(text).is_some()),
            "items" => {
                value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .try_for_each(|item| fits(item, says))?;
                true
            }
            "propertyNames" => {
                let mut names = value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(name, _)| Value::from(name.as_str()));
                names.try_for_each(|name| fits(&name, says))?;
                true
            }
            "properties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    if let Some(schema) = says.get(key) {
                        fits(value, schema)?;
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Value::as_object);
                for (key, value) in value.as_object().into_iter().flatten() {
                    match says {
                        Value::Bool(false)
                            if known.is_none_or(|known| !known.contains_key(key)) =>
                        {
                            return fail(key);
                        }
                        Value::Bool(_) => {}
                        schema => fits(value, schema)?,
                    }
                }
                true
            }
            other => panic!("the schema has a rule that is not known here: {other}"),
        };
        if !fine {
            return fail(rule);
        }
    }
    Ok(())
}

fn is_of(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("type {other}"),
    }
}

fn hosts_agree(settings: &str, errors: &[String], request: &str) {
    let parse = |text: &str| -> Value {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
    };
    let payload = format!(r#"{{"request":{request},"settings":{settings}}}"#);
    let kubewarden = hosts::validate(payload.as_bytes(), None);
    let response = parse(&kubewarden);
    let accepted = response["accepted"].as_bool().unwrap();
    assert_eq!(
        accepted,
        response["code"].is_null(),
        "{response}\n{payload}"
    );
    if !accepted {
        assert!(
            response["mutated_object"].is_null() && response["message"].is_string(),
            "{response}\n{payload}"
        );
    }
    // The laws below are about requests that are JSON; raw mode answers in other words.
    let (Ok(read), Ok(set)) = (
        serde_json::from_str::<Value>(request),
        serde_json::from_str::<Value>(settings),
    ) else {
        return;
    };
    if read.is_null() || read.get("verb").is_some() || payload.matches("\"verb\"").count() > 0 {
        return;
    }
    assert!(
        errors.is_empty() || !accepted,
        "accepted by settings that are not valid: {payload}"
    );
    // By default a host of a policy only warns of rules that a server has checked before it; whoever asks the verb has no server.
    let told = match &set {
        Value::Object(keys) if keys.get("validation").is_none_or(Value::is_null) => {
            let mut strict = set.clone();
            strict["validation"] = json!("strict");
            strict.to_string()
        }
        _ => settings.to_owned(),
    };
    let strict = parse(&hosts::validate(
        format!(r#"{{"request":{request},"settings":{told}}}"#).as_bytes(),
        None,
    ));
    let verb = ask(&format!(
        r#"{{"verb":"admit","request":{request},"settings":{told}}}"#
    ));
    assert_eq!(verb["response"], strict, "{payload}");
    assert_eq!(verb["ok"], strict["accepted"], "{payload}");
    let opa = parse(&hosts::evaluate(
        format!(r#"{{"request":{request}}}"#).as_bytes(),
        settings.as_bytes(),
    ));
    if response["mutated_object"].is_null()
        && read.get("request").is_none()
        && read.get("review").is_none()
    {
        assert_eq!(opa["allowed"], response["accepted"], "{payload}\n{opa}");
        assert_eq!(opa["code"], response["code"], "{payload}");
        // Gatekeeper's audit asks about stored objects without an operation, which no other host may leave out.
        if !matches!(&read["operation"], Value::Null) && read["operation"] != "" {
            let gatekeeper = parse(&hosts::evaluate(
                format!(r#"{{"parameters":{settings},"review":{request}}}"#).as_bytes(),
                b"{}",
            ));
            let violations = gatekeeper.as_array().unwrap();
            // Gatekeeper has no place for warnings, and says so.
            let unwarned = violations
                .first()
                .is_some_and(|first| first["msg"].as_str().unwrap().contains("has no warnings"));
            assert!(
                unwarned || violations.is_empty() == accepted,
                "{payload}\n{gatekeeper}"
            );
        }
    }
    // With warnings instead of refusals, every readable request is accepted.
    if errors.is_empty() && response["code"] != 400 && set.is_object() {
        let mut warn = set.clone();
        // The mode of a rule overrides the general mode.
        for rule in warn
            .as_object_mut()
            .unwrap()
            .values_mut()
            .filter_map(Value::as_object_mut)
        {
            rule.remove("mode");
        }
        warn["mode"] = json!("warn");
        let warned = parse(&hosts::validate(
            format!(r#"{{"request":{request},"settings":{warn}}}"#).as_bytes(),
            None,
        ));
        assert_eq!(warned["accepted"], true, "{payload}\n{warned}");
        assert!(warned["mutated_object"].is_null(), "{payload}\n{warned}");
        if !accepted {
            assert!(
                warned["warnings"]
                    .as_array()
                    .is_some_and(|warnings| !warnings.is_empty()),
                "{payload}\n{warned}"
            );
        }
    }
}

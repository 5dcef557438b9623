//! The JSON Schema of the settings, from the table of keys.

use crate::policy::keys::{ALLOCATION_MODES, SETTINGS, SettingKey, SettingNameKind, ValueShape};
use claimkit_model::schema::Gate;
use claimkit_model::schema::release::LAST_PATCHES;
use serde_json::{Map, Value, json};

/// Returns the schema (draft 2020-12), for editors and forms; [`crate::policy::Settings::read`] checks more than a schema can
/// express.
pub fn schema() -> Value {
    let mut schema = object(SETTINGS);
    let described = [
        ("$schema", "https://json-schema.org/draft/2020-12/schema"),
        ("title", "Settings of the claimkit policy"),
        (
            "description",
            "Everything is optional. Empty settings hold objects of resource.k8s.io against the API server's own rules.",
        ),
    ];
    for (at, (name, text)) in described.into_iter().enumerate() {
        schema.shift_insert(at, name.to_owned(), Value::from(text));
    }
    Value::Object(schema)
}

fn object(keys: &'static [SettingKey]) -> Map<String, Value> {
    let mut properties = Map::new();
    for key in keys {
        let mut property = shape(key.shape);
        property.insert("description".to_owned(), Value::from(key.doc));
        properties.insert(key.name.to_owned(), Value::Object(property));
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), Value::from("object"));
    schema.insert("additionalProperties".to_owned(), Value::from(false));
    schema.insert("properties".to_owned(), Value::Object(properties));
    let has = |name: &str| keys.iter().any(|key| key.name == name);
    if has("allow") && has("deny") {
        schema.insert("not".to_owned(), json!({ "required": ["allow", "deny"] }));
    }
    if has("names") && has("labels") {
        let mut all =
            vec![json!({ "anyOf": [{ "required": ["names"] }, { "required": ["labels"] }] })];
        let says = keys.iter().map(|key| key.name);
        let says =
            says.filter(|name| !matches!(*name, "names" | "labels" | "default" | "fallback"));
        let says: Vec<Value> = says.map(|name| json!({ "required": [name] })).collect();
        all.push(json!({ "anyOf": says }));
        schema.insert("allOf".to_owned(), Value::Array(all));
    } else if has("names") {
        schema.insert("required".to_owned(), json!(["names"]));
    }
    if has("of") {
        schema.insert("required".to_owned(), json!(["of"]));
    }
    if has("expression") {
        schema.insert("required".to_owned(), json!(["driver", "expression"]));
    }
    if has("key") {
        schema.insert("required".to_owned(), json!(["key"]));
    }
    if has("kind") {
        schema.insert("required".to_owned(), json!(["kind"]));
    }
    if has("name") {
        schema.insert("minProperties".to_owned(), Value::from(1));
    }
    schema
}

fn shape(shape: ValueShape) -> Map<String, Value> {
    let value = match shape {
        ValueShape::Choice(words) => {
            let mut words: Vec<Value> = words.iter().copied().map(Value::from).collect();
            if words.contains(&Value::from("off")) {
                words.push(Value::from(false));
            }
            json!({ "enum": words })
        }
        ValueShape::Flag => json!({ "type": "boolean" }),
        ValueShape::Count => json!({ "type": "integer", "minimum": 0 }),
        ValueShape::Text | ValueShape::Message | ValueShape::Expression => {
            json!({ "type": "string", "minLength": 1 })
        }
        ValueShape::Name(names) => Value::Object(name(names)),
        ValueShape::Patterns(names) => {
            json!({ "type": "array", "minItems": 1, "items": name(names) })
        }
        ValueShape::Object(keys) => Value::Object(object(keys)),
        ValueShape::Objects(keys) => {
            json!({ "type": "array", "minItems": 1, "items": object(keys) })
        }
        ValueShape::Gates => {
            let names: Vec<&str> = Gate::ALL.iter().map(|gate| gate.name()).collect();
            json!({
                "type": "object",
                "minProperties": 1,
                "propertyNames": { "enum": names },
                "additionalProperties": { "type": "boolean" },
            })
        }
        ValueShape::Quantities => {
            json!({ "type": "object", "minProperties": 1, "additionalProperties": { "type": ["string", "number"] } })
        }
        ValueShape::Labels => {
            json!({ "type": "object", "minProperties": 1, "additionalProperties": { "type": "string" } })
        }
    };
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn name(names: SettingNameKind) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), Value::from("string"));
    match names {
        SettingNameKind::AllocationMode => {
            schema.insert("examples".to_owned(), json!(ALLOCATION_MODES.concat()));
        }
        SettingNameKind::Release => {
            let minors: Vec<String> = LAST_PATCHES
                .iter()
                .map(|last| last.minor.to_string())
                .collect();
            schema.insert(
                "pattern".to_owned(),
                Value::from(format!(
                    r"^1\.({})(\.[0-9]+(-(alpha|beta|rc)\.[0-9]+)?)?$",
                    minors.join("|")
                )),
            );
        }
        SettingNameKind::Group => {}
        _ => {
            schema.insert("minLength".to_owned(), Value::from(1));
        }
    }
    schema
}

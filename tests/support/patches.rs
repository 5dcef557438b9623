//! The patch functions on the values that tests write with `json!`.

use claimkit::api::{Release, Struct};
use claimkit::go::GoUnicode;
use claimkit::json::Value as Ours;
use claimkit::patch::Refused;
use claimkit::patch::apply::Writer;
use claimkit::patch::managers::Manager;
use serde_json::Value;

fn ours(value: &Value) -> Ours {
    Ours::parse(&value.to_string()).unwrap()
}

fn theirs(value: &Ours) -> Value {
    serde_json::from_str(&value.to_string()).unwrap()
}

pub fn json(document: &Value, patch: &Value) -> Result<(Value, Vec<String>), Refused> {
    claimkit::patch::json::apply(&ours(document), &ours(patch)).map(|(value, strict)| (theirs(&value), strict))
}

pub fn merge(document: &Value, patch: &Value) -> Result<Value, Refused> {
    claimkit::patch::merge::apply(&ours(document), &ours(patch)).map(|value| theirs(&value))
}

pub fn strategic(document: &Value, patch: &Value, schema: &'static Struct, release: Release) -> Result<Value, Refused> {
    claimkit::patch::strategic::apply(&ours(document), &ours(patch), schema, release).map(|value| theirs(&value))
}

pub fn apply(live: &Value, config: &Value, writer: &Writer<'_>, unicode: GoUnicode) -> Result<Value, Refused> {
    claimkit::patch::apply::apply(&ours(live), &ours(config), writer, unicode).map(|value| theirs(&value))
}

pub fn update(live: &Value, new: &Value, writer: &Writer<'_>) -> Result<Value, Refused> {
    claimkit::patch::apply::update(&ours(live), &ours(new), writer).map(|value| theirs(&value))
}

pub fn managers(object: &Value) -> Result<Vec<Manager>, String> {
    claimkit::patch::managers::read(&ours(object))
}

pub fn with_managers(object: &Value, managers: &[Manager]) -> Value {
    let mut object = ours(object);
    claimkit::patch::managers::write(&mut object, managers);
    theirs(&object)
}

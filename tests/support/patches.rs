//! The patch functions on the values that tests write with `json!`.

use claimkit::Message;
use claimkit::patch::PatchRefusal;
use claimkit::patch::apply::Writer;
use claimkit::patch::managers::Manager;
use claimkit_model::schema::{Release, Struct};
use claimkit_values::GoUnicode;
use serde_json::Value;

pub fn json(document: &Value, patch: &Value) -> Result<(Value, Vec<String>), PatchRefusal> {
    claimkit::patch::json::apply(document, patch)
}

pub fn merge(document: &Value, patch: &Value) -> Result<Value, PatchRefusal> {
    claimkit::patch::merge::apply(document, patch)
}

pub fn strategic(
    document: &Value,
    patch: &Value,
    schema: &'static Struct,
    release: Release,
) -> Result<Value, PatchRefusal> {
    claimkit::patch::strategic::apply(document, patch, schema, release)
}

pub fn apply(
    live: &Value,
    config: &Value,
    writer: &Writer<'_>,
    unicode: GoUnicode,
) -> Result<Value, PatchRefusal> {
    claimkit::patch::apply::apply(live, config, writer, unicode)
}

pub fn update(live: &Value, new: &Value, writer: &Writer<'_>) -> Result<Value, PatchRefusal> {
    claimkit::patch::apply::update(live, new, writer)
}

pub fn managers(object: &Value) -> Result<Vec<Manager>, Message> {
    claimkit::patch::managers::read(object)
}

pub fn with_managers(object: &Value, managers: &[Manager]) -> Value {
    let mut object = object.clone();
    claimkit::patch::managers::write(&mut object, managers);
    object
}

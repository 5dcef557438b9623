//! Devices of 1.31 and later and instances of 1.30 as a caller gives them: JSON of a slice's fields.

use claimkit_model::cel::{CelDevice, DeviceAttribute, NamedAttribute};
use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::{engine, objects};
use serde_json::{Map, Value};

/// Why a given value is invalid.
#[derive(Debug)]
pub struct GivenProblem {
    /// The path below the value: `.attributes.model`; empty for the value itself.
    pub at: String,
    pub text: Message,
}

impl GivenProblem {
    /// Names the value in front: `devices` or `instances`, and its index.
    pub fn told(&self, list: &str, index: usize) -> Message {
        let place = format!("{list}[{index}]{}", self.at);
        message!(
            "expression.given",
            "`{place}`: {problem}",
            place,
            problem = self.text
        )
    }
}

/// The fields that a device may have. The name is ignored, but every device of a slice has one.
const DEVICE: &[&str] = &[
    "driver",
    "name",
    "attributes",
    "capacity",
    "allowMultipleAllocations",
];

/// The fields that an instance may have.
const INSTANCE: &[&str] = &["name", "attributes"];

/// Reads a device: `driver`, `attributes`, `capacity`, `allowMultipleAllocations`.
pub fn device(given: &Value) -> Result<CelDevice, GivenProblem> {
    let given = members(given, DEVICE)?;
    let driver = match given.get("driver") {
        None | Some(Value::Null) => "",
        Some(driver) => driver.as_str().ok_or_else(|| {
            wrong(
                ".driver",
                message!("expression.no-string", "is not a string"),
            )
        })?,
    };
    let attributes = map(given, "attributes")?.map(|(name, value)| match attribute(value) {
        Ok(attribute) => Ok((name.clone(), attribute)),
        Err(text) => Err(GivenProblem {
            at: format!(".attributes.{name}"),
            text,
        }),
    });
    let shared = match given.get("allowMultipleAllocations") {
        None | Some(Value::Null) => false,
        Some(flag) => flag.as_bool().ok_or_else(|| {
            wrong(
                ".allowMultipleAllocations",
                message!("expression.no-boolean", "is not true or false"),
            )
        })?,
    };
    Ok(CelDevice {
        driver: driver.to_owned(),
        attributes: attributes.collect::<Result<_, _>>()?,
        capacity: map(given, "capacity")?
            .map(|(name, value)| (name.clone(), quantity(value)))
            .collect(),
        allow_multiple_allocations: shared,
    })
}

/// Reads an instance: `attributes`, a list of v1alpha2's NamedResourcesAttribute.
pub fn instance(given: &Value) -> Result<Vec<(String, NamedAttribute)>, GivenProblem> {
    let attributes = match members(given, INSTANCE)?.get("attributes") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(list) => list.as_array().ok_or_else(|| {
            wrong(
                ".attributes",
                message!("expression.no-list", "is not a list"),
            )
        })?,
    };
    let read = attributes.iter().enumerate().map(|(index, attribute)| {
        attribute
            .as_object()
            .and_then(named)
            .ok_or_else(|| GivenProblem {
                at: format!(".attributes[{index}]"),
                text: message!(
                    "expression.no-attribute",
                    "has no name, or no value of a known kind: write `{example}`",
                    example = r#"{"name": "size", "quantity": "1Gi"}"#,
                ),
            })
    });
    read.collect()
}

fn wrong(at: &str, text: Message) -> GivenProblem {
    GivenProblem {
        at: at.to_owned(),
        text,
    }
}

fn no_object() -> Message {
    message!("expression.no-object", "is not an object")
}

fn members<'v>(given: &'v Value, known: &[&str]) -> Result<&'v Map<String, Value>, GivenProblem> {
    let members = given.as_object().ok_or_else(|| wrong("", no_object()))?;
    match members.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(wrong(
            "",
            message!(
                "expression.unknown-field",
                "unknown field `{name}`, expected one of `{known}`",
                name,
                known = known.join("`, `")
            ),
        )),
        None => Ok(members),
    }
}

fn map<'v>(
    given: &'v Map<String, Value>,
    name: &str,
) -> Result<impl Iterator<Item = (&'v String, &'v Value)>, GivenProblem> {
    let members = match given.get(name) {
        None | Some(Value::Null) => None,
        Some(Value::Object(members)) => Some(members),
        Some(_) => return Err(wrong(&format!(".{name}"), no_object())),
    };
    Ok(members.into_iter().flatten())
}

fn attribute(value: &Value) -> Result<DeviceAttribute, Message> {
    let kind = match value {
        Value::String(_) => "string",
        Value::Bool(_) => "bool",
        Value::Number(_) => "int",
        _ => {
            return objects::read::read(value)
                .map(|read: objects::Attribute| engine::attribute(&read).into());
        }
    };
    let mut written = Map::new();
    written.insert(kind.to_owned(), value.clone());
    Err(message!(
        "expression.no-type",
        "has no type; write `{written}`",
        written = Value::Object(written)
    ))
}

/// Reads `{value: 1Gi}`, or the bare quantity of v1alpha3.
fn quantity(value: &Value) -> String {
    match value.get("value").unwrap_or(value) {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn named(attribute: &Map<String, Value>) -> Option<(String, NamedAttribute)> {
    let name = attribute.get("name")?.as_str()?.to_owned();
    let (kind, value) = attribute.iter().find(|(key, _)| *key != "name")?;
    let value = match kind.as_str() {
        "quantity" => NamedAttribute::Quantity(quantity(value)),
        "bool" => NamedAttribute::Bool(value.as_bool()?),
        "int" => NamedAttribute::Int(value.as_i64()?),
        "string" => NamedAttribute::String(value.as_str()?.to_owned()),
        "version" => NamedAttribute::Version(value.as_str()?.to_owned()),
        "intSlice" => NamedAttribute::IntSlice(
            list_in(value, "ints")?
                .iter()
                .map(Value::as_i64)
                .collect::<Option<_>>()?,
        ),
        "stringSlice" => {
            let texts = list_in(value, "strings")?
                .iter()
                .map(|text| text.as_str().map(str::to_owned));
            NamedAttribute::StringSlice(texts.collect::<Option<_>>()?)
        }
        _ => return None,
    };
    Some((name, value))
}

fn list_in<'v>(value: &'v Value, name: &str) -> Option<&'v Vec<Value>> {
    value.get(name)?.as_array()
}

//! `metadata.managedFields`: who owns which fields, read and written as the server does.

use super::fields::{FieldSet, SetStep};
use claimkit_model::message::{Message, message};
use claimkit_values::GoUnicode;
use claimkit_values::order;
use claimkit_values::time::Time;
use serde_json::{Map, Value};

/// An entry of `managedFields`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manager {
    pub name: String,
    /// `Apply`, else `Update`.
    pub applied: bool,
    /// The version its fields are named by.
    pub api_version: String,
    /// Empty for the object itself.
    pub subresource: String,
    /// RFC 3339, if there is one.
    pub time: Option<String>,
    pub set: FieldSet,
}

impl Manager {
    /// Returns the time to the second; empty: it has none.
    fn seconds(&self) -> String {
        let time = self.time.as_deref().and_then(|time| Time::parse(time).ok());
        time.map_or_else(String::new, |time| time.rfc3339())
    }

    /// Returns true if both are one manager: appliers are the same in every version.
    pub fn is(&self, other: &Manager) -> bool {
        self.name == other.name
            && self.applied == other.applied
            && self.subresource == other.subresource
            && (self.applied || self.api_version == other.api_version)
    }

    /// Returns the manager's name in conflicts.
    pub fn text(&self, unicode: GoUnicode) -> String {
        let mut text = claimkit_values::quote(&self.name, unicode);
        if !self.subresource.is_empty() {
            text.push_str(&format!(
                " with subresource {}",
                claimkit_values::quote(&self.subresource, unicode)
            ));
        }
        if !self.applied {
            text.push_str(&format!(" using {}", self.api_version));
        }
        text
    }
}

/// Reads the entries of an object; an error if one is not as the server writes them.
pub fn read(object: &Value) -> Result<Vec<Manager>, Message> {
    let entries = object
        .pointer("/metadata/managedFields")
        .and_then(Value::as_array);
    let mut managers = Vec::new();
    for (at, entry) in entries.into_iter().flatten().enumerate() {
        let text = |name: &str| {
            entry
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or("")
                .to_owned()
        };
        let set = match entry.get("fieldsV1") {
            None | Some(Value::Null) => Some(FieldSet::default()),
            Some(fields) => FieldSet::from_value(fields),
        };
        let Some(set) = set else {
            return Err(message!(
                "patch.no-field-set",
                "`metadata.managedFields[{at}].fieldsV1` is not a set of fields",
                at
            ));
        };
        managers.push(Manager {
            name: text("manager"),
            applied: text("operation") == "Apply",
            api_version: text("apiVersion"),
            subresource: text("subresource"),
            time: Some(text("time")).filter(|time| !time.is_empty()),
            set,
        });
    }
    Ok(managers)
}

/// Returns the fields of `metadata` and above that nobody owns.
pub fn unowned() -> FieldSet {
    let names = [
        "name",
        "namespace",
        "creationTimestamp",
        "selfLink",
        "uid",
        "clusterName",
        "generation",
        "managedFields",
        "resourceVersion",
    ];
    let roots =
        ["apiVersion", "kind", "metadata"].map(|name| vec![SetStep::Field(name.to_owned())]);
    FieldSet::new(
        names
            .iter()
            .map(|name| {
                vec![
                    SetStep::Field("metadata".to_owned()),
                    SetStep::Field((*name).to_owned()),
                ]
            })
            .chain(roots)
            .collect(),
    )
}

/// Writes the entries, those without fields left out, in the server's order. An object without any gets none.
pub fn write(object: &mut Value, managers: &[Manager]) {
    let mut entries: Vec<Manager> = managers
        .iter()
        .map(|manager| Manager {
            set: manager.set.difference(&unowned()),
            ..manager.clone()
        })
        .filter(|manager| !manager.set.is_empty())
        .collect();
    order::sort_by_key(&mut entries, |manager| {
        let operation = if manager.applied { "Apply" } else { "Update" };
        (
            operation,
            manager.seconds(),
            manager.name.clone(),
            manager.api_version.clone(),
            manager.subresource.clone(),
        )
    });
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
        return;
    };
    if entries.is_empty() {
        metadata.shift_remove("managedFields");
        return;
    }
    let list: Vec<Value> = entries.iter().map(entry).collect();
    metadata.insert("managedFields".to_owned(), Value::Array(list));
}

fn entry(manager: &Manager) -> Value {
    let mut map = Map::new();
    let operation = if manager.applied { "Apply" } else { "Update" };
    for (name, value) in [
        ("manager", manager.name.as_str()),
        ("operation", operation),
        ("apiVersion", &manager.api_version),
        ("time", manager.time.as_deref().unwrap_or("")),
        ("fieldsType", "FieldsV1"),
    ] {
        if !value.is_empty() {
            map.insert(name.to_owned(), Value::String(value.to_owned()));
        }
    }
    map.insert("fieldsV1".to_owned(), manager.set.to_value());
    if !manager.subresource.is_empty() {
        map.insert(
            "subresource".to_owned(),
            Value::String(manager.subresource.clone()),
        );
    }
    Value::Object(map)
}

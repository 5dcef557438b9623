//! Whether a value has the types of its schema, in the words of server-side apply (structured-merge-diff 6.4, `typed/validate.go` and
//! `typed/helpers.go`). Go walks a map in any order and stops at an undeclared field; here the order is that of the names.

use super::fields::{SetPath, SetStep, path_text};
use super::typed::{Schema, Shape, default_of};
use super::{go_print, go_syntax};
use claimkit_model::schema::{Field, FieldType, Release, Struct};
use claimkit_values::GoUnicode;
use claimkit_values::order;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The problems of a value.
struct Check {
    release: Release,
    unicode: GoUnicode,
    /// Lists may have an item twice, as in stored objects.
    duplicates: Duplicates,
    /// Each with the path of its value.
    problems: Vec<String>,
}

/// Whether lists may have an item twice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    /// As in stored objects.
    Allowed,
    Refused,
}

/// Checks an object against the schema of a release.
///
/// # Errors
/// All problems in the server's form, `.spec.x: field not declared in schema`.
pub fn check(
    schema: &'static Struct,
    value: &Value,
    release: Release,
    unicode: GoUnicode,
    duplicates: Duplicates,
) -> Result<(), String> {
    let mut check = Check {
        release,
        unicode,
        duplicates,
        problems: Vec::new(),
    };
    check.fields(schema, value, &mut Vec::new());
    match check.problems.as_slice() {
        [] => Ok(()),
        [only] => Err(only.clone()),
        several => Err(format!("errors:\n  {}", several.join("\n  "))),
    }
}

impl Check {
    fn tell(&mut self, path: &SetPath, problem: &str) {
        let path = path_text(path);
        self.problems.push(if path.is_empty() {
            problem.to_owned()
        } else {
            format!("{path}: {problem}")
        });
    }

    /// Judges a field. Recursion is bounded by the depth of the tables.
    fn field(&mut self, field: &'static Field, value: &Value, path: &mut SetPath) {
        match field.ty {
            FieldType::List(item) => self.list(field, item, value, path),
            ref ty => self.value(ty, value, path),
        }
    }

    fn value(&mut self, ty: &'static FieldType, value: &Value, path: &mut SetPath) {
        let is_scalar = matches!(value, Value::Number(_) | Value::String(_) | Value::Bool(_));
        match ty {
            FieldType::Pointer(inner) => self.value(inner, value, path),
            FieldType::Struct(schema) => self.fields(schema, value, path),
            _ if value.is_null() => {}
            FieldType::StringMap => self.entries(&FieldType::String, value, path),
            FieldType::Map(map) => self.entries(&map.value, value, path),
            FieldType::List(item) => {
                if let Some(items) = self.items(value, path) {
                    self.by_index(item, items, path);
                }
            }
            FieldType::String | FieldType::Named(..) | FieldType::Uid if !value.is_string() => {
                let syntax = go_syntax(value, self.unicode);
                self.tell(
                    path,
                    &format!("expected string, got &value.valueUnstructured{{Value:{syntax}}}"),
                );
            }
            FieldType::Bool if !value.is_boolean() => {
                let printed = go_print(value);
                self.tell(path, &format!("expected boolean, got &{{{printed}}}"))
            }
            FieldType::Int32 | FieldType::Int64 if !value.is_number() => {
                self.tell(
                    path,
                    &format!("expected numeric (int or float), got {}", go_type(value)),
                );
            }
            FieldType::Time | FieldType::Quantity if !is_scalar => {
                let printed = go_print(value);
                self.tell(path, &format!("expected any scalar, got &{{{printed}}}"))
            }
            _ => {}
        }
    }

    fn fields(&mut self, schema: &'static Struct, value: &Value, path: &mut SetPath) {
        let Some(map) = self.map(value, path) else {
            return;
        };
        for (name, value) in by_name(map) {
            path.push(SetStep::Field(name.clone()));
            let declared = schema.field(name, self.release);
            match declared {
                Some((_, field)) => self.field(field, value, path),
                None => self.tell(path, "field not declared in schema"),
            }
            path.pop();
            if declared.is_none() {
                return;
            }
        }
    }

    fn entries(&mut self, ty: &'static FieldType, value: &Value, path: &mut SetPath) {
        let Some(map) = self.map(value, path) else {
            return;
        };
        for (name, value) in by_name(map) {
            path.push(SetStep::Field(name.clone()));
            self.value(ty, value, path);
            path.pop();
        }
    }

    /// Takes a map; null is one without entries.
    fn map<'v>(&mut self, value: &'v Value, path: &SetPath) -> Option<&'v Map<String, Value>> {
        if !matches!(value, Value::Object(_) | Value::Null) {
            self.tell(path, &format!("expected map, got &{{{}}}", go_print(value)));
        }
        value.as_object()
    }

    /// Takes a list; null is one without items.
    fn items<'v>(&mut self, value: &'v Value, path: &SetPath) -> Option<&'v [Value]> {
        if !matches!(value, Value::Array(_) | Value::Null) {
            self.tell(
                path,
                &format!("expected list, got &{{{}}}", go_print(value)),
            );
        }
        value.as_array().map(Vec::as_slice)
    }

    fn by_index(&mut self, item: &'static FieldType, items: &[Value], path: &mut SetPath) {
        for (at, value) in items.iter().enumerate() {
            path.push(SetStep::Index(i64::try_from(at).unwrap_or(i64::MAX)));
            self.value(item, value, path);
            path.pop();
        }
    }

    fn list(
        &mut self,
        field: &'static Field,
        item: &'static FieldType,
        value: &Value,
        path: &mut SetPath,
    ) {
        let Some(items) = self.items(value, path) else {
            return;
        };
        let shape = Schema {
            release: self.release,
        }
        .of_field(field);
        if matches!(shape, Shape::Leaf) {
            return self.by_index(item, items, path);
        }
        let mut seen = BTreeSet::new();
        for (at, value) in items.iter().enumerate() {
            if let Some(problem) = Self::unidentified(shape, value) {
                return self.tell(path, &format!("element {at}: {problem}"));
            }
            let step = Schema::step(shape, value);
            if !seen.insert(step.clone()) && self.duplicates == Duplicates::Refused {
                self.tell(
                    path,
                    &format!(
                        "duplicate entries for key {}",
                        path_text(std::slice::from_ref(&step))
                    ),
                );
            }
            path.push(step);
            self.value(item, value, path);
            path.pop();
        }
    }

    /// Returns the reason why an item of a set or keyed list has no identity.
    fn unidentified(shape: Shape, item: &Value) -> Option<String> {
        let Shape::Items(keys, ty) = shape else {
            let what = match item {
                Value::Object(_) => {
                    "associative list without keys has an element that's a map type"
                }
                Value::Array(_) => "not supported: associative list with lists as elements",
                Value::Null => {
                    "associative list without keys has an element that's an explicit null"
                }
                _ => return None,
            };
            return Some(what.to_owned());
        };
        let Value::Object(map) = item else {
            let what = if item.is_null() {
                "a null element"
            } else {
                "non-map elements"
            };
            return Some(format!("associative list with keys may not have {what}"));
        };
        if keys
            .iter()
            .any(|key| map.contains_key(*key) || default_of(ty, key).is_some())
        {
            return None;
        }
        let quoted: Vec<String> = keys.iter().map(|key| format!("\"{key}\"")).collect();
        Some(format!(
            "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values for any key fields)",
            quoted.join(" ")
        ))
    }
}

fn by_name(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    order::sort_by_key(&mut entries, |(name, _)| *name);
    entries
}

/// Returns the Go type of a value, as `%T` prints it.
fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

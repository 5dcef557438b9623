//! Selection of parts of values by names, keys and indices (cel-go, `interpreter/attributes.go`).

use std::sync::Arc;

use super::super::value::{Key, Value, exact_int};
use super::plan::{Attribute, Qualifier, QualifierKey, Root};
use super::run::Run;

/// What a selection finds.
enum Found {
    /// A part.
    Part(Value),
    /// Nothing; the error that says so where it is one.
    Nothing(Value),
    /// The value cannot be asked for such a part.
    Failure(Value),
}

/// Whether Go's qualifiers know this type of key.
pub(super) fn can_qualify(key: &Value) -> Result<(), String> {
    match key {
        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::String(_) => Ok(()),
        other => Err(format!("invalid qualifier type: {}", go_type(other))),
    }
}

/// The name of the Go type that holds a value.
pub(super) fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Error(_) => "*types.Err",
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::Uint(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::String(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::Duration(_) => "types.Duration",
        Value::Timestamp(_) => "types.Timestamp",
        Value::List(_) => "*types.baseList",
        Value::Map(_) => "*types.baseMap",
        Value::Type(_) => "*types.Type",
        Value::Optional(_) => "*types.Optional",
        Value::Quantity(..) => "cel.Quantity",
        Value::Version(_) => "cel.Semver",
        Value::Url(_) => "cel.URL",
        Value::Address(_) => "cel.IP",
        Value::Network(_) => "cel.CIDR",
        Value::Format(_) => "*cel.Format",
    }
}

/// Go fails when it looks for such a value in a map of its own.
pub(super) fn unhashable(value: &Value) -> Option<String> {
    matches!(value, Value::Version(_) | Value::Bytes(_))
        .then(|| format!("internal error: runtime error: hash of unhashable type {}", go_type(value)))
}

fn find(of: &Value, key: &Value) -> Found {
    match of {
        Value::Error(_) => Found::Failure(of.clone()),
        Value::Map(map) => match map.find(key) {
            Some(part) => Found::Part(part.clone()),
            None => Found::Nothing(Value::error(format!("no such key: {key}"))),
        },
        Value::List(list) => {
            let index = match key {
                Value::Int(index) => *index,
                Value::Uint(index) => i64::try_from(*index).unwrap_or(i64::MAX),
                Value::Double(index) => match exact_int(*index) {
                    Some(index) => index,
                    None => return Found::Failure(Value::error(format!("unsupported index value {key} in list"))),
                },
                _ => return Found::Failure(Value::error(format!("unsupported index type '{}' in list", key.type_name()))),
            };
            match usize::try_from(index).ok().and_then(|index| list.get(index)) {
                Some(part) => Found::Part(part.clone()),
                None => Found::Nothing(Value::error(format!("index out of bounds: {key}"))),
            }
        }
        _ => Found::Nothing(Value::error(format!("no such key: {key}"))),
    }
}

impl<'a> Run<'a> {
    /// The value of an attribute, without the cost of the attribute itself.
    pub(super) fn resolve(&mut self, attribute: &'a Attribute) -> Value {
        let root = match &attribute.root {
            Root::Variable(place, name) => match self.variable(*place) {
                Some(value) => value,
                None => Value::error(format!("no such attribute(s): {name}")),
            },
            Root::Local(place) => self.local(*place),
            Root::Value(node) => self.evaluate(node),
            Root::Conditional(parts) => {
                let (condition, truthy, falsy) = &**parts;
                return match self.evaluate(condition) {
                    Value::Bool(true) => self.resolve(truthy),
                    Value::Bool(false) => self.resolve(falsy),
                    Value::Error(error) => Value::Error(error),
                    _ => Value::no_such_overload(),
                };
            }
        };
        if root.is_error() || attribute.qualifiers.is_empty() {
            return root;
        }
        self.apply(root, &attribute.qualifiers)
    }

    fn apply(&mut self, root: Value, qualifiers: &'a [Arc<Qualifier>]) -> Value {
        let mut optional = false;
        let mut value = root;
        if let Value::Optional(inner) = &value {
            match inner {
                None => return value,
                Some(inner) => {
                    let inner = (**inner).clone();
                    value = inner;
                    optional = true;
                }
            }
        }
        for qualifier in qualifiers {
            optional = optional || qualifier.optional;
            let (key, is_constant) = match &qualifier.key {
                QualifierKey::Constant(key) => (key.clone(), true),
                QualifierKey::Attribute(attribute) => (self.resolve(attribute), false),
                QualifierKey::Computed(node) => (self.evaluate(node), false),
            };
            let found = if key.is_error() {
                Found::Failure(key)
            } else if let (false, Err(text)) = (is_constant, can_qualify(&key)) {
                Found::Failure(Value::error(text))
            } else {
                find(&value, &key)
            };
            let drops = matches!(qualifier.key, QualifierKey::Computed(_));
            if optional {
                match found {
                    Found::Part(part) => {
                        self.spend_qualifier(qualifier.id, drops);
                        value = part;
                    }
                    Found::Nothing(_) => return Value::Optional(None),
                    Found::Failure(error) => return error,
                }
                continue;
            }
            self.spend_qualifier(qualifier.id, drops);
            value = match found {
                Found::Part(_) if qualifier.test_only => Value::Bool(true),
                Found::Nothing(_) if qualifier.test_only => Value::Bool(false),
                Found::Part(part) => part,
                Found::Nothing(error) | Found::Failure(error) => return error,
            };
            self.see_part(qualifier.id, &value);
        }
        if optional && !matches!(value, Value::Optional(None)) { Value::Optional(Some(Arc::new(value))) } else { value }
    }
}

/// Whether a value is in a list or among the keys of a map.
pub(super) fn hashed(value: &Value) -> Option<Key> {
    Key::of(value)
}

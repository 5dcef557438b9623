//! Reading facts from JSON values as Go would: absent and `null` are the type's zero value, members of other names are
//! passed over.

use crate::place::device::amount::Amount;
use crate::place::device::sorted::{Sorted, ordered};
use serde_json::{Map, Value};

/// Where a reading stands, and the first thing that was wrong.
#[derive(Debug, Default)]
pub struct Reader {
    path: Vec<&'static str>,
    problem: Option<String>,
}

/// A type that is read from JSON.
pub trait Read: Default {
    /// Reads a value that is not `null`.
    fn read(value: &Value, reader: &mut Reader) -> Self;
}

/// Reads a value; `Err` says where it is of another type, and of which.
pub fn read<T: Read>(value: &Value) -> Result<T, String> {
    let mut reader = Reader::default();
    let read = T::read(value, &mut reader);
    reader.problem.map_or(Ok(read), Err)
}

impl Reader {
    fn wrong(&mut self, wanted: &str, value: &Value) {
        let found = match value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        self.fault(format!("is {found}, not {wanted}"));
    }

    fn fault(&mut self, text: String) {
        if self.problem.is_none() {
            self.problem = Some(if self.path.is_empty() { text } else { format!("`{}` {text}", self.path.join(".")) });
        }
    }

    /// The members of an object.
    pub fn object<'v>(&mut self, value: &'v Value) -> Option<&'v Map<String, Value>> {
        if let Value::Object(members) = value {
            return Some(members);
        }
        self.wrong("an object", value);
        None
    }

    fn list<'v>(&mut self, value: &'v Value) -> &'v [Value] {
        if let Value::Array(items) = value {
            return items;
        }
        self.wrong("a list", value);
        &[]
    }

    /// A member of an object.
    pub fn member<T: Read>(&mut self, members: Option<&Map<String, Value>>, name: &'static str) -> T {
        let Some(value) = members.and_then(|members| members.get(name)).filter(|value| !value.is_null()) else {
            return T::default();
        };
        self.path.push(name);
        let read = T::read(value, self);
        self.path.pop();
        read
    }
}

impl Read for String {
    fn read(value: &Value, reader: &mut Reader) -> Self {
        let Value::String(text) = value else {
            reader.wrong("a string", value);
            return String::new();
        };
        text.clone()
    }
}

impl Read for i64 {
    fn read(value: &Value, reader: &mut Reader) -> Self {
        value.as_i64().unwrap_or_else(|| {
            reader.wrong("an integer", value);
            0
        })
    }
}

impl Read for bool {
    fn read(value: &Value, reader: &mut Reader) -> Self {
        value.as_bool().unwrap_or_else(|| {
            reader.wrong("a boolean", value);
            false
        })
    }
}

impl Read for Value {
    fn read(value: &Value, _: &mut Reader) -> Self {
        value.clone()
    }
}

impl Read for Amount {
    fn read(value: &Value, reader: &mut Reader) -> Self {
        let parsed = match value {
            Value::String(text) => Amount::parse(text.trim()),
            other => Amount::parse(&other.to_string()),
        };
        parsed.unwrap_or_else(|error| {
            reader.fault(format!("is not a quantity: {error}"));
            Amount::default()
        })
    }
}

impl<T: Read> Read for Option<T> {
    fn read(value: &Value, reader: &mut Reader) -> Self {
        Some(T::read(value, reader))
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(value: &Value, reader: &mut Reader) -> Self {
        let items = reader.list(value);
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            list.push(if item.is_null() { T::default() } else { T::read(item, reader) });
        }
        list
    }
}

impl<T: Read> Read for Sorted<String, T> {
    fn read(value: &Value, reader: &mut Reader) -> Self {
        let mut map = Sorted::new();
        for (name, value) in in_order(reader.object(value)) {
            map.insert(name.clone(), if value.is_null() { T::default() } else { T::read(value, reader) });
        }
        map
    }
}

/// Members in the order of their names.
fn in_order(members: Option<&Map<String, Value>>) -> Vec<(&String, &Value)> {
    let list: Vec<(&String, &Value)> = members.into_iter().flatten().collect();
    ordered(&list, &|(a, _), (b, _)| a.cmp(b))
}

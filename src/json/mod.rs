//! JSON without a schema: requests read, answers written, and the values that patches work on. What would be compiled anew for
//! every type is compiled once here, in a third of the space that derived code takes.
//!
//! | file | what |
//! |---|---|
//! | `make.rs` | values from Rust's own, and printed over many lines |
//! | `read.rs` | a reader that says what it expected, and where |
//! | `write.rs` | a writer that structs name their members to |

mod make;
mod read;
mod write;

pub use read::{Error, Read, Reader, from_str};
pub use write::{Members, Out, ToJson, digits, print};

use crate::ordered;

/// JSON text, kept as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw(String);

impl Raw {
    /// A text that is known to be one JSON value.
    pub fn new(json: String) -> Self {
        Raw(json)
    }

    /// The text.
    pub fn get(&self) -> &str {
        &self.0
    }
}

/// A value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// A list.
    Array(Vec<Value>),
    /// An object.
    Object(Map),
}

/// A number: an integer where it is one of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// From 0.
    Unsigned(u64),
    /// Below 0.
    Negative(i64),
    /// Any other.
    Float(f64),
}

impl Number {
    /// The number, rounded if need be.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Unsigned(n) => n as f64,
            Number::Negative(n) => n as f64,
            Number::Float(n) => n,
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&print(self))
    }
}

impl Value {
    /// A value from its text.
    pub fn parse(text: &str) -> Result<Value, Error> {
        from_str(text)
    }

    /// The member of an object.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object()?.get(name)
    }

    /// The member of an object, to change.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.as_object_mut()?.get_mut(name)
    }

    /// The member of a member, by names with `/` before each.
    pub fn pointer(&self, path: &str) -> Option<&Value> {
        path.split('/').skip(1).try_fold(self, |here, name| here.get(name))
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list.
    pub fn as_array(&self) -> Option<&Vec<Value>> {
        match self {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&Map> {
        match self {
            Value::Object(map) => Some(map),
            _ => None,
        }
    }

    /// The members of an object, to change.
    pub fn as_object_mut(&mut self) -> Option<&mut Map> {
        match self {
            Value::Object(map) => Some(map),
            _ => None,
        }
    }

    /// True for `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// True for a string.
    pub fn is_string(&self) -> bool {
        matches!(self, Value::String(_))
    }

    /// True for a list.
    pub fn is_array(&self) -> bool {
        matches!(self, Value::Array(_))
    }

    /// True for an object.
    pub fn is_object(&self) -> bool {
        matches!(self, Value::Object(_))
    }

    /// The value, `null` left in its place.
    pub fn take(&mut self) -> Value {
        std::mem::take(self)
    }
}

/// The members of an object, in the sequence they came in.
#[derive(Clone, Debug, Default)]
pub struct Map(ordered::Map<String, Value>);

/// The sequence does not count.
impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl Map {
    /// No members.
    pub const fn new() -> Self {
        Map(ordered::Map::new())
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a member.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The value of a member, to change.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.0.get_mut(name)
    }

    /// Whether there is such a member.
    pub fn contains_key(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Sets a member, in its place if it is there; gives the value it had.
    pub fn insert(&mut self, name: String, value: Value) -> Option<Value> {
        self.0.insert(name, value)
    }

    /// Takes a member out; those after it keep their sequence.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// Keeps the members that a condition holds for.
    pub fn retain(&mut self, keep: impl FnMut(&(String, Value)) -> bool) {
        let mut entries = std::mem::take(&mut self.0).into_entries();
        entries.retain(keep);
        *self = entries.into_iter().collect();
    }

    /// The names.
    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.0.entries().iter().map(|(name, _)| name)
    }

    /// Names and values, the values to change.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&String, &mut Value)> {
        self.0.iter_mut()
    }

    /// Names and values.
    pub fn iter(&self) -> std::slice::Iter<'_, (String, Value)> {
        self.0.entries().iter()
    }
}

impl<'m> IntoIterator for &'m Map {
    type Item = &'m (String, Value);
    type IntoIter = std::slice::Iter<'m, (String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Map {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_entries().into_iter()
    }
}

impl FromIterator<(String, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        let mut map = Map::new();
        for (name, value) in members {
            map.insert(name, value);
        }
        map
    }
}

#[cfg(test)]
mod tests;

//! Values at run time.

use claimkit_values::order;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::library::named_formats::NamedFormat;
use super::library::network::{Address, Network};
use super::library::quantity::CelQuantity;
use super::library::semver::SemanticVersion;
use super::library::time::{Duration, Timestamp};
use super::library::url::Url;
use super::types::Type;

/// A value. Copies share what is large.
///
/// ```
/// use claimkit_cel::types::Type;
/// use claimkit_cel::value::Value;
///
/// let ports = Value::list(vec![Value::Int(80), Value::Int(443)]);
/// assert_eq!((ports.type_name(), ports.type_of()), ("list", Type::list(Type::Dyn)));
/// let service = Value::object([("name", Value::string("web")), ("ports", ports)]);
/// assert_eq!(service.type_name(), "map");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value {
    /// An evaluation that failed. Errors travel through operators as values do.
    Error(Arc<EvalError>),
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number of 64 bits with a sign.
    Int(i64),
    /// A number of 64 bits without a sign.
    Uint(u64),
    /// A floating-point number (`double`).
    Double(f64),
    /// A string of Unicode text.
    String(Arc<str>),
    /// A string of bytes.
    Bytes(Arc<[u8]>),
    /// A length of time.
    Duration(Duration),
    /// A point in time.
    Timestamp(Timestamp),
    /// A list of values.
    List(Arc<Vec<Value>>),
    /// A map, or an object whose fields are looked up by name.
    Map(Arc<Map>),
    /// A type as a value: `int`, `type(x)`.
    Type(Arc<Type>),
    /// A value or nothing.
    Optional(Option<Arc<Value>>),
    /// `quantity("1Gi")`.
    Quantity(Arc<CelQuantity>, QuantityOrigin),
    /// `semver("1.0.0")`.
    Version(Arc<SemanticVersion>),
    /// `url("https://…")`.
    Url(Arc<Url>),
    /// `ip("10.0.0.1")`.
    Address(Address),
    /// `cidr("10.0.0.0/8")`.
    Network(Network),
    /// `format.dns1123Label()`.
    Format(&'static NamedFormat),
}

/// The origin of a quantity. Go represents a sum as a pointer, which `==` does not dereference on its right side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuantityOrigin {
    /// It was read from a text.
    Read,
    /// It is the result of `add` or `sub`.
    Computed,
}

/// Why an evaluation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EvalError {
    /// Upstream's text, or ours if `ours`.
    pub text: String,
    /// Upstream has no such error: a limit of this engine was reached.
    pub ours: bool,
    /// This error ends the whole evaluation, whatever the enclosing expression is.
    pub stops: bool,
}

impl EvalError {
    /// Makes an error with upstream's text that ends the evaluation.
    pub(crate) fn stop(text: impl Into<String>) -> EvalError {
        EvalError {
            text: text.into(),
            ours: false,
            stops: true,
        }
    }

    /// Makes the error for a limit of this engine, which ends the evaluation.
    pub(crate) fn limit(text: &str) -> EvalError {
        EvalError {
            text: text.to_owned(),
            ours: true,
            stops: true,
        }
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for EvalError {}

/// The key of a map. Keys of different types are different even if their numbers are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Key {
    /// `null`.
    Null,
    /// A boolean key (`bool`).
    Bool(bool),
    /// A signed number (`int`).
    Int(i64),
    /// An unsigned number (`uint`).
    Uint(u64),
    /// The bits of a floating-point number.
    Double(u64),
    /// A string of Unicode text.
    String(Arc<str>),
    /// Any other value that Go can hash, identified by a string: durations, timestamps, types.
    Other(String),
}

impl Key {
    /// Returns the key for a value; `None` if Go cannot hash it.
    pub(crate) fn of(value: &Value) -> Option<Key> {
        Some(match value {
            Value::Null => Key::Null,
            Value::Bool(b) => Key::Bool(*b),
            Value::Int(i) => Key::Int(*i),
            Value::Uint(u) => Key::Uint(*u),
            Value::Double(d) => Key::Double(if *d == 0.0 { 0 } else { d.to_bits() }),
            Value::String(s) => Key::String(s.clone()),
            Value::Duration(_) | Value::Timestamp(_) | Value::Type(_) => {
                Key::Other(format!("{} {value}", value.type_name()))
            }
            _ => return None,
        })
    }
}

/// A map in the order its entries were made.
///
/// ```
/// use claimkit_cel::value::{Map, Value};
///
/// // A name that is not there has the value 0.
/// let map = Map::with_names(vec![("a".into(), Value::Int(1))], Some(Value::Int(0)));
/// assert!(matches!(map.entries(), [(Value::String(name), Value::Int(1))] if &**name == "a"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Map {
    entries: Vec<(Value, Value)>,
    /// The index of each key in `entries`. Small maps do without.
    index: Option<BTreeMap<Key, usize>>,
    /// The value that a lookup of a missing string key returns instead of an error; presence tests see it too.
    missing: Option<Value>,
    /// Go holds it as a map of strings: no other key is looked up.
    native: bool,
    /// Values are read when they are asked for.
    lazy: bool,
}

/// Maps with more entries have an index.
const SMALL_MAP: usize = 8;

impl Map {
    /// Returns a map with string keys, which are distinct.
    pub fn with_names(entries: Vec<(Arc<str>, Value)>, missing: Option<Value>) -> Map {
        let mut map = Map {
            entries: entries
                .into_iter()
                .map(|(name, value)| (Value::String(name), value))
                .collect(),
            index: None,
            missing,
            native: true,
            lazy: false,
        };
        map.make_index();
        map
    }

    /// Returns the map as one whose values are read when they are asked for: a comparison fails with what cannot be read or compared.
    #[doc(hidden)]
    pub fn read_when_asked(self) -> Map {
        Map { lazy: true, ..self }
    }

    /// Returns true if values are read when they are asked for.
    pub(crate) fn is_read_when_asked(&self) -> bool {
        self.lazy
    }

    /// Puts an entry in; a key that is there already gets the new value.
    pub(crate) fn insert(&mut self, key: Value, value: Value) {
        let hashed = Key::of(&key);
        if let Some(position) = hashed.as_ref().and_then(|hashed| self.position(hashed)) {
            if let Some(entry) = self.entries.get_mut(position) {
                entry.1 = value;
            }
            return;
        }
        if let (Some(index), Some(hashed)) = (&mut self.index, hashed) {
            index.insert(hashed, self.entries.len());
        }
        self.entries.push((key, value));
        if self.index.is_none() && self.entries.len() > SMALL_MAP {
            self.make_index();
        }
    }

    /// Takes an entry out.
    pub(crate) fn remove(&mut self, key: &Value) {
        let position = Key::of(key).and_then(|hashed| self.position(&hashed));
        if let Some(position) = position.filter(|position| *position < self.entries.len()) {
            self.entries.remove(position);
            self.index = None;
            self.make_index();
        }
    }

    fn make_index(&mut self) {
        if self.entries.len() > SMALL_MAP {
            let keys = self.entries.iter().enumerate();
            self.index =
                Some(order::map(keys.filter_map(|(position, (key, _))| {
                    Some((Key::of(key)?, position))
                })));
        }
    }

    /// Returns the entries in the order they were made.
    pub fn entries(&self) -> &[(Value, Value)] {
        &self.entries
    }

    /// Returns true if Go holds it as a map of strings: no other key is looked up.
    pub(crate) fn is_native(&self) -> bool {
        self.native
    }

    /// Returns how many entries there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are no entries.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn position(&self, key: &Key) -> Option<usize> {
        // NaN is not equal to itself.
        if matches!(key, Key::Double(bits) if f64::from_bits(*bits).is_nan()) {
            return None;
        }
        match &self.index {
            Some(index) => index.get(key).copied(),
            None => self
                .entries
                .iter()
                .position(|(have, _)| same_key(have, key)),
        }
    }

    /// Returns the value under a text.
    pub(crate) fn find_name(&self, name: &str) -> Option<&Value> {
        let found = match &self.index {
            None => self
                .entries
                .iter()
                .find(|(key, _)| matches!(key, Value::String(key) if &**key == name))
                .map(|(_, value)| value),
            Some(index) => index
                .get(&Key::String(Arc::from(name)))
                .and_then(|&position| self.entries.get(position))
                .map(|(_, v)| v),
        };
        found.or(self.missing.as_ref())
    }

    /// Returns the value under a key; numbers of different types find each other (cel-go, `common/types/map.go`, `Find`).
    pub(crate) fn find(&self, key: &Value) -> Option<&Value> {
        if let Value::String(name) = key {
            return self.find_name(name);
        }
        self.find_present(key).or(self.missing.as_ref())
    }

    /// Finds a value as [`Map::find`] does, without what stands for missing entries.
    pub(crate) fn find_present(&self, key: &Value) -> Option<&Value> {
        let exact = Key::of(key)?;
        let position = self.position(&exact).or_else(|| {
            let (first, second) = other_numbers(key);
            first
                .and_then(|key| self.position(&key))
                .or_else(|| second.and_then(|key| self.position(&key)))
        })?;
        self.entries.get(position).map(|(_, value)| value)
    }
}

fn same_key(have: &Value, wanted: &Key) -> bool {
    match (have, wanted) {
        (Value::String(have), Key::String(wanted)) => have == wanted,
        (Value::Int(have), Key::Int(wanted)) => have == wanted,
        (Value::String(_) | Value::Int(_), _) => false,
        _ => Key::of(have).is_some_and(|have| have == *wanted),
    }
}

/// Returns the same number as keys of the other number types. An integer does not find a key that is a floating-point number.
fn other_numbers(key: &Value) -> (Option<Key>, Option<Key>) {
    match key {
        Value::Double(d) => (exact_int(*d).map(Key::Int), exact_uint(*d).map(Key::Uint)),
        Value::Int(i) => (u64::try_from(*i).ok().map(Key::Uint), None),
        Value::Uint(u) => (i64::try_from(*u).ok().map(Key::Int), None),
        _ => (None, None),
    }
}

/// Returns the integer that the number is. The least one is not converted (cel-go, `common/types/overflow.go`,
/// `doubleToInt64Checked`).
pub(crate) fn exact_int(number: f64) -> Option<i64> {
    (number.fract() == 0.0
        && number > -9_223_372_036_854_775_808.0
        && number < 9_223_372_036_854_775_808.0)
        .then_some(number as i64)
}

/// Returns the unsigned integer that the number is.
pub(crate) fn exact_uint(number: f64) -> Option<u64> {
    (number.fract() == 0.0 && (0.0..18_446_744_073_709_551_616.0).contains(&number))
        .then_some(number as u64)
}

impl Value {
    /// Makes an error with upstream's text. In a map it stands for a value that cannot be read: it is reported where it is asked for.
    ///
    /// ```
    /// use claimkit_cel::types::Type;
    /// use claimkit_cel::value::Value;
    /// use claimkit_cel::{Environment, EnvironmentMode};
    ///
    /// let environment = Environment::kubernetes(38, &[], EnvironmentMode::New).with_variable("m", Type::map(Type::String, Type::Dyn));
    /// let map = Value::object([("a", Value::error("a is unreadable"))]);
    /// let run = |text: &str| environment.compile(text).unwrap().evaluate(std::slice::from_ref(&map), 100).matches();
    /// assert_eq!(run("has(m.a)").unwrap_err().to_string(), "a is unreadable");
    /// assert_eq!(run("'a' in m || m.size() == 2"), Ok(false));
    /// ```
    pub fn error(text: impl Into<String>) -> Value {
        Value::Error(Arc::new(EvalError {
            text: text.into(),
            ours: false,
            stops: false,
        }))
    }

    /// Makes the error for a limit of this engine that was reached.
    pub(crate) fn limit(text: &str) -> Value {
        Value::Error(Arc::new(EvalError::limit(text)))
    }

    /// Makes the error that ends the evaluation here, with upstream's text.
    pub(crate) fn abort(text: &str) -> Value {
        Value::Error(Arc::new(EvalError::stop(text)))
    }

    /// Returns the error that operators give for operands they do not know.
    pub(crate) fn no_such_overload() -> Value {
        Value::error("no such overload")
    }

    /// Creates a string value.
    pub fn string(text: impl AsRef<str>) -> Value {
        Value::String(Arc::from(text.as_ref()))
    }

    /// Creates a list value.
    pub fn list(elements: Vec<Value>) -> Value {
        Value::List(Arc::new(elements))
    }

    /// Returns a map of fields by name, as an object of the API has them.
    pub fn object<N: Into<Arc<str>>>(fields: impl IntoIterator<Item = (N, Value)>) -> Value {
        let values = fields
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect();
        Value::Map(Arc::new(Map::with_names(values, None)))
    }

    /// Returns true if this is a value of Kubernetes' own types, which is equal to others of its type only.
    pub(crate) fn is_object(&self) -> bool {
        matches!(
            self,
            Value::Quantity(..)
                | Value::Version(_)
                | Value::Url(_)
                | Value::Address(_)
                | Value::Network(_)
                | Value::Format(_)
        )
    }

    /// Returns true if this is an error.
    pub(crate) fn is_error(&self) -> bool {
        matches!(self, Value::Error(_))
    }

    /// Returns the type of the value as far as the value itself determines it.
    pub fn type_of(&self) -> Type {
        match self {
            Value::Error(_) => Type::Error,
            Value::Null => Type::Null,
            Value::Bool(_) => Type::Bool,
            Value::Int(_) => Type::Int,
            Value::Uint(_) => Type::Uint,
            Value::Double(_) => Type::Double,
            Value::String(_) => Type::String,
            Value::Bytes(_) => Type::Bytes,
            Value::Duration(_) => Type::Duration,
            Value::Timestamp(_) => Type::Timestamp,
            Value::List(_) => Type::list(Type::Dyn),
            Value::Map(_) => Type::map(Type::Dyn, Type::Dyn),
            Value::Type(_) => Type::Type(None),
            Value::Optional(_) => Type::optional(Type::Dyn),
            Value::Address(_) | Value::Network(_) => Type::opaque(self.type_name()),
            Value::Quantity(..) | Value::Version(_) | Value::Url(_) | Value::Format(_) => {
                Type::structure(self.type_name())
            }
        }
    }

    /// Returns the name of the value's type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Error(_) => "error",
            Value::Null => "null_type",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Uint(_) => "uint",
            Value::Double(_) => "double",
            Value::String(_) => "string",
            Value::Bytes(_) => "bytes",
            Value::Duration(_) => "google.protobuf.Duration",
            Value::Timestamp(_) => "google.protobuf.Timestamp",
            Value::List(_) => "list",
            Value::Map(_) => "map",
            Value::Type(_) => "type",
            Value::Optional(_) => "optional_type",
            Value::Quantity(..) => "kubernetes.Quantity",
            Value::Version(_) => "kubernetes.Semver",
            Value::Url(_) => "kubernetes.URL",
            Value::Address(_) => "net.IP",
            Value::Network(_) => "net.CIDR",
            Value::Format(_) => "kubernetes.NamedFormat",
        }
    }

    /// Returns the result of `size()`: code points, bytes, elements or entries. Costs use it too; values without a size count
    /// as 1.
    pub(crate) fn size(&self) -> Option<u64> {
        Some(match self {
            Value::String(s) => s.chars().count() as u64,
            Value::Bytes(b) => b.len() as u64,
            Value::List(l) => l.len() as u64,
            Value::Map(m) => m.len() as u64,
            _ => return None,
        })
    }

    /// Returns true if `optional.ofNonZeroValue()` takes it for nothing (cel-go, `common/types`, `IsZeroValue`).
    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Value::Null => true,
            Value::Bool(b) => !b,
            Value::Int(i) => *i == 0,
            Value::Uint(u) => *u == 0,
            Value::Double(d) => *d == 0.0,
            Value::String(s) => s.is_empty(),
            Value::Bytes(b) => b.is_empty(),
            Value::List(l) => l.is_empty(),
            // A map that is read when it is asked does not say whether it is empty (dynamic-resource-allocation, `cel/compile.go`).
            Value::Map(m) => m.is_empty() && !m.is_read_when_asked(),
            Value::Duration(d) => d.0 == 0,
            Value::Timestamp(t) => t.is_zero(),
            Value::Optional(inner) => inner.is_none(),
            _ => false,
        }
    }
}

/// Go's `%v`, as errors print values.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::String(s) => f.write_str(s),
            other => {
                let mut left = LONGEST_PRINTED;
                other.print(f, &mut left)
            }
        }
    }
}

/// The approximate number of bytes printed of a value that is not a string. Upstream prints all of it.
const LONGEST_PRINTED: usize = 1 << 20;

impl Value {
    fn print(&self, f: &mut fmt::Formatter<'_>, left: &mut usize) -> fmt::Result {
        let Some(rest) = left.checked_sub(1) else {
            return Ok(());
        };
        *left = rest;
        match self {
            Value::Error(error) => f.write_str(&error.text),
            Value::Null => f.write_str("0"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(i) => write!(f, "{i}"),
            Value::Uint(u) => write!(f, "{u}"),
            Value::Double(d) => f.write_str(&super::library::float::print(*d)),
            Value::String(s) => {
                let end = s.floor_char_boundary(*left);
                *left = left.saturating_sub(end);
                f.write_str(s.get(..end).unwrap_or_default())
            }
            Value::Bytes(bytes) => print_bytes(bytes, f, left),
            Value::Duration(d) => f.write_str(&d.go_string()),
            Value::Timestamp(t) => f.write_str(&t.go_string()),
            Value::List(elements) => {
                f.write_str("[")?;
                for (index, element) in elements.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    element.print(f, left)?;
                    if *left == 0 {
                        break;
                    }
                }
                f.write_str("]")
            }
            Value::Map(map) => print_map(map, f, left),
            // Both are known with their parameters.
            Value::Type(t) if matches!(**t, Type::List(_)) => f.write_str("list(dyn)"),
            Value::Type(t) if matches!(**t, Type::Map(..)) => f.write_str("map(dyn, dyn)"),
            Value::Type(t) => f.write_str(t.name()),
            Value::Optional(Some(inner)) => {
                f.write_str("optional(")?;
                inner.print(f, left)?;
                f.write_str(")")
            }
            Value::Optional(None) => f.write_str("optional.none()"),
            Value::Version(version) => write!(f, "{version}"),
            Value::Quantity(..) | Value::Format(_) => f.write_str(self.type_name()),
            Value::Url(u) => write!(f, "{u}"),
            Value::Address(a) => write!(f, "{a}"),
            Value::Network(n) => write!(f, "{n}"),
        }
    }
}

fn print_bytes(bytes: &[u8], f: &mut fmt::Formatter<'_>, left: &mut usize) -> fmt::Result {
    let shown = bytes.get(..*left / 4).unwrap_or(bytes);
    *left = left.saturating_sub(shown.len().saturating_mul(4));
    for (index, byte) in shown.iter().enumerate() {
        write!(f, "{}{byte}", if index == 0 { "[" } else { " " })?;
    }
    f.write_str(if bytes.is_empty() { "[]" } else { "]" })
}

fn print_map(map: &Map, f: &mut fmt::Formatter<'_>, left: &mut usize) -> fmt::Result {
    f.write_str("{")?;
    for (index, (key, value)) in map.entries().iter().enumerate() {
        f.write_str(if index == 0 { "" } else { ", " })?;
        key.print(f, left)?;
        f.write_str(": ")?;
        value.print(f, left)?;
        if *left == 0 {
            break;
        }
    }
    f.write_str("}")
}

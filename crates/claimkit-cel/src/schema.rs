//! Types, bounds, values and rules of an OpenAPI schema that is read at run time, such as that of a CustomResourceDefinition (apiserver,
//! pkg/cel/common, schemas.go, `SchemaDeclType`).
//!
//! ```
//! use claimkit_cel::schema::SchemaType;
//! use claimkit_cel::{Environment, EnvironmentMode, CALL_COST_LIMIT};
//! use serde_json::json;
//!
//! let spec = SchemaType::of(&json!({
//!     "type": "object",
//!     "properties": {
//!         "replicas": { "type": "integer" },
//!         "names": { "type": "array", "maxItems": 10, "items": { "type": "string", "maxLength": 63 } },
//!     },
//! })).unwrap();
//! let environment = Environment::kubernetes(34, &[], EnvironmentMode::New).with_schema("self", &spec);
//! let program = environment.compile("self.names.all(name, name.startsWith('a')) && self.replicas < 5").unwrap();
//! assert!(program.cost_estimate().unwrap().max < 10_000);
//!
//! let object = spec.value(&json!({ "replicas": 3, "names": ["a", "ab"] }));
//! let values = environment.values([("self", object)]).unwrap();
//! assert_eq!(program.evaluate(&values, CALL_COST_LIMIT).matches(), Ok(true));
//!
//! let error = environment.compile("self.replica < 5").unwrap_err();
//! assert!(error.text.contains("undefined field 'replica'"));
//! ```

use crate::environment::{Environment, SizeBounds};
use crate::library::time::{Duration, Timestamp};
use crate::types::Type;
use crate::value::Value;
use crate::visit::RESERVED;
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// The most bytes of a request, from which the sizes of what has no bound are estimated (`MaxRequestSizeBytes`).
const REQUEST_BYTES: u64 = 3 << 20;

// The least and the greatest sizes of values as JSON (apiserver, pkg/cel, limits.go).
const MIN_DURATION: u64 = 3;
const MAX_DURATION: u64 = 32;
const MIN_DATE_TIME: u64 = 21;
const MAX_DATE_TIME: u64 = 32;
const DATE_SIZE: u64 = 12;
const MIN_STRING: u64 = 2;
const MIN_BOOL: u64 = 4;
const MIN_NUMBER: u64 = 1;
const MIN_OBJECT: u64 = 2;

/// Schemas are read up to this depth; what is deeper has no type.
const MAX_DEPTH: usize = 64;

/// The type that expressions see of a schema, with the sizes that its values can have.
#[derive(Clone, Debug)]
pub struct SchemaType {
    shape: Shape,
    kind: Type,
    /// Maximum number of elements, entries or bytes.
    size: u64,
    /// The size of the smallest value as JSON.
    least: u64,
}

#[derive(Clone, Debug)]
enum Shape {
    List(Box<SchemaType>),
    Map(Box<SchemaType>),
    Object {
        name: String,
        fields: Vec<Field>,
    },
    Bytes,
    Duration,
    Date,
    DateTime,
    /// A string, a number, a boolean, or what the schema leaves open.
    Scalar,
}

#[derive(Clone, Debug)]
struct Field {
    /// The name in the object.
    name: String,
    /// The name in expressions; `None` if they cannot name it.
    escaped: Option<Arc<str>>,
    of: SchemaType,
}

/// A rule of a schema (`x-kubernetes-validations`).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SchemaRule {
    /// The path of the value that the rule is about, such as `spec.ports[*]`; empty for the object itself.
    pub path: String,
    /// The expression; it has `self`, and `oldSelf` if it compares with the value before.
    pub rule: String,
    /// The message of a value that does not fulfill it; empty if there is none.
    pub message: String,
    /// The expression that makes the message; empty if there is none.
    pub message_expression: String,
    /// The type of `self`.
    pub of: SchemaType,
    /// How often the rule can hold in one object: the estimate of its cost is multiplied with it.
    pub places: u64,
}

impl SchemaType {
    /// Reads a schema; `None` if expressions do not see its values.
    ///
    /// ```
    /// use claimkit_cel::schema::SchemaType;
    /// use claimkit_cel::types::Type;
    ///
    /// let schema = serde_json::json!({ "type": "integer" });
    /// assert_eq!(SchemaType::of(&schema).unwrap().kind(), &Type::Int);
    /// ```
    pub fn of(schema: &Json) -> Option<Self> {
        Self::of_named("object", schema)
    }

    /// Does the same with a name for its structures: of two schemas in one environment, each needs one of its own.
    ///
    /// ```
    /// use claimkit_cel::schema::SchemaType;
    /// use claimkit_cel::{Environment, EnvironmentMode};
    /// use serde_json::json;
    ///
    /// let field = |name: &str| json!({ "type": "object", "properties": { name: { "type": "integer" } } });
    /// let (own, params) = (SchemaType::of(&field("a")).unwrap(), SchemaType::of_named("params", &field("b")).unwrap());
    /// let environment = Environment::kubernetes(34, &[], EnvironmentMode::New);
    /// let environment = environment.with_schema("self", &own).with_schema("params", &params);
    /// assert!(environment.compile("self.a == params.b").is_ok());
    /// ```
    pub fn of_named(name: &str, schema: &Json) -> Option<Self> {
        let is_resource = is_true(schema, "x-kubernetes-embedded-resource");
        Self::read(schema, name, is_resource, 0)
    }

    /// Reads the schema of a whole object of the API: `apiVersion`, `kind`, `metadata.name` and `metadata.generateName` are always there.
    ///
    /// ```
    /// use claimkit_cel::schema::SchemaType;
    /// use claimkit_cel::{Environment, EnvironmentMode};
    ///
    /// let schema = SchemaType::of_resource(&serde_json::json!({ "type": "object" })).unwrap();
    /// let environment = Environment::kubernetes(34, &[], EnvironmentMode::New).with_schema("self", &schema);
    /// assert!(environment.compile("self.metadata.name == 'a'").is_ok());
    /// ```
    pub fn of_resource(schema: &Json) -> Option<Self> {
        Self::read(schema, "object", true, 0)
    }

    fn read(schema: &Json, name: &str, is_resource: bool, depth: usize) -> Option<Self> {
        if depth > MAX_DEPTH {
            return None;
        }
        let below = depth.saturating_add(1);
        if is_true(schema, "x-kubernetes-int-or-string") {
            let size = max_length(schema).unwrap_or(REQUEST_BYTES.saturating_sub(2));
            return Some(Self::scalar(Type::Dyn, size, MIN_NUMBER));
        }
        let inner = |schema: &Json, name: &str| {
            let is_resource = is_true(schema, "x-kubernetes-embedded-resource");
            Self::read(schema, name, is_resource, below)
        };
        let declared = schema.get("type").and_then(Json::as_str);
        let kind = if is_resource {
            "object"
        } else {
            declared.unwrap_or_default()
        };
        Some(match kind {
            "array" => {
                let items = inner(schema.get("items")?, &format!("{name}.@items"))?;
                Self::list(schema, items)
            }
            "object" => match schema.get("additionalProperties") {
                Some(values) if values.is_object() && !is_resource => {
                    Self::map(schema, inner(values, &format!("{name}.@values"))?)
                }
                _ => Self::object(schema, name, is_resource, &inner),
            },
            "string" => {
                let format = schema.get("format").and_then(Json::as_str);
                Self::string(schema, format.unwrap_or_default())
            }
            "boolean" => Self::scalar(Type::Bool, 0, MIN_BOOL),
            "number" => Self::scalar(Type::Double, 0, MIN_NUMBER),
            "integer" => Self::scalar(Type::Int, 0, MIN_NUMBER),
            _ => return None,
        })
    }

    fn list(schema: &Json, items: SchemaType) -> Self {
        let comma = 1;
        SchemaType {
            kind: Type::list(items.kind.clone()),
            size: bound(schema, "maxItems").unwrap_or(fitting(&items, comma)),
            least: MIN_OBJECT,
            shape: Shape::List(Box::new(items)),
        }
    }

    fn map(schema: &Json, values: SchemaType) -> Self {
        let key_and_comma = 6;
        SchemaType {
            kind: Type::map(Type::String, values.kind.clone()),
            size: bound(schema, "maxProperties").unwrap_or(fitting(&values, key_and_comma)),
            least: MIN_OBJECT,
            shape: Shape::Map(Box::new(values)),
        }
    }

    fn scalar(kind: Type, size: u64, least: u64) -> Self {
        SchemaType {
            shape: Shape::Scalar,
            kind,
            size,
            least,
        }
    }

    fn string(schema: &Json, format: &str) -> Self {
        let longest = REQUEST_BYTES.saturating_sub(2);
        let (shape, kind, size, least) = match format {
            "byte" => {
                let size = bound(schema, "maxLength").unwrap_or(longest);
                (Shape::Bytes, Type::Bytes, size, MIN_STRING)
            }
            "duration" => (Shape::Duration, Type::Duration, MAX_DURATION, MIN_DURATION),
            "date" => (Shape::Date, Type::Timestamp, DATE_SIZE, DATE_SIZE),
            "date-time" => (
                Shape::DateTime,
                Type::Timestamp,
                MAX_DATE_TIME,
                MIN_DATE_TIME,
            ),
            _ => {
                let size = max_length(schema)
                    .or_else(|| longest_of_enum(schema))
                    .unwrap_or(longest);
                (Shape::Scalar, Type::String, size, MIN_STRING)
            }
        };
        SchemaType {
            shape,
            kind,
            size,
            least,
        }
    }

    fn object(
        schema: &Json,
        name: &str,
        is_resource: bool,
        inner: &dyn Fn(&Json, &str) -> Option<SchemaType>,
    ) -> Self {
        let required = schema.get("required").and_then(Json::as_array);
        let properties = schema.get("properties").and_then(Json::as_object);
        let mut fields: Vec<Field> = Vec::new();
        let meta = if is_resource && !has_object_meta(schema) {
            object_meta()
        } else {
            Vec::new()
        };
        let own = properties
            .into_iter()
            .flatten()
            .map(|(key, property)| (key.as_str(), property))
            .filter(|(key, _)| !meta.iter().any(|(name, _)| name == key));
        let known = meta.iter().map(|(key, property)| (*key, property));
        let mut least = MIN_OBJECT;
        for (key, property) in own.chain(known) {
            let escaped = escape(key);
            let structure = format!("{name}.{}", escaped.as_deref().unwrap_or(key));
            let Some(of) = inner(property, &structure) else {
                continue;
            };
            let is_required = required.is_some_and(|names| names.iter().any(|name| name == key));
            if is_required && property.get("default").is_none() {
                let length = u64::try_from(key.len()).unwrap_or(u64::MAX);
                least = least
                    .saturating_add(length)
                    .saturating_add(of.least)
                    .saturating_add(4);
            }
            fields.push(Field {
                name: key.to_owned(),
                escaped: escaped.map(Arc::from),
                of,
            });
        }
        SchemaType {
            kind: Type::structure(name),
            size: 0,
            least,
            shape: Shape::Object {
                name: name.to_owned(),
                fields,
            },
        }
    }

    /// Returns the type in expressions.
    ///
    /// ```
    /// use claimkit_cel::schema::SchemaType;
    /// use claimkit_cel::types::Type;
    ///
    /// let schema = serde_json::json!({ "type": "string", "format": "duration" });
    /// assert_eq!(SchemaType::of(&schema).unwrap().kind(), &Type::Duration);
    /// ```
    pub fn kind(&self) -> &Type {
        &self.kind
    }

    /// Returns the bounds of the sizes of its parts, for the estimate of costs.
    ///
    /// ```
    /// use claimkit_cel::schema::SchemaType;
    ///
    /// let schema = serde_json::json!({ "type": "array", "maxItems": 3, "items": { "type": "string", "maxLength": 9 } });
    /// let bounds = SchemaType::of(&schema).unwrap().bounds();
    /// // A character has up to four bytes.
    /// assert_eq!((bounds.size, bounds.element.unwrap().size), (3, 4 * 9));
    /// ```
    pub fn bounds(&self) -> SizeBounds {
        let bounds = SizeBounds::sized(self.size);
        match &self.shape {
            Shape::List(items) => bounds.with_element(items.bounds()),
            Shape::Map(values) => bounds
                .with_key(SizeBounds::sized(0))
                .with_element(values.bounds()),
            Shape::Object { fields, .. } => {
                fields
                    .iter()
                    .fold(bounds, |bounds, field| match &field.escaped {
                        Some(name) => bounds.with_field(name.clone(), field.of.bounds()),
                        None => bounds,
                    })
            }
            _ => bounds,
        }
    }

    /// Returns a value of the schema as expressions see it: fields under the names that they have in expressions, strings of a format as
    /// durations, times and bytes. What does not fit the schema stays what it is; kube-apiserver refuses it before it asks a rule.
    /// Durations are Go's (`1h30m`), not `2 days`. Lists of `x-kubernetes-list-type` `set` and `map` compare in order, unlike upstream's.
    ///
    /// ```
    /// use claimkit_cel::schema::SchemaType;
    /// use serde_json::json;
    ///
    /// let schema = SchemaType::of(&json!({ "type": "integer" })).unwrap();
    /// assert_eq!(serde_json::Value::try_from(&schema.value(&json!(3))).unwrap(), json!(3));
    /// ```
    pub fn value(&self, json: &Json) -> Value {
        match (&self.shape, json) {
            (Shape::List(items), Json::Array(list)) => {
                Value::list(list.iter().map(|one| items.value(one)).collect())
            }
            (Shape::Map(values), Json::Object(entries)) => Value::object(
                entries
                    .iter()
                    .map(|(name, one)| (name.as_str(), values.value(one))),
            ),
            (Shape::Object { fields, .. }, Json::Object(entries)) => {
                Value::object(fields.iter().filter_map(|field| {
                    let name = field.escaped.clone()?;
                    Some((name, field.of.value(entries.get(&field.name)?)))
                }))
            }
            (Shape::Scalar, Json::Number(number)) if self.kind == Type::Double => number
                .as_f64()
                .map_or_else(|| Value::from(json), Value::Double),
            (Shape::Bytes, Json::String(text)) => {
                base64(text).map_or_else(|| Value::from(json), |bytes| Value::Bytes(bytes.into()))
            }
            (Shape::Duration, Json::String(text)) => {
                Duration::parse(text).map_or_else(|| Value::from(json), Value::Duration)
            }
            (Shape::Date, Json::String(text)) => Timestamp::parse(&format!("{text}T00:00:00Z"))
                .map_or_else(|_| Value::from(json), Value::Timestamp),
            (Shape::DateTime, Json::String(text)) => {
                Timestamp::parse(text).map_or_else(|_| Value::from(json), Value::Timestamp)
            }
            _ => Value::from(json),
        }
    }

    /// Declares the structures that it is made of.
    fn declare(&self, mut environment: Environment) -> Environment {
        match &self.shape {
            Shape::List(inner) | Shape::Map(inner) => inner.declare(environment),
            Shape::Object { name, fields } => {
                let named = fields.iter().filter_map(|field| {
                    Some((field.escaped.as_deref()?.to_owned(), field.of.kind.clone()))
                });
                environment = environment.with_structure(name, named.collect());
                fields.iter().fold(environment, |environment, field| {
                    field.of.declare(environment)
                })
            }
            _ => environment,
        }
    }
}

/// Returns the rules of the schema of a whole object of the API, the outer ones first. Rules of values without a type, which
/// kube-apiserver refuses, and those below 64 levels are left out; `optionalOldSelf`, `reason` and `fieldPath` are not read.
///
/// ```
/// use claimkit_cel::schema::rules_of;
/// use serde_json::json;
///
/// let rules = rules_of(&json!({ "type": "object", "properties": { "spec": { "type": "array", "maxItems": 4, "items": {
///     "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 0", "message": "must be positive" }],
/// } } } }));
/// assert_eq!((rules[0].path.as_str(), rules[0].places), ("spec[*]", 4));
/// ```
pub fn rules_of(schema: &Json) -> Vec<SchemaRule> {
    let mut rules = Vec::new();
    let top = Place {
        path: String::new(),
        is_resource: true,
        max_count: Some(1),
        depth: 0,
    };
    find_rules(schema, top, &mut rules);
    rules
}

/// A place in a schema.
struct Place {
    path: String,
    is_resource: bool,
    /// How often it can be in an object; `None`: there is no bound.
    max_count: Option<u64>,
    depth: usize,
}

impl Place {
    /// Returns the place of a schema below this one. `max_items`: how often it can be in each of these.
    fn below(&self, schema: &Json, path: String, max_items: Option<u64>) -> Place {
        let max_count = match (self.max_count, max_items) {
            (Some(count), Some(items)) => Some(count.saturating_mul(items)),
            _ => None,
        };
        Place {
            path,
            is_resource: is_true(schema, "x-kubernetes-embedded-resource"),
            max_count,
            depth: self.depth.saturating_add(1),
        }
    }
}

/// Adds the rules of a schema and of all schemas below it.
fn find_rules(schema: &Json, place: Place, rules: &mut Vec<SchemaRule>) {
    if place.depth > MAX_DEPTH {
        return;
    }
    add_declared_rules(schema, &place, rules);
    let properties = schema.get("properties").and_then(Json::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let dot = if place.path.is_empty() { "" } else { "." };
        let path = format!("{}{dot}{name}", place.path);
        find_rules(property, place.below(property, path, Some(1)), rules);
    }
    let of_each = format!("{}[*]", place.path);
    if let Some(items) = schema.get("items") {
        let max_items = bound(schema, "maxItems");
        find_rules(items, place.below(items, of_each.clone(), max_items), rules);
    }
    if let Some(values) = schema.get("additionalProperties")
        && values.is_object()
    {
        let max_values = bound(schema, "maxProperties");
        find_rules(values, place.below(values, of_each, max_values), rules);
    }
}

/// Adds the rules that a schema itself declares.
fn add_declared_rules(schema: &Json, place: &Place, rules: &mut Vec<SchemaRule>) {
    let declared = schema
        .get("x-kubernetes-validations")
        .and_then(Json::as_array);
    let Some(declared) = declared.filter(|declared| !declared.is_empty()) else {
        return;
    };
    let schema_type = SchemaType::read(schema, "object", place.is_resource, place.depth);
    let Some(schema_type) = schema_type else {
        return;
    };
    let unbounded = most_of(REQUEST_BYTES, schema_type.least.saturating_add(1));
    for rule in declared {
        rules.push(SchemaRule {
            path: place.path.clone(),
            rule: text_of(rule, "rule"),
            message: text_of(rule, "message"),
            message_expression: text_of(rule, "messageExpression"),
            places: place.max_count.unwrap_or(unbounded),
            of: schema_type.clone(),
        });
    }
}

impl Environment {
    /// Declares a variable with the type and the bounds of a schema.
    ///
    /// ```
    /// use claimkit_cel::schema::SchemaType;
    /// use claimkit_cel::{Environment, EnvironmentMode};
    ///
    /// let port = SchemaType::of(&serde_json::json!({ "type": "integer" })).unwrap();
    /// let environment = Environment::kubernetes(34, &[], EnvironmentMode::New).with_schema("port", &port);
    /// assert!(environment.compile("port < 1024").is_ok());
    /// ```
    pub fn with_schema(self, name: &str, schema: &SchemaType) -> Environment {
        schema
            .declare(self)
            .with_variable(name, schema.kind.clone())
            .with_bounds(name, schema.bounds())
    }
}

/// Returns true if a schema declares the fields that every object of the API has (apiextensions-apiserver 1.36,
/// pkg/apiserver/schema/cel/model, `schemas.go`, `WithTypeAndObjectMeta`).
fn has_object_meta(schema: &Json) -> bool {
    [
        ("/properties/kind/type", "string"),
        ("/properties/apiVersion/type", "string"),
        ("/properties/metadata/type", "object"),
        ("/properties/metadata/properties/name/type", "string"),
        (
            "/properties/metadata/properties/generateName/type",
            "string",
        ),
    ]
    .iter()
    .all(|(path, kind)| schema.pointer(path).and_then(Json::as_str) == Some(*kind))
}

/// Returns a member that is a text; empty: there is none.
fn text_of(rule: &Json, key: &str) -> String {
    let text = rule.get(key).and_then(Json::as_str);
    text.unwrap_or_default().to_owned()
}

/// Returns the schemas of these fields. They take the place of those of a schema that lacks one of them, whose bounds are lost.
fn object_meta() -> Vec<(&'static str, Json)> {
    let string = json!({ "type": "string" });
    let names = json!({ "name": string, "generateName": string });
    vec![
        ("apiVersion", string.clone()),
        ("kind", string),
        ("metadata", json!({ "type": "object", "properties": names })),
    ]
}

/// Returns how many things of a type fit into a request. `more`: the bytes that each needs besides.
fn fitting(of: &SchemaType, more: u64) -> u64 {
    let brackets = 2;
    most_of(
        REQUEST_BYTES.saturating_sub(brackets),
        of.least.saturating_add(more),
    )
}

/// Returns how many things of a least size fit into some bytes.
fn most_of(bytes: u64, least: u64) -> u64 {
    bytes.checked_div(least).unwrap_or(bytes)
}

fn is_true(schema: &Json, key: &str) -> bool {
    schema.get(key) == Some(&Json::Bool(true))
}

/// Returns a bound of a schema; a negative one is 0.
fn bound(schema: &Json, key: &str) -> Option<u64> {
    let number = schema.get(key)?.as_i64()?;
    Some(u64::try_from(number).unwrap_or(0))
}

/// Returns the most bytes of a string: a code point has up to four.
fn max_length(schema: &Json) -> Option<u64> {
    bound(schema, "maxLength").map(|length| length.saturating_mul(4))
}

fn longest_of_enum(schema: &Json) -> Option<u64> {
    let values = schema.get("enum")?.as_array()?;
    if values.is_empty() {
        return None;
    }
    let lengths = values.iter().filter_map(Json::as_str).map(str::len);
    u64::try_from(lengths.max().unwrap_or(0)).ok()
}

/// Returns the name of a field in expressions (apiserver, pkg/cel, `Escape`); `None` if they cannot name it.
///
/// ```
/// use claimkit_cel::schema::escape;
///
/// assert_eq!(escape("max-age").as_deref(), Some("max__dash__age"));
/// assert_eq!(escape("namespace").as_deref(), Some("__namespace__"));
/// assert_eq!(escape("1st"), None);
/// ```
pub fn escape(name: &str) -> Option<String> {
    let first = name.chars().next()?;
    if first.is_ascii_digit() {
        return None;
    }
    if matches!(name, "true" | "false" | "null" | "in") || RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let mut escaped = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("__") {
            escaped.push_str("__underscores__");
            rest = after;
            continue;
        }
        match c {
            '.' => escaped.push_str("__dot__"),
            '-' => escaped.push_str("__dash__"),
            '/' => escaped.push_str("__slash__"),
            c if c.is_ascii_alphanumeric() || c == '_' => escaped.push(c),
            _ => return None,
        }
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    Some(escaped)
}

/// Reads the bytes of a text in base64, in the alphabet of URLs and with padding (kube-openapi, pkg/validation/strfmt, `default.go`,
/// `Base64.UnmarshalText`).
fn base64(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let short = text.strip_suffix('=').unwrap_or(text);
    let digits = short.strip_suffix('=').unwrap_or(short);
    let mut bytes = Vec::with_capacity(digits.len());
    let (mut bits, mut count) = (0u32, 0u32);
    for c in digits.bytes() {
        let digit = match c {
            b'A'..=b'Z' => c.wrapping_sub(b'A'),
            b'a'..=b'z' => c.wrapping_sub(b'a').wrapping_add(26),
            b'0'..=b'9' => c.wrapping_sub(b'0').wrapping_add(52),
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(digit);
        count = count.saturating_add(6);
        if count >= 8 {
            count = count.saturating_sub(8);
            bytes.push((bits >> count) as u8);
            bits &= (1u32 << count).wrapping_sub(1);
        }
    }
    Some(bytes)
}

/// Numbers written without a fraction or exponent are integers; objects are maps of strings.
impl From<&Json> for Value {
    fn from(json: &Json) -> Self {
        match json {
            Json::Null => Value::Null,
            Json::Bool(flag) => Value::Bool(*flag),
            Json::Number(number) => number
                .as_i64()
                .map(Value::Int)
                .or_else(|| number.as_u64().map(Value::Uint))
                .or_else(|| number.as_f64().map(Value::Double))
                .unwrap_or(Value::Null),
            Json::String(text) => Value::string(text),
            Json::Array(list) => Value::list(list.iter().map(Value::from).collect()),
            Json::Object(entries) => Value::object(
                entries
                    .iter()
                    .map(|(name, value)| (name.as_str(), Value::from(value))),
            ),
        }
    }
}

impl From<Json> for Value {
    fn from(json: Json) -> Self {
        Value::from(&json)
    }
}

/// Why a value cannot be written as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotJson;

impl std::fmt::Display for NotJson {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the value has no form in JSON")
    }
}

impl std::error::Error for NotJson {}

/// Durations and times are written as strings; bytes, types, addresses and the like have no form, and neither have keys that are not strings.
impl TryFrom<&Value> for Json {
    type Error = NotJson;

    fn try_from(value: &Value) -> Result<Self, NotJson> {
        Ok(match value {
            Value::Null => Json::Null,
            Value::Bool(flag) => Json::Bool(*flag),
            Value::Int(number) => Json::from(*number),
            Value::Uint(number) => Json::from(*number),
            Value::Double(number) => {
                Json::Number(serde_json::Number::from_f64(*number).ok_or(NotJson)?)
            }
            Value::String(text) => Json::from(text.as_ref()),
            Value::Duration(duration) => Json::from(duration.to_string()),
            Value::Timestamp(time) => Json::from(time.to_string()),
            Value::List(list) => list
                .iter()
                .map(Json::try_from)
                .collect::<Result<Vec<_>, _>>()?
                .into(),
            Value::Map(map) => {
                let mut entries = serde_json::Map::new();
                for (key, value) in map.entries() {
                    let Value::String(name) = key else {
                        return Err(NotJson);
                    };
                    entries.insert(name.to_string(), Json::try_from(value)?);
                }
                Json::Object(entries)
            }
            Value::Optional(Some(inner)) => Json::try_from(inner.as_ref())?,
            _ => return Err(NotJson),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CRD_RULE_COST_LIMIT, EnvironmentMode};

    fn cost(schema: &Json, rule: &str) -> u64 {
        let of = SchemaType::of(schema).unwrap();
        let environment =
            Environment::kubernetes(34, &[], EnvironmentMode::New).with_schema("self", &of);
        environment
            .compile(rule)
            .unwrap()
            .cost_estimate()
            .unwrap()
            .max
    }

    #[test]
    fn bounds_come_from_the_schema() {
        let list = |bound: Json| {
            let mut list = json!({"type": "array", "items": {"type": "string"}});
            if !bound.is_null() {
                list["maxItems"] = bound;
            }
            json!({"type": "object", "properties": {"names": list}})
        };
        let rule = "self.names.all(name, name == 'a')";
        assert!(cost(&list(json!(10)), rule) < 100);
        let unbounded = cost(&list(Json::Null), rule);
        assert!(
            unbounded > 1_000_000 && unbounded < u64::MAX / 2,
            "{unbounded}"
        );
        // A list of objects with required fields has fewer elements than a list of empty strings.
        let objects = json!({"type": "object", "properties": {"names": {"type": "array", "items": {
            "type": "object", "required": ["name"], "properties": {"name": {"type": "string"}},
        }}}});
        assert!(cost(&objects, "self.names.all(one, one.name == 'a')") < unbounded);
        let most_names = |schema: &Json| {
            let of = SchemaType::of(schema).unwrap();
            match &of.shape {
                Shape::Object { fields, .. } => fields[0].of.size,
                _ => 0,
            }
        };
        // Of 3 MiB without the brackets: items of two bytes, and of twelve, each with a comma.
        assert_eq!(most_names(&list(Json::Null)), 1_048_575);
        assert_eq!(most_names(&objects), 241_978);
    }

    #[test]
    fn values_have_the_types_of_their_formats() {
        let of = SchemaType::of(&json!({"type": "object", "properties": {
            "max-age": {"type": "string", "format": "duration"},
            "since": {"type": "string", "format": "date-time"},
            "data": {"type": "string", "format": "byte"},
            "share": {"type": "number"},
            "port": {"x-kubernetes-int-or-string": true},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        }}))
        .unwrap();
        let environment =
            Environment::kubernetes(34, &[], EnvironmentMode::New).with_schema("self", &of);
        let object = of.value(&json!({
            "max-age": "90s", "since": "2024-01-02T03:04:05Z", "data": "aGk=", "share": 1, "port": "80%",
            "labels": {"a": "b"}, "unknown": 1,
        }));
        for rule in [
            "self.max__dash__age > duration('1m')",
            "self.since.getFullYear() == 2024",
            "self.data == b'hi'",
            "self.share < 1.5",
            "type(self.port) == string && self.port == '80%'",
            "self.labels.all(name, self.labels[name] == 'b') && !has(self.labels.c)",
        ] {
            let program = environment.compile(rule).unwrap();
            let values = environment.values([("self", object.clone())]).unwrap();
            assert_eq!(
                program.evaluate(&values, 100_000).matches(),
                Ok(true),
                "{rule}"
            );
        }
        assert!(environment.compile("self.unknown == 1").is_err());
        assert!(environment.values([("other", Value::Null)]).is_err());
    }

    #[test]
    fn base64_is_that_of_urls() {
        assert_eq!(base64("_-8="), Some(vec![0xff, 0xef]));
        for wrong in ["/+8=", "_-8", "a", "aGk=="] {
            assert_eq!(base64(wrong), None, "{wrong}");
        }
    }

    /// A schema that declares only a part of the metadata gets all of it, without its bounds.
    #[test]
    fn every_object_has_its_metadata() {
        let of = SchemaType::of_resource(&json!({"type": "object", "properties": {
            "metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 3}}},
        }}));
        let environment = Environment::kubernetes(34, &[], EnvironmentMode::New);
        let environment = environment.with_schema("self", &of.unwrap());
        for rule in [
            "self.metadata.generateName == ''",
            "self.kind == 'A' && self.apiVersion == 'v1'",
        ] {
            assert!(environment.compile(rule).is_ok(), "{rule}");
        }
    }

    #[test]
    fn json_goes_there_and_back() {
        let json = json!({"a": [1, -2, 1.5, true, null, "x"], "b": {"c": {}}});
        assert_eq!(Json::try_from(&Value::from(&json)), Ok(json));
        assert_eq!(
            Json::try_from(&Value::Type(Arc::new(Type::Int))),
            Err(NotJson)
        );
    }

    #[test]
    fn rules_are_found_with_their_places() {
        let rules = rules_of(&json!({"type": "object",
            "x-kubernetes-validations": [{"rule": "self.metadata.name.size() < 20"}],
            "properties": {"spec": {"type": "object", "properties": {"ports": {"type": "array", "items": {
                "type": "object", "properties": {"name": {"type": "string", "maxLength": 15}},
                "x-kubernetes-validations": [{"rule": "self.name != ''", "messageExpression": "'no name'"}],
            }}}}},
        }));
        assert_eq!(rules[0].path, "");
        assert_eq!(rules[1].path, "spec.ports[*]");
        // An object of 3 MiB, and items of at least two bytes with a comma.
        assert_eq!(rules[1].places, 1_048_576);
        for rule in &rules {
            let environment = Environment::kubernetes(34, &[], EnvironmentMode::New)
                .with_schema("self", &rule.of);
            let estimate = environment
                .compile(&rule.rule)
                .unwrap()
                .cost_estimate()
                .unwrap();
            assert!(estimate.max < CRD_RULE_COST_LIMIT);
        }
    }
}

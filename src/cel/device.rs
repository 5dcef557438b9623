//! Devices as the variables of selectors.

use std::sync::{Arc, LazyLock};

use super::environment::Environment;
use super::library::quantity::Quantity;
use super::library::semver::Version;
use super::value::{Map, Origin, Value};

/// A device of a ResourceSlice, as far as selectors see it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    /// Name of the driver: the domain of attributes and capacities without one.
    pub driver: String,
    /// Attributes by qualified name.
    pub attributes: Vec<(String, Attribute)>,
    /// Capacities by qualified name: quantities as texts.
    pub capacity: Vec<(String, String)>,
    /// `allowMultipleAllocations`, false if it is not given.
    pub allow_multiple_allocations: bool,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// A boolean.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A text.
    String(String),
    /// A semantic version.
    Version(String),
    /// Booleans, with the gate DRAListTypeAttributes.
    Bools(Vec<bool>),
    /// Numbers, with the gate DRAListTypeAttributes.
    Ints(Vec<i64>),
    /// Texts, with the gate DRAListTypeAttributes.
    Strings(Vec<String>),
    /// Semantic versions, with the gate DRAListTypeAttributes.
    Versions(Vec<String>),
    /// No value that the release knows.
    Unsupported,
}

/// The fields of a device. A cluster has thousands of devices, and they share these names.
static FIELDS: LazyLock<[Arc<str>; 4]> =
    LazyLock::new(|| ["driver", "attributes", "capacity", "allowMultipleAllocations"].map(Arc::from));

impl Device {
    /// The variables of a device selector's program. The error is kube-scheduler's: an attribute that cannot be read makes every
    /// selector fail.
    pub fn variables(&self, environment: &Environment) -> Result<Vec<Value>, String> {
        let lists = environment.rules().list_attributes;
        let mut attributes = Domains::default();
        for (name, attribute) in &self.attributes {
            let value = attribute_value(attribute, lists).map_err(|why| format!("attribute {name}: {why}"))?;
            attributes.add(name, &self.driver, value);
        }
        let mut capacity = Domains::default();
        for (name, text) in &self.capacity {
            let quantity = Quantity::parse(text).map_err(|error| format!("capacity {name}: {}", error.message()))?;
            capacity.add(name, &self.driver, Value::Quantity(Arc::new(quantity), Origin::Read));
        }
        let values = [
            Value::string(&self.driver),
            attributes.into_value(),
            capacity.into_value(),
            Value::Bool(self.allow_multiple_allocations),
        ];
        let fields = FIELDS.iter().cloned().zip(values).collect();
        Ok(vec![Value::Map(Arc::new(Map::with_names(fields, None)))])
    }
}

/// Names grouped by domain, in the order in which the domains first occur.
#[derive(Default)]
struct Domains(Vec<(Arc<str>, Names)>);

/// Values by name.
type Names = Vec<(Arc<str>, Value)>;

impl Domains {
    fn add(&mut self, qualified: &str, driver: &str, value: Value) {
        let (domain, name) = qualified.split_once('/').unwrap_or((driver, qualified));
        let position = self.0.iter().position(|(known, _)| &**known == domain).unwrap_or_else(|| {
            self.0.push((Arc::from(domain), Vec::new()));
            self.0.len().saturating_sub(1)
        });
        let Some((_, names)) = self.0.get_mut(position) else { return };
        match names.iter_mut().find(|(known, _)| &**known == name) {
            Some((_, known)) => *known = value,
            None => names.push((Arc::from(name), value)),
        }
    }

    /// A map of maps. A domain that is not there is empty.
    fn into_value(self) -> Value {
        let domains = self.0.into_iter().map(|(domain, names)| (domain, Value::Map(Arc::new(Map::with_names(names, None)))));
        let empty = Value::Map(Arc::new(Map::with_names(Vec::new(), None)));
        Value::Map(Arc::new(Map::with_names(domains.collect(), Some(empty))))
    }
}

fn version(text: &str) -> Result<Value, String> {
    let version = Version::parse(text).map_err(|why| format!("parse semantic version: {why}"))?;
    Ok(Value::Version(Arc::new(version)))
}

fn attribute_value(attribute: &Attribute, lists: bool) -> Result<Value, String> {
    Ok(match attribute {
        Attribute::Bool(b) => Value::Bool(*b),
        Attribute::Int(i) => Value::Int(*i),
        Attribute::String(s) => Value::string(s),
        Attribute::Version(text) => version(text)?,
        Attribute::Bools(list) if lists => Value::list(list.iter().map(|b| Value::Bool(*b)).collect()),
        Attribute::Ints(list) if lists => Value::list(list.iter().map(|i| Value::Int(*i)).collect()),
        Attribute::Strings(list) if lists => Value::list(list.iter().map(Value::string).collect()),
        Attribute::Versions(list) if lists => Value::list(list.iter().map(|text| version(text)).collect::<Result<_, _>>()?),
        _ => return Err("unsupported attribute value".to_owned()),
    })
}

/// An attribute of 1.30's named resources.
#[derive(Clone, Debug, PartialEq)]
pub enum NamedAttribute {
    /// A quantity as a text.
    Quantity(String),
    /// A boolean.
    Bool(bool),
    /// A number.
    Int(i64),
    /// Numbers.
    IntSlice(Vec<i64>),
    /// A text.
    String(String),
    /// Texts.
    StringSlice(Vec<String>),
    /// A semantic version.
    Version(String),
}

/// The variables of a named resources selector's program.
pub fn named_variables(attributes: &[(String, NamedAttribute)]) -> Result<Vec<Value>, String> {
    let mut kinds: [Names; 7] = Default::default();
    for (name, attribute) in attributes {
        let (kind, value) = match attribute {
            NamedAttribute::Quantity(text) => {
                let quantity = Quantity::parse(text).map_err(|error| format!("attribute {name}: {}", error.message()))?;
                (0, Value::Quantity(Arc::new(quantity), Origin::Read))
            }
            NamedAttribute::Bool(b) => (1, Value::Bool(*b)),
            NamedAttribute::Int(i) => (2, Value::Int(*i)),
            NamedAttribute::IntSlice(list) => (3, Value::list(list.iter().map(|i| Value::Int(*i)).collect())),
            NamedAttribute::String(s) => (4, Value::string(s)),
            NamedAttribute::StringSlice(list) => (5, Value::list(list.iter().map(Value::string).collect())),
            NamedAttribute::Version(text) => (6, version(text)?),
        };
        if let Some(names) = kinds.get_mut(kind) {
            names.push((Arc::from(name.as_str()), value));
        }
    }
    Ok(kinds.into_iter().map(|names| Value::Map(Arc::new(Map::with_names(names, None)))).collect())
}

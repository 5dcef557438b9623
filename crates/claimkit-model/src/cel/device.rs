//! Devices as the variables of selectors, and the environments of selectors.

use std::sync::{Arc, LazyLock};

use super::DeviceError;
use super::DeviceErrorKind as Kind;
use super::environment::{Environment, EnvironmentMode, ResultType, SizeBounds};
use super::functions::{self, EnvironmentGate};
use super::library::quantity::CelQuantity;
use super::library::semver::SemanticVersion;
use super::types::Type;
use super::value::{Map, QuantityOrigin, Value};

/// Returns the environment of device selectors (`k8s.io/dynamic-resource-allocation/cel/compile.go`) in Kubernetes 1.`minor`;
/// `minor` is at least 31.
///
/// ```
/// use claimkit_model::cel::{EnvironmentMode, device};
///
/// let environment = device::environment(34, &[], EnvironmentMode::New);
/// assert!(environment.compile("device.allowMultipleAllocations").is_err());
/// assert!(environment.compile("device.driver.startsWith('gpu')").is_ok());
/// ```
pub fn environment(minor: u8, gates: &[EnvironmentGate], mode: EnvironmentMode) -> Environment {
    let gate = gates.contains(&EnvironmentGate::ListTypeAttributes);
    // 1.37 declares both types in the environment for stored expressions, and the last one counts.
    let dynamic = minor >= 36 && gate || minor >= 37 && mode == EnvironmentMode::Stored;
    let value = if dynamic { Type::Dyn } else { Type::Any };
    let mut fields = vec![
        ("driver".to_owned(), Type::String),
        ("attributes".to_owned(), by_qualified_name(value)),
        (
            "capacity".to_owned(),
            by_qualified_name(Type::structure("kubernetes.Quantity")),
        ),
    ];
    let has_capacity_gate = gates.contains(&EnvironmentGate::ConsumableCapacity);
    if minor >= 34 && (has_capacity_gate || mode == EnvironmentMode::Stored) {
        fields.push(("allowMultipleAllocations".to_owned(), Type::Bool));
    }
    let name = Type::structure("kubernetes.DRADevice");
    let environment = Environment::kubernetes(minor, gates, mode)
        .with_structure("kubernetes.DRADevice", fields)
        .with_variable("device", name.clone())
        .with_bounds("device", device_bounds())
        .with_result_type(ResultType::BoolOrUnknown {
            any: minor <= 36 || !dynamic,
            dynamic,
            wrapper: minor >= 37,
        });
    if minor >= 32 {
        return environment.with_type_name("kubernetes.DRADevice", name);
    }
    // Declared by mistake as variables that never have a value.
    environment
        .with_variable("kubernetes.DRADevice", name)
        .with_variable("duration", Type::Duration)
        .with_variable("timestamp", Type::Timestamp)
}

/// Returns the environment of derived attributes in Kubernetes 1.`minor`; `minor` is at least 37.
///
/// ```
/// use claimkit_model::cel::{EnvironmentMode, device};
///
/// let environment = device::derived_attributes(37, &[], EnvironmentMode::New);
/// assert!(environment.compile("device.driver").is_ok());
/// ```
pub fn derived_attributes(
    minor: u8,
    gates: &[EnvironmentGate],
    mode: EnvironmentMode,
) -> Environment {
    let lists =
        gates.contains(&EnvironmentGate::ListTypeAttributes) || mode == EnvironmentMode::Stored;
    environment(minor, gates, mode).with_result_type(ResultType::Scalar { lists })
}

/// Returns true if an environment of device selectors takes lists as attributes: since 1.37 always, before with the gate.
fn has_lists(environment: &Environment) -> bool {
    environment.minor() >= 37
        || matches!(
            environment.result_type(),
            ResultType::BoolOrUnknown { dynamic: true, .. }
        )
}

/// Returns true if attributes are read when an expression asks for them: since 1.38.
fn reads_when_asked(environment: &Environment) -> bool {
    environment.minor() >= 38
}

/// Returns the environment of named resources' selectors in Kubernetes 1.30
/// (`k8s.io/dynamic-resource-allocation/structured/namedresources/cel`).
///
/// ```
/// use claimkit_model::cel::{EnvironmentMode, device};
///
/// let environment = device::named_resources(EnvironmentMode::New);
/// assert!(environment.compile("attributes.int['index'] > 3").is_ok());
/// ```
pub fn named_resources(mode: EnvironmentMode) -> Environment {
    let kinds = [
        ("quantity", Type::structure("kubernetes.Quantity")),
        ("bool", Type::Bool),
        ("int", Type::Int),
        ("intslice", Type::list(Type::Int)),
        ("string", Type::String),
        ("stringslice", Type::list(Type::String)),
        ("version", Type::structure("kubernetes.Semver")),
    ];
    let environment = Environment::kubernetes(30, &[], mode).with_result_type(ResultType::Bool);
    kinds
        .into_iter()
        .fold(environment, |environment, (name, kind)| {
            environment.with_variable(&format!("attributes.{name}"), Type::map(Type::String, kind))
        })
}

/// First minor release since which the checker, the cost estimate and the limits of device selectors have not changed.
const SETTLED: u8 = 34;

/// Returns true if this expression may get different answers in the environments for new device selectors from `first` to `last`;
/// then it must be compiled. Everything added since `SETTLED` has a name that the text must contain.
///
/// ```
/// use claimkit_model::cel::device::selector_varies;
///
/// assert!(!selector_varies("device.driver == 'gpu.example.com'", 34, 37));
/// assert!(selector_varies("device.driver.matches('gpu')", 34, 37));
/// ```
pub fn selector_varies(text: &str, first: u8, last: u8) -> bool {
    let later = first.saturating_add(1)..=last;
    let mut names = functions::all()
        .filter(|function| {
            function.overloads.iter().any(|overload| {
                later.contains(&overload.new)
                    || overload.until < u8::MAX && later.contains(&overload.until.saturating_add(1))
            })
        })
        .map(|function| function.name);
    let mut words = CHANGED_IN_1_37.iter();
    // 1.38 estimates most expressions in another way.
    first < SETTLED
        || later.contains(&38)
        || text.contains("sortBy")
        || text.contains("allowMultipleAllocations")
        || later.contains(&37) && words.any(|word| text.contains(word))
        || names.any(|name| text.contains(name))
}

/// Texts of which one must be in an expression that 1.37 reads, types or estimates differently, apart from names of functions
/// that came or went.
const CHANGED_IN_1_37: &[&str] = &["`", "matches", "optional_type", "BoolValue"];

/// Returns the sizes under `device` (`k8s.io/dynamic-resource-allocation/cel/compile.go`, `newCompiler`).
fn device_bounds() -> SizeBounds {
    let attributes = bounds_of_map(32, SizeBounds::sized(64)).with_any_name();
    let capacities = bounds_of_map(32, SizeBounds::default());
    SizeBounds::default()
        .with_field("driver", SizeBounds::sized(63))
        .with_field("attributes", bounds_of_map(63, attributes))
        .with_field("capacity", bounds_of_map(63, capacities))
        .with_field("allowMultipleAllocations", SizeBounds::sized(1))
}

fn bounds_of_map(key: u64, element: SizeBounds) -> SizeBounds {
    SizeBounds::sized(32)
        .with_key(SizeBounds::sized(key))
        .with_element(element)
}

/// Returns the type of a map by domain, then by name.
fn by_qualified_name(element: Type) -> Type {
    Type::map(Type::String, Type::map(Type::String, element))
}

/// A device of a ResourceSlice, as far as selectors see it.
///
/// ```
/// use claimkit_model::cel::{DeviceAttribute, CelDevice, EnvironmentMode, SELECTOR_COST_LIMIT, device};
///
/// let gpu = CelDevice::new("gpu.example.com")
///     .attribute("model", DeviceAttribute::String("a100".to_owned()))
///     .capacity("memory", "80Gi")
///     .allow_multiple_allocations(true);
/// let environment = device::environment(34, &[], EnvironmentMode::New);
/// let selector = r#"device.attributes["gpu.example.com"].model == "a100""#;
/// let program = environment.compile(selector).unwrap();
/// assert_eq!(program.evaluate(&gpu.variables(&environment).unwrap(), SELECTOR_COST_LIMIT).matches(), Ok(true));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CelDevice {
    /// Name of the driver: the domain of attributes and capacities without one.
    pub driver: String,
    /// Attributes by qualified name.
    pub attributes: Vec<(String, DeviceAttribute)>,
    /// Capacities by qualified name: quantities as texts.
    pub capacity: Vec<(String, String)>,
    /// `allowMultipleAllocations`, false if it is not given.
    pub allow_multiple_allocations: bool,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum DeviceAttribute {
    /// A boolean value (`bool`).
    Bool(bool),
    /// An integer value (`int`).
    Int(i64),
    /// A string value (`string`).
    String(String),
    /// A semantic version (`version`).
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

impl DeviceAttribute {
    /// Reads a derived attribute from the value of its expression (`k8s.io/dynamic-resource-allocation/cel`, `valToDeviceAttribute`).
    ///
    /// ```
    /// use claimkit_model::cel::{DeviceAttribute, value::Value};
    ///
    /// assert_eq!(DeviceAttribute::derived(&Value::Int(3)).unwrap(), DeviceAttribute::Int(3));
    /// assert!(DeviceAttribute::derived(&Value::Null).is_err());
    /// ```
    ///
    /// # Errors
    /// kube-scheduler's text for a value that no attribute can have.
    pub fn derived(value: &Value) -> Result<DeviceAttribute, DeviceError> {
        DeviceAttribute::of(value).map_err(|message| DeviceError::new(Kind::Derived, message))
    }

    fn of(value: &Value) -> Result<DeviceAttribute, String> {
        match value {
            Value::Optional(Some(inner)) => return DeviceAttribute::of(inner),
            Value::Bool(value) => return Ok(DeviceAttribute::Bool(*value)),
            Value::Int(value) => return Ok(DeviceAttribute::Int(*value)),
            Value::String(value) => return Ok(DeviceAttribute::String(value.to_string())),
            Value::Type(kind) => return Ok(DeviceAttribute::String(kind.name().to_owned())),
            Value::Version(version) => return Ok(DeviceAttribute::Version(version.to_string())),
            _ => {}
        }
        let Value::List(list) = value else {
            return Err(format!("unsupported CEL return type: {}", go_type(value)));
        };
        let Some(first) = list.first() else {
            return Ok(DeviceAttribute::Strings(Vec::new()));
        };
        match DeviceAttribute::of(first) {
            Ok(DeviceAttribute::Bool(_)) => elements(list, "bool", |one| {
                if let DeviceAttribute::Bool(b) = one {
                    Some(b)
                } else {
                    None
                }
            })
            .map(DeviceAttribute::Bools),
            Ok(DeviceAttribute::Int(_)) => elements(list, "int", |one| {
                if let DeviceAttribute::Int(i) = one {
                    Some(i)
                } else {
                    None
                }
            })
            .map(DeviceAttribute::Ints),
            Ok(DeviceAttribute::String(_)) => elements(list, "string", |one| {
                if let DeviceAttribute::String(s) = one {
                    Some(s)
                } else {
                    None
                }
            })
            .map(DeviceAttribute::Strings),
            Ok(DeviceAttribute::Version(_)) => elements(list, "semver", |one| {
                if let DeviceAttribute::Version(v) = one {
                    Some(v)
                } else {
                    None
                }
            })
            .map(DeviceAttribute::Versions),
            _ => Err(format!("unsupported list element type: {}", go_type(first))),
        }
    }
}

/// Returns the elements of a list, all of one kind.
fn elements<T>(
    list: &[Value],
    kind: &str,
    read: impl Fn(DeviceAttribute) -> Option<T>,
) -> Result<Vec<T>, String> {
    let mut elements = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        let Some(element) = DeviceAttribute::of(value).ok().and_then(&read) else {
            return Err(format!(
                "expected list element at index {index} to be {kind}, got {}",
                go_type(value)
            ));
        };
        elements.push(element);
    }
    Ok(elements)
}

/// Returns the Go type, as Go prints it, in which cel-go holds a value.
fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "structpb.NullValue",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Uint(_) => "uint64",
        Value::Double(_) => "float64",
        Value::String(_) | Value::Type(_) => "string",
        Value::Bytes(_) => "[]uint8",
        Value::Duration(_) => "time.Duration",
        Value::Timestamp(_) => "time.Time",
        Value::List(_) => "[]ref.Val",
        Value::Map(_) => "map[ref.Val]ref.Val",
        Value::Optional(Some(inner)) => go_type(inner),
        Value::Optional(None) | Value::Error(_) => "<nil>",
        Value::Quantity(..) => "*resource.Quantity",
        Value::Version(_) => "semver.Version",
        Value::Url(_) => "*url.URL",
        Value::Address(_) => "netip.Addr",
        Value::Network(_) => "netip.Prefix",
        Value::Format(_) => "*cel.Format",
        other => other.type_name(),
    }
}

/// The fields of a device. A cluster has thousands of devices, and they share these names.
static FIELDS: LazyLock<[Arc<str>; 4]> = LazyLock::new(|| {
    [
        "driver",
        "attributes",
        "capacity",
        "allowMultipleAllocations",
    ]
    .map(Arc::from)
});

/// Builds now what all devices and expressions share; see [`claimkit_cel::prepare`].
///
/// ```
/// claimkit_model::cel::device::prepare();
/// ```
pub fn prepare() {
    LazyLock::force(&FIELDS);
    claimkit_cel::prepare();
}

/// A borrowed [`DeviceAttribute`].
#[derive(Clone, Copy, Debug)]
pub enum AttributeRef<'d> {
    /// A boolean value (`bool`).
    Bool(bool),
    /// An integer value (`int`).
    Int(i64),
    /// A string value (`string`).
    String(&'d str),
    /// A semantic version (`version`).
    Version(&'d str),
    /// A list of booleans (`bools`).
    Bools(&'d [bool]),
    /// A list of integers (`ints`).
    Ints(&'d [i64]),
    /// A list of strings (`strings`).
    Strings(&'d [String]),
    /// A list of semantic versions (`versions`).
    Versions(&'d [String]),
    /// No value that the release knows.
    Unsupported,
}

impl<'d> From<&'d DeviceAttribute> for AttributeRef<'d> {
    fn from(attribute: &'d DeviceAttribute) -> Self {
        match attribute {
            DeviceAttribute::Bool(value) => AttributeRef::Bool(*value),
            DeviceAttribute::Int(value) => AttributeRef::Int(*value),
            DeviceAttribute::String(value) => AttributeRef::String(value),
            DeviceAttribute::Version(value) => AttributeRef::Version(value),
            DeviceAttribute::Bools(values) => AttributeRef::Bools(values),
            DeviceAttribute::Ints(values) => AttributeRef::Ints(values),
            DeviceAttribute::Strings(values) => AttributeRef::Strings(values),
            DeviceAttribute::Versions(values) => AttributeRef::Versions(values),
            DeviceAttribute::Unsupported => AttributeRef::Unsupported,
        }
    }
}

impl From<AttributeRef<'_>> for DeviceAttribute {
    fn from(attribute: AttributeRef<'_>) -> Self {
        match attribute {
            AttributeRef::Bool(value) => DeviceAttribute::Bool(value),
            AttributeRef::Int(value) => DeviceAttribute::Int(value),
            AttributeRef::String(value) => DeviceAttribute::String(value.to_owned()),
            AttributeRef::Version(value) => DeviceAttribute::Version(value.to_owned()),
            AttributeRef::Bools(values) => DeviceAttribute::Bools(values.to_vec()),
            AttributeRef::Ints(values) => DeviceAttribute::Ints(values.to_vec()),
            AttributeRef::Strings(values) => DeviceAttribute::Strings(values.to_vec()),
            AttributeRef::Versions(values) => DeviceAttribute::Versions(values.to_vec()),
            AttributeRef::Unsupported => DeviceAttribute::Unsupported,
        }
    }
}

/// A borrowed [`CelDevice`]: a scheduler has thousands of devices.
#[derive(Debug)]
pub struct DeviceRef<'d> {
    /// Name of the driver: the domain of attributes and capacities without one.
    pub driver: &'d str,
    /// Attributes by qualified name.
    pub attributes: Vec<(&'d str, AttributeRef<'d>)>,
    /// Capacities by qualified name: quantities as texts.
    pub capacity: Vec<(&'d str, &'d str)>,
    /// `allowMultipleAllocations`, false if it is not given.
    pub allow_multiple_allocations: bool,
}

impl CelDevice {
    /// Creates a device of a driver, without attributes and capacities.
    pub fn new(driver: impl Into<String>) -> Self {
        CelDevice {
            driver: driver.into(),
            ..CelDevice::default()
        }
    }

    /// Adds an attribute. A name without a domain belongs to the domain of the driver.
    pub fn attribute(mut self, name: impl Into<String>, value: DeviceAttribute) -> Self {
        self.attributes.push((name.into(), value));
        self
    }

    /// Adds a capacity, a quantity such as `80Gi`. A name without a domain belongs to the domain of the driver.
    pub fn capacity(mut self, name: impl Into<String>, quantity: impl Into<String>) -> Self {
        self.capacity.push((name.into(), quantity.into()));
        self
    }

    /// Sets whether several claims may share the device.
    pub fn allow_multiple_allocations(mut self, allows: bool) -> Self {
        self.allow_multiple_allocations = allows;
        self
    }

    /// Returns the variables of a device selector's program.
    ///
    /// # Errors
    /// An attribute or a capacity that cannot be read, which makes every selector fail. Since 1.38 an attribute fails only where it is
    /// used.
    pub fn variables(&self, environment: &Environment) -> Result<Vec<Value>, DeviceError> {
        let device = DeviceRef {
            driver: &self.driver,
            attributes: self
                .attributes
                .iter()
                .map(|(name, value)| (name.as_str(), value.into()))
                .collect(),
            capacity: self
                .capacity
                .iter()
                .map(|(name, text)| (name.as_str(), text.as_str()))
                .collect(),
            allow_multiple_allocations: self.allow_multiple_allocations,
        };
        device.variables(environment)
    }
}

impl DeviceRef<'_> {
    /// Returns the same as [`CelDevice::variables`].
    ///
    /// # Errors
    /// An attribute or a capacity that cannot be read.
    pub fn variables(&self, environment: &Environment) -> Result<Vec<Value>, DeviceError> {
        let lists = has_lists(environment);
        let lazy = reads_when_asked(environment);
        let mut attributes = Domains::new(lazy);
        for (name, attribute) in &self.attributes {
            let value = if lazy {
                lazy_value(name, *attribute)
            } else {
                attribute_value(*attribute, lists).map_err(|why| {
                    DeviceError::new(Kind::Attribute, format!("attribute {name}: {why}"))
                })?
            };
            attributes.add(name, self.driver, value);
        }
        let mut capacity = Domains::new(lazy);
        for (name, text) in &self.capacity {
            let quantity =
                CelQuantity::parse_by(text, environment.quantities()).map_err(|error| {
                    DeviceError::new(Kind::Capacity, format!("capacity {name}: {error}"))
                })?;
            capacity.add(
                name,
                self.driver,
                Value::Quantity(Arc::new(quantity), QuantityOrigin::Read),
            );
        }
        let values = [
            Value::string(self.driver),
            attributes.into_value(),
            capacity.into_value(),
            Value::Bool(self.allow_multiple_allocations),
        ];
        let names = FIELDS.iter().cloned();
        let fields = names.zip(values).collect();
        Ok(vec![Value::Map(Arc::new(Map::with_names(fields, None)))])
    }
}

/// Names grouped by domain, in the order in which the domains first occur.
struct Domains {
    domains: Vec<(Arc<str>, Names)>,
    /// Values are read when they are asked for, and a name with its domain goes before the same name without; otherwise the later
    /// one does.
    lazy: bool,
}

/// Values, keyed by their names.
type Names = Vec<(Arc<str>, Value)>;

impl Domains {
    fn new(lazy: bool) -> Domains {
        Domains {
            domains: Vec::new(),
            lazy,
        }
    }

    fn add(&mut self, qualified: &str, driver: &str, value: Value) {
        let split = qualified.split_once('/');
        let (domain, name) = split.unwrap_or((driver, qualified));
        let mut domains = self.domains.iter();
        if domains.all(|(known, _)| &**known != domain) {
            self.domains.push((Arc::from(domain), Vec::new()));
        }
        let mut domains = self.domains.iter_mut();
        let Some((_, names)) = domains.find(|(known, _)| &**known == domain) else {
            return;
        };
        match names.iter_mut().find(|(known, _)| &**known == name) {
            Some((_, known)) if split.is_some() || !self.lazy => *known = value,
            Some(_) => {}
            None => names.push((Arc::from(name), value)),
        }
    }

    /// Makes a map of maps. A domain that is not there is empty.
    fn into_value(self) -> Value {
        let Domains { domains, lazy } = self;
        let values = domains.into_iter().map(|(domain, names)| {
            let map = Map::with_names(names, None);
            (domain, map_value(map, lazy))
        });
        let empty = Value::Map(Arc::new(Map::with_names(Vec::new(), None)));
        map_value(Map::with_names(values.collect(), Some(empty)), lazy)
    }
}

fn map_value(map: Map, lazy: bool) -> Value {
    Value::Map(Arc::new(if lazy { map.read_when_asked() } else { map }))
}

fn version(text: &str) -> Result<Value, String> {
    let version =
        SemanticVersion::parse(text).map_err(|why| format!("parse semantic version: {why}"))?;
    Ok(Value::Version(Arc::new(version)))
}

/// Returns the value of an attribute of 1.38 and later; an error that only a use of the attribute reports if there is none (`k8s.io/
/// dynamic-resource-allocation/cel/compile.go`, `nameToAttributes`). An empty list is none after a protobuf.
fn lazy_value(name: &str, attribute: AttributeRef<'_>) -> Value {
    let is_empty = match attribute {
        AttributeRef::Bools(list) => list.is_empty(),
        AttributeRef::Ints(list) => list.is_empty(),
        AttributeRef::Strings(list) | AttributeRef::Versions(list) => list.is_empty(),
        _ => false,
    };
    let value = attribute_value(attribute, true).ok().filter(|_| !is_empty);
    value.unwrap_or_else(|| {
        let own_name = name.split_once('/').map_or(name, |(_, own)| own);
        Value::error(format!(
            "attribute {own_name}: value is invalid or its type is not supported by this version"
        ))
    })
}

fn attribute_value(attribute: AttributeRef<'_>, lists: bool) -> Result<Value, String> {
    Ok(match attribute {
        AttributeRef::Bool(b) => Value::Bool(b),
        AttributeRef::Int(i) => Value::Int(i),
        AttributeRef::String(s) => Value::string(s),
        AttributeRef::Version(text) => version(text)?,
        AttributeRef::Bools(list) if lists => {
            Value::list(list.iter().map(|b| Value::Bool(*b)).collect())
        }
        AttributeRef::Ints(list) if lists => {
            Value::list(list.iter().map(|i| Value::Int(*i)).collect())
        }
        AttributeRef::Strings(list) if lists => {
            Value::list(list.iter().map(Value::string).collect())
        }
        AttributeRef::Versions(list) if lists => Value::list(
            list.iter()
                .map(|text| version(text))
                .collect::<Result<_, _>>()?,
        ),
        _ => return Err("unsupported attribute value".to_owned()),
    })
}

/// An attribute of 1.30's named resources.
#[derive(Clone, Debug, PartialEq)]
pub enum NamedAttribute {
    /// A quantity as a text.
    Quantity(String),
    /// A boolean value (`bool`).
    Bool(bool),
    /// An integer value (`int`).
    Int(i64),
    /// A list of integers (`intSlice`).
    IntSlice(Vec<i64>),
    /// A string value (`string`).
    String(String),
    /// A list of strings (`stringSlice`).
    StringSlice(Vec<String>),
    /// A semantic version (`version`).
    Version(String),
}

/// Returns the variables of a named resources selector's program.
///
/// # Errors
/// An attribute that cannot be read, which makes every selector fail.
///
/// ```
/// use claimkit_model::cel::{EnvironmentMode, NamedAttribute, SELECTOR_COST_LIMIT, device};
///
/// let program = device::named_resources(EnvironmentMode::New).compile("attributes.int['index'] > 3").unwrap();
/// let variables = device::named_variables(&[("index".to_owned(), NamedAttribute::Int(7))]).unwrap();
/// assert_eq!(program.evaluate(&variables, SELECTOR_COST_LIMIT).matches(), Ok(true));
/// ```
pub fn named_variables(attributes: &[(String, NamedAttribute)]) -> Result<Vec<Value>, DeviceError> {
    let mut kinds: [Names; 7] = Default::default();
    for (name, attribute) in attributes {
        let (kind, value) = match attribute {
            NamedAttribute::Quantity(text) => {
                let quantity = CelQuantity::parse(text).map_err(|error| {
                    DeviceError::new(Kind::Attribute, format!("attribute {name}: {error}"))
                })?;
                (0, Value::Quantity(Arc::new(quantity), QuantityOrigin::Read))
            }
            NamedAttribute::Bool(b) => (1, Value::Bool(*b)),
            NamedAttribute::Int(i) => (2, Value::Int(*i)),
            NamedAttribute::IntSlice(list) => (
                3,
                Value::list(list.iter().map(|i| Value::Int(*i)).collect()),
            ),
            NamedAttribute::String(s) => (4, Value::string(s)),
            NamedAttribute::StringSlice(list) => {
                (5, Value::list(list.iter().map(Value::string).collect()))
            }
            NamedAttribute::Version(text) => {
                let version =
                    version(text).map_err(|why| DeviceError::new(Kind::Attribute, why))?;
                (6, version)
            }
        };
        if let Some(names) = kinds.get_mut(kind) {
            names.push((Arc::from(name.as_str()), value));
        }
    }
    Ok(kinds
        .into_iter()
        .map(|names| Value::Map(Arc::new(Map::with_names(names, None))))
        .collect())
}

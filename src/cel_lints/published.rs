//! The devices and instances that the ResourceSlices of a text publish.

use claimkit_model::cel::{self, CelDevice, DeviceAttribute, Environment, NamedAttribute, device};
use claimkit_model::schema::{Api, ClassicKind, DeviceKind, ObjectKind};
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use std::collections::BTreeSet;

/// Maximum number of devices and instances that expressions are tried on; names of all of them are known.
const TRIED: usize = 1000;

/// A device or an instance with its name.
#[derive(Debug)]
pub struct PublishedDevice {
    /// `driver/pool/device`, `driver/node/instance`.
    pub name: String,
    pub driver: String,
    what: What,
}

#[derive(Debug)]
enum What {
    Device(CelDevice),
    Instance(Vec<(String, NamedAttribute)>),
}

/// The attributes and capacities that slices publish.
#[derive(Debug, Default)]
pub struct PublishedNames {
    /// Things that expressions can be tried on.
    pub subjects: Vec<PublishedDevice>,
    /// Paths as expressions read them: `device/attributes/gpu.example.com/model`, and each domain.
    /// The names of a path are joined by zero characters.
    names: BTreeSet<String>,
    /// The longest paths, joined alike: most devices of a slice have the same names.
    whole: BTreeSet<String>,
    drivers: BTreeSet<String>,
}

impl PublishedDevice {
    /// Returns the variables of an expression that is tried on it.
    pub fn variables(
        &self,
        environment: &Environment,
    ) -> Result<Vec<cel::value::Value>, cel::DeviceError> {
        match &self.what {
            What::Device(device) => device.variables(environment),
            What::Instance(attributes) => device::named_variables(attributes),
        }
    }

    /// Returns true if it is a device, rather than an instance of 1.30.
    pub fn is_device(&self) -> bool {
        matches!(self.what, What::Device(_))
    }

    /// Returns the type in which it publishes an attribute, as a field of a ResourceSlice.
    fn attribute_type(&self, domain: &str, name: &str) -> Option<&'static str> {
        let What::Device(device) = &self.what else {
            return None;
        };
        let (_, value) = device
            .attributes
            .iter()
            .find(|(full, _)| is_attribute(&device.driver, domain, name, full))?;
        Some(match value {
            DeviceAttribute::Bool(_) => "bool",
            DeviceAttribute::Int(_) => "int",
            DeviceAttribute::String(_) => "string",
            DeviceAttribute::Version(_) => "version",
            DeviceAttribute::Bools(_) => "bools",
            DeviceAttribute::Ints(_) => "ints",
            DeviceAttribute::Strings(_) => "strings",
            DeviceAttribute::Versions(_) => "versions",
            _ => return None,
        })
    }

    /// Returns true if a device publishes a name in `attributes` or `capacity`.
    pub fn publishes(&self, holder: &str, domain: &str, name: &str) -> bool {
        let What::Device(device) = &self.what else {
            return false;
        };
        let is_it = |full: &str| is_attribute(&device.driver, domain, name, full);
        if holder == "capacity" {
            return device.capacity.iter().any(|(full, _)| is_it(full));
        }
        device.attributes.iter().any(|(full, _)| is_it(full))
    }

    /// Returns true if a device publishes anything in a domain, or should: its driver has the name of the domain.
    pub fn has_domain(&self, domain: &str) -> bool {
        let What::Device(device) = &self.what else {
            return true;
        };
        if device.driver == domain {
            return true;
        }
        let attributes = device.attributes.iter().map(|(name, _)| name);
        let capacities = device.capacity.iter().map(|(name, _)| name);
        attributes.chain(capacities).any(|name| {
            let own = name.split_once('/').map(|(domain, _)| domain);
            own.unwrap_or(device.driver.as_str()) == domain
        })
    }
}

/// Returns true if an attribute has this domain and name; the domain of a short name is the driver.
fn is_attribute(driver: &str, domain: &str, name: &str, full: &str) -> bool {
    let (own_domain, own) = full.split_once('/').unwrap_or((driver, full));
    own_domain == domain && own == name
}

impl PublishedNames {
    /// Adds the slice at a node; ignores objects of other kinds.
    pub fn take(&mut self, tree: &Tree<'_>, object: NodeId, api: Api) {
        match api.kind.object {
            ObjectKind::Device(DeviceKind::ResourceSlice) => self.devices(tree, object),
            ObjectKind::Classic(ClassicKind::ResourceSlice) => self.instances(tree, object),
            _ => {}
        }
    }

    /// Returns the names that devices publish.
    pub fn of_devices(devices: Vec<CelDevice>) -> Self {
        let mut published = PublishedNames::default();
        for device in devices {
            published.publish_common_fields(&device.driver);
            published.publish_device(&device);
            let driver = device.driver.clone();
            published.push(&driver, "", "", What::Device(device));
        }
        published
    }

    /// Returns the drivers of the devices.
    pub fn drivers(&self) -> impl Iterator<Item = &str> {
        self.drivers.iter().map(String::as_str)
    }

    /// Returns true if no slice publishes anything.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns true if a path, or a beginning of it, is published.
    pub fn has(&self, path: &[String]) -> bool {
        self.names.contains(&path.join("\0"))
    }

    /// Returns the names one step below a path, each with its path.
    pub fn below(&self, path: &[String]) -> impl Iterator<Item = &str> {
        let before = format!("{}\0", path.join("\0"));
        let names = self
            .names
            .iter()
            .filter_map(move |known| known.strip_prefix(&before));
        names.filter(|name| !name.contains('\0'))
    }

    /// Returns the names of attributes (`attributes`) or capacities (`capacity`) with their domains: `gpu.example.com/model`.
    pub fn qualified(&self, map: &str) -> impl Iterator<Item = String> {
        let before = format!("device\0{map}\0");
        let names = self
            .names
            .iter()
            .filter_map(move |known| known.strip_prefix(&before));
        names
            .filter(|name| name.contains('\0'))
            .map(|name| name.replace('\0', "/"))
    }

    /// Returns the types in which devices publish an attribute, each with a device that does; none if not all devices are known.
    pub fn attribute_types(&self, domain: &str, name: &str) -> Vec<(&'static str, usize)> {
        if self.subjects.len() >= TRIED {
            return Vec::new();
        }
        let mut types: Vec<(&'static str, usize)> = Vec::new();
        for (index, subject) in self.subjects.iter().enumerate() {
            let ty = subject.attribute_type(domain, name);
            if let Some(ty) = ty.filter(|ty| types.iter().all(|(known, _)| known != ty)) {
                types.push((ty, index));
            }
        }
        types
    }

    fn publish(&mut self, path: &[&str]) {
        if !self.whole.insert(path.join("\0")) {
            return;
        }
        for length in 2..=path.len() {
            self.names
                .insert(path.get(..length).unwrap_or_default().join("\0"));
        }
    }

    /// Adds a driver, and the fields that every device of it has.
    fn publish_common_fields(&mut self, driver: &str) {
        self.drivers.insert(driver.to_owned());
        self.publish(&["device", "driver"]);
        self.publish(&["device", "allowMultipleAllocations"]);
    }

    fn publish_device(&mut self, device: &CelDevice) {
        let driver = device.driver.as_str();
        for (name, _) in &device.attributes {
            let (domain, id) = name.split_once('/').unwrap_or((driver, name));
            self.publish(&["device", "attributes", domain, id]);
        }
        for (name, _) in &device.capacity {
            let (domain, id) = name.split_once('/').unwrap_or((driver, name));
            self.publish(&["device", "capacity", domain, id]);
        }
    }

    /// Adds a device or instance of a driver, in a pool or on a node.
    fn push(&mut self, driver: &str, place: &str, name: &str, what: What) {
        if self.subjects.len() < TRIED {
            self.subjects.push(PublishedDevice {
                name: format!("{driver}/{place}/{name}"),
                driver: driver.to_owned(),
                what,
            });
        }
    }

    fn devices(&mut self, tree: &Tree<'_>, object: NodeId) {
        let Some(spec) = tree.get(object, "spec") else {
            return;
        };
        let driver = text(tree, spec, "driver");
        let pool = tree
            .get(spec, "pool")
            .map_or("", |pool| text(tree, pool, "name"));
        self.publish_common_fields(driver);
        for &node in tree
            .get(spec, "devices")
            .map(|devices| tree.items(devices))
            .unwrap_or_default()
        {
            let name = text(tree, node, "name");
            // Up to v1beta1 the fields of a device are one level lower.
            let node = tree.get(node, "basic").unwrap_or(node);
            let mut device = CelDevice {
                driver: driver.to_owned(),
                ..CelDevice::default()
            };
            for entry in entries_of(tree, node, "attributes")
                .iter()
                .filter(|entry| !entry.shadowed)
            {
                let name = tree.text(entry.key);
                device
                    .attributes
                    .push((name.to_owned(), attribute(tree, entry.value)));
            }
            for entry in entries_of(tree, node, "capacity")
                .iter()
                .filter(|entry| !entry.shadowed)
            {
                let name = tree.text(entry.key);
                let value = tree.get(entry.value, "value").unwrap_or(entry.value);
                device
                    .capacity
                    .push((name.to_owned(), written(tree, value).to_owned()));
            }
            let shared = tree
                .get(node, "allowMultipleAllocations")
                .map(|flag| tree.kind(flag));
            device.allow_multiple_allocations = shared == Some(Kind::Bool(true));
            self.publish_device(&device);
            self.push(driver, pool, name, What::Device(device));
        }
    }

    fn instances(&mut self, tree: &Tree<'_>, object: NodeId) {
        let Some(named) = tree.get(object, "namedResources") else {
            return;
        };
        let (driver, node_name) = (
            text(tree, object, "driverName"),
            text(tree, object, "nodeName"),
        );
        for &node in tree
            .get(named, "instances")
            .map(|list| tree.items(list))
            .unwrap_or_default()
        {
            let mut attributes = Vec::new();
            for &item in tree
                .get(node, "attributes")
                .map(|list| tree.items(list))
                .unwrap_or_default()
            {
                let name = text(tree, item, "name");
                let Some((kind, value)) = named_attribute(tree, item) else {
                    continue;
                };
                self.publish(&["attributes", kind, name]);
                attributes.push((name.to_owned(), value));
            }
            self.push(
                driver,
                node_name,
                text(tree, node, "name"),
                What::Instance(attributes),
            );
        }
    }
}

fn entries_of<'t>(
    tree: &'t Tree<'_>,
    node: NodeId,
    field: &str,
) -> &'t [claimkit_model::text::tree::Entry] {
    tree.get(node, field)
        .map(|map| tree.entries(map))
        .unwrap_or_default()
}

fn text<'t>(tree: &'t Tree<'_>, node: NodeId, field: &str) -> &'t str {
    tree.get(node, field)
        .and_then(|node| tree.str(node))
        .unwrap_or_default()
}

/// Returns a quantity as it is written: a string, or a bare number.
fn written<'t>(tree: &'t Tree<'_>, node: NodeId) -> &'t str {
    let span = tree.span(node);
    tree.str(node)
        .or_else(|| span.slice_of(tree.source()))
        .unwrap_or_default()
}

fn integer(tree: &Tree<'_>, node: NodeId) -> Option<i64> {
    match tree.kind(node) {
        Kind::Int(number) => Some(number),
        Kind::Number(_) => written(tree, node).parse().ok(),
        _ => None,
    }
}

fn boolean(tree: &Tree<'_>, node: NodeId) -> Option<bool> {
    if let Kind::Bool(flag) = tree.kind(node) {
        Some(flag)
    } else {
        None
    }
}

fn string(tree: &Tree<'_>, node: NodeId) -> Option<String> {
    tree.str(node).map(str::to_owned)
}

fn list<T>(
    tree: &Tree<'_>,
    node: NodeId,
    read: fn(&Tree<'_>, NodeId) -> Option<T>,
) -> Option<Vec<T>> {
    tree.items(node)
        .iter()
        .map(|item| read(tree, *item))
        .collect()
}

fn attribute(tree: &Tree<'_>, node: NodeId) -> DeviceAttribute {
    let field = tree
        .entries(node)
        .iter()
        .find(|entry| !matches!(tree.kind(entry.value), Kind::Null));
    let read = field.and_then(|field| {
        let value = field.value;
        Some(match tree.text(field.key) {
            "bool" => DeviceAttribute::Bool(boolean(tree, value)?),
            "int" => DeviceAttribute::Int(integer(tree, value)?),
            "string" => DeviceAttribute::String(string(tree, value)?),
            "version" => DeviceAttribute::Version(string(tree, value)?),
            "bools" => DeviceAttribute::Bools(list(tree, value, boolean)?),
            "ints" => DeviceAttribute::Ints(list(tree, value, integer)?),
            "strings" => DeviceAttribute::Strings(list(tree, value, string)?),
            "versions" => DeviceAttribute::Versions(list(tree, value, string)?),
            _ => return None,
        })
    });
    read.unwrap_or(DeviceAttribute::Unsupported)
}

fn named_attribute(tree: &Tree<'_>, node: NodeId) -> Option<(&'static str, NamedAttribute)> {
    let mut fields = tree
        .entries(node)
        .iter()
        .filter(|entry| tree.text(entry.key) != "name");
    let field = fields.find(|entry| !matches!(tree.kind(entry.value), Kind::Null))?;
    let value = field.value;
    Some(match tree.text(field.key) {
        "quantity" => (
            "quantity",
            NamedAttribute::Quantity(written(tree, value).to_owned()),
        ),
        "bool" => ("bool", NamedAttribute::Bool(boolean(tree, value)?)),
        "int" => ("int", NamedAttribute::Int(integer(tree, value)?)),
        "string" => ("string", NamedAttribute::String(string(tree, value)?)),
        "version" => ("version", NamedAttribute::Version(string(tree, value)?)),
        "intSlice" => (
            "intslice",
            NamedAttribute::IntSlice(list(tree, tree.get(value, "ints")?, integer)?),
        ),
        "stringSlice" => (
            "stringslice",
            NamedAttribute::StringSlice(list(tree, tree.get(value, "strings")?, string)?),
        ),
        _ => return None,
    })
}

//! Devices as the recordings write them.

use std::collections::BTreeMap;

use claimkit_model::cel::environment::{Environment, EnvironmentMode};
use claimkit_model::cel::functions::EnvironmentGate;
use claimkit_model::cel::value::Value as Cel;
use claimkit_model::cel::{CelDevice, DeviceAttribute, NamedAttribute, device};
use serde_json::Value;

fn file(name: &str) -> Value {
    let path = format!(
        "{}/tests/vectors/cel/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn only(value: &Value) -> (&str, &Value) {
    let (key, value) = value.as_object().unwrap().iter().next().unwrap();
    (key.as_str(), value)
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}

/// The kinds of values in the order in which 1.38 looks for one, if an attribute has several.
const KINDS: &[&str] = &[
    "int", "bool", "string", "version", "ints", "bools", "strings", "versions",
];

fn attribute(value: &Value) -> DeviceAttribute {
    let first = KINDS
        .iter()
        .find_map(|kind| Some((*kind, value.get(*kind)?)));
    let Some(first) = first else {
        return DeviceAttribute::Unsupported;
    };
    match first {
        ("bool", b) => DeviceAttribute::Bool(b.as_bool().unwrap()),
        ("int", i) => DeviceAttribute::Int(i.as_i64().unwrap()),
        ("string", s) => DeviceAttribute::String(s.as_str().unwrap().to_owned()),
        ("version", s) => DeviceAttribute::Version(s.as_str().unwrap().to_owned()),
        ("bools", list) => DeviceAttribute::Bools(
            list.as_array()
                .unwrap()
                .iter()
                .map(|b| b.as_bool().unwrap())
                .collect(),
        ),
        ("ints", list) => DeviceAttribute::Ints(
            list.as_array()
                .unwrap()
                .iter()
                .map(|i| i.as_i64().unwrap())
                .collect(),
        ),
        ("strings", list) => DeviceAttribute::Strings(texts(list)),
        ("versions", list) => DeviceAttribute::Versions(texts(list)),
        (kind, _) => panic!("an attribute of kind {kind}"),
    }
}

/// A device of a recording.
pub fn device(value: &Value) -> CelDevice {
    let entries = |name: &str| {
        value
            .get(name)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
    };
    let device = CelDevice::new(
        value
            .get("driver")
            .and_then(Value::as_str)
            .unwrap_or_default(),
    )
    .allow_multiple_allocations(value.get("allowMultipleAllocations") == Some(&Value::Bool(true)));
    let device = entries("attributes").fold(device, |device, (name, value)| {
        device.attribute(name, attribute(value))
    });
    entries("capacity").fold(device, |device, (name, value)| {
        device.capacity(name, value["value"].as_str().unwrap())
    })
}

fn named_attribute(value: &Value) -> NamedAttribute {
    match only(value) {
        ("quantity", s) => NamedAttribute::Quantity(s.as_str().unwrap().to_owned()),
        ("bool", b) => NamedAttribute::Bool(b.as_bool().unwrap()),
        ("int", i) => NamedAttribute::Int(i.as_i64().unwrap()),
        ("ints", list) => NamedAttribute::IntSlice(
            list.as_array()
                .unwrap()
                .iter()
                .map(|i| i.as_i64().unwrap())
                .collect(),
        ),
        ("string", s) => NamedAttribute::String(s.as_str().unwrap().to_owned()),
        ("strings", list) => NamedAttribute::StringSlice(texts(list)),
        ("version", s) => NamedAttribute::Version(s.as_str().unwrap().to_owned()),
        (kind, _) => panic!("an attribute of kind {kind}"),
    }
}

/// The variables of a line's device. `inline` is the line itself.
pub struct Variables {
    devices: Value,
    minor: u8,
    made: BTreeMap<String, Result<Vec<Cel>, String>>,
}

impl Variables {
    pub fn new(minor: u8) -> Self {
        let mut devices = file(if minor == 30 {
            "devices-named"
        } else {
            "devices"
        });
        for (since, name) in [(37, "devices-1.37"), (38, "devices-1.38")] {
            if minor >= since {
                let more = file(name).as_object().unwrap().clone();
                devices.as_object_mut().unwrap().extend(more);
            }
        }
        Self {
            devices,
            minor,
            made: BTreeMap::new(),
        }
    }

    pub fn inline(&self, line: &Value, environment: &Environment) -> Result<Vec<Cel>, String> {
        if self.minor == 30 {
            return self.make(line, environment);
        }
        self.make(&line["device"], environment)
    }

    pub fn named(
        &mut self,
        name: &str,
        key: &str,
        environment: &Environment,
    ) -> Result<Vec<Cel>, String> {
        let key = format!("{name} {key}");
        if let Some(made) = self.made.get(&key) {
            return made.clone();
        }
        let made = self.make(&self.devices[name], environment);
        self.made.insert(key, made.clone());
        made
    }

    fn make(&self, of: &Value, environment: &Environment) -> Result<Vec<Cel>, String> {
        if self.minor == 30 {
            let attributes = of
                .get("attributes")
                .and_then(Value::as_object)
                .into_iter()
                .flatten();
            let attributes: Vec<_> = attributes
                .map(|(name, value)| (name.clone(), named_attribute(value)))
                .collect();
            return device::named_variables(&attributes).map_err(String::from);
        }
        device(of).variables(environment).map_err(String::from)
    }
}

/// The gates of a line; without any, those of the release.
pub fn gates(line: &Value, minor: u8) -> Vec<EnvironmentGate> {
    match line.get("gates") {
        None if minor >= 36 => vec![EnvironmentGate::ConsumableCapacity],
        None => Vec::new(),
        Some(gates) => texts(gates)
            .iter()
            .map(|gate| match gate.as_str() {
                "DRAConsumableCapacity" => EnvironmentGate::ConsumableCapacity,
                "DRAListTypeAttributes" => EnvironmentGate::ListTypeAttributes,
                other => panic!("the gate {other}"),
            })
            .collect(),
    }
}

pub fn mode(line: &Value) -> EnvironmentMode {
    if line["env"] == "stored" {
        EnvironmentMode::Stored
    } else {
        EnvironmentMode::New
    }
}

/// The environment of a line about a derived attribute.
pub fn derived_environment(
    minor: u8,
    gates: &[EnvironmentGate],
    mode: EnvironmentMode,
) -> Environment {
    device::derived_attributes(minor, gates, mode)
}

/// The environment of a line.
pub fn environment(minor: u8, gates: &[EnvironmentGate], mode: EnvironmentMode) -> Environment {
    if minor == 30 {
        device::named_resources(mode)
    } else {
        device::environment(minor, gates, mode)
    }
}

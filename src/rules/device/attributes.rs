//! One device of a ResourceSlice.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `validateDevice`.

use super::judge::Judge;
use super::slice::{CounterSets, consumed};
use super::variant::Counters;
use crate::finding::{Code, Path};
use crate::go::quantity::Measure;
use crate::names;
use crate::record::{Record, Value};
use crate::rules::errors::Bad;
use crate::rules::{immutable, node_selector};

/// Attributes and capacities of one device.
const ENTRIES_MAX: usize = 32;
/// Bytes of a key that are shown in paths.
const KEY_SHOWN: usize = 96;
/// The values an attribute may have, in the order in which the server looks at them.
const LISTS: [&str; 4] = ["bools", "ints", "strings", "versions"];

impl Judge<'_> {
    /// Validates a device. `old`: the stored one of the same name.
    pub fn device(
        &mut self,
        device: &Record<'_>,
        old: Option<&Record<'_>>,
        sets: &CounterSets<'_>,
        per_device: bool,
        path: &Path<'_>,
    ) {
        self.label(Code::DeviceNameInvalid, device.str("name"), &path.field("name"));
        if self.v.flat {
            let path = path.field("basic");
            return match device.record("basic") {
                None => self.errors.required(Code::DeviceShape, &path, ""),
                Some(basic) => {
                    self.attributes_and_capacity(basic, None, &path);
                    self.entries(basic, &path);
                }
            };
        }
        self.entries(device, path);
        self.attribute_values(device, path);
        self.attributes_and_capacity(device, old, path);
        self.taints(device, old, path);
        self.consumed_counters(device, sets, path);
        self.device_nodes(device, per_device, path);
        if self.has_field(device, "bindingConditions") {
            self.binding_conditions(device, path);
        }
        if self.has_field(device, "nodeAllocatableResourceMappings") {
            self.node_mappings(device, path);
        }
        if self.has_field(device, "nodeAllocatableResources") {
            self.node_resources(device, path);
        }
    }

    fn entries(&mut self, device: &Record<'_>, path: &Path<'_>) {
        let count = device.entries("attributes").len().saturating_add(device.entries("capacity").len());
        if count > ENTRIES_MAX {
            let detail = format!("the total number of attributes and capacities must not exceed {ENTRIES_MAX}");
            self.errors.invalid(Code::DeviceTooLarge, path, Bad::count(count), &detail);
        }
    }

    fn attribute_values(&mut self, device: &Record<'_>, path: &Path<'_>) {
        let Some(max) = self.v.attribute_values else { return };
        let values = |attribute: &Value<'_>| {
            let Some(attribute) = attribute.as_record().filter(|attribute| attribute.has_any(&LISTS)) else { return 1 };
            LISTS.iter().map(|name| attribute.list(name).len()).fold(0, usize::saturating_add).max(1)
        };
        let count = device.entries("attributes").iter().map(|(_, value)| values(value)).fold(0, usize::saturating_add);
        if count > max {
            let detail = format!("the total number of attribute values must not exceed {max}");
            self.errors.invalid(Code::DeviceTooLarge, path, Bad::count(count), &detail);
        }
    }

    /// Validates attributes and capacities of a device. `old`: the stored device of the same name.
    fn attributes_and_capacity(&mut self, device: &Record<'_>, old: Option<&Record<'_>>, path: &Path<'_>) {
        let mut key = |judge: &mut Self, key: &str, path: &Path<'_>| judge.qualified_name(key, path);
        self.map(device.entries("attributes"), &path.field("attributes"), KEY_SHOWN, &mut key, &mut |judge, _, value, path| {
            if let Some(attribute) = value.as_record() {
                judge.attribute(attribute, path);
            }
        });
        if self.v.stored_capacity && old.is_some_and(|old| immutable::same_field(device, old, "capacity")) {
            return;
        }
        let shared = device.schema.slot("allowMultipleAllocations").is_some() && device.bool("allowMultipleAllocations");
        self.map(device.entries("capacity"), &path.field("capacity"), KEY_SHOWN, &mut key, &mut |judge, _, value, path| {
            if let Some(capacity) = value.as_record() {
                judge.capacity(capacity, shared, path);
            }
        });
    }

    fn attribute(&mut self, attribute: &Record<'_>, path: &Path<'_>) {
        let code = Code::AttributeInvalid;
        let mut set = 0usize;
        for name in ["int", "bool"] {
            set = set.saturating_add(usize::from(attribute.has(name)));
        }
        if attribute.has("string") {
            set = set.saturating_add(1);
            self.string_value(attribute, attribute.str("string"), &path.field("string"));
        }
        if attribute.has("version") {
            set = set.saturating_add(1);
            self.version_value(attribute, attribute.str("version"), &path.field("version"));
        }
        let lists = if attribute.has_any(&LISTS) { &LISTS[..] } else { &[] };
        for &name in lists {
            if !attribute.has(name) || !self.has_field(attribute, name) {
                continue;
            }
            set = set.saturating_add(1);
            let path = path.field(name);
            let items = attribute.list(name);
            if items.is_empty() {
                self.errors.invalid(code, &path, Bad::field(attribute, name), "must not be empty if specified");
            }
            for (index, item) in items.iter().enumerate() {
                match name {
                    "strings" => self.string_value(attribute, item.as_str(), &path.index(index)),
                    "versions" => self.version_value(attribute, item.as_str(), &path.index(index)),
                    _ => {}
                }
            }
        }
        match set {
            0 if self.v.attribute_required => {
                self.errors.required(code, path, "exactly one value must be specified");
            }
            0 => self.errors.invalid(code, path, Bad::Str(""), "exactly one value must be specified"),
            1 => {}
            _ => self.errors.invalid(code, path, Bad::Record(attribute), self.v.attribute_several),
        }
    }

    fn string_value(&mut self, attribute: &Record<'_>, value: &str, path: &Path<'_>) {
        if let Some(max) = self.limit(attribute, "string").filter(|max| value.len() > *max) {
            self.errors.too_long(Code::AttributeInvalid, path, max);
        }
    }

    fn version_value(&mut self, attribute: &Record<'_>, value: &str, path: &Path<'_>) {
        if !names::is_semantic_version(value) {
            let detail = "must be a string compatible with semver.org spec 2.0.0";
            self.errors.invalid(Code::AttributeVersionInvalid, path, Bad::Str(value), detail);
        }
        if let Some(max) = self.limit(attribute, "version").filter(|max| value.len() > *max) {
            self.errors.too_long(Code::AttributeVersionInvalid, path, max);
        }
    }

    fn taints(&mut self, device: &Record<'_>, old: Option<&Record<'_>>, path: &Path<'_>) {
        if old.is_some_and(|old| immutable::same_field(device, old, "taints")) {
            return;
        }
        self.list(device, "taints", &path.field("taints"), |judge, item, path| {
            if let Some(taint) = item.as_record() {
                judge.taint(taint, false, path);
            }
        });
    }

    fn consumed_counters(&mut self, device: &Record<'_>, sets: &CounterSets<'_>, path: &Path<'_>) {
        let code = Code::CountersInvalid;
        let place = path.field("consumesCounters");
        let per_list = self.v.counters == Counters::PerList;
        let compare = self.list(device, "consumesCounters", &place, |judge, item, path| {
            let Some(consumption) = item.as_record() else { return };
            let set = consumption.str("counterSet");
            if set.is_empty() {
                judge.errors.required(code, &path.field("counterSet"), "");
            } else if per_list {
                judge.label(code, set, &path.field("counterSet"));
            }
            judge.counters(consumption, path);
        });
        if compare {
            let names = device.records("consumesCounters").map(|consumption| consumption.str("counterSet"));
            self.unique(names, Some("counterSet"), &place, Bad::Str);
        }
        let Counters::Totals { device: max, .. } = self.v.counters else { return };
        let count = consumed(device);
        if count > max {
            let detail = format!("the total number of counters must not exceed {max}");
            self.errors.invalid(code, path, Bad::count(count), &detail);
        }
        for (index, consumption) in device.records("consumesCounters").enumerate() {
            let item = place.index(index);
            let Some(known) = sets.get(consumption.str("counterSet")) else {
                let detail = "must reference a counterSet defined in the ResourceSlice sharedCounters";
                self.errors.invalid(code, &item.field("counterSet"), Bad::Str(consumption.str("counterSet")), detail);
                continue;
            };
            for (key, _) in consumption.entries("counters") {
                if !known.contains(&**key) {
                    let detail = "must reference a counter defined in the ResourceSlice sharedCounters";
                    self.errors.invalid(code, &item.field("counters"), Bad::Str(key), detail);
                }
            }
        }
    }

    fn device_nodes(&mut self, device: &Record<'_>, per_device: bool, path: &Path<'_>) {
        let code = Code::NodeSelectionInvalid;
        if !per_device {
            if ["nodeName", "nodeSelector", "allNodes"].iter().any(|name| device.has(name)) {
                let detail = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
                self.errors.invalid(code, path, Bad::Null, detail);
            }
            return;
        }
        let mut chosen = Vec::new();
        if device.has("nodeName") {
            let name = device.str("nodeName");
            let place = path.field("nodeName");
            if name.is_empty() {
                self.errors.invalid(code, &place, Bad::Str(""), "must not be empty");
            } else {
                chosen.push("`nodeName`");
                self.subdomain(Code::NodeNameInvalid, name, &place);
            }
        }
        if let Some(selector) = device.record("nodeSelector") {
            chosen.push("`nodeSelector`");
            node_selector::validate_record(selector, self.v.node_selector_values, &path.field("nodeSelector"), self.errors);
        }
        if device.bool("allNodes") {
            chosen.push("`allNodes`");
        } else if device.has("allNodes") {
            self.errors.invalid(code, &path.field("allNodes"), Bad::Bool(false), "must be either unset or set to true");
        }
        let detail = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
        match chosen.as_slice() {
            [] => self.errors.required(code, path, detail),
            [_] => {}
            several => {
                let value = format!("{{{}}}", several.join(", "));
                self.errors.invalid(code, path, Bad::Str(&value), detail);
            }
        }
    }

    fn node_mappings(&mut self, device: &Record<'_>, path: &Path<'_>) {
        let code = Code::NodeMappingInvalid;
        let path = path.field("nodeAllocatableResourceMappings");
        for (key, mapping) in device.entries("nodeAllocatableResourceMappings") {
            let path = path.key(key);
            if key.contains('/') && !key.contains("kubernetes.io/") {
                self.errors.invalid(code, &path, Bad::Named(key), "must be a node allocatable resource name");
            }
            let Some(mapping) = mapping.as_record() else { continue };
            if mapping.has("allocationMultiplier") {
                let multiplier = mapping.str("allocationMultiplier");
                if Measure::of(multiplier).nanos() <= 0 {
                    let path = path.field("allocationMultiplier");
                    self.errors.invalid(code, &path, Bad::Str(multiplier), "must be positive");
                }
            }
            if mapping.has("capacityKey") {
                let name = mapping.str("capacityKey");
                let path = path.field("capacityKey");
                if name.is_empty() {
                    self.errors.invalid(code, &path, Bad::Named(""), "capacityKey must not be an empty string");
                } else if !device.entries("capacity").iter().any(|(key, _)| key == name) {
                    self.errors.not_found(code, &path, name);
                }
            }
        }
    }
}

//! One device of a ResourceSlice.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `validateDevice`.

use super::judge::Judge;
use super::slice::{CounterSets, consumed};
use super::variant::CounterLimits;
use crate::validation::errors::Bad;
use crate::validation::{immutable, node_selector};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::FieldValue;
use claimkit_model::object::view::Slot;
use claimkit_model::object::view::device::{
    Device, DeviceAttribute, DeviceCounterConsumption, LISTS,
};
use claimkit_values::names;
use claimkit_values::quantity::Measure;

/// Attributes and capacities of one device.
const ENTRIES_MAX: usize = 32;
/// Bytes of a key that are shown in paths.
const KEY_SHOWN: usize = 96;

impl Judge<'_> {
    /// Validates a device. `old`: the stored one of the same name.
    pub fn device(
        &mut self,
        device: Device<'_>,
        old: Option<Device<'_>>,
        sets: &CounterSets<'_>,
        per_device: bool,
        path: &Path<'_>,
    ) {
        self.label(Code::DeviceNameInvalid, device.name(), &path.field("name"));
        if self.v.flat {
            let basic_path = path.field("basic");
            return match device.basic() {
                None => self.errors.required(Code::DeviceShape, &basic_path, ""),
                Some(basic) => {
                    self.attributes_and_capacity(basic, None, &basic_path);
                    self.entries(basic, &basic_path);
                }
            };
        }
        self.entries(device, path);
        self.attribute_values(device, path);
        self.attributes_and_capacity(device, old, path);
        self.taints(device, old, path);
        self.consumed_counters(device, sets, path);
        if !self.v.devices_as_one {
            self.device_nodes(device, per_device, path);
        }
        self.binding_conditions(
            device.binding_conditions(),
            device.binding_failure_conditions(),
            path,
        );
        if self.knows(device.node_allocatable_resource_mappings().slot()) {
            self.node_mappings(device, path);
        }
        if self.knows(device.node_allocatable_resources().slot()) {
            self.node_resources(device, path);
        }
    }

    fn entries(&mut self, device: Device<'_>, path: &Path<'_>) {
        let count = device
            .attributes()
            .len()
            .saturating_add(device.capacity().len());
        if count > ENTRIES_MAX {
            let detail = format!(
                "the total number of attributes and capacities must not exceed {ENTRIES_MAX}"
            );
            self.errors
                .invalid(Code::DeviceTooLarge, path, Bad::count(count), &detail);
        }
    }

    fn attribute_values(&mut self, device: Device<'_>, path: &Path<'_>) {
        let Some(max) = self.v.attribute_values else {
            return;
        };
        let count = device
            .attributes()
            .iter()
            .map(|(_, attribute)| count_values(attribute))
            .fold(0, usize::saturating_add);
        if count > max {
            let detail = format!("the total number of attribute values must not exceed {max}");
            self.errors
                .invalid(Code::DeviceTooLarge, path, Bad::count(count), &detail);
        }
    }

    /// Validates attributes and capacities of a device. `old`: the stored device of the same name.
    fn attributes_and_capacity(
        &mut self,
        device: Device<'_>,
        old: Option<Device<'_>>,
        path: &Path<'_>,
    ) {
        self.map(
            device.attributes(),
            &path.field("attributes"),
            KEY_SHOWN,
            Self::qualified_name,
            Self::attribute,
        );
        let capacity = device.capacity();
        if self.v.stored_capacity
            && old.is_some_and(|old| immutable::same_field(capacity.slot(), old.capacity().slot()))
        {
            return;
        }
        let shared = device.allow_multiple_allocations();
        self.map(
            capacity,
            &path.field("capacity"),
            KEY_SHOWN,
            Self::qualified_name,
            |judge, capacity, path| {
                judge.capacity(capacity, shared, path);
            },
        );
    }

    fn attribute(&mut self, attribute: DeviceAttribute<'_>, path: &Path<'_>) {
        let code = Code::AttributeInvalid;
        let mut set =
            usize::from(attribute.has_int()).saturating_add(usize::from(attribute.has_bool()));
        if let Some(text) = attribute.string() {
            set = set.saturating_add(1);
            self.string_value(attribute, text, &path.field("string"));
        }
        if let Some(version) = attribute.version() {
            set = set.saturating_add(1);
            self.version_value(attribute, version, &path.field("version"));
        }
        if attribute.has_lists() {
            set = set.saturating_add(self.attribute_lists(attribute, path));
        }
        match set {
            0 if self.v.attribute_required => {
                self.errors
                    .required(code, path, "exactly one value must be specified");
            }
            0 => self.errors.invalid(
                code,
                path,
                Bad::Str(""),
                "exactly one value must be specified",
            ),
            1 => {}
            _ => self.errors.invalid(
                code,
                path,
                Bad::record(attribute.record()),
                self.v.attribute_several,
            ),
        }
    }

    /// Validates the lists of an attribute. Returns how many it has.
    fn attribute_lists(&mut self, attribute: DeviceAttribute<'_>, path: &Path<'_>) -> usize {
        let mut set = 0usize;
        for name in LISTS {
            let slot = Slot::of(attribute.record(), name);
            let FieldValue::List(items) = slot.value() else {
                continue;
            };
            if !self.knows(slot) {
                continue;
            }
            set = set.saturating_add(1);
            let path = path.field(name);
            if items.is_empty() {
                self.errors.invalid(
                    Code::AttributeInvalid,
                    &path,
                    Bad::field(slot),
                    "must not be empty if specified",
                );
            }
            for (index, item) in items.iter().enumerate() {
                match name {
                    "strings" => self.string_value(attribute, item.as_str(), &path.index(index)),
                    "versions" => self.version_value(attribute, item.as_str(), &path.index(index)),
                    _ => {}
                }
            }
        }
        set
    }

    fn string_value(&mut self, attribute: DeviceAttribute<'_>, value: &str, path: &Path<'_>) {
        if let Some(max) = self
            .limit(attribute.string_slot())
            .filter(|max| value.len() > *max)
        {
            self.errors.too_long(Code::AttributeInvalid, path, max);
        }
    }

    fn version_value(&mut self, attribute: DeviceAttribute<'_>, value: &str, path: &Path<'_>) {
        let fits = self
            .v
            .version_digits
            .is_none_or(|max| names::version_digits(value) <= max);
        if !names::is_semantic_version(value) || !fits {
            let code = Code::AttributeVersionInvalid;
            self.errors
                .invalid(code, path, Bad::Str(value), self.v.version);
        }
        if let Some(max) = self
            .limit(attribute.version_slot())
            .filter(|max| value.len() > *max)
        {
            self.errors
                .too_long(Code::AttributeVersionInvalid, path, max);
        }
    }

    fn taints(&mut self, device: Device<'_>, old: Option<Device<'_>>, path: &Path<'_>) {
        let taints = device.taints();
        if old.is_some_and(|old| immutable::same_field(taints.slot(), old.taints().slot())) {
            return;
        }
        self.list(taints, &path.field("taints"), |judge, taint, path| {
            judge.taint(taint, path);
            judge.taint_effect(taint, path);
        });
    }

    fn consumed_counters(&mut self, device: Device<'_>, sets: &CounterSets<'_>, path: &Path<'_>) {
        let code = Code::CountersInvalid;
        let place = path.field("consumesCounters");
        let per_list = self.v.counters == CounterLimits::PerList;
        let consumptions = device.consumes_counters();
        let may_check_duplicates = self.list(consumptions, &place, |judge, consumption, path| {
            let set = consumption.counter_set();
            if set.is_empty() {
                judge.errors.required(code, &path.field("counterSet"), "");
            } else if per_list {
                judge.label(code, set, &path.field("counterSet"));
            }
            judge.counters(consumption.counters(), path);
        });
        if may_check_duplicates {
            self.unique(
                consumptions
                    .iter()
                    .map(DeviceCounterConsumption::counter_set),
                Some("counterSet"),
                &place,
                Bad::Str,
            );
        }
        let CounterLimits::Totals { device: max, .. } = self.v.counters else {
            return;
        };
        let count = consumed(device);
        if count > max {
            let detail = format!("the total number of counters must not exceed {max}");
            self.errors.invalid(code, path, Bad::count(count), &detail);
        }
        for (index, consumption) in consumptions.iter().enumerate() {
            let item = place.index(index);
            let Some(known) = sets.get(consumption.counter_set()) else {
                let detail =
                    "must reference a counterSet defined in the ResourceSlice sharedCounters";
                self.errors.invalid(
                    code,
                    &item.field("counterSet"),
                    Bad::Str(consumption.counter_set()),
                    detail,
                );
                continue;
            };
            for key in consumption.counters().keys() {
                if !known.contains(key) {
                    let detail =
                        "must reference a counter defined in the ResourceSlice sharedCounters";
                    self.errors
                        .invalid(code, &item.field("counters"), Bad::Str(key), detail);
                }
            }
        }
    }

    /// Validates the nodes that have a device; `per_device`: the slice leaves them to its devices.
    pub fn device_nodes(&mut self, device: Device<'_>, per_device: bool, path: &Path<'_>) {
        let code = Code::NodeSelectionInvalid;
        if !per_device {
            if device.node_name().is_some()
                || device.node_selector().is_some()
                || device.all_nodes().is_some()
            {
                let detail = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
                self.errors.invalid(code, path, Bad::Null, detail);
            }
            return;
        }
        let mut chosen = Vec::new();
        if let Some(name) = device.node_name() {
            let place = path.field("nodeName");
            if name.is_empty() {
                self.errors
                    .invalid(code, &place, Bad::Str(""), "must not be empty");
            } else {
                chosen.push("`nodeName`");
                self.subdomain(Code::NodeNameInvalid, name, &place);
            }
        }
        if let Some(selector) = device.node_selector() {
            chosen.push("`nodeSelector`");
            node_selector::validate_all(
                selector,
                self.v.node_selector_values,
                &path.field("nodeSelector"),
                self.errors,
            );
            let terms = selector.node_selector_terms();
            if self.v.device_terms && terms.len() != 1 {
                let selector_path = path.field("nodeSelector");
                self.errors.invalid(
                    code,
                    &selector_path.field("nodeSelectorTerms"),
                    Bad::field(terms.slot()),
                    self.v.one_term,
                );
            }
        }
        match device.all_nodes() {
            Some(true) => chosen.push("`allNodes`"),
            Some(false) => {
                let detail = "must be either unset or set to true";
                self.errors
                    .invalid(code, &path.field("allNodes"), Bad::Bool(false), detail);
            }
            None => {}
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

    fn node_mappings(&mut self, device: Device<'_>, path: &Path<'_>) {
        let code = Code::NodeMappingInvalid;
        let path = path.field("nodeAllocatableResourceMappings");
        for (key, mapping) in device.node_allocatable_resource_mappings().iter() {
            let path = path.key(key);
            if key.contains('/') && !key.contains("kubernetes.io/") {
                self.errors.invalid(
                    code,
                    &path,
                    Bad::Named(key),
                    "must be a node allocatable resource name",
                );
            }
            if let Some(multiplier) = mapping
                .allocation_multiplier()
                .filter(|amount| Measure::of(amount).nanos() <= 0)
            {
                self.errors.invalid(
                    code,
                    &path.field("allocationMultiplier"),
                    Bad::Str(multiplier),
                    "must be positive",
                );
            }
            if let Some(name) = mapping.capacity_key() {
                let path = path.field("capacityKey");
                if name.is_empty() {
                    self.errors.invalid(
                        code,
                        &path,
                        Bad::Named(""),
                        "capacityKey must not be an empty string",
                    );
                } else if !device.capacity().keys().any(|key| key == name) {
                    self.errors.not_found(code, &path, name);
                }
            }
        }
    }
}

/// Counts the values of an attribute: those of its lists, or one.
fn count_values(attribute: DeviceAttribute<'_>) -> usize {
    let Some(record) = attribute.record().filter(|_| attribute.has_lists()) else {
        return 1;
    };
    LISTS
        .iter()
        .map(|name| record.list(name).len())
        .fold(0, usize::saturating_add)
        .max(1)
}

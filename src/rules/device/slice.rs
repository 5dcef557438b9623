//! ResourceSlice: create and update.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `ValidateResourceSlice`, `ValidateResourceSliceUpdate`.

use super::judge::Judge;
use super::variant::Counters;
use crate::api::Scope;
use crate::finding::{Code, Path};
use crate::record::view::Object;
use crate::record::{Record, Value};
use crate::rules::context::Context;
use crate::rules::errors::{Bad, Errors};
use crate::rules::{immutable, metadata, node_selector};
use claimkit_values::order;
use std::collections::{BTreeMap, BTreeSet};

const SEVERAL: &str = ", but multiple fields are set";

/// Validates a new slice.
pub fn create(slice: &Record<'_>, context: &Context, errors: &mut Errors) {
    metadata::create(Object::new(slice).metadata(), Scope::Cluster, context.rules, errors);
    if let Some(spec) = slice.record("spec") {
        Judge::new(context, errors).slice_spec(spec, None);
    }
}

/// Validates an update of a slice.
pub fn update(new: &Record<'_>, old: &Record<'_>, context: &Context, errors: &mut Errors) {
    metadata::update(Object::new(new).metadata(), Object::new(old).metadata(), errors);
    let Some(spec) = new.record("spec") else { return };
    let zero = Record::empty(spec.schema);
    Judge::new(context, errors).slice_spec(spec, Some(old.record("spec").unwrap_or(&zero)));
}

impl Judge<'_> {
    fn slice_spec(&mut self, spec: &Record<'_>, old: Option<&Record<'_>>) {
        let root = Path::ROOT;
        let path = root.field("spec");
        self.driver_name(spec.str("driver"), &path.field("driver"));
        self.pool(spec.record("pool"), &path.field("pool"));
        if let Some(old) = old {
            self.fixed(spec, old, &path);
        }
        self.node_selection(spec, &path);
        if self.v.counters_or_devices && spec.has("sharedCounters") && spec.has("devices") {
            let detail = "only one of `sharedCounters` or `devices` is allowed";
            self.errors.invalid(Code::CountersInvalid, &path, Bad::Str(""), detail);
        }
        self.slice_devices(spec, old, &path);
        self.shared_counters(spec, &path.field("sharedCounters"));
        if self.has_field(spec, "partitionTypeAttribute") && spec.has("partitionTypeAttribute") {
            self.partition_type(spec, &path);
        }
        if self.has_field(spec, "skipNodeOperations") {
            self.skipped_operations(spec, &path);
        }
    }

    fn pool(&mut self, pool: Option<&Record<'_>>, path: &Path<'_>) {
        self.pool_name(pool.map_or("", |pool| pool.str("name")), &path.field("name"));
        let number = |name| pool.and_then(|pool| pool.int(name)).unwrap_or(0);
        let count = number("resourceSliceCount");
        if count <= 0 {
            let path = path.field("resourceSliceCount");
            self.errors.invalid(Code::PoolNumberInvalid, &path, Bad::Int(count), "must be greater than zero");
        }
        let generation = number("generation");
        if generation < 0 {
            let path = path.field("generation");
            self.errors.invalid(Code::PoolNumberInvalid, &path, Bad::Int(generation), "must be greater than or equal to zero");
        }
    }

    fn fixed(&mut self, spec: &Record<'_>, old: &Record<'_>, path: &Path<'_>) {
        let code = Code::SliceImmutable;
        let pool = |spec: &Record<'_>| spec.record("pool").map_or_else(String::new, |pool| pool.str("name").to_owned());
        let (new_pool, old_pool) = (pool(spec), pool(old));
        if new_pool != old_pool {
            let path = path.field("pool");
            self.errors.invalid(code, &path.field("name"), Bad::Str(&new_pool), immutable::MESSAGE);
        }
        if spec.str("driver") != old.str("driver") {
            self.errors.invalid(code, &path.field("driver"), Bad::Str(spec.str("driver")), immutable::MESSAGE);
        }
        let name = spec.str("nodeName");
        let set = |spec: &Record<'_>| self.v.pointers && spec.has("nodeName");
        if name != old.str("nodeName") || set(spec) != set(old) {
            let value = match (self.v.pointers, spec.has("nodeName")) {
                (true, false) => Bad::Null,
                (true, true) => Bad::Named(name),
                (false, _) => Bad::Str(name),
            };
            self.errors.invalid(code, &path.field("nodeName"), value, immutable::MESSAGE);
        }
    }

    fn node_selection(&mut self, spec: &Record<'_>, path: &Path<'_>) {
        let code = Code::NodeSelectionInvalid;
        let mut chosen = Vec::new();
        if !spec.str("nodeName").is_empty() {
            chosen.push("`nodeName`");
            self.subdomain(Code::NodeNameInvalid, spec.str("nodeName"), &path.field("nodeName"));
        } else if self.v.pointers && spec.has("nodeName") {
            let detail = "must be either unset or set to a non-empty string";
            self.errors.invalid(code, &path.field("nodeName"), Bad::Str(""), detail);
        }
        if let Some(selector) = spec.record("nodeSelector") {
            chosen.push("`nodeSelector`");
            let path = path.field("nodeSelector");
            node_selector::validate_record(selector, self.v.node_selector_values, &path, self.errors);
            if selector.list("nodeSelectorTerms").len() != 1 {
                let path = path.field("nodeSelectorTerms");
                self.errors.invalid(code, &path, Bad::field(selector, "nodeSelectorTerms"), self.v.one_term);
            }
        }
        self.flag(spec, "allNodes", &mut chosen, path);
        if self.has_field(spec, "perDeviceNodeSelection") {
            self.flag(spec, "perDeviceNodeSelection", &mut chosen, path);
        }
        let detail = self.v.node_selection;
        match chosen.as_slice() {
            [] => self.errors.required(code, path, detail),
            [_] => {}
            _ if self.v.selection_shows_spec => self.errors.invalid(code, path, Bad::Record(spec), detail),
            _ if !self.v.pointers => self.errors.invalid(code, path, Bad::Null, detail),
            several => {
                let value = format!("{{{}}}", several.join(", "));
                self.errors.invalid(code, path, Bad::Str(&value), &format!("{detail}{SEVERAL}"));
            }
        }
    }

    fn flag(&mut self, spec: &Record<'_>, name: &'static str, chosen: &mut Vec<&'static str>, path: &Path<'_>) {
        if spec.bool(name) {
            chosen.push(if name == "allNodes" { "`allNodes`" } else { "`perDeviceNodeSelection`" });
        } else if self.v.pointers && spec.has(name) {
            let detail = "must be either unset or set to true";
            self.errors.invalid(Code::NodeSelectionInvalid, &path.field(name), Bad::Bool(false), detail);
        }
    }

    fn slice_devices(&mut self, spec: &Record<'_>, old: Option<&Record<'_>>, path: &Path<'_>) {
        let devices = path.field("devices");
        let few = self.v.devices_with_features.filter(|_| spec.records("devices").any(|device| self.has_features(device)));
        let max = few.or_else(|| self.limit(spec, "devices"));
        let stored: BTreeMap<&str, &Record<'_>> = match old {
            // The first of several devices with the same name is used.
            Some(old) if self.v.stored_taints => {
                let devices = old.list("devices").iter().rev().filter_map(Value::as_record);
                order::map(devices.map(|device| (device.str("name"), device)))
            }
            _ => BTreeMap::new(),
        };
        let sets = counter_sets(spec);
        let per_device = spec.bool("perDeviceNodeSelection");
        let compare = self.items(spec.list("devices"), max, &devices, &mut |judge, item, path| {
            if let Some(device) = item.as_record() {
                let old = stored.get(device.str("name")).copied();
                judge.device(device, old, &sets, per_device, path);
            }
        });
        if compare {
            let names = spec.records("devices").map(|device| device.str("name"));
            self.unique(names, Some("name"), &devices, Bad::Str);
        }
        if let Counters::Totals { slice, .. } = self.v.counters {
            let total: usize = spec.records("devices").map(consumed).fold(0, usize::saturating_add);
            if total > slice {
                let detail = format!("the total number of counters in devices must not exceed {slice}");
                self.errors.invalid(Code::CountersInvalid, &devices, Bad::count(total), &detail);
            }
        }
    }

    fn has_features(&self, device: &Record<'_>) -> bool {
        let lists = ["ints", "bools", "strings", "versions"];
        !device.list("taints").is_empty()
            || !device.list("consumesCounters").is_empty()
            || self.v.attribute_values.is_some()
                && device
                    .entries("attributes")
                    .iter()
                    .any(|(_, attribute)| attribute.as_record().is_some_and(|attribute| attribute.has_any(&lists)))
    }

    /// Checks that devices which consume counters have the attribute that names their type of partition.
    fn partition_type(&mut self, spec: &Record<'_>, path: &Path<'_>) {
        let code = Code::PartitionTypeInvalid;
        let name = spec.str("partitionTypeAttribute");
        let consumes = |device: &&Record<'_>| !device.list("consumesCounters").is_empty();
        if !spec.records("devices").any(|device| consumes(&device)) {
            let detail = "may only be set on a slice which declares devices that consume counters";
            return self.errors.invalid(code, &path.field("partitionTypeAttribute"), Bad::Named(name), detail);
        }
        if !super::declared::is_fully_qualified(name) {
            return;
        }
        let bare = name.split_once('/').filter(|(domain, _)| *domain == spec.str("driver")).map(|(_, bare)| bare);
        let devices = path.field("devices");
        for (index, device) in spec.records("devices").enumerate().filter(|(_, device)| consumes(device)) {
            let item = devices.index(index);
            let attributes = item.field("attributes");
            let path = attributes.key(name);
            let entry = |name: &str| {
                device.entries("attributes").iter().find(|(key, _)| key == name).and_then(|(_, value)| value.as_record())
            };
            match entry(name).or_else(|| bare.and_then(entry)) {
                None => {
                    let detail = "device consumes counters and `partitionTypeAttribute` names this attribute, so it must be set";
                    self.errors.required(code, &path, detail);
                }
                Some(attribute) if !attribute.has("string") => {
                    let detail = "must be a string value because `partitionTypeAttribute` names this attribute";
                    self.errors.invalid(code, &path, Bad::Record(attribute), detail);
                }
                Some(_) => {}
            }
        }
    }

    fn shared_counters(&mut self, spec: &Record<'_>, path: &Path<'_>) {
        let code = Code::CountersInvalid;
        if let Counters::Totals { shared, .. } = self.v.counters {
            let total: usize =
                spec.records("sharedCounters").map(|set| set.entries("counters").len()).fold(0, usize::saturating_add);
            if total > shared {
                let detail = format!("the total number of shared counters must not exceed {shared}");
                self.errors.invalid(code, path, Bad::count(total), &detail);
            }
        }
        let compare = self.list(spec, "sharedCounters", path, |judge, item, path| {
            let Some(set) = item.as_record() else { return };
            let name = set.str("name");
            if name.is_empty() {
                judge.errors.required(code, &path.field("name"), "");
            } else {
                judge.label(code, name, &path.field("name"));
            }
            judge.counters(set, path);
        });
        if compare {
            let names = spec.records("sharedCounters").map(|set| set.str("name"));
            self.unique(names, Some("name"), path, Bad::Str);
        }
    }

    /// Validates the counters of a set, or those that a device consumes.
    pub fn counters(&mut self, record: &Record<'_>, path: &Path<'_>) {
        let code = Code::CountersInvalid;
        let path = path.field("counters");
        let entries = record.entries("counters");
        if entries.is_empty() {
            return self.errors.required(code, &path, "");
        }
        if let Some(max) = self.limit(record, "counters").filter(|max| entries.len() > *max) {
            return self.errors.too_many(code, &path, entries.len(), max);
        }
        self.map(entries, &path, 63, &mut |judge, key, path| judge.label(code, key, path), &mut |_, _, _, _| {});
    }
}

/// Returns how many counters a device consumes.
pub fn consumed(device: &Record<'_>) -> usize {
    device.records("consumesCounters").map(|set| set.entries("counters").len()).fold(0, usize::saturating_add)
}

/// The names of the sets of a slice, and of their counters.
pub type CounterSets<'r> = BTreeMap<&'r str, BTreeSet<&'r str>>;

fn counter_sets<'r>(spec: &'r Record<'r>) -> CounterSets<'r> {
    let keys = |set: &'r Record<'r>| set.entries("counters").iter().map(|(key, _)| &**key).collect();
    spec.records("sharedCounters").map(|set| (set.str("name"), keys(set))).collect()
}

//! ResourceSlice: create and update.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `ValidateResourceSlice`, `ValidateResourceSliceUpdate`.

use super::judge::Judge;
use super::variant::CounterLimits;
use crate::validation::context::Context;
use crate::validation::errors::{Bad, Errors};
use crate::validation::{immutable, metadata, node_selector};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::device::{
    Counter, CounterSet, Device, ResourcePool, ResourceSlice, ResourceSliceSpec,
};
use claimkit_model::object::view::{Entries, List};
use claimkit_model::schema::Scope;
use claimkit_values::order;
use std::collections::{BTreeMap, BTreeSet};

const SEVERAL: &str = ", but multiple fields are set";

/// Validates a new slice.
pub fn create(slice: ResourceSlice<'_>, context: &Context, errors: &mut Errors) {
    metadata::create(slice.metadata(), Scope::Cluster, context.rules, errors);
    Judge::new(context, errors).slice_spec(slice.spec(), None);
}

/// Validates an update of a slice.
pub fn update(
    new: ResourceSlice<'_>,
    old: ResourceSlice<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::update(new.metadata(), old.metadata(), errors);
    Judge::new(context, errors).slice_spec(new.spec(), Some(old.spec()));
}

impl Judge<'_> {
    fn slice_spec(&mut self, spec: ResourceSliceSpec<'_>, old: Option<ResourceSliceSpec<'_>>) {
        let root = Path::ROOT;
        let path = root.field("spec");
        self.driver_name(spec.driver(), &path.field("driver"));
        self.pool(spec.pool(), &path.field("pool"));
        if let Some(old) = old {
            self.fixed(spec, old, &path);
        }
        self.node_selection(spec, &path);
        if self.v.counters_or_devices && spec.has_shared_counters() && spec.has_devices() {
            let detail = "only one of `sharedCounters` or `devices` is allowed";
            self.errors
                .invalid(Code::CountersInvalid, &path, Bad::Str(""), detail);
        }
        let changed = old
            .is_none_or(|old| !immutable::same_field(spec.devices().slot(), old.devices().slot()));
        if changed || !self.v.devices_as_one {
            self.slice_devices(spec, old, &path);
        }
        let selection_changed = old
            .is_none_or(|old| spec.per_device_node_selection() != old.per_device_node_selection());
        if self.v.devices_as_one && (changed || selection_changed) {
            self.nodes_of_devices(spec, &path);
        }
        self.shared_counters(spec.shared_counters(), &path.field("sharedCounters"));
        if let Some(name) = spec
            .partition_type_attribute()
            .filter(|_| self.knows(spec.partition_type_attribute_slot()))
        {
            self.partition_type(spec, name, &path);
        }
        self.skipped_operations(spec.skip_node_operations(), &path);
    }

    fn pool(&mut self, pool: ResourcePool<'_>, path: &Path<'_>) {
        self.pool_name(pool.name(), &path.field("name"));
        let count = pool.resource_slice_count();
        if count <= 0 {
            self.errors.invalid(
                Code::PoolNumberInvalid,
                &path.field("resourceSliceCount"),
                Bad::Int(count),
                "must be greater than zero",
            );
        }
        let generation = pool.generation();
        if generation < 0 {
            self.errors.invalid(
                Code::PoolNumberInvalid,
                &path.field("generation"),
                Bad::Int(generation),
                "must be greater than or equal to zero",
            );
        }
    }

    fn fixed(&mut self, spec: ResourceSliceSpec<'_>, old: ResourceSliceSpec<'_>, path: &Path<'_>) {
        let code = Code::SliceImmutable;
        let name = spec.pool().name();
        if name != old.pool().name() {
            let pool = path.field("pool");
            self.errors.invalid(
                code,
                &pool.field("name"),
                Bad::Str(name),
                immutable::MESSAGE,
            );
        }
        if spec.driver() != old.driver() {
            self.errors.invalid(
                code,
                &path.field("driver"),
                Bad::Str(spec.driver()),
                immutable::MESSAGE,
            );
        }
        // Older versions have no pointer here: an absent name is an empty one.
        let absent = (!self.v.pointers).then_some("");
        let node = spec.node_name().or(absent);
        if node != old.node_name().or(absent) {
            let value = match node {
                None => Bad::Null,
                Some(name) if self.v.pointers => Bad::Named(name),
                Some(name) => Bad::Str(name),
            };
            self.errors
                .invalid(code, &path.field("nodeName"), value, immutable::MESSAGE);
        }
    }

    fn node_selection(&mut self, spec: ResourceSliceSpec<'_>, path: &Path<'_>) {
        let code = Code::NodeSelectionInvalid;
        let mut chosen = Vec::new();
        match spec.node_name() {
            Some("") if self.v.pointers => {
                let detail = "must be either unset or set to a non-empty string";
                self.errors
                    .invalid(code, &path.field("nodeName"), Bad::Str(""), detail);
            }
            None | Some("") => {}
            Some(name) => {
                chosen.push("`nodeName`");
                self.subdomain(Code::NodeNameInvalid, name, &path.field("nodeName"));
            }
        }
        if let Some(selector) = spec.node_selector() {
            chosen.push("`nodeSelector`");
            let selector_path = path.field("nodeSelector");
            node_selector::validate_all(
                selector,
                self.v.node_selector_values,
                &selector_path,
                self.errors,
            );
            let terms = selector.node_selector_terms();
            if terms.len() != 1 {
                let terms_path = selector_path.field("nodeSelectorTerms");
                self.errors
                    .invalid(code, &terms_path, Bad::field(terms.slot()), self.v.one_term);
            }
        }
        if self.flag(spec.all_nodes(), &path.field("allNodes")) {
            chosen.push("`allNodes`");
        }
        let per_device = spec
            .per_device_node_selection()
            .filter(|_| self.knows(spec.per_device_node_selection_slot()));
        if self.flag(per_device, &path.field("perDeviceNodeSelection")) {
            chosen.push("`perDeviceNodeSelection`");
        }
        let detail = self.v.node_selection;
        match chosen.as_slice() {
            [] => self.errors.required(code, path, detail),
            [_] => {}
            _ if self.v.selection_shows_spec => {
                self.errors
                    .invalid(code, path, Bad::record(spec.record()), detail)
            }
            _ if !self.v.pointers => self.errors.invalid(code, path, Bad::Null, detail),
            several => {
                let value = format!("{{{}}}", several.join(", "));
                self.errors
                    .invalid(code, path, Bad::Str(&value), &format!("{detail}{SEVERAL}"));
            }
        }
    }

    /// Returns true if a flag is set to true. A pointer to false is an error.
    fn flag(&mut self, flag: Option<bool>, path: &Path<'_>) -> bool {
        if flag == Some(false) && self.v.pointers {
            let detail = "must be either unset or set to true";
            self.errors
                .invalid(Code::NodeSelectionInvalid, path, Bad::Bool(false), detail);
        }
        flag == Some(true)
    }

    fn slice_devices(
        &mut self,
        spec: ResourceSliceSpec<'_>,
        old: Option<ResourceSliceSpec<'_>>,
        path: &Path<'_>,
    ) {
        let path = path.field("devices");
        let devices = spec.devices();
        let few = self
            .v
            .devices_with_features
            .filter(|_| devices.iter().any(|device| self.has_features(device)));
        let max = few.or_else(|| self.limit(devices.slot()));
        let stored: Vec<Device<'_>> = match old {
            Some(old) if self.v.stored_taints && !self.v.devices_as_one => {
                old.devices().iter().collect()
            }
            _ => Vec::new(),
        };
        // The first of several devices with the same name is used.
        let stored_places: BTreeMap<&str, usize> = order::map(
            stored
                .iter()
                .enumerate()
                .rev()
                .map(|(at, device)| (device.name(), at)),
        );
        let sets = counter_sets(spec);
        let per_device = spec.per_device_node_selection() == Some(true);
        let may_check_duplicates = self.items(devices, max, &path, |judge, device, path| {
            let place = stored_places.get(device.name());
            let old = place.and_then(|at| stored.get(*at)).copied();
            judge.device(device, old, &sets, per_device, path);
        });
        if may_check_duplicates {
            self.unique(
                devices.iter().map(Device::name),
                Some("name"),
                &path,
                Bad::Str,
            );
        }
        if let CounterLimits::Totals { slice, .. } = self.v.counters {
            let total: usize = devices.iter().map(consumed).fold(0, usize::saturating_add);
            if total > slice {
                let detail =
                    format!("the total number of counters in devices must not exceed {slice}");
                self.errors
                    .invalid(Code::CountersInvalid, &path, Bad::count(total), &detail);
            }
        }
    }

    /// Validates the node selections of all devices.
    fn nodes_of_devices(&mut self, spec: ResourceSliceSpec<'_>, path: &Path<'_>) {
        let list = path.field("devices");
        let per_device = spec.per_device_node_selection() == Some(true);
        for (index, device) in spec.devices().iter().enumerate() {
            self.device_nodes(device, per_device, &list.index(index));
        }
    }

    fn has_features(&self, device: Device<'_>) -> bool {
        !device.taints().is_empty()
            || !device.consumes_counters().is_empty()
            || self.v.attribute_values.is_some()
                && device
                    .attributes()
                    .iter()
                    .any(|(_, attribute)| attribute.has_lists())
    }

    /// Checks that devices which consume counters have the attribute that names their type of partition.
    fn partition_type(&mut self, spec: ResourceSliceSpec<'_>, name: &str, path: &Path<'_>) {
        let code = Code::PartitionTypeInvalid;
        let mut devices = spec.devices().iter();
        if devices.all(|device| device.consumes_counters().is_empty()) {
            let detail = "may only be set on a slice which declares devices that consume counters";
            return self.errors.invalid(
                code,
                &path.field("partitionTypeAttribute"),
                Bad::Named(name),
                detail,
            );
        }
        if !super::declared::is_fully_qualified(name, self.release) {
            return;
        }
        let bare = name
            .split_once('/')
            .filter(|(domain, _)| *domain == spec.driver())
            .map(|(_, bare)| bare);
        let devices = path.field("devices");
        for (index, device) in spec
            .devices()
            .iter()
            .enumerate()
            .filter(|(_, device)| !device.consumes_counters().is_empty())
        {
            let item = devices.index(index);
            let attributes = item.field("attributes");
            let path = attributes.key(name);
            let attributes = device.attributes();
            let attribute = attributes.get(name).or_else(|| attributes.get(bare?));
            match attribute {
                None => {
                    let detail = "device consumes counters and `partitionTypeAttribute` names this attribute, so it must be set";
                    self.errors.required(code, &path, detail);
                }
                Some(attribute) if attribute.string().is_none() => {
                    let detail = "must be a string value because `partitionTypeAttribute` names this attribute";
                    self.errors
                        .invalid(code, &path, Bad::record(attribute.record()), detail);
                }
                Some(_) => {}
            }
        }
    }

    fn shared_counters(&mut self, sets: List<'_, CounterSet<'_>>, path: &Path<'_>) {
        let code = Code::CountersInvalid;
        if let CounterLimits::Totals { shared, .. } = self.v.counters {
            let total: usize = sets
                .iter()
                .map(|set| set.counters().len())
                .fold(0, usize::saturating_add);
            if total > shared {
                let detail =
                    format!("the total number of shared counters must not exceed {shared}");
                self.errors.invalid(code, path, Bad::count(total), &detail);
            }
        }
        let may_check_duplicates = self.list(sets, path, |judge, set, path| {
            let name = set.name();
            if name.is_empty() {
                judge.errors.required(code, &path.field("name"), "");
            } else {
                judge.label(code, name, &path.field("name"));
            }
            judge.counters(set.counters(), path);
        });
        if may_check_duplicates {
            self.unique(
                sets.iter().map(CounterSet::name),
                Some("name"),
                path,
                Bad::Str,
            );
        }
    }

    /// Validates the counters of a set, or those that a device consumes.
    pub fn counters(&mut self, counters: Entries<'_, Counter<'_>>, path: &Path<'_>) {
        let code = Code::CountersInvalid;
        let path = path.field("counters");
        if counters.is_empty() {
            return self.errors.required(code, &path, "");
        }
        if let Some(max) = self
            .limit(counters.slot())
            .filter(|max| counters.len() > *max)
        {
            return self.errors.too_many(code, &path, counters.len(), max);
        }
        self.map(
            counters,
            &path,
            63,
            |judge, key, path| judge.label(code, key, path),
            |_, _, _| {},
        );
    }
}

/// Returns how many counters a device consumes.
pub fn consumed(device: Device<'_>) -> usize {
    device
        .consumes_counters()
        .iter()
        .map(|set| set.counters().len())
        .fold(0, usize::saturating_add)
}

/// The names of the sets of a slice, and of their counters.
pub type CounterSets<'r> = BTreeMap<&'r str, BTreeSet<&'r str>>;

fn counter_sets(spec: ResourceSliceSpec<'_>) -> CounterSets<'_> {
    order::map(
        spec.shared_counters()
            .iter()
            .map(|set| (set.name(), order::set(set.counters().keys()))),
    )
}

//! Fields that the server drops because a feature gate is off.
//!
//! If the stored object already uses the feature, the update may use it everywhere. Source:
//! `pkg/registry/resource/<kind>/strategy.go`, `dropDisabledFields`.

use crate::validation::context::Context;
use crate::validation::device::variant::Variant;
use claimkit_model::finding::{Code, EntryPart, Finding, Path, Step, path};
use claimkit_model::message::{Words, message};
use claimkit_model::object::view::device::{
    DeviceAttribute, DeviceClaim, ResourceClaim, ResourceClaimStatus, ResourceClaimTemplate,
    ResourceSlice,
};
use claimkit_model::object::{FieldValue, Record};
use claimkit_model::schema::{DeviceKind, Field, Gate, Release};

/// A field that was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedField {
    /// The gate that is off.
    pub gate: Gate,
    /// The path in the internal version.
    pub steps: Vec<Step>,
}

impl DroppedField {
    /// Returns the warning that the field is dropped. `steps`: where it stands in the manifest.
    pub fn finding(&self, steps: Vec<Step>, release: Release) -> Finding {
        let (gate, path) = (self.gate.name(), path::render(&steps));
        let mut finding = Finding::new(
            Code::FieldDropped,
            message!(
                "server.field-dropped",
                "the server drops `{path}`: the feature gate {gate} is off in Kubernetes {release}",
                path,
                gate,
                release,
            ),
        );
        finding.path = Some(path);
        finding.steps = steps;
        finding.part = EntryPart::Key;
        finding.help = Code::FieldDropped.spoken_help().map(Words::from);
        finding
    }
}

/// The part of the object that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenPart {
    /// A create, or an update of the whole object.
    Object,
    Status,
}

struct Drops<'c> {
    context: &'c Context,
    v: &'static Variant,
    found: Vec<DroppedField>,
}

/// Gates with special rules for claims and templates: a use elsewhere in the object counts too, or the releases differ.
const OF_CLAIMS: &[Gate] = &[
    Gate::DRAAdminAccess,
    Gate::DRAConsumableCapacity,
    Gate::DRAControlPlaneController,
    Gate::DRADeviceBindingConditions,
    Gate::DRADeviceTaints,
    Gate::DRAResourceClaimDeviceStatus,
];

/// Gates with special rules for slices: an empty list counts as a use.
const OF_SLICES: &[Gate] = &[Gate::DRAListTypeAttributes];

/// Drops disabled fields in the hub's shape: first those whose table row has a disabled gate, then those with special rules.
pub fn apply(
    kind: DeviceKind,
    new: &mut Record<'_>,
    old: Option<&Record<'_>>,
    part: WrittenPart,
    context: &Context,
) -> Vec<DroppedField> {
    let mut drops = Drops {
        context,
        v: Variant::of(context.release),
        found: Vec::new(),
    };
    let own = match kind {
        DeviceKind::ResourceClaim | DeviceKind::ResourceClaimTemplate => OF_CLAIMS,
        DeviceKind::ResourceSlice => OF_SLICES,
        DeviceKind::DeviceClass
        | DeviceKind::DeviceTaintRule
        | DeviceKind::PodSchedulingContext
        | DeviceKind::ResourcePoolStatusRequest => &[],
    };
    let name = if part == WrittenPart::Status {
        "status"
    } else {
        "spec"
    };
    if let Some(inner) = new.inner_mut(name) {
        drops.by_table(
            own,
            inner,
            old.and_then(|old| old.record(name)),
            &Path::ROOT.field(name),
        );
    }
    match kind {
        DeviceKind::ResourceClaim => {
            let stored = ResourceClaim::of(old).spec().devices();
            drops.claim_spec(new, old, stored, part, &["spec"]);
            if part == WrittenPart::Status {
                drops.claim_status(new, old);
            }
            if drops.v.controllers {
                drops.controllers(new, old, part);
            }
        }
        DeviceKind::ResourceClaimTemplate => {
            let stored = ResourceClaimTemplate::of(old).spec().spec().devices();
            drops.claim_spec(new, old, stored, part, &["spec", "spec"]);
        }
        DeviceKind::ResourceSlice => drops.lists_of_attributes(new, old),
        DeviceKind::DeviceClass
        | DeviceKind::DeviceTaintRule
        | DeviceKind::PodSchedulingContext
        | DeviceKind::ResourcePoolStatusRequest => {}
    }
    drops.found
}

/// Returns true if a stored record uses a field of a gate. An empty list or map does not count.
fn uses(record: &Record<'_>, gate: Gate) -> bool {
    record
        .schema
        .fields
        .iter()
        .zip(&record.slots)
        .any(|(field, value)| {
            let own = field.gates.first() == Some(&gate);
            match value {
                FieldValue::Unset => false,
                FieldValue::Struct(inner) => own || uses(inner, gate),
                FieldValue::List(items) if own => !items.is_empty(),
                FieldValue::Entries(entries) if own => !entries.is_empty(),
                FieldValue::List(items) => items
                    .iter()
                    .filter_map(FieldValue::as_record)
                    .any(|item| uses(item, gate)),
                FieldValue::Entries(entries) => entries
                    .iter()
                    .filter_map(|(_, value)| value.as_record())
                    .any(|entry| uses(entry, gate)),
                _ => own,
            }
        })
}

/// Returns the struct at some steps.
fn at_mut<'r, 't>(record: &'r mut Record<'t>, steps: &[&str]) -> Option<&'r mut Record<'t>> {
    steps
        .iter()
        .try_fold(record, |record, name| record.inner_mut(name))
}

impl Drops<'_> {
    fn is_off(&self, gate: Gate) -> bool {
        gate.default_in(self.context.release).is_some() && !self.context.gates.on(gate)
    }

    /// Returns the first gate of a field, if any of the field's gates is off. `own`: gates with special rules, which are skipped.
    fn gate_of<'f>(&self, field: &'f Field, own: &[Gate]) -> Option<&'f Gate> {
        field
            .gates
            .first()
            .filter(|gate| !own.contains(gate) && field.gates.iter().any(|gate| self.is_off(*gate)))
    }

    /// Drops the fields behind a gate that is off, unless the stored record uses one of the same gate. Recursion is bounded by the
    /// depth of the tables.
    fn by_table(
        &mut self,
        own: &[Gate],
        record: &mut Record<'_>,
        old: Option<&Record<'_>>,
        path: &Path<'_>,
    ) {
        for (field, value) in record.schema.fields.iter().zip(&mut record.slots) {
            if matches!(value, FieldValue::Unset) {
                continue;
            }
            let field_path = path.field(field.json);
            if let Some(gate) = self.gate_of(field, own)
                && !old.is_some_and(|old| uses(old, *gate))
            {
                *value = FieldValue::Unset;
                self.found.push(DroppedField {
                    gate: *gate,
                    steps: field_path.steps(),
                });
                continue;
            }
            match value {
                FieldValue::Struct(inner) => self.by_table(own, inner, old, &field_path),
                FieldValue::List(items) => {
                    for (index, item) in items.iter_mut().enumerate() {
                        if let FieldValue::Struct(item) = item {
                            self.by_table(own, item, old, &field_path.index(index));
                        }
                    }
                }
                FieldValue::Entries(entries) => {
                    for (name, entry) in entries {
                        if let FieldValue::Struct(entry) = entry {
                            self.by_table(own, entry, old, &field_path.key(name));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn field(&mut self, gate: Gate, record: &mut Record<'_>, name: &str, path: &Path<'_>) {
        if !matches!(record.take(name), FieldValue::Unset) {
            self.found.push(DroppedField {
                gate,
                steps: path.field(name).steps(),
            });
        }
    }

    /// Drops a field of every exact request, and of every alternative that has it.
    fn requests(&mut self, gate: Gate, devices: &mut Record<'_>, name: &str, path: &Path<'_>) {
        let requests = path.field("requests");
        for (index, request) in devices.records_mut("requests").enumerate() {
            let at = requests.index(index);
            let alternatives = at.field("firstAvailable");
            for (index, alternative) in request.records_mut("firstAvailable").enumerate() {
                self.field(gate, alternative, name, &alternatives.index(index));
            }
            if request.schema.slot("exactly").is_none() {
                self.field(gate, request, name, &at);
            } else if let Some(exactly) = request.inner_mut("exactly") {
                self.field(gate, exactly, name, &at.field("exactly"));
            }
        }
    }

    /// Drops a field of every result of an allocation.
    fn results(&mut self, gate: Gate, status: &mut Record<'_>, name: &str, results: &Path<'_>) {
        let allocation = status.inner_mut("allocation");
        let devices = allocation.and_then(|allocation| allocation.inner_mut("devices"));
        let Some(devices) = devices else {
            return;
        };
        for (index, result) in devices.records_mut("results").enumerate() {
            self.field(gate, result, name, &results.index(index));
        }
    }

    /// Drops fields of requests and constraints. `stored`: those of the stored object; `to`: the steps to the spec of the claim.
    fn claim_spec(
        &mut self,
        new: &mut Record<'_>,
        old: Option<&Record<'_>>,
        stored: DeviceClaim<'_>,
        part: WrittenPart,
        to: &[&str],
    ) {
        if part == WrittenPart::Status {
            return;
        }
        let spec = Path::ROOT.field("spec");
        let inner = spec.field("spec");
        let above = if to.len() > 1 { &inner } else { &spec };
        let path = above.field("devices");
        let Some(devices) = at_mut(new, to).and_then(|spec| spec.inner_mut("devices")) else {
            return;
        };
        let used = Used::of(stored);
        let in_status = StatusUse::of(
            ResourceClaim::of(old.filter(|_| self.v.status_counts_for_spec)).status(),
        );
        if self.v.drops_tolerations && self.is_off(Gate::DRADeviceTaints) && !used.tolerations {
            self.requests(Gate::DRADeviceTaints, devices, "tolerations", &path);
        }
        if self.is_off(Gate::DRAAdminAccess) && !used.admin && !in_status.admin {
            self.requests(Gate::DRAAdminAccess, devices, "adminAccess", &path);
        }
        if self.is_off(Gate::DRAConsumableCapacity) && !used.capacity && !in_status.capacity {
            self.requests(Gate::DRAConsumableCapacity, devices, "capacity", &path);
            if self.v.drops_distinct {
                for (index, constraint) in devices.records_mut("constraints").enumerate() {
                    let constraints = path.field("constraints");
                    self.field(
                        Gate::DRAConsumableCapacity,
                        constraint,
                        "distinctAttribute",
                        &constraints.index(index),
                    );
                }
            }
        }
    }

    fn claim_status(&mut self, new: &mut Record<'_>, old: Option<&Record<'_>>) {
        let stored = ResourceClaim::of(old);
        let (used, in_status) = (
            Used::of(stored.spec().devices()),
            StatusUse::of(stored.status()),
        );
        let Some(status) = new.inner_mut("status") else {
            return;
        };
        let path = Path::ROOT.field("status");
        let allocation = path.field("allocation");
        let devices = allocation.field("devices");
        let results = devices.field("results");
        if self.is_off(Gate::DRAAdminAccess) && !used.admin && !in_status.admin {
            self.results(Gate::DRAAdminAccess, status, "adminAccess", &results);
        }
        let drops_capacity =
            self.is_off(Gate::DRAConsumableCapacity) && !used.capacity && !in_status.capacity;
        if drops_capacity {
            for name in ["shareID", "consumedCapacity"] {
                self.results(Gate::DRAConsumableCapacity, status, name, &results);
            }
        }
        let binding = Gate::DRADeviceBindingConditions;
        let drops_binding = if self.v.drops_timestamp {
            // Drivers report these conditions in the status of devices, so its gate counts, too.
            let is_off = self.is_off(binding) || self.is_off(Gate::DRAResourceClaimDeviceStatus);
            is_off && !in_status.binding_or_time
        } else {
            self.is_off(binding) && !in_status.binding
        };
        if drops_binding {
            for name in ["bindingConditions", "bindingFailureConditions"] {
                self.results(binding, status, name, &results);
            }
            if self.v.drops_timestamp
                && let Some(inner) = status.inner_mut("allocation")
            {
                self.field(binding, inner, "allocationTimestamp", &allocation);
            }
        }
        let gate = Gate::DRAResourceClaimDeviceStatus;
        if self.is_off(gate) && !in_status.devices {
            self.field(gate, status, "devices", &path);
        }
        if drops_capacity {
            for (index, device) in status.records_mut("devices").enumerate() {
                self.field(
                    Gate::DRAConsumableCapacity,
                    device,
                    "shareID",
                    &path.field("devices").index(index),
                );
            }
        }
    }

    /// Drops the control plane controllers of 1.31.
    fn controllers(&mut self, new: &mut Record<'_>, old: Option<&Record<'_>>, part: WrittenPart) {
        let gate = Gate::DRAControlPlaneController;
        if !self.is_off(gate) {
            return;
        }
        let before = !ResourceClaim::of(old).spec().controller().is_empty();
        let stored = ResourceClaim::of(old).status();
        if part == WrittenPart::Object {
            if !before && let Some(spec) = new.inner_mut("spec") {
                self.field(gate, spec, "controller", &Path::ROOT.field("spec"));
            }
            return;
        }
        let Some(status) = new.inner_mut("status") else {
            return;
        };
        let path = Path::ROOT.field("status");
        if !before
            && stored.allocation().is_none()
            && let Some(allocation) = status.inner_mut("allocation")
        {
            self.field(gate, allocation, "controller", &path.field("allocation"));
        }
        let allocation = ResourceClaimStatus::new(status).allocation();
        let controlled = allocation.is_some_and(|allocation| !allocation.controller().is_empty());
        if !stored.deallocation_requested() && !controlled {
            self.field(gate, status, "deallocationRequested", &path);
        }
    }

    fn lists_of_attributes(&mut self, new: &mut Record<'_>, old: Option<&Record<'_>>) {
        let gate = Gate::DRAListTypeAttributes;
        if !self.is_off(gate) {
            return;
        }
        let old_devices = ResourceSlice::of(old).spec().devices();
        let has_lists = old_devices.iter().any(|device| {
            let attributes = device.attributes();
            attributes
                .iter()
                .any(|(_, attribute)| attribute.has_lists())
        });
        if has_lists {
            return;
        }
        let Some(spec) = new.inner_mut("spec") else {
            return;
        };
        let spec_path = Path::ROOT.field("spec");
        let devices_path = spec_path.field("devices");
        for (index, device) in spec.records_mut("devices").enumerate() {
            let device_path = devices_path.index(index);
            let attributes_path = device_path.field("attributes");
            let Some(FieldValue::Entries(entries)) = device.get_mut("attributes") else {
                continue;
            };
            for (name, entry) in entries {
                if let FieldValue::Struct(entry) = entry
                    && DeviceAttribute::new(entry).has_lists()
                {
                    let attribute_path = attributes_path.key(name);
                    for name in ["ints", "bools", "strings", "versions"] {
                        self.field(gate, entry, name, &attribute_path);
                    }
                }
            }
        }
    }
}

/// The features that the requests of a stored spec use.
#[derive(Default)]
struct Used {
    admin: bool,
    tolerations: bool,
    capacity: bool,
}

impl Used {
    fn of(devices: DeviceClaim<'_>) -> Self {
        let mut used = Used::default();
        for request in devices.requests().iter() {
            for one in request.first_available().iter().chain(request.exact()) {
                used.admin |= one.has_admin_access();
                used.tolerations |= !one.tolerations().is_empty();
                used.capacity |= one.capacity().is_some();
            }
        }
        used.capacity |= devices
            .constraints()
            .iter()
            .any(|constraint| constraint.distinct_attribute().is_some());
        used
    }
}

/// The features that a stored status uses.
#[derive(Default)]
struct StatusUse {
    admin: bool,
    capacity: bool,
    binding: bool,
    binding_or_time: bool,
    devices: bool,
}

impl StatusUse {
    fn of(status: ResourceClaimStatus<'_>) -> Self {
        let mut used = StatusUse {
            devices: !status.devices().is_empty(),
            ..StatusUse::default()
        };
        used.capacity |= status
            .devices()
            .iter()
            .any(|device| device.share_id().is_some());
        let Some(allocation) = status.allocation() else {
            return used;
        };
        used.binding_or_time |= allocation.has_allocation_timestamp();
        for result in allocation.devices().results().iter() {
            used.admin |= result.has_admin_access();
            used.capacity |= result.share_id().is_some() || result.has_consumed_capacity();
            for conditions in [
                result.binding_conditions(),
                result.binding_failure_conditions(),
            ] {
                used.binding |= !matches!(conditions.slot().value(), FieldValue::Unset);
                used.binding_or_time |= !conditions.is_empty();
            }
        }
        used
    }
}

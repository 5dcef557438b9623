//! Fields that the server throws away because a feature gate is off.
//!
//! A gate does not touch what the stored object uses already: one use of the feature keeps all. Source:
//! `pkg/registry/resource/<kind>/strategy.go`, `dropDisabledFields`.

use crate::api::{DeviceKind, Gate};
use crate::finding::Step;
use crate::record::{Record, Value};
use crate::rules::context::Context;
use crate::rules::device::variant::Variant;

/// A field that was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The gate that is off.
    pub gate: Gate,
    /// Where it stood in the hub.
    pub steps: Vec<Step>,
}

/// What is done with the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A create, or an update of the whole object.
    Object,
    /// A status update.
    Status,
}

struct Drops<'c> {
    context: &'c Context,
    v: &'static Variant,
    found: Vec<Dropped>,
}

/// Drops what is disabled, in the hub's shape.
pub fn apply(kind: DeviceKind, new: &mut Record<'_>, old: Option<&Record<'_>>, part: Part, context: &Context) -> Vec<Dropped> {
    let mut drops = Drops { context, v: Variant::of(context.release), found: Vec::new() };
    match kind {
        DeviceKind::ResourceClaim => {
            drops.claim_spec(new, old, part, &["spec"]);
            if part == Part::Status {
                drops.claim_status(new, old);
            }
            if drops.v.controllers {
                drops.controllers(new, old, part);
            }
        }
        DeviceKind::ResourceClaimTemplate => drops.claim_spec(new, old, part, &["spec", "spec"]),
        DeviceKind::DeviceClass => {
            for (gate, field) in
                [(Gate::DRAControlPlaneController, "suitableNodes"), (Gate::DRAExtendedResource, "extendedResourceName")]
            {
                let used = old.and_then(|old| old.record("spec")).is_some_and(|spec| spec.has(field));
                if drops.is_off(gate)
                    && !used
                    && let Some(spec) = new.inner_mut("spec")
                {
                    drops.field(gate, spec, field, &[key("spec")]);
                }
            }
        }
        DeviceKind::ResourceSlice => drops.slice(new, old),
        DeviceKind::DeviceTaintRule | DeviceKind::PodSchedulingContext | DeviceKind::ResourcePoolStatusRequest => {}
    }
    drops.found
}

fn key(name: &str) -> Step {
    Step::Key(name.to_owned())
}

fn below(path: &[Step], more: &[Step]) -> Vec<Step> {
    path.iter().chain(more).cloned().collect()
}

/// The struct at some steps.
fn at<'r>(record: &'r Record<'r>, steps: &[&str]) -> Option<&'r Record<'r>> {
    steps.iter().try_fold(record, |record, name| record.record(name))
}

fn at_mut<'r, 't>(record: &'r mut Record<'t>, steps: &[&str]) -> Option<&'r mut Record<'t>> {
    steps.iter().try_fold(record, |record, name| record.inner_mut(name))
}

/// The exact part of a request: itself where requests are flat.
fn exact<'r>(request: &'r Record<'r>) -> Option<&'r Record<'r>> {
    if request.schema.slot("exactly").is_some() { request.record("exactly") } else { Some(request) }
}

impl Drops<'_> {
    fn is_off(&self, gate: Gate) -> bool {
        gate.default_in(self.context.release).is_some() && !self.context.gates.on(gate)
    }

    fn field(&mut self, gate: Gate, record: &mut Record<'_>, name: &str, path: &[Step]) {
        if record.schema.slot(name).is_some() && record.has(name) {
            record.set(name, Value::Unset);
            self.found.push(Dropped { gate, steps: below(path, &[key(name)]) });
        }
    }

    /// Drops fields of every exact request and, if it says so, of every alternative.
    fn requests(&mut self, gate: Gate, devices: &mut Record<'_>, name: &str, alternatives: bool, path: &[Step]) {
        for (index, request) in devices.records_mut("requests").enumerate() {
            let path = below(path, &[key("requests"), Step::Index(index)]);
            if alternatives {
                for (index, alternative) in request.records_mut("firstAvailable").enumerate() {
                    self.field(gate, alternative, name, &below(&path, &[key("firstAvailable"), Step::Index(index)]));
                }
            }
            if request.schema.slot("exactly").is_none() {
                self.field(gate, request, name, &path);
            } else if let Some(exactly) = request.inner_mut("exactly") {
                self.field(gate, exactly, name, &below(&path, &[key("exactly")]));
            }
        }
    }

    fn claim_spec(&mut self, new: &mut Record<'_>, old: Option<&Record<'_>>, part: Part, to: &[&str]) {
        if part == Part::Status {
            return;
        }
        let path: Vec<Step> = to.iter().map(|name| key(name)).chain([key("devices")]).collect();
        let stored = old.and_then(|old| at(old, to)).and_then(|spec| spec.record("devices"));
        let Some(devices) = at_mut(new, to).and_then(|spec| spec.inner_mut("devices")) else { return };
        let used = Used::of(stored);
        let in_status = StatusUse::of(if self.v.status_counts_for_spec { old } else { None });
        if self.is_off(Gate::DRAPrioritizedList) && !used.alternatives {
            for (index, request) in devices.records_mut("requests").enumerate() {
                let path = below(&path, &[key("requests"), Step::Index(index)]);
                self.field(Gate::DRAPrioritizedList, request, "firstAvailable", &path);
            }
        }
        if self.v.drops_tolerations && self.is_off(Gate::DRADeviceTaints) && !used.tolerations {
            self.requests(Gate::DRADeviceTaints, devices, "tolerations", true, &path);
        }
        if self.is_off(Gate::DRAAdminAccess) && !used.admin && !in_status.admin {
            self.requests(Gate::DRAAdminAccess, devices, "adminAccess", false, &path);
        }
        if self.is_off(Gate::DRAConsumableCapacity) && !used.capacity && !in_status.capacity {
            self.requests(Gate::DRAConsumableCapacity, devices, "capacity", true, &path);
            if self.v.drops_distinct {
                for (index, constraint) in devices.records_mut("constraints").enumerate() {
                    let path = below(&path, &[key("constraints"), Step::Index(index)]);
                    self.field(Gate::DRAConsumableCapacity, constraint, "distinctAttribute", &path);
                }
            }
        }
    }

    fn claim_status(&mut self, new: &mut Record<'_>, old: Option<&Record<'_>>) {
        let used = Used::of(old.and_then(|old| at(old, &["spec", "devices"])));
        let in_status = StatusUse::of(old);
        let Some(status) = new.inner_mut("status") else { return };
        let path = [key("status")];
        let allocation = below(&path, &[key("allocation")]);
        let results = below(&allocation, &[key("devices"), key("results")]);
        let mut of_results = |drops: &mut Self, gate: Gate, name: &str| {
            let Some(devices) = status.inner_mut("allocation").and_then(|allocation| allocation.inner_mut("devices")) else {
                return;
            };
            for (index, result) in devices.records_mut("results").enumerate() {
                drops.field(gate, result, name, &below(&results, &[Step::Index(index)]));
            }
        };
        if self.is_off(Gate::DRAAdminAccess) && !used.admin && !in_status.admin {
            of_results(self, Gate::DRAAdminAccess, "adminAccess");
        }
        let capacity = self.is_off(Gate::DRAConsumableCapacity) && !used.capacity && !in_status.capacity;
        if capacity {
            of_results(self, Gate::DRAConsumableCapacity, "shareID");
            of_results(self, Gate::DRAConsumableCapacity, "consumedCapacity");
        }
        let binding = Gate::DRADeviceBindingConditions;
        let both = self.v.drops_timestamp && self.is_off(Gate::DRAResourceClaimDeviceStatus);
        let in_use = if self.v.drops_timestamp { in_status.binding_or_time } else { in_status.binding };
        let unbound = (self.is_off(binding) || both) && !in_use;
        if unbound {
            of_results(self, binding, "bindingConditions");
            of_results(self, binding, "bindingFailureConditions");
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
        if capacity {
            for (index, device) in status.records_mut("devices").enumerate() {
                self.field(Gate::DRAConsumableCapacity, device, "shareID", &below(&path, &[key("devices"), Step::Index(index)]));
            }
        }
    }

    /// The control plane controllers of 1.31.
    fn controllers(&mut self, new: &mut Record<'_>, old: Option<&Record<'_>>, part: Part) {
        let gate = Gate::DRAControlPlaneController;
        if !self.is_off(gate) {
            return;
        }
        let before = old.and_then(|old| old.record("spec")).is_some_and(|spec| !spec.str("controller").is_empty());
        let stored = old.and_then(|old| old.record("status"));
        if part == Part::Object {
            if !before && let Some(spec) = new.inner_mut("spec") {
                self.field(gate, spec, "controller", &[key("spec")]);
            }
            return;
        }
        let Some(status) = new.inner_mut("status") else { return };
        if !before
            && !stored.is_some_and(|stored| stored.has("allocation"))
            && let Some(allocation) = status.inner_mut("allocation")
        {
            self.field(gate, allocation, "controller", &[key("status"), key("allocation")]);
        }
        let controlled = status.record("allocation").is_some_and(|allocation| !allocation.str("controller").is_empty());
        if !stored.is_some_and(|stored| stored.bool("deallocationRequested")) && !controlled {
            self.field(gate, status, "deallocationRequested", &[key("status")]);
        }
    }

    fn slice(&mut self, new: &mut Record<'_>, old: Option<&Record<'_>>) {
        let stored = old.and_then(|old| old.record("spec"));
        let Some(spec) = new.inner_mut("spec") else { return };
        let path = [key("spec")];
        let uses = |what: &dyn Fn(&Record<'_>) -> bool| stored.is_some_and(|spec| spec.records("devices").any(what));
        let of_devices = |drops: &mut Self, spec: &mut Record<'_>, gate: Gate, names: &[&str]| {
            for (index, device) in spec.records_mut("devices").enumerate() {
                let path = below(&path, &[key("devices"), Step::Index(index)]);
                for name in names {
                    drops.field(gate, device, name, &path);
                }
            }
        };
        let gate = Gate::DRADeviceTaints;
        if self.is_off(gate) && !uses(&|device| !device.list("taints").is_empty()) {
            of_devices(self, spec, gate, &["taints"]);
        }
        let gate = Gate::DRAPartitionableDevices;
        let names = ["consumesCounters", "nodeName", "nodeSelector", "allNodes"];
        let used = stored.is_some_and(|spec| !spec.list("sharedCounters").is_empty() || spec.has("perDeviceNodeSelection"))
            || uses(&|device| !device.list("consumesCounters").is_empty() || names.iter().skip(1).any(|name| device.has(name)));
        if self.is_off(gate) && !used {
            self.field(gate, spec, "sharedCounters", &path);
            self.field(gate, spec, "perDeviceNodeSelection", &path);
            of_devices(self, spec, gate, &names);
        }
        let gate = Gate::DRADeviceBindingConditions;
        let names = ["bindsToNode", "bindingConditions", "bindingFailureConditions"];
        let used = uses(&|device| device.has("bindsToNode") || names.iter().skip(1).any(|name| !device.list(name).is_empty()));
        if (self.is_off(gate)
            || (gate.default_in(self.context.release).is_some() && self.is_off(Gate::DRAResourceClaimDeviceStatus)))
            && !used
        {
            of_devices(self, spec, gate, &names);
        }
        let gate = Gate::DRAConsumableCapacity;
        let policy = |device: &Record<'_>| {
            let has = |entry: &Value<'_>| entry.as_record().is_some_and(|capacity| capacity.has("requestPolicy"));
            device.entries("capacity").iter().any(|(_, entry)| has(entry))
        };
        if self.is_off(gate) && !uses(&|device| device.has("allowMultipleAllocations") || policy(device)) {
            of_devices(self, spec, gate, &["allowMultipleAllocations"]);
            self.of_entries(spec, gate, "capacity", &["requestPolicy"]);
        }
        let gate = Gate::DRAListTypeAttributes;
        let lists = ["ints", "bools", "strings", "versions"];
        let listed = |device: &Record<'_>| {
            let has = |entry: &Value<'_>| entry.as_record().is_some_and(|one| lists.iter().any(|name| one.has(name)));
            device.entries("attributes").iter().any(|(_, entry)| has(entry))
        };
        if self.is_off(gate) && !uses(&listed) {
            self.of_entries(spec, gate, "attributes", &lists);
        }
        let gate = Gate::DRANodeAllocatableResources;
        let name = "nodeAllocatableResourceMappings";
        if self.is_off(gate) && !uses(&|device| !device.entries(name).is_empty()) {
            of_devices(self, spec, gate, &[name]);
        }
    }

    fn of_entries(&mut self, spec: &mut Record<'_>, gate: Gate, map: &str, names: &[&str]) {
        for (index, device) in spec.records_mut("devices").enumerate() {
            let path = [key("spec"), key("devices"), Step::Index(index), key(map)];
            let Some(Value::Entries(entries)) = device.get_mut(map) else { continue };
            for (name, entry) in entries {
                if let Value::Struct(entry) = entry {
                    let path = below(&path, &[key(name)]);
                    for name in names {
                        self.field(gate, entry, name, &path);
                    }
                }
            }
        }
    }
}

/// What the requests of a stored spec use.
#[derive(Default)]
struct Used {
    admin: bool,
    alternatives: bool,
    tolerations: bool,
    capacity: bool,
}

impl Used {
    fn of(devices: Option<&Record<'_>>) -> Self {
        let mut used = Used::default();
        let Some(devices) = devices else { return used };
        let has = |record: &Record<'_>, name: &str| record.schema.slot(name).is_some() && record.has(name);
        for request in devices.records("requests") {
            used.alternatives |= !request.list("firstAvailable").is_empty();
            for one in request.records("firstAvailable").chain(exact(request)) {
                used.admin |= has(one, "adminAccess");
                used.tolerations |= one.schema.slot("tolerations").is_some() && !one.list("tolerations").is_empty();
                used.capacity |= has(one, "capacity");
            }
        }
        used.capacity |= devices.records("constraints").any(|constraint| has(constraint, "distinctAttribute"));
        used
    }
}

/// What a stored status uses.
#[derive(Default)]
struct StatusUse {
    admin: bool,
    capacity: bool,
    binding: bool,
    binding_or_time: bool,
    devices: bool,
}

impl StatusUse {
    fn of(old: Option<&Record<'_>>) -> Self {
        let mut used = StatusUse::default();
        let Some(status) = old.and_then(|old| old.record("status")) else { return used };
        used.devices = status.schema.slot("devices").is_some() && !status.list("devices").is_empty();
        used.capacity |= status.records("devices").any(|device| device.has("shareID"));
        let Some(allocation) = status.record("allocation") else { return used };
        used.binding_or_time |= allocation.has("allocationTimestamp");
        for result in allocation.record("devices").into_iter().flat_map(|devices| devices.records("results")) {
            used.admin |= result.has("adminAccess");
            used.capacity |= result.has("shareID") || result.has("consumedCapacity");
            for name in ["bindingConditions", "bindingFailureConditions"] {
                used.binding |= result.has(name);
                used.binding_or_time |= !result.list(name).is_empty();
            }
        }
        used
    }
}

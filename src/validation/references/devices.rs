//! References of claims of the device family: classes, and attributes that constraints name and slices publish. Names in
//! expressions are checked in [`crate::cel_lints`].

use super::inventory::ObjectsByKind;
use super::{Located, References, What};
use crate::advice::locate;
use claimkit_model::finding::{Code, Finding, Step, path};
use claimkit_model::message::{Message, message};
use claimkit_model::nearest;
use claimkit_model::nearest::did_you_mean;
use claimkit_model::object::Record;
use claimkit_model::object::view::Object;
use claimkit_model::object::view::device::{
    DeviceAsk, DeviceClaim, DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice,
    ResourceSliceSpec,
};
use claimkit_model::schema::{DeviceKind, GROUP};
use claimkit_model::text::Span;
use claimkit_scheduler::allocator::extended::IMPLICIT;
use claimkit_values::order;
use std::collections::{BTreeMap, BTreeSet};

/// Names by their domain.
type Names = BTreeMap<String, BTreeSet<String>>;

/// The attributes and capacities of the text's devices, and the places that read them.
#[derive(Debug, Default)]
pub struct Devices {
    attributes: Names,
    capacity: Names,
    /// The capacities as slices write them, with or without a domain.
    written: BTreeSet<String>,
    reads: Vec<Read>,
    /// The extended resources that classes serve.
    extended: BTreeSet<String>,
}

/// A place that names an attribute or a capacity.
#[derive(Debug)]
struct Read {
    object: usize,
    path: String,
    span: Span,
    what: Named,
    /// `domain/name`; of a capacity as it is written.
    name: String,
}

/// The kind of a name.
#[derive(Clone, Copy, Debug)]
enum Named {
    Attribute,
    /// A capacity of a request, which kube-scheduler looks up in each device as it is written (`requestsContainNonExistCapacity`).
    Capacity,
}

fn key(name: &str) -> Step {
    Step::Key(name.to_owned())
}

fn below(steps: &[Step], more: &[Step]) -> Vec<Step> {
    steps.iter().chain(more).cloned().collect()
}

/// Takes an object of the device family in.
pub fn read(
    references: &mut References,
    object: Located<'_>,
    kind: DeviceKind,
    record: &Record<'_>,
) {
    let namespace = object.namespace;
    let name = Object::new(record).metadata().name();
    let root = [key("spec")];
    match kind {
        DeviceKind::ResourceSlice => {
            slice(&mut references.devices, ResourceSlice::new(record).spec())
        }
        DeviceKind::DeviceClass => {
            let extended = DeviceClass::new(record).spec().extended_resource_name();
            if let Some(extended) = extended.filter(|name| !name.is_empty()) {
                references.devices.extended.insert(extended.to_owned());
            }
        }
        DeviceKind::ResourceClaim => {
            let object_of = ResourceClaim::new(record);
            claim(
                references,
                object,
                object_of.spec().devices(),
                &root,
                ["ResourceClaim", namespace, name],
            );
            let consumers = object_of.status().reserved_for();
            for (index, consumer) in consumers.iter().enumerate() {
                if consumer.resource() == "pods" && consumer.api_group().is_empty() {
                    let what = What::Pod(references.keep([namespace, consumer.name()]));
                    let steps = [
                        key("status"),
                        key("reservedFor"),
                        Step::Index(index),
                        key("name"),
                    ];
                    references.want_at(object, what, &steps);
                }
            }
        }
        DeviceKind::ResourceClaimTemplate => {
            let devices = ResourceClaimTemplate::new(record).spec().spec().devices();
            claim(
                references,
                object,
                devices,
                &below(&root, &root),
                ["ResourceClaimTemplate", namespace, name],
            );
        }
        DeviceKind::DeviceTaintRule
        | DeviceKind::PodSchedulingContext
        | DeviceKind::ResourcePoolStatusRequest => {}
    }
}

fn claim(
    references: &mut References,
    object: Located<'_>,
    devices: DeviceClaim<'_>,
    steps: &[Step],
    identity: [&str; 3],
) {
    // Nothing is known of the requests of a claim without `devices`.
    if devices.record().is_none() {
        return;
    }
    let steps = below(steps, &[key("devices")]);
    let names = order::set(
        devices
            .requests()
            .iter()
            .map(|request| request.name().to_owned()),
    );
    references
        .requests
        .insert(identity.map(str::to_owned), names);
    for (index, request) in devices.requests().iter().enumerate() {
        let steps = below(&steps, &[key("requests"), Step::Index(index)]);
        match request.exactly() {
            Some(exactly) => ask(
                references,
                object,
                exactly,
                &below(&steps, &[key("exactly")]),
            ),
            None => ask(references, object, request.flat(), &steps),
        }
        for (index, alternative) in request.first_available().iter().enumerate() {
            ask(
                references,
                object,
                alternative,
                &below(&steps, &[key("firstAvailable"), Step::Index(index)]),
            );
        }
    }
    for (index, constraint) in devices.constraints().iter().enumerate() {
        let fields = [
            ("matchAttribute", constraint.match_attribute()),
            ("distinctAttribute", constraint.distinct_attribute()),
        ];
        for (name, value) in fields {
            if let Some(value) = value.filter(|value| value.contains('/')) {
                let steps = below(&steps, &[key("constraints"), Step::Index(index), key(name)]);
                references.names(object, Named::Attribute, value, &steps);
            }
        }
    }
}

/// Checks a part that asks for devices: an exact request or an alternative.
fn ask(references: &mut References, object: Located<'_>, ask: DeviceAsk<'_>, steps: &[Step]) {
    let class = ask.device_class_name();
    if !class.is_empty() {
        let [name] = references.keep([class]);
        references.want_at(
            object,
            What::Class("DeviceClass", name),
            &below(steps, &[key("deviceClassName")]),
        );
    }
    for name in ask
        .capacity()
        .into_iter()
        .flat_map(|capacity| capacity.requests().keys())
    {
        let steps = below(steps, &[key("capacity"), key("requests"), key(name)]);
        references.names(object, Named::Capacity, name, &steps);
    }
}

impl References {
    fn names(&mut self, object: Located<'_>, what: Named, name: &str, steps: &[Step]) {
        let span = match what {
            Named::Attribute => locate::locate(object.tree, object.item.node, steps),
            Named::Capacity => locate::locate_key(object.tree, object.item.node, steps),
        };
        self.devices.reads.push(Read {
            object: object.index,
            path: path::render(steps),
            span,
            what,
            name: name.to_owned(),
        });
    }
}

fn slice(devices: &mut Devices, spec: ResourceSliceSpec<'_>) {
    for device in spec.devices().iter() {
        let device = device.basic().unwrap_or(device);
        for name in device.capacity().keys() {
            if !devices.written.contains(name) {
                devices.written.insert(name.to_owned());
            }
        }
        add(
            &mut devices.attributes,
            spec.driver(),
            device.attributes().keys(),
        );
        add(
            &mut devices.capacity,
            spec.driver(),
            device.capacity().keys(),
        );
    }
}

/// Adds names to those of their domains; a name without one is the driver's.
fn add<'r>(names: &mut Names, driver: &str, new: impl Iterator<Item = &'r str>) {
    for name in new {
        let (domain, name) = name.split_once('/').unwrap_or((driver, name));
        if !names.contains_key(domain) {
            names.insert(domain.to_owned(), BTreeSet::new());
        }
        if let Some(known) = names.get_mut(domain).filter(|known| !known.contains(name)) {
            known.insert(name.to_owned());
        }
    }
}

/// Names what the devices have, for a name that none of them has.
fn devices_have<'n>(names: impl Iterator<Item = &'n String>) -> Message {
    let first: Vec<&str> = names.take(8).map(String::as_str).collect();
    message!(
        "reference.devices-have",
        "the devices have `{names}`; other slices may be in the cluster",
        names = first.join("`, `")
    )
}

impl Devices {
    /// Returns true if no class of the text serves an extended resource although one is expected.
    pub fn lacks_extended(&self, name: &str, inventory: &ObjectsByKind<'_>) -> bool {
        if let Some(class) = name.strip_prefix(IMPLICIT) {
            return inventory.lacks("DeviceClass", GROUP, class, "");
        }
        let domain = name.split_once('/').map(|(domain, _)| domain);
        let mut known_domains = self
            .extended
            .iter()
            .map(|known| known.split_once('/').map(|(domain, _)| domain));
        !self.extended.contains(name) && known_domains.any(|known| known == domain)
    }

    /// Returns the finding about an extended resource.
    pub fn extended(&self, name: &str) -> (Code, Message) {
        match name.strip_prefix(IMPLICIT) {
            Some(class) => {
                let message = message!(
                    "reference.implicit-class-absent",
                    "DeviceClass `{class}` serves this extended resource; the text has classes, but not this one",
                    class
                );
                (Code::ClassNotInInput, message)
            }
            None => {
                let known: Vec<&str> = self.extended.iter().map(String::as_str).collect();
                let message = message!(
                    "reference.extended-unserved",
                    "no DeviceClass of this text serves `{name}`; they serve `{known}`",
                    name,
                    known = known.join("`, `")
                );
                (Code::ExtendedResourceUnserved, message)
            }
        }
    }

    /// Reports named attributes and capacities that no slice has.
    pub fn unpublished(&self, tell: &mut dyn FnMut(Finding)) {
        if self.attributes.is_empty() && self.capacity.is_empty() {
            return;
        }
        for read in &self.reads {
            let found = match read.what {
                Named::Attribute => read
                    .name
                    .split_once('/')
                    .and_then(|(domain, name)| self.attribute(domain, name)),
                Named::Capacity => self.capacity(&read.name),
            };
            if let Some(mut finding) = found {
                finding.path = Some(read.path.clone());
                finding.span = Some(read.span);
                finding.object = Some(read.object);
                tell(finding);
            }
        }
    }

    /// Judges the name of a capacity that a request asks for.
    fn capacity(&self, written: &str) -> Option<Finding> {
        if self.written.is_empty() || self.written.contains(written) {
            return None;
        }
        let code = Code::AttributeNotInInput;
        let (domain, name) = written
            .split_once('/')
            .map_or((None, written), |(domain, name)| (Some(domain), name));
        // The same capacity, written with or without the driver.
        let other = self
            .capacity
            .iter()
            .filter(|(of, names)| domain.is_none_or(|domain| domain == *of) && names.contains(name))
            .find_map(|(of, _)| {
                let full = format!("{of}/{name}");
                [name, full.as_str()]
                    .into_iter()
                    .find(|other| *other != written && self.written.contains(*other))
                    .map(str::to_owned)
            });
        let warning = || {
            let message = message!(
                "reference.capacity-absent",
                "no device of this text has a capacity named `{name}`",
                name = written
            );
            Finding::warning(code, message)
        };
        if let Some(other) = other {
            return Some(warning().with_help(message!(
                "reference.capacity-absent-help",
                "write `{other}` as the devices do: kube-scheduler compares the whole name, not what it means",
                other
            )));
        }
        if domain.is_some_and(|domain| !self.capacity.contains_key(domain)) {
            let message = message!(
                "reference.capacity-domain-absent",
                "no slice of this text has a capacity named `{name}`, nor any of its domain",
                name = written
            );
            return Some(
                Finding::info(code, message).with_help(code.spoken_help().unwrap_or_default()),
            );
        }
        Some(match nearest_of(written, self.written.iter()) {
            Some(near) => warning().with_help(did_you_mean(near)),
            None => warning().with_help(devices_have(self.written.iter())),
        })
    }

    fn attribute(&self, domain: &str, name: &str) -> Option<Finding> {
        let code = Code::AttributeNotInInput;
        let of_domain = self.attributes.get(domain);
        if of_domain.is_some_and(|names| names.contains(name)) {
            return None;
        }
        if !self.attributes.contains_key(domain) && !self.capacity.contains_key(domain) {
            let message = message!(
                "reference.attribute-domain-absent",
                "no slice of this text has an attribute of `{domain}`",
                domain
            );
            return Some(
                Finding::info(code, message).with_help(code.spoken_help().unwrap_or_default()),
            );
        }
        let message = message!(
            "reference.attribute-absent",
            "no device of this text has the attribute `{name}` of `{domain}`",
            name,
            domain
        );
        let finding = Finding::warning(code, message);
        let capacities = self.capacity.get(domain);
        if capacities.is_some_and(|names| names.contains(name)) {
            return Some(finding.with_help(message!(
                "reference.attribute-is-capacity",
                "the devices have it under `capacity`: constraints compare attributes"
            )));
        }
        let known = self.attributes.get(domain);
        Some(match nearest_of(name, known.into_iter().flatten()) {
            Some(near) => finding.with_help(did_you_mean(near)),
            None => finding.with_help(devices_have(known.into_iter().flatten())),
        })
    }
}

/// Returns the name that is most similar, if one is similar at all.
fn nearest_of<'n>(name: &str, known: impl Iterator<Item = &'n String>) -> Option<&'n str> {
    known
        .filter_map(|known| Some((nearest::near(name, known)?, known.as_str())))
        .min()
        .map(|(_, known)| known)
}

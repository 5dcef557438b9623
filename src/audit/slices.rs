//! Slices compared with the nodes that are there, and devices with their partitions.

use super::finder::{About, Finder};
use super::{BUS_ID, newest_slices};
use claimkit_model::finding::{Code, field_path};
use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::cluster::{Cluster, DeviceAt};
use claimkit_scheduler::allocator::objects::{Device, Meta, Slice};
use claimkit_values::order;
use std::collections::{BTreeMap, BTreeSet};

/// Reports slices of absent nodes, negative counters, and partitions that nothing keeps apart.
pub fn check(cluster: &Cluster<'_>, finder: &mut Finder<'_, '_>) {
    let nodes = order::set(
        cluster
            .facts
            .nodes
            .iter()
            .map(|node| node.metadata.name.as_str()),
    );
    let uids = order::map(cluster.facts.nodes.iter().map(|node| {
        let Meta { name, uid, .. } = &node.metadata;
        (name.as_str(), uid.as_str())
    }));
    for slice in &cluster.facts.slices {
        if !nodes.is_empty() || cluster.facts.is_whole("Node") {
            absent_nodes(slice, &nodes, finder);
        }
        of_no_node(cluster, slice, finder);
        earlier_node(slice, &uids, finder);
        for (index, device) in slice.spec.devices.iter().enumerate() {
            negative(slice, index, device, finder);
        }
    }
    for (driver, pool, slices) in cluster.all_pools() {
        let newest = newest_slices(cluster, slices);
        let devices: Vec<(DeviceAt, &Device)> =
            newest.flat_map(|at| cluster.devices_of(at)).collect();
        partitions(cluster, &format!("{driver}/{pool}"), &devices, finder);
    }
}

fn about(slice: &Slice) -> About<'_> {
    About::object("ResourceSlice", &slice.metadata)
}

fn absent_nodes(slice: &Slice, nodes: &BTreeSet<&str>, finder: &mut Finder<'_, '_>) {
    if is_absent(nodes, &slice.spec.node_name) {
        let node = slice.spec.node_name.as_deref().unwrap_or_default();
        let message = message!(
            "audit.slice-node-absent",
            "slice {slice} is of node {node}, which is not there",
            slice = slice.metadata.name,
            node,
        );
        finder.tell(
            Code::SliceNodeAbsent,
            about(slice).at(field_path!["spec", "nodeName"]),
            message,
            None,
        );
    }
    let first = slice
        .spec
        .devices
        .iter()
        .enumerate()
        .find(|(_, device)| is_absent(nodes, &device.node_name));
    if let Some((index, device)) = first {
        let node = device.node_name.as_deref().unwrap_or_default();
        let count = slice
            .spec
            .devices
            .iter()
            .filter(|device| is_absent(nodes, &device.node_name))
            .count();
        let (device, name) = (&device.name, &slice.metadata.name);
        let message = if count == 2 {
            message!(
                "audit.device-nodes-absent-one",
                "device {device} of slice {slice} is of node {node}, which is not there; so is 1 more device of the slice",
                device,
                slice = name,
                node,
            )
        } else if count > 2 {
            message!(
                "audit.device-nodes-absent",
                "device {device} of slice {slice} is of node {node}, which is not there; so are {more} more devices of the slice",
                device,
                slice = name,
                node,
                more = count.saturating_sub(1),
            )
        } else {
            message!(
                "audit.device-node-absent",
                "device {device} of slice {slice} is of node {node}, which is not there",
                device,
                slice = name,
                node,
            )
        };
        let about = about(slice).at(field_path!["spec", "devices", index, "nodeName"]);
        finder.tell(Code::SliceNodeAbsent, about, message, None);
    }
}

/// Reports a slice whose node selector is true of no node.
fn of_no_node(cluster: &Cluster<'_>, slice: &Slice, finder: &mut Finder<'_, '_>) {
    let nodes = &cluster.facts.nodes;
    let Some(selector) = slice
        .spec
        .node_selector
        .as_ref()
        .filter(|_| !nodes.is_empty())
    else {
        return;
    };
    let judged = cluster.judgements.of(selector, nodes);
    if judged.error.is_some() || judged.matches.iter().any(|is_true| *is_true) {
        return;
    }
    let wanted = judged.missing.iter().find_map(Option::as_deref);
    let message = message!(
        "audit.slice-of-no-node",
        "slice {slice} is of nodes with {selector}, and no node has that",
        slice = slice.metadata.name,
        selector = wanted.unwrap_or_default(),
    );
    let help = message!(
        "audit.slice-of-no-node-help",
        "label the nodes so, or look at what the driver publishes: no pod can use the devices"
    );
    let about = about(slice).at(field_path!["spec", "nodeSelector"]);
    finder.tell(Code::SliceNodeAbsent, about, message, Some(help));
}

fn is_absent(nodes: &BTreeSet<&str>, name: &Option<String>) -> bool {
    name.as_deref()
        .is_some_and(|name| !name.is_empty() && !nodes.contains(name))
}

/// Reports a slice that belongs to a node which was replaced by another of its name. `uids`: the nodes that are there.
fn earlier_node(slice: &Slice, uids: &BTreeMap<&str, &str>, finder: &mut Finder<'_, '_>) {
    // With another owner that is there, it stays.
    let [owner] = slice.metadata.owner_references.as_slice() else {
        return;
    };
    let uid = uids.get(owner.name.as_str()).copied().unwrap_or_default();
    let is_node = (owner.api_version.as_str(), owner.kind.as_str()) == ("v1", "Node");
    if !is_node || owner.uid.is_empty() || uid.is_empty() || owner.uid == uid {
        return;
    }
    let message = message!(
        "audit.slice-of-earlier-node",
        "slice {slice} belongs to an earlier node {node}: the one that is there has another UID",
        slice = slice.metadata.name,
        node = owner.name,
    );
    let help = message!(
        "audit.slice-of-earlier-node-help",
        "the garbage collector of kube-controller-manager deletes it: if it does not, look at its log"
    );
    let about = about(slice).at(field_path!["metadata", "ownerReferences"]);
    finder.tell(Code::SliceNodeAbsent, about, message, Some(help));
}

fn negative(slice: &Slice, index: usize, device: &Device, finder: &mut Finder<'_, '_>) {
    for (at, consumption) in device.consumes_counters.iter().enumerate() {
        for (counter, amount) in consumption
            .counters
            .iter()
            .filter(|(_, amount)| amount.value.nanos() < 0)
        {
            let message = message!(
                "audit.negative-counter",
                "device {device} consumes {amount} of counter {counter} of set {set}: using it leaves others more than there is",
                device = device.name,
                amount = amount.value.text(),
                counter,
                set = consumption.counter_set,
            );
            let about = about(slice).at(field_path![
                "spec",
                "devices",
                index,
                "consumesCounters",
                at
            ]);
            finder.tell(Code::ConsumptionNegative, about, message, None);
        }
    }
}

/// The evidence that one device is a part of another.
struct Part<'f> {
    whole: &'f str,
    part: DeviceAt,
    reason: Message,
}

/// Reports devices of which one is a part of the other, as far as attributes say so, and that no common counter set keeps apart.
fn partitions(
    cluster: &Cluster<'_>,
    pool: &str,
    devices: &[(DeviceAt, &Device)],
    finder: &mut Finder<'_, '_>,
) {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, part, whole, reason) in by_parent(devices).into_iter().chain(by_address(devices)) {
        if have_common_set(part, whole) {
            continue;
        }
        let sum = count.entry(&whole.name).or_default();
        *sum = sum.saturating_add(1);
        parts.push(Part {
            whole: &whole.name,
            part: at,
            reason,
        });
    }
    // The first one of each device counts.
    order::sort_by_key(&mut parts, |part| cluster.flat(part.part));
    parts.dedup_by_key(|part| cluster.flat(part.part));
    let mut told = BTreeSet::new();
    for Part {
        whole,
        part,
        reason,
    } in parts
    {
        let Some((slice, device)) = cluster.device(part).filter(|_| told.insert(whole)) else {
            continue;
        };
        let more = count.get(whole).map_or(0, |count| count.saturating_sub(1));
        let part_name = &device.name;
        let message = if more > 0 {
            message!(
                "audit.partitions-without-counters-more",
                "devices {part} and {whole} of pool {pool} are parts of one device ({reason}) without a common counter set: both can be allocated; {more} more like this",
                part = part_name,
                whole,
                pool,
                reason,
                more,
            )
        } else {
            message!(
                "audit.partitions-without-counters",
                "devices {part} and {whole} of pool {pool} are parts of one device ({reason}) without a common counter set: both can be allocated",
                part = part_name,
                whole,
                pool,
                reason,
            )
        };
        let about = about(slice).at(field_path!["spec", "devices", part.index, "name"]);
        finder.tell(Code::PartitionsWithoutCounters, about, message, None);
    }
}

type Pair<'f> = (DeviceAt, &'f Device, &'f Device, Message);

/// Finds devices with an attribute such as `parentUUID` whose value is the attribute `uuid` of another device.
fn by_parent<'f>(devices: &[(DeviceAt, &'f Device)]) -> Vec<Pair<'f>> {
    let mut parents: Vec<((String, String), &'f Device)> = Vec::new();
    let mut children: Vec<(DeviceAt, &'f Device, &'f str, (String, String))> = Vec::new();
    for (at, device) in devices {
        for (name, value) in device.attributes.iter() {
            let Some(text) = value
                .string
                .clone()
                .or_else(|| value.int.map(|int| int.to_string()))
            else {
                continue;
            };
            let short = short_name(name);
            match short.strip_prefix("parent").filter(|rest| !rest.is_empty()) {
                Some(of) => children.push((*at, device, name, (of.to_owned(), text))),
                None if short == "uuid" || short == "pcibusid" || short == "pciaddress" => {
                    parents.push(((short, text), device));
                }
                None => {}
            }
        }
    }
    // The first device with a value counts.
    order::sort_by(&mut parents, |(one, _), (other, _)| one.cmp(other));
    let pair = |(at, device, name, key): (DeviceAt, &'f Device, &'f str, (String, String))| {
        let first = parents.partition_point(|(known, _)| *known < key);
        let (_, whole) = parents.get(first).filter(|(known, _)| *known == key)?;
        let whole: &'f Device = whole;
        if std::ptr::eq(whole, device) {
            return None;
        }
        let reason = message!(
            "audit.attribute-names-it",
            "attribute {name} names it",
            name
        );
        Some((at, device, whole, reason))
    };
    children.into_iter().filter_map(pair).collect()
}

/// Returns the last part of a name, in lower case.
fn short_name(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase()
}

/// Finds devices that have the PCI address of an earlier one and another `type`: a device, and a part of it. Parts of one type,
/// such as fixed partitions of one size, do not overlap.
fn by_address<'f>(devices: &[(DeviceAt, &'f Device)]) -> Vec<Pair<'f>> {
    let mut known: BTreeMap<&'f str, &'f Device> = BTreeMap::new();
    let mut found = Vec::new();
    for (at, device) in devices.iter().copied() {
        let Some(address) = device
            .attributes
            .get(BUS_ID)
            .and_then(|value| value.string.as_deref())
        else {
            continue;
        };
        match known.get(address) {
            Some(whole)
                if kind_of(whole).is_some()
                    && kind_of(device).is_some()
                    && kind_of(whole) != kind_of(device) =>
            {
                let reason = message!(
                    "audit.both-have-address",
                    "both have {attribute} {address}",
                    attribute = BUS_ID,
                    address
                );
                found.push((at, device, *whole, reason));
            }
            Some(_) => {}
            None => drop(known.insert(address, device)),
        }
    }
    found
}

/// Returns the attribute `type`, in whatever domain.
fn kind_of(device: &Device) -> Option<&str> {
    let (_, kind) = device
        .attributes
        .iter()
        .find(|(name, _)| name.rsplit('/').next() == Some("type"))?;
    kind.string.as_deref()
}

fn have_common_set(a: &Device, b: &Device) -> bool {
    a.consumes_counters.iter().any(|one| {
        b.consumes_counters
            .iter()
            .any(|other| other.counter_set == one.counter_set)
    })
}

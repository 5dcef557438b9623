//! Devices that are offered twice, by two drivers or by a device plugin, and parameters that no driver of a claim reads.

use super::classes::Selected;
use super::finder::{About, Finder};
use super::{BUS_ID, current, node_of};
use claimkit_model::finding::{Code, FieldPath, field_path};
use claimkit_model::message::message;
use claimkit_scheduler::allocator::binding;
use claimkit_scheduler::allocator::cluster::{Cluster, DeviceAt};
use claimkit_scheduler::allocator::objects::{ClaimSpec, Meta, Node};
use claimkit_scheduler::explain::words;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of nodes that a message names.
const MOST_NODES: usize = 3;

/// A resource of a device plugin, and the driver that publishes the same devices.
struct PluginOfDriver {
    resource: &'static str,
    driver: &'static str,
}

/// The plugins that vendors ship beside a driver, by their documentation.
const PLUGINS: [PluginOfDriver; 5] = [
    PluginOfDriver {
        resource: "nvidia.com/gpu",
        driver: "gpu.nvidia.com",
    },
    PluginOfDriver {
        resource: "amd.com/gpu",
        driver: "gpu.amd.com",
    },
    PluginOfDriver {
        resource: "gpu.intel.com/i915",
        driver: "gpu.intel.com",
    },
    PluginOfDriver {
        resource: "gpu.intel.com/xe",
        driver: "gpu.intel.com",
    },
    PluginOfDriver {
        resource: "habana.ai/gaudi",
        driver: "gaudi.intel.com",
    },
];

/// Reports what is offered twice, what failed to bind, and parameters without a reader. `selected`: the devices of the classes.
pub fn check(cluster: &Cluster<'_>, selected: &Selected, finder: &mut Finder<'_, '_>) {
    let devices = current(cluster);
    of_two_drivers(cluster, &devices, finder);
    of_plugins(cluster, &devices, selected, finder);
    for claim in &cluster.facts.claims {
        if let Some(failure) = binding::failure(claim) {
            let message = message!(
                "audit.binding-failed",
                "claim {claim} is allocated, and binding failed: {failure}",
                claim = claim.metadata.full_name(),
                failure
            );
            let about = About::object("ResourceClaim", &claim.metadata)
                .at(field_path!["status", "devices"]);
            finder.tell(Code::DeviceUnhealthy, about, message, None);
        }
        let asker = Asker {
            kind: "ResourceClaim",
            metadata: &claim.metadata,
            path: field_path!["spec"],
        };
        without_reader(cluster, selected, &asker, &claim.spec, finder);
    }
    for template in &cluster.facts.templates {
        let asker = Asker {
            kind: "ResourceClaimTemplate",
            metadata: &template.metadata,
            path: field_path!["spec", "spec"],
        };
        without_reader(cluster, selected, &asker, &template.spec.spec, finder);
    }
}

/// Reports devices of one PCI address that two drivers publish on a node.
fn of_two_drivers(cluster: &Cluster<'_>, devices: &[DeviceAt], finder: &mut Finder<'_, '_>) {
    let mut known: BTreeMap<(&str, &str), DeviceAt> = BTreeMap::new();
    let mut reported: BTreeSet<(&str, &str)> = BTreeSet::new();
    for at in devices {
        let Some((slice, device)) = cluster.device(*at) else {
            continue;
        };
        let address = device.attributes.get(BUS_ID);
        let Some((node, address)) =
            node_of(slice, device).zip(address.and_then(|value| value.string.as_deref()))
        else {
            continue;
        };
        let first_at = *known.entry((node, address)).or_insert(*at);
        let Some((first_slice, first)) = cluster.device(first_at) else {
            continue;
        };
        let first_driver = &first_slice.spec.driver;
        let driver = &slice.spec.driver;
        if first_driver == driver || !reported.insert((node, address)) {
            continue;
        }
        let message = message!(
            "audit.device-of-two-drivers",
            "device {device} of {driver} and device {other} of {other_driver} on node {node} have one PCI address, {address}: both can be allocated",
            device = first.name,
            driver = first_driver,
            other = device.name,
            other_driver = driver,
            node,
            address,
        );
        let about = About::object("ResourceSlice", &slice.metadata)
            .at(field_path!["spec", "devices", at.index, "name"]);
        finder.tell(Code::DeviceOfTwoDrivers, about, message, None);
    }
}

/// Reports resources that nodes have from a device plugin while a driver publishes the same devices there.
fn of_plugins(
    cluster: &Cluster<'_>,
    devices: &[DeviceAt],
    selected: &Selected,
    finder: &mut Finder<'_, '_>,
) {
    let mut published: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (driver, node) in devices
        .iter()
        .filter_map(|at| driver_and_node(cluster, *at))
    {
        published.entry(driver).or_default().insert(node);
    }
    let mut offered: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for PluginOfDriver { resource, driver } in &PLUGINS {
        let nodes = published.get(driver).into_iter().flatten();
        offered.entry(resource).or_default().extend(nodes);
    }
    for (class, devices) in cluster.facts.classes.iter().zip(selected) {
        let name = class.spec.extended_resource_name.as_deref();
        let Some(resource) = name.filter(|name| !name.is_empty()) else {
            continue;
        };
        let of_class = devices.iter().flatten();
        let nodes = of_class.filter_map(|at| Some(driver_and_node(cluster, *at)?.1));
        offered.entry(resource).or_default().extend(nodes);
    }
    for (resource, nodes) in offered {
        let facts = cluster.facts.nodes.iter().map(|node| &**node);
        let both: Vec<&Node> = facts
            .filter(|node| {
                let amount = node.status.allocatable.get(resource);
                amount.is_some_and(|amount| amount.nanos() > 0)
                    && nodes.contains(node.metadata.name.as_str())
            })
            .collect();
        let Some(first) = both.first() else { continue };
        let names: Vec<&str> = both
            .iter()
            .map(|node| node.metadata.name.as_str())
            .collect();
        let message = message!(
            "audit.device-of-plugin",
            "{resource} is offered by a device plugin on {nodes}, where a driver publishes the same devices: both can give them away",
            resource,
            nodes = words::some(&names, MOST_NODES),
        );
        let about = About::object("Node", &first.metadata).at(field_path!["status", "allocatable"]);
        finder.tell(Code::DeviceOfPlugin, about, message, None);
    }
}

fn driver_and_node<'f>(cluster: &Cluster<'f>, at: DeviceAt) -> Option<(&'f str, &'f str)> {
    let (slice, device) = cluster.device(at)?;
    Some((&slice.spec.driver, node_of(slice, device)?))
}

/// A claim or template, and where its `spec` of a claim is.
struct Asker<'f> {
    kind: &'static str,
    metadata: &'f Meta,
    path: FieldPath,
}

/// Reports parameters for a driver of which no request that they are for can get a device.
fn without_reader(
    cluster: &Cluster<'_>,
    selected: &Selected,
    asker: &Asker<'_>,
    spec: &ClaimSpec,
    finder: &mut Finder<'_, '_>,
) {
    for (index, config) in spec.devices.config.iter().enumerate() {
        let driver = config
            .opaque
            .as_ref()
            .and_then(|opaque| opaque.get("driver"));
        let Some(driver) = driver.and_then(Value::as_str) else {
            continue;
        };
        let Some(drivers) = drivers_of(cluster, selected, spec, &config.requests) else {
            continue;
        };
        if drivers.contains(driver) {
            continue;
        }
        let message = message!(
            "audit.config-for-no-request",
            "{kind} {name} has parameters for driver {driver}, which nobody reads: the devices of its requests are of {drivers}",
            kind = asker.kind,
            name = asker.metadata.full_name(),
            driver,
            drivers = words::some(&drivers.into_iter().collect::<Vec<_>>(), MOST_NODES),
        );
        let path = asker
            .path
            .join(&field_path!["devices", "config", index, "opaque", "driver"]);
        let about = About::object(asker.kind, asker.metadata).at(path);
        finder.tell(Code::ConfigForNoRequest, about, message, None);
    }
}

/// Returns the drivers of the devices that requests can get; `None` if those of a class are not known, or if it has none now.
fn drivers_of<'f>(
    cluster: &Cluster<'f>,
    selected: &Selected,
    spec: &ClaimSpec,
    names: &[String],
) -> Option<BTreeSet<&'f str>> {
    let mut drivers = BTreeSet::new();
    for request in &spec.devices.requests {
        let is_named = |name: &String| {
            name == &request.name || name.split('/').next() == Some(request.name.as_str())
        };
        if !names.is_empty() && !names.iter().any(is_named) {
            continue;
        }
        for ask in request.exactly.iter().chain(&request.first_available) {
            let mut classes = cluster.facts.classes.iter().zip(selected);
            let (_, devices) =
                classes.find(|(class, _)| class.metadata.name == ask.device_class_name)?;
            let devices = devices.as_ref().filter(|devices| !devices.is_empty())?;
            let slices = devices.iter().filter_map(|at| cluster.device(*at));
            drivers.extend(slices.map(|(slice, _)| slice.spec.driver.as_str()));
        }
    }
    Some(drivers)
}

//! The objects of a cluster by their names: suggestions look up many, for each node that refuses a pod.

use super::nodes::is_out_of_order;
use claimkit::PreparedCluster;
use claimkit_scheduler::allocator::objects::{Claim, Node, Pod, Template};
use std::collections::{BTreeMap, BTreeSet};

/// The objects of a cluster by their names.
#[derive(Default)]
pub struct ClusterIndex<'c> {
    /// By `namespace/name`.
    pods: BTreeMap<String, &'c Pod>,
    pods_on: BTreeMap<&'c str, Vec<&'c Pod>>,
    claims: BTreeMap<String, &'c Claim>,
    templates: BTreeMap<String, &'c Template>,
    nodes: BTreeMap<&'c str, &'c Node>,
    out_of_order: BTreeSet<&'c str>,
    /// The claims that hold devices of a node: `namespace/name`.
    claims_on: BTreeMap<&'c str, BTreeSet<String>>,
    /// The nodes that have devices of their own.
    with_devices: BTreeSet<&'c str>,
    /// Several nodes can reach some devices.
    shares_devices: bool,
    /// The capacities that devices have, by domain and name.
    capacities: BTreeSet<(&'c str, &'c str)>,
    /// The texts that devices have in an attribute: `domain/name`.
    texts: BTreeMap<String, BTreeSet<&'c str>>,
}

/// A device by its driver, pool and name.
type DeviceName<'c> = (&'c str, &'c str, &'c str);

/// Returns the claims that hold devices of nodes, by the nodes' names.
fn claims_on_nodes(cluster: &PreparedCluster) -> BTreeMap<&str, BTreeSet<String>> {
    let mut holders: BTreeMap<DeviceName<'_>, Vec<&Claim>> = BTreeMap::new();
    for claim in cluster.claims() {
        let allocation = claim.status.allocation.iter();
        let results = allocation.flat_map(|allocation| &allocation.devices.results);
        for result in results.filter(|result| result.admin_access != Some(true)) {
            let device = (&*result.driver, &*result.pool, &*result.device);
            holders.entry(device).or_default().push(claim);
        }
    }
    let mut claims_on: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for slice in cluster.slices() {
        let Some(node) = slice.spec.node_name.as_deref() else {
            continue;
        };
        for device in &slice.spec.devices {
            let name = (&*slice.spec.driver, &*slice.spec.pool.name, &*device.name);
            let held = holders.get(&name).into_iter().flatten();
            let names = held.map(|claim| claim.metadata.full_name());
            claims_on.entry(node).or_default().extend(names);
        }
    }
    claims_on
}

/// Returns the texts that devices have, by the attribute: `domain/name`.
fn texts_of_attributes(cluster: &PreparedCluster) -> BTreeMap<String, BTreeSet<&str>> {
    // Most devices have the same attributes: only the first of each is formatted.
    let mut texts: BTreeMap<AttributeName<'_>, BTreeSet<&str>> = BTreeMap::new();
    for slice in cluster.slices() {
        let driver = slice.spec.driver.as_str();
        let devices = slice.spec.devices.iter();
        for (name, attribute) in devices.flat_map(|device| device.attributes.iter()) {
            if let Some(text) = attribute.string.as_deref() {
                let name = name.split_once('/').unwrap_or((driver, name));
                texts.entry(name).or_default().insert(text);
            }
        }
    }
    texts
        .into_iter()
        .map(|((domain, id), texts)| (format!("{domain}/{id}"), texts))
        .collect()
}

/// An attribute by its domain and name.
type AttributeName<'c> = (&'c str, &'c str);

impl<'c> ClusterIndex<'c> {
    /// Looks through a cluster.
    pub fn of(cluster: &'c PreparedCluster) -> Self {
        let mut index = ClusterIndex {
            claims_on: claims_on_nodes(cluster),
            texts: texts_of_attributes(cluster),
            ..ClusterIndex::default()
        };
        for slice in cluster
            .slices()
            .filter(|slice| !slice.spec.devices.is_empty())
        {
            match slice.spec.node_name.as_deref() {
                Some(node) => _ = index.with_devices.insert(node),
                None => index.shares_devices = true,
            }
            let devices = slice.spec.devices.iter();
            let names = devices.flat_map(|device| device.capacity.keys());
            index.capacities.extend(names.map(|name| {
                let own = (slice.spec.driver.as_str(), name.as_str());
                name.split_once('/').unwrap_or(own)
            }));
        }
        for pod in cluster.pods() {
            let node = pod.spec.node_name.as_str();
            index.pods_on.entry(node).or_default().push(pod);
            // Of several objects with one name the first one counts.
            let name = pod.metadata.full_name();
            index.pods.entry(name).or_insert(pod);
        }
        for claim in cluster.claims() {
            let name = claim.metadata.full_name();
            index.claims.entry(name).or_insert(claim);
        }
        for template in cluster.templates() {
            let name = template.metadata.full_name();
            index.templates.entry(name).or_insert(template);
        }
        for node in cluster.nodes() {
            let name = node.metadata.name.as_str();
            index.nodes.entry(name).or_insert(node);
            if is_out_of_order(node) {
                index.out_of_order.insert(name);
            }
        }
        index
    }

    /// Returns a pod: `namespace/name`.
    pub fn pod(&self, name: &str) -> Option<&'c Pod> {
        self.pods.get(name).copied()
    }

    /// Returns the pods of a node.
    pub fn pods_on(&self, node: &str) -> &[&'c Pod] {
        self.pods_on.get(node).map_or(&[], Vec::as_slice)
    }

    /// Returns the claims that hold devices which only this node has: `namespace/name`.
    pub fn claims_on(&self, node: &str) -> impl Iterator<Item = &String> {
        self.claims_on.get(node).into_iter().flatten()
    }

    /// Returns true if devices have a capacity: `domain/name`.
    pub fn is_capacity(&self, path: &str) -> bool {
        let name = path.split_once('/');
        name.is_some_and(|name| self.capacities.contains(&name))
    }

    /// Returns the texts that devices have in an attribute: `domain/name`.
    pub fn texts_of(&self, path: &str) -> impl Iterator<Item = &'c str> {
        self.texts.get(path).into_iter().flatten().copied()
    }

    /// Returns true if a node has devices, or can reach some.
    pub fn may_have_devices(&self, node: &str) -> bool {
        self.shares_devices || self.with_devices.contains(node)
    }

    /// Returns a claim: `namespace/name`.
    pub fn claim(&self, name: &str) -> Option<&'c Claim> {
        self.claims.get(name).copied()
    }

    /// Returns a template of claims: `namespace/name`.
    pub fn template(&self, name: &str) -> Option<&'c Template> {
        self.templates.get(name).copied()
    }

    /// Returns a node.
    pub fn node(&self, name: &str) -> Option<&'c Node> {
        self.nodes.get(name).copied()
    }

    /// Returns true if no suggestion sends a pod to a node.
    pub fn is_out_of_order(&self, node: &str) -> bool {
        self.out_of_order.contains(node)
    }
}

//! What if: edits of the facts, after which the same question is asked again.

use super::facts::{Facts, Meta, Node, NodeResourceClaim, Slice, Taint};
use super::sorted::Set;
use serde::Deserialize;
use std::rc::Rc;

/// The label that carries a node's name.
const HOSTNAME: &str = "kubernetes.io/hostname";
/// Most nodes that are made up: each has slices of its own.
const MOST_NODES: usize = 100;

/// Changes that a question assumes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields, expecting = "an object with lists of names")]
pub struct WhatIf {
    /// Claims whose devices are given back: `namespace/name`.
    pub free: Vec<String>,
    /// Taints to remove, as kubectl writes them: `key`, `key:effect`, `key=value:effect`.
    pub untaint: Vec<String>,
    /// DeviceTaintRules to remove.
    pub without_rules: Vec<String>,
    /// Adds a copy of each of these nodes, with all devices free.
    pub nodes_like: Vec<String>,
}

/// What was changed.
#[derive(Clone, Debug, Default)]
pub struct Changed {
    /// A line of English for each change.
    pub lines: Vec<String>,
    /// Indexes of the added nodes.
    pub nodes: Vec<usize>,
}

impl WhatIf {
    /// Nothing is otherwise.
    pub fn is_empty(&self) -> bool {
        let lists = [&self.free, &self.untaint, &self.without_rules, &self.nodes_like];
        lists.iter().all(|list| list.is_empty())
    }

    /// Edits the facts, before the taints of rules are added.
    ///
    /// # Errors
    /// A named object that does not exist, or too many nodes.
    pub fn apply(&self, facts: &mut Facts) -> Result<Changed, String> {
        let mut changed = Changed::default();
        for name in &self.free {
            let found = facts.claims.iter().enumerate().find(|(_, claim)| claim.metadata.full_name() == *name);
            let (at, claim) = found.ok_or_else(|| format!("`free`: there is no ResourceClaim `{name}`"))?;
            if claim.status.allocation.is_none() {
                return Err(format!("`free`: ResourceClaim `{name}` holds no devices"));
            }
            free(facts, at);
            changed.lines.push(format!("ResourceClaim {name} holds no devices"));
        }
        for name in &self.without_rules {
            let at = facts.rules.iter().position(|rule| rule.metadata.name == *name);
            facts.rules.remove(at.ok_or_else(|| format!("`withoutRules`: there is no DeviceTaintRule `{name}`"))?);
            changed.lines.push(format!("DeviceTaintRule {name} is not there"));
        }
        for taint in &self.untaint {
            changed.lines.push(untaint(taint, facts)?);
        }
        if self.nodes_like.len() > MOST_NODES {
            return Err(format!("`nodesLike`: at most {MOST_NODES} nodes can be made up, not {}", self.nodes_like.len()));
        }
        for name in &self.nodes_like {
            let copy = add_node_like(name, facts)?;
            changed.nodes.push(facts.nodes.len().saturating_sub(1));
            changed.lines.push(format!("Node {copy} is there, like {name} with nothing in use"));
        }
        Ok(changed)
    }
}

/// Frees the devices of a claim and the node resources that they take.
pub fn free(facts: &mut Facts, claim: usize) {
    let Some(claim) = facts.claims.get_mut(claim).map(Rc::make_mut) else { return };
    claim.status.allocation = None;
    claim.status.reserved_for.clear();
    let Meta { name, namespace, .. } = &claim.metadata;
    for pod in facts.pods.iter_mut().filter(|pod| pod.metadata.namespace == *namespace) {
        let is_other = |taken: &NodeResourceClaim| taken.resource_claim_name != *name;
        if !pod.status.node_allocatable_resource_claim_statuses.iter().all(is_other) {
            Rc::make_mut(pod).status.node_allocatable_resource_claim_statuses.retain(is_other);
        }
    }
}

/// Removes a taint from all devices, and the rules that set it.
fn untaint(wanted: &str, facts: &mut Facts) -> Result<String, String> {
    let is_meant =
        |taint: &Taint| wanted == taint.key || wanted == format!("{}:{}", taint.key, taint.effect) || wanted == taint.name();
    let before = facts.rules.len();
    facts.rules.retain(|rule| !is_meant(&rule.spec.taint));
    let rules = before.saturating_sub(facts.rules.len());
    let mut devices = 0usize;
    for slice in &mut facts.slices {
        if slice.spec.devices.iter().flat_map(|device| &device.taints).any(is_meant) {
            for device in &mut Rc::make_mut(slice).spec.devices {
                let before = device.taints.len();
                device.taints.retain(|taint| !is_meant(taint));
                devices = devices.saturating_add(usize::from(device.taints.len() < before));
            }
        }
    }
    match (devices, rules) {
        (0, 0) => Err(format!("`untaint`: no driver and no DeviceTaintRule sets a taint `{wanted}`")),
        _ => Ok(format!("no device has the taint {wanted}")),
    }
}

/// Adds a copy of the named node and of the pools on that node. Slices that select nodes by label apply to the copy too. Returns
/// its name.
fn add_node_like(name: &str, facts: &mut Facts) -> Result<String, String> {
    let found = facts.nodes.iter().find(|node| node.metadata.name == *name);
    let mut node: Node = (**found.ok_or_else(|| format!("`nodesLike`: there is no Node `{name}`"))?).clone();
    let mut copy = format!("{name}-copy");
    let mut count = 1usize;
    while facts.nodes.iter().any(|node| node.metadata.name == copy) {
        count = count.saturating_add(1);
        copy = format!("{name}-copy-{count}");
    }
    node.metadata.name.clone_from(&copy);
    node.metadata.uid.clear();
    if let Some(label) = node.metadata.labels.get_mut(HOSTNAME) {
        label.clone_from(&copy);
    }
    facts.nodes.push(Rc::new(node));
    let here = facts.slices.iter().filter(|slice| is_on(slice, name));
    let copies: Vec<Slice> = here.map(|slice| moved(slice, name, &copy)).collect();
    let pools: Set<(String, String)> = copies.iter().map(pool_of).collect();
    for pool in pools.iter() {
        // The copy of an incomplete pool lacks the same number of slices.
        let newest = copies.iter().filter(|copy| pool_of(copy) == *pool).map(|copy| copy.spec.pool.generation).max();
        let is_copied = |slice: &Slice| pool_of(slice) == *pool && Some(slice.spec.pool.generation) == newest;
        let (mut have, mut here) = (0i64, 0i64);
        for slice in facts.slices.iter().filter(|slice| is_copied(slice)) {
            have = have.saturating_add(1);
            here = here.saturating_add(i64::from(is_on(slice, name)));
        }
        for slice in copies.iter().filter(|slice| pool_of(slice) == *pool) {
            let mut slice = slice.clone();
            let lacking = slice.spec.pool.resource_slice_count.saturating_sub(have);
            slice.spec.pool.resource_slice_count = here.saturating_add(lacking).max(0);
            slice.spec.pool.name = renamed(&slice.spec.pool.name, name, &copy);
            slice.metadata.name = renamed(&slice.metadata.name, name, &copy);
            facts.slices.push(Rc::new(slice));
        }
    }
    Ok(copy)
}

fn pool_of(slice: &Slice) -> (String, String) {
    (slice.spec.driver.clone(), slice.spec.pool.name.clone())
}

/// Is the slice, or one of its devices, bound to a node by name?
fn is_on(slice: &Slice, node: &str) -> bool {
    let on = |name: &Option<String>| name.as_deref() == Some(node);
    let each = slice.spec.per_device_node_selection == Some(true);
    on(&slice.spec.node_name) || each && slice.spec.devices.iter().any(|device| on(&device.node_name))
}

/// A copy of the slice for another node, with only the devices of the first node.
fn moved(slice: &Slice, from: &str, to: &str) -> Slice {
    let on = |name: &Option<String>| name.as_deref() == Some(from);
    let mut slice = slice.clone();
    if on(&slice.spec.node_name) {
        slice.spec.node_name = Some(to.to_owned());
    } else {
        slice.spec.devices.retain(|device| on(&device.node_name));
        slice.spec.devices.iter_mut().for_each(|device| device.node_name = Some(to.to_owned()));
    }
    slice
}

/// Replaces the node's name inside a name, or appends the new node's name.
fn renamed(name: &str, from: &str, to: &str) -> String {
    if name.contains(from) { name.replacen(from, to, 1) } else { format!("{name}-{to}") }
}

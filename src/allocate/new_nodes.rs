//! Nodes that do not exist yet, read from texts of their own.

use super::gathered::{Gathered, gather};
use super::node_templates::{self, DescribedNode, Describer};
use super::question::AllocateOptions;
use crate::manifest::Item;
use claimkit_model::finding::Severity;
use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::objects::Facts;
use claimkit_scheduler::allocator::objects::read::Datum;
use claimkit_scheduler::allocator::what_if::ReadNode;
use claimkit_scheduler::target::Target;
use serde_json::Value;

/// Reads the text of a node that does not exist yet, and judges its slices as the server does.
pub fn read_new_node(
    text: &str,
    options: &AllocateOptions<'_>,
    target: Target,
) -> Result<ReadNode, Message> {
    let judged = AllocateOptions {
        features: options.features,
        gates: options.gates.clone(),
        namespace: options.namespace,
        limits: options.limits,
        ..AllocateOptions::default()
    };
    let Gathered {
        input,
        facts,
        findings,
        ..
    } = gather(text.into(), &judged, target);
    if let Some(item) = input.items.iter().find(|item| !is_known(item)) {
        return Err(message!(
            "change.new-nodes-other-kind",
            "{kind} {name} is not part of a node: give it with the other objects",
            kind = item.kind,
            name = item.name
        ));
    }
    let error = findings.iter().find(|one| one.severity == Severity::Error);
    if let Some(finding) = error {
        return Err(message!(
            "change.new-nodes-unread",
            "{problem}",
            problem = finding.message
        ));
    }
    let mut read = ReadNode {
        facts,
        ..ReadNode::default()
    };
    if !input
        .items
        .iter()
        .any(|item| Describer::of(&item.api_version, &item.kind).is_some())
    {
        return Ok(read);
    }
    // Those that only slices name.
    read.facts.nodes.retain(|node| !node.assumed);
    let objects: Vec<Value> = (0..input.items.len())
        .filter_map(|at| input.deserialize(at).ok())
        .collect();
    for (item, object) in input.items.iter().zip(&objects) {
        if let Some(describer) = Describer::of(&item.api_version, &item.kind) {
            let described = node_templates::describe(describer, object, &objects)?;
            add_described(described, &mut read)?;
        }
    }
    Ok(read)
}

fn is_known(item: &Item) -> bool {
    matches!(item.kind.as_str(), "Node" | "ResourceSlice")
        || Describer::of(&item.api_version, &item.kind).is_some()
        || node_templates::is_beside(&item.api_version, &item.kind)
}

/// Adds the node that an object describes, and the devices that an autoscaler makes up for it, unless slices of their driver are given.
fn add_described(mut described: DescribedNode, read: &mut ReadNode) -> Result<(), Message> {
    let named = read
        .facts
        .slices
        .iter()
        .filter_map(|slice| slice.spec.node_name.clone());
    if let Some(name) = named.filter(|name| !name.is_empty()).min() {
        // Its devices are given for a node of this name.
        described.name = name;
    }
    let node = described.node();
    let DescribedNode {
        name,
        slices,
        lines,
        findings,
        is_open,
        ..
    } = described;
    read.facts
        .take("Node", Datum::Json(&node), None)
        .map_err(|error| {
            message!(
                "change.new-node-unusable",
                "Node `{name}` cannot be used: {error}",
                name,
                error
            )
        })?;
    let made_up: Vec<&Value> = slices
        .iter()
        .filter(|slice| !is_given(&read.facts, slice))
        .collect();
    if made_up.len() == slices.len() {
        read.lines.extend(lines);
    }
    for slice in made_up {
        read.facts.take("ResourceSlice", Datum::Json(slice), None)?;
    }
    read.findings.extend(findings);
    read.is_open |= is_open;
    Ok(())
}

fn is_given(facts: &Facts, made_up: &Value) -> bool {
    let driver = made_up.pointer("/spec/driver").and_then(Value::as_str);
    let mut given = facts.slices.iter();
    given.any(|slice| driver == Some(&slice.spec.driver))
}

//! One object's conversion: what it is, what it becomes, and where its allocation stands.

use crate::api::{Api, Version};
use crate::text::tree::{Entry, Kind, NodeId, Tree};

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// v1alpha1 to v1alpha2.
    Up,
    /// v1alpha2 to v1alpha1.
    Down,
}

/// One object, or the head of a typed List, and what it becomes.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Which way.
    pub direction: Direction,
    /// Its version.
    pub from: &'static Version,
    /// The version it gets.
    pub to: &'static Version,
    /// Its kind.
    pub kind: &'static str,
    /// The kind it gets.
    pub new_kind: &'static str,
    /// Take fields out that only the server writes.
    pub drop_server_fields: bool,
}

impl Job {
    /// The conversion of a kind; `None` if the target version has no counterpart.
    pub fn new(api: Api, to: &'static Version, drop_server_fields: bool) -> Option<Self> {
        let kind = api.kind.kind;
        let wanted = match kind {
            "PodScheduling" => "PodSchedulingContext",
            "PodSchedulingContext" => "PodScheduling",
            "PodSchedulingList" => "PodSchedulingContextList",
            "PodSchedulingContextList" => "PodSchedulingList",
            kind => kind,
        };
        let new_kind = to.kind(wanted, to.default_release())?.kind;
        let direction = if to.name == "v1alpha2" { Direction::Up } else { Direction::Down };
        Some(Job { direction, from: api.version, to, kind, new_kind, drop_server_fields })
    }

    /// The field of an allocation that has the handle in the version converted from.
    pub fn handle_field(&self) -> &'static str {
        match self.direction {
            Direction::Up => "resourceHandle",
            Direction::Down => "resourceHandles",
        }
    }

    /// The field that has it in the version converted to; unknown in the version converted from.
    pub fn new_handle_field(&self) -> &'static str {
        match self.direction {
            Direction::Up => "resourceHandles",
            Direction::Down => "resourceHandle",
        }
    }
}

/// The field of a class that only v1alpha2 has.
pub const STRUCTURED_PARAMETERS: &str = "structuredParameters";

/// True if a root key names `apiVersion` or `kind` for a reader that does not mind case, as the server's first look does.
pub fn is_type_key(key: &str, name: &str) -> bool {
    key.eq_ignore_ascii_case(name)
}

/// Values of `key` in a mapping, those that a later one replaces included.
pub fn occurrences<'t>(tree: &'t Tree<'_>, map: NodeId, key: &'t str) -> impl Iterator<Item = &'t Entry> + 't {
    tree.entries(map).iter().filter(move |entry| tree.text(entry.key) == key)
}

/// `status.driverName` of a claim; empty if it is not there.
pub fn driver_name<'t>(tree: &'t Tree<'_>, claim: NodeId) -> &'t str {
    driver_node(tree, claim).and_then(|node| tree.str(node)).unwrap_or("")
}

/// The node of `status.driverName`.
pub fn driver_node(tree: &Tree<'_>, claim: NodeId) -> Option<NodeId> {
    tree.get(tree.get(claim, "status")?, "driverName")
}

/// A handle's field as text; empty if it is not there.
pub fn text_of<'t>(tree: &'t Tree<'_>, handle: NodeId, field: &str) -> &'t str {
    tree.get(handle, field).and_then(|node| tree.str(node)).unwrap_or("")
}

/// The handle that v1alpha1 keeps: the first of the claim's driver, else the first (spec/behaviour.md §10.3).
pub fn kept_handle(tree: &Tree<'_>, handles: NodeId, driver: &str) -> usize {
    tree.items(handles).iter().position(|&handle| text_of(tree, handle, "driverName") == driver).unwrap_or(0)
}

/// True if a value counts as never given.
pub fn is_null(tree: &Tree<'_>, node: NodeId) -> bool {
    tree.kind(node) == Kind::Null
}

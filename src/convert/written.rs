//! The shape that an object has, which may be that of another version than the one it names.

use super::job;
use crate::manifest::{Input, Item};
use claimkit_model::object::decode::{self, How, StrictKind, Via};
use claimkit_model::schema::{Api, Family};
use claimkit_model::text::tree::{NodeId, Tree};

/// The shape of an object.
#[derive(Clone, Copy, Debug)]
pub enum WrittenShape {
    /// The shape of the version it names.
    Own,
    /// The shape of another version.
    Other(Api),
    /// No shape that is known.
    Unknown,
}

/// Returns the shape of an object that names a version; of several versions with this shape the nearest.
pub fn shape_of(input: &Input<'_>, item: &Item, api: Api) -> WrittenShape {
    if api.version.family != Family::Device || reads_as(input, item, api) {
        return WrittenShape::Own;
    }
    let versions: Vec<_> = job::versions()
        .filter(|version| version.family == Family::Device)
        .collect();
    let own = versions
        .iter()
        .position(|version| version.name == api.version.name)
        .unwrap_or(0);
    let fitting = versions.iter().enumerate().filter_map(|(at, &version)| {
        let kind = version.kinds.iter().find(|kind| {
            kind.object == api.kind.object && kind.items.is_some() == api.kind.items.is_some()
        })?;
        let other = Api { version, kind };
        (at != own && reads_as(input, item, other)).then_some((at.abs_diff(own), other))
    });
    match fitting.min_by_key(|(distance, _)| *distance) {
        Some((_, other)) => WrittenShape::Other(other),
        None => WrittenShape::Unknown,
    }
}

/// Returns true if the tables of a version know all fields of the object.
fn reads_as(input: &Input<'_>, item: &Item, api: Api) -> bool {
    let Some(tree) = input.tree(item) else {
        return false;
    };
    let release = job::last_release(api.version, api.kind);
    let how = How::reaching(input.mode(item), Via::Kubectl, release);
    let decoded = decode::decode(tree, item.node, api.kind.schema, api.version.name, how);
    decoded.mismatches.is_empty()
        && !decoded
            .strict
            .iter()
            .any(|strict| strict.kind == StrictKind::Unknown)
}

/// A request for one kind of device and for alternatives at once.
#[derive(Clone, Copy, Debug)]
pub struct BothKinds<'t> {
    pub node: NodeId,
    pub name: &'t str,
    /// The field of the one kind.
    pub key: &'t str,
}

/// Returns the requests of a claim or template that ask in both ways, in the shape of any version.
pub fn both_kinds<'t>(tree: &'t Tree<'_>, object: NodeId) -> Vec<BothKinds<'t>> {
    let spec = tree.get(object, "spec");
    let specs = [spec, spec.and_then(|spec| tree.get(spec, "spec"))];
    let requests = specs.into_iter().flatten().filter_map(|spec| {
        let devices = tree.get(spec, "devices")?;
        tree.get(devices, "requests")
    });
    requests
        .flat_map(|requests| tree.items(requests))
        .filter_map(|&request| {
            let alternatives = tree.get(request, "firstAvailable")?;
            if tree.items(alternatives).is_empty() {
                return None;
            }
            let key = ["exactly", "deviceClassName"]
                .into_iter()
                .find(|key| is_given(tree, request, key))?;
            Some(BothKinds {
                node: request,
                name: job::text_of(tree, request, "name"),
                key,
            })
        })
        .collect()
}

fn is_given(tree: &Tree<'_>, map: NodeId, key: &str) -> bool {
    // Servers write an empty name where there is none.
    tree.get(map, key)
        .is_some_and(|value| !job::is_null(tree, value) && tree.str(value) != Some(""))
}

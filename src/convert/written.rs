//! The shape that an object has, which may be that of another version than the one it names.

use super::job;
use crate::manifest::{Input, Item};
use claimkit_model::object::decode::{self, How, StrictKind, Via};
use claimkit_model::schema::{Api, Family};

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
    let is_unknown = |strict: &decode::Strict| strict.kind == StrictKind::Unknown;
    decoded.mismatches.is_empty() && !decoded.strict.iter().any(is_unknown)
}

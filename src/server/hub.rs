//! The shape in which the server judges an object, and the way back to what the user wrote.
//!
//! Upstream decodes every version into internal types and validates those. The versions of the classic family differ so
//! little from them that their objects are judged as they were decoded. A version that differs more is converted first, and
//! its [`PathMap`] leads from the paths that the server names to those in the text.

use crate::api::{Api, DeviceKind, ObjectKind, Release};
use crate::finding::Step;
use crate::record::Record;
use crate::server::device::convert;

/// An object as the rules see it.
#[derive(Clone, Debug)]
pub struct Hub<'t> {
    /// The object.
    pub record: Record<'t>,
    /// From its paths to those that were written.
    pub paths: PathMap,
}

impl<'t> Hub<'t> {
    /// The hub's shape of a decoded object with its defaults.
    pub fn of(api: Api, release: Release, record: Record<'t>) -> Self {
        match api.kind.object {
            ObjectKind::Classic(_) => Hub { record, paths: PathMap::default() },
            ObjectKind::Device(kind) => {
                let shape = Shape { version: api.version.name, kind, release };
                Hub { record: convert::to_hub(record, kind, release), paths: PathMap { moves: Vec::new(), shape: Some(shape) } }
            }
        }
    }
}

/// Leads from the paths of the hub to those that the user wrote. An empty map changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathMap {
    moves: Vec<Move>,
    shape: Option<Shape>,
}

/// The shape of a version of the device family: its differences from the hub are the same in every object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    version: &'static str,
    kind: DeviceKind,
    release: Release,
}

/// What stands at `hub` in the hub was written at `written`, and so was everything below it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Move {
    hub: Vec<Step>,
    written: Vec<Step>,
}

impl PathMap {
    /// Adds a field or list item that stands elsewhere in the hub than it was written.
    pub fn add(&mut self, hub: Vec<Step>, written: Vec<Step>) {
        self.moves.push(Move { hub, written });
    }

    /// The path that the user wrote; `None` where it is the hub's. The longest path that was added and leads there counts.
    pub fn written(&self, hub: &[Step]) -> Option<Vec<Step>> {
        if let Some(shape) = self.shape {
            return convert::written(shape.version, shape.kind, shape.release, hub);
        }
        let leads = |one: &&Move| hub.starts_with(&one.hub);
        let best = self.moves.iter().filter(leads).max_by_key(|one| one.hub.len())?;
        let below = hub.get(best.hub.len()..).unwrap_or_default();
        let written: Vec<Step> = best.written.iter().chain(below).cloned().collect();
        (written != hub).then_some(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(path: &str) -> Vec<Step> {
        path.split('.').map(|part| part.parse().map_or_else(|_| Step::Key(part.to_owned()), Step::Index)).collect()
    }

    #[test]
    fn the_longest_path_leads_back() {
        let mut map = PathMap::default();
        assert_eq!(map.written(&steps("spec.devices")), None);
        map.add(steps("spec.devices.requests.0.exactly"), steps("spec.devices.requests.0"));
        map.add(steps("spec.devices.requests.0.exactly.count"), steps("spec.count"));
        assert_eq!(
            map.written(&steps("spec.devices.requests.0.exactly.selectors.1")),
            Some(steps("spec.devices.requests.0.selectors.1"))
        );
        assert_eq!(map.written(&steps("spec.devices.requests.0.exactly.count")), Some(steps("spec.count")));
        assert_eq!(map.written(&steps("spec.devices.requests.1.exactly")), None);
        assert_eq!(map.written(&steps("spec")), None);
    }
}

//! The hub version in which the server validates an object, and the mapping of paths back to the user's text.
//!
//! Upstream decodes every version into internal types and validates those. Classic versions are almost identical to the internal
//! types, so their objects are validated as decoded. A version that differs more is converted first; its [`PathMap`] maps the
//! server's paths to those in the text.

use crate::apiserver::device::convert;
use claimkit_model::finding::Step;
use claimkit_model::object::Record;
use claimkit_model::schema::{Api, DeviceKind, ObjectKind, Release};

/// An object as the rules see it.
#[derive(Clone, Debug)]
pub struct Hub<'t> {
    pub record: Record<'t>,
    /// From its paths to those that were written.
    pub paths: PathMap,
}

impl<'t> Hub<'t> {
    /// Takes a decoded object into the hub's shape, with its defaults.
    pub fn of(api: Api, release: Release, record: Record<'t>) -> Self {
        match api.kind.object {
            ObjectKind::Classic(_) => Hub {
                record,
                paths: PathMap::default(),
            },
            ObjectKind::Device(kind) => {
                let shape = Shape {
                    version: api.version.name,
                    kind,
                    release,
                };
                Hub {
                    record: convert::to_hub(record, kind, release),
                    paths: PathMap {
                        moves: Vec::new(),
                        shape: Some(shape),
                    },
                }
            }
        }
    }
}

/// Maps paths of the hub to the paths that the user wrote. An empty map is the identity.
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

/// Maps the path `hub` and everything below it to `written`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Move {
    hub: Vec<Step>,
    written: Vec<Step>,
}

impl PathMap {
    /// Adds a mapping for a field or list item.
    pub fn add(&mut self, hub: Vec<Step>, written: Vec<Step>) {
        self.moves.push(Move { hub, written });
    }

    /// Returns the path that the user wrote; `None` if it equals the hub's. The longest matching mapping applies.
    pub fn written(&self, hub: &[Step]) -> Option<Vec<Step>> {
        if let Some(shape) = self.shape {
            return convert::written(shape.version, shape.kind, shape.release, hub);
        }
        let best = self
            .moves
            .iter()
            .filter(|known| hub.starts_with(&known.hub))
            .max_by_key(|known| known.hub.len())?;
        let below = hub.get(best.hub.len()..).unwrap_or_default();
        let written: Vec<Step> = best.written.iter().chain(below).cloned().collect();
        (written != hub).then_some(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(path: &str) -> Vec<Step> {
        path.split('.')
            .map(|part| {
                part.parse()
                    .map_or_else(|_| Step::Key(part.to_owned()), Step::Index)
            })
            .collect()
    }

    #[test]
    fn the_longest_path_leads_back() {
        let mut map = PathMap::default();
        assert_eq!(map.written(&steps("spec.devices")), None);
        map.add(
            steps("spec.devices.requests.0.exactly"),
            steps("spec.devices.requests.0"),
        );
        map.add(
            steps("spec.devices.requests.0.exactly.count"),
            steps("spec.count"),
        );
        assert_eq!(
            map.written(&steps("spec.devices.requests.0.exactly.selectors.1")),
            Some(steps("spec.devices.requests.0.selectors.1"))
        );
        assert_eq!(
            map.written(&steps("spec.devices.requests.0.exactly.count")),
            Some(steps("spec.count"))
        );
        assert_eq!(map.written(&steps("spec.devices.requests.1.exactly")), None);
        assert_eq!(map.written(&steps("spec")), None);
    }
}

//! One object's conversion: its kind, its target, and the place of its allocation.

use crate::manifest::{Item, What};
use claimkit_model::message::{Message, Template, message};
use claimkit_model::schema::steps::{self, Direction, Handle, StepRow, VersionStep};
use claimkit_model::schema::{Api, ApiKind, Family, Release, Struct, Version};
use claimkit_model::text::tree::{Entry, Kind, NodeId, Tree};

/// One object, or the head of a typed List, and what it becomes.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// The version that the object names.
    pub written: &'static Version,
    /// The version whose shape it has.
    pub from: &'static Version,
    /// The version it gets.
    pub to: &'static Version,
    pub kind: &'static str,
    /// The kind it gets.
    pub new_kind: &'static str,
    pub source: &'static ApiKind,
    /// The table of what it becomes.
    pub target: &'static ApiKind,
    /// The release it becomes an object of.
    pub release: Release,
    /// Take fields out that only the server writes.
    pub drop_server_fields: bool,
}

/// One step of a conversion whose shapes differ.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    pub direction: Direction,
    pub rows: &'static [StepRow],
    pub from: &'static Struct,
    pub to: &'static Struct,
}

impl Job {
    /// Returns the conversion of a kind; `None` if the target version has no counterpart.
    pub fn new(api: Api, to: &'static Version, drop_server_fields: bool) -> Option<Self> {
        if api.version.family != to.family {
            return None;
        }
        let kind = api.kind.kind;
        let (direction, steps) = steps::between(api.version, to);
        let wanted = steps
            .iter()
            .fold(kind, |kind, step| step.renamed(kind, direction));
        let target = to.kinds.iter().find(|row| row.kind == wanted)?;
        let release = last_release(to, target);
        let (from, new_kind, source) = (api.version, target.kind, api.kind);
        Some(Job {
            written: from,
            from,
            to,
            kind,
            new_kind,
            source,
            target,
            release,
            drop_server_fields,
        })
    }

    /// Makes the same conversion of an object that names another version than that of its shape.
    pub fn written_as(mut self, version: &'static Version) -> Self {
        self.written = version;
        self
    }

    /// Makes the same conversion for a release, if that has the kind in the target version.
    pub fn in_release(mut self, release: Option<Release>) -> Self {
        let served = release
            .filter(|release| self.to.served_by(*release) && self.target.in_release(*release));
        self.release = served.unwrap_or(self.release);
        self
    }

    /// Returns true if the object has the version already.
    pub fn is_settled(&self) -> bool {
        self.written.name == self.to.name && self.from.name == self.to.name
    }

    /// Returns the direction of the conversion.
    pub fn direction(&self) -> Direction {
        steps::between(self.from, self.to).0
    }

    fn schema_in(&self, version: &Version) -> Option<&'static Struct> {
        let mut rows = version.kinds.iter();
        let row = rows.find(|row| row.kind == self.kind)?;
        Some(row.schema)
    }

    fn steps(&self) -> Vec<&'static VersionStep> {
        steps::between(self.from, self.to).1
    }

    /// Returns every row between the two versions.
    pub fn rows(&self) -> Vec<&'static StepRow> {
        self.steps()
            .into_iter()
            .flat_map(|step| step.rows)
            .collect()
    }

    /// Returns why a field that only the new version has is dropped: if kept, it would take effect for the first time.
    pub fn comes_to_life(&self, name: &str) -> Message {
        message!(
            "loss.comes-to-life",
            "{from} has no field `{name}`, so its server drops it; in {to} the field would take effect",
            from = self.from.name,
            name,
            to = self.to.name
        )
    }

    /// Returns the handle that moves, if the kind has one.
    pub fn handle(&self) -> Option<Handle> {
        self.rows().into_iter().find_map(|row| match row {
            StepRow::Move(handle) if handle.of == self.kind => Some(*handle),
            _ => None,
        })
    }

    /// Returns the fields of the object that only the newer version has, and why.
    pub fn newer_only(&self) -> Vec<(&'static str, Template)> {
        let fields = self.rows().into_iter().filter_map(|row| match row {
            StepRow::Drop { of, field, reason } if *of == self.kind => Some((*field, *reason)),
            _ => None,
        });
        fields.collect()
    }

    /// Returns the steps whose shapes differ for this kind. A List's head has none: its items are objects of their own.
    pub fn passes(&self) -> Vec<Pass> {
        if self.source.items.is_some() || self.from.family != Family::Device {
            return Vec::new();
        }
        let direction = self.direction();
        let passes = self.steps().into_iter().filter_map(|step| {
            let older = self.schema_in(step.older)?;
            let newer = self.schema_in(step.newer)?;
            let (from, to) = if direction == Direction::Up {
                (older, newer)
            } else {
                (newer, older)
            };
            let differs = !step.rows.is_empty() && !std::ptr::eq(from, to);
            differs.then_some(Pass {
                direction,
                rows: step.rows,
                from,
                to,
            })
        });
        passes.collect()
    }
}

/// Returns the last release known here that has a kind in a version.
pub fn last_release(version: &Version, kind: &ApiKind) -> Release {
    kind.until
        .map_or(version.default_release(), Release::last_of)
}

/// Returns every version that texts are converted from or to.
pub fn versions() -> impl Iterator<Item = &'static Version> {
    [Family::Classic, Family::Device]
        .into_iter()
        .flat_map(|family| {
            let steps = family.steps();
            steps
                .iter()
                .map(|step| step.older)
                .chain(steps.last().map(|step| step.newer))
        })
}

/// Returns the version with an `apiVersion`; `None` if claimkit does not convert it.
///
/// ```
/// let version = claimkit::find_version("resource.k8s.io/v1").unwrap();
/// assert_eq!(version.name, "v1");
/// assert!(claimkit::find_version("apps/v1").is_none());
/// ```
pub fn find_version(api_version: &str) -> Option<&'static Version> {
    versions().find(|version| version.api_version == api_version)
}

/// Returns the first minor release that does not serve a kind in a version, as far as that is known or announced.
pub fn removed_in(version: &Version, kind: &str) -> Option<u8> {
    let kind = version.kinds.iter().find(|row| row.kind == kind)?;
    let gone = kind.until.map(|last| last.saturating_add(1));
    let version_gone = version.served.1.map(|last| last.saturating_add(1));
    gone.or(kind
        .lifecycle
        .last()
        .and_then(|lifecycle| lifecycle.removed))
        .or(version_gone)
}

/// Returns the newest version of a family that a release serves of an object's kind.
pub fn newest(from: &'static Version, kind: &str, minor: u8) -> Option<&'static Version> {
    let source = from.kinds.iter().find(|row| row.kind == kind)?;
    let serving = versions().filter(|version| {
        version.family == from.family
            && version.kinds.iter().any(|row| {
                row.object == source.object
                    && row.items.is_some() == source.items.is_some()
                    && row.since.minor.max(version.served.0) <= minor
                    && removed_in(version, row.kind).is_none_or(|removed| minor < removed)
            })
    });
    serving.last()
}

/// Returns the version and kind of an object, and the release it is read by.
pub fn api_of(item: &Item) -> Option<(Api, Release)> {
    if let What::Ours(api) = &item.what {
        return Some((*api, item.release));
    }
    let version =
        find_version(&item.api_version).filter(|version| version.family == Family::Device)?;
    let kind = version.kinds.iter().find(|row| row.kind == item.kind)?;
    Some((Api { version, kind }, last_release(version, kind)))
}

/// Returns true if a root key is `apiVersion` or `kind` for a case-insensitive reader, such as the server's first decoding.
pub fn is_type_key(key: &str, name: &str) -> bool {
    key.eq_ignore_ascii_case(name)
}

/// Returns all entries with `key` in a mapping, including those that a later duplicate replaces.
pub fn occurrences<'t>(
    tree: &'t Tree<'_>,
    map: NodeId,
    key: &'t str,
) -> impl Iterator<Item = &'t Entry> + 't {
    tree.entries(map)
        .iter()
        .filter(move |entry| tree.text(entry.key) == key)
}

/// Returns `status.driverName` of a claim; empty if it is not there.
pub fn driver_name<'t>(tree: &'t Tree<'_>, claim: NodeId) -> &'t str {
    driver_node(tree, claim)
        .and_then(|node| tree.str(node))
        .unwrap_or("")
}

/// Returns the node of `status.driverName`.
pub fn driver_node(tree: &Tree<'_>, claim: NodeId) -> Option<NodeId> {
    tree.get(tree.get(claim, "status")?, "driverName")
}

/// Returns a handle's field as text; empty if it is not there.
pub fn text_of<'t>(tree: &'t Tree<'_>, handle: NodeId, field: &str) -> &'t str {
    tree.get(handle, field)
        .and_then(|node| tree.str(node))
        .unwrap_or("")
}

/// Returns the handle that v1alpha1 keeps: the first of the claim's driver, else the first.
pub fn kept_handle(tree: &Tree<'_>, handles: NodeId, driver: &str) -> usize {
    tree.items(handles)
        .iter()
        .position(|&handle| text_of(tree, handle, "driverName") == driver)
        .unwrap_or(0)
}

/// Returns true if a value counts as never given.
pub fn is_null(tree: &Tree<'_>, node: NodeId) -> bool {
    tree.kind(node) == Kind::Null
}

//! Fields of the device family that the target version lacks, found in the tables of both versions.

use super::job::{self, Job};
use claimkit_model::finding::Path;
use claimkit_model::message::{Message, message};
use claimkit_model::schema::steps::{self, StepRow, StructChange};
use claimkit_model::schema::{Field, FieldType, Struct};
use claimkit_model::text::tree::{Entry, Kind, NodeId, Tree};

/// The struct of a device's attribute: the server refuses one without a value.
const ATTRIBUTE: &str = "DeviceAttribute";

/// A field that goes.
pub struct Gone<'g> {
    /// The mapping that contains the field.
    pub map: NodeId,
    /// The entry whose value that mapping is.
    pub holder: Option<&'g Entry>,
    pub entry: &'g Entry,
    /// The field that is lost: the entry, or the only field of an attribute that goes with it.
    pub lost: &'g Entry,
    /// The path of the struct or map of the lost field.
    pub parent: &'g Path<'g>,
    pub reason: Message,
}

/// The fate of a field in the conversion.
pub enum Fate {
    /// It stays, or neither version has it.
    Stays(Option<(&'static FieldType, &'static FieldType)>),
    /// It is a struct whose fields move up one level.
    Hoisted(&'static Struct),
    Goes(Message),
}

/// The two versions of one conversion.
pub struct Sides<'j> {
    job: &'j Job,
    rows: Vec<&'static StepRow>,
    minors: (u8, u8),
}

impl<'j> Sides<'j> {
    /// Returns the sides of a conversion.
    pub fn of(job: &'j Job) -> Self {
        let last = job::last_release(job.from, job.source).minor;
        Sides {
            job,
            rows: job.rows(),
            minors: (job.source.since.minor, last),
        }
    }

    /// Returns the field in any release that has the kind in the source version.
    fn known(&self, schema: &'static Struct, name: &str) -> Option<&'static Field> {
        let (first, last) = self.minors;
        schema.fields.iter().find(|field| {
            field.json == name
                && field.since.minor <= last
                && field.until.is_none_or(|until| until >= first)
        })
    }

    fn taken(&self, schema: &'static Struct, name: &str) -> Option<&'static Field> {
        schema.field(name, self.job.release).map(|(_, field)| field)
    }

    /// Returns the fate of a field of a struct.
    pub fn fate(&self, from: &'static Struct, to: &'static Struct, name: &str) -> Fate {
        let known = self.known(from, name);
        let rows = || self.rows.iter().copied();
        let taken_in =
            |to: &'static Struct| self.taken(to, steps::new_name(rows(), from, to, name));
        let taken = match steps::change(rows(), from, to) {
            Some(StructChange::Hoist { field, inner, .. }) if field == name => {
                return Fate::Hoisted(inner);
            }
            Some(StructChange::Wrap { into, inner, .. }) if name != into => {
                taken_in(inner).or_else(|| taken_in(to))
            }
            _ => taken_in(to),
        };
        match (known, taken) {
            (Some(source), Some(target)) => Fate::Stays(Some((&source.ty, &target.ty))),
            (None, None) => Fate::Stays(None),
            (None, Some(_)) => Fate::Goes(self.job.comes_to_life(name)),
            (Some(source), None) => {
                let version = self.job.to.name;
                let last = job::last_release(self.job.to, self.job.target).minor;
                let reason = if source.since.minor > last {
                    message!(
                        "loss.field-too-new",
                        "the field came in Kubernetes 1.{since}, the last release with {version} is 1.{last}",
                        since = source.since.minor,
                        version,
                        last
                    )
                } else if source.since > self.job.release {
                    message!(
                        "loss.field-later",
                        "the field came in Kubernetes 1.{since}",
                        since = source.since.minor
                    )
                } else {
                    match source.until {
                        Some(until) => {
                            message!(
                                "loss.field-gone",
                                "the last release with the field is Kubernetes 1.{until}",
                                until
                            )
                        }
                        None => message!(
                            "loss.no-field",
                            "{version} has no field `{name}`",
                            version,
                            name
                        ),
                    }
                };
                Fate::Goes(reason)
            }
        }
    }

    /// Returns the first lost field of an attribute, and why, if the target version has none of its fields: it refuses an attribute
    /// without a value. `None`: the attribute stays.
    pub fn goes_with_its_fields(
        &self,
        tree: &Tree<'_>,
        node: NodeId,
        from: &'static FieldType,
        to: &'static FieldType,
    ) -> Option<(Entry, Message)> {
        let (FieldType::Struct(from), FieldType::Struct(to)) = (pointee(from), pointee(to)) else {
            return None;
        };
        if from.go != ATTRIBUTE {
            return None;
        }
        let mut found = None;
        for entry in tree.entries(node) {
            let name = tree.text(entry.key);
            let Fate::Goes(reason) = self.fate(from, to, name) else {
                return None;
            };
            if found.is_none() && !job::is_null(tree, entry.value) {
                let reason = message!(
                    "loss.nothing-left",
                    "{reason}; the attribute goes with it, for it has no other value",
                    reason
                );
                found = Some((*entry, reason));
            }
        }
        found
    }

    /// Returns why only the amount of a capacity is kept.
    pub fn amount_only(&self) -> Message {
        message!(
            "loss.amount-only",
            "a capacity of {version} is an amount and nothing else",
            version = self.job.to.name
        )
    }
}

/// Returns a type without its pointers.
pub fn pointee(mut ty: &'static FieldType) -> &'static FieldType {
    while let FieldType::Pointer(inner) = ty {
        ty = inner;
    }
    ty
}

/// Whether fields with the value null count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    Included,
    LeftOut,
}

/// Calls with every field of an object that goes.
pub fn lost(
    tree: &Tree<'_>,
    object: NodeId,
    job: &Job,
    nulls: Nulls,
    mut each: impl FnMut(Gone<'_>),
) {
    if job.source.items.is_some() {
        return;
    }
    let mut walk = Walk {
        tree,
        sides: Sides::of(job),
        nulls,
        each: &mut each,
    };
    walk.record(
        object,
        None,
        job.source.schema,
        job.target.schema,
        &Path::ROOT,
    );
}

struct Walk<'w, 's, 'j> {
    tree: &'w Tree<'s>,
    sides: Sides<'j>,
    nulls: Nulls,
    each: &'w mut dyn FnMut(Gone<'_>),
}

/// Recursion is bounded by the depth of the tables.
impl Walk<'_, '_, '_> {
    fn record(
        &mut self,
        map: NodeId,
        holder: Option<&Entry>,
        from: &'static Struct,
        to: &'static Struct,
        path: &Path<'_>,
    ) {
        let tree = self.tree;
        for entry in tree.entries(map) {
            let name = tree.text(entry.key);
            let here = path.field(name);
            match self.sides.fate(from, to, name) {
                Fate::Hoisted(inner) => self.record(entry.value, Some(entry), inner, to, &here),
                Fate::Stays(Some((from, to))) => {
                    self.value(Some(entry), entry.value, from, to, &here)
                }
                Fate::Stays(None) => {}
                Fate::Goes(reason) => self.gone(map, holder, entry, entry, path, reason),
            }
        }
    }

    fn gone(
        &mut self,
        map: NodeId,
        holder: Option<&Entry>,
        entry: &Entry,
        lost: &Entry,
        parent: &Path<'_>,
        reason: Message,
    ) {
        if self.nulls == Nulls::Included || !job::is_null(self.tree, entry.value) {
            (self.each)(Gone {
                map,
                holder,
                entry,
                lost,
                parent,
                reason,
            });
        }
    }

    fn value(
        &mut self,
        holder: Option<&Entry>,
        node: NodeId,
        from: &'static FieldType,
        to: &'static FieldType,
        path: &Path<'_>,
    ) {
        let tree = self.tree;
        match (pointee(from), pointee(to)) {
            (FieldType::Struct(from), FieldType::Struct(to)) => {
                self.record(node, holder, from, to, path)
            }
            (FieldType::List(from), FieldType::List(to))
                if matches!(tree.kind(node), Kind::Seq { .. }) =>
            {
                for (at, &item) in tree.items(node).iter().enumerate() {
                    self.value(None, item, from, to, &path.index(at));
                }
            }
            (FieldType::Map(from), FieldType::Map(to)) => {
                for entry in tree.entries(node) {
                    let whole =
                        self.sides
                            .goes_with_its_fields(tree, entry.value, &from.value, &to.value);
                    if let Some((lost, reason)) = whole {
                        let here = path.key(tree.text(entry.key));
                        self.gone(node, holder, entry, &lost, &here, reason);
                        continue;
                    }
                    self.value(
                        Some(entry),
                        entry.value,
                        &from.value,
                        &to.value,
                        &path.key(tree.text(entry.key)),
                    );
                }
            }
            (FieldType::Struct(_), FieldType::Quantity) => {
                for entry in tree
                    .entries(node)
                    .iter()
                    .filter(|entry| tree.text(entry.key) != "value")
                {
                    let reason = self.sides.amount_only();
                    self.gone(node, holder, entry, entry, path, reason);
                }
            }
            _ => {}
        }
    }
}

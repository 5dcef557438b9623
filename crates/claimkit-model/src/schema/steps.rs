//! The differences between adjacent versions, as rows. Text conversion and the conversion to and from the server's internal
//! types read them in both directions.
//!
//! Source of the device family's rows: kube-apiserver 1.33 to 1.36, `pkg/apis/resource/<version>/conversion.go`. Upstream has no
//! conversion between v1alpha1 and v1alpha2.

use super::{Family, Struct, Version, classic, device};
use crate::message::{Template, template};

/// Two adjacent versions of a family and their differences.
#[derive(Debug)]
pub struct VersionStep {
    pub older: &'static Version,
    pub newer: &'static Version,
    /// The differences. Fields that both versions have are not listed.
    pub rows: &'static [StepRow],
}

/// One difference, as seen on the way from the older to the newer version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepRow {
    /// A kind has another name.
    Rename {
        /// Its name in the older version.
        older: &'static str,
        /// Its name in the newer version.
        newer: &'static str,
    },
    /// A text becomes the only item of a list.
    Move(Handle),
    /// A field has another name.
    RenameField {
        /// The Go type of the struct.
        of: &'static str,
        /// Its name in the older version.
        older: &'static str,
        /// Its name in the newer version.
        newer: &'static str,
    },
    /// In the newer version, some fields of a struct are in a nested struct.
    Wrap {
        /// The Go type of the struct.
        of: &'static str,
        /// The field that holds them in the newer version.
        into: &'static str,
        /// Lists and maps that upstream copies entry by entry to the newer version: an empty one is absent there.
        copied: &'static [&'static str],
    },
    /// In the older version, some fields of a struct are in a nested struct, which is always written.
    Unwrap {
        /// The Go type of the struct.
        of: &'static str,
        /// The field that holds them in the older version.
        from: &'static str,
        /// As in [`StepRow::Wrap`].
        copied: &'static [&'static str],
    },
    /// A plain value becomes a struct with one field.
    WrapValue {
        /// The Go type of the struct.
        of: &'static str,
        /// The field that holds the value in the newer version.
        into: &'static str,
    },
    /// The older version treats zero as absent; the newer one has only absent.
    Default {
        /// The Go type of the struct.
        of: &'static str,
        field: &'static str,
    },
    /// Only the newer version has the field.
    Drop {
        /// The Go type of the struct, an object.
        of: &'static str,
        field: &'static str,
        /// Why the older version has no place for it.
        reason: Template,
    },
}

/// The resource handle of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    /// The kind whose `status.allocation` has it.
    pub of: &'static str,
    /// The text of the older version.
    pub older: &'static str,
    /// The list of the newer version.
    pub newer: &'static str,
}

impl Handle {
    /// Returns the field that holds it in the source version.
    pub fn field(&self, direction: Direction) -> &'static str {
        if direction == Direction::Up {
            self.older
        } else {
            self.newer
        }
    }

    /// Returns the field that holds it in the target version; the source version does not have it.
    pub fn new_field(&self, direction: Direction) -> &'static str {
        if direction == Direction::Up {
            self.newer
        } else {
            self.older
        }
    }
}

/// The steps of the classic family, oldest first.
pub const CLASSIC: &[VersionStep] = &[VersionStep {
    older: &classic::v1alpha1::VERSION,
    newer: &classic::v1alpha2::VERSION,
    rows: &[
        StepRow::Rename {
            older: "PodScheduling",
            newer: "PodSchedulingContext",
        },
        StepRow::Rename {
            older: "PodSchedulingList",
            newer: "PodSchedulingContextList",
        },
        StepRow::Move(Handle {
            of: "ResourceClaim",
            older: "resourceHandle",
            newer: "resourceHandles",
        }),
        StepRow::Drop {
            of: "ResourceClass",
            field: "structuredParameters",
            reason: template!(
                "loss.structured-parameters",
                "v1alpha1 has no structured parameters: there the driver's controller allocates",
            ),
        },
    ],
}];

/// The steps of the device family, oldest first.
pub const DEVICE: &[VersionStep] = &[
    VersionStep {
        older: &device::v1alpha3::VERSION,
        newer: &device::v1beta1::VERSION,
        rows: &[StepRow::WrapValue {
            of: "DeviceCapacity",
            into: "value",
        }],
    },
    VersionStep {
        older: &device::v1beta1::VERSION,
        newer: &device::v1beta2::VERSION,
        rows: &[
            StepRow::Wrap {
                of: "DeviceRequest",
                into: "exactly",
                copied: &["tolerations"],
            },
            StepRow::Unwrap {
                of: "Device",
                from: "basic",
                copied: &["attributes", "capacity", "consumesCounters", "taints"],
            },
            StepRow::Default {
                of: "ResourceSliceSpec",
                field: "nodeName",
            },
            StepRow::Default {
                of: "ResourceSliceSpec",
                field: "allNodes",
            },
        ],
    },
    VersionStep {
        older: &device::v1beta2::VERSION,
        newer: &device::v1::VERSION,
        rows: &[],
    },
];

/// The direction of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the newer version.
    Up,
    /// To the older version.
    Down,
}

impl Family {
    /// Returns the steps between adjacent versions, oldest first.
    pub fn steps(self) -> &'static [VersionStep] {
        match self {
            Family::Classic => CLASSIC,
            Family::Device => DEVICE,
        }
    }
}

/// Returns the steps from one version to another, in the order they are taken; none between families.
pub fn between(from: &Version, to: &Version) -> (Direction, Vec<&'static VersionStep>) {
    let steps = from.family.steps();
    let from_at = count_below(steps, from);
    let to_at = count_below(steps, to);
    if from.family != to.family {
        return (Direction::Up, Vec::new());
    }
    let between = steps.get(from_at.min(to_at)..from_at.max(to_at));
    let taken = between.unwrap_or_default().iter();
    if from_at <= to_at {
        (Direction::Up, taken.collect())
    } else {
        (Direction::Down, taken.rev().collect())
    }
}

/// Returns the number of steps below a version.
fn count_below(steps: &[VersionStep], version: &Version) -> usize {
    steps
        .iter()
        .take_while(|step| step.older.name != version.name)
        .count()
}

impl VersionStep {
    /// Returns the name of a kind on the other side.
    pub fn renamed(&self, kind: &'static str, direction: Direction) -> &'static str {
        let renamed = self.rows.iter().find_map(|row| match (row, direction) {
            (StepRow::Rename { older, newer }, Direction::Up) if *older == kind => Some(*newer),
            (StepRow::Rename { older, newer }, Direction::Down) if *newer == kind => Some(*older),
            _ => None,
        });
        renamed.unwrap_or(kind)
    }
}

/// The effect of the rows on a struct.
#[derive(Clone, Copy, Debug)]
pub enum StructChange {
    /// The fields of `inner` move into a new field.
    Wrap {
        into: &'static str,
        inner: &'static Struct,
        /// Written also if it holds nothing.
        always: bool,
        /// Lists and maps that become absent when empty.
        copied: &'static [&'static str],
    },
    /// The contents of a field move up to the level of the field.
    Hoist {
        field: &'static str,
        inner: &'static Struct,
        /// Lists and maps that become absent when empty.
        copied: &'static [&'static str],
    },
}

/// Returns the effect of the rows on a struct of these two shapes.
pub fn change<'r>(
    rows: impl IntoIterator<Item = &'r StepRow>,
    from: &'static Struct,
    to: &'static Struct,
) -> Option<StructChange> {
    rows.into_iter().find_map(|row| {
        let (name, older, copied) = match row {
            StepRow::Wrap { of, into, copied } if *of == from.go => (*into, false, *copied),
            StepRow::Unwrap {
                of,
                from: field,
                copied,
            } if *of == from.go => (*field, true, *copied),
            _ => return None,
        };
        // Upstream copies on the way up only.
        match (struct_in(from, name), struct_in(to, name)) {
            (None, Some(inner)) => Some(StructChange::Wrap {
                into: name,
                inner,
                always: older,
                copied: if older { &[] } else { copied },
            }),
            (Some(inner), None) => Some(StructChange::Hoist {
                field: name,
                inner,
                copied: if older { copied } else { &[] },
            }),
            _ => None,
        }
    })
}

/// Returns the struct that a field holds.
fn struct_in(schema: &'static Struct, field: &str) -> Option<&'static Struct> {
    schema.fields.get(schema.slot(field)?)?.ty.holds()
}

/// Returns the field of the newer version that wraps a plain value of the older one.
pub fn wraps_value<'r>(
    rows: impl IntoIterator<Item = &'r StepRow>,
    schema: &Struct,
) -> Option<&'static str> {
    rows.into_iter().find_map(|row| match row {
        StepRow::WrapValue { of, into } if *of == schema.go => Some(*into),
        _ => None,
    })
}

/// Returns the name that a field of `from` has in `to`.
pub fn new_name<'n, 'r>(
    rows: impl IntoIterator<Item = &'r StepRow>,
    from: &Struct,
    to: &Struct,
    name: &'n str,
) -> &'n str {
    if to.has(name) {
        return name;
    }
    let renamed = rows.into_iter().find_map(|row| match row {
        StepRow::RenameField { of, older, newer } if *of == from.go || *of == to.go => match name {
            _ if name == *older && to.has(newer) => Some(*newer),
            _ if name == *newer && to.has(older) => Some(*older),
            _ => None,
        },
        _ => None,
    });
    renamed.unwrap_or(name)
}

/// Returns true if the older version takes zero for absent in this field.
pub fn zero_is_absent<'r>(
    rows: impl IntoIterator<Item = &'r StepRow>,
    schema: &Struct,
    name: &str,
) -> bool {
    rows.into_iter().any(
        |row| matches!(row, StepRow::Default { of, field } if *of == schema.go && *field == name),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(from: &Version, to: &Version) -> Vec<(&'static str, &'static str)> {
        between(from, to)
            .1
            .iter()
            .map(|step| (step.older.name, step.newer.name))
            .collect()
    }

    #[test]
    fn steps_are_taken_in_order() {
        let (oldest, newest) = (&device::v1alpha3::VERSION, &device::v1::VERSION);
        assert_eq!(
            names(oldest, newest),
            [
                ("v1alpha3", "v1beta1"),
                ("v1beta1", "v1beta2"),
                ("v1beta2", "v1")
            ]
        );
        assert_eq!(
            names(newest, oldest),
            [
                ("v1beta2", "v1"),
                ("v1beta1", "v1beta2"),
                ("v1alpha3", "v1beta1")
            ]
        );
        assert_eq!(between(newest, oldest).0, Direction::Down);
        assert_eq!(names(newest, newest), []);
        assert_eq!(names(&classic::v1alpha1::VERSION, newest), []);
    }

    /// Checks that every step starts at the version where the previous one ends.
    #[test]
    fn the_ladder_has_no_gap() {
        for steps in [CLASSIC, DEVICE] {
            for pair in steps.windows(2) {
                assert_eq!(pair[0].newer.name, pair[1].older.name);
            }
        }
    }

    /// Checks that a row names a struct and a field that the tables have.
    #[test]
    fn rows_name_what_the_tables_have() {
        for step in CLASSIC.iter().chain(DEVICE) {
            for row in step.rows {
                let (version, of, field) = match row {
                    StepRow::Rename { older, newer } => {
                        assert!(
                            step.older.kinds.iter().any(|kind| kind.kind == *older),
                            "{older}"
                        );
                        assert!(
                            step.newer.kinds.iter().any(|kind| kind.kind == *newer),
                            "{newer}"
                        );
                        continue;
                    }
                    StepRow::Move(handle) => (step.newer, "AllocationResult", handle.newer),
                    StepRow::Wrap { of, into, .. } | StepRow::WrapValue { of, into } => {
                        (step.newer, *of, *into)
                    }
                    StepRow::Unwrap { of, from, .. } => (step.older, *of, *from),
                    StepRow::RenameField { of, newer, .. } => (step.newer, *of, *newer),
                    StepRow::Default { of, field } | StepRow::Drop { of, field, .. } => {
                        (step.newer, *of, *field)
                    }
                };
                let has = version
                    .kinds
                    .iter()
                    .any(|kind| find(kind.schema, of).is_some_and(|schema| schema.has(field)));
                assert!(has, "{of}.{field}");
            }
        }
    }

    /// Checks that a renamed field is found from both sides; names that both shapes have stay.
    #[test]
    fn fields_are_renamed_both_ways() {
        use crate::schema::{Field, FieldType, Package};
        static OLDER: Struct = Struct {
            go: "Spec",
            package: Package::Resource,
            fields: &[
                Field::new("old", "Old", FieldType::String),
                Field::new("same", "Same", FieldType::String),
            ],
        };
        static NEWER: Struct = Struct {
            go: "Spec",
            package: Package::Resource,
            fields: &[
                Field::new("new", "New", FieldType::String),
                Field::new("same", "Same", FieldType::String),
            ],
        };
        let rows = [StepRow::RenameField {
            of: "Spec",
            older: "old",
            newer: "new",
        }];
        assert_eq!(new_name(&rows, &OLDER, &NEWER, "old"), "new");
        assert_eq!(new_name(&rows, &NEWER, &OLDER, "new"), "old");
        assert_eq!(new_name(&rows, &OLDER, &NEWER, "same"), "same");
        assert_eq!(new_name(&rows, &OLDER, &NEWER, "unknown"), "unknown");
    }

    fn find(
        schema: &'static crate::schema::Struct,
        go: &str,
    ) -> Option<&'static crate::schema::Struct> {
        if schema.go == go {
            return Some(schema);
        }
        schema
            .fields
            .iter()
            .find_map(|field| field.ty.holds().and_then(|inner| find(inner, go)))
    }
}

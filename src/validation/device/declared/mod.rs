//! The generated rules of 1.37 and later, which answer in the shape of the version that a request is written in.
//!
//! `table` has the rules of each field, as the tags of the types have them; `plan` finds those of a kind, once; `check` runs them over an object; `formats` judges
//! texts. The hand-written rules run first. An error of theirs goes if a generated rule has the same error, and equal errors are reported
//! once; the generated errors follow (kube-apiserver 1.37, `staging/src/k8s.io/apiserver/pkg/registry/rest/validate.go`,
//! `ValidateDeclarativelyWithMigrationChecks`).

mod check;
mod formats;
mod plan;
mod table;

pub use formats::Format as Form;
pub use plan::forget;
pub use table::Rule;

use crate::validation::context::Context;
use crate::validation::errors::Errors;
use claimkit_model::finding::Code;
use claimkit_model::object::Record;
use claimkit_model::schema::device::v1beta1;
use claimkit_model::schema::{DeviceKind, Gate, Release, Version};
use std::borrow::Cow;

/// The codes of hand-written rules that no generated rule repeats, though one may judge the same field.
const UNCOVERED: &[Code] = &[
    Code::PartitionTypeInvalid,
    Code::SkippedOperationsInvalid,
    Code::DerivedAttributeInvalid,
];

/// Adds the generated errors about an object to the hand-written ones. `new` and `old` have the shape of `version`; `old` is the stored
/// object of an update.
pub fn run(
    version: &Version,
    new: &Record<'_>,
    old: Option<&Record<'_>>,
    context: &Context,
    errors: &mut Errors,
) {
    let mut generated = context.errors();
    check::DeclaredCheck::new(context, &mut generated).object(new, old);
    let covered: Vec<_> = generated
        .list()
        .iter()
        .map(|error| (error.cause, in_hub(version, &error.field).into_owned()))
        .collect();
    errors.append_generated(generated, |error| {
        !UNCOVERED.contains(&error.code)
            && covered
                .iter()
                .any(|(cause, field)| *cause == error.cause && *field == error.field)
    });
}

/// Returns the path in the hub's shape of a path in the shape of a version: v1beta1 has flat requests and devices below `basic`.
fn in_hub<'f>(version: &Version, field: &'f str) -> Cow<'f, str> {
    if version.name != v1beta1::VERSION.name {
        return Cow::Borrowed(field);
    }
    if let Some((device, below)) = in_list(field, &["spec.devices["]) {
        return below
            .strip_prefix(".basic")
            .map_or(Cow::Borrowed(field), |below| {
                Cow::Owned([device, below].concat())
            });
    }
    match in_list(
        field,
        &["spec.devices.requests[", "spec.spec.devices.requests["],
    ) {
        Some((_, below))
            if below.is_empty() || below == ".name" || below.starts_with(".firstAvailable") =>
        {
            Cow::Borrowed(field)
        }
        Some((request, below)) => Cow::Owned([request, ".exactly", below].concat()),
        None => Cow::Borrowed(field),
    }
}

fn in_list<'f>(field: &'f str, lists: &[&str]) -> Option<(&'f str, &'f str)> {
    let rest = lists.iter().find_map(|list| field.strip_prefix(list))?;
    let (_, below) = rest.split_once(']')?;
    Some((field.strip_suffix(below)?, below))
}

/// Returns true for a name with a domain that a release takes for well-formed. The written rules that ask this lower the domain first
/// (kube-apiserver, pkg/apis/core/validation/validation.go, `ValidateCSIDriverName`); the generated ones do not.
pub fn is_fully_qualified(name: &str, release: Release) -> bool {
    let lowered = match name.split_once('/') {
        Some((domain, rest)) => format!("{}/{rest}", domain.to_lowercase()),
        None => name.to_owned(),
    };
    formats::faults(formats::Format::FullyQualifiedName, &lowered, release).is_empty()
}

/// Returns the generated rules of a field in a release that are enforced whatever the gate DeclarativeValidationBeta says, by the
/// Go type of its struct.
pub fn of(schema: &str, field: &str, release: Release) -> &'static [Rule] {
    let alias = table::ALIASES
        .iter()
        .find(|(there, _)| *there == schema)
        .map_or(schema, |(_, here)| here);
    let newest = table::DECLARED.iter().rev().find(|row| {
        row.field == field && row.since <= release.minor && (row.of == schema || row.of == alias)
    });
    newest
        .filter(|row| row.stage == table::RuleStage::Stable)
        .map_or(&[], |row| row.rules)
}

/// Returns true for the kinds that have generated rules which are enforced.
pub fn judges(kind: DeviceKind) -> bool {
    kind != DeviceKind::PodSchedulingContext
}

/// Returns true if the generated rules of beta stage are enforced.
fn beta(context: &Context) -> bool {
    context.gates.on(Gate::DeclarativeValidationBeta)
}

#[cfg(test)]
mod tests {
    use super::*;
    use claimkit_model::schema::device::v1;

    #[test]
    fn paths_of_v1beta1_lead_to_the_hub() {
        for (written, hub) in [
            (
                "spec.devices.requests[0].allocationMode",
                "spec.devices.requests[0].exactly.allocationMode",
            ),
            (
                "spec.spec.devices.requests[0].tolerations[1].key",
                "spec.spec.devices.requests[0].exactly.tolerations[1].key",
            ),
            (
                "spec.devices.requests[0].name",
                "spec.devices.requests[0].name",
            ),
            ("spec.devices.requests[0]", "spec.devices.requests[0]"),
            (
                "spec.devices.requests[0].firstAvailable[1].selectors",
                "spec.devices.requests[0].firstAvailable[1].selectors",
            ),
            (
                "spec.devices.constraints[0].requests[1]",
                "spec.devices.constraints[0].requests[1]",
            ),
            (
                "spec.devices[0].basic.taints[0].effect",
                "spec.devices[0].taints[0].effect",
            ),
            (
                "spec.devices[0].basic.attributes[a/b]",
                "spec.devices[0].attributes[a/b]",
            ),
            ("spec.pool.name", "spec.pool.name"),
        ] {
            assert_eq!(in_hub(&v1beta1::VERSION, written), hub);
        }
        assert_eq!(
            in_hub(&v1::VERSION, "spec.devices[0].basic"),
            "spec.devices[0].basic"
        );
    }
}

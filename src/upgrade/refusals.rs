//! Writes that the new release refuses, and fields that it does not keep, though the old release takes them.

use super::{TroubleFound, UpgradeQuestion, UpgradeSide, UpgradeSubject};
use crate::apiserver::FieldValidation;
use crate::apiserver::options::{Operation, ValidateOptions};
use crate::apiserver::text::validate;
use crate::convert::{check, losses};
use crate::manifest::{Input, Item, What};
use crate::validation::device::variant::Variant;
use claimkit_model::finding::{Code, Finding, Origin, Severity};
use claimkit_model::message::{Message, Words, message};
use claimkit_model::object::decode::Via;
use claimkit_model::schema::Family;
use claimkit_model::schema::steps::StepRow;
use std::collections::{BTreeMap, BTreeSet};

/// A way in which an object is written next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Write {
    /// As a new object, or with its spec changed.
    New,
    /// With nothing of it changed but its metadata.
    Unchanged,
    /// Its status, with nothing of it changed.
    Status,
}

/// The fault of a write.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fault {
    object: usize,
    write: Write,
    code: Code,
    /// The path without indices, keys and what only some versions have.
    place: String,
}

/// The faults of one kind.
#[derive(Default)]
struct Group {
    objects: BTreeSet<usize>,
    writes: BTreeSet<Write>,
    /// The words about the first of them.
    first: Words,
    help: Option<Words>,
}

/// A kind of fault: the kind of the objects, the code, and the place of the faults.
type Kind<'q> = (&'q str, Code, String);

/// Finds what the new release refuses or does not keep.
pub fn check(question: &UpgradeQuestion<'_, '_>, moved: &str, found: &mut Vec<TroubleFound>) {
    refused_before(question, found);
    let mut refused: BTreeMap<Kind<'_>, Group> = BTreeMap::new();
    let mut lost: BTreeMap<Kind<'_>, Group> = BTreeMap::new();
    let mut unlimited: BTreeSet<usize> = BTreeSet::new();
    let writes: &[Write] = match question.subject {
        UpgradeSubject::Stored => &[Write::New, Write::Unchanged, Write::Status],
        UpgradeSubject::Manifests => &[Write::New],
    };
    for write in writes {
        let before = faults_before(question, moved, *write);
        for (fault, finding) in faults(question, moved, &question.to, *write) {
            let Some(item) = question.input.items.get(fault.object) else {
                continue;
            };
            // Equal names are no question of the release: several files may be for several clusters.
            if before.contains(&fault) || fault.code == Code::AlreadyExists {
                continue;
            }
            let is_lost = matches!(fault.code, Code::UnknownField | Code::FieldDropped);
            if is_lost && is_only_limit(question, item, &finding) {
                unlimited.insert(fault.object);
                continue;
            }
            let groups = if is_lost { &mut lost } else { &mut refused };
            let kind = (item.kind.as_str(), fault.code, fault.place);
            let group = groups.entry(kind).or_default();
            if group.objects.is_empty() {
                group.first = finding.message;
                group.help = finding.help;
            }
            group.objects.insert(fault.object);
            group.writes.insert(fault.write);
        }
    }
    for ((kind, _, place), group) in refused {
        let message = refusal(question, kind, &place, &group);
        found.push(refused_objects(message, group));
    }
    for ((kind, code, _), group) in lost {
        found.push(loss(question, kind, code, group));
    }
    if !unlimited.is_empty() {
        found.push(tainting_all(question, unlimited));
    }
}

/// Reports the objects that the old release cannot read, and manifests that it refuses: the other questions leave them out.
fn refused_before(question: &UpgradeQuestion<'_, '_>, found: &mut Vec<TroubleFound>) {
    let from = question.from.release();
    let mut unread: BTreeMap<usize, Words> = BTreeMap::new();
    let mut refused: BTreeMap<usize, Words> = BTreeMap::new();
    for finding in judged(question, question.text, &question.from, Write::New) {
        // What a release does not serve has a trouble of its own; several files may be for several clusters.
        let is_said = matches!(finding.code, Code::UnknownKind | Code::AlreadyExists);
        let is_refusal = finding.severity == Severity::Error && !is_said;
        let Some(object) = finding.object.filter(|_| is_refusal) else {
            continue;
        };
        let is_read = question
            .input
            .items
            .get(object)
            .is_some_and(|item| is_readable(question.input, item));
        let list = if is_read { &mut refused } else { &mut unread };
        list.entry(object).or_insert(finding.message);
    }
    let help = || {
        message!(
            "upgrade.refused-before-help",
            "correct them first: `claimkit validate --release {from}` says all",
            from
        )
    };
    if let Some(first) = unread.values().next() {
        let objects: Vec<usize> = unread.keys().copied().collect();
        let message = message!(
            "upgrade.unread",
            "Kubernetes {from} cannot read {count} of the objects, so they were not judged: {names}: {error}",
            from,
            count = objects.len(),
            names = question.names(&objects),
            error = first,
        );
        let objects = objects.into_iter().collect();
        let mut trouble = TroubleFound::of(Code::UpgradeRefusedBefore, objects, message, help());
        trouble.severity = Severity::Error;
        found.push(trouble);
    }
    if question.subject == UpgradeSubject::Stored {
        return;
    }
    if let Some(first) = refused.values().next() {
        let objects: Vec<usize> = refused.keys().copied().collect();
        let message = message!(
            "upgrade.refused-before",
            "Kubernetes {from} refuses {count} of the objects already, first of {names}: {error}",
            from,
            count = objects.len(),
            names = question.names(&objects),
            error = first,
        );
        let objects = objects.into_iter().collect();
        found.push(TroubleFound::of(
            Code::UpgradeRefusedBefore,
            objects,
            message,
            help(),
        ));
    }
}

/// Returns true if an object can be read as its kind, or is of none that is known here.
fn is_readable(input: &Input<'_>, item: &Item) -> bool {
    !matches!(item.what, What::Ours(_)) || check::decoded(input, item).is_some()
}

/// Returns true for a DeviceTaintRule that would select every device if the field that a finding is about were dropped.
fn is_only_limit(question: &UpgradeQuestion<'_, '_>, item: &Item, finding: &Finding) -> bool {
    let Some(tree) = question.input.tree(item) else {
        return false;
    };
    let path = finding.path.as_deref().unwrap_or_default();
    item.kind == "DeviceTaintRule" && losses::is_only_limit(tree, item.node, path)
}

/// Returns the faults that the old release finds: in the objects as they are, and in their new versions as far as it serves them.
fn faults_before(question: &UpgradeQuestion<'_, '_>, moved: &str, write: Write) -> BTreeSet<Fault> {
    let mut found = faults(question, question.text, &question.from, write);
    if moved != question.text {
        found.extend(faults(question, moved, &question.from, write));
    }
    found.into_iter().map(|(fault, _)| fault).collect()
}

/// Asks a release about a write of all objects.
fn faults(
    question: &UpgradeQuestion<'_, '_>,
    text: &str,
    side: &UpgradeSide,
    write: Write,
) -> Vec<(Fault, Finding)> {
    let findings = judged(question, text, side, write).into_iter();
    findings
        .filter_map(|finding| Some((fault(&finding, write)?, finding)))
        .collect()
}

/// Returns all that a release says about a write of all objects.
fn judged(
    question: &UpgradeQuestion<'_, '_>,
    text: &str,
    side: &UpgradeSide,
    write: Write,
) -> Vec<Finding> {
    let validation = match question.subject {
        UpgradeSubject::Stored => FieldValidation::Warn,
        UpgradeSubject::Manifests => FieldValidation::Strict,
    };
    let operation = match write {
        Write::New => Operation::Create,
        Write::Unchanged => Operation::Update(text.into()),
        Write::Status => Operation::UpdateStatus(text.into()),
    };
    let options = ValidateOptions {
        release: Some(side.release()),
        gates: Some(&side.gates),
        operation,
        via: Via::Kubectl,
        field_validation: validation,
        limits: *question.limits,
        ..ValidateOptions::default()
    };
    validate(text, &options).findings
}

/// Returns the fault that a finding is about: an error of the server, or a field that is not kept.
fn fault(finding: &Finding, write: Write) -> Option<Fault> {
    let is_error = finding.severity == Severity::Error && finding.origin == Origin::ApiServer;
    let is_lost =
        write == Write::New && matches!(finding.code, Code::UnknownField | Code::FieldDropped);
    // The versions have troubles of their own.
    let is_said = matches!(
        finding.code,
        Code::UnknownKind | Code::NoKind | Code::ResourceVersionRequired | Code::NoStatus
    );
    if !(is_error || is_lost) || is_said {
        return None;
    }
    Some(Fault {
        object: finding.object?,
        write,
        code: finding.code,
        place: place_in_any_version(finding.path.as_deref().unwrap_or_default()),
    })
}

/// Returns a path without indices and keys, and without the fields in which some versions nest what others do not: it is the same
/// whichever version the object is written in.
fn place_in_any_version(path: &str) -> String {
    let place = without_keys(path);
    let fields = place.split('.').filter(|field| !is_nesting(field));
    fields.collect::<Vec<_>>().join(".")
}

/// Returns true if some versions have a field only to nest others in it, such as `exactly`.
fn is_nesting(field: &str) -> bool {
    let mut rows = Family::Device.steps().iter().flat_map(|step| step.rows);
    rows.any(|row| match row {
        StepRow::Wrap { into, .. } => *into == field,
        StepRow::Unwrap { from, .. } => *from == field,
        _ => false,
    })
}

/// Returns a path without what stands in brackets.
fn without_keys(path: &str) -> String {
    let mut place = String::with_capacity(path.len());
    let mut depth = 0usize;
    for c in path.chars() {
        match c {
            '[' => depth = depth.saturating_add(1),
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => place.push(c),
            _ => {}
        }
    }
    place
}

/// Says which writes the new release refuses.
fn refusal(question: &UpgradeQuestion<'_, '_>, kind: &str, place: &str, group: &Group) -> Message {
    let objects: Vec<usize> = group.objects.iter().copied().collect();
    let release = question.to.release();
    let (to, count, error) = (release, objects.len(), &group.first);
    let names = question.names(&objects);
    let is_of_devices = kind == "ResourceSlice" && place.starts_with("spec.devices");
    if group.writes.contains(&Write::Unchanged) {
        message!(
            "upgrade.refused-unchanged",
            "Kubernetes {to} refuses any update of {count} of the {kind} objects, first of {names}: {error}",
            to,
            count,
            kind,
            names,
            error,
        )
    } else if !group.writes.contains(&Write::New) {
        message!(
            "upgrade.refused-status",
            "Kubernetes {to} refuses any update of the status of {count} of the {kind} objects, first of {names}: {error}",
            to,
            count,
            kind,
            names,
            error,
        )
    } else if is_of_devices && Variant::of(release).devices_as_one {
        message!(
            "upgrade.refused-devices",
            "Kubernetes {to} refuses {count} of the {kind} objects when they are created, or when any of their devices changes, first {names}: {error}",
            to,
            count,
            kind,
            names,
            error,
        )
    } else {
        message!(
            "upgrade.refused",
            "Kubernetes {to} refuses {count} of the {kind} objects when they are created, or when this part of them changes, first {names}: {error}",
            to,
            count,
            kind,
            names,
            error,
        )
    }
}

fn refused_objects(message: Message, group: Group) -> TroubleFound {
    let advice = match group.help {
        Some(help) => help,
        None => message!(
            "upgrade.refused-as-said",
            "follow the message of the server"
        )
        .into(),
    };
    let help = message!(
        "upgrade.refused-help",
        "correct them, or what creates them, before the upgrade: {advice}",
        advice,
    );
    TroubleFound::of(Code::UpgradeRefused, group.objects, message, help)
}

fn loss(question: &UpgradeQuestion<'_, '_>, kind: &str, code: Code, group: Group) -> TroubleFound {
    let objects: Vec<usize> = group.objects.iter().copied().collect();
    let message = message!(
        "upgrade.field",
        "Kubernetes {to} does not keep a field of {count} of the {kind} objects, first of {names}: {problem}",
        to = question.to.release(),
        count = objects.len(),
        kind,
        names = question.names(&objects),
        problem = group.first,
    );
    let help = if code == Code::FieldDropped {
        message!(
            "upgrade.field-dropped-help",
            "take the field out, write its successor, or switch on the gate that keeps it"
        )
    } else if let Some(help) = group.help {
        // What the release says of such a field: to take it out may not be right.
        message!(
            "upgrade.field-as-said",
            "correct them before the upgrade: {help}",
            help
        )
    } else {
        message!(
            "upgrade.field-help",
            "take the field out, or write its successor"
        )
    };
    TroubleFound::of(Code::UpgradeField, group.objects, message, help)
}

/// Reports rules that lose all that limits them.
fn tainting_all(question: &UpgradeQuestion<'_, '_>, objects: BTreeSet<usize>) -> TroubleFound {
    let list: Vec<usize> = objects.iter().copied().collect();
    let message = message!(
        "upgrade.every-device",
        "Kubernetes {to} keeps no field of `spec.deviceSelector` of {count} of the DeviceTaintRule objects, which then taint every device of the cluster: {names}",
        to = question.to.release(),
        count = list.len(),
        names = question.names(&list),
    );
    let help = message!(
        "upgrade.every-device-help",
        "name a `driver`, `pool` or `device` in `spec.deviceSelector` before the upgrade, or delete the rule"
    );
    let mut one = TroubleFound::of(Code::UpgradeField, objects, message, help);
    one.severity = Severity::Error;
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_no_indices_and_keys() {
        assert_eq!(
            without_keys("spec.devices[3].attributes[a/b].string"),
            "spec.devices.attributes.string"
        );
        assert_eq!(without_keys(""), "");
    }

    #[test]
    fn places_are_the_same_in_all_versions() {
        for (older, newer) in [
            (
                "spec.devices.requests[0].selectors[1]",
                "spec.devices.requests[0].exactly.selectors[1]",
            ),
            (
                "spec.devices[2].basic.attributes[a].int",
                "spec.devices[2].attributes[a].int",
            ),
            (
                "spec.devices.requests[0]",
                "spec.devices.requests[0].exactly",
            ),
        ] {
            assert_eq!(place_in_any_version(older), place_in_any_version(newer));
        }
    }
}

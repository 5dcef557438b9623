//! Objects on which an audit depends and which are not given.

use super::finder::{About, Finder};
use super::{Usage, by_name, first_names, pods};
use crate::manifest::Item;
use claimkit_model::finding::Code;
use claimkit_model::message::{Message, Template, message, template};
use claimkit_scheduler::allocator::objects::{Facts, Pod};
use claimkit_values::order;

/// A kind of which nothing may be given.
struct AbsentKind {
    /// Nothing of it is given, and the audit would use it.
    is_absent: bool,
    message: Template,
    /// What `kubectl get` takes to print all objects of the kind.
    resource: &'static str,
}

/// Reports once for each kind that nothing of it is given, with the command that prints it. Of a kind that is given and cannot be
/// read the errors say so.
pub fn report_absent_kinds(facts: &Facts, items: &[Item], finder: &mut Finder<'_, '_>) {
    let is_in_text = |kind: &str| items.iter().any(|item| item.kind == kind);
    let is_given = |kind: &str| facts.is_whole(kind) || is_in_text(kind);
    let is_any_allocated = facts
        .claims
        .iter()
        .any(|claim| claim.status.allocation.is_some());
    let absent_kinds = [
        AbsentKind {
            is_absent: facts.slices.is_empty() && !is_given("ResourceSlice"),
            message: template!(
                "audit.no-slices",
                "no ResourceSlice is given: devices in use are not compared with those published"
            ),
            resource: "resourceslices",
        },
        AbsentKind {
            is_absent: facts.claims.is_empty() && !is_given("ResourceClaim"),
            message: template!(
                "audit.no-claims",
                "no ResourceClaim is given: every device counts as free"
            ),
            resource: "resourceclaims -A",
        },
        AbsentKind {
            is_absent: facts.pods.is_empty() && is_any_allocated && !facts.is_whole("Pod"),
            message: template!(
                "audit.no-pods",
                "no Pod is given: it is not checked whether the pods of `reservedFor` exist"
            ),
            resource: "pods -A",
        },
        AbsentKind {
            is_absent: facts.nodes.is_empty()
                && !facts.slices.is_empty()
                && !facts.is_whole("Node"),
            message: template!(
                "audit.no-nodes",
                "no Node is given: it is not checked whether the nodes of slices exist"
            ),
            resource: "nodes",
        },
        AbsentKind {
            is_absent: facts.classes.is_empty() && !is_given("DeviceClass"),
            message: template!(
                "audit.no-classes",
                "no DeviceClass is given: it is not checked what classes select"
            ),
            resource: "deviceclasses",
        },
        AbsentKind {
            is_absent: facts.pod_groups.is_empty()
                && !is_given("PodGroup")
                && facts.pods.iter().any(|pod| waits_for_group(pod)),
            message: template!(
                "audit.no-groups",
                "no PodGroup is given: it is not checked whether the groups of pods exist"
            ),
            resource: "podgroups -A",
        },
    ];
    for kind in absent_kinds {
        if kind.is_absent {
            let help = add_objects(kind.resource);
            let message = kind.message.text();
            finder.tell(Code::ObjectsAbsent, About::nothing(), message, Some(help));
        }
    }
    if !facts.pods.is_empty() {
        report_absent_pods(facts, finder);
    }
    if facts.slices.is_empty() && facts.claims.is_empty() {
        let message = if is_in_text("ResourceSlice") || is_in_text("ResourceClaim") {
            message!(
                "audit.nothing-readable",
                "no ResourceSlice and no ResourceClaim of the text can be read"
            )
        } else {
            message!(
                "audit.nothing-to-audit",
                "the text holds no ResourceSlice and no ResourceClaim"
            )
        };
        finder.tell(Code::NothingChecked, About::nothing(), message, None);
    }
}

/// Returns true for a pod without a node that is in a group.
fn waits_for_group(pod: &Pod) -> bool {
    pod.spec.node_name.is_empty() && !pods::is_done(pod) && pod.group_name().is_some()
}

/// Reports a cluster in which claims hold devices, and which is known to have no slice.
pub fn report_absent_slices(facts: &Facts, usage: &Usage, finder: &mut Finder<'_, '_>) {
    let devices: usize = usage
        .namespaces
        .iter()
        .map(|namespace| namespace.devices.in_use)
        .sum();
    if devices == 0 || !facts.slices.is_empty() || !facts.is_whole("ResourceSlice") {
        return;
    }
    let message = if devices == 1 {
        message!(
            "audit.no-slices-one",
            "claims hold 1 device, and no driver publishes any: there is no ResourceSlice"
        )
    } else {
        message!(
            "audit.no-slices-in-use",
            "claims hold {devices} devices, and no driver publishes any: there is no ResourceSlice",
            devices
        )
    };
    let help = message!("audit.no-slices-help", "see whether the drivers run");
    finder.tell(
        Code::DeviceUnpublished,
        About::nothing(),
        message,
        Some(help),
    );
}

/// Says how to get the objects that are absent.
fn add_objects(command: &str) -> Message {
    message!(
        "audit.add-objects",
        "add what `kubectl get {command} -o yaml` prints",
        command
    )
}

/// Reports the namespaces in which claims are reserved for pods, and of which no pod is given.
fn report_absent_pods(facts: &Facts, finder: &mut Finder<'_, '_>) {
    let pods = facts.pods.iter();
    let given = order::set(pods.map(|pod| pod.metadata.namespace.as_str()));
    if given.contains(by_name::SYSTEM) || facts.is_whole("Pod") {
        return;
    }
    let claims = facts.claims.iter().filter(|claim| {
        let mut users = claim.status.reserved_for.iter();
        users.any(|user| user.api_group.is_empty() && user.resource == "pods")
    });
    let reserved = order::set(claims.map(|claim| claim.metadata.namespace.as_str()));
    let names: Vec<String> = reserved
        .difference(&given)
        .map(|name| (*name).to_owned())
        .collect();
    let message = match names.as_slice() {
        [] => return,
        [namespace] => message!(
            "audit.no-pods-in",
            "no Pod of namespace {namespace} is given: it is not checked whether the pods of `reservedFor` exist there",
            namespace,
        ),
        _ => message!(
            "audit.no-pods-in-several",
            "no Pod of the namespaces {namespaces} is given: it is not checked whether the pods of `reservedFor` exist there",
            namespaces = first_names::first_names(names),
        ),
    };
    let help = add_objects("pods -A");
    finder.tell(Code::ObjectsAbsent, About::nothing(), message, Some(help));
}

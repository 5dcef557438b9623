//! Requests for admin access in namespaces that do not allow it.

use super::finder::{About, Finder};
use claimkit_model::finding::Code;
use claimkit_model::message::message;
use claimkit_scheduler::allocator::objects::{ClaimSpec, Facts, Meta};

/// Reports claims and templates that ask for admin access in a namespace without the label for it. `label`: the label that the
/// release demands; `None`: it demands none.
pub fn check(facts: &Facts, label: Option<&'static str>, finder: &mut Finder<'_, '_>) {
    let Some(label) = label else {
        return;
    };
    for claim in &facts.claims {
        if asks_for_admin_access(&claim.spec) && lacks_label(facts, &claim.metadata, label) {
            tell("ResourceClaim", &claim.metadata, label, finder);
        }
    }
    for template in &facts.templates {
        let spec = &template.spec.spec;
        if asks_for_admin_access(spec) && lacks_label(facts, &template.metadata, label) {
            tell("ResourceClaimTemplate", &template.metadata, label, finder);
        }
    }
}

fn asks_for_admin_access(spec: &ClaimSpec) -> bool {
    let mut asks = spec
        .devices
        .requests
        .iter()
        .filter_map(|request| request.exactly.as_ref());
    asks.any(|ask| ask.admin_access == Some(true))
}

/// Returns true if the namespace of an object is given and lacks a label.
fn lacks_label(facts: &Facts, metadata: &Meta, label: &str) -> bool {
    facts
        .namespaces
        .get(&metadata.namespace)
        .is_some_and(|labels| labels.get(label).is_none_or(|value| value != "true"))
}

fn tell(kind: &'static str, metadata: &Meta, label: &'static str, finder: &mut Finder<'_, '_>) {
    let message = message!(
        "audit.admin-label",
        "{kind} {name} asks for admin access, and namespace {namespace} lacks the label {label}=true",
        kind,
        name = metadata.full_name(),
        namespace = metadata.namespace,
        label,
    );
    let about = About::object(kind, metadata);
    finder.tell(Code::AdminAccessLabel, about, message, None);
}

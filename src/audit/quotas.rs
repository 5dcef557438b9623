//! Quotas for claims and devices.

use super::finder::{About, Finder};
use claimkit_model::finding::{Code, FieldPath, field_path};
use claimkit_model::message::message;
use claimkit_model::nearest::{Nearest, did_you_mean};
use claimkit_scheduler::allocator::objects::{Facts, ObjectName, Quota};
use claimkit_scheduler::allocator::quotas::{self, class_of_limit};
use std::collections::BTreeSet;

/// Reports quotas that limit nothing or of which more is used than they allow, and templates whose claims are larger than a whole quota.
pub fn check(facts: &Facts, finder: &mut Finder<'_, '_>) {
    check_classes(facts, finder);
    for over in quotas::overdrawn(facts) {
        let message = message!(
            "audit.quota-overdrawn",
            "quota {quota} limits {resource} to {limit}, and claims are charged {used}: no claim that counts is admitted any more",
            quota = over.quota.metadata.full_name(),
            resource = over.resource,
            limit = over.limit,
            used = over.used,
        );
        let about =
            About::object("ResourceQuota", &over.quota.metadata).at(path_of_limits(over.quota));
        finder.tell(Code::QuotaOverdrawn, about, message, None);
    }
    for over in quotas::too_large(facts) {
        let message = message!(
            "audit.template-over-quota",
            "a claim from template {template} is charged {charged} of {resource}, and quota {quota} allows {limit}: kube-apiserver refuses it",
            template = over.template.metadata.full_name(),
            charged = over.charged,
            resource = over.resource,
            quota = over.quota.metadata.full_name(),
            limit = over.limit,
        );
        let about = About::object("ResourceClaimTemplate", &over.template.metadata)
            .at(field_path!["spec", "spec", "devices"]);
        finder.tell(Code::TemplateOverQuota, about, message, None);
    }
}

/// Reports limits for devices of classes that are not there. A limit of 0 may be set before the class is made.
fn check_classes(facts: &Facts, finder: &mut Finder<'_, '_>) {
    let classes = facts.classes.iter();
    let names: BTreeSet<&str> = classes.map(|class| class.metadata.name.as_str()).collect();
    // Without any class, that is reported once for the whole cluster.
    if names.is_empty() {
        return;
    }
    for quota in &facts.quotas {
        for (resource, limit) in quota.limits().iter().filter(|(_, limit)| limit.value() > 0) {
            let Some(class) = class_of_limit(resource).filter(|class| !names.contains(class))
            else {
                continue;
            };
            // A class that cannot be read has its own error.
            let is_unusable = facts
                .unusable
                .contains(&ObjectName::new("DeviceClass", "", class));
            if is_unusable {
                continue;
            }
            let message = message!(
                "audit.quota-of-absent-class",
                "quota {quota} limits {resource} to {limit}, and there is no DeviceClass `{class}`: it limits nothing",
                quota = quota.metadata.full_name(),
                resource,
                limit = limit.text(),
                class,
            );
            let mut nearest = Nearest::to(class);
            names.iter().for_each(|name| nearest.consider(name));
            let about = About::object("ResourceQuota", &quota.metadata).at(path_of_limits(quota));
            let help = nearest.found().map(did_you_mean);
            finder.tell(Code::ClassNotInInput, about, message, help);
        }
    }
}

fn path_of_limits(quota: &Quota) -> FieldPath {
    match quota.status.hard.is_empty() {
        true => field_path!["spec", "hard"],
        false => field_path!["status", "hard"],
    }
}

//! Quotas for claims and devices.

use super::finder::{About, Finder};
use claimkit_model::finding::{Code, FieldPath, field_path};
use claimkit_model::message::message;
use claimkit_scheduler::allocator::objects::{Facts, Quota};
use claimkit_scheduler::allocator::quotas;

/// Reports quotas of which more is used than they allow, and templates whose claims are larger than a whole quota.
pub fn check(facts: &Facts, finder: &mut Finder<'_, '_>) {
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

fn path_of_limits(quota: &Quota) -> FieldPath {
    match quota.status.hard.is_empty() {
        true => field_path!["spec", "hard"],
        false => field_path!["status", "hard"],
    }
}

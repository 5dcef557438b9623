//! Quotas for claims and devices.

use super::finder::{About, Finder};
use claimkit_model::finding::{Code, field_path};
use claimkit_model::message::message;
use claimkit_scheduler::allocator::objects::Facts;
use claimkit_scheduler::allocator::quotas;

/// Reports quotas of which more is used than they allow.
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
        let part = match over.quota.status.hard.is_empty() {
            true => "spec",
            false => "status",
        };
        let about =
            About::object("ResourceQuota", &over.quota.metadata).at(field_path![part, "hard"]);
        finder.tell(Code::QuotaOverdrawn, about, message, None);
    }
}

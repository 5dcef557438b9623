//! Warnings about objects that the server silently accepts: node selectors that the scheduler cannot use.

use crate::validation::classic::scheduler;
use crate::validation::context::Context;
use claimkit_model::finding::{Finding, Path};
use claimkit_model::object::Record;
use claimkit_model::object::view;
use claimkit_model::schema::ClassicKind;

/// Adds remarks on the object itself, independent of the operation.
pub fn object(
    kind: ClassicKind,
    record: &Record<'_>,
    context: &Context,
    findings: &mut Vec<Finding>,
) {
    let root = Path::ROOT;
    match kind {
        ClassicKind::ResourceClass => {
            let class = view::ResourceClass::new(record);
            if let Some(selector) = class.suitable_nodes() {
                scheduler::review(
                    selector,
                    &root.field("suitableNodes"),
                    context.release,
                    findings,
                );
            }
        }
        ClassicKind::ResourceClaim => {
            let claim = view::ResourceClaim::new(record);
            if let Some(selector) = claim
                .status()
                .allocation()
                .and_then(view::AllocationResult::available_on_nodes)
            {
                let status = root.field("status");
                let allocation = status.field("allocation");
                scheduler::review(
                    selector,
                    &allocation.field("availableOnNodes"),
                    context.release,
                    findings,
                );
            }
        }
        ClassicKind::ResourceClaimTemplate
        | ClassicKind::PodSchedulingContext
        | ClassicKind::ResourceSlice
        | ClassicKind::ResourceClaimParameters
        | ClassicKind::ResourceClassParameters => {}
    }
}

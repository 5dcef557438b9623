//! What the server accepts without a word and the author should know: selectors that the scheduler cannot use, and
//! expressions that are not compiled here.

use crate::api::{Api, ClassicKind, ObjectKind};
use crate::finding::{Code, Finding, Origin, Path};
use crate::record::Record;
use crate::record::view;
use crate::rules::classic::scheduler;
use crate::rules::context::Context;

/// What stands in the object whatever is done with it.
pub fn object(api: Api, record: &Record<'_>, context: &Context, findings: &mut Vec<Finding>) {
    let root = Path::ROOT;
    let ObjectKind::Classic(kind) = api.kind.object else { return };
    match kind {
        ClassicKind::ResourceClass => {
            let class = view::ResourceClass::new(record);
            if let Some(selector) = class.suitable_nodes() {
                scheduler::review(selector, &root.field("suitableNodes"), context.release, findings);
            }
        }
        ClassicKind::ResourceClaim => {
            let claim = view::ResourceClaim::new(record);
            if let Some(selector) = claim.status().allocation().and_then(view::AllocationResult::available_on_nodes) {
                let status = root.field("status");
                let allocation = status.field("allocation");
                scheduler::review(selector, &allocation.field("availableOnNodes"), context.release, findings);
            }
        }
        ClassicKind::ResourceClaimParameters => {
            let requests = root.field("driverRequests");
            for (index, driver) in view::ResourceClaimParameters::new(record).driver_requests().iter().enumerate() {
                let driver_path = requests.index(index);
                let requests = driver_path.field("requests");
                for (index, request) in driver.requests().iter().enumerate() {
                    let item = requests.index(index);
                    not_compiled(request.named_resources(), &item, findings);
                }
            }
        }
        ClassicKind::ResourceClassParameters => {
            let filters = root.field("filters");
            for (index, filter) in view::ResourceClassParameters::new(record).filters().iter().enumerate() {
                not_compiled(filter.named_resources(), &filters.index(index), findings);
            }
        }
        ClassicKind::ResourceClaimTemplate | ClassicKind::PodSchedulingContext | ClassicKind::ResourceSlice => {}
    }
}

fn not_compiled(model: Option<view::NamedResourcesSelector<'_>>, path: &Path<'_>, findings: &mut Vec<Finding>) {
    if model.is_none_or(|model| model.selector().is_empty()) {
        return;
    }
    let model = path.field("namedResources");
    let path = model.field("selector");
    let message = "the selector was not compiled: whether the server accepts this CEL expression is not known here";
    findings.push(Finding::info(Code::SelectorNotCompiled, Origin::Claimkit, message).at(&path));
}

//! What the server accepts without a word and the author should know: what it drops and fills on create, selectors it
//! did not compile here, defaults that surprise.

use crate::api::Api;
use crate::finding::{Code, Finding, Origin, Path};
use crate::record::Record;
use crate::record::view::{self, ObjectMeta};
use crate::rules::classic::scheduler;
use crate::rules::context::Context;
use crate::server::pipeline::Changes;

/// What happened to a new object on its way.
pub fn changes(changes: &Changes, namespace: &str, meta: ObjectMeta<'_>, findings: &mut Vec<Finding>) {
    let root = Path::ROOT;
    let metadata = root.field("metadata");
    if changes.status_dropped {
        let message = "the server drops `status` from a new object";
        findings.push(
            Finding::warning(Code::StatusDropped, Origin::Claimkit, message)
                .at(&root.field("status"))
                .key()
                .with_help("drivers and the scheduler write the status; leave it out of the manifest"),
        );
    }
    if changes.namespace_dropped {
        let message = "the server drops `metadata.namespace`: the kind is cluster-scoped";
        findings.push(
            Finding::warning(Code::NamespaceDropped, Origin::Claimkit, message)
                .at(&metadata.field("namespace"))
                .key()
                .with_help("leave the namespace out"),
        );
    }
    for name in &changes.wiped {
        let message = format!("the server drops `metadata.{name}` from a new object and sets its own");
        findings.push(
            Finding::warning(Code::ServerOwnedDropped, Origin::Claimkit, message)
                .at(&metadata.field(name))
                .key()
                .with_help("leave it out; a manifest exported from a cluster carries it"),
        );
    }
    if changes.namespace_filled {
        let message = format!("the object goes to namespace `{namespace}`");
        findings.push(
            Finding::info(Code::NamespaceFilled, Origin::Claimkit, message)
                .at(&metadata)
                .key()
                .with_help("write `metadata.namespace` to place it whatever namespace the request has"),
        );
    }
    if changes.name_generated {
        let message = format!("the server appends five random characters to `{}`", meta.generate_name());
        findings.push(Finding::info(Code::NameGenerated, Origin::Claimkit, message).at(&metadata.field("generateName")).key());
    }
}

/// What stands in the object whatever is done with it.
pub fn object(api: Api, record: &Record<'_>, context: &Context, findings: &mut Vec<Finding>) {
    let root = Path::ROOT;
    match api.kind.kind {
        "ResourceClass" => {
            let class = view::ResourceClass::new(record);
            if let Some(selector) = class.suitable_nodes() {
                scheduler::review(selector, &root.field("suitableNodes"), context.release, findings);
            }
        }
        "ResourceClaim" => {
            let claim = view::ResourceClaim::new(record);
            if let Some(selector) = claim.status().allocation().and_then(view::AllocationResult::available_on_nodes) {
                let status = root.field("status");
                let allocation = status.field("allocation");
                scheduler::review(selector, &allocation.field("availableOnNodes"), context.release, findings);
            }
        }
        "ResourceClaimParameters" => {
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
        "ResourceClassParameters" => {
            let filters = root.field("filters");
            for (index, filter) in view::ResourceClassParameters::new(record).filters().iter().enumerate() {
                not_compiled(filter.named_resources(), &filters.index(index), findings);
            }
        }
        _ => {}
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

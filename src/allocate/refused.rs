//! New objects that the server refuses: they are not in the cluster, and so they are not placed.

use super::question::AllocateOptions;
use crate::apiserver::FieldValidation;
use crate::apiserver::facts::{Gathering, is_new};
use crate::apiserver::namespaces::NamespaceLabels;
use crate::apiserver::object::{ObjectRequest, Partners};
use crate::apiserver::options::ValidateOptions;
use crate::apiserver::slices::Together;
use crate::manifest::findings::place;
use crate::manifest::{Input, Item, What};
use crate::validation::pod_claims;
use crate::validation::references::References;
use claimkit_model::finding::{Finding, Severity};
use claimkit_model::message::message;
use claimkit_model::schema::{Api, Scope};
use claimkit_scheduler::target::Target;

/// Leaves out an object that was never on a server and that the server refuses: its errors become findings. Returns false if the
/// object is to be taken. Unknown fields alone refuse no object here: what the rest of the object gets is worth knowing. Nor do faults
/// of a copy of a stored object on which no placement depends: parts of pasted dumps are often blacked out.
pub fn leave_out(
    gathering: &mut Gathering<'_>,
    input: &Input<'_>,
    item: &Item,
    index: usize,
    options: &AllocateOptions<'_>,
    target: Target,
    namespaces: &NamespaceLabels,
) -> bool {
    let Some(tree) = input.tree(item).filter(|tree| is_new(tree, item)) else {
        return false;
    };
    let (errors, scope) = match &item.what {
        What::Refused(_) => return false,
        What::Ours(api) => (
            errors_of(input, item, index, *api, options, target, namespaces),
            api.kind.scope,
        ),
        What::Other => {
            let claims = pod_claims::read(tree, item);
            (
                claims
                    .map(|claims| claims.findings(target.release, None))
                    .unwrap_or_default(),
                Scope::Namespaced,
            )
        }
    };
    let mut refusals: Vec<Finding> = errors
        .into_iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| place(input, item, index, finding))
        .collect();
    if refusals.is_empty() {
        return false;
    }
    let stored = gathering.stored(input, item);
    let is_beside = refusals
        .iter()
        .all(|finding| stored.allows_fault_at(finding.path.as_deref().unwrap_or_default()));
    if is_beside {
        refusals
            .iter_mut()
            .for_each(|finding| finding.severity = Severity::Warning);
        gathering.findings.extend(refusals);
        return false;
    }
    gathering.findings.extend(refusals);
    let name = match scope {
        Scope::Namespaced => format!("{}/{}", options.namespace_of(&item.namespace), item.name),
        Scope::Cluster => item.name.clone(),
    };
    gathering.assumed.push(message!(
        "schedule.object-left-out",
        "{kind} {name} is left out: kube-apiserver refuses it",
        kind = item.kind,
        name
    ));
    true
}

/// Returns the findings about an object of ours that the server refuses; empty if it accepts the object. An object that cannot be
/// decoded has its finding when it is taken.
fn errors_of(
    input: &Input<'_>,
    item: &Item,
    index: usize,
    api: Api,
    options: &AllocateOptions<'_>,
    target: Target,
    namespaces: &NamespaceLabels,
) -> Vec<Finding> {
    let release = target.release;
    let partners = Partners::new();
    let gates = Some(target.gates);
    let reporting_options = ValidateOptions {
        release: Some(release),
        field_validation: options.field_validation,
        namespace_labels: options.namespace_labels,
        ..ValidateOptions::default()
    };
    let loose_options = ValidateOptions {
        field_validation: FieldValidation::Ignore,
        ..reporting_options.clone()
    };
    let object = ObjectRequest {
        options: &loose_options,
        input,
        item,
        index,
        api,
        release,
        gates,
        old: None,
        partners: &partners,
        namespaces,
    };
    // Unknown fields are not a reason to refuse an object here, but they are reported with the other reasons.
    if !object.is_refused() {
        return Vec::new();
    }
    let object = ObjectRequest {
        options: &reporting_options,
        ..object
    };
    object
        .judge(
            &mut References::default(),
            &mut Together::new(&reporting_options),
        )
        .findings
}

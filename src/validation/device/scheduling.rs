//! PodSchedulingContext of 1.31.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `ValidatePodSchedulingContexts`.

use super::judge::Judge;
use crate::validation::context::Context;
use crate::validation::errors::{Bad, Errors};
use crate::validation::metadata;
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::Strings;
use claimkit_model::object::view::device::PodSchedulingContext;
use claimkit_model::schema::Scope;
use std::collections::BTreeSet;

/// Validates a new object. Its status is dropped before; `selectedNode` is not checked.
pub fn create(object: PodSchedulingContext<'_>, context: &Context, errors: &mut Errors) {
    metadata::create(object.metadata(), Scope::Namespaced, context.rules, errors);
    let root = Path::ROOT;
    let spec = root.field("spec");
    Judge::new(context, errors).nodes(
        object.spec().potential_nodes(),
        &spec.field("potentialNodes"),
    );
}

/// Validates a changed object: everything of it may change.
pub fn update(
    new: PodSchedulingContext<'_>,
    old: PodSchedulingContext<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    create(new, context, errors);
    metadata::update(new.metadata(), old.metadata(), errors);
    create(new, context, errors);
}

/// Validates a changed status. The server's paths say `status.claims` for `status.resourceClaims`.
pub fn update_status(
    new: PodSchedulingContext<'_>,
    old: PodSchedulingContext<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::update(new.metadata(), old.metadata(), errors);
    let root = Path::ROOT;
    let parent = root.field("status");
    let path = parent.field_named("claims", "resourceClaims");
    let mut judge = Judge::new(context, errors);
    // Each claim is compared with the previous ones immediately, not after the whole list as elsewhere.
    let mut seen = BTreeSet::new();
    let claims = new.status().resource_claims();
    for (index, claim) in claims.iter().enumerate() {
        let item = path.index(index);
        judge.nodes(claim.unsuitable_nodes(), &item.field("unsuitableNodes"));
        if !seen.insert(claim.name()) {
            judge
                .errors
                .duplicate(Code::DuplicateItem, &item, Bad::Str(claim.name()));
        }
    }
}

impl Judge<'_> {
    /// Validates a set of node names.
    fn nodes(&mut self, nodes: Strings<'_>, path: &Path<'_>) {
        self.list(nodes, path, |judge, name, path| {
            judge.subdomain(Code::NodeNameInvalid, name, path)
        });
        self.unique(nodes.iter(), None, path, Bad::Str);
    }
}

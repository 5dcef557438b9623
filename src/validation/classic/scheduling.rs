//! PodScheduling (1.26) and PodSchedulingContext: create, update, status update (kube-apiserver,
//! pkg/apis/resource/validation/validation.go, `ValidatePodSchedulingContext`).

use crate::validation::context::Context;
use crate::validation::errors::{Bad, Errors};
use crate::validation::metadata;
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::{PodSchedulingContext, Strings};
use claimkit_model::schema::Scope;
use claimkit_values::names;
use std::collections::BTreeSet;

const NODES_MAX: usize = 128;

/// Validates a new object. Its status is dropped before; `selectedNode` is not checked.
pub fn create(object: PodSchedulingContext<'_>, context: &Context, errors: &mut Errors) {
    metadata::create(object.metadata(), Scope::Namespaced, context.rules, errors);
    nodes(
        object.spec().potential_nodes(),
        &Path::ROOT.field("spec").field("potentialNodes"),
        errors,
    );
}

/// Validates a changed object: everything of it may change.
pub fn update(
    new: PodSchedulingContext<'_>,
    old: PodSchedulingContext<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::update(new.metadata(), old.metadata(), errors);
    create(new, context, errors);
}

/// Validates a changed status. The server's paths say `status.claims` for `status.resourceClaims`.
pub fn update_status(
    new: PodSchedulingContext<'_>,
    old: PodSchedulingContext<'_>,
    errors: &mut Errors,
) {
    metadata::update(new.metadata(), old.metadata(), errors);
    let root = Path::ROOT;
    let status = root.field("status");
    let path = status.field_named("claims", "resourceClaims");
    let mut seen = BTreeSet::new();
    let claims = new.status().resource_claims();
    for (index, claim) in claims.iter().enumerate() {
        let path = path.index(index);
        nodes(
            claim.unsuitable_nodes(),
            &path.field("unsuitableNodes"),
            errors,
        );
        if !seen.insert(claim.name()) {
            errors.duplicate(Code::ClaimStatusDuplicate, &path, Bad::Str(claim.name()));
        }
    }
}

/// Validates a set of node names, at most 128.
fn nodes(list: Strings<'_>, path: &Path<'_>, errors: &mut Errors) {
    let mut seen = BTreeSet::new();
    for (index, node) in list.iter().enumerate() {
        if seen.insert(node) {
            errors.malformed(
                Code::NodeNameInvalid,
                &path.index(index),
                node,
                &names::subdomain(node),
            );
        } else {
            errors.duplicate(Code::NodeNameDuplicate, &path.index(index), Bad::Str(node));
        }
    }
    if list.len() > NODES_MAX {
        errors.too_long(Code::NodeListTooLong, path, NODES_MAX);
    }
}

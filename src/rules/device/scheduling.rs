//! PodSchedulingContext of 1.31.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `ValidatePodSchedulingContexts`.

use super::judge::Judge;
use crate::api::Scope;
use crate::finding::{Code, Path};
use crate::record::view::Object;
use crate::record::{Record, Value};
use crate::rules::context::Context;
use crate::rules::errors::{Bad, Errors};
use crate::rules::metadata;
use std::collections::BTreeSet;

/// Validates a new object. Its status is dropped before; `selectedNode` is not checked.
pub fn create(object: &Record<'_>, context: &Context, errors: &mut Errors) {
    metadata::create(Object::new(object).metadata(), Scope::Namespaced, context.rules, errors);
    if let Some(spec) = object.record("spec") {
        Judge::new(context, errors).nodes(spec, "potentialNodes", &Path::ROOT.field("spec"));
    }
}

/// Validates a changed object: everything of it may change.
pub fn update(new: &Record<'_>, old: &Record<'_>, context: &Context, errors: &mut Errors) {
    create(new, context, errors);
    metadata::update(Object::new(new).metadata(), Object::new(old).metadata(), errors);
    create(new, context, errors);
}

/// Validates a changed status. The server's paths say `status.claims` for `status.resourceClaims`.
pub fn update_status(new: &Record<'_>, old: &Record<'_>, context: &Context, errors: &mut Errors) {
    metadata::update(Object::new(new).metadata(), Object::new(old).metadata(), errors);
    let Some(status) = new.record("status") else { return };
    let root = Path::ROOT;
    let parent = root.field("status");
    let path = parent.field_named("claims", "resourceClaims");
    let mut judge = Judge::new(context, errors);
    // Each claim is compared with the previous ones immediately, not after the whole list as elsewhere.
    let mut seen = BTreeSet::new();
    for (index, claim) in status.records("resourceClaims").enumerate() {
        let path = path.index(index);
        judge.nodes(claim, "unsuitableNodes", &path);
        if !seen.insert(claim.str("name")) {
            judge.errors.duplicate(Code::DuplicateItem, &path, Bad::Str(claim.str("name")));
        }
    }
}

impl Judge<'_> {
    /// Validates a set of node names.
    fn nodes(&mut self, record: &Record<'_>, field: &str, path: &Path<'_>) {
        let path = path.field(field);
        self.list(record, field, &path, |judge, item, path| judge.subdomain(Code::NodeNameInvalid, item.as_str(), path));
        self.unique(record.list(field).iter().map(Value::as_str), None, &path, Bad::Str);
    }
}

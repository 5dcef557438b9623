//! ResourceClaimTemplate: create and update (kube-apiserver, pkg/apis/resource/validation/validation.go,
//! `ValidateClaimTemplate`). Its spec is immutable.

use crate::validation::classic::claim;
use crate::validation::context::Context;
use crate::validation::errors::Errors;
use crate::validation::metadata;
use claimkit_model::finding::Path;
use claimkit_model::object::view::ResourceClaimTemplate;
use claimkit_model::schema::Scope;

/// Validates a new template.
pub fn create(template: ResourceClaimTemplate<'_>, context: &Context, errors: &mut Errors) {
    metadata::create(
        template.metadata(),
        Scope::Namespaced,
        context.rules,
        errors,
    );
    let root = Path::ROOT;
    let path = root.field("spec");
    if let Some(record) = template.spec().metadata().record() {
        metadata::template(record, &path.field("metadata"), errors);
    }
    claim::spec(template.spec().spec(), &path.field("spec"), errors);
}

/// Validates an update of a template.
pub fn update(
    new: ResourceClaimTemplate<'_>,
    old: ResourceClaimTemplate<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::update(new.metadata(), old.metadata(), errors);
    let (new_spec, old_spec) = (new.spec(), old.spec());
    crate::validation::fields::immutable_spec(new_spec.record(), old_spec.record(), errors);
    create(new, context, errors);
}

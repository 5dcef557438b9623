//! ResourceClass: create and update (kube-apiserver, pkg/apis/resource/validation/validation.go, `ValidateClass`). It has no
//! immutable fields.

use crate::validation::context::Context;
use crate::validation::errors::Errors;
use crate::validation::fields::driver_name;
use crate::validation::{metadata, node_selector};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::{ResourceClass, ResourceClassParametersReference};
use claimkit_model::schema::Scope;
use claimkit_values::names;

/// Validates a new class.
pub fn create(class: ResourceClass<'_>, context: &Context, errors: &mut Errors) {
    let root = Path::ROOT;
    metadata::create(class.metadata(), Scope::Cluster, context.rules, errors);
    driver_name(class.driver_name(), &root.field("driverName"), errors);
    if let Some(reference) = class.parameters_ref() {
        parameters_reference(reference, &root.field("parametersRef"), context, errors);
    }
    if let Some(selector) = class.suitable_nodes() {
        node_selector::validate(selector, &root.field("suitableNodes"), errors);
    }
}

/// Validates an update of a class.
pub fn update(
    new: ResourceClass<'_>,
    old: ResourceClass<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::update(new.metadata(), old.metadata(), errors);
    create(new, context, errors);
}

/// Validates the reference of a class or of generated class parameters.
pub fn parameters_reference(
    reference: ResourceClassParametersReference<'_>,
    path: &Path<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    if reference.kind().is_empty() {
        errors.required(Code::ParametersRefIncomplete, &path.field("kind"), "");
    }
    if reference.name().is_empty() {
        errors.required(Code::ParametersRefIncomplete, &path.field("name"), "");
    }
    if !reference.namespace().is_empty() {
        let messages = names::label(reference.namespace(), context.rules.dotted_label);
        errors.malformed(
            Code::ParametersRefNamespace,
            &path.field("namespace"),
            reference.namespace(),
            &messages,
        );
    }
}

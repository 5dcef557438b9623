//! ResourceSlice (1.30): create and update (kube-apiserver, pkg/apis/resource/validation/validation.go, `ValidateResourceSlice`).

use crate::validation::classic::structured;
use crate::validation::context::Context;
use crate::validation::errors::{Bad, Errors};
use crate::validation::fields::driver_name;
use crate::validation::{immutable, metadata};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::ResourceSlice;
use claimkit_model::schema::Scope;
use claimkit_values::names;

/// Validates a new slice.
pub fn create(slice: ResourceSlice<'_>, context: &Context, errors: &mut Errors) {
    let root = Path::ROOT;
    metadata::create(slice.metadata(), Scope::Cluster, context.rules, errors);
    if !slice.node_name().is_empty() {
        let messages = names::subdomain(slice.node_name());
        errors.malformed(
            Code::NodeNameInvalid,
            &root.field("nodeName"),
            slice.node_name(),
            &messages,
        );
    }
    driver_name(slice.driver_name(), &root.field("driverName"), errors);
    match slice.named_resources() {
        Some(resources) => structured::resources(resources, &root.field("namedResources"), errors),
        None => structured::model_required(&root, errors),
    }
}

/// Validates a changed slice: node and driver are immutable.
pub fn update(
    new: ResourceSlice<'_>,
    old: ResourceSlice<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::update(new.metadata(), old.metadata(), errors);
    create(new, context, errors);
    let root = Path::ROOT;
    for (name, new, old) in [
        ("nodeName", new.node_name(), old.node_name()),
        ("driverName", new.driver_name(), old.driver_name()),
    ] {
        if new != old {
            errors.invalid(
                Code::SliceImmutable,
                &root.field(name),
                Bad::Str(new),
                immutable::MESSAGE,
            );
        }
    }
}

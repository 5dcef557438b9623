//! Validation: the functions that kube-apiserver registers for each kind, and the generic checks of its REST layer.
//!
//! [`functions`] returns the errors of a validation function alone, as upstream's unit tests see them
//! (kube-apiserver, pkg/apis/resource/validation/validation.go). [`crate::apiserver`] returns the answer to a whole request.
//! Validators read the [`Rules`](claimkit_model::schema::Rules) of a release and never compare version numbers.

pub mod classic;
pub mod context;
pub mod device;
pub mod errors;
pub mod expression;
pub mod fields;
pub mod immutable;
pub mod metadata;
pub mod node_selector;
pub mod pod_claims;
pub mod references;
mod reserved;

pub use context::{Context, Operation};
pub use errors::{Bad, Errors, FieldError};

use claimkit_model::object::{Record, view};
use claimkit_model::schema::{Api, ClassicKind, ObjectKind};
use classic::{claim, class, parameters, scheduling, slice, template};

/// Returns the errors of the registered validation function for exactly these objects, without defaulting.
pub fn functions(
    api: Api,
    new: &Record<'_>,
    operation: Operation<&Record<'_>>,
    context: &Context,
) -> Vec<FieldError> {
    let mut errors = context.errors();
    run(api, new, operation, context, &mut errors);
    errors.into_list()
}

/// Adds the same errors to `errors`.
pub fn run(
    api: Api,
    new: &Record<'_>,
    operation: Operation<&Record<'_>>,
    context: &Context,
    errors: &mut Errors,
) {
    use Operation::{Create, Update, UpdateStatus};
    let kind = match api.kind.object {
        ObjectKind::Classic(kind) => kind,
        ObjectKind::Device(kind) => return device::run(kind, new, operation, context, errors),
    };
    // List kinds cannot be created or updated.
    if api.kind.items.is_some() {
        return;
    }
    match kind {
        ClassicKind::ResourceClaim => {
            let new = view::ResourceClaim::new(new);
            match operation {
                Create => claim::create(new, context, errors),
                Update(old) => claim::update(new, view::ResourceClaim::new(old), context, errors),
                UpdateStatus(old) => {
                    claim::update_status(new, view::ResourceClaim::new(old), context, errors)
                }
            }
        }
        ClassicKind::ResourceClass => {
            let new = view::ResourceClass::new(new);
            match operation {
                Create => class::create(new, context, errors),
                Update(old) | UpdateStatus(old) => {
                    class::update(new, view::ResourceClass::new(old), context, errors)
                }
            }
        }
        ClassicKind::ResourceClaimTemplate => {
            let new = view::ResourceClaimTemplate::new(new);
            match operation {
                Create => template::create(new, context, errors),
                Update(old) | UpdateStatus(old) => {
                    template::update(new, view::ResourceClaimTemplate::new(old), context, errors);
                }
            }
        }
        ClassicKind::PodSchedulingContext => {
            let new = view::PodSchedulingContext::new(new);
            match operation {
                Create => scheduling::create(new, context, errors),
                Update(old) => {
                    scheduling::update(new, view::PodSchedulingContext::new(old), context, errors)
                }
                UpdateStatus(old) => {
                    scheduling::update_status(new, view::PodSchedulingContext::new(old), errors)
                }
            }
        }
        ClassicKind::ResourceSlice => {
            let new = view::ResourceSlice::new(new);
            match operation {
                Create => slice::create(new, context, errors),
                Update(old) | UpdateStatus(old) => {
                    slice::update(new, view::ResourceSlice::new(old), context, errors)
                }
            }
        }
        ClassicKind::ResourceClaimParameters => {
            let new = view::ResourceClaimParameters::new(new);
            match operation {
                Create => parameters::create_for_claim(new, context, errors),
                Update(old) | UpdateStatus(old) => {
                    parameters::update_for_claim(
                        new,
                        view::ResourceClaimParameters::new(old),
                        context,
                        errors,
                    );
                }
            }
        }
        ClassicKind::ResourceClassParameters => {
            let new = view::ResourceClassParameters::new(new);
            match operation {
                Create => parameters::create_for_class(new, context, errors),
                Update(old) | UpdateStatus(old) => {
                    parameters::update_for_class(
                        new,
                        view::ResourceClassParameters::new(old),
                        context,
                        errors,
                    );
                }
            }
        }
    }
}

//! The rules of v1alpha3, v1beta1, v1beta2 and v1 (Kubernetes 1.31 and later): one file per kind. They judge the hub's shape.
//!
//! What differs between releases is data: [`variant::Variant`], and the limits of the tables.

mod attributes;
pub mod claim;
pub mod class;
mod condition;
pub mod declared;
mod derived;
pub mod judge;
mod node_resources;
mod policy;
pub mod pool_status;
pub mod remarks;
pub mod scheduling;
mod selector;
pub mod slice;
pub mod status;
pub mod taint_rule;
mod values;
pub mod variant;

use crate::validation::context::{Context, Operation};
use crate::validation::errors::Errors;
use claimkit_model::object::Record;
use claimkit_model::object::view::device::{
    DeviceClass, DeviceTaintRule, PodSchedulingContext, ResourceClaim, ResourceClaimTemplate,
    ResourcePoolStatusRequest, ResourceSlice,
};
use claimkit_model::schema::DeviceKind;

/// Runs the registered validation function of a kind.
pub fn run(
    kind: DeviceKind,
    new: &Record<'_>,
    operation: Operation<&Record<'_>>,
    context: &Context,
    errors: &mut Errors,
) {
    use Operation::{Create, Update, UpdateStatus};
    match kind {
        DeviceKind::ResourceClaim => {
            let new = ResourceClaim::new(new);
            match operation {
                Create => claim::create(new, context, errors),
                Update(old) => claim::update(new, ResourceClaim::new(old), context, errors),
                UpdateStatus(old) => status::update(new, ResourceClaim::new(old), context, errors),
            }
        }
        DeviceKind::ResourceClaimTemplate => {
            let new = ResourceClaimTemplate::new(new);
            match operation {
                Create => claim::create_template(new, context, errors),
                Update(old) | UpdateStatus(old) => {
                    claim::update_template(new, ResourceClaimTemplate::new(old), context, errors);
                }
            }
        }
        DeviceKind::DeviceClass => {
            let new = DeviceClass::new(new);
            match operation {
                Create => class::create(new, context, errors),
                Update(old) | UpdateStatus(old) => {
                    class::update(new, DeviceClass::new(old), context, errors)
                }
            }
        }
        DeviceKind::ResourceSlice => {
            let new = ResourceSlice::new(new);
            match operation {
                Create => slice::create(new, context, errors),
                Update(old) | UpdateStatus(old) => {
                    slice::update(new, ResourceSlice::new(old), context, errors)
                }
            }
        }
        DeviceKind::DeviceTaintRule => {
            let new = DeviceTaintRule::new(new);
            match operation {
                Create => taint_rule::create(new, context, errors),
                Update(old) => taint_rule::update(new, DeviceTaintRule::new(old), context, errors),
                UpdateStatus(old) => {
                    taint_rule::update_status(new, DeviceTaintRule::new(old), context, errors)
                }
            }
        }
        DeviceKind::ResourcePoolStatusRequest => {
            let new = ResourcePoolStatusRequest::new(new);
            match operation {
                Create => pool_status::create(new, context, errors),
                Update(old) => {
                    pool_status::update(new, ResourcePoolStatusRequest::new(old), errors)
                }
                UpdateStatus(old) => pool_status::update_status(
                    new,
                    ResourcePoolStatusRequest::new(old),
                    context,
                    errors,
                ),
            }
        }
        DeviceKind::PodSchedulingContext => {
            let new = PodSchedulingContext::new(new);
            match operation {
                Create => scheduling::create(new, context, errors),
                Update(old) => {
                    scheduling::update(new, PodSchedulingContext::new(old), context, errors)
                }
                UpdateStatus(old) => {
                    scheduling::update_status(new, PodSchedulingContext::new(old), context, errors)
                }
            }
        }
    }
}

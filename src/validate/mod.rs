//! Judging: the validation functions kube-apiserver registers for each kind, and what its REST layer puts around them.
//!
//! [`functions`] answers with a function's own list, as upstream's unit tests see it (behaviour.md §7); [`pipeline`]
//! with what a request meets (§8). Validators read the [`Rules`] of a release and never compare version numbers.

pub mod claim;
pub mod class;
pub mod errors;
pub mod immutable;
pub mod metadata;
pub mod node_selector;
pub mod parameters;
pub mod pipeline;
pub mod references;
pub mod remarks;
pub mod scheduler;
pub mod scheduling;
pub mod slice;
pub mod status;
pub mod structured;
pub mod template;

pub use errors::{Bad, Errors, FieldError};

use crate::names;
use crate::object::Record;
use crate::report::{Code, Path};
use crate::schema::{Api, Release, Rules};
use crate::view;

/// What every validator may look at besides the object.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// The release's rules.
    pub rules: &'static Rules,
    /// The release, for the fields it has.
    pub release: Release,
}

impl Context {
    /// The context of a release.
    pub fn new(release: Release) -> Self {
        Context { rules: release.rules(), release }
    }

    /// An empty list of errors that quotes as this release does.
    pub fn errors(&self) -> Errors {
        Errors::new(self.rules.unicode)
    }
}

/// What is done with an object.
#[derive(Clone, Copy, Debug)]
pub enum Operation<'r> {
    /// It is new.
    Create,
    /// It replaces this stored one.
    Update(&'r Record<'r>),
    /// Its status replaces that of this stored one.
    UpdateStatus(&'r Record<'r>),
}

/// The list of the registered validation function on exactly these objects, nothing filled in.
pub fn functions(api: Api, new: &Record<'_>, operation: Operation<'_>, context: &Context) -> Vec<FieldError> {
    let mut errors = context.errors();
    run(api, new, operation, context, &mut errors);
    errors.into_list()
}

fn run(api: Api, new: &Record<'_>, operation: Operation<'_>, context: &Context, errors: &mut Errors) {
    use Operation::{Create, Update, UpdateStatus};
    match api.kind.kind {
        "ResourceClaim" => {
            let new = view::ResourceClaim::new(new);
            match operation {
                Create => claim::create(new, context, errors),
                Update(old) => claim::update(new, view::ResourceClaim::new(old), context, errors),
                UpdateStatus(old) => claim::update_status(new, view::ResourceClaim::new(old), context, errors),
            }
        }
        "ResourceClass" => {
            let new = view::ResourceClass::new(new);
            match operation {
                Create => class::create(new, context, errors),
                Update(old) | UpdateStatus(old) => class::update(new, view::ResourceClass::new(old), context, errors),
            }
        }
        "ResourceClaimTemplate" => {
            let new = view::ResourceClaimTemplate::new(new);
            match operation {
                Create => template::create(new, context, errors),
                Update(old) | UpdateStatus(old) => {
                    template::update(new, view::ResourceClaimTemplate::new(old), context, errors);
                }
            }
        }
        "PodScheduling" | "PodSchedulingContext" => {
            let new = view::PodSchedulingContext::new(new);
            match operation {
                Create => scheduling::create(new, context, errors),
                Update(old) => scheduling::update(new, view::PodSchedulingContext::new(old), context, errors),
                UpdateStatus(old) => scheduling::update_status(new, view::PodSchedulingContext::new(old), errors),
            }
        }
        "ResourceSlice" => {
            let new = view::ResourceSlice::new(new);
            match operation {
                Create => slice::create(new, context, errors),
                Update(old) | UpdateStatus(old) => slice::update(new, view::ResourceSlice::new(old), context, errors),
            }
        }
        "ResourceClaimParameters" => {
            let new = view::ResourceClaimParameters::new(new);
            match operation {
                Create => parameters::create_for_claim(new, context, errors),
                Update(old) | UpdateStatus(old) => {
                    parameters::update_for_claim(new, view::ResourceClaimParameters::new(old), context, errors);
                }
            }
        }
        "ResourceClassParameters" => {
            let new = view::ResourceClassParameters::new(new);
            match operation {
                Create => parameters::create_for_class(new, context, errors),
                Update(old) | UpdateStatus(old) => {
                    parameters::update_for_class(new, view::ResourceClassParameters::new(old), context, errors);
                }
            }
        }
        // Kinds that cannot be written: Lists.
        _ => {}
    }
}

/// The driver name rule of CSI: not empty, 63 bytes, a subdomain once lowered (behaviour.md §6.6).
fn driver_name(name: &str, path: &Path<'_>, errors: &mut Errors) {
    const MAX: usize = 63;
    if name.is_empty() {
        errors.required(Code::DriverNameRequired, path, "");
    }
    if name.len() > MAX {
        errors.too_long_bytes(Code::DriverNameTooLong, path, MAX);
    }
    errors.malformed(Code::DriverNameInvalid, path, name, &names::lowered_subdomain(name));
}

/// `spec` may not change. A spec that is missing is one of zero values.
fn immutable_spec(new: Option<&Record<'_>>, old: Option<&Record<'_>>, context: &Context, errors: &mut Errors) {
    let Some(schema) = new.or(old).map(|record| record.schema) else { return };
    let zero = Record::empty(schema);
    let path = Path::ROOT;
    let path = path.field("spec");
    immutable::record(Code::SpecImmutable, &path, new.unwrap_or(&zero), old.unwrap_or(&zero), context.release, errors);
}

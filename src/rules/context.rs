//! The context of a rule besides the object, and the operation.

use crate::api::{Gates, Release, Rules};
use crate::record::Record;
use crate::rules::errors::Errors;

/// The context of every validator besides the object.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// The release's rules.
    pub rules: &'static Rules,
    /// The release, for the fields it has.
    pub release: Release,
    /// The feature gates that are on.
    pub gates: Gates,
}

impl Context {
    /// The context of a release.
    pub fn new(release: Release) -> Self {
        Context { rules: release.rules(), release, gates: Gates::defaults(release) }
    }

    /// The context of a release with some gates set.
    pub fn with_gates(release: Release, gates: Gates) -> Self {
        Context { gates, ..Context::new(release) }
    }

    /// An empty list of errors that quotes as this release does.
    pub fn errors(&self) -> Errors {
        Errors::new(self.release)
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

//! What a rule may look at besides the object, and the operation that is judged.

use crate::api::{Release, Rules};
use crate::record::Record;
use crate::rules::errors::Errors;

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

//! The context of a rule besides the object, and the operation.

use crate::validation::errors::Errors;
use claimkit_model::schema::{Gates, Release, Rules};

/// The context of every validator besides the object.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    pub rules: &'static Rules,
    /// The release, for the fields it has.
    pub release: Release,
    /// The feature gates that are on.
    pub gates: Gates,
}

impl Context {
    /// Makes the context of a release.
    pub fn new(release: Release) -> Self {
        Context {
            rules: release.rules(),
            release,
            gates: Gates::defaults(release),
        }
    }

    /// Makes the context of a release with some gates set.
    pub fn with_gates(release: Release, gates: Gates) -> Self {
        Context {
            gates,
            ..Context::new(release)
        }
    }

    /// Makes an empty list of errors that quotes as this release does.
    pub fn errors(&self) -> Errors {
        Errors::new(self.release)
    }
}

/// The operation on an object. `S`: the stored object, or its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation<S> {
    /// The object is new.
    #[default]
    Create,
    /// It replaces this stored one.
    Update(S),
    /// Its status replaces that of this stored one.
    UpdateStatus(S),
}

impl<S> Operation<S> {
    /// Returns the stored object; a new object has none.
    pub(crate) fn stored(self) -> Option<S> {
        match self {
            Operation::Create => None,
            Operation::Update(stored) | Operation::UpdateStatus(stored) => Some(stored),
        }
    }

    /// Returns the operation with something else in place of the stored object.
    pub(crate) fn map<T>(self, change: impl FnOnce(S) -> T) -> Operation<T> {
        match self {
            Operation::Create => Operation::Create,
            Operation::Update(stored) => Operation::Update(change(stored)),
            Operation::UpdateStatus(stored) => Operation::UpdateStatus(change(stored)),
        }
    }

    /// Returns the name in requests and rules of admission.
    #[doc(hidden)]
    pub fn name(&self) -> &'static str {
        match self {
            Operation::Create => "CREATE",
            Operation::Update(_) | Operation::UpdateStatus(_) => "UPDATE",
        }
    }
}

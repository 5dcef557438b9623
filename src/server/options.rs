//! What is asked of the server about the objects of a text.

use crate::api::{Gates, Release};
use crate::limits::Limits;
use crate::record::decode::Via;
use crate::server::body::FieldValidation;
use std::collections::BTreeMap;

/// What is done with the objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation<'a> {
    /// They are new.
    #[default]
    Create,
    /// They replace the stored objects, whose text this is.
    Update(&'a str),
    /// Their status replaces that of the stored objects, whose text this is.
    UpdateStatus(&'a str),
}

/// The version that stored objects are answered in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredAs<'a> {
    /// The one that was written.
    Written,
    /// The one with this short name, e.g. `v1`.
    Version(&'a str),
}

/// How [`crate::validate`] judges a text. The default is a `kubectl create` of the text.
///
/// ```
/// use claimkit::{Limits, Release, ValidateOptions};
///
/// let options = ValidateOptions::default()
///     .release(Release::parse("1.29").unwrap())
///     .namespace("team-a");
/// # let _ = options;
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ValidateOptions<'a> {
    /// The server's release; `None`: for each object the last one that serves its version.
    pub release: Option<Release>,
    /// What is done with the objects.
    pub operation: Operation<'a>,
    /// How the objects reach the server.
    pub via: Via,
    /// The namespace that the request names.
    pub namespace: Option<&'a str>,
    /// What unknown and duplicate fields are.
    pub field_validation: FieldValidation,
    /// Feature gates over the defaults of the release.
    pub gates: Option<&'a BTreeMap<String, bool>>,
    /// The labels of the request's namespace; `None`: they are not known.
    pub namespace_labels: Option<&'a BTreeMap<String, String>>,
    /// The objects as they are stored are wanted; `None`: they are not.
    pub stored_as: Option<StoredAs<'a>>,
    /// What a text may cost.
    pub limits: Limits,
    /// The text is what a patch made on the server: no client sends it.
    pub(crate) patched: bool,
}

impl<'a> ValidateOptions<'a> {
    /// Follows this release.
    pub fn release(mut self, release: Release) -> Self {
        self.release = Some(release);
        self
    }

    /// Creates or updates.
    pub fn operation(mut self, operation: Operation<'a>) -> Self {
        self.operation = operation;
        self
    }

    /// Takes this way to the server.
    pub fn via(mut self, via: Via) -> Self {
        self.via = via;
        self
    }

    /// Sends the objects to this namespace.
    pub fn namespace(mut self, namespace: &'a str) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// Treats unknown and duplicate fields so.
    pub fn field_validation(mut self, validation: FieldValidation) -> Self {
        self.field_validation = validation;
        self
    }

    /// Sets these feature gates. One that the release of an object does not know makes the whole answer unusable.
    pub fn gates(mut self, gates: &'a BTreeMap<String, bool>) -> Self {
        self.gates = Some(gates);
        self
    }

    /// Tells the labels of the namespace.
    pub fn namespace_labels(mut self, labels: &'a BTreeMap<String, String>) -> Self {
        self.namespace_labels = Some(labels);
        self
    }

    /// Answers with the objects as they are stored, too.
    pub fn stored_as(mut self, version: StoredAs<'a>) -> Self {
        self.stored_as = Some(version);
        self
    }

    /// The gates that are on in a release; `None` if none was set. The error names the gate.
    pub(crate) fn gates_in(&self, release: Release) -> Result<Option<Gates>, String> {
        let Some(gates) = self.gates.filter(|gates| !gates.is_empty()) else { return Ok(None) };
        let set = gates.iter().map(|(name, on)| (name.as_str(), *on));
        Gates::with(release, set).map(Some).map_err(|error| format!("`gates`: {error}"))
    }

    /// Keeps to these limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The namespace in which an object ends up that names this one.
    pub(crate) fn namespace_of<'n>(&self, given: &'n str) -> &'n str
    where
        'a: 'n,
    {
        if given.is_empty() { self.namespace.unwrap_or("default") } else { given }
    }

    /// The text of the stored objects.
    pub(crate) fn stored(&self) -> Option<&'a str> {
        match self.operation {
            Operation::Create => None,
            Operation::Update(stored) | Operation::UpdateStatus(stored) => Some(stored),
        }
    }
}

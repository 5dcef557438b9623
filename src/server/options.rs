//! The options of [`crate::validate`]: the operation on the objects, and the server that judges them.

use crate::api::{Gates, Release};
use crate::limits::Limits;
use crate::record::decode::Via;
use crate::server::body::FieldValidation;
use std::collections::BTreeMap;

/// The operation on the objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation<'a> {
    /// They are new.
    #[default]
    Create,
    /// They replace the stored objects; the value is the text of those.
    Update(&'a str),
    /// Their status replaces the status of the stored objects; the value is the text of those.
    UpdateStatus(&'a str),
}

/// The API version of the stored objects in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredAs<'a> {
    /// The version of the object in the text.
    Written,
    /// The version with this short name, e.g. `v1`.
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
    /// The server's release; `None`: for each object the last release that serves its version.
    pub release: Option<Release>,
    /// The operation on the objects.
    pub operation: Operation<'a>,
    /// How the objects reach the server.
    pub via: Via,
    /// The namespace that the request names.
    pub namespace: Option<&'a str>,
    /// How the server treats unknown and duplicate fields.
    pub field_validation: FieldValidation,
    /// Feature gates that override the defaults of the release.
    pub gates: Option<&'a BTreeMap<String, bool>>,
    /// The labels of the request's namespace; `None`: unknown.
    pub namespace_labels: Option<&'a BTreeMap<String, String>>,
    /// The version in which the answer includes the stored objects; `None`: the answer leaves them out.
    pub stored_as: Option<StoredAs<'a>>,
    /// The limits on a text.
    pub limits: Limits,
    /// The text is the result of a patch on the server; no client sends it.
    pub(crate) patched: bool,
}

impl<'a> ValidateOptions<'a> {
    /// Sets the release.
    pub fn release(mut self, release: Release) -> Self {
        self.release = Some(release);
        self
    }

    /// Sets the operation.
    pub fn operation(mut self, operation: Operation<'a>) -> Self {
        self.operation = operation;
        self
    }

    /// Sets how the objects reach the server.
    pub fn via(mut self, via: Via) -> Self {
        self.via = via;
        self
    }

    /// Sets the namespace of the request.
    pub fn namespace(mut self, namespace: &'a str) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// Sets how the server treats unknown and duplicate fields.
    pub fn field_validation(mut self, validation: FieldValidation) -> Self {
        self.field_validation = validation;
        self
    }

    /// Sets these feature gates. A gate that the release of an object does not know makes the whole answer unusable.
    pub fn gates(mut self, gates: &'a BTreeMap<String, bool>) -> Self {
        self.gates = Some(gates);
        self
    }

    /// Sets the labels of the namespace.
    pub fn namespace_labels(mut self, labels: &'a BTreeMap<String, String>) -> Self {
        self.namespace_labels = Some(labels);
        self
    }

    /// Includes the stored objects in the answer, in this version.
    pub fn stored_as(mut self, version: StoredAs<'a>) -> Self {
        self.stored_as = Some(version);
        self
    }

    /// The gates that are on in a release; `None` if the options set no gate. The error names the gate.
    pub(crate) fn gates_in(&self, release: Release) -> Result<Option<Gates>, String> {
        let Some(gates) = self.gates.filter(|gates| !gates.is_empty()) else { return Ok(None) };
        let set = gates.iter().map(|(name, on)| (name.as_str(), *on));
        Gates::with(release, set).map(Some).map_err(|error| format!("`gates`: {error}"))
    }

    /// Sets the limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The namespace of an object whose manifest has `given`, which may be empty.
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

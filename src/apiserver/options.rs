//! The options of [`crate::validate`]: the operation on the objects, and the server that judges them.

use crate::apiserver::body::FieldValidation;
pub use crate::validation::Operation;
use claimkit_model::error::{Error, ErrorKind};
use claimkit_model::limits::Limits;
use claimkit_model::message::message;
use claimkit_model::object::decode::Via;
use claimkit_model::schema::{Gates, Release};
use claimkit_model::text::SourceText;
use std::collections::BTreeMap;

/// The API version of the stored objects in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoredAs<'a> {
    /// The version of the object in the text.
    Written,
    /// The version with this short name, e.g. `v1`.
    Version(&'a str),
}

/// The options of [`crate::validate`]. The default is a `kubectl create` of the text.
///
/// ```
/// use claimkit::{FieldValidation, Limits, Operation, Release, StoredAs, ValidateOptions};
/// use std::collections::BTreeMap;
///
/// let text = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: gpu}\nspec: {devices: {}}\n";
/// let gates = BTreeMap::from([("DRAAdminAccess".to_owned(), true)]);
/// let (labels, beside) = (BTreeMap::new(), [String::new()]);
/// let options = ValidateOptions::default().release(Release::new(34, 1)).via(Default::default()).namespace("team");
/// let options = options.field_validation(FieldValidation::Warn).gates(&gates).namespace_labels(&labels).beside(&beside);
/// let options = options.stored_as(StoredAs::Version("v1beta1")).limits(Limits::default());
/// assert!(claimkit::validate(text, &options).ok);
/// // An update needs the version of the stored object that it replaces.
/// assert!(!claimkit::validate(text, &options.operation(Operation::Update(text))).ok);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ValidateOptions<'a> {
    /// The server's release; `None`: for each object the last release that serves its version.
    pub release: Option<Release>,
    /// The operation on the objects.
    pub operation: Operation<SourceText<'a>>,
    /// The way in which the objects reach the server.
    pub via: Via,
    /// The namespace that the request names.
    pub namespace: Option<&'a str>,
    /// The server's treatment of unknown and duplicate fields.
    pub field_validation: FieldValidation,
    /// Feature gates that override the defaults of the release.
    pub gates: Option<&'a BTreeMap<String, bool>>,
    /// The labels of the request's namespace; `None`: unknown.
    pub namespace_labels: Option<&'a BTreeMap<String, String>>,
    /// The version in which the answer includes the stored objects; `None`: the answer leaves them out.
    pub stored_as: Option<StoredAs<'a>>,
    /// Other texts whose objects are known but not judged, such as the other files of a project. Names that the text refers to
    /// are looked up in them, too. An error in one of them is not a finding, and hides nothing in the others.
    pub beside: &'a [String],
    /// The limits on a text.
    pub limits: Limits,
    /// The versions that the cluster serves; `None`: those of its release.
    pub(crate) served: Option<&'a [String]>,
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
    pub fn operation(mut self, operation: Operation<&'a str>) -> Self {
        self.operation = operation.map(SourceText::from);
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

    /// Sets the texts whose objects are known but not judged.
    pub fn beside(mut self, texts: &'a [String]) -> Self {
        self.beside = texts;
        self
    }

    /// Returns the gates that are on in a release; `None` if the options set no gate. The error names the gate.
    pub(crate) fn gates_in(&self, release: Release) -> Result<Option<Gates>, Error> {
        let Some(gates) = self.gates.filter(|gates| !gates.is_empty()) else {
            return Ok(None);
        };
        let set = gates.iter().map(|(name, on)| (name.as_str(), *on));
        Gates::with(release, set).map(Some).map_err(|error| {
            Error::new(
                ErrorKind::Gate,
                message!("server.gates", "`gates`: {error}", error),
            )
        })
    }

    /// Sets the limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the namespace of an object whose manifest has `given`, which may be empty.
    pub(crate) fn namespace_of<'n>(&self, given: &'n str) -> &'n str
    where
        'a: 'n,
    {
        if given.is_empty() {
            self.namespace.unwrap_or("default")
        } else {
            given
        }
    }

    /// Returns the text of the stored objects.
    pub(crate) fn stored(&self) -> Option<SourceText<'a>> {
        self.operation.stored()
    }
}

//! The `Status` object of an HTTP answer (behaviour.md §5.4).

use super::errors::{FieldError, aggregate};
use crate::goformat::{self, GoUnicode};
use crate::schema::GROUP;
use serde::Serialize;

/// `metav1.Status` of a refused request, fields as the server orders them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    kind: &'static str,
    api_version: &'static str,
    metadata: Empty,
    status: &'static str,
    /// All errors in one text.
    pub message: String,
    /// e.g. `Invalid`; left out where the server gives none.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub reason: &'static str,
    /// Which object, and each error on its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Details>,
    /// The HTTP status.
    pub code: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Empty {}

/// `metav1.StatusDetails`
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Details {
    /// The object's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The API group.
    pub group: &'static str,
    /// The kind, or for a conflict the resource.
    pub kind: &'static str,
    /// Each error, repeated ones included.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
}

/// `metav1.StatusCause`
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// e.g. `FieldValueInvalid`
    pub reason: &'static str,
    /// The text without the path.
    pub message: String,
    /// The path.
    pub field: String,
}

impl Status {
    fn failure(code: u16, reason: &'static str, message: String, details: Option<Details>) -> Self {
        Status { kind: "Status", api_version: "v1", metadata: Empty {}, status: "Failure", message, reason, details, code }
    }

    /// 422: what validation found. `None` if it found nothing.
    pub fn invalid(kind: &'static str, name: &str, errors: &[FieldError], unicode: GoUnicode) -> Option<Self> {
        if errors.is_empty() {
            return None;
        }
        let message = format!("{kind}.{GROUP} {} is invalid: {}", goformat::quote(name, unicode), aggregate(errors));
        let causes = errors
            .iter()
            .map(|error| Cause { reason: error.cause.reason(), message: error.body.clone(), field: error.field.clone() })
            .collect();
        let details = Details { name: name.to_owned(), group: GROUP, kind, causes };
        Some(Self::failure(422, "Invalid", message, Some(details)))
    }

    /// 400: the body cannot be decoded into the kind. `version` is the short one.
    pub fn undecodable(kind: &str, version: &str, error: &str, unicode: GoUnicode) -> Self {
        let version = goformat::quote(version, unicode);
        Self::bad_request(format!("{kind} in version {version} cannot be handled as a {kind}: {error}"))
    }

    /// 400 with a text of its own.
    pub fn bad_request(message: String) -> Self {
        Self::failure(400, "BadRequest", message, None)
    }

    /// 409: the stored object has another resource version. `plural` is the resource.
    pub fn conflict(plural: &'static str, name: &str, unicode: GoUnicode) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {plural}.{GROUP} {}: the object has been modified; please apply your changes to the latest version and try again",
            goformat::quote(name, unicode)
        );
        let details = Details { name: name.to_owned(), group: GROUP, kind: plural, causes: Vec::new() };
        Self::failure(409, "Conflict", message, Some(details))
    }

    /// 500: an error the server has no status of its own for.
    pub fn internal(message: &str) -> Self {
        Self::failure(500, "", message.to_owned(), None)
    }
}

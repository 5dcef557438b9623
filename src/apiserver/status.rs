//! The `Status` object of an HTTP answer (apimachinery, pkg/api/errors/errors.go).

use crate::patch::{self, PatchRefusal};
use crate::validation::errors::{FieldError, aggregate};
use claimkit_model::finding::named::fixed;
use claimkit_model::schema::GROUP;
use claimkit_values::GoUnicode;
use serde::Serialize;

/// `metav1.Status` of a refused request, fields as the server orders them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    #[serde(serialize_with = "fixed")]
    kind: &'static str,
    #[serde(serialize_with = "fixed")]
    api_version: &'static str,
    metadata: Empty,
    #[serde(serialize_with = "fixed")]
    status: &'static str,
    /// All errors in one message.
    pub message: String,
    /// e.g. `Invalid`; left out if the server gives no reason.
    #[serde(skip_serializing_if = "str::is_empty", serialize_with = "fixed")]
    pub reason: &'static str,
    /// The object and the single errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<StatusDetails>,
    pub code: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Empty {}

/// `metav1.StatusDetails`
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StatusDetails {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(skip_serializing_if = "str::is_empty", serialize_with = "fixed")]
    pub group: &'static str,
    /// The kind, or for a conflict the resource.
    #[serde(skip_serializing_if = "str::is_empty", serialize_with = "fixed")]
    pub kind: &'static str,
    /// The single errors, including repeated ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<StatusCause>,
}

/// `metav1.StatusCause`
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StatusCause {
    /// e.g. `FieldValueInvalid`
    #[serde(serialize_with = "fixed")]
    pub reason: &'static str,
    /// The message without the path.
    pub message: String,
    pub field: String,
}

fn causes(errors: &[FieldError]) -> Vec<StatusCause> {
    errors
        .iter()
        .map(|error| StatusCause {
            reason: error.cause.reason(),
            message: error.body.clone(),
            field: error.field.clone(),
        })
        .collect()
}

impl Status {
    fn failure(
        code: u16,
        reason: &'static str,
        message: String,
        details: Option<StatusDetails>,
    ) -> Self {
        Status {
            kind: "Status",
            api_version: "v1",
            metadata: Empty {},
            status: "Failure",
            message,
            reason,
            details,
            code,
        }
    }

    /// Makes a 422: the errors of validation. `None` if there are none.
    pub(crate) fn invalid(
        kind: &'static str,
        name: &str,
        errors: &[FieldError],
        unicode: GoUnicode,
    ) -> Option<Self> {
        if errors.is_empty() {
            return None;
        }
        let message = [
            kind,
            ".",
            GROUP,
            " ",
            &claimkit_values::quote(name, unicode),
            " is invalid: ",
            &aggregate(errors),
        ]
        .concat();
        let details = StatusDetails {
            name: name.to_owned(),
            group: GROUP,
            kind,
            causes: causes(errors),
        };
        Some(Self::failure(422, "Invalid", message, Some(details)))
    }

    /// Returns the status 400 for a body that cannot be decoded into the kind. `version` is the short name.
    pub(crate) fn undecodable(kind: &str, version: &str, error: &str, unicode: GoUnicode) -> Self {
        let version = claimkit_values::quote(version, unicode);
        Self::bad_request(
            [
                kind,
                " in version ",
                &version,
                " cannot be handled as a ",
                kind,
                ": ",
                error,
            ]
            .concat(),
        )
    }

    /// Returns the status 400 for a kind that cannot be decoded into the kind of the URL. `version` is the short name.
    pub(crate) fn unhandled(
        body_kind: &str,
        version: &str,
        kind: &str,
        error: &str,
        unicode: GoUnicode,
    ) -> Self {
        let version = claimkit_values::quote(version, unicode);
        Self::bad_request(format!(
            "{body_kind} in version {version} cannot be handled as a {kind}: {error}"
        ))
    }

    /// Makes a 400 with this message.
    pub(crate) fn bad_request(message: String) -> Self {
        Self::failure(400, "BadRequest", message, None)
    }

    /// Returns the status 400 for an object whose namespace differs from that of the URL (apiserver, pkg/registry/rest/meta.go,
    /// `EnsureObjectNamespaceMatchesRequestNamespace`).
    pub(crate) fn other_namespace() -> Self {
        Self::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
                .to_owned(),
        )
    }

    /// Makes a 413: the body, or the patched object, is larger than the server allows.
    pub(crate) fn too_large(message: &str) -> Self {
        Self::failure(
            413,
            "RequestEntityTooLarge",
            format!("Request entity too large: {message}"),
            None,
        )
    }

    /// Makes a 404: there is no object of this name. `plural` is the resource.
    pub(crate) fn not_found(plural: &'static str, name: &str, unicode: GoUnicode) -> Self {
        let message = format!(
            "{plural}.{GROUP} {} not found",
            claimkit_values::quote(name, unicode)
        );
        let details = StatusDetails {
            name: name.to_owned(),
            group: GROUP,
            kind: plural,
            causes: Vec::new(),
        };
        Self::failure(404, "NotFound", message, Some(details))
    }

    /// Makes a 409: an object of this name already exists. `plural` is the resource.
    pub(crate) fn already_exists(plural: &'static str, name: &str, unicode: GoUnicode) -> Self {
        let message = format!(
            "{plural}.{GROUP} {} already exists",
            claimkit_values::quote(name, unicode)
        );
        let details = StatusDetails {
            name: name.to_owned(),
            group: GROUP,
            kind: plural,
            causes: Vec::new(),
        };
        Self::failure(409, "AlreadyExists", message, Some(details))
    }

    /// Makes a 409: the stored object has another resource version. `plural` is the resource.
    pub(crate) fn conflict(plural: &'static str, name: &str, unicode: GoUnicode) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {plural}.{GROUP} {}: the object has been modified; please apply your changes to the latest version and try again",
            claimkit_values::quote(name, unicode)
        );
        let details = StatusDetails {
            name: name.to_owned(),
            group: GROUP,
            kind: plural,
            causes: Vec::new(),
        };
        Self::failure(409, "Conflict", message, Some(details))
    }

    /// Makes a 500: an error without a more specific status.
    pub(crate) fn internal(message: &str) -> Self {
        Self::failure(500, "", message.to_owned(), None)
    }

    /// Makes a 422: the errors of the options of a patch. `None` if there are none.
    pub(crate) fn bad_options(errors: &[FieldError]) -> Option<Self> {
        if errors.is_empty() {
            return None;
        }
        let message = format!(
            "PatchOptions.meta.k8s.io \"\" is invalid: {}",
            aggregate(errors)
        );
        let details = StatusDetails {
            name: String::new(),
            group: "meta.k8s.io",
            kind: "PatchOptions",
            causes: causes(errors),
        };
        Some(Self::failure(422, "Invalid", message, Some(details)))
    }

    /// Returns the answer to a refused patch; `None` if the server's answer is unknown.
    pub(crate) fn patch(refused: &PatchRefusal, unicode: GoUnicode) -> Option<Self> {
        let details = |causes| {
            Some(StatusDetails {
                name: String::new(),
                group: "",
                kind: "",
                causes,
            })
        };
        Some(match refused {
            PatchRefusal::BadRequest(message) => Self::bad_request(message.clone()),
            PatchRefusal::Internal(message) => Self::internal(message),
            PatchRefusal::Ours(_) => return None,
            PatchRefusal::Rejected(_) => {
                let message = "the server rejected our request due to an error in our request";
                Self::failure(422, "Invalid", message.to_owned(), details(Vec::new()))
            }
            PatchRefusal::TooLarge(message) => Self::too_large(message),
            PatchRefusal::Invalid { value, detail } => {
                let body = format!(
                    "Invalid value: {}: {detail}",
                    claimkit_values::quote(value, unicode)
                );
                let message = format!(" \"\" is invalid: patch: {body}");
                let causes = vec![StatusCause {
                    reason: "FieldValueInvalid",
                    message: body,
                    field: "patch".to_owned(),
                }];
                Self::failure(422, "Invalid", message, details(causes))
            }
            PatchRefusal::Conflicts(conflicts) => {
                let causes = conflicts
                    .iter()
                    .map(|conflict| StatusCause {
                        reason: "FieldManagerConflict",
                        message: format!("conflict with {}", conflict.manager),
                        field: conflict.path.clone(),
                    })
                    .collect();
                Self::failure(
                    409,
                    "Conflict",
                    patch::conflict_message(conflicts),
                    details(causes),
                )
            }
        })
    }
}

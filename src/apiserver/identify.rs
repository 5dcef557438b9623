//! Which kind the server reads a patched document as, before it decodes the fields.

use crate::manifest::meta_errors;
use claimkit_model::schema::{self, Api, GROUP, Release};
use serde_json::{Map, Value};

/// The kind of a patched document.
#[derive(Debug, PartialEq, Eq)]
pub enum PatchedKind {
    /// The identity of the stored object.
    Same,
    /// The server's internal type, as the document has no `apiVersion`: it has no field that a manifest has.
    Internal,
    /// None that the server can use; its error.
    Refused(String),
    /// One of another group: the server refuses it, in words that depend on whether it has such a kind.
    Foreign,
}

/// Returns the kind of a patched document (kube-apiserver 1.37: apimachinery, pkg/runtime/serializer/json/meta.go, `Interpret`, and
/// json.go, `Decode`, with the internal type as the default).
pub fn identify(document: &Value, stored: Api, release: Release) -> PatchedKind {
    let Some(members) = document.as_object() else {
        let what = crate::patch::go_kind(document);
        return PatchedKind::Refused(meta_errors::not_an_object(what));
    };
    let (api_version, kind) = match (
        text(members, "apiVersion"),
        text(members, "kind"),
        first_wrong(members),
    ) {
        (Some(api_version), Some(kind), _) => (api_version, kind),
        (.., wrong) => return PatchedKind::Refused(wrong),
    };
    if api_version.matches('/').count() > 1 {
        return PatchedKind::Refused(format!("unexpected GroupVersion string: {api_version}"));
    }
    let kind = if kind.is_empty() {
        stored.kind.kind
    } else {
        kind
    };
    let scheme = release.rules().scheme;
    let unicode = release.rules().unicode;
    let quoted_kind = claimkit_values::quote(kind, unicode);
    if api_version.is_empty() {
        if kind == stored.kind.kind {
            return PatchedKind::Internal;
        }
        let mut versions = schema::VERSIONS.iter();
        if versions.any(|version| serves_kind(version, kind, release)) {
            return other_kind("resource", kind, stored);
        }
        let group = claimkit_values::quote(GROUP, unicode);
        return PatchedKind::Refused(format!(
            "no kind {quoted_kind} is registered for the internal version of group {group} in scheme \"{scheme}\""
        ));
    }
    let served = schema::version(api_version).filter(|row| serves_kind(row, kind, release));
    if let Some(version) = served {
        return if kind == stored.kind.kind {
            PatchedKind::Same
        } else {
            other_kind(version.name, kind, stored)
        };
    }
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    if group != GROUP && !is_kind_of_ours(kind) {
        return PatchedKind::Foreign;
    }
    let version = claimkit_values::quote(api_version, unicode);
    PatchedKind::Refused(format!(
        "no kind {quoted_kind} is registered for version {version} in scheme \"{scheme}\""
    ))
}

/// Refuses an object of another kind than the stored one.
fn other_kind(version: &str, kind: &str, stored: Api) -> PatchedKind {
    PatchedKind::Refused(format!(
        "converting ({version}.{kind}) to (resource.{}): unknown conversion",
        stored.kind.kind
    ))
}

/// Returns true if the release serves the kind in this version.
fn serves_kind(version: &schema::Version, kind: &str, release: Release) -> bool {
    version.served_by(release)
        && version
            .kinds
            .iter()
            .any(|row| row.kind == kind && row.in_release(release))
}

/// Returns true if any version of the group has the kind, in any release.
fn is_kind_of_ours(kind: &str) -> bool {
    let mut kinds = schema::VERSIONS.iter().flat_map(|version| version.kinds);
    kinds.any(|row| row.kind == kind)
}

/// Returns the value of a member that is text, or absent; `None` if it is something else.
fn text<'v>(members: &'v Map<String, Value>, name: &str) -> Option<&'v str> {
    match members.get(name) {
        None | Some(Value::Null) => Some(""),
        Some(value) => value.as_str(),
    }
}

/// Returns the error about the first of the two members that is not a string.
fn first_wrong(members: &Map<String, Value>) -> String {
    let wrong = members.keys().find(|name| {
        matches!(name.as_str(), "apiVersion" | "kind") && text(members, name).is_none()
    });
    let (name, what) = wrong.map_or(("", ""), |name| {
        (
            name.as_str(),
            members.get(name).map_or("", crate::patch::go_kind),
        )
    });
    meta_errors::not_a_string(what, name)
}

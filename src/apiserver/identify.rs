//! Which kind the server reads a patched document as, before it decodes the fields.

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
        return PatchedKind::Refused(format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {what} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}"
        ));
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
    let quoted = |text: &str| claimkit_values::quote(text, release.rules().unicode);
    let no_kind = |place: String| {
        PatchedKind::Refused(format!(
            "no kind {} is registered for {place} in scheme \"{scheme}\"",
            quoted(kind)
        ))
    };
    let other = |version: &str| {
        PatchedKind::Refused(format!(
            "converting ({version}.{kind}) to (resource.{}): unknown conversion",
            stored.kind.kind
        ))
    };
    let has = |version: &schema::Version| {
        version.served_by(release)
            && version
                .kinds
                .iter()
                .any(|row| row.kind == kind && row.in_release(release))
    };
    if api_version.is_empty() {
        return match kind {
            _ if kind == stored.kind.kind => PatchedKind::Internal,
            _ if schema::VERSIONS.iter().any(|version| has(version)) => other("resource"),
            _ => no_kind(format!("the internal version of group {}", quoted(GROUP))),
        };
    }
    let ours = |version: &schema::Version| version.kinds.iter().any(|row| row.kind == kind);
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let foreign = group != GROUP && !schema::VERSIONS.iter().any(|version| ours(version));
    match schema::version(api_version).filter(|version| has(version)) {
        Some(_) if kind == stored.kind.kind => PatchedKind::Same,
        Some(version) => other(version.name),
        None if foreign => PatchedKind::Foreign,
        None => no_kind(format!("version {}", quoted(api_version))),
    }
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
    format!(
        "couldn't get version/kind; json parse error: json: cannot unmarshal {what} into Go struct field .{name} of type string"
    )
}

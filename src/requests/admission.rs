//! The AdmissionRequest of a manifest, as an API server sends it when the object is created.

use crate::manifest::{Input, What};
use claimkit_model::finding::Severity;
use claimkit_model::limits::Limits;
use claimkit_model::schema::Scope;
use claimkit_model::text::print::{self, Order};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// The most JSON of one object; an API server accepts 3 MiB.
const MAX_OBJECT: usize = 16 << 20;

/// Kinds of other groups that have no namespace, as far as manifests with claims have them.
const OF_CLUSTER: [&str; 3] = ["Namespace", "Node", "CustomResourceDefinition"];

/// Returns true for JSON that is an AdmissionRequest or an AdmissionReview, false for a manifest; `None` for a text that is not JSON.
pub fn is_request(text: &str) -> Option<bool> {
    #[derive(Deserialize)]
    struct Probe {
        #[serde(rename = "apiVersion")]
        api_version: Option<IgnoredAny>,
        kind: Option<Value>,
    }
    let Probe { api_version, kind } = serde_json::from_str(text).ok()?;
    Some(match kind {
        Some(kind) => kind == "AdmissionReview" || !kind.is_string(),
        None => api_version.is_none(),
    })
}

/// Reads a text, YAML or JSON, as JSON.
///
/// # Errors
/// Why it cannot be read.
pub fn json_of(text: &str) -> Result<Box<RawValue>, String> {
    let input = Input::read(text, None, &Limits::default());
    let mut documents = input
        .file
        .documents
        .iter()
        .filter_map(|document| Some((&document.tree, document.root?)));
    let (Some((tree, root)), None) = (documents.next(), documents.next()) else {
        let error = input
            .file
            .findings
            .iter()
            .find(|finding| finding.severity == Severity::Error);
        return Err(error.map_or_else(
            || "one document of YAML or JSON is expected".to_owned(),
            |finding| finding.message.clone(),
        ));
    };
    let mut json = String::new();
    if !print::json(tree, root, Order::Source, MAX_OBJECT, &mut json) {
        return Err(format!("more than {MAX_OBJECT} bytes"));
    }
    RawValue::from_string(json).map_err(|error| error.to_string())
}

/// Makes the request to create the one object of a manifest in the namespace `default`, or in its own.
///
/// # Errors
/// The manifest does not have one object that can be read.
pub fn request_of(manifest: &str) -> Result<Box<RawValue>, String> {
    let input = Input::read(manifest, None, &Limits::default());
    let [item] = input.items.as_slice() else {
        return Err(match input.items.len() {
            0 => "the manifest has no object".to_owned(),
            count => format!("the manifest has {count} objects: ask about each by itself"),
        });
    };
    let object = json_of(manifest)?;
    let (plural, of_cluster) = match item.what {
        What::Ours(api) => (api.kind.plural.to_owned(), api.kind.scope == Scope::Cluster),
        _ => (plural(&item.kind), OF_CLUSTER.contains(&item.kind.as_str())),
    };
    let (group, version) = item
        .api_version
        .split_once('/')
        .unwrap_or(("", &item.api_version));
    let kind = json!({ "group": group, "version": version, "kind": item.kind });
    let mut request = json!({
        "uid": "claimkit",
        "kind": kind,
        "resource": { "group": group, "version": version, "resource": plural },
        "requestKind": kind,
        "name": item.name,
        "operation": "CREATE",
        "userInfo": { "username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"] },
        "oldObject": null,
        "dryRun": false,
    });
    if let Some(fields) = request.as_object_mut() {
        if !of_cluster {
            let namespace = if item.namespace.is_empty() {
                "default"
            } else {
                &item.namespace
            };
            fields.insert("namespace".to_owned(), namespace.into());
        }
        let object = serde_json::from_str(object.get()).map_err(|error| error.to_string())?;
        fields.insert("object".to_owned(), object);
    }
    to_raw_value(&request).map_err(|error| error.to_string())
}

/// Guesses the resource of a kind of another group as generators of clients do (apimachinery, pkg/api/meta,
/// `UnsafeGuessKindToResource`).
fn plural(kind: &str) -> String {
    let singular = kind.to_lowercase();
    match singular.chars().last() {
        Some('s') => format!("{singular}es"),
        Some('y') => format!("{}ies", singular.trim_end_matches('y')),
        _ => format!("{singular}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_becomes_the_request_to_create_it() {
        let class =
            "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n";
        let made = |manifest: &str| -> Value {
            serde_json::from_str(request_of(manifest).unwrap().get()).unwrap()
        };
        let request = made(class);
        assert_eq!(request["resource"]["resource"], "deviceclasses");
        assert_eq!(request["object"]["metadata"]["name"], "gpu");
        assert!(request.get("namespace").is_none());
        let pod = made("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n");
        assert_eq!(pod["namespace"], "default");
        assert_eq!(pod["resource"]["resource"], "pods");
        assert!(
            request_of(&format!("{class}---\n{class}"))
                .unwrap_err()
                .contains("2 objects")
        );
        assert_eq!(
            is_request(r#"{"uid": "1", "kind": {"kind": "Pod"}}"#),
            Some(true)
        );
        assert_eq!(
            is_request(r#"{"apiVersion": "v1", "kind": "Pod"}"#),
            Some(false)
        );
        assert_eq!(is_request(class), None);
    }
}

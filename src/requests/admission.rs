//! The AdmissionRequest about an object of a manifest, as an API server sends it.

pub use crate::policy::request::EVERYBODY;
pub use crate::policy::validating::MAX_OBJECT;

use crate::convert::{ConvertOptions, convert};
use crate::manifest::{Input, Item, What};
use crate::policy::check;
use crate::policy::request::CLUSTER_SCOPED;
use crate::validation::Operation;
use claimkit_model::finding::Severity;
use claimkit_model::limits::Limits;
use claimkit_model::message::Words;
use claimkit_model::schema::{Scope, VERSIONS};
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::{NodeId, Tree};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Who creates a manifest, if nobody says: the user of kubeadm's `admin.conf`.
pub const USER: &str = "kubernetes-admin";
const GROUPS: [&str; 2] = ["system:masters", EVERYBODY];

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
        return Err(error_of(&input)
            .unwrap_or_else(|| "one document of YAML or JSON is expected".to_owned()));
    };
    printed(tree, root)
}

/// Reads settings of a policy, YAML or JSON, as JSON.
///
/// # Errors
/// Why they cannot be read, or the first key that they list twice.
pub fn settings_of(text: &str) -> Result<Box<RawValue>, String> {
    match repeated_keys(text).into_iter().next() {
        Some(problem) => Err(problem.into()),
        None => json_of(text),
    }
}

/// Returns the keys that settings in a text list twice, which JSON made of the text does not show any more.
pub fn repeated_keys(text: &str) -> Vec<Words> {
    let input = Input::read(text, None, &Limits::default());
    let documents = input.file.documents.iter();
    documents
        .filter_map(|document| Some(check::repeated_keys(&document.tree, document.root?)))
        .flatten()
        .collect()
}

/// Returns the request to create the one object of a manifest, in its own namespace or in `default`.
///
/// # Errors
/// The manifest does not have one object that can be read.
pub fn request_of(manifest: &str) -> Result<Box<RawValue>, String> {
    let input = Input::read(manifest, None, &Limits::default());
    let [item] = input.items.as_slice() else {
        return Err(match (input.items.len(), error_of(&input)) {
            (0, Some(error)) => error,
            (0, None) => "the manifest has no object".to_owned(),
            (count, _) => format!("the manifest has {count} objects: ask about each by itself"),
        });
    };
    let tree = input.tree(item).ok_or("the manifest has no object")?;
    let object = ManifestObject::of(item, printed(tree, item.node)?, "default");
    let request = object.request(None, USER, &GROUPS);
    request.ok_or_else(|| "the request cannot be written".to_owned())
}

/// Returns the first error of reading.
fn error_of(input: &Input<'_>) -> Option<String> {
    let error = input
        .file
        .findings
        .iter()
        .find(|finding| finding.severity == Severity::Error)?;
    Some(error.message.to_string())
}

fn printed(tree: &Tree<'_>, node: NodeId) -> Result<Box<RawValue>, String> {
    let mut json = String::new();
    if !print::json(tree, node, Order::Source, MAX_OBJECT, &mut json) {
        return Err(format!("more than {MAX_OBJECT} bytes"));
    }
    RawValue::from_string(json).map_err(|error| error.to_string())
}

/// An object of a manifest.
#[derive(Clone, Debug)]
pub struct ManifestObject {
    /// `apiVersion`.
    pub api_version: String,
    /// `kind`.
    pub kind: String,
    /// `metadata.name`.
    pub name: String,
    /// Its namespace; empty for an object of the cluster.
    pub namespace: String,
    /// The resource, such as `resourceclaims`.
    pub plural: String,
    /// The object itself.
    pub json: Box<RawValue>,
}

/// The fields of a JSON object.
type Fields = BTreeMap<String, Box<RawValue>>;

fn fields(json: &RawValue) -> Option<Fields> {
    serde_json::from_str(json.get()).ok()
}

#[derive(Serialize)]
struct GroupVersionKind<'o> {
    group: &'o str,
    version: &'o str,
    kind: &'o str,
}

#[derive(Serialize)]
struct GroupVersionResource<'o> {
    group: &'o str,
    version: &'o str,
    resource: &'o str,
}

#[derive(Serialize)]
struct User<'o> {
    username: &'o str,
    groups: &'o [&'o str],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AdmissionRequest<'o> {
    uid: &'o str,
    kind: GroupVersionKind<'o>,
    resource: GroupVersionResource<'o>,
    request_kind: GroupVersionKind<'o>,
    name: &'o str,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'o str,
    operation: &'static str,
    user_info: User<'o>,
    object: &'o RawValue,
    old_object: Option<&'o RawValue>,
    dry_run: bool,
}

impl ManifestObject {
    /// Makes it of an object that was read and its JSON. `default`: the namespace of an object that names none.
    pub fn of(item: &Item, json: Box<RawValue>, default: &str) -> Self {
        let known = match item.what {
            What::Ours(api) => Some((api.kind.plural.to_owned(), api.kind.scope == Scope::Cluster)),
            _ => None,
        };
        let (plural, of_cluster) = known.unwrap_or_else(|| {
            (
                plural(&item.kind),
                CLUSTER_SCOPED.contains(&item.kind.as_str()),
            )
        });
        let namespace = match (of_cluster, item.namespace.as_str()) {
            (true, _) => "",
            (false, "") => default,
            (false, own) => own,
        };
        ManifestObject {
            api_version: item.api_version.clone(),
            kind: item.kind.clone(),
            name: item.name.clone(),
            namespace: namespace.to_owned(),
            plural,
            json,
        }
    }

    /// Returns the object as the server holds it in its namespace, which a manifest need not name.
    pub fn in_namespace(&self) -> Option<Value> {
        let mut object: Value = serde_json::from_str(self.json.get()).ok()?;
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
            && !self.namespace.is_empty()
        {
            metadata.insert("namespace".to_owned(), Value::from(self.namespace.as_str()));
        }
        Some(object)
    }

    /// Returns the group, empty for the core's, and the version.
    pub fn group_version(&self) -> (&str, &str) {
        self.api_version
            .split_once('/')
            .unwrap_or(("", &self.api_version))
    }

    /// Returns true if both are the same object of the cluster.
    pub fn is(&self, other: &ManifestObject) -> bool {
        let same = |of: fn(&ManifestObject) -> &str| of(self) == of(other);
        same(|object| &object.kind)
            && same(|object| &object.name)
            && same(|object| &object.namespace)
            && self.group_version().0 == other.group_version().0
    }

    /// Returns the object in another version, as the server converts it before it compares; `None` if it is in that version, or cannot
    /// be converted.
    fn in_version(&self, api_version: &str) -> Option<ManifestObject> {
        let to = VERSIONS
            .iter()
            .copied()
            .find(|version| version.api_version == api_version)?;
        if self.api_version == api_version {
            return None;
        }
        let options = ConvertOptions::default().lossy(true);
        let text = convert(self.json.get(), to, &options).text?;
        Some(ManifestObject {
            api_version: api_version.to_owned(),
            json: RawValue::from_string(text.trim().to_owned()).ok()?,
            ..self.clone()
        })
    }

    /// Returns the object as the server stores it over `stored`: it keeps what only the server writes. A manifest as stored object has
    /// some resource version, too.
    pub fn over(&self, stored: &ManifestObject) -> Option<(ManifestObject, ManifestObject)> {
        let converted = stored.in_version(&self.api_version);
        let stored = converted.as_ref().unwrap_or(stored);
        let mut parts: [Fields; 2] = [fields(&stored.json)?, fields(&self.json)?];
        let version = RawValue::from_string("\"1\"".to_owned()).ok()?;
        let mut kept: Vec<(&str, Box<RawValue>)> = Vec::new();
        for fields_of in &mut parts {
            let mut metadata = fields_of
                .get("metadata")
                .map_or(Some(Fields::new()), |metadata| fields(metadata))?;
            if kept.is_empty() {
                metadata
                    .entry("resourceVersion".to_owned())
                    .or_insert_with(|| version.clone());
                let names = ["resourceVersion", "uid", "creationTimestamp"];
                kept = names
                    .into_iter()
                    .filter_map(|name| Some((name, metadata.get(name)?.clone())))
                    .collect();
            }
            for (name, value) in &kept {
                metadata
                    .entry((*name).to_owned())
                    .or_insert_with(|| value.clone());
            }
            fields_of.insert(
                "metadata".to_owned(),
                serde_json::value::to_raw_value(&metadata).ok()?,
            );
        }
        let [before, after] = parts.map(|fields| serde_json::value::to_raw_value(&fields).ok());
        Some((
            ManifestObject {
                json: after?,
                ..self.clone()
            },
            ManifestObject {
                json: before?,
                ..stored.clone()
            },
        ))
    }

    /// Returns the request of an API server about it.
    pub fn request(
        &self,
        stored: Option<&ManifestObject>,
        user: &str,
        groups: &[&str],
    ) -> Option<Box<RawValue>> {
        let user = User {
            username: user,
            groups,
        };
        self.request_of("claimkit", stored, user)
    }

    /// Returns the request of Kubewarden's audit scanner about it: as a stored object, under its own UID and without a user.
    pub fn stored_request(&self) -> Option<Box<RawValue>> {
        let mut parts = fields(&self.json)?;
        let metadata = parts.get("metadata");
        let mut metadata = metadata.map_or(Some(Fields::new()), |metadata| fields(metadata))?;
        let uid = metadata.get("uid");
        let uid = uid.and_then(|uid| serde_json::from_str::<String>(uid.get()).ok());
        // A file may lack what every stored object has.
        let uid = uid
            .filter(|uid| !uid.is_empty())
            .unwrap_or_else(|| "claimkit".to_owned());
        metadata.insert(
            "uid".to_owned(),
            serde_json::value::to_raw_value(&uid).ok()?,
        );
        let metadata = serde_json::value::to_raw_value(&metadata).ok()?;
        parts.insert("metadata".to_owned(), metadata);
        let object = ManifestObject {
            json: serde_json::value::to_raw_value(&parts).ok()?,
            ..self.clone()
        };
        let nobody = User {
            username: "",
            groups: &[],
        };
        object.request_of(&uid, None, nobody)
    }

    /// Returns true if the object is being deleted.
    pub fn is_going_away(&self) -> bool {
        let parts = fields(&self.json);
        let metadata = parts.and_then(|parts| fields(parts.get("metadata")?));
        let time = metadata.and_then(|metadata| metadata.get("deletionTimestamp").cloned());
        time.is_some_and(|time| time.get() != "null")
    }

    fn request_of(
        &self,
        uid: &str,
        stored: Option<&ManifestObject>,
        user_info: User<'_>,
    ) -> Option<Box<RawValue>> {
        let (group, version) = self.group_version();
        let kind = || GroupVersionKind {
            group,
            version,
            kind: &self.kind,
        };
        let operation = if stored.is_some() {
            Operation::Update(())
        } else {
            Operation::Create
        };
        let request = AdmissionRequest {
            uid,
            kind: kind(),
            resource: GroupVersionResource {
                group,
                version,
                resource: &self.plural,
            },
            request_kind: kind(),
            name: &self.name,
            namespace: &self.namespace,
            operation: operation.name(),
            user_info,
            object: &self.json,
            old_object: stored.map(|stored| &*stored.json),
            dry_run: false,
        };
        serde_json::value::to_raw_value(&request).ok()
    }

    /// Returns `team-a/training`, or the name alone.
    pub fn full_name(&self) -> String {
        if self.namespace.is_empty() {
            self.name.clone()
        } else {
            format!("{}/{}", self.namespace, self.name)
        }
    }
}

/// Guesses the resource of a kind of another group as generators of clients do (apimachinery, pkg/api/meta,
/// `UnsafeGuessKindToResource`).
fn plural(kind: &str) -> String {
    let singular = kind.to_lowercase();
    match singular.chars().last() {
        Some('s') => format!("{singular}es"),
        Some('y') => format!("{}ies", singular.strip_suffix('y').unwrap_or(&singular)),
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

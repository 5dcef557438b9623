//! Policies and plain manifests for `admit`: each object becomes a request to create it, or to update the stored one, as an API server
//! sends it to the policies whose rules name it.

use crate::files::InputFile;
use claimkit::manifest::{Input, Item, What};
use claimkit::validation::Operation;
use claimkit_model::limits::Limits;
use claimkit_model::schema::{GROUP, Scope, VERSIONS};
use claimkit_model::text::print::{self, Order};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The group of Kubewarden's policies.
const POLICIES: &str = "policies.kubewarden.io";

/// The most JSON of one object; an API server accepts 3 MiB.
const MAX_OBJECT: usize = 16 << 20;

/// The contents of a file for `admit`.
#[derive(Debug, Default)]
pub struct AdmissionFile {
    pub policies: Vec<Policy>,
    pub objects: Vec<ManifestObject>,
    /// The errors of the parts that cannot be read.
    pub problems: Vec<String>,
}

/// A policy to ask.
#[derive(Debug)]
pub struct Policy {
    /// The name of the file in the output.
    pub name: String,
    pub settings: Box<RawValue>,
    /// Fields of the manifest that are not evaluated here.
    pub unused: Vec<&'static str>,
    /// `None`: it is asked about everything.
    rules: Option<Vec<Rule>>,
    /// The namespace of an AdmissionPolicy, which sees no other.
    namespace: Option<String>,
    /// Whether it may change objects; without a manifest it may.
    pub mutating: bool,
    /// Whether it only reports.
    pub monitors: bool,
    /// The text that replaces its own message.
    pub message: Option<String>,
}

/// A rule of a policy (k8s.io/api, admissionregistration/v1, types.go, `RuleWithOperations`).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    #[serde(default)]
    api_groups: Vec<String>,
    #[serde(default)]
    api_versions: Vec<String>,
    #[serde(default)]
    resources: Vec<String>,
    #[serde(default)]
    operations: Vec<String>,
}

#[derive(Deserialize)]
struct Manifest {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    spec: Spec,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    name: String,
    #[serde(default)]
    namespace: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Spec {
    settings: Option<Box<RawValue>>,
    rules: Vec<Rule>,
    mutating: bool,
    mode: String,
    message: Option<String>,
    namespace_selector: Option<IgnoredAny>,
    object_selector: Option<IgnoredAny>,
    match_conditions: Option<IgnoredAny>,
}

impl Policy {
    /// Makes a policy with these settings that is asked about everything.
    pub fn of_settings(name: &str, settings: Box<RawValue>) -> Self {
        let name = name.to_owned();
        Policy {
            name,
            settings,
            unused: Vec::new(),
            rules: None,
            namespace: None,
            mutating: true,
            monitors: false,
            message: None,
        }
    }

    /// Reads a policy's manifest.
    fn of_manifest(json: &str, kind: &str) -> Result<Self, String> {
        let Manifest { metadata, spec } =
            serde_json::from_str(json).map_err(|error| error.to_string())?;
        let settings = match spec.settings.filter(|settings| settings.get() != "null") {
            Some(settings) => settings,
            None => RawValue::from_string("{}".to_owned()).map_err(|error| error.to_string())?,
        };
        let fields = [
            ("namespaceSelector", spec.namespace_selector.is_some()),
            ("objectSelector", spec.object_selector.is_some()),
            ("matchConditions", spec.match_conditions.is_some()),
        ];
        Ok(Policy {
            name: metadata.name,
            settings,
            unused: fields
                .into_iter()
                .filter(|(_, given)| *given)
                .map(|(name, _)| name)
                .collect(),
            rules: Some(spec.rules),
            namespace: (kind == "AdmissionPolicy").then_some(metadata.namespace),
            mutating: spec.mutating,
            monitors: spec.mode == "monitor",
            message: spec.message,
        })
    }

    /// Returns true if an API server asks the policy about this object.
    pub fn sees(&self, object: &ManifestObject, operation: Operation<()>) -> bool {
        if self
            .namespace
            .as_ref()
            .is_some_and(|namespace| *namespace != object.namespace)
        {
            return false;
        }
        let Some(rules) = &self.rules else {
            return true;
        };
        let (group, version) = object.group_version();
        let any =
            |list: &[String], name: &str| list.iter().any(|known| known == "*" || known == name);
        rules.iter().any(|rule| {
            any(&rule.api_groups, group)
                && rule
                    .api_versions
                    .iter()
                    .any(|known| known == "*" || equivalent(group, known, version))
                && any(&rule.resources, &object.plural)
                && any(&rule.operations, operation.name())
        })
    }
}

/// Returns true if a rule for one version also applies to another. An API server converts objects between the versions that it serves.
fn equivalent(group: &str, rule: &str, version: &str) -> bool {
    let minors = |name: &str| {
        VERSIONS
            .iter()
            .find(|known| known.name == name)
            .map(|known| known.minors())
    };
    match (rule == version, minors(rule), minors(version)) {
        (true, ..) => true,
        (_, Some((from, to)), Some((since, until))) if group == GROUP => {
            from <= until && since <= to
        }
        _ => false,
    }
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
    plural: String,
    json: Box<RawValue>,
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
    uid: &'static str,
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
    fn group_version(&self) -> (&str, &str) {
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

    /// Returns the object as the server stores it over `stored`: it keeps what only the server writes. A manifest as stored object has
    /// some resource version, too.
    pub fn over(&self, stored: &ManifestObject) -> Option<(ManifestObject, ManifestObject)> {
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
            uid: "claimkit",
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
            user_info: User {
                username: user,
                groups,
            },
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

/// Returns true if the text is an AdmissionRequest or an AdmissionReview, not a manifest.
pub fn is_request(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Probe {
        #[serde(rename = "apiVersion")]
        api_version: Option<IgnoredAny>,
        kind: Option<serde_json::Value>,
    }
    match serde_json::from_str::<Probe>(text) {
        Ok(Probe {
            kind: Some(kind), ..
        }) => kind == "AdmissionReview" || !kind.is_string(),
        Ok(Probe {
            api_version,
            kind: None,
        }) => api_version.is_none(),
        Err(_) => false,
    }
}

/// Reads the policies and objects of a file. `namespace`: of objects that name none.
pub fn read(file: &InputFile, namespace: &str) -> AdmissionFile {
    let input = Input::read(&file.text, None, &Limits::default());
    let mut found = AdmissionFile::default();
    for finding in input
        .file
        .findings
        .iter()
        .filter(|finding| finding.severity == claimkit_model::finding::Severity::Error)
    {
        found
            .problems
            .push(format!("{}: {}", file.name, finding.message));
    }
    for item in &input.items {
        let mut json = String::new();
        let whole = input
            .tree(item)
            .is_some_and(|tree| print::json(tree, item.node, Order::Source, MAX_OBJECT, &mut json));
        if !whole || item.kind.is_empty() {
            found.problems.push(format!(
                "{}: an object without `kind`, or too large",
                file.name
            ));
            continue;
        }
        if item.api_version.starts_with(POLICIES) {
            match (item.kind.as_str(), Policy::of_manifest(&json, &item.kind)) {
                ("ClusterAdmissionPolicy" | "AdmissionPolicy", Ok(policy)) => {
                    found.policies.push(policy)
                }
                ("ClusterAdmissionPolicy" | "AdmissionPolicy", Err(problem)) => {
                    found.problems.push(format!(
                        "{}: {} {}: {problem}",
                        file.name, item.kind, item.name
                    ));
                }
                _ => found.problems.push(format!(
                    "{}: {} {}: only single policies are asked",
                    file.name, item.kind, item.name
                )),
            }
            continue;
        }
        match RawValue::from_string(json) {
            Ok(json) => found.objects.push(object(item, json, namespace)),
            Err(error) => found.problems.push(format!(
                "{}: {} {}: {error}",
                file.name, item.kind, item.name
            )),
        }
    }
    found
}

fn object(item: &Item, json: Box<RawValue>, default: &str) -> ManifestObject {
    let known = match item.what {
        What::Ours(api) => Some((api.kind.plural.to_owned(), api.kind.scope == Scope::Cluster)),
        _ => None,
    };
    let (plural, of_cluster) =
        known.unwrap_or_else(|| (plural(&item.kind), OF_CLUSTER.contains(&item.kind.as_str())));
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

/// Kinds of other groups that have no namespace, as far as manifests with claims have them.
const OF_CLUSTER: [&str; 7] = [
    "Namespace",
    "Node",
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "PriorityClass",
    "StorageClass",
];

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

//! An AdmissionRequest as expressions see it (apiserver, pkg/admission/plugin/cel, compile.go, `BuildRequestType`; condition.go,
//! `CreateAdmissionRequest`).

use crate::apiserver::parse::{ParseOptions, parse};
use crate::convert::{ConvertOptions, convert};
use claimkit_cel::Environment;
use claimkit_cel::types::Type;
use claimkit_cel::value::Value as Cel;
use claimkit_model::finding::Code;
use claimkit_model::schema::{self, GROUP, Release};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Labels as far as they are known.
#[derive(Clone, Debug, Default)]
pub struct KnownLabels {
    pub labels: BTreeMap<String, String>,
    /// There may be more.
    pub partial: bool,
}

/// A request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Review {
    /// In the version that the client wrote.
    pub kind: GroupVersionKind,
    /// In the version that the client wrote.
    pub resource: GroupVersionResource,
    /// The version of the objects, where the server has converted them.
    #[serde(skip)]
    pub converted_to: Option<String>,
    #[serde(default)]
    pub sub_resource: String,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub namespace: String,
    pub operation: String,
    #[serde(default)]
    pub user_info: Value,
    #[serde(default, deserialize_with = "given")]
    pub object: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    pub old_object: Option<Value>,
    #[serde(default)]
    pub dry_run: Option<bool>,
    #[serde(default)]
    pub options: Value,
}

/// The kind of an object.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct GroupVersionKind {
    pub group: String,
    pub version: String,
    pub kind: String,
}

/// A resource.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct GroupVersionResource {
    pub group: String,
    pub version: String,
    pub resource: String,
}

/// What the client wrote.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenAs {
    request_kind: Option<GroupVersionKind>,
    request_resource: Option<GroupVersionResource>,
}

/// Removes the fields of an object that are `null`: the server reads them as absent.
fn without_nulls(value: &mut Value) {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
}

fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok((!value.is_null()).then_some(value))
}

impl Review {
    /// Reads a request, or the AdmissionReview around it.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn read(json: &str) -> Result<Self, serde_json::Error> {
        let mut value: Value = serde_json::from_str(json)?;
        if value.get("kind").and_then(Value::as_str) == Some("AdmissionReview") {
            value = value
                .get_mut("request")
                .map(Value::take)
                .unwrap_or_default();
        }
        without_nulls(&mut value);
        for name in ["kind", "resource", "requestKind", "requestResource"] {
            value.get_mut(name).map(without_nulls);
        }
        let written = WrittenAs::deserialize(&value)?;
        let mut review = Review::deserialize(value)?;
        review.take_version(written);
        Ok(review)
    }

    /// Takes the version that the client wrote, where the server has converted the objects for the webhook or policy.
    fn take_version(&mut self, written: WrittenAs) {
        let (Some(kind), Some(resource)) = (written.request_kind, written.request_resource) else {
            return;
        };
        let own = (&self.kind.group, &self.kind.kind, &self.resource.resource);
        if own == (&kind.group, &kind.kind, &resource.resource)
            && resource.version != self.resource.version
        {
            self.converted_to = Some(self.resource.version.clone());
            self.kind = kind;
            self.resource = resource;
        }
    }

    /// Returns the release that judges it if nobody names one: the last one that serves its object.
    pub fn default_release(&self) -> Release {
        let version = self.resource.version.as_str();
        let known = schema::VERSIONS
            .iter()
            .find(|known| known.name == version)
            .filter(|_| self.resource.group == GROUP);
        known.map_or_else(Release::latest, |version| {
            version.default_release_of(&self.kind.kind)
        })
    }

    /// Returns an object of the request as a server holds it in a version. Defaults of other groups are not known: their objects stay
    /// as they are written.
    fn held(&self, object: &Option<Value>, version: &str, release: Release) -> Option<Value> {
        let written = object.as_ref()?;
        if self.resource.group != GROUP {
            return Some(written.clone());
        }
        let mut text = written.to_string();
        let own = self.converted_to.as_ref();
        if version != own.unwrap_or(&self.resource.version) {
            let to = schema::VERSIONS.iter().find(|known| known.name == version);
            let converted = to.and_then(|to| {
                let options = ConvertOptions::default().lossy(true).release(release);
                convert(&text, *to, &options).text
            });
            text = converted.unwrap_or(text);
        }
        let options = ParseOptions::default().release(release);
        let parsed = parse(text.as_str(), &options);
        let held = parsed
            .objects
            .into_iter()
            .next()
            .and_then(|object| object.json);
        let held = held.and_then(|json| serde_json::from_str(&json).ok());
        Some(held.unwrap_or_else(|| written.clone()))
    }

    /// Returns why an API server cannot read the new object; `None` if it can, or if its kind is not known here.
    pub fn decoding_error(&self, release: Release) -> Option<String> {
        let object = self
            .object
            .as_ref()
            .filter(|_| self.resource.group == GROUP)?;
        let text = object.to_string();
        let parsed = parse(text.as_str(), &ParseOptions::default().release(release));
        let mismatch = parsed
            .findings
            .iter()
            .find(|finding| finding.code == Code::TypeMismatch)?;
        Some(mismatch.message.to_string())
    }

    /// Returns the values of `object`, `oldObject` and `request` in a version.
    pub fn variables(&self, version: &str, release: Release) -> [Cel; 3] {
        let value = |object: &Option<Value>| {
            self.held(object, version, release)
                .map_or(Cel::Null, Cel::from)
        };
        [
            value(&self.object),
            value(&self.old_object),
            Cel::from(self.request(version)),
        ]
    }

    /// Returns the request without its objects. What a server leaves out of its JSON is absent.
    fn request(&self, version: &str) -> Value {
        let kind = |version: &str| json!({ "group": self.kind.group, "version": version, "kind": self.kind.kind });
        let resource = |version: &str| {
            let GroupVersionResource {
                group, resource, ..
            } = &self.resource;
            json!({ "group": group, "version": version, "resource": resource })
        };
        let options = match &self.options {
            Value::Null => {
                let kind = match self.operation.as_str() {
                    "UPDATE" => "UpdateOptions",
                    "DELETE" => "DeleteOptions",
                    _ => "CreateOptions",
                };
                json!({ "apiVersion": "meta.k8s.io/v1", "kind": kind })
            }
            given => given.clone(),
        };
        let mut user = self.user_info.clone();
        if let Some(fields) = user.as_object_mut() {
            fields.retain(|_, value| !is_empty(value));
        }
        let mut request = json!({
            "kind": kind(version),
            "resource": resource(version),
            "requestKind": kind(&self.kind.version),
            "requestResource": resource(&self.resource.version),
            "operation": self.operation,
            "userInfo": if user.is_null() { json!({}) } else { user },
            "dryRun": self.dry_run.unwrap_or(false),
            "options": options,
        });
        let texts = [
            ("name", &self.name),
            ("namespace", &self.namespace),
            ("subResource", &self.sub_resource),
            ("requestSubResource", &self.sub_resource),
        ];
        if let Some(fields) = request.as_object_mut() {
            for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
                fields.insert(name.to_owned(), Value::from(text.as_str()));
            }
        }
        request
    }

    /// Returns `resourceclaims.resource.k8s.io "name"`, as the server's refusals begin.
    pub fn subject(&self) -> String {
        let GroupVersionResource {
            group, resource, ..
        } = &self.resource;
        let dot = if group.is_empty() { "" } else { "." };
        format!(
            "{resource}{dot}{group} {}",
            claimkit_values::quote(&self.name, claimkit_values::GoUnicode::V15)
        )
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// Returns the labels of an object.
pub fn labels_of(object: &Value) -> KnownLabels {
    let labels = object.pointer("/metadata/labels");
    let entries = labels.and_then(Value::as_object).into_iter().flatten();
    let texts =
        entries.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    KnownLabels {
        labels: texts.collect::<BTreeMap<_, _>>(),
        partial: false,
    }
}

/// Declares `object`, `oldObject`, `request` and `namespaceObject`.
pub fn declare(environment: Environment) -> Environment {
    let structures: &[(&str, &[(&str, &str)])] = &[
        (
            "kubernetes.GroupVersionKind",
            &[
                ("group", "string"),
                ("version", "string"),
                ("kind", "string"),
            ],
        ),
        (
            "kubernetes.GroupVersionResource",
            &[
                ("group", "string"),
                ("version", "string"),
                ("resource", "string"),
            ],
        ),
        (
            "kubernetes.UserInfo",
            &[
                ("username", "string"),
                ("uid", "string"),
                ("groups", "list(string)"),
                ("extra", "map(string, list(string))"),
            ],
        ),
        (
            "kubernetes.AdmissionRequest",
            &[
                ("kind", "kubernetes.GroupVersionKind"),
                ("resource", "kubernetes.GroupVersionResource"),
                ("subResource", "string"),
                ("requestKind", "kubernetes.GroupVersionKind"),
                ("requestResource", "kubernetes.GroupVersionResource"),
                ("requestSubResource", "string"),
                ("name", "string"),
                ("namespace", "string"),
                ("operation", "string"),
                ("userInfo", "kubernetes.UserInfo"),
                ("dryRun", "bool"),
                ("options", "dyn"),
            ],
        ),
        (
            "kubernetes.NamespaceSpec",
            &[("finalizers", "list(string)")],
        ),
        (
            "kubernetes.NamespaceCondition",
            &[
                ("status", "string"),
                ("type", "string"),
                ("lastTransitionTime", "timestamp"),
                ("message", "string"),
                ("reason", "string"),
            ],
        ),
        (
            "kubernetes.NamespaceStatus",
            &[
                ("conditions", "list(kubernetes.NamespaceCondition)"),
                ("phase", "string"),
            ],
        ),
        (
            "kubernetes.NamespaceMetadata",
            &[
                ("name", "string"),
                ("generateName", "string"),
                ("namespace", "string"),
                ("labels", "map(string, string)"),
                ("annotations", "map(string, string)"),
                ("UID", "string"),
                ("creationTimestamp", "timestamp"),
                ("deletionGracePeriodSeconds", "int"),
                ("deletionTimestamp", "timestamp"),
                ("generation", "int"),
                ("resourceVersion", "string"),
                ("finalizers", "list(string)"),
            ],
        ),
        (
            "kubernetes.Namespace",
            &[
                ("metadata", "kubernetes.NamespaceMetadata"),
                ("spec", "kubernetes.NamespaceSpec"),
                ("status", "kubernetes.NamespaceStatus"),
            ],
        ),
    ];
    let mut environment = environment
        .with_variable("object", Type::Dyn)
        .with_variable("oldObject", Type::Dyn)
        .with_variable("namespaceObject", Type::structure("kubernetes.Namespace"))
        .with_variable("request", Type::structure("kubernetes.AdmissionRequest"));
    for (name, fields) in structures {
        let fields = fields.iter().map(|(field, kind)| {
            // The types above can all be read.
            let kind = Type::parse(kind).unwrap_or(Type::Dyn);
            ((*field).to_owned(), kind)
        });
        environment = environment.with_structure(name, fields.collect());
    }
    environment
}

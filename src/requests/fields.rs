//! The fields of each verb's requests.

use super::members::{Without, list, members, some_list, some_members};
use super::options::{AccountOptions, CelEnvironment};
use super::sources::{NamedText, Texts, bare_texts_beside, texts_beside};
use crate::apiserver::FieldValidation;
use crate::apiserver::options::{StoredAs, ValidateOptions};
use crate::apiserver::patch::PatchType;
use crate::editor::sentences::Sentences;
use crate::evaluate::Detail;
use claimkit_model::limits::Limits;
use claimkit_model::object::decode::Via;
use claimkit_model::text::Source;
use claimkit_scheduler::allocator::what_if::WhatIf;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;

/// `parse`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ParseRequest {
    /// The text of the manifest.
    pub text: Option<String>,
    /// Several texts with names, in place of `text`.
    #[serde(deserialize_with = "some_list")]
    pub sources: Option<Vec<NamedText>>,
    /// The release of Kubernetes.
    pub release: Option<String>,
    /// Feature gates that override the defaults of the release.
    #[serde(deserialize_with = "members")]
    pub gates: BTreeMap<String, bool>,
    /// Overrides of the limits.
    #[serde(deserialize_with = "members")]
    pub limits: Limits,
    /// The server's treatment of unknown and duplicate fields.
    #[serde(deserialize_with = "word")]
    pub field_validation: FieldValidation,
    /// A label selector, as for `kubectl get -l`.
    pub label_selector: Option<String>,
    /// A field selector, as for `kubectl get --field-selector`.
    pub field_selector: Option<String>,
    /// The namespace of objects without one.
    pub namespace: Option<String>,
    /// Only the YAML-to-JSON step.
    pub raw: bool,
    /// The way in which the object reaches the server; absent: JSON is read in source order, as the server does.
    #[serde(deserialize_with = "some_word")]
    pub via: Option<Via>,
    /// For texts that came as bytes: the offset of U+FFFD for the first byte that is not UTF-8.
    #[serde(deserialize_with = "members")]
    pub replaced: Replaced,
}

/// `validate`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ValidateRequest {
    /// The text of the manifest.
    pub text: Option<String>,
    /// Several texts with names, in place of `text`.
    #[serde(deserialize_with = "some_list")]
    pub sources: Option<Vec<NamedText>>,
    /// The release of Kubernetes.
    pub release: Option<String>,
    /// Feature gates that override the defaults of the release.
    #[serde(deserialize_with = "members")]
    pub gates: BTreeMap<String, bool>,
    /// Overrides of the limits.
    #[serde(deserialize_with = "members")]
    pub limits: Limits,
    /// The server's treatment of unknown and duplicate fields.
    #[serde(deserialize_with = "word")]
    pub field_validation: FieldValidation,
    /// The operation on the object.
    #[serde(deserialize_with = "word")]
    pub operation: OperationName,
    /// The stored objects.
    pub old: Option<Texts>,
    /// The text of the patch, YAML or JSON.
    pub patch: Option<String>,
    /// The type of the patch.
    #[serde(deserialize_with = "word")]
    pub patch_type: PatchType,
    /// Patch: the field manager. Required for `apply`; for the other types it owns the fields that the patch writes.
    pub field_manager: Option<String>,
    /// Patch: `apply` takes over fields of other managers.
    pub force: bool,
    /// Patch: the time of the request in RFC 3339, for `managedFields`; absent: the entry has no time.
    pub time: Option<String>,
    /// The way in which the object reaches the server; absent: `kubectl`.
    #[serde(deserialize_with = "some_word")]
    pub via: Option<Via>,
    /// The namespace of the request.
    pub namespace: Option<String>,
    /// The labels of the namespace; absent: unknown.
    #[serde(deserialize_with = "some_members")]
    pub namespace_labels: Option<BTreeMap<String, String>>,
    /// Includes the stored objects: `true` in the version of the manifest, or the name of a version.
    pub stored: Option<Stored>,
    /// The versions of `resource.k8s.io` that the cluster serves; `None`: those of its release. Not a request field.
    #[serde(skip)]
    pub served: Option<Vec<String>>,
    /// Other texts whose objects are known but not judged.
    #[serde(deserialize_with = "bare_texts_beside")]
    pub beside: Vec<String>,
    /// For texts that came as bytes: the offset of U+FFFD for the first byte that is not UTF-8.
    #[serde(deserialize_with = "members")]
    pub replaced: Replaced,
}

/// `convert`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ConvertRequest {
    /// The text of the manifest.
    pub text: Option<String>,
    /// Several texts with names, in place of `text`. Each is converted as a file of its own.
    #[serde(deserialize_with = "some_list")]
    pub sources: Option<Vec<NamedText>>,
    /// The release of Kubernetes.
    pub release: Option<String>,
    /// Feature gates that override the defaults of the release.
    #[serde(deserialize_with = "members")]
    pub gates: BTreeMap<String, bool>,
    /// Overrides of the limits.
    #[serde(deserialize_with = "members")]
    pub limits: Limits,
    /// Target version or minor release.
    pub to: Option<String>,
    /// Whether the conversion may lose data.
    #[serde(deserialize_with = "word")]
    pub lossy: Lossy,
    /// Removes `metadata` fields that only the server writes, and the annotation of `kubectl apply`.
    pub drop_server_fields: bool,
    /// Writes decisions as comments into the text.
    pub annotate: bool,
    /// For texts that came as bytes: the offset of U+FFFD for the first byte that is not UTF-8.
    #[serde(deserialize_with = "members")]
    pub replaced: Replaced,
}

/// `evaluate`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct EvaluateRequest {
    /// The text of the manifest.
    pub text: Option<String>,
    /// Several texts with names, in place of `text`.
    #[serde(deserialize_with = "some_list")]
    pub sources: Option<Vec<NamedText>>,
    /// The release of Kubernetes.
    pub release: Option<String>,
    /// Feature gates that override the defaults of the release.
    #[serde(deserialize_with = "members")]
    pub gates: BTreeMap<String, bool>,
    /// Overrides of the limits.
    #[serde(deserialize_with = "members")]
    pub limits: Limits,
    /// The Nodes. `Some(None)` (JSON `null`): one nil node.
    #[serde(deserialize_with = "given")]
    pub nodes: Option<Option<Texts>>,
    /// A bare node selector's text, in place of `text`.
    pub selector: Option<String>,
    /// The detail for each node. Absent: `full` for few nodes ([`super::FULL_NODES`]), else `summary`.
    #[serde(deserialize_with = "some_word")]
    pub detail: Option<Detail>,
    /// The names of nodes with full details, whatever `detail` is.
    #[serde(deserialize_with = "list")]
    pub explain: Vec<String>,
    /// The way in which the object reaches the server; absent: `kubectl`.
    #[serde(deserialize_with = "some_word")]
    pub via: Option<Via>,
    /// The namespace of the request.
    pub namespace: Option<String>,
    /// The server's treatment of unknown and duplicate fields.
    #[serde(deserialize_with = "word")]
    pub field_validation: FieldValidation,
    /// For texts that came as bytes: the offset of U+FFFD for the first byte that is not UTF-8.
    #[serde(deserialize_with = "members")]
    pub replaced: Replaced,
    /// Answers have no ranges, because the host has no text. Not a request field.
    #[serde(skip)]
    pub without_places: bool,
}

/// `admit`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AdmitRequest {
    /// An AdmissionRequest, or the AdmissionReview around it; absent: only the settings are checked.
    pub request: Option<Box<RawValue>>,
    /// The settings of the policy; absent: none.
    #[serde(deserialize_with = "given")]
    pub settings: Option<Box<RawValue>>,
    /// The labels of the namespace; absent: unknown.
    #[serde(deserialize_with = "some_members")]
    pub namespace_labels: Option<BTreeMap<String, String>>,
    /// Without a request: the form in which the settings are printed as policies, `vap`, `map` or `kyverno`.
    #[serde(rename = "as")]
    pub form: Option<String>,
    /// The beginning of the names of the printed policies; absent: `claimkit`.
    pub name: Option<String>,
    /// In place of settings: ValidatingAdmissionPolicies with their bindings, parameters and Namespaces, as YAML or JSON.
    pub policies: Option<String>,
    /// With `policies`: the release of the API server; absent: the last one that serves the object.
    pub release: Option<String>,
    /// With `policies`: manifests, in place of a request. Each object is judged, and may be the parameters of a policy or a Namespace.
    pub manifests: Option<Texts>,
    /// With `manifests`: the stored objects. What a manifest has of these is an update.
    pub old: Option<Texts>,
    /// With `manifests`: the operation; absent: an update of what is stored, a creation of the rest.
    #[serde(deserialize_with = "some_word")]
    pub operation: Option<AdmissionOperation>,
    /// With `manifests`: the namespace of objects that name none; absent: `default`.
    pub namespace: Option<String>,
    /// With `manifests`: the user of the requests; absent: `kubernetes-admin`.
    pub username: Option<String>,
    /// With `manifests`: the groups of the user, beside `system:authenticated`.
    #[serde(deserialize_with = "list")]
    pub groups: Vec<String>,
    /// Whoever asks can give the labels of the namespace: without them only requests are refused that they decide about. Not a request
    /// field.
    #[serde(skip)]
    pub takes_labels: bool,
}

/// `hover` and `complete`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PositionRequest {
    /// The text of the manifest.
    pub text: Option<String>,
    /// The release of Kubernetes.
    pub release: Option<String>,
    /// Feature gates that override the defaults of the release.
    #[serde(deserialize_with = "members")]
    pub gates: BTreeMap<String, bool>,
    /// Overrides of the limits.
    #[serde(deserialize_with = "members")]
    pub limits: Limits,
    /// The position of the hover or completion.
    #[serde(deserialize_with = "some_members")]
    pub position: Option<TextPosition>,
    /// Other texts of the project, whose names are known.
    #[serde(deserialize_with = "texts_beside")]
    pub beside: Vec<NamedText>,
    /// Language of sentences: `en` (default) or `zh-Hans`.
    pub locale: Option<String>,
    /// The locale's file. Without it answers have documentation keys only; the command line fills it in.
    pub sentences: Option<Sentences>,
    /// For texts that came as bytes: the offset of U+FFFD for the first byte that is not UTF-8.
    #[serde(deserialize_with = "members")]
    pub replaced: Replaced,
}

/// `symbols`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SymbolsRequest {
    /// The text of the manifest.
    pub text: Option<String>,
    /// The release of Kubernetes.
    pub release: Option<String>,
    /// Overrides of the limits.
    #[serde(deserialize_with = "members")]
    pub limits: Limits,
    /// The namespace of objects without one.
    pub namespace: Option<String>,
    /// For texts that came as bytes: the offset of U+FFFD for the first byte that is not UTF-8.
    #[serde(deserialize_with = "members")]
    pub replaced: Replaced,
}

/// `fixes`: the fields of `validate`, and a range.
#[derive(Clone, Debug, Default)]
pub struct FixesRequest {
    /// The request to validate the text.
    pub validate: ValidateRequest,
    /// The range of the findings; absent: the whole text.
    pub range: Option<TextRange>,
}

impl<'de> Deserialize<'de> for FixesRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl<'de> Visitor<'de> for Whole {
            type Value = FixesRequest;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with the fields of a request")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<FixesRequest, A::Error> {
                let mut range = None::<OptionalRange>;
                let validate = Without {
                    members,
                    name: "range",
                    kept: &mut range,
                };
                let validate = ValidateRequest::deserialize(MapAccessDeserializer::new(validate))?;
                Ok(FixesRequest {
                    validate,
                    range: range.and_then(|OptionalRange(range)| range),
                })
            }
        }
        deserializer.deserialize_map(Whole)
    }
}

#[derive(Deserialize)]
struct OptionalRange(#[serde(deserialize_with = "some_members")] Option<TextRange>);

/// `jsonSchema`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct JsonSchemaRequest {
    /// The release of Kubernetes.
    pub release: Option<String>,
    /// Feature gates that override the defaults of the release.
    #[serde(deserialize_with = "members")]
    pub gates: BTreeMap<String, bool>,
    /// The kind; absent: all kinds of the release.
    pub kind: Option<String>,
    /// Language of sentences: `en` (default) or `zh-Hans`.
    pub locale: Option<String>,
    /// The locale's file. Without it answers have documentation keys only; the command line fills it in.
    pub sentences: Option<Sentences>,
}

/// `codes` and `releases`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LocaleRequest {
    /// Language of sentences: `en` (default) or `zh-Hans`.
    pub locale: Option<String>,
    /// The locale's file. Without it answers have documentation keys only; the command line fills it in.
    pub sentences: Option<Sentences>,
}

/// `cel`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CelRequest {
    /// The text of a selector.
    pub expression: Option<String>,
    /// The release of Kubernetes.
    pub release: Option<String>,
    /// Feature gates that override the defaults of the release.
    #[serde(deserialize_with = "members")]
    pub gates: BTreeMap<String, bool>,
    /// Overrides of the limits.
    #[serde(deserialize_with = "members")]
    pub limits: Limits,
    /// The CEL environment of the selector.
    #[serde(deserialize_with = "word")]
    pub environment: CelEnvironment,
    /// Whether the expression is stored already.
    pub stored: bool,
    /// The devices to run it on.
    #[serde(deserialize_with = "list")]
    pub devices: Vec<serde_json::Value>,
    /// The instances of named resources to run it on.
    #[serde(deserialize_with = "list")]
    pub instances: Vec<serde_json::Value>,
    /// Includes the value of every part.
    pub trace: bool,
}

/// `allocate`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AllocateRequest {
    /// The text of the manifest.
    pub text: Option<String>,
    /// Several texts with names, in place of `text`.
    #[serde(deserialize_with = "some_list")]
    pub sources: Option<Vec<NamedText>>,
    /// The release of Kubernetes.
    pub release: Option<String>,
    /// Feature gates that override the defaults of the release.
    #[serde(deserialize_with = "members")]
    pub gates: BTreeMap<String, bool>,
    /// Overrides of the limits.
    #[serde(deserialize_with = "members")]
    pub limits: Limits,
    /// The namespace of the request.
    pub namespace: Option<String>,
    /// The labels of the namespace; absent: unknown.
    #[serde(deserialize_with = "some_members")]
    pub namespace_labels: Option<BTreeMap<String, String>>,
    /// The server's treatment of unknown and duplicate fields.
    #[serde(deserialize_with = "word")]
    pub field_validation: FieldValidation,
    /// Further Nodes.
    pub nodes: Option<Texts>,
    /// The names of the nodes to search; absent: all.
    #[serde(deserialize_with = "some_list")]
    pub node_names: Option<Vec<String>>,
    /// `namespace/name` of the only pod to answer for.
    pub pod: Option<String>,
    /// `namespace/name` of the claims to allocate together, instead of pods.
    #[serde(deserialize_with = "some_list")]
    pub claims: Option<Vec<String>>,
    /// Places each pod as if it were the only one that waits, by its devices only; default: all pods in turn.
    pub alone: bool,
    /// Repeats one pod until no more fits: `pod`, or the only one of the text.
    pub how_many: bool,
    /// More objects of the cluster. The answer is about the objects of `text`.
    pub cluster: Option<Texts>,
    /// Changes that the answer assumes.
    #[serde(deserialize_with = "members")]
    pub what_if: WhatIf,
    /// The current time, RFC 3339; absent: no timeout has expired.
    pub now: Option<String>,
    /// The features of the allocator, instead of those that follow from the gates.
    #[serde(deserialize_with = "some_list")]
    pub features: Option<Vec<String>>,
    /// Whether selectors read attributes with several values, whatever the gates are.
    pub cel_lists: bool,
    /// Options of the search and the account.
    #[serde(deserialize_with = "members")]
    pub options: AccountOptions,
    /// For texts that came as bytes: the offset of U+FFFD for the first byte that is not UTF-8.
    #[serde(deserialize_with = "members")]
    pub replaced: Replaced,
    /// Answers have no ranges, because the host has no text. Not a request field.
    #[serde(skip)]
    pub without_places: bool,
    /// Pods that are placed in turn have their outcomes and no accounts of nodes. Not a request field.
    #[serde(skip)]
    pub outcomes_only: bool,
}

/// `audit`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AuditRequest {
    /// The objects of the cluster, as `kubectl get -o yaml` prints them.
    pub text: Option<String>,
    /// Several texts with names, in place of `text`.
    #[serde(deserialize_with = "some_list")]
    pub sources: Option<Vec<NamedText>>,
    /// The release of Kubernetes.
    pub release: Option<String>,
    /// Feature gates that override the defaults of the release.
    #[serde(deserialize_with = "members")]
    pub gates: BTreeMap<String, bool>,
    /// Overrides of the limits.
    #[serde(deserialize_with = "members")]
    pub limits: Limits,
    /// The namespace of objects without one.
    pub namespace: Option<String>,
    /// For texts that came as bytes: the offset of U+FFFD for the first byte that is not UTF-8.
    #[serde(deserialize_with = "members")]
    pub replaced: Replaced,
}

/// `upgrade`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct UpgradeRequest {
    /// The objects of the cluster, as `kubectl get -o yaml` prints them, or manifests.
    pub text: Option<String>,
    /// Several texts with names, in place of `text`.
    #[serde(deserialize_with = "some_list")]
    pub sources: Option<Vec<NamedText>>,
    /// The release that the cluster has.
    pub release: Option<String>,
    /// The release that it will have.
    pub to: Option<String>,
    /// The feature gates that the cluster sets.
    #[serde(deserialize_with = "members")]
    pub gates: BTreeMap<String, bool>,
    /// The objects are manifests that will be applied; otherwise they are stored.
    pub manifests: bool,
    /// Overrides of the limits.
    #[serde(deserialize_with = "members")]
    pub limits: Limits,
    /// The namespace of objects without one.
    pub namespace: Option<String>,
    /// For texts that came as bytes: the offset of U+FFFD for the first byte that is not UTF-8.
    #[serde(deserialize_with = "members")]
    pub replaced: Replaced,
}

/// Options of `prepareNodes` and `prepareCluster`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PrepareOptions {
    /// The release of Kubernetes.
    pub release: Option<String>,
    /// Overrides of the limits.
    #[serde(deserialize_with = "members")]
    pub limits: Limits,
    /// The namespace of objects without one.
    pub namespace: Option<String>,
}

impl ValidateRequest {
    /// Returns the options that do not depend on the operation.
    pub fn options(&self) -> ValidateOptions<'_> {
        ValidateOptions {
            via: self.via.unwrap_or_default(),
            namespace: self.namespace.as_deref(),
            field_validation: self.field_validation,
            gates: Some(&self.gates),
            namespace_labels: self.namespace_labels.as_ref(),
            served: self.served.as_deref(),
            stored_as: match &self.stored {
                None | Some(Stored::Written(false)) => None,
                Some(Stored::Written(true)) => Some(StoredAs::Written),
                Some(Stored::Version(name)) => Some(StoredAs::Version(
                    name.strip_prefix("resource.k8s.io/").unwrap_or(name),
                )),
            },
            beside: &self.beside,
            limits: self.limits,
            ..ValidateOptions::default()
        }
    }
}

/// Reads a field whose `null` differs from its absence.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads an enum from a string. Other types give a clear error, unlike with serde's derived code for enums.
fn word<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<T, D::Error> {
    let word = String::deserialize(deserializer)?;
    T::deserialize(word.as_str().into_deserializer())
}

/// Reads a word as [`word`] does, for an optional field.
fn some_word<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let word = Option::<String>::deserialize(deserializer)?;
    word.map(|word| T::deserialize(word.as_str().into_deserializer()))
        .transpose()
}

/// Reads a line, character or offset. Numbers over 32 bits become the maximum, which is beyond every text.
fn coordinate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    claimkit_model::limits::bound(deserializer)
        .map(|number| u32::try_from(number).unwrap_or(u32::MAX))
}

fn some_coordinate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    #[derive(Deserialize)]
    struct Coordinate(#[serde(deserialize_with = "coordinate")] u32);
    Ok(Option::<Coordinate>::deserialize(deserializer)?.map(|Coordinate(number)| number))
}

/// The version of the stored objects in the answer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "true, false or the name of a version")]
pub enum Stored {
    /// `true`: the version of the manifest; `false`: no stored objects.
    Written(bool),
    /// Converts to this version.
    Version(String),
}

/// `replaced`: byte offsets in the texts of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "an object with byte offsets by field"
)]
pub struct Replaced {
    /// In `text`, or in the `selector` that replaces it.
    pub text: Option<u32>,
    /// In `nodes`.
    pub nodes: Option<u32>,
    /// In `old`.
    pub old: Option<u32>,
    /// In `patch`.
    pub patch: Option<u32>,
    /// In `cluster`.
    pub cluster: Option<u32>,
}

/// `operation`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OperationName {
    /// The object is new.
    #[default]
    Create,
    /// The object replaces a stored one.
    Update,
    /// Its status replaces that of a stored one.
    UpdateStatus,
    /// `patch` changes a stored one.
    Patch,
    /// `patch` changes the status of a stored one.
    PatchStatus,
}

/// `operation` of `admit`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum AdmissionOperation {
    /// The object is new.
    Create,
    /// The object replaces a stored one.
    Update,
    /// The stored object goes.
    Delete,
}

impl AdmissionOperation {
    /// Returns the name of the operation in requests.
    pub fn name(self) -> &'static str {
        match self {
            AdmissionOperation::Create => "CREATE",
            AdmissionOperation::Update => "UPDATE",
            AdmissionOperation::Delete => "DELETE",
        }
    }
}

/// `lossy`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Lossy {
    /// Refuses a conversion that loses data.
    #[default]
    Refuse,
    /// Converts and lists the losses.
    Allow,
}

/// A position in the text: `byteOffset` in bytes, `offset` in UTF-16 code units, or `line` and `character` (UTF-16) from zero. The
/// first of them that is given counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(
    default,
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "an object with `line` and `character`, or `offset`"
)]
pub struct TextPosition {
    /// Line number, counted from zero.
    #[serde(deserialize_with = "some_coordinate")]
    pub line: Option<u32>,
    /// UTF-16 code units in the line.
    #[serde(deserialize_with = "some_coordinate")]
    pub character: Option<u32>,
    /// UTF-16 code units from the start of the text.
    #[serde(deserialize_with = "some_coordinate")]
    pub offset: Option<u32>,
    /// Bytes of UTF-8 from the start of the text.
    #[serde(deserialize_with = "some_coordinate")]
    pub byte_offset: Option<u32>,
}

/// A range of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `start` and `end`")]
pub struct TextRange {
    #[serde(deserialize_with = "members")]
    /// The start of the range.
    pub start: TextPosition,
    #[serde(deserialize_with = "members")]
    /// The end of the range.
    pub end: TextPosition,
}

impl TextPosition {
    /// Returns the byte offset in a text, limited to the text and moved back to a character boundary.
    pub fn offset(self, source: &Source<'_>) -> usize {
        let text = source.text();
        let mut offset = match (self.byte_offset, self.offset) {
            (Some(bytes), _) => (bytes as usize).min(text.len()),
            (None, Some(units)) => source.byte_offset(units as usize),
            (None, None) => source.offset(
                self.line.unwrap_or_default(),
                self.character.unwrap_or_default(),
            ),
        };
        while !text.is_char_boundary(offset) {
            offset = offset.saturating_sub(1);
        }
        offset
    }
}

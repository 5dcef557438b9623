//! ValidatingAdmissionPolicies and their bindings as they are written (k8s.io/api, admissionregistration/v1, types.go).

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The group of policies and bindings.
pub const GROUP: &str = "admissionregistration.k8s.io/";
/// The kind of a policy.
pub const POLICY: &str = "ValidatingAdmissionPolicy";
/// The kind of a binding.
pub const BINDING: &str = "ValidatingAdmissionPolicyBinding";

/// An object with a spec. Its other fields do not matter to what it decides.
#[derive(Debug, Deserialize)]
pub struct Manifest<S> {
    #[serde(default)]
    pub metadata: Metadata,
    pub spec: S,
}

/// The parts of an object's metadata that policies and their matching need.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Metadata {
    pub name: String,
    pub namespace: String,
    #[serde(deserialize_with = "some_or_default")]
    pub labels: BTreeMap<String, String>,
}

/// The spec of a policy.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicySpec {
    pub param_kind: Option<ParamKind>,
    pub match_constraints: Option<MatchResources>,
    #[serde(default, deserialize_with = "some_or_default")]
    pub validations: Vec<Validation>,
    #[serde(default, deserialize_with = "some_or_default")]
    pub failure_policy: FailurePolicy,
    #[serde(default, deserialize_with = "some_or_default")]
    pub audit_annotations: Vec<AuditAnnotation>,
    #[serde(default, deserialize_with = "some_or_default")]
    pub match_conditions: Vec<NamedExpression>,
    #[serde(default, deserialize_with = "some_or_default")]
    pub variables: Vec<NamedExpression>,
}

/// The kind of a policy's parameters.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ParamKind {
    #[serde(default)]
    pub api_version: String,
    #[serde(default)]
    pub kind: String,
}

/// What an error of an expression means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum FailurePolicy {
    #[default]
    Fail,
    Ignore,
}

/// An expression with a name: a variable, or a condition under which a policy is asked at all.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedExpression {
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub expression: String,
}

/// A validation.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Validation {
    #[serde(default)]
    pub expression: String,
    #[serde(default, deserialize_with = "some_or_default")]
    pub message: String,
    pub reason: Option<String>,
    #[serde(default, deserialize_with = "some_or_default")]
    pub message_expression: String,
}

/// A value for the audit log.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditAnnotation {
    #[serde(default)]
    pub key: String,
    #[serde(default)]
    pub value_expression: String,
}

/// The spec of a binding.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BindingSpec {
    #[serde(default)]
    pub policy_name: String,
    pub param_ref: Option<ParamRef>,
    pub match_resources: Option<MatchResources>,
    #[serde(default)]
    pub validation_actions: Vec<ValidationAction>,
}

/// What a binding does with a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum ValidationAction {
    Deny,
    Warn,
    Audit,
}

impl ValidationAction {
    /// Returns its name in a binding.
    pub fn name(self) -> &'static str {
        match self {
            ValidationAction::Deny => "Deny",
            ValidationAction::Warn => "Warn",
            ValidationAction::Audit => "Audit",
        }
    }
}

/// The parameters of a binding.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ParamRef {
    #[serde(default, deserialize_with = "some_or_default")]
    pub name: String,
    #[serde(default, deserialize_with = "some_or_default")]
    pub namespace: String,
    pub selector: Option<LabelSelector>,
    /// Ignored: it is about parameters that the cluster does not have, and which ones it has is not known here.
    #[serde(default, deserialize_with = "some_or_default")]
    pub parameter_not_found_action: String,
}

/// The requests that a policy or a binding is for.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MatchResources {
    #[serde(default, deserialize_with = "some_or_default")]
    pub namespace_selector: LabelSelector,
    #[serde(default, deserialize_with = "some_or_default")]
    pub object_selector: LabelSelector,
    #[serde(default, deserialize_with = "some_or_default")]
    pub resource_rules: Vec<ResourceRule>,
    #[serde(default, deserialize_with = "some_or_default")]
    pub exclude_resource_rules: Vec<ResourceRule>,
    #[serde(default, deserialize_with = "some_or_default")]
    pub match_policy: MatchPolicy,
}

/// Whether a rule for one version of a resource is also for its others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum MatchPolicy {
    Exact,
    #[default]
    Equivalent,
}

/// A rule about requests.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResourceRule {
    #[serde(default, deserialize_with = "some_or_default")]
    pub resource_names: Vec<String>,
    #[serde(default)]
    pub operations: Vec<String>,
    #[serde(default)]
    pub api_groups: Vec<String>,
    #[serde(default)]
    pub api_versions: Vec<String>,
    #[serde(default)]
    pub resources: Vec<String>,
    #[serde(default, deserialize_with = "some_or_default")]
    pub scope: Scope,
}

/// Objects of namespaces, of the cluster, or all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Scope {
    #[default]
    #[serde(rename = "*")]
    All,
    Cluster,
    Namespaced,
}

/// A label selector; an empty one selects everything.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LabelSelector {
    #[serde(default, deserialize_with = "some_or_default")]
    pub match_labels: BTreeMap<String, String>,
    #[serde(default, deserialize_with = "some_or_default")]
    pub match_expressions: Vec<Requirement>,
}

/// A requirement of a label selector.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    pub key: String,
    pub operator: Operator,
    #[serde(default, deserialize_with = "some_or_default")]
    pub values: Vec<String>,
}

/// An operator of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

/// Reads a field in which `null` is the same as its absence.
fn some_or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// An object that may be the parameters of a policy, or the namespace of a request.
#[derive(Clone, Debug)]
pub struct GivenObject {
    pub api_version: String,
    pub kind: String,
    pub metadata: Metadata,
    pub json: Value,
}

impl GivenObject {
    /// Reads an object. Of one whose metadata cannot be read nothing is known.
    ///
    /// # Errors
    /// It is not JSON.
    pub fn read(api_version: &str, kind: &str, json: &str) -> Result<Self, serde_json::Error> {
        let json: Value = serde_json::from_str(json)?;
        let metadata = json.get("metadata").cloned().unwrap_or_default();
        Ok(GivenObject {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            metadata: Metadata::deserialize(metadata).unwrap_or_default(),
            json,
        })
    }

    /// Returns true if it is of a kind.
    pub fn is_of(&self, kind: &ParamKind) -> bool {
        self.api_version == kind.api_version && self.kind == kind.kind
    }

    /// Returns true if both are one object. One that names no namespace is in any.
    pub fn is(&self, other: &GivenObject) -> bool {
        let (own, others) = (&self.metadata, &other.metadata);
        self.api_version == other.api_version
            && self.kind == other.kind
            && own.name == others.name
            && (own.namespace == others.namespace
                || own.namespace.is_empty()
                || others.namespace.is_empty())
    }
}

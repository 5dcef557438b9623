//! Policies and plain manifests for `admit`: each object becomes a request to create it, or to update the stored one, as an API server
//! sends it to the policies whose rules name it.

use crate::files::InputFile;
use claimkit::manifest::{Input, Item};
use claimkit::policy::check;
use claimkit::policy::validating::manifest::ParamKind;
use claimkit::policy::validating::{is_mutating_policy, is_policy};
use claimkit::requests::admission::{MAX_OBJECT, ManifestObject};
use claimkit::validation::Operation;
use claimkit_model::finding::Severity;
use claimkit_model::limits::Limits;
use claimkit_model::message::Words;
use claimkit_model::schema::workload::path_to_spec;
use claimkit_model::schema::{GROUP, VERSIONS};
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::{NodeId, Tree};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// The group of Kubewarden's policies.
const POLICIES: &str = "policies.kubewarden.io";

/// The contents of a file for `admit`.
#[derive(Debug, Default)]
pub struct AdmissionFile {
    pub policies: Vec<Policy>,
    /// ValidatingAdmissionPolicies and their bindings, which an API server evaluates itself.
    pub server_policies: Vec<ServerPolicy>,
    pub objects: Vec<ManifestObject>,
    /// There are MutatingAdmissionPolicies, which are not evaluated.
    pub mutates: bool,
    /// The errors of the parts that cannot be read.
    pub problems: Vec<String>,
}

impl AdmissionFile {
    /// Adds what another file has.
    pub fn add(&mut self, other: AdmissionFile) {
        self.policies.extend(other.policies);
        self.server_policies.extend(other.server_policies);
        self.objects.extend(other.objects);
        self.mutates |= other.mutates;
        self.problems.extend(other.problems);
    }
}

/// Returns true if a text has no document: blank lines, comments and separators at most.
pub fn is_blank(text: &str) -> bool {
    text.lines().all(|line| {
        let line = line.trim();
        line.is_empty() || line.starts_with('#') || matches!(line, "---" | "...")
    })
}

/// A ValidatingAdmissionPolicy or a binding.
#[derive(Debug)]
pub struct ServerPolicy {
    /// The object as JSON.
    json: String,
    /// The kind of its parameters.
    params: Option<ParamKind>,
}

impl ServerPolicy {
    fn of_manifest(json: String) -> Self {
        #[derive(Deserialize)]
        struct Probe {
            spec: ProbeSpec,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct ProbeSpec {
            param_kind: Option<ParamKind>,
        }
        // What is wrong with it is said where it is read.
        let probe: Option<Probe> = serde_json::from_str(&json).ok();
        let params = probe.and_then(|probe| probe.spec.param_kind);
        ServerPolicy { json, params }
    }
}

impl AdmissionFile {
    /// Returns the policies of the API server as one text, with the objects that they may refer to: parameters and Namespaces. `None`:
    /// there is none.
    pub fn server_policies_text(&self) -> Option<String> {
        if self.server_policies.is_empty() {
            return None;
        }
        let kinds = self.server_policies.iter().filter_map(|policy| {
            let ParamKind { api_version, kind } = policy.params.as_ref()?;
            Some((api_version.as_str(), kind.as_str()))
        });
        let kinds: Vec<(&str, &str)> = kinds.chain([("v1", "Namespace")]).collect();
        let referred = self
            .objects
            .iter()
            .filter(|object| kinds.contains(&(&object.api_version, &object.kind)))
            .map(|object| object.json.get());
        let policies = self.server_policies.iter().map(|policy| &*policy.json);
        let items: Vec<&str> = policies.chain(referred).collect();
        Some(format!(
            r#"{{"apiVersion":"v1","kind":"List","items":[{}]}}"#,
            items.join(",")
        ))
    }
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

    /// Returns true if an API server asks the policy about the object when it is written.
    pub fn sees_stored(&self, object: &ManifestObject) -> bool {
        self.sees(object, Operation::Create) || self.sees(object, Operation::Update(()))
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
        let (group, version) = object.group_version();
        let Some(rules) = &self.rules else {
            // Settings alone judge these; nothing is said about others.
            return group == GROUP || path_to_spec(&object.api_version, &object.kind).is_some();
        };
        let any =
            |list: &[String], name: &str| list.iter().any(|known| known == "*" || known == name);
        rules.iter().any(|rule| {
            any(&rule.api_groups, group)
                && rule
                    .api_versions
                    .iter()
                    .any(|known| known == "*" || equivalent(group, known, version))
                && names_resource(&rule.resources, &object.plural)
                && any(&rule.operations, operation.name())
        })
    }
}

/// Returns true if the resources of a rule name a kind itself, not only its subresources: `pods`, `*`, `pods/*` and `*/*` name pods
/// (apiserver, pkg/admission/plugin/webhook/predicates/rules/rules.go, `resource`).
fn names_resource(resources: &[String], plural: &str) -> bool {
    resources.iter().any(|resource| {
        let (kind, subresource) = resource.split_once('/').unwrap_or((resource, ""));
        (kind == "*" || kind == plural) && matches!(subresource, "" | "*")
    })
}

/// Returns true if a rule for one version also applies to another. An API server converts objects between the versions that it serves.
fn equivalent(group: &str, rule: &str, version: &str) -> bool {
    match (rule == version, minors_of(rule), minors_of(version)) {
        (true, ..) => true,
        (_, Some((from, to)), Some((since, until))) if group == GROUP => {
            from <= until && since <= to
        }
        _ => false,
    }
}

fn minors_of(name: &str) -> Option<(u8, u8)> {
    VERSIONS
        .iter()
        .find(|known| known.name == name)
        .map(|known| known.minors())
}

/// Returns the keys that the settings in a policy's manifest list twice.
fn repeated_settings(tree: &Tree<'_>, manifest: NodeId) -> Vec<Words> {
    let spec = tree.get(manifest, "spec");
    let settings = spec.and_then(|spec| tree.get(spec, "settings"));
    settings.map_or_else(Vec::new, |settings| check::repeated_keys(tree, settings))
}

/// Reads the policies and objects of a file. `namespace`: of objects that name none.
pub fn read(file: &InputFile, namespace: &str) -> AdmissionFile {
    read_within(file, namespace, &Limits::default())
}

/// Does the same within other limits.
pub fn read_within(file: &InputFile, namespace: &str, limits: &Limits) -> AdmissionFile {
    let input = Input::read(&file.text, None, limits);
    let mut contents = AdmissionFile::default();
    for finding in &input.file.findings {
        if finding.severity == Severity::Error {
            let problem = format!("{}: {}", file.name, finding.message);
            contents.problems.push(problem);
        }
    }
    for item in &input.items {
        contents.take(file, &input, item, namespace);
    }
    contents
}

impl AdmissionFile {
    /// Adds an object of a file: a policy of the server or of Kubewarden, or an object to ask policies about.
    fn take(&mut self, file: &InputFile, input: &Input<'_>, item: &Item, namespace: &str) {
        let mut json = String::new();
        let is_whole = input
            .tree(item)
            .is_some_and(|tree| print::json(tree, item.node, Order::Source, MAX_OBJECT, &mut json));
        if !is_whole || item.kind.is_empty() {
            let problem = format!("{}: an object without `kind`, or too large", file.name);
            self.problems.push(problem);
        } else if is_policy(&item.api_version, &item.kind) {
            self.server_policies.push(ServerPolicy::of_manifest(json));
        } else if is_mutating_policy(&item.api_version, &item.kind) {
            self.mutates = true;
        } else if item.api_version.starts_with(POLICIES) {
            self.take_policy(file, input, item, &json);
        } else {
            match RawValue::from_string(json) {
                Ok(json) => self.objects.push(ManifestObject::of(item, json, namespace)),
                Err(error) => self.add_problem(file, item, &error.to_string()),
            }
        }
    }

    /// Adds a policy of Kubewarden. Groups of policies are not asked.
    fn take_policy(&mut self, file: &InputFile, input: &Input<'_>, item: &Item, json: &str) {
        if let Some(tree) = input.tree(item) {
            for problem in repeated_settings(tree, item.node) {
                self.add_problem(file, item, &format!("spec.settings: {problem}"));
            }
        }
        if !matches!(
            item.kind.as_str(),
            "ClusterAdmissionPolicy" | "AdmissionPolicy"
        ) {
            return self.add_problem(file, item, "only single policies are asked");
        }
        match Policy::of_manifest(json, &item.kind) {
            Ok(policy) => self.policies.push(policy),
            Err(problem) => self.add_problem(file, item, &problem.to_string()),
        }
    }

    fn add_problem(&mut self, file: &InputFile, item: &Item, problem: &str) {
        self.problems.push(format!(
            "{}: {} {}: {problem}",
            file.name, item.kind, item.name
        ));
    }
}

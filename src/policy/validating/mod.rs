//! ValidatingAdmissionPolicies that people write: what an API server answers to a request because of them.
//!
//! | part | takes | gives |
//! |---|---|---|
//! | [`manifest`] | JSON | policies, bindings, and what they may refer to |
//! | [`matching`] | a policy or binding, a request | whether it is for the request, and in which version |
//! | [`review`] | an AdmissionRequest | the variables `object`, `oldObject` and `request` |
//! | [`problems`] | policies and bindings | what a server refuses about them |
//! | [`expressions`] | a policy's expressions | programs, or the server's reasons against them; their values, with the server's costs |
//! | this file | all of these | a [`PolicyResult`] for each policy and binding |
//!
//! Not known here: what the authorizer answers. The values of audit annotations decide nothing, but errors of their expressions do.

pub mod expressions;
pub mod manifest;
pub mod matching;
pub mod problems;
pub mod review;

use crate::manifest::Input;
use crate::policy::request::CLUSTER_SCOPED;
use crate::policy::response::ValidationResponse;
use claimkit_cel::MESSAGE_BYTES_LIMIT;
use claimkit_cel::value::Value as Cel;
use claimkit_model::finding::Severity;
use claimkit_model::limits::Limits;
use claimkit_model::message::{Words, message};
use claimkit_model::schema::{self, Release, Scope, VERSIONS};
use claimkit_model::text::print::{self, Order};
use expressions::{Evaluated, Expressions, Given, OutOfBudget, Run};
use manifest::{
    BINDING, BindingSpec, FailurePolicy, GROUP, GivenObject, Manifest, POLICY, ParamKind, ParamRef,
    PolicySpec, Validation, ValidationAction,
};
use matching::{Matched, matches, selects};
use review::{KnownLabels, Review};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The limit of costs of a policy's validations for one request (apiserver, pkg/apis/cel, config.go, `RuntimeCELCostBudget`).
const VALIDATIONS_BUDGET: u64 = 10_000_000;
/// The limit of costs of its match conditions (`RuntimeCELCostBudgetMatchConditions`).
const CONDITIONS_BUDGET: u64 = 2_500_000;
/// The most JSON of one object; an API server accepts 3 MiB.
pub const MAX_OBJECT: usize = 16 << 20;

fn quoted(text: &str) -> String {
    claimkit_values::quote(text, claimkit_values::GoUnicode::V15)
}

/// Policies with their bindings, and the objects that they may refer to.
#[derive(Debug, Default)]
pub struct ValidatingPolicies {
    policies: Vec<Policy>,
    bindings: Vec<Binding>,
    objects: Vec<GivenObject>,
    /// The namespace of given objects that name none.
    namespace: String,
}

#[derive(Debug)]
struct Policy {
    name: String,
    spec: PolicySpec,
}

#[derive(Debug)]
struct Binding {
    name: String,
    spec: BindingSpec,
}

/// What a policy does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyOutcome {
    Pass,
    /// It refuses the request.
    Fail,
    Warn,
    /// It only writes into the audit log.
    Audit,
    /// It is not asked.
    Skip,
    /// Something that decides is not known here.
    Unknown,
}

/// The answer of a policy, and of one of its bindings.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyResult {
    pub policy: String,
    /// Absent: none is given for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    pub result: PolicyOutcome,
    /// Absent where it is not asked, or the answer is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<ValidationResponse>,
    /// Why it is not asked or not known, and what was assumed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Words>,
}

impl ValidatingPolicies {
    /// Reads policies, bindings, parameters and Namespaces from a text.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn read(text: &str) -> Result<Self, Vec<Words>> {
        let input = Input::read(text, None, &Limits::default());
        let findings = input.file.findings.iter();
        let errors: Vec<Words> = findings
            .filter(|finding| finding.severity == Severity::Error)
            .map(|finding| finding.message.clone())
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut all = ValidatingPolicies::default();
        let mut problems = Vec::new();
        for item in &input.items {
            let mut json = String::new();
            let whole = input.tree(item).is_some_and(|tree| {
                print::json(tree, item.node, Order::Source, MAX_OBJECT, &mut json)
            });
            if !whole {
                continue;
            }
            if let Err(error) = all.add(&item.api_version, &item.kind, &json) {
                let (kind, name) = (&item.kind, &item.name);
                problems.push(Words::upstream(format!("{kind} '{name}': {error}")));
            }
        }
        if problems.is_empty() {
            Ok(all)
        } else {
            Err(problems)
        }
    }

    fn add(&mut self, api_version: &str, kind: &str, json: &str) -> Result<(), serde_json::Error> {
        match kind {
            POLICY if api_version.starts_with(GROUP) => {
                let Manifest { metadata, spec } = serde_json::from_str(json)?;
                let name = metadata.name;
                self.policies.push(Policy { name, spec });
            }
            BINDING if api_version.starts_with(GROUP) => {
                let Manifest { metadata, spec } = serde_json::from_str(json)?;
                let name = metadata.name;
                self.bindings.push(Binding { name, spec });
            }
            _ => self
                .objects
                .push(GivenObject::read(api_version, kind, json)?),
        }
        Ok(())
    }

    /// Sets the namespace of given objects that name none.
    pub fn set_namespace(&mut self, namespace: &str) {
        namespace.clone_into(&mut self.namespace);
    }

    /// Returns whether objects of a kind have namespaces; `None`: it is not known. Kinds of other groups are known by the objects that are
    /// given.
    fn has_namespaces(&self, kind: &ParamKind) -> Option<bool> {
        let (group, version) = kind
            .api_version
            .split_once('/')
            .unwrap_or(("", &kind.api_version));
        if group == schema::GROUP {
            let version = VERSIONS.iter().find(|known| known.name == version)?;
            let row = version.kinds.iter().find(|row| row.kind == kind.kind)?;
            return Some(row.scope != Scope::Cluster);
        }
        if CLUSTER_SCOPED.contains(&kind.kind.as_str()) {
            return Some(false);
        }
        if group.is_empty() {
            return Some(kind.kind != "PersistentVolume");
        }
        let mut of_kind = self.objects.iter().filter(|object| object.is_of(kind));
        of_kind
            .any(|object| !object.metadata.namespace.is_empty())
            .then_some(true)
    }

    /// Returns true if there is no policy.
    pub fn is_empty(&self) -> bool {
        self.policies.is_empty()
    }

    /// Returns what an API server of a release refuses about the policies and bindings.
    pub fn problems(&self, release: Release) -> Vec<Words> {
        let mut problems = Vec::new();
        for policy in &self.policies {
            for problem in problems::of_policy(&policy.name, &policy.spec, release) {
                problems.push(Words::upstream(format!(
                    "{POLICY} '{}': {problem}",
                    policy.name
                )));
            }
        }
        for binding in &self.bindings {
            for problem in problems::of_binding(&binding.spec) {
                problems.push(Words::upstream(format!(
                    "{BINDING} '{}': {problem}",
                    binding.name
                )));
            }
        }
        problems
    }

    /// Adds an object that policies may refer to, unless it is there.
    pub fn add_object(&mut self, api_version: &str, kind: &str, namespace: &str, json: &str) {
        if let Ok(mut given) = GivenObject::read(api_version, kind, json) {
            namespace.clone_into(&mut given.metadata.namespace);
            if !self.objects.iter().any(|known| known.is(&given)) {
                self.objects.push(given);
            }
        }
    }

    /// Returns the namespace of a request with its labels; `None` for objects of the cluster.
    fn namespace(
        &self,
        review: &Review,
        labels: Option<&BTreeMap<String, String>>,
    ) -> Option<KnownNamespace> {
        if review.resource.group.is_empty() && review.resource.resource == "namespaces" {
            let object = review.object.as_ref().or(review.old_object.as_ref());
            return Some(KnownNamespace {
                labels: object.map(review::labels_of).unwrap_or_default(),
                object: None,
                is_given: true,
            });
        }
        let name = review.namespace.as_str();
        if name.is_empty() {
            return None;
        }
        let given = self.objects.iter().find(|object| {
            object.api_version == "v1" && object.kind == "Namespace" && object.metadata.name == name
        });
        // A Namespace says more than labels that are given for every namespace.
        let known = given.map(|given| &given.metadata.labels).or(labels);
        let mut all = known.cloned().unwrap_or_default();
        all.entry("kubernetes.io/metadata.name".to_owned())
            .or_insert_with(|| name.to_owned());
        let mut object = given.map_or_else(
            || serde_json::json!({ "metadata": { "name": name } }),
            |given| given.json.clone(),
        );
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            let labels = all
                .iter()
                .map(|(name, value)| (name.clone(), Value::from(value.as_str())));
            metadata.insert("labels".to_owned(), Value::Object(labels.collect()));
        }
        Some(KnownNamespace {
            labels: KnownLabels {
                labels: all,
                partial: known.is_none(),
            },
            object: Some(object),
            is_given: given.is_some(),
        })
    }
}

/// Returns true for a ValidatingAdmissionPolicy or a binding.
pub fn is_policy(api_version: &str, kind: &str) -> bool {
    api_version.starts_with(GROUP) && [POLICY, BINDING].contains(&kind)
}

/// Returns true for a MutatingAdmissionPolicy or a binding of one, which are not evaluated here.
pub fn is_mutating_policy(api_version: &str, kind: &str) -> bool {
    let kinds = ["MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"];
    api_version.starts_with(GROUP) && kinds.contains(&kind)
}

/// Policies that judge one request after the other: their expressions are compiled once for each release.
#[derive(Debug)]
pub struct PolicyJudge<'p> {
    policies: &'p ValidatingPolicies,
    /// By the place of the policy and the minor release.
    compiled: BTreeMap<(usize, u8), Rc<Expressions>>,
}

impl<'p> PolicyJudge<'p> {
    /// Makes the judge.
    pub fn new(policies: &'p ValidatingPolicies) -> Self {
        PolicyJudge {
            policies,
            compiled: BTreeMap::new(),
        }
    }

    /// Returns what each policy and binding answers to a request. `labels`: those of its namespace, if they are known.
    pub fn judge(
        &mut self,
        review: &Review,
        labels: Option<&BTreeMap<String, String>>,
        release: Release,
    ) -> Vec<PolicyResult> {
        let namespace = self.policies.namespace(review, labels);
        let unreadable = review.decoding_error(release);
        let mut results = Vec::new();
        for (place, policy) in self.policies.policies.iter().enumerate() {
            let judge = Judge {
                policies: self.policies,
                policy,
                review,
                namespace: namespace.as_ref(),
                release,
            };
            match judge.version() {
                Err(result) => results.push(*result),
                Ok(version) => {
                    if let Some(error) = &unreadable {
                        results.push(judge.unknown(None, unreadable_object(error)));
                        continue;
                    }
                    let compile = || Rc::new(Expressions::compile(&policy.spec, release));
                    let compiled = self.compiled.entry((place, release.minor));
                    let expressions = Rc::clone(compiled.or_insert_with(compile));
                    let mut answers = judge.results(&expressions, &version);
                    if let Some(note) = judge.not_served(&version) {
                        for answer in &mut answers {
                            answer.notes.push(note.clone());
                        }
                    }
                    results.extend(answers);
                }
            }
        }
        results
    }
}

/// The namespace of a request.
#[derive(Debug)]
struct KnownNamespace {
    labels: KnownLabels,
    /// What expressions see of it; `None`: the request is about the Namespace itself.
    object: Option<Value>,
    /// All of it is known, and not only its name and labels.
    is_given: bool,
}

/// A policy that is asked about a request.
struct Judge<'p> {
    policies: &'p ValidatingPolicies,
    policy: &'p Policy,
    review: &'p Review,
    namespace: Option<&'p KnownNamespace>,
    release: Release,
}

/// The server's decisions of a policy against a request, in order.
type Denials = Vec<Denial>;

struct Denial {
    message: String,
    reason: Option<String>,
    /// It refuses the request whatever the actions of the binding are.
    always: bool,
}

impl Judge<'_> {
    /// Returns the version in which the policy is asked about the request, or the answer of one that is not.
    fn version(&self) -> Result<String, Box<PolicyResult>> {
        let criteria = self.policy.spec.match_constraints.as_ref();
        match criteria.map(|criteria| self.matched(criteria)) {
            Some(Matched::Version(version)) => Ok(version),
            Some(Matched::NamespaceUnknown) => {
                Err(Box::new(self.unknown(None, self.labels_missing())))
            }
            Some(Matched::No) | None => {
                let why = message!(
                    "validating.no-match",
                    "its `matchConstraints` are not those of this request"
                );
                Err(Box::new(self.skipped(None, why.into())))
            }
        }
    }

    fn results(&self, expressions: &Expressions, version: &str) -> Vec<PolicyResult> {
        if expressions.asks_authorizer() {
            let why = message!(
                "validating.authorizer",
                "it asks `authorizer`, and only the API server knows the answer"
            );
            return vec![self.unknown(None, why.into())];
        }
        if self.namespace.is_some_and(|known| known.labels.partial)
            && expressions.reads("namespaceObject")
        {
            return vec![self.unknown(None, self.labels_missing())];
        }
        if self.namespace.is_some_and(|known| !known.is_given)
            && expressions.reads_more_of_namespace()
        {
            return vec![self.unknown(None, self.namespace_missing())];
        }
        let of_policy = |binding: &&Binding| binding.spec.policy_name == self.policy.name;
        let bindings: Vec<&Binding> = self.policies.bindings.iter().filter(of_policy).collect();
        if bindings.is_empty() {
            return vec![self.unbound(expressions, version)];
        }
        bindings
            .into_iter()
            .map(|binding| self.bound(binding, expressions, version))
            .collect()
    }

    fn matched(&self, criteria: &manifest::MatchResources) -> Matched {
        let labels = self.namespace.map(|namespace| &namespace.labels);
        matches(criteria, self.review, labels, self.release)
    }

    /// Answers for a policy that no binding names: a server does not ask it at all.
    fn unbound(&self, expressions: &Expressions, version: &str) -> PolicyResult {
        if expressions.has_params {
            let why = message!(
                "validating.no-param-ref",
                "parameters are not given: the `paramRef` of a binding names them"
            );
            return self.unknown(None, why.into());
        }
        let denials = self.decide(expressions, version, Cel::Null);
        let mut result = self.answered(None, denials, &[ValidationAction::Deny]);
        let assumed = message!(
            "validating.no-binding",
            "no binding names it: it is judged as if one with `Deny` did; without one, a server does not ask it"
        );
        result.notes.push(assumed.into());
        result
    }

    fn bound(&self, binding: &Binding, expressions: &Expressions, version: &str) -> PolicyResult {
        let name = Some(binding.name.as_str());
        let matched = binding.spec.match_resources.as_ref();
        match matched.map(|criteria| self.matched(criteria)) {
            Some(Matched::No) => {
                let why = message!(
                    "validating.no-binding-match",
                    "the `matchResources` of its binding are not those of this request"
                );
                return self.skipped(name, why.into());
            }
            Some(Matched::NamespaceUnknown) => {
                return self.unknown(name, self.labels_missing());
            }
            Some(Matched::Version(_)) | None => (),
        }
        let param_kind = self.policy.spec.param_kind.as_ref();
        let params = match param_kind.zip(binding.spec.param_ref.as_ref()) {
            None => vec![Cel::Null],
            Some((kind, reference)) => match self.params(kind, reference) {
                Ok(found) if found.is_empty() => {
                    return self.unknown(name, params_missing(kind, reference));
                }
                Ok(found) => found,
                Err(problem) => {
                    let error = format!("failed to configure binding: {problem}");
                    return self.answered(name, self.refusals_of_error(error), &[]);
                }
            },
        };
        let denials = params
            .into_iter()
            .flat_map(|params| self.decide(expressions, version, params));
        self.answered(name, denials.collect(), &binding.spec.validation_actions)
    }

    /// Returns the parameters that a binding refers to, of those that are given (generic/policy_dispatcher.go, `CollectParams`).
    ///
    /// # Errors
    /// What the server says of a reference that it cannot use.
    fn params(&self, kind: &ParamKind, reference: &ParamRef) -> Result<Vec<Cel>, &'static str> {
        let has_namespaces = self.policies.has_namespaces(kind);
        let namespace = if reference.namespace.is_empty() {
            &self.review.namespace
        } else {
            &reference.namespace
        };
        if has_namespaces == Some(true) && namespace.is_empty() {
            return Err(
                "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
            );
        }
        if has_namespaces == Some(false) && !reference.namespace.is_empty() {
            return Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
        }
        let objects = self.policies.objects.iter().filter(|object| {
            let metadata = &object.metadata;
            let labels = KnownLabels {
                labels: metadata.labels.clone(),
                partial: false,
            };
            let own = match metadata.namespace.as_str() {
                "" => &self.policies.namespace,
                own => own,
            };
            object.is_of(kind)
                && (has_namespaces != Some(true) || own == namespace)
                && (reference.name.is_empty() || reference.name == metadata.name)
                && reference
                    .selector
                    .as_ref()
                    .is_none_or(|selector| selects(selector, &labels) == Some(true))
        });
        Ok(objects.map(|object| Cel::from(&object.json)).collect())
    }

    /// Returns what a policy decides against the request (validating/validator.go, `Validate`).
    fn decide(&self, expressions: &Expressions, version: &str, params: Cel) -> Denials {
        let given = self.given(version, params);
        match condition(expressions, &given) {
            Ok(true) => (),
            Ok(false) => return Vec::new(),
            Err(error) => return self.denials_of_error(error),
        }
        let decided = self.validate(expressions, &given).and_then(|mut denials| {
            denials.extend(self.annotate(expressions, &given)?);
            Ok(denials)
        });
        decided.unwrap_or_else(|OutOfBudget| self.denials_of_error(OutOfBudget::TEXT.to_owned()))
    }

    /// Returns what the validations decide.
    ///
    /// # Errors
    /// They cost too much. What messages cost too much is a denial.
    fn validate(&self, expressions: &Expressions, given: &Given) -> Result<Denials, OutOfBudget> {
        let mut run = Run::new(expressions, given, VALIDATIONS_BUDGET);
        let validations = expressions.validations.iter();
        let evaluated: Vec<Evaluated> = validations
            .map(|compiled| run.evaluate(compiled))
            .collect::<Result<_, _>>()?;
        // Messages have the rest of the budget, and compute variables afresh.
        let mut run = Run::new(expressions, given, run.left());
        let messages = expressions.messages.iter().map(|message| {
            let message = message.as_ref();
            message.map(|compiled| run.evaluate(compiled)).transpose()
        });
        let messages: Result<Vec<Option<Evaluated>>, OutOfBudget> = messages.collect();
        let mut denials = Vec::new();
        let validations = self.policy.spec.validations.iter();
        for (at, (validation, evaluated)) in validations.zip(evaluated).enumerate() {
            match (evaluated, &messages) {
                (Err(error), _) => denials.extend(self.denials_of_error(error)),
                (Ok(_), Err(OutOfBudget)) => {
                    let error = format!("failed messageExpression: {}", OutOfBudget::TEXT);
                    denials.extend(self.denials_of_error(error));
                }
                (Ok(Cel::Bool(true)), Ok(_)) => (),
                (Ok(_), Ok(messages)) => denials.push(Denial {
                    message: message_of(validation, messages.get(at).and_then(Option::as_ref)),
                    reason: validation.reason.clone(),
                    always: false,
                }),
            }
        }
        Ok(denials)
    }

    /// Returns what errors of the audit annotations decide.
    ///
    /// # Errors
    /// They cost too much.
    fn annotate(&self, expressions: &Expressions, given: &Given) -> Result<Denials, OutOfBudget> {
        let mut run = Run::new(expressions, given, VALIDATIONS_BUDGET);
        let mut denials = Vec::new();
        for compiled in &expressions.annotations {
            if let Err(error) = run.evaluate(compiled)? {
                denials.extend(self.refusals_of_error(error));
            }
        }
        Ok(denials)
    }

    /// Returns what expressions see of the request.
    fn given(&self, version: &str, params: Cel) -> Given {
        let [object, old_object, request] = self.review.variables(version, self.release);
        let namespace = self.namespace.and_then(|known| known.object.as_ref());
        Given {
            object,
            old_object,
            request,
            namespace: namespace.map_or(Cel::Null, Cel::from),
            params,
        }
    }

    /// Returns what an error of an expression means: a refusal, unless the policy ignores errors.
    fn denials_of_error(&self, message: String) -> Denials {
        match self.policy.spec.failure_policy {
            FailurePolicy::Ignore => Vec::new(),
            FailurePolicy::Fail => vec![Denial {
                message,
                reason: None,
                always: false,
            }],
        }
    }

    /// Returns what an error of an audit annotation or of the configuration means: a refusal even where a binding only warns
    /// (validating/dispatcher.go, `Dispatch`).
    fn refusals_of_error(&self, message: String) -> Denials {
        let mut denials = self.denials_of_error(message);
        for denial in &mut denials {
            denial.always = true;
        }
        denials
    }

    fn result(
        &self,
        binding: Option<&str>,
        result: PolicyOutcome,
        response: Option<ValidationResponse>,
    ) -> PolicyResult {
        PolicyResult {
            policy: self.policy.name.clone(),
            binding: binding.map(str::to_owned),
            result,
            response,
            notes: Vec::new(),
        }
    }

    fn skipped(&self, binding: Option<&str>, why: Words) -> PolicyResult {
        let mut result = self.result(binding, PolicyOutcome::Skip, None);
        result.notes.push(why);
        result
    }

    fn unknown(&self, binding: Option<&str>, why: Words) -> PolicyResult {
        let mut result = self.result(binding, PolicyOutcome::Unknown, None);
        result.notes.push(why);
        result
    }

    fn labels_missing(&self) -> Words {
        let namespace = &self.review.namespace;
        message!(
            "validating.no-labels",
            "the labels of the namespace `{namespace}` decide and are not given: add its Namespace",
            namespace
        )
        .into()
    }

    /// Says that the policy is only asked by a server with versions that are off by default.
    fn not_served(&self, version: &str) -> Option<Words> {
        if matching::is_served(version, self.review, self.release) {
            return None;
        }
        let note = message!(
            "validating.not-served",
            "its rules name {version}, which an API server serves only if `--runtime-config` turns it on: it does not ask the policy otherwise",
            version
        );
        Some(note.into())
    }

    fn namespace_missing(&self) -> Words {
        let namespace = &self.review.namespace;
        message!(
            "validating.no-namespace",
            "more than the labels of the namespace `{namespace}` decides, and only they are given: add its Namespace",
            namespace
        )
        .into()
    }

    /// Answers with the decisions, as a binding's actions say (validating/dispatcher.go, `Dispatch`).
    fn answered(
        &self,
        binding: Option<&str>,
        denials: Denials,
        actions: &[ValidationAction],
    ) -> PolicyResult {
        let policy = &self.policy.name;
        let bound = binding.map_or(String::new(), |name| format!(" with binding '{name}'"));
        let denies = actions.contains(&ValidationAction::Deny);
        let refusal = denials.iter().find(|denial| denies || denial.always);
        let Some(first) = refusal.or(denials.first()) else {
            let response = ValidationResponse {
                accepted: true,
                ..ValidationResponse::default()
            };
            let mut result = self.result(binding, PolicyOutcome::Pass, Some(response));
            result.notes.extend(self.without_defaults());
            return result;
        };
        let mut warnings = Vec::new();
        if actions.contains(&ValidationAction::Warn) {
            let decisions = denials.iter().filter(|denial| !denial.always);
            warnings.extend(decisions.map(|denial| {
                let message = &denial.message;
                format!("Validation failed for {POLICY} '{policy}'{bound}: {message}")
            }));
        }
        let refused = refusal.is_some();
        let outcome = if refused {
            PolicyOutcome::Fail
        } else if warnings.is_empty() {
            PolicyOutcome::Audit
        } else {
            PolicyOutcome::Warn
        };
        let message = format!(
            "{} is forbidden: {POLICY} '{policy}'{bound} denied request: {}",
            self.review.subject(),
            first.message
        );
        let response = ValidationResponse {
            accepted: !refused,
            message: refused.then_some(message),
            code: refused.then(|| code_of(first.reason.as_deref())),
            warnings,
            ..ValidationResponse::default()
        };
        let mut result = self.result(binding, outcome, Some(response));
        if outcome == PolicyOutcome::Audit {
            let message = &first.message;
            let note = message!(
                "validating.audit",
                "only the audit log gets it: {message}",
                message
            );
            result.notes.push(note.into());
        }
        result.notes.extend(self.without_defaults());
        result
    }

    /// Says that an object of another group is judged as it is written.
    fn without_defaults(&self) -> Option<Words> {
        let kind = &self.review.kind.kind;
        let is_ours = self.review.resource.group == claimkit_model::schema::GROUP;
        (!is_ours).then(|| {
            message!(
                "validating.no-defaults",
                "the {kind} is judged as it is written, without the API server's defaults",
                kind
            )
            .into()
        })
    }
}

fn unreadable_object(error: &str) -> Words {
    message!(
        "validating.unreadable",
        "the API server cannot read the object and asks no policy: {error}",
        error
    )
    .into()
}

fn params_missing(kind: &ParamKind, reference: &ParamRef) -> Words {
    let kind = &kind.kind;
    if reference.name.is_empty() {
        message!(
            "validating.no-params",
            "parameters are not given: add each {kind} that the binding selects",
            kind
        )
        .into()
    } else {
        let name = &reference.name;
        message!(
            "validating.no-named-params",
            "parameters are not given: add the {kind} `{name}`",
            kind,
            name
        )
        .into()
    }
}

/// Evaluates the conditions under which a policy is asked (webhook/matchconditions/matcher.go, `Match`).
fn condition(expressions: &Expressions, given: &Given) -> Result<bool, String> {
    let mut run = Run::new(expressions, given, CONDITIONS_BUDGET);
    let mut errors: Vec<String> = Vec::new();
    let mut holds = true;
    for (_, compiled) in &expressions.conditions {
        match run.condition(compiled) {
            Err(OutOfBudget) => return Err(OutOfBudget::TEXT.to_owned()),
            Ok(Err(error)) if !errors.contains(&error) => errors.push(error),
            Ok(Ok(Cel::Bool(false))) => holds = false,
            Ok(_) => (),
        }
    }
    match (holds, errors.as_slice()) {
        (false, _) => Ok(false),
        (true, []) => Ok(true),
        (true, [only]) => Err(only.clone()),
        (true, several) => Err(format!("[{}]", several.join(", "))),
    }
}

/// Returns the message of a refusal.
fn message_of(validation: &Validation, computed: Option<&Evaluated>) -> String {
    let computed = match computed {
        Some(Ok(Cel::String(text))) => Some(text.trim()),
        _ => None,
    };
    let usable = computed.filter(|text| {
        !text.is_empty() && text.len() <= MESSAGE_BYTES_LIMIT && !text.contains('\n')
    });
    let own = validation.message.trim();
    match usable {
        Some(text) => text.to_owned(),
        None if own.is_empty() => format!("failed expression: {}", validation.expression.trim()),
        None => own.to_owned(),
    }
}

/// Returns the status code of a reason (validating/policy_decision.go, `reasonToCode`).
fn code_of(reason: Option<&str>) -> u16 {
    match reason {
        Some("Forbidden") => 403,
        Some("RequestEntityTooLarge") => 413,
        _ => 422,
    }
}

/// Puts the answers of all policies together as a server does; `None`: it is not known whether one refuses.
pub fn whole(results: &[PolicyResult]) -> Option<ValidationResponse> {
    let mut all = ValidationResponse {
        accepted: true,
        ..ValidationResponse::default()
    };
    for result in results {
        if let Some(response) = &result.response {
            all.warnings.extend(response.warnings.iter().cloned());
            if all.accepted && !response.accepted {
                all.accepted = false;
                all.message.clone_from(&response.message);
                all.code = response.code;
            }
        }
    }
    let unknown = results
        .iter()
        .any(|result| result.result == PolicyOutcome::Unknown);
    (!all.accepted || !unknown).then_some(all)
}

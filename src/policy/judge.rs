//! The verdict about one AdmissionRequest: the API server's own rules, then the policy's.

use crate::apiserver::{self, Body, FieldValidation, Reach, RequestOutcome};
use crate::manifest::pod_specs::{self, ObjectPlaces};
use crate::manifest::{self, Item, What};
use crate::policy::cluster::{self, ClusterReader};
use crate::policy::compare::{self, Violation};
use crate::policy::load::{self, ObjectLoad};
use crate::policy::namespace::{Asking, Namespace, NamespaceLabels, StoredNeeds};
use crate::policy::placeholders::{self, PlaceholderValues};
use crate::policy::refusals::{JudgedPart, Subject};
use crate::policy::request::{AdmissionRequest, OperationIs};
use crate::policy::settings::{Settings, SumOf, ValidationMode};
use crate::policy::{lookups, mutation, object, pods, restrictions};
use crate::validation::immutable::{self, Difference};
use crate::validation::{FieldError, Operation};
use claimkit_model::finding::{Code, Finding, Origin, Severity, TextField};
use claimkit_model::message::{Message, Words, in_english};
use claimkit_model::object::Record;
use claimkit_model::object::decode::{How, Via};
use claimkit_model::object::go_syntax::ADDRESS;
use claimkit_model::object::view::Object;
use claimkit_model::schema::{Api, ClassicKind, DeviceKind, GROUP, ObjectKind};
use claimkit_model::text::tree::{NodeId, Tree};
use claimkit_model::text::{Document, Mode};
use claimkit_values::order;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Whether the host lets a policy change objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// It does: a fallback class replaces a class that is not allowed.
    Possible,
    /// It does not: a class that is not allowed is refused even if there is a fallback.
    Impossible,
}

/// The answer of the policy.
#[derive(Clone, Debug, Default)]
pub struct PolicyVerdict {
    /// `uid` of the request.
    pub uid: String,
    /// Everything found: errors refuse, warnings do not.
    pub findings: Vec<Finding>,
    /// The new text of the whole object, if the policy changes it.
    pub mutated: Option<String>,
    /// The classes the object asked for, with commas between; empty if it names none.
    pub class: String,
}

impl PolicyVerdict {
    /// Makes the verdict on a request that cannot be judged.
    pub fn unreadable(uid: &str, problem: impl Into<Cow<'static, str>>) -> Self {
        let finding = object::english(Code::AdmissionRequest, problem);
        PolicyVerdict {
            uid: uid.to_owned(),
            findings: vec![finding],
            ..PolicyVerdict::default()
        }
    }

    /// Makes the verdict of settings that are not valid: the policy refuses every request.
    pub fn unusable(uid: &str, errors: &[Words]) -> Self {
        let message = format!(
            "the settings of the policy are not valid: {}",
            errors.join("; ")
        );
        let finding = object::english(Code::PolicySettings, message).about(TextField::Settings);
        PolicyVerdict {
            uid: uid.to_owned(),
            findings: vec![finding],
            ..PolicyVerdict::default()
        }
    }

    /// Returns true if the request is accepted.
    pub fn accepted(&self) -> bool {
        self.findings
            .iter()
            .all(|finding| finding.severity != Severity::Error)
    }
}

/// The host of a request.
#[derive(Clone, Copy)]
pub struct PolicyHost<'h> {
    /// Whether it lets a policy change objects.
    pub mutation: Mutation,
    /// The cluster, if the host can be asked for it.
    pub cluster: Option<&'h dyn ClusterReader>,
    /// The labels of the request's namespace, where the host knows them.
    pub labels: Option<&'h BTreeMap<String, String>>,
    /// Whoever asks can give the labels: without them, only requests are refused that they decide about.
    pub takes_labels: bool,
    /// Whether its requests may lack the operation.
    pub operation: OperationIs,
    /// The component that has validated an object before the policy is asked.
    pub validated: ValidatedBy,
}

/// The component that has applied the API server's own rules to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValidatedBy {
    /// The server that asks, by its own release and gates. It asks a policy that changes objects before that.
    ApiServer,
    Nobody,
}

/// Checks settings for a host that cannot be asked for the cluster. `labels`: those of the namespace, if it knows them.
///
/// # Errors
/// The settings that ask for it.
pub fn without_cluster(
    settings: &Settings,
    labels: Option<&BTreeMap<String, String>>,
) -> Result<(), Vec<Words>> {
    let by_labels = settings.asks_for_labels().filter(|_| labels.is_none());
    match settings.asks_cluster().or(by_labels) {
        None => Ok(()),
        Some(setting) => Err(vec![no_cluster(setting)]),
    }
}

/// Says that a setting needs a cluster, which this host cannot ask.
fn no_cluster(setting: &str) -> Words {
    Words::english(format!(
        "{setting}: this host cannot be asked for what the cluster holds; use claimkit.wasm in Kubewarden, whose host can"
    ))
}

/// Judges the request at a node of a JSON document.
pub fn judge(
    document: &Document<'_>,
    request: Option<NodeId>,
    given: &Settings,
    host: PolicyHost<'_>,
) -> PolicyVerdict {
    let request = match AdmissionRequest::read(&document.tree, request, host.operation) {
        Ok(request) => request,
        Err(problem) => return PolicyVerdict::unreadable("", problem),
    };
    let nothing = BTreeMap::new();
    let labels = host.labels.or(host.takes_labels.then_some(&nothing));
    if host.cluster.is_none()
        && let Err(errors) = without_cluster(given, labels)
    {
        return PolicyVerdict::unusable(request.uid(), &errors);
    }
    let mut verdict = PolicyVerdict {
        uid: request.uid().to_owned(),
        ..PolicyVerdict::default()
    };
    if request.operation.is_none()
        || !matches!(request.sub_resource(), "" | "status")
        || request.is_exempt(&given.exempt)
    {
        return verdict;
    }
    let Some(object) = request.object() else {
        if request.group().is_none_or(|group| group == GROUP) {
            verdict.findings.push(missing_object());
        }
        return verdict;
    };
    let (settings, exempted) = given.with_exemptions(|exempt| request.is_exempt(exempt));
    let settings: &Settings = &settings;
    let load = ObjectLoad::of(&document.tree, object);
    let stored_load = request
        .old_object()
        .map(|stored| ObjectLoad::of(&document.tree, stored));
    let loads = std::iter::once(&load).chain(&stored_load);
    if request.group().unwrap_or(GROUP) == GROUP
        && let Some(problem) = loads.into_iter().find_map(|load| load.too_many.clone())
    {
        return PolicyVerdict::unreadable(request.uid(), problem);
    }
    let has_many_expressions = load.expressions > load::EXPRESSIONS;
    let stored_has_many_expressions =
        stored_load.is_some_and(|stored| stored.expressions > load::EXPRESSIONS);
    let mut item = object::recognize(document, object, settings.release);
    let mut body = None;
    if let What::Ours(api) = item.what {
        let (best, read) = object::read_by_best(document, item, api);
        (item, body) = (best, Some(read));
    }
    let namespace_of_object = item.namespace.clone();
    let namespace = match request.namespace() {
        "" => namespace_of_object.as_str(),
        namespace => namespace,
    };
    let labels = labels_of_namespace(&host, namespace);
    let takes_long = has_many_expressions || stored_has_many_expressions;
    let case = Case {
        document,
        validation: validation_mode(settings, &host, &request),
        request,
        settings,
        host,
        item,
        namespace: Namespace {
            name: namespace,
            labels: &labels,
            asking: Asking::Always,
        },
        skips_rules: takes_long && host.validated == ValidatedBy::ApiServer,
        has_many_expressions,
        stored_has_many_expressions,
    };
    if case.skips_rules && case.validation != ValidationMode::Off {
        verdict.findings.push(rules_skipped());
    }
    case.judge(body, &mut verdict);
    case.soften(&mut verdict);
    verdict
        .findings
        .retain(|finding| !exempted.contains(&restrictions::setting_of(finding)));
    drop_repeated(&mut verdict.findings);
    verdict
}

/// Returns the labels of a namespace, from wherever the host has them.
fn labels_of_namespace<'h>(host: &PolicyHost<'h>, namespace: &'h str) -> NamespaceLabels<'h> {
    match host.labels {
        Some(labels) => NamespaceLabels::given(labels.clone().into_iter().collect()),
        None if host.takes_labels => NamespaceLabels::not_given(namespace),
        None => NamespaceLabels::of(namespace, host.cluster),
    }
}

/// Returns the effect of the API server's own rules: that of the settings; else they only warn where the server has applied them
/// already.
fn validation_mode(
    settings: &Settings,
    host: &PolicyHost<'_>,
    request: &AdmissionRequest<'_, '_>,
) -> ValidationMode {
    let is_validated = host.validated == ValidatedBy::ApiServer
        && !settings.changes_objects()
        && !request.is_audit();
    let default = if is_validated {
        ValidationMode::Warn
    } else {
        ValidationMode::Strict
    };
    settings.validation.unwrap_or(default)
}

/// Warns that the API server's rules are not applied.
fn rules_skipped() -> Finding {
    let message = format!(
        "the CEL expressions are too large to be checked by the API server's rules here: more than {} bytes",
        load::EXPRESSIONS
    );
    object::english(Code::SelectorNotCompiled, message).with_severity(Severity::Warning)
}

/// Drops the server's reason against admin access where the policy has its own that decides as much.
fn drop_repeated(findings: &mut Vec<Finding>) {
    let severity_of_policy = findings
        .iter()
        .filter(|finding| finding.code == Code::PolicyAdminAccess)
        .map(|finding| finding.severity)
        .min();
    if let Some(severity) = severity_of_policy {
        findings.retain(|finding| {
            finding.code != Code::AdminAccessForbidden || finding.severity < severity
        });
    }
}

/// Makes warnings of the API server's own rules, where the server decides by them.
fn leave_to_server(verdict: &mut PolicyVerdict) {
    for finding in verdict
        .findings
        .iter_mut()
        .filter(|finding| restrictions::setting_of(finding) == "validation")
    {
        finding.severity = finding.severity.max(Severity::Warning);
    }
}

/// Returns true if the request or the object could not be read.
fn is_unreadable(code: Code) -> bool {
    matches!(
        code,
        Code::AdmissionRequest | Code::NoKind | Code::TypeMismatch
    )
}

struct Case<'a, 's> {
    document: &'a Document<'s>,
    request: AdmissionRequest<'a, 's>,
    settings: &'a Settings,
    host: PolicyHost<'a>,
    item: Item,
    namespace: Namespace<'a>,
    /// The effect of the API server's own rules.
    validation: ValidationMode,
    /// The API server's own rules would take too long.
    skips_rules: bool,
    /// The expressions are too large to be tried.
    has_many_expressions: bool,
    /// The same of the stored object.
    stored_has_many_expressions: bool,
}

impl<'a> Case<'a, '_> {
    fn tree(&self) -> &'a Tree<'_> {
        &self.document.tree
    }

    /// Judges the object. `body`: what was read of an object of the group.
    fn judge(&self, body: Option<Body<'a>>, verdict: &mut PolicyVerdict) {
        match (&self.item.what, body) {
            (What::Other, _) => self.workload(verdict),
            (What::Refused(finding), _) => self.refused(finding, verdict),
            (What::Ours(api), Some(body)) if api.kind.items.is_none() => self.ours(body, verdict),
            (What::Ours(_), _) => {}
        }
    }

    /// Turns refusals into warnings for settings whose mode is `warn`. An unreadable request cannot be judged, so it stays an error.
    fn soften(&self, verdict: &mut PolicyVerdict) {
        for finding in verdict
            .findings
            .iter_mut()
            .filter(|finding| !is_unreadable(finding.code))
        {
            let setting = restrictions::setting_of(finding);
            let by_server = setting == "validation" && self.validation == ValidationMode::Warn;
            if by_server || self.settings.warns(setting) {
                finding.severity = finding.severity.max(Severity::Warning);
            }
        }
    }

    /// Judges a text that is not an object, or has an unknown kind or version: only the version can be judged.
    fn refused(&self, finding: &Finding, verdict: &mut PolicyVerdict) {
        let other_group = self
            .request
            .group()
            .is_some_and(|group| group != claimkit_model::schema::GROUP);
        match finding.code {
            Code::NoKind if other_group => {}
            Code::UnknownKind => {
                let version = self
                    .item
                    .api_version
                    .split_once('/')
                    .map_or("", |(_, version)| version);
                let errors =
                    restrictions::version_violations(self.settings, version, self.item.release);
                verdict
                    .findings
                    .extend(errors.iter().map(|violation| self.policy(&violation.error)));
                verdict.findings.extend(
                    object::unjudged(&self.item, self.settings)
                        .into_iter()
                        .map(|f| self.with_message(f)),
                );
            }
            _ => verdict.findings.push(finding.clone()),
        }
    }

    /// Judges an object of another group: the claims of its pods are judged.
    fn workload(&self, verdict: &mut PolicyVerdict) {
        if !self.has_rules_for_pods() || self.request.sub_resource() != "" {
            return;
        }
        let places = self.pod_specs(self.item.node);
        if places.list.is_empty() {
            return;
        }
        let destination = pods::Destination {
            release: self.item.release,
            namespace: self.namespace,
            cluster: self.host.cluster,
            summing: self.host.cluster.filter(|_| self.settings.sums(SumOf::Pod)),
        };
        if self.request.operation == Some(Operation::Update(())) {
            self.updated_workload(&places, destination, verdict);
            return;
        }
        let violations = pods::violations(self.settings, self.tree(), &places, destination, None);
        self.held_to_changes(&violations, &[], verdict);
    }

    /// Returns true if a setting is about the claims of pods.
    fn has_rules_for_pods(&self) -> bool {
        let settings = self.settings;
        settings.pods.decides()
            || settings.limits.decides()
            || settings.device_classes != Default::default()
            || settings.resource_classes != Default::default()
    }

    fn pod_specs(&self, object: NodeId) -> ObjectPlaces<'_> {
        let item = &self.item;
        pod_specs::find(self.tree(), object, &item.api_version, &item.kind)
    }

    /// Judges a changed object of another group by what is new in it. One that is being deleted can always be changed, unless its pods
    /// change.
    fn updated_workload(
        &self,
        places: &ObjectPlaces<'_>,
        destination: pods::Destination<'_>,
        verdict: &mut PolicyVerdict,
    ) {
        let (settings, tree) = (self.settings, self.tree());
        let Some(stored_object) = self.request.old_object() else {
            verdict.findings.push(missing_old_object());
            return;
        };
        let stored_places = self.pod_specs(stored_object);
        let is_going = tree
            .get(stored_object, "metadata")
            .and_then(|metadata| tree.get(metadata, "deletionTimestamp"))
            .is_some_and(|time| tree.str(time).is_some());
        let asks_cluster =
            settings.sums(SumOf::Pod) || settings.asks_for_labels_of_change().is_some();
        let is_unchanged = (is_going || asks_cluster) && pods::same(tree, places, &stored_places);
        if is_going && is_unchanged {
            return;
        }
        let stored_needs = pods::StoredPodNeeds::of(tree, &stored_places);
        let excused = StoredNeeds {
            classes: stored_needs.classes.clone(),
            admin_access: false,
            unchanged: is_unchanged,
        };
        let namespace = Namespace {
            asking: Asking::Beyond(&excused),
            ..self.namespace
        };
        let new_destination = pods::Destination {
            namespace,
            summing: destination.summing.filter(|_| !is_unchanged),
            ..destination
        };
        let violations =
            pods::violations(settings, tree, places, new_destination, Some(&stored_needs));
        // What the stored object sums up to only matters if it may excuse something.
        let is_any_limit_exceeded = violations
            .iter()
            .any(|violation| violation.error.code == Code::PolicyLimits);
        let stored_destination = pods::Destination {
            namespace: namespace.of_stored(),
            cluster: None,
            summing: new_destination.summing.filter(|_| is_any_limit_exceeded),
            ..new_destination
        };
        let stored_violations =
            pods::violations(settings, tree, &stored_places, stored_destination, None);
        self.held_to_changes(&violations, &stored_violations, verdict);
    }

    /// Makes warnings of what the stored object has already.
    fn held_to_changes(
        &self,
        violations: &[Violation],
        stored: &[Violation],
        verdict: &mut PolicyVerdict,
    ) {
        let known = compare::known(violations, stored);
        for (violation, known) in violations.iter().zip(known) {
            let mut finding = self.policy(&violation.error);
            if known {
                finding.severity = Severity::Warning;
            }
            verdict.findings.push(finding);
        }
    }

    /// Returns a reason of the policy's own, with the message of its setting.
    fn policy(&self, error: &FieldError) -> Finding {
        let mut finding = error.finding();
        finding.origin = Origin::Claimkit;
        finding.message = Words::english(String::from(finding.message));
        self.with_message(finding)
    }

    fn with_message(&self, mut finding: Finding) -> Finding {
        let setting = restrictions::setting_of(&finding);
        let rule = self.settings.rule(setting);
        if let Some(message) = rule.and_then(|rule| rule.message.as_deref()) {
            let values = PlaceholderValues {
                kind: &self.item.kind,
                namespace: self.namespace.name,
                name: self.request.name(),
                user: self.request.user(),
                setting,
                reason: &finding.message,
            };
            let filled = placeholders::fill(message, values);
            finding.message = Words::english(format!("{}; {filled}", finding.message));
        }
        finding
    }

    /// Judges an object of the group.
    fn ours(&self, body: Body<'a>, verdict: &mut PolicyVerdict) {
        let api = body.api;
        let is_status = self.request.sub_resource() == "status";
        let is_status_written = api.kind.status_in(self.item.release)
            && self.request.operation != Some(Operation::Create);
        if is_status && !is_status_written {
            return;
        }
        let is_update = self.request.operation == Some(Operation::Update(()));
        let stored = is_update.then(|| self.stored(api));
        // Only the stored object is evidence: a client can write `deletionTimestamp` into a new one.
        let mut is_going = false;
        if let Some(Ok(stored)) = &stored {
            is_going = is_going_away(stored.record());
            if is_going && !is_status && compare::leaves_spec(body.record(), stored.record()) {
                return;
            }
        }
        verdict.findings.extend(self.decoding(&body));
        if body.mismatch().is_some() {
            return;
        }
        verdict
            .findings
            .extend(object::judged_by(&self.item, self.settings));
        let is_newer = object::unknown(&body) > 0;
        verdict.class = lookups::classes(api, body.record()).join(",");
        match stored {
            Some(Ok(stored)) => self.update(body, stored, is_status, verdict),
            Some(Err(problem)) => verdict
                .findings
                .push(object::english(Code::AdmissionRequest, problem)),
            None => self.create(body, is_newer, verdict),
        }
        if is_newer || is_going {
            leave_to_server(verdict);
        }
    }

    /// Returns the findings of decoding. Wrong types are always refused, because the object cannot be judged. Unknown fields are a
    /// warning: the API server knows them.
    fn decoding(&self, body: &Body<'_>) -> Vec<Finding> {
        let mut findings = body.findings(self.tree(), FieldValidation::Strict);
        if self.validation == ValidationMode::Off {
            findings.retain(|finding| finding.code == Code::TypeMismatch);
        }
        for finding in &mut findings {
            // Positions in the host's request are meaningless in the user's text.
            finding.span = None;
            finding.fixes.clear();
            if finding.code == Code::UnknownField {
                finding.severity = Severity::Warning;
                finding.message = Words::english(format!(
                    "{}: not known to this policy, which does not judge it",
                    finding.message
                ));
            }
        }
        findings
    }

    fn stored(&self, api: Api) -> Result<Body<'a>, String> {
        let Some(old) = self.request.old_object() else {
            return Err(missing_old_object().message.into());
        };
        let item = manifest::object(self.document, old, Some(self.item.release));
        match &item.what {
            What::Ours(old)
                if old.kind.kind == api.kind.kind && old.version.name == api.version.name => {}
            _ => {
                return Err(format!(
                    "`request.oldObject` is not a {} of {}: it cannot be compared with `request.object`",
                    api.kind.kind, api.version.api_version
                ));
            }
        }
        let body = object::read(&self.document.tree, &item, api);
        match body.mismatch() {
            Some(error) => Err(format!("`request.oldObject` cannot be read: {error}")),
            None => Ok(body),
        }
    }

    /// Makes the request as the server sees it before admission.
    fn server<'r>(
        &'r self,
        labels: Option<&'r BTreeMap<String, String>>,
    ) -> apiserver::ServerRequest<'r> {
        apiserver::ServerRequest {
            release: self.item.release,
            namespace: Some(self.request.namespace()).filter(|namespace| !namespace.is_empty()),
            validation: FieldValidation::Strict,
            reach: Reach::Admission,
            gates: object::gates(self.settings, self.item.release),
            labels,
            stored: false,
            patched: false,
        }
    }

    /// Returns the labels of the namespace, if they are known already.
    fn labels(&self) -> Option<BTreeMap<String, String>> {
        self.namespace
            .labels
            .peek()
            .filter(|_| self.knows_labels())
            .map(|labels| order::map(labels.iter().cloned()))
    }

    /// Returns true if asking for the labels of the namespace gives an answer.
    fn knows_labels(&self) -> bool {
        self.host.labels.is_some()
            || (self.host.cluster.is_some() && !self.namespace.name.is_empty())
    }

    /// Judges a new object, changed as the settings say. `is_newer`: the API server knows fields that are not known here.
    fn create(&self, body: Body<'a>, is_newer: bool, verdict: &mut PolicyVerdict) {
        let (api, tree) = (body.api, self.tree());
        let changes = match self.host.mutation {
            // A stored value cannot be changed any more.
            Mutation::Possible if !self.request.is_audit() => mutation::changes(
                self.settings,
                tree,
                self.item.node,
                api.kind.object,
                self.namespace,
            ),
            _ => Vec::new(),
        };
        let Some(text) = mutation::apply(tree, self.item.node, &changes) else {
            return self.created(body, verdict);
        };
        // Judge exactly the object that is returned: read the new text like the request.
        match cluster::parse(&text) {
            Ok((tree, root)) => {
                let how = How::reaching(Mode::Json, Via::Validator, self.item.release);
                self.created(Body::read(&tree, root, api, how), verdict);
            }
            Err(_) => return self.created(body, verdict),
        }
        self.soften(verdict);
        // A finding that is only a warning in the end must not prevent a change.
        if is_newer {
            leave_to_server(verdict);
        }
        if verdict.accepted() {
            let unicode = self.item.release.rules().unicode;
            let findings_of_changes = changes.iter().map(|change| {
                let mut finding = object::english(Code::PolicyFallback, change.sentence(unicode));
                finding.path = Some(change.path.clone());
                finding
            });
            verdict.findings.splice(0..0, findings_of_changes);
            verdict.mutated = Some(text);
        }
    }

    /// Judges a new object, as it is after the policy's own changes.
    fn created(&self, body: Body<'_>, verdict: &mut PolicyVerdict) {
        let api = body.api;
        let object = body.record().clone();
        // The server drops the status of a new object.
        let is_stored = self.request.is_audit();
        let part = if is_stored {
            JudgedPart::Both
        } else {
            JudgedPart::Object
        };
        let subject = self.subject(api, &object, part, self.namespace);
        let mut violations = restrictions::violations(self.settings, subject);
        if self.applies_rules() {
            let labels = self.labels();
            let outcome = apiserver::create(&self.server(labels.as_ref()), body);
            refused(outcome, verdict);
        }
        if let Some(cluster) = self.host.cluster {
            violations.extend(lookups::violations(
                self.settings,
                cluster,
                subject,
                is_stored,
            ));
            violations.extend(lookups::class_violations(
                self.settings,
                cluster,
                subject,
                None,
            ));
        }
        verdict.findings.extend(
            violations
                .iter()
                .map(|violation| self.policy(&violation.error)),
        );
    }

    fn subject<'r>(
        &'r self,
        api: Api,
        object: &'r Record<'r>,
        part: JudgedPart,
        namespace: Namespace<'r>,
    ) -> Subject<'r> {
        // The server converts to the version that the policy's rules name.
        let written = self
            .request
            .written_version(api.kind.kind)
            .unwrap_or(api.version.name);
        Subject {
            api,
            release: self.item.release,
            object,
            part,
            namespace,
            written,
            validation: self.validation,
            has_many_expressions: self.has_many_expressions,
        }
    }

    fn applies_rules(&self) -> bool {
        self.validation != ValidationMode::Off && !self.skips_rules
    }

    /// Judges a changed object, or its status, by what is new in it.
    fn update(
        &self,
        body: Body<'a>,
        stored: Body<'a>,
        is_status: bool,
        verdict: &mut PolicyVerdict,
    ) {
        let api = body.api;
        let (new, old) = (body.record().clone(), stored.record().clone());
        let part = if is_status {
            JudgedPart::Status
        } else {
            JudgedPart::Object
        };
        let leaves_spec = compare::leaves_spec(&new, &old);
        let changes_allocation = is_status && compare::changes_allocation(&new, &old);
        let stored_needs = StoredNeeds {
            unchanged: leaves_spec && !changes_allocation,
            ..lookups::asked(api, &old)
        };
        let namespace = Namespace {
            asking: Asking::Beyond(&stored_needs),
            ..self.namespace
        };
        let subject = self.subject(api, &new, part, namespace);
        let mut violations = restrictions::violations(self.settings, subject);
        if let Some(cluster) = self.host.cluster
            && !is_status
        {
            let of_class = lookups::class_violations(self.settings, cluster, subject, Some(&old));
            violations.extend(of_class);
        }
        if self.applies_rules() {
            let mut outcome = self.server_update(body, stored, is_status);
            without_addresses(&mut outcome.findings, &new, &old);
            refused(outcome, verdict);
        }
        let stored_subject = Subject {
            has_many_expressions: self.stored_has_many_expressions,
            ..self.subject(api, &old, part, namespace.of_stored())
        };
        let mut stored_violations = restrictions::violations(self.settings, stored_subject);
        // A stored object has no version of its own: the server converts it to the version of the request. What components keep up
        // to date must go on.
        if !leaves_spec && !is_kept_by_components(api.kind.object) {
            stored_violations.retain(|violation| violation.error.code != Code::PolicyApiVersion);
        }
        self.held_to_changes(&violations, &stored_violations, verdict);
    }

    /// Returns the server's answer to an update. What it would also refuse of the stored object is a warning.
    fn server_update(&self, body: Body<'a>, stored: Body<'a>, is_status: bool) -> RequestOutcome {
        let api = body.api;
        let update = if is_status {
            apiserver::update_status
        } else {
            apiserver::update
        };
        let labels = self.labels();
        let server = self.server(labels.as_ref());
        let mut outcome = update(&server, body, stored);
        if self.validation == ValidationMode::Strict
            && !outcome.findings.is_empty()
            && let (Ok(stored), Ok(written_back)) = (self.stored(api), self.stored(api))
        {
            let findings_of_stored = update(&server, stored, written_back).findings;
            already(&mut outcome.findings, &findings_of_stored);
        }
        outcome
    }
}

/// Returns true for kinds that components write, not users.
fn is_kept_by_components(kind: ObjectKind) -> bool {
    matches!(
        kind,
        ObjectKind::Device(DeviceKind::ResourceSlice)
            | ObjectKind::Classic(ClassicKind::ResourceSlice | ClassicKind::PodSchedulingContext)
    )
}

/// Returns true if the object is being deleted: removing its last finalizers must always be possible.
fn is_going_away(object: &Record<'_>) -> bool {
    Object::new(object)
        .metadata()
        .deletion_timestamp()
        .is_some_and(|time| !time.is_zero())
}

/// Turns what the server would also refuse of the stored object, written back as it is, into warnings: a server of another release
/// has stored it. What an update must say of itself is always its own.
fn already(findings: &mut [Finding], of_stored: &[Finding]) {
    for finding in findings.iter_mut().filter(|finding| !is_of_update(finding)) {
        if of_stored
            .iter()
            .any(|stored| stored.code == finding.code && stored.message == finding.message)
        {
            finding.severity = finding.severity.max(Severity::Warning);
        }
    }
}

fn is_of_update(finding: &Finding) -> bool {
    use Code::{FinalizerAdded, GenerationInvalid, MetadataImmutable, ResourceVersionRequired};
    matches!(
        finding.code,
        FinalizerAdded | GenerationInvalid | MetadataImmutable | ResourceVersionRequired
    )
}

/// Rewrites messages in which the server prints pointers as addresses: they name the changed fields instead.
fn without_addresses(findings: &mut [Finding], new: &Record<'_>, old: &Record<'_>) {
    for finding in findings {
        if !finding.message.contains(ADDRESS) {
            continue;
        }
        let path: &[&str] = match finding.code {
            Code::SpecImmutable => &["spec"],
            Code::AllocationImmutable => &["status", "allocation"],
            _ => continue,
        };
        let (Some(new), Some(old)) = (record_at(new, path), record_at(old, path)) else {
            continue;
        };
        // English, because the rest of the message is in the server's words.
        let changes = in_english(|| -> Vec<Message> {
            let differences = immutable::differences(new, old);
            differences.iter().map(Difference::sentence).collect()
        });
        if !changes.is_empty() {
            finding.message = Words::english(format!(
                "{}: Invalid value: {}: {}",
                path.join("."),
                changes.join(", "),
                immutable::MESSAGE
            ));
        }
    }
}

/// Returns the record at a path of fields.
fn record_at<'r, 't>(record: &'r Record<'t>, path: &[&str]) -> Option<&'r Record<'t>> {
    path.iter()
        .try_fold(record, |record, name| record.record(name))
}

/// Adds the server's reasons, and a warning for each selector that this crate does not compile. A note about omitted reasons is
/// not added: a policy's answer is shortened anyway.
fn refused(outcome: RequestOutcome, verdict: &mut PolicyVerdict) {
    for mut finding in outcome
        .warnings
        .into_iter()
        .filter(|finding| finding.code == Code::SelectorNotCompiled)
    {
        finding.severity = Severity::Warning;
        finding.message = Words::english(format!(
            "{}: {}",
            finding.path.as_deref().unwrap_or_default(),
            finding.message
        ));
        verdict.findings.push(finding);
    }
    verdict.findings.extend(
        outcome
            .findings
            .into_iter()
            .filter(|finding| finding.code != Code::LimitFindings),
    );
}

fn missing_object() -> Finding {
    let problem = "`request.object` is missing: the object to judge";
    object::english(Code::AdmissionRequest, problem)
}

fn missing_old_object() -> Finding {
    let problem = "`request.oldObject` is missing: an update is judged by what it changes";
    object::english(Code::AdmissionRequest, problem)
}

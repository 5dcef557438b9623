//! One object of a text: decoded, paired with the stored one, judged, and its findings explained from the text.

use super::namespaces::NamespaceLabels;
use crate::advice::hints;
use crate::apiserver::body::{Body, FieldValidation};
use crate::apiserver::client;
use crate::apiserver::device::SELECTS_EVERY_DEVICE;
use crate::apiserver::options::{Operation, ValidateOptions};
use crate::apiserver::request::{self, Reach, RequestOutcome, ServerRequest};
use crate::apiserver::slices::Together;
use crate::apiserver::status::Status;
use crate::apiserver::stored;
use crate::apiserver::varies;
use crate::manifest::{Input, Item, What};
use crate::validation::Context;
use crate::validation::device::variant::Variant;
use crate::validation::references::{Located, References};
use crate::validation::{classic, device};
use claimkit_model::finding::{Code, Finding, Origin, Severity, Step, TextField};
use claimkit_model::message::message;
use claimkit_model::object::Record;
use claimkit_model::object::decode::{Decoded, How, Via};
use claimkit_model::schema::{
    Api, ClassicKind, DeviceKind, GROUP, Gate, Gates, ObjectKind, Release, Scope, Struct,
};
use claimkit_model::text::tree::Entry;
use claimkit_model::text::{Span, Tree};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_values::order;
use std::collections::BTreeMap;

/// Makes a finding one about a stored object, without fixes: the object is not in a file.
fn of_stored(mut finding: Finding) -> Finding {
    finding.fixes.clear();
    finding.about(TextField::Old)
}

/// One object and what is done with it.
#[derive(Clone, Copy)]
pub struct ObjectRequest<'a, 's> {
    pub options: &'a ValidateOptions<'a>,
    pub input: &'a Input<'s>,
    pub item: &'a Item,
    /// Its index in the answer.
    pub index: usize,
    pub api: Api,
    /// The release that answers.
    pub release: Release,
    /// The feature gates that are on; `None`: the defaults.
    pub gates: Option<Gates>,
    /// The stored objects, for updates.
    pub old: Option<&'a Input<'s>>,
    /// The stored objects by what pairs them.
    pub partners: &'a Partners<'a>,
    /// The labels of the namespaces that are among the objects.
    pub namespaces: &'a NamespaceLabels,
}

/// Stored objects, each in the order of the text: one object can be there in several versions.
pub type Partners<'a> = BTreeMap<Identity<'a>, Vec<&'a Item>>;

/// What pairs an object with its stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity<'a> {
    kind: &'a str,
    /// Empty for an object of the cluster.
    namespace: &'a str,
    name: &'a str,
}

fn identity<'a>(options: &'a ValidateOptions<'_>, item: &'a Item) -> Identity<'a> {
    let namespace = match (&item.what, options.via) {
        (What::Ours(api), Via::Kubectl) if api.kind.scope == Scope::Cluster => "",
        (_, Via::Kubectl) => options.namespace_of(&item.namespace),
        _ => &item.namespace,
    };
    Identity {
        kind: &item.kind,
        namespace,
        name: &item.name,
    }
}

/// Says that an object is not among the stored ones.
fn nothing_to_compare(object: Identity<'_>) -> Finding {
    let Identity {
        kind,
        namespace,
        name,
    } = object;
    let message = if namespace.is_empty() {
        message!(
            "server.nothing-to-compare-of-cluster",
            "no stored object to compare with: `old` holds no {kind} `{name}`",
            kind,
            name,
        )
    } else {
        message!(
            "server.nothing-to-compare",
            "no stored object to compare with: `old` holds no {kind} `{name}` in namespace `{namespace}`",
            kind,
            name,
            namespace,
        )
    };
    Finding::new(Code::StoredObject, message)
        .with_help(message!(
            "server.not-stored-yet",
            "an object that is not stored yet is created: validate it without `old`"
        ))
        .with_command_help(message!(
            "server.not-stored-yet-command",
            "an object that is not stored yet is created: validate it without `--old`"
        ))
}

/// Collects the stored objects of an update.
pub fn partners<'a>(options: &'a ValidateOptions<'_>, old: Option<&'a Input<'_>>) -> Partners<'a> {
    let mut partners = Partners::new();
    for item in old.into_iter().flat_map(|old| &old.items) {
        partners
            .entry(identity(options, item))
            .or_default()
            .push(item);
    }
    partners
}

/// The answer about one object.
#[derive(Default)]
pub struct ObjectVerdict {
    /// Findings, the server's first.
    pub findings: Vec<Finding>,
    /// The server's answer, unless it accepts.
    pub status: Option<Status>,
    /// The object as it is stored, by version.
    pub stored: Vec<(&'static str, String)>,
    /// If this release accepts the object without dropping anything, so do the others.
    pub accepted_alike: bool,
    /// No release decodes the object.
    pub none_decodes: bool,
}

impl<'a> ObjectRequest<'a, '_> {
    /// Decodes and judges the object. Relations to other objects are collected in `references` and `together`.
    pub fn judge(
        &self,
        references: &mut References,
        together: &mut Together<'_, '_>,
    ) -> ObjectVerdict {
        let mut verdict = ObjectVerdict::default();
        if self.is_not_served() {
            verdict.findings.push(self.not_served());
            return verdict;
        }
        let Some(tree) = self.input.tree(self.item) else {
            return verdict;
        };
        let body = self.read(tree, self.input, self.item);
        self.report_decoding(tree, &body, &mut verdict);
        let mut remarks = Vec::new();
        if body.mismatch().is_none() {
            let record = body.record();
            verdict.accepted_alike = self.old.is_none() && !varies::may_differ(self.api, record);
            self.collect_relations(tree, record, references, together);
            remarks = self.remarks(tree, record);
        }
        let Some(outcome) = self
            .unsent(tree)
            .or_else(|| self.outcome(body, &mut verdict))
        else {
            return verdict;
        };
        self.add_outcome(outcome, remarks, tree, &mut verdict);
        for finding in &mut verdict.findings {
            hints::removal(finding, tree, self.item.node);
        }
        verdict
    }

    /// Reports what is wrong with the body before any rule is applied.
    fn report_decoding(&self, tree: &Tree<'_>, body: &Body<'_>, verdict: &mut ObjectVerdict) {
        let validation = self.options.field_validation;
        verdict.findings = body.findings(tree, validation);
        if !body.decoded.strict.is_empty() {
            verdict.none_decodes = validation == FieldValidation::Strict
                && self.old.is_none()
                && varies::none_decodes(&body.decoded);
            self.explain_strict(&body.decoded, tree, &mut verdict.findings);
        }
        if let Some(path) = self.path_to_mode()
            && let Some(finding) = hints::empty_mode(tree, self.item.node, path)
        {
            verdict.findings.push(finding);
        }
    }

    /// Collects what the object references, and what is judged together with other objects.
    fn collect_relations(
        &self,
        tree: &Tree<'_>,
        record: &Record<'_>,
        references: &mut References,
        together: &mut Together<'_, '_>,
    ) {
        let namespace = match self.api.kind.scope {
            Scope::Namespaced => self.options.namespace_of(&self.item.namespace),
            Scope::Cluster => "",
        };
        let object = Located {
            index: self.index,
            item: self.item,
            tree,
            namespace,
        };
        references.ours(object, self.api, record);
        if self.via() == Via::Kubectl {
            together.take(self.input, self.item, self.index, self.api, record);
        }
    }

    /// Returns claimkit's own findings about an object that the server may accept.
    fn remarks(&self, tree: &Tree<'_>, record: &Record<'_>) -> Vec<Finding> {
        let mut remarks = Vec::new();
        match self.api.kind.object {
            ObjectKind::Classic(kind) => {
                let context = Context::new(self.release);
                classic::remarks::object(kind, record, &context, &mut remarks)
            }
            ObjectKind::Device(kind) => {
                device::remarks::object(kind, record, self.release, &mut remarks)
            }
        }
        self.name_unknown_selector(tree, &mut remarks);
        self.soften_taint_rule(&mut remarks);
        remarks
    }

    /// Adds the server's answer, with explanations, and the remarks behind it.
    fn add_outcome(
        &self,
        outcome: RequestOutcome,
        mut remarks: Vec<Finding>,
        tree: &Tree<'_>,
        verdict: &mut ObjectVerdict,
    ) {
        verdict.status = outcome.status;
        verdict.stored = outcome.stored;
        for mut finding in outcome.findings {
            self.explain_version(&mut finding);
            hints::validation(
                &mut finding,
                self.api,
                self.item.release,
                self.reduced(),
                tree,
                self.item.node,
            );
            verdict.findings.push(finding);
        }
        self.explain_dropped(&outcome.dropped, &mut verdict.findings);
        // From 1.38 on the server itself warns of an empty selector.
        let does_server_warn = outcome
            .warnings
            .iter()
            .any(|warning| *warning.message == *SELECTS_EVERY_DEVICE);
        if does_server_warn {
            remarks.retain(|remark| remark.code != Code::TaintRuleSelectsAll);
        }
        verdict.findings.extend(outcome.warnings);
        verdict.findings.append(&mut outcome.changes.findings());
        verdict.findings.append(&mut remarks);
    }

    /// Says of a missing resource version that the stored object, as it was given, has none that could be written.
    fn explain_version(&self, finding: &mut Finding) {
        let Some(old) = self
            .old
            .filter(|_| finding.code == Code::ResourceVersionRequired)
        else {
            return;
        };
        let has_version = self.stored_item(old).and_then(|item| {
            let tree = old.tree(item)?;
            tree.get(tree.get(item.node, "metadata")?, "resourceVersion")
        });
        if has_version.is_none() {
            let help = message!(
                "server.stored-without-version",
                "the stored object was given without one: give it as `kubectl get -o yaml` prints it, and the same `metadata.resourceVersion` in the new one; `kubectl replace` fills it in itself"
            );
            finding.help = Some(help.into());
        }
    }

    /// Says of a rule that taints everything why its selector is empty: the server knows none of the fields in it.
    fn name_unknown_selector(&self, tree: &Tree<'_>, remarks: &mut [Finding]) {
        let selector = tree
            .get(self.item.node, "spec")
            .and_then(|spec| tree.get(spec, "deviceSelector"));
        let Some(selector) = selector else {
            return;
        };
        let fields = tree.entries(selector);
        let schema = self.schema_of_selector();
        let is_known =
            |field: &Entry| schema.is_some_and(|schema| schema.has(tree.text(field.key)));
        if fields.is_empty() || fields.iter().any(is_known) {
            return;
        }
        for finding in remarks
            .iter_mut()
            .filter(|finding| finding.code == Code::TaintRuleSelectsAll)
        {
            finding.message = message!(
                "server.unknown-selector",
                "no field of `deviceSelector` is known, so it counts as empty: {remark}",
                remark = finding.message
            )
            .into();
        }
    }

    /// Returns the schema of `spec.deviceSelector`.
    fn schema_of_selector(&self) -> Option<&'static Struct> {
        let (_, spec) = self.api.kind.schema.field("spec", self.release)?;
        let (_, selector) = spec.ty.holds()?.field("deviceSelector", self.release)?;
        selector.ty.holds()
    }

    /// Softens the remark on a rule that taints everything: it does so only with its gate.
    fn soften_taint_rule(&self, remarks: &mut [Finding]) {
        let gates = self.gates.unwrap_or(Gates::defaults(self.release));
        let rules = PluginRules::of(self.release.minor, self.release.patch);
        let gate_of_rules =
            rules.gate_of_rules(|name| Gate::named(name).is_some_and(|gate| gates.on(gate)));
        for finding in remarks {
            if finding.code != Code::TaintRuleSelectsAll {
                continue;
            }
            if let Some(gate) = &gate_of_rules {
                finding.severity = Severity::Info;
                finding.message = message!(
                    "server.taint-rules-off",
                    "{remark}; rules have no effect while the feature gate {gate} is off, as it is in Kubernetes {release} by default",
                    remark = finding.message,
                    gate,
                    release = self.release,
                )
                .into();
            }
        }
    }

    /// Returns the result if kubectl does not send the object, or the server does not read it.
    fn unsent(&self, tree: &Tree<'_>) -> Option<RequestOutcome> {
        if self.via() != Via::Kubectl || self.options.patched {
            return None;
        }
        let scope = self.api.kind.scope;
        if let Some(finding) = self
            .options
            .namespace
            .and_then(|named| client::other_namespace(self.item, scope, named))
        {
            return Some(RequestOutcome {
                findings: vec![finding],
                ..RequestOutcome::default()
            });
        }
        let namespace = match scope {
            Scope::Namespaced => self.options.namespace_of(&self.item.namespace),
            Scope::Cluster => "",
        };
        let (finding, status) = client::too_large(tree, self.item.node, namespace)?;
        Some(RequestOutcome {
            findings: vec![finding],
            status: Some(status),
            ..RequestOutcome::default()
        })
    }

    /// Returns true if the server decodes the object and refuses it.
    pub fn is_refused(&self) -> bool {
        let decoded = self.body().filter(|(_, body)| body.mismatch().is_none());
        decoded
            .and_then(|(tree, body)| self.answer_to(tree, body))
            .is_some_and(|outcome| outcome.status.is_some())
    }

    /// Returns the body as it is read, and the text's tree.
    pub(super) fn body(&self) -> Option<(&Tree<'_>, Body<'_>)> {
        if self.is_not_served() {
            return None;
        }
        let tree = self.input.tree(self.item)?;
        Some((tree, self.read(tree, self.input, self.item)))
    }

    /// Returns the server's answer to a body, without explanations.
    pub(super) fn answer_to(&self, tree: &Tree<'_>, body: Body<'_>) -> Option<RequestOutcome> {
        self.unsent(tree)
            .or_else(|| self.outcome(body, &mut ObjectVerdict::default()))
    }

    /// Returns the server's decoding error for a body.
    pub(super) fn decoding_error(&self, body: &Body<'_>) -> Option<String> {
        if let Some(mismatch) = body.mismatch() {
            return Some(mismatch.to_owned());
        }
        body.strict_error()
            .filter(|_| self.options.field_validation == FieldValidation::Strict)
    }

    /// Returns the server's answer; `None` if there is no stored object to compare with, which is then the only finding.
    fn outcome(&self, body: Body<'_>, verdict: &mut ObjectVerdict) -> Option<RequestOutcome> {
        let request = ServerRequest {
            release: self.release,
            gates: self.gates,
            labels: self.labels(),
            stored: self.options.stored_as.is_some(),
            patched: self.options.patched,
            namespace: self.options.namespace,
            validation: self.options.field_validation,
            reach: match self.via() {
                Via::Kubectl => Reach::Store,
                Via::Validator => Reach::Functions,
                Via::Server => Reach::Server,
            },
        };
        match self.old {
            Some(old) if body.mismatch().is_none() => self.update(&request, body, old, verdict),
            _ => Some(request::create(&request, body)),
        }
    }

    /// Returns the labels of the object's namespace; `None` if unknown.
    fn labels(&self) -> Option<&BTreeMap<String, String>> {
        let given = self.options.namespace_labels;
        if given.is_some() || self.via() == Via::Validator {
            return given;
        }
        self.namespaces
            .get(self.options.namespace_of(&self.item.namespace))
    }

    fn update(
        &self,
        request: &ServerRequest<'_>,
        body: Body<'_>,
        old: &Input<'_>,
        verdict: &mut ObjectVerdict,
    ) -> Option<RequestOutcome> {
        let (stored_tree, stored) = match self.partner(old) {
            Ok(stored) => stored,
            Err(finding) => {
                verdict.findings.push(*finding);
                return None;
            }
        };
        if let Some(error) = stored.mismatch() {
            let mismatch = stored
                .decoded
                .answer
                .and_then(|answer| stored.decoded.mismatches.get(answer));
            self.stored_undecodable(error, mismatch.map(|mismatch| mismatch.span), verdict);
            return None;
        }
        let refused = self.options.field_validation == FieldValidation::Strict
            && !body.decoded.strict.is_empty();
        if self.via() == Via::Validator && !refused {
            verdict.findings.extend(
                stored
                    .findings(stored_tree, self.options.field_validation)
                    .into_iter()
                    .map(of_stored),
            );
        }
        Some(match self.options.operation {
            Operation::UpdateStatus(_) => request::update_status(request, body, stored),
            _ => request::update(request, body, stored),
        })
    }

    /// Returns the maximum number of devices in a slice whose devices use certain features, and in any other slice.
    fn reduced(&self) -> Option<(usize, usize)> {
        let release = self.release;
        let ObjectKind::Device(DeviceKind::ResourceSlice) = self.api.kind.object else {
            return None;
        };
        let spec = self
            .api
            .kind
            .schema
            .field("spec", release)
            .and_then(|(_, field)| field.ty.as_struct())?;
        let many = spec
            .field("devices", release)
            .and_then(|(_, field)| field.limit(release))?;
        Variant::of(release)
            .devices_with_features
            .map(|few| (few, many))
    }

    fn via(&self) -> Via {
        self.options.via
    }

    fn undecodable(&self, error: &str) -> Option<Status> {
        let unicode = self.release.rules().unicode;
        Some(Status::undecodable(
            self.api.kind.kind,
            self.api.version.name,
            error,
            unicode,
        ))
    }

    /// Reports that the stored object has a value of the wrong type. The validators' harness decodes it like the new one; a
    /// server could not have stored it.
    fn stored_undecodable(&self, error: &str, span: Option<Span>, verdict: &mut ObjectVerdict) {
        match self.via() {
            Via::Validator => {
                verdict.status = self.undecodable(error);
                let finding = Finding {
                    span,
                    ..Finding::upstream(Code::TypeMismatch, Origin::ApiServer, error.to_owned())
                };
                verdict.findings.push(of_stored(finding).with_help(message!(
                    "server.wrong-type-in-old",
                    "the wrong type is in `old`"
                )));
            }
            Via::Kubectl | Via::Server => {
                let finding = Finding {
                    span,
                    ..Finding::upstream(Code::TypeMismatch, Origin::Claimkit, error.to_owned())
                };
                verdict.findings.push(stored::unreadable(&finding));
            }
        }
    }

    /// Returns true for a List as an object of its own, a status update of a kind without status, or a version that the cluster
    /// does not serve although its release can.
    fn is_not_served(&self) -> bool {
        self.is_switched_off()
            || self.api.kind.items.is_some()
            || (matches!(self.options.operation, Operation::UpdateStatus(_))
                && !self.api.kind.status_in(self.release))
    }

    /// Returns true if the cluster does not serve the object's version, although its release can.
    fn is_switched_off(&self) -> bool {
        let version = self.api.version.name;
        self.options
            .served
            .is_some_and(|served| served.iter().all(|name| name != version))
    }

    fn not_served(&self) -> Finding {
        let kind = self.api.kind.kind;
        if let Some(served) = self.options.served.filter(|_| self.is_switched_off()) {
            let help = match served {
                [] => message!(
                    "server.group-not-served",
                    "the cluster does not serve {group}",
                    group = GROUP
                ),
                versions => message!(
                    "server.versions-served",
                    "the cluster serves {group}/{versions}",
                    group = GROUP,
                    versions = versions.join(", "),
                ),
            };
            let mut finding = Finding::upstream(
                Code::UnknownKind,
                Origin::Kubectl,
                client::unmapped(self.item),
            )
            .with_help(help);
            finding.steps = vec![Step::Key("apiVersion".to_owned())];
            return finding;
        }
        if self.api.kind.items.is_some() {
            // kubectl derives a resource name from the list kind; the server has no such resource.
            let resource = format!("{}s.{GROUP}", kind.to_ascii_lowercase());
            let message =
                format!("the server could not find the requested resource (post {resource})");
            let mut finding = Finding::upstream(Code::ListNotCreatable, Origin::Kubectl, message)
                .with_help(message!(
                    "server.list-without-items",
                    "a List is submitted item by item: give it `items`"
                ));
            finding.steps = vec![Step::Key("kind".to_owned())];
            return finding;
        }
        let mut finding = Finding::new(Code::NoStatus, stored::no_status(kind, "update"));
        finding.steps = vec![Step::Key("kind".to_owned())];
        finding
    }

    fn read<'t>(&self, tree: &'t Tree<'_>, input: &Input<'_>, item: &Item) -> Body<'t> {
        let mode = input.mode(item);
        let how = match self.options.patched {
            true => How::stored(mode, self.release),
            false => How::reaching(mode, self.via(), self.release),
        };
        Body::read(tree, item.node, self.api, how)
    }

    /// Returns true if a stored object of the kind has another name: kubectl looks it up by its name.
    fn is_named_otherwise(&self, stored: &Item) -> bool {
        let names = [&self.item.name, &stored.name];
        self.options.via == Via::Kubectl
            && self.item.kind == stored.kind
            && names.iter().all(|name| !name.is_empty())
            && self.item.name != stored.name
    }

    /// Returns true if a stored object is in the version of the new one.
    fn is_in_version(&self, stored: &Item) -> bool {
        matches!(&stored.what, What::Ours(api) if api.version.name == self.api.version.name)
    }

    /// Returns the stored object that this one changes, in its version if it is there in several; `None`: it is not stored.
    fn stored_item<'t>(&self, old: &'t Input<'_>) -> Option<&'t Item>
    where
        'a: 't,
    {
        // One object of each is a pair, unless kubectl would look for another name.
        if let ([_], [stored]) = (self.input.items.as_slice(), old.items.as_slice())
            && !self.is_named_otherwise(stored)
        {
            return Some(stored);
        }
        let stored = self.partners.get(&identity(self.options, self.item))?;
        let in_version = stored.iter().find(|item| self.is_in_version(item));
        in_version.or(stored.first()).copied()
    }

    /// Returns the stored object of an update.
    fn partner<'t>(&self, old: &'t Input<'_>) -> Result<(&'t Tree<'t>, Body<'t>), Box<Finding>>
    where
        'a: 't,
    {
        let Some(item) = self.stored_item(old) else {
            let identity = identity(self.options, self.item);
            return Err(Box::new(nothing_to_compare(identity)));
        };
        match &item.what {
            What::Ours(api) if api.kind.kind == self.api.kind.kind && self.is_in_version(item) => {}
            What::Refused(finding) => {
                let span = finding.span.or(Some(item.span));
                return Err(Box::new(Finding {
                    span,
                    ..stored::unreadable(finding)
                }));
            }
            _ => {
                return Err(Box::new(Finding::new(
                    Code::StoredObject,
                    message!(
                        "server.stored-of-other-kind",
                        "the stored object is a {stored} of {version}, not a {kind}",
                        stored = item.kind,
                        version = item.api_version,
                        kind = self.item.kind,
                    ),
                )));
            }
        }
        match old.tree(item) {
            Some(tree) => Ok((tree, self.read(tree, old, item))),
            None => Err(Box::new(Finding::new(
                Code::StoredObject,
                stored::no_object(),
            ))),
        }
    }

    fn explain_strict(&self, decoded: &Decoded<'_>, tree: &Tree<'_>, findings: &mut [Finding]) {
        for strict in &decoded.strict {
            if let Some(finding) = findings
                .iter_mut()
                .find(|f| f.message == strict.message && f.help.is_none())
            {
                hints::strict(finding, strict, self.api, self.release, tree);
            }
        }
    }

    /// Explains errors by the dropped fields, without which the server validates the object. Errors that disappear with a gate on
    /// are caused by that.
    fn explain_dropped(&self, dropped: &[(String, Gate)], findings: &mut [Finding]) {
        if dropped.is_empty() || !findings.iter().any(is_error_of_server) {
            return;
        }
        let gates = order::set(dropped.iter().map(|(_, gate)| *gate));
        let gates: Vec<Gate> = gates.into_iter().collect();
        let Some(with_all_gates) = self.findings_with(&gates) else {
            return;
        };
        let mut with_one_gate: Vec<(Gate, Vec<Finding>)> = Vec::new();
        for gate in gates {
            let findings = self.findings_with(&[gate]).unwrap_or_default();
            with_one_gate.push((gate, findings));
        }
        for finding in findings
            .iter_mut()
            .filter(|finding| is_error_of_server(finding))
        {
            // The server's decoder reads the field, whatever the gates are.
            let is_of_decoder = matches!(
                finding.code,
                Code::UnknownField | Code::DuplicateField | Code::TypeMismatch
            );
            if is_of_decoder || has_same(&with_all_gates, finding) {
                continue;
            }
            let gate_of_cause = with_one_gate
                .iter()
                .find(|(_, findings)| !has_same(findings, finding))
                .map(|(gate, _)| *gate);
            let path_of_finding = finding.path.as_deref().unwrap_or_default();
            let nearest = dropped
                .iter()
                .filter(|(_, gate)| gate_of_cause.is_none_or(|cause| cause == *gate))
                .min_by_key(|(path, _)| apart(path, path_of_finding));
            let Some((path, gate)) = nearest else {
                continue;
            };
            let help = message!(
                "server.comes-from-dropped",
                "this comes from `{path}`, which the server dropped first: switch the feature gate {gate} on, or use fields that the server keeps",
                path,
                gate = gate.name(),
            );
            finding.help = Some(help.into());
            finding.fixes.clear();
        }
    }

    /// Returns the server's findings with more gates on; `None` if it cannot decode the object.
    fn findings_with(&self, more: &[Gate]) -> Option<Vec<Finding>> {
        let gates = self.gates.unwrap_or(Gates::defaults(self.release));
        let gates = more
            .iter()
            .fold(gates, |gates, gate| gates.set(*gate, true));
        let request = ObjectRequest {
            gates: Some(gates),
            ..*self
        };
        let (tree, body) = request.body()?;
        if body.mismatch().is_some() {
            return None;
        }
        Some(request.answer_to(tree, body)?.findings)
    }

    /// Returns the path to the object's `allocationMode`, if it can have one.
    fn path_to_mode(&self) -> Option<&'static [&'static str]> {
        match self.api.kind.object {
            ObjectKind::Classic(ClassicKind::ResourceClaim) => Some(&["spec"]),
            ObjectKind::Classic(ClassicKind::ResourceClaimTemplate) => Some(&["spec", "spec"]),
            ObjectKind::Classic(_) | ObjectKind::Device(_) => None,
        }
    }
}

fn is_error_of_server(finding: &Finding) -> bool {
    finding.severity == Severity::Error && finding.origin == Origin::ApiServer
}

/// Returns true if findings include one with the code and path of another.
fn has_same(findings: &[Finding], other: &Finding) -> bool {
    findings
        .iter()
        .any(|finding| finding.code == other.code && finding.path == other.path)
}

/// Returns how many steps lead from one path to another. Keys of maps are written `.key` or `[key]`.
fn apart(one: &str, other: &str) -> usize {
    let steps = |path: &str| -> Vec<String> {
        let steps = path.split(['.', '[', ']']).filter(|step| !step.is_empty());
        steps.map(str::to_owned).collect()
    };
    let (one, other) = (steps(one), steps(other));
    let pairs = one.iter().zip(&other);
    let common = pairs.take_while(|(one, other)| one == other).count();
    length_after(common, &one).saturating_add(length_after(common, &other))
}

fn length_after(common: usize, steps: &[String]) -> usize {
    steps.len().saturating_sub(common)
}

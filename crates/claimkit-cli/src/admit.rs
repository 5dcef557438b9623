//! `admit`: what the policy answers to admission requests, and to plain manifests as if they were applied.

use crate::admission::{self, AdmissionFile, Policy};
use crate::ask;
use crate::exit::{self, Exit, Problem};
use crate::files::{self, InputFile, ReadFiles};
use crate::host::Host;
use crate::options::AdmitArgs;
use crate::policy_settings::{check_policies, messages, policy_of, read_settings};
use crate::stored;
use crate::summary;
use crate::values::PlainForm;
use claimkit::apiserver::namespaces::{NamespaceLabels, labels_in_texts};
use claimkit::policy::validating::{PolicyOutcome, PolicyResult};
use claimkit::report::text::TerminalStyle;
use claimkit::requests::admission::{EVERYBODY, ManifestObject, is_request};
use claimkit::requests::request::AdmitRequest;
use claimkit::requests::sources::{NamedText, Texts};
use claimkit::requests::{Content, Request};
use claimkit::validation::Operation;
use claimkit_model::limits::Limits;
use claimkit_model::message::Words;
use claimkit_model::text::SourceText;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Runs the verb.
pub fn run(args: &AdmitArgs, host: &mut dyn Host) -> exit::Outcome {
    let given = match &args.settings {
        Some(name) => Some(read_settings(name, host)?.json),
        None => None,
    };
    let ReadFiles {
        files, readable, ..
    } = files::read_named(&args.files, args.stdin_filename.as_deref(), host);
    if !readable {
        return Ok(Exit::Unusable);
    }
    refuse_replaced_bytes(&files)?;
    if args.stored {
        return stored::run(args, &files, given, host);
    }
    let (requests, manifests): (Vec<&InputFile>, Vec<&InputFile>) = files
        .iter()
        .partition(|file| is_request(&file.text) == Some(true));
    let namespace = args.namespace.as_deref().unwrap_or("default");
    let mut found = read_all(manifests.iter().copied(), namespace)?;
    let stored = match &args.old {
        Some(name) => Some(files::read_one(name, host)?),
        None => None,
    };
    let old = read_all(stored.iter(), namespace)?.objects;
    let of_server = found.server_policies_text();
    let has_policies = !found.policies.is_empty() || of_server.is_some();
    let form = match args.output {
        Some(PlainForm::Json) => ReportForm::Json,
        None if !has_policies && found.objects.is_empty() => ReportForm::Lines,
        Some(PlainForm::Text) | None => ReportForm::Text,
    };
    let is_without_policy = !has_policies && given.is_none();
    if is_without_policy && !found.objects.is_empty() {
        refuse_lost_policy(&manifests, found.mutates)?;
        host.err("claimkit: no policy is given: objects are judged by the rules of the API server only\n");
    }
    if is_without_policy || given.is_some() {
        let Some(policy) = policy_of(given) else {
            return Ok(Exit::Unusable);
        };
        found.policies.insert(0, policy);
    }
    check_policies(&found.policies, host)?;
    if found.mutates {
        host.err("claimkit: MutatingAdmissionPolicies are not evaluated: objects are judged as they are written\n");
    }
    if requests.is_empty() && found.objects.is_empty() {
        return Err(
            "nothing to judge: give manifests or admission requests beside the policy".into(),
        );
    }
    let cases = cases(args, &requests, &found, &old)?;
    let texts = files.iter().map(|file| SourceText::from(&file.text));
    let namespaces = labels_in_texts(texts, &Limits::default());
    let of_server = match of_server {
        Some(policies) => {
            let judged = ServerPolicies {
                args,
                policies,
                requests: &requests,
                manifests: &manifests,
                stored: stored.as_ref(),
            };
            judged.results(host)?
        }
        None => Vec::new(),
    };
    judge(args, &cases, of_server, &namespaces, form, host)
}

/// Refuses files that are not UTF-8, as the policy modules do; an API server never sends such bytes.
///
/// # Errors
/// The first of these files.
fn refuse_replaced_bytes(files: &[InputFile]) -> Result<(), Problem> {
    for file in files {
        if let Some(at) = file.replaced {
            return Err(format!(
                "{}: an admission request is JSON: byte {at} is not UTF-8",
                file.name
            )
            .into());
        }
    }
    Ok(())
}

/// Refuses files without a policy of which one was probably meant to have it.
///
/// # Errors
/// The file without any object, or that what changes objects is not evaluated.
fn refuse_lost_policy(files: &[&InputFile], mutates: bool) -> Result<(), Problem> {
    if let Some(file) = files.iter().find(|file| admission::is_blank(&file.text)) {
        return Err(format!("{}: the file has no policy and no object", file.name).into());
    }
    if mutates {
        return Err("no policy to ask: MutatingAdmissionPolicies are not evaluated".into());
    }
    Ok(())
}

/// What policies of the API server are asked about.
struct ServerPolicies<'c> {
    args: &'c AdmitArgs,
    policies: String,
    requests: &'c [&'c InputFile],
    manifests: &'c [&'c InputFile],
    stored: Option<&'c InputFile>,
}

impl<'c> ServerPolicies<'c> {
    /// Returns the answers: about each request, and about each object of the manifests.
    ///
    /// # Errors
    /// What a server refuses about the policies.
    fn results(&self, host: &mut dyn Host) -> Result<Vec<ResultOf<'c>>, Problem> {
        let mut results = Vec::new();
        for file in self.requests {
            results.extend(self.results_of_request(file, host)?);
        }
        results.extend(self.results_of_manifests(host)?);
        Ok(results)
    }

    /// Returns the answers about the request of a file.
    fn results_of_request(
        &self,
        file: &'c InputFile,
        host: &mut dyn Host,
    ) -> Result<Vec<ResultOf<'c>>, Problem> {
        let request = AdmitRequest {
            request: Some(request_in(file)?),
            ..self.asked()
        };
        let answer = ask::once(Request::Admit(request), host)?;
        let Content::AdmitPolicies { results, .. } = answer.content else {
            return Err(Problem::of_lines(messages(&answer)));
        };
        let lines = results.into_iter().map(|result| ResultOf {
            file: Some(Cow::Borrowed(file.name.as_str())),
            ..ResultOf::of(result)
        });
        Ok(lines.collect())
    }

    /// Returns the answers about each object of the manifests.
    fn results_of_manifests(&self, host: &mut dyn Host) -> Result<Vec<ResultOf<'c>>, Problem> {
        let texts = self.manifests.iter().map(|file| NamedText {
            name: file.name.clone(),
            text: file.text.clone(),
            replaced: None,
        });
        let request = AdmitRequest {
            manifests: Some(Texts::Several(texts.collect())),
            old: self.stored.map(|file| Texts::One(file.text.clone())),
            username: Some(self.args.user.clone()),
            groups: self.args.group.clone(),
            ..self.asked()
        };
        let answer = ask::once(Request::Admit(request), host)?;
        let Content::AdmitManifests { judged } = answer.content else {
            return Err(Problem::of_lines(messages(&answer)));
        };
        let mut results = Vec::new();
        for object in judged {
            let is_namespaced = !object.namespace.is_empty();
            for result in object.results {
                results.push(ResultOf {
                    api_version: Some(Cow::Owned(object.api_version.clone())),
                    kind: Some(Cow::Owned(object.kind.clone())),
                    namespace: is_namespaced.then(|| Cow::Owned(object.namespace.clone())),
                    name: Some(Cow::Owned(object.name.clone())),
                    ..ResultOf::of(result)
                });
            }
        }
        Ok(results)
    }

    fn asked(&self) -> AdmitRequest {
        AdmitRequest {
            policies: Some(self.policies.clone()),
            namespace: self.args.namespace.clone(),
            namespace_labels: self.args.labels.labels(),
            ..AdmitRequest::default()
        }
    }
}

/// Reads the request of a file.
fn request_in(file: &InputFile) -> Result<Box<RawValue>, String> {
    serde_json::from_str(&file.text)
        .map_err(|error| format!("{}: an admission request is JSON: {error}", file.name))
}

/// Reads policies and objects.
///
/// # Errors
/// Those that cannot be read.
fn read_all<'f>(
    files: impl Iterator<Item = &'f InputFile>,
    namespace: &str,
) -> Result<AdmissionFile, Problem> {
    let mut all = AdmissionFile::default();
    for file in files {
        all.add(admission::read(file, namespace));
    }
    if all.problems.is_empty() {
        Ok(all)
    } else {
        Err(Problem::of_lines(all.problems))
    }
}

/// A request for one policy.
struct Case<'c> {
    policy: &'c Policy,
    /// The object of the case.
    about: About<'c>,
    /// `None`: no rule of the policy names the object.
    request: Option<Box<RawValue>>,
}

impl Case<'_> {
    /// Returns the labels of its namespace, if its Namespace is given.
    fn labels_in(&self, namespaces: &NamespaceLabels) -> Option<BTreeMap<String, String>> {
        match &self.about {
            About::Object(object) => namespaces.get(&object.namespace).cloned(),
            About::File(_) => {
                let namespace = namespace_of(self.request.as_ref()?)?;
                namespaces.get(&namespace).cloned()
            }
        }
    }
}

/// Returns the namespace of a request, or of the request in an AdmissionReview.
fn namespace_of(request: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct Probe {
        namespace: Option<String>,
        request: Option<Box<Probe>>,
    }
    let probe: Probe = serde_json::from_str(request.get()).ok()?;
    match probe.request {
        Some(inner) => inner.namespace,
        None => probe.namespace,
    }
}

enum About<'c> {
    /// A request in a file.
    File(&'c str),
    /// An object of a manifest.
    Object(&'c ManifestObject),
}

fn cases<'c>(
    args: &'c AdmitArgs,
    requests: &[&'c InputFile],
    found: &'c AdmissionFile,
    old: &[ManifestObject],
) -> Result<Vec<Case<'c>>, String> {
    let groups: Vec<&str> = args
        .group
        .iter()
        .map(String::as_str)
        .chain([EVERYBODY])
        .collect();
    let mut cases = Vec::new();
    for file in requests {
        let request = request_in(file)?;
        for policy in &found.policies {
            cases.push(Case {
                policy,
                about: About::File(&file.name),
                request: Some(request.clone()),
            });
        }
    }
    for object in &found.objects {
        let stored = old.iter().find(|stored| stored.is(object));
        let operation = if stored.is_some() {
            Operation::Update(())
        } else {
            Operation::Create
        };
        let update = stored.and_then(|stored| object.over(stored));
        for policy in &found.policies {
            let request = if !policy.sees(object, operation) {
                None
            } else if let Some((new, old)) = &update {
                new.request(Some(old), &args.user, &groups)
            } else {
                object.request(None, &args.user, &groups)
            };
            cases.push(Case {
                policy,
                about: About::Object(object),
                request,
            });
        }
    }
    Ok(cases)
}

/// The parts of a ValidationResponse that the report looks at.
#[derive(Deserialize)]
struct Response {
    accepted: bool,
    message: Option<String>,
    code: Option<u16>,
    mutated_object: Option<Box<RawValue>>,
    #[serde(default)]
    warnings: Vec<String>,
}

/// The outcome of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Pass,
    Fail,
    Warn,
    Error,
    Skip,
}

impl Outcome {
    const ALL: [Outcome; 5] = [
        Outcome::Pass,
        Outcome::Fail,
        Outcome::Warn,
        Outcome::Error,
        Outcome::Skip,
    ];

    fn name(self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Warn => "warn",
            Outcome::Error => "error",
            Outcome::Skip => "skip",
        }
    }

    /// Returns the color of the outcome in a terminal.
    fn sgr(self) -> &'static str {
        match self {
            Outcome::Pass => "1;32",
            Outcome::Fail | Outcome::Error => "1;31",
            Outcome::Warn => "1;33",
            Outcome::Skip => "2",
        }
    }
}

/// One line of the report.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultOf<'c> {
    policy: Cow<'c, str>,
    /// The binding of a ValidatingAdmissionPolicy.
    #[serde(skip_serializing_if = "Option::is_none")]
    binding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<Cow<'c, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    api_version: Option<Cow<'c, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Cow<'c, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<Cow<'c, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<Cow<'c, str>>,
    result: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<Box<RawValue>>,
    /// Why a ValidatingAdmissionPolicy is not asked or its answer not known, and what was assumed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Words>,
}

impl ResultOf<'_> {
    /// Makes the line about a policy of the API server, without its object.
    fn of(answered: PolicyResult) -> Self {
        let json = |response| serde_json::value::to_raw_value(&response).ok();
        ResultOf {
            policy: Cow::Owned(answered.policy),
            binding: answered.binding,
            file: None,
            api_version: None,
            kind: None,
            namespace: None,
            name: None,
            result: match answered.result {
                PolicyOutcome::Pass | PolicyOutcome::Audit => Outcome::Pass,
                PolicyOutcome::Fail => Outcome::Fail,
                PolicyOutcome::Warn => Outcome::Warn,
                PolicyOutcome::Skip => Outcome::Skip,
                PolicyOutcome::Unknown => Outcome::Error,
            },
            response: answered.response.and_then(json),
            notes: answered.notes,
        }
    }

    /// Returns its object in words, or the name of the file with its request.
    fn about(&self) -> String {
        let Some(kind) = &self.kind else {
            return self.file.as_deref().unwrap_or_default().to_owned();
        };
        let name = self.name.as_deref().unwrap_or_default();
        match &self.namespace {
            None => format!("{kind} {name}"),
            Some(namespace) => format!("{kind} {namespace}/{name}"),
        }
    }

    /// Returns the lines below it in the report.
    fn more(&self) -> Vec<String> {
        let response = self.response.as_ref();
        let read = response.and_then(|json| serde_json::from_str::<Response>(json.get()).ok());
        let mut notes = Vec::new();
        if let Some(response) = read {
            notes.extend(response.message);
            let warnings = response.warnings.iter();
            notes.extend(warnings.map(|warning| format!("warning: {warning}")));
        }
        notes.extend(self.notes.iter().map(ToString::to_string));
        notes
    }
}

#[derive(Serialize)]
struct Whole<'c> {
    summary: BTreeMap<&'static str, usize>,
    results: Vec<ResultOf<'c>>,
}

/// The form of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReportForm {
    /// The response of each case as a line of JSON.
    Lines,
    Text,
    Json,
}

/// Asks every case and prints the answers. The labels of a Namespace among the objects count more than those of the command line, which are
/// for every namespace. `of_server`: the answers of the server's own policies.
fn judge(
    args: &AdmitArgs,
    cases: &[Case<'_>],
    of_server: Vec<ResultOf<'_>>,
    namespaces: &NamespaceLabels,
    form: ReportForm,
    host: &mut dyn Host,
) -> exit::Outcome {
    let labels = args.labels.labels();
    let mut report = Report {
        style: summary::style(args.text.color, host),
        text: String::new(),
        results: Vec::new(),
    };
    for case in cases {
        let Some(request) = &case.request else {
            report.add_unasked(case);
            continue;
        };
        let admit = AdmitRequest {
            request: Some(request.clone()),
            settings: Some(case.policy.settings.clone()),
            namespace_labels: case.labels_in(namespaces).or_else(|| labels.clone()),
            takes_labels: true,
            ..AdmitRequest::default()
        };
        let answer = ask::once(Request::Admit(admit), host)?;
        let Content::Admit { response: json } = answer.content else {
            return Err("the answer has no response".into());
        };
        let Ok(response) = serde_json::from_str::<Response>(json.get()) else {
            return Ok(Exit::Unusable);
        };
        if form == ReportForm::Lines {
            host.out(&format!("{}\n", json.get()));
        }
        report.add_answer(case, &response, json);
    }
    for result in of_server {
        report.add_server_policy(result);
    }
    Ok(report.print(form, host))
}

/// The report about all cases.
struct Report<'c> {
    style: TerminalStyle,
    /// The report for people, without the counts.
    text: String,
    results: Vec<ResultOf<'c>>,
}

impl<'c> Report<'c> {
    /// Adds a case that no rule of its policy names.
    fn add_unasked(&mut self, case: &Case<'c>) {
        self.results.push(ResultOf {
            result: Outcome::Skip,
            ..described(case).line
        });
    }

    /// Adds the answer to a case. `read`: what the report looks at in the response.
    fn add_answer(&mut self, case: &Case<'c>, read: &Response, response: Box<RawValue>) {
        let DescribedCase { object, line } = described(case);
        let outcome = outcome(case.policy, read);
        self.write(
            &case.policy.name,
            &object,
            outcome,
            &notes(case.policy, read),
        );
        self.results.push(ResultOf {
            result: outcome,
            response: Some(response),
            ..line
        });
    }

    /// Adds the answer of a policy of the API server.
    fn add_server_policy(&mut self, line: ResultOf<'c>) {
        let policy = match &line.binding {
            Some(binding) => format!("{} with {binding}", line.policy),
            None => line.policy.to_string(),
        };
        self.write(&policy, &line.about(), line.result, &line.more());
        self.results.push(line);
    }

    fn write(&mut self, policy: &str, object: &str, outcome: Outcome, notes: &[String]) {
        let outcome = self.style.paint(outcome.sgr(), outcome.name());
        self.text
            .push_str(&format!("{policy}: {object}: {outcome}\n"));
        for note in notes {
            self.text.push_str(&format!("    {note}\n"));
        }
    }

    fn exit(&self) -> Exit {
        let mut results = self.results.iter();
        if results.any(|line| matches!(line.result, Outcome::Fail | Outcome::Error)) {
            Exit::Findings
        } else {
            Exit::Fine
        }
    }

    /// Prints the report, unless its answers were printed one by one. Returns how the run ends.
    fn print(self, form: ReportForm, host: &mut dyn Host) -> Exit {
        let exit = self.exit();
        match form {
            ReportForm::Lines => {}
            ReportForm::Text => host.out(&self.as_text()),
            ReportForm::Json => match self.into_json() {
                Ok(json) => host.out(&format!("{json}\n")),
                Err(_) => return Exit::Unusable,
            },
        }
        exit
    }

    fn as_text(&self) -> String {
        let counts = Outcome::ALL.map(|outcome| {
            let count = count_of(&self.results, outcome);
            format!("{}: {count}", outcome.name())
        });
        format!("{}{}\n", self.text, counts.join(", "))
    }

    /// Returns the report as JSON.
    ///
    /// # Errors
    /// It cannot be written.
    fn into_json(self) -> serde_json::Result<String> {
        let summary = Outcome::ALL
            .map(|outcome| (outcome.name(), count_of(&self.results, outcome)))
            .into_iter()
            .collect();
        serde_json::to_string(&Whole {
            summary,
            results: self.results,
        })
    }
}

fn count_of(results: &[ResultOf<'_>], outcome: Outcome) -> usize {
    results.iter().filter(|line| line.result == outcome).count()
}

/// A case in the report.
struct DescribedCase<'c> {
    /// The object or file in words.
    object: String,
    line: ResultOf<'c>,
}

/// Describes a case without its answer.
fn described<'c>(case: &Case<'c>) -> DescribedCase<'c> {
    let line = ResultOf {
        policy: Cow::Borrowed(&case.policy.name),
        binding: None,
        file: None,
        api_version: None,
        kind: None,
        namespace: None,
        name: None,
        result: Outcome::Skip,
        response: None,
        notes: Vec::new(),
    };
    match case.about {
        About::File(name) => DescribedCase {
            object: name.to_owned(),
            line: ResultOf {
                file: Some(Cow::Borrowed(name)),
                ..line
            },
        },
        About::Object(object) => {
            let namespace = Some(object.namespace.as_str()).filter(|name| !name.is_empty());
            DescribedCase {
                object: format!("{} {}", object.kind, object.full_name()),
                line: ResultOf {
                    api_version: Some(Cow::Borrowed(&object.api_version)),
                    kind: Some(Cow::Borrowed(&object.kind)),
                    namespace: namespace.map(Cow::Borrowed),
                    name: Some(Cow::Borrowed(&object.name)),
                    ..line
                },
            }
        }
    }
}

/// Returns true if a policy changes an object that it may not change: its host then refuses it.
fn changes_in_vain(policy: &Policy, response: &Response) -> bool {
    response.accepted && response.mutated_object.is_some() && !policy.mutating
}

fn outcome(policy: &Policy, response: &Response) -> Outcome {
    match response.code {
        _ if changes_in_vain(policy, response) => Outcome::Error,
        Some(400 | 500) if !response.accepted => Outcome::Error,
        _ if !response.accepted && policy.monitors => Outcome::Warn,
        _ if !response.accepted => Outcome::Fail,
        _ if response.warnings.is_empty() => Outcome::Pass,
        _ => Outcome::Warn,
    }
}

/// Returns the notes below a line of the report.
fn notes(policy: &Policy, response: &Response) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    if let Some(message) = policy.message.as_ref().filter(|_| !response.accepted) {
        notes.push(message.clone());
    }
    notes.extend(response.message.clone());
    if changes_in_vain(policy, response) {
        notes.push("the policy changes the object: it must be `mutating: true`".to_owned());
    }
    notes.extend(
        response
            .warnings
            .iter()
            .map(|warning| format!("warning: {warning}")),
    );
    notes
}

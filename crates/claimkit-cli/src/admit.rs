//! `admit`: what the policy answers to admission requests, and to plain manifests as if they were applied.

use crate::admission::{self, AdmissionFile, Policy};
use crate::ask;
use crate::exit::{self, Exit, Problem};
use crate::files::{self, InputFile, ReadFiles};
use crate::host::Host;
use crate::options::AdmitArgs;
use crate::policy_settings::{check_policies, policy_of, read_settings};
use crate::stored;
use crate::summary;
use crate::values::PlainForm;
use claimkit::apiserver::namespaces::{NamespaceLabels, labels_in_texts};
use claimkit::requests::admission::{ManifestObject, is_request};
use claimkit::requests::request::AdmitRequest;
use claimkit::requests::{Content, Request};
use claimkit::validation::Operation;
use claimkit_model::limits::Limits;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
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
    for file in &files {
        // The answer of the policy modules to such bytes; an API server never sends them.
        if let Some(at) = file.replaced {
            return Err(format!(
                "{}: an admission request is JSON: byte {at} is not UTF-8",
                file.name
            )
            .into());
        }
    }
    if args.stored {
        return stored::run(args, &files, given, host);
    }
    let (requests, manifests): (Vec<&InputFile>, Vec<&InputFile>) = files
        .iter()
        .partition(|file| is_request(&file.text) == Some(true));
    let namespace = args.namespace.as_deref().unwrap_or("default");
    let mut found = read_all(manifests.into_iter(), namespace)?;
    let old = match &args.old {
        Some(name) => {
            let file = files::read_one(name, host)?;
            read_all(std::iter::once(&file), namespace)?.objects
        }
        None => Vec::new(),
    };
    let lines = found.policies.is_empty() && found.objects.is_empty() && args.output.is_none();
    if found.policies.is_empty() || given.is_some() {
        let Some(policy) = policy_of(given) else {
            return Ok(Exit::Unusable);
        };
        found.policies.insert(0, policy);
    }
    check_policies(&found.policies, host)?;
    if requests.is_empty() && found.objects.is_empty() {
        return Err(
            "nothing to judge: give manifests or admission requests beside the policy".into(),
        );
    }
    let cases = cases(args, &requests, &found, &old)?;
    let texts = files.iter().map(|file| file.text.as_str());
    let namespaces = labels_in_texts(texts, &Limits::default());
    judge(args, &cases, &namespaces, lines, host)
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
        let found = admission::read(file, namespace);
        all.policies.extend(found.policies);
        all.objects.extend(found.objects);
        all.problems.extend(found.problems);
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
        .chain(["system:authenticated"])
        .collect();
    let mut cases = Vec::new();
    for file in requests {
        let request = serde_json::from_str::<Box<RawValue>>(&file.text)
            .map_err(|error| format!("{}: an admission request is JSON: {error}", file.name))?;
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
        for policy in &found.policies {
            let request = match stored.and_then(|stored| object.over(stored)) {
                _ if !policy.sees(object, operation) => None,
                Some((new, old)) => new.request(Some(&old), &args.user, &groups),
                None => object.request(None, &args.user, &groups),
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
    policy: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    api_version: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'c str>,
    result: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Whole<'c> {
    summary: BTreeMap<&'static str, usize>,
    results: Vec<ResultOf<'c>>,
}

/// Asks every case and prints the answers: as lines of JSON, as a report, or as the JSON of the report. The labels of the command
/// line count more than those of Namespaces among the objects.
fn judge(
    args: &AdmitArgs,
    cases: &[Case<'_>],
    namespaces: &NamespaceLabels,
    lines: bool,
    host: &mut dyn Host,
) -> exit::Outcome {
    let style = summary::style(args.text.color, host);
    let labels = args.labels.labels();
    let mut results = Vec::new();
    let mut text = String::new();
    for case in cases {
        let (what, mut line) = described(case);
        if let Some(request) = &case.request {
            let settings = Some(case.policy.settings.clone());
            let request = AdmitRequest {
                request: Some(request.clone()),
                settings,
                namespace_labels: labels.clone().or_else(|| match &case.about {
                    About::Object(object) => namespaces.get(&object.namespace).cloned(),
                    About::File(_) => None,
                }),
            };
            let answer = ask::once(Request::Admit(request), host)?;
            let Content::Admit { response } = &answer.content else {
                return Err("the answer has no response".into());
            };
            let Ok(read) = serde_json::from_str::<Response>(response.get()) else {
                return Ok(Exit::Unusable);
            };
            let notes = notes(case.policy, &read);
            line.result = outcome(case.policy, &read);
            if lines {
                host.out(&format!("{}\n", response.get()));
            }
            text.push_str(&format!(
                "{}: {what}: {}\n",
                case.policy.name,
                style.paint(line.result.sgr(), line.result.name())
            ));
            notes
                .iter()
                .for_each(|note| text.push_str(&format!("    {note}\n")));
            line.response = Some(response.clone());
        } else {
            line.result = Outcome::Skip;
        }
        results.push(line);
    }
    let count = |outcome: Outcome| results.iter().filter(|line| line.result == outcome).count();
    let bad = results
        .iter()
        .any(|line| matches!(line.result, Outcome::Fail | Outcome::Error));
    if !lines && args.output == Some(PlainForm::Json) {
        let summary = Outcome::ALL
            .map(|outcome| (outcome.name(), count(outcome)))
            .into_iter()
            .collect();
        match serde_json::to_string(&Whole { summary, results }) {
            Ok(json) => host.out(&format!("{json}\n")),
            Err(_) => return Ok(Exit::Unusable),
        }
    } else if !lines {
        let counts = Outcome::ALL.map(|outcome| format!("{}: {}", outcome.name(), count(outcome)));
        host.out(&format!("{text}{}\n", counts.join(", ")));
    }
    Ok(if bad { Exit::Findings } else { Exit::Fine })
}

/// Returns the description of a case, for people and for programs.
fn described<'c>(case: &Case<'c>) -> (String, ResultOf<'c>) {
    let mut line = ResultOf {
        policy: &case.policy.name,
        file: None,
        api_version: None,
        kind: None,
        namespace: None,
        name: None,
        result: Outcome::Skip,
        response: None,
    };
    match case.about {
        About::File(name) => {
            line.file = Some(name);
            (name.to_owned(), line)
        }
        About::Object(object) => {
            line.api_version = Some(&object.api_version);
            line.kind = Some(&object.kind);
            line.namespace = Some(object.namespace.as_str()).filter(|name| !name.is_empty());
            line.name = Some(&object.name);
            (format!("{} {}", object.kind, object.full_name()), line)
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

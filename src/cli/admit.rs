//! `admit`: what the policy answers to admission requests, and to plain manifests as if they were applied.

use super::admission::{self, AdmissionFile, ManifestObject, Policy};
use super::arguments::Arguments;
use super::files::InputFile;
use super::{FINDINGS, FINE, Host, UNUSABLE, ask, check, files, pairs};
use crate::requests::request::{AdmitRequest, ParseRequest};
use crate::requests::{Answer, Content, Request};
use crate::validation::Operation;
use claimkit_model::finding::Severity;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The name of a policy that is given by settings alone.
const UNNAMED: &str = "settings";

/// The user of requests about plain manifests, if `--user` names no other.
const USER: &str = "kubernetes-admin";

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let given = match arguments.value("settings") {
        None => None,
        Some(name) => match settings(name, host) {
            Some((_, settings)) => Some(settings),
            None => return UNUSABLE,
        },
    };
    let Some(labels) = pairs::labels(arguments, host) else {
        return UNUSABLE;
    };
    let labels = ask::map(labels);
    let (files, readable) = files::read(arguments, host);
    if !readable {
        return UNUSABLE;
    }
    for file in &files {
        // The answer of the policy modules to such bytes; an API server never sends them.
        if let Some(at) = file.replaced {
            host.err(&format!(
                "claimkit: {}: an admission request is JSON: byte {at} is not UTF-8\n",
                file.name
            ));
            return UNUSABLE;
        }
    }
    let (requests, manifests): (Vec<&InputFile>, Vec<&InputFile>) = files
        .iter()
        .partition(|file| admission::is_request(&file.text));
    let namespace = arguments.value("namespace").unwrap_or("default");
    let Some(mut found) = read_all(manifests.into_iter(), namespace, host) else {
        return UNUSABLE;
    };
    let Some(old) = stored(arguments, namespace, host) else {
        return UNUSABLE;
    };
    let lines = found.policies.is_empty()
        && found.objects.is_empty()
        && arguments.value("output").is_none();
    if found.policies.is_empty() || given.is_some() {
        let settings = given.or_else(|| RawValue::from_string("{}".to_owned()).ok());
        let Some(settings) = settings else {
            return UNUSABLE;
        };
        found
            .policies
            .insert(0, Policy::of_settings(UNNAMED, settings));
    }
    for policy in &found.policies {
        if !valid(policy, host) {
            return UNUSABLE;
        }
        for field in &policy.unused {
            host.err(&format!(
                "claimkit: {}: `{field}` is not evaluated: the policy is asked about every object of its rules\n",
                policy.name
            ));
        }
    }
    if requests.is_empty() && found.objects.is_empty() {
        host.err(
            "claimkit: nothing to judge: give manifests or admission requests beside the policy\n",
        );
        return UNUSABLE;
    }
    let cases = match cases(arguments, &requests, &found, &old) {
        Ok(cases) => cases,
        Err(problem) => {
            host.err(&format!("claimkit: {problem}\n"));
            return UNUSABLE;
        }
    };
    judge(arguments, &cases, labels.as_ref(), lines, host)
}

/// Reads policies and objects. `None`: one cannot be read, and standard error says why.
fn read_all<'f>(
    files: impl Iterator<Item = &'f InputFile>,
    namespace: &str,
    host: &mut dyn Host,
) -> Option<AdmissionFile> {
    let mut all = AdmissionFile::default();
    for file in files {
        let found = admission::read(file, namespace);
        all.policies.extend(found.policies);
        all.objects.extend(found.objects);
        all.problems.extend(found.problems);
    }
    for problem in &all.problems {
        host.err(&format!("claimkit: {problem}\n"));
    }
    all.problems.is_empty().then_some(all)
}

/// Reads the objects that `--old` names; none without it.
fn stored(
    arguments: &Arguments,
    namespace: &str,
    host: &mut dyn Host,
) -> Option<Vec<ManifestObject>> {
    let Some(name) = arguments.value("old") else {
        return Some(Vec::new());
    };
    let file = files::read_one(name, host)?;
    read_all(std::iter::once(&file), namespace, host).map(|found| found.objects)
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
    arguments: &'c Arguments,
    requests: &[&'c InputFile],
    found: &'c AdmissionFile,
    old: &[ManifestObject],
) -> Result<Vec<Case<'c>>, String> {
    let user = arguments.value("user").unwrap_or(USER);
    let groups: Vec<&str> = arguments
        .values("group")
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
                Some((new, old)) => new.request(Some(&old), user, &groups),
                None => object.request(None, user, &groups),
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

/// Asks every case and prints the answers: as lines of JSON, as a report, or as the JSON of the report.
fn judge(
    arguments: &Arguments,
    cases: &[Case<'_>],
    labels: Option<&BTreeMap<String, String>>,
    lines: bool,
    host: &mut dyn Host,
) -> u8 {
    let style = check::style(arguments, host);
    let mut results = Vec::new();
    let mut text = String::new();
    for case in cases {
        let (what, mut line) = described(case);
        if let Some(request) = &case.request {
            let settings = Some(case.policy.settings.clone());
            let request = AdmitRequest {
                request: Some(request.clone()),
                settings,
                namespace_labels: labels.cloned(),
            };
            let Some(answer) = ask::once(Request::Admit(request), host) else {
                return UNUSABLE;
            };
            let Content::Admit { response } = &answer.content else {
                host.err("claimkit: the answer has no response\n");
                return UNUSABLE;
            };
            let Ok(read) = serde_json::from_str::<Response>(response.get()) else {
                return UNUSABLE;
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
    if !lines && arguments.value("output") == Some("json") {
        let summary = Outcome::ALL
            .map(|outcome| (outcome.name(), count(outcome)))
            .into_iter()
            .collect();
        match serde_json::to_string(&Whole { summary, results }) {
            Ok(json) => host.out(&format!("{json}\n")),
            Err(_) => return UNUSABLE,
        }
    } else if !lines {
        let counts = Outcome::ALL.map(|outcome| format!("{}: {}", outcome.name(), count(outcome)));
        host.out(&format!("{text}{}\n", counts.join(", ")));
    }
    if bad { FINDINGS } else { FINE }
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

/// Reads settings from YAML or JSON, or those of a policy's manifest, and returns the policy's name and the settings as JSON.
pub fn settings(name: &str, host: &mut dyn Host) -> Option<(Option<String>, Box<RawValue>)> {
    let file = files::read_one(name, host)?;
    let found = admission::read(&file, "");
    if let ([policy], [], []) = (
        found.policies.as_slice(),
        found.objects.as_slice(),
        found.problems.as_slice(),
    ) {
        return Some((Some(policy.name.clone()), policy.settings.clone()));
    }
    let replaced = ask::replaced(file.replaced);
    let read = ParseRequest {
        raw: true,
        text: Some(file.text),
        replaced,
        ..ParseRequest::default()
    };
    let answer = ask::once(Request::Parse(read), host)?;
    let problems = messages(&answer);
    match answer.content {
        Content::Raw { raw }
            if problems.is_empty() && report(name, &check_settings(&raw, host)?, host) =>
        {
            Some((None, raw))
        }
        _ => {
            report(name, &problems, host);
            None
        }
    }
}

/// Checks the settings of a policy, before any request is judged.
fn valid(policy: &Policy, host: &mut dyn Host) -> bool {
    check_settings(&policy.settings, host)
        .is_some_and(|problems| report(&policy.name, &problems, host))
}

fn check_settings(settings: &RawValue, host: &mut dyn Host) -> Option<Vec<String>> {
    let checked = AdmitRequest {
        settings: Some(settings.to_owned()),
        ..AdmitRequest::default()
    };
    ask::once(Request::Admit(checked), host).map(|answer| messages(&answer))
}

/// Prints problems; true if there are none.
fn report(name: &str, problems: &[String], host: &mut dyn Host) -> bool {
    for problem in problems {
        host.err(&format!("claimkit: {name}: {problem}\n"));
    }
    problems.is_empty()
}

fn messages(answer: &Answer) -> Vec<String> {
    let errors = answer
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| finding.message.clone()).collect()
}

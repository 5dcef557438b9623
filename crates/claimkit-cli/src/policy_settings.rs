//! The settings of policies for `admit` and `policy`: read, and checked before any request is judged.

use crate::admission::{self, Policy};
use crate::ask;
use crate::exit::Problem;
use crate::files;
use crate::host::Host;
use claimkit::requests::admission::repeated_keys;
use claimkit::requests::request::{AdmitRequest, ParseRequest};
use claimkit::requests::{Answer, Content, Request};
use claimkit_model::finding::Severity;
use serde_json::value::RawValue;

/// The name of a policy that is given by settings alone.
const UNNAMED: &str = "settings";

/// Makes the policy that has the settings of the command line alone, or none.
pub fn policy_of(settings: Option<Box<RawValue>>) -> Option<Policy> {
    let settings = settings.or_else(|| RawValue::from_string("{}".to_owned()).ok());
    settings.map(|settings| Policy::of_settings(UNNAMED, settings))
}

/// Checks the settings of policies, and says which fields are not evaluated.
///
/// # Errors
/// What is wrong with settings.
pub fn check_policies(policies: &[Policy], host: &mut dyn Host) -> Result<(), Problem> {
    for policy in policies {
        let problems = check_settings(&policy.settings, host)?;
        refuse(&policy.name, &problems)?;
        for field in &policy.unused {
            host.err(&format!(
                "claimkit: {}: `{field}` is not evaluated: the policy is asked about every object of its rules\n",
                policy.name
            ));
        }
    }
    Ok(())
}

/// Settings of a policy.
pub struct ReadSettings {
    /// The policy's name, if the file is a policy.
    pub name: Option<String>,
    pub json: Box<RawValue>,
}

/// Reads settings from YAML or JSON, or those of a policy's manifest.
///
/// # Errors
/// Why they cannot be read, or what is wrong with them.
pub fn read_settings(name: &str, host: &mut dyn Host) -> Result<ReadSettings, Problem> {
    let file = files::read_one(name, host)?;
    if admission::is_blank(&file.text) {
        return Err(format!("{name}: the file has no settings").into());
    }
    let found = admission::read(&file, "");
    if !found.policies.is_empty() && !found.problems.is_empty() {
        return Err(Problem::of_lines(found.problems));
    }
    if let ([policy], [], []) = (
        found.policies.as_slice(),
        found.objects.as_slice(),
        found.problems.as_slice(),
    ) {
        return Ok(ReadSettings {
            name: Some(policy.name.clone()),
            json: policy.settings.clone(),
        });
    }
    let repeated = repeated_keys(&file.text).into_iter().map(String::from);
    refuse(name, &repeated.collect::<Vec<String>>())?;
    let request = ParseRequest {
        raw: true,
        replaced: ask::replaced(file.replaced),
        text: Some(file.text),
        ..ParseRequest::default()
    };
    let answer = ask::once(Request::Parse(request), host)?;
    refuse(name, &messages(&answer))?;
    let Content::Raw { raw } = answer.content else {
        return Err(Problem::reported());
    };
    refuse(name, &check_settings(&raw, host)?)?;
    Ok(ReadSettings {
        name: None,
        json: raw,
    })
}

/// Returns what is wrong with the settings of a policy, before any request is judged.
fn check_settings(settings: &RawValue, host: &mut dyn Host) -> Result<Vec<String>, Problem> {
    let checked = AdmitRequest {
        settings: Some(settings.to_owned()),
        ..AdmitRequest::default()
    };
    ask::once(Request::Admit(checked), host).map(|answer| messages(&answer))
}

/// Refuses what has problems.
fn refuse(name: &str, problems: &[String]) -> Result<(), Problem> {
    if problems.is_empty() {
        return Ok(());
    }
    let lines = problems.iter().map(|problem| format!("{name}: {problem}"));
    Err(Problem::of_lines(lines.collect()))
}

/// Returns the errors of an answer.
pub fn messages(answer: &Answer) -> Vec<String> {
    let errors = answer
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| finding.message.to_string()).collect()
}

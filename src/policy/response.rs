//! A verdict in the shape of each host: Kubewarden's ValidationResponse, OPA's result, Gatekeeper's violations.

use crate::policy::judge::PolicyVerdict;
use crate::policy::restrictions;
use crate::policy::settings::Settings;
use claimkit_model::finding::{Cause, Code, Finding, Severity};
use claimkit_model::message::Words;
use claimkit_model::text::located;
use serde::Serialize;
use serde_json::value::RawValue;

/// Longest warning, in characters: an API server may cut longer ones (kube-apiserver, staging/src/k8s.io/api/admission/v1/types.go,
/// `AdmissionResponse.Warnings`).
const WARNING: usize = 256;
/// The start of the example and regular expression that end the server's messages about names.
const EXAMPLE: &str = " (e.g. '";
/// Maximum number of warnings; the last one says how many more there are.
const WARNINGS: usize = 30;
/// Longest message, in bytes; what is beyond is counted.
const MESSAGE: usize = 32 << 10;

/// Annotations for the audit log.
#[derive(Clone, Debug, Serialize)]
pub struct Annotations {
    /// The class that was asked for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub class: String,
    /// The settings that caused a finding.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rule: String,
}

/// Kubewarden's answer to `validate`; absent keys are left out.
#[derive(Debug, Default, Serialize)]
pub struct ValidationResponse {
    /// Whether the request goes through.
    pub accepted: bool,
    /// Why not: one reason bare, several in brackets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// 400 a request that cannot be read, 403 refused by the policy, 422 refused by the API server's own rules, 500 a cluster that
    /// cannot be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<u16>,
    /// The whole new object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutated_object: Option<Box<RawValue>>,
    /// `rule`: the settings that caused a finding; `class`: the requested class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit_annotations: Option<Annotations>,
    /// For the user, accepted or not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl ValidationResponse {
    /// Returns the answer of a verdict.
    pub fn of(verdict: &PolicyVerdict) -> Self {
        let accepted = verdict.accepted();
        ValidationResponse {
            accepted,
            message: message(&verdict.findings),
            code: code(&verdict.findings),
            mutated_object: verdict
                .mutated
                .clone()
                .and_then(|object| RawValue::from_string(object).ok()),
            audit_annotations: annotations(verdict),
            warnings: warnings(&verdict.findings),
        }
    }
}

/// Kubewarden's answer to `validate_settings`.
#[derive(Debug, Serialize)]
pub struct SettingsValidationResponse {
    /// Whether the settings can be used.
    pub valid: bool,
    /// Everything that is wrong with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl SettingsValidationResponse {
    /// Returns the answer to settings that were read, or not.
    pub fn of<T>(read: Result<T, Vec<Words>>) -> Self {
        match read {
            Ok(_) => SettingsValidationResponse {
                valid: true,
                message: None,
            },
            Err(errors) => SettingsValidationResponse {
                valid: false,
                message: Some(join_up_to_limit(errors.into_iter().map(String::from), "; ")),
            },
        }
    }
}

/// OPA's result for an AdmissionReview: short for people who query it, and with `response` as Kubernetes has it.
#[derive(Debug, Serialize)]
pub struct OpaResult {
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    findings: Vec<located::LocatedFinding>,
    warnings: Vec<String>,
    response: AdmissionResponse,
}

/// `response` of an AdmissionReview. Kubewarden reads it of OPA's results.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdmissionResponse {
    uid: String,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<AdmissionStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit_annotations: Option<Annotations>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl AdmissionResponse {
    /// Makes an answer that has only a message, and a code if the request does not go through.
    pub fn saying(uid: &str, allowed: bool, message: String, code: Option<u16>) -> Self {
        let status = Some(AdmissionStatus { message, code });
        AdmissionResponse {
            uid: uid.to_owned(),
            allowed,
            status,
            audit_annotations: None,
            warnings: Vec::new(),
        }
    }
}

#[derive(Debug, Serialize)]
struct AdmissionStatus {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
}

impl OpaResult {
    /// Returns the result of a verdict.
    pub fn of(verdict: &PolicyVerdict) -> Self {
        let (code, message, warnings) = (
            code(&verdict.findings),
            message(&verdict.findings),
            warnings(&verdict.findings),
        );
        let response = AdmissionResponse {
            uid: verdict.uid.clone(),
            allowed: verdict.accepted(),
            status: message
                .clone()
                .map(|message| AdmissionStatus { message, code }),
            audit_annotations: annotations(verdict),
            warnings: warnings.clone(),
        };
        OpaResult {
            allowed: verdict.accepted(),
            code,
            message,
            findings: findings(verdict),
            warnings,
            response,
        }
    }
}

/// One of Gatekeeper's violations.
#[derive(Debug, Serialize)]
pub struct Violation {
    /// Why the request is refused.
    pub msg: String,
    /// Further details; with the first violation only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<ViolationDetails>,
}

/// `details` of a violation.
#[derive(Debug, Serialize)]
pub struct ViolationDetails {
    /// As in the answers of the other hosts.
    pub warnings: Vec<String>,
}

/// Returns Gatekeeper's violations; an empty list accepts the object.
pub fn violations(verdict: &PolicyVerdict) -> Vec<Violation> {
    let mut violations: Vec<Violation> = errors(&verdict.findings)
        .map(|finding| Violation {
            msg: violation_message(finding),
            details: None,
        })
        .collect();
    let warnings = warnings(&verdict.findings);
    if let Some(first) = violations.first_mut().filter(|_| !warnings.is_empty()) {
        first.details = Some(ViolationDetails { warnings });
    }
    violations
}

fn violation_message(finding: &Finding) -> String {
    let strict = if is_strict(finding.code) { STRICT } else { "" };
    shortened(&format!("{strict}{}", finding.message))
}

/// Refuses settings that warn: Gatekeeper's result cannot carry warnings of an accepted request, so `mode: warn` would silently
/// accept.
///
/// # Errors
/// The settings warn.
pub fn for_gatekeeper(settings: Settings) -> Result<Settings, Vec<Words>> {
    if settings.any_warns() {
        let problem = "mode: `warn` cannot be used here, because Gatekeeper's result has no warnings; set `mode: monitor` on the policy instead";
        return Err(vec![Words::english(problem)]);
    }
    Ok(settings)
}

/// Returns the findings as every answer of the contract has them; there is no text to point into.
pub fn findings(verdict: &PolicyVerdict) -> Vec<located::LocatedFinding> {
    let source = claimkit_model::text::Source::new("");
    verdict
        .findings
        .iter()
        .map(|finding| located::finding(&source, finding.clone()))
        .collect()
}

fn errors(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
    findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
}

/// Returns the code of the most severe finding: unreadable, then malformed, then denied by the policy, then unknown.
fn code(findings: &[Finding]) -> Option<u16> {
    errors(findings)
        .map(|finding| match finding.code {
            Code::PolicySettings | Code::AdmissionRequest => 400,
            // The server answers these before it validates.
            Code::NoKind | Code::UnknownKind | Code::TypeMismatch | Code::NamespaceMismatch => 400,
            Code::UnknownField | Code::DuplicateField => 400,
            code if restrictions::setting(code) == "validation" => 422,
            _ if finding.cause == Some(Cause::Internal) => 500,
            _ => 403,
        })
        .min_by_key(|code| match code {
            400 => 0,
            422 => 1,
            403 => 2,
            _ => 3,
        })
}

/// Writes one reason bare, several as the API server joins them, each text once.
fn message(findings: &[Finding]) -> Option<String> {
    let mut seen = std::collections::BTreeSet::new();
    let (strict, others): (Vec<&Finding>, Vec<&Finding>) = errors(findings)
        .filter(|finding| seen.insert(finding.message.as_str()))
        .partition(|finding| is_strict(finding.code));
    let mut texts: Vec<String> = Vec::new();
    if !strict.is_empty() {
        let list = join_up_to_limit(
            strict.iter().map(|finding| shortened(&finding.message)),
            ", ",
        );
        texts.push(format!("{STRICT}{list}"));
    }
    texts.extend(others.iter().map(|finding| shortened(&finding.message)));
    match texts.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        _ => Some(format!("[{}]", join_up_to_limit(texts.into_iter(), ", "))),
    }
}

/// The server's heading for its list of unknown and repeated fields.
const STRICT: &str = "strict decoding error: ";

fn is_strict(code: Code) -> bool {
    matches!(code, Code::UnknownField | Code::DuplicateField)
}

/// Joins texts up to the longest message, and counts those left out.
fn join_up_to_limit(texts: impl Iterator<Item = String>, between: &str) -> String {
    let mut out = String::new();
    let mut left = 0usize;
    for text in texts {
        if !out.is_empty() && (left > 0 || out.len().saturating_add(text.len()) > MESSAGE) {
            left = left.saturating_add(1);
            continue;
        }
        if !out.is_empty() {
            out.push_str(between);
        }
        out.push_str(&text);
    }
    if left > 0 {
        out.push_str(&format!("{between}and {left} more"));
    }
    out
}

/// Shortens a text to at most a message's length, on one line.
fn shortened(text: &str) -> String {
    let mut end = text.len().min(MESSAGE);
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    let mut line = one_line(text.get(..end).unwrap_or_default());
    if end < text.len() {
        line.push('…');
    }
    line
}

/// Leaves out the lines in which the compiler of expressions draws where an error is: a warning has one line.
fn without_drawings(text: &str) -> String {
    let said = text.lines().filter(|line| !line.starts_with(" | "));
    said.collect::<Vec<_>>().join(" ")
}

fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

fn warnings(findings: &[Finding]) -> Vec<String> {
    let mut all: Vec<&Finding> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for finding in findings
        .iter()
        .filter(|finding| finding.severity == Severity::Warning)
    {
        if seen.insert(finding.message.as_str()) {
            all.push(finding);
        }
    }
    let kept = if all.len() > WARNINGS {
        WARNINGS.saturating_sub(1)
    } else {
        all.len()
    };
    let mut warnings: Vec<String> = all
        .iter()
        .take(kept)
        .map(|finding| warning(&finding.message))
        .collect();
    let left = all.len().saturating_sub(kept);
    if left > 0 {
        warnings.push(format!("and {left} more"));
    }
    warnings
}

fn warning(text: &str) -> String {
    let line = one_line(&without_drawings(text));
    if line.chars().count() <= WARNING {
        return line;
    }
    // The path is at the beginning and the reason at the end. First drop the example of a valid name, then the middle.
    let line = line
        .split_once(EXAMPLE)
        .map_or(line.as_str(), |(before, _)| before);
    let all: Vec<char> = line.chars().collect();
    if all.len() <= WARNING {
        return line.to_owned();
    }
    let head = all.iter().take(WARNING / 2);
    let tail = all
        .iter()
        .skip(all.len().saturating_sub((WARNING / 2).saturating_sub(1)));
    head.chain(std::iter::once(&'…')).chain(tail).collect()
}

fn annotations(verdict: &PolicyVerdict) -> Option<Annotations> {
    let mut names: Vec<&'static str> = Vec::new();
    for name in verdict
        .findings
        .iter()
        .map(|finding| restrictions::setting_of(finding))
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    (!names.is_empty()).then(|| Annotations {
        rule: names.join(","),
        class: warning(&verdict.class),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut_and_counted() {
        let texts = (0..1000).map(|n| format!("{n:0100}"));
        let joined = join_up_to_limit(texts, ", ");
        assert!(joined.len() <= MESSAGE + 20, "{}", joined.len());
        let kept = joined.matches(", 0").count() + 1;
        assert!(
            joined.ends_with(&format!(", and {} more", 1000 - kept)),
            "{}",
            &joined[joined.len() - 40..]
        );
        assert_eq!(
            join_up_to_limit(["a".to_owned(), "b".to_owned()].into_iter(), "; "),
            "a; b"
        );
    }

    #[test]
    fn warnings_stay_on_a_line() {
        assert_eq!(warning("a\nb"), "a b");
        let long = warning(&format!("path: {}: the reason", "é".repeat(300)));
        assert_eq!(long.chars().count(), 256);
        assert!(
            long.starts_with("path: é") && long.contains("é…é") && long.ends_with("é: the reason"),
            "{long}"
        );
        assert_eq!(warning(&"é".repeat(256)), "é".repeat(256));
    }
}

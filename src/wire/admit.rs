//! The verb `admit`, and the same judgement in the calling conventions of policy hosts. Requests of the contract that come
//! the same way go to [`offered`].

use super::answer::{self, Answer};
use super::offered;
use super::request::Request;
use crate::finding::{Code, Finding, Origin};
use crate::policy::response::{self, OpaResult, SettingsValidationResponse, ValidationResponse};
use crate::policy::{self, Mutation, Settings, Verdict};
use crate::text::tree::{NodeId, Tree};
use crate::text::{Document, Mode, Source, Span};
use serde_json::value::RawValue;

/// The version of Kubewarden's protocol.
pub const PROTOCOL_VERSION: &str = "\"v1\"";

/// Most bytes of one payload: an API server takes 3 MiB, an update carries two objects.
pub(super) const MAX_PAYLOAD: usize = 16 << 20;

/// Answers `admit`: a request and settings give `response`; settings alone are only checked.
pub fn admit(request: &Request) -> Answer {
    let text = |value: &Option<Box<RawValue>>| value.as_ref().map(|value| value.get().to_owned());
    of_texts(text(&request.request).as_deref(), text(&request.settings).as_deref().unwrap_or_default())
}

pub(super) fn of_texts(request: Option<&str>, settings: &str) -> Answer {
    let mut answer = Answer::to("admit");
    let settings = match read_settings(settings) {
        Ok(settings) => settings,
        Err(errors) => {
            let source = Source::new("");
            let finding = |error| answer::finding(&source, Finding::error(Code::PolicySettings, Origin::Claimkit, error));
            answer.findings = errors.iter().map(finding).collect();
            if request.is_some() {
                answer.response = raw(&ValidationResponse::of(&Verdict::unusable("", &errors)));
            }
            return answer;
        }
    };
    let Some(request) = request else {
        answer.ok = true;
        return answer;
    };
    let verdict = match read(request) {
        Ok(document) => policy::judge(&document, document.root, &settings, Mutation::Possible),
        Err(problem) => Verdict::unreadable("", problem),
    };
    answer.ok = verdict.accepted();
    answer.findings = response::findings(&verdict);
    answer.response = raw(&ValidationResponse::of(&verdict));
    answer
}

/// Kubewarden's `validate`: `{"request": …, "settings": …}` in, a ValidationResponse out.
pub fn validate(payload: &[u8]) -> String {
    let document = match utf8(payload).and_then(read) {
        Ok(document) => document,
        Err(problem) => return super::print(&ValidationResponse::of(&Verdict::unreadable("", problem))),
    };
    let (tree, member) = members(&document);
    let request = member("request");
    if let Some(text) = offered::contract_request(tree, request) {
        return super::print(&offered::raw_response(&text));
    }
    let settings = || Settings::read(tree, member("settings"));
    super::print(&ValidationResponse::of(&verdict(&document, request, settings, "", Mutation::Possible)))
}

/// Kubewarden's `validate_settings`: the settings in, a SettingsValidationResponse out.
pub fn validate_settings(payload: &[u8]) -> String {
    let text = utf8(payload).map_err(|problem| vec![problem]);
    super::print(&SettingsValidationResponse::of(text.and_then(read_settings)))
}

/// OPA's evaluation: the input and the data, which is the settings, give the value of the entry point.
pub fn evaluate(input: &[u8], data: &[u8]) -> String {
    let document = match utf8(input).and_then(read) {
        Ok(document) => document,
        Err(problem) => return super::print(&OpaResult::of(&Verdict::unreadable("", problem))),
    };
    let (tree, member) = members(&document);
    if let Some(text) = offered::contract_request(tree, document.root) {
        return offered::opa_answer(&text);
    }
    if let Some(review) = member("review") {
        let settings = || Settings::read(tree, member("parameters")).and_then(response::for_gatekeeper);
        let verdict = verdict(&document, Some(review), settings, "", Mutation::Impossible);
        return super::print(&response::violations(&verdict));
    }
    let request = member("request");
    if let Some(text) = offered::contract_request(tree, request) {
        return offered::opa_answer(&text);
    }
    let settings = || utf8(data).map_err(|problem| vec![problem]).and_then(read_settings);
    super::print(&OpaResult::of(&verdict(&document, request, settings, uid(tree, request), Mutation::Impossible)))
}

/// A request, judged by settings; `uid` is told where the settings cannot be used.
fn verdict(
    document: &Document<'_>,
    request: Option<NodeId>,
    settings: impl FnOnce() -> Result<Settings, Vec<String>>,
    uid: &str,
    mutation: Mutation,
) -> Verdict {
    match settings() {
        Ok(settings) => policy::judge(document, request, &settings, mutation),
        Err(errors) => Verdict::unusable(uid, &errors),
    }
}

fn uid<'t>(tree: &'t Tree<'_>, request: Option<NodeId>) -> &'t str {
    request.and_then(|request| tree.get(request, "uid")).and_then(|uid| tree.str(uid)).unwrap_or("")
}

pub(super) fn members<'d, 's>(document: &'d Document<'s>) -> (&'d Tree<'s>, impl Fn(&str) -> Option<NodeId> + 'd) {
    let tree = &document.tree;
    (tree, move |name: &str| document.root.and_then(|root| tree.get(root, name)))
}

/// Settings as text; none at all are empty ones.
fn read_settings(text: &str) -> Result<Settings, Vec<String>> {
    if text.trim().is_empty() {
        return Ok(Settings::default());
    }
    let document = read(text).map_err(|problem| vec![format!("settings: {problem}")])?;
    Settings::read(&document.tree, document.root)
}

pub(super) fn utf8(payload: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(payload).map_err(|error| format!("the request cannot be read: byte {} is not UTF-8", error.valid_up_to()))
}

/// One JSON value and nothing after it.
pub(super) fn read(text: &str) -> Result<Document<'_>, String> {
    if text.len() > MAX_PAYLOAD {
        return Err(format!("the request has {} bytes, at most {MAX_PAYLOAD} are read", text.len()));
    }
    let mut tree = Tree::new(text);
    let (root, end) = crate::text::json::value(&mut tree, 0, crate::text::json::MAX_DEPTH)
        .map_err(|error| format!("the request cannot be read: {} at byte {}", error.message, error.offset))?;
    let rest = text.get(end..).unwrap_or_default();
    let after = rest.len().saturating_sub(rest.trim_start_matches([' ', '\t', '\r', '\n']).len());
    if after < rest.len() {
        let at = end.saturating_add(after);
        return Err(format!("the request cannot be read: something stands after its end at byte {at}"));
    }
    Ok(Document { tree, root: Some(root), mode: Mode::Json, span: Span::new(0, text.len()) })
}

fn raw(response: &ValidationResponse) -> Option<Box<RawValue>> {
    serde_json::value::to_raw_value(response).ok()
}

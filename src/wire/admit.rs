//! The verb `admit`, and the same judgement in the calling conventions of policy hosts. Every build answers from here.

use super::answer::{self, Answer};
use super::request::Request;
use crate::admit::response::{self, OpaResult, SettingsValidationResponse, ValidationResponse};
use crate::admit::{self, Mutation, Settings, Verdict};
use crate::json::{self, Members, Out, Raw};
use crate::limits::Limits;
use crate::report::Severity;
use crate::report::{Code, Finding, Origin};
use crate::text::tree::{Kind, NodeId, Tree};
use crate::text::{Document, Mode, Source, Span};
use crate::words::joined;

/// The version of Kubewarden's protocol.
pub const PROTOCOL_VERSION: &str = "\"v1\"";

/// Most bytes of one payload: an API server takes 3 MiB, an update carries two objects.
const MAX_PAYLOAD: usize = 16 << 20;

/// Whether requests of the contract about manifests are answered: everywhere but in policy modules built without them.
const VERBS: bool = cfg!(feature = "verbs") || !cfg!(any(feature = "kubewarden", feature = "opa", feature = "wasi"));

/// Answers `admit`: a request and settings give `response`; settings alone are only checked.
pub fn admit(request: &Request) -> Answer {
    let text = |value: &Option<Raw>| value.as_ref().map(|value| value.get().to_owned());
    of_texts(text(&request.request).as_deref(), text(&request.settings).as_deref().unwrap_or_default())
}

fn of_texts(request: Option<&str>, settings: &str) -> Answer {
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
        Ok(document) => admit::judge(&document, document.root, &settings, Mutation::Possible),
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
    if let Some(text) = contract_request(tree, request) {
        return super::print(&raw_response(&text));
    }
    let verdict = match Settings::read(tree, member("settings")) {
        Ok(settings) => admit::judge(&document, request, &settings, Mutation::Possible),
        Err(errors) => Verdict::unusable("", &errors),
    };
    super::print(&ValidationResponse::of(&verdict))
}

/// Kubewarden's `validate_settings`: the settings in, a SettingsValidationResponse out.
pub fn validate_settings(payload: &[u8]) -> String {
    let settings = utf8(payload).map_err(|problem| vec![problem]).and_then(read_settings);
    super::print(&SettingsValidationResponse::of(settings))
}

/// OPA's evaluation: the input and the data, which is the settings, give the value of the entry point.
pub fn evaluate(input: &[u8], data: &[u8]) -> String {
    let document = match utf8(input).and_then(read) {
        Ok(document) => document,
        Err(problem) => return super::print(&OpaResult::of(&Verdict::unreadable("", problem))),
    };
    let (tree, member) = members(&document);
    if let Some(text) = contract_request(tree, document.root) {
        return opa_answer(&text);
    }
    if let Some(review) = member("review") {
        let verdict = match Settings::read(tree, member("parameters")) {
            Ok(settings) => admit::judge(&document, Some(review), &settings, Mutation::Impossible),
            Err(errors) => Verdict::unusable("", &errors),
        };
        return super::print(&response::violations(&verdict));
    }
    let request = member("request");
    if let Some(text) = contract_request(tree, request) {
        return opa_answer(&text);
    }
    let settings = utf8(data).map_err(|problem| vec![problem]).and_then(read_settings);
    let verdict = match settings {
        Ok(settings) => admit::judge(&document, request, &settings, Mutation::Impossible),
        Err(errors) => Verdict::unusable(uid(tree, request), &errors),
    };
    super::print(&OpaResult::of(&verdict))
}

/// A request of the contract, answered: [`super::answer`] with the limits of a policy host.
pub fn answer(request: &[u8]) -> String {
    match utf8(request) {
        Ok(text) => super::print(&run(text)),
        Err(problem) => super::print(&Answer::unusable(None, &problem)),
    }
}

fn run(text: &str) -> Answer {
    if !VERBS {
        return run_admit_alone(text);
    }
    match json::from_str::<Request>(text) {
        Ok(mut request) => {
            let most = Limits::default();
            let asked = request.limits;
            // Limits only go down: the host's memory is not the caller's to spend.
            request.limits = Limits {
                bytes: asked.bytes.min(MAX_PAYLOAD),
                depth: asked.depth.min(most.depth),
                nodes: asked.nodes.min(most.nodes),
                findings: asked.findings.min(most.findings),
                node_set_bytes: asked.node_set_bytes.min(MAX_PAYLOAD),
            };
            match request.verb.as_str() {
                "admit" => admit(&request),
                verb => super::on_objects(&request).unwrap_or_else(|| {
                    let known = "write one of `parse`, `validate`, `convert`, `evaluate`, `admit`";
                    Answer::unusable(Some(verb), &format!("unknown verb `{verb}`; {known}"))
                }),
            }
        }
        Err(error) => Answer::unusable(None, &format!("the request cannot be used: {error}")),
    }
}

/// Without the verbs there is only `admit`, read without the machinery for the rest.
fn run_admit_alone(text: &str) -> Answer {
    let Ok(document) = read(text) else { return Answer::unusable(None, "the request cannot be used") };
    let (tree, member) = members(&document);
    if member("verb").and_then(|verb| tree.str(verb)) != Some("admit") {
        let problem = "this module judges admission requests only; the verbs are in the modules `claimkit-verbs.wasm` and `claimkit-opa-verbs.wasm`";
        return Answer::unusable(None, problem);
    }
    let part = |name: &str| {
        let node = member(name).filter(|&node| !matches!(tree.kind(node), Kind::Null))?;
        let span = tree.span(node);
        text.get(span.from()..span.to())
    };
    of_texts(part("request"), part("settings").unwrap_or_default())
}

/// Kubewarden's raw mode: the answer is the message, so that a policy that may not change anything can give it.
fn raw_response(request: &str) -> ValidationResponse {
    let answer = run(request);
    let code = if answer.ok {
        None
    } else if answer.error.is_some() {
        Some(400)
    } else {
        Some(422)
    };
    ValidationResponse { accepted: answer.ok, code, message: Some(super::print(&answer)), ..ValidationResponse::default() }
}

/// The answer of the contract with OPA's fields before it.
fn opa_answer(request: &str) -> String {
    let answer = run(request);
    let errors = || answer.findings.iter().filter(|finding| finding.severity == Severity::Error);
    let message = answer.error.clone().or_else(|| errors().next().map(|finding| finding.message.clone()));
    let warnings = answer.findings.iter().filter(|finding| finding.severity == Severity::Warning);
    let head = OpaHead {
        allowed: answer.ok,
        code: if answer.ok {
            None
        } else if answer.error.is_some() {
            Some(400)
        } else {
            Some(422)
        },
        message: message.filter(|_| !answer.ok),
        warnings: warnings.map(|finding| finding.message.clone()).collect(),
        answer,
    };
    super::print(&head)
}

struct OpaHead {
    allowed: bool,
    code: Option<u16>,
    message: Option<String>,
    warnings: Vec<String>,
    answer: Answer,
}

impl Members for OpaHead {
    fn members(&self, out: &mut Out) {
        let OpaHead { allowed, code, message, warnings, answer } = self;
        out.put("allowed", allowed);
        out.some("code", code);
        out.some("message", message);
        out.put("warnings", warnings);
        answer.members(out);
    }
}

/// The text of a request of the contract, if it is one: no AdmissionRequest has a `verb`. Hosts add a `uid`.
fn contract_request(tree: &Tree<'_>, node: Option<NodeId>) -> Option<String> {
    let node = node?;
    tree.get(node, "verb").filter(|&verb| tree.str(verb).is_some())?;
    let whole = tree.span(node);
    let text = |span: Span| tree.source().get(span.from()..span.to()).unwrap_or_default();
    if tree.get(node, "uid").is_none() {
        return Some(text(whole).to_owned());
    }
    let members: Vec<String> = tree
        .entries(node)
        .iter()
        .filter(|entry| tree.text(entry.key) != "uid")
        .map(|entry| format!("{}:{}", text(entry.key_span), text(tree.span(entry.value))))
        .collect();
    Some(format!("{{{}}}", joined(&members, ",")))
}

fn uid<'t>(tree: &'t Tree<'_>, request: Option<NodeId>) -> &'t str {
    request.and_then(|request| tree.get(request, "uid")).and_then(|uid| tree.str(uid)).unwrap_or("")
}

fn members<'d, 's>(document: &'d Document<'s>) -> (&'d Tree<'s>, impl Fn(&str) -> Option<NodeId> + 'd) {
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

fn utf8(payload: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(payload).map_err(|error| format!("the request cannot be read: byte {} is not UTF-8", error.valid_up_to()))
}

/// One JSON value and nothing after it.
fn read(text: &str) -> Result<Document<'_>, String> {
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

fn raw(response: &ValidationResponse) -> Option<Raw> {
    Some(Raw::new(json::print(response)))
}

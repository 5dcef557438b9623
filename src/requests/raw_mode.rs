//! Requests of the contract that a policy host receives (raw mode).

use super::admit::{self, MAX_PAYLOAD};
use super::answer::{Answer, Common};
use super::content::{Content, ConvertedFile};
use super::members;
use super::request::{
    ConvertRequest, EvaluateRequest, ParseRequest, Unusable, ValidateRequest, Verb,
};
use crate::policy::response::{AdmissionResponse, ValidationResponse};
use claimkit_model::finding::Severity;
use claimkit_model::limits::Limits;
use claimkit_model::message::Words;
use claimkit_model::text::Span;
use claimkit_model::text::tree::{NodeId, Tree};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// The verbs that policy hosts support. The modules hold what these need and no other verb.
const VERBS: &[Verb] = &[
    Verb::Parse,
    Verb::Validate,
    Verb::Convert,
    Verb::Evaluate,
    Verb::Admit,
];

/// Answers a request of the contract with the limits of a policy host.
fn run(text: &str) -> Answer {
    answered(text).unwrap_or_else(Answer::unread)
}

fn answered(text: &str) -> Result<Answer, Unusable> {
    let name = members::verb(text).map_err(Unusable::unread)?;
    match Verb::find(&name) {
        Some(Verb::Parse) => {
            let mut request: ParseRequest = fields(text)?;
            lower(&mut request.limits);
            Ok(super::parse(&request))
        }
        Some(Verb::Validate) => {
            let mut request: ValidateRequest = fields(text)?;
            lower(&mut request.limits);
            Ok(super::validate(&request))
        }
        Some(Verb::Convert) => {
            let mut request: ConvertRequest = fields(text)?;
            lower(&mut request.limits);
            Ok(super::convert(&request))
        }
        Some(Verb::Evaluate) => {
            let mut request: EvaluateRequest = fields(text)?;
            lower(&mut request.limits);
            Ok(super::evaluate(&request))
        }
        Some(Verb::Admit) => Ok(admit::judge(&fields(text)?)),
        _ => Err(Unusable::unknown(name, VERBS)),
    }
}

fn fields<T: DeserializeOwned>(text: &str) -> Result<T, Unusable> {
    members::read(text).map_err(Unusable::unread)
}

/// Bounds the limits of a request: it can only lower them, because it uses the memory of the host.
fn lower(limits: &mut Limits) {
    let most = Limits::default();
    *limits = Limits {
        bytes: limits.bytes.min(MAX_PAYLOAD),
        depth: limits.depth.min(most.depth),
        nodes: limits.nodes.min(most.nodes),
        findings: limits.findings.min(most.findings),
        node_set_bytes: limits.node_set_bytes.min(MAX_PAYLOAD),
    };
}

/// Answers a request of the contract as all policy hosts do.
pub fn answer(request: &[u8]) -> String {
    match admit::utf8(request) {
        Ok(text) => super::print(&RawAnswer::of(&run(text))),
        Err(problem) => super::print(&RawAnswer::of(&Answer::unread(Unusable {
            verb: None,
            problem: Words::english(problem),
        }))),
    }
}

/// Returns the HTTP code of an answer that is not `ok`.
fn code(answer: &Answer) -> Option<u16> {
    match (answer.ok, &answer.error) {
        (true, _) => None,
        (false, Some(_)) => Some(400),
        (false, None) => Some(422),
    }
}

/// Answers in Kubewarden's raw mode: the answer is in the message, so that a policy without mutation can return it.
pub fn raw_response(request: &str) -> ValidationResponse {
    let answer = run(request);
    ValidationResponse {
        accepted: answer.ok,
        code: code(&answer),
        message: Some(super::print(&RawAnswer::of(&answer))),
        ..ValidationResponse::default()
    }
}

/// Answers by the contract, with OPA's fields first.
pub fn opa_answer(request: &str) -> String {
    let answer = run(request);
    super::print(&OpaAnswer {
        head: OpaHead::of(&answer),
        answer: RawAnswer::of(&answer),
    })
}

/// Answers where Kubewarden asks a module of OPA in raw mode: it reads `response` alone, whose message is the answer.
pub fn opa_response(request: &str, uid: &str) -> String {
    let answer = run(request);
    let response = AdmissionResponse::saying(
        uid,
        answer.ok,
        super::print(&RawAnswer::of(&answer)),
        code(&answer),
    );
    super::print(&OpaResponse {
        head: OpaHead::of(&answer),
        response,
    })
}

impl OpaHead {
    fn of(answer: &Answer) -> Self {
        let messages = |severity| {
            let findings = answer
                .findings
                .iter()
                .filter(move |finding| finding.severity == severity);
            findings.map(|finding| finding.message.clone())
        };
        let message = answer
            .error
            .clone()
            .or_else(|| messages(Severity::Error).next());
        OpaHead {
            allowed: answer.ok,
            code: code(answer),
            message: message.filter(|_| !answer.ok),
            warnings: messages(Severity::Warning).collect(),
        }
    }
}

/// An answer to one of [`VERBS`]: the modules do not link what prints the content of other verbs.
#[derive(Serialize)]
struct RawAnswer<'a> {
    #[serde(flatten)]
    common: Common<'a>,
    #[serde(flatten)]
    content: RawContent<'a>,
}

/// The content of such an answer, printed as [`Content`] is.
#[derive(Serialize)]
#[serde(untagged)]
enum RawContent<'a> {
    Nothing,
    Raw { raw: &'a RawValue },
    Convert { text: &'a str },
    ConvertFiles { files: &'a [ConvertedFile] },
    Admit { response: &'a RawValue },
}

impl<'a> RawAnswer<'a> {
    fn of(answer: &'a Answer) -> Self {
        let content = match &answer.content {
            Content::Raw { raw } => RawContent::Raw { raw },
            Content::Convert { text } => RawContent::Convert { text },
            Content::ConvertFiles { files } => RawContent::ConvertFiles { files },
            Content::Admit { response } => RawContent::Admit { response },
            _ => RawContent::Nothing,
        };
        RawAnswer {
            common: answer.common(),
            content,
        }
    }
}

#[derive(Serialize)]
struct OpaHead {
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Words>,
    warnings: Vec<Words>,
}

#[derive(Serialize)]
struct OpaAnswer<'a> {
    #[serde(flatten)]
    head: OpaHead,
    #[serde(flatten)]
    answer: RawAnswer<'a>,
}

#[derive(Serialize)]
struct OpaResponse {
    #[serde(flatten)]
    head: OpaHead,
    response: AdmissionResponse,
}

/// Returns the text of `node` if it is a request of the contract, which has a `verb` unlike an AdmissionRequest. Hosts add a
/// `uid`.
pub fn contract_request(tree: &Tree<'_>, node: Option<NodeId>) -> Option<String> {
    let node = node?;
    tree.get(node, "verb")
        .filter(|&verb| tree.str(verb).is_some())?;
    let whole = tree.span(node);
    if tree.get(node, "uid").is_none() {
        return Some(text_at(tree, whole).to_owned());
    }
    let members: Vec<String> = tree
        .entries(node)
        .iter()
        .filter(|entry| tree.text(entry.key) != "uid")
        .map(|entry| {
            format!(
                "{}:{}",
                text_at(tree, entry.key_span),
                text_at(tree, tree.span(entry.value))
            )
        })
        .collect();
    Some(format!("{{{}}}", members.join(",")))
}

fn text_at<'t>(tree: &'t Tree<'_>, span: Span) -> &'t str {
    tree.slice(span)
}

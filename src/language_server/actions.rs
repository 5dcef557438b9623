//! Quick fixes, all fixes at once, and conversions.

use super::answers;
use super::document::Document;
use super::protocol::{ActionParams, Diagnostic, Range};
use super::settings::Settings;
use super::{LanguageServer, Result, shape};
use crate::requests::request::{ConvertRequest, ParseRequest};
use crate::requests::{self, Answer, Content, Request};
use claimkit_model::finding::{Severity, TextField};
use claimkit_model::text::located;
use claimkit_values::order;
use serde_json::{Value, json};

const QUICK_FIX: &str = "quickfix";
const FIX_ALL: &str = "source.fixAll.claimkit";
const CONVERT: &str = "refactor.rewrite.claimkit.convert";

/// The kinds of actions.
pub const KINDS: [&str; 3] = [QUICK_FIX, FIX_ALL, CONVERT];

/// The version that conversions go to.
const NEWEST: &str = "v1";

/// Rounds of fixing and validating again: a fix can bring a finding to light that was hidden before.
const ROUNDS: usize = 8;

/// Returns true if a kind is among those that are wanted, or inside one of them.
fn is_among(kind: &str, wanted: &[String]) -> bool {
    wanted.iter().any(|only| {
        kind.strip_prefix(only.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

impl LanguageServer {
    pub(super) fn code_actions(&mut self, params: &ActionParams) -> Result<Value> {
        let uri = &params.text_document.uri;
        if self.asked(uri).is_none() {
            return Ok(json!([]));
        }
        let settings = self.settings_of(uri)?;
        let Some(document) = self.asked(uri) else {
            return Ok(json!([]));
        };
        if self.is_excluded(uri, &settings) {
            return Ok(json!([]));
        }
        let only = params.context.only.as_deref();
        let wants = |kind| only.is_none_or(|only| is_among(kind, only));
        let mut actions = Vec::new();
        if wants(QUICK_FIX) {
            actions.extend(self.quick_fixes(document, &settings, params)?);
        }
        if only.is_some_and(|only| is_among(FIX_ALL, only)) {
            let text = self.fixed(document, &settings)?;
            if text != document.text {
                actions.push(json!({
                    "title": "fix all of claimkit that deletes nothing",
                    "kind": FIX_ALL,
                    "edit": rewritten(document, &text),
                }));
            }
        }
        if wants(CONVERT) {
            let mut of_version = conversions(document, params.range);
            // Other clients would show an action that does nothing.
            if !self.can(&["textDocument", "codeAction", "disabledSupport"]) {
                of_version.retain(|action| action.get("disabled").is_none());
            }
            actions.extend(of_version);
        }
        Ok(actions.into())
    }

    fn checked(&self, uri: &str, text: &str, settings: &Settings) -> Result<Answer> {
        self.findings(uri, text, settings)
            .or_else(|error| super::refuse(super::code::INTERNAL_ERROR, error.as_str()))
    }

    /// Returns the quick fixes in a range. Findings are made anew: some clients give diagnostics back without their data.
    fn quick_fixes(
        &self,
        document: &Document,
        settings: &Settings,
        params: &ActionParams,
    ) -> Result<Vec<Value>> {
        let answer = self.checked(&document.uri, &document.text, settings)?;
        let found: Vec<Diagnostic> = answer
            .findings
            .iter()
            .map(|finding| answers::diagnostic(finding, settings.code_pages.as_deref()))
            .filter(|diagnostic| diagnostic.range.meets(params.range))
            .collect();
        let mut actions = Vec::new();
        for (diagnostic, mut action) in answers::quick_fixes(&document.uri, &found) {
            let given = params.context.diagnostics.iter();
            let given: Vec<&Value> = given.filter(|given| is_same(given, diagnostic)).collect();
            if !given.is_empty() {
                answers::set(&mut action, "diagnostics", json!(given));
            }
            actions.push(action);
        }
        Ok(actions)
    }

    /// Returns a document's text with all fixes that delete nothing, as the command's `validate --fix` writes it.
    fn fixed(&self, document: &Document, settings: &Settings) -> Result<String> {
        let mut text = document.text.clone();
        for _ in 0..ROUNDS {
            let answer = self.checked(&document.uri, &text, settings)?;
            match apply_fixes(&text, &answer) {
                Some(next) => text = next,
                None => break,
            }
        }
        Ok(text)
    }
}

/// Returns true if a client's diagnostic is one of ours.
fn is_same(given: &Value, diagnostic: &Diagnostic) -> bool {
    given.get("code").and_then(Value::as_str) == Some(diagnostic.code)
        && given.get("range") == Some(&shape(diagnostic.range))
}

/// Applies the first fix of each finding, unless it deletes something or touches another fix; `None` if there is none to apply.
fn apply_fixes(text: &str, answer: &Answer) -> Option<String> {
    let mut edits: Vec<&located::RangeEdit> = Vec::new();
    let from = |edit: &located::RangeEdit| edit.range.start.byte_offset as usize;
    let to = |edit: &located::RangeEdit| edit.range.end.byte_offset as usize;
    for finding in &answer.findings {
        let fix = finding.fixes.first();
        let Some(fix) = fix.filter(|fix| finding.within == TextField::Text && !fix.deletes) else {
            continue;
        };
        let touches = |edit: &located::RangeEdit| {
            edits
                .iter()
                .any(|other| from(edit) <= to(other) && from(other) <= to(edit))
        };
        if !fix.edits.iter().any(touches) {
            edits.extend(&fix.edits);
        }
    }
    if edits.is_empty() {
        return None;
    }
    order::sort_by_key(&mut edits, |edit| from(edit));
    let mut fixed = String::with_capacity(text.len());
    let mut at = 0usize;
    for edit in edits {
        fixed.push_str(text.get(at..from(edit)).unwrap_or_default());
        fixed.push_str(&edit.new_text);
        at = to(edit);
    }
    fixed.push_str(text.get(at..).unwrap_or_default());
    Some(fixed)
}

/// Returns the edit of a whole document.
fn rewritten(document: &Document, text: &str) -> Value {
    json!({"changes": {document.uri.as_str(): document.difference(text)}})
}

/// Returns the answer of `convert` about a text.
pub fn convert(text: &str, to: &str) -> Answer {
    requests::run(&Request::Convert(ConvertRequest {
        text: Some(text.to_owned()),
        to: Some(to.to_owned()),
        ..ConvertRequest::default()
    }))
}

/// Returns the text of a conversion, or why there is none.
pub fn converted(answer: &Answer) -> Result<&str, Option<String>> {
    if let Content::Convert { text } = &answer.content {
        return Ok(text);
    }
    let mut findings = answer.findings.iter();
    let error = findings.find(|finding| finding.severity == Severity::Error);
    Err(error.map(|finding| finding.message.to_string()))
}

/// Makes the action of a conversion; `before` and `after`: what stays of the document.
fn conversion(
    title: &str,
    document: &Document,
    part: &str,
    before: &str,
    after: &str,
) -> Option<Value> {
    let answer = convert(part, NEWEST);
    let is_changed = answer
        .objects
        .iter()
        .any(|object| object.changed == Some(true));
    match converted(&answer) {
        Ok(text) if is_changed => {
            let whole = format!("{before}{text}{after}");
            Some(json!({"title": title, "kind": CONVERT, "edit": rewritten(document, &whole)}))
        }
        Err(Some(why)) => {
            Some(json!({"title": title, "kind": CONVERT, "disabled": {"reason": why}}))
        }
        _ => None,
    }
}

/// Returns the conversions of the objects in a range, and of the file.
fn conversions(document: &Document, range: Range) -> Vec<Value> {
    let text = document.text.as_str();
    let answer = requests::run(&Request::Parse(ParseRequest {
        text: Some(text.to_owned()),
        ..ParseRequest::default()
    }));
    let mut actions = Vec::new();
    let (mut old, mut here) = (0usize, 0usize);
    for object in answer
        .objects
        .iter()
        .filter(|object| is_old(&object.api_version))
    {
        let Some(place) = &object.range else { continue };
        old = old.saturating_add(1);
        if place.start.character != 0 || !Range::from(place).meets(range) {
            continue;
        }
        here = here.saturating_add(1);
        let (from, to) = (
            place.start.byte_offset as usize,
            place.end.byte_offset as usize,
        );
        let title = format!("convert {} `{}` to {NEWEST}", object.kind, object.name);
        let slice = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
        actions.extend(conversion(
            &title,
            document,
            slice(from..to),
            slice(0..from),
            slice(to..text.len()),
        ));
    }
    if old > 1 || (old == 1 && here == 0) {
        let title = format!("convert the file to {NEWEST}");
        actions.extend(conversion(&title, document, text, "", ""));
    }
    actions
}

fn is_old(version: &str) -> bool {
    version
        .strip_prefix("resource.k8s.io/")
        .is_some_and(|version| version != NEWEST)
}

//! The verb `fixes`: the fixes of the `validate` findings in a range.

use super::answer::Answer;
use super::content::{Content, FixOf};
use super::hover;
use super::request::Request;
use crate::finding::TextField;
use crate::text::Source;

const VERB: &str = "fixes";

/// Answers `fixes`. The other fields of the request have the same meaning as for `validate`.
pub fn fixes(request: &Request) -> Answer {
    if let Some(Err(error)) = request.text.as_deref().map(|text| hover::within(text, &request.limits)) {
        return Answer::unusable(Some(VERB), &error);
    }
    let mut judged = super::validate::validate(request);
    if let Some(error) = judged.error {
        return Answer::unusable(Some(VERB), &error);
    }
    let source = Source::new(request.text.as_deref().unwrap_or(""));
    let wanted = request.range.map(|range| (range.start.offset(&source), range.end.offset(&source)));
    let mut fixes = Vec::new();
    for finding in judged.findings.drain(..) {
        if finding.within != TextField::Text {
            continue;
        }
        let inside = match (wanted, finding.range) {
            (None, _) => true,
            (Some((start, end)), Some(range)) => range.start.offset as usize <= end && start <= range.end.offset as usize,
            (Some(_), None) => false,
        };
        if inside {
            fixes.extend(finding.fixes.into_iter().map(|fix| FixOf {
                title: fix.title,
                edits: fix.edits,
                deletes: fix.deletes,
                code: finding.code,
                message: finding.message.clone(),
                range: finding.range,
            }));
        }
    }
    Answer::with(VERB, Content::Fixes { fixes })
}

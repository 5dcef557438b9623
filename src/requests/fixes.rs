//! The verb `fixes`: the fixes of the `validate` findings in a range.

use super::answer::Answer;
use super::content::{Content, FixOf};
use super::hover;
use super::request::{FixesRequest, Verb};
use claimkit_model::finding::TextField;
use claimkit_model::text::Source;

const VERB: Verb = Verb::Fixes;

/// Answers `fixes`. The other fields of the request have the same meaning as for `validate`.
pub fn fixes(request: &FixesRequest) -> Answer {
    let text = request.validate.text.as_deref();
    if let Some(Err(error)) = text.map(|text| hover::within(text, &request.validate.limits)) {
        return Answer::unusable(VERB, error);
    }
    let mut judged = super::validate::validate(&request.validate);
    if let Some(error) = judged.error {
        return Answer::unusable(VERB, error);
    }
    let source = Source::new(text.unwrap_or(""));
    let wanted = request
        .range
        .map(|range| (range.start.offset(&source), range.end.offset(&source)));
    let mut fixes = Vec::new();
    for finding in judged.findings.drain(..) {
        if finding.within != TextField::Text {
            continue;
        }
        let inside = match (wanted, &finding.range) {
            (None, _) => true,
            (Some((start, end)), Some(range)) => {
                range.start.byte_offset as usize <= end && start <= range.end.byte_offset as usize
            }
            (Some(_), None) => false,
        };
        if inside {
            fixes.extend(finding.fixes.into_iter().map(|fix| FixOf {
                title: fix.title,
                edits: fix.edits,
                deletes: fix.deletes,
                code: finding.code,
                message: finding.message.clone(),
                range: finding.range.clone(),
            }));
        }
    }
    // A fix would write U+FFFD in place of bytes that are not UTF-8.
    fixes.retain(|_| request.validate.replaced.text.is_none());
    Answer::with(VERB, Content::Fixes { fixes })
}

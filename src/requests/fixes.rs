//! The verb `fixes`: the fixes of the `validate` findings in a range.

use super::answer::Answer;
use super::content::{Content, FixOf};
use super::hover;
use super::request::{FixesRequest, Verb};
use claimkit_model::finding::TextField;
use claimkit_model::text::{Source, Span};

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
    let span_of_request = request
        .range
        .map(|range| Span::new(range.start.offset(&source), range.end.offset(&source)));
    let mut fixes = Vec::new();
    for finding in judged.findings.drain(..) {
        if finding.within != TextField::Text {
            continue;
        }
        let is_in_range = span_of_request.is_none_or(|span| {
            finding.range.as_ref().is_some_and(|range| {
                let (start, end) = (range.start.byte_offset, range.end.byte_offset);
                start as usize <= span.to() && span.from() <= end as usize
            })
        });
        if is_in_range {
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

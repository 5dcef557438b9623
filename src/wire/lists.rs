//! The verbs `codes` and `releases`: what is known here.

use super::Answer;
use super::request::Request;
use crate::editor::registry;

/// Answers `codes`.
pub fn codes(request: &Request) -> Answer {
    match request.locale() {
        Ok(_) => Answer { ok: true, codes: Some(registry::codes(request.sentences.as_ref())), ..Answer::to("codes") },
        Err(error) => Answer::unusable(Some("codes"), &error),
    }
}

/// Answers `releases`.
pub fn releases(request: &Request) -> Answer {
    match request.locale() {
        Ok(_) => Answer { ok: true, releases: Some(registry::releases(request.sentences.as_ref())), ..Answer::to("releases") },
        Err(error) => Answer::unusable(Some("releases"), &error),
    }
}

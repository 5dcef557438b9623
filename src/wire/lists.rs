//! The verbs `codes` and `releases`: the known finding codes and releases.

use super::request::Request;
use super::{Answer, Content};
use crate::editor::registry;

/// Answers `codes`.
pub fn codes(request: &Request) -> Answer {
    match request.locale() {
        Ok(_) => Answer::with("codes", Content::Codes { codes: registry::codes(request.sentences.as_ref()) }),
        Err(error) => Answer::unusable(Some("codes"), &error),
    }
}

/// Answers `releases`.
pub fn releases(request: &Request) -> Answer {
    match request.locale() {
        Ok(_) => Answer::with("releases", Content::Releases { releases: registry::releases(request.sentences.as_ref()) }),
        Err(error) => Answer::unusable(Some("releases"), &error),
    }
}

//! The verbs `codes` and `releases`: the known finding codes and releases.

use super::request::{LocaleRequest, Verb, locale};
use super::{Answer, Content};
use crate::editor::registry;

/// Answers `codes`.
pub fn codes(request: &LocaleRequest) -> Answer {
    match locale(request.locale.as_deref()) {
        Ok(_) => Answer::with(
            Verb::Codes,
            Content::Codes {
                codes: registry::codes(request.sentences.as_ref()),
            },
        ),
        Err(error) => Answer::unusable(Verb::Codes, error),
    }
}

/// Answers `releases`.
pub fn releases(request: &LocaleRequest) -> Answer {
    match locale(request.locale.as_deref()) {
        Ok(_) => Answer::with(
            Verb::Releases,
            Content::Releases {
                releases: registry::releases(request.sentences.as_ref()),
            },
        ),
        Err(error) => Answer::unusable(Verb::Releases, error),
    }
}

//! The locale files, embedded in native programs only; elsewhere they are files next to the module.

use super::sentences::Sentences;

/// Returns the sentences of a locale.
pub fn sentences(locale: &str) -> Option<Sentences> {
    let file = match locale {
        "en" => include_str!("../../pkg/locale/en.json"),
        "zh-Hans" => include_str!("../../pkg/locale/zh-Hans.json"),
        _ => return None,
    };
    serde_json::from_str(file).ok()
}

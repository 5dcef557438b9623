//! Phrases as sentences.

/// Writes help as a sentence.
pub fn as_sentence(help: &str) -> String {
    let mut letters = help.chars();
    let first: String = letters
        .next()
        .map(|letter| letter.to_uppercase().collect())
        .unwrap_or_default();
    let end = if help.ends_with(['.', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// Ends a sentence with one period.
pub fn with_period(sentence: &str) -> String {
    format!("{}.", sentence.trim_end_matches('.'))
}

//! How kubectl reads a file.

/// kubectl looks for `{` in this many bytes at the start.
const LOOK_AHEAD: usize = 4096;

/// The format in which kubectl reads the file, decided by its first non-blank byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The file begins with `{`.
    Json,
    /// Any other first byte.
    Yaml,
}

/// kubectl removes it from the start of a file before it decides between JSON and YAML (cli-runtime, pkg/resource/visitor.go).
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// Guesses the mode as kubectl does: JSON when the first thing within 4096 bytes is `{`.
///
/// ```
/// use claimkit_yaml::{Mode, mode};
///
/// assert_eq!(mode("\n {kind: Pod}"), Mode::Json);
/// assert_eq!(mode("kind: Pod"), Mode::Yaml);
/// ```
pub fn mode(text: &str) -> Mode {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let trimmed = text.trim_start();
    let blank = text.len().saturating_sub(trimmed.len());
    if blank < LOOK_AHEAD && trimmed.starts_with('{') {
        Mode::Json
    } else {
        Mode::Yaml
    }
}

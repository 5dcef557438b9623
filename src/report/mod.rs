//! Findings as people and programs read them. Each form has a file; all take the same [`Report`]s.

pub mod answer;
pub mod github;
pub mod junit;
pub mod nodes;
pub mod sarif;
pub mod text;

use answer::{Answer, Finding, Position};

/// What was said of one file.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The file's name, as it is shown.
    pub name: &'a str,
    /// Its text, into which the findings' ranges point.
    pub text: &'a str,
    /// The answer.
    pub answer: &'a Answer,
    /// Whether remarks are shown too: findings that are neither errors nor warnings.
    pub remarks: bool,
}

impl<'a> Report<'a> {
    /// The findings that ask for something. That a file holds nothing to check, or objects of other groups, is for a summary to
    /// tell: in a folder it is so for most files.
    pub fn findings(&self) -> impl Iterator<Item = &'a Finding> + use<'a> {
        let remarks = self.remarks;
        self.answer
            .findings
            .iter()
            .filter(|finding| !matches!(finding.code.as_str(), "nothing-checked" | "other-group"))
            .filter(move |finding| remarks || finding.severity != "info")
    }
}

/// Line and column as people count: both from 1, columns in characters.
pub fn place(text: &str, position: Position) -> (u32, usize) {
    let offset = position.offset as usize;
    let before = text.get(..offset).unwrap_or("");
    let start = before.rfind(['\n', '\r']).map_or(0, |at| at.saturating_add(1));
    let characters = before.get(start..).unwrap_or("").chars().count();
    (position.line.saturating_add(1), characters.saturating_add(1))
}

//! Findings as people and programs read them. Each form has a file; all take the same [`Report`]s.

pub mod answer;
pub mod github;
pub mod junit;
pub mod nodes;
pub mod places;
pub mod sarif;
pub mod text;

use answer::{Answer, Finding};
use places::Places;

/// What was said of one file.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The file's name, as it is shown.
    pub name: &'a str,
    /// Its text, into which the findings' ranges point.
    pub text: &'a str,
    /// The answer.
    pub answer: &'a Answer,
    /// The findings that are shown, in the order of the text; those without a place come first.
    pub findings: Vec<&'a Finding>,
    /// Where they stand.
    pub places: Places<'a>,
    /// The other files that findings are about.
    others: Vec<(&'a str, Places<'a>)>,
}

impl<'a> Report<'a> {
    /// The report of a file. `remarks`: show findings too that are neither errors nor warnings. One of them is always shown: that
    /// the answer applies to a default release.
    ///
    /// Files with nothing to check, or with objects of other groups, appear only in the summary: in a folder this is common.
    pub fn new(name: &'a str, text: &'a str, answer: &'a Answer, remarks: bool) -> Self {
        let mut findings: Vec<&Finding> = answer
            .findings
            .iter()
            .filter(|finding| !matches!(finding.code.as_str(), "nothing-checked" | "other-group"))
            .filter(|finding| remarks || finding.severity != "info" || finding.code == "release-decides")
            .collect();
        findings.sort_by_key(|finding| (finding.file.is_none(), finding.range.map(|range| range.start.offset)));
        Report { name, text, answer, findings, places: Places::of(text), others: Vec::new() }
    }

    /// With the names and texts of other files that findings can be about.
    pub fn beside(mut self, files: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let named = |name: &str| self.findings.iter().any(|finding| finding.file.as_deref() == Some(name));
        self.others = files.filter(|(name, _)| named(name)).map(|(name, text)| (name, Places::of(text))).collect();
        self
    }

    /// The file that a finding is about: its name, and where things stand in it.
    pub fn file_of(&self, finding: &Finding) -> (&'a str, &Places<'a>) {
        let other = self.others.iter().find(|(name, _)| finding.file.as_deref() == Some(name));
        other.map_or((self.name, &self.places), |(name, places)| (*name, places))
    }
}

//! Findings as people and programs read them. Each form has a file; all take the same [`FileReport`]s.

pub mod form;
pub mod github;
pub mod junit;
pub mod nodes;
pub mod places;
pub mod sarif;
pub mod text;

use crate::requests::Answer;
use claimkit_model::finding::{Code, Severity};
use claimkit_model::text::located::LocatedFinding;
use claimkit_values::order;
use places::LineIndex;

/// Whether findings are shown that are neither errors nor warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remarks {
    Shown,
    Hidden,
}

/// The findings about one file.
#[derive(Clone, Debug)]
pub struct FileReport<'a> {
    /// The file's name, as it is shown.
    pub name: &'a str,
    /// Its text, into which the findings' ranges point.
    pub text: &'a str,
    pub answer: &'a Answer,
    /// The findings that are shown, in the order of the text; those without a place come first.
    pub findings: Vec<&'a LocatedFinding>,
    pub places: LineIndex<'a>,
    /// The other files that findings are about.
    others: Vec<(&'a str, LineIndex<'a>)>,
}

/// Remarks without which an answer would be taken for more certain than it is: they are always shown.
const ALWAYS: &[Code] = &[
    Code::ReleaseDecides,
    Code::PoolOrderRandom,
    Code::AdminAccessInUse,
];

impl<'a> FileReport<'a> {
    /// Returns the report of a file. Some remarks are always shown: that the answer applies to a default release, and that it is
    /// one of several.
    ///
    /// Files with nothing to check, or with objects of other groups, appear only in the summary: in a folder this is common.
    pub fn new(name: &'a str, text: &'a str, answer: &'a Answer, remarks: Remarks) -> Self {
        let mut findings: Vec<&LocatedFinding> = answer
            .findings
            .iter()
            .filter(|finding| {
                !matches!(
                    finding.code,
                    Code::NothingChecked | Code::OtherGroup | Code::PodClaimsOnly
                )
            })
            .filter(|finding| {
                remarks == Remarks::Shown
                    || finding.severity != Severity::Info
                    || ALWAYS.contains(&finding.code)
            })
            .collect();
        order::sort_by_key(&mut findings, |finding| {
            (
                finding.file.is_none(),
                finding.range.as_ref().map(|range| range.start.byte_offset),
            )
        });
        FileReport {
            name,
            text,
            answer,
            findings,
            places: LineIndex::of(text),
            others: Vec::new(),
        }
    }

    /// Adds the names and texts of other files that findings can be about.
    pub fn beside(mut self, files: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let named = |name: &str| {
            self.findings
                .iter()
                .any(|finding| finding.file.as_deref() == Some(name))
        };
        self.others = files
            .filter(|(name, _)| named(name))
            .map(|(name, text)| (name, LineIndex::of(text)))
            .collect();
        self
    }

    /// Returns the file that a finding is about: its name, and the positions in it.
    pub fn file_of(&self, finding: &LocatedFinding) -> (&'a str, &LineIndex<'a>) {
        let other = self
            .others
            .iter()
            .find(|(name, _)| finding.file.as_deref() == Some(name));
        other.map_or((self.name, &self.places), |(name, places)| (*name, places))
    }
}

//! A list of findings, up to a limit.

use crate::finding::{Code, Finding, Severity};
use crate::message::message;

/// Collects findings up to a limit and counts the rest.
#[derive(Debug)]
pub struct Findings {
    limit: usize,
    list: Vec<Finding>,
    beyond: usize,
    /// The worst severity of the findings beyond the limit.
    worst: Severity,
    /// Whether there is an error, beyond the limit or not.
    pub refused: bool,
}

impl Findings {
    /// Creates an empty list with a limit.
    pub fn new(limit: usize) -> Self {
        Findings {
            limit,
            list: Vec::new(),
            beyond: 0,
            worst: Severity::Info,
            refused: false,
        }
    }

    /// Adds a finding, up to the limit.
    pub fn push(&mut self, finding: Finding) {
        self.refused |= finding.severity == Severity::Error;
        if self.list.len() < self.limit {
            self.list.push(finding);
        } else {
            self.beyond = self.beyond.saturating_add(1);
            self.worst = self.worst.min(finding.severity);
        }
    }

    /// Returns all findings, after `others`, plus one that gives the number of omitted findings.
    pub fn behind(mut self, others: Vec<Finding>) -> Vec<Finding> {
        if !others.is_empty() {
            let last = std::mem::replace(&mut self.list, Vec::with_capacity(others.len()));
            for finding in others.into_iter().chain(last) {
                self.push(finding);
            }
        }
        let Findings {
            limit,
            mut list,
            beyond,
            worst,
            ..
        } = self;
        if beyond > 0 {
            let message = message!(
                "findings.left-out",
                "{beyond} more findings are left out, the limit is {limit}",
                beyond,
                limit
            );
            list.push(
                Finding::of_severity(Code::LimitFindings, worst, message)
                    .with_help(message!(
                        "findings.left-out-help",
                        "fix the first ones, split the file, or raise the limit `findings`"
                    ))
                    .with_command_help(message!(
                        "findings.left-out-command-help",
                        "fix the first ones, split the file"
                    )),
            );
        }
        list
    }
}

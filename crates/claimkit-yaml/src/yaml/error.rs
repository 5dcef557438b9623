//! YAML errors with kubectl's messages and line numbers.

use super::problem::{Construct, Problem};
use super::token::Mark;
use std::fmt;

/// The stage that found the error; the line number in the message depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorStage {
    /// Characters that YAML forbids.
    Characters,
    /// The scanner, which makes tokens.
    Scanner,
    /// The parser, which makes the structure.
    Parser,
    /// Anchors, tags, merge keys, map keys.
    Decode,
    /// Values that JSON cannot represent.
    Json,
    /// A limit of ours.
    Limit,
}

/// One error. `Display` gives go-yaml's message (`yaml: line 2: did not find expected key`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct YamlError {
    /// The stage that found it.
    pub stage: ErrorStage,
    /// Why the text is refused.
    pub problem: Problem,
    /// The position of the error.
    pub problem_mark: Mark,
    /// The construct being read (`while parsing a flow mapping`), if the message has one.
    pub context: Option<Construct>,
    /// The start of that construct; the zero mark if the message has none.
    pub context_mark: Mark,
}

/// Boxed: errors are rare and the scanner's results stay one word.
pub(super) type Refusal = Box<YamlError>;

impl YamlError {
    /// Makes an error without a line in its message (decoding, characters), at `mark`.
    pub(super) fn plain(stage: ErrorStage, problem: Problem, mark: Mark) -> Refusal {
        Box::new(Self {
            stage,
            problem,
            problem_mark: mark,
            context: None,
            context_mark: Mark::default(),
        })
    }

    /// Makes an error while reading a construct. One function for all, because most code here can fail.
    #[cold]
    pub(super) fn with_context(
        stage: ErrorStage,
        problem: Problem,
        problem_mark: Mark,
        context: Option<Construct>,
        context_mark: Mark,
    ) -> Refusal {
        Box::new(Self {
            stage,
            problem,
            problem_mark,
            context,
            context_mark,
        })
    }

    /// Returns the line kubectl prints (1-based within the chunk, off by one for structure errors as upstream's is), or none when
    /// it prints none.
    pub(crate) fn printed_line(&self) -> Option<u32> {
        let line = match self.stage {
            ErrorStage::Characters | ErrorStage::Decode | ErrorStage::Json | ErrorStage::Limit => 0,
            ErrorStage::Scanner if self.problem_mark.line != 0 => {
                self.problem_mark.line.saturating_add(1)
            }
            ErrorStage::Parser if self.problem_mark.line != 0 => self.problem_mark.line,
            ErrorStage::Scanner | ErrorStage::Parser => self.context_mark.line,
        };
        (line != 0).then_some(line)
    }
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(self.stage, ErrorStage::Json | ErrorStage::Limit) {
            f.write_str("yaml: ")?;
        }
        if let Some(line) = self.printed_line() {
            write!(f, "line {line}: ")?;
        }
        self.problem.fmt(f)
    }
}

impl std::error::Error for YamlError {}

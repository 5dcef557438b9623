//! Why a text is not YAML, in the words and with the line number kubectl prints.

use super::token::Mark;
use std::borrow::Cow;
use std::fmt;

/// The part of the reader that refused; the line number in the message depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Characters that may not be in YAML at all.
    Characters,
    /// Tokens.
    Scanner,
    /// Structure.
    Parser,
    /// Anchors, tags, merge keys, map keys.
    Decode,
    /// What YAML has and JSON has not.
    Json,
    /// A limit of ours.
    Limit,
}

/// One refusal. `Display` gives go-yaml's text (`yaml: line 2: did not find expected key`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// Which part refused.
    pub stage: Stage,
    /// What it says, without prefix and line.
    pub problem: Cow<'static, str>,
    /// Where it gave up.
    pub problem_mark: Mark,
    /// What it was reading (`while parsing a flow mapping`), empty when it does not say.
    pub context: &'static str,
    /// Where that began; the zero mark when it does not say.
    pub context_mark: Mark,
}

/// Boxed: errors are rare and the scanner's results stay one word.
pub(super) type Refusal = Box<YamlError>;

impl YamlError {
    /// A refusal with no line in its text (decoding, characters), at `mark`.
    pub(super) fn plain(stage: Stage, problem: impl Into<Cow<'static, str>>, mark: Mark) -> Refusal {
        Box::new(Self { stage, problem: problem.into(), problem_mark: mark, context: "", context_mark: Mark::default() })
    }

    /// A refusal while something was being read. One function for all, as most code here can fail.
    #[cold]
    pub(super) fn with_context(
        stage: Stage,
        problem: &'static str,
        problem_mark: Mark,
        context: &'static str,
        context_mark: Mark,
    ) -> Refusal {
        Box::new(Self { stage, problem: Cow::Borrowed(problem), problem_mark, context, context_mark })
    }

    /// The line kubectl prints (1-based within the chunk, off by one for structure errors as
    /// upstream's is), or none when it prints none.
    pub fn printed_line(&self) -> Option<u32> {
        let line = match self.stage {
            Stage::Characters | Stage::Decode | Stage::Json | Stage::Limit => 0,
            Stage::Scanner if self.problem_mark.line != 0 => self.problem_mark.line.saturating_add(1),
            Stage::Parser if self.problem_mark.line != 0 => self.problem_mark.line,
            Stage::Scanner | Stage::Parser => self.context_mark.line,
        };
        (line != 0).then_some(line)
    }
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !matches!(self.stage, Stage::Json | Stage::Limit) {
            f.write_str("yaml: ")?;
        }
        if let Some(line) = self.printed_line() {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.problem)
    }
}

//! How a run ends.

use claimkit_model::message::{Message, Words};

/// The end of a run, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// There is no error.
    Fine,
    /// There are findings that are errors.
    Findings,
    /// The command line cannot be used, a file cannot be read, or nothing was checked.
    Unusable,
}

impl Exit {
    /// Returns the exit code of the process.
    pub fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::Findings => 1,
            Exit::Unusable => 2,
        }
    }
}

/// Why a run ends without an answer: the lines for standard error, without the program's name.
#[derive(Debug, PartialEq, Eq)]
pub struct Problem {
    lines: Vec<String>,
}

impl Problem {
    /// Makes the problem of something whose problems are on standard error already.
    pub fn reported() -> Self {
        Problem { lines: Vec::new() }
    }

    /// Makes one problem of several lines.
    pub fn of_lines(lines: Vec<String>) -> Self {
        Problem { lines }
    }

    /// Returns the lines for standard error.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }
}

impl From<String> for Problem {
    fn from(line: String) -> Self {
        Problem { lines: vec![line] }
    }
}

impl From<Words> for Problem {
    fn from(line: Words) -> Self {
        Problem::from(String::from(line))
    }
}

impl From<Message> for Problem {
    fn from(line: Message) -> Self {
        Problem::from(Words::from(line))
    }
}

impl From<&str> for Problem {
    fn from(line: &str) -> Self {
        Problem::from(line.to_owned())
    }
}

/// The outcome of a verb.
pub type Outcome = Result<Exit, Problem>;

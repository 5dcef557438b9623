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

/// The members of requests that errors begin with, and the options that give them; `gates` and the like may stand in a file, too.
const OPTIONS: [(&str, &str); 4] = [
    ("`howMany`", "`--how-many`"),
    ("`nodeNames`", "`--node`"),
    ("`now`", "`--now`"),
    ("`pod`", "`--pod`"),
];

/// Returns a problem of the library with the name of the option in place of the request's member.
fn of_command_line(line: &str) -> String {
    let mut members = OPTIONS.iter();
    let renamed = members.find_map(|(member, option)| {
        let problem = line.strip_prefix(member)?;
        Some(format!("{option}{problem}"))
    });
    renamed.unwrap_or_else(|| line.to_owned())
}

impl From<Words> for Problem {
    fn from(line: Words) -> Self {
        Problem::from(of_command_line(&String::from(line)))
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

//! The text of an expression: its lines and the problems found in it, printed as cel-go prints them.
//!
//! Offsets called *position* count code points, as cel-go's do. Bytes are used for spans only.

/// The text of an expression with its lines.
///
/// ```
/// use claimkit_cel::{Environment, EnvironmentMode};
///
/// let (source, problems) = Environment::kubernetes(34, &[], EnvironmentMode::New).compile("1 + a").unwrap_err().problems.unwrap();
/// assert_eq!(source.text(), "1 + a");
/// assert_eq!(source.byte(problems.sorted()[0].location), Some(4));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionSource {
    text: String,
    /// Start of each line, the first included.
    lines: Vec<LineStart>,
    line_rule: LineRule,
}

/// The start of a line, in bytes and in code points.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LineStart {
    position: u32,
    byte: u32,
}

/// The rule that assigns the first column of a line to a line when a position is turned into a line and a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineRule {
    /// The line it starts.
    #[default]
    Exact,
    /// The line before: cel-go to 0.21, `common/source.go`, `OffsetLocation`. Kubernetes 1.30 and 1.31.
    FirstColumnBelongsToLineBefore,
}

/// A place as cel-go prints it, apart from the column, which it counts from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Line, from 1; -1 for a problem without a place.
    pub line: i64,
    /// Code points before the place on its line; -1 for a problem without a place.
    pub column: i64,
}

impl Location {
    /// The place of a problem that has none.
    pub const NONE: Self = Self {
        line: -1,
        column: -1,
    };
}

/// cel-go prints no source line that has more bytes than this (`common/error.go`, `maxSnippetLength`).
const LONGEST_PRINTED_LINE: usize = 16_384;

/// cel-go keeps this many problems (`common/errors.go`, `maxErrorsToReport`).
const KEPT_PROBLEMS: usize = 100;

impl ExpressionSource {
    /// Takes a text and finds its lines. They end at a line feed and at nothing else.
    pub(crate) fn new(text: &str, line_rule: LineRule) -> Self {
        let mut lines = vec![LineStart {
            position: 0,
            byte: 0,
        }];
        let (mut position, mut start) = (0_usize, 0_usize);
        for (byte, _) in text.match_indices('\n') {
            let next = byte.saturating_add(1);
            position =
                position.saturating_add(text.get(start..next).unwrap_or_default().chars().count());
            start = next;
            lines.push(LineStart {
                position: saturate(position),
                byte: saturate(start),
            });
        }
        Self {
            text: text.to_owned(),
            lines,
            line_rule,
        }
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the place of a token: always exact.
    pub(crate) fn token_location(&self, position: u32) -> Location {
        self.location_after(
            self.lines.partition_point(|line| line.position <= position),
            position,
        )
    }

    /// Returns the place of a node, by the rule of the release.
    pub(crate) fn node_location(&self, position: u32) -> Location {
        match self.line_rule {
            LineRule::Exact => self.token_location(position),
            LineRule::FirstColumnBelongsToLineBefore => self.location_after(
                self.lines.partition_point(|line| line.position < position),
                position,
            ),
        }
    }

    /// Returns the place of `position` on the line with number `line`; on the first line if that is 0.
    fn location_after(&self, line: usize, position: u32) -> Location {
        let number = line.max(1);
        let start = self
            .lines
            .get(number.saturating_sub(1))
            .map_or(0, |line| line.position);
        Location {
            line: i64::try_from(number).unwrap_or(i64::MAX),
            column: i64::from(position.saturating_sub(start)),
        }
    }

    /// Returns the byte of the text at a place; none for a place outside of the text. For marking a problem in an editor.
    pub fn byte(&self, location: Location) -> Option<usize> {
        let line = self.line(location.line)?;
        let column = usize::try_from(location.column).ok()?;
        let index = usize::try_from(location.line.checked_sub(1)?).ok()?;
        let start = self.lines.get(index)?.byte as usize;
        Some(
            start.saturating_add(
                line.char_indices()
                    .nth(column)
                    .map_or(line.len(), |(byte, _)| byte),
            ),
        )
    }

    /// Returns the text of a line without its line feed. The empty text has no line.
    fn line(&self, line: i64) -> Option<&str> {
        if self.text.is_empty() {
            return None;
        }
        let index = usize::try_from(line.checked_sub(1)?).ok()?;
        let start = self.lines.get(index)?.byte as usize;
        let rest = self.text.get(start..)?;
        rest.split('\n').next()
    }
}

/// Returns a size as 32 bits. Sizes are far below 4 GiB: every entry point rejects larger requests.
fn saturate(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The part of cel-go that reports a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// `Syntax error: token recognition error at: …`
    Token,
    /// `Syntax error: mismatched input …`
    Mismatched,
    /// `Syntax error: extraneous input …`
    Extraneous,
    /// `Syntax error: missing …`
    Missing,
    /// `Syntax error: no viable alternative at input …`
    NoAlternative,
    /// A limit of the parser, of depth or of recovery.
    Limit,
    /// Literals, reserved words and macros: what the parser says about a text that follows the grammar.
    Form,
    /// A limit of this crate that cel-go does not have.
    TooLarge,
    /// The checker, or a validator after it.
    Check,
}

/// A problem that cel-go reports.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceProblem {
    /// The line and column of the problem.
    pub location: Location,
    /// The part that reports it.
    pub kind: ProblemKind,
    /// The text, without the place.
    pub message: String,
}

/// The problems of one text.
///
/// ```
/// use claimkit_cel::{Environment, EnvironmentMode};
///
/// let error = Environment::kubernetes(34, &[], EnvironmentMode::New).compile("a + b").unwrap_err();
/// let (_, problems) = error.problems.unwrap();
/// assert!(!problems.is_empty());
/// let messages: Vec<&str> = problems.sorted().iter().map(|problem| problem.message.as_str()).collect();
/// assert_eq!(messages, ["undeclared reference to 'a' (in container '')", "undeclared reference to 'b' (in container '')"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    list: Vec<SourceProblem>,
    /// How many were reported beyond those kept.
    dropped: usize,
}

impl Problems {
    /// Creates an empty collection.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a problem. Beyond 100 they are only counted.
    pub(crate) fn report(
        &mut self,
        location: Location,
        kind: ProblemKind,
        message: impl Into<String>,
    ) {
        if self.list.len() < KEPT_PROBLEMS {
            self.list.push(SourceProblem {
                location,
                kind,
                message: message.into(),
            });
        } else {
            self.dropped = self.dropped.saturating_add(1);
        }
    }

    /// Returns true if nothing was reported.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the problems that were kept, in order of line and column; those of one place in the order they were found.
    pub fn sorted(&self) -> Vec<&SourceProblem> {
        let mut problems: Vec<&SourceProblem> = self.list.iter().collect();
        claimkit_values::order::sort_by_key(&mut problems, |problem| problem.location);
        problems
    }

    /// Returns the text of cel-go's `Errors.ToDisplayString`.
    pub(crate) fn render(&self, source: &ExpressionSource) -> String {
        let mut parts: Vec<String> = self
            .sorted()
            .into_iter()
            .map(|problem| problem.render(source))
            .collect();
        if self.dropped > 0 {
            parts.push(format!("{} more errors were truncated", self.dropped));
        }
        parts.join("\n")
    }
}

impl SourceProblem {
    /// Returns the text of cel-go's `Error.ToDisplayString`: place, message, and the line with a caret under the place.
    pub(crate) fn render(&self, source: &ExpressionSource) -> String {
        let Location { line, column } = self.location;
        let mut text = format!(
            "ERROR: <input>:{line}:{}: {}",
            column.saturating_add(1),
            self.message
        );
        let Some(snippet) = source
            .line(line)
            .filter(|snippet| snippet.len() <= LONGEST_PRINTED_LINE)
        else {
            return text;
        };
        text.push_str("\n | ");
        text.push_str(&snippet.replace('\t', " "));
        text.push_str("\n | ");
        let column = usize::try_from(column).unwrap_or(0);
        let mut characters = snippet.chars();
        for character in characters.by_ref().take(column) {
            text.push(if character.is_ascii() { '.' } else { '．' });
        }
        text.push(match characters.next() {
            Some(character) if !character.is_ascii() => '＾',
            _ => '^',
        });
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, position: u32, rule: LineRule) -> String {
        let source = ExpressionSource::new(text, rule);
        let mut problems = Problems::new();
        problems.report(source.node_location(position), ProblemKind::Check, "wrong");
        problems.render(&source)
    }

    #[test]
    fn a_caret_stands_under_the_place() {
        assert_eq!(
            shown("a\tb", 2, LineRule::Exact),
            "ERROR: <input>:1:3: wrong\n | a b\n | ..^"
        );
        assert_eq!(
            shown("\"é\" + ü", 6, LineRule::Exact),
            "ERROR: <input>:1:7: wrong\n | \"é\" + ü\n | .．....＾"
        );
        assert_eq!(
            shown("x &&\ny", 5, LineRule::Exact),
            "ERROR: <input>:2:1: wrong\n | y\n | ^"
        );
    }

    #[test]
    fn the_first_column_once_belonged_to_the_line_before() {
        let rule = LineRule::FirstColumnBelongsToLineBefore;
        assert_eq!(
            shown("x &&\ny", 5, rule),
            "ERROR: <input>:1:6: wrong\n | x &&\n | ....^"
        );
        assert_eq!(shown("y", 0, rule), "ERROR: <input>:1:1: wrong\n | y\n | ^");
    }

    #[test]
    fn a_place_is_a_byte_of_the_text() {
        let source = ExpressionSource::new("é ü\nab", LineRule::Exact);
        for (position, byte) in [(0, 0), (2, 3), (3, 5), (4, 6), (6, 8)] {
            assert_eq!(
                source.byte(source.token_location(position)),
                Some(byte),
                "{position}"
            );
        }
        assert_eq!(source.byte(Location::NONE), None);
    }

    #[test]
    fn problems_beyond_a_hundred_are_counted() {
        let mut problems = Problems::new();
        for _ in 0..103 {
            problems.report(Location::NONE, ProblemKind::Check, "x");
        }
        let text = problems.render(&ExpressionSource::new("", LineRule::Exact));
        assert_eq!(text.lines().count(), 101);
        assert_eq!(text.lines().last(), Some("3 more errors were truncated"));
        assert_eq!(text.lines().next(), Some("ERROR: <input>:-1:0: x"));
    }
}

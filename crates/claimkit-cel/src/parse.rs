//! From a text to the tree of its expression.

use std::fmt;

use super::ast::Ast;
use super::dialect::ParserOptions;
use super::source::{ExpressionSource, Location, ProblemKind, Problems};
use super::{parser, visit};

/// A text that is not an expression.
///
/// ```
/// use claimkit_cel::{Environment, EnvironmentMode, parse::parse};
///
/// let environment = Environment::kubernetes(34, &[], EnvironmentMode::New);
/// let problems = parse("1 +", environment.parse_options()).unwrap_err();
/// assert!(problems.render().starts_with("ERROR: <input>:1:4: Syntax error:"));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SyntaxProblems {
    /// The text that was read.
    pub source: ExpressionSource,
    /// The syntax errors of the text.
    pub problems: Problems,
}

impl SyntaxProblems {
    /// Returns the problems in cel-go's words and form.
    pub fn render(&self) -> String {
        self.problems.render(&self.source)
    }
}

/// As [`SyntaxProblems::render`].
impl fmt::Display for SyntaxProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render())
    }
}

impl std::error::Error for SyntaxProblems {}

/// The longest text in code points (cel-go, `parser/parser.go`, `expressionSizeCodePointLimit`).
const LONGEST: usize = 100_000;

/// Parses a text and expands its macros.
///
/// ```
/// use claimkit_cel::{Environment, EnvironmentMode, parse::parse};
///
/// let environment = Environment::kubernetes(34, &[], EnvironmentMode::New);
/// assert!(parse("a.b < 3", environment.parse_options()).is_ok());
/// assert!(parse("a.b <", environment.parse_options()).unwrap_err().to_string().starts_with("ERROR: "));
/// ```
pub fn parse(text: &str, options: &ParserOptions) -> Result<Ast, SyntaxProblems> {
    let source = ExpressionSource::new(text, options.dialect.line_rule);
    match parse_source(&source, options) {
        Ok((
            root,
            visit::Details {
                ids,
                height,
                macros,
            },
        )) => Ok(Ast {
            root,
            ids,
            height,
            macros,
            source,
        }),
        Err(problems) => Err(SyntaxProblems { source, problems }),
    }
}

fn parse_source(
    source: &ExpressionSource,
    options: &ParserOptions,
) -> Result<(super::ast::Expr, visit::Details), Problems> {
    let length = source.text().chars().count();
    if length > LONGEST {
        let mut problems = Problems::new();
        let message =
            format!("expression code point size exceeds limit: size: {length}, limit {LONGEST}");
        problems.report(Location::NONE, ProblemKind::Limit, message);
        return Err(problems);
    }
    visit::build(parser::read(source, options.dialect), source, options)
}

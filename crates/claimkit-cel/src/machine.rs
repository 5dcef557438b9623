//! The state of the parser: where it is in the text and in the grammar, and what it has reported.

use std::cell::Cell;

use super::dialect::Dialect;
use super::grammar::{
    Grammar, GrammarRule, Label, PositionId, RULES, RuleForm, WITH_ESCAPED_NAMES,
    WITHOUT_ESCAPED_NAMES,
};
use super::lexer::Tokens;
use super::source::{ExpressionSource, Location, ProblemKind, Problems};
use super::sprintf::without_arguments;
use super::token::{Token, TokenKind, TokenSet};
use super::tree::{Labelled, PartId, Piece, RulePart, StoredPart};

/// How deep a rule may be within itself (cel-go, `parser/parser.go`, `NewParser`, `maxRecursionDepth`).
pub const DEEPEST: u32 = 250;

/// No more places than this are reserved before a text is read.
const MOST_RESERVED: usize = 1024;

/// How many syntax errors are reported (`errorReportingLimit` there).
const REPORTED_ERRORS: usize = 100;

/// The parser stops. The problem has been reported, unless it exceeds the error limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halt;

/// A rule that is being read.
#[derive(Clone, Debug)]
pub struct Frame {
    rule: GrammarRule,
    /// The alternative of the rule.
    form: RuleForm,
    /// Number of its first token.
    start: usize,
    /// Number of its first piece in [`Machine::open`].
    first: usize,
    /// The lowest level of operators that it takes.
    pub level: u8,
    /// The position where the caller goes on, and the role of the part there. The first rule has no caller.
    pub caller: Option<(PositionId, Label)>,
}

/// The state of the parser.
#[derive(Debug)]
pub struct Machine<'a> {
    dialect: &'a Dialect,
    source: &'a ExpressionSource,
    /// The tokens of the text.
    pub tokens: Tokens,
    pub grammar: &'static Grammar,
    /// The number of the next token.
    pub at: usize,
    /// The last token that the parser looked at. Lexer errors after it are not reported yet.
    seen: Cell<usize>,
    /// How many of the lexer's errors are reported.
    lexical_errors: usize,
    /// How many syntax errors are reported.
    reported: usize,
    pub problems: Problems,
    /// The rules that are being read, the outermost first.
    pub frames: Vec<Frame>,
    /// How often each rule is being read.
    depths: [u32; RULES],
    /// The pieces of the rules that are being read, those of the innermost last.
    open: Vec<Labelled>,
    /// The parts that were read. The last is the whole text.
    pub parts: Vec<StoredPart>,
    pub pieces: Vec<Labelled>,
    /// The parser's position in the grammar: the last one that looked at a token.
    pub position: PositionId,
    /// The state of the error strategy.
    pub recovery: Recovery,
}

/// The state of the error strategy (ANTLR, `error_strategy.go`, `DefaultErrorStrategy`).
#[derive(Debug, Default)]
pub struct Recovery {
    /// After an error nothing is reported until a token matches.
    pub active: bool,
    /// The token at which a rule was last given up.
    pub last_token: Option<usize>,
    /// The positions at which rules were given up at that token.
    pub last_positions: Vec<PositionId>,
    /// How often the strategy was asked.
    pub attempts: u32,
}

impl<'a> Machine<'a> {
    /// Creates a parser at the start of a text.
    pub fn new(source: &'a ExpressionSource, tokens: Tokens, dialect: &'a Dialect) -> Self {
        let grammar = if dialect.escaped_names {
            &*WITH_ESCAPED_NAMES
        } else {
            &*WITHOUT_ESCAPED_NAMES
        };
        // Most texts have fewer parts than tokens, of two pieces.
        let most = tokens.seen.len().min(MOST_RESERVED);
        Self {
            dialect,
            source,
            tokens,
            grammar,
            at: 0,
            seen: Cell::new(0),
            lexical_errors: 0,
            reported: 0,
            problems: Problems::new(),
            frames: Vec::with_capacity(RULES.saturating_mul(2)),
            depths: [0; RULES],
            open: Vec::with_capacity(RULES),
            parts: Vec::with_capacity(most),
            pieces: Vec::with_capacity(most.saturating_mul(2)),
            position: 0,
            recovery: Recovery::default(),
        }
    }

    /// Returns the kind of the token `ahead` of the next one; 0 is the next.
    pub fn ahead(&self, ahead: usize) -> TokenKind {
        let index = self.at.saturating_add(ahead);
        self.seen.set(self.seen.get().max(index));
        self.token(index).map_or(TokenKind::End, |token| token.kind)
    }

    /// Returns the token with a number; none at the end of the text.
    pub fn token(&self, index: usize) -> Option<&Token> {
        self.tokens.seen.get(index)
    }

    /// Goes on to the next token.
    pub fn consume(&mut self) {
        if self.at < self.tokens.seen.len() {
            self.at = self.at.saturating_add(1);
        }
        self.ahead(0);
    }

    /// Returns the lowest level of operators that the current rule takes.
    pub fn level(&self) -> u8 {
        self.frames.last().map_or(0, |frame| frame.level)
    }

    /// Starts a rule.
    pub fn enter(
        &mut self,
        rule: GrammarRule,
        level: u8,
        caller: Option<(PositionId, Label)>,
    ) -> Result<(), Halt> {
        if let Some(depth) = self.depths.get_mut(rule as usize) {
            *depth = depth.saturating_add(1);
            if *depth > DEEPEST {
                return Err(self.limit(format!("expression recursion limit exceeded: {DEEPEST}")));
            }
        }
        self.frames.push(Frame {
            rule,
            form: RuleForm::Bare,
            start: self.at,
            first: self.open.len(),
            level,
            caller,
        });
        Ok(())
    }

    /// Ends the current rule and adds its part to its caller's. Returns where the caller goes on.
    pub fn leave(&mut self) -> Option<PositionId> {
        let frame = self.frames.pop()?;
        self.one_less(frame.rule);
        let part = self.keep(&frame);
        let (position, label) = frame.caller?;
        self.add(label, Piece::Part(part));
        Some(position)
    }

    /// Stores a part, or its only child if the part adds nothing to it.
    fn keep(&mut self, frame: &Frame) -> PartId {
        let &Frame {
            rule,
            form,
            start,
            first,
            ..
        } = frame;
        let pieces = self.open.get(first..).unwrap_or_default();
        let kept = RulePart {
            rule,
            form,
            start,
            end: self.at,
            pieces,
        }
        .passed_on()
        .unwrap_or_else(|| {
            let from = self.pieces.len();
            self.pieces.extend_from_slice(pieces);
            self.parts.push(StoredPart {
                rule,
                form,
                start,
                end: self.at,
                pieces: from..self.pieces.len(),
            });
            self.parts.len().saturating_sub(1)
        });
        self.open.truncate(first);
        kept
    }

    /// Decrements the depth of `rule`.
    pub fn one_less(&mut self, rule: GrammarRule) {
        if let Some(depth) = self.depths.get_mut(rule as usize) {
            *depth = depth.saturating_sub(1);
        }
    }

    /// Says which alternative the current rule follows.
    pub fn take(&mut self, form: RuleForm) {
        if let Some(frame) = self.frames.last_mut() {
            frame.form = form;
        }
    }

    /// Adds a piece to the current rule's part.
    pub fn add(&mut self, label: Label, piece: Piece) {
        if label != Label::None {
            self.open.push((label, piece));
        }
    }

    /// Makes what the current rule has read the operand of a new part of the same rule.
    pub fn wrap(&mut self, form: RuleForm) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let part = self.keep(&frame);
        self.frames.push(Frame { form, ..frame });
        self.add(Label::Operand, Piece::Part(part));
    }

    /// Returns the tokens that may follow a position, the callers' included.
    pub fn expected(&self, position: PositionId) -> TokenSet {
        let mut set = self.grammar.next(position);
        let mut callers = self.frames.iter().rev().filter_map(|frame| frame.caller);
        while set.may_end {
            set = match callers.next() {
                Some((follow, _)) => set.kinds_only().or(self.grammar.next(follow)),
                None => return set.kinds_only().or(TokenSet::of(&[TokenKind::End])),
            };
        }
        set
    }

    /// Returns the tokens at which one of the callers could go on.
    pub fn recovery_set(&self) -> TokenSet {
        let follows = self.frames.iter().filter_map(|frame| frame.caller);
        follows
            .fold(TokenSet::default(), |set, (follow, _)| {
                set.or(self.grammar.next(follow))
            })
            .kinds_only()
    }

    /// Returns a token as messages print it.
    pub fn shown(&self, index: usize) -> String {
        let text = self.token(index).map_or("<EOF>", |token| self.text(token));
        format!("'{}'", on_one_line(text))
    }

    /// Returns the text of a token.
    pub fn text(&self, token: &Token) -> &'a str {
        self.source
            .text()
            .get(token.bytes.start as usize..token.bytes.end as usize)
            .unwrap_or_default()
    }

    /// Returns the text from one token to another. Whitespace and comments stay; characters that form no token are left out.
    pub fn text_between(&self, first: usize, last: usize) -> String {
        let Some(first) = self.token(first) else {
            return "<EOF>".to_owned();
        };
        let text = self.source.text();
        let end = self
            .token(last)
            .map_or(text.len(), |token| token.bytes.end as usize);
        let mut from = first.bytes.start as usize;
        let mut between = String::new();
        for error in &self.tokens.errors {
            let (start, after) = (error.bytes.start as usize, error.bytes.end as usize);
            if (from..end).contains(&start) {
                between.push_str(text.get(from..start).unwrap_or_default());
                from = after;
            }
        }
        between.push_str(text.get(from..end).unwrap_or_default());
        on_one_line(&between)
    }

    /// Reports a syntax error at a token, after what the lexer has reported up to here.
    pub fn report(&mut self, index: usize, kind: ProblemKind, message: &str) -> Result<(), Halt> {
        self.report_lexical_errors()?;
        let position = self
            .token(index)
            .map_or(self.tokens.length, |token| token.position);
        self.report_at(position, kind, message)
    }

    /// Reports what the lexer says up to the last token that was looked at.
    pub fn report_lexical_errors(&mut self) -> Result<(), Halt> {
        while let Some(error) = self
            .tokens
            .errors
            .get(self.lexical_errors)
            .filter(|error| error.tokens_before <= self.seen.get())
        {
            self.lexical_errors = self.lexical_errors.saturating_add(1);
            let wrong = self
                .source
                .text()
                .get(error.bytes.start as usize..error.bytes.end as usize)
                .unwrap_or_default();
            let message = format!("token recognition error at: '{wrong}'");
            self.report_at(error.position, ProblemKind::Token, &message)?;
        }
        Ok(())
    }

    fn report_at(&mut self, position: u32, kind: ProblemKind, message: &str) -> Result<(), Halt> {
        let location = match self.source.text() {
            "" => Location {
                line: 1,
                column: self.dialect.empty_text_column,
            },
            _ => self.source.token_location(position),
        };
        if self.reported >= REPORTED_ERRORS {
            let message = format!("Syntax error: More than {REPORTED_ERRORS} syntax errors");
            self.problems.report(location, ProblemKind::Limit, message);
            return Err(Halt);
        }
        self.reported = self.reported.saturating_add(1);
        let message = format!("Syntax error: {message}");
        let message = if self.dialect.syntax_errors_are_formats {
            without_arguments(&message)
        } else {
            message
        };
        self.problems.report(location, kind, message);
        Ok(())
    }

    /// Reports that a limit without a place is exceeded.
    pub fn limit(&mut self, message: String) -> Halt {
        if self.report_lexical_errors().is_ok() {
            self.problems
                .report(Location::NONE, ProblemKind::Limit, message);
        }
        Halt
    }
}

/// Escapes line ends and tabs as ANTLR prints them.
fn on_one_line(text: &str) -> String {
    text.replace('\n', "\\n")
        .replace('\r', "\\r")
        .replace('\t', "\\t")
}

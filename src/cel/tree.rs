//! The parts of a text by the grammar's rules, as far as they could be read. cel-go calls it the parse tree.

use super::grammar::{Form, Label, Rule};
use super::lexer::Tokens;
use super::source::Problems;

/// A text in parts.
#[derive(Debug)]
pub struct Parsed {
    /// The tokens.
    pub tokens: Tokens,
    /// The parts. The last is the whole text; none if the parser stopped at a limit.
    pub parts: Vec<Part>,
    /// The syntax errors.
    pub problems: Problems,
}

/// The number of a part.
pub type PartId = usize;

/// What follows one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The rule.
    pub rule: Rule,
    /// Which alternative of it.
    pub form: Form,
    /// Number of its first token.
    pub start: usize,
    /// Number of the token after its last.
    pub end: usize,
    /// The first piece that the tree needs. Most parts have no other, so it has a place of its own.
    first: Option<(Label, Piece)>,
    /// The other pieces.
    more: Vec<(Label, Piece)>,
}

/// A piece of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The number of a token.
    Token(usize),
    /// A token that the text lacks and the parser assumed.
    Assumed,
    /// Another part.
    Part(PartId),
}

impl Part {
    /// What is within a part that only passes it on, such as a sum without a `+`.
    pub fn passed_on(&self) -> Option<PartId> {
        let passes_on = match self.rule {
            Rule::Expression | Rule::Or | Rule::And => !self.has(Label::Operator),
            Rule::Relation | Rule::Calculation => self.form == Form::Bare,
            Rule::Unary | Rule::Member => self.form == Form::Plain,
            Rule::Primary => self.form == Form::Literal,
            _ => false,
        };
        if passes_on { self.part(Label::Operand) } else { None }
    }

    /// A part that starts at a token and has no pieces yet.
    pub fn new(rule: Rule, form: Form, start: usize) -> Self {
        Self { rule, form, start, end: start, first: None, more: Vec::new() }
    }

    /// Adds a piece.
    pub fn add(&mut self, label: Label, piece: Piece) {
        match self.first {
            None => self.first = Some((label, piece)),
            Some(_) => self.more.push((label, piece)),
        }
    }

    /// All pieces with a label.
    pub fn all(&self, label: Label) -> impl Iterator<Item = Piece> + '_ {
        self.first.iter().chain(&self.more).filter(move |(own, _)| *own == label).map(|(_, piece)| *piece)
    }

    /// The first piece with a label.
    pub fn first(&self, label: Label) -> Option<Piece> {
        self.all(label).next()
    }

    /// All parts with a label.
    pub fn parts(&self, label: Label) -> impl Iterator<Item = PartId> + '_ {
        self.all(label).filter_map(|piece| match piece {
            Piece::Part(part) => Some(part),
            Piece::Token(_) | Piece::Assumed => None,
        })
    }

    /// The first part with a label.
    pub fn part(&self, label: Label) -> Option<PartId> {
        self.parts(label).next()
    }

    /// Whether there is a piece with a label.
    pub fn has(&self, label: Label) -> bool {
        self.first(label).is_some()
    }
}

//! The parts of a text by the grammar's rules, as far as they could be read. cel-go calls it the parse tree.

use std::ops::Range;

use super::grammar::{GrammarRule, Label, RuleForm};
use super::lexer::Tokens;
use super::source::Problems;

/// A text in parts.
#[derive(Debug)]
pub struct ParsedText {
    pub tokens: Tokens,
    /// The parts. The last is the whole text; none if the parser stopped at a limit.
    pub parts: Vec<StoredPart>,
    /// The pieces of all parts.
    pub pieces: Vec<Labelled>,
    pub problems: Problems,
}

/// The number of a part.
pub type PartId = usize;

/// A piece and what it is to its part.
pub type Labelled = (Label, Piece);

/// A part in its stored form: its pieces are in one list with the pieces of all parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPart {
    pub rule: GrammarRule,
    /// The alternative of the rule.
    pub form: RuleForm,
    /// Number of its first token.
    pub start: usize,
    /// Number of the token after its last.
    pub end: usize,
    pub pieces: Range<usize>,
}

/// A part of the text that follows one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RulePart<'p> {
    pub rule: GrammarRule,
    /// The alternative of the rule.
    pub form: RuleForm,
    /// Number of its first token.
    pub start: usize,
    /// Number of the token after its last.
    pub end: usize,
    /// The pieces that the tree needs.
    pub pieces: &'p [Labelled],
}

/// A piece of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The number of a token.
    Token(usize),
    /// A token that the text lacks and the parser assumed.
    Assumed,
    Part(PartId),
}

impl<'p> RulePart<'p> {
    /// Returns the operand of a part with a single operand, such as a sum without `+`.
    pub fn passed_on(&self) -> Option<PartId> {
        let passes_on = match self.rule {
            GrammarRule::Expression | GrammarRule::Or | GrammarRule::And => {
                !self.has(Label::Operator)
            }
            GrammarRule::Relation | GrammarRule::Calculation => self.form == RuleForm::Bare,
            GrammarRule::Unary | GrammarRule::Member => self.form == RuleForm::Plain,
            GrammarRule::Primary => self.form == RuleForm::Literal,
            _ => false,
        };
        if passes_on {
            self.part(Label::Operand)
        } else {
            None
        }
    }

    /// Returns all pieces with a label.
    pub fn all(&self, label: Label) -> impl Iterator<Item = Piece> + use<'p> {
        self.pieces
            .iter()
            .filter(move |(own, _)| *own == label)
            .map(|(_, piece)| *piece)
    }

    /// Returns the first piece with a label.
    pub fn first(&self, label: Label) -> Option<Piece> {
        self.all(label).next()
    }

    /// Returns all parts with a label.
    pub fn parts(&self, label: Label) -> impl Iterator<Item = PartId> + use<'p> {
        self.all(label).filter_map(|piece| match piece {
            Piece::Part(part) => Some(part),
            Piece::Token(_) | Piece::Assumed => None,
        })
    }

    /// Returns the first part with a label.
    pub fn part(&self, label: Label) -> Option<PartId> {
        self.parts(label).next()
    }

    /// Returns true if there is a piece with a label.
    pub fn has(&self, label: Label) -> bool {
        self.first(label).is_some()
    }
}

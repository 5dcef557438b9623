//! What the parts of a text are made of: operands, names and places.

use std::ops::Range;

use super::grammar::{GrammarRule, Label, RuleForm};
use super::lexer::Tokens;
use super::source::ExpressionSource;
use super::tree::{Labelled, PartId, Piece, RulePart, StoredPart};

/// The position of a part that the text lacks.
pub const NOWHERE: u32 = u32::MAX;

/// The parts of a text.
#[derive(Debug)]
pub struct Parts<'a> {
    pub source: &'a ExpressionSource,
    pub tokens: Tokens,
    /// Its parts; the last is the whole text.
    pub parts: Vec<StoredPart>,
    pub pieces: Vec<Labelled>,
    /// Backquoted names are names of fields.
    pub escaped_names_are_fields: bool,
}

/// An entry of a map or a field of a message.
#[derive(Clone, Copy, Debug)]
pub struct OperandEntry {
    /// The part before the colon.
    pub key: PartId,
    /// The key is written with `?`.
    pub optional: bool,
    /// The colon, an offset in code points.
    pub colon: u32,
    /// The part after the colon.
    pub value: PartId,
}

impl Parts<'_> {
    /// Returns a part by its number.
    pub fn part(&self, id: PartId) -> Option<RulePart<'_>> {
        let &StoredPart {
            rule,
            form,
            start,
            end,
            ref pieces,
        } = self.parts.get(id)?;
        Some(RulePart {
            rule,
            form,
            start,
            end,
            pieces: self.pieces.get(pieces.clone())?,
        })
    }

    /// Returns the part that covers the whole text.
    pub fn whole(&self) -> Option<RulePart<'_>> {
        self.part(self.parts.len().checked_sub(1)?)
    }

    /// Returns the part inside any parentheses; `None` for a missing expression.
    pub fn without_parentheses(&self, part: PartId) -> Option<(PartId, RulePart<'_>)> {
        let mut id = part;
        loop {
            let part = self.part(id)?;
            let is_empty = matches!(
                part.rule,
                GrammarRule::Expression | GrammarRule::Or | GrammarRule::And
            ) && !part.has(Label::Operator);
            match (part.rule, part.form) {
                (GrammarRule::Primary, RuleForm::Nested) => id = part.part(Label::Operand)?,
                (GrammarRule::Relation | GrammarRule::Calculation, RuleForm::Bare)
                | (GrammarRule::Unary | GrammarRule::Member, RuleForm::Plain) => return None,
                _ if is_empty => return None,
                _ => return Some((id, part)),
            }
        }
    }

    fn operand(&self, id: PartId) -> Option<PartId> {
        self.part(id)?.part(Label::Operand)
    }

    /// Calls `add` with the operands of a part in the order in which they are built.
    pub fn operands(&self, id: PartId, mut add: impl FnMut(Option<PartId>)) {
        let Some(part) = self.part(id) else { return };
        let of = |count: usize| {
            part.parts(Label::Operand)
                .map(Some)
                .chain(std::iter::repeat(None))
                .take(count)
        };
        match (part.rule, part.form) {
            (GrammarRule::Expression, _) => of(3).for_each(add),
            (GrammarRule::Or | GrammarRule::And, _) => {
                part.parts(Label::Operand).map(Some).for_each(add)
            }
            (GrammarRule::Relation | GrammarRule::Calculation, _)
            | (GrammarRule::Member, RuleForm::Index) => of(2).for_each(add),
            (GrammarRule::Unary, _) | (GrammarRule::Member, RuleForm::Select) => {
                of(1).for_each(add)
            }
            (GrammarRule::Member, _) => {
                of(1).for_each(&mut add);
                self.arguments(part).map(Some).for_each(add);
            }
            (GrammarRule::Primary, RuleForm::GlobalCall) => {
                self.arguments(part).map(Some).for_each(add)
            }
            (GrammarRule::Primary, RuleForm::List) => {
                for element in self.arguments(part) {
                    add(self.operand(element));
                }
            }
            (GrammarRule::Primary, RuleForm::Map) => {
                for entry in self.entries(part) {
                    add(self.operand(entry.key));
                    add(Some(entry.value));
                }
            }
            _ => {}
        }
    }

    /// Returns the arguments of a call, or the elements of a list.
    pub fn arguments<'p>(&'p self, of: RulePart<'p>) -> impl Iterator<Item = PartId> + use<'p> {
        let arguments = of.part(Label::Arguments).and_then(|id| self.part(id));
        arguments
            .into_iter()
            .flat_map(|arguments| arguments.parts(Label::Operand))
    }

    /// Returns the entries of a map, or the fields of a message, that were read to their end.
    pub fn entries(&self, part: RulePart<'_>) -> Vec<OperandEntry> {
        let Some(list) = part.part(Label::Arguments).and_then(|id| self.part(id)) else {
            return Vec::new();
        };
        let keys = list.parts(Label::Key);
        let values = list.all(Label::Colon).zip(list.parts(Label::Value));
        keys.zip(values)
            .map(|(key, (colon, value))| OperandEntry {
                key,
                optional: self.part(key).is_some_and(|key| key.has(Label::Optional)),
                colon: self.piece_position(colon),
                value,
            })
            .collect()
    }

    /// Returns the name after a dot or in a message, without back quotes; or why it is refused.
    pub fn name(&self, part: RulePart<'_>) -> Result<&str, &'static str> {
        match part.first(Label::Identifier) {
            Some(Piece::Part(id)) => match self.part(id) {
                Some(name) if name.form == RuleForm::Identifier => self.name(name),
                Some(name)
                    if name.form == RuleForm::EscapedName && self.escaped_names_are_fields =>
                {
                    let written = name
                        .first(Label::Identifier)
                        .map_or("", |piece| self.piece_text(piece));
                    Ok(written.trim_matches('`'))
                }
                Some(name) if name.form == RuleForm::EscapedName => Err("unsupported syntax: '`'"),
                _ => Err("unsupported ident kind"),
            },
            Some(piece) => Ok(self.piece_text(piece)),
            None => Err("unsupported ident kind"),
        }
    }

    /// Returns the start of a token, or the end of the text beyond the last token.
    pub fn token_position(&self, index: usize) -> u32 {
        self.tokens
            .seen
            .get(index)
            .map_or(self.tokens.length, |token| token.position)
    }

    /// Returns the position of the operator of a part.
    pub fn operator_position(&self, part: RulePart<'_>) -> u32 {
        part.first(Label::Operator)
            .map_or(NOWHERE, |operator| self.piece_position(operator))
    }

    /// Returns the start of a piece.
    pub fn piece_position(&self, piece: Piece) -> u32 {
        match piece {
            Piece::Token(index) => self.token_position(index),
            Piece::Part(id) => self
                .parts
                .get(id)
                .map_or(NOWHERE, |part| self.token_position(part.start)),
            Piece::Assumed => NOWHERE,
        }
    }

    /// Returns the bytes of a piece.
    pub fn piece_span(&self, piece: Piece) -> Range<u32> {
        match piece {
            Piece::Token(index) => self
                .tokens
                .seen
                .get(index)
                .map_or(0..0, |token| token.bytes.clone()),
            Piece::Part(id) => self.span(id),
            Piece::Assumed => 0..0,
        }
    }

    /// Returns the text of a piece.
    pub fn piece_text(&self, piece: Piece) -> &str {
        let span = self.piece_span(piece);
        self.source
            .text()
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    /// Returns the bytes of a part.
    pub fn span(&self, id: PartId) -> Range<u32> {
        let Some(part) = self.parts.get(id) else {
            return 0..0;
        };
        let tokens = self
            .tokens
            .seen
            .get(part.start..part.end)
            .unwrap_or_default();
        match tokens {
            [first, .., last] => first.bytes.start..last.bytes.end,
            [only] => only.bytes.clone(),
            [] => 0..0,
        }
    }
}

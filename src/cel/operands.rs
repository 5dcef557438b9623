//! What the parts of a text are made of: operands, names and places.

use std::ops::Range;

use super::grammar::{Form, Label, Rule};
use super::lexer::Tokens;
use super::source::Source;
use super::tree::{Part, PartId, Piece};

/// The position of what the text lacks.
pub const NOWHERE: u32 = u32::MAX;

/// The parts of a text.
#[derive(Debug)]
pub struct Parts<'a> {
    /// The text.
    pub source: &'a Source,
    /// Its tokens.
    pub tokens: Tokens,
    /// Its parts; the last is the whole text.
    pub parts: Vec<Part>,
}

/// An entry of a map or a field of a message.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What is before the colon.
    pub key: PartId,
    /// The key is written with `?`.
    pub optional: bool,
    /// The colon, an offset in code points.
    pub colon: u32,
    /// What is after the colon.
    pub value: PartId,
}

impl Parts<'_> {
    /// A part by its number.
    pub fn part(&self, id: PartId) -> Option<&Part> {
        self.parts.get(id)
    }

    /// The part within the parentheses. What an expression lacks entirely is none.
    pub fn without_parentheses(&self, part: PartId) -> Option<(PartId, &Part)> {
        let mut id = part;
        loop {
            let part = self.part(id)?;
            let is_empty = matches!(part.rule, Rule::Expression | Rule::Or | Rule::And) && !part.has(Label::Operator);
            match (part.rule, part.form) {
                (Rule::Primary, Form::Nested) => id = part.part(Label::Operand)?,
                (Rule::Relation | Rule::Calculation, Form::Bare) | (Rule::Unary | Rule::Member, Form::Plain) => return None,
                _ if is_empty => return None,
                _ => return Some((id, part)),
            }
        }
    }

    /// The operands of a part in the order in which they are built.
    pub fn operands(&self, id: PartId) -> Vec<Option<PartId>> {
        let Some(part) = self.part(id) else { return Vec::new() };
        let of = |part: &Part, count: usize| -> Vec<Option<PartId>> {
            part.parts(Label::Operand).map(Some).chain(std::iter::repeat(None)).take(count).collect()
        };
        let inner = |part: Option<PartId>| part.and_then(|id| self.part(id));
        match (part.rule, part.form) {
            (Rule::Expression, _) => of(part, 3),
            (Rule::Or | Rule::And, _) => part.parts(Label::Operand).map(Some).collect(),
            (Rule::Relation | Rule::Calculation, _) | (Rule::Member, Form::Index) => of(part, 2),
            (Rule::Unary, _) | (Rule::Member, Form::Select) => of(part, 1),
            (Rule::Member, _) => {
                let mut operands = of(part, 1);
                operands.extend(self.arguments(part));
                operands
            }
            (Rule::Primary, Form::GlobalCall) => self.arguments(part),
            (Rule::Primary, Form::List) => {
                let elements = inner(part.part(Label::Arguments));
                let elements = elements.into_iter().flat_map(|elements| elements.parts(Label::Operand));
                elements.map(|element| inner(Some(element))?.part(Label::Operand)).collect()
            }
            (Rule::Primary, Form::Map) => {
                let entries = self.entries(part).into_iter();
                entries
                    .flat_map(|entry| [inner(Some(entry.key)).and_then(|key| key.part(Label::Operand)), Some(entry.value)])
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// The arguments of a call.
    pub fn arguments(&self, call: &Part) -> Vec<Option<PartId>> {
        let arguments = call.part(Label::Arguments).and_then(|id| self.part(id));
        arguments.into_iter().flat_map(|arguments| arguments.parts(Label::Operand)).map(Some).collect()
    }

    /// The entries of a map, or the fields of a message, that were read to their end.
    pub fn entries(&self, part: &Part) -> Vec<Entry> {
        let Some(list) = part.part(Label::Arguments).and_then(|id| self.part(id)) else { return Vec::new() };
        let keys = list.parts(Label::Key);
        let values = list.all(Label::Colon).zip(list.parts(Label::Value));
        let optional = |key: PartId| self.part(key).is_some_and(|key| key.has(Label::Optional));
        let entry = |(key, (colon, value))| Entry { key, optional: optional(key), colon: self.piece_position(colon), value };
        keys.zip(values).map(entry).collect()
    }

    /// The name after a dot or in a message, without back quotes; or why it is refused.
    pub fn name(&self, part: &Part) -> Result<String, &'static str> {
        match part.first(Label::Identifier) {
            Some(Piece::Part(id)) => match self.part(id) {
                Some(name) if name.form == Form::Identifier => self.name(name),
                Some(name) if name.form == Form::EscapedName => Err("unsupported syntax: '`'"),
                _ => Err("unsupported ident kind"),
            },
            Some(piece) => Ok(self.piece_text(piece).to_owned()),
            None => Err("unsupported ident kind"),
        }
    }

    /// Where a token starts; the end of the text if there is none.
    pub fn token_position(&self, index: usize) -> u32 {
        self.tokens.seen.get(index).map_or(self.tokens.length, |token| token.position)
    }

    /// Where the operator of a part stands.
    pub fn operator_position(&self, part: &Part) -> u32 {
        part.first(Label::Operator).map_or(NOWHERE, |operator| self.piece_position(operator))
    }

    /// Where a piece starts.
    pub fn piece_position(&self, piece: Piece) -> u32 {
        match piece {
            Piece::Token(index) => self.token_position(index),
            Piece::Part(id) => self.part(id).map_or(NOWHERE, |part| self.token_position(part.start)),
            Piece::Assumed => NOWHERE,
        }
    }

    /// Bytes of a piece.
    pub fn piece_span(&self, piece: Piece) -> Range<u32> {
        match piece {
            Piece::Token(index) => self.tokens.seen.get(index).map_or(0..0, |token| token.bytes.clone()),
            Piece::Part(id) => self.span(id),
            Piece::Assumed => 0..0,
        }
    }

    /// The text of a piece.
    pub fn piece_text(&self, piece: Piece) -> &str {
        let span = self.piece_span(piece);
        self.source.text().get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Bytes of a part.
    pub fn span(&self, id: PartId) -> Range<u32> {
        let Some(part) = self.part(id) else { return 0..0 };
        let tokens = self.tokens.seen.get(part.start..part.end).unwrap_or_default();
        match tokens {
            [first, .., last] => first.bytes.start..last.bytes.end,
            [only] => only.bytes.clone(),
            [] => 0..0,
        }
    }
}

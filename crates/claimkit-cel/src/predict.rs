//! Which way the parser takes where the grammar has several.

use super::grammar::{Choice, LITERALS, MEMBER, PRODUCTS, RELATIONS, SUMS};
use super::machine::Machine;
use super::recover::RuleFault;
use super::token::TokenKind::*;
use super::token::TokenSet;

/// The way into an optional or repeated part, the first of two.
const IN: usize = 0;

/// The way past an optional or repeated part, the second of two.
const PAST: usize = 1;

fn in_if(is_in: bool) -> usize {
    if is_in { IN } else { PAST }
}

impl Machine<'_> {
    /// Returns the number of the way. Fails at the token that no way fits.
    pub fn choose(&self, choice: Choice) -> Result<usize, RuleFault> {
        let next = self.ahead(0);
        match choice {
            Choice::Next(set) => Ok(in_if(set.has(next))),
            Choice::CommaThen(set) => Ok(in_if(next == Comma && set.has(self.ahead(1)))),
            Choice::Relation => Ok(in_if(RELATIONS.has(next) && self.level() <= 1)),
            Choice::Calculation => {
                let is_product = PRODUCTS.has(next) && self.level() <= 2;
                Ok(in_if(is_product || SUMS.has(next) && self.level() <= 1))
            }
            Choice::Operator => Ok(usize::from(!PRODUCTS.has(next))),
            Choice::Unary => self.choose_unary(),
            Choice::AnotherMinus => match next {
                Minus if MEMBER.has(self.ahead(1)) => Ok(IN),
                Minus => self.no_way(1),
                _ => Ok(PAST),
            },
            Choice::Member => self.choose_member(),
            Choice::Primary => self.choose_primary(),
            Choice::Name => match next {
                Identifier => Ok(0),
                EscapedIdentifier => Ok(1),
                _ => self.no_way(0),
            },
            Choice::Literal => self.choose_literal(),
        }
    }

    /// Returns the number of the alternative of a unary expression: 0 a member or a negative number, 1 `!`, 2 `-`.
    fn choose_unary(&self) -> Result<usize, RuleFault> {
        match self.ahead(0) {
            Not => Ok(1),
            Minus => match self.ahead(1) {
                IntLiteral | FloatLiteral => Ok(0),
                kind if MEMBER.has(kind) => Ok(2),
                _ => self.no_way(1),
            },
            kind if MEMBER.has(kind) => Ok(0),
            _ => self.no_way(0),
        }
    }

    /// Returns the number of the alternative behind a member: 0 a field, 1 a call, 2 an index. An index begins with a bracket, the
    /// others with a dot.
    fn choose_member(&self) -> Result<usize, RuleFault> {
        if self.ahead(0) == LeftBracket {
            return Ok(2);
        }
        match self.ahead(1) {
            Question => Ok(0),
            EscapedIdentifier if self.grammar.escaped_names => Ok(0),
            Identifier => Ok(usize::from(self.ahead(2) == LeftParenthesis)),
            _ => self.no_way(1),
        }
    }

    /// Returns the place of a literal's kind in [`LITERALS`]; a minus belongs to the number behind it.
    fn choose_literal(&self) -> Result<usize, RuleFault> {
        match self.ahead(0) {
            Minus => match self.ahead(1) {
                IntLiteral => Ok(0),
                FloatLiteral => Ok(2),
                _ => self.no_way(1),
            },
            kind => LITERALS
                .iter()
                .position(|literal| *literal == kind)
                .map_or_else(|| self.no_way(0), Ok),
        }
    }

    /// Returns the number of the alternative that a primary follows: 0 a name, 1 a call, 2 parentheses, 3 a list, 4 a map, 5 a message,
    /// 6 a literal.
    fn choose_primary(&self) -> Result<usize, RuleFault> {
        const LITERAL: TokenSet = TokenSet::of(&LITERALS);
        let dot = usize::from(self.ahead(0) == Dot);
        match self.ahead(dot) {
            Identifier => {
                if self.ahead(dot.saturating_add(1)) == LeftParenthesis {
                    return Ok(1);
                }
                let mut after = dot.saturating_add(1);
                while self.ahead(after) == Dot && self.ahead(after.saturating_add(1)) == Identifier
                {
                    after = after.saturating_add(2);
                }
                Ok(if self.ahead(after) == LeftBrace { 5 } else { 0 })
            }
            _ if dot == 1 => self.no_way(1),
            LeftParenthesis => Ok(2),
            LeftBracket => Ok(3),
            LeftBrace => Ok(4),
            Minus => Ok(6),
            kind if LITERAL.has(kind) => Ok(6),
            _ => self.no_way(0),
        }
    }

    /// Returns the fault of a token `ahead` that fits no way.
    fn no_way(&self, ahead: usize) -> Result<usize, RuleFault> {
        Err(RuleFault::NoAlternative {
            first: self.at,
            offending: self.at.saturating_add(ahead),
        })
    }
}

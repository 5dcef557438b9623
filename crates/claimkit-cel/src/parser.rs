//! Reads a text by the grammar. The rules that are being read are on a stack of the parser's own, so deep texts need no deep calls.

use super::dialect::Dialect;
use super::grammar::{Choice, GrammarRule, Label, ParserStep, PositionId, TokenCheck};
use super::lexer;
use super::machine::{Halt, Machine};
use super::recover::RuleFault;
use super::source::ExpressionSource;
use super::tree::{ParsedText, Piece};

/// Reads the parts of a text.
pub fn read(source: &ExpressionSource, dialect: &Dialect) -> ParsedText {
    let tokens = lexer::split(source.text(), dialect);
    let mut machine = Machine::new(source, tokens, dialect);
    if machine.run().is_err() {
        machine.parts.clear();
    }
    ParsedText {
        tokens: machine.tokens,
        parts: machine.parts,
        pieces: machine.pieces,
        problems: machine.problems,
    }
}

impl Machine<'_> {
    /// Reads the whole text.
    fn run(&mut self) -> Result<(), Halt> {
        let mut next = Some(self.enter_rule(GrammarRule::Start, 0, None)?);
        while let Some(position) = next {
            next = match self.step(position) {
                Ok(next) => next,
                Err(RuleFault::Halt) => return Err(Halt),
                Err(fault) => {
                    self.give_up(fault)?;
                    self.leave()
                }
            };
        }
        self.report_lexical_errors()
    }

    /// Goes one step in the grammar. Returns the next position; none at the end of the text.
    fn step(&mut self, position: PositionId) -> Result<Option<PositionId>, RuleFault> {
        let grammar = self.grammar;
        match grammar.step(position) {
            ParserStep::Token { set, label, next } => {
                self.position = position;
                let token = self.at;
                let piece = if set.has(self.ahead(0)) {
                    self.matched();
                    self.consume();
                    Piece::Token(token)
                } else {
                    self.repair(*next)?
                };
                self.add(*label, piece);
                Ok(Some(*next))
            }
            ParserStep::Call {
                rule,
                level,
                label,
                next,
            } => {
                self.position = position;
                Ok(Some(self.enter_rule(
                    *rule,
                    *level,
                    Some((*next, *label)),
                )?))
            }
            ParserStep::Decide {
                check,
                choice,
                ways,
            } => {
                self.position = position;
                self.check(*check)?;
                let way = self.choose(*choice).inspect_err(|_| {
                    // ANTLR has left the operand's rule by then and leaves it again at the end.
                    if *choice == Choice::Member {
                        self.one_less(GrammarRule::Member);
                    }
                })?;
                Ok(ways.get(way).copied())
            }
            ParserStep::Check { next } => {
                self.position = position;
                self.check(TokenCheck::Entry)?;
                Ok(Some(*next))
            }
            ParserStep::Take { form, next } => {
                self.take(*form);
                Ok(Some(*next))
            }
            ParserStep::Wrap { form, next } => {
                self.wrap(*form);
                Ok(Some(*next))
            }
            ParserStep::End => Ok(self.leave()),
        }
    }

    fn enter_rule(
        &mut self,
        rule: GrammarRule,
        level: u8,
        caller: Option<(PositionId, Label)>,
    ) -> Result<PositionId, Halt> {
        self.enter(rule, level, caller)?;
        Ok(self.grammar.start(rule))
    }
}

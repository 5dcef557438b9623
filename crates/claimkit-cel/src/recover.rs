//! ANTLR's default error strategy with cel-go's limits.
//!
//! ANTLR 4.13, `error_strategy.go`, `DefaultErrorStrategy`; cel-go, `parser/parser.go`, `recoveryLimitErrorStrategy`.

use super::grammar::{PositionId, TokenCheck};
use super::machine::{Halt, Machine};
use super::source::ProblemKind;
use super::token::{TokenKind, TokenSet};
use super::tree::Piece;

/// How often the strategy may be asked (`errorRecoveryLimit`).
const ATTEMPTS: u32 = 30;

/// How many tokens may be left out at once (`errorRecoveryTokenLookaheadLimit`).
const LEFT_OUT: u32 = 256;

/// Why a rule cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleFault {
    /// The next token does not fit.
    Mismatch,
    /// No alternative fits: the numbers of the first token that was looked at and of the one that does not fit.
    NoAlternative {
        first: usize,
        /// The token that does not fit.
        offending: usize,
    },
    Halt,
}

impl From<Halt> for RuleFault {
    fn from(_: Halt) -> Self {
        Self::Halt
    }
}

impl Machine<'_> {
    /// Records that a token matched: the error, if there was one, is over.
    pub fn matched(&mut self) {
        self.recovery.active = false;
        self.recovery.last_token = None;
        self.recovery.last_positions.clear();
    }

    /// Looks whether the next token fits; `Sync`.
    pub fn check(&mut self, check: TokenCheck) -> Result<(), RuleFault> {
        let set = self.grammar.next(self.position);
        if self.recovery.active || set.may_end || set.has(self.ahead(0)) {
            return Ok(());
        }
        match check {
            TokenCheck::Entry if self.leave_one_out()? => Ok(()),
            TokenCheck::Entry => Err(RuleFault::Mismatch),
            TokenCheck::NextRound => {
                self.report_unwanted()?;
                let until = self.expected(self.position).or(self.recovery_set());
                while !self.is_at(until) {
                    self.consume();
                }
                Ok(())
            }
        }
    }

    /// Repairs the text where the next token is not the one that must come: leaves it out or assumes the missing one;
    /// `RecoverInline`.
    pub fn repair(&mut self, next: PositionId) -> Result<Piece, RuleFault> {
        self.attempt()?;
        if self.leave_one_out()? {
            let token = self.at;
            self.consume();
            return Ok(Piece::Token(token));
        }
        if !self.expected(next).has(self.ahead(0)) {
            return Err(RuleFault::Mismatch);
        }
        if !self.recovery.active {
            self.recovery.active = true;
            let message = format!(
                "missing {} at {}",
                self.expected(self.position).names(),
                self.shown(self.at)
            );
            self.report(self.at, ProblemKind::Missing, &message)?;
        }
        Ok(Piece::Assumed)
    }

    /// Reports a fault and leaves tokens out until a caller can go on; `ReportError` and `Recover`.
    pub fn give_up(&mut self, fault: RuleFault) -> Result<(), Halt> {
        if !self.recovery.active {
            self.recovery.active = true;
            match fault {
                RuleFault::Halt => return Err(Halt),
                RuleFault::Mismatch => {
                    let expected = self.expected(self.position).names();
                    let message = format!(
                        "mismatched input {} expecting {expected}",
                        self.shown(self.at)
                    );
                    self.report(self.at, ProblemKind::Mismatched, &message)?;
                }
                RuleFault::NoAlternative { first, offending } => {
                    let message = no_alternative(&self.text_between(first, offending));
                    self.report(offending, ProblemKind::NoAlternative, &message)?;
                }
            }
        }
        self.attempt()?;
        let mut left_out = 0;
        let until = self.recovery_set();
        if self.recovery.last_token == Some(self.at)
            && self.recovery.last_positions.contains(&self.position)
        {
            // The same error again: without this the parser would stay here.
            self.leave_out(&mut left_out)?;
        }
        self.recovery.last_token = Some(self.at);
        if !self.recovery.last_positions.contains(&self.position) {
            self.recovery.last_positions.push(self.position);
        }
        while !self.is_at(until) {
            self.leave_out(&mut left_out)?;
        }
        Ok(())
    }

    /// Leaves the next token out and counts it.
    fn leave_out(&mut self, left_out: &mut u32) -> Result<(), Halt> {
        if *left_out >= LEFT_OUT {
            return Err(self.limit(format!(
                "error recovery token lookahead limit exceeded: {LEFT_OUT}"
            )));
        }
        *left_out = left_out.saturating_add(1);
        self.consume();
        Ok(())
    }

    /// Returns true if the next token is of the set or the end of the text.
    fn is_at(&self, set: TokenSet) -> bool {
        let kind = self.ahead(0);
        kind == TokenKind::End || set.has(kind)
    }

    /// Leaves the next token out if the one after it fits; `SingleTokenDeletion`.
    fn leave_one_out(&mut self) -> Result<bool, Halt> {
        let fits = self.expected(self.position).has(self.ahead(1));
        if fits {
            self.report_unwanted()?;
            self.consume();
            self.matched();
        }
        Ok(fits)
    }

    fn report_unwanted(&mut self) -> Result<(), Halt> {
        if self.recovery.active {
            return Ok(());
        }
        self.recovery.active = true;
        let expected = self.expected(self.position).names();
        let message = format!(
            "extraneous input {} expecting {expected}",
            self.shown(self.at)
        );
        self.report(self.at, ProblemKind::Extraneous, &message)
    }

    fn attempt(&mut self) -> Result<(), Halt> {
        if self.recovery.attempts == ATTEMPTS {
            let message = format!("error recovery attempt limit exceeded: {ATTEMPTS}");
            self.report(self.at, ProblemKind::Limit, &message)?;
            return Err(Halt);
        }
        self.recovery.attempts = self.recovery.attempts.saturating_add(1);
        Ok(())
    }
}

/// Returns the message for a text that fits no alternative. cel-go has another message if a keyword replaces a name
/// (`SyntaxError`).
fn no_alternative(text: &str) -> String {
    let mut characters = text.chars();
    characters.next();
    let rest = format!("{}'", characters.as_str());
    for keyword in ["true", "false", "null"] {
        if let Some(after) = rest
            .strip_prefix(keyword)
            .and_then(|rest| rest.strip_prefix('\''))
        {
            return format!("mismatched input '{keyword}' expecting IDENTIFIER{after}");
        }
    }
    format!("no viable alternative at input '{text}'")
}

#[cfg(test)]
mod tests {
    use super::no_alternative;

    #[test]
    fn a_keyword_in_place_of_a_name_is_worded_anew() {
        assert_eq!(
            no_alternative(".true"),
            "mismatched input 'true' expecting IDENTIFIER"
        );
        assert_eq!(
            no_alternative(".nulls"),
            "no viable alternative at input '.nulls'"
        );
        assert_eq!(
            no_alternative("a.true"),
            "no viable alternative at input 'a.true'"
        );
        assert_eq!(no_alternative(""), "no viable alternative at input ''");
    }
}

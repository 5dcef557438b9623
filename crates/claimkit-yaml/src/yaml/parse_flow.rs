//! Parses flow collections: `[…]` and `{…}`.

use super::error::Refusal;
use super::parser::{Event, EventKind, Reader, State};
use super::problem::{Construct, Problem};
use super::token::TokenKind;

impl Reader<'_> {
    pub(super) fn flow_sequence_entry(&mut self, first: bool) -> Result<Event, Refusal> {
        if first {
            self.open()?;
        }
        let mut token = self.scanner.peek()?;
        if token.kind != TokenKind::FlowSequenceEnd && !first {
            if token.kind != TokenKind::FlowEntry {
                return self.error(Some(Construct::FlowSequence), self.context_mark(), Problem::ExpectedSequenceEnd, token.start);
            }
            token = self.take_and_peek()?;
        }
        match token.kind {
            TokenKind::FlowSequenceEnd => Ok(self.close(EventKind::SequenceEnd, token)),
            TokenKind::Key => {
                self.state = State::FlowSequenceEntryMappingKey;
                self.scanner.take();
                Ok(Event { flow: true, ..Self::event(EventKind::MappingStart, token.start, token.end) })
            }
            _ => self.node_then(State::FlowSequenceEntry, token, false, false),
        }
    }

    /// Reads the key of a pair within a sequence: `[a: b]`.
    pub(super) fn flow_pair_key(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        match token.kind {
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd => {
                // go-yaml skips this token, whatever its kind.
                self.scanner.take();
                self.absent(State::FlowSequenceEntryMappingValue, token.end)
            }
            _ => self.node_then(State::FlowSequenceEntryMappingValue, token, false, false),
        }
    }

    pub(super) fn flow_pair_value(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        if token.kind == TokenKind::Value {
            let next = self.take_and_peek()?;
            if !matches!(next.kind, TokenKind::FlowEntry | TokenKind::FlowSequenceEnd) {
                return self.node_then(State::FlowSequenceEntryMappingEnd, next, false, false);
            }
        }
        self.absent(State::FlowSequenceEntryMappingEnd, token.start)
    }

    pub(super) fn flow_pair_end(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        self.state = State::FlowSequenceEntry;
        Ok(Self::event(EventKind::MappingEnd, token.start, token.start))
    }

    pub(super) fn flow_mapping_key(&mut self, first: bool) -> Result<Event, Refusal> {
        if first {
            self.open()?;
        }
        let mut token = self.scanner.peek()?;
        if token.kind != TokenKind::FlowMappingEnd && !first {
            if token.kind != TokenKind::FlowEntry {
                return self.error(Some(Construct::FlowMapping), self.context_mark(), Problem::ExpectedMappingEnd, token.start);
            }
            token = self.take_and_peek()?;
        }
        match token.kind {
            TokenKind::FlowMappingEnd => Ok(self.close(EventKind::MappingEnd, token)),
            TokenKind::Key => {
                let token = self.take_and_peek()?;
                match token.kind {
                    TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd => {
                        self.absent(State::FlowMappingValue, token.start)
                    }
                    _ => self.node_then(State::FlowMappingValue, token, false, false),
                }
            }
            _ => self.node_then(State::FlowMappingEmptyValue, token, false, false),
        }
    }

    pub(super) fn flow_mapping_value(&mut self, empty: bool) -> Result<Event, Refusal> {
        let mut token = self.scanner.peek()?;
        if !empty && token.kind == TokenKind::Value {
            token = self.take_and_peek()?;
            if !matches!(token.kind, TokenKind::FlowEntry | TokenKind::FlowMappingEnd) {
                return self.node_then(State::FlowMappingKey, token, false, false);
            }
        }
        self.absent(State::FlowMappingKey, token.start)
    }
}

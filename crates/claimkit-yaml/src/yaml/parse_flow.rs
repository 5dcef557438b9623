//! Parses flow collections: `[…]` and `{…}`.

use super::error::Refusal;
use super::parser::{Event, EventKind, Reader, State, Surroundings};
use super::problem::{Construct, Problem};
use super::token::{Token, TokenKind};

impl Reader<'_> {
    pub(super) fn flow_sequence_first_entry(&mut self) -> Result<Event, Refusal> {
        self.open()?;
        let token = self.scanner.peek()?;
        self.flow_sequence_item(token)
    }

    pub(super) fn flow_sequence_entry(&mut self) -> Result<Event, Refusal> {
        let mut token = self.scanner.peek()?;
        if token.kind != TokenKind::FlowSequenceEnd {
            if token.kind != TokenKind::FlowEntry {
                return self.error(Some(Construct::FlowSequence), self.context_mark(), Problem::ExpectedSequenceEnd, token.start);
            }
            token = self.take_and_peek()?;
        }
        self.flow_sequence_item(token)
    }

    /// Reads an item after its comma, or the end of the sequence.
    fn flow_sequence_item(&mut self, token: Token) -> Result<Event, Refusal> {
        match token.kind {
            TokenKind::FlowSequenceEnd => Ok(self.close(EventKind::SequenceEnd, token)),
            TokenKind::Key => {
                self.state = State::FlowSequenceEntryMappingKey;
                self.scanner.take();
                Ok(Event { flow: true, ..Self::event(EventKind::MappingStart, token.start, token.end) })
            }
            _ => self.node_then(State::FlowSequenceEntry, token, Surroundings::Flow),
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
            _ => self.node_then(State::FlowSequenceEntryMappingValue, token, Surroundings::Flow),
        }
    }

    pub(super) fn flow_pair_value(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        if token.kind == TokenKind::Value {
            let next = self.take_and_peek()?;
            if !matches!(next.kind, TokenKind::FlowEntry | TokenKind::FlowSequenceEnd) {
                return self.node_then(State::FlowSequenceEntryMappingEnd, next, Surroundings::Flow);
            }
        }
        self.absent(State::FlowSequenceEntryMappingEnd, token.start)
    }

    pub(super) fn flow_pair_end(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        self.state = State::FlowSequenceEntry;
        Ok(Self::event(EventKind::MappingEnd, token.start, token.start))
    }

    pub(super) fn flow_mapping_first_key(&mut self) -> Result<Event, Refusal> {
        self.open()?;
        let token = self.scanner.peek()?;
        self.flow_mapping_entry(token)
    }

    pub(super) fn flow_mapping_key(&mut self) -> Result<Event, Refusal> {
        let mut token = self.scanner.peek()?;
        if token.kind != TokenKind::FlowMappingEnd {
            if token.kind != TokenKind::FlowEntry {
                return self.error(Some(Construct::FlowMapping), self.context_mark(), Problem::ExpectedMappingEnd, token.start);
            }
            token = self.take_and_peek()?;
        }
        self.flow_mapping_entry(token)
    }

    /// Reads a key after its comma, or the end of the mapping.
    fn flow_mapping_entry(&mut self, token: Token) -> Result<Event, Refusal> {
        match token.kind {
            TokenKind::FlowMappingEnd => Ok(self.close(EventKind::MappingEnd, token)),
            TokenKind::Key => {
                let token = self.take_and_peek()?;
                match token.kind {
                    TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd => {
                        self.absent(State::FlowMappingValue, token.start)
                    }
                    _ => self.node_then(State::FlowMappingValue, token, Surroundings::Flow),
                }
            }
            _ => self.node_then(State::FlowMappingEmptyValue, token, Surroundings::Flow),
        }
    }

    pub(super) fn flow_mapping_value(&mut self) -> Result<Event, Refusal> {
        let mut token = self.scanner.peek()?;
        if token.kind == TokenKind::Value {
            token = self.take_and_peek()?;
            if !matches!(token.kind, TokenKind::FlowEntry | TokenKind::FlowMappingEnd) {
                return self.node_then(State::FlowMappingKey, token, Surroundings::Flow);
            }
        }
        self.absent(State::FlowMappingKey, token.start)
    }

    /// Adds the value of a key without `?` or `:`: `{a}`.
    pub(super) fn flow_mapping_empty_value(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        self.absent(State::FlowMappingKey, token.start)
    }
}

//! Parses flow collections: `[…]` and `{…}`.

use super::error::Refusal;
use super::parser::{Event, EventKind, ParserState, Reader, Surroundings};
use super::problem::{Construct, Problem};
use super::token::{YamlToken, YamlTokenKind};

impl Reader<'_> {
    pub(super) fn flow_sequence_first_entry(&mut self) -> Result<Event, Refusal> {
        self.open()?;
        let token = self.scanner.peek()?;
        self.flow_sequence_item(token)
    }

    pub(super) fn flow_sequence_entry(&mut self) -> Result<Event, Refusal> {
        let mut token = self.scanner.peek()?;
        if token.kind != YamlTokenKind::FlowSequenceEnd {
            if token.kind != YamlTokenKind::FlowEntry {
                return self.error(
                    Some(Construct::FlowSequence),
                    self.context_mark(),
                    Problem::ExpectedSequenceEnd,
                    token.start,
                );
            }
            token = self.take_and_peek()?;
        }
        self.flow_sequence_item(token)
    }

    /// Reads an item after its comma, or the end of the sequence.
    fn flow_sequence_item(&mut self, token: YamlToken) -> Result<Event, Refusal> {
        match token.kind {
            YamlTokenKind::FlowSequenceEnd => Ok(self.close(EventKind::SequenceEnd, token)),
            YamlTokenKind::Key => {
                self.state = ParserState::FlowSequenceEntryMappingKey;
                self.scanner.take();
                Ok(Event {
                    flow: true,
                    ..Self::event(EventKind::MappingStart, token.start, token.end)
                })
            }
            _ => self.node_then(ParserState::FlowSequenceEntry, token, Surroundings::Flow),
        }
    }

    /// Reads the key of a pair within a sequence: `[a: b]`.
    pub(super) fn flow_pair_key(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        match token.kind {
            YamlTokenKind::Value | YamlTokenKind::FlowEntry | YamlTokenKind::FlowSequenceEnd => {
                // go-yaml skips this token, whatever its kind.
                self.scanner.take();
                self.absent(ParserState::FlowSequenceEntryMappingValue, token.end)
            }
            _ => self.node_then(
                ParserState::FlowSequenceEntryMappingValue,
                token,
                Surroundings::Flow,
            ),
        }
    }

    pub(super) fn flow_pair_value(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        if token.kind == YamlTokenKind::Value {
            let next = self.take_and_peek()?;
            if !matches!(
                next.kind,
                YamlTokenKind::FlowEntry | YamlTokenKind::FlowSequenceEnd
            ) {
                return self.node_then(
                    ParserState::FlowSequenceEntryMappingEnd,
                    next,
                    Surroundings::Flow,
                );
            }
        }
        self.absent(ParserState::FlowSequenceEntryMappingEnd, token.start)
    }

    pub(super) fn flow_pair_end(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        self.state = ParserState::FlowSequenceEntry;
        Ok(Self::event(EventKind::MappingEnd, token.start, token.start))
    }

    pub(super) fn flow_mapping_first_key(&mut self) -> Result<Event, Refusal> {
        self.open()?;
        let token = self.scanner.peek()?;
        self.flow_mapping_entry(token)
    }

    pub(super) fn flow_mapping_key(&mut self) -> Result<Event, Refusal> {
        let mut token = self.scanner.peek()?;
        if token.kind != YamlTokenKind::FlowMappingEnd {
            if token.kind != YamlTokenKind::FlowEntry {
                return self.error(
                    Some(Construct::FlowMapping),
                    self.context_mark(),
                    Problem::ExpectedMappingEnd,
                    token.start,
                );
            }
            token = self.take_and_peek()?;
        }
        self.flow_mapping_entry(token)
    }

    /// Reads a key after its comma, or the end of the mapping.
    fn flow_mapping_entry(&mut self, token: YamlToken) -> Result<Event, Refusal> {
        match token.kind {
            YamlTokenKind::FlowMappingEnd => Ok(self.close(EventKind::MappingEnd, token)),
            YamlTokenKind::Key => {
                let token = self.take_and_peek()?;
                match token.kind {
                    YamlTokenKind::Value
                    | YamlTokenKind::FlowEntry
                    | YamlTokenKind::FlowMappingEnd => {
                        self.absent(ParserState::FlowMappingValue, token.start)
                    }
                    _ => self.node_then(ParserState::FlowMappingValue, token, Surroundings::Flow),
                }
            }
            _ => self.node_then(
                ParserState::FlowMappingEmptyValue,
                token,
                Surroundings::Flow,
            ),
        }
    }

    pub(super) fn flow_mapping_value(&mut self) -> Result<Event, Refusal> {
        let mut token = self.scanner.peek()?;
        if token.kind == YamlTokenKind::Value {
            token = self.take_and_peek()?;
            if !matches!(
                token.kind,
                YamlTokenKind::FlowEntry | YamlTokenKind::FlowMappingEnd
            ) {
                return self.node_then(ParserState::FlowMappingKey, token, Surroundings::Flow);
            }
        }
        self.absent(ParserState::FlowMappingKey, token.start)
    }

    /// Adds the value of a key without `?` or `:`: `{a}`.
    pub(super) fn flow_mapping_empty_value(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        self.absent(ParserState::FlowMappingKey, token.start)
    }
}

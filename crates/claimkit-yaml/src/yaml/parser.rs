//! Tokens to events: libyaml's grammar as a state machine with an explicit stack.

use super::error::{ErrorStage, Refusal, YamlError};
use super::problem::{Construct, Problem};
use super::scanner::Scanner;
use super::token::{Mark, ScalarStyle, TokenText, YamlToken, YamlTokenKind};

/// The kind of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    #[default]
    /// Reading of the stream begins.
    StreamStart,
    /// The stream has ended.
    StreamEnd,
    /// A document begins here.
    DocumentStart,
    /// A document ends here.
    DocumentEnd,
    /// `*name`.
    Alias,
    /// A scalar; an absent value is an empty plain one.
    Scalar,
    /// A sequence begins here.
    SequenceStart,
    /// A sequence ends here.
    SequenceEnd,
    /// A mapping begins here.
    MappingStart,
    /// A mapping ends here.
    MappingEnd,
}

/// One event. Texts are looked up with [`Reader::text`].
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Event {
    /// The kind of the event.
    pub kind: EventKind,
    /// The style of the scalar.
    pub style: ScalarStyle,
    /// Collections: written with brackets.
    pub flow: bool,
    /// Scalars: true if plain and without a tag (or with the tag `!`), so that the text decides the type.
    pub implicit: bool,
    /// Its start, with anchor and tag.
    pub start: Mark,
    /// The end of the anchor and the tag; `start` if there are none.
    pub properties_end: Mark,
    /// The start of its content, without anchor and tag.
    pub content: Mark,
    /// Its end. For the start of a collection: the end of its bracket, or no width.
    pub end: Mark,
    /// The name of the anchor or alias; empty if there is none.
    pub anchor: TokenText,
    /// The whole tag, handle resolved; empty when there is none.
    pub tag: TokenText,
    /// The text of the scalar.
    pub value: TokenText,
}

/// The rule that reads the next token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParserState {
    StreamStart,
    ImplicitDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceFirstEntry,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingFirstKey,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirstEntry,
    FlowSequenceEntry,
    FlowSequenceEntryMappingKey,
    FlowSequenceEntryMappingValue,
    FlowSequenceEntryMappingEnd,
    FlowMappingFirstKey,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingEmptyValue,
    End,
}

/// The surroundings of a node, which decide how it may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Surroundings {
    /// Brackets: only a flow collection or a scalar.
    Flow,
    /// A document or a block sequence.
    Block,
    /// A block mapping, where a sequence need not be indented.
    BlockMapping,
}

/// The event reader. Give it a text, take events until [`EventKind::StreamEnd`] or an error;
/// kubectl itself stops after the first document.
///
/// ```
/// use claimkit_yaml::yaml::{EventKind, Reader};
///
/// let mut reader = Reader::new("a: [b, c]\n");
/// let mut scalars = Vec::new();
/// loop {
///     let event = reader.next_event().unwrap();
///     match event.kind {
///         EventKind::Scalar => scalars.push(reader.text(event.value).to_owned()),
///         EventKind::StreamEnd => break,
///         _ => {}
///     }
/// }
/// assert_eq!(scalars, ["a", "b", "c"]);
/// ```
///
/// ```
/// use claimkit_yaml::yaml::{Bounds, Reader, read_part};
///
/// // A reader of parts keeps its buffers from one to the next.
/// let text = "a: 1\n---\nb: 2\n";
/// let mut reader = Reader::part(text, 0, 0, false);
/// reader.expect_plain(true);
/// let second = read_part(&mut reader, text, 9, text.len(), false, Bounds::default());
/// assert!(second.tree.get(second.root.unwrap(), "b").is_some());
/// ```
pub struct Reader<'a> {
    pub(super) scanner: Scanner<'a>,
    pub(super) state: ParserState,
    states: Vec<ParserState>,
    marks: Vec<Mark>,
    tag_directives: Vec<(TokenText, TokenText)>,
}

impl<'a> Reader<'a> {
    /// Reads the whole of `text`.
    pub fn new(text: &'a str) -> Self {
        Self::part(text, 0, text.len(), false)
    }

    /// Reads `text[start..end]`, offsets counted from the start of `text`, lines from the start of
    /// the part. With `add_break`, the part is read as if it ended with a line break, as kubectl passes it on.
    pub fn part(text: &'a str, start: usize, end: usize, add_break: bool) -> Self {
        Self {
            scanner: Scanner::new(text, start, end, add_break),
            state: ParserState::StreamStart,
            states: Vec::new(),
            marks: Vec::new(),
            tag_directives: Vec::new(),
        }
    }

    /// Sets whether the whole text has only printable ASCII and line feeds, so that the scanner need not test it again.
    pub fn expect_plain(&mut self, plain: bool) {
        self.scanner.plain = plain;
    }

    /// Continues with another part of the same text. Keeps the comments, and the buffer that earlier texts refer to.
    pub(crate) fn restart(&mut self, start: usize, end: usize, add_break: bool) {
        self.scanner.restart(start, end, add_break);
        self.state = ParserState::StreamStart;
        self.states.clear();
        self.marks.clear();
        self.tag_directives.clear();
    }

    /// Returns the text an event refers to.
    pub fn text(&self, text: TokenText) -> &str {
        let (start, end) = (text.start as usize, text.end as usize);
        let from: &str = if text.buffered {
            &self.scanner.buffer
        } else {
            self.scanner.text
        };
        from.get(start..end).unwrap_or("")
    }

    /// Takes the buffer of unescaped and folded text and the comments out of the reader.
    pub(crate) fn take_parts(&mut self) -> (String, Vec<(u32, u32)>) {
        (
            std::mem::take(&mut self.scanner.buffer),
            std::mem::take(&mut self.scanner.comments),
        )
    }

    /// Returns the next event; [`EventKind::StreamEnd`] repeats.
    ///
    /// # Errors
    /// The error with kubectl's message. The reader cannot be used after an error.
    pub fn next_event(&mut self) -> Result<Event, Box<YamlError>> {
        match self.state {
            ParserState::StreamStart => self.stream_start(),
            ParserState::ImplicitDocumentStart => self.first_document_start(),
            ParserState::DocumentStart => self.document_start(),
            ParserState::DocumentContent => self.document_content(),
            ParserState::DocumentEnd => self.document_end(),
            ParserState::BlockNode => {
                let token = self.scanner.peek()?;
                self.node(token, Surroundings::Block)
            }
            ParserState::BlockSequenceFirstEntry => self.block_sequence_first_entry(),
            ParserState::BlockSequenceEntry => self.block_sequence_entry(),
            ParserState::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            ParserState::BlockMappingFirstKey => self.block_mapping_first_key(),
            ParserState::BlockMappingKey => self.block_mapping_key(),
            ParserState::BlockMappingValue => self.block_mapping_value(),
            ParserState::FlowSequenceFirstEntry => self.flow_sequence_first_entry(),
            ParserState::FlowSequenceEntry => self.flow_sequence_entry(),
            ParserState::FlowSequenceEntryMappingKey => self.flow_pair_key(),
            ParserState::FlowSequenceEntryMappingValue => self.flow_pair_value(),
            ParserState::FlowSequenceEntryMappingEnd => self.flow_pair_end(),
            ParserState::FlowMappingFirstKey => self.flow_mapping_first_key(),
            ParserState::FlowMappingKey => self.flow_mapping_key(),
            ParserState::FlowMappingValue => self.flow_mapping_value(),
            ParserState::FlowMappingEmptyValue => self.flow_mapping_empty_value(),
            ParserState::End => Ok(Event {
                kind: EventKind::StreamEnd,
                ..Event::default()
            }),
        }
    }

    pub(super) fn error<T>(
        &self,
        context: Option<Construct>,
        context_mark: Mark,
        problem: Problem,
        problem_mark: Mark,
    ) -> Result<T, Refusal> {
        Err(YamlError::with_context(
            ErrorStage::Parser,
            problem,
            problem_mark,
            context,
            context_mark,
        ))
    }

    pub(super) fn take_and_peek(&mut self) -> Result<YamlToken, Refusal> {
        self.scanner.take();
        self.scanner.peek()
    }

    fn pop_state(&mut self) {
        self.state = self.states.pop().unwrap_or(ParserState::End);
    }

    pub(super) fn event(kind: EventKind, start: Mark, end: Mark) -> Event {
        Event {
            kind,
            start,
            properties_end: start,
            content: start,
            end,
            ..Event::default()
        }
    }

    fn empty_scalar(mark: Mark) -> Event {
        Event {
            implicit: true,
            ..Self::event(EventKind::Scalar, mark, mark)
        }
    }

    // ---- documents --------------------------------------------------------------------------

    fn stream_start(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        self.state = ParserState::ImplicitDocumentStart;
        self.scanner.take();
        Ok(Self::event(EventKind::StreamStart, token.start, token.end))
    }

    /// Begins the first document, which needs no `---`.
    fn first_document_start(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        if matches!(
            token.kind,
            YamlTokenKind::VersionDirective
                | YamlTokenKind::TagDirective
                | YamlTokenKind::DocumentStart
                | YamlTokenKind::StreamEnd
        ) {
            return self.document_start();
        }
        self.process_directives()?;
        self.states.push(ParserState::DocumentEnd);
        self.state = ParserState::BlockNode;
        Ok(Self::event(
            EventKind::DocumentStart,
            token.start,
            token.start,
        ))
    }

    fn document_start(&mut self) -> Result<Event, Refusal> {
        let mut token = self.scanner.peek()?;
        while token.kind == YamlTokenKind::DocumentEnd {
            token = self.take_and_peek()?;
        }
        if token.kind == YamlTokenKind::StreamEnd {
            self.state = ParserState::End;
            self.scanner.take();
            return Ok(Self::event(EventKind::StreamEnd, token.start, token.end));
        }
        let start = token.start;
        self.process_directives()?;
        let token = self.scanner.peek()?;
        if token.kind != YamlTokenKind::DocumentStart {
            return self.error(
                None,
                Mark::default(),
                Problem::ExpectedDocumentStart,
                token.start,
            );
        }
        self.states.push(ParserState::DocumentEnd);
        self.state = ParserState::DocumentContent;
        self.scanner.take();
        Ok(Self::event(EventKind::DocumentStart, start, token.end))
    }

    fn document_content(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        match token.kind {
            YamlTokenKind::VersionDirective
            | YamlTokenKind::TagDirective
            | YamlTokenKind::DocumentStart
            | YamlTokenKind::DocumentEnd
            | YamlTokenKind::StreamEnd => {
                self.pop_state();
                Ok(Self::empty_scalar(token.start))
            }
            _ => self.node(token, Surroundings::Block),
        }
    }

    fn document_end(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        let mut end = token.start;
        let mut implicit = true;
        if token.kind == YamlTokenKind::DocumentEnd {
            end = token.end;
            implicit = false;
            self.scanner.take();
        }
        self.tag_directives.clear();
        self.state = ParserState::DocumentStart;
        Ok(Event {
            implicit,
            ..Self::event(EventKind::DocumentEnd, token.start, end)
        })
    }

    fn process_directives(&mut self) -> Result<(), Refusal> {
        let mut version = false;
        let mut token = self.scanner.peek()?;
        loop {
            match token.kind {
                YamlTokenKind::VersionDirective => {
                    if version {
                        return self.error(
                            None,
                            Mark::default(),
                            Problem::DuplicateYamlDirective,
                            token.start,
                        );
                    }
                    if (token.suffix.start, token.suffix.end) != (1, 1) {
                        return self.error(
                            None,
                            Mark::default(),
                            Problem::IncompatibleDocument,
                            token.start,
                        );
                    }
                    version = true;
                }
                YamlTokenKind::TagDirective => {
                    let handle = self.text(token.value);
                    if self
                        .tag_directives
                        .iter()
                        .any(|(known, _)| self.text(*known) == handle)
                    {
                        return self.error(
                            None,
                            Mark::default(),
                            Problem::DuplicateTagDirective,
                            token.start,
                        );
                    }
                    self.tag_directives.push((token.value, token.suffix));
                }
                _ => return Ok(()),
            }
            token = self.take_and_peek()?;
        }
    }

    /// Returns the full tag of a handle and a suffix; `None` if the handle is not declared.
    fn resolve_tag(&mut self, handle: TokenText, suffix: TokenText) -> Option<TokenText> {
        if handle.is_empty() {
            return Some(suffix);
        }
        let name = self.text(handle);
        let declared = self
            .tag_directives
            .iter()
            .find(|(known, _)| self.text(*known) == name)
            .map(|(_, prefix)| *prefix);
        let mut tag = match (declared, name) {
            (Some(prefix), _) => self.text(prefix).to_owned(),
            (None, "!") => String::from("!"),
            (None, "!!") => String::from("tag:yaml.org,2002:"),
            (None, _) => return None,
        };
        tag.push_str(self.text(suffix));
        if tag.is_empty() {
            return None;
        }
        let start = self.scanner.buffer.len();
        self.scanner.buffer.push_str(&tag);
        Some(self.scanner.buffered_text(start))
    }

    // ---- nodes ------------------------------------------------------------------------------

    fn node(&mut self, first: YamlToken, surroundings: Surroundings) -> Result<Event, Refusal> {
        let mut token = first;
        if token.kind == YamlTokenKind::Alias {
            self.pop_state();
            self.scanner.take();
            return Ok(Event {
                anchor: token.value,
                ..Self::event(EventKind::Alias, token.start, token.end)
            });
        }
        let start = token.start;
        let mut event = Self::event(EventKind::Scalar, start, start);
        if matches!(token.kind, YamlTokenKind::Anchor | YamlTokenKind::Tag) {
            token = self.properties(&mut event, token)?;
        }
        event.properties_end = event.end;
        event.content = token.start;
        event.end = token.end;
        match token.kind {
            YamlTokenKind::BlockEntry if surroundings == Surroundings::BlockMapping => {
                event.kind = EventKind::SequenceStart;
                self.state = ParserState::IndentlessSequenceEntry;
            }
            YamlTokenKind::Scalar => {
                event.style = token.style;
                event.value = token.value;
                event.implicit = (event.tag.is_empty() && token.style == ScalarStyle::Plain)
                    || (!event.tag.is_empty() && self.text(event.tag) == "!");
                self.pop_state();
                self.scanner.take();
            }
            YamlTokenKind::FlowSequenceStart => {
                event.kind = EventKind::SequenceStart;
                event.flow = true;
                self.state = ParserState::FlowSequenceFirstEntry;
            }
            YamlTokenKind::FlowMappingStart => {
                event.kind = EventKind::MappingStart;
                event.flow = true;
                self.state = ParserState::FlowMappingFirstKey;
            }
            YamlTokenKind::BlockSequenceStart if surroundings != Surroundings::Flow => {
                event.kind = EventKind::SequenceStart;
                self.state = ParserState::BlockSequenceFirstEntry;
            }
            YamlTokenKind::BlockMappingStart if surroundings != Surroundings::Flow => {
                event.kind = EventKind::MappingStart;
                self.state = ParserState::BlockMappingFirstKey;
            }
            _ if !event.anchor.is_empty() || !event.tag.is_empty() => {
                // An anchor or a tag without a value.
                event.implicit = event.tag.is_empty();
                event.content = event.properties_end;
                event.end = event.properties_end;
                self.pop_state();
            }
            _ => {
                let context = match surroundings {
                    Surroundings::Flow => Construct::FlowNode,
                    Surroundings::Block | Surroundings::BlockMapping => Construct::BlockNode,
                };
                return self.error(Some(context), start, Problem::ExpectedContent, token.start);
            }
        }
        Ok(event)
    }

    /// Parses the anchor and the tag of a node, in either order; returns the token behind them.
    fn properties(&mut self, event: &mut Event, first: YamlToken) -> Result<YamlToken, Refusal> {
        let mut token = first;
        let mut tag: Option<YamlToken> = None;
        let order = if first.kind == YamlTokenKind::Anchor {
            [YamlTokenKind::Anchor, YamlTokenKind::Tag]
        } else {
            [YamlTokenKind::Tag, YamlTokenKind::Anchor]
        };
        for kind in order {
            if token.kind != kind {
                break;
            }
            if kind == YamlTokenKind::Anchor {
                event.anchor = token.value;
            } else {
                tag = Some(token);
            }
            event.end = token.end;
            token = self.take_and_peek()?;
        }
        if let Some(tag) = tag {
            let Some(whole) = self.resolve_tag(tag.value, tag.suffix) else {
                return self.error(
                    Some(Construct::Node),
                    first.start,
                    Problem::UndefinedTagHandle,
                    tag.start,
                );
            };
            event.tag = whole;
        }
        Ok(token)
    }

    /// Parses a node; the state after it is `then`.
    pub(super) fn node_then(
        &mut self,
        then: ParserState,
        token: YamlToken,
        surroundings: Surroundings,
    ) -> Result<Event, Refusal> {
        self.states.push(then);
        self.node(token, surroundings)
    }

    pub(super) fn absent(&mut self, then: ParserState, mark: Mark) -> Result<Event, Refusal> {
        self.state = then;
        Ok(Self::empty_scalar(mark))
    }

    /// Takes the first token of a collection, and remembers it for messages.
    pub(super) fn open(&mut self) -> Result<(), Refusal> {
        let token = self.scanner.peek()?;
        self.marks.push(token.start);
        self.scanner.take();
        Ok(())
    }

    pub(super) fn close(&mut self, kind: EventKind, token: YamlToken) -> Event {
        self.pop_state();
        self.marks.pop();
        self.scanner.take();
        Self::event(kind, token.start, token.end)
    }

    pub(super) fn context_mark(&self) -> Mark {
        self.marks.last().copied().unwrap_or_default()
    }

    // ---- block collections ------------------------------------------------------------------

    fn block_sequence_first_entry(&mut self) -> Result<Event, Refusal> {
        self.open()?;
        self.block_sequence_entry()
    }

    fn block_sequence_entry(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        match token.kind {
            YamlTokenKind::BlockEntry => {
                let mark = token.end;
                let token = self.take_and_peek()?;
                match token.kind {
                    YamlTokenKind::BlockEntry | YamlTokenKind::BlockEnd => {
                        self.absent(ParserState::BlockSequenceEntry, mark)
                    }
                    _ => {
                        self.node_then(ParserState::BlockSequenceEntry, token, Surroundings::Block)
                    }
                }
            }
            YamlTokenKind::BlockEnd => Ok(self.close(EventKind::SequenceEnd, token)),
            _ => self.error(
                Some(Construct::BlockCollection),
                self.context_mark(),
                Problem::ExpectedDash,
                token.start,
            ),
        }
    }

    fn indentless_sequence_entry(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        if token.kind != YamlTokenKind::BlockEntry {
            self.pop_state();
            return Ok(Self::event(
                EventKind::SequenceEnd,
                token.start,
                token.start,
            ));
        }
        let mark = token.end;
        let token = self.take_and_peek()?;
        match token.kind {
            YamlTokenKind::BlockEntry
            | YamlTokenKind::Key
            | YamlTokenKind::Value
            | YamlTokenKind::BlockEnd => self.absent(ParserState::IndentlessSequenceEntry, mark),
            _ => self.node_then(
                ParserState::IndentlessSequenceEntry,
                token,
                Surroundings::Block,
            ),
        }
    }

    fn block_mapping_first_key(&mut self) -> Result<Event, Refusal> {
        self.open()?;
        self.block_mapping_key()
    }

    fn block_mapping_key(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        match token.kind {
            YamlTokenKind::Key => {
                let mark = token.end;
                let token = self.take_and_peek()?;
                match token.kind {
                    YamlTokenKind::Key | YamlTokenKind::Value | YamlTokenKind::BlockEnd => {
                        self.absent(ParserState::BlockMappingValue, mark)
                    }
                    _ => self.node_then(
                        ParserState::BlockMappingValue,
                        token,
                        Surroundings::BlockMapping,
                    ),
                }
            }
            YamlTokenKind::BlockEnd => Ok(self.close(EventKind::MappingEnd, token)),
            _ => self.error(
                Some(Construct::BlockMapping),
                self.context_mark(),
                Problem::ExpectedKey,
                token.start,
            ),
        }
    }

    fn block_mapping_value(&mut self) -> Result<Event, Refusal> {
        let token = self.scanner.peek()?;
        if token.kind != YamlTokenKind::Value {
            return self.absent(ParserState::BlockMappingKey, token.start);
        }
        let mark = token.end;
        let token = self.take_and_peek()?;
        match token.kind {
            YamlTokenKind::Key | YamlTokenKind::Value | YamlTokenKind::BlockEnd => {
                self.absent(ParserState::BlockMappingKey, mark)
            }
            _ => self.node_then(
                ParserState::BlockMappingKey,
                token,
                Surroundings::BlockMapping,
            ),
        }
    }
}

//! Builds the tree of the first document from events, as go-yaml builds its nodes.
//!
//! kubectl reads only the first document of a text, and so does this module. `decode.rs` handles aliases, merge keys and keys
//! that are not strings.

use super::error::{ErrorStage, YamlError};
use super::parser::{Event, EventKind, Reader};
use super::problem::Problem;
use super::resolve::{self, ScalarValue};
use super::token::{self, TokenText};
use crate::source::Span;
use crate::tree::{Entry, Kind, Node, NodeId, Str, Style, Tree};
use std::collections::BTreeMap;

/// One entry of a mapping as written, before merge keys are resolved.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawEntry {
    pub key: RawKey,
    pub key_span: Span,
    pub value: NodeId,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum RawKey {
    /// A scalar key converted to a string, and its original value.
    Scalar(Str, ScalarValue),
    /// `<<`.
    Merge,
    /// Anything else: an alias, a collection, null, a number beyond 64 bits, a scalar that fails.
    Node(NodeId),
}

/// The results of composing besides the tree.
#[derive(Debug, Default)]
pub(super) struct ComposeNotes {
    /// The root; `None` without a document.
    pub root: Option<NodeId>,
    /// Mappings with a merge key or a key that is not a plain scalar, in the order of their ends. Their entries are here and not
    /// yet in the tree.
    pub special: Vec<(NodeId, Vec<RawEntry>)>,
    /// Keys that were converted to a string, by the start of their span, ascending.
    pub converted_keys: Vec<(u32, ScalarValue)>,
    /// Scalars that cannot be decoded, ascending, with go-yaml's messages.
    pub faults: Vec<(NodeId, Problem)>,
    /// True if a float is infinite or NaN.
    pub unprintable_floats: bool,
    /// True when there is an alias.
    pub aliases: bool,
    /// The start of the token that ended the document, and whether it is `...`.
    pub end: Option<(u32, bool)>,
}

impl ComposeNotes {
    /// Returns true if nothing is left to decode: no alias, no merge key, no key or scalar that decoding could refuse.
    pub fn is_plain(&self) -> bool {
        self.special.is_empty()
            && self.faults.is_empty()
            && !self.aliases
            && !self.unprintable_floats
    }

    /// Returns the original value of the key that begins at `start`, if it was not a string.
    pub fn converted(&self, start: u32) -> Option<ScalarValue> {
        let at = self
            .converted_keys
            .binary_search_by_key(&start, |(start, _)| *start)
            .ok()?;
        self.converted_keys.get(at).map(|(_, value)| *value)
    }

    /// Returns for each node of a tree its index in `special`.
    pub fn special_by_node(&self, nodes: usize) -> Vec<Option<usize>> {
        let mut special = vec![None; if self.special.is_empty() { 0 } else { nodes }];
        for (index, (node, _)) in self.special.iter().enumerate() {
            if let Some(slot) = special.get_mut(node.0 as usize) {
                *slot = Some(index);
            }
        }
        special
    }

    /// Returns why a scalar cannot be decoded.
    pub fn fault(&self, node: NodeId) -> Option<&Problem> {
        let at = self
            .faults
            .binary_search_by_key(&node, |(node, _)| *node)
            .ok()?;
        self.faults.get(at).map(|(_, problem)| problem)
    }
}

enum Frame {
    Seq {
        node: NodeId,
        first: usize,
        flow: bool,
    },
    Map {
        node: NodeId,
        first: usize,
        special: bool,
        flow: bool,
        key: Option<(RawKey, Span)>,
    },
}

struct Composer<'r, 's> {
    reader: &'r mut Reader<'s>,
    tree: &'r mut Tree<'s>,
    found: ComposeNotes,
    frames: Vec<Frame>,
    items: Vec<NodeId>,
    entries: Vec<RawEntry>,
    anchors: BTreeMap<String, NodeId>,
    /// The end of the text: no span goes beyond.
    end: u32,
    bounds: Bounds,
}

/// The limits on a document.
///
/// ```
/// use claimkit_yaml::yaml::{Bounds, read};
///
/// assert!(read("[[1]]", Bounds::new(10, 100)).error.is_none());
/// assert!(read("[[1]]", Bounds::new(1, 100)).error.is_some());
/// assert!(read("[[1]]", Bounds::new(10, 2)).error.is_some());
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Bounds {
    /// Nesting of collections (go-yaml itself stops at 10 000).
    pub depth: usize,
    /// Nodes of the tree.
    pub nodes: usize,
}

impl Bounds {
    /// Returns the bounds of a document of at most `nodes` nodes that nest at most `depth` deep. go-yaml's own nesting limit counts
    /// brackets and indentation separately and has its own messages, so a `depth` of 10,000 or more is not enforced here.
    pub fn new(depth: usize, nodes: usize) -> Self {
        let depth = if depth >= super::scanner::MAX_DEPTH {
            usize::MAX
        } else {
            depth
        };
        Bounds { depth, nodes }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            depth: usize::MAX,
            nodes: usize::MAX,
        }
    }
}

/// Composes the reader's first document into `tree`.
pub(super) fn compose<'s>(
    reader: &mut Reader<'s>,
    tree: &mut Tree<'s>,
    end: usize,
    bounds: Bounds,
) -> Result<ComposeNotes, Box<YamlError>> {
    let mut composer = Composer {
        reader,
        tree,
        found: ComposeNotes::default(),
        frames: Vec::new(),
        items: Vec::new(),
        entries: Vec::new(),
        anchors: BTreeMap::new(),
        end: end as u32,
        bounds,
    };
    composer.document()?;
    Ok(composer.found)
}

pub(super) fn style(style: token::ScalarStyle) -> Style {
    match style {
        token::ScalarStyle::Plain => Style::Plain,
        token::ScalarStyle::SingleQuoted => Style::SingleQuoted,
        token::ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        token::ScalarStyle::Literal => Style::Literal,
        token::ScalarStyle::Folded => Style::Folded,
    }
}

pub(super) fn str_of(text: TokenText) -> Str {
    let span = Span {
        start: text.start,
        end: text.end,
    };
    if text.buffered {
        Str::Decoded(span)
    } else {
        Str::Source(span)
    }
}

impl Composer<'_, '_> {
    fn document(&mut self) -> Result<(), Box<YamlError>> {
        self.reader.next_event()?;
        if self.reader.next_event()?.kind == EventKind::StreamEnd {
            return Ok(());
        }
        loop {
            let event = self.reader.next_event()?;
            self.check_bounds(&event)?;
            match event.kind {
                EventKind::Scalar => self.scalar(&event),
                EventKind::Alias => self.alias(&event)?,
                EventKind::SequenceStart | EventKind::MappingStart => self.open(&event),
                EventKind::SequenceEnd | EventKind::MappingEnd => self.close(&event),
                EventKind::DocumentEnd => {
                    self.found.end = Some((event.start.offset.min(self.end), !event.implicit));
                    return Ok(());
                }
                EventKind::StreamStart | EventKind::StreamEnd | EventKind::DocumentStart => {
                    return Ok(());
                }
            }
        }
    }

    fn check_bounds(&self, event: &Event) -> Result<(), Box<YamlError>> {
        let problem = if self.tree.len() > self.bounds.nodes {
            Problem::TooManyNodes {
                allowed: self.bounds.nodes,
            }
        } else if self.frames.len() > self.bounds.depth {
            Problem::TooManyLevels {
                allowed: self.bounds.depth,
            }
        } else {
            return Ok(());
        };
        Err(YamlError::plain(ErrorStage::Limit, problem, event.start))
    }

    fn span(&self, start: u32, end: u32) -> Span {
        let first = start.min(self.end);
        Span {
            start: first,
            end: end.min(self.end).max(first),
        }
    }

    /// Makes the node of an event; `properties` is empty when it has no anchor and no tag.
    fn node(&self, event: &Event, kind: Kind, style: Style) -> Node {
        let properties = if event.properties_end.offset > event.start.offset {
            self.span(event.start.offset, event.properties_end.offset)
        } else {
            Span::default()
        };
        Node {
            span: self.span(event.content.offset, event.end.offset),
            kind,
            style,
            properties,
        }
    }

    fn anchor(&mut self, event: &Event, node: NodeId) {
        if !event.anchor.is_empty() {
            let name = self.reader.text(event.anchor).to_owned();
            self.anchors.insert(name, node);
        }
    }

    /// Returns true when the next node is a key.
    fn wants_key(&self) -> bool {
        matches!(self.frames.last(), Some(Frame::Map { key: None, .. }))
    }

    fn alias(&mut self, event: &Event) -> Result<(), Box<YamlError>> {
        let name = self.reader.text(event.anchor);
        let Some(&target) = self.anchors.get(name) else {
            let problem = Problem::UnknownAnchor {
                name: name.to_owned(),
            };
            return Err(YamlError::plain(ErrorStage::Decode, problem, event.start));
        };
        let node = self
            .tree
            .push(self.node(event, Kind::Alias(target), Style::Plain));
        self.found.aliases = true;
        if self.wants_key() {
            self.set_key(RawKey::Node(node), self.tree.span(node));
        } else {
            self.put(node);
        }
        Ok(())
    }

    fn scalar(&mut self, event: &Event) {
        let text = self.reader.text(event.value);
        let tag = self.reader.text(event.tag);
        let resolved = if event.tag.is_empty() && !event.implicit {
            Ok(ScalarValue::Text)
        } else {
            resolve::resolve(tag, text, event.implicit)
        };
        let binary = tag == "tag:yaml.org,2002:binary";
        let merge = text == "<<" && (event.implicit || tag == "tag:yaml.org,2002:merge");
        let mut value_text = str_of(event.value);
        let mut fault = None;
        let resolved = match resolved {
            Ok(_) if binary => {
                match resolve::binary(text) {
                    Some(bytes) => {
                        let buffer = &mut self.reader.scanner.buffer;
                        let start = buffer.len();
                        buffer.push_str(&bytes);
                        value_text = Str::Decoded(Span::new(start, buffer.len()));
                    }
                    None => fault = Some(Problem::InvalidBase64),
                }
                ScalarValue::Text
            }
            Ok(value) => value,
            Err(problem) => {
                fault = Some(problem);
                ScalarValue::Null
            }
        };
        if self.wants_key() {
            let span = self.span(event.content.offset, event.end.offset);
            let converted = match fault {
                Some(_) => None,
                None => self.converted_key(event.value, resolved, value_text),
            };
            match converted {
                _ if merge => self.set_key(RawKey::Merge, span),
                Some(key) if event.anchor.is_empty() => {
                    if resolved != ScalarValue::Text {
                        self.found.converted_keys.push((span.start, resolved));
                    }
                    self.set_key(RawKey::Scalar(key, resolved), span);
                }
                _ => {
                    let node = self.scalar_node(event, resolved, value_text, fault);
                    self.set_key(RawKey::Node(node), span);
                }
            }
        } else {
            let node = self.scalar_node(event, resolved, value_text, fault);
            self.put(node);
        }
    }

    fn scalar_node(
        &mut self,
        event: &Event,
        value: ScalarValue,
        text: Str,
        fault: Option<Problem>,
    ) -> NodeId {
        let kind = match value {
            ScalarValue::Null => Kind::Null,
            ScalarValue::Bool(value) => Kind::Bool(value),
            ScalarValue::Int(value) => Kind::Int(value),
            ScalarValue::Uint(value) => Kind::Uint(value),
            ScalarValue::Float(value) => {
                self.found.unprintable_floats |= !value.is_finite();
                Kind::Float(value)
            }
            ScalarValue::Text => Kind::Str(text),
        };
        let node = self.tree.push(self.node(event, kind, style(event.style)));
        self.anchor(event, node);
        if let Some(problem) = fault {
            self.found.faults.push((node, problem));
        }
        node
    }

    /// Returns a key as a string; `None` if its value is not one that JSON has for keys.
    fn converted_key(&mut self, source: TokenText, value: ScalarValue, text: Str) -> Option<Str> {
        match value {
            ScalarValue::Null | ScalarValue::Uint(_) => None,
            ScalarValue::Text => Some(text),
            ScalarValue::Bool(true) => Some(self.key_text(source, "true")),
            ScalarValue::Bool(false) => Some(self.key_text(source, "false")),
            ScalarValue::Int(int) => Some(self.key_text(source, &int.to_string())),
            ScalarValue::Float(float) => Some(self.key_text(source, &resolve::float_key(float))),
        }
    }

    /// Returns the converted text of a key: the source itself when it says the same.
    fn key_text(&mut self, source: TokenText, text: &str) -> Str {
        if self.reader.text(source) == text {
            return str_of(source);
        }
        let buffer = &mut self.reader.scanner.buffer;
        let start = buffer.len();
        buffer.push_str(text);
        Str::Decoded(Span::new(start, buffer.len()))
    }

    fn open(&mut self, event: &Event) {
        let style = if event.flow {
            Style::Flow
        } else {
            Style::Block
        };
        let node = self.tree.push(self.node(event, Kind::Null, style));
        self.anchor(event, node);
        self.frames.push(if event.kind == EventKind::SequenceStart {
            Frame::Seq {
                node,
                first: self.items.len(),
                flow: event.flow,
            }
        } else {
            Frame::Map {
                node,
                first: self.entries.len(),
                special: false,
                flow: event.flow,
                key: None,
            }
        });
    }

    fn close(&mut self, event: &Event) {
        let (node, kind, flow, last) = match self.frames.pop() {
            Some(Frame::Seq { node, first, flow }) => {
                let last = self.items.get(first..).and_then(<[NodeId]>::last).copied();
                let kind = self.tree.store_items(self.items.drain(first..));
                (node, kind, flow, last)
            }
            Some(Frame::Map {
                node,
                first,
                special,
                flow,
                ..
            }) => {
                let last = self
                    .entries
                    .get(first..)
                    .and_then(<[RawEntry]>::last)
                    .map(|entry| entry.value);
                let raw = self.entries.drain(first..);
                let kind = if special {
                    self.found.special.push((node, raw.collect()));
                    Kind::Map { first: 0, len: 0 }
                } else {
                    self.tree.swap_decoded(&mut self.reader.scanner.buffer);
                    let entries = raw.filter_map(|entry| match entry.key {
                        RawKey::Scalar(key, _) => Some(Entry {
                            key,
                            key_span: entry.key_span,
                            value: entry.value,
                            shadowed: false,
                            merged: false,
                        }),
                        _ => None,
                    });
                    let kind = self.tree.store_entries(entries);
                    self.tree.swap_decoded(&mut self.reader.scanner.buffer);
                    kind
                };
                (node, kind, flow, last)
            }
            None => return,
        };
        let mut whole = self.tree.node(node);
        whole.kind = kind;
        // A block collection ends where its last value ends, a pair in a flow sequence too.
        let bracket = flow && event.end.offset > event.start.offset;
        whole.span.end = match last {
            Some(last) if !bracket => self.end_of(last).max(whole.span.end),
            _ => self.span(event.start.offset, event.end.offset).end,
        };
        self.tree.set(node, whole);
        if self.wants_key() {
            self.set_key(RawKey::Node(node), whole.span);
        } else {
            self.put(node);
        }
    }

    fn end_of(&self, node: NodeId) -> u32 {
        let node = self.tree.node(node);
        node.span.end.max(node.properties.end)
    }

    fn set_key(&mut self, key: RawKey, span: Span) {
        if let Some(Frame::Map {
            key: slot, special, ..
        }) = self.frames.last_mut()
        {
            *special |= !matches!(key, RawKey::Scalar(..));
            *slot = Some((key, span));
        }
    }

    /// Puts a finished node in its place: the root, an item, or the value of the pending key.
    fn put(&mut self, node: NodeId) {
        match self.frames.last_mut() {
            None => self.found.root = Some(node),
            Some(Frame::Seq { .. }) => self.items.push(node),
            Some(Frame::Map { key, .. }) => {
                if let Some((key, key_span)) = key.take() {
                    self.entries.push(RawEntry {
                        key,
                        key_span,
                        value: node,
                    });
                }
            }
        }
    }
}

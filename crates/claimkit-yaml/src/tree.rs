//! The lossless tree of one document: each node has its span, style and resolved value.
//!
//! An arena: nodes, sequence items and map entries lie in three vectors; a handle is an index.
//! Values are those after kubectl's YAML-to-JSON step; spans refer to the text.

use super::source::Span;
use claimkit_values::order;

/// A node's handle in its [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

/// The style in which a node is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Style {
    /// Unquoted scalar (also numbers, booleans and null of JSON, and empty nodes).
    #[default]
    Plain,
    /// `'…'`
    SingleQuoted,
    /// `"…"`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
    /// Sequence or mapping by indentation.
    Block,
    /// `[…]` or `{…}`.
    Flow,
}

/// A string: a span of the source, or of the tree's buffer if escapes or folding changed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Str {
    /// Verbatim in the source.
    Source(Span),
    /// A span of the tree's buffer of decoded text.
    Decoded(Span),
}

/// The value of a node after resolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `null`, also an empty node.
    Null,
    /// A boolean value (`bool`).
    Bool(bool),
    /// A YAML integer that fits 64 signed bits.
    Int(i64),
    /// A YAML integer above that, up to 64 unsigned bits.
    Uint(u64),
    /// A YAML floating-point number (finite).
    Float(f64),
    /// A JSON number: its literal, in the source.
    Number(Span),
    /// A string of Unicode text.
    Str(Str),
    /// A sequence: a range in the tree's items.
    Seq {
        /// Index of the first item.
        first: u32,
        /// The number of items.
        len: u32,
    },
    /// A mapping: a range in the tree's entries, in source order.
    Map {
        /// Index of the first entry.
        first: u32,
        /// Number of entries, shadowed ones included.
        len: u32,
    },
    /// `*name`: the node with that anchor.
    Alias(NodeId),
}

/// A node of the tree.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The node's own text: quotes and brackets included; tag and anchor not. Of a block scalar: from `|` or `>` to the
    /// end of its last line.
    pub span: Span,
    /// The value of the node.
    pub kind: Kind,
    /// The style in which it is written.
    pub style: Style,
    /// The text of its tag and anchor, empty if it has none.
    pub properties: Span,
}

/// One entry of a mapping.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The key after conversion to a string.
    pub key: Str,
    /// The span of the key; for an entry from a merge key, the span of `<<`.
    pub key_span: Span,
    /// The value of the entry.
    pub value: NodeId,
    /// True if a later entry with the same key replaces this one (the last one wins).
    pub shadowed: bool,
    /// True if the entry comes from a merge key (`<<`).
    pub merged: bool,
}

/// A mapping with at most this many entries is searched linearly.
const SMALL_MAP: usize = 16;

/// The tree of one document.
///
/// ```
/// use claimkit_yaml::yaml::{Bounds, read};
/// use claimkit_yaml::{Kind, Style};
///
/// let document = read("spec: &s {count: 2}\nalso: *s\nnames: [a, 'b']\n", Bounds::default());
/// let (tree, root) = (&document.tree, document.root.unwrap());
/// let spec = tree.get(root, "spec").unwrap();
/// assert!(tree.is_map(spec));
/// assert_eq!(tree.kind(tree.get(spec, "count").unwrap()), Kind::Int(2));
/// let keys: Vec<&str> = tree.entries(root).iter().map(|entry| tree.text(entry.key)).collect();
/// assert_eq!(keys, ["spec", "also", "names"]);
///
/// // An alias reads as the node with its anchor.
/// let also = tree.entry(root, "also").unwrap().value;
/// assert!(tree.has_aliases() && matches!(tree.node(also).kind, Kind::Alias(_)));
/// assert_eq!(tree.resolve(also), spec);
///
/// // Each node has its place in the text.
/// let last = tree.items(tree.get(root, "names").unwrap())[1];
/// assert_eq!((tree.str(last), tree.node(last).style), (Some("b"), Style::SingleQuoted));
/// let span = tree.span(last);
/// assert_eq!(&tree.source()[span.from()..span.to()], "'b'");
/// assert!(!tree.has_shadowed() && !tree.is_empty());
/// assert_eq!(tree.ids().count(), tree.len());
/// ```
///
/// ```
/// use claimkit_yaml::print::{self, Order};
/// use claimkit_yaml::{Entry, Kind, Span, Style, Tree};
///
/// // Trees are also built, to be printed.
/// let mut tree = Tree::new("");
/// let one = tree.add(Kind::Int(1), Span::default(), Style::Plain);
/// let list = tree.store_items([one]);
/// let value = tree.add(list, Span::default(), Style::Flow);
/// let key = tree.store("counts");
/// let map = tree.store_entries([Entry { key, key_span: Span::default(), value, shadowed: false, merged: false }]);
/// let root = tree.add(map, Span::default(), Style::Block);
/// let mut json = String::new();
/// assert!(print::json(&tree, root, Order::Source, usize::MAX, &mut json));
/// assert_eq!(json, r#"{"counts":[1]}"#);
/// ```
#[derive(Debug, Clone)]
pub struct Tree<'s> {
    source: &'s str,
    decoded: String,
    nodes: Vec<Node>,
    items: Vec<NodeId>,
    entries: Vec<Entry>,
    /// For each mapping with more than [`SMALL_MAP`] entries: its first entry, and its entries sorted by key.
    indexed: Vec<(u32, Vec<u32>)>,
    has_aliases: bool,
    /// The comments of the document in order, with `#` and without the line break.
    pub comments: Vec<Span>,
}

impl<'s> Tree<'s> {
    /// Makes an empty tree over the text of a whole file.
    pub fn new(source: &'s str) -> Self {
        Tree {
            source,
            decoded: String::new(),
            nodes: Vec::new(),
            items: Vec::new(),
            entries: Vec::new(),
            indexed: Vec::new(),
            has_aliases: false,
            comments: Vec::new(),
        }
    }

    // ---- building ----

    /// Reserves the usual number of nodes for a text of this many bytes.
    pub(super) fn reserve(&mut self, bytes: usize) {
        self.nodes.reserve(bytes / 32);
        self.entries.reserve(bytes / 32);
    }

    /// Adds a node.
    #[inline(always)]
    pub(crate) fn push(&mut self, node: Node) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.has_aliases |= matches!(node.kind, Kind::Alias(_));
        self.nodes.push(node);
        id
    }

    /// Adds a node without tag or anchor.
    pub fn add(&mut self, kind: Kind, span: Span, style: Style) -> NodeId {
        self.push(Node {
            span,
            kind,
            style,
            properties: Span::default(),
        })
    }

    /// Replaces a node.
    pub(crate) fn set(&mut self, id: NodeId, node: Node) {
        if let Some(place) = self.nodes.get_mut(id.0 as usize) {
            *place = node;
        }
    }

    /// Swaps the buffer of decoded text with a reader's buffer.
    pub(crate) fn swap_decoded(&mut self, decoded: &mut String) {
        std::mem::swap(&mut self.decoded, decoded);
    }

    /// Stores decoded text.
    pub fn store(&mut self, text: &str) -> Str {
        let start = self.decoded.len();
        self.decoded.push_str(text);
        Str::Decoded(Span::new(start, self.decoded.len()))
    }

    /// Stores the items of a sequence, in order.
    pub fn store_items(&mut self, items: impl IntoIterator<Item = NodeId>) -> Kind {
        let first = self.items.len();
        self.items.extend(items);
        let len = self.items.len().saturating_sub(first);
        Kind::Seq {
            first: u32::try_from(first).unwrap_or(u32::MAX),
            len: u32::try_from(len).unwrap_or(0),
        }
    }

    /// Stores the entries of a mapping in source order, and marks entries that a later duplicate replaces.
    pub fn store_entries(&mut self, entries: impl IntoIterator<Item = Entry>) -> Kind {
        let first = self.entries.len();
        self.entries.extend(entries);
        let len = self.entries.len().saturating_sub(first);
        self.mark_shadowed(first);
        Kind::Map {
            first: u32::try_from(first).unwrap_or(u32::MAX),
            len: u32::try_from(len).unwrap_or(0),
        }
    }

    fn mark_shadowed(&mut self, first: usize) {
        let Tree {
            source,
            decoded,
            entries,
            ..
        } = self;
        let Some(slice) = entries.get_mut(first..) else {
            return;
        };
        if slice.len() <= SMALL_MAP {
            // Compares only keys with the same length and first letter, which are rare.
            let mut marks = [0u32; SMALL_MAP];
            for at in 0..slice.len() {
                let Some(key) = slice.get(at).map(|entry| entry.key) else {
                    return;
                };
                let (span, holder) = match key {
                    Str::Source(span) => (span, source.as_bytes()),
                    Str::Decoded(span) => (span, decoded.as_bytes()),
                };
                let letter = holder.get(span.from()).map_or(0, |&byte| u32::from(byte));
                let mark = letter | (span.len() as u32).wrapping_shl(8);
                for (earlier, other) in marks.iter().take(at).enumerate() {
                    if *other == mark
                        && let Some(entry) = slice.get_mut(earlier)
                        && str_of(source, decoded, entry.key) == str_of(source, decoded, key)
                    {
                        entry.shadowed = true;
                    }
                }
                if let Some(place) = marks.get_mut(at) {
                    *place = mark;
                }
            }
            return;
        }
        self.mark_shadowed_of_many(first);
    }

    fn mark_shadowed_of_many(&mut self, first: usize) {
        let Tree {
            source,
            decoded,
            entries,
            indexed,
            ..
        } = self;
        let Some(slice) = entries.get_mut(first..) else {
            return;
        };
        let count = u32::try_from(slice.len()).unwrap_or(u32::MAX);
        let mut order: Vec<u32> = (0..count).collect();
        let key_at = |slice: &[Entry], at: u32| {
            let entry = slice.get(at as usize);
            entry.map_or("", |entry| str_of(source, decoded, entry.key))
        };
        // The sort is stable: of equal keys the last one in the source stays last.
        order::sort_by(&mut order, |&a, &b| key_at(slice, a).cmp(key_at(slice, b)));
        for pair in order.windows(2) {
            if let &[a, b] = pair
                && key_at(slice, a) == key_at(slice, b)
                && let Some(entry) = slice.get_mut(a as usize)
            {
                entry.shadowed = true;
            }
        }
        indexed.push((u32::try_from(first).unwrap_or(u32::MAX), order));
    }

    /// Returns the entry with `key` in a mapping that is large enough to be indexed.
    fn find(&self, first: u32, entries: &[Entry], key: &str) -> Option<usize> {
        let at = self
            .indexed
            .binary_search_by_key(&first, |(first, _)| *first)
            .ok()?;
        let (_, order) = self.indexed.get(at)?;
        let text_of = |at: u32| {
            entries
                .get(at as usize)
                .map_or("", |entry| self.text(entry.key))
        };
        let after = order.partition_point(|&at| text_of(at) <= key);
        let found = order.get(after.checked_sub(1)?).copied()?;
        (text_of(found) == key).then_some(found as usize)
    }

    // ---- reading ----

    /// Returns true if any mapping has a key twice.
    pub fn has_shadowed(&self) -> bool {
        self.entries.iter().any(|entry| entry.shadowed)
    }

    /// Returns the whole text of the file this tree was read from.
    pub fn source(&self) -> &'s str {
        self.source
    }

    /// Returns the text of the file under a span; empty if the span does not fit.
    ///
    /// ```
    /// use claimkit_yaml::yaml::{Bounds, read};
    ///
    /// let document = read("a: 'b c'\n", Bounds::default());
    /// let value = document.tree.get(document.root.unwrap(), "a").unwrap();
    /// assert_eq!(document.tree.slice(document.tree.span(value)), "'b c'");
    /// ```
    pub fn slice(&self, span: Span) -> &'s str {
        span.slice_of(self.source).unwrap_or("")
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Iterates over the handles of all nodes.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(NodeId)
    }

    /// Returns true if the document has an alias. Without aliases the text of a node is its whole value.
    pub fn has_aliases(&self) -> bool {
        self.has_aliases
    }

    /// Returns the node as written: an alias stays an alias.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes.get(id.0 as usize).copied().unwrap_or(Node {
            span: Span::default(),
            kind: Kind::Null,
            style: Style::Plain,
            properties: Span::default(),
        })
    }

    /// Returns the node of a handle; follows an alias.
    pub fn resolve(&self, id: NodeId) -> NodeId {
        match self.own_kind(id) {
            Kind::Alias(target) => target,
            _ => id,
        }
    }

    /// Returns the kind of the node after following aliases (never `Kind::Alias`).
    #[inline]
    pub fn kind(&self, id: NodeId) -> Kind {
        match self.own_kind(id) {
            Kind::Alias(target) => self.own_kind(target),
            kind => kind,
        }
    }

    #[inline]
    fn own_kind(&self, id: NodeId) -> Kind {
        self.nodes
            .get(id.0 as usize)
            .map_or(Kind::Null, |node| node.kind)
    }

    /// Returns the node's own text as written (an alias: `*name`).
    pub fn span(&self, id: NodeId) -> Span {
        self.nodes
            .get(id.0 as usize)
            .map(|node| node.span)
            .unwrap_or_default()
    }

    /// Returns the text of a string.
    pub fn text(&self, s: Str) -> &str {
        str_of(self.source, &self.decoded, s)
    }

    /// Returns true if a string has this text.
    fn is(&self, s: Str, text: &str) -> bool {
        self.text(s) == text
    }

    /// Returns the items of a sequence; nothing for other nodes.
    pub fn items(&self, id: NodeId) -> &[NodeId] {
        match self.kind(id) {
            Kind::Seq { first, len } => {
                let (from, to) = (
                    first as usize,
                    (first as usize).saturating_add(len as usize),
                );
                self.items.get(from..to).unwrap_or(&[])
            }
            _ => &[],
        }
    }

    /// Returns all entries of a mapping in source order, shadowed ones included; nothing for other nodes.
    pub fn entries(&self, id: NodeId) -> &[Entry] {
        match self.kind(id) {
            Kind::Map { first, len } => {
                let (from, to) = (
                    first as usize,
                    (first as usize).saturating_add(len as usize),
                );
                self.entries.get(from..to).unwrap_or(&[])
            }
            _ => &[],
        }
    }

    /// Returns the effective entry of a mapping for `key` (the last one).
    pub fn entry(&self, id: NodeId, key: &str) -> Option<&Entry> {
        let entries = self.entries(id);
        if entries.len() <= SMALL_MAP {
            return entries.iter().rfind(|entry| self.is(entry.key, key));
        }
        match self.kind(id) {
            Kind::Map { first, .. } => self
                .find(first, entries, key)
                .and_then(|at| entries.get(at)),
            _ => None,
        }
    }

    /// Returns the value of `key` in a mapping.
    pub fn get(&self, id: NodeId, key: &str) -> Option<NodeId> {
        self.entry(id, key).map(|entry| entry.value)
    }

    /// Visits a node and everything in it, depth first and in the order of the text. `visit` gets each node with its key, if it is the
    /// value of one, and returns whether to visit what is in it. Aliases are visited as they are written: what they name is not.
    ///
    /// ```
    /// use claimkit_yaml::yaml::{Bounds, read};
    ///
    /// let document = read("a: [1, {b: 2}]\nc: 3\n", Bounds::default());
    /// let mut keys = Vec::new();
    /// document.tree.walk(document.root.unwrap(), &mut |_, key| {
    ///     keys.extend(key.map(|key| document.tree.text(key.key).to_owned()));
    ///     true
    /// });
    /// assert_eq!(keys, ["a", "b", "c"]);
    /// ```
    pub fn walk(&self, node: NodeId, visit: &mut dyn FnMut(NodeId, Option<&Entry>) -> bool) {
        let mut waiting: Vec<(NodeId, Option<&Entry>)> = vec![(node, None)];
        while let Some((node, entry)) = waiting.pop() {
            if !visit(node, entry) || self.resolve(node) != node {
                continue;
            }
            let entries = self.entries(node).iter();
            waiting.extend(entries.rev().map(|entry| (entry.value, Some(entry))));
            let items = self.items(node).iter();
            waiting.extend(items.rev().map(|item| (*item, None)));
        }
    }

    /// Returns the string a node holds, if it is one.
    pub fn str(&self, id: NodeId) -> Option<&str> {
        match self.kind(id) {
            Kind::Str(s) => Some(self.text(s)),
            _ => None,
        }
    }

    /// Returns true if the node is a mapping (aliases followed).
    pub fn is_map(&self, id: NodeId) -> bool {
        matches!(self.kind(id), Kind::Map { .. })
    }
}

#[inline]
fn str_of<'a>(source: &'a str, decoded: &'a str, s: Str) -> &'a str {
    match s {
        Str::Source(span) => span.slice_of(source).unwrap_or(""),
        Str::Decoded(span) => span.slice_of(decoded).unwrap_or(""),
    }
}

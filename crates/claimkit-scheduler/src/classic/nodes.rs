//! A prepared node set: names and labels of nodes, read once, judged many times.
//!
//! Labels lie by column: per key the distinct values, and per node which of them it has. So a requirement looks at each
//! distinct value once, whatever the number of nodes, and ten thousand nodes with the same labels keep their texts once.

use crate::classic::scan::{self, ScannedNode};
use claimkit_model::finding::{Code, Finding, Severity, TextField};
use claimkit_model::limits::Limits;
use claimkit_model::message::{Message, Template, message, template};
use claimkit_model::text::located;
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use claimkit_model::text::{self, Source, SourceText, Span};
use claimkit_values::order;
use std::collections::BTreeMap;

/// No value: the node lacks the label.
const ABSENT: u32 = u32::MAX;
/// Help: which input to give as Nodes.
const NODES: Template = template!(
    "node.text-help",
    "give what `kubectl get nodes -o json` prints"
);
/// Maximum number of findings about one text with Nodes.
const MAX_FINDINGS: usize = 20;

/// A piece of the store.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: u32,
    len: u32,
}

/// A range of one of the set's vectors.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: u32,
    len: u32,
}

impl Part {
    fn of<T>(self, all: &[T]) -> &[T] {
        let start = self.start as usize;
        all.get(start..start.saturating_add(self.len as usize))
            .unwrap_or(&[])
    }

    /// Makes a part of the end of a vector from some length on.
    fn since<T>(start: usize, all: &[T]) -> Self {
        Part {
            start: index_of(start),
            len: index_of(all.len().saturating_sub(start)),
        }
    }
}

fn index_of(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// One label key. All columns share the set's vectors: a column of its own allocations costs more than most labels.
#[derive(Clone, Copy, Debug)]
struct Column {
    key: Piece,
    /// Distinct values, in the order they were met.
    values: Part,
    /// The values of each node.
    cells: Cells,
}

/// Index of a node's value in its column.
#[derive(Clone, Copy, Debug)]
enum Cells {
    /// For every node; [`ABSENT`] where it has none.
    All(Part),
    /// For those nodes that have one: node and value, by node.
    Some(Part),
}

/// Nodes, ready to be judged.
///
/// ```
/// use claimkit::{Limits, PreparedNodes};
///
/// let text = "
/// apiVersion: v1
/// kind: List
/// items:
/// - {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {zone: a}}}
/// - {apiVersion: v1, kind: Node, metadata: {name: n2}}
/// ";
/// let nodes = PreparedNodes::read(text, &Limits::default());
/// assert!(nodes.findings().is_empty() && !nodes.is_empty());
/// assert_eq!((nodes.len(), nodes.name(0)), (2, "n1"));
/// assert_eq!(nodes.names().collect::<Vec<_>>(), ["n1", "n2"]);
/// assert_eq!(nodes.label("zone").unwrap().value(0), Some("a"));
/// assert_eq!(nodes.labels().map(|label| label.key()).collect::<Vec<_>>(), ["zone"]);
/// assert!(nodes.memory() < 10_000);
/// ```
#[derive(Clone, Debug, Default)]
pub struct PreparedNodes {
    store: String,
    names: Vec<Piece>,
    /// In the order of their keys.
    columns: Vec<Column>,
    values: Vec<Piece>,
    dense: Vec<u32>,
    sparse: Vec<(u32, u32)>,
    /// The set is the one nil node.
    nil: bool,
    /// The findings about the text.
    findings: Vec<located::LocatedFinding>,
}

/// One column of a prepared node set.
#[derive(Clone, Copy, Debug)]
pub struct LabelColumn<'n> {
    nodes: &'n PreparedNodes,
    column: &'n Column,
}

impl PreparedNodes {
    /// Makes one nil node: nothing matches it.
    pub fn nil() -> Self {
        PreparedNodes {
            names: vec![Piece { start: 0, len: 0 }],
            nil: true,
            ..PreparedNodes::default()
        }
    }

    /// Warns of bytes in a text that are not UTF-8; see [`located::not_utf8`]. `file`: its name, where there are several.
    #[doc(hidden)]
    pub fn with_replaced(
        mut self,
        text: &str,
        replaced: Option<usize>,
        file: Option<&str>,
    ) -> Self {
        self.findings
            .extend(replaced.map(|at| located::not_utf8(text, at, TextField::Nodes, file)));
        self
    }

    /// Reads Nodes from YAML or JSON: single, in a NodeList or List, any number of documents. Unusable input gives findings. In
    /// JSON, unneeded parts are skipped; only their brackets and quotes are checked. A text of several that cannot be read costs its
    /// own Nodes alone.
    pub fn read<'t>(text: impl Into<SourceText<'t>>, limits: &Limits) -> Self {
        let several = text.into();
        let text = several.text();
        let bytes = text.len();
        if bytes > limits.node_set_bytes {
            let limit = limits.node_set_bytes;
            let finding = Finding::new(
                Code::LimitBytes,
                message!(
                    "node.text-too-long",
                    "the text with Nodes has {bytes} bytes, the limit is {limit}",
                    bytes,
                    limit
                ),
            )
            .with_help(message!(
                "node.text-too-long-help",
                "give fewer Nodes, or only their `metadata`, or raise the limit `nodeSetBytes`"
            ))
            .with_command_help(message!(
                "node.text-too-long-command-help",
                "give fewer Nodes, or only their `metadata`"
            ));
            return PreparedNodes {
                findings: vec![placeless(finding)],
                ..PreparedNodes::default()
            };
        }
        let mut builder = Builder::default();
        if !several.parts().is_empty() {
            for part in several.parts() {
                let span = part.span();
                let text = span.slice_of(text).unwrap_or_default();
                builder.part(part.name(), text, limits);
            }
        } else if builder.text(text, limits).is_err() {
            // The text is malformed: read it again with the slower reader, which has the server's messages.
            builder = Builder::default();
            builder.tree_text(text, 0, limits);
        }
        builder.finish()
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns true if there is no node.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns true if the set is the one nil node.
    pub fn is_nil(&self) -> bool {
        self.nil
    }

    /// Returns the findings about the text.
    pub fn findings(&self) -> &[located::LocatedFinding] {
        &self.findings
    }

    fn text(&self, piece: Piece) -> &str {
        let start = piece.start as usize;
        self.store
            .get(start..start.saturating_add(piece.len as usize))
            .unwrap_or("")
    }

    /// Returns the name of a node; empty if it has none.
    pub fn name(&self, node: usize) -> &str {
        self.names.get(node).map_or("", |&piece| self.text(piece))
    }

    /// Returns the names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|&piece| self.text(piece))
    }

    /// Returns the first node with a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names().position(|have| have == name)
    }

    /// Returns the column of a label, if any node has it.
    pub fn label(&self, key: &str) -> Option<LabelColumn<'_>> {
        let at = self
            .columns
            .binary_search_by(|column| self.text(column.key).cmp(key))
            .ok()?;
        self.columns.get(at).map(|column| LabelColumn {
            nodes: self,
            column,
        })
    }

    /// Returns all labels, sorted by key.
    pub fn labels(&self) -> impl Iterator<Item = LabelColumn<'_>> {
        self.columns.iter().map(|column| LabelColumn {
            nodes: self,
            column,
        })
    }

    /// Returns the number of bytes this set holds in memory, its vectors' unused room included.
    pub fn memory(&self) -> usize {
        let size = |count: usize, each: usize| count.saturating_mul(each);
        [
            self.store.capacity(),
            size(self.names.capacity(), size_of::<Piece>()),
            size(self.columns.capacity(), size_of::<Column>()),
            size(self.values.capacity(), size_of::<Piece>()),
            size(self.dense.capacity(), size_of::<u32>()),
            size(self.sparse.capacity(), size_of::<(u32, u32)>()),
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }
}

impl<'n> LabelColumn<'n> {
    /// Returns its key.
    pub fn key(self) -> &'n str {
        self.nodes.text(self.column.key)
    }

    /// Returns its distinct values, in the order they were met.
    pub fn values(self) -> impl ExactSizeIterator<Item = &'n str> {
        self.column
            .values
            .of(&self.nodes.values)
            .iter()
            .map(move |&piece| self.nodes.text(piece))
    }

    /// Returns the value of a node.
    pub fn value(self, node: usize) -> Option<&'n str> {
        let value = match self.column.cells {
            Cells::All(cells) => cells.of(&self.nodes.dense).get(node).copied(),
            Cells::Some(cells) => {
                let node = u32::try_from(node).ok()?;
                let cells = cells.of(&self.nodes.sparse);
                let at = cells.binary_search_by_key(&node, |cell| cell.0).ok()?;
                cells.get(at).map(|cell| cell.1)
            }
        };
        let values = self.column.values.of(&self.nodes.values);
        value
            .and_then(|value| values.get(value as usize))
            .map(|&piece| self.nodes.text(piece))
    }

    /// Returns for every node the verdict on its value, given the verdicts on the distinct values and on having none.
    pub fn judge(self, verdicts: &[bool], absent: bool) -> crate::classic::bits::Bits {
        let of = |value: u32| verdicts.get(value as usize).copied().unwrap_or(absent);
        match self.column.cells {
            Cells::All(cells) => {
                crate::classic::bits::Bits::of(cells.of(&self.nodes.dense), |&value| of(value))
            }
            Cells::Some(cells) => {
                let mut bits = crate::classic::bits::Bits::new(self.nodes.len(), absent);
                cells
                    .of(&self.nodes.sparse)
                    .iter()
                    .for_each(|&(node, value)| bits.put(node as usize, of(value)));
                bits
            }
        }
    }
}

/// Places a finding about the Nodes, which has no position.
fn placeless(finding: Finding) -> located::LocatedFinding {
    located::finding(&Source::new(""), finding.about(TextField::Nodes))
}

/// Returns the text after the separator line that ends a stream of JSON values.
fn after_separator(rest: &str) -> &str {
    let rest = rest.trim_start();
    match rest.strip_prefix("---") {
        Some(after) => after.trim_start_matches(['-', ' ', '\t', '\r']),
        None => rest,
    }
}

/// Distinct values while reading.
#[derive(Debug, Default)]
struct Growing {
    key: String,
    values: BTreeMap<String, usize>,
    cells: Vec<(u32, u32)>,
    /// The value met last: labels often have one value on all nodes.
    last: (Box<str>, u32),
}

/// Collects nodes and their labels.
#[derive(Debug, Default)]
pub struct Builder {
    names: Vec<Box<str>>,
    keys: BTreeMap<String, usize>,
    columns: Vec<Growing>,
    /// Columns of the node before, in its order: the next node mostly has the same.
    order: Vec<usize>,
    findings: Vec<located::LocatedFinding>,
    /// The kind of the first object that is not a Node.
    skipped: Option<Box<str>>,
}

impl Builder {
    /// Adds a node, or a finding why it is unusable.
    pub fn node(&mut self, seen: &ScannedNode<'_>) {
        if !matches!(&*seen.kind, "Node" | "") {
            if self.skipped.is_none() {
                self.skipped = Some(seen.kind.as_ref().into());
                self.findings.push(placeless(Finding::new(
                    Code::NodeSkipped,
                    message!(
                        "node.skipped",
                        "a `{kind}` among the Nodes was passed over: only Nodes are read there",
                        kind = seen.kind
                    ),
                )));
            }
            return;
        }
        if seen.name.is_empty() {
            let message = match seen.mistyped.as_deref() {
                Some("metadata.name") => {
                    message!(
                        "node.name-mistyped",
                        "`metadata.name` of a Node is not a string"
                    )
                }
                _ => message!(
                    "node.name-missing",
                    "a Node without a name: nothing can be said of it"
                ),
            };
            // It is still added: with a bare selector it can be found by its index.
            self.unusable(message);
        } else if let Some(path) = &seen.mistyped
            && self.findings.len() < MAX_FINDINGS
        {
            let message = message!(
                "node.mistyped",
                "Node `{name}`: `{path}` is not a string and was left out",
                name = seen.name,
                path
            );
            let help = message!("node.mistyped-help", "quote the value: labels are strings");
            let finding = Finding::new(Code::NodeMistyped, message).with_help(help);
            self.findings.push(placeless(finding));
        }
        let node = u32::try_from(self.names.len()).unwrap_or(ABSENT);
        self.names.push(seen.name.as_ref().into());
        for (at, (key, value)) in seen.labels.iter().enumerate() {
            let column = self.column(at, key);
            if let Some(column) = self.columns.get_mut(column) {
                column.put(node, value);
            }
        }
    }

    /// Adds a finding for unusable input.
    fn unusable(&mut self, message: Message) {
        if self.findings.len() < MAX_FINDINGS {
            let finding = Finding::new(Code::NodeUnusable, message).with_help(NODES.text());
            self.findings.push(placeless(finding));
        }
    }

    fn column(&mut self, at: usize, key: &str) -> usize {
        if let Some(&guess) = self.order.get(at)
            && self
                .columns
                .get(guess)
                .is_some_and(|column| column.key == key)
        {
            return guess;
        }
        let column = match self.keys.get(key) {
            Some(&column) => column,
            None => {
                let column = self.columns.len();
                self.columns.push(Growing {
                    key: key.to_owned(),
                    ..Growing::default()
                });
                self.keys.insert(key.to_owned(), column);
                column
            }
        };
        match self.order.get_mut(at) {
            Some(place) => *place = column,
            None => self.order.push(column),
        }
        column
    }

    /// Reads one text of several.
    fn part(&mut self, name: &str, text: &str, limits: &Limits) {
        let before = self.findings.len();
        // What is read of JSON before its fault is not to stay.
        let is_readable =
            !text.trim_start().starts_with('{') || Builder::default().text(text, limits).is_ok();
        if !is_readable || self.text(text, limits).is_err() {
            self.tree_text(text, 0, limits);
        }
        for finding in self.findings.iter_mut().skip(before) {
            finding.file = Some(name.to_owned());
        }
    }

    /// Reads a text: JSON by skipping, anything else through trees.
    fn text(&mut self, text: &str, limits: &Limits) -> Result<(), scan::ScanRefusal> {
        let mut rest = text;
        // Files of JSON that were put together have `---` between them.
        while rest.trim_start().starts_with('{') {
            let end = scan::stream(rest, &mut |seen| self.node(seen))?;
            rest = after_separator(rest.get(end..).unwrap_or(""));
        }
        if !rest.trim().is_empty() {
            self.tree_text(text, text.len().saturating_sub(rest.len()), limits);
        }
        Ok(())
    }

    /// Reads a text through trees, from a byte on.
    fn tree_text(&mut self, whole: &str, start: usize, limits: &Limits) {
        let text = whole.get(start..).unwrap_or("");
        let limits = Limits {
            bytes: limits.bytes.max(limits.node_set_bytes),
            ..*limits
        };
        let file = text::read(text, &limits);
        for document in &file.documents {
            let tree = &document.tree;
            let Some(root) = document.root else { continue };
            if !matches!(tree.kind(root), Kind::Map { .. }) {
                self.unusable(why_no_object(tree, root));
                continue;
            }
            if let Some(list) = tree.get(root, "items")
                && matches!(tree.kind(list), Kind::Seq { .. })
            {
                for &item in tree.items(list) {
                    self.tree_node(tree, item);
                }
            } else {
                self.tree_node(tree, root);
            }
        }
        let source = Source::new(whole);
        for finding in file.findings {
            let span = finding.span.map(|span| {
                Span::new(
                    span.from().saturating_add(start),
                    span.to().saturating_add(start),
                )
            });
            let finding = Finding {
                span,
                fixes: Vec::new(),
                ..finding
            }
            .about(TextField::Nodes);
            self.findings.push(located::finding(&source, finding));
        }
    }

    fn tree_node(&mut self, tree: &Tree<'_>, node: NodeId) {
        let mut seen = ScannedNode {
            kind: string_of(tree, tree.get(node, "kind")).into(),
            ..ScannedNode::default()
        };
        if let Some(metadata) = tree.get(node, "metadata") {
            if let Some(name) = tree.get(metadata, "name") {
                match tree.kind(name) {
                    Kind::Str(text) => seen.name = tree.text(text).to_owned().into(),
                    Kind::Null => {}
                    _ => seen.mistyped = Some("metadata.name".to_owned()),
                }
            }
            if let Some(labels) = tree.get(metadata, "labels") {
                for entry in tree.entries(labels).iter().filter(|entry| !entry.shadowed) {
                    let key = tree.text(entry.key);
                    let value = match tree.kind(entry.value) {
                        Kind::Str(text) => tree.text(text),
                        Kind::Null => "",
                        _ => {
                            seen.mistyped = Some(format!("metadata.labels[{key}]"));
                            continue;
                        }
                    };
                    seen.labels
                        .push((key.to_owned().into(), value.to_owned().into()));
                }
            }
        }
        self.node(&seen);
    }

    /// Returns the prepared set.
    pub fn finish(mut self) -> PreparedNodes {
        if self.names.is_empty()
            && self
                .findings
                .iter()
                .all(|finding| finding.severity != Severity::Error)
        {
            let message = match self.skipped.take() {
                Some(kind) => message!(
                    "node.text-other-kind",
                    "the text with Nodes holds a `{kind}` and no Node",
                    kind
                ),
                None => message!("node.text-empty", "the text with Nodes holds no Node"),
            };
            self.unusable(message);
        }
        let bytes = self
            .names
            .iter()
            .map(|name| name.len())
            .sum::<usize>()
            .saturating_add(
                self.columns
                    .iter()
                    .map(|column| {
                        column
                            .values
                            .keys()
                            .fold(column.key.len(), |sum, v| sum.saturating_add(v.len()))
                    })
                    .sum(),
            );
        let mut set = PreparedNodes {
            store: String::with_capacity(bytes),
            ..PreparedNodes::default()
        };
        set.names = self.names.iter().map(|name| set.put(name)).collect();
        let mut columns: Vec<Growing> = self.columns;
        order::sort_by(&mut columns, |a, b| a.key.cmp(&b.key));
        set.columns.reserve_exact(columns.len());
        let nodes = set.names.len();
        let (dense, sparse): (Vec<usize>, Vec<usize>) = columns
            .iter()
            .map(|column| column.cells.len())
            .partition(|&cells| is_dense(cells, nodes));
        set.dense.reserve_exact(dense.len().saturating_mul(nodes));
        set.sparse.reserve_exact(sparse.iter().sum());
        set.values
            .reserve_exact(columns.iter().map(|column| column.values.len()).sum());
        for column in columns {
            set.column(column);
        }
        set.findings = self.findings;
        set
    }
}

fn string_of(tree: &Tree<'_>, id: Option<NodeId>) -> String {
    id.and_then(|id| tree.str(id)).unwrap_or("").to_owned()
}

/// Returns true if cells are stored densely: a dense cell takes half the space of a sparse cell, which stores its node.
fn is_dense(cells: usize, nodes: usize) -> bool {
    cells >= nodes / 2
}

impl PreparedNodes {
    fn put(&mut self, text: &str) -> Piece {
        let start = u32::try_from(self.store.len()).unwrap_or(u32::MAX);
        self.store.push_str(text);
        Piece {
            start,
            len: u32::try_from(text.len()).unwrap_or(0),
        }
    }

    fn column(&mut self, column: Growing) {
        let key = self.put(&column.key);
        let first = self.values.len();
        self.values.resize(
            first.saturating_add(column.values.len()),
            Piece { start: 0, len: 0 },
        );
        for (text, index) in &column.values {
            let piece = self.put(text);
            if let Some(place) = self.values.get_mut(first.saturating_add(*index)) {
                *place = piece;
            }
        }
        let cells = if is_dense(column.cells.len(), self.names.len()) {
            let first = self.dense.len();
            self.dense
                .resize(first.saturating_add(self.names.len()), ABSENT);
            for (node, value) in column.cells {
                if let Some(place) = self.dense.get_mut(first.saturating_add(node as usize)) {
                    *place = value;
                }
            }
            Cells::All(Part::since(first, &self.dense))
        } else {
            let first = self.sparse.len();
            self.sparse.extend(column.cells);
            Cells::Some(Part::since(first, &self.sparse))
        };
        self.columns.push(Column {
            key,
            values: Part::since(first, &self.values),
            cells,
        });
    }
}

impl Growing {
    fn put(&mut self, node: u32, value: &str) {
        let value = if !self.cells.is_empty() && *self.last.0 == *value {
            self.last.1
        } else {
            let next = self.values.len();
            let index = self.values.get(value).copied().unwrap_or(next);
            if index == next {
                self.values.insert(value.to_owned(), next);
            }
            let index = u32::try_from(index).unwrap_or(ABSENT);
            self.last = (value.into(), index);
            index
        };
        match self.cells.last_mut() {
            // The same key again: the last one counts.
            Some(cell) if cell.0 == node => cell.1 = value,
            _ => self.cells.push((node, value)),
        }
    }
}

/// Says what a document with Nodes is instead of an object.
fn why_no_object(tree: &Tree<'_>, root: NodeId) -> Message {
    let is_table = tree.str(root).is_some_and(|text| text.starts_with("NAME "));
    if is_table {
        message!(
            "node.text-table",
            "this is the table that kubectl prints for people"
        )
    } else {
        message!(
            "node.text-no-object",
            "the text with Nodes holds something that is not an object"
        )
    }
}

//! Decodes a composed document: aliases, merge keys and keys, with the errors of go-yaml's decoder and of the step from YAML to
//! JSON, in upstream's order (go-yaml v2, decode.go; sigs.k8s.io/yaml, yaml.go).

use super::compose::{ComposeNotes, RawEntry, RawKey};
use super::error::{ErrorStage, YamlError};
use super::problem::Problem;
use super::resolve;
use super::token::Mark;
use crate::print::{Order, effective};
use crate::source::Span;
use crate::tree::{Entry, Kind, NodeId, Str, Tree};
use claimkit_values::{self as go, GoUnicode};
use std::collections::BTreeSet;

/// Up to this many decoding steps, 99 % may come from aliases.
const RATIO_LOW: f64 = 400_000.0;
/// From this many steps on, 10 %.
const RATIO_HIGH: f64 = 4_000_000.0;
/// kubectl 1.27 and later are built with Go 1.21's tables or newer.
const UNICODE: GoUnicode = GoUnicode::V15;
/// Bytes of a value shown in a message.
const SHOWN: usize = 1 << 16;

/// What is still to be done in a document; the last step of the list is done first.
enum Step {
    /// Decode a node.
    Node(NodeId),
    /// End following this alias.
    LeaveAlias(NodeId),
    /// Decode the items of a list from an index on.
    Items(NodeId, usize),
    /// Decode the entries of a mapping from an index on; the last value is the mapping that receives the keys.
    Entries(NodeId, usize, usize),
    /// Check a key that is not a scalar and has been decoded.
    CheckKey(NodeId),
    /// Decode the value of a merge key; the last value is the mapping that receives its keys.
    Merge(NodeId, usize),
    /// Merge the mappings of a list, from an index backwards; the last value is the mapping that receives their keys.
    MergeItems(NodeId, usize, usize),
    /// Set a key, whose value has been decoded.
    SetKey(String, NodeId, usize),
}

struct Walk<'w, 's> {
    tree: &'w mut Tree<'s>,
    found: &'w ComposeNotes,
    special: Vec<Option<usize>>,
    expanded: Vec<bool>,
    steps: Vec<Step>,
    decoded: u64,
    aliased: u64,
    alias_depth: u64,
    /// For each node, whether an alias to it is being followed.
    active: Vec<bool>,
    /// The keys set so far in each mapping, if the walk looks for duplicates.
    keys: Option<Vec<BTreeSet<String>>>,
    duplicates: Vec<(String, NodeId)>,
}

/// Resolves merge keys in the tree and finds the first decoding error, in a document that [is not plain](ComposeNotes::is_plain).
pub(super) fn decode(tree: &mut Tree<'_>, found: &ComposeNotes) -> Result<(), Box<YamlError>> {
    let Some(root) = found.root else {
        return Ok(());
    };
    let mut walk = Walk::new(tree, found);
    walk.run(root)?;
    check_keys(tree, found, root)?;
    if found.unprintable_floats {
        check_floats(tree, root)?;
    }
    Ok(())
}

/// Returns go-yaml's strict errors in their order: the key as Go prints it, and its value.
pub(super) fn duplicates(tree: &mut Tree<'_>, found: &ComposeNotes) -> Vec<(String, NodeId)> {
    let Some(root) = found.root else {
        return Vec::new();
    };
    let mut walk = Walk {
        keys: Some(Vec::new()),
        ..Walk::new(tree, found)
    };
    // `decode` reports this error.
    let _ = walk.run(root);
    walk.duplicates
}

fn fail<T>(problem: Problem, at: u32) -> Result<T, YamlError> {
    let mark = Mark {
        offset: at,
        ..Mark::default()
    };
    Err(*YamlError::plain(ErrorStage::Decode, problem, mark))
}

impl<'w, 's> Walk<'w, 's> {
    fn new(tree: &'w mut Tree<'s>, found: &'w ComposeNotes) -> Self {
        let nodes = tree.len();
        Walk {
            tree,
            found,
            special: found.special_by_node(nodes),
            active: vec![false; if found.aliases { nodes } else { 0 }],
            expanded: vec![false; found.special.len()],
            steps: Vec::new(),
            // The document counts as one step.
            decoded: 1,
            aliased: 0,
            alias_depth: 0,
            keys: None,
            duplicates: Vec::new(),
        }
    }

    fn raw(&self, node: NodeId) -> Option<(usize, &'w [RawEntry])> {
        let index = (*self.special.get(node.0 as usize)?)?;
        self.found
            .special
            .get(index)
            .map(|(_, entries)| (index, entries.as_slice()))
    }

    fn run(&mut self, root: NodeId) -> Result<(), YamlError> {
        self.steps.push(Step::Node(root));
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Node(node) => self.node(node, None)?,
                Step::LeaveAlias(node) => {
                    if let Some(active) = self.active.get_mut(node.0 as usize) {
                        *active = false;
                    }
                    self.alias_depth = self.alias_depth.saturating_sub(1);
                }
                Step::Items(node, at) => {
                    if let Some(&item) = self.tree.items(node).get(at) {
                        self.steps.push(Step::Items(node, at.saturating_add(1)));
                        self.steps.push(Step::Node(item));
                    }
                }
                Step::Entries(node, at, target) => self.entry(node, at, target)?,
                Step::CheckKey(key) => {
                    let kind = self.tree.kind(key);
                    if matches!(kind, Kind::Seq { .. } | Kind::Map { .. }) {
                        let problem = Problem::InvalidMapKey {
                            key: go_syntax(self.tree, key),
                        };
                        return fail(problem, self.tree.span(key).start);
                    }
                }
                Step::Merge(value, target) => self.merge(value, target)?,
                Step::MergeItems(list, at, target) => {
                    if let Some(at) = at.checked_sub(1)
                        && let Some(&item) = self.tree.items(list).get(at)
                    {
                        self.wants_map(item)?;
                        self.steps.push(Step::MergeItems(list, at, target));
                        self.node(item, Some(target))?;
                    }
                }
                Step::SetKey(key, value, target) => self.set_key(key, value, target),
            }
        }
        Ok(())
    }

    /// Decodes one node as go-yaml does; `merge_into` is the mapping that takes a merged one's keys.
    fn node(&mut self, node: NodeId, merge_into: Option<usize>) -> Result<(), YamlError> {
        let named = self.follow_aliases(node)?;
        match self.tree.node(named).kind {
            Kind::Seq { .. } => self.steps.push(Step::Items(named, 0)),
            Kind::Map { .. } => {
                let target = match (merge_into, &mut self.keys) {
                    (Some(target), _) => target,
                    (None, Some(keys)) => {
                        keys.push(BTreeSet::new());
                        keys.len().saturating_sub(1)
                    }
                    (None, None) => 0,
                };
                self.steps.push(Step::Entries(named, 0, target));
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the node that an alias names; any other node is returned as it is.
    fn follow_aliases(&mut self, first: NodeId) -> Result<NodeId, YamlError> {
        let mut node = first;
        loop {
            self.count(node)?;
            if let Some(problem) = self.found.fault(node) {
                return fail(problem.clone(), self.tree.span(node).start);
            }
            let Kind::Alias(target) = self.tree.node(node).kind else {
                return Ok(node);
            };
            let Some(active) = self.active.get_mut(node.0 as usize) else {
                return Ok(node);
            };
            if std::mem::replace(active, true) {
                let span = self.tree.span(node);
                let name = self.tree.slice(span).strip_prefix('*').unwrap_or("");
                let problem = Problem::RecursiveAnchor {
                    name: name.to_owned(),
                };
                return fail(problem, span.start);
            }
            self.alias_depth = self.alias_depth.saturating_add(1);
            self.steps.push(Step::LeaveAlias(node));
            node = target;
        }
    }

    /// Counts a step; fails if aliases cause too large a share of all steps.
    fn count(&mut self, node: NodeId) -> Result<(), YamlError> {
        self.decoded = self.decoded.saturating_add(1);
        if self.alias_depth == 0 {
            return Ok(());
        }
        self.aliased = self.aliased.saturating_add(1);
        if self.aliased > 100 && self.decoded > 1000 {
            let steps = self.decoded as f64;
            let allowed = if steps <= RATIO_LOW {
                0.99
            } else if steps >= RATIO_HIGH {
                0.10
            } else {
                0.99 - 0.89 * ((steps - RATIO_LOW) / (RATIO_HIGH - RATIO_LOW))
            };
            if self.aliased as f64 / steps > allowed {
                return fail(Problem::ExcessiveAliasing, self.tree.span(node).start);
            }
        }
        Ok(())
    }

    fn entry(&mut self, node: NodeId, at: usize, target: usize) -> Result<(), YamlError> {
        let (key, value) = match self.raw(node) {
            Some((index, entries)) => match entries.get(at) {
                Some(entry) => (entry.key, entry.value),
                None => {
                    if self.expanded.get(index) == Some(&false) {
                        self.expand(node, entries);
                        if let Some(done) = self.expanded.get_mut(index) {
                            *done = true;
                        }
                    }
                    return Ok(());
                }
            },
            None => match self.tree.entries(node).get(at) {
                Some(entry) => {
                    let value = self.found.converted(entry.key_span.start);
                    (
                        RawKey::Scalar(entry.key, value.unwrap_or(resolve::ScalarValue::Text)),
                        entry.value,
                    )
                }
                None => return Ok(()),
            },
        };
        self.steps
            .push(Step::Entries(node, at.saturating_add(1), target));
        match key {
            RawKey::Merge => self.steps.push(Step::Merge(value, target)),
            RawKey::Scalar(text, kind) => {
                if self.keys.is_some() {
                    let key = scalar_syntax(self.tree, text, kind);
                    self.steps.push(Step::SetKey(key, value, target));
                }
                self.steps.push(Step::Node(value));
                self.count(node)?;
            }
            RawKey::Node(key) => {
                if self.keys.is_some() {
                    let text = go_syntax(self.tree, key);
                    self.steps.push(Step::SetKey(text, value, target));
                }
                self.steps.push(Step::Node(value));
                self.steps.push(Step::CheckKey(key));
                self.steps.push(Step::Node(key));
            }
        }
        Ok(())
    }

    fn merge(&mut self, value: NodeId, target: usize) -> Result<(), YamlError> {
        if let Kind::Seq { .. } = self.tree.node(value).kind {
            let count = self.tree.items(value).len();
            self.steps.push(Step::MergeItems(value, count, target));
            return Ok(());
        }
        self.wants_map(value)?;
        self.node(value, Some(target))
    }

    fn wants_map(&self, node: NodeId) -> Result<(), YamlError> {
        match self.tree.kind(node) {
            Kind::Map { .. } => Ok(()),
            _ => fail(Problem::InvalidMerge, self.tree.span(node).start),
        }
    }

    fn set_key(&mut self, key: String, value: NodeId, target: usize) {
        let Some(keys) = self.keys.as_mut().and_then(|keys| keys.get_mut(target)) else {
            return;
        };
        if keys.contains(&key) {
            self.duplicates.push((key, value));
        } else {
            keys.insert(key);
        }
    }

    /// Puts the entries of a mapping with merge keys and unusual keys into the tree.
    fn expand(&mut self, node: NodeId, raw: &[RawEntry]) {
        let mut entries: Vec<Entry> = Vec::with_capacity(raw.len());
        for entry in raw {
            match entry.key {
                RawKey::Scalar(key, _) => entries.push(plain_entry(key, entry)),
                RawKey::Node(node) => {
                    let key = self.key_of(node);
                    entries.push(plain_entry(key, entry));
                }
                RawKey::Merge => {
                    // A list of mappings is merged from its end.
                    let sources = match self.tree.node(entry.value).kind {
                        Kind::Seq { .. } => self.tree.items(entry.value),
                        _ => &[entry.value],
                    };
                    for source in sources.iter().rev() {
                        self.add_merged(*source, entry.key_span, &mut entries);
                    }
                }
            }
        }
        let kind = self.tree.store_entries(entries);
        let mut whole = self.tree.node(node);
        whole.kind = kind;
        self.tree.set(node, whole);
    }

    /// Adds the entries of a mapping that a merge key takes.
    fn add_merged(&self, source: NodeId, key_span: Span, entries: &mut Vec<Entry>) {
        for merged in self.tree.entries(source) {
            if !merged.shadowed {
                entries.push(Entry {
                    key: merged.key,
                    key_span,
                    value: merged.value,
                    shadowed: false,
                    merged: true,
                });
            }
        }
    }

    /// Returns the string form of an anchored or aliased key.
    fn key_of(&mut self, node: NodeId) -> Str {
        let text = match self.tree.kind(node) {
            Kind::Str(text) => return text,
            Kind::Bool(value) => value.to_string(),
            Kind::Int(value) => value.to_string(),
            Kind::Uint(value) => value.to_string(),
            Kind::Float(value) => resolve::float_key(value),
            _ => "null".to_owned(),
        };
        self.tree.store(&text)
    }
}

fn plain_entry(key: Str, entry: &RawEntry) -> Entry {
    Entry {
        key,
        key_span: entry.key_span,
        value: entry.value,
        shadowed: false,
        merged: false,
    }
}

/// Fails at the first key that JSON cannot represent, in the order of the text; upstream's order is arbitrary.
fn check_keys(tree: &Tree<'_>, found: &ComposeNotes, root: NodeId) -> Result<(), YamlError> {
    let mut mappings = found.special.iter();
    // Returned where the key is only in a mapping that is merged into another.
    let Some(odd_entry) = mappings.find_map(|(_, entries)| last_odd_entry(tree, entries)) else {
        return Ok(());
    };
    let special = found.special_by_node(tree.len());
    let mut steps = vec![root];
    while let Some(node) = steps.pop() {
        let items = tree.items(node).iter();
        steps.extend(items.rev());
        let index = special.get(tree.resolve(node).0 as usize);
        if let Some(index) = index.copied().flatten()
            && let Some((_, entries)) = found.special.get(index)
            && let Some(entry) = last_odd_entry(tree, entries)
        {
            return odd_key(tree, entry);
        }
        let entries = effective(tree, node, Order::Source).into_iter();
        steps.extend(entries.rev().map(|entry| entry.value));
    }
    odd_key(tree, odd_entry)
}

/// Returns the last entry of a mapping with a key that JSON cannot represent.
fn last_odd_entry<'e>(tree: &Tree<'_>, entries: &'e [RawEntry]) -> Option<&'e RawEntry> {
    entries.iter().rfind(|entry| match entry.key {
        RawKey::Node(key) => matches!(tree.kind(key), Kind::Null | Kind::Uint(_)),
        _ => false,
    })
}

/// Fails for a key that is null or needs all 64 bits.
fn odd_key(tree: &Tree<'_>, entry: &RawEntry) -> Result<(), YamlError> {
    let RawKey::Node(key) = entry.key else {
        return Ok(());
    };
    let (kind, key_text) = match tree.kind(key) {
        Kind::Uint(value) => ("uint64", format!("{value:#x}")),
        _ => ("%!s(<nil>)", "<nil>".to_owned()),
    };
    let value = match tree.kind(entry.value) {
        Kind::Null => "<nil>".to_owned(),
        _ => go_syntax(tree, entry.value),
    };
    let problem = Problem::UnsupportedMapKey {
        kind,
        key: key_text,
        value,
    };
    let mark = Mark {
        offset: tree.span(key).start,
        ..Mark::default()
    };
    Err(*YamlError::plain(ErrorStage::Json, problem, mark))
}

/// Fails at the first float that JSON cannot represent, in print order (sorted keys).
fn check_floats(tree: &Tree<'_>, root: NodeId) -> Result<(), YamlError> {
    let mut steps = vec![root];
    while let Some(node) = steps.pop() {
        match tree.kind(node) {
            Kind::Float(value) if !value.is_finite() => {
                let problem = Problem::UnsupportedFloat {
                    value: resolve::float_value(value).to_string(),
                };
                let mark = Mark {
                    offset: tree.span(node).start,
                    ..Mark::default()
                };
                return Err(*YamlError::plain(ErrorStage::Json, problem, mark));
            }
            Kind::Seq { .. } => {
                let items = tree.items(node).iter();
                steps.extend(items.rev());
            }
            Kind::Map { .. } => {
                let entries = effective(tree, node, Order::Sorted).into_iter();
                steps.extend(entries.rev().map(|entry| entry.value));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes a scalar key as Go does (`%#v`).
fn scalar_syntax(tree: &Tree<'_>, text: Str, value: resolve::ScalarValue) -> String {
    match value {
        resolve::ScalarValue::Text => go::quote(tree.text(text), UNICODE),
        resolve::ScalarValue::Null => "<nil>".to_owned(),
        resolve::ScalarValue::Bool(value) => value.to_string(),
        resolve::ScalarValue::Int(value) => value.to_string(),
        resolve::ScalarValue::Uint(value) => format!("{value:#x}"),
        resolve::ScalarValue::Float(value) => resolve::float_value(value),
    }
}

/// Writes a value as Go prints it (`%#v`), truncated if aliases make it very long.
fn go_syntax(tree: &Tree<'_>, node: NodeId) -> String {
    enum Part {
        Node(NodeId),
        Text(&'static str),
        Key(Str),
    }
    let mut out = String::new();
    let mut parts = vec![Part::Node(node)];
    while let Some(part) = parts.pop() {
        if out.len() > SHOWN {
            break;
        }
        let node = match part {
            Part::Text(text) => {
                out.push_str(text);
                continue;
            }
            Part::Key(key) => {
                go::quote_into(&mut out, tree.text(key), UNICODE);
                out.push(':');
                continue;
            }
            Part::Node(node) => node,
        };
        match tree.kind(node) {
            Kind::Null | Kind::Alias(_) => out.push_str("interface {}(nil)"),
            Kind::Bool(value) => out.push_str(if value { "true" } else { "false" }),
            Kind::Int(value) => out.push_str(&value.to_string()),
            Kind::Uint(value) => out.push_str(&format!("{value:#x}")),
            Kind::Float(value) => out.push_str(&resolve::float_value(value)),
            Kind::Number(Span { .. }) => {}
            Kind::Str(text) => go::quote_into(&mut out, tree.text(text), UNICODE),
            Kind::Seq { .. } => {
                out.push_str("[]interface {}{");
                parts.push(Part::Text("}"));
                let items = tree.items(node);
                for (at, &item) in items.iter().enumerate().rev() {
                    parts.push(Part::Node(item));
                    if at > 0 {
                        parts.push(Part::Text(", "));
                    }
                }
            }
            Kind::Map { .. } => {
                out.push_str("map[interface {}]interface {}{");
                parts.push(Part::Text("}"));
                let entries = effective(tree, node, Order::Sorted);
                for (at, entry) in entries.into_iter().enumerate().rev() {
                    parts.push(Part::Node(entry.value));
                    parts.push(Part::Key(entry.key));
                    if at > 0 {
                        parts.push(Part::Text(", "));
                    }
                }
            }
        }
    }
    out
}

//! Values of migrated objects: pieces of the text that was read, and new ones around them.

use crate::convert::print as printing;
use claimkit_model::finding::Step;
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::tree::{Kind, NodeId, Style, Tree};

/// A part of the new text.
#[derive(Clone, Debug)]
pub enum TextPart<'t> {
    Text(String),
    /// A number or boolean as JSON writes it.
    Literal(String),
    /// A node of the old text.
    Node(&'t Tree<'t>, NodeId),
    List(Vec<TextPart<'t>>),
    /// A mapping, in order.
    Map(Vec<(String, TextPart<'t>)>),
}

impl<'t> TextPart<'t> {
    /// Returns a mapping of the entries.
    pub fn map<const N: usize>(entries: [(&str, TextPart<'t>); N]) -> Self {
        TextPart::Map(
            entries
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
        )
    }

    /// Returns a string value.
    pub fn text(text: impl Into<String>) -> Self {
        TextPart::Text(text.into())
    }

    /// Appends the value as compact JSON. Recursive over the parts built here; nodes of the text are printed without recursion.
    pub fn json(&self, out: &mut String) {
        match self {
            TextPart::Text(text) => print::quote(text, out),
            TextPart::Literal(text) => out.push_str(text),
            TextPart::Node(tree, node) => {
                print::json(tree, *node, Order::Source, usize::MAX, out);
            }
            TextPart::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    item.json(out);
                }
                out.push(']');
            }
            TextPart::Map(entries) => {
                out.push('{');
                for (at, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    print::quote(key, out);
                    out.push(':');
                    value.json(out);
                }
                out.push('}');
            }
        }
    }

    /// Writes the value on the line of its key, if it fits there.
    fn on_one_line(&self) -> Option<String> {
        match self {
            TextPart::Text(text) => Some(print::scalar(text)),
            TextPart::Literal(text) => Some(text.clone()),
            TextPart::List(items) if items.is_empty() => Some("[]".to_owned()),
            TextPart::Map(entries) if entries.is_empty() => Some("{}".to_owned()),
            TextPart::List(_) | TextPart::Map(_) => None,
            TextPart::Node(tree, node) => match tree.kind(*node) {
                Kind::Map { .. } if !tree.entries(*node).is_empty() => None,
                Kind::Seq { .. } if !tree.items(*node).is_empty() => None,
                Kind::Str(text) => {
                    Some(as_written(tree, *node).unwrap_or_else(|| print::scalar(tree.text(text))))
                }
                _ => {
                    let mut out = String::new();
                    print::json(tree, *node, Order::Source, usize::MAX, &mut out);
                    Some(out)
                }
            },
        }
    }

    /// Writes the value in block style. `below`: how far the items of a list are indented below its key.
    pub fn lines(&self, below: usize) -> Vec<String> {
        if let Some(line) = self.on_one_line() {
            return vec![line];
        }
        match self {
            TextPart::Map(entries) => entries
                .iter()
                .flat_map(|(key, value)| entry(key, value, below))
                .collect(),
            TextPart::List(items) => {
                let mut lines = Vec::new();
                for item in items {
                    for (at, line) in item.lines(below).iter().enumerate() {
                        let prefix = if at == 0 { "- " } else { "  " };
                        lines.push(format!("{prefix}{line}"));
                    }
                }
                lines
            }
            TextPart::Node(tree, node) => {
                let mut out = String::new();
                printing::yaml(tree, *node, "\n", usize::MAX, &mut out);
                out.lines().map(str::to_owned).collect()
            }
            TextPart::Text(_) | TextPart::Literal(_) => Vec::new(),
        }
    }

    /// Returns a string of the text as it can be written between brackets, with its quotes.
    pub fn in_brackets(&self) -> Option<String> {
        let TextPart::Node(tree, node) = self else {
            return None;
        };
        as_written(tree, *node).filter(|text| {
            text.starts_with(['"', '\''])
                || !text.contains(['[', ']', '{', '}', ',', '#', ':', '?'])
        })
    }

    fn is_list(&self) -> bool {
        match self {
            TextPart::List(_) => true,
            TextPart::Node(tree, node) => matches!(tree.kind(*node), Kind::Seq { .. }),
            _ => false,
        }
    }
}

/// Writes the lines of one entry of a mapping.
pub fn entry(key: &str, value: &TextPart<'_>, below: usize) -> Vec<String> {
    let key = print::scalar(key);
    if let Some(line) = value.on_one_line() {
        return vec![format!("{key}: {line}")];
    }
    let pad = " ".repeat(if value.is_list() { below } else { 2 });
    let lines = value
        .lines(below)
        .into_iter()
        .map(|line| format!("{pad}{line}"));
    std::iter::once(format!("{key}:")).chain(lines).collect()
}

/// Returns a string of the text on one line, with its quotes.
fn as_written(tree: &Tree<'_>, node: NodeId) -> Option<String> {
    let written = tree.node(node);
    let simple = matches!(
        written.style,
        Style::Plain | Style::SingleQuoted | Style::DoubleQuoted
    );
    let text = written.span.slice_of(tree.source())?;
    let one_line =
        !text.is_empty() && !text.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
    (simple && one_line && written.properties.is_empty() && !matches!(written.kind, Kind::Alias(_)))
        .then(|| text.to_owned())
}

/// A change of one mapping: removes fields, and puts new ones at the place of the first removed field, or at the end.
#[derive(Clone, Debug)]
pub struct MappingChange<'t> {
    /// The place of the mapping in the object.
    pub at: Vec<Step>,
    /// The fields to remove.
    pub gone: Vec<&'static str>,
    /// The fields to add.
    pub put: Vec<(String, TextPart<'t>)>,
}

/// Carries out changes below a node. The recursion is as deep as the paths of the changes.
pub fn changed<'t>(
    tree: &'t Tree<'t>,
    node: NodeId,
    depth: usize,
    changes: &[&MappingChange<'t>],
) -> TextPart<'t> {
    if changes.is_empty() {
        return TextPart::Node(tree, node);
    }
    if !tree.is_map(node) {
        if !matches!(tree.kind(node), Kind::Seq { .. }) {
            return TextPart::Node(tree, node);
        }
        let items = tree.items(node).iter().enumerate();
        return TextPart::List(
            items
                .map(|(at, &item)| below(tree, item, depth, changes, &Step::Index(at)))
                .collect(),
        );
    }
    let mut here: Vec<(&[&str], Option<_>)> = Vec::new();
    here.extend(
        changes
            .iter()
            .filter(|one| one.at.len() == depth)
            .map(|one| (one.gone.as_slice(), Some(one.put.clone()))),
    );
    let mut entries = Vec::new();
    for one in print::effective(tree, node, Order::Source) {
        let key = tree.text(one.key);
        match here.iter_mut().find(|(gone, _)| gone.contains(&key)) {
            Some((_, put)) => entries.extend(put.take().unwrap_or_default()),
            None => entries.push((
                key.to_owned(),
                below(tree, one.value, depth, changes, &Step::Key(key.to_owned())),
            )),
        }
    }
    entries.extend(here.into_iter().filter_map(|(_, put)| put).flatten());
    TextPart::Map(entries)
}

fn below<'t>(
    tree: &'t Tree<'t>,
    node: NodeId,
    depth: usize,
    changes: &[&MappingChange<'t>],
    step: &Step,
) -> TextPart<'t> {
    let inside: Vec<&MappingChange<'t>> = changes
        .iter()
        .filter(|change| change.at.get(depth) == Some(step))
        .copied()
        .collect();
    changed(tree, node, depth.saturating_add(1), &inside)
}

//! A converted tree as text, for documents that cannot be edited safely: block style, order kept, comments not.

use claimkit_model::text::print::{self, Order};
use claimkit_model::text::tree::{Kind, NodeId, Tree};

/// Appends a node as YAML in block style. `false` if it is larger than `max_bytes`.
pub fn yaml(
    tree: &Tree<'_>,
    root: NodeId,
    line_end: &str,
    max_bytes: usize,
    out: &mut String,
) -> bool {
    let mut steps = vec![Step::Node {
        node: root,
        indent: 0,
        place: ValueStart::Line,
    }];
    while let Some(step) = steps.pop() {
        if out.len() > max_bytes {
            return false;
        }
        match step {
            Step::Text { text, indent } => {
                if !out.is_empty() && !out.ends_with('\n') && !out.ends_with('\r') {
                    out.push_str(line_end);
                }
                out.push_str(&" ".repeat(indent));
                out.push_str(&text);
            }
            Step::Node {
                node,
                indent,
                place,
            } => match tree.kind(node) {
                Kind::Map { .. } if !tree.entries(node).is_empty() => {
                    let indent = if matches!(place, ValueStart::Value) {
                        indent.saturating_add(2)
                    } else {
                        indent
                    };
                    let entries = print::effective(tree, node, Order::Source);
                    for (at, entry) in entries.into_iter().enumerate().rev() {
                        steps.push(Step::Node {
                            node: entry.value,
                            indent,
                            place: ValueStart::Value,
                        });
                        let key = format!("{}:", print::scalar(tree.text(entry.key)));
                        // The first key follows the dash of its item.
                        let behind_dash = at == 0 && matches!(place, ValueStart::Item);
                        steps.push(if behind_dash {
                            Step::Behind(key)
                        } else {
                            Step::Text { text: key, indent }
                        });
                    }
                }
                Kind::Seq { .. } if !tree.items(node).is_empty() => {
                    let behind_dash = matches!(place, ValueStart::Item);
                    for (at, &item) in tree.items(node).iter().enumerate().rev() {
                        steps.push(Step::Node {
                            node: item,
                            indent: indent.saturating_add(2),
                            place: ValueStart::Item,
                        });
                        let dash = "-".to_owned();
                        steps.push(if at == 0 && behind_dash {
                            Step::Behind(dash)
                        } else {
                            Step::Text { text: dash, indent }
                        });
                    }
                }
                _ => {
                    if !matches!(place, ValueStart::Line) {
                        out.push(' ');
                    }
                    leaf(tree, node, out);
                }
            },
            Step::Behind(text) => {
                out.push(' ');
                out.push_str(&text);
            }
        }
    }
    true
}

enum Step {
    /// A line of its own.
    Text { text: String, indent: usize },
    /// Continues the current line.
    Behind(String),
    Node {
        node: NodeId,
        indent: usize,
        place: ValueStart,
    },
}

enum ValueStart {
    Line,
    Value,
    Item,
}

fn leaf(tree: &Tree<'_>, node: NodeId, out: &mut String) {
    match tree.kind(node) {
        Kind::Str(text) => out.push_str(&print::scalar(tree.text(text))),
        // Empty collections, numbers, booleans and null are the same in JSON.
        _ => {
            print::json(tree, node, Order::Source, usize::MAX, out);
        }
    }
}

//! The text of one object: edits that carry out its changes. Comments of what changes stay, on lines of their own.

use super::part::{self, MappingChange, TextPart};
use crate::advice::locate;
use claimkit_model::text::edit::{self, Edits, Unsafe};
use claimkit_model::text::print;
use claimkit_model::text::tree::{Entry, Kind, NodeId, Tree};
use claimkit_model::text::{Mode, Span};

/// The style in which a document is written.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// The format of the document.
    pub mode: Mode,
    /// The indentation of list items relative to the list's key.
    pub below: usize,
}

/// Returns the edits that carry out the changes of one object.
pub fn changes(
    tree: &Tree<'_>,
    object: NodeId,
    all: &[MappingChange<'_>],
    manner: Manner,
) -> Result<Edits, Unsafe> {
    let mut edits = Edits::new();
    for change in all {
        let map = locate::node(tree, object, &change.at).ok_or(Unsafe::Form)?;
        one(tree, map, change, manner, &mut edits)?;
    }
    Ok(edits)
}

fn one(
    tree: &Tree<'_>,
    map: NodeId,
    change: &MappingChange<'_>,
    manner: Manner,
    edits: &mut Edits,
) -> Result<(), Unsafe> {
    let entries = tree.entries(map);
    let goes = |entry: &Entry| change.gone.contains(&tree.text(entry.key));
    let Some(first) = entries.iter().find(|entry| goes(entry)) else {
        return if change.put.is_empty() {
            Ok(())
        } else {
            append(tree, map, change, manner, edits)
        };
    };
    if change.put.is_empty() {
        return edits.remove_entries(tree, map, goes);
    }
    let flow = edit::is_flow(tree, map);
    for entry in entries.iter().filter(|entry| goes(entry)) {
        edit::editable(tree, entry, flow)?;
    }
    let rest = |entry: &Entry| goes(entry) && entry.key_span != first.key_span;
    if flow {
        let end = edit::entry_end(tree, first).max(edit::content_end(tree, first.value));
        let span = Span::new(first.key_span.from(), end);
        if !edit::comments_in(tree, span).is_empty() {
            return Err(Unsafe::Form);
        }
        edits.replace(span, in_brackets(tree, first, change, manner));
    } else {
        in_block(tree, entries, first, &rest, change, manner, edits)?;
    }
    edits.remove_entries(tree, map, rest)
}

/// Writes new entries of a mapping in brackets.
fn in_brackets(
    tree: &Tree<'_>,
    like: &Entry,
    change: &MappingChange<'_>,
    manner: Manner,
) -> String {
    let text = tree.source();
    let value = edit::whole(tree, like.value);
    let separator = text
        .get(like.key_span.to()..value.from().max(like.key_span.to()))
        .unwrap_or("");
    let tight = separator == ":";
    let entry = |(key, value): &(String, TextPart<'_>)| {
        let mut out = String::new();
        if manner.mode == Mode::Json {
            print::quote(key, &mut out);
        } else {
            out.push_str(key);
        }
        out.push_str(if tight && manner.mode == Mode::Json {
            ":"
        } else {
            ": "
        });
        match value.in_brackets().filter(|_| manner.mode == Mode::Yaml) {
            Some(text) => out.push_str(&text),
            None => value.json(&mut out),
        }
        out
    };
    let entries: Vec<String> = change.put.iter().map(entry).collect();
    entries.join(if tight { "," } else { ", " })
}

fn in_block(
    tree: &Tree<'_>,
    entries: &[Entry],
    first: &Entry,
    rest: &impl Fn(&Entry) -> bool,
    change: &MappingChange<'_>,
    manner: Manner,
    edits: &mut Edits,
) -> Result<(), Unsafe> {
    let text = tree.source();
    let start = first.key_span.from();
    let pad = edit::lead(text, start).ok_or(Unsafe::Form)?;
    let mut comments: Vec<&str> = Vec::new();
    let mut keep = |span: Span| {
        let kept = edit::comments_in(tree, span).iter();
        comments.extend(kept.filter_map(|comment| comment.slice_of(text)));
    };
    keep(Span::new(start, end_of_entry(tree, text, first)));
    for entry in entries.iter().filter(|entry| rest(entry)) {
        let from = entry.key_span.from();
        let from = if edit::begins_line(text, from) {
            edit::own_comments(tree, from)
        } else {
            from
        };
        keep(Span::new(from, end_of_entry(tree, text, entry)));
    }
    let new = change
        .put
        .iter()
        .flat_map(|(key, value)| part::entry(key, value, manner.below));
    let comments = comments.into_iter().map(str::to_owned);
    // After a list dash, the first line must be a field, not a comment.
    let lines: Vec<String> = if edit::begins_line(text, start) {
        comments.chain(new).collect()
    } else {
        new.chain(comments).collect()
    };
    let line_break = format!("{}{pad}", edit::line_break(text, start));
    edits.replace(
        Span::new(start, end_of_entry(tree, text, first)),
        lines.join(&line_break),
    );
    Ok(())
}

fn end_of_entry(tree: &Tree<'_>, text: &str, entry: &Entry) -> usize {
    edit::line_end(
        text,
        edit::entry_end(tree, entry).max(edit::content_end(tree, entry.value)),
    )
}

/// Adds new entries at the end of a mapping.
fn append(
    tree: &Tree<'_>,
    map: NodeId,
    change: &MappingChange<'_>,
    manner: Manner,
    edits: &mut Edits,
) -> Result<(), Unsafe> {
    let text = tree.source();
    let last = tree
        .entries(map)
        .last()
        .filter(|last| !last.merged)
        .ok_or(Unsafe::Form)?;
    let end = edit::entry_end(tree, last).max(edit::content_end(tree, last.value));
    if edit::is_flow(tree, map) {
        let new = in_brackets(tree, last, change, manner);
        edits.insert(end, format!(", {new}"));
        return Ok(());
    }
    let pad = edit::lead(text, last.key_span.from()).ok_or(Unsafe::Form)?;
    let line_break = format!("{}{pad}", edit::line_break(text, end));
    let lines = change
        .put
        .iter()
        .flat_map(|(key, value)| part::entry(key, value, manner.below));
    edits.insert(
        edit::line_end(text, end),
        lines
            .map(|line| format!("{line_break}{line}"))
            .collect::<String>(),
    );
    Ok(())
}

/// Removes the items of a list for which `gone` says so. The edits of neighbors that go together may overlap, which is refused when they are
/// applied.
///
/// # Errors
/// All items go, or the list is written in a form that is not edited.
pub fn remove_items(
    tree: &Tree<'_>,
    list: NodeId,
    gone: impl Fn(NodeId) -> bool,
    edits: &mut Edits,
) -> Result<(), Unsafe> {
    let items = tree.items(list);
    let is_list = matches!(tree.node(list).kind, Kind::Seq { .. });
    if !is_list || items.iter().all(|&item| gone(item)) {
        return Err(Unsafe::Form);
    }
    let is_flow = edit::is_flow(tree, list);
    for (at, &item) in items.iter().enumerate() {
        if !gone(item) {
            continue;
        }
        let span = if is_flow {
            flow_item_span(tree, items, at)?
        } else {
            block_item_span(tree, item)?
        };
        edits.remove(span);
    }
    Ok(())
}

/// Returns the text of an item in brackets with the comma behind it; the last one goes with the comma before it.
fn flow_item_span(tree: &Tree<'_>, items: &[NodeId], at: usize) -> Result<Span, Unsafe> {
    let span_at = |at: usize| items.get(at).map(|&item| edit::whole(tree, item));
    let span = span_at(at).ok_or(Unsafe::Form)?;
    if let Some(next) = span_at(at.saturating_add(1)) {
        return Ok(Span::new(span.from(), next.from()));
    }
    let before = at.checked_sub(1).and_then(span_at).ok_or(Unsafe::Form)?;
    Ok(Span::new(before.to(), span.to()))
}

/// Returns the lines of an item behind a dash, with the comments above that are about it.
fn block_item_span(tree: &Tree<'_>, item: NodeId) -> Result<Span, Unsafe> {
    let text = tree.source();
    let from = edit::whole(tree, item).from();
    let line_start = edit::line_start(text, from);
    let before = text.get(line_start..from).unwrap_or("");
    if before.trim() != "-" {
        return Err(Unsafe::Form);
    }
    let dash = line_start.saturating_add(before.find('-').unwrap_or(0));
    let end = edit::next_line(text, edit::content_end(tree, item));
    Ok(Span::new(edit::own_comments(tree, dash), end))
}

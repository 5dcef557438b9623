//! Fields placed as in another API version: edits that move them.
//!
//! Only plainly written fields are moved. With comments between the fields, anchors or aliases there are no edits; the help says
//! where the fields belong.

use crate::advice::fits::Reader;
use crate::advice::meant::OpenMap;
use claimkit_model::finding::Edit;
use claimkit_model::message::{Message, message};
use claimkit_model::schema::Struct;
use claimkit_model::text::edit::{self, Edits};
use claimkit_model::text::tree::{Entry, Kind, NodeId, Tree};
use claimkit_model::text::{Span, Style};

/// A move of fields to their place in this version.
#[derive(Clone, Copy, Debug)]
pub enum Move {
    /// They go into a struct of their own.
    Under {
        /// The field that holds it.
        into: &'static str,
        inner: &'static Struct,
        /// The struct that the fields are in. Fields that it has, too, stay.
        outer: &'static Struct,
    },
    /// They become keys of a map.
    IntoMap(OpenMap),
    /// They come out of the struct they are in.
    Out,
}

impl Move {
    /// Returns the title of the fix.
    pub fn title(&self, field: &str) -> Message {
        match self {
            Move::Under { into, .. } | Move::IntoMap(OpenMap { name: into, .. }) => {
                message!("shape.move-under", "move the fields under `{into}`", into)
            }
            Move::Out => message!("shape.move-out", "move the fields out of `{field}`", field),
        }
    }

    /// Returns the edits; `None` where no edit is safe. `map` holds the field that is in the wrong place.
    pub fn edits(&self, reader: Reader<'_, '_>, map: NodeId, field: &str) -> Option<Vec<Edit>> {
        let tree = reader.tree;
        match self {
            Move::Under { into, inner, outer } => {
                under(tree, map, into, &|name| inner.has(name) && !outer.has(name))
            }
            Move::IntoMap(into) => {
                let reads = |name: &str| {
                    let value = tree.get(map, name);
                    value.is_some_and(|value| reader.reads(value, into.value))
                };
                under(tree, map, into.name, &reads)
            }
            Move::Out => move_out(tree, map, field),
        }
    }
}

/// The number of blanks that a field is further in than the struct it belongs to.
const UNIT: usize = 2;

/// Returns one past the last byte of an entry and of everything it holds.
fn end(tree: &Tree<'_>, entry: &Entry) -> usize {
    edit::entry_end(tree, entry).max(edit::content_end(tree, entry.value))
}

/// Returns the fields of a mapping that are `chosen`, moved into a mapping under `into`.
pub fn under(
    tree: &Tree<'_>,
    map: NodeId,
    into: &str,
    chosen: &dyn Fn(&str) -> bool,
) -> Option<Vec<Edit>> {
    let moves = |entry: &Entry| chosen(tree.text(entry.key));
    let entries = tree.entries(map);
    let from = entries.iter().position(moves)?;
    let run: Vec<&Entry> = entries
        .get(from..)?
        .iter()
        .take_while(|entry| moves(entry))
        .collect();
    let flow = edit::is_flow(tree, map);
    let moved = entries.iter().filter(|entry| moves(entry));
    if moved.count() != run.len() {
        return None;
    }
    if tree.entry(map, into).is_some() {
        let above = entries.get(from.checked_sub(1)?)?;
        let is_right_above = tree.text(above.key) == into && is_empty_block(tree, above);
        (is_right_above && !flow).then_some(())?;
        return indented(tree, &run, UNIT);
    }
    let (first, last) = (run.first()?, run.last()?);
    let (at, to) = (first.key_span.from(), end(tree, last));
    let text = tree.source();
    run.iter()
        .try_for_each(|entry| edit::editable(tree, entry, flow))
        .ok()?;
    let quote = if text.get(at..)?.starts_with('"') {
        "\""
    } else {
        ""
    };
    let mut edits = Edits::new();
    if flow {
        edits.insert(at, format!("{quote}{into}{quote}: {{"));
        edits.insert(to, "}");
    } else {
        let pad = edit::lead(text, at)?;
        let line_break = edit::line_break(text, at);
        edits.insert(
            at,
            format!("{quote}{into}{quote}:{line_break}{pad}{}", " ".repeat(UNIT)),
        );
        edits.indent(text, at, to, UNIT);
    }
    edits.sorted().ok()
}

/// Returns true for a key that ends its line with `:` and has nothing below it.
pub fn is_empty_block(tree: &Tree<'_>, entry: &Entry) -> bool {
    let value = tree.node(entry.value);
    tree.kind(entry.value) == Kind::Null && value.span.is_empty() && value.properties.is_empty()
}

/// Returns fields of a block mapping further in by some blanks.
fn indented(tree: &Tree<'_>, run: &[&Entry], blanks: usize) -> Option<Vec<Edit>> {
    let (first, last) = (run.first()?, run.last()?);
    let text = tree.source();
    let (at, to) = (first.key_span.from(), end(tree, last));
    edit::begins_line(text, at).then_some(())?;
    run.iter()
        .try_for_each(|entry| edit::editable(tree, entry, false))
        .ok()?;
    let mut edits = Edits::new();
    edits.insert(at, " ".repeat(blanks));
    edits.indent(text, at, to, blanks);
    edits.sorted().ok()
}

/// Returns fields that belong to the last entry of the list above them, indented like the fields of that entry. `first`: the key of
/// the first of them.
pub fn into_last_entry(
    tree: &Tree<'_>,
    map: NodeId,
    first: Span,
    chosen: &dyn Fn(&str) -> bool,
) -> Option<Vec<Edit>> {
    let entries = tree.entries(map);
    let from = entries.iter().position(|entry| entry.key_span == first)?;
    let list = entries.get(from.checked_sub(1)?)?;
    let item = tree.items(list.value).last()?;
    let field = tree.entries(*item).first()?;
    if edit::is_flow(tree, map) || edit::is_flow(tree, *item) || edit::is_flow(tree, list.value) {
        return None;
    }
    let run: Vec<&Entry> = entries
        .get(from..)?
        .iter()
        .take_while(|entry| chosen(tree.text(entry.key)))
        .collect();
    let wanted = column(tree, field.key_span.from());
    let blanks = wanted.checked_sub(column(tree, first.from()))?;
    (blanks > 0).then_some(())?;
    indented(tree, &run, blanks)
}

/// Returns the number of bytes before a place on its line.
fn column(tree: &Tree<'_>, at: usize) -> usize {
    at.saturating_sub(edit::line_start(tree.source(), at))
}

/// Returns the fields of the mapping under `field`, moved out of it.
pub fn move_out(tree: &Tree<'_>, map: NodeId, field: &str) -> Option<Vec<Edit>> {
    let entry = tree.entry(map, field)?;
    let inner = tree.node(entry.value);
    let fields = tree.entries(entry.value);
    let outer_flow = edit::is_flow(tree, map);
    let inner_flow = inner.style == Style::Flow;
    if !matches!(inner.kind, Kind::Map { .. }) || !inner.properties.is_empty() {
        return None;
    }
    edit::editable(tree, entry, outer_flow).ok()?;
    fields
        .iter()
        .try_for_each(|entry| edit::editable(tree, entry, inner_flow))
        .ok()?;
    // A field that also exists outside would occur twice.
    if fields
        .iter()
        .any(|field| tree.entry(map, tree.text(field.key)).is_some())
    {
        return None;
    }
    match (inner_flow, outer_flow) {
        (true, true) => out_of_braces_into_braces(tree, entry, fields),
        (true, false) => out_of_braces_onto_lines(tree, entry, fields),
        (false, true) => None,
        (false, false) => out_of_lines(tree, entry, fields),
    }
}

/// Returns the place of an entry whose value is in braces; `None`: a comment in it would be lost.
fn whole_in_braces(tree: &Tree<'_>, entry: &Entry) -> Option<Span> {
    let whole = Span::new(entry.key_span.from(), tree.span(entry.value).to());
    edit::comments_in(tree, whole).is_empty().then_some(whole)
}

/// Replaces `field: {a: 1, b: 2}` in braces by `a: 1, b: 2`.
fn out_of_braces_into_braces(
    tree: &Tree<'_>,
    entry: &Entry,
    fields: &[Entry],
) -> Option<Vec<Edit>> {
    let whole = whole_in_braces(tree, entry)?;
    let (first, last) = (fields.first()?, fields.last()?);
    let inside = tree.source().get(first.key_span.from()..end(tree, last))?;
    let mut edits = Edits::new();
    edits.replace(whole, inside);
    edits.sorted().ok()
}

/// Replaces `field: {a: 1, b: 2}` on a line of its own by a line for each of the fields.
fn out_of_braces_onto_lines(tree: &Tree<'_>, entry: &Entry, fields: &[Entry]) -> Option<Vec<Edit>> {
    let text = tree.source();
    let whole = whole_in_braces(tree, entry)?;
    if fields.is_empty() {
        return None;
    }
    let pad = edit::lead(text, whole.from())?;
    let separator = format!("{}{pad}", edit::line_break(text, whole.from()));
    let mut lines = Vec::with_capacity(fields.len());
    for field in fields {
        lines.push(text.get(field.key_span.from()..end(tree, field))?);
    }
    let mut edits = Edits::new();
    edits.replace(whole, lines.join(&separator));
    edits.sorted().ok()
}

/// Indents the fields below `field:` like it. The comments before the first field and the field take the place of the key.
fn out_of_lines(tree: &Tree<'_>, entry: &Entry, fields: &[Entry]) -> Option<Vec<Edit>> {
    let text = tree.source();
    let (first, last) = (fields.first()?, fields.last()?);
    let key = entry.key_span.from();
    let at = first.key_span.from();
    let outer = edit::lead(text, key)?.len();
    let inner = at.saturating_sub(edit::line_start(text, at));
    let width = inner.checked_sub(outer)?;
    let separator = format!("{}{}", edit::line_break(text, key), " ".repeat(outer));
    let mut written = String::new();
    for comment in edit::comments_in(tree, Span::new(key, at)) {
        written.push_str(text.get(comment.from()..comment.to())?.trim_end());
        written.push_str(&separator);
    }
    written.push_str(text.get(at..first.key_span.to())?);
    let mut edits = Edits::new();
    edits.replace(Span::new(key, first.key_span.to()), written);
    edits.outdent(text, at, end(tree, last), width);
    edits.sorted().ok()
}

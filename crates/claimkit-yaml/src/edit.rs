//! Changes of a text that keep everything else: comments, indentation, quotes and line ends.
//!
//! A change is read again before it is returned: it is what was asked for, and no other value has changed. What cannot be changed like
//! this is an error, never another text.
//!
//! ```
//! use claimkit_yaml::edit::{Step, insert, remove, set};
//!
//! let text = "images:\n# ours\n- name: web # the page\n  newTag: \"1\"\n- name: api\n";
//! let text = set(text, &[Step::Key("images"), Step::Item(0), Step::Key("newTag")], "'2'").unwrap();
//! assert_eq!(text, "images:\n# ours\n- name: web # the page\n  newTag: '2'\n- name: api\n");
//! let text = insert(&text, &[Step::Key("images")], 1, "{name: db}").unwrap();
//! let text = remove(&text, &[Step::Key("images"), Step::Item(0)]).unwrap();
//! assert_eq!(text, "images:\n- {name: db}\n- name: api\n");
//! ```

use crate::source::Span;
use crate::tree::{Entry, Kind, NodeId, Style, Tree};
use crate::yaml::{Bounds, Composed, read};
use std::fmt;

/// A step from a node to one inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'p> {
    /// The value of a key of a mapping.
    Key(&'p str),
    /// An item of a sequence, counted from 0.
    Item(usize),
}

impl<'p> From<&'p str> for Step<'p> {
    fn from(key: &'p str) -> Self {
        Step::Key(key)
    }
}

impl From<usize> for Step<'_> {
    fn from(item: usize) -> Self {
        Step::Item(item)
    }
}

/// Why a text is not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// The text, or the new value, cannot be read: the error of the reader.
    Syntax(String),
    /// There is nothing at the path.
    NoSuchPlace,
    /// The text has several documents.
    Several,
    /// The place is written in a form that is not changed: an anchor, an alias, a merge key, an explicit key, a tag.
    Form,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::Syntax(error) => f.write_str(error),
            EditError::NoSuchPlace => f.write_str("there is nothing at this path"),
            EditError::Several => f.write_str("the text has several documents"),
            EditError::Form => f.write_str("the place is written in a form that is not changed"),
        }
    }
}

impl std::error::Error for EditError {}

/// What a change does at the end of its path.
#[derive(Clone, Copy)]
enum Change<'v, 's> {
    Set(&'v Tree<'s>, NodeId),
    Insert(&'v Tree<'s>, NodeId),
    Remove,
}

/// Sets the value at a path. `value` is YAML without a line break at its end. If the last step is a key that the mapping does not
/// have, it becomes the mapping's last entry.
///
/// # Errors
/// See [`EditError`].
///
/// ```
/// use claimkit_yaml::edit::{Step, set};
/// assert_eq!(set("a: 1 # one\n", &[Step::Key("a")], "2").unwrap(), "a: 2 # one\n");
/// ```
pub fn set(text: &str, path: &[Step<'_>], value: &str) -> Result<String, EditError> {
    let document = whole(text)?;
    let new = whole(value)?;
    let (tree, root) = (&document.tree, document.root);
    let new_root = new.root.ok_or(EditError::NoSuchPlace)?;
    let Some((last, above)) = path.split_last() else {
        return Err(EditError::Form);
    };
    let changed = match root {
        // A text without a value becomes a mapping.
        None if above.is_empty() => {
            let Step::Key(key) = last else {
                return Err(EditError::NoSuchPlace);
            };
            let is_ended = text.is_empty() || text.ends_with('\n');
            let gap = if is_ended { "" } else { line_break(text) };
            format!(
                "{text}{gap}{}{}",
                entry_text(key, value, 0),
                line_break(text)
            )
        }
        None => return Err(EditError::NoSuchPlace),
        Some(root) => {
            let holder = node_at(tree, root, above)?;
            match *last {
                Step::Key(key) => set_key(tree, holder, key, value)?,
                Step::Item(at) => {
                    let item = tree.items(holder).get(at).ok_or(EditError::NoSuchPlace)?;
                    set_item(tree, holder, *item, value)?
                }
            }
        }
    };
    proved(&document, changed, path, Change::Set(&new.tree, new_root))
}

/// Puts an item before the one with this index into the sequence at a path; with the number of its items, at its end.
///
/// # Errors
/// See [`EditError`].
///
/// ```
/// use claimkit_yaml::edit::{Step, insert};
/// assert_eq!(insert("a:\n- 1\n", &[Step::Key("a")], 1, "2").unwrap(), "a:\n- 1\n- 2\n");
/// ```
pub fn insert(text: &str, path: &[Step<'_>], at: usize, value: &str) -> Result<String, EditError> {
    let document = whole(text)?;
    let new = whole(value)?;
    let tree = &document.tree;
    let root = document.root.ok_or(EditError::NoSuchPlace)?;
    let new_root = new.root.ok_or(EditError::NoSuchPlace)?;
    let list = node_at(tree, root, path)?;
    if !matches!(tree.kind(list), Kind::Seq { .. }) {
        return Err(EditError::NoSuchPlace);
    }
    let changed = insert_item(tree, list, at, value)?;
    let mut whole_path = path.to_vec();
    whole_path.push(Step::Item(at));
    proved(
        &document,
        changed,
        &whole_path,
        Change::Insert(&new.tree, new_root),
    )
}

/// Removes the entry or item at a path, with the comment on its lines and the comment lines directly above it.
///
/// # Errors
/// See [`EditError`].
///
/// ```
/// use claimkit_yaml::edit::{Step, remove};
/// assert_eq!(remove("a: 1\nb: 2\n", &[Step::Key("a")]).unwrap(), "b: 2\n");
/// ```
pub fn remove(text: &str, path: &[Step<'_>]) -> Result<String, EditError> {
    let document = whole(text)?;
    let tree = &document.tree;
    let root = document.root.ok_or(EditError::NoSuchPlace)?;
    let (last, above) = path.split_last().ok_or(EditError::Form)?;
    let holder = node_at(tree, root, above)?;
    let flow = tree.node(holder).style == Style::Flow;
    let parts = parts_of(tree, holder)?;
    let at = match *last {
        Step::Key(key) => {
            let entries = tree.entries(holder);
            let entry = entry_of(tree, holder, key)?;
            entries
                .iter()
                .position(|other| other.key_span == entry.key_span)
                .ok_or(EditError::NoSuchPlace)?
        }
        Step::Item(at) if at < tree.items(holder).len() => at,
        Step::Item(_) => return Err(EditError::NoSuchPlace),
    };
    let part = *parts.get(at).ok_or(EditError::NoSuchPlace)?;
    let changed = if flow {
        let next = parts.get(at.saturating_add(1));
        let before = at.checked_sub(1).and_then(|at| parts.get(at));
        let span = match (next, before) {
            (Some(next), _) => Span::new(part.from(), next.from()),
            (None, Some(before)) => Span::new(before.to(), part.to()),
            (None, None) => part,
        };
        replaced(text, span, "")
    } else if parts.len() == 1 {
        emptied(tree, holder, path, part)
    } else {
        let next = parts.get(at.saturating_add(1));
        let begin = begin_of(text, *last, part);
        replaced(text, lines_of(tree, begin, part, next), "")
    };
    proved(&document, changed, path, Change::Remove)
}

/// The comments of an entry or item: those on the lines directly above, and the one behind its first line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comments {
    /// The comment lines directly above, with `#` and without blanks around.
    pub above: Vec<Span>,
    /// The comment on the line where it begins.
    pub beside: Option<Span>,
}

/// Returns the comments of what is at a path.
///
/// ```
/// use claimkit_yaml::edit::{Step, comments};
/// use claimkit_yaml::yaml::{Bounds, read};
///
/// let text = "# ours\n# always\nname: web # the page\nport: 80\n";
/// let document = read(text, Bounds::default());
/// let found = comments(&document.tree, document.root.unwrap(), &[Step::Key("name")]).unwrap();
/// let words: Vec<&str> = found.above.iter().chain(&found.beside).map(|span| &text[span.from()..span.to()]).collect();
/// assert_eq!(words, ["# ours", "# always", "# the page"]);
/// ```
///
/// # Errors
/// There is nothing at the path, or it goes through an alias, an anchor or a merge key.
pub fn comments(tree: &Tree<'_>, root: NodeId, path: &[Step<'_>]) -> Result<Comments, EditError> {
    let (last, above) = path.split_last().ok_or(EditError::NoSuchPlace)?;
    let holder = node_at(tree, root, above)?;
    let start = match *last {
        Step::Key(key) => entry_of(tree, holder, key)?.key_span.from(),
        Step::Item(at) => {
            let item = tree.items(holder).get(at).ok_or(EditError::NoSuchPlace)?;
            let span = whole_node(tree, *item);
            let dash = dash_before(tree.source(), span.from());
            dash.unwrap_or(span.from())
        }
    };
    let text = tree.source();
    let line = line_start(text, start);
    let end = line_end(text, start);
    Ok(Comments {
        above: comments_above(tree, line),
        beside: tree
            .comments
            .iter()
            .find(|comment| start < comment.from() && comment.from() < end)
            .copied(),
    })
}

// ---- reading ----

fn whole(text: &str) -> Result<Composed<'_>, EditError> {
    let document = read(text, Bounds::default());
    if let Some(error) = &document.error {
        return Err(EditError::Syntax(error.to_string()));
    }
    let rest = document
        .end
        .and_then(|(end, _)| text.get(end as usize..))
        .unwrap_or_default();
    let goes_on = rest.lines().any(|line| {
        let text = line.trim_start();
        let is_separator = line.starts_with("---") || line.starts_with("...");
        !text.is_empty() && !text.starts_with('#') && !is_separator
    });
    if goes_on {
        return Err(EditError::Several);
    }
    Ok(document)
}

fn node_at(tree: &Tree<'_>, root: NodeId, path: &[Step<'_>]) -> Result<NodeId, EditError> {
    let mut node = root;
    for step in path {
        node = match *step {
            Step::Key(key) => entry_of(tree, node, key)?.value,
            Step::Item(at) => *tree.items(node).get(at).ok_or(EditError::NoSuchPlace)?,
        };
        // What an alias names is written elsewhere, and used elsewhere.
        if tree.resolve(node) != node || !tree.node(node).properties.is_empty() {
            return Err(EditError::Form);
        }
    }
    Ok(node)
}

fn entry_of<'t>(tree: &'t Tree<'_>, map: NodeId, key: &str) -> Result<&'t Entry, EditError> {
    let entry = tree.entry(map, key).ok_or(EditError::NoSuchPlace)?;
    if entry.merged {
        return Err(EditError::Form);
    }
    Ok(entry)
}

/// Returns the text of a node with its tag and anchor.
fn whole_node(tree: &Tree<'_>, id: NodeId) -> Span {
    let node = tree.node(id);
    if node.properties.is_empty() {
        node.span
    } else {
        node.properties.join(node.span)
    }
}

/// Returns one past the last byte of an entry that is not blank: of its value, or of its `:`.
fn entry_end(tree: &Tree<'_>, entry: &Entry) -> usize {
    let value = whole_node(tree, entry.value);
    if value.is_empty() {
        return colon_of(tree, entry).map_or(entry.key_span.to(), |colon| colon.saturating_add(1));
    }
    trimmed_end(tree.source(), value).max(entry.key_span.to())
}

fn trimmed_end(text: &str, span: Span) -> usize {
    let whole = span.slice_of(text).unwrap_or_default();
    let kept = whole.trim_end_matches([' ', '\t', '\n', '\r']).len();
    span.from().saturating_add(kept)
}

/// Returns the place of the `:` behind a key; `None` for an explicit key.
fn colon_of(tree: &Tree<'_>, entry: &Entry) -> Option<usize> {
    let end_of_key = entry.key_span.to();
    let rest = tree.source().get(end_of_key..)?;
    let behind_blanks = rest.trim_start_matches([' ', '\t']);
    let blanks = rest.len().saturating_sub(behind_blanks.len());
    behind_blanks
        .starts_with(':')
        .then(|| end_of_key.saturating_add(blanks))
}

/// Returns the spans of the entries or items of a collection, in order: from its key or value to the end of its value.
fn parts_of(tree: &Tree<'_>, holder: NodeId) -> Result<Vec<Span>, EditError> {
    let entries = tree.entries(holder);
    if entries.iter().any(|entry| entry.merged) {
        return Err(EditError::Form);
    }
    let mut parts: Vec<Span> = entries
        .iter()
        .map(|entry| Span::new(entry.key_span.from(), entry_end(tree, entry)))
        .collect();
    for item in tree.items(holder) {
        let span = whole_node(tree, *item);
        let end = trimmed_end(tree.source(), span).max(span.from());
        parts.push(Span::new(span.from(), end));
    }
    Ok(parts)
}

// ---- changing ----

fn replaced(text: &str, span: Span, new: &str) -> String {
    let before = text.get(..span.from()).unwrap_or_default();
    let behind = text.get(span.to()..).unwrap_or_default();
    format!("{before}{new}{behind}")
}

/// Returns `key: value`, with the lines of the value below the key if it has several.
fn entry_text(key: &str, value: &str, column: usize) -> String {
    format!(
        "{}:{}",
        quoted(key),
        value_text(value, column.saturating_add(2))
    )
}

/// Returns a value as it follows a colon or dash: on the same line, or on lines of its own at a column.
fn value_text(value: &str, column: usize) -> String {
    let lines = value.trim_end_matches(['\n', '\r']);
    if !lines.contains('\n') {
        return format!(" {lines}");
    }
    if lines.starts_with(['|', '>', '{', '[', '"', '\'']) {
        return format!(" {}", indented(lines, column));
    }
    format!("\n{}{}", " ".repeat(column), indented(lines, column))
}

/// Indents all lines but the first.
fn indented(value: &str, column: usize) -> String {
    let mut lines = value.split('\n');
    let mut out = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        out.push('\n');
        if !line.trim_end().is_empty() {
            out.push_str(&" ".repeat(column));
        }
        out.push_str(line);
    }
    out
}

/// Writes a key: plain where that reads as the same string.
fn quoted(key: &str) -> String {
    let document = read(key, Bounds::default());
    let is_same = document
        .root
        .is_some_and(|root| document.error.is_none() && document.tree.str(root) == Some(key));
    if is_same && !key.contains([':', '#', '\n']) {
        key.to_owned()
    } else {
        format!("'{}'", key.replace('\'', "''"))
    }
}

fn set_key(tree: &Tree<'_>, map: NodeId, key: &str, value: &str) -> Result<String, EditError> {
    let text = tree.source();
    if !tree.is_map(map) {
        return Err(EditError::NoSuchPlace);
    }
    if tree.entry(map, key).is_none() {
        return add_key(tree, map, key, value);
    }
    let entry = entry_of(tree, map, key)?;
    let colon = colon_of(tree, entry).ok_or(EditError::Form)?;
    let old = tree.node(entry.value);
    if tree.resolve(entry.value) != entry.value || !old.properties.is_empty() {
        return Err(EditError::Form);
    }
    let on_one_line = !value.trim_end().contains('\n');
    let is_inline = !matches!(old.style, Style::Block | Style::Literal | Style::Folded);
    if on_one_line && is_inline && !old.span.is_empty() {
        return Ok(replaced(text, old.span, value.trim_end()));
    }
    if tree.node(map).style == Style::Flow && !on_one_line {
        return Err(EditError::Form);
    }
    let column = entry
        .key_span
        .from()
        .saturating_sub(line_start(text, entry.key_span.from()));
    let span = Span::new(colon.saturating_add(1), entry_end(tree, entry));
    let new = value_text(value, column.saturating_add(2));
    Ok(replaced(text, span, &new))
}

fn add_key(tree: &Tree<'_>, map: NodeId, key: &str, value: &str) -> Result<String, EditError> {
    let text = tree.source();
    let span = tree.span(map);
    let parts = parts_of(tree, map)?;
    if tree.node(map).style == Style::Flow {
        if value.trim_end().contains('\n') {
            return Err(EditError::Form);
        }
        let entry = entry_text(key, value, 0);
        return Ok(match parts.last() {
            Some(last) => replaced(text, Span::at(last.to()), &format!(", {entry}")),
            None => replaced(text, Span::at(span.from().saturating_add(1)), &entry),
        });
    }
    let (first, last) = match (parts.first(), parts.last()) {
        (Some(first), Some(last)) => (*first, *last),
        _ => return Err(EditError::Form),
    };
    let column = first.from().saturating_sub(line_start(text, first.from()));
    let entry = format!(
        "{}{}{}",
        line_break(text),
        " ".repeat(column),
        entry_text(key, value, column)
    );
    Ok(replaced(text, Span::at(line_end(text, last.to())), &entry))
}

fn set_item(tree: &Tree<'_>, list: NodeId, item: NodeId, value: &str) -> Result<String, EditError> {
    let text = tree.source();
    let node = tree.node(item);
    if tree.resolve(item) != item || !node.properties.is_empty() {
        return Err(EditError::Form);
    }
    let end = trimmed_end(text, node.span).max(node.span.from());
    if tree.node(list).style == Style::Flow {
        if value.trim_end().contains('\n') {
            return Err(EditError::Form);
        }
        return Ok(replaced(
            text,
            Span::new(node.span.from(), end),
            value.trim_end(),
        ));
    }
    let dash = dash_before(text, node.span.from()).ok_or(EditError::Form)?;
    let column = dash.saturating_sub(line_start(text, dash));
    let new = format!(" {}", indented(value.trim_end(), column.saturating_add(2)));
    Ok(replaced(text, Span::new(dash.saturating_add(1), end), &new))
}

fn insert_item(tree: &Tree<'_>, list: NodeId, at: usize, value: &str) -> Result<String, EditError> {
    let text = tree.source();
    let parts = parts_of(tree, list)?;
    if at > parts.len() {
        return Err(EditError::NoSuchPlace);
    }
    let new = value.trim_end();
    if tree.node(list).style == Style::Flow {
        if new.contains('\n') {
            return Err(EditError::Form);
        }
        return Ok(match (parts.get(at), parts.last()) {
            (Some(next), _) => replaced(text, Span::at(next.from()), &format!("{new}, ")),
            (None, Some(last)) => replaced(text, Span::at(last.to()), &format!(", {new}")),
            (None, None) => {
                let inside = tree.span(list).from().saturating_add(1);
                replaced(text, Span::at(inside), new)
            }
        });
    }
    let first = parts.first().ok_or(EditError::Form)?;
    let dash = dash_before(text, first.from()).ok_or(EditError::Form)?;
    let column = dash.saturating_sub(line_start(text, dash));
    let line = format!(
        "{}- {}",
        " ".repeat(column),
        indented(new, column.saturating_add(2))
    );
    let break_line = line_break(text);
    let Some(next) = parts.get(at) else {
        let last = parts.last().ok_or(EditError::Form)?;
        let end = Span::at(line_end(text, last.to()));
        return Ok(replaced(text, end, &format!("{break_line}{line}")));
    };
    let dash_of_next = dash_before(text, next.from()).ok_or(EditError::Form)?;
    let line_of_next = line_start(text, dash_of_next);
    if !is_blank(text, line_of_next, dash_of_next) {
        return Err(EditError::Form);
    }
    let place = Span::at(start_with_comments(tree, line_of_next));
    Ok(replaced(text, place, &format!("{line}{break_line}")))
}

/// Returns the text with an empty collection in the place of one whose only part goes.
fn emptied(tree: &Tree<'_>, holder: NodeId, path: &[Step<'_>], part: Span) -> String {
    let text = tree.source();
    let Some((last, above)) = path.split_last() else {
        return text.to_owned();
    };
    let empty = match last {
        Step::Key(_) => "{}",
        Step::Item(_) => "[]",
    };
    let span = tree.span(holder);
    let lines = lines_of(tree, begin_of(text, *last, part), part, None);
    if above.is_empty() {
        return replaced(text, lines, &format!("{empty}{}", line_break(text)));
    }
    // Behind the colon or dash of what holds it, on that line.
    let kept = content_end(tree, span.from().min(lines.from()));
    let gap = text.get(kept..span.from()).unwrap_or_default();
    if gap.contains('\n') {
        let removed = replaced(text, lines, "");
        return replaced(&removed, Span::at(kept), &format!(" {empty}"));
    }
    replaced(text, Span::new(span.from(), part.to()), empty)
}

/// Returns one past the last byte before a place that is neither blank nor in a comment.
fn content_end(tree: &Tree<'_>, at: usize) -> usize {
    let text = tree.source();
    let mut end = end_of_text(text, at);
    for comment in tree.comments.iter().rev() {
        if comment.from() < end && end <= comment.to() {
            end = end_of_text(text, comment.from());
        }
    }
    end
}

/// Returns where the text before a place ends, without blanks.
fn end_of_text(text: &str, before: usize) -> usize {
    let head = text.get(..before).unwrap_or_default();
    head.trim_end_matches([' ', '\n', '\r', '\t']).len()
}

/// Counts the entries of a map that no later one replaces.
fn count_entries(tree: &Tree<'_>, map: NodeId) -> usize {
    let entries = tree.entries(map).iter();
    entries.filter(|entry| !entry.shadowed).count()
}

/// Returns where an entry or item begins: an item at its dash.
fn begin_of(text: &str, step: Step<'_>, part: Span) -> usize {
    match step {
        Step::Key(_) => part.from(),
        Step::Item(_) => dash_before(text, part.from()).unwrap_or(part.from()),
    }
}

/// Returns the lines of a part of a block that begins at a byte, with the comment lines above it. A part that does not begin its line,
/// such as the first key of an item, goes up to the next part.
fn lines_of(tree: &Tree<'_>, begin: usize, part: Span, next: Option<&Span>) -> Span {
    let text = tree.source();
    let start = line_start(text, begin);
    if !is_blank(text, start, begin) {
        let end = next.map_or(part.to(), |next| next.from());
        return Span::new(part.from(), end);
    }
    let from = start_with_comments(tree, start);
    Span::new(from, next_line(text, part.to()))
}

// ---- lines ----

fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before
        .rfind('\n')
        .map_or(0, |at| at.saturating_add(1))
        .max(if text.starts_with('\u{feff}') { 3 } else { 0 })
}

fn line_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let end = rest.find('\n').unwrap_or(rest.len());
    let cut = rest.get(..end).is_some_and(|line| line.ends_with('\r'));
    at.saturating_add(end.saturating_sub(usize::from(cut)))
}

pub(crate) fn next_line(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at.saturating_add(
        rest.find('\n')
            .map_or(rest.len(), |end| end.saturating_add(1)),
    )
}

fn line_break(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn is_blank(text: &str, from: usize, to: usize) -> bool {
    text.get(from..to)
        .is_some_and(|part| part.chars().all(|c| c == ' '))
}

/// Returns the place of the `-` before a block item on its line.
fn dash_before(text: &str, at: usize) -> Option<usize> {
    let line = text.get(line_start(text, at)..at)?;
    let kept = line.trim_end_matches(' ');
    kept.ends_with('-').then(|| {
        line_start(text, at)
            .saturating_add(kept.len())
            .saturating_sub(1)
    })
}

/// Returns the comments that have the lines directly above a line for themselves, the first one first.
fn comments_above(tree: &Tree<'_>, line: usize) -> Vec<Span> {
    let text = tree.source();
    let mut found = Vec::new();
    let mut below = line;
    while let Some(end) = below.checked_sub(1) {
        let start = line_start(text, end);
        let own = tree
            .comments
            .iter()
            .find(|comment| start <= comment.from() && comment.from() < end)
            .filter(|comment| is_blank(text, start, comment.from()));
        let Some(comment) = own else { break };
        found.push(*comment);
        if start == below {
            break;
        }
        below = start;
    }
    found.reverse();
    found
}

/// Returns the start of the comment lines directly above a line; of the line itself if there are none.
fn start_with_comments(tree: &Tree<'_>, line: usize) -> usize {
    match comments_above(tree, line).first() {
        Some(comment) => line_start(tree.source(), comment.from()),
        None => line,
    }
}

// ---- proof ----

/// Returns a changed text if it reads as the old one with the change, and nothing else.
fn proved(
    before: &Composed<'_>,
    changed: String,
    path: &[Step<'_>],
    change: Change<'_, '_>,
) -> Result<String, EditError> {
    let is_proved = {
        let after = whole(&changed).map_err(|_| EditError::Form)?;
        match (before.root, after.root) {
            (Some(old), Some(new)) => Comparison {
                old: &before.tree,
                new: &after.tree,
                change,
            }
            .differs_only_at(path, old, new),
            (None, Some(new)) => is_only_entry(&after.tree, new, path, change),
            (_, None) => false,
        }
    };
    if is_proved {
        Ok(changed)
    } else {
        Err(EditError::Form)
    }
}

/// Returns true if a text that had no value has the one entry that was set.
fn is_only_entry(tree: &Tree<'_>, root: NodeId, path: &[Step<'_>], change: Change<'_, '_>) -> bool {
    let ([Step::Key(key)], Change::Set(value, value_root)) = (path, change) else {
        return false;
    };
    let written = tree.get(root, key);
    tree.entries(root).len() == 1 && written.is_some_and(|id| equal(value, value_root, tree, id))
}

/// A tree before and after a change.
#[derive(Clone, Copy)]
struct Comparison<'t, 's> {
    old: &'t Tree<'s>,
    new: &'t Tree<'t>,
    change: Change<'t, 's>,
}

impl Comparison<'_, '_> {
    /// Returns true if the change is all that differs between the nodes `x` and `y`, and is at the path below them.
    fn differs_only_at(self, path: &[Step<'_>], x: NodeId, y: NodeId) -> bool {
        match path.split_first() {
            Some((Step::Key(key), rest)) => self.differs_only_at_key(key, rest, x, y),
            Some((Step::Item(at), rest)) => self.differs_only_at_item(*at, rest, x, y),
            None => self.has_new_value(y),
        }
    }

    fn has_new_value(self, node: NodeId) -> bool {
        match self.change {
            Change::Set(value, root) | Change::Insert(value, root) => {
                equal(value, root, self.new, node)
            }
            Change::Remove => false,
        }
    }

    fn differs_only_at_key(self, key: &str, rest: &[Step<'_>], x: NodeId, y: NodeId) -> bool {
        let Comparison { old, new, change } = self;
        if !old.is_map(x) || !new.is_map(y) {
            return false;
        }
        let are_others_same = old.entries(x).iter().all(|entry| {
            let name = old.text(entry.key);
            let is_other = !entry.shadowed && name != key;
            !is_other
                || new
                    .get(y, name)
                    .is_some_and(|other| equal(old, entry.value, new, other))
        });
        if !are_others_same {
            return false;
        }
        let (was, is) = (old.get(x, key), new.get(y, key));
        let (count, new_count) = (count_entries(old, x), count_entries(new, y));
        match (rest, change, is) {
            ([], Change::Remove, _) => is.is_none() && count == new_count.saturating_add(1),
            ([], Change::Set(..), Some(is)) => {
                let added = usize::from(was.is_none());
                self.has_new_value(is) && new_count == count.saturating_add(added)
            }
            ([], Change::Set(..), None) => false,
            _ => {
                let (Some(was), Some(is)) = (was, is) else {
                    return false;
                };
                count == new_count && self.differs_only_at(rest, was, is)
            }
        }
    }

    fn differs_only_at_item(self, at: usize, rest: &[Step<'_>], x: NodeId, y: NodeId) -> bool {
        let Comparison { old, new, change } = self;
        let (Kind::Seq { .. }, Kind::Seq { .. }) = (old.kind(x), new.kind(y)) else {
            return false;
        };
        let old_items = old.items(x);
        let new_items = new.items(y);
        let is_at_item = rest.is_empty();
        let is_inserted = is_at_item && matches!(change, Change::Insert(..));
        let is_removed = is_at_item && matches!(change, Change::Remove);
        let is_changed = match (old_items.get(at), new_items.get(at)) {
            _ if is_removed => true,
            (_, Some(new_item)) if is_at_item => self.has_new_value(*new_item),
            (Some(old_item), Some(new_item)) => self.differs_only_at(rest, *old_item, *new_item),
            _ => false,
        };
        // The old list has no item that was inserted, the new one has none that was removed.
        let next = at.saturating_add(1);
        let old_behind = if is_inserted { at } else { next };
        let new_behind = if is_removed { at } else { next };
        is_changed
            && are_parts_equal(old, old_items.get(..at), new, new_items.get(..at))
            && are_parts_equal(
                old,
                old_items.get(old_behind..),
                new,
                new_items.get(new_behind..),
            )
    }
}

/// Returns true if both lists have the part, with the same values.
fn are_parts_equal(
    a: &Tree<'_>,
    part: Option<&[NodeId]>,
    b: &Tree<'_>,
    other: Option<&[NodeId]>,
) -> bool {
    match (part, other) {
        (Some(part), Some(other)) => all_equal(a, part, b, other),
        _ => false,
    }
}

/// Returns true if two lists have the same values, in the same order.
fn all_equal(a: &Tree<'_>, some: &[NodeId], b: &Tree<'_>, others: &[NodeId]) -> bool {
    let mut pairs = some.iter().zip(others);
    some.len() == others.len() && pairs.all(|(x, y)| equal(a, *x, b, *y))
}

/// Returns true if two nodes have the same value.
fn equal(a: &Tree<'_>, x: NodeId, b: &Tree<'_>, y: NodeId) -> bool {
    match (a.kind(x), b.kind(y)) {
        (Kind::Seq { .. }, Kind::Seq { .. }) => all_equal(a, a.items(x), b, b.items(y)),
        (Kind::Map { .. }, Kind::Map { .. }) => {
            let (one, other) = (a.entries(x), b.entries(y));
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| {
                    a.text(one.key) == b.text(other.key) && equal(a, one.value, b, other.value)
                })
        }
        (Kind::Str(_), Kind::Str(_)) => a.str(x) == b.str(y),
        (Kind::Number(one), Kind::Number(other)) => a.slice(one) == b.slice(other),
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# the top
namespace: team-a # ours
resources:
# first
- ../base # always
- claim.yaml

# second
- more.yaml
labels: {app: web}
images:
  - name: web
    newTag: \"1\" # quoted
  - newTag: '2'
commonAnnotations:
  note: |
    two
    lines
empty:
";

    fn keys<'p>(path: &'p [&'p str]) -> Vec<Step<'p>> {
        path.iter()
            .map(|step| step.parse().map_or(Step::Key(step), Step::Item))
            .collect()
    }

    fn changed(new: Result<String, EditError>) -> (String, String) {
        let new = new.unwrap();
        let (old, new): (Vec<&str>, Vec<&str>) = (TEXT.lines().collect(), new.lines().collect());
        let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let most = old.len().min(new.len()) - head;
        let tail = old
            .iter()
            .rev()
            .zip(new.iter().rev())
            .take(most)
            .take_while(|(a, b)| a == b)
            .count();
        (
            old[head..old.len() - tail].join("\n"),
            new[head..new.len() - tail].join("\n"),
        )
    }

    #[test]
    fn values_are_set() {
        let set = |path: &[&str], value: &str| changed(set(TEXT, &keys(path), value));
        let lines = |old: &str, new: &str| (old.to_owned(), new.to_owned());
        assert_eq!(
            set(&["namespace"], "team-b"),
            lines("namespace: team-a # ours", "namespace: team-b # ours")
        );
        assert_eq!(
            set(&["images", "0", "newTag"], "'3'"),
            lines("    newTag: \"1\" # quoted", "    newTag: '3' # quoted")
        );
        assert_eq!(
            set(&["labels", "tier"], "page"),
            lines("labels: {app: web}", "labels: {app: web, tier: page}")
        );
        assert_eq!(set(&["empty"], "1"), lines("empty:", "empty: 1"));
        assert_eq!(
            set(&["empty"], "a: 1\nb: [x]"),
            lines("", "  a: 1\n  b: [x]")
        );
        assert_eq!(
            set(&["commonAnnotations", "note"], "short"),
            lines("  note: |\n    two\n    lines", "  note: short")
        );
        assert_eq!(
            set(&["commonAnnotations", "a:b"], "c"),
            lines("", "  'a:b': c")
        );
        assert_eq!(
            set(&["images", "1", "name"], "api"),
            lines("", "    name: api")
        );
        assert_eq!(
            set(&["resources", "1"], "other.yaml"),
            lines("- claim.yaml", "- other.yaml")
        );
        for (text, changed) in [
            ("", "a: 1\n"),
            ("# top", "# top\na: 1\n"),
            ("# top\r\n", "# top\r\na: 1\r\n"),
        ] {
            assert_eq!(super::set(text, &[Step::Key("a")], "1").unwrap(), changed);
        }
    }

    #[test]
    fn items_are_inserted_and_removed() {
        let lines = |old: &str, new: &str| (old.to_owned(), new.to_owned());
        let resources = [Step::Key("resources")];
        assert_eq!(
            changed(insert(TEXT, &resources, 3, "last.yaml")),
            lines("", "- last.yaml")
        );
        assert_eq!(
            changed(insert(
                TEXT,
                &[Step::Key("images")],
                1,
                "name: db\nnewTag: '5'"
            )),
            lines("", "  - name: db\n    newTag: '5'")
        );
        let remove = |path: &[&str]| changed(remove(TEXT, &keys(path)));
        assert_eq!(
            remove(&["resources", "2"]),
            lines("# second\n- more.yaml", "")
        );
        assert_eq!(
            remove(&["resources", "0"]),
            lines("# first\n- ../base # always", "")
        );
        assert_eq!(
            remove(&["images", "0", "name"]),
            lines(
                "  - name: web\n    newTag: \"1\" # quoted",
                "  - newTag: \"1\" # quoted"
            )
        );
        assert_eq!(
            remove(&["labels", "app"]),
            lines("labels: {app: web}", "labels: {}")
        );
        assert_eq!(
            remove(&["commonAnnotations", "note"]),
            lines(
                "commonAnnotations:\n  note: |\n    two\n    lines",
                "commonAnnotations: {}"
            )
        );
        assert_eq!(
            super::remove("a: # note\n  b: 1\n", &keys(&["a", "b"])).unwrap(),
            "a: {} # note\n"
        );
        assert_eq!(
            remove(&["namespace"]),
            lines("# the top\nnamespace: team-a # ours", "")
        );
    }

    #[test]
    fn what_cannot_be_changed_is_an_error() {
        let text = "a: &x {b: 1}\nc: *x\nd: {<<: *x}\n";
        for path in [&["a", "b"][..], &["c", "b"], &["d", "b"]] {
            assert_eq!(
                set(text, &keys(path), "2"),
                Err(EditError::Form),
                "{path:?}"
            );
        }
        assert_eq!(
            set(text, &keys(&["e", "f"]), "2"),
            Err(EditError::NoSuchPlace)
        );
        assert!(matches!(
            set("a: [", &keys(&["a"]), "2"),
            Err(EditError::Syntax(_))
        ));
        assert!(matches!(
            set("a: 1\n", &keys(&["a"]), "[2"),
            Err(EditError::Syntax(_))
        ));
        assert_eq!(
            set("a: 1\n---\nb: 2\n", &keys(&["a"]), "2"),
            Err(EditError::Several)
        );
        assert_eq!(remove("a: 1\n", &[]), Err(EditError::Form));
        for text in ["a: 1\n", "a: 1\nb: 2\n"] {
            assert_eq!(remove(text, &[Step::Item(0)]), Err(EditError::NoSuchPlace));
        }
        assert_eq!(
            remove("a:\n# one\n- b\nc: d\n", &[Step::Key("a"), Step::Item(0)]).unwrap(),
            "a: []\nc: d\n"
        );
    }

    #[test]
    fn line_ends_stay() {
        let text = "a:\r\n- b\r\nc: d\r\n";
        assert_eq!(
            insert(text, &[Step::Key("a")], 1, "e").unwrap(),
            "a:\r\n- b\r\n- e\r\nc: d\r\n"
        );
        assert_eq!(remove(text, &[Step::Key("c")]).unwrap(), "a:\r\n- b\r\n");
    }
}

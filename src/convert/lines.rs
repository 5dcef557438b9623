//! Lines and their comments, for moves that a back-conversion can undo.
//!
//! When a nesting level is removed, the comment on the removed key's line keeps its column, and comments below it keep their
//! deeper column. From the columns the back-conversion knows where they belong.

use super::edits::column;
use claimkit_model::text::Span;
use claimkit_model::text::edit::{self, Edits, begins_line, line_end, line_start, next_line};
use claimkit_model::text::tree::{Kind, Style, Tree};

/// Returns how far this document indents the fields of a struct below its key: the first that does; else 2.
pub fn unit(tree: &Tree<'_>) -> usize {
    let text = tree.source();
    let found = tree
        .ids()
        .flat_map(|node| tree.entries(node))
        .filter(|entry| !entry.merged)
        .find_map(|entry| {
            let value = tree.node(entry.value);
            if value.style != Style::Block || !matches!(value.kind, Kind::Map { .. }) {
                return None;
            }
            let first = tree.entries(entry.value).first()?;
            column(text, first.key_span.from()).checked_sub(column(text, entry.key_span.from()))
        });
    found.filter(|unit| *unit > 0).unwrap_or(2)
}

/// Returns the column of the comment on a line that holds nothing else.
pub fn comment_column(tree: &Tree<'_>, line: usize) -> Option<usize> {
    let text = tree.source();
    let blanks = text
        .get(line..)
        .unwrap_or("")
        .bytes()
        .take_while(|&b| b == b' ')
        .count();
    let at = line.saturating_add(blanks);
    let comments = edit::comments_in(tree, Span::new(at, at.saturating_add(1)));
    comments
        .iter()
        .any(|comment| comment.from() == at)
        .then_some(blanks)
}

/// Returns the start of the line above.
fn above(text: &str, line: usize) -> Option<usize> {
    let head = text.get(..line)?;
    let before_break = head
        .strip_suffix('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .or(head.strip_suffix('\r'))?;
    Some(line_start(text, before_break.len()))
}

/// Returns the first of the comment lines directly above a line whose column is at least `column`; the line itself if there is
/// none.
pub fn deep_comments(tree: &Tree<'_>, line: usize, column: usize) -> usize {
    let mut first = line;
    while let Some(above) = above(tree.source(), first) {
        if above >= first || comment_column(tree, above).is_none_or(|at| at < column) {
            break;
        }
        first = above;
    }
    first
}

/// Returns the start of the line above if it holds nothing but a comment at such a column; else of the line itself.
pub fn comment_above(tree: &Tree<'_>, line: usize, column: impl Fn(usize) -> bool) -> usize {
    match above(tree.source(), line) {
        Some(above) if above < line && comment_column(tree, above).is_some_and(&column) => above,
        _ => line,
    }
}

/// Returns the blanks that replace a key of `width` bytes after a dash on the line above, if a comment after the key is kept.
pub fn blanks_behind_dash(
    tree: &Tree<'_>,
    line: usize,
    column: usize,
    width: usize,
) -> Option<usize> {
    let text = tree.source();
    let line = above(text, line)?;
    let comment = edit::comments_in(tree, Span::new(line, line_end(text, line))).first()?;
    let head = text.get(line..comment.from())?.trim_end();
    let from = line.saturating_add(column);
    let dash = head.trim_start_matches([' ', '-']).is_empty() && head.ends_with('-');
    (dash && head.len() < column && comment.from() > from.saturating_add(width)).then_some(from)
}

/// Moves the lines that begin after byte `from`, up to byte `to`, to the right; not comments left of `column`.
pub fn indent(
    edits: &mut Edits,
    tree: &Tree<'_>,
    from: usize,
    to: usize,
    column: usize,
    width: usize,
) {
    for start in edit::lines_between(tree.source(), from, to) {
        if comment_column(tree, start).is_none_or(|at| at >= column) {
            edits.insert(start, " ".repeat(width));
        }
    }
}

/// Moves them to the left, as far as there are blanks; not comments left of `column`.
pub fn outdent(
    edits: &mut Edits,
    tree: &Tree<'_>,
    from: usize,
    to: usize,
    column: usize,
    width: usize,
) {
    let text = tree.source();
    for start in edit::lines_between(text, from, to) {
        if comment_column(tree, start).is_none_or(|at| at >= column) {
            let blanks = text
                .get(start..)
                .unwrap_or("")
                .bytes()
                .take(width)
                .take_while(|&b| b == b' ')
                .count();
            edits.remove(Span::new(start, start.saturating_add(blanks)));
        }
    }
}

/// Returns the comment that ends the line of byte `at`, behind it.
pub fn comment_behind(tree: &Tree<'_>, at: usize) -> Option<Span> {
    let line = Span::new(at, line_end(tree.source(), at));
    edit::comments_in(tree, line).first().copied()
}

/// Takes the text of a field's key and colon out of its line: the whole line, or, if there is a comment on it, everything else.
pub fn remove_key_line(edits: &mut Edits, tree: &Tree<'_>, key: Span, colon: usize) {
    let text = tree.source();
    if comment_behind(tree, colon).is_some() {
        edits.replace(
            Span::new(key.from(), colon),
            " ".repeat(colon.saturating_sub(key.from())),
        );
    } else if begins_line(text, key.from()) {
        edits.remove(Span::new(
            line_start(text, key.from()),
            next_line(text, key.from()),
        ));
    } else {
        let before = text.get(..key.from()).unwrap_or("");
        edits.remove(Span::new(
            before.trim_end_matches(' ').len(),
            line_end(text, colon),
        ));
    }
}

/// Returns one past the colon behind a key.
pub fn colon_after(text: &str, key: Span) -> Option<usize> {
    let tail = text.get(key.to()..)?;
    let blank = tail
        .len()
        .saturating_sub(tail.trim_start_matches([' ', '\t']).len());
    (tail.as_bytes().get(blank) == Some(&b':'))
        .then(|| key.to().saturating_add(blank).saturating_add(1))
}

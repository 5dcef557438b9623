//! Edits on text: replace, insert, remove, shift. Everything else keeps its comments, indentation and line ends.
//!
//! Edits refer to the original text and are applied together. This module also answers questions about the layout of the text:
//! whether a key begins its line, how far it is indented, where an entry ends.

use super::source::Span;
use super::tree::{Entry, Kind, NodeId, Style, Tree};
use crate::finding::Edit;
use crate::message::{Message, message};
use claimkit_values::order;

/// Why an edit is not safe. A document with an unsafe edit is printed anew instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsafe {
    /// The field comes from a merge key `<<`.
    Merged,
    /// The field has a form that edits do not support: an explicit key, a key with an anchor or tag, an alias.
    Form,
    /// Two edits overlap: two places use the same anchor.
    Overlap,
}

impl Unsafe {
    /// Returns the reason in words, for a message.
    pub fn reason(self) -> Message {
        match self {
            Unsafe::Merged => message!(
                "text.unsafe-merged",
                "a field to change came by a merge key `<<`"
            ),
            Unsafe::Form => message!(
                "text.unsafe-form",
                "a field to change is written in a form that is not edited (explicit key, tag, anchor or alias)",
            ),
            Unsafe::Overlap => message!(
                "text.unsafe-overlap",
                "an anchor to change is used where it must stay"
            ),
        }
    }
}

/// Edits of one text.
#[derive(Debug, Default)]
pub struct Edits {
    edits: Vec<Edit>,
}

impl Edits {
    /// Creates an empty list of edits.
    pub fn new() -> Self {
        Edits::default()
    }

    /// Returns true if there are no edits.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Replaces a span with `new_text`. Equal edits (of an anchor with two aliases) count once.
    pub fn replace(&mut self, span: Span, new_text: impl Into<String>) {
        let edit = Edit {
            span,
            new_text: new_text.into(),
        };
        if !edit.span.is_empty() || !edit.new_text.is_empty() {
            self.edits.push(edit);
        }
    }

    /// Inserts before a byte.
    pub fn insert(&mut self, at: usize, new_text: impl Into<String>) {
        self.replace(Span::at(at), new_text);
    }

    /// Removes a span.
    pub fn remove(&mut self, span: Span) {
        self.replace(span, "");
    }

    /// Appends all edits of another collection.
    pub fn append(&mut self, other: Edits) {
        self.edits.extend(other.edits);
    }

    /// Sorts the edits in the order of the text; an error if two overlap.
    pub fn sorted(mut self) -> Result<Vec<Edit>, Unsafe> {
        order::sort_by(&mut self.edits, |a, b| {
            (a.span, &a.new_text).cmp(&(b.span, &b.new_text))
        });
        self.edits.dedup();
        for pair in self.edits.windows(2) {
            if let [one, two] = pair
                && (two.span.start < one.span.end || (one.span == two.span && !one.span.is_empty()))
            {
                return Err(Unsafe::Overlap);
            }
        }
        Ok(self.edits)
    }
}

/// Applies edits to a text; they must be in order and must not overlap.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let grown: usize = edits.iter().map(|edit| edit.new_text.len()).sum();
    let mut out = String::with_capacity(text.len().saturating_add(grown));
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.span.from()).unwrap_or(""));
        out.push_str(&edit.new_text);
        at = edit.span.to();
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

// ---- lines ----

/// Returns the first byte of the line that holds byte `at`.
pub fn line_start(text: &str, at: usize) -> usize {
    let head = text.as_bytes().get(..at).unwrap_or_default();
    memchr::memrchr2(b'\n', b'\r', head).map_or(0, |break_at| break_at.saturating_add(1))
}

/// Returns one past the last byte of the line that holds byte `at`, its line end not included.
pub fn line_end(text: &str, at: usize) -> usize {
    let tail = text.as_bytes().get(at..).unwrap_or_default();
    at.saturating_add(memchr::memchr2(b'\n', b'\r', tail).unwrap_or(tail.len()))
}

/// Returns the first byte of the line after the one that holds byte `at`; the end of the text if there is none.
pub fn next_line(text: &str, at: usize) -> usize {
    let end = line_end(text, at);
    let width = match text.as_bytes().get(end..) {
        Some([b'\r', b'\n', ..]) => 2,
        Some([_, ..]) => 1,
        _ => 0,
    };
    end.saturating_add(width)
}

/// Returns the line break to write near byte `at`: that of its line, otherwise that of the line before, otherwise `\n`.
pub fn line_break(text: &str, at: usize) -> &str {
    let here = text
        .get(line_end(text, at)..next_line(text, at))
        .unwrap_or("");
    if !here.is_empty() {
        return here;
    }
    let start = line_start(text, at);
    let head = text.get(..start).unwrap_or("");
    if head.ends_with("\r\n") {
        "\r\n"
    } else if head.ends_with('\r') {
        "\r"
    } else {
        "\n"
    }
}

/// Returns spaces as wide as the text before byte `at` on its line, if that text is only spaces and `-` of list items.
pub fn lead(text: &str, at: usize) -> Option<String> {
    let head = text.get(..at)?;
    let rest = head.trim_end_matches([' ', '-']);
    let width = head.len().saturating_sub(rest.len());
    ends_line(rest).then(|| " ".repeat(width))
}

/// Returns true if a line begins after this part of a text. Looks no further than needed: all of a text can be one line.
fn ends_line(head: &str) -> bool {
    let line = head.trim_end_matches('\u{feff}');
    line.is_empty() || line.ends_with(['\n', '\r'])
}

/// Returns true if only spaces are before byte `at` on its line.
pub fn begins_line(text: &str, at: usize) -> bool {
    text.get(..at)
        .is_some_and(|head| ends_line(head.trim_end_matches(' ')))
}

/// Returns the number of spaces from byte `at` on.
fn leading_spaces(text: &str, at: usize) -> usize {
    let tail = text.as_bytes().get(at..).unwrap_or_default();
    tail.iter().take_while(|&&byte| byte == b' ').count()
}

/// Returns the starts of the non-empty lines that begin after byte `from` and before byte `to`.
pub fn lines_between(text: &str, from: usize, to: usize) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = next_line(text, from);
    while at < to {
        let end = line_end(text, at);
        if end > at {
            starts.push(at);
        }
        let next = next_line(text, at);
        if next <= at {
            break;
        }
        at = next;
    }
    starts
}

impl Edits {
    /// Moves the lines that begin between bytes `from` and `to` to the right.
    pub fn indent(&mut self, text: &str, from: usize, to: usize, width: usize) {
        for start in lines_between(text, from, to) {
            self.insert(start, " ".repeat(width));
        }
    }

    /// Moves these lines to the left, as far as they begin with spaces.
    pub fn outdent(&mut self, text: &str, from: usize, to: usize, width: usize) {
        for start in lines_between(text, from, to) {
            let spaces = leading_spaces(text, start).min(width);
            self.remove(Span::new(start, start.saturating_add(spaces)));
        }
    }
}

impl Edits {
    /// Moves comment lines directly below a block scalar to the left if they would become part of the scalar after its lines
    /// moved by `width`.
    pub fn outdent_comments(&mut self, tree: &Tree<'_>, scalar: Span, width: usize) {
        let text = tree.source();
        let lines = lines_between(text, scalar.from(), scalar.to());
        let columns = lines.into_iter().map(|line| leading_spaces(text, line));
        let content = columns.min().unwrap_or(0);
        let mut at = next_line(text, scalar.to());
        while at < text.len() {
            let column = leading_spaces(text, at);
            let hash = at.saturating_add(column);
            if hash < line_end(text, at) {
                let comments = comments_in(tree, Span::new(hash, hash.saturating_add(1)));
                if comments.is_empty() {
                    return;
                }
                if column >= content.saturating_sub(width) {
                    self.remove(Span::new(at, at.saturating_add(width.min(column))));
                }
            }
            at = next_line(text, at);
        }
    }
}

// ---- nodes and entries ----

/// Returns the bytes that two texts have in common at their beginning, and what differs between those and the bytes that they have in
/// common at their end; `None` if a character would be cut.
fn difference<'o, 'n>(old: &'o str, new: &'n str) -> Option<(usize, &'o str, &'n str)> {
    let pairs = old.bytes().zip(new.bytes());
    let head = pairs.take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (old.get(head..)?, new.get(head..)?);
    let pairs_from_end = old_rest.bytes().rev().zip(new_rest.bytes().rev());
    let tail = pairs_from_end.take_while(|(a, b)| a == b).count();
    let old_middle = old_rest.get(..old_rest.len().saturating_sub(tail))?;
    let new_middle = new_rest.get(..new_rest.len().saturating_sub(tail))?;
    Some((head, old_middle, new_middle))
}

/// Finds the span of each character of an ASCII string in its scalar; `None` if the spans are unknown.
fn places(text: &str, span: Span, style: Style, value: &str) -> Option<Vec<Span>> {
    let written = span.slice_of(text)?;
    if !value.is_ascii() {
        return None;
    }
    if let Some(at) = written.find(value) {
        let start = span.from().saturating_add(at);
        let bytes = start..start.saturating_add(value.len());
        return Some(
            bytes
                .map(|at| Span::new(at, at.saturating_add(1)))
                .collect(),
        );
    }
    if style != Style::DoubleQuoted {
        return None;
    }
    let bytes = text.as_bytes();
    let mut places = Vec::new();
    let mut at = span.from().saturating_add(1);
    let end = span.to().checked_sub(1)?;
    while at < end {
        let width = match (bytes.get(at)?, bytes.get(at.saturating_add(1))) {
            // An escaped line break and the blanks after it add nothing to the value.
            (b'\\', Some(b'\n' | b'\r')) => {
                let rest = text.get(at.saturating_add(1)..end)?;
                let behind = rest.trim_start_matches([' ', '\t', '\n', '\r']);
                at = end.saturating_sub(behind.len());
                continue;
            }
            (b'\\', Some(b'x')) => 4,
            (b'\\', Some(b'u')) => 6,
            (b'\\', Some(b'U')) => 10,
            (b'\\', _) => 2,
            _ => 1,
        };
        let next = at.saturating_add(width);
        places.push(Span::new(at, next));
        at = next;
    }
    (places.len() == value.len()).then_some(places)
}

/// Returns the span of a node, including its tag and anchor.
pub fn whole(tree: &Tree<'_>, id: NodeId) -> Span {
    let node = tree.node(id);
    if node.properties.is_empty() {
        node.span
    } else {
        node.properties.join(node.span)
    }
}

/// Returns one past the last byte of an entry: of its value, or of its `:` if the value is empty.
pub fn entry_end(tree: &Tree<'_>, entry: &Entry) -> usize {
    let value = whole(tree, entry.value);
    let key = entry.key_span.to();
    if !value.is_empty() {
        return trimmed(tree.source(), value).to().max(key);
    }
    let tail = tree.source().get(key..).unwrap_or("");
    let behind_blanks = tail.trim_start_matches([' ', '\t', '\r', '\n']);
    match behind_blanks.strip_prefix(':') {
        Some(rest) => key.saturating_add(tail.len().saturating_sub(rest.len())),
        None => key,
    }
}

/// Trims the line breaks and blanks at the end of a span (the span of a block scalar may include them).
pub fn trimmed(text: &str, span: Span) -> Span {
    let start = span.from();
    let whole = text.get(start..span.to()).unwrap_or("");
    let kept = whole.trim_end_matches([' ', '\t', '\n', '\r']);
    Span::new(start, start.saturating_add(kept.len()))
}

/// Checks that an entry's key can be edited in place, in a flow collection or in a block.
pub fn editable(tree: &Tree<'_>, entry: &Entry, flow: bool) -> Result<(), Unsafe> {
    if flow {
        editable_in_flow(tree, entry)
    } else {
        editable_in_block(tree, entry)
    }
}

/// Checks that an entry's key can be edited in place: it follows `{` or `,`.
pub fn editable_in_flow(tree: &Tree<'_>, entry: &Entry) -> Result<(), Unsafe> {
    let at = place_of_key(tree, entry)?;
    if matches!(gap_before(tree, at), Some(b'{' | b',')) {
        Ok(())
    } else {
        Err(Unsafe::Form)
    }
}

/// Checks that an entry's key can be edited in place: it begins its line or follows `- `.
pub fn editable_in_block(tree: &Tree<'_>, entry: &Entry) -> Result<(), Unsafe> {
    let at = place_of_key(tree, entry)?;
    if lead(tree.source(), at).is_some() {
        Ok(())
    } else {
        Err(Unsafe::Form)
    }
}

/// Returns the offset of a key that is written as itself: not merged in, and not an alias.
fn place_of_key(tree: &Tree<'_>, entry: &Entry) -> Result<usize, Unsafe> {
    if entry.merged {
        return Err(Unsafe::Merged);
    }
    let at = entry.key_span.from();
    let is_alias = tree
        .source()
        .get(at..)
        .is_some_and(|key| key.starts_with('*'));
    if is_alias { Err(Unsafe::Form) } else { Ok(at) }
}

/// Returns the last byte before `at` that is neither blank nor in a comment.
fn gap_before(tree: &Tree<'_>, at: usize) -> Option<u8> {
    let bytes = tree.source().as_bytes();
    let mut end = at;
    loop {
        let before = end.checked_sub(1)?;
        let byte = *bytes.get(before)?;
        if let Some(comment) = comment_around(tree, before) {
            end = comment.from();
            continue;
        }
        if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            return Some(byte);
        }
        end = before;
    }
}

fn comment_around(tree: &Tree<'_>, at: usize) -> Option<Span> {
    let index = tree
        .comments
        .partition_point(|comment| comment.from() <= at)
        .checked_sub(1)?;
    tree.comments
        .get(index)
        .copied()
        .filter(|comment| at < comment.to())
}

/// Returns the comments that begin in a span.
pub fn comments_in<'t>(tree: &'t Tree<'_>, span: Span) -> &'t [Span] {
    let from = tree
        .comments
        .partition_point(|comment| comment.start < span.start);
    let to = tree
        .comments
        .partition_point(|comment| comment.start < span.end);
    tree.comments.get(from..to).unwrap_or(&[])
}

impl Edits {
    /// Renames a key and keeps its quotes.
    pub fn rename_key(
        &mut self,
        tree: &Tree<'_>,
        entry: &Entry,
        old: &str,
        new: &str,
    ) -> Result<(), Unsafe> {
        self.replace_word(tree.source(), entry.key_span, old, new)
    }

    /// Changes only the part of a string that differs from `new`; keeps the quotes, escapes and line breaks of the rest. Follows
    /// an alias.
    pub fn change_string(
        &mut self,
        tree: &Tree<'_>,
        node: NodeId,
        new: &str,
    ) -> Result<(), Unsafe> {
        let old = tree.str(node).ok_or(Unsafe::Form)?;
        let scalar = tree.node(tree.resolve(node));
        let places = places(tree.source(), scalar.span, scalar.style, old).ok_or(Unsafe::Form)?;
        let (head, old_middle, new_middle) = difference(old, new).ok_or(Unsafe::Form)?;
        let changed = places
            .get(head..head.saturating_add(old_middle.len()))
            .ok_or(Unsafe::Form)?;
        let span = match changed {
            [escape] if new_middle.len() == 1 && escape.len() > 1 => {
                let digit = Span {
                    start: escape.end.saturating_sub(1),
                    end: escape.end,
                };
                // An escape such as `\x31` ends with its character.
                if tree.slice(digit) != old_middle {
                    return Err(Unsafe::Form);
                }
                digit
            }
            [first, .., last] => first.join(*last),
            [only] => *only,
            [] => {
                let before = head.checked_sub(1).and_then(|at| places.get(at));
                Span::at(before.ok_or(Unsafe::Form)?.to())
            }
        };
        self.replace(span, new_middle);
        Ok(())
    }

    /// Replaces the only occurrence of `old` in a span and keeps the rest.
    pub fn replace_word(
        &mut self,
        text: &str,
        span: Span,
        old: &str,
        new: &str,
    ) -> Result<(), Unsafe> {
        let written = span.slice_of(text).unwrap_or("");
        let at = only(written, old).ok_or(Unsafe::Form)?;
        let start = span.from().saturating_add(at);
        self.replace(Span::new(start, start.saturating_add(old.len())), new);
        Ok(())
    }

    /// Removes the entries of a mapping for which `gone` is true, with their comments: those on the entry's lines and comment
    /// lines directly above. Without any entry `{}` remains.
    pub fn remove_entries(
        &mut self,
        tree: &Tree<'_>,
        map: NodeId,
        gone: impl Fn(&Entry) -> bool,
    ) -> Result<(), Unsafe> {
        let entries = tree.entries(map);
        let flow = tree.node(tree.resolve(map)).style == Style::Flow;
        let mut from = 0;
        while from < entries.len() {
            let run = entries
                .get(from..)
                .unwrap_or(&[])
                .iter()
                .take_while(|entry| gone(entry))
                .count();
            if run == 0 {
                from = from.saturating_add(1);
                continue;
            }
            let to = from.saturating_add(run);
            for entry in entries.get(from..to).unwrap_or(&[]) {
                editable(tree, entry, flow)?;
            }
            let before = from.checked_sub(1).and_then(|at| entries.get(at));
            let (Some(first), Some(last)) = (entries.get(from), entries.get(to.saturating_sub(1)))
            else {
                break;
            };
            let after = entries.get(to);
            if run == entries.len() {
                let all = Span::new(first.key_span.from(), entry_end(tree, last));
                self.replace(all, if flow { "" } else { "{}" });
                break;
            }
            if flow {
                self.remove_flow(tree, before, first, last, after)
            } else {
                self.remove_block(tree, first, last, after)
            }?;
            from = to;
        }
        Ok(())
    }

    /// Replaces a mapping that is the value of an entry with `{}`; keeps a comment after the entry's key.
    pub fn empty(&mut self, tree: &Tree<'_>, entry: &Entry) -> Result<(), Unsafe> {
        let text = tree.source();
        let map = tree.node(entry.value);
        if entry.merged || !map.properties.is_empty() || !matches!(map.kind, Kind::Map { .. }) {
            return Err(Unsafe::Form);
        }
        if map.style == Style::Flow {
            self.replace(map.span, "{}");
            return Ok(());
        }
        let tail = tree.slice(Span::new(entry.key_span.to(), map.span.from()));
        let behind_blanks = tail.trim_start_matches([' ', '\t']);
        let rest = behind_blanks.strip_prefix(':').ok_or(Unsafe::Form)?;
        let colon = map.span.from().saturating_sub(rest.len());
        self.insert(colon, " {}");
        self.remove(Span::new(
            line_end(text, colon),
            line_end(text, content_end(tree, entry.value)),
        ));
        Ok(())
    }

    fn remove_flow(
        &mut self,
        tree: &Tree<'_>,
        before: Option<&Entry>,
        first: &Entry,
        last: &Entry,
        after: Option<&Entry>,
    ) -> Result<(), Unsafe> {
        let start = first.key_span.from();
        if let Some(after) = after {
            self.remove(Span::new(start, after.key_span.from()));
            return Ok(());
        }
        let end = entry_end(tree, last);
        let from = entry_end(tree, before.ok_or(Unsafe::Form)?);
        // A comment after the comma belongs to the entry before the comma. The comma then stays, which YAML allows.
        let kept = comments_in(tree, Span::new(from, start)).is_empty();
        self.remove(Span::new(if kept { from } else { start }, end));
        Ok(())
    }

    fn remove_block(
        &mut self,
        tree: &Tree<'_>,
        first: &Entry,
        last: &Entry,
        after: Option<&Entry>,
    ) -> Result<(), Unsafe> {
        let text = tree.source();
        let start = first.key_span.from();
        let end = entry_end(tree, last);
        if begins_line(text, start) {
            let lines = own_comments(tree, start);
            let to = next_line(text, end);
            // If the text does not end with a line break, the line break before the entry is removed too.
            let from = if to == text.len() && line_end(text, end) == to {
                before_break(text, lines)
            } else {
                lines
            };
            self.remove(Span::new(from, to));
            return Ok(());
        }
        // The first entry after `- `: the next entry moves up to the dash, or stays below it if comments are in between.
        let to = after.ok_or(Unsafe::Form)?.key_span.from();
        if comments_in(tree, Span::new(line_end(text, end), to)).is_empty() {
            self.remove(Span::new(start, to));
        } else {
            self.remove(Span::new(start, line_end(text, end)));
        }
        Ok(())
    }
}

/// Returns the end of the line before the one that begins at `start`.
fn before_break(text: &str, start: usize) -> usize {
    let head = text.get(..start).unwrap_or("");
    head.strip_suffix('\n')
        .map_or(head, |head| head.strip_suffix('\r').unwrap_or(head))
        .len()
}

/// Returns the start of the comment lines directly above `at`, in the same column; the start of `at`'s line if there are none.
pub fn own_comments(tree: &Tree<'_>, at: usize) -> usize {
    let text = tree.source();
    let mut start = line_start(text, at);
    let column = at.saturating_sub(start);
    loop {
        let Some(above) = start.checked_sub(1) else {
            return start;
        };
        let above = line_start(text, before_break(text, above.saturating_add(1)));
        let hash = above.saturating_add(column);
        let is_comment = above < start
            && begins_line(text, hash)
            && text.is_char_boundary(hash)
            && comment_around(tree, hash).is_some_and(|c| c.from() == hash);
        if !is_comment {
            return start;
        }
        start = above;
    }
}

/// Returns true if a node is a mapping or a sequence in `{}` or `[]`.
pub fn is_flow(tree: &Tree<'_>, id: NodeId) -> bool {
    let node = tree.node(tree.resolve(id));
    node.style == Style::Flow && matches!(node.kind, Kind::Map { .. } | Kind::Seq { .. })
}

/// Returns one past the last byte of a node's content: its last entry or item, its closing bracket, or its scalar.
pub fn content_end(tree: &Tree<'_>, id: NodeId) -> usize {
    let mut inner = id;
    let mut end = whole(tree, id).from();
    loop {
        let node = tree.node(inner);
        if node.style == Style::Flow {
            return end.max(node.span.to());
        }

        match node.kind {
            Kind::Seq { .. } => match tree.items(inner).last() {
                Some(&last) => inner = last,
                None => return end.max(node.span.to()),
            },
            Kind::Map { .. } => match tree.entries(inner).iter().rfind(|entry| !entry.merged) {
                Some(last) => {
                    end = end.max(entry_end(tree, last));
                    inner = last.value;
                }
                None => return end.max(node.span.to()),
            },
            _ => return end.max(trimmed(tree.source(), whole(tree, inner)).to()),
        }
    }
}

/// Finds the offset of a word in a text, if the word occurs exactly once.
pub fn only(text: &str, word: &str) -> Option<usize> {
    let at = text.find(word)?;
    // A second occurrence may overlap the first.
    let first = word.chars().next().map_or(0, char::len_utf8);
    let again = at.saturating_add(first);
    let once = if word.is_empty() {
        text.is_empty()
    } else {
        !text.get(again..).is_some_and(|rest| rest.contains(word))
    };
    once.then_some(at)
}

#[cfg(test)]
mod tests {
    use super::only;

    #[test]
    fn a_word_that_stands_once() {
        for (text, word) in [
            ("", ""),
            ("a", ""),
            ("", "a"),
            ("xaby", "ab"),
            ("abab", "ab"),
            ("aaa", "aa"),
            ("aa", "aa"),
            ("éé", "é"),
            ("xé", "é"),
        ] {
            assert_eq!(
                only(text, word),
                text.find(word).filter(|at| text.rfind(word) == Some(*at)),
                "{text:?} {word:?}"
            );
        }
    }
}

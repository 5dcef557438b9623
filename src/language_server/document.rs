//! Open documents, as the client changes them.

use super::protocol::{ContentChange, Position, Range, TextEdit};
use claimkit_model::text::Source;

/// Documents with more UTF-16 code units are judged when they are opened and saved only.
const LARGE: usize = 2 << 20;

/// An open document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    pub uri: String,
    pub language: String,
    pub version: i64,
    pub text: String,
    /// The text is not known: there was no room for it.
    pub is_unread: bool,
}

impl Document {
    /// Makes changes, one after the other.
    pub fn change(&mut self, changes: &[ContentChange]) {
        for ContentChange { range, text } in changes {
            match range {
                None => {
                    self.text.clone_from(text);
                    self.is_unread = false;
                }
                Some(_) if self.is_unread => {}
                Some(range) => {
                    let (from, to) = offsets(&self.text, *range);
                    self.text.replace_range(from..to, text);
                }
            }
        }
    }

    /// Returns true for a document that is judged only when it is opened or saved.
    pub fn is_large(&self) -> bool {
        self.text.len() > LARGE && self.text.encode_utf16().count() > LARGE
    }

    /// Returns the edit that makes another text of it.
    pub fn difference(&self, text: &str) -> Vec<TextEdit> {
        difference(&self.text, text)
    }
}

/// Returns the byte offsets of a range; one that ends before it starts is turned round.
fn offsets(text: &str, range: Range) -> (usize, usize) {
    let source = Source::new(text);
    let offset = |place: Position| source.offset(place.line, place.character);
    let (one, other) = (offset(range.start), offset(range.end));
    (one.min(other), one.max(other))
}

/// Returns the edit that makes one text of another: whole lines, from the first that differs to the last.
pub fn difference(old: &str, new: &str) -> Vec<TextEdit> {
    if old == new {
        return Vec::new();
    }
    let common = |pairs: &mut dyn Iterator<Item = (u8, u8)>| {
        pairs.take_while(|(one, other)| one == other).count()
    };
    let head = common(&mut old.bytes().zip(new.bytes()));
    let head = old
        .as_bytes()
        .get(..head)
        .and_then(|same| memchr::memrchr(b'\n', same))
        .map_or(0, |end| end.saturating_add(1));
    let (from, to) = (rest(old, head), rest(new, head));
    let tail = common(&mut from.bytes().rev().zip(to.bytes().rev()));
    let tail = whole_lines(from, tail).min(whole_lines(to, tail));
    let end = old.len().saturating_sub(tail);
    let source = Source::new(old);
    let place = |offset| {
        let claimkit_model::text::Position {
            line, character, ..
        } = source.position(offset);
        Position { line, character }
    };
    let new_text = to.get(..to.len().saturating_sub(tail)).unwrap_or_default();
    vec![TextEdit {
        range: Range {
            start: place(head),
            end: place(end),
        },
        new_text: new_text.to_owned(),
    }]
}

fn rest(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// Returns how many of the last `tail` bytes of a text are whole lines.
fn whole_lines(text: &str, tail: usize) -> usize {
    let start = text.len().saturating_sub(tail);
    let is_start = start == 0 || text.as_bytes().get(start.saturating_sub(1)) == Some(&b'\n');
    if is_start {
        return tail;
    }
    let bytes = text.as_bytes().get(start..).unwrap_or_default();
    memchr::memchr(b'\n', bytes).map_or(0, |end| bytes.len().saturating_sub(end).saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A text as a list of UTF-16 code units, changed without any index of lines.
    fn naive(text: &str, change: &ContentChange) -> String {
        let Some(range) = change.range else {
            return change.text.clone();
        };
        let units: Vec<u16> = text.encode_utf16().collect();
        let offset = |place: Position| {
            let mut at = 0;
            for _ in 0..place.line {
                while at < units.len() && units[at] != 10 && units[at] != 13 {
                    at += 1;
                }
                if at == units.len() {
                    return at;
                }
                at += if units[at] == 13 && units.get(at + 1) == Some(&10) {
                    2
                } else {
                    1
                };
            }
            let mut character = 0;
            while character < place.character
                && at < units.len()
                && units[at] != 10
                && units[at] != 13
            {
                let wide = (0xd800..0xdc00).contains(&units[at]);
                at += 1 + usize::from(wide);
                character += 1 + u32::from(wide);
            }
            at
        };
        let (one, other) = (offset(range.start), offset(range.end));
        let mut changed = units[..one.min(other)].to_vec();
        changed.extend(change.text.encode_utf16());
        changed.extend(&units[one.max(other)..]);
        String::from_utf16(&changed).unwrap()
    }

    fn place() -> impl Strategy<Value = Position> {
        (0u32..8, 0u32..12).prop_map(|(line, character)| Position { line, character })
    }

    fn change() -> impl Strategy<Value = ContentChange> {
        let range = prop::option::weighted(0.9, (place(), place()))
            .prop_map(|range| range.map(|(start, end)| Range { start, end }));
        (range, "[a é😀\r\n]{0,6}").prop_map(|(range, text)| ContentChange { range, text })
    }

    proptest! {
        #[test]
        fn changes_are_those_of_a_naive_model(
            text in "[ab é😀\r\n]{0,40}",
            changes in prop::collection::vec(change(), 0..6),
        ) {
            let mut document = Document { text: text.clone(), ..Document::default() };
            document.change(&changes);
            let expected = changes.iter().fold(text, |text, change| naive(&text, change));
            prop_assert_eq!(document.text, expected);
        }

        #[test]
        fn a_difference_makes_the_other_text(old in "[ab😀\n]{0,20}", new in "[ab😀\n]{0,20}") {
            let mut document = Document { text: old.clone(), ..Document::default() };
            let edits = difference(&old, &new);
            prop_assert_eq!(edits.is_empty(), old == new);
            let changes: Vec<ContentChange> = edits
                .into_iter()
                .map(|edit| ContentChange { range: Some(edit.range), text: edit.new_text })
                .collect();
            document.change(&changes);
            prop_assert_eq!(document.text, new);
        }
    }

    #[test]
    fn lines_that_stay_are_not_in_the_difference() {
        let [edit] = &difference("a\nb\nc\n", "a\nx\ny\nc\n")[..] else {
            panic!("one edit");
        };
        let lines = (edit.range.start.line, edit.range.end.line);
        assert_eq!((lines, edit.new_text.as_str()), ((1, 2), "x\ny\n"));
    }
}

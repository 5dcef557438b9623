//! The documents of a text, split as kubectl splits it (apimachinery, pkg/util/yaml, `YAMLReader`).

use crate::edit::next_line;
use crate::source::Span;
use crate::yaml::{Bounds, Composed, Reader, read_part};

/// Iterates over the documents of a text. [`read`](crate::yaml::read) takes the first one and no more.
///
/// ```
/// use claimkit_yaml::stream::documents;
///
/// let text = "a: 1\n---\n# nothing\n---\nb: 2\n";
/// let values: Vec<bool> = documents(text).map(|document| document.root.is_some()).collect();
/// assert_eq!(values, [true, false, true]);
/// ```
pub fn documents(text: &str) -> Documents<'_> {
    let start = if text.starts_with(crate::BYTE_ORDER_MARK) {
        crate::BYTE_ORDER_MARK.len_utf8()
    } else {
        0
    };
    Documents {
        text,
        reader: Reader::new(text),
        next: Some(start),
        bounds: Bounds::default(),
    }
}

/// The documents of a text, in order.
pub struct Documents<'s> {
    text: &'s str,
    reader: Reader<'s>,
    next: Option<usize>,
    bounds: Bounds,
}

impl std::fmt::Debug for Documents<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Documents")
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}

impl<'s> Documents<'s> {
    /// Reads each document within these bounds.
    #[doc(hidden)]
    pub fn within(mut self, bounds: Bounds) -> Self {
        self.bounds = bounds;
        self
    }
}

impl<'s> Iterator for Documents<'s> {
    type Item = Composed<'s>;

    fn next(&mut self) -> Option<Composed<'s>> {
        let start = self.next.filter(|start| *start < self.text.len())?;
        let (piece, behind) = piece_at(self.text, start);
        self.next = behind;
        let (from, to) = (piece.from(), piece.to());
        Some(read_part(
            &mut self.reader,
            self.text,
            from,
            to,
            true,
            self.bounds,
        ))
    }
}

/// Returns the document that begins at a byte, and the byte where the next one begins. Lines that begin with `---` separate them; one at
/// the very beginning belongs to the document.
fn piece_at(text: &str, start: usize) -> (Span, Option<usize>) {
    let rest = text.get(start..).unwrap_or_default();
    let mut line = if rest.starts_with("---") {
        next_line(rest, 0)
    } else {
        0
    };
    while line < rest.len() {
        let dashes = rest.get(line..).and_then(|rest| rest.strip_prefix("---"));
        if let Some(behind) = dashes {
            let first_line = behind.lines().next().unwrap_or_default();
            let words = first_line.trim();
            // kubectl refuses text behind the dashes; here it begins the next document, as in YAML.
            let is_alone = words.is_empty() || words.starts_with('#');
            let next = if is_alone {
                next_line(rest, line)
            } else {
                line
            };
            let piece = Span::new(start, start.saturating_add(line));
            return (piece, Some(start.saturating_add(next)));
        }
        line = next_line(rest, line);
    }
    (Span::new(start, text.len()), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_places_in_the_whole_text() {
        let text = "\u{feff}--- # one\na: 1\n---\nb: [\n--- # three\r\nc: 3\r\n";
        let documents: Vec<Composed<'_>> = documents(text).collect();
        assert_eq!(documents.len(), 3);
        assert!(documents[1].error.is_some());
        let last = &documents[2];
        let value = last.tree.get(last.root.unwrap(), "c").unwrap();
        let span = last.tree.span(value);
        assert_eq!(&text[span.from()..span.to()], "3");
        let behind: Vec<Composed<'_>> = super::documents("a: 1\n--- {b: 2}\n").collect();
        let last = behind.last().unwrap();
        assert!(last.tree.get(last.root.unwrap(), "b").is_some());
        assert_eq!(super::documents("").count(), 0);
        assert_eq!(super::documents("---\n").count(), 1);
    }
}

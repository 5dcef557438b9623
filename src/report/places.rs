//! Lines and columns of a text, as people count them.

use claimkit_model::text::located::EditorPosition;

/// Bytes between two counts of characters that are kept.
const BLOCK: usize = 1024;
/// Lines of a document above a finding in which the name of its template is looked for.
const ABOVE: usize = 10_000;

/// A text with an index of its lines. Lookup time does not depend on the position, even in a line of a megabyte.
#[derive(Clone, Debug)]
pub struct LineIndex<'t> {
    text: &'t str,
    /// The byte at which each line begins.
    lines: Vec<usize>,
    /// Characters before every [`BLOCK`]th byte.
    characters: Vec<usize>,
}

impl<'t> LineIndex<'t> {
    /// Makes the index of a text.
    pub fn of(text: &'t str) -> Self {
        let ends = text
            .bytes()
            .enumerate()
            .filter(|(_, byte)| matches!(byte, b'\n' | b'\r'))
            .map(|(at, _)| at.saturating_add(1));
        let mut characters = Vec::new();
        let mut count = 0usize;
        for block in text.as_bytes().chunks(BLOCK) {
            characters.push(count);
            count = count.saturating_add(starts(block));
        }
        LineIndex {
            text,
            lines: std::iter::once(0).chain(ends).collect(),
            characters,
        }
    }

    /// Returns the text of the file.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Returns the byte range of the line that contains a byte, without its line break.
    pub fn line(&self, offset: usize) -> (usize, usize) {
        let next = self.lines.partition_point(|&start| start <= offset);
        let start = next
            .checked_sub(1)
            .and_then(|at| self.lines.get(at))
            .copied()
            .unwrap_or(0);
        let end = self
            .lines
            .get(next)
            .map_or(self.text.len(), |&next| next.saturating_sub(1));
        (start, end.max(start))
    }

    /// Returns the line and column, both from 1, columns in characters. Outside of the text, columns are UTF-16 code units.
    pub fn line_and_column(&self, position: EditorPosition) -> (u32, usize) {
        let offset = position.byte_offset as usize;
        if offset > self.text.len() {
            // The caller gave no text: the position is all there is.
            let column = (position.character as usize).saturating_add(1);
            return (position.line.saturating_add(1), column);
        }
        let (start, _) = self.line(offset);
        let column = self
            .characters_before(offset)
            .saturating_sub(self.characters_before(start));
        (position.line.saturating_add(1), column.saturating_add(1))
    }

    /// Finds the template that a byte was rendered from: Helm and flux-schema write `# Source: NAME` above each document.
    pub fn template(&self, offset: usize) -> Option<&'t str> {
        let next = self.lines.partition_point(|&start| start <= offset);
        let above = self
            .lines
            .get(..next)
            .unwrap_or_default()
            .iter()
            .rev()
            .take(ABOVE);
        for line in above.filter_map(|&start| self.text.get(start..)) {
            if line.starts_with("---") {
                return None;
            }
            if let Some(name) = line.strip_prefix("# Source: ") {
                return name
                    .lines()
                    .next()
                    .map(str::trim_end)
                    .filter(|name| !name.is_empty());
            }
        }
        None
    }

    fn characters_before(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        let block = offset.checked_div(BLOCK).unwrap_or(0);
        let rest = self
            .text
            .as_bytes()
            .get(block.saturating_mul(BLOCK)..offset)
            .unwrap_or_default();
        let before = self
            .characters
            .get(block)
            .copied()
            .unwrap_or_else(|| self.text.chars().count());
        before.saturating_add(starts(rest))
    }
}

/// Returns how many characters begin in these bytes of UTF-8.
fn starts(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&byte| byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_characters_wherever_they_stand() {
        let text = format!("é\r\n{}x\n", "é😀".repeat(1000));
        let places = LineIndex::of(&text);
        let at = |line: u32, offset: usize| EditorPosition {
            line,
            character: 0,
            offset: 0,
            byte_offset: u32::try_from(offset).unwrap_or(0),
        };
        assert_eq!(places.line_and_column(at(0, 2)), (1, 2));
        assert_eq!(places.line_and_column(at(1, 4)), (2, 1));
        assert_eq!(places.line_and_column(at(1, 4 + 6000)), (2, 2001));
        assert_eq!(places.line(4), (4, 4 + 6001));
        assert_eq!(LineIndex::of("").line_and_column(at(0, 0)), (1, 1));
        let beyond = EditorPosition {
            character: 48,
            ..at(3, 90)
        };
        assert_eq!(LineIndex::of("").line_and_column(beyond), (4, 49));
    }

    #[test]
    fn a_template_is_that_of_the_document() {
        let text = "---\n# Source: a/b.yaml\r\nkind: X\n---\nkind: Y\n--- # next\n# about\n# Source: c.yaml\nz";
        let places = LineIndex::of(text);
        let of = |word: &str| places.template(text.find(word).unwrap_or(0));
        assert_eq!(
            [of("---"), of("X"), of("Y"), of("z")],
            [None, Some("a/b.yaml"), None, Some("c.yaml")]
        );
        assert_eq!(LineIndex::of("# Source: \nx").template(11), None);
        assert_eq!(LineIndex::of("").template(5), None);
    }
}

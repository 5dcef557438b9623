//! The parts of a text that an editor can fold.

use super::outline::{Outline, OutlineValueKind, Role};
use claimkit_model::text::{Source, Span};
use std::collections::BTreeMap;

/// Lines that can be folded into the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    pub first_line: u32,
    pub last_line: u32,
    pub is_comment: bool,
}

/// Returns what can be folded, in the order of the text: objects where there are several, blocks, brackets and comments. At most one
/// begins in a line: the largest.
pub fn folds(text: &str) -> Vec<Fold> {
    let outline = Outline::read(text);
    let mut folding = Folding {
        source: Source::new(text),
        found: BTreeMap::new(),
    };
    folding.blocks(&outline);
    folding.brackets(&outline);
    folding.comments(&outline);
    folding.found.into_values().collect()
}

struct Folding<'t> {
    source: Source<'t>,
    /// By the first line.
    found: BTreeMap<u32, Fold>,
}

impl Folding<'_> {
    fn line_of(&self, offset: usize) -> u32 {
        self.source.position(offset).line
    }

    fn add(&mut self, first_line: u32, last_line: u32, is_comment: bool) {
        if last_line <= first_line {
            return;
        }
        let fold = self.found.entry(first_line).or_insert(Fold {
            first_line,
            last_line,
            is_comment,
        });
        fold.last_line = fold.last_line.max(last_line);
    }

    /// Adds the objects, and the keys and items with what is below them.
    fn blocks(&mut self, outline: &Outline<'_>) {
        let nodes = &outline.nodes;
        let mut ends: Vec<usize> = nodes
            .iter()
            .map(|node| node.key.to().max(node.value.to()))
            .collect();
        // A node comes behind the one that contains it.
        for (at, node) in nodes.iter().enumerate().rev() {
            let end = ends.get(at).copied().unwrap_or_default();
            if let Some(over) = node.parent.and_then(|parent| ends.get_mut(parent)) {
                *over = (*over).max(end);
            }
        }
        let last_line = |folding: &Self, end: usize| {
            let content = outline.text.get(..end).unwrap_or_default().trim_end();
            folding.line_of(content.len())
        };
        let mut objects: BTreeMap<usize, Span> = BTreeMap::new();
        for (node, end) in nodes.iter().zip(ends) {
            if node.parent.is_none() && node.role != Role::Bare {
                let object = objects
                    .entry(node.document)
                    .or_insert(Span::new(node.key.from(), end));
                *object = Span::new(object.from(), object.to().max(end));
            }
            if !node.flow && node.value_kind != OutlineValueKind::Flow {
                let first = self.line_of(node.key.from());
                self.add(first, last_line(self, end), false);
            }
        }
        if objects.len() > 1 {
            for object in objects.values() {
                let first = self.line_of(object.from());
                self.add(first, last_line(self, object.to()), false);
            }
        }
    }

    /// Adds brackets. A closing bracket at the start of its line stays to be seen.
    fn brackets(&mut self, outline: &Outline<'_>) {
        for brackets in &outline.brackets {
            let (from, to) = (brackets.span.from(), brackets.span.to());
            let content = outline.text.get(..to).unwrap_or_default().trim_end();
            let close = content.len().saturating_sub(1);
            let line = outline.line_at(close);
            let last = self.line_of(close);
            let begins_line = matches!(outline.byte(close), b'}' | b']')
                && outline
                    .slice(Span::new(line.from(), close))
                    .trim_start()
                    .is_empty();
            let last = if begins_line {
                last.saturating_sub(1)
            } else {
                last
            };
            self.add(self.line_of(from), last, false);
        }
    }

    /// Adds comments of several lines.
    fn comments(&mut self, outline: &Outline<'_>) {
        let mut lines = outline.comments.iter().filter_map(|comment| {
            let line = outline.line_at(comment.from());
            let before = outline.slice(Span::new(line.from(), comment.from()));
            before
                .trim_start()
                .is_empty()
                .then(|| self.source.position(comment.from()).line)
        });
        let mut groups: Vec<(u32, u32)> = Vec::new();
        if let Some(first) = lines.next() {
            groups.push((first, first));
        }
        for line in lines {
            match groups.last_mut() {
                Some((_, last)) if line == last.saturating_add(1) => *last = line,
                _ => groups.push((line, line)),
            }
        }
        for (first, last) in groups {
            self.add(first, last, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(u32, u32)> {
        let folds = folds(text).into_iter();
        folds
            .map(|fold| (fold.first_line, fold.last_line))
            .collect()
    }

    #[test]
    fn blocks_with_what_is_below_them() {
        let text = "metadata:\n  name: a\nspec:\n  devices:\n    requests:\n    - name: one\n      exactly:\n        count: 1\n\n    - name: two\n\nstatus: {}\n";
        assert_eq!(
            lines(text),
            [(0, 1), (2, 9), (3, 9), (4, 9), (5, 7), (6, 7)]
        );
    }

    #[test]
    fn objects_where_there_are_several() {
        let one = "kind: A\nspec:\n  a: 1\n";
        assert_eq!(lines(one), [(1, 2)]);
        assert_eq!(
            lines(&format!("{one}---\n{one}")),
            [(0, 2), (1, 2), (4, 6), (5, 6)]
        );
    }

    #[test]
    fn texts_in_several_lines_brackets_and_comments() {
        assert_eq!(
            lines("# a\n# b\na: |\n  x\n\n  y\nb: 1 # c\n# d\n"),
            [(0, 1), (2, 5)]
        );
        assert!(folds("# a\n# b\n").first().unwrap().is_comment);
        // The closing brackets of JSON stay.
        assert_eq!(
            lines("{\n  \"a\": {\n    \"b\": [1,\n      2]\n  }\n}\n"),
            [(0, 4), (1, 3), (2, 3)]
        );
    }

    #[test]
    fn broken_and_empty_texts() {
        assert_eq!(lines(""), []);
        assert_eq!(lines("a: [\n  1,\n"), [(0, 1)]);
        assert_eq!(lines("a:\n  b: \"x\n  c: 1\n"), [(0, 2)]);
        assert_eq!(lines("a:\r\n  b: é😀\r\n"), [(0, 1)]);
    }
}

//! Where in a variable an expression's value is.
//!
//! cel-go keeps paths as slices (`checker/cost.go`, `exprPaths`): what is appended to one of them may overwrite what was appended to it
//! before. Its estimates depend on that.

use std::cell::Cell;
use std::rc::Rc;

use super::super::environment::{Environment, SizeBounds};

/// A step of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Segment<'a> {
    #[default]
    Free,
    /// The variable, a field, or the index of a list.
    Name(&'a str),
    /// A key of a map.
    Key,
    /// An element of a list or a value of a map.
    Element,
}

/// The name of an index in paths.
pub(super) const INDICES: &str = "@indices";

/// A slice of segments: its array can be longer, and other paths can share it.
#[derive(Clone, Debug)]
pub(super) struct CostPath<'a> {
    array: Rc<[Cell<Segment<'a>>]>,
    length: usize,
}

impl<'a> CostPath<'a> {
    /// Returns the path of a value that is not part of a variable.
    pub(super) fn empty() -> CostPath<'a> {
        CostPath {
            array: Rc::from([]),
            length: 0,
        }
    }

    /// Returns the path of a variable.
    pub(super) fn variable(name: &'a str) -> CostPath<'a> {
        CostPath {
            array: Rc::from([Cell::new(Segment::Name(name))]),
            length: 1,
        }
    }

    /// Returns a longer path, as Go's `append` does: in the same array if it has room.
    pub(super) fn append(&self, segment: Segment<'a>) -> CostPath<'a> {
        let length = self.length.saturating_add(1);
        if let Some(slot) = self.array.get(self.length) {
            slot.set(segment);
            return CostPath {
                array: self.array.clone(),
                length,
            };
        }
        let room = self.array.len().saturating_mul(2).max(1);
        let copied = self.array.iter().map(Cell::get).chain([segment]);
        let free = std::iter::repeat(Segment::Free);
        CostPath {
            array: copied.chain(free).take(room).map(Cell::new).collect(),
            length,
        }
    }

    /// Returns the bounds of what the path leads to now.
    pub(super) fn bounds(&self, environment: &'a Environment) -> Option<&'a SizeBounds> {
        let mut segments = self.array.iter().take(self.length).map(Cell::get);
        let Some(Segment::Name(variable)) = segments.next() else {
            return None;
        };
        let root = environment
            .variable(variable)
            .and_then(|variable| environment.bounds(variable))?;
        segments.try_fold(root, |bounds, segment| match segment {
            Segment::Free => None,
            Segment::Key => bounds.key.as_deref(),
            Segment::Element => bounds.element.as_deref(),
            Segment::Name(field) => match bounds.fields.iter().find(|(name, _)| **name == *field) {
                Some((_, bounds)) => Some(bounds),
                None if bounds.names_are_elements => bounds.element.as_deref(),
                None => None,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<'a>(path: &CostPath<'a>) -> Vec<Segment<'a>> {
        path.array.iter().take(path.length).map(Cell::get).collect()
    }

    #[test]
    fn the_fourth_segment_is_shared() {
        let [a, b] = ["a", "b"].map(Segment::Name);
        let three = CostPath::variable("x").append(a).append(b);
        let (first, second) = (three.append(Segment::Key), three.append(Segment::Element));
        assert_eq!(read(&first), read(&second));
        assert_eq!(read(&second), [Segment::Name("x"), a, b, Segment::Element]);
        let two = CostPath::variable("x").append(a);
        let (first, second) = (two.append(Segment::Key), two.append(Segment::Element));
        assert_eq!(read(&first), [Segment::Name("x"), a, Segment::Key]);
        assert_ne!(read(&first), read(&second));
    }
}

//! Sets of characters: building them, and asking them.

use super::folding;
use claimkit_values::order;

const LAST: u32 = 0x10_ffff;

/// A set of characters as ranges, both ends included. While it is built they are in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CharacterClass(Vec<(u32, u32)>);

impl CharacterClass {
    pub(super) fn new(ranges: Vec<(u32, u32)>) -> Self {
        Self(ranges)
    }

    /// Returns all characters but the line feed.
    pub(super) fn all_but_line_feed() -> Self {
        Self(vec![(0, 9), (11, LAST)])
    }

    pub(super) fn all() -> Self {
        Self(vec![(0, LAST)])
    }

    pub(super) fn add(&mut self, first: u32, last: u32) {
        self.0.push((first, last));
    }

    pub(super) fn add_all(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    /// Returns how many ranges there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Sorts the ranges, and merges adjacent and overlapping ones.
    #[must_use]
    pub(super) fn sorted(mut self) -> Self {
        order::sort(&mut self.0);
        let mut out: Vec<(u32, u32)> = Vec::with_capacity(self.0.len());
        for (first, last) in self.0 {
            match out.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = (*end).max(last),
                _ => out.push((first, last)),
            }
        }
        Self(out)
    }

    /// Returns the complement of the set.
    #[must_use]
    pub(super) fn negated(self) -> Self {
        let mut out = Vec::new();
        let mut next = 0u32;
        for (first, last) in self.sorted().0 {
            if first > next {
                out.push((next, first.saturating_sub(1)));
            }
            next = last.saturating_add(1);
        }
        if next <= LAST {
            out.push((next, LAST));
        }
        Self(out)
    }

    /// Returns the set plus all characters that differ from a member only in case.
    #[must_use]
    pub(super) fn folded(self) -> Self {
        if let [(first, last)] = *self.0
            && first == last
        {
            return Self(
                folding::others(first)
                    .into_iter()
                    .chain([first])
                    .map(|c| (c, c))
                    .collect(),
            )
            .sorted();
        }
        let sorted = self.sorted();
        let mut more = Vec::new();
        folding::for_each_pair(
            |one, other| match (sorted.contains(one), sorted.contains(other)) {
                (true, false) => more.push((other, other)),
                (false, true) => more.push((one, one)),
                _ => {}
            },
        );
        more.extend(sorted.0);
        Self(more).sorted()
    }

    /// Returns true if the set, whose ranges must be in order, has a character.
    pub(super) fn contains(&self, c: u32) -> bool {
        let at = self.0.partition_point(|(_, last)| *last < c);
        self.0.get(at).is_some_and(|(first, _)| *first <= c)
    }
}

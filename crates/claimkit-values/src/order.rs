//! Stable sorts that are compiled once, and maps and sets that are made without sorting.
//!
//! The sorts of the standard library are compiled for each type of element, about 6 KB of Wasm each time. These sort the positions
//! of the elements, which are numbers for every type, and then move the elements.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the positions `0..count` in a stable sort by `compare`.
///
/// ```
/// let items = ["b", "a", "b"];
/// assert_eq!(claimkit_values::order::positions(3, &|x, y| items[x].cmp(items[y])), [1, 0, 2]);
/// ```
pub fn positions(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..count).collect();
    #[expect(clippy::disallowed_methods, reason = "the only sort")]
    positions.sort_by(|a, b| compare(*a, *b));
    positions
}

/// Sorts by `compare` and keeps the order of equal elements.
///
/// ```
/// let mut items = [1, 3, 2];
/// claimkit_values::order::sort_by(&mut items, |a, b| b.cmp(a));
/// assert_eq!(items, [3, 2, 1]);
/// ```
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let sorted = positions(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    arrange(items, sorted);
}

/// Sorts by what `key` returns and keeps the order of elements with equal keys.
///
/// ```
/// let mut items = ["ccc", "a", "bb"];
/// claimkit_values::order::sort_by_key(&mut items, |item| item.len());
/// assert_eq!(items, ["a", "bb", "ccc"]);
/// ```
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts by the order of the type.
///
/// ```
/// let mut items = [3, 1, 2];
/// claimkit_values::order::sort(&mut items);
/// assert_eq!(items, [1, 2, 3]);
/// ```
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Makes a map of the pairs; the last of the pairs with equal keys remains. `collect` does the same with a sort of the pairs.
///
/// ```
/// let ages = claimkit_values::order::map([("pod", 1), ("claim", 2), ("pod", 3)]);
/// assert_eq!(ages.into_iter().collect::<Vec<_>>(), [("claim", 2), ("pod", 3)]);
/// ```
pub fn map<K: Ord, V>(pairs: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    for (key, value) in pairs {
        map.insert(key, value);
    }
    map
}

/// Makes a set of the items. `collect` does the same with a sort of the items.
///
/// ```
/// let names = claimkit_values::order::set(["pod", "claim", "pod"]);
/// assert_eq!(names.into_iter().collect::<Vec<_>>(), ["claim", "pod"]);
/// ```
pub fn set<K: Ord>(items: impl IntoIterator<Item = K>) -> BTreeSet<K> {
    let mut set = BTreeSet::new();
    for item in items {
        set.insert(item);
    }
    set
}

/// Moves to each place the element from the position that `sorted` has there: one swap for each element at most.
fn arrange<T>(items: &mut [T], mut sorted: Vec<usize>) {
    for start in 0..sorted.len() {
        let mut at = start;
        // A place whose element has arrived names itself.
        while let Some(from) = sorted.get_mut(at).map(|from| std::mem::replace(from, at)) {
            if from == start {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "what it is compared with")]
    fn sorts_as_the_standard_library_does() {
        // Every list of up to six numbers below four, each with its place, so that the order of equal ones shows.
        for length in 0..=6u32 {
            for code in 0..4u32.pow(length) {
                let list: Vec<(u32, u32)> = (0..length)
                    .map(|place| (code / 4u32.pow(place) % 4, place))
                    .collect();
                let mut expected = list.clone();
                expected.sort_by_key(|(number, _)| *number);
                let mut sorted = list.clone();
                sort_by_key(&mut sorted, |(number, _)| *number);
                assert_eq!(sorted, expected, "{list:?}");
            }
        }
    }

    #[test]
    fn sorts_by_the_order_of_the_type() {
        let mut words = vec!["pool", "claim", "slice", "claim"];
        sort(&mut words);
        assert_eq!(words, ["claim", "claim", "pool", "slice"]);
    }
}

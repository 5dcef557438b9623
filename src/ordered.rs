//! Sorting, sets and maps whose work is compiled once. The standard library's are compiled anew for every type they hold, at 3
//! to 6 KB of Wasm each; here only a comparison is, and the work is done on indexes.

use std::cmp::Ordering;

/// Up to this many things are sorted by putting one after the other into its place.
const FEW: usize = 12;

/// Indexes `0..count` in the order of a comparison of the things they stand for; equal ones stay in sequence.
fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut from: Vec<usize> = (0..count).collect();
    if count <= FEW {
        for end in 1..count {
            let mut at = end;
            while let Some(before) = at.checked_sub(1)
                && let (Some(&a), Some(&b)) = (from.get(before), from.get(at))
                && compare(a, b) == Ordering::Greater
            {
                from.swap(before, at);
                at = before;
            }
        }
        return from;
    }
    let mut into: Vec<usize> = Vec::with_capacity(count);
    let mut width = 1usize;
    while width < count {
        into.clear();
        for pair in from.chunks(width.saturating_mul(2)) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            merge(left, right, compare, &mut into);
        }
        std::mem::swap(&mut from, &mut into);
        width = width.saturating_mul(2);
    }
    from
}

/// Appends two ordered runs as one; of equal things the left one comes first.
fn merge(left: &[usize], right: &[usize], compare: &dyn Fn(usize, usize) -> Ordering, out: &mut Vec<usize>) {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    // Runs that follow each other, as those of sorted input do, need one comparison for each element of the left one.
    while let (Some(&&a), Some(&&b)) = (left.peek(), right.peek()) {
        if compare(a, b) == Ordering::Greater {
            out.push(b);
            right.next();
        } else {
            out.push(a);
            left.next();
        }
    }
    out.extend(left);
    out.extend(right);
}

/// Sorts, keeping equal elements in sequence.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    if items.len() < 2 {
        return;
    }
    let order = order(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    arrange(order, &mut |a, b| items.swap(a, b));
}

/// Sorts by a key.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts by the elements' own order.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Swaps places until place `i` holds what was at `order[i]`.
fn arrange(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut here = start;
        while let Some(&source) = order.get(here) {
            if let Some(place) = order.get_mut(here) {
                *place = here;
            }
            if source == start || source == here {
                break;
            }
            swap(here, source);
            here = source;
        }
    }
}

/// Which items there are, found by comparison: runs in order, each at least twice as long as the next, so that adding costs
/// little and nobody can make it slow by choosing what comes when.
#[derive(Clone, Debug, Default)]
struct Runs(Vec<Vec<usize>>);

impl Runs {
    /// The item for which `probe` (how an item compares to what is sought) is equal.
    fn find(&self, probe: &dyn Fn(usize) -> Ordering) -> Option<usize> {
        self.0.iter().find_map(|run| {
            let at = run.binary_search_by(|&item| probe(item)).ok()?;
            run.get(at).copied()
        })
    }

    fn add(&mut self, item: usize, compare: &dyn Fn(usize, usize) -> Ordering) {
        let mut run = vec![item];
        while let Some(last) = self.0.pop_if(|last| last.len() < run.len().saturating_mul(2)) {
            let mut merged = Vec::with_capacity(last.len().saturating_add(run.len()));
            merge(&last, &run, compare, &mut merged);
            run = merged;
        }
        self.0.push(run);
    }

    /// Takes an item out; those above it are one lower then.
    fn forget(&mut self, item: usize) {
        for run in &mut self.0 {
            run.retain(|&other| other != item);
            for other in run.iter_mut().filter(|other| **other > item) {
                *other = other.saturating_sub(1);
            }
        }
    }

    /// All items in order.
    fn all(&self, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
        let mut all = Vec::new();
        for run in self.0.iter().rev() {
            let mut merged = Vec::with_capacity(all.len().saturating_add(run.len()));
            merge(&all, run, compare, &mut merged);
            all = merged;
        }
        all
    }
}

/// A map in the order of its keys.
#[derive(Clone, Debug)]
pub struct Map<K, V> {
    entries: Vec<(K, V)>,
    runs: Runs,
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Map::new()
    }
}

impl<K, V> Map<K, V> {
    /// An empty map.
    pub const fn new() -> Self {
        Map { entries: Vec::new(), runs: Runs(Vec::new()) }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Keys and values in the sequence in which they came.
    pub fn entries(&self) -> &[(K, V)] {
        &self.entries
    }

    /// The same, taken out.
    pub fn into_entries(self) -> Vec<(K, V)> {
        self.entries
    }

    /// Keys and values in the sequence in which the keys came, the values to change.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.entries.iter_mut().map(|(key, value)| (&*key, value))
    }
}

impl<K: Ord, V> Map<K, V> {
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.runs.find(&|item| self.entries.get(item).map_or(Ordering::Less, |(other, _)| other.borrow().cmp(key)))
    }

    fn compare(entries: &[(K, V)], a: usize, b: usize) -> Ordering {
        match (entries.get(a), entries.get(b)) {
            (Some((a, _)), Some((b, _))) => a.cmp(b),
            _ => Ordering::Equal,
        }
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.find(key).and_then(|at| self.entries.get(at)).map(|(_, value)| value)
    }

    /// The value of a key, to change.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: std::borrow::Borrow<Q>,
    {
        self.find(key).and_then(|at| self.entries.get_mut(at)).map(|(_, value)| value)
    }

    /// Whether there is such a key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: std::borrow::Borrow<Q>,
    {
        self.find(key).is_some()
    }

    /// Puts a value under a key; gives the value that was there.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        if let Some(old) = self.get_mut(&key) {
            return Some(std::mem::replace(old, value));
        }
        let item = self.entries.len();
        self.entries.push((key, value));
        let entries = &self.entries;
        self.runs.add(item, &|a, b| Self::compare(entries, a, b));
        None
    }

    /// Changes the value of a key; if there is none, the default value is put there first.
    pub fn change(&mut self, key: K, change: impl FnOnce(&mut V))
    where
        V: Default,
    {
        if let Some(value) = self.get_mut(&key) {
            return change(value);
        }
        let mut value = V::default();
        change(&mut value);
        self.insert(key, value);
    }

    /// Takes a key and its value out.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: std::borrow::Borrow<Q>,
    {
        let at = self.find(key)?;
        self.runs.forget(at);
        Some(self.entries.remove(at).1)
    }

    /// Keys and values in the order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        let order = self.runs.all(&|a, b| Self::compare(&self.entries, a, b));
        order.into_iter().filter_map(|at| self.entries.get(at)).map(|(key, value)| (key, value))
    }

    /// The keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }

    /// The values in the order of the keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }
}

impl<K: Ord, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<K: Ord, V: Eq> Eq for Map<K, V> {}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Map::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

/// A set in the order of its elements.
#[derive(Clone, Debug)]
pub struct Set<T>(Map<T, ()>);

impl<T> Default for Set<T> {
    fn default() -> Self {
        Set::new()
    }
}

impl<T> Set<T> {
    /// An empty set.
    pub const fn new() -> Self {
        Set(Map::new())
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl<T: Ord> Set<T> {
    /// Adds an element; `false` if it was there.
    pub fn insert(&mut self, element: T) -> bool {
        self.0.insert(element, ()).is_none()
    }

    /// Whether an element is there.
    pub fn contains<Q: Ord + ?Sized>(&self, element: &Q) -> bool
    where
        T: std::borrow::Borrow<Q>,
    {
        self.0.contains_key(element)
    }

    /// The elements in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.keys()
    }
}

impl<T: Ord> PartialEq for Set<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: Ord> Eq for Set<T> {}

impl<T: Ord> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Set(elements.into_iter().map(|element| (element, ())).collect())
    }
}

impl<T: Ord> Extend<T> for Set<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        for element in elements {
            self.insert(element);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A sequence without pattern, the same every time.
    fn numbers(count: usize, below: u64) -> Vec<u64> {
        let mut state = 7u64;
        (0..count)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 33) % below
            })
            .collect()
    }

    #[test]
    fn sorts_as_the_standard_library_does() {
        for count in [0, 1, 2, 3, 5, 8, 100, 1000] {
            let mut ours: Vec<(u64, usize)> = numbers(count, 50).into_iter().enumerate().map(|(at, n)| (n, at)).collect();
            let mut theirs = ours.clone();
            sort_by_key(&mut ours, |pair| pair.0);
            theirs.sort_by_key(|pair| pair.0);
            assert_eq!(ours, theirs, "{count}");
        }
    }

    #[test]
    fn a_map_is_what_the_standard_library_has() {
        let mut ours = Map::new();
        let mut theirs = BTreeMap::new();
        for (at, n) in numbers(2000, 700).into_iter().enumerate() {
            let key = n.to_string();
            assert_eq!(ours.contains_key(key.as_str()), theirs.contains_key(key.as_str()));
            assert_eq!(ours.insert(key.clone(), at), theirs.insert(key, at));
        }
        assert_eq!(ours.len(), theirs.len());
        assert!(ours.iter().eq(theirs.iter()));
        for n in numbers(300, 700) {
            let key = n.to_string();
            assert_eq!(ours.remove(key.as_str()), theirs.remove(&key));
            assert_eq!(ours.insert(format!("{n}0"), 1), theirs.insert(format!("{n}0"), 1));
        }
        assert!(ours.iter().eq(theirs.iter()));
        assert_eq!(ours.get("3"), theirs.get("3"));
        assert_eq!(ours.get("x"), None);
    }

    thread_local! {
        static COMPARED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    }

    #[derive(Clone, PartialEq, Eq)]
    struct Counted(u64);

    impl PartialOrd for Counted {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl Ord for Counted {
        fn cmp(&self, other: &Self) -> Ordering {
            COMPARED.with(|compared| compared.set(compared.get() + 1));
            self.0.cmp(&other.0)
        }
    }

    /// Ascending, descending or mixed: no sequence makes adding slow.
    #[test]
    fn adding_is_cheap_in_any_sequence() {
        const MANY: u64 = 1 << 16;
        for sequence in [(0..MANY).collect::<Vec<_>>(), (0..MANY).rev().collect(), numbers(1 << 16, 1 << 30)] {
            COMPARED.with(|compared| compared.set(0));
            let set: Set<Counted> = sequence.iter().map(|&n| Counted(n)).collect();
            assert!(sequence.iter().all(|&n| set.contains(&Counted(n))));
            // Twice the search through 16 runs of up to 16 steps, and the merging.
            assert!(COMPARED.with(std::cell::Cell::get) < MANY * 16 * 20);
        }
    }
}

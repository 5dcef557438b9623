//! Maps of few entries: a vector in the order of its keys. Each type of them adds little to a module, unlike a B-tree.

use claimkit_values::order;
use serde::{Serialize, Serializer};
use std::borrow::Borrow;
use std::cmp::Ordering;

/// Values in the order of their keys; each key is there once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sorted<K, V>(Vec<(K, V)>);

impl<K, V> Default for Sorted<K, V> {
    fn default() -> Self {
        Sorted::new()
    }
}

impl<K, V> Sorted<K, V> {
    /// Creates an empty map.
    pub const fn new() -> Self {
        Sorted(Vec::new())
    }

    /// Returns true if the map is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns how many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the entries in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Returns the keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    /// Returns the values in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }
}

impl<K: Ord, V> Sorted<K, V> {
    /// Creates an empty map with room for `count` entries.
    pub fn with_capacity(count: usize) -> Self {
        Sorted(Vec::with_capacity(count))
    }

    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0
            .binary_search_by(|(known, _)| known.borrow().cmp(key))
    }

    /// Returns the value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.place(key)
            .ok()
            .and_then(|at| self.0.get(at))
            .map(|(_, value)| value)
    }

    /// Returns the value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.place(key)
            .ok()
            .and_then(|at| self.0.get_mut(at))
            .map(|(_, value)| value)
    }

    /// Sets a value, unless there is one.
    pub fn insert_new(&mut self, key: K, value: V) {
        if let Err(at) = self.place(&key) {
            self.0.insert(at, (key, value));
        }
    }

    /// Returns true if the map has the key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    /// Sets a value; the one that was there comes back. Keys given in order cost least.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        if self.0.last().is_none_or(|(last, _)| *last < key) {
            self.0.push((key, value));
            return None;
        }
        match self.place(&key) {
            Ok(at) => self
                .0
                .get_mut(at)
                .map(|(_, known)| std::mem::replace(known, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// Takes a value out.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|at| self.0.remove(at).1)
    }
}

impl<K: Ord, V: Default> Sorted<K, V> {
    /// Returns the value of a key, to be changed; the type's zero value is put in first where there is none.
    #[allow(
        clippy::indexing_slicing,
        reason = "the place was found, or filled, just before"
    )]
    pub fn entry(&mut self, key: K) -> &mut V {
        let at = match self.place(&key) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (key, V::default()));
                at
            }
        };
        &mut self.0[at].1
    }
}

impl<K, V> IntoIterator for Sorted<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Sorted<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut sorted = Sorted::new();
        for (key, value) in entries {
            sorted.insert(key, value);
        }
        sorted
    }
}

impl<K: Serialize, V: Serialize> Serialize for Sorted<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Values in order, each once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Set<T>(Vec<T>);

impl<T> Default for Set<T> {
    fn default() -> Self {
        Set(Vec::new())
    }
}

impl<T> Set<T> {
    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the values in order.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// Returns the values in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }
}

impl<T: Ord> Set<T> {
    /// Adds a value; `false`: it was there already.
    pub fn insert(&mut self, value: T) -> bool {
        let place = self.0.binary_search(&value);
        if let Err(at) = place {
            self.0.insert(at, value);
        }
        place.is_err()
    }

    /// Takes a value out.
    pub fn remove(&mut self, value: &T) {
        if let Ok(at) = self.0.binary_search(value) {
            self.0.remove(at);
        }
    }

    /// Returns true if the set has the value.
    pub fn contains(&self, value: &T) -> bool {
        self.0.binary_search(value).is_ok()
    }
}

impl<T> IntoIterator for Set<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<T: Ord> Extend<T> for Set<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        for value in values {
            self.insert(value);
        }
    }
}

impl<T: Ord> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut set = Set::default();
        set.extend(values);
        set
    }
}

/// Sorts the items in a stable way by `compare`.
pub fn ordered<T: Copy>(items: &[T], compare: &dyn Fn(&T, &T) -> Ordering) -> Vec<T> {
    let indexes = order::positions(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    indexes
        .into_iter()
        .filter_map(|at| items.get(at))
        .copied()
        .collect()
}

/// Returns the range of sorted indexes for which `compare` returns `Equal`.
pub fn equal<'o>(order: &'o [usize], compare: &dyn Fn(usize) -> Ordering) -> &'o [usize] {
    let from = order.partition_point(|at| compare(*at) == Ordering::Less);
    let rest = order.get(from..).unwrap_or_default();
    let to = rest.partition_point(|at| compare(*at) == Ordering::Equal);
    rest.get(..to).unwrap_or_default()
}

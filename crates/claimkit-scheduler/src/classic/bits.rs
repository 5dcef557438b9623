//! A set of nodes: one bit each.

/// A set of the numbers below a length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// Returns the set without a number; `len`: how many numbers there may be.
    pub fn none(len: usize) -> Self {
        Bits {
            words: vec![0; len.div_ceil(64)],
            len,
        }
    }

    /// Returns the set of all numbers below `len`.
    pub fn all(len: usize) -> Self {
        let mut bits = Bits {
            words: vec![u64::MAX; len.div_ceil(64)],
            len,
        };
        bits.trim();
        bits
    }

    /// Returns the set of all numbers below `len`, or none of them.
    pub fn new(len: usize, all: bool) -> Self {
        if all { Bits::all(len) } else { Bits::none(len) }
    }

    /// Makes the set of the places of `items` for which `test` holds.
    pub fn of<T>(items: &[T], mut test: impl FnMut(&T) -> bool) -> Self {
        Bits {
            words: items
                .chunks(64)
                .map(|chunk| {
                    chunk
                        .iter()
                        .rev()
                        .fold(0u64, |word, item| (word << 1) | u64::from(test(item)))
                })
                .collect(),
            len: items.len(),
        }
    }

    /// Makes the set of the numbers for which `test` holds.
    pub fn from_fn(len: usize, mut test: impl FnMut(usize) -> bool) -> Self {
        let mut words = Vec::with_capacity(len.div_ceil(64));
        let mut start = 0usize;
        while start < len {
            let end = len.min(start.saturating_add(64));
            let mut word = 0u64;
            for at in (start..end).rev() {
                word = (word << 1) | u64::from(test(at));
            }
            words.push(word);
            start = end;
        }
        Bits { words, len }
    }

    /// Clears bits at or above the length.
    fn trim(&mut self) {
        let spare = self.words.len().saturating_mul(64).saturating_sub(self.len);
        if let Some(last) = self.words.last_mut() {
            *last &= u64::MAX
                .checked_shr(u32::try_from(spare).unwrap_or(64))
                .unwrap_or(0);
        }
    }

    /// Returns how many numbers there may be.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Returns true if `at` belongs to the set.
    pub fn has(&self, at: usize) -> bool {
        self.words
            .get(at / 64)
            .is_some_and(|word| (word >> (at % 64)) & 1 == 1)
    }

    /// Adds or removes `at`.
    pub fn put(&mut self, at: usize, belongs: bool) {
        if at >= self.len {
            return;
        }
        if let Some(word) = self.words.get_mut(at / 64) {
            let bit = 1u64 << (at % 64);
            if belongs { *word |= bit } else { *word &= !bit }
        }
    }

    /// Keeps what is in both.
    pub fn and(&mut self, other: &Bits) {
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(a, b)| *a &= b);
    }

    /// Adds what is in the other.
    pub fn or(&mut self, other: &Bits) {
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(a, b)| *a |= b);
    }

    /// Removes what is in the other.
    pub fn and_not(&mut self, other: &Bits) {
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(a, b)| *a &= !b);
    }

    /// Returns the complement of the set.
    pub fn not(&self) -> Bits {
        let mut bits = Bits {
            words: self.words.iter().map(|word| !word).collect(),
            len: self.len,
        };
        bits.trim();
        bits
    }

    /// Iterates over the numbers of the set, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.len).filter(|&at| self.has(at))
    }

    /// Returns the size of the set.
    pub fn count(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_to_its_length() {
        for len in [0, 1, 63, 64, 65, 130] {
            assert_eq!(Bits::all(len).count(), len);
            let odd = Bits::from_fn(len, |at| at % 2 == 1);
            assert_eq!(odd.count(), len / 2);
            assert!(
                (0..len + 70).all(|at| odd.has(at) == (at < len && at % 2 == 1)),
                "{len}"
            );
            let mut all = odd.clone();
            all.or(&Bits::from_fn(len, |at| at % 2 == 0));
            assert_eq!(all, Bits::all(len));
            all.and(&odd);
            assert_eq!(all, odd);
            all.put(len, true);
            assert_eq!(all, odd);
        }
    }
}

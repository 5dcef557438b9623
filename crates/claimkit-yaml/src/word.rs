//! Tests eight bytes at once, because most bytes of a text need no test of their own and not every target has wider registers.
//! All functions are inlined, even in builds for size: a call costs more than the work. A result is a mask with the highest bit
//! of each matching byte.

const ONES: u64 = u64::from_le_bytes([1; 8]);
const HIGHS: u64 = u64::from_le_bytes([0x80; 8]);
const LOWS: u64 = !HIGHS;

/// Returns the bytes equal to `byte`.
#[inline]
pub(super) fn equal(word: u64, byte: u8) -> u64 {
    let other = word ^ ONES.wrapping_mul(byte as u64);
    !((other & LOWS).wrapping_add(LOWS) | other) & HIGHS
}

/// Returns the control characters below the space.
#[inline]
pub(super) fn control(word: u64) -> u64 {
    !((word | HIGHS).wrapping_sub(ONES.wrapping_mul(0x20)) | word) & HIGHS
}

/// Returns the bytes outside ASCII, and DEL.
#[inline]
pub(super) fn beyond(word: u64) -> u64 {
    ((word & LOWS).wrapping_add(ONES) | word) & HIGHS
}

/// Returns the bytes outside printable ASCII, for half the work of [`control`] and [`beyond`]. Only the first marked byte is
/// certain: a borrow or carry may mark others after it.
#[inline]
pub(super) fn odd(word: u64) -> u64 {
    (word.wrapping_sub(ONES.wrapping_mul(0x20)) | word.wrapping_add(ONES) | word) & HIGHS
}

/// Returns the bytes up to the space, those outside ASCII, and those equal to `byte`. Only the first marked byte is certain: a
/// borrow may mark others after it.
#[inline]
pub(super) fn candidates(word: u64, byte: u8) -> u64 {
    let other = word ^ ONES.wrapping_mul(byte as u64);
    (word.wrapping_sub(ONES.wrapping_mul(0x21)) | word | (other.wrapping_sub(ONES) & !other))
        & HIGHS
}

/// Returns the index of the first marked byte, in the order of the text.
#[inline]
pub(super) fn first(mask: u64) -> usize {
    (mask.trailing_zeros() >> 3) as usize
}

/// Returns the index of the first byte that `meant` marks.
#[inline]
pub(super) fn find(bytes: &[u8], meant: impl Fn(u64) -> u64) -> Option<usize> {
    let (words, tail) = bytes.as_chunks::<8>();
    let mut base = 0usize;
    for word in words {
        let found = meant(u64::from_le_bytes(*word));
        if found != 0 {
            return Some(base.wrapping_add(first(found)));
        }
        base = base.wrapping_add(word.len());
    }
    let mut last = [0; 8];
    for (place, byte) in last.iter_mut().zip(tail) {
        *place = *byte;
    }
    let found = first(meant(u64::from_le_bytes(last)));
    (found < tail.len()).then(|| base.wrapping_add(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agree_with_a_look_at_every_byte() {
        let mask = |bytes: [u8; 8], meant: fn(u8) -> bool| {
            u64::from_le_bytes(bytes.map(|b| if meant(b) { 0x80 } else { 0 }))
        };
        for byte in 0..=255u8 {
            for place in 0..8 {
                for other in [b'a', 0x20, 0x7e, 0x7f, b'\n', 0xff, byte] {
                    let mut bytes = [other; 8];
                    bytes[place] = byte;
                    let word = u64::from_le_bytes(bytes);
                    assert_eq!(control(word), mask(bytes, |b| b < 0x20), "{bytes:x?}");
                    assert_eq!(beyond(word), mask(bytes, |b| b >= 0x7f), "{bytes:x?}");
                    assert_eq!(
                        equal(word, b'\n'),
                        mask(bytes, |b| b == b'\n'),
                        "{bytes:x?}"
                    );
                    assert_eq!(
                        first(odd(word)),
                        first(mask(bytes, |b| !(0x20..0x7f).contains(&b))),
                        "{bytes:x?}"
                    );
                    let meant = mask(bytes, |b| b <= b' ' || b >= 0x80 || b == b':');
                    assert_eq!(candidates(word, b':') & meant, meant, "{bytes:x?}");
                    assert_eq!(first(candidates(word, b':')), first(meant), "{bytes:x?}");
                    for from in 0..8 {
                        let found = bytes[from..].iter().position(|&b| b == byte);
                        assert_eq!(
                            find(&bytes[from..], |word| equal(word, byte)),
                            found,
                            "{bytes:x?} {from}"
                        );
                    }
                    let newline = bytes.iter().position(|&b| b == b'\n');
                    assert_eq!(
                        first(equal(word, b'\n')),
                        newline.unwrap_or(8),
                        "{bytes:x?}"
                    );
                }
            }
        }
    }
}

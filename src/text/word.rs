//! Eight bytes looked at in one: no target here has wider registers for certain, and most bytes of a text need no look of
//! their own.

const ONES: u64 = u64::from_le_bytes([1; 8]);
const HIGHS: u64 = u64::from_le_bytes([0x80; 8]);

/// True when one of the bytes is zero.
#[inline]
fn has_zero(word: u64) -> bool {
    word.wrapping_sub(ONES) & !word & HIGHS != 0
}

/// True when one of the bytes is `byte`.
#[inline]
pub(super) fn holds(word: u64, byte: u8) -> bool {
    has_zero(word ^ ONES.wrapping_mul(byte as u64))
}

/// True when all bytes are printable ASCII characters.
#[inline]
pub(super) fn is_printable(word: u64) -> bool {
    // A byte below 0x20 borrows into its highest bit, one from 0x7f on has it or gets it.
    let low = word.wrapping_sub(ONES.wrapping_mul(0x20));
    let high = word.wrapping_add(ONES);
    (word | low | high) & HIGHS == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agree_with_a_look_at_every_byte() {
        for byte in 0..=255u8 {
            for place in 0..8 {
                for other in [b'a', 0x20, 0x7e, byte] {
                    let mut bytes = [other; 8];
                    bytes[place] = byte;
                    let word = u64::from_le_bytes(bytes);
                    assert_eq!(is_printable(word), bytes.iter().all(|b| (0x20..0x7f).contains(b)), "{bytes:x?}");
                    assert!(holds(word, byte));
                    assert_eq!(holds(word, b'\n'), bytes.contains(&b'\n'), "{bytes:x?}");
                }
            }
        }
    }
}

//! Floating-point numbers from decimal digits and back, rounded as IEEE 754 asks. Manifests contain few floats, so this uses
//! big-integer arithmetic: slower than the standard library's tables, but a tenth of the code size.

use std::cmp::Ordering;

/// Digits beyond this many affect rounding only by being non-zero.
const MAX_DIGITS: usize = 800;

/// A whole number: 32 bits each, the low ones first, the last not zero.
#[derive(Clone)]
struct Whole(Vec<u32>);

impl Whole {
    fn new(n: u64) -> Self {
        let mut words = vec![n as u32, (n >> 32) as u32];
        while words.last() == Some(&0) {
            words.pop();
        }
        Whole(words)
    }

    /// Multiplies by `factor`, and adds `more`.
    fn scale(&mut self, factor: u32, more: u32) {
        let mut carry = u64::from(more);
        for word in &mut self.0 {
            carry = u64::from(*word)
                .wrapping_mul(u64::from(factor))
                .wrapping_add(carry);
            *word = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Multiplies by a power of two.
    fn double(&mut self, times: u32) {
        self.scale(1 << (times % 32), 0);
        let mut words = vec![0; (times / 32) as usize];
        words.append(&mut self.0);
        self.0 = words;
    }

    /// Multiplies by a power of five.
    fn quintuple(&mut self, mut times: u32) {
        const MOST: u32 = 13;
        while times > 0 {
            let step = times.min(MOST);
            self.scale(5u32.wrapping_pow(step), 0);
            times = times.wrapping_sub(step);
        }
    }

    /// Multiplies by a power of ten.
    fn tenfold(&mut self, times: u32) {
        self.quintuple(times);
        self.double(times);
    }

    /// Subtracts `other`, which is not larger.
    fn subtract(&mut self, other: &Whole) {
        let mut borrow = 0i64;
        for (at, word) in self.0.iter_mut().enumerate() {
            let less = other.0.get(at).copied().unwrap_or(0);
            borrow = i64::from(*word)
                .wrapping_sub(i64::from(less))
                .wrapping_add(borrow);
            *word = borrow as u32;
            borrow >>= 32;
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    /// Divides by a number that is not zero, and returns the remainder.
    fn divide(&mut self, by: u32) -> u32 {
        let mut rest = 0u64;
        for word in self.0.iter_mut().rev() {
            let part = rest << 32 | u64::from(*word);
            *word = part.checked_div(u64::from(by)).unwrap_or(0) as u32;
            rest = part.checked_rem(u64::from(by)).unwrap_or(0);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        rest as u32
    }

    fn compare(&self, other: &Whole) -> Ordering {
        let lengths = self.0.len().cmp(&other.0.len());
        let words = self.0.iter().rev();
        lengths.then_with(|| words.cmp(other.0.iter().rev()))
    }

    /// Returns how many bits there are up to the highest that is set.
    fn bits(&self) -> i32 {
        let last = self.0.last().map_or(0, |word| word.leading_zeros());
        (self.0.len() as i32)
            .wrapping_mul(32)
            .wrapping_sub_unsigned(last)
    }
}

// --- from digits ---------------------------------------------------------------------------------------------------------

/// Returns the number nearest to a text such as `-1.5e3`, `.5`, `1.`; infinite beyond the largest. `None` for any other text.
///
/// ```
/// use claimkit_values::float;
///
/// assert_eq!(float::parse("-1.5e3"), Some(-1500.0));
/// assert_eq!(float::parse("NaN"), None);
/// ```
pub fn parse(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut small = Some(0u64);
    let mut exponent = 0i64;
    let (mut digits, mut point) = (false, false);
    let mut rest = unsigned.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'0'..=b'9' => {
                digits = true;
                exponent = exponent.wrapping_sub(i64::from(point));
                small = small.and_then(|n| n.checked_mul(10)?.checked_add(u64::from(byte & 0xf)));
            }
            b'.' if !point => point = true,
            b'e' | b'E' if digits => {
                exponent = exponent.saturating_add(exponent_of(rest)?);
                break;
            }
            _ => return None,
        }
    }
    let size = match small {
        _ if !digits => return None,
        Some(0) => 0.0,
        // Both numbers are exact here, and so is the rounding of one operation.
        Some(n) if n <= 1 << 53 && exponent.unsigned_abs() <= 22 => {
            let power = (0..exponent.unsigned_abs()).fold(1.0, |power, _| power * 10.0);
            if exponent < 0 {
                n as f64 / power
            } else {
                n as f64 * power
            }
        }
        _ => long(unsigned.as_bytes(), exponent),
    };
    Some(if text.starts_with('-') { -size } else { size })
}

/// Parses the exponent after `e`.
fn exponent_of(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0i64;
    for &byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        // Exponents beyond the length of any text need not be distinguished.
        value = value
            .saturating_mul(10)
            .saturating_add(i64::from(byte & 0xf))
            .min(i64::MAX >> 2);
    }
    Some(if negative {
        value.wrapping_neg()
    } else {
        value
    })
}

/// Reads digits that are not all zero, the last of them with this power of ten.
fn long(text: &[u8], mut exponent: i64) -> f64 {
    let mut whole = Whole::new(0);
    let (mut kept, mut more) = (0usize, false);
    for &byte in text
        .iter()
        .take_while(|byte| !matches!(byte, b'e' | b'E'))
        .filter(|byte| byte.is_ascii_digit())
    {
        let digit = u32::from(byte & 0xf);
        if kept < MAX_DIGITS {
            whole.scale(10, digit);
            kept = kept.saturating_add(usize::from(!whole.0.is_empty()));
        } else {
            exponent = exponent.saturating_add(1);
            more |= digit > 0;
        }
    }
    if more {
        whole.scale(10, 1);
        kept = kept.saturating_add(1);
        exponent = exponent.saturating_sub(1);
    }
    match exponent.saturating_add(kept as i64) {
        ..-400 => 0.0,
        400.. => f64::INFINITY,
        // Less than 400 and at most one more than the digits kept: far inside.
        _ => nearest(whole, exponent as i32),
    }
}

/// Returns the number nearest to `numerator` times a power of ten; of two the even one.
fn nearest(mut numerator: Whole, exponent: i32) -> f64 {
    const BITS: i32 = 53;
    const LOWEST: i32 = -1074;
    let mut divisor = Whole::new(1);
    let fives = if exponent < 0 {
        &mut divisor
    } else {
        &mut numerator
    };
    fives.quintuple(exponent.unsigned_abs());
    let mut twos = numerator.bits().wrapping_sub(divisor.bits());
    let smaller = if twos < 0 {
        &mut numerator
    } else {
        &mut divisor
    };
    smaller.double(twos.unsigned_abs());
    if numerator.compare(&divisor).is_lt() {
        numerator.double(1);
        twos = twos.wrapping_sub(1);
    }
    // The quotient is now at least 1 and less than 2; `power` is its power of two.
    let power = twos.wrapping_add(exponent);
    if power > 1023 {
        return f64::INFINITY;
    }
    let places = power.wrapping_sub(LOWEST).wrapping_add(1).min(BITS);
    if places < 0 {
        return 0.0;
    }
    let mut bits = 0u64;
    for _ in 0..places {
        bits <<= 1;
        if numerator.compare(&divisor).is_ge() {
            numerator.subtract(&divisor);
            bits |= 1;
        }
        numerator.double(1);
    }
    let up = match numerator.compare(&divisor) {
        Ordering::Less => 0,
        Ordering::Equal => bits & 1,
        Ordering::Greater => 1,
    };
    // Rounding may carry into the exponent, and at the end into infinity.
    let exponent = if places == BITS {
        power.wrapping_add(1022) as u64
    } else {
        0
    };
    f64::from_bits((exponent << 52).wrapping_add(bits).wrapping_add(up))
}

// --- to digits -----------------------------------------------------------------------------------------------------------

/// Returns a finite number as `{}` writes it: the fewest digits that read back as it, without an exponent.
///
/// ```
/// assert_eq!(claimkit_values::float::plain(1e21), "1000000000000000000000");
/// ```
pub fn plain(n: f64) -> String {
    let (digits, exponent) = decimal(n);
    let mut out = String::new();
    if n.is_sign_negative() {
        out.push('-');
    }
    if exponent < 0 {
        out.push_str("0.");
        push_zeros(&mut out, exponent.saturating_neg().saturating_sub(1));
        out.push_str(&digits);
        return out;
    }
    let before = (exponent as usize).saturating_add(1);
    match digits.split_at_checked(before) {
        Some((whole, fraction)) if !fraction.is_empty() => {
            out.push_str(whole);
            out.push('.');
            out.push_str(fraction);
        }
        _ => {
            out.push_str(&digits);
            push_zeros(&mut out, before.saturating_sub(digits.len()) as i32);
        }
    }
    out
}

fn push_zeros(out: &mut String, count: i32) {
    for _ in 0..count {
        out.push('0');
    }
}

/// Returns all decimal digits of the size of a finite number, and the power of ten of the last: none are rounded away. Zero has
/// none.
///
/// ```
/// let (digits, power) = claimkit_values::float::exact(0.375);
/// assert_eq!(digits.trim_end_matches('0'), "375");
/// assert_eq!(digits.len(), usize::try_from(-power).unwrap());
/// ```
pub fn exact(n: f64) -> (String, i32) {
    const FRACTION: u64 = (1 << 52) - 1;
    let bits = n.to_bits();
    let (mantissa, power) = match (bits >> 52 & 0x7ff) as i32 {
        0 => (bits & FRACTION, -1074),
        biased => (bits & FRACTION | (1 << 52), biased.wrapping_sub(1075)),
    };
    let mut whole = Whole::new(mantissa);
    // A half is five tenths.
    if power < 0 {
        whole.quintuple(power.unsigned_abs());
    } else {
        whole.double(power.unsigned_abs());
    }
    let mut digits = Vec::new();
    while !whole.0.is_empty() {
        digits.push(b'0'.wrapping_add(whole.divide(10) as u8));
    }
    digits.reverse();
    (String::from_utf8(digits).unwrap_or_default(), power.min(0))
}

/// Returns a finite number as `{:e}` writes it.
///
/// ```
/// assert_eq!(claimkit_values::float::scientific(1500.0), "1.5e3");
/// ```
pub fn scientific(n: f64) -> String {
    written(n.is_sign_negative(), decimal(n))
}

/// Does the same with the fewest digits that identify the number among 32-bit floats.
///
/// ```
/// assert_eq!(claimkit_values::float::scientific_single(0.1), "1e-1");
/// ```
pub fn scientific_single(n: f32) -> String {
    const FRACTION: u32 = (1 << 23) - 1;
    let bits = n.to_bits();
    let decimal = shortest(
        u64::from(bits & FRACTION),
        1 << 23,
        (bits >> 23 & 0xff) as i32,
        -149,
    );
    written(n.is_sign_negative(), decimal)
}

fn written(negative: bool, (digits, exponent): (String, i32)) -> String {
    let mut out = String::new();
    if negative {
        out.push('-');
    }
    let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
    out.push_str(first);
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
    out.push('e');
    out.push_str(&exponent.to_string());
    out
}

fn decimal(n: f64) -> (String, i32) {
    const FRACTION: u64 = (1 << 52) - 1;
    let bits = n.to_bits();
    shortest(bits & FRACTION, 1 << 52, (bits >> 52 & 0x7ff) as i32, -1074)
}

/// Returns the shortest digits that round back to this number, and the power of ten of the first digit (Steele and White).
/// `biased`: the stored exponent. `lowest`: the exponent of the lowest bit of subnormal numbers.
fn shortest(fraction: u64, implicit: u64, biased: i32, lowest: i32) -> (String, i32) {
    let (mantissa, power) = match biased {
        0 => (fraction, lowest),
        _ => (
            fraction | implicit,
            lowest.wrapping_add(biased).wrapping_sub(1),
        ),
    };
    if mantissa == 0 {
        return ("0".to_owned(), 0);
    }
    // log10(2) in 32 bits: at most one too low.
    let twos = i64::from(
        power
            .wrapping_add(63)
            .wrapping_sub_unsigned(mantissa.leading_zeros()),
    );
    let mut exponent = (twos.wrapping_mul(1_292_913_986) >> 32) as i32;
    let mut scaled = Scaled::new(mantissa, power, fraction == 0 && biased > 1);
    scaled.divide_by_ten_to(exponent);
    let mut ten = scaled.one.clone();
    ten.scale(10, 0);
    if scaled.rounds_up_to(&ten) {
        scaled.one = ten;
        exponent = exponent.wrapping_add(1);
    }
    let digits = scaled.into_digits();
    (String::from_utf8(digits).unwrap_or_default(), exponent)
}

/// A number while its digits are found, in units of half the distance to the next smaller number.
struct Scaled {
    number: Whole,
    /// The distance from the number down to where the next smaller one begins.
    below: Whole,
    one: Whole,
    /// 1 at a power of two, where the next larger number is twice as far away as the next smaller one.
    uneven: u32,
    /// True if what is half way to the next number is rounded to this one.
    is_even: bool,
}

impl Scaled {
    fn new(mantissa: u64, power: i32, is_uneven: bool) -> Self {
        let uneven = u32::from(is_uneven);
        let mut number = Whole::new(mantissa);
        number.double(uneven.wrapping_add(1));
        let mut below = Whole::new(1);
        let mut one = Whole::new(1);
        one.double(uneven.wrapping_add(1));
        match power {
            0.. => {
                number.double(power.unsigned_abs());
                below.double(power.unsigned_abs());
            }
            _ => one.double(power.unsigned_abs()),
        }
        Scaled {
            number,
            below,
            one,
            uneven,
            is_even: mantissa & 1 == 0,
        }
    }

    fn divide_by_ten_to(&mut self, exponent: i32) {
        let tens = exponent.unsigned_abs();
        if exponent < 0 {
            self.number.tenfold(tens);
            self.below.tenfold(tens);
        } else {
            self.one.tenfold(tens);
        }
    }

    /// Returns true if the number is at most as far below the limit as numbers are rounded to it, or above.
    fn rounds_up_to(&self, limit: &Whole) -> bool {
        if self.number.compare(limit).is_ge() {
            return true;
        }
        let mut above = self.below.clone();
        above.double(self.uneven);
        let mut rest = limit.clone();
        rest.subtract(&self.number);
        let order = rest.compare(&above);
        order.is_lt() || (self.is_even && order.is_eq())
    }

    /// Returns the digits, as few as are needed; the number is less than ten.
    fn into_digits(mut self) -> Vec<u8> {
        let mut digits = Vec::new();
        loop {
            let mut digit = b'0';
            while self.number.compare(&self.one).is_ge() {
                self.number.subtract(&self.one);
                digit = digit.wrapping_add(1);
            }
            let order = self.number.compare(&self.below);
            let down = order.is_lt() || (self.is_even && order.is_eq());
            let up = self.rounds_up_to(&self.one);
            if down || up {
                self.number.double(1);
                // Ten in this digit would be one in the digit before, which was found there.
                let nearer = up && (!down || self.number.compare(&self.one).is_ge());
                digits.push(digit.wrapping_add(u8::from(nearer)));
                return digits;
            }
            digits.push(digit);
            self.number.scale(10, 0);
            self.below.scale(10, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom numbers, the same in every run.
    struct Seeds(u64);

    impl Seeds {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut n = self.0;
            n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            n ^ (n >> 31)
        }
    }

    fn both_ways(n: f64) {
        if !n.is_finite() {
            return;
        }
        assert_eq!(plain(n), n.to_string());
        assert_eq!(scientific(n), format!("{n:e}"));
        assert_eq!(
            parse(&format!("{n:e}")).map(f64::to_bits),
            Some(n.to_bits())
        );
        assert_eq!(parse(&n.to_string()).map(f64::to_bits), Some(n.to_bits()));
        let single = n as f32;
        if single.is_finite() {
            assert_eq!(scientific_single(single), format!("{single:e}"));
        }
    }

    #[test]
    fn agrees_with_the_standard_library_on_any_bits() {
        let mut seeds = Seeds(1);
        for _ in 0..3_000 {
            both_ways(f64::from_bits(seeds.next()));
            both_ways(f64::from(f32::from_bits(seeds.next() as u32)));
            both_ways((seeds.next() >> (seeds.next() % 64)) as f64 / 1000.0);
        }
        // Every power of two, with its neighbors.
        for exponent in 0..2047u64 {
            let bits = exponent << 52;
            [bits.saturating_sub(1), bits, bits + 1]
                .into_iter()
                .map(f64::from_bits)
                .for_each(both_ways);
        }
        for exponent in 0..255u32 {
            let bits = exponent << 23;
            [bits.saturating_sub(1), bits, bits + 1]
                .into_iter()
                .for_each(|bits| both_ways(f64::from(f32::from_bits(bits))));
        }
        [
            0.0,
            -0.0,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::MIN,
            1e22,
            1e23,
            5e-324,
            9.5,
            0.3,
        ]
        .into_iter()
        .for_each(both_ways);
    }

    #[test]
    fn all_digits_are_those_of_the_standard_library() {
        let mut seeds = Seeds(4);
        for _ in 0..200 {
            let n = f64::from_bits(seeds.next() & !(1 << 63));
            if !n.is_finite() {
                continue;
            }
            let (digits, exponent) = exact(n);
            let places = exponent.unsigned_abs() as usize;
            let all: String = format!("{n:.places$}")
                .chars()
                .filter(char::is_ascii_digit)
                .collect();
            assert_eq!(digits, all.trim_start_matches('0'), "{n:e}");
        }
        assert_eq!(exact(1.5), ("15".to_owned() + &"0".repeat(51), -52));
        assert_eq!((exact(0.0).0, exact(5e-324).0.len()), (String::new(), 751));
    }

    #[test]
    fn agrees_with_the_standard_library_on_any_digits() {
        let mut seeds = Seeds(2);
        for _ in 0..3_000 {
            let digits = seeds
                .next()
                .to_string()
                .repeat((seeds.next() % 3) as usize + 1);
            let (whole, fraction) = digits.split_at(seeds.next() as usize % digits.len());
            let exponent = (seeds.next() % 800) as i64 - 420;
            for text in [
                format!("{whole}.{fraction}e{exponent}"),
                format!("-{whole}.{fraction}"),
                format!("{digits}e{exponent}"),
            ] {
                assert_eq!(
                    parse(&text).map(f64::to_bits),
                    text.parse().ok().map(f64::to_bits),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn rounds_halves_to_even_however_long_they_are() {
        let mut seeds = Seeds(3);
        for _ in 0..200 {
            let low = f64::from_bits((seeds.next() % (0x7fe << 52)) & !(1 << 63));
            let high = f64::from_bits(low.to_bits() + 1);
            // Exact: all digits of both, and of what lies in the middle.
            let (a, b) = (format!("{low:.1100}"), format!("{high:.1100}"));
            let middle = middle(&a, &b);
            for text in [
                middle.clone(),
                format!("{middle}1"),
                format!("{middle}{}1", "0".repeat(500)),
            ] {
                assert_eq!(
                    parse(&text).map(f64::to_bits),
                    text.parse().ok().map(f64::to_bits),
                    "{text}"
                );
            }
        }
    }

    /// Returns half of the sum of two decimal texts with as many digits behind the point.
    fn middle(a: &str, b: &str) -> String {
        let width = a.len().max(b.len());
        let digits = |text: &str| {
            format!("{text:0>width$}0")
                .bytes()
                .filter(u8::is_ascii_digit)
                .map(|b| b & 0xf)
                .collect::<Vec<_>>()
        };
        let (a, b) = (digits(a), digits(b));
        let mut sum = vec![0u8; a.len()];
        let mut carry = 0;
        for at in (0..a.len()).rev() {
            let total = a[at] + b[at] + carry;
            sum[at] = total % 10;
            carry = total / 10;
        }
        let mut half = String::new();
        let mut rest = carry;
        for digit in sum {
            let total = rest * 10 + digit;
            half.push(char::from(b'0' + total / 2));
            rest = total % 2;
        }
        half.insert(half.len() - 1101, '.');
        half
    }

    #[test]
    fn reads_what_the_standard_library_reads_and_nothing_else() {
        for text in [
            "1",
            "+1",
            "-1",
            "1.",
            ".5",
            "-.5e1",
            "1e5",
            "1E+5",
            "1e-5",
            "0e999999999999999999999",
            "1e999999999999999999999",
            "1e-999999999999999999999",
            "",
            "+",
            ".",
            "e5",
            "1e",
            "1e+",
            "1.2.3",
            "--1",
            "1x",
            "0x10",
            "1e5.0",
            "1_0",
            " 1",
            "1 ",
        ] {
            assert_eq!(
                parse(text).map(f64::to_bits),
                text.parse().ok().map(f64::to_bits),
                "{text}"
            );
        }
        let zeros = "0".repeat(100_000);
        for text in [
            format!("0.{zeros}1e100001"),
            format!("1{zeros}e-100000"),
            format!("1{zeros}.{zeros}1"),
        ] {
            assert_eq!(
                parse(&text).map(f64::to_bits),
                text.parse().ok().map(f64::to_bits)
            );
        }
    }
}

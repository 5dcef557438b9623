//! Numbers from texts and back as Go's `strconv` does: `double("…")`, `string(1.5)`.

use claimkit_values::float::{parse as decimal, plain, scientific};

/// Parses as `strconv.ParseFloat` with 64 bits does; returns `None` for a text that is not a number, or for one beyond the
/// largest.
pub fn parse(text: &str) -> Option<f64> {
    if let Some(special) = special(text) {
        return Some(special);
    }
    if text.contains('_') && !has_good_underscores(text) {
        return None;
    }
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(&digits);
    let number = match unsigned
        .strip_prefix("0x")
        .or_else(|| unsigned.strip_prefix("0X"))
    {
        Some(hexadecimal) if digits.starts_with('-') => -self::hexadecimal(hexadecimal)?,
        Some(hexadecimal) => self::hexadecimal(hexadecimal)?,
        None => decimal(&digits)?,
    };
    number.is_finite().then_some(number)
}

fn special(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.eq_ignore_ascii_case("inf") || unsigned.eq_ignore_ascii_case("infinity") {
        return Some(if text.starts_with('-') {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        });
    }
    text.eq_ignore_ascii_case("nan").then_some(f64::NAN)
}

/// Checks that underscores are between digits, or after the prefix of a base.
fn has_good_underscores(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let lower = unsigned.to_ascii_lowercase();
    let prefixed = ["0b", "0o", "0x"]
        .into_iter()
        .any(|prefix| lower.starts_with(prefix));
    let (mut previous, rest) = if prefixed {
        (b'0', lower.get(2..).unwrap_or_default())
    } else {
        (b'^', lower.as_str())
    };
    for byte in rest.bytes() {
        let digit = byte.is_ascii_digit() || (lower.starts_with("0x") && byte.is_ascii_hexdigit());
        previous = match byte {
            _ if digit => b'0',
            b'_' if previous == b'0' => b'_',
            b'_' => return false,
            _ if previous == b'_' => return false,
            _ => b'!',
        };
    }
    previous != b'_'
}

/// Parses the text after `0x`: digits, perhaps with a point, and `p` with a power of two.
fn hexadecimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if (whole.is_empty() && fraction.is_empty())
        || unsigned.is_empty()
        || !claimkit_values::has_only_digits(unsigned)
    {
        return None;
    }
    // Go stops counting here, far beyond where it matters.
    let mut power = unsigned.bytes().fold(0i64, |sum, b| {
        sum.saturating_mul(10)
            .saturating_add(i64::from(b & 0xf))
            .min(100_000)
    });
    if exponent.starts_with('-') {
        power = power.saturating_neg();
    }
    let (mut value, mut more) = (0u64, false);
    for (digit, behind) in whole
        .chars()
        .map(|c| (c, false))
        .chain(fraction.chars().map(|c| (c, true)))
    {
        let digit = u64::from(digit.to_digit(16)?);
        if behind {
            power = power.saturating_sub(4);
        }
        if value >> 58 == 0 {
            value = value << 4 | digit;
        } else {
            more |= digit != 0;
            power = power.saturating_add(4);
        }
    }
    Some(scaled(value, more, power))
}

/// Returns `value` times a power of two, rounded once; `more` means that the exact value is slightly larger.
fn scaled(value: u64, more: bool, power: i64) -> f64 {
    if value == 0 {
        return 0.0;
    }
    // Normalize to the highest bit, then keep as many bits as a double of this magnitude has.
    let zeros = value.leading_zeros();
    let normal = value.wrapping_shl(zeros);
    let top = power.saturating_sub(i64::from(zeros)).saturating_add(63);
    let kept = top.saturating_add(1075).clamp(-1, 53);
    if top > 1023 {
        return f64::INFINITY;
    }
    let Ok(dropped @ 11..=64) = u32::try_from(64i64.saturating_sub(kept)) else {
        return 0.0;
    };
    let low = u64::MAX
        .checked_shr(64u32.saturating_sub(dropped))
        .unwrap_or(0);
    let half = 1u64.checked_shl(dropped.saturating_sub(1)).unwrap_or(0);
    let bits = normal.checked_shr(dropped).unwrap_or(0);
    let rest = normal & low;
    let up = rest > half || (rest == half && (more || bits & 1 == 1));
    // The digits kept are less than 2^54, also after adding one, so they are exact; so is the product, unless it is too large.
    let mut number = bits.saturating_add(u64::from(up)) as f64;
    let mut left = top.saturating_sub(kept).saturating_add(1);
    while left != 0 {
        let step = left.clamp(-1000, 1000);
        let factor = f64::from_bits(u64::try_from(step.saturating_add(1023)).unwrap_or(0) << 52);
        number *= factor;
        left = left.saturating_sub(step);
    }
    number
}

/// Prints a number as Go's shortest `%g` does, which is `%v`, too: `100000`, `1e+06`, `0.0001`, `1e-05`, `+Inf`.
pub fn print(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let long = scientific(number);
    let (mantissa, exponent) = long.split_once('e').unwrap_or((&long, "0"));
    let power: i32 = exponent.parse().unwrap_or(0);
    if (-4..LONGEST).contains(&power) {
        return plain(number);
    }
    let sign = if power < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", power.unsigned_abs())
}

/// The power of ten from which on a number is written with an exponent.
const LONGEST: i32 = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_go_reads() {
        for (text, number) in [
            ("1.5", 1.5),
            ("+1", 1.0),
            ("1e3", 1000.0),
            ("1_0.5", 10.5),
            ("1e1_0", 1e10),
            ("0x1p4", 16.0),
            ("-0X.8P+1", -1.0),
            ("0x_1p0", 1.0),
            ("0x1.fffffffffffff8p0", 2.0),
            ("0x1.fffffffffffff7p0", 1.9999999999999998),
            ("0x1.00000000000008p0", 1.0),
            (
                "0x1.000000000000080000000000000000000001p0",
                1.0000000000000002,
            ),
            ("0x1p-1074", 5e-324),
            ("0x1p-1075", 0.0),
            ("0x1.8p-1075", 5e-324),
            ("0x0.0000000000001p-1022", 5e-324),
            ("0x1p-999999999999", 0.0),
            ("0x0p999999999999", 0.0),
            ("0x1.fffffffffffffp1023", f64::MAX),
            ("0x123456789abcdef0123p0", 5.373_003_642_731_685e21),
            ("inf", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("+iNF", f64::INFINITY),
            ("1e-400", 0.0),
        ] {
            assert_eq!(parse(text), Some(number), "{text}");
        }
        assert!(parse("NaN").is_some_and(f64::is_nan));
        for text in [
            "",
            "abc",
            "+nan",
            "1e400",
            "0x1p1024",
            "0x1.fffffffffffff8p1023",
            "0x1",
            "0xp1",
            "0x1p",
            "0x1p+",
            "0xgp1",
            "_1",
            "1_",
            "1__0",
            "1_.5",
            "1._5",
            "1e_5",
            "0x1_p0",
            " 1",
            "1 ",
            "infin",
            "0b1",
            "0x1.2.3p0",
            "0x-1p0",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn prints_as_go_prints() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.1, "0.1"),
            (100_000.0, "100000"),
            (999_999.5, "999999.5"),
            (1e6, "1e+06"),
            (1_234_567.0, "1.234567e+06"),
            (1e20, "1e+20"),
            (1.5e300, "1.5e+300"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (2.225_073_858_507_201_4e-308, "2.2250738585072014e-308"),
            (1_610_612_736.0, "1.610612736e+09"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "+Inf"),
            (f64::NEG_INFINITY, "-Inf"),
        ] {
            assert_eq!(print(number), text);
        }
    }
}

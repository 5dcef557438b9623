//! Numbers as golang.org/x/text prints them in American English: `1,234.500000`, `1.234500×10⁰³`, `∞`.
//!
//! Source: `message/print.go` and `internal/number` there.

use claimkit_values::float::exact;

/// The spacing of a number with an exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// Kubernetes 1.31: narrow spaces on both sides of the times sign.
    Narrow,
    /// All other languages: no space.
    None,
}

/// Places behind the point if a clause does not say how many.
pub(super) const DEFAULT_PRECISION: i64 = 6;

/// Digits before and behind the point.
struct Digits {
    whole: String,
    fraction: String,
}

impl Digits {
    fn text(&self, negative: bool) -> String {
        let sign = if negative { "-" } else { "" };
        let point = if self.fraction.is_empty() { "" } else { "." };
        format!("{sign}{}{point}{}", self.whole, self.fraction)
    }

    fn is_zero(&self) -> bool {
        self.whole
            .bytes()
            .chain(self.fraction.bytes())
            .all(|digit| digit == b'0')
    }
}

/// Returns the size of a finite number with `places` digits after the point, rounded to even.
fn rounded(number: f64, places: i64) -> Digits {
    let (digits, exponent) = exact(number);
    let places = usize::try_from(places).unwrap_or(0);
    let behind = usize::try_from(exponent.unsigned_abs()).unwrap_or(0);
    // Keep the requested number of fraction digits, or all if there are fewer, and at least one digit before the point.
    let padded = format!("{digits:0>width$}", width = behind.saturating_add(1));
    let kept = padded.len().saturating_sub(behind.saturating_sub(places));
    let mut kept_digits = round(&padded, kept);
    let given = behind.min(places);
    let fraction = kept_digits.split_off(kept_digits.len().saturating_sub(given));
    Digits {
        whole: kept_digits,
        fraction: format!("{fraction:0<places$}"),
    }
}

/// Returns the first `kept` digits, rounded half to even. A carry may add one digit in front.
fn round(digits: &str, kept: usize) -> String {
    let (head, tail) = digits.split_at_checked(kept).unwrap_or((digits, ""));
    let odd = head.bytes().last().is_some_and(|digit| digit & 1 == 1);
    let more = tail.bytes().skip(1).any(|digit| digit != b'0');
    let up = match tail.bytes().next() {
        Some(b'5') => more || odd,
        Some(digit) => digit > b'5',
        None => false,
    };
    if !up {
        return head.to_owned();
    }
    let nines = head
        .bytes()
        .rev()
        .take_while(|digit| *digit == b'9')
        .count();
    let (front, _) = head
        .split_at_checked(head.len().saturating_sub(nines))
        .unwrap_or(("", head));
    let mut out: Vec<u8> = front.bytes().collect();
    match out.last_mut() {
        Some(digit) => *digit = digit.saturating_add(1),
        None => out.push(b'1'),
    }
    out.extend(core::iter::repeat_n(b'0', nines));
    String::from_utf8(out).unwrap_or_default()
}

fn special(number: f64) -> Option<&'static str> {
    match number {
        _ if number.is_nan() => Some("NaN"),
        f64::INFINITY => Some("∞"),
        f64::NEG_INFINITY => Some("-∞"),
        _ => None,
    }
}

/// Formats a finite number as Go's own `%f` does: without commas, and with the sign of a zero.
pub(super) fn plain(number: f64, precision: i64) -> String {
    rounded(number, precision).text(number.is_sign_negative())
}

/// Formats a number for `%f`: with commas between thousands, and no sign at zero.
pub(super) fn fixed(number: f64, precision: i64) -> String {
    if let Some(special) = special(number) {
        return special.to_owned();
    }
    // Upstream keeps the two limits in 8 and 16 bits.
    let (least, most) = (usize::from(precision as u8), precision as u16 as i16);
    let mut digits = rounded(number, i64::from(most.max(0)));
    let fraction = digits.fraction.trim_end_matches('0').len().max(least);
    digits.fraction = format!(
        "{:0<least$}",
        digits.fraction.get(..fraction).unwrap_or(&digits.fraction)
    );
    let negative = number < 0.0 && !digits.is_zero();
    let length = digits.whole.len();
    let mut whole = String::new();
    for (at, digit) in digits.whole.chars().enumerate() {
        if at > 0 && length.saturating_sub(at).is_multiple_of(3) {
            whole.push(',');
        }
        whole.push(digit);
    }
    Digits {
        whole,
        fraction: digits.fraction,
    }
    .text(negative)
}

/// Formats a number for `%e`: six places whatever the precision, which is a width instead.
pub(super) fn scientific(number: f64, precision: i64, spacing: Spacing) -> String {
    let text = match special(number) {
        Some(special) => special.to_owned(),
        None => finite_scientific(number, spacing),
    };
    let width = usize::from(precision as u16);
    format!("{text:>width$}")
}

/// Formats a finite number as `1.234560×10⁰³`.
fn finite_scientific(number: f64, spacing: Spacing) -> String {
    const PLACES: usize = 6;
    const SIGNIFICANT: usize = PLACES + 1;
    let (digits, last) = exact(number);
    let significant = round(&format!("{digits:0<SIGNIFICANT$}"), SIGNIFICANT);
    // Rounding 9.9999999 up gives a digit more.
    let carried = significant.len().saturating_sub(SIGNIFICANT);
    let length = i32::try_from(digits.len().saturating_add(carried)).unwrap_or(i32::MAX);
    let exponent = if digits.is_empty() {
        0
    } else {
        last.saturating_add(length).saturating_sub(1)
    };
    let (whole, fraction) = significant.split_at_checked(1).unwrap_or(("0", ""));
    let places = fraction.get(..PLACES).unwrap_or(fraction);
    let sign = if number < 0.0 { "-" } else { "" };
    let times = if spacing == Spacing::Narrow {
        "\u{202f}×\u{202f}"
    } else {
        "×"
    };
    format!("{sign}{whole}.{places}{times}10{}", superscript(exponent))
}

/// Writes an exponent, with two digits at least.
fn superscript(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let mut text = String::new();
    if exponent < 0 {
        text.push('⁻');
    }
    for digit in format!("{:02}", exponent.unsigned_abs()).chars() {
        let value = digit.to_digit(10).unwrap_or(0);
        text.extend(DIGITS.get(value as usize));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (template, number, result) in [
            ("%f", 1_234_567.5, "1,234,567.500000"),
            ("%f", 2.718_25, "2.718250"),
            ("%f", -0.0, "0.000000"),
            ("%f", -1e-9, "0.000000"),
            ("%f", 1e23, "99,999,999,999,999,991,611,392.000000"),
            ("%.2f", 1.255, "1.25"),
            ("%.2f", 999.999, "1,000.00"),
            ("%.3f", 1.2345, "1.234"),
            ("%.0f", 0.5, "0"),
            ("%.0f", 1.5, "2"),
            ("%.0f", 2.5, "2"),
            ("%.0f", 3.5001, "4"),
            ("%.0f", 3.4999, "3"),
            ("%.0f", 123.0, "123"),
            ("%.3f", 123.4999, "123.500"),
            ("%.3f", -123.4999, "-123.500"),
            ("%.3f", -123.4994, "-123.499"),
            ("%.5f", -1.2, "-1.20000"),
            ("%.20f", 0.1, "0.10000000000000000555"),
            ("%f", f64::NAN, "NaN"),
            ("%f", f64::INFINITY, "∞"),
            ("%f", f64::NEG_INFINITY, "-∞"),
            ("%e", 1234.5, "1.234500×10⁰³"),
            ("%.2e", 1234.5, "1.234500×10⁰³"),
            ("%.15e", 1234.5, "  1.234500×10⁰³"),
            ("%e", -0.001, "-1.000000×10⁻⁰³"),
            ("%e", 9.999_999_9, "1.000000×10⁰¹"),
            ("%e", 0.0, "0.000000×10⁰⁰"),
            ("%e", 1e300, "1.000000×10³⁰⁰"),
            ("%e", 1052.032911275, "1.052033×10⁰³"),
            ("%e", f64::NAN, "   NaN"),
            ("%e", f64::INFINITY, "     ∞"),
            ("%.1e", f64::NEG_INFINITY, "-∞"),
        ] {
            let precision = template
                .trim_matches(['%', '.', 'e', 'f'])
                .parse()
                .unwrap_or(DEFAULT_PRECISION);
            let text = if template.ends_with('f') {
                fixed(number, precision)
            } else {
                scientific(number, precision, Spacing::None)
            };
            assert_eq!(text, result, "{template} {number}");
        }
        assert_eq!(
            scientific(1234.5, 6, Spacing::Narrow),
            "1.234500\u{202f}×\u{202f}10⁰³"
        );
        assert_eq!(
            [plain(2.5, 6), plain(-0.0, 6), plain(1234.5, 1)],
            ["2.500000", "-0.000000", "1234.5"]
        );
    }
}

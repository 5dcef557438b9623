//! Quantities with arithmetic, for capacity and counters.

use crate::go::quantity::Quantity;
use serde::{Serialize, Serializer};

/// Nanos in one unit.
const UNIT: i128 = 1_000_000_000;
/// Larger magnitudes are cut to this, so that sums of thousands stay exact in 128 bits. About 10²⁵ units.
const MOST: i128 = i128::MAX / 16_384;

/// A quantity: its exact value, and how the server prints it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    nanos: i128,
    text: String,
}

impl Amount {
    /// Reads a quantity such as `40Gi` or `1500m`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let quantity = Quantity::parse(text).map_err(|error| error.message().to_owned())?;
        let canonical = quantity.canonical().into_owned();
        Ok(Amount { nanos: nanos(&canonical), text: canonical })
    }

    /// A whole number in binary notation, as upstream prints what it rounded.
    pub fn whole(number: i128) -> Self {
        let mut rest = number;
        let mut suffix = "";
        for next in ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] {
            if rest == 0 || rest % 1024 != 0 {
                break;
            }
            rest /= 1024;
            suffix = next;
        }
        Amount { nanos: number.saturating_mul(UNIT), text: format!("{rest}{suffix}") }
    }

    /// The value in thousand-millionths.
    pub fn nanos(&self) -> i128 {
        self.nanos
    }

    /// The value rounded up to a whole number: Go's `Quantity.Value`.
    pub fn value(&self) -> i128 {
        whole_up(self.nanos)
    }

    /// The server's spelling.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// Nanos as a person writes them: in binary notation where that is whole, else in decimal notation.
pub fn spell(nanos: i128) -> String {
    let whole = nanos.checked_rem(UNIT) == Some(0);
    let units = nanos / UNIT;
    if whole && (units.checked_rem(1024) == Some(0) || units.unsigned_abs() < 1_000_000) {
        return Amount::whole(units).text;
    }
    let sign = if nanos < 0 { "-" } else { "" };
    let (number, suffix) = [(UNIT, ""), (UNIT / 1000, "m"), (1000, "u")]
        .into_iter()
        .find(|(unit, _)| nanos.checked_rem(*unit) == Some(0))
        .map_or((nanos, "n"), |(unit, suffix)| (nanos.checked_div(unit).unwrap_or(nanos), suffix));
    format!("{sign}{}{suffix}", number.unsigned_abs())
}

fn whole_up(nanos: i128) -> i128 {
    let whole = nanos.div_euclid(UNIT);
    if nanos.rem_euclid(UNIT) == 0 { whole } else { whole.saturating_add(1) }
}

/// The value of a canonical text: sign, digits, perhaps a point, then a suffix or an exponent.
fn nanos(text: &str) -> i128 {
    let end = text.find(|c: char| !matches!(c, '+' | '-' | '.' | '0'..='9')).unwrap_or(text.len());
    let (number, suffix) = text.split_at_checked(end).unwrap_or((text, ""));
    let negative = number.starts_with('-');
    let (integer, fraction) =
        number.trim_start_matches(['+', '-']).split_once('.').unwrap_or((number.trim_start_matches(['+', '-']), ""));
    let binary = |power: u32| (0i64, 1i128.checked_shl(power).unwrap_or(1));
    let (exponent, factor) = match suffix {
        "" => (0, 1),
        "n" => (-9, 1),
        "u" => (-6, 1),
        "m" => (-3, 1),
        "k" => (3, 1),
        "M" => (6, 1),
        "G" => (9, 1),
        "T" => (12, 1),
        "P" => (15, 1),
        "E" => (18, 1),
        "Ki" => binary(10),
        "Mi" => binary(20),
        "Gi" => binary(30),
        "Ti" => binary(40),
        "Pi" => binary(50),
        "Ei" => binary(60),
        other => (other.trim_start_matches(['e', 'E']).parse().unwrap_or(0), 1),
    };
    let mut value: i128 = 0;
    for digit in integer.bytes().chain(fraction.bytes()) {
        value = value.saturating_mul(10).saturating_add(i128::from(digit.wrapping_sub(b'0')));
    }
    let places = i64::try_from(fraction.len()).unwrap_or(i64::MAX);
    let shift = exponent.saturating_sub(places).saturating_add(9);
    value = value.saturating_mul(factor);
    for _ in 0..shift.clamp(0, 40) {
        value = value.saturating_mul(10);
    }
    for _ in shift.clamp(-40, 0)..0 {
        value /= 10;
    }
    let value = value.min(MOST);
    if negative { value.saturating_neg() } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_spelling() {
        for (text, nanos, value, shown) in [
            ("0", 0, 0, "0"),
            ("40Gi", 42_949_672_960 * UNIT, 42_949_672_960, "40Gi"),
            ("1500m", 1_500_000_000, 2, "1500m"),
            ("1.5", 1_500_000_000, 2, "1500m"),
            ("-1.5", -1_500_000_000, -1, "-1500m"),
            ("2G", 2_000_000_000 * UNIT, 2_000_000_000, "2G"),
            ("1e3", 1000 * UNIT, 1000, "1e3"),
            ("1n", 1, 1, "1n"),
            ("0.5Ki", 512 * UNIT, 512, "512"),
        ] {
            let amount = Amount::parse(text).unwrap();
            assert_eq!((amount.nanos(), amount.value(), amount.text()), (nanos, value, shown), "{text}");
        }
        assert_eq!(Amount::parse("1e300").unwrap().nanos(), MOST);
        assert!(Amount::parse("many").is_err());
    }

    #[test]
    fn whole_numbers_are_binary() {
        assert_eq!(Amount::whole(2_000_000_000).text(), "1953125Ki");
        assert_eq!(Amount::whole(1000).text(), "1000");
        assert_eq!(spell(1_500_000_000), "1500m");
        assert_eq!(spell(5 * 1024 * 1024 * 1024 * UNIT), "5Gi");
        assert_eq!(spell(-72 * UNIT), "-72");
    }
}

//! Quantities with arithmetic, for capacity and counters.

use claimkit_values::quantity::{Edition, Notation, Quantity};
use serde::{Serialize, Serializer};

/// Nanos in one unit.
pub const UNIT: i128 = 1_000_000_000;
/// Larger magnitudes are capped here, so that sums of thousands of amounts fit 128 bits. About 10²⁵ units.
const MOST: i128 = i128::MAX / 16_384;

/// A quantity: its exact value, and how the server prints it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    nanos: i128,
    whole: i64,
    text: String,
    /// How releases since 1.38 print it, if otherwise.
    newer: Option<Box<str>>,
    notation: Notation,
}

impl Amount {
    /// Reads a quantity such as `40Gi` or `1500m`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let quantity = Quantity::parse(text).map_err(|error| error.message().to_owned())?;
        let printed = quantity.canonical().into_owned();
        let newer = Quantity::parse_by(text, Edition::V38)
            .ok()
            .map(|quantity| quantity.canonical().into_owned());
        Ok(Amount {
            nanos: nanos_of(&quantity),
            whole: quantity.integer(),
            newer: newer.filter(|newer| *newer != printed).map(Box::from),
            text: printed,
            notation: quantity.notation(),
        })
    }

    /// Reads what the server has printed already.
    pub fn printed(text: &str) -> Result<Self, String> {
        let quantity = Quantity::parse(text).map_err(|error| error.message().to_owned())?;
        Ok(Amount {
            nanos: nanos_of(&quantity),
            whole: quantity.integer(),
            text: text.to_owned(),
            newer: None,
            notation: quantity.notation(),
        })
    }

    /// Makes a whole number in binary notation, as upstream prints what it rounded.
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
        let whole = number.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        Amount {
            nanos: number.saturating_mul(UNIT),
            whole,
            text: format!("{rest}{suffix}"),
            newer: None,
            notation: Notation::Binary,
        }
    }

    /// Makes an amount of thousandths in a notation, as upstream prints what it computed.
    pub fn milli(number: i64, notation: Notation) -> Self {
        let whole = number.checked_rem(1000) == Some(0);
        let units = number / 1000;
        if notation == Notation::Binary && whole && units.unsigned_abs() >= 1024 {
            return Amount::whole(units.into());
        }
        let text = match (whole, notation) {
            (true, Notation::DecimalExponent) => format!("{units}e0"),
            (true, _) => units.to_string(),
            (false, Notation::DecimalExponent) => format!("{number}e-3"),
            (false, _) => format!("{number}m"),
        };
        Amount {
            notation,
            ..Amount::computed(&text)
        }
    }

    /// Makes a whole number in a notation, as upstream prints what it computed.
    pub fn whole_in(number: i64, notation: Notation) -> Self {
        if notation == Notation::Binary && number.unsigned_abs() >= 1024 {
            return Amount::whole(number.into());
        }
        let text = if notation == Notation::DecimalExponent {
            format!("{number}e0")
        } else {
            number.to_string()
        };
        Amount {
            notation,
            ..Amount::computed(&text)
        }
    }

    fn computed(text: &str) -> Self {
        let Ok(quantity) = Quantity::parse(text) else {
            return Amount::default();
        };
        let (nanos, whole) = (nanos_of(&quantity), quantity.integer());
        let recomputed = quantity.recomputed();
        Amount {
            nanos,
            whole,
            text: recomputed.canonical().into_owned(),
            newer: None,
            notation: recomputed.notation(),
        }
    }

    /// Returns the same amount as releases since 1.38 print it.
    pub fn printed_anew(self) -> Amount {
        match self.newer {
            Some(text) => Amount {
                text: text.into(),
                newer: None,
                ..self
            },
            None => self,
        }
    }

    /// Returns the sum, in the notation of the first amount that is not zero, as Go's `Quantity.Add` keeps it.
    pub fn plus(&self, more: &Amount) -> Amount {
        let notation = if self.nanos == 0 {
            more.notation
        } else {
            self.notation
        };
        Amount::of_nanos(self.nanos.saturating_add(more.nanos), notation)
    }

    /// Returns the product, in this amount's notation.
    pub fn times(&self, by: &Amount) -> Amount {
        let product = self.nanos.saturating_mul(by.nanos);
        let (whole, rest) = (product.div_euclid(UNIT), product.rem_euclid(UNIT));
        Amount::of_nanos(whole.saturating_add(i128::from(rest != 0)), self.notation)
    }

    /// Makes an amount of nanos in a notation.
    pub(super) fn of_nanos(nanos: i128, notation: Notation) -> Amount {
        let text = format!("{nanos}n");
        let exact = match (notation, nanos.checked_rem(UNIT)) {
            (Notation::Binary, Some(0)) => {
                return Amount::whole(nanos.checked_div(UNIT).unwrap_or(0));
            }
            (Notation::DecimalExponent, _) => format!("{nanos}e-9"),
            _ => text,
        };
        Amount::parse(&exact).unwrap_or_default()
    }

    /// Returns the notation that arithmetic keeps.
    pub fn notation(&self) -> Notation {
        self.notation
    }

    /// Returns the thousandths, if there are no smaller parts and 64 bits are enough.
    pub fn as_milli(&self) -> Option<i64> {
        const MILLI: i128 = UNIT / 1000;
        (self.nanos.checked_rem(MILLI) == Some(0))
            .then(|| i64::try_from(self.nanos / MILLI).ok())
            .flatten()
    }

    /// Makes a whole number in the notation of another amount.
    pub fn whole_like(number: i128, beside: &str) -> Self {
        let whole = Amount::whole(number);
        let text = spell_like(whole.nanos, beside);
        Amount { text, ..whole }
    }

    /// Returns the value in thousand-millionths.
    pub fn nanos(&self) -> i128 {
        self.nanos
    }

    /// Returns the whole number that the server calculates with: Go's `Quantity.Value`.
    pub fn value(&self) -> i128 {
        self.whole.into()
    }

    /// Returns the server's spelling of the amount.
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn nanos_of(quantity: &Quantity<'_>) -> i128 {
    quantity.nanos().clamp(MOST.saturating_neg(), MOST)
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// Writes nanos in the notation of an amount beside which they are read: `3G` beside `10G`, `3Gi` beside `10Gi`.
pub fn spell_like(nanos: i128, beside: &str) -> String {
    if beside.ends_with('i') {
        return spell(nanos);
    }
    match decimal(nanos).filter(|_| beside.ends_with(|last: char| last.is_ascii_alphabetic())) {
        Some(text) => text,
        None if nanos.checked_rem(UNIT) == Some(0) => (nanos / UNIT).to_string(),
        None => spell(nanos),
    }
}

/// Writes nanos in the largest decimal unit from `k` on that leaves no fraction.
fn decimal(nanos: i128) -> Option<String> {
    let suffixes = [
        ("E", 18u32),
        ("P", 15),
        ("T", 12),
        ("G", 9),
        ("M", 6),
        ("k", 3),
    ];
    suffixes.into_iter().find_map(|(suffix, power)| {
        let unit = UNIT.checked_mul(10i128.checked_pow(power)?)?;
        let whole = nanos != 0 && nanos.checked_rem(unit) == Some(0);
        whole.then(|| format!("{}{suffix}", nanos.checked_div(unit).unwrap_or(0)))
    })
}

/// Formats nanos for people: in the shorter of binary and decimal notation, `200G` and not `195312500Ki`; binary if they are equal.
pub fn spell(nanos: i128) -> String {
    let whole = nanos.checked_rem(UNIT) == Some(0);
    let units = nanos / UNIT;
    if whole && (units.checked_rem(1024) == Some(0) || units.unsigned_abs() < 1_000_000) {
        let binary = Amount::whole(units).text;
        let shorter = decimal(nanos)
            .filter(|decimal| units.unsigned_abs() >= 1_000_000 && decimal.len() < binary.len());
        return shorter.unwrap_or(binary);
    }
    let sign = if nanos < 0 { "-" } else { "" };
    let (number, suffix) = [(UNIT, ""), (UNIT / 1000, "m"), (1000, "u")]
        .into_iter()
        .find(|(unit, _)| nanos.checked_rem(*unit) == Some(0))
        .map_or((nanos, "n"), |(unit, suffix)| {
            (nanos.checked_div(unit).unwrap_or(nanos), suffix)
        });
    format!("{sign}{}{suffix}", number.unsigned_abs())
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
            ("-1.5", -1_500_000_000, -2, "-1500m"),
            ("-0.5Ki", -512 * UNIT, -512, "-512"),
            // Held as a number of any length: cut at the point, and one more.
            (
                "-0.1Gi",
                -107_374_182_400_000_000,
                -107_374_181,
                "-107374182400m",
            ),
            ("2G", 2_000_000_000 * UNIT, 2_000_000_000, "2G"),
            ("1e3", 1000 * UNIT, 1000, "1e3"),
            ("1n", 1, 1, "1n"),
            ("0.5Ki", 512 * UNIT, 512, "512"),
        ] {
            let amount = Amount::parse(text).unwrap();
            assert_eq!(
                (amount.nanos(), amount.value(), amount.text()),
                (nanos, value, shown),
                "{text}"
            );
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
        assert_eq!(spell(200_000_000_000 * UNIT), "200G");
        for (amount, beside, shown) in [
            ("3906250Ki", "10G", "4G"),
            ("3G", "10Gi", "3000000000"),
            ("3Gi", "10Gi", "3Gi"),
            ("1500M", "10G", "1500M"),
            ("2Gi", "10G", "2147483648"),
            ("1953125Ki", "4000000000", "2000000000"),
            ("500m", "10", "500m"),
            ("0", "10G", "0"),
        ] {
            assert_eq!(
                spell_like(Amount::parse(amount).unwrap().nanos(), beside),
                shown,
                "{amount} {beside}"
            );
        }
    }
}

//! Quantities that are compared and computed with.
//!
//! Source: apimachinery `api/resource` (`quantity.go`, `amount.go`) as apiserver's `pkg/cel/library/quantity.go` uses it.

use claimkit_values::float;
use claimkit_values::quantity::{Digits, Edition, Quantity as Written, QuantityError};
use std::cmp::Ordering;

/// A quantity by its value.
///
/// Upstream has two representations: 64 bits with a power of ten, or an arbitrary-precision number. Only the first converts to an
/// integer, and arithmetic switches to the second on overflow. This type keeps the same distinction.
///
/// ```
/// use claimkit_cel::library::quantity::CelQuantity;
///
/// assert!(CelQuantity::parse("1Gi").is_ok());
/// assert_eq!(CelQuantity::parse("1G1").unwrap_err().to_string(), "unable to parse quantity's suffix");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CelQuantity {
    /// A number times ten to the power of the scale.
    Small {
        /// The number before scaling.
        value: i64,
        /// The power of ten.
        scale: i64,
    },
    /// Digits of any number.
    Large(Decimal),
}

/// Digits, a sign and a power of ten.
#[derive(Clone, Debug)]
pub struct Decimal {
    negative: bool,
    /// From 0 to 9, without leading zeros; empty is zero.
    digits: Vec<u8>,
    exponent: i64,
}

/// Addition scales both numbers to the same power of ten. Upstream has no limit here and can use all memory.
const MOST_DIGITS: i64 = 100_000;

impl CelQuantity {
    /// Reads a quantity. The error's text is [`QuantityError::message`].
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        Self::parse_by(text, Edition::First)
    }

    /// Reads a quantity as the releases of an edition do.
    #[doc(hidden)]
    pub fn parse_by(text: &str, edition: Edition) -> Result<Self, QuantityError> {
        Ok(Written::parse_by(text, edition)?.digits().into())
    }

    /// Creates a whole number.
    pub(crate) const fn from_int(value: i64) -> Self {
        Self::Small { value, scale: 0 }
    }

    /// Returns true if it is beyond 64 bits, or was computed from such quantities.
    pub(crate) fn is_large(&self) -> bool {
        matches!(self, Self::Large(_))
    }

    /// Returns the same quantity in the form for any number of digits.
    pub(crate) fn enlarged(&self) -> Self {
        Self::Large(self.decimal())
    }

    /// Returns the order of values: `compareTo`, `isLessThan`, `==`.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            // Most are whole numbers: no digits are needed.
            (
                Self::Small { value, scale },
                Self::Small {
                    value: other,
                    scale: others,
                },
            ) if scale == others => value.cmp(other),
            _ => self.decimal().compare(&other.decimal()),
        }
    }

    /// Computes the sum. The error is our own: upstream has no limit.
    pub(crate) fn add(&self, other: &Self) -> Result<Self, String> {
        if let Some(sum) = self.small_sum(other) {
            return Ok(sum);
        }
        self.decimal()
            .plus(&other.decimal())
            .map(Self::Large)
            .ok_or_else(|| "quantities too far apart to be added here".to_owned())
    }

    /// Computes the difference. The error is our own: upstream has no limit.
    pub(crate) fn sub(&self, other: &Self) -> Result<Self, String> {
        self.add(&other.negated())
    }

    /// Computes `asInteger`: only what is held in 64 bits and has no digit behind the point, even if that is a zero.
    pub(crate) fn as_integer(&self) -> Result<i64, String> {
        self.integer()
            .ok_or_else(|| "cannot convert value to integer".to_owned())
    }

    /// Computes `isInteger`: whether `asInteger` gives one.
    pub(crate) fn is_integer(&self) -> bool {
        self.integer().is_some()
    }

    /// Computes `sign`: -1, 0 or 1.
    pub(crate) fn sign(&self) -> i64 {
        match self {
            Self::Small { value, .. } => value.signum(),
            Self::Large(decimal) if decimal.digits.is_empty() => 0,
            Self::Large(decimal) => {
                if decimal.negative {
                    -1
                } else {
                    1
                }
            }
        }
    }

    /// Computes `asApproximateFloat`: a number times a power of ten, both rounded before they are multiplied.
    ///
    /// ```
    /// use claimkit_cel::library::quantity::CelQuantity;
    ///
    /// assert_eq!(CelQuantity::parse("1Ki").unwrap().as_approximate_float(), 1024.0);
    /// ```
    pub fn as_approximate_float(&self) -> f64 {
        let (base, exponent) = match self {
            Self::Small { value, scale } => (*value as f64, *scale),
            Self::Large(decimal) => (decimal.whole(), decimal.exponent),
        };
        if exponent == 0 {
            base
        } else {
            base * power_of_ten(exponent)
        }
    }

    fn integer(&self) -> Option<i64> {
        match self {
            Self::Small {
                value: 0,
                scale: 0..,
            } => Some(0),
            Self::Small {
                value,
                scale: scale @ 0..,
            } => scaled(*value, *scale),
            _ => None,
        }
    }

    fn negated(&self) -> Self {
        match self {
            Self::Small { value, scale } => Self::Small {
                value: value.wrapping_neg(),
                scale: *scale,
            },
            Self::Large(decimal) => Self::Large(Decimal {
                negative: !decimal.negative,
                ..decimal.clone()
            }),
        }
    }

    fn decimal(&self) -> Decimal {
        match self {
            Self::Large(decimal) => decimal.clone(),
            Self::Small { value, scale } => {
                let mut digits: Vec<u8> = value
                    .unsigned_abs()
                    .to_string()
                    .bytes()
                    .map(|byte| byte & 0xf)
                    .collect();
                if *value == 0 {
                    digits.clear();
                }
                Decimal {
                    negative: *value < 0,
                    digits,
                    exponent: *scale,
                }
            }
        }
    }

    /// Returns the sum of two small ones as long as it is small.
    fn small_sum(&self, other: &Self) -> Option<Self> {
        let (Self::Small { value: a, scale: i }, Self::Small { value: b, scale: j }) =
            (self, other)
        else {
            return None;
        };
        if *b == 0 {
            return Some(self.clone());
        }
        if *a == 0 {
            return Some(other.clone());
        }
        let scale = *i.min(j);
        let value = scaled(*a, i.saturating_sub(scale))?
            .checked_add(scaled(*b, j.saturating_sub(scale))?)?;
        Some(Self::Small { value, scale })
    }
}

impl From<Digits> for CelQuantity {
    fn from(amount: Digits) -> Self {
        let Digits {
            negative,
            digits,
            exponent,
            small,
        } = amount;
        // The smallest number of 64 bits has no positive counterpart.
        let value = digits.iter().try_fold(0i64, |sum, digit| {
            let shifted = sum.checked_mul(10)?;
            if negative {
                shifted.checked_sub(i64::from(*digit))
            } else {
                shifted.checked_add(i64::from(*digit))
            }
        });
        match value {
            Some(value) if small => Self::Small {
                value,
                scale: exponent,
            },
            _ => Self::Large(Decimal {
                negative,
                digits,
                exponent,
            }),
        }
    }
}

/// Returns a number times a power of ten, as long as it fits.
fn scaled(value: i64, scale: i64) -> Option<i64> {
    let factor = 10i64.checked_pow(u32::try_from(scale).ok()?)?;
    value.checked_mul(factor)
}

impl Decimal {
    /// Returns the power of ten above the first digit.
    fn top(&self) -> i64 {
        self.exponent
            .saturating_add(i64::try_from(self.digits.len()).unwrap_or(i64::MAX))
    }

    fn sign(&self) -> i8 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        let signs = self.sign().cmp(&other.sign());
        if signs.is_ne() || self.digits.is_empty() {
            return signs;
        }
        let sizes = self.compare_size(other);
        if self.negative {
            sizes.reverse()
        } else {
            sizes
        }
    }

    /// Compares two quantities without their signs; neither is zero.
    fn compare_size(&self, other: &Self) -> Ordering {
        let tops = self.top().cmp(&other.top());
        // Zeros at the end mean nothing.
        tops.then_with(|| trimmed(&self.digits).cmp(trimmed(&other.digits)))
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        let exponent = self.exponent.min(other.exponent);
        let top = self.top().max(other.top());
        let length = top.checked_sub(exponent)?;
        if length > MOST_DIGITS {
            return None;
        }
        let (a, b) = (self.reversed(exponent)?, other.reversed(exponent)?);
        if self.negative == other.negative {
            return Some(Self::from_reversed(self.negative, sum(&a, &b), exponent));
        }
        let lengths = a.len().cmp(&b.len());
        let from_first = a.iter().rev();
        Some(match lengths.then_with(|| from_first.cmp(b.iter().rev())) {
            Ordering::Less => Self::from_reversed(other.negative, difference(&b, &a), exponent),
            _ => Self::from_reversed(self.negative, difference(&a, &b), exponent),
        })
    }

    /// Returns the digits for a lower power of ten, the last one first.
    fn reversed(&self, exponent: i64) -> Option<Vec<u8>> {
        if self.digits.is_empty() {
            return Some(Vec::new());
        }
        let mut digits = vec![0; usize::try_from(self.exponent.checked_sub(exponent)?).ok()?];
        digits.extend(self.digits.iter().rev());
        Some(digits)
    }

    fn from_reversed(negative: bool, mut digits: Vec<u8>, exponent: i64) -> Self {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        digits.reverse();
        Self {
            negative,
            digits,
            exponent,
        }
    }

    /// Returns the digits alone as a number.
    fn whole(&self) -> f64 {
        let digits: String = self
            .digits
            .iter()
            .map(|digit| char::from(digit | b'0'))
            .collect();
        let size = float::parse(&digits).unwrap_or(0.0);
        if self.negative && size > 0.0 {
            -size
        } else {
            size
        }
    }
}

/// Returns digits without the zeros at their end.
fn trimmed(digits: &[u8]) -> &[u8] {
    let mut rest = digits;
    while let [before @ .., 0] = rest {
        rest = before;
    }
    rest
}

/// Adds digits, the last one first.
fn sum(a: &[u8], b: &[u8]) -> Vec<u8> {
    let (shorter, longer) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let mut out = Vec::with_capacity(longer.len().saturating_add(1));
    let mut carry = 0u8;
    for (at, digit) in longer.iter().enumerate() {
        let other = shorter.get(at).copied().unwrap_or(0);
        let total = digit.saturating_add(other).saturating_add(carry);
        out.push(total % 10);
        carry = total / 10;
    }
    out.push(carry);
    out
}

/// Subtracts digits, the last one first; the first number is not less than the second.
fn difference(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(a.len());
    let mut borrow = 0u8;
    for (at, digit) in a.iter().enumerate() {
        let other = b.get(at).copied().unwrap_or(0);
        let taken = other.saturating_add(borrow);
        let lent = digit.saturating_add(10).saturating_sub(taken);
        out.push(lent % 10);
        borrow = u8::from(lent < 10);
    }
    out
}

/// Computes Go's `math.Pow10`: the product or quotient of two entries of two tables.
fn power_of_ten(exponent: i64) -> f64 {
    const TENS: [f64; 32] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31,
    ];
    const UP: [f64; 10] = [
        1e0, 1e32, 1e64, 1e96, 1e128, 1e160, 1e192, 1e224, 1e256, 1e288,
    ];
    const DOWN: [f64; 11] = [
        1e0, 1e-32, 1e-64, 1e-96, 1e-128, 1e-160, 1e-192, 1e-224, 1e-256, 1e-288, 1e-320,
    ];
    let size = usize::try_from(exponent.unsigned_abs()).unwrap_or(usize::MAX);
    let ten = TENS.get(size % 32).copied().unwrap_or(1.0);
    match exponent {
        -323..0 => DOWN.get(size / 32).map_or(0.0, |power| power / ten),
        0..=308 => UP.get(size / 32).map_or(f64::INFINITY, |power| power * ten),
        309.. => f64::INFINITY,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::float::print;

    fn read(text: &str) -> CelQuantity {
        CelQuantity::parse(text).unwrap()
    }

    #[test]
    fn integers() {
        for (text, integer) in [
            ("1Ki", Some(1024)),
            ("1e3", Some(1000)),
            ("1E", Some(1_000_000_000_000_000_000)),
            ("0", Some(0)),
            ("+1", Some(1)),
            ("-5", Some(-5)),
            ("5.", Some(5)),
            ("1Mi", Some(1_048_576)),
            ("1P", Some(1_000_000_000_000_000)),
            ("1e18", Some(1_000_000_000_000_000_000)),
            ("0e1000000000", Some(0)),
            ("7E", Some(7_000_000_000_000_000_000)),
            ("1.5Gi", None),
            ("1000m", None),
            ("1e-3", None),
            ("1Ei", None),
            ("1Pi", None),
            ("1e19", None),
            ("1e1000", None),
            (".5", None),
            ("9223372036854775807", None),
            ("0.1n", None),
        ] {
            assert_eq!(read(text).integer(), integer, "{text}");
        }
        assert_eq!(
            read("1.5").as_integer(),
            Err("cannot convert value to integer".into())
        );
    }

    #[test]
    fn floats() {
        for (text, float) in [
            ("1", "1"),
            ("1.5Gi", "1.610612736e+09"),
            ("100m", "0.1"),
            ("1Ei", "1.152921504606847e+18"),
            ("1n", "1e-09"),
            ("-1", "-1"),
            ("Gi", "0"),
            ("9223372036854775808", "9.223372036854776e+18"),
            ("1e19", "1e+19"),
            ("100000000000000000000Ei", "9.223372036854776e+18"),
            ("1e1000", "+Inf"),
            ("0e1000", "NaN"),
            ("0.5", "0.5"),
        ] {
            assert_eq!(print(read(text).as_approximate_float()), float, "{text}");
        }
    }

    #[test]
    fn order() {
        let texts = [
            "-1e1000", "-1E", "-1", "-100m", "0", "1n", "0.5", "1", "1.1", "1k", "1Ki", "1M",
            "1e1000", "1e1001",
        ];
        for (i, one) in texts.iter().enumerate() {
            for (j, other) in texts.iter().enumerate() {
                assert_eq!(read(one).compare(&read(other)), i.cmp(&j), "{one} {other}");
            }
        }
        for (one, other) in [
            ("1", "1000m"),
            ("0", "-0"),
            ("1Ei", "1152921504606846976"),
            ("0", "0.0"),
            ("1e3", "1k"),
        ] {
            assert_eq!(
                read(one).compare(&read(other)),
                Ordering::Equal,
                "{one} {other}"
            );
        }
        assert_eq!(
            ["-1", "0", "-0.0", "1n", "-1e19"].map(|text| read(text).sign()),
            [-1, 0, 0, 1, -1]
        );
    }

    #[test]
    fn arithmetic() {
        for (one, other, sum) in [
            ("1", "1", "2"),
            ("1", "-1", "0"),
            ("1", "1m", "1001m"),
            ("1Ei", "1", "1152921504606846977"),
            ("-1Ei", "1", "-1152921504606846975"),
            ("9223372036854775807", "1", "9223372036854775808"),
            ("7E", "7E", "14000000000000000000"),
            ("1e30", "-1n", "999999999999999999999999999999.999999999"),
            ("0e5", "1", "1"),
        ] {
            assert_eq!(
                read(one).add(&read(other)).unwrap().compare(&read(sum)),
                Ordering::Equal,
                "{one} {other}"
            );
            assert_eq!(
                read(sum).sub(&read(other)).unwrap().compare(&read(one)),
                Ordering::Equal,
                "{one} {other}"
            );
        }
        assert!(
            read("9223372036854775807")
                .add(&CelQuantity::from_int(1))
                .unwrap()
                .as_integer()
                .is_err()
        );
        assert_eq!(read("1.5").add(&read("0.5")).unwrap().integer(), None);
        assert_eq!(
            read("1k").add(&CelQuantity::from_int(1)).unwrap().integer(),
            Some(1001)
        );
        assert!(read("1e1000000000").add(&CelQuantity::from_int(1)).is_err());
    }
}

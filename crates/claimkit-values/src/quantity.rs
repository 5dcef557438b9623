//! Quantities (`attributes[].quantity` of 1.30): reading, the server's errors and its canonical spelling.
//!
//! Source: apimachinery, pkg/api/resource/quantity.go. Exact decimal arithmetic on digits, so that a huge
//! exponent costs nothing.

use std::borrow::Cow;
use std::fmt;

/// Why a text is not a quantity, in upstream's words.
///
/// ```
/// use claimkit_values::quantity::{Quantity, QuantityError};
///
/// let error = Quantity::parse("1X").unwrap_err();
/// assert_eq!(error, QuantityError::Format);
/// assert_eq!(QuantityError::Suffix.message(), "unable to parse quantity's suffix");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuantityError {
    /// Not a number with an optional suffix.
    Format,
    /// The part before the suffix has no digit.
    Numeric,
    /// The suffix does not exist.
    Suffix,
}

impl QuantityError {
    /// Returns the text of the upstream error, which names no field.
    pub const fn message(self) -> &'static str {
        match self {
            Self::Format => {
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            }
            Self::Numeric => "unable to parse numeric part of quantity",
            Self::Suffix => "unable to parse quantity's suffix",
        }
    }
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for QuantityError {}

/// A quantity as the server holds it.
///
/// ```
/// use claimkit_values::quantity::{Notation, Quantity};
///
/// let memory = Quantity::parse("1024Mi").unwrap();
/// assert_eq!((memory.canonical().as_ref(), memory.integer()), ("1Gi", 1_073_741_824));
/// assert_eq!((memory.notation(), memory.kept()), (Notation::Binary, None));
///
/// let cpu = Quantity::parse("1500m").unwrap();
/// assert_eq!((cpu.nanos(), cpu.integer()), (1_500_000_000, 2));
/// assert_eq!((cpu.digits().digits, cpu.digits().exponent), (vec![1, 5, 0, 0], -3));
///
/// // What was read may be kept as it was written, what is computed is not.
/// let read = Quantity::parse("1.500").unwrap();
/// assert_eq!((read.canonical().as_ref(), read.recomputed().canonical().as_ref()), ("1.500", "1500m"));
/// assert!(Quantity::parse_json("\" 0 \"").unwrap().is_zero());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity<'a> {
    /// The text as written when the server keeps it instead of writing the canonical form.
    kept: Option<&'a str>,
    negative: bool,
    /// Decimal digits without leading zeros; empty is zero.
    digits: Vec<u8>,
    /// Power of ten the digits are multiplied with.
    exponent: i64,
    notation: Notation,
    /// The server holds it in 64 bits, not as a number of any length.
    small: bool,
    edition: Edition,
}

/// The releases of apimachinery that read and write quantities alike.
///
/// ```
/// use claimkit_values::quantity::{Edition, Quantity};
///
/// let written = |edition| Quantity::parse_by("1000E", edition).unwrap().canonical().into_owned();
/// assert_eq!((written(Edition::First).as_str(), written(Edition::V38).as_str()), ("1", "1e21"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edition {
    /// apimachinery 0.26 to 0.37.
    #[default]
    First,
    /// apimachinery 0.38: exponents above that of `E` are written, 29 significant digits are kept (70 before a binary suffix), the
    /// smallest exponent of 32 bits is refused, and a number of 19 digits is held in 64 bits if it fits.
    V38,
}

impl Edition {
    /// Returns how many significant digits are kept of a number with more than 64 bits.
    fn digits_kept(self, notation: Notation) -> usize {
        match (self, notation) {
            (Edition::First, _) => usize::MAX,
            (Edition::V38, Notation::Binary) => 70,
            (Edition::V38, _) => 29,
        }
    }
}

/// Returns true if Go's `Cmp` gives 0: both texts have the same value. An invalid quantity counts as zero.
///
/// ```
/// use claimkit_values::quantity::same_amount;
///
/// assert!(same_amount("1Ki", "1024"));
/// assert!(!same_amount("1k", "1024"));
/// ```
pub fn same_amount(a: &str, b: &str) -> bool {
    value_of(a) == value_of(b)
}

/// A value that is not zero; its last digit is not zero, either.
#[derive(PartialEq, Eq)]
struct NormalValue {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

/// Returns the value of a quantity; `None` for zero and what is not a quantity.
fn value_of(text: &str) -> Option<NormalValue> {
    let mut quantity = Quantity::parse(text).ok()?;
    if quantity.is_zero() {
        return None;
    }
    while quantity.digits.last() == Some(&0) {
        quantity.digits.pop();
        quantity.exponent = quantity.exponent.saturating_add(1);
    }
    Some(NormalValue {
        negative: quantity.negative,
        digits: quantity.digits,
        exponent: quantity.exponent,
    })
}

/// The value of a quantity as decimal digits, and which of two representations the server uses: [`Quantity::digits`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digits {
    /// Less than zero; a zero may be negative, too.
    pub negative: bool,
    /// Decimal digits from 0 to 9 without leading zeros; empty is zero.
    pub digits: Vec<u8>,
    /// Power of ten the digits are multiplied with.
    pub exponent: i64,
    /// Held in 64 bits: only such a quantity can be asked for an integer.
    pub small: bool,
}

/// The notation of a quantity (apimachinery, `pkg/api/resource`, `Format`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notation {
    /// `1e3`
    DecimalExponent,
    /// `1k`
    #[default]
    Decimal,
    /// `1Ki`
    Binary,
}

/// Returns the text that Go parses of a raw JSON value: a number's literal, or what is between a string's quotes, with escapes not
/// resolved, without the white space around it.
///
/// ```
/// assert_eq!(claimkit_values::quantity::json_text("\" 1Gi \""), "1Gi");
/// assert_eq!(claimkit_values::quantity::json_text("2"), "2");
/// ```
pub fn json_text(raw: &str) -> &str {
    let inner = raw
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(raw);
    inner.trim_matches(|c: char| matches!(c, '\t'..='\r' | ' ' | '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}'))
}

/// The smallest exponent a quantity keeps; finer ones are rounded away from zero.
const NANO: i64 = -9;
/// Decimal digits that fit an `i64` for certain, those of the largest one, and the start of the binary estimate.
const FAST_DIGITS: usize = 18;
const MOST_FAST_DIGITS: usize = 19;
const FAST_BINARY_DIGITS: i64 = 15;

impl<'a> Quantity<'a> {
    /// Reads the raw JSON value: a number's literal, or the text between a string's quotes, with escapes not resolved.
    /// White space around it is dropped, as Go's `strings.TrimSpace` does.
    pub fn parse_json(raw: &'a str) -> Result<Self, QuantityError> {
        Self::parse(json_text(raw))
    }

    /// Reads a quantity.
    pub fn parse(text: &'a str) -> Result<Self, QuantityError> {
        Self::parse_by(text, Edition::First)
    }

    /// Reads a quantity as the releases of an edition do.
    #[doc(hidden)]
    pub fn parse_by(text: &'a str, edition: Edition) -> Result<Self, QuantityError> {
        if text.is_empty() {
            return Err(QuantityError::Format);
        }
        if text == "0" {
            return Ok(Self {
                kept: Some(text),
                negative: false,
                digits: Vec::new(),
                exponent: 0,
                notation: Notation::Decimal,
                small: true,
                edition,
            });
        }
        let parts = split(text)?;
        let (exponent, notation) = interpret(parts.suffix).ok_or(QuantityError::Suffix)?;
        let read = match fast(text, &parts, exponent, notation, edition) {
            Some(quantity) => quantity,
            None if edition == Edition::V38 && exponent == i64::from(i32::MIN) => {
                return Err(QuantityError::Suffix);
            }
            None => slow(&parts, exponent, notation, edition.digits_kept(notation))?,
        };
        Ok(Self { edition, ..read })
    }

    /// Returns the value for arithmetic on numbers of any length.
    pub fn digits(&self) -> Digits {
        Digits {
            negative: self.negative,
            digits: self.digits.clone(),
            exponent: self.exponent,
            small: self.small,
        }
    }

    /// Returns the decimal places that the quantity was written with, at most nine: 1 of `1.0`, 3 of `1000m`.
    #[doc(hidden)]
    pub fn places(&self) -> u8 {
        u8::try_from(self.exponent.saturating_neg()).unwrap_or(0)
    }

    /// Returns the value in units of 10⁻⁹; beyond 128 bits, the largest number.
    pub fn nanos(&self) -> i128 {
        // Nearly all fit into 64 bits, whose arithmetic is many times as fast where there are no wider registers.
        let digits = if self.digits.len() <= FAST_DIGITS {
            i128::from(self.digits.iter().fold(0i64, |sum, digit| {
                sum.wrapping_mul(10).wrapping_add(i64::from(*digit))
            }))
        } else {
            self.digits.iter().fold(0i128, |sum, digit| {
                sum.saturating_mul(10).saturating_add(i128::from(*digit))
            })
        };
        let shift = self.exponent.saturating_sub(NANO);
        let zeros = u32::try_from(shift.unsigned_abs()).unwrap_or(u32::MAX);
        let power = 10i64
            .checked_pow(zeros)
            .map(i128::from)
            .or_else(|| 10i128.checked_pow(zeros));
        let nanos = match (shift < 0, power) {
            (false, power) => digits.saturating_mul(power.unwrap_or(i128::MAX)),
            (true, Some(power)) => digits.checked_div(power).unwrap_or(0),
            (true, None) => 0,
        };
        if self.negative {
            nanos.saturating_neg()
        } else {
            nanos
        }
    }

    /// Computes Go's `Quantity.Value` (apimachinery, pkg/api/resource/math.go, `negativeScaleInt64`, `positiveScaleInt64`). A
    /// 64-bit quantity is rounded away from zero, and is 0 if the whole number does not fit. An arbitrary-precision one is
    /// rounded up.
    pub fn integer(&self) -> i64 {
        if let Some(whole) = self.whole().and_then(|whole| i64::try_from(whole).ok()) {
            return if self.negative {
                whole.wrapping_neg()
            } else {
                whole
            };
        }
        let nanos = self.nanos();
        let (whole, rest) = (nanos / UNIT, nanos % UNIT);
        let up = i128::from(rest != 0);
        let rounded = if self.small && nanos < 0 {
            whole.saturating_sub(up)
        } else {
            whole.saturating_add(up)
        };
        match i64::try_from(rounded) {
            Ok(number) => number,
            Err(_) if self.small => 0,
            Err(_) => rounded as i64,
        }
    }

    /// Returns the notation that arithmetic keeps.
    pub fn notation(&self) -> Notation {
        self.notation
    }

    /// Returns the quantity as the result of a computation, which is not written as it was read.
    #[must_use]
    pub fn recomputed(self) -> Self {
        Self { kept: None, ..self }
    }

    /// Returns the written text if Go's `Quantity` keeps it, which it does for 64-bit numbers that it recognizes as canonical at once.
    /// Of `8Gi`, for example, it keeps none.
    pub fn kept(&self) -> Option<&'a str> {
        self.kept
    }

    /// Returns true if the quantity is zero.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Returns the spelling the server writes back.
    pub fn canonical(&self) -> Cow<'a, str> {
        if let Some(kept) = self.kept {
            return Cow::Borrowed(kept);
        }
        if self.is_zero() {
            return Cow::Borrowed("0");
        }
        let sign = if self.negative { "-" } else { "" };
        if self.notation == Notation::Binary
            && let Some(whole) = self.whole().filter(|whole| *whole >= 1024)
        {
            let (number, suffix) = binary_suffix(whole);
            return Cow::Owned([sign, &number.to_string(), suffix].concat());
        }
        let (number, exponent) = self.thousands();
        let suffix = match self.notation {
            Notation::DecimalExponent if exponent == 0 => String::new(),
            Notation::DecimalExponent => format!("e{exponent}"),
            _ => match decimal_suffix(exponent) {
                "" if exponent != 0 && self.edition == Edition::V38 => format!("e{exponent}"),
                suffix => suffix.to_owned(),
            },
        };
        Cow::Owned([sign, &number, &suffix].concat())
    }

    /// Returns the digits without trailing zeros, with as many put back as make the exponent a multiple of three.
    fn thousands(&self) -> (String, i64) {
        let trailing = self.digits.iter().rev().take_while(|digit| **digit == 0);
        let zeros = trailing.count();
        let kept = self.digits.len().saturating_sub(zeros);
        let mut exponent = self
            .exponent
            .saturating_add(i64::try_from(zeros).unwrap_or(i64::MAX));
        let mut number: String = self
            .digits
            .iter()
            .take(kept)
            .map(|d| char::from(d.wrapping_add(b'0')))
            .collect();
        while exponent % 3 != 0 {
            number.push('0');
            exponent = exponent.saturating_sub(1);
        }
        (number, exponent)
    }

    /// Returns the magnitude if it is a whole number of 64 bits.
    fn whole(&self) -> Option<u64> {
        if self.is_zero() {
            return Some(0);
        }
        // Zeros behind the point take no room.
        let zeros = self.digits.iter().rev().take_while(|digit| **digit == 0);
        let places = usize::try_from(self.exponent.saturating_neg()).unwrap_or(0);
        let dropped = zeros.count().min(places);
        let kept = self.digits.len().saturating_sub(dropped);
        let mut value = self.digits.iter().take(kept).try_fold(0u64, |sum, d| {
            sum.checked_mul(10)?.checked_add(u64::from(*d))
        })?;
        let mut exponent = self
            .exponent
            .saturating_add(i64::try_from(dropped).unwrap_or(i64::MAX));
        while exponent < 0 {
            if value % 10 != 0 {
                return None;
            }
            value /= 10;
            exponent = exponent.saturating_add(1);
        }
        for _ in 0..exponent {
            value = value.checked_mul(10)?;
        }
        Some(value)
    }
}

struct Parts<'a> {
    negative: bool,
    /// Sign, digits and point as written, for upstream's slow path; `0` where upstream substitutes it.
    value: &'a str,
    /// Digits before the point without leading zeros, `0` if none are left.
    integer: &'a str,
    fraction: &'a str,
    suffix: &'a str,
}

impl Parts<'_> {
    /// Returns the digits before and after the point.
    fn digits(&self) -> Vec<u8> {
        let mut digits = Vec::with_capacity(self.integer.len().saturating_add(self.fraction.len()));
        for text in [self.integer, self.fraction] {
            for byte in text.bytes() {
                digits.push(byte.wrapping_sub(b'0'));
            }
        }
        digits
    }
}

fn split(text: &str) -> Result<Parts<'_>, QuantityError> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let negative = text.starts_with('-');
    let stripped = unsigned.trim_start_matches('0');
    if stripped.is_empty() {
        return Ok(Parts {
            negative,
            value: "0",
            integer: "0",
            fraction: "",
            suffix: "",
        });
    }
    let (integer, rest) = split_digits(stripped);
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(after_point) => split_digits(after_point),
        None => ("", rest),
    };
    let value = text.strip_suffix(suffix).unwrap_or(text);
    let exponent =
        suffix.trim_start_matches(['e', 'E', 'i', 'n', 'u', 'm', 'k', 'K', 'M', 'G', 'T', 'P']);
    let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if !crate::has_only_digits(unsigned) {
        return Err(QuantityError::Format);
    }
    let integer = if integer.is_empty() { "0" } else { integer };
    Ok(Parts {
        negative,
        value,
        integer,
        fraction,
        suffix,
    })
}

/// Returns the digits that a text begins with, and what follows them.
fn split_digits(text: &str) -> (&str, &str) {
    let count = text.bytes().take_while(u8::is_ascii_digit).count();
    text.split_at_checked(count).unwrap_or((text, ""))
}

/// Returns a suffix's exponent, of two for binary notation, of ten else.
fn interpret(suffix: &str) -> Option<(i64, Notation)> {
    Some(match suffix {
        "n" => (-9, Notation::Decimal),
        "u" => (-6, Notation::Decimal),
        "m" => (-3, Notation::Decimal),
        "" => (0, Notation::Decimal),
        "k" => (3, Notation::Decimal),
        "M" => (6, Notation::Decimal),
        "G" => (9, Notation::Decimal),
        "T" => (12, Notation::Decimal),
        "P" => (15, Notation::Decimal),
        "E" => (18, Notation::Decimal),
        "Ki" => (10, Notation::Binary),
        "Mi" => (20, Notation::Binary),
        "Gi" => (30, Notation::Binary),
        "Ti" => (40, Notation::Binary),
        "Pi" => (50, Notation::Binary),
        "Ei" => (60, Notation::Binary),
        _ => {
            let parsed: i64 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
            // Upstream cuts the exponent to 32 bits.
            (i64::from(parsed as i32), Notation::DecimalExponent)
        }
    })
}

fn decimal_suffix(exponent: i64) -> &'static str {
    match exponent {
        -9 => "n",
        -6 => "u",
        -3 => "m",
        3 => "k",
        6 => "M",
        9 => "G",
        12 => "T",
        15 => "P",
        18 => "E",
        // Releases up to 1.37 lose exponents beyond `E`.
        _ => "",
    }
}

fn binary_suffix(whole: u64) -> (u64, &'static str) {
    let mut number = whole;
    let mut suffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].into_iter();
    let mut suffix = suffixes.next().unwrap_or_default();
    while number.is_multiple_of(1024) {
        let Some(next) = suffixes.next() else { break };
        number /= 1024;
        suffix = next;
    }
    (number, suffix)
}

/// Returns the number that digits write, if it fits 64 bits with this sign.
fn size_in_64_bits(digits: &[u8], negative: bool) -> Option<u64> {
    let size = digits.iter().try_fold(0u64, |sum, digit| {
        sum.checked_mul(10)?.checked_add(u64::from(*digit))
    })?;
    let most = i64::MAX.unsigned_abs();
    let is_smallest = negative && size == i64::MIN.unsigned_abs();
    (size <= most || is_smallest).then_some(size)
}

/// Takes upstream's path for numbers that fit 64 bits: the only one that keeps the text as written.
fn fast<'a>(
    text: &'a str,
    parts: &Parts<'a>,
    exponent: i64,
    notation: Notation,
    edition: Edition,
) -> Option<Quantity<'a>> {
    let written = parts.integer.len().saturating_add(parts.fraction.len());
    let shifted = parts.digits();
    let (digits, scale, keeps) = if notation == Notation::Binary {
        let room = FAST_BINARY_DIGITS
            .saturating_sub(i64::try_from(written).unwrap_or(i64::MAX))
            .saturating_sub(exponent.saturating_mul(3) / 10)
            .saturating_sub(1);
        if !parts.fraction.is_empty() || room < 0 {
            return None;
        }
        let value = i64::try_from(size_in_64_bits(&shifted, parts.negative)?).ok()?;
        let factor = 1i64.checked_shl(u32::try_from(exponent).ok()?)?;
        (value.checked_mul(factor)?.unsigned_abs(), 0, value & 7 != 0)
    } else {
        // Upstream computes with 32 bits here, and without a check.
        let places = i32::try_from(parts.fraction.len()).ok()?;
        let scale = i64::from(i32::try_from(exponent).ok()?.wrapping_sub(places));
        let most = match edition {
            Edition::First => FAST_DIGITS,
            Edition::V38 => MOST_FAST_DIGITS,
        };
        if written > most || scale < NANO {
            return None;
        }
        let ends_in_thousand = written >= 3
            && shifted
                .iter()
                .skip(written.saturating_sub(3))
                .all(|digit| *digit == 0);
        let keeps = scale % 3 == 0
            && written <= FAST_DIGITS
            && !ends_in_thousand
            && !parts.integer.starts_with('0');
        (size_in_64_bits(&shifted, parts.negative)?, scale, keeps)
    };
    Some(Quantity {
        kept: keeps.then_some(text),
        negative: parts.negative,
        digits: decimal_digits(digits),
        exponent: scale,
        notation,
        small: true,
        edition: Edition::First,
    })
}

fn decimal_digits(mut value: u64) -> Vec<u8> {
    // The largest number has twenty.
    let mut digits = Vec::with_capacity(20);
    while value != 0 {
        digits.push(u8::try_from(value % 10).unwrap_or(0));
        value /= 10;
    }
    digits.reverse();
    digits
}

/// Takes upstream's path over arbitrary precision: rounds away from zero at nano and to the significant digits that are kept, caps
/// binary notation.
fn slow<'a>(
    parts: &Parts<'a>,
    exponent: i64,
    notation: Notation,
    most: usize,
) -> Result<Quantity<'a>, QuantityError> {
    if !parts.value.bytes().any(|b| b.is_ascii_digit()) {
        return Err(QuantityError::Numeric);
    }
    let mut digits = parts.digits();
    let leading = digits.iter().take_while(|digit| **digit == 0).count();
    digits.drain(..leading);
    let places = i64::try_from(parts.fraction.len()).unwrap_or(i64::MAX);
    let mut scale = places.saturating_neg();
    if let Some(dropped) = digits.len().checked_sub(most).filter(|more| *more > 0) {
        let rest = digits.split_off(most);
        if rest.iter().any(|digit| *digit != 0) {
            increment(&mut digits);
        }
        scale = scale.saturating_add(i64::try_from(dropped).unwrap_or(i64::MAX));
    }
    if notation == Notation::Binary {
        multiply(
            &mut digits,
            1u64.checked_shl(u32::try_from(exponent).unwrap_or(0))
                .unwrap_or(1),
        );
    } else {
        scale = scale.saturating_add(exponent);
    }
    if scale < NANO && !digits.is_empty() {
        let cut = usize::try_from(NANO.saturating_sub(scale)).unwrap_or(usize::MAX);
        let kept = digits.len().saturating_sub(cut);
        let rounds_up = digits.iter().skip(kept).any(|d| *d != 0);
        digits.truncate(kept);
        scale = NANO;
        if rounds_up {
            increment(&mut digits);
        }
    }
    let mut quantity = Quantity {
        kept: None,
        negative: parts.negative,
        digits,
        exponent: scale,
        notation,
        small: false,
        edition: Edition::First,
    };
    if notation == Notation::Binary {
        let max = i64::MAX.unsigned_abs();
        if exceeds(&quantity, max) {
            quantity.digits = decimal_digits(max);
            quantity.exponent = 0;
        }
    }
    Ok(quantity)
}

fn multiply(digits: &mut Vec<u8>, factor: u64) {
    // Suffixes end at 2^60: ten times that fits 64 bits.
    let mut carry = 0u64;
    for digit in digits.iter_mut().rev() {
        let sum = u64::from(*digit)
            .saturating_mul(factor)
            .saturating_add(carry);
        *digit = u8::try_from(sum % 10).unwrap_or(0);
        carry = sum / 10;
    }
    let mut front = Vec::new();
    while carry != 0 {
        front.push(u8::try_from(carry % 10).unwrap_or(0));
        carry /= 10;
    }
    front.reverse();
    front.append(digits);
    *digits = front;
}

fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < 9 {
            *digit = digit.saturating_add(1);
            return;
        }
        *digit = 0;
    }
    digits.insert(0, 1);
}

/// Returns true if the magnitude is greater than `limit`. The exponent must not be positive.
fn exceeds(quantity: &Quantity<'_>, limit: u64) -> bool {
    let places = usize::try_from(quantity.exponent.saturating_neg()).unwrap_or(0);
    let integer = quantity.digits.len().saturating_sub(places);
    let whole = quantity
        .digits
        .iter()
        .take(integer)
        .try_fold(0u64, |sum, d| {
            sum.checked_mul(10)?.checked_add(u64::from(*d))
        });
    match whole {
        None => true,
        Some(whole) if whole == limit => quantity.digits.iter().skip(integer).any(|d| *d != 0),
        Some(whole) => whole > limit,
    }
}

/// A quantity to calculate with.
///
/// ```
/// use claimkit_values::quantity::Measure;
///
/// let half = Measure::of("500m");
/// assert_eq!((half.text(), half.decimal(3).as_str(), half.nanos()), ("500m", "0.500", 500_000_000));
/// let sum = half.plus(&Measure::of("1"));
/// assert_eq!((sum.text(), sum.whole()), ("1500m", 2));
/// ```
#[derive(Clone, Debug)]
pub struct Measure {
    text: String,
    nanos: i128,
    whole: i64,
    notation: Notation,
}

/// One unit in the smallest part a quantity keeps.
const UNIT: i128 = 1_000_000_000;

/// Decimal places of a billionth.
const NANO_PLACES: usize = 9;

impl Measure {
    /// Returns the quantity of a canonical text; zero for a text that is not a quantity.
    pub fn of(text: &str) -> Self {
        let Ok(quantity) = Quantity::parse(text) else {
            return Measure {
                text: "0".to_owned(),
                nanos: 0,
                whole: 0,
                notation: Notation::Decimal,
            };
        };
        let (nanos, whole) = (quantity.nanos(), quantity.integer());
        Measure {
            text: text.to_owned(),
            nanos,
            whole,
            notation: quantity.notation,
        }
    }

    /// Returns the amount as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the amount in units of 10⁻⁹.
    pub fn nanos(&self) -> i128 {
        self.nanos
    }

    /// Returns a decimal number with this many places, at most nine: `0.100` for `100m` with three.
    pub fn decimal(&self, places: usize) -> String {
        let shown = places.min(NANO_PLACES);
        let digits = format!(
            "{:0>width$}",
            self.nanos.unsigned_abs(),
            width = NANO_PLACES.saturating_add(1)
        );
        let (whole, fraction) = digits
            .split_at_checked(digits.len().saturating_sub(NANO_PLACES))
            .unwrap_or(("0", ""));
        let sign = if self.nanos < 0 { "-" } else { "" };
        match fraction
            .get(..shown)
            .filter(|fraction| !fraction.is_empty())
        {
            Some(fraction) => format!("{sign}{whole}.{fraction}"),
            None => format!("{sign}{whole}"),
        }
    }

    /// Computes Go's `Quantity.Value`: the whole number that the server calculates with.
    pub fn whole(&self) -> i64 {
        self.whole
    }

    /// Returns the sum, in the notation of the first unless that is zero.
    pub fn plus(&self, other: &Measure) -> Measure {
        let nanos = self.nanos.saturating_add(other.nanos);
        let notation = if self.nanos == 0 {
            other.notation
        } else {
            self.notation
        };
        let digits = nanos
            .unsigned_abs()
            .to_string()
            .bytes()
            .map(|b| b.wrapping_sub(b'0'))
            .collect::<Vec<_>>();
        let digits = if nanos == 0 { Vec::new() } else { digits };
        let sum = Quantity {
            kept: None,
            negative: nanos < 0,
            digits,
            exponent: NANO,
            notation,
            small: false,
            edition: Edition::First,
        };
        Measure {
            text: sum.canonical().into_owned(),
            nanos,
            whole: sum.integer(),
            notation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nineteen_digits_fit_since_1_38() {
        for (text, first, later) in [
            ("9223372036854775807", false, true),
            ("-9223372036854775808", false, true),
            ("9223372036854775808", false, false),
            ("123456789012345678", true, true),
            ("12345678901234567.89", false, true),
        ] {
            let small = |edition| Quantity::parse_by(text, edition).unwrap().digits().small;
            assert_eq!(
                (small(Edition::First), small(Edition::V38)),
                (first, later),
                "{text}"
            );
        }
    }

    /// The exponent of 32 bits overflows where the places behind the point are taken off.
    #[test]
    fn exponents_overflow_behind_a_point() {
        let digits = Quantity::parse_by("1.5e-2147483648", Edition::V38)
            .unwrap()
            .digits();
        assert_eq!(
            (digits.digits, digits.exponent),
            (vec![1, 5], i64::from(i32::MAX))
        );
        assert!(Quantity::parse_by("15e-2147483648", Edition::V38).is_err());
    }

    #[test]
    fn canonical_spelling() {
        for (text, spelled) in [
            ("1000m", "1"),
            ("1.5", "1500m"),
            ("1024Ki", "1Mi"),
            ("0.5Ki", "512"),
            ("0.1Gi", "107374182400m"),
            ("1.1n", "2n"),
            ("+1", "+1"),
            ("1.", "1."),
            (".", "0"),
            // No digit at all, but short enough for the path that never looks for one.
            ("e3", "0"),
            ("1e3", "1e3"),
            ("0", "0"),
            ("00", "0"),
            ("-0", "0"),
            ("+", "0"),
            ("1.500", "1.500"),
            ("100k", "100k"),
            ("1000k", "1M"),
            ("010", "010"),
            ("8Ei", "9223372036854775807"),
            ("-8Ei", "-9223372036854775807"),
            ("7Ei", "7Ei"),
            ("1e-10", "1e-9"),
            ("1e-999999999", "1e-9"),
            ("-0.1n", "-1n"),
            ("1e999999999", "1e999999999"),
            ("12345678901234567890", "12345678901234567890"),
            ("12345678901234567890000", "12345678901234567890k"),
            ("0.0000000001e1000000000", "1e999999990"),
            ("1000E", "1"),
            ("1e2", "100"),
            ("10e3", "10e3"),
            ("1e4294967299", "1e4294967299"),
            ("8Ki", "8Ki"),
            ("1023Ki", "1023Ki"),
            ("512Ki", "512Ki"),
            (".5Mi", "512Ki"),
            ("-1.5Gi", "-1536Mi"),
            ("9n", "9n"),
        ] {
            let quantity = Quantity::parse(text);
            assert_eq!(
                quantity.as_ref().map(|q| q.canonical()),
                Ok(Cow::Borrowed(spelled)),
                "{text}"
            );
        }
    }

    #[test]
    fn whole_numbers() {
        for (text, whole) in [
            ("1500m", 2),
            ("1m", 1),
            ("-1500m", -2),
            ("-1m", -1),
            ("-2", -2),
            ("0", 0),
            ("1Ki", 1024),
            ("10E", 0),
        ] {
            assert_eq!(Measure::of(text).whole(), whole, "{text}");
        }
    }

    #[test]
    fn amounts_are_compared_whatever_their_spelling() {
        for (a, b) in [
            ("1Ki", "1024"),
            ("1e3", "1k"),
            ("1000m", "1"),
            ("0", "-0"),
            ("1.50", "1500m"),
            ("100e30", "1e32"),
        ] {
            assert!(same_amount(a, b), "{a} {b}");
        }
        for (a, b) in [("1Ki", "1k"), ("1", "-1"), ("1e32", "1e33"), ("1n", "0")] {
            assert!(!same_amount(a, b), "{a} {b}");
        }
    }

    #[test]
    fn refuses_in_upstream_words() {
        use QuantityError::{Format, Numeric, Suffix};
        for (text, error) in [
            ("", Format),
            ("1K", Suffix),
            ("1e", Suffix),
            ("1Ee3", Suffix),
            ("1ki", Suffix),
            ("1i", Suffix),
            ("1m3", Suffix),
            ("1e+", Suffix),
            ("1.2.3", Format),
            ("abc", Format),
            ("true", Format),
            ("1 ", Format),
            ("--1", Suffix),
            ("1é", Format),
            ("Ei", Numeric),
            (".Pi", Numeric),
            ("+.e-10", Numeric),
        ] {
            assert_eq!(Quantity::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn raw_json_is_trimmed_but_not_unescaped() {
        assert!(Quantity::parse_json("\" 1 \u{a0}\"").is_ok());
        assert!(Quantity::parse_json("1.5").is_ok());
        assert_eq!(
            Quantity::parse_json("\"\\u0031\""),
            Err(QuantityError::Format)
        );
        assert_eq!(Quantity::parse_json("true"), Err(QuantityError::Format));
        assert_eq!(Quantity::parse_json("\"\""), Err(QuantityError::Format));
    }
}

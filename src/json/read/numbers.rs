//! Numbers of a JSON text, taken or passed over.

use super::super::Number;
use super::{NUMBER, RANGE, Reader, Result, VALUE_END};
use crate::go::float;

impl Reader<'_> {
    pub(super) fn digit(&self) -> Option<u64> {
        self.peek().filter(u8::is_ascii_digit).map(|byte| u64::from(byte & 0xf))
    }

    /// A number. One with a fraction or beyond 64 bits is rounded as often as in requests ever since.
    pub(super) fn number(&mut self) -> Result<Number> {
        let positive = self.peek() != Some(b'-');
        if !positive {
            self.eat();
        }
        let Some(mut digits) = self.digit() else {
            let end = self.next().is_none();
            return Err(self.fail(if end { VALUE_END } else { NUMBER }));
        };
        self.eat();
        if digits == 0 && self.digit().is_some() {
            return Err(self.fail_next(NUMBER));
        }
        let mut exponent = 0i32;
        let full = self.digits(&mut digits, &mut 0);
        if full {
            // More digits than there is room for only make it larger.
            while self.digit().is_some() {
                self.eat();
                exponent = exponent.saturating_add(1);
            }
        }
        let mut whole = !full;
        if self.peek() == Some(b'.') {
            self.eat();
            whole = false;
            let mut count = 0;
            let full = self.digits(&mut digits, &mut count);
            if !full && count == 0 {
                return Err(self.fail_next(if self.peek().is_some() { NUMBER } else { VALUE_END }));
            }
            exponent = exponent.saturating_sub(count);
            self.skip_digits();
        }
        if let Some(b'e' | b'E') = self.peek() {
            whole = false;
            exponent = match self.exponent()? {
                Ok(more) => exponent.saturating_add(more),
                // Beyond all numbers.
                Err(true) if digits != 0 => return Err(self.fail(RANGE)),
                Err(_) => {
                    self.skip_digits();
                    return Ok(Number::Float(if positive { 0.0 } else { -0.0 }));
                }
            };
        }
        if whole {
            return Ok(match (positive, 0i64.checked_sub_unsigned(digits)) {
                (true, _) => Number::Unsigned(digits),
                (false, Some(negative)) if negative < 0 => Number::Negative(negative),
                _ => Number::Float(-(digits as f64)),
            });
        }
        match scaled(digits as f64, exponent) {
            Some(size) => Ok(Number::Float(if positive { size } else { -size })),
            None => Err(self.fail(RANGE)),
        }
    }

    /// Takes digits while there is room for them, and counts them; true if there are more.
    fn digits(&mut self, value: &mut u64, count: &mut i32) -> bool {
        while let Some(digit) = self.digit() {
            match value.checked_mul(10).and_then(|value| value.checked_add(digit)) {
                Some(more) => *value = more,
                None => return true,
            }
            self.eat();
            *count = count.saturating_add(1);
        }
        false
    }

    /// What stands behind the `e`; beyond 32 bits only whether it is positive.
    fn exponent(&mut self) -> Result<std::result::Result<i32, bool>> {
        self.eat();
        let sign = self.peek().filter(|byte| matches!(byte, b'+' | b'-'));
        if sign.is_some() {
            self.eat();
        }
        let positive = sign != Some(b'-');
        if self.digit().is_none() {
            let end = self.next().is_none();
            return Err(self.fail(if end { VALUE_END } else { NUMBER }));
        }
        let mut size = 0i32;
        while let Some(digit) = self.digit() {
            self.eat();
            match size.checked_mul(10).and_then(|size| size.checked_add_unsigned(digit as u32)) {
                Some(more) => size = more,
                None => return Ok(Err(positive)),
            }
        }
        Ok(Ok(if positive { size } else { size.saturating_neg() }))
    }

    pub(super) fn skip_number(&mut self) -> Result<()> {
        if self.peek() == Some(b'-') {
            self.eat();
        }
        let zero = self.digit() == Some(0);
        if self.digit().is_none() {
            self.next();
            return Err(self.fail(NUMBER));
        }
        self.eat();
        if zero && self.digit().is_some() {
            return Err(self.fail_next(NUMBER));
        }
        self.skip_digits();
        if self.peek() == Some(b'.') {
            self.eat();
            if !self.skip_digits() {
                return Err(self.fail_next(NUMBER));
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.eat();
            if let Some(b'+' | b'-') = self.peek() {
                self.eat();
            }
            if !self.skip_digits() {
                self.next();
                return Err(self.fail(NUMBER));
            }
        }
        Ok(())
    }

    /// Passes over digits; false if there are none.
    fn skip_digits(&mut self) -> bool {
        let from = self.at;
        while self.digit().is_some() {
            self.eat();
        }
        self.at > from
    }
}

/// `n` times a power of ten, rounded after each step; `None` beyond all numbers.
fn scaled(mut n: f64, mut exponent: i32) -> Option<f64> {
    let power = |exponent: u32| float::parse(&format!("1e{exponent}")).unwrap_or(f64::INFINITY);
    loop {
        let size = exponent.unsigned_abs();
        if size <= 308 {
            n = if exponent >= 0 { n * power(size) } else { n / power(size) };
            return Some(n).filter(|n| n.is_finite());
        }
        if n == 0.0 {
            return Some(n);
        }
        if exponent >= 0 {
            return None;
        }
        n /= 1e308;
        exponent = exponent.saturating_add(308);
    }
}

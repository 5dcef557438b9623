//! Writing: a struct says its members one by one, and all the rest is compiled once for all of them.

use super::{Number, Raw, Value};
use crate::go::float;
use crate::text::print;

use std::borrow::Cow;

/// Something that can be written as JSON.
pub trait ToJson {
    /// Appends it.
    fn write(&self, out: &mut Out);

    /// True for what an object may leave out: nothing, an empty text, an empty list.
    fn is_absent(&self) -> bool {
        false
    }
}

/// Something that is written as an object.
pub trait Members {
    /// Appends its members.
    fn members(&self, out: &mut Out);
}

/// JSON text that is being written.
#[derive(Debug, Default)]
pub struct Out {
    text: String,
    /// Something stands before, so that a comma comes first.
    comma: bool,
}

/// A value as compact JSON.
pub fn print(value: &dyn ToJson) -> String {
    // Most answers are about one object: room for them, so that they do not grow step by step.
    let mut out = Out { text: String::with_capacity(512), comma: false };
    value.write(&mut out);
    out.text
}

impl Out {
    /// Appends a value as it is.
    pub fn verbatim(&mut self, json: &str) {
        self.text.push_str(json);
    }

    /// Appends a string.
    pub fn quote(&mut self, text: &str) {
        print::quote(text, &mut self.text);
    }

    fn begin(&mut self, bracket: char) {
        self.text.push(bracket);
        self.comma = false;
    }

    fn end(&mut self, bracket: char) {
        self.text.push(bracket);
        self.comma = true;
    }

    /// Appends a list of values of any kinds.
    pub fn list(&mut self, values: &[&dyn ToJson]) {
        self.begin('[');
        for value in values {
            self.item(*value);
        }
        self.end(']');
    }

    /// Appends a list's item.
    fn item(&mut self, value: &dyn ToJson) {
        if self.comma {
            self.text.push(',');
        }
        value.write(self);
        self.comma = true;
    }

    /// Appends a member whose name needs no escapes.
    pub fn put(&mut self, name: &'static str, value: &dyn ToJson) {
        self.text.push_str(if self.comma { ",\"" } else { "\"" });
        self.text.push_str(name);
        self.text.push_str("\":");
        value.write(self);
        self.comma = true;
    }

    /// Appends a member of any name.
    fn member(&mut self, name: &str, value: &dyn ToJson) {
        if self.comma {
            self.text.push(',');
        }
        self.quote(name);
        self.text.push(':');
        value.write(self);
        self.comma = true;
    }

    /// Appends a member unless it is absent.
    pub fn some(&mut self, name: &'static str, value: &dyn ToJson) {
        if !value.is_absent() {
            self.put(name, value);
        }
    }
}

/// Appends a number.
pub fn digits(value: u64, out: &mut String) {
    let mut rest = value;
    let mut digits = [0u8; 20];
    let mut first = 0;
    for (at, digit) in digits.iter_mut().enumerate().rev() {
        (*digit, first) = (b'0'.wrapping_add((rest % 10) as u8), at);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.push_str(digits.get(first..).and_then(|digits| std::str::from_utf8(digits).ok()).unwrap_or_default());
}

impl<T: Members> ToJson for T {
    fn write(&self, out: &mut Out) {
        out.begin('{');
        self.members(out);
        out.end('}');
    }
}

impl ToJson for bool {
    fn write(&self, out: &mut Out) {
        out.verbatim(if *self { "true" } else { "false" });
    }
}

impl ToJson for u16 {
    fn write(&self, out: &mut Out) {
        usize::from(*self).write(out);
    }
}

impl ToJson for u32 {
    fn write(&self, out: &mut Out) {
        digits(u64::from(*self), &mut out.text);
    }
}

impl ToJson for usize {
    fn write(&self, out: &mut Out) {
        digits(*self as u64, &mut out.text);
    }
}

impl ToJson for &str {
    fn write(&self, out: &mut Out) {
        out.quote(self);
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl ToJson for Cow<'_, str> {
    fn write(&self, out: &mut Out) {
        out.quote(self);
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl ToJson for String {
    fn write(&self, out: &mut Out) {
        out.quote(self);
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl ToJson for Raw {
    fn write(&self, out: &mut Out) {
        out.verbatim(self.get());
    }
}

/// Nothing is `null` where it is written.
impl<T: ToJson> ToJson for Option<T> {
    fn write(&self, out: &mut Out) {
        match self {
            Some(value) => value.write(out),
            None => out.verbatim("null"),
        }
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: ToJson> ToJson for &[T] {
    fn write(&self, out: &mut Out) {
        out.begin('[');
        for item in *self {
            out.item(item);
        }
        out.end(']');
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn write(&self, out: &mut Out) {
        self.as_slice().write(out);
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl ToJson for Value {
    fn write(&self, out: &mut Out) {
        match self {
            Value::Null => out.verbatim("null"),
            Value::Bool(value) => value.write(out),
            Value::Number(number) => number.write(out),
            Value::String(text) => out.quote(text),
            Value::Array(items) => items.write(out),
            Value::Object(map) => {
                out.begin('{');
                for (name, value) in map {
                    out.member(name, value);
                }
                out.end('}');
            }
        }
    }
}

impl ToJson for Number {
    fn write(&self, out: &mut Out) {
        match *self {
            Number::Unsigned(n) => digits(n, &mut out.text),
            Number::Negative(n) => out.verbatim(&n.to_string()),
            Number::Float(n) => out.verbatim(&float(n)),
        }
    }
}

/// The fewest digits that read back as this number: plain and with a fraction from 1e-5 up to 1e16, else with an exponent.
pub(super) fn float(n: f64) -> String {
    if n != 0.0 && !(1e-5..1e16).contains(&n.abs()) {
        let scientific = float::scientific(n);
        return if scientific.contains("e-") { scientific } else { scientific.replace('e', "e+") };
    }
    let plain = float::plain(n);
    if !plain.contains('.') {
        return plain + ".0";
    }
    match plain.strip_suffix('3') {
        // Of two such texts that are equally near the even one counts; `plain` takes the upper one.
        Some(rest) if n.abs().fract() == 0.25 => format!("{rest}2"),
        _ => plain,
    }
}

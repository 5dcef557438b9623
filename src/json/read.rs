//! Reading. Errors are those that serde's derived readers gave for the same texts, words and places: hosts show them.

use super::{Map, Number, Raw, Value};
use crate::float;
use crate::text::print;
use std::fmt;

/// Lists and objects within each other, at most one fewer than this.
const MAX_DEPTH: usize = 128;

const LIST_END: &str = "EOF while parsing a list";
const OBJECT_END: &str = "EOF while parsing an object";
const STRING_END: &str = "EOF while parsing a string";
const VALUE_END: &str = "EOF while parsing a value";
const VALUE: &str = "expected value";
const NAME: &str = "key must be a string";
const TRAILING_COMMA: &str = "trailing comma";
const TRAILING: &str = "trailing characters";
const NUMBER: &str = "invalid number";
const RANGE: &str = "number out of range";

/// Why a text cannot be read.
#[derive(Debug)]
pub struct Error {
    /// What is wrong.
    pub message: String,
    /// Where: line from 1, and bytes in it. A reader that has nothing to say about that leaves it to the one around it.
    place: Option<(usize, usize)>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.place {
            Some((line, column)) => f.write_str(&format!(" at line {line} column {column}")),
            None => Ok(()),
        }
    }
}

type Result<T> = std::result::Result<T, Box<Error>>;

fn wrong(message: String) -> Box<Error> {
    Box::new(Error { message, place: None })
}

/// Something that can be read.
pub trait Read: Sized {
    /// Reads it.
    fn read(reader: &mut Reader<'_>) -> Result<Self>;
}

/// One value and nothing after it.
pub fn from_str<T: Read>(text: &str) -> std::result::Result<T, Error> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let read = T::read(&mut reader).and_then(|value| reader.end().map(|()| value));
    read.map_err(|error| *error)
}

/// Where in a text the reading is.
pub struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    fn next(&mut self) -> Option<u8> {
        let next = self.peek()?;
        self.eat();
        Some(next)
    }

    /// What stands behind white space.
    fn space(&mut self) -> Option<u8> {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.eat();
        }
        self.peek()
    }

    fn place(&self, at: usize) -> (usize, usize) {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end.saturating_add(1));
        let lines = before.iter().filter(|&&byte| byte == b'\n').count();
        (lines.saturating_add(1), at.saturating_sub(start))
    }

    /// An error at what was taken last.
    fn fail(&self, message: &str) -> Box<Error> {
        Box::new(Error { message: message.to_owned(), place: Some(self.place(self.at)) })
    }

    /// An error at what would be taken next.
    fn fail_next(&self, message: &str) -> Box<Error> {
        let at = self.at.saturating_add(1).min(self.text.len());
        Box::new(Error { message: message.to_owned(), place: Some(self.place(at)) })
    }

    /// The place of an error that has none is here.
    fn placed(&self, mut error: Box<Error>) -> Box<Error> {
        if error.place.is_none() {
            error.place = Some(self.place(self.at));
        }
        error
    }

    fn end(&mut self) -> Result<()> {
        if self.space().is_some() { Err(self.fail_next(TRAILING)) } else { Ok(()) }
    }

    /// What a value begins with.
    fn begin(&mut self) -> Result<u8> {
        match self.space() {
            Some(byte) => Ok(byte),
            None => Err(self.fail_next(VALUE_END)),
        }
    }

    /// The rest of a word whose first letter tells it.
    fn word(&mut self, word: &str) -> Result<()> {
        self.eat();
        for letter in word.bytes().skip(1) {
            match self.next() {
                None => return Err(self.fail(VALUE_END)),
                Some(next) if next != letter => return Err(self.fail("expected ident")),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Takes a `null` if there is one.
    fn null(&mut self) -> Result<bool> {
        let null = self.space() == Some(b'n');
        if null {
            self.word("null")?;
        }
        Ok(null)
    }

    /// A value that is not what was expected.
    fn unexpected(&mut self, expected: &str) -> Box<Error> {
        match self.found() {
            Ok(found) => self.placed(wrong(format!("invalid type: {found}, expected {expected}"))),
            Err(error) => error,
        }
    }

    fn found(&mut self) -> Result<String> {
        Ok(match self.peek() {
            Some(b'n') => {
                self.word("null")?;
                "null".to_owned()
            }
            Some(b't') => {
                self.word("true")?;
                "boolean `true`".to_owned()
            }
            Some(b'f') => {
                self.word("false")?;
                "boolean `false`".to_owned()
            }
            Some(b'-' | b'0'..=b'9') => described(self.number()?),
            Some(b'"') => format!("string {:?}", self.quoted()?),
            Some(b'[') => "sequence".to_owned(),
            Some(b'{') => "map".to_owned(),
            _ => return Err(self.fail_next(VALUE)),
        })
    }

    // --- strings -------------------------------------------------------------------------------------------------------

    /// A string, or the error of a value that is none.
    pub fn string(&mut self, expected: &str) -> Result<String> {
        match self.begin()? {
            b'"' => self.quoted(),
            _ => Err(self.unexpected(expected)),
        }
    }

    fn quoted(&mut self) -> Result<String> {
        self.eat();
        let mut out = String::new();
        loop {
            let from = self.at;
            self.literal();
            out.push_str(self.text.get(from..self.at).unwrap_or_default());
            match self.next() {
                None => return Err(self.fail(STRING_END)),
                Some(b'"') => return Ok(out),
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(self.fail("control character (\\u0000-\\u001F) found while parsing a string")),
            }
        }
    }

    /// Passes over what stands for itself in a string: manifests come in strings, so that this is most of a request.
    fn literal(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at = self.at.saturating_add(print::first_escaped(rest).unwrap_or(rest.len()));
    }

    fn escape(&mut self) -> Result<char> {
        Ok(match self.next() {
            None => return Err(self.fail(STRING_END)),
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            Some(_) => return Err(self.fail("invalid escape")),
        })
    }

    fn unicode(&mut self) -> Result<char> {
        const LONE: &str = "lone leading surrogate in hex escape";
        let first = self.hex()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).map_or_else(|| Err(self.fail(LONE)), Ok);
        }
        for wanted in [b'\\', b'u'] {
            match self.next() {
                None => return Err(self.fail(STRING_END)),
                Some(byte) if byte != wanted => return Err(self.fail("unexpected end of hex escape")),
                Some(_) => {}
            }
        }
        let second = self.hex()?;
        let low = second.wrapping_sub(0xdc00);
        let high = first.wrapping_sub(0xd800) << 10;
        let whole = (low < 0x400).then(|| (high | low).saturating_add(0x1_0000));
        whole.and_then(char::from_u32).map_or_else(|| Err(self.fail(LONE)), Ok)
    }

    fn hex(&mut self) -> Result<u32> {
        let end = self.at.saturating_add(4);
        let Some(digits) = self.text.as_bytes().get(self.at..end) else {
            self.at = self.text.len();
            return Err(self.fail(STRING_END));
        };
        let mut value = Some(0u32);
        for &digit in digits {
            value = value.zip(char::from(digit).to_digit(16)).map(|(value, digit)| value << 4 | digit);
        }
        self.at = end;
        value.map_or_else(|| Err(self.fail("invalid escape")), Ok)
    }

    // --- numbers -------------------------------------------------------------------------------------------------------

    fn digit(&self) -> Option<u64> {
        self.peek().filter(u8::is_ascii_digit).map(|byte| u64::from(byte & 0xf))
    }

    /// A number. One with a fraction or beyond 64 bits is rounded as often as in requests ever since.
    fn number(&mut self) -> Result<Number> {
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

    // --- lists and objects -----------------------------------------------------------------------------------------------

    /// Takes the bracket and reads what is inside; the bracket that ends it too, even after an error.
    fn inside(&mut self, close: u8, read: &mut dyn FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if self.depth.saturating_add(1) >= MAX_DEPTH {
            return Err(self.fail_next("recursion limit exceeded"));
        }
        self.depth = self.depth.saturating_add(1);
        self.eat();
        let result = read(self);
        self.depth = self.depth.saturating_sub(1);
        let closed = self.close(close);
        let result = result.and(closed);
        result.map_err(|error| self.placed(error))
    }

    fn close(&mut self, close: u8) -> Result<()> {
        match self.space() {
            Some(byte) if byte == close => {
                self.eat();
                Ok(())
            }
            Some(b',') if close == b'}' => Err(self.fail_next(TRAILING_COMMA)),
            Some(b',') => {
                self.eat();
                let comma = self.space() == Some(b']');
                Err(self.fail_next(if comma { TRAILING_COMMA } else { TRAILING }))
            }
            Some(_) => Err(self.fail_next(TRAILING)),
            None => Err(self.fail_next(if close == b'}' { OBJECT_END } else { LIST_END })),
        }
    }

    /// Whether another item follows.
    fn another_item(&mut self, first: bool) -> Result<bool> {
        match self.space() {
            None => Err(self.fail_next(LIST_END)),
            Some(b']') => Ok(false),
            Some(_) if first => Ok(true),
            Some(b',') => {
                self.eat();
                match self.space() {
                    Some(b']') => Err(self.fail_next(TRAILING_COMMA)),
                    Some(_) => Ok(true),
                    None => Err(self.fail_next(VALUE_END)),
                }
            }
            Some(_) => Err(self.fail_next("expected `,` or `]`")),
        }
    }

    /// The name of another member, if one follows.
    fn another_name(&mut self, first: bool) -> Result<Option<String>> {
        match self.space() {
            None => return Err(self.fail_next(OBJECT_END)),
            Some(b'}') => return Ok(None),
            Some(b'"') if first => {}
            Some(_) if first => return Err(self.fail_next(NAME)),
            Some(b',') => {
                self.eat();
                match self.space() {
                    Some(b'"') => {}
                    Some(b'}') => return Err(self.fail_next(TRAILING_COMMA)),
                    Some(_) => return Err(self.fail_next(NAME)),
                    None => return Err(self.fail_next(VALUE_END)),
                }
            }
            Some(_) => return Err(self.fail_next("expected `,` or `}`")),
        }
        self.quoted().map(Some)
    }

    fn colon(&mut self) -> Result<()> {
        match self.space() {
            Some(b':') => {
                self.eat();
                Ok(())
            }
            Some(_) => Err(self.fail_next("expected `:`")),
            None => Err(self.fail_next(OBJECT_END)),
        }
    }

    /// A list; `read` takes one item.
    pub fn list(&mut self, read: &mut dyn FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if self.begin()? != b'[' {
            return Err(self.unexpected("a sequence"));
        }
        self.inside(b']', &mut |reader| {
            let mut first = true;
            while reader.another_item(first)? {
                first = false;
                read(reader)?;
            }
            Ok(())
        })
    }

    /// An object with any names; `read` takes the value of one.
    pub fn map(&mut self, read: &mut dyn FnMut(&mut Self, String) -> Result<()>) -> Result<()> {
        if self.begin()? != b'{' {
            return Err(self.unexpected("a map"));
        }
        self.inside(b'}', &mut |reader| {
            let mut first = true;
            while let Some(name) = reader.another_name(first)? {
                first = false;
                reader.colon()?;
                read(reader, name)?;
            }
            Ok(())
        })
    }

    /// A struct: an object with some of these names, or with all, each once; or a list of the values in their sequence.
    /// `read` takes the value of the name with an index.
    pub fn fields(
        &mut self,
        what: &str,
        names: &[&str],
        all: bool,
        read: &mut dyn FnMut(&mut Self, usize) -> Result<()>,
    ) -> Result<()> {
        let mut seen = vec![false; names.len()];
        match self.begin()? {
            b'{' => self.inside(b'}', &mut |reader| {
                let mut first = true;
                while let Some(name) = reader.another_name(first)? {
                    first = false;
                    let Some(index) = names.iter().position(|known| *known == name) else {
                        return Err(wrong(format!("unknown field `{name}`, expected {}", one_of(names))));
                    };
                    if seen.get_mut(index).is_some_and(|seen| std::mem::replace(seen, true)) {
                        return Err(wrong(format!("duplicate field `{name}`")));
                    }
                    reader.colon()?;
                    read(reader, index)?;
                }
                match names.iter().zip(&seen).find(|(_, seen)| all && !**seen) {
                    Some((name, _)) => Err(wrong(format!("missing field `{name}`"))),
                    None => Ok(()),
                }
            }),
            b'[' => self.inside(b']', &mut |reader| {
                for index in 0..names.len() {
                    if !reader.another_item(index == 0)? {
                        let missing = format!("invalid length {index}, expected struct {what} with {} elements", names.len());
                        return if all { Err(wrong(missing)) } else { Ok(()) };
                    }
                    read(reader, index)?;
                }
                Ok(())
            }),
            _ => Err(self.unexpected(&format!("struct {what}"))),
        }
    }

    /// One of these words, for what it stands for.
    pub fn choice<T: Copy>(&mut self, words: &[&str], values: &[T]) -> Result<T> {
        let index = self.chosen(words)?;
        values.get(index).map_or_else(|| Err(self.fail(VALUE)), |value| Ok(*value))
    }

    fn chosen(&mut self, words: &[&str]) -> Result<usize> {
        const WHAT: &str = "variant identifier";
        let index = |name: &str| match words.iter().position(|word| *word == name) {
            Some(index) => Ok(index),
            None => Err(wrong(format!("unknown variant `{name}`, expected {}", one_of(words)))),
        };
        match self.begin()? {
            b'"' => {
                let name = self.string(WHAT)?;
                index(&name).map_err(|error| self.placed(error))
            }
            // `{"word": null}` is the same.
            b'{' => self.tagged(&index),
            _ => Err(self.fail_next(VALUE)),
        }
    }

    fn tagged(&mut self, index: &dyn Fn(&str) -> Result<usize>) -> Result<usize> {
        if self.depth.saturating_add(1) >= MAX_DEPTH {
            return Err(self.fail_next("recursion limit exceeded"));
        }
        self.eat();
        match self.space() {
            Some(b'"') => {}
            Some(b'}') => return Err(self.fail_next(VALUE)),
            Some(_) => return Err(self.fail_next(NAME)),
            None => return Err(self.fail_next(OBJECT_END)),
        }
        let name = self.quoted()?;
        let index = index(&name).map_err(|error| self.placed(error))?;
        self.colon()?;
        if self.begin()? != b'n' {
            return Err(self.unexpected("unit"));
        }
        self.word("null")?;
        match self.space() {
            Some(b'}') => {
                self.eat();
                Ok(index)
            }
            Some(_) => Err(self.fail(VALUE)),
            None => Err(self.fail(OBJECT_END)),
        }
    }

    // --- any value -------------------------------------------------------------------------------------------------------

    fn value(&mut self) -> Result<Value> {
        Ok(match self.begin()? {
            b'n' => {
                self.word("null")?;
                Value::Null
            }
            b't' => {
                self.word("true")?;
                Value::Bool(true)
            }
            b'f' => {
                self.word("false")?;
                Value::Bool(false)
            }
            b'-' | b'0'..=b'9' => Value::Number(self.number()?),
            b'"' => Value::String(self.quoted()?),
            b'[' => {
                let mut items = Vec::new();
                self.list(&mut |reader| {
                    items.push(reader.value()?);
                    Ok(())
                })?;
                Value::Array(items)
            }
            b'{' => {
                let mut map = Map::new();
                self.map(&mut |reader, name| {
                    map.insert(name, reader.value()?);
                    Ok(())
                })?;
                Value::Object(map)
            }
            _ => return Err(self.fail_next(VALUE)),
        })
    }

    /// Passes over a value of any depth.
    fn skip(&mut self) -> Result<()> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            let mut first = false;
            match self.begin()? {
                b'n' => self.word("null")?,
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'-' | b'0'..=b'9' => self.skip_number()?,
                b'"' => self.skip_string()?,
                bracket @ (b'[' | b'{') => {
                    self.eat();
                    open.push(bracket);
                    first = true;
                }
                _ => return Err(self.fail_next(VALUE)),
            }
            loop {
                let Some(&bracket) = open.last() else { return Ok(()) };
                let list = bracket == b'[';
                match self.space() {
                    Some(b',') if !first => {
                        self.eat();
                        break;
                    }
                    Some(byte) if byte == if list { b']' } else { b'}' } => {}
                    Some(_) if first => break,
                    Some(_) => return Err(self.fail_next(if list { "expected `,` or `]`" } else { "expected `,` or `}`" })),
                    None => return Err(self.fail_next(if list { LIST_END } else { OBJECT_END })),
                }
                self.eat();
                open.pop();
                first = false;
            }
            if open.last() == Some(&b'{') {
                match self.space() {
                    Some(b'"') => self.skip_string()?,
                    Some(_) => return Err(self.fail_next(NAME)),
                    None => return Err(self.fail_next(OBJECT_END)),
                }
                self.colon()?;
            }
        }
    }

    fn skip_string(&mut self) -> Result<()> {
        self.eat();
        loop {
            self.literal();
            match self.peek() {
                None => return Err(self.fail(STRING_END)),
                Some(0..0x20) => return Err(self.fail("control character (\\u0000-\\u001F) found while parsing a string")),
                Some(byte) => {
                    self.eat();
                    match byte {
                        b'"' => return Ok(()),
                        b'\\' => match self.next() {
                            None => return Err(self.fail(STRING_END)),
                            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {}
                            Some(b'u') => drop(self.hex()?),
                            Some(_) => return Err(self.fail("invalid escape")),
                        },
                        _ => {}
                    }
                }
            }
        }
    }

    fn skip_number(&mut self) -> Result<()> {
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

fn described(number: Number) -> String {
    match number {
        Number::Unsigned(n) => format!("integer `{n}`"),
        Number::Negative(n) => format!("integer `{n}`"),
        Number::Float(n) => format!("floating point `{}`", super::write::float(n)),
    }
}

/// `` `a` ``, `` `a` or `b` ``, or `` one of `a`, `b`, `c` ``
fn one_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [a, b] => format!("{a} or {b}"),
        [one] => one.clone(),
        many => format!("one of {}", many.join(", ")),
    }
}

impl Read for String {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        reader.string("a string")
    }
}

impl Read for bool {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        match reader.begin()? {
            b't' => reader.word("true").map(|()| true),
            b'f' => reader.word("false").map(|()| false),
            _ => Err(reader.unexpected("a boolean")),
        }
    }
}

/// An integer up to a limit.
fn integer(reader: &mut Reader<'_>, max: u64, expected: &str) -> Result<u64> {
    if !matches!(reader.begin()?, b'-' | b'0'..=b'9') {
        return Err(reader.unexpected(expected));
    }
    let number = reader.number()?;
    let kind = match number {
        Number::Unsigned(n) if n <= max => return Ok(n),
        Number::Float(_) => "type",
        _ => "value",
    };
    Err(reader.placed(wrong(format!("invalid {kind}: {}, expected {expected}", described(number)))))
}

impl Read for u32 {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        integer(reader, u64::from(u32::MAX), "u32").map(|n| u32::try_from(n).unwrap_or(u32::MAX))
    }
}

impl Read for usize {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        integer(reader, usize::MAX as u64, "usize").map(|n| usize::try_from(n).unwrap_or(usize::MAX))
    }
}

impl<T: Read> Read for Option<T> {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        if reader.null()? { Ok(None) } else { T::read(reader).map(Some) }
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let mut items = Vec::new();
        reader.list(&mut |reader| {
            items.push(T::read(reader)?);
            Ok(())
        })?;
        Ok(items)
    }
}

impl Read for Value {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        reader.value()
    }
}

impl Read for Raw {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        reader.space();
        let from = reader.at;
        reader.skip()?;
        Ok(Raw::new(reader.text.get(from..reader.at).unwrap_or_default().to_owned()))
    }
}

//! What can be read: values of any kind, and the types that requests are made of.

use super::super::{Map, Number, Raw, Value, write};
use super::{LIST_END, NAME, OBJECT_END, Read, Reader, Result, VALUE, wrong};

impl Reader<'_> {
    pub(super) fn value(&mut self) -> Result<Value> {
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
    pub(super) fn skip(&mut self) -> Result<()> {
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
}

pub(super) fn described(number: Number) -> String {
    match number {
        Number::Unsigned(n) => format!("integer `{n}`"),
        Number::Negative(n) => format!("integer `{n}`"),
        Number::Float(n) => format!("floating point `{}`", write::float(n)),
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
        integer(reader, u64::from(u32::MAX), "a whole number up to 4294967295").map(|n| u32::try_from(n).unwrap_or(u32::MAX))
    }
}

impl Read for usize {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        // More than the machine can count is as much as it can: a request is the same in modules of 32 bits.
        integer(reader, u64::MAX, "a whole number that is not negative").map(|n| usize::try_from(n).unwrap_or(usize::MAX))
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

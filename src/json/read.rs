//! Reading. Errors are those that serde's derived readers gave for the same texts, words and places: hosts show them.

mod numbers;
mod strings;
mod values;

use crate::go::{self, GoUnicode};

use std::fmt;
use values::described;

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
    /// The field that it is about, with those around it: `limits.findings`. Empty where it is none's value.
    pub field: String,
    /// Where: line from 1, and bytes in it. A reader that has nothing to say about that leaves it to the one around it.
    place: Option<(usize, usize)>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.field.is_empty() {
            f.write_str(&format!("`{}`: ", self.field))?;
        }
        f.write_str(&self.message)?;
        match self.place {
            Some((line, column)) => f.write_str(&format!(" at line {line} column {column}")),
            None => Ok(()),
        }
    }
}

type Result<T> = std::result::Result<T, Box<Error>>;

fn wrong(message: String) -> Box<Error> {
    Box::new(Error { message, field: String::new(), place: None })
}

fn within(mut error: Box<Error>, name: &str) -> Box<Error> {
    if !error.field.is_empty() {
        error.field.insert(0, '.');
    }
    error.field.insert_str(0, name);
    error
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
        Box::new(Error { place: Some(self.place(self.at)), ..*wrong(message.to_owned()) })
    }

    /// An error at what would be taken next.
    fn fail_next(&self, message: &str) -> Box<Error> {
        let at = self.at.saturating_add(1).min(self.text.len());
        Box::new(Error { place: Some(self.place(at)), ..*wrong(message.to_owned()) })
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
            Some(b'"') => format!("string {}", go::quote(&self.quoted()?, GoUnicode::V15)),
            Some(b'[') => "sequence".to_owned(),
            Some(b'{') => "map".to_owned(),
            _ => return Err(self.fail_next(VALUE)),
        })
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
                    read(reader, index).map_err(|error| within(error, &name))?;
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

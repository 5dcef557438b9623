//! Finds the Nodes of a JSON text without building a tree: everything but `kind`, `metadata.name` and `metadata.labels` is
//! skipped by its brackets. The node status with images and conditions is nine tenths of kubectl's output.

use std::borrow::Cow;

/// The text cannot be read this way: malformed, or of another shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanRefusal;

type Read<T> = Result<T, ScanRefusal>;

/// The parts of a Node that are kept.
#[derive(Clone, Debug, Default)]
pub struct ScannedNode<'s> {
    /// `kind`; empty if missing.
    pub kind: Cow<'s, str>,
    /// `metadata.name`
    pub name: Cow<'s, str>,
    /// `metadata.labels`, later ones replace earlier ones.
    pub labels: Vec<(Cow<'s, str>, Cow<'s, str>)>,
    /// The path of a value that must be a string but is not.
    pub mistyped: Option<String>,
}

impl ScannedNode<'_> {
    /// Clears the content but keeps the allocated memory.
    pub fn clear(&mut self) {
        self.kind = Cow::Borrowed("");
        self.name = Cow::Borrowed("");
        self.labels.clear();
        self.mistyped = None;
    }
}

/// Reads JSON objects one after another, gives each to `take`, and answers with the byte at which something else begins.
///
/// # Errors
/// A value that is malformed as far as it was looked at.
pub fn stream(text: &str, take: &mut dyn FnMut(&ScannedNode<'_>)) -> Read<usize> {
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        at: 0,
        seen: ScannedNode::default(),
    };
    loop {
        scanner.blank();
        match scanner.peek() {
            Some(b'{') => scanner.object(take)?,
            _ => return Ok(scanner.at),
        }
    }
}

struct Scanner<'s> {
    text: &'s str,
    bytes: &'s [u8],
    at: usize,
    seen: ScannedNode<'s>,
}

impl<'s> Scanner<'s> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn step(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    fn blank(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.step();
        }
    }

    fn take(&mut self, byte: u8) -> Read<()> {
        if self.peek() != Some(byte) {
            return Err(ScanRefusal);
        }
        self.step();
        Ok(())
    }

    /// Skips a string, the opening quote already taken; `true` if it has escapes.
    fn skip_string(&mut self) -> Read<bool> {
        let mut escaped = false;
        loop {
            let rest = self.bytes.get(self.at..).ok_or(ScanRefusal)?;
            let stop = memchr::memchr2(b'"', b'\\', rest).ok_or(ScanRefusal)?;
            let backslash = rest.get(stop) == Some(&b'\\');
            self.at = self
                .at
                .saturating_add(stop)
                .saturating_add(if backslash { 2 } else { 1 });
            if !backslash {
                return Ok(escaped);
            }
            escaped = true;
        }
    }

    fn string(&mut self) -> Read<Cow<'s, str>> {
        let start = self.at;
        self.take(b'"')?;
        let escaped = self.skip_string()?;
        let whole = self.text.get(start..self.at).ok_or(ScanRefusal)?;
        let inner = whole
            .get(1..whole.len().saturating_sub(1))
            .ok_or(ScanRefusal)?;
        if escaped {
            return serde_json::from_str::<String>(whole)
                .map(Cow::Owned)
                .map_err(|_| ScanRefusal);
        }
        if inner.bytes().any(|byte| byte < 0x20) {
            Err(ScanRefusal)
        } else {
            Ok(Cow::Borrowed(inner))
        }
    }

    /// Skips any value; in brackets and quotes only their ends are checked.
    fn skip(&mut self) -> Read<()> {
        match self.peek() {
            Some(b'"') => {
                self.step();
                self.skip_string().map(|_| ())
            }
            Some(b'{' | b'[') => self.skip_brackets(),
            Some(_) => {
                let start = self.at;
                while self.peek().is_some_and(|byte| {
                    !matches!(
                        byte,
                        b',' | b'}'
                            | b']'
                            | b' '
                            | b'\n'
                            | b'\r'
                            | b'\t'
                            | b'"'
                            | b'{'
                            | b'['
                            | b':'
                    )
                }) {
                    self.step();
                }
                if self.at == start {
                    Err(ScanRefusal)
                } else {
                    Ok(())
                }
            }
            None => Err(ScanRefusal),
        }
    }

    fn skip_brackets(&mut self) -> Read<()> {
        let mut depth = 0usize;
        loop {
            let rest = self.bytes.get(self.at..).ok_or(ScanRefusal)?;
            let stop = rest
                .iter()
                .position(|&byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']'))
                .ok_or(ScanRefusal)?;
            self.at = self.at.saturating_add(stop).saturating_add(1);
            match rest.get(stop) {
                Some(b'"') => {
                    self.skip_string()?;
                }
                Some(b'{' | b'[') => depth = depth.saturating_add(1),
                _ => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Reads the next key of an object, `None` at its end.
    fn key(&mut self, first: &mut bool) -> Read<Option<Cow<'s, str>>> {
        self.blank();
        if self.peek() == Some(b'}') {
            self.step();
            return Ok(None);
        }
        if !std::mem::replace(first, false) {
            self.take(b',')?;
            self.blank();
        }
        let key = self.string()?;
        self.blank();
        self.take(b':')?;
        self.blank();
        Ok(Some(key))
    }

    /// Reads a top-level object: a Node, or a list of Nodes.
    fn object(&mut self, take: &mut dyn FnMut(&ScannedNode<'_>)) -> Read<()> {
        let (mut first, mut listed) = (true, false);
        self.seen.clear();
        self.take(b'{')?;
        while let Some(key) = self.key(&mut first)? {
            if key == "items" && self.peek() == Some(b'[') {
                // A list's own metadata has no name that counts.
                listed = true;
                self.items(take)?;
            } else {
                self.field(&key)?;
            }
        }
        if !listed {
            take(&self.seen);
        }
        Ok(())
    }

    fn items(&mut self, take: &mut dyn FnMut(&ScannedNode<'_>)) -> Read<()> {
        self.take(b'[')?;
        let mut first = true;
        loop {
            self.blank();
            if self.peek() == Some(b']') {
                self.step();
                return Ok(());
            }
            if !std::mem::replace(&mut first, false) {
                self.take(b',')?;
                self.blank();
            }
            self.seen.clear();
            let mut first = true;
            self.take(b'{')?;
            while let Some(key) = self.key(&mut first)? {
                self.field(&key)?;
            }
            take(&self.seen);
        }
    }

    fn field(&mut self, key: &str) -> Read<()> {
        match (key, self.peek()) {
            ("kind", Some(b'"')) => self.seen.kind = self.string()?,
            ("metadata", Some(b'{')) => self.metadata()?,
            _ => self.skip()?,
        }
        Ok(())
    }

    fn metadata(&mut self) -> Read<()> {
        let mut first = true;
        self.take(b'{')?;
        while let Some(key) = self.key(&mut first)? {
            match (&*key, self.peek()) {
                ("name", Some(b'"')) => self.seen.name = self.string()?,
                ("name", Some(byte)) if byte != b'n' => {
                    self.seen.mistyped = Some("metadata.name".to_owned());
                    self.skip()?;
                }
                ("labels", Some(b'{')) => self.labels()?,
                _ => self.skip()?,
            }
        }
        Ok(())
    }

    fn labels(&mut self) -> Read<()> {
        let mut first = true;
        self.take(b'{')?;
        while let Some(key) = self.key(&mut first)? {
            match self.peek() {
                Some(b'"') => {
                    let value = self.string()?;
                    self.seen.labels.push((key, value));
                }
                // Go reads null as the empty string.
                Some(b'n') => {
                    self.skip()?;
                    self.seen.labels.push((key, Cow::Borrowed("")));
                }
                _ => {
                    self.seen.mistyped = Some(format!("metadata.labels[{key}]"));
                    self.skip()?;
                }
            }
        }
        Ok(())
    }
}

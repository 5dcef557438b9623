//! Values as texts in many styles: block and flow, quotes, comments, line ends, indentation, anchors and aliases.

use crate::tape::Tape;
use serde_json::Value;
use std::collections::BTreeMap;

/// How a whole file is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Yaml,
    JsonLines,
    JsonPretty,
}

pub fn file(tape: &mut Tape<'_>, documents: &[Value]) -> String {
    let mode = tape.one_of(&[
        Mode::Yaml,
        Mode::Yaml,
        Mode::Yaml,
        Mode::Yaml,
        Mode::JsonPretty,
        Mode::JsonLines,
    ]);
    let mut out = String::new();
    for (at, document) in documents.iter().enumerate() {
        match mode {
            Mode::JsonLines => out.push_str(&document.to_string()),
            Mode::JsonPretty => out.push_str(&serde_json::to_string_pretty(document).unwrap()),
            Mode::Yaml => {
                if at > 0 || tape.once_in(3) {
                    out.push_str(tape.one_of(&["---\n", "--- # next\n", "---\n\n# a comment\n"]));
                }
                let mut writer = Writer {
                    tape,
                    out: String::new(),
                    anchors: BTreeMap::new(),
                    named: 0,
                    kept: false,
                };
                writer.document(document);
                let kept = writer.kept;
                out.push_str(&writer.out);
                // Line ends after a block scalar that keeps them are part of it.
                if !kept && tape.once_in(4) {
                    out.push_str("\n# end of the document\n\n");
                }
                continue;
            }
        }
        out.push('\n');
    }
    if out.ends_with('\n') && !out.ends_with("\n\n") && tape.once_in(4) && !out.contains(['|', '>'])
    {
        out.pop();
    }
    if tape.once_in(4) {
        out = out.replace('\n', "\r\n");
    }
    if mode == Mode::Yaml && tape.once_in(6) {
        out.insert(0, '\u{feff}');
    }
    out
}

struct Writer<'t, 'b> {
    tape: &'t mut Tape<'b>,
    out: String,
    /// Strings that have an anchor, and its name.
    anchors: BTreeMap<String, String>,
    /// How many anchors there are: a string may get another one.
    named: usize,
    /// The last scalar keeps the line ends after it.
    kept: bool,
}

impl Writer<'_, '_> {
    fn document(&mut self, value: &Value) {
        if self.tape.once_in(5) {
            if self.out.is_empty() {
                // `{` at the very beginning would make it a JSON file.
                self.out.push_str("# flow\n");
            }
            self.flow(value, 1);
            self.out.push('\n');
        } else {
            let indent = if self.tape.once_in(8) { 2 } else { 0 };
            self.block_map(value, indent, false);
        }
    }

    /// `behind_dash`: the first key follows `- ` on the same line.
    fn block_map(&mut self, value: &Value, indent: usize, behind_dash: bool) {
        for (at, (key, value)) in value.as_object().unwrap().iter().enumerate() {
            if at > 0 || !behind_dash {
                if !self.kept && self.tape.once_in(6) {
                    self.out.push_str(["\n", "\n\n"][self.tape.pick(2)]);
                }
                if !self.kept && self.tape.once_in(4) {
                    let lines = 1 + self.tape.pick(2);
                    self.out
                        .push_str(&format!("{}# about {key}\n", " ".repeat(indent)).repeat(lines));
                }
                self.out.push_str(&" ".repeat(indent));
            }
            self.kept = false;
            let explicit = value.is_string() && self.tape.once_in(64);
            if explicit {
                self.out.push_str("? ");
            }
            self.key(key);
            if explicit {
                self.out.push('\n');
                self.out.push_str(&" ".repeat(indent));
            }
            self.out.push(':');
            self.block_value(value, indent, explicit);
        }
    }

    fn key(&mut self, key: &str) {
        let plain = key.chars().all(|c| c.is_ascii_alphanumeric());
        match self.tape.pick(10) {
            8 => self.out.push_str(&format!("'{key}'")),
            9 => self.out.push_str(&format!("\"{key}\"")),
            _ if plain => self.out.push_str(key),
            _ => self.out.push_str(&format!("\"{key}\"")),
        }
    }

    fn gap(&mut self) {
        let gap = self
            .tape
            .one_of(&[" ", " ", " ", " ", " ", "  ", "\t", " \t "]);
        self.out.push_str(gap);
    }

    fn line_end(&mut self) {
        if self.tape.once_in(5) {
            let comment = self
                .tape
                .one_of(&[" # why", "\t# tab", "   # resourceHandle: x"]);
            self.out.push_str(comment);
        }
        self.out.push('\n');
    }

    fn block_value(&mut self, value: &Value, indent: usize, explicit: bool) {
        let collection = value.as_object().is_some_and(|map| !map.is_empty())
            || value.as_array().is_some_and(|a| !a.is_empty());
        if !collection || self.tape.once_in(5) {
            if let Some(text) = value.as_str()
                && !explicit
                && self.block_scalar(text, indent)
            {
                return;
            }
            if explicit {
                // A tab is not allowed behind the `:` of an explicit key.
                self.out.push(' ');
            } else if value.is_string() && self.tape.once_in(10) {
                // The value on the next line.
                self.line_end();
                self.out
                    .push_str(&" ".repeat(indent + 1 + self.tape.pick(4)));
            } else {
                self.gap();
            }
            if collection {
                self.flow(value, indent + 1)
            } else {
                self.scalar(value, false, indent)
            }
            self.line_end();
            return;
        }
        self.line_end();
        match value {
            Value::Object(_) => {
                let deeper = indent + 1 + [1, 1, 3, 0, 5][self.tape.pick(5)];
                self.block_map(value, deeper, false);
            }
            Value::Array(items) => {
                let deeper = indent + [0, 2, 4, 1][self.tape.pick(4)];
                for item in items {
                    self.out.push_str(&" ".repeat(deeper));
                    self.out.push('-');
                    if item.as_object().is_some_and(|map| !map.is_empty()) && !self.tape.once_in(4)
                    {
                        let gap = 1 + [0, 0, 2][self.tape.pick(3)];
                        self.out.push_str(&" ".repeat(gap));
                        self.block_map(item, deeper + 1 + gap, true);
                    } else {
                        self.out.push(' ');
                        self.flow(item, deeper + 2);
                        self.line_end();
                    }
                }
            }
            _ => unreachable!("a collection"),
        }
    }

    /// `|` if it can represent the text.
    fn block_scalar(&mut self, text: &str, indent: usize) -> bool {
        let fits = !text.trim_matches(['\n', ' ']).is_empty()
            && text
                .chars()
                .all(|c| c == '\n' || c == '\t' || (c >= ' ' && c != '\u{7f}' && c != '\u{2028}'))
            && !text.starts_with(['\n', '\t']);
        if !fits || !self.tape.once_in(3) {
            return false;
        }
        let by = 1 + self.tape.pick(4);
        let mut header = "|".to_owned();
        if text.starts_with(' ') || self.tape.once_in(4) {
            header.push_str(&by.to_string());
        }
        let body = text.trim_end_matches('\n');
        match text.len() - body.len() {
            0 => header.push('-'),
            1 if !self.tape.once_in(4) => {}
            _ => {
                header.push('+');
                self.kept = true;
            }
        }
        self.gap();
        self.out.push_str(&header);
        self.line_end();
        for line in body.split('\n') {
            if !line.is_empty() {
                self.out.push_str(&" ".repeat(indent + by));
                self.out.push_str(line);
            } else if self.tape.once_in(3) {
                // Spaces up to the indentation do not count.
                self.out.push_str(&" ".repeat(self.tape.pick(indent + by)));
            }
            self.out.push('\n');
        }
        if self.kept {
            self.out.push_str(&"\n".repeat(text.len() - body.len() - 1));
        }
        true
    }

    fn scalar(&mut self, value: &Value, flow: bool, indent: usize) {
        let Some(text) = value.as_str() else {
            let written = if value.is_null() {
                self.tape.one_of(&["null", "~", "Null"]).to_owned()
            } else {
                value.to_string()
            };
            self.out.push_str(&written);
            return;
        };
        if let Some(anchor) = self.anchors.get(text)
            && self.tape.once_in(4)
        {
            // A space, so that the following text is not part of the name.
            self.out.push_str(&format!("*{anchor} "));
            return;
        }
        if self.tape.once_in(24) {
            let name = format!("a{}", self.named);
            self.named += 1;
            self.out.push_str(&format!("&{name} "));
            self.anchors.insert(text.to_owned(), name);
        }
        let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.ends_with(|c: char| c.is_ascii_alphanumeric())
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '-' | ' '))
            && !["true", "null", "y", "n"].contains(&text);
        let single = text
            .chars()
            .all(|c| (c >= ' ' && c != '\u{7f}' && c != '\u{2028}') || c == '\t');
        match self.tape.pick(4) {
            0 | 1 if plain => self.out.push_str(text),
            2 if single => self
                .out
                .push_str(&format!("'{}'", text.replace('\'', "''"))),
            _ => self.double(text, flow, indent),
        }
    }

    fn double(&mut self, text: &str, flow: bool, indent: usize) {
        self.out.push('"');
        let mut previous = ' ';
        for c in text.chars() {
            // An escaped line break: the following text must not begin with a space.
            if previous.is_ascii_alphanumeric()
                && c.is_ascii_alphanumeric()
                && self.tape.once_in(16)
            {
                let pad = if flow {
                    1
                } else {
                    self.tape.pick(indent + 4).max(1)
                };
                self.out.push_str("\\\n");
                self.out.push_str(&" ".repeat(pad));
            }
            match c {
                '"' | '\\' => self.out.extend(['\\', c]),
                '\n' => self.out.push_str("\\n"),
                '\u{0}'..='\u{1f}' | '\u{7f}' | '\u{2028}' => {
                    self.out.push_str(&format!("\\u{:04x}", u32::from(c)))
                }
                c => self.out.push(c),
            }
            previous = c;
        }
        self.out.push('"');
    }

    fn flow(&mut self, value: &Value, indent: usize) {
        let (open, close, count) = match value {
            Value::Object(map) => ('{', '}', map.len()),
            Value::Array(items) => ('[', ']', items.len()),
            _ => return self.scalar(value, true, indent),
        };
        self.out.push(open);
        let lines = self.tape.once_in(3) && count > 0;
        let end = format!("\n{}", " ".repeat(indent + 2));
        for at in 0..count {
            if at > 0 {
                self.out.push(',');
            }
            if lines {
                if self.tape.once_in(6) {
                    self.out.push_str(" # in between");
                }
                self.out.push_str(&end);
            } else if at > 0 || self.tape.once_in(4) {
                self.out.push(' ');
            }
            match value {
                Value::Object(map) => {
                    let (key, value) = map.iter().nth(at).unwrap();
                    self.key(key);
                    self.out.push(':');
                    self.gap();
                    self.flow(value, indent + 2);
                }
                Value::Array(items) => self.flow(&items[at], indent + 2),
                _ => {}
            }
        }
        if count > 0 && self.tape.once_in(6) {
            self.out.push(',');
        }
        if lines {
            self.out.push_str(&format!("\n{}", " ".repeat(indent)));
        } else if self.tape.once_in(4) {
            self.out.push(' ');
        }
        self.out.push(close);
    }
}

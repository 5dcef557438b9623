//! Several files evaluated as one text, and the answer split by file.

use super::answered::Answered;
use super::files::File;
use serde_json::{Map, Value, json};

/// Between files that are read as one text.
const SEPARATOR: &str = "\n---\n";

/// Files read as one text.
pub struct Joined {
    /// The text.
    pub text: String,
    /// Byte and line at which each file begins.
    starts: Vec<(u64, u64)>,
}

impl Joined {
    /// Joins files; a single file is taken unchanged.
    pub fn of(files: &[File]) -> Self {
        if let [one] = files {
            return Joined { text: one.text.clone(), starts: vec![(0, 0)] };
        }
        let (mut text, mut starts, mut line) = (String::new(), Vec::new(), 0u64);
        let breaks = |text: &str| u64::try_from(text.bytes().filter(|&byte| byte == b'\n').count()).unwrap_or(0);
        for file in files {
            // The joined text must be YAML, which may contain JSON: start it with a separator.
            let before = if text.is_empty() { "---\n" } else { SEPARATOR };
            text.push_str(before);
            line = line.saturating_add(breaks(before));
            starts.push((u64::try_from(text.len()).unwrap_or(0), line));
            text.push_str(&file.text);
            line = line.saturating_add(breaks(&file.text));
        }
        Joined { text, starts }
    }

    /// Position in the text of the U+FFFD that replaces the first byte that is not UTF-8.
    pub fn replaced(&self, files: &[File]) -> Option<usize> {
        let at = |(file, (start, _)): (&File, &(u64, u64))| Some(file.replaced?.saturating_add(usize::try_from(*start).ok()?));
        files.iter().zip(&self.starts).find_map(at)
    }

    /// The file that a range begins in.
    pub fn file(&self, range: &Value) -> usize {
        let offset = range.pointer("/start/offset").and_then(Value::as_u64).unwrap_or(0);
        self.starts.partition_point(|(start, _)| *start <= offset).saturating_sub(1)
    }

    /// Makes a range relative to its own file, and adds the file's name unless it is `home`.
    pub fn shift(&self, files: &[File], home: usize, range: &mut Value) {
        let file = self.file(range);
        let (offset, line) = self.starts.get(file).copied().unwrap_or((0, 0));
        for end in ["start", "end"] {
            for (field, less) in [("offset", offset), ("line", line)] {
                let place = range.get_mut(end).and_then(|position| position.get_mut(field));
                if let Some((place, number)) = place.and_then(|place| place.as_u64().map(|number| (place, number))) {
                    *place = number.saturating_sub(less).into();
                }
            }
        }
        if let (true, Some(range), Some(file)) = (file != home, range.as_object_mut(), files.get(file)) {
            range.insert("file".to_owned(), file.name.as_str().into());
        }
    }

    /// Makes every range and object index inside a part of the answer relative to its own file.
    fn shift_all(&self, files: &[File], homes: &[(usize, usize)], home: usize, part: &mut Value) {
        let mut waiting = vec![part];
        while let Some(value) = waiting.pop() {
            match value {
                Value::Object(fields) => {
                    let object = fields.get("object").and_then(Value::as_u64).and_then(|object| usize::try_from(object).ok());
                    if let Some((file, at)) = object.and_then(|object| homes.get(object)).copied() {
                        fields.insert("object".to_owned(), at.into());
                        if let Some(other) = files.get(file).filter(|_| file != home) {
                            fields.insert("file".to_owned(), other.name.as_str().into());
                        }
                    }
                    for (name, value) in fields.iter_mut() {
                        match name.as_str() {
                            "range" => self.shift(files, home, value),
                            // Skip the user's own content.
                            "object" | "values" => {}
                            _ => waiting.push(value),
                        }
                    }
                }
                Value::Array(items) => waiting.extend(items),
                _ => {}
            }
        }
    }

    /// Splits an answer into one answer per file.
    pub fn apart(&self, files: &[File], told: Answered) -> Vec<Answered> {
        if files.len() == 1 {
            return vec![told];
        }
        let mut whole = match serde_json::from_str(&told.json) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        };
        let verb = whole.shift_remove("verb");
        let mut take = |name: &str| match whole.shift_remove(name) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        };
        let (objects, findings) = (take("objects"), take("findings"));
        let mut parts: Vec<(Vec<Value>, Vec<Value>)> = files.iter().map(|_| Default::default()).collect();
        // Per object its file and its index there.
        let mut counts = vec![0usize; files.len()];
        let home = |object: &Value| {
            let home = object.get("range").map_or(0, |range| self.file(range));
            let count = counts.get_mut(home).map_or(0, |count| std::mem::replace(count, count.saturating_add(1)));
            (home, count)
        };
        let homes: Vec<(usize, usize)> = objects.iter().map(home).collect();
        for (mut object, (home, _)) in objects.into_iter().zip(&homes) {
            self.shift_all(files, &homes, *home, &mut object);
            if let Some(part) = parts.get_mut(*home) {
                part.0.push(object);
            }
        }
        for mut finding in findings {
            if finding.get("in").and_then(Value::as_str) != Some("text") {
                if let Some(part) = parts.first_mut() {
                    part.1.push(finding);
                }
                continue;
            }
            let object = finding.get("object").and_then(Value::as_u64).and_then(|object| usize::try_from(object).ok());
            let at_object = object.and_then(|object| homes.get(object)).map(|object| object.0);
            let home = finding.get("range").map(|range| self.file(range)).or(at_object).unwrap_or(0);
            self.shift_all(files, &homes, home, &mut finding);
            if let Some(part) = parts.get_mut(home) {
                part.1.push(finding);
            }
        }
        let answers = parts.into_iter().map(|(objects, findings)| {
            let placed = objects.iter().any(|object| object.get("placement").is_some());
            let ok = placed && !findings.iter().any(|finding| finding.get("severity").and_then(Value::as_str) == Some("error"));
            let json = json!({ "verb": verb, "ok": ok, "findings": findings, "objects": objects }).to_string();
            let answer = serde_json::from_str(&json).unwrap_or_default();
            Answered { json, answer }
        });
        answers.collect()
    }
}

//! Several files evaluated as one text, and the answer split by file.

use crate::files::InputFile;
use claimkit::requests::{self, Answer};
use claimkit_model::finding::{Severity, TextField};
use claimkit_model::text::located::{EditorPosition, Range};
use claimkit_model::text::source::Source;
use serde_json::Value;

/// Between files that are read as one text.
const SEPARATOR: &str = "\n---\n";

/// Files read as one text.
pub struct Joined {
    pub text: String,
    /// The start of each file in the joined text.
    starts: Vec<Start>,
}

/// The start of a file in the joined text.
#[derive(Clone, Copy, Default)]
struct Start {
    bytes: u64,
    /// Counts positions in UTF-16 code units.
    units: u64,
    line: u64,
}

impl Start {
    /// Moves past a text.
    fn add(&mut self, text: &str) {
        let number = |count: usize| u64::try_from(count).unwrap_or(0);
        self.bytes = self.bytes.saturating_add(number(text.len()));
        self.units = self
            .units
            .saturating_add(number(Source::new(text).utf16_offset(text.len())));
        self.line = self
            .line
            .saturating_add(number(text.bytes().filter(|&byte| byte == b'\n').count()));
    }
}

impl Joined {
    /// Joins files; a single file is taken unchanged.
    pub fn of(files: &[InputFile]) -> Self {
        if let [one] = files {
            return Joined {
                text: one.text.clone(),
                starts: vec![Start::default()],
            };
        }
        let (mut text, mut starts, mut end) = (String::new(), Vec::new(), Start::default());
        for file in files {
            // The joined text must be YAML, which may contain JSON: start it with a separator.
            let before = if text.is_empty() { "---\n" } else { SEPARATOR };
            text.push_str(before);
            end.add(before);
            starts.push(end);
            text.push_str(&file.text);
            end.add(&file.text);
        }
        Joined { text, starts }
    }

    /// Returns the position in the text of the U+FFFD that replaces the first byte that is not UTF-8.
    pub fn replaced(&self, files: &[InputFile]) -> Option<usize> {
        let at = |(file, start): (&InputFile, &Start)| {
            Some(
                file.replaced?
                    .saturating_add(usize::try_from(start.bytes).ok()?),
            )
        };
        files.iter().zip(&self.starts).find_map(at)
    }

    /// Returns the index of the file that a range begins in.
    pub fn file(&self, range: Range) -> usize {
        let offset = u64::from(range.start.byte_offset);
        self.starts
            .partition_point(|start| start.bytes <= offset)
            .saturating_sub(1)
    }

    /// Returns a range relative to its own file.
    pub fn within_file(&self, range: Range) -> Range {
        let start = self
            .starts
            .get(self.file(range))
            .copied()
            .unwrap_or_default();
        let less = |number: u32, start: u64| {
            number.saturating_sub(u32::try_from(start).unwrap_or(u32::MAX))
        };
        let moved = |place: EditorPosition| EditorPosition {
            line: less(place.line, start.line),
            character: place.character,
            offset: less(place.offset, start.units),
            byte_offset: less(place.byte_offset, start.bytes),
        };
        Range {
            start: moved(range.start),
            end: moved(range.end),
        }
    }

    /// Splits an answer into one answer per file. Ranges inside placements stay relative to the joined text.
    pub fn apart(&self, files: &[InputFile], mut answer: Answer) -> JoinedAnswers {
        let mut homes = Vec::with_capacity(answer.objects.len());
        let mut parts: Vec<Answer> = files
            .iter()
            .map(|_| Answer {
                verb: answer.verb.clone(),
                rules_of: answer.rules_of,
                ..Answer::default()
            })
            .collect();
        for mut object in std::mem::take(&mut answer.objects) {
            let home = object.range.map_or(0, |range| self.file(range));
            object.range = object.range.map(|range| self.within_file(range));
            if let Some(part) = parts.get_mut(home) {
                homes.push((home, part.objects.len()));
                part.objects.push(object);
            }
        }
        for mut finding in std::mem::take(&mut answer.findings) {
            let mut home = 0;
            if finding.within == TextField::Text {
                let of_object = finding.object.and_then(|object| homes.get(object)).copied();
                home = finding
                    .range
                    .map(|range| self.file(range))
                    .or(of_object.map(|(file, _)| file))
                    .unwrap_or(0);
                finding.range = finding.range.map(|range| self.within_file(range));
                for edit in finding.fixes.iter_mut().flat_map(|fix| &mut fix.edits) {
                    edit.range = self.within_file(edit.range);
                }
                if let Some((file, object)) = of_object {
                    finding.object = Some(object);
                    finding.file = files
                        .get(file)
                        .filter(|_| file != home)
                        .map(|file| file.name.clone());
                }
            }
            if let Some(part) = parts.get_mut(home) {
                part.findings.push(finding);
            }
        }
        for part in &mut parts {
            let placed = part.objects.iter().any(|object| object.placement.is_some());
            part.ok = placed
                && part
                    .findings
                    .iter()
                    .all(|finding| finding.severity != Severity::Error);
        }
        if let [part] = parts.as_mut_slice() {
            part.ok = answer.ok;
        }
        JoinedAnswers {
            answers: parts,
            homes,
        }
    }

    /// Returns an answer about all files in which each finding and object names its file, with ranges relative to it.
    pub fn in_files(&self, files: &[InputFile], mut answer: Answer) -> Answer {
        if files.len() < 2 {
            return answer;
        }
        let name = |range: Range| files.get(self.file(range)).map(|file| file.name.clone());
        for object in &mut answer.objects {
            object.file = object.range.and_then(name);
            object.range = object.range.map(|range| self.within_file(range));
        }
        for finding in answer
            .findings
            .iter_mut()
            .filter(|finding| finding.within == TextField::Text)
        {
            finding.file = finding.range.and_then(name);
            finding.range = finding.range.map(|range| self.within_file(range));
            for edit in finding.fixes.iter_mut().flat_map(|fix| &mut fix.edits) {
                edit.range = self.within_file(edit.range);
            }
        }
        answer
    }

    /// Returns the answer about a file as one line of JSON, with all ranges relative to their own files.
    pub fn print(&self, files: &[InputFile], parts: &JoinedAnswers, file: usize) -> String {
        let Some(answer) = parts.answers.get(file) else {
            return String::new();
        };
        if files.len() == 1 {
            return requests::print(answer);
        }
        let mut whole = serde_json::to_value(answer).unwrap_or_default();
        for object in whole
            .get_mut("objects")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            if let Some(placement) = object.get_mut("placement") {
                self.move_all(files, &parts.homes, file, placement);
            }
        }
        whole.to_string()
    }

    /// Makes every range and object index inside a printed placement relative to its own file, and names the files that are not
    /// `home`.
    fn move_all(
        &self,
        files: &[InputFile],
        homes: &[(usize, usize)],
        home: usize,
        placement: &mut Value,
    ) {
        let mut waiting = vec![placement];
        while let Some(value) = waiting.pop() {
            match value {
                Value::Object(fields) => {
                    let object = fields
                        .get("object")
                        .and_then(Value::as_u64)
                        .and_then(|object| usize::try_from(object).ok());
                    if let Some((file, at)) = object.and_then(|object| homes.get(object)).copied() {
                        fields.insert("object".to_owned(), at.into());
                        if let Some(other) = files.get(file).filter(|_| file != home) {
                            fields.insert("file".to_owned(), other.name.as_str().into());
                        }
                    }
                    for (name, value) in fields.iter_mut() {
                        match name.as_str() {
                            "range" => self.move_printed(files, home, value),
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

    fn move_printed(&self, files: &[InputFile], home: usize, range: &mut Value) {
        let byte = range
            .pointer("/start/byteOffset")
            .and_then(Value::as_u64)
            .unwrap_or(0);
        let file = self
            .starts
            .partition_point(|begin| begin.bytes <= byte)
            .saturating_sub(1);
        let start = self.starts.get(file).copied().unwrap_or_default();
        for end in ["start", "end"] {
            for (field, less) in [
                ("offset", start.units),
                ("byteOffset", start.bytes),
                ("line", start.line),
            ] {
                let place = range
                    .get_mut(end)
                    .and_then(|position| position.get_mut(field));
                if let Some((place, number)) =
                    place.and_then(|place| place.as_u64().map(|number| (place, number)))
                {
                    *place = number.saturating_sub(less).into();
                }
            }
        }
        if let (true, Some(range), Some(file)) =
            (file != home, range.as_object_mut(), files.get(file))
        {
            range.insert("file".to_owned(), file.name.as_str().into());
        }
    }
}

/// The answers about files that were read as one text.
pub struct JoinedAnswers {
    /// One entry per file.
    pub answers: Vec<Answer>,
    /// For each object of the joined text its file, and its index there.
    homes: Vec<(usize, usize)>,
}

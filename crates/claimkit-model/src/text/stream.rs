//! Splits a file as kubectl does (apimachinery, pkg/util/yaml/decoder.go,
//! `YAMLOrJSONDecoder`): JSON values one after another, or YAML documents between `---` lines.

use super::diagnose;
use super::json::{self, JsonError};
use super::source::{Source, SourceText, Span};
use super::tree::{Kind, NodeId, Tree};
use super::yaml;
use super::{BYTE_ORDER_MARK, Mode, mode};
use crate::finding::{Code, Finding};
use crate::limits::Limits;
use crate::message::{Message, Words, message};

/// One document of a file.
#[derive(Debug)]
pub struct Document<'s> {
    /// Its tree; spans count from the start of the file.
    pub tree: Tree<'s>,
    /// Its root node; `None` if the document is empty.
    pub root: Option<NodeId>,
    /// The format in which it was read.
    pub mode: Mode,
    /// Its text in the file, separators not included.
    pub span: Span,
}

/// A file, or several: its documents in order, and its syntax errors.
#[derive(Debug)]
pub struct File<'s> {
    pub source: Source<'s>,
    /// All non-empty documents, of each file up to the first error where kubectl stops.
    pub documents: Vec<Document<'s>>,
    /// Syntax findings in the order of the text.
    pub findings: Vec<Finding>,
    /// In JSON mode: why reading stopped, for callers whose message differs from kubectl's.
    pub json_error: Option<JsonError>,
}

/// Reads a whole file, or several. Never fails: errors are findings.
pub fn read<'s>(text: impl Into<SourceText<'s>>, limits: &Limits) -> File<'s> {
    read_after(text, AfterJson::Stop, limits)
}

/// Reads as [`read`] does, with what follows a JSON value as given.
pub fn read_after<'s>(
    text: impl Into<SourceText<'s>>,
    after_json: AfterJson,
    limits: &Limits,
) -> File<'s> {
    let (mut file, mut stream) = open(text, after_json, limits);
    while let Some(document) = stream.next(&mut file) {
        file.documents.push(document);
    }
    file
}

/// The reading of what follows a JSON value, if it is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterJson {
    /// It is an error.
    Stop,
    /// It is read as YAML, as kubectl does from 1.33 on.
    ReadOn,
}

/// The unread rest of a file, and of the files after it.
pub struct Stream<'s> {
    /// The index of the file that is being read.
    part: usize,
    /// The bytes of that file, without a byte order mark.
    span: Span,
    /// The format in which kubectl reads the file; `None` if there are no more documents.
    mode: Option<Mode>,
    after_json: AfterJson,
    /// JSON values read so far.
    values: usize,
    limits: Limits,
    /// The byte offset where the search for the next JSON value begins.
    at: usize,
    /// The next piece of YAML.
    pieces: Pieces,
    reader: yaml::Reader<'s>,
    /// Nodes read so far.
    nodes: usize,
}

/// Opens files without their documents. [`Stream::next`] reads them one by one, so a caller may keep one at a time in memory.
pub fn open<'s>(
    text: impl Into<SourceText<'s>>,
    after_json: AfterJson,
    limits: &Limits,
) -> (File<'s>, Stream<'s>) {
    let mut file = File {
        source: Source::new(text),
        documents: Vec::new(),
        findings: Vec::new(),
        json_error: None,
    };
    let text = file.source.text();
    let mut stream = Stream {
        part: 0,
        span: Span::at(0),
        mode: None,
        after_json,
        values: 0,
        limits: *limits,
        at: 0,
        pieces: Pieces::default(),
        reader: yaml::Reader::part(text, 0, 0, false),
        nodes: 0,
    };
    stream.enter(&file.source, 0);
    if let Some(finding) = too_large(text, limits) {
        file.findings.push(finding);
        stream.give_up();
    }
    if stream.mode == Some(Mode::Yaml) && text.len() >= u32::MAX as usize {
        stream.give_up();
    }
    (file, stream)
}

/// Returns the bytes of the file with an index; `None` behind the last one.
fn span_of(source: &Source<'_>, part: usize) -> Option<Span> {
    match source.parts() {
        [] => (part == 0).then(|| Span::new(0, source.text().len())),
        parts => parts.get(part).map(|part| part.span()),
    }
}

impl<'s> Stream<'s> {
    /// Goes to the beginning of the file with an index; returns false behind the last one.
    fn enter(&mut self, source: &Source<'s>, part: usize) -> bool {
        self.part = part;
        let Some(whole) = span_of(source, part) else {
            return false;
        };
        let text = source.slice(whole);
        let mark = if text.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len_utf8()
        } else {
            0
        };
        self.span = Span::new(whole.from().saturating_add(mark), whole.to());
        self.mode = Some(mode(text));
        self.values = 0;
        self.at = self.span.from();
        self.pieces = Pieces::of(source, self.span);
        true
    }

    /// Leaves all that is not read yet.
    fn give_up(&mut self) {
        self.mode = None;
        self.part = usize::MAX;
    }

    /// Reads the next non-empty document. Errors before it are added to the file's findings. A file ends where kubectl stops;
    /// `None` at the end of the last one.
    pub fn next(&mut self, file: &mut File<'s>) -> Option<Document<'s>> {
        loop {
            let document = match self.mode {
                Some(Mode::Json) => match read_json(self, file) {
                    Err(error) => self.stop_or_read_on(file, error),
                    Ok(document) => document,
                },
                Some(Mode::Yaml) => self.read_yaml(file),
                None => None,
            };
            if document.is_some() {
                return document;
            }
            self.mode = None;
            if self.part == usize::MAX || !self.enter(&file.source, self.part.saturating_add(1)) {
                self.give_up();
                return None;
            }
        }
    }

    /// Returns true if only white space follows.
    pub fn is_spent(&self, file: &File<'s>) -> bool {
        let is_last = span_of(&file.source, self.part.saturating_add(1)).is_none();
        if !is_last && self.part != usize::MAX {
            return false;
        }
        let at = match self.mode {
            None => return true,
            Some(Mode::Json) => Some(self.at),
            Some(Mode::Yaml) => file
                .source
                .lines()
                .get(self.pieces.line)
                .map(|&start| (start as usize).max(self.pieces.from)),
        };
        let bytes = file.source.text().as_bytes();
        let rest = at.and_then(|at| bytes.get(at..self.span.to()));
        rest.unwrap_or_default().iter().all(u8::is_ascii_whitespace)
    }

    /// Tries YAML where JSON could not be read (apimachinery 0.33 and later, pkg/util/yaml/decoder.go, `YAMLOrJSONDecoder.Decode`): if
    /// the first piece is not YAML either, the error about JSON is kept.
    fn stop_or_read_on(&mut self, file: &mut File<'s>, error: JsonError) -> Option<Document<'s>> {
        let text = text_up_to(&file.source, self.span.to());
        let from = behind_blanks(text, self.at)
            .filter(|_| self.after_json == AfterJson::ReadOn && self.values <= 1);
        if let Some(from) = from {
            let pieces = Pieces::of(&file.source, Span::new(from, self.span.to()));
            let readable = match pieces.clone().next(&file.source) {
                Some(Piece::Text(start, end)) => {
                    reads(file.source.text(), start, end, &self.limits)
                }
                Some(Piece::BadSeparator(..)) => false,
                None => true,
            };
            if readable {
                (self.pieces, self.mode) = (pieces, Some(Mode::Yaml));
                return self.read_yaml(file);
            }
        }
        let mut finding = diagnose::explain_json(&file.source, self.span, &error);
        if self.after_json == AfterJson::ReadOn && self.values > 1 {
            // It is certain then that the stream is JSON, and its error stays as it is.
            let bare = finding.message.strip_prefix("json: offset ");
            if let Some((_, bare)) = bare.and_then(|rest| rest.split_once(": ")) {
                finding.message = Words::upstream(bare.to_owned());
            }
        }
        file.findings.push(finding);
        file.json_error = Some(error);
        None
    }

    fn read_yaml(&mut self, file: &mut File<'s>) -> Option<Document<'s>> {
        self.reader.expect_plain(file.source.is_plain());
        loop {
            match self.pieces.next(&file.source)? {
                Piece::BadSeparator(line, said) => return bad_separator(file, line, said),
                Piece::Text(start, end) => {
                    let chunk = Span::new(start, end);
                    if matches!(file.source.slice(chunk).trim_ascii(), "" | "---") {
                        continue;
                    }
                    let mut bounds = yaml::Bounds::new(self.limits.depth, self.limits.nodes);
                    bounds.nodes = bounds.nodes.saturating_sub(self.nodes);
                    let composed = yaml::read_part(
                        &mut self.reader,
                        file.source.text(),
                        start,
                        end,
                        true,
                        bounds,
                    );
                    if let Some(error) = composed.error {
                        return refused(file, chunk, &error);
                    }
                    warn(file, &composed, chunk);
                    let Some(root) = composed.root else { continue };
                    self.nodes = self.nodes.saturating_add(composed.tree.len());
                    if composed.tree.kind(root) != Kind::Null {
                        return Some(Document {
                            tree: composed.tree,
                            root: Some(root),
                            mode: Mode::Yaml,
                            span: chunk,
                        });
                    }
                }
            }
        }
    }
}

/// Adds the finding about a bad separator and ends reading.
fn bad_separator<'s>(file: &mut File<'s>, line: Span, said: Span) -> Option<Document<'s>> {
    file.findings
        .push(diagnose::separator(&file.source, line, said));
    None
}

/// Adds the finding about YAML that kubectl cannot read and ends reading.
fn refused<'s>(file: &mut File<'s>, chunk: Span, error: &yaml::YamlError) -> Option<Document<'s>> {
    file.findings
        .push(diagnose::explain(&file.source, chunk, error));
    None
}

/// Reports a text beyond the limit `bytes`.
pub fn too_large(text: &str, limits: &Limits) -> Option<Finding> {
    (text.len() > limits.bytes).then(|| {
        Finding::new(
            Code::LimitBytes,
            message!(
                "stream.too-large",
                "the text has {bytes} bytes, the limit is {limit}",
                bytes = text.len(),
                limit = limits.bytes
            ),
        )
        .with_help(message!(
            "stream.too-large-help",
            "split the file, or raise the limit `bytes`"
        ))
        .with_command_help(split())
    })
}

/// Returns the offset behind the white space at an offset, at most behind its first line feed. kubectl looks at four bytes at a time and
/// takes a replacement character for text that is not UTF-8: `None` where there are fewer bytes or such a character comes.
fn behind_blanks(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = text.get(at..)?;
        let next = rest
            .chars()
            .next()
            .filter(|&next| rest.len() >= 4 && next != char::REPLACEMENT_CHARACTER)?;
        if !next.is_whitespace() {
            return Some(at);
        }
        at = at.saturating_add(next.len_utf8());
        if next == '\n' {
            return Some(at);
        }
    }
}

/// Returns true if a piece can be read as YAML.
fn reads(text: &str, start: usize, end: usize, limits: &Limits) -> bool {
    let mut reader = yaml::Reader::part(text, 0, 0, false);
    let bounds = yaml::Bounds::new(limits.depth, limits.nodes);
    yaml::read_part(&mut reader, text, start, end, true, bounds)
        .error
        .is_none()
}

/// Returns what files there are up to a byte: the files behind it are not read.
fn text_up_to<'s>(source: &Source<'s>, end: usize) -> &'s str {
    let text = source.text();
    text.get(..end).unwrap_or(text)
}

/// Returns the next JSON value; `None` at the end, or beyond a limit.
fn read_json<'s>(
    stream: &mut Stream<'s>,
    file: &mut File<'s>,
) -> Result<Option<Document<'s>>, JsonError> {
    let limits = stream.limits;
    let text = text_up_to(&file.source, stream.span.to());
    loop {
        let rest = text.get(stream.at..).unwrap_or("");
        let value = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        if value.is_empty() {
            return Ok(None);
        }
        let at = text.len().saturating_sub(value.len());
        let mut tree = Tree::new(text);
        match json::value(&mut tree, at, limits.depth.min(json::MAX_DEPTH)) {
            Ok((root, end)) => {
                stream.at = end;
                stream.values = stream.values.saturating_add(1);
                stream.nodes = stream.nodes.saturating_add(tree.len());
                if stream.nodes > limits.nodes {
                    file.findings
                        .push(too_many_nodes(&limits, Span::new(at, end)));
                    return Ok(None);
                }
                diagnose::keys(&file.source, &tree, Mode::Json, &mut file.findings);
                if tree.kind(root) != Kind::Null {
                    return Ok(Some(Document {
                        tree,
                        root: Some(root),
                        mode: Mode::Json,
                        span: Span::new(at, end),
                    }));
                }
            }
            Err(error)
                if limits.depth < json::MAX_DEPTH
                    && error.message.ends_with("exceeded max depth") =>
            {
                let finding =
                    Finding::new(Code::LimitNodes, diagnose::too_many_levels(limits.depth))
                        .with_help(diagnose::split_or_raise())
                        .with_span(Span::new(error.offset, error.offset.saturating_add(1)));
                file.findings.push(finding);
                return Ok(None);
            }
            Err(error) => return Err(error),
        }
    }
}

fn too_many_nodes(limits: &Limits, span: Span) -> Finding {
    Finding::new(
        Code::LimitNodes,
        message!(
            "stream.too-many-nodes",
            "the text has more nodes than the limit {limit}",
            limit = limits.nodes
        ),
    )
    .with_help(message!(
        "stream.too-many-nodes-help",
        "split the file, or raise the limit `nodes`"
    ))
    .with_command_help(split())
    .with_span(span)
}

fn split() -> Message {
    message!("stream.split-command-help", "split the file")
}

/// A piece of the file between separators, as kubectl hands it to the YAML reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    /// Text from byte to byte. A separator with nothing before it is part of the piece.
    Text(usize, usize),
    /// A line with other text after `---`: the spans of the line and of that text.
    BadSeparator(Span, Span),
}

/// The next line to look at, as an index into the lines of the file.
#[derive(Clone, Default)]
struct Pieces {
    line: usize,
    /// The byte where reading begins.
    from: usize,
    /// The byte where it ends.
    end: usize,
}

impl Pieces {
    /// Makes the pieces of a part, whose beginning counts as the beginning of a line.
    fn of(source: &Source<'_>, part: Span) -> Self {
        let line = source
            .lines()
            .partition_point(|&start| start as usize <= part.from())
            .saturating_sub(1);
        Pieces {
            line,
            from: part.from(),
            end: part.to(),
        }
    }

    fn next(&mut self, source: &Source<'_>) -> Option<Piece> {
        let lines = source.lines();
        let text = text_up_to(source, self.end);
        let bytes = text.as_bytes();
        let start = self.line_start(lines)?;
        if start >= bytes.len() {
            return None;
        }
        loop {
            let Some(line) = self.line_start(lines).filter(|&line| line < bytes.len()) else {
                self.line = lines.len();
                return Some(Piece::Text(start, bytes.len()));
            };
            self.line = self.line.saturating_add(1);
            if !self.separates_at(bytes, line) {
                continue;
            }
            let end = line_end(bytes, line);
            let tail = text.get(line.saturating_add(3)..end).unwrap_or("");
            let said = tail.trim();
            if !said.is_empty() && !said.starts_with('#') {
                self.line = lines.len();
                let from = end.saturating_sub(tail.trim_start().len());
                let span = Span::new(from, from.saturating_add(said.len()));
                return Some(Piece::BadSeparator(Span::new(line, end), span));
            }
            if line > start {
                while lines
                    .get(self.line)
                    .is_some_and(|&next| (next as usize) < end)
                {
                    self.line = self.line.saturating_add(1);
                }
                return Some(Piece::Text(start, line));
            }
        }
    }
}

impl Pieces {
    /// Returns where the next line begins.
    fn line_start(&self, lines: &[u32]) -> Option<usize> {
        let start = lines.get(self.line)?;
        Some((*start as usize).max(self.from))
    }

    /// Returns true if `---` is at a byte that begins a line. For kubectl, only a line feed ends a line.
    fn separates_at(&self, bytes: &[u8], line: usize) -> bool {
        let begins_line = match line.checked_sub(1) {
            Some(before) => line == self.from || bytes.get(before) == Some(&b'\n'),
            None => true,
        };
        begins_line && matches!(bytes.get(line..), Some([b'-', b'-', b'-', ..]))
    }
}

/// Returns the byte after the line that holds byte `from`.
fn line_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at.saturating_add(1));
    from.saturating_add(length)
}

/// Makes kubectl's error for a text with one YAML document, with its exact position.
pub fn yaml_finding(text: &str, error: &yaml::YamlError) -> Finding {
    diagnose::explain(&Source::new(text), Span::new(0, text.len()), error)
}

/// Adds remarks about things that kubectl accepts silently. Few texts have any.
fn warn(file: &mut File<'_>, composed: &yaml::Composed<'_>, chunk: Span) {
    let read_to_its_end = composed
        .end
        .is_none_or(|(end, _)| end as usize >= chunk.to());
    let clear = read_to_its_end && composed.keeps_keys() && !composed.tree.has_shadowed();
    let text = file.source.slice(chunk);
    let has_lookalikes = !file.source.is_plain() && diagnose::has_lookalikes(text);
    if !clear || has_lookalikes || diagnose::may_have_octals(text) {
        diagnose::remarks(&file.source, composed, chunk, &mut file.findings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_as_kubectl_does() {
        let pieces = |text: &'static str| {
            let source = Source::new(text);
            let mut pieces = Pieces::of(&source, Span::new(0, source.text().len()));
            std::iter::from_fn(|| pieces.next(&source)).collect::<Vec<_>>()
        };
        assert_eq!(pieces(""), []);
        assert_eq!(pieces("a\n---\nb"), [Piece::Text(0, 2), Piece::Text(6, 7)]);
        // A separator with nothing before it stays in the piece and counts for line numbers.
        assert_eq!(
            pieces("---\na\n--- # c\nb\n"),
            [Piece::Text(0, 6), Piece::Text(14, 16)]
        );
        assert_eq!(pieces("---\n---\n"), [Piece::Text(0, 4)]);
        assert_eq!(
            pieces("a\n--- b\r\nc\n"),
            [Piece::BadSeparator(Span::new(2, 9), Span::new(6, 7))]
        );
        assert_eq!(pieces(" ---\n"), [Piece::Text(0, 5)]);
        // A single CR does not end a line, neither before a separator nor in it.
        assert_eq!(pieces("a\r---\nb"), [Piece::Text(0, 7)]);
        assert_eq!(
            pieces("a\r\n---\r\nb\n---"),
            [Piece::Text(0, 3), Piece::Text(8, 10)]
        );
        assert_eq!(
            pieces("a\n--- #\rb\nc"),
            [Piece::Text(0, 2), Piece::Text(10, 11)]
        );
    }
}

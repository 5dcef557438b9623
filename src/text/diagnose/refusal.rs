//! Plainer messages for texts that kubectl refuses: the problem, where it began, and a fix if it makes the text readable.

use super::correction;
use super::lookalike::{self, Lookalike};
use super::trial::{MOST_BYTES, documents, edited, tries};
use crate::finding::{Code, Edit, Finding, Origin};
use crate::text::source::{Source, Span};
use crate::text::yaml::{self, Construct, Mark, Problem, Stage, YamlError};

/// The position that a message is about.
struct ErrorSite<'a, 's> {
    source: &'a Source<'s>,
    chunk: Span,
    error: &'a YamlError,
    at: usize,
}

/// Makes a finding of kubectl's refusal of a chunk, with help and fixes.
pub(in crate::text) fn explain(source: &Source<'_>, chunk: Span, error: &YamlError) -> Finding {
    let (code, origin) = match error.stage {
        Stage::Limit => (Code::LimitNodes, Origin::Claimkit),
        _ => (Code::YamlSyntax, Origin::Kubectl),
    };
    let at = (error.problem_mark.offset as usize).min(chunk.to());
    let place = ErrorSite { source, chunk, error, at };
    let finding = Finding::error(code, origin, error.to_string());
    if let Some((lookalike, edits)) = place.lookalike() {
        return finding.with_help(lookalike.help()).with_span(lookalike.edit.span).with_fix(lookalike.title(), edits);
    }
    let (span, help, fix) = place.words();
    let finding = finding.with_help(help).with_span(span);
    match fix {
        Some((title, edit)) if place.reads_with(std::slice::from_ref(&edit)) => finding.with_fix(title, vec![edit]),
        _ => finding,
    }
}

/// Makes kubectl's error for a line with `said` after `---`.
pub(in crate::text) fn separator(source: &Source<'_>, line: Span, said: Span) -> Finding {
    let text = source.slice(said);
    let head = Span::new(line.from(), said.from());
    let finding = Finding::new(Code::YamlSeparator, Origin::Kubectl, format!("invalid Yaml document separator: {text}"))
        .with_span(Span { start: line.start, end: said.end });
    if text.chars().all(|c| c == '-' || matches!(lookalike::stands_for(c), Some(('-', _)))) {
        let edit = Edit { span: Span { start: line.start, end: said.end }, new_text: "---".to_owned() };
        return finding.with_help("a separator is three hyphens: write `---`").with_fix("write `---`", vec![edit]);
    }
    let edit = Edit { span: head, new_text: "---\n".to_owned() };
    finding
        .with_help(format!("kubectl wants `---` alone on its line: put `{}` on the next one", short(text)))
        .with_fix("put the text on a line of its own", vec![edit])
}

fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() <= 40 { line.to_owned() } else { line.chars().take(37).chain("...".chars()).collect() }
}

/// The subject of a help.
enum Extent {
    /// The character at the problem.
    Character,
    /// The rest of the line.
    Line,
}

/// Returns the help that depends only on the problem, and what it is about. `{}` becomes the position where the construct began.
fn help_for(problem: &Problem) -> Option<(Extent, &'static str)> {
    Some(match problem {
        Problem::ExpectedKey => {
            (Extent::Line, "this does not belong to the map that begins at {}: give all its keys the same indentation as there")
        }
        Problem::ExpectedDash => {
            (Extent::Line, "the list that begins at {} goes on only with `- ` in the same column: check this line's indentation")
        }
        Problem::EntryNotAllowed => {
            (Extent::Line, "a list cannot begin on the line of its key: put `- ` on the next line, or write `[a, b]`")
        }
        Problem::UnexpectedDocumentIndicator => (Extent::Line, "the quote that opens at {} is still open here: close it before"),
        Problem::ExpectedHexadecimal => (Extent::Character, "`\\x`, `\\u` and `\\U` want 2, 4 and 8 hexadecimal digits"),
        Problem::InvalidEscapeCode => {
            (Extent::Character, "write the character itself, or `\\U` with eight digits: YAML has no pairs of `\\u` escapes")
        }
        Problem::ExpectedCommentOrLineBreak => {
            (Extent::Line, "behind `|` or `>` the line must end: begin the text on the next one, indented")
        }
        Problem::ZeroIndentation => {
            (Extent::Character, "the digit behind `|` or `>` is 1 to 9; leave it out to take the first line's indentation")
        }
        Problem::ExpectedDocumentStart => (Extent::Line, "after a directive the document begins with a line `---`"),
        _ => return None,
    })
}

type Words = (Span, String, Option<(String, Edit)>);

/// libyaml's possible messages about a colon without a space after it.
const COLONS: [Problem; 2] = [Problem::ExpectedColon, Problem::ValueNotAllowed];

impl ErrorSite<'_, '_> {
    fn here(&self) -> &str {
        self.source.slice(Span::new(self.at, self.chunk.to()))
    }

    fn char_here(&self) -> Option<char> {
        self.here().chars().next()
    }

    /// Returns the span of the character at the place of the problem.
    fn span(&self) -> Span {
        Span::new(self.at, self.at.saturating_add(self.char_here().map_or(0, char::len_utf8)))
    }

    /// Returns the byte range of the line that has `offset`, without its line break.
    fn line_of(&self, offset: usize) -> Span {
        self.source.line_span(self.source.line_of(offset))
    }

    /// Returns the span from the position to the end of its line, without trailing blanks and comment.
    fn rest_of_line(&self) -> Span {
        let line = self.line_of(self.at);
        let text = self.source.slice(Span::new(self.at, line.to()));
        let text = text.find(" #").and_then(|end| text.get(..end)).unwrap_or(text).trim_end();
        Span::new(self.at, self.at.saturating_add(text.len()))
    }

    /// Writes `line 3, column 5` as an editor counts.
    fn named(&self, mark: Mark) -> String {
        let position = self.source.position(mark.offset as usize);
        format!("line {}, column {}", position.line.saturating_add(1), position.character.saturating_add(1))
    }

    fn began(&self) -> String {
        self.named(self.error.context_mark)
    }

    /// Returns true if kubectl reads the chunk after these edits, or stops at the same mistake further down.
    fn reads_with(&self, edits: &[Edit]) -> bool {
        if self.chunk.len() > MOST_BYTES {
            return false;
        }
        let text = edited(self.source.text(), self.chunk, edits);
        // A new separator splits the text.
        let mut start = 0usize;
        for part in documents(&text) {
            if let Some(next) = yaml::read(part, yaml::Bounds::default()).error {
                let at = start.saturating_add(next.problem_mark.offset as usize);
                let line = |text: &str, to: usize| text.bytes().take(to).filter(|&byte| byte == b'\n').count();
                let here = line(self.source.slice(self.chunk), self.at.saturating_sub(self.chunk.from()));
                let tabs = self.char_here() == Some('\t') && text.get(at..).is_some_and(|rest| rest.starts_with('\t'));
                let colons = [&next.problem, &self.error.problem].iter().all(|problem| COLONS.contains(problem));
                return (tabs || colons || next.problem == self.error.problem) && line(&text, at) > here;
            }
            start = start.saturating_add(part.len()).saturating_add("\n---".len());
        }
        true
    }

    /// Finds a look-alike at or shortly before the problem whose replacement helps, or several that only help together. Lines are
    /// searched backwards because the reader notices a mistake only later.
    fn lookalike(&self) -> Option<(Lookalike, Vec<Edit>)> {
        let text = self.source.slice(self.chunk);
        if text.is_ascii() || self.chunk.len() > MOST_BYTES {
            return None;
        }
        let last = self.source.line_of(self.at.max(self.error.context_mark.offset as usize));
        let first = self.source.line_of(self.chunk.from());
        let mut candidate = None;
        let mut run: Vec<Edit> = Vec::new();
        let mut tries = tries(self.chunk);
        for line in (first..=last).rev().take(50) {
            let span = self.source.line_span(line);
            let Some(found) = lookalike::in_line(self.source.slice(span), span.from()) else { continue };
            let edit = vec![found.edit.clone()];
            if tries > 0 && self.reads_with(&edit) {
                return Some((found, edit));
            }
            run.insert(0, found.edit.clone());
            if tries > 0 && run.len() > 1 && self.reads_with(&run) {
                return Some((found, run));
            }
            tries = tries.saturating_sub(1);
            candidate = candidate.or(Some((found, edit)));
        }
        // A separator with the wrong dashes is the cause even if there are more problems.
        candidate.filter(|(found, _)| found.edit.new_text == "---")
    }

    /// Puts the rest of the line in quotes.
    fn quoted(&self, span: Span) -> Option<(String, Edit)> {
        let text = self.source.slice(span);
        if text.is_empty() {
            return None;
        }
        let new_text = if text.contains(['"', '\\']) { format!("'{}'", text.replace('\'', "''")) } else { format!("\"{text}\"") };
        Some((format!("quote `{}`", short(text)), Edit { span, new_text }))
    }

    fn words(&self) -> Words {
        let span = self.span();
        let error = self.error;
        let plain = |help: &str| (span, help.to_owned(), None);
        match error.stage {
            Stage::Limit => return plain("split the file, or raise the limit"),
            Stage::Characters => return self.character(),
            Stage::Decode | Stage::Json => return self.meaning(),
            _ => {}
        }
        if let Some((extent, help)) = help_for(&error.problem) {
            let help = match help.split_once("{}") {
                Some((before, behind)) => format!("{before}{}{behind}", self.began()),
                None => help.to_owned(),
            };
            let span = match extent {
                Extent::Character => span,
                Extent::Line => self.rest_of_line(),
            };
            return (span, help, None);
        }
        match error.problem {
            Problem::CannotStartToken => self.no_token(),
            Problem::ValueNotAllowed => self.second_colon(),
            Problem::ExpectedColon => {
                let key = self.line_of(error.context_mark.offset as usize);
                let key = Span::new(error.context_mark.offset as usize, key.to());
                if let Some(words) = self.one_word(key) {
                    return words;
                }
                let text = short(self.source.slice(key).trim_end());
                (
                    key,
                    format!(
                        "`{text}` is no `key: value`: add the colon and a blank, or indent the line if it goes on from the one before"
                    ),
                    None,
                )
            }
            Problem::ExpectedSequenceEnd => self.unclosed('[', ']'),
            Problem::ExpectedMappingEnd => self.unclosed('{', '}'),
            Problem::ExpectedContent => self.no_content(),
            Problem::KeyNotAllowed => {
                (span, "`? ` begins a key and cannot stand here: quote the value".to_owned(), self.quoted(self.rest_of_line()))
            }
            Problem::UnexpectedEnd => {
                let open = error.context_mark.offset as usize;
                let help = format!("the quote that opens at {} is never closed", self.began());
                (Span::new(open, open.saturating_add(1)), help, None)
            }
            Problem::UnknownEscape => {
                let edit = Edit { span: Span::at(self.at), new_text: "\\".to_owned() };
                (
                    span,
                    "in double quotes `\\` begins an escape: write `\\\\` for a backslash, or use single quotes".to_owned(),
                    Some(("double the backslash".to_owned(), edit)),
                )
            }
            Problem::TabInScalar | Problem::TabForIndentationSpace => self.tab(),
            Problem::ExpectedName => self.indicator(),
            Problem::IncompatibleDocument => {
                let line = self.line_of(self.at);
                (line, "kubectl reads YAML 1.1 only: remove the line".to_owned(), self.without_line(line))
            }
            Problem::UnknownDirective => {
                let line = self.line_of(error.context_mark.offset as usize);
                (line, "a line that begins with `%` is a directive: only `%YAML 1.1` and `%TAG` exist".to_owned(), None)
            }
            Problem::UndefinedTagHandle => (
                self.rest_of_line(),
                "a word that begins with `!` is a tag: quote the value if it is text".to_owned(),
                self.quoted(self.rest_of_line()),
            ),
            Problem::TooDeep => plain("lists and maps are nested more than 10000 levels deep: kubectl stops here"),
            _ => match error.context {
                None => plain("YAML does not allow this here"),
                Some(construct) => {
                    (span, format!("YAML does not allow this {}, begun at {}", construct.text(), self.began()), None)
                }
            },
        }
    }

    fn without_line(&self, line: Span) -> Option<(String, Edit)> {
        let end = line.to().saturating_add(1).min(self.chunk.to());
        Some(("remove the line".to_owned(), Edit { span: Span::new(line.from(), end), new_text: String::new() }))
    }

    fn no_token(&self) -> Words {
        match self.char_here() {
            Some('\t') => self.tab(),
            Some(c @ ('@' | '`' | '%' | '|' | '>')) => {
                let span = self.rest_of_line();
                let span = self.value_in_flow(span);
                (span, format!("a value cannot begin with `{c}`: put it in quotes"), self.quoted(span))
            }
            Some(c) => (self.span(), format!("nothing can begin with `{c}` here: put the value in quotes"), None),
            None => (self.span(), "a value is missing here".to_owned(), None),
        }
    }

    /// Ends a value inside brackets at `,`, `]` or `}`.
    fn value_in_flow(&self, span: Span) -> Span {
        let line = self.line_of(self.at);
        let before = self.source.slice(Span::new(line.from(), self.at));
        let open = before.matches(['[', '{']).count() > before.matches([']', '}']).count();
        let text = self.source.slice(span);
        match text.find([',', ']', '}']) {
            Some(end) if open => {
                let value = text.get(..end).unwrap_or("").trim_end();
                Span::new(span.from(), span.from().saturating_add(value.len()))
            }
            _ => span,
        }
    }

    fn tab(&self) -> Words {
        let line = self.line_of(self.at);
        let text = self.source.slice(Span::new(self.at, line.to()));
        let tabs = text.len().saturating_sub(text.trim_start_matches('\t').len()).max(1);
        let span = Span::new(self.at, self.at.saturating_add(tabs).min(line.to().max(self.at)));
        let behind_dash = self.source.slice(Span::new(line.from(), self.at)).trim_start().starts_with(['-', '?']);
        let new_text = " ".repeat(if behind_dash { 1 } else { tabs.saturating_mul(2) });
        let help = "YAML is indented with spaces, never with tabs".to_owned();
        (span, help, Some(("write spaces in place of the tab".to_owned(), Edit { span, new_text })))
    }

    /// Explains a second `: ` on a line, or a line that is indented too far.
    fn second_colon(&self) -> Words {
        let line = self.line_of(self.at);
        let before = self.source.slice(Span::new(line.from(), self.at));
        let indent = before.len().saturating_sub(before.trim_start().len());
        if let Some(colon) = before.find(": ") {
            let value = self.source.slice(Span::new(line.from(), line.to())).get(colon.saturating_add(1)..).unwrap_or("");
            let start = line.from().saturating_add(colon).saturating_add(1);
            let start = start.saturating_add(value.len().saturating_sub(value.trim_start().len()));
            let value = value.find(" #").and_then(|end| value.get(..end)).unwrap_or(value).trim();
            let span = Span::new(start, start.saturating_add(value.len()));
            let help = "a plain value cannot contain `: `: put it in quotes, or begin a map on the next line";
            return (span, help.to_owned(), self.quoted(span));
        }
        let number = self.source.line_of(self.at);
        if let Some(words) = number.checked_sub(1).and_then(|above| self.one_word(self.source.line_span(above))) {
            return words;
        }
        let key = Span::new(line.from().saturating_add(indent), self.at);
        let key_text = short(self.source.slice(key));
        let help = format!(
            "`{key_text}:` cannot be a key here: check this line's indentation, and whether the line before it has a value already"
        );
        (key, help, None)
    }

    /// Explains `name:a` alone on a line: the space after the colon is missing.
    fn one_word(&self, line: Span) -> Option<Words> {
        let text = self.source.slice(line);
        let word = text.trim();
        let start = line.from().saturating_add(text.len().saturating_sub(text.trim_start().len()));
        let behind = correction::behind_colon(word)?;
        let edit = Edit { span: Span::at(start.saturating_add(behind)), new_text: " ".to_owned() };
        Some((
            Span::new(start, start.saturating_add(word.len())),
            correction::blank(word),
            Some((correction::PUT.to_owned(), edit)),
        ))
    }

    fn unclosed(&self, open: char, close: char) -> Words {
        let began = self.error.context_mark.offset as usize;
        if self.here().trim().is_empty() {
            let help = format!("the `{open}` at {} is never closed: add `{close}`", self.began());
            return (Span::new(began, began.saturating_add(1)), help, None);
        }
        let help = format!("inside the `{open}` that opens at {} a `,` or `{close}` is missing before this", self.began());
        (self.rest_of_line(), help, None)
    }

    fn no_content(&self) -> Words {
        let span = self.span();
        let plain = |help: &str| (span, help.to_owned(), None);
        match self.char_here() {
            Some(',') => plain("a value is missing before this `,`"),
            Some(c @ (']' | '}')) if self.error.context == Some(Construct::BlockNode) => {
                (span, format!("this `{c}` closes nothing: quote the value if it is text"), self.quoted(self.rest_of_line()))
            }
            Some('.') => plain("`...` ends a document that has not begun: remove the line"),
            Some('-') => plain("a list with `- ` cannot stand inside brackets: separate the items by `,`"),
            None => plain("the text ends where a value should follow"),
            Some(_) if self.here().trim().is_empty() => plain("the text ends where a value should follow"),
            Some(_) => plain("a value is missing before this"),
        }
    }

    /// Explains `*` or `&` before something that is not a name.
    fn indicator(&self) -> Words {
        let start = self.error.context_mark.offset as usize;
        let line = self.line_of(start);
        let text = self.source.slice(Span::new(start, line.to()));
        let text = text.find(" #").and_then(|end| text.get(..end)).unwrap_or(text).trim_end();
        let span = self.value_in_flow(Span::new(start, start.saturating_add(text.len())));
        let what = if text.starts_with('*') { "`*` begins an alias" } else { "`&` begins an anchor" };
        (span, format!("{what}: put the value in quotes if it is text"), self.quoted(span))
    }

    /// Explains a character that YAML forbids.
    fn character(&self) -> Words {
        let text = self.source.slice(self.chunk);
        let Some(at) = yaml::first_refused(text) else {
            return (self.span(), "a character here is not allowed".to_owned(), None);
        };
        let at = self.chunk.from().saturating_add(at);
        let c = self.source.slice(Span::new(at, self.chunk.to())).chars().next().unwrap_or('\0');
        let span = Span::new(at, at.saturating_add(c.len_utf8()));
        let code = u32::from(c);
        let help =
            format!("the character U+{code:04X} may not stand in YAML: remove it, or write `\"\\x{code:02x}\"` in double quotes");
        (span, help, Some(("remove the character".to_owned(), Edit { span, new_text: String::new() })))
    }

    /// Explains a text that is YAML, but that kubectl cannot use.
    fn meaning(&self) -> Words {
        let mut rest = self.rest_of_line();
        let line = self.source.slice(self.line_of(self.at));
        let help = match &self.error.problem {
            Problem::InvalidMapKey { .. } if line.contains("{{") => {
                // The whole `{{ … }}`, which begins one bracket earlier.
                let before = self.source.text().as_bytes().get(self.at.wrapping_sub(1));
                let start = self.at.saturating_sub(usize::from(before == Some(&b'{')));
                let whole = self.source.slice(Span::new(start, rest.to()));
                let end = whole.find("}}").map_or(rest.to(), |end| start.saturating_add(end).saturating_add(2));
                rest = Span::new(start, end);
                "`{{ … }}` looks like a template that was not rendered: render it first, or put it in quotes"
            }
            Problem::InvalidMapKey { .. } => "a key must be a single value, no list and no map: quote it if it is text",
            Problem::UnknownAnchor { .. } => {
                let help = "no `&` anchor of that name stands before this in the same document; quote the value if it is text";
                return (rest, help.to_owned(), self.quoted(self.value_in_flow(rest)));
            }
            Problem::RecursiveAnchor { .. } => "an alias cannot stand inside what it repeats",
            Problem::InvalidMerge => "behind `<<:` write an alias of a map, a map, or a list of these",
            Problem::ExcessiveAliasing => "aliases repeat so much that kubectl gives up: write the values out",
            Problem::UnsupportedMapKey { .. } => "null and numbers beyond 64 bits cannot be keys: put the key in quotes",
            Problem::UnsupportedFloat { .. } => {
                "infinity and not-a-number have no place in a Kubernetes object: put the value in quotes if it is text"
            }
            Problem::InvalidBase64 => "behind `!!binary` only base64 can stand",
            _ => "the tag before the value (`!!…`) says another type than the value has: remove the tag",
        };
        (rest, help.to_owned(), None)
    }
}

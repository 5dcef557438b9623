//! Plainer messages for texts that kubectl refuses: the problem, where it began, and a fix if it makes the text readable.

use super::correction;
use super::lookalike::{self, Lookalike};
use super::trial::{MOST_BYTES, documents, edited, tries};
use crate::finding::{Code, Edit, Finding, Origin, Severity};
use crate::message::{Message, Words, message};
use crate::text::edit;
use crate::text::print::{self, Order};
use crate::text::source::{Source, Span};
use crate::text::yaml::{self, Construct, ErrorStage, Problem, YamlError};
use claimkit_values::order;

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
        ErrorStage::Limit => (Code::LimitNodes, Origin::Claimkit),
        _ => (Code::YamlSyntax, Origin::Kubectl),
    };
    let at = (error.problem_mark.offset as usize).min(chunk.to());
    let place = ErrorSite {
        source,
        chunk,
        error,
        at,
    };
    let message = match error.problem {
        Problem::TooManyNodes { allowed } => message!(
            "yaml.too-many-nodes",
            "the document has more than {allowed} nodes",
            allowed
        )
        .into(),
        Problem::TooManyLevels { allowed } => too_many_levels(allowed).into(),
        _ => Words::upstream(error.to_string()),
    };
    let finding = Finding::said(code, origin, message).with_severity(Severity::Error);
    if let Some((lookalike, edits)) = place.lookalike() {
        return finding
            .with_help(lookalike.help())
            .with_span(lookalike.edit.span)
            .with_fix(lookalike.title(), edits);
    }
    let Advice { span, help, fix } = place.advice();
    let explained = finding.with_help(help).with_span(span);
    if place.is_indented_with_tab() {
        return match place.without_tabs() {
            Some(edits) => explained.with_fix(spaces_for_tabs(), edits),
            None => explained,
        };
    }
    match fix {
        Some((title, edit)) if place.reads_with(std::slice::from_ref(&edit)) => {
            explained.with_fix(title, vec![edit])
        }
        _ => explained,
    }
}

/// Says that tabs become spaces.
fn spaces_for_tabs() -> Message {
    message!("yaml.write-spaces", "write spaces in place of the tab")
}

fn tag_help() -> Message {
    message!(
        "yaml.tag",
        "a word that begins with `!` is a tag: quote the value if it is text"
    )
}

/// The widths of a tab that editors have.
const TAB_WIDTHS: [usize; 3] = [2, 4, 8];

/// Says that a document is nested deeper than the limit.
pub(in crate::text) fn too_many_levels(allowed: usize) -> Message {
    message!(
        "yaml.too-many-levels",
        "the document has more than {allowed} levels of nesting",
        allowed
    )
}

/// Returns the help for a document beyond a limit.
pub(in crate::text) fn split_or_raise() -> Message {
    message!("yaml.split-or-raise", "split the file, or raise the limit")
}

/// Makes kubectl's error for a line with `said` after `---`.
pub(in crate::text) fn separator(source: &Source<'_>, line: Span, said: Span) -> Finding {
    let text = source.slice(said);
    let head = Span::new(line.from(), said.from());
    let finding = Finding::upstream(
        Code::YamlSeparator,
        Origin::Kubectl,
        format!("invalid Yaml document separator: {text}"),
    )
    .with_span(Span {
        start: line.start,
        end: said.end,
    });
    if text
        .chars()
        .all(|c| c == '-' || matches!(lookalike::stands_for(c), Some(('-', _))))
    {
        let edit = Edit {
            span: Span {
                start: line.start,
                end: said.end,
            },
            new_text: "---".to_owned(),
        };
        return finding
            .with_help(message!(
                "yaml.separator",
                "a separator is three hyphens: write `---`"
            ))
            .with_fix(correction::write("---"), vec![edit]);
    }
    let edit = Edit {
        span: head,
        new_text: "---\n".to_owned(),
    };
    finding
        .with_help(message!(
            "yaml.separator-alone",
            "kubectl wants `---` alone on its line: put `{text}` on the next one",
            text = short(text)
        ))
        .with_fix(
            message!("yaml.put-on-own-line", "put the text on a line of its own"),
            vec![edit],
        )
}

/// Says what a line is that is not YAML; `None`: it may be.
fn foreign(line: &str) -> Option<Message> {
    let text = line.trim();
    if text.contains("{{") || text.contains("{%") {
        return Some(message!(
            "yaml.template-line",
            "the line is part of a template that was not rendered: render it first, for example with `helm template`"
        ));
    }
    if text.starts_with("```") || text.starts_with("~~~") {
        return Some(message!(
            "yaml.fence",
            "the line is a Markdown fence: remove it"
        ));
    }
    if text.starts_with("$ ") || text.starts_with("# kubectl ") {
        return Some(message!("yaml.prompt", "the line is a command: remove it"));
    }
    if text.starts_with("> ") {
        return Some(message!(
            "yaml.quoted-lines",
            "the text is quoted: remove the `> ` before its lines"
        ));
    }
    if is_log_line(text) {
        return Some(message!("yaml.log-line", "the line is of a log: remove it"));
    }
    is_table_head(text).then(|| {
        message!(
            "yaml.table",
            "this is a table for people: give what `kubectl get … -o yaml` prints"
        )
    })
}

/// Returns true for a line as klog writes it: `I0926 11:04:05.123456 …`.
fn is_log_line(text: &str) -> bool {
    let Some((head, rest)) = text.split_once(' ') else {
        return false;
    };
    let date = head.strip_prefix(['I', 'W', 'E', 'F']).unwrap_or_default();
    date.len() == 4
        && claimkit_values::has_only_digits(date)
        && rest.trim_start().starts_with(|c: char| c.is_ascii_digit())
}

/// Returns true for the head of a table that kubectl prints: several words in capitals, the first of them `NAME` or `NAMESPACE`.
fn is_table_head(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let is_first = matches!(words.next(), Some("NAME" | "NAMESPACE"));
    let mut rest = words.peekable();
    is_first && rest.peek().is_some() && rest.all(is_in_capitals)
}

fn is_in_capitals(word: &str) -> bool {
    word.chars()
        .all(|c| c.is_ascii_uppercase() || matches!(c, '-' | '(' | ')' | '_'))
}

/// Returns the content of the documents of a text as JSON; `None` if kubectl does not read one of them, or a key is there twice.
fn content(text: &str) -> Option<String> {
    let mut content = String::new();
    for part in documents(text) {
        let document = yaml::read(part, yaml::Bounds::default());
        if document.error.is_some() || document.tree.has_shadowed() {
            return None;
        }
        if let Some(root) = document.root {
            print::json(
                &document.tree,
                root,
                Order::Source,
                usize::MAX,
                &mut content,
            );
        }
        content.push('\n');
    }
    Some(content)
}

/// Returns a text without what is behind ` #`, and without the blanks at its end.
fn without_comment(text: &str) -> &str {
    let end = text.find(" #").unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim_end()
}

/// Returns the bytes of the blanks that a text begins with.
pub(super) fn indent_of(text: &str) -> usize {
    text.len().saturating_sub(text.trim_start().len())
}

/// Returns the number of bytes up to where the brackets around a value go on or end: at a comma, or a bracket that closes none of it.
fn value_length(text: &str) -> usize {
    let mut depth = 0usize;
    let mut quote = None;
    for (at, sign) in text.char_indices() {
        match (quote, sign) {
            (Some(open), _) if sign == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(sign),
            (None, '(' | '[' | '{') => depth = depth.saturating_add(1),
            (None, ')' | ']' | '}') if depth > 0 => depth = depth.saturating_sub(1),
            (None, ']' | '}' | ',') if depth == 0 => return trimmed_length(text, at),
            (None, '#') if trimmed_length(text, at) < at => return trimmed_length(text, at),
            _ => {}
        }
    }
    trimmed_length(text, text.len())
}

/// Returns the number of bytes up to an end, without blanks before it.
fn trimmed_length(text: &str, end: usize) -> usize {
    text.get(..end).map_or(0, |head| head.trim_end().len())
}

fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() <= 40 {
        line.to_owned()
    } else {
        let head: String = line.chars().take(37).collect();
        format!("{head}...")
    }
}

/// Writes `line 3, column 5` as an editor counts.
pub(super) fn place(source: &Source<'_>, offset: usize) -> Message {
    let position = source.position(offset);
    message!(
        "yaml.place",
        "line {line}, column {column}",
        line = position.line.saturating_add(1),
        column = position.character.saturating_add(1)
    )
}

/// Returns the number of line breaks in the first `to` bytes of a text.
fn count_lines(text: &str, to: usize) -> usize {
    let head = text.as_bytes().get(..to).unwrap_or(text.as_bytes());
    head.iter().filter(|&&byte| byte == b'\n').count()
}

/// The subject of a help.
enum Extent {
    /// The character at the problem.
    Character,
    /// The rest of the line.
    Line,
    /// The quote that begins the string of the problem.
    OpeningQuote,
    /// The line on which the construct of the problem begins.
    LineOfConstruct,
}

/// What a finding says beside kubectl's message.
struct Advice {
    span: Span,
    help: Message,
    /// A title and an edit, which is a fix if the text can be read after it.
    fix: Option<(Message, Edit)>,
}

impl Advice {
    fn new(span: Span, help: Message) -> Self {
        Advice {
            span,
            help,
            fix: None,
        }
    }
}

/// A column in which a key begins.
struct KeyColumn<'s> {
    /// The bytes before the key, from 0.
    column: usize,
    /// The line of the key, from 0.
    line: usize,
    key: &'s str,
}

/// libyaml's possible messages about a colon without a space after it.
const COLONS: [Problem; 2] = [Problem::ExpectedColon, Problem::ValueNotAllowed];

/// libyaml's possible messages about an expression without quotes inside brackets.
const UNQUOTED: [Problem; 3] = [
    Problem::ExpectedSequenceEnd,
    Problem::ExpectedMappingEnd,
    Problem::ExpectedName,
];

impl ErrorSite<'_, '_> {
    fn here(&self) -> &str {
        self.source.slice(Span::new(self.at, self.chunk.to()))
    }

    fn char_here(&self) -> Option<char> {
        self.here().chars().next()
    }

    /// Returns the span of the character at the place of the problem.
    fn span(&self) -> Span {
        Span::new(
            self.at,
            self.at
                .saturating_add(self.char_here().map_or(0, char::len_utf8)),
        )
    }

    /// Returns the byte range of the line that has `offset`, without its line break.
    fn line_of(&self, offset: usize) -> Span {
        self.source.line_span(self.source.line_of(offset))
    }

    /// Returns the span from the position to the end of its line, without trailing blanks and comment.
    fn rest_of_line(&self) -> Span {
        let line = self.line_of(self.at);
        let rest = self.source.slice(Span::new(self.at, line.to()));
        let text = without_comment(rest);
        Span::new(self.at, self.at.saturating_add(text.len()))
    }

    fn began(&self) -> Message {
        place(self.source, self.error.context_mark.offset as usize)
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
                return self.is_same_mistake_below(&next, &text, at);
            }
            start = start
                .saturating_add(part.len())
                .saturating_add("\n---".len());
        }
        true
    }

    /// Returns true if an error in an edited text is the same mistake as this one, on a later line.
    fn is_same_mistake_below(&self, next: &YamlError, text: &str, at: usize) -> bool {
        let rest = text.get(at..).unwrap_or_default();
        let are_tabs = self.char_here() == Some('\t') && rest.starts_with('\t');
        let are_colons = COLONS.contains(&next.problem) && COLONS.contains(&self.error.problem);
        // The brackets of the next value begin below, too.
        let mark = next.problem_mark.offset.min(next.context_mark.offset);
        let back = next.problem_mark.offset.saturating_sub(mark) as usize;
        let begins_below = count_lines(text, at.saturating_sub(back)) > self.number_in_chunk();
        let are_values = UNQUOTED.contains(&next.problem)
            && UNQUOTED.contains(&self.error.problem)
            && begins_below;
        let is_same = are_tabs || are_colons || are_values || next.problem == self.error.problem;
        is_same && count_lines(text, at) > self.number_in_chunk()
    }

    /// Returns the number of lines of the chunk before the one of the problem.
    fn number_in_chunk(&self) -> usize {
        let at_in_chunk = self.at.saturating_sub(self.chunk.from());
        count_lines(self.source.slice(self.chunk), at_in_chunk)
    }

    /// Finds a look-alike at or shortly before the problem whose replacement helps, or several that only help together. Lines are
    /// searched backwards because the reader notices a mistake only later.
    fn lookalike(&self) -> Option<(Lookalike, Vec<Edit>)> {
        let text = self.source.slice(self.chunk);
        if text.is_ascii() || self.chunk.len() > MOST_BYTES {
            return None;
        }
        let last = self
            .source
            .line_of(self.at.max(self.error.context_mark.offset as usize));
        let first = self.source.line_of(self.chunk.from());
        let mut candidate = None;
        let mut run: Vec<Edit> = Vec::new();
        let mut tries_left = tries(self.chunk);
        for line in (first..=last).rev().take(50) {
            let span = self.source.line_span(line);
            let Some(found) = lookalike::in_line(self.source.slice(span), span.from()) else {
                continue;
            };
            let edit = vec![found.edit.clone()];
            if tries_left > 0 && self.reads_with(&edit) {
                return Some((found, edit));
            }
            run.insert(0, found.edit.clone());
            if tries_left > 0 && run.len() > 1 && self.reads_with(&run) {
                return Some((found, run));
            }
            tries_left = tries_left.saturating_sub(1);
            candidate = candidate.or(Some((found, edit)));
        }
        // A separator with the wrong dashes is the cause even if there are more problems.
        candidate.filter(|(found, _)| found.edit.new_text == "---")
    }

    /// Puts the rest of the line in quotes.
    fn quoted(&self, span: Span) -> Option<(Message, Edit)> {
        let text = self.source.slice(span);
        if text.is_empty() {
            return None;
        }
        let new_text = if text.contains(['"', '\\']) {
            format!("'{}'", text.replace('\'', "''"))
        } else {
            format!("\"{text}\"")
        };
        Some((correction::quote(&short(text)), Edit { span, new_text }))
    }

    fn advice(&self) -> Advice {
        match self.error.stage {
            ErrorStage::Limit => return Advice::new(self.span(), split_or_raise()),
            ErrorStage::Characters => return self.character(),
            ErrorStage::Decode | ErrorStage::Json => return self.meaning(),
            _ => {}
        }
        if let Some((line, help)) = self.pasted() {
            return Advice::new(line, help);
        }
        if let Some(advice) = self.behind_quotes().or_else(|| self.behind_comment()) {
            return advice;
        }
        if self.error.context == Some(Construct::Tag) {
            return self.tag();
        }
        if let Some(help) = self.wrong_column() {
            return Advice::new(self.rest_of_line(), help);
        }
        if let Some((extent, help)) = self.help_for() {
            return Advice::new(self.span_of(extent), help);
        }
        match self.error.problem {
            Problem::CannotStartToken => self.no_token(),
            Problem::ValueNotAllowed => self.second_colon(),
            Problem::ExpectedColon => self.no_colon(),
            Problem::ExpectedSequenceEnd => self.unclosed('[', ']'),
            Problem::ExpectedMappingEnd => self.unclosed('{', '}'),
            Problem::ExpectedContent => self.no_content(),
            Problem::KeyNotAllowed => Advice {
                span: self.span(),
                help: message!(
                    "yaml.key-here",
                    "`? ` begins a key and cannot be here: quote the value"
                ),
                fix: self.quoted(self.rest_of_line()),
            },
            Problem::UnknownEscape => self.unknown_escape(),
            Problem::TabInScalar | Problem::TabForIndentationSpace => self.tab(),
            Problem::ExpectedName => self.indicator(),
            Problem::IncompatibleDocument => {
                let line = self.line_of(self.at);
                Advice {
                    span: line,
                    help: message!(
                        "yaml.version",
                        "kubectl reads YAML 1.1 only: remove the line"
                    ),
                    fix: self.without_line(line),
                }
            }
            Problem::UndefinedTagHandle => Advice {
                span: self.rest_of_line(),
                help: tag_help(),
                fix: self.quoted(self.rest_of_line()),
            },
            _ => Advice::new(self.span(), self.not_allowed()),
        }
    }

    /// Explains a value in quotes that goes on behind the quote that ends it.
    fn behind_quotes(&self) -> Option<Advice> {
        if self.error.problem != Problem::ExpectedKey {
            return None;
        }
        let line = self.line_of(self.at);
        let before = self.source.slice(Span::new(line.from(), self.at));
        let (key, quoted) = before.split_once(": ")?;
        let quote = quoted.trim_start().chars().next()?;
        let is_ended = quoted.trim().len() > 1 && quoted.trim_end().ends_with(quote);
        if !matches!(quote, '"' | '\'') || !is_ended {
            return None;
        }
        let begin = line
            .from()
            .saturating_add(key.len())
            .saturating_add(": ".len())
            .saturating_add(indent_of(quoted));
        let value = without_comment(self.source.slice(Span::new(begin, line.to())));
        let span = Span::new(begin, begin.saturating_add(value.len()));
        let inside = value
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
            .unwrap_or(value);
        let other = if inside.contains('"') { '\'' } else { '"' };
        let help = message!(
            "yaml.behind-quotes",
            "the value ends at the second `{quote}`, and more follows: put the whole value in `{other}`, or write it under `|` on the next line",
            quote,
            other
        );
        let has_other = inside.contains(other) || other == '"' && inside.contains('\\');
        let fix = (!has_other).then(|| {
            let edit = Edit {
                span,
                new_text: format!("{other}{inside}{other}"),
            };
            (correction::quote(&short(inside)), edit)
        });
        Some(Advice { span, help, fix })
    }

    /// Explains a value that begins with `!` and is not a tag.
    fn tag(&self) -> Advice {
        let begin = self.error.context_mark.offset as usize;
        let line = self.line_of(begin);
        let value = without_comment(self.source.slice(Span::new(begin, line.to())));
        let span = self.value_in_flow(Span::new(begin, begin.saturating_add(value.len())));
        Advice {
            span,
            help: tag_help(),
            fix: self.quoted(span),
        }
    }

    fn span_of(&self, extent: Extent) -> Span {
        let began = self.error.context_mark.offset as usize;
        match extent {
            Extent::Character => self.span(),
            Extent::Line => self.rest_of_line(),
            Extent::OpeningQuote => Span::new(began, began.saturating_add(1)),
            Extent::LineOfConstruct => self.line_of(began),
        }
    }

    /// Explains a line that should be a key, its colon and its value.
    fn no_colon(&self) -> Advice {
        let began = self.error.context_mark.offset as usize;
        let key = Span::new(began, self.line_of(began).to());
        if let Some(advice) = self.one_word(key) {
            return advice;
        }
        if let Some(advice) = self.not_below_key(began) {
            return advice;
        }
        let text = short(self.source.slice(key).trim_end());
        let help = message!(
            "yaml.no-colon",
            "`{text}` is not `key: value`: add the colon and a space, or indent the line if it goes on from the one before",
            text
        );
        Advice::new(key, help)
    }

    /// Explains lines of a value that are not further in than its key, above which the key has no value, or `|` or `>`.
    fn not_below_key(&self, began: usize) -> Option<Advice> {
        let first = self.source.line_of(began);
        let above = self
            .source
            .slice(self.source.line_span(first.checked_sub(1)?));
        let (before_colon, value) = without_comment(above).split_once(':')?;
        let value = value.trim();
        let is_open = value.is_empty() || value.starts_with(['|', '>']);
        let key = before_colon.trim_start_matches([' ', '-']);
        let key_column = above.find(key)?;
        let column = indent_of(self.source.slice(self.source.line_span(first)));
        if !is_open || key.is_empty() || column > key_column {
            return None;
        }
        let width = key_column.saturating_add(2).saturating_sub(column);
        let lines = self.lines_of_text(first, column);
        let help = message!(
            "yaml.not-below-key",
            "indent this further than `{key}`, whose value it is",
            key = short(key)
        );
        let span = *lines.first()?;
        let end = lines.last()?.to();
        let written: Vec<String> = lines
            .iter()
            .map(|line| format!("{}{}", " ".repeat(width), self.source.slice(*line)))
            .collect();
        let whole = Span::new(span.from(), end);
        let line_break = edit::line_break(self.source.text(), span.from());
        let edit = Edit {
            span: whole,
            new_text: written.join(line_break),
        };
        Some(Advice {
            span: Span::new(began, span.to()),
            help,
            fix: Some((message!("yaml.indent-value", "indent the value"), edit)),
        })
    }

    /// Returns the lines from one on that begin in its column or further in, up to one that looks like a key or an entry.
    fn lines_of_text(&self, first: usize, column: usize) -> Vec<Span> {
        let last = self.source.line_of(self.chunk.to());
        let mut lines = Vec::new();
        for number in first..=last {
            let line = self.source.line_span(number);
            let text = self.source.slice(line);
            let words = text.trim();
            let is_other = indent_of(text) < column
                || words.is_empty()
                || words.starts_with("- ")
                || words.ends_with(':')
                || words.contains(": ");
            if is_other || line.from() >= self.chunk.to() {
                break;
            }
            lines.push(line);
        }
        lines
    }

    fn unknown_escape(&self) -> Advice {
        let edit = Edit {
            span: Span::at(self.at),
            new_text: "\\".to_owned(),
        };
        Advice {
            span: self.span(),
            help: message!(
                "yaml.escape",
                "in double quotes `\\` begins an escape: write `\\\\` for a backslash, or use single quotes"
            ),
            fix: Some((
                message!("yaml.double-backslash", "double the backslash"),
                edit,
            )),
        }
    }

    fn not_allowed(&self) -> Message {
        match self.error.context {
            None => message!("yaml.not-here", "YAML does not allow this here"),
            Some(construct) => message!(
                "yaml.not-in-construct",
                "YAML does not allow this {construct}, begun at {place}",
                construct = construct.text(),
                place = self.began()
            ),
        }
    }

    /// Names the column for a line that begins in the column of no map: the nearest one, of a line above, with which kubectl reads the
    /// text.
    fn wrong_column(&self) -> Option<Message> {
        if self.error.problem != Problem::ExpectedKey {
            return None;
        }
        let number = self.source.line_of(self.at);
        let line = self.source.line_span(number);
        let column = indent_of(self.source.slice(line));
        if self.at != line.from().saturating_add(column) {
            return None;
        }
        let mut columns = self.columns_above(number);
        columns.retain(|above| above.column != column);
        order::sort_by_key(&mut columns, |above| {
            (above.column.abs_diff(column), number.abs_diff(above.line))
        });
        let tries_left = tries(self.chunk);
        let right = columns
            .into_iter()
            .take(tries_left)
            .find(|above| self.reads_with(&self.moved(number, column, above.column)))?;
        Some(message!(
            "yaml.wrong-column",
            "begin this line in column {column}, as `{key}` on line {line}",
            column = right.column.saturating_add(1),
            key = short(right.key),
            line = right.line.saturating_add(1)
        ))
    }

    /// Returns the columns in which keys begin above a line, the nearest line first, each column once.
    fn columns_above(&self, number: usize) -> Vec<KeyColumn<'_>> {
        let first = self.source.line_of(self.chunk.from());
        let mut found: Vec<KeyColumn<'_>> = Vec::new();
        for line in (first..number).rev() {
            let span = self.source.line_span(line);
            let text = self.source.slice(span);
            let key = text.trim_start_matches([' ', '-']);
            let column = text.len().saturating_sub(key.len());
            let Some((key, _)) = key.split_once(':') else {
                continue;
            };
            if !key.starts_with('#') && found.iter().all(|known| known.column != column) {
                found.push(KeyColumn { column, line, key });
            }
        }
        found
    }

    /// Returns the edits that move a line from one column to another, with the lines that follow in its column or further in.
    fn moved(&self, number: usize, from: usize, to: usize) -> Vec<Edit> {
        let last = self.source.line_of(self.chunk.to());
        let mut edits = Vec::new();
        for line in number..=last {
            let span = self.source.line_span(line);
            let text = self.source.slice(span);
            let indent = indent_of(text);
            if text.trim().is_empty() {
                continue;
            }
            if indent < from || span.from() >= self.chunk.to() {
                break;
            }
            let added = to.saturating_sub(from);
            let removed = from.saturating_sub(to);
            edits.push(Edit {
                span: Span::new(span.from(), span.from().saturating_add(removed)),
                new_text: " ".repeat(added),
            });
        }
        edits
    }

    /// Returns the help that depends only on the problem, and what it is about.
    fn help_for(&self) -> Option<(Extent, Message)> {
        Some(match self.error.problem {
            Problem::ExpectedKey => (
                Extent::Line,
                message!(
                    "yaml.outside-map",
                    "this does not belong to the map that begins at {place}: give all its keys the same indentation as there",
                    place = self.began()
                ),
            ),
            Problem::ExpectedDash => (
                Extent::Line,
                message!(
                    "yaml.outside-list",
                    "the list that begins at {place} goes on only with `- ` in the same column: check this line's indentation",
                    place = self.began()
                ),
            ),
            Problem::EntryNotAllowed => (
                Extent::Line,
                message!(
                    "yaml.list-after-key",
                    "a list cannot begin on the line of its key: put `- ` on the next line, or write `[a, b]`"
                ),
            ),
            Problem::UnexpectedDocumentIndicator => (
                Extent::Line,
                message!(
                    "yaml.quote-still-open",
                    "the quote that opens at {place} is still open here: close it before",
                    place = self.began()
                ),
            ),
            Problem::ExpectedHexadecimal => (
                Extent::Character,
                message!(
                    "yaml.hexadecimal",
                    "`\\x`, `\\u` and `\\U` want 2, 4 and 8 hexadecimal digits"
                ),
            ),
            Problem::InvalidEscapeCode => (
                Extent::Character,
                message!(
                    "yaml.escape-code",
                    "write the character itself, or `\\U` with eight digits: YAML has no pairs of `\\u` escapes"
                ),
            ),
            Problem::ExpectedCommentOrLineBreak => (
                Extent::Line,
                message!(
                    "yaml.block-scalar-line",
                    "after `|` or `>` the line must end: begin the text on the next one, indented"
                ),
            ),
            Problem::ZeroIndentation => (
                Extent::Character,
                message!(
                    "yaml.block-scalar-digit",
                    "the digit after `|` or `>` is 1 to 9; leave it out to take the first line's indentation"
                ),
            ),
            Problem::ExpectedDocumentStart => (
                Extent::Line,
                message!(
                    "yaml.after-directive",
                    "remove the line that begins with `%`: kubectl splits a file at `---` before it reads it, so that no directive can be followed by `---`"
                ),
            ),
            Problem::UnexpectedEnd => (
                Extent::OpeningQuote,
                message!(
                    "yaml.quote-never-closed",
                    "the quote that opens at {place} is never closed",
                    place = self.began()
                ),
            ),
            Problem::UnknownDirective => (
                Extent::LineOfConstruct,
                message!(
                    "yaml.unknown-directive",
                    "a line that begins with `%` is a directive: only `%YAML 1.1` and `%TAG` exist"
                ),
            ),
            Problem::TooDeep => (
                Extent::Character,
                message!(
                    "yaml.too-deep",
                    "lists and maps are nested more than 10000 levels deep: kubectl stops here"
                ),
            ),
            _ => return None,
        })
    }

    fn without_line(&self, line: Span) -> Option<(Message, Edit)> {
        let behind = line.to().saturating_add(1);
        let edit = Edit {
            span: Span::new(line.from(), behind.min(self.chunk.to())),
            new_text: String::new(),
        };
        Some((message!("yaml.remove-line", "remove the line"), edit))
    }

    fn no_token(&self) -> Advice {
        match self.char_here() {
            Some('\t') => self.tab(),
            Some(c @ ('@' | '`' | '%' | '|' | '>')) => {
                let span = self.value_in_flow(self.rest_of_line());
                let help = message!(
                    "yaml.value-begin",
                    "a value cannot begin with `{character}`: put it in quotes",
                    character = c
                );
                Advice {
                    span,
                    help,
                    fix: self.quoted(span),
                }
            }
            Some(c) => {
                let help = message!(
                    "yaml.nothing-begins",
                    "nothing can begin with `{character}` here: put the value in quotes",
                    character = c
                );
                Advice::new(self.span(), help)
            }
            None => Advice::new(
                self.span(),
                message!("yaml.no-value-here", "a value is missing here"),
            ),
        }
    }

    /// Ends a value inside brackets at `,`, `]` or `}`.
    fn value_in_flow(&self, span: Span) -> Span {
        let line = self.line_of(span.from());
        let before = self.source.slice(Span::new(line.from(), span.from()));
        let opened = before.matches(['[', '{']).count();
        let closed = before.matches([']', '}']).count();
        let text = self.source.slice(span);
        match text.find([',', ']', '}']) {
            Some(end) if opened > closed => {
                let value = text.get(..end).unwrap_or("").trim_end();
                let start = span.from();
                Span::new(start, start.saturating_add(value.len()))
            }
            _ => span,
        }
    }

    fn tab(&self) -> Advice {
        let line = self.line_of(self.at);
        let text = self.source.slice(Span::new(self.at, line.to()));
        let tabs = text
            .len()
            .saturating_sub(text.trim_start_matches('\t').len())
            .max(1);
        let end_of_line = line.to().max(self.at);
        let end = self.at.saturating_add(tabs).min(end_of_line);
        let span = Span::new(self.at, end);
        let before = self.source.slice(Span::new(line.from(), self.at));
        let is_behind_dash = before.trim_start().starts_with(['-', '?']);
        let spaces = if is_behind_dash {
            1
        } else {
            tabs.saturating_mul(2)
        };
        let edit = Edit {
            span,
            new_text: " ".repeat(spaces),
        };
        Advice {
            span,
            help: message!("yaml.tab", "YAML is indented with spaces, never with tabs"),
            fix: Some((spaces_for_tabs(), edit)),
        }
    }

    /// Returns true for a tab in the indentation of its line.
    fn is_indented_with_tab(&self) -> bool {
        let is_about_tab = matches!(
            self.error.problem,
            Problem::CannotStartToken | Problem::TabInScalar | Problem::TabForIndentationSpace
        );
        let line = self.line_of(self.at);
        let before = self.source.slice(Span::new(line.from(), self.at));
        is_about_tab && self.char_here() == Some('\t') && before.trim().is_empty()
    }

    /// Returns the edits that write spaces in place of the tabs that lines begin with, if every width of a tab with which kubectl reads
    /// the text gives the same content.
    fn without_tabs(&self) -> Option<Vec<Edit>> {
        if self.chunk.len() > MOST_BYTES {
            return None;
        }
        let mut found: Option<(Vec<Edit>, String)> = None;
        for width in TAB_WIDTHS {
            let edits = self.indentation(width);
            let text = edited(self.source.text(), self.chunk, &edits);
            let Some(content) = content(&text) else {
                continue;
            };
            match &found {
                None => found = Some((edits, content)),
                Some((_, known)) if *known != content => return None,
                Some(_) => {}
            }
        }
        found.map(|(edits, _)| edits)
    }

    /// Returns the edits that write `width` spaces for each tab before the first character of a line.
    fn indentation(&self, width: usize) -> Vec<Edit> {
        let first = self.source.line_of(self.chunk.from());
        let last = self.source.line_of(self.chunk.to());
        let mut edits = Vec::new();
        for line in first..=last {
            let line = self.source.line_span(line);
            if line.from() < self.chunk.from() {
                continue;
            }
            let text = self.source.slice(line);
            let blanks = text.get(..indent_of(text)).unwrap_or_default();
            if blanks.contains('\t') {
                edits.push(Edit {
                    span: Span::new(line.from(), line.from().saturating_add(blanks.len())),
                    new_text: blanks.replace('\t', &" ".repeat(width)),
                });
            }
        }
        edits
    }

    /// Finds a line that is not YAML at all, at the problem, where it began, or just above.
    fn pasted(&self) -> Option<(Span, Message)> {
        let number = self.source.line_of(self.at);
        let began = self.source.line_of(self.error.context_mark.offset as usize);
        let mut lines = vec![number, began];
        lines.extend(number.checked_sub(1));
        let first = self.source.line_of(self.chunk.from());
        lines
            .into_iter()
            .filter(|line| *line >= first)
            .map(|line| self.source.line_span(line))
            .find_map(|line| Some((line, foreign(self.source.slice(line))?)))
    }

    /// Explains a second `: ` on a line, or a line that is indented too far.
    fn second_colon(&self) -> Advice {
        let line = self.line_of(self.at);
        let before = self.source.slice(Span::new(line.from(), self.at));
        if let Some(colon) = before.find(": ") {
            let behind = line.from().saturating_add(colon).saturating_add(1);
            return self.value_with_colon(Span::new(behind, line.to()));
        }
        let number = self.source.line_of(self.at);
        let above = number
            .checked_sub(1)
            .map(|above| self.source.line_span(above));
        if let Some(advice) = above.and_then(|above| self.one_word(self.behind_dash(above))) {
            return advice;
        }
        let key = Span::new(line.from().saturating_add(indent_of(before)), self.at);
        let text_above = above.map_or("", |above| self.source.slice(above).trim());
        let name = text_above.strip_prefix('-').unwrap_or_default();
        if name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.contains(": ") {
            let help = message!(
                "yaml.blank-behind-dash-above",
                "a space is missing after the `-` on the line before: write `- {name}`, and begin the other lines of the entry below it",
                name
            );
            return Advice::new(key, help);
        }
        let help = message!(
            "yaml.no-key-here",
            "`{key}:` cannot be a key here: check this line's indentation, and whether the line before it has a value already",
            key = short(self.source.slice(key))
        );
        Advice::new(key, help)
    }

    /// Explains a plain value with a `: ` in it; `rest` is the line behind the colon of its key.
    fn value_with_colon(&self, rest: Span) -> Advice {
        let text = self.source.slice(rest);
        let start = rest.from().saturating_add(indent_of(text));
        let value = without_comment(text).trim_start();
        let span = Span::new(start, start.saturating_add(value.len()));
        if let Some(key) = key_behind(value) {
            let help = message!(
                "yaml.joined-lines",
                "two lines may have become one: begin `{key}:` on a line of its own, or put the value in quotes",
                key
            );
            return Advice::new(span, help);
        }
        if let Some(key) = key_at_start(value) {
            let help = message!(
                "yaml.map-after-key",
                "a map cannot begin on the line of its key: put `{key}:` on the next line, further in, or put the value in quotes if it is text",
                key
            );
            return Advice::new(span, help);
        }
        Advice {
            span,
            help: message!(
                "yaml.second-colon",
                "a plain value cannot contain `: `: put it in quotes, or begin a map on the next line"
            ),
            fix: self.quoted(span),
        }
    }

    /// Returns the span of a line without the `- ` that an entry of a list begins with.
    fn behind_dash(&self, line: Span) -> Span {
        let text = self.source.slice(line);
        let indent = indent_of(text);
        match text.trim_start().strip_prefix("- ") {
            Some(_) => Span::new(
                line.from().saturating_add(indent).saturating_add(2),
                line.to(),
            ),
            None => line,
        }
    }

    /// Explains `name:a` alone on a line: the space after the colon is missing.
    fn one_word(&self, line: Span) -> Option<Advice> {
        let text = self.source.slice(line);
        let word = text.trim();
        let start = line.from().saturating_add(indent_of(text));
        let behind = correction::behind_colon(word)?;
        let edit = Edit {
            span: Span::at(start.saturating_add(behind)),
            new_text: " ".to_owned(),
        };
        Some(Advice {
            span: Span::new(start, start.saturating_add(word.len())),
            help: correction::blank(word),
            fix: Some((correction::PUT.text(), edit)),
        })
    }

    /// Returns `${NAME}` or `{{ name }}` that is on the line of the error and not in quotes.
    fn placeholder(&self) -> Option<&str> {
        let line = self
            .source
            .slice(self.source.line_span(self.source.line_of(self.at)));
        unquoted(line, "${", "}").or_else(|| unquoted(line, "{{", "}}"))
    }

    fn unclosed(&self, open: char, close: char) -> Advice {
        let began = self.error.context_mark.offset as usize;
        if self.here().trim().is_empty() {
            let help = message!(
                "yaml.never-closed",
                "the `{open}` at {place} is never closed: add `{close}`",
                open,
                place = self.began(),
                close
            );
            return Advice::new(Span::new(began, began.saturating_add(1)), help);
        }
        if let Some(hole) = self.placeholder() {
            let help = message!(
                "yaml.placeholder",
                "`{hole}` looks like a placeholder, and its `{brace}` begins a map here: fill it in first, or put it in quotes",
                hole,
                brace = "{"
            );
            return Advice::new(self.rest_of_line(), help);
        }
        if let Some(advice) = self.bracket_in_value(open) {
            return advice;
        }
        let help = message!(
            "yaml.comma-or-end",
            "inside the `{open}` that opens at {place} a `,` or `{close}` is missing before this",
            open,
            place = self.began(),
            close
        );
        Advice::new(self.rest_of_line(), help)
    }

    /// Explains a bracket within a value without quotes, which brackets around it end.
    fn bracket_in_value(&self, open: char) -> Option<Advice> {
        let inner = self.char_here().filter(|sign| matches!(sign, '[' | '{'))?;
        let span = self.value_without_quotes()?;
        Some(Advice {
            span,
            help: message!(
                "yaml.bracket-in-value",
                "a value inside `{open}` cannot contain `{inner}` without quotes: put the whole value in quotes",
                open,
                inner
            ),
            fix: self.quoted(span),
        })
    }

    /// Returns the value without quotes that was meant to have the place of the problem in it: from its key, or the bracket or comma
    /// before it, up to where the brackets around it go on.
    fn value_without_quotes(&self) -> Option<Span> {
        let line = self.line_of(self.at);
        let before = self.source.slice(Span::new(line.from(), self.at));
        let start = match (before.rfind(": "), before.rfind([',', '[', '{'])) {
            (Some(colon), _) => colon.saturating_add(2),
            (None, Some(sign)) => sign.saturating_add(1),
            (None, None) => return None,
        };
        let head = before.get(start..)?;
        let begin = start.saturating_add(indent_of(head));
        let words = head.trim();
        if words.is_empty() || words.starts_with(['"', '\'', '[', '{']) {
            return None;
        }
        let from = line.from().saturating_add(begin);
        let length = value_length(self.source.slice(Span::new(from, line.to())));
        Some(Span::new(from, from.saturating_add(length)))
    }

    fn no_content(&self) -> Advice {
        let span = self.span();
        let help = match self.char_here() {
            Some(',') => message!(
                "yaml.no-value-before-comma",
                "a value is missing before this `,`"
            ),
            Some(c @ (']' | '}')) if self.error.context == Some(Construct::BlockNode) => {
                let help = message!(
                    "yaml.closes-nothing",
                    "this `{bracket}` closes nothing: quote the value if it is text",
                    bracket = c
                );
                return Advice {
                    span,
                    help,
                    fix: self.quoted(self.rest_of_line()),
                };
            }
            Some('.') => message!(
                "yaml.dots",
                "`...` ends a document that has not begun: remove the line"
            ),
            Some('-') => {
                message!(
                    "yaml.dash-in-brackets",
                    "a list with `- ` cannot be inside brackets: separate the items by `,`"
                )
            }
            _ if self.here().trim().is_empty() => {
                message!(
                    "yaml.ends-before-value",
                    "the text ends where a value should follow"
                )
            }
            _ => message!("yaml.no-value-before", "a value is missing before this"),
        };
        Advice::new(span, help)
    }

    /// Explains `*` or `&` before something that is not a name.
    fn indicator(&self) -> Advice {
        let start = self.error.context_mark.offset as usize;
        let line = self.line_of(start);
        let text = without_comment(self.source.slice(Span::new(start, line.to())));
        let span = self.value_in_flow(Span::new(start, start.saturating_add(text.len())));
        // `&&` of an expression, which a bracket in it has ended before.
        let line_start = self.source.slice(Span::new(line.from(), start));
        if text.starts_with("&&")
            && line_start.contains(['[', '{'])
            && let Some(span) = self.value_without_quotes()
        {
            return Advice {
                span,
                help: message!(
                    "yaml.operator-in-value",
                    "inside brackets a value with brackets or `&&` must be in quotes: put the whole value in quotes"
                ),
                fix: self.quoted(span),
            };
        }
        let help = if text.starts_with('*') {
            message!(
                "yaml.alias",
                "`*` begins an alias: put the value in quotes if it is text"
            )
        } else {
            message!(
                "yaml.anchor",
                "`&` begins an anchor: put the value in quotes if it is text"
            )
        };
        Advice {
            span,
            help,
            fix: self.quoted(span),
        }
    }

    /// Explains `&&` or `||` that was meant to go on with the value of the line above, where a comment ends it.
    fn behind_comment(&self) -> Option<Advice> {
        let is_operator = matches!(
            self.error.problem,
            Problem::ExpectedName | Problem::ExpectedCommentOrLineBreak
        );
        let start = self.error.context_mark.offset as usize;
        let number = self.source.line_of(start);
        let line = self.source.line_span(number);
        let words = self.source.slice(line).trim_start();
        let above = self.source.line_span(number.checked_sub(1)?);
        let above = self.source.slice(above);
        let has_comment = without_comment(above).len() < above.trim_end().len();
        let goes_on = words.starts_with("&&") || words.starts_with("||");
        (is_operator && goes_on && has_comment).then(|| {
            let from = line.to().saturating_sub(words.len());
            Advice::new(
                Span::new(from, line.to()),
                message!(
                    "yaml.behind-comment",
                    "the value ends at the comment of the line above: remove the comment, or put it above the value"
                ),
            )
        })
    }

    /// Explains a character that YAML forbids.
    fn character(&self) -> Advice {
        let text = self.source.slice(self.chunk);
        let Some(at) = yaml::first_refused(text) else {
            return Advice::new(
                self.span(),
                message!("yaml.character-here", "a character here is not allowed"),
            );
        };
        let rest = text.get(at..).unwrap_or_default();
        let c = rest.chars().next().unwrap_or('\0');
        let start = self.chunk.from().saturating_add(at);
        let span = Span::new(start, start.saturating_add(c.len_utf8()));
        if self.chunk.from() == 0 && is_utf16(text) {
            let help = message!(
                "yaml.utf16-without-mark",
                "this looks like UTF-16 without a byte order mark, which kubectl does not read: save the file as UTF-8"
            );
            return Advice::new(span, help);
        }
        let code = u32::from(c);
        let help = message!(
            "yaml.character",
            "the character U+{code} is not allowed in YAML: remove it, or write `\"\\x{escape}\"` in double quotes",
            code = format_args!("{code:04X}"),
            escape = format_args!("{code:02x}")
        );
        let edit = Edit {
            span,
            new_text: String::new(),
        };
        Advice {
            span,
            help,
            fix: Some((correction::remove_character(), edit)),
        }
    }

    /// Explains a text that is YAML, but that kubectl cannot use.
    fn meaning(&self) -> Advice {
        let mut rest = self.rest_of_line();
        let line = self.source.slice(self.line_of(self.at));
        let help = match &self.error.problem {
            Problem::InvalidMapKey { .. } if line.contains("{{") => {
                // The whole `{{ … }}`, which begins one bracket earlier.
                let before = self.source.text().get(..self.at).unwrap_or_default();
                let start = match before.strip_suffix('{') {
                    Some(before) => before.len(),
                    None => self.at,
                };
                let whole = self.source.slice(Span::new(start, rest.to()));
                let length = match whole.find("}}") {
                    Some(end) => end.saturating_add("}}".len()),
                    None => whole.len(),
                };
                rest = Span::new(start, start.saturating_add(length));
                message!(
                    "yaml.template",
                    "`{{ … }}` looks like a template that was not rendered: render it first, or put it in quotes"
                )
            }
            Problem::InvalidMapKey { .. } => {
                message!(
                    "yaml.map-key",
                    "a key must be a single value, not a list or a map: quote it if it is text"
                )
            }
            Problem::UnknownAnchor { .. } => {
                let help = message!(
                    "yaml.unknown-anchor",
                    "no `&` anchor of that name is before this in the same document; quote the value if it is text"
                );
                return Advice {
                    span: rest,
                    help,
                    fix: self.quoted(self.value_in_flow(rest)),
                };
            }
            Problem::RecursiveAnchor { .. } => {
                message!(
                    "yaml.recursive-anchor",
                    "an alias cannot be inside what it repeats"
                )
            }
            Problem::InvalidMerge => {
                message!(
                    "yaml.merge",
                    "after `<<:` write an alias of a map, a map, or a list of these"
                )
            }
            Problem::ExcessiveAliasing => {
                message!(
                    "yaml.aliasing",
                    "aliases repeat so much that kubectl gives up: write the values out"
                )
            }
            Problem::UnsupportedMapKey { .. } => {
                message!(
                    "yaml.number-key",
                    "null and numbers beyond 64 bits cannot be keys: put the key in quotes"
                )
            }
            Problem::UnsupportedFloat { .. } => message!(
                "yaml.float",
                "infinity and not-a-number have no place in a Kubernetes object: put the value in quotes if it is text"
            ),
            Problem::InvalidBase64 => {
                message!("yaml.base64", "after `!!binary` only base64 is allowed")
            }
            _ => message!(
                "yaml.wrong-tag",
                "the tag before the value (`!!…`) says another type than the value has: remove the tag"
            ),
        };
        Advice::new(rest, help)
    }
}

/// Returns the first part of a line between two marks, with them, if no quote is before it.
fn unquoted<'l>(line: &'l str, open: &str, close: &str) -> Option<&'l str> {
    let start = line.find(open)?;
    let rest = line.get(start..)?;
    let end = rest.find(close)?.saturating_add(close.len());
    let is_quoted = line.get(..start)?.ends_with(['"', '\'']);
    rest.get(..end).filter(|_| !is_quoted)
}

/// Returns the key that a value begins with: `name` in `name: a`.
fn key_at_start(value: &str) -> Option<&str> {
    let (key, rest) = value.split_once(':')?;
    let is_key = key.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && key.chars().all(|letter| {
            letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/')
        });
    (is_key && (rest.is_empty() || rest.starts_with(' '))).then_some(key)
}

/// Returns the key that follows a value on its line: `spec` in `x spec:`.
fn key_behind(value: &str) -> Option<&str> {
    let before = value
        .split_once(": ")
        .map_or_else(|| value.strip_suffix(':'), |(before, _)| Some(before))?;
    let (first, key) = before.rsplit_once(' ')?;
    let is_key = key.starts_with(|letter: char| letter.is_ascii_lowercase())
        && key.chars().all(|letter| letter.is_ascii_alphanumeric());
    (is_key && !first.trim().contains(' ')).then_some(key)
}

/// Returns true for a text that begins with two ASCII characters in UTF-16, read as bytes.
fn is_utf16(text: &str) -> bool {
    let [first, second, third, fourth, ..] = text.as_bytes() else {
        return false;
    };
    let zeros = [first, second, third, fourth].map(|byte| *byte == 0);
    matches!(
        zeros,
        [true, false, true, false] | [false, true, false, true]
    )
}

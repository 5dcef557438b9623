//! For a person at a terminal: one line with the place, the source line with carets, and what to do.

use crate::report::FileReport;
use crate::report::places::LineIndex;
use claimkit_model::finding::Severity;
use claimkit_model::text::located::{LocatedFinding, Range};

/// Maximum width of a shown source line; of a longer line, the part around the finding is shown.
const WIDTH: usize = 120;
/// Maximum number of bytes examined on each side of the start of a finding.
const SEEN: usize = 2048;
/// Columns of such a line that stay in view before the finding.
const BEFORE: usize = 40;

/// The style of a terminal: with or without colors.
#[derive(Clone, Copy, Debug)]
pub struct TerminalStyle {
    colours: bool,
}

impl TerminalStyle {
    /// Creates a style with or without colors.
    pub fn new(colours: bool) -> Self {
        TerminalStyle { colours }
    }

    /// Creates a style without colors.
    pub fn plain() -> Self {
        TerminalStyle { colours: false }
    }

    /// Paints a text in a color of the terminal (an SGR parameter).
    pub fn paint(self, sgr: &str, text: &str) -> String {
        if self.colours {
            format!("\u{1b}[{sgr}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// Returns the name of a severity, in its color.
    pub fn severity(self, severity: Severity) -> String {
        let sgr = match severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Info => "1;36",
        };
        self.paint(sgr, severity.name())
    }
}

/// Writes a file's findings.
pub fn write(out: &mut String, report: &FileReport<'_>, style: TerminalStyle) {
    for finding in &report.findings {
        write_finding(out, report, finding, style);
    }
}

/// Writes a file's findings, one line each, and their help below them.
pub fn lines(out: &mut String, report: &FileReport<'_>) {
    for finding in &report.findings {
        let message: Vec<&str> = finding.message.lines().collect();
        let (severity, origin, code) = (
            finding.severity.name(),
            finding.origin.name(),
            finding.code.name(),
        );
        out.push_str(&format!(
            "{}: {severity}: {} [{origin} {code}]\n",
            visible(&place(report, finding)),
            visible(&message.join(" "))
        ));
        if let Some(help) = &finding.help {
            out.push_str(&format!("    help: {}\n", visible(help)));
        }
    }
}

/// Returns `file:line:column`, or the file alone for a finding about all of it.
fn place(report: &FileReport<'_>, finding: &LocatedFinding) -> String {
    let (name, places) = report.file_of(finding);
    match &finding.range {
        Some(range) => {
            let (line, column) = places.line_and_column(range.start);
            format!("{name}:{line}:{column}")
        }
        None => name.to_owned(),
    }
}

/// Writes a finding: its place and message, the lines that it is about, and its notes.
fn write_finding(
    out: &mut String,
    report: &FileReport<'_>,
    finding: &LocatedFinding,
    style: TerminalStyle,
) {
    let (_, places) = report.file_of(finding);
    let place = place(report, finding);
    let mut message_lines = finding.message.lines();
    let first_line = message_lines.next().unwrap_or_default();
    out.push_str(&format!(
        "{}: {}: {} {}\n",
        style.paint("1", &visible(&place)),
        style.severity(finding.severity),
        visible(first_line),
        style.paint(
            "2",
            &format!("[{} {}]", finding.origin.name(), finding.code.name())
        ),
    ));
    for line in message_lines {
        out.push_str(&format!("    {}\n", visible(line)));
    }
    let gutter = finding
        .range
        .as_ref()
        .map_or(0, |range| excerpt(out, places, range, style));
    if let Some(template) = finding
        .range
        .as_ref()
        .and_then(|range| places.template(range.start.byte_offset as usize))
    {
        note(out, gutter, "from", template, style);
    }
    if let Some(help) = &finding.help {
        note(out, gutter, "help", help, style);
    }
    for fix in &finding.fixes {
        note(out, gutter, "fix", &fix.title, style);
    }
    out.push('\n');
}

fn note(out: &mut String, gutter: usize, label: &str, text: &str, style: TerminalStyle) {
    let mark = style.paint("34", &format!("{:gutter$} =", ""));
    out.push_str(&format!(
        "{mark} {}: {}\n",
        style.paint("1", label),
        visible(text)
    ));
}

/// Writes the line a range begins in, with carets under the range. Gives the width of the gutter.
fn excerpt(out: &mut String, places: &LineIndex<'_>, range: &Range, style: TerminalStyle) -> usize {
    let text = places.text();
    let start = range.start.byte_offset as usize;
    if !text.is_char_boundary(start) {
        return 0;
    }
    let (begin, rest) = places.line(start);
    // Examine no more of a long line than can be shown.
    let begin = begin.max(text.floor_char_boundary(start.saturating_sub(SEEN)));
    let rest = rest.min(text.floor_char_boundary(start.saturating_add(SEEN)));
    let end = (range.end.byte_offset as usize).clamp(start, rest);
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or("");

    let (lead, cut) = tail(&columns(part(begin, start)), BEFORE);
    let marked = head(
        &columns(part(start, end)),
        WIDTH.saturating_sub(width(&lead)),
    );
    let after = head(
        &columns(part(end, rest)),
        WIDTH
            .saturating_sub(width(&lead))
            .saturating_sub(width(&marked)),
    );
    let carets = "^".repeat(width(&marked).max(1));

    let number = range.start.line.saturating_add(1).to_string();
    let gutter = number.len();
    let bar = style.paint("34", &format!("{:gutter$} |", ""));
    let dots = if cut { "…" } else { "" };
    let margin = " ".repeat(width(&lead).saturating_add(width(dots)));
    out.push_str(&format!(
        "{} {dots}{lead}{marked}{after}\n",
        style.paint("34", &format!("{number} |"))
    ));
    out.push_str(&format!("{bar} {margin}{}\n", style.paint("1;31", &carets)));
    gutter
}

/// Writes a text as it takes up columns: tabs as four spaces, control characters as one visible sign each.
fn columns(text: &str) -> String {
    visible(&text.replace('\t', "    "))
}

/// Returns the last `most` columns of a text, and whether something was left out.
fn tail(text: &str, most: usize) -> (String, bool) {
    let mut room = most;
    let mut from = text.len();
    for (at, character) in text.char_indices().rev() {
        let Some(left) = room.checked_sub(cell(character)) else {
            break;
        };
        room = left;
        from = at;
    }
    // A short line is shown whole: nothing is gained by cutting it.
    if from > 0 && width(text) <= WIDTH.saturating_sub(BEFORE) {
        from = 0;
    }
    (text.get(from..).unwrap_or("").to_owned(), from > 0)
}

/// Returns the first `most` columns of a text, with an ellipsis if something was left out.
fn head(text: &str, most: usize) -> String {
    let mut room = most;
    for (at, character) in text.char_indices() {
        match room.checked_sub(cell(character)) {
            Some(left) => room = left,
            None => return format!("{}…", text.get(..at).unwrap_or("")),
        }
    }
    text.to_owned()
}

fn width(text: &str) -> usize {
    text.chars().map(cell).sum()
}

/// Returns the number of columns a character takes in a terminal. East Asian wide characters and emoji take two, combining marks
/// none; the ranges are coarse; at worst, a caret is off by one in a rare script.
fn cell(character: char) -> usize {
    match u32::from(character) {
        0x0300..=0x036f | 0x200b..=0x200f | 0x20d0..=0x20ff | 0xfe00..=0xfe0f | 0xfeff => 0,
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// Wraps a text into lines of at most `most` columns, the first indented by `first`, the others by `rest`.
pub fn wrapped(text: &str, first: usize, rest: usize, most: usize) -> String {
    let mut out = String::new();
    let mut line = " ".repeat(first);
    let mut empty = true;
    for word in visible(text).split(' ') {
        let width = line
            .chars()
            .count()
            .saturating_add(word.chars().count())
            .saturating_add(1);
        if !empty && width > most {
            out.push_str(line.trim_end());
            out.push('\n');
            line = " ".repeat(rest);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    out.push_str(line.trim_end());
    out.push('\n');
    out
}

/// Makes a text that cannot steer the terminal: control characters and direction overrides become visible signs.
pub fn visible(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\u{0}'..='\u{1f}' => {
                char::from_u32(u32::from(character).saturating_add(0x2400)).unwrap_or('\u{fffd}')
            }
            '\u{7f}' => '\u{2421}',
            '\u{80}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            _ => character,
        })
        .collect()
}

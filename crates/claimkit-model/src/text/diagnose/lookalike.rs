//! Characters that only look like a hyphen, a space or a quote. They come from word processors and web pages.

use super::correction;
use super::trial::{edited, reads, tries};
use crate::finding::{Code, Edit, Finding};
use crate::message::{Message, Template, message, template};
use crate::text::source::Span;
use crate::text::tree::{Kind, Style, Tree};
use claimkit_values::order;

/// The maximum number of warnings for one document.
const MOST: usize = 50;

const QUOTE: Template = template!("lookalike.quote", "a typographic quote");

/// Returns the ASCII character that a look-alike resembles, and the name of the look-alike.
pub(super) fn stands_for(c: char) -> Option<(char, Template)> {
    Some(match c {
        '\u{2010}' => (
            '-',
            template!("lookalike.hyphen", "a hyphen of its own (U+2010)"),
        ),
        '\u{2011}' => (
            '-',
            template!(
                "lookalike.non-breaking-hyphen",
                "a non-breaking hyphen (U+2011)"
            ),
        ),
        '\u{2012}' => (
            '-',
            template!("lookalike.figure-dash", "a figure dash (U+2012)"),
        ),
        '\u{2013}' => ('-', template!("lookalike.en-dash", "an en dash (U+2013)")),
        '\u{2014}' => ('-', template!("lookalike.em-dash", "an em dash (U+2014)")),
        '\u{2015}' => ('-', template!("lookalike.bar", "a horizontal bar (U+2015)")),
        '\u{2212}' => ('-', template!("lookalike.minus", "a minus sign (U+2212)")),
        '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => (
            '-',
            template!("lookalike.wide-hyphen", "a wide or small hyphen"),
        ),
        '\u{a0}' => (
            ' ',
            template!(
                "lookalike.non-breaking-space",
                "a non-breaking space (U+00A0)"
            ),
        ),
        '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            (' ', template!("lookalike.special-space", "a special space"))
        }
        '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' => (
            ' ',
            template!("lookalike.invisible", "an invisible character"),
        ),
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' => ('"', QUOTE),
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => ('\'', QUOTE),
        '\u{ff1a}' => (
            ':',
            template!("lookalike.wide-colon", "a wide colon (U+FF1A)"),
        ),
        _ => return None,
    })
}

fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}'
    )
}

/// A look-alike that changes the meaning: the edit with the real character, its name, and the text where it occurs.
#[derive(Clone, Debug)]
pub(super) struct Lookalike {
    pub edit: Edit,
    pub name: Template,
    pub found: String,
}

impl Lookalike {
    pub fn help(&self) -> Message {
        let Lookalike { edit, found, .. } = self;
        let name = self.name.text();
        match edit.new_text.as_str() {
            "---" => message!(
                "lookalike.separator",
                "`{found}` has {name} in it, not a hyphen: write `---`",
                found,
                name
            ),
            "-" => message!(
                "lookalike.dash",
                "`{found}` is {name}, not a hyphen: write `-`",
                found,
                name
            ),
            "" => message!("lookalike.remove", "there is {name} here: remove it", name),
            text if text.trim().is_empty() => {
                message!(
                    "lookalike.space",
                    "there is {name} here, not a plain one: type an ordinary space",
                    name
                )
            }
            text => message!(
                "lookalike.other",
                "`{found}` is {name}: write `{text}`",
                found,
                name,
                text
            ),
        }
    }

    pub fn title(&self) -> Message {
        match self.edit.new_text.as_str() {
            "" => correction::remove_character(),
            text if text.trim().is_empty() => {
                message!("lookalike.write-spaces", "write ordinary spaces")
            }
            text => correction::write(text),
        }
    }
}

/// Finds the look-alike at the start of a line, or directly after its `-` or `:`; `start` is the line's offset in the file.
pub(super) fn in_line(line: &str, start: usize) -> Option<Lookalike> {
    if line.is_ascii() {
        return None;
    }
    let text = line.trim_end_matches(['\n', '\r']);
    let dashes = text.trim_end();
    if is_separator(dashes) {
        return first_of(dashes, '-').map(|name| lookalike_at(start, 0, dashes, "---", name));
    }
    let rest = text.trim_start_matches(is_blank);
    let from = text.len().saturating_sub(rest.len());
    let indent = text.get(..from).unwrap_or("");
    if let Some(name) = first_of(indent, ' ') {
        return Some(lookalike_at(start, 0, indent, &plain_blanks(indent), name));
    }
    let start_of_rest = start.saturating_add(from);
    as_item(rest, start_of_rest).or_else(|| behind_indicator(rest, start_of_rest))
}

/// Returns true for a whole line of dashes.
fn is_separator(text: &str) -> bool {
    text.chars().count() >= 2
        && text
            .chars()
            .all(|c| c == '-' || matches!(stands_for(c), Some(('-', _))))
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t' || matches!(stands_for(c), Some((' ', _)))
}

/// Returns blanks with ordinary spaces, and without those that nobody sees.
fn plain_blanks(blanks: &str) -> String {
    let visible = blanks.chars().filter(|&c| !is_invisible(c));
    visible
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect()
}

/// Finds a dash in place of the hyphen of a list's item.
fn as_item(text: &str, start: usize) -> Option<Lookalike> {
    let mut chars = text.chars();
    let first = chars.next()?;
    let Some(('-', name)) = stands_for(first) else {
        return None;
    };
    let is_item = chars.next().is_none_or(is_blank);
    is_item.then(|| lookalike_at(start, 0, first.encode_utf8(&mut [0; 4]), "-", name))
}

/// Finds a look-alike of a blank behind a `-` or `:`, or of a `:`; `text` is a line without its indentation.
fn behind_indicator(text: &str, start: usize) -> Option<Lookalike> {
    for (offset, c) in text.char_indices() {
        let next = offset.saturating_add(c.len_utf8());
        let (Some(before), Some(behind)) = (text.get(..offset), text.get(next..)) else {
            break;
        };
        match c {
            '#' if before.is_empty() || before.ends_with(is_blank) => break,
            '-' | ':' if c == ':' || offset == 0 => {
                let value = behind.trim_start_matches(is_blank);
                let length = behind.len().saturating_sub(value.len());
                let blanks = behind.get(..length).unwrap_or("");
                if let Some(name) = first_of(blanks, ' ') {
                    let visible = blanks.chars().filter(|&c| !is_invisible(c)).count();
                    let spaces = " ".repeat(visible.max(1));
                    return Some(lookalike_at(start, next, blanks, &spaces, name));
                }
            }
            _ => {
                if let Some((':', name)) = stands_for(c) {
                    let colon = if behind.starts_with(is_blank) {
                        ":"
                    } else {
                        ": "
                    };
                    let found = c.encode_utf8(&mut [0; 4]).to_owned();
                    return Some(lookalike_at(start, offset, &found, colon, name));
                }
            }
        }
    }
    None
}

/// Returns the name of the first look-alike of a character in a text.
fn first_of(text: &str, wanted: char) -> Option<Template> {
    text.chars().find_map(|c| match stands_for(c) {
        Some((real, name)) if real == wanted => Some(name),
        _ => None,
    })
}

fn lookalike_at(
    line: usize,
    offset: usize,
    found: &str,
    new_text: &str,
    name: Template,
) -> Lookalike {
    let start = line.saturating_add(offset);
    let span = Span::new(start, start.saturating_add(found.len()));
    Lookalike {
        edit: Edit {
            span,
            new_text: new_text.to_owned(),
        },
        name,
        found: found.to_owned(),
    }
}

/// Returns true if a text has a look-alike.
pub(in crate::text) fn has_lookalikes(text: &str) -> bool {
    !text.is_ascii()
        && text
            .chars()
            .any(|c| !c.is_ascii() && stands_for(c).is_some())
}

/// Warns of look-alikes in plain scalars of a document that kubectl accepts; they became part of the string.
pub(super) fn lookalikes(tree: &Tree<'_>, chunk: Span, findings: &mut Vec<Finding>) {
    let source = tree.source();
    if !has_lookalikes(tree.slice(chunk)) {
        return;
    }
    let mut found = 0usize;
    let mut tries_left = tries(chunk);
    for span in plain_scalars(tree) {
        let seen = in_scalar(source, span, tree.slice(span));
        // Lines that YAML joined into one string may need all their replacements at once.
        let together: Vec<Edit> = seen
            .iter()
            .map(|(_, lookalike)| lookalike.edit.clone())
            .collect();
        for (line, lookalike) in seen {
            found = found.saturating_add(1);
            if found > MOST {
                return;
            }
            let mut finding = became_text(line, &lookalike);
            for edits in [vec![lookalike.edit.clone()], together.clone()] {
                if tries_left > 0 && finding.fixes.is_empty() {
                    tries_left = tries_left.saturating_sub(1);
                    if reads(&edited(source, chunk, &edits)) {
                        finding = finding.with_fix(lookalike.title(), edits);
                    }
                }
            }
            findings.push(finding);
        }
    }
}

/// Returns the spans of plain strings and of keys, in the order of the text.
fn plain_scalars(tree: &Tree<'_>) -> Vec<Span> {
    let mut spans = Vec::new();
    for id in tree.ids() {
        let node = tree.node(id);
        match node.kind {
            Kind::Str(_) if node.style == Style::Plain => spans.push(node.span),
            Kind::Map { .. } => {
                let entries = tree.entries(id).iter().filter(|entry| !entry.merged);
                spans.extend(entries.map(|entry| entry.key_span));
            }
            _ => {}
        }
    }
    order::sort(&mut spans);
    spans.dedup();
    spans
}

/// Finds the look-alikes of a scalar, one on each line, with the text of the line.
fn in_scalar<'t>(source: &str, span: Span, scalar: &'t str) -> Vec<(&'t str, Lookalike)> {
    let mut seen = Vec::new();
    if scalar.is_ascii() || scalar.starts_with(['"', '\'', '|', '>', '*']) {
        return seen;
    }
    let mut start = span.from();
    for line in scalar.split_inclusive('\n') {
        // After a key only a space or a quote can be a mistake; a dash or a colon there is text.
        let lookalike = if begins_line(source, start) {
            in_line(line, start)
        } else {
            leading_blank(line, start)
        };
        if let Some(lookalike) = lookalike.or_else(|| quoted(line, start)) {
            seen.push((line.trim(), lookalike));
        }
        start = start.saturating_add(line.len());
    }
    seen
}

fn became_text(line: &str, lookalike: &Lookalike) -> Finding {
    let message = message!(
        "lookalike.became-text",
        "`{line}` became part of the text: it has {name} in it",
        line,
        name = lookalike.name.text()
    );
    Finding::new(Code::YamlLookalike, message)
        .with_help(lookalike.help())
        .with_span(lookalike.edit.span)
}

/// Returns true if only blanks and list dashes precede `offset` on its line.
fn begins_line(source: &str, offset: usize) -> bool {
    let before = source.get(..offset).unwrap_or("");
    let line = before.rsplit(['\n', '\r']).next().unwrap_or("");
    line.split([' ', '\t']).all(|word| matches!(word, "" | "-"))
}

/// Finds look-alikes of a space at the start of a value.
fn leading_blank(line: &str, start: usize) -> Option<Lookalike> {
    match stands_for(line.chars().next()?) {
        Some((' ', _)) => in_line(line, start),
        _ => None,
    }
}

/// Finds typographic quotes around the whole of a plain scalar.
fn quoted(text: &str, start: usize) -> Option<Lookalike> {
    let scalar = text.trim_end();
    let mut chars = scalar.chars();
    let (first, last) = (chars.next()?, chars.next_back()?);
    let inner = chars.as_str();
    let ((real, name), (closing, _)) = (stands_for(first)?, stands_for(last)?);
    if !matches!(real, '"' | '\'') || closing != real || inner.contains(['"', '\\', '\'']) {
        return None;
    }
    Some(lookalike_at(
        start,
        0,
        scalar,
        &format!("{real}{inner}{real}"),
        name,
    ))
}

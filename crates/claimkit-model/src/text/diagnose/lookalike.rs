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
        let Lookalike { edit, name, found } = self;
        let name = name.text();
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
    let of_dashes = |text: &str| {
        text.chars().count() >= 2
            && text
                .chars()
                .all(|c| c == '-' || matches!(stands_for(c), Some(('-', _))))
    };
    // A whole line of dashes: a separator.
    if of_dashes(dashes) {
        return first_of(dashes, '-').map(|name| at(start, 0, dashes, "---", name));
    }
    // Indentation.
    let blank = |c: char| c == ' ' || c == '\t' || matches!(stands_for(c), Some((' ', _)));
    let rest = text.trim_start_matches(blank);
    let indent = text
        .get(..text.len().saturating_sub(rest.len()))
        .unwrap_or("");
    if let Some(name) = first_of(indent, ' ') {
        let plain: String = indent
            .chars()
            .filter(|&c| !is_invisible(c))
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        return Some(at(start, 0, indent, &plain, name));
    }
    let from = indent.len();
    // A list item.
    let mut chars = rest.chars();
    if let Some(first) = chars.next()
        && let Some(('-', name)) = stands_for(first)
        && chars.next().is_none_or(blank)
    {
        return Some(at(
            start,
            from,
            &rest.chars().take(1).collect::<String>(),
            "-",
            name,
        ));
    }
    // Looks at the characters after each `-` and `:`.
    for (offset, c) in rest.char_indices() {
        let next = offset.saturating_add(c.len_utf8());
        let Some(behind) = rest.get(next..) else {
            break;
        };
        match c {
            '#' if offset == 0
                || rest
                    .get(..offset)
                    .is_some_and(|before| before.ends_with(blank)) =>
            {
                break;
            }
            '-' | ':' if c == ':' || offset == 0 => {
                let spaces: String = behind.chars().take_while(|&c| blank(c)).collect();
                if let Some(name) = first_of(&spaces, ' ') {
                    let plain: String = spaces
                        .chars()
                        .filter(|&c| !is_invisible(c))
                        .map(|_| ' ')
                        .collect();
                    let plain = if plain.is_empty() { " " } else { &plain };
                    return Some(at(start, from.saturating_add(next), &spaces, plain, name));
                }
            }
            _ => {
                if let Some((':', name)) = stands_for(c) {
                    let plain = if behind.starts_with(blank) { ":" } else { ": " };
                    return Some(at(
                        start,
                        from.saturating_add(offset),
                        &c.to_string(),
                        plain,
                        name,
                    ));
                }
            }
        }
    }
    None
}

fn first_of(text: &str, wanted: char) -> Option<Template> {
    text.chars().find_map(|c| {
        stands_for(c)
            .filter(|(real, _)| *real == wanted)
            .map(|(_, name)| name)
    })
}

fn at(line: usize, offset: usize, found: &str, new_text: &str, name: Template) -> Lookalike {
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
    if !has_lookalikes(source.get(chunk.from()..chunk.to()).unwrap_or("")) {
        return;
    }
    let mut spans: Vec<Span> = tree
        .ids()
        .map(|id| tree.node(id))
        .filter(|node| node.style == Style::Plain && matches!(node.kind, Kind::Str(_)))
        .map(|node| node.span)
        .collect();
    for id in tree.ids() {
        if matches!(tree.node(id).kind, Kind::Map { .. }) {
            spans.extend(
                tree.entries(id)
                    .iter()
                    .filter(|entry| !entry.merged)
                    .map(|entry| entry.key_span),
            );
        }
    }
    order::sort(&mut spans);
    spans.dedup();
    let mut found = 0usize;
    let mut tries = tries(chunk);
    for span in spans {
        let scalar = source.get(span.from()..span.to()).unwrap_or("");
        if scalar.is_ascii() || scalar.starts_with(['"', '\'', '|', '>', '*']) {
            continue;
        }
        let mut start = span.from();
        let mut seen = Vec::new();
        for line in scalar.split_inclusive('\n') {
            // After a key only a space or a quote can be a mistake; a dash or a colon there is text.
            let lookalike = if begins_line(source, start) {
                in_line(line, start)
            } else {
                leading_blank(line, start)
            };
            seen.extend(
                lookalike
                    .or_else(|| quoted(line, start))
                    .map(|lookalike| (line.trim(), lookalike)),
            );
            start = start.saturating_add(line.len());
        }
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
            let name = lookalike.name.text();
            let mut finding = Finding::new(
                Code::YamlLookalike,
                message!(
                    "lookalike.became-text",
                    "`{line}` became part of the text: it has {name} in it",
                    line,
                    name
                ),
            )
            .with_help(lookalike.help())
            .with_span(lookalike.edit.span);
            for edits in [vec![lookalike.edit.clone()], together.clone()] {
                if tries > 0 && finding.fixes.is_empty() {
                    tries = tries.saturating_sub(1);
                    if reads(&edited(source, chunk, &edits)) {
                        finding = finding.with_fix(lookalike.title(), edits);
                    }
                }
            }
            findings.push(finding);
        }
    }
}

/// Returns true if only blanks and list dashes precede `offset` on its line.
fn begins_line(source: &str, offset: usize) -> bool {
    let before = source.get(..offset).unwrap_or("");
    let line = before.rsplit(['\n', '\r']).next().unwrap_or("");
    line.split([' ', '\t']).all(|word| matches!(word, "" | "-"))
}

/// Finds look-alikes of a space at the start of a value.
fn leading_blank(line: &str, start: usize) -> Option<Lookalike> {
    line.chars()
        .next()
        .and_then(stands_for)
        .filter(|(real, _)| *real == ' ')?;
    in_line(line, start)
}

/// Finds typographic quotes around the whole of a plain scalar.
fn quoted(text: &str, start: usize) -> Option<Lookalike> {
    let text = text.trim_end();
    let (first, last) = (text.chars().next()?, text.chars().next_back()?);
    let ((real, name), (closing, _)) = (stands_for(first)?, stands_for(last)?);
    if !matches!(real, '"' | '\'') || closing != real || first.len_utf8() >= text.len() {
        return None;
    }
    let inner = text.get(first.len_utf8()..text.len().saturating_sub(last.len_utf8()))?;
    if inner.contains(['"', '\\', '\'']) {
        return None;
    }
    Some(at(start, 0, text, &format!("{real}{inner}{real}"), name))
}

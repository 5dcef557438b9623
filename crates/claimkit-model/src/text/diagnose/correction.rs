//! Corrects a scalar of the wrong type: quoted numbers and booleans, unquoted words that YAML 1.1 does not read as strings (`n`,
//! `on`, `010`, `1.10`), and `name:a`, which YAML reads as one word.

use crate::finding::Edit;
use crate::message::{Message, Template, message, template};
use crate::text::print;
use crate::text::source::Span;
use crate::text::tree::{Kind, NodeId, Style, Tree};
use claimkit_values::quantity::Quantity;

/// A correction of a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The help, in one line.
    pub help: Message,
    /// The effect of the edits.
    pub title: Message,
    pub edits: Vec<Edit>,
}

/// The type that a field expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Text,
    /// A struct or a map.
    Map,
    /// A struct with this field for such a value.
    Holder(&'static str),
    /// A struct, where this field and its value are one word: `value:1Gi`.
    Entry(&'static str),
    Quantity,
    Bool,
    Integer,
}

/// Returns the correction of a scalar at `node` if the field expects another type; `None` where what was meant is not certain.
pub fn correction(tree: &Tree<'_>, node: NodeId, expected: Expected) -> Option<Correction> {
    match expected {
        Expected::Holder(field) => return wrap_in_field(tree, node, field),
        Expected::Quantity => return correct_quantity(tree, node),
        Expected::Bool => {
            return remove_quotes(tree, node, |text| matches!(text, "true" | "false"));
        }
        Expected::Integer => {
            return remove_quotes(tree, node, |text| {
                text.parse::<i64>()
                    .is_ok_and(|number| number.to_string() == text)
            });
        }
        Expected::Text | Expected::Map | Expected::Entry(_) => {}
    }
    let place = tree.node(node);
    if place.style != Style::Plain || !place.properties.is_empty() {
        return None;
    }
    let written = tree.slice(place.span);
    if written.is_empty() {
        return None;
    }
    match expected {
        Expected::Text => add_quotes(place.kind, place.span, written),
        Expected::Map => separate_keys(tree, place.span, written),
        Expected::Entry(field) => {
            separate_keys(tree, place.span, written).or_else(|| wrap_entry(tree, place.span, field))
        }
        Expected::Holder(_) | Expected::Quantity | Expected::Bool | Expected::Integer => None,
    }
}

/// Removes the quotes around a value that is what the field expects without them.
fn remove_quotes(
    tree: &Tree<'_>,
    node: NodeId,
    expected: impl Fn(&str) -> bool,
) -> Option<Correction> {
    let place = tree.node(node);
    let quoted = matches!(place.style, Style::DoubleQuoted | Style::SingleQuoted)
        && place.properties.is_empty();
    let value = tree.str(node).filter(|value| quoted && expected(value))?;
    let help = message!(
        "correction.quoted-string",
        "in quotes it is a string: write `{value}`",
        value
    );
    Some(Correction {
        help,
        title: write(value),
        edits: vec![Edit {
            span: place.span,
            new_text: value.to_owned(),
        }],
    })
}

/// The field of a capacity and of a counter, which takes a quantity.
const QUANTITY_FIELD: &str = "value";

/// Corrects `80Gi` to `{value: 80Gi}`, and `80GB` to `{value: 80G}`.
fn wrap_in_field(tree: &Tree<'_>, node: NodeId, field: &str) -> Option<Correction> {
    let place = tree.node(node);
    let written = tree.slice(place.span);
    let scalar = matches!(
        place.kind,
        Kind::Bool(_)
            | Kind::Int(_)
            | Kind::Uint(_)
            | Kind::Float(_)
            | Kind::Number(_)
            | Kind::Str(_)
    );
    if !scalar || !place.properties.is_empty() || written.is_empty() || written.contains('\n') {
        return None;
    }
    // Some characters of a plain scalar would end it inside brackets.
    if place.style == Style::Plain && written.contains([',', '[', ']', '{', '}'])
        || matches!(place.style, Style::Literal | Style::Folded)
    {
        return None;
    }
    let name = if may_be_json(tree, node) {
        format!("\"{field}\"")
    } else {
        field.to_owned()
    };
    let text = tree.str(node).filter(|_| field == QUANTITY_FIELD);
    let value = match text.filter(|text| Quantity::parse(text).is_err()) {
        None => written.to_owned(),
        Some(text) => corrected_quantity(text).filter(|new| Quantity::parse(new).is_ok())?,
    };
    let new = format!("{{{name}: {value}}}");
    let help = message!(
        "correction.under-field",
        "the value belongs under `{field}`: write `{new}`",
        field,
        new
    );
    Some(Correction {
        help,
        title: write(&new),
        edits: vec![Edit {
            span: place.span,
            new_text: new,
        }],
    })
}

/// Corrects a quantity in the form of another version (`{value: 80Gi}` instead of `80Gi`), or with a unit that quantities do not
/// have (`6 GiB`).
fn correct_quantity(tree: &Tree<'_>, node: NodeId) -> Option<Correction> {
    let place = tree.node(node);
    if let [entry] = tree.entries(node)
        && tree.text(entry.key) == QUANTITY_FIELD
    {
        let value = tree.slice(tree.span(entry.value));
        if place.style == Style::Flow {
            return bare_quantity(place.span, value, value.to_owned());
        }
        // The value goes to the line of its key.
        let head = tree.source().get(..place.span.from())?.trim_end();
        if !head.ends_with(':') {
            return None;
        }
        let span = Span::new(head.len(), place.span.to());
        return bare_quantity(span, value, format!(" {value}"));
    }
    let text = tree.str(node)?;
    let new = corrected_quantity(text)?;
    if new == text {
        return None;
    }
    let at = crate::text::edit::only(tree.slice(place.span), text)?;
    let start = place.span.from().saturating_add(at);
    let help = message!(
        "correction.quantity",
        "write `{new}`: a quantity has no blanks and one of the units Ki, Mi, Gi, Ti, Pi, Ei, k, M, G, T, P, E",
        new
    );
    let edits = vec![Edit {
        span: Span::new(start, start.saturating_add(text.len())),
        new_text: new.clone(),
    }];
    Some(Correction {
        help,
        title: write(&new),
        edits,
    })
}

/// Corrects `{value: 80Gi}` to `80Gi`. `new_text`: the value with the blank before it.
fn bare_quantity(span: Span, value: &str, new_text: String) -> Option<Correction> {
    if value.is_empty() {
        return None;
    }
    let help = message!(
        "correction.bare-capacity",
        "a capacity is the quantity itself in this version: write `{new}`",
        new = value
    );
    Some(Correction {
        help,
        title: write(value),
        edits: vec![Edit { span, new_text }],
    })
}

/// Returns `6Gi` for `6 GiB`, and `40M` for `40mb`; `None` if the text is not a number and a unit.
pub fn corrected_quantity(text: &str) -> Option<String> {
    let digits = text
        .trim()
        .trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let letters = text.trim().get(digits.len()..)?;
    let number = digits.trim_end();
    if number.is_empty() || number.contains(|c: char| !matches!(c, '0'..='9' | '.' | '+' | '-')) {
        return None;
    }
    let without_bytes = letters.strip_suffix(['B', 'b']).unwrap_or(letters);
    let mut chars = without_bytes.chars();
    let unit = match (chars.next(), chars.next(), chars.next()) {
        (None, ..) => String::new(),
        (Some(first), Some('i' | 'I'), None) if "kKmMgGtTpPeE".contains(first) => {
            format!("{}i", first.to_ascii_uppercase())
        }
        (Some('k' | 'K'), None, None) => "k".to_owned(),
        (Some(first), None, None) if "MGTPE".contains(first) => first.to_string(),
        // `m` alone is a thousandth.
        (Some(first), None, None) if "mgtpe".contains(first) && without_bytes != letters => {
            first.to_ascii_uppercase().to_string()
        }
        _ => return None,
    };
    Some(format!("{number}{unit}"))
}

/// Returns true if the text around a node may be JSON.
fn may_be_json(tree: &Tree<'_>, node: NodeId) -> bool {
    tree.source().trim_start().starts_with('{')
        && matches!(tree.node(node).style, Style::DoubleQuoted | Style::Plain)
}

/// Adds quotes.
fn add_quotes(kind: Kind, span: Span, written: &str) -> Option<Correction> {
    let read_as = match kind {
        Kind::Null => "null".to_owned(),
        Kind::Bool(value) => value.to_string(),
        Kind::Int(value) => value.to_string(),
        Kind::Uint(value) => value.to_string(),
        Kind::Float(value) => {
            let mut text = String::new();
            print::float(value, &mut text);
            text
        }
        _ => return None,
    };
    let help = if read_as == written {
        message!(
            "correction.not-a-string",
            "`{written}` is not a string here: write `\"{written}\"`",
            written
        )
    } else {
        message!(
            "correction.read-as",
            "without quotes YAML reads `{written}` as `{read_as}`: write `\"{written}\"`",
            written,
            read_as
        )
    };
    let edits = vec![Edit {
        span,
        new_text: format!("\"{written}\""),
    }];
    Some(Correction {
        help,
        title: quote(written),
        edits,
    })
}

/// Adds a space after the colons if each line looks like a key and a value and all begin in the same column.
fn separate_keys(tree: &Tree<'_>, span: Span, written: &str) -> Option<Correction> {
    let text_before = tree.source().get(..span.from())?;
    let before = text_before.rsplit(['\n', '\r']).next()?;
    if before.starts_with("---") || !before.bytes().all(|byte| matches!(byte, b' ' | b'-')) {
        return None;
    }
    let mut edits = Vec::new();
    let mut at = span.from();
    for (number, line) in written.split_inclusive('\n').enumerate() {
        let word = line.trim_start_matches(' ');
        let indent = line.len().saturating_sub(word.len());
        if number > 0 && indent != before.len() {
            return None;
        }
        let behind = behind_colon(word.trim_end())?;
        edits.push(Edit {
            span: Span::at(at.saturating_add(indent).saturating_add(behind)),
            new_text: " ".to_owned(),
        });
        at = at.saturating_add(line.len());
    }
    let first = written.lines().next().unwrap_or_default();
    Some(Correction {
        help: blank(first.trim_end()),
        title: PUT.text(),
        edits,
    })
}

/// The title of an edit that adds a space after a colon.
pub(super) const PUT: Template = template!("correction.put-blank", "put a space after the colon");

/// Corrects `value:1Gi` beside its key or in brackets to `{value: 1Gi}`.
fn wrap_entry(tree: &Tree<'_>, span: Span, field: &str) -> Option<Correction> {
    let written = tree.slice(span);
    let value = written.strip_prefix(field)?.strip_prefix(':')?;
    behind_colon(written)?;
    let new = format!("{{{field}: {value}}}");
    Some(Correction {
        help: blank(written),
        title: write(&new),
        edits: vec![Edit {
            span,
            new_text: new,
        }],
    })
}

/// Returns the title of an edit that writes a text in place of another.
pub(super) fn write(text: &str) -> Message {
    message!("correction.write", "write `{text}`", text)
}

/// Returns the title of an edit that puts a text in quotes.
pub(super) fn quote(text: &str) -> Message {
    message!("correction.quote", "quote `{text}`", text)
}

/// Returns the title of an edit that removes a character.
pub(super) fn remove_character() -> Message {
    message!("correction.remove-character", "remove the character")
}

/// Returns the help for a word that looks like a key with its value.
pub(super) fn blank(word: &str) -> Message {
    message!(
        "correction.one-word",
        "`{word}` is one word: put a space after the colon",
        word
    )
}

/// Returns the offset of the missing space in a word like `key:value`, both of plain characters.
pub(super) fn behind_colon(word: &str) -> Option<usize> {
    let (key, value) = word.split_once(':')?;
    (is_plain_word(key) && is_plain_word(value)).then(|| key.len().saturating_add(1))
}

fn is_plain_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'/' | b'-'))
}

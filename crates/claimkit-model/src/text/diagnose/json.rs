//! Plainer messages for JSON that kubectl refuses.

use super::refusal::place;
use crate::finding::{Code, Edit, Finding, Origin};
use crate::message::{Message, message};
use crate::text::json::JsonError;
use crate::text::source::{Source, Span};
use crate::text::yaml;

/// A text above this size is not read again to see whether a fix helps.
const MOST_BYTES: usize = 1 << 20;

/// Explains an error of JSON in a file with kubectl's message. `file`: its bytes without a byte order mark. The message's offset counts the bytes read, including the offending byte, without a
/// byte order mark.
pub(in crate::text) fn explain_json(source: &Source<'_>, file: Span, error: &JsonError) -> Finding {
    let files = source.text();
    let text = files.get(..file.to()).unwrap_or(files);
    let file_start = file.from();
    let at = error.offset.min(text.len());
    let next = char_at(text, at);
    let message = match next {
        None => "unexpected EOF".to_owned(),
        Some(_) => format!(
            "json: offset {}: {}",
            at.saturating_add(1).saturating_sub(file_start),
            error.message
        ),
    };
    let span = Span::new(at, at.saturating_add(next.map_or(0, char::len_utf8)));
    let finding = Finding::upstream(Code::JsonSyntax, Origin::Kubectl, message).with_span(span);
    let begins_with_template = source.slice(file).trim_start().starts_with("{{");
    if next.is_some() && begins_with_template {
        return finding.with_help(message!(
            "json.template",
            "`{{ … }}` looks like a template that was not rendered: render it first"
        ));
    }
    let before = text.get(..at).unwrap_or("").trim_end();
    if let Some(close @ ('}' | ']')) = next
        && let Some(before_comma) = before.strip_suffix(',')
    {
        let comma = Span::new(before_comma.len(), before.len());
        return without_trailing_comma(finding, comma, close);
    }
    let help = match next {
        Some(_) if reads_as_yaml(source.slice(file)) => return read_as_yaml(finding, file_start),
        Some(character) => help_at(source, error, character, error.opened),
        None => help_at_end(source, text, error.opened),
    };
    finding.with_help(help)
}

fn without_trailing_comma(finding: Finding, comma: Span, close: char) -> Finding {
    let edit = Edit {
        span: comma,
        new_text: String::new(),
    };
    finding
        .with_help(message!(
            "json.trailing-comma",
            "JSON allows no `,` before `{close}`: remove it",
            close
        ))
        .with_fix(
            message!("json.remove-comma", "remove the comma"),
            vec![edit],
        )
}

/// Explains that kubectl does not try YAML for a file that begins like JSON.
fn read_as_yaml(finding: Finding, file_start: usize) -> Finding {
    let edit = Edit {
        span: Span::at(file_start),
        new_text: "---\n".to_owned(),
    };
    finding
        .with_help(message!(
            "json.yaml",
            "kubectl takes a file that begins with `{` for JSON alone: begin it with a line `---` and it is read as YAML"
        ))
        .with_fix(
            message!("json.begin-with-separator", "begin the file with `---`"),
            vec![edit],
        )
}

/// Explains a text that ends too early; `opened`: the start of the innermost open list, object or string.
fn help_at_end(source: &Source<'_>, text: &str, opened: Option<usize>) -> Message {
    match opened {
        Some(open) => message!(
            "json.never-closed",
            "the text ends, but the `{bracket}` at {place} is never closed",
            bracket = char_at(text, open).unwrap_or('{'),
            place = place(source, open)
        ),
        None => message!(
            "json.ends-in-value",
            "the text ends in the middle of a value"
        ),
    }
}

/// Explains a character that is not allowed where it is; `opened`: the start of the innermost open list, object or string.
fn help_at(source: &Source<'_>, error: &JsonError, c: char, opened: Option<usize>) -> Message {
    let reason = error.message.as_str();
    let rest = source.text().get(error.offset..).unwrap_or_default();
    if rest.starts_with("//") || rest.starts_with("/*") {
        return message!("json.comment", "JSON has no comments: remove it");
    }
    match (c, opened) {
        ('\'', _) => message!("json.double-quotes", "JSON strings are in double quotes"),
        ('\n' | '\r' | '\t', Some(_)) if reason.contains("in string literal") => message!(
            "json.control",
            "a JSON text cannot go over the end of the line, nor hold a tab: write `\\n` or `\\t`"
        ),
        _ if reason.contains("object key string") => {
            message!("json.key", "a key is in double quotes")
        }
        _ if reason.contains("in string escape code") => {
            message!("json.backslash", "write `\\\\` for a backslash")
        }
        (_, Some(open)) if reason.contains(" after ") => message!(
            "json.comma-or-end",
            "a `,` or the end of the `{bracket}` at {place} is missing before this",
            bracket = char_at(source.text(), open).unwrap_or('{'),
            place = place(source, open)
        ),
        _ => message!(
            "json.not-here",
            "JSON does not allow `{character}` here",
            character = c.escape_default()
        ),
    }
}

fn char_at(text: &str, offset: usize) -> Option<char> {
    text.get(offset..)?.chars().next()
}

fn reads_as_yaml(text: &str) -> bool {
    if text.len() > MOST_BYTES || !super::trial::reads(text) {
        return false;
    }
    let Some((end, _)) = yaml::read(text, yaml::Bounds::default()).end else {
        return false;
    };
    // The edit must not drop anything that JSON would read.
    let behind = text.get(end as usize..).unwrap_or("");
    let rest = behind.trim_start();
    rest.is_empty() || rest.starts_with("---")
}

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
    let marked = file.from();
    let at = error.offset.min(text.len());
    let next = char_at(text, at);
    let message = match next {
        None => "unexpected EOF".to_owned(),
        Some(_) => format!(
            "json: offset {}: {}",
            at.saturating_add(1).saturating_sub(marked),
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
        && let Some(kept) = before.strip_suffix(',')
    {
        let edit = Edit {
            span: Span::new(kept.len(), before.len()),
            new_text: String::new(),
        };
        return finding
            .with_help(message!(
                "json.trailing-comma",
                "JSON allows no `,` before `{close}`: remove it",
                close
            ))
            .with_fix(
                message!("json.remove-comma", "remove the comma"),
                vec![edit],
            );
    }
    if next.is_some() && reads_as_yaml(source.slice(file)) {
        let edit = Edit {
            span: Span::at(marked),
            new_text: "---\n".to_owned(),
        };
        return finding
            .with_help(message!(
                "json.yaml",
                "kubectl takes a file that begins with `{` for JSON alone: begin it with a line `---` and it is read as YAML"
            ))
            .with_fix(message!("json.begin-with-separator", "begin the file with `---`"), vec![edit]);
    }
    let help = match (next, error.opened) {
        (Some(c), opened) => help_at(source, error, c, opened),
        (None, Some(open)) => message!(
            "json.never-closed",
            "the text ends, but the `{bracket}` at {place} is never closed",
            bracket = char_at(text, open).unwrap_or('{'),
            place = place(source, open)
        ),
        (None, None) => message!(
            "json.ends-in-value",
            "the text ends in the middle of a value"
        ),
    };
    finding.with_help(help)
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

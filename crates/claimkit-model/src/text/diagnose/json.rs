//! Plainer messages for JSON that kubectl refuses.

use super::refusal::place;
use crate::finding::{Code, Edit, Finding, Origin};
use crate::message::message;
use crate::text::json::JsonError;
use crate::text::source::{Source, Span};
use crate::text::yaml;

/// A text above this size is not read again to see whether a fix helps.
const MOST_BYTES: usize = 1 << 20;

/// Explains an error of JSON in a file with kubectl's message. `file`: its bytes without a byte order mark. The message's offset counts the bytes read, including the offending byte, without a
/// byte order mark.
pub(in crate::text) fn explain_json(source: &Source<'_>, file: Span, error: &JsonError) -> Finding {
    let text = source.text();
    let text = text.get(..file.to()).unwrap_or(text);
    let marked = file.from();
    let at = error.offset.min(text.len());
    let next = text.get(at..).and_then(|rest| rest.chars().next());
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
    if next.is_some()
        && text
            .get(marked..)
            .unwrap_or("")
            .trim_start()
            .starts_with("{{")
    {
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
    let bracket = |open: usize| {
        text.get(open..)
            .and_then(|rest| rest.chars().next())
            .unwrap_or('{')
    };
    let help = match (next, error.opened) {
        (None, Some(open)) => message!(
            "json.never-closed",
            "the text ends, but the `{bracket}` at {place} is never closed",
            bracket = bracket(open),
            place = place(source, open)
        ),
        (None, None) => message!(
            "json.ends-in-value",
            "the text ends in the middle of a value"
        ),
        (Some('\''), _) => message!("json.double-quotes", "JSON strings are in double quotes"),
        (Some('\n' | '\r' | '\t'), Some(_)) if error.message.contains("in string literal") => {
            message!(
                "json.control",
                "a JSON text cannot go over the end of the line, nor hold a tab: write `\\n` or `\\t`"
            )
        }
        (Some(_), _) if error.message.contains("object key string") => {
            message!("json.key", "a key is in double quotes")
        }
        (Some(_), _) if error.message.contains("in string escape code") => {
            message!("json.backslash", "write `\\\\` for a backslash")
        }
        (Some(_), Some(open)) if error.message.contains(" after ") => message!(
            "json.comma-or-end",
            "a `,` or the end of the `{bracket}` at {place} is missing before this",
            bracket = bracket(open),
            place = place(source, open)
        ),
        (Some(c), _) => message!(
            "json.not-here",
            "JSON does not allow `{character}` here",
            character = c.escape_default()
        ),
    };
    finding.with_help(help)
}

fn reads_as_yaml(text: &str) -> bool {
    text.len() <= MOST_BYTES
        && super::trial::documents(text)
            .into_iter()
            .all(|part| yaml::read(part, yaml::Bounds::default()).error.is_none())
        && yaml::read(text, yaml::Bounds::default())
            .end
            .is_some_and(|(end, _)| {
                // The edit must not drop anything that JSON would read.
                let rest = text.get(end as usize..).unwrap_or("").trim_start();
                rest.is_empty() || rest.starts_with("---")
            })
}

//! Plainer messages for JSON that kubectl refuses.

use crate::finding::{Code, Edit, Finding, Origin};
use crate::text::BYTE_ORDER_MARK;
use crate::text::json::JsonError;
use crate::text::source::{Source, Span};
use crate::text::yaml;

/// A text above this size is not read again to see whether a fix helps.
const MOST_BYTES: usize = 1 << 20;

/// Explains an error of JSON with kubectl's message. Its offset counts the bytes read, including the offending byte, without a
/// byte order mark.
pub(in crate::text) fn explain_json(source: &Source<'_>, error: &JsonError) -> Finding {
    let text = source.text();
    let marked = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    let at = error.offset.min(text.len());
    let next = text.get(at..).and_then(|rest| rest.chars().next());
    let message = match next {
        None => "unexpected EOF".to_owned(),
        Some(_) => format!("json: offset {}: {}", at.saturating_add(1).saturating_sub(marked), error.message),
    };
    let span = Span::new(at, at.saturating_add(next.map_or(0, char::len_utf8)));
    let finding = Finding::new(Code::JsonSyntax, Origin::Kubectl, message).with_span(span);
    let opened = error.opened.map(|open| {
        let position = source.position(open);
        let bracket = text.get(open..).and_then(|rest| rest.chars().next()).unwrap_or('{');
        format!("the `{bracket}` at line {}, column {}", position.line.saturating_add(1), position.character.saturating_add(1))
    });
    if next.is_some() && text.get(marked..).unwrap_or("").trim_start().starts_with("{{") {
        return finding.with_help("`{{ … }}` looks like a template that was not rendered: render it first");
    }
    let before = text.get(..at).unwrap_or("").trim_end();
    if let Some(close @ ('}' | ']')) = next
        && let Some(kept) = before.strip_suffix(',')
    {
        let edit = Edit { span: Span::new(kept.len(), before.len()), new_text: String::new() };
        return finding
            .with_help(format!("JSON allows no `,` before `{close}`: remove it"))
            .with_fix("remove the comma", vec![edit]);
    }
    if next.is_some() && reads_as_yaml(text) {
        let edit = Edit { span: Span::at(marked), new_text: "---\n".to_owned() };
        return finding
            .with_help(
                "kubectl takes a file that begins with `{` for JSON alone: begin it with a line `---` and it is read as YAML",
            )
            .with_fix("begin the file with `---`", vec![edit]);
    }
    let help = match (next, opened) {
        (None, Some(opened)) => format!("the text ends, but {opened} is never closed"),
        (None, None) => "the text ends in the middle of a value".to_owned(),
        (Some('\''), _) => "JSON text stands in double quotes".to_owned(),
        (Some('\n' | '\r' | '\t'), Some(_)) if error.message.contains("in string literal") => {
            "a JSON text cannot go over the end of the line, nor hold a tab: write `\\n` or `\\t`".to_owned()
        }
        (Some(_), _) if error.message.contains("object key string") => "a key stands in double quotes".to_owned(),
        (Some(_), _) if error.message.contains("in string escape code") => "write `\\\\` for a backslash".to_owned(),
        (Some(_), Some(opened)) if error.message.contains(" after ") => {
            format!("a `,` or the end of {opened} is missing before this")
        }
        (Some(c), _) => format!("JSON does not allow `{}` here", c.escape_default()),
    };
    finding.with_help(help)
}

fn reads_as_yaml(text: &str) -> bool {
    text.len() <= MOST_BYTES
        && super::trial::documents(text).into_iter().all(|part| yaml::read(part, yaml::Bounds::default()).error.is_none())
        && yaml::read(text, yaml::Bounds::default()).end.is_some_and(|(end, _)| {
            // The edit must not drop anything that JSON would read.
            let rest = text.get(end as usize..).unwrap_or("").trim_start();
            rest.is_empty() || rest.starts_with("---")
        })
}

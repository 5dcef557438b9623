//! Code in a help, as it is written in the YAML around an expression.

use claimkit_model::message::{Message, Words, message};
use claimkit_model::text::tree::Style;

/// Signs that a plain value cannot begin with.
const NOT_FIRST: [char; 13] = [
    '!', '"', '\'', '[', ']', '{', '}', '&', '*', '|', '>', '%', '`',
];

/// Adds to a help about an expression how its code is written in the string that holds the expression.
pub fn help(help: Words, expression: &str, style: Style) -> Words {
    let said = help.as_str().to_owned();
    match added(&said, expression, style) {
        Some(message) => message.into(),
        None => help,
    }
}

fn added(help: &str, expression: &str, style: Style) -> Option<Message> {
    let codes: Vec<&str> = help.split('`').skip(1).step_by(2).collect();
    let has = |signs: &[char]| codes.iter().any(|code| code.contains(signs));
    match style {
        Style::DoubleQuoted if has(&['"', '\\']) => Some(message!(
            "hint.in-double-quotes",
            "{help}; the expression is in double quotes of YAML, so put a `\\` before each `\"` and each `\\` of it",
            help
        )),
        Style::SingleQuoted if has(&['\'']) => Some(message!(
            "hint.in-single-quotes",
            "{help}; the expression is in single quotes of YAML, so write each `'` of it twice",
            help
        )),
        Style::Plain if begins_anew(&codes, expression) => Some(message!(
            "hint.put-in-quotes",
            "{help}; put the whole expression in single quotes, because YAML reads its first sign otherwise",
            help
        )),
        _ => None,
    }
}

/// Returns true if the advised code comes first in the expression, and YAML does not read a plain value that begins so.
fn begins_anew(codes: &[&str], expression: &str) -> bool {
    let Some((new, others)) = codes.split_first() else {
        return false;
    };
    let replaces_start = match others.first() {
        Some(old) => expression.starts_with(old),
        // A sign alone is one that is missing, or to be left out.
        None => new.contains(char::is_alphanumeric),
    };
    replaces_start && new.starts_with(NOT_FIRST)
}

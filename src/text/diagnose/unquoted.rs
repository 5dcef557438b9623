//! Words without quotes that YAML 1.1 takes for something else than text: `n`, `on`, `010`, `1.10`.

use crate::report::Edit;
use crate::text::print;
use crate::text::tree::{Kind, NodeId, Style, Tree};

/// A plain scalar that is no string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unquoted {
    /// The text as written.
    pub written: String,
    /// What YAML makes of it: `true`, `8`, `1.1`, `null`.
    pub read_as: String,
    /// Puts it in quotes, so that it is the text as written.
    pub fix: Edit,
}

impl Unquoted {
    /// What the fix does.
    pub fn title(&self) -> String {
        format!("quote `{}`", self.written)
    }

    /// What to do about it, in one line.
    pub fn help(&self) -> String {
        if self.read_as == self.written {
            format!("`{}` is not a string here: write `\"{}\"`", self.written, self.written)
        } else {
            format!("without quotes YAML reads `{}` as `{}`: write `\"{}\"`", self.written, self.read_as, self.written)
        }
    }
}

/// What stands at `node`, when it is a plain scalar of a YAML text that is no string: for who
/// wants a string there. JSON and quoted text give nothing, an empty value neither.
pub fn unquoted(tree: &Tree<'_>, node: NodeId) -> Option<Unquoted> {
    let place = tree.node(node);
    if place.style != Style::Plain || !place.properties.is_empty() {
        return None;
    }
    let read_as = match place.kind {
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
    let written = tree.source().get(place.span.from()..place.span.to()).filter(|text| !text.is_empty())?.to_owned();
    let fix = Edit { span: place.span, new_text: format!("\"{written}\"") };
    Some(Unquoted { written, read_as, fix })
}

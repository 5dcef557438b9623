//! An expression that is written where a selector, or a list of selectors, has it one or two levels deeper.

use crate::advice::rewrite;
use claimkit_model::finding::Edit;
use claimkit_model::message::{Message, message};
use claimkit_model::object::decode::Mismatch;
use claimkit_model::schema::{FieldType, Release};
use claimkit_model::text::Span;
use claimkit_model::text::diagnose::Correction;
use claimkit_model::text::edit::{self, Edits};
use claimkit_model::text::tree::{NodeId, Style, Tree};

/// What an expression was written in place of.
#[derive(Clone, Copy)]
enum InPlaceOf {
    /// The value of `cel`.
    CelSelector,
    /// An entry of `selectors`.
    Selector,
    /// The value of `selectors`.
    Selectors,
}

impl InPlaceOf {
    fn of(ty: &FieldType) -> Option<Self> {
        match ty.pointed() {
            FieldType::List(item) if is_selector(item) => Some(InPlaceOf::Selectors),
            item if is_selector(item) => Some(InPlaceOf::Selector),
            other => other
                .as_struct()
                .filter(|schema| schema.go == "CELDeviceSelector")
                .map(|_| InPlaceOf::CelSelector),
        }
    }

    /// Returns how the value is written, in one line.
    fn example(self) -> &'static str {
        match self {
            InPlaceOf::CelSelector => "{expression: …}",
            InPlaceOf::Selector => "{cel: {expression: …}}",
            InPlaceOf::Selectors => "[{cel: {expression: …}}]",
        }
    }

    /// Returns the lines before the expression, for a value behind a key or a `-` that begins in a column.
    fn lines(self, line_break: &str, column: usize) -> String {
        let before = match self {
            InPlaceOf::CelSelector => String::new(),
            InPlaceOf::Selector => " cel:".to_owned(),
            InPlaceOf::Selectors => {
                let item = " ".repeat(column.saturating_add(2));
                format!("{line_break}{item}- cel:")
            }
        };
        let field = " ".repeat(column.saturating_add(self.depth()));
        format!("{before}{line_break}{field}expression: ")
    }

    /// Returns how much deeper the expression is then.
    fn depth(self) -> usize {
        match self {
            InPlaceOf::CelSelector => 2,
            InPlaceOf::Selector => 4,
            InPlaceOf::Selectors => 6,
        }
    }
}

fn is_selector(ty: &FieldType) -> bool {
    ty.as_struct()
        .is_some_and(|schema| schema.go == "DeviceSelector")
}

/// Returns what an expression at a mismatch was written in place of.
fn place_of_expression(tree: &Tree<'_>, mismatch: &Mismatch) -> Option<InPlaceOf> {
    let place = InPlaceOf::of(&mismatch.ty)?;
    let expression = tree.str(mismatch.node)?;
    let environment = rewrite::environment(Release::latest());
    environment.compile(expression).ok()?;
    Some(place)
}

/// Returns the help for an expression that is not deep enough.
pub(super) fn help(tree: &Tree<'_>, mismatch: &Mismatch) -> Option<Message> {
    place_of_expression(tree, mismatch).map(help_at)
}

fn help_at(place: InPlaceOf) -> Message {
    message!(
        "correct.bare-expression",
        "an expression is under `expression`: write `{example}` here",
        example = place.example()
    )
}

/// Returns the correction of an expression that is not deep enough, where it is on lines of its own.
pub(super) fn correction(tree: &Tree<'_>, mismatch: &Mismatch) -> Option<Correction> {
    let place = place_of_expression(tree, mismatch)?;
    Some(Correction {
        help: help_at(place),
        title: message!(
            "correct.put-under-expression",
            "write the expression under `expression`"
        ),
        edits: edits(tree, mismatch.node, place)?,
    })
}

/// Returns the edits that write the keys above an expression, and indent it.
fn edits(tree: &Tree<'_>, node: NodeId, place: InPlaceOf) -> Option<Vec<Edit>> {
    let text = tree.source();
    let value = tree.node(node);
    if value.style == Style::Flow || !value.properties.is_empty() {
        return None;
    }
    let from = value.span.from();
    let line_start = edit::line_start(text, from);
    let head = text.get(line_start..from)?;
    let before = head.trim_end_matches(' ');
    // What is before the value on its line: `- `, or `key:`, perhaps behind other `- `.
    let key = before.trim_start_matches([' ', '-']);
    let is_key = key.ends_with(':') && !key.contains([' ', '{', '[', ',', '"', '\'']);
    let column = match place {
        InPlaceOf::Selector if key.is_empty() && before.ends_with('-') => {
            before.len().checked_sub(1)?
        }
        InPlaceOf::CelSelector | InPlaceOf::Selectors if is_key => {
            before.len().checked_sub(key.len())?
        }
        _ => return None,
    };
    let end_of_key = line_start.saturating_add(before.len());
    let lines = place.lines(edit::line_break(text, from), column);
    let mut edits = Edits::new();
    edits.replace(Span::new(end_of_key, from), lines);
    edits.indent(text, from, value.span.to(), place.depth());
    edits.sorted().ok()
}

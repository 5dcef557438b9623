//! Decisions as comments above the lines they concern.

use super::Decision;
use crate::advice::locate;
use crate::convert::check;
use crate::manifest::Input;
use claimkit_model::limits::Limits;
use claimkit_model::text::edit::{self, Edits};
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::stream::AfterJson;
use claimkit_model::text::{File, Mode};
use claimkit_values::order;

/// The beginning of every comment.
const MARK: &str = "# claimkit: ";

/// Writes comments into the text; `None` where it has no place for them: JSON, and text whose meaning they would change.
/// `decisions`: those of each object of the text, in order.
pub fn annotated(text: &str, decisions: &[&[Decision]]) -> Option<String> {
    let limits = Limits {
        bytes: usize::MAX,
        nodes: usize::MAX,
        ..Limits::default()
    };
    let input = Input::read_unchecked(text, AfterJson::ReadOn, None, &limits);
    let mut edits = Edits::new();
    let mut comments: Vec<(usize, String)> = Vec::new();
    for (item, decisions) in input.items.iter().zip(decisions) {
        let tree = input.tree(item)?;
        for decision in *decisions {
            if input.mode(item) == Mode::Json {
                return None;
            }
            let at = locate::locate_key(tree, item.node, &decision.at).from();
            let line = edit::line_start(text, at);
            let blanks = text
                .get(line..)
                .unwrap_or("")
                .bytes()
                .take_while(|&byte| byte == b' ')
                .count();
            let pad = " ".repeat(blanks);
            let line_break = edit::line_break(text, at);
            let mut comment = format!("{pad}{MARK}{}{line_break}", one_line(&decision.message()));
            for other in &decision.alternatives {
                comment.push_str(&format!("{pad}{MARK}or: {}{line_break}", one_line(other)));
            }
            comments.push((line, comment));
        }
    }
    // Decisions about one line stay in their order.
    order::sort_by_key(&mut comments, |(line, _)| *line);
    let mut from = comments.as_slice();
    while let Some((line, _)) = from.first() {
        let run = from.iter().take_while(|(other, _)| other == line).count();
        let (here, rest) = from.split_at(run);
        edits.insert(
            *line,
            here.iter()
                .map(|(_, comment)| comment.as_str())
                .collect::<String>(),
        );
        from = rest;
    }
    let new = edit::apply(text, &edits.sorted().ok()?);
    (values(&check::reread(&new, &limits)) == values(&input.file)).then_some(new)
}

fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}') {
                ' '
            } else {
                c
            }
        })
        .collect()
}

fn values(file: &File<'_>) -> Vec<String> {
    let mut values = Vec::new();
    for document in &file.documents {
        if let Some(root) = document.root {
            let mut out = String::new();
            print::json(&document.tree, root, Order::Source, usize::MAX, &mut out);
            values.push(out);
        }
    }
    values
}

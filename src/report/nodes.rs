//! Placements for a person at a terminal: a line per node that reads well aloud, a table, everything about one node.

use crate::evaluate::placement::{
    Check, PlacedClaim, PlacedNode, PlacementVerdict, SelectorCheck, TermOutcome,
};
use crate::report::text::{TerminalStyle, visible};
use claimkit_model::text::located::Range;

/// Names the place of a range: `class.yaml:14:9`.
pub type Locate<'a> = &'a dyn Fn(&Range) -> Option<String>;

fn verdict(verdict: PlacementVerdict, style: TerminalStyle) -> String {
    let sgr = match verdict {
        PlacementVerdict::Yes => "32",
        PlacementVerdict::Possible => "33",
        PlacementVerdict::No | PlacementVerdict::Error => "31",
    };
    style.paint(sgr, &verdict.name().to_ascii_lowercase())
}

fn at(range: Option<&Range>, place: Locate<'_>) -> String {
    range
        .and_then(place)
        .map_or_else(String::new, |place| format!(" ({})", visible(&place)))
}

/// Returns a node in one line: `node-3: no: term 2 of 3 misses by one: … (class.yaml:14:9)`.
pub fn line(node: &PlacedNode, place: Locate<'_>, style: TerminalStyle) -> String {
    let name = match node.name.as_str() {
        "" => "(no name)",
        name => name,
    };
    let place = if matches!(node.verdict, PlacementVerdict::No | PlacementVerdict::Error) {
        at(node.range.as_ref(), place)
    } else {
        String::new()
    };
    format!(
        "{}: {}: {}{place}",
        visible(name),
        verdict(node.verdict, style),
        visible(&node.reason)
    )
}

/// Returns everything about one node.
pub fn explanation(node: &PlacedNode, place: Locate<'_>, style: TerminalStyle) -> String {
    let mut out = format!("  {}\n", line(node, place, style));
    for claim in node.claims.iter().flatten() {
        write_claim(&mut out, claim, place, style);
    }
    if let Some(check) = &node.selector {
        write_terms(&mut out, check, 4, place, style);
    }
    out
}

fn write_claim(out: &mut String, claim: &PlacedClaim, place: Locate<'_>, style: TerminalStyle) {
    let parts = [
        ("entry", &claim.entry),
        ("claim", &claim.claim),
        ("class", &claim.class),
    ];
    let named = parts
        .iter()
        .filter_map(|(name, value)| {
            Some(format!(
                "{name} `{}`",
                value.as_deref().filter(|value| !value.is_empty())?
            ))
        })
        .collect::<Vec<_>>()
        .join(", ");
    out.push_str(&format!(
        "    {}: {}: {}\n",
        visible(&named),
        verdict(claim.verdict, style),
        visible(&claim.reason)
    ));
    if let Some(reason) = claim
        .scheduler_reason
        .as_deref()
        .filter(|reason| !reason.is_empty())
    {
        out.push_str(&format!("      the scheduler says: {}\n", visible(reason)));
    }
    for check in &claim.checks {
        let range = check
            .selector
            .as_ref()
            .and_then(|selector| selector.range.as_ref());
        let why = visible(&check.why);
        out.push_str(&format!(
            "      {} {}: {why}{}\n",
            mark(check.holds, style),
            name(check),
            at(range, place)
        ));
        if let Some(selector) = &check.selector {
            write_terms(out, selector, 8, place, style);
        }
    }
}

/// Returns the path of a check's selector, else the check's own name.
fn name(check: &Check) -> &str {
    let source = check.selector.as_ref().and_then(|selector| selector.source);
    source
        .filter(|source| !source.is_empty())
        .unwrap_or(check.check.name())
}

/// Returns `+` for what holds, `-` for what does not, `?` for what decides nothing.
fn mark(holds: Option<bool>, style: TerminalStyle) -> String {
    match holds {
        Some(true) => style.paint("32", "+"),
        Some(false) => style.paint("31", "-"),
        None => "?".to_owned(),
    }
}

fn write_terms(
    out: &mut String,
    check: &SelectorCheck,
    indent: usize,
    place: Locate<'_>,
    style: TerminalStyle,
) {
    for term in check.terms.iter().flatten() {
        let said = match term.outcome {
            TermOutcome::Match => "matches",
            TermOutcome::NoMatch => "does not match",
            TermOutcome::Empty => "is empty and selects nothing",
            TermOutcome::Error => "cannot be parsed",
        };
        let number = term.index.saturating_add(1);
        out.push_str(&format!(
            "{:indent$}term {number} {said}{}\n",
            "",
            at(term.range.as_ref(), place)
        ));
        for requirement in &term.requirements {
            let why = visible(&requirement.why);
            let place = at(requirement.range.as_ref(), place);
            out.push_str(&format!(
                "{:indent$}  {} {why}{place}\n",
                "",
                mark(requirement.holds, style)
            ));
        }
    }
}

/// The titles of [`row`].
pub const TITLES: [&str; 6] = ["OBJECT", "NODE", "VERDICT", "SCHEDULER", "PLACE", "REASON"];

/// Returns one row of a table: object, node, verdict, the scheduler's text, the place, the reason.
pub fn row(object: &str, node: &PlacedNode, place: Locate<'_>) -> Vec<String> {
    let position = node.range.as_ref().and_then(place).unwrap_or_default();
    vec![
        object.to_owned(),
        dash_if_empty(&node.name),
        node.verdict.to_string(),
        dash_if_empty(node.scheduler_reason.as_deref().unwrap_or_default()),
        dash_if_empty(&position),
        node.reason.to_string(),
    ]
}

fn dash_if_empty(text: &str) -> String {
    if text.is_empty() {
        "-".to_owned()
    } else {
        text.to_owned()
    }
}

/// Returns rows in columns.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut widths = vec![0; columns];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(visible(cell).chars().count());
        }
    }
    let mut out = String::new();
    for row in rows {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, &width)| format!("{:width$}", visible(cell)));
        out.push_str(cells.collect::<Vec<_>>().join("   ").trim_end());
        out.push('\n');
    }
    out
}

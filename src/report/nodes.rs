//! Placements for a person at a terminal: a line per node that reads well aloud, a table, everything about one node. Like all
//! renderers they start from the answer's JSON (see [`crate::report::answer`]); here from parts of `objects[i].placement`.

use crate::report::text::{Style, visible};
use serde_json::Value;

/// Names the place of a `range`: `class.yaml:14:9`.
pub type Locate<'a> = &'a dyn Fn(&Value) -> Option<String>;

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn verdict(verdict: &str, style: Style) -> String {
    let sgr = match verdict {
        "Yes" => "32",
        "Possible" => "33",
        _ => "31",
    };
    style.paint(sgr, &verdict.to_ascii_lowercase())
}

fn at(value: &Value, place: Locate<'_>) -> String {
    value.get("range").and_then(place).map_or_else(String::new, |place| format!(" ({})", visible(&place)))
}

/// `node-3: no: term 2 of 3 misses by one: … (class.yaml:14:9)`
pub fn line(node: &Value, place: Locate<'_>, style: Style) -> String {
    let name = match text(node, "name") {
        "" => "(no name)",
        name => name,
    };
    let said = text(node, "verdict");
    let place = if matches!(said, "No" | "Error") { at(node, place) } else { String::new() };
    format!("{}: {}: {}{place}", visible(name), verdict(said, style), visible(text(node, "reason")))
}

/// Everything about one node.
pub fn explanation(node: &Value, place: Locate<'_>, style: Style) -> String {
    let mut out = format!("  {}\n", line(node, place, style));
    for claim in list(node, "claims") {
        write_claim(&mut out, claim, place, style);
    }
    if let Some(check) = node.get("selector") {
        write_terms(&mut out, check, 4, place, style);
    }
    out
}

fn write_claim(out: &mut String, claim: &Value, place: Locate<'_>, style: Style) {
    let parts = ["entry", "claim", "class"].map(|name| (name, text(claim, name)));
    let named: Vec<String> =
        parts.iter().filter(|(_, said)| !said.is_empty()).map(|(name, said)| format!("{name} `{said}`")).collect();
    let said = verdict(text(claim, "verdict"), style);
    out.push_str(&format!("    {}: {said}: {}\n", visible(&named.join(", ")), visible(text(claim, "reason"))));
    let reason = text(claim, "schedulerReason");
    if !reason.is_empty() {
        out.push_str(&format!("      the scheduler says: {}\n", visible(reason)));
    }
    for check in list(claim, "checks") {
        let what = match text(check, "source") {
            "" => text(check, "check"),
            source => source,
        };
        out.push_str(&format!("      {} {what}: {}{}\n", mark(check, style), visible(text(check, "why")), at(check, place)));
        write_terms(out, check, 8, place, style);
    }
}

/// `+` what holds, `-` what does not, `?` what decides nothing.
fn mark(check: &Value, style: Style) -> String {
    match check.get("holds").and_then(Value::as_bool) {
        Some(true) => style.paint("32", "+"),
        Some(false) => style.paint("31", "-"),
        None => "?".to_owned(),
    }
}

fn write_terms(out: &mut String, check: &Value, indent: usize, place: Locate<'_>, style: Style) {
    for term in list(check, "terms") {
        let index = term.get("index").and_then(Value::as_u64).unwrap_or_default();
        let said = match text(term, "outcome") {
            "Match" => "matches",
            "NoMatch" => "does not match",
            "Empty" => "is empty and selects nothing",
            _ => "cannot be parsed",
        };
        out.push_str(&format!("{:indent$}term {} {said}{}\n", "", index.saturating_add(1), at(term, place)));
        for requirement in list(term, "requirements") {
            let why = visible(text(requirement, "why"));
            out.push_str(&format!("{:indent$}  {} {why}{}\n", "", mark(requirement, style), at(requirement, place)));
        }
    }
}

/// The titles of [`row`].
pub const TITLES: [&str; 6] = ["OBJECT", "NODE", "VERDICT", "SCHEDULER", "PLACE", "REASON"];

/// One row of a table: object, node, verdict, the scheduler's text, the place, the reason.
pub fn row(object: &str, node: &Value, place: Locate<'_>) -> Vec<String> {
    let or_dash = |text: &str| if text.is_empty() { "-".to_owned() } else { text.to_owned() };
    vec![
        object.to_owned(),
        or_dash(text(node, "name")),
        text(node, "verdict").to_owned(),
        or_dash(text(node, "schedulerReason")),
        node.get("range").and_then(place).unwrap_or_else(|| "-".to_owned()),
        text(node, "reason").to_owned(),
    ]
}

/// Rows in columns.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| visible(cell).chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{:width$}", visible(cell)));
        out.push_str(cells.collect::<Vec<_>>().join("   ").trim_end());
        out.push('\n');
    }
    out
}

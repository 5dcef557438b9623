//! Optional values, which `.?name` reads: what to write behind them, compiled before it is advised.

use super::cel_text::{Code, after_blanks};
use super::cel_values;
use super::rewrite::{self, Rewriting};
use claimkit_model::cel::{Environment, SELECTOR_COST_LIMIT};
use claimkit_model::message::{Message, message};
use claimkit_model::schema::Release;
use std::ops::Range;

/// The functions of optional values.
const OWN_FUNCTIONS: [&str; 6] = [
    "or(",
    "orValue(",
    "hasValue(",
    "value(",
    "optMap(",
    "optFlatMap(",
];

/// Functions of versions, with the first version as a value.
const OF_VERSIONS: [&str; 6] = [
    "compareTo(",
    "isGreaterThan(",
    "isLessThan(",
    "major(",
    "minor(",
    "patch(",
];

/// Returns the advice for an optional value that is used as the value itself, or the other way around.
pub(super) fn advice(
    expression: &str,
    code: &Code,
    error: &str,
    release: Release,
) -> Option<Message> {
    let environment = rewrite::environment(release);
    if error.contains("no matching overload for 'orValue'") {
        let rewriting = with_question_mark(expression, code)?;
        return rewrite::advice(vec![rewriting], &environment);
    }
    if !error.contains("optional_type(") {
        return None;
    }
    let rewritings = chains(code)
        .into_iter()
        .filter_map(|chain| with_default(expression, code, chain, &environment))
        .filter(|rewriting| is_cheap(rewriting, &environment))
        .collect();
    let advised = rewrite::advice(rewritings, &environment);
    Some(advised.unwrap_or_else(|| {
        message!(
            "cause.optional",
            "`.?` reads a value that may be missing: say what stands for it with `.orValue(…)`, as in `device.attributes[\"domain\"].?name.orValue(\"\") == \"a\"`"
        )
    }))
}

/// Returns true if a server accepts the cost of what is advised.
fn is_cheap(rewriting: &Rewriting, environment: &Environment) -> bool {
    let compiled = environment.compile(rewriting.whole()).ok();
    let estimate = compiled.and_then(|program| program.cost_estimate());
    estimate.is_some_and(|estimate| estimate.max <= SELECTOR_COST_LIMIT)
}

/// Writes `map.name.orValue(…)` as `map.?name.orValue(…)`.
fn with_question_mark(expression: &str, code: &Code) -> Option<Rewriting> {
    let end = code.text.find(".orValue(")?;
    let start = rewrite::operand_start(expression, end);
    let operand = expression.get(start..end)?;
    let dot = start.saturating_add(operand.rfind('.')?);
    let map = expression.get(start..dot)?;
    let name = expression.get(dot.saturating_add(1)..end)?;
    rewrite::replaced(expression, start..end, format!("{map}.?{name}"))
}

/// Returns the reads of optional values that have no function of theirs behind them.
fn chains(code: &Code) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for sign in [".?", "[?"] {
        for (at, _) in code.text.match_indices(sign) {
            let Some(end) = chain_end(&code.text, at) else {
                continue;
            };
            let behind = code.text.get(end..).and_then(|rest| rest.strip_prefix('.'));
            let has_own = OWN_FUNCTIONS
                .iter()
                .any(|name| behind.is_some_and(|rest| rest.starts_with(name)));
            if !has_own {
                found.push(rewrite::operand_start(&code.text, at)..end);
            }
        }
    }
    found
}

/// Returns where the names and indexes from a byte on end: before a call, an operator or the end.
fn chain_end(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with('[') {
            at = rewrite::closing(text, at)?.saturating_add(1);
            continue;
        }
        let Some(name) = rest.strip_prefix('.') else {
            return Some(at);
        };
        let name = name.strip_prefix('?').unwrap_or(name);
        let behind = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if behind.starts_with('(') || behind.len() == name.len() {
            return Some(at);
        }
        at = text.len().saturating_sub(behind.len());
    }
}

/// Writes the value that stands for a missing one, and the comparison that this value has.
fn with_default(
    expression: &str,
    code: &Code,
    chain: Range<usize>,
    environment: &Environment,
) -> Option<Rewriting> {
    let read = expression.get(chain.clone())?;
    let default = default_for(expression, code, &chain);
    let insertion = format!(".orValue({default})");
    let simple = rewrite::replaced(expression, chain, format!("{read}{insertion}"))?;
    let Err(error) = environment.compile(simple.whole()) else {
        return Some(simple);
    };
    let whole = simple.whole();
    let compared = cel_values::comparison_as_method(whole, &Code::of(whole), &error.to_string())?;
    let old = compared.old().replacen(&insertion, "", 1);
    let start = expression.find(&old)?;
    let place = start..start.saturating_add(old.len());
    rewrite::replaced(expression, place, compared.new_text().to_owned())
}

/// Comparisons, with each longer one before the one it begins with.
const COMPARISONS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];

/// Returns a value for a missing one, of the type that the expression takes.
fn default_for(expression: &str, code: &Code, chain: &Range<usize>) -> &'static str {
    let read = expression.get(chain.clone()).unwrap_or_default();
    if read.contains("device.capacity") {
        return "quantity(\"0\")";
    }
    let start = after_blanks(&code.text, chain.end).unwrap_or(chain.end);
    let rest = expression.get(start..).unwrap_or_default();
    if let Some(method) = rest.strip_prefix('.') {
        let is_version = OF_VERSIONS.iter().any(|name| method.starts_with(name));
        return if is_version {
            "semver(\"0.0.0\")"
        } else {
            "\"\""
        };
    }
    let behind = COMPARISONS
        .iter()
        .find_map(|sign| rest.strip_prefix(sign))
        .or_else(|| rest.strip_prefix("in")?.trim_start().strip_prefix('['));
    let head = expression.get(..chain.start).unwrap_or_default().trim_end();
    let before = COMPARISONS.iter().find_map(|sign| head.strip_suffix(sign));
    match (behind, before) {
        (Some(other), _) => default_beside(other.trim_start()),
        (None, Some(other)) => {
            let other = other.trim_end();
            let from = rewrite::operand_start(other, other.len());
            default_beside(other.get(from..).unwrap_or_default())
        }
        (None, None) => "false",
    }
}

/// Returns a value of the type of what it is compared with.
fn default_beside(other: &str) -> &'static str {
    if other.starts_with("true") || other.starts_with("false") {
        return "false";
    }
    let is_number = |c: char| c.is_ascii_digit() || c == '-';
    if other.starts_with(is_number) {
        return "0";
    }
    "\"\""
}

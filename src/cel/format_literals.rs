//! `string.format`: the check of a literal format and of the literals that it is given (cel-go, `ext/formatting.go`).

use super::ast::{Expr, Node};
use super::checker::Findings;
use super::library::format::{self as formatter, Error, Kind};
use super::types::Type;

/// Where a problem of a format is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatSite {
    /// At the call.
    Call,
    /// At an element of the list.
    Argument(usize),
}

fn kind(of: &Type) -> Kind {
    match of {
        Type::Int => Kind::Int,
        Type::Uint => Kind::Uint,
        Type::Double => Kind::Double,
        Type::Bool => Kind::Bool,
        Type::String => Kind::Text,
        Type::Bytes => Kind::Bytes,
        Type::Null => Kind::Null,
        Type::Type(_) => Kind::Type,
        Type::Timestamp => Kind::Timestamp,
        Type::Duration => Kind::Duration,
        Type::List(_) => Kind::List,
        Type::Map(_) => Kind::Map,
        _ => Kind::Other,
    }
}

/// What is wrong with a format and the literals it is given.
pub fn validate(findings: &Findings, template: &str, arguments: &[Expr]) -> Option<(FormatSite, String)> {
    let used = formatter::check(template, arguments.len(), |clause, at| {
        let Some(argument) = arguments.get(at) else { return Ok(()) };
        if accepts(findings, argument, &|kind| clause.accepts(kind), 0) {
            return Ok(());
        }
        Err((at, clause.refusal(findings.type_of(argument.id).name())))
    });
    match used {
        Err(Error::Template(text)) => Some((FormatSite::Call, text)),
        Err(Error::Argument((at, text))) => Some((FormatSite::Argument(at), format!("error during formatting: {text}"))),
        Ok(used) if used < arguments.len() => {
            let text = format!("too many arguments supplied to string.format (expected {used}, got {})", arguments.len());
            Some((FormatSite::Call, text))
        }
        Ok(_) => None,
    }
}

/// Deepest literal that is looked into; the parser allows none deeper.
const DEEPEST: u32 = 300;

/// Whether a clause takes an argument. Literal lists and maps are asked for what is in them.
fn accepts(findings: &Findings, argument: &Expr, takes: &impl Fn(Kind) -> bool, depth: u32) -> bool {
    let of = findings.type_of(argument.id);
    let deeper = depth.saturating_add(1);
    if depth > DEEPEST || *of != Type::Dyn && !takes(kind(of)) {
        return false;
    }
    match &argument.node {
        Node::List { elements, .. } => elements.iter().all(|element| accepts(findings, element, takes, deeper)),
        Node::Map { entries } => entries
            .iter()
            .all(|entry| accepts(findings, &entry.key, takes, deeper) && accepts(findings, &entry.value, takes, deeper)),
        _ => true,
    }
}

//! `string.format`: the check of a literal format and of the literals that it is given (cel-go, `ext/formatting.go`).

use super::ast::{Expr, ExprNode};
use super::checker::CheckerFindings;
use super::library::format::{self as formatter, ArgumentKind, FormatError};
use super::types::Type;

fn kind(of: &Type) -> ArgumentKind {
    match of {
        Type::Int => ArgumentKind::Int,
        Type::Uint => ArgumentKind::Uint,
        Type::Double => ArgumentKind::Double,
        Type::Bool => ArgumentKind::Bool,
        Type::String => ArgumentKind::Text,
        Type::Bytes => ArgumentKind::Bytes,
        Type::Null => ArgumentKind::Null,
        Type::Type(_) => ArgumentKind::Type,
        Type::Timestamp => ArgumentKind::Timestamp,
        Type::Duration => ArgumentKind::Duration,
        Type::List(_) => ArgumentKind::List,
        Type::Map(_) => ArgumentKind::Map,
        _ => ArgumentKind::Other,
    }
}

/// Returns the problem with a format and its literal arguments. `Some(part)` names the argument part at fault; `None` means the
/// call itself.
pub fn validate<'e>(
    findings: &CheckerFindings,
    template: &str,
    arguments: &'e [Expr],
) -> Option<(Option<&'e Expr>, String)> {
    let used = formatter::check(template, arguments.len(), |clause, at| {
        let Some(argument) = arguments.get(at) else {
            return Ok(());
        };
        match refused(findings, argument, &|kind| clause.accepts(kind), 0) {
            Some(part) => Err((part, clause.refusal(findings.type_of(part.id).name()))),
            None => Ok(()),
        }
    });
    match used {
        Err(FormatError::Template(text)) => Some((None, text)),
        Err(FormatError::Argument((part, text))) => {
            Some((Some(part), format!("error during formatting: {text}")))
        }
        Ok(used) if used < arguments.len() => {
            let text = format!(
                "too many arguments supplied to string.format (expected {used}, got {})",
                arguments.len()
            );
            Some((None, text))
        }
        Ok(_) => None,
    }
}

/// Deepest literal that is looked into; the parser allows none deeper.
const DEEPEST: u32 = 300;

/// Returns the part of an argument that a clause does not accept. Literal lists and maps are checked element by element.
fn refused<'e>(
    findings: &CheckerFindings,
    argument: &'e Expr,
    takes: &impl Fn(ArgumentKind) -> bool,
    depth: u32,
) -> Option<&'e Expr> {
    let of = findings.type_of(argument.id);
    let deeper = |part| refused(findings, part, takes, depth.saturating_add(1));
    if depth > DEEPEST || *of != Type::Dyn && !takes(kind(of)) {
        return Some(argument);
    }
    match &argument.node {
        ExprNode::List { elements, .. } => elements.iter().find_map(deeper),
        ExprNode::Map { entries } => entries
            .iter()
            .find_map(|entry| deeper(&entry.key).or_else(|| deeper(&entry.value))),
        _ => None,
    }
}

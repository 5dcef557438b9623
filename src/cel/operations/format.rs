//! `string.format`: the check of literals and the call (cel-go, `ext/formatting.go`).

use super::super::ast::{Expr, Node};
use super::super::checker::Findings;
use super::super::dialect::Rules;
use super::super::library::format::{self as formatter, Argument, Error, Kind, Spacing};
use super::super::types::Type;
use super::super::value::Value;
use super::Scope;

/// Where a problem of a format is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
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
pub fn validate(findings: &Findings, template: &str, arguments: &[Expr]) -> Option<(Place, String)> {
    let used = formatter::check(template, arguments.len(), |clause, at| {
        let Some(argument) = arguments.get(at) else { return Ok(()) };
        if accepts(findings, argument, &|kind| clause.accepts(kind), 0) {
            return Ok(());
        }
        Err((at, clause.refusal(findings.type_of(argument.id).name())))
    });
    match used {
        Err(Error::Template(text)) => Some((Place::Call, text)),
        Err(Error::Argument((at, text))) => Some((Place::Argument(at), format!("error during formatting: {text}"))),
        Ok(used) if used < arguments.len() => {
            let text = format!("too many arguments supplied to string.format (expected {used}, got {})", arguments.len());
            Some((Place::Call, text))
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

/// Formats values.
pub fn format(scope: &mut Scope<'_>, template: &str, arguments: &[Value]) -> Value {
    let mut given = Vec::with_capacity(arguments.len());
    for argument in arguments {
        match convert(scope, argument) {
            Some(argument) => given.push(argument),
            None => return Value::Error(std::sync::Arc::new(super::too_many_steps())),
        }
    }
    let text = formatter::format(template, &given, spacing(scope.rules()));
    text.map_or_else(Value::error, |text| {
        scope.step(text.len() as u64 / 16);
        Value::string(text)
    })
}

fn spacing(rules: &Rules) -> Spacing {
    if rules.first_libraries { Spacing::Narrow } else { Spacing::None }
}

/// A value as the formatter knows it. None if there is too much of it.
fn convert(scope: &mut Scope<'_>, value: &Value) -> Option<Argument> {
    let size = match value {
        Value::String(text) => text.len() as u64 / 16,
        Value::Bytes(bytes) => bytes.len() as u64 / 16,
        _ => 0,
    };
    if !scope.step(size.saturating_add(1)) {
        return None;
    }
    Some(match value {
        Value::Int(i) => Argument::Int(*i),
        Value::Uint(u) => Argument::Uint(*u),
        Value::Double(d) => Argument::Double(*d),
        Value::Bool(b) => Argument::Bool(*b),
        Value::String(s) => Argument::Text(s.to_string()),
        Value::Bytes(b) => Argument::Bytes(b.to_vec()),
        Value::Null => Argument::Null,
        Value::Type(t) => Argument::Type(t.name().to_owned()),
        Value::Timestamp(t) => Argument::Timestamp(t.to_string()),
        Value::Duration(d) => Argument::Duration(d.to_string()),
        Value::List(list) => Argument::List(list.iter().map(|element| convert(scope, element)).collect::<Option<_>>()?),
        Value::Map(map) => {
            let entries = map.entries().iter();
            Argument::Map(
                entries.map(|(key, value)| Some((convert(scope, key)?, convert(scope, value)?))).collect::<Option<_>>()?,
            )
        }
        other => Argument::Other(other.type_name().to_owned()),
    })
}

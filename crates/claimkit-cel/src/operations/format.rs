//! `string.format`: the call (cel-go, `ext/formatting.go`).

use super::super::dialect::DialectRules;
use super::super::library::format::{self as formatter, Argument, Spacing};
use super::super::value::Value;
use super::EvaluationScope;

/// Formats values.
pub fn format(scope: &mut EvaluationScope<'_>, template: &str, arguments: &[Value]) -> Value {
    let mut given = Vec::with_capacity(arguments.len());
    for argument in arguments {
        match to_argument(scope, argument) {
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

fn spacing(rules: &DialectRules) -> Spacing {
    if rules.first_libraries {
        Spacing::Narrow
    } else {
        Spacing::None
    }
}

/// Returns a value as the formatter knows it. None if there is too much of it.
fn to_argument(scope: &mut EvaluationScope<'_>, value: &Value) -> Option<Argument> {
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
        Value::List(list) => Argument::List(
            list.iter()
                .map(|element| to_argument(scope, element))
                .collect::<Option<_>>()?,
        ),
        Value::Map(map) => {
            let entries = map.entries().iter();
            Argument::Map(
                entries
                    .map(|(key, value)| {
                        Some((to_argument(scope, key)?, to_argument(scope, value)?))
                    })
                    .collect::<Option<_>>()?,
            )
        }
        other => Argument::Other(other.type_name().to_owned()),
    })
}

//! Functions of texts (cel-go, `ext/strings.go`; kube-apiserver, `pkg/cel/library/regex.go`).

use std::sync::Arc;

use super::super::library::strings::{self, PastEnd};
use super::super::regex::Regex;
use super::super::value::Value;
use super::EvaluationScope;

/// Functions that take a regular expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchKind {
    /// `matches`
    Matches,
    /// `find`
    Find,
    /// `findAll`
    FindAll,
}

fn text_value(result: Result<String, String>) -> Value {
    result.map_or_else(Value::error, Value::string)
}

fn texts_value<S: AsRef<str>>(list: impl IntoIterator<Item = S>) -> Value {
    Value::list(list.into_iter().map(Value::string).collect())
}

fn rule_past_end(scope: &EvaluationScope<'_>) -> PastEnd {
    if scope.rules().first_libraries {
        PastEnd::Error
    } else {
        PastEnd::NotFound
    }
}

/// Computes `a.contains(b)`.
pub fn contains(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(text), Value::String(piece)] => {
            scope.step(text.len() as u64 / 64);
            Value::Bool(text.contains(&**piece))
        }
        _ => Value::no_such_overload(),
    }
}

/// Computes `a.startsWith(b)`.
pub fn starts_with(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(text), Value::String(piece)] => Value::Bool(text.starts_with(&**piece)),
        _ => Value::no_such_overload(),
    }
}

/// Computes `a.endsWith(b)`.
pub fn ends_with(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(text), Value::String(piece)] => Value::Bool(text.ends_with(&**piece)),
        _ => Value::no_such_overload(),
    }
}

/// Computes `a.matches(b)` with an expression that is not a constant.
pub fn matches(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    compiled(scope, MatchKind::Matches, arguments)
}

/// Computes `a.find(b)` with an expression that is not a constant.
pub fn find(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    compiled(scope, MatchKind::Find, arguments)
}

/// Computes `a.findAll(b)`, `a.findAll(b, n)` with an expression that is not a constant.
pub fn find_all(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    compiled(scope, MatchKind::FindAll, arguments)
}

fn compiled(scope: &mut EvaluationScope<'_>, kind: MatchKind, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(text), Value::String(pattern), rest @ ..] => {
            scope.step(64_u64.saturating_add(pattern.len() as u64));
            match Regex::new(pattern) {
                Ok(regex) => run_regex(scope, kind, &regex, text, rest.first()),
                Err(error) if kind == MatchKind::Matches => Value::error(error),
                Err(error) => Value::error(format!("Illegal regex: {error}")),
            }
        }
        _ => Value::no_such_overload(),
    }
}

/// Searches a text.
pub fn run_regex(
    scope: &mut EvaluationScope<'_>,
    kind: MatchKind,
    regex: &Regex,
    text: &str,
    limit: Option<&Value>,
) -> Value {
    scope.step(text.len() as u64);
    match (kind, limit) {
        (MatchKind::Matches, _) => Value::Bool(regex.is_match(text)),
        (MatchKind::Find, _) => Value::string(regex.find(text).unwrap_or_default()),
        (MatchKind::FindAll, None) => texts_value(regex.find_all(text, -1)),
        (MatchKind::FindAll, Some(Value::Int(limit))) => texts_value(regex.find_all(text, *limit)),
        (MatchKind::FindAll, Some(_)) => Value::no_such_overload(),
    }
}

/// Computes `a.charAt(i)`.
pub fn char_at(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(of), Value::Int(index)] => text_value(strings::char_at(of, *index)),
        _ => Value::no_such_overload(),
    }
}

/// Computes `a.indexOf(b)`, `a.indexOf(b, i)`.
pub fn index_of(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let past_end = rule_past_end(scope);
    match arguments {
        [Value::String(of), Value::String(piece)] => {
            strings::index_of(of, piece, past_end).map_or_else(Value::error, Value::Int)
        }
        [Value::String(of), Value::String(piece), Value::Int(from)] => {
            strings::index_of_from(of, piece, *from, past_end).map_or_else(Value::error, Value::Int)
        }
        _ => Value::no_such_overload(),
    }
}

/// Computes `a.lastIndexOf(b)`, `a.lastIndexOf(b, i)`.
pub fn last_index_of(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let past_end = rule_past_end(scope);
    match arguments {
        [Value::String(of), Value::String(piece)] => {
            strings::last_index_of(of, piece, past_end).map_or_else(Value::error, Value::Int)
        }
        [Value::String(of), Value::String(piece), Value::Int(from)] => {
            strings::last_index_of_from(of, piece, *from, past_end)
                .map_or_else(Value::error, Value::Int)
        }
        _ => Value::no_such_overload(),
    }
}

/// Computes `list.join()`, `list.join(separator)`.
pub fn join(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let (list, separator) = match arguments {
        [Value::List(list)] => (list, ""),
        [Value::List(list), Value::String(separator)] => (list, &**separator),
        _ => return Value::no_such_overload(),
    };
    let mut joined = String::new();
    for (index, element) in list.iter().enumerate() {
        let Value::String(element) = element else {
            return Value::error(format!("join: invalid input: {element}"));
        };
        if index > 0 {
            joined.push_str(separator);
        }
        joined.push_str(element);
        let added = (element.len().saturating_add(separator.len())) as u64;
        if !scope.step(added.saturating_add(1)) || !scope.can_make(joined.len() as u64 / 5) {
            return Value::Error(Arc::new(super::too_many_steps()));
        }
    }
    Value::string(joined)
}

/// Computes `a.lowerAscii()`.
pub fn lower_ascii(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(of)] => Value::string(strings::lower_ascii(of)),
        _ => Value::no_such_overload(),
    }
}

/// Computes `a.upperAscii()`.
pub fn upper_ascii(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(of)] => Value::string(strings::upper_ascii(of)),
        _ => Value::no_such_overload(),
    }
}

/// Largest text that `replace` makes, in bytes. Upstream has no limit of its own.
const LARGEST_TEXT: u64 = 16 << 20;

/// Returns true if the texts that take the place of `old` are too large together. Their places are counted only if the text is so
/// large that there may be too many.
fn is_too_large_to_replace(text: &str, old: &str, new: &str) -> bool {
    let new_length = new.len() as u64;
    let most_places = (text.len() as u64).saturating_add(1);
    if most_places.saturating_mul(new_length.saturating_add(1)) <= LARGEST_TEXT {
        return false;
    }
    let places = if old.is_empty() {
        text.chars().count().saturating_add(1)
    } else {
        text.matches(old).count()
    };
    (places as u64).saturating_mul(new_length) > LARGEST_TEXT
}

/// Computes `a.replace(old, new)`, `a.replace(old, new, n)`.
pub fn replace(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let [
        Value::String(text),
        Value::String(old),
        Value::String(new),
        limit @ ..,
    ] = arguments
    else {
        return Value::no_such_overload();
    };
    let limit = match limit {
        [] => -1,
        [Value::Int(limit)] => *limit,
        _ => return Value::no_such_overload(),
    };
    if is_too_large_to_replace(text, old, new) {
        return Value::Error(Arc::new(super::too_many_steps()));
    }
    let replaced = strings::replace(text, old, new, limit);
    scope.step((text.len().saturating_add(replaced.len())) as u64 / 16);
    Value::string(replaced)
}

/// Computes `a.split(separator)`, `a.split(separator, n)`.
pub fn split(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let (of, separator, limit) = match arguments {
        [Value::String(of), Value::String(separator)] => (of, separator, -1),
        [
            Value::String(of),
            Value::String(separator),
            Value::Int(limit),
        ] => (of, separator, *limit),
        _ => return Value::no_such_overload(),
    };
    scope.step(of.len() as u64);
    texts_value(strings::split(of, separator, limit))
}

/// Computes `a.substring(i)`, `a.substring(i, j)`.
pub fn substring(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(of), Value::Int(start)] => text_value(strings::substring_from(of, *start)),
        [Value::String(of), Value::Int(start), Value::Int(end)] => {
            text_value(strings::substring(of, *start, *end))
        }
        _ => Value::no_such_overload(),
    }
}

/// Computes `a.trim()`.
pub fn trim(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(of)] => Value::string(strings::trim(of)),
        _ => Value::no_such_overload(),
    }
}

/// Computes `strings.quote(a)`.
pub fn quote(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(of)] => Value::string(strings::quote(of)),
        _ => Value::no_such_overload(),
    }
}

/// Computes `a.format(list)`.
pub fn format(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(of), Value::List(list)] => super::format::format(scope, of, list),
        _ => Value::no_such_overload(),
    }
}

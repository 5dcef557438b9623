//! What was meant by an expression that kube-apiserver does not compile: rewritings that are written often, each compiled before it
//! is advised.

use claimkit_model::cel::library::quantity::CelQuantity;
use claimkit_model::cel::library::semver::SemanticVersion;
use claimkit_model::cel::{Environment, EnvironmentMode};
use claimkit_model::message::{Message, message};
use claimkit_model::nearest::{folded, near};
use claimkit_model::schema::{Gates, Release};
use claimkit_scheduler::environments;
use std::ops::Range;

/// A piece of an expression, what to write in its place, and the whole expression with it.
pub(super) struct Rewriting {
    old: String,
    new: String,
    whole: String,
}

impl Rewriting {
    /// Returns the whole expression with the new text.
    pub(super) fn whole(&self) -> &str {
        &self.whole
    }

    /// Returns the piece that is replaced.
    pub(super) fn old(&self) -> &str {
        &self.old
    }

    /// Returns what to write in its place.
    pub(super) fn new_text(&self) -> &str {
        &self.new
    }
}

/// Names of other languages, and their names in CEL.
const SYNONYMS: [(&str, &str); 22] = [
    ("count", "size"),
    ("defined", "has"),
    ("exists", "has"),
    ("isDefined", "has"),
    ("len", "size"),
    ("length", "size"),
    ("lower", "lowerAscii"),
    ("match", "matches"),
    ("nil", "null"),
    ("none", "null"),
    ("regex", "matches"),
    ("regexMatch", "matches"),
    ("str", "string"),
    ("strip", "trim"),
    ("substr", "substring"),
    ("test", "matches"),
    ("toLower", "lowerAscii"),
    ("toLowerCase", "lowerAscii"),
    ("toString", "string"),
    ("toUpper", "upperAscii"),
    ("toUpperCase", "upperAscii"),
    ("upper", "upperAscii"),
];

/// Returns the name in CEL of a function that other languages have under this one.
pub fn synonym(name: &str) -> Option<&'static str> {
    let known = SYNONYMS.iter().find(|(word, _)| *word == name);
    known.map(|(_, new)| *new)
}

/// Words that differ from other languages in case only.
const WORDS: [&str; 3] = ["true", "false", "null"];

/// The fields of the variable `device`.
const FIELDS: [&str; 4] = [
    "driver",
    "attributes",
    "capacity",
    "allowMultipleAllocations",
];

/// Methods of other languages that ask for a key.
const MEMBERSHIP: [&str; 5] = ["contains", "containsKey", "has", "hasKey", "has_key"];

/// Methods that compare versions or quantities.
const COMPARISONS: [&str; 3] = ["compareTo", "isGreaterThan", "isLessThan"];

/// Operators that other languages have for regular expressions.
const REGEX_OPERATORS: [&str; 2] = ["=~", "~="];

/// Returns the advice for a name that is not known, or not for such values.
pub(super) fn of_name(expression: &str, name: &str, release: Release) -> Option<Message> {
    let selectors = environment(release);
    let mut rewritings = Vec::new();
    rewritings.extend(membership(expression, name));
    rewritings.extend(value_of_key(expression, name));
    rewritings.extend(converted(expression, name));
    rewritings.extend(number_as_text(expression, name));
    rewritings.extend(ordered(expression, name));
    rewritings.extend(method(expression, name));
    rewritings.extend(as_function(expression, name));
    rewritings.extend(renamed(expression, name, &selectors));
    advice(rewritings, &selectors)
}

/// Writes `quantity(value)` as `value`, for a value that is a quantity already.
pub(super) fn without_maker(expression: &str, name: &str) -> Option<Rewriting> {
    let made = call(expression, name).filter(|call| !call.is_method)?;
    if !MAKERS.contains(&name) {
        return None;
    }
    replaced(expression, made.span, made.arguments.to_owned())
}

/// Functions that make a value of a string, where an attribute or a capacity may be such a value already.
pub const MAKERS: [&str; 2] = ["quantity", "semver"];

/// Writes `value.name()` as `name(value)`.
pub(super) fn as_function(expression: &str, name: &str) -> Option<Rewriting> {
    let call = format!(".{name}()");
    let at = expression.find(&call)?;
    let start = operand_start(expression, at);
    let operand = expression.get(start..at)?;
    let end = at.saturating_add(call.len());
    replaced(expression, start..end, format!("{name}({operand})"))
}

/// Leaves out a field in which a ResourceSlice writes a value: an expression reads the value itself.
pub(super) fn without_field(expression: &str, field: &str) -> Option<Rewriting> {
    let (at, _) = expression.match_indices(field).find(|(at, _)| {
        let behind = expression.get(at.saturating_add(field.len())..);
        behind.is_none_or(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    })?;
    let start = operand_start(expression, at);
    let operand = expression.get(start..at)?.to_owned();
    replaced(expression, start..at.saturating_add(field.len()), operand)
}

/// Returns the advice for an operator that stands for a regular expression elsewhere; `None`: the expression has none.
pub(super) fn of_regex(expression: &str, release: Release) -> Option<Message> {
    let (operator, at) = REGEX_OPERATORS
        .iter()
        .find_map(|operator| Some((*operator, expression.find(operator)?)))?;
    let rewriting = regex(expression, at, operator.len());
    let advised = advice(rewriting.into_iter().collect(), &environment(release));
    Some(advised.unwrap_or_else(|| {
        message!(
            "cause.regex",
            "`{operator}` is not an operator of CEL: write a regular expression as `.matches(…)`, and equality as `==`",
            operator
        )
    }))
}

pub(super) fn environment(release: Release) -> std::sync::Arc<Environment> {
    environments::device(EnvironmentMode::New, release, Gates::defaults(release))
}

/// Returns the advice of the first rewriting that compiles.
pub(super) fn advice(rewritings: Vec<Rewriting>, environment: &Environment) -> Option<Message> {
    let Rewriting { old, new, .. } = rewritings
        .into_iter()
        .find(|rewriting| environment.compile(&rewriting.whole).is_ok())?;
    Some(message!(
        "cause.write-instead",
        "write `{new}` in place of `{old}`",
        new,
        old
    ))
}

/// Returns the expression with other text in a place.
pub(super) fn replaced(expression: &str, place: Range<usize>, new: String) -> Option<Rewriting> {
    let head = expression.get(..place.start)?;
    let old = expression.get(place.clone())?.to_owned();
    let tail = expression.get(place.end..)?;
    let whole = format!("{head}{new}{tail}");
    Some(Rewriting { old, new, whole })
}

/// Writes another name: a synonym, the right case, or the nearest name.
fn renamed(expression: &str, name: &str, environment: &Environment) -> Vec<Rewriting> {
    let synonyms = SYNONYMS
        .iter()
        .filter(|(word, _)| folded(word).eq(folded(name)))
        .map(|(_, new)| *new);
    let functions = environment.functions().iter().map(|known| known.name);
    let known: Vec<&str> = WORDS.into_iter().chain(FIELDS).chain(functions).collect();
    let same_letters = known
        .iter()
        .copied()
        .filter(|other| folded(other).eq(folded(name)));
    let mut similar: Vec<(usize, &str)> = known
        .iter()
        .filter_map(|other| Some((near(name, other)?, *other)))
        .collect();
    claimkit_values::order::sort(&mut similar);
    synonyms
        .chain(same_letters)
        .chain(similar.into_iter().map(|(_, other)| other))
        .filter(|new| *new != name)
        .map(|new| Rewriting {
            old: name.to_owned(),
            new: new.to_owned(),
            whole: with_name(expression, name, new),
        })
        .collect()
}

/// Returns the expression with one name in place of another.
fn with_name(expression: &str, name: &str, new: &str) -> String {
    let mut text = String::with_capacity(expression.len());
    let mut from = 0;
    for at in uses(expression, name) {
        text.push_str(expression.get(from..at).unwrap_or_default());
        text.push_str(new);
        from = at.saturating_add(name.len());
    }
    text.push_str(expression.get(from..).unwrap_or_default());
    text
}

/// Returns where a name begins, not as a part of a longer one.
fn uses(expression: &str, name: &str) -> Vec<usize> {
    let mut places = Vec::new();
    for (at, _) in expression.match_indices(name) {
        let before = expression.get(..at).unwrap_or_default();
        let behind = expression
            .get(at.saturating_add(name.len())..)
            .unwrap_or_default();
        if !before.ends_with(is_of_name) && !behind.starts_with(is_of_name) {
            places.push(at);
        }
    }
    places
}

fn is_of_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

/// A call in an expression.
struct Call<'e> {
    /// The bytes of the name with the parentheses.
    span: Range<usize>,
    arguments: &'e str,
    /// A dot is before the name.
    is_method: bool,
}

/// Returns the first call of a function or method.
fn call<'e>(expression: &'e str, name: &str) -> Option<Call<'e>> {
    uses(expression, name).into_iter().find_map(|start| {
        let open = start.saturating_add(name.len());
        let close = closing(expression, open)?;
        Some(Call {
            span: start..close.saturating_add(1),
            arguments: expression.get(open.saturating_add(1)..close)?,
            is_method: expression.get(..start)?.ends_with('.'),
        })
    })
}

/// Returns where the parenthesis or bracket at a byte is closed.
pub(super) fn closing(text: &str, open: usize) -> Option<usize> {
    let rest = text
        .get(open..)
        .filter(|rest| rest.starts_with(['(', '[']))?;
    let mut depth = 0usize;
    let mut quote = None;
    for (at, sign) in rest.char_indices() {
        match (quote, sign) {
            (Some(open), _) if sign == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(sign),
            (None, '(' | '[') => depth = depth.saturating_add(1),
            (None, ')' | ']') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(open.saturating_add(at));
        }
    }
    None
}

/// Returns where the operand that ends before a byte begins: names, dots, calls, indexes and texts.
pub(super) fn operand_start(text: &str, end: usize) -> usize {
    let mut depth = 0usize;
    let mut quote = None;
    let mut start = end;
    for (at, sign) in text.get(..end).unwrap_or_default().char_indices().rev() {
        let belongs = sign.is_ascii_alphanumeric() || matches!(sign, '_' | '.');
        match (quote, sign) {
            (Some(close), _) if sign == close => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(sign),
            (None, ')' | ']') => depth = depth.saturating_add(1),
            (None, '(' | '[') if depth > 0 => depth = depth.saturating_sub(1),
            _ if depth > 0 || belongs => {}
            _ => break,
        }
        start = at;
    }
    start
}

/// Writes `map.hasKey("a")` as `"a" in map`.
fn membership(expression: &str, name: &str) -> Option<Rewriting> {
    let call =
        call(expression, name).filter(|call| call.is_method && MEMBERSHIP.contains(&name))?;
    // A list is not a key.
    if call.arguments.starts_with('[') {
        return None;
    }
    let dot = call.span.start.saturating_sub(1);
    let start = operand_start(expression, dot);
    let map = expression.get(start..dot)?;
    let test = format!("{} in {map}", call.arguments);
    let is_negated = expression.get(..start)?.ends_with('!');
    let new = if is_negated {
        format!("({test})")
    } else {
        test
    };
    replaced(expression, start..call.span.end, new)
}

/// Writes `map.get("key")` as `map["key"]`, and `map.get("key", other)` as `map[?"key"].orValue(other)`.
fn value_of_key(expression: &str, name: &str) -> Option<Rewriting> {
    let call = call(expression, name).filter(|call| call.is_method && name == "get")?;
    let dot = call.span.start.saturating_sub(1);
    let start = operand_start(expression, dot);
    let map = expression.get(start..dot)?;
    let new = match call.arguments.split_once(',') {
        Some((key, other)) => format!("{map}[?{}].orValue({})", key.trim(), other.trim()),
        None => format!("{map}[{}]", call.arguments),
    };
    replaced(expression, start..call.span.end, new)
}

/// Writes `quantity(40)` as `quantity("40")`, and `semver(550)` as `semver("550.0.0")`.
fn number_as_text(expression: &str, name: &str) -> Option<Rewriting> {
    let call = call(expression, name).filter(|call| !call.is_method)?;
    let number = call.arguments.trim();
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let text = match name {
        "quantity" if CelQuantity::parse(number).is_ok() => number.to_owned(),
        "semver" => SemanticVersion::parse_normalized(number).ok()?.to_string(),
        _ => return None,
    };
    replaced(expression, call.span, format!("{name}(\"{text}\")"))
}

/// Comparisons that CEL has no function for, and the signs behind `compareTo`.
const ORDERED: [(&str, &str); 6] = [
    ("isGreaterThanOrEqual", ">="),
    ("isGreaterThanOrEqualTo", ">="),
    ("isGreaterOrEqual", ">="),
    ("isLessThanOrEqual", "<="),
    ("isLessThanOrEqualTo", "<="),
    ("isLessOrEqual", "<="),
];

/// Writes `value.isGreaterThanOrEqual(other)` as `value.compareTo(other) >= 0`.
fn ordered(expression: &str, name: &str) -> Option<Rewriting> {
    let (_, sign) = ORDERED.iter().find(|(known, _)| *known == name)?;
    let call = call(expression, name).filter(|call| call.is_method)?;
    let new = format!("compareTo({}) {sign} 0", call.arguments);
    replaced(expression, call.span, new)
}

/// Writes the text that a version or a quantity is compared with as one of these.
fn converted(expression: &str, name: &str) -> Option<Rewriting> {
    let call =
        call(expression, name).filter(|call| call.is_method && COMPARISONS.contains(&name))?;
    let text = call.arguments.trim_matches(['"', '\'']);
    let is_number = call.arguments.parse::<i64>().is_ok();
    if !is_number && text.len().saturating_add(2) != call.arguments.len() {
        return None;
    }
    let dot = call.span.start.saturating_sub(1);
    let start = operand_start(expression, dot);
    let operand = expression.get(start..dot)?;
    let is_attribute = operand.contains("attributes");
    if is_attribute && text.parse::<i64>().is_ok() {
        let sign = match name {
            "isGreaterThan" => ">",
            "isLessThan" => "<",
            _ => return None,
        };
        return replaced(
            expression,
            start..call.span.end,
            format!("{operand} {sign} {text}"),
        );
    }
    if is_number {
        return None;
    }
    let function = if SemanticVersion::parse(text).is_ok() {
        "semver"
    } else if is_attribute {
        // No attribute is a quantity.
        return None;
    } else if CelQuantity::parse(text).is_ok() {
        "quantity"
    } else {
        return None;
    };
    let end = call.span.end.saturating_sub(1);
    let start = end.saturating_sub(call.arguments.len());
    let new = format!("{function}({})", call.arguments);
    replaced(expression, start..end, new)
}

/// Writes `startsWith(text, "a")` as `text.startsWith("a")`.
fn method(expression: &str, name: &str) -> Option<Rewriting> {
    let written = call(expression, name).filter(|call| !call.is_method)?;
    let (receiver, argument) = written.arguments.split_once(", ")?;
    let new = format!("{receiver}.{name}({argument})");
    replaced(expression, written.span, new)
}

/// Writes `text =~ "a"` as `text.matches("a")`.
fn regex(expression: &str, at: usize, width: usize) -> Option<Rewriting> {
    let left = expression.get(..at)?.trim_end();
    let start = operand_start(expression, left.len());
    let operand = left.get(start..).filter(|operand| !operand.is_empty())?;
    let behind = expression.get(at.saturating_add(width)..)?;
    let right = behind.trim_start();
    let quote = right.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let length = right.get(1..)?.find(quote)?.saturating_add(2);
    let text = right.get(..length)?;
    let blanks = behind.len().saturating_sub(right.len());
    let end = at
        .saturating_add(width)
        .saturating_add(blanks)
        .saturating_add(length);
    replaced(expression, start..end, format!("{operand}.matches({text})"))
}

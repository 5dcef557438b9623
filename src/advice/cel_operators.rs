//! Operators and macros that do not take the values that they are given: what to write, compiled before it is advised.

use super::cel_text::{Code, position, quoted_after};
use super::cel_values;
use super::rewrite::{self, Rewriting};
use claimkit_model::cel::library::quantity::CelQuantity;
use claimkit_model::message::{Message, message};
use claimkit_model::schema::Release;
use std::ops::Range;

/// Returns true for the name of an operator in errors of the compiler: `_==_`, `@in`.
pub(super) fn is_operator(name: &str) -> bool {
    name == "@in" || !name.contains(|c: char| c.is_ascii_alphanumeric())
}

/// An operator that the compiler has no overload for.
struct Misused<'e> {
    name: &'e str,
    /// The types of its operands.
    types: Vec<&'e str>,
    /// The byte of the operator.
    at: usize,
}

impl<'e> Misused<'e> {
    fn of(expression: &str, error: &'e str) -> Option<Self> {
        let name = quoted_after(error, "no matching overload for '")?;
        let (_, rest) = error.split_once("applied to '(")?;
        let (types, _) = rest.split_once(")'")?;
        is_operator(name).then_some(Misused {
            name,
            types: split_types(types),
            at: position(expression, error)?,
        })
    }

    fn sign(&self) -> &str {
        match self.name {
            "_?_:_" => "?",
            "_[_]" => "[…]",
            name => name.trim_matches(['_', '@']),
        }
    }
}

/// Splits `map(string, any), string` at the commas that are in no parentheses.
fn split_types(types: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0usize, 0, Vec::new());
    for (at, sign) in types.char_indices() {
        match sign {
            '(' => depth = depth.saturating_add(1),
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.extend(types.get(from..at).map(str::trim));
                from = at.saturating_add(1);
            }
            _ => {}
        }
    }
    found.extend(types.get(from..).map(str::trim));
    found
}

/// Returns the advice for a capacity that is compared with something else by `==` or `!=`.
pub(super) fn of_equality(
    expression: &str,
    code: &Code,
    error: &str,
    release: Release,
) -> Option<Message> {
    let misused = Misused::of(expression, error)?;
    let is_capacity = misused.types.contains(&"kubernetes.Quantity");
    if !is_capacity || !matches!(misused.name, "_==_" | "_!=_") {
        return None;
    }
    let operands = operands(code, misused.at, 2);
    let rewritings = operands
        .into_iter()
        .filter_map(|place| {
            let written = expression.get(place.clone())?;
            let text = written.trim_matches(['"', '\'']);
            CelQuantity::parse(text).ok()?;
            rewrite::replaced(expression, place, format!("quantity(\"{text}\")"))
        })
        .collect();
    Some(advised(rewritings, release).unwrap_or_else(|| {
        message!(
            "cause.equal-quantities",
            "a capacity is compared with a quantity: write it as `quantity(…)`"
        )
    }))
}

/// Returns the literals or numbers right before and right behind an operator of some bytes.
fn operands(code: &Code, at: usize, width: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let head = code.text.get(..at).unwrap_or_default().trim_end();
    match code.literals.iter().find(|one| one.end == head.len()) {
        Some(literal) => found.push(literal.clone()),
        None => {
            let start = head.trim_end_matches(is_of_selection).len();
            found.push(start..head.len());
        }
    }
    let from = at.saturating_add(width);
    let rest = code.text.get(from..).unwrap_or_default();
    let operand = rest.trim_start();
    let start = from.saturating_add(rest.len().saturating_sub(operand.len()));
    let length = operand
        .find(|c: char| !is_of_selection(c))
        .unwrap_or(operand.len());
    found.push(
        code.literal_at(start)
            .unwrap_or(start..start.saturating_add(length)),
    );
    found
}

fn is_of_selection(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '.' || c == '_'
}

fn advised(rewritings: Vec<Rewriting>, release: Release) -> Option<Message> {
    rewrite::advice(rewritings, &rewrite::environment(release))
}

/// Returns the advice for an operator or a macro with values that it does not take.
pub(super) fn advice(
    expression: &str,
    code: &Code,
    error: &str,
    release: Release,
) -> Option<Message> {
    if error.contains("invalid argument to has() macro") {
        return Some(of_has(expression, code, release));
    }
    if error.contains("invalid matches argument") {
        return Some(of_matches(expression, code, error, release));
    }
    if let Some(help) = of_type(expression, code, error, release) {
        return Some(help);
    }
    // A method of a whole domain, as in `device.capacity["domain/name"].compareTo(…)`.
    let is_of_domain = error.contains("applied to 'map(");
    if is_of_domain
        && let Some(help) = advised(
            name_in_domain(expression, code).into_iter().collect(),
            release,
        )
    {
        return Some(help);
    }
    let misused = Misused::of(expression, error)?;
    let mut rewritings = Vec::new();
    rewritings.extend(index_of_device(expression, code, &misused));
    rewritings.extend(name_in_domain(expression, code));
    rewritings.extend(text_as_list(expression, code, &misused));
    rewritings.extend(negated_membership(expression, code, &misused));
    Some(advised(rewritings, release).unwrap_or_else(|| of_types(&misused)))
}

/// Says which values an operator was given.
fn of_types(misused: &Misused<'_>) -> Message {
    if misused.types.iter().any(|ty| ty.starts_with("map(")) {
        return message!(
            "cause.whole-domain",
            "`{sign}` is given a map of names: read one of them, as in `device.attributes[\"domain\"].name`",
            sign = misused.sign()
        );
    }
    let is_of_quantities = misused.types.iter().any(|ty| ty == &"kubernetes.Quantity");
    if misused.name == "@in" && is_of_quantities {
        return message!(
            "cause.in-quantities",
            "a quantity is equal only to a quantity: write each value as `quantity(…)`"
        );
    }
    if misused.name == "@in" {
        return message!(
            "cause.in-list",
            "`in` looks into a list or a map: write the values in `[` and `]`"
        );
    }
    message!(
        "cause.operator-types",
        "`{sign}` does not take these values: their types are `{types}`",
        sign = misused.sign(),
        types = misused.types.join("`, `")
    )
}

/// Writes `device["attributes"]` as `device.attributes`.
fn index_of_device(expression: &str, code: &Code, misused: &Misused<'_>) -> Option<Rewriting> {
    let is_index = misused.name == "_[_]" && misused.types.first() == Some(&"kubernetes.DRADevice");
    let literal = code
        .literal_at(misused.at.saturating_add(1))
        .filter(|_| is_index)?;
    let name = expression.get(literal.clone())?.trim_matches(['"', '\'']);
    let end = literal.end.saturating_add(1);
    rewrite::replaced(expression, misused.at..end, format!(".{name}"))
}

/// Writes `["domain/name"]` as `["domain"].name`.
fn name_in_domain(expression: &str, code: &Code) -> Option<Rewriting> {
    let of_device = |literal: &&Range<usize>| {
        let head = code.text.get(..literal.start).unwrap_or_default();
        let written = expression.get((*literal).clone()).unwrap_or_default();
        let is_holder = ["attributes[", "capacity["]
            .iter()
            .any(|holder| head.ends_with(holder));
        is_holder && written.contains('/')
    };
    let literal = code.literals.iter().find(of_device)?.clone();
    let written = expression.get(literal.clone())?;
    let quote = written.chars().next()?;
    let (domain, name) = written.trim_matches(quote).split_once('/')?;
    let end = literal.end.saturating_add(1);
    let start = rewrite::operand_start(expression, end);
    let holder = expression.get(start..literal.start)?;
    let new = format!("{holder}{quote}{domain}{quote}].{name}");
    rewrite::replaced(expression, start..end, new)
}

/// Writes `in "a"` as `in ["a"]`.
fn text_as_list(expression: &str, code: &Code, misused: &Misused<'_>) -> Option<Rewriting> {
    let is_text = misused.name == "@in" && misused.types.get(1) == Some(&"string");
    let literal = operands(code, misused.at, 2).pop().filter(|_| is_text)?;
    let written = expression.get(literal.clone())?;
    rewrite::replaced(expression, literal, format!("[{written}]"))
}

/// Writes `!x in [a]` as `!(x in [a])`: the sign alone is about `x` only.
fn negated_membership(expression: &str, code: &Code, misused: &Misused<'_>) -> Option<Rewriting> {
    if misused.name != "@in" || misused.types.first() != Some(&"bool") {
        return None;
    }
    let head = expression.get(..misused.at)?.trim_end();
    let start = rewrite::operand_start(expression, head.len());
    let sign = expression.get(..start)?.strip_suffix('!')?.len();
    let end = cel_values::operand_end(code, misused.at.saturating_add(2))?;
    let test = expression.get(start..end)?.trim_end();
    let end = start.saturating_add(test.len());
    rewrite::replaced(expression, sign..end, format!("!({test})"))
}

/// Operators of numbers.
const ARITHMETIC: [&str; 5] = ["_+_", "_-_", "_*_", "_/_", "_%_"];

/// Returns the advice for a quantity in a calculation.
pub(super) fn of_arithmetic(expression: &str, error: &str) -> Option<Message> {
    let misused = Misused::of(expression, error)?;
    let is_of_quantities = misused.types.contains(&"kubernetes.Quantity");
    (is_of_quantities && ARITHMETIC.contains(&misused.name)).then(|| {
        message!(
            "cause.quantity-arithmetic",
            "a quantity has no `{sign}`: it has `.add(…)` and `.sub(…)`, and `.compareTo(…)` to compare it",
            sign = misused.sign()
        )
    })
}

/// Writes `has(map["key"])`, which begins at `start`, as `"key" in map`.
fn has_as_in(expression: &str, code: &Code, start: usize) -> Option<Rewriting> {
    let open = start.saturating_add(3);
    let close = rewrite::closing(&code.text, open)?;
    let argument = expression.get(open.saturating_add(1)..close)?;
    let key = code
        .literals
        .iter()
        .find(|literal| literal.end.saturating_add(1) == close)?;
    let written = expression.get(key.clone())?;
    let map_end = key.start.checked_sub(open)?.checked_sub(2)?;
    let map = argument.get(..map_end)?;
    let is_negated = expression.get(..start)?.ends_with('!');
    let test = format!("{written} in {map}");
    let new = if is_negated {
        format!("({test})")
    } else {
        test
    };
    rewrite::replaced(expression, start..close.saturating_add(1), new)
}

/// Returns the advice for `has(…)` of something else than a field: a key is asked for with `in`.
fn of_has(expression: &str, code: &Code, release: Release) -> Message {
    let calls = code.text.match_indices("has(");
    let rewritings = calls
        .filter_map(|(start, _)| has_as_in(expression, code, start))
        .collect();
    advised(rewritings, release).unwrap_or_else(|| {
        message!(
            "cause.has-field",
            "`has(…)` takes a name after a dot, as in `has(device.attributes[\"domain\"].name)`"
        )
    })
}

/// Returns the advice for a regular expression that cannot be read: often `*` of file names is meant.
fn of_matches(expression: &str, code: &Code, error: &str, release: Release) -> Message {
    let literal = position(expression, error).and_then(|at| code.literal_at(at));
    let rewritings = literal
        .and_then(|place| {
            let written = expression.get(place.clone())?;
            let new = written.replace(".*", "*").replace('*', ".*");
            rewrite::replaced(expression, place, new)
        })
        .into_iter()
        .collect();
    advised(rewritings, release).unwrap_or_else(|| {
        message!(
            "cause.regular-expression",
            "the text is not a regular expression (RE2): `.*` is any text, and `\\\\` goes before a sign that is meant as itself"
        )
    })
}

/// Returns the end of a comparison of a value of a type.
pub(super) fn compared(ty: &str) -> &'static str {
    match ty {
        "int" | "double" => ">= 1",
        "uint" => ">= 1u",
        _ => "== \"a\"",
    }
}

/// Returns the advice for a value of another type than its place takes: in a list, or in `&&` and `||`.
fn of_type(expression: &str, code: &Code, error: &str, release: Release) -> Option<Message> {
    let wanted = quoted_after(error, "expected type '")?;
    let given = quoted_after(error, "' but found '")?;
    if wanted == "bool" {
        return Some(message!(
            "cause.part-not-bool",
            "each part of `&&`, `||` and `?` is true or false, and this one is `{given}`: compare it, as in `… {example}`",
            given,
            example = compared(given)
        ));
    }
    let literal = position(expression, error).and_then(|at| code.literal_at(at));
    let rewritings = literal
        .and_then(|place| {
            let text = expression.get(place.clone())?.trim_matches(['"', '\'']);
            rewrite::replaced(expression, place, text.to_owned())
        })
        .into_iter()
        .collect();
    Some(advised(rewritings, release).unwrap_or_else(|| {
        message!(
            "cause.one-type",
            "all values here have one type, `{wanted}`, and this one is `{given}`",
            wanted,
            given
        )
    }))
}

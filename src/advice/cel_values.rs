//! Comparisons of quantities and versions, reads without a domain, and costs: written with the values of the expression, and compiled
//! before that is advised.

use super::cel_syntax;
use super::cel_text::{Code, position, quoted_after};
use super::rewrite::{self, Rewriting};
use claimkit_model::cel::library::quantity::CelQuantity;
use claimkit_model::cel::library::semver::SemanticVersion;
use claimkit_model::cel::{CelDevice, Environment, SELECTOR_COST_LIMIT};
use claimkit_model::message::{Message, message};
use claimkit_model::schema::Release;
use std::ops::Range;

/// A type of values that are compared by methods.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compared {
    Quantity,
    Version,
}

impl Compared {
    /// Returns the type that an error of the compiler is about.
    fn of(error: &str) -> Option<Self> {
        let (_, applied) = error.split_once("applied to '")?;
        let types = applied.split('\n').next().unwrap_or(applied);
        if types.contains("map(") {
            return None;
        }
        if types.contains("kubernetes.Quantity") {
            return Some(Compared::Quantity);
        }
        types
            .contains("kubernetes.Semver")
            .then_some(Compared::Version)
    }

    /// Writes a text or a number as a value of this type; `None` if it is none.
    fn value(self, written: &str) -> Option<String> {
        let text = written.trim_matches(['"', '\'']);
        match self {
            Compared::Quantity => {
                // `80GB` is written for `80G`, and `80GiB` for `80Gi`.
                let short = text.strip_suffix('B').unwrap_or(text);
                let is_quantity = |text: &&str| CelQuantity::parse(text).is_ok();
                let right = [text, short].into_iter().find(is_quantity)?;
                Some(format!("quantity(\"{right}\")"))
            }
            Compared::Version => {
                let bare = text.strip_prefix('v').unwrap_or(text);
                let longer = [bare.to_owned(), format!("{bare}.0"), format!("{bare}.0.0")];
                let is_version = |text: &String| SemanticVersion::parse(text).is_ok();
                let right = longer.into_iter().find(is_version)?;
                Some(format!("semver(\"{right}\")"))
            }
        }
    }
}

/// Returns the advice for a comparison of a quantity or a version that CEL does not have, with the values of the expression.
pub(super) fn comparison(
    expression: &str,
    code: &Code,
    error: &str,
    release: Release,
) -> Option<Message> {
    let rewriting = comparison_as_method(expression, code, error)?;
    rewrite::advice(vec![rewriting], &rewrite::environment(release))
}

/// Writes a comparison of a quantity or a version that CEL does not have with a method.
pub(super) fn comparison_as_method(
    expression: &str,
    code: &Code,
    error: &str,
) -> Option<Rewriting> {
    let compared = Compared::of(error)?;
    let at = position(expression, error)?;
    match sign_at(&code.text, at) {
        Some(sign) => with_method(expression, code, at, sign, compared),
        None => argument(expression, code, at, compared),
    }
}

/// Fields in which a ResourceSlice writes quantities and versions.
const VALUE_FIELDS: [&str; 2] = [".value", ".version"];

/// Returns the advice for a function of quantities or versions that is called in another way, or for a field of such a value.
pub(super) fn of_value(expression: &str, name: Option<&str>, release: Release) -> Option<Message> {
    let called = name.and_then(|name| rewrite::as_function(expression, name));
    let made = name.and_then(|name| rewrite::without_maker(expression, name));
    let fields: Vec<Rewriting> = VALUE_FIELDS
        .iter()
        .filter_map(|field| rewrite::without_field(expression, field))
        .collect();
    let selectors = rewrite::environment(release);
    let in_comparison = fields
        .first()
        .and_then(|rewriting| compared(rewriting, &selectors));
    let mut rewritings: Vec<Rewriting> = called.into_iter().collect();
    rewritings.extend(made);
    rewritings.extend(fields);
    rewrite::advice(rewritings, &selectors).or(in_comparison)
}

/// Returns the advice for an expression that compiles once a field is left out, and the value is then compared by a method.
fn compared(without_field: &Rewriting, environment: &Environment) -> Option<Message> {
    let bare = without_field.whole();
    let error = environment.compile(bare).err()?.to_string();
    let rewriting = comparison_as_method(bare, &Code::of(bare), &error)?;
    environment.compile(rewriting.whole()).ok()?;
    Some(message!(
        "cause.compare-without-field",
        "the value itself is read: leave the field out of `{old}`, and write `{new}`",
        old = without_field.old(),
        new = rewriting.new_text()
    ))
}

fn sign_at(text: &str, at: usize) -> Option<&'static str> {
    let rest = text.get(at..)?;
    let signs = ["<=", ">=", "<", ">"];
    signs.into_iter().find(|sign| rest.starts_with(sign))
}

/// Writes `a >= b` as `a.compareTo(b) >= 0`.
fn with_method(
    expression: &str,
    code: &Code,
    at: usize,
    sign: &str,
    compared: Compared,
) -> Option<Rewriting> {
    let head = code.text.get(..at)?.trim_end();
    let start = rewrite::operand_start(expression, head.len());
    let left = expression.get(start..head.len())?;
    let end = operand_end(code, at.saturating_add(sign.len()))?;
    let right = expression.get(at.saturating_add(sign.len())..end)?.trim();
    if left.is_empty() || right.is_empty() {
        return None;
    }
    let new = if is_literal(left) {
        let turned = match sign {
            "<" => ">",
            "<=" => ">=",
            ">" => "<",
            _ => "<=",
        };
        format!("{right}.compareTo({}) {turned} 0", compared.value(left)?)
    } else if is_literal(right) {
        format!("{left}.compareTo({}) {sign} 0", compared.value(right)?)
    } else {
        format!("{left}.compareTo({right}) {sign} 0")
    };
    rewrite::replaced(expression, start..end, new)
}

/// Writes the argument of a method as a value of the receiver's type.
fn argument(expression: &str, code: &Code, at: usize, compared: Compared) -> Option<Rewriting> {
    let open = at.saturating_add(code.text.get(at..)?.find('(')?);
    let close = rewrite::closing(&code.text, open)?;
    let place = open.saturating_add(1)..close;
    let written = expression.get(place.clone())?;
    if !is_literal(written) {
        return None;
    }
    rewrite::replaced(expression, place, compared.value(written)?)
}

/// Returns true for a number or a text in quotes.
fn is_literal(written: &str) -> bool {
    written.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '"' | '\''))
}

/// Returns where the operand that begins behind a byte ends: names, dots, calls, indexes, numbers and texts.
pub(super) fn operand_end(code: &Code, from: usize) -> Option<usize> {
    let mut at = super::cel_text::after_blanks(&code.text, from)?;
    loop {
        if let Some(literal) = code.literal_at(at) {
            at = literal.end;
            continue;
        }
        let rest = code.text.get(at..)?;
        let Some(sign) = rest.chars().next() else {
            return Some(at);
        };
        at = match sign {
            '(' | '[' => rewrite::closing(&code.text, at)?.saturating_add(1),
            _ if sign.is_ascii_alphanumeric() || matches!(sign, '_' | '.') => at.saturating_add(1),
            _ => return Some(at),
        };
    }
}

/// A read of `attributes` or `capacity` by a name alone.
struct Domainless {
    /// The bytes from `device` to the name.
    place: Range<usize>,
    holder: &'static str,
    name: String,
}

/// Returns the help for an attribute or a capacity that is read without its domain.
pub(super) fn domain_missing(expression: &str, code: &Code, error: &str) -> Option<Message> {
    let is_of_map = ["map(string, kubernetes.Quantity)", "map(string, any)"]
        .iter()
        .any(|map| error.contains(map));
    let read = domainless(expression, code).filter(|_| is_of_map)?;
    let old = expression.get(read.place)?;
    Some(message!(
        "cause.domain-missing",
        "the domain is missing before the name: write `{new}` in place of `{old}`, with the driver's domain",
        new = format!("device.{}[\"domain\"].{}", read.holder, read.name),
        old
    ))
}

fn domainless(expression: &str, code: &Code) -> Option<Domainless> {
    for (holder, start) in [
        ("attributes", "device.attributes"),
        ("capacity", "device.capacity"),
    ] {
        for (from, _) in code.text.match_indices(start) {
            let behind = from.saturating_add(start.len());
            let Some((name, end)) = name_behind(expression, code, behind) else {
                continue;
            };
            if !goes_on(&code.text, end) {
                let place = from..end;
                return Some(Domainless {
                    place,
                    holder,
                    name,
                });
            }
        }
    }
    None
}

/// Returns the name in `["name"]` or `.name` at a byte, and where it ends; `None` if it may be a domain.
fn name_behind(expression: &str, code: &Code, at: usize) -> Option<(String, usize)> {
    let rest = code.text.get(at..)?;
    let (name, end) = if rest.starts_with('[') {
        let literal = code.literal_at(at.saturating_add(1))?;
        let written = expression.get(literal.clone())?.trim_matches(['"', '\'']);
        (written.to_owned(), literal.end.saturating_add(1))
    } else {
        let name: String = rest
            .strip_prefix('.')?
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        let end = at.saturating_add(1).saturating_add(name.len());
        (name, end)
    };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && !code.text.get(end..)?.starts_with('(')).then_some((name, end))
}

/// Returns true if a name or an index follows that is not a method.
fn goes_on(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    if rest.starts_with('[') {
        return true;
    }
    let Some(name) = rest.strip_prefix('.') else {
        return false;
    };
    let name = name.strip_prefix('?').unwrap_or(name);
    let behind = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    !behind.starts_with('(')
}

/// Returns the advice for `text.includes(part)`, where it is not a list: a string has `contains`.
pub(super) fn includes(
    expression: &str,
    needs: Option<&Message>,
    release: Release,
) -> Option<Message> {
    let name = ".includes(";
    let at = expression.find(name)?;
    let start = rewrite::operand_start(expression, at);
    let close = rewrite::closing(expression, at.saturating_add(name.len()).checked_sub(1)?)?;
    let operand = expression.get(start..at)?;
    let argument = expression.get(at.saturating_add(name.len())..close)?;
    let new = format!("{operand}.contains({argument})");
    let old = expression.get(start..=close)?.to_owned();
    let rewriting = rewrite::replaced(expression, start..close.saturating_add(1), new.clone())?;
    let advice = rewrite::advice(vec![rewriting], &rewrite::environment(release))?;
    let Some(needs) = needs.filter(|_| operand.contains("attributes")) else {
        return Some(advice);
    };
    Some(message!(
        "cause.includes",
        "of a string write `{new}` in place of `{old}`; of a list, {needs}",
        new,
        old,
        needs
    ))
}

/// Returns what to do about an expression whose estimated cost is beyond the limit.
pub(super) fn cost(expression: &str, release: Release) -> Option<Message> {
    let environment = rewrite::environment(release);
    let code = Code::of(expression);
    let loops = ["all(", "exists(", "exists_one(", "filter(", "map("];
    if loops
        .iter()
        .any(|name| code.text.contains(&format!(".{name}")))
    {
        return None;
    }
    if let Some(advice) = optional_as_test(expression, &code, &environment) {
        return Some(advice);
    }
    Some(message!(
        "cause.cost-of-texts",
        "the estimate counts a string of any length at its longest: call fewer functions on it, or split the expression into several selectors"
    ))
}

/// Returns what a condition is that looks at no attribute.
fn truth(condition: &str, environment: &Environment) -> Option<bool> {
    let program = environment.compile(condition).ok()?;
    let variables = CelDevice::default().variables(environment).ok()?;
    let outcome = program.evaluate(&variables, SELECTOR_COST_LIMIT);
    outcome.matches().ok()
}

/// Writes `map.?name.orValue(x).f()` as `has(map.name) && map.name.f()`, or as `!has(map.name) || map.name.f()` where `x.f()` is true,
/// if that costs less.
fn optional_as_test(expression: &str, code: &Code, environment: &Environment) -> Option<Message> {
    let optional = code.text.find(".?")?;
    let or_value = code.text.find(".orValue(").filter(|at| *at > optional)?;
    let close = rewrite::closing(&code.text, or_value.saturating_add(".orValue".len()))?;
    let start = rewrite::operand_start(expression, optional);
    let map = expression.get(start..optional)?;
    let name = expression.get(optional.saturating_add(2)..or_value)?;
    let behind = close.saturating_add(1);
    let end = cel_syntax::part_end(&code.text, behind);
    let rest = expression.get(behind..end)?.trim_end();
    let old = expression
        .get(start..behind.saturating_add(rest.len()))?
        .to_owned();
    let default = expression.get(or_value.saturating_add(".orValue(".len())..close)?;
    let is_true_without = truth(&format!("{default}{rest}"), environment)?;
    let negates = expression.get(..start)?.trim_end().ends_with('!');
    let new = match (is_true_without, negates) {
        (false, false) => format!("has({map}.{name}) && {map}.{name}{rest}"),
        (false, true) => format!("(has({map}.{name}) && {map}.{name}{rest})"),
        (true, _) => format!("(!has({map}.{name}) || {map}.{name}{rest})"),
    };
    let place = start..behind.saturating_add(rest.len());
    let rewriting = rewrite::replaced(expression, place, new.clone())?;
    let estimate = environment
        .compile(rewriting.whole())
        .ok()?
        .cost_estimate()?;
    (estimate.max <= SELECTOR_COST_LIMIT).then(|| {
        message!(
            "cause.cost-of-optional",
            "write `{new}` in place of `{old}`: the estimate is lower",
            new,
            old
        )
    })
}

/// Returns true for an error about a method of strings that is called on another value.
pub(super) fn is_about_includes(error: &str) -> bool {
    quoted_after(error, "no matching overload for '") == Some("includes")
}

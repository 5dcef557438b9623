//! Texts in expressions that their conversion can never parse: `quantity("40GB")`, `semver("550.127.08")`. The server accepts such an
//! expression, for its types are right; it fails on every device on which the conversion is reached.

use super::reads;
use claimkit_model::cel::ast::{Expr, ExprNode, Literal};
use claimkit_model::cel::library::quantity::CelQuantity;
use claimkit_model::cel::library::semver::SemanticVersion;
use claimkit_model::cel::value::Value;
use claimkit_model::cel::{Environment, Program, SELECTOR_COST_LIMIT};
use claimkit_model::message::{Message, message};
use claimkit_model::text::diagnose;
use std::ops::Range;

/// Functions that read a text.
const CONVERSIONS: &[&str] = &[
    "semver",
    "quantity",
    "ip",
    "cidr",
    "url",
    "duration",
    "timestamp",
    "int",
    "uint",
    "double",
    "bool",
];

/// A conversion that always fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unparsable {
    /// Its bytes in the expression.
    pub span: Range<u32>,
    /// The conversion as it is written, and why it fails.
    pub message: Message,
    pub help: Message,
}

/// Returns the conversions of an expression that always fail, in the order of the text. `environment`: the one that compiled it.
pub fn unparsable(program: &Program, environment: &Environment) -> Vec<Unparsable> {
    let mut found = Vec::new();
    reads::visit(&program.checked().ast.root, &mut |expr| {
        if let Some((function, text)) = conversion(expr)
            && let Some(error) = failure(program.text_of(&expr.span), environment)
        {
            found.push(Unparsable {
                span: expr.span.clone(),
                message: message!(
                    "expression.always-fails",
                    "`{part}` always fails: {error}",
                    part = program.text_of(&expr.span),
                    error,
                ),
                help: help(function, text),
            });
        }
        true
    });
    found
}

/// Returns the function and the text of a conversion of a literal.
fn conversion(expr: &Expr) -> Option<(&str, &str)> {
    let ExprNode::Call {
        function,
        target: None,
        arguments,
    } = &expr.node
    else {
        return None;
    };
    if !CONVERSIONS.contains(&&**function)
        || !arguments
            .iter()
            .all(|argument| matches!(argument.node, ExprNode::Literal(_)))
    {
        return None;
    }
    match arguments.first().map(|argument| &argument.node) {
        Some(ExprNode::Literal(Literal::String(text))) => Some((function, text)),
        _ => None,
    }
}

/// Returns why a constant part has no value. It is put into a list, because only expressions whose result is a boolean compile.
fn failure(text: &str, environment: &Environment) -> Option<String> {
    let program = environment.compile(&format!("[{text}].size() == 1")).ok()?;
    let none = vec![Value::Null; environment.variable_count()];
    program
        .evaluate(&none, SELECTOR_COST_LIMIT)
        .result
        .err()
        .map(|error| error.text.clone())
}

fn help(function: &str, text: &str) -> Message {
    match function {
        "semver" => match SemanticVersion::parse_normalized(text) {
            Ok(version) => message!(
                "expression.write-semver",
                "write `semver(\"{version}\")`: three numbers without leading zeros and without `v`",
                version,
            ),
            Err(_) => message!(
                "expression.semver",
                "a semantic version has three numbers without leading zeros, as in `1.2.3`; see semver.org"
            ),
        },
        "quantity" => {
            let bare: String = text
                .chars()
                .filter(|character| !character.is_whitespace())
                .collect();
            let candidates = [Some(bare.clone()), diagnose::corrected_quantity(&bare)];
            match candidates
                .into_iter()
                .flatten()
                .find(|text| CelQuantity::parse(text).is_ok())
            {
                Some(quantity) => message!(
                    "expression.write-quantity",
                    "write `quantity(\"{quantity}\")`: quantities have no unit after the suffix, and no spaces",
                    quantity,
                ),
                None => message!(
                    "expression.quantity",
                    "write a number with a suffix such as `Gi` (1024³) or `G` (1000³), as in `40Gi`"
                ),
            }
        }
        "duration" => message!(
            "expression.duration",
            "write a number with a unit, as in `90s` or `1h30m`"
        ),
        "timestamp" => message!(
            "expression.timestamp",
            "write RFC 3339, as in `2026-01-31T12:00:00Z`"
        ),
        _ => message!(
            "expression.readable-text",
            "write a text that `{function}` can read",
            function
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use claimkit_model::cel::{EnvironmentMode, device};

    #[test]
    fn constants_that_never_parse() {
        let environment = device::environment(36, &[], EnvironmentMode::New);
        for (expression, wanted) in [
            (
                r#"device.attributes["a"].v.isGreaterThan(semver("550.127.08"))"#,
                Some("write `semver(\"550.127.8\")`"),
            ),
            (
                r#"device.attributes["a"].v.isGreaterThan(semver("v1.2"))"#,
                Some("write `semver(\"1.2.0\")`"),
            ),
            (
                r#"device.attributes["a"].v.isGreaterThan(semver("1.2.3"))"#,
                None,
            ),
            (
                r#"device.capacity["a"].m.compareTo(quantity("40GB")) >= 0"#,
                Some("write `quantity(\"40G\")`"),
            ),
            (
                r#"device.capacity["a"].m.compareTo(quantity("40mb")) >= 0"#,
                Some("write `quantity(\"40M\")`"),
            ),
            (
                r#"device.capacity["a"].m.compareTo(quantity("40 Gi")) >= 0"#,
                Some("write `quantity(\"40Gi\")`"),
            ),
            (
                r#"device.capacity["a"].m.compareTo(quantity("many")) >= 0"#,
                Some("write a number with a suffix"),
            ),
            (
                r#"device.capacity["a"].m.compareTo(quantity("40Gi")) >= 0"#,
                None,
            ),
            (
                r#"["1"].all(x, quantity(x).isInteger()) || device.driver == "a""#,
                None,
            ),
            (r#"isQuantity("40GB") || device.driver == "a""#, None),
        ] {
            let program = environment
                .compile(expression)
                .unwrap_or_else(|error| panic!("{expression}: {}", error.text));
            let found = unparsable(&program, &environment);
            assert_eq!(
                found.len(),
                usize::from(wanted.is_some()),
                "{expression}: {found:?}"
            );
            assert!(
                found
                    .iter()
                    .all(|one| one.help.starts_with(wanted.unwrap())),
                "{expression}: {found:?}"
            );
        }
    }
}

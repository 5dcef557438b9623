//! Rules for the opaque parameters of a driver: CEL about `parameters`.

use crate::policy::cluster;
use crate::policy::compare::{Extent, Reasons};
use crate::policy::pattern;
use crate::policy::settings::ParameterRule;
use claimkit_model::cel::value::Value;
use claimkit_model::cel::{Program, SELECTOR_COST_LIMIT};
use claimkit_model::finding::{Code, Path};
use claimkit_model::message::{Message, message};
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use claimkit_scheduler::environments;
use std::sync::Arc;

/// Longest expression, in bytes: that of a selector (k8s.io/api, resource/v1, types.go, `CELSelectorExpressionMaxLength`).
const LONGEST: usize = 10 << 10;

/// The most that the evaluations for one object may cost together: an API server waits for a policy for some seconds only.
const COST_OF_ALL: u64 = 2 * SELECTOR_COST_LIMIT;

/// Compiles the expression of a rule.
///
/// # Errors
/// What is wrong with it, on one line.
pub fn compile(text: &str) -> Result<Program, Message> {
    if text.len() > LONGEST {
        return Err(message!(
            "settings.expression-long",
            "it must have at most {most} bytes",
            most = LONGEST
        ));
    }
    let compiled = environments::parameters().compile(text);
    let program = compiled.map_err(|error| {
        let lines = error.text.lines().filter(|line| !line.starts_with(" | "));
        let problem = lines.collect::<Vec<_>>().join(" ");
        message!("settings.expression-uncompiled", "{problem}", problem)
    })?;
    match program.output_type().to_string().as_str() {
        "bool" | "dyn" => Ok(program),
        other => Err(message!(
            "settings.expression-type",
            "it must be of type bool, not {other}",
            other
        )),
    }
}

/// Checks the parameters of a driver at a path, as JSON.
pub fn check(
    rules: &[ParameterRule],
    driver: &str,
    json: &str,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    let mut rules = rules
        .iter()
        .filter(|rule| pattern::matches(&rule.driver, driver))
        .peekable();
    if rules.peek().is_none() {
        return;
    }
    let value = cluster::parse(json).and_then(|(tree, root)| value(&tree, root));
    for rule in rules {
        if let Err(why) = holds(rule, &value, &mut errors.cost_of_rules) {
            let reason = match &rule.message {
                Some(message) => message.clone(),
                None => format!("the policy asks for `{}`", rule.expression),
            };
            let start = errors.len();
            let detail = format!("{reason}{why}");
            errors.forbidden(Code::PolicyOpaqueParameters, path, &detail);
            let extent = Extent::contents(vec![json.to_owned()]);
            errors.extend_from(start, Some(&rule.expression), &extent);
        }
    }
}

/// Evaluates a rule, and adds what that costs. The error says why it cannot be evaluated; it is empty where the rule is false.
fn holds(
    rule: &ParameterRule,
    value: &Result<Value, String>,
    cost: &mut u64,
) -> Result<(), String> {
    let value = value.as_ref().map_err(|why| format!(" ({why})"))?;
    if *cost > COST_OF_ALL {
        return Err(" (all rules together cost too much for this object)".to_owned());
    }
    let program = compile(&rule.expression).map_err(|why| format!(" ({why})"))?;
    let outcome = program.evaluate(std::slice::from_ref(value), SELECTOR_COST_LIMIT);
    *cost = cost.saturating_add(outcome.cost);
    match outcome.matches() {
        Ok(true) => Ok(()),
        Ok(false) => Err(String::new()),
        Err(error) => Err(format!(" ({error})")),
    }
}

/// Reads a JSON value as CEL has it. Recursion is bounded by the depth of the tree.
///
/// # Errors
/// A key is there twice: drivers may read either.
fn value(tree: &Tree<'_>, node: NodeId) -> Result<Value, String> {
    Ok(match tree.kind(node) {
        Kind::Null | Kind::Alias(_) => Value::Null,
        Kind::Bool(flag) => Value::Bool(flag),
        Kind::Int(number) => Value::Int(number),
        Kind::Uint(number) => Value::Uint(number),
        Kind::Float(number) => Value::Double(number),
        Kind::Number(span) => {
            let text = span.slice_of(tree.source());
            number(text.unwrap_or_default())?
        }
        Kind::Str(_) => Value::string(tree.str(node).unwrap_or_default()),
        Kind::Seq { .. } => {
            let items = tree.items(node).iter();
            Value::list(
                items
                    .map(|&item| value(tree, item))
                    .collect::<Result<_, _>>()?,
            )
        }
        Kind::Map { .. } => {
            let mut fields: Vec<(Arc<str>, Value)> = Vec::new();
            for entry in tree.entries(node) {
                let name = tree.text(entry.key);
                if entry.shadowed {
                    return Err(format!("`{name}` is there twice"));
                }
                fields.push((Arc::from(name), value(tree, entry.value)?));
            }
            Value::object(fields)
        }
    })
}

/// Reads a number: whole ones are `int`, as far as they fit.
///
/// # Errors
/// It fits no type.
fn number(text: &str) -> Result<Value, String> {
    let whole = text.parse().map(Value::Int);
    let read = whole.or_else(|_| text.parse().map(Value::Uint));
    read.or_else(|_| text.parse().map(Value::Double))
        .map_err(|_| format!("{text} is no number"))
}

//! What functions compute, on values. The work itself is in [`super::library`]; here arguments are taken apart and results wrapped.

pub mod compare;
pub mod conversions;
pub mod format;
pub mod kubernetes;
pub mod lists;
pub mod messages;
pub mod networks;
pub mod numbers;
pub mod optionals;
mod shared;
pub mod takes;
pub mod texts;
pub mod times;

use super::dialect::DialectRules;
use super::types::Type;
use super::value::{EvalError, Value};

/// The remaining budget of an evaluation, and its release's rules.
#[derive(Debug)]
pub struct EvaluationScope<'a> {
    rules: &'a DialectRules,
    steps: u64,
    /// The largest cost a result may have.
    allowed: u64,
    shared: shared::Shared,
}

/// Maximum steps of one evaluation. Upstream's cost limit ends nearly every evaluation earlier; this limit ends those whose cost
/// upstream underestimates.
const MOST_STEPS: u64 = 20_000_000;

/// Returns the error for an exhausted step limit, which cel-go does not have.
pub fn too_many_steps() -> EvalError {
    EvalError::limit("the evaluation takes too many steps")
}

impl<'a> EvaluationScope<'a> {
    /// Starts a new evaluation.
    pub fn new(rules: &'a DialectRules) -> EvaluationScope<'a> {
        EvaluationScope {
            rules,
            steps: 0,
            allowed: u64::MAX,
            shared: shared::Shared::default(),
        }
    }

    /// Returns the rules of the release.
    pub fn rules(&self) -> &'a DialectRules {
        self.rules
    }

    /// Does `count` steps; false if there are too many.
    pub fn step(&mut self, count: u64) -> bool {
        self.steps = self.steps.saturating_add(count);
        self.steps <= MOST_STEPS
    }

    /// Returns true if there were too many steps.
    pub fn is_exhausted(&self) -> bool {
        self.steps > MOST_STEPS
    }

    /// Sets the greatest cost of the next call.
    pub fn allow(&mut self, cost: u64) {
        self.allowed = cost;
    }

    /// Returns true if a result of this many elements is within the allowed cost. One element more is allowed, so that the cost
    /// check notices the excess.
    pub fn can_make(&self, elements: u64) -> bool {
        elements <= self.allowed.saturating_add(1).min(MOST_STEPS)
    }
}

/// Returns cel-go's error for a function whose overloads do not take these arguments.
pub fn no_overload_for(name: &str, arguments: &[Value]) -> Value {
    let types: Vec<&str> = arguments.iter().map(Value::type_name).collect();
    Value::error(format!("no such overload: {name}({})", types.join(", ")))
}

/// Returns true if the arguments have these types, as far as cel-go looks: containers by their first element.
pub fn accepts(types: &[Type], arguments: &[Value]) -> bool {
    types.len() == arguments.len()
        && types
            .iter()
            .zip(arguments)
            .all(|(wanted, value)| has_type(wanted, value))
}

fn has_type(wanted: &Type, value: &Value) -> bool {
    match (wanted, value) {
        (Type::Dyn | Type::Any | Type::Parameter(_), _) => true,
        (Type::List(element), Value::List(list)) => {
            list.first().is_none_or(|first| has_type(element, first))
        }
        (Type::Map(pair), Value::Map(map)) => map
            .entries()
            .first()
            .is_none_or(|(key, value)| has_type(&pair.0, key) && has_type(&pair.1, value)),
        (Type::Opaque(..), Value::Optional(_)) => wanted.optional_of().is_some(),
        _ => wanted.name() == value.type_name(),
    }
}

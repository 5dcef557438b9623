//! Folding of constants when a program is made (cel-go, `interpreter/decorators.go`): what is folded costs nothing at run time, and a
//! constant conversion that fails fails the program.

use claimkit_values::order;

use super::dialect::DialectRules;
use super::error::ServerCrash;
use super::evaluator::attributes::{not_optional_element, not_optional_entry, unhashable};
use super::evaluator::program::{
    CallStep, ElementNode, EntryNode, MatchStep, ProgramNode, StepAction,
};
use super::operations::EvaluationScope;
use super::operations::texts::MatchKind;
use super::regex::Regex;
use super::value::{Key, Map, Value, exact_int, exact_uint};

/// Functions that convert; a call with a constant is computed when the program is made.
const CONVERSIONS: &[&str] = &[
    "bool",
    "bytes",
    "double",
    "duration",
    "dyn",
    "int",
    "string",
    "timestamp",
    "type",
    "uint",
];

/// Makes a list, which is a constant if its elements are. No constant is optional.
pub fn list(elements: Vec<ElementNode>) -> StepAction {
    let constants: Option<Vec<Value>> = elements
        .iter()
        .map(|element| constant(&element.value))
        .collect();
    let Some(constants) = constants else {
        return StepAction::List(elements);
    };
    let refused = constants
        .iter()
        .zip(&elements)
        .find_map(|(value, element)| match value {
            Value::Error(_) => Some(value.clone()),
            value if element.optional => Some(Value::error(not_optional_element(value))),
            _ => None,
        });
    StepAction::Constant(refused.unwrap_or_else(|| Value::list(constants)))
}

/// Why no program is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoldFailure {
    /// The error that upstream returns.
    Error(String),
    /// Upstream crashes on the expression.
    Crash(ServerCrash),
}

impl From<String> for FoldFailure {
    fn from(text: String) -> FoldFailure {
        FoldFailure::Error(text)
    }
}

/// Makes a map, which is a constant if its entries are.
pub fn map(entries: Vec<EntryNode>) -> Result<StepAction, FoldFailure> {
    let constants: Option<Vec<_>> = entries
        .iter()
        .map(|entry| Some((constant(&entry.key)?, constant(&entry.value)?)))
        .collect();
    let Some(constants) = constants else {
        return Ok(StepAction::Map(entries));
    };
    let mut folded = Map::default();
    for ((key, value), EntryNode { optional, .. }) in constants.into_iter().zip(&entries) {
        if key.is_error() {
            return Ok(StepAction::Constant(key));
        }
        if value.is_error() {
            return Ok(StepAction::Constant(value));
        }
        if *optional {
            return Ok(StepAction::Constant(Value::error(not_optional_entry(
                &key, &value,
            ))));
        }
        if unhashable(&key).is_some() {
            return Err(FoldFailure::Crash(ServerCrash::BytesAsKey));
        }
        folded.insert(key, value);
    }
    Ok(StepAction::Constant(Value::Map(folded.into())))
}

fn constant(node: &ProgramNode) -> Option<Value> {
    match &node.step {
        StepAction::Constant(value) => Some(value.clone()),
        _ => None,
    }
}

/// Makes a call with what can be computed now.
pub(crate) fn call(
    call: CallStep,
    overload: Option<&str>,
    rules: &DialectRules,
) -> Result<StepAction, String> {
    if overload == Some("in_list")
        && let [_, list] = call.arguments.as_slice()
        && let Some(Value::List(list)) = constant(list)
    {
        return Ok(in_list(call, &list));
    }
    if CONVERSIONS.contains(&call.name)
        && let [argument] = call.arguments.as_slice()
        && let Some(argument) = constant(argument)
    {
        if let Value::Error(error) = &argument {
            return Err(error.text.clone());
        }
        return match call
            .target
            .run(call.name, &mut EvaluationScope::new(rules), &[argument])
        {
            Value::Error(error) => Err(error.text.clone()),
            value => Ok(StepAction::Constant(value)),
        };
    }
    let kind = match call.name {
        "matches" => MatchKind::Matches,
        "find" => MatchKind::Find,
        "findAll" => MatchKind::FindAll,
        _ => return Ok(StepAction::Call(Box::new(call))),
    };
    if let Some(Value::String(pattern)) = call.arguments.get(1).and_then(constant) {
        let regex = Regex::new(&pattern)?;
        return Ok(StepAction::Matches(Box::new(MatchStep {
            kind,
            regex,
            arguments: call.arguments,
            cost: call.cost,
        })));
    }
    Ok(StepAction::Call(Box::new(call)))
}

/// Turns `x in [constants]` into a look-up if all of them are plain.
fn in_list(call: CallStep, list: &[Value]) -> StepAction {
    if list.is_empty() {
        return StepAction::Constant(Value::Bool(false));
    }
    let mut keys = Vec::new();
    for element in list {
        match element {
            Value::Bool(_) | Value::String(_) => {}
            Value::Int(i) => {
                keys.extend(u64::try_from(*i).ok().map(Key::Uint));
                keys.extend(Key::of(&Value::Double(*i as f64)));
            }
            Value::Uint(u) => {
                keys.extend(i64::try_from(*u).ok().map(Key::Int));
                keys.extend(Key::of(&Value::Double(*u as f64)));
            }
            Value::Double(d) => {
                keys.extend(exact_int(*d).map(Key::Int));
                keys.extend(exact_uint(*d).map(Key::Uint));
                if d.is_nan() {
                    continue;
                }
            }
            _ => return StepAction::Call(Box::new(call)),
        }
        keys.extend(Key::of(element));
    }
    order::sort(&mut keys);
    match call.arguments.into_iter().next() {
        Some(argument) => StepAction::InSet(Box::new(argument), keys),
        None => StepAction::Constant(Value::Bool(false)),
    }
}

//! Folding of constants when a program is made (cel-go, `interpreter/decorators.go`): what is folded costs nothing at run time, and a
//! constant conversion that fails fails the program.

use std::collections::BTreeSet;

use super::dialect::Rules;
use super::evaluator::program::{CallStep, MatchStep, Node, Step};
use super::operations::Scope;
use super::operations::texts::MatchKind;
use super::regex::Regex;
use super::value::{Key, Map, Value, exact_int, exact_uint};

/// Conversions of constants are computed.
const CONVERSIONS: &[&str] = &["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"];

/// A list, which is a constant if its elements are.
pub fn list(elements: Vec<(Node, bool)>) -> Step {
    let constants: Option<Vec<Value>> =
        elements.iter().map(|(element, optional)| constant(element).filter(|_| !optional)).collect();
    constants.map_or(Step::List(elements), |constants| Step::Constant(Value::list(constants)))
}

/// A map, which is a constant if its entries are.
pub fn map(entries: Vec<(Node, Node, bool)>) -> Step {
    let mut folded = Map::default();
    for (key, value, optional) in &entries {
        match (constant(key), constant(value)) {
            (Some(key), Some(value)) if !optional && Key::of(&key).is_some() => folded.insert(key, value),
            _ => return Step::Map(entries),
        }
    }
    Step::Constant(Value::Map(folded.into()))
}

fn constant(node: &Node) -> Option<Value> {
    match &node.step {
        Step::Constant(value) => Some(value.clone()),
        _ => None,
    }
}

/// A call with what can be computed now.
pub fn call(call: CallStep, overload: Option<&str>, rules: &Rules) -> Result<Step, String> {
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
        return match call.target.run(call.name, &mut Scope::new(rules), &[argument]) {
            Value::Error(error) => Err(error.text.clone()),
            value => Ok(Step::Constant(value)),
        };
    }
    let kind = match call.name {
        "matches" => MatchKind::Matches,
        "find" => MatchKind::Find,
        "findAll" => MatchKind::FindAll,
        _ => return Ok(Step::Call(Box::new(call))),
    };
    if let Some(Value::String(pattern)) = call.arguments.get(1).and_then(constant) {
        let regex = Regex::new(&pattern)?;
        return Ok(Step::Matches(Box::new(MatchStep { kind, regex, arguments: call.arguments, cost: call.cost })));
    }
    Ok(Step::Call(Box::new(call)))
}

/// `x in [constants]` becomes a look-up if all of them are plain.
fn in_list(call: CallStep, list: &[Value]) -> Step {
    if list.is_empty() {
        return Step::Constant(Value::Bool(false));
    }
    let mut set = BTreeSet::new();
    for element in list {
        match element {
            Value::Bool(_) | Value::String(_) => {}
            Value::Int(i) => {
                set.extend(u64::try_from(*i).ok().map(Key::Uint));
                set.extend(Key::of(&Value::Double(*i as f64)));
            }
            Value::Uint(u) => {
                set.extend(i64::try_from(*u).ok().map(Key::Int));
                set.extend(Key::of(&Value::Double(*u as f64)));
            }
            Value::Double(d) => {
                set.extend(exact_int(*d).map(Key::Int));
                set.extend(exact_uint(*d).map(Key::Uint));
                if d.is_nan() {
                    continue;
                }
            }
            _ => return Step::Call(Box::new(call)),
        }
        set.extend(Key::of(element));
    }
    match call.arguments.into_iter().next() {
        Some(argument) => Step::InSet(Box::new(argument), set),
        None => Step::Constant(Value::Bool(false)),
    }
}

//! What a checked expression is turned into: steps, whose constants are folded and whose calls know what computes them.

use std::sync::Arc;

use super::super::cost::spend::CallCost;
use super::super::functions::Implementation;
use super::super::operations::texts::MatchKind;
use super::super::operations::{self, EvaluationScope};
use super::super::regex::Regex;
use super::super::types::Type;
use super::super::value::{Key, Value};

/// An entry of a map.
#[derive(Debug)]
pub struct EntryNode {
    pub key: ProgramNode,
    pub value: ProgramNode,
    /// The value is an optional, and without one there is no entry.
    pub optional: bool,
}

/// An element of a list.
#[derive(Debug)]
pub struct ElementNode {
    pub value: ProgramNode,
    /// The value is an optional, and without one there is no element.
    pub optional: bool,
}

/// A field of a message.
#[derive(Debug)]
pub struct FieldNode {
    pub name: String,
    pub value: ProgramNode,
    /// The value is an optional, and without one the field is not set.
    pub optional: bool,
}

/// A step of a program.
#[derive(Debug)]
pub struct ProgramNode {
    /// The id under which cost counting tracks its value. For a chain of selections, the id of the root.
    pub id: u32,
    /// The number of the whole expression in the tree.
    pub expr: u32,
    /// The action of the step.
    pub step: StepAction,
}

/// The action of a step of the program.
#[derive(Debug)]
pub enum StepAction {
    /// Produces a constant value.
    Constant(Value),
    /// Reads a variable, a part of one, or chooses.
    Attribute(Arc<AttributePath>),
    /// `a && b` for false, `a || b` for true: the value that decides.
    Logical(bool, Box<(ProgramNode, ProgramNode)>),
    /// `a == b`, `a != b`.
    Equal {
        /// `!=`
        negated: bool,
        /// The left and the right side.
        sides: Box<(ProgramNode, ProgramNode)>,
    },
    /// Calls a function of the environment.
    Call(Box<CallStep>),
    /// `x in [constants]`, these sorted.
    InSet(Box<ProgramNode>, Vec<Key>),
    /// A call with a regular expression that is a constant.
    Matches(Box<MatchStep>),
    /// `a.or(b)`, `a.orValue(b)`: `b` only if needed.
    Otherwise {
        /// `orValue`
        value: bool,
        /// The left and the right side.
        sides: Box<(ProgramNode, ProgramNode)>,
    },
    /// A list.
    List(Vec<ElementNode>),
    /// A map.
    Map(Vec<EntryNode>),
    /// A message by name.
    Message(String, Vec<FieldNode>),
    /// A loop over a list or a map.
    Fold(Box<Fold>),
}

/// A call of a function.
#[derive(Debug)]
pub struct CallStep {
    /// The name of the function.
    pub name: &'static str,
    /// The code that computes the call.
    pub target: CallTarget,
    /// The receiver and the arguments.
    pub arguments: Vec<ProgramNode>,
    /// Evaluation stops at the first argument that fails. cel-go does so where several overloads can match.
    pub stops_early: bool,
    /// The rule for the cost of the call.
    pub cost: CallCost,
    /// The first argument is this accumulator, and the result becomes its next value.
    pub appends_to: Option<usize>,
}

/// The code that computes a call.
#[derive(Debug)]
pub enum CallTarget {
    /// One computation, if the first argument can be used.
    One(fn(&Value) -> bool, Implementation),
    /// The first of these whose types the arguments have.
    First(Vec<(Vec<Type>, Option<Implementation>)>),
}

/// A call with a constant regular expression.
#[derive(Debug)]
pub struct MatchStep {
    /// The function that uses the expression.
    pub kind: MatchKind,
    /// The compiled regular expression.
    pub regex: Regex,
    /// The receiver and the arguments.
    pub arguments: Vec<ProgramNode>,
    /// The rule for the cost of the call.
    pub cost: CallCost,
}

/// A value that can be reached by names, keys and indices from a root.
#[derive(Debug)]
pub struct AttributePath {
    /// The number of the root.
    pub id: u32,
    /// The start of the path.
    pub root: Root,
    /// The selections, in order.
    pub qualifiers: Vec<Arc<Qualifier>>,
    /// `has()`: whether the last one is there.
    pub test_only: bool,
}

/// The start of an attribute's path.
#[derive(Debug)]
pub enum Root {
    /// A variable of the environment: its place and its name.
    Variable(usize, Arc<str>),
    /// A variable of a loop.
    Local(usize),
    /// The value of an expression.
    Value(ProgramNode),
    /// A choice between two attributes.
    Conditional(Box<(ProgramNode, Arc<AttributePath>, Arc<AttributePath>)>),
}

/// A selection of a field or an element.
#[derive(Debug)]
pub struct Qualifier {
    /// The number of the expression that selects.
    pub id: u32,
    /// The key that is selected.
    pub key: QualifierKey,
    /// `.?`, `[?]`
    pub optional: bool,
    /// Inside `has()`.
    pub test_only: bool,
}

/// A key of a selection.
#[derive(Debug)]
pub enum QualifierKey {
    /// Produces a constant value.
    Constant(Value),
    /// The value of another attribute.
    Attribute(Arc<AttributePath>),
    /// The value of another expression.
    Computed(ProgramNode),
}

/// A loop over a list or a map.
#[derive(Debug)]
pub struct Fold {
    /// The list or map that the loop iterates over.
    pub range: ProgramNode,
    /// Place of the variable.
    pub variable: usize,
    /// Place of the second variable.
    pub variable2: Option<usize>,
    /// Place of the accumulator.
    pub accumulator: usize,
    /// The accumulator's first value, computed when it is first asked for.
    pub init: ProgramNode,
    /// Ends the loop when false.
    pub condition: ProgramNode,
    /// The accumulator's next value.
    pub step: ProgramNode,
    /// The value of the loop.
    pub result: ProgramNode,
}

/// The steps of a program.
#[derive(Debug)]
pub struct Steps {
    /// The start of the path.
    pub root: ProgramNode,
    /// How many places loops need.
    pub locals: usize,
}

impl CallTarget {
    /// Computes a call of constants.
    pub fn run(&self, name: &str, scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
        match self {
            CallTarget::One(takes, call) => match arguments.first() {
                Some(first) if !takes(first) => match first {
                    Value::String(_) | Value::Timestamp(_) | Value::Duration(_) => {
                        Value::no_such_overload()
                    }
                    _ => Value::error(format!("no such overload: {name}")),
                },
                _ => call(scope, arguments),
            },
            CallTarget::First(candidates) => {
                let found = candidates
                    .iter()
                    .find(|(types, _)| operations::accepts(types, arguments));
                match found.and_then(|(_, call)| *call) {
                    Some(call) => call(scope, arguments),
                    None => operations::no_overload_for(name, arguments),
                }
            }
        }
    }

    /// Runs as [`CallTarget::run`] does; with `owned` the first argument may be changed in place.
    pub(super) fn take(
        &self,
        name: &str,
        scope: &mut EvaluationScope<'_>,
        arguments: &mut [Value],
        owned: bool,
    ) -> Value {
        if owned && let Some(grown) = operations::lists::grow(arguments) {
            return grown;
        }
        self.run(name, scope, arguments)
    }
}

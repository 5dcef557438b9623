//! From the tree to a program: names become places, calls know what computes them, constants are folded.
//!
//! The shape follows cel-go's `interpreter/planner.go`, because costs are counted by it: a chain of selections is one attribute
//! with qualifiers, a conditional is an attribute, too.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::ast::{Ast, Comprehension, Expr, Literal, MapEntry, MessageField, Node as Tree};
use super::super::checker::{Findings, Reference};
use super::super::cost::spend::CallCost;
use super::super::environment::{Environment, Signature};
use super::super::fold;
use super::super::functions::{Call, Dispatch};
use super::super::regex::Regex;
use super::super::types::Type;
use super::super::value::{Key, Value};

/// A step of a program.
#[derive(Debug)]
pub struct Node {
    /// The number under which its value is known to the count of costs. For a chain of selections that of its root.
    pub id: u32,
    /// The number of the whole expression in the tree.
    pub expr: u32,
    /// What it does.
    pub step: Step,
}

/// What a step does.
#[derive(Debug)]
pub enum Step {
    /// Gives a value.
    Constant(Value),
    /// Reads a variable, a part of one, or chooses.
    Attribute(Arc<Attribute>),
    /// `a && b` for false, `a || b` for true: the value that decides.
    Logical(bool, Box<(Node, Node)>),
    /// `a == b`, `a != b`.
    Equal {
        /// `!=`
        negated: bool,
        /// Both sides.
        sides: Box<(Node, Node)>,
    },
    /// Calls a function.
    Call(Box<CallStep>),
    /// `x in [constants]`.
    InSet(Box<Node>, BTreeSet<Key>),
    /// A call with a regular expression that is a constant.
    Matches(Box<MatchStep>),
    /// `a.or(b)`, `a.orValue(b)`: `b` only if needed.
    Otherwise {
        /// `orValue`
        value: bool,
        /// Both sides.
        sides: Box<(Node, Node)>,
    },
    /// A list; true marks an optional element.
    List(Vec<(Node, bool)>),
    /// A map; true marks an optional entry.
    Map(Vec<(Node, Node, bool)>),
    /// A message by name.
    Message(String, Vec<(String, Node, bool)>),
    /// A loop.
    Fold(Box<Fold>),
}

/// A call of a function.
#[derive(Debug)]
pub struct CallStep {
    /// The function's name.
    pub name: &'static str,
    /// What computes it.
    pub target: Target,
    /// The receiver and the arguments.
    pub arguments: Vec<Node>,
    /// Evaluation stops at the first argument that fails. cel-go does so where several overloads can match.
    pub stops_early: bool,
    /// What it costs.
    pub cost: CallCost,
    /// The first argument is this accumulator, and the result becomes its next value.
    pub appends_to: Option<usize>,
}

/// What computes a call.
#[derive(Debug)]
pub enum Target {
    /// One computation, if the first argument can be used.
    One(fn(&Value) -> bool, Call),
    /// The first of these whose types the arguments have.
    First(Vec<(Vec<Type>, Option<Call>)>),
}

/// A call with a constant regular expression.
#[derive(Debug)]
pub struct MatchStep {
    /// Which function.
    pub kind: MatchKind,
    /// The expression, compiled.
    pub regex: Regex,
    /// The receiver and the arguments.
    pub arguments: Vec<Node>,
    /// What it costs.
    pub cost: CallCost,
}

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

/// A value that can be reached by names, keys and indices from a root.
#[derive(Debug)]
pub struct Attribute {
    /// The number of the root.
    pub id: u32,
    /// Where it starts.
    pub root: Root,
    /// What is selected, in order.
    pub qualifiers: Vec<Arc<Qualifier>>,
    /// `has()`: whether the last one is there.
    pub test_only: bool,
}

/// Where an attribute starts.
#[derive(Debug)]
pub enum Root {
    /// A variable of the environment: its place and its name.
    Variable(usize, String),
    /// A variable of a loop.
    Local(usize),
    /// The value of an expression.
    Value(Node),
    /// A choice between two attributes.
    Conditional(Box<(Node, Arc<Attribute>, Arc<Attribute>)>),
}

/// A selection.
#[derive(Debug)]
pub struct Qualifier {
    /// The number of the expression that selects.
    pub id: u32,
    /// The key.
    pub key: QualifierKey,
    /// `.?`, `[?]`
    pub optional: bool,
    /// Inside `has()`.
    pub test_only: bool,
}

/// A key of a selection.
#[derive(Debug)]
pub enum QualifierKey {
    /// A constant.
    Constant(Value),
    /// An attribute.
    Attribute(Arc<Attribute>),
    /// Another expression.
    Computed(Node),
}

/// A loop.
#[derive(Debug)]
pub struct Fold {
    /// What is iterated over.
    pub range: Node,
    /// Place of the variable.
    pub variable: usize,
    /// Place of the second variable.
    pub variable2: Option<usize>,
    /// Place of the accumulator.
    pub accumulator: usize,
    /// The accumulator's first value, computed when it is first asked for.
    pub init: Node,
    /// Ends the loop when false.
    pub condition: Node,
    /// The accumulator's next value.
    pub step: Node,
    /// The value of the loop.
    pub result: Node,
}

/// A program.
#[derive(Debug)]
pub struct Program {
    /// Where it starts.
    pub root: Node,
    /// How many places loops need.
    pub locals: usize,
}

/// Makes a program. The error is what follows `program instantiation failed: `.
pub fn plan(environment: &Environment, ast: &Ast, findings: &Findings) -> Result<Program, String> {
    let mut planner = Planner { environment, findings, scopes: Vec::new(), locals: 0 };
    let root = planner.plan(&ast.root)?;
    Ok(Program { root, locals: planner.locals })
}

struct Planner<'a> {
    environment: &'a Environment,
    findings: &'a Findings,
    /// Variables of loops with their places, innermost last.
    scopes: Vec<(&'a str, usize)>,
    locals: usize,
}

impl<'a> Planner<'a> {
    /// The step of an expression. The kinds are kept out of this function's frame: one expression can nest 250 of them.
    fn plan(&mut self, expr: &'a Expr) -> Result<Node, String> {
        let step = match &expr.node {
            Tree::Literal(literal) => Step::Constant(constant(literal)),
            Tree::Ident(_) => return self.plan_name(expr),
            Tree::Select { operand, field, test_only } => return self.plan_select(expr, operand, field, *test_only),
            Tree::Call { function, target, arguments } => return self.plan_call(expr, function, target.as_deref(), arguments),
            Tree::List { elements, optional_indices } => self.plan_list(elements, optional_indices)?,
            Tree::Map { entries } => self.plan_map(entries)?,
            Tree::Message { type_name, fields } => self.plan_message(expr.id, type_name, fields)?,
            Tree::Comprehension(comprehension) => Step::Fold(self.plan_fold(comprehension)?),
        };
        Ok(Node { id: expr.id, expr: expr.id, step })
    }

    #[inline(never)]
    fn plan_list(&mut self, elements: &'a [Expr], optional_indices: &[u32]) -> Result<Step, String> {
        let mut planned = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let optional = optional_indices.iter().any(|&optional| optional as usize == index);
            planned.push((self.plan(element)?, optional));
        }
        Ok(fold::list(planned))
    }

    #[inline(never)]
    fn plan_map(&mut self, entries: &'a [MapEntry]) -> Result<Step, String> {
        let mut planned = Vec::with_capacity(entries.len());
        for entry in entries {
            planned.push((self.plan(&entry.key)?, self.plan(&entry.value)?, entry.optional));
        }
        Ok(fold::map(planned))
    }

    #[inline(never)]
    fn plan_message(&mut self, id: u32, type_name: &str, fields: &'a [MessageField]) -> Result<Step, String> {
        let name = match self.findings.reference(id) {
            Reference::Name(name) => name.clone(),
            _ => type_name.to_owned(),
        };
        let mut planned = Vec::with_capacity(fields.len());
        for field in fields {
            planned.push((field.name.clone(), self.plan(&field.value)?, field.optional));
        }
        Ok(Step::Message(name, planned))
    }

    #[inline(never)]
    fn plan_name(&mut self, expr: &Expr) -> Result<Node, String> {
        let Reference::Name(name) = self.findings.reference(expr.id) else {
            return Err("no such attribute".to_owned());
        };
        let is_type = matches!(self.findings.type_of(expr.id), Type::Type(_));
        if is_type {
            let found = self.environment.type_named(name);
            return match found {
                Some(found) if self.environment.has_type_value(name) => {
                    Ok(Node { id: expr.id, expr: expr.id, step: Step::Constant(Value::Type(Arc::new(found))) })
                }
                _ => Err(format!("reference to undefined type: {name}")),
            };
        }
        let local = self.scopes.iter().rev().find(|(known, _)| known == name).map(|(_, place)| Root::Local(*place));
        let root = local.or_else(|| self.environment.variable(name).map(|place| Root::Variable(place, name.clone())));
        let root = root.ok_or_else(|| format!("no such attribute: {name}"))?;
        Ok(attribute_node(expr.id, Attribute { id: expr.id, root, qualifiers: Vec::new(), test_only: false }))
    }

    #[inline(never)]
    fn plan_select(&mut self, expr: &'a Expr, operand: &'a Expr, field: &str, test_only: bool) -> Result<Node, String> {
        if matches!(self.findings.reference(expr.id), Reference::Name(_)) {
            return self.plan_name(expr);
        }
        let operand = self.plan(operand)?;
        let key = QualifierKey::Constant(Value::string(field));
        Ok(qualify(expr.id, operand, Qualifier { id: expr.id, key, optional: false, test_only }))
    }

    #[inline(never)]
    fn plan_call(
        &mut self,
        expr: &'a Expr,
        function: &'a str,
        target: Option<&'a Expr>,
        arguments: &'a [Expr],
    ) -> Result<Node, String> {
        let Reference::Function { function: index, overloads, namespaced } = self.findings.reference(expr.id) else {
            return Err(format!("no such overload: {function}"));
        };
        let mut planned = Vec::with_capacity(arguments.len().saturating_add(1));
        for argument in target.filter(|_| !namespaced).into_iter().chain(arguments) {
            planned.push(self.plan(argument)?);
        }
        let Some(declaration) = self.environment.function(*index) else {
            return Err(format!("no such overload: {function}"));
        };
        let single: Option<&Signature> = match overloads.as_slice() {
            [only] => declaration.overloads.get(*only),
            _ => None,
        };
        let step = match (declaration.name, planned.len()) {
            ("_&&_" | "_||_", 2) => {
                let decides = declaration.name == "_||_";
                let Some(sides) = pair(planned) else { return Err(String::new()) };
                Step::Logical(decides, Box::new(sides))
            }
            ("_==_" | "_!=_", 2) => {
                let Some(sides) = pair(planned) else { return Err(String::new()) };
                Step::Equal { negated: declaration.name == "_!=_", sides: Box::new(sides) }
            }
            ("_?:_" | "_?_:_", 3) => return Ok(conditional(expr.id, planned)),
            ("_[_]" | "_[?_]" | "_?._", 2) => {
                let Some((operand, key)) = pair(planned) else { return Err(String::new()) };
                return index_step(expr.id, operand, key, declaration.name != "_[_]");
            }
            ("or" | "orValue", 2) if single.is_some() || overloads.len() != 1 => {
                let value = declaration.name == "orValue";
                let Some(sides) = pair(planned) else { return Err(String::new()) };
                Step::Otherwise { value, sides: Box::new(sides) }
            }
            _ => self.call_step(expr, declaration, single, planned)?,
        };
        Ok(Node { id: expr.id, expr: expr.id, step })
    }

    #[inline(never)]
    fn call_step(
        &mut self,
        expr: &Expr,
        declaration: &super::super::environment::Declaration,
        single: Option<&Signature>,
        arguments: Vec<Node>,
    ) -> Result<Step, String> {
        let rules = self.environment.rules();
        let cost = CallCost::of(declaration.name, single.map(|signature| signature.id), rules);
        let target = match declaration.function.dispatch {
            Dispatch::One { takes, call } => Target::One(takes, call),
            Dispatch::Evaluator | Dispatch::Overloads => {
                let candidates = declaration.overloads.iter().filter(|candidate| {
                    single.is_none_or(|single| std::ptr::eq(single, *candidate)) && candidate.arguments.len() == arguments.len()
                });
                Target::First(candidates.map(|candidate| (candidate.arguments.clone(), candidate.overload.call)).collect())
            }
        };
        let appends_to = match (arguments.first(), expr.generated) {
            (Some(Node { step: Step::Attribute(attribute), .. }), true)
                if matches!(declaration.name, "_+_" | "cel.@mapInsert") && attribute.qualifiers.is_empty() =>
            {
                match attribute.root {
                    Root::Local(place) if self.is_accumulator(place) => Some(place),
                    _ => None,
                }
            }
            _ => None,
        };
        let stops_early = match single {
            Some(signature) => signature.overload.stops_early,
            None => matches!(target, Target::First(_)),
        };
        let call = CallStep { name: declaration.name, target, arguments, stops_early, cost, appends_to };
        fold::call(call, single.map(|signature| signature.id), rules)
    }

    /// Whether a place is the accumulator of the innermost loop: its name cannot be written since cel-go 0.23, and before that only
    /// generated steps may take its value away.
    fn is_accumulator(&self, place: usize) -> bool {
        let name = self.environment.parse_options().dialect.accumulator;
        self.scopes.iter().rev().find(|(known, _)| *known == name).is_some_and(|(_, known)| *known == place)
    }

    #[inline(never)]
    fn plan_fold(&mut self, comprehension: &'a Comprehension) -> Result<Box<Fold>, String> {
        let accumulator = self.locals;
        let variable = accumulator.saturating_add(1);
        let variable2 = comprehension.variable2.as_ref().map(|_| variable.saturating_add(1));
        self.locals = variable2.unwrap_or(variable).saturating_add(1);
        let init = self.plan(&comprehension.init)?;
        let range = self.plan(&comprehension.range)?;
        let outside = self.scopes.len();
        // The accumulator hides a variable of the same name, as in cel-go's activations.
        self.scopes.push((&comprehension.variable, variable));
        if let (Some(name), Some(place)) = (&comprehension.variable2, variable2) {
            self.scopes.push((name, place));
        }
        self.scopes.push((&comprehension.accumulator, accumulator));
        let condition = self.plan(&comprehension.condition)?;
        let step = self.plan(&comprehension.step)?;
        self.scopes.truncate(outside);
        self.scopes.push((&comprehension.accumulator, accumulator));
        let result = self.plan(&comprehension.result)?;
        self.scopes.truncate(outside);
        Ok(Box::new(Fold { range, variable, variable2, accumulator, init, condition, step, result }))
    }
}

fn pair(nodes: Vec<Node>) -> Option<(Node, Node)> {
    let mut nodes = nodes.into_iter();
    Some((nodes.next()?, nodes.next()?))
}

/// The value of a constant.
pub fn constant(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(b) => Value::Bool(*b),
        Literal::Int(i) => Value::Int(*i),
        Literal::Uint(u) => Value::Uint(*u),
        Literal::Double(d) => Value::Double(*d),
        Literal::String(s) => Value::string(s),
        Literal::Bytes(b) => Value::Bytes(Arc::from(b.as_slice())),
    }
}

fn attribute_node(expr: u32, attribute: Attribute) -> Node {
    Node { id: attribute.id, expr, step: Step::Attribute(Arc::new(attribute)) }
}

/// The attribute of a step; any other value is the root of a new one.
#[inline(never)]
fn into_attribute(node: Node) -> Attribute {
    match node.step {
        Step::Attribute(attribute) => match Arc::try_unwrap(attribute) {
            Ok(attribute) => attribute,
            Err(shared) => {
                let id = shared.id;
                Attribute {
                    id,
                    root: Root::Value(Node { id, expr: node.expr, step: Step::Attribute(shared) }),
                    qualifiers: Vec::new(),
                    test_only: false,
                }
            }
        },
        _ => Attribute { id: node.id, root: Root::Value(node), qualifiers: Vec::new(), test_only: false },
    }
}

#[inline(never)]
fn qualify(expr: u32, operand: Node, qualifier: Qualifier) -> Node {
    let test_only = qualifier.test_only;
    let mut attribute = into_attribute(operand);
    add_qualifier(&mut attribute, &Arc::new(qualifier));
    attribute.test_only = test_only;
    attribute_node(expr, attribute)
}

/// A qualifier of a conditional is one of both branches.
fn add_qualifier(attribute: &mut Attribute, qualifier: &Arc<Qualifier>) {
    if let Root::Conditional(parts) = &mut attribute.root {
        for branch in [&mut parts.1, &mut parts.2] {
            if let Some(branch) = Arc::get_mut(branch) {
                add_qualifier(branch, qualifier);
            }
        }
    } else {
        attribute.qualifiers.push(qualifier.clone());
    }
}

#[inline(never)]
fn conditional(id: u32, parts: Vec<Node>) -> Node {
    let mut parts = parts.into_iter();
    let (Some(condition), Some(truthy), Some(falsy)) = (parts.next(), parts.next(), parts.next()) else {
        return Node { id, expr: id, step: Step::Constant(Value::no_such_overload()) };
    };
    let root = Root::Conditional(Box::new((condition, Arc::new(into_attribute(truthy)), Arc::new(into_attribute(falsy)))));
    attribute_node(id, Attribute { id, root, qualifiers: Vec::new(), test_only: false })
}

#[inline(never)]
fn index_step(expr: u32, operand: Node, key: Node, optional: bool) -> Result<Node, String> {
    let key = match key.step {
        Step::Constant(value) => {
            super::attributes::can_qualify(&value)?;
            QualifierKey::Constant(value)
        }
        Step::Attribute(attribute) => QualifierKey::Attribute(attribute),
        step => QualifierKey::Computed(Node { step, ..key }),
    };
    Ok(qualify(expr, operand, Qualifier { id: expr, key, optional, test_only: false }))
}

//! Why an expression has its value: the value of every part, and the parts that decided.

use std::fmt::Write as _;
use std::ops::Range;

use super::ast::{Expr, ExprNode};
use super::compile::{Outcome, Program};
use super::evaluator::Keep;
use super::library::strings::quote;
use super::value::Value;

/// A run with the values of its parts.
///
/// ```
/// use claimkit_cel::types::Type;
/// use claimkit_cel::value::Value;
/// use claimkit_cel::{Environment, EnvironmentMode};
///
/// let environment = Environment::kubernetes(34, &[], EnvironmentMode::New).with_variable("n", Type::Int);
/// let program = environment.compile("n == 2 || n == 3").unwrap();
/// let trace = program.trace(&[Value::Int(5)], 1_000);
/// assert!(matches!(trace.value_of(&program.checked().ast.root), Some(Value::Bool(false))));
/// let parts = trace.parts(&program);
/// assert_eq!(program.text_of(&parts[1].span), "n == 2");
/// let reasons = trace.reasons(&program);
/// assert_eq!(reasons.iter().map(|reason| program.text_of(&reason.part.span)).collect::<Vec<_>>(), ["n == 2", "n == 3"]);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Trace {
    /// The result and the cost of the run.
    pub outcome: Outcome,
    /// The last value of each node that was evaluated, by its id.
    values: Vec<Option<Value>>,
}

/// A part of an expression with its value.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Part {
    /// Bytes of the text.
    pub span: Range<u32>,
    /// The value it had last; in a loop it can have had others. An error is a value.
    pub value: Value,
}

/// A part that decided the result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DecidingPart {
    /// The smallest boolean part that is false, or true, or failed.
    pub part: Part,
    /// The parts of variables that it read: `device.attributes["a"].b`.
    pub reads: Vec<Part>,
}

impl Program {
    /// Runs the program and keeps the values of its parts.
    pub fn trace(&self, variables: &[Value], limit: u64) -> Trace {
        let (outcome, observations) = self.run(variables, limit, Keep::EveryValue);
        let mut values = vec![None; (self.checked().ast.ids as usize).saturating_add(1)];
        for observation in observations {
            if let Some(place) = values.get_mut(observation.expr as usize) {
                *place = Some(observation.value);
            }
        }
        Trace { outcome, values }
    }

    /// Returns the text of a part.
    pub fn text_of(&self, span: &Range<u32>) -> &str {
        self.checked()
            .ast
            .source
            .text()
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    /// Returns one line for each part that decided: `device.driver == "a" is false: device.driver is "b"`.
    pub fn explain(&self, trace: &Trace) -> Vec<String> {
        trace
            .reasons(self)
            .iter()
            .map(|reason| self.sentence(reason))
            .collect()
    }

    fn sentence(&self, reason: &DecidingPart) -> String {
        let text = self.text_of(&reason.part.span);
        let mut sentence = match &reason.part.value {
            Value::Error(error) => format!("`{text}` fails: {}", error.text),
            value => format!("`{text}` is {}", shown(value)),
        };
        let others = reason
            .reads
            .iter()
            .filter(|read| read.span != reason.part.span && !read.value.is_error());
        for (index, read) in others.enumerate() {
            let before = match (index, &reason.part.value) {
                // Errors have colons of their own.
                (0, Value::Error(_)) => "; ",
                (0, _) => ": ",
                _ => ", ",
            };
            let _ = write!(
                sentence,
                "{before}`{}` is {}",
                self.text_of(&read.span),
                shown(&read.value)
            );
        }
        sentence
    }
}

impl Trace {
    /// Returns the value of a node, if it was evaluated.
    pub fn value_of(&self, expr: &Expr) -> Option<&Value> {
        self.values.get(expr.id as usize).and_then(Option::as_ref)
    }

    /// Returns all parts of the text that were evaluated, outer ones before inner ones.
    pub fn parts(&self, program: &Program) -> Vec<Part> {
        let mut parts = Vec::new();
        self.collect(&program.checked().ast.root, &mut |expr, value| {
            if !expr.generated {
                parts.push(Part {
                    span: expr.span.clone(),
                    value: value.clone(),
                });
            }
        });
        parts
    }

    /// Returns the parts that decided the result.
    pub fn reasons(&self, program: &Program) -> Vec<DecidingPart> {
        let mut reasons = Vec::new();
        self.decide(&program.checked().ast.root, &mut reasons);
        reasons
    }

    fn collect<'e>(&self, expr: &'e Expr, visit: &mut impl FnMut(&'e Expr, &Value)) {
        if let Some(value) = self.value_of(expr) {
            visit(expr, value);
        }
        children(expr, &mut |child| self.collect(child, visit));
    }

    /// Goes down through `&&`, `||`, `!` and `?:` to the parts that gave the value.
    fn decide(&self, expr: &Expr, reasons: &mut Vec<DecidingPart>) {
        let Some(value) = self.value_of(expr) else {
            return;
        };
        if let ExprNode::Call {
            function,
            arguments,
            ..
        } = &expr.node
        {
            match (&**function, arguments.as_slice()) {
                ("_&&_" | "_||_", parts) => {
                    let decisive: Vec<&Expr> = parts
                        .iter()
                        .filter(|part| match (self.value_of(part), value) {
                            (Some(Value::Bool(part)), Value::Bool(whole)) => part == whole,
                            (Some(Value::Error(part)), Value::Error(whole)) => part == whole,
                            _ => false,
                        })
                        .collect();
                    if !decisive.is_empty() {
                        for part in decisive {
                            self.decide(part, reasons);
                        }
                        return;
                    }
                }
                ("!_", [part]) => return self.decide(part, reasons),
                ("_?_:_", [condition, truthy, falsy]) => {
                    let branch = match self.value_of(condition) {
                        Some(Value::Bool(true)) => truthy,
                        Some(Value::Bool(false)) => falsy,
                        _ => condition,
                    };
                    if self.value_of(branch).is_some() {
                        return self.decide(branch, reasons);
                    }
                }
                _ => {}
            }
        }
        let mut reads = Vec::new();
        self.reads(expr, &mut reads);
        reasons.push(DecidingPart {
            part: Part {
                span: expr.span.clone(),
                value: value.clone(),
            },
            reads,
        });
    }

    /// Collects the longest selections from names in an expression. For a failed selection, its operand: that shows the existing
    /// keys.
    fn reads(&self, expr: &Expr, reads: &mut Vec<Part>) {
        if is_selection(expr) && matches!(self.value_of(expr), Some(Value::Error(_))) {
            return children(expr, &mut |child| self.reads(child, reads));
        }
        if is_selection(expr) {
            if let Some(value) = self.value_of(expr)
                && !expr.generated
                && !reads.iter().any(|read| read.span == expr.span)
            {
                reads.push(Part {
                    span: expr.span.clone(),
                    value: value.clone(),
                });
            }
            return;
        }
        children(expr, &mut |child| self.reads(child, reads));
    }
}

/// Returns true if an expression is a name or selects from one.
fn is_selection(expr: &Expr) -> bool {
    let mut at = expr;
    loop {
        match &at.node {
            ExprNode::Ident(_) => return true,
            ExprNode::Select {
                operand,
                test_only: false,
                ..
            } => at = operand,
            ExprNode::Call {
                function,
                arguments,
                ..
            } if matches!(&**function, "_[_]" | "_[?_]" | "_?._") => match arguments.first() {
                Some(operand) => at = operand,
                None => return false,
            },
            _ => return false,
        }
    }
}

/// Goes to the parts of an expression, one level down.
///
/// ```
/// use claimkit_cel::{Environment, EnvironmentMode, parse::parse, trace::children};
///
/// let environment = Environment::kubernetes(34, &[], EnvironmentMode::New);
/// let ast = parse("a + b", environment.parse_options()).unwrap();
/// let mut parts = 0;
/// children(&ast.root, &mut |_| parts += 1);
/// assert_eq!(parts, 2);
/// ```
pub fn children<'e>(expr: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    match &expr.node {
        ExprNode::Literal(_) | ExprNode::Ident(_) => {}
        ExprNode::Select { operand, .. } => visit(operand),
        ExprNode::Call {
            target, arguments, ..
        } => target
            .as_deref()
            .into_iter()
            .chain(arguments)
            .for_each(visit),
        ExprNode::List { elements, .. } => elements.iter().for_each(visit),
        ExprNode::Map { entries } => {
            for entry in entries {
                visit(&entry.key);
                visit(&entry.value);
            }
        }
        ExprNode::Message { fields, .. } => fields.iter().for_each(|field| visit(&field.value)),
        ExprNode::Comprehension(comprehension) => {
            visit(&comprehension.range);
            visit(&comprehension.init);
            visit(&comprehension.condition);
            visit(&comprehension.step);
            visit(&comprehension.result);
        }
    }
}

/// Maximum number of elements of a container that are shown.
const SHOWN: usize = 8;

/// Writes a value as it would be in an expression; long containers are cut.
///
/// ```
/// use claimkit_cel::{trace::shown, value::Value};
///
/// assert_eq!(shown(&Value::list(vec![Value::Int(1), Value::Int(2)])), "[1, 2]");
/// ```
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        Value::Null => "null".to_owned(),
        Value::Uint(number) => format!("{number}u"),
        Value::Duration(duration) => format!("duration(\"{duration}\")"),
        Value::Timestamp(time) => format!("timestamp(\"{time}\")"),
        Value::Quantity(quantity, _) => {
            format!("quantity(\"{}\")", amount(quantity.as_approximate_float()))
        }
        Value::Version(version) => format!("semver(\"{version}\")"),
        Value::Type(kind) => kind.name().to_owned(),
        Value::List(list) => {
            let mut parts: Vec<String> = list.iter().take(SHOWN).map(short).collect();
            if list.len() > SHOWN {
                parts.push("…".to_owned());
            }
            format!("[{}]", parts.join(", "))
        }
        Value::Map(map) => {
            let mut parts: Vec<String> = map
                .entries()
                .iter()
                .take(SHOWN)
                .map(|(key, value)| format!("{}: {}", short(key), short(value)))
                .collect();
            if map.len() > SHOWN {
                parts.push("…".to_owned());
            }
            format!("{{{}}}", parts.join(", "))
        }
        other => other.to_string(),
    }
}

/// Writes a quantity in the largest unit that leaves no fraction.
fn amount(number: f64) -> String {
    let binary = divided(number, 1024.0, ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]);
    let decimal = divided(number, 1000.0, ["k", "M", "G", "T", "P", "E"]);
    // The value does not know how it was written: the shorter way is the likelier one, `200G` and not `195312500Ki`.
    if decimal.len() < binary.len() {
        decimal
    } else {
        binary
    }
}

fn divided(mut number: f64, by: f64, units: [&str; 6]) -> String {
    let mut unit = "";
    for next in units {
        if number == 0.0 || number % by != 0.0 {
            break;
        }
        (number, unit) = (number / by, next);
    }
    format!("{number}{unit}")
}

/// Writes a value inside of a container.
fn short(value: &Value) -> String {
    match value {
        Value::List(_) => "[…]".to_owned(),
        Value::Map(_) => "{…}".to_owned(),
        other => shown(other),
    }
}

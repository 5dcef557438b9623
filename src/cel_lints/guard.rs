//! Tests that keep an expression from failing on a device without a name, each tried on that device.

use super::reads;
use claimkit_model::cel::ast::{Expr, ExprNode, Literal};
use claimkit_model::cel::value::Value;
use claimkit_model::cel::{Environment, Program, SELECTOR_COST_LIMIT};
use std::ops::Range;

/// A test that keeps an expression from failing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// A test that is written before a part of the expression, with `&&`.
    Before {
        /// `"model" in device.attributes["gpu.example.com"]`.
        test: String,
        /// The part that it goes before; `None`: it begins the expression.
        part: Option<String>,
        /// The expression is true for the device then.
        selects: bool,
    },
    /// A test before the whole expression, which is put into parentheses: its last operator binds less than `&&`.
    Around { test: String },
    /// A condition under `!`, or one that asks for a difference: the test belongs to this condition alone. Before the whole
    /// expression it would exclude the devices that were meant.
    Instead {
        /// The condition as it is written.
        old: String,
        /// The condition with its test.
        new: String,
        /// The expression is true for the device then.
        selects: bool,
    },
}

/// Returns a test with which the expression does not fail on a device. `failing`: the bytes of the lookup that fails there.
pub fn find(
    program: &Program,
    environment: &Environment,
    variables: &[Value],
    failing: &Range<u32>,
) -> Option<Guard> {
    let around = parts_around(program, failing);
    let lookup = around.last()?;
    let presence_tests = tests(program, lookup);
    if let Some(condition) = Condition::of(&around) {
        return condition.guarded(program, environment, variables, &presence_tests);
    }
    let whole = program.checked().ast.source.text();
    // The smallest part comes first: a test before a larger one also skips parts that do not fail.
    for (depth, part) in around.iter().enumerate().rev() {
        let above = depth.checked_sub(1).and_then(|above| around.get(above));
        let is_condition = above.is_none_or(|above| takes_condition(above, part));
        for test in &presence_tests {
            let (start, end) = (part.span.start as usize, part.span.end as usize);
            let (Some(head), Some(own), Some(tail)) =
                (whole.get(..start), whole.get(start..end), whole.get(end..))
            else {
                continue;
            };
            let tried = environment.compile(&format!("{head}{test} && {own}{tail}"));
            let Ok(tried) = tried else { continue };
            let joint = Joint {
                start,
                behind: start.saturating_add(test.len()),
                is_condition,
            };
            let outcome = tried.evaluate(variables, SELECTOR_COST_LIMIT);
            let Ok(selects) = outcome.matches() else {
                continue;
            };
            if !joint.is_sound(&tried) {
                continue;
            }
            if selects && let Some(guard) = around_choice(program, environment, variables, test) {
                return Some(guard);
            }
            return Some(Guard::Before {
                test: test.clone(),
                part: (!head.trim().is_empty()).then(|| own.to_owned()),
                selects,
            });
        }
    }
    None
}

/// Returns the written parts around a place, from the whole expression to the smallest one with these bytes.
pub fn parts_around<'e>(program: &'e Program, place: &Range<u32>) -> Vec<&'e Expr> {
    let mut around = Vec::new();
    path_to(&program.checked().ast.root, place, &mut around);
    around
}

/// Returns a test before the whole expression if that is `… ? … : …`, which `&&` does not contain, and the device is not selected then.
fn around_choice(
    program: &Program,
    environment: &Environment,
    variables: &[Value],
    test: &str,
) -> Option<Guard> {
    let checked = program.checked();
    if !is_call(&checked.ast.root, "_?_:_") {
        return None;
    }
    let whole = checked.ast.source.text();
    let tried = environment.compile(&format!("{test} && ({whole})")).ok()?;
    let outcome = tried.evaluate(variables, SELECTOR_COST_LIMIT);
    (outcome.matches() == Ok(false)).then(|| Guard::Around {
        test: test.to_owned(),
    })
}

/// A condition whose meaning a test before the whole expression would turn around.
struct Condition<'e> {
    expr: &'e Expr,
    /// It asks for a difference: what a device does not have is different from every value.
    is_difference: bool,
}

impl<'e> Condition<'e> {
    /// Returns the condition around a lookup, if it is under `!` or asks for a difference. `around`: the parts around the lookup, from
    /// the whole expression to the lookup.
    fn of(around: &[&'e Expr]) -> Option<Self> {
        let mut is_negated = false;
        let mut parts = around.iter().copied();
        let expr = parts.find(|part| {
            is_negated |= is_call(part, "!_");
            !["!_", "_&&_", "_||_"]
                .iter()
                .any(|sign| is_call(part, sign))
        })?;
        let is_difference = asks_for_difference(expr);
        (is_negated || is_difference).then_some(Condition {
            expr,
            is_difference,
        })
    }

    /// Returns the condition with the first test with which the expression does not fail.
    fn guarded(
        &self,
        program: &Program,
        environment: &Environment,
        variables: &[Value],
        presence_tests: &[String],
    ) -> Option<Guard> {
        if is_call(self.expr, "_?_:_") {
            return None;
        }
        let whole = program.checked().ast.source.text();
        let (start, end) = (self.expr.span.start as usize, self.expr.span.end as usize);
        let (head, old, tail) = (
            whole.get(..start)?,
            whole.get(start..end)?,
            whole.get(end..)?,
        );
        let is_enclosed = head.trim_end().ends_with('(') && tail.trim_start().starts_with(')');
        let is_whole = head.trim().is_empty() && tail.trim().is_empty();
        for test in presence_tests {
            let mut new = if self.is_difference {
                format!("!{} || {old}", enclosed(test))
            } else {
                format!("{test} && {old}")
            };
            if !is_enclosed && !is_whole {
                new = format!("({new})");
            }
            let Ok(tried) = environment.compile(&format!("{head}{new}{tail}")) else {
                continue;
            };
            if let Ok(selects) = tried.evaluate(variables, SELECTOR_COST_LIMIT).matches() {
                return Some(Guard::Instead {
                    old: old.to_owned(),
                    new,
                    selects,
                });
            }
        }
        None
    }
}

/// Puts a test with `in` into parentheses: `!` is about the first operand only.
fn enclosed(test: &str) -> String {
    if test.starts_with("has(") {
        test.to_owned()
    } else {
        format!("({test})")
    }
}

/// Returns true for `a != b` and `a == false`.
fn asks_for_difference(expr: &Expr) -> bool {
    match &expr.node {
        ExprNode::Call {
            function,
            arguments,
            ..
        } => match &**function {
            "_!=_" => !arguments.iter().any(|side| is_bool(side, false)),
            "_==_" => arguments.iter().any(|side| is_bool(side, false)),
            _ => false,
        },
        _ => false,
    }
}

fn is_bool(expr: &Expr, value: bool) -> bool {
    matches!(expr.node, ExprNode::Literal(Literal::Bool(written)) if written == value)
}

fn is_call(expr: &Expr, name: &str) -> bool {
    matches!(&expr.node, ExprNode::Call { function, .. } if function == name)
}

/// Returns true if an expression takes a part of it as true or false.
fn takes_condition(whole: &Expr, part: &Expr) -> bool {
    match &whole.node {
        ExprNode::Comprehension(_) => true,
        ExprNode::Call { function, .. } => match &**function {
            "_&&_" | "_||_" | "!_" => true,
            "_?_:_" => whole.span.start == part.span.start,
            _ => false,
        },
        _ => false,
    }
}

/// The place where a test was written before a part with `&&`.
struct Joint {
    start: usize,
    /// One past the last byte of the test.
    behind: usize,
    /// The part alone is taken as true or false.
    is_condition: bool,
}

impl Joint {
    /// Returns true if `&&` takes the test alone on one side, and what follows is true or false. In `v == TEST && x` it is neither.
    fn is_sound(&self, program: &Program) -> bool {
        let part = self.behind.saturating_add(" && ".len());
        let (mut has_test, mut is_bare) = (false, false);
        reads::visit(&program.checked().ast.root, &mut |expr| {
            for operand in operands(expr) {
                let (from, to) = (operand.span.start as usize, operand.span.end as usize);
                has_test |= from == self.start && to == self.behind;
                is_bare |= from == part && is_lookup(operand);
            }
            true
        });
        has_test && (self.is_condition || !is_bare)
    }
}

/// Returns the two sides of `&&`.
fn operands(expr: &Expr) -> &[Expr] {
    match &expr.node {
        ExprNode::Call {
            function,
            arguments,
            ..
        } if function == "_&&_" => arguments,
        _ => &[],
    }
}

/// Returns true if an expression reads a value that may have any type.
fn is_lookup(expr: &Expr) -> bool {
    match &expr.node {
        ExprNode::Select { test_only, .. } => !test_only,
        ExprNode::Call { function, .. } => function == "_[_]",
        _ => false,
    }
}

/// Collects the written parts around a place, from the whole expression to the smallest one with these bytes.
fn path_to<'e>(expr: &'e Expr, place: &Range<u32>, path: &mut Vec<&'e Expr>) {
    let holds = expr.span.start <= place.start && place.end <= expr.span.end;
    if holds && !expr.generated {
        path.push(expr);
    }
    let mut below: Vec<&'e Expr> = Vec::new();
    claimkit_model::cel::trace::children(expr, &mut |child| below.push(child));
    for child in below {
        let before = path.len();
        path_to(child, place, path);
        if path.len() > before {
            return;
        }
    }
}

/// Returns tests for the presence of what a lookup reads.
fn tests(program: &Program, lookup: &Expr) -> Vec<String> {
    let text = |expr: &Expr| program.text_of(&expr.span);
    match &lookup.node {
        ExprNode::Select { operand, field, .. } => vec![
            format!("has({})", text(lookup)),
            format!("\"{field}\" in {}", text(operand)),
        ],
        ExprNode::Call {
            function,
            arguments,
            ..
        } if function == "_[_]" => match arguments.as_slice() {
            [operand, key] => vec![format!("{} in {}", text(key), text(operand))],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

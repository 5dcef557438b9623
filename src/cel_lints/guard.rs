//! Tests that keep an expression from failing on a device without a name, each tried on that device.

use super::reads;
use claimkit_model::cel::ast::{Expr, ExprNode};
use claimkit_model::cel::value::Value;
use claimkit_model::cel::{Environment, Program, SELECTOR_COST_LIMIT};
use std::ops::Range;

/// A test that is written before a part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// `"model" in device.attributes["gpu.example.com"]`.
    pub test: String,
    /// The part that it goes before; `None`: it begins the expression.
    pub before: Option<String>,
}

/// Returns a test with which the expression does not fail on a device. `failing`: the bytes of the lookup that fails there.
pub fn find(
    program: &Program,
    environment: &Environment,
    variables: &[Value],
    failing: &Range<u32>,
) -> Option<Guard> {
    let root = &program.checked().ast.root;
    let mut around = Vec::new();
    path_to(root, failing, &mut around);
    let lookup = around.last()?;
    let presence_tests = tests(program, lookup);
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
            let passes = tried
                .evaluate(variables, SELECTOR_COST_LIMIT)
                .matches()
                .is_ok();
            if passes && joint.is_sound(&tried) {
                return Some(Guard {
                    test: test.clone(),
                    before: (!head.trim().is_empty()).then(|| own.to_owned()),
                });
            }
        }
    }
    None
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

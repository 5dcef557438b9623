//! Tests that keep an expression from failing on a device without a name, each tried on that device.

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
    let tests = tests(program, lookup);
    let whole = program.checked().ast.source.text();
    // The smallest part comes first: a test before a larger one also skips parts that do not fail.
    for part in around.iter().rev() {
        for test in &tests {
            let (start, end) = (part.span.start as usize, part.span.end as usize);
            let (Some(head), Some(own), Some(tail)) =
                (whole.get(..start), whole.get(start..end), whole.get(end..))
            else {
                continue;
            };
            let tried = environment.compile(&format!("{head}{test} && {own}{tail}"));
            let passes = tried.is_ok_and(|program| {
                program
                    .evaluate(variables, SELECTOR_COST_LIMIT)
                    .matches()
                    .is_ok()
            });
            if passes {
                return Some(Guard {
                    test: test.clone(),
                    before: (!head.trim().is_empty()).then(|| own.to_owned()),
                });
            }
        }
    }
    None
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

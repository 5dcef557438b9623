//! What an expression reads of a device.

use claimkit_model::cel::ast::{Expr, ExprNode, Literal};
use claimkit_model::cel::trace::children;
use std::ops::Range;

/// A chain of constant selections from the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// `["device", "attributes", "gpu.example.com", "model"]`, `["attributes", "string", "model"]`.
    pub path: Vec<String>,
    /// Bytes of the expression.
    pub span: Range<u32>,
}

/// Returns the names on the path to an expression; `None` if it is not a chain of constant selections from a name.
pub fn path(expr: &Expr) -> Option<Vec<String>> {
    let (mut at, mut names) = (expr, Vec::new());
    loop {
        match &at.node {
            ExprNode::Ident(name) => {
                names.push(name.to_string());
                names.reverse();
                return Some(names);
            }
            ExprNode::Select { operand, field, .. } => {
                names.push(field.to_string());
                at = operand;
            }
            ExprNode::Call {
                function,
                arguments,
                ..
            } if matches!(&**function, "_[_]" | "_[?_]" | "_?._") => {
                let [
                    operand,
                    Expr {
                        node: ExprNode::Literal(Literal::String(name)),
                        ..
                    },
                ] = arguments.as_slice()
                else {
                    return None;
                };
                names.push(name.to_string());
                at = operand;
            }
            _ => return None,
        }
    }
}

/// Returns all of them, the longest where one is part of another.
pub fn all(root: &Expr) -> Vec<Read> {
    let mut found: Vec<Read> = Vec::new();
    visit(root, &mut |expr| {
        let path = path(expr).filter(|path| path.len() > 1);
        let whole = path.is_some();
        if let Some(path) = path {
            found.push(Read {
                path,
                span: expr.span.clone(),
            });
        }
        !whole
    });
    found
}

/// Goes through a tree; `enter` says whether to go on below an expression. The parser bounds the depth of trees.
pub fn visit<'e>(expr: &'e Expr, enter: &mut dyn FnMut(&'e Expr) -> bool) {
    if enter(expr) {
        children(expr, &mut |child| visit(child, enter));
    }
}

/// Returns true if an expression does not read `device` or `attributes`.
pub fn is_constant(expr: &Expr) -> bool {
    let mut constant = true;
    visit(expr, &mut |expr| {
        constant &= !matches!(&expr.node, ExprNode::Ident(name) if matches!(&**name, "device" | "attributes"));
        constant
    });
    constant
}

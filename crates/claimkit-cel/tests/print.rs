//! Prints trees: as a shape to compare, and as a text to parse again.

use claimkit_cel::ast::{Ast, Comprehension, Expr, ExprNode, Literal, MapEntry, MessageField};

/// Prints the tree without ids and places.
pub fn shape(expr: &Expr) -> String {
    let all = |exprs: &[Expr]| exprs.iter().map(shape).collect::<Vec<_>>().join(" ");
    match &expr.node {
        ExprNode::Literal(literal) => format!("{literal:?}"),
        ExprNode::Ident(name) => name.to_string(),
        ExprNode::Select {
            operand,
            field,
            test_only,
        } => {
            format!(
                "({} {} {field})",
                if *test_only { "has" } else { "." },
                shape(operand)
            )
        }
        ExprNode::Call {
            function,
            target: None,
            arguments,
        } => format!("({function} {})", all(arguments)),
        ExprNode::Call {
            function,
            target: Some(target),
            arguments,
        } => {
            format!("({}.{function} {})", shape(target), all(arguments))
        }
        ExprNode::List {
            elements,
            optional_indices,
        } => format!("[{} {optional_indices:?}]", all(elements)),
        ExprNode::Map { entries } => {
            let entry = |entry: &MapEntry| {
                format!(
                    "{}{}:{}",
                    question(entry.optional),
                    shape(&entry.key),
                    shape(&entry.value)
                )
            };
            format!(
                "{{{}}}",
                entries.iter().map(entry).collect::<Vec<_>>().join(" ")
            )
        }
        ExprNode::Message { type_name, fields } => {
            let field = |field: &MessageField| {
                format!(
                    "{}{}:{}",
                    question(field.optional),
                    field.name,
                    shape(&field.value)
                )
            };
            format!(
                "{type_name}{{{}}}",
                fields.iter().map(field).collect::<Vec<_>>().join(" ")
            )
        }
        ExprNode::Comprehension(fold) => {
            let Comprehension {
                range,
                variable,
                variable2,
                accumulator,
                init,
                condition,
                step,
                result,
                ..
            } = fold.as_ref();
            let variables = variable2
                .as_ref()
                .map_or(variable.clone(), |second| format!("{variable},{second}"));
            let [range, init, condition, step, result] =
                [range, init, condition, step, result].map(shape);
            format!(
                "(fold {range} {variables} {accumulator}={init} while {condition} do {step} give {result})"
            )
        }
    }
}

/// Writes a text for the tree, with parentheses around every operator. What a macro made is taken from the text it was parsed
/// from.
pub fn text(ast: &Ast, expr: &Expr) -> String {
    let text = |expr: &Expr| text(ast, expr);
    let all = |exprs: &[Expr]| exprs.iter().map(text).collect::<Vec<_>>().join(", ");
    if expr.generated {
        return source(ast, expr).to_owned();
    }
    match &expr.node {
        ExprNode::Literal(literal) => constant(literal),
        ExprNode::Ident(name) => name.to_string(),
        ExprNode::Select { operand, field, .. } => format!("{}.{field}", text(operand)),
        ExprNode::Call {
            function,
            target: Some(target),
            arguments,
        } => {
            format!("{}.{function}({})", text(target), all(arguments))
        }
        ExprNode::Call {
            function,
            target: None,
            arguments,
        } => match (&**function, arguments.as_slice()) {
            ("_?_:_", [condition, yes, no]) => {
                format!("({} ? {} : {})", text(condition), text(yes), text(no))
            }
            ("_[_]", [operand, index]) => format!("{}[{}]", text(operand), text(index)),
            ("_[?_]", [operand, index]) => format!("{}[?{}]", text(operand), text(index)),
            (
                "_?._",
                [
                    operand,
                    Expr {
                        node: ExprNode::Literal(Literal::String(field)),
                        ..
                    },
                ],
            ) => {
                format!("{}.?{field}", text(operand))
            }
            ("!_", [operand]) => format!("(!{})", text(operand)),
            ("-_", [operand]) => format!("(-({}))", text(operand)),
            ("@in", [left, right]) => format!("({} in {})", text(left), text(right)),
            (operator, [left, right]) if is_operator(operator) => {
                format!(
                    "({} {} {})",
                    text(left),
                    operator.trim_matches('_'),
                    text(right)
                )
            }
            (function, arguments) => format!("{function}({})", all(arguments)),
        },
        ExprNode::List {
            elements,
            optional_indices,
        } => {
            let element = |(index, element)| {
                format!(
                    "{}{}",
                    question(optional_indices.contains(&index)),
                    text(element)
                )
            };
            format!(
                "[{}]",
                (0..)
                    .zip(elements)
                    .map(element)
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }
        ExprNode::Map { entries } => {
            let entry = |entry: &MapEntry| {
                format!(
                    "{}{}: {}",
                    question(entry.optional),
                    text(&entry.key),
                    text(&entry.value)
                )
            };
            format!(
                "{{{}}}",
                entries.iter().map(entry).collect::<Vec<_>>().join(", ")
            )
        }
        ExprNode::Message { type_name, fields } => {
            let field = |field: &MessageField| {
                format!(
                    "{}{}: {}",
                    question(field.optional),
                    field.name,
                    text(&field.value)
                )
            };
            format!(
                "{type_name}{{{}}}",
                fields.iter().map(field).collect::<Vec<_>>().join(", ")
            )
        }
        ExprNode::Comprehension(_) => unreachable!("only macros make loops"),
    }
}

/// Recognizes `_>=_`; a function may be called `__one`.
fn is_operator(name: &str) -> bool {
    name.starts_with('_') && !name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}

/// Returns the text that a node was parsed from.
pub fn source<'a>(ast: &'a Ast, expr: &Expr) -> &'a str {
    &ast.source.text()[expr.span.start as usize..expr.span.end as usize]
}

/// Returns all nodes of a tree with their level; the root's is 1.
pub fn nodes(root: &Expr) -> Vec<(&Expr, u32)> {
    let mut found = vec![(root, 1)];
    let mut next = 0;
    while let Some((expr, level)) = found.get(next).copied() {
        next += 1;
        found.extend(children(expr).into_iter().map(|child| (child, level + 1)));
    }
    found
}

fn children(expr: &Expr) -> Vec<&Expr> {
    match &expr.node {
        ExprNode::Literal(_) | ExprNode::Ident(_) => Vec::new(),
        ExprNode::Select { operand, .. } => vec![operand],
        ExprNode::Call {
            target, arguments, ..
        } => target.as_deref().into_iter().chain(arguments).collect(),
        ExprNode::List { elements, .. } => elements.iter().collect(),
        ExprNode::Map { entries } => entries
            .iter()
            .flat_map(|entry| [&entry.key, &entry.value])
            .collect(),
        ExprNode::Message { fields, .. } => fields.iter().map(|field| &field.value).collect(),
        ExprNode::Comprehension(fold) => vec![
            &fold.range,
            &fold.init,
            &fold.condition,
            &fold.step,
            &fold.result,
        ],
    }
}

fn question(optional: bool) -> &'static str {
    if optional { "?" } else { "" }
}

fn constant(literal: &Literal) -> String {
    let escaped = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("\\x{byte:02x}"))
            .collect::<String>()
    };
    match literal {
        Literal::Null => "null".to_owned(),
        Literal::Bool(value) => value.to_string(),
        Literal::Int(value) => value.to_string(),
        Literal::Uint(value) => format!("{value}u"),
        Literal::Double(value) => format!("{value:e}"),
        Literal::String(value) => {
            format!(
                "\"{}\"",
                value
                    .chars()
                    .map(|letter| format!("\\U{:08x}", letter as u32))
                    .collect::<String>()
            )
        }
        Literal::Bytes(value) => format!("b\"{}\"", escaped(value)),
    }
}

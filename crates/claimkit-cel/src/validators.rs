//! Validation of literals after the type check: durations, timestamps and regular expressions, lists and maps of one type, and
//! format strings (cel-go, `cel/validator.go` and `ext/strings.go`).

use super::ast::{Ast, Expr, ExprNode, Literal};
use super::checker::CheckerFindings;
use super::environment::Environment;
use super::format_literals;
use super::library::time::{Duration, Timestamp};
use super::regex::Regex;
use super::source::{ProblemKind, Problems};
use super::types::Type;

/// The functions whose arguments may be lists and maps of several types.
const MIXED_ARGUMENTS: &str = "format";

/// Finds what is wrong with literals.
pub fn validate(environment: &Environment, ast: &Ast, findings: &CheckerFindings) -> Problems {
    let mut validator = Validator {
        ast,
        findings,
        problems: Problems::new(),
    };
    let mut nodes = Vec::new();
    let reach = if environment.rules().first_checker {
        Reach::Literals
    } else {
        Reach::AnyDepth
    };
    collect(&ast.root, Elements::OfOneType, reach, &mut nodes);
    for (function, check) in CALLS {
        for (node, _) in &nodes {
            validator.call(node, function, *check);
        }
    }
    for (node, wanted) in &nodes {
        if let (
            ExprNode::List {
                elements,
                optional_indices,
            },
            Elements::OfOneType,
        ) = (&node.node, wanted)
        {
            validator.list(elements, optional_indices);
        }
    }
    for (node, wanted) in &nodes {
        if let (ExprNode::Map { .. }, Elements::OfOneType) = (&node.node, wanted) {
            validator.map(node);
        }
    }
    if !environment.rules().first_checker {
        for (node, _) in &nodes {
            validator.format(node);
        }
    }
    validator.problems
}

/// Checks whether a literal is what a function needs.
type Test = fn(&Literal) -> bool;

/// Returns true if a format string is not a literal. The validator of one release crashes on that.
#[doc(hidden)]
pub fn has_computed_format(ast: &Ast) -> bool {
    let mut nodes = Vec::new();
    collect(&ast.root, Elements::OfOneType, Reach::AnyDepth, &mut nodes);
    nodes.iter().any(|(node, _)| match &node.node {
        ExprNode::Call {
            function,
            target: Some(target),
            ..
        } => function == "format" && !matches!(target.node, ExprNode::Literal(_)),
        _ => false,
    })
}

/// Functions whose first argument is validated if it is a literal.
const CALLS: &[(&str, Test)] = &[
    ("duration", is_duration),
    ("timestamp", is_timestamp),
    ("matches", is_regex),
];

fn is_duration(literal: &Literal) -> bool {
    match literal {
        Literal::String(text) => Duration::parse(text).is_some(),
        // Numbers and null pass the type check and are then converted, which fails.
        _ => false,
    }
}

fn is_timestamp(literal: &Literal) -> bool {
    match literal {
        Literal::String(text) => Timestamp::parse(text).is_ok(),
        Literal::Int(seconds) => Timestamp::from_seconds(*seconds).is_some(),
        // Every other literal is refused, null too.
        _ => false,
    }
}

fn is_regex(literal: &Literal) -> bool {
    match literal {
        Literal::String(pattern) => Regex::new(pattern).is_ok(),
        _ => true,
    }
}

/// Returns true if there is anything to validate in a node itself.
fn is_looked_at(expr: &Expr) -> bool {
    match &expr.node {
        ExprNode::Call { function, .. } => {
            function == MIXED_ARGUMENTS || CALLS.iter().any(|(name, _)| function == name)
        }
        ExprNode::List { .. } | ExprNode::Map { .. } => true,
        _ => false,
    }
}

/// The elements that a list or a map may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Elements {
    OfOneType,
    Mixed,
}

/// How far into an argument its elements may have different types.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Through lists and maps only, as in cel-go 0.17 (`inExemptFunction`).
    Literals,
    AnyDepth,
}

/// Collects the nodes to validate, in order, each with the elements that it may have.
fn collect<'a>(
    expr: &'a Expr,
    elements: Elements,
    reach: Reach,
    into: &mut Vec<(&'a Expr, Elements)>,
) {
    if is_looked_at(expr) {
        into.push((expr, elements));
    }
    let inside = match reach {
        Reach::AnyDepth => elements,
        Reach::Literals => Elements::OfOneType,
    };
    match &expr.node {
        ExprNode::Literal(_) | ExprNode::Ident(_) => {}
        ExprNode::Select { operand, .. } => collect(operand, inside, reach, into),
        ExprNode::Call {
            function,
            target,
            arguments,
        } => {
            let inside = if function == MIXED_ARGUMENTS {
                Elements::Mixed
            } else {
                inside
            };
            for part in target.as_deref().into_iter().chain(arguments) {
                collect(part, inside, reach, into);
            }
        }
        ExprNode::List {
            elements: parts, ..
        } => parts
            .iter()
            .for_each(|part| collect(part, elements, reach, into)),
        ExprNode::Map { entries } => {
            for entry in entries {
                collect(&entry.key, elements, reach, into);
                collect(&entry.value, elements, reach, into);
            }
        }
        ExprNode::Message { fields, .. } => fields
            .iter()
            .for_each(|field| collect(&field.value, inside, reach, into)),
        ExprNode::Comprehension(comprehension) => {
            for part in [
                &comprehension.range,
                &comprehension.init,
                &comprehension.condition,
                &comprehension.step,
                &comprehension.result,
            ] {
                collect(part, inside, reach, into);
            }
        }
    }
}

struct Validator<'a> {
    ast: &'a Ast,
    findings: &'a CheckerFindings,
    problems: Problems,
}

impl Validator<'_> {
    fn report(&mut self, at: &Expr, message: String) {
        let location = self.ast.source.node_location(at.position);
        self.problems.report(location, ProblemKind::Check, message);
    }

    fn call(&mut self, node: &Expr, wanted: &str, check: Test) {
        if let ExprNode::Call {
            function,
            arguments,
            ..
        } = &node.node
            && function == wanted
            && let Some(first) = arguments.first()
            && let ExprNode::Literal(literal) = &first.node
            && !check(literal)
        {
            self.report(first, format!("invalid {wanted} argument"));
        }
    }

    /// Returns the type of a part; for an optional, the type of its value.
    fn part(&self, expr: &Expr, optional: bool) -> Type {
        let found = self.findings.type_of(expr.id);
        match (optional, found.optional_of()) {
            (true, Some(inner)) => inner.clone(),
            _ => found.clone(),
        }
    }

    fn mismatch(&mut self, at: &Expr, wanted: &Type, found: &Type) {
        self.report(
            at,
            format!(
                "expected type '{}' but found '{}'",
                wanted.in_problem(),
                found.in_problem()
            ),
        );
    }

    fn list(&mut self, elements: &[Expr], optional: &[u32]) {
        let mut wanted: Option<Type> = None;
        for (index, element) in elements.iter().enumerate() {
            let found = self.part(
                element,
                optional.iter().any(|&optional| optional as usize == index),
            );
            match &wanted {
                None | Some(Type::Missing) => wanted = Some(found),
                Some(wanted) if wanted.is_equivalent(&found) => {}
                Some(wanted) => {
                    let wanted = wanted.clone();
                    self.mismatch(element, &wanted, &found);
                    break;
                }
            }
        }
    }

    fn map(&mut self, node: &Expr) {
        let ExprNode::Map { entries } = &node.node else {
            return;
        };
        let mut wanted: Option<(Type, Type)> = None;
        for entry in entries {
            let found = (
                self.findings.type_of(entry.key.id).clone(),
                self.part(&entry.value, entry.optional),
            );
            let Some((key, value)) = wanted
                .clone()
                .filter(|pair| *pair != (Type::Missing, Type::Missing))
            else {
                wanted = Some(found);
                continue;
            };
            if !key.is_equivalent(&found.0) {
                self.mismatch(&entry.key, &key, &found.0);
            }
            if !value.is_equivalent(&found.1) {
                self.mismatch(&entry.value, &value, &found.1);
            }
        }
    }

    /// Validates `"…".format([…])` of literals.
    fn format(&mut self, node: &Expr) {
        let ExprNode::Call {
            function,
            target: Some(target),
            arguments,
        } = &node.node
        else {
            return;
        };
        if function != "format" {
            return;
        }
        let (ExprNode::Literal(Literal::String(text)), [list]) =
            (&target.node, arguments.as_slice())
        else {
            return;
        };
        let ExprNode::List { elements, .. } = &list.node else {
            return;
        };
        if let Some((part, message)) = format_literals::validate(self.findings, text, elements) {
            self.report(part.unwrap_or(node), message);
        }
    }
}

//! Selectors that are true of a device of which one comparison of another selector is false: the comparison is with what the device has.

use claimkit_model::cel::ast::{Expr, ExprNode, Literal};
use claimkit_model::cel::value::Value;
use claimkit_model::cel::{Program, Trace, trace};
use std::ops::Range;

/// A selector in place of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FittingSelector {
    /// The text that is replaced: `quantity("80Gi")`, or a whole comparison.
    pub from: String,
    /// The text in its place: `quantity("40Gi")`.
    pub to: String,
    /// The whole expression.
    pub expression: String,
    /// How far the device is from what was asked for, in thousandths of that; `None`: the two are no numbers.
    pub distance: Option<u32>,
}

/// A comparison of something that a device has with a constant.
struct Comparison<'e> {
    whole: &'e Expr,
    /// What the device has.
    subject: &'e Expr,
    /// What it is compared with.
    bound: &'e Expr,
    relation: Relation,
    form: Form,
}

/// What a subject is to its bound.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Equal,
    AtLeast,
    AtMost,
    Above,
    Below,
}

/// How a comparison is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `a >= 1`
    Operator,
    /// `a.compareTo(quantity("1")) >= 0`, `a.isGreaterThan(quantity("1"))`
    Method,
}

/// Returns the selector that compares with what the device has, where one comparison made the selector false. That it is true of the
/// device now is not tried.
pub fn fit(program: &Program, trace: &Trace) -> Option<FittingSelector> {
    let reasons = trace.reasons(program);
    let [reason] = reasons.as_slice() else {
        return None;
    };
    let root = &program.checked().ast.root;
    let comparison = Comparison::of(find_part(root, &reason.part.span)?)?;
    let value = trace.value_of(comparison.subject)?;
    let has = written_value(value, program.text_of(&comparison.bound.span))?;
    let (span, to) = comparison.fitted(program, &has);
    let from = program.text_of(&span).to_owned();
    let text = program.checked().ast.source.text();
    let before = text.get(..span.start as usize)?;
    let behind = text.get(span.end as usize..)?;
    Some(FittingSelector {
        expression: format!("{before}{to}{behind}"),
        from,
        to,
        distance: distance(trace.value_of(comparison.bound)?, value),
    })
}

/// Returns true if an expression has an integer or a quantity: without one nothing in it is near a number.
pub fn has_number(program: &Program) -> bool {
    is_number_in(&program.checked().ast.root)
}

fn is_number_in(expr: &Expr) -> bool {
    let mut is_found = match &expr.node {
        ExprNode::Literal(literal) => matches!(literal, Literal::Int(_)),
        ExprNode::Call { function, .. } => function == "quantity",
        _ => false,
    };
    trace::children(expr, &mut |child| {
        is_found = is_found || is_number_in(child)
    });
    is_found
}

/// Returns how far a number is from the one that was asked for, in thousandths of that.
fn distance(asked: &Value, has: &Value) -> Option<u32> {
    let (asked, has) = (number(asked)?, number(has)?);
    let thousandths = ((asked - has).abs() / asked.abs() * 1000.0).round();
    // What is far away is as far as can be said.
    Some(thousandths.min(f64::from(u32::MAX)) as u32)
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Quantity(quantity, _) => Some(quantity.as_approximate_float()),
        _ => None,
    }
}

/// Returns the part of an expression that has a span.
fn find_part<'e>(expr: &'e Expr, span: &Range<u32>) -> Option<&'e Expr> {
    if expr.span == *span && !expr.generated {
        return Some(expr);
    }
    let mut found = None;
    trace::children(expr, &mut |child| {
        found = found.or_else(|| find_part(child, span));
    });
    found
}

/// Returns a value as an expression has it, in the quotes of the text that it replaces; `None` for lists and the like.
fn written_value(value: &Value, replaced: &str) -> Option<String> {
    let is_written = matches!(
        value,
        Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::String(_)
            | Value::Quantity(..)
            | Value::Version(_)
    );
    let written = is_written.then(|| trace::shown(value))?;
    let has_single_quotes = replaced.contains('\'') && !replaced.contains('"');
    let can_have_them = !written.contains(['\'', '\\']);
    Some(if has_single_quotes && can_have_them {
        written.replace('"', "'")
    } else {
        written
    })
}

impl<'e> Comparison<'e> {
    fn of(whole: &'e Expr) -> Option<Self> {
        let ExprNode::Call {
            function,
            target,
            arguments,
        } = &whole.node
        else {
            return None;
        };
        match (target.as_deref(), arguments.as_slice()) {
            (None, [left, right]) => Self::of_operands(whole, function, left, right),
            (Some(subject), [bound]) => {
                let relation = match &**function {
                    "isGreaterThan" => Relation::Above,
                    "isLessThan" => Relation::Below,
                    _ => return None,
                };
                Self::with_constant(whole, subject, bound, relation, Form::Method)
            }
            _ => None,
        }
    }

    fn of_operands(
        whole: &'e Expr,
        function: &str,
        left: &'e Expr,
        right: &'e Expr,
    ) -> Option<Self> {
        let relation = Relation::of_operator(function)?;
        if is_zero(right)
            && let Some((subject, bound)) = operands_of_compare_to(left)
        {
            return Self::with_constant(whole, subject, bound, relation, Form::Method);
        }
        Self::with_constant(whole, left, right, relation, Form::Operator).or_else(|| {
            let reversed = relation.reversed();
            Self::with_constant(whole, right, left, reversed, Form::Operator)
        })
    }

    /// Returns a comparison if its bound, and it alone, reads nothing.
    fn with_constant(
        whole: &'e Expr,
        subject: &'e Expr,
        bound: &'e Expr,
        relation: Relation,
        form: Form,
    ) -> Option<Self> {
        (reads_something(subject) && !reads_something(bound)).then_some(Comparison {
            whole,
            subject,
            bound,
            relation,
            form,
        })
    }

    /// Returns what is written in place of what, so that a subject with the value `has` is enough.
    fn fitted(&self, program: &Program, has: &str) -> (Range<u32>, String) {
        let sign = match self.relation {
            Relation::Equal | Relation::AtLeast | Relation::AtMost => {
                return (self.bound.span.clone(), has.to_owned());
            }
            Relation::Above => ">=",
            Relation::Below => "<=",
        };
        let subject = program.text_of(&self.subject.span);
        let comparison = match self.form {
            Form::Operator => format!("{subject} {sign} {has}"),
            Form::Method => format!("{subject}.compareTo({has}) {sign} 0"),
        };
        (self.whole.span.clone(), comparison)
    }
}

impl Relation {
    fn of_operator(function: &str) -> Option<Self> {
        Some(match function {
            "_==_" => Relation::Equal,
            "_>=_" => Relation::AtLeast,
            "_<=_" => Relation::AtMost,
            "_>_" => Relation::Above,
            "_<_" => Relation::Below,
            _ => return None,
        })
    }

    /// Returns the relation of `b` to `a` for that of `a` to `b`.
    fn reversed(self) -> Self {
        match self {
            Relation::Equal => Relation::Equal,
            Relation::AtLeast => Relation::AtMost,
            Relation::AtMost => Relation::AtLeast,
            Relation::Above => Relation::Below,
            Relation::Below => Relation::Above,
        }
    }
}

/// Returns `a` and `b` of `a.compareTo(b)`.
fn operands_of_compare_to(expr: &Expr) -> Option<(&Expr, &Expr)> {
    let ExprNode::Call {
        function,
        target: Some(subject),
        arguments,
    } = &expr.node
    else {
        return None;
    };
    match arguments.as_slice() {
        [bound] if function == "compareTo" => Some((subject, bound)),
        _ => None,
    }
}

fn is_zero(expr: &Expr) -> bool {
    matches!(expr.node, ExprNode::Literal(Literal::Int(0)))
}

/// Returns true if an expression reads a variable.
fn reads_something(expr: &Expr) -> bool {
    let mut reads = matches!(expr.node, ExprNode::Ident(_));
    trace::children(expr, &mut |child| reads |= reads_something(child));
    reads
}

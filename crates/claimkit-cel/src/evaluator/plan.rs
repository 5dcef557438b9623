//! From the tree to a program: names become places, calls know what computes them, constants are folded.
//!
//! The shape follows cel-go's `interpreter/planner.go`, because costs are counted by it: a chain of selections is one attribute
//! with qualifiers, a conditional is an attribute, too.

use std::sync::Arc;

use super::super::ast::{
    Ast, Comprehension, Expr, ExprNode as Tree, Literal, MapEntry, MessageField,
};
use super::super::checker::{CheckerFindings, Reference};
use super::super::cost::spend::CallCost;
use super::super::environment::{Environment, Signature};
use super::super::fold;
use super::super::functions::Dispatch;
use super::super::types::Type;
use super::super::value::Value;
use super::attributes::can_qualify;
use super::program::{
    AttributePath, CallStep, CallTarget, ElementNode, EntryNode, FieldNode, Fold, ProgramNode,
    Qualifier, QualifierKey, Root, StepAction, Steps,
};

/// Makes a program. The error is what follows `program instantiation failed: `.
pub fn plan(
    environment: &Environment,
    ast: &Ast,
    findings: &CheckerFindings,
) -> Result<Steps, fold::FoldFailure> {
    let mut planner = Planner {
        environment,
        findings,
        scopes: Vec::new(),
        locals: 0,
    };
    let root = planner.plan(&ast.root)?;
    Ok(Steps {
        root,
        locals: planner.locals,
    })
}

struct Planner<'a> {
    environment: &'a Environment,
    findings: &'a CheckerFindings,
    /// Variables of loops with their places, innermost last.
    scopes: Vec<(&'a str, usize)>,
    locals: usize,
}

impl<'a> Planner<'a> {
    /// Plans one expression. Each kind has its own function to keep this stack frame small: expressions nest up to 250 levels.
    fn plan(&mut self, expr: &'a Expr) -> Result<ProgramNode, fold::FoldFailure> {
        let step = match &expr.node {
            Tree::Literal(literal) => StepAction::Constant(constant(literal)),
            Tree::Ident(_) => return self.plan_name(expr),
            Tree::Select {
                operand,
                field,
                test_only,
            } => return self.plan_select(expr, operand, field, *test_only),
            Tree::Call {
                function,
                target,
                arguments,
            } => return self.plan_call(expr, function, target.as_deref(), arguments),
            Tree::List {
                elements,
                optional_indices,
            } => self.plan_list(elements, optional_indices)?,
            Tree::Map { entries } => self.plan_map(entries)?,
            Tree::Message { type_name, fields } => self.plan_message(expr.id, type_name, fields)?,
            Tree::Comprehension(comprehension) => StepAction::Fold(self.plan_fold(comprehension)?),
        };
        Ok(ProgramNode {
            id: expr.id,
            expr: expr.id,
            step,
        })
    }

    #[inline(never)]
    fn plan_list(
        &mut self,
        elements: &'a [Expr],
        optional_indices: &[u32],
    ) -> Result<StepAction, fold::FoldFailure> {
        let mut planned = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let optional = optional_indices
                .iter()
                .any(|&optional| optional as usize == index);
            planned.push(ElementNode {
                value: self.plan(element)?,
                optional,
            });
        }
        Ok(fold::list(planned))
    }

    #[inline(never)]
    fn plan_map(&mut self, entries: &'a [MapEntry]) -> Result<StepAction, fold::FoldFailure> {
        let mut planned = Vec::with_capacity(entries.len());
        for entry in entries {
            planned.push(EntryNode {
                key: self.plan(&entry.key)?,
                value: self.plan(&entry.value)?,
                optional: entry.optional,
            });
        }
        fold::map(planned)
    }

    #[inline(never)]
    fn plan_message(
        &mut self,
        id: u32,
        type_name: &str,
        fields: &'a [MessageField],
    ) -> Result<StepAction, fold::FoldFailure> {
        let name = match self.findings.reference(id) {
            Reference::Name(name) => name.to_string(),
            _ => type_name.to_owned(),
        };
        let mut planned = Vec::with_capacity(fields.len());
        for field in fields {
            planned.push(FieldNode {
                name: field.name.clone(),
                value: self.plan(&field.value)?,
                optional: field.optional,
            });
        }
        Ok(StepAction::Message(name, planned))
    }

    #[inline(never)]
    fn plan_name(&mut self, expr: &Expr) -> Result<ProgramNode, fold::FoldFailure> {
        let Reference::Name(name) = self.findings.reference(expr.id) else {
            return Err("no such attribute".to_owned().into());
        };
        let is_type = matches!(self.findings.type_of(expr.id), Type::Type(_));
        if is_type {
            let found = self.environment.type_named(name);
            return match found {
                Some(found) if self.environment.has_type_value(name) => Ok(ProgramNode {
                    id: expr.id,
                    expr: expr.id,
                    step: StepAction::Constant(Value::Type(Arc::new(found))),
                }),
                _ => Err(format!("reference to undefined type: {name}").into()),
            };
        }
        let local = self
            .scopes
            .iter()
            .rev()
            .find(|(known, _)| *known == &**name)
            .map(|(_, place)| Root::Local(*place));
        let global = name.strip_prefix('.').unwrap_or(name);
        let root = local
            .or_else(|| {
                self.environment
                    .variable(global)
                    .map(|place| Root::Variable(place, name.clone()))
            })
            .ok_or_else(|| format!("no such attribute: {name}"))?;
        Ok(attribute_node(
            expr.id,
            AttributePath {
                id: expr.id,
                root,
                qualifiers: Vec::new(),
                test_only: false,
            },
        ))
    }

    #[inline(never)]
    fn plan_select(
        &mut self,
        expr: &'a Expr,
        operand: &'a Expr,
        field: &Arc<str>,
        test_only: bool,
    ) -> Result<ProgramNode, fold::FoldFailure> {
        if matches!(self.findings.reference(expr.id), Reference::Name(_)) {
            return self.plan_name(expr);
        }
        let operand = self.plan(operand)?;
        let key = QualifierKey::Constant(Value::String(field.clone()));
        Ok(qualify(
            expr.id,
            operand,
            Qualifier {
                id: expr.id,
                key,
                optional: false,
                test_only,
            },
        ))
    }

    #[inline(never)]
    fn plan_call(
        &mut self,
        expr: &'a Expr,
        function: &'a str,
        target: Option<&'a Expr>,
        arguments: &'a [Expr],
    ) -> Result<ProgramNode, fold::FoldFailure> {
        let Reference::Function {
            function: index,
            overloads,
            namespaced,
        } = self.findings.reference(expr.id)
        else {
            return Err(format!("no such overload: {function}").into());
        };
        let mut planned = Vec::with_capacity(arguments.len().saturating_add(1));
        for argument in target.filter(|_| !namespaced).into_iter().chain(arguments) {
            planned.push(self.plan(argument)?);
        }
        let Some(declaration) = self.environment.function(*index) else {
            return Err(format!("no such overload: {function}").into());
        };
        let single: Option<&Signature> = match overloads.count() {
            1 => overloads.of(&declaration.overloads).next(),
            _ => None,
        };
        let step = match (declaration.name, planned.len()) {
            ("_&&_" | "_||_", 2) => {
                let decides = declaration.name == "_||_";
                StepAction::Logical(decides, Box::new(pair(planned)?))
            }
            ("_==_" | "_!=_", 2) => StepAction::Equal {
                negated: declaration.name == "_!=_",
                sides: Box::new(pair(planned)?),
            },
            ("_?:_" | "_?_:_", 3) => return Ok(conditional(expr.id, planned)),
            ("_[_]" | "_[?_]" | "_?._", 2) => {
                let (operand, key) = pair(planned)?;
                return index_step(expr.id, operand, key, declaration.name != "_[_]");
            }
            ("or" | "orValue", 2) if single.is_some() || overloads.count() != 1 => {
                StepAction::Otherwise {
                    value: declaration.name == "orValue",
                    sides: Box::new(pair(planned)?),
                }
            }
            _ => self.call_step(expr, declaration, single, planned)?,
        };
        Ok(ProgramNode {
            id: expr.id,
            expr: expr.id,
            step,
        })
    }

    #[inline(never)]
    fn call_step(
        &mut self,
        expr: &Expr,
        declaration: &super::super::environment::Declaration,
        single: Option<&Signature>,
        arguments: Vec<ProgramNode>,
    ) -> Result<StepAction, fold::FoldFailure> {
        let rules = self.environment.rules();
        let cost = CallCost::of(declaration, single.map(|signature| signature.id), rules);
        let target = match declaration.function.dispatch {
            Dispatch::One { takes, call } => CallTarget::One(takes, call),
            Dispatch::Evaluator | Dispatch::Overloads => {
                let candidates = declaration.overloads.iter().filter(|candidate| {
                    single.is_none_or(|single| std::ptr::eq(single, *candidate))
                        && candidate.arguments.len() == arguments.len()
                });
                CallTarget::First(
                    candidates
                        .map(|candidate| (candidate.arguments.clone(), candidate.overload.call))
                        .collect(),
                )
            }
        };
        let appends_to = match (arguments.first(), expr.generated) {
            (
                Some(ProgramNode {
                    step: StepAction::Attribute(attribute),
                    ..
                }),
                true,
            ) if matches!(declaration.name, "_+_" | "cel.@mapInsert")
                && attribute.qualifiers.is_empty() =>
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
            None => matches!(target, CallTarget::First(_)),
        };
        let call = CallStep {
            name: declaration.name,
            target,
            arguments,
            stops_early,
            cost,
            appends_to,
        };
        Ok(fold::call(
            call,
            single.map(|signature| signature.id),
            rules,
        )?)
    }

    /// Returns true if `place` holds the accumulator of the innermost loop. Since cel-go 0.23 users cannot write its name; before
    /// that, only generated steps may move its value out.
    fn is_accumulator(&self, place: usize) -> bool {
        let name = self.environment.parse_options().dialect.accumulator;
        self.scopes
            .iter()
            .rev()
            .find(|(known, _)| *known == name)
            .is_some_and(|(_, known)| *known == place)
    }

    #[inline(never)]
    fn plan_fold(
        &mut self,
        comprehension: &'a Comprehension,
    ) -> Result<Box<Fold>, fold::FoldFailure> {
        let accumulator = self.locals;
        let variable = accumulator.saturating_add(1);
        let variable2 = comprehension
            .variable2
            .as_ref()
            .map(|_| variable.saturating_add(1));
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
        Ok(Box::new(Fold {
            range,
            variable,
            variable2,
            accumulator,
            init,
            condition,
            step,
            result,
        }))
    }
}

/// Returns the two operands of an operator. The caller has counted them: there is no other number.
fn pair(operands: Vec<ProgramNode>) -> Result<(ProgramNode, ProgramNode), fold::FoldFailure> {
    let mut operands = operands.into_iter();
    match (operands.next(), operands.next()) {
        (Some(left), Some(right)) => Ok((left, right)),
        _ => Err(String::new().into()),
    }
}

/// Returns the value of a constant.
pub fn constant(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(b) => Value::Bool(*b),
        Literal::Int(i) => Value::Int(*i),
        Literal::Uint(u) => Value::Uint(*u),
        Literal::Double(d) => Value::Double(*d),
        Literal::String(s) => Value::String(s.clone()),
        Literal::Bytes(b) => Value::Bytes(Arc::from(b.as_slice())),
    }
}

fn attribute_node(expr: u32, attribute: AttributePath) -> ProgramNode {
    ProgramNode {
        id: attribute.id,
        expr,
        step: StepAction::Attribute(Arc::new(attribute)),
    }
}

/// Returns the attribute of a step; any other step becomes the root of a new attribute.
#[inline(never)]
fn into_attribute(node: ProgramNode) -> AttributePath {
    let ProgramNode { id, expr, step } = node;
    let step = match step {
        StepAction::Attribute(attribute) => match Arc::try_unwrap(attribute) {
            Ok(attribute) => return attribute,
            Err(shared) => StepAction::Attribute(shared),
        },
        step => step,
    };
    AttributePath {
        id,
        root: Root::Value(ProgramNode { id, expr, step }),
        qualifiers: Vec::new(),
        test_only: false,
    }
}

#[inline(never)]
fn qualify(expr: u32, operand: ProgramNode, qualifier: Qualifier) -> ProgramNode {
    let test_only = qualifier.test_only;
    let mut attribute = into_attribute(operand);
    add_qualifier(&mut attribute, &Arc::new(qualifier));
    attribute.test_only = test_only;
    attribute_node(expr, attribute)
}

/// Adds a qualifier; that of a conditional applies to both branches.
fn add_qualifier(attribute: &mut AttributePath, qualifier: &Arc<Qualifier>) {
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
fn conditional(id: u32, parts: Vec<ProgramNode>) -> ProgramNode {
    let mut parts = parts.into_iter();
    let (Some(condition), Some(truthy), Some(falsy)) = (parts.next(), parts.next(), parts.next())
    else {
        return ProgramNode {
            id,
            expr: id,
            step: StepAction::Constant(Value::no_such_overload()),
        };
    };
    let root = Root::Conditional(Box::new((
        condition,
        Arc::new(into_attribute(truthy)),
        Arc::new(into_attribute(falsy)),
    )));
    attribute_node(
        id,
        AttributePath {
            id,
            root,
            qualifiers: Vec::new(),
            test_only: false,
        },
    )
}

#[inline(never)]
fn index_step(
    expr: u32,
    operand: ProgramNode,
    key: ProgramNode,
    optional: bool,
) -> Result<ProgramNode, fold::FoldFailure> {
    let key = match key.step {
        StepAction::Constant(value) => {
            can_qualify(&value)?;
            QualifierKey::Constant(value)
        }
        StepAction::Attribute(attribute) => QualifierKey::Attribute(attribute),
        step => QualifierKey::Computed(ProgramNode { step, ..key }),
    };
    Ok(qualify(
        expr,
        operand,
        Qualifier {
            id: expr,
            key,
            optional,
            test_only: false,
        },
    ))
}

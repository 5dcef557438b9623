//! Which function a call means, and which of its overloads.

use std::borrow::Cow;

use super::super::ast::{Expr, ExprNode, Literal};
use super::super::environment::Signature;
use super::super::functions::CallStyle;
use super::super::types::{Type, Variables};
use super::{Checker, OverloadSet, Reference};

/// The part of a call before the dot.
#[derive(Clone, Copy)]
enum Receiver<'a> {
    /// Nothing: `f(a)`.
    None,
    /// A part of the function's name: `ip.isCanonical(a)`.
    Namespace,
    /// The first argument: `a.f()`.
    Value(&'a Expr),
}

impl<'a> Checker<'a> {
    pub(super) fn check_call(
        &mut self,
        expr: &'a Expr,
        function: &'a str,
        target: Option<&'a Expr>,
        arguments: &'a [Expr],
    ) {
        if function == "_?._"
            && let [operand, field] = arguments
        {
            self.check_optional_select(expr, operand, field);
            return;
        }
        for argument in arguments {
            self.check(argument);
        }
        let Some(target) = target else {
            match self.find_function(function) {
                Some(found) => self.resolve(expr, found, Receiver::None, arguments),
                None => {
                    self.set_type(expr.id, Type::Error);
                    self.undeclared(expr.position, function);
                }
            }
            return;
        };
        // A dotted receiver can be a namespace in the function's name. Then it is not checked as an expression.
        if let Some(before) = self.qualified_name(target) {
            let qualified = format!("{before}.{function}");
            if let Some(found) = self.find_function(&qualified) {
                self.resolve(expr, found, Receiver::Namespace, arguments);
                return;
            }
            if self.reports_whole_name(expr, Some(&before), &qualified) {
                return;
            }
        }
        self.check(target);
        match self.environment.function_index(function) {
            Some(found) => self.resolve(expr, found, Receiver::Value(target), arguments),
            None => {
                self.set_type(expr.id, Type::Error);
                self.undeclared(expr.position, function);
            }
        }
    }

    fn find_function(&self, name: &str) -> Option<usize> {
        self.environment
            .candidates(name)
            .find_map(|candidate| self.environment.function_index(&candidate))
    }

    /// Checks `a.?b`.
    fn check_optional_select(&mut self, expr: &'a Expr, operand: &'a Expr, field: &'a Expr) {
        let ExprNode::Literal(Literal::String(name)) = &field.node else {
            return;
        };
        self.check(operand);
        self.set_type(field.id, Type::String);
        let found = self.optional_select_type(expr.position, operand, name);
        let found = self.unifier.substitute(&found);
        self.set_type(expr.id, found);
        if let Some(function) = self.environment.function_index("_?._") {
            self.set_reference(
                expr.id,
                Reference::Function {
                    function,
                    overloads: OverloadSet::FIRST,
                    namespaced: false,
                },
            );
        }
    }

    fn resolve(
        &mut self,
        expr: &'a Expr,
        function: usize,
        receiver: Receiver<'a>,
        arguments: &'a [Expr],
    ) {
        let environment = self.environment;
        let Some(declared) = environment.function(function) else {
            return;
        };
        if matches!(declared.name, "_&&_" | "_||_") {
            self.resolve_logical(expr, function, arguments);
            return;
        }
        let (target, namespaced) = match receiver {
            Receiver::None => (None, false),
            Receiver::Namespace => (None, true),
            Receiver::Value(target) => (Some(target), false),
        };
        let given = target.into_iter().chain(arguments);
        let count = given.clone().count();
        let style = if target.is_some() {
            CallStyle::Member
        } else {
            CallStyle::Global
        };
        let mut result: Option<Type> = None;
        let mut matching = OverloadSet::default();
        for (index, overload) in declared.overloads.iter().enumerate() {
            if overload.style != style {
                continue;
            }
            if overload.arguments.len() != count {
                // Fresh variables are numbered even for overloads that cannot match.
                for _ in overload.parameters.iter() {
                    drop(self.unifier.fresh());
                }
                continue;
            }
            if let Some(of) = self.result_of(overload, given.clone()) {
                matching.insert(index);
                result = match result {
                    None => Some(of),
                    Some(first) if first == of => Some(first),
                    Some(_) => Some(Type::Dyn),
                };
            }
        }
        match result {
            Some(result) => {
                self.too_large =
                    self.too_large || result.weight(super::LARGEST_TYPE) >= super::LARGEST_TYPE;
                self.set_type(expr.id, result);
                self.set_reference(
                    expr.id,
                    Reference::Function {
                        function,
                        overloads: matching,
                        namespaced,
                    },
                );
            }
            None => {
                self.set_type(expr.id, Type::Error);
                let types: Vec<Type> = given.map(|argument| self.type_of(argument)).collect();
                self.no_matching_overload(expr.position, declared.name, &types, target.is_some());
            }
        }
    }

    /// Returns the type of a call of an overload with these arguments; `None` if it does not take them.
    fn result_of(
        &mut self,
        overload: &Signature,
        arguments: impl Iterator<Item = &'a Expr> + Clone,
    ) -> Option<Type> {
        let variables = self.unifier.fresh_for(&overload.parameters);
        let types = &self.types;
        let given = arguments.map(|argument| types.get(argument.id as usize).unwrap_or(&Type::Dyn));
        let pairs = given.zip(&overload.arguments);
        if overload.parameters.is_empty() {
            let borrowed = pairs.map(|(given, wanted)| (given, Cow::Borrowed(wanted)));
            let fits = self.unifier.all_assignable(borrowed);
            return fits.then(|| overload.result.clone());
        }
        let mut kinds = pairs.clone();
        if kinds.any(|(given, wanted)| differ_in_kind(given, wanted)) {
            return None;
        }
        let instances = pairs.map(|(given, wanted)| (given, instantiate(wanted, variables)));
        if !self.unifier.all_assignable(instances) {
            return None;
        }
        let result = instantiate(&overload.result, variables);
        Some(self.unifier.substitute(&result))
    }

    /// Reports every operand of `&&` and `||` that is not a boolean as a problem of its own.
    fn resolve_logical(&mut self, expr: &'a Expr, function: usize, arguments: &'a [Expr]) {
        let mut fits = true;
        for argument in arguments {
            let found = self.type_of(argument);
            if !self.unifier.assignable(&Type::Bool, &found) {
                let found = self.unifier.substitute(&found);
                self.mismatch(argument.position, &Type::Bool, &found);
                fits = false;
            }
        }
        self.set_type(expr.id, if fits { Type::Bool } else { Type::Error });
        self.set_reference(
            expr.id,
            Reference::Function {
                function,
                overloads: OverloadSet::FIRST,
                namespaced: false,
            },
        );
    }

    fn no_matching_overload(&mut self, position: u32, name: &str, given: &[Type], member: bool) {
        let mut shown = given.iter().map(|found| {
            self.unifier
                .substitute_or_dyn(found)
                .in_problem()
                .to_string()
        });
        let receiver = if member {
            shown.next().map(|receiver| format!("{receiver}."))
        } else {
            None
        };
        let rest: Vec<String> = shown.collect();
        let signature = format!("{}({})", receiver.unwrap_or_default(), rest.join(", "));
        self.report(
            position,
            format!("found no matching overload for '{name}' applied to '{signature}'"),
        );
    }
}

/// Returns true if the types can never unify because their constructors differ: list, map, opaque type.
fn differ_in_kind(one: &Type, other: &Type) -> bool {
    has_parts(one)
        && has_parts(other)
        && std::mem::discriminant(one) != std::mem::discriminant(other)
}

fn has_parts(of: &Type) -> bool {
    matches!(of, Type::List(_) | Type::Map(_) | Type::Opaque(..))
}

/// Returns a signature's type with its parameters replaced by variables.
fn instantiate<'t>(declared: &'t Type, variables: Variables<'_>) -> Cow<'t, Type> {
    Cow::Owned(match declared {
        Type::Parameter(letter) => variables.of(*letter),
        Type::List(element) => Type::list(instance(element, variables)),
        Type::Map(pair) => Type::map(instance(&pair.0, variables), instance(&pair.1, variables)),
        Type::Type(Some(of)) => Type::type_of(instance(of, variables)),
        Type::Opaque(name, parameters) => {
            let instances = parameters
                .iter()
                .map(|parameter| instance(parameter, variables));
            Type::Opaque(name.clone(), instances.collect())
        }
        other => return Cow::Borrowed(other),
    })
}

fn instance(declared: &Type, variables: Variables<'_>) -> Type {
    instantiate(declared, variables).into_owned()
}

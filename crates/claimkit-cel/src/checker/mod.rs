//! The type checker: gives every node a type, every name and call what it refers to, and reports what does not fit.
//!
//! Follows cel-go `checker/checker.go`: the order of problems and the texts are its.

mod calls;
mod suggest;

use std::fmt;
use std::sync::Arc;

use super::ast::{Ast, Comprehension, Expr, ExprNode, Literal, MapEntry, MessageField};
use super::environment::Environment;
use super::source::{Location, ProblemKind, Problems};
use super::types::{Type, Unifier};

/// The types of values that Kubernetes finds when a program looks for the type of a message.
const VALUE_TYPES: [&str; 9] = [
    "bool",
    "bytes",
    "double",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "uint",
];

/// The types and references that the checker found.
///
/// ```
/// use claimkit_cel::checker::Reference;
/// use claimkit_cel::{Environment, EnvironmentMode};
///
/// let environment = Environment::kubernetes(34, &[], EnvironmentMode::New);
/// let checked = environment.check("size('abc')").unwrap();
/// let call = checked.ast.root.id;
/// assert_eq!(checked.findings.type_of(call).to_string(), "int");
/// let Reference::Function { function, overloads, .. } = checked.findings.reference(call) else { panic!("a call") };
/// let function = environment.function(*function).unwrap();
/// let ids: Vec<&str> = overloads.of(&function.overloads).map(|overload| overload.id).collect();
/// assert_eq!((function.name, ids), ("size", vec!["size_string"]));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct CheckerFindings {
    /// The type of each node, by its id.
    pub types: Vec<Type>,
    /// The reference of each node, by its id.
    pub references: Vec<Reference>,
}

/// The variable, function or constant that a node refers to.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Reference {
    /// Nothing: an operation on its parts.
    #[default]
    None,
    /// A variable, a comprehension's variable or a type, by its full name.
    Name(Arc<str>),
    /// A call of a function.
    Function {
        /// Position in the environment's functions.
        function: usize,
        /// The overloads that can match.
        overloads: OverloadSet,
        /// The receiver is part of the function's name (`optional.of`) and is not evaluated.
        namespaced: bool,
    },
}

/// A set of overloads of one function, as a bit set of their positions. A test checks that no function has more overloads than
/// bits.
///
/// ```
/// use claimkit_cel::checker::OverloadSet;
///
/// let mut matching = OverloadSet::FIRST;
/// matching.insert(2);
/// assert_eq!(matching.of(&["a", "b", "c"]).collect::<Vec<_>>(), [&"a", &"c"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverloadSet(u64);

impl OverloadSet {
    /// The first overload alone.
    pub const FIRST: OverloadSet = OverloadSet(1);

    /// Adds the overload at a position.
    pub fn insert(&mut self, position: usize) {
        let Ok(shift) = u32::try_from(position) else {
            return;
        };
        self.0 |= 1_u64.checked_shl(shift).unwrap_or(0);
    }

    /// Returns the number of overloads in the set.
    pub(crate) fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Iterates over the overloads in this set.
    pub fn of<T>(self, overloads: &[T]) -> impl Iterator<Item = &T> {
        overloads
            .iter()
            .take(u64::BITS as usize)
            .enumerate()
            .filter(move |(at, _)| self.0 >> at & 1 == 1)
            .map(|(_, one)| one)
    }
}

impl CheckerFindings {
    /// Returns the type of a node.
    pub fn type_of(&self, id: u32) -> &Type {
        self.types.get(id as usize).unwrap_or(&Type::Dyn)
    }

    /// Returns the reference of a node.
    pub fn reference(&self, id: u32) -> &Reference {
        self.references.get(id as usize).unwrap_or(&Reference::None)
    }
}

/// A type with more parts than this is rejected. Only nested maps of one variable become that large.
const LARGEST_TYPE: usize = 2048;

/// The check failed because types became too large to compare.
#[derive(Debug)]
pub(crate) struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the types of the expression are too large to be checked")
    }
}

impl std::error::Error for TooLarge {}

/// Checks an expression.
pub(crate) fn check(
    environment: &Environment,
    ast: &Ast,
) -> Result<Result<CheckerFindings, Problems>, TooLarge> {
    let count = (ast.ids as usize).saturating_add(1);
    let mut checker = Checker {
        environment,
        ast,
        unifier: Unifier::default(),
        scopes: Vec::new(),
        types: vec![Type::Dyn; count],
        references: vec![Reference::None; count],
        problems: Problems::new(),
        too_large: false,
    };
    checker.check(&ast.root);
    if checker.too_large || checker.unifier.is_exhausted() {
        return Err(TooLarge);
    }
    if !checker.problems.is_empty() {
        return Ok(Err(checker.problems));
    }
    let Checker {
        mut unifier,
        types,
        references,
        ..
    } = checker;
    let types = if unifier.is_unused() {
        types
    } else {
        types
            .iter()
            .map(|found| unifier.substitute_or_dyn(found))
            .collect()
    };
    if unifier.is_exhausted() {
        return Err(TooLarge);
    }
    Ok(Ok(CheckerFindings { types, references }))
}

struct Checker<'a> {
    environment: &'a Environment,
    ast: &'a Ast,
    unifier: Unifier,
    /// Variables of comprehensions, innermost last.
    scopes: Vec<(&'a str, Type)>,
    types: Vec<Type>,
    references: Vec<Reference>,
    problems: Problems,
    too_large: bool,
}

impl<'a> Checker<'a> {
    fn location(&self, position: u32) -> Location {
        self.ast.source.node_location(position)
    }

    fn report(&mut self, position: u32, message: String) {
        let location = self.location(position);
        let message = if self.environment.rules().first_checker {
            message.replace("optional_type(", "optional(")
        } else {
            message
        };
        self.problems.report(location, ProblemKind::Check, message);
    }

    fn set_type(&mut self, id: u32, found: Type) {
        if let Some(place) = self.types.get_mut(id as usize) {
            *place = found;
        }
    }

    fn set_reference(&mut self, id: u32, reference: Reference) {
        if let Some(place) = self.references.get_mut(id as usize) {
            *place = reference;
        }
    }

    fn type_of(&self, expr: &Expr) -> Type {
        self.types
            .get(expr.id as usize)
            .cloned()
            .unwrap_or(Type::Dyn)
    }

    /// Returns the type of a checked node, with its known type variables substituted.
    fn known_type(&mut self, expr: &Expr) -> Type {
        let found = self.type_of(expr);
        self.unifier.substitute(&found)
    }

    fn check(&mut self, expr: &'a Expr) {
        match &expr.node {
            ExprNode::Literal(literal) => self.set_type(expr.id, literal_type(literal)),
            ExprNode::Ident(name) => self.check_name(expr, name),
            ExprNode::Select {
                operand,
                field,
                test_only,
            } => self.check_select(expr, operand, field, *test_only),
            ExprNode::Call {
                function,
                target,
                arguments,
            } => self.check_call(expr, function, target.as_deref(), arguments),
            ExprNode::List {
                elements,
                optional_indices,
            } => self.check_list(expr, elements, optional_indices),
            ExprNode::Map { entries } => self.check_map(expr, entries),
            ExprNode::Message { type_name, fields } => self.check_message(expr, type_name, fields),
            ExprNode::Comprehension(comprehension) => self.check_comprehension(expr, comprehension),
        }
    }

    /// Returns the full name and the type of a variable or a type's name.
    fn look_up(&self, name: &str) -> Option<(Arc<str>, Type)> {
        let apart = self.environment.rules().scopes_are_apart;
        for candidate in self.environment.candidates(name) {
            if !(apart && name.starts_with('.'))
                && let Some((found, kind)) = self
                    .scopes
                    .iter()
                    .rev()
                    .find(|(known, _)| *known == candidate)
            {
                return Some((Arc::from(*found), kind.clone()));
            }
            if let Some((found, kind)) = self.environment.named(&candidate) {
                // A loop's variable of the same name must not be found when the expression runs.
                let hidden = apart && self.is_local(&candidate);
                return Some((
                    if hidden {
                        Arc::from(format!(".{found}"))
                    } else {
                        found
                    },
                    kind,
                ));
            }
        }
        None
    }

    fn is_local(&self, name: &str) -> bool {
        self.scopes.iter().any(|(known, _)| *known == name)
    }

    fn check_name(&mut self, expr: &'a Expr, name: &str) {
        if let Some((name, kind)) = self.look_up(name) {
            self.set_type(expr.id, kind);
            self.set_reference(expr.id, Reference::Name(name));
            return;
        }
        self.set_type(expr.id, Type::Error);
        self.undeclared(expr.position, name);
    }

    fn undeclared(&mut self, position: u32, name: &str) {
        let suggested = suggest::like(self.environment, name);
        self.undeclared_like(position, name, &suggested);
    }

    fn undeclared_like(&mut self, position: u32, name: &str, suggested: &[&str]) {
        let container = self.environment.container();
        let place = if container.is_empty() && self.environment.rules().names_are_suggested {
            String::new()
        } else {
            format!(" (in container '{container}')")
        };
        let hint = suggest::hint(name, suggested);
        self.report(
            position,
            format!("undeclared reference to '{name}'{place}{hint}"),
        );
    }

    /// Reports `a.b.c` as one name if no part before the last is known and there are names like the whole (cel-go,
    /// `checker/errors.go`, `checkUndeclaredIdent`).
    fn reports_whole_name(&mut self, expr: &Expr, before: Option<&str>, qualified: &str) -> bool {
        let Some(before) = before.filter(|_| self.environment.rules().names_are_suggested) else {
            return false;
        };
        let ends = before.match_indices('.').map(|(end, _)| end);
        let known = ends
            .chain([before.len()])
            .filter_map(|end| before.get(..end))
            .any(|prefix| self.is_declared(prefix));
        if known {
            return false;
        }
        let suggested = suggest::like(self.environment, qualified);
        if suggested.is_empty() {
            return false;
        }
        self.undeclared_like(expr.position, qualified, &suggested);
        self.set_type(expr.id, Type::Error);
        true
    }

    /// Returns true if a name, or a dotted name that does not begin with a loop's variable, is declared.
    fn is_declared(&self, name: &str) -> bool {
        let first = name.split_once('.').map(|(first, _)| first);
        !first.is_some_and(|first| self.is_local(first)) && self.look_up(name).is_some()
    }

    fn check_select(&mut self, expr: &'a Expr, operand: &'a Expr, field: &'a str, test_only: bool) {
        if !test_only && let Some(qualified) = self.qualified_name(expr) {
            if let Some((name, kind)) = self.look_up(&qualified) {
                self.set_type(expr.id, kind);
                self.set_reference(expr.id, Reference::Name(name));
                return;
            }
            let before = qualified.rsplit_once('.').map(|(before, _)| before);
            if self.reports_whole_name(expr, before, &qualified) {
                return;
            }
        }
        self.check(operand);
        let field_type = self.select_type(expr.position, operand, field);
        let result = if test_only {
            Type::Bool
        } else {
            self.unifier.substitute(&field_type)
        };
        self.set_type(expr.id, result);
    }

    /// Returns the type of `operand.field`.
    fn select_type(&mut self, position: u32, operand: &Expr, field: &str) -> Type {
        let of = self.known_type(operand);
        match of.optional_of() {
            Some(inner) => self.optional_type_of_field(position, operand, &inner.clone(), field),
            None => self.type_of_field(position, operand, &of, field),
        }
    }

    /// Returns the type of `operand.?field`.
    fn optional_select_type(&mut self, position: u32, operand: &Expr, field: &str) -> Type {
        let known = self.known_type(operand);
        let of = known.optional_of().unwrap_or(&known);
        self.optional_type_of_field(position, operand, of, field)
    }

    fn optional_type_of_field(
        &mut self,
        position: u32,
        operand: &Expr,
        of: &Type,
        field: &str,
    ) -> Type {
        Type::optional(self.type_of_field(position, operand, of, field))
    }

    fn type_of_field(&mut self, position: u32, operand: &Expr, of: &Type, field: &str) -> Type {
        match of {
            Type::Error | Type::Dyn | Type::Any => Type::Dyn,
            Type::Struct(name) => self
                .field_type(position, name, field)
                .unwrap_or(Type::Error),
            Type::Map(pair) => pair.1.clone(),
            Type::Variable(_) | Type::Parameter(_) => {
                // The variable becomes dyn everywhere it is used.
                let known = self.type_of(operand);
                self.unifier.assignable(&Type::Dyn, &known);
                Type::Dyn
            }
            other => {
                self.report(
                    position,
                    format!(
                        "type '{}' does not support field selection",
                        other.in_problem()
                    ),
                );
                Type::Dyn
            }
        }
    }

    fn field_type(&mut self, position: u32, structure: &str, field: &str) -> Option<Type> {
        let Some(fields) = self.environment.fields(structure) else {
            // Kubernetes takes the types of values for messages without fields (apiserver, `pkg/cel/types.go`, `findScalar`).
            let is_empty = self.environment.minor() != u8::MAX && VALUE_TYPES.contains(&structure);
            self.report(
                position,
                if is_empty {
                    format!("undefined field '{field}'")
                } else {
                    format!("unexpected failed resolution of '{structure}'")
                },
            );
            return None;
        };
        if let Some((_, kind)) = fields.iter().find(|(name, _)| name == field) {
            return Some(kind.clone());
        }
        self.report(position, format!("undefined field '{field}'"));
        None
    }

    fn check_list(&mut self, expr: &'a Expr, elements: &'a [Expr], optional_indices: &[u32]) {
        let mut joined: Option<Type> = None;
        for (index, element) in elements.iter().enumerate() {
            self.check(element);
            let mut found = self.type_of(element);
            if optional_indices
                .iter()
                .any(|&optional| optional as usize == index)
            {
                found = self.unwrap_optional(element, found);
            }
            joined = Some(self.join(joined, found));
        }
        let element = joined
            .filter(|found| *found != Type::Missing)
            .unwrap_or_else(|| self.unifier.fresh());
        self.set_type(expr.id, Type::list(element));
    }

    /// Returns the type inside an optional element. Anything else is a problem.
    fn unwrap_optional(&mut self, element: &Expr, found: Type) -> Type {
        match self.unifier.substitute(&found) {
            Type::Dyn | Type::Any => found,
            known => match known.optional_of() {
                Some(inner) => inner.clone(),
                None => {
                    let wanted = Type::optional(known.clone());
                    self.mismatch(element.position, &wanted, &known);
                    found
                }
            },
        }
    }

    fn mismatch(&mut self, position: u32, wanted: &Type, found: &Type) {
        self.report(
            position,
            format!(
                "expected type '{}' but found '{}'",
                wanted.in_problem(),
                found.in_problem()
            ),
        );
    }

    /// Returns the more general of two types; dyn if they are incompatible, which a validator may reject later.
    fn join(&mut self, before: Option<Type>, found: Type) -> Type {
        let Some(before) = before.filter(|before| *before != Type::Missing) else {
            return found;
        };
        if self.unifier.assignable(&before, &found) {
            return if super::types::equal_or_less_specific(&before, &found) {
                before
            } else {
                found
            };
        }
        Type::Dyn
    }

    fn check_map(&mut self, expr: &'a Expr, entries: &'a [MapEntry]) {
        let mut keys: Option<Type> = None;
        let mut values: Option<Type> = None;
        for entry in entries {
            self.check(&entry.key);
            let key = self.type_of(&entry.key);
            keys = Some(self.join(keys, key));
            self.check(&entry.value);
            let mut value = self.type_of(&entry.value);
            if entry.optional {
                value = self.unwrap_optional(&entry.value, value);
            }
            values = Some(self.join(values, value));
        }
        let (key, value) = match (keys, values) {
            (Some(key), Some(value)) if key != Type::Missing => (key, value),
            _ => (self.unifier.fresh(), self.unifier.fresh()),
        };
        let found = Type::map(key, value);
        let known = self.unifier.substitute(&found);
        self.too_large = self.too_large || known.weight(LARGEST_TYPE) >= LARGEST_TYPE;
        self.set_type(expr.id, if self.too_large { Type::Error } else { found });
    }

    /// Returns the type of a message whose name has a type; an error, which is reported, if the name is not that of a message.
    fn type_of_message(&mut self, expr: &Expr, name: &str, kind: Type) -> Type {
        match kind {
            Type::Error => Type::Error,
            Type::Type(inner) => {
                let of = inner.map_or(Type::Type(None), |inner| (*inner).clone());
                let message = self.environment.message_result(name, &of);
                message.unwrap_or_else(|| {
                    self.report(
                        expr.position,
                        format!("'{}' is not a message type", of.in_problem()),
                    );
                    Type::Error
                })
            }
            other => {
                let hint = suggest::hint(name, &suggest::like(self.environment, name));
                self.report(
                    expr.position,
                    format!("'{}' is not a type{hint}", other.in_problem()),
                );
                Type::Error
            }
        }
    }

    fn check_message(&mut self, expr: &'a Expr, type_name: &str, fields: &'a [MessageField]) {
        let declared = if self.environment.rules().scopes_are_apart {
            self.environment.candidates(type_name).find_map(|name| {
                let kind = self.environment.type_named(&name)?;
                Some((Arc::from(&*name), Type::type_of(kind)))
            })
        } else {
            self.look_up(type_name)
        };
        let Some((name, kind)) = declared else {
            self.undeclared(expr.position, type_name);
            self.set_type(expr.id, Type::Error);
            return;
        };
        self.set_reference(expr.id, Reference::Name(name.clone()));
        let result = self.type_of_message(expr, &name, kind);
        self.set_type(expr.id, result);
        for field in fields {
            self.check_message_field(&name, field);
        }
    }

    fn check_message_field(&mut self, message: &str, field: &'a MessageField) {
        self.check(&field.value);
        let declared_type = self
            .field_type(field.position, message, &field.name)
            .unwrap_or(Type::Error);
        let mut value_type = self.type_of(&field.value);
        if field.optional {
            value_type = self.unwrap_optional(&field.value, value_type);
        }
        if self.unifier.assignable(&declared_type, &value_type) {
            return;
        }
        let provided_type = self.unifier.substitute(&value_type);
        self.report(
            field.position,
            format!(
                "expected type of field '{}' is '{}' but provided type is '{}'",
                field.name,
                declared_type.in_problem(),
                provided_type.in_problem()
            ),
        );
    }

    fn check_comprehension(&mut self, expr: &'a Expr, comprehension: &'a Comprehension) {
        self.check(&comprehension.range);
        self.check(&comprehension.init);
        let range = self.known_type(&comprehension.range);
        let accumulator = self.type_of(&comprehension.init);
        let untyped = self.environment.rules().second_variables_are_untyped;
        let (first, second) = match range {
            Type::List(element) if comprehension.variable2.is_some() => {
                (Type::Int, (*element).clone())
            }
            Type::List(element) => ((*element).clone(), Type::Error),
            Type::Map(pair) => (pair.0.clone(), pair.1.clone()),
            Type::Dyn | Type::Error | Type::Variable(_) => {
                // The range becomes dyn, and so does every expression that shares its type variable.
                let known = self.type_of(&comprehension.range);
                self.unifier.assignable(&Type::Dyn, &known);
                (Type::Dyn, if untyped { Type::Missing } else { Type::Dyn })
            }
            other => {
                self.report(
                    comprehension.range.position,
                    format!(
                        "expression of type '{}' cannot be range of a comprehension (must be list, map, or dynamic)",
                        other.in_problem()
                    ),
                );
                (
                    Type::Error,
                    if untyped { Type::Missing } else { Type::Error },
                )
            }
        };
        self.scopes
            .push((&comprehension.accumulator, accumulator.clone()));
        self.scopes.push((&comprehension.variable, first));
        if let Some(name) = &comprehension.variable2 {
            self.scopes.push((name, second));
        }
        self.check(&comprehension.condition);
        self.expect(&comprehension.condition, &Type::Bool);
        self.check(&comprehension.step);
        self.expect(&comprehension.step, &accumulator);
        self.scopes.pop();
        if comprehension.variable2.is_some() {
            self.scopes.pop();
        }
        self.check(&comprehension.result);
        self.scopes.pop();
        let result = self.known_type(&comprehension.result);
        self.set_type(expr.id, result);
    }

    /// Returns `a.b.c` as a dotted name, if the expression consists of names only and the name can be known or be reported as a whole.
    fn qualified_name(&self, expr: &Expr) -> Option<String> {
        let mut root = expr;
        while let ExprNode::Select {
            operand,
            test_only: false,
            ..
        } = &root.node
        {
            root = operand;
        }
        let ExprNode::Ident(name) = &root.node else {
            return None;
        };
        let rules = self.environment.rules();
        if rules.scopes_are_apart && self.is_local(name) {
            return None;
        }
        if !rules.names_are_suggested && !self.environment.has_names_after(name) {
            return None;
        }
        let mut fields = Vec::new();
        let mut at = expr;
        while let ExprNode::Select { operand, field, .. } = &at.node {
            fields.push(&**field);
            at = operand;
        }
        let mut qualified = name.to_string();
        for field in fields.into_iter().rev() {
            qualified.push('.');
            qualified.push_str(field);
        }
        Some(qualified)
    }

    fn expect(&mut self, expr: &Expr, wanted: &Type) {
        let found = self.type_of(expr);
        if !self.unifier.assignable(wanted, &found) {
            let (wanted, found) = (
                self.unifier.substitute(wanted),
                self.unifier.substitute(&found),
            );
            self.mismatch(expr.position, &wanted, &found);
        }
    }
}

/// Returns the type of a constant.
#[doc(hidden)]
pub fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}

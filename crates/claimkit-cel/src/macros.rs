//! Expansion of macros, as cel-go's parser does it before a text is checked.
//!
//! cel-go, `parser/macro.go`, `cel/library.go` (`optMap`), `ext/bindings.go`, `ext/comprehensions.go`, `ext/lists.go` (`sortBy`).

use std::ops::Range;
use std::vec::IntoIter;

use super::ast::{Comprehension, Expr, ExprNode, Literal, Macro, MapEntry, MessageField};
use super::dialect::{PLAIN_ACCUMULATOR, ParserOptions};

/// A call that may be a macro call.
#[derive(Debug)]
pub struct PossibleMacro {
    pub name: String,
    pub target: Option<Expr>,
    pub arguments: Vec<Expr>,
    /// The `(`, an offset in code points.
    pub position: u32,
    /// Bytes of the whole call.
    pub span: Range<u32>,
}

/// The result of expanding a call.
#[derive(Debug)]
pub enum Expansion {
    Ordinary(PossibleMacro),
    /// A macro call, with its expansion.
    Expanded(Expr),
    /// A macro call with invalid arguments.
    Refused {
        /// The argument, an offset in code points.
        position: u32,
        /// Why, in cel-go's words.
        message: String,
    },
}

/// An argument that a macro refuses.
struct Refusal {
    position: u32,
    message: String,
}

impl Refusal {
    fn of(argument: &Expr, message: &str) -> Self {
        Self {
            position: argument.position,
            message: message.to_owned(),
        }
    }
}

/// The variable of a loop, and the second one.
type Variables = (String, Option<String>);

/// The effect of a loop on its accumulator.
struct Loop {
    init: Expr,
    condition: Expr,
    step: Expr,
    result: Expr,
}

/// Name of the variable of a loop that only gives a value a name.
const UNUSED: &str = "#unused";

/// Name of the list in `sortBy`.
const SORT_INPUT: &str = "@__sortBy_input__";

/// Finds the macro of a call by name, number of arguments and style.
pub fn find(
    name: &str,
    arguments: usize,
    is_method: bool,
    options: &ParserOptions,
) -> Option<Macro> {
    let known = options.macros;
    match (name, arguments, is_method) {
        ("has", 1, false) => Some(Macro::Has),
        ("all", 2, true) => Some(Macro::All),
        ("exists", 2, true) => Some(Macro::Exists),
        ("exists_one", 2, true) => Some(Macro::ExistsOne),
        ("map", 2 | 3, true) => Some(Macro::Map),
        ("filter", 2, true) => Some(Macro::Filter),
        ("bind", 3, true) if known.bind => Some(Macro::Bind),
        ("optMap", 2, true) if known.optionals => Some(Macro::OptMap),
        ("optFlatMap", 2, true) if known.optionals => Some(Macro::OptFlatMap),
        ("sortBy", 2, true) if known.sort_by => Some(Macro::SortBy),
        ("all", 3, true) if known.two_variables => Some(Macro::All),
        ("exists", 3, true) if known.two_variables => Some(Macro::Exists),
        ("exists_one" | "existsOne", 3, true) if known.two_variables => Some(Macro::ExistsOne),
        ("transformList", 3 | 4, true) if known.two_variables => Some(Macro::TransformList),
        ("transformMap", 3 | 4, true) if known.two_variables => Some(Macro::TransformMap),
        ("transformMapEntry", 3 | 4, true) if known.two_variables => Some(Macro::TransformMapEntry),
        _ => None,
    }
}

/// Expands a call of `name`, which [`find`] has found. `ids` is the next free id.
pub fn expand(
    name: Macro,
    call: PossibleMacro,
    options: &ParserOptions,
    ids: &mut u32,
) -> Expansion {
    if name == Macro::Bind {
        let target = call.target.as_ref().map(|target| &target.node);
        if !matches!(target, Some(ExprNode::Ident(name)) if name.as_ref() == "cel") {
            return Expansion::Ordinary(call);
        }
    }
    let PossibleMacro {
        target,
        arguments,
        position,
        span,
        ..
    } = call;
    let mut expander = Expander {
        name,
        options,
        ids,
        position,
        span,
    };
    let count = arguments.len();
    match expander.expand(target, arguments.into_iter(), count) {
        Ok(expr) => Expansion::Expanded(expr),
        Err(Refusal { position, message }) => Expansion::Refused { position, message },
    }
}

/// Returns how many levels an expansion adds at most to those of a call.
pub fn added_levels(name: Macro) -> u32 {
    match name {
        Macro::Has | Macro::Bind => 0,
        Macro::All | Macro::Exists | Macro::ExistsOne | Macro::OptFlatMap => 2,
        Macro::Map
        | Macro::Filter
        | Macro::TransformList
        | Macro::TransformMap
        | Macro::TransformMapEntry => 3,
        Macro::OptMap => 3,
        Macro::SortBy => 4,
    }
}

/// Makes the nodes of one expansion.
struct Expander<'a> {
    name: Macro,
    options: &'a ParserOptions,
    ids: &'a mut u32,
    position: u32,
    span: Range<u32>,
}

impl Expander<'_> {
    fn expand(
        &mut self,
        target: Option<Expr>,
        mut rest: IntoIter<Expr>,
        count: usize,
    ) -> Result<Expr, Refusal> {
        let first = self.argument(rest.next());
        let target = match (self.name, target) {
            (Macro::Has, _) | (_, None) => return self.presence(first),
            (_, Some(target)) => target,
        };
        match self.name {
            Macro::Has | Macro::All | Macro::Exists | Macro::ExistsOne if count == 2 => {
                let variable = self.variable(&first, "argument must be a simple name")?;
                let predicate = self.argument(rest.next());
                Ok(self.quantifier(target, (variable, None), predicate))
            }
            Macro::Map => {
                let variable = self.variable(&first, "argument is not an identifier")?;
                let filter = if count == 3 { rest.next() } else { None };
                let value = self.argument(rest.next());
                Ok(self.map(target, (variable, None), filter, value))
            }
            Macro::Filter => {
                let variable = self.variable(&first, "argument is not an identifier")?;
                let predicate = rest.next();
                // The element is the argument itself: problems of it are reported at its place.
                Ok(self.map(target, (variable, None), predicate, first))
            }
            Macro::SortBy => self.sort_by(target, &first, rest.next()),
            Macro::Bind => {
                let variable = simple_name(
                    &first,
                    "cel.bind() variable names must be simple identifiers",
                )?;
                let value = self.argument(rest.next());
                let body = self.argument(rest.next());
                Ok(self.bind(variable, value, body))
            }
            Macro::OptMap => {
                let variable =
                    simple_name(&first, "optMap() variable name must be a simple identifier")?;
                let body = self.argument(rest.next());
                Ok(self.optional(target, variable, body, |expander, value| {
                    expander.call("optional.of", vec![value])
                }))
            }
            Macro::OptFlatMap => {
                let variable = simple_name(
                    &first,
                    "optFlatMap() variable name must be a simple identifier",
                )?;
                let body = self.argument(rest.next());
                Ok(self.optional(target, variable, body, |_, value| value))
            }
            Macro::Has
            | Macro::All
            | Macro::Exists
            | Macro::ExistsOne
            | Macro::TransformList
            | Macro::TransformMap
            | Macro::TransformMapEntry => self.expand_two_variables(target, first, rest, count),
        }
    }

    /// Expands a loop over indices or keys and values.
    fn expand_two_variables(
        &mut self,
        target: Expr,
        first: Expr,
        mut rest: IntoIter<Expr>,
        count: usize,
    ) -> Result<Expr, Refusal> {
        let second = self.argument(rest.next());
        let variables = self.two_variables(&first, &second)?;
        let filter = if count == 4 { rest.next() } else { None };
        let body = self.argument(rest.next());
        Ok(match self.name {
            Macro::TransformList => self.map(target, variables, filter, body),
            Macro::TransformMap => {
                let key = self.ident(&variables.0);
                self.insert(target, variables, filter, vec![key, body])
            }
            Macro::TransformMapEntry => self.insert(target, variables, filter, vec![body]),
            _ => self.quantifier(target, variables, body),
        })
    }

    /// Takes an argument out of its option. [`find`] has counted them, so there is one.
    fn argument(&mut self, argument: Option<Expr>) -> Expr {
        argument.unwrap_or_else(|| self.node(ExprNode::Literal(Literal::Null)))
    }

    /// Expands `has(operand.field)`.
    fn presence(&mut self, argument: Expr) -> Result<Expr, Refusal> {
        match argument.node {
            ExprNode::Select { operand, field, .. } => Ok(self.node(ExprNode::Select {
                operand,
                field,
                test_only: true,
            })),
            _ => Err(Refusal::of(&argument, "invalid argument to has() macro")),
        }
    }

    /// Expands `all`, `exists` and `exists_one`.
    fn quantifier(&mut self, range: Expr, variables: Variables, predicate: Expr) -> Expr {
        let accumulator = self.accumulator();
        // The order in which the nodes are made numbers them as in cel-go.
        let (init, condition, step);
        match self.name {
            Macro::All => {
                init = Literal::Bool(true);
                condition = self.call("@not_strictly_false", vec![accumulator]);
                let accumulator = self.accumulator();
                step = self.call("_&&_", vec![accumulator, predicate]);
            }
            Macro::Exists => {
                init = Literal::Bool(false);
                let not = self.call("!_", vec![accumulator]);
                condition = self.call("@not_strictly_false", vec![not]);
                let accumulator = self.accumulator();
                step = self.call("_||_", vec![accumulator, predicate]);
            }
            _ => {
                init = Literal::Int(0);
                let one = self.literal(Literal::Int(1));
                let sum = self.call("_+_", vec![accumulator, one]);
                let unchanged = self.accumulator();
                step = self.call("_?_:_", vec![predicate, sum, unchanged]);
                condition = self.literal(Literal::Bool(true));
            }
        }
        let mut result = self.accumulator();
        if self.name == Macro::ExistsOne {
            let one = self.literal(Literal::Int(1));
            result = self.call("_==_", vec![result, one]);
        }
        let init = self.literal(init);
        self.fold(
            range,
            variables,
            Loop {
                init,
                condition,
                step,
                result,
            },
        )
    }

    /// Expands `map`, `filter` and `transformList`.
    fn map(
        &mut self,
        range: Expr,
        variables: Variables,
        filter: Option<Expr>,
        value: Expr,
    ) -> Expr {
        let list = self.node(ExprNode::List {
            elements: vec![value],
            optional_indices: Vec::new(),
        });
        let accumulator = self.accumulator();
        let step = self.call("_+_", vec![accumulator, list]);
        let init = self.empty_list();
        self.collect(range, variables, filter, init, step)
    }

    /// Expands `transformMap` and `transformMapEntry`.
    fn insert(
        &mut self,
        range: Expr,
        variables: Variables,
        filter: Option<Expr>,
        entry: Vec<Expr>,
    ) -> Expr {
        let mut arguments = vec![self.accumulator()];
        arguments.extend(entry);
        let step = self.call("cel.@mapInsert", arguments);
        let init = self.node(ExprNode::Map {
            entries: Vec::new(),
        });
        self.collect(range, variables, filter, init, step)
    }

    /// Makes a loop over all elements that takes those for which `filter` is true.
    fn collect(
        &mut self,
        range: Expr,
        variables: Variables,
        filter: Option<Expr>,
        init: Expr,
        step: Expr,
    ) -> Expr {
        let step = match filter {
            Some(filter) => {
                let same = self.accumulator();
                self.call("_?_:_", vec![filter, step, same])
            }
            None => step,
        };
        let condition = self.literal(Literal::Bool(true));
        let result = self.accumulator();
        self.fold(
            range,
            variables,
            Loop {
                init,
                condition,
                step,
                result,
            },
        )
    }

    /// Expands `input.sortBy(x, key)`: `input` gets a name and is sorted by the list of its keys.
    fn sort_by(
        &mut self,
        target: Expr,
        variable: &Expr,
        key: Option<Expr>,
    ) -> Result<Expr, Refusal> {
        if is_hole(&target)
            || matches!(
                target.node,
                ExprNode::Literal(_) | ExprNode::Map { .. } | ExprNode::Message { .. }
            )
        {
            let message = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
            return Err(Refusal::of(&target, message));
        }
        let variable = self.variable(variable, "argument is not an identifier")?;
        let key = self.argument(key);
        let input = self.ident(SORT_INPUT);
        let keys = self.map(input, (variable, None), None, key);
        let input = self.ident(SORT_INPUT);
        let sorted = self.node(ExprNode::Call {
            function: "@sortByAssociatedKeys".into(),
            target: Some(Box::new(input)),
            arguments: vec![keys],
        });
        Ok(self.bind(SORT_INPUT.to_owned(), target, sorted))
    }

    /// Makes a loop without rounds: its accumulator is a name for `value` in `body`.
    fn bind(&mut self, variable: String, value: Expr, body: Expr) -> Expr {
        let range = self.empty_list();
        let condition = self.literal(Literal::Bool(false));
        let step = self.ident(&variable);
        self.comprehension(
            range,
            (UNUSED.to_owned(), None),
            variable,
            Loop {
                init: value,
                condition,
                step,
                result: body,
            },
        )
    }

    /// Makes `target.hasValue() ? present(body) : optional.none()`, with the value's name in `body`.
    fn optional(
        &mut self,
        target: Expr,
        variable: String,
        body: Expr,
        present: impl Fn(&mut Self, Expr) -> Expr,
    ) -> Expr {
        let copy = self.copy(&target);
        let has_value = self.method("hasValue", target);
        let value = self.method("value", copy);
        let bound = self.bind(variable, value, body);
        let result = present(self, bound);
        let absent = self.call("optional.none", Vec::new());
        self.call("_?_:_", vec![has_value, result, absent])
    }

    /// Returns the name of a loop's variable.
    fn variable(&self, argument: &Expr, message: &str) -> Result<String, Refusal> {
        let name = simple_name(argument, message)?;
        self.guard(argument, &name)?;
        Ok(name)
    }

    /// Returns the names of a loop's two variables.
    fn two_variables(&self, first: &Expr, second: &Expr) -> Result<Variables, Refusal> {
        let message = "argument must be a simple name";
        let (first_name, second_name) =
            (simple_name(first, message)?, simple_name(second, message)?);
        if first_name == second_name {
            return Err(Refusal::of(
                second,
                &format!("duplicate variable name: {first_name}"),
            ));
        }
        self.guard_accumulator(first, &first_name)?;
        self.guard_accumulator(second, &second_name)?;
        Ok((first_name, Some(second_name)))
    }

    /// Refuses the variable of a loop with the accumulator's name, in releases that do.
    fn guard(&self, argument: &Expr, name: &str) -> Result<(), Refusal> {
        if self.options.dialect.variables_are_guarded {
            self.guard_accumulator(argument, name)
        } else {
            Ok(())
        }
    }

    /// Refuses a variable with the accumulator's name.
    fn guard_accumulator(&self, argument: &Expr, name: &str) -> Result<(), Refusal> {
        let dialect = self.options.dialect;
        if name == dialect.accumulator || name == PLAIN_ACCUMULATOR {
            return Err(Refusal::of(
                argument,
                "iteration variable overwrites accumulator variable",
            ));
        }
        Ok(())
    }

    fn fold(&mut self, range: Expr, variables: Variables, parts: Loop) -> Expr {
        let accumulator = self.options.dialect.accumulator.to_owned();
        self.comprehension(range, variables, accumulator, parts)
    }

    fn comprehension(
        &mut self,
        range: Expr,
        variables: Variables,
        accumulator: String,
        parts: Loop,
    ) -> Expr {
        let Loop {
            init,
            condition,
            step,
            result,
        } = parts;
        let (variable, variable2) = variables;
        let made_by = self.name;
        let node = Comprehension {
            made_by,
            range,
            variable,
            variable2,
            accumulator,
            init,
            condition,
            step,
            result,
        };
        self.node(ExprNode::Comprehension(Box::new(node)))
    }

    fn node(&mut self, node: ExprNode) -> Expr {
        Expr {
            id: next_id(self.ids),
            position: self.position,
            span: self.span.clone(),
            generated: true,
            node,
        }
    }

    fn literal(&mut self, literal: Literal) -> Expr {
        self.node(ExprNode::Literal(literal))
    }

    fn ident(&mut self, name: &str) -> Expr {
        self.node(ExprNode::Ident(name.into()))
    }

    fn accumulator(&mut self) -> Expr {
        self.ident(self.options.dialect.accumulator)
    }

    fn empty_list(&mut self) -> Expr {
        self.node(ExprNode::List {
            elements: Vec::new(),
            optional_indices: Vec::new(),
        })
    }

    fn call(&mut self, function: &'static str, arguments: Vec<Expr>) -> Expr {
        self.node(ExprNode::Call {
            function: function.into(),
            target: None,
            arguments,
        })
    }

    fn method(&mut self, function: &'static str, target: Expr) -> Expr {
        self.node(ExprNode::Call {
            function: function.into(),
            target: Some(Box::new(target)),
            arguments: Vec::new(),
        })
    }

    /// Copies the tree with new ids. The caller ensures that it is not too deep.
    fn copy(&mut self, expr: &Expr) -> Expr {
        let id = if is_hole(expr) {
            expr.id
        } else {
            next_id(self.ids)
        };
        let node = match &expr.node {
            ExprNode::Literal(literal) => ExprNode::Literal(literal.clone()),
            ExprNode::Ident(name) => ExprNode::Ident(name.clone()),
            ExprNode::Select {
                operand,
                field,
                test_only,
            } => ExprNode::Select {
                operand: Box::new(self.copy(operand)),
                field: field.clone(),
                test_only: *test_only,
            },
            ExprNode::Call {
                function,
                target,
                arguments,
            } => ExprNode::Call {
                function: function.clone(),
                target: target.as_ref().map(|target| Box::new(self.copy(target))),
                arguments: arguments
                    .iter()
                    .map(|argument| self.copy(argument))
                    .collect(),
            },
            ExprNode::List {
                elements,
                optional_indices,
            } => ExprNode::List {
                elements: elements.iter().map(|element| self.copy(element)).collect(),
                optional_indices: optional_indices.clone(),
            },
            ExprNode::Map { entries } => ExprNode::Map {
                entries: entries.iter().map(|entry| self.copy_entry(entry)).collect(),
            },
            ExprNode::Message { type_name, fields } => ExprNode::Message {
                type_name: type_name.clone(),
                fields: fields.iter().map(|field| self.copy_field(field)).collect(),
            },
            ExprNode::Comprehension(inner) => ExprNode::Comprehension(Box::new(Comprehension {
                made_by: inner.made_by,
                range: self.copy(&inner.range),
                variable: inner.variable.clone(),
                variable2: inner.variable2.clone(),
                accumulator: inner.accumulator.clone(),
                init: self.copy(&inner.init),
                condition: self.copy(&inner.condition),
                step: self.copy(&inner.step),
                result: self.copy(&inner.result),
            })),
        };
        Expr {
            id,
            position: expr.position,
            span: expr.span.clone(),
            generated: true,
            node,
        }
    }

    fn copy_entry(&mut self, entry: &MapEntry) -> MapEntry {
        let id = next_id(self.ids);
        let (key, value) = (self.copy(&entry.key), self.copy(&entry.value));
        MapEntry {
            id,
            position: entry.position,
            key,
            value,
            optional: entry.optional,
        }
    }

    fn copy_field(&mut self, field: &MessageField) -> MessageField {
        let id = next_id(self.ids);
        let value = self.copy(&field.value);
        MessageField {
            id,
            position: field.position,
            name: field.name.clone(),
            value,
            optional: field.optional,
        }
    }
}

/// Returns the next free id.
pub fn next_id(ids: &mut u32) -> u32 {
    let id = *ids;
    *ids = ids.saturating_add(1);
    id
}

/// Id of a placeholder node for a missing expression. The parser never returns a tree that contains one.
pub const HOLE: u32 = 0;

/// Returns true if a node is a placeholder for a missing expression.
pub fn is_hole(expr: &Expr) -> bool {
    expr.id == HOLE
}

/// Returns the argument as a simple name.
fn simple_name(argument: &Expr, message: &str) -> Result<String, Refusal> {
    match &argument.node {
        ExprNode::Ident(name) if !is_hole(argument) => Ok(name.to_string()),
        _ => Err(Refusal::of(argument, message)),
    }
}

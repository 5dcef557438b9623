//! Runs a program.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::super::cost::spend::Spending;
use super::super::dialect::DialectRules;
use super::super::messages;
use super::super::operations::{self, EvaluationScope};
use super::super::value::{EvalError, Key, Map, Value};
use super::attributes::{
    Found, can_qualify, go_type, not_optional_element, not_optional_entry, part, unhashable,
};
use super::program::{
    AttributePath, CallStep, ElementNode, EntryNode, FieldNode, Fold, MatchStep, ProgramNode,
    Qualifier, QualifierKey, Root, StepAction, Steps,
};

/// A value that an expression had, in the order of evaluation.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The number of the expression in the tree.
    pub expr: u32,
    /// The value of the expression.
    pub value: Value,
}

/// Maximum number of observations of one run. Loops make more.
const MOST_OBSERVATIONS: usize = 20_000;

/// A run of a program.
pub struct Run<'a> {
    variables: &'a [Value],
    locals: Vec<Local<'a>>,
    /// The cost spent on the run.
    pub spending: Spending,
    scope: EvaluationScope<'a>,
    observations: Option<Vec<Observation>>,
    /// Set when the whole evaluation is given up.
    stopped: Option<Arc<EvalError>>,
}

/// The variable of a loop.
enum Local<'a> {
    Unset,
    /// The initial value of an accumulator, not yet evaluated.
    Waiting(&'a ProgramNode),
    Set(Value),
}

/// The values that a run keeps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    Result,
    /// The value of every sub-expression, too.
    EveryValue,
}

/// Runs a program with the variables in the environment's order. Gives the value or the error, what was spent, and what was kept.
pub fn evaluate<'a>(
    program: &'a Steps,
    variables: &'a [Value],
    rules: &'a DialectRules,
    limit: u64,
    keep: Keep,
) -> (Value, u64, Vec<Observation>) {
    let mut run = Run {
        variables,
        locals: std::iter::repeat_with(|| Local::Unset)
            .take(program.locals)
            .collect(),
        spending: Spending::new(limit, rules),
        scope: EvaluationScope::new(rules),
        observations: (keep == Keep::EveryValue).then(Vec::new),
        stopped: None,
    };
    let value = run.evaluate(&program.root);
    let value = run.stopped.take().map_or(value, Value::Error);
    (
        value,
        run.spending.spent(),
        run.observations.unwrap_or_default(),
    )
}

impl<'a> Run<'a> {
    pub(super) fn local(&mut self, place: usize) -> Value {
        match self.locals.get(place) {
            Some(Local::Set(value)) => value.clone(),
            Some(Local::Waiting(init)) => {
                let init = *init;
                let value = self.evaluate(init);
                self.set(place, Local::Set(value.clone()));
                value
            }
            _ => Value::no_such_overload(),
        }
    }

    fn set(&mut self, place: usize, local: Local<'a>) {
        if let Some(slot) = self.locals.get_mut(place) {
            *slot = local;
        }
    }

    /// Gives up the whole evaluation.
    fn stop(&mut self, error: EvalError) -> Value {
        let error = Arc::new(error);
        self.stopped.get_or_insert_with(|| error.clone());
        self.spending.stop();
        Value::Error(error)
    }

    /// Computes the value of a step.
    pub(super) fn evaluate(&mut self, node: &'a ProgramNode) -> Value {
        self.evaluate_borrowed(node).into_owned()
    }

    /// Evaluates a step; constants and parts of variables are borrowed. Each kind of step has its own function to keep this stack
    /// frame small: expressions nest up to 250 levels.
    fn evaluate_borrowed(&mut self, node: &'a ProgramNode) -> Cow<'a, Value> {
        if let Some(error) = &self.stopped {
            return Cow::Owned(Value::Error(error.clone()));
        }
        if !self.scope.step(1) {
            return Cow::Owned(self.stop(operations::too_many_steps()));
        }
        let value = match &node.step {
            StepAction::Constant(value) => {
                self.spending.push(node.id);
                Cow::Borrowed(value)
            }
            StepAction::Attribute(attribute) => self.attribute(node, attribute),
            StepAction::Logical(decides, sides) => {
                Cow::Owned(self.logical(node, *decides, &sides.0, &sides.1))
            }
            StepAction::Equal { negated, sides } => {
                Cow::Owned(self.equal(node, *negated, &sides.0, &sides.1))
            }
            StepAction::Call(call) => Cow::Owned(self.call(node, call)),
            StepAction::InSet(argument, set) => Cow::Owned(self.in_set(node, argument, set)),
            StepAction::Matches(call) => Cow::Owned(self.matches(node, call)),
            StepAction::Otherwise { value, sides } => {
                Cow::Owned(self.otherwise(node, *value, &sides.0, &sides.1))
            }
            StepAction::List(elements) => Cow::Owned(self.list(node, elements)),
            StepAction::Map(entries) => Cow::Owned(self.map(node, entries)),
            StepAction::Message(name, fields) => Cow::Owned(self.message(node, name, fields)),
            StepAction::Fold(fold) => Cow::Owned(self.fold(node, fold)),
        };
        if self.spending.is_exhausted() && self.stopped.is_none() {
            return Cow::Owned(self.exceeded());
        }
        self.see(node.expr, &value);
        value
    }

    #[inline(never)]
    fn exceeded(&mut self) -> Value {
        self.stop(EvalError::stop(
            "operation cancelled: actual cost limit exceeded",
        ))
    }

    #[inline(never)]
    fn in_set(&mut self, node: &'a ProgramNode, argument: &'a ProgramNode, set: &[Key]) -> Value {
        let value = self.evaluate(argument);
        let value = if value.is_error() {
            value
        } else if let Some(text) = unhashable(&value) {
            self.stop(EvalError::stop(text))
        } else {
            Value::Bool(Key::of(&value).is_some_and(|key| set.binary_search(&key).is_ok()))
        };
        self.spending.push(node.id);
        value
    }

    fn see(&mut self, expr: u32, value: &Value) {
        if let Some(observations) = &mut self.observations
            && observations.len() < MOST_OBSERVATIONS
        {
            observations.push(Observation {
                expr,
                value: value.clone(),
            });
        }
    }

    fn spend_qualifier(&mut self, qualifier: &Qualifier) {
        if matches!(qualifier.key, QualifierKey::Computed(_)) {
            self.spending.drop(qualifier.id);
        }
        self.spending.add(1);
        self.spending.push(qualifier.id);
        if self.spending.is_exhausted() && self.stopped.is_none() {
            self.exceeded();
        }
    }

    #[inline(never)]
    fn attribute(&mut self, node: &'a ProgramNode, attribute: &'a AttributePath) -> Cow<'a, Value> {
        let mut value = self.resolve(attribute);
        if attribute.test_only
            && let Value::Optional(inner) = &*value
        {
            value = Cow::Owned(Value::Bool(inner.is_some()));
        }
        if self.stopped.is_some() {
            return value;
        }
        match &attribute.root {
            Root::Conditional(parts) => {
                self.spending.drop(parts.2.id);
                self.spending.drop(parts.1.id);
                self.spending.drop(parts.0.id);
            }
            _ => {
                self.spending.drop(attribute.id);
                if !attribute.test_only {
                    self.spending.add(1);
                }
            }
        }
        self.spending.push(node.id);
        value
    }

    #[inline(never)]
    fn logical(
        &mut self,
        node: &'a ProgramNode,
        decides: bool,
        left: &'a ProgramNode,
        right: &'a ProgramNode,
    ) -> Value {
        let mut error = None;
        let mut value = Value::Bool(!decides);
        for side in [left, right] {
            match &*self.evaluate_borrowed(side) {
                Value::Bool(found) if *found == decides => {
                    value = Value::Bool(decides);
                    error = None;
                    break;
                }
                Value::Bool(_) => {}
                Value::Error(found) => {
                    error.get_or_insert_with(|| Value::Error(found.clone()));
                }
                _ => {
                    error.get_or_insert_with(Value::no_such_overload);
                }
            }
        }
        self.spending.drop(left.id);
        self.spending.drop(right.id);
        self.spending.push(node.id);
        error.unwrap_or(value)
    }

    #[inline(never)]
    fn equal(
        &mut self,
        node: &'a ProgramNode,
        negated: bool,
        left: &'a ProgramNode,
        right: &'a ProgramNode,
    ) -> Value {
        let first = self.evaluate_borrowed(left);
        let ends = first.is_error() && self.scope.rules().steps_count_their_cost;
        let second = if ends {
            Cow::Owned(Value::Null)
        } else {
            self.evaluate_borrowed(right)
        };
        let value = if first.is_error() {
            (*first).clone()
        } else if second.is_error() {
            (*second).clone()
        } else {
            match operations::compare::equal(&mut self.scope, &first, &second) {
                Value::Bool(equal) => Value::Bool(equal != negated),
                _ if negated => Value::Bool(true),
                error => error,
            }
        };
        if self
            .spending
            .drop_arguments([left.id, right.id].into_iter())
        {
            let name = if negated { "_!=_" } else { "_==_" };
            let cost = super::super::cost::spend::equality(&self.scope, name, &first, &second);
            self.spending.add(cost);
        }
        self.spending.push(node.id);
        self.checked(value)
    }

    /// Stops the evaluation if an operation used up the steps or returned an error that ends the evaluation.
    fn checked(&mut self, value: Value) -> Value {
        if let Value::Error(error) = &value
            && error.stops
        {
            self.stopped.get_or_insert_with(|| error.clone());
            self.spending.stop();
        }
        if self.scope.is_exhausted() && self.stopped.is_none() {
            return self.stop(operations::too_many_steps());
        }
        value
    }

    #[inline(never)]
    fn call(&mut self, node: &'a ProgramNode, call: &'a CallStep) -> Value {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        let mut error = None;
        let direct = self.scope.rules().steps_count_their_cost;
        let several =
            direct || call.arguments.len() > 2 || call.stops_early && call.arguments.len() == 2;
        for argument in &call.arguments {
            let value = self.evaluate(argument);
            if error.is_none() && value.is_error() {
                error = Some(value.clone());
                if several {
                    break;
                }
            }
            arguments.push(value);
        }
        if self.stopped.is_some() {
            return Value::no_such_overload();
        }
        // When an operand fails, the cost is counted of `!` alone, and of what takes failures (cel-go, `interpreter/interpretable.go`,
        // `evalUnary`).
        let uncounted =
            direct && error.is_some() && !matches!(call.name, "!_" | "@not_strictly_false");
        let value = match error {
            Some(error) => error,
            None => {
                if let Some(place) = call.appends_to {
                    // The list is in the loop's variable as well. Nothing reads it before the step's value replaces it.
                    self.set(place, Local::Unset);
                }
                let limit = self.spending.left();
                self.scope.allow(limit);
                call.target.take(
                    call.name,
                    &mut self.scope,
                    &mut arguments,
                    call.appends_to.is_some(),
                )
            }
        };
        let value = self.checked(value);
        if self.stopped.is_some() {
            return value;
        }
        let ids = call.arguments.iter().map(|argument| argument.id);
        if !uncounted && self.spending.drop_arguments(ids) {
            match call.cost.spent(&arguments, &value) {
                Ok(cost) => self.spending.add(cost),
                Err(text) => return self.stop(EvalError::stop(text)),
            }
        }
        self.spending.push(node.id);
        value
    }

    #[inline(never)]
    fn matches(&mut self, node: &'a ProgramNode, call: &'a MatchStep) -> Value {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        let mut error = None;
        for argument in &call.arguments {
            let value = self.evaluate(argument);
            if value.is_error() {
                error = Some(value);
                break;
            }
            arguments.push(value);
        }
        if let Some(error) = &error
            && self.scope.rules().steps_count_their_cost
        {
            return error.clone();
        }
        let value = match (error, arguments.first()) {
            (Some(error), _) => error,
            (None, Some(Value::String(text))) => operations::texts::run_regex(
                &mut self.scope,
                call.kind,
                &call.regex,
                text,
                arguments.get(2),
            ),
            _ => Value::no_such_overload(),
        };
        if self
            .spending
            .drop_arguments(call.arguments.iter().map(|argument| argument.id))
        {
            self.spending
                .add(call.cost.spent(&arguments, &value).unwrap_or(1));
        }
        self.spending.push(node.id);
        self.checked(value)
    }

    #[inline(never)]
    fn otherwise(
        &mut self,
        node: &'a ProgramNode,
        value: bool,
        left: &'a ProgramNode,
        right: &'a ProgramNode,
    ) -> Value {
        let found = match self.evaluate(left) {
            Value::Optional(Some(inner)) if value => (*inner).clone(),
            Value::Optional(Some(inner)) => Value::Optional(Some(inner)),
            Value::Optional(None) => self.evaluate(right),
            Value::Error(error) => Value::Error(error),
            _ => Value::no_such_overload(),
        };
        self.spending.push(node.id);
        found
    }

    #[inline(never)]
    fn list(&mut self, node: &'a ProgramNode, elements: &'a [ElementNode]) -> Value {
        let value = self.list_value(elements);
        self.spending
            .drop_arguments(elements.iter().map(|element| element.value.id));
        self.made(node, &value, 10);
        value
    }

    /// Returns the list, or the error of its first element that has one.
    fn list_value(&mut self, elements: &'a [ElementNode]) -> Value {
        let mut list = Vec::with_capacity(elements.len());
        for element in elements {
            match (self.evaluate(&element.value), element.optional) {
                (error @ Value::Error(_), _) => return error,
                (Value::Optional(inner), true) => list.extend(inner.map(|inner| (*inner).clone())),
                (other, true) => return Value::error(not_optional_element(&other)),
                (value, false) => list.push(value),
            }
        }
        Value::list(list)
    }

    #[inline(never)]
    fn map(&mut self, node: &'a ProgramNode, entries: &'a [EntryNode]) -> Value {
        let value = self.map_value(entries);
        self.spending.drop_arguments(
            entries
                .iter()
                .flat_map(|entry| [entry.key.id, entry.value.id]),
        );
        self.made(node, &value, 30);
        value
    }

    /// Counts the cost of a new list, map or message.
    fn made(&mut self, node: &ProgramNode, value: &Value, cost: u64) {
        if !(value.is_error() && self.scope.rules().steps_count_their_cost) {
            self.spending.add(cost);
        }
        self.spending.push(node.id);
    }

    fn map_value(&mut self, entries: &'a [EntryNode]) -> Value {
        let mut map = Map::default();
        for entry in entries {
            let key = self.evaluate(&entry.key);
            if key.is_error() {
                return key;
            }
            let value = match (self.evaluate(&entry.value), entry.optional) {
                (Value::Error(error), _) => return Value::Error(error),
                (Value::Optional(None), true) => {
                    if let Some(text) = unhashable(&key) {
                        return self.stop(EvalError::stop(text));
                    }
                    map.remove(&key);
                    continue;
                }
                (Value::Optional(Some(inner)), true) => (*inner).clone(),
                (other, true) => {
                    return Value::error(not_optional_entry(&key, &other));
                }
                (value, false) => value,
            };
            if let Some(text) = unhashable(&key) {
                return self.stop(EvalError::stop(text));
            }
            map.insert(key, value);
        }
        Value::Map(Arc::new(map))
    }

    #[inline(never)]
    fn message(&mut self, node: &'a ProgramNode, name: &str, fields: &'a [FieldNode]) -> Value {
        let value = self.message_value(name, fields);
        self.spending
            .drop_arguments(fields.iter().map(|field| field.value.id));
        self.spending.add(40);
        self.spending.push(node.id);
        value
    }

    /// Returns the message, or the error of its first field that has one.
    fn message_value(&mut self, name: &str, fields: &'a [FieldNode]) -> Value {
        let mut given = Vec::with_capacity(fields.len());
        for field in fields {
            match (self.evaluate(&field.value), field.optional) {
                (error @ Value::Error(_), _) => return error,
                (Value::Optional(None), true) => {}
                (Value::Optional(Some(inner)), true) => {
                    given.push((field.name.as_str(), (*inner).clone()));
                }
                (value, _) => given.push((field.name.as_str(), value)),
            }
        }
        match messages::find(name) {
            Some(message) => operations::messages::build(message.kind(), name, &given),
            None => Value::error(format!("unknown type '{name}'")),
        }
    }

    #[inline(never)]
    fn fold(&mut self, node: &'a ProgramNode, fold: &'a Fold) -> Value {
        let range = self.evaluate(&fold.range);
        let value = match &range {
            Value::List(list) => {
                self.start(fold);
                for (index, element) in list.iter().enumerate() {
                    let element = match fold.variable2 {
                        Some(place) => {
                            self.set(place, Local::Set(element.clone()));
                            Value::Int(i64::try_from(index).unwrap_or(i64::MAX))
                        }
                        None => element.clone(),
                    };
                    if !self.round(fold, element) {
                        break;
                    }
                }
                self.evaluate(&fold.result)
            }
            Value::Map(map) => {
                self.start(fold);
                for (key, value) in map.entries() {
                    if let Some(place) = fold.variable2 {
                        self.set(place, Local::Set(value.clone()));
                    }
                    if !self.round(fold, key.clone()) {
                        break;
                    }
                }
                self.evaluate(&fold.result)
            }
            Value::String(_) | Value::Bytes(_)
                if self.scope.rules().empty_ranges_have_no_rounds && range.size() == Some(0) =>
            {
                self.start(fold);
                self.evaluate(&fold.result)
            }
            Value::Error(_)
                if fold.variable2.is_none() || !self.scope.rules().two_variables_hide_errors =>
            {
                range.clone()
            }
            other if fold.variable2.is_some() => Value::error(format!(
                "unsupported comprehension range type: {}",
                go_type(other)
            )),
            other => Value::error(format!("got '{}', expected iterable type", go_type(other))),
        };
        self.spending.drop(fold.range.id);
        self.spending.push(node.id);
        value
    }

    fn start(&mut self, fold: &'a Fold) {
        let local = if self.scope.rules().eager_accumulators {
            Local::Set(self.evaluate(&fold.init))
        } else {
            Local::Waiting(&fold.init)
        };
        self.set(fold.accumulator, local);
    }

    /// Runs one round of a loop; false ends it.
    fn round(&mut self, fold: &'a Fold, element: Value) -> bool {
        self.set(fold.variable, Local::Set(element));
        if matches!(self.evaluate(&fold.condition), Value::Bool(false)) || self.stopped.is_some() {
            return false;
        }
        let next = self.evaluate(&fold.step);
        self.set(fold.accumulator, Local::Set(next));
        self.stopped.is_none()
    }
}

impl<'a> Run<'a> {
    /// Computes the value of an attribute, without the cost of the attribute itself.
    pub(super) fn resolve(&mut self, attribute: &'a AttributePath) -> Cow<'a, Value> {
        let root = match &attribute.root {
            Root::Variable(place, name) => match self.variables.get(*place) {
                Some(value) => Cow::Borrowed(value),
                None => Cow::Owned(Value::error(format!("no such attribute(s): {name}"))),
            },
            Root::Local(place) => Cow::Owned(self.local(*place)),
            Root::Value(node) => self.evaluate_borrowed(node),
            Root::Conditional(parts) => {
                let (condition, truthy, falsy) = &**parts;
                return match self.evaluate(condition) {
                    Value::Bool(true) => self.resolve(truthy),
                    Value::Bool(false) => self.resolve(falsy),
                    Value::Error(error) => Cow::Owned(Value::Error(error)),
                    _ => Cow::Owned(Value::no_such_overload()),
                };
            }
        };
        if root.is_error() || attribute.qualifiers.is_empty() {
            return root;
        }
        self.apply(root, &attribute.qualifiers)
    }

    /// Follows selections from a value. From the first optional one on, what is not there ends in `optional.none()`.
    fn apply(&mut self, root: Cow<'a, Value>, qualifiers: &'a [Arc<Qualifier>]) -> Cow<'a, Value> {
        let (mut value, mut is_optional) = match &*root {
            Value::Optional(None) => return root,
            Value::Optional(Some(inner)) => (Cow::Owned((**inner).clone()), true),
            _ => (root, false),
        };
        for qualifier in qualifiers {
            is_optional = is_optional || qualifier.optional;
            let found = self.select(&value, qualifier);
            let step = if is_optional {
                self.optional_step(qualifier, found)
            } else {
                self.plain_step(qualifier, found)
            };
            match step {
                ControlFlow::Continue(part) => value = part,
                ControlFlow::Break(last) => return last,
            }
        }
        if is_optional && !matches!(*value, Value::Optional(None)) {
            return Cow::Owned(Value::Optional(Some(Arc::new(value.into_owned()))));
        }
        value
    }

    /// Selects a part of a value.
    fn select(&mut self, value: &Cow<'a, Value>, qualifier: &'a Qualifier) -> Found<'a> {
        let key = match &qualifier.key {
            QualifierKey::Constant(key) => Cow::Borrowed(key),
            QualifierKey::Attribute(attribute) => self.resolve(attribute),
            QualifierKey::Computed(node) => self.evaluate_borrowed(node),
        };
        if key.is_error() {
            return Found::Failure(key.into_owned());
        }
        let is_constant = matches!(qualifier.key, QualifierKey::Constant(_));
        match can_qualify(&key) {
            Err(text) if !is_constant => Found::Failure(Value::error(text)),
            _ => part(value, &key),
        }
    }

    fn optional_step(&mut self, qualifier: &Qualifier, found: Found<'a>) -> SelectionStep<'a> {
        match found {
            Found::Part(part) => {
                self.spend_qualifier(qualifier);
                ControlFlow::Continue(part)
            }
            Found::Nothing(_) => ControlFlow::Break(Cow::Owned(Value::Optional(None))),
            Found::Failure(error) => {
                if self.scope.rules().steps_count_their_cost {
                    self.spend_qualifier(qualifier);
                }
                ControlFlow::Break(Cow::Owned(error))
            }
        }
    }

    fn plain_step(&mut self, qualifier: &Qualifier, found: Found<'a>) -> SelectionStep<'a> {
        self.spend_qualifier(qualifier);
        let part = match found {
            Found::Part(_) if qualifier.test_only => Cow::Owned(Value::Bool(true)),
            Found::Nothing(_) if qualifier.test_only => Cow::Owned(Value::Bool(false)),
            Found::Part(part) => part,
            Found::Nothing(error) | Found::Failure(error) => {
                return ControlFlow::Break(Cow::Owned(error));
            }
        };
        self.see(qualifier.id, &part);
        ControlFlow::Continue(part)
    }
}

/// What a selection leads to: the next value, or the end.
type SelectionStep<'a> = ControlFlow<Cow<'a, Value>, Cow<'a, Value>>;

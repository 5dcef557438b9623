//! Selectors evaluated by the CEL engine, as kube-scheduler does: with the environment for stored expressions.

use super::fitting::{self, FittingSelector};
use super::objects::{Attribute, Device};
use super::rows::{ByExpression, Compiled, LastRows};
use crate::environments;
use claimkit_model::cel::ast::{Comprehension, Expr, ExprNode, Literal, Macro};
use claimkit_model::cel::device::{AttributeRef, DeviceRef};
use claimkit_model::cel::value::Value;
use claimkit_model::cel::{
    DeviceAttribute as Derived, Environment, Program, SELECTOR_COST_LIMIT, Trace, trace,
};
use claimkit_model::schema::Release;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Why a selector has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectorError {
    /// It does not compile; holds the message without the selector error prefix.
    Compile(String),
    /// It failed on this device; holds the message without the prefix.
    Runtime(String),
}

/// A device as selectors see it.
#[derive(Clone, Copy, Debug)]
pub struct DeviceSubject<'d> {
    pub driver: &'d str,
    pub device: &'d Device,
}

/// A value that a selector read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadValue {
    /// The map of the device that has it: `attributes` or `capacity`.
    pub map: &'static str,
    /// The attribute or capacity, e.g. `gpu.example.com/model`.
    pub path: String,
    /// Its value as written in CEL; `None` where it is missing.
    pub value: Option<String>,
}

/// The variables of a device, or why it has none.
pub type DeviceVariables = Result<Vec<Value>, String>;

/// The engine of one release. Every expression is compiled once.
#[derive(Debug)]
pub struct CelSelectors {
    environment: Arc<Environment>,
    /// The environment of derived attributes, for releases that have them.
    derived: Arc<Environment>,
    programs: RefCell<ByExpression<Compiled>>,
    /// The answers about the devices of a cluster.
    pub(super) rows: LastRows,
}

/// Returns true if the program is true of a device.
///
/// # Errors
/// Upstream's text, without the prefix.
pub fn judge(program: &Program, values: &DeviceVariables) -> Result<bool, String> {
    let variables = values.as_ref().map_err(String::clone)?;
    program
        .evaluate(variables, SELECTOR_COST_LIMIT)
        .matches()
        .map_err(String::from)
}

impl CelSelectors {
    /// Returns the scheduler's engine of a release; `lists`: the gate DRAListTypeAttributes is on.
    pub fn new(release: Release, lists: bool) -> Self {
        let (environment, derived) = (
            environments::scheduler(release, lists),
            environments::scheduler_derived(release, lists),
        );
        CelSelectors {
            environment,
            derived,
            programs: RefCell::default(),
            rows: LastRows::default(),
        }
    }

    /// Returns the number of expressions that were asked about.
    pub fn expressions(&self) -> usize {
        self.programs.borrow().len()
    }

    /// Returns the program of an expression, which is compiled once.
    pub fn program(&self, expression: &str) -> Compiled {
        if let Some(known) = self.programs.borrow().get(expression) {
            return known.clone();
        }
        let compiled = self
            .environment
            .compile(expression)
            .map(Rc::new)
            .map_err(|error| error.text);
        self.programs
            .borrow_mut()
            .get_or_insert_with(expression, || compiled.clone());
        compiled
    }

    /// Returns the variables of a device, to be judged by many expressions.
    pub fn values(&self, subject: DeviceSubject<'_>) -> DeviceVariables {
        device(subject)
            .variables(&self.environment)
            .map_err(String::from)
    }

    /// Returns true if one expression is true of a device.
    ///
    /// # Errors
    /// Upstream's text, without the prefix.
    pub fn matches(
        &self,
        expression: &str,
        subject: DeviceSubject<'_>,
    ) -> Result<bool, SelectorError> {
        let program = self.program(expression).map_err(SelectorError::Compile)?;
        judge(&program, &self.values(subject)).map_err(SelectorError::Runtime)
    }

    /// Returns the attribute that an expression computes of a device.
    ///
    /// # Errors
    /// Upstream's text.
    pub fn derive(
        &self,
        expression: &str,
        subject: DeviceSubject<'_>,
    ) -> Result<Derived, SelectorError> {
        let program = self
            .derived
            .compile(expression)
            .map_err(|error| SelectorError::Compile(error.text))?;
        let variables = device(subject)
            .variables(&self.derived)
            .map_err(|error| SelectorError::Runtime(error.into()))?;
        let result = program.evaluate(&variables, SELECTOR_COST_LIMIT).result;
        let value = result.map_err(|error| SelectorError::Runtime(error.text.clone()))?;
        Derived::derived(&value).map_err(|error| SelectorError::Runtime(error.into()))
    }

    /// Returns the attributes and capacities that the expression reads on the device, in order. For explanations.
    pub fn reads(&self, expression: &str, subject: DeviceSubject<'_>) -> Vec<ReadValue> {
        let Ok(program) = self.program(expression) else {
            return Vec::new();
        };
        let seen = device(subject);
        let Ok(variables) = seen.variables(&self.environment) else {
            return Vec::new();
        };
        let trace = program.trace(&variables, SELECTOR_COST_LIMIT);
        let mut reader = Reader {
            trace: &trace,
            subject,
            variables: &variables,
            bound: Vec::new(),
            reads: Vec::new(),
        };
        reader.visit(&program.checked().ast.root);
        reader.reads
    }

    /// Returns a selector that is true of a device, with what the device has in the one comparison that makes `expression` false of it.
    pub fn fit(&self, expression: &str, subject: DeviceSubject<'_>) -> Option<FittingSelector> {
        let fitting = self.fit_untried(&*self.program(expression).ok()?, subject)?;
        let is_true = self.matches(&fitting.expression, subject) == Ok(true);
        is_true.then_some(fitting)
    }

    /// Returns how far a device is from the number that an expression asks for, in thousandths of that, where one comparison with it makes
    /// the expression false.
    pub fn distance(&self, expression: &str, subject: DeviceSubject<'_>) -> Option<u32> {
        let program = self.program(expression).ok()?;
        // Most expressions compare names: those need no run.
        if !fitting::has_number(&program) {
            return None;
        }
        self.fit_untried(&program, subject)?.distance
    }

    /// Returns a selector with what a device has. Something else in it may still be false of the device.
    fn fit_untried(
        &self,
        program: &Program,
        subject: DeviceSubject<'_>,
    ) -> Option<FittingSelector> {
        let variables = self.values(subject).ok()?;
        let trace = program.trace(&variables, SELECTOR_COST_LIMIT);
        fitting::fit(program, &trace)
    }
}

/// Returns a device as the engine takes it.
fn device(subject: DeviceSubject<'_>) -> DeviceRef<'_> {
    let Device {
        attributes,
        capacity,
        allow_multiple_allocations,
        ..
    } = subject.device;
    DeviceRef {
        driver: subject.driver,
        attributes: attributes
            .iter()
            .map(|(name, value)| (name.as_str(), attribute(value)))
            .collect(),
        capacity: capacity
            .iter()
            .map(|(name, capacity)| (name.as_str(), capacity.value.text()))
            .collect(),
        allow_multiple_allocations: allow_multiple_allocations.unwrap_or(false),
    }
}

/// Returns an attribute as the engine takes it. Upstream looks at the fields in this order (`k8s.io/dynamic-resource-allocation/cel/compile.go`, `getAttributeValue`).
pub fn attribute(value: &Attribute) -> AttributeRef<'_> {
    let Attribute {
        string,
        int,
        bool,
        version,
        strings,
        ints,
        bools,
        versions,
    } = value;
    match (int, bool, string, version) {
        (Some(int), ..) => AttributeRef::Int(*int),
        (_, Some(bool), ..) => AttributeRef::Bool(*bool),
        (_, _, Some(string), _) => AttributeRef::String(string),
        (.., Some(version)) => AttributeRef::Version(version),
        _ if !ints.is_empty() => AttributeRef::Ints(ints),
        _ if !bools.is_empty() => AttributeRef::Bools(bools),
        _ if !strings.is_empty() => AttributeRef::Strings(strings),
        _ if !versions.is_empty() => AttributeRef::Versions(versions),
        _ => AttributeRef::Unsupported,
    }
}

/// Finds the parts of the device that a run has read.
struct Reader<'t> {
    trace: &'t Trace,
    subject: DeviceSubject<'t>,
    variables: &'t [Value],
    /// Variables of `cel.bind` that are bound to a part of the device, each with the path of that part.
    bound: Vec<(String, Vec<String>)>,
    reads: Vec<ReadValue>,
}

impl Reader<'_> {
    fn visit(&mut self, expr: &Expr) {
        if self.trace.value_of(expr).is_some()
            && let Some(steps) = self.steps(expr)
        {
            self.add(&steps);
        }
        match &expr.node {
            ExprNode::Literal(_) | ExprNode::Ident(_) => {}
            ExprNode::Select { operand, .. } => self.visit(operand),
            ExprNode::Call {
                target, arguments, ..
            } => {
                for part in target.as_deref().into_iter().chain(arguments) {
                    self.visit(part);
                }
            }
            ExprNode::List { elements, .. } => {
                elements.iter().for_each(|element| self.visit(element))
            }
            ExprNode::Map { entries } => {
                for entry in entries {
                    self.visit(&entry.key);
                    self.visit(&entry.value);
                }
            }
            ExprNode::Message { fields, .. } => {
                fields.iter().for_each(|field| self.visit(&field.value))
            }
            ExprNode::Comprehension(comprehension) => self.visit_loop(comprehension),
        }
    }

    fn visit_loop(&mut self, comprehension: &Comprehension) {
        let Comprehension {
            made_by,
            range,
            accumulator,
            init,
            condition,
            step,
            result,
            ..
        } = comprehension;
        self.visit(range);
        self.visit(init);
        let known = self.bound.len();
        if *made_by == Macro::Bind
            && let Some(steps) = self.steps(init)
        {
            self.bound.push((accumulator.clone(), steps));
        }
        self.visit(condition);
        self.visit(step);
        self.visit(result);
        self.bound.truncate(known);
    }

    /// Returns the path from the device to the part that an expression selects or tests: `attributes`, `gpu.example.com`,
    /// `model`.
    fn steps(&self, expr: &Expr) -> Option<Vec<String>> {
        let (operand, key) = match &expr.node {
            ExprNode::Ident(name) if name.as_ref() == "device" => return Some(Vec::new()),
            ExprNode::Ident(name) => {
                return self
                    .bound
                    .iter()
                    .rev()
                    .find(|(bound, _)| **bound == **name)
                    .map(|(_, steps)| steps.clone());
            }
            ExprNode::Select { operand, field, .. } => (&**operand, field.to_string()),
            ExprNode::Call {
                function,
                arguments,
                ..
            } => match (&**function, arguments.as_slice()) {
                ("_[_]" | "_[?_]" | "_?._", [operand, key]) | ("@in", [key, operand]) => {
                    (operand, self.key(key)?)
                }
                _ => return None,
            },
            _ => return None,
        };
        let mut steps = self.steps(operand)?;
        steps.push(key);
        Some(steps)
    }

    /// Returns the text of a key.
    fn key(&self, expr: &Expr) -> Option<String> {
        match (&expr.node, self.trace.value_of(expr)) {
            (ExprNode::Literal(Literal::String(text)), _) => Some(text.to_string()),
            (_, Some(Value::String(text))) => Some(text.to_string()),
            _ => None,
        }
    }

    fn add(&mut self, steps: &[String]) {
        let [kind, domain, name] = steps else { return };
        let map = match kind.as_str() {
            "attributes" => "attributes",
            "capacity" => "capacity",
            _ => return,
        };
        let path = format!("{domain}/{name}");
        if self.reads.iter().any(|read| read.path == path) {
            return;
        }
        let value = if map == "capacity" {
            self.capacity(domain, name)
        } else {
            self.attribute(steps)
        };
        self.reads.push(ReadValue { map, path, value });
    }

    /// Shows an attribute as the expression sees it.
    fn attribute(&self, steps: &[String]) -> Option<String> {
        let mut at = self.variables.first()?;
        for step in steps {
            let Value::Map(map) = at else { return None };
            at = map
                .entries()
                .iter()
                .find(|(key, _)| matches!(key, Value::String(text) if **text == **step))
                .map(|(_, value)| value)?;
        }
        Some(trace::shown(at))
    }

    /// Shows a capacity as text, which its value has lost.
    fn capacity(&self, domain: &str, name: &str) -> Option<String> {
        let DeviceSubject { driver, device } = self.subject;
        let full = device.capacity.get(&format!("{domain}/{name}"));
        let found = full.or_else(|| device.capacity.get(name).filter(|_| domain == driver));
        found.map(|capacity| format!("quantity({:?})", capacity.value.text()))
    }
}

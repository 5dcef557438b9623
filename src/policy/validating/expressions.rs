//! The expressions of a policy: compiled as kube-apiserver compiles them, and run with its costs and limits (apiserver,
//! pkg/admission/plugin/cel, compile.go, composition.go and condition.go).

use super::manifest::{NamedExpression, PolicySpec};
use super::review;
use crate::cel_lints::reads::visit;
use claimkit_cel::ast::{Expr, ExprNode, Literal};
use claimkit_cel::parse::parse;
use claimkit_cel::types::Type;
use claimkit_cel::value::Value;
use claimkit_cel::{CALL_COST_LIMIT, CompileError, Environment, EnvironmentMode, Program};
use claimkit_model::schema::Release;
use claimkit_values::{GoUnicode, quote};
use std::collections::BTreeSet;

/// The name of the type of `variables`.
const VARIABLES: &str = "kubernetes.variables";

/// A compiled expression.
#[derive(Debug)]
pub struct Compiled {
    pub text: String,
    /// The program, or what is wrong.
    pub program: Result<Program, Uncompiled>,
    /// The places of the variables that it uses, with those that they use.
    uses: BTreeSet<usize>,
}

/// Why an expression cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uncompiled {
    /// The server refuses it, in these words.
    Refused(String),
    /// It asks the server's authorizer, which is not known here.
    Authorizer {
        /// What the server says where it has none for such an expression.
        refusal: String,
    },
}

/// The expressions of a policy.
#[derive(Debug)]
pub struct Expressions {
    environment: Environment,
    without_variables: Environment,
    pub has_params: bool,
    pub conditions: Vec<(String, Compiled)>,
    pub variables: Vec<(String, Compiled)>,
    pub validations: Vec<Compiled>,
    /// One for each validation, if it has one.
    pub messages: Vec<Option<Compiled>>,
    /// The values of the audit annotations.
    pub annotations: Vec<Compiled>,
}

impl Expressions {
    /// Compiles the expressions of a policy for a release.
    pub fn compile(spec: &PolicySpec, release: Release) -> Self {
        let has_params = spec.param_kind.is_some();
        let base = || {
            let environment = Environment::admission(release.minor, EnvironmentMode::New);
            let environment = review::declare(environment);
            if has_params {
                environment.with_variable("params", Type::Dyn)
            } else {
                environment
            }
        };
        let with_fields = |fields: &[(String, Type)]| {
            base()
                .with_structure(VARIABLES, fields.to_vec())
                .with_variable("variables", Type::structure(VARIABLES))
        };
        let without_variables = base();
        let condition = |condition: &NamedExpression| {
            let compiled = Compiled::of(
                &condition.expression,
                &without_variables,
                &[Type::Bool],
                &[],
            );
            (condition.name.clone(), compiled)
        };
        let conditions = spec.match_conditions.iter().map(condition).collect();
        let mut fields: Vec<(String, Type)> = Vec::new();
        let mut variables: Vec<(String, Compiled)> = Vec::new();
        for NamedExpression { name, expression } in &spec.variables {
            let environment = with_fields(&fields);
            let compiled = Compiled::of(expression, &environment, &[], &variables);
            fields.push((name.clone(), compiled.declared_type()));
            variables.push((name.clone(), compiled));
        }
        let environment = with_fields(&fields);
        let compile =
            |text: &str, results: &[Type]| Compiled::of(text, &environment, results, &variables);
        let validations = spec
            .validations
            .iter()
            .map(|validation| compile(&validation.expression, &[Type::Bool]))
            .collect();
        let message = |text: &str| {
            (!text.is_empty()).then(|| compile(text, &[Type::String]).without_authorizer())
        };
        let messages = spec
            .validations
            .iter()
            .map(|validation| message(&validation.message_expression))
            .collect();
        let annotations = spec
            .audit_annotations
            .iter()
            .map(|annotation| compile(&annotation.value_expression, &[Type::String, Type::Null]))
            .collect();
        Expressions {
            without_variables,
            has_params,
            conditions,
            validations,
            messages,
            annotations,
            environment,
            variables,
        }
    }

    /// Returns what the server refuses about the expressions, each with its field.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (at, (_, compiled)) in self.conditions.iter().enumerate() {
            let field = format!("spec.matchConditions[{at}].expression");
            problems.extend(compiled.problem(&field));
        }
        for (at, (_, compiled)) in self.variables.iter().enumerate() {
            let field = format!("spec.variables[{at}].expression");
            problems.extend(compiled.problem(&field));
        }
        for (at, compiled) in self.validations.iter().enumerate() {
            let field = format!("spec.validations[{at}].expression");
            problems.extend(compiled.problem(&field));
        }
        for (at, message) in self.messages.iter().enumerate() {
            let field = format!("spec.validations[{at}].messageExpression");
            let problem = message.as_ref().and_then(|message| message.problem(&field));
            problems.extend(problem);
        }
        for (at, compiled) in self.annotations.iter().enumerate() {
            let field = format!("spec.auditAnnotations[{at}].valueExpression");
            problems.extend(compiled.problem(&field));
        }
        problems
    }

    /// Returns true if an expression asks the authorizer.
    pub fn asks_authorizer(&self) -> bool {
        let named = self.conditions.iter().chain(&self.variables);
        named
            .map(|(_, compiled)| compiled)
            .chain(&self.validations)
            .chain(&self.annotations)
            .any(|compiled| matches!(compiled.program, Err(Uncompiled::Authorizer { .. })))
    }

    /// Returns true if an expression reads a variable of the server's.
    pub fn reads(&self, name: &str) -> bool {
        self.roots().any(|root| reads_variable(root, name))
    }

    /// Returns true if an expression reads other things of the namespace than its name and labels.
    pub fn reads_more_of_namespace(&self) -> bool {
        self.roots().any(reads_more_of_namespace)
    }

    /// Returns the expressions that compile.
    fn roots(&self) -> impl Iterator<Item = &Expr> {
        let named = self.conditions.iter().chain(&self.variables);
        let messages = self.messages.iter().flatten();
        let all = named
            .map(|(_, compiled)| compiled)
            .chain(&self.validations)
            .chain(messages)
            .chain(&self.annotations);
        let programs = all.filter_map(|compiled| compiled.program.as_ref().ok());
        programs.map(|program| &program.checked().ast.root)
    }
}

impl Compiled {
    /// Compiles a text. `results`: the types that it may have; empty: any. `variables`: those that it can use.
    fn of(
        text: &str,
        environment: &Environment,
        results: &[Type],
        variables: &[(String, Compiled)],
    ) -> Self {
        let program = compile(text, environment, results);
        let mut uses = BTreeSet::new();
        if let Ok(program) = &program {
            for name in variables_in(&program.checked().ast.root) {
                let place = variables.iter().position(|(known, _)| known == name);
                if let Some((place, (_, used))) = place.zip(place.and_then(|at| variables.get(at)))
                {
                    uses.extend(used.uses.iter().copied().chain([place]));
                }
            }
        }
        Compiled {
            text: text.to_owned(),
            program,
            uses,
        }
    }

    /// Takes an expression for refused that asks the authorizer: messages have none (kube-apiserver,
    /// pkg/apis/admissionregistration/validation, validation.go, `HasAuthorizer`).
    fn without_authorizer(mut self) -> Self {
        if let Err(Uncompiled::Authorizer { refusal }) = self.program {
            self.program = Err(Uncompiled::Refused(refusal));
        }
        self
    }

    /// Returns what the server refuses about it; `None`: nothing. `field`: where it is written.
    fn problem(&self, field: &str) -> Option<String> {
        match &self.program {
            // That it is missing is said elsewhere.
            Err(Uncompiled::Refused(detail)) if !self.text.trim().is_empty() => Some(format!(
                "{field}: Invalid value: {}: {detail}",
                quote(&self.text, GoUnicode::V15)
            )),
            _ => None,
        }
    }

    /// Returns the type of a variable with this expression (composition.go, `convertCelTypeToDeclType`).
    fn declared_type(&self) -> Type {
        let Ok(program) = &self.program else {
            return Type::Dyn;
        };
        declared(program.output_type())
    }
}

fn declared(of: &Type) -> Type {
    match of {
        Type::List(element) => Type::list(declared(element)),
        Type::Map(pair) => Type::map(declared(&pair.0), declared(&pair.1)),
        Type::Any
        | Type::Bool
        | Type::Bytes
        | Type::Double
        | Type::Duration
        | Type::Int
        | Type::Null
        | Type::String
        | Type::Timestamp
        | Type::Uint => of.clone(),
        _ => Type::Dyn,
    }
}

fn compile(text: &str, environment: &Environment, results: &[Type]) -> Result<Program, Uncompiled> {
    let compiled = environment.compile(text);
    let program = compiled.map_err(|error| uncompiled(text, environment, error))?;
    let output = program.output_type();
    if results.is_empty() || results.contains(output) {
        return Ok(program);
    }
    let wanted: Vec<String> = results.iter().map(ToString::to_string).collect();
    let wanted = match wanted.as_slice() {
        [only] => only.clone(),
        several => format!("one of [{}]", several.join(" ")),
    };
    Err(Uncompiled::Refused(format!(
        "must evaluate to {wanted} but got {output}"
    )))
}

/// Says why a text does not compile.
fn uncompiled(text: &str, environment: &Environment, error: CompileError) -> Uncompiled {
    let parsed = parse(text, environment.parse_options());
    if parsed.is_ok_and(|ast| reads_variable(&ast.root, "authorizer")) {
        Uncompiled::Authorizer {
            refusal: error.text,
        }
    } else {
        Uncompiled::Refused(error.text)
    }
}

/// Returns the names after `variables.` in an expression.
fn variables_in(root: &Expr) -> Vec<&str> {
    let mut names = Vec::new();
    visit(root, &mut |expr| {
        if let ExprNode::Select { operand, field, .. } = &expr.node
            && matches!(&operand.node, ExprNode::Ident(name) if &**name == "variables")
        {
            names.push(&**field);
        }
        true
    });
    names
}

fn reads_variable(root: &Expr, wanted: &str) -> bool {
    let mut reads = false;
    visit(root, &mut |expr| {
        reads |= matches!(&expr.node, ExprNode::Ident(name) if &**name == wanted);
        !reads
    });
    reads
}

fn reads_more_of_namespace(root: &Expr) -> bool {
    let mut reads = false;
    visit(root, &mut |expr| {
        reads |= is_namespace(expr);
        !reads && !is_known_of_namespace(expr)
    });
    reads
}

fn is_namespace(expr: &Expr) -> bool {
    matches!(&expr.node, ExprNode::Ident(name) if &**name == "namespaceObject")
}

/// Returns true for `namespaceObject.metadata.labels`, `namespaceObject.metadata.name` and `has(namespaceObject.metadata)`.
fn is_known_of_namespace(expr: &Expr) -> bool {
    if let ExprNode::Select {
        operand,
        field,
        test_only: true,
    } = &expr.node
        && &**field == "metadata"
    {
        return is_namespace(operand);
    }
    let Some((metadata, "labels" | "name")) = field_of(expr) else {
        return false;
    };
    field_of(metadata).is_some_and(|(holder, field)| field == "metadata" && is_namespace(holder))
}

/// Returns the operand and the field of `a.b` and `a.?b`.
fn field_of(expr: &Expr) -> Option<(&Expr, &str)> {
    match &expr.node {
        ExprNode::Select { operand, field, .. } => Some((operand, field)),
        ExprNode::Call {
            function,
            arguments,
            ..
        } if function == "_?._" => match arguments.as_slice() {
            [operand, name] => match &name.node {
                ExprNode::Literal(Literal::String(field)) => Some((operand, field)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The values of the server's variables for a request.
#[derive(Clone, Debug)]
pub struct Given {
    pub object: Value,
    pub old_object: Value,
    pub request: Value,
    pub namespace: Value,
    pub params: Value,
}

/// The result of an expression: its value, or the server's words about its error.
pub type Evaluated = Result<Value, String>;

/// The expressions of one kind cost more than all of them together may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfBudget;

impl OutOfBudget {
    /// The server's words.
    pub const TEXT: &'static str = "validation failed due to running out of cost budget, no further validation rules will be run";
}

/// A run of several expressions for one request: a variable is computed once.
///
/// A server computes a variable when an expression first reads it. Here all variables that the text of an expression names are computed
/// before it, which costs more where `&&`, `||` or `?:` leaves one out.
#[derive(Debug)]
pub struct Run<'r> {
    expressions: &'r Expressions,
    given: &'r Given,
    variables: Vec<Option<Value>>,
    budget: u64,
}

impl<'r> Run<'r> {
    /// Starts a run. `budget`: the most that its expressions cost together.
    pub fn new(expressions: &'r Expressions, given: &'r Given, budget: u64) -> Self {
        Run {
            expressions,
            given,
            variables: vec![None; expressions.variables.len()],
            budget,
        }
    }

    /// Returns what is left of the budget.
    pub fn left(&self) -> u64 {
        self.budget
    }

    /// Evaluates a condition, which knows neither variables nor the namespace.
    ///
    /// # Errors
    /// The budget is spent.
    pub fn condition(&mut self, compiled: &Compiled) -> Result<Evaluated, OutOfBudget> {
        let mut values = self.values(Value::Null);
        values.retain(|(name, _)| *name != "variables");
        self.finish(compiled, &self.expressions.without_variables, values)
    }

    /// Evaluates an expression with variables.
    ///
    /// # Errors
    /// The budget is spent.
    pub fn evaluate(&mut self, compiled: &Compiled) -> Result<Evaluated, OutOfBudget> {
        for place in &compiled.uses {
            self.compute(*place)?;
        }
        let values = self.values(self.given.namespace.clone());
        self.finish(compiled, &self.expressions.environment, values)
    }

    /// Computes a variable whose own variables are computed.
    fn compute(&mut self, place: usize) -> Result<(), OutOfBudget> {
        let known = self.variables.get(place).is_some_and(Option::is_some);
        let Some((name, compiled)) = self.expressions.variables.get(place).filter(|_| !known)
        else {
            return Ok(());
        };
        let value = match &compiled.program {
            Err(_) => Value::error(format!("composited variable {name:?} fails to compile")),
            Ok(program) => {
                let values = self.values(self.given.namespace.clone());
                let outcome = self.run(program, &self.expressions.environment, values);
                self.spend(outcome.cost)?;
                match outcome.result {
                    Ok(value) => value,
                    Err(error) => Value::error(format!(
                        "composited variable {name:?} fails to evaluate: {error}"
                    )),
                }
            }
        };
        if let Some(slot) = self.variables.get_mut(place) {
            *slot = Some(value);
        }
        Ok(())
    }

    fn finish(
        &mut self,
        compiled: &Compiled,
        environment: &Environment,
        values: Vec<(&'static str, Value)>,
    ) -> Result<Evaluated, OutOfBudget> {
        let program = match &compiled.program {
            Ok(program) => program,
            Err(Uncompiled::Refused(error) | Uncompiled::Authorizer { refusal: error }) => {
                return Ok(Err(format!("compilation error: {error}")));
            }
        };
        let outcome = self.run(program, environment, values);
        self.spend(outcome.cost)?;
        Ok(outcome
            .result
            .map_err(|error| format!("expression '{}' resulted in error: {error}", compiled.text)))
    }

    fn run(
        &self,
        program: &Program,
        environment: &Environment,
        values: Vec<(&'static str, Value)>,
    ) -> claimkit_cel::Outcome {
        // Every variable that the environment declares is among the values.
        let values = environment.values(values).unwrap_or_default();
        program.evaluate(&values, CALL_COST_LIMIT)
    }

    fn spend(&mut self, cost: u64) -> Result<(), OutOfBudget> {
        self.budget = self.budget.checked_sub(cost).ok_or(OutOfBudget)?;
        Ok(())
    }

    fn values(&self, namespace: Value) -> Vec<(&'static str, Value)> {
        let names = self.expressions.variables.iter().map(|(name, _)| name);
        let variables = names
            .zip(&self.variables)
            .map(|(name, value)| (name.as_str(), value.clone().unwrap_or(Value::Null)));
        let mut values = vec![
            ("object", self.given.object.clone()),
            ("oldObject", self.given.old_object.clone()),
            ("request", self.given.request.clone()),
            ("namespaceObject", namespace),
            ("variables", Value::object(variables)),
        ];
        if self.expressions.has_params {
            values.push(("params", self.given.params.clone()));
        }
        values
    }
}

//! From a text to a program that can be run, and its answers.

use std::fmt;
use std::sync::Arc;

use super::ast::Ast;
use super::checker::{self, CheckerFindings};
use super::cost::{CostRange, estimate};
use super::dialect::DialectRules;
use super::environment::{Environment, ResultType};
use super::error::{Error, ErrorKind, ServerCrash};
use super::evaluator::program::Steps;
use super::evaluator::{self, Keep, Observation, plan};
use super::fold::FoldFailure;
use super::parse::parse;
use super::source::{ExpressionSource, Problems};
use super::types::Type;
use super::validators;
use super::value::{EvalError, Value};

/// Why a text cannot be used.
///
/// ```
/// use claimkit_cel::compile::CompileStage;
/// use claimkit_cel::{Environment, EnvironmentMode};
///
/// let environment = Environment::kubernetes(34, &[], EnvironmentMode::New);
/// let error = environment.compile("1 +").unwrap_err();
/// assert_eq!(error.stage, CompileStage::Parse);
/// assert!(error.text.starts_with("compilation failed: ERROR: <input>:1:4: Syntax error:"));
/// assert!(!error.is_internal());
/// let (source, problems) = error.problems.unwrap();
/// assert_eq!(source.byte(problems.sorted()[0].location), Some(3));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CompileError {
    /// The stage that refused the expression.
    pub stage: CompileStage,
    /// kube-apiserver's text: `compilation failed: …`, `must evaluate to …`, `program instantiation failed: …`,
    /// `unexpected compilation error: …`.
    pub text: String,
    /// The problems with their places, for the stages that know them.
    pub problems: Option<(ExpressionSource, Problems)>,
}

/// A stage of compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompileStage {
    /// The parser or the expansion of macros.
    Parse,
    /// The check of types and literals.
    Check,
    /// The type of the result.
    Result,
    /// The program; kube-apiserver calls this an internal error.
    Program,
    /// A limit of this engine: kube-apiserver has no such answer.
    Limit,
    /// kube-apiserver crashes; the text is ours.
    Crash(ServerCrash),
}

impl CompileError {
    fn crash(crash: ServerCrash) -> Self {
        CompileError::new(CompileStage::Crash(crash), crash.to_string())
    }

    /// Returns true if kube-apiserver reports it as an internal error.
    pub fn is_internal(&self) -> bool {
        self.stage == CompileStage::Program
    }

    fn new(stage: CompileStage, text: String) -> CompileError {
        CompileError {
            stage,
            text,
            problems: None,
        }
    }

    fn with_problems(
        stage: CompileStage,
        source: &ExpressionSource,
        problems: Problems,
    ) -> CompileError {
        let text = format!("compilation failed: {}", problems.render(source));
        CompileError {
            stage,
            text,
            problems: Some((source.clone(), problems)),
        }
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for CompileError {}

/// An expression that was parsed and checked.
///
/// ```
/// use claimkit_cel::{Environment, EnvironmentMode};
///
/// let checked = Environment::kubernetes(34, &[], EnvironmentMode::New).check("1 < 2").unwrap();
/// assert_eq!(checked.output_type().to_string(), "bool");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The syntax tree of the expression.
    pub ast: Ast,
    /// The types and references of its nodes.
    pub findings: CheckerFindings,
}

/// An expression that can be run.
///
/// ```
/// use claimkit_cel::types::Type;
/// use claimkit_cel::value::Value;
/// use claimkit_cel::{Environment, EnvironmentMode};
///
/// let environment = Environment::kubernetes(34, &[], EnvironmentMode::New).with_variable("n", Type::Int);
/// let program = environment.compile("n > 1 && n < 9").unwrap();
/// assert_eq!(program.output_type(), &Type::Bool);
/// assert_eq!(program.checked().ast.source.text(), "n > 1 && n < 9");
/// assert_eq!(program.cost_estimate().map(|cost| (cost.min, cost.max)), Some((2, 4)));
///
/// let outcome = program.evaluate(&[Value::Int(9)], 1_000);
/// assert_eq!((outcome.matches(), outcome.cost), (Ok(false), 4));
///
/// let trace = program.trace(&[Value::Int(9)], 1_000);
/// assert_eq!(program.explain(&trace), ["`n < 9` is false: `n` is 9"]);
/// let reason = &trace.reasons(&program)[0];
/// assert_eq!(program.text_of(&reason.part.span), "n < 9");
/// ```
#[derive(Debug)]
pub struct Program {
    checked: Checked,
    program: Steps,
    rules: DialectRules,
    estimate: Option<CostRange>,
}

/// The result of a run and its cost.
///
/// ```
/// use claimkit_cel::{Environment, EnvironmentMode};
///
/// let environment = Environment::kubernetes(34, &[], EnvironmentMode::New);
/// let run = |text: &str| environment.compile(text).unwrap().evaluate(&[], 1_000);
/// assert_eq!(run("1 < 2").matches(), Ok(true));
/// assert_eq!(run("1 / 0 == 1").matches().unwrap_err().to_string(), "division by zero");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The value, or the error.
    pub result: Result<Value, Arc<EvalError>>,
    /// The cost of the run, in cel-go's units.
    pub cost: u64,
}

/// The limit of the estimated cost of one rule of a CustomResourceDefinition (apiextensions-apiserver,
/// pkg/apis/apiextensions/validation, `StaticEstimatedCostLimit`), after the estimate is multiplied by the number of places where the
/// rule holds.
pub const CRD_RULE_COST_LIMIT: u64 = 10_000_000;

/// The limit of the estimated costs of all rules of a CustomResourceDefinition together (`StaticEstimatedCRDCostLimit`).
pub const CRD_COST_LIMIT: u64 = 100_000_000;

/// The limit of costs of one run of a rule or a policy's expression (apiserver, pkg/apis/cel, `PerCallLimit`).
pub const CALL_COST_LIMIT: u64 = 1_000_000;

/// The limit of costs of all rules for one object (`RuntimeCELCostBudget`).
pub const OBJECT_COST_LIMIT: u64 = 10_000_000;

/// The limit of bytes of what a `messageExpression` returns (`MaxEvaluatedMessageExpressionSizeBytes`).
pub const MESSAGE_BYTES_LIMIT: usize = 5 * 1024;

/// The limit of costs of a selector (`k8s.io/api/resource`, `CELSelectorExpressionMaxCost`): for the estimate and for a run.
pub const SELECTOR_COST_LIMIT: u64 = 1_000_000;

impl Environment {
    /// Parses and checks a text.
    pub fn check(&self, text: &str) -> Result<Checked, CompileError> {
        let ast = parse(text, self.parse_options()).map_err(|problems| {
            CompileError::with_problems(
                CompileStage::Parse,
                &problems.source,
                problems.problems.clone(),
            )
        })?;
        let findings = match checker::check(self, &ast) {
            Ok(Ok(findings)) => findings,
            Ok(Err(problems)) => {
                return Err(CompileError::with_problems(
                    CompileStage::Check,
                    &ast.source,
                    problems,
                ));
            }
            Err(error) => return Err(CompileError::new(CompileStage::Limit, error.to_string())),
        };
        if self.rules().computed_formats_crash && validators::has_computed_format(&ast) {
            return Err(CompileError::crash(ServerCrash::ComputedFormat));
        }
        if self.validates() {
            let problems = validators::validate(self, &ast, &findings);
            if !problems.is_empty() {
                return Err(CompileError::with_problems(
                    CompileStage::Check,
                    &ast.source,
                    problems,
                ));
            }
        }
        Ok(Checked { ast, findings })
    }

    /// Checks that an expression has a type that its place accepts.
    fn check_result(&self, output: &Type) -> Result<(), CompileError> {
        match self.result_type() {
            ResultType::BoolOrUnknown {
                any,
                dynamic,
                wrapper,
            } => {
                let accepted = match output {
                    Type::Bool => true,
                    Type::Any => any,
                    Type::Dyn => dynamic,
                    Type::Wrapper(inner) => wrapper && **inner == Type::Bool,
                    _ => false,
                };
                if !accepted {
                    let text = format!("must evaluate to bool or the unknown type, not {output}");
                    return Err(CompileError::new(CompileStage::Result, text));
                }
            }
            ResultType::Scalar { lists } => {
                let of_scalars = matches!(output, Type::List(element) if is_scalar(element));
                if !(is_scalar(output) || lists && of_scalars) {
                    let more = if lists {
                        " or a list of these scalars"
                    } else {
                        ""
                    };
                    let text = format!(
                        "must evaluate to a primitive scalar (string, integer, boolean, semver){more}, not {output}"
                    );
                    return Err(CompileError::new(CompileStage::Result, text));
                }
            }
            ResultType::Bool if *output != Type::Bool => {
                return Err(CompileError::new(
                    CompileStage::Result,
                    "must evaluate to bool".to_owned(),
                ));
            }
            ResultType::String if *output != Type::String => {
                return Err(CompileError::new(
                    CompileStage::Result,
                    "must evaluate to string".to_owned(),
                ));
            }
            ResultType::Bool | ResultType::String | ResultType::Anything => {}
        }
        Ok(())
    }

    /// Makes a program of a text. The error is kube-apiserver's.
    pub fn compile(&self, text: &str) -> Result<Program, CompileError> {
        let checked = self.check(text)?;
        self.check_result(checked.output_type())?;
        if self.rules().second_variables_are_untyped
            && checked.findings.types.iter().any(Type::has_missing)
        {
            let text =
                "unexpected compilation error: missing type conversion to proto: ".to_owned();
            return Err(CompileError::new(CompileStage::Program, text));
        }
        let program =
            plan::plan(self, &checked.ast, &checked.findings).map_err(|failure| match failure {
                FoldFailure::Error(text) => CompileError::new(
                    CompileStage::Program,
                    format!("program instantiation failed: {text}"),
                ),
                FoldFailure::Crash(crash) => CompileError::crash(crash),
            })?;
        let estimate = self.estimates().then(|| {
            estimate::estimate(self, &checked.findings, &checked.ast.root, checked.ast.ids)
        });
        Ok(Program {
            checked,
            program,
            rules: self.rules().clone(),
            estimate,
        })
    }
}

/// Returns true if a derived attribute can have the type (`k8s.io/dynamic-resource-allocation/cel`,
/// `isAllowedDerivedAttributeElementType`).
fn is_scalar(kind: &Type) -> bool {
    match kind {
        Type::Bool | Type::Int | Type::String | Type::Any | Type::Dyn => true,
        Type::Wrapper(inner) => matches!(**inner, Type::Bool | Type::Int | Type::String),
        Type::Struct(name) => &**name == "kubernetes.Semver",
        _ => false,
    }
}

impl Checked {
    /// Returns the type of the result.
    pub fn output_type(&self) -> &Type {
        self.findings.type_of(self.ast.root.id)
    }
}

impl Program {
    /// Returns the type of the result.
    pub fn output_type(&self) -> &Type {
        self.checked.output_type()
    }

    /// Returns the tree and what is known of it.
    pub fn checked(&self) -> &Checked {
        &self.checked
    }

    /// Returns the least and the greatest cost of a run; `None` in releases that do not estimate.
    pub fn cost_estimate(&self) -> Option<CostRange> {
        self.estimate
    }

    /// Runs the program with the environment's variables in order. A run that costs more than `limit` fails.
    pub fn evaluate(&self, variables: &[Value], limit: u64) -> Outcome {
        self.run(variables, limit, Keep::Result).0
    }

    pub(super) fn run(
        &self,
        variables: &[Value],
        limit: u64,
        keep: Keep,
    ) -> (Outcome, Vec<Observation>) {
        let (value, cost, observations) =
            evaluator::evaluate(&self.program, variables, &self.rules, limit, keep);
        let result = match value {
            Value::Error(error) => Err(error),
            value => Ok(value),
        };
        (Outcome { result, cost }, observations)
    }
}

impl Outcome {
    /// Returns true if a selector matches.
    ///
    /// # Errors
    /// kube-scheduler's error (`DeviceMatches`, `Program.Eval`), or a limit of this crate.
    pub fn matches(&self) -> Result<bool, Error> {
        let value = match &self.result {
            Ok(value) => value,
            Err(error) => {
                let kind = if error.ours {
                    ErrorKind::Limit
                } else {
                    ErrorKind::Evaluation
                };
                return Err(Error::new(kind, error.text.clone()));
            }
        };
        let mut inner = value;
        while let Value::Optional(Some(held)) = inner {
            inner = held;
        }
        let why = match inner {
            Value::Bool(found) => return Ok(*found),
            other => not_bool(other),
        };
        let message = format!(
            "CEL result of type {} could not be converted to bool: {why}",
            value.type_name()
        );
        Err(Error::new(ErrorKind::NotBool, message))
    }
}

/// Returns the reason why a value cannot be a Go bool (cel-go, `ConvertToNative` of each type in `common/types`; kube-apiserver,
/// `apiserver/pkg/cel`).
fn not_bool(value: &Value) -> String {
    let name = match value {
        Value::Int(_) | Value::Uint(_) => {
            return format!(
                "unsupported type conversion from '{}' to bool",
                value.type_name()
            );
        }
        Value::String(_) => {
            return "unsupported native conversion from string to 'bool'".to_owned();
        }
        Value::Type(_) => return "type conversion not supported for 'type'".to_owned(),
        Value::Optional(_) => return "optional.none() dereference".to_owned(),
        Value::Double(_) => "Double",
        Value::Bytes(_) => "Bytes",
        Value::List(_) => "list",
        Value::Map(_) => "map",
        Value::Null => "'null_type'",
        Value::Duration(_) => "'Duration'",
        Value::Timestamp(_) => "'Timestamp'",
        Value::Quantity(..) => "'Quantity'",
        Value::Version(_) => "'Semver'",
        Value::Url(_) => "'URL'",
        Value::Address(_) => "'IP'",
        Value::Network(_) => "'CIDR'",
        Value::Format(_) => "'Format'",
        Value::Bool(_) | Value::Error(_) => value.type_name(),
    };
    format!("type conversion error from {name} to 'bool'")
}

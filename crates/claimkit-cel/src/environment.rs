//! Environments: which names, functions and rules an expression is compiled with, by release.

use claimkit_values::order;
use claimkit_values::quantity::Edition;
use std::borrow::Cow;
use std::sync::Arc;

use super::dialect::{
    CEL_GO_0_17, CEL_GO_0_22, CEL_GO_0_23, CEL_GO_0_29, DialectRules, MacroSet, ParserOptions,
};
use super::functions::{self, CallStyle, EnvironmentGate, Function, Overload};
use super::messages;
use super::types::Type;
use super::value::Value;

/// One of kube-apiserver's two environments (`k8s.io/apiserver/pkg/cel/environment`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvironmentMode {
    /// For expressions of objects that are created or changed: what the release before knows, too.
    New,
    /// For expressions that are stored already, and for the scheduler.
    Stored,
}

/// The type an expression must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResultType {
    /// `bool` or an unknown type. The text of the problem is of 1.31 and later.
    BoolOrUnknown {
        /// `any` is accepted.
        any: bool,
        /// `dyn` is accepted.
        dynamic: bool,
        /// `wrapper(bool)` is accepted.
        wrapper: bool,
    },
    /// A scalar that an attribute can have, or an unknown type: derived attributes, 1.37 and later.
    Scalar {
        /// A list of them is accepted.
        lists: bool,
    },
    /// `bool` and nothing else (1.30).
    Bool,
    /// `string`, as a `messageExpression` has it.
    String,
    /// Any type is accepted.
    Anything,
}

/// Why values of variables cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VariableError {
    /// The environment does not declare the name.
    Unknown(String),
    /// The variable has no value.
    Missing(String),
}

impl std::fmt::Display for VariableError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            VariableError::Unknown(name) => write!(f, "the variable `{name}` is not declared"),
            VariableError::Missing(name) => write!(f, "the variable `{name}` has no value"),
        }
    }
}

impl std::error::Error for VariableError {}

/// Upper bounds for the sizes of a variable's parts, used by the cost estimate.
///
/// ```
/// use claimkit_cel::environment::SizeBounds;
///
/// let labels = SizeBounds::sized(32).with_key(SizeBounds::sized(63)).with_element(SizeBounds::sized(64));
/// let object = SizeBounds::default().with_field("labels", labels.clone());
/// assert_eq!(object.fields[0].1.size, 32);
/// assert!(labels.with_any_name().names_are_elements);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SizeBounds {
    /// Maximum number of elements, entries or code points.
    pub size: u64,
    /// Bounds of the keys of a map.
    pub key: Option<Box<SizeBounds>>,
    /// Bounds of the elements of a list or the values of a map.
    pub element: Option<Box<SizeBounds>>,
    /// Bounds of fields by name.
    pub fields: Vec<(Arc<str>, SizeBounds)>,
    /// Any field name can be selected; each has the bounds of `element`.
    pub names_are_elements: bool,
}

impl SizeBounds {
    /// Creates the bounds of a value with at most `size` elements, entries or code points.
    pub fn sized(size: u64) -> Self {
        SizeBounds {
            size,
            ..SizeBounds::default()
        }
    }

    /// Sets the bounds of the keys of a map.
    pub fn with_key(mut self, bounds: SizeBounds) -> Self {
        self.key = Some(Box::new(bounds));
        self
    }

    /// Sets the bounds of the elements of a list or the values of a map.
    pub fn with_element(mut self, bounds: SizeBounds) -> Self {
        self.element = Some(Box::new(bounds));
        self
    }

    /// Adds the bounds of a field.
    pub fn with_field(mut self, name: impl Into<Arc<str>>, bounds: SizeBounds) -> Self {
        self.fields.push((name.into(), bounds));
        self
    }

    /// Gives every field name the bounds of the elements.
    pub fn with_any_name(mut self) -> Self {
        self.names_are_elements = true;
        self
    }
}

/// A function as an environment has it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Declaration {
    /// The name of the type.
    pub name: &'static str,
    /// The overloads that the environment has.
    pub overloads: Vec<Signature>,
    /// Row of the table.
    pub function: &'static Function,
    /// It is of a library, not of the language.
    pub of_library: bool,
}

/// An overload with its types read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Signature {
    /// The id that cel-go gives the expression.
    pub id: &'static str,
    /// Types of the arguments, the receiver first.
    pub arguments: Vec<Type>,
    /// Type of the result.
    pub result: Type,
    /// The names of its type parameters.
    pub parameters: Vec<char>,
    /// The style of its calls.
    pub style: CallStyle,
    /// Row of the table.
    pub overload: &'static Overload,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl std::fmt::Debug for Overload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

/// The variables, types and functions that an expression can use.
///
/// ```
/// use claimkit_cel::environment::{SizeBounds, ResultType};
/// use claimkit_cel::types::Type;
/// use claimkit_cel::{Environment, EnvironmentMode};
///
/// let spec = Type::structure("example.Spec");
/// let fields = vec![("name".to_owned(), Type::String), ("replicas".to_owned(), Type::Int)];
/// let environment = Environment::kubernetes(34, &[], EnvironmentMode::New)
///     .with_structure("example.Spec", fields)
///     .with_type_name("example.Spec", spec.clone())
///     .with_variable("self", spec)
///     .with_bounds("self", SizeBounds::default().with_field("name", SizeBounds::sized(63)))
///     .with_result_type(ResultType::Bool);
/// let program = environment.compile("self.name.startsWith('web-')").unwrap();
/// assert!(program.cost_estimate().unwrap().max < 100);
/// assert_eq!(environment.compile("self.replicas").unwrap_err().text, "must evaluate to bool");
/// // The check alone accepts any type.
/// assert_eq!(environment.check("self.replicas").unwrap().output_type(), &Type::Int);
///
/// // Tools can ask what there is.
/// assert_eq!((environment.minor(), environment.result_type()), (34, ResultType::Bool));
/// assert_eq!(environment.variables().map(|(name, _)| name).collect::<Vec<_>>(), ["self"]);
/// assert_eq!(environment.variable_count(), 1);
/// assert_eq!(environment.fields("example.Spec").unwrap().len(), 2);
/// assert!(environment.functions().iter().any(|function| function.name == "startsWith"));
/// assert!(environment.function(0).is_some());
/// ```
#[derive(Debug)]
pub struct Environment {
    /// In the order of their names.
    functions: Vec<Declaration>,
    variables: Vec<(Arc<str>, Type)>,
    bounds: Vec<Option<SizeBounds>>,
    /// Types with fields, apart from protobuf's.
    structures: Vec<(String, Vec<(String, Type)>)>,
    /// The names of the declared types.
    type_names: Vec<(String, Type)>,
    /// The distinct prefixes before the first dot of function names.
    prefixes: Vec<&'static str>,
    container: String,
    validates: bool,
    parse: ParserOptions,
    rules: DialectRules,
    result_type: ResultType,
    estimates: bool,
    minor: u8,
}

/// The types that have a name in every environment.
const TYPE_NAMES: &[(&str, &str)] = &[
    ("bool", "bool"),
    ("bytes", "bytes"),
    ("double", "double"),
    ("duration", "duration"),
    ("google.protobuf.Duration", "duration"),
    ("google.protobuf.Timestamp", "timestamp"),
    ("int", "int"),
    ("list", "list(dyn)"),
    ("map", "map(dyn, dyn)"),
    ("null_type", "null_type"),
    ("string", "string"),
    ("timestamp", "timestamp"),
    ("type", "type"),
    ("uint", "uint"),
];

/// The types of the language by the names that cel-go's hints use (`common/stdlib`, `Types`).
const LANGUAGE_TYPES: &[&str] = &[
    "bool",
    "bytes",
    "double",
    "google.protobuf.Duration",
    "google.protobuf.Timestamp",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "type",
    "uint",
];

/// Returns the signatures of the overloads that an environment has.
fn signatures(function: &'static Function, has: impl Fn(&Overload) -> bool) -> Vec<Signature> {
    let overloads = function.overloads.iter();
    overloads
        .filter(|overload| has(overload))
        .filter_map(signature)
        .collect()
}

/// Returns in what the dialect of a minor release differs from others.
fn rules(minor: u8) -> DialectRules {
    DialectRules {
        first_libraries: minor <= 31,
        whole_addresses: minor <= 31,
        two_variables_hide_errors: minor == 32,
        eager_accumulators: minor <= 31,
        first_checker: minor <= 30,
        computed_formats_crash: minor == 31,
        plain_versions: minor <= 32,
        second_variables_are_untyped: minor == 32,
        longer_uri_pattern: minor <= 32,
        library_costs: minor != 31,
        list_costs: minor >= 34,
        sizes_pass_through: minor >= 33,
        lengths_in_bytes: minor >= 35,
        costs_of_arguments: minor >= 37,
        ranges_are_limited: minor >= 37,
        scopes_are_apart: minor >= 37,
        includes_is_limited: minor == 36,
        quantities_share_digits: minor <= 36,
        names_are_suggested: minor >= 38,
        steps_count_their_cost: minor >= 38,
        empty_ranges_have_no_rounds: minor >= 38,
        nan_is_comparable: minor >= 38,
        quantities: quantities(minor),
        sizes_are_nested: minor >= 38,
    }
}

impl Environment {
    /// Returns the environment of Kubernetes 1.`minor` with the functions that `gates` add, before anything is declared in it: any
    /// result is accepted, and there are no variables.
    pub fn kubernetes(minor: u8, gates: &[EnvironmentGate], mode: EnvironmentMode) -> Environment {
        let has_gate =
            |gate: EnvironmentGate| gates.contains(&gate) || mode == EnvironmentMode::Stored;
        let mut environment = Environment::base(minor, |overload| {
            let introduced = if mode == EnvironmentMode::Stored {
                overload.stored
            } else {
                overload.new
            };
            let gate = overload.gate.filter(|_| minor <= overload.gate_until);
            (introduced..=overload.until).contains(&minor) && gate.is_none_or(&has_gate)
        });
        let compatible = if mode == EnvironmentMode::Stored {
            minor
        } else {
            minor.saturating_sub(1)
        };
        environment.parse.macros = MacroSet {
            bind: minor >= 31,
            optionals: true,
            two_variables: compatible >= 32,
            sort_by: compatible >= 34,
        };
        environment.estimates = minor >= 32;
        environment
    }

    /// Returns the environment that kube-apiserver 1.`minor` gives to the expressions of admission policies, before variables are
    /// declared: without what only device selectors have. Functions about the authorizer are missing.
    ///
    /// ```
    /// use claimkit_cel::{Environment, EnvironmentMode, types::Type};
    ///
    /// let environment = Environment::admission(37, EnvironmentMode::New).with_variable("object", Type::Dyn);
    /// assert!(environment.compile("object.metadata.name.startsWith('a')").is_ok());
    /// assert!(environment.compile("cel.bind(name, object.metadata.name, name != '')").is_err());
    /// ```
    pub fn admission(minor: u8, mode: EnvironmentMode) -> Environment {
        let mut environment = Environment::kubernetes(minor, &[], mode);
        environment.parse.macros.bind = false;
        let has_versions = match mode {
            EnvironmentMode::New => minor >= 34,
            EnvironmentMode::Stored => minor >= 33,
        };
        if !has_versions {
            let version = Type::structure("kubernetes.Semver");
            for function in &mut environment.functions {
                function.overloads.retain(|signature| {
                    signature.result != version && !signature.arguments.contains(&version)
                });
            }
            environment
                .functions
                .retain(|function| !function.overloads.is_empty() && function.name != "isSemver");
        }
        environment
    }

    /// Returns the environment of the language as it is specified, with cel-go's extensions that this crate has: what the
    /// conformance tests of cel-spec ask for.
    ///
    /// ```
    /// let environment = claimkit_cel::Environment::standard();
    /// assert!(environment.compile("[1, 2].exists(n, n > 1)").is_ok());
    /// ```
    pub fn standard() -> Environment {
        let mut environment = Environment::base(u8::MAX, |_| true);
        environment.parse.macros = MacroSet {
            bind: true,
            optionals: true,
            two_variables: true,
            sort_by: true,
        };
        environment.validates = false;
        environment
    }

    fn base(minor: u8, has: impl Fn(&Overload) -> bool) -> Environment {
        let mut functions: Vec<Declaration> = Vec::new();
        for (table, of_library) in [
            (functions::language(), false),
            (functions::libraries(), true),
        ] {
            let declared = table.iter().map(|function| Declaration {
                name: function.name,
                overloads: signatures(function, &has),
                function,
                of_library,
            });
            functions.extend(declared.filter(|declaration| !declaration.overloads.is_empty()));
        }
        order::sort_by_key(&mut functions, |declaration| declaration.name);
        let mut prefixes: Vec<&str> = functions
            .iter()
            .filter_map(|function| Some(function.name.split_once('.')?.0))
            .collect();
        prefixes.dedup();
        let mut type_names: Vec<(String, Type)> = TYPE_NAMES
            .iter()
            .filter_map(|(name, kind)| Some(((*name).to_owned(), Type::parse(kind)?)))
            .collect();
        let optional = if minor >= 37 {
            Type::optional(Type::Dyn)
        } else {
            Type::opaque("optional_type")
        };
        type_names.push(("optional_type".to_owned(), optional));
        if minor <= 31 {
            type_names.retain(|(name, _)| !matches!(name.as_str(), "duration" | "timestamp"));
        }
        if functions.iter().any(|declaration| declaration.name == "ip") {
            type_names.push(("net.IP".to_owned(), Type::opaque("net.IP")));
            type_names.push(("net.CIDR".to_owned(), Type::opaque("net.CIDR")));
        }
        let dialect = match minor {
            0..=31 => &CEL_GO_0_17,
            32 => &CEL_GO_0_22,
            33..=36 => &CEL_GO_0_23,
            _ => &CEL_GO_0_29,
        };
        Environment {
            functions,
            variables: Vec::new(),
            bounds: Vec::new(),
            structures: Vec::new(),
            type_names,
            prefixes,
            container: String::new(),
            validates: true,
            parse: ParserOptions {
                dialect,
                macros: MacroSet::default(),
            },
            rules: rules(minor),
            result_type: ResultType::Anything,
            estimates: false,
            minor,
        }
    }

    /// Returns the environment in an earlier patch of its release: [`Environment::kubernetes`] is that of the last one.
    ///
    /// ```
    /// use claimkit_cel::{Environment, EnvironmentMode, SELECTOR_COST_LIMIT};
    ///
    /// let run = |environment: Environment| {
    ///     let program = environment.compile("cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')").unwrap();
    ///     program.evaluate(&[], SELECTOR_COST_LIMIT).matches()
    /// };
    /// assert_eq!(run(Environment::kubernetes(32, &[], EnvironmentMode::New)), Ok(true));
    /// // Up to 1.32.3 the other address was not cut off before the comparison.
    /// assert_eq!(run(Environment::kubernetes(32, &[], EnvironmentMode::New).at_patch(32, 3)), Ok(false));
    /// ```
    pub fn at_patch(mut self, minor: u8, patch: u8) -> Environment {
        self.rules.whole_addresses |= (minor, patch) < (32, 4);
        if (minor, patch) < (32, 3) {
            // The estimate did not ask for the sizes of variables' parts yet.
            self.bounds.iter_mut().for_each(|bounds| *bounds = None);
        }
        self
    }

    /// Declares a variable.
    pub fn with_variable(mut self, name: &str, kind: Type) -> Environment {
        self.variables.push((name.into(), kind));
        self.bounds.push(None);
        self
    }

    /// Declares the size of a variable's parts, for the estimate of costs.
    pub fn with_bounds(mut self, variable: &str, bounds: SizeBounds) -> Environment {
        if let Some(known) = self
            .variable(variable)
            .and_then(|position| self.bounds.get_mut(position))
        {
            *known = Some(bounds);
        }
        self
    }

    /// Declares a type with fields. Expressions cannot name it; see [`Environment::with_type_name`].
    pub fn with_structure(mut self, name: &str, fields: Vec<(String, Type)>) -> Environment {
        self.structures.push((name.to_owned(), fields));
        self
    }

    /// Lets expressions name a type.
    pub fn with_type_name(mut self, name: &str, kind: Type) -> Environment {
        self.type_names.push((name.to_owned(), kind));
        self
    }

    /// Puts the values of all variables, given by name, in the order that [`Program::evaluate`](crate::Program::evaluate) takes them in.
    ///
    /// ```
    /// use claimkit_cel::{Environment, EnvironmentMode, SELECTOR_COST_LIMIT, types::Type, value::Value};
    ///
    /// let environment = Environment::kubernetes(34, &[], EnvironmentMode::New)
    ///     .with_variable("self", Type::Int)
    ///     .with_variable("oldSelf", Type::Int);
    /// let program = environment.compile("self >= oldSelf").unwrap();
    /// let values = environment.values([("oldSelf", Value::Int(1)), ("self", Value::Int(2))]).unwrap();
    /// assert_eq!(program.evaluate(&values, SELECTOR_COST_LIMIT).matches(), Ok(true));
    ///
    /// let error = environment.values([("self", Value::Int(2))]).unwrap_err();
    /// assert_eq!(error.to_string(), "the variable `oldSelf` has no value");
    /// ```
    ///
    /// # Errors
    /// A variable without a value, or a name that is not declared.
    pub fn values<'n>(
        &self,
        named: impl IntoIterator<Item = (&'n str, Value)>,
    ) -> Result<Vec<Value>, VariableError> {
        let mut values: Vec<Option<Value>> = vec![None; self.variables.len()];
        for (name, value) in named {
            let place = self
                .variable(name)
                .and_then(|position| values.get_mut(position))
                .ok_or_else(|| VariableError::Unknown(name.to_owned()))?;
            *place = Some(value);
        }
        self.variables
            .iter()
            .zip(values)
            .map(|((name, _), value)| value.ok_or_else(|| VariableError::Missing(name.to_string())))
            .collect()
    }

    /// Requires a type of expressions.
    pub fn with_result_type(mut self, result_type: ResultType) -> Environment {
        self.result_type = result_type;
        self
    }

    /// Looks names up in this namespace and its parent namespaces first.
    ///
    /// ```
    /// use claimkit_cel::{Environment, EnvironmentMode, types::Type};
    ///
    /// let environment = Environment::kubernetes(34, &[], EnvironmentMode::New).with_variable("example.limit", Type::Int);
    /// assert!(environment.with_container("example").compile("limit < 5").is_ok());
    /// ```
    pub fn with_container(mut self, container: &str) -> Environment {
        self.container = container.to_owned();
        self
    }

    /// Returns the full names that `name` may resolve to, in lookup order. A leading dot skips the namespaces.
    pub(crate) fn candidates<'n>(&'n self, name: &'n str) -> impl Iterator<Item = Cow<'n, str>> {
        let absolute = name.strip_prefix('.');
        let innermost = Some(self.container.as_str())
            .filter(|container| absolute.is_none() && !container.is_empty());
        let namespaces = std::iter::successors(innermost, |namespace| {
            namespace.rsplit_once('.').map(|(outer, _)| outer)
        });
        let inside = namespaces.map(move |namespace| Cow::Owned(format!("{namespace}.{name}")));
        inside.chain([Cow::Borrowed(absolute.unwrap_or(name))])
    }

    /// Returns a variable, or the name of a type, with its type.
    pub(crate) fn named(&self, name: &str) -> Option<(Arc<str>, Type)> {
        let variable = self.variables.iter().find(|(known, _)| **known == *name);
        variable
            .cloned()
            .or_else(|| Some((Arc::from(name), Type::type_of(self.type_named(name)?))))
    }

    /// Returns true if there can be a dotted name that starts with `first` and a dot.
    pub(crate) fn has_names_after(&self, first: &str) -> bool {
        let bare = first.strip_prefix('.').unwrap_or(first);
        let variables = self.variables.iter().map(|(name, _)| &**name);
        let types = self.type_names.iter().map(|(name, _)| name.as_str());
        !self.container.is_empty()
            || self.prefixes.contains(&bare)
            || variables.chain(types).any(|name| {
                name.strip_prefix(bare)
                    .is_some_and(|after| after.starts_with('.'))
            })
    }

    /// Returns the type with this name.
    pub(crate) fn type_named(&self, name: &str) -> Option<Type> {
        let known = self
            .type_names
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, kind)| kind.clone());
        known.or_else(|| messages::find(name).map(|message| message.result()))
    }

    /// Returns true if a type's name is a value at run time. cel-go knows some names only to the checker.
    pub(crate) fn has_type_value(&self, name: &str) -> bool {
        !matches!(name, "duration" | "timestamp")
            && !self.structures.iter().any(|(known, _)| known == name)
    }

    /// Returns the position of a variable.
    pub(crate) fn variable(&self, name: &str) -> Option<usize> {
        self.variables
            .iter()
            .position(|(known, _)| **known == *name)
    }

    /// Returns all variables in their order.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Type)> {
        self.variables.iter().map(|(name, kind)| (&**name, kind))
    }

    /// Returns the number of variables.
    pub fn variable_count(&self) -> usize {
        self.variables.len()
    }

    /// Returns the known bounds for the sizes of a variable's parts.
    pub(crate) fn bounds(&self, variable: usize) -> Option<&SizeBounds> {
        self.bounds.get(variable).and_then(Option::as_ref)
    }

    /// Returns the fields of a type that has some.
    pub fn fields(&self, structure: &str) -> Option<Cow<'_, [(String, Type)]>> {
        let known = self.structures.iter().find(|(known, _)| known == structure);
        match known {
            Some((_, fields)) => Some(Cow::Borrowed(fields.as_slice())),
            None => messages::find(structure).map(|message| Cow::Owned(message.fields())),
        }
    }

    /// Returns the type of `name{…}`, if messages of that name can be written.
    pub(crate) fn message_result(&self, name: &str, of: &Type) -> Option<Type> {
        (self.structures.iter().any(|(known, _)| known == name) || messages::find(name).is_some())
            .then(|| of.clone())
    }

    /// Returns the position of a function.
    pub(crate) fn function_index(&self, name: &str) -> Option<usize> {
        self.functions
            .binary_search_by_key(&name, |declaration| declaration.name)
            .ok()
    }

    /// Returns the declaration of a function.
    pub fn function(&self, index: usize) -> Option<&Declaration> {
        self.functions.get(index)
    }

    /// Returns all functions in the order of their names.
    pub fn functions(&self) -> &[Declaration] {
        &self.functions
    }

    /// Returns the names that cel-go searches for one like an unknown name (`cel/env.go`, `initChecker`): variables, functions, types of
    /// the language and macros.
    pub(crate) fn catalog(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::with_capacity(self.functions.len());
        names.extend(self.variables.iter().map(|(name, _)| &**name));
        names.extend(self.functions.iter().map(|function| function.name));
        names.extend(LANGUAGE_TYPES);
        for name in self.parse.macros.names() {
            names.push(name);
        }
        names
    }

    /// Returns the namespace names are looked up in.
    pub(crate) fn container(&self) -> &str {
        &self.container
    }

    /// Returns true if literals are validated after the check.
    pub(crate) fn validates(&self) -> bool {
        self.validates
    }

    /// Returns how quantities are read.
    #[doc(hidden)]
    pub fn quantities(&self) -> Edition {
        self.rules.quantities
    }

    /// Returns the minor release of Kubernetes; the largest number for [`Environment::standard`].
    pub fn minor(&self) -> u8 {
        self.minor
    }

    /// Returns the options of the parser.
    ///
    /// ```
    /// use claimkit_cel::{Environment, EnvironmentMode, parse::parse};
    ///
    /// let environment = Environment::kubernetes(34, &[], EnvironmentMode::New);
    /// assert!(parse("a && (b", environment.parse_options()).is_err());
    /// ```
    pub fn parse_options(&self) -> &ParserOptions {
        &self.parse
    }

    /// Returns the computations that this release does differently from later ones.
    pub(crate) fn rules(&self) -> &DialectRules {
        &self.rules
    }

    /// Returns the type an expression must have.
    pub fn result_type(&self) -> ResultType {
        self.result_type
    }

    /// Returns true if the release estimates costs.
    pub(crate) fn estimates(&self) -> bool {
        self.estimates
    }
}

fn quantities(minor: u8) -> Edition {
    if minor >= 38 {
        Edition::V38
    } else {
        Edition::First
    }
}

fn signature(overload: &'static Overload) -> Option<Signature> {
    let (arguments, result) = overload.signature.split_once("->")?;
    let arguments = match arguments.trim() {
        "" => Vec::new(),
        // The table of functions is checked by a test: every signature can be read.
        arguments => match Type::parse(&format!("arguments({arguments})"))? {
            Type::Opaque(_, parameters) => parameters.to_vec(),
            _ => return None,
        },
    };
    let result = Type::parse(result)?;
    let mut parameters = Vec::new();
    for part in arguments.iter().chain([&result]) {
        collect_parameters(part, &mut parameters);
    }
    Some(Signature {
        id: overload.id,
        arguments,
        result,
        parameters,
        style: overload.style,
        overload,
    })
}

fn collect_parameters(of: &Type, into: &mut Vec<char>) {
    if let Type::Parameter(letter) = of
        && !into.contains(letter)
    {
        into.push(*letter);
    }
    for part in of.parameters() {
        collect_parameters(part, into);
    }
}

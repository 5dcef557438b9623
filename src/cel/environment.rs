//! Environments: which names, functions and rules an expression is compiled with, by release.

use std::borrow::Cow;
use std::sync::Arc;

use super::dialect::{CEL_GO_0_17, CEL_GO_0_22, CEL_GO_0_23, MacroSet, ParseOptions, Rules};
use super::functions::{self, Function, Gate, Overload, Style};
use super::messages;
use super::types::Type;

/// Which of kube-apiserver's two environments (`k8s.io/apiserver/pkg/cel/environment`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// For expressions of objects that are created or changed: what the release before knows, too.
    New,
    /// For expressions that are stored already, and for the scheduler.
    Stored,
}

/// The type an expression must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultType {
    /// `bool`, `any`, and `dyn` if the flag is set. The text of the problem is of 1.31 and later.
    BoolOrUnknown {
        /// `dyn` is accepted as well.
        or_dyn: bool,
    },
    /// `bool` and nothing else (1.30).
    Bool,
    /// Any type.
    Anything,
}

/// How large the parts of a variable can be, for the estimate of costs.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// Most elements, entries or code points.
    pub size: u64,
    /// Bounds of the keys of a map.
    pub key: Option<Box<Bounds>>,
    /// Bounds of the elements of a list or the values of a map.
    pub element: Option<Box<Bounds>>,
    /// Bounds of fields by name.
    pub fields: Vec<(&'static str, Bounds)>,
    /// Any field name can be selected; each has the bounds of `element`.
    pub names_are_elements: bool,
}

/// A function as an environment has it.
#[derive(Debug)]
pub struct Declaration {
    /// Its name.
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
pub struct Signature {
    /// cel-go's id.
    pub id: &'static str,
    /// Types of the arguments, the receiver first.
    pub arguments: Vec<Type>,
    /// Type of the result.
    pub result: Type,
    /// The type parameters.
    pub parameters: Vec<char>,
    /// How it is called.
    pub style: Style,
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

/// What an expression is compiled with.
#[derive(Debug)]
pub struct Environment {
    /// Sorted by name.
    functions: Vec<Declaration>,
    variables: Vec<(Arc<str>, Type)>,
    bounds: Vec<Option<Bounds>>,
    /// Types with fields, apart from protobuf's.
    structures: Vec<(String, Vec<(String, Type)>)>,
    /// Names of types.
    type_names: Vec<(String, Type)>,
    /// The distinct prefixes before the first dot of function names.
    prefixes: Vec<&'static str>,
    container: String,
    validates: bool,
    parse: ParseOptions,
    rules: Rules,
    result_type: ResultType,
    estimates: bool,
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

impl Environment {
    /// The environment of device selectors (`k8s.io/dynamic-resource-allocation/cel/compile.go`) in Kubernetes 1.`minor`; `minor`
    /// is at least 31.
    pub fn device(minor: u8, gates: &[Gate], mode: Mode) -> Environment {
        let has_gate = |gate: Gate| gates.contains(&gate) || mode == Mode::Stored;
        let lists = minor >= 36 && gates.contains(&Gate::ListTypeAttributes);
        let value = if lists { Type::Dyn } else { Type::Any };
        let named = |element: Type| Type::map(Type::String, Type::map(Type::String, element));
        let mut fields = vec![
            ("driver".to_owned(), Type::String),
            ("attributes".to_owned(), named(value)),
            ("capacity".to_owned(), named(Type::structure("kubernetes.Quantity"))),
        ];
        if minor >= 34 && has_gate(Gate::ConsumableCapacity) {
            fields.push(("allowMultipleAllocations".to_owned(), Type::Bool));
        }
        let mut environment = Environment::base(minor, |overload| {
            let introduced = if mode == Mode::Stored { overload.stored } else { overload.new };
            minor >= introduced && overload.gate.is_none_or(&has_gate)
        });
        let compatible = if mode == Mode::Stored { minor } else { minor.saturating_sub(1) };
        environment.parse.macros =
            MacroSet { bind: true, optionals: true, two_variables: compatible >= 32, sort_by: compatible >= 34 };
        environment.structures = vec![("kubernetes.DRADevice".to_owned(), fields)];
        let name = Type::structure("kubernetes.DRADevice");
        environment.variables = vec![("device".into(), name.clone())];
        environment.bounds = vec![Some(device_bounds())];
        if minor >= 32 {
            environment.type_names.push(("kubernetes.DRADevice".to_owned(), name));
        } else {
            // Declared by mistake as variables that never have a value.
            environment = environment.with_variable("kubernetes.DRADevice", name);
            environment = environment.with_variable("duration", Type::Duration).with_variable("timestamp", Type::Timestamp);
        }
        environment.result_type = ResultType::BoolOrUnknown { or_dyn: lists };
        environment.estimates = minor >= 32;
        environment.rules.list_attributes = lists;
        environment
    }

    /// The environment of named resources' selectors in Kubernetes 1.30 (`k8s.io/dynamic-resource-allocation/structured/namedresources/cel`).
    pub fn named_resources(mode: Mode) -> Environment {
        let mut environment = Environment::base(30, |overload| {
            let introduced = if mode == Mode::Stored { overload.stored } else { overload.new };
            30 >= introduced && overload.gate.is_none()
        });
        environment.parse.macros = MacroSet { optionals: true, ..MacroSet::default() };
        let kinds = [
            ("quantity", Type::structure("kubernetes.Quantity")),
            ("bool", Type::Bool),
            ("int", Type::Int),
            ("intslice", Type::list(Type::Int)),
            ("string", Type::String),
            ("stringslice", Type::list(Type::String)),
            ("version", Type::structure("kubernetes.Semver")),
        ];
        for (name, kind) in kinds {
            environment.variables.push((format!("attributes.{name}").into(), Type::map(Type::String, kind)));
            environment.bounds.push(None);
        }
        environment.result_type = ResultType::Bool;
        environment
    }

    /// The language as it is specified, with cel-go's extensions that this crate has: what the conformance tests of cel-spec ask for.
    pub fn standard() -> Environment {
        let mut environment = Environment::base(u8::MAX, |_| true);
        environment.parse.macros = MacroSet { bind: true, optionals: true, two_variables: true, sort_by: true };
        environment.validates = false;
        environment
    }

    fn base(minor: u8, has: impl Fn(&Overload) -> bool) -> Environment {
        let declared = |function: &'static Function, of_library| {
            let overloads: Vec<Signature> =
                function.overloads.iter().filter(|overload| has(overload)).filter_map(signature).collect();
            (!overloads.is_empty()).then_some(Declaration { name: function.name, overloads, function, of_library })
        };
        let language = functions::language().iter().filter_map(|function| declared(function, false));
        let libraries = functions::libraries().iter().filter_map(|function| declared(function, true));
        let mut functions: Vec<Declaration> = language.chain(libraries).collect();
        functions.sort_by_key(|declaration| declaration.name);
        let mut prefixes: Vec<&str> = functions.iter().filter_map(|function| Some(function.name.split_once('.')?.0)).collect();
        prefixes.dedup();
        let mut type_names: Vec<(String, Type)> =
            TYPE_NAMES.iter().filter_map(|(name, kind)| Some(((*name).to_owned(), Type::parse(kind)?))).collect();
        type_names.push(("optional_type".to_owned(), Type::opaque("optional_type")));
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
            _ => &CEL_GO_0_23,
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
            parse: ParseOptions { dialect, macros: MacroSet::default() },
            rules: Rules {
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
                list_attributes: false,
            },
            result_type: ResultType::Anything,
            estimates: false,
        }
    }

    /// The environment in an earlier patch of its release: [`Environment::device`] is that of the last one.
    pub fn at_patch(mut self, minor: u8, patch: u8) -> Environment {
        self.rules.whole_addresses |= (minor, patch) < (32, 4);
        self
    }

    /// Declares a variable.
    pub fn with_variable(mut self, name: &str, kind: Type) -> Environment {
        self.variables.push((name.into(), kind));
        self.bounds.push(None);
        self
    }

    /// Looks names up in this namespace and its parent namespaces first.
    pub fn with_container(mut self, container: &str) -> Environment {
        self.container = container.to_owned();
        self
    }

    /// The full names that `name` may resolve to, in lookup order. A leading dot skips the namespaces.
    pub fn candidates<'n>(&'n self, name: &'n str) -> impl Iterator<Item = Cow<'n, str>> {
        let absolute = name.strip_prefix('.');
        let innermost = Some(self.container.as_str()).filter(|container| absolute.is_none() && !container.is_empty());
        let namespaces = std::iter::successors(innermost, |namespace| namespace.rsplit_once('.').map(|(outer, _)| outer));
        let inside = namespaces.map(move |namespace| Cow::Owned(format!("{namespace}.{name}")));
        inside.chain([Cow::Borrowed(absolute.unwrap_or(name))])
    }

    /// A variable, or the name of a type, with its type.
    pub fn named(&self, name: &str) -> Option<(Arc<str>, Type)> {
        let variable = self.variables.iter().find(|(known, _)| **known == *name);
        variable.cloned().or_else(|| Some((Arc::from(name), Type::type_of(self.type_named(name)?))))
    }

    /// Whether there can be a dotted name that starts with `first` and a dot.
    pub fn has_names_after(&self, first: &str) -> bool {
        let first = first.strip_prefix('.').unwrap_or(first);
        let starts = |name: &str| name.strip_prefix(first).is_some_and(|rest| rest.starts_with('.'));
        !self.container.is_empty()
            || self.prefixes.contains(&first)
            || self.variables.iter().any(|(name, _)| starts(name))
            || self.type_names.iter().any(|(name, _)| starts(name))
    }

    /// The type with this name.
    pub fn type_named(&self, name: &str) -> Option<Type> {
        let known = self.type_names.iter().find(|(known, _)| known == name).map(|(_, kind)| kind.clone());
        known.or_else(|| messages::find(name).map(|message| message.result()))
    }

    /// Whether a type's name is a value at run time. cel-go knows some names only to the checker.
    pub fn has_type_value(&self, name: &str) -> bool {
        !matches!(name, "duration" | "timestamp") && !self.structures.iter().any(|(known, _)| known == name)
    }

    /// The position of a variable.
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|(known, _)| **known == *name)
    }

    /// All variables in their order.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Type)> {
        self.variables.iter().map(|(name, kind)| (&**name, kind))
    }

    /// The number of variables.
    pub fn variable_count(&self) -> usize {
        self.variables.len()
    }

    /// What is known about the size of a variable's parts.
    pub fn bounds(&self, variable: usize) -> Option<&Bounds> {
        self.bounds.get(variable).and_then(Option::as_ref)
    }

    /// The fields of a type that has some.
    pub fn fields(&self, structure: &str) -> Option<Cow<'_, [(String, Type)]>> {
        let known = self.structures.iter().find(|(known, _)| known == structure);
        let known = known.map(|(_, fields)| Cow::Borrowed(fields.as_slice()));
        known.or_else(|| messages::find(structure).map(|message| Cow::Owned(message.fields())))
    }

    /// The type of `name{…}`, if messages of that name can be written.
    pub fn message_result(&self, name: &str, of: &Type) -> Option<Type> {
        (self.structures.iter().any(|(known, _)| known == name) || messages::find(name).is_some()).then(|| of.clone())
    }

    /// The position of a function.
    pub fn function_index(&self, name: &str) -> Option<usize> {
        self.functions.binary_search_by_key(&name, |declaration| declaration.name).ok()
    }

    /// A function.
    pub fn function(&self, index: usize) -> Option<&Declaration> {
        self.functions.get(index)
    }

    /// All functions in the order of their names.
    pub fn functions(&self) -> &[Declaration] {
        &self.functions
    }

    /// The namespace names are looked up in.
    pub fn container(&self) -> &str {
        &self.container
    }

    /// Literals are validated after the check.
    pub fn validates(&self) -> bool {
        self.validates
    }

    /// How expressions are parsed.
    pub fn parse_options(&self) -> &ParseOptions {
        &self.parse
    }

    /// What the release computes differently.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The type an expression must have.
    pub fn result_type(&self) -> ResultType {
        self.result_type
    }

    /// The release estimates costs.
    pub fn estimates(&self) -> bool {
        self.estimates
    }
}

/// First minor release since which the checker, the cost estimate and the limits of device selectors have not changed.
const SETTLED: u8 = 34;

/// True if this expression may get different answers in the environments for new device selectors from `first` to `last`; then it
/// must be compiled. Everything added since `SETTLED` has a name that the text must contain.
pub fn selector_varies(text: &str, first: u8, last: u8) -> bool {
    let newer = |function: &Function| function.overloads.iter().any(|one| first < one.new && one.new <= last);
    let mut names = functions::all().filter(|function| newer(function)).map(|function| function.name);
    first < SETTLED
        || ["sortBy", "allowMultipleAllocations"].into_iter().any(|name| text.contains(name))
        || names.any(|name| text.contains(name))
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
    Some(Signature { id: overload.id, arguments, result, parameters, style: overload.style, overload })
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

/// Sizes under `device` (`k8s.io/dynamic-resource-allocation/cel/compile.go`, `newCompiler`).
fn device_bounds() -> Bounds {
    let sized = |size: u64| Bounds { size, ..Bounds::default() };
    let map = |key: u64, element: Bounds, names_are_elements: bool| Bounds {
        size: 32,
        key: Some(Box::new(sized(key))),
        element: Some(Box::new(element)),
        fields: Vec::new(),
        names_are_elements,
    };
    Bounds {
        fields: vec![
            ("driver", sized(63)),
            ("attributes", map(63, map(32, sized(64), true), false)),
            ("capacity", map(63, map(32, sized(1), false), false)),
            ("allowMultipleAllocations", sized(1)),
        ],
        ..Bounds::default()
    }
}

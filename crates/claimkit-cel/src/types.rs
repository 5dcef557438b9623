//! Types of expressions, how they are printed, and how they unify.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A type of the expression language.
///
/// ```
/// use claimkit_cel::types::Type;
///
/// let kind = Type::map(Type::String, Type::list(Type::structure("example.Port")));
/// assert_eq!(kind.to_string(), "map(string, list(example.Port))");
/// assert_eq!(kind.name(), "map");
/// assert_eq!(Type::parse("map(string, list(example.Port))"), Some(kind));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type {
    /// Known only at run time.
    Dyn,
    /// `google.protobuf.Any`: a value of an unknown type.
    Any,
    /// The type of an expression that was refused.
    Error,
    /// No type at all, which cel-go 0.22 gives to the second variable of some loops: it is assignable to what takes every type, and not
    /// to itself.
    Missing,
    /// The type of `null`.
    Null,
    /// `true` and `false`.
    Bool,
    /// 64 bits with a sign.
    Int,
    /// 64 bits without a sign.
    Uint,
    /// IEEE 754, 64 bits.
    Double,
    /// A string of Unicode text.
    String,
    /// A string of bytes.
    Bytes,
    /// `google.protobuf.Duration`.
    Duration,
    /// `google.protobuf.Timestamp`.
    Timestamp,
    /// A list with the type of its elements.
    List(Arc<Type>),
    /// A map with the types of its keys and values.
    Map(Arc<(Type, Type)>),
    /// The type of a type; `None` is the type `type` itself.
    Type(Option<Arc<Type>>),
    /// A protobuf wrapper of a plain type: the type or null.
    Wrapper(Arc<Type>),
    /// A type whose insides are known only to functions: `optional_type(T)`, `net.IP`.
    Opaque(Arc<str>, Arc<[Type]>),
    /// A type with fields.
    Struct(Arc<str>),
    /// A type parameter of a function's signature, replaced by a fresh variable at every call.
    Parameter(char),
    /// A free variable of the checker.
    Variable(u32),
}

/// Name of the optional type.
pub const OPTIONAL: &str = "optional_type";

impl Type {
    /// Returns a list of `element`.
    pub fn list(element: Type) -> Type {
        Type::List(Arc::new(element))
    }

    /// Returns a map from `key` to `value`.
    pub fn map(key: Type, value: Type) -> Type {
        Type::Map(Arc::new((key, value)))
    }

    /// Returns the type of the type `of`.
    pub(crate) fn type_of(of: Type) -> Type {
        Type::Type(Some(Arc::new(of)))
    }

    /// Returns an optional value of the type `of`.
    pub(crate) fn optional(of: Type) -> Type {
        Type::Opaque(Arc::from(OPTIONAL), Arc::from([of]))
    }

    /// Returns an opaque type without parameters.
    pub(crate) fn opaque(name: &str) -> Type {
        Type::Opaque(Arc::from(name), Arc::from([]))
    }

    /// Returns a type with fields.
    pub fn structure(name: &str) -> Type {
        Type::Struct(Arc::from(name))
    }

    /// Returns the type that an optional type holds.
    pub(crate) fn optional_of(&self) -> Option<&Type> {
        match self {
            Type::Opaque(name, parameters) if &**name == OPTIONAL => parameters.first(),
            _ => None,
        }
    }

    /// Returns the types this type is made of.
    pub(crate) fn parameters(&self) -> Vec<&Type> {
        match self {
            Type::List(element) => vec![element],
            Type::Map(pair) => vec![&pair.0, &pair.1],
            Type::Opaque(_, parameters) => parameters.iter().collect(),
            Type::Type(Some(of)) | Type::Wrapper(of) => vec![of],
            _ => Vec::new(),
        }
    }

    /// Returns true if the type or a part of it is [`Type::Missing`].
    pub(crate) fn has_missing(&self) -> bool {
        *self == Type::Missing || self.parameters().into_iter().any(Type::has_missing)
    }

    /// Returns true if both are the same type, where a wrapper counts as the type inside (cel-go, `IsEquivalentType`).
    pub(crate) fn is_equivalent(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Missing, _) | (_, Type::Missing) => false,
            (Type::Wrapper(inner), other) | (other, Type::Wrapper(inner)) => {
                inner.is_equivalent(other)
            }
            (Type::List(one), Type::List(two)) | (Type::Type(Some(one)), Type::Type(Some(two))) => {
                one.is_equivalent(two)
            }
            (Type::Map(one), Type::Map(two)) => {
                one.0.is_equivalent(&two.0) && one.1.is_equivalent(&two.1)
            }
            (Type::Opaque(name, one), Type::Opaque(other, two)) => {
                name == other
                    && one.len() == two.len()
                    && one
                        .iter()
                        .zip(two.iter())
                        .all(|(one, two)| one.is_equivalent(two))
            }
            _ => self == other,
        }
    }

    /// Returns the number of types this type is made of, counted up to `limit`.
    pub(crate) fn weight(&self, limit: usize) -> usize {
        let mut pending = Vec::new();
        let (mut next, mut count) = (self, 1_usize);
        while count < limit {
            match next {
                Type::List(inner) | Type::Type(Some(inner)) | Type::Wrapper(inner) => {
                    pending.push(&**inner)
                }
                Type::Map(pair) => pending.extend([&pair.0, &pair.1]),
                Type::Opaque(_, parameters) => pending.extend(parameters.iter()),
                _ => {}
            }
            let Some(part) = pending.pop() else { break };
            next = part;
            count = count.saturating_add(1);
        }
        count
    }

    /// Reads a type as the table of functions writes it: `list(A)`, `map(string, B)`, `optional_type(V)`. A single capital letter
    /// is a type parameter; other unknown names are types with fields, `net.*` opaque types.
    pub fn parse(text: &str) -> Option<Type> {
        let (found, rest) = parse_prefix(text.trim(), 0)?;
        rest.is_empty().then_some(found)
    }

    /// Returns the name of this type in problems (cel-go, `checker/format.go`, `FormatCheckedType`): `any`, `null`, `duration`.
    pub(crate) fn in_problem(&self) -> InProblem<'_> {
        InProblem(self)
    }

    /// Returns the name of the type without parameters, as `type()` and run-time errors print it.
    pub fn name(&self) -> &str {
        match self {
            Type::Dyn => "dyn",
            Type::Any => "google.protobuf.Any",
            Type::Error => "error",
            Type::Null => "null_type",
            Type::Bool => "bool",
            Type::Int => "int",
            Type::Uint => "uint",
            Type::Double => "double",
            Type::String => "string",
            Type::Bytes => "bytes",
            Type::Duration => "google.protobuf.Duration",
            Type::Timestamp => "google.protobuf.Timestamp",
            Type::List(_) => "list",
            Type::Map(_) => "map",
            Type::Type(_) => "type",
            Type::Wrapper(_) => "wrapper",
            Type::Opaque(name, _) | Type::Struct(name) => name,
            Type::Missing | Type::Parameter(_) | Type::Variable(_) => "",
        }
    }
}

/// Deepest nesting in the table of functions.
const DEEPEST_SIGNATURE: usize = 8;

fn parse_prefix(text: &str, depth: usize) -> Option<(Type, &str)> {
    if depth > DEEPEST_SIGNATURE {
        return None;
    }
    let end = text.find(['(', ')', ',']).unwrap_or(text.len());
    let name = text.get(..end)?.trim();
    let behind = text.get(end..)?;
    let (parameters, rest) = match behind.strip_prefix('(') {
        Some(inside) => parse_parameters(inside, depth.saturating_add(1))?,
        None => (Vec::new(), behind),
    };
    Some((with_parameters(name, parameters)?, rest))
}

/// Reads the parameters of a type and the `)` behind them.
fn parse_parameters(text: &str, depth: usize) -> Option<(Vec<Type>, &str)> {
    let mut parameters = Vec::new();
    let mut rest = text;
    loop {
        let (parameter, behind) = parse_prefix(rest.trim_start(), depth)?;
        parameters.push(parameter);
        let next = behind.trim_start();
        match next.strip_prefix(',') {
            Some(after) => rest = after,
            None => return Some((parameters, next.strip_prefix(')')?)),
        }
    }
}

/// Returns the type with a name in the table of functions.
fn with_parameters(name: &str, parameters: Vec<Type>) -> Option<Type> {
    let mut given = parameters.into_iter();
    Some(match name {
        "dyn" => Type::Dyn,
        "any" => Type::Any,
        "null" | "null_type" => Type::Null,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "duration" => Type::Duration,
        "timestamp" => Type::Timestamp,
        "list" => Type::list(given.next()?),
        "map" => Type::map(given.next()?, given.next()?),
        "type" => Type::Type(given.next().map(Arc::new)),
        "wrapper" => Type::Wrapper(Arc::new(given.next()?)),
        OPTIONAL => Type::optional(given.next()?),
        "net.IP" | "net.CIDR" => Type::opaque(name),
        _ => match (name.chars().next(), name.chars().nth(1)) {
            (Some(letter), None) if letter.is_ascii_uppercase() => Type::Parameter(letter),
            (Some(_), Some(_)) => {
                let parameters: Vec<Type> = given.collect();
                if parameters.is_empty() {
                    Type::structure(name)
                } else {
                    Type::Opaque(Arc::from(name), Arc::from(parameters))
                }
            }
            _ => return None,
        },
    })
}

/// cel-go prints an output type so (`common/types/types.go`, `Type.String`): `google.protobuf.Any`, `null_type`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Parameter(letter) => write!(f, "{letter}"),
            Type::Variable(number) => write!(f, "_var{number}"),
            _ => {
                f.write_str(self.name())?;
                write_parameters(f, self, |f, inner| write!(f, "{inner}"))
            }
        }
    }
}

/// See [`Type::in_problem`].
pub(crate) struct InProblem<'a>(&'a Type);

impl fmt::Display for InProblem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Type::Any => f.write_str("any"),
            Type::Error => f.write_str("!error!"),
            Type::Null => f.write_str("null"),
            Type::Duration => f.write_str("duration"),
            Type::Timestamp => f.write_str("timestamp"),
            Type::Parameter(_) | Type::Variable(_) => write!(f, "{}", self.0),
            other => {
                f.write_str(other.name())?;
                write_parameters(f, other, |f, inner| write!(f, "{}", inner.in_problem()))
            }
        }
    }
}

fn write_parameters(
    f: &mut fmt::Formatter<'_>,
    of: &Type,
    write: impl Fn(&mut fmt::Formatter<'_>, &Type) -> fmt::Result,
) -> fmt::Result {
    let parameters = of.parameters();
    if parameters.is_empty() {
        return Ok(());
    }
    for (index, parameter) in parameters.into_iter().enumerate() {
        f.write_str(if index == 0 { "(" } else { ", " })?;
        write(f, parameter)?;
    }
    f.write_str(")")
}

/// The free variables of one check and what they stand for.
///
/// The rules are those of cel-go (`checker/types.go`, `internalIsAssignable`).
pub(crate) struct Unifier {
    bindings: Vec<Option<Type>>,
    /// Variables bound or re-bound since a test began, with what they were bound to before.
    trail: Vec<(u32, Option<Type>)>,
    steps: u32,
}

/// The types that replace a signature's type parameters at one call.
#[derive(Clone, Copy)]
pub(crate) struct Variables<'p> {
    parameters: &'p [char],
    /// The number of the first one's variable; the others follow.
    first: u32,
}

impl Variables<'_> {
    /// Returns the variable of a parameter.
    pub fn of(&self, parameter: char) -> Type {
        let place = self
            .parameters
            .iter()
            .position(|known| *known == parameter)
            .and_then(|place| u32::try_from(place).ok());
        place.map_or(Type::Dyn, |place| {
            Type::Variable(self.first.saturating_add(place))
        })
    }
}

/// Maximum number of comparisons of one check. A type can be larger than the text it comes from, because its parts can be shared.
const MOST_STEPS: u32 = 4_000_000;

/// How many variables a typical text has.
const RESERVED_VARIABLES: usize = 16;

impl Default for Unifier {
    fn default() -> Self {
        Unifier {
            bindings: Vec::with_capacity(RESERVED_VARIABLES),
            trail: Vec::with_capacity(RESERVED_VARIABLES),
            steps: 0,
        }
    }
}

impl Unifier {
    /// Makes a variable that stands for nothing yet.
    pub fn fresh(&mut self) -> Type {
        let number = u32::try_from(self.bindings.len()).unwrap_or(u32::MAX);
        self.bindings.push(None);
        Type::Variable(number)
    }

    /// Makes a variable for each type parameter of a signature.
    pub fn fresh_for<'p>(&mut self, parameters: &'p [char]) -> Variables<'p> {
        let first = u32::try_from(self.bindings.len()).unwrap_or(u32::MAX);
        self.bindings.extend(parameters.iter().map(|_| None));
        Variables { parameters, first }
    }

    /// Returns true if no variable was created.
    pub fn is_unused(&self) -> bool {
        self.bindings.is_empty()
    }

    /// Returns true if types were too large to compare; all answers since are worthless.
    pub fn is_exhausted(&self) -> bool {
        self.steps >= MOST_STEPS
    }

    /// Returns true if a value of the type `from` may be given where `to` is asked for. What is learned about variables is kept
    /// if so.
    pub fn assignable(&mut self, to: &Type, from: &Type) -> bool {
        self.all_assignable([(to, Cow::Borrowed(from))])
    }

    /// Asks [`Unifier::assignable`] for several pairs at once.
    pub fn all_assignable<'t>(
        &mut self,
        pairs: impl IntoIterator<Item = (&'t Type, Cow<'t, Type>)>,
    ) -> bool {
        self.trail.clear();
        let fits = pairs.into_iter().all(|(to, from)| self.unify(to, &from));
        if !fits {
            while let Some((number, before)) = self.trail.pop() {
                if let Some(binding) = self.bindings.get_mut(number as usize) {
                    *binding = before;
                }
            }
        }
        fits
    }

    fn binding(&self, of: &Type) -> Option<Type> {
        match of {
            Type::Variable(number) => self.bindings.get(*number as usize).cloned().flatten(),
            _ => None,
        }
    }

    fn bind(&mut self, variable: &Type, to: Type) {
        if let Type::Variable(number) = variable
            && let Some(binding) = self.bindings.get_mut(*number as usize)
        {
            self.trail.push((*number, binding.replace(to)));
        }
    }

    fn unify(&mut self, first: &Type, second: &Type) -> bool {
        self.steps = self.steps.saturating_add(1);
        if self.is_exhausted() {
            return false;
        }
        if matches!(second, Type::Variable(_)) {
            let (valid, bound) = self.substitutes(first, second);
            if valid || bound {
                return valid;
            }
        }
        if matches!(first, Type::Variable(_)) {
            return self.substitutes(second, first).0;
        }
        match (first, second) {
            (Type::Dyn | Type::Error | Type::Any, _) | (_, Type::Dyn | Type::Error | Type::Any) => {
                true
            }
            (Type::Missing, _) | (_, Type::Missing) => false,
            (Type::Null, other) | (other, Type::Null) => matches!(
                other,
                Type::Null
                    | Type::Opaque(..)
                    | Type::Struct(_)
                    | Type::Duration
                    | Type::Timestamp
                    | Type::Wrapper(_)
            ),
            (Type::Wrapper(inner), Type::Wrapper(other)) => inner == other,
            (Type::Wrapper(inner), other) | (other, Type::Wrapper(inner)) => **inner == *other,
            (Type::Type(_), Type::Type(_)) => true,
            (Type::List(first), Type::List(second)) => self.unify(first, second),
            (Type::Map(first), Type::Map(second)) => {
                self.unify(&first.0, &second.0) && self.unify(&first.1, &second.1)
            }
            (Type::Opaque(name, first), Type::Opaque(other, second)) => {
                name == other
                    && first.len() == second.len()
                    && first
                        .iter()
                        .zip(second.iter())
                        .all(|(f, s)| self.unify(f, s))
            }
            (first, second) => first == second,
        }
    }

    /// Returns whether `variable` may stand for `by`, and whether it already stood for something.
    fn substitutes(&mut self, by: &Type, variable: &Type) -> (bool, bool) {
        if by == variable {
            return (true, true);
        }
        if let Some(bound) = self.binding(variable) {
            if *by == bound && bound != Type::Missing {
                return (true, true);
            }
            if self.unify(by, &bound) {
                let general = if equal_or_less_specific(by, &bound) {
                    by.clone()
                } else {
                    bound
                };
                if !self.occurs(variable, &general) {
                    self.bind(variable, general);
                }
                return (true, true);
            }
            return (false, true);
        }
        if self.occurs(variable, by) {
            return (false, false);
        }
        self.bind(variable, by.clone());
        (true, false)
    }

    fn occurs(&mut self, variable: &Type, within: &Type) -> bool {
        self.steps = self.steps.saturating_add(1);
        if self.is_exhausted() {
            return false;
        }
        if variable == within {
            return true;
        }
        if let Some(bound) = self.binding(within) {
            return self.occurs(variable, &bound);
        }
        match within {
            Type::List(element) => self.occurs(variable, element),
            Type::Map(pair) => self.occurs(variable, &pair.0) || self.occurs(variable, &pair.1),
            Type::Type(Some(of)) => self.occurs(variable, of),
            Type::Opaque(_, parameters) => parameters
                .iter()
                .any(|parameter| self.occurs(variable, parameter)),
            _ => false,
        }
    }

    /// Returns the type with its variables replaced by what they stand for; free ones stay.
    pub fn substitute(&mut self, of: &Type) -> Type {
        self.replace(of, FreeVariables::Stay)
    }

    /// Returns the type with its variables replaced by what they stand for; free ones become dyn.
    pub fn substitute_or_dyn(&mut self, of: &Type) -> Type {
        self.replace(of, FreeVariables::BecomeDyn)
    }

    fn replace(&mut self, of: &Type, free: FreeVariables) -> Type {
        self.steps = self.steps.saturating_add(1);
        if self.is_exhausted() {
            return Type::Dyn;
        }
        match of {
            Type::Variable(_) => match self.binding(of) {
                Some(bound) => self.replace(&bound, free),
                None if free == FreeVariables::BecomeDyn => Type::Dyn,
                None => of.clone(),
            },
            Type::List(element) => match self.replace_shared(element, free) {
                Some(element) => Type::list(element),
                None => of.clone(),
            },
            Type::Map(pair) if has_variables(of) => {
                Type::map(self.replace(&pair.0, free), self.replace(&pair.1, free))
            }
            Type::Type(Some(inner)) => match self.replace_shared(inner, free) {
                Some(inner) => Type::type_of(inner),
                None => of.clone(),
            },
            Type::Opaque(name, parameters) if has_variables(of) => Type::Opaque(
                name.clone(),
                parameters
                    .iter()
                    .map(|parameter| self.replace(parameter, free))
                    .collect(),
            ),
            _ => of.clone(),
        }
    }

    /// Returns the type with its variables replaced, if it has any.
    fn replace_shared(&mut self, of: &Type, free: FreeVariables) -> Option<Type> {
        has_variables(of).then(|| self.replace(of, free))
    }
}

/// The treatment of variables that stand for nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FreeVariables {
    Stay,
    BecomeDyn,
}

/// A type with more parts than this is assumed to have variables.
const LARGE: usize = 4096;

fn has_variables(of: &Type) -> bool {
    finds_variables(of, &mut 0)
}

/// Returns true if a type has variables or is large; `count` is the number of parts that were looked at.
fn finds_variables(of: &Type, count: &mut usize) -> bool {
    *count = count.saturating_add(1);
    *count > LARGE
        || match of {
            Type::Variable(_) => true,
            Type::List(inner) | Type::Type(Some(inner)) => finds_variables(inner, count),
            Type::Map(pair) => finds_variables(&pair.0, count) || finds_variables(&pair.1, count),
            Type::Opaque(_, parameters) => parameters
                .iter()
                .any(|parameter| finds_variables(parameter, count)),
            _ => false,
        }
}

/// Returns true if `first` is equal to `second` or less specific, for two types that unify.
#[doc(hidden)]
pub fn equal_or_less_specific(first: &Type, second: &Type) -> bool {
    match (first, second) {
        (Type::Dyn | Type::Any | Type::Variable(_) | Type::Parameter(_), _) => true,
        (_, Type::Dyn | Type::Any | Type::Variable(_) | Type::Parameter(_)) => false,
        (Type::List(first), Type::List(second)) => equal_or_less_specific(first, second),
        (Type::Map(first), Type::Map(second)) => {
            equal_or_less_specific(&first.0, &second.0)
                && equal_or_less_specific(&first.1, &second.1)
        }
        (Type::Opaque(name, first), Type::Opaque(other, second)) => {
            name == other
                && first.len() == second.len()
                && first
                    .iter()
                    .zip(second.iter())
                    .all(|(first, second)| equal_or_less_specific(first, second))
        }
        (Type::Type(_), Type::Type(_)) => true,
        (first, second) => first == second,
    }
}

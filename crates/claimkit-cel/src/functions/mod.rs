//! The table of functions: every name, its overloads with their types, the releases that have them, and their implementations.
//!
//! Signatures are cel-go's and kube-apiserver's declarations (`k8s.io/apiserver/pkg/cel/library`, `pkg/cel/environment/base.go`),
//! in their order, which decides between overloads.

mod libraries;
mod standard;

use super::operations::EvaluationScope;
use super::value::Value;

/// Computes the result from the arguments, the receiver first. There are as many as an overload has.
pub(crate) type Implementation = fn(&mut EvaluationScope<'_>, &[Value]) -> Value;

/// A function of the language.
#[non_exhaustive]
pub struct Function {
    /// Its name; operators have names as in [`super::ast`].
    pub name: &'static str,
    /// The rule that selects the code for a call.
    pub(crate) dispatch: Dispatch,
    /// The overloads in the order they are tried.
    pub overloads: &'static [Overload],
}

/// The rule that selects the code for a call.
#[derive(Clone, Copy)]
pub(crate) enum Dispatch {
    /// The evaluator computes it: operators that do not evaluate all their operands, comparison, index.
    Evaluator,
    /// One computation for all overloads, if the first argument can be used.
    One {
        /// Whether the first argument can be used.
        takes: fn(&Value) -> bool,
        /// The code of the function.
        call: Implementation,
    },
    /// The first overload whose types the arguments have.
    Overloads,
}

/// One signature of a function.
#[non_exhaustive]
pub struct Overload {
    /// The id that cel-go gives the expression.
    pub id: &'static str,
    /// `string, int -> string`; see [`super::types::Type::parse`].
    pub signature: &'static str,
    /// The style of its calls.
    pub style: CallStyle,
    /// The implementation; `None` if no value of its argument types can exist.
    pub(crate) call: Option<Implementation>,
    /// First minor release of Kubernetes whose environment for new expressions has it.
    pub new: u8,
    /// First minor release whose environment for stored expressions has it.
    pub stored: u8,
    /// Last minor release that has it.
    pub until: u8,
    /// cel-go stops at the first argument that fails instead of computing them all.
    pub stops_early: bool,
    /// The feature gate that new expressions need for it.
    pub gate: Option<EnvironmentGate>,
    /// Last minor release in which the gate matters.
    pub gate_until: u8,
}

/// The style of a function's calls: global, or as a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallStyle {
    /// `f(x)`
    Global,
    /// `x.f()`
    Member,
}

/// Feature gates of kube-apiserver that change an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvironmentGate {
    /// `DRAConsumableCapacity`: `device.allowMultipleAllocations`.
    ConsumableCapacity,
    /// `DRAListTypeAttributes`: lists as attributes, `includes()`.
    ListTypeAttributes,
}

/// Returns all functions in the order of their names within each part.
///
/// ```
/// assert!(claimkit_cel::functions::all().any(|function| function.name == "startsWith"));
/// ```
pub fn all() -> impl Iterator<Item = &'static Function> {
    language().iter().chain(libraries())
}

/// Returns the functions of the language itself.
pub(crate) fn language() -> &'static [Function] {
    standard::FUNCTIONS
}

/// Returns the functions of cel-go's extensions and of kube-apiserver.
pub(crate) fn libraries() -> &'static [Function] {
    libraries::FUNCTIONS
}

const fn evaluated(name: &'static str, overloads: &'static [Overload]) -> Function {
    Function {
        name,
        dispatch: Dispatch::Evaluator,
        overloads,
    }
}

const fn one(
    name: &'static str,
    takes: fn(&Value) -> bool,
    call: Implementation,
    overloads: &'static [Overload],
) -> Function {
    Function {
        name,
        dispatch: Dispatch::One { takes, call },
        overloads,
    }
}

const fn overloaded(name: &'static str, overloads: &'static [Overload]) -> Function {
    Function {
        name,
        dispatch: Dispatch::Overloads,
        overloads,
    }
}

const fn global(id: &'static str, signature: &'static str) -> Overload {
    Overload {
        id,
        signature,
        style: CallStyle::Global,
        call: None,
        new: 0,
        stored: 0,
        until: u8::MAX,
        gate: None,
        gate_until: u8::MAX,
        stops_early: false,
    }
}

const fn member(id: &'static str, signature: &'static str) -> Overload {
    Overload {
        id,
        signature,
        style: CallStyle::Member,
        call: None,
        new: 0,
        stored: 0,
        until: u8::MAX,
        gate: None,
        gate_until: u8::MAX,
        stops_early: false,
    }
}

impl Overload {
    const fn calls(mut self, call: Implementation) -> Self {
        self.call = Some(call);
        self
    }

    const fn stops_early(mut self) -> Self {
        self.stops_early = true;
        self
    }

    const fn since(mut self, new: u8, stored: u8) -> Self {
        self.new = new;
        self.stored = stored;
        self
    }

    const fn until(mut self, minor: u8) -> Self {
        self.until = minor;
        self
    }

    const fn with_gate(mut self, gate: EnvironmentGate, minor: u8) -> Self {
        self.gate = Some(gate);
        self.since(minor, minor)
    }

    const fn gate_until(mut self, minor: u8) -> Self {
        self.gate_until = minor;
        self
    }
}

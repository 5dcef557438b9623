//! What a run costs (cel-go, `interpreter/runtimecost.go`; kube-apiserver, `k8s.io/apiserver/pkg/cel/library/cost.go`, `CallCost`).

use super::super::dialect::DialectRules;
use super::super::environment::Declaration;
use super::super::evaluator::attributes::go_type;
use super::super::operations::{EvaluationScope, takes};
use super::super::value::Value;
use super::functions::{self, ExtensionFunction, LibraryFunction};
use super::{AUTHORIZER_CHECK, NEW_LIST, REGEX, TRAVERSAL, times};

/// Counts costs up to a limit.
///
/// cel-go keeps the values of sub-expressions on a stack, by number, and a call costs something only if all its arguments are found
/// there. Only the numbers are kept here: they decide what is counted.
#[derive(Debug)]
pub struct Spending {
    spent: u64,
    limit: u64,
    stack: Vec<u32>,
    /// How often a number is on the stack. Most searches of a long stack are for one that is not.
    counts: Vec<u32>,
    /// The evaluation was stopped: nothing more is counted.
    stopped: bool,
    /// Steps count their own cost, whatever is on the stack (cel-go 0.33).
    keeps_no_stack: bool,
}

impl Spending {
    /// Creates a counter with nothing spent.
    pub fn new(limit: u64, rules: &DialectRules) -> Spending {
        Spending {
            spent: 0,
            keeps_no_stack: rules.steps_count_their_cost,
            limit,
            stack: Vec::with_capacity(16),
            counts: Vec::new(),
            stopped: false,
        }
    }

    /// Returns the cost spent until now.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Returns the cost that may still be spent.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.spent)
    }

    /// Returns true if more was spent than allowed.
    pub fn is_exhausted(&self) -> bool {
        self.spent > self.limit
    }

    /// Adds to the cost spent.
    pub fn add(&mut self, cost: u64) {
        // After the limit is exceeded, nothing more is counted.
        if !self.stopped && !self.is_exhausted() {
            self.spent = self.spent.saturating_add(cost);
        }
    }

    /// Counts nothing from now on: Go has left the steps that are under way.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Puts a computed value on the stack.
    pub fn push(&mut self, id: u32) {
        if self.keeps_no_stack {
            return;
        }
        let place = id as usize;
        if place >= self.counts.len() {
            self.counts.resize(place.saturating_add(1), 0);
        }
        if let Some(count) = self.counts.get_mut(place) {
            *count = count.saturating_add(1);
        }
        self.stack.push(id);
    }

    /// Takes a used value and everything above it from the stack. Returns false if it is not on the stack.
    pub fn drop(&mut self, id: u32) -> bool {
        if self.keeps_no_stack {
            return true;
        }
        if self.counts.get(id as usize).is_none_or(|count| *count == 0) {
            return false;
        }
        while let Some(top) = self.stack.pop() {
            if let Some(count) = self.counts.get_mut(top as usize) {
                *count = count.saturating_sub(1);
            }
            if top == id {
                break;
            }
        }
        true
    }

    /// Drops the arguments of a call, last first. Returns false if one is not on the stack.
    pub fn drop_arguments(&mut self, mut ids: impl DoubleEndedIterator<Item = u32>) -> bool {
        ids.by_ref().rev().all(|id| self.drop(id))
    }
}

/// Extra cost of the longer URI regular expression in early releases.
const URI_COST: u64 = 4;

/// The rule that computes the cost of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallCost {
    /// Each call costs 1.
    Unit,
    /// Size of an argument, by a tenth: a traversal.
    Traversal(u8),
    /// Two traversals of an argument.
    TwoTraversals(u8),
    /// Two traversals of the result.
    TwoOfResult,
    /// All parts of the first argument.
    Parts,
    /// Size of the second argument.
    SizeOfSecond,
    /// Traversal of both arguments, once.
    Sum,
    /// Traversal of the smaller argument.
    Smaller,
    /// Traversals of both arguments, multiplied.
    Product,
    /// A regular expression in the second argument over the first.
    Regex,
    /// A network against an address or a network; true if the second argument is a text.
    Network {
        /// The argument is compared with a network.
        compares_network: bool,
        /// A text has to be read.
        reads_text: bool,
    },
    /// A named format's largest regular expression over the second argument.
    Format {
        /// The one for URIs is longer.
        longer_uri: bool,
    },
    /// Each call costs a fixed amount.
    Fixed(u64),
    /// Sizes of both lists, multiplied, and this factor.
    Sets(u64),
    /// A new list as large as the result, which counts as 1 if the call failed; 0 since cel-go 0.33.
    NewList {
        /// The size of a failure.
        failed: u64,
    },
    /// A new list, a times the depth.
    Flatten,
    /// A new list after comparing the elements of the argument with each other.
    SelfCompare(u8),
}

impl CallCost {
    /// Returns the rule for a function; `overload` is known if only one can match.
    pub fn of(function: &Declaration, overload: Option<&str>, rules: &DialectRules) -> CallCost {
        let id = overload.unwrap_or("");
        if function.of_library
            && let Some(extension) = ExtensionFunction::of_overload(id, rules)
        {
            return CallCost::of_extension(extension, rules);
        }
        if function.of_library
            && rules.library_costs
            && let Some(library) = LibraryFunction::named(function.name, id, rules)
        {
            return CallCost::of_library(library, rules);
        }
        match id {
            "starts_with_string" | "ends_with_string" if rules.costs_of_arguments => {
                CallCost::Traversal(1)
            }
            "matches" if rules.costs_of_arguments => CallCost::Regex,
            "starts_with_string" | "ends_with_string" | "string_to_bytes" | "bytes_to_string"
            | "strings_quote" | "string_format" => CallCost::Traversal(0),
            "in_list" => CallCost::SizeOfSecond,
            _ if functions::is_order_of_texts(id) => CallCost::Smaller,
            "add_string" | "add_bytes" => CallCost::Sum,
            "matches_string" => CallCost::Regex,
            "contains_string" => CallCost::Product,
            _ => CallCost::Unit,
        }
    }

    fn of_extension(function: ExtensionFunction, rules: &DialectRules) -> CallCost {
        match function {
            ExtensionFunction::CompareSets { times } => CallCost::Sets(u64::from(times)),
            ExtensionFunction::Slice | ExtensionFunction::Range | ExtensionFunction::Reverse => {
                CallCost::NewList {
                    failed: u64::from(!rules.steps_count_their_cost),
                }
            }
            ExtensionFunction::Flatten | ExtensionFunction::FlattenToDepth => CallCost::Flatten,
            ExtensionFunction::Distinct | ExtensionFunction::Sort => CallCost::SelfCompare(0),
            ExtensionFunction::SortByKeys => CallCost::SelfCompare(1),
        }
    }

    fn of_library(function: LibraryFunction, rules: &DialectRules) -> CallCost {
        match function {
            LibraryFunction::Check => CallCost::Fixed(AUTHORIZER_CHECK),
            LibraryFunction::Includes if !rules.costs_of_arguments => CallCost::Unit,
            LibraryFunction::Includes | LibraryFunction::Parts => CallCost::Parts,
            LibraryFunction::Url | LibraryFunction::ChangedText | LibraryFunction::Read => {
                CallCost::Traversal(0)
            }
            LibraryFunction::Replace | LibraryFunction::Split | LibraryFunction::IsCanonical => {
                CallCost::TwoTraversals(0)
            }
            LibraryFunction::Join => CallCost::TwoOfResult,
            LibraryFunction::Find => CallCost::Regex,
            LibraryFunction::Constant => CallCost::Unit,
            LibraryFunction::ContainsIp { reads_text } => CallCost::Network {
                compares_network: false,
                reads_text,
            },
            LibraryFunction::ContainsCidr { reads_text } => CallCost::Network {
                compares_network: true,
                reads_text,
            },
            LibraryFunction::ValidateFormat => CallCost::Format {
                longer_uri: rules.longer_uri_pattern,
            },
        }
    }

    /// Returns the cost of a call. The error is cel-go's failure when it computes the cost of a call that has already failed.
    pub fn spent(self, arguments: &[Value], result: &Value) -> Result<u64, String> {
        Ok(match self {
            CallCost::Unit => 1,
            CallCost::Traversal(index) => traversal(size_at(arguments, usize::from(index))),
            CallCost::TwoTraversals(index) => {
                times(size_at(arguments, usize::from(index)), 2.0 * TRAVERSAL)
            }
            CallCost::TwoOfResult => times(size(result), 2.0 * TRAVERSAL),
            CallCost::Parts => arguments.first().map_or(0, |value| cost_of_parts(value, 0)),
            CallCost::SizeOfSecond => size_at(arguments, 1),
            CallCost::Sum => {
                let (first, second) = (size_at(arguments, 0), size_at(arguments, 1));
                traversal(first.saturating_add(second))
            }
            CallCost::Smaller => {
                let (first, second) = (size_at(arguments, 0), size_at(arguments, 1));
                traversal(first.min(second))
            }
            CallCost::Product => {
                let second = traversal(size_at(arguments, 1));
                traversal(size_at(arguments, 0)).saturating_mul(second)
            }
            CallCost::Regex => {
                let text = size_at(arguments, 0).saturating_add(1);
                let pattern = times(size_at(arguments, 1), REGEX);
                traversal(text).saturating_mul(pattern)
            }
            CallCost::Network {
                compares_network,
                reads_text,
            } => {
                let text = if reads_text { size_at(arguments, 1) } else { 0 };
                network_cost(arguments, compares_network).saturating_add(traversal(text))
            }
            CallCost::Format { longer_uri } => format_cost(arguments, longer_uri),
            CallCost::Fixed(cost) => cost,
            CallCost::Sets(factor) => {
                let pairs = size_at(arguments, 0).saturating_mul(size_at(arguments, 1));
                pairs.saturating_mul(factor).saturating_add(1)
            }
            CallCost::NewList { failed } => {
                let count = match result {
                    Value::Error(_) => failed,
                    result => size(result),
                };
                count.saturating_add(NEW_LIST)
            }
            CallCost::Flatten => {
                let depth = match arguments.get(1) {
                    Some(Value::Int(depth)) => *depth as f64,
                    _ => 1.0,
                };
                truncated(size_at(arguments, 0), depth).saturating_add(NEW_LIST)
            }
            CallCost::SelfCompare(index) => {
                let list = arguments.get(usize::from(index));
                let factor = if has_texts(list)? { 2.1 } else { 2.0 };
                let count = list.map_or(1, size);
                truncated(count.saturating_mul(count), factor).saturating_add(NEW_LIST)
            }
        })
    }
}

/// Returns the cost of `containsIP` or, if the argument is a network, of `containsCIDR`, once the argument is read.
fn network_cost(arguments: &[Value], compares_network: bool) -> u64 {
    let size_of_network = size_at(arguments, 0);
    let mut cost = traversal(size_of_network.saturating_mul(2));
    if compares_network {
        cost = cost
            .saturating_add(traversal(size_of_network))
            .saturating_add(1);
    }
    cost
}

/// Returns the cost of `validate`: that of matching the format's pattern.
fn format_cost(arguments: &[Value], longer_uri: bool) -> u64 {
    let Some(Value::Format(format)) = arguments.first() else {
        return 1;
    };
    let mut pattern = times(format.pattern_size, REGEX);
    if longer_uri && format.function == "uri" {
        pattern = pattern.saturating_add(URI_COST);
    }
    let text = size_at(arguments, 1).saturating_add(1);
    traversal(text).saturating_mul(pattern)
}

fn size_at(arguments: &[Value], index: usize) -> u64 {
    arguments.get(index).map_or(1, size)
}

fn traversal(size: u64) -> u64 {
    times(size, TRAVERSAL)
}

/// Returns true if a list begins with a text or bytes; Go's panic for a value that is not a list.
fn has_texts(argument: Option<&Value>) -> Result<bool, String> {
    match argument {
        Some(Value::List(list)) => Ok(matches!(
            list.first(),
            Some(Value::String(_) | Value::Bytes(_))
        )),
        Some(other) => {
            let kind = go_type(other);
            let missing = if takes::addable(other) {
                "Contains"
            } else {
                "Add"
            };
            let why = format!(
                "interface conversion: {kind} is not traits.Lister: missing method {missing}"
            );
            Err(format!("internal error: {why}"))
        }
        None => Ok(false),
    }
}

fn truncated(amount: u64, factor: f64) -> u64 {
    (amount as f64 * factor) as u64
}

/// Returns the size used for costs; a value without a size counts as 1.
#[doc(hidden)]
pub fn size(value: &Value) -> u64 {
    match value {
        Value::Network(network) => (network.prefix_length().unsigned_abs()).div_ceil(8),
        Value::Address(address) => {
            if address.family() == 4 {
                4
            } else {
                16
            }
        }
        other => other.size().unwrap_or(1),
    }
}

/// Deepest value whose parts are counted.
const DEEPEST: u32 = 300;

/// Returns the cost of going through all parts of a value (kube-apiserver, `traversalCost`).
fn cost_of_parts(value: &Value, depth: u32) -> u64 {
    if depth > DEEPEST {
        return 1;
    }
    let deeper = depth.saturating_add(1);
    match value {
        Value::String(s) => truncated(s.len() as u64, 0.1),
        Value::Bytes(b) => truncated(b.len() as u64, 0.1),
        Value::List(list) => list.iter().fold(0, |sum: u64, element| {
            sum.saturating_add(cost_of_parts(element, deeper))
        }),
        Value::Map(map) => map.entries().iter().fold(0, |sum: u64, (key, value)| {
            sum.saturating_add(cost_of_parts(key, deeper))
                .saturating_add(cost_of_parts(value, deeper))
        }),
        _ => 1,
    }
}

/// Returns the cost of `==` and `!=`.
#[doc(hidden)]
pub fn equality(scope: &EvaluationScope<'_>, name: &str, left: &Value, right: &Value) -> u64 {
    if scope.rules().library_costs
        && name == "_==_"
        && matches!(
            left,
            Value::Quantity(..)
                | Value::Version(_)
                | Value::Address(_)
                | Value::Network(_)
                | Value::Format(_)
                | Value::Url(_)
        )
    {
        return 1;
    }
    times(size(left).min(size(right)), 0.1)
}

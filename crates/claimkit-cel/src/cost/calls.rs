//! Estimates of calls: kube-apiserver's functions (`k8s.io/apiserver/pkg/cel/library/cost.go`, `EstimateCallCost`), cel-go's extensions
//! and its standard functions.

use super::super::ast::{ExprNode, Literal};
use super::super::dialect::DialectRules;
use super::super::types::Type;
use super::argument::ArgumentCost;
use super::functions::{self, ExtensionFunction, LibraryFunction};
use super::{AUTHORIZER_CHECK, CostRange, NEW_LIST, REGEX, Size, TRAVERSAL};

/// Code points that the regular expression of a named format has at most.
const LARGEST_FORMAT: f64 = 128.0;

/// Bytes of an address.
const BYTES_OF_ADDRESS: Size = Size { min: 4, max: 16 };

/// Code points of a format's name at most.
const LONGEST_FORMAT_NAME: u64 = 64;

/// The estimate of a call.
#[derive(Clone, Copy)]
pub(super) struct CallEstimate {
    pub(super) cost: CostRange,
    /// The size of the result, if the function says something about it.
    pub(super) result: Option<Size>,
}

impl CallEstimate {
    pub(super) fn of_cost(cost: CostRange) -> Self {
        CallEstimate { cost, result: None }
    }

    pub(super) fn with_result(cost: CostRange, result: Size) -> Self {
        CallEstimate {
            cost,
            result: Some(result),
        }
    }

    fn fixed(cost: u64) -> Self {
        CallEstimate::of_cost(CostRange::fixed(cost))
    }

    fn new_list(factor: f64, size: Size) -> Self {
        let cost = size.times(factor).add(CostRange::fixed(NEW_LIST));
        CallEstimate::with_result(cost, size)
    }
}

/// A call of a function. No estimate of a call includes the costs of its receiver and arguments.
#[derive(Clone, Copy)]
pub(super) struct EstimatedCall<'c, 'a> {
    pub(super) rules: &'c DialectRules,
    pub(super) name: &'c str,
    pub(super) overload: &'c str,
    pub(super) receiver: Option<&'c ArgumentCost<'a>>,
    pub(super) arguments: &'c [ArgumentCost<'a>],
}

impl<'c, 'a> EstimatedCall<'c, 'a> {
    /// Returns the receiver; of a function without one, the first argument.
    fn first(&self) -> Option<&'c ArgumentCost<'a>> {
        self.receiver.or(self.arguments.first())
    }

    fn receiver_size(&self) -> Option<Size> {
        Some(self.receiver?.size())
    }

    fn argument_size(&self, index: usize) -> Option<Size> {
        Some(self.arguments.get(index)?.size())
    }

    /// Estimates a library's function, or `==` of a library's objects; `None` for those of the language.
    pub(super) fn estimate_library(&self) -> Option<CallEstimate> {
        if let Some(function) = ExtensionFunction::of_overload(self.overload, self.rules) {
            return self.estimate_extension(function);
        }
        if let Some(function) = LibraryFunction::named(self.name, self.overload, self.rules) {
            return self.estimate_library_function(function);
        }
        match self.name {
            "_==_" => self.estimate_equality(),
            "getScheme" | "getHostname" | "getHost" | "getPort" | "getEscapedPath" | "getQuery"
                if self.rules.sizes_are_nested =>
            {
                self.estimate_url_part()
            }
            _ => None,
        }
    }

    fn estimate_library_function(&self, function: LibraryFunction) -> Option<CallEstimate> {
        match function {
            LibraryFunction::Check => Some(CallEstimate::fixed(AUTHORIZER_CHECK)),
            LibraryFunction::Constant => Some(CallEstimate::fixed(1)),
            LibraryFunction::Parts => self.estimate_parts(),
            LibraryFunction::Includes if self.rules.costs_of_arguments => {
                let of = self.receiver?;
                let cost = of.size().times_cost(element_cost(of));
                Some(CallEstimate::of_cost(cost))
            }
            LibraryFunction::Includes => Some(CallEstimate::fixed(48)),
            LibraryFunction::Url => {
                let size = self.argument_size(0)?;
                Some(CallEstimate::with_result(size.times(TRAVERSAL), size))
            }
            LibraryFunction::ChangedText => {
                let size = self.receiver_size()?;
                Some(CallEstimate::with_result(size.times(TRAVERSAL), size))
            }
            LibraryFunction::Replace => {
                let size = self.receiver_size()?;
                let cost = size.times(2.0 * TRAVERSAL);
                let result = replaced(size, self.argument_size(0)?, self.argument_size(1)?);
                Some(CallEstimate::with_result(cost, result))
            }
            LibraryFunction::Split => self.estimate_split(),
            LibraryFunction::Join => self.estimate_join(),
            LibraryFunction::Find => self.estimate_find(),
            LibraryFunction::Read => self.estimate_traversals(1.0),
            LibraryFunction::IsCanonical => self.estimate_traversals(2.0),
            LibraryFunction::ContainsIp { reads_text } => {
                let bytes = BYTES_OF_ADDRESS;
                let cost = bytes.add(bytes).times(TRAVERSAL);
                self.estimate_contains(cost, reads_text)
            }
            LibraryFunction::ContainsCidr { reads_text } => {
                let bytes = BYTES_OF_ADDRESS;
                let cost = bytes.add(bytes).times(TRAVERSAL);
                let cost = cost.add(bytes.times(TRAVERSAL)).add(CostRange::fixed(1));
                self.estimate_contains(cost, reads_text)
            }
            LibraryFunction::ValidateFormat => {
                let text = self.argument_size(0)?.times(TRAVERSAL);
                Some(CallEstimate::of_cost(text.times(LARGEST_FORMAT * REGEX)))
            }
        }
    }

    fn estimate_traversals(&self, count: f64) -> Option<CallEstimate> {
        let size = self.first()?.size();
        Some(CallEstimate::of_cost(size.times(TRAVERSAL * count)))
    }

    fn estimate_parts(&self) -> Option<CallEstimate> {
        let of = self.receiver?;
        let cost = match of.kind {
            Type::List(_) => of.size().times_cost(element_cost(of)),
            _ => of.size().times(TRAVERSAL),
        };
        Some(CallEstimate::of_cost(cost))
    }

    fn estimate_split(&self) -> Option<CallEstimate> {
        let size = self.receiver_size()?;
        let max = match self.arguments.get(1).map(|limit| &limit.expr.node) {
            // Go's conversion: the limit -1, for all pieces, is the largest number.
            Some(ExprNode::Literal(Literal::Int(limit))) => limit.cast_unsigned(),
            _ => size.max,
        };
        let cost = size.times(2.0 * TRAVERSAL);
        Some(CallEstimate::with_result(cost, Size { min: 0, max }))
    }

    fn estimate_join(&self) -> Option<CallEstimate> {
        let list = self.receiver?;
        let count = list.size();
        let mut size = count.multiply(element_size(list));
        if let Some(separator) = self.arguments.first() {
            let separators = Size {
                min: count.min.saturating_sub(1),
                max: count.max.saturating_sub(1),
            };
            size = size.add(separator.size().multiply(separators));
        }
        Some(CallEstimate::with_result(size.times(TRAVERSAL), size))
    }

    fn estimate_find(&self) -> Option<CallEstimate> {
        let size = self.receiver_size()?;
        let pattern = self.argument_size(0)?.times(REGEX);
        let text = size.add(Size::fixed(1)).times(TRAVERSAL);
        let result = Size {
            min: 0,
            max: size.max,
        };
        Some(CallEstimate::with_result(text.multiply(pattern), result))
    }

    fn estimate_contains(&self, cost: CostRange, reads_text: bool) -> Option<CallEstimate> {
        if !reads_text {
            return Some(CallEstimate::of_cost(cost));
        }
        let text = self.argument_size(0)?.times(TRAVERSAL);
        Some(CallEstimate::of_cost(cost.add(text)))
    }

    fn estimate_url_part(&self) -> Option<CallEstimate> {
        let mut size = self.receiver_size()?;
        if self.name == "getEscapedPath" {
            size = size.multiply(Size { min: 1, max: 3 });
        }
        Some(CallEstimate::with_result(CostRange::fixed(1), size))
    }

    /// Estimates the comparison of two objects of the same kind; that of an object and a value of another type is an ordinary one.
    fn estimate_equality(&self) -> Option<CallEstimate> {
        let first = self.first()?;
        let second = self.arguments.get(1)?;
        if second.kind != first.kind {
            return None;
        }
        match first.kind {
            Type::Struct(kind) => match &**kind {
                "kubernetes.Quantity" | "kubernetes.Semver" => Some(CallEstimate::fixed(1)),
                "kubernetes.NamedFormat" => {
                    let name = Size {
                        min: 1,
                        max: LONGEST_FORMAT_NAME,
                    };
                    Some(CallEstimate::of_cost(name.times(TRAVERSAL)))
                }
                "kubernetes.URL" => {
                    // Upstream takes the right side for both.
                    let most = second.size.map_or(1, |size| size.max);
                    let size = Size { min: 1, max: most };
                    Some(CallEstimate::of_cost(size.times(TRAVERSAL)))
                }
                _ => None,
            },
            Type::Opaque(kind, _) if kind.starts_with("net.") => Some(CallEstimate::fixed(1)),
            _ => None,
        }
    }

    fn estimate_extension(&self, function: ExtensionFunction) -> Option<CallEstimate> {
        let overload = self.overload;
        let sorts_texts = overload.contains("_string_") || overload.contains("_bytes_");
        match function {
            ExtensionFunction::CompareSets { times } => self.estimate_set_comparison(times),
            ExtensionFunction::Slice => {
                let size = self.receiver_size()?;
                let start = constant(self.arguments.first()?, 0);
                let end = constant(self.arguments.get(1)?, size.max);
                let count = Size::fixed(end.wrapping_sub(start));
                Some(CallEstimate::new_list(1.0, count))
            }
            ExtensionFunction::Range => {
                let count = constant(self.arguments.first()?, u64::MAX);
                Some(CallEstimate::new_list(1.0, Size::fixed(count)))
            }
            ExtensionFunction::Reverse | ExtensionFunction::Flatten => {
                Some(CallEstimate::new_list(1.0, self.receiver_size()?))
            }
            ExtensionFunction::FlattenToDepth => {
                let depth = constant(self.arguments.first()?, u64::MAX);
                Some(CallEstimate::new_list(depth as f64, self.receiver_size()?))
            }
            ExtensionFunction::Distinct => {
                let of = self.receiver?;
                let element = match of.kind {
                    Type::List(element) if self.rules.sizes_are_nested => Some(&**element),
                    _ => None,
                };
                let of_texts = matches!(element, Some(Type::String | Type::Bytes));
                Some(compare_elements(of, of_texts))
            }
            ExtensionFunction::Sort => Some(compare_elements(self.receiver?, sorts_texts)),
            ExtensionFunction::SortByKeys => {
                Some(compare_elements(self.arguments.first()?, sorts_texts))
            }
        }
    }

    /// Estimates the comparison of each element of a list with each of another.
    fn estimate_set_comparison(&self, times: u8) -> Option<CallEstimate> {
        let [left, right] = self.arguments else {
            return None;
        };
        let pairs = left.size().multiply(right.size());
        let cost = pairs.times(f64::from(times)).add(CostRange::fixed(1));
        Some(CallEstimate::of_cost(cost))
    }

    /// Estimates the language's own functions.
    pub(super) fn estimate_language_function(&self) -> CallEstimate {
        let rules = self.rules;
        let cost = match (self.overload, self.receiver, self.arguments) {
            ("string_format", Some(of), _) => traverse(rules, of),
            ("string_to_bytes", None, [of]) => {
                let result = bytes_of(rules, of.size());
                return CallEstimate::with_result(traverse(rules, of), result);
            }
            ("bytes_to_string", None, [of]) => {
                let result = code_points_of(rules, of.size());
                return CallEstimate::with_result(traverse(rules, of), result);
            }
            ("strings_quote", None, [of]) => {
                let result = quoted(rules, of.size());
                return CallEstimate::with_result(traverse(rules, of), result);
            }
            ("starts_with_string" | "ends_with_string", _, [of]) => traverse(rules, of),
            ("in_list", _, [_, list]) => list.size().times(1.0),
            ("matches", None, [of, pattern]) if rules.costs_of_arguments => {
                search(rules, of, pattern)
            }
            ("matches_string", Some(of), [pattern]) => search(rules, of, pattern),
            ("contains_string", Some(of), [piece]) => {
                traverse(rules, of).multiply(traverse(rules, piece))
            }
            ("equals" | "not_equals", _, [left, right]) => compare(left, right),
            (overload, _, [left, right]) if functions::is_order_of_texts(overload) => {
                compare(left, right)
            }
            _ => CostRange::fixed(1),
        };
        CallEstimate::of_cost(cost)
    }
}

/// Returns the cost of comparing one element. The keys of a map count as elements, whatever is known of its values.
fn element_cost(of: &ArgumentCost<'_>) -> CostRange {
    let one = CostRange::fixed(1);
    let element = of.kind.parameters().first().copied();
    if !matches!(element, Some(Type::String | Type::Bytes)) {
        return one;
    }
    let size =
        of.path
            .and_then(|bounds| bounds.element.as_deref())
            .map_or(Size::UNKNOWN, |bounds| Size {
                min: 0,
                max: bounds.size,
            });
    one.add(size.times(TRAVERSAL))
}

/// Returns the size of a list's elements; of other arguments, none.
fn element_size(argument: &ArgumentCost<'_>) -> Size {
    if !matches!(argument.kind, Type::List(_) | Type::Opaque(..)) {
        return Size::fixed(0);
    }
    match argument.path.and_then(|bounds| bounds.element.as_deref()) {
        Some(bounds) => Size {
            min: 0,
            max: bounds.size,
        },
        None => Size::UNKNOWN,
    }
}

/// Returns the size of a text in which something was replaced.
fn replaced(size: Size, old: Size, new: Size) -> Size {
    let (most, most_kept) = if old.min == 0 {
        (size.max.saturating_add(1), size.max)
    } else if new.max <= old.min {
        (0, size.max)
    } else {
        (quotient(size.max, old.min), 0)
    };
    let (least, least_kept) = if old.max == 0 {
        (size.min.saturating_add(1), size.min)
    } else if old.max <= new.min {
        (0, size.min)
    } else {
        (quotient(size.min, old.max), 0)
    };
    Size {
        min: least,
        max: most,
    }
    .multiply(new)
    .add(Size {
        min: least_kept,
        max: most_kept,
    })
}

fn quotient(dividend: u64, divisor: u64) -> u64 {
    (dividend as f64 / divisor as f64).ceil() as u64
}

/// Estimates a new list after the comparison of a list's elements with each other.
fn compare_elements(of: &ArgumentCost<'_>, are_texts: bool) -> CallEstimate {
    let size = of.size();
    let factor = if are_texts { 2.1 } else { 2.0 };
    CallEstimate::new_list(factor, size.multiply(size))
}

/// Returns the value of a literal, as an unsigned number.
fn constant(argument: &ArgumentCost<'_>, otherwise: u64) -> u64 {
    match argument.expr.node {
        ExprNode::Literal(Literal::Int(value)) => u64::try_from(value).unwrap_or(0),
        ExprNode::Literal(Literal::Uint(value)) => value,
        _ => otherwise,
    }
}

/// Returns a factor of a size. Since cel-go 0.33 that of an unbounded size is unbounded (`common/cost/model.go`, `scaleExpr`).
pub(super) fn scaled(rules: &DialectRules, size: Size, factor: f64) -> CostRange {
    let mut cost = size.times(factor);
    if rules.sizes_are_nested && size.max == u64::MAX {
        cost.max = u64::MAX;
    }
    cost
}

/// Returns the cost of going through an argument.
fn traverse(rules: &DialectRules, of: &ArgumentCost<'_>) -> CostRange {
    scaled(rules, of.size(), TRAVERSAL)
}

/// Returns the cost of comparing two arguments: that of going through the smaller one.
fn compare(left: &ArgumentCost<'_>, right: &ArgumentCost<'_>) -> CostRange {
    let most = left.size().max.min(right.size().max);
    CostRange {
        min: u64::from(most > 0),
        max: most,
    }
    .times(TRAVERSAL)
}

/// Returns the cost of a regular expression over an argument.
fn search(rules: &DialectRules, of: &ArgumentCost<'_>, pattern: &ArgumentCost<'_>) -> CostRange {
    let text = of.size().add(Size::fixed(1));
    scaled(rules, text, TRAVERSAL).multiply(scaled(rules, pattern.size(), REGEX))
}

/// Returns the number of bytes of a text with this number of code points.
fn bytes_of(rules: &DialectRules, size: Size) -> Size {
    let max = if rules.sizes_are_nested {
        size.max.saturating_mul(4)
    } else {
        size.max.wrapping_mul(4)
    };
    Size { min: size.min, max }
}

/// Returns the number of code points of a text with this number of bytes.
fn code_points_of(rules: &DialectRules, size: Size) -> Size {
    let min = if rules.sizes_are_nested {
        size.min.div_ceil(4)
    } else {
        size.min / 4
    };
    Size { min, max: size.max }
}

/// Returns the size of a text in quotes, in which each character may have a backslash.
fn quoted(rules: &DialectRules, size: Size) -> Size {
    if rules.sizes_are_nested {
        Size {
            min: size.min.saturating_add(2),
            max: size.max.saturating_mul(2).saturating_add(2),
        }
    } else {
        Size {
            min: size.min.wrapping_add(2),
            max: size.max.wrapping_mul(2).wrapping_add(2),
        }
    }
}

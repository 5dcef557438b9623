//! Estimates of calls: kube-apiserver's functions (`k8s.io/apiserver/pkg/cel/library/cost.go`, `EstimateCallCost`), cel-go's extensions
//! and its standard functions.

use super::super::ast::{ExprNode, Literal};
use super::super::dialect::DialectRules;
use super::super::types::Type;
use super::argument::ArgumentCost;
use super::{CostRange, Size};

/// Cost of one traversal of a text of this size.
const TRAVERSAL: f64 = 0.1;

/// Cost of a regular expression's code points.
const REGEX: f64 = 0.25;

/// Code points that the regular expression of a named format has at most.
const LARGEST_FORMAT: f64 = 128.0;

/// Code points of a format's name at most.
const LONGEST_FORMAT_NAME: u64 = 64;

type Estimate = (CostRange, Option<Size>);

/// Estimates calls of library functions; `None` for those of the language.
pub(super) fn library(
    rules: &DialectRules,
    name: &str,
    overload: &str,
    receiver: Option<&ArgumentCost<'_>>,
    arguments: &[ArgumentCost<'_>],
) -> Option<Estimate> {
    if let Some(found) = extension(rules, overload, receiver, arguments) {
        return Some(found);
    }
    let first = receiver.or(arguments.first());
    let unit = Some((CostRange::fixed(1), None));
    let traversal =
        |of: &ArgumentCost<'_>, count: f64| Some((of.size().times(TRAVERSAL * count), None));
    match name {
        "check" => Some((CostRange::fixed(350_000), None)),
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
            let of = receiver?;
            let cost = match of.kind {
                Type::List(_) => of.size().times_cost(element_cost(of)),
                _ => of.size().times(TRAVERSAL),
            };
            Some((cost, None))
        }
        "url" => {
            let size = arguments.first()?.size();
            Some((size.times(TRAVERSAL), Some(size)))
        }
        "lowerAscii" | "upperAscii" | "substring" | "trim" => {
            let size = receiver?.size();
            Some((size.times(TRAVERSAL), Some(size)))
        }
        "replace" => {
            let size = receiver?.size();
            let (old, new) = (arguments.first()?.size(), arguments.get(1)?.size());
            let result = replaced(size, old, new);
            Some((size.times(2.0 * TRAVERSAL), Some(result)))
        }
        "split" => {
            let size = receiver?.size();
            let max = match arguments.get(1).map(|limit| &limit.expr.node) {
                // Go's conversion: the limit -1, for all pieces, is the largest number.
                Some(ExprNode::Literal(Literal::Int(limit))) => limit.cast_unsigned(),
                _ => size.max,
            };
            Some((size.times(2.0 * TRAVERSAL), Some(Size { min: 0, max })))
        }
        "join" => {
            let list = receiver?;
            let count = list.size();
            let mut size = count.multiply(element_size(list));
            if let Some(separator) = arguments.first() {
                let separators = Size {
                    min: count.min.saturating_sub(1),
                    max: count.max.saturating_sub(1),
                };
                size = size.add(separator.size().multiply(separators));
            }
            Some((size.times(TRAVERSAL), Some(size)))
        }
        "find" | "findAll" => {
            let size = receiver?.size();
            let pattern = arguments.first()?.size().times(REGEX);
            let text = size.add(Size::fixed(1)).times(TRAVERSAL);
            let result = Size {
                min: 0,
                max: size.max,
            };
            Some((text.multiply(pattern), Some(result)))
        }
        "ip" if overload == "cidr_ip" => unit,
        "semver" | "isSemver" if rules.plain_versions => unit,
        "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver" | "isSemver" => {
            traversal(first?, 1.0)
        }
        "ip.isCanonical" => traversal(first?, 2.0),
        "containsIP" | "containsCIDR" => {
            let bytes = Size { min: 4, max: 16 };
            let mut cost = bytes.add(bytes).times(TRAVERSAL);
            if name == "containsCIDR" {
                cost = cost.add(bytes.times(TRAVERSAL)).add(CostRange::fixed(1));
            }
            if overload.ends_with("_string") {
                let text = arguments.first()?.size();
                cost = cost.add(text.times(TRAVERSAL));
            }
            Some((cost, None))
        }
        "getScheme" | "getHostname" | "getHost" | "getPort" | "getEscapedPath" | "getQuery"
            if rules.sizes_are_nested =>
        {
            let mut size = receiver?.size();
            if name == "getEscapedPath" {
                size = size.multiply(Size { min: 1, max: 3 });
            }
            Some((CostRange::fixed(1), Some(size)))
        }
        "validate" => {
            let size = arguments.first()?.size();
            Some((size.times(TRAVERSAL).times(LARGEST_FORMAT * REGEX), None))
        }
        "includes" if !rules.costs_of_arguments => Some((CostRange::fixed(48), None)),
        "includes" => {
            let of = receiver?;
            Some((of.size().times_cost(element_cost(of)), None))
        }
        // Objects of the same kind; an object and a value of another type is an ordinary comparison.
        "_==_" if arguments.get(1)?.kind == first?.kind => match first?.kind {
            Type::Struct(kind)
                if matches!(&**kind, "kubernetes.Quantity" | "kubernetes.Semver") =>
            {
                unit
            }
            Type::Struct(kind) if &**kind == "kubernetes.NamedFormat" => Some((
                Size {
                    min: 1,
                    max: LONGEST_FORMAT_NAME,
                }
                .times(TRAVERSAL),
                None,
            )),
            // Upstream takes the right side for both.
            Type::Struct(kind) if &**kind == "kubernetes.URL" => {
                let most = arguments.get(1)?.size.map_or(1, |size| size.max);
                Some((Size { min: 1, max: most }.times(TRAVERSAL), None))
            }
            Type::Opaque(kind, _) if kind.starts_with("net.") => unit,
            _ => None,
        },
        _ => None,
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

/// Estimates calls of cel-go's extensions, which estimate them themselves (`ext/lists.go`, `ext/sets.go`).
fn extension(
    rules: &DialectRules,
    overload: &str,
    receiver: Option<&ArgumentCost<'_>>,
    arguments: &[ArgumentCost<'_>],
) -> Option<Estimate> {
    match overload {
        "list_sets_contains_list" | "list_sets_intersects_list" => {
            return compare_sets(arguments, 1.0);
        }
        "list_sets_equivalent_list" => return compare_sets(arguments, 2.0),
        _ if !rules.list_costs => return None,
        _ => {}
    }
    let sorts_texts = overload.contains("_string_") || overload.contains("_bytes_");
    match overload {
        "list_slice" => {
            let size = receiver?.size();
            let start = constant(arguments.first()?, 0);
            let end = constant(arguments.get(1)?, size.max);
            new_list(1.0, Size::fixed(end.wrapping_sub(start)))
        }
        "lists_range" => new_list(1.0, Size::fixed(constant(arguments.first()?, u64::MAX))),
        "list_reverse" => new_list(1.0, receiver?.size()),
        "list_flatten" => new_list(1.0, receiver?.size()),
        "list_flatten_int" => new_list(
            constant(arguments.first()?, u64::MAX) as f64,
            receiver?.size(),
        ),
        "list_distinct" => {
            let of = receiver?;
            let element = match of.kind {
                Type::List(element) if rules.sizes_are_nested => Some(&**element),
                _ => None,
            };
            let of_texts = matches!(element, Some(Type::String | Type::Bytes));
            compare_elements(of, of_texts)
        }
        _ if overload.ends_with("_sort") => compare_elements(receiver?, sorts_texts),
        _ if overload.ends_with("_sortByAssociatedKeys") => {
            compare_elements(arguments.first()?, sorts_texts)
        }
        _ => None,
    }
}

/// Estimates the comparison of each element of a list with each of another.
fn compare_sets(arguments: &[ArgumentCost<'_>], factor: f64) -> Option<Estimate> {
    let [left, right] = arguments else {
        return None;
    };
    let pairs = left.size().multiply(right.size());
    Some((pairs.times(factor).add(CostRange::fixed(1)), None))
}

fn new_list(factor: f64, size: Size) -> Option<Estimate> {
    Some((size.times(factor).add(CostRange::fixed(11)), Some(size)))
}

/// Estimates a new list after the comparison of a list's elements with each other.
fn compare_elements(of: &ArgumentCost<'_>, are_texts: bool) -> Option<Estimate> {
    let size = of.size();
    let factor = if are_texts { 2.1 } else { 2.0 };
    new_list(factor, size.multiply(size))
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

/// Estimates calls of the language's own functions.
pub(super) fn standard(
    rules: &DialectRules,
    overload: &str,
    receiver: Option<&ArgumentCost<'_>>,
    arguments: &[ArgumentCost<'_>],
) -> Estimate {
    let cost = match (overload, receiver, arguments) {
        ("string_format", Some(of), _) => traverse(rules, of),
        ("string_to_bytes", None, [of]) => {
            return (traverse(rules, of), Some(bytes_of(rules, of.size())));
        }
        ("bytes_to_string", None, [of]) => {
            return (traverse(rules, of), Some(code_points_of(rules, of.size())));
        }
        ("strings_quote", None, [of]) => {
            return (traverse(rules, of), Some(quoted(rules, of.size())));
        }
        ("starts_with_string" | "ends_with_string", _, [of]) => traverse(rules, of),
        ("in_list", _, [_, list]) => list.size().times(1.0),
        ("matches", None, [of, pattern]) if rules.costs_of_arguments => search(rules, of, pattern),
        ("matches_string", Some(of), [pattern]) => search(rules, of, pattern),
        ("contains_string", Some(of), [piece]) => {
            traverse(rules, of).multiply(traverse(rules, piece))
        }
        (
            "less_string"
            | "greater_string"
            | "less_equals_string"
            | "greater_equals_string"
            | "less_bytes"
            | "greater_bytes"
            | "less_equals_bytes"
            | "greater_equals_bytes"
            | "equals"
            | "not_equals",
            _,
            [left, right],
        ) => {
            let most = left.size().max.min(right.size().max);
            CostRange {
                min: u64::from(most > 0),
                max: most,
            }
            .times(TRAVERSAL)
        }
        _ => CostRange::fixed(1),
    };
    (cost, None)
}

//! Quantities, versions and named formats (kube-apiserver, `pkg/cel/library/quantity.go`, `semverlib.go`, `format.go`).

use std::cmp::Ordering;
use std::sync::Arc;

use super::super::error::Error;
use super::super::library::named_formats::{self, Lengths};
use super::super::library::quantity::CelQuantity;
use super::super::library::semver::SemanticVersion;
use super::super::value::{QuantityOrigin, Value};
use super::EvaluationScope;

/// Computes `quantity(text)`.
pub fn quantity(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(text)] => match CelQuantity::parse_by(text, scope.rules().quantities) {
            Ok(quantity) => Value::Quantity(Arc::new(quantity), QuantityOrigin::Read),
            Err(error) => Value::error(error.message()),
        },
        _ => Value::no_such_overload(),
    }
}

/// Computes `isQuantity(text)`.
pub fn is_quantity(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(text)] => {
            Value::Bool(CelQuantity::parse_by(text, scope.rules().quantities).is_ok())
        }
        _ => Value::no_such_overload(),
    }
}

fn of_quantity(
    scope: &EvaluationScope<'_>,
    arguments: &[Value],
    read: impl Fn(&CelQuantity) -> Value,
) -> Value {
    match arguments {
        [Value::Quantity(quantity, _)] => read(scope.shared.now(quantity)),
        _ => Value::no_such_overload(),
    }
}

/// Computes `q.sign()`.
pub fn sign(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_quantity(scope, arguments, |quantity| Value::Int(quantity.sign()))
}

/// Computes `q.isInteger()`.
pub fn is_integer(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_quantity(scope, arguments, |quantity| {
        Value::Bool(quantity.is_integer())
    })
}

/// Computes `q.asInteger()`.
pub fn as_integer(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_quantity(scope, arguments, |quantity| {
        quantity.as_integer().map_or_else(Value::error, Value::Int)
    })
}

/// Computes `q.asApproximateFloat()`.
pub fn as_approximate_float(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_quantity(scope, arguments, |quantity| {
        Value::Double(quantity.as_approximate_float())
    })
}

/// Steps of a computation with a quantity beyond 64 bits.
const LARGE_STEPS: u64 = 64;

fn computed(
    scope: &mut EvaluationScope<'_>,
    arguments: &[Value],
    compute: impl Fn(&CelQuantity, &CelQuantity) -> Result<CelQuantity, String>,
) -> Value {
    let (left, result) = match arguments {
        [Value::Quantity(left, _), Value::Quantity(right, _)] => (
            left,
            compute(scope.shared.now(left), scope.shared.now(right)),
        ),
        [Value::Quantity(left, _), Value::Int(right)] => (
            left,
            compute(scope.shared.now(left), &CelQuantity::from_int(*right)),
        ),
        _ => return Value::no_such_overload(),
    };
    let quantity = match result {
        Ok(quantity) => Arc::new(quantity),
        Err(text) => return Value::limit(&text),
    };
    if scope.rules().quantities_share_digits && scope.shared.now(left).is_large() {
        scope.step(LARGE_STEPS);
        let place = scope.shared.enlarge(left);
        scope.shared.write(place, &quantity);
        scope.shared.point(&quantity, place);
    }
    Value::Quantity(quantity, QuantityOrigin::Computed)
}

/// Computes `q.add(r)`.
pub fn add(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    computed(scope, arguments, CelQuantity::add)
}

/// Computes `q.sub(r)`.
pub fn sub(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    computed(scope, arguments, CelQuantity::sub)
}

fn order(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Option<Ordering> {
    match arguments {
        [Value::Quantity(left, _), Value::Quantity(right, _)] => {
            let (now, other) = (scope.shared.now(left), scope.shared.now(right));
            let order = now.compare(other);
            if other.is_large() && !now.is_large() {
                scope.step(LARGE_STEPS);
                scope.shared.enlarge(left);
            }
            Some(order)
        }
        [Value::Version(left), Value::Version(right)] => Some(left.compare(right)),
        _ => None,
    }
}

/// Computes `a.compareTo(b)`.
pub fn compare_to(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    order(scope, arguments).map_or_else(Value::no_such_overload, |order| Value::Int(order as i64))
}

/// Computes `a.isLessThan(b)`.
pub fn is_less_than(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    order(scope, arguments).map_or_else(Value::no_such_overload, |order| Value::Bool(order.is_lt()))
}

/// Computes `a.isGreaterThan(b)`.
pub fn is_greater_than(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    order(scope, arguments).map_or_else(Value::no_such_overload, |order| Value::Bool(order.is_gt()))
}

fn read_version(arguments: &[Value]) -> Option<Result<SemanticVersion, Error>> {
    match arguments {
        [Value::String(text)] | [Value::String(text), Value::Bool(false)] => {
            Some(SemanticVersion::parse(text))
        }
        [Value::String(text), Value::Bool(true)] => Some(SemanticVersion::parse_normalized(text)),
        _ => None,
    }
}

/// Computes `semver(text)`, `semver(text, normalize)`.
pub fn semver(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match read_version(arguments) {
        Some(Ok(version)) => Value::Version(Arc::new(version)),
        Some(Err(text)) => Value::error(text),
        None => Value::no_such_overload(),
    }
}

/// Computes `isSemver(text)`, `isSemver(text, normalize)`.
pub fn is_semver(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    read_version(arguments).map_or_else(Value::no_such_overload, |version| {
        Value::Bool(version.is_ok())
    })
}

fn of_version(arguments: &[Value], read: impl Fn(&SemanticVersion) -> u64) -> Value {
    match arguments {
        // Go converts without a check.
        [Value::Version(version)] => Value::Int(read(version).cast_signed()),
        _ => Value::no_such_overload(),
    }
}

/// Computes `v.major()`.
pub fn major(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_version(arguments, |version| version.major)
}

/// Computes `v.minor()`.
pub fn minor(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_version(arguments, |version| version.minor)
}

/// Computes `v.patch()`.
pub fn patch(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    of_version(arguments, |version| version.patch)
}

/// Computes `format.named(text)`.
pub fn named_format(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::String(name)] => {
            Value::Optional(named_formats::find(name).map(|format| Arc::new(Value::Format(format))))
        }
        _ => Value::no_such_overload(),
    }
}

/// Computes `format.validate(text)`.
pub fn validate(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let [Value::Format(format), Value::String(text)] = arguments else {
        return Value::no_such_overload();
    };
    let problems = format.validate(
        text,
        if scope.rules().lengths_in_bytes {
            Lengths::Bytes
        } else {
            Lengths::Characters
        },
    );
    if problems.is_empty() {
        return Value::Optional(None);
    }
    Value::Optional(Some(Arc::new(Value::list(
        problems.iter().map(Value::string).collect(),
    ))))
}

/// Functions that give a format: one for each name, because the table of functions holds plain functions.
macro_rules! formats {
    ($($function:ident $name:literal,)*) => {
        $(
            #[doc = concat!("`format.", $name, "()`")]
            pub fn $function(_: &mut EvaluationScope<'_>, _: &[Value]) -> Value {
                named_formats::find($name).map_or_else(Value::no_such_overload, Value::Format)
            }
        )*
    };
}

formats! {
    format_byte "byte",
    format_date "date",
    format_datetime "datetime",
    format_dns1035label "dns1035Label",
    format_dns1035labelprefix "dns1035LabelPrefix",
    format_dns1123label "dns1123Label",
    format_dns1123labelprefix "dns1123LabelPrefix",
    format_dns1123subdomain "dns1123Subdomain",
    format_dns1123subdomainprefix "dns1123SubdomainPrefix",
    format_labelvalue "labelValue",
    format_qualifiedname "qualifiedName",
    format_uri "uri",
    format_uuid "uuid",
}

//! Functions of lists, sets and maps (cel-go, `ext/lists.go`, `ext/sets.go`; kube-apiserver, `pkg/cel/library/lists.go`).

use std::cmp::Ordering;
use std::sync::Arc;

use super::super::value::Value;
use super::compare::{compare, is_equal};
use super::{EvaluationScope, numbers, takes, too_many_steps};

fn exhausted() -> Value {
    Value::Error(Arc::new(too_many_steps()))
}

/// Computes `size(a)`, `a.size()`.
pub fn size(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let size = arguments.first().and_then(Value::size);
    size.map_or_else(Value::no_such_overload, |size| {
        Value::Int(i64::try_from(size).unwrap_or(i64::MAX))
    })
}

/// Computes `a in b`.
pub fn contains(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [element, Value::List(list)] => {
            for other in list.iter() {
                if is_equal(scope, element, other) {
                    return Value::Bool(true);
                }
            }
            Value::Bool(false)
        }
        [key, Value::Map(map)] => {
            if matches!(key, Value::Version(_) | Value::Bytes(_))
                && !map.is_native()
                && !map.is_empty()
            {
                let name = if matches!(key, Value::Bytes(_)) {
                    "types.Bytes"
                } else {
                    "cel.Semver"
                };
                return Value::abort(&format!(
                    "internal error: runtime error: hash of unhashable type {name}"
                ));
            }
            let found = map.find_present(key);
            Value::Bool(found.is_some_and(|value| !value.is_error()))
        }
        _ => Value::no_such_overload(),
    }
}

fn same_elements(arguments: &[Value]) -> Option<(&[Value], &[Value])> {
    match arguments {
        [Value::List(left), Value::List(right)] => Some((left, right)),
        _ => None,
    }
}

fn has(scope: &mut EvaluationScope<'_>, list: &[Value], element: &Value) -> bool {
    list.iter().any(|other| is_equal(scope, element, other))
}

/// Computes `sets.contains(a, b)`.
pub fn set_contains(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match same_elements(arguments) {
        Some((list, part)) => Value::Bool(part.iter().all(|element| has(scope, list, element))),
        None => Value::no_such_overload(),
    }
}

/// Computes `sets.equivalent(a, b)`.
pub fn set_equivalent(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match same_elements(arguments) {
        Some((left, right)) => Value::Bool(
            right.iter().all(|element| has(scope, left, element))
                && left.iter().all(|element| has(scope, right, element)),
        ),
        None => Value::no_such_overload(),
    }
}

/// Computes `sets.intersects(a, b)`.
pub fn set_intersects(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match same_elements(arguments) {
        Some((left, right)) => Value::Bool(left.iter().any(|element| has(scope, right, element))),
        None => Value::no_such_overload(),
    }
}

/// Maximum number of elements that `includes` looks at.
const MOST_INCLUDED: usize = 48;

/// Computes `a.includes(b)` (`k8s.io/dynamic-resource-allocation/cel`).
pub fn includes(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::List(list), element] => {
            let most = if scope.rules().includes_is_limited {
                MOST_INCLUDED
            } else {
                usize::MAX
            };
            if list
                .iter()
                .take(most)
                .any(|other| is_equal(scope, other, element))
            {
                return Value::Bool(true);
            }
            if list.len() > most {
                return Value::error(format!(
                    "'includes' function cannot be applied to lists longer than {MOST_INCLUDED} values"
                ));
            }
            Value::Bool(false)
        }
        [value, other] => Value::Bool(is_equal(scope, value, other)),
        _ => Value::no_such_overload(),
    }
}

/// Computes `list.isSorted()`.
pub fn is_sorted(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let [Value::List(list)] = arguments else {
        return Value::no_such_overload();
    };
    scope.step(list.len() as u64);
    let mut before: Option<&Value> = None;
    for element in list.iter() {
        if !takes::ordered(element) {
            return Value::no_such_overload();
        }
        // Elements that cannot be compared with each other count as ordered.
        if before.is_some_and(|before| compare(before, element).is_ok_and(Ordering::is_gt)) {
            return Value::Bool(false);
        }
        before = Some(element);
    }
    Value::Bool(true)
}

fn extreme(
    scope: &mut EvaluationScope<'_>,
    arguments: &[Value],
    name: &str,
    wanted: Ordering,
) -> Value {
    let [Value::List(list)] = arguments else {
        return Value::no_such_overload();
    };
    scope.step(list.len() as u64);
    let Some(mut found) = list.first() else {
        return Value::error(format!("{name} called on empty list"));
    };
    for element in list.iter() {
        if !takes::ordered(element) {
            return Value::no_such_overload();
        }
        if compare(element, found).is_ok_and(|order| order == wanted) {
            found = element;
        }
    }
    found.clone()
}

/// Computes `list.min()`.
pub fn min(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    extreme(scope, arguments, "min", Ordering::Less)
}

/// Computes `list.max()`.
pub fn max(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    extreme(scope, arguments, "max", Ordering::Greater)
}

/// Computes `list.sum()`: of an empty list whose type is not known at run time, 0.
pub fn sum(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let [Value::List(list)] = arguments else {
        return Value::no_such_overload();
    };
    let mut elements = list.iter();
    let Some(first) = elements.next() else {
        return Value::Int(0);
    };
    // Upstream adds the first element to zero.
    let mut total = if let Value::Double(first) = first {
        Value::Double(0.0 + first)
    } else {
        first.clone()
    };
    for element in elements {
        if !takes::addable(&total) {
            return Value::no_such_overload();
        }
        total = numbers::add(scope, &[total, element.clone()]);
        if total.is_error() {
            return total;
        }
    }
    total
}

/// Computes `list.indexOf(a)`.
pub fn index_of(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let [Value::List(list), element] = arguments else {
        return Value::no_such_overload();
    };
    position(
        list.iter()
            .position(|other| is_equal(scope, other, element)),
    )
}

/// Computes `list.lastIndexOf(a)`.
pub fn last_index_of(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let [Value::List(list), element] = arguments else {
        return Value::no_such_overload();
    };
    position(
        list.iter()
            .rposition(|other| is_equal(scope, other, element)),
    )
}

fn position(found: Option<usize>) -> Value {
    Value::Int(
        found
            .and_then(|index| i64::try_from(index).ok())
            .unwrap_or(-1),
    )
}

/// Longest range of cel-go 0.29 (`ext/lists.go`, `defaultMaxRangeSize`).
const LONGEST_RANGE: i64 = 1_000_000;

/// Computes `lists.range(n)`.
pub fn range(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let [Value::Int(end)] = arguments else {
        return Value::no_such_overload();
    };
    if scope.rules().ranges_are_limited {
        if *end < 0 {
            return Value::error(format!("lists.range: size must be non-negative, got {end}"));
        }
        if *end > LONGEST_RANGE {
            return Value::error(format!(
                "lists.range: size {end} exceeds maximum allowed ({LONGEST_RANGE})"
            ));
        }
    }
    let count = u64::try_from(*end).unwrap_or(0);
    if !scope.can_make(count) {
        return abort_at_cost_limit();
    }
    scope.step(count);
    Value::list((0..*end).map(Value::Int).collect())
}

/// Ends the evaluation before a list is made that would exceed the cost limit.
fn abort_at_cost_limit() -> Value {
    Value::abort("operation cancelled: actual cost limit exceeded")
}

/// Computes `list.reverse()`.
pub fn reverse(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let [Value::List(list)] = arguments else {
        return Value::no_such_overload();
    };
    scope.step(list.len() as u64);
    Value::list(list.iter().rev().cloned().collect())
}

/// Computes `list.slice(start, end)`.
pub fn slice(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let [Value::List(list), Value::Int(start), Value::Int(end)] = arguments else {
        return Value::no_such_overload();
    };
    let why = match (usize::try_from(*start), usize::try_from(*end)) {
        (Ok(from), Ok(to)) if from > to => {
            "start index must be less than or equal to end index".to_owned()
        }
        (Ok(from), Ok(to)) => match list.get(from..to) {
            Some(part) => {
                scope.step(part.len() as u64);
                return Value::list(part.to_vec());
            }
            None => format!("list is length {}", list.len()),
        },
        _ => "negative indexes not supported".to_owned(),
    };
    Value::error(format!("cannot slice({start}, {end}), {why}"))
}

/// Computes `list.flatten()`, `list.flatten(depth)`.
pub fn flatten(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let (list, depth) = match arguments {
        [Value::List(list)] => (list, 1),
        [Value::List(list), Value::Int(depth)] => (list, *depth),
        [of] => return Value::error(format!("no such overload: {}.flatten()", of.type_name())),
        [of, depth] => {
            let name = if matches!(of, Value::List(_)) {
                "list(dyn)"
            } else {
                of.type_name()
            };
            return Value::error(format!(
                "no such overload: {name}.flatten({})",
                depth.type_name()
            ));
        }
        _ => return Value::no_such_overload(),
    };
    if depth < 0 {
        return Value::error("level must be non-negative");
    }
    let mut flat = Vec::new();
    if flatten_into(scope, list, depth, &mut flat) {
        Value::list(flat)
    } else {
        exhausted()
    }
}

fn flatten_into(
    scope: &mut EvaluationScope<'_>,
    list: &[Value],
    depth: i64,
    into: &mut Vec<Value>,
) -> bool {
    for element in list {
        if !scope.step(1) {
            return false;
        }
        match element {
            Value::List(inner) if depth > 0 => {
                if !flatten_into(scope, inner, depth.saturating_sub(1), into) {
                    return false;
                }
            }
            other => into.push(other.clone()),
        }
    }
    true
}

/// Computes `list.distinct()`.
pub fn distinct(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let [Value::List(list)] = arguments else {
        return Value::no_such_overload();
    };
    let mut unique: Vec<Value> = Vec::new();
    for element in list.iter() {
        if !unique.iter().any(|other| is_equal(scope, element, other)) {
            unique.push(element.clone());
        }
    }
    Value::list(unique)
}

/// Computes `list.sort()`.
pub fn sort(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::List(list)] => sorted(scope, list, list),
        _ => Value::no_such_overload(),
    }
}

/// Evaluates the call that `list.sortBy(x, key)` expands to.
pub fn sort_by_keys(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::List(list), Value::List(keys)] => sorted(scope, list, keys),
        _ => Value::no_such_overload(),
    }
}

fn sorted(scope: &mut EvaluationScope<'_>, list: &Arc<Vec<Value>>, keys: &[Value]) -> Value {
    if list.len() != keys.len() {
        return Value::error(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} elements respectively",
            list.len(),
            keys.len()
        ));
    }
    let Some(first) = keys.first() else {
        return Value::List(list.clone());
    };
    if !takes::ordered(first) {
        return Value::error("list elements must be comparable");
    }
    if list.len() > 1 && keys.iter().any(|key| key.type_name() != first.type_name()) {
        return Value::error("list elements must have the same type");
    }
    scope.step((list.len() as u64).saturating_mul(20));
    let mut pairs: Vec<(&Value, &Value)> = keys.iter().zip(list.iter()).collect();
    if pairs.len() <= LONGEST_INSERTION {
        sort_by_insertion(&mut pairs);
    } else {
        claimkit_values::order::sort_by(&mut pairs, |(left, _), (right, _)| {
            is_nan(left)
                .cmp(&is_nan(right))
                .then_with(|| order(left, right))
        });
    }
    Value::list(
        pairs
            .into_iter()
            .map(|(_, element)| element.clone())
            .collect(),
    )
}

/// Go sorts lists up to this length by insertion (`sort.Slice`). It does not keep the order of equal keys in longer ones; here they
/// keep it, and keys that are not a number come last.
const LONGEST_INSERTION: usize = 12;

/// Sorts by insertion. A key that is not a number is less than no other, so it stays where it is and nothing passes it.
fn sort_by_insertion(pairs: &mut [(&Value, &Value)]) {
    for end in 1..pairs.len() {
        let mut at = end;
        while let Some([(before, _), (key, _)]) =
            at.checked_sub(1).and_then(|from| pairs.get(from..=at))
            && order(key, before).is_lt()
        {
            pairs.swap(at.saturating_sub(1), at);
            at = at.saturating_sub(1);
        }
    }
}

/// Compares two values; those that cannot be compared are equal.
fn order(left: &Value, right: &Value) -> Ordering {
    compare(left, right).unwrap_or(Ordering::Equal)
}

fn is_nan(key: &Value) -> bool {
    matches!(key, Value::Double(number) if number.is_nan())
}

/// Computes `cel.@mapInsert(map, key, value)`.
pub fn insert_entry(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let mut own = arguments.to_vec();
    if let Some(Value::Map(map)) = own.first() {
        scope.step(map.len() as u64);
    }
    grow(&mut own).unwrap_or_else(Value::no_such_overload)
}

/// Computes `cel.@mapInsert(map, entries)`.
pub fn insert_map(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    insert_entry(scope, arguments)
}

/// Adds to an accumulator in place: the elements of a list to a list, one entry or those of a map to a map. None if the arguments are
/// of other types.
pub fn grow(arguments: &mut [Value]) -> Option<Value> {
    match arguments {
        [first, Value::List(added)] => {
            let Value::List(list) = first else {
                return None;
            };
            let mut list = std::mem::take(list);
            match Arc::get_mut(&mut list) {
                Some(elements) => elements.extend(added.iter().cloned()),
                None => list = Arc::new(list.iter().chain(added.iter()).cloned().collect()),
            }
            Some(Value::List(list))
        }
        [first, Value::Map(added)] => {
            let Value::Map(map) = first else { return None };
            let mut map = std::mem::take(map);
            let target = Arc::make_mut(&mut map);
            for (key, value) in added.entries() {
                if target.find_present(key).is_some() {
                    return Some(exists(key));
                }
                target.insert(key.clone(), value.clone());
            }
            Some(Value::Map(map))
        }
        [first, key, value] => {
            let Value::Map(map) = first else { return None };
            if map.find_present(key).is_some() {
                return Some(exists(key));
            }
            let mut map = std::mem::take(map);
            Arc::make_mut(&mut map).insert(key.clone(), value.clone());
            Some(Value::Map(map))
        }
        _ => None,
    }
}

fn exists(key: &Value) -> Value {
    Value::error(format!("insert failed: key {key} already exists"))
}

//! Parts of points in time and of durations.

use super::super::library::time::{Fields, Timestamp, Zone, zone};
use super::super::library::zones::{self, UnknownOffset};
use super::super::value::Value;
use super::EvaluationScope;

fn part(arguments: &[Value], read: impl Fn(Fields) -> i64) -> Value {
    match arguments {
        [Value::Timestamp(time)] => Value::Int(read(time.fields())),
        [Value::Timestamp(time), Value::String(name)] => match fields_in(*time, name) {
            Ok(fields) => Value::Int(read(fields)),
            Err(error) => error,
        },
        _ => Value::no_such_overload(),
    }
}

fn fields_in(time: Timestamp, name: &str) -> Result<Fields, Value> {
    match zone(name).map_err(Value::error)? {
        Zone::Offset(offset) => Ok(time.fields_at(offset)),
        Zone::Place(place) => match zones::offset(&place, time.seconds()) {
            Ok(offset) => Ok(time.fields_at(offset)),
            Err(UnknownOffset::Name) => Err(Value::error(format!("unknown time zone {place}"))),
            Err(UnknownOffset::Time) => Err(Value::limit(&format!(
                "the time zone {place} is not known at that time"
            ))),
        },
    }
}

/// Computes `getFullYear`.
pub fn full_year(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    part(arguments, |fields| fields.year)
}

/// Computes `getMonth`.
pub fn month(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    part(arguments, |fields| fields.month)
}

/// Computes `getDate`.
pub fn date(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    part(arguments, |fields| fields.day)
}

/// Computes `getDayOfMonth`.
pub fn day_of_month(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    part(arguments, |fields| fields.day.saturating_sub(1))
}

/// Computes `getDayOfWeek`.
pub fn day_of_week(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    part(arguments, |fields| fields.day_of_week)
}

/// Computes `getDayOfYear`.
pub fn day_of_year(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    part(arguments, |fields| fields.day_of_year)
}

/// Computes `getHours`.
pub fn hours(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Duration(duration)] => Value::Int(duration.hours()),
        _ => part(arguments, |fields| fields.hour),
    }
}

/// Computes `getMinutes`.
pub fn minutes(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Duration(duration)] => Value::Int(duration.minutes()),
        _ => part(arguments, |fields| fields.minute),
    }
}

/// Computes `getSeconds`.
pub fn seconds(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Duration(duration)] => Value::Int(duration.seconds()),
        _ => part(arguments, |fields| fields.second),
    }
}

/// Computes `getMilliseconds`.
pub fn milliseconds(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Duration(duration)] => Value::Int(duration.milliseconds()),
        _ => part(arguments, |fields| fields.millisecond),
    }
}

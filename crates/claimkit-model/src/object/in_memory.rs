//! Decoded structs as the server holds them in memory: what Go's `reflect.DeepEqual` compares, which is more than their JSON.

use crate::object::{FieldValue, Record};
use crate::schema::{FieldType, Release};
use crate::text::print;
use claimkit_values::quantity::{Digits, Edition, Quantity};
use serde_json::{Map, Value as Json, json};
use std::borrow::Cow;

/// The place from which the server read a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadFrom {
    /// A request: JSON, with quantities as they were written.
    Request,
    /// The store: protobuf, which has no empty lists and maps, no fractions of seconds, and only canonical quantities.
    Store,
}

/// Lists and maps of `v1beta1` that are nil after the conversion to the internal version if they were empty (kube-apiserver 1.37,
/// pkg/apis/resource/v1beta1/conversion.go).
const LOSE_EMPTY: &[(&str, &str)] = &[
    ("DeviceRequest", "tolerations"),
    ("BasicDevice", "attributes"),
    ("BasicDevice", "capacity"),
    ("BasicDevice", "consumesCounters"),
    ("BasicDevice", "taints"),
];

/// Returns a struct as JSON that is equal for two structs exactly if Go's `reflect.DeepEqual` finds them equal. Recursion is bounded by
/// the depth of the tables.
pub fn record(record: &Record<'_>, release: Release, read_from: ReadFrom) -> Json {
    let mut fields = Map::new();
    for (field, slot) in record.schema.fields.iter().zip(&record.slots) {
        if field.in_release(release) {
            let loses_empty = LOSE_EMPTY.contains(&(record.schema.go, field.json));
            let field_from = if loses_empty && is_empty(slot) {
                ReadFrom::Store
            } else {
                read_from
            };
            let ty = field.type_in(release);
            let shown = match ty.as_struct() {
                // The conversion from the internal version always makes one.
                Some(basic) if basic.go == "BasicDevice" && matches!(slot, FieldValue::Unset) => {
                    self::record(&Record::empty(basic), release, field_from)
                }
                _ => value(ty, slot, release, field_from),
            };
            fields.insert(field.json.to_owned(), shown);
        }
    }
    Json::Object(fields)
}

fn value(ty: &FieldType, slot: &FieldValue<'_>, release: Release, read_from: ReadFrom) -> Json {
    match (ty, slot) {
        (FieldType::Pointer(_), FieldValue::Unset) => Json::Null,
        (FieldType::Pointer(inner), set) => value(inner, set, release, read_from),
        (FieldType::Struct(_), FieldValue::Struct(inner)) => record(inner, release, read_from),
        (FieldType::Struct(schema), _) => record(&Record::empty(schema), release, read_from),
        (FieldType::Bool, set) => json!(matches!(set, FieldValue::Bool(true))),
        (FieldType::Int64 | FieldType::Int32, FieldValue::Int(number)) => json!(number),
        (FieldType::Int64 | FieldType::Int32, _) => json!(0),
        // `null` leaves Go's zero value, which has no notation.
        (FieldType::Quantity, FieldValue::Unset) if read_from == ReadFrom::Request => Json::Null,
        (FieldType::Quantity, FieldValue::Unset) => quantity("0", release.rules().quantities),
        (FieldType::Quantity, set) => quantity(set.as_str(), release.rules().quantities),
        (FieldType::Time, FieldValue::Time(time)) => match read_from {
            ReadFrom::Request => json!(time.parts()),
            ReadFrom::Store => json!((time.parts().0, 0)),
        },
        (FieldType::Raw | FieldType::FieldsV1, FieldValue::Raw(text)) => {
            let mut bytes = String::new();
            print::compact(text, &mut bytes);
            Json::String(bytes)
        }
        (FieldType::Raw | FieldType::FieldsV1, _) => Json::Null,
        (FieldType::Map(_) | FieldType::StringMap | FieldType::List(_), set)
            if read_from == ReadFrom::Store && has_no_parts(set) =>
        {
            Json::Null
        }
        (FieldType::StringMap, FieldValue::Map(entries)) => {
            let entries = entries.iter();
            Json::Object(
                entries
                    .map(|(key, text)| (key.to_string(), json!(text)))
                    .collect(),
            )
        }
        (FieldType::Map(map), FieldValue::Entries(entries)) => {
            let mut members = Map::new();
            for (key, entry) in entries {
                let member = value(&map.value, entry, release, read_from);
                members.insert(key.to_string(), member);
            }
            Json::Object(members)
        }
        (FieldType::List(inner), FieldValue::List(items)) => items
            .iter()
            .map(|item| value(inner, item, release, read_from))
            .collect(),
        (FieldType::Map(_) | FieldType::StringMap | FieldType::List(_), _) => Json::Null,
        (_, set) => json!(set.as_str()),
    }
}

fn is_empty(slot: &FieldValue<'_>) -> bool {
    match slot {
        FieldValue::List(items) => items.is_empty(),
        FieldValue::Entries(entries) => entries.is_empty(),
        _ => false,
    }
}

/// Returns true for a list or map without anything in it.
fn has_no_parts(slot: &FieldValue<'_>) -> bool {
    match slot {
        FieldValue::Map(entries) => entries.is_empty(),
        _ => is_empty(slot),
    }
}

/// Returns what `DeepEqual` compares of a quantity: the representation, the notation and the text that is kept, so that quantities
/// of the same amount can differ.
fn quantity(text: &str, edition: Edition) -> Json {
    let Ok(quantity) = Quantity::parse_by(text, edition) else {
        return Json::Null;
    };
    let Digits {
        negative,
        mut digits,
        mut exponent,
        small,
    } = quantity.digits();
    // Up to 1.37 numbers of any length are counted in units of 10⁻⁹, later in the units that they are written in.
    if edition == Edition::First && !small {
        while digits.pop_if(|last| *last == 0).is_some() {
            exponent = exponent.saturating_add(1);
        }
    }
    // Since 1.38 the canonical text is kept where the written one is not.
    let kept = match edition {
        Edition::First => quantity.kept().map(Cow::Borrowed),
        _ => Some(quantity.canonical()),
    };
    json!([
        negative && !digits.is_empty(),
        digits,
        exponent,
        small,
        format!("{:?}", quantity.notation()),
        kept
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A real server of 1.38 writes the patcher of `1.5Gi` over `1536Mi` down as a manager.
    #[test]
    fn large_quantities_count_in_the_units_of_the_edition() {
        let same = |a, b, edition| quantity(a, edition) == quantity(b, edition);
        assert!(same("7.5Ei", "7680Pi", Edition::First));
        for (a, b) in [("1.5Gi", "1536Mi"), ("7.5Ei", "7680Pi")] {
            assert!(!same(a, b, Edition::V38), "{a}");
        }
        assert!(same("7680Pi", "7680Pi", Edition::V38));
        assert!(!same("1000m", "1", Edition::V38));
    }
}

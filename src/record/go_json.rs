//! Decoded structs as the server's errors show them from 1.34 on: JSON of the internal types, whose fields have Go's names.

use crate::api::{Package, Release, Type};
use crate::go::json_quote_into;
use crate::record::{Record, Value};
use crate::text::print;

/// Appends a struct. All fields are written, except in metadata, which follows its JSON tags. Recursion is bounded by the depth
/// of the tables.
pub fn record(record: &Record<'_>, release: Release, out: &mut String) {
    out.push('{');
    fields(record, release, &mut true, out);
    out.push('}');
}

fn fields(record: &Record<'_>, release: Release, first: &mut bool, out: &mut String) {
    let meta = record.schema.package == Package::Meta;
    for (field, slot) in record.schema.fields.iter().zip(&record.slots) {
        let ty = field.type_in(release);
        if !field.in_release(release) || (meta && field.omits(release) && ty.is_empty(slot)) {
            continue;
        }
        // The metadata of an object or template is embedded.
        if !meta && field.go == "ObjectMeta" {
            if let Value::Struct(inner) = slot {
                fields(inner, release, first, out);
            }
            continue;
        }
        if !std::mem::replace(first, false) {
            out.push(',');
        }
        json_quote_into(out, if meta { field.json } else { field.go });
        out.push(':');
        value(ty, slot, release, out);
    }
}

/// Appends a value of a type.
pub fn value(ty: &Type, value_: &Value<'_>, release: Release, out: &mut String) {
    match (ty, value_) {
        (Type::Pointer(_), Value::Unset) => out.push_str("null"),
        (Type::Pointer(inner), set) => value(inner, set, release, out),
        (Type::String | Type::Named(..) | Type::Uid, set) => json_quote_into(out, set.as_str()),
        (Type::Quantity, Value::Unset) => out.push_str("\"0\""),
        (Type::Quantity, set) => json_quote_into(out, set.as_str()),
        (Type::Bool, set) => out.push_str(if matches!(set, Value::Bool(true)) { "true" } else { "false" }),
        (Type::Int64 | Type::Int32, Value::Int(n)) => out.push_str(&n.to_string()),
        (Type::Int64 | Type::Int32, _) => out.push('0'),
        (Type::Time, Value::Time(time)) => json_quote_into(out, &time.rfc3339()),
        (Type::Raw | Type::FieldsV1, Value::Raw(text)) => {
            let mut compact = String::new();
            print::compact(text, &mut compact);
            for c in compact.chars() {
                crate::go::json_escape(out, c);
            }
        }
        (Type::StringMap, Value::Map(entries)) => {
            out.push('{');
            for (at, (key, text)) in entries.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                json_quote_into(out, key);
                out.push(':');
                json_quote_into(out, text);
            }
            out.push('}');
        }
        (Type::Map(map), Value::Entries(entries)) => {
            out.push('{');
            for (at, (key, entry)) in entries.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                json_quote_into(out, key);
                out.push(':');
                value(&map.value, entry, release, out);
            }
            out.push('}');
        }
        (Type::List(inner), Value::List(items)) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                value(inner, item, release, out);
            }
            out.push(']');
        }
        (_, Value::Struct(inner)) => record(inner, release, out),
        (Type::Struct(schema), _) => record(&Record::empty(schema), release, out),
        _ => out.push_str("null"),
    }
}

//! Decoded structs as the server's errors show them from 1.34 on: JSON of the internal types, whose fields have Go's names.

use crate::object::{FieldValue, Record, write_list};
use crate::schema::{FieldType, Package, Release};
use crate::text::print;
use claimkit_values::json_quote_into;

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
            if let FieldValue::Struct(inner) = slot {
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
pub fn value(ty: &FieldType, slot: &FieldValue<'_>, release: Release, out: &mut String) {
    match (ty, slot) {
        (FieldType::Pointer(_), FieldValue::Unset) => out.push_str("null"),
        (FieldType::Pointer(inner), set) => value(inner, set, release, out),
        (FieldType::String | FieldType::Named(..) | FieldType::Uid, set) => {
            json_quote_into(out, set.as_str())
        }
        (FieldType::Quantity, FieldValue::Unset) => out.push_str("\"0\""),
        (FieldType::Quantity, set) => json_quote_into(out, set.as_str()),
        (FieldType::Bool, FieldValue::Bool(true)) => out.push_str("true"),
        (FieldType::Bool, _) => out.push_str("false"),
        (FieldType::Int64 | FieldType::Int32, FieldValue::Int(n)) => out.push_str(&n.to_string()),
        (FieldType::Int64 | FieldType::Int32, _) => out.push('0'),
        (FieldType::Time, FieldValue::Time(time)) => json_quote_into(out, &time.rfc3339()),
        (FieldType::Raw | FieldType::FieldsV1, FieldValue::Raw(text)) => {
            let mut compact = String::new();
            print::compact(text, &mut compact);
            for c in compact.chars() {
                claimkit_values::json_escape(out, c);
            }
        }
        (FieldType::StringMap, FieldValue::Map(entries)) => {
            write_list(out, ['{', '}'], entries, |(key, text), out| {
                json_quote_into(out, key);
                out.push(':');
                json_quote_into(out, text);
            })
        }
        (FieldType::Map(map), FieldValue::Entries(entries)) => {
            write_list(out, ['{', '}'], entries, |(key, entry), out| {
                json_quote_into(out, key);
                out.push(':');
                value(&map.value, entry, release, out);
            })
        }
        (FieldType::List(inner), FieldValue::List(items)) => {
            write_list(out, ['[', ']'], items, |item, out| {
                value(inner, item, release, out)
            })
        }
        (_, FieldValue::Struct(inner)) => record(inner, release, out),
        (FieldType::Struct(schema), _) => record(&Record::empty(schema), release, out),
        _ => out.push_str("null"),
    }
}

//! Go syntax (`%#v`) of decoded structs, as immutability errors show them.

use crate::object::{FieldValue, Record};
use crate::schema::{FieldType, Release, Struct};
use claimkit_values::{GoUnicode, quote_into};

/// Placeholder for a memory address: upstream prints a real one, which differs in every run.
pub const ADDRESS: &str = "0xPTR";

/// Prints a struct as the server's Go does: internal type names, every field, pointers as addresses. Fields of the last release
/// are printed; [`go_syntax_of`] leaves out those a release does not have.
pub fn go_syntax(record: &Record<'_>, unicode: GoUnicode) -> String {
    go_syntax_of(record, Release::new(u8::MAX, 0), unicode)
}

/// Prints as [`go_syntax`] does, with the fields of a release.
pub fn go_syntax_of(record: &Record<'_>, release: Release, unicode: GoUnicode) -> String {
    let mut out = String::new();
    Printer {
        release,
        unicode,
        out: &mut out,
    }
    .record(record);
    out
}

/// Prints as [`go_syntax_of`] does a value of a type; a pointer is followed.
pub fn go_syntax_of_value(
    ty: &FieldType,
    value: &FieldValue<'_>,
    release: Release,
    unicode: GoUnicode,
) -> String {
    let mut out = String::new();
    let ty = if let FieldType::Pointer(inner) = ty {
        inner
    } else {
        ty
    };
    Printer {
        release,
        unicode,
        out: &mut out,
    }
    .value(ty, value);
    out
}

struct Printer<'o> {
    release: Release,
    unicode: GoUnicode,
    out: &'o mut String,
}

impl Printer<'_> {
    /// Prints a struct. Recursion is bounded by the depth of the tables.
    fn record(&mut self, record: &Record<'_>) {
        self.type_name(record.schema);
        self.out.push('{');
        let mut first = true;
        for (field, value) in record.schema.fields.iter().zip(&record.slots) {
            if !field.in_release(self.release) {
                continue;
            }
            if !first {
                self.out.push_str(", ");
            }
            first = false;
            // Each embedded struct of these kinds has one field.
            if let Some(embedded) = field.embedded {
                self.out.push_str(&format!(
                    "{embedded}:{}.{embedded}{{",
                    record.schema.package.internal()
                ));
            }
            self.out.push_str(field.go);
            self.out.push(':');
            self.value(field.type_in(self.release), value);
            if field.embedded.is_some() {
                self.out.push('}');
            }
        }
        self.out.push('}');
    }

    fn value(&mut self, ty: &FieldType, value: &FieldValue<'_>) {
        match ty {
            FieldType::String | FieldType::Named(..) | FieldType::Uid | FieldType::Quantity => {
                quote_into(self.out, value.as_str(), self.unicode)
            }
            FieldType::Bool => self
                .out
                .push_str(if matches!(value, FieldValue::Bool(true)) {
                    "true"
                } else {
                    "false"
                }),
            FieldType::Int64 | FieldType::Int32 => {
                let n = if let FieldValue::Int(n) = value {
                    *n
                } else {
                    0
                };
                self.out.push_str(&n.to_string());
            }
            FieldType::Time => {
                let time = if let FieldValue::Time(time) = value {
                    *time
                } else {
                    Default::default()
                };
                self.out.push_str(&time.go_syntax());
            }
            FieldType::StringMap => self.string_map(value),
            FieldType::Map(map) => {
                self.type_of(ty);
                let entries = match value {
                    FieldValue::Entries(entries) => Some(entries.as_slice()),
                    _ => None,
                };
                self.parts(entries, |printer, (key, value)| {
                    quote_into(printer.out, key, printer.unicode);
                    printer.out.push(':');
                    printer.value(&map.value, value);
                });
            }
            FieldType::Struct(schema) => match value {
                FieldValue::Struct(record) => self.record(record),
                _ => self.record(&Record::empty(schema)),
            },
            // A time has its own printer, also behind a pointer.
            FieldType::Pointer(FieldType::Time) => match value {
                FieldValue::Time(time) => self.out.push_str(&time.go_syntax()),
                _ => self.out.push_str("<nil>"),
            },
            FieldType::Pointer(inner) => {
                self.out.push_str("(*");
                self.type_of(inner);
                self.out.push_str(")(");
                self.out.push_str(if matches!(value, FieldValue::Unset) {
                    "nil"
                } else {
                    ADDRESS
                });
                self.out.push(')');
            }
            FieldType::List(inner) => {
                self.out.push_str("[]");
                self.type_of(inner);
                let items = match value {
                    FieldValue::List(items) => Some(items.as_slice()),
                    _ => None,
                };
                self.parts(items, |printer, item| printer.value(inner, item));
            }
            // In printed values, verbatim JSON occurs only behind pointers.
            FieldType::Raw | FieldType::FieldsV1 => self.out.push_str("nil"),
        }
    }

    fn string_map(&mut self, value: &FieldValue<'_>) {
        self.out.push_str("map[string]string");
        let entries = match value {
            FieldValue::Map(entries) => Some(entries.as_slice()),
            _ => None,
        };
        self.parts(entries, |printer, (key, value)| {
            quote_into(printer.out, key, printer.unicode);
            printer.out.push(':');
            quote_into(printer.out, value, printer.unicode);
        });
    }

    /// Prints the parts of a list or map; `None` is a nil one.
    fn parts<T>(&mut self, parts: Option<&[T]>, print: impl Fn(&mut Self, &T)) {
        let Some(parts) = parts else {
            self.out.push_str("(nil)");
            return;
        };
        self.out.push('{');
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            print(self, part);
        }
        self.out.push('}');
    }

    fn type_name(&mut self, schema: &Struct) {
        self.out.push_str(schema.package.internal());
        self.out.push('.');
        self.out.push_str(schema.go);
    }

    fn type_of(&mut self, ty: &FieldType) {
        match ty {
            FieldType::Struct(schema) => self.type_name(schema),
            FieldType::Named(package, name) => {
                self.out.push_str(package.internal());
                self.out.push('.');
                self.out.push_str(name);
            }
            FieldType::Map(map) => {
                self.out.push_str("map[");
                match map.key {
                    Some((package, name)) => self.type_of(&FieldType::Named(package, name)),
                    None => self.out.push_str("string"),
                }
                self.out.push(']');
                self.type_of(&map.value);
            }
            FieldType::List(inner) => {
                self.out.push_str("[]");
                self.type_of(inner);
            }
            other => self.out.push_str(&other.go_name("")),
        }
    }
}

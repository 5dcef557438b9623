//! Every getter reads a field that the tables have, of the right type.

use crate::schema::{Family, FieldType, Struct, VERSIONS, core};

/// A view as it is declared.
pub struct View {
    /// Its own name, which is the Go name of a struct.
    pub name: &'static str,
    /// Go names of further structs that it reads.
    pub others: &'static [&'static str],
    pub getters: &'static [Getter],
}

/// One getter of a view.
pub struct Getter {
    pub name: &'static str,
    /// The kind in the declaration, e.g. `str_pointer`.
    pub kind: &'static str,
    /// The view of the struct, of the items or of the entries, if there is one.
    pub of: &'static [&'static str],
    pub json: &'static str,
}

/// Returns the structs of all kinds of a family, at any depth.
fn tables(family: Family) -> Vec<&'static Struct> {
    let kinds = VERSIONS
        .iter()
        .filter(|version| version.family == family)
        .flat_map(|version| version.kinds);
    let mut open: Vec<&'static Struct> = kinds
        .map(|kind| kind.schema)
        .chain([&core::NODE_SELECTOR])
        .collect();
    let mut found: Vec<&'static Struct> = Vec::new();
    while let Some(table) = open.pop() {
        if !found.iter().any(|known| std::ptr::eq(*known, table)) {
            found.push(table);
            open.extend(table.fields.iter().filter_map(|field| field.ty.holds()));
        }
    }
    found
}

/// Returns true if values of a type have the form that a kind of getter reads.
fn reads(kind: &str, ty: &FieldType) -> bool {
    let plain = ty.pointed();
    match kind {
        "str" | "str_pointer" => {
            plain.is_text()
                || matches!(
                    plain,
                    FieldType::Quantity | FieldType::Raw | FieldType::FieldsV1
                )
        }
        "bool" | "bool_pointer" => matches!(plain, FieldType::Bool),
        "int" | "int_pointer" => matches!(plain, FieldType::Int64 | FieldType::Int32),
        "time" | "time_pointer" => matches!(plain, FieldType::Time),
        "map" => matches!(ty, FieldType::StringMap),
        "strings" => {
            matches!(ty, FieldType::List(item) if item.is_text() || matches!(item, FieldType::Quantity))
        }
        "list" => matches!(ty, FieldType::List(FieldType::Struct(_))),
        "entries" => ty.is_map(),
        "quantities" => {
            matches!(ty, FieldType::Map(map) if matches!(map.value, FieldType::Quantity))
        }
        "inner" => matches!(ty, FieldType::Struct(_)),
        "pointer" => matches!(ty, FieldType::Pointer(FieldType::Struct(_))),
        "set" | "slot" => true,
        _ => false,
    }
}

/// Returns what is wrong with views. `shared`: views of another module that these refer to.
fn faults(views: &[View], shared: &[View], tables: &[&'static Struct]) -> Vec<String> {
    let mut faults = Vec::new();
    let is_read_by =
        |view: &View, table: &Struct| view.name == table.go || view.others.contains(&table.go);
    for view in views {
        let own: Vec<_> = tables
            .iter()
            .filter(|table| is_read_by(view, table))
            .collect();
        if own.is_empty()
            || view
                .others
                .iter()
                .any(|name| !own.iter().any(|table| table.go == *name))
        {
            faults.push(format!("{}: no table has one of its names", view.name));
        }
        for getter in view.getters {
            let fault =
                |text: &str| format!("{}.{}: {text} `{}`", view.name, getter.name, getter.json);
            let fields: Vec<_> = own
                .iter()
                .flat_map(|table| table.fields)
                .filter(|field| field.json == getter.json)
                .collect();
            if fields.is_empty() {
                faults.push(fault("no table has the field"));
            }
            if fields.iter().any(|field| !reads(getter.kind, &field.ty)) {
                faults.push(fault("another type than that of"));
            }
            let held: Vec<_> = fields.iter().filter_map(|field| field.ty.holds()).collect();
            for of in getter.of {
                let inner = views.iter().chain(shared).find(|view| view.name == *of);
                if held.is_empty()
                    || !held
                        .iter()
                        .all(|table| inner.is_some_and(|inner| is_read_by(inner, table)))
                {
                    faults.push(fault("another struct than that of"));
                }
            }
        }
    }
    faults
}

#[test]
fn every_getter_has_its_field() {
    assert_eq!(
        faults(super::VIEWS, &[], &tables(Family::Classic)),
        Vec::<String>::new()
    );
    assert_eq!(
        faults(super::device::VIEWS, super::VIEWS, &tables(Family::Device)),
        Vec::<String>::new()
    );
}

#[test]
fn a_wrong_getter_is_found() {
    const WRONG: &[View] = &[
        View {
            name: "ResourcePool",
            others: &["ResourcePuddle"],
            getters: &[
                Getter {
                    name: "name",
                    kind: "str",
                    of: &[],
                    json: "nmae",
                },
                Getter {
                    name: "generation",
                    kind: "str",
                    of: &[],
                    json: "generation",
                },
            ],
        },
        View {
            name: "ResourceSliceSpec",
            others: &[],
            getters: &[
                Getter {
                    name: "pool",
                    kind: "inner",
                    of: &["ResourceSliceSpec"],
                    json: "pool",
                },
                Getter {
                    name: "driver",
                    kind: "str",
                    of: &[],
                    json: "driver",
                },
            ],
        },
    ];
    let expected = [
        "ResourcePool: no table has one of its names",
        "ResourcePool.name: no table has the field `nmae`",
        "ResourcePool.generation: another type than that of `generation`",
        "ResourceSliceSpec.pool: another struct than that of `pool`",
    ];
    assert_eq!(faults(WRONG, &[], &tables(Family::Device)), expected);
}

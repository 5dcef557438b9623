//! The tables of v1alpha3, v1beta1, v1beta2 and v1 against the types of `k8s.io/api/resource` in each release from 1.31 on.

use claimkit::api::{Family, Field, Package, Release, Struct, Type, VERSIONS};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

fn history() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/later/api-history.json.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The type as Go's source writes it.
fn go(ty: &Type) -> String {
    match ty {
        Type::String => "string".to_owned(),
        Type::Named(Package::Resource, name) => (*name).to_owned(),
        Type::Named(_, name) => format!("v1.{name}"),
        Type::Uid => "types.UID".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Int64 => "int64".to_owned(),
        Type::Int32 => "int32".to_owned(),
        Type::Time => "metav1.Time".to_owned(),
        Type::FieldsV1 => "metav1.FieldsV1".to_owned(),
        Type::Raw => "runtime.RawExtension".to_owned(),
        Type::Quantity => "resource.Quantity".to_owned(),
        Type::StringMap => "map[string]string".to_owned(),
        Type::Map(map) => {
            let key = map.key.map_or("string".to_owned(), |(package, name)| go(&Type::Named(package, name)));
            format!("map[{key}]{}", go(&map.value))
        }
        Type::Struct(schema) => match schema.package {
            Package::Resource => schema.go.to_owned(),
            Package::Core => format!("v1.{}", schema.go),
            Package::Meta => format!("metav1.{}", schema.go),
        },
        Type::Pointer(inner) => format!("*{}", go(inner)),
        Type::List(inner) => format!("[]{}", go(inner)),
    }
}

fn structs(schema: &'static Struct, release: Release, found: &mut BTreeMap<&'static str, &'static Struct>) {
    if schema.package != Package::Resource || found.insert(schema.go, schema).is_some() {
        return;
    }
    for field in schema.fields.iter().filter(|field| field.in_release(release)) {
        let mut ty = &field.ty;
        loop {
            ty = match ty {
                Type::Pointer(inner) | Type::List(inner) => inner,
                Type::Map(map) => &map.value,
                Type::Struct(inner) => {
                    structs(inner, release, found);
                    break;
                }
                _ => break,
            };
        }
    }
}

/// What the table says of a field, in the terms of the history.
fn row(field: &Field, release: Release) -> String {
    // `omitempty` of a struct by value changes nothing: Go never leaves one out.
    let omitted = field.omits(release) && !matches!(field.type_in(release), Type::Struct(_));
    format!("{} {} omitempty={omitted}", field.json, go(field.type_in(release)))
}

fn expected(field: &Value, all: &Value) -> Vec<String> {
    let text = |key: &str| field[key].as_str().unwrap_or_default();
    if field["inline"] == true {
        // The embedded struct's own fields; those of the type are the same everywhere.
        return match all[text("go")].as_array() {
            Some(fields) => fields.iter().flat_map(|field| expected(field, all)).collect(),
            None => vec!["kind string omitempty=true".to_owned(), "apiVersion string omitempty=true".to_owned()],
        };
    }
    let ty = text("type");
    let by_value = all.get(ty).is_some() || ty == "metav1.ObjectMeta" || ty == "metav1.ListMeta";
    let omitted = field["omitempty"] == true && !by_value;
    vec![format!("{} {ty} omitempty={omitted}", text("json"))]
}

#[test]
fn fields_are_those_of_the_types() {
    let mut compared = 0;
    let mut wrong = Vec::new();
    for entry in history().as_array().unwrap() {
        let Some(minor) = entry["minor"].as_str().unwrap().strip_prefix("1.").and_then(|minor| minor.parse::<u8>().ok()) else {
            continue;
        };
        let name = entry["version"].as_str().unwrap();
        let version = VERSIONS.iter().find(|version| version.name == name).unwrap();
        if version.family != Family::Device {
            continue;
        }
        let release = Release::last_of(minor);
        let mut found = BTreeMap::new();
        for kind in version.kinds.iter().filter(|kind| kind.items.is_none() && kind.in_release(release)) {
            structs(kind.schema, release, &mut found);
        }
        for (go, schema) in found {
            let all = &entry["structs"];
            let Some(fields) = all[go].as_array() else {
                wrong.push(format!("1.{minor} {name}: there is no {go}"));
                continue;
            };
            let mut want: Vec<String> = fields.iter().flat_map(|field| expected(field, all)).collect();
            let mut have: Vec<String> =
                schema.fields.iter().filter(|field| field.in_release(release)).map(|field| row(field, release)).collect();
            want.sort();
            have.sort();
            compared += want.len();
            if want != have {
                wrong.push(format!("1.{minor} {name} {go}\n  want {want:?}\n  have {have:?}"));
            }
        }
    }
    assert!(compared > 1900, "{compared}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

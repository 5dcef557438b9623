//! The tables of v1alpha3, v1beta1, v1beta2 and v1 against the types of `k8s.io/api/resource` in each release from 1.31 on.

use claimkit_model::schema::{Family, Field, FieldType, Package, Release, Struct, VERSIONS};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

pub fn history() -> Value {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/later/api-history.json.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The type as Go's source writes it.
fn go(ty: &FieldType) -> String {
    match ty {
        FieldType::String => "string".to_owned(),
        FieldType::Named(Package::Resource, name) => (*name).to_owned(),
        FieldType::Named(_, name) => format!("v1.{name}"),
        FieldType::Uid => "types.UID".to_owned(),
        FieldType::Bool => "bool".to_owned(),
        FieldType::Int64 => "int64".to_owned(),
        FieldType::Int32 => "int32".to_owned(),
        FieldType::Time => "metav1.Time".to_owned(),
        FieldType::FieldsV1 => "metav1.FieldsV1".to_owned(),
        FieldType::Raw => "runtime.RawExtension".to_owned(),
        FieldType::Quantity => "resource.Quantity".to_owned(),
        FieldType::StringMap => "map[string]string".to_owned(),
        FieldType::Map(map) => {
            let key = map.key.map_or("string".to_owned(), |(package, name)| {
                go(&FieldType::Named(package, name))
            });
            format!("map[{key}]{}", go(&map.value))
        }
        FieldType::Struct(schema) => match schema.package {
            Package::Resource => schema.go.to_owned(),
            Package::Core => format!("v1.{}", schema.go),
            Package::Meta => format!("metav1.{}", schema.go),
        },
        FieldType::Pointer(inner) => format!("*{}", go(inner)),
        FieldType::List(inner) => format!("[]{}", go(inner)),
    }
}

fn structs(
    schema: &'static Struct,
    release: Release,
    found: &mut BTreeMap<&'static str, &'static Struct>,
) {
    if schema.package != Package::Resource || found.insert(schema.go, schema).is_some() {
        return;
    }
    for field in schema
        .fields
        .iter()
        .filter(|field| field.in_release(release))
    {
        let mut ty = &field.ty;
        loop {
            ty = match ty {
                FieldType::Pointer(inner) | FieldType::List(inner) => inner,
                FieldType::Map(map) => &map.value,
                FieldType::Struct(inner) => {
                    structs(inner, release, found);
                    break;
                }
                _ => break,
            };
        }
    }
}

/// A field of the table, in the notation of the recorded history.
fn row(field: &Field, release: Release) -> String {
    // `omitempty` on a struct value has no effect: Go never omits one.
    let omitted = field.omits(release) && !matches!(field.type_in(release), FieldType::Struct(_));
    format!(
        "{} {} omitempty={omitted}",
        field.json,
        go(field.type_in(release))
    )
}

fn expected(field: &Value, all: &Value) -> Vec<String> {
    let text = |key: &str| field[key].as_str().unwrap_or_default();
    if field["inline"] == true {
        // The embedded struct's own fields; those of the type are the same everywhere.
        return match all[text("go")].as_array() {
            Some(fields) => fields
                .iter()
                .flat_map(|field| expected(field, all))
                .collect(),
            None => vec![
                "kind string omitempty=true".to_owned(),
                "apiVersion string omitempty=true".to_owned(),
            ],
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
        let Some(minor) = entry["minor"]
            .as_str()
            .unwrap()
            .strip_prefix("1.")
            .and_then(|minor| minor.parse::<u8>().ok())
        else {
            continue;
        };
        let name = entry["version"].as_str().unwrap();
        let version = VERSIONS
            .iter()
            .find(|version| version.name == name)
            .unwrap();
        if version.family != Family::Device {
            continue;
        }
        let release = Release::last_of(minor);
        let mut found = BTreeMap::new();
        for kind in version
            .kinds
            .iter()
            .filter(|kind| kind.items.is_none() && kind.in_release(release))
        {
            structs(kind.schema, release, &mut found);
        }
        for (go, schema) in found {
            let all = &entry["structs"];
            let Some(fields) = all[go].as_array() else {
                wrong.push(format!("1.{minor} {name}: there is no {go}"));
                continue;
            };
            let mut want: Vec<String> = fields
                .iter()
                .flat_map(|field| expected(field, all))
                .collect();
            let mut have: Vec<String> = schema
                .fields
                .iter()
                .filter(|field| field.in_release(release))
                .map(|field| row(field, release))
                .collect();
            want.sort();
            have.sort();
            compared += want.len();
            if want != have {
                wrong.push(format!(
                    "1.{minor} {name} {go}\n  want {want:?}\n  have {have:?}"
                ));
            }
        }
    }
    assert!(compared > 1900, "{compared}");
    assert!(
        wrong.is_empty(),
        "other fields than in upstream's types, tests/vectors/later/api-history.json.gz:\n{}",
        wrong.join("\n")
    );
}

/// The kinds and versions that each release serves, and the kinds with a status, match the recorded answers.
#[test]
fn the_serving_table_is_that_of_the_recorded_releases() {
    use claimkit_model::schema::{Family, VERSIONS};
    use std::collections::BTreeSet;
    for name in crate::device_vectors::RELEASES {
        let release = Release::parse(name).unwrap();
        let (mut kinds, mut statuses) = (BTreeSet::new(), BTreeSet::new());
        for line in crate::device_vectors::recorded(name)
            .lines()
            .filter(|line| !line.is_empty())
        {
            // Only the start of a line is read; whole lines would take half a minute.
            let head = line
                .split_once(",\"object\"")
                .or_else(|| line.split_once(",\"text\""))
                .map_or(line, |(head, _)| head);
            let word = |key: &str| {
                let at = head
                    .find(&format!("\"{key}\":\""))
                    .map(|at| at + key.len() + 4)
                    .unwrap();
                head[at..].split('"').next().unwrap().to_owned()
            };
            kinds.insert((word("version"), word("kind")));
            if word("op") == "status" {
                statuses.insert((word("version"), word("kind")));
            }
        }
        let served = VERSIONS
            .iter()
            .filter(|version| version.family == Family::Device && version.served_by(release));
        let rows = served.flat_map(|version| version.kinds.iter().map(move |kind| (version, kind)));
        let rows = rows.filter(|(_, kind)| kind.items.is_none() && kind.in_release(release));
        let tables: BTreeSet<_> = rows
            .clone()
            .map(|(version, kind)| (version.name.to_owned(), kind.kind.to_owned()))
            .collect();
        assert_eq!(kinds, tables, "{name}");
        let with_status = rows
            .filter(|(_, kind)| kind.status_in(release))
            .map(|(version, kind)| (version.name.to_owned(), kind.kind.to_owned()));
        assert_eq!(statuses, with_status.collect(), "{name}");
        // Only v1 is on by default, from 1.34 on.
        let on = VERSIONS.iter().filter(|version| {
            version.served_by(release) && version.on_since.is_some_and(|on| on <= release.minor)
        });
        let on: Vec<&str> = on.map(|version| version.name).collect();
        assert_eq!(
            on,
            if release.minor < 34 {
                vec![]
            } else {
                vec!["v1"]
            },
            "{name}"
        );
    }
}

/// The versions that objects are stored in by default, and the deprecations that servers announce.
#[test]
fn storage_versions_and_deprecations() {
    use claimkit::validation::device::variant::Variant;
    use claimkit_model::schema::VERSIONS;
    let storage: Vec<&str> = (31..=36)
        .map(|minor| Variant::of(Release::last_of(minor)).storage)
        .collect();
    assert_eq!(
        storage,
        ["v1alpha3", "v1beta1", "v1beta1", "v1beta2", "v1", "v1"]
    );
    for (version, kind, minor, deprecated, removed) in [
        ("v1beta1", "ResourceClaim", 37, Some(35), Some(38)),
        ("v1beta2", "ResourceSlice", 38, Some(36), Some(39)),
        ("v1alpha3", "DeviceTaintRule", 37, Some(36), Some(39)),
        ("v1alpha3", "DeviceTaintRule", 38, Some(36), None),
        ("v1beta2", "DeviceTaintRule", 38, Some(39), Some(42)),
        (
            "v1alpha3",
            "ResourcePoolStatusRequest",
            37,
            Some(39),
            Some(42),
        ),
        ("v1alpha3", "ResourcePoolStatusRequest", 38, None, None),
        ("v1", "DeviceClass", 38, None, None),
    ] {
        let version = VERSIONS.iter().find(|known| known.name == version).unwrap();
        let row = version.kinds.iter().find(|row| row.kind == kind).unwrap();
        let lifecycle = row.lifecycle_in(Release::last_of(minor));
        assert_eq!(
            lifecycle.and_then(|lifecycle| lifecycle.deprecated),
            deprecated,
            "{} {kind}",
            version.name
        );
        assert_eq!(
            lifecycle.and_then(|lifecycle| lifecycle.removed),
            removed,
            "{} {kind}",
            version.name
        );
    }
}

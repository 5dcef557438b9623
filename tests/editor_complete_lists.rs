//! Completion of items: every list of objects in every kind, at every indentation.

use claimkit_model::schema::{FieldType, Release, Struct, VERSIONS};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A key on the way to a list.
#[derive(Clone, Debug)]
struct Key {
    name: &'static str,
    /// Its value is a list, and the next key is in the first item.
    is_list: bool,
}

const fn key(name: &'static str) -> Key {
    Key {
        name,
        is_list: false,
    }
}

const fn list(name: &'static str) -> Key {
    Key {
        name,
        is_list: true,
    }
}

/// The lists of objects, each as the keys to it.
#[derive(Default)]
struct Lists {
    paths: Vec<Vec<Key>>,
    /// The structs and fields of those found: kinds and versions share many.
    seen: BTreeSet<(&'static str, &'static str)>,
}

/// Finds the lists of objects of a struct.
fn lists(schema: &'static Struct, release: Release, above: &[Key], found: &mut Lists) {
    // Schemas of JSON are in themselves.
    if above.len() > 12 {
        return;
    }
    for field in schema
        .fields
        .iter()
        .filter(|field| field.in_release(release))
    {
        let mut path = above.to_vec();
        path.push(key(field.json));
        let mut ty = &field.ty;
        loop {
            ty = match ty {
                FieldType::Pointer(inner) => inner,
                FieldType::Map(map) => {
                    path.push(key("key"));
                    &map.value
                }
                FieldType::List(inner) => {
                    path.last_mut().unwrap().is_list = true;
                    if inner.as_struct().is_some() && found.seen.insert((schema.go, field.json)) {
                        found.paths.push(path.clone());
                    }
                    inner
                }
                _ => break,
            };
        }
        if let Some(schema) = ty.as_struct() {
            lists(schema, release, &path, found);
        }
    }
}

/// The lines from the top of an object to a list.
struct Head {
    text: String,
    /// The column of the list's key.
    column: usize,
}

/// Writes the keys to a list. `indent`: how far the items of lists are indented below their keys.
fn head(object: &str, path: &[Key], indent: usize) -> Head {
    let mut text = object.to_owned();
    let mut column = 0;
    for (index, key) in path.iter().enumerate() {
        let lead = match index.checked_sub(1).map(|above| path[above].is_list) {
            None => String::new(),
            Some(false) => {
                column += 2;
                " ".repeat(column)
            }
            Some(true) => {
                column += indent;
                let dash = format!("{}- ", " ".repeat(column));
                column += 2;
                dash
            }
        };
        text.push_str(&format!("{lead}{}:\n", key.name));
    }
    Head { text, column }
}

fn answer(request: &Value) -> Value {
    serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap()
}

/// Returns the value of a list in a text; null if it is not there.
fn value_of(text: &str, path: &[Key]) -> Value {
    let answer = answer(&json!({"verb": "parse", "text": text, "raw": true}));
    assert_eq!(answer["ok"], true, "{text}\n{answer}");
    let mut value = &answer["raw"];
    for (index, key) in path.iter().enumerate() {
        value = &value[key.name];
        if key.is_list && index + 1 < path.len() {
            value = &value[0];
        }
    }
    value.clone()
}

/// Accepts each completion on a line of its own at a column, between two texts. Checks that each gives a text that parses, and that
/// items are in the list, in their place. Returns whether items were offered.
fn offers_items(before: &str, column: usize, after: &str, path: &[Key]) -> bool {
    let lead = format!("{before}{}", " ".repeat(column));
    let text = format!("{lead}\n{after}");
    let place = json!({"byteOffset": lead.len()});
    let answer = answer(&json!({"verb": "complete", "text": text, "position": place}));
    let items_of = |text: &str| match value_of(text, path) {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        other => panic!("{text}\nhas {other}"),
    };
    let known = items_of(&text);
    let above = items_of(before).len();
    let mut offers = false;
    for item in answer["items"].as_array().unwrap() {
        assert_eq!(item["range"]["start"]["byteOffset"], place["byteOffset"]);
        let accepted = format!("{lead}{}\n{after}", item["insertText"].as_str().unwrap());
        let items = items_of(&accepted);
        let mut expected = known.clone();
        if let Some(name) = item["label"].as_str().unwrap().strip_prefix("- ") {
            offers = true;
            expected.insert(above, items[above].clone());
            assert!(items[above].get(name).is_some(), "{accepted}");
        }
        assert_eq!(items, expected, "{accepted}");
    }
    offers
}

fn check(object: &str, path: &[Key]) {
    for indent in [0, 2] {
        let Head { text, column } = head(object, path, indent);
        let lead = " ".repeat(column);
        let item = |indent: usize| format!("{lead}{}- {{}}\n", " ".repeat(indent));
        for after in [String::new(), format!("{lead}sibling: 1\n")] {
            for cursor in [0, 1, 2, 4] {
                assert!(
                    offers_items(&text, column + cursor, &after, path),
                    "{cursor}\n{text}▮\n{after}"
                );
            }
            for existing in [0, 2] {
                let item = item(existing);
                for cursor in [0, 1, 2, 4] {
                    for (before, after) in [
                        (format!("{text}{item}"), after.clone()),
                        (text.clone(), format!("{item}{after}")),
                        (format!("{text}{item}"), format!("{item}{after}")),
                    ] {
                        assert_eq!(
                            offers_items(&before, column + cursor, &after, path),
                            cursor == existing,
                            "{cursor}\n{before}▮\n{after}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn items_are_in_their_list() {
    let mut checked = 0;
    let mut found = Lists::default();
    for version in VERSIONS.iter().rev() {
        for kind in version.kinds {
            let release = version.default_release_of(kind.kind);
            lists(kind.schema, release, &[], &mut found);
            let object = format!("apiVersion: {}\nkind: {}\n", version.api_version, kind.kind);
            for path in found.paths.drain(..) {
                check(&object, &path);
                checked += 1;
            }
        }
    }
    assert!(checked > 30, "{checked}");
}

#[test]
fn items_of_pods_are_in_their_list() {
    let claims = [list("containers"), key("resources"), list("claims")];
    let template = [key("spec"), key("template"), key("spec")];
    let job = [key("spec"), key("jobTemplate")];
    for (object, above) in [
        ("apiVersion: v1\nkind: Pod\n", vec![key("spec")]),
        ("apiVersion: apps/v1\nkind: Deployment\n", template.to_vec()),
        (
            "apiVersion: batch/v1\nkind: CronJob\n",
            [job.as_slice(), &template].concat(),
        ),
    ] {
        check(
            object,
            &[above.as_slice(), &[list("resourceClaims")]].concat(),
        );
        check(object, &[above.as_slice(), &claims].concat());
    }
}

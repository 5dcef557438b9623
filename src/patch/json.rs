//! JSON patch (RFC 6902) as kube-apiserver's library reads it. It deviates from the RFC in observable ways: negative indices
//! count from the end, `replace` sets a missing field, `test` of a missing field against null succeeds, `add` may omit the value,
//! `copy` treats a missing field as null, and the whole document can be replaced but not added to. The available crates follow
//! the RFC, hence this file.
//!
//! The library reads a map when an operation first goes through it, and prints it with sorted keys from then on; other maps keep the
//! order of their text (evanphx/json-patch 4.12, `lazyNode`).

use super::{PatchRefusal, go_kind, sorted};
use claimkit_model::message::{Message, Words, message};
use claimkit_values::order;
use serde_json::{Map, Value};

/// Maximum number of operations of one patch.
const MAX_OPERATIONS: usize = 10_000;
/// Maximum number of bytes that the `copy` operations of one patch may copy together: kube-apiserver's `JSONPatchMaxCopyBytes`
/// (apiserver, pkg/server/config.go).
const MAX_COPIED_BYTES: usize = 3 * 1024 * 1024;

/// Applies a patch and returns the document with the strict decoding errors of the patch (texts as in `strict decoding error:
/// …`).
pub fn apply(document: &Value, patch: &Value) -> Result<(Value, Vec<String>), PatchRefusal> {
    let strict = check(patch)
        .map_err(|error| PatchRefusal::BadRequest(format!("error decoding patch: {error}")))?;
    let operations = patch.as_array().map_or(&[][..], Vec::as_slice);
    if operations.len() > MAX_OPERATIONS {
        let text = format!(
            "The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {}",
            operations.len()
        );
        return Err(PatchRefusal::TooLarge(text));
    }
    let mut patched = document.clone();
    open(&mut patched);
    let mut copied = 0;
    for (at, operation) in operations.iter().enumerate() {
        step(&mut patched, operation, &mut copied).map_err(|problem| {
            let [op, path] = ["op", "path"]
                .map(|name| operation.get(name).and_then(Value::as_str).unwrap_or(""));
            let refusal = message!(
                "patch.operation",
                "operation {at} (`{operation}` at `{path}`): {problem}",
                at,
                operation = op,
                path,
                problem,
            );
            PatchRefusal::Rejected(refusal.into())
        })?;
    }
    Ok((patched, strict))
}

/// Checks the types of the operations, in the server's words, and returns errors about unknown members.
fn check(patch: &Value) -> Result<Vec<String>, String> {
    let mut strict = Vec::new();
    if patch.is_null() {
        return Ok(strict);
    }
    let Some(operations) = patch.as_array() else {
        return Err(format!(
            "json: cannot unmarshal {} into Go value of type []handlers.jsonPatchOp",
            go_kind(patch)
        ));
    };
    let mut first = None;
    for (at, operation) in operations.iter().enumerate() {
        let Some(members) = operation.as_object() else {
            if !operation.is_null() {
                let kind = go_kind(operation);
                first.get_or_insert_with(|| {
                    format!(
                        "json: cannot unmarshal {kind} into Go value of type handlers.jsonPatchOp"
                    )
                });
            }
            continue;
        };
        for (name, value) in members {
            match name.as_str() {
                "value" => {}
                "op" | "path" | "from" => {
                    if !value.is_string() && !value.is_null() {
                        let kind = go_kind(value);
                        first.get_or_insert_with(|| {
                            format!("json: cannot unmarshal {kind} into Go struct field jsonPatchOp.{name} of type string")
                        });
                    }
                }
                _ => strict.push(format!("json patch unknown field \"[{at}].{name}\"")),
            }
        }
    }
    first.map_or(Ok(strict), Err)
}

/// Carries out one operation; `copied` counts the bytes of all copies.
fn step(document: &mut Value, operation: &Value, copied: &mut usize) -> Result<(), Words> {
    let member = |name: &str| {
        let value = operation.get(name).and_then(Value::as_str);
        value.ok_or_else(|| message!("patch.operation-without-member", "it has no `{name}`", name))
    };
    let value = || operation.get("value").cloned().unwrap_or(Value::Null);
    let kind = member("op")?;
    let path = member("path")?;
    match kind {
        "add" => add(document, path, value()).map_err(Words::from),
        "remove" => remove(document, path).map(drop).map_err(Words::from),
        "replace" if path.is_empty() => match value() {
            value @ (Value::Object(_) | Value::Array(_)) => {
                *document = value;
                open(document);
                Ok(())
            }
            _ => Err(Words::Ours(message!(
                "patch.whole-document",
                "the whole document can be replaced by an object or a list only"
            ))),
        },
        "replace" => {
            // A list item must exist; a field need not.
            get(document, path)?;
            put(document, path, value()).map_err(Words::from)
        }
        "move" => {
            let moved = remove(document, member("from")?)?;
            add(document, path, moved).map_err(Words::from)
        }
        "copy" => {
            let from = member("from")?;
            get(document, from)?;
            // Both places are gone through before anything is copied.
            container(document, path)?;
            let value = get(document, from)?.cloned().unwrap_or(Value::Null);
            *copied = copied.saturating_add(value.to_string().len());
            if *copied > MAX_COPIED_BYTES {
                return Err(Words::upstream(format!(
                    "Unable to complete the copy, the accumulated size increase of copy is {copied}, exceeding the limit {MAX_COPIED_BYTES}"
                )));
            }
            add(document, path, value).map_err(Words::from)
        }
        "test" if path.is_empty() => {
            if *document == value() {
                Ok(())
            } else {
                Err(test_failed().into())
            }
        }
        "test" => {
            let found = get(document, path)?.cloned().unwrap_or(Value::Null);
            if !equal(&found, &value()) {
                return Err(test_failed().into());
            }
            // The comparison reads all of the value.
            if !found.is_null() {
                put(document, path, sorted(&found)).map_err(Words::from)
            } else {
                Ok(())
            }
        }
        other => Err(Words::Ours(message!(
            "patch.no-operation",
            "`{operation}` is not an operation",
            operation = other
        ))),
    }
}

fn test_failed() -> Message {
    message!("patch.test-failed", "the test failed")
}

fn no_member(name: &str) -> Message {
    message!("patch.no-member", "there is no `{name}`", name)
}

fn no_item(index: &str) -> Message {
    message!("patch.no-item", "there is no item `{index}`", index)
}

fn no_container(name: &str) -> Message {
    message!(
        "patch.no-container",
        "`{name}` is looked for in a value that is not an object or list",
        name
    )
}

/// Sorts the keys of a map that an operation goes through.
fn open(value: &mut Value) {
    if let Value::Object(map) = value {
        sort_keys(map);
    }
}

/// Sorts the keys of a map; not those of maps inside it.
pub(super) fn sort_keys(map: &mut Map<String, Value>) {
    if map.keys().is_sorted() {
        return;
    }
    let mut entries: Vec<(String, Value)> = std::mem::take(map).into_iter().collect();
    order::sort_by(&mut entries, |(a, _), (b, _)| a.cmp(b));
    map.extend(entries);
}

/// Compares as JSON: numbers by value.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

/// Unescapes a token: `~1` is `/`, `~0` is `~`.
fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// Finds the container a pointer leads into, and the last token.
fn container<'d>(
    document: &'d mut Value,
    pointer: &str,
) -> Result<(&'d mut Value, String), Message> {
    let tokens = pointer.strip_prefix('/').ok_or_else(|| {
        message!(
            "patch.path-without-slash",
            "the path does not begin with `/`"
        )
    })?;
    let (head, last) = tokens
        .rsplit_once('/')
        .map_or((None, tokens), |(head, last)| (Some(head), last));
    let mut here = document;
    open(here);
    for token in head.into_iter().flat_map(|head| head.split('/')) {
        let token = unescape(token);
        here = match here {
            Value::Object(map) => map.get_mut(&token).ok_or_else(|| no_member(&token))?,
            Value::Array(items) => {
                let at = index(&token, items.len())?;
                items.get_mut(at).ok_or_else(|| no_item(&token))?
            }
            _ => return Err(no_container(&token)),
        };
        open(here);
    }
    match here {
        Value::Object(_) | Value::Array(_) => Ok((here, unescape(last))),
        _ => Err(no_container(last)),
    }
}

/// Reads an index of a list with `len` items; negative ones count from the end.
fn index(token: &str, len: usize) -> Result<usize, Message> {
    index_from_end(token, len).ok_or_else(|| {
        message!(
            "patch.no-index",
            "`{token}` is not an index of a list with {len} items",
            token,
            len
        )
    })
}

fn index_from_end(token: &str, len: usize) -> Option<usize> {
    let written: i64 = token.parse().ok()?;
    let at = if written < 0 {
        written.saturating_add(i64::try_from(len).ok()?)
    } else {
        written
    };
    usize::try_from(at).ok()
}

fn get<'d>(document: &'d mut Value, pointer: &str) -> Result<Option<&'d Value>, Message> {
    let (container, last) = container(document, pointer)?;
    match container {
        Value::Object(map) => Ok(map.get(&last)),
        Value::Array(items) => {
            let at = index(&last, items.len())?;
            items.get(at).map(Some).ok_or_else(|| no_item(&last))
        }
        _ => Ok(None),
    }
}

/// Replaces what is there.
fn put(document: &mut Value, pointer: &str, value: Value) -> Result<(), Message> {
    let (container, last) = container(document, pointer)?;
    match container {
        Value::Object(map) => {
            map.insert(last, value);
            sort_keys(map);
            Ok(())
        }
        Value::Array(items) => {
            let at = index(&last, items.len())?;
            *items.get_mut(at).ok_or_else(|| no_item(&last))? = value;
            Ok(())
        }
        _ => Ok(()),
    }
}

fn add(document: &mut Value, pointer: &str, value: Value) -> Result<(), Message> {
    let (container, last) = container(document, pointer)?;
    match container {
        Value::Object(map) => {
            map.insert(last, value);
            sort_keys(map);
        }
        Value::Array(items) if last == "-" => items.push(value),
        Value::Array(items) => {
            // An insertion may be one past the last item.
            let at = index(&last, items.len().saturating_add(1))?;
            if at > items.len() {
                return Err(message!(
                    "patch.index-beyond-end",
                    "`{index}` is beyond the end of a list with {len} items",
                    index = last,
                    len = items.len(),
                ));
            }
            items.insert(at, value);
        }
        _ => {}
    }
    Ok(())
}

fn remove(document: &mut Value, pointer: &str) -> Result<Value, Message> {
    let (container, last) = container(document, pointer)?;
    match container {
        Value::Object(map) => map.shift_remove(&last).ok_or_else(|| no_member(&last)),
        Value::Array(items) => {
            let at = index(&last, items.len())?;
            if at >= items.len() {
                return Err(no_item(&last));
            }
            Ok(items.remove(at))
        }
        _ => Err(no_member(&last)),
    }
}

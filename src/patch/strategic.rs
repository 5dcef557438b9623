//! Strategic merge patch: a merge patch that knows which lists are merged, and directives. The strategies and merge keys
//! are those of the schema tables in the release.

use super::{PatchRefusal, go_kind, go_print};
use claimkit_model::message::{Words, message};
use claimkit_model::schema::{Field, FieldType, Release, Struct};
use claimkit_values::order;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM_LIST: &str = "$deleteFromPrimitiveList/";
const SET_ORDER: &str = "$setElementOrder/";

/// Returns the object after the patch.
pub fn apply(
    object: &Value,
    patch: &Value,
    schema: &'static Struct,
    release: Release,
) -> Result<Value, PatchRefusal> {
    let (Value::Object(object), Value::Object(patch)) = (object, patch) else {
        let text = format!(
            "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            go_kind(patch)
        );
        return Err(PatchRefusal::BadRequest(text));
    };
    let merger = Merger { release };
    merger
        .map(object.clone(), patch.clone(), Some(schema))
        .map(Value::Object)
}

/// The strategy of patching a list field.
#[derive(Clone, Copy)]
struct Strategy {
    merge: bool,
    key: Option<&'static str>,
    element: Option<&'static Struct>,
}

struct Merger {
    release: Release,
}

fn bad(text: &str) -> PatchRefusal {
    PatchRefusal::BadRequest(text.to_owned())
}

fn struct_of(ty: &FieldType) -> Option<&'static Struct> {
    match ty {
        FieldType::Struct(schema) => Some(schema),
        FieldType::Pointer(inner) | FieldType::List(inner) => struct_of(inner),
        _ => None,
    }
}

impl Merger {
    fn field(&self, schema: Option<&'static Struct>, name: &str) -> Option<&'static Field> {
        schema
            .and_then(|schema| schema.field(name, self.release))
            .map(|(_, field)| field)
    }

    fn strategy(&self, schema: Option<&'static Struct>, name: &str) -> Strategy {
        let field = self.field(schema, name);
        let rule = field.and_then(|field| field.list_rule(self.release));
        Strategy {
            merge: rule.is_some_and(|rule| rule.patch_merge),
            key: rule.and_then(|rule| rule.patch_merge_key),
            element: field.and_then(|field| struct_of(&field.ty)),
        }
    }

    fn map(
        &self,
        mut original: Map<String, Value>,
        mut patch: Map<String, Value>,
        schema: Option<&'static Struct>,
    ) -> Result<Map<String, Value>, PatchRefusal> {
        if let Some(directive) = patch.get(DIRECTIVE) {
            return match directive.as_str() {
                Some("replace") => {
                    patch.shift_remove(DIRECTIVE);
                    Ok(patch)
                }
                Some("delete") => Ok(Map::new()),
                _ => Err(unknown_directive(directive, &patch)),
            };
        }
        retain_keys(&mut original, &mut patch)?;
        self.ordered_lists(&mut original, &mut patch, schema)?;
        for (name, change) in patch {
            if let Some(list) = name.strip_prefix(DELETE_FROM_LIST) {
                self.delete_from_list(&mut original, list, &change)?;
                continue;
            }
            if change.is_null() {
                original.shift_remove(&name);
                continue;
            }
            let Some(here) = original.get_mut(&name) else {
                original.insert(name, without_directives(change));
                continue;
            };
            let merged = match (here.take(), change) {
                (Value::Object(old), Value::Object(new)) => {
                    let schema = self
                        .field(schema, &name)
                        .and_then(|field| struct_of(&field.ty));
                    Value::Object(self.map(old, new, schema)?)
                }
                (Value::Array(old), Value::Array(new)) => {
                    let strategy = self.strategy(schema, &name);
                    Value::Array(if strategy.merge {
                        self.list(old, new, strategy, &name)?
                    } else {
                        new
                    })
                }
                (_, new) => new,
            };
            *here = merged;
        }
        Ok(original)
    }

    fn delete_from_list(
        &self,
        original: &mut Map<String, Value>,
        list: &str,
        gone: &Value,
    ) -> Result<(), PatchRefusal> {
        let Some(gone) = gone.as_array() else {
            return Err(bad("invalid patch format of primitive list"));
        };
        if let Some(Value::Array(items)) = original.get_mut(list) {
            let gone = Places::of(gone, None);
            items.retain(|item| gone.first(item).is_none());
        }
        Ok(())
    }

    /// Merges lists with `$setElementOrder` and puts them in that order, then takes them out of the patch.
    fn ordered_lists(
        &self,
        original: &mut Map<String, Value>,
        patch: &mut Map<String, Value>,
        schema: Option<&'static Struct>,
    ) -> Result<(), PatchRefusal> {
        let directives: Vec<String> = patch
            .keys()
            .filter(|key| key.starts_with(SET_ORDER))
            .cloned()
            .collect();
        for directive in directives {
            let order = patch.shift_remove(&directive);
            let Some(Value::Array(order)) = order else {
                return Err(bad("invalid patch format of setElementOrder list"));
            };
            let name = directive.strip_prefix(SET_ORDER).unwrap_or("");
            let strategy = self.strategy(schema, name);
            let (here, change) = (list_of(original, name)?, list_of(patch, name)?);
            if let Some(change) = &change {
                in_order(change, &order, strategy.key)?;
            }
            let merged = match (&here, change) {
                (None, None) => continue,
                (Some(here), None) => here.clone(),
                (None, Some(new)) => new
                    .into_iter()
                    .filter(|item| item.get(DIRECTIVE).is_none())
                    .map(without_directives)
                    .collect(),
                (Some(here), Some(new)) if strategy.merge => {
                    self.list(here.clone(), new, strategy, name)?
                }
                (Some(_), Some(new)) => new,
            };
            let sorted = arrange(merged, &order, &here.unwrap_or_default(), strategy.key);
            original.insert(name.to_owned(), Value::Array(sorted));
            patch.shift_remove(name);
        }
        Ok(())
    }

    fn list(
        &self,
        original: Vec<Value>,
        patch: Vec<Value>,
        strategy: Strategy,
        name: &str,
    ) -> Result<Vec<Value>, PatchRefusal> {
        let Some(first) = original.first().or(patch.first()) else {
            return Ok(original);
        };
        let kind = go_kind(first);
        if original.iter().chain(&patch).any(|item| item.is_array()) {
            return Err(PatchRefusal::Rejected(Words::upstream(
                "lists of lists are not supported",
            )));
        }
        if original
            .iter()
            .chain(&patch)
            .any(|item| go_kind(item) != kind)
        {
            return Err(PatchRefusal::Ours(message!(
                "patch.items-of-several-types",
                "the items of `{name}` are not all of one type",
                name
            )));
        }
        let Some(key) = strategy.key else {
            if kind == "object" {
                return Err(PatchRefusal::Ours(message!(
                    "patch.no-merge-key",
                    "`{name}` cannot be merged: it has no merge key",
                    name
                )));
            }
            let mut seen = BTreeSet::new();
            let all = original.iter().chain(&patch);
            let merged = all
                .filter(|item| seen.insert(item.to_string()))
                .cloned()
                .collect();
            return Ok(arrange(merged, &patch, &original, None));
        };
        if kind != "object" {
            return Err(PatchRefusal::Ours(message!(
                "patch.items-no-objects",
                "the items of `{name}` are not objects",
                name
            )));
        }
        let server_order = original.clone();
        let (original, patch) = special_items(original, patch, key)?;
        let order = if original.is_empty() {
            Vec::new()
        } else {
            server_order
        };
        let mut places = Places::of(&original, Some(key));
        let mut merged = original;
        for patched in &patch {
            let Value::Object(item) = patched else {
                continue;
            };
            if !item.contains_key(key) {
                return Err(no_merge_key(item, key));
            }
            match places.first(patched).and_then(|at| merged.get_mut(at)) {
                Some(known) => {
                    let Value::Object(old) = known.take() else {
                        continue;
                    };
                    *known = Value::Object(self.map(old, item.clone(), strategy.element)?);
                }
                None => {
                    places.add(patched, merged.len());
                    merged.push(patched.clone());
                }
            }
        }
        Ok(arrange(merged, &patch, &order, Some(key)))
    }
}

fn unknown_directive(directive: &Value, patch: &Map<String, Value>) -> PatchRefusal {
    PatchRefusal::Internal(format!(
        "unknown patch type: {} in map: {}",
        go_print(directive),
        go_print(&Value::Object(patch.clone()))
    ))
}

fn no_merge_key(item: &Map<String, Value>, key: &str) -> PatchRefusal {
    PatchRefusal::Internal(format!(
        "map: {} does not contain declared merge key: {key}",
        go_print(&Value::Object(item.clone()))
    ))
}

/// Obeys `$retainKeys`: removes all other keys; every key that the patch sets must be listed.
fn retain_keys(
    original: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
) -> Result<(), PatchRefusal> {
    let Some(keys) = patch.shift_remove(RETAIN_KEYS) else {
        return Ok(());
    };
    let Value::Array(keys) = keys else {
        return Err(bad("invalid patch format of retainKeys"));
    };
    let retained: Vec<&str> = keys.iter().filter_map(Value::as_str).collect();
    let is_wrong = patch.iter().any(|(name, value)| {
        !value.is_null() && !is_list_directive(name) && !retained.contains(&name.as_str())
    });
    if is_wrong {
        return Err(bad("invalid patch format of retainKeys"));
    }
    original.retain(|name, _| retained.contains(&name.as_str()));
    Ok(())
}

/// Returns a copy of a list; `None`: the map does not have it.
fn list_of(map: &Map<String, Value>, name: &str) -> Result<Option<Vec<Value>>, PatchRefusal> {
    match map.get(name) {
        None => Ok(None),
        Some(Value::Array(items)) => Ok(Some(items.clone())),
        Some(_) => Err(bad("invalid patch format of setElementOrder list")),
    }
}

/// Returns true if an item of a list is taken out, or says nothing but what to do.
fn is_deleted(item: &Value) -> bool {
    let is_bare = item
        .as_object()
        .is_some_and(|map| map.len() == 1 && map.contains_key(DIRECTIVE));
    is_bare || item.get(DIRECTIVE).and_then(Value::as_str) == Some("delete")
}

/// Returns true if a member says what to do with the list of another member.
fn is_list_directive(name: &str) -> bool {
    name.starts_with(DELETE_FROM_LIST) || name.starts_with(SET_ORDER)
}

/// Obeys items with `$patch`: `delete` takes the matching one out, `replace` takes the patch's list instead.
fn special_items(
    mut original: Vec<Value>,
    patch: Vec<Value>,
    key: &str,
) -> Result<(Vec<Value>, Vec<Value>), PatchRefusal> {
    let mut plain = Vec::new();
    let mut replace = false;
    let mut deleted = BTreeSet::new();
    for item in patch {
        let Value::Object(map) = &item else { continue };
        match map
            .get(DIRECTIVE)
            .map(|directive| (directive, directive.as_str()))
        {
            None => plain.push(item),
            Some((_, Some("delete"))) => {
                let Some(value) = map.get(key) else {
                    return Err(no_merge_key(map, key));
                };
                deleted.insert(value.to_string());
            }
            Some((_, Some("replace"))) => replace = true,
            Some((_, Some("merge"))) => {
                return Err(PatchRefusal::Internal(
                    "merging lists cannot yet be specified in the patch".to_owned(),
                ));
            }
            Some((directive, _)) => return Err(unknown_directive(directive, map)),
        }
    }
    original.retain(|known| {
        known
            .get(key)
            .is_none_or(|value| !deleted.contains(&value.to_string()))
    });
    Ok((if replace { Vec::new() } else { original }, plain))
}

/// Cleans a new value: removes directives and nulls, which have no effect.
fn without_directives(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            if map.get(DIRECTIVE).and_then(Value::as_str) == Some("delete") {
                return Value::Object(Map::new());
            }
            let mut kept = Map::new();
            for (name, value) in map {
                let is_directive =
                    name == DIRECTIVE || name == RETAIN_KEYS || is_list_directive(&name);
                if !value.is_null() && !is_directive {
                    kept.insert(name, without_directives(value));
                }
            }
            Value::Object(kept)
        }
        Value::Array(items) => Value::Array(
            items
                .into_iter()
                .filter(|item| !is_deleted(item))
                .map(without_directives)
                .collect(),
        ),
        value => value,
    }
}

/// The places of items in a list by what identifies them: the value of a key, or all of the item.
struct Places<'k> {
    key: Option<&'k str>,
    known: BTreeMap<String, Vec<usize>>,
}

impl<'k> Places<'k> {
    fn of(list: &[Value], key: Option<&'k str>) -> Self {
        let mut places = Places {
            key,
            known: BTreeMap::new(),
        };
        list.iter()
            .enumerate()
            .for_each(|(at, item)| places.add(item, at));
        places
    }

    fn identity(&self, item: &Value) -> Option<String> {
        match self.key {
            Some(key) => item.get(key).map(Value::to_string),
            None => Some(item.to_string()),
        }
    }

    fn add(&mut self, item: &Value, at: usize) {
        if let Some(identity) = self.identity(item) {
            self.known.entry(identity).or_default().push(at);
        }
    }

    fn first(&self, item: &Value) -> Option<usize> {
        self.from(item, 0)
    }

    /// Returns the first place of an item that is not before `least`.
    fn from(&self, item: &Value, least: usize) -> Option<usize> {
        let places = self.known.get(&self.identity(item)?)?;
        places
            .get(places.partition_point(|at| *at < least))
            .copied()
    }
}

/// Checks that the patch's list is in the order it asks for.
fn in_order(patch: &[Value], order: &[Value], key: Option<&str>) -> Result<(), PatchRefusal> {
    let mut from = 0;
    let places = Places::of(order, key);
    for item in patch.iter().filter(|item| item.get(DIRECTIVE).is_none()) {
        match places.from(item, from) {
            Some(at) => from = at.saturating_add(1),
            None => {
                let [patch, order] =
                    [patch, order].map(|items| go_print(&Value::Array(items.to_vec())));
                let text = format!(
                    "The order in patch list:\n{patch}\n doesn't match $setElementOrder list:\n{order}\n"
                );
                return Err(PatchRefusal::Internal(text));
            }
        }
    }
    Ok(())
}

/// Orders merged items: those in the patch in its order, the others in the server's order, interleaved by their position on the
/// server.
fn arrange(merged: Vec<Value>, patch: &[Value], server: &[Value], key: Option<&str>) -> Vec<Value> {
    let (patch, server) = (Places::of(patch, key), Places::of(server, key));
    let (mut named, mut others): (Vec<Value>, Vec<Value>) = merged
        .into_iter()
        .partition(|item| patch.first(item).is_some());
    order::sort_by_key(&mut named, |item| patch.first(item).unwrap_or(usize::MAX));
    order::sort_by_key(&mut others, |item| server.first(item).unwrap_or(usize::MAX));
    let mut out = Vec::with_capacity(named.len().saturating_add(others.len()));
    let (mut named, mut others) = (named.into_iter().peekable(), others.into_iter().peekable());
    loop {
        let take_other = match (others.peek(), named.peek()) {
            (None, None) => return out,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some(other), Some(named)) => match (server.first(other), server.first(named)) {
                (Some(other), Some(named)) => other < named,
                _ => false,
            },
        };
        out.extend(if take_other {
            others.next()
        } else {
            named.next()
        });
    }
}

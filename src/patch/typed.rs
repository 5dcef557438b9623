//! Values walked along their schema, as server-side apply sees them: which fields there are, two values merged, compared,
//! and fields removed. List semantics are those of the release.

use super::fields::{FieldSet, SetPath, SetStep};
use claimkit_model::schema::{Field, FieldType, ListKind, Release, Struct};
use claimkit_values::order;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Structs that are owned as a whole (`x-kubernetes-map-type: atomic`).
const ATOMIC: &[&str] = &["NodeSelector", "NodeSelectorTerm", "OwnerReference"];

/// The granularity in which a value is owned.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Owned as a whole.
    Leaf,
    /// Owned field by field.
    Fields(&'static Struct),
    /// A map of strings, owned key by key.
    Keys,
    /// Any JSON: objects are owned key by key, all else as a whole (`__untyped_deduced_` of kube-openapi).
    Any,
    /// A list of scalars, owned item by item.
    Set,
    /// A list of objects known by these fields.
    Items(&'static [&'static str], &'static FieldType),
    /// A set whose items are objects: server-side apply fails on it (1.26.0 and 1.26.1).
    Broken,
}

/// The schema of one release.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    pub release: Release,
}

/// Returns the default of a key, as JSON: optional keys have none, others are strings with the empty one.
pub fn default_of(item: &FieldType, key: &str) -> Option<String> {
    let schema = item.as_struct()?;
    let field = schema.fields.iter().find(|field| field.json == key)?;
    (!matches!(field.ty, FieldType::Pointer(_))).then(|| "\"\"".to_owned())
}

impl Schema {
    /// Returns the shape of a type by itself.
    pub fn of_type(&self, ty: &FieldType) -> Shape {
        match ty {
            FieldType::Pointer(inner) => self.of_type(inner),
            FieldType::Struct(schema) if !ATOMIC.contains(&schema.go) => Shape::Fields(schema),
            FieldType::StringMap => Shape::Keys,
            FieldType::Raw => Shape::Any,
            _ => Shape::Leaf,
        }
    }

    pub fn of_field(&self, field: &'static Field) -> Shape {
        let FieldType::List(item) = field.ty else {
            return self.of_type(&field.ty);
        };
        match field.list_rule(self.release).map(|rule| rule.kind) {
            None | Some(ListKind::Atomic) => Shape::Leaf,
            Some(ListKind::Set) if matches!(item, FieldType::Struct(_)) => Shape::Broken,
            Some(ListKind::Set) => Shape::Set,
            Some(ListKind::Map(keys)) => Shape::Items(keys, item),
        }
    }

    /// Returns the shape of a field; `None` if the release has none of that name.
    pub fn below(&self, shape: Shape, name: &str) -> Option<Shape> {
        match shape {
            Shape::Fields(schema) => schema
                .field(name, self.release)
                .map(|(_, field)| self.of_field(field)),
            Shape::Keys => Some(Shape::Leaf),
            Shape::Any => Some(Shape::Any),
            _ => None,
        }
    }

    fn child(&self, shape: Shape, name: &str) -> Shape {
        self.below(shape, name).unwrap_or(Shape::Leaf)
    }

    /// Returns the shape of an item.
    fn item(&self, shape: Shape) -> Shape {
        match shape {
            Shape::Items(_, ty) => self.of_type(ty),
            _ => Shape::Leaf,
        }
    }

    /// Returns the identity of an item.
    pub fn step(shape: Shape, item: &Value) -> SetStep {
        match shape {
            Shape::Items(keys, ty) => {
                // A missing key has its default, which optional ones lack: they are left out.
                let mut given: Vec<(String, String)> = Vec::with_capacity(keys.len());
                for key in keys.iter() {
                    let value = item.get(key).map(ToString::to_string);
                    if let Some(value) = value.or_else(|| default_of(ty, key)) {
                        given.push(((*key).to_owned(), value));
                    }
                }
                order::sort(&mut given);
                SetStep::Key(given)
            }
            _ => SetStep::Value(item.to_string()),
        }
    }

    /// Adapts a set written by an earlier release to this release's schema: an owner of something inside a list or map that is
    /// now atomic owns the whole list or map (structured-merge-diff, typed/reconcile_schema.go).
    pub fn reconciled(&self, shape: Shape, set: &FieldSet) -> FieldSet {
        let paths = set.paths().iter();
        FieldSet::new(paths.map(|path| self.up_to_leaf(shape, path)).collect())
    }

    /// Returns a path without what is below the first value that has no parts.
    fn up_to_leaf(&self, shape: Shape, path: &SetPath) -> SetPath {
        let mut here = shape;
        for (depth, step) in path.iter().enumerate() {
            here = match (here, step) {
                (Shape::Leaf, _) => return path.get(..depth).unwrap_or_default().to_vec(),
                (_, SetStep::Field(name)) => self.child(here, name),
                _ => self.item(here),
            };
        }
        path.clone()
    }

    /// Returns the fields a value has.
    pub fn set(&self, shape: Shape, value: &Value) -> FieldSet {
        let mut paths = Vec::new();
        self.collect(shape, value, &mut Vec::new(), &mut paths);
        FieldSet::new(paths)
    }

    fn collect(&self, shape: Shape, value: &Value, path: &mut SetPath, set: &mut Vec<SetPath>) {
        match (shape, value) {
            (Shape::Fields(_) | Shape::Keys | Shape::Any, Value::Null)
            | (Shape::Set | Shape::Items(..), Value::Null) => {}
            (Shape::Fields(_) | Shape::Keys | Shape::Any, Value::Object(map)) => {
                for (name, value) in map {
                    path.push(SetStep::Field(name.clone()));
                    self.collect(self.child(shape, name), value, path, set);
                    let empty = value.is_null() || value.as_object().is_some_and(Map::is_empty);
                    if empty
                        || self.below(shape, name).is_none()
                        || matches!(shape, Shape::Keys | Shape::Any)
                    {
                        set.push(path.clone());
                    }
                    path.pop();
                }
            }
            (Shape::Set | Shape::Items(..), Value::Array(items)) => {
                let steps: Vec<SetStep> =
                    items.iter().map(|item| Self::step(shape, item)).collect();
                let by_step = places(&steps);
                for (item, step) in items.iter().zip(&steps) {
                    path.push(step.clone());
                    // Of duplicates, only their identity is owned.
                    if by_step.get(step).is_none_or(|places| places.len() < 2) {
                        self.collect(self.item(shape), item, path, set);
                    }
                    set.push(path.clone());
                    path.pop();
                }
            }
            _ => set.push(path.clone()),
        }
    }

    /// Merges two values: the right one wins; fields only in the left one stay.
    pub fn merge(
        &self,
        shape: Shape,
        left: Option<&Value>,
        right: Option<&Value>,
    ) -> Option<Value> {
        let (left, right) = match (left, right) {
            (left, None) => return left.cloned(),
            (None, Some(right)) => return Some(right.clone()),
            (Some(left), Some(right)) => (left, right),
        };
        Some(match (shape, left, right) {
            (
                Shape::Fields(_) | Shape::Keys | Shape::Any,
                Value::Object(old),
                Value::Object(new),
            ) if !old.is_empty() || !new.is_empty() => {
                let mut out = Map::new();
                for name in old
                    .keys()
                    .chain(new.keys().filter(|name| !old.contains_key(name.as_str())))
                {
                    let merged = self.merge(self.child(shape, name), old.get(name), new.get(name));
                    if let Some(value) = merged {
                        out.insert(name.clone(), value);
                    }
                }
                Value::Object(out)
            }
            // Null in a configuration leaves the fields below unchanged.
            (Shape::Fields(_) | Shape::Keys | Shape::Any, Value::Object(old), Value::Null)
                if !old.is_empty() =>
            {
                left.clone()
            }
            (Shape::Set | Shape::Items(..), Value::Array(old), Value::Null) if !old.is_empty() => {
                left.clone()
            }
            (Shape::Set | Shape::Items(..), Value::Array(old), Value::Array(new))
                if !old.is_empty() || !new.is_empty() =>
            {
                Value::Array(self.merge_items(shape, old, new))
            }
            _ => right.clone(),
        })
    }

    /// Merges two lists. Items of the right list keep its order; an item only in the left list stays before the item that follows
    /// it there.
    fn merge_items(&self, shape: Shape, left: &[Value], right: &[Value]) -> Vec<Value> {
        let left_steps = Self::steps(shape, left);
        let right_steps = Self::steps(shape, right);
        let (left_places, right_places) = (places(&left_steps), places(&right_steps));
        let in_left = |step: &SetStep| {
            left_places
                .get(step)
                .and_then(|places| left.get(*places.first()?))
        };
        let mut shared = right_steps
            .iter()
            .filter(|step| left_places.contains_key(step));
        let mut next_shared = shared.next();
        let mut out = Vec::new();
        let (mut l, mut r) = (0usize, 0usize);
        let item_shape = self.item(shape);
        while l < left_steps.len() || r < right_steps.len() {
            if let (Some(here), Some(wanted)) = (left_steps.get(l), right_steps.get(r)) {
                if here == wanted {
                    out.extend(self.merge(item_shape, left.get(l), right.get(r)));
                    l = l.saturating_add(1);
                    r = r.saturating_add(1);
                    next_shared = shared.next();
                    continue;
                }
                if right_places.contains_key(here) && next_shared.is_some_and(|next| next != here) {
                    // A shared item: it is placed by the right list's order.
                    l = l.saturating_add(1);
                    continue;
                }
            }
            if let Some(here) = left_steps.get(l)
                && !right_places.contains_key(here)
            {
                out.extend(left.get(l).cloned());
                l = l.saturating_add(1);
                continue;
            }
            if let Some(wanted) = right_steps.get(r) {
                out.extend(self.merge(item_shape, in_left(wanted), right.get(r)));
                r = r.saturating_add(1);
                if next_shared == Some(wanted) {
                    next_shared = shared.next();
                }
                continue;
            }
            // A shared item of the left list that is already placed.
            l = l.saturating_add(1);
        }
        out
    }

    /// Replaces the lists that are owned as a whole by the same ones as the server holds them in memory (structured-merge-diff 6,
    /// `value/listreflect.go`, `EqualsUsing`, compares those with `reflect.DeepEqual`).
    pub fn replace_atomic_lists(&self, shape: Shape, value: &mut Value, in_memory: &Value) {
        match (shape, value, in_memory) {
            (Shape::Leaf, Value::Array(items), Value::Array(new)) => items.clone_from(new),
            (Shape::Fields(_), Value::Object(members), Value::Object(new)) => {
                for (name, value) in members.iter_mut() {
                    if let Some(new) = new.get(name) {
                        self.replace_atomic_lists(self.child(shape, name), value, new);
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the differences of two values.
    pub fn compare(&self, shape: Shape, left: &Value, right: &Value) -> Compared {
        let mut found = Differences::default();
        self.differ(shape, Some(left), Some(right), &mut Vec::new(), &mut found);
        Compared {
            added: FieldSet::new(found.added),
            modified: FieldSet::new(found.modified),
            removed: FieldSet::new(found.removed),
        }
    }

    fn differ(
        &self,
        shape: Shape,
        left: Option<&Value>,
        right: Option<&Value>,
        path: &mut SetPath,
        out: &mut Differences,
    ) {
        let (old_map, new_map) = (members_of(left), members_of(right));
        let (old_list, new_list) = (items_of(left), items_of(right));
        match shape {
            Shape::Fields(_) | Shape::Keys | Shape::Any
                if old_map.is_some() || new_map.is_some() =>
            {
                self.differ_maps(shape, old_map, new_map, path, out);
            }
            Shape::Set | Shape::Items(..) if !old_list.is_empty() || !new_list.is_empty() => {
                self.differ_lists(shape, old_list, new_list, path, out);
            }
            _ => {
                if let (Some(left), Some(right)) = (left, right) {
                    if left != right {
                        out.modified.push(path.clone());
                    }
                    return;
                }
            }
        }
        match (left, right) {
            (None, Some(_)) => out.added.push(path.clone()),
            (Some(_), None) => out.removed.push(path.clone()),
            _ => {}
        }
    }

    fn differ_maps(
        &self,
        shape: Shape,
        old: Option<&Map<String, Value>>,
        new: Option<&Map<String, Value>>,
        path: &mut SetPath,
        out: &mut Differences,
    ) {
        let old_names = old.into_iter().flat_map(Map::keys);
        let new_names = new.into_iter().flat_map(Map::keys);
        let added = new_names.filter(|name| old.is_none_or(|old| !old.contains_key(name.as_str())));
        for name in old_names.chain(added) {
            let [before, after] = [old, new].map(|map| map.and_then(|map| map.get(name)));
            path.push(SetStep::Field(name.clone()));
            self.differ(self.child(shape, name), before, after, path, out);
            path.pop();
        }
    }

    fn differ_lists(
        &self,
        shape: Shape,
        old: &[Value],
        new: &[Value],
        path: &mut SetPath,
        out: &mut Differences,
    ) {
        let old_steps = Self::steps(shape, old);
        let new_steps = Self::steps(shape, new);
        let (old_places, new_places) = (places(&old_steps), places(&new_steps));
        let all = order::set(old_places.keys().chain(new_places.keys()).copied());
        for step in all {
            let old_items = items_at(old, old_places.get(step));
            let new_items = items_at(new, new_places.get(step));
            path.push(step.clone());
            self.differ_items(self.item(shape), &old_items, &new_items, path, out);
            path.pop();
        }
    }

    fn steps(shape: Shape, list: &[Value]) -> Vec<SetStep> {
        list.iter().map(|item| Self::step(shape, item)).collect()
    }

    /// Compares the items of one identity. Duplicates are compared as a whole (structured-merge-diff 6, `typed/compare.go`,
    /// `visitListItems`).
    fn differ_items(
        &self,
        shape: Shape,
        old: &[&Value],
        new: &[&Value],
        path: &mut SetPath,
        out: &mut Differences,
    ) {
        match (old, new) {
            ([_, _, ..], [_, _, ..]) if old != new => out.modified.push(path.clone()),
            ([_, _, ..], [_, _, ..]) => {}
            ([_, _, ..], _) => {
                self.differ(shape, None, new.first().copied(), path, out);
                out.removed.push(path.clone());
            }
            (_, [_, _, ..]) => {
                self.differ(shape, old.first().copied(), None, path, out);
                out.added.push(path.clone());
            }
            _ => self.differ(shape, old.first().copied(), new.first().copied(), path, out),
        }
    }

    /// Removes these fields from a copy of the value. A map or list that becomes empty is null.
    pub fn remove(&self, shape: Shape, value: &Value, gone: &FieldSet) -> Value {
        self.strip(shape, value, gone, &mut Vec::new())
    }

    fn strip(&self, shape: Shape, value: &Value, gone: &FieldSet, path: &mut SetPath) -> Value {
        match (shape, value) {
            (Shape::Fields(_) | Shape::Keys | Shape::Any, Value::Object(map))
                if !map.is_empty() =>
            {
                let mut out = Map::new();
                for (name, value) in map {
                    path.push(SetStep::Field(name.clone()));
                    if !gone.contains(path) {
                        out.insert(
                            name.clone(),
                            self.strip_below(self.child(shape, name), value, gone, path),
                        );
                    }
                    path.pop();
                }
                if out.is_empty() {
                    Value::Null
                } else {
                    Value::Object(out)
                }
            }
            (Shape::Set | Shape::Items(..), Value::Array(items)) if !items.is_empty() => {
                let mut out = Vec::new();
                for item in items {
                    path.push(Self::step(shape, item));
                    if !gone.contains(path) {
                        out.push(self.strip_below(self.item(shape), item, gone, path));
                    }
                    path.pop();
                }
                if out.is_empty() {
                    Value::Null
                } else {
                    Value::Array(out)
                }
            }
            _ => value.clone(),
        }
    }

    fn strip_below(
        &self,
        shape: Shape,
        value: &Value,
        gone: &FieldSet,
        path: &mut SetPath,
    ) -> Value {
        if gone.reaches(path) {
            self.strip(shape, value, gone, path)
        } else {
            value.clone()
        }
    }

    /// Returns the set plus every struct field on the way to its paths.
    pub fn named(&self, shape: Shape, set: &FieldSet) -> FieldSet {
        let mut all = set.paths().to_vec();
        for path in set.paths() {
            let mut here = shape;
            for (at, step) in path.iter().enumerate() {
                match step {
                    SetStep::Field(name) => {
                        let declared =
                            matches!(here, Shape::Fields(_)) && self.below(here, name).is_some();
                        if declared {
                            all.extend(path.get(..=at).map(<[SetStep]>::to_vec));
                        }
                        here = self.child(here, name);
                    }
                    _ => here = self.item(here),
                }
            }
        }
        FieldSet::new(all)
    }
}

/// Returns the members of a map that has some.
fn members_of(value: Option<&Value>) -> Option<&Map<String, Value>> {
    let members = value?.as_object()?;
    (!members.is_empty()).then_some(members)
}

/// Returns the items of a list; none for other values.
fn items_of(value: Option<&Value>) -> &[Value] {
    let items = value.and_then(Value::as_array);
    items.map_or(&[], Vec::as_slice)
}

fn items_at<'v>(items: &'v [Value], places: Option<&Vec<usize>>) -> Vec<&'v Value> {
    let places = places.into_iter().flatten();
    places.filter_map(|at| items.get(*at)).collect()
}

/// Returns the places of the items of each identity.
fn places(steps: &[SetStep]) -> BTreeMap<&SetStep, Vec<usize>> {
    let mut places: BTreeMap<&SetStep, Vec<usize>> = BTreeMap::new();
    for (at, step) in steps.iter().enumerate() {
        places.entry(step).or_default().push(at);
    }
    places
}

/// The differences found until now.
#[derive(Default)]
struct Differences {
    added: Vec<SetPath>,
    modified: Vec<SetPath>,
    removed: Vec<SetPath>,
}

/// The differences of two values.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Only the new one has them.
    pub added: FieldSet,
    /// Both have them, with other values.
    pub modified: FieldSet,
    /// Only the old one has them.
    pub removed: FieldSet,
}

impl Compared {
    /// Returns true if nothing differs.
    pub fn is_same(&self) -> bool {
        self.added.is_empty() && self.modified.is_empty() && self.removed.is_empty()
    }
}

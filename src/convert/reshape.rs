//! The conversion of values of the device family: the shapes of one version into those of an adjacent one.

use super::fields::{self, Fate, Nulls, Sides, pointee};
use super::job::{self, Job, Pass};
use super::rebuild::{entry, rebuild};
use claimkit_model::schema::steps::{self, Direction, StructChange};
use claimkit_model::schema::{Field, FieldType, Struct};
use claimkit_model::text::Span;
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::tree::{Entry, Kind, NodeId, Style, Tree};

/// Copies the object without the fields that the target version has no place for.
pub fn without_lost(tree: &mut Tree<'_>, object: NodeId, job: &Job) -> NodeId {
    let mut any = false;
    fields::lost(tree, object, job, Nulls::Included, |_| any = true);
    if !any {
        return object;
    }
    prune(
        tree,
        object,
        &Sides::of(job),
        job.source.schema,
        job.target.schema,
    )
}

/// Removes lost fields. Recursion is bounded by the depth of the tables, here and below.
fn prune(
    tree: &mut Tree<'_>,
    map: NodeId,
    sides: &Sides<'_>,
    from: &'static Struct,
    to: &'static Struct,
) -> NodeId {
    rebuild(tree, map, |tree, name, entry| {
        let value = match sides.fate(from, to, name) {
            Fate::Goes(_) => return None,
            Fate::Hoisted(inner) => prune(tree, entry.value, sides, inner, to),
            Fate::Stays(Some((from, to))) => prune_value(tree, entry.value, sides, from, to),
            Fate::Stays(None) => entry.value,
        };
        Some(Entry { value, ..entry })
    })
}

fn prune_value(
    tree: &mut Tree<'_>,
    node: NodeId,
    sides: &Sides<'_>,
    from: &'static FieldType,
    to: &'static FieldType,
) -> NodeId {
    match (pointee(from), pointee(to)) {
        (FieldType::Struct(from), FieldType::Struct(to)) => prune(tree, node, sides, from, to),
        (FieldType::List(from), FieldType::List(to)) => items(tree, node, |tree, item| {
            prune_value(tree, item, sides, from, to)
        }),
        (FieldType::Map(from), FieldType::Map(to)) => rebuild(tree, node, |tree, _, entry| {
            let whole = sides.goes_with_its_fields(tree, entry.value, &from.value, &to.value);
            if whole.is_some() {
                return None;
            }
            Some(Entry {
                value: prune_value(tree, entry.value, sides, &from.value, &to.value),
                ..entry
            })
        }),
        (FieldType::Struct(_), FieldType::Quantity) => rebuild(tree, node, |_, name, entry| {
            (name == "value").then_some(entry)
        }),
        _ => node,
    }
}

/// Makes the items of a list anew; anything else stays as it is.
fn items<'s>(
    tree: &mut Tree<'s>,
    list: NodeId,
    mut change: impl FnMut(&mut Tree<'s>, NodeId) -> NodeId,
) -> NodeId {
    if !matches!(tree.kind(list), Kind::Seq { .. }) {
        return list;
    }
    let old = tree.items(list).to_vec();
    let new: Vec<NodeId> = old.into_iter().map(|item| change(tree, item)).collect();
    let kind = tree.store_items(new);
    tree.add(kind, Span::default(), Style::Block)
}

/// Returns the object in the shape of the adjacent version.
pub fn object(tree: &mut Tree<'_>, node: NodeId, pass: &Pass) -> NodeId {
    record(tree, node, pass, pass.from, pass.to)
}

fn record(
    tree: &mut Tree<'_>,
    map: NodeId,
    pass: &Pass,
    from: &'static Struct,
    to: &'static Struct,
) -> NodeId {
    if std::ptr::eq(from, to) || !tree.is_map(map) {
        return map;
    }
    match steps::change(pass.rows, from, to) {
        Some(StructChange::Wrap {
            into,
            inner,
            always,
            ..
        }) => wrap(tree, map, pass, (from, to), into, inner, always),
        Some(StructChange::Hoist { field, inner, .. }) => {
            hoist(tree, map, pass, (from, to), field, inner)
        }
        None => rebuild(tree, map, |tree, name, entry| {
            if stands_for_absent(tree, pass, from, name, &entry) {
                return None;
            }
            Some(field(tree, pass, entry, name, from, to))
        }),
    }
}

fn slot(schema: &'static Struct, name: &str) -> Option<&'static Field> {
    schema.slot(name).and_then(|slot| schema.fields.get(slot))
}

/// Gives an entry its name and value in the other version.
fn field(
    tree: &mut Tree<'_>,
    pass: &Pass,
    entry: Entry,
    name: &str,
    from: &'static Struct,
    to: &'static Struct,
) -> Entry {
    let new = steps::new_name(pass.rows, from, to, name);
    let (Some(from), Some(to)) = (slot(from, name), slot(to, new)) else {
        return entry;
    };
    let key = if new == name {
        entry.key
    } else {
        tree.store(new)
    };
    Entry {
        key,
        value: value(tree, entry.value, pass, &from.ty, &to.ty),
        shadowed: false,
        merged: false,
        ..entry
    }
}

fn value(
    tree: &mut Tree<'_>,
    node: NodeId,
    pass: &Pass,
    from: &'static FieldType,
    to: &'static FieldType,
) -> NodeId {
    match (pointee(from), pointee(to)) {
        (FieldType::Struct(from), FieldType::Struct(to)) => record(tree, node, pass, from, to),
        (FieldType::List(from), FieldType::List(to)) => {
            items(tree, node, |tree, item| value(tree, item, pass, from, to))
        }
        (FieldType::Map(from), FieldType::Map(to)) => match (&from.value, &to.value) {
            (FieldType::Quantity, FieldType::Struct(inner)) => {
                let field = steps::wraps_value(pass.rows, inner);
                rebuild(tree, node, |tree, _, old| match field {
                    Some(field) => Some(wrap_quantity(tree, field, old)),
                    None => Some(old),
                })
            }
            (FieldType::Struct(inner), FieldType::Quantity) => {
                let field = steps::wraps_value(pass.rows, inner);
                rebuild(tree, node, |tree, _, old| {
                    let quantity = field.and_then(|field| tree.get(old.value, field));
                    Some(Entry {
                        value: quantity.unwrap_or(old.value),
                        ..old
                    })
                })
            }
            (from, to) => rebuild(tree, node, |tree, _, old| {
                Some(Entry {
                    value: value(tree, old.value, pass, from, to),
                    ..old
                })
            }),
        },
        _ => node,
    }
}

/// Puts a quantity into a map, under the only field of it.
fn wrap_quantity(tree: &mut Tree<'_>, field: &'static str, old: Entry) -> Entry {
    if job::is_null(tree, old.value) {
        return old;
    }
    let wrapped = entry(tree, field, old.value);
    let map = tree.store_entries([wrapped]);
    Entry {
        value: tree.add(map, Span::default(), Style::Block),
        ..old
    }
}

/// Returns true if the value is a zero that the older version treats as absent but the newer one would keep.
pub fn stands_for_absent(
    tree: &Tree<'_>,
    pass: &Pass,
    schema: &Struct,
    name: &str,
    entry: &Entry,
) -> bool {
    let zero = match tree.kind(entry.value) {
        Kind::Str(text) => tree.text(text).is_empty(),
        Kind::Bool(value) => !value,
        _ => false,
    };
    zero && pass.direction == Direction::Up && steps::zero_is_absent(pass.rows, schema, name)
}

/// Returns true if a flat request has a non-zero value in a field that gets wrapped.
pub fn says_something(
    tree: &Tree<'_>,
    map: NodeId,
    pass: &Pass,
    from: &'static Struct,
    inner: &'static Struct,
) -> bool {
    let mut entries = print::effective(tree, map, Order::Source).into_iter();
    entries.any(|entry| {
        let Some(field) = slot(from, tree.text(entry.key))
            .filter(|field| goes_into(pass, from, inner, field.json))
        else {
            return false;
        };
        match tree.kind(entry.value) {
            Kind::Null => false,
            Kind::Str(text) if field.ty.is_text() => !tree.text(text).is_empty(),
            Kind::Int(number) => number != 0,
            Kind::Number(span) => span.slice_of(tree.source()) != Some("0"),
            _ => true,
        }
    })
}

/// Returns true if a field of a flat struct belongs into the new one.
pub fn goes_into(pass: &Pass, from: &Struct, inner: &Struct, name: &str) -> bool {
    inner.has(steps::new_name(pass.rows, from, inner, name))
}

fn wrap(
    tree: &mut Tree<'_>,
    map: NodeId,
    pass: &Pass,
    (from, to): (&'static Struct, &'static Struct),
    into: &'static str,
    inner: &'static Struct,
    always: bool,
) -> NodeId {
    let written = always || says_something(tree, map, pass, from, inner);
    let old: Vec<Entry> = print::effective(tree, map, Order::Source)
        .into_iter()
        .copied()
        .collect();
    let (mut outside, mut inside) = (Vec::new(), Vec::new());
    let mut at = None;
    for entry in old {
        let name = tree.text(entry.key).to_owned();
        if !goes_into(pass, from, inner, &name) {
            let entry = field(tree, pass, entry, &name, from, to);
            outside.push(Entry {
                shadowed: false,
                merged: false,
                ..entry
            });
        } else if written {
            at.get_or_insert(outside.len());
            inside.push(field(tree, pass, entry, &name, from, inner));
        }
    }
    if written {
        let kind = tree.store_entries(inside);
        let value = tree.add(kind, Span::default(), Style::Block);
        let new = entry(tree, into, value);
        outside.insert(at.unwrap_or(outside.len()), new);
    }
    let kind = tree.store_entries(outside);
    tree.add(kind, Span::default(), Style::Block)
}

/// Moves the fields of `holder` up into the map that has it.
fn hoist(
    tree: &mut Tree<'_>,
    map: NodeId,
    pass: &Pass,
    (from, to): (&'static Struct, &'static Struct),
    holder: &'static str,
    inner: &'static Struct,
) -> NodeId {
    let old: Vec<Entry> = print::effective(tree, map, Order::Source)
        .into_iter()
        .copied()
        .collect();
    let mut new = Vec::new();
    for entry in old {
        let name = tree.text(entry.key).to_owned();
        if name != holder {
            let entry = field(tree, pass, entry, &name, from, to);
            new.push(Entry {
                shadowed: false,
                merged: false,
                ..entry
            });
            continue;
        }
        let below: Vec<Entry> = print::effective(tree, entry.value, Order::Source)
            .into_iter()
            .copied()
            .collect();
        for entry in below {
            let name = tree.text(entry.key).to_owned();
            new.push(field(tree, pass, entry, &name, inner, to));
        }
    }
    let kind = tree.store_entries(new);
    tree.add(kind, Span::default(), Style::Block)
}

//! Where a field belongs that its struct does not have: below that struct first, then above it.

use claimkit_model::schema::{Field, FieldType, Gates, Release, Struct};
use claimkit_model::text::tree::Kind;

/// A struct that has the field.
#[derive(Debug)]
pub(super) struct Place {
    /// The path from the root, without indexes; empty: the root.
    pub path: String,
    pub schema: &'static Struct,
    /// The field of the searched struct that is on the way, if this place is below it.
    pub through: Option<&'static Field>,
}

/// The result of a search in one direction.
enum Found {
    Nothing,
    One(Place),
    /// Several places equally near.
    Several(Vec<Place>),
}

/// An unknown field.
#[derive(Clone, Copy, Debug)]
pub struct Unknown<'n> {
    pub name: &'n str,
    /// Where it was written, as in the server's messages.
    pub path: &'n str,
    /// Its value; `None`: not known.
    pub value: Option<Kind>,
}

/// A field that is looked for.
struct Wanted<'n> {
    unknown: Unknown<'n>,
    release: Release,
    /// The struct that does not have it.
    missing_in: &'static Struct,
    status: Status,
    gates: GateFilter,
}

/// Whether fields of the status are considered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Left,
    Considered,
}

/// Whether fields whose gate is off by default are considered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GateFilter {
    OnByDefault,
    Any,
}

/// Returns the nearest places for a field: one, or several that are equally near.
pub(super) fn nearest_places(
    unknown: Unknown<'_>,
    schema: &'static Struct,
    root: &'static Struct,
    release: Release,
) -> Vec<Place> {
    // Most unknown fields are in no struct: nothing is searched for them.
    if !is_anywhere(root, unknown.name, release) {
        return Vec::new();
    }
    let mut chain = chain(root, unknown.path);
    let Some(here) = chain
        .iter()
        .position(|place| std::ptr::eq(place.schema, schema))
    else {
        return Vec::new();
    };
    chain.truncate(here.saturating_add(1));
    let in_status = chain.get(1).is_some_and(|place| place.path == "status");
    let statuses = if in_status {
        &[Status::Considered][..]
    } else {
        &[Status::Left, Status::Considered]
    };
    for status in statuses {
        let wanted = |gates| Wanted {
            unknown,
            release,
            missing_in: schema,
            status: *status,
            gates,
        };
        match search(&chain, &wanted) {
            Found::One(place) => return vec![place],
            Found::Several(places) => return places,
            Found::Nothing => {}
        }
    }
    Vec::new()
}

/// Returns the path of the struct around one, if it has the field: a request has the name, and what it holds has not.
pub(super) fn holder_with(
    unknown: Unknown<'_>,
    schema: &'static Struct,
    root: &'static Struct,
    release: Release,
) -> Option<String> {
    let chain = chain(root, unknown.path);
    let around = chain
        .windows(2)
        .find(|pair| matches!(pair, [_, inner] if std::ptr::eq(inner.schema, schema)))?;
    let outer = around.first().filter(|outer| !outer.path.is_empty())?;
    outer.schema.field(unknown.name, release)?;
    Some(outer.path.clone())
}

/// Returns true if a struct or one below it has a field of the name.
fn is_anywhere(schema: &'static Struct, name: &str, release: Release) -> bool {
    let mut below = schema
        .fields
        .iter()
        .filter_map(|field| struct_or_item(&field.ty));
    schema.field(name, release).is_some() || below.any(|schema| is_anywhere(schema, name, release))
}

/// Returns the structs from the root to the one that a path leads to.
fn chain(root: &'static Struct, path: &str) -> Vec<Place> {
    let mut places = vec![Place {
        path: String::new(),
        schema: root,
        through: None,
    }];
    let mut last = root;
    let mut way = String::new();
    for part in path.split('.') {
        let name = part.split('[').next().unwrap_or(part);
        // The key of a map is not a field.
        let field = last.fields.iter().find(|field| field.json == name);
        let Some(schema) = field.and_then(|field| field.ty.holds()) else {
            continue;
        };
        last = schema;
        way = below(&way, name);
        places.push(Place {
            path: way.clone(),
            schema,
            through: None,
        });
    }
    places
}

/// Searches two levels below the last struct of a chain, then the structs above it, then what is below these.
fn search<'n>(chain: &[Place], wanted: &dyn Fn(GateFilter) -> Wanted<'n>) -> Found {
    const NEAR: usize = 2;
    let Some((here, above)) = chain.split_last() else {
        return Found::Nothing;
    };
    let filters = [GateFilter::OnByDefault, GateFilter::Any];
    let depth = if above.is_empty() { usize::MAX } else { NEAR };
    for gates in filters {
        let found = search_below(here, depth, &wanted(gates));
        if !matches!(found, Found::Nothing) {
            return found;
        }
    }
    // A field of a struct around is likelier than one of a struct beside: the line is too far to the right.
    let around = above
        .iter()
        .rev()
        .find(|place| has(place.schema, &wanted(GateFilter::Any)));
    if let Some(place) = around {
        return Found::One(Place {
            path: place.path.clone(),
            schema: place.schema,
            through: None,
        });
    }
    for gates in filters {
        for place in above.iter().rev() {
            match search_below(place, usize::MAX, &wanted(gates)) {
                Found::Nothing => {}
                Found::Several(places) => return Found::Several(places),
                // No field of the searched struct is on the way.
                Found::One(found) => {
                    return Found::One(Place {
                        through: None,
                        ..found
                    });
                }
            }
        }
    }
    Found::Nothing
}

/// Searches the structs below one, level by level. Tables are trees with a few levels, so that the search ends.
fn search_below(place: &Place, depth: usize, wanted: &Wanted<'_>) -> Found {
    let mut level = structs_in(place, wanted);
    for _ in 0..depth {
        if level.is_empty() {
            break;
        }
        let next: Vec<Place> = level
            .iter()
            .flat_map(|place| structs_in(place, wanted))
            .collect();
        let mut places: Vec<Place> = level
            .into_iter()
            .filter(|place| has(place.schema, wanted))
            .collect();
        if places.len() > 1 {
            return Found::Several(places);
        }
        if let Some(place) = places.pop() {
            return Found::One(place);
        }
        level = next;
    }
    Found::Nothing
}

/// Returns true if the struct has the field.
fn has(schema: &'static Struct, wanted: &Wanted<'_>) -> bool {
    let field = schema.field(wanted.unknown.name, wanted.release);
    !std::ptr::eq(schema, wanted.missing_in)
        && field.is_some_and(|(_, field)| considered(field, wanted) && takes(field, wanted))
}

/// Returns true if the field takes a list, a map or another value, as the one that was written is.
fn takes(field: &Field, wanted: &Wanted<'_>) -> bool {
    let ty = field.ty.pointed();
    let is_list = matches!(ty, FieldType::List(_));
    let is_map = ty.takes_map();
    match wanted.unknown.value {
        _ if matches!(ty, FieldType::Raw) => true,
        None | Some(Kind::Null | Kind::Alias(_)) => true,
        Some(Kind::Seq { .. }) => is_list,
        Some(Kind::Map { .. }) => is_map,
        Some(_) => !is_list && !is_map,
    }
}

/// Returns the structs that the fields of one hold, alone or as items of a list.
fn structs_in(place: &Place, wanted: &Wanted<'_>) -> Vec<Place> {
    let mut places = Vec::new();
    for field in place.schema.fields {
        let left_out =
            place.path.is_empty() && field.json == "status" && wanted.status == Status::Left;
        let Some(schema) = struct_or_item(&field.ty) else {
            continue;
        };
        if !left_out && considered(field, wanted) {
            places.push(Place {
                path: below(&place.path, field.json),
                schema,
                through: place.through.or(Some(field)),
            });
        }
    }
    places
}

/// Returns true if the release has the field, and by default the gates that it needs.
fn considered(field: &Field, wanted: &Wanted<'_>) -> bool {
    let gates = Gates::defaults(wanted.release);
    let is_on = field.gates.iter().all(|gate| gates.on(*gate));
    field.in_release(wanted.release) && (is_on || wanted.gates == GateFilter::Any)
}

fn struct_or_item(ty: &FieldType) -> Option<&'static Struct> {
    match ty {
        FieldType::List(inner) => struct_or_item(inner),
        other => other.as_struct(),
    }
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

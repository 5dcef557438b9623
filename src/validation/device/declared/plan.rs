//! Where an object has generated rules: a tree beside the tables, made for each kind and release as far as objects reach.

use super::table::{
    ALIASES, DECLARED, DEPENDENTS, Declared, Dependent, OPAQUE, Rule, UNIONS, Union,
};
use claimkit_model::schema::{Field, FieldType, Release, Struct};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The generated rules of a struct and of what it holds.
#[derive(Debug)]
pub struct Plan {
    /// The rule about the struct itself.
    pub union: Option<&'static Union>,
    /// The fields that others of the struct demand.
    pub dependents: Vec<&'static Dependent>,
    /// The fields with rules, or with structs inside, in the order of the type.
    pub fields: Vec<Planned>,
}

/// A field that is judged.
#[derive(Debug)]
pub struct Planned {
    /// Its index in the struct.
    pub at: usize,
    pub field: &'static Field,
    /// Its type in the release.
    pub ty: &'static FieldType,
    pub declared: Option<&'static Declared>,
    /// The fields that tell its items apart.
    pub keys: Option<&'static [&'static str]>,
    /// The struct that it holds, and its rules once an object has it.
    inside: Option<(&'static Struct, OnceLock<Box<Plan>>)>,
    release: Release,
}

impl Planned {
    /// Returns the rules of the structs in it.
    pub fn inside(&self) -> Option<&Plan> {
        let (schema, made) = self.inside.as_ref()?;
        Some(made.get_or_init(|| Box::new(plan(schema, self.release))))
    }
}

/// A root struct and a release, with their plan.
type Made = (&'static Struct, Release, Arc<Plan>);

/// The plans that were made, at most one for each kind and release that is asked.
static MADE: Mutex<Vec<Made>> = Mutex::new(Vec::new());

/// Returns the rules of a kind.
pub fn of(root: &'static Struct, release: Release) -> Arc<Plan> {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let known = made
        .iter()
        .find(|(schema, of, _)| std::ptr::eq(*schema, root) && *of == release);
    if let Some((_, _, plan)) = known {
        return Arc::clone(plan);
    }
    let plan = Arc::new(plan(root, release));
    made.push((root, release, Arc::clone(&plan)));
    plan
}

/// Forgets the plans without looking at them: their memory is the host's again.
pub fn forget() {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::forget(std::mem::take(&mut *made));
}

/// Makes the plan of a struct; those of the structs in it are made when an object has them.
fn plan(schema: &'static Struct, release: Release) -> Plan {
    let rows = Rows::of(schema.go, release);
    let fields = schema
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| field.in_release(release));
    let planned = fields.filter_map(|(at, field)| {
        let ty = field.type_in(release);
        let declared = rows.of_field(field.json);
        let keys = declared
            .into_iter()
            .flat_map(|declared| declared.rules)
            .find_map(|rule| match *rule {
                Rule::UniqueMap(keys) | Rule::InBeta(&Rule::UniqueMap(keys)) => Some(keys),
                _ => None,
            });
        let opaque = OPAQUE.contains(&(schema.go, field.json));
        let inside = ty
            .holds()
            .filter(|_| !opaque)
            .map(|inner| (inner, OnceLock::new()));
        let judged = declared.is_some() || inside.is_some();
        judged.then_some(Planned {
            at,
            field,
            ty,
            declared,
            keys,
            inside,
            release,
        })
    });
    Plan {
        union: UNIONS.iter().find(|union| union.of == schema.go),
        dependents: DEPENDENTS
            .iter()
            .filter(|row| row.of == schema.go && row.since <= release.minor)
            .collect(),
        fields: planned.collect(),
    }
}

/// The rules of the fields of a struct, looked up once: a policy's host makes the plan anew for each request.
struct Rows {
    own: Vec<&'static Declared>,
    /// The rules of the type that has the fields in other versions.
    aliased: Vec<&'static Declared>,
}

impl Rows {
    fn of(name: &str, release: Release) -> Self {
        let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
        Rows {
            own: rows_of(name, release),
            aliased: alias.map_or_else(Vec::new, |(_, name)| rows_of(name, release)),
        }
    }

    fn of_field(&self, field: &str) -> Option<&'static Declared> {
        self.own
            .iter()
            .chain(&self.aliased)
            .find(|row| row.field == field)
            .copied()
    }
}

/// Returns the rows of a struct that a release has; the newest row of a field is the first.
fn rows_of(name: &str, release: Release) -> Vec<&'static Declared> {
    let newest_first = DECLARED.iter().rev();
    newest_first
        .filter(|row| row.since <= release.minor && row.of == name)
        .collect()
}

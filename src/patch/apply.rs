//! Server-side apply, and who owns fields after any other write: merge, conflicts, pruning, as structured-merge-diff does it.

use super::check::{Duplicates, check};
use super::fields::{FieldSet, SetStep};
use super::managers::{self, Manager};
use super::typed::{Compared, Schema, Shape};
use super::{FieldConflict, PatchRefusal};
use claimkit_model::message::Message;
use claimkit_model::object::{self, Record};
use claimkit_model::schema::meta::LAST_APPLIED;
use claimkit_model::schema::{Release, Struct};
use claimkit_values::GoUnicode;
use claimkit_values::order;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The manager that stands for all writes before the first apply.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// The manager that `kubectl apply --server-side` writes as.
const KUBECTL: &str = "kubectl";

/// The field manager and the operation of a write.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'w> {
    pub manager: &'w str,
    /// The version of the object.
    pub api_version: &'w str,
    pub schema: &'static Struct,
    pub release: Release,
    pub status: bool,
    /// The kind has a status that is written separately.
    pub has_status: bool,
    /// A write of the status owns nothing of the metadata.
    pub status_owns_no_metadata: bool,
    /// The time of the write, RFC 3339.
    pub time: Option<&'w str>,
    /// Take fields away from other managers.
    pub force: bool,
}

impl Writer<'_> {
    fn typed(&self) -> (Schema, Shape) {
        (
            Schema {
                release: self.release,
            },
            Shape::Fields(self.schema),
        )
    }

    /// Returns the fields the other endpoint writes: never owned through this one.
    fn reset(&self) -> FieldSet {
        let fields: &[&str] = match (self.has_status, self.status) {
            (false, _) => &[],
            (true, false) => &["status"],
            (true, true) if self.status_owns_no_metadata => &["metadata", "spec"],
            (true, true) => &["spec"],
        };
        FieldSet::new(
            fields
                .iter()
                .map(|field| vec![SetStep::Field((*field).to_owned())])
                .collect(),
        )
    }

    /// Returns an object as its fields are compared. `in_memory`: the same object as the server holds it in memory.
    pub fn as_compared(&self, mut object: Value, in_memory: &Value) -> Value {
        let (schema, shape) = self.typed();
        let managers = object.pointer("/metadata/managedFields").cloned();
        schema.replace_atomic_lists(shape, &mut object, in_memory);
        // Managers are read, not compared.
        if let Some((place, managers)) = object.pointer_mut("/metadata/managedFields").zip(managers)
        {
            *place = managers;
        }
        object
    }

    /// Takes an object and its managers apart.
    fn bare(&self, object: &Value) -> Bare {
        let (schema, shape) = self.typed();
        let managers = managers::read(object).map(|list| {
            list.into_iter()
                .map(|manager| Manager {
                    set: schema.reconciled(shape, &manager.set),
                    ..manager
                })
                .collect()
        });
        let mut bare = object.clone();
        if let Some(metadata) = bare.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.shift_remove("managedFields");
        }
        Bare {
            object: bare,
            managers,
        }
    }

    /// Returns the manager of an update.
    fn entry(&self) -> Manager {
        Manager {
            name: self.manager.to_owned(),
            applied: false,
            api_version: self.api_version.to_owned(),
            subresource: if self.status {
                "status".to_owned()
            } else {
                String::new()
            },
            time: None,
            set: FieldSet::default(),
        }
    }
}

/// Applies a configuration and returns the object with its managers.
///
/// `kubectl` takes over, without a conflict, fields that client-side `kubectl apply` wrote and nobody has changed since
/// (apimachinery, pkg/util/managedfields/internal/lastappliedmanager.go).
pub fn apply(
    live: &Value,
    config: &Value,
    writer: &Writer<'_>,
    unicode: GoUnicode,
) -> Result<Value, PatchRefusal> {
    if writer.manager != KUBECTL {
        return write(live, config, writer, unicode);
    }
    let mut object = take_over(live, config, writer, unicode)?;
    // kubectl's next client-side apply compares with what was applied now (lastappliedupdater.go in the same folder).
    let kept = object
        .pointer_mut("/metadata/annotations")
        .and_then(|annotations| annotations.get_mut(LAST_APPLIED));
    if let Some(kept) = kept.filter(|kept| kept.as_str().is_some_and(|text| !text.is_empty())) {
        let mut config = config.clone();
        if let Some(annotations) = config
            .pointer_mut("/metadata/annotations")
            .and_then(Value::as_object_mut)
        {
            annotations.shift_remove(LAST_APPLIED);
        }
        *kept = format!("{}\n", super::numbers::print_map(&config)).into();
    }
    Ok(object)
}

fn take_over(
    live: &Value,
    config: &Value,
    writer: &Writer<'_>,
    unicode: GoUnicode,
) -> Result<Value, PatchRefusal> {
    let refused = match write(live, config, writer, unicode) {
        Err(PatchRefusal::Conflicts(conflicts)) => conflicts,
        done => return done,
    };
    let allowed = last_applied(live, writer).unwrap_or_default();
    let left: Vec<FieldConflict> = refused
        .into_iter()
        .filter(|conflict| !allowed.contains(&conflict.path))
        .collect();
    if left.is_empty() {
        write(
            live,
            config,
            &Writer {
                force: true,
                ..*writer
            },
            unicode,
        )
    } else {
        Err(PatchRefusal::Conflicts(left))
    }
}

/// Returns the paths, as conflicts name them, of fields that still have the value of the last client-side apply; `None` if the
/// object has no such annotation, or one of another version.
fn last_applied(live: &Value, writer: &Writer<'_>) -> Option<BTreeSet<String>> {
    let (schema, shape) = writer.typed();
    let text = live
        .pointer("/metadata/annotations")?
        .get(LAST_APPLIED)?
        .as_str()?;
    let applied: Value = serde_json::from_str(text).ok()?;
    if applied.get("apiVersion").and_then(Value::as_str) != Some(writer.api_version) {
        return None;
    }
    let compared = schema.compare(shape, &applied, &writer.bare(live).object);
    let changed = compared
        .added
        .union(&compared.modified)
        .union(&compared.removed);
    let kept = schema.set(shape, &applied).difference(&changed);
    Some(order::set(
        kept.paths()
            .iter()
            .map(|path| super::fields::path_text(path)),
    ))
}

fn write(
    live: &Value,
    config: &Value,
    writer: &Writer<'_>,
    unicode: GoUnicode,
) -> Result<Value, PatchRefusal> {
    let (schema, shape) = writer.typed();
    if has_managed_fields(config) {
        return Err(PatchRefusal::BadRequest(
            "metadata.managedFields must be nil".to_owned(),
        ));
    }
    check_typed(config, "patch", Duplicates::Refused, writer, unicode)?;
    let live = writer.bare(live);
    check_typed(&live.object, "live", Duplicates::Allowed, writer, unicode)?;
    let mut managers = live.managers.map_err(PatchRefusal::Ours)?;
    if managers.is_empty() {
        managers.push(manager_before_first_apply(writer, &live.object));
    }

    let merged = schema
        .merge(shape, Some(&live.object), Some(config))
        .unwrap_or(Value::Null);
    let mut applier = Manager {
        applied: true,
        set: schema.set(shape, config).outside(&writer.reset()),
        ..writer.entry()
    };
    let set_before = enter(&mut managers, &mut applier);
    let mut object = if set_before.is_empty() {
        merged
    } else {
        prune(&schema, shape, &merged, &set_before, &managers)
    };

    let compared = ignoring(
        schema.compare(shape, &live.object, &object),
        &writer.reset(),
    );
    take_from_others(&mut managers, &applier, &compared, writer.force, unicode)?;
    if !compared.is_same()
        && let Some(time) = writer.time
        && let Some(manager) = managers.iter_mut().find(|manager| manager.is(&applier))
    {
        manager.time = Some(time.to_owned());
    }
    managers::write(&mut object, &managers);
    Ok(object)
}

/// Checks that an object has the types of its schema. `which`: the server's word for it.
fn check_typed(
    object: &Value,
    which: &str,
    duplicates: Duplicates,
    writer: &Writer<'_>,
    unicode: GoUnicode,
) -> Result<(), PatchRefusal> {
    check(writer.schema, object, writer.release, unicode, duplicates).map_err(|problem| {
        PatchRefusal::Internal(format!(
            "failed to create typed {which} object ({}): {problem}",
            named(object, writer.api_version)
        ))
    })
}

/// Puts the applier among the managers, in the place and with the time of its entry there. Returns the fields that it managed before.
fn enter(managers: &mut Vec<Manager>, applier: &mut Manager) -> FieldSet {
    let Some(known) = managers.iter_mut().find(|manager| manager.is(applier)) else {
        managers.push(applier.clone());
        return FieldSet::default();
    };
    applier.time = known.time.take();
    std::mem::replace(known, applier.clone()).set
}

/// Returns true if a configuration has a list of managers, even an empty one (k8s.io/apimachinery,
/// `util/managedfields/internal/structuredmerge.go`, `Apply`).
fn has_managed_fields(config: &Value) -> bool {
    config
        .pointer("/metadata/managedFields")
        .is_some_and(Value::is_array)
}

/// Returns the manager of all fields that an object without managers has when it is applied for the first time.
fn manager_before_first_apply(writer: &Writer<'_>, live: &Value) -> Manager {
    let (schema, shape) = writer.typed();
    // Go's empty object has the fields that are always written.
    let mut empty = String::new();
    object::encode(&Record::empty(writer.schema), writer.release, &mut empty);
    let empty = serde_json::from_str(&empty).unwrap_or_else(|_| Value::Object(Map::new()));
    let all = schema.compare(shape, &empty, live);
    Manager {
        set: added(&ignoring(all, &writer.reset())).difference(&managers::unowned()),
        time: writer.time.map(str::to_owned),
        ..Writer {
            manager: BEFORE_FIRST_APPLY,
            ..*writer
        }
        .entry()
    }
}

/// Updates the field owners after a write other than apply.
pub fn update(live: &Value, new: &Value, writer: &Writer<'_>) -> Result<Value, PatchRefusal> {
    let (schema, shape) = writer.typed();
    let live = writer.bare(live);
    let new = writer.bare(new);
    let mut object = new.object;
    // Managers sent with the write are used; if there are none, or they cannot be read, those of the stored object.
    let mut managers = match new.managers {
        Ok(managers) if !managers.is_empty() => managers,
        _ => live.managers.map_err(PatchRefusal::Ours)?,
    };
    if managers.is_empty() {
        // An object has no managers before its first apply.
        return Ok(object);
    }
    let own = writer.entry();
    let compared = ignoring(
        schema.compare(shape, &live.object, &object),
        &writer.reset(),
    );
    let touched = compared.added.union(&compared.modified);
    for manager in managers.iter_mut().filter(|manager| !manager.is(&own)) {
        manager.set = manager
            .set
            .difference(&touched)
            .difference(&compared.removed);
    }
    if managers.iter().all(|manager| !manager.is(&own)) {
        managers.push(own.clone());
    }
    for manager in managers.iter_mut().filter(|manager| manager.is(&own)) {
        manager.set = manager.set.difference(&compared.removed).union(&touched);
        if !compared.is_same() {
            manager.time = writer.time.map(str::to_owned).or(manager.time.take());
        }
    }
    managers::write(&mut object, &managers);
    Ok(object)
}

/// An object without its managers, and the managers.
struct Bare {
    object: Value,
    managers: Result<Vec<Manager>, Message>,
}

fn added(compared: &Compared) -> FieldSet {
    compared.added.union(&compared.modified)
}

fn ignoring(compared: Compared, reset: &FieldSet) -> Compared {
    Compared {
        added: compared.added.outside(reset),
        modified: compared.modified.outside(reset),
        removed: compared.removed.outside(reset),
    }
}

/// Returns the name by which the server's errors call an object.
fn named(object: &Value, api_version: &str) -> String {
    let [namespace, name, kind] = ["/metadata/namespace", "/metadata/name", "/kind"]
        .map(|path| object.pointer(path).and_then(Value::as_str).unwrap_or(""));
    format!("{namespace}/{name}; {api_version}, Kind={kind}")
}

/// Removes fields that the manager applied before but no longer applies, unless another manager owns them.
fn prune(
    schema: &Schema,
    shape: Shape,
    merged: &Value,
    last: &FieldSet,
    managers: &[Manager],
) -> Value {
    let of_merged = schema.named(shape, &schema.set(shape, merged));
    let pruned = schema.remove(shape, merged, &schema.named(shape, last));
    // Restore fields that any manager owns.
    let owned = managers.iter().fold(FieldSet::default(), |owned, manager| {
        owned.union(&manager.set)
    });
    let kept = schema
        .named(shape, &schema.set(shape, &pruned))
        .union(&schema.named(shape, &owned));
    let pruned = schema.remove(shape, merged, &of_merged.difference(&kept));
    // Restore fields that nobody owned before: only fields of the last apply are removed.
    let gone = of_merged
        .difference(&schema.named(shape, &schema.set(shape, &pruned)))
        .intersection(&schema.named(shape, last));
    schema.remove(shape, merged, &gone)
}

fn take_from_others(
    managers: &mut [Manager],
    own: &Manager,
    compared: &Compared,
    force: bool,
    unicode: GoUnicode,
) -> Result<(), PatchRefusal> {
    let touched = added(compared);
    let mut conflicts = Vec::new();
    for manager in managers.iter().filter(|manager| !manager.is(own)) {
        let wanted = manager.set.intersection(&touched);
        conflicts.extend(wanted.in_order().iter().map(|path| FieldConflict {
            manager: manager.text(unicode),
            path: super::fields::path_text(path),
        }));
    }
    if !force && !conflicts.is_empty() {
        order::sort_by(&mut conflicts, |a, b| a.manager.cmp(&b.manager));
        return Err(PatchRefusal::Conflicts(conflicts));
    }
    for manager in managers.iter_mut().filter(|manager| !manager.is(own)) {
        manager.set = manager
            .set
            .difference(&touched)
            .difference(&compared.removed);
    }
    Ok(())
}

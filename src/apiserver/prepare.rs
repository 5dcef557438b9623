//! The steps of kube-apiserver's REST layer around the validation functions: fill, wipe, reset, and validate more than once
//! (kube-apiserver, staging/src/k8s.io/apiserver/pkg/registry/rest/create.go, `BeforeCreate`; update.go, `BeforeUpdate`).

use crate::apiserver::changes::Changes;
use crate::validation::metadata::{self, NameRule};
use crate::validation::{Context, Errors, Operation, run};
use claimkit_model::object::view::Object;
use claimkit_model::object::{FieldValue, Record};
use claimkit_model::schema::{Api, ClassicKind, ObjectKind, Scope};
use claimkit_values::names;
use std::borrow::Cow;

/// Adds the errors that the generic rules find in a new object after the rules of its kind accepted it (apiserver 1.37,
/// pkg/registry/rest/create.go, `BeforeCreate`). Only `generateName` can still be wrong then.
pub fn judge_created(api: Api, object: &Record<'_>, context: &Context, errors: &mut Errors) {
    if Object::new(object).metadata().generate_name().is_empty() {
        return;
    }
    metadata::generic_create(
        Object::new(object).metadata(),
        api.kind.scope,
        NameRule::PathSegment,
        context.rules,
        errors,
    );
}

/// Judges an update over HTTP. The generic rules and the strategy both judge the object after the fix-ups, so most errors come
/// more than once.
pub fn judge_update(
    api: Api,
    new: &Record<'_>,
    operation: Operation<&Record<'_>>,
    context: &Context,
) -> Errors {
    let (Operation::Update(old) | Operation::UpdateStatus(old)) = operation else {
        return context.errors();
    };
    let status = matches!(operation, Operation::UpdateStatus(_));
    let new = &for_update(new, old, status, context);
    let mut errors = context.errors();
    let (new_meta, old_meta) = (Object::new(new).metadata(), Object::new(old).metadata());
    metadata::generic_create(
        new_meta,
        api.kind.scope,
        NameRule::PathSegment,
        context.rules,
        &mut errors,
    );
    metadata::generic_update(new_meta, old_meta, &mut errors);
    if !status && strategy_creates_too(api) {
        run(api, new, Operation::Create, context, &mut errors);
    }
    run(api, new, operation, context, &mut errors);
    errors
}

/// Returns true for the kinds whose update strategy calls the create function before the update function.
fn strategy_creates_too(api: Api) -> bool {
    match api.kind.object {
        ObjectKind::Classic(kind) => match kind {
            ClassicKind::ResourceSlice
            | ClassicKind::ResourceClaimParameters
            | ClassicKind::ResourceClassParameters => false,
            ClassicKind::ResourceClaim
            | ClassicKind::ResourceClass
            | ClassicKind::ResourceClaimTemplate
            | ClassicKind::PodSchedulingContext => true,
        },
        ObjectKind::Device(_) => false,
    }
}

/// Makes the fix-ups before validation, then those of the strategy's `PrepareForUpdate`.
pub fn for_update<'r>(
    new: &Record<'r>,
    old: &Record<'r>,
    status: bool,
    context: &Context,
) -> Record<'r> {
    let mut new = new.clone();
    let has_status = new.schema.slot("status").is_some();
    if has_status {
        let kept = if status { "spec" } else { "status" };
        new.set(kept, old.get(kept).clone());
    }
    let zero;
    let stored = match old.record("metadata") {
        Some(stored) => stored,
        None => {
            let Some(schema) = new.record_mut("metadata").map(|meta| meta.schema) else {
                return new;
            };
            zero = Record::empty(schema);
            &zero
        }
    };
    let Some(meta) = new.record_mut("metadata") else {
        return new;
    };
    let mut keep = |name: &str| meta.set(name, stored.get(name).clone());
    keep("generation");
    if status && has_status && context.rules.status_update_resets_metadata {
        for name in [
            "deletionTimestamp",
            "selfLink",
            "labels",
            "annotations",
            "finalizers",
            "ownerReferences",
        ] {
            keep(name);
        }
    }
    if meta.str("uid").is_empty() {
        meta.set("uid", stored.get("uid").clone());
    }
    // A zero time counts as unset.
    for name in ["creationTimestamp", "deletionTimestamp"] {
        if matches!(stored.get(name), FieldValue::Time(time) if !time.is_zero()) {
            meta.set(name, stored.get(name).clone());
        }
    }
    if stored.has("deletionGracePeriodSeconds") && !meta.has("deletionGracePeriodSeconds") {
        meta.set(
            "deletionGracePeriodSeconds",
            stored.get("deletionGracePeriodSeconds").clone(),
        );
    }
    new
}

/// Fills in the stored version: an update without `resourceVersion`, or with zero, is unconditional. The store does this before
/// [`judge_update`].
pub fn fill_resource_version<'r>(new: &mut Record<'r>, old: &Record<'r>) {
    let Some(stored) = old.record("metadata") else {
        return;
    };
    // A version of zeros, or none, is that of any stored object.
    if let Some(meta) = new.record_mut("metadata").filter(|meta| {
        let version = meta.str("resourceVersion");
        version.bytes().all(|digit| digit == b'0')
    }) {
        meta.set("resourceVersion", stored.get("resourceVersion").clone());
    }
}

/// Fills in the request's namespace, or drops the namespace of a cluster-scoped object.
pub fn fill_namespace<'r>(
    object: &mut Record<'r>,
    scope: Scope,
    namespace: &'r str,
    changes: &mut Changes,
) {
    // The metadata of a list has no namespace.
    let Some(meta) = object
        .record_mut("metadata")
        .filter(|meta| meta.schema.has("namespace"))
    else {
        return;
    };
    let given = !meta.str("namespace").is_empty();
    match scope {
        Scope::Namespaced if !given => {
            meta.set("namespace", FieldValue::Str(Cow::Borrowed(namespace)));
            changes.namespace_filled = Some(namespace.to_owned());
        }
        Scope::Cluster if given => {
            meta.set("namespace", FieldValue::Unset);
            changes.namespace_dropped = true;
        }
        _ => {}
    }
}

/// Metadata that the handler drops from a body (kube-apiserver, apiserver/pkg/registry/rest/meta.go, `WipeObjectMetaSystemFields`).
const WIPED: &[&str] = &[
    "creationTimestamp",
    "uid",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
];

/// Prepares a new object for the strategy's validation, except for its namespace.
pub fn for_create(object: &mut Record<'_>, changes: &mut Changes) {
    drop_status(object, changes);
    let Some(meta) = object.record_mut("metadata") else {
        return;
    };
    for &name in WIPED {
        let given = match meta.get(name) {
            FieldValue::Unset => false,
            FieldValue::Str(text) => !text.is_empty(),
            _ => true,
        };
        if given {
            meta.set(name, FieldValue::Unset);
            changes.wiped.push(name);
        }
    }
    if meta.str("name").is_empty() && !meta.str("generateName").is_empty() {
        let base = meta.str("generateName").to_owned();
        meta.set("name", FieldValue::Str(Cow::Owned(names::generated(&base))));
        changes.name_generated_from = Some(base);
    }
}

/// Drops the status of a new object, always.
pub fn drop_status(object: &mut Record<'_>, changes: &mut Changes) {
    if object.schema.slot("status").is_some() && object.has("status") {
        changes.status_dropped = true;
        object.set("status", FieldValue::Unset);
    }
}

/// Drops the resource version of a new object, as kubectl does before it sends one (cli-runtime, pkg/resource/helper.go,
/// `Helper.Create`), and the server where an apply creates the object.
pub fn drop_resource_version(object: &mut Record<'_>, changes: &mut Changes) {
    if let Some(meta) = object
        .record_mut("metadata")
        .filter(|meta| !meta.str("resourceVersion").is_empty())
    {
        meta.set("resourceVersion", FieldValue::Unset);
        changes.unsent = true;
    }
}

/// Returns true if the object has a valid, nonzero resource version.
pub fn has_resource_version(object: &Record<'_>) -> bool {
    let resource_version = Object::new(object).metadata().resource_version();
    let digits = claimkit_values::has_only_digits(resource_version);
    digits
        && resource_version
            .parse::<u64>()
            .is_ok_and(|version| version != 0)
}

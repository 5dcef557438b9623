//! The request handler's changes to metadata before validation (kube-apiserver 1.26 to 1.36,
//! apiserver/pkg/endpoints/handlers/create.go and update.go).

use crate::patch::fields::FieldSet;
use claimkit_model::object::{self, FieldValue, Record};
use claimkit_model::schema::Release;
use std::collections::BTreeSet;

/// Removes duplicate owners; returns the warning about them (handlers/rest.go, `dedupOwnerReferencesAndAddWarning`).
/// `patched`: patches are checked after admission only, and the warning says so.
pub fn owners_once(object: &mut Record<'_>, patched: bool, release: Release) -> Option<String> {
    let Some(FieldValue::List(owners)) = object.record_mut("metadata")?.get_mut("ownerReferences")
    else {
        return None;
    };
    let mut seen = BTreeSet::new();
    let mut twice: Vec<String> = Vec::new();
    owners.retain(|owner| {
        let Some(owner) = owner.as_record() else {
            return true;
        };
        let mut text = String::new();
        object::encode(owner, release, &mut text);
        let new = seen.insert(text);
        if !new {
            twice.push(owner.str("uid").to_owned());
        }
        new
    });
    if twice.is_empty() {
        return None;
    }
    let when = if patched {
        " after mutating admission happens"
    } else {
        ""
    };
    let uids = twice.join(", ");
    Some(format!(
        ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {uids}"
    ))
}

/// Replaces the sent `managedFields` by the stored ones if any sent entry is unreadable, and then returns true. `stored` is unset
/// for a new object. Otherwise removes entries that own no field (apimachinery, pkg/util/managedfields/internal/fieldmanager.go,
/// `decodeLiveOrNew`; managedfields.go, `decodeManagedFields`).
pub fn drop_managers<'r>(object: &mut Record<'r>, stored: FieldValue<'r>) -> bool {
    let Some(meta) = object.record_mut("metadata") else {
        return false;
    };
    if meta.list("managedFields").is_empty() {
        return false;
    }
    let readable = meta.records("managedFields").all(|entry| {
        matches!(entry.str("operation"), "Apply" | "Update")
            && !entry.str("apiVersion").is_empty()
            && entry.str("fieldsType") == "FieldsV1"
            && owned(entry).is_some()
    });
    if readable {
        let Some(FieldValue::List(entries)) = meta.get_mut("managedFields") else {
            return false;
        };
        entries.retain(|entry| {
            entry
                .as_record()
                .and_then(owned)
                .is_some_and(|set| !set.is_empty())
        });
        return false;
    }
    meta.set("managedFields", stored);
    true
}

/// Returns the fields that an entry owns; `None` if they are unreadable.
fn owned(entry: &Record<'_>) -> Option<FieldSet> {
    match entry.get("fieldsV1").as_str() {
        "" => Some(FieldSet::default()),
        text => FieldSet::from_value(&serde_json::from_str(text).ok()?),
    }
}

//! Metadata that mentions versions, and fields that only the server writes.

use super::job::{self, Job};
use claimkit_model::finding::{Code, Finding, Path};
use claimkit_model::message::{Message, message};
use claimkit_model::schema::meta::LAST_APPLIED;
use claimkit_model::text::tree::{Entry, NodeId, Tree};

/// Fields of `metadata` that the server writes and a manifest in a repository should not carry.
pub const SERVER_FIELDS: &[&str] = &[
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Returns findings about metadata that mentions a version and is kept, or, with `drop_server_fields`, about removed fields.
pub fn findings(tree: &Tree<'_>, object: NodeId, job: &Job) -> Vec<Finding> {
    let Some(metadata) = tree.get(object, "metadata") else {
        return Vec::new();
    };
    let mut findings = if job.drop_server_fields {
        dropped_fields(tree, object)
    } else {
        let mut kept = kept_managed_fields(tree, metadata, job);
        kept.extend(kept_last_applied(tree, metadata, job));
        kept
    };
    findings.extend(owners_of_version(tree, metadata, job));
    findings
}

/// Reports the fields that are taken out.
fn dropped_fields(tree: &Tree<'_>, object: NodeId) -> Vec<Finding> {
    let path = Path::ROOT.field("metadata");
    let annotations = path.field("annotations");
    let last_applied = annotations.key(LAST_APPLIED);
    let mut findings = Vec::new();
    // Also entries that a later duplicate key replaces: their text is removed too.
    for metadata in job::occurrences(tree, object, "metadata") {
        for entry in tree.entries(metadata.value) {
            let name = tree.text(entry.key);
            let is_hidden = entry.merged && entry.shadowed;
            if !is_hidden && SERVER_FIELDS.contains(&name) {
                findings.push(dropped(&path.field(name), entry));
            }
        }
        for map in job::occurrences(tree, metadata.value, "annotations") {
            let entries = job::occurrences(tree, map.value, LAST_APPLIED);
            findings.extend(entries.map(|entry| dropped(&last_applied, entry)));
        }
    }
    findings
}

/// Reports the entries of `managedFields` that are kept and have the fields of the old version.
fn kept_managed_fields(tree: &Tree<'_>, metadata: NodeId, job: &Job) -> Vec<Finding> {
    let metadata_path = Path::ROOT.field("metadata");
    let list = metadata_path.field("managedFields");
    let mut findings = Vec::new();
    for at in entries_of_version(tree, metadata, "managedFields", job) {
        let item = list.index(at);
        findings.push(mentioned(
            &item.field("apiVersion"),
            message!(
                "convert.managed-fields",
                "{path} records fields by the names of {version} and is kept as it is",
                path = item.render(),
                version = job.written.name
            ),
            message!(
                "convert.managed-fields-help",
                "`dropServerFields`, or `--drop-server-fields`, takes `managedFields` out of a manifest"
            ),
        ));
    }
    findings
}

/// Reports the annotation of `kubectl apply`, if it is kept and has an object of the old version.
fn kept_last_applied(tree: &Tree<'_>, metadata: NodeId, job: &Job) -> Option<Finding> {
    let annotations = tree.get(metadata, "annotations")?;
    let applied = tree.str(tree.get(annotations, LAST_APPLIED)?)?;
    if version_of_json(applied).as_deref() != Some(job.written.api_version) {
        return None;
    }
    let path = Path::ROOT.field("metadata");
    Some(mentioned(
        &path.field("annotations").key(LAST_APPLIED),
        message!(
            "convert.last-applied",
            "the annotation `{annotation}` holds an object of {version} and is kept as it is",
            annotation = LAST_APPLIED,
            version = job.written.name
        ),
        message!(
            "convert.last-applied-help",
            "`dropServerFields`, or `--drop-server-fields`, takes it out; the next `kubectl apply` writes it anew"
        ),
    ))
}

/// Reports the owners that are named in the old version.
fn owners_of_version(tree: &Tree<'_>, metadata: NodeId, job: &Job) -> Vec<Finding> {
    let metadata_path = Path::ROOT.field("metadata");
    let list = metadata_path.field("ownerReferences");
    let mut findings = Vec::new();
    for at in entries_of_version(tree, metadata, "ownerReferences", job) {
        let item = list.index(at);
        findings.push(mentioned(
            &item.field("apiVersion"),
            message!(
                "convert.owner",
                "{path} refers to an owner of {version} and is kept as it is",
                path = item.render(),
                version = job.written.api_version
            ),
            message!(
                "convert.owner-help",
                "a cluster that does not serve that version cannot find the owner; write the new version and the owner's new uid"
            ),
        ));
    }
    findings
}

/// Returns the indexes of the entries of a list of metadata whose `apiVersion` is the old version.
fn entries_of_version(tree: &Tree<'_>, metadata: NodeId, list: &str, job: &Job) -> Vec<usize> {
    let Some(list) = tree.get(metadata, list) else {
        return Vec::new();
    };
    let entries = tree.items(list).iter().enumerate();
    entries
        .filter(|(_, entry)| {
            let version = tree.get(**entry, "apiVersion");
            version.and_then(|node| tree.str(node)) == Some(job.written.api_version)
        })
        .map(|(at, _)| at)
        .collect()
}

/// Returns the `apiVersion` of an object in JSON.
fn version_of_json(text: &str) -> Option<String> {
    let object: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(object.get("apiVersion")?.as_str()?.to_owned())
}

fn mentioned(path: &Path<'_>, message: Message, help: Message) -> Finding {
    Finding::new(Code::VersionMentioned, message)
        .at(path)
        .with_help(help)
}

fn dropped(path: &Path<'_>, entry: &Entry) -> Finding {
    Finding::new(
        Code::ServerFieldDropped,
        message!(
            "convert.server-field-dropped",
            "`{path}` is taken out: only the server writes it",
            path = path.render()
        ),
    )
    .at(path)
    .with_span(entry.key_span)
}

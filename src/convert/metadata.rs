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
    let mut findings = Vec::new();
    let Some(metadata) = tree.get(object, "metadata") else {
        return findings;
    };
    let root = Path::ROOT.field("metadata");
    let annotations = root.field("annotations");
    let last_applied = tree
        .get(metadata, "annotations")
        .and_then(|map| tree.get(map, LAST_APPLIED));
    if job.drop_server_fields {
        // Also entries that a later duplicate key replaces: their text is removed too.
        for metadata in job::occurrences(tree, object, "metadata") {
            for entry in tree
                .entries(metadata.value)
                .iter()
                .filter(|entry| !(entry.merged && entry.shadowed))
            {
                let name = tree.text(entry.key);
                if SERVER_FIELDS.contains(&name) {
                    findings.push(dropped(&root.field(name), entry));
                }
            }
            let maps = job::occurrences(tree, metadata.value, "annotations");
            let entries = maps.flat_map(|map| job::occurrences(tree, map.value, LAST_APPLIED));
            findings.extend(entries.map(|entry| dropped(&annotations.key(LAST_APPLIED), entry)));
        }
    } else {
        let managed = tree.get(metadata, "managedFields");
        let entries = managed.map_or(&[][..], |list| tree.items(list));
        let list = root.field("managedFields");
        for (at, &entry) in entries.iter().enumerate() {
            let item = list.index(at);
            if tree
                .get(entry, "apiVersion")
                .and_then(|node| tree.str(node))
                == Some(job.written.api_version)
            {
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
        }
        let applied = last_applied.and_then(|node| tree.str(node));
        if applied.and_then(version_of_json).as_deref() == Some(job.written.api_version) {
            findings.push(mentioned(
                &annotations.key(LAST_APPLIED),
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
            ));
        }
    }
    let owners = tree.get(metadata, "ownerReferences");
    let list = root.field("ownerReferences");
    for (at, &owner) in owners
        .map_or(&[][..], |list| tree.items(list))
        .iter()
        .enumerate()
    {
        if tree
            .get(owner, "apiVersion")
            .and_then(|node| tree.str(node))
            == Some(job.written.api_version)
        {
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
    }
    findings
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

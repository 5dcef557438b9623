//! Converts the value: builds the converted tree without using the text. The edited text is compared with it.

use super::job::{self, Job};
use super::rebuild::{entry, rebuild};
use super::{metadata, reshape};
use claimkit_model::schema::Family;
use claimkit_model::schema::meta::LAST_APPLIED;
use claimkit_model::schema::steps::Direction;
use claimkit_model::text::Span;
use claimkit_model::text::tree::{Entry, Kind, NodeId, Style, Tree};

/// Adds the converted object to the tree.
pub fn object(tree: &mut Tree<'_>, node: NodeId, job: &Job) -> NodeId {
    let driver = job::driver_name(tree, node).to_owned();
    let (handle, newer_only) = (job.handle(), job.newer_only());
    let mut node = node;
    if job.from.family == Family::Device {
        node = reshape::without_lost(tree, node, job);
        for pass in job.passes() {
            node = reshape::object(tree, node, &pass);
        }
    }
    rebuild(tree, node, |tree, name, entry| {
        let value = entry.value;
        let new = if job::is_type_key(name, "apiVersion")
            && tree.str(value) == Some(job.written.api_version)
        {
            string(tree, job.to.api_version)
        } else if job::is_type_key(name, "kind") && tree.str(value) == Some(job.kind) {
            string(tree, job.new_kind)
        } else {
            match name {
                "metadata" if job.drop_server_fields => return without_server_fields(tree, entry),
                "status" if handle.is_some() => {
                    rebuild_field(tree, value, "allocation", |tree, entry| {
                        Some(allocation(tree, entry, &driver, job))
                    })
                }
                // v1alpha2 treats null as absent; v1alpha1 does not have the field.
                _ if newer_only.iter().any(|(field, _)| *field == name) => return None,
                _ => value,
            }
        };
        Some(Entry {
            value: new,
            ..entry
        })
    })
}

fn rebuild_field<'s>(
    tree: &mut Tree<'s>,
    map: NodeId,
    field: &str,
    change: impl Fn(&mut Tree<'s>, Entry) -> Option<Entry>,
) -> NodeId {
    rebuild(tree, map, |tree, name, entry| {
        if name == field {
            change(tree, entry)
        } else {
            Some(entry)
        }
    })
}

fn string(tree: &mut Tree<'_>, text: &str) -> NodeId {
    let text = tree.store(text);
    tree.add(Kind::Str(text), Span::default(), Style::Plain)
}

fn allocation(tree: &mut Tree<'_>, entry: Entry, driver: &str, job: &Job) -> Entry {
    let Some(handle) = job.handle() else {
        return entry;
    };
    let direction = job.direction();
    let value = rebuild(tree, entry.value, |tree, name, entry| {
        if name == handle.new_field(direction) {
            return None;
        }
        if name != handle.field(direction) {
            return Some(entry);
        }
        let key = tree.store(handle.new_field(direction));
        let value = match direction {
            _ if job::is_null(tree, entry.value) => entry.value,
            Direction::Up => handles(tree, entry.value, driver),
            Direction::Down => kept_data(tree, entry.value, driver)?,
        };
        Some(Entry {
            key,
            value,
            ..entry
        })
    });
    Entry { value, ..entry }
}

/// Makes the list of one handle, or of none.
fn handles(tree: &mut Tree<'_>, data: NodeId, driver: &str) -> NodeId {
    let mut items = Vec::new();
    if tree.str(data) != Some("") {
        let mut entries = Vec::new();
        if !driver.is_empty() {
            let value = string(tree, driver);
            entries.push(entry(tree, "driverName", value));
        }
        entries.push(entry(tree, "data", data));
        let kind = tree.store_entries(entries);
        items.push(tree.add(kind, Span::default(), Style::Block));
    }
    let kind = tree.store_items(items);
    tree.add(kind, Span::default(), Style::Block)
}

/// Returns the one handle; `None` if it has no data.
fn kept_data(tree: &mut Tree<'_>, handles: NodeId, driver: &str) -> Option<NodeId> {
    if tree.items(handles).is_empty() {
        return Some(string(tree, ""));
    }
    let kept = job::kept_handle(tree, handles, driver);
    let data = tree.get(*tree.items(handles).get(kept)?, "data")?;
    tree.str(data)
        .is_some_and(|data| !data.is_empty())
        .then_some(data)
}

/// Copies `metadata` without what only the server writes; `None` if nothing is left.
fn without_server_fields(tree: &mut Tree<'_>, entry: Entry) -> Option<Entry> {
    let value = rebuild(tree, entry.value, |tree, name, entry| {
        if metadata::SERVER_FIELDS.contains(&name) {
            return None;
        }
        if name != "annotations" || tree.get(entry.value, LAST_APPLIED).is_none() {
            return Some(entry);
        }
        let value = rebuild(tree, entry.value, |_, name, entry| {
            (name != LAST_APPLIED).then_some(entry)
        });
        (!tree.entries(value).is_empty()).then_some(Entry { value, ..entry })
    });
    let emptied = tree.is_map(value)
        && tree.entries(value).is_empty()
        && !tree.entries(entry.value).is_empty();
    (!emptied).then_some(Entry { value, ..entry })
}

/// Converts a whole document: its root with the given objects converted, `nodes` being the root or items of its `items`.
pub fn document(
    tree: &mut Tree<'_>,
    root: NodeId,
    head: Option<&Job>,
    objects: &[(NodeId, Job)],
) -> NodeId {
    if let [(node, job)] = objects
        && *node == root
    {
        return object(tree, root, job);
    }
    let converted: Vec<(NodeId, NodeId)> = objects
        .iter()
        .map(|(node, job)| (*node, object(tree, *node, job)))
        .collect();
    let mut root = root;
    if let Some(job) = head {
        root = object(tree, root, job);
    }
    rebuild_field(tree, root, "items", |tree, entry| {
        if !matches!(tree.kind(entry.value), Kind::Seq { .. }) {
            return Some(entry);
        }
        let mut left = converted.as_slice();
        let items: Vec<NodeId> = tree
            .items(entry.value)
            .iter()
            .map(|&item| match left.split_first() {
                // The objects are in the order of the list.
                Some((&(node, new), rest)) if node == item => {
                    left = rest;
                    new
                }
                _ => item,
            })
            .collect();
        let kind = tree.store_items(items);
        Some(Entry {
            value: tree.add(kind, Span::default(), Style::Block),
            ..entry
        })
    })
}

//! Names that a text defines and other places of it can refer to, found without reading the text as kubectl does.

use super::context::unquoted;
use super::outline::{Outline, OutlineNode, Role};

/// Returns the names of the objects of a kind, in the order of the text.
pub fn of_kind(outline: &Outline<'_>, kind: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let (mut document, mut right, mut name) = (usize::MAX, false, "");
    let mut keep = |right: bool, name: &str| {
        if right && !name.is_empty() && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    };
    for node in &outline.nodes {
        if node.document != document {
            keep(right, name);
            (document, right, name) = (node.document, false, "");
        }
        match (key(outline, node), above(outline, node)) {
            ("kind", None) => right = unquoted(outline.slice(node.value)) == kind,
            ("name", Some(over)) if key(outline, over) == "metadata" && over.parent.is_none() => {
                name = unquoted(outline.slice(node.value));
            }
            _ => {}
        }
    }
    keep(right, name);
    found
}

/// Returns the names of the entries of every list called `list` in a document, and `entry/name` for the entries of lists called
/// `below` inside them.
pub fn of_entries(outline: &Outline<'_>, document: usize, list: &str, below: &str) -> Vec<String> {
    let entry = |node: &OutlineNode| -> Option<(usize, &str)> {
        let item = node
            .parent
            .filter(|_| node.document == document && key(outline, node) == "name")?;
        let over = outline
            .nodes
            .get(item)
            .filter(|item| item.role == Role::Item)?
            .parent?;
        Some((item, key(outline, outline.nodes.get(over)?)))
    };
    let name = |node: &OutlineNode| unquoted(outline.slice(node.value)).to_owned();
    let entries = outline
        .nodes
        .iter()
        .filter_map(|node| Some((entry(node)?, node)));
    let outer: Vec<(usize, String)> = entries
        .clone()
        .filter(|((_, of), _)| *of == list)
        .map(|((item, _), node)| (item, name(node)))
        .collect();
    let mut found: Vec<String> = outer.iter().map(|(_, name)| name.clone()).collect();
    for ((item, _), node) in entries.filter(|((_, of), _)| *of == below) {
        let over = outline
            .nodes
            .get(item)
            .and_then(|item| outline.nodes.get(item.parent?)?.parent);
        let outer = outer.iter().find(|(item, _)| Some(*item) == over);
        found.extend(outer.map(|(_, outer)| format!("{outer}/{}", name(node))));
    }
    found.retain(|name| !name.is_empty() && !name.ends_with('/'));
    found
}

/// Returns the names that a value in a pod, or in the pod template of a workload, can refer to: claims and templates of the text,
/// the pod's claim entries, and their requests.
pub fn of_pod(outline: &Outline<'_>, node: &OutlineNode) -> Vec<String> {
    let name = key(outline, node);
    let list = above(outline, node)
        .filter(|item| item.role == Role::Item)
        .and_then(|item| above(outline, item));
    match (name, list.map(|list| key(outline, list))) {
        ("resourceClaimName", _) => of_kind(outline, "ResourceClaim"),
        ("resourceClaimTemplateName", _) => of_kind(outline, "ResourceClaimTemplate"),
        ("name", Some("claims")) => of_entries(outline, node.document, "resourceClaims", ""),
        ("request", Some("claims")) => {
            let documents = outline.nodes.last().map_or(0, |last| last.document);
            let mut found: Vec<String> = Vec::new();
            for document in (0..=documents).take(MOST_DOCUMENTS) {
                for name in of_entries(outline, document, "requests", "") {
                    if !found.contains(&name) {
                        found.push(name);
                    }
                }
            }
            found
        }
        _ => Vec::new(),
    }
}

/// Requests are searched in at most this many documents, because each search walks the whole text.
const MOST_DOCUMENTS: usize = 32;

fn key<'t>(outline: &Outline<'t>, node: &OutlineNode) -> &'t str {
    if node.role == Role::Key {
        unquoted(outline.slice(node.name))
    } else {
        ""
    }
}

fn above<'o>(outline: &'o Outline<'_>, node: &OutlineNode) -> Option<&'o OutlineNode> {
    node.parent.and_then(|at| outline.nodes.get(at))
}

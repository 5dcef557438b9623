//! Names that a text and the other texts of its project define and other places can refer to, found without reading the texts as
//! kubectl does.

use super::context::{self, unquoted};
use super::outline::{Outline, OutlineNode, Role};
use super::symbols::{self, Name, NameKind};
use crate::cel_lints::published::PublishedNames;
use crate::manifest::{Input, What};
use claimkit_model::limits::Limits;
use memchr::memmem;

/// A text of the project beside the one that is edited.
#[derive(Clone, Copy, Debug)]
pub struct Beside<'t> {
    /// Its name, such as a path; empty if it has none.
    pub name: &'t str,
    pub text: &'t str,
}

/// A name that can be referred to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownName {
    pub name: String,
    /// The name of the text that defines it; empty for the text that is edited.
    pub file: String,
}

impl KnownName {
    /// Makes a name that the edited text defines.
    pub fn own(name: String) -> Self {
        KnownName {
            name,
            file: String::new(),
        }
    }
}

/// What a place in a pod refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PodReference {
    /// An object of the pod's namespace.
    Object(NameKind),
    /// A request of this claim or template: `<kind>/<name>`.
    RequestOf(String),
    /// An entry of `resourceClaims` of the same pod.
    Entry,
    Node,
}

/// The namespace of objects that name none.
pub const NAMESPACE: &str = "default";

/// Returns the namespace of the object of a document.
pub fn namespace_of<'t>(outline: &Outline<'t>, document: usize) -> &'t str {
    let metadata = context::children(outline, document, None)
        .find(|(_, node)| key(outline, node) == "metadata")
        .map(|(at, _)| at);
    metadata
        .and_then(|at| context::scalar(outline, document, Some(at), "namespace"))
        .filter(|name| !name.is_empty())
        .unwrap_or(NAMESPACE)
}

/// Returns the names of a kind that texts define, each once, in the order of the texts.
pub fn defined_in(
    texts: &[Beside<'_>],
    kind: NameKind,
    fits: &dyn Fn(&Name) -> bool,
) -> Vec<KnownName> {
    let mut found: Vec<KnownName> = Vec::new();
    for Beside { name: file, text } in texts {
        if memmem::find(text.as_bytes(), defined_by(kind).as_bytes()).is_none() {
            continue;
        }
        for name in symbols::read(&Outline::read(text), NAMESPACE).names {
            let is_new = !found.iter().any(|known| known.name == name.name);
            if name.kind == kind && name.definition && is_new && fits(&name) {
                found.push(KnownName {
                    name: name.name,
                    file: (*file).to_owned(),
                });
            }
        }
    }
    found
}

/// Returns the names of the Nodes of texts.
pub fn nodes_in(texts: &[Beside<'_>]) -> Vec<KnownName> {
    let mut found = Vec::new();
    for Beside { name: file, text } in texts {
        if memmem::find(text.as_bytes(), b"Node").is_none() {
            continue;
        }
        found.extend(
            of_kind(&Outline::read(text), "Node")
                .into_iter()
                .map(|name| KnownName {
                    name,
                    file: (*file).to_owned(),
                }),
        );
    }
    found
}

/// Returns a word that every text has that defines names of a kind.
fn defined_by(kind: NameKind) -> &'static str {
    match kind {
        NameKind::DeviceClass => "DeviceClass",
        NameKind::ResourceClass => "ResourceClass",
        NameKind::ResourceClaim => "ResourceClaim",
        NameKind::ResourceClaimTemplate => "ResourceClaimTemplate",
        NameKind::Request | NameKind::Alternative => "requests",
        NameKind::PodClaim => "resourceClaims",
        NameKind::Driver | NameKind::Pool | NameKind::Device | NameKind::CounterSet => {
            "ResourceSlice"
        }
    }
}

/// Returns the names of the objects of a kind, in the order of the text.
pub fn of_kind(outline: &Outline<'_>, kind: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for nodes in outline.nodes.chunk_by(|a, b| a.document == b.document) {
        let (mut of_kind, mut name) = (false, "");
        for node in nodes {
            match (key(outline, node), above(outline, node)) {
                ("kind", None) => of_kind = unquoted(outline.slice(node.value)) == kind,
                ("name", Some(over))
                    if key(outline, over) == "metadata" && over.parent.is_none() =>
                {
                    name = unquoted(outline.slice(node.value));
                }
                _ => {}
            }
        }
        if of_kind && !name.is_empty() && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
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

/// Returns what a value in a pod, or in the pod template of a workload, refers to.
pub fn reference_of_pod(outline: &Outline<'_>, node: &OutlineNode) -> Option<PodReference> {
    let item = above(outline, node).filter(|item| item.role == Role::Item);
    let list = item
        .and_then(|item| above(outline, item))
        .map(|list| key(outline, list));
    match (key(outline, node), list) {
        ("resourceClaimName", _) => Some(PodReference::Object(NameKind::ResourceClaim)),
        ("resourceClaimTemplateName", _) => {
            Some(PodReference::Object(NameKind::ResourceClaimTemplate))
        }
        ("nodeName", None) => Some(PodReference::Node),
        ("name", Some("claims")) => Some(PodReference::Entry),
        ("request", Some("claims")) => {
            let entry = context::scalar(outline, node.document, node.parent, "name")?;
            claim_of_entry(outline, node.document, entry).map(PodReference::RequestOf)
        }
        _ => None,
    }
}

/// Returns the claim or template, `<kind>/<name>`, that an entry of `resourceClaims` names.
fn claim_of_entry(outline: &Outline<'_>, document: usize, entry: &str) -> Option<String> {
    let of_entry = outline.nodes.iter().find_map(|node| {
        let item = node.parent.filter(|_| {
            node.document == document
                && key(outline, node) == "name"
                && unquoted(outline.slice(node.value)) == entry
        })?;
        let list = above(outline, outline.nodes.get(item)?)?;
        (key(outline, list) == "resourceClaims").then_some(item)
    })?;
    let source = context::children(outline, document, Some(of_entry))
        .find(|(_, node)| key(outline, node) == "source")
        .map_or(of_entry, |(at, _)| at);
    [
        ("resourceClaimName", "ResourceClaim"),
        ("resourceClaimTemplateName", "ResourceClaimTemplate"),
    ]
    .iter()
    .find_map(|(field, kind)| {
        let name = context::scalar(outline, document, Some(source), field)?;
        (!name.is_empty()).then(|| format!("{kind}/{name}"))
    })
}

/// Returns the pool that the slice of a node belongs to, `<driver>/<pool>`.
pub fn pool_of_slice(outline: &Outline<'_>, node: usize) -> String {
    let over = |at: &usize| outline.nodes.get(*at).and_then(|node| node.parent);
    let is_spec = |at: &usize| {
        outline
            .nodes
            .get(*at)
            .is_some_and(|node| key(outline, node) == "spec")
    };
    let Some(spec) = std::iter::successors(Some(node), over).find(is_spec) else {
        return String::new();
    };
    let document = outline.nodes.get(spec).map_or(0, |spec| spec.document);
    let driver = context::scalar(outline, document, Some(spec), "driver").unwrap_or_default();
    let mut keys = context::children(outline, document, Some(spec));
    let pool = keys
        .find(|(_, node)| key(outline, node) == "pool")
        .and_then(|(pool, _)| context::scalar(outline, document, Some(pool), "name"));
    format!("{driver}/{}", pool.unwrap_or_default())
}

/// Returns the counters that a device can take with the map at a node: those of the set that is named beside it, of the same pool.
pub fn counters_for(outline: &Outline<'_>, beside: &[Beside<'_>], map: usize) -> Vec<String> {
    let Some(node) = outline.nodes.get(map) else {
        return Vec::new();
    };
    let set = context::scalar(outline, node.document, node.parent, "counterSet");
    let Some(set) = set.filter(|set| !set.is_empty()) else {
        return Vec::new();
    };
    let pool = pool_of_slice(outline, map);
    let mut found = counters_of_set(outline, &pool, set);
    for Beside { text, .. } in beside {
        if memmem::find(text.as_bytes(), SHARED_COUNTERS.as_bytes()).is_none() {
            continue;
        }
        for counter in counters_of_set(&Outline::read(text), &pool, set) {
            if !found.contains(&counter) {
                found.push(counter);
            }
        }
    }
    found
}

/// Returns the counters of a set of a pool that a text defines.
fn counters_of_set(outline: &Outline<'_>, pool: &str, set: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, node) in outline.nodes.iter().enumerate() {
        let Some(item) = node.parent.filter(|_| key(outline, node) == "counters") else {
            continue;
        };
        let list = above(outline, node).and_then(|item| above(outline, item));
        // Devices have such keys as well, in large numbers, and each of the searches below walks the whole text.
        if list.is_none_or(|list| key(outline, list) != SHARED_COUNTERS) {
            continue;
        }
        let is_set = context::scalar(outline, node.document, Some(item), "name") == Some(set);
        if !is_set || pool_of_slice(outline, item) != pool {
            continue;
        }
        for (_, counter) in context::children(outline, node.document, Some(at)) {
            let name = key(outline, counter);
            if !name.is_empty() && !found.iter().any(|known| known == name) {
                found.push(name.to_owned());
            }
        }
    }
    found
}

/// Returns what the slices of a text, and of those beside it, publish.
pub fn published(input: &Input<'_>, beside: &[Beside<'_>]) -> PublishedNames {
    let mut published = PublishedNames::default();
    take_published(&mut published, input);
    for Beside { text, .. } in beside {
        if memmem::find(text.as_bytes(), b"ResourceSlice").is_some() {
            let input = Input::read(*text, None, &Limits::default());
            take_published(&mut published, &input);
        }
    }
    published
}

fn take_published(published: &mut PublishedNames, input: &Input<'_>) {
    for item in &input.items {
        if let (What::Ours(api), Some(tree)) = (&item.what, input.tree(item)) {
            published.take(tree, item.node, *api);
        }
    }
}

/// The field of a slice with the counter sets of its pool.
const SHARED_COUNTERS: &str = "sharedCounters";

/// Returns the name of a key; empty for items.
pub fn key<'t>(outline: &Outline<'t>, node: &OutlineNode) -> &'t str {
    if node.role == Role::Key {
        unquoted(outline.slice(node.name))
    } else {
        ""
    }
}

fn above<'o>(outline: &'o Outline<'_>, node: &OutlineNode) -> Option<&'o OutlineNode> {
    node.parent.and_then(|at| outline.nodes.get(at))
}

//! The objects of a text by kind, namespace and name.

use super::{Input, Item};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Kinds that live in no namespace, whatever their manifests say.
const CLUSTER_SCOPED: &[&str] = &[
    "Node",
    "Namespace",
    "DeviceClass",
    "ResourceSlice",
    "DeviceTaintRule",
    "PriorityClass",
    "ResourcePoolStatusRequest",
];

/// The objects of the text by kind, namespace and name.
#[derive(Debug)]
pub struct Index<'o> {
    namespace: &'o str,
    known: BTreeMap<(String, String, String), usize>,
}

impl<'o> Index<'o> {
    /// Returns an empty index. `namespace`: that of objects that name none.
    pub fn new(namespace: &'o str) -> Self {
        Index {
            namespace,
            known: BTreeMap::new(),
        }
    }

    /// Adds an object, or returns the place of the one that has its name already. Objects without a name are not compared, nor those of
    /// which the name was made unreadable.
    pub fn add(&mut self, item: &Item, at: usize) -> Option<usize> {
        if item.name.is_empty() || !item.name.chars().all(can_be_in_a_name) {
            return None;
        }
        let namespace = match (
            CLUSTER_SCOPED.contains(&item.kind.as_str()),
            item.namespace.as_str(),
        ) {
            (true, _) => "",
            (false, "") => self.namespace,
            (false, own) => own,
        };
        // Kinds of one name in several groups are different kinds.
        let group = item
            .api_version
            .split_once('/')
            .map_or("", |(group, _)| group);
        let kind = if is_judged(group, &item.kind) {
            item.kind.clone()
        } else {
            format!("{}.{group}", item.kind)
        };
        let key = (kind, namespace.to_owned(), item.name.clone());
        match self.known.entry(key) {
            Entry::Occupied(first) => Some(*first.get()),
            Entry::Vacant(vacant) => {
                vacant.insert(at);
                None
            }
        }
    }

    /// Returns the place of an object of Kubernetes' own kinds.
    pub fn find(&self, kind: &str, namespace: &str, name: &str) -> Option<usize> {
        let namespace = if CLUSTER_SCOPED.contains(&kind) {
            ""
        } else {
            namespace
        };
        self.known
            .get(&(kind.to_owned(), namespace.to_owned(), name.to_owned()))
            .copied()
    }
}

/// Returns true for the kinds that findings are about.
fn is_judged(group: &str, kind: &str) -> bool {
    group == "resource.k8s.io"
        || group.is_empty() && matches!(kind, "Pod" | "Node" | "ResourceQuota")
}

/// Returns true if the server accepts the character in a name of an object that is judged here.
fn can_be_in_a_name(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit() || ".:-".contains(letter)
}

/// What says that two states are of one object.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Identity<'t> {
    kind: &'t str,
    namespace: &'t str,
    name: &'t str,
    uid: &'t str,
}

/// Returns the objects of a text of which it has a newer state, by their places: the place of the newest. The server numbers the states
/// of an object, and its name and UID say that it is the same one: where UIDs were taken out, many have the same word in their place.
pub fn superseded(input: &Input<'_>) -> BTreeMap<usize, usize> {
    let mut newest: BTreeMap<Identity<'_>, (u128, usize)> = BTreeMap::new();
    let mut older = BTreeMap::new();
    for (at, item) in input.items.iter().enumerate() {
        let uid = input.text_at(item, ["metadata", "uid"]);
        let version = input.text_at(item, ["metadata", "resourceVersion"]);
        let (Some(uid), Some(state)) = (uid, version.and_then(|version| version.parse().ok()))
        else {
            continue;
        };
        let identity = Identity {
            kind: &item.kind,
            namespace: &item.namespace,
            name: &item.name,
            uid,
        };
        match newest.entry(identity) {
            Entry::Vacant(vacant) => drop(vacant.insert((state, at))),
            Entry::Occupied(mut known) => {
                let (known_state, known_at) = *known.get();
                if state > known_state {
                    older.insert(known_at, at);
                    known.insert((state, at));
                } else if state < known_state {
                    older.insert(at, known_at);
                }
            }
        }
    }
    older
}

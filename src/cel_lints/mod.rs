//! The CEL expressions of a text, and the devices of the same text that they can be tried on.
//!
//! [`all`] finds the selectors of an object, [`published::PublishedNames`] what ResourceSlices publish, [`given`] reads the devices that
//! a caller gives, [`unparsable`] texts that can never be read, and [`lint::Lints`] says what the author of an expression should know and the server does not say.

mod comparison;
pub mod given;
mod guard;
pub mod lint;
pub mod published;
pub mod reads;
pub mod unparsable;

use claimkit_model::cel::{Environment, EnvironmentMode};
use claimkit_model::finding::{Path, Step};
use claimkit_model::schema::{Api, ClassicKind, DeviceKind, Gates, ObjectKind, Release};
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use claimkit_scheduler::environments;
use std::sync::Arc;

/// The purpose of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Devices of 1.31 and later: the variable `device`.
    Device,
    /// 1.30's named resources: the variables `attributes.string` and so on.
    NamedResources,
}

/// An expression at its place in the text.
#[derive(Clone, Debug)]
pub struct Expression {
    /// Its node, a string.
    pub node: NodeId,
    /// The way from the object to it.
    pub steps: Vec<Step>,
}

impl Language {
    /// Returns the language of the expressions in objects of a kind; `None` for kinds without expressions.
    pub fn of(api: Api) -> Option<Language> {
        match api.kind.object {
            ObjectKind::Classic(
                ClassicKind::ResourceClaimParameters | ClassicKind::ResourceClassParameters,
            ) => Some(Language::NamedResources),
            ObjectKind::Device(
                DeviceKind::ResourceClaim
                | DeviceKind::ResourceClaimTemplate
                | DeviceKind::DeviceClass
                | DeviceKind::DeviceTaintRule,
            ) => Some(Language::Device),
            _ => None,
        }
    }

    /// Returns the environment in which expressions of a release are compiled.
    pub fn environment(
        self,
        mode: EnvironmentMode,
        release: Release,
        gates: Option<Gates>,
    ) -> Arc<Environment> {
        match self {
            Language::NamedResources => environments::named_resources(mode),
            Language::Device => {
                environments::device(mode, release, gates.unwrap_or(Gates::defaults(release)))
            }
        }
    }

    /// Returns the last two keys on the way to a selector.
    fn keys(self) -> [&'static str; 2] {
        match self {
            Language::Device => ["cel", "expression"],
            Language::NamedResources => ["namedResources", "selector"],
        }
    }

    /// Returns the list in whose items an attribute is derived, and the key of the expression there (1.37).
    fn derived(self) -> Option<[&'static str; 2]> {
        (self == Language::Device).then_some(["derivedAttributes", "expression"])
    }
}

/// Returns the selectors of an object, in the order of the text.
pub fn all(tree: &Tree<'_>, object: NodeId, language: Language) -> Vec<Expression> {
    find(tree, object, |way, key| language.keys() == [way.last, key])
}

/// Returns the selectors of an object and the expressions that derive attributes, in the order of the text.
pub fn with_derived(tree: &Tree<'_>, object: NodeId, language: Language) -> Vec<Expression> {
    find(tree, object, |way, key| {
        language.keys() == [way.last, key]
            || way.last.is_empty() && language.derived() == Some([way.list, key])
    })
}

/// Decides by the way to a node and one more key.
type Wanted<'f> = &'f dyn Fn(&Way<'_>, &str) -> bool;

fn find(
    tree: &Tree<'_>,
    object: NodeId,
    wanted: impl Fn(&Way<'_>, &str) -> bool,
) -> Vec<Expression> {
    let mut found = Vec::new();
    for entry in tree.entries(object).iter().filter(|entry| !entry.shadowed) {
        let name = tree.text(entry.key);
        if !matches!(name, "metadata" | "status") {
            search(
                tree,
                entry.value,
                &wanted,
                &Way {
                    path: &Path::ROOT.key(name),
                    last: name,
                    list: "",
                    depth: 1,
                },
                &mut found,
            );
        }
    }
    found
}

/// Recursion is bounded by the depth of the kinds: nothing lies deeper than this.
const DEEPEST: usize = 16;

/// The way from the object to a node.
struct Way<'w> {
    path: &'w Path<'w>,
    /// Its last key; empty for an item of a list.
    last: &'w str,
    /// For an item of a list, the key of the list.
    list: &'w str,
    depth: usize,
}

fn search(
    tree: &Tree<'_>,
    node: NodeId,
    wanted: Wanted<'_>,
    way: &Way<'_>,
    found: &mut Vec<Expression>,
) {
    if way.depth > DEEPEST {
        return;
    }
    let depth = way.depth.saturating_add(1);
    for entry in tree.entries(node).iter().filter(|entry| !entry.shadowed) {
        let last = tree.text(entry.key);
        let path = &way.path.key(last);
        if matches!(tree.node(entry.value).kind, Kind::Str(_)) {
            if wanted(way, last) {
                found.push(Expression {
                    node: entry.value,
                    steps: path.steps(),
                });
            }
        } else {
            search(
                tree,
                entry.value,
                wanted,
                &Way {
                    path,
                    last,
                    list: "",
                    depth,
                },
                found,
            );
        }
    }
    for (index, item) in tree.items(node).iter().enumerate() {
        search(
            tree,
            *item,
            wanted,
            &Way {
                path: &way.path.index(index),
                last: "",
                list: way.last,
                depth,
            },
            found,
        );
    }
}

//! The CEL expressions of a text, and the devices of the same text that they can be tried on.
//!
//! [`all`] finds the expressions of an object, [`published::Published`] what ResourceSlices publish, [`given`] reads the devices that
//! a caller gives, and [`lint::Lints`] says what the author of an expression should know and the server does not say.

pub mod given;
pub mod lint;
pub mod published;
pub mod reads;

use crate::api::{Api, ClassicKind, DeviceKind, Gates, ObjectKind, Release};
use crate::cel::{Environment, Mode};
use crate::finding::Step;
use crate::place::environments;
use crate::text::tree::{Kind, NodeId, Tree};
use std::sync::Arc;

/// What an expression is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Devices of 1.31 and later: the variable `device`.
    Device,
    /// 1.30's named resources: the variables `attributes.string` and so on.
    NamedResources,
}

/// An expression where it stands.
#[derive(Clone, Debug)]
pub struct Expression {
    /// Its node, a string.
    pub node: NodeId,
    /// The way from the object to it.
    pub steps: Vec<Step>,
}

impl Language {
    /// The language of the expressions in objects of a kind; `None` for kinds without expressions.
    pub fn of(api: Api) -> Option<Language> {
        match api.kind.object {
            ObjectKind::Classic(ClassicKind::ResourceClaimParameters | ClassicKind::ResourceClassParameters) => {
                Some(Language::NamedResources)
            }
            ObjectKind::Device(
                DeviceKind::ResourceClaim
                | DeviceKind::ResourceClaimTemplate
                | DeviceKind::DeviceClass
                | DeviceKind::DeviceTaintRule,
            ) => Some(Language::Device),
            _ => None,
        }
    }

    /// What expressions of a release are compiled with.
    pub fn environment(self, mode: Mode, release: Release, gates: Option<Gates>) -> Arc<Environment> {
        match self {
            Language::NamedResources => environments::named_resources(mode),
            Language::Device => environments::device(mode, release, gates.unwrap_or(Gates::defaults(release))),
        }
    }

    /// The last two keys on the way to an expression.
    fn keys(self) -> [&'static str; 2] {
        match self {
            Language::Device => ["cel", "expression"],
            Language::NamedResources => ["namedResources", "selector"],
        }
    }

    /// Does this way from the object lead to an expression?
    pub fn leads_to(self, steps: &[Step]) -> bool {
        let [.., Step::Key(before), Step::Key(last)] = steps else { return false };
        self.keys() == [before.as_str(), last.as_str()]
    }
}

/// The expressions of an object, in the order of the text.
pub fn all(tree: &Tree<'_>, object: NodeId, language: Language) -> Vec<Expression> {
    let mut found = Vec::new();
    for entry in tree.entries(object).iter().filter(|entry| !entry.shadowed) {
        let name = tree.text(entry.key);
        if !matches!(name, "metadata" | "status") {
            let mut steps = vec![Step::Key(name.to_owned())];
            search(tree, entry.value, language, &mut steps, &mut found);
        }
    }
    found
}

/// Recursion is bounded by the depth of the kinds: nothing lies deeper than this.
const DEEPEST: usize = 16;

fn search(tree: &Tree<'_>, node: NodeId, language: Language, steps: &mut Vec<Step>, found: &mut Vec<Expression>) {
    if steps.len() > DEEPEST {
        return;
    }
    for entry in tree.entries(node).iter().filter(|entry| !entry.shadowed) {
        steps.push(Step::Key(tree.text(entry.key).to_owned()));
        if matches!(tree.node(entry.value).kind, Kind::Str(_)) {
            if language.leads_to(steps) {
                found.push(Expression { node: entry.value, steps: steps.clone() });
            }
        } else {
            search(tree, entry.value, language, steps, found);
        }
        steps.pop();
    }
    for (index, item) in tree.items(node).iter().enumerate() {
        steps.push(Step::Index(index));
        search(tree, *item, language, steps, found);
        steps.pop();
    }
}

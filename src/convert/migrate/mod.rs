//! From the classic family to the device family: v1alpha1 and v1alpha2 to the shape of v1.
//!
//! Upstream has no conversion between the families, because their concepts differ: a claim of the classic family names a class
//! and parameters that only a driver understands; a claim of the device family requests devices. Therefore the result contains
//! *decisions*: the assumption, the reason, and the alternatives. The converted text follows the assumptions.
//!
//! | file | does |
//! |---|---|
//! | `inventory.rs` | finds the objects that others refer to |
//! | `profile.rs` | what is known of drivers, as data |
//! | `selector.rs` | selectors in the words of the device family |
//! | `class.rs`, `claim.rs`, `slice.rs`, `pod.rs` | what becomes of each kind |
//! | `parameters.rs` | what becomes of the parameters of a claim or class |
//! | `part.rs` | values, and changes to mappings |
//! | `text.rs`, `block.rs` | the text with the changes, read again and compared with the values |
//! | `annotate.rs` | decisions as comments |

pub(super) mod annotate;
mod block;
mod claim;
mod class;
mod inventory;
mod parameters;
mod part;
mod pod;
mod profile;
mod selector;
mod slice;
pub(super) mod text;

use super::losses::{Loss, MAX_VALUE};
use super::metadata;
use crate::advice::locate;
use crate::manifest::Input;
use claimkit_model::finding::Step;
use claimkit_model::finding::path;
use claimkit_model::message::{Message, Template, message, template};
use claimkit_model::schema::GROUP;
use claimkit_model::schema::meta::LAST_APPLIED;
use claimkit_model::text::Span;
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use inventory::{Inventory, is_classic};
pub(super) use inventory::{NamedObjects, OwnText};
use part::{MappingChange, TextPart};
use std::collections::{BTreeMap, BTreeSet};

/// A question that no tool can answer, and the assumed answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// The code of the decision, a stable word.
    pub code: &'static str,
    /// The path of the question in the object that was read.
    pub path: String,
    /// Its place in the text that was read.
    pub span: Span,
    pub question: Message,
    pub assumed: Message,
    pub why: Message,
    /// The alternatives to the assumption.
    pub alternatives: Vec<Message>,
    /// The field it concerns in the new object, which has v1's shape.
    pub at: Vec<Step>,
}

impl Decision {
    /// Writes all of it in one line.
    pub(crate) fn message(&self) -> Message {
        let Decision {
            question,
            assumed,
            why,
            ..
        } = self;
        message!(
            "migrate.decision",
            "{question} Assumed: {assumed}, because {why}",
            question,
            assumed,
            why
        )
    }

    /// Writes the alternatives in one line.
    pub(crate) fn others(&self) -> Option<Message> {
        let (first, rest) = self.alternatives.split_first()?;
        let first = message!("migrate.or", "or: {first}", first);
        Some(rest.iter().fold(first, |before, other| {
            message!("migrate.or-too", "{before}; or: {other}", before, other)
        }))
    }
}

/// The fate of an object in the migration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ObjectFate {
    /// It is not touched here.
    #[default]
    Untouched,
    /// It becomes an object of v1 with this kind.
    Becomes(&'static str),
    /// It keeps its version and kind; its fields change.
    Edited,
    /// It is left out.
    Gone,
}

/// An object of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct ObjectMigration<'t> {
    pub fate: ObjectFate,
    pub changes: Vec<MappingChange<'t>>,
    pub losses: Vec<Loss>,
    pub decisions: Vec<Decision>,
    /// Why it is no longer a separate object.
    pub folded: Option<Message>,
}

/// The fate of the objects of a text, by their index.
#[derive(Debug, Default)]
pub(super) struct Migration<'t> {
    objects: Vec<ObjectMigration<'t>>,
}

impl<'t> ObjectMigration<'t> {
    /// Returns the kind it gets, if it becomes an object of v1.
    pub fn becomes(&self) -> Option<&'static str> {
        match self.fate {
            ObjectFate::Becomes(kind) => Some(kind),
            _ => None,
        }
    }
}

impl<'t> Migration<'t> {
    /// Returns true if no object changes.
    pub fn is_empty(&self) -> bool {
        self.objects
            .iter()
            .all(|object| object.fate == ObjectFate::Untouched)
    }

    /// Returns an object that changes.
    pub fn moved(&self, index: usize) -> Option<&ObjectMigration<'t>> {
        self.objects
            .get(index)
            .filter(|object| object.fate != ObjectFate::Untouched)
    }

    /// Returns true if an object is left out.
    pub fn is_gone(&self, index: usize) -> bool {
        self.objects
            .get(index)
            .is_some_and(|object| object.fate == ObjectFate::Gone)
    }

    /// Returns the decisions about an object.
    pub fn decisions(&self, index: usize) -> &[Decision] {
        self.objects
            .get(index)
            .map_or(&[], |object| &object.decisions)
    }

    /// Takes out of the new objects what only the server writes.
    pub fn drop_server_fields(&mut self, input: &'t Input<'t>) {
        for (object, item) in self.objects.iter_mut().zip(&input.items) {
            let metadata = input
                .tree(item)
                .and_then(|tree| Some((tree, tree.get(item.node, "metadata")?)));
            let (Some((tree, metadata)), Some(_)) = (metadata, object.becomes()) else {
                continue;
            };
            let annotations = tree
                .get(metadata, "annotations")
                .map_or(&[][..], |map| tree.entries(map));
            let last_applied = annotations
                .iter()
                .filter(|entry| tree.text(entry.key) == LAST_APPLIED)
                .count();
            let mut gone = metadata::SERVER_FIELDS.to_vec();
            if last_applied > 0 && last_applied == annotations.len() {
                gone.push("annotations");
            } else if last_applied > 0 {
                let at = vec![
                    Step::Key("metadata".to_owned()),
                    Step::Key("annotations".to_owned()),
                ];
                object.changes.push(MappingChange {
                    at,
                    gone: vec![LAST_APPLIED],
                    put: Vec::new(),
                });
            }
            let all = tree
                .entries(metadata)
                .iter()
                .all(|entry| gone.contains(&tree.text(entry.key)));
            let change = match all {
                true => MappingChange {
                    at: Vec::new(),
                    gone: vec!["metadata"],
                    put: Vec::new(),
                },
                false => MappingChange {
                    at: steps("metadata"),
                    gone,
                    put: Vec::new(),
                },
            };
            object.changes.push(change);
        }
    }
}

/// Why a field is lost that only the new version has.
const HIDDEN: Template = template!(
    "loss.hidden",
    "the server drops the field of the old object; in the new object it would take effect"
);

/// Returns the steps of a dotted path.
fn steps(path: &str) -> Vec<Step> {
    path.split('.')
        .filter(|step| !step.is_empty())
        .map(|step| {
            step.parse()
                .map_or_else(|_| Step::Key(step.into()), Step::Index)
        })
        .collect()
}

/// Looks at the objects of a text. `names`: those of all texts. `referrers`: the objects of other texts that refer to parameters in
/// this one.
pub(super) fn plan<'t>(
    names: &NamedObjects<'t>,
    own: OwnText<'t>,
    referrers: &BTreeSet<usize>,
) -> Migration<'t> {
    let mut work = Migrator::of(names, own);
    let in_order: BTreeSet<usize> = own.objects().chain(referrers.iter().copied()).collect();
    for index in in_order {
        work.object(index);
    }
    for index in own.objects() {
        work.unused_parameters(index);
    }
    work.lose_with_parameters();
    let mut objects = work.objects;
    Migration {
        objects: own
            .objects()
            .map(|index| objects.remove(&index).unwrap_or_default())
            .collect(),
    }
}

/// Returns how each text is related to the others.
pub(super) fn relations<'t>(names: &NamedObjects<'t>, texts: &[OwnText<'t>]) -> Vec<Relations> {
    let mut all: Vec<Relations> = Vec::with_capacity(texts.len());
    let mut references = Vec::new();
    for own in texts {
        let mut work = Migrator::of(names, *own);
        own.objects().for_each(|index| work.object(index));
        own.objects()
            .for_each(|index| work.unused_parameters(index));
        let mut changed = own.objects().filter_map(|index| work.objects.get(&index));
        all.push(Relations {
            is_migrated: changed.any(|object| object.fate != ObjectFate::Untouched),
            referrers: BTreeSet::new(),
        });
        let elsewhere = |reference: &Reference| !own.objects().contains(&reference.parameters);
        references.extend(work.references.into_iter().filter(elsewhere));
    }
    for Reference { of, parameters, .. } in references {
        let at = texts.partition_point(|own| own.objects().end <= parameters);
        if let Some(text) = all.get_mut(at) {
            text.is_migrated = true;
            text.referrers.insert(of);
        }
    }
    all
}

/// How a text is related to others.
#[derive(Clone, Debug, Default)]
pub(super) struct Relations {
    /// The migration changes objects of it.
    pub is_migrated: bool,
    /// The objects of other texts that refer to parameters in it.
    pub referrers: BTreeSet<usize>,
}

/// A reference to parameters that became part of the object with the reference.
struct Reference {
    /// The object with the reference.
    of: usize,
    path: Vec<Step>,
    parameters: usize,
}

/// The work on a text that may refer to others.
struct Migrator<'n, 't> {
    inventory: Inventory<'n, 't>,
    /// The fate of those objects of all texts that were looked at, by their index.
    objects: BTreeMap<usize, ObjectMigration<'t>>,
    references: Vec<Reference>,
}

impl<'n, 't> Migrator<'n, 't> {
    fn of(names: &'n NamedObjects<'t>, own: OwnText<'t>) -> Self {
        Migrator {
            inventory: Inventory::of(names, own),
            objects: BTreeMap::new(),
            references: Vec::new(),
        }
    }
}

impl<'t> Migrator<'_, 't> {
    /// Looks at an object.
    fn object(&mut self, index: usize) {
        let Some((tree, item)) = self.inventory.item(index) else {
            return;
        };
        if !is_classic(item) {
            if !item.api_version.starts_with(GROUP) {
                self.pod(index, tree, item);
            }
            return;
        }
        match item.kind.as_str() {
            "ResourceClass" => self.class(index, tree, item.node),
            "ResourceClaim" => self.claim(index, tree, item.node, ""),
            "ResourceClaimTemplate" => self.claim(index, tree, item.node, "spec"),
            "ResourceSlice" => self.slice(index, tree, item.node),
            "PodScheduling" | "PodSchedulingContext" => {
                let reason = message!(
                    "loss.scheduling",
                    "the scheduler allocates devices itself and no longer negotiates with a driver's controller"
                );
                self.object_lost(index, tree, item.node, reason);
            }
            _ => {}
        }
    }

    /// Records that parameters are lost that nothing refers to.
    fn unused_parameters(&mut self, index: usize) {
        let Some((tree, item)) = self.inventory.item(index) else {
            return;
        };
        let is_parameters = matches!(
            item.kind.as_str(),
            "ResourceClaimParameters" | "ResourceClassParameters"
        );
        let is_untouched = self
            .objects
            .get(&index)
            .is_none_or(|object| object.fate == ObjectFate::Untouched);
        if is_parameters && is_classic(item) && is_untouched {
            let reason = message!(
                "loss.parameters-unused",
                "no claim or class in the files refers to it"
            );
            self.object_lost(index, tree, item.node, reason);
        }
    }

    fn edit(&mut self, index: usize, act: impl FnOnce(&mut ObjectMigration<'t>)) {
        act(self.objects.entry(index).or_default());
    }

    fn becomes(&mut self, index: usize, kind: &'static str, changes: Vec<MappingChange<'t>>) {
        self.edit(index, |object| {
            object.fate = ObjectFate::Becomes(kind);
            object.changes = changes;
        });
    }

    /// Records that a field of an object is lost, once, even if several objects refer to it.
    fn lose(
        &mut self,
        index: usize,
        tree: &'t Tree<'t>,
        object: NodeId,
        at: &[Step],
        reason: Message,
    ) {
        let Some(node) = locate::node(tree, object, at) else {
            return;
        };
        if tree.kind(node) == Kind::Null {
            return;
        }
        let mut value = String::new();
        if !print::json(tree, node, Order::Source, MAX_VALUE, &mut value) {
            value = "null".to_owned();
        }
        let span = locate::locate_key(tree, object, at);
        let loss = Loss {
            path: path::render(at),
            value,
            reason,
            span,
        };
        self.edit(index, |object| {
            if object.losses.iter().all(|known| known.path != loss.path) {
                object.losses.push(loss);
            }
        });
    }

    fn object_lost(&mut self, index: usize, tree: &'t Tree<'t>, node: NodeId, reason: Message) {
        self.edit(index, |object| object.fate = ObjectFate::Gone);
        self.lose(index, tree, node, &[], reason);
    }

    /// Records for objects whose parameters are in another text what these lose: each text has its own answer.
    fn lose_with_parameters(&mut self) {
        for Reference {
            of,
            path,
            parameters,
        } in std::mem::take(&mut self.references)
        {
            let Some((tree, object)) = self.inventory.item(of) else {
                continue;
            };
            let Some((_, item)) = self.inventory.item(parameters) else {
                continue;
            };
            if !self.inventory.is_own(of) || self.inventory.is_own(parameters) {
                continue;
            }
            let lost = self
                .objects
                .get(&parameters)
                .map_or(Vec::new(), |object| object.losses.clone());
            let span = locate::locate_key(tree, object.node, &path);
            let told = lost.into_iter().map(|loss| Loss {
                path: path::render(&path),
                reason: message!(
                    "loss.in-parameters",
                    "`{field}` of {kind} `{name}`: {reason}",
                    field = loss.path,
                    kind = item.kind,
                    name = item.name,
                    reason = loss.reason
                ),
                span,
                ..loss
            });
            let told: Vec<Loss> = told.collect();
            self.edit(of, |object| object.losses.extend(told));
        }
    }

    /// Records that a parameters object was merged into another object. `path`: that of the reference in the other one.
    fn fold(&mut self, index: usize, of: usize, path: &str, into: &str) {
        let Some((tree, item)) = self.inventory.item(index) else {
            return;
        };
        self.references.push(Reference {
            of,
            path: steps(path),
            parameters: index,
        });
        let core = !item.api_version.contains('/');
        self.edit(index, |object| {
            if object.fate == ObjectFate::Untouched && !core {
                object.fate = ObjectFate::Gone;
                object.folded = Some(message!("migrate.folded", "it is now part of {into}", into));
                object.decisions.push(Decision {
                    code: "parameters-removed",
                    path: String::new(),
                    span: locate::locate(tree, item.node, &[]),
                    question: message!(
                        "migrate.parameters-removed",
                        "Does anything else read the parameters object?"
                    ),
                    assumed: message!(
                        "migrate.parameters-removed-assumed",
                        "nothing does, it is left out"
                    ),
                    why: message!(
                        "migrate.parameters-removed-why",
                        "what it says is in {into} now",
                        into
                    ),
                    alternatives: vec![message!(
                        "migrate.parameters-removed-or",
                        "keep it until no cluster with the old driver needs it"
                    )],
                    at: Vec::new(),
                });
            }
        });
    }

    fn decide(&mut self, index: usize, object: NodeId, tree: &'t Tree<'t>, decision: Decided<'_>) {
        let at = steps(decision.path);
        let one = Decision {
            code: decision.code,
            path: path::render(&at),
            span: locate::locate_key(tree, object, &at),
            question: decision.question,
            assumed: decision.assumed,
            why: decision.why,
            alternatives: decision.alternatives,
            at: steps(decision.at),
        };
        self.edit(index, |object| object.decisions.push(one));
    }
}

/// A decision with paths as text.
struct Decided<'d> {
    code: &'static str,
    path: &'d str,
    at: &'d str,
    question: Message,
    assumed: Message,
    why: Message,
    alternatives: Vec<Message>,
}

/// Says that one name is assumed in place of another.
fn in_place_of(new: &str, old: &str) -> Message {
    message!(
        "migrate.in-place-of",
        "`{new}` in place of `{old}`",
        new,
        old
    )
}

/// Returns a selector with a CEL expression.
fn cel<'t>(expression: &str) -> TextPart<'t> {
    TextPart::map([(
        "cel",
        TextPart::map([("expression", TextPart::text(expression))]),
    )])
}

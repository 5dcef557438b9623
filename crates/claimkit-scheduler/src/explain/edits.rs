//! Edits of the facts that [`super::relax`] tries.

use crate::allocator::amount::Amount;
use crate::allocator::fitting::FittingSelector;
use crate::allocator::objects::{Ask, Claim, Facts, Toleration};
use crate::allocator::prepare::RequestChoice;
use claimkit_model::finding::{FieldPath, field_path};
use claimkit_values::order;
use std::cmp::Reverse;
use std::rc::Rc;

/// The place of what a request, or one of its alternatives, asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskPlace {
    /// Index of the claim.
    pub claim: usize,
    /// Index of the request.
    pub request: usize,
    /// Index of the alternative.
    pub sub: Option<usize>,
}

impl AskPlace {
    /// Returns the place of a choice.
    pub fn of_choice(choice: &RequestChoice<'_>) -> Self {
        AskPlace {
            claim: choice.claim,
            request: choice.request,
            sub: choice.sub_name.map(|_| choice.sub),
        }
    }

    /// Returns what is asked for there.
    pub fn find(self, claim: &Claim) -> Option<&Ask> {
        let request = claim.spec.devices.requests.get(self.request)?;
        match self.sub {
            Some(sub) => request.first_available.get(sub),
            None => request.exactly.as_ref(),
        }
    }

    fn find_mut(self, claim: &mut Claim) -> Option<&mut Ask> {
        let request = claim.spec.devices.requests.get_mut(self.request)?;
        match self.sub {
            Some(sub) => request.first_available.get_mut(sub),
            None => request.exactly.as_mut(),
        }
    }

    /// Returns the path in the claim.
    pub fn path(self) -> FieldPath {
        match self.sub {
            Some(sub) => field_path![
                "spec",
                "devices",
                "requests",
                self.request,
                "firstAvailable",
                sub
            ],
            None => field_path!["spec", "devices", "requests", self.request, "exactly"],
        }
    }
}

/// One edit of the facts.
#[derive(Clone, Debug, PartialEq)]
pub enum FactEdit {
    /// A claim gives its devices back.
    Free { claim: usize },
    /// A claim has a constraint less.
    DropConstraint { claim: usize, index: usize },
    /// A request asks for something else.
    Ask { place: AskPlace, edit: AskEdit },
}

/// An edit of what a request asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum AskEdit {
    /// The selector with this index is dropped.
    DropSelector(usize),
    /// The selector with this index has another expression.
    Selector {
        index: usize,
        fitting: FittingSelector,
    },
    Tolerate(Toleration),
    Count(i64),
    /// One device in place of all.
    ExactlyOne,
    Capacity {
        name: String,
        amount: Amount,
    },
    /// The capacity with this name is no longer asked for.
    DropCapacity(String),
    /// A capacity is asked for by another name.
    RenameCapacity {
        from: String,
        to: String,
    },
}

impl FactEdit {
    /// Returns an edit of what a choice asks for.
    pub fn of_choice(choice: &RequestChoice<'_>, edit: AskEdit) -> Self {
        FactEdit::Ask {
            place: AskPlace::of_choice(choice),
            edit,
        }
    }

    /// Returns the pending claim that it changes.
    pub fn claim(&self) -> Option<usize> {
        match self {
            FactEdit::Free { .. } => None,
            FactEdit::DropConstraint { claim, .. } => Some(*claim),
            FactEdit::Ask { place, .. } => Some(place.claim),
        }
    }

    /// Returns the same edit of another claim.
    pub fn in_claim(&self, other: usize) -> FactEdit {
        let mut edit = self.clone();
        match &mut edit {
            FactEdit::Free { .. } => {}
            FactEdit::DropConstraint { claim, .. } => *claim = other,
            FactEdit::Ask { place, .. } => place.claim = other,
        }
        edit
    }

    /// Returns the index in its list of what is removed. Indexes are those before any edit: what is removed from the end first leaves
    /// those of the others as they are.
    pub fn removed_index(&self) -> Option<usize> {
        match self {
            FactEdit::DropConstraint { index, .. }
            | FactEdit::Ask {
                edit: AskEdit::DropSelector(index),
                ..
            } => Some(*index),
            FactEdit::Free { .. } | FactEdit::Ask { .. } => None,
        }
    }

    /// Returns true if both edit the same field.
    pub fn is_of_same_field(&self, other: &FactEdit) -> bool {
        let (
            FactEdit::Ask { place, edit },
            FactEdit::Ask {
                place: other_place,
                edit: other_edit,
            },
        ) = (self, other)
        else {
            return self == other;
        };
        if place != other_place {
            return false;
        }
        match (edit, other_edit) {
            (AskEdit::Count(_), AskEdit::Count(_)) => true,
            // Who has one that fits needs not drop it.
            (
                AskEdit::Selector { index, .. },
                AskEdit::Selector { index: other, .. } | AskEdit::DropSelector(other),
            ) => index == other,
            _ => match (edit.capacity(), other_edit.capacity()) {
                (Some(name), Some(other_name)) => name == other_name,
                _ => edit == other_edit,
            },
        }
    }

    /// Edits the spec of the claim that it changes.
    pub fn apply_to_claim(&self, claim: &mut Claim) {
        match self {
            FactEdit::Free { .. } => {}
            FactEdit::DropConstraint { index, .. } => {
                remove_at(&mut claim.spec.devices.constraints, *index);
            }
            FactEdit::Ask { place, edit } => {
                if let Some(ask) = place.find_mut(claim) {
                    edit.apply(ask);
                }
            }
        }
    }
}

impl AskEdit {
    /// Returns the name of the capacity that it changes.
    fn capacity(&self) -> Option<&str> {
        match self {
            AskEdit::Capacity { name, .. }
            | AskEdit::DropCapacity(name)
            | AskEdit::RenameCapacity { from: name, .. } => Some(name),
            _ => None,
        }
    }

    /// Edits what a request asks for.
    pub fn apply(&self, ask: &mut Ask) {
        match self {
            AskEdit::DropSelector(index) => remove_at(&mut ask.selectors, *index),
            AskEdit::Selector { index, fitting } => {
                let selector = ask.selectors.get_mut(*index);
                if let Some(cel) = selector.and_then(|selector| selector.cel.as_mut()) {
                    cel.expression.clone_from(&fitting.expression);
                }
            }
            AskEdit::Tolerate(toleration) => ask.tolerations.push(toleration.clone()),
            AskEdit::Count(count) => ask.count = *count,
            AskEdit::ExactlyOne => {
                "ExactCount".clone_into(&mut ask.allocation_mode);
                ask.count = 1;
            }
            AskEdit::Capacity { name, amount } => {
                let capacity = ask.capacity.get_or_insert_default();
                capacity.requests.insert(name.clone(), amount.clone());
            }
            AskEdit::DropCapacity(name) => {
                if let Some(capacity) = &mut ask.capacity {
                    let others = capacity.requests.iter().filter(|(other, _)| *other != name);
                    capacity.requests = others
                        .map(|(other, amount)| (other.clone(), amount.clone()))
                        .collect();
                }
            }
            AskEdit::RenameCapacity { from, to } => {
                if let Some(capacity) = &mut ask.capacity {
                    let renamed = capacity.requests.iter().map(|(name, amount)| {
                        let name = if name == from { to } else { name };
                        (name.clone(), amount.clone())
                    });
                    capacity.requests = renamed.collect();
                }
            }
        }
    }
}

fn remove_at<T>(list: &mut Vec<T>, index: usize) {
    if index < list.len() {
        list.remove(index);
    }
}

/// Returns a mutable claim, cloned if other copies of the facts share it.
pub fn claim_mut(facts: &mut Facts, claim: usize) -> Option<&mut Claim> {
    facts.claims.get_mut(claim).map(Rc::make_mut)
}

/// Edits the facts by several edits, each about the facts as they are.
pub fn apply_all(edits: &[&FactEdit], facts: &mut Facts) {
    let mut ordered = edits.to_vec();
    order::sort_by_key(&mut ordered, |edit| edit.removed_index().map(Reverse));
    for edit in ordered {
        apply(edit, facts);
    }
}

fn apply(edit: &FactEdit, facts: &mut Facts) {
    if let FactEdit::Free { claim } = edit {
        facts.free_claim(*claim);
    }
    let claim = edit.claim().and_then(|at| claim_mut(facts, at));
    if let Some(claim) = claim {
        edit.apply_to_claim(claim);
    }
}

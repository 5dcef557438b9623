//! Edits of the facts that [`super::relax`] tries.

use crate::allocator::amount::Amount;
use crate::allocator::objects::{Ask, Claim, Facts, Toleration};
use std::rc::Rc;

/// One edit of the facts.
#[derive(Clone, Debug, PartialEq)]
pub enum FactEdit {
    Constraint(usize, usize),
    Selector(usize, usize, Option<usize>, usize),
    Toleration(usize, usize, Option<usize>, Toleration),
    Free(usize),
    Count(usize, usize, Option<usize>, i64),
    Exact(usize, usize, Option<usize>),
    Capacity(usize, usize, Option<usize>, String, Amount),
    /// A capacity that is no longer asked for.
    NoCapacity(usize, usize, Option<usize>, String),
    /// A capacity asked for by another name: the old and the new one.
    CapacityName(usize, usize, Option<usize>, String, String),
}

impl FactEdit {
    /// Returns the pending claim that it changes.
    pub fn claim(&self) -> Option<usize> {
        self.clone().claim_mut().copied()
    }

    /// Returns the same edit of another claim.
    pub fn in_claim(&self, other: usize) -> FactEdit {
        let mut edit = self.clone();
        if let Some(claim) = edit.claim_mut() {
            *claim = other;
        }
        edit
    }

    fn claim_mut(&mut self) -> Option<&mut usize> {
        match self {
            FactEdit::Free(_) => None,
            FactEdit::Constraint(claim, ..)
            | FactEdit::Selector(claim, ..)
            | FactEdit::Toleration(claim, ..)
            | FactEdit::Count(claim, ..)
            | FactEdit::Exact(claim, ..)
            | FactEdit::Capacity(claim, ..)
            | FactEdit::NoCapacity(claim, ..)
            | FactEdit::CapacityName(claim, ..) => Some(claim),
        }
    }

    /// Returns a key that is equal for edits of the same field.
    pub fn field_key(&self) -> String {
        match self {
            FactEdit::Count(claim, request, sub, _) => format!("count {claim} {request} {sub:?}"),
            FactEdit::Capacity(claim, request, sub, name, _)
            | FactEdit::NoCapacity(claim, request, sub, name)
            | FactEdit::CapacityName(claim, request, sub, name, _) => {
                format!("capacity {claim} {request} {sub:?} {name}")
            }
            other => format!("{other:?}"),
        }
    }
}

/// Returns what a request, or one of its alternatives, asks for.
pub fn ask(claim: &Claim, request: usize, sub: Option<usize>) -> Option<&Ask> {
    let request = claim.spec.devices.requests.get(request)?;
    match sub {
        Some(sub) => request.first_available.get(sub),
        None => request.exactly.as_ref(),
    }
}

/// Returns a mutable claim, cloned if other copies of the facts share it.
pub fn claim_mut(facts: &mut Facts, claim: usize) -> Option<&mut Claim> {
    facts.claims.get_mut(claim).map(Rc::make_mut)
}

fn ask_mut(
    facts: &mut Facts,
    claim: usize,
    request: usize,
    sub: Option<usize>,
) -> Option<&mut Ask> {
    let request = claim_mut(facts, claim)?
        .spec
        .devices
        .requests
        .get_mut(request)?;
    match sub {
        Some(sub) => request.first_available.get_mut(sub),
        None => request.exactly.as_mut(),
    }
}

/// Edits the facts.
pub fn apply(edit: &FactEdit, facts: &mut Facts) {
    match edit {
        FactEdit::Constraint(claim, index) => {
            let list = claim_mut(facts, *claim).map(|claim| &mut claim.spec.devices.constraints);
            if let Some(list) = list.filter(|list| *index < list.len()) {
                list.remove(*index);
            }
        }
        FactEdit::Selector(claim, request, sub, index) => {
            let list = ask_mut(facts, *claim, *request, *sub).map(|ask| &mut ask.selectors);
            if let Some(list) = list.filter(|list| *index < list.len()) {
                list.remove(*index);
            }
        }
        FactEdit::Toleration(claim, request, sub, toleration) => {
            if let Some(ask) = ask_mut(facts, *claim, *request, *sub) {
                ask.tolerations.push(toleration.clone());
            }
        }
        FactEdit::Free(claim) => facts.free_claim(*claim),
        FactEdit::Count(claim, request, sub, count) => {
            if let Some(ask) = ask_mut(facts, *claim, *request, *sub) {
                ask.count = *count;
            }
        }
        FactEdit::Exact(claim, request, sub) => {
            if let Some(ask) = ask_mut(facts, *claim, *request, *sub) {
                "ExactCount".clone_into(&mut ask.allocation_mode);
                ask.count = 1;
            }
        }
        FactEdit::Capacity(claim, request, sub, name, amount) => {
            if let Some(ask) = ask_mut(facts, *claim, *request, *sub) {
                let capacity = ask.capacity.get_or_insert_default();
                capacity.requests.insert(name.clone(), amount.clone());
            }
        }
        FactEdit::NoCapacity(claim, request, sub, name) => {
            let capacity =
                ask_mut(facts, *claim, *request, *sub).and_then(|ask| ask.capacity.as_mut());
            if let Some(capacity) = capacity {
                let others = capacity.requests.iter().filter(|(other, _)| *other != name);
                capacity.requests = others
                    .map(|(other, amount)| (other.clone(), amount.clone()))
                    .collect();
            }
        }
        FactEdit::CapacityName(claim, request, sub, name, other) => {
            let capacity =
                ask_mut(facts, *claim, *request, *sub).and_then(|ask| ask.capacity.as_mut());
            if let Some(capacity) = capacity {
                capacity.requests = capacity
                    .requests
                    .iter()
                    .map(|(key, amount)| {
                        (
                            if key == name { other } else { key }.clone(),
                            amount.clone(),
                        )
                    })
                    .collect();
            }
        }
    }
}

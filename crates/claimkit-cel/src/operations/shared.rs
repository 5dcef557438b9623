//! Quantities that an evaluation has changed.
//!
//! Functions get pointers to quantities. A comparison with a quantity beyond 64 bits turns its receiver into one as well, and up to 1.36
//! `add` and `sub` of such a quantity write into the digits of their receiver, which the result then shares (apimachinery,
//! `pkg/api/resource/quantity.go`, `Cmp`, `AsDec`, `Add`; apiserver, `pkg/cel/library/quantity.go`, `quantityAdd`).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::library::quantity::CelQuantity;

/// The quantities whose digits are not in 64 bits any more, with what they are now.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Places in `digits`, by the address of the quantity.
    places: BTreeMap<usize, usize>,
    /// The quantities themselves, so that their addresses stay their own.
    kept: Vec<Arc<CelQuantity>>,
    digits: Vec<CelQuantity>,
}

impl Shared {
    /// Returns the current value of a quantity.
    pub(super) fn now<'q>(&'q self, quantity: &'q Arc<CelQuantity>) -> &'q CelQuantity {
        if self.places.is_empty() {
            return quantity;
        }
        let place = self.places.get(&address(quantity));
        place
            .and_then(|place| self.digits.get(*place))
            .unwrap_or(quantity)
    }

    /// Turns a quantity into one beyond 64 bits. Returns where its digits are.
    pub(super) fn enlarge(&mut self, quantity: &Arc<CelQuantity>) -> usize {
        if let Some(place) = self.places.get(&address(quantity)) {
            return *place;
        }
        let place = self.digits.len();
        self.digits.push(quantity.enlarged());
        self.point(quantity, place);
        place
    }

    /// Writes digits that quantities share.
    pub(super) fn write(&mut self, place: usize, digits: &CelQuantity) {
        if let Some(slot) = self.digits.get_mut(place) {
            slot.clone_from(digits);
        }
    }

    /// Makes a quantity share digits.
    pub(super) fn point(&mut self, quantity: &Arc<CelQuantity>, place: usize) {
        if self.places.insert(address(quantity), place).is_none() {
            self.kept.push(quantity.clone());
        }
    }
}

fn address(quantity: &Arc<CelQuantity>) -> usize {
    Arc::as_ptr(quantity).addr()
}

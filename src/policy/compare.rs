//! What an update makes worse: reasons of the new object that the stored one does not have, or not as much.
//!
//! A reason is the same if its words are, without the indexes of its path. Some reasons also have an extent, because the words do not
//! show it: how many devices, which expression, how strong an effect. The new extent must lie within a stored one.

use crate::policy::selectors::Budget;
use crate::validation::immutable;
use crate::validation::{Context, Errors, FieldError};
use claimkit_model::object::Record;
use claimkit_model::object::view::Slot;
use claimkit_model::schema::Release;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

/// How much of something a reason is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// More of it is worse.
    pub amount: i128,
    /// The texts that it is about; others are worse, fewer are not.
    pub contents: Vec<String>,
    /// The texts that narrow what it is about; fewer are worse, more are not.
    pub conditions: Vec<String>,
    /// A stored reason excuses any number of new ones.
    pub is_shared: bool,
}

impl Extent {
    /// Makes the extent of a number.
    pub fn amount(amount: impl Into<i128>) -> Self {
        Extent {
            amount: amount.into(),
            ..Extent::default()
        }
    }

    /// Makes the extent of a count.
    pub fn count(count: usize) -> Self {
        Extent::amount(i128::try_from(count).unwrap_or(i128::MAX))
    }

    /// Makes the extent of texts.
    pub fn contents(contents: Vec<String>) -> Self {
        Extent {
            contents,
            ..Extent::default()
        }
    }

    /// Makes the extent of something that may be there any number of times once it is there.
    pub fn shared() -> Self {
        Extent {
            is_shared: true,
            ..Extent::default()
        }
    }

    /// Returns true if this one is nowhere beyond a stored one.
    fn lies_within(&self, stored: &Extent) -> bool {
        let mut left: Vec<&String> = stored.contents.iter().collect();
        let known = self.contents.iter().all(|text| {
            let place = left.iter().position(|stored| *stored == text);
            place.map(|place| left.swap_remove(place)).is_some()
        });
        let mut conditions = stored.conditions.iter();
        let is_narrow = conditions.all(|text| self.conditions.contains(text));
        known && is_narrow && self.amount <= stored.amount
    }
}

/// A reason against an object.
#[derive(Clone, Debug)]
pub struct Violation {
    pub error: FieldError,
    /// Equal for reasons of the same kind about the same thing.
    pub key: String,
    pub extent: Extent,
}

impl From<FieldError> for Violation {
    fn from(error: FieldError) -> Self {
        let key = format!("{}: {}", without_indexes(&error.field), error.body);
        Violation {
            error,
            key,
            extent: Extent::default(),
        }
    }
}

/// Reasons in the words of a release, with their extents.
#[derive(Debug)]
pub struct Reasons {
    errors: Errors,
    /// Key and extent of each of the first reasons, where they are not its words.
    extents: Vec<Option<(Option<String>, Extent)>>,
    /// What trying the expressions of the object may still cost.
    pub budget: Budget,
    /// What evaluating the rules for parameters has cost.
    pub cost_of_rules: u64,
}

impl Reasons {
    /// Creates an empty list in the words of a release.
    pub fn new(release: Release) -> Self {
        Reasons {
            errors: Context::new(release).errors(),
            extents: Vec::new(),
            budget: Budget::default(),
            cost_of_rules: 0,
        }
    }

    /// Gives the reasons from an index on an extent. `key`: in place of their words, which contain a number.
    pub fn extend_from(&mut self, start: usize, key: Option<&str>, extent: &Extent) {
        self.extents.resize_with(self.errors.len(), || None);
        for of_reason in self.extents.iter_mut().skip(start) {
            *of_reason = Some((key.map(str::to_owned), extent.clone()));
        }
    }

    /// Returns the reasons in their order.
    pub fn into_violations(self) -> Vec<Violation> {
        let mut extents = self.extents.into_iter();
        let violation = |error: FieldError| {
            let mut violation = Violation::from(error);
            if let Some((key, extent)) = extents.next().flatten() {
                violation.extent = extent;
                violation.key = key.unwrap_or(violation.key);
            }
            violation
        };
        let errors = self.errors.into_list();
        errors.into_iter().map(violation).collect()
    }
}

impl Deref for Reasons {
    type Target = Errors;

    fn deref(&self) -> &Errors {
        &self.errors
    }
}

impl DerefMut for Reasons {
    fn deref_mut(&mut self) -> &mut Errors {
        &mut self.errors
    }
}

/// Compares everything but metadata and status: removing finalizers leaves it as it is.
pub fn leaves_spec(new: &Record<'_>, old: &Record<'_>) -> bool {
    let fields = new.schema.fields.iter().map(|field| field.json);
    fields
        .filter(|name| !matches!(*name, "metadata" | "status"))
        .all(|name| immutable::same_field(Slot::of(Some(new), name), Slot::of(Some(old), name)))
}

/// Returns true if the allocation of a claim is another one.
pub fn changes_allocation(new: &Record<'_>, old: &Record<'_>) -> bool {
    let (new, old) = (new.record("status"), old.record("status"));
    match (new, old) {
        (Some(new), Some(old)) => {
            let allocation = |status| Slot::of(Some(status), "allocation");
            !immutable::same_field(allocation(new), allocation(old))
        }
        (new, _) => new.is_some(),
    }
}

/// Returns a path without the indexes of lists: where an item is removed, those behind it move.
pub fn without_indexes(path: &str) -> String {
    let mut parts = path.split('[');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((index, rest)) if claimkit_values::has_only_digits(index) => text.push_str(rest),
            _ => text.extend(["[", part]),
        }
    }
    text
}

/// The extents of stored reasons with one key, each of which can excuse a new reason.
#[derive(Default)]
struct StoredExtents<'v> {
    /// How many there are of each amount, of those that are about nothing else.
    amounts: BTreeMap<i128, usize>,
    /// The others.
    rest: Vec<&'v Extent>,
}

/// The stored extent that comes nearest to a new one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearest {
    Amount(i128),
    /// The index among the others.
    Rest(usize),
}

impl<'v> StoredExtents<'v> {
    fn add(&mut self, extent: &'v Extent) {
        let has_texts = !extent.contents.is_empty() || !extent.conditions.is_empty();
        if has_texts || extent.is_shared {
            self.rest.push(extent);
            return;
        }
        let count = self.amounts.entry(extent.amount).or_default();
        *count = count.saturating_add(1);
    }

    /// Returns the stored extent that comes nearest to a new one which lies within it.
    fn nearest(&self, new: &Extent) -> Option<Nearest> {
        let mut nearest = None;
        if new.contents.is_empty() {
            let mut amounts = self.amounts.range(new.amount..);
            nearest = amounts
                .next()
                .map(|(amount, _)| (*amount, 0, Nearest::Amount(*amount)));
        }
        for (at, extent) in self.rest.iter().enumerate() {
            let found = (extent.amount, extent.contents.len(), Nearest::Rest(at));
            if new.lies_within(extent) && nearest.is_none_or(|nearest| found < nearest) {
                nearest = Some(found);
            }
        }
        nearest.map(|(.., found)| found)
    }

    /// Takes the stored extent away, unless it excuses any number of reasons.
    fn take(&mut self, nearest: Nearest) {
        match nearest {
            Nearest::Amount(amount) => {
                let count = self.amounts.get(&amount).copied().unwrap_or_default();
                if count > 1 {
                    self.amounts.insert(amount, count.saturating_sub(1));
                } else {
                    self.amounts.remove(&amount);
                }
            }
            Nearest::Rest(at) => {
                if self.rest.get(at).is_some_and(|extent| !extent.is_shared) {
                    self.rest.remove(at);
                }
            }
        }
    }
}

/// Says of each reason of the new object whether the stored one has it already. A stored reason excuses one new reason: the one that
/// comes nearest to it; or any number, if it is shared.
pub fn known(new: &[Violation], stored: &[Violation]) -> Vec<bool> {
    let mut left: BTreeMap<&str, StoredExtents<'_>> = BTreeMap::new();
    for violation in stored {
        let extents = left.entry(&violation.key).or_default();
        extents.add(&violation.extent);
    }
    let mut known = Vec::with_capacity(new.len());
    for violation in new {
        let extents = left.get_mut(violation.key.as_str());
        let nearest = extents
            .as_ref()
            .and_then(|extents| extents.nearest(&violation.extent));
        if let (Some(extents), Some(nearest)) = (extents, nearest) {
            extents.take(nearest);
        }
        known.push(nearest.is_some());
    }
    known
}

//! Shared code for the rules of the device family: lists, maps, and the limits of the tables.

use super::variant::{KeyPath, ListSize, Variant};
use crate::validation::context::Context;
use crate::validation::errors::{Bad, Errors};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::{Entries, List, Slot};
use claimkit_model::schema::{Field, Gate, Gates, Release};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The rules at work on one object.
pub struct Judge<'c> {
    /// The differences between releases.
    pub v: &'static Variant,
    /// The release, for the fields it has.
    pub release: Release,
    /// The gates that are on.
    pub gates: Gates,
    pub errors: &'c mut Errors,
}

/// Whether an expression or configuration is new or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    New,
    /// It was stored and has not changed.
    Stored,
}

impl<'c> Judge<'c> {
    /// Makes a judge by the rules of a context.
    pub fn new(context: &Context, errors: &'c mut Errors) -> Self {
        Judge {
            v: Variant::of(context.release),
            release: context.release,
            gates: context.gates,
            errors,
        }
    }

    /// Returns true if the gate is on.
    pub fn on(&self, gate: Gate) -> bool {
        self.gates.on(gate)
    }

    /// Returns the limit of a field in this release.
    pub fn limit(&self, slot: Slot<'_>) -> Option<usize> {
        self.field(slot)?.limit(self.release)
    }

    /// Returns true if this release has the field.
    pub fn knows(&self, slot: Slot<'_>) -> bool {
        self.field(slot).is_some()
    }

    /// Returns the row of the field in this release.
    pub fn field(&self, slot: Slot<'_>) -> Option<&'static Field> {
        slot.field().filter(|field| field.in_release(self.release))
    }

    /// Validates the size and the items of a list, in the order of the release. Returns true if the caller may check for
    /// duplicates.
    pub fn list<'r, V>(
        &mut self,
        list: List<'r, V>,
        path: &Path<'_>,
        each: impl FnMut(&mut Self, V, &Path<'_>),
    ) -> bool {
        self.items(list, self.limit(list.slot()), path, each)
    }

    /// Validates as [`Judge::list`] does, with a limit of its own.
    pub fn items<'r, V>(
        &mut self,
        items: List<'r, V>,
        max: Option<usize>,
        path: &Path<'_>,
        mut each: impl FnMut(&mut Self, V, &Path<'_>),
    ) -> bool {
        let too_many = max.filter(|max| items.len() > *max);
        if let (Some(max), ListSize::TooManyOnly) = (too_many, self.v.list_size) {
            self.errors
                .too_many(Code::ListTooLong, path, items.len(), max);
            return false;
        }
        for (index, item) in items.iter().enumerate() {
            each(self, item, &path.index(index));
        }
        if let Some(max) = too_many {
            self.too_many(items.len(), max, path);
        }
        true
    }

    /// Reports that a list has more items than it may have.
    pub fn too_many(&mut self, count: usize, max: usize, path: &Path<'_>) {
        match self.v.list_size {
            ListSize::TooLongAfter => self.errors.too_long(Code::ListTooLong, path, max),
            ListSize::TooManyAfter | ListSize::TooManyOnly => {
                self.errors.too_many(Code::ListTooLong, path, count, max)
            }
        }
    }

    /// Reports every item with a duplicate key. `name`: the name of the key field, which some releases append to the path.
    pub fn unique<'v>(
        &mut self,
        keys: impl IntoIterator<Item = &'v str>,
        name: Option<&str>,
        path: &Path<'_>,
        shown: impl Fn(&'v str) -> Bad<'v>,
    ) {
        let mut seen = BTreeSet::new();
        for (index, key) in keys.into_iter().enumerate() {
            if seen.insert(key) {
                continue;
            }
            let item = path.index(index);
            match name.filter(|_| self.v.duplicate_names_key) {
                Some(name) => {
                    self.errors
                        .duplicate(Code::DuplicateItem, &item.field(name), shown(key))
                }
                None => self
                    .errors
                    .duplicate(Code::DuplicateItem, &item, shown(key)),
            }
        }
    }

    /// Validates the entries of a map: `key` checks each key, at the path used by the release; then `value` checks the value.
    pub fn map<'r, V>(
        &mut self,
        entries: Entries<'r, V>,
        path: &Path<'_>,
        cut: usize,
        key: impl Fn(&mut Self, &'r str, &Path<'_>),
        value: impl Fn(&mut Self, V, &Path<'_>),
    ) {
        for (name, entry) in entries.iter() {
            let shown = if self.v.long_keys_cut {
                shortened(name, cut)
            } else {
                Cow::Borrowed(name)
            };
            let place = path.key_named(&shown, name);
            match self.v.key_path {
                KeyPath::Map => key(self, name, &path.at(name)),
                KeyPath::Entry => key(self, name, &place),
            }
            value(self, entry, &place);
        }
    }
}

/// Writes a key as shown in a path; a long key loses its middle.
fn shortened(key: &str, max: usize) -> Cow<'_, str> {
    if key.len() <= max {
        return Cow::Borrowed(key);
    }
    let room = max.saturating_sub(3);
    let head = room.div_ceil(2);
    let tail = key.len().saturating_sub(room / 2);
    let bytes = key.as_bytes();
    let mut out = String::with_capacity(max);
    push_cut(&mut out, bytes.get(..head).unwrap_or_default());
    out.push_str("...");
    push_cut(&mut out, bytes.get(tail..).unwrap_or_default());
    Cow::Owned(out)
}

/// Adds a part of a text. Go replaces each byte of a character that was cut.
fn push_cut(out: &mut String, part: &[u8]) {
    for chunk in part.utf8_chunks() {
        out.push_str(chunk.valid());
        for _ in chunk.invalid() {
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_keys_lose_their_middle() {
        assert_eq!(shortened("abcdefghij", 10), "abcdefghij");
        assert_eq!(shortened("abcdefghijk", 10), "abcd...ijk");
        assert_eq!(
            shortened("ab\u{20ac}fghij\u{20ac}", 10),
            "ab\u{fffd}\u{fffd}...\u{20ac}"
        );
        assert_eq!(shortened("abcdefghi\u{20ac}xx", 10), "abcd...\u{fffd}xx");
    }
}

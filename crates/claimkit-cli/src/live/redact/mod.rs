//! `snapshot --redact`: what no answer needs is dropped, and names are replaced alike everywhere, so that answers stay the same.
//!
//! | part | takes | gives |
//! |---|---|---|
//! | `rules` | a kind | what is kept of it, and which of its fields are names |
//! | `rule` | a part of an object | the part, changed by a walk |
//! | `names` | words | replacements that sort as the words do |
//! | `texts` | sentences | the names in them |
//!
//! Four walks over all objects: one finds the labels by which anything selects, two the names, and the last one replaces them.

mod names;
mod rule;
mod rules;
mod texts;

use names::Replacements;
use rule::{Pass, only};
pub use rules::rules_of;
use serde_json::Value;
use std::collections::BTreeSet;
use texts::{KnownNames, add_words, can_be_name};

/// Replaces the names of objects, and drops what no answer needs. Objects of other kinds than those of [`rules_of`] are dropped.
pub fn redact(items: &mut Vec<Value>) {
    let mut keys = Keys::default();
    walk_all(items, &mut keys);
    let mut found = Found::of(keys);
    walk_all(items, &mut found);
    let mut sentences = Sentences {
        names: &found.names,
        words: std::mem::take(&mut found.words),
    };
    walk_all(items, &mut sentences);
    let mut replace = Replace {
        replacements: Replacements::of(sentences.words, found.wholes, &found.taken),
        names: &found.names,
        keys: &found.keys,
    };
    walk_all(items, &mut replace);
}

fn walk_all(items: &mut Vec<Value>, pass: &mut dyn Pass) {
    items.retain_mut(|item| walk(item, pass));
}

/// Walks over an object; returns false if its kind has no rules.
fn walk(item: &mut Value, pass: &mut dyn Pass) -> bool {
    let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
    let rules = rules_of(text("apiVersion"), text("kind"));
    let (Some(rules), Some(fields)) = (rules, item.as_object_mut()) else {
        return false;
    };
    let kind =
        ["apiVersion", "kind"].map(|name| fields.shift_remove(name).map(|text| (name, text)));
    only(fields, rules, pass);
    let mut whole: serde_json::Map<String, Value> = kind
        .into_iter()
        .flatten()
        .map(|(name, text)| (name.to_owned(), text))
        .collect();
    whole.append(fields);
    *fields = whole;
    true
}

/// The labels by which anything selects.
#[derive(Default)]
struct Keys {
    keys: BTreeSet<String>,
    numeric: BTreeSet<String>,
}

impl Pass for Keys {
    fn key(&mut self, key: &str) {
        if !self.keys.contains(key) {
            self.keys.insert(key.to_owned());
        }
    }

    fn numeric(&mut self, key: &str) {
        self.numeric.insert(key.to_owned());
    }
}

/// The names, and what stays.
struct Found {
    keys: Keys,
    words: BTreeSet<String>,
    wholes: BTreeSet<String>,
    names: KnownNames,
    /// Words that stay and could be taken for replacements.
    taken: BTreeSet<String>,
}

impl Found {
    fn of(keys: Keys) -> Self {
        Found {
            keys,
            words: BTreeSet::new(),
            wholes: BTreeSet::new(),
            names: KnownNames::default(),
            taken: BTreeSet::new(),
        }
    }
}

impl Pass for Found {
    fn has_key(&self, key: &str) -> bool {
        self.keys.keys.contains(key)
    }

    fn is_numeric(&self, key: &str) -> bool {
        self.keys.numeric.contains(key)
    }

    fn name(&mut self, name: &mut String) {
        add_words(name, &mut self.words);
        if !self.names.replaced.contains(name.as_str()) {
            self.names.replaced.insert(name.clone());
        }
    }

    fn whole(&mut self, text: &mut String) {
        if !text.is_empty() {
            self.wholes.insert(text.clone());
        }
    }

    fn kept(&mut self, text: &str) {
        let words = names::words(text).filter(|word| names::looks_replaced(word));
        self.taken.extend(words.map(str::to_owned));
        if can_be_name(text) && !self.names.kept.contains(text) {
            self.names.kept.insert(text.to_owned());
        }
    }
}

/// The words of names that are only in sentences.
struct Sentences<'n> {
    names: &'n KnownNames,
    words: BTreeSet<String>,
}

impl Pass for Sentences<'_> {
    fn text(&mut self, text: &mut String) {
        let words = &mut self.words;
        self.names.replace_in(text, &mut |name| {
            add_words(name, words);
            String::new()
        });
    }
}

struct Replace<'n> {
    replacements: Replacements,
    names: &'n KnownNames,
    keys: &'n Keys,
}

impl Pass for Replace<'_> {
    fn has_key(&self, key: &str) -> bool {
        self.keys.keys.contains(key)
    }

    fn is_numeric(&self, key: &str) -> bool {
        self.keys.numeric.contains(key)
    }

    fn name(&mut self, name: &mut String) {
        *name = self.replacements.name(name);
    }

    fn whole(&mut self, text: &mut String) {
        *text = self.replacements.whole(text).to_owned();
    }

    fn text(&mut self, text: &mut String) {
        let replacements = &self.replacements;
        *text = self
            .names
            .replace_in(text, &mut |name| replacements.name(name));
    }
}

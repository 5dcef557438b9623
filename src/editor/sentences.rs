//! Documentation keys, and the sentences a host brings for them.

use claimkit_model::message::Translation;
use claimkit_model::schema::{Field, FieldType, Package, Struct};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The languages that have a file.
pub const LOCALES: &[&str] = &["en", "zh-Hans"];

/// One language's sentences: group (`fields`, `kinds`, …) → name → sentence. The file `pkg/locale/<locale>.json`.
/// Clones share it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentences(pub(crate) Arc<BTreeMap<String, BTreeMap<String, String>>>);

impl<'de> Deserialize<'de> for Sentences {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Sentences(Arc::new(Deserialize::deserialize(deserializer)?)))
    }
}

impl Sentences {
    /// Returns the sentence of a key such as `fields/ResourceClaimSpec.resourceClassName`.
    pub fn get(&self, key: &str) -> Option<&str> {
        let (group, name) = key.split_once('/')?;
        self.0.get(group)?.get(name).map(String::as_str)
    }

    /// Returns every key, in order.
    pub fn keys(&self) -> impl Iterator<Item = String> + '_ {
        self.0
            .iter()
            .flat_map(|(group, names)| names.keys().map(move |name| format!("{group}/{name}")))
    }

    /// Returns the templates of messages, to be spoken.
    pub fn messages(&self) -> Translation {
        let templates = self.0.get("messages").into_iter().flatten();
        templates
            .map(|(id, template)| (id.clone(), template.clone()))
            .collect()
    }

    /// Fills the placeholder of a word: `fill("since", "{release}", "1.30")`.
    pub fn fill(&self, word: &str, placeholder: &str, value: &str) -> String {
        self.get(&format!("words/{word}"))
            .unwrap_or(placeholder)
            .replace(placeholder, value)
    }

    /// Returns the translation of a word.
    pub fn word(&self, word: &str) -> &str {
        self.get(&format!("words/{word}")).unwrap_or("")
    }
}

/// Returns the documentation key of a field. Fields that all objects or all lists have share one key.
pub fn field_key(schema: &Struct, field: &Field) -> String {
    let object = schema.package == Package::Resource
        && schema
            .fields
            .first()
            .is_some_and(|first| first.json == "kind");
    let list = object && schema.slot("items").is_some();
    let owner = match field.json {
        // `kind` of a parameters reference is not the type of the object itself.
        "kind" | "apiVersion" if object && schema.slot("apiVersion").is_some() => "TypeMeta",
        "metadata" | "items" if list => "List",
        "metadata" if object => "Object",
        _ => schema.go,
    };
    format!("fields/{owner}.{}", field.json)
}

/// Returns the documentation key of a value of an enum; `None` if the type is not an enum.
pub fn value_key(field: &Field, value: &str) -> Option<String> {
    let ty = match &field.ty {
        FieldType::List(inner) => inner,
        ty => ty,
    };
    match ty {
        FieldType::Named(_, name)
            if (field.values.contains(&value)
                || field.later_values.iter().any(|(_, later)| *later == value)) =>
        {
            Some(format!("values/{name}.{value}"))
        }
        _ => None,
    }
}

/// Returns the documentation key of a kind.
pub fn kind_key(kind: &str) -> String {
    format!("kinds/{kind}")
}

/// Returns the documentation key of an `apiVersion`.
pub fn version_key(api_version: &str) -> String {
    format!("versions/{api_version}")
}

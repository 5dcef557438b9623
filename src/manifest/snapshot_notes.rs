//! What a snapshot says of its cluster beside the objects.

use claimkit_model::schema::Release;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The field of a List that has the notes. No program of Kubernetes looks at it.
const FIELD: &str = "\"snapshot\":";
/// Number of bytes at the beginning of a text, and at its end, that are searched for the notes: who prints the List again may sort its
/// fields.
const SEARCHED: usize = 8192;

/// The notes of a snapshot: what its objects do not say of the cluster.
///
/// ```
/// use claimkit::{Release, SnapshotNotes};
///
/// let text = r#"{"kind": "List", "snapshot": {"release": "1.36.3", "whole": ["Pod"]}, "items": []}"#;
/// let notes = SnapshotNotes::of_text(text).unwrap();
/// assert_eq!(notes.release(), Some(Release::new(36, 3)));
/// assert_eq!(notes.whole, ["Pod"]);
/// assert!(SnapshotNotes::of_text("kind: List").is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SnapshotNotes {
    /// The release of the cluster.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub release: String,
    /// Its feature gates that are not at their defaults.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub gates: BTreeMap<String, bool>,
    /// The kinds of which all objects of the cluster are given.
    pub whole: Vec<String>,
}

impl SnapshotNotes {
    /// Makes notes without kinds.
    pub fn new(release: Release, gates: BTreeMap<String, bool>) -> Self {
        SnapshotNotes {
            release: release.to_string(),
            gates,
            whole: Vec::new(),
        }
    }

    /// Reads the notes of a text; `None`: it has none.
    pub fn of_text(text: &str) -> Option<Self> {
        let head = text.get(..text.floor_char_boundary(SEARCHED))?;
        let from = text.len().saturating_sub(SEARCHED);
        let tail = text.get(text.ceil_char_boundary(from)..)?;
        read(head).or_else(|| read(tail))
    }

    /// Returns the release of the cluster, if it is known here.
    pub fn release(&self) -> Option<Release> {
        Release::parse(&self.release)
    }

    /// Returns the gates with which a question about the cluster is answered. `release`, `given`: those of the question.
    pub(crate) fn gates_for(
        &self,
        release: Option<Release>,
        given: &BTreeMap<String, bool>,
    ) -> BTreeMap<String, bool> {
        let is_of_another = release.is_some_and(|asked| Some(asked) != self.release());
        if is_of_another || !given.is_empty() {
            return given.clone();
        }
        self.gates.clone()
    }
}

/// Reads the notes in a part of a text.
fn read(part: &str) -> Option<SnapshotNotes> {
    let at = part.find(FIELD)?.saturating_add(FIELD.len());
    let rest = part.get(at..)?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter();
    values.next()?.ok()
}

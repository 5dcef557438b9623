//! The lists an editor or a page shows: finding codes, and releases with what they changed.

use super::sentences::{Sentences, kind_key, version_key};
use claimkit_model::finding::Code;
use claimkit_model::schema::release::LAST_PATCHES;
use claimkit_model::schema::{Release, Scope, VERSIONS};
use claimkit_scheduler::patches::{self, Patches};
use serde::Serialize;

/// A finding code with its documentation.
#[derive(Debug, Serialize)]
pub struct CodeEntry {
    pub code: &'static str,
    /// `error`, `warning` or `info`: how bad it is unless the request softens it (`fieldValidation`).
    pub severity: &'static str,
    /// Page that explains it, below wherever the documentation is.
    pub page: String,
    pub key: String,
    /// The meaning of the code, in the locale's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
}

/// A minor release of Kubernetes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseEntry {
    /// e.g. `1.30`.
    pub release: String,
    /// Its last patch, which the bare minor stands for.
    pub last_patch: String,
    /// Versions of the group it serves.
    pub versions: Vec<VersionEntry>,
    /// Its patch releases, grouped by equal answers, oldest first.
    pub patches: Vec<Patches>,
    /// The changes of the release and its patches.
    pub changes: Vec<CodeChange>,
}

/// A version a release serves.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VersionEntry {
    /// e.g. `resource.k8s.io/v1alpha2`.
    pub api_version: &'static str,
    pub key: String,
    /// In the locale's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
    /// Its kinds in that release, list kinds left out.
    pub kinds: Vec<KindEntry>,
}

/// A kind a release serves.
#[derive(Debug, Serialize)]
pub struct KindEntry {
    /// e.g. `ResourceClaim`.
    pub kind: &'static str,
    /// e.g. `resourceclaims`.
    pub plural: &'static str,
    /// Whether its objects live in a namespace.
    pub namespaced: bool,
    /// Whether it has a status.
    pub status: bool,
    pub key: String,
    /// In the locale's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
}

/// A change made by a release.
#[derive(Debug, Serialize)]
pub struct CodeChange {
    /// First patch that has it.
    pub since: String,
    pub key: String,
    /// In the locale's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
}

/// Patch releases that changed something for these kinds.
const CHANGED_BY_PATCH: &[Release] = &[Release::new(26, 2)];

/// Returns the releases with a sentence about their changes: the first release of every minor, and patches that changed
/// something.
pub fn changes() -> impl Iterator<Item = Release> {
    let firsts = LAST_PATCHES.iter().map(|last| Release::new(last.minor, 0));
    firsts.flat_map(|first| {
        [first].into_iter().chain(
            CHANGED_BY_PATCH
                .iter()
                .copied()
                .filter(move |p| p.minor == first.minor),
        )
    })
}

fn sentence(sentences: Option<&Sentences>, key: &str) -> Option<String> {
    sentences
        .and_then(|sentences| sentences.get(key))
        .map(str::to_owned)
}

/// Returns the documentation key of a code.
pub fn code_key(code: Code) -> String {
    format!("codes/{}", code.name())
}

/// Returns all codes with their documentation.
pub fn codes(sentences: Option<&Sentences>) -> Vec<CodeEntry> {
    let entry = |&code: &Code| {
        let key = code_key(code);
        CodeEntry {
            code: code.name(),
            severity: code.severity().name(),
            page: format!("codes/{}.html", code.name()),
            documentation: sentence(sentences, &key),
            key,
        }
    };
    Code::ALL.iter().map(entry).collect()
}

/// Returns every minor release, oldest first.
pub fn releases(sentences: Option<&Sentences>) -> Vec<ReleaseEntry> {
    let entry = |&last: &Release| {
        let versions = VERSIONS
            .iter()
            .filter(|version| version.served_by(last))
            .map(|version| {
                let kinds = version
                    .kinds
                    .iter()
                    .filter(|kind| kind.items.is_none() && kind.in_release(last))
                    .map(|kind| {
                        let key = kind_key(kind.kind);
                        KindEntry {
                            kind: kind.kind,
                            plural: kind.plural,
                            namespaced: kind.scope == Scope::Namespaced,
                            status: kind.status_in(last),
                            documentation: sentence(sentences, &key),
                            key,
                        }
                    });
                let key = version_key(version.api_version);
                VersionEntry {
                    api_version: version.api_version,
                    documentation: sentence(sentences, &key),
                    key,
                    kinds: kinds.collect(),
                }
            });
        let changes = changes()
            .filter(|change| change.minor == last.minor)
            .map(|change| {
                let key = format!("releases/{change}");
                CodeChange {
                    since: change.to_string(),
                    documentation: sentence(sentences, &key),
                    key,
                }
            });
        ReleaseEntry {
            release: format!("1.{}", last.minor),
            last_patch: last.to_string(),
            versions: versions.collect(),
            patches: patches::of(last.minor),
            changes: changes.collect(),
        }
    };
    LAST_PATCHES.iter().map(entry).collect()
}

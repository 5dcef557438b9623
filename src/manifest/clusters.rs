//! Files of several clusters that are read as one.

use super::{Input, Item, Passage};
use claimkit_model::finding::{Code, Finding};
use claimkit_model::limits::Limits;
use claimkit_model::message::{Message, message};
use claimkit_model::object::decode::Via;
use claimkit_model::text::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Namespaces that every cluster has and that nobody can delete, so that in one cluster they keep their UID (kube-apiserver 1.37,
/// plugin/pkg/admission/namespace/lifecycle/admission.go, NewLifecycle).
const IMMORTAL: [&str; 3] = ["kube-system", "default", "kube-public"];

/// A namespace that tells clusters apart.
struct Evidence {
    name: &'static str,
    uid: String,
    /// Where its file begins; of one text without a name, its document.
    file: usize,
    document: usize,
    span: Span,
}

/// The UIDs of a namespace by file or document.
type Uids<'e> = BTreeMap<usize, BTreeSet<&'e str>>;

impl Input<'_> {
    /// Leaves out the objects of other clusters than the first. Only files and documents with the same namespace can be told apart.
    pub(crate) fn leave_out_other_clusters(&mut self) -> Vec<Finding> {
        let evidence = self.evidence();
        let [first, others @ ..] = evidence.as_slice() else {
            return self.nodes_elsewhere().into_iter().collect();
        };
        let (mut by_document, mut by_file) = (Uids::new(), Uids::new());
        for found in &evidence {
            let uid = found.uid.as_str();
            by_document.entry(found.document).or_default().insert(uid);
            by_file.entry(found.file).or_default().insert(uid);
        }
        let items = std::mem::take(&mut self.items);
        let mut left_out = Vec::new();
        let mut kept = Vec::new();
        for item in items {
            let of_document = by_document.get(&item.document);
            let uid = of_document
                .or_else(|| by_file.get(&self.file_of(&item)))
                .and_then(only);
            match uid.filter(|uid| *uid != first.uid) {
                Some(uid) => left_out.push(uid),
                None => kept.push(item),
            }
        }
        self.items = kept;
        let mut said = BTreeSet::from([first.uid.as_str()]);
        let name_of = |at: Span| self.file.source.name_of(at.from());
        let each_once = others.iter().filter(|other| said.insert(&other.uid));
        let findings = each_once.map(|other| {
            let of_it = left_out.iter().filter(|uid| **uid == other.uid);
            let count = of_it.count();
            let files = name_of(other.span).zip(name_of(first.span));
            finding(told(first.name, count, files), other.span)
        });
        findings.collect()
    }

    /// Returns the places of a namespace that the text has with several UIDs; none if there is no such namespace.
    fn evidence(&self) -> Vec<Evidence> {
        let mut of_names = IMMORTAL.into_iter().map(|name| self.places_of(name));
        of_names
            .find(|places| {
                let mut uids = places.iter().map(|place| &place.uid);
                uids.next()
                    .is_some_and(|first| uids.any(|uid| uid != first))
            })
            .unwrap_or_default()
    }

    fn places_of(&self, name: &'static str) -> Vec<Evidence> {
        let namespaces = self.items.iter().filter(|item| {
            item.api_version == "v1" && item.kind == "Namespace" && item.name == name
        });
        let places = namespaces.filter_map(|item| {
            Some(Evidence {
                name,
                uid: self.text_at(item, ["metadata", "uid"])?.to_owned(),
                file: self.file_of(item),
                document: item.document,
                span: item.span,
            })
        });
        places.collect()
    }

    /// Reports the first file of which all nodes are of other providers than those of the files before. One cluster may have nodes of
    /// several, so nothing is left out.
    fn nodes_elsewhere(&self) -> Option<Finding> {
        let mut before: Option<(&str, BTreeSet<&str>)> = None;
        let mut by_file: BTreeMap<usize, (Span, BTreeSet<&str>)> = BTreeMap::new();
        for item in &self.items {
            let is_node = item.api_version == "v1" && item.kind == "Node";
            let id = is_node.then(|| self.text_at(item, ["spec", "providerID"]));
            if let Some((provider, _)) = id.flatten().and_then(|id| id.split_once("://")) {
                let file = by_file.entry(self.file_of(item));
                let (_, providers) = file.or_insert((item.span, BTreeSet::new()));
                providers.insert(provider);
            }
        }
        for (span, providers) in by_file.into_values() {
            let file = self.file.source.name_of(span.from())?;
            match &before {
                None => before = Some((file, providers)),
                Some((first, known)) if known.is_disjoint(&providers) => {
                    return Some(finding(
                        message!(
                            "clusters.other-provider",
                            "nodes of `{file}` are of {provider} and those of `{first}` of {known}: all are taken as one cluster",
                            file,
                            provider = joined(&providers),
                            first,
                            known = joined(known),
                        ),
                        span,
                    ));
                }
                Some(_) => (),
            }
        }
        None
    }

    /// Returns where the file of an object begins; of one text without a name, its document.
    fn file_of(&self, item: &Item) -> usize {
        let parts = self.file.source.parts();
        let after = parts.partition_point(|part| part.span().from() <= item.span.from());
        match parts.get(after.saturating_sub(1)) {
            Some(part) => part.span().from(),
            None => item.document,
        }
    }

    pub(crate) fn text_at(&self, item: &Item, [part, field]: [&str; 2]) -> Option<&str> {
        let tree = self.tree(item)?;
        let field = tree.get(tree.get(item.node, part)?, field)?;
        tree.str(field).filter(|text| !text.is_empty())
    }
}

/// The Namespace by which a file is of another cluster than files before it.
pub(crate) struct ForeignFile {
    name: &'static str,
    /// The UID that the Namespace has in the file.
    pub uid: String,
    span: Span,
}

impl ForeignFile {
    /// Says that the files of each cluster are checked by themselves.
    pub fn finding(&self) -> Finding {
        let message = message!(
            "clusters.apart",
            "this file is of another cluster than the files before it, because Namespace `{name}` has another UID: the files of each cluster are checked by themselves",
            name = self.name,
        );
        finding(message, self.span)
    }
}

/// Returns for each file why it is of another cluster than the first; none for files that no Namespace assigns to one.
pub(crate) fn foreign_files(texts: &[&str], limits: &Limits) -> Vec<Option<ForeignFile>> {
    let mut foreign: Vec<Option<ForeignFile>> = texts.iter().map(|_| None).collect();
    if texts.iter().filter(|text| mentions_namespace(text)).count() < 2 {
        return foreign;
    }
    let mut evidence = Vec::with_capacity(texts.len());
    for text in texts {
        let mut found = Vec::new();
        if mentions_namespace(text) {
            found = evidence_in(text, limits);
        }
        evidence.push(found);
    }
    for name in IMMORTAL {
        let mut first = None;
        for (place, of_file) in foreign.iter_mut().zip(&evidence) {
            let of_name: Vec<&Evidence> = of_file.iter().filter(|one| one.name == name).collect();
            let uids: BTreeSet<&str> = of_name.iter().map(|one| one.uid.as_str()).collect();
            let (Some(uid), Some(found)) = (only(&uids), of_name.first()) else {
                continue;
            };
            if *first.get_or_insert(uid) != uid {
                *place = Some(ForeignFile {
                    name,
                    uid: uid.to_owned(),
                    span: found.span,
                });
            }
        }
        if foreign.iter().any(Option::is_some) {
            break;
        }
    }
    foreign
}

/// Returns false only for a text without a Namespace that tells clusters apart.
fn mentions_namespace(text: &str) -> bool {
    text.contains("Namespace") && IMMORTAL.iter().any(|name| text.contains(name))
}

/// Returns false only for a text that has no Namespace which tells clusters apart twice, so that it need not be read.
pub(crate) fn may_hold_several(text: &str) -> bool {
    text.contains("Namespace")
        && IMMORTAL.iter().any(|name| {
            let mut named = text
                .match_indices(name)
                .filter(|(at, _)| is_value_of_name(text, *at));
            named.nth(1).is_some()
        })
}

/// Returns true if the field `name` stands before an offset; a label such as `kubernetes.io/metadata.name` is none.
fn is_value_of_name(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let key = before.trim_end_matches(|c: char| c.is_whitespace() || "\"':".contains(c));
    key.strip_suffix("name")
        .is_some_and(|above| !above.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.'))
}

/// Returns the Namespaces of a text that tell clusters apart.
fn evidence_in(text: &str, limits: &Limits) -> Vec<Evidence> {
    let mut passage = Passage::open(text, Via::Kubectl, None, limits);
    let mut found = Vec::new();
    while passage.advance(false) {
        for name in IMMORTAL {
            found.append(&mut passage.input.places_of(name));
        }
    }
    found
}

fn joined(providers: &BTreeSet<&str>) -> String {
    let list: Vec<&str> = providers.iter().copied().collect();
    list.join(", ")
}

/// Returns the only one of a set.
fn only<'e>(uids: &BTreeSet<&'e str>) -> Option<&'e str> {
    let mut uids = uids.iter();
    uids.next().filter(|_| uids.next().is_none()).copied()
}

/// Says that there is another cluster, and what becomes of its objects. `files`: that of the other one, and that of the first.
fn told(name: &str, count: usize, files: Option<(&str, &str)>) -> Message {
    match files {
        Some((file, first)) if file != first && count > 0 => message!(
            "clusters.file-left-out",
            "`{file}` is of another cluster than `{first}`, because Namespace `{name}` has another UID: it is left out (objects: {count})",
            file,
            first,
            name,
            count,
        ),
        _ if count > 1 => message!(
            "clusters.left-out",
            "Namespace `{name}` has another UID than before: the {count} objects of its output are of another cluster and are left out",
            name,
            count,
        ),
        _ => message!(
            "clusters.mixed",
            "Namespace `{name}` has another UID than before: which objects are of which cluster is not known, and all others are taken",
            name,
        ),
    }
}

fn finding(message: Message, span: Span) -> Finding {
    Finding::new(Code::OtherCluster, message).with_span(Span::new(span.from(), span.from()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_one_cluster_need_not_be_read() {
        let one = "kind: Namespace\nmetadata:\n  labels: {kubernetes.io/metadata.name: default}\n  name: default\n";
        let pods = "kind: Pod\nmetadata: {namespace: default}\nspec: {hostname: default}\n";
        let json = "{\"kind\": \"Namespace\", \"metadata\": {\"name\": \"default\"}}";
        assert!(!may_hold_several(&format!("{one}---\n{pods}")));
        assert!(!may_hold_several(pods));
        assert!(may_hold_several(&format!("{one}---\n{json}")));
    }
}

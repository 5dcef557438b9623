//! Pods and workload templates of a text: their claims and the references to them.
//!
//! kube-apiserver validates pods itself; these findings are not its answer.

use super::{Located, References, What};
use crate::advice::{locate, shape};
use claimkit_model::finding::{Code, Edit, Finding, Fix, Step, path};
use claimkit_model::message::{Words, message};
use claimkit_model::schema::core::POD_CLAIMS_FLAT_SINCE;
use claimkit_model::schema::{Release, workload};
use claimkit_model::text::Span;
use claimkit_model::text::tree::{NodeId, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// The fields that name what an entry stands for, and the kinds they name.
const NAMES: [(&str, &str); 2] = [
    ("resourceClaimName", "ResourceClaim"),
    ("resourceClaimTemplateName", "ResourceClaimTemplate"),
];

/// The form of an entry of `resourceClaims`; whether it is correct depends on the release, which is known later.
#[derive(Debug)]
pub struct ClaimForm {
    /// The names are directly in the entry.
    flat: bool,
    object: usize,
    path: String,
    span: Span,
    edits: Option<Vec<Edit>>,
}

impl ClaimForm {
    /// Returns the finding about an entry of the wrong form for a release.
    pub fn finding(self, release: Release) -> Option<Finding> {
        let since = POD_CLAIMS_FLAT_SINCE;
        let message = match (self.flat, release.minor >= since) {
            (false, true) => message!(
                "reference.source-gone",
                "`source` is gone since Kubernetes 1.{since}: {release} has the name of the claim or template directly in the entry",
                since,
                release
            ),
            (true, false) => message!(
                "reference.source-wanted",
                "the name of the claim or template is directly in the entry from Kubernetes 1.{since} on; {release} has it under `source`",
                since,
                release
            ),
            _ => return None,
        };
        let code = Code::PodClaimSource;
        let mut finding = Finding::warning(code, message).with_span(self.span);
        finding.help = code.spoken_help().map(Words::from);
        finding.path = Some(self.path);
        finding.object = Some(self.object);
        let Some(edits) = self.edits else {
            return Some(finding);
        };
        let fix = moved(self.flat, edits);
        Some(finding.with_fix(fix.title, fix.edits))
    }
}

/// Returns the fix that moves the names of an entry to where the release has them. `None`: no edit is safe.
pub fn move_of_names(tree: &Tree<'_>, entry: NodeId, is_flat: bool) -> Option<Fix> {
    let edits = if is_flat {
        let is_name = |name: &str| NAMES.iter().any(|(field, _)| *field == name);
        shape::under(tree, entry, "source", &is_name)
    } else {
        shape::move_out(tree, entry, "source")
    };
    Some(moved(is_flat, edits?))
}

fn moved(is_flat: bool, edits: Vec<Edit>) -> Fix {
    let title = if is_flat {
        message!("reference.move-under-source", "move it under `source`")
    } else {
        message!("reference.move-out-of-source", "move it out of `source`")
    };
    Fix { title, edits }
}

fn key(name: &str) -> Step {
    Step::Key(name.to_owned())
}

/// Takes the pod of an object in, if it has one.
pub fn read(references: &mut References, object: Located<'_>) {
    let Located { item, tree, .. } = object;
    let Some(to) = workload::path_to_spec(&item.api_version, &item.kind) else {
        return;
    };
    let Some(spec) = to
        .iter()
        .try_fold(item.node, |node, name| tree.get(node, name))
    else {
        return;
    };
    let steps: Vec<Step> = to.iter().map(|name| key(name)).collect();
    let claim_entries = entries(references, object, spec, &steps);
    let mut used = BTreeSet::new();
    // A container's entry that is not a map has its own finding.
    let mut misread = false;
    for list in ["initContainers", "containers"] {
        for (index, &container) in items(tree, spec, list).iter().enumerate() {
            if let Some(resources) = tree.get(container, "resources") {
                misread |= items(tree, resources, "claims")
                    .iter()
                    .any(|claim| !tree.is_map(*claim));
                let place = [key(list), Step::Index(index), key("resources")];
                let steps = [steps.as_slice(), &place].concat();
                container_claims(
                    references,
                    object,
                    resources,
                    &steps,
                    &claim_entries,
                    &mut used,
                );
                extended(references, object, resources, &steps);
            }
        }
    }
    for (name, entry) in &claim_entries {
        if !used.contains(name) && !misread {
            let place = [key("resourceClaims"), Step::Index(entry.index), key("name")];
            let steps = [steps.as_slice(), &place].concat();
            let message = message!(
                "reference.claim-unused",
                "no container names the claim `{name}`: its devices are prepared for the pod as a whole, which is right for drivers that set up the pod itself, such as networks",
                name
            );
            references.remark(object, Code::PodClaimUnused, message, &steps);
        }
    }
}

/// An entry of `resourceClaims`: its place and the name in it.
struct Entry<'t> {
    index: usize,
    names: Option<(&'static str, &'t str)>,
}

fn items<'t>(tree: &'t Tree<'_>, map: NodeId, name: &str) -> &'t [NodeId] {
    tree.get(map, name)
        .map(|list| tree.items(list))
        .unwrap_or_default()
}

fn text<'t>(tree: &'t Tree<'_>, map: NodeId, name: &str) -> Option<&'t str> {
    tree.get(map, name)
        .and_then(|node| tree.str(node))
        .filter(|text| !text.is_empty())
}

fn entries<'t>(
    references: &mut References,
    object: Located<'t>,
    spec: NodeId,
    steps: &[Step],
) -> BTreeMap<&'t str, Entry<'t>> {
    let tree = object.tree;
    let mut entries = BTreeMap::new();
    for (index, &entry) in items(tree, spec, "resourceClaims").iter().enumerate() {
        let mut steps = steps.to_vec();
        steps.extend([key("resourceClaims"), Step::Index(index)]);
        let source = tree
            .get(entry, "source")
            .filter(|&source| tree.is_map(source));
        let holder = source.unwrap_or(entry);
        let mut names = None;
        for (field, kind) in NAMES {
            let Some(name) = text(tree, holder, field) else {
                continue;
            };
            names = Some((kind, name));
            let what = What::Claim(kind, references.keep([object.namespace, name]));
            let mut steps = steps.clone();
            steps.extend(source.map(|_| key("source")));
            steps.push(key(field));
            references.want_at(object, what, &steps);
        }
        if names.is_some() {
            let flat = source.is_none();
            let edits = move_of_names(tree, entry, flat).map(|fix| fix.edits);
            let last = if flat {
                NAMES
                    .iter()
                    .map(|(field, _)| *field)
                    .find(|field| tree.get(entry, field).is_some())
            } else {
                Some("source")
            };
            steps.extend(last.map(key));
            let span = locate::locate_key(tree, object.item.node, &steps);
            references.forms.push(ClaimForm {
                flat,
                object: object.index,
                path: path::render(&steps),
                span,
                edits,
            });
        }
        if let Some(name) = text(tree, entry, "name") {
            entries.insert(name, Entry { index, names });
        }
    }
    entries
}

fn container_claims<'t>(
    references: &mut References,
    object: Located<'t>,
    resources: NodeId,
    steps: &[Step],
    entries: &BTreeMap<&'t str, Entry<'t>>,
    used: &mut BTreeSet<&'t str>,
) {
    let tree = object.tree;
    for (index, &claim) in items(tree, resources, "claims").iter().enumerate() {
        let Some(name) = text(tree, claim, "name") else {
            continue;
        };
        let Some(entry) = entries.get(name) else {
            // The server refuses the pod.
            continue;
        };
        used.insert(name);
        if let (Some(request), Some((kind, target))) = (text(tree, claim, "request"), entry.names) {
            let [namespace, target, request] = references.keep([object.namespace, target, request]);
            references.want_at(
                object,
                What::Request(kind, [namespace, target], request),
                &path_to_claim(steps, index, "request"),
            );
        }
    }
}

fn path_to_claim(steps: &[Step], index: usize, name: &str) -> Vec<Step> {
    let mut steps = steps.to_vec();
    steps.extend([key("claims"), Step::Index(index), key(name)]);
    steps
}

/// Records extended resources: of a domain that is not one of Kubernetes itself, or of a class.
fn extended(references: &mut References, object: Located<'_>, resources: NodeId, steps: &[Step]) {
    let tree = object.tree;
    let mut seen = BTreeSet::new();
    for list in ["limits", "requests"] {
        let Some(map) = tree.get(resources, list) else {
            continue;
        };
        for entry in tree.entries(map) {
            let name = tree.text(entry.key);
            if name.contains('/') && seen.insert(name) {
                let [kept] = references.keep([name]);
                let mut steps = steps.to_vec();
                steps.extend([key(list), key(name)]);
                references.want_at(object, What::Extended(kept), &steps);
            }
        }
    }
}

//! Versions that the new release does not serve or cannot read: of the objects, of their writers, and in the storage.

use super::{TroubleFound, UpgradeQuestion, listed};
use crate::convert::{ConvertOptions, ConvertTarget, convert, find_version, newest};
use crate::manifest::{Item, What};
use crate::validation::device::variant::Variant;
use claimkit_model::finding::Code;
use claimkit_model::message::message;
use claimkit_model::schema::{self, DeviceKind, Family, GROUP, ObjectKind, Release};
use claimkit_model::text::tree::{NodeId, Tree};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The annotation in which `kubectl apply` keeps what was applied.
const APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What the new release does not serve or cannot read, with the indexes of the objects concerned.
#[derive(Default)]
struct OldVersions<'i> {
    /// Versions and kinds in which objects are written.
    written: BTreeMap<WrittenAs<'i>, BTreeSet<usize>>,
    /// Versions in which clients write.
    writers: BTreeMap<String, Writers>,
    /// Versions in which the old release stores objects.
    stored: BTreeMap<&'static str, BTreeSet<usize>>,
    /// Versions that rules of policies and webhooks name.
    ruled: BTreeMap<String, BTreeSet<usize>>,
}

/// Finds the versions that go. Returns the text in versions that the new release serves, its objects in the same order.
pub fn check<'q>(
    question: &UpgradeQuestion<'q, '_>,
    found: &mut Vec<TroubleFound>,
) -> Cow<'q, str> {
    let mut old = OldVersions::default();
    for (index, item) in question.input.items.iter().enumerate() {
        old.add(question, index, item);
    }
    let is_conversion_needed = !old.written.is_empty();
    old.report(question, found);
    if is_conversion_needed {
        moved(question)
    } else {
        Cow::Borrowed(question.text)
    }
}

impl<'i> OldVersions<'i> {
    /// Adds the versions of one object.
    fn add(&mut self, question: &UpgradeQuestion<'_, 'i>, index: usize, item: &'i Item) {
        let (from, to) = (question.from.release(), question.to.release());
        if let Some(written) = WrittenAs::of(item, to) {
            self.written.entry(written).or_default().insert(index);
        }
        let Some(tree) = question.input.tree(item) else {
            return;
        };
        for versions in versions_of_rules(tree, item) {
            if are_gone(&versions, from, to) {
                let versions = versions.join("`, `");
                self.ruled.entry(versions).or_default().insert(index);
            }
        }
        for Writer { version, name } in writers_of(tree, item.node) {
            if is_served(&version, &item.kind, to) == Some(false) {
                let writers = self.writers.entry(version).or_default();
                writers.objects.insert(index);
                writers.names.insert(name);
            }
        }
        if let Some(version) = unreadable(item, from, to) {
            self.stored.entry(version).or_default().insert(index);
        }
    }

    /// Reports each version once.
    fn report(self, question: &UpgradeQuestion<'_, '_>, found: &mut Vec<TroubleFound>) {
        for (written, objects) in self.written {
            found.push(written_in(question, written, objects));
        }
        for (version, writers) in self.writers {
            found.push(written_as(question, &version, writers));
        }
        for (versions, objects) in self.ruled {
            found.push(ruled_as(question, &versions, objects));
        }
        for (version, objects) in self.stored {
            found.push(stored_as(question, version, objects));
        }
    }
}

/// Returns true if a release serves a kind in a version; `None` for versions that are not of this group.
fn is_served(api_version: &str, kind: &str, release: Release) -> Option<bool> {
    let version = schema::version(api_version)?;
    Some(version.served_by(release) && version.kind(kind, release).is_some())
}

/// Returns the version in which the old release stores an object, if the new release has no types for it.
fn unreadable(item: &Item, from: Release, to: Release) -> Option<&'static str> {
    let What::Ours(api) = item.what else {
        return None;
    };
    let ObjectKind::Device(kind) = api.kind.object else {
        return None;
    };
    let stored = match kind {
        DeviceKind::DeviceTaintRule | DeviceKind::ResourcePoolStatusRequest => return None,
        _ => Variant::of(from).storage,
    };
    let version = schema::VERSIONS
        .iter()
        .find(|version| version.name == stored)?;
    version
        .kind(&item.kind, to)
        .is_none()
        .then_some(version.api_version)
}

/// The kinds that say with rules which requests are judged, and where their lists of rules are.
const RULED: [(&str, &str); 4] = [
    ("ValidatingAdmissionPolicy", "resourceRules"),
    ("MutatingAdmissionPolicy", "resourceRules"),
    ("ValidatingWebhookConfiguration", "rules"),
    ("MutatingWebhookConfiguration", "rules"),
];

/// Returns the versions that each rule of a policy or a webhook about this group names.
fn versions_of_rules<'t>(tree: &'t Tree<'_>, item: &Item) -> Vec<Vec<&'t str>> {
    let known = RULED.iter().find(|(kind, _)| *kind == item.kind);
    let Some((_, list)) = known.filter(|_| item.api_version.starts_with("admissionregistration."))
    else {
        return Vec::new();
    };
    let holders: Vec<NodeId> = match tree.get(item.node, "webhooks") {
        Some(webhooks) => tree.items(webhooks).to_vec(),
        None => tree
            .get(item.node, "spec")
            .and_then(|spec| tree.get(spec, "matchConstraints"))
            .into_iter()
            .collect(),
    };
    let rules = holders.iter().filter_map(|holder| tree.get(*holder, list));
    let rules = rules.flat_map(|rules| tree.items(rules));
    rules
        .filter(|rule| texts_at(tree, **rule, "apiGroups").contains(&GROUP))
        .map(|rule| texts_at(tree, *rule, "apiVersions"))
        .collect()
}

fn texts_at<'t>(tree: &'t Tree<'_>, node: NodeId, key: &str) -> Vec<&'t str> {
    let list = tree.get(node, key);
    let items = list.map_or(&[][..], |list| tree.items(list));
    items.iter().filter_map(|item| tree.str(*item)).collect()
}

/// Returns true if the old release serves one of these versions, and the new release none of them.
fn are_gone(names: &[&str], from: Release, to: Release) -> bool {
    let versions: Option<Vec<_>> = names
        .iter()
        .map(|name| find_version(&format!("{GROUP}/{name}")))
        .collect();
    versions.is_some_and(|versions| {
        let is_served = |release| versions.iter().any(|version| version.served_by(release));
        is_served(from) && !is_served(to)
    })
}

/// The clients that write objects in a version.
#[derive(Default)]
struct Writers {
    objects: BTreeSet<usize>,
    names: BTreeSet<String>,
}

/// Who wrote an object.
struct Writer {
    /// The version in which it was written.
    version: String,
    /// The field manager.
    name: String,
}

/// The field managers that write in a version which their own release chooses: they change with the cluster.
const OF_THE_RELEASE: [&str; 3] = [
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
];

/// Returns who wrote an object, and in which versions; what is upgraded with the cluster is left out.
fn writers_of(tree: &Tree<'_>, node: NodeId) -> Vec<Writer> {
    let Some(metadata) = tree.get(node, "metadata") else {
        return Vec::new();
    };
    let mut writers = Vec::new();
    if let Some(fields) = tree.get(metadata, "managedFields") {
        for entry in tree.items(fields) {
            if let Some(version) = text_at(tree, *entry, "apiVersion")
                && let Some(manager) = text_at(tree, *entry, "manager")
                && !OF_THE_RELEASE.contains(&manager)
            {
                writers.push(Writer {
                    version: version.to_owned(),
                    name: manager.to_owned(),
                });
            }
        }
    }
    let annotations = tree.get(metadata, "annotations");
    let applied = annotations.and_then(|annotations| text_at(tree, annotations, APPLIED));
    let object = applied.and_then(|json| serde_json::from_str::<serde_json::Value>(json).ok());
    let version = object.as_ref().and_then(|object| object.get("apiVersion"));
    if let Some(version) = version.and_then(|version| version.as_str()) {
        writers.push(Writer {
            version: version.to_owned(),
            name: "kubectl apply".to_owned(),
        });
    }
    writers
}

fn text_at<'t>(tree: &'t Tree<'_>, node: NodeId, key: &str) -> Option<&'t str> {
    tree.get(node, key).and_then(|value| tree.str(value))
}

/// What objects are written in that the new release does not serve.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WrittenAs<'i> {
    api_version: &'i str,
    /// The kind, if the release serves the version, or if no version that it serves has the kind.
    kind: Option<&'i str>,
    /// The release serves the kind in another version.
    is_convertible: bool,
}

impl<'i> WrittenAs<'i> {
    /// Returns what an object is written in; `None` if the release serves it, or if its version never had the kind.
    fn of(item: &'i Item, to: Release) -> Option<Self> {
        let version = schema::version(&item.api_version)?;
        let had_kind = version.kinds.iter().any(|row| row.kind == item.kind);
        if !had_kind || is_served(&item.api_version, &item.kind, to) != Some(false) {
            return None;
        }
        let has_successor = find_version(&item.api_version)
            .and_then(|version| newest(version, &item.kind, to.minor))
            .is_some();
        // The classic kinds migrate; what pods and drivers negotiated has no successor.
        let migrates = version.family == Family::Classic && item.kind != "PodSchedulingContext";
        let is_convertible = has_successor || migrates;
        let is_kind_alone = version.served_by(to) || !is_convertible;
        Some(WrittenAs {
            api_version: &item.api_version,
            kind: is_kind_alone.then_some(item.kind.as_str()),
            is_convertible,
        })
    }
}

fn written_in(
    question: &UpgradeQuestion<'_, '_>,
    key: WrittenAs<'_>,
    objects: BTreeSet<usize>,
) -> TroubleFound {
    let (to, version) = (question.to.release(), key.api_version);
    let list: Vec<usize> = objects.iter().copied().collect();
    let names = question.names(&list);
    let message = match (list.len(), key.kind) {
        (1, None) => message!(
            "upgrade.version-of-one",
            "{version} is not served by Kubernetes {to}, and 1 object is written in it: {names}",
            version,
            to,
            names
        ),
        (count, None) => message!(
            "upgrade.version",
            "{version} is not served by Kubernetes {to}, and {count} objects are written in it: {names}",
            version,
            to,
            count,
            names
        ),
        (1, Some(kind)) => message!(
            "upgrade.kind-of-one",
            "`{kind}` of {version} is not served by Kubernetes {to}, and 1 object is of it: {names}",
            kind,
            version,
            to,
            names
        ),
        (count, Some(kind)) => message!(
            "upgrade.kind",
            "`{kind}` of {version} is not served by Kubernetes {to}, and {count} objects are of it: {names}",
            kind,
            version,
            to,
            count,
            names
        ),
    };
    let help = match key.is_convertible {
        true => message!(
            "upgrade.version-help",
            "rewrite them before the upgrade: `claimkit convert --to 1.{minor}`",
            minor = to.minor
        ),
        false => message!(
            "upgrade.kind-help",
            "no version that this release serves has the kind: delete them, and take them out of the files"
        ),
    };
    TroubleFound::of(Code::UpgradeVersion, objects, message, help)
}

fn written_as(question: &UpgradeQuestion<'_, '_>, version: &str, writers: Writers) -> TroubleFound {
    let Writers { objects, names } = writers;
    let message = message!(
        "upgrade.writers",
        "{version} is not served by Kubernetes {to}, and {names} wrote {count} of the objects in it",
        version,
        to = question.to.release(),
        names = listed(&names.into_iter().collect::<Vec<_>>()),
        count = objects.len()
    );
    let help = message!(
        "upgrade.writers-help",
        "move these clients and manifests to a version that both releases serve before the upgrade"
    );
    TroubleFound::of(Code::UpgradeWriter, objects, message, help)
}

fn ruled_as(
    question: &UpgradeQuestion<'_, '_>,
    versions: &str,
    objects: BTreeSet<usize>,
) -> TroubleFound {
    let to = question.to.release();
    let list: Vec<usize> = objects.iter().copied().collect();
    let message = message!(
        "upgrade.rules",
        "rules for `{versions}` of {group} match no request of Kubernetes {to}, which does not serve it: {names}",
        versions,
        group = GROUP,
        to,
        names = question.names(&list)
    );
    let help = message!(
        "upgrade.rules-help",
        "name a version that both releases serve in `apiVersions` before the upgrade, and write expressions for its fields"
    );
    TroubleFound::of(Code::UpgradeVersion, objects, message, help)
}

fn stored_as(
    question: &UpgradeQuestion<'_, '_>,
    version: &'static str,
    objects: BTreeSet<usize>,
) -> TroubleFound {
    let message = message!(
        "upgrade.stored",
        "Kubernetes {from} stores {count} of the objects as {version}, which {to} cannot read",
        from = question.from.release(),
        count = objects.len(),
        version,
        to = question.to.release()
    );
    let help = message!(
        "upgrade.stored-help",
        "upgrade minor release by minor release, and write each object once with the last release that reads {version}: `kubectl get -A -o yaml KIND | kubectl replace -f -`",
        version
    );
    TroubleFound::of(Code::UpgradeVersion, objects, message, help)
}

/// Returns the text with each object in a version that the new release serves; as it is, if it cannot be converted. What is served stays as
/// it is written, so that what the release does not keep of it is found.
fn moved<'q>(question: &UpgradeQuestion<'q, '_>) -> Cow<'q, str> {
    let options = ConvertOptions {
        lossy: true,
        only_unserved: true,
        release: Some(question.from.release()),
        limits: *question.limits,
        ..ConvertOptions::default()
    };
    let target = ConvertTarget::Release(question.to.release().minor);
    let conversion = convert(question.text, target, &options);
    conversion
        .text
        .map_or(Cow::Borrowed(question.text), Cow::Owned)
}

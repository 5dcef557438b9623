//! Versions that the new release does not serve or cannot read: of the objects, of their writers, and in the storage.

use super::{TroubleFound, UpgradeQuestion, listed};
use crate::convert::{ConvertOptions, ConvertTarget, convert};
use crate::manifest::{Item, What};
use crate::validation::device::variant::Variant;
use claimkit_model::finding::Code;
use claimkit_model::message::message;
use claimkit_model::schema::{self, DeviceKind, ObjectKind, Release};
use claimkit_model::text::tree::{NodeId, Tree};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The annotation in which `kubectl apply` keeps what was applied.
const APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Finds the versions that go. Returns the text in versions that the new release serves, its objects in the same order.
pub fn check<'q>(
    question: &UpgradeQuestion<'q, '_>,
    found: &mut Vec<TroubleFound>,
) -> Cow<'q, str> {
    let mut written: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    let mut writers: BTreeMap<String, Writers> = BTreeMap::new();
    let mut stored: BTreeMap<&'static str, BTreeSet<usize>> = BTreeMap::new();
    let to = question.to.release();
    for (at, item) in question.input.items.iter().enumerate() {
        if is_served(&item.api_version, &item.kind, to) == Some(false) {
            written.entry(&item.api_version).or_default().insert(at);
        }
        let Some(tree) = question.input.tree(item) else {
            continue;
        };
        for (version, writer) in written_by(tree, item.node) {
            if is_served(&version, &item.kind, to) == Some(false) {
                let known = writers.entry(version).or_default();
                known.objects.insert(at);
                known.names.insert(writer);
            }
        }
        if let Some(version) = unreadable(item, question.from.release(), to) {
            stored.entry(version).or_default().insert(at);
        }
    }
    let gone = !written.is_empty();
    for (version, objects) in written {
        found.push(written_in(question, version, objects));
    }
    for (version, writers) in writers {
        found.push(written_as(question, &version, writers));
    }
    for (version, objects) in stored {
        found.push(stored_as(question, version, objects));
    }
    if gone {
        moved(question)
    } else {
        Cow::Borrowed(question.text)
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

/// The clients that write objects in a version.
#[derive(Default)]
struct Writers {
    objects: BTreeSet<usize>,
    names: BTreeSet<String>,
}

/// Returns the versions in which an object was written, and by whom.
fn written_by(tree: &Tree<'_>, node: NodeId) -> Vec<(String, String)> {
    let Some(metadata) = tree.get(node, "metadata") else {
        return Vec::new();
    };
    let mut writers = Vec::new();
    let text = |node: NodeId, key: &str| tree.get(node, key).and_then(|value| tree.str(value));
    if let Some(fields) = tree.get(metadata, "managedFields") {
        for entry in tree.items(fields) {
            if let (Some(version), Some(manager)) =
                (text(*entry, "apiVersion"), text(*entry, "manager"))
            {
                writers.push((version.to_owned(), manager.to_owned()));
            }
        }
    }
    let annotations = tree.get(metadata, "annotations");
    let applied = annotations.and_then(|annotations| text(annotations, APPLIED));
    let applied = applied.and_then(|json| serde_json::from_str::<serde_json::Value>(json).ok());
    if let Some(version) =
        applied.and_then(|object| Some(object.get("apiVersion")?.as_str()?.to_owned()))
    {
        writers.push((version, "kubectl apply".to_owned()));
    }
    writers
}

fn written_in(
    question: &UpgradeQuestion<'_, '_>,
    version: &str,
    objects: BTreeSet<usize>,
) -> TroubleFound {
    let to = question.to.release();
    let list: Vec<usize> = objects.iter().copied().collect();
    let names = question.names(&list);
    let message = match list.len() {
        1 => message!(
            "upgrade.version-of-one",
            "{version} is not served by Kubernetes {to}, and 1 object is written in it: {names}",
            version,
            to,
            names
        ),
        count => message!(
            "upgrade.version",
            "{version} is not served by Kubernetes {to}, and {count} objects are written in it: {names}",
            version,
            to,
            count,
            names
        ),
    };
    let help = message!(
        "upgrade.version-help",
        "rewrite them before the upgrade: `claimkit convert --to 1.{minor}`",
        minor = to.minor
    );
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

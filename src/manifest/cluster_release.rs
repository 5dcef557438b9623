//! The release of a cluster, by what was printed of it.

use super::clusters::may_hold_several;
use super::snapshot_notes::SnapshotNotes;
use super::{Input, Item, is_copy};
use claimkit_model::limits::Limits;
use claimkit_model::message::{Message, message};
use claimkit_model::schema::release::LAST_PATCHES;
use claimkit_model::schema::{self, Release};
use claimkit_model::text::SourceText;
use claimkit_scheduler::target::{OtherKubelet, as_nodes, release_of_nodes};

/// The release that the objects of a cluster show.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClusterRelease {
    /// The release that answers.
    pub release: Release,
    /// The kind and version of a stored object that the newest kubelet's release does not serve, such as `DeviceClass in
    /// resource.k8s.io/v1`; `None`: that kubelet decides.
    pub proof: Option<String>,
    /// The text is a snapshot that says so.
    pub is_noted: bool,
    /// The newest kubelet, of whose release nothing is known here: the newest known one answers.
    #[doc(hidden)]
    pub kubelet: Option<OtherKubelet>,
}

impl ClusterRelease {
    /// Returns a line about what decides.
    #[doc(hidden)]
    pub fn told(&self) -> Message {
        if let Some(kubelet) = &self.kubelet {
            return kubelet.told(self.release);
        }
        match &self.proof {
            None if self.is_noted => message!(
                "schedule.release-of-snapshot",
                "Kubernetes {release} answers, as the snapshot says",
                release = self.release
            ),
            None => as_nodes(self.release),
            Some(proof) => message!(
                "schedule.release-of-object",
                "Kubernetes {release} answers, as the first that serves {proof}: the kubelets are older",
                release = self.release,
                proof
            ),
        }
    }
}

/// Returns the release that a snapshot notes; else that of the newest kubelet in a text, or, where stored objects are in a version
/// that it does not serve, the first one that does: a server is often newer than its kubelets, and prints only what it serves.
/// `None`: the text has no Node with a known kubelet.
///
/// ```
/// use claimkit::{Limits, Release, release_of_cluster};
///
/// let node = "{apiVersion: v1, kind: Node, metadata: {name: a}, status: {nodeInfo: {kubeletVersion: v1.33.1}}}";
/// let class = "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: a, uid: u-1}}";
/// let release = |text: &str| release_of_cluster(text, &Limits::default()).unwrap().release;
/// assert_eq!(release(node), Release::new(33, 1));
/// assert_eq!(release(&format!("{node}\n---\n{class}")).minor, 34);
/// ```
pub fn release_of_cluster<'t>(
    text: impl Into<SourceText<'t>>,
    limits: &Limits,
) -> Option<ClusterRelease> {
    let text = text.into();
    let noted = SnapshotNotes::of_text(text.text()).and_then(|notes| notes.release());
    if let Some(release) = noted {
        return Some(ClusterRelease {
            release,
            proof: None,
            is_noted: true,
            kubelet: None,
        });
    }
    if let Some(input) = first_of_several(text, limits) {
        let of_kubelets = newest_kubelet(&input)?;
        return Some(release_of_stored(&input, of_kubelets));
    }
    if let Some(kubelet) = OtherKubelet::of(text.text()) {
        return Some(ClusterRelease {
            kubelet: Some(kubelet),
            ..by_kubelets(Release::latest())
        });
    }
    let of_kubelets = release_of_nodes(text.text())?;
    if !may_be_newer(text.text(), of_kubelets) {
        return Some(by_kubelets(of_kubelets));
    }
    let input = Input::read(text, Some(of_kubelets), limits);
    Some(release_of_stored(&input, of_kubelets))
}

fn by_kubelets(release: Release) -> ClusterRelease {
    ClusterRelease {
        release,
        proof: None,
        is_noted: false,
        kubelet: None,
    }
}

/// Returns the objects of the first cluster where a text holds several; `None` where it holds one.
fn first_of_several<'t>(text: SourceText<'t>, limits: &Limits) -> Option<Input<'t>> {
    if !may_hold_several(text.text()) {
        return None;
    }
    let mut input = Input::read(text, None, limits);
    let all = input.items.len();
    input.leave_out_other_clusters();
    (input.items.len() < all).then_some(input)
}

/// Returns the release of the newest kubelet of the Nodes.
fn newest_kubelet(input: &Input<'_>) -> Option<Release> {
    let nodes = input.items.iter().filter(|item| item.kind == "Node");
    nodes
        .filter_map(|item| release_of_nodes(input.file.source.slice(item.span)))
        .max()
}

/// Returns the release that decides: that of the kubelets, or the first that serves all stored objects.
fn release_of_stored(input: &Input<'_>, of_kubelets: Release) -> ClusterRelease {
    let stored = input.items.iter().filter(|item| {
        input
            .tree(item)
            .is_some_and(|tree| is_copy(tree, item.node))
    });
    let newest = stored
        .filter_map(|item| Some((first_serving(item, of_kubelets)?, item)))
        .max_by_key(|(release, _)| *release);
    match newest {
        Some((release, item)) => ClusterRelease {
            release,
            proof: Some(format!("{} in {}", item.kind, item.api_version)),
            is_noted: false,
            kubelet: None,
        },
        None => by_kubelets(of_kubelets),
    }
}

/// Returns false if no object of a text can be in a version that the release does not serve yet, so that the text need not be read.
fn may_be_newer(text: &str, release: Release) -> bool {
    schema::VERSIONS.iter().any(|version| {
        let mut kinds = version
            .kinds
            .iter()
            .filter(|kind| version.served.0 > release.minor || kind.since > release);
        kinds.any(|kind| text.contains(kind.kind)) && names(text, version.api_version)
    })
}

/// Returns true if a text has a version that does not go on, as `v1beta1` does after `v1`.
fn names(text: &str, api_version: &str) -> bool {
    text.match_indices(api_version).any(|(at, _)| {
        let after = text.get(at.saturating_add(api_version.len())..);
        let next = after.and_then(|rest| rest.chars().next());
        !next.is_some_and(|letter| letter.is_ascii_alphanumeric())
    })
}

/// Returns the first release after `release` that serves an object, if that one does not.
fn first_serving(item: &Item, release: Release) -> Option<Release> {
    let version = schema::version(&item.api_version)?;
    let serves =
        |known: &Release| version.served_by(*known) && version.kind(&item.kind, *known).is_some();
    if serves(&release) {
        return None;
    }
    let mut known = LAST_PATCHES
        .iter()
        .copied()
        .filter(|known| known.minor > release.minor);
    known.find(serves)
}

//! The release of a cluster, by what was printed of it.

use super::{Input, Item, is_copy};
use claimkit_model::limits::Limits;
use claimkit_model::message::{Message, message};
use claimkit_model::schema::release::LAST_PATCHES;
use claimkit_model::schema::{self, ApiKind, Release};
use claimkit_model::text::SourceText;
use claimkit_scheduler::target::{as_nodes, release_of_nodes};

/// The release that the objects of a cluster show.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClusterRelease {
    /// The release that answers.
    pub release: Release,
    /// The kind and version of a stored object that the newest kubelet's release does not serve, such as `DeviceClass in
    /// resource.k8s.io/v1`; `None`: that kubelet decides.
    pub proof: Option<String>,
}

impl ClusterRelease {
    /// Returns a line about what decides.
    pub(crate) fn told(&self) -> Message {
        match &self.proof {
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

/// Returns the release of the newest kubelet in a text, or, where stored objects are in a version that it does not serve, the first
/// one that does: a server is often newer than its kubelets, and prints only what it serves. `None`: the text has no Node with a
/// known kubelet.
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
    let of_kubelets = release_of_nodes(text.text())?;
    let by_kubelets = ClusterRelease {
        release: of_kubelets,
        proof: None,
    };
    if !may_be_newer(text.text(), of_kubelets) {
        return Some(by_kubelets);
    }
    let input = Input::read(text, Some(of_kubelets), limits);
    let stored = input.items.iter().filter(|item| {
        input
            .tree(item)
            .is_some_and(|tree| is_copy(tree, item.node))
    });
    let newer = stored.filter_map(|item| Some((first_serving(item, of_kubelets)?, item)));
    let newest = newer.max_by_key(|(release, _)| *release);
    Some(
        newest.map_or(by_kubelets, |(release, item)| ClusterRelease {
            release,
            proof: Some(format!("{} in {}", item.kind, item.api_version)),
        }),
    )
}

/// Returns false if no object of a text can be in a version that the release does not serve yet, so that the text need not be read.
fn may_be_newer(text: &str, release: Release) -> bool {
    schema::VERSIONS.iter().any(|version| {
        let is_later = |kind: &ApiKind| version.served.0 > release.minor || kind.since > release;
        let mut kinds = version.kinds.iter().filter(|kind| is_later(kind));
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

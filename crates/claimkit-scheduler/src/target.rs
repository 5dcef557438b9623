//! Which release answers about devices, and which of its feature gates are on.

use claimkit_model::error::{Error, ErrorKind};
use claimkit_model::message::{Message, message};
use claimkit_model::schema::{Gate, Gates, Release};
use claimkit_values::order;
use std::collections::BTreeMap;

/// The first minor release with devices.
pub const FIRST_MINOR: u8 = 31;

/// A gate that is on, for a stored object uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateProof {
    pub gate: Gate,
    /// The kind and name of the object.
    pub object: String,
}

/// A release with its gates.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub release: Release,
    /// Its gates, those that were set among them.
    pub gates: Gates,
}

impl Target {
    /// Makes the target of a release, or of the last one, with some gates set.
    ///
    /// # Errors
    /// A release without devices, or a gate that cannot be set.
    pub fn new(release: Option<Release>, gates: &BTreeMap<String, bool>) -> Result<Self, Error> {
        let release = release.unwrap_or(Release::latest());
        if release.minor < FIRST_MINOR {
            let problem = message!(
                "schedule.release-without-devices",
                "Kubernetes {release} has no devices; `1.{first}` is the first that has",
                release,
                first = FIRST_MINOR
            );
            return Err(Error::new(ErrorKind::Release, problem));
        }
        let set = gates.iter().map(|(name, on)| (name.as_str(), *on));
        let gates = Gates::with(release, set).map_err(|error| {
            Error::new(
                ErrorKind::Gate,
                message!("schedule.gates-wrong", "`gates`: {error}", error),
            )
        })?;
        Ok(Target { release, gates })
    }

    /// Turns on the gates that stored objects prove, and those that these need, as far as they are not set. Returns a line about them.
    pub fn prove(&mut self, proofs: &[GateProof], set: &BTreeMap<String, bool>) -> Option<Message> {
        let mut known = set.clone();
        let mut list = Vec::new();
        for proof in proofs {
            if self.gates.on(proof.gate) || set.contains_key(proof.gate.name()) {
                continue;
            }
            known.extend([(proof.gate.name().to_owned(), true)]);
            let needed = Gate::GenericWorkload.name();
            if proof.gate == Gate::DRAWorkloadResourceClaims && !known.contains_key(needed) {
                known.extend([(needed.to_owned(), true)]);
            }
            // A gate that the others do not allow proves nothing.
            match Target::new(Some(self.release), &known) {
                Ok(target) => {
                    *self = target;
                    list.push(format!("{} ({})", proof.gate.name(), proof.object));
                }
                Err(_) => {
                    known.remove(proof.gate.name());
                }
            }
        }
        (!list.is_empty()).then(|| {
            message!(
                "schedule.gates-proven",
                "feature gates that must be on, because stored objects use them: {list}",
                list = list.join(", ")
            )
        })
    }

    /// Returns true if a gate is on. A gate that the release does not know is off.
    pub fn on(&self, name: &str) -> bool {
        Gate::named(name).is_some_and(|gate| self.gates.on(gate))
    }

    /// Returns true if the release has a gate.
    pub fn knows(&self, gate: Gate) -> bool {
        gate.default_in(self.release).is_some()
    }

    /// Returns the gates that the release knows.
    pub fn known_gates(&self) -> BTreeMap<&'static str, bool> {
        let known = Gate::ALL.iter().filter(|gate| self.knows(**gate));
        order::map(known.map(|gate| (gate.name(), self.gates.on(*gate))))
    }
}

/// The field of a Node with the version of its kubelet.
const KUBELET_VERSION: &str = "kubeletVersion";

/// Returns the release of the newest kubelet in a text with Nodes: kube-scheduler is as new, or newer. `None`: the text has no such
/// Node, or one of a release that is not known here.
///
/// ```
/// let node = "{apiVersion: v1, kind: Node, metadata: {name: a}, status: {nodeInfo: {kubeletVersion: v1.34.1-gke.5}}}";
/// assert_eq!(claimkit_scheduler::target::release_of_nodes(node), Some(claimkit_model::schema::Release::new(34, 1)));
/// ```
pub fn release_of_nodes(text: &str) -> Option<Release> {
    let newest = kubelets(text).filter_map(release_of_kubelet).max();
    newest.filter(|release| release.minor >= FIRST_MINOR)
}

/// Returns the versions of the kubelets in a text with Nodes, each from its number on.
fn kubelets(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(KUBELET_VERSION)
        .filter_map(move |(at, found)| {
            let rest = text.get(at.saturating_add(found.len())..)?;
            let version = rest.trim_start_matches(['"', '\'', ' ', ':']);
            version.strip_prefix('v')
        })
}

/// The newest kubelet of a cluster, if its release has no answers here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OtherKubelet {
    /// It is newer than every release that is known.
    Newer(String),
    /// It is older than the first release with devices.
    Older(String),
}

impl OtherKubelet {
    /// Finds the newest kubelet in a text with Nodes; `None`: there is none, or its release has answers.
    pub fn of(text: &str) -> Option<Self> {
        let versions = kubelets(text).filter_map(|version| {
            let end = version.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
            let numbers = version.get(..end.unwrap_or(version.len()))?;
            let (_, minor) = numbers.split_once('.')?;
            let minor: u64 = minor.split('.').next()?.parse().ok()?;
            Some((minor, numbers))
        });
        let (minor, numbers) = versions.max()?;
        if minor < u64::from(FIRST_MINOR) {
            Some(OtherKubelet::Older(numbers.to_owned()))
        } else if release_of_kubelet(numbers).is_none() {
            Some(OtherKubelet::Newer(numbers.to_owned()))
        } else {
            None
        }
    }

    /// Returns a line about the release that answers instead.
    pub fn told(&self, release: Release) -> Message {
        match self {
            OtherKubelet::Newer(kubelet) => message!(
                "schedule.release-before-kubelets",
                "Kubernetes {release} answers, the newest known here: the newest kubelet is of {kubelet}",
                release,
                kubelet
            ),
            OtherKubelet::Older(kubelet) => message!(
                "schedule.release-behind-kubelets",
                "Kubernetes {release} answers, the newest known here: the newest kubelet is of {kubelet}, which has no devices",
                release,
                kubelet
            ),
        }
    }
}

/// Reads `1.34.1`, whatever follows. A patch that is not known counts as the last one.
fn release_of_kubelet(version: &str) -> Option<Release> {
    let end = version.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let numbers = version.get(..end.unwrap_or(version.len()))?;
    let minor = numbers.split('.').take(2).collect::<Vec<_>>().join(".");
    Release::parse(numbers).or_else(|| Release::parse(&minor))
}

/// Returns a line about a release that the nodes decide.
pub fn as_nodes(release: Release) -> Message {
    message!(
        "schedule.release-of-nodes",
        "Kubernetes {release} answers, as the newest kubelet of the nodes",
        release
    )
}

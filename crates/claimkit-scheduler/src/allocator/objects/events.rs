//! What controllers report about objects.

use super::Meta;
use super::read::{Datum, FactReader, ReadFact};
use std::rc::Rc;

/// The reason of events about claims that cannot be made (kube-controller-manager, `pkg/controller/resourceclaim`).
const CLAIM_REFUSED: &str = "FailedResourceClaimCreation";
/// The reason of events about pods that cannot be made (kube-controller-manager, `pkg/controller`).
const POD_REFUSED: &str = "FailedCreate";
/// The reason of kubelet's events about devices that it cannot prepare for a pod (`pkg/kubelet/events/event.go`).
pub const PREPARE_REFUSED: &str = "FailedPrepareDynamicResources";
/// The reason of events about volumes that cannot be made (kube-controller-manager, `pkg/controller/volume/events/event.go`, and the
/// provisioners of drivers).
const VOLUME_REFUSED: &str = "ProvisioningFailed";
/// The reason of kubelet's events about volumes that it cannot mount.
const MOUNT_REFUSED: &str = "FailedMount";
/// Words of kubelet before the reason (`pkg/kubelet/kuberuntime/kuberuntime_manager.go`, `SyncPod`).
const PREPARING: &[&str] = &[
    "Failed to prepare dynamic resources: ",
    "prepare dynamic resources: ",
];
/// Begins the message of such an event.
const CREATING: &str = "Error creating: ";
/// Begins the part of such a message that names the entry of the pod.
const OF_ENTRY: &str = "PodResourceClaim ";
/// Separates the entry from the reason.
const BEFORE_REASON: &str = "create ResourceClaim : ";

/// The reasons of the events that an answer reads.
pub const EVENT_REASONS: [&str; 5] = [
    CLAIM_REFUSED,
    POD_REFUSED,
    PREPARE_REFUSED,
    VOLUME_REFUSED,
    MOUNT_REFUSED,
];

object! {
    /// An Event of the core group or of `events.k8s.io`.
    Event {
        metadata: Meta = "metadata",
        reason: String = "reason",
        /// The text, in the core group.
        message: String = "message",
        /// The text, in `events.k8s.io`.
        note: String = "note",
        /// The object, in the core group.
        involved_object: EventObject = "involvedObject",
        /// The object, in `events.k8s.io`.
        regarding: EventObject = "regarding",
        last_timestamp: Option<String> = "lastTimestamp",
        event_time: Option<String> = "eventTime",
    }
}

object! {
    /// The object that an event is about.
    #[derive(Eq)]
    EventObject {
        kind: String = "kind",
        namespace: String = "namespace",
        name: String = "name",
        uid: String = "uid",
    }
}

impl Event {
    /// Returns true if the event says something that an answer reads.
    pub fn is_read(&self) -> bool {
        EVENT_REASONS.contains(&self.reason.as_str())
    }

    fn text(&self) -> &str {
        if self.message.is_empty() {
            &self.note
        } else {
            &self.message
        }
    }

    fn time(&self) -> Option<&String> {
        let reported = self.last_timestamp.as_ref().or(self.event_time.as_ref());
        reported.or(self.metadata.creation_timestamp.as_ref())
    }

    fn is_about_pod(&self, pod: &Meta) -> bool {
        [&self.involved_object, &self.regarding]
            .into_iter()
            .any(|object| {
                object.kind == "Pod"
                    && object.name == pod.name
                    && object.namespace == pod.namespace
                    && (object.uid.is_empty() || pod.uid.is_empty() || object.uid == pod.uid)
            })
    }
}

/// Why the claim of a pod's entry could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimRefusal<'e> {
    pub why: &'e str,
    /// When that was said last.
    pub at: Option<&'e str>,
}

/// Returns why the claim of a pod's entry could last not be made.
pub fn claim_refusal<'e>(
    events: &'e [Rc<Event>],
    pod: &Meta,
    entry: &str,
) -> Option<ClaimRefusal<'e>> {
    let mut newest: Option<&Event> = None;
    for event in events {
        let (_, rest) = event.text().split_once(OF_ENTRY).unwrap_or_default();
        let is_of_entry = rest.split_once(':').is_some_and(|(name, _)| name == entry);
        let is_newer = newest.is_none_or(|known| event.time() >= known.time());
        if event.reason == CLAIM_REFUSED && is_of_entry && event.is_about_pod(pod) && is_newer {
            newest = Some(event);
        }
    }
    let newest = newest?;
    let (_, rest) = newest.text().split_once(OF_ENTRY)?;
    let (_, after_entry) = rest.split_once(':')?;
    let reason = after_entry.trim_start();
    Some(ClaimRefusal {
        why: reason.strip_prefix(BEFORE_REASON).unwrap_or(reason),
        at: newest.time().map(String::as_str),
    })
}

/// Returns why the volume of a PersistentVolumeClaim could last not be made.
pub fn provisioning_failure<'e>(events: &'e [Rc<Event>], claim: &Meta) -> Option<&'e str> {
    let about = |event: &&Rc<Event>| {
        let mut objects = [&event.involved_object, &event.regarding].into_iter();
        event.reason == VOLUME_REFUSED
            && objects.any(|object| {
                object.kind == "PersistentVolumeClaim"
                    && object.name == claim.name
                    && object.namespace == claim.namespace
            })
    };
    let own = events.iter().filter(about);
    Some(own.max_by_key(|event| event.time())?.text())
}

/// Why kubelet cannot prepare the devices of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrepareFailure<'e> {
    /// The words of kubelet or of the driver.
    pub why: &'e str,
    /// When that was said last.
    pub at: Option<&'e str>,
}

/// Returns what kubelet said last of a volume of a pod that it cannot mount.
pub fn mount_failure<'e>(events: &'e [Rc<Event>], pod: &Meta) -> Option<PrepareFailure<'e>> {
    let own = events
        .iter()
        .filter(|event| event.reason == MOUNT_REFUSED && event.is_about_pod(pod));
    let newest = own.max_by_key(|event| event.time())?;
    Some(PrepareFailure {
        why: newest.text(),
        at: newest.time().map(String::as_str),
    })
}

/// Returns what kubelet said last of devices of a pod that it cannot prepare.
pub fn prepare_failure<'e>(events: &'e [Rc<Event>], pod: &Meta) -> Option<PrepareFailure<'e>> {
    let own = events
        .iter()
        .filter(|event| event.reason == PREPARE_REFUSED && event.is_about_pod(pod));
    let newest = own.max_by_key(|event| event.time())?;
    let text = newest.text();
    let why = PREPARING
        .iter()
        .fold(text, |why, words| why.strip_prefix(words).unwrap_or(why));
    Some(PrepareFailure {
        why,
        at: newest.time().map(String::as_str),
    })
}

/// Why an object could last not make a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodRefusal<'e> {
    /// The namespace of the object.
    pub namespace: &'e str,
    /// kube-apiserver's words.
    pub why: &'e str,
}

/// Returns true if an object is the one of this kind and name, or a ReplicaSet of the Deployment of this name.
fn makes_pods_of(object: &EventObject, kind: &str, name: &str) -> bool {
    if object.kind.eq_ignore_ascii_case(kind) && object.name == name {
        return true;
    }
    let hash = object
        .name
        .strip_prefix(name)
        .and_then(|suffix| suffix.strip_prefix('-'));
    kind == "deployment"
        && object.kind == "ReplicaSet"
        && hash.is_some_and(|hash| !hash.contains('-'))
}

/// Returns why an object could last not make a pod. `kind`: in lower case; a Deployment makes pods by its ReplicaSets.
/// `namespace`: absent for the last object of this name in any namespace.
pub fn pod_refusal<'e>(
    events: &'e [Rc<Event>],
    kind: &str,
    namespace: Option<&str>,
    name: &str,
) -> Option<PodRefusal<'e>> {
    let mut newest: Option<(&Event, &EventObject)> = None;
    for event in events.iter().filter(|event| event.reason == POD_REFUSED) {
        let mut objects = [&event.involved_object, &event.regarding].into_iter();
        let Some(object) = objects.find(|object| {
            namespace.is_none_or(|asked| object.namespace == asked)
                && makes_pods_of(object, kind, name)
        }) else {
            continue;
        };
        if newest.is_none_or(|(known, _)| event.time() >= known.time()) {
            newest = Some((event, object));
        }
    }
    let (event, object) = newest?;
    let text = event.text();
    Some(PodRefusal {
        namespace: &object.namespace,
        why: text.split_once(CREATING).map_or(text, |(_, why)| why),
    })
}

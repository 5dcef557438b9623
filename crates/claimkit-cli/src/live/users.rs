//! The users of claims that hold devices, and how their use ends.

use super::brief::Brief;
use claimkit::PreparedCluster;
use claimkit_scheduler::allocator::objects::Pod;
use claimkit_scheduler::explain::words;
use claimkit_scheduler::scheduler::has_ended;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of names in one line.
const MOST_NAMES: usize = 3;
/// Begins a user of a claim that is a group of pods.
const GROUP: &str = "podgroups.scheduling.k8s.io/";

/// How a claim is freed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freeing {
    /// The price: the larger, the more is given up.
    pub cost: u32,
    /// A command, or a sentence where none does.
    pub how: Option<String>,
}

impl Freeing {
    fn new(cost: u32, how: impl Into<String>) -> Self {
        Freeing {
            cost,
            how: Some(how.into()),
        }
    }
}

/// The pods that were seen and the claims that they use.
#[derive(Clone, Debug, Default)]
pub struct Users {
    /// By `namespace/name`.
    pods: BTreeMap<String, SeenPod>,
    /// The claims that are being deleted, as `namespace/name`.
    ending_claims: BTreeSet<String>,
    /// The namespaces of which pods were seen.
    namespaces: BTreeSet<String>,
    /// No pod of these namespaces is missing.
    are_complete: bool,
}

/// A pod, as far as it matters for the claims that it uses.
#[derive(Clone, Debug, Default)]
struct SeenPod {
    /// The object that makes it again, as `kind/name`.
    owner: Option<String>,
    /// The name of its group.
    group: Option<String>,
    is_ending: bool,
    /// The claims that it uses on its node, as `namespace/name`.
    claims: Vec<String>,
}

impl SeenPod {
    fn of(pod: &Pod) -> Self {
        SeenPod {
            owner: Brief::from(pod).owner(),
            group: pod.group_name().map(str::to_owned),
            is_ending: pod.metadata.deletion_timestamp.is_some(),
            claims: used_claims(pod),
        }
    }
}

/// Returns the claims that a pod uses on its node.
fn used_claims(pod: &Pod) -> Vec<String> {
    if pod.spec.node_name.is_empty() || has_ended(pod) {
        return Vec::new();
    }
    let entries = pod.spec.resource_claims.iter();
    let names = entries.filter_map(|entry| pod.claim_of(&entry.name));
    names
        .map(|name| format!("{}/{name}", pod.metadata.namespace))
        .collect()
}

impl Users {
    /// Gathers the users of claims. `are_complete`: no pod of a namespace is missing of which there is any.
    pub fn of(cluster: &PreparedCluster, are_complete: bool) -> Self {
        let pods: BTreeMap<String, SeenPod> = cluster
            .pods()
            .map(|pod| (pod.metadata.full_name(), SeenPod::of(pod)))
            .collect();
        let namespaces = cluster.pods().map(|pod| pod.metadata.namespace.clone());
        let ending = cluster
            .claims()
            .filter(|claim| claim.metadata.deletion_timestamp.is_some());
        Users {
            ending_claims: ending.map(|claim| claim.metadata.full_name()).collect(),
            namespaces: namespaces.collect(),
            pods,
            are_complete,
        }
    }

    /// Returns how a claim is freed: nobody loses one that nobody uses. A pod that another object makes again would take its devices
    /// again. `reserved_for`: pods by their names, other objects as `resource.group/name`.
    pub fn freeing(&self, claim: &str, reserved_for: &[String]) -> Freeing {
        let (namespace, name) = claim.split_once('/').unwrap_or(("", claim));
        let consumers = Consumers::of(self, namespace, reserved_for);
        if !consumers.others.is_empty() {
            let others = words::some(&consumers.others, MOST_NAMES);
            return Freeing::new(6, format!("it is reserved for {others}"));
        }
        let unreserved = match reserved_for {
            [] => self.using(claim),
            _ => Vec::new(),
        };
        let pods = [consumers.pods, unreserved].concat();
        if !pods.is_empty() {
            return self.ending(namespace, pods);
        }
        if !consumers.gone.is_empty() {
            return self.gone(namespace, &consumers.gone);
        }
        match self.ending_claims.contains(claim) {
            true => Freeing::new(1, "it is being deleted already: its finalizers keep it"),
            false => Freeing::new(
                1,
                format!("kubectl delete resourceclaim {name} -n {namespace}"),
            ),
        }
    }

    /// Returns the names of the pods that use a claim which is not reserved for them.
    fn using(&self, claim: &str) -> Vec<String> {
        let users = self
            .pods
            .iter()
            .filter(|(_, pod)| pod.claims.iter().any(|used| used == claim));
        users.map(|(name, _)| without_namespace(name)).collect()
    }

    /// Returns how pods of a namespace end.
    fn ending(&self, namespace: &str, pods: Vec<String>) -> Freeing {
        let is_ending = |pod: &String| self.pod(namespace, pod).is_some_and(|seen| seen.is_ending);
        let (ending, staying): (Vec<String>, Vec<String>) = pods.into_iter().partition(is_ending);
        if staying.is_empty() {
            let are = one_or_several(&ending, "is", "are");
            return Freeing::new(1, format!("{} {are} being deleted already", named(&ending)));
        }
        let owner_of = |pod: &String| self.pod(namespace, pod)?.owner.as_deref();
        let makers: BTreeSet<&str> = staying.iter().filter_map(owner_of).collect();
        let makers: Vec<&str> = makers.into_iter().collect();
        let has_unowned = staying.iter().any(|pod| owner_of(pod).is_none());
        match makers.as_slice() {
            [] => Freeing::new(
                4,
                format!("kubectl delete pod {} -n {namespace}", staying.join(" ")),
            ),
            [maker] if !has_unowned => ending_maker(maker, &staying, namespace),
            makers => Freeing::new(6, made_again(makers, "some of the claim's pods")),
        }
    }

    /// Returns how a claim is freed whose pods were not seen.
    fn gone(&self, namespace: &str, pods: &[String]) -> Freeing {
        if self.are_complete {
            let are = one_or_several(pods, "is", "are");
            let how = format!(
                "{} {are} gone: kube-controller-manager takes the reservation back",
                named(pods)
            );
            return Freeing::new(1, how);
        }
        let they_are = one_or_several(pods, "it is", "they are");
        let names = pods.join(" ");
        let how = format!("kubectl delete pod {names} -n {namespace}, if {they_are} still there");
        Freeing::new(4, how)
    }

    fn pod(&self, namespace: &str, name: &str) -> Option<&SeenPod> {
        self.pods.get(&format!("{namespace}/{name}"))
    }

    /// Returns true if other pods of the namespace were seen, and this one was not.
    fn is_missing(&self, namespace: &str, name: &str) -> bool {
        self.namespaces.contains(namespace) && self.pod(namespace, name).is_none()
    }

    /// Returns the names of the pods of a group that have a node.
    fn members(&self, namespace: &str, group: &str) -> Vec<String> {
        let is_member = |(name, pod): &(&String, &SeenPod)| {
            pod.group.as_deref() == Some(group)
                && !pod.claims.is_empty()
                && name.split_once('/').is_some_and(|(of, _)| of == namespace)
        };
        let members = self.pods.iter().filter(is_member);
        members.map(|(name, _)| without_namespace(name)).collect()
    }
}

/// The objects for which a claim is reserved.
#[derive(Default)]
struct Consumers {
    /// Pods, and those of groups.
    pods: Vec<String>,
    /// Pods that were not seen.
    gone: Vec<String>,
    /// Objects that are neither pods nor groups of pods that were seen.
    others: Vec<String>,
}

impl Consumers {
    fn of(users: &Users, namespace: &str, reserved_for: &[String]) -> Self {
        let mut consumers = Consumers::default();
        for consumer in reserved_for {
            let members = consumer
                .strip_prefix(GROUP)
                .map(|group| users.members(namespace, group))
                .unwrap_or_default();
            if !members.is_empty() {
                consumers.pods.extend(members);
            } else if consumer.contains('/') {
                consumers.others.push(consumer.clone());
            } else if users.is_missing(namespace, consumer) {
                consumers.gone.push(consumer.clone());
            } else {
                consumers.pods.push(consumer.clone());
            }
        }
        consumers
    }
}

fn without_namespace(full_name: &str) -> String {
    let name = full_name.split_once('/').map(|(_, name)| name);
    name.unwrap_or(full_name).to_owned()
}

fn one_or_several<'w>(names: &[String], one: &'w str, several: &'w str) -> &'w str {
    match names {
        [_] => one,
        _ => several,
    }
}

/// Names pods: `pod a` or `pods a, b`.
fn named(pods: &[String]) -> String {
    let what = one_or_several(pods, "pod", "pods");
    format!("{what} {}", words::some(pods, MOST_NAMES))
}

/// Returns how pods end that one object makes again.
fn ending_maker(maker: &str, pods: &[String], namespace: &str) -> Freeing {
    let (kind, name) = maker.split_once('/').unwrap_or((maker, ""));
    let ordinal = match pods {
        [pod] => pod
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('-')),
        _ => None,
    };
    match (kind, ordinal) {
        ("job", _) => Freeing::new(5, format!("kubectl delete job {name} -n {namespace}")),
        ("statefulset", Some(ordinal)) => Freeing::new(
            6,
            format!(
                "kubectl scale statefulset {name} -n {namespace} --replicas={ordinal}, if its ordinals begin at 0"
            ),
        ),
        _ => Freeing::new(6, made_again(&[maker], &named(pods))),
    }
}

fn made_again(makers: &[&str], pods: &str) -> String {
    match makers {
        [one] => format!("{one} makes {pods} again: it must ask for fewer"),
        makers => format!(
            "{} make {pods} again: they must ask for fewer",
            words::some(makers, MOST_NAMES)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use claimkit_model::limits::Limits;

    /// Writes a pod of a node that uses claim `c`; `more`: more of its metadata.
    fn pod(name: &str, more: &str) -> String {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: ns{more}}}, \
             spec: {{nodeName: a, schedulingGroup: {{podGroupName: g}}, resourceClaims: [{{name: c, resourceClaimName: c}}], \
             containers: [{{name: a, image: a}}]}}}}"
        )
    }

    fn made_by(name: &str, kind: &str, maker: &str) -> String {
        let owner = format!(
            ", ownerReferences: [{{apiVersion: apps/v1, kind: {kind}, name: {maker}, uid: u, controller: true}}]"
        );
        pod(name, &owner)
    }

    fn users(objects: &[String], are_complete: bool) -> Users {
        let text = objects.join("\n---\n");
        let cluster = PreparedCluster::read(text.as_str(), None, None, &Limits::default());
        assert_eq!(cluster.len(), objects.len(), "{text}");
        Users::of(&cluster, are_complete)
    }

    fn how(users: &Users, reserved_for: &[&str]) -> String {
        let reserved_for: Vec<String> = reserved_for.iter().map(|one| (*one).to_owned()).collect();
        users.freeing("ns/c", &reserved_for).how.unwrap_or_default()
    }

    #[test]
    fn what_makes_pods_again_is_named() {
        let (job, set, deployment) = (
            |pod| made_by(pod, "Job", "j"),
            |pod| made_by(pod, "StatefulSet", "web"),
            |pod| made_by(pod, "Deployment", "d"),
        );
        let cases: [(&[String], &[&str], &str); 9] = [
            (
                &[pod("web-1", "")],
                &["web-1"],
                "kubectl delete pod web-1 -n ns",
            ),
            (
                &[set("web-1")],
                &["web-1"],
                "kubectl scale statefulset web -n ns --replicas=1, if its ordinals begin at 0",
            ),
            (&[job("a")], &["a"], "kubectl delete job j -n ns"),
            (
                &[deployment("a")],
                &["a"],
                "deployment/d makes pod a again: it must ask for fewer",
            ),
            // All pods of the claim count, and each of their owners.
            (
                &[pod("a", ""), pod("b", "")],
                &["a", "b"],
                "kubectl delete pod a b -n ns",
            ),
            (
                &[job("a"), job("b")],
                &["a", "b"],
                "kubectl delete job j -n ns",
            ),
            (
                &[set("web-0"), set("web-1")],
                &["web-0", "web-1"],
                "statefulset/web makes pods web-0, web-1 again: it must ask for fewer",
            ),
            (
                &[job("a"), pod("b", "")],
                &["a", "b"],
                "job/j makes some of the claim's pods again: it must ask for fewer",
            ),
            (
                &[job("a"), deployment("b")],
                &["a", "b"],
                "deployment/d, job/j make some of the claim's pods again: they must ask for fewer",
            ),
        ];
        for (objects, reserved_for, said) in cases {
            assert_eq!(how(&users(objects, true), reserved_for), said);
        }
    }

    #[test]
    fn only_pods_are_deleted_as_pods() {
        let seen = users(&[pod("t", ""), pod("g", "")], true);
        assert_eq!(
            how(&seen, &["trainings.batch.example.com/t"]),
            "it is reserved for trainings.batch.example.com/t"
        );
        assert_eq!(
            how(&seen, &["podgroups.scheduling.k8s.io/other"]),
            "it is reserved for podgroups.scheduling.k8s.io/other"
        );
        assert_eq!(
            how(&seen, &["podgroups.scheduling.k8s.io/g"]),
            "kubectl delete pod g t -n ns"
        );
    }

    #[test]
    fn pods_that_end_or_are_gone_are_not_deleted() {
        let ending = pod("a", ", deletionTimestamp: 2026-05-04T03:02:01Z");
        let seen = users(std::slice::from_ref(&ending), true);
        assert_eq!(how(&seen, &["a"]), "pod a is being deleted already");
        assert_eq!(
            how(&seen, &["gone"]),
            "pod gone is gone: kube-controller-manager takes the reservation back"
        );
        assert_eq!(
            how(&users(&[ending], false), &["gone"]),
            "kubectl delete pod gone -n ns, if it is still there"
        );
        let of_other = users(&[], true);
        assert_eq!(how(&of_other, &["x"]), "kubectl delete pod x -n ns");
    }

    #[test]
    fn a_claim_without_reservation_may_be_used() {
        assert_eq!(
            how(&users(&[pod("r", "")], true), &[]),
            "kubectl delete pod r -n ns"
        );
        assert_eq!(
            how(&users(&[], true), &[]),
            "kubectl delete resourceclaim c -n ns"
        );
        let ending = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: ns, \
                      deletionTimestamp: 2026-05-04T03:02:01Z, finalizers: [x.example.com/f]}, spec: {devices: {}}}";
        assert_eq!(
            how(&users(&[ending.to_owned()], true), &[]),
            "it is being deleted already: its finalizers keep it"
        );
    }
}

//! Nodes to which no suggestion sends a pod: they go away, are out of order, or are not ready yet.

use claimkit_scheduler::allocator::objects::{CORDONED, NOT_READY, Node, UNREACHABLE};

/// The effect of taints that keep no pod from a node.
const PREFER_NO_SCHEDULE: &str = "PreferNoSchedule";

/// The taints that go once a node is back.
const LOST: [&str; 2] = [UNREACHABLE, NOT_READY];

/// Which keys of taints a row is about.
#[derive(Clone, Copy)]
enum Keys {
    /// This one.
    Of(&'static str),
    /// Those of this prefix.
    In(&'static str),
    /// Those of any prefix whose names end so.
    EndingIn(&'static str),
}

/// The taints that keep pods from a node for its own state: who tolerates or removes them sends the pod where it does not run, or
/// stops what drains the node.
const OUT_OF_ORDER: [Keys; 21] = [
    // Kubernetes itself: not ready, unreachable, without memory, disk, processes or network, out of service (k8s.io/api, `core/v1/well_known_taints.go`).
    Keys::In("node.kubernetes.io/"),
    // Cloud providers: uninitialized, shut down (k8s.io/cloud-provider, `api/well_known_taints.go`).
    Keys::In("node.cloudprovider.kubernetes.io/"),
    // cluster-autoscaler, `utils/taints/taints.go`.
    Keys::Of("ToBeDeletedByClusterAutoscaler"),
    Keys::Of("DeletionCandidateOfClusterAutoscaler"),
    // Karpenter, `pkg/apis/v1/taints.go`; before 1.0 `disruption`.
    Keys::Of("karpenter.sh/disrupted"),
    Keys::Of("karpenter.sh/disruption"),
    Keys::Of("karpenter.sh/unregistered"),
    // GKE, for machines that are taken back.
    Keys::Of("cloud.google.com/impending-node-termination"),
    // aws-node-termination-handler: interruptions, maintenance, rebalancing.
    Keys::In("aws-node-termination-handler/"),
    // AKS, for machines that are taken back or repaired.
    Keys::In("remediator.kubernetes.azure.com/"),
    Keys::In("remediator.aks.microsoft.com/"),
    // Cluster API: a machine that is not initialized, or that a newer one replaces.
    Keys::Of("node.cluster.x-k8s.io/uninitialized"),
    Keys::Of("node.cluster.x-k8s.io/outdated-revision"),
    // Node Readiness Controller.
    Keys::In("readiness.k8s.io/"),
    // KubeVirt and medik8s: nodes that are drained, or repaired.
    Keys::Of("kubevirt.io/drain"),
    Keys::In("medik8s.io/"),
    // OpenShift's machine config operator, while it updates a node.
    Keys::Of("UpdateInProgress"),
    // node-problem-detector's remedies, and network plugins and drivers that are not there yet.
    Keys::EndingIn("not-ready"),
    Keys::EndingIn("NotReady"),
    Keys::EndingIn("out-of-service"),
    Keys::EndingIn("unhealthy"),
];

impl Keys {
    fn have(self, key: &str) -> bool {
        match self {
            Keys::Of(wanted) => key == wanted,
            Keys::In(prefix) => key.starts_with(prefix),
            Keys::EndingIn(end) => key.ends_with(end),
        }
    }
}

/// Returns true if a taint with this key says that a node goes away, is out of order, or is not ready yet. That a node is cordoned is
/// not said by it alone.
fn says_out_of_order(key: &str) -> bool {
    key != CORDONED && OUT_OF_ORDER.iter().any(|keys| keys.have(key))
}

/// Returns true if no pod should be sent to a node.
pub fn is_out_of_order(node: &Node) -> bool {
    let mut taints = node.spec.taints.iter();
    let mut conditions = node.status.conditions.iter();
    node.metadata.deletion_timestamp.is_some()
        || taints.any(|taint| taint.effect != PREFER_NO_SCHEDULE && says_out_of_order(&taint.key))
        || conditions.any(|condition| condition.kind == "Ready" && condition.status != "True")
}

/// Returns true if a taint goes once the node is back: `key=value:effect`.
pub fn is_of_lost_node(taint: &str) -> bool {
    let key = taint.split(['=', ':']).next().unwrap_or_default();
    LOST.contains(&key)
}

/// Returns the taint by which the control plane says that it does not hear of a node, or that the node is not ready, if nothing else keeps
/// pods from it: once it is back, it takes pods again.
pub fn lost_by(node: &Node) -> Option<&'static str> {
    let taints = node.spec.taints.iter();
    let keeping: Vec<&str> = taints
        .filter(|taint| taint.effect != PREFER_NO_SCHEDULE && says_out_of_order(&taint.key))
        .map(|taint| taint.key.as_str())
        .collect();
    let is_lost =
        node.metadata.deletion_timestamp.is_none() && keeping.iter().all(|key| LOST.contains(key));
    let mut lost = LOST.into_iter().filter(|_| is_lost);
    lost.find(|key| keeping.contains(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taints_of_nodes_that_go_away_are_known_by_their_keys() {
        for key in [
            "node.kubernetes.io/out-of-service",
            "node.kubernetes.io/not-ready",
            "node.cloudprovider.kubernetes.io/shutdown",
            "karpenter.sh/disrupted",
            "ToBeDeletedByClusterAutoscaler",
            "cloud.google.com/impending-node-termination",
            "aws-node-termination-handler/spot-itn",
            "ebs.csi.aws.com/agent-not-ready",
            "readiness.k8s.io/NetworkReady",
        ] {
            assert!(says_out_of_order(key), "{key}");
        }
        for key in [
            CORDONED,
            "node-role.kubernetes.io/control-plane",
            "nvidia.com/gpu",
            "dedicated",
        ] {
            assert!(!says_out_of_order(key), "{key}");
        }
    }
}

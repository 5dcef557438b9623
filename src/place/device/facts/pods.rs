//! Pods.

use super::Meta;
use super::read::{Datum, Read, Reader};
use crate::place::device::amount::Amount;
use crate::place::device::sorted::Sorted;
use serde_json::Value;

object! {
    /// A Pod.
    Pod {
        /// Its metadata.
        metadata: Meta = "metadata",
        /// Its spec.
        spec: PodSpec = "spec",
        /// Its status.
        status: PodStatus = "status",
    }
}

object! {
    /// What a workload makes its pods from.
    PodTemplate {
        /// Their spec.
        spec: PodSpec = "spec",
    }
}

object! {
    /// `spec` of a Pod.
    PodSpec {
        /// Init containers.
        init_containers: Vec<Container> = "initContainers",
        /// Containers.
        containers: Vec<Container> = "containers",
        /// Claims.
        resource_claims: Vec<PodClaim> = "resourceClaims",
        /// The node it runs on.
        node_name: String = "nodeName",
        /// Resources of the pod as a whole.
        resources: Resources = "resources",
        /// What running it takes beside its containers.
        overhead: Sorted<String, Amount> = "overhead",
        /// The group of pods that are scheduled together.
        scheduling_group: Option<Value> = "schedulingGroup",
        /// Priority; absent: 0.
        priority: i64 = "priority",
    }
}

object! {
    /// A container.
    Container {
        /// Name.
        name: String = "name",
        /// Its resources.
        resources: Resources = "resources",
        /// `Always` for a sidecar.
        restart_policy: Option<String> = "restartPolicy",
    }
}

object! {
    /// `resources` of a container or a pod.
    Resources {
        /// Requests.
        requests: Sorted<String, Amount> = "requests",
        /// Limits.
        limits: Sorted<String, Amount> = "limits",
        /// Claims that the container uses, by their names within the pod.
        claims: Vec<UsedClaim> = "claims",
    }
}

object! {
    /// `resources.claims[]` of a container.
    UsedClaim {
        /// Name within the pod.
        name: String = "name",
    }
}

object! {
    /// `spec.resourceClaims[]`.
    PodClaim {
        /// Name within the pod.
        name: String = "name",
        /// A claim by name.
        resource_claim_name: Option<String> = "resourceClaimName",
        /// A claim made from a template.
        resource_claim_template_name: Option<String> = "resourceClaimTemplateName",
    }
}

object! {
    /// `status` of a Pod.
    PodStatus {
        /// Claims made from templates.
        resource_claim_statuses: Option<Vec<PodClaimStatus>> = "resourceClaimStatuses",
        /// `Succeeded` or `Failed` once it has ended.
        phase: String = "phase",
        /// The node that the scheduler means to make room on.
        nominated_node_name: String = "nominatedNodeName",
        /// Conditions.
        conditions: Vec<PodCondition> = "conditions",
        /// What the containers have.
        container_statuses: Vec<ContainerStatus> = "containerStatuses",
        /// What the init containers have.
        init_container_statuses: Vec<ContainerStatus> = "initContainerStatuses",
        /// What the pod as a whole has.
        resources: Option<Resources> = "resources",
        /// What the node has set aside for the pod as a whole.
        allocated_resources: Sorted<String, Amount> = "allocatedResources",
        /// Resources of the node that its devices take.
        node_allocatable_resource_claim_statuses: Vec<NodeResourceClaim> = "nodeAllocatableResourceClaimStatuses",
    }
}

object! {
    /// `status.conditions[]`.
    PodCondition {
        /// Type.
        kind: String = "type",
        /// Reason.
        reason: String = "reason",
    }
}

object! {
    /// `status.containerStatuses[]`.
    ContainerStatus {
        /// The container.
        name: String = "name",
        /// What it has.
        resources: Option<Resources> = "resources",
        /// What the node has set aside for it.
        allocated_resources: Sorted<String, Amount> = "allocatedResources",
    }
}

object! {
    /// `status.nodeAllocatableResourceClaimStatuses[]`, as 1.36 has it.
    NodeResourceClaim {
        /// The claim.
        resource_claim_name: String = "resourceClaimName",
        /// What its devices take.
        resources: Sorted<String, Amount> = "resources",
    }
}

object! {
    /// `status.resourceClaimStatuses[]`.
    PodClaimStatus {
        /// Name within the pod.
        name: String = "name",
        /// Name of the claim; absent: none is needed.
        resource_claim_name: Option<String> = "resourceClaimName",
    }
}

impl Pod {
    /// The claim that an entry of `spec.resourceClaims` stands for; `None`: none is there, or none is needed.
    pub fn claim_of(&self, entry: &str) -> Option<&str> {
        let entry = self.spec.resource_claims.iter().find(|known| known.name == entry)?;
        let statuses = self.status.resource_claim_statuses.as_deref().unwrap_or_default();
        let made = || statuses.iter().find(|status| status.name == entry.name)?.resource_claim_name.as_deref();
        entry.resource_claim_name.as_deref().or_else(made)
    }
}

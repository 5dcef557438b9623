//! Pods.

use super::Meta;
use super::read::{Datum, Read, Reader};
use crate::place::device::amount::Amount;
use crate::place::device::sorted::Sorted;

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
    /// `resources` of a container.
    Resources {
        /// Requests.
        requests: Sorted<String, Amount> = "requests",
        /// Limits.
        limits: Sorted<String, Amount> = "limits",
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

//! Pods.

use super::{Meta, nullable};
use crate::place::device::amount::Amount;
use serde::Deserialize;
use std::collections::BTreeMap;

object! {
    /// A Pod.
    Pod {
        /// Its metadata.
        metadata: Meta,
        /// Its spec.
        spec: PodSpec,
        /// Its status.
        status: PodStatus,
    }
}

object! {
    /// `spec` of a Pod.
    PodSpec {
        /// Init containers.
        init_containers: Vec<Container>,
        /// Containers.
        containers: Vec<Container>,
        /// Claims.
        resource_claims: Vec<PodClaim>,
        /// The node it runs on.
        node_name: String,
    }
}

object! {
    /// A container.
    Container {
        /// Name.
        name: String,
        /// Its resources.
        resources: Resources,
        /// `Always` for a sidecar.
        restart_policy: Option<String>,
    }
}

object! {
    /// `resources` of a container.
    Resources {
        /// Requests.
        requests: BTreeMap<String, Amount>,
        /// Limits.
        limits: BTreeMap<String, Amount>,
    }
}

object! {
    /// `spec.resourceClaims[]`.
    PodClaim {
        /// Name within the pod.
        name: String,
        /// A claim by name.
        resource_claim_name: Option<String>,
        /// A claim made from a template.
        resource_claim_template_name: Option<String>,
    }
}

object! {
    /// `status` of a Pod.
    PodStatus {
        /// Claims made from templates.
        resource_claim_statuses: Option<Vec<PodClaimStatus>>,
    }
}

object! {
    /// `status.resourceClaimStatuses[]`.
    PodClaimStatus {
        /// Name within the pod.
        name: String,
        /// Name of the claim; absent: none is needed.
        resource_claim_name: Option<String>,
    }
}

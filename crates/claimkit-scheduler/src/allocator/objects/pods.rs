//! Pods.

use super::defaults::DEFAULT_SCHEDULER;
use super::placement::{Affinity, SpreadConstraint};
use super::read::{Datum, FactReader, ReadFact};
use super::resources::Resources;
use super::volumes::VolumeClaimTemplate;
use super::{Meta, Toleration};
use crate::allocator::amount::Amount;
use crate::allocator::sorted::Sorted;
use serde::Serialize;

object! {
    Pod {
        metadata: Meta = "metadata",
        spec: PodSpec = "spec",
        status: PodStatus = "status",
    }
}

object! {
    /// The template of a workload's pods.
    PodTemplate {
        metadata: Meta = "metadata",
        spec: PodSpec = "spec",
    }
}

object! {
    /// `spec` of a Pod.
    PodSpec {
        init_containers: Vec<Container> = "initContainers",
        containers: Vec<Container> = "containers",
        resource_claims: Vec<PodClaim> = "resourceClaims",
        /// The node it runs on.
        node_name: String = "nodeName",
        /// Resources of the pod as a whole.
        resources: Resources = "resources",
        /// Resources needed in addition to those of the containers.
        overhead: Sorted<String, Amount> = "overhead",
        /// The group of pods that are scheduled together.
        scheduling_group: Option<SchedulingGroup> = "schedulingGroup",
        /// The Workload with whose pods it is scheduled, in Kubernetes 1.35 alone.
        workload_ref: Option<WorkloadReference> = "workloadRef",
        /// Priority; absent: that of its class.
        priority: Option<i64> = "priority",
        priority_class_name: String = "priorityClassName",
        /// `Never`: it preempts no other pod.
        preemption_policy: Option<String> = "preemptionPolicy",
        /// The name of its scheduler; empty: `default-scheduler`.
        scheduler_name: String = "schedulerName",
        /// It is not scheduled before these are gone.
        scheduling_gates: Vec<SchedulingGate> = "schedulingGates",
        /// Labels that its node must have.
        node_selector: Sorted<String, String> = "nodeSelector",
        /// Rules about nodes and other pods.
        affinity: Affinity = "affinity",
        /// Taints of nodes that it tolerates.
        tolerations: Vec<Toleration> = "tolerations",
        /// The rules for spreading it over nodes.
        topology_spread_constraints: Vec<SpreadConstraint> = "topologySpreadConstraints",
        /// It uses the node's network.
        host_network: bool = "hostNetwork",
        volumes: Vec<Volume> = "volumes",
        /// The class whose overhead counts.
        runtime_class_name: Option<String> = "runtimeClassName",
    }
}

impl PodSpec {
    /// Returns the name of its scheduler.
    pub fn scheduler(&self) -> &str {
        match self.scheduler_name.as_str() {
            "" => DEFAULT_SCHEDULER,
            named => named,
        }
    }

    /// Returns the priority; 0 where none is set.
    pub fn effective_priority(&self) -> i64 {
        self.priority.unwrap_or(0)
    }
}

object! {
    /// `spec.schedulingGroup`.
    #[derive(Eq)]
    SchedulingGroup {
        pod_group_name: Option<String> = "podGroupName",
    }
}

object! {
    /// `spec.workloadRef`.
    #[derive(Eq)]
    WorkloadReference {
        name: String = "name",
        pod_group: String = "podGroup",
    }
}

object! {
    /// `spec.schedulingGates[]`.
    #[derive(Eq)]
    SchedulingGate {
        name: String = "name",
    }
}

object! {
    /// `spec.volumes[]`: those that a node may be unable to offer.
    Volume {
        name: String = "name",
        /// A claim for a volume.
        persistent_volume_claim: Option<VolumeClaimSource> = "persistentVolumeClaim",
        /// A claim made for the pod.
        ephemeral: Option<EphemeralVolume> = "ephemeral",
        gce_persistent_disk: Option<GceDisk> = "gcePersistentDisk",
        aws_elastic_block_store: Option<AwsDisk> = "awsElasticBlockStore",
        iscsi: Option<IscsiDisk> = "iscsi",
        rbd: Option<RbdImage> = "rbd",
    }
}

object! {
    /// `persistentVolumeClaim` of a volume.
    #[derive(Eq)]
    VolumeClaimSource {
        claim_name: String = "claimName",
    }
}

object! {
    /// `ephemeral` of a volume.
    EphemeralVolume {
        template: VolumeClaimTemplate = "volumeClaimTemplate",
    }
}

object! {
    /// `gcePersistentDisk` of a volume.
    #[derive(Eq)]
    GceDisk {
        name: String = "pdName",
        read_only: bool = "readOnly",
    }
}

object! {
    /// `awsElasticBlockStore` of a volume.
    #[derive(Eq)]
    AwsDisk {
        id: String = "volumeID",
    }
}

object! {
    /// `iscsi` of a volume.
    #[derive(Eq)]
    IscsiDisk {
        iqn: String = "iqn",
        read_only: bool = "readOnly",
    }
}

object! {
    /// `rbd` of a volume.
    #[derive(Eq)]
    RbdImage {
        monitors: Vec<String> = "monitors",
        image: String = "image",
        /// Empty: `rbd`.
        pool: String = "pool",
        read_only: bool = "readOnly",
    }
}

impl Pod {
    /// Returns the name of the PodGroup with which it is scheduled.
    pub fn group_name(&self) -> Option<&str> {
        let group = self.spec.scheduling_group.as_ref()?;
        group.pod_group_name.as_deref()
    }

    /// Returns the name of the PersistentVolumeClaim of a volume; `None`: it needs none.
    pub fn volume_claim_of(&self, volume: &Volume) -> Option<String> {
        if let Some(source) = &volume.persistent_volume_claim {
            return Some(source.claim_name.clone());
        }
        volume
            .ephemeral
            .as_ref()
            .map(|_| format!("{}-{}", self.metadata.name, volume.name))
    }
}

object! {
    Container {
        name: String = "name",
        image: String = "image",
        ports: Vec<ContainerPort> = "ports",
        resources: Resources = "resources",
        /// `Always` for a sidecar.
        restart_policy: Option<String> = "restartPolicy",
    }
}

object! {
    /// `ports[]` of a container.
    #[derive(Eq)]
    ContainerPort {
        container_port: i64 = "containerPort",
        /// The node's port; 0: none.
        host_port: i64 = "hostPort",
        /// The node's address; empty: all.
        host_ip: String = "hostIP",
        /// Protocol; empty means TCP.
        protocol: String = "protocol",
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
        /// When it was accepted by its node: RFC 3339.
        start_time: Option<String> = "startTime",
        conditions: Vec<PodCondition> = "conditions",
        /// The state of the containers.
        container_statuses: Vec<ContainerStatus> = "containerStatuses",
        /// The state of the init containers.
        init_container_statuses: Vec<ContainerStatus> = "initContainerStatuses",
        /// The resources of the pod as a whole.
        resources: Option<Resources> = "resources",
        /// The resources that the node has allocated to the pod as a whole.
        allocated_resources: Sorted<String, Amount> = "allocatedResources",
        /// Resources of the node that its devices take.
        node_allocatable_resource_claim_statuses: Vec<NodeResourceClaim> = "nodeAllocatableResourceClaimStatuses",
    }
}

object! {
    /// `status.conditions[]`.
    PodCondition {
        kind: String = "type",
        /// `True`, `False` or `Unknown`.
        status: String = "status",
        reason: String = "reason",
        message: String = "message",
    }
}

object! {
    /// `status.containerStatuses[]`.
    ContainerStatus {
        name: String = "name",
        state: ContainerState = "state",
        resources: Option<Resources> = "resources",
        /// The resources that the node has allocated to the container.
        allocated_resources: Sorted<String, Amount> = "allocatedResources",
        /// The health of its devices.
        allocated_resources_status: Vec<ResourceStatus> = "allocatedResourcesStatus",
    }
}

/// Reasons of containers that are on their way.
const ON_ITS_WAY: [&str; 3] = ["", "ContainerCreating", "PodInitializing"];

impl ContainerStatus {
    /// Returns why the container does not run, if something keeps it from that.
    pub fn hindrance(&self) -> Option<&ContainerWaiting> {
        let waiting = self.state.waiting.as_ref()?;
        (!ON_ITS_WAY.contains(&waiting.reason.as_str())).then_some(waiting)
    }
}

object! {
    /// `status.containerStatuses[].state`.
    ContainerState {
        /// Why it does not run yet.
        waiting: Option<ContainerWaiting> = "waiting",
    }
}

object! {
    /// `status.containerStatuses[].state.waiting`.
    ContainerWaiting {
        reason: String = "reason",
        message: String = "message",
    }
}

object! {
    /// `status.containerStatuses[].allocatedResourcesStatus[]`.
    ResourceStatus {
        /// `claim:` and the name of the pod's entry, with `/` and the request if it names one.
        name: String = "name",
        resources: Vec<ResourceHealth> = "resources",
    }
}

object! {
    /// `status.containerStatuses[].allocatedResourcesStatus[].resources[]`.
    ResourceHealth {
        resource_id: String = "resourceID",
        /// `Healthy`, `Unhealthy` or `Unknown`.
        health: String = "health",
        /// What the driver says of it, since 1.36.
        message: String = "message",
    }
}

object! {
    /// `status.nodeAllocatableResourceClaimStatuses[]`.
    NodeResourceClaim {
        resource_claim_name: String = "resourceClaimName",
        /// The resources that its devices consume, in 1.36.
        resources: Sorted<String, Amount> = "resources",
        /// The containers that use the claim, since 1.37.
        containers: Vec<String> = "containers",
        /// What its devices stand for, since 1.37.
        mapping: Vec<MappedResource> = "mapping",
        /// What its users take beside, since 1.37.
        overhead: Vec<OverheadResource> = "overhead",
    }
}

object! {
    /// `mapping[]` of such a status.
    #[derive(Serialize)]
    MappedResource {
        name: String = "name",
        quantity: Option<Amount> = "quantity",
    }
}

object! {
    /// `overhead[]` of such a status.
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    OverheadResource {
        name: String = "name",
        #[serde(skip_serializing_if = "Option::is_none")]
        per_pod: Option<Amount> = "perPod",
        #[serde(skip_serializing_if = "Option::is_none")]
        per_container: Option<Amount> = "perContainer",
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
    /// Returns the claim that an entry of `spec.resourceClaims` stands for; `None`: none is there, or none is needed.
    pub fn claim_of(&self, entry: &str) -> Option<&str> {
        let entry = self
            .spec
            .resource_claims
            .iter()
            .find(|known| known.name == entry)?;
        let statuses = self
            .status
            .resource_claim_statuses
            .as_deref()
            .unwrap_or_default();
        entry.resource_claim_name.as_deref().or_else(|| {
            statuses
                .iter()
                .find(|status| status.name == entry.name)?
                .resource_claim_name
                .as_deref()
        })
    }
}

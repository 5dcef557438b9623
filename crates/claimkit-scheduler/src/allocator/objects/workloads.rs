//! Objects that make pods, and objects that say something about groups of pods.

use super::placement::LabelSelector;
use super::read::{Datum, FactReader, ReadFact};
use super::{Meta, PodClaim, PodCondition, PodTemplate, VolumeClaimTemplate};
use crate::allocator::sorted::Sorted;

/// The kinds whose pods are counted by the engine itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkloadKind {
    /// `apps/v1`: its pods belong to a ReplicaSet that it makes.
    #[default]
    Deployment,
    /// `apps/v1`.
    ReplicaSet,
    /// `v1`.
    ReplicationController,
    /// `apps/v1`: its pods are numbered.
    StatefulSet,
    /// `apps/v1`: a pod for each node.
    DaemonSet,
    /// `batch/v1`: `parallelism` pods at a time.
    Job,
    /// Another kind, whose pods were counted when it was read: `replicas` of them.
    Other,
}

impl WorkloadKind {
    /// Returns the kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "Deployment" => WorkloadKind::Deployment,
            "ReplicaSet" => WorkloadKind::ReplicaSet,
            "ReplicationController" => WorkloadKind::ReplicationController,
            "StatefulSet" => WorkloadKind::StatefulSet,
            "DaemonSet" => WorkloadKind::DaemonSet,
            "Job" => WorkloadKind::Job,
            _ => return None,
        })
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            WorkloadKind::Deployment => "Deployment",
            WorkloadKind::ReplicaSet => "ReplicaSet",
            WorkloadKind::ReplicationController => "ReplicationController",
            WorkloadKind::StatefulSet => "StatefulSet",
            WorkloadKind::DaemonSet => "DaemonSet",
            WorkloadKind::Job => "Job",
            WorkloadKind::Other => "",
        }
    }

    /// Returns its group and version.
    pub fn api_version(self) -> &'static str {
        match self {
            WorkloadKind::ReplicationController => "v1",
            WorkloadKind::Job => "batch/v1",
            WorkloadKind::Other => "",
            _ => "apps/v1",
        }
    }
}

/// The condition of an object that cannot make or end pods (kube-controller-manager, `pkg/controller/replicaset`, and that of Deployments).
const REPLICA_FAILURE: &str = "ReplicaFailure";

object! {
    /// An object that makes pods from a template.
    Workload {
        kind: WorkloadKind,
        /// The kind's name where it is another kind.
        other_kind: String,
        /// The part of the pods' names that sets them apart from others of the same object, where it is another kind.
        suffix: String,
        metadata: Meta = "metadata",
        spec: WorkloadSpec = "spec",
        status: WorkloadStatus = "status",
    }
}

object! {
    /// `status` of an object that makes pods.
    WorkloadStatus {
        conditions: Vec<PodCondition> = "conditions",
    }
}

impl Workload {
    /// Returns why it cannot make pods now, as its controller says.
    pub fn replica_failure(&self) -> Option<&str> {
        let mut conditions = self.status.conditions.iter();
        let failure = conditions
            .find(|condition| condition.kind == REPLICA_FAILURE && condition.status == "True")?;
        Some(&failure.message)
    }
}

object! {
    /// `spec` of an object that makes pods.
    WorkloadSpec {
        /// How many pods; absent: 1.
        replicas: Option<i64> = "replicas",
        selector: Option<PodSelector> = "selector",
        /// For a Job: pods at a time; absent: 1.
        parallelism: Option<i64> = "parallelism",
        /// For a Job: pods that must succeed.
        completions: Option<i64> = "completions",
        /// For a Job: it makes no pods.
        suspend: bool = "suspend",
        /// For a StatefulSet: the first number.
        ordinals: Ordinals = "ordinals",
        /// For a StatefulSet: claims for volumes that each pod has of its own.
        volume_claim_templates: Vec<VolumeClaimTemplate> = "volumeClaimTemplates",
        template: PodTemplate = "template",
    }
}

/// `spec.selector` of a workload: a label selector, or the labels alone as a ReplicationController has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodSelector(pub LabelSelector);

impl ReadFact for PodSelector {
    fn read(datum: Datum<'_>, reader: &mut FactReader) -> Self {
        let mut labels = false;
        reader.object(datum, &mut |name, _, _| {
            labels |= !matches!(name, "matchLabels" | "matchExpressions")
        });
        let selector = if labels {
            LabelSelector {
                match_labels: Sorted::read(datum, reader),
                match_expressions: Vec::new(),
            }
        } else {
            LabelSelector::read(datum, reader)
        };
        PodSelector(selector)
    }
}

object! {
    /// `spec.ordinals` of a StatefulSet.
    Ordinals {
        start: i64 = "start",
    }
}

object! {
    Service {
        metadata: Meta = "metadata",
        spec: ServiceSpec = "spec",
    }
}

object! {
    /// `spec` of a Service.
    ServiceSpec {
        /// Labels of its pods; absent: none belong to it.
        selector: Option<Sorted<String, String>> = "selector",
    }
}

object! {
    PriorityClass {
        metadata: Meta = "metadata",
        value: i64 = "value",
        /// It is for pods that name no class.
        global_default: bool = "globalDefault",
        /// `Never`: its pods preempt no others.
        preemption_policy: Option<String> = "preemptionPolicy",
    }
}

object! {
    /// A PodGroup of `scheduling.k8s.io`.
    PodGroup {
        metadata: Meta = "metadata",
        spec: PodGroupSpec = "spec",
        status: PodGroupStatus = "status",
    }
}

object! {
    /// `spec` of a PodGroup.
    PodGroupSpec {
        /// The scheduling policy of its pods.
        scheduling_policy: SchedulingPolicy = "schedulingPolicy",
        /// Rules about the nodes of its pods together.
        scheduling_constraints: SchedulingConstraints = "schedulingConstraints",
        /// Claims of the group.
        resource_claims: Vec<PodClaim> = "resourceClaims",
        /// Priority; absent: that of its class.
        priority: Option<i64> = "priority",
        priority_class_name: String = "priorityClassName",
        /// Whether its pods preempt others; absent: as its first pod.
        preemption_policy: Option<String> = "preemptionPolicy",
    }
}

object! {
    /// `spec.schedulingPolicy` of a PodGroup.
    SchedulingPolicy {
        /// All or nothing; absent: one by one.
        gang: Option<Gang> = "gang",
    }
}

object! {
    /// `spec.schedulingConstraints` of a PodGroup.
    SchedulingConstraints {
        topology: Vec<TopologyConstraint> = "topology",
    }
}

object! {
    /// `topology[]`: the nodes of all pods of a group have the same value of a label.
    #[derive(Eq)]
    TopologyConstraint {
        key: String = "key",
    }
}

object! {
    /// `gang`.
    Gang {
        /// Fewer pods than this are not started.
        min_count: i64 = "minCount",
    }
}

object! {
    /// `status` of a PodGroup.
    PodGroupStatus {
        /// Claims made from templates.
        resource_claim_statuses: Vec<super::PodClaimStatus> = "resourceClaimStatuses",
    }
}

object! {
    PodDisruptionBudget {
        metadata: Meta = "metadata",
        spec: BudgetSpec = "spec",
        status: BudgetStatus = "status",
    }
}

object! {
    /// `spec` of a PodDisruptionBudget.
    BudgetSpec {
        selector: Option<LabelSelector> = "selector",
    }
}

object! {
    /// `status` of a PodDisruptionBudget.
    BudgetStatus {
        /// How many of its pods may be disrupted now.
        disruptions_allowed: i64 = "disruptionsAllowed",
    }
}

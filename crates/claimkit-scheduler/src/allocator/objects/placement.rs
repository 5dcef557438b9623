//! Rules about where a pod may run: affinity and spreading.

use super::NodeSelector;
use super::read::{Datum, FactReader, ReadFact};
use crate::allocator::sorted::Sorted;

object! {
    /// `spec.affinity` of a Pod.
    Affinity {
        node_affinity: NodeAffinity = "nodeAffinity",
        pod_affinity: PodAffinity = "podAffinity",
        /// Away from other pods.
        pod_anti_affinity: PodAffinity = "podAntiAffinity",
    }
}

object! {
    /// `nodeAffinity`.
    NodeAffinity {
        /// The node must match.
        required: Option<NodeSelector> = "requiredDuringSchedulingIgnoredDuringExecution",
        /// Nodes that match are better.
        preferred: Vec<PreferredNodes> = "preferredDuringSchedulingIgnoredDuringExecution",
    }
}

object! {
    /// A preference for nodes.
    PreferredNodes {
        /// How much it counts: 1 to 100.
        weight: i64 = "weight",
        preference: super::NodeSelectorTerm = "preference",
    }
}

object! {
    /// `podAffinity` or `podAntiAffinity`.
    PodAffinity {
        /// All of these must hold.
        required: Vec<PodAffinityTerm> = "requiredDuringSchedulingIgnoredDuringExecution",
        /// Each that holds counts.
        preferred: Vec<PreferredPods> = "preferredDuringSchedulingIgnoredDuringExecution",
    }
}

object! {
    /// A preference for other pods.
    PreferredPods {
        /// How much it counts: 1 to 100.
        weight: i64 = "weight",
        pod_affinity_term: PodAffinityTerm = "podAffinityTerm",
    }
}

object! {
    /// Other pods, and how near.
    #[derive(Eq)]
    PodAffinityTerm {
        /// The pods; absent: none.
        label_selector: Option<LabelSelector> = "labelSelector",
        namespaces: Vec<String> = "namespaces",
        /// More namespaces, by their labels.
        namespace_selector: Option<LabelSelector> = "namespaceSelector",
        /// Nodes with the same value of this label are near.
        topology_key: String = "topologyKey",
        /// Labels of the pod itself that the others must have, too.
        match_label_keys: Vec<String> = "matchLabelKeys",
        /// Labels of the pod itself that the others must not have.
        mismatch_label_keys: Vec<String> = "mismatchLabelKeys",
    }
}

object! {
    /// `topologySpreadConstraints[]`.
    #[derive(Eq)]
    SpreadConstraint {
        /// How far the counts may differ.
        max_skew: i64 = "maxSkew",
        /// Nodes with the same value of this label form a domain.
        topology_key: String = "topologyKey",
        /// `DoNotSchedule` or `ScheduleAnyway`.
        when_unsatisfiable: String = "whenUnsatisfiable",
        /// The pods that count; absent: none.
        label_selector: Option<LabelSelector> = "labelSelector",
        /// With fewer domains the least count is 0.
        min_domains: Option<i64> = "minDomains",
        /// `Honor` or `Ignore`.
        node_affinity_policy: Option<String> = "nodeAffinityPolicy",
        /// `Honor` or `Ignore`.
        node_taints_policy: Option<String> = "nodeTaintsPolicy",
        /// Labels of the pod itself that the others must have, too.
        match_label_keys: Vec<String> = "matchLabelKeys",
    }
}

object! {
    #[derive(Eq)]
    LabelSelector {
        /// Labels with these values.
        match_labels: Sorted<String, String> = "matchLabels",
        match_expressions: Vec<LabelRequirement> = "matchExpressions",
    }
}

object! {
    /// `matchExpressions[]` of a label selector.
    #[derive(Eq)]
    LabelRequirement {
        key: String = "key",
        /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
        operator: String = "operator",
        values: Vec<String> = "values",
    }
}

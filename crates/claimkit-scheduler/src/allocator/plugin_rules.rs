//! What the scheduler's plugin does differently from one release to another.

use super::engine::CelSelectors;
use super::objects::Facts;
use super::taints;
use claimkit_model::schema::device::{ADMIN_LABEL, FIRST_ADMIN_LABEL};

/// The differences between the plugins of the releases: 1.34.9, 1.36.3, 1.37.2 and 1.38.0-beta.0 were run, the others were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PluginRules {
    /// First release with these rules, minor and patch.
    pub from: (u8, u8),
    /// The message about a claim of another pod; `{claim}` and `{pod}` stand for their names.
    pub not_owner: &'static str,
    /// Claims may be left to a controller of their driver.
    pub knows_controllers: bool,
    /// A request with neither `exactly` nor `firstAvailable` has an error text of its own.
    pub refuses_unknown_requests: bool,
    /// Chosen sub-requests give a score.
    pub scores: bool,
    /// `Score` looks allocations up by the index of their claim, and so fails for a pod with claims that are allocated already.
    pub scores_by_index: bool,
    /// Gates that must be on for DeviceTaintRules to count.
    rule_gates: &'static [&'static str],
    /// A resource with allocatable 0 counts as provided by a device plugin.
    pub zero_allocatable_counts: bool,
    /// `deviceclass.resource.kubernetes.io/<class>` is an extended resource.
    pub knows_class_names: bool,
    /// If several classes serve one resource name, the last in the list is taken.
    pub last_class_serves: bool,
    /// If a claim is needed, it also requests resources that the node's device plugins provide.
    pub asks_beside_plugins: bool,
    /// Init containers use the devices of the containers after them.
    pub init_containers_reuse: bool,
    /// The result says which request serves which container.
    pub request_mappings: bool,
    /// Label that a namespace needs for administrative access.
    pub admin_label: Option<&'static str>,
    /// A search that took too long is an error that names the node; else the node is refused.
    pub timeout_names_node: bool,
    /// PostFilter gives a reason if nothing is freed.
    pub post_filter_says_why: bool,
    /// A DeviceTaintRule without a selector selects every device; else none.
    pub rules_select_by_default: bool,
    /// Eviction compares DeviceTaintRules with the names in allocations (kube-controller-manager).
    pub rules_evict_by_name: bool,
    /// A claim whose consumed capacity is negative stops every pod that needs devices.
    pub refuses_negative_consumption: bool,
}

const V31: PluginRules = PluginRules {
    from: (31, 0),
    not_owner: "ResourceClaim {claim} was not created for pod {pod} (pod is not owner)",
    knows_controllers: true,
    refuses_unknown_requests: false,
    scores: false,
    scores_by_index: false,
    rule_gates: &["DRADeviceTaints"],
    zero_allocatable_counts: true,
    knows_class_names: false,
    last_class_serves: true,
    asks_beside_plugins: true,
    init_containers_reuse: false,
    request_mappings: false,
    admin_label: None,
    timeout_names_node: false,
    post_filter_says_why: true,
    rules_select_by_default: true,
    rules_evict_by_name: false,
    refuses_negative_consumption: false,
};

const V32: PluginRules = PluginRules {
    from: (32, 0),
    knows_controllers: false,
    ..V31
};

const V33: PluginRules = PluginRules {
    from: (33, 0),
    admin_label: Some(FIRST_ADMIN_LABEL),
    ..V32
};

const V34: PluginRules = PluginRules {
    from: (34, 0),
    refuses_unknown_requests: true,
    admin_label: Some(ADMIN_LABEL),
    ..V33
};

const V35_0: PluginRules = PluginRules {
    from: (35, 0),
    scores: true,
    scores_by_index: true,
    rule_gates: &["DRADeviceTaints", "DRADeviceTaintRules"],
    rules_evict_by_name: true,
    zero_allocatable_counts: false,
    knows_class_names: true,
    last_class_serves: false,
    asks_beside_plugins: false,
    init_containers_reuse: true,
    request_mappings: true,
    ..V34
};

const V35_6: PluginRules = PluginRules {
    from: (35, 6),
    scores_by_index: false,
    ..V35_0
};

const V36_0: PluginRules = PluginRules {
    from: (36, 0),
    not_owner: "ResourceClaim {claim} was not created for Pod {pod} (Pod is not owner)",
    timeout_names_node: true,
    ..V35_0
};

const V36_2: PluginRules = PluginRules {
    from: (36, 2),
    scores_by_index: false,
    ..V36_0
};

const V37_0: PluginRules = PluginRules {
    from: (37, 0),
    post_filter_says_why: false,
    ..V36_2
};

const V37_1: PluginRules = PluginRules {
    from: (37, 1),
    rules_select_by_default: false,
    ..V37_0
};

const V38: PluginRules = PluginRules {
    from: (38, 0),
    refuses_negative_consumption: true,
    ..V37_1
};

static RULES: &[PluginRules] = &[
    V38, V37_1, V37_0, V36_2, V36_0, V35_6, V35_0, V34, V33, V32, V31,
];

impl PluginRules {
    /// Returns the rules of a release.
    pub fn of(minor: u8, patch: u8) -> &'static Self {
        RULES
            .iter()
            .find(|rules| rules.from <= (minor, patch))
            .unwrap_or(&V31)
    }

    /// Adds the taints of DeviceTaintRules if the scheduler uses them; otherwise returns the first gate that it lacks.
    pub fn apply_taint_rules(
        &self,
        facts: &mut Facts,
        gate: impl Fn(&str) -> bool,
        selectors: &CelSelectors,
    ) -> Option<&'static str> {
        let off = self.gate_of_rules(gate);
        if off.is_none() {
            taints::apply_rules(facts, selectors, self.rules_select_by_default);
        }
        off
    }

    /// Returns the gate without which taint rules have no effect, if it is off.
    pub fn gate_of_rules(&self, gate: impl Fn(&str) -> bool) -> Option<&'static str> {
        self.rule_gates.iter().find(|name| !gate(name)).copied()
    }
}

//! ResourceSlices and DeviceTaintRules.

use super::read::{Datum, FactReader, ReadFact};
use super::{Meta, NodeSelector, Selector};
use crate::allocator::amount::Amount;
use crate::allocator::sorted::Sorted;

object! {
    Slice {
        metadata: Meta = "metadata",
        spec: SliceSpec = "spec",
    }
}

object! {
    /// `spec` of a ResourceSlice.
    SliceSpec {
        driver: String = "driver",
        pool: PoolRef = "pool",
        /// The node of all devices.
        node_name: Option<String> = "nodeName",
        /// The nodes of all devices.
        node_selector: Option<NodeSelector> = "nodeSelector",
        all_nodes: Option<bool> = "allNodes",
        devices: Vec<Device> = "devices",
        /// Each device says where it is.
        per_device_node_selection: Option<bool> = "perDeviceNodeSelection",
        /// Counters that devices of the pool consume.
        shared_counters: Vec<CounterSet> = "sharedCounters",
        /// The operations that kubelet skips for the devices.
        skip_node_operations: Vec<String> = "skipNodeOperations",
    }
}

object! {
    /// `spec.pool`.
    PoolRef {
        name: String = "name",
        generation: i64 = "generation",
        /// Slices of the pool at this generation.
        resource_slice_count: i64 = "resourceSliceCount",
    }
}

object! {
    /// `spec.sharedCounters[]`.
    CounterSet {
        name: String = "name",
        counters: Sorted<String, Counter> = "counters",
    }
}

object! {
    Counter {
        value: Amount = "value",
    }
}

object! {
    /// `spec.devices[]`.
    Device {
        name: String = "name",
        attributes: Sorted<String, Attribute> = "attributes",
        capacity: Sorted<String, Capacity> = "capacity",
        /// Counters used up while the device is allocated.
        consumes_counters: Vec<Consumption> = "consumesCounters",
        /// With per-device node selection: its node.
        node_name: Option<String> = "nodeName",
        /// With per-device node selection: its nodes.
        node_selector: Option<NodeSelector> = "nodeSelector",
        /// With per-device node selection: all nodes.
        all_nodes: Option<bool> = "allNodes",
        /// Taints, the driver's and those of rules.
        taints: Vec<Taint> = "taints",
        /// The result's node selector names the node.
        binds_to_node: Option<bool> = "bindsToNode",
        /// Conditions awaited before binding; `None` where the field is not set at all.
        binding_conditions: Option<Vec<String>> = "bindingConditions",
        /// Conditions that fail binding.
        binding_failure_conditions: Option<Vec<String>> = "bindingFailureConditions",
        /// Several allocations may share the device.
        allow_multiple_allocations: Option<bool> = "allowMultipleAllocations",
        /// Resources of the node that the device uses.
        node_allocatable_resource_mappings: Sorted<String, NodeResource> = "nodeAllocatableResourceMappings",
        /// Resources of the node that the device takes, since 1.37.
        node_allocatable_resources: Sorted<String, NodeAllocatable> = "nodeAllocatableResources",
        /// Up to 1.33 (v1beta1 and older): `basic` is missing, so the device is of no known kind and never offered.
        shapeless: bool,
    }
}

impl Device {
    /// Returns true if the device takes resources of the node.
    pub fn takes_node_resources(&self) -> bool {
        !self.node_allocatable_resource_mappings.is_empty()
            || !self.node_allocatable_resources.is_empty()
    }
}

object! {
    /// `nodeAllocatableResourceMappings` of a device.
    NodeResource {
        /// The capacity that counts.
        capacity_key: Option<String> = "capacityKey",
        /// The multiplier of the capacity, or the amount itself.
        allocation_multiplier: Option<Amount> = "allocationMultiplier",
    }
}

object! {
    /// `nodeAllocatableResources` of a device.
    NodeAllocatable {
        /// What the device itself stands for.
        mapping: Option<NodeMapping> = "mapping",
        /// What its users take beside it.
        overhead: Option<NodeOverhead> = "overhead",
    }
}

object! {
    /// `mapping` of a resource.
    NodeMapping {
        /// The capacity that counts.
        capacity_key: Option<String> = "capacityKey",
        /// The multiplier of the capacity.
        capacity_multiplier: Option<Amount> = "capacityMultiplier",
        /// The amount of the whole device.
        device_multiplier: Option<Amount> = "deviceMultiplier",
    }
}

object! {
    /// `overhead` of a resource.
    NodeOverhead {
        per_pod: Option<Amount> = "perPod",
        per_container: Option<Amount> = "perContainer",
    }
}

object! {
    /// An attribute's value: one of the fields.
    Attribute {
        string: Option<String> = "string",
        int: Option<i64> = "int",
        bool: Option<bool> = "bool",
        version: Option<String> = "version",
        strings: Vec<String> = "strings",
        ints: Vec<i64> = "ints",
        bools: Vec<bool> = "bools",
        versions: Vec<String> = "versions",
    }
}

object! {
    Capacity {
        /// How much there is.
        value: Amount = "value",
        /// The rules for rounding and limiting requests.
        request_policy: Option<RequestPolicy> = "requestPolicy",
    }
}

object! {
    /// `requestPolicy` of a capacity.
    RequestPolicy {
        /// Charged where nothing is requested.
        default: Option<Amount> = "default",
        /// Values that may be charged.
        valid_values: Vec<Amount> = "validValues",
        /// Range of what may be charged.
        valid_range: Option<ValidRange> = "validRange",
    }
}

object! {
    /// `validRange` of a request policy.
    ValidRange {
        min: Option<Amount> = "min",
        max: Option<Amount> = "max",
        /// Steps above `min`.
        step: Option<Amount> = "step",
    }
}

object! {
    /// `consumesCounters[]`.
    Consumption {
        counter_set: String = "counterSet",
        /// How much of its counters.
        counters: Sorted<String, Counter> = "counters",
        /// The groups of which one must be common to all devices that use the set.
        compatibility_groups: Vec<String> = "compatibilityGroups",
    }
}

object! {
    Taint {
        key: String = "key",
        value: String = "value",
        effect: String = "effect",
        /// The DeviceTaintRule it comes from; `None`: the driver.
        rule: Option<String>,
    }
}

impl Taint {
    /// Returns `key=value:effect`, as kubectl writes taints.
    pub fn name(&self) -> String {
        let value = if self.value.is_empty() {
            String::new()
        } else {
            format!("={}", self.value)
        };
        format!("{}{value}:{}", self.key, self.effect)
    }
}

object! {
    TaintRule {
        metadata: Meta = "metadata",
        spec: TaintRuleSpec = "spec",
    }
}

object! {
    /// `spec` of a DeviceTaintRule.
    TaintRuleSpec {
        device_selector: Option<TaintSelector> = "deviceSelector",
        taint: Taint = "taint",
    }
}

object! {
    /// `spec.deviceSelector` of a DeviceTaintRule.
    TaintSelector {
        /// 1.33, 1.34: devices of this class.
        device_class_name: Option<String> = "deviceClassName",
        driver: Option<String> = "driver",
        pool: Option<String> = "pool",
        device: Option<String> = "device",
        /// Selectors, in releases 1.33 and 1.34.
        selectors: Vec<Selector> = "selectors",
    }
}

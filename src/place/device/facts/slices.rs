//! ResourceSlices and DeviceTaintRules.

use super::read::{Datum, Read, Reader};
use super::{Meta, NodeSelector, Selector};
use crate::place::device::amount::Amount;
use crate::place::device::sorted::Sorted;

object! {
    /// A ResourceSlice.
    Slice {
        /// Its metadata.
        metadata: Meta = "metadata",
        /// Its spec.
        spec: SliceSpec = "spec",
    }
}

object! {
    /// `spec` of a ResourceSlice.
    SliceSpec {
        /// Driver.
        driver: String = "driver",
        /// Pool.
        pool: PoolRef = "pool",
        /// The node of all devices.
        node_name: Option<String> = "nodeName",
        /// The nodes of all devices.
        node_selector: Option<NodeSelector> = "nodeSelector",
        /// All nodes.
        all_nodes: Option<bool> = "allNodes",
        /// Devices.
        devices: Vec<Device> = "devices",
        /// Each device says where it is.
        per_device_node_selection: Option<bool> = "perDeviceNodeSelection",
        /// Counters that devices of the pool consume.
        shared_counters: Vec<CounterSet> = "sharedCounters",
    }
}

object! {
    /// `spec.pool`.
    PoolRef {
        /// Name.
        name: String = "name",
        /// Generation.
        generation: i64 = "generation",
        /// Slices of the pool at this generation.
        resource_slice_count: i64 = "resourceSliceCount",
    }
}

object! {
    /// `spec.sharedCounters[]`.
    CounterSet {
        /// Name.
        name: String = "name",
        /// Counters.
        counters: Sorted<String, Counter> = "counters",
    }
}

object! {
    /// A counter.
    Counter {
        /// How much.
        value: Amount = "value",
    }
}

object! {
    /// `spec.devices[]`.
    Device {
        /// Name.
        name: String = "name",
        /// Attributes.
        attributes: Sorted<String, Attribute> = "attributes",
        /// Capacity.
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
        /// May be shared.
        allow_multiple_allocations: Option<bool> = "allowMultipleAllocations",
        /// Resources of the node that the device uses.
        node_allocatable_resource_mappings: Sorted<String, NodeResource> = "nodeAllocatableResourceMappings",
        /// Up to 1.33 (v1beta1 and older): `basic` is missing, so the device is of no known kind and never offered.
        shapeless: bool,
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
    /// An attribute's value: one of the fields.
    Attribute {
        /// A string.
        string: Option<String> = "string",
        /// An integer.
        int: Option<i64> = "int",
        /// A boolean.
        bool: Option<bool> = "bool",
        /// A semantic version.
        version: Option<String> = "version",
        /// Strings.
        strings: Vec<String> = "strings",
        /// Integers.
        ints: Vec<i64> = "ints",
        /// Booleans.
        bools: Vec<bool> = "bools",
        /// Semantic versions.
        versions: Vec<String> = "versions",
    }
}

object! {
    /// A capacity.
    Capacity {
        /// How much there is.
        value: Amount = "value",
        /// How requests are rounded and limited.
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
        /// Least.
        min: Option<Amount> = "min",
        /// Most.
        max: Option<Amount> = "max",
        /// Steps above `min`.
        step: Option<Amount> = "step",
    }
}

object! {
    /// `consumesCounters[]`.
    Consumption {
        /// The set.
        counter_set: String = "counterSet",
        /// How much of its counters.
        counters: Sorted<String, Counter> = "counters",
    }
}

object! {
    /// A taint.
    Taint {
        /// Key.
        key: String = "key",
        /// Value.
        value: String = "value",
        /// Effect.
        effect: String = "effect",
        /// The DeviceTaintRule it comes from; `None`: the driver.
        rule: Option<String>,
    }
}

impl Taint {
    /// `key=value:effect`, as kubectl writes taints.
    pub fn name(&self) -> String {
        let value = if self.value.is_empty() { String::new() } else { format!("={}", self.value) };
        format!("{}{value}:{}", self.key, self.effect)
    }
}

object! {
    /// A DeviceTaintRule.
    TaintRule {
        /// Its metadata.
        metadata: Meta = "metadata",
        /// Its spec.
        spec: TaintRuleSpec = "spec",
    }
}

object! {
    /// `spec` of a DeviceTaintRule.
    TaintRuleSpec {
        /// Which devices.
        device_selector: Option<TaintSelector> = "deviceSelector",
        /// The taint.
        taint: Taint = "taint",
    }
}

object! {
    /// `spec.deviceSelector` of a DeviceTaintRule.
    TaintSelector {
        /// 1.33, 1.34: devices of this class.
        device_class_name: Option<String> = "deviceClassName",
        /// Driver.
        driver: Option<String> = "driver",
        /// Pool.
        pool: Option<String> = "pool",
        /// Device.
        device: Option<String> = "device",
        /// 1.33, 1.34: selectors.
        selectors: Vec<Selector> = "selectors",
    }
}

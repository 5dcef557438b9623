//! ResourceSlices and DeviceTaintRules.

use super::{Meta, NodeSelector, Selector, nullable};
use crate::place::device::amount::Amount;
use serde::Deserialize;
use std::collections::BTreeMap;

object! {
    /// A ResourceSlice.
    Slice {
        /// Its metadata.
        metadata: Meta,
        /// Its spec.
        spec: SliceSpec,
    }
}

object! {
    /// `spec` of a ResourceSlice.
    SliceSpec {
        /// Driver.
        driver: String,
        /// Pool.
        pool: PoolRef,
        /// The node of all devices.
        node_name: Option<String>,
        /// The nodes of all devices.
        node_selector: Option<NodeSelector>,
        /// All nodes.
        all_nodes: Option<bool>,
        /// Devices.
        devices: Vec<Device>,
        /// Each device says where it is.
        per_device_node_selection: Option<bool>,
        /// Counters that devices of the pool consume.
        shared_counters: Vec<CounterSet>,
    }
}

object! {
    /// `spec.pool`.
    PoolRef {
        /// Name.
        name: String,
        /// Generation.
        generation: i64,
        /// Slices of the pool at this generation.
        resource_slice_count: i64,
    }
}

object! {
    /// `spec.sharedCounters[]`.
    CounterSet {
        /// Name.
        name: String,
        /// Counters.
        counters: BTreeMap<String, Counter>,
    }
}

object! {
    /// A counter.
    Counter {
        /// How much.
        value: Amount,
    }
}

object! {
    /// `spec.devices[]`.
    Device {
        /// Name.
        name: String,
        /// Attributes.
        attributes: BTreeMap<String, Attribute>,
        /// Capacity.
        capacity: BTreeMap<String, Capacity>,
        /// Counters used up while the device is allocated.
        consumes_counters: Vec<Consumption>,
        /// With per-device node selection: its node.
        node_name: Option<String>,
        /// With per-device node selection: its nodes.
        node_selector: Option<NodeSelector>,
        /// With per-device node selection: all nodes.
        all_nodes: Option<bool>,
        /// Taints, the driver's and those of rules.
        taints: Vec<Taint>,
        /// The result's node selector names the node.
        binds_to_node: Option<bool>,
        /// Conditions awaited before binding; `None` where the field is not set at all.
        binding_conditions: Option<Vec<String>>,
        /// Conditions that fail binding.
        binding_failure_conditions: Option<Vec<String>>,
        /// May be shared.
        allow_multiple_allocations: Option<bool>,
        /// Resources of the node that the device uses.
        node_allocatable_resource_mappings: BTreeMap<String, NodeResource>,
        /// Up to 1.33 (v1beta1 and older): `basic` is missing, so the device is of no known kind and never offered.
        #[serde(skip)]
        shapeless: bool,
    }
}

object! {
    /// `nodeAllocatableResourceMappings` of a device.
    NodeResource {
        /// The capacity that counts.
        capacity_key: Option<String>,
        /// What one unit of it is multiplied with, or the amount itself.
        allocation_multiplier: Option<Amount>,
    }
}

object! {
    /// An attribute's value: one of the fields.
    Attribute {
        /// A string.
        string: Option<String>,
        /// An integer.
        int: Option<i64>,
        /// A boolean.
        bool: Option<bool>,
        /// A semantic version.
        version: Option<String>,
        /// Strings.
        strings: Vec<String>,
        /// Integers.
        ints: Vec<i64>,
        /// Booleans.
        bools: Vec<bool>,
        /// Semantic versions.
        versions: Vec<String>,
    }
}

object! {
    /// A capacity.
    Capacity {
        /// How much there is.
        value: Amount,
        /// How requests are rounded and limited.
        request_policy: Option<RequestPolicy>,
    }
}

object! {
    /// `requestPolicy` of a capacity.
    RequestPolicy {
        /// Charged where nothing is requested.
        default: Option<Amount>,
        /// Values that may be charged.
        valid_values: Vec<Amount>,
        /// Range of what may be charged.
        valid_range: Option<ValidRange>,
    }
}

object! {
    /// `validRange` of a request policy.
    ValidRange {
        /// Least.
        min: Option<Amount>,
        /// Most.
        max: Option<Amount>,
        /// Steps above `min`.
        step: Option<Amount>,
    }
}

object! {
    /// `consumesCounters[]`.
    Consumption {
        /// The set.
        counter_set: String,
        /// How much of its counters.
        counters: BTreeMap<String, Counter>,
    }
}

object! {
    /// A taint.
    Taint {
        /// Key.
        key: String,
        /// Value.
        value: String,
        /// Effect.
        effect: String,
        /// The DeviceTaintRule it comes from; `None`: the driver.
        #[serde(skip)]
        rule: Option<String>,
    }
}

object! {
    /// A DeviceTaintRule.
    TaintRule {
        /// Its metadata.
        metadata: Meta,
        /// Its spec.
        spec: TaintRuleSpec,
    }
}

object! {
    /// `spec` of a DeviceTaintRule.
    TaintRuleSpec {
        /// Which devices.
        device_selector: Option<TaintSelector>,
        /// The taint.
        taint: Taint,
    }
}

object! {
    /// `spec.deviceSelector` of a DeviceTaintRule.
    TaintSelector {
        /// 1.33, 1.34: devices of this class.
        device_class_name: Option<String>,
        /// Driver.
        driver: Option<String>,
        /// Pool.
        pool: Option<String>,
        /// Device.
        device: Option<String>,
        /// 1.33, 1.34: selectors.
        selectors: Vec<Selector>,
    }
}

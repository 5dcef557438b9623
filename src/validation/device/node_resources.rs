//! What a device of a slice takes of its node's resources, from 1.37 on.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `validateNodeAllocatableResources`.

use super::judge::Judge;
use crate::validation::errors::Bad;
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::device::{
    Device, NodeAllocatableMapping, NodeAllocatableOverhead,
};
use claimkit_values::quantity::Measure;

const CODE: Code = Code::NodeMappingInvalid;

impl Judge<'_> {
    /// Validates the resources that a device takes of its node.
    pub fn node_resources(&mut self, device: Device<'_>, path: &Path<'_>) {
        let path = path.field("nodeAllocatableResources");
        for (key, entry) in device.node_allocatable_resources().iter() {
            let path = path.key(key);
            if !matches!(key, "cpu" | "memory") && !key.starts_with("hugepages-") {
                self.errors.invalid(
                    CODE,
                    &path,
                    Bad::Named(key),
                    "must be a node allocatable resource name",
                );
            }
            let (mapping, overhead) = (entry.mapping(), entry.overhead());
            if mapping.is_none() && overhead.is_none() {
                self.errors.required(
                    CODE,
                    &path,
                    "at least one of mapping or overhead must be set",
                );
            }
            if let Some(mapping) = mapping {
                self.node_mapping(mapping, device, &path.field("mapping"));
            }
            if let Some(overhead) = overhead {
                self.node_overhead(overhead, &path.field("overhead"));
            }
        }
    }

    fn node_mapping(
        &mut self,
        mapping: NodeAllocatableMapping<'_>,
        device: Device<'_>,
        path: &Path<'_>,
    ) {
        let multiplier = path.field("capacityMultiplier");
        if let Some(name) = mapping.capacity_key() {
            let place = path.field("capacityKey");
            if name.is_empty() {
                self.errors.invalid(
                    CODE,
                    &place,
                    Bad::Named(""),
                    "capacityKey must not be an empty string",
                );
            } else {
                let before = self.errors.len();
                if self.v.mapping_names {
                    self.qualified_name(name, &place);
                }
                let well_formed = self.errors.len() == before;
                if well_formed && !device.capacity().keys().any(|key| key == name) {
                    self.errors.not_found(CODE, &place, name);
                }
            }
            match mapping.capacity_multiplier() {
                Some(amount) => self.positive(amount, &multiplier),
                None => self.errors.required(
                    CODE,
                    &multiplier,
                    "capacityMultiplier is required when capacityKey is set",
                ),
            }
        } else if mapping.capacity_multiplier().is_some() {
            let detail = "capacityKey is required when capacityMultiplier is set";
            self.errors
                .required(CODE, &path.field("capacityKey"), detail);
        }
        if let Some(amount) = mapping.device_multiplier() {
            self.positive(amount, &path.field("deviceMultiplier"));
        }
    }

    fn positive(&mut self, amount: &str, path: &Path<'_>) {
        if Measure::of(amount).nanos() <= 0 {
            self.errors
                .invalid(CODE, path, Bad::Str(amount), "must be positive");
        }
    }

    fn node_overhead(&mut self, overhead: NodeAllocatableOverhead<'_>, path: &Path<'_>) {
        let amounts = [
            ("perPod", overhead.per_pod()),
            ("perContainer", overhead.per_container()),
        ];
        if amounts.iter().all(|(_, amount)| amount.is_none()) {
            return self.errors.invalid(
                CODE,
                path,
                Bad::Str(""),
                "at least one of perPod or perContainer must be set",
            );
        }
        for (name, amount) in amounts {
            if let Some(amount) = amount.filter(|amount| Measure::of(amount).nanos() < 0) {
                self.errors.invalid(
                    CODE,
                    &path.field(name),
                    Bad::Str(amount),
                    "must be non-negative",
                );
            }
        }
    }
}

//! What a device of a slice takes of its node's resources, from 1.37 on.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `validateNodeAllocatableResources`.

use super::judge::Judge;
use crate::finding::{Code, Path};
use crate::go::quantity::Measure;
use crate::record::Record;
use crate::rules::errors::Bad;

const CODE: Code = Code::NodeMappingInvalid;

impl Judge<'_> {
    /// Validates the resources that a device takes of its node.
    pub fn node_resources(&mut self, device: &Record<'_>, path: &Path<'_>) {
        let path = path.field("nodeAllocatableResources");
        for (key, entry) in device.entries("nodeAllocatableResources") {
            let path = path.key(key);
            if !matches!(&**key, "cpu" | "memory") && !key.starts_with("hugepages-") {
                self.errors.invalid(CODE, &path, Bad::Named(key), "must be a node allocatable resource name");
            }
            let Some(entry) = entry.as_record() else { continue };
            if !entry.has("mapping") && !entry.has("overhead") {
                self.errors.required(CODE, &path, "at least one of mapping or overhead must be set");
            }
            if let Some(mapping) = entry.record("mapping") {
                self.node_mapping(mapping, device, &path.field("mapping"));
            }
            if let Some(overhead) = entry.record("overhead") {
                self.node_overhead(overhead, &path.field("overhead"));
            }
        }
    }

    fn node_mapping(&mut self, mapping: &Record<'_>, device: &Record<'_>, path: &Path<'_>) {
        let multiplier = path.field("capacityMultiplier");
        if mapping.has("capacityKey") {
            let name = mapping.str("capacityKey");
            let place = path.field("capacityKey");
            if name.is_empty() {
                self.errors.invalid(CODE, &place, Bad::Named(""), "capacityKey must not be an empty string");
            } else if !device.entries("capacity").iter().any(|(key, _)| key == name) {
                self.errors.not_found(CODE, &place, name);
            }
            if mapping.has("capacityMultiplier") {
                self.positive(mapping.str("capacityMultiplier"), &multiplier);
            } else {
                self.errors.required(CODE, &multiplier, "capacityMultiplier is required when capacityKey is set");
            }
        } else if mapping.has("capacityMultiplier") {
            let detail = "capacityKey is required when capacityMultiplier is set";
            self.errors.required(CODE, &path.field("capacityKey"), detail);
        }
        if mapping.has("deviceMultiplier") {
            self.positive(mapping.str("deviceMultiplier"), &path.field("deviceMultiplier"));
        }
    }

    fn positive(&mut self, amount: &str, path: &Path<'_>) {
        if Measure::of(amount).nanos() <= 0 {
            self.errors.invalid(CODE, path, Bad::Str(amount), "must be positive");
        }
    }

    fn node_overhead(&mut self, overhead: &Record<'_>, path: &Path<'_>) {
        let names = ["perPod", "perContainer"];
        if !names.iter().any(|name| overhead.has(name)) {
            return self.errors.invalid(CODE, path, Bad::Str(""), "at least one of perPod or perContainer must be set");
        }
        for name in names.into_iter().filter(|name| overhead.has(name)) {
            let amount = overhead.str(name);
            if Measure::of(amount).nanos() < 0 {
                self.errors.invalid(CODE, &path.field(name), Bad::Str(amount), "must be non-negative");
            }
        }
    }
}

//! Slices that offer nothing, and rules that select nothing.

use super::finder::{About, Finder};
use super::rules::{RuleSelectors, names};
use claimkit_model::finding::{Code, field_path};
use claimkit_model::message::message;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::objects::{Slice, TaintRule};
use claimkit_scheduler::allocator::taints::{self, NO_EXECUTE};

/// Reports slices without devices, and rules without effect.
pub fn check(cluster: &Cluster<'_>, selectors: RuleSelectors<'_>, finder: &mut Finder<'_, '_>) {
    for slice in &cluster.facts.slices {
        empty(slice, finder);
    }
    idle_rules(cluster, selectors, finder);
}

fn empty(slice: &Slice, finder: &mut Finder<'_, '_>) {
    if !slice.spec.devices.is_empty() || !slice.spec.shared_counters.is_empty() {
        return;
    }
    let message = message!(
        "audit.slice-empty",
        "slice {slice} has no devices",
        slice = slice.metadata.name,
    );
    let about = About::object("ResourceSlice", &slice.metadata).at(field_path!["spec"]);
    finder.tell(Code::SliceEmpty, about, message, None);
}

/// Reports the rules that select no device.
fn idle_rules(cluster: &Cluster<'_>, selectors: RuleSelectors<'_>, finder: &mut Finder<'_, '_>) {
    let facts = cluster.facts;
    let has_devices = facts
        .slices
        .iter()
        .any(|slice| !slice.spec.devices.is_empty());
    for rule in &facts.rules {
        let about = About::object("DeviceTaintRule", &rule.metadata)
            .at(field_path!["spec", "deviceSelector"]);
        let name = &rule.metadata.name;
        if rule.spec.device_selector.is_none() {
            if !selectors.select_by_default {
                let message = message!(
                    "audit.rule-without-selector",
                    "DeviceTaintRule {rule} has no deviceSelector, so it selects no device",
                    rule = name,
                );
                let help = message!(
                    "audit.rule-without-selector-help",
                    "name `driver`, `pool` or `device` in `deviceSelector`"
                );
                finder.tell(Code::TaintRuleIdle, about, message, Some(help));
            }
            continue;
        }
        if !has_devices || selects(cluster, rule, selectors) {
            continue;
        }
        let message = message!(
            "audit.rule-idle",
            "DeviceTaintRule {rule} selects no device",
            rule = name,
        );
        finder.tell(Code::TaintRuleIdle, about, message, None);
    }
}

/// Returns true if a rule selects a published device, or evicts the pods of an allocated one.
fn selects(cluster: &Cluster<'_>, rule: &TaintRule, selectors: RuleSelectors<'_>) -> bool {
    let facts = cluster.facts;
    let mut slices = facts.slices.iter();
    let is_published = slices.any(|slice| {
        let (driver, pool) = (&slice.spec.driver, &slice.spec.pool.name);
        let mut devices = slice.spec.devices.iter();
        devices.any(|device| taints::selects(rule, driver, pool, device, facts, selectors.engine))
    });
    let mut held = facts
        .claims
        .iter()
        .flat_map(|claim| claim.allocated_devices());
    is_published
        || selectors.evict_by_name
            && rule.spec.taint.effect == NO_EXECUTE
            && held.any(|result| names(rule, result))
}

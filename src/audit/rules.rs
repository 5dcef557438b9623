//! How the selectors of DeviceTaintRules are read.

use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::objects::{AllocatedDevice, TaintRule};

/// How the components of a release read the selectors of DeviceTaintRules.
#[derive(Clone, Copy)]
pub struct RuleSelectors<'e> {
    /// Evaluates the expressions of rules.
    pub engine: &'e CelSelectors,
    /// A rule without a selector selects every device; else none.
    pub select_by_default: bool,
    /// Eviction compares rules with the names in allocations.
    pub evict_by_name: bool,
}

/// Returns true if a rule names an allocated device, published or not (kube-controller-manager 1.35 to 1.38,
/// `pkg/controller/devicetainteviction`, `ruleMatchesDevice`).
pub fn names(rule: &TaintRule, result: &AllocatedDevice) -> bool {
    rule.spec.device_selector.as_ref().is_some_and(|selector| {
        is_wanted(&selector.driver, &result.driver)
            && is_wanted(&selector.pool, &result.pool)
            && is_wanted(&selector.device, &result.device)
    })
}

fn is_wanted(wanted: &Option<String>, actual: &str) -> bool {
    wanted.as_deref().is_none_or(|wanted| wanted == actual)
}

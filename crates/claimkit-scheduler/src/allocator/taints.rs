//! Taints, tolerations and DeviceTaintRules.

use super::behaviour::Behaviour;
use super::engine::{CelSelectors, DeviceSubject};
use super::objects::{Device, Facts, Taint, TaintRule, TaintSelector, Toleration};
use claimkit_model::finding::named;
use std::rc::Rc;

named! {
    /// The field because of which a toleration does not help.
    TolerationMismatch {
        /// It is for another effect.
        Effect = "effect",
        /// It is for another key.
        Key = "key",
        /// Its operator is not known.
        Operator = "operator",
        /// It is for another value.
        Value = "value",
    }
}

/// The effect of taints that evict pods.
pub const NO_EXECUTE: &str = "NoExecute";

/// Checks that a toleration tolerates a taint.
pub fn tolerates(toleration: &Toleration, taint: &Taint) -> Result<(), TolerationMismatch> {
    if !toleration.effect.is_empty() && toleration.effect != taint.effect {
        return Err(TolerationMismatch::Effect);
    }
    if !toleration.key.is_empty() && toleration.key != taint.key {
        return Err(TolerationMismatch::Key);
    }
    match toleration.operator.as_str() {
        "Exists" => Ok(()),
        "" | "Equal" if toleration.value == taint.value => Ok(()),
        "" | "Equal" => Err(TolerationMismatch::Value),
        _ => Err(TolerationMismatch::Operator),
    }
}

/// Returns true if the taint prevents allocation.
pub fn matters(behaviour: &Behaviour, taint: &Taint) -> bool {
    !behaviour.effects_matter || matches!(taint.effect.as_str(), "NoSchedule" | NO_EXECUTE)
}

/// Returns the first taint that no toleration matches.
pub fn untolerated<'d>(
    behaviour: &Behaviour,
    device: &'d Device,
    tolerations: &[Toleration],
) -> Option<&'d Taint> {
    device.taints.iter().find(|taint| {
        matters(behaviour, taint)
            && !tolerations
                .iter()
                .any(|toleration| tolerates(toleration, taint).is_ok())
    })
}

/// Returns true if a selector names this, or nothing.
fn is_any_or(wanted: &Option<String>, actual: &str) -> bool {
    wanted.as_deref().is_none_or(|wanted| wanted == actual)
}

/// Adds the taints of rules to the devices they select, as the scheduler's tracker does before it allocates. A rule without a
/// selector selects every device if `by_default` is set (for eviction it selects none).
pub fn apply_rules(facts: &mut Facts, selectors: &CelSelectors, by_default: bool) {
    let mut slices = std::mem::take(&mut facts.slices);
    for slice in &mut slices {
        let mut found: Vec<(usize, Taint)> = Vec::new();
        for rule in facts
            .rules
            .iter()
            .filter(|rule| by_default || rule.spec.device_selector.is_some())
        {
            let spec = &slice.spec;
            for (at, device) in spec.devices.iter().enumerate() {
                if selects(
                    rule,
                    &spec.driver,
                    &spec.pool.name,
                    device,
                    facts,
                    selectors,
                ) {
                    found.push((
                        at,
                        Taint {
                            rule: Some(rule.metadata.name.clone()),
                            ..rule.spec.taint.clone()
                        },
                    ));
                }
            }
        }
        // Clone a slice that other copies of the facts share.
        for (at, taint) in found {
            Rc::make_mut(slice)
                .spec
                .devices
                .get_mut(at)
                .into_iter()
                .for_each(|device| device.taints.push(taint.clone()));
        }
    }
    facts.slices = slices;
}

/// Returns true if a rule selects a device.
pub fn selects(
    rule: &TaintRule,
    driver: &str,
    pool: &str,
    device: &Device,
    facts: &Facts,
    selectors: &CelSelectors,
) -> bool {
    let Some(selector) = &rule.spec.device_selector else {
        return true;
    };
    let TaintSelector {
        device_class_name,
        driver: of_driver,
        pool: of_pool,
        device: named,
        selectors: own,
    } = selector;
    if !is_any_or(of_driver, driver) || !is_any_or(of_pool, pool) || !is_any_or(named, &device.name)
    {
        return false;
    }
    let of_class = match device_class_name.as_deref().map(|name| facts.class(name)) {
        None => &[][..],
        Some(Some(class)) => class.spec.selectors.as_slice(),
        Some(None) => return false,
    };
    of_class.iter().chain(own).all(|selector| {
        let subject = DeviceSubject { driver, device };
        selector
            .cel
            .as_ref()
            .is_some_and(|cel| selectors.matches(&cel.expression, subject) == Ok(true))
    })
}

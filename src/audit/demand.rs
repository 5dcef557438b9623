//! Slices, rules and templates that ask for, offer or select nothing that there is.

use super::classes::{Selected, asks};
use super::finder::{About, Finder};
use claimkit_model::finding::{Code, field_path};
use claimkit_model::message::message;
use claimkit_model::nearest::{Nearest, did_you_mean};
use claimkit_scheduler::allocator::cluster::{Cluster, DeviceAt};
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::objects::{Ask, Slice};
use claimkit_scheduler::allocator::taints;
use claimkit_values::order;
use std::collections::BTreeMap;

/// Reports slices without devices, rules without effect, and templates that nothing can meet.
pub fn check(
    cluster: &Cluster<'_>,
    engine: &CelSelectors,
    selected: &Selected,
    finder: &mut Finder<'_, '_>,
) {
    for slice in &cluster.facts.slices {
        empty(slice, finder);
    }
    idle_rules(cluster, engine, finder);
    templates(cluster, selected, finder);
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
fn idle_rules(cluster: &Cluster<'_>, engine: &CelSelectors, finder: &mut Finder<'_, '_>) {
    let facts = cluster.facts;
    let has_devices = facts
        .slices
        .iter()
        .any(|slice| !slice.spec.devices.is_empty());
    for rule in facts.rules.iter().filter(|_| has_devices) {
        let mut slices = facts.slices.iter();
        let selects = slices.any(|slice| {
            let (driver, pool) = (&slice.spec.driver, &slice.spec.pool.name);
            let mut devices = slice.spec.devices.iter();
            devices.any(|device| taints::selects(rule, driver, pool, device, facts, engine))
        });
        if selects {
            continue;
        }
        let message = message!(
            "audit.rule-idle",
            "DeviceTaintRule {rule} selects no device",
            rule = rule.metadata.name,
        );
        let about = About::object("DeviceTaintRule", &rule.metadata)
            .at(field_path!["spec", "deviceSelector"]);
        finder.tell(Code::TaintRuleIdle, about, message, None);
    }
}

/// Reports templates of classes that are not there, and those that ask for more than any node has.
fn templates(cluster: &Cluster<'_>, selected: &Selected, finder: &mut Finder<'_, '_>) {
    let facts = cluster.facts;
    let classes = order::map(
        facts
            .classes
            .iter()
            .zip(selected)
            .map(|(class, devices)| (class.metadata.name.as_str(), devices)),
    );
    if classes.is_empty() {
        return;
    }
    for template in &facts.templates {
        for (ask, path) in asks(&template.spec.spec, &field_path!["spec", "spec"]) {
            let class = ask.device_class_name.as_str();
            let name = template.metadata.full_name();
            let about = About::object("ResourceClaimTemplate", &template.metadata);
            match classes.get(class) {
                _ if class.is_empty() => {}
                None => {
                    let mut nearest = Nearest::to(class);
                    classes.keys().for_each(|known| nearest.consider(known));
                    let message = message!(
                        "audit.template-class",
                        "template {template}: there is no DeviceClass `{class}`",
                        template = name,
                        class,
                    );
                    let about = about.at(path.join(&field_path!["deviceClassName"]));
                    let help = nearest.found().map(did_you_mean);
                    finder.tell(Code::ClassNotInInput, about, message, help);
                }
                Some(devices) => {
                    let most = devices
                        .as_ref()
                        .and_then(|one| most_on_a_node(cluster, one));
                    let Some(most) = most.filter(|most| asks_for_more(ask, *most)) else {
                        continue;
                    };
                    let message = message!(
                        "audit.template-too-many",
                        "template {template} asks for {count} devices of class {class}, and no node has more than {most}",
                        template = name,
                        count = ask.count,
                        class,
                        most,
                    );
                    let about = about.at(path.join(&field_path!["count"]));
                    finder.tell(Code::TemplateNeverFits, about, message, None);
                }
            }
        }
    }
}

/// Returns true if a request without alternatives asks for more than this many devices.
fn asks_for_more(ask: &Ask, most: usize) -> bool {
    let is_exact = matches!(ask.allocation_mode.as_str(), "" | "ExactCount");
    is_exact && usize::try_from(ask.count).is_ok_and(|count| count > most)
}

/// Returns how many of the devices a single node can see; `None`: a device can be given to several claims, or there are none.
fn most_on_a_node(cluster: &Cluster<'_>, devices: &[DeviceAt]) -> Option<usize> {
    let mut local: BTreeMap<&str, usize> = BTreeMap::new();
    let mut shared = 0usize;
    for at in devices {
        let (slice, device) = cluster.device(*at)?;
        if device.allow_multiple_allocations == Some(true) {
            return None;
        }
        match slice.spec.node_name.as_deref() {
            Some(node) if !node.is_empty() => {
                let count = local.entry(node).or_default();
                *count = count.saturating_add(1);
            }
            _ => shared = shared.saturating_add(1),
        }
    }
    let most = local.values().max().copied().unwrap_or(0);
    (!devices.is_empty()).then(|| most.saturating_add(shared))
}

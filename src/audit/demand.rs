//! Slices, rules and templates that ask for, offer or select nothing that there is.

use super::classes::{Selected, asks_of};
use super::finder::{About, Finder};
use super::rules::{RuleSelectors, names};
use claimkit_model::finding::{Code, FieldPath, field_path};
use claimkit_model::message::message;
use claimkit_model::nearest::{Nearest, did_you_mean};
use claimkit_scheduler::allocator::cluster::{Cluster, DeviceAt};
use claimkit_scheduler::allocator::objects::{Ask, ClaimRequest, Meta, Slice, TaintRule};
use claimkit_scheduler::allocator::taints::{self, NO_EXECUTE};
use claimkit_scheduler::allocator::usage::results_of;
use claimkit_values::order;
use std::collections::BTreeMap;

/// Reports slices without devices, rules without effect, and templates that nothing can meet.
pub fn check(
    cluster: &Cluster<'_>,
    selectors: RuleSelectors<'_>,
    selected: &Selected,
    finder: &mut Finder<'_, '_>,
) {
    for slice in &cluster.facts.slices {
        empty(slice, finder);
    }
    idle_rules(cluster, selectors, finder);
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
    let mut held = facts.claims.iter().flat_map(|claim| results_of(claim));
    is_published
        || selectors.evict_by_name
            && rule.spec.taint.effect == NO_EXECUTE
            && held.any(|result| names(rule, result))
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
        let path = field_path!["spec", "spec", "devices", "requests"];
        for (at, request) in template.spec.spec.devices.requests.iter().enumerate() {
            let known = &Known {
                classes: &classes,
                cluster,
            };
            known.request(
                &template.metadata,
                request,
                &path.join(&field_path![at]),
                finder,
            );
        }
    }
}

/// The classes of a cluster, each with the devices that it selects.
struct Known<'k, 'f> {
    classes: &'k BTreeMap<&'f str, &'k Option<Vec<DeviceAt>>>,
    cluster: &'k Cluster<'f>,
}

impl Known<'_, '_> {
    /// Reports a request of a template that nothing can meet. Of alternatives none must fit.
    fn request(
        &self,
        template: &Meta,
        request: &ClaimRequest,
        path: &FieldPath,
        finder: &mut Finder<'_, '_>,
    ) {
        let asks = asks_of(request, path);
        let never_fits = asks
            .iter()
            .all(|(ask, _)| !self.is_there(ask) || self.too_few_for(ask).is_some());
        for (ask, path) in &asks {
            let about = About::object("ResourceClaimTemplate", template);
            let (class, name) = (ask.device_class_name.as_str(), template.full_name());
            if !self.is_there(ask) {
                let mut nearest = Nearest::to(class);
                self.classes
                    .keys()
                    .for_each(|known| nearest.consider(known));
                let message = message!(
                    "audit.template-class",
                    "template {template}: there is no DeviceClass `{class}`",
                    template = name,
                    class,
                );
                let about = about.at(path.join(&field_path!["deviceClassName"]));
                let help = nearest.found().map(did_you_mean);
                finder.tell(Code::ClassNotInInput, about, message, help);
            } else if let Some(most) = self.too_few_for(ask).filter(|_| never_fits) {
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

    /// Returns false if a request names a class that is not there.
    fn is_there(&self, ask: &Ask) -> bool {
        let class = ask.device_class_name.as_str();
        class.is_empty() || self.classes.contains_key(class)
    }

    /// Returns the most devices of its class that a node has, if a request asks for more.
    fn too_few_for(&self, ask: &Ask) -> Option<usize> {
        let devices = self.classes.get(ask.device_class_name.as_str())?.as_ref()?;
        most_on_a_node(self.cluster, devices).filter(|most| asks_for_more(ask, *most))
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

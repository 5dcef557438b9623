//! What is wrong with the devices of one pod, for answers about that pod.

use super::by_name::by_name;
use super::classes::{asks_of, try_all};
use super::current;
use super::pods::{self, PodFault};
use super::rules::names;
use crate::allocate::PreparedCluster;
use claimkit_model::finding::FieldPath;
use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::behaviour;
use claimkit_scheduler::allocator::cluster::{Cluster, DeviceAt};
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::features_of;
use claimkit_scheduler::allocator::objects::{Claim, ClaimSpec, Meta, Pod, TaintRule};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::allocator::taints;
use claimkit_scheduler::target::Target;
use std::collections::BTreeMap;

/// What is wrong with the devices of a pod.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct PodFaults {
    /// Why it cannot use its claims on the node that it has.
    pub wrong: Vec<PodFault>,
    /// DeviceTaintRules that have no effect on devices that it has or could get.
    pub rules: Vec<Message>,
}

/// Returns what is wrong with the devices of each of these pods, by their namespaces and names. Nothing is said of a release without
/// devices.
#[doc(hidden)]
pub fn faults_of_pods(
    prepared: &PreparedCluster,
    gates: &BTreeMap<String, bool>,
    names: &[(&str, &str)],
) -> Vec<PodFaults> {
    let nothing = || names.iter().map(|_| PodFaults::default()).collect();
    let Ok(mut target) = Target::new(Some(prepared.release()), gates) else {
        return nothing();
    };
    target.prove(&prepared.proofs, gates);
    let (facts, release) = (&prepared.facts, target.release);
    let on = |name: &str| target.on(name);
    let features = features_of(release.minor, on);
    let Some(behaviour) = behaviour::allocator(release.minor, release.patch, &features) else {
        return nothing();
    };
    let engine = CelSelectors::new(release, on("DRAListTypeAttributes"));
    let cluster = Cluster::new(facts, behaviour, &features, &engine);
    let rules_off = PluginRules::of(release.minor, release.patch).gate_of_rules(on);
    let pods = by_name(&facts.pods, |pod| &pod.metadata);
    let faults = names.iter().map(|name| match pods.get(name) {
        Some(pod) => PodFaults {
            wrong: pods::faults_of(&cluster, pod),
            rules: match rules_off {
                Some(gate) => idle_rules(&cluster, pod, &engine)
                    .map(|rule| match gates.contains_key(gate) {
                        true => without_effect(rule, gate, target),
                        false => without_effect_by_default(rule, gate, target),
                    })
                    .collect(),
                None => Vec::new(),
            },
        },
        None => PodFaults::default(),
    });
    faults.collect()
}

/// Returns the rules that would taint devices which a pod has or could get.
fn idle_rules<'c>(
    cluster: &'c Cluster<'_>,
    pod: &'c Pod,
    engine: &'c CelSelectors,
) -> impl Iterator<Item = &'c TaintRule> {
    let rules = &cluster.facts.rules;
    let devices = match rules.is_empty() {
        true => Vec::new(),
        false => could_get(cluster, pod),
    };
    let rules = rules.iter().map(|rule| &**rule);
    rules.filter(move |rule| concerns(cluster, rule, pod, &devices, engine))
}

fn without_effect(rule: &TaintRule, gate: &str, target: Target) -> Message {
    message!(
        "audit.rule-off",
        "DeviceTaintRule {rule} has no effect on its devices: the feature gate {gate} is off in kube-scheduler {release}",
        rule = rule.metadata.name,
        gate,
        release = target.release,
    )
}

/// Says the same where the gate is off by default, and that of the cluster is not given.
fn without_effect_by_default(rule: &TaintRule, gate: &str, target: Target) -> Message {
    message!(
        "audit.rule-off-by-default",
        "DeviceTaintRule {rule} has no effect on its devices while the feature gate {gate} is off, as it is in kube-scheduler {release} by default",
        rule = rule.metadata.name,
        gate,
        release = target.release,
    )
}

/// Returns true if a rule names a device that a pod has, or selects one that it could get.
fn concerns(
    cluster: &Cluster<'_>,
    rule: &TaintRule,
    pod: &Pod,
    devices: &[DeviceAt],
    engine: &CelSelectors,
) -> bool {
    let mut held = claims_of(cluster, pod)
        .flat_map(Claim::allocated_devices)
        .filter(|result| names(rule, result));
    let mut published = devices.iter().filter_map(|at| cluster.device(*at));
    held.next().is_some()
        || published.any(|(slice, device)| {
            let (driver, pool) = (&slice.spec.driver, &slice.spec.pool.name);
            taints::selects(rule, driver, pool, device, cluster.facts, engine)
        })
}

/// Returns the claims of a pod that are there.
fn claims_of<'f>(cluster: &Cluster<'f>, pod: &'f Pod) -> impl Iterator<Item = &'f Claim> {
    let claims = cluster.facts.claims.iter().map(|claim| &**claim);
    claims.filter(|claim| {
        let Meta {
            namespace, name, ..
        } = &claim.metadata;
        let mut entries = pod.spec.resource_claims.iter();
        *namespace == pod.metadata.namespace
            && entries.any(|entry| pod.claim_of(&entry.name) == Some(name))
    })
}

/// Returns the devices that the requests of a pod select which has none yet.
fn could_get(cluster: &Cluster<'_>, pod: &Pod) -> Vec<DeviceAt> {
    let facts = cluster.facts;
    let waiting = claims_of(cluster, pod)
        .filter(|claim| claim.status.allocation.is_none())
        .map(|claim| &claim.spec);
    let entries = pod
        .spec
        .resource_claims
        .iter()
        .filter(|entry| pod.claim_of(&entry.name).is_none());
    let templates = entries.filter_map(|entry| {
        let name = entry.resource_claim_template_name.as_deref()?;
        let mut templates = facts.templates.iter();
        let template = templates.find(|template| {
            template.metadata.name == name && template.metadata.namespace == pod.metadata.namespace
        })?;
        Some(&template.spec.spec)
    });
    let specs: Vec<&ClaimSpec> = waiting.chain(templates).collect();
    let all = current(cluster);
    let mut found = Vec::new();
    for request in specs.iter().flat_map(|spec| &spec.devices.requests) {
        for (ask, _) in asks_of(request, &FieldPath::default()) {
            let Some(class) = facts.class(&ask.device_class_name) else {
                continue;
            };
            let of_class = try_all(cluster, &class.spec.selectors, &all).selected;
            found.extend(try_all(cluster, &ask.selectors, &of_class).selected);
        }
    }
    found
}

//! Quotas for claims and devices, as kube-apiserver compares them with a new claim (kube-apiserver 1.37,
//! `pkg/quota/v1/evaluator/core/resource_claims.go`; apiserver, `pkg/admission/plugin/resourcequota/controller.go`).

use super::amount::Amount;
use super::demand::{self, DeviceDemand, Level};
use super::objects::{Ask, Claim, ClaimSpec, Facts, Pod, PodSpec, Quota, Template};
use super::sorted::Sorted;
use claimkit_values::order;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The name under which claims are counted.
const CLAIMS: &str = "count/resourceclaims.resource.k8s.io";
/// Follows the name of a class in the name under which its devices are counted.
const DEVICES: &str = ".deviceclass.resource.k8s.io/devices";
/// Precedes the name of a class that serves an extended resource: its devices are counted under this name, too.
const IMPLICIT: &str = "requests.deviceclass.resource.kubernetes.io/";
/// Precedes the name of an extended resource that a class serves.
const REQUESTS: &str = "requests.";
/// Maximum number of devices of a request: mode `All` counts as much.
const MOST_DEVICES: i64 = 32;

/// Returns kube-apiserver's words about the first quota of the namespace that a new claim exceeds. `made`: the claims that are made
/// before it, beside those that are there.
pub fn refusal(facts: &Facts, made: &[Claim], claim: &Claim) -> Option<String> {
    let mut quotas = facts.quotas.iter();
    quotas.find_map(|quota| {
        let is_there =
            quota.metadata.namespace == claim.metadata.namespace && !quota.spec.is_of_pods();
        is_there
            .then(|| exceeded(quota, used(facts, made, quota), charge(facts, &claim.spec)))
            .flatten()
    })
}

/// Returns kube-apiserver's words about the first quota of a namespace that the claim for extended resources exceeds, which
/// kube-scheduler makes when it binds a pod. `devices`: how many of each class. The names of extended resources are charged for the pod.
pub fn refusal_of_extended(
    facts: &Facts,
    namespace: &str,
    devices: &[(&str, i64)],
) -> Option<String> {
    let mut quotas = facts
        .quotas
        .iter()
        .filter(|quota| quota.metadata.namespace == namespace && !quota.spec.is_of_pods());
    quotas.find_map(|quota| {
        let mut charged = BTreeMap::from([(CLAIMS.to_owned(), 1)]);
        for (class, count) in devices {
            let sum: &mut i64 = charged.entry(format!("{class}{DEVICES}")).or_default();
            *sum = sum.saturating_add(*count);
        }
        exceeded(quota, used(facts, &[], quota), charged)
    })
}

/// How many more pods a quota allows.
#[derive(Clone, Debug)]
pub struct PodsLeft {
    pub count: usize,
    /// The name of the quota.
    pub quota: String,
    /// What is limited.
    pub resource: String,
}

/// Returns how many pods like one the quotas of its namespace allow beside those that are there, by the quota that allows the fewest
/// (kube-apiserver 1.37, `pkg/quota/v1/evaluator/core/pods.go`, `PodUsageFunc`). Quotas of some pods only are not looked at.
pub fn pods_left(facts: &Facts, namespace: &str, pod: &PodSpec) -> Option<PodsLeft> {
    let charged = charge_of_pod(pod);
    let mut fewest: Option<PodsLeft> = None;
    let quotas = facts
        .quotas
        .iter()
        .filter(|quota| quota.metadata.namespace == namespace && !quota.spec.is_of_pods());
    for quota in quotas {
        for (resource, limit) in quota.limits().iter() {
            let Some(amount) = charged.get(resource).filter(|amount| **amount > 0) else {
                continue;
            };
            let used = quota.status.used.get(resource).map_or(0, demand::exact);
            let left = demand::exact(limit).saturating_sub(used).max(0);
            let count = left.checked_div(*amount).unwrap_or_default();
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            if fewest.as_ref().is_none_or(|known| count < known.count) {
                fewest = Some(PodsLeft {
                    count,
                    quota: quota.metadata.name.clone(),
                    resource: resource.clone(),
                });
            }
        }
    }
    fewest
}

/// Returns what a pod is charged, by the names that quotas have for it.
fn charge_of_pod(spec: &PodSpec) -> BTreeMap<String, i128> {
    let mut charged = BTreeMap::new();
    for name in ["pods", "count/pods"] {
        charged.insert(name.to_owned(), demand::exact(&Amount::whole(1)));
    }
    let pod = Pod {
        spec: spec.clone(),
        ..Pod::default()
    };
    let amounts = demand::of_waiting(&pod, &DeviceDemand::default(), Level::Pod);
    for (name, amount) in amounts.iter() {
        charged.insert(format!("{REQUESTS}{name}"), *amount);
        if matches!(*name, "cpu" | "memory" | "ephemeral-storage") {
            charged.insert((*name).to_owned(), *amount);
        }
    }
    charged
}

/// Returns the class whose devices a limit of a quota is about; `None`: it is about something else.
pub fn class_of_limit(resource: &str) -> Option<&str> {
    let class = resource.strip_suffix(DEVICES);
    class.or_else(|| resource.strip_prefix(IMPLICIT))
}

/// A quota of which more is used than it allows.
#[derive(Clone, Debug)]
pub struct Overdrawn<'f> {
    pub quota: &'f Quota,
    /// What is limited.
    pub resource: &'f str,
    pub used: i64,
    pub limit: &'f str,
}

/// Returns the limits for claims and devices of which more is used than they allow: the server refuses new claims alone, not those
/// that are there when a quota is made or lowered.
pub fn overdrawn(facts: &Facts) -> Vec<Overdrawn<'_>> {
    let mut found = Vec::new();
    for quota in facts.quotas.iter().filter(|quota| !quota.spec.is_of_pods()) {
        let mut used = written(quota);
        if used.is_empty() {
            used = add_charges(
                facts,
                used,
                quota,
                facts.claims.iter().map(|claim| &**claim),
            );
        }
        for (resource, limit) in quota.limits().iter() {
            let amount = used.get(resource).copied().unwrap_or(0);
            let is_ours = resource == CLAIMS || resource.ends_with(DEVICES);
            if is_ours && i128::from(amount) > limit.value() {
                found.push(Overdrawn {
                    quota,
                    resource,
                    used: amount,
                    limit: limit.text(),
                });
            }
        }
    }
    found
}

/// A template whose claims are charged more of a resource than a quota allows in all.
#[derive(Clone, Debug)]
pub struct TooLarge<'f> {
    pub template: &'f Template,
    pub quota: &'f Quota,
    /// What is limited.
    pub resource: &'f str,
    pub charged: i64,
    pub limit: &'f str,
}

/// Returns the templates of which no claim is admitted, whatever else there is in the namespace.
pub fn too_large(facts: &Facts) -> Vec<TooLarge<'_>> {
    let mut found = Vec::new();
    for template in facts.templates.iter().filter(|_| !facts.quotas.is_empty()) {
        let charged = charge(facts, &template.spec.spec);
        let quotas = facts.quotas.iter().filter(|quota| {
            quota.metadata.namespace == template.metadata.namespace && !quota.spec.is_of_pods()
        });
        for quota in quotas {
            for (resource, limit) in quota.limits().iter() {
                let amount = charged.get(resource).copied().unwrap_or(0);
                if amount > 0 && i128::from(amount) > limit.value() {
                    found.push(TooLarge {
                        template,
                        quota,
                        resource,
                        charged: amount,
                        limit: limit.text(),
                    });
                }
            }
        }
    }
    found
}

fn exceeded(
    quota: &Quota,
    used: BTreeMap<String, i64>,
    charged: BTreeMap<String, i64>,
) -> Option<String> {
    let mut requested = Vec::new();
    let mut in_use = Vec::new();
    let mut limited = Vec::new();
    for (name, limit) in quota.limits().iter() {
        let Some(more) = charged.get(name) else {
            continue;
        };
        let now = used.get(name).copied().unwrap_or(0);
        if i128::from(now.saturating_add(*more)) > limit.value() {
            requested.push(format!("{name}={more}"));
            in_use.push(format!("{name}={now}"));
            limited.push(format!("{name}={}", limit.text()));
        }
    }
    if requested.is_empty() {
        return None;
    }
    Some(format!(
        "exceeded quota: {}, requested: {}, used: {}, limited: {}",
        quota.metadata.name,
        requested.join(","),
        in_use.join(","),
        limited.join(",")
    ))
}

/// Returns what is used of a quota: what the server wrote, or the claims that are there; and the claims that are made here.
fn used(facts: &Facts, made: &[Claim], quota: &Quota) -> BTreeMap<String, i64> {
    let is_written = !quota.status.used.is_empty();
    let claims = facts.claims.iter().map(|claim| &**claim).chain(made);
    let not_written = claims.filter(|claim| !is_written || is_uncharged(claim));
    add_charges(facts, written(quota), quota, not_written)
}

/// Takes claims that are left out of a question out of what the server wrote that is used.
pub fn give_back(facts: &mut Facts, claims: &[Rc<Claim>]) {
    let mut quotas = std::mem::take(&mut facts.quotas);
    for quota in quotas.iter_mut().filter(|quota| !quota.spec.is_of_pods()) {
        let charged = claims.iter().filter(|claim| is_charged(quota, claim));
        let charges: Vec<(String, i64)> = charged
            .flat_map(|claim| charge(facts, &claim.spec))
            .collect();
        for (name, amount) in charges {
            let Some(used) = quota.status.used.get(&name) else {
                continue;
            };
            let left = used.value().saturating_sub(amount.into()).max(0);
            let left = Amount::whole_like(left, used.text());
            Rc::make_mut(quota).status.used.insert(name, left);
        }
    }
    facts.quotas = quotas;
}

fn is_charged(quota: &Quota, claim: &Claim) -> bool {
    claim.metadata.namespace == quota.metadata.namespace && !is_uncharged(claim)
}

/// Returns true if the server has not charged a claim: it is made here.
fn is_uncharged(claim: &Claim) -> bool {
    claim.metadata.is_new() && claim.metadata.creation_timestamp.is_none()
}

/// Returns what the server wrote that is used of a quota.
fn written(quota: &Quota) -> BTreeMap<String, i64> {
    let used = quota.status.used.iter();
    order::map(used.map(|(name, amount)| {
        let amount = i64::try_from(amount.value()).unwrap_or(i64::MAX);
        (name.clone(), amount)
    }))
}

/// Adds what claims in the namespace of a quota are charged.
fn add_charges<'f>(
    facts: &Facts,
    mut used: BTreeMap<String, i64>,
    quota: &Quota,
    claims: impl Iterator<Item = &'f Claim>,
) -> BTreeMap<String, i64> {
    let namespace = &quota.metadata.namespace;
    for claim in claims.filter(|claim| claim.metadata.namespace == *namespace) {
        for (name, amount) in charge(facts, &claim.spec) {
            let sum = used.entry(name).or_default();
            *sum = sum.saturating_add(amount);
        }
    }
    used
}

/// Returns what a claim is charged: itself, and of each class the most devices that it may get.
fn charge(facts: &Facts, claim: &ClaimSpec) -> BTreeMap<String, i64> {
    let mut sums: BTreeMap<String, i64> = BTreeMap::new();
    sums.insert(CLAIMS.to_owned(), 1);
    for request in &claim.devices.requests {
        // Of alternatives, the one of a class with the most devices counts.
        let mut most: Sorted<&str, i64> = Sorted::new();
        for ask in request.exactly.iter().chain(&request.first_available) {
            let known = most
                .get(ask.device_class_name.as_str())
                .copied()
                .unwrap_or(0);
            most.insert(ask.device_class_name.as_str(), known.max(devices_of(ask)));
        }
        for (class, count) in most {
            let sum = sums.entry(format!("{class}{DEVICES}")).or_default();
            *sum = sum.saturating_add(count);
        }
    }
    add_extended_resources(facts, &mut sums);
    sums
}

/// Adds the names of the extended resources that classes serve: their devices are counted under these, too (`addExtendedResourceQuota`).
fn add_extended_resources(facts: &Facts, sums: &mut BTreeMap<String, i64>) {
    for class in &facts.classes {
        let name = &class.metadata.name;
        let Some(resource) = &class.spec.extended_resource_name else {
            continue;
        };
        if let Some(count) = sums.get(&format!("{name}{DEVICES}")).copied() {
            sums.insert(format!("{IMPLICIT}{name}"), count);
            sums.insert(format!("{REQUESTS}{resource}"), count);
        }
    }
}

fn devices_of(ask: &Ask) -> i64 {
    match ask.allocation_mode.as_str() {
        "All" => MOST_DEVICES,
        // A manifest that was not defaulted asks for one.
        "ExactCount" | "" => ask.count.max(1),
        _ => 0,
    }
}

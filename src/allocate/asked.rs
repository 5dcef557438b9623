//! The pods and claims that a question is about.

use super::question::AllocateOptions;
use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::objects::{Claim, Facts, Pod};
use claimkit_scheduler::allocator::plugin::{PluginGates, PodCase};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::explain::words;
use claimkit_scheduler::scheduler;
use claimkit_values::order;
use std::collections::BTreeSet;

/// The objects that the question is about.
pub struct Asked<'a> {
    /// With a cluster: the pods, claims and workloads of the text, as `namespace/name`; `None`: it has none, or there is no cluster.
    pub of_text: Option<BTreeSet<String>>,
    /// Claims whose devices the question frees. They are not pending themselves.
    pub freed: BTreeSet<String>,
    pub options: &'a AllocateOptions<'a>,
}

impl Asked<'_> {
    /// Returns true if the text has an object that made the pod.
    pub fn has_owner(&self, pod: &Pod) -> bool {
        owners(pod).any(|owner| self.has(&owner))
    }

    /// Returns true if the question is about the object: `namespace/name`.
    pub fn has(&self, name: &str) -> bool {
        self.of_text
            .as_ref()
            .is_none_or(|names| names.contains(name))
    }

    /// Returns the groups of claims that are allocated together.
    pub fn cases<'f>(
        &self,
        cluster: &Cluster<'f>,
        rules: &'static PluginRules,
        gates: PluginGates,
    ) -> Result<Vec<PodCase<'f>>, Message> {
        let facts = cluster.facts;
        if let Some(name) = self.options.pod {
            let wanted = self.options.full(name);
            let mut pods = facts.pods.iter();
            let Some(pod) = pods.find(|pod| pod.metadata.full_name() == wanted) else {
                return Err(no_pod(&wanted));
            };
            return Ok(vec![PodCase::new(cluster, rules, gates, pod)]);
        }
        if let Some(names) = self.options.claims {
            let mut claims: Vec<&Claim> = Vec::with_capacity(names.len());
            for name in names {
                let wanted = self.options.full(name);
                let mut all = facts.claims.iter();
                let Some(claim) = all.find(|claim| claim.metadata.full_name() == wanted) else {
                    return Err(message!(
                        "schedule.unknown-claim",
                        "`claims`: there is no ResourceClaim `{name}`",
                        name = wanted
                    ));
                };
                claims.push(claim);
            }
            return Ok(vec![PodCase::of_claims(cluster, rules, gates, &claims)]);
        }
        // A pod with a node is scheduled already, and one without claims asks for nothing.
        let waiting = facts
            .pods
            .iter()
            .filter(|pod| pod.spec.node_name.is_empty() && self.has(&pod.metadata.full_name()));
        let mut cases: Vec<PodCase<'f>> = waiting
            .map(|pod| PodCase::new(cluster, rules, gates, pod))
            .filter(|case| {
                case.extended.is_some()
                    || case
                        .pod
                        .is_some_and(|pod| !pod.spec.resource_claims.is_empty())
            })
            .collect();
        cases.extend(self.claims(cluster, rules, gates));
        Ok(cases)
    }

    /// Returns the name of the pod, or of the object that makes pods, that is repeated: the one named, or the only one of the
    /// text.
    pub fn only_pod(&self, facts: &Facts) -> Result<String, Message> {
        if let Some(name) = self.options.pod {
            return Ok(self.options.full(name));
        }
        let pods = facts
            .pods
            .iter()
            .filter(|pod| pod.spec.node_name.is_empty() && !scheduler::has_ended(pod));
        let new = facts
            .workloads
            .iter()
            .filter(|workload| workload.metadata.is_new());
        let mut names: Vec<String> = pods
            .map(|pod| pod.metadata.full_name())
            .chain(new.map(|workload| workload.metadata.full_name()))
            .collect();
        names.retain(|name| self.has(name));
        match names.as_slice() {
            [one] => Ok(one.clone()),
            [] => Err(message!(
                "schedule.nothing-to-repeat",
                "the text has no pod to repeat; name one with `pod`"
            )),
            names => Err(message!(
                "schedule.several-to-repeat",
                "one pod is repeated, and the text has {names}; name one with `pod`",
                names = words::some(names, words::MOST_NAMES)
            )),
        }
    }

    /// Returns the names of the pods that the question names: a pod, or those of a workload.
    pub fn named(&self, facts: &Facts) -> Result<Option<BTreeSet<String>>, Message> {
        let Some(name) = self.options.pod else {
            return Ok(None);
        };
        let wanted = self.options.full(name);
        let pods = facts.pods.iter().filter(|pod| {
            pod.metadata.full_name() == wanted || owners(pod).any(|owner| owner == wanted)
        });
        let names = order::set(pods.map(|pod| pod.metadata.full_name()));
        if names.is_empty() {
            Err(no_pod(&wanted))
        } else {
            Ok(Some(names))
        }
    }

    /// Returns the claims that no pod uses, each by itself.
    pub fn claims<'f>(
        &self,
        cluster: &Cluster<'f>,
        rules: &'static PluginRules,
        gates: PluginGates,
    ) -> Vec<PodCase<'f>> {
        let facts = cluster.facts;
        let used = order::set(facts.pods.iter().flat_map(|pod| used_by(pod)));
        let mut alone: Vec<&Claim> = facts.claims.iter().map(|claim| &**claim).collect();
        alone.retain(|claim| {
            let name = claim.metadata.full_name();
            let waits = claim.status.allocation.is_none() && !self.freed.contains(&name);
            waits && !used.contains(&name) && self.has(&name)
        });
        // A pod may use some of them: which, nothing says.
        alone
            .into_iter()
            .map(|claim| PodCase::of_claims(cluster, rules, gates, &[claim]))
            .collect()
    }
}

fn no_pod(name: &str) -> Message {
    message!(
        "schedule.unknown-pod",
        "`pod`: there is no Pod `{name}`",
        name
    )
}

/// Returns `namespace/name` of the objects that made a pod.
fn owners(pod: &Pod) -> impl Iterator<Item = String> {
    pod.metadata
        .owner_references
        .iter()
        .map(|owner| format!("{}/{}", pod.metadata.namespace, owner.name))
}

/// Returns the claims that a pod names, or that were made for it.
fn used_by(pod: &Pod) -> impl Iterator<Item = String> {
    let named = pod
        .spec
        .resource_claims
        .iter()
        .filter_map(|entry| entry.resource_claim_name.clone());
    let made = pod
        .status
        .resource_claim_statuses
        .iter()
        .flatten()
        .filter_map(|entry| entry.resource_claim_name.clone());
    let namespace = &pod.metadata.namespace;
    named
        .chain(made)
        .map(move |name| format!("{namespace}/{name}"))
}

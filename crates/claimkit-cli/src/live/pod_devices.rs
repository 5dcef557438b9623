//! What is wrong with the devices of one pod: on the node that it has, or before it has one.

use super::brief::{Brief, BriefMeta};
use super::read::LiveObjects;
use super::sentences::{as_sentence, with_period};
use claimkit::audit::{PodFaults, faults_of_pods};
use claimkit::{StuckBy, StuckClaim};
use claimkit_model::message::Message;
use std::collections::BTreeMap;

/// What is wrong with the devices of a pod.
#[derive(Default)]
pub struct PodDevices {
    /// The claims for which it does not start.
    stuck: Vec<StuckClaim>,
    faults: PodFaults,
    /// What kubelet says of devices that it cannot prepare.
    unprepared: Option<String>,
}

impl PodDevices {
    /// Looks at the devices of pods. `are_claims_known`: a claim that was not seen does not exist.
    pub fn of(
        briefs: &[&Brief],
        seen: &LiveObjects,
        gates: &BTreeMap<String, bool>,
        are_claims_known: bool,
    ) -> Vec<Self> {
        // Of pods that wait only rules are looked at.
        if !seen.cluster.has_rules() && briefs.iter().all(|brief| brief.node().is_none()) {
            return briefs.iter().map(|_| PodDevices::default()).collect();
        }
        let names: Vec<(&str, &str)> = briefs
            .iter()
            .map(|brief| {
                let BriefMeta {
                    namespace, name, ..
                } = &brief.metadata;
                (namespace.as_str(), name.as_str())
            })
            .collect();
        let faults = faults_of_pods(&seen.cluster, gates, &names);
        let pairs = briefs.iter().zip(faults);
        pairs
            .map(|(brief, faults)| {
                let devices = PodDevices::of_one(brief, faults, seen);
                if are_claims_known {
                    devices
                } else {
                    devices.without_absent()
                }
            })
            .collect()
    }

    fn of_one(brief: &Brief, faults: PodFaults, seen: &LiveObjects) -> Self {
        let BriefMeta {
            namespace, name, ..
        } = &brief.metadata;
        if brief.node().is_none() {
            return PodDevices {
                faults,
                ..PodDevices::default()
            };
        }
        let failure = seen.cluster.prepare_failure(namespace, name);
        PodDevices {
            stuck: seen.cluster.stuck_claims(namespace, name),
            faults,
            unprepared: failure.map(|failure| {
                let when = match failure.at {
                    Some(at) => format!(" (said last at {at})"),
                    None => String::new(),
                };
                format!("kubelet cannot prepare its devices{when}: {}", failure.why)
            }),
        }
    }

    /// Says nothing of claims that were not seen.
    fn without_absent(mut self) -> Self {
        let PodDevices { stuck, faults, .. } = &mut self;
        faults.wrong.retain(|fault| {
            let mut absent = stuck.iter().filter(|claim| claim.lacks == StuckBy::Absence);
            !absent.any(|claim| Some(&claim.name) == fault.claim.as_ref())
        });
        stuck.retain(|claim| claim.lacks != StuckBy::Absence);
        self
    }

    /// Returns true if the devices keep a pod from starting on its node.
    pub fn keep_pod(&self) -> bool {
        !self.stuck.is_empty() || !self.faults.wrong.is_empty() || self.unprepared.is_some()
    }

    /// Returns the sentences about a pod that has a node. `is_pending`: no container of it was started.
    pub fn on_node(&self, is_pending: bool) -> Vec<String> {
        let stuck: &[StuckClaim] = if is_pending { &self.stuck } else { &[] };
        let mut lines: Vec<String> = stuck.iter().map(unstarted).collect();
        let is_said = |claim: &Option<String>| {
            let mut stuck = stuck.iter();
            stuck.any(|said| Some(&said.name) == claim.as_ref())
        };
        let faults = self
            .faults
            .wrong
            .iter()
            .filter(|fault| !is_said(&fault.claim));
        lines.extend(faults.map(|fault| as_sentence(&fault.message)));
        if let Some(why) = self.unprepared.as_ref().filter(|_| is_pending) {
            lines.push(format!("It does not start: {}", with_period(why)));
        }
        lines.extend(self.rules());
        lines
    }

    /// Returns the sentences about rules that have no effect on its devices.
    pub fn rules(&self) -> Vec<String> {
        self.faults
            .rules
            .iter()
            .map(Message::to_string)
            .map(|rule| as_sentence(&rule))
            .collect()
    }
}

/// Returns the sentence about a claim that keeps a pod from starting on its node.
fn unstarted(claim: &StuckClaim) -> String {
    let StuckClaim { name, lacks } = claim;
    match lacks {
        StuckBy::Absence => format!("It does not start: its ResourceClaim {name} is not there."),
        StuckBy::Allocation => format!(
            "It does not start: its ResourceClaim {name} is not allocated, and kube-scheduler allocates claims only of pods without a node. Delete the pod, and create it without `nodeName`."
        ),
        StuckBy::Reservation => format!(
            "It does not start before its ResourceClaim {name} is reserved for it: kube-controller-manager does that, unless too many pods use the claim."
        ),
    }
}

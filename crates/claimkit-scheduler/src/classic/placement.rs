//! The scheduler's dynamicresources plugin applied to files: the same checks, order and messages
//! (kube-scheduler, pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go). Verdicts say what the scheduler
//! would answer now.

use crate::classic::matching::{MatchOutcome, Matches};
use crate::classic::nodes::PreparedNodes;
use crate::classic::structured::Structured;
use crate::rules::SchedulerRules;
use claimkit_model::finding::named;
use claimkit_model::message::{Message, message};
use std::collections::BTreeSet;
use std::sync::Arc;

named! {
    /// Whether a claim or pod can use a node.
    PlacementVerdict {
        /// Allocated, and available there.
        Yes = "Yes",
        /// Not allocated, and no known obstacle.
        Possible = "Possible",
        No = "No",
        /// The scheduler fails the attempt.
        Error = "Error",
    }
}

named! {
    /// A check of a claim.
    CheckKind {
        Exists = "exists",
        /// It is not being deleted.
        Deleted = "deleted",
        /// The pod owns it.
        Owner = "owner",
        /// A claim with mode Immediate is allocated.
        Allocated = "allocated",
        /// Its deallocation was not requested.
        Deallocation = "deallocation",
        /// The claim is not in use by another pod.
        InUse = "inUse",
        Class = "class",
        /// Its parameters and those of its class exist.
        Parameters = "parameters",
        /// Its selector can be parsed.
        Parse = "parse",
        /// The pod has a scheduling context, if it needs one.
        Context = "context",
        /// A selector selects the node.
        Selector = "selector",
        /// No selector restricts the nodes.
        Unrestricted = "unrestricted",
        /// The scheduler refuses every node.
        Refused = "refused",
        /// The driver can use the node.
        Unsuitable = "unsuitable",
        /// Drivers were asked about the node.
        Potential = "potential",
        /// The node is the selected one.
        Selected = "selected",
        /// The scheduler allocates from structured parameters.
        Structured = "structured",
    }
}

/// A refusal by the scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchedulerRefusal {
    /// `No` or `Error`.
    pub verdict: PlacementVerdict,
    /// The scheduler's text, as `kubectl describe pod` shows it.
    pub reason: String,
}

impl SchedulerRefusal {
    /// Makes a refusal for which the node or pod has to wait.
    pub fn no(reason: impl Into<String>) -> Self {
        SchedulerRefusal {
            verdict: PlacementVerdict::No,
            reason: reason.into(),
        }
    }

    /// Returns the decision of an attempt that fails.
    pub fn error(reason: impl Into<String>) -> Self {
        SchedulerRefusal {
            verdict: PlacementVerdict::Error,
            reason: reason.into(),
        }
    }
}

/// When a check is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckStage {
    /// While the pod's claims are looked up, all of them before anything else.
    LookUp,
    /// Once per claim, before nodes are looked at.
    PreFilter,
}

/// A check that does not depend on the node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodelessCheck {
    pub check: CheckKind,
    /// When it is made.
    pub stage: CheckStage,
    /// The refusal, if it fails.
    pub refusal: Option<SchedulerRefusal>,
    /// It fails only until a controller has processed the given, complete files. Later checks are made too, and the verdict is at
    /// best `Possible`.
    pub passing: bool,
    /// Help in claimkit's own words.
    pub why: Message,
    /// For an unparsable selector: its index in the sites.
    pub site: Option<usize>,
}

/// A check made per node.
#[derive(Clone, Debug)]
pub enum Filter<'r> {
    /// A selector: an index into the sites.
    Selector {
        site: usize,
        /// The claim is allocated: `availableOnNodes`; else the class's `suitableNodes`.
        allocated: bool,
    },
    /// There is no selector: every node.
    Unrestricted {
        /// The field that is not set.
        path: &'static str,
    },
    /// A refusal that the scheduler reports per node although it does not depend on the node.
    Refused(SchedulerRefusal),
    Unsuitable {
        /// The nodes they cannot use.
        nodes: BTreeSet<&'r str>,
        reported: bool,
        /// The list has its maximum length, so there may be more nodes.
        truncated: bool,
    },
    /// The nodes that drivers were asked about.
    Potential(BTreeSet<&'r str>),
    Selected(&'r str),
    /// The scheduler's own allocation from structured parameters; `None`: the text has no slices.
    Structured(Option<Arc<Structured>>),
}

/// A claim's checks in the scheduler's order.
#[derive(Clone, Debug)]
pub struct ClaimPlan<'r> {
    /// Index of the claim, template or class among the answer's objects.
    pub object: Option<usize>,
    /// `namespace/name` of the claim; empty for a class.
    pub claim: String,
    /// `name` of the pod's entry.
    pub entry: Option<&'r str>,
    pub class: &'r str,
    /// `spec.allocationMode`
    pub mode: &'r str,
    pub allocated: bool,
    /// It is neither allocated nor allocated by the scheduler itself: a driver must act.
    pub pending: bool,
    /// Drivers have reported on it.
    pub reported: bool,
    /// It is allocated, and nobody but this pod has reserved it: it could be freed (PostFilter).
    pub can_free: bool,
    /// A new allocation could be on another node: its mode is WaitForFirstConsumer, or the scheduler allocated it.
    pub movable: bool,
    /// Before nodes are looked at.
    pub gates: Vec<NodelessCheck>,
    /// One entry per node.
    pub filters: Vec<Filter<'r>>,
}

/// A selector judged on all nodes, with its place.
#[derive(Clone, Debug)]
pub struct Site<'s, 'r> {
    /// Index of its object among the answer's.
    pub object: usize,
    pub path: &'static str,
    pub matches: Matches<'s, 'r>,
}

/// The cause of the decision about a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictCause {
    pub verdict: PlacementVerdict,
    /// The scheduler's text, if it refuses.
    pub reason: Option<String>,
    /// The claim that decides.
    pub plan: Option<usize>,
    /// Its filter that decides.
    pub filter: Option<usize>,
    /// Its gate that decides.
    pub gate: Option<usize>,
}

/// Judges plans on nodes.
#[derive(Clone, Copy, Debug)]
pub struct PlanJudge<'a, 's, 'r> {
    pub sites: &'a [Site<'s, 'r>],
    pub nodes: &'a PreparedNodes,
    pub rules: &'a SchedulerRules,
}

impl PlanJudge<'_, '_, '_> {
    /// Returns the refusal of one check on a node.
    pub fn refusal(&self, filter: &Filter<'_>, node: usize) -> Option<SchedulerRefusal> {
        match filter {
            Filter::Selector { site, allocated } => {
                let matches = &self.sites.get(*site)?.matches;
                let lazy = !*allocated && !self.rules.class_first;
                let outcome = if lazy {
                    matches.lazy(node)
                } else {
                    matches.eager(node)
                };
                match outcome {
                    MatchOutcome::Match => None,
                    MatchOutcome::NoMatch if *allocated => Some(SchedulerRefusal::no(
                        "resourceclaim not available on the node",
                    )),
                    MatchOutcome::NoMatch => Some(SchedulerRefusal::no(
                        "excluded by resource class node filter",
                    )),
                    MatchOutcome::Error => {
                        let error = matches.error.as_deref().unwrap_or_default();
                        Some(SchedulerRefusal::error(if lazy {
                            format!("potential node filter: {error}")
                        } else {
                            error.to_owned()
                        }))
                    }
                }
            }
            Filter::Refused(refusal) => Some(refusal.clone()),
            Filter::Unsuitable { nodes, .. } => nodes.contains(self.nodes.name(node)).then(|| {
                SchedulerRefusal::no("resourceclaim cannot be allocated for the node (unsuitable)")
            }),
            Filter::Structured(structured) => structured
                .as_ref()?
                .on(self.nodes.name(node))
                .refusal
                .as_deref()
                .map(SchedulerRefusal::no),
            Filter::Unrestricted { .. } | Filter::Potential(_) | Filter::Selected(_) => None,
        }
    }

    /// Returns the first check that rejects the pod before any node is checked.
    pub fn blocked(plans: &[ClaimPlan<'_>]) -> Option<VerdictCause> {
        for stage in [CheckStage::LookUp, CheckStage::PreFilter] {
            for (at, plan) in plans.iter().enumerate() {
                let failed = |gate: &NodelessCheck| {
                    gate.stage == stage && gate.refusal.is_some() && !gate.passing
                };
                if let Some(place) = plan.gates.iter().position(failed) {
                    let refusal = plan.gates.get(place)?.refusal.clone()?;
                    return Some(VerdictCause {
                        verdict: refusal.verdict,
                        reason: Some(refusal.reason),
                        plan: Some(at),
                        filter: None,
                        gate: Some(place),
                    });
                }
            }
        }
        None
    }

    /// Returns the scheduler's decision about a node for a pod with these claims.
    pub fn decide(&self, plans: &[ClaimPlan<'_>], node: usize) -> VerdictCause {
        if let Some(blocked) = Self::blocked(plans) {
            return blocked;
        }
        self.filter(plans, node)
    }

    /// Decides about a node as `decide` does, once nothing blocks.
    pub fn filter(&self, plans: &[ClaimPlan<'_>], node: usize) -> VerdictCause {
        let mut unavailable = None;
        let mut verdict = PlacementVerdict::Yes;
        let mut waiting = None;
        for (at, plan) in plans.iter().enumerate() {
            if !plan.allocated {
                verdict = PlacementVerdict::Possible;
            }
            if waiting.is_none() {
                waiting = plan
                    .gates
                    .iter()
                    .position(|gate| gate.refusal.is_some())
                    .map(|gate| (at, gate));
            }
            for (place, filter) in plan.filters.iter().enumerate() {
                let Some(refusal) = self.refusal(filter, node) else {
                    continue;
                };
                let decision = VerdictCause {
                    verdict: refusal.verdict,
                    reason: Some(refusal.reason),
                    plan: Some(at),
                    filter: Some(place),
                    gate: None,
                };
                // Allocated claims that do not fit are collected; any other refusal takes precedence.
                let collected = matches!(
                    filter,
                    Filter::Selector {
                        allocated: true,
                        ..
                    }
                ) && refusal.verdict == PlacementVerdict::No;
                if !collected {
                    return decision;
                }
                unavailable.get_or_insert(decision);
            }
        }
        unavailable.unwrap_or_else(|| {
            let (plan, gate) =
                waiting.map_or((None, None), |(plan, gate)| (Some(plan), Some(gate)));
            let verdict = if gate.is_some() {
                verdict.max(PlacementVerdict::Possible)
            } else {
                verdict
            };
            let reason = plan.zip(gate).and_then(|(plan, gate)| {
                plans
                    .get(plan)?
                    .gates
                    .get(gate)?
                    .refusal
                    .as_ref()
                    .map(|refusal| refusal.reason.clone())
            });
            VerdictCause {
                verdict,
                reason,
                plan,
                filter: None,
                gate,
            }
        })
    }

    /// Returns true if the scheduler would free a claim because it rejected this node (`PostFilter`).
    fn frees(&self, plans: &[ClaimPlan<'_>], node: usize) -> bool {
        let unavailable = |plan: &ClaimPlan<'_>| {
            plan.filters.iter().any(|filter| {
                matches!(
                    filter,
                    Filter::Selector {
                        allocated: true,
                        ..
                    }
                ) && self.refusal(filter, node).is_some()
            })
        };
        let count = plans.iter().filter(|plan| unavailable(plan)).count();
        // If another reason takes precedence, the scheduler does not remember the unavailable claims.
        let other = self
            .filter(plans, node)
            .plan
            .and_then(|plan| plans.get(plan))
            .is_some_and(|plan| !plan.allocated);
        let any_movable = plans.iter().take(count).any(|plan| plan.movable);
        let candidate = |plan: &ClaimPlan<'_>| {
            if self.rules.frees_by_count {
                any_movable
            } else {
                plan.movable
            }
        };
        !other
            && plans
                .iter()
                .any(|plan| unavailable(plan) && candidate(plan) && plan.can_free)
    }

    /// Returns the scheduler's message about the pod after all nodes were checked, and its meaning. `passed`: the nodes that are
    /// left.
    pub fn next(
        &self,
        plans: &[ClaimPlan<'_>],
        passed: &[usize],
    ) -> Option<(&'static str, Message)> {
        let blocked = Self::blocked(plans);
        if passed.is_empty() || blocked.is_some() {
            let freed =
                blocked.is_none() && (0..self.nodes.len()).any(|node| self.frees(plans, node));
            let text = match (blocked.is_some() || plans.is_empty(), freed) {
                (true, _) => "no new claims to deallocate",
                (false, false) => "still not schedulable",
                (false, true) => {
                    return self.rules.deallocated.map(|text| {
                        let why = message!(
                            "placement.frees",
                            "the scheduler frees a claim, so that it can be allocated anew"
                        );
                        (text, why)
                    });
                }
            };
            return Some((
                text,
                message!(
                    "placement.frees-nothing",
                    "nothing that the scheduler could free would help"
                ),
            ));
        }
        if plans
            .iter()
            .flat_map(|plan| &plan.gates)
            .any(|gate| gate.refusal.is_some())
        {
            // A claim does not exist yet: the scheduler reports that first.
            return None;
        }
        let pending: Vec<&ClaimPlan<'_>> = plans.iter().filter(|plan| plan.pending).collect();
        let by_scheduler = plans
            .iter()
            .filter(|plan| !plan.allocated && !plan.pending)
            .count();
        let reported = pending.iter().filter(|plan| plan.reported).count();
        // The count in `Reserve`. It should test whether all drivers have reported; with claims that the scheduler allocates
        // itself, it is right only by chance.
        let starts = match pending.len() {
            0 => return None,
            1 if by_scheduler == 0 => true,
            count => reported.saturating_add(by_scheduler) == count && by_scheduler < count,
        };
        let filters = || pending.iter().flat_map(|plan| &plan.filters);
        let selected = filters().find_map(|filter| match filter {
            Filter::Selected(node) => Some(*node),
            _ => None,
        });
        // If several nodes are left, the scheduler may choose another one than in the last round.
        let chosen_before = matches!((passed, selected), ([only], Some(selected)) if self.nodes.name(*only) == selected);
        if starts && !chosen_before {
            let why = match pending.len() {
                1 => message!(
                    "placement.driver-allocates",
                    "a node is selected; the driver allocates there"
                ),
                _ => message!(
                    "placement.drivers-allocate",
                    "a node is selected; the drivers allocate there"
                ),
            };
            return Some((self.rules.waiting_for_driver, why));
        }
        let asked = filters().any(|filter| match filter {
            Filter::Potential(nodes) => passed
                .iter()
                .all(|&node| nodes.contains(self.nodes.name(node))),
            _ => false,
        });
        if self.rules.context_written_late && !asked {
            return Some((self.rules.waiting_for_driver, drivers_are_asked()));
        }
        let why = if starts {
            message!(
                "placement.selected-already",
                "the node is selected already; the driver allocates there"
            )
        } else {
            drivers_are_asked()
        };
        Some(("waiting for resource driver to provide information", why))
    }
}

fn drivers_are_asked() -> Message {
    message!(
        "placement.drivers-asked",
        "drivers are asked which of the nodes they cannot use"
    )
}

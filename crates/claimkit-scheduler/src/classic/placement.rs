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
            for (plan_index, plan) in plans.iter().enumerate() {
                for (check_index, check) in plan.gates.iter().enumerate() {
                    if check.stage != stage || check.passing {
                        continue;
                    }
                    if let Some(refusal) = &check.refusal {
                        return Some(VerdictCause {
                            verdict: refusal.verdict,
                            reason: Some(refusal.reason.clone()),
                            plan: Some(plan_index),
                            filter: None,
                            gate: Some(check_index),
                        });
                    }
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

    /// Decides about a node as `decide` does, once nothing blocks. Allocated claims that do not fit are collected: any other
    /// refusal takes precedence.
    pub fn filter(&self, plans: &[ClaimPlan<'_>], node: usize) -> VerdictCause {
        let mut unavailable = None;
        for (plan_index, plan) in plans.iter().enumerate() {
            for (filter_index, filter) in plan.filters.iter().enumerate() {
                let Some(refusal) = self.refusal(filter, node) else {
                    continue;
                };
                let is_unavailable =
                    is_of_allocated(filter) && refusal.verdict == PlacementVerdict::No;
                let cause = VerdictCause {
                    verdict: refusal.verdict,
                    reason: Some(refusal.reason),
                    plan: Some(plan_index),
                    filter: Some(filter_index),
                    gate: None,
                };
                if !is_unavailable {
                    return cause;
                }
                unavailable.get_or_insert(cause);
            }
        }
        unavailable.unwrap_or_else(|| cause_without_refusal(plans))
    }

    /// Returns true if the scheduler would free a claim because it rejected this node (`PostFilter`).
    fn frees(&self, plans: &[ClaimPlan<'_>], node: usize) -> bool {
        // If another reason takes precedence, the scheduler does not remember the unavailable claims.
        let is_refused_otherwise = self
            .filter(plans, node)
            .plan
            .and_then(|index| plans.get(index))
            .is_some_and(|plan| !plan.allocated);
        if is_refused_otherwise {
            return false;
        }
        let unavailable: Vec<&ClaimPlan<'_>> = plans
            .iter()
            .filter(|plan| self.is_unavailable(plan, node))
            .collect();
        // Some releases count the unavailable claims, then look at so many claims from the first on.
        let any_counted_is_movable = plans
            .iter()
            .take(unavailable.len())
            .any(|plan| plan.movable);
        unavailable.iter().any(|plan| {
            let is_movable = if self.rules.frees_by_count {
                any_counted_is_movable
            } else {
                plan.movable
            };
            is_movable && plan.can_free
        })
    }

    /// Returns true if a claim is allocated for other nodes than this one.
    fn is_unavailable(&self, plan: &ClaimPlan<'_>, node: usize) -> bool {
        plan.filters
            .iter()
            .any(|filter| is_of_allocated(filter) && self.refusal(filter, node).is_some())
    }

    /// Returns the scheduler's message about the pod after all nodes were checked. `passed`: the nodes that are left.
    pub fn next(&self, plans: &[ClaimPlan<'_>], passed: &[usize]) -> Option<NextStep> {
        let is_blocked = Self::blocked(plans).is_some();
        if passed.is_empty() || is_blocked {
            return self.post_filter(plans, is_blocked);
        }
        let mut checks = plans.iter().flat_map(|plan| &plan.gates);
        if checks.any(|check| check.refusal.is_some()) {
            // A claim does not exist yet: the scheduler reports that first.
            return None;
        }
        let pending: Vec<&ClaimPlan<'_>> = plans.iter().filter(|plan| plan.pending).collect();
        if pending.is_empty() {
            return None;
        }
        let starts_allocation = starts_allocation(plans, &pending);
        if starts_allocation && !self.was_selected(&pending, passed) {
            return Some(NextStep {
                text: self.rules.waiting_for_driver,
                meaning: drivers_allocate(pending.len()),
            });
        }
        if self.rules.context_written_late && !self.are_potential_nodes(&pending, passed) {
            return Some(NextStep {
                text: self.rules.waiting_for_driver,
                meaning: drivers_are_asked(),
            });
        }
        let meaning = if starts_allocation {
            message!(
                "placement.selected-already",
                "the node is selected already; the driver allocates there"
            )
        } else {
            drivers_are_asked()
        };
        Some(NextStep {
            text: "waiting for resource driver to provide information",
            meaning,
        })
    }

    /// Returns what the scheduler says once no node is left (`PostFilter`).
    fn post_filter(&self, plans: &[ClaimPlan<'_>], is_blocked: bool) -> Option<NextStep> {
        if is_blocked || plans.is_empty() {
            return Some(NextStep::frees_nothing("no new claims to deallocate"));
        }
        if !(0..self.nodes.len()).any(|node| self.frees(plans, node)) {
            return Some(NextStep::frees_nothing("still not schedulable"));
        }
        let text = self.rules.deallocated?;
        let meaning = message!(
            "placement.frees",
            "the scheduler frees a claim, so that it can be allocated anew"
        );
        Some(NextStep { text, meaning })
    }

    /// Returns true if the only node that is left was selected in an earlier round. If several are left, the scheduler may choose
    /// another one than before.
    fn was_selected(&self, pending: &[&ClaimPlan<'_>], passed: &[usize]) -> bool {
        let [node] = passed else {
            return false;
        };
        let selected = filters(pending).find_map(|filter| match filter {
            Filter::Selected(name) => Some(*name),
            _ => None,
        });
        selected.is_some_and(|name| name == self.nodes.name(*node))
    }

    /// Returns true if the drivers of a claim were asked about all nodes that are left.
    fn are_potential_nodes(&self, pending: &[&ClaimPlan<'_>], passed: &[usize]) -> bool {
        filters(pending).any(|filter| match filter {
            Filter::Potential(names) => passed
                .iter()
                .all(|&node| names.contains(self.nodes.name(node))),
            _ => false,
        })
    }
}

/// What the scheduler says about the pod after all nodes were checked.
#[derive(Clone, Debug, PartialEq)]
pub struct NextStep {
    /// The scheduler's words.
    pub text: &'static str,
    /// What they mean.
    pub meaning: Message,
}

impl NextStep {
    fn frees_nothing(text: &'static str) -> Self {
        let meaning = message!(
            "placement.frees-nothing",
            "nothing that the scheduler could free would help"
        );
        NextStep { text, meaning }
    }
}

/// Returns true for the node selector of a claim that is allocated.
fn is_of_allocated(filter: &Filter<'_>) -> bool {
    matches!(
        filter,
        Filter::Selector {
            allocated: true,
            ..
        }
    )
}

/// Decides about a node that no filter refuses: it is possible as long as a claim is not allocated or does not exist.
fn cause_without_refusal(plans: &[ClaimPlan<'_>]) -> VerdictCause {
    for (plan_index, plan) in plans.iter().enumerate() {
        for (check_index, check) in plan.gates.iter().enumerate() {
            if let Some(refusal) = &check.refusal {
                return VerdictCause {
                    verdict: PlacementVerdict::Possible,
                    reason: Some(refusal.reason.clone()),
                    plan: Some(plan_index),
                    filter: None,
                    gate: Some(check_index),
                };
            }
        }
    }
    VerdictCause {
        verdict: if plans.iter().all(|plan| plan.allocated) {
            PlacementVerdict::Yes
        } else {
            PlacementVerdict::Possible
        },
        reason: None,
        plan: None,
        filter: None,
        gate: None,
    }
}

fn filters<'p, 'r>(plans: &'p [&'p ClaimPlan<'r>]) -> impl Iterator<Item = &'p Filter<'r>> {
    plans.iter().flat_map(|plan| &plan.filters)
}

/// Returns true if the drivers allocate in this round (`Reserve`). The scheduler should test whether all drivers have reported the
/// nodes that they cannot use; its count is right only by chance if it allocates some of the claims itself.
fn starts_allocation(plans: &[ClaimPlan<'_>], pending: &[&ClaimPlan<'_>]) -> bool {
    let by_scheduler = plans
        .iter()
        .filter(|plan| !plan.allocated && !plan.pending)
        .count();
    if pending.len() == 1 && by_scheduler == 0 {
        return true;
    }
    let reported = pending.iter().filter(|plan| plan.reported).count();
    reported.saturating_add(by_scheduler) == pending.len() && by_scheduler < pending.len()
}

fn drivers_allocate(claims: usize) -> Message {
    if claims == 1 {
        message!(
            "placement.driver-allocates",
            "a node is selected; the driver allocates there"
        )
    } else {
        message!(
            "placement.drivers-allocate",
            "a node is selected; the drivers allocate there"
        )
    }
}

fn drivers_are_asked() -> Message {
    message!(
        "placement.drivers-asked",
        "drivers are asked which of the nodes they cannot use"
    )
}

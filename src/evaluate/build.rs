//! Builds the account of the nodes from judged selectors and plans.

use super::options::{Detail, EvaluateOptions, FULL_NODES};
use super::placement as out;
use crate::advice::locate;
use claimkit_model::finding::Step;
use claimkit_model::message::{self, Message, Words, message};
use claimkit_model::schema::Release;
use claimkit_model::text::located::{self, Range};
use claimkit_model::text::{NodeId, Source, Tree};
use claimkit_scheduler::ParsedSelector;
use claimkit_scheduler::PreparedNodes;
use claimkit_scheduler::classic::explain;
use claimkit_scheduler::classic::matching::{MatchOutcome, Matches, TermState};
use claimkit_scheduler::classic::placement::{
    CheckKind, ClaimPlan, Filter, NodelessCheck, PlacementVerdict, PlanJudge, Site, VerdictCause,
};
use claimkit_scheduler::rules::SchedulerRules;
use claimkit_scheduler::selector::Requirement;
use claimkit_values::order;
use std::collections::BTreeMap;

/// Maximum number of nodes named in the inverse view of a requirement.
const NAMED: usize = 10;

/// The nodes with full details.
#[derive(Clone, Debug)]
pub struct ExplainedNodes<'q> {
    full: bool,
    named: &'q [String],
}

impl<'q> ExplainedNodes<'q> {
    /// Returns the requested level of detail; by default everything for few nodes.
    pub fn of(options: &EvaluateOptions<'q>, nodes: usize) -> Self {
        let full = match options.detail {
            Some(detail) => detail == Detail::Full,
            None => nodes <= FULL_NODES,
        };
        ExplainedNodes {
            full,
            named: options.explain,
        }
    }

    fn includes(&self, name: &str) -> bool {
        self.full || self.named.iter().any(|named| named == name)
    }
}

/// The places of a selector and its parts.
#[derive(Clone, Debug)]
pub struct SelectorPlaces {
    whole: Range,
    terms: Vec<(Range, Vec<Range>)>,
}

impl SelectorPlaces {
    /// Finds them below `prefix` in an object.
    pub fn find(
        source: &Source<'_>,
        tree: &Tree<'_>,
        root: NodeId,
        prefix: &[Step],
        selector: &ParsedSelector<'_>,
    ) -> Self {
        let at = |below: &[Step]| {
            let steps: Vec<Step> = prefix.iter().chain(below).cloned().collect();
            located::file_range(source, locate::locate(tree, root, &steps))
        };
        let terms = selector.terms.iter().enumerate().map(|(index, term)| {
            let here = at(&[
                Step::Key("nodeSelectorTerms".to_owned()),
                Step::Index(index),
            ]);
            (
                here,
                term.requirements
                    .iter()
                    .map(|requirement| at(&requirement.steps(index)))
                    .collect(),
            )
        });
        SelectorPlaces {
            whole: at(&[]),
            terms: terms.collect(),
        }
    }

    fn term(&self, term: usize) -> Option<Range> {
        self.terms.get(term).map(|(range, _)| range.clone())
    }

    fn requirement(&self, term: usize, requirement: usize) -> Option<Range> {
        self.terms.get(term)?.1.get(requirement).cloned()
    }
}

/// Answers for one set of nodes.
#[derive(Clone, Debug)]
pub struct Placing<'a, 'q> {
    pub nodes: &'a PreparedNodes,
    /// How much is explained.
    pub explained: ExplainedNodes<'q>,
    pub release: Release,
}

/// One line of text, and the place in the text that it refers to.
type Reason = (Words, Option<Range>);

/// Returns the range of the first requirement that cannot be parsed.
fn range_of_unparsed(matches: &Matches<'_, '_>, places: &SelectorPlaces) -> Option<Range> {
    for (index, term) in matches.selector.terms.iter().enumerate() {
        let mut requirements = term.requirements.iter();
        if let Some(at) = requirements.position(|requirement| requirement.test.is_err()) {
            return places.requirement(index, at);
        }
    }
    None
}

/// Says which term selects a node.
fn match_text(matches: &Matches<'_, '_>, node: usize) -> Message {
    let term = matches.matched_term(node).unwrap_or_default();
    match matches.terms.len() {
        1 => message!("schedule.term-matches", "the term matches"),
        many => message!(
            "schedule.term-of-many-matches",
            "term {term} of {many} matches",
            term = term.saturating_add(1),
            many
        ),
    }
}

impl Placing<'_, '_> {
    fn placement(&self, nodes: Vec<out::PlacedNode>) -> out::Placement {
        let mut counts = out::Counts::default();
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for node in &nodes {
            let count = match node.verdict {
                PlacementVerdict::Yes => &mut counts.yes,
                PlacementVerdict::Possible => &mut counts.possible,
                PlacementVerdict::No => &mut counts.no,
                PlacementVerdict::Error => &mut counts.error,
            };
            *count = count.saturating_add(1);
            if let Some(reason) = &node.scheduler_reason {
                let count = reasons.entry(reason).or_default();
                *count = count.saturating_add(1);
            }
        }
        let mut by_reason: Vec<out::ReasonCount> = reasons
            .iter()
            .map(|(reason, nodes)| out::ReasonCount {
                reason: (*reason).to_owned(),
                nodes: *nodes,
            })
            .collect();
        order::sort_by_key(&mut by_reason, |reason| std::cmp::Reverse(reason.nodes));
        out::Placement {
            release: self.release.to_string(),
            detail: if self.explained.full {
                Detail::Full
            } else {
                Detail::Summary
            },
            counts,
            reasons: by_reason,
            next: None,
            selectors: Vec::new(),
            nodes,
        }
    }

    /// Returns the account of a bare selector.
    pub fn selector(
        &self,
        matches: &Matches<'_, '_>,
        ranges: Option<&SelectorPlaces>,
    ) -> out::Placement {
        let nodes = (0..self.nodes.len()).map(|node| {
            let eager = matches.eager(node);
            let verdict = match eager {
                MatchOutcome::Match => PlacementVerdict::Yes,
                MatchOutcome::NoMatch => PlacementVerdict::No,
                MatchOutcome::Error => PlacementVerdict::Error,
            };
            let (reason, range) = self.selector_reason(matches, ranges, node, eager);
            out::PlacedNode {
                name: self.nodes.name(node).to_owned(),
                verdict,
                reason,
                scheduler_reason: None,
                range,
                selector: Some(self.check(None, matches, ranges, node)),
                claims: None,
            }
        });
        let mut placement = self.placement(nodes.collect());
        placement
            .selectors
            .push(self.inverse("", None, matches, ranges));
        placement
    }

    /// Makes the placement of claims of a pod, or of one claim, template or class.
    pub fn plans(
        &self,
        plans: &[ClaimPlan<'_>],
        pod: bool,
        sites: &[Site<'_, '_>],
        ranges: &[Option<SelectorPlaces>],
        rules: &SchedulerRules,
    ) -> out::Placement {
        let judge = PlanJudge {
            sites,
            nodes: self.nodes,
            rules,
        };
        let teller = Teller {
            placing: self,
            judge,
            ranges,
        };
        let blocked = PlanJudge::blocked(plans);
        let mut passed = Vec::new();
        let nodes = (0..self.nodes.len()).map(|node| {
            let decision = blocked.clone().unwrap_or_else(|| judge.filter(plans, node));
            if decision.verdict <= PlacementVerdict::Possible {
                passed.push(node);
            }
            let (mut reason, range) = teller.reason(plans, &decision, node);
            if let (true, Some(plan)) = (
                plans.len() > 1,
                decision.plan.and_then(|plan| plans.get(plan)),
            ) {
                let claim = plan.entry.unwrap_or(&plan.claim);
                reason =
                    message!("schedule.claim", "claim `{claim}`: {reason}", claim, reason).into();
            }
            let name = self.nodes.name(node);
            let claims = self
                .explained
                .includes(name)
                .then(|| plans.iter().map(|plan| teller.claim(plan, node)).collect());
            out::PlacedNode {
                name: name.to_owned(),
                verdict: decision.verdict,
                reason,
                scheduler_reason: decision.reason,
                range,
                selector: None,
                claims,
            }
        });
        let mut placement = self.placement(nodes.collect());
        if pod {
            let next = judge.next(plans, &passed);
            placement.next = next.map(|next| out::Next {
                scheduler_reason: next.text,
                why: next.meaning,
            });
        }
        for filter in plans.iter().flat_map(|plan| &plan.filters) {
            let Filter::Selector { site: at, .. } = filter else {
                continue;
            };
            let Some(site) = sites.get(*at) else { continue };
            placement.selectors.push(self.inverse(
                site.path,
                Some(site.object),
                &site.matches,
                ranges.get(*at).and_then(Option::as_ref),
            ));
        }
        placement
    }

    fn selector_reason(
        &self,
        matches: &Matches<'_, '_>,
        ranges: Option<&SelectorPlaces>,
        node: usize,
        outcome: MatchOutcome,
    ) -> Reason {
        match outcome {
            MatchOutcome::Error => {
                let error = matches.error.as_deref().unwrap_or_default();
                let text = message!(
                    "schedule.selector-unparsed",
                    "the selector cannot be parsed: {error}",
                    error
                );
                let range = ranges.and_then(|places| range_of_unparsed(matches, places));
                (text.into(), range)
            }
            // The check itself shows the term. With thousands of nodes, positions are given only for failures.
            MatchOutcome::Match => (match_text(matches, node).into(), None),
            MatchOutcome::NoMatch => match explain::miss(matches, self.nodes, node) {
                Some(miss) => {
                    let range = miss.at.and_then(|(term, at)| ranges?.requirement(term, at));
                    (
                        miss.text.into(),
                        range.or(ranges.map(|ranges| ranges.whole.clone())),
                    )
                }
                None => (Words::default(), None),
            },
        }
    }

    fn check(
        &self,
        source: Option<&'static str>,
        matches: &Matches<'_, '_>,
        ranges: Option<&SelectorPlaces>,
        node: usize,
    ) -> out::SelectorCheck {
        let (eager, lazy) = (matches.eager(node), matches.lazy(node));
        let error = |outcome: MatchOutcome| {
            matches
                .error
                .clone()
                .filter(|_| outcome == MatchOutcome::Error)
        };
        let everything = self.explained.includes(self.nodes.name(node));
        out::SelectorCheck {
            source,
            eager,
            lazy,
            eager_error: error(eager),
            lazy_error: error(lazy),
            matched_term: matches.matched_term(node),
            nearest_term: matches.nearest(node).map(|(term, _)| term),
            range: ranges
                .map(|ranges| ranges.whole.clone())
                .filter(|_| everything),
            terms: everything.then(|| self.terms(matches, ranges, node)),
        }
    }

    fn terms(
        &self,
        matches: &Matches<'_, '_>,
        ranges: Option<&SelectorPlaces>,
        node: usize,
    ) -> Vec<out::TermCheck> {
        let mut checks = Vec::with_capacity(matches.terms.len());
        for (index, (term, judged)) in matches
            .selector
            .terms
            .iter()
            .zip(&matches.terms)
            .enumerate()
        {
            let mut requirements = Vec::with_capacity(term.requirements.len());
            for (at, requirement) in term.requirements.iter().enumerate() {
                let range = ranges.and_then(|ranges| ranges.requirement(index, at));
                requirements.push(self.requirement(requirement, index, range, node));
            }
            let outcome = match judged.state {
                TermState::Empty => out::TermOutcome::Empty,
                TermState::Error => out::TermOutcome::Error,
                TermState::Judged if judged.all.has(node) => out::TermOutcome::Match,
                TermState::Judged => out::TermOutcome::NoMatch,
            };
            checks.push(out::TermCheck {
                index,
                outcome,
                requirements,
                range: ranges.and_then(|ranges| ranges.term(index)),
            });
        }
        checks
    }

    /// Returns the check of one requirement. `term`: the index of its term.
    fn requirement(
        &self,
        requirement: &Requirement<'_>,
        term: usize,
        range: Option<Range>,
        node: usize,
    ) -> out::RequirementCheck {
        let explained = explain::requirement(requirement, self.nodes, node);
        let values = requirement.values.iter();
        out::RequirementCheck {
            path: requirement.path(term),
            key: requirement.key.to_owned(),
            operator: requirement.operator.to_owned(),
            values: values.map(|value| (*value).to_owned()).collect(),
            actual: explained.actual.map(str::to_owned),
            holds: explained.holds,
            why: explained.why,
            range,
        }
    }

    fn inverse(
        &self,
        path: &str,
        object: Option<usize>,
        matches: &Matches<'_, '_>,
        ranges: Option<&SelectorPlaces>,
    ) -> out::Inverse {
        let requirements = explain::removals(matches).into_iter().map(|removal| {
            let (term, at) = (removal.term, removal.requirement);
            let written = matches
                .selector
                .terms
                .get(term)
                .and_then(|term| term.requirements.get(at));
            out::InverseRequirement {
                term,
                path: written
                    .map(|requirement| requirement.path(term))
                    .unwrap_or_default(),
                removes: removal.removes.count(),
                removes_alone: removal.alone.count(),
                alone: removal
                    .alone
                    .iter()
                    .take(NAMED)
                    .map(|node| self.nodes.name(node).to_owned())
                    .collect(),
                empties: removal.empties,
                range: ranges.and_then(|ranges| ranges.requirement(term, at)),
            }
        });
        out::Inverse {
            source: path.to_owned(),
            object,
            file: None,
            selects: matches.any.count(),
            requirements: requirements.collect(),
        }
    }
}

/// Explains the decision about a node.
struct Teller<'a, 'p, 'q, 's, 'r> {
    placing: &'a Placing<'p, 'q>,
    judge: PlanJudge<'a, 's, 'r>,
    ranges: &'a [Option<SelectorPlaces>],
}

/// Returns the instances that the scheduler itself would allocate for a claim on a node.
fn gets<'p>(plan: &'p ClaimPlan<'_>, node: &str) -> Option<&'p Message> {
    plan.filters.iter().find_map(|filter| match filter {
        Filter::Structured(Some(structured)) => Some(&structured.on(node).why),
        _ => None,
    })
}

impl Teller<'_, '_, '_, '_, '_> {
    fn reason(&self, plans: &[ClaimPlan<'_>], decision: &VerdictCause, node: usize) -> Reason {
        let plan = decision.plan.and_then(|plan| plans.get(plan));
        if let Some(plan) = plan {
            if let Some(filter) = decision.filter.and_then(|filter| plan.filters.get(filter)) {
                return self.filter_reason(filter, node);
            }
            if let Some(gate) = decision.gate.and_then(|gate| plan.gates.get(gate)) {
                return self.gate_reason(gate, node);
            }
        }
        if decision.verdict == PlacementVerdict::Yes {
            let available = message!(
                "schedule.allocated-available",
                "allocated, and available on the node"
            );
            return (available.into(), None);
        }
        let name = self.placing.nodes.name(node);
        let gets: Vec<&Message> = plans.iter().filter_map(|plan| gets(plan, name)).collect();
        if gets.is_empty() {
            return (self.possible(plans, node).into(), None);
        }
        let gets = message::sentences(gets.into_iter().cloned());
        let text = message!("schedule.not-allocated", "not allocated; {gets}", gets);
        (text.into(), None)
    }

    fn gate_reason(&self, gate: &NodelessCheck, node: usize) -> Reason {
        let at = gate.site;
        let Some((at, site)) = at.and_then(|at| Some((at, self.judge.sites.get(at)?))) else {
            return (gate.why.clone().into(), None);
        };
        let ranges = self.ranges.get(at).and_then(Option::as_ref);
        self.placing
            .selector_reason(&site.matches, ranges, node, MatchOutcome::Error)
    }

    /// Returns the text for a node without obstacles.
    fn possible(&self, plans: &[ClaimPlan<'_>], node: usize) -> Message {
        let name = self.placing.nodes.name(node);
        let filters = || plans.iter().flat_map(|plan| &plan.filters);
        if filters().any(|filter| matches!(filter, Filter::Selected(selected) if *selected == name))
        {
            return message!(
                "schedule.node-selected-for-pod",
                "selected for the pod, waiting for the driver"
            );
        }
        if filters().any(|filter| matches!(filter, Filter::Structured(_))) {
            return message!(
                "schedule.not-allocated-no-slices",
                "not allocated; the text has no slices to allocate from"
            );
        }
        if filters()
            .any(|filter| matches!(filter, Filter::Potential(nodes) if !nodes.contains(name)))
        {
            return message!(
                "schedule.not-allocated-not-asked",
                "not allocated; drivers were not asked about the node in the last round"
            );
        }
        message!(
            "schedule.nothing-against-node",
            "not allocated; nothing known speaks against the node"
        )
    }

    fn filter_reason(&self, filter: &Filter<'_>, node: usize) -> Reason {
        let name = self.placing.nodes.name(node);
        let explained = |text: Message| (text.into(), None);
        match filter {
            Filter::Selector {
                site: at,
                allocated,
            } => {
                let Some(site) = self.judge.sites.get(*at) else {
                    return (Words::default(), None);
                };
                let lazy = !*allocated && !self.judge.rules.class_first;
                let outcome = if lazy {
                    site.matches.lazy(node)
                } else {
                    site.matches.eager(node)
                };
                self.placing.selector_reason(
                    &site.matches,
                    self.ranges.get(*at).and_then(Option::as_ref),
                    node,
                    outcome,
                )
            }
            Filter::Unrestricted { path } => explained(message!(
                "schedule.every-node",
                "`{path}` is not set: every node",
                path
            )),
            Filter::Refused(refusal) => (Words::upstream(refusal.reason.clone()), None),
            Filter::Unsuitable {
                nodes,
                reported,
                truncated,
            } => explained(match (nodes.contains(name), reported, truncated) {
                (true, ..) => message!(
                    "schedule.driver-against-node",
                    "the driver says that it cannot use the node"
                ),
                (false, true, false) => message!(
                    "schedule.driver-for-node",
                    "the driver has nothing against the node"
                ),
                (false, true, true) => message!(
                    "schedule.driver-list-full",
                    "the driver's list of nodes it cannot use is full: it may have left this one out"
                ),
                (false, false, _) => {
                    message!("schedule.driver-silent", "the driver has said nothing yet")
                }
            }),
            Filter::Potential(nodes) => explained(match nodes.contains(name) {
                true => message!(
                    "schedule.drivers-asked",
                    "drivers were asked about the node"
                ),
                false => message!(
                    "schedule.drivers-not-asked",
                    "drivers were not asked about the node in the last round"
                ),
            }),
            Filter::Selected(selected) if *selected == name => explained(message!(
                "schedule.node-selected",
                "the node is selected, waiting for the driver"
            )),
            Filter::Selected(selected) => explained(message!(
                "schedule.other-node-selected",
                "node `{node}` is selected",
                node = selected
            )),
            Filter::Structured(Some(structured)) => explained(structured.on(name).why.clone()),
            Filter::Structured(None) => explained(message!(
                "schedule.no-instances-known",
                "the text has no slices: instances are not known"
            )),
        }
    }

    fn claim(&self, plan: &ClaimPlan<'_>, node: usize) -> out::PlacedClaim {
        let alone = std::slice::from_ref(plan);
        let decision = self.judge.decide(alone, node);
        let gates = plan.gates.iter().map(|gate| out::Check {
            check: gate.check,
            holds: Some(gate.refusal.is_none()),
            why: gate.why.clone().into(),
            scheduler_reason: gate.refusal.as_ref().map(|refusal| refusal.reason.clone()),
            instances: Vec::new(),
            object: None,
            file: None,
            selector: None,
        });
        let filters = plan.filters.iter().map(|filter| self.filter(filter, node));
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        out::PlacedClaim {
            claim: some(&plan.claim),
            object: plan.object,
            file: None,
            entry: plan.entry.map(str::to_owned),
            class: some(plan.class),
            stage: match (
                plan.allocated,
                plan.gates
                    .iter()
                    .any(|gate| gate.check == CheckKind::Exists),
            ) {
                (true, _) => out::ClaimStage::Allocated,
                (false, true) => out::ClaimStage::NotCreated,
                (false, false) => out::ClaimStage::Unallocated,
            },
            mode: some(plan.mode),
            verdict: decision.verdict,
            reason: self.reason(alone, &decision, node).0,
            scheduler_reason: decision.reason,
            checks: gates.chain(filters).collect(),
        }
    }

    fn filter(&self, filter: &Filter<'_>, node: usize) -> out::Check {
        let refusal = self.judge.refusal(filter, node);
        let (check, decides) = match filter {
            Filter::Selector { .. } => (CheckKind::Selector, true),
            Filter::Unrestricted { .. } => (CheckKind::Unrestricted, true),
            Filter::Refused(_) => (CheckKind::Refused, true),
            Filter::Unsuitable { .. } => (CheckKind::Unsuitable, true),
            Filter::Potential(_) => (CheckKind::Potential, false),
            Filter::Selected(_) => (CheckKind::Selected, false),
            Filter::Structured(found) => (CheckKind::Structured, found.is_some()),
        };
        let site = match filter {
            Filter::Selector { site, .. } => {
                self.judge.sites.get(*site).map(|found| (*site, found))
            }
            _ => None,
        };
        out::Check {
            check,
            holds: decides.then_some(refusal.is_none()),
            why: self.filter_reason(filter, node).0,
            scheduler_reason: refusal.map(|refusal| refusal.reason),
            instances: match filter {
                Filter::Structured(Some(structured)) => {
                    let instances = structured
                        .on(self.placing.nodes.name(node))
                        .instances
                        .iter();
                    instances
                        .map(|(driver, name)| out::Instance {
                            driver: driver.clone(),
                            name: name.clone(),
                        })
                        .collect()
                }
                _ => Vec::new(),
            },
            object: site.map(|(_, site)| site.object),
            file: None,
            selector: site.map(|(at, site)| {
                self.placing.check(
                    Some(site.path),
                    &site.matches,
                    self.ranges.get(at).and_then(Option::as_ref),
                    node,
                )
            }),
        }
    }
}

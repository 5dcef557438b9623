//! The smallest change that helps, found by running the allocator again on edited facts.

use super::account::{self, Change, Reason, Relaxation};
use super::cells::against;
use super::edits::{AskEdit, AskPlace, FactEdit, apply_all, claim_mut};
use super::fitted;
use super::funnel::Row;
use super::kinds::{Added, ChangeKind, Dropped, Freed, SetField};
use super::object_edits::{ClaimEdit, ObjectEdit};
use super::words;
use crate::allocator::allocate::{Verdict, allocate};
use crate::allocator::amount::{Amount, UNIT};
use crate::allocator::behaviour::Behaviour;
use crate::allocator::capacity::{self, Arithmetic, charged};
use crate::allocator::cluster::{Cluster, DeviceAt};
use crate::allocator::extended::{self, ContainerNeed};
use crate::allocator::features::Feature;
use crate::allocator::mistakes::MISTAKES;
use crate::allocator::node_resources::{self, Footprint};
use crate::allocator::objects::{Claim, Facts, Pod, Taint, Toleration, ValidRange};
use crate::allocator::plugin::PodCase;
use crate::allocator::pools::{Gatherer, NodePools};
use crate::allocator::prepare::RequestChoice;
use crate::allocator::sorted::{Set, Sorted};
use crate::allocator::taints;
use claimkit_model::finding::{FieldPath, PathStep, field_path};
use claimkit_model::message::{Message, Template, message};
use claimkit_values::order;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum number of pairs of changes that are tried: of those that give what was asked for, and of the others.
const MOST_PAIRS: usize = 40;
/// Controllers whose pod comes back under its name, and takes its devices again.
const RESTORED: [&str; 2] = ["StatefulSet", "DaemonSet"];
/// Maximum number of relaxations in an answer.
const MOST_TOLD: usize = 8;

/// Maximum number of devices that a sentence names.
const MOST_DEVICES: usize = 8;

/// Returns for each claim the position of the first claim that the same object defines. The spec of a claim cannot change: to change
/// one that comes from a template is to change the template.
fn find_first_alike(claims: &[&Claim], pod: Option<&Pod>) -> Vec<usize> {
    let mut first_of_template = BTreeMap::new();
    let mut first_of_name = BTreeMap::new();
    let mut first_alike = Vec::with_capacity(claims.len());
    for (index, claim) in claims.iter().copied().enumerate() {
        let Some(template) = pod.and_then(|pod| template_name(pod, claim)) else {
            let name = (&claim.metadata.namespace, &claim.metadata.name);
            first_alike.push(*first_of_name.entry(name).or_insert(index));
            continue;
        };
        let first = *first_of_template
            .entry(template.to_owned())
            .or_insert(index);
        // A template that has changed since has made other claims before.
        let is_alike = claims
            .get(first)
            .is_some_and(|first| first.spec == claim.spec);
        first_alike.push(if is_alike { first } else { index });
    }
    first_alike
}

fn pods_on_node(cluster: &Cluster<'_>, node: usize) -> Vec<Rc<Pod>> {
    let node = cluster.facts.nodes.get(node);
    let name = node.map_or("", |node| node.metadata.name.as_str());
    cluster.pods_on(name).cloned().collect()
}

/// Returns the indexes of the slices of a node's pools.
fn slices_of_pools(cluster: &Cluster<'_>, gathered: &NodePools<'_>) -> Set<usize> {
    gathered
        .pools
        .iter()
        .map(|pool| (pool.driver, pool.name))
        .chain(gathered.obsolete.iter().copied())
        .flat_map(|(driver, pool)| cluster.slices_of_pool(driver, pool))
        .copied()
        .collect()
}

/// Returns the claims to allocate, and those that are allocated already.
fn claims_of_pod<'c>(case: &PodCase<'c>, pending: &[&'c Claim]) -> Vec<&'c Claim> {
    let mut claims = pending.to_vec();
    for claim in &case.allocated {
        if position_of(claim, &claims).is_none() {
            claims.push(claim);
        }
    }
    claims
}

fn position_of(claim: &Claim, claims: &[&Claim]) -> Option<usize> {
    claims.iter().position(|other| std::ptr::eq(*other, claim))
}

/// Returns the claims that hold devices of slices, without those of the pod.
fn other_holders(cluster: &Cluster<'_>, case: &PodCase<'_>, slices: &Set<usize>) -> Vec<Rc<Claim>> {
    let devices = slices.iter().flat_map(|slice| cluster.devices_of(*slice));
    let holders: Set<usize> = devices
        .flat_map(|(at, _)| cluster.usage.claims(cluster.identity(at)))
        .copied()
        .collect();
    holders
        .into_iter()
        .filter_map(|at| cluster.facts.claims.get(at))
        .filter(|claim| position_of(claim, &case.allocated).is_none())
        .cloned()
        .collect()
}

/// Returns the positions of the pod's claims in the order in which they are allocated. `pending`: how many are not allocated; they come
/// first in `claims`.
fn own_claims(case: &PodCase<'_>, pending: usize, claims: &[&Claim]) -> Vec<usize> {
    let mut next = 0..pending;
    let mut own: Vec<usize> = Vec::new();
    for claim in &case.claims {
        // A claim that waits may be named twice; the allocator gets it twice.
        own.extend(match claim.status.allocation {
            None => next.next(),
            Some(_) => position_of(claim, claims),
        });
    }
    own.extend(next);
    own
}

/// Returns the positions of the claims that are allocated for other nodes.
fn unavailable_claims(
    cluster: &Cluster<'_>,
    case: &PodCase<'_>,
    node: usize,
    claims: &[&Claim],
) -> Vec<usize> {
    let lost: Vec<&Claim> = case
        .unavailable(cluster, node)
        .iter()
        .map(|(claim, _)| *claim)
        .collect();
    let marked = claims.iter().enumerate();
    marked
        .filter(|(_, claim)| position_of(claim, &lost).is_some())
        .map(|(at, _)| at)
        .collect()
}

/// Returns the name of the template that a pod's claim was made from.
fn template_name<'p>(pod: &'p Pod, claim: &Claim) -> Option<&'p str> {
    let statuses = pod.status.resource_claim_statuses.as_deref()?;
    let status = statuses
        .iter()
        .find(|status| status.resource_claim_name.as_deref() == Some(&claim.metadata.name))?;
    let entry = pod
        .spec
        .resource_claims
        .iter()
        .find(|entry| entry.name == status.name)?;
    entry.resource_claim_template_name.as_deref()
}

/// The facts that concern one node.
#[derive(Debug)]
pub struct Trial<'c, 's> {
    cluster: &'c Cluster<'s>,
    facts: Facts,
    /// Indexes of the pending claims in `facts`.
    pending: Vec<usize>,
    /// Indexes of all claims of the pod, in the order in which they are allocated: what is freed of them is pending again.
    own: Vec<usize>,
    /// The allocated claims that cannot be used on the node.
    unavailable: Vec<usize>,
    /// For each pending claim, the first one that the same object defines: a claim that is named twice, or claims made from one
    /// template.
    first_alike: Vec<usize>,
    /// The pod that asks.
    pod: Option<&'c Pod>,
    /// What its containers ask for of extended resources.
    needs: Vec<ContainerNeed>,
    /// Devices must leave the node enough of its resources.
    node_resources: bool,
    /// Steps left for all runs.
    budget: u64,
}

/// A relaxation, and what was edited.
#[derive(Debug)]
pub struct TriedRelaxation {
    pub relaxation: Relaxation,
    pub edits: Vec<FactEdit>,
}

/// Pairs of edits that are tried together.
#[derive(Default)]
struct EditPairs<'e> {
    /// They give what was asked for.
    as_asked: Vec<[&'e FactEdit; 2]>,
    /// They depart from it.
    departing: Vec<[&'e FactEdit; 2]>,
}

/// Whether devices consume counters in a trial.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counters {
    Consumed,
    Ignored,
}

/// The goal of a trial.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// The pending claims get devices.
    Claims,
    /// The pod's other claims can be used there as well, and the devices leave the node enough of its resources.
    Pod,
}

impl<'c, 's> Trial<'c, 's> {
    /// Extracts one node: its pools, the pending claims, and the claims that hold devices there.
    pub fn new(
        cluster: &'c Cluster<'s>,
        case: &PodCase<'c>,
        node: usize,
        gathered: &NodePools<'_>,
        claims: &[&Claim],
        budget: u64,
    ) -> Self {
        let node_resources = case.looks_at_node_resources();
        let slices = slices_of_pools(cluster, gathered);
        let of_pod = claims_of_pod(case, claims);
        let others = other_holders(cluster, case, &slices);
        let facts = Facts {
            classes: cluster.facts.classes.clone(),
            nodes: cluster.facts.nodes.get(node).cloned().into_iter().collect(),
            pods: if node_resources {
                pods_on_node(cluster, node)
            } else {
                Vec::new()
            },
            slices: slices
                .iter()
                .filter_map(|at| cluster.facts.slices.get(*at))
                .cloned()
                .collect(),
            claims: of_pod
                .iter()
                .map(|claim| Rc::new((*claim).clone()))
                .chain(others)
                .collect(),
            ..Facts::default()
        };
        Trial {
            cluster,
            facts,
            pending: (0..claims.len()).collect(),
            own: own_claims(case, claims.len(), &of_pod),
            unavailable: unavailable_claims(cluster, case, node, &of_pod),
            first_alike: find_first_alike(claims, case.pod),
            pod: case.pod,
            needs: case.container_needs(),
            node_resources,
            budget,
        }
    }

    /// Returns the devices that the pending claims get; `None`: nothing, or not known.
    fn run(&mut self, facts: &Facts, counters: Counters, goal: Goal) -> Option<Vec<String>> {
        if goal == Goal::Pod && !self.unavailable.iter().all(|at| is_freed(facts, *at)) {
            return None;
        }
        self.run_as(self.cluster.behaviour, facts, counters, goal)
    }

    fn run_as(
        &mut self,
        behaviour: &Behaviour,
        facts: &Facts,
        counters: Counters,
        goal: Goal,
    ) -> Option<Vec<String>> {
        let mut cluster = self.cluster_of(behaviour, facts);
        cluster.ignores_counters = counters == Counters::Ignored;
        let gathered = Gatherer::new(&cluster).gather_near(0);
        let claims = self.waiting_claims(facts);
        let outcome = allocate(&cluster, 0, &gathered, &claims, self.budget);
        self.budget = self.budget.saturating_sub(outcome.cost.max(1));
        let Verdict::Allocated(results) = outcome.verdict else {
            return None;
        };
        if goal == Goal::Pod && self.node_resources {
            let footprint = node_resources::check(&cluster, self.pod, 0, &claims, &results);
            if footprint.is_some_and(|footprint| footprint.refusal.is_some()) {
                return None;
            }
        }
        Some(
            results
                .into_iter()
                .flat_map(|result| result.devices.results)
                .map(|result| result.device)
                .collect(),
        )
    }

    /// Returns the cluster that has these facts.
    fn cluster_of<'f>(&self, behaviour: &'f Behaviour, facts: &'f Facts) -> Cluster<'f>
    where
        's: 'f,
        'c: 'f,
    {
        let engine = self.cluster.verdicts.engine;
        Cluster::new(facts, behaviour, self.cluster.features, engine)
    }

    /// Returns the pod's claims that wait, in the order in which they are allocated.
    fn waiting_claims<'f>(&self, facts: &'f Facts) -> Vec<&'f Claim> {
        let claims = self.own.iter().filter_map(|at| facts.claims.get(*at));
        claims
            .map(|claim| &**claim)
            .filter(|claim| claim.status.allocation.is_none())
            .collect()
    }

    /// Returns true if the attempt ends here with an error, which ends it on all nodes, once claims are edited.
    pub fn fails_after(&mut self, edits: &[FactEdit]) -> bool {
        if self.budget == 0 {
            return false;
        }
        let mut facts = self.facts.clone();
        let all: Vec<FactEdit> = edits.iter().flat_map(|edit| self.in_alike(edit)).collect();
        apply_all(&all.iter().collect::<Vec<_>>(), &mut facts);
        let cluster = self.cluster_of(self.cluster.behaviour, &facts);
        let gathered = Gatherer::new(&cluster).gather_near(0);
        let claims = self.waiting_claims(&facts);
        let outcome = allocate(&cluster, 0, &gathered, &claims, self.budget);
        self.budget = self.budget.saturating_sub(outcome.cost.max(1));
        matches!(outcome.verdict, Verdict::Fatal(_) | Verdict::Panic(_))
    }

    /// Returns an edit for each claim that the same object defines.
    fn in_alike(&self, edit: &FactEdit) -> Vec<FactEdit> {
        let claim = edit.claim();
        let Some(first) = claim.and_then(|claim| self.first_alike.get(claim)) else {
            return vec![edit.clone()];
        };
        let claims = self.first_alike.iter().enumerate();
        claims
            .filter(|(_, other)| *other == first)
            .map(|(claim, _)| edit.in_claim(claim))
            .collect()
    }

    /// Tries edits together.
    fn attempt(&mut self, edits: &[&FactEdit], goal: Goal) -> Option<Vec<String>> {
        if self.budget == 0 {
            return None;
        }
        let mut facts = self.facts.clone();
        apply_all(edits, &mut facts);
        self.run(&facts, Counters::Consumed, goal)
    }

    /// Tries edits together, each in all claims that have the same text.
    fn attempt_in_text(&mut self, edits: &[&FactEdit]) -> Option<Vec<String>> {
        let all: Vec<FactEdit> = edits.iter().flat_map(|edit| self.in_alike(edit)).collect();
        self.attempt(&all.iter().collect::<Vec<_>>(), Goal::Pod)
    }

    /// Returns the changes that help: all single ones, or else the first pair that gives what was asked for, and the first one that
    /// departs from it. `footprint`: what devices take of the node's resources.
    pub fn relaxations(
        &mut self,
        rows: &[(&RequestChoice<'_>, &Row<'_, '_>)],
        footprint: Option<&Footprint>,
    ) -> Vec<TriedRelaxation> {
        let mut edits = self.edits(rows);
        if let Some(footprint) = footprint {
            edits.extend(
                rows.iter()
                    .flat_map(|(choice, _)| smaller(choice, footprint)),
            );
        }
        edits.retain(|edit| {
            edit.claim().is_none_or(|claim| {
                self.first_alike
                    .get(claim)
                    .is_none_or(|first| *first == claim)
            })
        });
        let node = self
            .facts
            .nodes
            .first()
            .map_or_else(String::new, |node| node.metadata.name.clone());
        let mut found: Vec<TriedRelaxation> = Vec::new();
        let mut helpful: Vec<&FactEdit> = Vec::new();
        for edit in &edits {
            // Larger capacities and counts are tried first; once one fits, smaller ones add no information.
            let is_settled = helpful.iter().any(|known| known.is_of_same_field(edit));
            if is_settled || found.len() >= MOST_TOLD {
                continue;
            }
            if let Some(gives) = self.attempt_in_text(&[edit]) {
                found.push(self.describe_change(&[edit], gives, &node));
                helpful.push(edit);
            }
        }
        if !found.is_empty() {
            // Changes that give what was asked for come before those that ask for less or for something else.
            order::sort_by_key(&mut found, |tried| {
                tried.relaxation.changes.iter().map(shrinks).max()
            });
            return found;
        }
        let pairs = self.pairs(&edits);
        found.extend(self.first_pair(&pairs.as_asked, &node));
        found.extend(self.first_pair(&pairs.departing, &node));
        found
    }

    /// Returns the first pairs of edits.
    fn pairs<'e>(&self, edits: &'e [FactEdit]) -> EditPairs<'e> {
        let departs: Vec<bool> = edits
            .iter()
            .map(|edit| self.change(edit).is_some_and(|change| shrinks(&change) > 0))
            .collect();
        let mut pairs = EditPairs::default();
        let mut marked = edits.iter().zip(&departs);
        while let Some((first, first_departs)) = marked.next() {
            for (second, second_departs) in marked.clone() {
                if first.is_of_same_field(second) {
                    continue;
                }
                let list = if *first_departs || *second_departs {
                    &mut pairs.departing
                } else {
                    &mut pairs.as_asked
                };
                if list.len() < MOST_PAIRS {
                    list.push(in_order(first, second));
                }
            }
        }
        pairs
    }

    /// Returns the first pair of changes that helps.
    fn first_pair(&mut self, pairs: &[[&FactEdit; 2]], node: &str) -> Option<TriedRelaxation> {
        pairs.iter().find_map(|pair| {
            let gives = self.attempt_in_text(pair)?;
            Some(self.describe_change(pair, gives, node))
        })
    }

    /// Returns true if the claims fit with one constraint less.
    pub fn fits_without_constraint(&mut self, claim: usize, index: usize) -> bool {
        self.attempt(&[&FactEdit::DropConstraint { claim, index }], Goal::Claims)
            .is_some()
    }

    /// Returns true if a request fits without all other requests and constraints.
    pub fn fits_alone(&mut self, claim: usize, request: &str) -> bool {
        if self.budget == 0 {
            return false;
        }
        let mut facts = self.facts.clone();
        for at in self.pending.clone() {
            if let Some(one) = claim_mut(&mut facts, at) {
                one.spec.devices.constraints.clear();
                one.spec
                    .devices
                    .requests
                    .retain(|own| at == claim && own.name == request);
            }
        }
        self.run(&facts, Counters::Consumed, Goal::Claims).is_some()
    }

    /// Returns a mistake of the release's allocator without which it fits.
    pub fn mistake(&mut self) -> Option<Template> {
        let behaviour = *self.cluster.behaviour;
        let facts = self.facts.clone();
        for mistake in MISTAKES {
            let corrected = (mistake.without)(behaviour);
            if corrected == behaviour {
                continue;
            }
            let devices = self.run_as(&corrected, &facts, Counters::Consumed, Goal::Pod);
            if devices.is_some() {
                return Some(mistake.text);
            }
        }
        None
    }

    /// Returns true if the claims fit if devices consume no counters.
    pub fn fits_without_counters(&mut self) -> bool {
        let facts = self.facts.clone();
        self.run(&facts, Counters::Ignored, Goal::Claims).is_some()
    }

    /// Adds a toleration of each taint of the devices that the request does not tolerate.
    fn tolerations(
        &self,
        choice: &RequestChoice<'_>,
        row: &Row<'_, '_>,
        edits: &mut Vec<FactEdit>,
    ) {
        if self.is_extended(choice.claim) {
            return;
        }
        let mut tolerated: Vec<&Taint> = Vec::new();
        for taint in row
            .iter()
            .filter_map(|(shown, _)| self.cluster.device(shown.at))
            .flat_map(|(_, device)| &device.taints)
        {
            let is_tolerated = tolerated.iter().any(|other| {
                other.key == taint.key && other.value == taint.value && other.effect == taint.effect
            });
            if is_tolerated || !taints::matters(self.cluster.behaviour, taint) {
                continue;
            }
            let mut tolerations = choice.ask.tolerations.iter();
            if tolerations.all(|toleration| taints::tolerates(toleration, taint).is_err()) {
                tolerated.push(taint);
                let edit = AskEdit::Tolerate(against(taint));
                edits.push(FactEdit::of_choice(choice, edit));
            }
        }
    }

    /// Returns the edits to try, cheapest first.
    fn edits(&self, rows: &[(&RequestChoice<'_>, &Row<'_, '_>)]) -> Vec<FactEdit> {
        let mut edits = Vec::new();
        for at in self.pending.iter().copied() {
            if let Some(claim) = self.claim(at) {
                let constraints = 0..claim.spec.devices.constraints.len();
                edits
                    .extend(constraints.map(|index| FactEdit::DropConstraint { claim: at, index }));
            }
        }
        for (choice, row) in rows {
            edits.extend(fitted::edits(self.cluster, choice, row));
            for index in 0..choice.ask.selectors.len() {
                edits.push(FactEdit::of_choice(choice, AskEdit::DropSelector(index)));
            }
        }
        for (choice, row) in rows {
            self.tolerations(choice, row, &mut edits);
        }
        let others = self.pending.len()..self.facts.claims.len();
        edits.extend(
            others
                .filter(|at| self.can_be_freed(*at))
                .map(|claim| FactEdit::Free { claim }),
        );
        for (choice, _) in rows {
            if choice.ask.allocation_mode == "All" {
                edits.push(FactEdit::of_choice(choice, AskEdit::ExactlyOne));
            }
            for count in (1..choice.ask.count).rev().take(32) {
                edits.push(FactEdit::of_choice(choice, AskEdit::Count(count)));
            }
        }
        if self.cluster.has(Feature::ConsumableCapacity) {
            for (choice, row) in rows {
                self.capacity_names(choice, row, &mut edits);
            }
            for at in 0..rows.len() {
                self.capacities(rows, at, &mut edits);
            }
            for (choice, row) in rows {
                edits.extend(capacities_to_drop(choice, row));
            }
        }
        edits
    }

    /// Returns true if the scheduler makes the claim from the resources of containers, which say a count and nothing else.
    fn is_extended(&self, claim: usize) -> bool {
        let claim = self.facts.claims.get(claim);
        claim.is_none_or(|claim| claim.metadata.name == extended::CLAIM_NAME)
    }

    /// Returns true if freeing a claim helps anybody: it holds devices, and what uses it does not come back on the same node.
    fn can_be_freed(&self, at: usize) -> bool {
        let Some(claim) = self.facts.claims.get(at) else {
            return false;
        };
        let pods = &self.cluster.facts.pods;
        let comes_back = claim.status.reserved_for.iter().any(|user| {
            pods.iter()
                .filter(|pod| {
                    let is_unknown = user.uid.is_empty() || pod.metadata.uid.is_empty();
                    pod.metadata.name == user.name
                        && pod.metadata.namespace == claim.metadata.namespace
                        && (is_unknown || pod.metadata.uid == user.uid)
                })
                .flat_map(|pod| &pod.metadata.owner_references)
                .any(|owner| owner.controller && RESTORED.contains(&owner.kind.as_str()))
        });
        let is_own = self.own.contains(&at);
        (is_own || !comes_back) && !self.cluster.is_planned(claim)
    }

    /// Returns names of capacities that devices have with their driver and the request without it, or the reverse.
    fn capacity_names(
        &self,
        choice: &RequestChoice<'_>,
        row: &Row<'_, '_>,
        edits: &mut Vec<FactEdit>,
    ) {
        for (name, _) in capacity::requests(choice.ask).iter() {
            let mut known: Vec<String> = Vec::new();
            for (slice, device) in row
                .iter()
                .filter_map(|(shown, _)| self.cluster.device(shown.at))
            {
                let other = device.capacity.keys().find(|other| {
                    let driver = &slice.spec.driver;
                    *other != name && qualified(other, driver) == qualified(name, driver)
                });
                let is_known = device.capacity.get(name).is_some()
                    || self.cluster.behaviour.qualified_capacities;
                if let Some(other) = other.filter(|other| !is_known && !known.contains(other)) {
                    known.push(other.clone());
                    let edit = AskEdit::RenameCapacity {
                        from: name.clone(),
                        to: other.clone(),
                    };
                    edits.push(FactEdit::of_choice(choice, edit));
                }
            }
        }
    }

    /// Adds the amounts of capacity that would fit on some device, largest first: of what the request at `at` asks for, and of what it
    /// is charged for without asking.
    fn capacities(
        &self,
        rows: &[(&RequestChoice<'_>, &Row<'_, '_>)],
        at: usize,
        edits: &mut Vec<FactEdit>,
    ) {
        let Some((choice, row)) = rows.get(at) else {
            return;
        };
        for name in self.names_to_ask_for(choice, row) {
            let mut amounts: Sorted<i128, Amount> = Sorted::new();
            for (shown, reasons) in *row {
                if !reasons
                    .iter()
                    .all(|reason| matches!(reason, Reason::Capacity(_)))
                {
                    continue;
                }
                // The other requests may get other devices, or the same one.
                let others = self.charged_to_others(rows, at, shown.at, &name);
                for taken in [0, others] {
                    if let Some(amount) = self.smaller_amount(choice, shown.at, &name, taken) {
                        amounts.insert(amount.nanos(), amount);
                    }
                }
            }
            for (_, amount) in amounts.into_iter().rev() {
                let name = name.clone();
                let edit = AskEdit::Capacity { name, amount };
                edits.push(FactEdit::of_choice(choice, edit));
            }
        }
    }

    /// Returns the capacities that a request asks for, and those that devices charge it for without that.
    fn names_to_ask_for(&self, choice: &RequestChoice<'_>, row: &Row<'_, '_>) -> Vec<String> {
        let mut names: Vec<String> = capacity::requests(choice.ask).keys().cloned().collect();
        // A container's resources cannot say how much of a device they want.
        if self.is_extended(choice.claim) {
            return names;
        }
        for (shown, _) in row
            .iter()
            .filter(|(shown, _)| self.cluster.is_shared(shown.at))
        {
            let Some((_, device)) = self.cluster.device(shown.at) else {
                continue;
            };
            let arithmetic = Arithmetic::of(self.cluster, shown.at);
            for (name, _) in arithmetic.published(device) {
                let is_asked_for = arithmetic.requested(choice.ask, name).is_some();
                if !is_asked_for && !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        }
        names
    }

    /// Returns the largest amount of a device's capacity that is left beside `taken` and that the policy allows, if it is less than
    /// what the request is charged.
    fn smaller_amount(
        &self,
        choice: &RequestChoice<'_>,
        at: DeviceAt,
        name: &str,
        taken: i128,
    ) -> Option<Amount> {
        let (capacity, charged) = charged(self.cluster, choice.ask, at, name)?;
        let arithmetic = Arithmetic::of(self.cluster, at);
        let identity = self.cluster.identity(at);
        let used = self.cluster.usage.used(identity, arithmetic.plain(name));
        let left = capacity.value.nanos().saturating_sub(used);
        let mut most = left.saturating_sub(taken);
        let policy = capacity.request_policy.as_ref();
        let range = policy.and_then(|policy| policy.valid_range.as_ref());
        if let Some(max) = range.and_then(|range| range.max.as_ref()) {
            most = most.min(max.nanos());
        }
        let valid = policy.map_or(&[][..], |policy| &policy.valid_values);
        if let Some(value) = valid
            .iter()
            .filter(|value| value.nanos() <= most)
            .max_by_key(|value| value.nanos())
        {
            most = value.nanos();
        }
        let most = on_step(most / UNIT, range);
        let asked = capacity::requests(choice.ask).get(name);
        let limit = asked.unwrap_or(&charged);
        let amount = Amount::whole_like(most, limit.text());
        (most > 0 && amount.nanos() < limit.nanos()).then_some(amount)
    }

    /// Returns what the other requests are charged of a device's capacity if each gets the device.
    fn charged_to_others(
        &self,
        rows: &[(&RequestChoice<'_>, &Row<'_, '_>)],
        at: usize,
        device: DeviceAt,
        name: &str,
    ) -> i128 {
        let mut sum = 0i128;
        for (other, (choice, row)) in rows.iter().enumerate() {
            let gets_it = row
                .iter()
                .any(|(shown, reasons)| shown.at == device && reasons.is_empty());
            if other == at || choice.admin() || !gets_it {
                continue;
            }
            let charged = charged(self.cluster, choice.ask, device, name);
            sum = sum.saturating_add(charged.map_or(0, |(_, amount)| amount.nanos()));
        }
        sum
    }

    fn describe_change(
        &self,
        edits: &[&FactEdit],
        gives: Vec<String>,
        node: &str,
    ) -> TriedRelaxation {
        let mut changes: Vec<Change> = edits.iter().filter_map(|edit| self.change(edit)).collect();
        let mut parts: Vec<Message> = Vec::with_capacity(changes.len());
        for change in &mut changes {
            // The scheduler makes the claim from the pod: that is what can be edited.
            if !self.is_of_containers(change) {
                parts.push(sentence(change, &self.request_of(change)));
                continue;
            }
            let Some((need, count)) = self.smaller_need(change) else {
                parts.push(sentence(change, &self.request_of(change)));
                change.path = None;
                continue;
            };
            change.path = Some(need.path.clone());
            change.from = Some(need.count.to_string());
            change.to = Some(count.to_string());
            parts.push(resource_sentence(change, need));
        }
        let change = parts
            .iter()
            .cloned()
            .reduce(|first, second| message!("change.and", "{first} and {second}", first, second))
            .unwrap_or_default();
        let text = message!(
            "change.gives",
            "{change}: gives {devices} on {node}",
            change,
            devices = words::some(&gives, MOST_DEVICES),
            node
        );
        let relaxation = Relaxation {
            changes,
            gives,
            node: node.to_owned(),
            edits: Vec::new(),
            text,
            parts,
            objects: edits.iter().map(|edit| self.objects(edit)).collect(),
        };
        TriedRelaxation {
            relaxation,
            edits: edits.iter().map(|edit| (*edit).clone()).collect(),
        }
    }

    /// Returns an edit as edits of the objects; `None`: what it is about is no object.
    fn objects(&self, edit: &FactEdit) -> Option<Vec<ObjectEdit>> {
        if let FactEdit::Free { claim } = edit {
            return Some(vec![ObjectEdit::Free(self.name_of_claim(*claim)?)]);
        }
        let alike = self.in_alike(edit).into_iter();
        alike
            .map(|edit| {
                Some(ObjectEdit::ClaimSpec {
                    claim: self.name_of_claim(edit.claim()?)?,
                    edit: ClaimEdit::Tried(edit),
                })
            })
            .collect()
    }

    /// Returns the name of a claim; `None` for claims that the scheduler makes.
    fn name_of_claim(&self, at: usize) -> Option<String> {
        let claim = self.facts.claims.get(at)?;
        (claim.metadata.name != extended::CLAIM_NAME).then(|| claim.metadata.full_name())
    }

    /// Returns true if a change is about the count of a request that the scheduler makes from the resources of containers.
    fn is_of_containers(&self, change: &Change) -> bool {
        let mut claims = self.facts.claims.iter();
        change.kind == ChangeKind::Set(SetField::Count)
            && claims.any(|claim| {
                claim.metadata.name == extended::CLAIM_NAME
                    && claim.metadata.full_name() == change.claim
            })
    }

    /// Returns what a container asks for, and how much less it may ask for so that its request has another count. An init container
    /// asks for more than its request has: it reuses the devices of later containers. `None`: others ask for as much.
    fn smaller_need(&self, change: &Change) -> Option<(&ContainerNeed, i64)> {
        let request = change.request.as_deref()?;
        let need = self.needs.iter().find(|need| need.request == request)?;
        let from: i64 = change.from.as_deref()?.parse().ok()?;
        let to: i64 = change.to.as_deref()?.parse().ok()?;
        let count = need.count.checked_sub(from.checked_sub(to)?)?;
        let others_want_more = need.count != from
            && self.needs.iter().any(|other| {
                other.request != need.request
                    && other.resource == need.resource
                    && other.count > count
            });
        (!others_want_more).then_some((need, count))
    }

    /// Returns the name of the request, with its claim where another claim of the pod has a request of the same name.
    fn request_of(&self, change: &Change) -> String {
        let name = change.request.as_deref().unwrap_or_default();
        let request = name.split('/').next().unwrap_or_default();
        let is_ambiguous = self
            .own
            .iter()
            .any(|at| self.has_request(*at, request) && !self.is_changed(*at, change));
        if is_ambiguous {
            account::of_claim(name, &change.claim).into()
        } else {
            name.to_owned()
        }
    }

    fn has_request(&self, at: usize, name: &str) -> bool {
        self.claim(at).is_some_and(|claim| {
            let mut requests = claim.spec.devices.requests.iter();
            requests.any(|request| request.name == name)
        })
    }

    /// Returns true if a change of an object changes this claim: it is the claim itself, or its template.
    fn is_changed(&self, at: usize, change: &Change) -> bool {
        let first = self.first_alike.get(at).copied().unwrap_or(at);
        self.claim(first)
            .is_some_and(|first| first.metadata.full_name() == change.claim)
    }

    fn change(&self, edit: &FactEdit) -> Option<Change> {
        match edit {
            FactEdit::Free { claim } => Some(Change::of(
                ChangeKind::Free(Freed::Claim),
                self.claim(*claim)?.metadata.full_name(),
            )),
            FactEdit::DropConstraint { claim, index } => Some(Change {
                path: Some(field_path!["spec", "devices", "constraints", *index]),
                index: Some(*index),
                ..Change::of(
                    ChangeKind::Drop(Dropped::Constraint),
                    self.claim(*claim)?.metadata.full_name(),
                )
            }),
            FactEdit::Ask { place, edit } => self.change_of_ask(*place, edit),
        }
    }

    /// Returns a change of a request, or of one of its alternatives.
    fn change_of_ask(&self, place: AskPlace, edit: &AskEdit) -> Option<Change> {
        let claim = self.claim(place.claim)?;
        let ask = place.find(claim)?;
        let path = place.path();
        let change = Change {
            request: Some(name_of_ask(claim, place)?),
            ..Change::of(kind_of_change(edit), claim.metadata.full_name())
        };
        Some(match edit {
            AskEdit::DropSelector(index) => Change {
                path: Some(path.then("selectors").then(*index)),
                index: Some(*index),
                ..change
            },
            AskEdit::Selector { index, fitting } => {
                let selector = ask.selectors.get(*index)?.cel.as_ref()?;
                let path = path.then("selectors").then(*index);
                Change {
                    path: Some(path.then("cel").then("expression")),
                    index: Some(*index),
                    from: Some(selector.expression.clone()),
                    to: Some(fitting.expression.clone()),
                    fitting: Some(fitting.clone()),
                    ..change
                }
            }
            AskEdit::Tolerate(toleration) => Change {
                path: Some(path.then("tolerations")),
                toleration: Some(toleration.clone()),
                ..change
            },
            AskEdit::Count(count) => Change {
                path: Some(path.then("count")),
                from: Some(ask.count.to_string()),
                to: Some(count.to_string()),
                ..change
            },
            AskEdit::ExactlyOne => Change {
                path: Some(path.then("allocationMode")),
                from: Some(ask.allocation_mode.clone()),
                to: Some("ExactCount".to_owned()),
                ..change
            },
            AskEdit::Capacity { name, amount } => {
                let asked = capacity::requests(ask).get(name);
                Change {
                    path: Some(capacity_path(&path, name)),
                    name: Some(name.clone()),
                    from: asked.map(|asked| asked.text().to_owned()),
                    to: Some(amount.text().to_owned()),
                    ..change
                }
            }
            AskEdit::DropCapacity(name) => Change {
                path: Some(capacity_path(&path, name)),
                name: Some(name.clone()),
                ..change
            },
            AskEdit::RenameCapacity { from, to } => Change {
                path: Some(capacity_path(&path, from)),
                name: Some(from.clone()),
                from: Some(from.clone()),
                to: Some(to.clone()),
                ..change
            },
        })
    }

    fn claim(&self, at: usize) -> Option<&Rc<Claim>> {
        self.facts.claims.get(at)
    }
}

/// Returns two edits in the order in which they can be made one after the other: of a list the later entry is removed first.
fn in_order<'e>(first: &'e FactEdit, second: &'e FactEdit) -> [&'e FactEdit; 2] {
    match (first.removed_index(), second.removed_index()) {
        (Some(index), Some(later)) if index < later => [second, first],
        _ => [first, second],
    }
}

/// Returns the name of a request, or `request/alternative`.
fn name_of_ask(claim: &Claim, place: AskPlace) -> Option<String> {
    let request = claim.spec.devices.requests.get(place.request)?;
    let alternative = place.sub.and_then(|sub| request.first_available.get(sub));
    Some(match alternative {
        Some(alternative) => format!("{}/{}", request.name, alternative.name),
        None => request.name.clone(),
    })
}

fn kind_of_change(edit: &AskEdit) -> ChangeKind {
    match edit {
        AskEdit::DropSelector(_) => ChangeKind::Drop(Dropped::Selector),
        AskEdit::Selector { .. } => ChangeKind::Set(SetField::Selector),
        AskEdit::Tolerate(_) => ChangeKind::Add(Added::Toleration),
        AskEdit::Count(_) => ChangeKind::Set(SetField::Count),
        AskEdit::ExactlyOne => ChangeKind::Set(SetField::AllocationMode),
        AskEdit::Capacity { .. } => ChangeKind::Set(SetField::Capacity),
        AskEdit::DropCapacity(_) => ChangeKind::Drop(Dropped::Capacity),
        AskEdit::RenameCapacity { .. } => ChangeKind::Set(SetField::CapacityName),
    }
}

fn is_freed(facts: &Facts, at: usize) -> bool {
    facts
        .claims
        .get(at)
        .is_some_and(|claim| claim.status.allocation.is_none())
}

/// Returns the path of a capacity that a request asks for.
fn capacity_path(request: &FieldPath, name: &str) -> FieldPath {
    request.join(&field_path![
        "capacity",
        "requests",
        PathStep::Key(name.to_owned())
    ])
}

/// Returns the capacities that alone exclude some device.
fn capacities_to_drop(choice: &RequestChoice<'_>, row: &Row<'_, '_>) -> Vec<FactEdit> {
    capacity::requests(choice.ask)
        .keys()
        .filter(|name| row.iter().any(|(_, reasons)| excludes_alone(name, reasons)))
        .map(|name| FactEdit::of_choice(choice, AskEdit::DropCapacity(name.clone())))
        .collect()
}

fn excludes_alone(name: &str, reasons: &[Reason]) -> bool {
    !reasons.is_empty()
        && reasons
            .iter()
            .all(|reason| matches!(reason, Reason::Capacity(reason) if reason.name == name))
}

/// Returns smaller capacity requests, for which the node has enough of the dependent resource.
fn smaller(choice: &RequestChoice<'_>, footprint: &Footprint) -> Vec<FactEdit> {
    let mut edits = Vec::new();
    for taken in &footprint.taken {
        let Some((capacity_name, _)) = &taken.capacity else {
            continue;
        };
        let Some(requested) = capacity::requests(choice.ask).get(capacity_name) else {
            continue;
        };
        for need in &footprint.needs {
            if taken.resource != need.resource || !need.is_short() {
                continue;
            }
            let excess = need
                .missing()
                .saturating_mul(UNIT)
                .checked_div(taken.by())
                .unwrap_or(0);
            let fitting = requested.nanos().saturating_sub(excess);
            let amount = Amount::whole_like(fitting.div_euclid(UNIT), requested.text());
            if amount.nanos() > 0 {
                let name = capacity_name.clone();
                edits.push(FactEdit::of_choice(
                    choice,
                    AskEdit::Capacity { name, amount },
                ));
            }
        }
    }
    edits
}

/// Returns the name of a capacity with its driver.
fn qualified<'n>(name: &'n str, driver: &'n str) -> (&'n str, &'n str) {
    name.split_once('/').unwrap_or((driver, name))
}

/// Returns the largest amount up to `most` that a range does not round up.
fn on_step(most: i128, range: Option<&ValidRange>) -> i128 {
    let Some(ValidRange {
        min: Some(min),
        step: Some(step),
        ..
    }) = range
    else {
        return most;
    };
    let (min, step) = (min.value(), step.value());
    let above = most.saturating_sub(min);
    match above.checked_rem(step) {
        Some(rest) if above >= 0 => most.saturating_sub(rest),
        _ => most,
    }
}

/// Returns how far a change departs from what was asked for: not at all, less of it, or devices that the selector excludes.
fn shrinks(change: &Change) -> u8 {
    match change.kind {
        ChangeKind::Drop(Dropped::Selector | Dropped::Capacity) => 2,
        ChangeKind::Set(SetField::CapacityName) => 0,
        ChangeKind::Set(
            SetField::Count | SetField::AllocationMode | SetField::Capacity | SetField::Selector,
        ) => 1,
        ChangeKind::Drop(Dropped::Constraint) | ChangeKind::Add(_) | ChangeKind::Free(_) => 0,
    }
}

/// Returns the sentence for another count of an extended resource.
fn resource_sentence(change: &Change, need: &ContainerNeed) -> Message {
    message!(
        "change.resource",
        "asking for {to} instead of {from} {resource} in container {container}",
        to = change.to.as_deref().unwrap_or_default(),
        from = change.from.as_deref().unwrap_or_default(),
        resource = need.resource,
        container = need.container
    )
}

fn sentence(change: &Change, request: &str) -> Message {
    let claim = &change.claim;
    let index = change.index.unwrap_or(0);
    let (from, to) = (
        change.from.as_deref().unwrap_or_default(),
        change.to.as_deref().unwrap_or_default(),
    );
    match change.kind {
        ChangeKind::Drop(Dropped::Constraint) => {
            message!(
                "change.drop-constraint",
                "dropping constraint {index} of claim {claim}",
                index,
                claim
            )
        }
        ChangeKind::Drop(Dropped::Selector) => {
            message!(
                "change.drop-selector",
                "dropping selector {index} of request {request}",
                index,
                request
            )
        }
        ChangeKind::Drop(Dropped::Capacity) => {
            let name = change.name.as_deref().unwrap_or_default();
            message!(
                "change.drop-capacity",
                "not asking for {name} in request {request}",
                name,
                request
            )
        }
        ChangeKind::Set(SetField::Selector) => {
            let fitting = change.fitting.as_ref();
            message!(
                "change.selector",
                "writing `{to}` instead of `{from}` in selector {index} of request {request}",
                to = fitting.map_or("", |fitting| &fitting.to),
                from = fitting.map_or("", |fitting| &fitting.from),
                index,
                request
            )
        }
        ChangeKind::Add(Added::Toleration) => {
            let taint = change
                .toleration
                .as_ref()
                .map(taint_text)
                .unwrap_or_default();
            message!(
                "change.tolerate",
                "tolerating {taint} in request {request}",
                taint,
                request
            )
        }
        ChangeKind::Free(Freed::Claim) => message!("change.free", "freeing claim {claim}", claim),
        ChangeKind::Set(SetField::Capacity) if change.is_capacity_added() => {
            let name = change.name.as_deref().unwrap_or_default();
            message!(
                "change.capacity-added",
                "asking for {to} of {name} in request {request}",
                to,
                name,
                request
            )
        }
        ChangeKind::Set(SetField::Capacity) => {
            let name = change.name.as_deref().unwrap_or_default();
            message!(
                "change.capacity",
                "asking for {to} of {name} instead of {from} in request {request}",
                to,
                name,
                from,
                request
            )
        }
        ChangeKind::Set(SetField::CapacityName) => message!(
            "change.capacity-name",
            "writing {to} instead of {from} in the capacity of request {request}",
            to,
            from,
            request
        ),
        ChangeKind::Set(field @ (SetField::Count | SetField::AllocationMode)) => {
            message!(
                "change.field",
                "{field} {to} instead of {from} in request {request}",
                field,
                to,
                from,
                request
            )
        }
    }
}

fn taint_text(toleration: &Toleration) -> String {
    let Toleration {
        key, value, effect, ..
    } = toleration;
    Taint {
        key: key.clone(),
        value: value.clone(),
        effect: effect.clone(),
        rule: None,
    }
    .name()
}

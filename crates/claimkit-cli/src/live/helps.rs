//! The changes that would give a pod its devices and a node.

use super::brief::Brief;
use super::nodes::{is_of_lost_node, lost_by};
use super::rewrites::{self, own_claim};
use super::room;
use super::users::{Freeing, Loss};
use super::ways::{
    EditedObject, Help, HelpFacts, Less, Price, Step, TrialOutcome, Way, error_node, is_freeing,
};
use claimkit_model::finding::Code;
use claimkit_scheduler::allocator::amount::Amount;
use claimkit_scheduler::allocator::objects::{CORDONED, Pod, Toleration, UNREACHABLE};
use claimkit_scheduler::allocator::status::StatusCode;
use claimkit_scheduler::allocator::taints::NO_EXECUTE;
use claimkit_scheduler::explain::account::{
    CellAccount, Change, LEAST_OF_ALL, NodeAccount, PodAccount, Reason, Relaxation,
};
use claimkit_scheduler::explain::kinds::{ChangeKind, Dropped, Freed, NodeVerdict, SetField};
use claimkit_scheduler::explain::object_edits::ObjectEdit;
use claimkit_scheduler::explain::turn::{NodeRefusal, Plugin};
use claimkit_scheduler::explain::words;
use claimkit_values::order;
use claimkit_yaml::print;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of pods that a change names.
const MOST_NAMES: usize = 3;
/// Maximum number of ways to make room beside each change of devices.
const MOST_ROOMS: usize = 2;
/// Maximum number of ways to nodes that are alike and cost no less than those to the first of them.
const MOST_SPARE: usize = 16;
/// Maximum number of ways that are tried two at a time.
const MOST_PAIRED: usize = 4;

/// Labels with the name of the set whose pods run together, and are made anew together (LeaderWorkerSet and JobSet).
const SETS_OF_PODS: [&str; 2] = [
    "leaderworkerset.sigs.k8s.io/name",
    "jobset.sigs.k8s.io/jobset-name",
];

/// Returns the ways to give the pod a node: those with the fewest steps first, of these the cheapest. Nodes that the pod itself
/// excludes count only if it excludes all, or if the others need several steps and one of these a single one.
pub fn ways_of(account: &PodAccount, facts: HelpFacts<'_>) -> Vec<Way> {
    let mut findings = account.findings.iter();
    if findings.any(|remark| remark.finding.code == Code::ClaimNamedTwice) {
        return Vec::new();
    }
    // An error on one node ends the attempt: what helps on another does not help the pod.
    let error = error_node(account);
    let wanted = account
        .nodes
        .iter()
        .filter(|node| error.is_none_or(|error| error.name == node.name));
    let mut found = ways(account, facts, wanted.filter(|node| !node.is_unwanted()));
    if found.is_empty() && account.nodes.iter().all(NodeAccount::is_unwanted) {
        let unwanted = account.nodes.iter().filter(|node| node.is_unwanted());
        found = ways(account, facts, unwanted);
    }
    found.extend(rewrites::ways(account, facts));
    found.retain(|way| may_be_suggested(way, facts));
    if !found.iter().any(is_single) && error.is_none() && !is_pinned(facts.pod) {
        let unwanted = account.nodes.iter().filter(|node| node.is_unwanted());
        let elsewhere = ways(account, facts, unwanted);
        found.extend(elsewhere.into_iter().filter(is_single));
    }
    order::sort_by_key(&mut found, Way::price);
    keep_first_spare(&mut found);
    let pairs = paired(&found, facts);
    found.extend(pairs);
    found
}

/// Returns true if a way has one step.
fn is_single(way: &Way) -> bool {
    way.price().steps == 1
}

/// Returns true if a pod is made for one node.
fn is_pinned(pod: Option<&Pod>) -> bool {
    pod.is_some_and(|pod| {
        let mut owners = pod.metadata.owner_references.iter();
        owners.any(|owner| owner.controller && owner.kind == "DaemonSet")
    })
}

fn frees_in_one_step(way: &Way) -> bool {
    way.steps.len() == 1 && !way.is_spare && way.edits().is_some_and(|edits| is_freeing(&edits))
}

/// Returns the ways that free twice what one way frees, where other pods wait: what one gives may go to the pod that is tried first.
fn paired(ways: &[Way], facts: HelpFacts<'_>) -> Vec<Way> {
    if !facts.trials.others_wait {
        return Vec::new();
    }
    let singles: Vec<&Way> = ways
        .iter()
        .filter(|way| frees_in_one_step(way))
        .take(MOST_PAIRED)
        .collect();
    let mut pairs = Vec::new();
    for (index, first) in singles.iter().enumerate() {
        let later = singles.iter().skip(index.saturating_add(1));
        for second in later.filter(|second| second.nodes == first.nodes) {
            pairs.push(Way {
                steps: first.steps.iter().chain(&second.steps).cloned().collect(),
                nodes: first.nodes.clone(),
                needs_trial: true,
                is_spare: true,
                ..Way::default()
            });
        }
    }
    pairs
}

/// Returns true if a way ends no pod that no suggestion ends.
fn may_be_suggested(way: &Way, facts: HelpFacts<'_>) -> bool {
    !ends(way, facts) && !way.steps.iter().any(|step| step.is_barred)
}

/// Keeps the first of the ways that are tried only where no other helps.
fn keep_first_spare(found: &mut Vec<Way>) {
    let mut spare = 0_usize;
    found.retain(|way| {
        if way.is_spare {
            spare = spare.saturating_add(1);
        }
        !way.is_spare || spare <= MOST_SPARE
    });
}

/// Leaves out ways that do all that another way does, and more: one to the same nodes, or one that was tried. Of ways that differ in an
/// amount only, the one is kept that gives most.
fn without_needless<'w>(mut ways: Vec<&'w Way>, facts: HelpFacts<'_>) -> Vec<&'w Way> {
    let mut edits_to: BTreeMap<&[String], Vec<Vec<ObjectEdit>>> = BTreeMap::new();
    let mut tried: Vec<Vec<ObjectEdit>> = Vec::new();
    let mut most: BTreeMap<(String, String), i128> = BTreeMap::new();
    for way in &ways {
        if let Some((less, others)) = with_less(way) {
            let known = most.entry((less.field.clone(), others)).or_default();
            *known = less.amount.max(*known);
        }
        let Some(edits) = way.edits() else { continue };
        if facts.trials.outcome(way) == Some(TrialOutcome::Helps) && !tried.contains(&edits) {
            tried.push(edits.clone());
        }
        edits_to.entry(&way.nodes).or_default().push(edits);
    }
    ways.retain(|way| {
        let others = edits_to.get(way.nodes.as_slice());
        !others.is_some_and(|others| has_more_steps(way, others))
            && !has_more_steps(way, &tried)
            && !gives_less(way, &most)
    });
    ways
}

/// Returns the step of a way that asks for less, and the words of its other steps; `None`: it has none, or several.
fn with_less(way: &Way) -> Option<(&Less, String)> {
    let mut less = way.steps.iter().filter_map(|step| step.less.as_ref());
    let only = less.next().filter(|_| less.next().is_none())?;
    let others = way.steps.iter().filter(|step| step.less.is_none());
    let words: Vec<&str> = others.map(|step| step.text.as_str()).collect();
    Some((only, words.join(" and ")))
}

/// Returns true if another way asks for more in the same field and has the same other steps, or for as much and has none. `most`: the
/// largest amount by the field and the words of the other steps.
fn gives_less(way: &Way, most: &BTreeMap<(String, String), i128>) -> bool {
    let Some((less, other_steps)) = with_less(way) else {
        return false;
    };
    let has_other_steps = !other_steps.is_empty();
    let with_same_steps = most.get(&(less.field.clone(), other_steps));
    if with_same_steps.is_some_and(|most| *most > less.amount) {
        return true;
    }
    let without_steps = most.get(&(less.field.clone(), String::new()));
    has_other_steps && without_steps.is_some_and(|most| *most >= less.amount)
}

/// Returns true if a way has all edits of one of the other ways, and more, or ends the same pods and others.
fn has_more_steps(way: &Way, others: &[Vec<ObjectEdit>]) -> bool {
    let Some(edits) = way.edits() else {
        return false;
    };
    let mut others = others.iter();
    others.any(|fewer| holds(&edits, fewer) && !holds(fewer, &edits))
}

/// Returns true if edits do what these edits do, and maybe more.
fn holds(edits: &[ObjectEdit], part: &[ObjectEdit]) -> bool {
    part.iter().all(|one| match one {
        ObjectEdit::EndPods(pods) => edits.iter().any(|edit| ends_all(edit, pods)),
        _ => edits.contains(one),
    })
}

/// Returns true if an edit ends these pods, and maybe others.
fn ends_all(edit: &ObjectEdit, pods: &[String]) -> bool {
    match edit {
        ObjectEdit::EndPods(ended) => is_superset(ended, pods),
        _ => false,
    }
}

/// Returns what may be said of ways, each change once for all nodes. What cannot help is left out.
pub fn helps_of(ways: &[Way], facts: HelpFacts<'_>) -> Vec<Help> {
    let said = ways.iter().filter(|way| facts.trials.may_say(way));
    let (spare, own): (Vec<&Way>, Vec<&Way>) = said.partition(|way| way.is_spare);
    let said = without_needless(if own.is_empty() { spare } else { own }, facts);
    let mut helps: Vec<Help> = joined(said.into_iter().cloned())
        .iter()
        .map(|way| way.help(facts))
        .collect();
    let of_group: Vec<Help> = facts
        .trials
        .of_group
        .iter()
        .filter(|help| helps.iter().all(|own| own.edits != help.edits))
        .cloned()
        .collect();
    helps.extend(of_group);
    helps
}

/// Returns true if a way ends the pod itself, or one of its group.
fn ends(way: &Way, facts: HelpFacts<'_>) -> bool {
    let Some(pod) = facts.pod else {
        return false;
    };
    let is_of_group = |name: &String| {
        let other = facts.index.pod(name);
        other.is_some_and(|other| {
            pod.group_name().is_some()
                && other.group_name() == pod.group_name()
                && other.metadata.namespace == pod.metadata.namespace
        })
    };
    let own_name = pod.metadata.full_name();
    let edits = way.edits().unwrap_or_default();
    let mut ended = edits.iter().filter_map(|edit| match edit {
        ObjectEdit::EndPods(pods) => Some(pods),
        _ => None,
    });
    ended.any(|pods| {
        let mut spared = pods.iter().filter(|pod| facts.users.is_spared(pod));
        pods.contains(&own_name)
            || spared.next().is_some()
            || pods.iter().any(is_of_group)
            || pods.iter().any(|pod| is_of_same_set(pod, facts))
    })
}

/// Joins ways with the same words: the command for the first of their nodes is enough. Of ways with the same command the first one is kept.
fn joined(found: impl Iterator<Item = Way>) -> Vec<Way> {
    let mut ways: Vec<Way> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut commands: BTreeSet<String> = BTreeSet::new();
    for way in found {
        if let Some(same) = known.get(&way.text()).and_then(|at| ways.get_mut(*at)) {
            same.nodes.extend(way.nodes);
            continue;
        }
        if way.how().is_some_and(|how| !commands.insert(how)) {
            continue;
        }
        known.insert(way.text(), ways.len());
        ways.push(way);
    }
    ways
}

fn ways<'a>(
    account: &PodAccount,
    facts: HelpFacts<'_>,
    nodes: impl Iterator<Item = &'a NodeAccount>,
) -> Vec<Way> {
    let asks_for_devices = !account.claims.is_empty() || !account.extended_resources.is_empty();
    let nodes = nodes
        .filter(|node| !facts.index.is_out_of_order(&node.name) || may_come_back(node, facts))
        .filter(|node| node.verdict != NodeVerdict::Refused || asks_for_devices);
    nodes
        .flat_map(|node| {
            let mut known = account.nodes.iter();
            let first = node
                .same_as
                .as_ref()
                .and_then(|first| known.find(|known| known.name == *first));
            ways_to(facts, node, first)
        })
        .collect()
}

/// Returns true if a taint of a lost node is among the reasons against it: bringing the node back is worth a try. Whether other reasons
/// remain shows when that is tried.
fn may_come_back(node: &NodeAccount, facts: HelpFacts<'_>) -> bool {
    let Some(lost_taint) = facts.index.node(&node.name).and_then(lost_by) else {
        return false;
    };
    let mut taints = node.refusals.iter().flat_map(|refusal| &refusal.taints);
    node.verdict == NodeVerdict::Refused && taints.any(|taint| taint.starts_with(lost_taint))
}

/// Returns the step that brings a lost node back; `None`: it is not known to be lost. `taints`: those that go then.
fn bringing_back(taints: &[&String], node: &str, facts: HelpFacts<'_>) -> Option<Step> {
    let key = lost_by(facts.index.node(node)?)?;
    let state = match key {
        UNREACHABLE => "unreachable",
        _ => "not ready",
    };
    let edits = taints.iter().map(|taint| ObjectEdit::Untaint {
        node: node.to_owned(),
        taint: (*taint).clone(),
    });
    Some(Step {
        cost: 1,
        text: format!("bringing back {node}, which is {state}"),
        how: Some(format!("kubectl describe node {node}")),
        is_for_all: true,
        edits: Some(edits.collect()),
        ..Step::default()
    })
}

/// Returns the ways to one node. `first`: the node whose account it shares.
fn ways_to(facts: HelpFacts<'_>, node: &NodeAccount, first: Option<&NodeAccount>) -> Vec<Way> {
    let Some(target) = TargetNode::of(node, facts) else {
        return Vec::new();
    };
    if node.verdict == NodeVerdict::Refused {
        return target.ways_to_refused(facts);
    }
    if node.same_as.is_some() {
        return match first {
            Some(first) => target.ways_like_those_to(first, facts),
            None => Vec::new(),
        };
    }
    let mut ways = target.ways_by_ending_holders(facts);
    ways.extend(target.ways_by_room());
    ways.extend(target.ways_by_relaxation(facts));
    ways
}

/// A node that the pod may get, and what it needs beside devices.
struct TargetNode<'a> {
    node: &'a NodeAccount,
    /// The steps that make the other plugins take the node.
    remedies: Vec<Step>,
    /// No pod must end to make room.
    has_room: bool,
    /// The ways to make room, each of one step; none if the node has room.
    rooms: Vec<Step>,
}

impl<'a> TargetNode<'a> {
    /// Returns the node with its needs; `None`: nothing makes the other plugins take it.
    fn of(node: &'a NodeAccount, facts: HelpFacts<'_>) -> Option<Self> {
        let Remedies { steps, lacks_room } = remedies(node, facts)?;
        let has_room = lacks_room.is_empty();
        let rooms = if has_room {
            Vec::new()
        } else {
            room::steps(node, &lacks_room, facts)
        };
        Some(TargetNode {
            node,
            remedies: steps,
            has_room,
            rooms,
        })
    }

    /// Returns the ways to a node that other plugins refuse before its devices are looked at.
    fn ways_to_refused(&self, facts: HelpFacts<'_>) -> Vec<Way> {
        let is_lost = facts.index.is_out_of_order(&self.node.name);
        if self.has_room {
            return vec![Way {
                steps: self.remedies.clone(),
                nodes: vec![self.node.name.clone()],
                needs_trial: is_lost,
                ..Way::default()
            }];
        }
        let rooms = self.rooms.iter();
        rooms
            .map(|room| freeing_way(&self.node.name, &self.remedies, vec![room.clone()]))
            .collect()
    }

    /// Returns the ways to a node that shares the account of an earlier one. No change was tried for it: others may hold its devices.
    fn ways_like_those_to(&self, first: &NodeAccount, facts: HelpFacts<'_>) -> Vec<Way> {
        if !self.has_room {
            return Vec::new();
        }
        let mut ways = ways_to_alike(self.node, first, &self.remedies, facts);
        ways.extend(way_to_fewest_holders(
            self.node,
            first,
            &self.remedies,
            facts,
        ));
        ways
    }

    /// Returns the ways that end several pods which hold devices of the node.
    fn ways_by_ending_holders(&self, facts: HelpFacts<'_>) -> Vec<Way> {
        if !self.has_room {
            return Vec::new();
        }
        let name = &self.node.name;
        let mut endings = room::of_holders(self.node, facts);
        endings.extend(room::of_many_holders(name, facts));
        endings.extend(fewest_holders(name, self.node, facts));
        endings
            .into_iter()
            .map(|ending| freeing_way(name, &self.remedies, vec![ending]))
            .collect()
    }

    /// Returns the ways that only make room: the pods that end for it may hold the devices, too.
    fn ways_by_room(&self) -> Vec<Way> {
        let freeing_rooms = self.rooms.iter().filter(|room| room.loss.devices > 0);
        freeing_rooms
            .take(MOST_ROOMS)
            .map(|room| freeing_way(&self.node.name, &self.remedies, vec![room.clone()]))
            .collect()
    }

    /// Returns the ways that change devices or what is asked of them, each with several ways to make room.
    fn ways_by_relaxation(&self, facts: HelpFacts<'_>) -> Vec<Way> {
        let mut ways = Vec::new();
        for relaxation in &self.node.relaxations {
            if rewrites::is_of_old_spec(relaxation, facts) {
                continue;
            }
            let changes = changes(relaxation, self.node, facts);
            for room in self.rooms_beside(&changes) {
                ways.push(self.way_of(relaxation, &changes, room, facts));
            }
        }
        ways
    }

    /// Returns the steps that make room beside changes of devices; `None`: the changes are tried without one.
    fn rooms_beside(&self, changes: &[ChangeStep]) -> Vec<Option<&Step>> {
        if self.has_room {
            return vec![None];
        }
        let mut rooms = Vec::new();
        // The pods that end for the devices may leave enough room, too.
        if changes.iter().any(|change| change.step.ended().is_some()) {
            rooms.push(None);
        }
        rooms.extend(self.rooms.iter().take(MOST_ROOMS).map(Some));
        rooms
    }

    /// Returns the way that changes devices and makes room. `changes`: the steps of the relaxation.
    fn way_of(
        &self,
        relaxation: &Relaxation,
        changes: &[ChangeStep],
        room: Option<&Step>,
        facts: HelpFacts<'_>,
    ) -> Way {
        let of_devices = changes.iter().map(|change| change.step.clone());
        let mut steps = self.remedies.clone();
        steps.extend(each_pod_ends_once(of_devices, room));
        let mut way = Way {
            steps,
            gives: relaxation.gives.clone(),
            nodes: vec![self.node.name.clone()],
            is_shared: changes_shared_template(relaxation, facts),
            needs_trial: !self.has_room || changes.iter().any(|change| change.needs_trial),
            is_spare: false,
        };
        let looks_at_others = facts.pod.is_some_and(needs_other_pods);
        way.needs_trial |= looks_at_others && way.ends_pods();
        way
    }
}

/// Returns true if a relaxation changes a template that other pods name, too.
fn changes_shared_template(relaxation: &Relaxation, facts: HelpFacts<'_>) -> bool {
    let changes = relaxation.changes.iter();
    let mut templates = changes.filter_map(|change| facts.templates.get(&change.claim));
    templates.any(|template| facts.trials.shared.contains(template))
}

/// Returns steps that change devices, and the one that makes room. Of two steps that end the same pods it keeps the one that ends more.
fn each_pod_ends_once(changes: impl Iterator<Item = Step>, room: Option<&Step>) -> Vec<Step> {
    let mut steps: Vec<Step> = changes.collect();
    let Some(room) = room else { return steps };
    if let Some(ended_for_room) = room.ended() {
        let mut ended_before = steps.iter().filter_map(Step::ended_beside_claim);
        if ended_before.any(|pods| is_superset(pods, ended_for_room)) {
            return steps;
        }
        let mut ended = steps.iter().filter_map(Step::ended);
        if ended.any(|pods| pods != ended_for_room && is_superset(pods, ended_for_room)) {
            return steps;
        }
        steps.retain(|step| match step.ended() {
            Some(pods) => !is_superset(ended_for_room, pods),
            None => true,
        });
    }
    steps.push(room.clone());
    steps
}

/// Returns true if pods contain all of the others.
fn is_superset(pods: &[String], others: &[String]) -> bool {
    others.iter().all(|pod| pods.contains(pod))
}

/// Returns the ways to free devices of a node that shares the account of an earlier one. They free as many claims as the ways to the
/// earlier node, and are spare where they cost at least as much as what is suggested for that node. `remedies`: the steps that make the
/// other plugins take the node.
fn ways_to_alike(
    node: &NodeAccount,
    first: &NodeAccount,
    remedies: &[Step],
    facts: HelpFacts<'_>,
) -> Vec<Way> {
    let of_first = freed_on(first, facts);
    let Some(fewest) = fewest_freed(first, &of_first, facts) else {
        return Vec::new();
    };
    let least = least_price(first, of_first, facts);
    let freed = cheapest_claims(&node.name, facts);
    let choices: Vec<Vec<Step>> = match fewest {
        1 => freed.into_iter().map(|step| vec![step]).collect(),
        _ if freed.len() >= fewest => vec![freed.into_iter().take(fewest).collect()],
        _ => Vec::new(),
    };
    let ways = choices.into_iter().map(|freed| {
        let way = freeing_way(&node.name, remedies, freed);
        Way {
            is_spare: least.as_ref().is_some_and(|least| way.price() >= *least),
            ..way
        }
    });
    ways.collect()
}

/// Returns the way to a node that shares the account of an earlier one, and ends the fewest pods there. It is spare where it costs at
/// least as much as what is suggested for the earlier node. `remedies`: the steps that make the other plugins take the node.
fn way_to_fewest_holders(
    node: &NodeAccount,
    first: &NodeAccount,
    remedies: &[Step],
    facts: HelpFacts<'_>,
) -> Option<Way> {
    let fewest = fewest_holders(&node.name, first, facts)?;
    let mut of_first = freed_on(first, facts);
    of_first.extend(fewest_holders(&first.name, first, facts).map(|step| vec![step]));
    let least = least_price(first, of_first, facts);
    let way = freeing_way(&node.name, remedies, vec![fewest]);
    Some(Way {
        is_spare: least.is_some_and(|least| way.price() >= least),
        ..way
    })
}

/// Returns the step that ends the fewest pods of a node which hold what the pod lacks. `devices`: the node with the account of its devices.
fn fewest_holders(node: &str, devices: &NodeAccount, facts: HelpFacts<'_>) -> Option<Step> {
    let missing = usize::try_from(devices.missing_devices(LEAST_OF_ALL)).ok()?;
    let step = room::of_fewest_holders(node, missing, facts);
    step.filter(|_| missing > 0)
}

/// Returns the least number of claims that must be freed on a node, as far as is known. `choices`: the ways to free enough, a step for
/// each claim. Without any it is at least one if the node has claims that cannot be freed; else it is not known.
fn fewest_freed(node: &NodeAccount, choices: &[Vec<Step>], facts: HelpFacts<'_>) -> Option<usize> {
    if let Some(fewest) = choices.iter().map(Vec::len).min() {
        return Some(fewest);
    }
    let mut claims = facts.index.claims_on(&node.name);
    let has_fixed_claim = claims.any(|claim| !facts.users.can_free(claim));
    has_fixed_claim.then_some(1)
}

/// Returns the price of the cheapest way that frees devices of a node and is suggested; `None`: none is. `choices`: the steps of each way
/// that frees devices there.
fn least_price(node: &NodeAccount, choices: Vec<Vec<Step>>, facts: HelpFacts<'_>) -> Option<Price> {
    if node.is_unwanted() || facts.index.is_out_of_order(&node.name) {
        return None;
    }
    let Remedies { steps, lacks_room } = remedies(node, facts)?;
    if !lacks_room.is_empty() {
        return None;
    }
    let ways = choices
        .into_iter()
        .map(|freed| freeing_way(&node.name, &steps, freed));
    let suggested = ways.filter(|way| may_be_suggested(way, facts));
    suggested.map(|way| way.price()).min()
}

/// Returns the way that frees devices of a node. `remedies`: the steps that make the other plugins take the node.
fn freeing_way(node: &str, remedies: &[Step], freed: Vec<Step>) -> Way {
    Way {
        steps: remedies.iter().cloned().chain(freed).collect(),
        nodes: vec![node.to_owned()],
        needs_trial: true,
        ..Way::default()
    }
}

/// Returns the steps of each way that frees devices of a node and changes nothing else.
fn freed_on(node: &NodeAccount, facts: HelpFacts<'_>) -> Vec<Vec<Step>> {
    let mut found = Vec::new();
    for relaxation in &node.relaxations {
        let mut changed = relaxation.changes.iter();
        if changed.all(|change| matches!(change.kind, ChangeKind::Free(_))) {
            let freed = changes(relaxation, node, facts).into_iter();
            found.push(freed.map(|change| change.step).collect());
        }
    }
    let holders = room::of_holders(node, facts);
    found.extend(holders.into_iter().map(|step| vec![step]));
    found
}

/// Returns the steps that free the claims of a node which can be freed, the cheapest first.
fn cheapest_claims(node: &str, facts: HelpFacts<'_>) -> Vec<Step> {
    let claims = facts.index.claims_on(node);
    let mut freed: Vec<Step> = claims
        .filter(|claim| facts.users.can_free(claim))
        .map(|claim| room::of_set(claim, facts).unwrap_or_else(|| freeing_claim(claim, facts)))
        .filter(|step| may_be_suggested(&freeing_way(node, &[], vec![step.clone()]), facts))
        .collect();
    order::sort_by_key(&mut freed, |step| (step.cost, step.loss));
    freed
}

/// Returns the step that frees a claim which was not tried.
fn freeing_claim(claim: &str, facts: HelpFacts<'_>) -> Step {
    let change = Change::of(ChangeKind::Free(Freed::Claim), claim.to_owned());
    let step = Step {
        text: format!("freeing claim {claim}"),
        edits: Some(vec![ObjectEdit::Free(claim.to_owned())]),
        ..Step::default()
    };
    freeing(step, &change, facts).step
}

/// Returns true if other pods decide where a pod may run: where they end, it may fit nowhere.
fn needs_other_pods(pod: &Pod) -> bool {
    let affinity = &pod.spec.affinity.pod_affinity;
    let spread = &pod.spec.topology_spread_constraints;
    !affinity.required.is_empty() || !spread.is_empty() || pod.group_name().is_some()
}

/// A change of devices as a step.
struct ChangeStep {
    step: Step,
    /// It is not what the allocator tried.
    needs_trial: bool,
}

/// Returns the steps of a change of devices.
fn changes(relaxation: &Relaxation, node: &NodeAccount, facts: HelpFacts<'_>) -> Vec<ChangeStep> {
    let changes = relaxation.changes.iter().enumerate();
    changes
        .map(|(at, change)| {
            let words = relaxation.parts.get(at).unwrap_or(&relaxation.text);
            let edits = relaxation.objects.get(at).cloned().flatten();
            let step = Step {
                text: words.to_string(),
                edits,
                ..Step::default()
            };
            match change.kind {
                ChangeKind::Free(_) => freeing(step, change, facts),
                ChangeKind::Add(_) => ChangeStep {
                    step: tolerating_of_device(step, change, node, facts),
                    needs_trial: false,
                },
                _ => ChangeStep {
                    step: edited(step, change, facts),
                    needs_trial: false,
                },
            }
        })
        .collect()
}

/// Returns a step that changes a claim, with its price and how to make it.
fn edited(step: Step, change: &Change, facts: HelpFacts<'_>) -> Step {
    let object = EditedObject::of(&change.claim, facts);
    let path = change.path.as_ref().map(|path| object.path(path));
    let less = less_of(change);
    let cost = match change.kind {
        ChangeKind::Set(_) | ChangeKind::Drop(Dropped::Constraint) => {
            // Who gets a small part only has not what was asked for.
            match less.as_ref().map_or(0, |less| less.share) {
                0..=333 => 2,
                334..=667 => 3,
                _ => 4,
            }
        }
        ChangeKind::Drop(Dropped::Selector | Dropped::Capacity) => 3,
        ChangeKind::Free(_) | ChangeKind::Add(_) => 4,
    };
    let how = path.and_then(|path| {
        let edit = match change.kind {
            ChangeKind::Set(SetField::Count | SetField::Capacity) => {
                format!("`{path}: {}`", change.to.as_deref().unwrap_or_default())
            }
            ChangeKind::Set(SetField::AllocationMode) => format!("`{path}: ExactCount`"),
            ChangeKind::Set(SetField::Selector) => {
                let expression = change.to.as_deref().unwrap_or_default();
                format!("`{path}: {}`", print::quoted(expression))
            }
            ChangeKind::Drop(_) => format!("without `{path}`"),
            ChangeKind::Free(_) | ChangeKind::Add(_) | ChangeKind::Set(SetField::CapacityName) => {
                return None;
            }
        };
        Some(object.how(&edit))
    });
    Step {
        cost,
        how,
        less,
        ..step
    }
}

/// Returns the smaller amount that a change asks for.
fn less_of(change: &Change) -> Option<Less> {
    let path = change.path.as_ref().map(ToString::to_string);
    let field = format!("{} {}", change.claim, path.unwrap_or_default());
    if let Some(fitting) = &change.fitting {
        let distance = fitting.distance?;
        return Some(Less {
            field,
            amount: i128::from(u32::MAX.saturating_sub(distance)),
            share: distance,
        });
    }
    if !matches!(
        change.kind,
        ChangeKind::Set(SetField::Count | SetField::Capacity)
    ) {
        return None;
    }
    let amount = |text: &Option<String>| Some(Amount::parse(text.as_deref()?).ok()?.nanos());
    let (from, to) = (amount(&change.from)?, amount(&change.to)?);
    let share = from.checked_sub(to)?.checked_mul(1000)?.checked_div(from)?;
    Some(Less {
        field,
        amount: to,
        share: u32::try_from(share).ok()?,
    })
}

/// Returns the step that tolerates a taint of a device, which comes after all others: who is given such a device may lose it again, or
/// finds that it does not work.
fn tolerating_of_device(
    step: Step,
    change: &Change,
    node: &NodeAccount,
    facts: HelpFacts<'_>,
) -> Step {
    let Some(tolerated) = &change.toleration else {
        return step;
    };
    let object = EditedObject::of(&change.claim, facts);
    let path = change.path.as_ref().map(|path| object.path(path));
    let edit = path.map(|path| object.how(&format!("add `{}` to `{path}`", written(tolerated))));
    let rule = rules_of(tolerated, node, facts)
        .map(|rules| format!("kubectl delete devicetaintrule {}", rules.join(" ")));
    // Without the rule others that wait may get the device.
    let how = match (edit, rule.filter(|_| !facts.trials.others_wait)) {
        (Some(edit), Some(rule)) => Some(format!("{edit}; or, if it is over, {rule}")),
        (edit, _) => edit,
    };
    let is_evicting = tolerated.effect == NO_EXECUTE;
    Step {
        cost: if is_evicting { 7 } else { 3 },
        text: if is_evicting {
            format!(
                "{}, though the taint keeps all pods off the device",
                step.text
            )
        } else {
            step.text
        },
        how,
        is_last: true,
        ..step
    }
}

/// Returns the names of the DeviceTaintRules that set a taint of a node's devices: without all of them the devices lack it. `None`: there
/// are none, or the driver sets it, too.
fn rules_of<'a>(
    tolerated: &Toleration,
    node: &NodeAccount,
    facts: HelpFacts<'a>,
) -> Option<Vec<&'a str>> {
    let cells = node.requests.iter().flat_map(|request| &request.cells);
    let tainted = cells.filter(|cell| {
        let mut reasons = cell.reason.iter().chain(&cell.also);
        reasons.any(|reason| {
            matches!(reason, Reason::Taint(taint)
                if taint.key == tolerated.key
                    && taint.value == tolerated.value
                    && taint.effect == tolerated.effect)
        })
    });
    let devices: BTreeSet<&str> = tainted.map(|cell| cell.device.as_str()).collect();
    let rules = facts.cluster.rules_of_taint(tolerated, &devices)?;
    (!rules.is_empty()).then_some(rules)
}

/// Writes a toleration as YAML in one line.
fn written(toleration: &Toleration) -> String {
    let fields = [
        ("key", &toleration.key),
        ("operator", &toleration.operator),
        ("value", &toleration.value),
        ("effect", &toleration.effect),
    ];
    let given: Vec<String> = fields
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name}: {}", print::scalar(value)))
        .collect();
    format!("{{{}}}", given.join(", "))
}

/// Returns the step that frees a claim: of the pod's own claims, the one that gives it another.
fn freeing(step: Step, change: &Change, facts: HelpFacts<'_>) -> ChangeStep {
    let claim = &change.claim;
    if facts.templates.contains_key(claim) {
        let how = "the pod made anew: it gets a new claim".to_owned();
        return ChangeStep {
            step: Step {
                cost: 2,
                how: Some(how),
                ..step
            },
            needs_trial: false,
        };
    }
    if let Some(own) = own_claim(claim, facts) {
        return ChangeStep {
            step: own,
            needs_trial: true,
        };
    }
    let Freeing {
        cost,
        how,
        ends,
        users,
        deletes_claim,
        ..
    } = facts.users.freeing(claim);
    let is_barred = users.iter().any(|pod| is_barred(pod, facts));
    let loss = Loss {
        devices: facts.users.devices(claim),
        ..facts.users.loss(&ends)
    };
    let text = format!("{}{}", step.text, lost(&ends, loss, facts));
    let edits = if ends.is_empty() {
        step.edits
    } else {
        let mut edits = vec![ObjectEdit::EndPods(ends)];
        edits.extend(deletes_claim.then(|| ObjectEdit::Free(claim.clone())));
        Some(edits)
    };
    ChangeStep {
        step: Step {
            cost,
            text,
            how,
            edits,
            loss,
            is_barred,
            ..Step::default()
        },
        needs_trial: false,
    }
}

/// Returns true if no suggestion ends a pod: others need it, the same object makes it and the pod that waits, or they run together.
fn is_barred(pod: &str, facts: HelpFacts<'_>) -> bool {
    facts.users.is_spared(pod) || has_same_owner(pod, facts) || is_of_same_set(pod, facts)
}

/// Returns true if a pod and the one that waits run together: both are of one LeaderWorkerSet or JobSet.
fn is_of_same_set(pod: &str, facts: HelpFacts<'_>) -> bool {
    let Some(own) = facts.pod else { return false };
    let (namespace, name) = pod.split_once('/').unwrap_or_default();
    if own.metadata.namespace != namespace {
        return false;
    }
    // A LeaderWorkerSet names the StatefulSet of a group's workers after the leader, which owns it.
    let is_leader = Brief::from(own).owner() == Some(format!("statefulset/{name}"));
    if is_leader {
        return true;
    }
    let labels = facts.index.pod(pod).map(|other| &other.metadata.labels);
    SETS_OF_PODS.iter().any(|label| {
        let set = own.metadata.labels.get(*label);
        set.is_some() && labels.and_then(|labels| labels.get(*label)) == set
    })
}

/// Returns true if the same object makes a pod and the one that waits, in one namespace.
fn has_same_owner(pod: &str, facts: HelpFacts<'_>) -> bool {
    let Some(own) = facts.pod else { return false };
    let (namespace, _) = pod.split_once('/').unwrap_or_default();
    let owner = Brief::from(own).owner();
    own.metadata.namespace == namespace
        && owner.is_some()
        && facts.users.owner(pod) == owner.as_deref()
}

/// Says of pods that have what the pod needs why no suggestion ends them.
fn spared(account: &PodAccount, facts: HelpFacts<'_>) -> Option<String> {
    let holders = account.nodes.iter().flat_map(|node| &node.holders);
    let claims = holders.filter(|holder| !holder.planned && !holder.admin);
    let mut users: Vec<String> = claims
        .flat_map(|holder| facts.users.freeing(&holder.claim).users)
        .collect();
    for node in room::too_full(account, facts) {
        let there = facts.index.pods_on(node).iter();
        users.extend(there.map(|pod| pod.metadata.full_name()));
    }
    let barred = users.iter().find(|pod| is_barred(pod, facts));
    let Some(pod) = barred else {
        return users.iter().find_map(|pod| {
            let owner = facts.users.made_again_by(pod)?;
            Some(format!(
                "Nothing is suggested that ends {pod}, which {owner} makes again."
            ))
        });
    };
    Some(match facts.users.why_spared(pod) {
        Some(why) => format!(
            "Nothing is suggested that ends {pod}, which {}.",
            why.text()
        ),
        None if has_same_owner(pod, facts) => {
            let owner = facts.users.owner(pod).unwrap_or_default();
            format!("Nothing is suggested that ends {pod}, which {owner} makes, too.")
        }
        None => format!("Nothing is suggested that ends {pod}, which belongs to the same set."),
    })
}

/// Says which pods end where the command does not name them, or they matter more than the pod.
fn lost(ends: &[String], loss: Loss, facts: HelpFacts<'_>) -> String {
    let own = facts.pod.map_or(0, |pod| pod.spec.effective_priority());
    let priority = if loss.priority > own && !ends.is_empty() {
        format!(" of priority {}", loss.priority)
    } else {
        String::new()
    };
    match ends {
        [] => String::new(),
        [_] if priority.is_empty() => String::new(),
        [pod] => format!(", which ends pod {pod}{priority}"),
        pods => format!(
            ", which ends pods {}{priority}",
            words::some(pods, MOST_NAMES)
        ),
    }
}

/// Says that nothing helps the pod whose trials count for this one.
fn nothing_helps_other_pod(facts: HelpFacts<'_>) -> Option<String> {
    let other = facts.trials.as_for.as_ref()?;
    other.helping.is_empty().then(|| {
        format!(
            "Nothing that was tried helps {}, which waits for the same reason.",
            other.pod
        )
    })
}

/// Returns why no change is known, if some were looked for.
pub fn why_none(account: &PodAccount, ways: &[Way], facts: HelpFacts<'_>) -> Option<String> {
    what_keeps_all(account, ways, facts)
        .or_else(|| nothing_helps_other_pod(facts))
        .or_else(|| room::beyond_all(account, facts))
        .or_else(|| spared(account, facts))
        .or_else(|| room::beyond_those_with_devices(account, facts))
        .or_else(|| lacks_slices(account))
        .or_else(|| tried_in_vain(account, ways, facts))
}

/// Says of a pool whose devices the pod could use that its driver has not published all of it: nobody gets them before.
fn lacks_slices(account: &PodAccount) -> Option<String> {
    let cells = account.nodes.iter().flat_map(|node| {
        let requests = node.requests.iter();
        requests.flat_map(|request| &request.cells)
    });
    let mut kept_back = cells.filter_map(|cell| match &cell.reason {
        Some(Reason::PoolIncomplete { have, want }) if is_of_class(cell) => {
            Some((&cell.device, *have, *want))
        }
        _ => None,
    });
    let (device, have, want) = kept_back.next()?;
    let (pool, _) = device.rsplit_once('/')?;
    Some(format!(
        "Nobody gets devices of pool {pool} before its driver publishes {want} slices of it, not {have}. Look into the driver's log on the node."
    ))
}

/// Returns true if a device is one of the class of the request.
fn is_of_class(cell: &CellAccount) -> bool {
    let mut others = cell.also.iter();
    !others.any(|reason| matches!(reason, Reason::ClassSelector(_)))
}

/// Returns what keeps changes from helping: other pods, or the state of the nodes.
pub fn what_keeps_all(account: &PodAccount, ways: &[Way], facts: HelpFacts<'_>) -> Option<String> {
    goes_to_others(ways, facts)
        .or_else(|| given_before(account, facts))
        .or_else(|| leaving(account, facts))
}

/// Names the pods that get what would help, and says why they are tried first (kube-scheduler,
/// `framework/plugins/queuesort/priority_sort.go`, `Less`).
fn goes_to_others(ways: &[Way], facts: HelpFacts<'_>) -> Option<String> {
    let pods: BTreeSet<&String> = ways
        .iter()
        .flat_map(|way| facts.trials.goes_to(way))
        .collect();
    if pods.is_empty() {
        return None;
    }
    let are_higher = pods.iter().all(|pod| has_higher_priority(pod, facts));
    let why = match (are_higher, pods.len()) {
        (true, 1) => "whose priority is higher",
        (true, _) => "whose priorities are higher",
        (false, 1) => "which is tried first",
        (false, _) => "which are tried first",
    };
    let names: Vec<&String> = pods.into_iter().collect();
    Some(format!(
        "What would help goes to {}, {why}.",
        words::some(&names, MOST_NAMES)
    ))
}

/// Returns true if a pod has a higher priority than the one that is asked about.
fn has_higher_priority(pod: &str, facts: HelpFacts<'_>) -> bool {
    let (Some(own), Some(other)) = (facts.pod, facts.index.pod(pod)) else {
        return false;
    };
    other.spec.effective_priority() > own.spec.effective_priority()
}

/// Says that nodes are left out, as they go away or are out of order.
fn leaving(account: &PodAccount, facts: HelpFacts<'_>) -> Option<String> {
    let wanted = account.nodes.iter().filter(|node| !node.is_unwanted());
    let names = wanted.map(|node| node.name.as_str());
    let leaving: Vec<&str> = names
        .filter(|name| facts.index.is_out_of_order(name))
        .collect();
    let nodes = words::some(&leaving, MOST_NAMES);
    match leaving.len() {
        0 => None,
        1 => Some(format!(
            "Nothing is suggested for {nodes}, which goes away, is out of order or not ready."
        )),
        _ => Some(format!(
            "Nothing is suggested for {nodes}, which go away, are out of order or not ready."
        )),
    }
}

/// Says that nothing helps, or what was not tried.
fn tried_in_vain(account: &PodAccount, ways: &[Way], facts: HelpFacts<'_>) -> Option<String> {
    let mut nodes = account.nodes.iter();
    if !nodes.any(|node| node.verdict == NodeVerdict::None)
        || ways.iter().any(|way| facts.trials.may_help(way))
    {
        return None;
    }
    let untried = untried(account);
    if !untried.is_empty() {
        return Some(format!(
            "Nothing that was tried helps; not tried: {}.",
            Vec::from_iter(untried).join(", ")
        ));
    }
    Some(
        if account
            .nodes
            .iter()
            .any(|node| !node.relaxations.is_empty())
        {
            "Nothing that was tried helps.".to_owned()
        } else {
            "No single change helps, nor any pair that was tried.".to_owned()
        },
    )
}

/// Names the pods that get what the nodes lack, as they are placed before.
fn given_before(account: &PodAccount, facts: HelpFacts<'_>) -> Option<String> {
    let mut pods: BTreeSet<String> = BTreeSet::new();
    for node in &account.nodes {
        let refusals = node.refusals.iter();
        for refusal in refusals.filter(|refusal| refusal.plugin == Plugin::NodeResourcesFit) {
            pods.extend(room::takers(&node.name, &refusal.pods_before, facts));
        }
    }
    if !pods.is_empty() {
        return Some(placed_before("room is", pods));
    }
    let pods = takers_of_devices(account, facts)?;
    Some(placed_before("devices are", pods))
}

/// Says that pods which are placed before get what another one lacks.
fn placed_before(what: &str, pods: BTreeSet<String>) -> String {
    let are = match pods.len() {
        1 => "is",
        _ => "are",
    };
    let pods: Vec<String> = pods.into_iter().collect();
    let pods = words::some(&pods, MOST_NAMES);
    format!("The {what} given to {pods}, which {are} placed before.")
}

/// Returns the pods that wait, too, and get the devices that a pod lacks on some node: `namespace/name`. `None`: no node would have enough
/// without them, or other pods hold some there, which could end.
fn takers_of_devices(account: &PodAccount, facts: HelpFacts<'_>) -> Option<BTreeSet<String>> {
    let mut takers = BTreeSet::new();
    for node in account.nodes.iter().filter(|node| !node.is_unwanted()) {
        let are_others = facts.index.claims_on(&node.name).next().is_some();
        let held: Vec<_> = node.holders.iter().filter(|holder| !holder.admin).collect();
        if are_others || held.iter().any(|holder| !holder.planned) {
            return None;
        }
        let missing = usize::try_from(node.missing_devices(LEAST_OF_ALL)).ok()?;
        if missing > 0 && held.len() >= missing {
            let pods = held.iter().flat_map(|holder| {
                let (namespace, _) = holder.claim.split_once('/').unwrap_or_default();
                let pods = holder.pods.iter();
                pods.map(move |pod| format!("{namespace}/{pod}"))
            });
            takers.extend(pods);
        }
    }
    (!takers.is_empty()).then_some(takers)
}

/// Returns the kinds of changes that nodes would need and that were not tried.
fn untried(account: &PodAccount) -> BTreeSet<&'static str> {
    let refusals = account.nodes.iter().flat_map(|node| &node.refusals);
    let kinds = refusals.filter_map(|refusal| match refusal.plugin {
        Plugin::DynamicResources
        | Plugin::NodeUnschedulable
        | Plugin::TaintToleration
        | Plugin::NodeResourcesFit => None,
        Plugin::NodeAffinity => Some("its node selector and affinity"),
        Plugin::NodePorts => Some("its ports"),
        Plugin::PodTopologySpread => Some("its spread"),
        Plugin::InterPodAffinity => Some("the affinity between pods"),
        Plugin::VolumeRestrictions
        | Plugin::NodeVolumeLimits
        | Plugin::VolumeBinding
        | Plugin::VolumeZone => Some("its volumes"),
    });
    kinds.collect()
}

/// What would make the other plugins take a node.
struct Remedies<'a> {
    steps: Vec<Step>,
    /// The refusals that end if pods end.
    lacks_room: Vec<&'a NodeRefusal>,
}

/// Returns what would make the other plugins take a node; `None`: nothing would.
fn remedies<'n>(node: &'n NodeAccount, facts: HelpFacts<'_>) -> Option<Remedies<'n>> {
    let is_cordoned = node
        .refusals
        .iter()
        .any(|refusal| refusal.plugin == Plugin::NodeUnschedulable);
    let mut steps = Vec::new();
    let mut lacks_room = Vec::new();
    for refusal in &node.refusals {
        match refusal.plugin {
            Plugin::DynamicResources => {}
            Plugin::TaintToleration => {
                let taints: Vec<&String> = refusal
                    .taints
                    .iter()
                    .filter(|taint| !(is_cordoned && taint.starts_with(CORDONED)))
                    .collect();
                let (lost, others): (Vec<&String>, Vec<&String>) =
                    taints.into_iter().partition(|taint| is_of_lost_node(taint));
                if !lost.is_empty() {
                    steps.push(bringing_back(&lost, &node.name, facts)?);
                }
                steps.extend(tolerating(&others, &node.name, facts));
            }
            // What would do depends on the storage: nothing is known to help.
            Plugin::VolumeBinding | Plugin::VolumeZone => return None,
            // More than the whole node has: nobody can make room, unless the pod asks for less.
            Plugin::NodeResourcesFit
                if refusal.code == StatusCode::UnschedulableAndUnresolvable
                    && room::asking_for_less(node, facts).is_none() =>
            {
                return None;
            }
            Plugin::NodeResourcesFit | Plugin::VolumeRestrictions | Plugin::NodeVolumeLimits => {
                lacks_room.push(refusal);
            }
            _ => steps.push(remedy(refusal, &node.name)),
        }
    }
    Some(Remedies { steps, lacks_room })
}

fn tolerating(taints: &[&String], node: &str, facts: HelpFacts<'_>) -> Option<Step> {
    if taints.is_empty() {
        return None;
    }
    let names: Vec<&str> = taints.iter().map(|taint| taint.as_str()).collect();
    let step = Step {
        cost: 3,
        text: format!("tolerating the taint {}", names.join(", ")),
        ..Step::default()
    };
    // Others that wait may take a node without the taint first.
    if let Some(pod) = facts.pod.filter(|_| facts.trials.others_wait) {
        let tolerations: Vec<Toleration> = names.iter().map(|taint| toleration(taint)).collect();
        let added: Vec<String> = tolerations.iter().map(written).collect();
        return Some(Step {
            how: Some(format!(
                "in the pod, made anew: add `{}` to `spec.tolerations`",
                added.join(", ")
            )),
            edits: Some(vec![ObjectEdit::Tolerate {
                pod: pod.metadata.full_name(),
                tolerations,
            }]),
            ..step
        });
    }
    let removed: Vec<String> = names
        .iter()
        .map(|name| format!("kubectl taint node {node} {name}-"))
        .collect();
    let edits = taints.iter().map(|taint| ObjectEdit::Untaint {
        node: node.to_owned(),
        taint: (*taint).clone(),
    });
    Some(Step {
        how: Some(format!("or {}", removed.join("; "))),
        edits: Some(edits.collect()),
        ..step
    })
}

/// Returns the toleration of a taint, which is written `key=value:effect`.
fn toleration(taint: &str) -> Toleration {
    let (named, effect) = taint.rsplit_once(':').unwrap_or((taint, ""));
    let (key, value) = named.split_once('=').unwrap_or((named, ""));
    let operator = if value.is_empty() { "Exists" } else { "Equal" };
    Toleration {
        key: key.to_owned(),
        operator: operator.to_owned(),
        value: value.to_owned(),
        effect: effect.to_owned(),
        ..Toleration::default()
    }
}

fn remedy(refusal: &NodeRefusal, node: &str) -> Step {
    let why = refusal.why.join(", ");
    let step = |cost, text: String| Step {
        cost,
        text,
        ..Step::default()
    };
    match refusal.plugin {
        Plugin::NodeUnschedulable => Step {
            cost: 1,
            text: "uncordoning the node".to_owned(),
            how: Some(format!("kubectl uncordon {node}")),
            is_for_all: true,
            edits: Some(vec![ObjectEdit::Uncordon(node.to_owned())]),
            ..Step::default()
        },
        Plugin::NodeAffinity => step(5, "changing the pod's node selector or affinity".to_owned()),
        Plugin::NodePorts => step(5, format!("changing the pod's ports ({why})")),
        Plugin::PodTopologySpread => step(5, format!("changing the pod's spread ({why})")),
        Plugin::InterPodAffinity => step(5, "changing the affinity between pods".to_owned()),
        Plugin::TaintToleration => step(3, "tolerating the taints of the node".to_owned()),
        Plugin::DynamicResources => step(3, "changing its devices".to_owned()),
        Plugin::NodeResourcesFit
        | Plugin::VolumeRestrictions
        | Plugin::NodeVolumeLimits
        | Plugin::VolumeBinding
        | Plugin::VolumeZone => step(5, "changing its volumes".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::index::ClusterIndex;
    use crate::live::users::Users;
    use crate::live::ways::{Templates, Trials};
    use claimkit::PreparedCluster;
    use claimkit_model::limits::Limits;
    use claimkit_model::message::{Message, message};
    use claimkit_model::schema::Release;

    fn said(text: &str) -> Message {
        message!("test.said", "{text}", text)
    }

    fn refusal(plugin: Plugin, why: &str) -> NodeRefusal {
        let why = if why.is_empty() {
            Vec::new()
        } else {
            vec![said(why)]
        };
        NodeRefusal {
            plugin,
            reasons: vec!["no".to_owned()],
            code: StatusCode::Unschedulable,
            why,
            placed_before: None,
            taints: Vec::new(),
            labels: Vec::new(),
            pods_before: Vec::new(),
        }
    }

    fn node(
        name: &str,
        verdict: NodeVerdict,
        refusals: Vec<NodeRefusal>,
        relaxations: &[(&str, usize)],
    ) -> NodeAccount {
        let relaxation = |(text, changes): &(&str, usize)| Relaxation {
            text: said(text),
            changes: vec![Change::of(ChangeKind::Free(Freed::Claim), String::new()); *changes],
            ..Relaxation::default()
        };
        let relaxations = relaxations.iter().map(relaxation).collect();
        NodeAccount {
            name: name.to_owned(),
            verdict,
            refusals,
            relaxations,
            ..NodeAccount::default()
        }
    }

    fn account(nodes: Vec<NodeAccount>) -> PodAccount {
        PodAccount {
            claims: vec!["ns/c".to_owned()],
            nodes,
            ..PodAccount::default()
        }
    }

    /// Returns what is said where nodes are as `nodes` says, and nothing was tried; and why nothing is.
    fn said_of(account: &PodAccount, nodes: &str) -> (Vec<String>, Option<String>) {
        let cluster = PreparedCluster::read(nodes, None, None, &Limits::default());
        let facts = HelpFacts {
            release: Release::latest(),
            cluster: &cluster,
            index: &ClusterIndex::of(&cluster),
            pod: None,
            users: &Users::default(),
            templates: &Templates::new(),
            trials: &Trials {
                are_over: true,
                ..Trials::default()
            },
        };
        let ways = ways_of(account, facts);
        let helps = helps_of(&ways, facts);
        let why = why_none(account, &ways, facts);
        (helps.iter().map(Help::sentence).collect(), why)
    }

    fn sentences(account: &PodAccount) -> Vec<String> {
        said_of(account, "").0
    }

    #[test]
    fn single_changes_come_first_and_each_once() {
        let devices = || vec![refusal(Plugin::DynamicResources, "")];
        let taint = vec![NodeRefusal {
            taints: vec!["a=b:NoSchedule".to_owned()],
            ..refusal(Plugin::TaintToleration, "")
        }];
        let two = [("pair", 2), ("one", 1)];
        let nodes = vec![
            node("a", NodeVerdict::None, devices(), &two),
            node("b", NodeVerdict::None, devices(), &two),
            node("c", NodeVerdict::Refused, taint, &[]),
        ];
        let found = sentences(&account(nodes));
        assert_eq!(
            found,
            [
                "tolerating the taint a=b:NoSchedule: gives the pod its devices on c (or kubectl taint node c a=b:NoSchedule-)",
                "one: gives the pod its devices on a or b",
                "pair and pair: gives the pod its devices on a or b"
            ]
        );
    }

    #[test]
    fn every_reason_of_a_node_is_a_step() {
        let both = vec![
            refusal(Plugin::NodeAffinity, "nodeSelector a=b"),
            refusal(Plugin::DynamicResources, ""),
        ];
        let refused = account(vec![node("a", NodeVerdict::None, both, &[("one", 1)])]);
        assert_eq!(
            sentences(&refused),
            [
                "changing the pod's node selector or affinity and one: gives the pod its devices on a"
            ]
        );
        let lacking = account(vec![node(
            "a",
            NodeVerdict::None,
            vec![refusal(Plugin::DynamicResources, "")],
            &[],
        )]);
        assert_eq!(
            said_of(&lacking, "").1.as_deref(),
            Some("No single change helps, nor any pair that was tried.")
        );
        assert_eq!(said_of(&account(Vec::new()), "").1, None);
    }

    /// That nothing helps is said only where each kind of change was tried.
    #[test]
    fn what_was_not_tried_is_named() {
        let volume = vec![
            refusal(Plugin::VolumeBinding, ""),
            refusal(Plugin::DynamicResources, ""),
        ];
        let nodes = vec![node("a", NodeVerdict::None, volume, &[])];
        assert_eq!(
            said_of(&account(nodes), "").1.as_deref(),
            Some("Nothing that was tried helps; not tried: its volumes.")
        );
        let lacking = vec![refusal(Plugin::DynamicResources, "")];
        let nodes = vec![node("a", NodeVerdict::None, lacking, &[("one", 1)])];
        let leaving = "{apiVersion: v1, kind: Node, metadata: {name: a, deletionTimestamp: '2026-05-04T03:02:01Z', finalizers: [x/y]}}";
        let (helps, why) = said_of(&account(nodes), leaving);
        assert!(helps.is_empty(), "{helps:?}");
        assert_eq!(
            why.as_deref(),
            Some("Nothing is suggested for a, which goes away, is out of order or not ready.")
        );
    }

    /// Room is made by pods that end: where nobody runs, nothing is suggested.
    #[test]
    fn room_that_pods_get_before_is_theirs() {
        let given = NodeRefusal {
            pods_before: vec!["ns/a".to_owned(), "ns/b".to_owned()],
            ..refusal(Plugin::NodeResourcesFit, "cpu: 4 wanted, 2 of 4 left")
        };
        let nodes = vec![node("a", NodeVerdict::Refused, vec![given], &[])];
        let (helps, why) = said_of(&account(nodes), "");
        assert!(helps.is_empty(), "{helps:?}");
        assert_eq!(
            why.as_deref(),
            Some("The room is given to ns/a, ns/b, which are placed before.")
        );
    }

    #[test]
    fn what_cannot_help_is_left_out() {
        let too_small = NodeRefusal {
            code: StatusCode::UnschedulableAndUnresolvable,
            ..refusal(Plugin::NodeResourcesFit, "cpu: 65 wanted, 64 of 64 left")
        };
        let nodes = vec![node("a", NodeVerdict::Refused, vec![too_small], &[])];
        assert!(sentences(&account(nodes)).is_empty());
        let cordoned = vec![
            refusal(Plugin::NodeUnschedulable, "the node is cordoned"),
            NodeRefusal {
                taints: vec![format!("{CORDONED}:NoSchedule")],
                ..refusal(Plugin::TaintToleration, "")
            },
        ];
        let nodes = vec![
            node("a", NodeVerdict::Refused, cordoned.clone(), &[]),
            node("b", NodeVerdict::Refused, cordoned, &[]),
        ];
        assert_eq!(
            sentences(&account(nodes)),
            ["uncordoning the node: gives the pod its devices on a or b (kubectl uncordon a)"]
        );
    }

    #[test]
    fn every_reason_of_a_node_is_named() {
        let refusals = vec![
            refusal(Plugin::NodeUnschedulable, "the node is cordoned"),
            refusal(Plugin::NodePorts, "host port 80 is in use"),
        ];
        let nodes = vec![node("a", NodeVerdict::Refused, refusals, &[])];
        assert_eq!(
            sentences(&account(nodes)),
            [
                "uncordoning the node and changing the pod's ports (host port 80 is in use): gives the pod its devices on a (kubectl uncordon a)"
            ]
        );
        let mut without = account(vec![node(
            "a",
            NodeVerdict::Refused,
            vec![refusal(Plugin::NodePorts, "host port 80 is in use")],
            &[],
        )]);
        without.claims.clear();
        assert!(
            sentences(&without).is_empty(),
            "the pod asks for no devices"
        );
    }
}

//! Pods whose end makes room on a node, and that do not come back there.

use super::users::{FreedBy, Freeing, Loss};
use super::ways::{HelpFacts, Step};
use claimkit_scheduler::allocator::amount::{Amount, spell};
use claimkit_scheduler::allocator::demand::{self, DeviceDemand, Level};
use claimkit_scheduler::allocator::objects::{Node, Pod};
use claimkit_scheduler::explain::account::NodeAccount;
use claimkit_scheduler::explain::object_edits::ObjectEdit;
use claimkit_scheduler::explain::turn::{NodeRefusal, Plugin};
use claimkit_scheduler::explain::words;
use claimkit_scheduler::scheduler::has_ended;
use claimkit_values::order;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of ways that are tried for a node.
const MOST_WAYS: usize = 4;
/// Maximum number of pods that a step names.
const MOST_NAMES: usize = 3;
/// Maximum number of endings that are joined in one step.
const MOST_JOINED: usize = 8;
/// The resource that each pod takes one of.
const PODS: &str = "pods";

/// Amounts of resources, as the scheduler adds them.
type Amounts = BTreeMap<String, i128>;

/// Pods that end together, by one command or several.
#[derive(Clone, Debug)]
struct Ending {
    pods: Vec<String>,
    commands: Vec<String>,
    cost: u32,
    loss: Loss,
}

impl Ending {
    fn of(freeing: Freeing, facts: HelpFacts<'_>) -> Self {
        Ending {
            loss: facts.users.loss(&freeing.ends),
            commands: freeing.how.into_iter().collect(),
            cost: freeing.cost,
            pods: freeing.ends,
        }
    }

    fn join(&mut self, other: &Ending, facts: HelpFacts<'_>) {
        let more = other.pods.iter().filter(|pod| !self.pods.contains(pod));
        let more: Vec<String> = more.cloned().collect();
        self.pods.extend(more);
        self.commands.extend(other.commands.iter().cloned());
        self.cost = self.cost.saturating_add(other.cost);
        self.loss = facts.users.loss(&self.pods);
    }

    fn price(&self) -> (u32, Loss) {
        (self.cost, self.loss)
    }

    /// Returns the step. `text`: what it is, to which the pods are added; `after`: said of them.
    fn step(self, text: &str, after: &str, facts: HelpFacts<'_>) -> Step {
        let pods = match self.pods.as_slice() {
            [pod] => format!("pod {pod}"),
            pods => format!("pods {}", words::some(pods, MOST_NAMES)),
        };
        let own = facts.pod.map_or(0, |pod| pod.spec.effective_priority());
        let priority = match self.loss.priority > own {
            true => format!(" of priority {}", self.loss.priority),
            false => String::new(),
        };
        Step {
            cost: self.cost,
            text: format!("{text} {pods}{priority}{after}"),
            how: Some(self.commands.join("; ")),
            edits: Some(vec![ObjectEdit::EndPods(self.pods)]),
            loss: self.loss,
            ..Step::default()
        }
    }
}

/// Returns the steps that end what a node refuses a pod for: the cheapest first.
pub fn steps(node: &NodeAccount, refusals: &[&NodeRefusal], facts: HelpFacts<'_>) -> Vec<Step> {
    let has = |plugin: Plugin| refusals.iter().any(|refusal| refusal.plugin == plugin);
    let (Some(pod), of_resources) = (facts.pod, has(Plugin::NodeResourcesFit)) else {
        return Vec::new();
    };
    let of_claims = has(Plugin::VolumeRestrictions);
    let volumes = volume_claims(pod);
    let uses = |ending: &Ending, wanted: &dyn Fn(&str) -> bool| {
        let mut pods = ending.pods.iter().filter_map(|name| facts.index.pod(name));
        pods.any(|pod| volume_claims(pod).iter().any(|claim| wanted(claim)))
    };
    // Whoever uses the volume may be on another node.
    let endings = endings((!of_claims).then_some(node.name.as_str()), facts);
    if of_claims {
        let users = endings
            .into_iter()
            .filter(|ending| uses(ending, &|claim| volumes.contains(claim)));
        let steps = users.map(|ending| ending.step("ending", ", which uses its volume", facts));
        return steps.take(MOST_WAYS).collect();
    }
    if !of_resources {
        let users = endings.into_iter().filter(|ending| uses(ending, &|_| true));
        let steps = users.map(|ending| ending.step("ending", ", which uses a volume there", facts));
        return steps.take(MOST_WAYS).collect();
    }
    let Some(there) = facts.index.node(&node.name) else {
        return Vec::new();
    };
    let before: BTreeSet<&String> = refusals
        .iter()
        .flat_map(|refusal| &refusal.pods_before)
        .collect();
    let missing = missing(there, pod, &before, facts);
    let given = |ending: &Ending| {
        let pods = ending.pods.iter().filter_map(|name| facts.index.pod(name));
        let pods = pods.filter(|pod| pod.spec.node_name == node.name);
        sum(pods.map(placed))
    };
    let enough = |given: &Amounts| {
        missing
            .iter()
            .all(|(name, amount)| given.get(name).copied().unwrap_or(0) >= *amount)
    };
    let useful: Vec<Ending> = endings
        .into_iter()
        .filter(|ending| {
            let given = given(ending);
            missing
                .keys()
                .any(|name| given.get(name).is_some_and(|amount| *amount > 0))
        })
        .collect();
    let single: Vec<Ending> = useful
        .iter()
        .filter(|ending| enough(&given(ending)))
        .cloned()
        .collect();
    let chosen = match single.is_empty() {
        false => single,
        true => joined(useful, &given, &enough, facts).into_iter().collect(),
    };
    chosen
        .into_iter()
        .take(MOST_WAYS)
        .map(|ending| {
            let amounts = shown(&missing, &given(&ending));
            ending.step("making room: end", &amounts, facts)
        })
        .collect()
}

/// Returns the steps that end pods which hold devices of a node, where a claim of theirs alone cannot be freed.
pub fn of_holders(node: &NodeAccount, facts: HelpFacts<'_>) -> Vec<Step> {
    let held = node
        .holders
        .iter()
        .filter(|holder| !holder.planned && !holder.admin);
    let claims: BTreeSet<&String> = held.map(|holder| &holder.claim).collect();
    let mut steps: Vec<Step> = Vec::new();
    for claim in claims {
        let freeing = facts.users.freeing(claim);
        if freeing.by != FreedBy::SmallerSet {
            continue;
        }
        let ending = Ending::of(freeing, facts);
        steps.push(ending.step("ending", "", facts));
    }
    steps
}

/// Returns the endings of the pods of a node that do not come back there, the cheapest first. `None`: of all nodes.
fn endings(node: Option<&str>, facts: HelpFacts<'_>) -> Vec<Ending> {
    let all = facts.users.endings(node).into_iter();
    let mut endings: Vec<Ending> = all.map(|freeing| Ending::of(freeing, facts)).collect();
    order::sort_by_key(&mut endings, Ending::price);
    endings
}

/// Joins endings until they give enough, and leaves out those without which they do, too.
fn joined(
    mut endings: Vec<Ending>,
    given: &dyn Fn(&Ending) -> Amounts,
    enough: &dyn Fn(&Amounts) -> bool,
    facts: HelpFacts<'_>,
) -> Option<Ending> {
    let total = |ending: &Ending| given(ending).values().copied().max().unwrap_or(0);
    order::sort_by_key(&mut endings, |ending| {
        (ending.loss.priority, std::cmp::Reverse(total(ending)))
    });
    let mut chosen: Vec<Ending> = Vec::new();
    for ending in endings {
        chosen.push(ending);
        if enough(&sum(chosen.iter().map(given))) {
            break;
        }
    }
    for at in (0..chosen.len()).rev() {
        let others = chosen.iter().enumerate().filter(|(other, _)| *other != at);
        if enough(&sum(others.map(|(_, ending)| given(ending)))) {
            chosen.remove(at);
        }
    }
    if chosen.len() > MOST_JOINED || !enough(&sum(chosen.iter().map(given))) {
        return None;
    }
    let mut chosen = chosen.into_iter();
    let mut all = chosen.next()?;
    chosen.for_each(|ending| all.join(&ending, facts));
    Some(all)
}

/// Returns what a node lacks for a pod. `before`: pods that wait, too, and are placed there before.
fn missing(node: &Node, pod: &Pod, before: &BTreeSet<&String>, facts: HelpFacts<'_>) -> Amounts {
    let there = facts.index.pods_on(&node.metadata.name).iter();
    let there = there.filter(|pod| !has_ended(pod)).copied().map(placed);
    let before = before.iter().filter_map(|name| facts.index.pod(name));
    let before = before.map(waiting);
    let used = sum(there.chain(before));
    let wanted = waiting(pod);
    let lacks = wanted.into_iter().filter_map(|(name, amount)| {
        let allocatable = demand::exact(node.status.allocatable.get(&name)?);
        let used = used.get(&name).copied().unwrap_or(0);
        let lacks = amount.saturating_add(used).saturating_sub(allocatable);
        (lacks > 0).then_some((name, lacks))
    });
    lacks.collect()
}

fn placed(pod: &Pod) -> Amounts {
    of_pod(demand::of_placed(pod))
}

fn waiting(pod: &Pod) -> Amounts {
    of_pod(demand::of_waiting(
        pod,
        &DeviceDemand::default(),
        Level::Pod,
    ))
}

/// Adds the pod itself to what it takes.
fn of_pod(taken: demand::Amounts<'_>) -> Amounts {
    let amounts = taken.iter();
    let mut amounts: Amounts = amounts
        .map(|(name, amount)| ((*name).to_owned(), *amount))
        .collect();
    amounts.insert(PODS.to_owned(), demand::exact(&Amount::whole(1)));
    amounts
}

fn sum(all: impl Iterator<Item = Amounts>) -> Amounts {
    let mut sum = Amounts::new();
    for (name, amount) in all.flatten() {
        let known = sum.entry(name).or_insert(0);
        *known = known.saturating_add(amount);
    }
    sum
}

/// Writes what an ending gives of what is missing, such as ` (cpu 4)`.
fn shown(missing: &Amounts, given: &Amounts) -> String {
    let names = missing.keys().filter(|name| *name != PODS);
    let parts: Vec<String> = names
        .filter_map(|name| Some(format!("{name} {}", amount(name, *given.get(name)?))))
        .collect();
    match parts.as_slice() {
        [] => String::new(),
        parts => format!(" ({})", parts.join(", ")),
    }
}

fn amount(name: &str, exact: i128) -> String {
    let nanos = demand::nanos(name, demand::counted(name, exact));
    spell(nanos)
}

/// Returns the names of the PersistentVolumeClaims of a pod, with its namespace.
fn volume_claims(pod: &Pod) -> BTreeSet<String> {
    let claims = pod.spec.volumes.iter();
    claims
        .filter_map(|volume| pod.volume_claim_of(volume))
        .map(|claim| format!("{}/{claim}", pod.metadata.namespace))
        .collect()
}

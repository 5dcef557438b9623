//! Pods whose end makes room on a node, and that do not come back there.

use super::brief::Brief;
use super::users::{FreedBy, Freeing, Loss};
use super::ways::{HelpFacts, Less, Step};
use claimkit_scheduler::allocator::amount::{Amount, spell};
use claimkit_scheduler::allocator::demand::{self, DeviceDemand, Level};
use claimkit_scheduler::allocator::objects::{Node, Pod};
use claimkit_scheduler::allocator::status::StatusCode;
use claimkit_scheduler::explain::account::{NodeAccount, PodAccount};
use claimkit_scheduler::explain::kinds::NodeVerdict;
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
/// The resources of which a container may do with somewhat less.
const REDUCIBLE: [&str; 2] = ["cpu", "memory"];
/// The largest part of them that may be given up, in thousandths: with much less the container may not do its work.
const SMALL_SHARE: u32 = 250;
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

    /// Adds the pods of another ending. All end by the commands for them together, if there are such; otherwise by those of each ending.
    fn join(&mut self, other: &Ending, facts: HelpFacts<'_>) {
        let more: Vec<String> = other
            .pods
            .iter()
            .filter(|pod| !self.pods.contains(pod))
            .cloned()
            .collect();
        self.pods.extend(more);
        match facts.users.commands(&self.pods) {
            Some(together) => self.commands = together,
            None => self.commands.extend(other.commands.iter().cloned()),
        }
        self.cost = self.cost.saturating_add(other.cost);
        self.loss = facts.users.loss(&self.pods);
    }

    fn price(&self) -> (u32, Loss) {
        (self.cost, self.loss)
    }

    /// Returns true if its pods use volumes. `wanted`: the PersistentVolumeClaims that matter; `None`: all.
    fn uses_volumes(&self, wanted: Option<&BTreeSet<String>>, facts: HelpFacts<'_>) -> bool {
        let mut pods = self.pods.iter().filter_map(|name| facts.index.pod(name));
        pods.any(|pod| {
            let mut claims = volume_claims(pod).into_iter();
            claims.any(|claim| is_wanted(&claim, wanted))
        })
    }

    /// Returns the step that ends the pods, and names the PersistentVolumeClaims that they use. `wanted`: the claims that matter; `None`:
    /// all.
    fn step_of_volumes(self, wanted: Option<&BTreeSet<String>>, facts: HelpFacts<'_>) -> Step {
        let pods = self.pods.iter().filter_map(|name| facts.index.pod(name));
        let used: BTreeSet<String> = pods.flat_map(volume_claims).collect();
        let named: Vec<String> = used
            .into_iter()
            .filter(|claim| is_wanted(claim, wanted))
            .collect();
        let verb = match self.pods.len() {
            1 => "uses",
            _ => "use",
        };
        let claims = words::some(&named, MOST_NAMES);
        let words = StepWords {
            after: &format!(", which {verb} PersistentVolumeClaim {claims}"),
            ..StepWords::ENDING
        };
        self.step(words, facts)
    }

    /// Returns the step that ends the pods.
    fn step(self, words: StepWords<'_>, facts: HelpFacts<'_>) -> Step {
        let pods = match self.pods.as_slice() {
            [pod] => format!("pod {pod}"),
            pods => format!("pods {}", words::some(pods, MOST_NAMES)),
        };
        let own = facts.pod.map_or(0, |pod| pod.spec.effective_priority());
        let priority = if self.loss.priority > own {
            format!(" of priority {}", self.loss.priority)
        } else {
            String::new()
        };
        let StepWords { action, after } = words;
        Step {
            cost: self.cost,
            text: format!("{action} {pods}{priority}{after}"),
            how: Some(self.commands.join("; ")),
            edits: Some(vec![ObjectEdit::EndPods(self.pods)]),
            loss: self.loss,
            ..Step::default()
        }
    }
}

/// The words of a step around the names of the pods that it ends.
#[derive(Clone, Copy)]
struct StepWords<'a> {
    action: &'a str,
    /// Begins with the character that follows the names; may be empty.
    after: &'a str,
}

impl StepWords<'_> {
    const ENDING: StepWords<'static> = StepWords {
        action: "ending",
        after: "",
    };
}

/// Returns true if a PersistentVolumeClaim matters. `wanted`: those that do; `None`: all.
fn is_wanted(claim: &str, wanted: Option<&BTreeSet<String>>) -> bool {
    wanted.is_none_or(|wanted| wanted.contains(claim))
}

/// Returns the steps that end what a node refuses a pod for: the cheapest first.
pub fn steps(node: &NodeAccount, refusals: &[&NodeRefusal], facts: HelpFacts<'_>) -> Vec<Step> {
    let Some(pod) = facts.pod else {
        return Vec::new();
    };
    if is_refused_by(Plugin::VolumeRestrictions, refusals) {
        return steps_for_own_volumes(pod, facts);
    }
    if !is_refused_by(Plugin::NodeResourcesFit, refusals) {
        return steps_for_volume_limits(&node.name, facts);
    }
    let less = asking_for_less(node, facts);
    if is_too_small(refusals) {
        return less.into_iter().collect();
    }
    let Some(there) = facts.index.node(&node.name) else {
        return Vec::new();
    };
    let before: BTreeSet<&String> = refusals
        .iter()
        .flat_map(|refusal| &refusal.pods_before)
        .collect();
    let shortage = Shortage {
        node: &node.name,
        missing: missing(there, pod, &before, facts),
        facts,
    };
    let mut steps = shortage.steps();
    steps.extend(less);
    steps
}

/// Returns true if a pod wants more than the whole node has: nobody can make room.
fn is_too_small(refusals: &[&NodeRefusal]) -> bool {
    refusals.iter().any(|refusal| {
        refusal.plugin == Plugin::NodeResourcesFit
            && refusal.code == StatusCode::UnschedulableAndUnresolvable
    })
}

/// Returns the step by which a container asks for as much cpu or memory as the node has left: most of what it asks for now. Where
/// pods that wait are placed before, the room is theirs.
pub fn asking_for_less(node: &NodeAccount, facts: HelpFacts<'_>) -> Option<Step> {
    let pod = facts.pod?;
    let mut refusals = node.refusals.iter();
    if refusals.any(|refusal| !refusal.pods_before.is_empty()) {
        return None;
    }
    let there = facts.index.node(&node.name)?;
    let lacking = missing(there, pod, &BTreeSet::new(), facts);
    let mut lacks = lacking.iter();
    let (Some((resource, lack)), None) = (lacks.next(), lacks.next()) else {
        return None;
    };
    let of_pod = &pod.spec.resources.requests;
    let is_of_pod = of_pod.get(resource.as_str()).is_some();
    if is_of_pod || !REDUCIBLE.contains(&resource.as_str()) {
        return None;
    }
    let largest = largest_request(pod, resource)?;
    let left = rounded_down(resource, largest.exact.checked_sub(*lack)?);
    let given_up = largest.exact.checked_sub(left)?;
    let thousandths = given_up.checked_mul(1000)?.checked_div(largest.exact)?;
    let share = u32::try_from(thousandths).ok()?;
    (share <= SMALL_SHARE).then_some(())?;
    step_to_less(pod, resource, &largest, left, share)
}

/// Returns the step by which a container asks for the amount that is `left`. `share`: what it gives up, in thousandths.
fn step_to_less(
    pod: &Pod,
    resource: &str,
    largest: &ContainerRequest<'_>,
    left: i128,
    share: u32,
) -> Option<Step> {
    let from = amount(resource, largest.exact);
    let to = amount(resource, left);
    let index = largest.container;
    Some(Step {
        cost: 2,
        text: format!(
            "asking for {to} instead of {from} {resource} in container {}",
            largest.name
        ),
        how: Some(format!(
            "in the pod, made anew: `spec.containers[{index}].resources.requests[{resource}]: {to}`"
        )),
        edits: Some(vec![ObjectEdit::Request {
            pod: pod.metadata.full_name(),
            container: index,
            resource: resource.to_owned(),
            amount: Amount::parse(&to).ok()?,
        }]),
        less: Some(Less {
            field: format!("{} {resource}", pod.metadata.full_name()),
            amount: left,
            share,
        }),
        ..Step::default()
    })
}

/// What one container of a pod asks for of a resource.
struct ContainerRequest<'p> {
    /// Index of the container.
    container: usize,
    name: &'p str,
    exact: i128,
}

/// Returns the largest request of a resource among the containers of a pod.
fn largest_request<'p>(pod: &'p Pod, resource: &str) -> Option<ContainerRequest<'p>> {
    let containers = pod.spec.containers.iter().enumerate();
    let requests = containers.filter_map(|(index, container)| {
        let exact = demand::exact(container.resources.requests.get(resource)?);
        Some(ContainerRequest {
            container: index,
            name: &container.name,
            exact,
        })
    });
    requests.max_by_key(|request| (request.exact, std::cmp::Reverse(request.container)))
}

/// Returns an amount that people write: of memory whole mebibytes.
fn rounded_down(resource: &str, exact: i128) -> i128 {
    let one = match resource {
        "memory" => demand::exact(&Amount::whole(1 << 20)),
        _ => demand::exact(&Amount::whole(1)) / 1000,
    };
    let rest = exact.checked_rem_euclid(one).unwrap_or(0);
    exact.saturating_sub(rest)
}

/// Returns true if a plugin is among those that refuse a node.
fn is_refused_by(plugin: Plugin, refusals: &[&NodeRefusal]) -> bool {
    refusals.iter().any(|refusal| refusal.plugin == plugin)
}

/// Returns the steps that end pods which use a volume of this pod. Such pods may be on another node.
fn steps_for_own_volumes(pod: &Pod, facts: HelpFacts<'_>) -> Vec<Step> {
    let volumes = volume_claims(pod);
    endings(None, facts)
        .into_iter()
        .filter(|ending| ending.uses_volumes(Some(&volumes), facts))
        .take(MOST_WAYS)
        .map(|ending| ending.step_of_volumes(Some(&volumes), facts))
        .collect()
}

/// Returns the steps that end pods of a node which use any volume: the node has as many volumes as it can.
fn steps_for_volume_limits(node: &str, facts: HelpFacts<'_>) -> Vec<Step> {
    endings(Some(node), facts)
        .into_iter()
        .filter(|ending| ending.uses_volumes(None, facts))
        .take(MOST_WAYS)
        .map(|ending| ending.step_of_volumes(None, facts))
        .collect()
}

/// The resources that a node lacks for the pod.
struct Shortage<'a> {
    node: &'a str,
    missing: Amounts,
    facts: HelpFacts<'a>,
}

impl Shortage<'_> {
    /// Returns the steps that end enough pods of the node: single endings if some are enough, otherwise several endings as one step.
    fn steps(&self) -> Vec<Step> {
        let useful: Vec<Ending> = endings(Some(self.node), self.facts)
            .into_iter()
            .filter(|ending| self.is_reduced_by(ending))
            .collect();
        let single: Vec<Ending> = useful
            .iter()
            .filter(|ending| self.is_met_by(&self.given_by(ending)))
            .cloned()
            .collect();
        let chosen = if !single.is_empty() {
            single
        } else {
            self.joined(useful).into_iter().collect()
        };
        chosen
            .into_iter()
            .take(MOST_WAYS)
            .map(|ending| self.step_of(ending))
            .collect()
    }

    /// Returns what an ending gives back on the node.
    fn given_by(&self, ending: &Ending) -> Amounts {
        let pods = ending
            .pods
            .iter()
            .filter_map(|name| self.facts.index.pod(name))
            .filter(|pod| pod.spec.node_name == self.node);
        sum(pods.map(placed))
    }

    /// Returns true if an ending gives some of what is missing.
    fn is_reduced_by(&self, ending: &Ending) -> bool {
        let given = self.given_by(ending);
        self.missing
            .keys()
            .any(|name| given.get(name).is_some_and(|amount| *amount > 0))
    }

    /// Returns true if amounts are all that is missing.
    fn is_met_by(&self, given: &Amounts) -> bool {
        self.missing
            .iter()
            .all(|(name, amount)| given.get(name).copied().unwrap_or(0) >= *amount)
    }

    /// Joins endings until they give enough, and leaves out those that are not needed then.
    fn joined(&self, mut endings: Vec<Ending>) -> Option<Ending> {
        order::sort_by_key(&mut endings, |ending| {
            let most = self.given_by(ending).values().copied().max().unwrap_or(0);
            (ending.loss.priority, std::cmp::Reverse(most))
        });
        let mut chosen: Vec<Ending> = Vec::new();
        for ending in endings {
            chosen.push(ending);
            if self.is_met_by_all(chosen.iter()) {
                break;
            }
        }
        for at in (0..chosen.len()).rev() {
            let others = chosen.iter().enumerate().filter(|(other, _)| *other != at);
            if self.is_met_by_all(others.map(|(_, ending)| ending)) {
                chosen.remove(at);
            }
        }
        if chosen.len() > MOST_JOINED || !self.is_met_by_all(chosen.iter()) {
            return None;
        }
        let mut chosen = chosen.into_iter();
        let mut all = chosen.next()?;
        chosen.for_each(|ending| all.join(&ending, self.facts));
        Some(all)
    }

    /// Returns true if endings together give what is missing.
    fn is_met_by_all<'e>(&self, endings: impl Iterator<Item = &'e Ending>) -> bool {
        self.is_met_by(&sum(endings.map(|ending| self.given_by(ending))))
    }

    /// Returns the step of an ending, with the amounts that it gives.
    fn step_of(&self, ending: Ending) -> Step {
        let words = StepWords {
            action: "making room: end",
            after: &self.text_of_given(&self.given_by(&ending)),
        };
        ending.step(words, self.facts)
    }

    /// Writes how much is given of what is missing, such as ` (cpu 4)`.
    fn text_of_given(&self, given: &Amounts) -> String {
        let names = self.missing.keys().filter(|name| *name != PODS);
        let parts: Vec<String> = names
            .filter_map(|name| Some(format!("{name} {}", amount(name, *given.get(name)?))))
            .collect();
        match parts.as_slice() {
            [] => String::new(),
            parts => format!(" ({})", parts.join(", ")),
        }
    }
}

/// Returns the steps that end pods which hold devices of a node, where one command ends several: a claim of theirs alone cannot be freed.
pub fn of_holders(node: &NodeAccount, facts: HelpFacts<'_>) -> Vec<Step> {
    let held = node
        .holders
        .iter()
        .filter(|holder| !holder.planned && !holder.admin);
    let claims: BTreeSet<&String> = held.map(|holder| &holder.claim).collect();
    claims
        .into_iter()
        .filter_map(|claim| of_several(claim, facts))
        .collect()
}

/// Returns steps that end more and more of the pods which hold devices of a node, the cheapest first, from two on: the allocator tries two
/// claims only where no single change helps, and for the pod alone.
pub fn of_many_holders(node: &str, facts: HelpFacts<'_>) -> Vec<Step> {
    let mut endings = endings_of_holders(node, facts);
    order::sort_by_key(&mut endings, Ending::price);
    let mut endings = endings.into_iter().take(MOST_JOINED);
    let Some(mut all) = endings.next() else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    for ending in endings {
        all.join(&ending, facts);
        let more = all.pods.len().saturating_sub(1);
        if more > 0 {
            steps.push(Step {
                more,
                ..all.clone().step(StepWords::ENDING, facts)
            });
        }
    }
    steps
}

/// Returns the step that ends the fewest pods which hold so many devices of a node, from two on.
pub fn of_fewest_holders(node: &str, devices: usize, facts: HelpFacts<'_>) -> Option<Step> {
    let mut endings = endings_of_holders(node, facts);
    order::sort_by_key(&mut endings, |ending| {
        let devices = std::cmp::Reverse(ending.loss.devices);
        (ending.loss.priority, devices, ending.cost)
    });
    let mut endings = endings.into_iter().take(MOST_JOINED);
    let mut all = endings.next()?;
    for ending in endings {
        if all.loss.devices >= devices {
            break;
        }
        all.join(&ending, facts);
    }
    let more = all.pods.len().saturating_sub(1);
    let is_enough = all.loss.devices >= devices && more > 0;
    is_enough.then(|| Step {
        more,
        ..all.step(StepWords::ENDING, facts)
    })
}

/// Returns the endings of the pods that hold devices of a node.
fn endings_of_holders(node: &str, facts: HelpFacts<'_>) -> Vec<Ending> {
    let claims = facts.index.claims_on(node);
    let freeings = claims.map(|claim| facts.users.freeing(claim));
    let by_command = freeings
        .filter(|freeing| matches!(freeing.by, FreedBy::Command | FreedBy::SmallerSet))
        .filter(|freeing| !freeing.ends.is_empty());
    by_command
        .map(|freeing| Ending::of(freeing, facts))
        .collect()
}

/// Returns the step that ends all pods which the command for a claim ends, if it names no pod.
fn of_several(claim: &str, facts: HelpFacts<'_>) -> Option<Step> {
    let freeing = facts.users.freeing(claim);
    let ends_others = match freeing.by {
        FreedBy::SmallerSet => true,
        FreedBy::Command => freeing.ends.len() > 1,
        FreedBy::Itself | FreedBy::Nothing => false,
    };
    ends_others.then(|| Ending::of(freeing, facts).step(StepWords::ENDING, facts))
}

/// Returns the step that ends the last pods of a StatefulSet, so that the one which uses a claim does not come back.
pub fn of_set(claim: &str, facts: HelpFacts<'_>) -> Option<Step> {
    let freeing = facts.users.freeing(claim);
    let is_of_set = freeing.by == FreedBy::SmallerSet;
    is_of_set.then(|| Ending::of(freeing, facts).step(StepWords::ENDING, facts))
}

/// Returns the endings of the pods of a node that do not come back there, the cheapest first. `None`: of all nodes.
fn endings(node: Option<&str>, facts: HelpFacts<'_>) -> Vec<Ending> {
    let all = facts.users.endings(node).into_iter();
    let mut endings: Vec<Ending> = all.map(|freeing| Ending::of(freeing, facts)).collect();
    order::sort_by_key(&mut endings, Ending::price);
    endings
}

/// Returns the pods that wait, too, get a node before, and take there what a pod lacks: `namespace/name`. None, if the pod lacks some
/// without them.
pub fn takers(node: &str, before: &[String], facts: HelpFacts<'_>) -> Vec<String> {
    let (Some(there), Some(pod)) = (facts.index.node(node), facts.pod) else {
        return before.to_vec();
    };
    let all: BTreeSet<&String> = before.iter().collect();
    let lacking = missing(there, pod, &all, facts);
    if !missing(there, pod, &BTreeSet::new(), facts).is_empty() {
        return Vec::new();
    }
    let takes_some = |name: &&String| {
        let taken = facts.index.pod(name).map(waiting).unwrap_or_default();
        lacking
            .keys()
            .any(|resource| taken.get(resource).is_some_and(|amount| *amount > 0))
    };
    before.iter().filter(takes_some).cloned().collect()
}

/// Returns true if a node without pods has what the pod takes: only then others' end makes room.
fn is_large_enough(node: &Node, wanted: &Amounts) -> bool {
    let allocatable = &node.status.allocatable;
    wanted
        .iter()
        .all(|(name, wanted)| allocatable.get(name).map_or(0, demand::exact) >= *wanted)
}

/// Returns what the pod takes of the nodes' own resources.
fn of_nodes(account: &PodAccount, pod: &Pod) -> Amounts {
    let mut amounts = waiting(pod);
    // Those that DeviceClasses serve are devices.
    for resource in account.extended_resources.keys() {
        amounts.remove(resource);
    }
    amounts
}

/// Returns the names of the nodes that lack room and have it without other pods.
pub fn too_full<'n>(account: &'n PodAccount, facts: HelpFacts<'_>) -> Vec<&'n str> {
    let Some(pod) = facts.pod else {
        return Vec::new();
    };
    let wanted = of_nodes(account, pod);
    let refused = account.nodes.iter().filter(|node| lacks_room(node));
    let full = refused.filter(|node| {
        let there = facts.index.node(&node.name);
        there.is_some_and(|there| is_large_enough(there, &wanted))
    });
    full.map(|node| node.name.as_str()).collect()
}

fn lacks_room(node: &NodeAccount) -> bool {
    let mut refusals = node.refusals.iter();
    refusals.any(|refusal| refusal.plugin == Plugin::NodeResourcesFit)
}

/// Returns true if the scheduler tried more nodes for a pod than files hold.
fn lacks_nodes(pod: &Pod, facts: HelpFacts<'_>) -> bool {
    let given = facts.cluster.nodes().count();
    let tried = Brief::from(pod).nodes_tried();
    facts.cluster.is_of_files()
        && !facts.cluster.is_whole("Node")
        && tried.is_some_and(|tried| tried > given)
}

/// Says which resource the pod wants more of than any node has.
pub fn beyond_all(account: &PodAccount, facts: HelpFacts<'_>) -> Option<String> {
    let pod = facts.pod?;
    if account.nodes.is_empty() || !account.nodes.iter().all(lacks_room) {
        return None;
    }
    let mut nodes: Vec<&Node> = Vec::new();
    for node in &account.nodes {
        nodes.push(facts.index.node(&node.name)?);
    }
    let no_node = if lacks_nodes(pod, facts) {
        "None of the given nodes"
    } else {
        "No node"
    };
    for (resource, wanted) in &of_nodes(account, pod) {
        let most = most_allocatable(&nodes, resource);
        if most >= *wanted {
            continue;
        }
        if most == 0 {
            return Some(format!("{no_node} has {resource}."));
        }
        return Some(format!(
            "{no_node} is large enough: {resource} {} wanted, {} at most.",
            amount(resource, *wanted),
            amount(resource, most)
        ));
    }
    None
}

/// Says that the only nodes which could have devices for the pod are too small for it.
pub fn beyond_those_with_devices(account: &PodAccount, facts: HelpFacts<'_>) -> Option<String> {
    let pod = facts.pod?;
    let (small, others): (Vec<&NodeAccount>, Vec<&NodeAccount>) = account
        .nodes
        .iter()
        .filter(|node| !node.is_unwanted())
        .partition(|node| is_too_small(&Vec::from_iter(&node.refusals)));
    let is_all = others.iter().all(|node| has_no_device(node, account));
    if small.is_empty() || others.is_empty() || !is_all {
        return None;
    }
    let mut nodes: Vec<&Node> = Vec::new();
    for node in &small {
        nodes.push(facts.index.node(&node.name)?);
    }
    let wanted = of_nodes(account, pod);
    let too_much = wanted.iter().find_map(|(resource, wanted)| {
        let most = most_allocatable(&nodes, resource);
        (most < *wanted).then(|| {
            let (wanted, most) = (amount(resource, *wanted), amount(resource, most));
            format!("{resource} {wanted} wanted, {most} at most")
        })
    })?;
    let names: Vec<&str> = small.iter().map(|node| node.name.as_ref()).collect();
    let are = match names.len() {
        1 => "is not large enough",
        _ => "are not large enough",
    };
    Some(format!(
        "The other nodes have no devices, and {} {are}: {too_much}.",
        words::some(&names, MOST_NAMES)
    ))
}

/// Returns true if there are no devices on a node.
fn has_no_device(node: &NodeAccount, account: &PodAccount) -> bool {
    let mut nodes = account.nodes.iter();
    let first = nodes.find(|first| node.same_as.as_ref() == Some(&first.name));
    let mut requests = first.unwrap_or(node).requests.iter();
    node.verdict == NodeVerdict::None
        && requests.any(|request| request.funnel.first().is_some_and(|stage| stage.left == 0))
}

/// Returns the largest amount of a resource that one of the nodes has for pods.
fn most_allocatable(nodes: &[&Node], resource: &str) -> i128 {
    let amounts = nodes.iter().map(|node| {
        let allocatable = node.status.allocatable.get(resource);
        allocatable.map_or(0, demand::exact)
    });
    amounts.max().unwrap_or(0)
}

/// Returns what a node lacks for a pod. `before`: pods that wait, too, and are placed there before.
fn missing(node: &Node, pod: &Pod, before: &BTreeSet<&String>, facts: HelpFacts<'_>) -> Amounts {
    let pods_there = facts
        .index
        .pods_on(&node.metadata.name)
        .iter()
        .filter(|pod| !has_ended(pod))
        .copied();
    let pods_before = before.iter().filter_map(|name| facts.index.pod(name));
    let used = sum(pods_there.map(placed).chain(pods_before.map(waiting)));
    let mut missing = Amounts::new();
    for (name, wanted) in waiting(pod) {
        let Some(allocatable) = node.status.allocatable.get(&name) else {
            continue;
        };
        let in_use = used.get(&name).copied().unwrap_or(0);
        let needed = wanted.saturating_add(in_use);
        let lacks = needed.saturating_sub(demand::exact(allocatable));
        if lacks > 0 {
            missing.insert(name, lacks);
        }
    }
    missing
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
    let mut amounts: Amounts = taken
        .iter()
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

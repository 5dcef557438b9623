//! Resources of nodes: what pods request, what is left, and the filter NodeResourcesFit.

use super::outcome::{Plugin, PluginRefusal, RefusalReason};
use super::release::ReleaseRules;
use crate::allocator::demand::{self, Amounts, DeviceDemand, Level, PodStage};
use crate::allocator::objects::{Facts, Node, Pod};
use crate::allocator::sorted::Set;
use crate::allocator::status::StatusCode;

/// Index of `cpu` among the resource names.
pub const CPU: usize = 0;
/// Index of `memory`.
pub const MEMORY: usize = 1;

/// Resources that every kubelet reports. A node that does not name one was written by hand, and nothing is known about it.
const REPORTED: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// The amounts counted in the scores for a container without requests: 100 m of CPU and 200 MiB of memory, in 10⁻¹⁸ of a unit.
pub const UNREQUESTED: [(&str, i128); 2] = [
    ("cpu", 100_000_000_000_000_000),
    ("memory", 209_715_200_000_000_000_000_000_000),
];

/// The names of all resources that nodes have or pods request: the first three as they are checked, the others by name.
#[derive(Debug, Default)]
pub struct Names(Vec<String>);

impl Names {
    /// Collects them.
    pub fn of(facts: &Facts) -> Self {
        let mut mentioned: Set<&str> = Set::default();
        for node in &facts.nodes {
            mentioned.extend(node.status.allocatable.keys().map(String::as_str));
        }
        for pod in &facts.pods {
            let spec = &pod.spec;
            for container in spec.init_containers.iter().chain(&spec.containers) {
                mentioned.extend(container.resources.requests.keys().map(String::as_str));
            }
            let of_whole_pod = spec.resources.requests.keys().chain(spec.overhead.keys());
            mentioned.extend(of_whole_pod.map(String::as_str));
        }
        let mut names: Vec<String> = REPORTED.iter().map(|name| (*name).to_owned()).collect();
        for name in mentioned.iter() {
            if !REPORTED.contains(name) && *name != "pods" {
                names.push((*name).to_owned());
            }
        }
        Names(names)
    }

    /// Returns a resource by name.
    pub fn find(&self, name: &str) -> Option<usize> {
        let known = REPORTED.iter().position(|reported| *reported == name);
        if known.is_some() {
            return known;
        }
        let (_, others) = self.0.split_at_checked(REPORTED.len())?;
        let at = others
            .binary_search_by(|other| other.as_str().cmp(name))
            .ok()?;
        Some(at.saturating_add(REPORTED.len()))
    }

    /// Returns the name of a resource.
    pub fn name(&self, resource: usize) -> &str {
        self.0.get(resource).map_or("", String::as_str)
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the amounts as the scheduler counts them, those that are not 0, in the order in which they are checked.
    fn counted(&self, amounts: &Amounts<'_>) -> Vec<(usize, i64)> {
        let mut list: Vec<(usize, i64)> = Vec::new();
        for (name, exact) in amounts.iter() {
            let counted = i64::try_from(demand::counted(name, *exact)).unwrap_or(i64::MAX);
            if let (Some(resource), true) = (self.find(name), counted != 0) {
                let place = list.partition_point(|(known, _)| *known < resource);
                list.insert(place, (resource, counted));
            }
        }
        list
    }
}

/// The resources that a pod takes of its node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// By resource, in the order in which they are checked.
    pub amounts: Vec<(usize, i64)>,
    /// CPU and memory as the scores count them.
    pub scored: [i64; 2],
}

impl Requests {
    /// Returns the requests of a pod; if it is placed, the amounts allocated on its node count, too.
    pub fn of(names: &Names, pod: &Pod, stage: PodStage, rules: &ReleaseRules) -> Self {
        let none = DeviceDemand::default();
        let level = Level::of(rules.pod_level_resources);
        let real = match stage {
            PodStage::Placed => demand::of_placed(pod),
            PodStage::Waiting => demand::of_waiting(pod, &none, level),
        };
        let scored = demand::with_unrequested(pod, &UNREQUESTED, stage, level);
        Requests {
            amounts: names.counted(&real),
            scored: ["cpu", "memory"].map(|name| {
                let exact = scored.get(name).copied().unwrap_or(0);
                i64::try_from(demand::counted(name, exact)).unwrap_or(i64::MAX)
            }),
        }
    }

    /// Returns the amount of a resource.
    pub fn amount(&self, resource: usize) -> i64 {
        self.amounts
            .iter()
            .find(|(known, _)| *known == resource)
            .map_or(0, |(_, amount)| *amount)
    }
}

/// The allocatable resources of a node.
#[derive(Clone, Debug, Default)]
pub struct Allocatable {
    /// By resource; `None`: not known.
    pub amounts: Vec<Option<i64>>,
    /// How many pods; `None`: not known.
    pub pods: Option<i64>,
}

impl Allocatable {
    /// Returns the allocatable resources of a node.
    pub fn of(names: &Names, node: &Node) -> Self {
        let reported = &node.status.allocatable;
        let amounts = names.0.iter().map(|name| match reported.get(name) {
            Some(amount) => i64::try_from(demand::counted(name, demand::exact(amount))).ok(),
            None if REPORTED.contains(&name.as_str()) => None,
            None => Some(0),
        });
        let pods = reported
            .get("pods")
            .map(|amount| i64::try_from(amount.value()).unwrap_or(i64::MAX));
        Allocatable {
            amounts: amounts.collect(),
            pods,
        }
    }

    /// Returns the amount of a resource; `None`: not known.
    pub fn amount(&self, resource: usize) -> Option<i64> {
        self.amounts.get(resource).copied().flatten()
    }
}

/// Answers the filter NodeResourcesFit: all that is short. `delegated`: resources that are left to devices.
pub fn fit(
    rules: &ReleaseRules,
    names: &Names,
    requests: &Requests,
    allocatable: &Allocatable,
    used: (&[i64], usize),
    delegated: &[usize],
) -> Option<PluginRefusal> {
    let mut reasons = Vec::new();
    let mut is_final = false;
    let pods = i64::try_from(used.1.saturating_add(1)).unwrap_or(i64::MAX);
    if allocatable.pods.is_some_and(|most| pods > most) {
        reasons.push(RefusalReason::TooManyPods);
    }
    for (resource, amount) in &requests.amounts {
        let Some(most) = allocatable.amount(*resource) else {
            continue;
        };
        let taken = used.0.get(*resource).copied().unwrap_or(0);
        if *amount > most.saturating_sub(taken) && !(most == 0 && delegated.contains(resource)) {
            is_final |= *amount > most && rules.too_large_is_final;
            reasons.push(RefusalReason::Insufficient(names.name(*resource).into()));
        }
    }
    let code = if is_final {
        StatusCode::UnschedulableAndUnresolvable
    } else {
        StatusCode::Unschedulable
    };
    (!reasons.is_empty()).then_some(PluginRefusal {
        plugin: Plugin::NodeResourcesFit,
        code,
        reasons,
    })
}

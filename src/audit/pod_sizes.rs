//! Pods that wait and ask for more than any node has.

use super::finder::{About, Finder};
use super::pods::is_done;
use claimkit_model::finding::{Code, field_path};
use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::amount::spell;
use claimkit_scheduler::allocator::demand::{self, DeviceDemand, Level};
use claimkit_scheduler::allocator::objects::{Facts, Node, Pod};
use std::collections::BTreeSet;

/// The resources that are compared, in the scheduler's order.
const COMPARED: [&str; 2] = ["cpu", "memory"];
/// The resource of which each pod takes one.
const PODS: &str = "pods";

/// What a pod asks for, or a node has, of the compared resources, as the scheduler counts it.
type Amounts = [i128; 2];

/// Reports waiting pods that no node can take, whatever runs there. `level`: the requests that count.
pub fn check(facts: &Facts, level: Level, finder: &mut Finder<'_, '_>) {
    // What a node has is not known where it is given without its status.
    let mut nodes = facts.nodes.iter();
    if facts.nodes.is_empty() || !nodes.all(|node| has_amounts(node)) {
        return;
    }
    let nodes = facts.nodes.iter().filter(|node| takes_pods(node));
    let sizes: BTreeSet<Amounts> = nodes.map(|node| amounts_of_node(node)).collect();
    let waiting = facts
        .pods
        .iter()
        .filter(|pod| pod.spec.node_name.is_empty() && !is_done(pod));
    for pod in waiting {
        if let Some(message) = larger_than_all(pod, &sizes, level) {
            let about = About::object("Pod", &pod.metadata).at(field_path!["spec", "containers"]);
            finder.tell(Code::PodNeverFits, about, message, None);
        }
    }
}

fn has_amounts(node: &Node) -> bool {
    let allocatable = &node.status.allocatable;
    let mut names = COMPARED.iter().chain([&PODS]);
    names.all(|name| allocatable.contains_key(*name))
}

fn takes_pods(node: &Node) -> bool {
    let pods = node.status.allocatable.get(PODS);
    pods.is_some_and(|pods| pods.value() > 0)
}

fn amounts_of_node(node: &Node) -> Amounts {
    COMPARED.map(|name| {
        let amount = node.status.allocatable.get(name);
        amount.map_or(0, |amount| demand::counted(name, demand::exact(amount)))
    })
}

/// Says that no node has what a pod asks for. What its devices take of a node comes on top.
fn larger_than_all(pod: &Pod, sizes: &BTreeSet<Amounts>, level: Level) -> Option<Message> {
    let devices = DeviceDemand::default();
    let asked = demand::of_waiting(pod, &devices, level);
    let asked = COMPARED.map(|name| {
        let amount = asked.get(name).copied().unwrap_or(0);
        demand::counted(name, amount)
    });
    let fits = |size: &Amounts| size.iter().zip(&asked).all(|(has, asked)| asked <= has);
    if sizes.iter().any(fits) {
        return None;
    }
    let pod = pod.metadata.full_name();
    if sizes.is_empty() {
        return Some(message!(
            "audit.nodes-take-no-pods",
            "pod {pod} fits on no node: each has room for 0 pods in `status.allocatable`",
            pod,
        ));
    }
    let spelled = |name: &str, amount: i128| spell(demand::nanos(name, amount));
    for (at, name) in COMPARED.into_iter().enumerate() {
        let wanted = asked.get(at).copied().unwrap_or(0);
        let all = sizes.iter().filter_map(|size| size.get(at).copied());
        let most = all.max().unwrap_or(0);
        if wanted > most {
            return Some(message!(
                "audit.pod-too-large",
                "pod {pod} asks for {wanted} of {resource}, and no node has more than {most}",
                pod,
                wanted = spelled(name, wanted),
                resource = name,
                most = spelled(name, most),
            ));
        }
    }
    let [cpu, memory] = asked;
    Some(message!(
        "audit.pod-too-large-together",
        "pod {pod} asks for {cpu} of cpu and {memory} of memory, and no node has both",
        pod,
        cpu = spelled("cpu", cpu),
        memory = spelled("memory", memory),
    ))
}

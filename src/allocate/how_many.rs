//! How often a pod fits into a cluster.

use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::objects::{
    Facts, NodeRequirement, NodeSelector, NodeSelectorTerm, PodSpec,
};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::allocator::quotas::{self, PodsLeft};
use claimkit_scheduler::scheduler::outcome::Simulation;
use claimkit_scheduler::scheduler::{MOST_PODS, Scheduler, expand};
use claimkit_values::order;
use serde::Serialize;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The field by which a node selector names nodes.
const NAME: &str = "metadata.name";
/// The numbers of pods that are tried, each if all before fit.
const SIZES: [usize; 3] = [16, 256, MOST_PODS];

/// How often a pod fits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HowMany {
    /// `namespace/name` of the pod, or of what makes its pods.
    pub pod: String,
    /// The number of its pods that get one of the nodes that are asked about.
    pub count: usize,
    /// True if more may fit: no more were tried.
    pub at_least: bool,
    /// True if another choice among nodes of the same score leads to another number.
    pub depends: bool,
    /// Those of the nodes that take some of them, in the order of the answer.
    pub nodes: Vec<PodsOnNode>,
    /// The quota that allows no more, where more would fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_by: Option<Message>,
    /// The pod of the answer that fits no more; absent with `atLeast`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// The number of pods that get a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PodsOnNode {
    /// The name of the node.
    pub node: String,
    /// The number of pods.
    pub count: usize,
}

/// A pod that is repeated.
pub struct Repeated {
    /// `namespace/name` of each copy.
    pub names: BTreeSet<String>,
    pod: String,
    at_least: bool,
    limited_by: Option<Message>,
}

/// Replaces the pod by as many as fit and one more. `facts`: before pods of workloads are made.
///
/// # Errors
/// There is no such pod, or it cannot be repeated.
pub fn repeat(
    facts: &mut Facts,
    pod: String,
    scheduler: &Scheduler<'_>,
) -> Result<Repeated, Message> {
    let mut count = 0;
    let mut at_least = true;
    for size in SIZES {
        count = fitting(facts.clone(), &pod, size, scheduler)?;
        if count < size {
            at_least = false;
            break;
        }
    }
    let allowed = allowed(facts, &pod).filter(|allowed| allowed.count < count);
    let wanted = match &allowed {
        Some(allowed) => allowed.count,
        None if at_least => count,
        None => count.saturating_add(1),
    };
    let limited_by = allowed.map(|allowed| {
        message!(
            "pods.quota-allows-no-more",
            "ResourceQuota {quota} allows no more {resource}",
            quota = allowed.quota,
            resource = allowed.resource
        )
    });
    let names = expand::repeat(facts, &pod, wanted)?.into_iter().collect();
    Ok(Repeated {
        pod,
        names,
        at_least: at_least && limited_by.is_none(),
        limited_by,
    })
}

/// Returns how many pods like one the quotas of its namespace allow: those that are there take some, the one itself among them if the
/// server has it.
fn allowed(facts: &Facts, name: &str) -> Option<PodsLeft> {
    let mut pods = facts.pods.iter();
    if let Some(pod) = pods.find(|pod| pod.metadata.full_name() == name) {
        let mut left = quotas::pods_left(facts, &pod.metadata.namespace, &pod.spec)?;
        let is_charged = pod.spec.node_name.is_empty() && !pod.metadata.uid.is_empty();
        left.count = left.count.saturating_add(usize::from(is_charged));
        return Some(left);
    }
    let mut workloads = facts.workloads.iter();
    let workload = workloads.find(|workload| workload.metadata.full_name() == name)?;
    let spec = &workload.spec.template.spec;
    quotas::pods_left(facts, &workload.metadata.namespace, spec)
}

/// Keeps a pod and its copies off all other nodes than these, as a required node affinity does. `name`: of the pod, or of what makes it.
pub fn keep_on(facts: &mut Facts, name: &str, nodes: &[String]) {
    for pod in &mut facts.pods {
        if pod.metadata.full_name() == name {
            keep_spec_on(&mut Rc::make_mut(pod).spec, nodes);
        }
    }
    for workload in &mut facts.workloads {
        if workload.metadata.full_name() == name {
            keep_spec_on(&mut Rc::make_mut(workload).spec.template.spec, nodes);
        }
    }
}

fn keep_spec_on(spec: &mut PodSpec, nodes: &[String]) {
    let required = &mut spec.affinity.node_affinity.required;
    let terms = match required.take() {
        Some(selector) => selector.node_selector_terms,
        None => vec![NodeSelectorTerm::default()],
    };
    let named = terms.iter().flat_map(|term| {
        nodes.iter().map(move |node| {
            let mut term = term.clone();
            // The API server takes one name in each requirement.
            term.match_fields.push(NodeRequirement {
                key: NAME.to_owned(),
                operator: "In".to_owned(),
                values: vec![node.clone()],
            });
            term
        })
    });
    *required = Some(NodeSelector {
        node_selector_terms: named.collect(),
    });
}

/// Returns the number of `size` copies that get a node.
fn fitting(
    mut facts: Facts,
    pod: &str,
    size: usize,
    scheduler: &Scheduler<'_>,
) -> Result<usize, Message> {
    let names = order::set(expand::repeat(&mut facts, pod, size)?);
    expand::expand(&mut facts, MOST_PODS);
    scheduler.store(&mut facts);
    scheduler.make_unmade_claims(&mut facts);
    let release = scheduler.target.release;
    PluginRules::of(release.minor, release.patch).apply_taint_rules(
        &mut facts,
        |name| scheduler.target.on(name),
        scheduler.engine,
    );
    let simulation = scheduler.place_once(&facts);
    let placed = simulation.pods.iter().filter(|outcome| outcome.has_node());
    let copies = placed.filter(|outcome| {
        let pod = facts.pods.get(outcome.pod);
        pod.is_some_and(|pod| names.contains(&pod.metadata.full_name()))
    });
    Ok(copies.count())
}

impl Repeated {
    /// Returns the answer about some nodes. `facts`: those that the simulation was about.
    pub fn answer(&self, facts: &Facts, simulation: &Simulation, nodes: &[usize]) -> HowMany {
        let mut told = HowMany {
            pod: self.pod.clone(),
            at_least: self.at_least,
            limited_by: self.limited_by.clone(),
            ..HowMany::default()
        };
        for outcome in &simulation.pods {
            let Some(pod) = facts.pods.get(outcome.pod) else {
                continue;
            };
            let name = pod.metadata.full_name();
            if !self.names.contains(&name) {
                continue;
            }
            told.depends |= outcome.fate_depends;
            let Some(at) = outcome.node() else {
                told.next = told.next.or(Some(name));
                continue;
            };
            if let Some(node) = facts.nodes.get(at).filter(|_| nodes.contains(&at)) {
                told.add(&node.metadata.name);
            }
        }
        told
    }
}

impl HowMany {
    /// Counts one more pod on a node.
    fn add(&mut self, node: &str) {
        self.count = self.count.saturating_add(1);
        match self.nodes.iter_mut().find(|known| known.node == node) {
            Some(known) => known.count = known.count.saturating_add(1),
            None => self.nodes.push(PodsOnNode {
                node: node.to_owned(),
                count: 1,
            }),
        }
    }
}

//! What kube-scheduler does with the pods of a cluster, one after another.
//!
//! | file | what |
//! |---|---|
//! | `expand.rs` | pods of workloads |
//! | `admission.rs` | pods as the server stores them, claims as the controllers make them |
//! | `release.rs` | what differs between releases |
//! | `prepared.rs`, `profile.rs` | facts with indexes; what a pod's spec means on every node |
//! | `state.rs` | pods on nodes, claims and counts, which change from pod to pod |
//! | `taints.rs`, `node_affinity.rs`, `ports.rs`, `resources.rs`, `topology_spread.rs`, `pod_affinity.rs`, `devices.rs` | the plugins |
//! | `labels.rs` | label selectors |
//! | `turn.rs`, `cycle.rs`, `scores.rs` | one attempt: filters, then scores |
//! | `preemption.rs` | what follows a failure |
//! | `gangs.rs` | pods that are scheduled together |
//! | `queue.rs` | the order of the pods |
//! | `message.rs` | the scheduler's message |
//! | `ties.rs` | whether a choice among equal nodes matters |
//! | `seen.rs`, `words.rs` | an attempt as an observer sees it, and reasons in words |
//! | `outcome.rs`, `commit.rs` | the result as data, and as facts |

pub mod admission;
mod commit;
mod cycle;
mod devices;
pub mod expand;
mod gangs;
mod labels;
mod message;
mod node_affinity;
pub mod outcome;
mod pod_affinity;
mod ports;
mod preemption;
mod prepared;
mod profile;
mod queue;
mod release;
mod resources;
mod same_devices;
mod scores;
pub mod seen;
mod state;
mod taints;
mod ties;
mod topology_spread;
mod turn;
mod words;

pub use commit::commit;
pub use devices::NOW;
pub use outcome::Simulation;
pub use prepared::has_ended;
pub use release::ReleaseRules;

use super::target::Target;
use crate::api::Release;
use crate::go::time::Time;
use crate::limits::Limits;
use crate::manifest::Input;
use crate::place::device::behaviour::{self, Behaviour};
use crate::place::device::cluster::Cluster;
use crate::place::device::engine::CelSelectors;
use crate::place::device::facts::Facts;
use crate::place::device::features::{Features, features_of};
use crate::place::device::plugin::PluginGates;
use crate::place::device::plugin_rules::PluginRules;
use crate::server::FieldValidation;
use crate::server::facts::{Gathering, PodsOfWorkloads};
use prepared::{Prepared, Setup};
use std::collections::BTreeMap;

/// Steps of a search for devices on one node.
const BUDGET: u64 = 100_000;
/// Maximum number of pods that are made for workloads.
pub const MOST_PODS: usize = 5_000;

/// A question to the scheduler, with its answer.
#[derive(Debug)]
pub struct Answered {
    /// The facts as the server stores them; indexes of the simulation refer to these.
    pub facts: Facts,
    /// The result of the simulation.
    pub simulation: Simulation,
    /// Claims that were made, a line of English each.
    pub made: Vec<String>,
}

/// The release and gates of a question.
#[derive(Clone, Debug)]
pub struct Question {
    /// The release and gates of the cluster.
    pub target: Target,
    /// The time, for devices that must be ready in time.
    pub now: Option<Time>,
}

impl Question {
    /// Makes a question about a release, or about the last one, with some gates set.
    ///
    /// # Errors
    /// A release without devices, or a gate that cannot be set.
    pub fn new(release: Option<Release>, gates: &BTreeMap<String, bool>) -> Result<Self, String> {
        Ok(Question {
            target: Target::new(release, gates)?,
            now: None,
        })
    }
}

/// Reads the objects of a text.
pub fn read(text: &str, release: Release, namespace: &str) -> Facts {
    let input = Input::read(text, Some(release), &Limits::default());
    let mut gathering = Gathering::new(release, namespace, FieldValidation::default());
    gathering.pods_of_workloads = PodsOfWorkloads::Later;
    gathering.take_all(&input);
    gathering.facts
}

/// Places all pods that wait: those of the facts and those of their workloads.
///
/// # Errors
/// No allocator supports the gates.
pub fn place(mut facts: Facts, question: &Question) -> Result<Answered, String> {
    let target = question.target;
    let on = |name: &str| target.on(name);
    let features = features_of(target.release.minor, on);
    let engine = CelSelectors::new(target.release, on("DRAListTypeAttributes"));
    let behaviour = behaviour::allocator(target.release.minor, target.release.patch, &features)
        .ok_or_else(|| behaviour::no_allocator(&features))?;
    let scheduler = Scheduler {
        target,
        now: question.now,
        budget: BUDGET,
        behaviour,
        features: &features,
        engine: &engine,
    };
    expand::expand(&mut facts, MOST_PODS);
    let made = scheduler.store(&mut facts);
    let mut tainted = facts.clone();
    PluginRules::of(target.release.minor, target.release.patch).apply_taint_rules(
        &mut tainted,
        on,
        &engine,
    );
    let simulation = scheduler.place(&tainted, None);
    Ok(Answered {
        facts,
        simulation,
        made,
    })
}

/// A scheduler of one release with its gates.
#[derive(Clone, Copy, Debug)]
pub struct Scheduler<'m> {
    /// The release and gates of the cluster.
    pub target: Target,
    /// The time, for devices that must be ready in time.
    pub now: Option<Time>,
    /// Steps of a search for devices on one node.
    pub budget: u64,
    /// The behavior of the allocator.
    pub behaviour: &'m Behaviour,
    /// The features of the allocator.
    pub features: &'m Features,
    /// Evaluates the selectors of devices.
    pub engine: &'m CelSelectors,
}

impl Scheduler<'_> {
    fn setup(&self) -> Setup {
        let target = self.target;
        let on = |name: &str| target.on(name);
        Setup {
            rules: ReleaseRules::of(target.release),
            plugin_rules: PluginRules::of(target.release.minor, target.release.patch),
            plugin_gates: PluginGates::of(on).at(self.now),
            groups: on("GenericWorkload"),
            group_claims: on("DRAWorkloadResourceClaims"),
            budget: self.budget,
        }
    }

    /// Makes new pods into stored ones, and the claims that they wait for. Returns a line of English for each claim.
    pub fn store(&self, facts: &mut Facts) -> Vec<String> {
        admission::store(facts, &self.setup())
    }

    /// Places the pods of stored facts that wait. Taint rules must have been applied. `watch` sees every attempt.
    pub fn place(&self, facts: &Facts, watch: Option<seen::Watch<'_>>) -> Simulation {
        let cluster = Cluster::new(facts, self.behaviour, self.features, self.engine);
        let mut prepared = Prepared::new(facts, cluster, self.setup());
        ties::simulate(&mut prepared, watch)
    }

    /// Does the same for one choice among nodes of the same score, which is faster.
    pub fn place_once(&self, facts: &Facts) -> Simulation {
        let cluster = Cluster::new(facts, self.behaviour, self.features, self.engine);
        ties::simulate_once(&mut Prepared::new(facts, cluster, self.setup()))
    }
}

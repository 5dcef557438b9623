//! What kube-scheduler does with the pods of a cluster, one after another.
//!
//! | file | what |
//! |---|---|
//! | `expand.rs` | pods of workloads |
//! | `admission.rs` | pods as the server stores them, claims as the controllers make them |
//! | `release.rs` | what differs between releases |
//! | `prepared.rs`, `profile.rs` | facts with indexes; what a pod's spec means on every node |
//! | `volume_index.rs` | the objects about volumes with indexes, and what was decided about them |
//! | `state.rs` | pods on nodes, claims and counts, which change from pod to pod |
//! | `pod_volumes.rs` | the volumes of a pod before any node |
//! | `taints.rs`, `node_affinity.rs`, `ports.rs`, `resources.rs`, `volumes.rs`, `volume_binding.rs`, `topology_spread.rs`, `pod_affinity.rs`, `devices.rs` | the plugins |
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
mod assumed_nodes;
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
mod pod_volumes;
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
mod volume_binding;
mod volume_index;
mod volumes;
mod words;

pub use commit::commit;
pub use devices::NOW;
pub use outcome::Simulation;
pub use pod_volumes::misses_volume_claim;
pub use prepared::has_ended;
pub use release::ReleaseRules;
pub use taints::evicting;

use super::target::Target;
use crate::allocator::behaviour::Behaviour;
use crate::allocator::cluster::Cluster;
use crate::allocator::created;
use crate::allocator::engine::CelSelectors;
use crate::allocator::features::Features;
use crate::allocator::objects::Facts;
use crate::allocator::plugin::PluginGates;
use crate::allocator::plugin_rules::PluginRules;
use claimkit_model::message::Message;
use claimkit_model::schema::Gate;
use claimkit_values::time::Time;
#[doc(hidden)]
pub use labels::AffinityRules;
use prepared::{Prepared, Setup};

/// Maximum number of pods that are made for workloads.
pub const MOST_PODS: usize = 5_000;

/// The first release whose pods name a PodGroup: those of the release before name a Workload.
const WITH_POD_GROUPS: u8 = 36;

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
            devices: on("DynamicResourceAllocation"),
            groups: target.release.minor >= WITH_POD_GROUPS && on("GenericWorkload"),
            gangs: on("GangScheduling") || !target.knows(Gate::GangScheduling),
            group_claims: on("DRAWorkloadResourceClaims"),
            budget: self.budget,
        }
    }

    /// Makes new pods into stored ones, and the claims that they wait for. Returns a line of English for each claim.
    pub fn store(&self, facts: &mut Facts) -> Vec<Message> {
        admission::store(facts, &self.setup())
    }

    /// Makes the claims for which stored pods wait. Returns a line of English if it makes any.
    pub fn make_unmade_claims(&self, facts: &mut Facts) -> Option<Message> {
        created::create_unmade_claims(facts, self.setup().plugin_rules.admin_label)
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

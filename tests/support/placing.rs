//! Pods placed by the scheduler alone, as `allocate` places them, without explanations.

use claimkit::apiserver::FieldValidation;
use claimkit::apiserver::facts::{Gathering, PodsOfWorkloads};
use claimkit::{Input, Limits, Release};
use claimkit_scheduler::allocator::behaviour;
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::features_of;
use claimkit_scheduler::allocator::objects::Facts;
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::scheduler::{MOST_PODS, Scheduler, Simulation, expand};
use claimkit_scheduler::target::Target;
use claimkit_values::time::Time;
use std::collections::BTreeMap;

/// Steps of a search for devices on one node.
const BUDGET: u64 = 100_000;

/// A question to the scheduler, with its answer.
#[derive(Debug)]
pub struct Answered {
    /// The facts as the server stores them; indexes of the simulation refer to these.
    pub facts: Facts,
    /// The result of the simulation.
    pub simulation: Simulation,
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
    scheduler.store(&mut facts);
    let mut tainted = facts.clone();
    PluginRules::of(target.release.minor, target.release.patch).apply_taint_rules(
        &mut tainted,
        on,
        &engine,
    );
    let simulation = scheduler.place(&tainted, None);
    Ok(Answered { facts, simulation })
}

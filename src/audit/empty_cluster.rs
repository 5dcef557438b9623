//! Whether the devices of a cluster would be enough for a claim if nobody held any of them.

use super::MOST_TRIALS;
use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::allocate::{Verdict, allocate};
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::objects::{Claim, ClaimRequest, ClaimSpec, Facts};
use claimkit_scheduler::allocator::pools::{Gatherer, NodePools};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Steps of a search for devices on one node.
const STEPS_ON_NODE: u64 = 20_000;

/// Why no node has the devices for a claim.
#[derive(Clone, Copy)]
pub enum Misfit {
    /// One has without its constraints.
    Constraints,
    /// One has for each of its requests, if that is alone.
    Together,
    /// Neither is so, or not known.
    Other,
}

impl Misfit {
    /// Says it of a claim or a template.
    pub fn message(self, asker: &str) -> Message {
        match self {
            Misfit::Constraints => message!(
                "audit.never-fits-constraints",
                "no node has the devices for {asker}, even when all of them are free: without its constraints one has",
                asker,
            ),
            Misfit::Together => message!(
                "audit.never-fits-together",
                "no node has the devices for {asker}, even when all of them are free: for each request alone one has",
                asker,
            ),
            Misfit::Other => message!(
                "audit.never-fits",
                "no node has the devices for {asker}, even when all of them are free",
                asker,
            ),
        }
    }
}

/// What the allocator answers on nodes whose devices are all free.
enum Fit {
    Fits,
    Never,
    /// There are no nodes, the search is too long, or it ends with an error.
    Unknown,
}

/// A cluster in which nobody holds a device. Each spec is judged once.
pub struct EmptyCluster<'c> {
    cluster: &'c Cluster<'c>,
    facts: Facts,
    /// By what a claim asks for: why no node has that; `None`: one has, or it is not known.
    known: BTreeMap<String, Option<Misfit>>,
    /// The number of devices that were looked at so far, and of steps of searches.
    trials: usize,
}

impl<'c> EmptyCluster<'c> {
    /// Frees all devices of a cluster and takes their taints away: both may change.
    pub fn of(cluster: &'c Cluster<'c>) -> Self {
        let mut facts = Facts {
            nodes: cluster.facts.nodes.clone(),
            classes: cluster.facts.classes.clone(),
            slices: cluster.facts.slices.clone(),
            layout: cluster.facts.layout.clone(),
            ..Facts::default()
        };
        for slice in &mut facts.slices {
            let mut devices = slice.spec.devices.iter();
            if devices.any(|device| !device.taints.is_empty()) {
                let devices = &mut Rc::make_mut(slice).spec.devices;
                devices.iter_mut().for_each(|device| device.taints.clear());
            }
        }
        EmptyCluster {
            cluster,
            facts,
            known: BTreeMap::new(),
            trials: 0,
        }
    }

    /// Returns why no node has the devices for a claim; `None`: one has, or it is not known.
    pub fn misfit(&mut self, spec: &ClaimSpec) -> Option<Misfit> {
        let asked = format!("{:?} {:?}", spec.devices.requests, spec.devices.constraints);
        if let Some(known) = self.known.get(&asked) {
            return *known;
        }
        let misfit = match self.fit(spec) {
            Fit::Never => Some(self.cause(spec)),
            Fit::Fits | Fit::Unknown => None,
        };
        self.known.insert(asked, misfit);
        misfit
    }

    /// Returns what keeps a claim from fitting that fits on no node.
    fn cause(&mut self, spec: &ClaimSpec) -> Misfit {
        let mut unconstrained = spec.clone();
        unconstrained.devices.constraints.clear();
        if !spec.devices.constraints.is_empty() && matches!(self.fit(&unconstrained), Fit::Fits) {
            return Misfit::Constraints;
        }
        let requests = &spec.devices.requests;
        let fits_alone = |request: &ClaimRequest| {
            let mut alone = unconstrained.clone();
            alone.devices.requests = vec![request.clone()];
            matches!(self.fit(&alone), Fit::Fits)
        };
        if requests.len() > 1 && requests.iter().all(fits_alone) {
            return Misfit::Together;
        }
        Misfit::Other
    }

    /// Asks the allocator on each node until one has the devices.
    fn fit(&mut self, spec: &ClaimSpec) -> Fit {
        let Cluster {
            behaviour,
            features,
            ..
        } = self.cluster;
        let engine = self.cluster.verdicts.engine;
        let claim = Claim {
            spec: spec.clone(),
            ..Claim::default()
        };
        let claims = [&claim];
        let cluster = Cluster::new(&self.facts, behaviour, features, engine);
        let gatherer = Gatherer::new(&cluster);
        let mut fit = Fit::Unknown;
        for node in 0..self.facts.nodes.len() {
            let gathered = gatherer.gather_near(node);
            let outcome = allocate(&cluster, node, &gathered, &claims, STEPS_ON_NODE);
            let steps = usize::try_from(outcome.steps).unwrap_or(usize::MAX);
            let devices = gathered
                .as_ref()
                .map_or(0, |pools| devices_in(&cluster, pools));
            self.trials = self.trials.saturating_add(devices).saturating_add(steps);
            fit = match outcome.verdict {
                Verdict::Allocated(_) => return Fit::Fits,
                Verdict::Nothing if self.trials <= MOST_TRIALS => Fit::Never,
                _ => return Fit::Unknown,
            };
        }
        fit
    }
}

/// Returns the number of devices that a node sees.
fn devices_in(cluster: &Cluster<'_>, pools: &NodePools<'_>) -> usize {
    let slices = pools.pools.iter().flat_map(|pool| &pool.devices);
    let counts = slices.filter_map(|at| Some(cluster.slice(*at)?.spec.devices.len()));
    counts.fold(0, usize::saturating_add)
}

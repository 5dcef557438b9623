//! One node, one group of pending claims: upstream's answer.

use super::cluster::Cluster;
use super::counting;
use super::objects::Claim;
use super::pools::NodePools;
use super::prepare::Attempt;
use super::results::{self, DeviceAllocation};
use super::search::Search;
use super::stop::Stop;

/// Steps of a search before devices are counted.
const STEPS_BEFORE_COUNTING: u64 = 2_000;

/// Upstream's answer for a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// One result per claim.
    Allocated(Vec<DeviceAllocation>),
    /// No devices found; there is no message.
    Nothing,
    /// An error that ends the attempt on all nodes.
    Fatal(String),
    /// An error of this node.
    OfNode(String),
    /// kube-scheduler would crash; its words.
    Panic(String),
    /// The step budget was too small.
    Undecided,
}

/// An answer, and what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct AllocationOutcome {
    pub verdict: Verdict,
    /// Steps of the search.
    pub steps: u64,
    /// Cost counted against a budget.
    pub cost: u64,
    pub picked: Vec<PickedAlternative>,
}

/// The alternative that was picked for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickedAlternative {
    /// Index of the claim.
    pub claim: usize,
    /// Index of the request.
    pub request: usize,
    /// Index of the sub-request.
    pub sub: usize,
}

impl AllocationOutcome {
    fn before_search(verdict: Verdict) -> Self {
        AllocationOutcome {
            verdict,
            steps: 0,
            cost: 0,
            picked: Vec::new(),
        }
    }
}

impl From<Stop> for Verdict {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Fatal(error) => Verdict::Fatal(error),
            Stop::OfNode(error) => Verdict::OfNode(error),
            Stop::Panic(words) => Verdict::Panic(words),
            Stop::Ended | Stop::TooMany => Verdict::Nothing,
            Stop::Undecided => Verdict::Undecided,
        }
    }
}

/// Allocates claims on a node whose pools were gathered. At most `budget` steps are taken.
pub fn allocate<'s>(
    cluster: &'s Cluster<'s>,
    node: usize,
    gathered: &'s Result<NodePools<'s>, String>,
    claims: &'s [&'s Claim],
    budget: u64,
) -> AllocationOutcome {
    let gathered = match gathered {
        Ok(gathered) => gathered,
        Err(error) => return AllocationOutcome::before_search(Verdict::Fatal(error.clone())),
    };
    let attempt = Attempt::new(cluster, node, &gathered.pools, claims);
    let prepared = match attempt.prepare() {
        Ok(prepared) => prepared,
        Err(stop) => return AllocationOutcome::before_search(stop.into()),
    };
    let mut search = Search::new(
        &attempt,
        prepared.clone(),
        budget.min(STEPS_BEFORE_COUNTING),
    );
    let mut found = search.run();
    if found == Err(Stop::Undecided) {
        if counting::surely_nothing(&attempt, &prepared) {
            found = Ok(false);
        } else if budget > STEPS_BEFORE_COUNTING {
            search = Search::new(&attempt, prepared, budget);
            found = search.run();
        }
    }
    let mut verdict = match found {
        Ok(true) => {
            results::build(&attempt, &search).map_or_else(Verdict::Fatal, Verdict::Allocated)
        }
        Ok(false) => Verdict::Nothing,
        Err(stop) => stop.into(),
    };
    let has_invalid_pool = gathered.pools.iter().any(|pool| pool.invalid.is_some());
    if verdict == Verdict::Nothing && cluster.behaviour.invalid_pools_reported && has_invalid_pool {
        verdict = Verdict::OfNode("invalid resource pools were encountered".to_owned());
    }
    AllocationOutcome {
        verdict,
        steps: search.steps,
        cost: search.cost(),
        picked: picked_alternatives(&search),
    }
}

fn picked_alternatives(search: &Search<'_, '_>) -> Vec<PickedAlternative> {
    let mut list = Vec::new();
    for ((claim, request), sub) in search.picked.iter() {
        list.push(PickedAlternative {
            claim: *claim,
            request: *request,
            sub: *sub,
        });
    }
    list
}

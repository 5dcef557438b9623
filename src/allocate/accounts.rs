//! What becomes of the pods and claims that a question is about, and why.

use super::asked::Asked;
use super::how_many::{HowMany, Repeated};
use super::in_turn::{self, InTurn};
use super::question::PlacementMode;
use claimkit_model::message::Message;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::objects::{Facts, Pod};
use claimkit_scheduler::allocator::plugin::{PluginGates, PodCase};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::explain;
use claimkit_scheduler::explain::account::PodAccount;
use claimkit_scheduler::scheduler::outcome::TieSearch;
use claimkit_scheduler::scheduler::{self, Scheduler};
use claimkit_values::order;
use std::collections::BTreeSet;

/// The accounts of pods and claims.
pub struct Accounts<'a> {
    pub asked: Asked<'a>,
    /// The pods of the text, and of what makes pods in it, that the cluster has already.
    pub kept: BTreeSet<String>,
    /// The pod that is repeated.
    pub repeated: Option<&'a Repeated>,
    pub scheduler: Scheduler<'a>,
    pub gates: PluginGates,
    /// The nodes that are asked about, by their index in the facts.
    pub nodes: &'a [usize],
}

/// The accounts, with facts found on the way.
pub struct Answered {
    pub pods: Vec<PodAccount>,
    /// The number of pods that wait and are not asked about.
    pub beside: usize,
    pub how_many: Option<HowMany>,
    pub ties: TieSearch,
    /// Some claims are not allocated yet.
    pub has_pending: bool,
}

impl Accounts<'_> {
    /// Places the pods and claims that are asked about, and explains what each gets.
    ///
    /// # Errors
    /// A pod or claim that does not exist.
    pub fn answer(&self, mode: PlacementMode, facts: &Facts) -> Result<Answered, Message> {
        match mode {
            PlacementMode::Alone => self.alone(facts),
            PlacementMode::InTurn => self.in_turn(facts),
        }
    }

    fn explain(&self, cluster: &Cluster<'_>, case: &PodCase<'_>) -> PodAccount {
        explain::explain_pod(cluster, case, self.nodes, self.asked.options.explain)
    }

    fn cluster<'f>(&self, facts: &'f Facts) -> Cluster<'f>
    where
        Self: 'f,
    {
        let Scheduler {
            behaviour,
            features,
            engine,
            ..
        } = self.scheduler;
        Cluster::new(facts, behaviour, features, engine)
    }

    fn rules(&self) -> &'static PluginRules {
        let release = self.scheduler.target.release;
        PluginRules::of(release.minor, release.patch)
    }

    /// Places each pod as if it were the only one.
    fn alone(&self, facts: &Facts) -> Result<Answered, Message> {
        let cluster = self.cluster(facts);
        let cases = self.asked.cases(&cluster, self.rules(), self.gates)?;
        let pods: Vec<PodAccount> = cases
            .iter()
            .map(|case| self.explain(&cluster, case))
            .collect();
        let has_pending = cases.iter().any(|case| !case.pending.is_empty());
        let waits = facts
            .pods
            .iter()
            .filter(|pod| pod.spec.node_name.is_empty() && !scheduler::has_ended(pod))
            .count();
        let explained = pods.iter().filter(|account| account.pod.is_some()).count();
        Ok(Answered {
            pods,
            beside: waits.saturating_sub(explained),
            how_many: None,
            ties: TieSearch::None,
            has_pending,
        })
    }

    /// Places all pods one after another, then the claims that no pod uses.
    fn in_turn(&self, facts: &Facts) -> Result<Answered, Message> {
        let named = self.named_pods(facts)?;
        let is_asked = |pod: &Pod| match &named {
            Some(names) => names.contains(&pod.metadata.full_name()),
            None => self.asked.has(&pod.metadata.full_name()) || self.asked.has_owner(pod),
        };
        let question = InTurn {
            scheduler: self.scheduler,
            gates: self.gates,
            nodes: self.nodes,
            explain: self.asked.options.explain,
            outcomes_only: self.asked.options.outcomes_only,
            asked: &is_asked,
        };
        let in_turn::Placed {
            mut pods,
            after,
            simulation,
        } = question.place(facts);
        let beside = simulation.pods.len().saturating_sub(pods.len());
        // A pod that does not wait is asked about by its name only, or as one of the text.
        self.add_settled(named.as_ref().unwrap_or(&self.kept), facts, &mut pods);
        if named.is_none() {
            let cluster = self.cluster(&after);
            let cases = self.asked.claims(&cluster, self.rules(), self.gates);
            pods.extend(cases.iter().map(|case| self.explain(&cluster, case)));
        }
        let has_pending = pods.iter().any(|pod| !pod.claims.is_empty());
        let how_many = self
            .repeated
            .map(|repeated| repeated.answer(facts, &simulation, self.nodes));
        Ok(Answered {
            pods,
            beside,
            how_many,
            ties: simulation.ties,
            has_pending,
        })
    }

    /// Returns the names of the pods that the question names: the copies of the one that is repeated, or what `pod` says.
    fn named_pods(&self, facts: &Facts) -> Result<Option<BTreeSet<String>>, Message> {
        match self.repeated {
            Some(repeated) => Ok(Some(repeated.names.clone())),
            None => self.asked.named(facts),
        }
    }

    /// Adds the accounts of pods that were not placed because they do not wait.
    fn add_settled(&self, names: &BTreeSet<String>, facts: &Facts, pods: &mut Vec<PodAccount>) {
        if names.is_empty() {
            return;
        }
        let placed = order::set(pods.iter().filter_map(|pod| pod.pod.clone()));
        let cluster = self.cluster(facts);
        for pod in &facts.pods {
            let name = pod.metadata.full_name();
            if !names.contains(&name) || placed.contains(&name) {
                continue;
            }
            let case = PodCase::new(&cluster, self.rules(), self.gates, pod);
            let mut account = self.explain(&cluster, &case);
            account.turn = Some(Box::new(in_turn::settled(pod)));
            pods.push(account);
        }
    }
}

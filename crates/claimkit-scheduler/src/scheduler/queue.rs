//! The order in which pods are tried, and what becomes of each.

use super::assumed_nodes;
use super::cycle::AttemptOutcome;
use super::devices::{self, BindError, DeviceCase};
use super::gangs;
use super::labels;
use super::outcome::{
    ClaimOutcome, ExtendedOutcome, Failure, GroupOutcome, Plugin, PodDecision, PodOutcome,
    Simulation, TieSearch, Unknown, Unsure, Waiting,
};
use super::pod_volumes::{self, PodVolumes};
use super::preemption;
use super::prepared::{Prepared, has_ended};
use super::seen::{Seen, Watch};
use super::state::State;
use super::topology_spread;
use super::turn::{PodAttempt, Post};
use super::volume_binding::{self, VolumePlan};
use crate::allocator::objects::{Claim, DEFAULT_SCHEDULER, Pod, PodGroup};
use crate::allocator::plugin::NodeAnswer;
use crate::allocator::sorted::{Set, Sorted, ordered};
use crate::allocator::usage::DevicesInUse;
use claimkit_model::message::{Message, Template};
use claimkit_values::order;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A pod, or a group of pods, that is tried at once.
#[derive(Clone, Debug)]
enum Entry {
    Pod(usize),
    Group(usize, Vec<usize>),
}

/// Takes one of several nodes of the same score.
pub type NodeChoice<'r> = Box<dyn FnMut(&[usize]) -> usize + 'r>;

/// A run of the scheduler over all pods that wait.
pub struct SchedulerRun<'r, 'f> {
    prepared: &'r mut Prepared<'f>,
    state: State,
    outcomes: Vec<PodOutcome>,
    groups: Vec<GroupOutcome>,
    /// Picks one of several nodes of the same score.
    choose: NodeChoice<'r>,
    watch: Option<Watch<'r>>,
    /// The last failure, and what it holds for.
    last: Option<(Alike, Rc<Failure>)>,
    /// By pod: the claims of a failed attempt, as they were after it; only of pods that share claims.
    failed_with: Vec<Vec<(usize, Rc<Claim>)>>,
    /// The pods that got a node, in their order.
    placed: Vec<usize>,
    /// The pods that got volumes which were there.
    with_volumes: Set<usize>,
    /// Those of the placed pods whose devices or volumes are not ready: the server does not know their nodes yet.
    preparing: Set<usize>,
    /// How many claims were given back.
    freed: usize,
    /// Pods whose nodes were given back because of an error after the placement.
    given_up: Vec<usize>,
    /// Those of the present round: such an error comes later than the attempts of the others.
    giving_up: Vec<usize>,
    /// By pod: what had happened when its last attempt failed.
    failed_after: BTreeMap<usize, Happened>,
    /// The order of pods that were tried before and have one priority.
    retried: Retried,
    /// Pods whose last attempt ended with an error before they had a node.
    errors: Vec<usize>,
    /// Groups that gave claims back, with their pods: they are tried again.
    to_retry: Vec<(usize, Vec<usize>)>,
    /// Groups that were among them.
    retried_groups: Vec<usize>,
}

/// The order in which pods of one priority are tried again. The scheduler takes the one first whose last attempt is the oldest, and
/// objects do not tell when that was (kube-scheduler, `pkg/scheduler/framework/plugins/queuesort/priority_sort.go`, `Less`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retried {
    /// The one that was created first comes first.
    #[default]
    ByAge,
    /// The one that was created last comes first, to see whether the order matters.
    Reversed,
}

/// The properties that two pods must share to fail for the same reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Alike {
    version: u64,
    profile: usize,
    priority: i64,
    pod: usize,
    demand: Option<usize>,
}

/// Whether plugins act after a failed attempt, and may end other pods.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PostFilter {
    Run,
    /// Claims that can be given back are named: a group gives them back if it does not start.
    OnlyClaims,
    Skip,
}

/// The effects of a placement.
struct Placement {
    placed: Placed,
    extended: Option<ExtendedOutcome>,
}

/// The outcome of a placement.
enum Placed {
    Bound,
    Preparing {
        /// The claims for which volumes are made.
        volumes: Vec<usize>,
    },
    Failed(BindError),
}

impl<'r, 'f> SchedulerRun<'r, 'f> {
    /// Makes a run from a state.
    pub fn new(
        prepared: &'r mut Prepared<'f>,
        state: State,
        choose: NodeChoice<'r>,
        watch: Option<Watch<'r>>,
    ) -> Self {
        let failed_with = vec![Vec::new(); prepared.facts.pods.len()];
        SchedulerRun {
            prepared,
            state,
            outcomes: Vec::new(),
            groups: Vec::new(),
            choose,
            watch,
            last: None,
            failed_with,
            placed: Vec::new(),
            with_volumes: Set::default(),
            preparing: Set::default(),
            freed: 0,
            given_up: Vec::new(),
            giving_up: Vec::new(),
            failed_after: BTreeMap::new(),
            retried: Retried::default(),
            errors: Vec::new(),
            to_retry: Vec::new(),
            retried_groups: Vec::new(),
        }
    }

    /// Sets the order of pods that were tried before.
    pub fn retried(mut self, retried: Retried) -> Self {
        self.retried = retried;
        self
    }

    /// Tries all pods that wait; pods that others may have helped are tried again.
    pub fn all(mut self) -> Simulation {
        for entry in self.queue() {
            self.turn(&entry);
        }
        self.retry_errors();
        let mut rounds = self.outcomes.len();
        while rounds > 0 && self.again() {
            rounds = rounds.saturating_sub(1);
        }
        self.finish()
    }

    /// Returns the waiting pods in the queue's order: priority, then age; pods that were tried before come after the new ones.
    fn queue(&mut self) -> Vec<Entry> {
        let facts = self.prepared.facts;
        let mut waiting: Vec<usize> = Vec::new();
        let mut held_back: Sorted<usize, usize> = Sorted::new();
        for (at, pod) in facts.pods.iter().enumerate() {
            if has_ended(pod) || !pod.spec.node_name.is_empty() {
                continue;
            }
            let group = gangs::group_at(self.prepared, pod)
                .filter(|_| self.prepared.setup.rules.groups_held_back);
            let decision = kept_out(self.prepared, pod).or_else(|| {
                let missing = devices::claims_of(self.prepared, &self.state, pod).err()?;
                group.map(|_| PodDecision::NotConsidered(Waiting::Claim(missing)))
            });
            match decision {
                Some(decision) => {
                    let is_own = matches!(
                        decision,
                        PodDecision::Gated | PodDecision::NotConsidered(Waiting::Claim(_))
                    );
                    if let Some(group) = group.filter(|_| is_own) {
                        held_back.insert(group, at);
                    }
                    self.record(at, decision, Vec::new(), None);
                }
                None => waiting.push(at),
            }
        }
        waiting.retain(|at| {
            let pod = facts.pods.get(*at);
            let group = pod.and_then(|pod| gangs::group_at(self.prepared, pod));
            let Some((group, other)) = group.and_then(|at| Some((at, *held_back.get(&at)?))) else {
                return true;
            };
            let name = facts.pod_groups.get(group);
            let waiting = Waiting::Member {
                group: name.map_or_else(String::new, |group| group.metadata.name.clone()),
                pod: other,
            };
            self.record(*at, PodDecision::NotConsidered(waiting), Vec::new(), None);
            false
        });
        self.entries(self.sorted(&waiting))
    }

    /// Sorts pods that wait: new ones first, then by priority, then by age.
    fn sorted(&self, waiting: &[usize]) -> Vec<usize> {
        let pods = &self.prepared.facts.pods;
        let mut sorted = ordered(waiting, &|a, b| {
            let first = pods.get(*a).map(|pod| QueueKey::of(pod));
            let second = pods.get(*b).map(|pod| QueueKey::of(pod));
            first.cmp(&second)
        });
        if self.retried == Retried::Reversed {
            sorted
                .chunk_by_mut(|a, b| match (pods.get(*a), pods.get(*b)) {
                    (Some(a), Some(b)) => are_retried_alike(a, b),
                    _ => false,
                })
                .for_each(<[usize]>::reverse);
        }
        sorted
    }

    /// Makes entries of the queue: the pods of a group have the place of the first of them, or that of the group's own priority.
    fn entries(&self, sorted: Vec<usize>) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        for pod in sorted {
            let group = self
                .prepared
                .facts
                .pods
                .get(pod)
                .and_then(|facts| gangs::group_at(self.prepared, facts));
            match group {
                None => entries.push(Entry::Pod(pod)),
                Some(group) => {
                    let known = entries.iter_mut().find_map(|entry| match entry {
                        Entry::Group(known, pods) if *known == group => Some(pods),
                        _ => None,
                    });
                    match known {
                        Some(pods) => pods.push(pod),
                        None => entries.push(Entry::Group(group, vec![pod])),
                    }
                }
            }
        }
        if self.prepared.setup.rules.groups_have_priority
            && entries
                .iter()
                .any(|entry| matches!(entry, Entry::Group(..)))
        {
            order::sort_by(&mut entries, |a, b| self.key_of(a).cmp(&self.key_of(b)));
        }
        entries
    }

    /// Returns the place of an entry: that of its pod, or of the first pod of a group with the group's own priority.
    fn key_of(&self, entry: &Entry) -> Option<QueueKey<'f>> {
        let facts = self.prepared.facts;
        let (first, group) = match entry {
            Entry::Pod(pod) => (Some(pod), None),
            Entry::Group(group, pods) => (pods.first(), facts.pod_groups.get(*group)),
        };
        let mut key = QueueKey::of(facts.pods.get(*first?)?);
        if let Some(group) = group {
            key.priority = Reverse(gangs::priority(facts, group));
        }
        Some(key)
    }

    fn turn(&mut self, entry: &Entry) {
        match entry {
            Entry::Pod(pod) => self.single(*pod),
            Entry::Group(group, pods) => self.try_group(*group, pods),
        }
    }

    /// Tries pods again whose attempts ended with errors: the scheduler does so after a pause, when the others were tried.
    fn retry_errors(&mut self) {
        for pod in std::mem::take(&mut self.errors) {
            self.single(pod);
        }
    }

    /// Tries again what a placement may have helped. `false`: nothing changed.
    fn again(&mut self) -> bool {
        let version = self.state.version;
        self.given_up.append(&mut self.giving_up);
        let hopeful: Vec<usize> = self
            .outcomes
            .iter()
            .filter(|outcome| self.may_be_helped(outcome))
            .map(|outcome| outcome.pod)
            .collect();
        for pod in hopeful {
            self.single(pod);
        }
        for (group, pods) in std::mem::take(&mut self.to_retry) {
            self.group_again(group, &pods);
        }
        self.retry_errors();
        self.state.version != version
    }

    fn may_be_helped(&self, outcome: &PodOutcome) -> bool {
        let Some(pod) = self.prepared.facts.pods.get(outcome.pod) else {
            return false;
        };
        let Some(PodDecision::Unschedulable(failure)) = outcome.decisions.last() else {
            return false;
        };
        if gangs::group_at(self.prepared, pod).is_some() || failure.nominated.is_some() {
            return false;
        }
        let before = self.failed_after.get(&outcome.pod).copied();
        let since = self.since(before.unwrap_or_default());
        // A claim that is given back is an event, too (`dynamicresources.go`, `isSchedulableAfterClaimChange`).
        failure.freed.is_some()
            || failure.is_by(Plugin::NodeResourcesFit) && !since.given_up.is_empty()
            || failure.is_by(Plugin::VolumeBinding) && self.has_bound_volume(&since)
            || failure.is_by(Plugin::InterPodAffinity) && self.meets_affinity(outcome.pod, &since)
            || failure.is_by(Plugin::PodTopologySpread) && self.changes_spread(pod, &since)
            || failure.is_by(Plugin::DynamicResources)
                && (since.freed || self.a_claim_changed_for(outcome.pod))
    }

    fn since(&self, before: Happened) -> Since<'_> {
        Since {
            placed: self.placed.get(before.placed..).unwrap_or_default(),
            given_up: self.given_up.get(before.given_up..).unwrap_or_default(),
            freed: self.freed > before.freed,
        }
    }

    /// Returns the pods that got a node and are bound to it.
    fn bound<'s>(&'s self, since: &'s Since<'_>) -> impl Iterator<Item = &'s Pod> {
        let bound = since.placed.iter();
        bound
            .filter(|at| !self.preparing.contains(at))
            .filter_map(|at| self.prepared.facts.pods.get(*at))
            .map(|pod| &**pod)
    }

    /// Returns true if a volume was bound to a claim (`volume_binding.go`, `EventsToRegister`).
    fn has_bound_volume(&self, since: &Since<'_>) -> bool {
        let mut placed = since.placed.iter();
        placed.any(|pod| self.with_volumes.contains(pod))
    }

    /// Returns true if a pod that got a node meets the affinity of a pod (`isSchedulableAfterAssignedPodChange` of InterPodAffinity).
    fn meets_affinity(&self, pod: usize, since: &Since<'_>) -> bool {
        let rules = self.prepared.affinity(pod);
        let near = rules.map_or(&[][..], |rules| &rules.near);
        self.bound(since)
            .any(|other| labels::match_all(near, self.prepared.facts, &other.metadata))
    }

    /// Returns true if the spread of a pod counts one that got a node (`isSchedulableAfterAssignedPodChange` of PodTopologySpread), or one
    /// whose node was given back: that is an event as if the pod there was deleted (`schedule_one.go`, `handleBindingCycleError`).
    fn changes_spread(&self, pod: &Pod, since: &Since<'_>) -> bool {
        let pods = &self.prepared.facts.pods;
        let mut given_up = since.given_up.iter().filter_map(|at| pods.get(*at));
        given_up.any(|other| topology_spread::counts(pod, other))
            || self
                .bound(since)
                .any(|other| topology_spread::counts(pod, other))
    }

    /// Returns true if a claim of a pod has changed since its attempt failed.
    fn a_claim_changed_for(&self, pod: usize) -> bool {
        let Some(claims) = self.failed_with.get(pod) else {
            return false;
        };
        claims.iter().any(|(at, then)| {
            let now = self.state.claims.get(*at);
            now.is_some_and(|now| now.status != then.status)
        })
    }

    /// Tries a pod on its own.
    fn single(&mut self, pod: usize) {
        let Some(facts) = self.prepared.facts.pods.get(pod) else {
            return;
        };
        let claims = match devices::claims_of(self.prepared, &self.state, facts) {
            Ok(claims) => claims,
            Err(reason) => {
                self.record(
                    pod,
                    PodDecision::NotConsidered(Waiting::Claim(reason)),
                    Vec::new(),
                    None,
                );
                return;
            }
        };
        let mut alike = self.alike(pod, &claims);
        if let Some((known, failure)) = &self.last
            && Some(known) == alike.as_ref()
        {
            if !self.is_asked_instead_of(pod, known.pod) {
                let decision = PodDecision::Unschedulable(failure.clone());
                self.record(pod, decision, Vec::new(), None);
                return;
            }
            // This pod stands for the equal ones from now on.
            alike = alike.map(|alike| Alike { pod, ..alike });
        }
        let unknown = pod_volumes::unknown(self.prepared, facts);
        let post_filter = if unknown.is_some() {
            PostFilter::Skip
        } else {
            PostFilter::Run
        };
        let (attempt, post) = self.attempt(pod, &claims, post_filter);
        match attempt {
            AttemptOutcome::Fits { node, tied, unsure } => {
                match unknown.or_else(|| assumed_nodes::unknown(self.prepared, pod, node)) {
                    Some(unknown) => {
                        self.record(pod, PodDecision::NotKnown(unknown), Vec::new(), None);
                    }
                    None => {
                        self.take(pod, node, tied, unsure, &claims);
                    }
                }
            }
            AttemptOutcome::Fails(mut fails) => {
                if unknown.is_some() {
                    fails.unsure = fails.unsure.or(Some(Unsure::Volumes));
                }
                let is_error = fails.is_error;
                let failure = Rc::new(fails.failure(post.unwrap_or_default()));
                self.fail_single(pod, &claims, &failure, is_error);
                // Equal pods fail alike only if this failure changes nothing.
                let is_harmless = failure.nominated.is_none() && failure.freed.is_none();
                if let Some(alike) = alike
                    && is_harmless
                    && !is_error
                {
                    self.last = Some((alike, failure));
                }
            }
        }
    }

    /// Remembers the claims of a pod that failed, as they are now, if others may share them.
    fn remember_claims(&mut self, pod: usize, claims: &[usize]) {
        let Some(facts) = self.prepared.facts.pods.get(pod) else {
            return;
        };
        let mut entries = facts.spec.resource_claims.iter();
        if entries.any(|entry| entry.resource_claim_name.is_some())
            && let Some(failed_with) = self.failed_with.get_mut(pod)
        {
            *failed_with = claims
                .iter()
                .filter_map(|at| Some((*at, self.state.claims.get(*at)?.clone())))
                .collect();
        }
    }

    /// Returns true if `pod` is asked about and `other` is not.
    fn is_asked_instead_of(&self, pod: usize, other: usize) -> bool {
        self.is_asked(pod) && !self.is_asked(other)
    }

    fn is_asked(&self, pod: usize) -> bool {
        match (&self.watch, self.prepared.facts.pods.get(pod)) {
            (Some(watch), Some(pod)) => (watch.asked)(pod),
            _ => false,
        }
    }

    /// Returns the properties that a pod without rules about other pods shares with others; `None` where this is unknown.
    fn alike(&self, pod: usize, claims: &[usize]) -> Option<Alike> {
        let facts = self.prepared.facts.pods.get(pod)?;
        let plain = !self.prepared.has_affinity(pod)
            && facts.spec.topology_spread_constraints.is_empty()
            && self.state.with_affinity.is_empty()
            && self.state.nominated.is_empty()
            && !pod_volumes::has_any(facts)
            && claims.len() == facts.spec.resource_claims.len();
        // Claims of the pod's own from one template are alike unless the template was made anew in between.
        let of_template = facts
            .spec
            .resource_claims
            .iter()
            .all(|entry| entry.resource_claim_template_name.is_some());
        let known = self.last.as_ref().map(|(alike, _)| alike.pod);
        let before = known.and_then(|before| self.prepared.facts.pods.get(before));
        let same = before.is_some_and(|before| {
            before.metadata.namespace == facts.metadata.namespace
                && before.spec.preemption_policy == facts.spec.preemption_policy
                && template_names(before).eq(template_names(facts))
                && self.ask_alike(before, claims)
        });
        let unallocated = claims.iter().all(|at| {
            self.state
                .claims
                .get(*at)
                .is_some_and(|claim| claim.status.allocation.is_none())
                && self.prepared.facts.claims.get(*at).is_some()
        });
        (plain && of_template && unallocated).then(|| Alike {
            version: self.state.version,
            profile: self.prepared.profile_at(pod),
            priority: facts.spec.effective_priority(),
            pod: if same { known.unwrap_or(pod) } else { pod },
            demand: None,
        })
    }

    /// Returns true if the claims of a pod have the specs of these.
    fn ask_alike(&self, pod: &Pod, claims: &[usize]) -> bool {
        let Ok(own) = devices::claims_of(self.prepared, &self.state, pod) else {
            return false;
        };
        let spec_at = |at: &usize| self.state.claims.get(*at).map(|claim| &claim.spec);
        own.iter().map(spec_at).eq(claims.iter().map(spec_at))
    }

    /// Makes one attempt.
    fn attempt(
        &mut self,
        pod: usize,
        claims: &[usize],
        post: PostFilter,
    ) -> (AttemptOutcome, Option<Post>) {
        let held = self.claims_at(claims);
        let prepared = &*self.prepared;
        let Some(facts) = prepared.facts.pods.get(pod) else {
            return (nothing(), None);
        };
        let asks = !claims.is_empty() || prepared.setup.plugin_gates.extended_resource;
        let devices =
            asks.then(|| DeviceCase::new(prepared, &self.state, pod, facts, claims, &held));
        let Some(mut turn) = PodAttempt::new(prepared, &mut self.state, pod, devices) else {
            return (nothing(), None);
        };
        let attempt = turn.attempt(prepared, &mut self.state, &mut self.choose);
        if let Some(watch) = &mut self.watch {
            (watch.see)(&Seen::new(prepared, &self.state, &turn, &attempt));
        }
        let after = match &attempt {
            AttemptOutcome::Fails(fails) => match post {
                PostFilter::Run => Some(preemption::post_filter(
                    prepared,
                    &mut self.state,
                    &mut turn,
                    fails,
                )),
                PostFilter::OnlyClaims => Some(preemption::claims_to_free(prepared, &turn, fails)),
                PostFilter::Skip => None,
            },
            AttemptOutcome::Fits { .. } => None,
        };
        (attempt, after)
    }

    fn claims_at(&self, indexes: &[usize]) -> Vec<Rc<Claim>> {
        let claims = indexes.iter().filter_map(|at| self.state.claims.get(*at));
        claims.cloned().collect()
    }

    /// Puts a pod on a node with its devices. Returns true if it stays there.
    fn take(
        &mut self,
        pod: usize,
        node: usize,
        tied: Vec<usize>,
        unsure: Option<Unsure>,
        claims: &[usize],
    ) -> bool {
        let Placement { placed, extended } = self.place(pod, node, claims);
        let decision = match placed {
            Placed::Bound => PodDecision::Bound { node, tied },
            Placed::Preparing { volumes } => {
                self.preparing.insert(pod);
                PodDecision::Preparing {
                    node,
                    tied,
                    volumes,
                }
            }
            Placed::Failed(BindError { text, help }) => {
                self.giving_up.push(pod);
                PodDecision::Error(Rc::new(Failure {
                    message: format!("running PreBind plugin \"DynamicResources\": {text}"),
                    help: help.map(Template::text),
                    ..Failure::default()
                }))
            }
        };
        let stays = !matches!(decision, PodDecision::Error(_));
        if stays {
            self.placed.push(pod);
        }
        self.record(pod, decision, unsure.into_iter().collect(), extended);
        stays
    }

    fn place(&mut self, pod: usize, node: usize, claims: &[usize]) -> Placement {
        let answer = self.ask_for_devices(pod, node, claims);
        let plan = self.volumes(pod, node);
        let footprint = answer
            .as_ref()
            .and_then(|answer| answer.footprint.as_deref());
        let statuses = footprint.map_or_else(Vec::new, |footprint| footprint.statuses.clone());
        self.state
            .nominated
            .retain(|(nominated, _)| *nominated != pod);
        self.state.place(self.prepared, pod, node);
        let reserved = devices::reserve(self.prepared, &mut self.state, pod, claims, answer, node);
        if let Some(error) = reserved.error {
            self.state.remove(self.prepared, pod);
            return Placement {
                placed: Placed::Failed(error),
                extended: None,
            };
        }
        devices::assume(self.prepared, &mut self.state, pod, node, statuses);
        plan.carry_out(&mut self.state.volumes, node);
        if plan.binds_any() {
            self.with_volumes.insert(pod);
        }
        let volumes: Vec<usize> = plan.to_provision().collect();
        let placed = if reserved.waits || !volumes.is_empty() {
            Placed::Preparing { volumes }
        } else {
            Placed::Bound
        };
        Placement {
            placed,
            extended: reserved.extended,
        }
    }

    /// Asks the plugin for devices about the node that a pod gets.
    fn ask_for_devices(&self, pod: usize, node: usize, claims: &[usize]) -> Option<NodeAnswer> {
        let prepared = &*self.prepared;
        if claims.is_empty() && !prepared.setup.plugin_gates.extended_resource {
            return None;
        }
        let facts = prepared.facts.pods.get(pod)?;
        let held = self.claims_at(claims);
        let case = DeviceCase::new(prepared, &self.state, pod, facts, claims, &held);
        if case.is_skipped() {
            None
        } else {
            case.ask(prepared, node)
        }
    }

    /// Returns the volumes that a pod gets on a node that takes it.
    fn volumes(&self, pod: usize, node: usize) -> VolumePlan {
        let volumes = PodVolumes::of(self.prepared, &self.state, pod);
        volumes
            .and_then(|own| volume_binding::plan(self.prepared, &self.state, &own, node).ok())
            .unwrap_or_default()
    }

    fn give_back(&mut self, claim: usize) {
        devices::free(self.prepared, &mut self.state, claim);
        self.freed = self.freed.saturating_add(1);
    }

    /// Does what the plugins decided after a failure.
    fn after(&mut self, pod: usize, failure: &Failure) {
        if let Some(claim) = failure.freed {
            self.give_back(claim);
        }
        for victim in &failure.victims {
            self.state.end(self.prepared, *victim);
        }
        if let Some(node) = failure.nominated {
            self.state
                .nominated
                .retain(|(nominated, _)| *nominated != pod);
            self.state.nominated.push((pod, node));
            self.state.version = self.prepared.next_version();
        }
    }

    /// Returns why it is not known whether a pod gets a node, whatever the node.
    fn unknown_on_any(&self, pod: usize) -> Option<Unknown> {
        let facts = self.prepared.facts.pods.get(pod)?;
        let mut nodes = 0..self.prepared.facts.nodes.len();
        pod_volumes::unknown(self.prepared, facts)
            .or_else(|| nodes.find_map(|node| assumed_nodes::unknown(self.prepared, pod, node)))
    }

    /// Tries the pods of a group one after another; if too few find a node, none is placed.
    fn try_group(&mut self, group: usize, pods: &[usize]) {
        let Some(facts) = self.prepared.facts.pod_groups.get(group) else {
            return;
        };
        let unknown = pods.iter().find_map(|pod| self.unknown_on_any(*pod));
        if let Some(unknown) = unknown {
            return self.record_unknown(pods, &unknown);
        }
        if let Some(mismatch) = gangs::mismatch(self.prepared, group, pods) {
            return self.refuse_group(group, pods, mismatch);
        }
        let rules = self.prepared.setup.rules;
        let before = self.snapshot();
        let mut trial = GroupTrial {
            group,
            facts,
            pods,
            need: gangs::min_count(self.prepared, facts).or(rules.groups_are_named.then_some(1)),
            recorded: self.outcomes.len(),
            progress: gangs::Progress {
                scheduled: gangs::with_nodes(self.prepared, group).count(),
                unschedulable: 0,
                remaining: pods.len(),
                is_seen_by_devices: false,
            },
            given_back: GivenBack::default(),
        };
        match self.try_members(&mut trial) {
            Ok(()) => self.groups.push(GroupOutcome {
                group,
                refused: None,
            }),
            Err(failure) => {
                let failure = self.adjust_unseen(&trial, failure);
                self.restore(before);
                self.fail_group(trial, &failure);
            }
        }
    }

    fn record_unknown(&mut self, pods: &[usize], unknown: &Unknown) {
        for pod in pods {
            let decision = PodDecision::NotKnown(unknown.clone());
            self.record(*pod, decision, Vec::new(), None);
        }
    }

    fn snapshot(&self) -> Snapshot<'f> {
        Snapshot {
            state: self.state.clone(),
            usage: self.prepared.cluster.usage.clone(),
            assumed: self.prepared.cluster.assumed.clone(),
        }
    }

    fn restore(&mut self, snapshot: Snapshot<'f>) {
        self.state = snapshot.state;
        self.prepared.cluster.usage = snapshot.usage;
        self.prepared.cluster.assumed = snapshot.assumed;
        self.state.version = self.prepared.next_version();
    }

    /// Tries the pods of a group until it cannot start any more.
    fn try_members(&mut self, trial: &mut GroupTrial<'_>) -> Result<(), GroupFailure> {
        let scheduled_before = trial.progress.scheduled;
        for pod in trial.pods {
            trial.progress.remaining = trial.progress.remaining.saturating_sub(1);
            self.try_member(*pod, trial)?;
        }
        if trial.progress.scheduled == scheduled_before && trial.progress.unschedulable > 0 {
            return Err(GroupFailure::unschedulable(
                gangs::NONE_SCHEDULED.to_owned(),
            ));
        }
        Ok(())
    }

    /// Replaces the failure of a group by the plugin's own error if the plugin for devices saw none of its pods.
    fn adjust_unseen(&self, trial: &GroupTrial<'_>, failure: GroupFailure) -> GroupFailure {
        let setup = &self.prepared.setup;
        let asks_devices = setup.rules.group_policy_counts && setup.devices;
        if !asks_devices || failure.is_error || trial.progress.is_seen_by_devices {
            return failure;
        }
        let reason = self.first_message_since(trial.recorded);
        GroupFailure {
            text: gangs::GROUP_UNSEEN.to_owned(),
            is_error: true,
            help: reason.map(gangs::behind_unseen),
        }
    }

    /// Records why a group does not start. Where claims are given back, the group is tried again.
    fn fail_group(&mut self, trial: GroupTrial<'_>, failure: &GroupFailure) {
        let messages = self.group_messages(&trial, failure);
        let unsure = self.unsure_of_group(&trial, failure.is_error);
        self.record_group_failure(&trial, &messages, failure.is_error, &unsure);
        self.groups.push(GroupOutcome {
            group: trial.group,
            refused: Some(messages.of_group),
        });
        if !failure.is_error {
            self.retry_group(trial);
        }
    }

    fn group_messages(&self, trial: &GroupTrial<'_>, failure: &GroupFailure) -> GroupMessages {
        let rules = self.prepared.setup.rules;
        let GroupFailure { text, is_error, .. } = failure;
        let name = trial.facts.metadata.name.as_str();
        let of_group = if *is_error {
            text.clone()
        } else {
            let is_barred = self.may_preempt_none(trial.pods);
            format!("{text}, {}", gangs::after_failure(is_barred))
        };
        GroupMessages {
            to_tried: gangs::message_to_pod(name, &of_group, *is_error, rules),
            to_untried: gangs::message_to_untried(name, text, *is_error, rules),
            of_group,
            help: failure.help.clone(),
        }
    }

    /// Gives the claims of a failed group back and has it tried again, once.
    fn retry_group(&mut self, trial: GroupTrial<'_>) {
        if trial.given_back.claims.is_empty() || self.retried_groups.contains(&trial.group) {
            return;
        }
        self.retried_groups.push(trial.group);
        for claim in trial.given_back.claims {
            self.give_back(claim);
        }
        self.to_retry.push((trial.group, trial.pods.to_vec()));
    }

    /// Returns the first message of the pods that failed. `recorded`: the number of outcomes before them.
    fn first_message_since(&self, recorded: usize) -> Option<&str> {
        let outcomes = self.outcomes.get(recorded..)?;
        outcomes
            .iter()
            .find_map(|outcome| match outcome.decisions.last() {
                Some(PodDecision::Unschedulable(failure)) => Some(failure.message.as_str()),
                _ => None,
            })
    }

    /// Records that no pod of a group is tried.
    fn refuse_group(&mut self, group: usize, pods: &[usize], mismatch: gangs::Mismatch) {
        let gangs::Mismatch { text, help } = mismatch;
        let failure = Rc::new(Failure {
            message: text.clone(),
            help,
            ..Failure::default()
        });
        for pod in pods {
            let decision = PodDecision::Error(Rc::clone(&failure));
            self.record(*pod, decision, Vec::new(), None);
        }
        self.groups.push(GroupOutcome {
            group,
            refused: Some(text),
        });
    }

    /// Tries the pods of a group again; what they were told before stays before what they are told now.
    fn group_again(&mut self, group: usize, pods: &[usize]) {
        let (before, others): (Vec<PodOutcome>, Vec<PodOutcome>) =
            std::mem::take(&mut self.outcomes)
                .into_iter()
                .partition(|outcome| pods.contains(&outcome.pod));
        self.outcomes = others;
        self.try_group(group, pods);
        for mut known in before {
            let mut outcomes = self.outcomes.iter_mut();
            match outcomes.find(|outcome| outcome.pod == known.pod) {
                None => self.outcomes.push(known),
                Some(now) => {
                    if known.decisions.last() == now.decisions.first() {
                        known.decisions.pop();
                    }
                    known.decisions.append(&mut now.decisions);
                    now.decisions = known.decisions;
                }
            }
        }
    }

    /// Returns true if a pod of a group is not to preempt others: then the group does not (kube-scheduler 1.37,
    /// `pkg/scheduler/framework/preemption/types.go`, `resolvePreemptionPolicy`).
    fn may_preempt_none(&self, pods: &[usize]) -> bool {
        let mut pods = pods
            .iter()
            .filter_map(|at| self.prepared.facts.pods.get(*at));
        self.prepared.setup.rules.group_policy_counts
            && pods.any(|pod| pod.spec.preemption_policy.as_deref() == Some("Never"))
    }

    /// Returns the facts on which the failure of a group depends and the objects do not decide.
    fn unsure_of_group(&self, trial: &GroupTrial<'_>, is_error: bool) -> Vec<Unsure> {
        let priority = if self.prepared.setup.rules.groups_have_priority {
            gangs::priority(self.prepared.facts, trial.facts)
        } else {
            let priorities = trial.pods.iter().map(|pod| self.prepared.priority(*pod));
            priorities.min().unwrap_or(0)
        };
        let mut unsure: Vec<Unsure> = trial.given_back.unsure.into_iter().collect();
        if !is_error && self.has_pods_to_preempt(priority) && !self.may_preempt_none(trial.pods) {
            unsure.push(Unsure::GroupPreemption);
        }
        unsure
    }

    /// Tries a pod of a group. `Err`: the group cannot start any more.
    fn try_member(&mut self, pod: usize, trial: &mut GroupTrial<'_>) -> Result<(), GroupFailure> {
        let Some(facts) = self.prepared.facts.pods.get(pod) else {
            return Ok(());
        };
        let claims = match devices::claims_of(self.prepared, &self.state, facts) {
            Ok(claims) => claims,
            Err(reason) => {
                let decision = PodDecision::NotConsidered(Waiting::Claim(reason));
                self.record(pod, decision, Vec::new(), None);
                return Ok(());
            }
        };
        let may_free = self.may_free_claims(pod, &claims);
        let (attempt, post) = self.attempt(pod, &claims, PostFilter::OnlyClaims);
        trial.progress.is_seen_by_devices |= !attempt.ends_early();
        match attempt {
            AttemptOutcome::Fits { node, tied, unsure } => {
                // Nodes on which its claims cannot be used may have refused it before.
                if may_free {
                    trial.given_back.unsure = Some(Unsure::AnyClaim);
                }
                if self.take(pod, node, tied, unsure, &claims) {
                    trial.progress.scheduled = trial.progress.scheduled.saturating_add(1);
                }
            }
            AttemptOutcome::Fails(fails) => {
                if let Some(Post {
                    freed: Some(claim),
                    unsure,
                    ..
                }) = post
                    && self.prepared.setup.rules.group_policy_counts
                {
                    trial.given_back.claims.push(claim);
                    trial.given_back.unsure = trial.given_back.unsure.or(unsure);
                }
                let is_error = fails.is_error;
                let failure = Rc::new(fails.failure(Post::default()));
                if is_error {
                    let text = format!(
                        "failed to schedule other pod from a pod group: {}",
                        failure.message
                    );
                    self.record(pod, PodDecision::Error(failure), Vec::new(), None);
                    return Err(GroupFailure {
                        text,
                        is_error,
                        help: None,
                    });
                }
                trial.progress.unschedulable = trial.progress.unschedulable.saturating_add(1);
                self.record(pod, PodDecision::Unschedulable(failure), Vec::new(), None);
            }
        }
        match trial.need {
            Some(need) if !trial.progress.can_reach(need) => {
                let text = trial.progress.refusal(need, self.prepared.setup.rules);
                Err(GroupFailure::unschedulable(text))
            }
            _ => Ok(()),
        }
    }

    /// Records for each pod of a group that does not start why: its own reason, or the group's.
    fn record_group_failure(
        &mut self,
        trial: &GroupTrial<'_>,
        messages: &GroupMessages,
        is_error: bool,
        unsure: &[Unsure],
    ) {
        let recorded = trial.recorded.min(self.outcomes.len());
        let tried = self.outcomes.split_off(recorded);
        for pod in trial.pods {
            let last = tried
                .iter()
                .find(|outcome| outcome.pod == *pod)
                .and_then(|outcome| outcome.decisions.last());
            let place = match last {
                None => None,
                Some(PodDecision::Bound { node, .. } | PodDecision::Preparing { node, .. }) => {
                    Some(*node)
                }
                // An error of the group is told to all its pods but those that have one of their own.
                Some(PodDecision::Unschedulable(_)) if is_error => None,
                Some(own_failure) => {
                    self.record(*pod, own_failure.clone(), unsure.to_vec(), None);
                    continue;
                }
            };
            let message = match last {
                Some(_) => &messages.to_tried,
                None => &messages.to_untried,
            };
            let failure = Rc::new(Failure {
                message: message.clone(),
                help: messages.help.clone(),
                place,
                untried: last.is_none(),
                ..Failure::default()
            });
            let decision = if is_error {
                PodDecision::Error(failure)
            } else {
                PodDecision::Unschedulable(failure)
            };
            self.record(*pod, decision, unsure.to_vec(), None);
        }
    }

    /// Returns true if a pod with a node has a lower priority.
    fn has_pods_to_preempt(&self, priority: i64) -> bool {
        let mut others = self.prepared.facts.pods.iter().zip(&self.state.pods);
        others.any(|(pod, state)| state.node.is_some() && pod.spec.effective_priority() < priority)
    }

    /// Returns true if a claim of a pod is allocated and nobody else uses it: it may be given back.
    fn may_free_claims(&self, pod: usize, claims: &[usize]) -> bool {
        let uid = self
            .prepared
            .facts
            .pods
            .get(pod)
            .map(|pod| pod.metadata.uid.as_str());
        let mut claims = claims.iter().filter_map(|at| self.state.claims.get(*at));
        claims.any(|claim| {
            let mut users = claim.status.reserved_for.iter();
            claim.status.allocation.is_some() && users.all(|user| Some(user.uid.as_str()) == uid)
        })
    }

    /// Does what follows the failure of a pod that is tried on its own.
    fn fail_single(&mut self, pod: usize, claims: &[usize], failure: &Rc<Failure>, is_error: bool) {
        if is_error {
            self.errors.push(pod);
        }
        self.after(pod, failure);
        self.remember_claims(pod, claims);
        let unsure = failure.unsure.into_iter().collect();
        let decision = if is_error {
            PodDecision::Error(failure.clone())
        } else {
            PodDecision::Unschedulable(failure.clone())
        };
        self.record(pod, decision, unsure, None);
    }

    fn record(
        &mut self,
        pod: usize,
        decision: PodDecision,
        unsure: Vec<Unsure>,
        extended: Option<ExtendedOutcome>,
    ) {
        if matches!(decision, PodDecision::Unschedulable(_)) {
            let happened = Happened {
                placed: self.placed.len(),
                freed: self.freed,
                given_up: self.given_up.len(),
            };
            self.failed_after.insert(pod, happened);
        }
        if let Some(known) = self
            .outcomes
            .iter_mut()
            .rev()
            .find(|outcome| outcome.pod == pod)
        {
            if known.decisions.last() != Some(&decision) {
                known.decisions.push(decision);
            }
            (known.unsure, known.extended) = (unsure, extended);
            return;
        }
        self.outcomes.push(PodOutcome {
            pod,
            decisions: vec![decision],
            unsure,
            extended,
            depends: false,
            fate_depends: false,
        });
    }

    fn finish(self) -> Simulation {
        let claims = self
            .state
            .claims
            .iter()
            .map(|claim| ClaimOutcome {
                claim: claim.clone(),
            })
            .collect();
        Simulation {
            pods: self.outcomes,
            claims,
            groups: self.groups,
            ties: TieSearch::None,
        }
    }
}

fn nothing() -> AttemptOutcome {
    let message = super::message::NO_NODES.to_owned();
    AttemptOutcome::Fails(Box::new(super::turn::Fails {
        message,
        is_early: true,
        nodes: Vec::new(),
        is_error: false,
        unsure: None,
    }))
}

/// Returns true if the scheduler has tried the pod before.
pub fn was_tried(pod: &Pod) -> bool {
    pod.status
        .conditions
        .iter()
        .any(|condition| condition.kind == "PodScheduled")
}

/// Returns true if the scheduler has tried both pods before, and their priority is the same.
fn are_retried_alike(one: &Pod, other: &Pod) -> bool {
    was_tried(one)
        && was_tried(other)
        && one.spec.effective_priority() == other.spec.effective_priority()
}

/// Returns the reason that keeps a pod out of the queue, its claims aside.
fn kept_out(prepared: &Prepared<'_>, pod: &Pod) -> Option<PodDecision> {
    if pod.metadata.deletion_timestamp.is_some() {
        return Some(PodDecision::NotConsidered(Waiting::Deleted));
    }
    let scheduler = pod.spec.scheduler();
    if scheduler != DEFAULT_SCHEDULER {
        return Some(PodDecision::NotConsidered(Waiting::Scheduler(
            scheduler.to_owned(),
        )));
    }
    if !pod.spec.scheduling_gates.is_empty() {
        return Some(PodDecision::Gated);
    }
    gangs::waiting(prepared, pod).map(PodDecision::NotConsidered)
}

/// Returns the pods that a run left where a tie was.
pub fn tied(simulation: &Simulation) -> Set<usize> {
    let mut pods = Set::default();
    for outcome in &simulation.pods {
        for decision in &outcome.decisions {
            if let PodDecision::Bound { tied, .. } | PodDecision::Preparing { tied, .. } = decision
                && !tied.is_empty()
            {
                pods.insert(outcome.pod);
            }
        }
    }
    pods
}

/// The names of the templates from which the claims of a pod are made.
fn template_names(pod: &Pod) -> impl Iterator<Item = Option<&str>> {
    let entries = pod.spec.resource_claims.iter();
    entries.map(|entry| entry.resource_claim_template_name.as_deref())
}

/// What decides about the place of a pod in the queue.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct QueueKey<'p> {
    was_tried: bool,
    priority: Reverse<i64>,
    /// When it was created; pods that do not say so are the youngest.
    created: &'p str,
}

impl<'p> QueueKey<'p> {
    fn of(pod: &'p Pod) -> Self {
        QueueKey {
            was_tried: was_tried(pod),
            priority: Reverse(pod.spec.effective_priority()),
            created: pod.metadata.creation_timestamp.as_deref().unwrap_or("~"),
        }
    }
}

/// What a group changes while its pods are tried.
struct Snapshot<'f> {
    state: State,
    usage: DevicesInUse<'f>,
    assumed: Vec<Rc<Pod>>,
}

/// The attempt to place a group.
struct GroupTrial<'t> {
    /// Index of the group.
    group: usize,
    facts: &'t PodGroup,
    pods: &'t [usize],
    /// How many pods must find a node.
    need: Option<i64>,
    /// Number of outcomes before the attempt.
    recorded: usize,
    progress: gangs::Progress,
    given_back: GivenBack,
}

/// Why a group does not start, and what its pods are told.
struct GroupMessages {
    /// Why the group does not start, with what plugins say after the failure.
    of_group: String,
    /// To those that were tried, and have no reason of their own.
    to_tried: String,
    /// To those that were not tried.
    to_untried: String,
    /// Help with both.
    help: Option<Message>,
}

/// The claims that a group gives back after its failure.
#[derive(Default)]
struct GivenBack {
    /// Indexes of the claims.
    claims: Vec<usize>,
    /// Why it may be others.
    unsure: Option<Unsure>,
}

/// What has happened in a run.
#[derive(Clone, Copy, Debug, Default)]
struct Happened {
    /// How many pods have got a node.
    placed: usize,
    /// How many claims were given back.
    freed: usize,
    /// How many nodes were given back.
    given_up: usize,
}

/// What has happened since an attempt failed.
struct Since<'r> {
    /// The pods that got a node.
    placed: &'r [usize],
    /// The pods whose nodes were given back.
    given_up: &'r [usize],
    /// A claim was given back.
    freed: bool,
}

/// Why a group does not start.
struct GroupFailure {
    text: String,
    is_error: bool,
    help: Option<Message>,
}

impl GroupFailure {
    fn unschedulable(text: String) -> Self {
        GroupFailure {
            text,
            is_error: false,
            help: None,
        }
    }
}

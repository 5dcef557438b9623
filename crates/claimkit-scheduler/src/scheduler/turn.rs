//! One attempt to place a pod: the answers of the plugins about each node.

use super::devices::{self, DeviceCase};
use super::message;
use super::outcome::{Failure, NodeReasons, Plugin, PluginRefusal, RefusalReason, Unsure};
use super::pod_affinity::InterPodAffinity;
use super::pod_volumes::PodVolumes;
use super::prepared::{DeviceAnswer, Prepared};
use super::profile::{NodeViews, Profile};
use super::state::State;
use super::topology_spread::Spread;
use super::{ports, resources};
use crate::allocator::objects::{Node, Pod};
use crate::allocator::status::StatusCode;
use std::rc::Rc;

/// A pod in its attempt.
#[derive(Debug)]
pub struct PodAttempt<'w, 'f> {
    /// Index of the pod.
    pub pod: usize,
    pub facts: &'f Pod,
    /// Its spec as the plugins see it.
    pub profile: &'w Profile,
    /// The results of the spec on every node.
    pub views: &'w NodeViews,
    /// Its volumes; `None`: it has none that can be judged.
    pub volumes: Option<PodVolumes>,
    /// Its devices; `None`: it asks for none.
    pub devices: Option<DeviceCase<'w>>,
    /// The spread of other pods.
    pub spread: Spread<'f>,
    /// The places of other pods.
    pub affinity: InterPodAffinity<'f>,
}

/// A failed attempt before anything is tried against it.
#[derive(Debug)]
pub struct Fails {
    /// Its message up to what plugins say after a failure.
    pub message: String,
    /// A plugin before the one for devices ended the attempt.
    pub is_early: bool,
    /// Per node, why not; empty where no node was looked at.
    pub nodes: Vec<NodeReasons>,
    /// It is an error, which nothing helps.
    pub is_error: bool,
    /// Why the message may be another one.
    pub unsure: Option<Unsure>,
}

impl Fails {
    /// Adds to the failure what plugins say after it.
    pub fn failure(self, post: Post) -> Failure {
        let message = message::with_post(self.message, &post.texts);
        let unsure = self.unsure.or(post.unsure);
        let Post {
            nominated,
            victims,
            freed,
            ..
        } = post;
        Failure {
            message,
            help: None,
            nodes: Rc::new(self.nodes),
            place: None,
            untried: false,
            nominated,
            victims,
            freed,
            unsure,
        }
    }
}

/// The effects of the plugins after a failure.
#[derive(Debug, Default)]
pub struct Post {
    pub texts: Vec<String>,
    /// Room is made on this node.
    pub nominated: Option<usize>,
    /// These pods are ended for it.
    pub victims: Vec<usize>,
    /// This claim is given back.
    pub freed: Option<usize>,
    /// Facts that the choice depends on and the objects do not decide.
    pub unsure: Option<Unsure>,
}

impl<'w, 'f> PodAttempt<'w, 'f> {
    /// Makes the part of an attempt that looks at the pod alone. `devices`: `None` if the pod asks for none.
    pub fn new(
        prepared: &'w Prepared<'f>,
        state: &mut State,
        pod: usize,
        devices: Option<DeviceCase<'w>>,
    ) -> Option<Self> {
        let facts: &'f Pod = prepared.facts.pods.get(pod)?;
        let profile = prepared.profile(pod)?;
        let mut turn = PodAttempt {
            pod,
            facts,
            profile,
            views: profile.views(prepared.facts, &prepared.cluster.judgements, pod),
            volumes: PodVolumes::of(prepared, state, pod),
            devices: devices.filter(|devices| !devices.is_skipped()),
            spread: Spread::default(),
            affinity: InterPodAffinity::default(),
        };
        turn.look_at_pods(prepared, state);
        Some(turn)
    }

    /// Looks at the other pods, where they are now.
    pub fn look_at_pods(&mut self, prepared: &Prepared<'f>, state: &mut State) {
        self.spread = Spread::of(prepared, state, self.facts);
        self.affinity = InterPodAffinity::of(prepared, state, self.pod);
        if let Some(volumes) = &mut self.volumes {
            volumes.look_at_pods(prepared, state, self.pod);
        }
    }

    /// Asks the plugins in order; the first refusal counts. `Err`: the attempt ends for all nodes.
    pub fn check(
        &self,
        prepared: &Prepared<'f>,
        state: &State,
        node: usize,
    ) -> Result<Option<PluginRefusal>, String> {
        if let Some(Some(refusal)) = self.views.refused.get(node) {
            return Ok(Some((**refusal).clone()));
        }
        let (Some(facts), Some(there)) = (prepared.facts.nodes.get(node), state.nodes.get(node))
        else {
            return Ok(None);
        };
        if !self.profile.ports.is_empty() && ports::taken(&self.profile.ports, &there.ports) {
            return Ok(Some(PluginRefusal::new(
                Plugin::NodePorts,
                StatusCode::Unschedulable,
                RefusalReason::Ports,
            )));
        }
        if let Some(refusal) = self.fit(prepared, state, node) {
            return Ok(Some(refusal));
        }
        if let Some(volumes) = &self.volumes
            && let Some(refusal) = volumes.filter(prepared, state, self.facts, node)
        {
            return Ok(Some(refusal));
        }
        if let Some(refusal) = self.about_pods(facts).next() {
            return Ok(Some(refusal));
        }
        let Some(devices) = &self.devices else {
            return Ok(None);
        };
        match &*devices.filter(prepared, state, node) {
            DeviceAnswer::Fits(_) => Ok(None),
            DeviceAnswer::Refused(refusal) => Ok(Some(refusal.clone())),
            DeviceAnswer::Error(error) => Err(error.clone()),
        }
    }

    fn fit(&self, prepared: &Prepared<'f>, state: &State, node: usize) -> Option<PluginRefusal> {
        let (there, has) = (state.nodes.get(node)?, prepared.allocatable.get(node)?);
        let delegated = self
            .devices
            .as_ref()
            .map_or(&[][..], |devices| &devices.delegated);
        let rules = prepared.setup.rules;
        resources::fit(
            rules,
            &prepared.names,
            &self.profile.requests,
            has,
            (&there.used, there.pods.len()),
            delegated,
        )
    }

    fn about_pods<'t>(&'t self, node: &'t Node) -> impl Iterator<Item = PluginRefusal> + 't {
        let spread = (!self.spread.is_empty())
            .then(|| self.spread.filter(node))
            .flatten();
        let affinity = (spread.is_none() && !self.affinity.is_empty())
            .then(|| self.affinity.filter(node))
            .flatten();
        spread.into_iter().chain(affinity)
    }

    /// Checks the same, where pods for which room is being made count as placed; then without them.
    pub fn check_with_nominated(
        &mut self,
        prepared: &Prepared<'f>,
        state: &mut State,
        node: usize,
    ) -> Result<Option<PluginRefusal>, String> {
        let priority = self.facts.spec.effective_priority();
        let there = state.nominated.iter().filter(|(pod, at)| {
            *at == node
                && *pod != self.pod
                && prepared
                    .facts
                    .pods
                    .get(*pod)
                    .is_some_and(|other| other.spec.effective_priority() >= priority)
        });
        let pods: Vec<usize> = there.map(|(pod, _)| *pod).collect();
        if !pods.is_empty() {
            pods.iter()
                .for_each(|pod| state.place(prepared, *pod, node));
            self.look_at_pods(prepared, state);
            let found = self.check(prepared, state, node);
            pods.iter().for_each(|pod| state.remove(prepared, *pod));
            self.look_at_pods(prepared, state);
            if !matches!(found, Ok(None)) {
                return found;
            }
        }
        self.check(prepared, state, node)
    }

    /// Returns the refusals of the other plugins on a node.
    pub fn others(
        &self,
        prepared: &Prepared<'f>,
        state: &State,
        node: usize,
        first: &PluginRefusal,
    ) -> Vec<PluginRefusal> {
        let (Some(facts), Some(there)) = (prepared.facts.nodes.get(node), state.nodes.get(node))
        else {
            return Vec::new();
        };
        let mut all = NodeViews::all_refusals(
            prepared.facts,
            &prepared.cluster.judgements,
            self.facts,
            node,
        );
        if ports::taken(&self.profile.ports, &there.ports) {
            all.push(PluginRefusal::new(
                Plugin::NodePorts,
                StatusCode::Unschedulable,
                RefusalReason::Ports,
            ));
        }
        all.extend(self.fit(prepared, state, node));
        if let Some(volumes) = &self.volumes {
            all.extend(volumes.refusals(prepared, state, self.facts, node));
        }
        all.extend(self.spread.filter(facts));
        all.extend(self.affinity.filter(facts));
        if let Some(devices) = &self.devices
            && let DeviceAnswer::Refused(refusal) = &*devices.filter(prepared, state, node)
        {
            all.push(refusal.clone());
        }
        all.retain(|refusal| refusal.plugin != first.plugin);
        all
    }

    /// Returns the nodes that the plugin for devices refused because a claim is allocated elsewhere.
    pub fn unavailable(nodes: &[NodeReasons]) -> impl Iterator<Item = usize> {
        nodes
            .iter()
            .filter(|node| devices::is_unavailable(&node.why.first))
            .map(|node| node.node)
    }
}

//! The account of a request on a node.

use super::account::{CellAccount, Reason, RequestAccount, Stage};
use super::cells::{DeviceQuestion, ShownDevice};
use super::edits::AskPlace;
use super::funnel::{self, Row};
use super::kinds::StageKind;
use super::words;
use crate::allocator::cluster::DeviceAt;
use crate::allocator::objects::Claim;
use crate::allocator::plugin::NodeAnswer;
use claimkit_model::message::{self, Message, message};
use std::borrow::Cow;

/// Maximum number of slices in an answer whose devices are on other nodes only.
const MOST_SLICES: usize = 5;

/// A device given in this attempt.
pub struct GivenDevice {
    device: String,
    /// Index of the claim.
    claim: usize,
    claim_name: String,
    /// `request` or `request/subrequest`.
    request: String,
}

/// Returns the devices that the node gives to claims.
pub fn given_devices(answer: &NodeAnswer, claims: &[&Claim]) -> Vec<GivenDevice> {
    let mut list = Vec::new();
    for (at, (allocation, claim)) in answer.allocations().iter().zip(claims).enumerate() {
        for result in &allocation.devices.results {
            list.push(GivenDevice {
                device: format!("{}/{}/{}", result.driver, result.pool, result.device),
                claim: at,
                claim_name: claim.metadata.full_name(),
                request: result.request.clone(),
            });
        }
    }
    list
}

/// A request or sub-request on a node, with all that its account is made from.
pub struct RequestQuestion<'a, 's, 'g> {
    asking: DeviceQuestion<'a, 's>,
    /// The node gives devices for it.
    picked: bool,
    /// The devices of the node with the reasons against them.
    row: Row<'g, 'g>,
    stages: Vec<Stage>,
    /// The devices that remain after all stages.
    pub left: Vec<DeviceAt>,
    given: &'a [GivenDevice],
}

impl<'a, 's, 'g> RequestQuestion<'a, 's, 'g> {
    /// Collects the reasons against the devices of a row.
    pub fn new(
        asking: DeviceQuestion<'a, 's>,
        picked: bool,
        devices: &Row<'g, 'g>,
        given: &'a [GivenDevice],
    ) -> Self {
        let row: Row<'g, 'g> = devices
            .iter()
            .map(|(shown, _)| (*shown, asking.reasons(shown)))
            .collect();
        let (stages, left) = funnel::funnel(&asking, &row);
        RequestQuestion {
            asking,
            picked,
            row,
            stages,
            left,
            given,
        }
    }

    /// Returns the account. It takes the stages and the reasons of the devices.
    pub fn account(&mut self, wants_cells: bool) -> RequestAccount {
        let choice = self.asking.choice;
        let wanted = self.wanted();
        let text = funnel::text(
            &self.stages,
            &choice.ask.device_class_name,
            &self.wanted_text(wanted),
        );
        let why = self.why(wanted);
        let passed_over = self.passed_over();
        let cells = if wants_cells {
            self.take_cells()
        } else {
            Vec::new()
        };
        RequestAccount {
            claim: self.asking.claim.metadata.full_name(),
            request: choice.name.to_owned(),
            sub: choice.sub_name.map(str::to_owned),
            mode: choice.ask.allocation_mode.clone(),
            wanted,
            class: choice.ask.device_class_name.clone(),
            serves: None,
            picked: self.picked,
            funnel: std::mem::take(&mut self.stages),
            cells,
            path: AskPlace::of_choice(choice).path(),
            range: None,
            passed_over,
            text,
            why,
        }
    }

    fn wants_all(&self) -> bool {
        self.asking.choice.ask.allocation_mode == "All"
    }

    /// Returns how many devices the request wants. Mode All wants what remains before it is asked which devices are free.
    fn wanted(&self) -> i64 {
        if !self.wants_all() {
            return self.asking.choice.count;
        }
        let selected = self
            .stages
            .iter()
            .take_while(|stage| stage.stage != StageKind::Free)
            .last();
        selected.map_or(0, |stage| i64::try_from(stage.left).unwrap_or(0))
    }

    fn wanted_text(&self, wanted: i64) -> Cow<'static, str> {
        if !self.wants_all() {
            return Cow::Owned(wanted.to_string());
        }
        if wanted == 0 && self.asking.cluster.behaviour.least_of_all() > 0 {
            message!("funnel.all-at-least-one", "all, at least 1").into()
        } else {
            message!("funnel.all", "all {wanted}", wanted).into()
        }
    }

    /// Returns why the devices of the node are too few, and which devices other nodes have.
    fn why(&self, wanted: i64) -> Message {
        let why = why_lost(&self.asking, &self.stages, &self.row, wanted, 0);
        let has_none = |stage: &Stage| {
            matches!(stage.stage, StageKind::Node | StageKind::Class) && stage.left == 0
        };
        if !self.stages.iter().any(has_none) {
            return why;
        }
        let parts = [elsewhere(&self.asking), why];
        message::sentences(parts.into_iter().filter(|part| !part.is_empty()))
    }

    /// Returns the devices before the first one that the request is given.
    fn passed_over(&self) -> Vec<String> {
        if !self.picked {
            return Vec::new();
        }
        let cluster = self.asking.cluster;
        let mut names: Vec<String> = self
            .left
            .iter()
            .map(|at| cluster.device_name(*at))
            .collect();
        let own_name = self.asking.choice.full_name();
        let first = names.iter().position(|name| self.is_given(&own_name, name));
        names.truncate(first.unwrap_or(0));
        names
    }

    fn is_given(&self, own_name: &str, device: &str) -> bool {
        self.given.iter().any(|given| {
            given.claim == self.asking.choice.claim
                && given.request == own_name
                && given.device == device
        })
    }

    /// Returns the cell of each device, and takes the reasons from the row.
    fn take_cells(&mut self) -> Vec<CellAccount> {
        let own_name = self.asking.choice.full_name();
        let mut cells = Vec::new();
        for (shown, mut reasons) in std::mem::take(&mut self.row) {
            let device = self.asking.cluster.device_name(shown.at);
            let taker = self.given.iter().find(|given| given.device == device);
            if let Some(taker) = taker
                && !self.is_given(&own_name, &device)
            {
                let chosen_for = Reason::ChosenFor {
                    claim: taker.claim_name.clone(),
                    request: taker.request.clone(),
                };
                reasons.insert(0, chosen_for);
            }
            let mut reasons = reasons.into_iter();
            let reason = reasons.next();
            let text = reason.as_ref().map(words::reason).unwrap_or_default();
            cells.push(CellAccount {
                device,
                reason,
                also: reasons.collect(),
                text,
            });
        }
        cells
    }
}

/// Returns why devices are lost where too few are left; and if those would be refused without that, too, for what. `capacities`: how
/// many refusals of capacities are left out already.
fn why_lost(
    asking: &DeviceQuestion<'_, '_>,
    stages: &[Stage],
    row: &Row<'_, '_>,
    wanted: i64,
    capacities: usize,
) -> Message {
    let class = &asking.choice.ask.device_class_name;
    let why = words::why(asking.cluster, class, stages, row, wanted);
    let Some(stage) = words::hiding_stage(stages, wanted) else {
        return why;
    };
    let is_of_capacity = stage.stage == StageKind::Capacity;
    let capacities = capacities.saturating_add(usize::from(is_of_capacity));
    let without = |(shown, reasons): &(ShownDevice<'_, '_>, Vec<Reason>)| -> Vec<Reason> {
        let (own, mut others): (Vec<Reason>, Vec<Reason>) = reasons
            .iter()
            .cloned()
            .partition(|reason| funnel::is_of(reason, stage));
        if is_of_capacity && !own.is_empty() {
            others.extend(asking.capacity_without(shown.at, capacities));
        }
        others
    };
    let rest: Row<'_, '_> = row.iter().map(|entry| (entry.0, without(entry))).collect();
    let silent = DeviceQuestion {
        values: false,
        ..*asking
    };
    let (stages, _) = funnel::funnel(&silent, &rest);
    let next = why_lost(&silent, &stages, &rest, wanted, capacities);
    message::sentences([why, next].into_iter().filter(|part| !part.is_empty()))
}

/// Names devices that the request could have, of slices that choose other nodes by label.
fn elsewhere(asking: &DeviceQuestion<'_, '_>) -> Message {
    let cluster = asking.cluster;
    let asking = DeviceQuestion {
        values: false,
        ..*asking
    };
    let mut parts = Vec::new();
    let slices = cluster.facts.slices.iter().enumerate();
    for (at, slice) in slices
        .filter(|(_, slice)| slice.spec.node_name.is_none() && slice.spec.all_nodes != Some(true))
    {
        let Some(selector) = &slice.spec.node_selector else {
            continue;
        };
        let judged = cluster.judgements.of(selector, &cluster.facts.nodes);
        let Some(Some(missing)) = judged
            .missing
            .get(asking.node)
            .filter(|_| parts.len() < MOST_SLICES)
        else {
            continue;
        };
        let fit: Vec<&str> = cluster
            .devices_of(at)
            .filter(|(at, _)| asking.is_selected(*at))
            .map(|(_, device)| device.name.as_str())
            .collect();
        if !fit.is_empty() {
            parts.push(message!(
                "device.only-on-other-nodes",
                "{devices}: only on nodes with {missing} (slice {slice})",
                devices = words::some(&fit, words::MOST),
                missing,
                slice = slice.metadata.name
            ));
        }
    }
    message::sentences(parts)
}
